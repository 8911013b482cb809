//! What was typed of `puch check`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::functions::FunctionArgs;
use super::numbers::jobs;
use super::{AbstractedArgs, InputArgs, LimitArgs, Loudness, PropertyTyped, RefinementArgs};
use crate::cli::choices::{
    CallsName, CheckedName, EngineName, FormatName, LiveName, LoopsName, OnOff, OrderName, RunsName, SccName,
    SearchName, SyntaxName, TraceName,
};

/// `puch check`
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Ask whether a statement can be reached: `proc:LABEL`, `LABEL`, `*:LABEL` in any procedure, `:LINE`; in C also
    /// `FILE:LINE`, and `proc` for where it begins; in a pushdown system also `control:symbol`; or whether a set of configurations can, such as `<@at(g)[x] .* @at(f) .*>`
    #[arg(long, value_name = "PLACE", help_heading = "Properties")]
    pub reach: Vec<String>,
    /// Ask whether no assertion can fail
    #[arg(long, help_heading = "Properties")]
    pub assertions: bool,
    /// Ask whether no failure of these kinds can be in a C program; `puch null` says the same of each use of a pointer. Of functions by
    /// themselves [default: all but `overflow`, `use-after-free` and `double-free`]
    #[arg(long, value_name = "KINDS", value_delimiter = ',', help_heading = "Properties", hide_short_help = true)]
    pub check: Vec<CheckedName>,
    /// Ask whether every run satisfies a formula of linear temporal logic, for instance `G (lock -> F unlock)`
    ///
    /// Propositions: a label `L`, `proc:L` or `*:L`; a global; `{expr}` over globals and `proc.x`; `@at(proc)`,
    /// `@entry(proc)`, `@call(proc)`, `@return(proc)`, `@fail`, `@end`, `@stuck`. `@FILE` stands for the formulas of a file,
    /// one to a line, as `name := formula` or `formula`; `#` and `//` begin comments there.
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = "Properties")]
    pub ltl: Vec<String>,
    /// Ask whether there is no infinite run
    #[arg(long, help_heading = "Properties")]
    pub termination: bool,
    /// Ask whether no run is accepted by this Büchi automaton in the Hanoi Omega-Automata format
    #[arg(long, value_name = "FILE.hoa", value_hint = ValueHint::FilePath, help_heading = "Properties", hide_short_help = true)]
    pub automaton: Vec<PathBuf>,
    /// Ask whether no run is accepted by this never claim of Spin
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Properties", hide_short_help = true)]
    pub never: Vec<PathBuf>,
    /// Ask what a file of properties says of a C program, as competitions write them: `G ! call(reach_error())`, `G ! overflow`,
    /// `F end`, or another formula
    #[arg(long, value_name = "FILE.prp", value_hint = ValueHint::FilePath, help_heading = "Properties", hide_short_help = true)]
    pub property: Vec<PathBuf>,
    /// Which runs count for formulas and automata
    #[arg(long, value_name = "READING", default_value = "maximal", help_heading = "Properties")]
    pub runs: RunsName,
    /// Whose precedences count where a formula lacks parentheses: Spot's, if Spin and NuSMV agree, or those of one tool
    #[arg(long, value_name = "TOOL", default_value = "auto", help_heading = "Properties", hide_short_help = true)]
    pub ltl_syntax: SyntaxName,
    /// Consider only runs that start where this condition holds, in the program's own syntax
    #[arg(long, value_name = "EXPR", help_heading = "Properties")]
    pub assume: Option<String>,

    /// The properties, in the order in which they were typed.
    #[arg(skip)]
    pub properties: Vec<PropertyTyped>,

    #[command(flatten)]
    pub input: InputArgs,
    /// Further inputs, each by itself; several files of C are one program
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = None)]
    pub further: Vec<PathBuf>,
    /// Check each file of C as a program by itself
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    pub each: bool,
    /// Of several inputs, check so many at a time [default: as many as there are processors]
    #[arg(short, long, value_name = "N", value_parser = jobs, help_heading = "Search", hide_short_help = true)]
    pub jobs: Option<usize>,
    /// Of several inputs, check this one only: for the processes that `puch check` starts
    #[arg(long, hide = true)]
    pub only: Option<usize>,

    #[command(flatten)]
    pub functions: FunctionArgs,
    #[command(flatten)]
    pub c: AbstractedArgs,
    #[command(flatten)]
    pub refinement: RefinementArgs,

    /// Write into this file a certificate that `puch certify` checks for each place that is unreachable, and for assertions,
    /// termination and formulas that hold; of C programs for places, assertions and properties of failures
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output", hide_short_help = true)]
    pub certificate: Option<PathBuf>,
    /// Make such certificates in memory, and have them checked before a verdict is said, however long that takes [default: of all but
    /// formulas, automata and C programs, unless it is much more work than the answer was]
    #[arg(long, help_heading = "Output", hide_short_help = true)]
    pub verify: bool,
    /// Do not verify verdicts
    #[arg(long, conflicts_with = "verify", help_heading = "Output", hide_short_help = true)]
    pub no_verify: bool,

    #[command(flatten)]
    pub limits: LimitArgs,
    /// The BDD engine
    #[arg(long, value_name = "LIBRARY", default_value = "auto", help_heading = "Search", hide_short_help = true)]
    pub bdd: EngineName,
    /// The order of the variables in BDDs: arranged so that those that meet lie together (FORCE), as declared, arranged
    /// with the bits of each integer by themselves, arranged with all arrays cell by cell (by default it is those whose
    /// cells are many and narrow, where that is likely to be better), arranged with globals above locals, or arranged and
    /// then changed until the relations of statements are small
    #[arg(long, value_name = "ORDER", default_value = "force", help_heading = "Search", hide_short_help = true)]
    pub order: OrderName,
    /// How cycles are looked for: as what can go on for ever, by the transitive closure, by relations that are squared,
    /// by searching both ways in lockstep, or whichever was measured best
    #[arg(long, value_name = "METHOD", default_value = "auto", help_heading = "Search", hide_short_help = true)]
    pub scc: SccName,
    /// Search forwards from the start (post*) or backwards from what is asked for (pre*); never changes an answer. Formulas
    /// under `--runs stutter` are always searched forwards
    #[arg(long, value_name = "WAY", default_value = "auto", help_heading = "Search", hide_short_help = true)]
    pub engine: SearchName,
    /// With `--scc lockstep`, do not leave out steps that change what changes in one direction only
    #[arg(long, help_heading = "Search", hide_short_help = true)]
    pub no_one_way: bool,
    /// How loops without calls are gone round: step by step, by squaring relations, or by squaring where it pays
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = "Search", hide_short_help = true)]
    pub loops: LoopsName,
    /// Keep sets only where control can come round or together
    #[arg(long, value_name = "SWITCH", default_value = "on", help_heading = "Search", hide_short_help = true)]
    pub blocks: OnOff,
    /// Let summaries mention all globals, not only those that the procedure reads or writes
    #[arg(long, help_heading = "Search", hide_short_help = true)]
    pub no_modref: bool,
    /// Which values are forgotten, and where
    #[arg(long, value_name = "WHICH", default_value = "auto", help_heading = "Search", hide_short_help = true)]
    pub live: LiveName,
    /// Search also where control cannot come to any place asked for
    #[arg(long, help_heading = "Search", hide_short_help = true)]
    pub no_slice: bool,

    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: FormatName,
    /// Which run to show if something was found: none, any, or one with the fewest steps
    #[arg(long, value_name = "WHICH", default_value = "shortest", help_heading = "Output")]
    pub trace: TraceName,
    /// Show calls that return in full each time, or folded [default: in full up to 10000 configurations]
    #[arg(long, value_name = "FORM", help_heading = "Output")]
    pub trace_calls: Option<CallsName>,
    /// Show traces in lines of at most so many characters, 0 for any number [default: the width of the terminal]
    #[arg(long, value_name = "N", help_heading = "Output", hide_short_help = true)]
    pub columns: Option<usize>,
    /// Leave out a trace with more items than this
    #[arg(long, value_name = "N", default_value_t = 1_000_000, help_heading = "Output", hide_short_help = true)]
    pub trace_steps: u64,
    /// Replay at most so many steps of leaps over turns of loops
    #[arg(long, value_name = "N", default_value_t = 10_000_000, help_heading = "Output", hide_short_help = true)]
    pub replay_steps: u64,
    /// Tell sizes and times on standard error
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    #[command(flatten)]
    pub loudness: Loudness,
}

impl CheckArgs {
    /// All inputs.
    pub fn files(&self) -> Vec<PathBuf> {
        std::iter::once(&self.input.file).chain(&self.further).cloned().collect()
    }
}
