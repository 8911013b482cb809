//! Which variables matter, and what forgetting the others does to answers: nothing.

use fastrand::Rng;
use puch::check::{Property, Verdict, check};
use puch::options::{LiveRanges, Options};
use spds_format::Spds;

use super::formulas::everything_asked;
use super::{Kind, Law};
use crate::case::{Case, Input};
use crate::support::{influence, shapes};

pub const ON_OR_OFF: Law = Law {
    name: "influence-on-or-off",
    says: "places, assertions, termination, formulas and vacuity are the same with what does not matter forgotten, with what is dead forgotten, and with nothing forgotten, under every kind of run, and the judge accepts every run",
    kind: Kind::Answer,
    weight: 4,
    draw: |rng| super::formulas::case(rng, ON_OR_OFF.name),
    holds: |case| everything_asked(case, agree),
};

fn agree(spds: &Spds, properties: &[Property], options: &Options) -> Result<u64, String> {
    let mut known: Option<Vec<(Verdict, bool)>> = None;
    for live in [LiveRanges::Off, LiveRanges::Plain, LiveRanges::Influence] {
        let options = Options { live, ..options.clone() };
        let outcome = check(spds, properties, &options).map_err(|error| format!("{live:?}: {error}"))?;
        let answers: Vec<_> = outcome.answers.iter().map(|answer| (answer.verdict.bare(), answer.vacuous)).collect();
        match &known {
            None => known = Some(answers),
            Some(known) => {
                if let Some(number) = (0..known.len()).find(|number| known[*number] != answers[*number]) {
                    return Err(format!(
                        "property {number}: {:?} with nothing forgotten, {:?} with {live:?}",
                        known[number], answers[number]
                    ));
                }
            }
        }
    }
    Ok(properties.len() as u64 * 2)
}

/// A system, and what random choices depend on.
fn drawn(rng: &mut Rng, law: &str) -> Case {
    Case::new(law, Input::System(shapes::system(rng))).with("seed", rng.u64(..).to_string())
}

fn seeded(case: &Case) -> Result<(Spds, Rng), String> {
    let seed = case.one("seed")?.parse().map_err(|_| "the seed is no number")?;
    Ok((case.input.system()?, Rng::with_seed(seed)))
}

pub const FIXPOINTS: Law = Law {
    name: "influence-by-fixpoints",
    says: "what matters, for reachability, for one place and for a formula, is what naive fixpoints over calls say, and what the paper's formula says on its graph; all of it is live",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| drawn(rng, FIXPOINTS.name),
    holds: |case| {
        let (spds, mut rng) = seeded(case)?;
        influence::fixpoints(&spds, &mut rng)?;
        influence::live(&spds)?;
        let by_formula = influence::by_formula(&spds)?;
        Ok(4 + u64::from(by_formula.is_some()))
    },
};

pub const CHANGED: Law = Law {
    name: "influence-changed",
    says: "values that do not matter are changed in the midst of explicit runs, and control goes the same ways",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| drawn(rng, CHANGED.name),
    holds: |case| {
        let (spds, mut rng) = seeded(case)?;
        influence::changed(&spds, &mut rng)
    },
};

pub const CHAINS: Law = Law {
    name: "influence-explained",
    says: "what matters has a chain of statements to a condition that the judge accepts, and nothing else has",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| drawn(rng, CHAINS.name),
    holds: |case| {
        let (spds, mut rng) = seeded(case)?;
        influence::chains(&spds, &mut rng)
    },
};
