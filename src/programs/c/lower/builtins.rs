//! Operations of gcc that take operands of any types: arithmetic that says whether it fits (`__builtin_add_overflow`), and what no other
//! thread comes between (`__sync_fetch_and_add`, `__atomic_exchange_n`), in programs of one thread; and what it computes itself although the
//! program defines it (`abs`).

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::scope::Linked;
use super::{Lowered, Lowering, Refused, Value};
use crate::c::bodiless::operations::{Atomic, Operation, operation};
use crate::c::bodiless::{Does, Meaning};
use crate::c::expression::{Binary, ExpressionId, LvalueId, Unary};
use crate::c::program::{Callee, ProcedureId, StatementKind};
use crate::c::types::{Integer, Rank, Type, TypeId};

/// What an atomic operation is about.
struct Operands<'g> {
    /// The arguments.
    given: &'g [ExpressionId],
    /// The object.
    to: LvalueId,
    /// The second one, if it is a value.
    second: Option<ExpressionId>,
    span: Span,
}

impl Lowering<'_> {
    /// Whether compilers may take a procedure that the program defines for one of theirs: the name is the library's (C11 §7.1.3), and gcc
    /// computes what it means without a call.
    pub fn is_compilers(&self, name: &str, id: ProcedureId) -> bool {
        let known = &self.known[id.0 as usize];
        let Type::Function(result, parameters, _) = self.types.get(known.ty) else { return false };
        let rank = |ty: TypeId| self.types.as_integer(ty).filter(|integer| integer.signed).map(|integer| integer.rank);
        let wanted = match name {
            "abs" => Rank::Int,
            "labs" | "imaxabs" => Rank::Long,
            "llabs" => Rank::LongLong,
            _ => return false,
        };
        let linked = matches!(self.linked.get(name), Some(Linked::Procedure(other)) if *other == id);
        linked && rank(*result) == Some(wanted) && parameters.len() == 1 && rank(parameters[0]) == Some(wanted)
    }

    /// A call of a procedure that compilers may take for one of theirs: either.
    pub fn own_or_compilers(&mut self, id: ProcedureId, values: &[ExpressionId], result: TypeId) -> Lowered<Value> {
        let [value] = values else { return Err(Refused) };
        let (value, to) = (self.saved(*value)?, self.intermediate(result)?);
        let told = format!("calls the program's own `{}`", self.procedures[id.0 as usize].name);
        let own = self.chosen(Box::new([told.into()]))?;
        let (yes, no, end) = self.three_marks()?;
        self.body()?.branch(own, yes, no);
        self.body()?.place_mark(yes);
        self.emit(StatementKind::Call(Some(to), Callee::Procedure(id), vec![value]))?;
        self.body()?.goto(end);
        self.body()?.place_mark(no);
        let size = self.without_sign(value)?;
        self.assign(to, size)?;
        self.body()?.place_mark(end);
        Ok(Value::Scalar(self.read(to)))
    }

    /// A call of such an operation; if its operands are of types that are not represented here, it is not known what it does.
    pub fn operation_call(
        &mut self,
        node: &Node<ast::CallExpression>,
        name: &Node<ast::Identifier>,
    ) -> Lowered<Option<Value>> {
        let Some(operation) = operation(&name.node.name) else { return Ok(None) };
        let declared = self.declared(&name.node.name, name.span)?;
        let known = self.known[declared.0 as usize].clone();
        let mut given = self.arguments(&node.node.arguments, &known.parameters, known.prototype, false, node.span)?;
        if let (Operation::Overflow { stores: false, .. }, Some(last)) = (operation, node.node.arguments.get(2)) {
            // It says the type, as it is before it is promoted.
            let last = self.scalar(last)?;
            given.truncate(2);
            given.push(last);
        }
        let value = self.at_once(|this| match operation {
            Operation::Overflow { op, ty, stores } => this.with_overflow(op, ty, stores, &given, node.span),
            Operation::Atomic(atomic) => this.atomic(atomic, &given, node.span),
        })?;
        if value.is_some() {
            return Ok(value);
        }
        let result = self.result_of(declared);
        let result = self.result_of_first(&name.node.name, result, &given);
        self.bodiless_call(declared, Meaning::Unknown(Does::Writes), given, result, None).map(Some)
    }

    /// `__builtin_add_overflow(a, b, &c)` and its kin: computed as if numbers had no ends.
    fn with_overflow(
        &mut self,
        op: Binary,
        ty: Option<(Rank, bool)>,
        stores: bool,
        given: &[ExpressionId],
        span: Span,
    ) -> Lowered<Option<Value>> {
        let &[a, b, c] = given else { return Err(self.error("three arguments are needed", span)) };
        let to = match (stores, ty) {
            (true, Some((rank, signed))) => {
                let ty = self.types.integer(rank, signed);
                let pointer = self.types.pointer(ty);
                let c = self.convert(c, pointer)?;
                Some(self.pointed(c, span)?)
            }
            (true, None) => match self.place_of(c, span)? {
                None => return Ok(None),
                to => to,
            },
            (false, _) => None,
        };
        let result = to.map_or(self.ty(c), |to| self.terms.at(to).ty);
        let all = [self.ty(a), self.ty(b), result].map(|ty| self.types.as_integer(ty));
        let [Some(first), Some(second), Some(narrow)] = all else { return Ok(None) };
        let Some(wide) = self.wide_enough(op, first, second, narrow) else { return Ok(None) };
        let (a, b) = (self.convert_integer(a, wide), self.convert_integer(b, wide));
        let exact = self.binary(op, a, b);
        let exact = self.saved(exact)?;
        let stored = self.convert_integer(exact, result);
        if let Some(to) = to {
            self.store(to, Value::Scalar(stored), span)?;
        }
        let back = self.convert_integer(stored, wide);
        let differs = self.binary(Binary::Unequal, back, exact);
        let truth = self.types.integer(Rank::Bool, false);
        let differs = self.convert_integer(differs, truth);
        Ok(Some(Value::Scalar(self.saved(differs)?)))
    }

    /// A type in which the operation is exact, and in which every value of the result's type is itself.
    fn wide_enough(&mut self, op: Binary, a: Integer, b: Integer, result: Integer) -> Option<TypeId> {
        let bits = |integer: Integer| integer.width + u32::from(!integer.signed);
        let needed = match op {
            Binary::Multiply => bits(a) + bits(b),
            _ => bits(a).max(bits(b)) + 1,
        };
        let needed = needed.max(bits(result));
        match needed {
            0..=64 => Some(self.types.integer(Rank::LongLong, true)),
            65..=128 => Some(self.types.integer(Rank::Int128, true)),
            // The product of two numbers without sign has none.
            _ if op == Binary::Multiply && !a.signed && !b.signed && a.width + b.width <= 128 => {
                Some(self.types.integer(Rank::Int128, false))
            }
            // The product of two numbers of so many bits with one sign bit among them needs one bit less.
            _ if op == Binary::Multiply && a.width + b.width <= 128 && result.width < 128 => {
                Some(self.types.integer(Rank::Int128, true))
            }
            _ => None,
        }
    }

    /// What a pointer to a number points to.
    fn place_of(&mut self, pointer: ExpressionId, span: Span) -> Lowered<Option<LvalueId>> {
        let pointee = self.types.pointee(self.ty(pointer));
        if pointee.is_none_or(|ty| self.types.as_integer(ty).is_none()) {
            return Ok(None);
        }
        self.pointed(pointer, span).map(Some)
    }

    /// What a pointer to a number or to a pointer points to.
    fn scalar_at(&mut self, pointer: ExpressionId, span: Span) -> Lowered<Option<LvalueId>> {
        let pointee = self.types.pointee(self.ty(pointer));
        let plain = |ty: TypeId| self.types.as_integer(ty).is_some() || self.types.pointee(ty).is_some();
        if !pointee.is_some_and(plain) {
            return Ok(None);
        }
        self.pointed(pointer, span).map(Some)
    }

    /// The value of a place now, kept.
    fn kept_now(&mut self, place: LvalueId) -> Lowered<ExpressionId> {
        let value = self.current(place)?;
        self.saved(value)
    }

    fn atomic(&mut self, atomic: Atomic, given: &[ExpressionId], span: Span) -> Lowered<Option<Value>> {
        let pointer = self.operand(given, 0, span)?;
        match atomic {
            Atomic::LockFree => return Ok(self.lock_free(pointer)),
            Atomic::TestAndSet | Atomic::Clear => return self.flag(atomic, pointer, span),
            _ => {}
        }
        let pointer = self.saved(pointer)?;
        let Some(to) = self.scalar_at(pointer, span)? else { return Ok(None) };
        let ty = self.terms.at(to).ty;
        let second = match given.get(1) {
            Some(&e) if self.types.is_scalar(self.ty(e)) && self.float(e).is_none() => {
                let points = self.types.pointee(self.ty(e)).is_some();
                // Where a pointer says where a value is, it is none itself.
                (points == self.types.pointee(ty).is_some() || !points).then_some(e)
            }
            _ => None,
        };
        let operands = Operands { given, to, second, span };
        match atomic {
            Atomic::Modify { op, negated, new } => self.atomic_update(&operands, (op, negated), new),
            Atomic::Compare { truth } => self.atomic_comparison(&operands, truth),
            Atomic::CompareExchange | Atomic::CompareExchangeWith => {
                self.atomic_exchange_if(&operands, matches!(atomic, Atomic::CompareExchangeWith))
            }
            _ => self.atomic_access(atomic, &operands),
        }
    }

    /// An operand, which has to be there.
    fn operand(&mut self, given: &[ExpressionId], at: usize, span: Span) -> Lowered<ExpressionId> {
        given.get(at).copied().ok_or_else(|| self.error("an argument is missing", span))
    }

    /// The value that is handed over.
    fn second(&mut self, operands: &Operands<'_>) -> Lowered<ExpressionId> {
        operands.second.ok_or_else(|| self.error("an argument is missing", operands.span))
    }

    /// What a pointer says where it is.
    fn behind(&mut self, operands: &Operands<'_>, at: usize) -> Lowered<Option<LvalueId>> {
        let pointer = self.operand(operands.given, at, operands.span)?;
        let pointer = self.saved(pointer)?;
        self.scalar_at(pointer, operands.span)
    }

    /// Reads, writes, exchanges.
    fn atomic_access(&mut self, atomic: Atomic, operands: &Operands<'_>) -> Lowered<Option<Value>> {
        let &Operands { to, span, .. } = operands;
        let ty = self.terms.at(to).ty;
        match atomic {
            Atomic::Load => return Ok(Some(Value::Scalar(self.kept_now(to)?))),
            Atomic::LoadTo => {
                let Some(other) = self.behind(operands, 1)? else { return Ok(None) };
                let value = self.kept_now(to)?;
                self.store(other, Value::Scalar(value), span)?;
            }
            Atomic::Store => {
                let value = self.second(operands)?;
                self.store(to, Value::Scalar(value), span)?;
            }
            Atomic::StoreFrom => {
                let Some(other) = self.behind(operands, 1)? else { return Ok(None) };
                let value = self.kept_now(other)?;
                self.store(to, Value::Scalar(value), span)?;
            }
            Atomic::Release => {
                let zero = self.constant(0, ty);
                self.store(to, Value::Scalar(zero), span)?;
            }
            Atomic::Exchange => {
                let value = self.second(operands)?;
                let value = self.convert(value, ty)?;
                let value = self.saved(value)?;
                let old = self.kept_now(to)?;
                self.store(to, Value::Scalar(value), span)?;
                return Ok(Some(Value::Scalar(old)));
            }
            Atomic::ExchangeWith => {
                let places = (self.behind(operands, 1)?, self.behind(operands, 2)?);
                let (Some(from), Some(other)) = places else { return Ok(None) };
                let (value, old) = (self.kept_now(from)?, self.kept_now(to)?);
                self.store(to, Value::Scalar(value), span)?;
                self.store(other, Value::Scalar(old), span)?;
            }
            _ => return Ok(None),
        }
        Ok(Some(Value::Void))
    }

    /// An operation on what is there and the value that is handed over, whose result is complemented or not; worth what is there afterwards, or
    /// what was before.
    fn atomic_update(
        &mut self,
        operands: &Operands<'_>,
        (op, negated): (Binary, bool),
        new: bool,
    ) -> Lowered<Option<Value>> {
        let &Operands { to, span, .. } = operands;
        let ty = self.terms.at(to).ty;
        let Some(integer) = self.types.as_integer(ty) else { return Ok(None) };
        let value = self.second(operands)?;
        let value = self.convert(value, ty)?;
        let value = self.saved(value)?;
        let old = self.kept_now(to)?;
        let unsigned = self.types.integer(integer.rank, false);
        let (a, b) = (self.convert_integer(old, unsigned), self.convert_integer(value, unsigned));
        let (a, b) = (self.promote(a), self.promote(b));
        let done = self.binary(op, a, b);
        let done = if negated { self.unary(Unary::Complement, done) } else { done };
        let done = self.convert_integer(done, ty);
        let done = self.saved(done)?;
        self.store(to, Value::Scalar(done), span)?;
        Ok(Some(Value::Scalar(if new { done } else { old })))
    }

    /// A value is stored where what is there is the one that is expected, which is handed over; worth whether it was, or what was there.
    fn atomic_comparison(&mut self, operands: &Operands<'_>, truth: bool) -> Lowered<Option<Value>> {
        let &Operands { given, to, span, .. } = operands;
        let ty = self.terms.at(to).ty;
        let (wanted, value) = (self.second(operands)?, self.operand(given, 2, span)?);
        let wanted = self.convert(wanted, ty)?;
        let (wanted, value) = (self.saved(wanted)?, self.convert(value, ty)?);
        let value = self.saved(value)?;
        let old = self.kept_now(to)?;
        let same = self.stored_if(to, (old, wanted), value, span, None)?;
        Ok(Some(Value::Scalar(if truth { same } else { old })))
    }

    /// The same where the expected one is behind a pointer, and perhaps the value, too.
    fn atomic_exchange_if(&mut self, operands: &Operands<'_>, is_behind: bool) -> Lowered<Option<Value>> {
        let &Operands { given, to, span, .. } = operands;
        let ty = self.terms.at(to).ty;
        let Some(expected) = self.behind(operands, 1)? else { return Ok(None) };
        let value = if is_behind {
            let Some(from) = self.behind(operands, 2)? else { return Ok(None) };
            self.kept_now(from)?
        } else {
            self.operand(given, 2, span)?
        };
        let value = self.convert(value, ty)?;
        let value = self.saved(value)?;
        let (old, wanted) = (self.kept_now(to)?, self.current(expected)?);
        let wanted = self.convert(wanted, ty)?;
        let wanted = self.saved(wanted)?;
        Ok(Some(Value::Scalar(self.stored_if(to, (old, wanted), value, span, Some(expected))?)))
    }

    /// `__atomic_test_and_set` and `__atomic_clear`: a byte, whatever points to it.
    fn flag(&mut self, atomic: Atomic, pointer: ExpressionId, span: Span) -> Lowered<Option<Value>> {
        let byte = self.types.integer(Rank::Char, false);
        let bytes = self.types.pointer(byte);
        let pointer = self.convert(pointer, bytes)?;
        let pointer = self.saved(pointer)?;
        let place = self.pointed(pointer, span)?;
        if atomic == Atomic::Clear {
            let zero = self.constant(0, byte);
            self.store(place, Value::Scalar(zero), span)?;
            return Ok(Some(Value::Void));
        }
        let (old, one) = (self.kept_now(place)?, self.constant(1, byte));
        self.store(place, Value::Scalar(one), span)?;
        Ok(Some(Value::Scalar(self.was_set(old, one)?)))
    }

    /// What a flag was, if its byte was 0 or 1; of other bytes compilers make anything.
    fn was_set(&mut self, old: ExpressionId, one: ExpressionId) -> Lowered<ExpressionId> {
        let truth = self.types.integer(Rank::Bool, false);
        let set = self.intermediate(truth)?;
        let is_flag = self.binary(Binary::LessEqual, old, one);
        let is_flag = self.convert_integer(is_flag, truth);
        let is_flag = self.saved(is_flag)?;
        let body = self.body()?;
        let (yes, no, end) = (body.mark(), body.mark(), body.mark());
        body.branch(is_flag, yes, no);
        body.place_mark(yes);
        let value = self.convert_integer(old, truth);
        self.emit(StatementKind::Assign(set, value))?;
        let body = self.body()?;
        body.goto(end);
        body.place_mark(no);
        let reason = self.reason("what `__atomic_test_and_set` makes of a byte that is neither 0 nor 1")?;
        self.emit(StatementKind::Havoc(set, reason, None))?;
        self.body()?.place_mark(end);
        Ok(self.read(set))
    }

    /// Whether objects of so many bytes need no lock: of those that processors have instructions for.
    fn lock_free(&mut self, size: ExpressionId) -> Option<Value> {
        let size = self.folded(size)?;
        let truth = self.types.integer(Rank::Bool, false);
        Some(Value::Scalar(self.constant(i128::from(matches!(size, 1 | 2 | 4 | 8)), truth)))
    }

    /// Stores a value where two are the same, and otherwise the first of them elsewhere; whether they are.
    fn stored_if(
        &mut self,
        to: LvalueId,
        (old, wanted): (ExpressionId, ExpressionId),
        value: ExpressionId,
        span: Span,
        otherwise: Option<LvalueId>,
    ) -> Lowered<ExpressionId> {
        let truth = self.types.integer(Rank::Bool, false);
        let same = self.binary(Binary::Equal, old, wanted);
        let same = self.convert_integer(same, truth);
        let same = self.saved(same)?;
        let body = self.body()?;
        let (yes, no, end) = (body.mark(), body.mark(), body.mark());
        body.branch(same, yes, no);
        body.place_mark(yes);
        self.store(to, Value::Scalar(value), span)?;
        let body = self.body.as_mut().ok_or(Refused)?;
        body.goto(end);
        body.place_mark(no);
        if let Some(other) = otherwise {
            self.store(other, Value::Scalar(old), span)?;
        }
        self.body()?.place_mark(end);
        Ok(same)
    }
}
