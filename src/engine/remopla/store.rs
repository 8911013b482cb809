//! Storing values: what an assignment, an argument or a result does to the variables of a system.

use rustc_hash::FxHashSet;
use spds_format::expr::{self, Binary, Expr, Time};
use spds_format::model::{Scalar, Update, Var};

use super::Arithmetic;
use super::ast::*;
use super::declarations::{Dims, Leaf};
use super::expand::{MAX_OPERATIONS, TooLarge, expand};
use super::shapes::shifted;
use super::value::{Failure, Interval, Lowered, NameScope, Ops, failures, flat_index, lower, outside, quoted};

/// What one step does, as it is being put together.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// Conditions on the values before.
    pub guard: Vec<Ops>,
    pub updates: Vec<Update>,
    /// Conditions on the values after.
    pub with: Vec<Ops>,
    /// What may go wrong, if that is told apart.
    pub failures: Vec<Failure>,
    /// Cells that are met, array by array; whether some are held to a condition, so that the others must be kept.
    met: Vec<Met>,
}

#[derive(Clone, Debug)]
struct Met {
    var: Var,
    time: Time,
    leaf: Leaf,
    /// Indices that are known.
    known: FxHashSet<u64>,
    /// Others.
    computed: Vec<Ops>,
    whole: bool,
    constrained: bool,
}

/// How a value is stored.
#[derive(Clone, Copy)]
pub(super) struct Storing<'a> {
    pub ast: &'a Ast,
    pub text: &'a str,
    pub arithmetic: Arithmetic,
    /// Where expressions are evaluated.
    pub place: NameScope<'a>,
    /// Values of quantified variables.
    pub bound: &'a [(u32, u64)],
}

/// A variable, or a cell of an array, to be stored in.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub var: Var,
    pub time: Time,
    /// The index, in the layout of the system.
    pub index: Option<Ops>,
}

/// A leaf that is to be stored in: all of it, or one cell.
pub(super) struct Slot {
    pub cell: Cell,
    pub leaf: Leaf,
}

/// Where a value comes from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Any,
    /// A scalar.
    Value(Lowered),
    /// Anything but that.
    Except(Lowered),
    /// A whole array: the variable.
    Array(Var, Dims, Scalar),
}

fn take(ops: Ops) -> Expr {
    Expr::from_postorder(ops).expect("they were whole trees")
}

fn numbers(range: (u32, u32)) -> impl Iterator<Item = u64> {
    u64::from(range.0)..=u64::from(range.1)
}

fn limit(leaf: &Leaf) -> u64 {
    let bits = leaf.scalar.bits();
    leaf.members.map_or(if bits == 64 { u64::MAX } else { (1 << bits) - 1 }, |members| members.saturating_sub(1))
}

/// Whether some bit patterns of a variable are no values of it.
pub(super) fn has_gaps(leaf: &Leaf) -> bool {
    leaf.members.is_some_and(|members| !members.is_power_of_two())
}

impl<'a> Storing<'a> {
    fn expanded(&self, expression: Expression) -> Result<Vec<Node>, TooLarge> {
        expand(self.ast, expression, self.bound)
    }

    /// A scalar value, with what may go wrong.
    pub(super) fn value(&self, expression: Expression, draft: &mut Draft) -> Result<Lowered, TooLarge> {
        let nodes = self.expanded(expression)?;
        if self.arithmetic == Arithmetic::Check {
            draft.failures.extend(failures(self.place, &nodes, self.text)?);
        }
        lower(self.place, &nodes)
    }

    /// The indices of a cell as one, with what may go wrong.
    fn index(&self, dims: Dims, reference: Expression, draft: &mut Draft) -> Result<Ops, TooLarge> {
        let operands = self.ast.operands(reference);
        let mut parts = Vec::with_capacity(operands.len());
        for operand in operands {
            parts.push(self.value(operand, draft)?);
        }
        if self.arithmetic == Arithmetic::Check {
            for (part, (low, high)) in parts.iter().zip(dims.0.iter().flatten()) {
                let when = outside(part, u64::from(*low), u64::from(*high));
                if !when.is_empty() {
                    let what = quoted(self.text, self.ast.root(reference).span());
                    draft.failures.push(Failure { when, what: format!("index out of range: {what}") });
                }
            }
        }
        Ok(flat_index(dims, parts))
    }

    /// What a reference selects to be stored in, its locals at that time; the module is the one they belong to.
    pub(super) fn slots(&self, reference: Expression, time: Time, draft: &mut Draft) -> Result<Vec<Slot>, TooLarge> {
        let (first, count, indexed) = match self.ast.root(reference).op {
            Op::Read(var, _) => (var, 1, false),
            Op::Cell(var, ..) => (var, 1, true),
            Op::Whole(whole) => {
                let whole = self.ast.wholes[whole as usize];
                (whole.first, whole.leaves, whole.indices > 0)
            }
            _ => return Ok(Vec::new()),
        };
        let mut slots = Vec::new();
        for offset in 0..count {
            let var = shifted(first, offset);
            let leaf = self.place.declarations.leaf(var, self.place.modules[0]).clone();
            let index = if !indexed {
                None
            } else if offset == 0 {
                Some(self.index(leaf.dims, reference, draft)?)
            } else {
                // The same indices: what may go wrong has been said.
                Some(self.index(leaf.dims, reference, &mut Draft::default())?)
            };
            let time = if matches!(var, Var::Global(_)) { Time::After } else { time };
            slots.push(Slot { cell: Cell { var, time, index }, leaf });
        }
        Ok(slots)
    }

    /// What a value consists of, leaf by leaf.
    pub(super) fn sources(&self, value: Value, count: usize, draft: &mut Draft) -> Result<Vec<Source>, TooLarge> {
        let expression = match value {
            Value::Undef => return Ok(vec![Source::Any; count]),
            Value::Except(expression) => return Ok(vec![Source::Except(self.value(expression, draft)?)]),
            Value::Of(expression) => expression,
        };
        let Op::Whole(whole) = self.ast.root(expression).op else {
            return Ok(vec![Source::Value(self.value(expression, draft)?)]);
        };
        let whole = self.ast.wholes[whole as usize];
        let mut sources = Vec::new();
        for offset in 0..whole.leaves {
            let var = shifted(whole.first, offset);
            let leaf = self.place.declarations.leaf(var, self.place.modules[0]);
            sources.push(if whole.indices > 0 {
                let mut ignored = Draft::default();
                let index = self.index(leaf.dims, expression, if offset == 0 { draft } else { &mut ignored })?;
                let mut ops = index;
                ops.push(expr::Op::Cell(var, Time::Before));
                Source::Value(Lowered { ops, interval: Interval::of(leaf.scalar) })
            } else if leaf.dims.count() > 0 {
                Source::Array(var, leaf.dims, leaf.scalar)
            } else {
                let ops = vec![expr::Op::Read(var, Time::Before)];
                Source::Value(Lowered { ops, interval: Interval::of(leaf.scalar) })
            });
        }
        Ok(sources)
    }

    /// Stores a value; `what` is its text.
    pub(super) fn store(&self, slot: Slot, source: Source, what: &str, draft: &mut Draft) -> Result<(), TooLarge> {
        let Slot { cell, leaf } = slot;
        let whole = cell.index.is_none().then(|| leaf.dims.flat()).flatten();
        draft.meet(&cell, &leaf);
        match (source, whole) {
            (Source::Any, _) => draft.havoc(cell, &leaf, whole),
            (Source::Value(value), _) => self.store_scalar(cell, &leaf, value, what, draft),
            (Source::Except(value), _) => {
                let mut ops = read(&cell);
                ops.extend(value.ops);
                let differs = if leaf.scalar == Scalar::Bool { Binary::Xor } else { Binary::Ne };
                ops.push(expr::Op::Binary(differs));
                draft.with.push(ops);
                draft.constrain(&cell);
                draft.hold_to_members(&cell, &leaf);
            }
            (Source::Array(from, dims, scalar), Some(range)) => {
                let Some(source) = dims.flat() else { return Ok(()) };
                if dims.cells() > MAX_OPERATIONS as u64 {
                    return Err(TooLarge);
                }
                for (to, index) in numbers(range).zip(numbers(source)) {
                    let ops = vec![expr::Op::Number(index), expr::Op::Cell(from, Time::Before)];
                    let value = Lowered { ops, interval: Interval::of(scalar) };
                    let cell = Cell { index: Some(vec![expr::Op::Number(to)]), ..cell.clone() };
                    self.store_scalar(cell, &leaf, value, what, draft);
                }
            }
            (Source::Array(..), None) => {}
        }
        Ok(())
    }

    fn store_scalar(&self, cell: Cell, leaf: &Leaf, value: Lowered, what: &str, draft: &mut Draft) {
        let Cell { var, time, index } = cell;
        let mut ops = value.ops.clone();
        if leaf.scalar != Scalar::Bool {
            let limit = limit(leaf);
            match self.arithmetic {
                Arithmetic::Check => {
                    let when = outside(&value, 0, limit);
                    if !when.is_empty() {
                        let what = format!("overflow: {what} does not fit {}", leaf.name);
                        draft.failures.push(Failure { when, what: what.trim_end().to_owned() });
                    }
                }
                Arithmetic::Wrap if leaf.members.is_none() => ops = wrapped(value, leaf.scalar.bits()),
                Arithmetic::Wrap | Arithmetic::Block if has_gaps(leaf) && value.interval.high > i128::from(limit) => {
                    let mut small = value.ops;
                    small.extend([expr::Op::Number(limit), expr::Op::Binary(Binary::Le)]);
                    draft.guard.push(small);
                }
                Arithmetic::Wrap | Arithmetic::Block => {}
            }
        }
        draft.updates.push(Update { var, time, index: index.map(take), value: take(ops) });
    }
}

/// The value modulo 2^bits.
fn wrapped(value: Lowered, bits: u32) -> Ops {
    let Lowered { mut ops, interval } = value;
    let size = 1i128 << bits;
    if interval.low >= 0 && interval.high < size {
        return ops;
    }
    let mask = (size - 1) as u64;
    if interval.low < 0 {
        // A multiple of the size makes it not negative; where no bound is known, the remainder comes first.
        let times = u64::try_from((-interval.low).div_euclid(size) + 1).ok().filter(|_| interval.is_bounded_below());
        let times = times.unwrap_or_else(|| {
            ops.extend([expr::Op::Number(1), expr::Op::Number(bits.into()), expr::Op::Binary(Binary::Shl)]);
            ops.push(expr::Op::Binary(Binary::Rem));
            1
        });
        match u64::try_from(i128::from(times).saturating_mul(size)) {
            Ok(more) => ops.push(expr::Op::Number(more)),
            Err(_) => {
                ops.extend([expr::Op::Number(times), expr::Op::Number(bits.into()), expr::Op::Binary(Binary::Shl)]);
            }
        }
        ops.push(expr::Op::Binary(Binary::Add));
    }
    ops.extend([expr::Op::Number(mask), expr::Op::Binary(Binary::BitAnd)]);
    ops
}

/// The value of a variable or cell after the step.
fn read(cell: &Cell) -> Ops {
    match &cell.index {
        None => vec![expr::Op::Read(cell.var, cell.time)],
        Some(index) => {
            let mut ops = index.clone();
            ops.push(expr::Op::Cell(cell.var, cell.time));
            ops
        }
    }
}

impl Draft {
    fn meet(&mut self, cell: &Cell, leaf: &Leaf) {
        if leaf.dims == Dims::default() {
            return;
        }
        let known = self.met.iter().position(|met| (met.var, met.time) == (cell.var, cell.time));
        let at = known.unwrap_or_else(|| {
            self.met.push(Met {
                var: cell.var,
                time: cell.time,
                leaf: leaf.clone(),
                known: FxHashSet::default(),
                computed: Vec::new(),
                whole: false,
                constrained: false,
            });
            self.met.len() - 1
        });
        match cell.index.as_deref() {
            Some([expr::Op::Number(index)]) => drop(self.met[at].known.insert(*index)),
            Some(index) => self.met[at].computed.push(index.to_vec()),
            None => self.met[at].whole = true,
        }
    }

    fn constrain(&mut self, cell: &Cell) {
        for met in self.met.iter_mut().filter(|met| (met.var, met.time) == (cell.var, cell.time)) {
            met.constrained = true;
        }
    }

    /// Any value.
    fn havoc(&mut self, cell: Cell, leaf: &Leaf, whole: Option<(u32, u32)>) {
        if !has_gaps(leaf) {
            let Cell { var, time, index } = cell;
            self.updates.push(Update { var, time, index: index.map(take), value: Expr::any() });
            return;
        }
        match whole {
            None => {
                self.constrain(&cell);
                self.hold_to_members(&cell, leaf);
            }
            Some(range) => {
                self.constrain(&cell);
                for index in numbers(range) {
                    let cell = Cell { index: Some(vec![expr::Op::Number(index)]), ..cell.clone() };
                    self.hold_to_members(&cell, leaf);
                }
            }
        }
    }

    fn hold_to_members(&mut self, cell: &Cell, leaf: &Leaf) {
        if has_gaps(leaf) {
            let mut ops = read(cell);
            ops.extend([expr::Op::Number(limit(leaf)), expr::Op::Binary(Binary::Le)]);
            self.with.push(ops);
        }
    }

    /// Leaves all cells of an array arbitrary that the step does not assign, as Moped does.
    pub(super) fn forget_cells(&mut self, var: Var, time: Time) {
        self.updates.push(Update { var, time, index: None, value: Expr::any() });
    }

    /// When all is stored: cells of arrays that a condition speaks of keep their values if nothing meets them.
    pub(super) fn keep_others(&mut self) -> Result<(), TooLarge> {
        let mut size = 0;
        for met in std::mem::take(&mut self.met) {
            let (true, false, Some(range)) = (met.constrained, met.whole, met.leaf.dims.flat()) else { continue };
            let equal = |scalar| if scalar == Scalar::Bool { Binary::Iff } else { Binary::Eq };
            for cell in numbers(range) {
                if met.known.contains(&cell) {
                    continue;
                }
                let mut keeps: Ops = vec![expr::Op::Number(cell), expr::Op::Cell(met.var, met.time)];
                keeps.extend([expr::Op::Number(cell), expr::Op::Cell(met.var, Time::Before)]);
                keeps.push(expr::Op::Binary(equal(met.leaf.scalar)));
                for index in &met.computed {
                    keeps.extend_from_slice(index);
                    keeps.extend([expr::Op::Number(cell), expr::Op::Binary(Binary::Eq), expr::Op::Binary(Binary::Or)]);
                }
                size += keeps.len();
                if size > MAX_OPERATIONS {
                    return Err(TooLarge);
                }
                self.with.push(keeps);
            }
        }
        Ok(())
    }
}
