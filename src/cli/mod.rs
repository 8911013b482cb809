//! The command line: what was typed, what is meant by it, and what becomes of it: files read, answers written, exit
//! codes.
//!
//! Exit codes are part of the interface: 0 all hold or unreachable, 1 something violated or reachable, 2 the input or
//! the call is wrong, 3 something unknown and nothing violated.

mod choices;

mod args;

mod notices;

mod on_abstraction;

mod colour;

mod texts;
mod witness;

mod input;

mod temporal;

mod guard;

mod memory;

mod named;

mod drawing;

mod listed;

mod pool;

mod many;

mod folder;

mod functions;
mod kept;

mod diff;

mod batch;

mod simulate;

mod lsp;

mod certificates;
mod certificates_c;

mod check;

mod facts;

mod invariants;

mod inferred;
mod influence;

mod sets;

mod convert;

mod buchi;

mod replay;

mod certify;
mod certify_c;

mod command;

mod c_input;
mod c_temporal;

mod run;

mod smt;

mod abstraction;

mod null;

mod refinement;

mod stack;

mod completion;

mod manual;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use command::Command;
use puch::report::diagnostic::Style;
use puch::source::printable;

/// Parses the command line, does what it says, tells what went wrong.
pub fn main() -> ExitCode {
    let typed = match command::typed() {
        Ok(Command::Check(mut args)) => {
            many::only(&mut args);
            Command::Check(args)
        }
        Ok(typed) => typed,
        Err(told) => return unrun(&told).unwrap_or_else(|failure| refused(&failure, None)),
    };
    let machine = notices::Machine::wanted(&typed);
    run(typed).unwrap_or_else(|failure| refused(&failure, machine))
}

/// Tells why there is no answer; scripts are told in the form that they asked for.
fn refused(failure: &Failure, machine: Option<(notices::Machine, String)>) -> ExitCode {
    let text = failure.to_string();
    tell(&text);
    if let Some((machine, input)) = machine {
        if !notices::told().iter().any(puch::report::notice::Notice::is_error) {
            notices::keep_sentence("error", "call", text.trim_start_matches("error: "));
        }
        machine.refused(&input);
    }
    ExitCode::from(WRONG)
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Check(args) => checked(*args),
        Command::Batch(args) => batch::run(args),
        Command::Facts(args) => facts::run(args),
        Command::Influence(args) => influence::run(*args),
        Command::Post(args) => sets::post(args),
        Command::Pre(args) => sets::pre(args),
        Command::Convert(args) => convert::run(args),
        Command::Buchi(args) => buchi::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Certify(args) => certify::run(args),
        Command::Run(args) => run::run(args),
        Command::Simulate(args) => simulate::run(*args),
        Command::Lsp { stdio: _ } => lsp::run(),
        Command::Abstract(args) => abstraction::run(args),
        Command::Null(args) => null::run(args),
        Command::Stack(args) => stack::run(*args),
        Command::Diff(args) => diff::run(*args),
        Command::Places { words } => completion::places(&words),
        Command::Completions { shell } => completion::script(shell),
        Command::Man { all: Some(directory), .. } => manual::pages(&directory),
        Command::Man { command, .. } => manual::page(command.as_deref()),
    }
}

/// `puch check`: of one program or several, of one kind or another.
fn checked(mut args: args::CheckArgs) -> Result<ExitCode, Failure> {
    args.properties = listed::expanded(args.properties)?;
    if args.functions.are_meant() {
        return functions::check(args);
    }
    if many::is_meant(&args)? {
        return many::check(&args);
    }
    if refinement::is_meant(&args) {
        return refinement::check(args);
    }
    refinement::refuse(&args)?;
    args.c.further_files = std::mem::take(&mut args.further);
    check::run(args)
}

/// Says what is wrong with a command line, or gives the help or the version that it asks for: the latter is an answer,
/// which must arrive.
fn unrun(told: &clap::Error) -> Result<ExitCode, Failure> {
    let printed = told.print().and_then(|()| io::stdout().flush());
    if told.use_stderr() {
        if let Some(advice) = command::advice(told) {
            tell(&advice);
        }
        if let Some(machine) = notices::Machine::typed() {
            let text = told.to_string();
            notices::keep_sentence("error", "call", text.trim_start_matches("error: ").trim_end());
            machine.refused("");
        }
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

/// Writes lines to the standard error stream, without characters that would disturb a terminal; colours pass where they are
/// wanted. If nobody listens, nothing is lost.
fn tell(text: &str) {
    let coloured = colour::style(io::stderr().is_terminal()) == Style::Coloured;
    let lines = text.lines().map(|line| cleaned(line, coloured) + "\n");
    let _ = io::stderr().lock().write_all(lines.collect::<String>().as_bytes());
}

/// A line as a terminal may have it.
fn cleaned(line: &str, coloured: bool) -> String {
    let clean = |text: &str| text.chars().map(printable).collect::<String>();
    if !coloured {
        return clean(line);
    }
    let mut pieces = line.split("\x1b[");
    let mut shown = clean(pieces.next().unwrap_or(""));
    for piece in pieces {
        let end = piece.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(piece.len());
        match piece[end..].strip_prefix('m') {
            Some(rest) => shown += &format!("\x1b[{}m{}", &piece[..end], clean(rest)),
            None => shown += &clean(&format!("\x1b[{piece}")),
        }
    }
    shown
}

/// The exit code of answers: something was found, else something is unknown, else neither.
fn code(found: bool, unknown: bool) -> ExitCode {
    ExitCode::from(match (found, unknown) {
        (true, _) => FOUND,
        (false, true) => UNKNOWN,
        (false, false) => FINE,
    })
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

#[cfg(test)]
mod tests {
    use super::cleaned;

    #[test]
    fn colours_pass_where_they_are_wanted_and_nothing_else_does() {
        let line = "a \x1b[1;31mb\x1b[0m \x1b[2J \x1b]0;t\x07 \x1b[";
        assert_eq!(cleaned(line, true), "a \x1b[1;31mb\x1b[0m \u{fffd}[2J \u{fffd}]0;t\u{fffd} \u{fffd}[");
        assert!(!cleaned(line, false).contains('\x1b'));
    }
}
