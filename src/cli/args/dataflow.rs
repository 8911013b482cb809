//! What was typed of commands that tell what is known, and what matters, at each statement.

use clap::Args;

use super::{AbstractedArgs, InputArgs, LimitArgs, Loudness, ToldArgs};
use crate::cli::choices::{EngineName, FlowFormatName, PreserveName, SyntaxName};

/// `puch facts`
#[derive(Args, Debug)]
pub struct FactsArgs {
    #[command(flatten)]
    pub input: InputArgs,

    /// Tell it of this statement only: `proc:LABEL`, `LABEL`, `*:LABEL` in any procedure, `:LINE`; in a pushdown system
    /// also `control:symbol`
    #[arg(long, value_name = "PLACE", help_heading = "Question")]
    pub at: Vec<String>,
    /// List the statements that no run comes to
    #[arg(long, conflicts_with = "at", help_heading = "Question")]
    pub dead_code: bool,
    /// Tell only of variables that matter at a statement: those whose value there can flow into a condition
    #[arg(long, conflicts_with = "dead_code", help_heading = "Question")]
    pub only_influential: bool,
    /// Consider only runs that start where this condition holds, in the program's own syntax
    #[arg(long, value_name = "EXPR", help_heading = "Question")]
    pub assume: Option<String>,

    #[command(flatten)]
    pub c: AbstractedArgs,

    #[command(flatten)]
    pub limits: LimitArgs,
    /// The BDD engine
    #[arg(long, value_name = "LIBRARY", default_value = "auto", help_heading = "Search")]
    pub bdd: EngineName,

    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: FlowFormatName,
    /// Leave out a formula with more terms than this in a sum
    #[arg(long, value_name = "N", default_value_t = 1_000, conflicts_with = "dead_code", help_heading = "Output")]
    pub terms: usize,
    /// Tell sizes and times on standard error
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    #[command(flatten)]
    pub loudness: Loudness,
}

/// `puch influence`
#[derive(Args, Debug)]
pub struct InfluenceArgs {
    #[command(flatten)]
    pub input: InputArgs,

    /// What must not change when the others are forgotten [default: reach, or ltl with `--ltl`]
    #[arg(long, value_name = "WHAT", help_heading = "Question")]
    pub preserve: Option<PreserveName>,
    /// Only conditions on a way to this statement count: `proc:LABEL`, `LABEL`, `*:LABEL`, `:LINE`
    #[arg(long, value_name = "PLACE", help_heading = "Question")]
    pub reach: Vec<String>,
    /// Preserve whether runs satisfy this formula: its variables matter wherever it is looked at
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = "Question")]
    pub ltl: Vec<String>,
    /// Whose precedences count where a formula lacks parentheses: Spot's, if Spin and NuSMV agree, or those of one tool
    #[arg(long, value_name = "TOOL", default_value = "auto", help_heading = "Question")]
    pub ltl_syntax: SyntaxName,
    /// Tell it of this statement only: `proc:LABEL`, `LABEL`, `*:LABEL` in any procedure, `:LINE`; in a pushdown system
    /// also `control:symbol`
    #[arg(long, value_name = "PLACE", help_heading = "Question")]
    pub at: Vec<String>,
    /// Tell why a variable matters at a statement: the chain of statements along which its value comes to a condition
    #[arg(long, value_name = "VAR@PLACE", help_heading = "Question")]
    pub explain: Option<String>,
    /// List the assignments that influence nothing
    #[arg(long, conflicts_with = "explain", help_heading = "Question")]
    pub dead_assignments: bool,

    #[command(flatten)]
    pub c: AbstractedArgs,

    #[command(flatten)]
    pub limits: LimitArgs,

    #[command(flatten)]
    pub told: ToldArgs,
}
