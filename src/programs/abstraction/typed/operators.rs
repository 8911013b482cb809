//! Operators of predicates, typed as C does (C11 §6.3, §6.5).

use super::{Operand, Prefix, Read, Reader, Waiting};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, Unary};
use crate::c::types::{Integer, Type, TypeId};

impl Reader<'_, '_> {
    /// Applies an operator to the operands before it.
    pub(super) fn apply(&mut self, waiting: Waiting, at: usize) -> Read<()> {
        let operand = match waiting {
            Waiting::Prefix(Prefix::Deref) => {
                let pointer = self.pop_value(at)?;
                Operand::Lvalue(self.deref(pointer, at)?)
            }
            Waiting::Prefix(Prefix::Address) => match self.operands.pop() {
                Some(Operand::Lvalue(lvalue)) => Operand::Value(self.address(lvalue)),
                _ => return Err(self.wrong("this has no address", at, 1)),
            },
            Waiting::Prefix(Prefix::Unary(Unary::Not)) => {
                let value = self.pop_value(at)?;
                let int = self.program.types.int();
                Operand::Value(self.program.terms.expression(ExpressionKind::Unary(Unary::Not, value), int))
            }
            Waiting::Prefix(Prefix::Unary(Unary::Elements)) => {
                let pointer = self.pop_value(at)?;
                self.sized(pointer, at)?;
                let ty = self.program.types.difference_type();
                Operand::Value(self.program.terms.expression(ExpressionKind::Unary(Unary::Elements, pointer), ty))
            }
            Waiting::Prefix(Prefix::Cast(ty)) => {
                let value = self.pop_value(at)?;
                Operand::Value(self.cast(value, ty, at)?)
            }
            Waiting::Prefix(Prefix::SizeOf) => {
                let ty = match self.operands.pop() {
                    Some(Operand::Lvalue(lvalue)) => self.program.terms.at(lvalue).ty,
                    Some(Operand::Value(value)) => self.type_of(value),
                    None => return Err(self.wrong("an operand is missing", at, 1)),
                };
                return self.size_of(ty, at);
            }
            Waiting::Colon => {
                let otherwise = self.pop_value(at)?;
                let chosen = self.pop_value(at)?;
                let condition = self.pop_value(at)?;
                Operand::Value(self.choice(condition, chosen, otherwise, at)?)
            }
            Waiting::Prefix(prefix) => {
                let value = self.pop_integer(at)?;
                let value = self.promoted(value);
                match prefix {
                    Prefix::Unary(operator) => {
                        let ty = self.type_of(value);
                        Operand::Value(self.program.terms.expression(ExpressionKind::Unary(operator, value), ty))
                    }
                    _ => Operand::Value(value),
                }
            }
            Waiting::Infix(operator) => {
                let right = self.pop_value(at)?;
                let left = self.pop_value(at)?;
                Operand::Value(self.infix(operator, left, right, at)?)
            }
            Waiting::Bracket | Waiting::Pre | Waiting::Index | Waiting::Question => return Ok(()),
        };
        self.operands.push(operand);
        Ok(())
    }

    fn pop_integer(&mut self, at: usize) -> Read<ExpressionId> {
        let value = self.pop_value(at)?;
        match self.integer(value) {
            Some(_) => Ok(value),
            None => Err(self.wrong("this operator needs numbers", at, 1)),
        }
    }

    pub(super) fn integer(&self, value: ExpressionId) -> Option<Integer> {
        self.program.types.as_integer(self.type_of(value))
    }

    fn infix(&mut self, operator: Binary, left: ExpressionId, right: ExpressionId, at: usize) -> Read<ExpressionId> {
        let int = self.program.types.int();
        let (left, right, ty) = match (self.integer(left), self.integer(right)) {
            _ if matches!(operator, Binary::Both | Binary::Either) => (left, right, int),
            (Some(_), Some(_)) if matches!(operator, Binary::ShiftLeft | Binary::ShiftRight) => {
                let (left, right) = (self.promoted(left), self.promoted(right));
                (left, right, self.type_of(left))
            }
            (Some(a), Some(b)) => {
                let common = self.program.types.common(a, b);
                let common = self.program.types.intern(Type::Integer(common));
                (self.converted(left, common), self.converted(right, common), common)
            }
            _ => return self.with_pointers(operator, left, right, at),
        };
        let ty = if operator.is_truth() { int } else { ty };
        Ok(self.program.terms.expression(ExpressionKind::Binary(operator, left, right), ty))
    }

    /// Pointers are compared with each other and with NULL, moved, and subtracted.
    fn with_pointers(
        &mut self,
        operator: Binary,
        left: ExpressionId,
        right: ExpressionId,
        at: usize,
    ) -> Read<ExpressionId> {
        let (a, b) = (self.integer(left).is_none(), self.integer(right).is_none());
        if matches!(operator, Binary::Add | Binary::Subtract) {
            self.sized(left, at)?;
            self.sized(right, at)?;
        }
        let kind = match operator {
            Binary::Add if a && !b => ExpressionKind::Offset(left, self.promoted(right)),
            Binary::Add if b && !a => return self.with_pointers(operator, right, left, at),
            Binary::Subtract if a && b => {
                let ty = self.program.types.difference_type();
                return Ok(self.program.terms.expression(ExpressionKind::Distance(left, right), ty));
            }
            Binary::Subtract if a => {
                let back = self.promoted(right);
                let ty = self.type_of(back);
                ExpressionKind::Offset(
                    left,
                    self.program.terms.expression(ExpressionKind::Unary(Unary::Negate, back), ty),
                )
            }
            _ if operator.is_truth() => {
                let ty = self.type_of(if a { left } else { right });
                let (left, right) = (self.as_pointer(left, ty, at)?, self.as_pointer(right, ty, at)?);
                let int = self.program.types.int();
                return Ok(self.program.terms.expression(ExpressionKind::Binary(operator, left, right), int));
            }
            _ => return Err(self.wrong("this operator needs numbers", at, 1)),
        };
        let ty = self.type_of(if a { left } else { right });
        Ok(self.program.terms.expression(kind, ty))
    }

    /// Complains about pointers to arrays whose size varies: only the program knows how far they move.
    pub(super) fn sized(&self, value: ExpressionId, at: usize) -> Read<()> {
        match self.program.types.pointee(self.type_of(value)) {
            Some(to) if self.program.types.varies(to) => {
                Err(self.wrong("the size of what this points to varies, and predicates do not know it", at, 1))
            }
            _ => Ok(()),
        }
    }

    fn as_pointer(&mut self, value: ExpressionId, ty: TypeId, at: usize) -> Read<ExpressionId> {
        if self.program.terms.get(value).kind == ExpressionKind::Constant(0) {
            return Ok(self.program.terms.expression(ExpressionKind::Constant(0), ty));
        }
        if self.integer(value).is_some() {
            return Err(self.wrong("a pointer is compared with a number that is not 0", at, 1));
        }
        if self.type_of(value) == ty {
            return Ok(value);
        }
        Ok(self.program.terms.expression(ExpressionKind::Convert(value), ty))
    }

    pub(super) fn promoted(&mut self, value: ExpressionId) -> ExpressionId {
        let Some(integer) = self.integer(value) else { return value };
        let promoted = self.program.types.promoted(integer);
        let ty = self.program.types.intern(Type::Integer(promoted));
        self.converted(value, ty)
    }

    pub(super) fn converted(&mut self, value: ExpressionId, ty: TypeId) -> ExpressionId {
        if self.type_of(value) == ty {
            return value;
        }
        self.program.terms.expression(ExpressionKind::Convert(value), ty)
    }

    /// `c ? a : b`, as a term that has no branches: `(c && a) || (!c && b)` where a and b are true or false, else
    /// `b ^ ((a ^ b) & -(c != 0))`. Both are total, as all terms of predicates are.
    fn choice(
        &mut self,
        condition: ExpressionId,
        chosen: ExpressionId,
        otherwise: ExpressionId,
        at: usize,
    ) -> Read<ExpressionId> {
        let (Some(a), Some(b)) = (self.integer(chosen), self.integer(otherwise)) else {
            return Err(self.wrong("`?:` is of numbers in predicates", at, 1));
        };
        let int = self.program.types.int();
        let not = self.program.terms.expression(ExpressionKind::Unary(Unary::Not, condition), int);
        if self.is_truth(chosen) && self.is_truth(otherwise) {
            let yes = self.binary(Binary::Both, condition, chosen, int);
            let no = self.binary(Binary::Both, not, otherwise, int);
            return Ok(self.binary(Binary::Either, yes, no, int));
        }
        let ty = self.program.types.common(a, b);
        let ty = self.program.types.intern(Type::Integer(ty));
        let (chosen, otherwise) = (self.converted(chosen, ty), self.converted(otherwise, ty));
        let truth = self.program.terms.expression(ExpressionKind::Unary(Unary::Not, not), int);
        let truth = self.converted(truth, ty);
        let all = self.program.terms.expression(ExpressionKind::Unary(Unary::Negate, truth), ty);
        let both = self.binary(Binary::Xor, chosen, otherwise, ty);
        let kept = self.binary(Binary::And, both, all, ty);
        Ok(self.binary(Binary::Xor, otherwise, kept, ty))
    }

    fn binary(&mut self, operator: Binary, left: ExpressionId, right: ExpressionId, ty: TypeId) -> ExpressionId {
        self.program.terms.expression(ExpressionKind::Binary(operator, left, right), ty)
    }

    /// Whether a value is 0 or 1 whatever its operands are.
    fn is_truth(&self, value: ExpressionId) -> bool {
        match self.program.terms.get(value).kind {
            ExpressionKind::Binary(operator, ..) => operator.is_truth(),
            ExpressionKind::Unary(Unary::Not, _) => true,
            _ => false,
        }
    }
}
