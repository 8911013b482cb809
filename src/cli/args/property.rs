//! Properties as they were typed.

use std::path::PathBuf;

use crate::cli::choices::CheckedName;

/// A property as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyTyped {
    /// `--reach`
    Reach(String),
    /// `--assertions`
    Assertions,
    /// `--check`
    Failures(CheckedName),
    /// `--termination`
    Termination,
    /// `--ltl`, `--automaton`, `--never`
    Temporal(Given),
    /// `--property`
    File(PathBuf),
}

/// A property of runs as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A formula.
    Formula(String),
    /// A formula of a list in a file.
    Listed(Listed),
    /// A file with an automaton of the violations in the Hanoi format.
    Automaton(PathBuf),
    /// A file with a never claim.
    Never(PathBuf),
}

/// A formula of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// Its name there.
    pub name: Option<String>,
    /// What it says.
    pub formula: String,
}

impl Listed {
    /// Where it stands, as complaints name it.
    pub fn place(&self) -> String {
        format!("{}, line {}", self.file, self.line)
    }
}

impl Given {
    /// The property's name in reports: the formula, or the name of the file.
    pub fn name(&self) -> String {
        match self {
            Given::Formula(text) => text.clone(),
            Given::Listed(listed) => listed.formula.clone(),
            Given::Automaton(file) | Given::Never(file) => file.display().to_string(),
        }
    }
}
