//! Functions of real numbers that have no body (C11 §7.12): what is exact is known.

use super::float::{real, value};
use super::location::Location;
use super::step::Machine;
use super::{End, Fault, Pointer, Value};
use crate::c::arithmetic::Undefined;
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::mathematics::{self, Number};
use crate::c::types::TypeId;

/// Quotient and rest at once.
pub(super) const QUOTIENTS: [&str; 4] = ["div", "ldiv", "lldiv", "imaxdiv"];

impl Machine<'_> {
    /// Calls one of them; what it returns, if that is known and of the type that the caller takes it for.
    pub(super) fn mathematics(
        &mut self,
        name: &str,
        arguments: &[ExpressionId],
        result: TypeId,
    ) -> Result<Option<Value>, End> {
        let (mut numbers, mut stored_at) = (Vec::with_capacity(arguments.len()), None);
        for &argument in arguments {
            let ty = self.program.terms.get(argument).ty;
            let types = &self.program.types;
            let (kind, integer, pointee) = (types.as_float(ty), types.as_integer(ty), types.pointee(ty));
            match (self.value(argument)?, kind, integer, pointee) {
                (Value::Bits(bits), _, Some(integer), _) => numbers.push(Number::Integer(integer.number(bits))),
                (Value::Pointer(pointer @ Pointer::Object { .. }), .., Some(to)) => {
                    stored_at = Some(Location::of(pointer, to));
                }
                (number, Some(kind), ..) => match real(number) {
                    Ok(real) => numbers.push(Number::Real(kind, real)),
                    Err(_) => return Ok(None),
                },
                _ => return Ok(None),
            }
        }
        let (returned, stored) = match (stored_at, &numbers[..]) {
            (Some(_), [number]) => match mathematics::parts(name, *number) {
                Some(parts) => (Some(parts.returned), Some(parts.stored)),
                None => return Ok(None),
            },
            (None, _) => (mathematics::returned(name, &numbers), None),
            _ => return Ok(None),
        };
        let Some(returned) = returned.and_then(|number| self.taken_as(number, result)) else { return Ok(None) };
        if let (Some(at), Some(stored)) = (stored_at, stored) {
            let Some(stored) = self.taken_as(stored, at.ty) else { return Ok(None) };
            self.write(at, stored)?;
        }
        Ok(Some(returned))
    }

    /// `div` and its like (C11 §7.22.6.2), by the names of the members of what they return; whether it is one of them, and done.
    pub(super) fn put_quotient(&mut self, name: &str, arguments: &[ExpressionId], to: LvalueId) -> Result<bool, End> {
        let program = self.program;
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let (&[a, b], true) = (arguments, QUOTIENTS.contains(&plain)) else { return Ok(false) };
        let location = self.location(to)?;
        let Some(record) = program.types.as_record(location.ty).filter(|record| !record.union) else {
            return Ok(false);
        };
        let part = |wanted: &str| {
            let field = record.fields.iter().find(|field| &*field.name == wanted && field.bit.is_none())?;
            Some((location.part(field.offset, None, field.ty), program.types.as_integer(field.ty)?))
        };
        let (Some((quotient, integer)), Some((rest, _))) = (part("quot"), part("rem")) else { return Ok(false) };
        let (Some(a), Some(b)) = (self.number(a)?, self.number(b)?) else { return Ok(false) };
        if b == 0 {
            return Err(self.fault(Fault::Arithmetic(Undefined::DivisionByZero)));
        }
        let mask = integer.mask();
        if integer.number((a / b) as u128 & mask) != a / b {
            return Err(self.fault(Fault::Arithmetic(Undefined::QuotientTooLarge)));
        }
        self.write(quotient, Value::Bits((a / b) as u128 & mask))?;
        self.write(rest, Value::Bits((a % b) as u128 & mask))?;
        Ok(true)
    }

    /// A number as a value of a type, if it is one.
    fn taken_as(&self, number: Number, ty: TypeId) -> Option<Value> {
        match number {
            Number::Real(kind, real) => (self.program.types.as_float(ty) == Some(kind)).then(|| value(real)),
            Number::Integer(number) => {
                let integer = self.program.types.as_integer(ty)?;
                let bits = number as u128 & integer.mask();
                (integer.number(bits) == number).then_some(Value::Bits(bits))
            }
        }
    }
}
