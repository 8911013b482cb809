//! The judge of runs against the oracle: on a run, and on changes of it.

use fastrand::Rng;
use puch::replay::{Claim, Replayed, judge};
use puch::run::{Ending, Run};
use spds_format::Spds;

use super::runs;

/// How many changed runs were judged, and how many of them are not real.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub changed: usize,
    pub rejected: usize,
}

/// What the run is said to show.
fn claim(run: &Run) -> Claim {
    match (run.ending, run.stem.last()) {
        (Ending::Reached, Some(last)) => Claim::Reaches(vec![(None, last.config.symbol)]),
        _ => Claim::Whole,
    }
}

fn verdict(spds: &Spds, run: &Run) -> Result<Replayed, String> {
    judge(spds, run, &claim(run), u64::MAX).map_err(|objection| objection.to_string())
}

/// Whether the judge accepts a run that is real, and of random changes of it those that the oracle finds real.
///
/// # Errors
/// Where they do not agree.
pub fn agree(spds: &Spds, run: &Run, rng: &mut Rng) -> Result<Counts, String> {
    match verdict(spds, run) {
        Ok(Replayed::Full) => {}
        other => return Err(format!("judge {other:?} of a run that is real: {run:#?}")),
    }
    let mut counts = Counts::default();
    for _ in 0..6 {
        let changed = runs::mutate(spds, run, rng);
        let Some(real) = runs::is_real(spds, &changed) else { continue };
        let ours = verdict(spds, &changed);
        counts.changed += 1;
        counts.rejected += usize::from(!real);
        if ours.is_ok() != real {
            return Err(format!("judge {ours:?}, oracle {real}: {changed:#?}"));
        }
    }
    Ok(counts)
}
