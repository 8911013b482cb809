//! The judge of runs, against the oracle.

use fastrand::Rng;

use super::{Kind, Law};
use crate::case::{Case, Input};
use crate::support::{judged, runs, shapes};

pub const JUDGE: Law = Law {
    name: "judge-of-runs",
    says: "the judge accepts runs that are real, folded or not, and of changed ones those that the oracle finds real",
    kind: Kind::Answer,
    weight: 3,
    draw: |rng| {
        let spds = shapes::system(rng);
        Case::new(JUDGE.name, Input::System(spds)).with("seed", rng.u64(..).to_string())
    },
    holds: |case| {
        let spds = case.input.system()?;
        let seed = case.one("seed")?.parse().map_err(|_| "the seed is no number")?;
        let rng = &mut Rng::with_seed(seed);
        let Some(stem) = runs::random(&spds, rng, 25) else { return Ok(0) };
        let mut all = vec![runs::reaching(stem.clone())];
        all.extend(runs::lasso(&stem));
        // Depths tell calls from steps only where no one returns to what lies below the start.
        if spds.start.stack.len() <= 1 + usize::from(spds.end.is_some()) {
            all.push(runs::fold(&spds, &all[0], rng));
        }
        let mut checks = 0;
        for run in all {
            checks += 1 + judged::agree(&spds, &run, rng)?.changed as u64;
        }
        Ok(checks)
    },
};
