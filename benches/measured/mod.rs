//! What benches share: what a measurement costs, time of a processor and memory, and how they end.

#![allow(dead_code, reason = "each bench asks for what it prints")]

pub mod formula;

use std::process::{Child, ExitCode, Output};
use std::time::{Duration, Instant};

/// Time that this thread has had on a processor where the system tells it, so that other work does not count; else time.
pub struct Clock(Instant, Option<Duration>);

impl Clock {
    pub fn start() -> Clock {
        Clock(Instant::now(), on_processor())
    }

    pub fn elapsed(&self) -> Duration {
        self.worked().unwrap_or_else(|| self.0.elapsed())
    }

    /// Nothing where the system does not tell.
    pub fn worked(&self) -> Option<Duration> {
        self.1.zip(on_processor()).map(|(before, now)| now - before)
    }
}

fn on_processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

/// The greatest resident memory of this process so far, in KiB; nothing where the system does not tell.
pub fn peak_kb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

/// How a bench ends: a wrong answer, or a wrong call of it, is told and fails.
pub fn ended(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// What the process printed; `None` if it took too long.
pub fn within(mut child: Child, timeout: Duration) -> std::io::Result<Option<Output>> {
    let begin = Instant::now();
    // It prints one line, which fits into the pipe.
    while child.try_wait()?.is_none() {
        if begin.elapsed() > timeout {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().map(Some)
}
