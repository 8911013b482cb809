//! What was typed. Nothing is interpreted here beyond the syntax of the command line. Here is what several commands have in
//! common; each group of commands has a file of its own.

mod batch;
mod c;
mod check;
mod dataflow;
mod diff;
mod functions;
mod numbers;
mod property;
mod runs;
mod sets;
mod stack;
mod translation;

use std::path::PathBuf;

use clap::{Args, ValueHint};

pub use batch::BatchArgs;
pub use c::{AbstractArgs, AbstractedArgs, CArgs, CReading, NullArgs, PredicateArgs, RefinementArgs, RunArgs};
pub use check::CheckArgs;
pub use dataflow::{FactsArgs, InfluenceArgs};
pub use diff::DiffArgs;
pub use functions::LookArgs;
pub use property::{Given, Listed, PropertyTyped};
pub use runs::{CertifyArgs, ReplayArgs, SimulateArgs};
pub use sets::{PostArgs, PreArgs, SetArgs};
pub use stack::StackArgs;
pub use translation::{BuchiArgs, ConvertArgs};

use self::numbers::seconds;
use super::choices::{AnswerFormatName, AssertsName, DialectName, InputFormat, RemoplaName};

/// The program, and how to read it.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// The program: `.bp` or `.nbp`, a Boolean program; `.c` or `.i`, C; `.rem`, Remopla; `.spds`, a symbolic pushdown system; `.pds`, one as Moped reads it;
    /// `.json`, a pushdown system as PDAAAL reads it; `-`, standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = None)]
    pub file: PathBuf,
    /// What the input is, whatever its name ends in
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<InputFormat>,
    /// Whose reading counts where dialects of Boolean programs read the same text differently
    #[arg(long, value_name = "DIALECT", default_value = "auto", hide_short_help = true)]
    pub dialect: DialectName,
    /// What an assertion that is false does: fail, or block like an assume (Moped's reading)
    #[arg(long, value_name = "READING", default_value = "check", hide_short_help = true)]
    pub asserts: AssertsName,
    /// The procedure in which a program starts [default: main, or what Remopla's `init` says]; for PDAAAL's files
    /// `STATE:SYMBOL`, below which there may be more symbols after blanks
    #[arg(long, value_name = "PROC")]
    pub entry: Option<String>,
    /// Whose reading counts where tools read Remopla differently
    #[arg(long, value_name = "TOOL", default_value = "auto", hide_short_help = true)]
    pub remopla: RemoplaName,
    /// In Remopla, let overflows, wrong indices and divisions by zero fail like an assertion; else they block
    #[arg(long, conflicts_with = "wrap", hide_short_help = true)]
    pub check_arithmetic: bool,
    /// In Remopla, store integers that are too large or negative modulo 2^bits; else they block
    #[arg(long, hide_short_help = true)]
    pub wrap: bool,
    /// Define a constant of a Remopla or `.pds` text, whatever the text says; or a macro for the preprocessor of C
    #[arg(short = 'D', long, value_name = "NAME=NUMBER")]
    pub define: Vec<String>,
}

/// How long, and how much.
#[derive(Args, Debug)]
#[command(next_help_heading = "Search")]
pub struct LimitArgs {
    /// Stop after so many seconds, reading included, and answer `unknown`
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Stop before using more than so many MiB of memory [default: 80 % of what the machine grants]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub memory: Option<u64>,
}

/// `-q`, `-v`
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct Loudness {
    /// No progress and no notes; warnings stay
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Tell what is being done; show all values at every step
    #[arg(short, long)]
    pub verbose: bool,
}

/// How an answer is told.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct ToldArgs {
    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: AnswerFormatName,
    /// Tell how long it took
    #[arg(long)]
    pub stats: bool,
    #[command(flatten)]
    pub loudness: Loudness,
}
