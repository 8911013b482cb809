//! What is asked of functions by themselves.

use std::path::PathBuf;

use clap::{ArgGroup, Args, ValueHint};

/// Which functions are looked at, and how.
#[derive(Args, Clone, Debug)]
#[command(
    next_help_heading = "Functions by themselves",
    group = ArgGroup::new("which functions").multiple(true),
    mut_group("how functions", |group| group.requires("which functions"))
)]
pub struct FunctionArgs {
    /// Look at each function of C files by itself, whoever calls it: whether something can go wrong that it does, as `--check` has it, and
    /// what callers have to establish so that nothing does; with `--termination` whether it ends
    #[arg(long, group = "which functions", hide_short_help = true)]
    pub functions: bool,
    /// Look at these functions only, as `--functions` does
    #[arg(long, value_name = "NAMES", value_delimiter = ',', group = "which functions", hide_short_help = true)]
    pub function: Vec<String>,
    /// Look at those functions that other files can call, as `--functions` does
    #[arg(long, group = "which functions", hide_short_help = true)]
    pub public: bool,
    /// Write into this file what callers have to establish, in the syntax of `--contracts`, behind what that file says
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "which functions", hide_short_help = true)]
    pub infer: Option<PathBuf>,
    #[command(flatten)]
    pub look: LookArgs,
}

impl FunctionArgs {
    /// Whether functions by themselves are meant.
    pub fn are_meant(&self) -> bool {
        self.functions || self.public || !self.function.is_empty()
    }
}

/// How functions are looked at.
#[derive(Args, Clone, Debug)]
#[group(id = "how functions")]
#[command(next_help_heading = "Functions by themselves")]
pub struct LookArgs {
    /// When it is looked for runs in which a function fails: so many objects, one behind the other, behind each pointer that it is given
    /// [default: 2]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub deep: Option<usize>,
    /// Read contracts of functions from this file: lines `function: requires EXPR, EXPR` (what callers establish) and `function: ensures EXPR` (over
    /// `pre(x)` and `result`, too; proved if the function has a body), in the syntax of predicate files
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub contracts: Option<PathBuf>,
    /// Seconds for each function [default: 10]
    #[arg(long, value_name = "SECONDS", hide_short_help = true)]
    pub function_timeout: Option<u64>,
    /// Keep in this folder what is known of functions, and look there first: what it depends on has to be the same; several processes may
    /// share it
    #[arg(long, value_name = "DIRECTORY", value_hint = ValueHint::DirPath, hide_short_help = true)]
    pub cache: Option<PathBuf>,
    /// Keep there also what the limit for each function kept from being known, as long as that limit is the same: nobody waits for it twice, and
    /// nobody learns what another try might tell
    #[arg(long, requires = "cache", hide_short_help = true)]
    pub cache_stopped: bool,
}
