//! What was typed of `puch batch`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::ToldArgs;
use super::numbers::{jobs, seconds, shard};

/// `puch batch`: its answers are a table, or one JSON object a line
#[derive(Args, Debug)]
pub struct BatchArgs {
    /// The tasks: a file in TOML or YAML, a task definition of BenchExec (`.yml`), or a directory, all of whose programs are
    /// checked and all of whose task definitions are followed
    #[arg(value_name = "TASKS", value_hint = ValueHint::AnyPath)]
    pub tasks: PathBuf,
    /// Do every M-th task only, beginning with the K-th: M machines share the work
    #[arg(long, value_name = "K/M", value_parser = shard, help_heading = "Work")]
    pub shard: Option<(usize, usize)>,
    /// Do so many tasks at a time [default: as many as there are processors]
    #[arg(short, long, value_name = "N", value_parser = jobs, help_heading = "Work")]
    pub jobs: Option<usize>,
    /// Add answers to this file as they come, one JSON object a line; tasks that it answers already are not done again
    #[arg(long, value_name = "FILE.jsonl", value_hint = ValueHint::FilePath, help_heading = "Work")]
    pub results: Option<PathBuf>,
    /// What a task may take that says nothing else: so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Work")]
    pub timeout: Option<f64>,
    /// So many MiB of memory [default: 80 % of what the machine grants, shared by the tasks that are done at a time]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=1 << 40), help_heading = "Work")]
    pub memory: Option<u64>,
    /// Further options of `puch check`, for all tasks, such as properties
    #[arg(last = true, value_name = "OPTIONS")]
    pub options: Vec<String>,

    #[command(flatten)]
    pub told: ToldArgs,
}
