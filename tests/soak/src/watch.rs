//! The watch: a case that does not end, or takes more memory than any should, is kept, and ends everything.
//!
//! Cases take milliseconds. What has not ended after minutes, however busy the machine, hangs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::case::Case;
use crate::soak::keep;

/// One case may take so long.
const PATIENCE: Duration = Duration::from_secs(300);
/// The process may hold so many bytes.
const MEMORY: u64 = 1 << 30;

/// Looks at what is being asked, again and again.
#[derive(Clone)]
pub struct Watch {
    now: Arc<Mutex<Option<(Instant, Case)>>>,
}

impl Watch {
    /// Starts to look.
    pub fn start(out: PathBuf) -> Watch {
        let watch = Watch { now: Arc::new(Mutex::new(None)) };
        let looking = watch.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_millis(200));
                looking.look(&out);
            }
        });
        watch
    }

    /// The case that is asked from now on.
    pub fn begin(&self, case: &Case) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), case.clone()));
    }

    fn look(&self, out: &Path) {
        let Some((begin, case)) = self.now.lock().unwrap_or_else(PoisonError::into_inner).clone() else { return };
        let what = match resident() {
            Some(bytes) if bytes > MEMORY => format!("{} MiB are held", bytes >> 20),
            _ if begin.elapsed() > PATIENCE => format!("it has not ended after {} s", PATIENCE.as_secs()),
            _ => return,
        };
        println!("FAILED {}: {what}; the case was not made smaller", case.law);
        keep(out, &case, &what);
        std::process::exit(1);
    }
}

/// The bytes that this process holds, where the system says it.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}
