//! What was typed of commands that make and repeat runs.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{AbstractedArgs, CReading, InputArgs, LimitArgs, Loudness, ToldArgs};
use crate::cli::choices::{CheckerName, OverflowName, SyntaxName};

/// `puch simulate`
#[derive(Args, Debug)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Further files of a C program
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = None)]
    pub further: Vec<PathBuf>,
    /// Consider only runs that start where this condition holds, in the program's own syntax
    #[arg(long, value_name = "EXPR", help_heading = "Run")]
    pub assume: Option<String>,
    /// How many configurations are looked at on the way to a place
    #[arg(long, value_name = "N", default_value_t = 100_000, help_heading = "Run")]
    pub effort: u64,
    /// Give up after so many steps of a C program
    #[arg(long, value_name = "N", default_value_t = 1_000_000, help_heading = "Run")]
    pub steps: u64,

    #[command(flatten)]
    pub c: AbstractedArgs,
    #[command(flatten)]
    pub loudness: Loudness,
}

/// `puch certify`
#[derive(Args, Debug)]
pub struct CertifyArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// What `puch check --certificate` has written
    #[arg(value_name = "CERTIFICATE", value_hint = ValueHint::FilePath)]
    pub certificate: PathBuf,
    /// The condition on the start that was given to `puch check --assume`
    #[arg(long, value_name = "EXPR", help_heading = "Properties")]
    pub assume: Option<String>,
    /// A file that was given to `puch check` with `--automaton`
    #[arg(long, value_name = "FILE.hoa", value_hint = ValueHint::FilePath, help_heading = "Properties")]
    pub automaton: Vec<PathBuf>,
    /// A file that was given to `puch check` with `--never`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Properties")]
    pub never: Vec<PathBuf>,
    /// What answers the questions: relations as BDDs, or a SAT solver
    #[arg(long, value_name = "SOLVER", default_value = "bdd", help_heading = "Search")]
    pub with: CheckerName,
    /// Write all questions as one formula in the format of DIMACS, which cannot be satisfied if and only if the certificates prove what
    /// they claim; it is the SAT solver that is asked then
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub dimacs: Option<PathBuf>,
    #[command(flatten)]
    pub reading: CReading,
    /// That a certificate of a C program is to be about this reading of signed overflow
    #[arg(long, value_name = "READING", help_heading = "C programs")]
    pub overflow: Option<OverflowName>,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub told: ToldArgs,
}

/// `puch replay`
#[derive(Args, Debug)]
pub struct ReplayArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// What `puch check --format json` has written
    #[arg(value_name = "TRACE.json", value_hint = ValueHint::FilePath)]
    pub trace: PathBuf,
    /// Whose precedences count where a formula lacks parentheses: as was said to `puch check`
    #[arg(long, value_name = "TOOL", default_value = "auto", help_heading = "Properties")]
    pub ltl_syntax: SyntaxName,
    /// A file that was given to `puch check` with `--automaton`
    #[arg(long, value_name = "FILE.hoa", value_hint = ValueHint::FilePath, help_heading = "Properties")]
    pub automaton: Vec<PathBuf>,
    /// A file that was given to `puch check` with `--never`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Properties")]
    pub never: Vec<PathBuf>,
    /// Walk at most so many steps of leaps over turns of loops
    #[arg(long, value_name = "N", default_value_t = 10_000_000, help_heading = "Search")]
    pub replay_steps: u64,
    #[command(flatten)]
    pub told: ToldArgs,
}
