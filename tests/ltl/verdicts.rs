//! Formulas, termination and assertions for each kind of run: what the search says against what the oracle says, and whether
//! runs that are found do violate.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use puch::check::{Answer, Property, Reason, Verdict, check};
use puch::ltl::{Passes, Violations};
use puch::options::{Options, Runs, TraceWish};
use puch::run::Ending;
use spds_format::Spds;

use crate::cases::{self, RUNS};
use crate::lasso::{buchi_accepts, satisfies};
use crate::oracle::ltl::{Machine, Wanted, exists};
use crate::support::verdicts::said;
use crate::{oracle, unfold};

/// The properties that are asked at once, and what the oracle says: whether each is violated, and whether there is a run.
pub struct Known {
    pub runs: Runs,
    pub properties: Vec<Property>,
    pub violated: Vec<bool>,
    pub any: bool,
}

/// The properties after those that are given.
const OTHERS: [&str; 3] = ["termination as a formula", "termination", "the assertions"];

/// For each kind of run: these properties, termination as a formula and by itself, and the assertions.
#[allow(dead_code, reason = "hours of random cases have large ones among them")]
pub fn known(spds: &Spds, given: &[Violations]) -> [Known; 3] {
    known_by(&mut Machine::new(spds), given)
}

/// The same unless that takes graphs with more edges than this.
#[allow(dead_code, reason = "usual cases are small")]
pub fn known_within(spds: &Spds, given: &[Violations], most: usize) -> Option<[Known; 3]> {
    let machine = &mut Machine::limited(spds, most);
    let known = known_by(machine, given);
    (!machine.exceeded).then_some(known)
}

fn known_by(machine: &mut Machine<'_>, given: &[Violations]) -> [Known; 3] {
    let spds = machine.spds;
    let fails = oracle::explore(spds).failing(spds).is_some();
    let goes_on = exists(machine, Runs::Infinite, Wanted::Any);
    RUNS.map(|runs| {
        let mut violations = given.to_vec();
        violations.push(cases::termination(spds, runs));
        let is_violated = |v: &Violations| exists(machine, runs, Wanted::Accepted(&v.automaton, &v.meanings));
        let mut violated: Vec<bool> = violations.iter().map(is_violated).collect();
        assert!(machine.exceeded || violated[given.len()] == goes_on, "{runs:?}: termination and its formula\n{spds}");
        violated.extend([goes_on, fails]);
        let mut properties: Vec<Property> = violations.into_iter().map(|v| Property::Ltl(Arc::new(v))).collect();
        properties.extend([Property::Termination, Property::Assertions]);
        Known { runs, properties, violated, any: exists(machine, runs, Wanted::Any) }
    })
}

/// What is wrong with the answers, if anything.
pub fn differs(spds: &Spds, known: &Known, options: &Options) -> Option<String> {
    // All at once, or each alone.
    let together = match options.trace {
        TraceWish::Shortest => true,
        TraceWish::Any => false,
        TraceWish::None => known.violated[0],
    };
    let parts: Vec<&[Property]> = if together { vec![&known.properties] } else { known.properties.chunks(1).collect() };
    let mut answers = Vec::new();
    for properties in parts {
        match catch_unwind(AssertUnwindSafe(|| check(spds, properties, options))) {
            Ok(Ok(outcome)) => answers.extend(outcome.answers),
            Ok(Err(error)) => return Some(error.to_string()),
            Err(panic) => return Some(said(&*panic)),
        }
    }
    (0..answers.len()).find_map(|i| {
        let what = complaint(spds, known, i, &answers[i], options)?;
        let given = answers.len() - OTHERS.len();
        let name = if i < given { format!("property {i}") } else { OTHERS[i - given].to_owned() };
        Some(format!("{name}: {what}"))
    })
}

fn complaint(spds: &Spds, known: &Known, i: usize, answer: &Answer, options: &Options) -> Option<String> {
    let property = &known.properties[i];
    // Under stuttering runs one thing is left open: what becomes of a run whose return is refused.
    let open = answer.verdict == Verdict::Unknown(Reason::Return);
    if open && options.runs == Runs::Stutter && (0..known.properties.len() - 2).contains(&i) {
        return None;
    }
    let verdict = if known.violated[i] { Verdict::Violated(None) } else { Verdict::Holds };
    if answer.verdict.bare() != verdict {
        return Some(format!("the answer is {:?}, but the oracle says {verdict:?}", answer.verdict));
    }
    let can_be_vacuous = match property {
        Property::Ltl(_) => true,
        Property::Termination => options.runs != Runs::Infinite,
        _ => false,
    };
    let vacuous = can_be_vacuous && !known.violated[i] && !known.any;
    // Whether there is a run at all may be left open for the same reason; then nothing is remarked.
    let silent = || vacuous && leaves_open_whether_there_is_a_run(spds, options);
    if answer.vacuous != vacuous && !silent() {
        return Some(format!("`vacuous` is {}, but the oracle says {vacuous}", answer.vacuous));
    }
    let wanted = options.trace != TraceWish::None && known.violated[i];
    let trace = match answer.verdict.trace() {
        Some(_) if !wanted => return Some("there is a trace that no one asked for".into()),
        None if wanted => return Some(format!("there is no trace: {:?}", answer.trace_omitted)),
        None => return None,
        Some(trace) => trace,
    };
    let objection = match property {
        Property::Ltl(violations) => shows(spds, trace, violations, options.runs),
        Property::Termination if trace.run.ending != Ending::Loop => Err("the run does not go on for ever".into()),
        Property::Termination => unfold::words(spds, &trace.run, Runs::Infinite, &[]).map(|_| ()),
        _ => Ok(()),
    };
    objection.err().map(|what| format!("{what}: {:?}", trace.run))
}

/// Whether a run violates "false" is left open, as is right for one whose return is refused.
fn leaves_open_whether_there_is_a_run(spds: &Spds, options: &Options) -> bool {
    let no_run =
        Violations::of(cases::formula("0"), Vec::new(), &Passes::default(), &options.limits).expect("it is small");
    let outcome = check(spds, &[Property::Ltl(Arc::new(no_run))], options).expect("a run that is shown is real");
    options.runs == Runs::Stutter && outcome.answers[0].verdict == Verdict::Unknown(Reason::Return)
}

/// Whether the run is a violation, if it is not too long to say.
fn shows(spds: &Spds, trace: &puch::check::Trace, violations: &Violations, runs: Runs) -> Result<(), String> {
    let formula = violations.formula.as_ref();
    let meanings = formula.map_or(&violations.meanings, |specified| &specified.meanings);
    let Some(words) = unfold::words(spds, &trace.run, runs, meanings)? else { return Ok(()) };
    let violates = |word| match formula {
        Some(specified) => !satisfies(word, &specified.formula),
        None => buchi_accepts(&violations.automaton, word),
    };
    if words.iter().any(violates) { Ok(()) } else { Err(format!("the run is no violation, it reads {words:?}")) }
}
