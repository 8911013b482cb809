//! The command line: what was typed, what is meant by it, and what becomes of it: files read, answers written, exit
//! codes.
//!
//! Exit codes are part of the interface: 0 all hold or unreachable, 1 something violated or reachable, 2 the input or
//! the call is wrong, 3 something unknown and nothing violated.

mod choices;

mod args;

mod input;

mod temporal;

mod guard;

mod memory;

mod named;

mod check;

mod facts;

mod influence;

mod sets;

mod convert;

mod buchi;

mod replay;

mod c_input;

mod run;

mod abstraction;

mod null;

mod manual;

use std::io::{self, Write};
use std::process::ExitCode;

use puch::report::source::printable;

/// Parses the command line, does what it says, tells what went wrong.
pub fn main() -> ExitCode {
    let result = args::typed().map_or_else(|told| unrun(&told), run);
    result.unwrap_or_else(|failure| {
        tell(&failure.to_string());
        ExitCode::from(WRONG)
    })
}

fn run(command: args::Command) -> Result<ExitCode, Failure> {
    match command {
        args::Command::Check { args, order } if args.c.predicates.is_some() => abstraction::check(*args, &order),
        args::Command::Check { args, order } => check::run(*args, &order),
        args::Command::Facts(args) => facts::run(args),
        args::Command::Influence(args) => influence::run(*args),
        args::Command::Post(args) => sets::post(args),
        args::Command::Pre(args) => sets::pre(args),
        args::Command::Convert(args) => convert::run(args),
        args::Command::Buchi(args) => buchi::run(args),
        args::Command::Replay(args) => replay::run(args),
        args::Command::Run(args) => run::run(args),
        args::Command::Abstract(args) => abstraction::run(args),
        args::Command::Null(args) => null::run(args),
        args::Command::Completions { shell } => manual::completions(shell),
        args::Command::Man { command } => manual::page(command.as_deref()),
    }
}

/// Says what is wrong with a command line, or gives the help or the version that it asks for: the latter is an answer,
/// which must arrive.
fn unrun(told: &clap::Error) -> Result<ExitCode, Failure> {
    let printed = told.print().and_then(|()| io::stdout().flush());
    if told.use_stderr() {
        return Ok(ExitCode::from(WRONG));
    }
    arrived(printed)?;
    Ok(ExitCode::from(FINE))
}

/// All hold, or are unreachable.
const FINE: u8 = 0;
/// Something is violated, or reachable.
const FOUND: u8 = 1;
/// The input or the call is wrong.
const WRONG: u8 = 2;
/// Something is unknown, and nothing violated.
const UNKNOWN: u8 = 3;

/// Why there is no answer: the input or the call is wrong.
#[derive(Debug)]
enum Failure {
    /// A sentence, with its causes.
    Error(anyhow::Error),
    /// Diagnostics, rendered, and a closing sentence.
    Diagnosed(String),
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Failure::Error(error)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Error(error) => write!(f, "error: {error:#}"),
            Failure::Diagnosed(text) => write!(f, "{}", text.trim_end()),
        }
    }
}

/// Writes lines to the standard error stream, without characters that would disturb a terminal. If nobody listens,
/// nothing is lost.
fn tell(text: &str) {
    let lines = text.lines().map(|line| line.chars().map(printable).chain(['\n']).collect::<String>());
    let _ = io::stderr().lock().write_all(lines.collect::<String>().as_bytes());
}

/// Writes to standard output.
fn answer(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let written = write(&mut out).and_then(|()| out.flush());
    if written.is_err() {
        // What is still buffered does not arrive either: it must not be written again when `out` goes.
        let _ = out.into_parts();
    }
    arrived(written)
}

/// Whether what was written to standard output has arrived. A reader that has seen enough and closed the pipe is no error.
fn arrived(written: io::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| anyhow::Error::new(error).context("cannot write to standard output")),
    }
}
