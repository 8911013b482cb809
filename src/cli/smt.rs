//! `--smt`: another solver beside puch's own, over pipes.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use puch::bitvec::{Bounds, Said, SecondOpinion};
use puch::limits::Limits;
use puch::refinement::Donor;

use super::choices::SmtName;
use super::{Failure, tell};

/// How queries about integers are answered.
#[derive(Clone, Copy, Debug)]
pub struct Solving {
    /// Who is asked besides.
    pub second: Option<SmtName>,
    /// Whether to tell what came of it.
    pub stats: bool,
}

impl Solving {
    /// What queries may cost within these limits, and who else is asked.
    pub fn bounds(self, limits: Limits) -> anyhow::Result<Bounds> {
        let second = self.second.map(second_opinion).transpose()?.map(Rc::new);
        Ok(Bounds { stop: Some(Rc::new(move || limits.met().is_some())), second, ..Bounds::default() })
    }

    /// Who is asked for predicates: the same solver, which then gets a few seconds.
    pub fn donor(self, limits: Limits) -> Option<Donor> {
        let SmtName::Z3 = self.second?;
        Some(Rc::new(move |script| Solver::started(COMMAND, OPTIONS).ok()?.model(script, limits)))
    }

    /// Tells how often the other solver agreed. That it does not is an error.
    pub fn concluded(self, bounds: &Bounds) -> Result<(), Failure> {
        let Some(second) = &bounds.second else { return Ok(()) };
        let opinions = second.opinions().map_err(|why| anyhow!("internal error: {why}"))?;
        if self.stats {
            tell(&format!("second opinions: {opinions}"));
        }
        Ok(())
    }
}

/// Milliseconds that the other solver may take for a query.
const QUERY_MILLISECONDS: u32 = 10_000;

/// How long it may look for predicates.
const GIVING: Duration = Duration::from_secs(5);

/// How often it is looked whether time is up.
const GLANCE: Duration = Duration::from_millis(20);

const COMMAND: &str = "z3";

const OPTIONS: &[&str] = &["-in", "-smt2"];

fn second_opinion(name: SmtName) -> anyhow::Result<SecondOpinion> {
    let SmtName::Z3 = name;
    let started = Solver::started(COMMAND, OPTIONS).and_then(|mut solver| {
        writeln!(solver.to, "(set-option :timeout {QUERY_MILLISECONDS})\n(set-logic QF_BV)")?;
        Ok(solver)
    });
    let solver = started.context("`--smt z3` needs the solver z3, which is no part of puch and cannot be run here")?;
    let solver = RefCell::new(solver);
    Ok(SecondOpinion::new(move |script| solver.borrow_mut().said(script)))
}

/// A process that reads scripts; it is ended with this.
struct Solver {
    process: Ended,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Solver {
    fn started(command: &str, arguments: &[&str]) -> anyhow::Result<Solver> {
        let mut started = Command::new(command);
        started.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = started.spawn()?;
        let pipes = process.stdin.take().zip(process.stdout.take());
        let (to, from) = pipes.ok_or_else(|| anyhow!("it has no pipes"))?;
        Ok(Solver { process: Ended(process), to, from: BufReader::new(from) })
    }

    fn said(&mut self, script: &str) -> Result<Said, String> {
        let line = self.answer(script).map_err(|error| format!("the other solver does not answer: {error}"))?;
        match line.trim() {
            "sat" => Ok(Said::Sat),
            "unsat" => Ok(Said::Unsat),
            "unknown" | "timeout" => Ok(Said::Unknown),
            other => Err(format!("the other solver says `{other}` to\n{script}")),
        }
    }

    fn answer(&mut self, script: &str) -> std::io::Result<String> {
        self.to.write_all(script.as_bytes())?;
        self.to.flush()?;
        let mut line = String::new();
        self.from.read_line(&mut line)?;
        Ok(line)
    }

    /// All that it says to a script, in time; it is ended after that.
    fn model(self, script: &str, limits: Limits) -> Option<String> {
        let until = Instant::now() + GIVING;
        let Solver { process: _process, mut to, mut from } = self;
        let (script, (told, answered)) = (script.to_owned(), channel());
        thread::spawn(move || {
            let mut answer = String::new();
            let asked = to.write_all(script.as_bytes()).and_then(|()| to.flush());
            // No more comes: it ends once it has answered.
            drop(to);
            let read = asked.and_then(|()| from.read_to_string(&mut answer));
            // Nobody listens any more where it came too late.
            let _ = told.send(read.ok().map(|_| answer));
        });
        while Instant::now() < until && limits.met().is_none() {
            match answered.recv_timeout(GLANCE) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    }
}

/// A process that is ended with this.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
