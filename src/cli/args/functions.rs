//! What was typed of checks of functions by themselves.

use clap::{Args, ValueEnum};
use puch::functions::Kind;

/// How functions of C files are checked each by itself.
#[derive(Args, Debug)]
#[command(next_help_heading = "Functions of C")]
pub struct FunctionsArgs {
    /// Check each function of C files by itself, called in any state: what can fail in it, and what its callers owe so that it cannot
    #[arg(long)]
    pub functions: bool,
    /// Only the functions of these names
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "functions")]
    pub function: Vec<String>,
    /// Only those that other files can call
    #[arg(long, requires = "functions")]
    pub public: bool,
    /// What counts as a failure of a function [default: all of these]
    #[arg(long, value_name = "KINDS", value_delimiter = ',', requires = "functions", hide_short_help = true)]
    pub check: Vec<KindName>,
    /// Questions to the solver for each function
    #[arg(long, value_name = "N", default_value_t = puch::functions::QUESTIONS, requires = "functions", hide_short_help = true)]
    pub questions: u64,
    /// Stop looking at a function after so many seconds; `--timeout` is for all of them together
    #[arg(long, value_name = "SECONDS", value_parser = super::numbers::seconds, requires = "functions", hide_short_help = true)]
    pub function_timeout: Option<f64>,
}

/// What can go wrong in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindName {
    /// NULL is followed
    Null,
    /// An object is accessed beyond its bounds
    Bounds,
    /// Signed arithmetic leaves its type
    Overflow,
    /// A division by zero
    Division,
    /// A shift that C does not define
    Shift,
    /// An assertion fails
    Assert,
    /// An object is accessed that is no more
    UseAfterFree,
    /// What is freed was freed before
    DoubleFree,
    /// A local is read that nobody has assigned
    Uninitialised,
}

impl KindName {
    /// What is meant.
    pub fn meant(self) -> Kind {
        match self {
            KindName::Null => Kind::Null,
            KindName::Bounds => Kind::Bounds,
            KindName::Overflow => Kind::Overflow,
            KindName::Division => Kind::Division,
            KindName::Shift => Kind::Shift,
            KindName::Assert => Kind::Assert,
            KindName::UseAfterFree => Kind::UseAfterFree,
            KindName::DoubleFree => Kind::DoubleFree,
            KindName::Uninitialised => Kind::Uninitialised,
        }
    }
}
