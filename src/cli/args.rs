//! What was typed. Nothing is interpreted here beyond the syntax of the command line.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::choices::{
    AbstractionName, AssertsName, BuchiFormatName, CallsName, DataModelName, DialectName, DrawName, EngineName,
    FactsFormatName, FlowFormatName, FormatName, InputFormat, LiveName, LoopsName, NotationName, OnOff, OrderName,
    OverflowName, PreserveName, RemoplaName, RunsName, SccName, SearchName, SetFormatName, SmtName, SyntaxName,
    TraceName, UndefinedName,
};

/// A property as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyTyped {
    /// `--reach`
    Reach(String),
    /// `--assertions`
    Assertions,
    /// `--termination`
    Termination,
    /// `--ltl`, `--automaton`, `--never`
    Temporal(Given),
    /// `--property`
    File(PathBuf),
}

/// A property of runs as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A formula.
    Formula(String),
    /// A formula of a list in a file.
    Listed(Listed),
    /// A file with an automaton of the violations in the Hanoi format.
    Automaton(PathBuf),
    /// A file with a never claim.
    Never(PathBuf),
}

/// A formula of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The file.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// Its name there.
    pub name: Option<String>,
    /// What it says.
    pub formula: String,
}

impl Listed {
    /// Where it stands, as complaints name it.
    pub fn place(&self) -> String {
        format!("{}, line {}", self.file, self.line)
    }
}

impl Given {
    /// The property's name in reports: the formula, or the name of the file.
    pub fn name(&self) -> String {
        match self {
            Given::Formula(text) => text.clone(),
            Given::Listed(listed) => listed.formula.clone(),
            Given::Automaton(file) | Given::Never(file) => file.display().to_string(),
        }
    }
}

/// The program, and how to read it.
#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// The program: `.bp` or `.nbp`, a Boolean program; `.c` or `.i`, C, with `--predicates`; `.rem`, Remopla; `.spds`, a symbolic pushdown system; `.pds`, one as Moped reads it;
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

/// How a C program is abstracted.
#[derive(Args, Debug)]
#[command(next_help_heading = "C programs")]
pub struct PredicateArgs {
    /// Abstract a C program by the predicates of a file, with lines `procedure: expression, expression` and `*: expression`; or by
    /// its own conditions: `guards`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub predicates: Option<PathBuf>,
    /// How updates of predicates are computed
    #[arg(long, value_name = "HOW", default_value = "auto", hide_short_help = true)]
    pub abstraction: AbstractionName,
    /// The greatest number of predicates in what implies another
    #[arg(long, value_name = "N", default_value_t = 3, hide_short_help = true)]
    pub cubes: usize,
    /// What happens in a C program where signed arithmetic leaves its type
    /// [default: wrap; assume with `--property`]
    #[arg(long, value_name = "READING")]
    pub overflow: Option<OverflowName>,
    /// Ask another solver whatever is decided about integers; that it disagrees is an error
    #[arg(long, value_name = "SOLVER", hide_short_help = true)]
    pub smt: Option<SmtName>,
}

/// How C files are read.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "C programs")]
pub struct CReading {
    /// How wide integers and pointers of C programs are
    #[arg(long, value_name = "MODEL", default_value = "lp64", hide_short_help = true)]
    pub data_model: DataModelName,
    /// What calls of procedures without a body are
    #[arg(long, value_name = "READING", default_value = "arbitrary", hide_short_help = true)]
    pub undefined: UndefinedName,
    /// The preprocessor, for C files with directives [default: cc -E]
    #[arg(long, value_name = "COMMAND", hide_short_help = true)]
    pub cpp: Option<String>,
    /// Run no preprocessor
    #[arg(long, hide_short_help = true)]
    pub no_cpp: bool,
    /// A directory in which the preprocessor looks for headers
    #[arg(short = 'I', long, value_name = "DIRECTORY", value_hint = ValueHint::DirPath, hide_short_help = true)]
    pub include: Vec<PathBuf>,
}

/// How C programs are read and abstracted, where other inputs are possible.
#[derive(Args, Debug)]
pub struct AbstractedArgs {
    #[command(flatten)]
    pub reading: CReading,
    #[command(flatten)]
    pub predicates: PredicateArgs,
    /// The files of the program beside the first.
    #[arg(skip)]
    pub further_files: Vec<PathBuf>,
}

impl AbstractedArgs {
    /// One of these options, if one was typed.
    pub fn typed(&self) -> Option<&'static str> {
        let Self { reading, predicates, .. } = self;
        let all = [
            ("--data-model", reading.data_model != DataModelName::Lp64),
            ("--undefined", reading.undefined != UndefinedName::Arbitrary),
            ("--cpp", reading.cpp.is_some()),
            ("--no-cpp", reading.no_cpp),
            ("--include", !reading.include.is_empty()),
            ("--predicates", predicates.predicates.is_some()),
            ("--abstraction", predicates.abstraction != AbstractionName::Auto),
            ("--cubes", predicates.cubes != 3),
            ("--overflow", predicates.overflow.is_some()),
            ("--smt", predicates.smt.is_some()),
        ];
        all.into_iter().find(|(_, typed)| *typed).map(|(option, _)| option)
    }
}

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
    pub c: AbstractedArgs,
    #[command(flatten)]
    pub refinement: RefinementArgs,

    #[command(flatten)]
    pub limits: LimitArgs,
    /// The BDD library: biodivine-lib-bdd, OxiDD, or whichever suits the work
    #[arg(long, value_name = "LIBRARY", default_value = "auto", help_heading = "Search", hide_short_help = true)]
    pub bdd: EngineName,
    /// The order of the variables in BDDs: arranged so that those that meet lie together (FORCE), as declared, arranged
    /// with the bits of each integer by themselves, or arranged with globals above locals
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

/// `puch batch`
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

    /// The form of the answer: a table, or one JSON object a line
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: FactsFormatName,
    /// Tell how long each task took
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    #[command(flatten)]
    pub loudness: Loudness,
}

/// `puch simulate`
#[derive(Args, Debug)]
pub struct SimulateArgs {
    #[command(flatten)]
    pub input: InputArgs,
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

/// `-q`, `-v`
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub struct Loudness {
    /// No warnings and no progress
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Tell what is being done; show all values at every step
    #[arg(short, long)]
    pub verbose: bool,
}

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
    /// The BDD library: biodivine-lib-bdd, OxiDD, or whichever suits the work
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

    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: FactsFormatName,
    /// Tell how long it took on standard error
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    #[command(flatten)]
    pub loudness: Loudness,
}

/// `puch post`
#[derive(Args, Debug)]
pub struct PostArgs {
    #[command(flatten)]
    pub input: InputArgs,
    /// Begin with these configurations, for instance `<main:L[x & !y] (f | g)* .*>`, or with the automaton of a file in
    /// JSON, puch's or PDAAAL's, `@FILE` [default: the configurations in which runs start]
    #[arg(long, value_name = "CONFIGS", help_heading = "Question")]
    pub from: Option<String>,
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
    /// The BDD library: biodivine-lib-bdd, OxiDD, or whichever suits the work
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
    pub loudness: Loudness,
}

/// A positive number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("a positive number of seconds is needed".into()),
    }
}

/// A positive number of processes.
fn jobs(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(jobs @ 1..=4096) => Ok(jobs),
        _ => Err("a number from 1 to 4096 is needed".into()),
    }
}

/// `K/M`, with 1 ≤ K ≤ M.
fn shard(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('/').and_then(|(k, m)| Some((k.parse().ok()?, m.parse().ok()?)));
    match numbers {
        Some((k, m)) if 1 <= k && k <= m => Ok((k, m)),
        _ => Err("`K/M` is needed, the K-th of M parts, for instance 1/4".into()),
    }
}

/// How the predicates of a C program are found.
#[derive(Args, Debug)]
#[command(next_help_heading = "C programs")]
pub struct RefinementArgs {
    /// Refine the abstraction of a C program no more often than that
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub rounds: Option<usize>,
    /// Write the Boolean program, the trace and the predicates of each round into this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, hide_short_help = true)]
    pub keep: Option<PathBuf>,
    /// If the C program fails, write what makes it fail once both are compiled: `cc prog.c harness.c`
    #[arg(long, value_name = "FILE.c", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub harness: Option<PathBuf>,
    /// Write a witness of the answer for other tools, in the format 2.0 of competitions
    #[arg(long, value_name = "FILE.yml", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub witness: Option<PathBuf>,
}
