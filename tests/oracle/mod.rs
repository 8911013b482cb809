//! The oracle: a naive explicit checker of pushdown systems, for small state spaces.
//!
//! Independent of everything in `src`: an evaluator of its own that tries every way to draw every `*`, every value of
//! every free variable, and the tabulation of path edges and summaries of Reps, Horwitz & Sagiv (POPL 1995) on concrete
//! values. Slow, short and obvious.
#![allow(dead_code, reason = "each test binary uses its own part")]

pub mod certificates;
pub mod heights;
pub mod influence;
pub mod ltl;
mod semantics;
pub mod sets;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use spds_format::Spds;
use spds_format::model::{ControlId, Rule, SymbolId, Variable};

use semantics::{domains, product};
pub use semantics::{holds_before, invariant, successors};

/// A configuration without what lies below.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    pub control: ControlId,
    pub symbol: SymbolId,
    pub globals: Vec<u64>,
    pub locals: Vec<u64>,
}

/// What a rule leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Next {
    Swap(State),
    /// The callee's first state; the return site and its locals.
    Push(State, SymbolId, Vec<u64>),
    Pop(ControlId, Vec<u64>),
}

/// In which frame a state is: how many symbols of the start stack are gone, or the entry of a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Context {
    Start(usize),
    Call(State),
}

/// Everything about the runs of a system.
#[derive(Default)]
pub struct Explored {
    /// All reachable states, with the frames in which they are.
    pub edges: BTreeSet<(Context, State)>,
    /// Control location and globals after the return of a call entered so.
    pub summaries: BTreeMap<Context, BTreeSet<(ControlId, Vec<u64>)>>,
    /// The fewest steps to each reachable state when a call that returns counts as one and a silent rule as none.
    pub distances: BTreeMap<State, u64>,
}

impl Explored {
    /// The fewest steps to one of the symbols, if they are reachable.
    pub fn distance(&self, targets: &[SymbolId]) -> Option<u64> {
        self.distances.iter().filter(|(state, _)| targets.contains(&state.symbol)).map(|(_, steps)| *steps).min()
    }

    /// The fewest steps to a state in which an assertion can fail.
    pub fn failing(&self, spds: &Spds) -> Option<u64> {
        let fails = |next: &Next| matches!(next, Next::Swap(state) if Some(state.symbol) == spds.fail);
        let failing = |state: &State| successors(spds, state).iter().any(|(_, next)| fails(next));
        self.distances.iter().filter(|(state, _)| failing(state)).map(|(_, steps)| *steps).min()
    }

    /// All values with which a symbol is on top.
    pub fn values(&self, symbol: SymbolId) -> BTreeSet<&State> {
        self.distances.keys().filter(|state| state.symbol == symbol).collect()
    }
}

/// Explores everything.
pub fn explore(spds: &Spds) -> Explored {
    explore_within(spds, usize::MAX).expect("there are fewer states than that")
}

/// The same; `None` if there are more states, each counted in every frame in which it is, than so many.
pub fn explore_within(spds: &Spds, most: usize) -> Option<Explored> {
    let mut all = Explored::default();
    let mut callers: BTreeMap<Context, BTreeSet<(Context, SymbolId, Vec<u64>)>> = BTreeMap::new();
    let mut known: BTreeMap<State, Vec<(&Rule, Next)>> = BTreeMap::new();
    let mut work: Vec<(Context, State)> = starts(spds).into_iter().map(|state| (Context::Start(0), state)).collect();
    while let Some((context, state)) = work.pop() {
        if !all.edges.insert((context.clone(), state.clone())) {
            continue;
        }
        if all.edges.len() > most {
            return None;
        }
        let next = known.entry(state).or_insert_with_key(|state| successors(spds, state));
        for (_, next) in next.clone() {
            match next {
                Next::Swap(state) => work.push((context.clone(), state)),
                Next::Push(entry, site, saved) => {
                    let callee = Context::Call(entry.clone());
                    for exit in all.summaries.get(&callee).into_iter().flatten() {
                        work.extend(resume(spds, exit, site, &saved).map(|state| (context.clone(), state)));
                    }
                    callers.entry(callee.clone()).or_default().insert((context.clone(), site, saved));
                    work.push((callee, entry));
                }
                Next::Pop(control, globals) => {
                    let exit = (control, globals);
                    for (caller, site, saved) in callers.get(&context).into_iter().flatten() {
                        work.extend(resume(spds, &exit, *site, saved).map(|state| (caller.clone(), state)));
                    }
                    work.extend(below(spds, &context, &exit));
                    all.summaries.entry(context.clone()).or_default().insert(exit);
                }
            }
        }
    }
    all.distances = distances(spds, &all.summaries);
    Some(all)
}

/// Breadth-first over complete summaries; a silent rule costs nothing. Frames of calls are not returned from: a call
/// that returns is one step.
fn distances(spds: &Spds, summaries: &BTreeMap<Context, BTreeSet<(ControlId, Vec<u64>)>>) -> BTreeMap<State, u64> {
    let inside = Context::Start(usize::MAX);
    let mut settled: BTreeMap<(Context, State), u64> = BTreeMap::new();
    let mut queue: VecDeque<(Context, State, u64)> =
        starts(spds).into_iter().map(|state| (Context::Start(0), state, 0)).collect();
    while let Some((context, state, steps)) = queue.pop_front() {
        if settled.contains_key(&(context.clone(), state.clone())) {
            continue;
        }
        for (rule, next) in successors(spds, &state) {
            let (mut same, mut later) = (Vec::new(), Vec::new());
            match next {
                Next::Swap(state) if rule.silent => same.push((context.clone(), state)),
                Next::Swap(state) => later.push((context.clone(), state)),
                Next::Push(entry, site, saved) => {
                    for exit in summaries.get(&Context::Call(entry.clone())).into_iter().flatten() {
                        later.extend(resume(spds, exit, site, &saved).map(|state| (context.clone(), state)));
                    }
                    later.push((inside.clone(), entry));
                }
                Next::Pop(control, globals) if context != inside => {
                    later.extend(below(spds, &context, &(control, globals)));
                }
                Next::Pop(..) => {}
            }
            same.into_iter().for_each(|(context, state)| queue.push_front((context, state, steps)));
            later.into_iter().for_each(|(context, state)| queue.push_back((context, state, steps + 1)));
        }
        settled.insert((context, state), steps);
    }
    let mut nearest = BTreeMap::new();
    for ((_, state), steps) in settled {
        let least = nearest.entry(state).or_insert(steps);
        *least = steps.min(*least);
    }
    nearest
}

/// The states in which runs start.
pub fn starts(spds: &Spds) -> Vec<State> {
    let (control, symbol) = (spds.start.control, spds.start.stack[0]);
    let mut all = Vec::new();
    for globals in product(&domains(&spds.globals)) {
        for locals in locals(spds, symbol) {
            all.push(State { control, symbol, globals: globals.clone(), locals });
        }
    }
    all.retain(|state| is_start(spds, state));
    all
}

/// Whether a state with the first symbol on top is one in which runs start.
pub fn is_start(spds: &Spds, state: &State) -> bool {
    let conditions = spds.start.condition.iter().chain(&spds.symbol(state.symbol).invariant);
    conditions.into_iter().all(|condition| holds_before(spds, condition, state))
}

/// All values that these variables can have.
pub fn valuations(variables: &[Variable]) -> Vec<Vec<u64>> {
    product(&domains(variables))
}

/// All values that these variables can have.
pub fn all_values(variables: &[spds_format::model::Variable]) -> Vec<Vec<u64>> {
    product(&domains(variables))
}

/// All values that the locals of a symbol can have.
pub fn locals(spds: &Spds, symbol: SymbolId) -> Vec<Vec<u64>> {
    product(&domains(spds.locals(symbol)))
}

/// All values that some variables can have.
pub fn values(variables: &[Variable]) -> Vec<Vec<u64>> {
    product(&domains(variables))
}

/// After a return into a frame of the start stack.
fn below(spds: &Spds, context: &Context, exit: &(ControlId, Vec<u64>)) -> Vec<(Context, State)> {
    let Context::Start(gone) = context else { return Vec::new() };
    let Some(symbol) = spds.start.stack.get(gone + 1) else { return Vec::new() };
    let locals = locals(spds, *symbol);
    let states = locals.iter().flat_map(|locals| resume(spds, exit, *symbol, locals));
    states.map(|state| (Context::Start(gone + 1), state)).collect()
}

fn resume(spds: &Spds, exit: &(ControlId, Vec<u64>), site: SymbolId, saved: &[u64]) -> Option<State> {
    let (control, globals) = exit.clone();
    let state = State { control, symbol: site, globals, locals: saved.to_vec() };
    invariant(spds, &state).then_some(state)
}
