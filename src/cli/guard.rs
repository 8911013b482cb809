//! Limits on a whole call, reading and preparing included, and the progress line.
//!
//! The work is done on a second thread; this one looks at the clock, at the memory of the process and, on a terminal,
//! tells how it goes. The work itself heeds its limits where it can: the guard steps in where it cannot (a parser in the
//! middle of a huge file), a little later, so that the better answer comes first. An interrupt (Ctrl-C, or SIGTERM) is a limit, too: it
//! and the memory of the process are told to the work by a bell.

use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use std::{io::IsTerminal, thread};

use anyhow::anyhow;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use puch::limits::{Bell, Limits, Stop};
use puch::report::json::Granted;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::args::LimitArgs;
use super::{Failure, memory};

/// What worker and guard share.
pub struct Gate {
    phase: AtomicU8,
    stage: Mutex<Cow<'static, str>>,
    /// The progress line, while there is one.
    line: Mutex<Option<ProgressBar>>,
}

const WORKING: u8 = 0;
const ANSWERING: u8 = 1;
const STOPPED: u8 = 2;
const TELLING: u8 = 3;

/// Takes a progress line away.
fn clear(line: &mut Option<ProgressBar>) {
    if let Some(bar) = line.take() {
        bar.finish_and_clear();
    }
}

impl Gate {
    /// Says what is being done now.
    pub fn stage(&self, what: impl Into<Cow<'static, str>>) {
        if let Ok(mut stage) = self.stage.lock() {
            *stage = what.into();
        }
    }

    /// Writes a part of an answer that comes in parts ([`Gate::answers`]), while there is no progress line.
    pub fn tell<T>(&self, write: impl FnOnce() -> T) -> T {
        let mut line = self.line.lock();
        if let Ok(line) = &mut line {
            clear(line);
        }
        write()
    }

    /// The same as [`Gate::answer`] for an answer that comes in parts, between which there is a progress line.
    pub fn answers(&self) {
        self.answer();
        self.phase.store(TELLING, Ordering::SeqCst);
    }

    /// To be called before the first byte of an answer is written: from here on no limit stops the process. Does not
    /// return if a limit has stopped it before.
    pub fn answer(&self) {
        if self.phase.compare_exchange(WORKING, ANSWERING, Ordering::SeqCst, Ordering::SeqCst).is_err() {
            loop {
                thread::park();
            }
        }
    }
}

/// How a process ends that was interrupted twice, or while it was answering.
const KILLED: u8 = 130;

/// From now on a first interrupt sets a flag; a second one ends the process, as the first does where that cannot be arranged.
pub fn interrupts() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let second = flag::register_conditional_shutdown(signal, KILLED.into(), Arc::clone(&interrupted));
        if second.is_ok() {
            // Without it there is no flag to look at.
            let _ = flag::register(signal, Arc::clone(&interrupted));
        }
    }
    interrupted
}

/// Rung when the process is interrupted, or holds too much memory.
static BELL: Bell = Bell::new();

/// How long work that has heard the bell may take to say what it knows.
const LAST_WORDS: Duration = Duration::from_millis(1500);

/// Whether there is a progress line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// After a second, if standard error is a terminal.
    Shown,
    /// Never.
    Silent,
}

/// Does the work within the limits. If it has not begun to answer when one of them is met for good, `stopped` answers in
/// its place, and the process is to end.
pub fn guarded(
    limits: Limits,
    progress: Progress,
    work: impl FnOnce(&Gate) -> Result<ExitCode, Failure> + Send + 'static,
    stopped: impl FnOnce(Stop) -> Result<ExitCode, Failure>,
) -> Result<ExitCode, Failure> {
    let (phase, stage) = (AtomicU8::new(WORKING), Mutex::new(Cow::Borrowed("starting")));
    let gate = Arc::new(Gate { phase, stage, line: Mutex::new(None) });
    let interrupts = interrupts();
    let began = Instant::now();
    let finished = started(Arc::clone(&gate), work)?;
    let deadline = limits.deadline.map(|deadline| {
        let granted = deadline.saturating_duration_since(began);
        deadline + granted.mul_f64(0.05).min(Duration::from_secs(10)) + Duration::from_millis(500)
    });
    let line = Line::new(progress, began);
    let mut rung: Option<Instant> = None;
    loop {
        let patience = deadline.map_or(TICK, |deadline| deadline.saturating_duration_since(Instant::now()).min(TICK));
        match finished.recv_timeout(patience) {
            Ok(result) => {
                line.clear(&gate);
                return result.unwrap_or_else(|_| Err(anyhow!("this is a defect of puch; please report it").into()));
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(anyhow!("the work ended without a word; please report this").into());
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let interrupted = interrupts.load(Ordering::SeqCst);
        let used = limits.memory.zip(resident());
        let beyond = |part: u64, fixed: u64| used.is_some_and(|(limit, used)| used > limit + limit / part + fixed);
        // Work that has heard the bell says what it knows; an answer that was under way ends here.
        let is_answering = matches!(gate.phase.load(Ordering::SeqCst), ANSWERING | TELLING);
        if interrupted && rung.is_none() && is_answering {
            line.clear(&gate);
            return Ok(ExitCode::from(KILLED));
        }
        if interrupted {
            BELL.ring(Stop::Interrupt);
        } else if beyond(32, 4 << 20) {
            BELL.ring(Stop::Memory);
        }
        rung = rung.or_else(|| BELL.rung().map(|_| Instant::now()));
        let stop = if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(Stop::Timeout)
        } else if beyond(16, 8 << 20) {
            Some(Stop::Memory)
        } else {
            BELL.rung().filter(|_| rung.is_some_and(|rung| rung.elapsed() >= LAST_WORDS))
        };
        if let Some(stop) = stop
            && gate.phase.compare_exchange(WORKING, STOPPED, Ordering::SeqCst, Ordering::SeqCst).is_ok()
        {
            line.clear(&gate);
            return stopped(stop);
        }
        line.show(&gate);
    }
}

/// What comes of work, unless it panics.
type Finished = thread::Result<Result<ExitCode, Failure>>;

/// Starts the work on a thread of its own: from there comes what comes of it.
fn started(
    gate: Arc<Gate>,
    work: impl FnOnce(&Gate) -> Result<ExitCode, Failure> + Send + 'static,
) -> anyhow::Result<Receiver<Finished>> {
    let (done, finished) = channel();
    thread::Builder::new()
        .name("puch".into())
        .stack_size(16 << 20)
        .spawn(move || {
            let result = std::panic::catch_unwind(AssertUnwindSafe(|| work(&gate)));
            // Nobody listens only if the process is ending.
            let _ = done.send(result);
        })
        .map_err(|error| anyhow!("cannot start a thread: {error}"))?;
    Ok(finished)
}

/// What is granted, as reports tell it; the default of memory is nothing that anybody has said.
pub fn granted(args: &LimitArgs) -> Granted {
    Granted { timeout: args.timeout, memory: args.memory }
}

/// Limits as they are meant; the clock has been running since `began`.
pub fn limits(args: &LimitArgs, began: Instant) -> Limits {
    let deadline = args.timeout.and_then(|seconds| began.checked_add(Duration::from_secs_f64(seconds)));
    let memory = args.memory.map(|mib| mib << 20);
    Limits { deadline, memory: memory.or_else(memory::default_limit), bell: Some(&BELL) }
}

/// The limits of commands that have no options for them.
pub fn default_limits() -> Limits {
    Limits { memory: memory::default_limit(), bell: Some(&BELL), ..Limits::NONE }
}

/// How often the guard looks.
const TICK: Duration = Duration::from_millis(50);

/// The bytes of memory that the process holds, where the system tells.
pub fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

/// The progress line: there only on a terminal, and only for work that takes more than a second.
struct Line {
    wanted: bool,
    began: Instant,
}

impl Line {
    fn new(progress: Progress, began: Instant) -> Self {
        Line { wanted: progress == Progress::Shown && std::io::stderr().is_terminal(), began }
    }

    fn show(&self, gate: &Gate) {
        if !self.wanted || self.began.elapsed() < Duration::from_secs(1) {
            return;
        }
        // Whoever writes goes first.
        let Ok(mut line) = gate.line.try_lock() else { return };
        if !matches!(gate.phase.load(Ordering::SeqCst), WORKING | TELLING) {
            clear(&mut line);
            return;
        }
        let began = self.began;
        let bar = line.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
                bar.set_style(style);
            }
            bar.with_elapsed(began.elapsed())
        });
        let stage = gate.stage.lock().map_or(Cow::Borrowed("working"), |stage| stage.clone());
        match resident() {
            Some(bytes) => bar.set_message(format!("{stage}, {} MiB", bytes >> 20)),
            None => bar.set_message(stage),
        }
        bar.tick();
    }

    fn clear(&self, gate: &Gate) {
        if let Ok(mut line) = gate.line.lock() {
            clear(&mut line);
        }
    }
}
