//! Where control can be in a unit: which events are done, and what may come next. An event that conflicts with nothing that is still to come is
//! not waited with.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use super::Pairs;
use super::code::{Code, Marker};
use crate::c::expression::ExpressionId;
use crate::c::program::{Label, StatementKind};

/// Where control is in a unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// Before which statements; ascending.
    threads: Vec<usize>,
    /// Which side effects are still to be done; ascending.
    pending: Vec<usize>,
    /// What was read by updates that have not written yet.
    held: BTreeSet<usize>,
}

/// What may be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The statement.
    pub at: usize,
    /// Whether a value is read again.
    pub again: bool,
}

/// How a state goes on after a step.
#[derive(Clone, Debug)]
pub enum After {
    /// The statements that are executed, and the state then.
    Then(Vec<StatementKind>, State),
    /// A branch to two states, or out of the unit.
    Either(ExpressionId, Result<State, Label>, Result<State, Label>),
    /// A jump out of the unit.
    Out(Label),
    /// Control does not go on in the procedure.
    Never(StatementKind),
}

/// A unit of which all orders are looked at.
pub struct Weaver<'c> {
    pub code: &'c Code,
    /// What each statement conflicts with.
    conflicts: HashMap<usize, Vec<usize>>,
    /// The calls that cannot come any more once something was read to be updated.
    bars: HashMap<usize, Vec<usize>>,
    /// The read of each update by its side effect.
    reads: HashMap<usize, usize>,
    /// To what control can get from each statement.
    reach: Vec<BTreeSet<usize>>,
    paths: Vec<Vec<(usize, usize)>>,
}

impl<'c> Weaver<'c> {
    pub fn new(code: &'c Code, pairs: &Pairs) -> Self {
        let paths = code.paths();
        let mut conflicts: HashMap<usize, Vec<usize>> = HashMap::new();
        let mut add = |a: usize, b: usize| {
            for (a, b) in [(a, b), (b, a)] {
                let list = conflicts.entry(a).or_default();
                if !list.contains(&b) {
                    list.push(b);
                }
            }
        };
        for &(a, b) in pairs {
            // Parts that are whole conflict as such.
            match Code::apart(&paths, a, b) {
                Some(fork) if code.fork(fork).0 => {
                    let (one, other) = (part(&paths[a], fork), part(&paths[b], fork));
                    let (_, parts, _) = code.fork(fork);
                    add(parts[one], parts[other]);
                }
                _ => add(a, b),
            }
        }
        let reach = (0..code.len()).map(|at| reachable(code, at)).collect();
        let reads: HashMap<usize, usize> = (0..code.len())
            .filter_map(|at| match code.markers[at] {
                Some(Marker::Float { old: Some(old) }) => Some((at, old)),
                _ => None,
            })
            .collect();
        let matters = |at: usize| pairs.iter().any(|(a, b)| *a == at || *b == at);
        let bars = reads.iter().map(|(float, old)| (*old, barred(code, &paths, *float, *old, &matters))).collect();
        Weaver { code, conflicts, bars, reads, reach, paths }
    }

    /// Where control is at first.
    pub fn first(&self) -> State {
        self.settled(State { threads: vec![0], ..State::default() })
    }

    /// Whether all is done.
    pub fn is_done(&self, state: &State) -> bool {
        state.threads == [self.code.len()]
    }

    /// Where control gets without an event.
    fn settled(&self, mut state: State) -> State {
        'again: loop {
            for (index, &at) in state.threads.iter().enumerate() {
                let Some(marker) = self.code.markers.get(at) else { continue };
                let to = match marker {
                    Some(Marker::Fork { .. }) => self.code.successors(at),
                    Some(Marker::Settle { from }) if !state.pending.iter().any(|float| (*from..at).contains(float)) => {
                        vec![at + 1]
                    }
                    Some(Marker::Float { .. }) => {
                        state.pending.push(at);
                        vec![at + 1]
                    }
                    Some(Marker::End { fork }) => {
                        let ended = |at: &usize| matches!(&self.code.markers.get(*at), Some(Some(Marker::End { fork: of })) if of == fork);
                        let (_, parts, join) = self.code.fork(*fork);
                        if state.threads.iter().filter(|at| ended(at)).count() < parts.len() {
                            continue;
                        }
                        state.threads.retain(|at| !ended(at));
                        state.threads.push(join);
                        state.threads.sort_unstable();
                        continue 'again;
                    }
                    None if self.code.statements[at].kind == StatementKind::Skip => vec![at + 1],
                    _ => continue,
                };
                state.threads.remove(index);
                state.threads.extend(to);
                state.threads.sort_unstable();
                state.pending.sort_unstable();
                continue 'again;
            }
            return state;
        }
    }

    /// What may be done next, from left to right; only one if the order does not matter.
    pub fn steps(&self, state: &State) -> Vec<Step> {
        let mut enabled: Vec<usize> = state.pending.clone();
        enabled.extend(state.threads.iter().copied().filter(|&at| self.is_enabled(state, at)));
        enabled.sort_unstable_by_key(|at| (self.turn(*at), *at));
        let step = |at: usize| {
            let again = matches!(self.code.markers[at], Some(Marker::Value { float, .. })
                if self.conflicts.contains_key(&at) && !state.pending.contains(&float));
            [Some(Step { at, again: false }), again.then_some(Step { at, again: true })].into_iter().flatten()
        };
        let alone = enabled.iter().copied().find(|&at| self.is_alone(state, at));
        match alone {
            Some(at) => step(at).collect(),
            None => enabled.into_iter().flat_map(step).collect(),
        }
    }

    fn is_enabled(&self, state: &State, at: usize) -> bool {
        let Some(marker) = self.code.markers.get(at) else { return false };
        match marker {
            Some(Marker::Settle { .. } | Marker::End { .. }) => false,
            Some(Marker::Begin) => self.is_free(state, at),
            _ => {
                // What was read is written before anything is called.
                state.held.is_empty() || !self.code.calls(at)
            }
        }
    }

    /// When a statement comes from left to right: what is there is read after the right side of the operator that updates it.
    fn turn(&self, at: usize) -> usize {
        self.code.right_side(at).end.max(at + 1)
    }

    /// Whether no other part of the fork is being done.
    fn is_free(&self, state: &State, begin: usize) -> bool {
        let Some(&(fork, _)) = self.paths[begin].last() else { return true };
        let inside = |at: &usize| self.paths.get(*at).is_some_and(|path| path.iter().any(|(of, _)| *of == fork));
        let waits = |at: &usize| {
            matches!(self.code.markers[*at], Some(Marker::Begin)) && self.paths[*at].last().map(|of| of.0) == Some(fork)
                || matches!(self.code.markers[*at], Some(Marker::End { fork: of }) if of == fork)
        };
        state.threads.iter().filter(|at| inside(at)).all(waits)
    }

    /// Whether an event conflicts with nothing that is still to come.
    fn is_alone(&self, state: &State, at: usize) -> bool {
        let lists = [self.conflicts.get(&at), self.bars.get(&at)];
        let comes = |other: &usize| {
            state.pending.contains(other)
                || state.threads.iter().any(|thread| self.reach.get(*thread).is_some_and(|reach| reach.contains(other)))
        };
        !lists.into_iter().flatten().flatten().any(comes)
    }

    /// What a step does.
    fn after(&self, state: &State, step: Step) -> After {
        let at = step.at;
        let again = match (&self.code.markers[at], &self.code.statements[at].kind) {
            (Some(Marker::Value { again, .. }), StatementKind::Assign(to, _)) if step.again => {
                Some(StatementKind::Assign(*to, *again))
            }
            _ => None,
        };
        let elsewhere = |to: Option<usize>| {
            let mut threads: Vec<usize> = state.threads.iter().copied().filter(|thread| *thread != at).collect();
            threads.extend(to);
            threads.sort_unstable();
            let mut held = state.held.clone();
            if self.bars.contains_key(&at) {
                held.insert(at);
            }
            self.settled(State { threads, pending: state.pending.clone(), held })
        };
        let kind = &self.code.statements[at].kind;
        if state.pending.contains(&at) {
            let pending = state.pending.iter().copied().filter(|float| *float != at).collect();
            let mut held = state.held.clone();
            if let Some(old) = self.reads.get(&at) {
                held.remove(old);
            }
            let state = self.settled(State { threads: state.threads.clone(), pending, held });
            return After::Then(vec![kind.clone()], state);
        }
        let to = |label: &Label| match self.code.jumps.get(label) {
            Some(to) => Ok(elsewhere(Some(*to))),
            None => Err(*label),
        };
        match (&self.code.markers[at], kind) {
            (Some(Marker::Block { end }), _) => {
                let kinds = self.code.statements[at + 1..*end].iter().map(|statement| statement.kind.clone());
                After::Then(kinds.collect(), elsewhere(Some(*end)))
            }
            (Some(Marker::Begin), _) => After::Then(Vec::new(), elsewhere(Some(at + 1))),
            (_, StatementKind::Goto(label)) => match to(label) {
                Ok(state) => After::Then(Vec::new(), state),
                Err(label) => After::Out(label),
            },
            (_, StatementKind::Branch(e, yes, no)) => After::Either(*e, to(yes), to(no)),
            (_, StatementKind::Fail(_) | StatementKind::Exit(_) | StatementKind::Return(_)) => {
                After::Never(kind.clone())
            }
            _ => After::Then(vec![again.unwrap_or_else(|| kind.clone())], elsewhere(Some(at + 1))),
        }
    }
}

fn reachable(code: &Code, from: usize) -> BTreeSet<usize> {
    let (mut met, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(at) = open.pop() {
        for next in code.successors(at) {
            if next < code.len() && met.insert(next) {
                open.push(next);
            }
        }
    }
    met
}

/// The part of a fork in which something is.
fn part(path: &[(usize, usize)], fork: usize) -> usize {
    path.iter().find(|(of, _)| *of == fork).map_or(0, |(_, part)| *part)
}

/// The calls that cannot come between a read and the side effect that updates what was read, and would do so in some order: those of the right
/// side, and others beside the read if anything that is done meanwhile matters to something.
fn barred(
    code: &Code,
    paths: &[Vec<(usize, usize)>],
    float: usize,
    old: usize,
    matters: &impl Fn(usize) -> bool,
) -> Vec<usize> {
    let right = code.right_side(old);
    let open = matters(old) || matters(float) || right.clone().any(matters);
    let is_beside = |at: usize| Code::apart(paths, old, at).is_some_and(|fork| !code.fork(fork).0);
    (0..code.len()).filter(|at| code.calls(*at) && (right.contains(at) || open && is_beside(*at))).collect()
}

/// What can be done in a unit.
pub struct Space {
    /// What may come next in each state, from left to right; nothing where all is done.
    pub moves: HashMap<State, Vec<(Step, After)>>,
    /// The states that no order leads to the end from: something is still to be called, and barred.
    dead: HashSet<State>,
}

impl Space {
    /// All states of a unit; nothing if they are more than so many.
    pub fn new(weaver: &Weaver<'_>, most: usize) -> Option<Space> {
        let mut space = Space { moves: HashMap::new(), dead: HashSet::new() };
        let mut open = VecDeque::from([weaver.first()]);
        while let Some(state) = open.pop_front() {
            if space.moves.contains_key(&state) {
                continue;
            }
            if space.moves.len() >= most {
                return None;
            }
            let steps = if weaver.is_done(&state) { Vec::new() } else { weaver.steps(&state) };
            let moves: Vec<(Step, After)> = steps.into_iter().map(|step| (step, weaver.after(&state, step))).collect();
            open.extend(moves.iter().flat_map(|(_, after)| after.states()).cloned());
            space.moves.insert(state, moves);
        }
        space.look_for_dead_ends(weaver);
        Some(space)
    }

    /// Whether no order leads to the end from a state.
    pub fn is_dead(&self, state: &State) -> bool {
        self.dead.contains(state)
    }

    fn look_for_dead_ends(&mut self, weaver: &Weaver<'_>) {
        let mut before: HashMap<&State, Vec<&State>> = HashMap::new();
        for (state, moves) in &self.moves {
            for next in moves.iter().flat_map(|(_, after)| after.states()) {
                before.entry(next).or_default().push(state);
            }
        }
        let mut dead: HashSet<State> = HashSet::new();
        let stuck = self.moves.iter().filter(|(state, moves)| moves.is_empty() && !weaver.is_done(state));
        let mut open: Vec<&State> = stuck.map(|(state, _)| state).collect();
        while let Some(state) = open.pop() {
            if dead.insert(state.clone()) {
                let dies = |state: &&&State| self.moves[**state].iter().all(|(_, after)| after.is_dead(&dead));
                open.extend(before.get(state).into_iter().flatten().filter(dies));
            }
        }
        for moves in self.moves.values_mut() {
            moves.retain(|(_, after)| !after.is_dead(&dead));
        }
        self.dead = dead;
    }
}

impl After {
    fn states(&self) -> Vec<&State> {
        match self {
            After::Then(_, state) => vec![state],
            After::Either(_, yes, no) => yes.as_ref().ok().into_iter().chain(no.as_ref().ok()).collect(),
            After::Out(_) | After::Never(_) => Vec::new(),
        }
    }

    /// Whether nothing but states without an end comes then.
    fn is_dead(&self, dead: &HashSet<State>) -> bool {
        let is_dead = |to: &Result<State, Label>| to.as_ref().is_ok_and(|state| dead.contains(state));
        match self {
            After::Then(_, state) => dead.contains(state),
            After::Either(_, yes, no) => is_dead(yes) && is_dead(no),
            After::Out(_) | After::Never(_) => false,
        }
    }
}
