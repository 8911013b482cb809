//! What was typed of commands about sets of configurations.

use std::path::PathBuf;

use clap::Args;

use super::{InputArgs, LimitArgs, Loudness};
use crate::cli::choices::{EngineName, SetFormatName};

/// `puch post`
#[derive(Args, Debug)]
pub struct PostArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Begin with these configurations, for instance `<main:L[x & !y] (f | g)* .*>`, or with the automaton of a file in
    /// JSON, puch's or PDAAAL's, `@FILE` [default: the configurations in which runs start]
    #[arg(long, value_name = "CONFIGS", help_heading = "Question")]
    pub from: Option<String>,
    /// Write into this file a certificate for each set of `--meets` of which nothing is reached, which `puch certify` checks
    #[arg(long, value_name = "FILE", requires = "from", requires = "meets", help_heading = "Output")]
    pub certificate: Option<PathBuf>,
    #[command(flatten)]
    pub set: SetArgs,
}

/// `puch pre`
#[derive(Args, Debug)]
pub struct PreArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// The configurations to be reached, for instance `<@fail .*>`, or the automaton of a file in JSON, puch's
    /// or PDAAAL's, `@FILE`
    #[arg(long, value_name = "CONFIGS", help_heading = "Question")]
    pub to: String,
    /// Count and list only configurations that runs come to
    #[arg(long, help_heading = "Question")]
    pub reachable: bool,
    #[command(flatten)]
    pub set: SetArgs,
}

/// What `puch post` and `puch pre` have in common.
#[derive(Args, Debug)]
pub struct SetArgs {
    /// Ask whether some of these configurations are in the set; exit code 1 if none is
    #[arg(long, value_name = "CONFIGS", help_heading = "Question")]
    pub meets: Vec<String>,
    /// Ask whether all of these configurations are in the set, for instance a single one; exit code 1 if some are not
    #[arg(long, value_name = "CONFIGS", help_heading = "Question")]
    pub contains: Vec<String>,
    /// Tell how many configurations there are, for each control location and topmost symbol
    #[arg(long, help_heading = "Question")]
    pub count: bool,
    /// List all configurations with at most so many symbols on the stack
    #[arg(long, value_name = "DEPTH", help_heading = "Question")]
    pub list: Option<usize>,

    #[command(flatten)]
    pub limits: LimitArgs,
    /// The BDD engine
    #[arg(long, value_name = "LIBRARY", default_value = "auto", help_heading = "Search")]
    pub bdd: EngineName,

    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: SetFormatName,
    /// Tell sizes and times on standard error
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    #[command(flatten)]
    pub loudness: Loudness,
}
