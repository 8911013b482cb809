//! What was typed of C programs.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::args::{CReading, Loudness, PredicateArgs};
use super::choices::{MallocName, NullFormatName, OverflowName, RunFormatName, SmtName};

/// A C program: its files, and how they are read.
#[derive(Args, Debug)]
pub struct CArgs {
    /// The files of the program: `.c`, or `.i` as preprocessors write them; several are one program
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required = true, help_heading = None)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: CReading,
    /// The procedure in which the program starts [default: main]
    #[arg(long, value_name = "PROC", help_heading = "Input")]
    pub entry: Option<String>,
    /// A macro for the preprocessor
    #[arg(short = 'D', long, value_name = "NAME[=TEXT]", help_heading = "Input")]
    pub define: Vec<String>,
}

/// `puch run`
#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub input: CArgs,
    /// The arbitrary values of the run, in the order in which it asks for them: what `__VERIFIER_nondet_T()` and procedures
    /// without a body return, `main`'s arguments, and variables that are read before they are written
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        allow_hyphen_values = true,
        conflicts_with = "seed",
        help_heading = "Run"
    )]
    pub inputs: Option<Vec<i128>>,
    /// Draw them instead, the same for the same number
    #[arg(long, value_name = "NUMBER", default_value_t = 0, help_heading = "Run")]
    pub seed: u64,
    /// What happens where signed arithmetic leaves its type
    #[arg(long, value_name = "READING", default_value = "wrap", help_heading = "Run")]
    pub overflow: OverflowName,
    /// Give up after so many steps
    #[arg(long, value_name = "N", default_value_t = 1_000_000, help_heading = "Run")]
    pub steps: u64,

    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: RunFormatName,
    /// Show all statements of a long run, not only its beginning and its end
    #[arg(long, help_heading = "Output")]
    pub full: bool,
    #[command(flatten)]
    pub loudness: Loudness,
}

/// `puch abstract`
#[derive(Args, Debug)]
pub struct AbstractArgs {
    #[command(flatten)]
    pub input: CArgs,
    #[command(flatten)]
    pub predicates: PredicateArgs,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Tell on standard error what it took
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    #[command(flatten)]
    pub loudness: Loudness,
}

/// `puch null`
#[derive(Args, Debug)]
pub struct NullArgs {
    #[command(flatten)]
    pub input: CArgs,
    /// Whether `malloc` and its like can fail
    #[arg(long, value_name = "WHETHER", default_value = "may-fail", help_heading = "Input")]
    pub malloc: MallocName,
    /// Ask another solver whatever is decided about integers; that it disagrees is an error
    #[arg(long, value_name = "SOLVER", help_heading = "Input")]
    pub smt: Option<SmtName>,
    /// Write the Boolean program that is asked, and answer nothing
    #[arg(long, help_heading = "Output")]
    pub emit_bp: bool,
    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: NullFormatName,
    /// Tell on standard error what it took
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    #[command(flatten)]
    pub loudness: Loudness,
}
