//! The events of a unit, with what is beside what.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use lang_c::span::Span;

use crate::c::expression::ExpressionId;
use crate::c::program::{Label, Statement, StatementKind, VariableId};

/// What a statement of a unit is, if it is not just done. Numbers are those of statements of the body, and in [`Code`] those of the
/// statements of the unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marker {
    /// Nothing: parts begin there that are beside one another, and when all are done it goes on where they are joined. Whole parts do
    /// not interleave.
    Fork { whole: bool, parts: Vec<usize>, join: usize },
    /// Nothing: the end of a part.
    End { fork: usize },
    /// Nothing: the beginning of a part that does not interleave with others.
    Begin,
    /// Nothing: side effects from there on are done before it goes on.
    Settle { from: usize },
    /// Nothing: the statements up to there are one event.
    Block { end: usize },
    /// A side effect, which is done at some time after it is met; an update has read what it writes there.
    Float { old: Option<usize> },
    /// The value that a side effect stores, or what is there after it: this expression.
    Value { float: usize, again: ExpressionId },
    /// The read of an update, beside the right side of an operator: the second part of this fork.
    Old { fork: Option<usize> },
}

/// A unit: its events from left to right.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// What they do.
    pub statements: Vec<Statement>,
    /// Where labels lead; those that are not here lead out of it.
    pub jumps: HashMap<Label, usize>,
    /// What they are beside.
    pub markers: Vec<Option<Marker>>,
    /// Of which text they come.
    pub spans: Vec<Span>,
    /// An object that is new, so that nothing else can lead to it.
    pub fresh: Option<VariableId>,
}

impl Code {
    /// The statements of a body from one on.
    pub fn new(
        statements: Vec<Statement>,
        jumps: HashMap<Label, usize>,
        markers: BTreeMap<usize, Marker>,
        mut spans: Vec<Span>,
        start: usize,
        fresh: Option<VariableId>,
    ) -> Code {
        let mut all = vec![None; statements.len()];
        for (at, mut marker) in markers.range(start..).map(|(at, marker)| (*at, marker.clone())) {
            match &mut marker {
                Marker::Fork { parts, join, .. } => {
                    parts.iter_mut().for_each(|part| *part -= start);
                    *join = join.saturating_sub(start);
                }
                Marker::End { fork: at } | Marker::Value { float: at, .. } | Marker::Block { end: at } => *at -= start,
                Marker::Settle { from } => *from = from.saturating_sub(start),
                Marker::Float { old } => old.iter_mut().for_each(|old| *old -= start),
                Marker::Old { fork } => fork.iter_mut().for_each(|fork| *fork -= start),
                Marker::Begin => {}
            }
            all[at - start] = Some(marker);
        }
        spans.resize(statements.len(), Span::none());
        Code { statements, jumps, markers: all, spans, fresh }
    }

    /// How many statements there are.
    pub fn len(&self) -> usize {
        self.statements.len()
    }

    /// What a fork leads to: its parts, and where they are joined.
    pub fn fork(&self, at: usize) -> (bool, &[usize], usize) {
        match self.markers.get(at) {
            Some(Some(Marker::Fork { whole, parts, join })) => (*whole, parts, *join),
            _ => (false, &[], at + 1),
        }
    }

    /// Where control is within the unit after a statement, whatever else is done meanwhile.
    pub fn successors(&self, at: usize) -> Vec<usize> {
        let inside = |label: &Label| self.jumps.get(label).copied();
        match (&self.markers[at], &self.statements[at].kind) {
            (Some(Marker::Fork { parts, join, .. }), _) => match parts.is_empty() {
                true => vec![*join],
                false => parts.clone(),
            },
            (Some(Marker::End { fork }), _) => vec![self.fork(*fork).2],
            (Some(Marker::Block { end }), _) => vec![*end],
            (_, StatementKind::Goto(to)) => inside(to).into_iter().collect(),
            (_, StatementKind::Branch(_, yes, no)) => inside(yes).into_iter().chain(inside(no)).collect(),
            (_, StatementKind::Fail(_) | StatementKind::Exit(_) | StatementKind::Return(_)) => Vec::new(),
            _ => vec![at + 1],
        }
    }

    /// The parts in which each statement is, outermost first: the fork, and the number of the part.
    pub fn paths(&self) -> Vec<Vec<(usize, usize)>> {
        let mut paths = vec![Vec::new(); self.len()];
        for fork in 0..self.len() {
            let (_, parts, join) = self.fork(fork);
            let ends = parts.iter().skip(1).copied().chain([join]);
            for (number, (from, to)) in parts.iter().zip(ends).enumerate() {
                for path in &mut paths[*from..to] {
                    path.push((fork, number));
                }
            }
        }
        paths
    }

    /// What may be done between when a side effect is met and the sequence point before which it is done.
    pub fn unsettled(&self, float: usize) -> BTreeSet<usize> {
        let settles =
            |at: usize| matches!(self.markers[at], Some(Marker::Settle { from }) if (from..at).contains(&float));
        let (mut met, mut open) = (BTreeSet::new(), vec![float + 1]);
        while let Some(at) = open.pop() {
            if at < self.len() && !settles(at) && met.insert(at) {
                open.extend(self.successors(at));
            }
        }
        met
    }

    /// Whether two statements are in parts that are beside one another: in which fork.
    pub fn apart(paths: &[Vec<(usize, usize)>], a: usize, b: usize) -> Option<usize> {
        let (one, other) = paths[a].iter().zip(&paths[b]).find(|(one, other)| one != other)?;
        (one.0 == other.0).then_some(one.0)
    }

    /// Whether something is called in an event.
    pub fn calls(&self, at: usize) -> bool {
        let range = match self.markers[at] {
            Some(Marker::Block { end }) => at..end,
            _ => at..at + 1,
        };
        self.statements[range]
            .iter()
            .any(|statement| matches!(statement.kind, StatementKind::Call(..) | StatementKind::External(..)))
    }

    /// The right side of the operator that updates what is read there.
    pub fn right_side(&self, old: usize) -> Range<usize> {
        match self.markers[old] {
            Some(Marker::Old { fork: Some(fork) }) => match self.fork(fork) {
                (_, [.., right], join) => *right..join,
                _ => old..old,
            },
            _ => old..old,
        }
    }
}
