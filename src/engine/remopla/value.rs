//! Expressions as those of a system: two indices become one, and what an operation may fail by is known.

use spds_format::expr::{self, Binary, Time, Unary};
use spds_format::model::{Scalar, Var};

use super::ast::{Node, Op};
use super::declarations::{Declarations, Dims, Leaf};
use super::expand::{MAX_OPERATIONS, TooLarge};

/// Operations of a system in postorder.
pub(super) type Ops = Vec<expr::Op>;

/// Integers between two bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub low: i128,
    pub high: i128,
}

/// Beyond this, bounds are not told apart.
const FAR: i128 = 1 << 100;

impl Interval {
    pub(super) const BIT: Interval = Interval { low: 0, high: 1 };

    fn new(bounds: impl IntoIterator<Item = i128>) -> Interval {
        let clamped = |bound: i128| bound.clamp(-FAR, FAR);
        let (mut low, mut high) = (FAR, -FAR);
        for bound in bounds {
            (low, high) = (low.min(clamped(bound)), high.max(clamped(bound)));
        }
        Interval { low, high }
    }

    /// What a variable of that type can have.
    pub(super) fn of(scalar: Scalar) -> Interval {
        Interval { low: 0, high: (1 << scalar.bits()) - 1 }
    }

    /// Whether its lower bound is known.
    pub(super) fn is_bounded_below(self) -> bool {
        self.low > -FAR
    }

    fn apply(op: Binary, a: Interval, b: Interval) -> Interval {
        let corners = |f: fn(i128, i128) -> i128| {
            Interval::new([f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)])
        };
        let shift = |by: i128| by.clamp(0, 64) as u32;
        match op {
            Binary::Add => corners(|a, b| a + b),
            Binary::Sub => corners(|a, b| a - b),
            Binary::Mul => corners(i128::saturating_mul),
            Binary::Div => Interval::new(
                [a.low, a.high, -a.low, -a.high, 0].into_iter().filter(|x| a.low < 0 || b.low < 0 || *x >= 0),
            ),
            Binary::Shl => {
                let far = |x: i128, by: u32| x.checked_mul(1 << by).unwrap_or(if x < 0 { -FAR } else { FAR });
                Interval::new(
                    [shift(b.low), shift(b.high)].into_iter().flat_map(|by| [far(a.low, by), far(a.high, by)]),
                )
            }
            Binary::Shr => Interval::new(
                [a.low, a.high, a.low.min(0), a.high.min(0), 0].into_iter().filter(|x| a.low < 0 || *x >= 0),
            ),
            Binary::BitAnd => Interval::new([0, a.high.min(b.high).max(0)]),
            Binary::BitOr | Binary::BitXor => {
                let high = a.high.max(b.high).max(0);
                Interval::new([0, (1i128 << (128 - high.leading_zeros()).min(100)) - 1])
            }
            _ => Interval::BIT,
        }
    }
}

/// The modules whose variables an expression may read, by time.
#[derive(Clone, Copy)]
pub(super) struct NameScope<'a> {
    pub declarations: &'a Declarations,
    pub modules: [Option<u32>; 3],
}

impl<'a> NameScope<'a> {
    /// In a module, or outside of all.
    pub(super) fn here(declarations: &'a Declarations, module: Option<u32>) -> NameScope<'a> {
        NameScope { declarations, modules: [module, None, None] }
    }

    fn leaf(&self, var: Var, time: Time) -> &'a Leaf {
        self.declarations.leaf(var, self.modules[time as usize])
    }
}

/// An expression of a system, with the values that it may have if it is an integer.
#[derive(Clone, Debug)]
pub(super) struct Lowered {
    pub ops: Ops,
    pub interval: Interval,
}

/// The index of a cell in the layout of the system, from one index or two. `parts` are the operations of the indices, with
/// their intervals. A second index that is out of its range gives an index that is out of range.
pub(super) fn flat_index(dims: Dims, mut parts: Vec<Lowered>) -> Ops {
    let [Some((low1, _)), Some((low2, high2))] = dims.0 else {
        return parts.pop().map_or_else(Vec::new, |part| part.ops);
    };
    let (Some(second), Some(first)) = (parts.pop(), parts.pop()) else { return Vec::new() };
    if let ([expr::Op::Number(row)], [expr::Op::Number(column)]) = (&first.ops[..], &second.ops[..]) {
        let inside = *row >= u64::from(low1) && (u64::from(low2)..=u64::from(high2)).contains(column);
        let width = u64::from(high2 - low2) + 1;
        let index = (row.wrapping_sub(u64::from(low1)))
            .checked_mul(width)
            .and_then(|i| i.checked_add(column - u64::from(low2).min(*column)));
        return vec![expr::Op::Number(index.filter(|_| inside).unwrap_or(dims.cells()))];
    }
    let mut ops = first.ops;
    let number = |ops: &mut Ops, value: u64, op: Binary| ops.extend([expr::Op::Number(value), expr::Op::Binary(op)]);
    if low1 > 0 {
        number(&mut ops, u64::from(low1), Binary::Sub);
    }
    number(&mut ops, u64::from(high2 - low2) + 1, Binary::Mul);
    ops.extend_from_slice(&second.ops);
    if low2 > 0 {
        number(&mut ops, u64::from(low2), Binary::Sub);
    }
    ops.push(expr::Op::Binary(Binary::Add));
    let outside = outside(&second, u64::from(low2), u64::from(high2));
    if !outside.is_empty() {
        let mut checked = outside;
        checked.push(expr::Op::Number(dims.cells()));
        checked.extend(ops);
        checked.push(expr::Op::Ite);
        return checked;
    }
    ops
}

/// Says that an integer is below or above a range; empty if it cannot be.
pub(super) fn outside(value: &Lowered, low: u64, high: u64) -> Ops {
    let mut ops = Ops::new();
    for (may_be, bound, op) in [
        (value.interval.low < i128::from(low), low, Binary::Lt),
        (value.interval.high > i128::from(high), high, Binary::Gt),
    ] {
        if may_be {
            let first = ops.is_empty();
            ops.extend_from_slice(&value.ops);
            ops.extend([expr::Op::Number(bound), expr::Op::Binary(op)]);
            if !first {
                ops.push(expr::Op::Binary(Binary::Or));
            }
        }
    }
    ops
}

/// Makes an operation on two numbers the number that it is: an index that is one is dear to an engine.
fn fold(out: &mut Ops, begin: usize, interval: Interval) {
    if let [expr::Op::Number(_), expr::Op::Number(_), expr::Op::Binary(op)] = out[begin..]
        && matches!(op, Binary::Add | Binary::Sub | Binary::Mul)
        && let (true, Ok(value)) = (interval.low == interval.high, u64::try_from(interval.low))
    {
        out.truncate(begin);
        out.push(expr::Op::Number(value));
    }
}

/// The same expression in the system. Its nodes are without quantifiers.
pub(super) fn lower(place: NameScope<'_>, nodes: &[Node]) -> Result<Lowered, TooLarge> {
    let mut out = Ops::with_capacity(nodes.len());
    // Where each operand begins, and its interval.
    let mut operands: Vec<(usize, Interval)> = Vec::new();
    for node in nodes {
        let start = out.len();
        let operand = match node.op {
            Op::Bool(value) => {
                out.push(expr::Op::Bool(value));
                (start, Interval::BIT)
            }
            Op::Number(number) => {
                out.push(expr::Op::Number(number));
                (start, Interval::new([i128::from(number)]))
            }
            Op::Read(var, time) => {
                out.push(expr::Op::Read(var, time));
                (start, Interval::of(place.leaf(var, time).scalar))
            }
            Op::Cell(var, time, 1) => {
                out.push(expr::Op::Cell(var, time));
                let (begin, _) = operands.pop().unwrap_or((start, Interval::BIT));
                (begin, Interval::of(place.leaf(var, time).scalar))
            }
            Op::Cell(var, time, indices) => {
                let mut parts = Vec::new();
                let mut begin = start;
                for _ in 0..indices {
                    let (at, interval) = operands.pop().unwrap_or((start, Interval::BIT));
                    parts.push(Lowered { ops: out.split_off(at), interval });
                    begin = at;
                }
                parts.reverse();
                let leaf = place.leaf(var, time);
                out.extend(flat_index(leaf.dims, parts));
                out.push(expr::Op::Cell(var, time));
                (begin, Interval::of(leaf.scalar))
            }
            Op::Not => {
                out.push(expr::Op::Unary(Unary::Not));
                operands.pop().unwrap_or((start, Interval::BIT))
            }
            Op::Binary(op) => {
                let (_, right) = operands.pop().unwrap_or((start, Interval::BIT));
                let (begin, left) = operands.pop().unwrap_or((start, Interval::BIT));
                out.push(expr::Op::Binary(op));
                let interval = Interval::apply(op, left, right);
                fold(&mut out, begin, interval);
                (begin, interval)
            }
            Op::Bound(_) | Op::Quantified(_) | Op::Whole(_) => unreachable!("expanded, and no whole"),
        };
        operands.push(operand);
        if out.len() > MAX_OPERATIONS {
            return Err(TooLarge);
        }
    }
    let interval = operands.pop().map_or(Interval::BIT, |(_, interval)| interval);
    Ok(Lowered { ops: out, interval })
}

/// A way in which an expression may have no value: when, and what to say.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Failure {
    /// True in exactly the states in which evaluation, from left to right and not past what decides `&&` and `||`, comes
    /// to this operation, and it has no value.
    pub when: Ops,
    pub what: String,
}

/// All ways in which evaluating an expression without quantifiers may fail.
pub(super) fn failures(place: NameScope<'_>, nodes: &[Node], text: &str) -> Result<Vec<Failure>, TooLarge> {
    let mut found = Vec::new();
    let mut starts: Vec<usize> = Vec::new();
    // `&&` and `||`: where the left operand, the right operand and the operator stand.
    let mut choices: Vec<(usize, usize, usize)> = Vec::new();
    let mut partial: Vec<(usize, Vec<usize>)> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let arity = match node.op {
            Op::Cell(_, _, indices) => usize::from(indices),
            Op::Not => 1,
            Op::Binary(_) => 2,
            _ => 0,
        };
        let operands = starts.split_off(starts.len() - arity);
        starts.push(operands.first().copied().unwrap_or(at));
        match node.op {
            Op::Binary(Binary::And | Binary::Or) => choices.push((operands[0], operands[1], at)),
            Op::Cell(..)
            | Op::Binary(Binary::Div | Binary::Shl | Binary::Shr | Binary::BitAnd | Binary::BitOr | Binary::BitXor) => {
                partial.push((at, operands))
            }
            _ => {}
        }
    }
    let mut size = 0;
    for (at, operands) in partial {
        let mut parts = Vec::with_capacity(operands.len());
        for (i, start) in operands.iter().enumerate() {
            let end = operands.get(i + 1).copied().unwrap_or(at);
            parts.push(lower(place, &nodes[*start..end])?);
            size += end - start;
        }
        let (mut when, what) = no_value(place, nodes[at], &parts);
        size += when.len();
        if !when.is_empty() {
            size += choices.len() / 64;
            for &(left, right, choice) in choices.iter().rev().filter(|(_, right, end)| (*right..*end).contains(&at)) {
                let mut path = lower(place, &nodes[left..right])?.ops;
                if nodes[choice].op == Op::Binary(Binary::Or) {
                    path.push(expr::Op::Unary(Unary::Not));
                }
                path.extend(when);
                path.push(expr::Op::Binary(Binary::And));
                size += path.len();
                when = path;
                if size > MAX_OPERATIONS {
                    return Err(TooLarge);
                }
            }
            found.push(Failure { when, what: format!("{what}: {}", quoted(text, nodes[at].span())) });
        }
        if size > MAX_OPERATIONS {
            return Err(TooLarge);
        }
    }
    Ok(found)
}

/// When an operation on operands that have values has none itself; empty if it always has one.
fn no_value(place: NameScope<'_>, node: Node, parts: &[Lowered]) -> (Ops, &'static str) {
    let or = |mut one: Ops, other: Ops| {
        let both = !one.is_empty() && !other.is_empty();
        one.extend(other);
        if both {
            one.push(expr::Op::Binary(Binary::Or));
        }
        one
    };
    match (node.op, parts) {
        (Op::Cell(var, time, _), parts) => {
            let dims = place.leaf(var, time).dims;
            let each = parts.iter().zip(dims.0.iter().flatten());
            let when = each.fold(Ops::new(), |when, (part, (low, high))| {
                or(when, outside(part, u64::from(*low), u64::from(*high)))
            });
            (when, "index out of range")
        }
        (Op::Binary(Binary::Div), [_, by]) if by.interval.low <= 0 && by.interval.high >= 0 => {
            let mut when = by.ops.clone();
            when.extend([expr::Op::Number(0), expr::Op::Binary(Binary::Eq)]);
            (when, "division by zero")
        }
        (Op::Binary(Binary::Shl), [_, by]) => (outside(by, 0, 64), "shift by a negative amount or by more than 64"),
        (Op::Binary(Binary::Shr), [_, by]) => (outside(by, 0, u64::MAX), "shift by a negative amount"),
        (Op::Binary(Binary::BitAnd | Binary::BitOr | Binary::BitXor), [left, right]) => {
            (or(outside(left, 0, u64::MAX), outside(right, 0, u64::MAX)), "bitwise operation on a negative number")
        }
        _ => (Ops::new(), ""),
    }
}

/// A piece of the text, on one line and not too long.
pub(super) fn quoted(text: &str, span: std::ops::Range<usize>) -> String {
    const SHOWN: usize = 60;
    let words: Vec<&str> = text.get(span).unwrap_or("").split_whitespace().take(SHOWN).collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line,
    }
}
