//! Whether a run that has been walked is infinite, or violates a property: which runs count, and what their words are.

use spds_format::model::SymbolId;

use super::ending::lasting;
use super::satisfies::satisfies;
use super::system::{Budget, Exhausted, State, System};
use super::word::{Letter, Moment, Word, WordItem, letter, letters};
use super::{Objection, accepts};
use crate::ltl::Violations;
use crate::ltl::atoms::Meaning;
use crate::options::Runs;
use crate::run::{Ending, Run, Section, Step, Then};

/// What the propositions mean by which the property is judged.
pub(super) fn meanings(violations: &Violations) -> &[Meaning] {
    violations.formula.as_ref().map_or(&violations.meanings, |specified| &specified.meanings)
}

/// Whether the word violates the property: by the formula itself, if it was given as one.
pub(super) fn violated(word: &Word, violations: &Violations) -> bool {
    match &violations.formula {
        Some(specified) => !satisfies(word, &specified.formula),
        None => accepts::accepts(word, &violations.automaton),
    }
}

/// Whether a run with that ending counts; `cycle` is the symbol on top where its cycle begins.
///
/// # Errors
/// Why it does not.
pub(super) fn counts(
    system: &System<'_>,
    ending: Ending,
    cycle: Option<SymbolId>,
    runs: Runs,
) -> Result<(), Objection> {
    let why = match (ending, runs) {
        (Ending::Reached, _) => "the run stops before its end",
        (Ending::Loop, Runs::Infinite) if ended(system, cycle) => "the program has ended where the run repeats itself",
        (Ending::Terminated | Ending::Failed, Runs::Infinite) => "only infinite runs count, and the run ends",
        (Ending::Stuck, Runs::Infinite | Runs::Maximal) => "the run is blocked, and blocked runs do not count",
        _ => return Ok(()),
    };
    Err(Objection { at: None, why: why.into() })
}

/// Whether the run goes on for ever before the program ends.
///
/// # Errors
/// Why it does not.
pub(super) fn infinite(system: &System<'_>, ending: Ending, cycle: Option<SymbolId>) -> Result<(), Objection> {
    let why = match ending {
        Ending::Loop => return counts(system, ending, cycle, Runs::Infinite),
        _ => "the run is said to be infinite, but it ends",
    };
    Err(Objection { at: None, why: why.into() })
}

/// Whether that is what is on top when the program has terminated or an assertion has failed.
fn ended(system: &System<'_>, symbol: Option<SymbolId>) -> bool {
    symbol.is_some() && [system.spds.end, system.spds.fail].contains(&symbol)
}

/// Whether a run, which is real and ends in the state `last` (if it has no cycle), violates the property.
///
/// Where several rules, or one in several ways, end the program or fail the assertion from there, one that makes the run a
/// violation is enough: such a run exists, and the last step shown is as said.
///
/// # Errors
/// Why it does not, or why that cannot be told.
pub(super) fn violates(
    system: &System<'_>,
    run: &Run,
    last: &State,
    violations: &Violations,
    runs: Runs,
) -> Result<(), Objection> {
    let first = run.cycle.as_ref().and_then(|cycle| cycle.first());
    counts(system, run.ending, first.map(|step| step.config.symbol), runs)?;
    let meanings = meanings(violations);
    let mut word = Word::default();
    for (number, call) in run.calls.iter().enumerate() {
        let places = places(system, meanings, &mut word, Section::Call(number), &call.steps)?;
        word.calls.push(places);
    }
    word.stem = places(system, meanings, &mut word, Section::Stem, &run.stem)?;
    word.cycle = places(system, meanings, &mut word, Section::Cycle, run.cycle.as_deref().unwrap_or(&[]))?;
    let tails = tails(system, meanings, run.ending, last).map_err(|why| Objection { at: None, why })?;
    if run.ending == Ending::Stuck {
        word.stem.pop();
    }
    some_tail_violates(word, &tails, violations, run.ending)
}

/// Whether the word, or one that repeats one of these letters for ever after its stem, violates the property.
pub(super) fn some_tail_violates(
    mut word: Word,
    tails: &[Letter],
    violations: &Violations,
    ending: Ending,
) -> Result<(), Objection> {
    let found = match ending {
        Ending::Loop => violated(&word, violations),
        _ => tails.iter().any(|tail| {
            word.repeat(tail.clone());
            violated(&word, violations)
        }),
    };
    if found { Ok(()) } else { Err(Objection { at: None, why: "the run satisfies the property".into() }) }
}

/// So many states are looked at to find out what may hold after the end of a run: more than a program needs, whose last
/// return changes no global, or few.
const WAYS: u64 = 100_000;

/// The letters that may repeat for ever after a run that ends in that state.
///
/// # Errors
/// Why that cannot be told.
pub(super) fn tails(
    system: &System<'_>,
    meanings: &[Meaning],
    ending: Ending,
    last: &State,
) -> Result<Vec<Letter>, String> {
    let budget = &mut Budget(WAYS);
    let many = |_: Exhausted| "there are too many ways to take the last step".to_string();
    let (states, moment) = match ending {
        Ending::Reached | Ending::Loop => return Ok(Vec::new()),
        Ending::Stuck if system.is_hidden(last.head()) => {
            return Err("the last configuration is hidden: the step into it does not exist".into());
        }
        Ending::Stuck => (vec![last.clone()], Moment::Blocked),
        Ending::Terminated => {
            let bottom = system.spds.start.stack.last().copied().filter(|_| system.spds.start.stack.len() > 1);
            let end = bottom.filter(|bottom| Some(*bottom) == system.spds.end);
            let end = end.ok_or("the last return leaves an empty stack, of which propositions say nothing")?;
            (lasting(system, last, end, budget).map_err(many)?, Moment::Passed)
        }
        Ending::Failed => {
            let fail = system.spds.fail.ok_or("no assertion can fail")?;
            (lasting(system, last, fail, budget).map_err(many)?, Moment::Passed)
        }
    };
    let mut tails = Vec::new();
    for state in states {
        tails.extend(letters(system, meanings, state, moment, budget).map_err(many)?);
    }
    tails.sort_unstable();
    tails.dedup();
    Ok(tails)
}

/// The places of a list of steps.
fn places(
    system: &System<'_>,
    meanings: &[Meaning],
    word: &mut Word,
    part: Section,
    steps: &[Step],
) -> Result<Vec<WordItem>, Objection> {
    let mut places = Vec::with_capacity(steps.len());
    for (number, step) in steps.iter().enumerate() {
        let state = State::of(&step.config);
        let seen = !system.is_hidden(state.head());
        let letter = seen.then(|| word.letter(letter(system, meanings, &state, Moment::Passed)));
        let call = match step.then {
            Then::Step => None,
            Then::Call(call) => Some(call),
            Then::Leap(_) => {
                let why = "what holds during the turns of a loop is not listed, so this shows no violation";
                return Err(Objection { at: Some((part, number)), why: why.into() });
            }
        };
        places.push(WordItem { letter, call });
    }
    Ok(places)
}
