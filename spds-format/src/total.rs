//! What always has a value, and one that fits: expressions, assignments and relations that can never block a run.
//!
//! A sound check by the form of an expression: intervals for integers (Cousot & Cousot, *Static determination of dynamic
//! properties of programs*, 1976, without loops), all combinations of values for small Boolean relations. "No" means that
//! nobody knows.

use crate::expr::{Binary, Expr, Op, Time, Unary};
use crate::model::{FrameId, Rule, Scalar, Spds, Type, Update, Var};

/// The values that an expression can have, if it always has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Always {
    /// Truth values.
    Truth,
    /// Integers from the first to the last.
    Within(i128, i128),
}

impl Always {
    /// Whether all of them are values of that type.
    pub fn fits(self, scalar: Scalar) -> bool {
        match (self, scalar) {
            (Always::Truth, Scalar::Bool) => true,
            (Always::Within(least, largest), Scalar::Unsigned(bits)) => least >= 0 && largest < 1i128 << bits,
            _ => false,
        }
    }
}

fn type_of(spds: &Spds, frame: Option<FrameId>, var: Var) -> Option<Type> {
    spds.variable(frame, var).map(|variable| variable.ty)
}

/// The type of what an update assigns to, or of the array whose cell it does.
fn target(spds: &Spds, rule: &Rule, update: &Update) -> Option<Type> {
    type_of(spds, spds.scope(rule).at(update.time).flatten(), update.var)
}

/// What an expression over the globals and the locals of one frame, read before a step, always has as its value; `None`
/// if it may have none. Linear.
pub fn always(spds: &Spds, frame: Option<FrameId>, expr: &Expr) -> Option<Always> {
    let mut stack: Vec<Always> = Vec::new();
    for op in expr.ops() {
        let value = match *op {
            Op::Bool(_) | Op::Any => Always::Truth,
            Op::Number(number) => Always::Within(number.into(), number.into()),
            Op::Read(var, _) => of_scalar(type_of(spds, frame, var)?.scalar),
            Op::Cell(var, _) => {
                let ty = type_of(spds, frame, var)?;
                in_range(stack.pop()?, ty)?;
                of_scalar(ty.scalar)
            }
            Op::Unary(Unary::Not) => stack.pop()?,
            Op::Binary(op) => {
                let (right, left) = (stack.pop()?, stack.pop()?);
                binary(op, left, right)?
            }
            Op::Choose => {
                stack.truncate(stack.len().checked_sub(2)?);
                Always::Truth
            }
            Op::Ite => {
                let (right, left, _) = (stack.pop()?, stack.pop()?, stack.pop()?);
                match (left, right) {
                    (Always::Within(a, b), Always::Within(c, d)) => Always::Within(a.min(c), b.max(d)),
                    _ => Always::Truth,
                }
            }
        };
        stack.push(value);
    }
    stack.pop()
}

/// Whether the index is always one of the array.
fn in_range(index: Always, ty: Type) -> Option<()> {
    let (first, last) = ty.range?;
    let Always::Within(least, largest) = index else { return None };
    (least >= first.into() && largest <= last.into()).then_some(())
}

fn of_scalar(scalar: Scalar) -> Always {
    match scalar {
        Scalar::Bool => Always::Truth,
        Scalar::Unsigned(bits) => Always::Within(0, (1i128 << bits) - 1),
    }
}

fn binary(op: Binary, left: Always, right: Always) -> Option<Always> {
    let (Always::Within(a, b), Always::Within(c, d)) = (left, right) else { return Some(Always::Truth) };
    let corners = |value: fn(i128, i128) -> Option<i128>| {
        let all = [value(a, c)?, value(a, d)?, value(b, c)?, value(b, d)?];
        Some(Always::Within(*all.iter().min()?, *all.iter().max()?))
    };
    match op {
        Binary::And | Binary::Or | Binary::Xor | Binary::Implies | Binary::Iff => None,
        Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => Some(Always::Truth),
        Binary::Add => corners(i128::checked_add),
        Binary::Sub => corners(i128::checked_sub),
        Binary::Mul => corners(i128::checked_mul),
        Binary::Div if c > 0 || d < 0 => corners(i128::checked_div),
        Binary::Rem if c > 0 || d < 0 => {
            let most = c.checked_abs()?.max(d.checked_abs()?) - 1;
            Some(Always::Within(a.min(0).max(-most), b.max(0).min(most)))
        }
        Binary::Shl if c >= 0 && d <= 64 => corners(|a, n| a.checked_mul(1 << n)),
        Binary::Shr if c >= 0 => corners(|a, n| Some(a >> n.min(127))),
        Binary::BitAnd if a >= 0 && c >= 0 => Some(Always::Within(0, b.min(d))),
        Binary::BitOr | Binary::BitXor if a >= 0 && c >= 0 => {
            let digits = 128 - b.max(d).leading_zeros();
            Some(Always::Within(0, 1i128.checked_shl(digits).filter(|_| digits < 127)? - 1))
        }
        Binary::Div | Binary::Rem | Binary::Shl | Binary::Shr | Binary::BitAnd | Binary::BitOr | Binary::BitXor => None,
    }
}

/// Whether the value of an update always exists and fits. The index is another matter ([`index_is_total`]).
pub fn value_is_total(spds: &Spds, rule: &Rule, update: &Update) -> bool {
    let Some(ty) = target(spds, rule, update) else { return false };
    update.value.ops() == [Op::Any]
        || always(spds, spds.symbol(rule.from.symbol).frame, &update.value).is_some_and(|value| value.fits(ty.scalar))
}

/// Whether the index of an update, if it has one, is always one of the array.
pub fn index_is_total(spds: &Spds, rule: &Rule, update: &Update) -> bool {
    let Some(ty) = target(spds, rule, update) else { return false };
    let (index, frame) = (update.index.as_ref(), spds.symbol(rule.from.symbol).frame);
    index.is_none_or(|index| always(spds, frame, index).is_some_and(|index| in_range(index, ty).is_some()))
}

/// Whether updates of a rule can meet in one cell, so that they might not agree.
pub fn updates_may_meet(one: &Update, other: &Update) -> bool {
    let apart = |a: &Expr, b: &Expr| matches!((a.ops(), b.ops()), ([Op::Number(a)], [Op::Number(b)]) if a != b);
    (one.var, one.time) == (other.var, other.time)
        && !matches!((&one.index, &other.index), (Some(a), Some(b)) if apart(a, b))
}

/// With more truth values than this nobody tries all combinations.
const MOST_BITS: usize = 12;

/// Whether the relation after `with` has values after the step for all values before it, whatever the guard says and
/// together with the updates: decided for relations over a few Boolean scalars.
pub fn relation_is_total(spds: &Spds, rule: &Rule) -> bool {
    let Some(with) = &rule.with else { return true };
    let scope = spds.scope(rule);
    let after: Vec<(Var, Time)> = with.reads().filter(|(_, time)| *time != Time::Before).collect();
    let updates: Vec<&Update> =
        rule.updates.iter().filter(|update| after.contains(&(update.var, update.time))).collect();
    let values = updates.iter().map(|update| &update.value);
    let mut expressions = values.chain([with]);
    let is_plain = |expr: &Expr| {
        expr.ops().iter().all(|op| match *op {
            Op::Read(var, time) => type_of(spds, scope.at(time).flatten(), var) == Some(Type::BOOL),
            Op::Bool(_) | Op::Any | Op::Unary(_) | Op::Choose => true,
            Op::Binary(op) => {
                matches!(op, Binary::And | Binary::Or | Binary::Xor | Binary::Implies | Binary::Iff)
            }
            Op::Number(_) | Op::Cell(..) | Op::Ite => false,
        })
    };
    if updates.iter().any(|update| update.index.is_some()) || !expressions.all(is_plain) {
        return false;
    }
    let mut places: Vec<(Var, Time)> = with.reads().chain(updates.iter().flat_map(|u| u.value.reads())).collect();
    places.sort_by_key(|(var, time)| (*time != Time::Before, *var, *time));
    places.dedup();
    let before = places.iter().filter(|(_, time)| *time == Time::Before).count();
    if places.len() > MOST_BITS {
        return false;
    }
    let holds = |bits: usize| {
        let value = |at: (Var, Time)| places.iter().position(|place| *place == at).is_some_and(|i| bits >> i & 1 == 1);
        truth(with, &value).0
            && updates.iter().all(|update| {
                let (may, may_not) = truth(&update.value, &value);
                if value((update.var, update.time)) { may } else { may_not }
            })
    };
    (0..1usize << before).all(|now| (0..1usize << (places.len() - before)).any(|next| holds(now | next << before)))
}

/// Whether an expression over truth values may be true, and whether it may be false (`SPEC.md`, Values of expressions).
fn truth(expr: &Expr, value: &dyn Fn((Var, Time)) -> bool) -> (bool, bool) {
    let mut stack: Vec<(bool, bool)> = Vec::new();
    for op in expr.ops() {
        let mut pop = || stack.pop().unwrap_or((false, false));
        let pair = match *op {
            Op::Bool(known) => (known, !known),
            Op::Read(var, time) => (value((var, time)), !value((var, time))),
            Op::Unary(Unary::Not) => {
                let (t, f) = pop();
                (f, t)
            }
            Op::Binary(op) => {
                let ((bt, bf), (at, af)) = (pop(), pop());
                match op {
                    Binary::And => (at && bt, af || bf),
                    Binary::Or => (at || bt, af && bf),
                    Binary::Implies => (af || bt, at && bf),
                    Binary::Xor => (at && bf || af && bt, at && bt || af && bf),
                    _ => (at && bt || af && bf, at && bf || af && bt),
                }
            }
            Op::Choose => {
                let ((_, bf), (at, af)) = (pop(), pop());
                (at || af && bf, af)
            }
            Op::Any | Op::Number(_) | Op::Cell(..) | Op::Ite => (true, true),
        };
        stack.push(pair);
    }
    stack.pop().unwrap_or((false, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(rule: &str) -> Spds {
        let text = format!(
            "spds 1 global x: u8, y: u4, b: bool, c: bool, d: bool, a: u4[1..16]; control p; symbol s; start <p, s>; {rule}"
        );
        crate::parse(&text).expect("the text is fine")
    }

    fn of_value(value: &str) -> Option<Always> {
        let spds = system(&format!("rule <p, s> -> <p, s> {{ x' := {value} }};"));
        always(&spds, None, &spds.rules[0].updates[0].value)
    }

    #[test]
    fn intervals() {
        for (value, expected) in [
            ("x + 1", Some((1, 256))),
            ("x - y", Some((-15, 255))),
            ("(x + 1) % 256", Some((0, 255))),
            ("(x - 1) % 256", Some((-1, 254))),
            ("(x + 255) & 127", Some((0, 127))),
            ("x / (y + 1)", Some((0, 255))),
            ("x / y", None),
            ("x % y", None),
            ("x << y", Some((0, 255 << 15))),
            ("x << x", None),
            ("x >> y", Some((0, 255))),
            ("(0 - x) >> y", Some((-255, 0))),
            ("x | y", Some((0, 255))),
            ("x ^ (0 - y)", None),
            ("b ? x : 300", Some((0, 300))),
            ("a[y + 1]", Some((0, 15))),
            ("a[y]", None),
            ("x * x * x * x * x * x * x * x * x * x * x * x * x * x * x * x", None),
        ] {
            assert_eq!(of_value(value), expected.map(|(a, b)| Always::Within(a, b)), "{value}");
        }
    }

    #[test]
    fn what_fits() {
        for (update, total) in [
            ("x' := (x + 1) % 256", true),
            ("x' := x + 1", false),
            ("x' := x - 1", false),
            ("y' := x >> 4", true),
            ("b' := x > y & !c", true),
            ("b' := 8 / y > 2", false),
            ("a'[y + 1] := y", true),
            ("a'[y] := y", false),
            ("a' := *", true),
        ] {
            let spds = system(&format!("rule <p, s> -> <p, s> {{ {update} }};"));
            let rule = &spds.rules[0];
            let both = |update| value_is_total(&spds, rule, update) && index_is_total(&spds, rule, update);
            assert_eq!(both(&rule.updates[0]), total, "{update}");
        }
    }

    #[test]
    fn relations() {
        for (rule, total) in [
            ("with b' -> c'", true),
            ("with b' -> c", true),
            ("with b & b'", false),
            ("with b' & !b'", false),
            ("{ b' := c } with b' | c'", true),
            ("{ b' := c; c' := d } with b' | c'", false),
            ("{ b' := schoose[d, c] } with b' = c", false),
            ("{ b' := schoose[c, d] } with b' = c", true),
            ("{ b' := * } with b' = c", true),
            ("with x' > x", false),
        ] {
            let spds = system(&format!("rule <p, s> -> <p, s> {rule};"));
            assert_eq!(relation_is_total(&spds, &spds.rules[0]), total, "{rule}");
        }
    }
}
