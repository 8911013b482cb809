//! What was typed of C programs.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use puch::c::Reading;

use super::{LimitArgs, Loudness};
use crate::cli::choices::{
    AbstractionName, AnswerFormatName, DataModelName, EdgesName, InputFormat, MallocName, NullFormatName, OverflowName,
    SmtName,
};

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
    /// Ask another solver whatever is decided about integers; that it disagrees is an error. It also gives predicates where none are
    /// given and rounds go on and on: what it finds in five seconds, so that rounds may differ from one call to the next
    #[arg(long, value_name = "SOLVER", hide_short_help = true)]
    pub smt: Option<SmtName>,
}

/// How procedures without a body are to be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndefinedWish {
    /// How.
    pub reading: Reading,
    /// Which; none for all.
    pub names: Vec<String>,
}

/// `input`, `unknown=f,g`
fn undefined(text: &str) -> Result<UndefinedWish, String> {
    let (word, names) = text.split_once('=').map_or((text, None), |(word, names)| (word, Some(names)));
    let reading = match word {
        "input" | "arbitrary" => Reading::Input,
        "unknown" => Reading::Unknown,
        "refuse" => Reading::Refuse,
        _ => return Err("possible values: input, unknown, refuse, each perhaps with `=` and names".to_owned()),
    };
    let names: Vec<String> =
        names.into_iter().flat_map(|names| names.split(',')).map(|name| name.trim().to_owned()).collect();
    if names.iter().any(String::is_empty) {
        return Err("a name is missing after `=`".to_owned());
    }
    Ok(UndefinedWish { reading, names })
}

/// How C files are read.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "C programs")]
pub struct CReading {
    /// How wide integers and pointers of C programs are
    #[arg(long, value_name = "MODEL", default_value = "lp64", ignore_case = true, hide_short_help = true)]
    pub data_model: DataModelName,
    /// What procedures without a body are, all or those of these names: `input` (or `arbitrary`): what they do is up to the environment,
    /// and all of it is real; `unknown`: no violation may depend on it; `refuse`: errors. May be given several times
    /// [default: inputs; functions of the C library that have no model are unknown]
    #[arg(long, value_name = "READING[=NAMES]", value_parser = undefined, hide_short_help = true)]
    pub undefined: Vec<UndefinedWish>,
    /// Whether `malloc` and its like can fail
    /// [default: may-fail; succeeds for `puch run`, and with `--property`]
    #[arg(long, value_name = "WHETHER", hide_short_help = true)]
    pub malloc: Option<MallocName>,
    /// Attributes and pragmas that are ignored though they may change what the program does; results say so
    #[arg(long, value_name = "NAMES", value_delimiter = ',', hide_short_help = true)]
    pub ignore_attributes: Vec<String>,
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
            ("--undefined", !reading.undefined.is_empty()),
            ("--malloc", reading.malloc.is_some()),
            ("--ignore-attributes", !reading.ignore_attributes.is_empty()),
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

/// How the predicates of a C program are found.
#[derive(Args, Debug)]
#[command(next_help_heading = "C programs")]
pub struct RefinementArgs {
    /// Refine the abstraction of a C program no more often than that
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub rounds: Option<usize>,
    /// What is one step where a C program is abstracted and refined; formulas with X take statements [default: path for assertions, places
    /// and formulas, statement for termination, and where a certificate, a witness or a page is wanted]
    #[arg(long, value_name = "WHAT", hide_short_help = true)]
    pub edges: Option<EdgesName>,
    /// Write the Boolean program, the trace and the predicates of each round into this directory
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, hide_short_help = true)]
    pub keep: Option<PathBuf>,
    /// If the C program fails, write what makes it fail once both are compiled: `cc prog.c harness.c`; where locals that nobody assigns
    /// need values, `harness.prog.c` has them, to be compiled in place of `prog.c`. With `--functions` the first failure that is told: that file
    /// includes the one of the function, and is compiled alone
    #[arg(long, value_name = "FILE.c", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub harness: Option<PathBuf>,
    /// Write a witness of the answer for other tools, in the format 2.0 of competitions
    #[arg(long, value_name = "FILE.yml", value_hint = ValueHint::FilePath, hide_short_help = true)]
    pub witness: Option<PathBuf>,
}

/// A C program: its files, and how they are read.
#[derive(Args, Debug)]
pub struct CArgs {
    /// The files of the program: `.c`, or `.i` as preprocessors write them; several are one program; `-`, standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required = true, help_heading = None)]
    pub files: Vec<PathBuf>,
    /// What the input is, whatever its name ends in: `c` for standard input and other names
    #[arg(long, value_name = "FORMAT", help_heading = "Input")]
    pub input_format: Option<InputFormat>,
    #[command(flatten)]
    pub reading: CReading,
    /// The procedure in which the program starts [default: main]
    #[arg(long, value_name = "PROC", help_heading = "Input")]
    pub entry: Option<String>,
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
    /// What the program reads from standard input; without it nothing is known of that
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Run")]
    pub stdin: Option<PathBuf>,
    /// What happens where signed arithmetic leaves its type
    #[arg(long, value_name = "READING", default_value = "wrap", help_heading = "Run")]
    pub overflow: OverflowName,
    /// Give up after so many steps
    #[arg(long, value_name = "N", default_value_t = 1_000_000, help_heading = "Run")]
    pub steps: u64,
    #[command(flatten)]
    pub limits: LimitArgs,

    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: AnswerFormatName,
    /// Show all statements of a long run, not only its beginning and its end
    #[arg(long, help_heading = "Output")]
    pub full: bool,
    #[command(flatten)]
    pub loudness: Loudness,
    /// What `main` gets, after the name of the program; any number of any strings if there is no `--`
    #[arg(last = true, value_name = "ARGUMENTS", num_args = 0.., allow_hyphen_values = true)]
    pub arguments: Option<Vec<std::ffi::OsString>>,
}

/// `puch abstract`
#[derive(Args, Debug)]
pub struct AbstractArgs {
    #[command(flatten)]
    pub input: CArgs,
    #[command(flatten)]
    pub predicates: PredicateArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// The form of the answer: the text itself, or an object with it and what was told
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: AnswerFormatName,
    /// Tell on standard error what it took
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    #[command(flatten)]
    pub loudness: Loudness,
}

/// `puch null`
#[derive(Args, Debug)]
pub struct NullArgs {
    #[command(flatten)]
    pub input: CArgs,
    /// Ask another solver whatever is decided about integers; that it disagrees is an error
    #[arg(long, value_name = "SOLVER", help_heading = "Input")]
    pub smt: Option<SmtName>,
    /// Rounds of refinement for what the first abstraction leaves open
    #[arg(long, value_name = "N", default_value_t = puch::nullness::ROUNDS, help_heading = "Search")]
    pub rounds: usize,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Write the Boolean program that is asked, and answer nothing
    #[arg(long, help_heading = "Output")]
    pub emit_bp: bool,
    /// The form of the answer
    #[arg(long, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    pub format: NullFormatName,
    /// Tell on standard error what it took
    #[arg(long, help_heading = "Output")]
    pub stats: bool,
    #[command(flatten)]
    pub loudness: Loudness,
}
