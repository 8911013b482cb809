//! All orders of the events of a unit that conflict, as statements: one part of the code for each set of events that are done, and a choice
//! wherever one of several may come next. An event that conflicts with nothing that is still to come is not waited with.

use std::collections::{BTreeSet, HashMap, VecDeque};

use lang_c::span::Span;

use super::Pairs;
use super::code::{Code, Marker};
use crate::c::expression::{Binary, ExpressionId, LvalueKind};
use crate::c::lower::body::Mark;
use crate::c::lower::{Lowered, Lowering};
use crate::c::program::{Label, ORDER, Statement, StatementKind, Storage, Variable};
use crate::c::types::Rank;

/// More statements are not made of one unit: all orders of eight calls are some 3,000.
const MOST: usize = 4_000;

/// Where control is in a unit: before which statements, and which side effects are still to be done. Both ascend.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<usize>,
    pending: Vec<usize>,
}

/// What may be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    /// The statement.
    at: usize,
    /// Whether a value is read again.
    again: bool,
}

/// How a state goes on after a step.
enum After {
    /// The statements that are executed, and the state then.
    Then(Vec<StatementKind>, State),
    /// A branch to two states, or out of the unit.
    Either(ExpressionId, Result<State, Label>, Result<State, Label>),
    /// A jump out of the unit.
    Out(Label),
    /// Control does not go on in the procedure.
    Never(StatementKind),
}

struct Weaver<'c> {
    code: &'c Code,
    /// What each statement conflicts with.
    conflicts: HashMap<usize, Vec<usize>>,
    /// To what control can get from each statement.
    reach: Vec<BTreeSet<usize>>,
    paths: Vec<Vec<(usize, usize)>>,
}

impl<'c> Weaver<'c> {
    fn new(code: &'c Code, pairs: &Pairs) -> Self {
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
            let apart = paths[a].iter().zip(&paths[b]).find(|(one, other)| one != other);
            match apart {
                Some((one, other)) if one.0 == other.0 && code.fork(one.0).0 => {
                    let (_, parts, _) = code.fork(one.0);
                    add(parts[one.1], parts[other.1]);
                }
                _ => add(a, b),
            }
        }
        let reach = (0..code.len()).map(|at| reachable(code, at)).collect();
        Weaver { code, conflicts, reach, paths }
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
    fn steps(&self, state: &State) -> Vec<Step> {
        let mut enabled: Vec<usize> = state.pending.clone();
        enabled.extend(state.threads.iter().copied().filter(|&at| self.is_enabled(state, at)));
        enabled.sort_unstable();
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
                let updating = |at: &usize| self.code.markers[*at] == Some(Marker::Float { update: true });
                !self.calls(at) || !state.pending.iter().any(updating)
            }
        }
    }

    fn calls(&self, at: usize) -> bool {
        let range = match self.code.markers[at] {
            Some(Marker::Block { end }) => at..end,
            _ => at..at + 1,
        };
        self.code.statements[range]
            .iter()
            .any(|statement| matches!(statement.kind, StatementKind::Call(..) | StatementKind::External(..)))
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
        let Some(others) = self.conflicts.get(&at) else { return true };
        let comes = |other: &usize| {
            state.pending.contains(other)
                || state.threads.iter().any(|thread| self.reach.get(*thread).is_some_and(|reach| reach.contains(other)))
        };
        !others.iter().any(comes)
    }

    fn after(&self, state: &State, step: Step, again: Option<StatementKind>) -> After {
        let at = step.at;
        let elsewhere = |to: Option<usize>| {
            let mut threads: Vec<usize> = state.threads.iter().copied().filter(|thread| *thread != at).collect();
            threads.extend(to);
            threads.sort_unstable();
            self.settled(State { threads, pending: state.pending.clone() })
        };
        let kind = &self.code.statements[at].kind;
        if state.pending.contains(&at) {
            let pending = state.pending.iter().copied().filter(|float| *float != at).collect();
            return After::Then(vec![kind.clone()], self.settled(State { threads: state.threads.clone(), pending }));
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

/// The statements that are being made.
#[derive(Default)]
struct Woven {
    marks: HashMap<State, Mark>,
    open: VecDeque<State>,
}

impl Lowering<'_> {
    /// Emits a unit so that its events come in every order that C allows; `span` is its text.
    pub(super) fn weave(&mut self, code: &Code, pairs: &Pairs, span: Span) -> Lowered<()> {
        if code.statements.iter().any(|statement| !statement.labels.is_empty()) {
            return Err(self.error("a label in an expression in which C leaves open what is evaluated first", span));
        }
        let weaver = Weaver::new(code, pairs);
        let mut woven = Woven::default();
        let (start, place) = (self.now(), self.body()?.place);
        let exit = self.body()?.mark();
        let first = weaver.settled(State { threads: vec![0], pending: Vec::new() });
        self.mark_of(&mut woven, first)?;
        while let Some(state) = woven.open.pop_front() {
            if self.now() - start > MOST {
                let message =
                    "C leaves open in which order this is evaluated, and there are too many orders that matter";
                return Err(self.error(message, span));
            }
            let mark = self.mark_of(&mut woven, state.clone())?;
            self.body()?.place_mark(mark);
            if state.threads == [code.len()] {
                self.body()?.goto(exit);
                continue;
            }
            self.go_on(&weaver, &state, &mut woven)?;
        }
        let body = self.body()?;
        body.place = place;
        body.place_mark(exit);
        Ok(())
    }

    fn mark_of(&mut self, woven: &mut Woven, state: State) -> Lowered<Mark> {
        if let Some(&mark) = woven.marks.get(&state) {
            return Ok(mark);
        }
        let mark = self.body()?.mark();
        woven.marks.insert(state.clone(), mark);
        woven.open.push_back(state);
        Ok(mark)
    }

    /// The steps of a state: one of them is chosen.
    fn go_on(&mut self, weaver: &Weaver<'_>, state: &State, woven: &mut Woven) -> Lowered<()> {
        let steps = weaver.steps(state);
        let Some((&first, others)) = steps.split_first() else { return Ok(()) };
        self.body()?.place = weaver.code.statements[first.at].place;
        let chosen = match others {
            [] => None,
            _ => Some(self.choice(weaver.code, first, others)?),
        };
        for (number, &other) in (1..).zip(others) {
            let Some(chosen) = chosen else { break };
            let (taken, next) = (self.body()?.mark(), self.body()?.mark());
            let number = self.constant(number, self.ty(chosen));
            let here = self.binary(Binary::Equal, chosen, number);
            self.body()?.branch(here, taken, next);
            self.body()?.place_mark(taken);
            self.take(weaver, state, other, woven)?;
            self.body()?.place_mark(next);
        }
        self.take(weaver, state, first, woven)
    }

    fn take(&mut self, weaver: &Weaver<'_>, state: &State, step: Step, woven: &mut Woven) -> Lowered<()> {
        let Statement { kind, place, .. } = weaver.code.statements[step.at].clone();
        self.body()?.place = place;
        let again = match (&weaver.code.markers[step.at], kind) {
            (Some(Marker::Value { again, .. }), StatementKind::Assign(to, _)) if step.again => {
                Some(StatementKind::Assign(to, *again))
            }
            _ => None,
        };
        match weaver.after(state, step, again) {
            After::Then(kinds, state) => {
                for kind in kinds {
                    self.emit(kind)?;
                }
                let mark = self.mark_of(woven, state)?;
                self.body()?.goto(mark);
            }
            After::Either(e, yes, no) => {
                let mut to = |this: &mut Self, to: Result<State, Label>| match to {
                    Ok(state) => this.mark_of(woven, state),
                    Err(Label(mark)) => Ok(Mark(mark)),
                };
                let (yes, no) = (to(self, yes)?, to(self, no)?);
                self.body()?.branch(e, yes, no);
            }
            After::Out(Label(mark)) => self.body()?.goto(Mark(mark)),
            After::Never(kind) => self.emit(kind)?,
        }
        Ok(())
    }

    /// A number that chooses between steps: 0 is the one that stands first.
    fn choice(&mut self, code: &Code, first: Step, others: &[Step]) -> Lowered<ExpressionId> {
        let ty = self.types.integer(Rank::Char, false);
        let to = self.intermediate(ty)?;
        if let LvalueKind::Variable(id) = self.terms.at(to).kind {
            let name = format!("{ORDER}{}", self.orders.len() + 1).into();
            let before = self.told(code, first);
            let told = others.iter().map(|&other| match other.again {
                true => format!("reads {} again", self.told(code, other)).into(),
                false => format!("evaluates {} before {before}", self.told(code, other)).into(),
            });
            let told = told.collect();
            self.orders.insert(id, told);
            let known: &mut Variable = &mut self.variables[id.0 as usize];
            debug_assert!(matches!(known.storage, Storage::Local(_)));
            known.name = name;
        }
        self.emit(StatementKind::Input(to, ORDER.into()))?;
        Ok(self.read(to))
    }

    /// The text of an event.
    fn told(&self, code: &Code, step: Step) -> String {
        let span = code.spans[step.at];
        let text = self.units[self.unit].prepared.text.get(span.start..span.end).unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut text = words.join(" ");
        if text.chars().count() > 40 {
            text = text.chars().take(39).chain(['…']).collect();
        }
        match code.markers[step.at] {
            Some(Marker::Float { .. }) => format!("the side effect of `{text}`"),
            Some(Marker::Value { .. }) => format!("the value of `{text}`"),
            Some(Marker::Old) => format!("the old value of `{text}`"),
            _ => format!("`{text}`"),
        }
    }
}
