//! Regular sets of configurations, and what is told of statements.

use std::collections::BTreeMap;
use std::sync::Arc;

use fastrand::Rng;
use puch::check::Property;
use puch::exchange;
use puch::options::Options;
use puch::regular::{Direction, Question, saturate, start};
use spds_format::Spds;
use spds_format::automaton::{Automaton, Role};

use super::places::{LARGEST, chosen, options};
use super::{Kind, Law};
use crate::case::{Case, Input};
use crate::certified;
use crate::oracle::explore_within;
use crate::oracle::sets::reaches;
use crate::support::automata::{Carry, automaton};
use crate::support::verdicts::set_differs;
use crate::support::{choices, one_in, shapes};
use crate::told;

pub const REACHED: Law = Law {
    name: "sets-of-systems",
    says: "sets of configurations, stack and all, are reached as the oracle says, on random systems; sets come back from JSON",
    kind: Kind::Answer,
    weight: 3,
    draw: |rng| {
        let spds = shapes::system(rng);
        let case = with(rng, Case::new(REACHED.name, Input::System(spds.clone())), &spds);
        options(rng, case)
    },
    holds: |case| {
        let spds = case.input.system()?;
        let set = Arc::new(given(case, &spds)?.ok_or("the case has no set")?);
        let Some(explored) = explore_within(&spds, LARGEST) else { return Ok(0) };
        let (property, is_reached) = (Property::Configurations(Arc::clone(&set)), reaches(&spds, &explored, &set));
        let mut checks = 0;
        for options in chosen(case)? {
            let differs = set_differs(&spds, &explored, &set, &options);
            let what = differs.or_else(|| certified::differs(&spds, &property, is_reached, &options));
            if let Some(what) = what {
                return Err(format!("{what}\nwith {}", choices::written(&options)));
            }
            checks += 1;
        }
        Ok(checks)
    },
};

/// With a set of configurations, whose states may carry values.
pub fn with(rng: &mut Rng, case: Case, spds: &Spds) -> Case {
    let carry = if one_in(rng, 2) { Carry::Nothing } else { Carry::Values };
    case.with("set", exchange::write(spds, &automaton(rng.u64(..), spds, carry), 0))
}

/// The set of a case, if it has one.
pub fn given(case: &Case, spds: &Spds) -> Result<Option<Automaton>, String> {
    let Some(text) = case.all("set").next() else { return Ok(None) };
    exchange::read(spds, text, Role::Input).map(Some).map_err(|errors| format!("{errors:?}"))
}

pub const HEADS: Law = Law {
    name: "post-star-of-systems",
    says: "post* of the start has the heads, with as many values, that the oracle reaches, on random systems",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| {
        let spds = shapes::system(rng);
        options(rng, Case::new(HEADS.name, Input::System(spds)))
    },
    holds: |case| {
        let spds = case.input.system()?;
        let hidden: Vec<_> =
            spds.rules.iter().filter(|rule| rule.silent).map(|r| (r.from.control, r.from.symbol)).collect();
        let Some(explored) = explore_within(&spds, LARGEST) else { return Ok(0) };
        let mut expected = BTreeMap::new();
        for state in explored.distances.keys().filter(|state| !hidden.contains(&(state.control, state.symbol))) {
            *expected.entry((state.control, state.symbol)).or_insert(0.0) += 1.0;
        }
        let expected: Vec<_> = expected.into_iter().collect();
        let begin = start(&spds);
        let mut checks = 0;
        for options in chosen(case)? {
            let question = Question { direction: Direction::Post, set: &begin, meets: &[], words: None };
            let answer = saturate(&spds, &question, &Options { ..options.clone() }).answer;
            let answer = answer.map_err(|stop| stop.to_string())?;
            let found: Vec<_> = answer.heads.iter().map(|head| ((head.control, head.symbol), head.values)).collect();
            if found != expected {
                return Err(format!(
                    "post* has {found:?}, the oracle {expected:?}\nwith {}",
                    choices::written(&options)
                ));
            }
            checks += expected.len() as u64;
        }
        Ok(checks)
    },
};

pub const TOLD: Law = Law {
    name: "facts-of-systems",
    says: "what is told of each statement is what the oracle finds there, value by value, on random systems",
    kind: Kind::Answer,
    weight: 1,
    draw: |rng| Case::new(TOLD.name, Input::System(shapes::system(rng))),
    holds: |case| {
        let spds = case.input.system()?;
        told::wrong(&spds).map_or(Ok(spds.symbols.len() as u64), Err)
    },
};

pub const TOLD_OF_PROGRAMS: Law = Law {
    name: "facts-of-programs",
    says: "the same on random Boolean programs",
    kind: Kind::Answer,
    weight: 1,
    draw: |rng| Case::new(TOLD_OF_PROGRAMS.name, Input::Program(shapes::program(rng))),
    holds: |case| {
        let spds = case.input.program()?;
        told::wrong(&spds).map_or(Ok(spds.symbols.len() as u64), Err)
    },
};
