//! From the relation of a rule, in which everything that is not said is arbitrary, to a rule of the model, in which
//! everything that is not said stays as it is.
//!
//! The relation is taken apart at its outermost `&`. What speaks of the values before alone is the guard; `x' = e` and the
//! like are updates; `x' = x`, where that is what the implicit frame says anyway, is nothing at all; the rest goes to `with`.
//! Arrays are kept cell by cell (`A i (0,7) a'[i] = a[i]`), or but for the cells that are assigned
//! (`a'[k] = e & A i (0,7) (i = k | a'[i] = a[i])`); whatever is said of an array in another way is left in `with`, which
//! makes its other cells arbitrary, as it should.

use std::ops::Range;

use rustc_hash::FxHashSet;
use spds_format::expr::{Binary, Expr, Op, Time, Unary};
use spds_format::model::{FrameId, Update, Var, Variable};

use super::targets::Targets;

/// The frames that a rule is between.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'a> {
    pub globals: &'a [Variable],
    /// The locals of the new top and their frame; none for a return.
    pub top: (&'a [Variable], Option<FrameId>),
    /// Those of what a call leaves below the top.
    pub below: (&'a [Variable], Option<FrameId>),
    /// The frame of the left side.
    pub from: Option<FrameId>,
    /// Whether the right side has two symbols.
    pub call: bool,
}

/// A relation as the parts of a rule.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub guard: Option<Expr>,
    pub updates: Vec<Update>,
    pub with: Option<Expr>,
    /// What could have kept its value and was not spoken of.
    pub forgotten: Vec<(Var, Time)>,
    /// Arrays of which some cells were kept and others not spoken of.
    pub half_forgotten: Vec<(Var, Time)>,
}

/// Takes a relation apart. Linear, but for sorting, and for an array the number of its cells.
pub(super) fn parts(ops: &[Op], step: Step<'_>) -> Parts {
    let starts = starts(ops);
    let mut targets = Targets::new(&step);
    let mut parts = Parts::default();
    let mut guard = Vec::new();
    let mut with = Vec::new();
    let mut seen: FxHashSet<&[Op]> = FxHashSet::default();
    for range in conjuncts(ops, &starts) {
        // Quantifiers that are written out repeat what does not depend on their variable.
        if !seen.insert(&ops[range.clone()]) {
            continue;
        }
        let conjunct = Conjunct { ops: &ops[range.clone()], starts: &starts[range.clone()], offset: range.start };
        match conjunct.meaning() {
            Meaning::Guard => guard.push(range),
            Meaning::Target { var, time, what } => targets.get(var, time).said.push((range, what)),
            Meaning::Other => {
                for (var, time) in conjunct.primed() {
                    targets.get(var, time).in_with = true;
                }
                with.push(range);
            }
        }
    }
    for target in targets.all {
        target.emit(ops, &mut parts, &mut with);
    }
    with.sort_by_key(|range| range.start);
    parts.guard = conjunction(ops, &guard);
    parts.with = conjunction(ops, &with);
    parts
}

/// The conjunction of pieces of a relation; `None` of none.
fn conjunction(ops: &[Op], ranges: &[Range<usize>]) -> Option<Expr> {
    let mut all = Vec::new();
    for range in ranges {
        let rest = !all.is_empty();
        all.extend_from_slice(&ops[range.clone()]);
        all.extend(rest.then_some(Op::Binary(Binary::And)));
    }
    Expr::from_postorder(all)
}

/// Where the operands of each operation begin.
fn starts(ops: &[Op]) -> Vec<usize> {
    let mut starts: Vec<usize> = Vec::with_capacity(ops.len());
    for (at, op) in ops.iter().enumerate() {
        let mut start = at;
        for _ in 0..op.arity() {
            start = starts[start - 1];
        }
        starts.push(start);
    }
    starts
}

/// The operands of the outermost conjunction, in the order of the text.
fn conjuncts(ops: &[Op], starts: &[usize]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut waiting: Vec<usize> = ops.len().checked_sub(1).into_iter().collect();
    while let Some(root) = waiting.pop() {
        if ops[root] == Op::Binary(Binary::And) {
            waiting.push(starts[root - 1] - 1);
            waiting.push(root - 1);
        } else {
            found.push(starts[root]..root + 1);
        }
    }
    found.reverse();
    found
}

/// What one conjunct says about one variable.
#[derive(Debug)]
pub(super) enum What {
    /// `x' = e`
    Is { index: Option<Range<usize>>, value: Value },
    /// `x' = x'`: it may have any value.
    Any { index: Option<Range<usize>> },
    /// `(c = k | … | a'[c] = a[c])`: the cell keeps its value unless its number is one of these.
    Kept { cell: u64, unless: Vec<Range<usize>> },
}

/// What a variable is after the step.
#[derive(Debug)]
pub(super) enum Value {
    /// That operand of the relation.
    Piece(Range<usize>),
    /// `x'` or `!x'` alone.
    Truth(bool),
}

impl Value {
    pub fn ops<'o>(&self, ops: &'o [Op]) -> &'o [Op] {
        match self {
            Value::Piece(range) => &ops[range.clone()],
            Value::Truth(true) => &[Op::Bool(true)],
            Value::Truth(false) => &[Op::Bool(false)],
        }
    }
}

enum Meaning {
    Guard,
    Target { var: Var, time: Time, what: What },
    Other,
}

struct Conjunct<'a> {
    ops: &'a [Op],
    starts: &'a [usize],
    /// Where it begins in the relation.
    offset: usize,
}

impl Conjunct<'_> {
    /// The operand that ends there, in the relation.
    fn operand(&self, end: usize) -> Range<usize> {
        self.starts[end]..self.offset + end + 1
    }

    fn slice(&self, range: &Range<usize>) -> &[Op] {
        &self.ops[range.start - self.offset..range.end - self.offset]
    }

    fn primed(&self) -> impl Iterator<Item = (Var, Time)> + '_ {
        primed(self.ops)
    }

    fn meaning(&self) -> Meaning {
        let last = self.ops.len() - 1;
        if self.primed().next().is_none() {
            return Meaning::Guard;
        }
        match self.ops[last] {
            Op::Binary(Binary::Eq | Binary::Iff) => self.equation(last).unwrap_or(Meaning::Other),
            Op::Binary(Binary::Or) => self.kept(last).unwrap_or(Meaning::Other),
            Op::Unary(Unary::Not) => self.truth(last - 1, false).unwrap_or(Meaning::Other),
            _ => self.truth(last, true).unwrap_or(Meaning::Other),
        }
    }

    /// `x'`, `!x'`
    fn truth(&self, last: usize, value: bool) -> Option<Meaning> {
        let (var, time, index) = self.target(&self.operand(last))?;
        Some(Meaning::Target { var, time, what: What::Is { index, value: Value::Truth(value) } })
    }

    /// `x' = e`, `e = x'`, `x' = x'`
    fn equation(&self, last: usize) -> Option<Meaning> {
        let right = self.operand(last - 1);
        let left = self.operand(right.start - self.offset - 1);
        let (left_target, right_target) = (self.target(&left), self.target(&right));
        if self.slice(&left) == self.slice(&right) {
            let (var, time, index) = left_target?;
            return Some(Meaning::Target { var, time, what: What::Any { index } });
        }
        let ((var, time, index), value) = match (left_target, right_target) {
            (Some(target), None) if primed(self.slice(&right)).next().is_none() => (target, right),
            (None, Some(target)) if primed(self.slice(&left)).next().is_none() => (target, left),
            _ => return None,
        };
        Some(Meaning::Target { var, time, what: What::Is { index, value: Value::Piece(value) } })
    }

    /// A primed variable, or cell whose index is read before the step.
    fn target(&self, range: &Range<usize>) -> Option<(Var, Time, Option<Range<usize>>)> {
        let (root, index) = self.slice(range).split_last()?;
        match *root {
            Op::Read(var, time @ (Time::After | Time::Saved)) => Some((var, time, None)),
            Op::Cell(var, time @ (Time::After | Time::Saved)) if primed(index).next().is_none() => {
                Some((var, time, Some(range.start..range.end - 1)))
            }
            _ => None,
        }
    }

    /// `c = k | … | a'[c] = a[c]`, in any order.
    fn kept(&self, last: usize) -> Option<Meaning> {
        let mut found = None;
        let mut exceptions = Vec::new();
        let mut waiting = vec![last];
        while let Some(root) = waiting.pop() {
            match self.ops[root] {
                Op::Binary(Binary::Or) => {
                    waiting.push(self.starts[root - 1] - self.offset - 1);
                    waiting.push(root - 1);
                }
                Op::Binary(Binary::Eq | Binary::Iff) => {
                    let right = self.operand(root - 1);
                    let left = self.operand(right.start - self.offset - 1);
                    if primed(self.slice(&left)).chain(primed(self.slice(&right))).next().is_none() {
                        exceptions.push((left, right));
                    } else if found.replace(self.kept_cell(&left, &right)?).is_some() {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        let (var, time, cell) = found?;
        let number = [Op::Number(cell)];
        let mut unless = Vec::new();
        for (left, right) in exceptions {
            if self.slice(&left) == number {
                unless.push(right);
            } else if self.slice(&right) == number {
                unless.push(left);
            } else {
                return None;
            }
        }
        Some(Meaning::Target { var, time, what: What::Kept { cell, unless } })
    }

    /// `a'[c] = a[c]`
    fn kept_cell(&self, left: &Range<usize>, right: &Range<usize>) -> Option<(Var, Time, u64)> {
        match (self.slice(left), self.slice(right)) {
            (&[Op::Number(c), Op::Cell(a, Time::Before)], &[Op::Number(d), Op::Cell(b, time)])
            | (&[Op::Number(d), Op::Cell(b, time)], &[Op::Number(c), Op::Cell(a, Time::Before)])
                if (a, c) == (b, d) && time != Time::Before =>
            {
                Some((a, time, c))
            }
            _ => None,
        }
    }
}

fn primed(ops: &[Op]) -> impl Iterator<Item = (Var, Time)> + '_ {
    ops.iter().filter_map(|op| match *op {
        Op::Read(var, time @ (Time::After | Time::Saved)) | Op::Cell(var, time @ (Time::After | Time::Saved)) => {
            Some((var, time))
        }
        _ => None,
    })
}
