//! What was typed of commands that write programs and automata in other notations.

use clap::Args;

use super::{InputArgs, LimitArgs, Loudness};
use crate::cli::choices::{AnswerFormatName, BuchiFormatName, DrawName, NotationName, SyntaxName};

/// `puch convert`
#[derive(Args, Debug)]
pub struct ConvertArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// The notation
    #[arg(long, value_name = "NOTATION", help_heading = "Output")]
    pub to: NotationName,
    /// What `dot` and `svg` draw
    #[arg(long, value_name = "WHAT", default_value = "flow", help_heading = "Output")]
    pub draw: DrawName,
    /// The form of the answer: the text itself, or an object with it and what was told
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: AnswerFormatName,
    #[command(flatten)]
    pub loudness: Loudness,
}

/// `puch buchi`
#[derive(Args, Debug)]
pub struct BuchiArgs {
    /// The formula
    #[arg(value_name = "FORMULA", help_heading = None, allow_hyphen_values = true)]
    pub formula: String,
    /// Take the negation of the formula
    #[arg(long, help_heading = "Input")]
    pub negate: bool,
    /// Whose precedences count where the formula lacks parentheses: Spot's, if Spin and NuSMV agree, or those of one tool
    #[arg(long, value_name = "TOOL", default_value = "auto", help_heading = "Input")]
    pub ltl_syntax: SyntaxName,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// The form of the automaton
    #[arg(long, value_name = "FORMAT", default_value = "hoa", help_heading = "Output")]
    pub format: BuchiFormatName,
    /// Put marks on states, as older tools need it
    #[arg(long, conflicts_with = "tgba", help_heading = "Output")]
    pub ba: bool,
    /// Allow several marks, all of which a run must meet infinitely often
    #[arg(long, help_heading = "Output")]
    pub tgba: bool,
    #[command(flatten)]
    pub loudness: Loudness,
}
