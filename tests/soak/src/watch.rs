//! The watch: a case that does not end, or takes more memory than any should, is kept, and ends everything.
//!
//! Cases take milliseconds. What has not ended after minutes of work hangs; how long that takes on a busy machine does not
//! matter.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::case::Case;
use crate::soak::{keep, worked};

/// One case may take so much of the processor's time.
const PATIENCE: Duration = Duration::from_secs(300);
/// The process may hold so many bytes.
const MEMORY: u64 = 1 << 30;

/// Looks at what is being asked, again and again.
#[derive(Clone)]
pub struct Watch {
    /// Since when, in time that the processor has worked.
    now: Arc<Mutex<Option<(Duration, Case)>>>,
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
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = Some((worked(), case.clone()));
    }

    fn look(&self, out: &Path) {
        let Some((begin, case)) = self.now.lock().unwrap_or_else(PoisonError::into_inner).clone() else { return };
        let what = match resident() {
            Some(bytes) if bytes > MEMORY => format!("{} MiB are held", bytes >> 20),
            _ if worked().saturating_sub(begin) > PATIENCE => {
                format!("it has not ended after {} s of work", PATIENCE.as_secs())
            }
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
