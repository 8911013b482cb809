//! `puch simulate`: a run made by hand, by commands from standard input.

mod c;
mod commands;
mod system;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, anyhow};

use super::args::SimulateArgs;
use super::guard::{self, Progress};
use super::{FINE, Failure, UNKNOWN, WRONG, input, tell};
use commands::Command;

/// A run that commands make.
trait Simulated {
    /// Does what a command says.
    ///
    /// # Errors
    /// What is wrong with the command.
    fn done(&mut self, command: Command) -> anyhow::Result<()>;

    /// What can be said here.
    fn help(&self) -> &'static str;
}

/// `puch simulate`
///
/// Exit codes: 0 all commands were understood; 2 one was not.
pub fn run(mut args: SimulateArgs) -> Result<ExitCode, Failure> {
    if super::texts::is_stdin(&args.input.file) {
        return Err(anyhow!("commands come from standard input: the program has to be in a file").into());
    }
    if let Some(file) =
        args.further.iter().find(|file| !args.input.is_c() || !input::is_said_c(args.input.input_format, file))
    {
        let file = file.display();
        return Err(anyhow!("`{file}`: one program is simulated at a time; only a C program has several files").into());
    }
    if args.c.predicates.predicates.is_some() {
        args.c.further_files = std::mem::take(&mut args.further);
    }
    let work = move |gate: &guard::Gate| {
        let plain_c = args.input.is_c() && args.c.predicates.predicates.is_none();
        if plain_c { c::simulated(args, gate) } else { system::simulated(args, gate) }
    };
    guard::guarded(guard::default_limits(), Progress::Silent, work, |stop| {
        tell(&format!("error: {stop}"));
        Ok(ExitCode::from(UNKNOWN))
    })
}

/// Reads commands until there are no more, or `quit`.
fn commanded(simulated: &mut dyn Simulated) -> Result<ExitCode, Failure> {
    let terminal = io::stdin().is_terminal();
    let mut lines = io::stdin().lock().lines();
    let mut wrong = false;
    loop {
        if terminal {
            let mut out = io::stdout().lock();
            // Who sees no prompt can still type.
            let _ = out.write_all(b"> ").and_then(|()| out.flush());
        }
        let Some(line) = lines.next() else { break };
        let line = line.context("cannot read standard input")?;
        let done = match commands::read(&line) {
            Ok(Command::Quit) => break,
            Ok(Command::Help) => {
                super::answer(|out| writeln!(out, "{}", simulated.help()))?;
                Ok(())
            }
            Ok(command) => simulated.done(command),
            Err(error) => Err(error),
        };
        if let Err(error) = done {
            tell(&format!("error: {error:#}"));
            wrong = true;
        }
    }
    if terminal {
        super::answer(|out| writeln!(out))?;
    }
    Ok(ExitCode::from(if wrong && !terminal { WRONG } else { FINE }))
}

/// Writes to a file, or to standard output.
fn written(file: Option<&Path>, text: &[u8]) -> anyhow::Result<()> {
    match file {
        Some(file) => std::fs::write(file, text).with_context(|| format!("cannot write `{}`", file.display())),
        None => super::answer(|out| out.write_all(text)),
    }
}
