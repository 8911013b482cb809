//! `--infer FILE`: what was found of functions, in a file that `--contracts` reads.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;

/// The file, and what goes into it.
#[derive(Clone, Debug)]
pub struct Inferred {
    file: PathBuf,
    text: String,
}

impl Inferred {
    /// A file that begins with what was known before.
    pub fn file(file: PathBuf, known: &str) -> Inferred {
        let mut text = known.to_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        Inferred { file, text }
    }

    /// More lines.
    pub fn add(&mut self, lines: &str) {
        self.text += lines;
    }

    /// Writes it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self) -> anyhow::Result<()> {
        fs::write(&self.file, &self.text).with_context(|| format!("cannot write `{}`", self.file.display()))
    }
}
