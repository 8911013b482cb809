//! Which variables matter, and what forgetting the others does to answers: nothing.

use std::sync::Arc;

use fastrand::Rng;
use puch::check::{Property, Target, Verdict, check};
use puch::options::{LiveRanges, Options};
use spds_format::Spds;
use spds_format::model::SymbolId;

use super::formulas::{given, read};
use super::places::chosen;
use super::{Kind, Law};
use crate::case::{Case, Input};
use crate::support::{choices, influence, shapes};

pub const ON_OR_OFF: Law = Law {
    name: "influence-on-or-off",
    says: "places, assertions, termination, formulas and vacuity are the same with what does not matter forgotten, with what is dead forgotten, and with nothing forgotten, under every kind of run, and the judge accepts every run",
    kind: Kind::Answer,
    weight: 4,
    draw: |rng| super::formulas::case(rng, ON_OR_OFF.name),
    holds: |case| {
        let spds = case.input.system()?;
        let given = given(case, |text| read(&spds, text))?.ok_or("a proposition means nothing")?;
        let mut properties: Vec<Property> = given.into_iter().map(|v| Property::Ltl(Arc::new(v))).collect();
        let symbols = (0..spds.symbols.len() as u32).step_by(3).map(SymbolId);
        properties.extend(symbols.map(|symbol| Property::Reach(vec![Target { control: None, symbol }])));
        properties.extend([Property::Termination, Property::Assertions]);
        let mut checks = 0;
        for options in chosen(case)? {
            checks += agree(&spds, &properties, &options)
                .map_err(|what| format!("{what}\nwith {}", choices::written(&options)))?;
        }
        Ok(checks)
    },
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
