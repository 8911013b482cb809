//! Texts as they come in, and complaints about them as they are told.

use std::io::{IsTerminal, Read};
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context, anyhow, bail};
use puch::c;
use puch::problem::{Mistaken, Mistakes};
use puch::report::diagnostic;
use puch::source::Source;
use spds_format::Diagnostic;

use super::{Failure, colour, notices};

/// Whether warnings are told. They are, whatever else is not wanted: they may change what a verdict means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warnings {
    /// On standard error.
    Told,
    /// Not, because nobody reads an answer.
    Silent,
}

/// The text of a file, or of standard input.
///
/// # Errors
/// If it cannot be read or is not UTF-8.
pub fn text_of(file: &Path) -> anyhow::Result<String> {
    let name = file.display();
    String::from_utf8(bytes_of(file)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let good = &error.as_bytes()[..at];
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        anyhow!("`{name}` is not text in UTF-8: byte {} (on line {line}) is {:#04x}", at + 1, error.as_bytes()[at])
    })
}

/// The text of a C file, in whatever encoding it is.
///
/// # Errors
/// If it cannot be read.
pub fn c_text_of(file: &Path) -> anyhow::Result<String> {
    Ok(c::decoded(bytes_of(file)?))
}

/// What is in a file.
///
/// # Errors
/// If it cannot be read.
pub fn bytes_of(file: &Path) -> anyhow::Result<Vec<u8>> {
    if is_stdin(file) {
        return standard_input();
    }
    let name = file.display();
    if file.is_dir() {
        bail!("`{name}` is a directory");
    }
    std::fs::read(file).with_context(|| format!("cannot read `{name}`"))
}

/// All of standard input, which can be read only once, and may be asked for again.
fn standard_input() -> anyhow::Result<Vec<u8>> {
    static READ: Mutex<Option<Vec<u8>>> = Mutex::new(None);
    let mut read = READ.lock().map_err(|_| anyhow!("cannot read standard input"))?;
    if let Some(bytes) = &*read {
        return Ok(bytes.clone());
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
    Ok(read.insert(bytes).clone())
}

/// Diagnostics as they are told on standard error; for scripts they are kept.
pub fn rendered(name: &str, text: &str, diagnostics: &[Diagnostic]) -> String {
    notices::keep(name, text, diagnostics);
    let style = colour::style(std::io::stderr().is_terminal());
    let mut out = Vec::new();
    diagnostic::write(&mut out, &Source::new(name, text), diagnostics, style).expect("a vector takes everything");
    String::from_utf8_lossy(&out).into_owned()
}

/// What is wrong with texts, and a closing sentence.
pub fn mistaken(wrong: &Mistakes) -> Failure {
    let mut told = String::new();
    for text in wrong.texts() {
        told += &rendered(&text.name, &text.text, &text.diagnostics);
    }
    let is_wrong = |text: &&Mistaken| text.diagnostics.iter().any(Diagnostic::is_error);
    let names = wrong.texts().iter().filter(is_wrong).map(|text| format!("`{}`", text.name));
    let names = names.collect::<Vec<_>>().join(", ");
    let errors = wrong.diagnostics.iter().filter(|one| one.is_error()).count();
    let errors = if errors == 1 { "an error".to_owned() } else { format!("{errors} errors") };
    Failure::Diagnosed(format!("{told}error: {names} cannot be read because of {errors}"))
}

/// Whether a file name stands for standard input.
pub fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}
