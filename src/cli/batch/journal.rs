//! Answers on lines of JSON: what was asked, and what was answered; those of an earlier call are found again.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use crate::cli::pool::{Answered, one_line};

/// An answer, as far as tables show it.
#[derive(Clone, Debug, Deserialize)]
pub struct Line {
    /// Which task.
    pub task: String,
    /// What was asked about what: see [`key`].
    key: String,
    /// The exit code of `puch check`.
    pub exit: u8,
    /// How long it took, if that was asked.
    pub seconds: Option<f64>,
    /// What `puch check --format json` has written.
    pub report: Option<Report>,
    /// Why there is no report.
    pub error: Option<String>,
    /// The line itself.
    #[serde(skip)]
    pub text: String,
}

/// As much of a report as tables show.
#[derive(Clone, Debug, Deserialize)]
pub struct Report {
    /// The answers; none if the input is wrong.
    #[serde(default)]
    pub results: Vec<Answer>,
    /// What was told.
    #[serde(default)]
    pub diagnostics: Vec<Diagnostic>,
}

/// One answer.
#[derive(Clone, Debug, Deserialize)]
pub struct Answer {
    /// The property.
    pub property: String,
    /// What it is called.
    pub name: Option<String>,
    /// What is known.
    pub verdict: String,
    /// Why it is not known.
    pub reason: Option<String>,
}

/// What was told of a text.
#[derive(Clone, Debug, Deserialize)]
pub struct Diagnostic {
    /// `error` or `warning`.
    pub severity: String,
    /// The sentence.
    pub text: String,
    /// Where.
    pub line: Option<u64>,
}

#[derive(Serialize)]
struct Head<'a> {
    task: &'a str,
    key: &'a str,
    version: &'a str,
    exit: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    expected: &'a [String],
    error: Option<&'a str>,
}

impl Line {
    /// The line for an answer.
    pub fn new(task: &super::Asked, answered: Result<&Answered, &str>, seconds: bool) -> anyhow::Result<Line> {
        let report = answered.ok().and_then(|answered| one_line(&answered.stdout).ok());
        let error = match (&answered, &report) {
            (Err(error), _) => Some(*error),
            (Ok(answered), None) => Some(answered.stderr.trim()),
            _ => None,
        };
        let head = Head {
            task: &task.name,
            key: &task.key,
            version: env!("CARGO_PKG_VERSION"),
            exit: answered.map_or(task.code_of_refusal, |answered| answered.code),
            seconds: answered.ok().map(|answered| answered.seconds).filter(|_| seconds),
            expected: &task.expected,
            error,
        };
        let head = serde_json::to_string(&head)?;
        let report = report.as_deref().unwrap_or("null");
        read(format!("{}, \"report\": {report}}}", head.trim_end_matches('}')))
    }

    /// Whether two answers are to the same question.
    pub fn is_about(&self, task: &super::Asked) -> bool {
        self.key == task.key
    }
}

fn read(text: String) -> anyhow::Result<Line> {
    let line: Line = serde_json::from_str(&text)?;
    Ok(Line { text, ..line })
}

/// A number for what is asked about what: arguments, and the contents of the files that they name.
pub fn key(arguments: &[String], files: &[PathBuf]) -> String {
    let mut hash = Fnv::default();
    hash.add(env!("CARGO_PKG_VERSION").as_bytes());
    for argument in arguments {
        hash.add(argument.as_bytes());
        let value = argument.split_once('=').map_or(argument.as_str(), |(_, value)| value);
        let named = Path::new(value.strip_prefix('@').unwrap_or(value));
        hash.add(&std::fs::read(named).unwrap_or_default());
    }
    for file in files {
        hash.add(file.as_os_str().as_encoded_bytes());
        hash.add(&std::fs::read(file).unwrap_or_default());
    }
    format!("{:016x}", hash.0)
}

/// Fowler, Noll & Vo's hash, 1a, 64 bits: the same everywhere and always.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in length.iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// A file of answers, to which more are added.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens a file of answers; what is in it, by task. A last line that was not written to its end is cut off.
    ///
    /// # Errors
    /// If it cannot be read and written, or has other things in it.
    pub fn open(path: &Path) -> anyhow::Result<(Journal, HashMap<String, Line>)> {
        let context = || format!("cannot read and write `{}`", path.display());
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).with_context(context)?;
        let mut text = String::new();
        file.read_to_string(&mut text).with_context(context)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            file.set_len(whole as u64).with_context(context)?;
            file.seek(std::io::SeekFrom::End(0)).with_context(context)?;
        }
        let mut known = HashMap::new();
        for (number, line) in text[..whole].lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let line = read(line.to_owned()).with_context(|| {
                format!("`{}`, line {}: this is no answer of `puch batch`", path.display(), number + 1)
            })?;
            known.insert(line.task.clone(), line);
        }
        Ok((Journal { path: path.to_owned(), file }, known))
    }

    /// Adds an answer.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, line: &Line) -> anyhow::Result<()> {
        // In one piece, so that what others add to the same file does not come between.
        let text = format!("{}\n", line.text);
        let written = self.file.write_all(text.as_bytes());
        written.with_context(|| format!("cannot write `{}`", self.path.display()))
    }
}
