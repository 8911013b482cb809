//! Equations between integers in one form, so that those that say the same are one predicate: sums on both sides without what they
//! share, and one constant. Exact modulo the width of their type, as predicates are evaluated.

use std::collections::BTreeMap;

use crate::c::Program;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, Unary};
use crate::c::types::{Integer, TypeId};

/// A sum modulo the width of its type: factors of what is not a sum itself, and a constant.
struct Sum {
    integer: Integer,
    parts: BTreeMap<(u8, ExpressionId), u128>,
    constant: u128,
}

/// The equation `a == b` in that form; none if it is not one of integers, or holds always or never.
pub fn equation(program: &mut Program, a: ExpressionId, b: ExpressionId) -> Option<ExpressionId> {
    let ty = program.terms.get(a).ty;
    let integer = program.types.as_integer(ty)?;
    let mut sum = Sum { integer, parts: BTreeMap::new(), constant: 0 };
    sum.add(program, a, 1);
    sum.add(program, b, integer.mask());
    sum.parts.retain(|_, factor| *factor != 0);
    if sum.is_negative(*sum.parts.values().next()?) {
        sum.negate();
    }
    let (left, right): (Vec<_>, Vec<_>) = (sum.parts.iter())
        .map(|(&(_, part), &factor)| (part, factor))
        .partition(|&(_, factor)| !sum.is_negative(factor));
    let right: Vec<_> = right.into_iter().map(|(part, factor)| (part, sum.opposite(factor))).collect();
    // The constant goes where it is positive, but not where it would stand beside nothing else.
    let moved = sum.opposite(sum.constant);
    let (on_left, on_right) =
        if right.is_empty() || sum.is_negative(sum.constant) { (0, moved) } else { (sum.constant, 0) };
    let left = spelled(program, ty, &left, on_left);
    let right = spelled(program, ty, &right, on_right);
    let int = program.types.int();
    Some(program.terms.expression(ExpressionKind::Binary(Binary::Equal, left, right), int))
}

impl Sum {
    fn opposite(&self, factor: u128) -> u128 {
        factor.wrapping_neg() & self.integer.mask()
    }

    /// Whether its opposite is shorter to write.
    fn is_negative(&self, factor: u128) -> bool {
        factor > self.opposite(factor)
    }

    fn negate(&mut self) {
        let mask = self.integer.mask();
        self.parts.values_mut().for_each(|factor| *factor = factor.wrapping_neg() & mask);
        self.constant = self.opposite(self.constant);
    }

    /// So many times an expression.
    fn add(&mut self, program: &Program, expression: ExpressionId, times: u128) {
        let mask = self.integer.mask();
        let constant = |id: ExpressionId| match program.terms.get(id).kind {
            ExpressionKind::Constant(bits) => Some(bits),
            _ => None,
        };
        let mut open = vec![(expression, times & mask)];
        while let Some((expression, times)) = open.pop() {
            match program.terms.get(expression).kind {
                ExpressionKind::Constant(bits) => {
                    self.constant = self.constant.wrapping_add(bits.wrapping_mul(times)) & mask;
                }
                ExpressionKind::Binary(Binary::Add, a, b) => open.extend([(a, times), (b, times)]),
                ExpressionKind::Binary(Binary::Subtract, a, b) => open.extend([(a, times), (b, self.opposite(times))]),
                ExpressionKind::Unary(Unary::Negate, a) => open.push((a, self.opposite(times))),
                ExpressionKind::Binary(Binary::Multiply, a, b) => match (constant(a), constant(b)) {
                    (Some(factor), _) => open.push((b, times.wrapping_mul(factor) & mask)),
                    (_, Some(factor)) => open.push((a, times.wrapping_mul(factor) & mask)),
                    _ => self.part(program, expression, times),
                },
                _ => self.part(program, expression, times),
            }
        }
    }

    fn part(&mut self, program: &Program, expression: ExpressionId, times: u128) {
        let rank = match program.terms.get(expression).kind {
            ExpressionKind::Result => 0,
            ExpressionKind::Read(_) => 1,
            ExpressionKind::Pre(_) => 3,
            _ => 2,
        };
        let factor = self.parts.entry((rank, expression)).or_default();
        *factor = factor.wrapping_add(times) & self.integer.mask();
    }
}

/// A sum as an expression.
fn spelled(program: &mut Program, ty: TypeId, parts: &[(ExpressionId, u128)], constant: u128) -> ExpressionId {
    let mut sum = None;
    for &(part, factor) in parts {
        let term = if factor == 1 {
            part
        } else {
            let factor = program.terms.expression(ExpressionKind::Constant(factor), ty);
            program.terms.expression(ExpressionKind::Binary(Binary::Multiply, factor, part), ty)
        };
        sum = Some(match sum {
            None => term,
            Some(sum) => program.terms.expression(ExpressionKind::Binary(Binary::Add, sum, term), ty),
        });
    }
    let number = program.terms.expression(ExpressionKind::Constant(constant), ty);
    match sum {
        None => number,
        Some(sum) if constant == 0 => sum,
        Some(sum) => program.terms.expression(ExpressionKind::Binary(Binary::Add, sum, number), ty),
    }
}
