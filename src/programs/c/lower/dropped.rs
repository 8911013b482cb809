//! Values that nobody asks for: C evaluates them all the same (C11 §6.8.3, §6.3.2.2), and where that is undefined no run goes past it.
//!
//! Only what can be undefined becomes a statement, an assignment to an intermediate value: `x;` and `(void)x;` do nothing.

use super::{Lowered, Lowering, Value};
use crate::c::definedness::is_defined;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::StatementKind;
use crate::c::types::{Rank, Type};

impl Lowering<'_> {
    /// A value was computed, and is not used.
    pub fn dropped(&mut self, value: Value) -> Lowered<()> {
        match value {
            Value::Scalar(e) if self.is_result(e) => {
                let last = self.body()?.statements.last_mut();
                if let Some(StatementKind::Call(to, ..)) = last.map(|statement| &mut statement.kind) {
                    *to = None;
                }
                Ok(())
            }
            Value::Scalar(e) => self.evaluated(e),
            Value::Record(l) => self.accessed(l),
            Value::Opaque(_) | Value::Void => Ok(()),
        }
    }

    /// Whether an expression is the result of the call that was just made, in an intermediate value that nobody else knows: a result that is
    /// not used need not have a value (C11 §6.9.1 p12).
    fn is_result(&self, e: ExpressionId) -> bool {
        let last = self.body.as_ref().and_then(|body| body.statements.last());
        let (Some(StatementKind::Call(Some(to), ..)), ExpressionKind::Read(from)) =
            (last.map(|statement| &statement.kind), &self.terms.get(e).kind)
        else {
            return false;
        };
        let LvalueKind::Variable(id) = self.terms.at(*to).kind else { return false };
        to == from && self.variables[id.0 as usize].is_made_up
    }

    /// An expression is evaluated here, whatever becomes of its value.
    pub fn evaluated(&mut self, e: ExpressionId) -> Lowered<()> {
        if self.body.is_none() || is_defined(&self.types, &self.terms, Term::Expression(e)) {
            return Ok(());
        }
        let to = self.intermediate(self.ty(e))?;
        self.emit(StatementKind::Assign(to, e))
    }

    /// The value of an expression, evaluated here if that can be undefined: it may be that nobody evaluates it later.
    pub fn settled(&mut self, e: ExpressionId) -> Lowered<ExpressionId> {
        if is_defined(&self.types, &self.terms, Term::Expression(e)) { Ok(e) } else { self.saved(e) }
    }

    /// The same, at a statement that was left free.
    pub fn evaluated_at(&mut self, hole: usize, e: ExpressionId) -> Lowered<()> {
        if !is_defined(&self.types, &self.terms, Term::Expression(e)) {
            let to = self.intermediate(self.ty(e))?;
            self.body()?.statements[hole].kind = StatementKind::Assign(to, e);
        }
        Ok(())
    }

    /// An object is read here, whatever becomes of what is in it: where it begins, and where it ends.
    pub fn accessed(&mut self, l: LvalueId) -> Lowered<()> {
        if self.body.is_none() || is_defined(&self.types, &self.terms, Term::Lvalue(l)) {
            return Ok(());
        }
        let ends = [false, true].map(|last| self.end_of(l, last));
        let [first, last] = ends;
        self.evaluated(first)?;
        if first == last { Ok(()) } else { self.evaluated(last) }
    }

    /// The first or the last scalar of an object; a byte of what is not represented.
    fn end_of(&mut self, l: LvalueId, last: bool) -> ExpressionId {
        let mut part = l;
        loop {
            match self.types.get(self.terms.at(part).ty).clone() {
                Type::Integer(_) | Type::Pointer(_) => return self.read(part),
                Type::Array(element, length) if length > 0 => {
                    part = self.element(part, element, if last { length - 1 } else { 0 });
                }
                Type::Record(record) => {
                    let record = &self.types.records[record.0 as usize];
                    let at = if last && !record.union { record.fields.len().saturating_sub(1) } else { 0 };
                    if record.fields.is_empty() {
                        return self.byte_of(part, 0);
                    }
                    part = self.field(part, at);
                }
                _ => {
                    let size = self.types.size(self.terms.at(part).ty).unwrap_or(1);
                    return self.byte_of(part, if last { size.saturating_sub(1) } else { 0 });
                }
            }
        }
    }

    /// `((char *)&l)[at]`
    fn byte_of(&mut self, l: LvalueId, at: u64) -> ExpressionId {
        let char = self.types.integer(Rank::Char, true);
        let pointer = self.types.pointer(char);
        let address = self.address(l);
        let address = self.terms.expression(ExpressionKind::Convert(address), pointer);
        let index = self.int_constant(i128::from(at));
        let there = self.offset(address, index);
        let byte = self.deref(there);
        self.read(byte)
    }

    /// What an lvalue holds, read now: that it can be read is seen where what is in it is represented, and here elsewhere.
    pub fn loaded(&mut self, l: LvalueId) -> Lowered<Value> {
        match self.types.get(self.terms.at(l).ty) {
            Type::Opaque(_) => self.accessed(l)?,
            Type::Integer(_) | Type::Pointer(_) => return Ok(Value::Scalar(self.current(l)?)),
            Type::Float(_) => {
                self.accessed(l)?;
                return Ok(Value::Scalar(self.current(l)?));
            }
            _ => {}
        }
        Ok(self.content(l))
    }
}
