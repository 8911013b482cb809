//! Calls of procedures without a body: what they return and what they write is an input, known, or not known.

use std::collections::BTreeSet;

use super::chunk::Plain;
use super::known::Library;
use super::location::Location;
use super::mathematics::QUOTIENTS;
use super::memory::{Byte, Origin};
use super::object::Run;
use super::step::Machine;
use super::{Doubt, End, Fault, Pointer, Value};
use super::{scanning, streams};
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::library::shapes::Shape;
use crate::c::mathematics;
use crate::c::program::{Effect, InputKind, ProcedureId, ReasonId};
use crate::c::types::TypeId;

/// Whether what a procedure of the library does is known where a program is executed, though no model says it, by its name.
#[cfg_attr(feature = "whole", expect(dead_code, reason = "only tests ask so"))]
pub fn is_known(name: &str) -> bool {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let numbers = mathematics::is_known(name) || QUOTIENTS.contains(&plain);
    numbers
        || streams::is_known(name)
        || scanning::is_known(name)
        || plain == "realloc"
        || Library::named(name).is_some()
}

impl Machine<'_> {
    /// A call; what it has given to whom.
    pub(super) fn leaves(
        &mut self,
        to: Option<LvalueId>,
        callee: ProcedureId,
        arguments: &[ExpressionId],
        effect: Effect,
    ) -> Result<Option<(LvalueId, Value)>, End> {
        let name = &*self.program.procedure(callee).name;
        let Some(reason) = effect.reason() else {
            for argument in arguments {
                self.value(*argument)?;
            }
            // That it writes nothing is one of the things that it may do.
            let kind = InputKind::Returned(name.into());
            return to.map_or(Ok(None), |to| self.input(to, &kind));
        };
        let known = match Library::named(name) {
            Some(which) => self.library(which, arguments)?,
            None => self.known_call(name, arguments, to.map(|to| self.program.terms.at(to).ty))?,
        };
        if let Some(to) = to
            && self.put_quotient(name, arguments, to)?
        {
            return Ok(None);
        }
        let buffer = Shape::named(name).and_then(|shape| arguments.get(shape.buffer?));
        // It was written to by the statement before this one, which knows the format.
        let is_done = to.is_none() && arguments.len() == 1 && buffer.is_some();
        if let (None, Some(&buffer), false) = (known, buffer, effect.writes())
            && let Value::Pointer(Pointer::Object { object, .. }) = self.value(buffer)?
        {
            if self.memory.object(object).is_some_and(|known| known.origin == Origin::Constant) {
                return Err(self.fault(Fault::Constant));
            }
            self.memory.fill(object, Byte::Unrepresented(reason));
        }
        if known.is_none() && !is_done {
            self.lose_streams(name, arguments)?;
            let mut values = Vec::with_capacity(arguments.len());
            for argument in arguments {
                values.push((self.value(*argument)?, self.program.terms.get(*argument).ty));
            }
            if effect.writes() && self.overwrite(&values, reason) {
                // What the program has done by then is not known, nor whether it goes on.
                return Err(End::Unknown(Doubt::Unrepresented(reason)));
            }
        }
        let Some(to) = to else { return Ok(None) };
        let location: Location = self.location(to)?;
        let value = known.unwrap_or(Value::Unrepresented(reason));
        if !self.program.types.is_scalar(location.ty) {
            self.blur(location, Byte::Unrepresented(reason))?;
            return Ok(None);
        }
        let value = self.fitting(value, location.ty);
        self.write(location, value)?;
        Ok(Some((to, value)))
    }

    /// Calls a procedure that is none of those that only move bytes; what it returns, if that is known and of the type that the caller takes
    /// it for.
    fn known_call(&mut self, name: &str, arguments: &[ExpressionId], to: Option<TypeId>) -> Result<Option<Value>, End> {
        if let Some(value) = self.reallocated(name, arguments, to)? {
            return Ok(Some(value));
        }
        let mut known = self.stdio(name, arguments)?;
        if known.is_none() {
            known = self.scan(name, arguments)?;
        }
        let Some(ty) = to else { return Ok(known) };
        let types = &self.program.types;
        match (known, types.as_integer(ty), scanning::number_function(name)) {
            (None, ..) => self.mathematics(name, arguments, ty),
            (Some(value), _, Some(kind)) => Ok(Some(value).filter(|_| types.as_float(ty) == Some(kind))),
            (Some(Value::Bits(bits)), Some(integer), None) => {
                let wide = name.contains("fread") || name.contains("fwrite");
                let width = if wide { types.model.pointer } else { 32 };
                Ok((integer.width == width).then_some(Value::Bits(bits)))
            }
            (Some(value @ Value::Pointer(_)), ..) => Ok(Some(value).filter(|_| types.pointee(ty).is_some())),
            _ => Ok(None),
        }
    }

    /// What these pointers lead to is not known any more; where it is not known where they lead, that is all to which a pointer may lead.
    /// Whether a procedure of the program is among it, which may be called.
    fn overwrite(&mut self, values: &[(Value, TypeId)], reason: ReasonId) -> bool {
        let program = self.program;
        let is_own = |id: ProcedureId| program.procedure(id).body.is_some();
        let mut calls = false;
        let mut written: BTreeSet<u64> = BTreeSet::new();
        let mut open: Vec<u64> = Vec::new();
        for (value, ty) in values {
            match value {
                Value::Pointer(Pointer::Object { object, .. }) => open.push(*object),
                Value::Pointer(Pointer::Procedure(id)) => calls |= is_own(*id),
                Value::Unrepresented(_) | Value::Bytes if self.program.types.pointee(*ty).is_some() => {
                    open.extend(self.pointed());
                }
                _ => {}
            }
        }
        while let Some(object) = open.pop() {
            let Some(known) = self.memory.object(object) else { continue };
            if known.origin == Origin::Constant || !written.insert(object) {
                continue;
            }
            let mut lost = false;
            known.runs(&mut |run| match run {
                Run::Uniform(_, plain) => lost |= matches!(plain, Plain::Unrepresented(_) | Plain::Unknown),
                Run::Mixed(count, chunk) => {
                    for byte in (0..count).map(|at| chunk.byte(at)) {
                        lost |= matches!(byte, Byte::Unrepresented(_) | Byte::Unknown);
                        match byte {
                            Byte::Pointer(Pointer::Object { object, .. }, _) => open.push(object),
                            Byte::Pointer(Pointer::Procedure(id), _) => calls |= is_own(id),
                            _ => {}
                        }
                    }
                }
            });
            if lost && self.may_hold_pointers(object) {
                open.extend(self.pointed());
            }
        }
        for object in written {
            self.memory.fill(object, Byte::Unrepresented(reason));
        }
        calls
    }

    /// All objects to which pointers may lead that somebody has.
    fn pointed(&self) -> Vec<u64> {
        let known = self.variables().filter(|(id, _)| self.program.variable(*id).address_taken);
        known.map(|(_, object)| object).chain(self.allocated()).chain(self.memory.allocated()).collect()
    }

    /// Whether pointers may be in an object: by its type, if it has one.
    fn may_hold_pointers(&self, object: u64) -> bool {
        self.variable_of(object).is_none_or(|id| self.program.types.holds_pointers(self.program.variable(id).ty))
    }
}
