//! A run that was found, as the words that it may read: folded calls unfolded, hidden configurations left out.

use puch::ltl::atoms::Meaning;
use puch::options::Runs;
use puch::run::{Config, Ending, Run, Step, Then};
use spds_format::Spds;

use crate::lasso::Lasso;
use crate::oracle::ltl::Machine;
use crate::oracle::{self, Next, State};

/// Longer runs are not unfolded.
const LONGEST: usize = 1_500;

/// The words that a run which is said to violate something may read; several only if the step with which it fails or
/// terminates is not determined. `None` if it is too long.
///
/// # Errors
/// What is wrong with the run, if it does not count.
pub fn words(spds: &Spds, run: &Run, runs: Runs, meanings: &[Meaning]) -> Result<Option<Vec<Lasso>>, String> {
    let (mut stem, mut cycle) = (Vec::new(), Vec::new());
    let whole =
        expand(run, &run.stem, &mut stem) && run.cycle.as_ref().is_none_or(|steps| expand(run, steps, &mut cycle));
    if !whole {
        return Ok(None);
    }
    let machine = &mut Machine::new(spds);
    let last = stem.last().cloned();
    stem.retain(|state| !hidden(machine, state));
    cycle.retain(|state| !hidden(machine, state));
    let mut letters: Vec<u32> = stem.iter().map(|state| letter(machine, meanings, state, false)).collect();
    let back = letters.len();
    let after = |wanted: &dyn Fn(Next) -> Option<State>| -> Vec<State> {
        let next = last.iter().flat_map(|last| oracle::successors(spds, last));
        next.filter_map(|(_, next)| wanted(next)).filter(|state| oracle::invariant(spds, state)).collect()
    };
    let ends = match run.ending {
        Ending::Loop => {
            let ended = |state: &State| [spds.end, spds.fail].contains(&Some(state.symbol));
            if runs == Runs::Infinite && cycle.iter().any(ended) {
                return Err("the loops of the ends do not exist".into());
            }
            if cycle.is_empty() {
                return Err("nothing is seen of the cycle".into());
            }
            letters.extend(cycle.iter().map(|state| letter(machine, meanings, state, false)));
            return Ok(Some(vec![Lasso { letters, back }]));
        }
        Ending::Stuck if runs == Runs::Stutter => {
            let Some(last) = last.filter(|last| !hidden(machine, last)) else {
                return Err("a hidden configuration does not repeat".into());
            };
            let place = letters.len() - 1;
            letters[place] = letter(machine, meanings, &last, true);
            return Ok(Some(vec![Lasso { letters, back: place }]));
        }
        Ending::Terminated if runs != Runs::Infinite => {
            let Some(end) = spds.end.filter(|end| spds.start.stack.last() == Some(end)) else {
                return Err("it ends with the empty stack".into());
            };
            after(&|next| match next {
                Next::Pop(control, globals) => Some(State { control, symbol: end, globals, locals: Vec::new() }),
                _ => None,
            })
        }
        Ending::Failed if runs != Runs::Infinite => after(&|next| match next {
            Next::Swap(state) | Next::Push(state, ..) if Some(state.symbol) == spds.fail => Some(state),
            _ => None,
        }),
        ending => return Err(format!("a run with the ending {ending:?} does not count")),
    };
    let words = ends.iter().map(|end| {
        let letters = [&letters[..], &[letter(machine, meanings, end, false)]].concat();
        Lasso { letters, back }
    });
    Ok(Some(words.collect()))
}

fn expand(run: &Run, steps: &[Step], states: &mut Vec<State>) -> bool {
    steps.iter().all(|step| {
        states.push(state(&step.config));
        let deeper = match step.then {
            Then::Step => true,
            Then::Call(call) => expand(run, &run.calls[call].steps, states),
            Then::Leap(_) => false,
        };
        deeper && states.len() <= LONGEST
    })
}

fn state(config: &Config) -> State {
    State {
        control: config.control,
        symbol: config.symbol,
        globals: config.globals.to_vec(),
        locals: config.locals.to_vec(),
    }
}

fn hidden(machine: &mut Machine<'_>, state: &State) -> bool {
    let number = machine.number(state);
    machine.hidden(number)
}

/// A bit for each proposition.
pub fn letter(machine: &mut Machine<'_>, meanings: &[Meaning], state: &State, stuck: bool) -> u32 {
    let number = machine.number(state);
    let truths = machine.letter(meanings, number, stuck);
    truths.iter().rev().fold(0, |bits, bit| bits << 1 | u32::from(*bit))
}
