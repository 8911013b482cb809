//! Regular sets of configurations: reached as the oracle says, with traces that the judge accepts, on random systems and
//! random sets; as JSON and back.

mod oracle;
mod support;

use std::sync::Arc;

use puch::below::watch;
use puch::check::{Property, Verdict, check};
use puch::exchange;
use puch::limits::Limits;
use puch::options::{Options, TraceWish};
use puch::run::Ending;
use spds_format::Spds;
use spds_format::automaton::{Automaton, Role};
use support::automata::{Carry, automaton};
use support::systems::{self, Features};

fn options() -> Options {
    Options { limits: Limits { memory: Some(256 << 20), ..Limits::default() }, ..Options::default() }
}

/// What is wrong with the answer, if anything.
fn wrong(spds: &Spds, set: &Automaton, trace: TraceWish) -> Option<String> {
    let expected = oracle::sets::reaches(spds, &oracle::explore(spds), set);
    let options = Options { trace, ..options() };
    let outcome = match check(spds, &[Property::Configurations(Arc::new(set.clone()))], &options) {
        Ok(outcome) => outcome,
        Err(error) => return Some(error.to_string()),
    };
    let answer = &outcome.answers[0];
    let verdict = if expected { Verdict::Reachable } else { Verdict::Unreachable };
    if answer.verdict != verdict {
        return Some(format!("{:?}, but the oracle says {verdict:?}", answer.verdict));
    }
    if expected && trace != TraceWish::None {
        let Some(trace) = &answer.trace else { return Some("there is no trace".into()) };
        if trace.run.ending != Ending::Reached {
            return Some("the trace does not end where it should".into());
        }
    }
    None
}

#[test]
fn sets_are_reached_as_the_oracle_says() {
    let mut reached = [0, 0];
    for seed in support::seeds(0..400) {
        let spds = systems::system(seed, Features::ALL);
        let carry = if seed % 2 == 0 { Carry::Nothing } else { Carry::Values };
        let set = automaton(seed, &spds, carry);
        assert_eq!(set.check(&spds, Role::Input), [], "seed {seed}");
        let watched = watch(&spds, &set);
        assert_eq!(spds_format::validate(&watched.spds), [], "seed {seed}");
        let trace = [TraceWish::Shortest, TraceWish::Any, TraceWish::None][seed as usize % 3];
        if let Some(what) = wrong(&spds, &set, trace) {
            let json = exchange::write(&spds, &set, 0);
            panic!("seed {seed}: {what}\n{spds}\n{json}");
        }
        reached[usize::from(oracle::sets::reaches(&spds, &oracle::explore(&spds), &set))] += 1;
    }
    assert!(reached.iter().all(|count| *count > 60), "{reached:?}");
}

#[test]
fn an_automaton_comes_back_from_json() {
    for seed in support::seeds(0..300) {
        let spds = systems::system(seed, Features::ALL);
        let set = automaton(seed, &spds, Carry::Values);
        let json = exchange::write(&spds, &set, 2);
        let back = exchange::read(&spds, &json, Role::Input).unwrap_or_else(|all| panic!("{all:#?}\n{json}"));
        assert_eq!(back, set, "seed {seed}: {json}");
        // As a report has it.
        let report = format!("{{\"tool\": {{\"name\": \"puch\"}}, \"automaton\": {json}}}");
        assert_eq!(exchange::read(&spds, &report, Role::Input), Ok(set));
    }
}
