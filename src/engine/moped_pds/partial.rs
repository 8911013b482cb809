//! Where terms have no value: a quotient by zero, a cell whose index is outside of its array, a shift too far.
//!
//! In Moped a comparison, or a cell of Booleans, of which a term has no value is *false*, and its negation true (its
//! `try_all_vars` collects the values for which the comparison is true). In the model undefinedness passes through: the
//! negation of such a comparison is no more true than itself. So what is read asks for definedness where that makes a
//! difference, which is anywhere but under `&` and `|` alone; and what is written says what the model takes for granted.

use rustc_hash::FxHashSet;
use spds_format::expr::{Binary, Op, Time};
use spds_format::model::{Scalar, Type, Var};

/// The types of variables at the moments of a rule.
pub(super) type Types<'a> = dyn Fn(Var, Time) -> Option<Type> + 'a;

/// The same condition with undefined comparisons false by themselves: `!(1/x=1)` becomes `!(x!=0 & 1/x=1)`. What the
/// condition itself demands anyway is not repeated. Linear, but for terms within indices and divisors, which are written
/// once more for each that they lie in; `None` if more than `largest` operations come out.
pub(super) fn false_by_themselves(ops: Vec<Op>, types: &Types<'_>, largest: usize) -> Option<Vec<Op>> {
    if !ops.iter().any(|op| is_partial(*op)) {
        return Some(ops);
    }
    let terms = Terms::new(&ops, types);
    let demanded = terms.demanded();
    let mut guarded: Vec<Option<Vec<Op>>> = vec![None; ops.len()];
    let mut size = ops.len();
    for atom in terms.atoms_that_may_be_negated() {
        let mut conditions = terms.defined(terms.starts[atom]..atom + 1);
        conditions.retain(|condition| !demanded.contains(&condition[..]));
        if let Some(all) = conjunction(conditions) {
            size += all.len() + 1;
            guarded[atom] = Some(all);
        }
        if size > largest {
            return None;
        }
    }
    let mut out: Vec<Op> = Vec::with_capacity(size);
    for (at, op) in ops.iter().enumerate() {
        out.push(*op);
        if let Some(condition) = guarded[at].take() {
            out.extend(condition);
            out.push(Op::Binary(Binary::And));
        }
    }
    Some(out)
}

/// What must be true for a term, or all terms of a comparison, to have a value; `None` if nothing must. A condition
/// that itself may have no value stands after one that is false then.
pub(super) fn defined(ops: &[Op], types: &Types<'_>) -> Option<Vec<Op>> {
    if !ops.iter().any(|op| is_partial(*op)) {
        return None;
    }
    conjunction(Terms::new(ops, types).defined(0..ops.len()))
}

/// Whether it is a comparison of integers.
pub(super) fn compares(op: Op) -> bool {
    use Binary::{Eq, Ge, Gt, Le, Lt, Ne};
    matches!(op, Op::Binary(Eq | Ne | Lt | Le | Gt | Ge))
}

fn is_partial(op: Op) -> bool {
    matches!(op, Op::Cell(..) | Op::Binary(Binary::Div | Binary::Rem | Binary::Shl))
}

fn conjunction(conditions: Vec<Vec<Op>>) -> Option<Vec<Op>> {
    conditions.into_iter().reduce(|mut all, next| {
        all.extend(next);
        all.push(Op::Binary(Binary::And));
        all
    })
}

/// A condition with what is known of its parts.
struct Terms<'a> {
    ops: &'a [Op],
    types: &'a Types<'a>,
    /// Where the operands of each operation begin.
    starts: Vec<usize>,
    /// Between which values each integer lies.
    bounds: Vec<(i128, i128)>,
}

impl<'a> Terms<'a> {
    fn new(ops: &'a [Op], types: &'a Types<'a>) -> Self {
        let mut terms = Terms { ops, types, starts: Vec::with_capacity(ops.len()), bounds: Vec::new() };
        for (at, op) in ops.iter().enumerate() {
            let start = (0..op.arity()).fold(at, |start, _| terms.starts[start - 1]);
            terms.starts.push(start);
            let bounds = terms.bounds_of(at);
            terms.bounds.push(bounds);
        }
        terms
    }

    /// The last operation of the left operand of an operation with two.
    fn left(&self, at: usize) -> usize {
        self.starts[at - 1] - 1
    }

    fn bounds_of(&self, at: usize) -> (i128, i128) {
        const FAR: i128 = 1 << 120;
        let of_type = |var, time| match (self.types)(var, time).map(|ty| ty.scalar) {
            Some(Scalar::Unsigned(bits)) => (0, (1 << u32::from(bits)) - 1),
            _ => (0, FAR),
        };
        match self.ops[at] {
            Op::Number(value) => (i128::from(value), i128::from(value)),
            Op::Read(var, time) | Op::Cell(var, time) => of_type(var, time),
            Op::Binary(binary) => {
                let ((a, b), (c, d)) = (self.bounds[self.left(at)], self.bounds[at - 1]);
                let (low, high) = match binary {
                    Binary::Add => (a + c, b + d),
                    Binary::Sub => (a - d, b - c),
                    Binary::Mul => {
                        let ends = [a.saturating_mul(c), a.saturating_mul(d), b.saturating_mul(c), b.saturating_mul(d)];
                        ends.iter().fold((FAR, -FAR), |(low, high), end| (low.min(*end), high.max(*end)))
                    }
                    Binary::Div if a >= 0 && c >= 0 => (0, b),
                    Binary::Shl if a >= 0 => (0, FAR),
                    _ => (-FAR, FAR),
                };
                (low.clamp(-FAR, FAR), high.clamp(-FAR, FAR))
            }
            _ => (-FAR, FAR),
        }
    }

    /// Comparisons and cells of Booleans that are not under `&` and `|` alone, in the order of the text.
    fn atoms_that_may_be_negated(&self) -> Vec<usize> {
        let mut atoms = Vec::new();
        let mut waiting = vec![(self.ops.len() - 1, false)];
        while let Some((at, negated)) = waiting.pop() {
            let both = |negated| [(at - 1, negated), (self.left(at), negated)];
            match self.ops[at] {
                Op::Binary(Binary::And | Binary::Or) => waiting.extend(both(negated)),
                Op::Binary(Binary::Xor | Binary::Iff | Binary::Implies) => waiting.extend(both(true)),
                Op::Unary(_) => waiting.push((at - 1, true)),
                op if negated && (compares(op) || matches!(op, Op::Cell(..))) => atoms.push(at),
                _ => {}
            }
        }
        atoms.reverse();
        atoms
    }

    /// The operands of the outermost conjunction: where one of them is false, nothing else counts.
    fn demanded(&self) -> FxHashSet<&'a [Op]> {
        let mut found = FxHashSet::default();
        let mut waiting = vec![self.ops.len() - 1];
        while let Some(at) = waiting.pop() {
            if self.ops[at] == Op::Binary(Binary::And) {
                waiting.extend([at - 1, self.left(at)]);
            } else {
                found.insert(&self.ops[self.starts[at]..=at]);
            }
        }
        found
    }

    /// Conditions under which all terms there have values, those of inner terms first, each once.
    fn defined(&self, range: std::ops::Range<usize>) -> Vec<Vec<Op>> {
        let mut conditions: Vec<Vec<Op>> = Vec::new();
        let mut seen: FxHashSet<Vec<Op>> = FxHashSet::default();
        for at in range {
            let mut demand = |end: usize, compare: Binary, number: u64| {
                let mut condition = self.ops[self.starts[end]..=end].to_vec();
                condition.extend([Op::Number(number), Op::Binary(compare)]);
                if seen.insert(condition.clone()) {
                    conditions.push(condition);
                }
            };
            let Some(operand) = at.checked_sub(1) else { continue };
            let (low, high) = self.bounds[operand];
            let (first, last) = match self.ops[at] {
                Op::Cell(var, time) => (self.types)(var, time).and_then(|ty| ty.range).unwrap_or((0, u32::MAX)),
                Op::Binary(Binary::Shl) => (0, 64),
                Op::Binary(Binary::Div | Binary::Rem) => {
                    if low <= 0 && high >= 0 {
                        demand(operand, Binary::Ne, 0);
                    }
                    continue;
                }
                _ => continue,
            };
            if low < i128::from(first) {
                demand(operand, Binary::Ge, first.into());
            }
            if high > i128::from(last) {
                demand(operand, Binary::Le, last.into());
            }
        }
        conditions
    }
}
