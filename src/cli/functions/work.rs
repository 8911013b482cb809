//! A function by itself: read, looked for among what is kept, asked about, kept. And many of them, at a time and told in their order.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use anyhow::anyhow;
use puch::c_problem::functions::{Entered, Functions, Options, unread};
use puch::functions::Answer;
use puch::functions::closed::{Closed, closed};
use puch::functions::summary::Summaries;
use puch::limits::Limits;
use puch::report::functions::Told;

use crate::cli::args::LookArgs;
use crate::cli::functions::Wanted;
use crate::cli::guard::Gate;
use crate::cli::kept::Kept;
use crate::cli::pool::InOrder;
use crate::cli::smt::Solving;
use crate::cli::texts::{mistaken, rendered, text_of};
use crate::cli::{Failure, tell};

/// As much as the guard gives to who works alone.
const STACK: usize = 16 << 20;

/// How each function is looked at.
pub struct Work {
    asked: Options,
    solving: Solving,
    kept: Option<Kept>,
    /// Whether what the limit for each function has stopped is kept, too.
    is_stopped_kept: bool,
    /// What reading has warned of, which is told once.
    warned: Mutex<HashSet<String>>,
}

/// A function that was read.
pub struct Read {
    entered: Entered,
    /// What its answer depends on; none if it cannot be read.
    pub closed: Option<Closed>,
}

impl Work {
    /// What is meant by what was typed.
    ///
    /// # Errors
    /// If there is no folder for what is kept.
    pub fn meant(args: &LookArgs, usual: Options, solving: Solving) -> anyhow::Result<Work> {
        let asked = Options {
            deep: args.deep.unwrap_or(usual.deep),
            each: args.function_timeout.map(Duration::from_secs).or(usual.each),
            ..usual
        };
        let kept = args.cache.as_deref().map(Kept::folder).transpose()?;
        Ok(Work { asked, solving, kept, is_stopped_kept: args.cache_stopped, warned: Mutex::default() })
    }

    /// The limits of a function that is begun now.
    pub fn limits(&self) -> Limits {
        self.asked.limits()
    }

    /// What is told of a function whose turn comes when the limit of all of them is met.
    pub fn too_late(&self, name: &str) -> Option<Told> {
        let stop = self.asked.search.limits.met()?;
        Some(Told::of(name, &Answer::unknown(stop.into()), self.asked.kinds()))
    }

    /// Reads what a function leads to.
    ///
    /// # Errors
    /// What is wrong with what is said of functions.
    pub fn read(&self, files: &Functions, name: &str) -> Result<Read, Failure> {
        let entered = files.entered(name).map_err(|wrong| mistaken(&wrong))?;
        let closed = match &entered {
            Entered::Program(program, warnings) => {
                self.warn(files, warnings);
                Some(closed(program))
            }
            Entered::Unsupported(_) => None,
        };
        Ok(Read { entered, closed })
    }

    /// Tells what was not told before.
    fn warn(&self, files: &Functions, warnings: &puch::c::Complained) {
        let units = files.units();
        for (unit, warning) in warnings {
            let Some(unit) = units.get(*unit) else { continue };
            let told = rendered(unit.name, unit.text, std::slice::from_ref(warning));
            let is_new = self.warned.lock().is_ok_and(|mut warned| warned.insert(told.clone()));
            if is_new {
                tell(told.trim_end());
            }
        }
    }

    /// What is told of a function that was read, within these limits.
    ///
    /// # Errors
    /// If another solver disagrees, or what is known cannot be kept.
    pub fn told(
        &self,
        files: &Functions,
        (name, known): (&str, &Summaries),
        read: &Read,
        limits: Limits,
    ) -> Result<Told, Failure> {
        let (program, closed) = match (&read.entered, &read.closed) {
            (Entered::Program(program, _), Some(closed)) => (program, closed),
            (Entered::Unsupported(first), _) => return Ok(Told::of(name, &unread(first), self.asked.kinds())),
            (Entered::Program(..), None) => return Err(anyhow!("`{name}` was not read").into()),
        };
        let kept = self.kept.as_ref().map(|kept| (kept, self.how(files, (name, known))));
        let stopped = |how: &str| Some(format!("{how} {:?}", self.asked.each)).filter(|_| self.is_stopped_kept);
        let before = kept
            .as_ref()
            .and_then(|(kept, how)| kept.known(closed, how).or_else(|| kept.known(closed, &stopped(how)?)));
        if let Some(told) = before {
            return Ok(told);
        }
        let bounds = self.solving.bounds(limits)?;
        let answer = self.asked.analysed((program, known), files.malloc(), limits, bounds.clone());
        self.solving.concluded(&bounds)?;
        let told = Told::of(name, &answer, self.asked.kinds());
        if let Some((kept, how)) = kept {
            // What all functions together have no time or memory for says nothing of this one.
            let is_own = answer.is_stopped && self.asked.search.limits.met().is_none();
            let how = if answer.is_stopped { stopped(&how).filter(|_| is_own) } else { Some(how) };
            if let Some(how) = how {
                kept.keep(closed, &how, &told)?;
            }
        }
        Ok(told)
    }

    /// All on which answers depend, beside the program, that no limit has stopped. Where it stands what functions demand, the program says.
    fn how(&self, files: &Functions, (name, known): (&str, &Summaries)) -> String {
        let mut how =
            format!("{} {:?} {:?} {:?}", self.asked.deep, files.malloc(), self.solving.second, self.asked.kinds());
        // What others demand is no matter of that.
        let none = Summaries::new();
        let others = if self.asked.termination { &none } else { known };
        if self.asked.termination {
            how += " termination";
        }
        for (name, summary) in others {
            let requires = summary.requires.iter().map(|one| (&one.condition, &one.kind));
            let (open, failing) = (summary.open.len(), summary.failing.len());
            how += &format!(" {name:?} {:?} {open} {failing}", requires.collect::<Vec<_>>());
        }
        // With what something was proved matters where it is proved in another version.
        if let Some(own) = known.get(name) {
            how += &format!(" {:?}", own.proved_by);
        }
        how
    }

    /// Complains about what is said of functions that are asked about, where the first of them is read.
    ///
    /// # Errors
    /// What is wrong.
    pub fn refuse(&self, files: &Functions, wanted: &Wanted) -> Result<(), Failure> {
        for one in files.defined().iter().filter(|one| wanted.is(one)) {
            if self.read(files, &one.name)?.closed.is_some() {
                break;
            }
        }
        Ok(())
    }
}

/// What is said about functions beside the files.
#[derive(Clone, Debug, Default)]
pub struct Said {
    /// The name and the text of a file of contracts.
    pub contracts: Option<(String, String)>,
    /// What is assumed where a function is entered.
    pub assume: Option<String>,
}

impl Said {
    /// What was typed.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read(args: &LookArgs, assume: Option<String>) -> anyhow::Result<Said> {
        let contracts = args.contracts.as_deref();
        let contracts = contracts.map(|file| anyhow::Ok((file.display().to_string(), text_of(file)?))).transpose()?;
        Ok(Said { contracts, assume })
    }

    /// Says it; of an old version only what is about functions that are there.
    pub fn of(&self, files: Functions, is_old: bool) -> Functions {
        let files = match &self.contracts {
            Some((name, text)) if is_old => files.contracts_of_those_there(name, text),
            Some((name, text)) => files.contracts(name, text),
            None => files,
        };
        match &self.assume {
            Some(condition) => files.assume(condition),
            None => files,
        }
    }
}

/// What is known of functions, told in their order, each as soon as it is known: so many are looked at at a time, in an order of their own.
///
/// # Errors
/// The first that there is.
pub fn in_order<T: Send>(
    (gate, names, order): (&Gate, &[&str], &[usize]),
    jobs: usize,
    known: &(dyn Fn(usize) -> Result<T, Failure> + Sync),
    tell: &mut dyn FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (told, answers) = channel();
        for _ in 0..jobs.min(names.len()) {
            let (told, next) = (told.clone(), &next);
            let work = move || {
                let taken = || next.fetch_add(1, Ordering::Relaxed);
                for (number, at) in std::iter::from_fn(|| Some(taken())).map_while(|at| Some((at, *order.get(at)?))) {
                    gate.stage(format!("function {} of {}: {}", number + 1, names.len(), names[at]));
                    if told.send((at, known(at))).is_err() {
                        return;
                    }
                }
            };
            let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
            thread.map_err(|error| anyhow!("cannot start a thread: {error}"))?;
        }
        drop(told);
        let mut order = InOrder::default();
        for (at, answer) in answers {
            for answer in order.take(at, answer) {
                let answer = answer?;
                gate.tell(|| tell(answer))?;
            }
        }
        Ok(())
    })
}
