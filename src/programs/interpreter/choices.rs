//! Choices of a run: inputs, what the library leaves open, orders of evaluation. Each is asked for, and told with its place.

use super::frame::Frame;
use super::inputs::Asked;
use super::location::Location;
use super::memory::Byte;
use super::step::Machine;
use super::{Doubt, End, Given, Order, Value};
use crate::c::expression::{LvalueId, LvalueKind};
use crate::c::library::modelled;
use crate::c::program::InputKind;
use crate::c::subobject::Subobject;
use crate::c::types::TypeId;

/// So many inputs are said to be of a variable.
const NAMED: usize = 100;

impl<'p> Machine<'p> {
    /// The inputs so far.
    pub(super) fn given(&self) -> &[Given] {
        &self.asked
    }

    /// The next arbitrary value.
    pub(super) fn ask(&mut self, asked: Asked, ty: TypeId) -> Result<i128, End> {
        let number = self.inputs.next(asked).ok_or(End::Unknown(Doubt::NoInput))?;
        self.memory.claim(size_of::<Given>() as u64);
        self.asked.push(Given { value: number, ty, place: self.place, call: None, scalar: None, life: 0, others: 0 });
        Ok(number)
    }

    /// The inputs from this one on are values of a scalar in an object. Later ones than a reader looks at have no name.
    pub(super) fn belong(&mut self, from: usize, (object, offset): (u64, i64), bit: Option<u32>) {
        if from >= NAMED {
            return;
        }
        let scalar = self.variable_of(object).zip(u64::try_from(offset).ok());
        let scalar = scalar.map(|(variable, offset)| Subobject { variable, offset, bit });
        let life = self.memory.object(object).map_or(0, |known| known.life);
        self.asked.iter_mut().skip(from).for_each(|given| (given.scalar, given.life) = (scalar, life));
    }

    /// An arbitrary value for a scalar; arbitrary bytes for all else.
    pub(super) fn input(&mut self, to: LvalueId, kind: &InputKind) -> Result<Option<(LvalueId, Value)>, End> {
        let location: Location = self.location(to)?;
        if !self.program.types.is_represented(location.ty) {
            self.blur(location, Byte::Arbitrary)?;
            return Ok(None);
        }
        let value = self.arbitrary(location.ty)?;
        if let Some(given) = self.asked.last_mut() {
            given.call = Some(kind.clone());
        }
        self.write(location, value)?;
        Ok(Some((to, value)))
    }

    /// A number that a procedure of the library chooses, where C leaves it open.
    pub(super) fn unspecified(&mut self, to: LvalueId, kind: &InputKind) -> Result<Option<(LvalueId, Value)>, End> {
        let location = self.location(to)?;
        let Some(integer) = self.program.types.as_integer(location.ty) else { return self.input(to, kind) };
        let number = self.inputs.unspecified(integer);
        let (ty, place, call) = (location.ty, self.own_place().0, Some(self.chooser(kind)));
        self.memory.claim(size_of::<Given>() as u64);
        self.asked.push(Given { value: number, ty, place, call, scalar: None, life: 0, others: 0 });
        let value = Value::Bits(number as u128 & integer.mask());
        self.write(location, value)?;
        Ok(Some((to, value)))
    }

    /// What chooses here: the procedure that the user calls.
    fn chooser(&self, kind: &InputKind) -> InputKind {
        self.called_model().map_or_else(|| kind.clone(), |name| InputKind::Unspecified(name.into()))
    }

    /// The procedure of the library that the user calls, where a model of it is being executed.
    pub(super) fn called_model(&self) -> Option<&'p str> {
        let program = self.program;
        let is_model = |frame: &&Frame| self.fixed.modelled[frame.procedure.0 as usize].is_model;
        let called = self.frames.iter().rev().take_while(is_model).last();
        called.and_then(|frame| modelled(&program.procedure(frame.procedure).name))
    }

    /// An order of evaluation is chosen.
    pub(super) fn order(&mut self, to: LvalueId) -> Result<Option<(LvalueId, Value)>, End> {
        let location = self.location(to)?;
        let others = match self.program.terms.at(to).kind {
            LvalueKind::Variable(id) => self.program.orders.get(&id).map_or(&[][..], |others| others),
            _ => &[],
        };
        let number = self.inputs.order(others.len());
        let (ty, place) = (location.ty, self.place);
        self.memory.claim(size_of::<Given>() as u64);
        let call = Some(InputKind::Order);
        self.asked.push(Given { value: number, ty, place, call, scalar: None, life: 0, others: others.len() });
        let told = usize::try_from(number - 1).ok().and_then(|number| others.get(number)).cloned();
        let order = Order { place, told };
        if !self.orders.contains(&order) {
            self.orders.push(order);
        }
        let value = Value::Bits(number as u128);
        self.write(location, value)?;
        Ok(Some((to, value)))
    }
}
