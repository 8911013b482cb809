//! Calls and returns: arguments, results, what is not entered.

use super::frame::{Frame, taken};
use super::location::Location;
use super::memory::{Byte, Origin};
use super::step::Machine;
use super::{Doubt, End, Fault, Pointer, Value};
use crate::c::definedness::is_defined;
use crate::c::expression::{ExpressionId, LvalueId, Term};
use crate::c::program::{Callee, Label, ProcedureId};
use crate::c::types::{Type, TypeId};

impl Machine<'_> {
    /// A new frame, with objects for formals and for locals whose address nobody takes.
    pub(super) fn enter(&mut self, procedure: ProcedureId, result: Option<LvalueId>) -> Result<(), End> {
        let known = self.program.procedure(procedure);
        let mut objects = Vec::with_capacity(known.formals.len() + known.locals.len());
        self.memory.claim(taken(known.formals.len() + known.locals.len()));
        for id in known.formals.iter().chain(&known.locals) {
            let size = self.program.types.size(self.program.variable(*id).ty).unwrap_or(0);
            objects.push(self.memory.make(size, Byte::Arbitrary, Origin::Variable)?);
        }
        self.frames.push(Frame { procedure, at: Label(0), objects, allocated: Vec::new(), result });
        Ok(())
    }

    /// A call of what stands there: a frame more, or a model's answer at once.
    pub(super) fn call(
        &mut self,
        to: Option<LvalueId>,
        callee: Callee,
        arguments: &[ExpressionId],
    ) -> Result<Option<(LvalueId, Value)>, End> {
        let id = match callee {
            Callee::Procedure(id) => id,
            Callee::Pointer(e) => {
                let value = self.value(e)?;
                match self.known(value)? {
                    Value::Pointer(Pointer::Procedure(id)) => id,
                    Value::Pointer(Pointer::NULL) => return Err(self.fault(Fault::Null)),
                    Value::Pointer(Pointer::Arbitrary) => return Err(End::Unknown(Doubt::ArbitraryPointer)),
                    _ => return Err(self.fault(Fault::OutOfBounds)),
                }
            }
        };
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push((self.value(*argument)?, self.program.terms.get(*argument).ty));
        }
        let known = self.program.procedure(id);
        let modelled = self.fixed.modelled[id.0 as usize];
        if let Some(library) = modelled.library {
            match self.library(library, arguments) {
                Ok(Some(value)) => return self.known_result(to, value),
                // Its statements fail where that is asked.
                Err(End::Wrong(Fault::Null) | End::Blocked(Some(Fault::Null))) if modelled.asks => {}
                Ok(None) => {}
                Err(end) => return Err(end),
            }
        }
        if known.body.is_none() {
            let own = self.without_place(callee, arguments);
            let wrote = self.leaves(to, id, &own, known.effect())?;
            self.next();
            return Ok(wrote);
        }
        let scalar = |ty: TypeId| self.program.types.as_integer(ty);
        let fits = known.formals.len() <= values.len()
            && known.formals.iter().zip(&values).all(|(formal, (_, ty))| {
                let formal = self.program.variable(*formal).ty;
                formal == *ty || (scalar(formal).is_none() && scalar(*ty).is_none())
            })
            && to.is_none_or(|to| self.program.terms.at(to).ty == known.result || scalar(known.result).is_none());
        if !fits {
            return Err(End::Unknown(Doubt::BadCall));
        }
        self.enter(id, to)?;
        for (formal, (value, _)) in known.formals.iter().zip(values) {
            let ty = self.program.variable(*formal).ty;
            let pointer = Pointer::Object { object: self.object(*formal), offset: 0 };
            let location = Location::of(pointer, ty);
            self.write(location, value)?;
        }
        Ok(None)
    }

    /// The arguments of a call without that which says where those are that are not declared: only procedures with a body get it.
    fn without_place(&self, callee: Callee, arguments: &[ExpressionId]) -> Vec<ExpressionId> {
        let types = &self.program.types;
        let mut own = arguments.to_vec();
        if let Callee::Pointer(e) = callee
            && let Some(function) = types.pointee(self.program.terms.get(e).ty)
            && let Type::Function(_, parameters, true) = types.get(function)
            && !parameters.is_empty()
        {
            // Structures among those that are declared come as several.
            let is_place = |e: &ExpressionId| {
                let to = types.pointee(self.program.terms.get(*e).ty);
                to.is_some_and(|to| *types.get(to) == Type::Opaque(16))
            };
            if let Some(at) = arguments.iter().position(is_place) {
                own.remove(at);
            }
        }
        own
    }

    /// What a procedure has returned that was not entered.
    fn known_result(&mut self, to: Option<LvalueId>, value: Value) -> Result<Option<(LvalueId, Value)>, End> {
        self.next();
        let Some(to) = to else { return Ok(None) };
        let location = self.location(to)?;
        let value = self.fitting(value, location.ty);
        self.write(location, value)?;
        Ok(Some((to, value)))
    }

    /// `return`
    pub(super) fn leave(&mut self, e: Option<ExpressionId>) -> Result<Option<(LvalueId, Value)>, End> {
        if self.frames.len() == 1 {
            let number = match e {
                Some(e) => self.number(e)?,
                None => None,
            };
            return Err(End::Returned(number));
        }
        let wanted = self.frames.last().and_then(|frame| frame.result);
        // A result that nobody wants is not looked at, for it may have no value, unless that is undefined.
        let value = match (e, wanted) {
            (Some(e), Some(_)) => Some(self.value(e)?),
            (Some(e), None) if !is_defined(&self.program.types, &self.program.terms, Term::Expression(e)) => {
                self.value(e)?;
                None
            }
            _ => None,
        };
        self.back(value)
    }

    /// The frame returns a number, whatever it would do.
    pub(super) fn answer(&mut self, number: Option<i128>) -> Result<(), End> {
        let result = self.frames.last().map(|frame| self.program.procedure(frame.procedure).result);
        let integer = result.and_then(|ty| self.program.types.as_integer(ty));
        let value = integer.zip(number).map(|(integer, number)| Value::Bits(number as u128 & integer.mask()));
        self.back(value).map(drop)
    }

    /// Back to the caller, with this value.
    fn back(&mut self, value: Option<Value>) -> Result<Option<(LvalueId, Value)>, End> {
        let Some(frame) = self.frames.pop() else { return Err(End::Returned(None)) };
        self.memory.release(taken(frame.objects.len()));
        for object in frame.objects.into_iter().chain(frame.allocated.into_iter().map(|(_, object)| object)) {
            self.memory.end(object);
        }
        self.next();
        if let (Some(to), Some(value)) = (frame.result, value) {
            let location = self.location(to)?;
            self.write(location, value)?;
            return Ok(Some((to, value)));
        }
        Ok(None)
    }
}
