//! What was typed. Nothing is interpreted here beyond the syntax of the command line.

use std::path::PathBuf;

use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueHint};

use super::choices::{
    AbstractionName, AssertsName, CallsName, DataModelName, DialectName, EngineName, FactsFormatName, FormatName,
    InputFormat, LiveName, LoopsName, MallocName, NotationName, NullFormatName, OnOff, OrderName, OverflowName,
    PreserveName, RemoplaName, RunFormatName, RunsName, SccName, SearchName, SetFormatName, SyntaxName, TraceName,
    UndefinedName,
};

/// A model checker for programs with recursion: Boolean programs, Remopla, symbolic pushdown systems.
#[derive(Parser, Debug)]
#[command(
    name = "puch",
    version,
    max_term_width = 110,
    after_help = "Exit codes: 0 all hold or unreachable; 1 something violated or reachable; 2 the input or the call is \
                  wrong; 3 something unknown and nothing violated."
)]
struct Puch {
    #[command(subcommand)]
    command: Typed,
}

#[derive(Subcommand, Debug)]
enum Typed {
    /// Check properties of a program
    ///
    /// Answers come in the order of the properties on the command line, each with a trace if something was found.
    /// Without a property, the assertions are checked.
    Check(Box<CheckArgs>),
    /// Tell with which values each statement is reached, and which statements never are
    ///
    /// Values are told by a formula over the variables in scope: what is constant, what is equal, and what else there is
    /// to say. It holds of exactly the values with which some run comes to the statement.
    Facts(FactsArgs),
    /// Tell which variables matter at each statement, and why
    ///
    /// A variable matters at a place if its value there can flow into a condition, through assignments, arguments and what
    /// calls return to this very caller. All others may have any value there, and no answer changes.
    Influence(Box<InfluenceArgs>),
    /// Tell all configurations that can be reached: control, values, and the whole stack
    ///
    /// The set is exact, and usually infinite: it is told as an automaton that reads stacks from the top. Questions about it
    /// are answered in its place. Exit codes: 0 everything is known and every answer is yes; 1 some answer is no; 3 something
    /// is unknown, because a limit was met.
    Post(PostArgs),
    /// Tell all configurations from which a set of configurations can be reached
    ///
    /// The set is exact, and usually infinite: it is told as an automaton that reads stacks from the top. Questions about it
    /// are answered in its place. Exit codes: 0 everything is known and every answer is yes; 1 some answer is no; 3 something
    /// is unknown, because a limit was met.
    Pre(PreArgs),
    /// Write the same system in another notation
    Convert(ConvertArgs),
    /// Write the Büchi automaton of a formula in the Hanoi Omega-Automata format
    ///
    /// Marks are on edges, one kind of them, unless `--ba` or `--tgba` says otherwise.
    Buchi(BuchiArgs),
    /// Walk a recorded trace through the program, without the search, and say whether it is real
    Replay(ReplayArgs),
    /// Execute a C program with given or drawn inputs, and show the run
    ///
    /// Values are those of the machine: widths, signs, conversions as C11 has them, objects as bytes. Exit codes: 0 the run
    /// ends, or an assumption blocks it; 1 an assertion fails, or something undefined was to be reported; 3 it cannot be told
    /// how the run goes on.
    Run(RunArgs),
    /// Write the Boolean program that a C program is over given predicates
    ///
    /// It has every run of the C program, and more: what cannot happen in it cannot happen in C. Each predicate is a variable,
    /// called by its text in braces; statements of C are comments.
    Abstract(AbstractArgs),
    /// Say of each place of a C program where a pointer is followed whether it can be NULL there
    ///
    /// Exit codes: 0 none can be, 1 some can: a run shows it, 3 of some it is not known.
    Null(NullArgs),
    /// Write a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual page of puch, or of one of its commands
    Man {
        /// The command
        command: Option<String>,
    },
}

/// What was typed, with what clap's types do not hold.
pub enum Command {
    /// `puch check`; `order` says in which order its properties were given.
    Check {
        /// The options.
        args: Box<CheckArgs>,
        /// The properties.
        order: Vec<PropertyTyped>,
    },
    /// `puch facts`
    Facts(FactsArgs),
    /// `puch influence`
    Influence(Box<InfluenceArgs>),
    /// `puch post`
    Post(PostArgs),
    /// `puch pre`
    Pre(PreArgs),
    /// `puch convert`
    Convert(ConvertArgs),
    /// `puch buchi`
    Buchi(BuchiArgs),
    /// `puch replay`
    Replay(ReplayArgs),
    /// `puch run`
    Run(RunArgs),
    /// `puch abstract`
    Abstract(AbstractArgs),
    /// `puch null`
    Null(NullArgs),
    /// `puch completions`
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// `puch man`
    Man {
        /// The command.
        command: Option<String>,
    },
}

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
}

/// A property of runs as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// A formula.
    Formula(String),
    /// A file with an automaton of the violations in the Hanoi format.
    Automaton(PathBuf),
    /// A file with a never claim.
    Never(PathBuf),
}

impl Given {
    /// The property's name in reports: the formula, or the name of the file.
    pub fn name(&self) -> String {
        match self {
            Given::Formula(text) => text.clone(),
            Given::Automaton(file) | Given::Never(file) => file.display().to_string(),
        }
    }
}

/// The program, and how to read it.
#[derive(Args, Debug)]
#[command(next_help_heading = "Input")]
pub struct InputArgs {
    /// The program: `.bp` or `.nbp`, a Boolean program; `.rem`, Remopla; `.spds`, a symbolic pushdown system; `.pds`, one as Moped reads it;
    /// `.json`, a pushdown system as PDAAAL reads it; `-`, standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = None)]
    pub file: PathBuf,
    /// What the input is, whatever its name ends in
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<InputFormat>,
    /// Whose reading counts where dialects of Boolean programs read the same text differently
    #[arg(long, value_name = "DIALECT", default_value = "auto")]
    pub dialect: DialectName,
    /// What an assertion that is false does: fail, or block like an assume (Moped's reading)
    #[arg(long, value_name = "READING", default_value = "check")]
    pub asserts: AssertsName,
    /// The procedure in which a program starts [default: main, or what Remopla's `init` says]; for PDAAAL's files
    /// `STATE:SYMBOL`, below which there may be more symbols after blanks
    #[arg(long, value_name = "PROC")]
    pub entry: Option<String>,
    /// Whose reading counts where tools read Remopla differently
    #[arg(long, value_name = "TOOL", default_value = "auto")]
    pub remopla: RemoplaName,
    /// In Remopla, let overflows, wrong indices and divisions by zero fail like an assertion; else they block
    #[arg(long, conflicts_with = "wrap")]
    pub check_arithmetic: bool,
    /// In Remopla, store integers that are too large or negative modulo 2^bits; else they block
    #[arg(long)]
    pub wrap: bool,
    /// Define a constant of a Remopla or `.pds` text, whatever the text says
    #[arg(short = 'D', long, value_name = "NAME=NUMBER", value_parser = constant)]
    pub define: Vec<(String, u64)>,
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

/// `puch check`
#[derive(Args, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub input: InputArgs,

    /// Ask whether a statement can be reached: `proc:LABEL`, `LABEL`, `*:LABEL` in any procedure, `:LINE`; in a
    /// pushdown system also `control:symbol`; or whether a set of configurations can, such as `<@at(g)[x] .* @at(f) .*>`
    #[arg(long, value_name = "PLACE", help_heading = "Properties")]
    pub reach: Vec<String>,
    /// Ask whether no assertion can fail
    #[arg(long, help_heading = "Properties")]
    pub assertions: bool,
    /// Ask whether every run satisfies a formula of linear temporal logic, for instance `G (lock -> F unlock)`
    ///
    /// Propositions: a label `L`, `proc:L` or `*:L`; a global; `{expr}` over globals and `proc.x`; `@at(proc)`,
    /// `@entry(proc)`, `@call(proc)`, `@return(proc)`, `@fail`, `@end`, `@stuck`.
    #[arg(long, value_name = "FORMULA", allow_hyphen_values = true, help_heading = "Properties")]
    pub ltl: Vec<String>,
    /// Ask whether there is no infinite run
    #[arg(long, help_heading = "Properties")]
    pub termination: bool,
    /// Ask whether no run is accepted by this Büchi automaton in the Hanoi Omega-Automata format
    #[arg(long, value_name = "FILE.hoa", value_hint = ValueHint::FilePath, help_heading = "Properties")]
    pub automaton: Vec<PathBuf>,
    /// Ask whether no run is accepted by this never claim of Spin
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Properties")]
    pub never: Vec<PathBuf>,
    /// Which runs count for formulas and automata
    #[arg(long, value_name = "READING", default_value = "maximal", help_heading = "Properties")]
    pub runs: RunsName,
    /// Whose precedences count where a formula lacks parentheses: Spot's, if Spin and NuSMV agree, or those of one tool
    #[arg(long, value_name = "TOOL", default_value = "auto", help_heading = "Properties")]
    pub ltl_syntax: SyntaxName,
    /// Consider only runs that start where this condition holds, in the program's own syntax
    #[arg(long, value_name = "EXPR", help_heading = "Properties")]
    pub assume: Option<String>,

    #[command(flatten)]
    pub c: PredicateArgs,

    #[command(flatten)]
    pub limits: LimitArgs,
    /// The BDD library: biodivine-lib-bdd, OxiDD, or whichever suits the work
    #[arg(long, value_name = "LIBRARY", default_value = "auto", help_heading = "Search")]
    pub bdd: EngineName,
    /// The order of the variables in BDDs: arranged so that those that meet lie together (FORCE), as declared, arranged
    /// with the bits of each integer by themselves, or arranged with globals above locals
    #[arg(long, value_name = "ORDER", default_value = "force", help_heading = "Search")]
    pub order: OrderName,
    /// How cycles are looked for: as what can go on for ever, by the transitive closure, by relations that are squared,
    /// by searching both ways in lockstep, or whichever was measured best
    #[arg(long, value_name = "METHOD", default_value = "auto", help_heading = "Search")]
    pub scc: SccName,
    /// Search forwards from the start (post*) or backwards from what is asked for (pre*); never changes an answer. Formulas
    /// under `--runs stutter` are always searched forwards
    #[arg(long, value_name = "WAY", default_value = "auto", help_heading = "Search")]
    pub engine: SearchName,
    /// With `--scc lockstep`, do not leave out steps that change what changes in one direction only
    #[arg(long, help_heading = "Search")]
    pub no_one_way: bool,
    /// How loops without calls are gone round: step by step, by squaring relations, or by squaring where it pays
    #[arg(long, value_name = "HOW", default_value = "auto", help_heading = "Search")]
    pub loops: LoopsName,
    /// Keep sets only where control can come round or together
    #[arg(long, value_name = "SWITCH", default_value = "on", help_heading = "Search")]
    pub blocks: OnOff,
    /// Let summaries mention all globals, not only those that the procedure reads or writes
    #[arg(long, help_heading = "Search")]
    pub no_modref: bool,
    /// Which values are forgotten, and where
    #[arg(long, value_name = "WHICH", default_value = "auto", help_heading = "Search")]
    pub live: LiveName,
    /// Search also where control cannot come to any place asked for
    #[arg(long, help_heading = "Search")]
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
    /// Leave out a trace with more items than this
    #[arg(long, value_name = "N", default_value_t = 1_000_000, help_heading = "Output")]
    pub trace_steps: u64,
    /// Replay at most so many steps of leaps over turns of loops
    #[arg(long, value_name = "N", default_value_t = 10_000_000, help_heading = "Output")]
    pub replay_steps: u64,
    /// Tell sizes and times on standard error
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
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
    pub limits: LimitArgs,
    /// The BDD library: biodivine-lib-bdd, OxiDD, or whichever suits the work
    #[arg(long, value_name = "LIBRARY", default_value = "auto", help_heading = "Search")]
    pub bdd: EngineName,

    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: FactsFormatName,
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

/// A C program: its files, and how they are read.
#[derive(Args, Debug)]
pub struct CArgs {
    /// The files of the program: `.c`, or `.i` as preprocessors write them; several are one program
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required = true, help_heading = None)]
    pub files: Vec<PathBuf>,
    /// How wide integers and pointers are
    #[arg(long, value_name = "MODEL", default_value = "lp64", help_heading = "Input")]
    pub data_model: DataModelName,
    /// What calls of procedures without a body are
    #[arg(long, value_name = "READING", default_value = "arbitrary", help_heading = "Input")]
    pub undefined: UndefinedName,
    /// The procedure in which the program starts [default: main]
    #[arg(long, value_name = "PROC", help_heading = "Input")]
    pub entry: Option<String>,
    /// The preprocessor, for files with directives [default: cc -E]
    #[arg(long, value_name = "COMMAND", help_heading = "Input")]
    pub cpp: Option<String>,
    /// Run no preprocessor
    #[arg(long, help_heading = "Input")]
    pub no_cpp: bool,
    /// A directory in which the preprocessor looks for headers
    #[arg(short = 'I', long, value_name = "DIRECTORY", value_hint = ValueHint::DirPath, help_heading = "Input")]
    pub include: Vec<PathBuf>,
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

/// How a C program is abstracted.
#[derive(Args, Debug)]
#[command(next_help_heading = "C programs")]
pub struct PredicateArgs {
    /// Abstract a C program by the predicates of a file, with lines `procedure: expression, expression` and `*: expression`; or by
    /// its own conditions: `guards`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub predicates: Option<PathBuf>,
    /// How updates of predicates are computed
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub abstraction: AbstractionName,
    /// The greatest number of predicates in what implies another
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub cubes: usize,
    /// What happens in a C program where signed arithmetic leaves its type
    #[arg(long, value_name = "READING", default_value = "wrap")]
    pub overflow: OverflowName,
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
    /// Write the Boolean program that is asked, and answer nothing
    #[arg(long, help_heading = "Output")]
    pub emit_bp: bool,
    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: NullFormatName,
    #[command(flatten)]
    pub loudness: Loudness,
}

/// What was typed.
///
/// # Errors
/// What is wrong with the command line; or, in the same form, the help or the version that was asked for.
pub fn typed() -> Result<Command, clap::Error> {
    let matches = command().try_get_matches()?;
    let typed = Puch::from_arg_matches(&matches).map_err(|error| error.format(&mut command()))?;
    Ok(match typed.command {
        Typed::Check(args) => {
            let order = matches.subcommand_matches("check").map_or_else(Vec::new, properties);
            Command::Check { args, order }
        }
        Typed::Facts(args) => Command::Facts(args),
        Typed::Influence(args) => Command::Influence(args),
        Typed::Post(args) => Command::Post(args),
        Typed::Pre(args) => Command::Pre(args),
        Typed::Convert(args) => Command::Convert(args),
        Typed::Buchi(args) => Command::Buchi(args),
        Typed::Replay(args) => Command::Replay(args),
        Typed::Run(args) => Command::Run(args),
        Typed::Abstract(args) => Command::Abstract(args),
        Typed::Null(args) => Command::Null(args),
        Typed::Completions { shell } => Command::Completions { shell },
        Typed::Man { command } => Command::Man { command },
    })
}

/// The command line as clap knows it.
pub fn command() -> clap::Command {
    Puch::command()
}

/// The properties in the order in which they were typed, across different options.
fn properties(matches: &ArgMatches) -> Vec<PropertyTyped> {
    fn valued<T: Clone + Send + Sync + 'static>(
        matches: &ArgMatches,
        option: &str,
        property: impl Fn(T) -> PropertyTyped,
    ) -> Vec<(usize, PropertyTyped)> {
        let indices = matches.indices_of(option).into_iter().flatten();
        let values = matches.get_many::<T>(option).into_iter().flatten();
        indices.zip(values.cloned().map(property)).collect()
    }
    let mut ordered = valued(matches, "reach", PropertyTyped::Reach);
    ordered.extend(valued(matches, "ltl", |given| PropertyTyped::Temporal(Given::Formula(given))));
    ordered.extend(valued(matches, "automaton", |given| PropertyTyped::Temporal(Given::Automaton(given))));
    ordered.extend(valued(matches, "never", |given| PropertyTyped::Temporal(Given::Never(given))));
    for (flag, property) in [("assertions", PropertyTyped::Assertions), ("termination", PropertyTyped::Termination)] {
        // A flag has an index even where it was not typed: its default.
        if matches.get_flag(flag)
            && let Some(index) = matches.index_of(flag)
        {
            ordered.push((index, property));
        }
    }
    ordered.sort_by_key(|(index, _)| *index);
    ordered.into_iter().map(|(_, property)| property).collect()
}

/// `NAME=NUMBER`
fn constant(text: &str) -> Result<(String, u64), String> {
    let pair = text.split_once('=').and_then(|(name, value)| Some((name.trim(), value.trim().parse().ok()?)));
    match pair {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value)),
        _ => Err("a name, `=` and a number are needed".into()),
    }
}

/// A positive number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e9 => Ok(seconds),
        _ => Err("a positive number of seconds is needed".into()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn clap_finds_no_fault_with_the_command_line() {
        super::command().debug_assert();
    }
}
