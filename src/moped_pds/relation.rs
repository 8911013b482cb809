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
enum What {
    /// `x' = e`
    Is { index: Option<Range<usize>>, value: Value },
    /// `x' = x'`: it may have any value.
    Any { index: Option<Range<usize>> },
    /// `(c = k | … | a'[c] = a[c])`: the cell keeps its value unless its number is one of these.
    Kept { cell: u64, unless: Vec<Range<usize>> },
}

/// What a variable is after the step.
#[derive(Debug)]
enum Value {
    /// That operand of the relation.
    Piece(Range<usize>),
    /// `x'` or `!x'` alone.
    Truth(bool),
}

impl Value {
    fn ops<'o>(&self, ops: &'o [Op]) -> &'o [Op] {
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

/// A variable after the step, with what is said about it.
struct Target<'a> {
    var: Var,
    time: Time,
    variable: &'a Variable,
    /// Whether the implicit frame keeps its value.
    kept: bool,
    said: Vec<(Range<usize>, What)>,
    /// Whether `with` reads its value after the step.
    in_with: bool,
}

/// All variables after the step: globals, those of the new top, those below.
struct Targets<'a> {
    all: Vec<Target<'a>>,
    globals: usize,
    top: usize,
}

impl<'a> Targets<'a> {
    fn new(step: &Step<'a>) -> Self {
        let mut all = Vec::new();
        let mut add = |variables: &'a [Variable], var: fn(u32) -> Var, time: Time, kept: bool| {
            all.extend((0..).zip(variables).map(|(number, variable)| Target {
                var: var(number),
                time,
                variable,
                kept,
                said: Vec::new(),
                in_with: false,
            }));
        };
        let same = |frame: Option<FrameId>| frame.is_some() && frame == step.from;
        add(step.globals, Var::Global, Time::After, true);
        add(step.top.0, Var::Local, Time::After, !step.call && same(step.top.1));
        add(step.below.0, Var::Local, Time::Saved, same(step.below.1));
        Targets { all, globals: step.globals.len(), top: step.top.0.len() }
    }

    fn get(&mut self, var: Var, time: Time) -> &mut Target<'a> {
        let number = match (var, time) {
            (Var::Global(number), _) => number as usize,
            (Var::Local(number), Time::Saved) => self.globals + self.top + number as usize,
            (Var::Local(number), _) => self.globals + number as usize,
        };
        &mut self.all[number]
    }
}

impl Target<'_> {
    fn update(&self, index: Option<Expr>, value: Expr) -> Update {
        Update { var: self.var, time: self.time, index, value }
    }

    /// Says it in the words of the model.
    fn emit(&self, ops: &[Op], parts: &mut Parts, with: &mut Vec<Range<usize>>) {
        if self.said.is_empty() {
            if self.kept && !self.in_with {
                parts.updates.push(self.update(None, Expr::any()));
                parts.forgotten.push((self.var, self.time));
            }
            return;
        }
        match self.variable.ty.range {
            None => self.emit_scalar(ops, parts),
            Some((first, last)) => {
                let plan = self.plan(ops, u64::from(first)..=u64::from(last));
                if matches!(plan, Plan::Relation) {
                    with.extend(self.said.iter().map(|(range, _)| range.clone()));
                } else {
                    self.emit_cells(ops, &plan, parts);
                }
            }
        }
    }

    /// Whether that value is the one before the step, of the same variable.
    fn is_identity(&self, value: &[Op]) -> bool {
        self.kept && value == [Op::Read(self.var, Time::Before)]
    }

    fn emit_scalar(&self, ops: &[Op], parts: &mut Parts) {
        let values = self.said.iter().filter_map(|(_, what)| match what {
            What::Is { value, .. } => Some(value.ops(ops)),
            _ => None,
        });
        let values: Vec<&[Op]> = values.collect();
        if values.is_empty() {
            // It may have any value, which `with` may restrict.
            if self.kept && !self.in_with {
                parts.updates.push(self.update(None, Expr::any()));
            }
        } else if self.in_with || !values.iter().all(|value| self.is_identity(value)) {
            parts.updates.extend(values.iter().map(|value| self.update(None, piece(value))));
        }
    }

    /// How to speak of an array.
    fn plan(&self, ops: &[Op], cells: std::ops::RangeInclusive<u64>) -> Plan {
        let mut kept: Vec<u64> = Vec::new();
        let mut assigned: Vec<&[Op]> = Vec::new();
        let mut exceptions: Vec<(u64, Vec<&[Op]>)> = Vec::new();
        for (_, what) in &self.said {
            match what {
                What::Is { index, value } => {
                    let index = index_of(ops, index);
                    match *index {
                        [Op::Number(cell)] if self.is_cell_identity(cell, value.ops(ops)) => kept.push(cell),
                        _ => assigned.push(index),
                    }
                }
                What::Any { index } => assigned.push(index_of(ops, index)),
                What::Kept { cell, unless } => {
                    let mut unless: Vec<&[Op]> = unless.iter().map(|range| &ops[range.clone()]).collect();
                    unless.sort_unstable();
                    unless.dedup();
                    exceptions.push((*cell, unless));
                }
            }
        }
        if self.in_with {
            return Plan::Relation;
        }
        if !self.kept {
            // Cells that are not assigned are arbitrary by themselves.
            return if exceptions.is_empty() { Plan::Assign } else { Plan::Relation };
        }
        assigned.sort_unstable();
        assigned.dedup();
        kept.sort_unstable();
        kept.dedup();
        let count = (cells.end() - cells.start() + 1) as usize;
        if !exceptions.is_empty() {
            exceptions.sort_unstable();
            exceptions.dedup();
            let all = exceptions.len() == count && exceptions.iter().map(|(cell, _)| *cell).eq(cells);
            let fits = all && kept.is_empty() && exceptions.iter().all(|(_, unless)| *unless == assigned);
            return if fits { Plan::KeepOthers } else { Plan::Relation };
        }
        let numbers = assigned.iter().map(|index| match **index {
            [Op::Number(cell)] => Some(cell),
            _ => None,
        });
        let Some(numbers) = numbers.collect::<Option<Vec<u64>>>() else { return Plan::Relation };
        if numbers.iter().chain(&kept).any(|cell| !cells.contains(cell)) {
            // There is no such cell, so no step.
            return Plan::Relation;
        }
        let mut mentioned = [kept.clone(), numbers.clone()].concat();
        mentioned.sort_unstable();
        mentioned.dedup();
        if count - mentioned.len() > mentioned.len() {
            return Plan::Relation;
        }
        let forgotten = cells.filter(|cell| mentioned.binary_search(cell).is_err()).collect();
        Plan::Cells { assigned: numbers, forgotten }
    }

    fn is_cell_identity(&self, cell: u64, value: &[Op]) -> bool {
        self.kept && value == [Op::Number(cell), Op::Cell(self.var, Time::Before)]
    }

    fn emit_cells(&self, ops: &[Op], plan: &Plan, parts: &mut Parts) {
        for (_, what) in &self.said {
            match what {
                What::Is { index, value } => {
                    let (index, value) = (index_of(ops, index), value.ops(ops));
                    if let (Plan::Cells { assigned, .. }, [Op::Number(cell)]) = (plan, index)
                        && self.is_cell_identity(*cell, value)
                        && !assigned.contains(cell)
                    {
                        continue;
                    }
                    parts.updates.push(self.update(Some(piece(index)), piece(value)));
                }
                What::Any { index } => {
                    parts.updates.push(self.update(Some(piece(index_of(ops, index))), Expr::any()));
                }
                What::Kept { .. } => {}
            }
        }
        if let Plan::Cells { forgotten, .. } = plan
            && !forgotten.is_empty()
        {
            parts.half_forgotten.push((self.var, self.time));
            let any = |cell: &u64| self.update(Some(Expr::number(*cell)), Expr::any());
            parts.updates.extend(forgotten.iter().map(any));
        }
    }
}

/// How the conjuncts about an array become updates.
enum Plan {
    /// They do not: they stay a relation.
    Relation,
    /// Each is an update; nothing else needs to be said.
    Assign,
    /// The same, and all other cells keep their value.
    KeepOthers,
    /// Cells with known numbers: some assigned, some arbitrary, the others keep their value.
    Cells { assigned: Vec<u64>, forgotten: Vec<u64> },
}

fn index_of<'o>(ops: &'o [Op], index: &Option<Range<usize>>) -> &'o [Op] {
    index.as_ref().map_or(&[], |range| &ops[range.clone()])
}

/// A piece of a relation that is a whole operand.
fn piece(ops: &[Op]) -> Expr {
    Expr::from_postorder(ops).expect("operands are whole expressions")
}
