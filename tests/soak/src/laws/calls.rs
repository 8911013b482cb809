//! How puch is asked: together or one by one, in a hurry, by another engine, with assertions as assumptions.

use std::time::{Duration, Instant};

use puch::boolprog::{self, Asserts};
use puch::check::{Answer, Property, Verdict, check};
use puch::limits::Limits;
use puch::options::{Engine, Options, TraceWish};
use spds_format::Spds;

use super::formulas::everything_asked;
use super::places::{labelled, options, places};
use super::{Kind, Law};
use crate::case::{Case, Input};
use crate::support::{pick, shapes};

pub const TOGETHER: Law = Law {
    name: "together-or-alone",
    says: "several properties in one call, each alone, by the other engine and in a hurry: no answer contradicts another",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| super::formulas::case(rng, TOGETHER.name),
    holds: |case| everything_asked(case, agree),
};

fn agree(spds: &Spds, properties: &[Property], options: &Options) -> Result<u64, String> {
    let asked = |properties: &[Property], options: &Options| {
        check(spds, properties, options).map(|outcome| outcome.answers).map_err(|error| error.to_string())
    };
    let together = asked(properties, options)?;
    for (number, (property, answer)) in properties.iter().zip(&together).enumerate() {
        let alone = &asked(std::slice::from_ref(property), options)?[0];
        if (alone.verdict.bare(), alone.vacuous) != (answer.verdict.bare(), answer.vacuous) {
            return Err(format!("property {number}: {:?} together, {:?} alone", answer.verdict, alone.verdict));
        }
    }
    let other = Options { engine: Engine::Shared, ..options.clone() };
    let this = Options { engine: Engine::Biodivine, ..options.clone() };
    let (this, other) = (asked(properties, &this)?, asked(properties, &other)?);
    // Each engine counts its own work, and attempts end by it: which run is shown may differ, what is claimed may not.
    let claimed = |answer: &Answer| {
        let shown = options.trace != TraceWish::None && answer.verdict.trace().is_some();
        (answer.verdict.bare(), answer.vacuous, shown)
    };
    if let Some(number) = this.iter().zip(&other).position(|(a, b)| claimed(a) != claimed(b)) {
        return Err(format!("property {number}: {:?} by one engine, {:?} by the other", this[number], other[number]));
    }
    // A deadline may leave open what is asked, and nothing else.
    for micros in [0, 300, 3000] {
        let deadline = Some(Instant::now() + Duration::from_micros(micros));
        let hurried = Options { limits: Limits { deadline, ..options.limits }, ..options.clone() };
        let hurried = asked(properties, &hurried)?;
        let contradicts = |(a, b): (&Answer, &Answer)| {
            !matches!(a.verdict, Verdict::Unknown(_)) && a.verdict.bare() != b.verdict.bare()
        };
        if let Some(number) = hurried.iter().zip(&together).position(contradicts) {
            return Err(format!("property {number}: {:?} in a hurry", hurried[number].verdict));
        }
    }
    Ok(properties.len() as u64 * 5)
}

pub const ASSUMED: Law = Law {
    name: "assertions-assumed",
    says: "a program whose assertions are taken as assumptions reaches what the program with assumptions in their place reaches",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| {
        let case = Case::new(ASSUMED.name, Input::Program(shapes::program(rng)));
        let dialect = *pick(rng, &["plain", "changed"]);
        options(rng, case.with("as", dialect))
    },
    holds: |case| {
        let text = case.input.text();
        let assumed = text.replace("assert(", "assume(");
        let read = |text: &str, asserts| {
            let options = boolprog::Options { asserts, ..boolprog::Options::default() };
            boolprog::read(text, "case.bp", &options).map(|program| program.spds).map_err(|all| format!("{all:?}"))
        };
        // What is asked of one reading is known from the other.
        let (one, other) = (read(&text, Asserts::Assume)?, read(&assumed, Asserts::Check)?);
        let (asked, known) = if case.one("as")? == "plain" { (&one, &other) } else { (&other, &one) };
        let labels = |spds: &Spds| ["R", "T"].map(|label| labelled(spds, label));
        let explored = crate::oracle::explore(known);
        for (here, there) in labels(asked).iter().zip(&labels(known)) {
            let expected = explored.distance(there).is_some();
            let found = crate::oracle::explore(asked).distance(here).is_some();
            if expected != found {
                return Err("the two readings reach different places".into());
            }
        }
        places(case, asked, &labels(asked))
    },
};

pub const BEGUN: Law = Law {
    name: "start-assumed",
    says: "with a condition on the start a program reaches what the oracle reaches from the starts for which it is true",
    kind: Kind::Answer,
    weight: 1,
    draw: |rng| {
        let program = shapes::program(rng);
        let mut globals = || format!("{}{}", pick(rng, &["", "!"]), pick(rng, &program.globals));
        let condition = format!("{} {} {}", globals(), ["&", "|", "="][program.procedures.len() % 3], globals());
        options(rng, Case::new(BEGUN.name, Input::Program(program)).with("assume", condition))
    },
    holds: |case| {
        let mut spds = case.input.program()?;
        // In a program that was made smaller a variable may be gone; then nothing is asked.
        let Ok((_, condition)) = spds_format::parse_condition(&spds, None, case.one("assume")?) else { return Ok(0) };
        let own = spds.start.condition.take();
        spds.start.condition = Some(own.map_or(condition.clone(), |own| own.and(&condition)));
        let labels = ["R", "T"].map(|label| labelled(&spds, label));
        places(case, &spds, &labels)
    },
};
