//! Expressions of C- in a state, as terms, with what has to hold so that each is defined.

use std::collections::HashMap;

use crate::bitvec::{Operator, Term};
use crate::c::expression::{
    self as c, Binary, Conversion, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Unary, conversion,
};
use crate::c::program::{Storage, VariableId};
use crate::c::types::{Type, TypeId};
use crate::transition::operators::{self, Outcome};
use crate::transition::undefined::Undefined;

use super::Kind;
use super::condition::Condition;
use super::machine::{From, Machine, OFFSET, Pointer, Value};
use super::memory::Memories;
use super::state::{Choices, State};

/// What all states of a function share.
pub struct World<'a> {
    /// Terms.
    pub machine: Machine<'a>,
    /// Memories.
    pub memories: Memories,
    /// What ended, where that is not known.
    pub choices: Choices,
}

/// What has to hold where something is evaluated.
#[derive(Clone, Debug)]
pub struct Demand {
    /// What goes wrong otherwise.
    pub kind: Kind,
    /// What has to hold.
    pub term: Term,
    /// What it is about.
    pub about: About,
}

/// What a demand is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// An access of so many bytes through a pointer.
    Access(ExpressionId, Pointer, u64),
    /// An index of an array with so many elements.
    Index(ExpressionId, u64),
    /// An operator.
    Operator(ExpressionId),
    /// A variable.
    Variable(VariableId),
    /// What a callee demands, and the values in that.
    Owed(Condition, [Option<Value>; 2]),
    /// All else.
    Other,
}

/// Where an lvalue is.
#[derive(Clone, Copy, Debug)]
enum Designated {
    /// A variable that is kept apart.
    Apart(VariableId),
    /// In memory.
    At(Pointer),
}

/// Values of expressions in one state, each computed once.
pub struct Values<'w, 'a, 's> {
    world: &'w mut World<'a>,
    state: &'s State,
    values: HashMap<ExpressionId, Value>,
    places: HashMap<LvalueId, Designated>,
    /// What was demanded, in order.
    pub demands: Vec<Demand>,
}

impl<'w, 'a, 's> Values<'w, 'a, 's> {
    /// Nothing is computed yet.
    pub fn new(world: &'w mut World<'a>, state: &'s State) -> Self {
        Values { world, state, values: HashMap::new(), places: HashMap::new(), demands: Vec::new() }
    }

    fn demand(&mut self, kind: Kind, term: Term, about: About) {
        self.demands.push(Demand { kind, term, about });
    }

    /// The value of an expression.
    pub fn value(&mut self, expression: ExpressionId) -> Value {
        self.walk(c::Term::Expression(expression));
        self.values[&expression]
    }

    /// Whether an expression is not 0.
    pub fn truth(&mut self, expression: ExpressionId) -> Term {
        let value = self.value(expression);
        self.is_not_zero(value)
    }

    /// A number as wide as one of bytes.
    pub fn wide(&mut self, number: ExpressionId) -> Term {
        let signed = self.is_signed(number);
        match self.value(number) {
            Value::Number(term) => self.world.machine.terms.resize(term, OFFSET, signed),
            _ => self.world.machine.fresh(OFFSET),
        }
    }

    /// Where an lvalue is that is to be written; none if it is a variable that is kept apart.
    pub fn target(&mut self, lvalue: LvalueId) -> Result<Pointer, VariableId> {
        self.walk(c::Term::Lvalue(lvalue));
        self.indices(lvalue, false);
        match self.places[&lvalue] {
            Designated::Apart(variable) => Err(variable),
            Designated::At(pointer) => {
                self.accessed(lvalue, pointer);
                self.writable(pointer);
                Ok(pointer)
            }
        }
    }

    fn walk(&mut self, root: c::Term) {
        let program = self.world.machine.program;
        for term in program.terms.postorder(root) {
            match term {
                c::Term::Expression(id) if !self.values.contains_key(&id) => {
                    let value = self.computed(id);
                    self.values.insert(id, value);
                }
                c::Term::Lvalue(id) if !self.places.contains_key(&id) => {
                    let place = self.designated(id);
                    self.places.insert(id, place);
                }
                _ => {}
            }
        }
    }

    fn type_of(&self, expression: ExpressionId) -> TypeId {
        self.world.machine.program.terms.get(expression).ty
    }

    fn is_signed(&self, expression: ExpressionId) -> bool {
        let types = &self.world.machine.program.types;
        types.as_integer(self.type_of(expression)).is_some_and(|integer| integer.signed)
    }

    fn anything(&mut self, ty: TypeId) -> Value {
        self.world.machine.any(ty, From::Anywhere)
    }

    fn computed(&mut self, id: ExpressionId) -> Value {
        let program = self.world.machine.program;
        let c::Expression { kind, ty } = program.terms.get(id);
        match kind {
            ExpressionKind::Constant(value) => match self.world.machine.width(*ty) {
                Some(width) => Value::Number(self.world.machine.terms.constant(*value, width)),
                None if program.types.pointee(*ty).is_some() => Value::Pointer(self.world.machine.null()),
                None => Value::Opaque,
            },
            ExpressionKind::Read(lvalue) => self.read(*lvalue, *ty),
            ExpressionKind::AddressOf(lvalue) => self.address(*lvalue),
            ExpressionKind::Procedure(procedure) => Value::Pointer(self.world.machine.procedure(*procedure)),
            ExpressionKind::Unary(operator, a) => self.unary(id, *operator, *a, *ty),
            ExpressionKind::Binary(operator, a, b) => self.binary(id, *operator, (*a, *b), *ty),
            ExpressionKind::Convert(a) => self.converted(*a, *ty),
            ExpressionKind::Offset(pointer, index) => self.moved(*pointer, *index, *ty),
            ExpressionKind::Distance(a, b) => self.distance(*a, *b, *ty),
            ExpressionKind::Pre(_) | ExpressionKind::Result => self.anything(*ty),
        }
    }

    fn read(&mut self, lvalue: LvalueId, ty: TypeId) -> Value {
        self.indices(lvalue, false);
        match self.places[&lvalue] {
            Designated::Apart(variable) => {
                if let Some(&assigned) = self.state.assigned.get(&variable)
                    && !self.world.machine.program.variable(variable).is_made_up
                {
                    self.demand(Kind::Uninitialised, assigned, About::Variable(variable));
                }
                self.state.value(&mut self.world.machine, variable)
            }
            Designated::At(pointer) => {
                self.accessed(lvalue, pointer);
                let types = &self.world.machine.program.types;
                let is_bits = types.as_integer(ty).is_some_and(|integer| types.is_bit_field(integer) && integer.width > 1);
                if is_bits || !types.is_represented(ty) {
                    return self.anything(ty);
                }
                self.world.memories.read(&mut self.world.machine, self.state.memory, pointer, ty)
            }
        }
    }

    /// The pointer that is followed on the way to an lvalue.
    fn followed(&self, mut lvalue: LvalueId) -> Option<ExpressionId> {
        let terms = &self.world.machine.program.terms;
        loop {
            match terms.at(lvalue).kind {
                LvalueKind::Variable(_) => return None,
                LvalueKind::Deref(pointer) => return Some(pointer),
                LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => lvalue = of,
            }
        }
    }

    /// What an access through a pointer demands.
    fn accessed(&mut self, lvalue: LvalueId, at: Pointer) {
        let Some(pointer) = self.followed(lvalue) else { return };
        let program = self.world.machine.program;
        let bytes = program.types.size(program.terms.at(lvalue).ty).unwrap_or(1);
        self.object(pointer, at, bytes);
        let length = self.world.machine.terms.constant(u128::from(bytes), OFFSET);
        let inside = self.world.machine.is_inside(at, length);
        self.demand(Kind::Bounds, inside, About::Access(pointer, at, bytes));
    }

    /// A pointer leads to an object that still is.
    pub fn object(&mut self, pointer: ExpressionId, at: Pointer, bytes: u64) {
        let about = About::Access(pointer, at, bytes);
        let some = self.world.machine.is_some(at);
        self.demand(Kind::Null, some, about);
        let alive = self.state.is_alive(&mut self.world.machine, at, &mut self.world.choices);
        self.demand(Kind::UseAfterFree, alive, about);
    }

    /// What is written is no constant of the source.
    fn writable(&mut self, at: Pointer) {
        let mut open = vec![at.object];
        while let Some(object) = open.pop() {
            if let crate::bitvec::Node::Ite(_, yes, no) = *self.world.machine.terms.node(object) {
                open.extend([yes, no]);
            }
            let variable = self.world.machine.is_variable(object);
            let is_constant = |variable: VariableId| {
                self.world.machine.program.variable(variable).storage == Storage::Constant
            };
            if variable.is_some_and(is_constant) {
                let other = self.world.machine.terms.ne(at.object, object);
                self.demand(Kind::Bounds, other, About::Other);
            }
        }
    }

    /// Each index on the way to a part of an array is one of its elements, or one past them if only an address is computed. What lies at
    /// the end of a structure behind a pointer may be longer than its type says.
    fn indices(&mut self, mut lvalue: LvalueId, mut past: bool) {
        let program = self.world.machine.program;
        let mut indices = Vec::new();
        loop {
            match program.terms.at(lvalue).kind {
                LvalueKind::Variable(_) | LvalueKind::Deref(_) => break,
                LvalueKind::Field(of, _) => lvalue = of,
                LvalueKind::Element(of, index) => {
                    if let Type::Array(_, length @ 1..) = *program.types.get(program.terms.at(of).ty)
                        && !self.may_be_longer(of)
                    {
                        indices.push((index, length + u64::from(past)));
                    }
                    lvalue = of;
                }
            }
            past = false;
        }
        for (index, length) in indices {
            let number = self.wide(index);
            let limit = self.world.machine.terms.constant(u128::from(length), OFFSET);
            let inside = self.world.machine.terms.ult(number, limit);
            self.demand(Kind::Bounds, inside, About::Index(index, length));
        }
    }

    /// Whether an array is the last member of what a pointer leads to.
    fn may_be_longer(&self, array: LvalueId) -> bool {
        let program = self.world.machine.program;
        if self.followed(array).is_none() {
            return false;
        }
        match program.terms.at(array).kind {
            LvalueKind::Field(of, field) => {
                let record = program.types.as_record(program.terms.at(of).ty);
                record.is_none_or(|record| record.union || field as usize + 1 >= record.fields.len())
            }
            _ => false,
        }
    }

    fn address(&mut self, lvalue: LvalueId) -> Value {
        self.indices(lvalue, true);
        match self.places[&lvalue] {
            Designated::Apart(_) => Value::Opaque,
            Designated::At(at) => {
                // A member of what NULL leads to has no address (C11 §6.5.3.2).
                let terms = &self.world.machine.program.terms;
                if let Some(pointer) = self.followed(lvalue)
                    && !matches!(terms.at(lvalue).kind, LvalueKind::Deref(_))
                {
                    let some = self.world.machine.is_some(at);
                    self.demand(Kind::Null, some, About::Access(pointer, at, 0));
                }
                Value::Pointer(at)
            }
        }
    }

    fn is_not_zero(&mut self, value: Value) -> Term {
        let machine = &mut self.world.machine;
        match value {
            Value::Number(term) => {
                let zero = machine.terms.constant(0, machine.terms.width(term));
                machine.terms.ne(term, zero)
            }
            Value::Pointer(pointer) => {
                let null = machine.null();
                let same = machine.same(pointer, null);
                machine.terms.not(same)
            }
            Value::Opaque => machine.fresh(1),
        }
    }

    fn unary(&mut self, id: ExpressionId, operator: Unary, a: ExpressionId, ty: TypeId) -> Value {
        let value = self.values[&a];
        if operator == Unary::Not {
            let truth = self.is_not_zero(value);
            let machine = &mut self.world.machine;
            let (zero, width) = (machine.terms.not(truth), machine.width(ty).unwrap_or(32));
            return Value::Number(machine.terms.number(zero, width));
        }
        let Value::Number(term) = value else { return self.anything(ty) };
        match operator {
            Unary::Complement => Value::Number(self.world.machine.terms.not(term)),
            _ => {
                let signed = self.is_signed(a);
                let outcome = operators::negated(&mut self.world.machine.terms, term, signed);
                self.defined(id, outcome)
            }
        }
    }

    fn binary(&mut self, id: ExpressionId, operator: Binary, (x, y): (ExpressionId, ExpressionId), ty: TypeId) -> Value {
        let (a, b) = (self.values[&x], self.values[&y]);
        let signed = (self.is_signed(x), self.is_signed(y));
        if operator.is_truth() {
            let truth = self.comparison(operator, a, b, signed.0);
            let width = self.world.machine.width(ty).unwrap_or(32);
            return Value::Number(self.world.machine.terms.number(truth, width));
        }
        let (Value::Number(a), Value::Number(b)) = (a, b) else { return self.anything(ty) };
        let outcome = operators::binary(&mut self.world.machine.terms, operator, a, b, signed);
        self.defined(id, outcome)
    }

    fn defined(&mut self, id: ExpressionId, outcome: Outcome) -> Value {
        let program = self.world.machine.program;
        let is_shift = matches!(
            program.terms.get(id).kind,
            ExpressionKind::Binary(Binary::ShiftLeft | Binary::ShiftRight, ..)
        );
        for (kind, term) in outcome.demands {
            let term = term.unwrap_or_else(|| self.world.machine.fresh(1));
            let kind = match kind {
                Undefined::Overflow | Undefined::Arithmetic if is_shift => Kind::Shift,
                Undefined::Overflow | Undefined::Quotient => Kind::Overflow,
                Undefined::Arithmetic => Kind::Division,
                Undefined::Length | Undefined::Access => Kind::Bounds,
            };
            self.demand(kind, term, About::Operator(id));
        }
        Value::Number(outcome.value)
    }

    fn comparison(&mut self, operator: Binary, a: Value, b: Value, signed: bool) -> Term {
        if let Binary::Both | Binary::Either = operator {
            let (a, b) = (self.is_not_zero(a), self.is_not_zero(b));
            let terms = &mut self.world.machine.terms;
            return if operator == Binary::Both { terms.and(a, b) } else { terms.or(a, b) };
        }
        let machine = &mut self.world.machine;
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => operators::compared(&mut machine.terms, operator, a, b, signed),
            (Value::Pointer(a), Value::Pointer(b)) => match operator {
                Binary::Equal => machine.same(a, b),
                Binary::Unequal => {
                    let same = machine.same(a, b);
                    machine.terms.not(same)
                }
                _ => {
                    // In which order objects are in memory, nobody knows.
                    let offsets = operators::compared(&mut machine.terms, operator, a.offset, b.offset, true);
                    let (same, unknown) = (machine.terms.eq(a.object, b.object), machine.fresh(1));
                    machine.terms.ite(same, offsets, unknown)
                }
            },
            _ => machine.fresh(1),
        }
    }

    fn converted(&mut self, a: ExpressionId, ty: TypeId) -> Value {
        let value = self.values[&a];
        let kind = conversion(&self.world.machine.program.types, self.type_of(a), ty);
        let width = self.world.machine.width(ty);
        match (kind, value, width) {
            (Some(Conversion::Truth), value, Some(width)) => {
                let truth = self.is_not_zero(value);
                Value::Number(self.world.machine.terms.number(truth, width))
            }
            (Some(Conversion::ExtendSign), Value::Number(term), Some(width)) => {
                Value::Number(self.world.machine.terms.extend(term, width, true))
            }
            (Some(Conversion::Truncate | Conversion::ExtendZero), Value::Number(term), Some(width)) => {
                Value::Number(self.world.machine.terms.resize(term, width, false))
            }
            (Some(Conversion::Pointer), value @ Value::Pointer(_), _) => value,
            _ => self.anything(ty),
        }
    }

    fn moved(&mut self, pointer: ExpressionId, index: ExpressionId, ty: TypeId) -> Value {
        let program = self.world.machine.program;
        let Value::Pointer(at) = self.values[&pointer] else { return self.anything(ty) };
        let element = program.types.pointee(ty).and_then(|of| program.types.size(of)).unwrap_or(1);
        let by = self.wide(index);
        let machine = &mut self.world.machine;
        let offset = machine.terms.linear(&[(at.offset, 1), (by, u128::from(element))], 0);
        // Nothing but NULL is 0 elements from NULL (C11 §6.5.6).
        let (some, zero) = (machine.is_some(at), machine.terms.constant(0, OFFSET));
        let stays = machine.terms.eq(by, zero);
        let fine = machine.terms.or(some, stays);
        self.demand(Kind::Null, fine, About::Access(pointer, at, 0));
        Value::Pointer(Pointer { object: at.object, offset })
    }

    fn distance(&mut self, a: ExpressionId, b: ExpressionId, ty: TypeId) -> Value {
        let program = self.world.machine.program;
        let element = program.types.pointee(self.type_of(a)).and_then(|of| program.types.size(of)).unwrap_or(1);
        let (Value::Pointer(x), Value::Pointer(y)) = (self.values[&a], self.values[&b]) else {
            return self.anything(ty);
        };
        let width = self.world.machine.width(ty).unwrap_or(OFFSET);
        let machine = &mut self.world.machine;
        let bytes = machine.terms.sub(x.offset, y.offset);
        let element = machine.terms.constant(u128::from(element.max(1)), OFFSET);
        let number = if machine.terms.as_constant(element) == Some(1) {
            bytes
        } else {
            machine.terms.binary(Operator::Sdiv, bytes, element)
        };
        let number = machine.terms.resize(number, width, true);
        // Between different objects nobody knows.
        let (same, unknown) = (machine.terms.eq(x.object, y.object), machine.fresh(width));
        Value::Number(machine.terms.ite(same, number, unknown))
    }

    fn designated(&mut self, id: LvalueId) -> Designated {
        let program = self.world.machine.program;
        match &program.terms.at(id).kind {
            LvalueKind::Variable(variable) if self.world.machine.is_apart(*variable) => Designated::Apart(*variable),
            LvalueKind::Variable(variable) => {
                let object = self.world.machine.variable(*variable);
                Designated::At(Pointer { object, offset: self.world.machine.terms.constant(0, OFFSET) })
            }
            LvalueKind::Deref(pointer) => match self.values[pointer] {
                Value::Pointer(at) => Designated::At(at),
                _ => self.nowhere(self.type_of(*pointer)),
            },
            LvalueKind::Field(of, field) => {
                let record = program.types.as_record(program.terms.at(*of).ty);
                let offset = record.and_then(|record| record.fields.get(*field as usize)).map_or(0, |field| field.offset);
                self.further(*of, |machine| machine.terms.constant(u128::from(offset), OFFSET))
            }
            LvalueKind::Element(of, index) => {
                let size = program.types.size(program.terms.at(id).ty).unwrap_or(1);
                let index = self.wide(*index);
                self.further(*of, |machine| machine.terms.linear(&[(index, u128::from(size))], 0))
            }
        }
    }

    fn further(&mut self, of: LvalueId, by: impl FnOnce(&mut Machine<'_>) -> Term) -> Designated {
        let by = by(&mut self.world.machine);
        match self.places[&of] {
            Designated::At(Pointer { object, offset }) => {
                let offset = self.world.machine.terms.add(offset, by);
                Designated::At(Pointer { object, offset })
            }
            apart @ Designated::Apart(_) => apart,
        }
    }

    fn nowhere(&mut self, ty: TypeId) -> Designated {
        match self.anything(ty) {
            Value::Pointer(at) => Designated::At(at),
            _ => {
                let at = self.world.machine.null();
                Designated::At(at)
            }
        }
    }
}
