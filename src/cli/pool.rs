//! Many calls of this program, some at a time, each a process of its own: what one takes or breaks is nothing to the others.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use puch::report::diagnostic::Style;

use super::{guard, memory};

/// A call of this program.
#[derive(Clone, Debug)]
pub struct Call {
    /// What it does, for the progress line.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The `--timeout` among them: a process that goes on long after it is ended.
    pub timeout: Option<f64>,
    /// Whether what it writes is coloured.
    pub style: Style,
}

/// What became of a call.
#[derive(Debug)]
pub enum Ended {
    /// It answered.
    Answered(Answered),
    /// It could not be started, or was killed; how.
    Broken(String),
    /// There was an interrupt before it began, or before it ended.
    Interrupted,
}

/// The answer of a process.
#[derive(Debug)]
pub struct Answered {
    /// Its exit code.
    pub code: u8,
    /// What it wrote.
    pub stdout: String,
    /// What it told.
    pub stderr: String,
    /// How long it took.
    pub seconds: f64,
}

/// How many calls are made at a time if nobody says it.
pub fn default_jobs() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// The MiB for each of so many processes if nobody says it.
pub fn default_share(jobs: usize) -> Option<u64> {
    memory::default_limit().map(|bytes| ((bytes >> 20) / jobs as u64).max(1))
}

/// The program itself.
pub fn program() -> anyhow::Result<std::path::PathBuf> {
    std::env::current_exe().context("this program cannot find itself")
}

/// Makes all calls, `jobs` at a time, and tells what became of each as they end.
///
/// # Errors
/// If the program cannot find itself, or what `ended` reports; calls that were begun are ended first.
pub fn all(
    calls: &[Call],
    jobs: usize,
    progress: guard::Progress,
    ended: &mut dyn FnMut(usize, Ended) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let program = program()?;
    let interrupted = guard::interrupts();
    let bar = bar(calls.len(), progress);
    let next = AtomicUsize::new(0);
    let (tell, told) = channel();
    thread::scope(|scope| {
        for _ in 0..jobs.min(calls.len()) {
            let (tell, next, program, interrupted, bar) = (tell.clone(), &next, &program, &interrupted, &bar);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::SeqCst);
                    let Some(call) = calls.get(index) else { return };
                    bar.set_message(call.name.clone());
                    let mut command = Command::new(program);
                    command
                        .args(&call.arguments)
                        .envs((call.style == Style::Coloured).then_some(("CLICOLOR_FORCE", "1")));
                    let outcome = made(&mut command, call.timeout, interrupted);
                    bar.inc(1);
                    if tell.send((index, outcome)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(tell);
        let mut failed = Ok(());
        for (index, outcome) in told {
            if failed.is_ok() {
                failed = bar.suspend(|| ended(index, outcome));
                if failed.is_err() {
                    interrupted.store(true, Ordering::SeqCst);
                }
            }
        }
        bar.finish_and_clear();
        failed
    })
}

/// Progress on a terminal; else nothing is seen of it.
fn bar(length: usize, progress: guard::Progress) -> ProgressBar {
    let target = match progress {
        guard::Progress::Shown => ProgressDrawTarget::stderr(),
        guard::Progress::Silent => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(length as u64), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:20} {pos}/{len}  {wide_msg} {elapsed}") {
        bar.set_style(style);
    }
    bar
}

/// Makes one call and waits for its end.
fn made(command: &mut Command, timeout: Option<f64>, interrupted: &AtomicBool) -> Ended {
    if interrupted.load(Ordering::SeqCst) {
        return Ended::Interrupted;
    }
    let began = Instant::now();
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return Ended::Broken(format!("no process can be started: {error}")),
    };
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let child = Arc::new(Mutex::new(child));
    let over = AtomicBool::new(false);
    let (stdout, stderr) = thread::scope(|scope| {
        let (done, finished) = channel::<()>();
        let (watched, over) = (Arc::clone(&child), &over);
        scope.spawn(move || {
            // How long an interrupted process may take to say what it knows.
            const LAST_WORDS: Duration = Duration::from_secs(2);
            const TICK: Duration = Duration::from_millis(50);
            let mut deadline = timeout.map(|seconds| began + patience(seconds));
            let mut dying = false;
            loop {
                match finished.recv_timeout(TICK) {
                    Ok(()) | Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if interrupted.load(Ordering::SeqCst) && !dying {
                    dying = true;
                    deadline = Some(Instant::now() + LAST_WORDS);
                }
                if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    over.store(true, Ordering::SeqCst);
                    return kill(&watched);
                }
            }
        });
        let errors = scope.spawn(move || all_of(stderr));
        let answer = all_of(stdout);
        let errors = errors.join().unwrap_or_default();
        drop(done);
        (answer, errors)
    });
    let status = match child.lock().map_err(|_| ()).map(|mut child| child.wait()) {
        Ok(Ok(status)) => status,
        _ => return Ended::Broken("its end was missed".into()),
    };
    if interrupted.load(Ordering::SeqCst) {
        return Ended::Interrupted;
    }
    match status.code().and_then(|code| u8::try_from(code).ok()) {
        Some(code) => Ended::Answered(Answered { code, stdout, stderr, seconds: began.elapsed().as_secs_f64() }),
        None if over.load(Ordering::SeqCst) => Ended::Broken("it went on after its time and was ended".into()),
        None => Ended::Broken(format!("it was killed ({status})")),
    }
}

/// When a process that should have ended by itself is ended.
fn patience(timeout: f64) -> Duration {
    Duration::from_secs_f64(timeout * 1.1 + 10.0)
}

fn kill(child: &Mutex<Child>) {
    if let Ok(mut child) = child.lock() {
        // It may have ended meanwhile.
        let _ = child.kill();
    }
}

fn all_of(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    // What was written before the pipe broke is kept.
    let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Things that come in any order and leave in that of their numbers.
#[derive(Debug)]
pub struct InOrder<T> {
    next: usize,
    waiting: BTreeMap<usize, T>,
}

impl<T> Default for InOrder<T> {
    fn default() -> Self {
        InOrder { next: 0, waiting: BTreeMap::new() }
    }
}

impl<T> InOrder<T> {
    /// Takes one, and gives those whose turn has come.
    pub fn take(&mut self, number: usize, thing: T) -> Vec<T> {
        self.waiting.insert(number, thing);
        let mut ready = Vec::new();
        while let Some(thing) = self.waiting.remove(&self.next) {
            self.next += 1;
            ready.push(thing);
        }
        ready
    }
}

/// The worst of two exit codes: something wrong, then something found, then something unknown.
pub fn worst(one: u8, other: u8) -> u8 {
    use super::{FINE, FOUND, UNKNOWN};
    let rank = |code: u8| match code {
        FINE => 0,
        UNKNOWN => 1,
        FOUND => 2,
        _ => 3,
    };
    if rank(one) >= rank(other) { one } else { other }
}

/// A JSON object on one line. Strings in JSON have no line ends, so those that there are lie between its parts.
///
/// # Errors
/// If the text is none.
pub fn one_line(text: &str) -> anyhow::Result<String> {
    let line = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let object = line.starts_with('{') && line.ends_with('}');
    if object { Ok(line) } else { Err(anyhow!("there is no answer")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_leave_in_order() {
        let mut line = InOrder::default();
        assert_eq!(line.take(2, 'c'), []);
        assert_eq!(line.take(0, 'a'), ['a']);
        assert_eq!(line.take(1, 'b'), ['b', 'c']);
    }

    #[test]
    fn wrong_is_worse_than_found_and_found_worse_than_unknown() {
        assert_eq!([0, 3, 1, 2].into_iter().fold(0, worst), 2);
        assert_eq!([3, 1, 0].into_iter().fold(0, worst), 1);
        assert_eq!([0, 3].into_iter().fold(0, worst), 3);
    }
}
