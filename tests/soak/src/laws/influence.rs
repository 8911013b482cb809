//! Which variables matter, and what forgetting the others does to answers: nothing.

use std::sync::Arc;

use fastrand::Rng;
use puch::check::{Answer, Property, Verdict, check};
use puch::options::{LiveRanges, Options, TraceWish};
use spds_format::Spds;

use super::formulas::everything_asked;
use super::places::chosen;
use super::{Kind, Law};
use crate::case::{Case, Input};
use crate::cases;
use crate::support::{choices, influence, rotations, shapes};

pub const ON_OR_OFF: Law = Law {
    name: "influence-on-or-off",
    says: "places, assertions, termination, formulas and vacuity are the same with what does not matter forgotten, with what is dead forgotten, and with nothing forgotten, under every kind of run, and the judge accepts every run",
    kind: Kind::Answer,
    weight: 4,
    draw: |rng| super::formulas::case(rng, ON_OR_OFF.name),
    holds: |case| {
        everything_asked(case, |spds, properties, options| agree(spds, properties, options, &[options.trace]))
    },
};

pub const ROTATIONS: Law = Law {
    name: "influence-rotations",
    says: "the same of programs whose loops hand on, draw and get from calls what nobody reads, whether no run is shown, any run, or a shortest one; and a run is shown wherever one is wanted",
    kind: Kind::Answer,
    weight: 4,
    draw: |rng| {
        let program = rotations::program(rng);
        super::formulas::of_program(rng, ROTATIONS.name, program)
    },
    holds: |case| {
        let spds = case.input.program()?;
        let Some(given) = super::formulas::given(case, |text| cases::resolve(&spds, text))? else { return Ok(0) };
        let mut properties: Vec<Property> = given.into_iter().map(|v| Property::Ltl(Arc::new(v))).collect();
        properties.extend([Property::Termination, Property::Assertions]);
        let mut checks = 0;
        for options in chosen(case)? {
            checks += agree(&spds, &properties, &options, &[TraceWish::None, TraceWish::Any, TraceWish::Shortest])
                .map_err(|what| format!("{what}\nwith {}", choices::written(&options)))?;
        }
        Ok(checks)
    },
};

/// Whether answers are the same, whatever is forgotten and whatever is to be shown.
fn agree(spds: &Spds, properties: &[Property], options: &Options, wishes: &[TraceWish]) -> Result<u64, String> {
    let mut known: Option<Vec<(Verdict, bool)>> = None;
    for live in [LiveRanges::Off, LiveRanges::Plain, LiveRanges::Influence] {
        for &trace in wishes {
            let options = Options { live, trace, ..options.clone() };
            let outcome = check(spds, properties, &options).map_err(|error| format!("{live:?}, {trace:?}: {error}"))?;
            let lacks_run = |answer: &Answer| answer.verdict.claims_run() && answer.verdict.trace().is_none();
            if let Some(answer) = outcome.answers.iter().find(|answer| trace != TraceWish::None && lacks_run(answer)) {
                return Err(format!("{live:?}, {trace:?}: there is no run: {:?}", answer.trace_omitted));
            }
            let answers: Vec<_> =
                outcome.answers.iter().map(|answer| (answer.verdict.bare(), answer.vacuous)).collect();
            let known = known.get_or_insert_with(|| answers.clone());
            if let Some(number) = (0..known.len()).find(|number| known[*number] != answers[*number]) {
                return Err(format!(
                    "property {number}: {:?} with nothing forgotten, {:?} with {live:?}, {trace:?}",
                    known[number], answers[number]
                ));
            }
        }
    }
    Ok((properties.len() * (3 * wishes.len() - 1)) as u64)
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
