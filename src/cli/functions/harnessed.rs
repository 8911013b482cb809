//! `--harness`: the first failure of a function that is told, as a file for who has a compiler.

use std::path::{Path, PathBuf};

use anyhow::Context;
use puch::report::functions::Told;

use crate::cli::refinement::write;
use crate::cli::tell;

/// A file that is to be written.
pub struct Harnessed {
    path: PathBuf,
    is_written: bool,
}

impl Harnessed {
    /// None of it is yet.
    pub fn file(path: PathBuf) -> Harnessed {
        Harnessed { path, is_written: false }
    }

    /// Writes what makes a function fail, if it is the first that does.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, told: &Told) -> anyhow::Result<()> {
        let failing = || told.findings.iter().filter_map(|finding| finding.trace.as_ref());
        if self.is_written || failing().next().is_none() {
            return Ok(());
        }
        match failing().find_map(|trace| trace.harness.as_ref()) {
            Some(text) => {
                write(&self.path, &included(text)?)?;
                self.is_written = true;
            }
            None => tell(&format!("note: C cannot say the state in which `{}` fails: no harness", told.property)),
        }
        Ok(())
    }
}

/// The text, in which the file that is included has a name that is the same in each folder.
fn included(text: &str) -> anyhow::Result<String> {
    let begin = "\n#include \"";
    let Some((before, rest)) = text.split_once(begin) else { return Ok(text.to_owned()) };
    let (name, after) = rest.split_once('"').unwrap_or((rest, ""));
    let whole = std::path::absolute(Path::new(name)).with_context(|| format!("where `{name}` is, is not known"))?;
    Ok(format!("{before}{begin}{}\"{after}", whole.display()))
}
