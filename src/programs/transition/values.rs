//! Expressions of C- as terms, exactly: C11's arithmetic on machine integers, two's complement.
//!
//! Values are total; where C leaves one undefined, [`Values::conditions`] collects what has to hold for a run to go on.

use std::collections::HashMap;

use crate::bitvec::{Operator, Term};
use crate::c::expression::{
    self as c, Binary, Conversion, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Unary, conversion,
};
use crate::c::program::Overflow;
use crate::c::types::{Type, TypeId};

use super::memory::{ADDRESS, Designated, Machine, Memory};
use super::operators::{self, Outcome};
use super::undefined::Undefined;
use crate::c::effective::Access;

/// What expressions are evaluated in.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// Memory now.
    pub now: &'a Memory,
    /// Memory at the entry of the procedure: what `pre` reads.
    pub entry: &'a Memory,
    /// What the procedure returns, where that is known.
    pub result: Option<Term>,
    /// Whose locals these are: 0 those of the frame that executes, 1 those of the one called.
    pub frame: u8,
}

impl<'a> View<'a> {
    /// Where no procedure has begun, or one begins: what was at the entry is what is.
    pub fn outside(now: &'a Memory) -> View<'a> {
        View { now, entry: now, result: None, frame: 0 }
    }
}

/// Values of expressions in one view, each computed once.
pub struct Values<'m, 'a, 'v> {
    machine: &'m mut Machine<'a>,
    view: View<'v>,
    values: HashMap<ExpressionId, Term>,
    places: HashMap<LvalueId, Designated>,
    /// What has to hold so that evaluating is defined; only what C evaluates adds to it.
    pub conditions: Vec<Demand>,
}

/// A definedness condition: what has to hold for a run to go on.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// What is done otherwise.
    pub kind: Undefined,
    /// One bit: that it is not.
    pub term: Term,
}

impl<'m, 'a, 'v> Values<'m, 'a, 'v> {
    /// Nothing is computed yet.
    pub fn new(machine: &'m mut Machine<'a>, view: View<'v>) -> Self {
        let (values, places) = (HashMap::new(), HashMap::new());
        Values { machine, view, values, places, conditions: Vec::new() }
    }

    /// The conditions under which a run goes past what was evaluated.
    pub fn passes(&self, overflow: Overflow) -> Vec<Demand> {
        let counts = |demand: &&Demand| demand.kind.ends_runs(overflow);
        self.conditions.iter().filter(counts).copied().collect()
    }

    fn demand(&mut self, kind: Undefined, term: Term) {
        self.conditions.push(Demand { kind, term });
    }

    /// The value of an expression.
    pub fn value(&mut self, expression: ExpressionId) -> Term {
        self.walk(c::Term::Expression(expression));
        self.values[&expression]
    }

    /// A truth value of which nothing is known.
    pub fn anything(&mut self) -> Term {
        self.machine.fresh(1)
    }

    /// Whether an expression is not 0.
    pub fn truth(&mut self, expression: ExpressionId) -> Term {
        let value = self.value(expression);
        let zero = self.machine.terms.constant(0, self.machine.terms.width(value));
        self.machine.terms.ne(value, zero)
    }

    /// Where an lvalue is.
    pub fn place(&mut self, lvalue: LvalueId) -> Designated {
        self.walk(c::Term::Lvalue(lvalue));
        self.places[&lvalue].clone()
    }

    /// The condition that an lvalue can be accessed joins the conditions.
    pub fn accessed(&mut self, lvalue: LvalueId) {
        let place = self.place(lvalue);
        let ty = self.machine.program.terms.at(lvalue).ty;
        let valid = self.machine.is_valid(&place, ty);
        self.demand(Undefined::Access, valid);
        self.indexed(lvalue);
    }

    /// Each index on the way to a part of a variable is one of its array. (What lies at the end of an allocated object may be longer than its
    /// type says.)
    fn indexed(&mut self, mut lvalue: LvalueId) {
        let program = self.machine.program;
        let mut indices = Vec::new();
        loop {
            match program.terms.at(lvalue).kind {
                LvalueKind::Variable(_) => break,
                LvalueKind::Deref(_) => return,
                LvalueKind::Field(of, _) => lvalue = of,
                LvalueKind::Element(of, index) => {
                    if let Type::Array(_, length @ 1..) = *program.types.get(program.terms.at(of).ty) {
                        indices.push((index, length));
                    }
                    lvalue = of;
                }
            }
        }
        for (index, length) in indices {
            let index = self.wide(index);
            let length = self.machine.terms.constant(u128::from(length), ADDRESS);
            let inside = self.machine.terms.ult(index, length);
            self.demand(Undefined::Access, inside);
        }
    }

    fn walk(&mut self, root: c::Term) {
        let program = self.machine.program;
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
        self.machine.program.terms.get(expression).ty
    }

    fn computed(&mut self, id: ExpressionId) -> Term {
        let program = self.machine.program;
        let c::Expression { kind, ty } = program.terms.get(id);
        let width = self.machine.width(*ty);
        match kind {
            ExpressionKind::Constant(value) => self.machine.terms.constant(*value, width),
            ExpressionKind::Read(lvalue) => {
                self.accessed(*lvalue);
                let place = self.places[lvalue].clone();
                self.read(&place, *ty)
            }
            ExpressionKind::AddressOf(lvalue) => {
                let place = self.places[lvalue].clone();
                self.address(&place)
            }
            ExpressionKind::Procedure(procedure) => {
                let location = self.machine.points_to.objects.procedure(*procedure);
                match location {
                    Some(location) => self.machine.address(location.object, 0, 0),
                    None => self.machine.fresh(width),
                }
            }
            ExpressionKind::Unary(operator, a) => self.unary(*operator, *a, *ty),
            ExpressionKind::Binary(operator, a, b) => self.binary(*operator, *a, *b, *ty),
            ExpressionKind::Convert(a) => self.converted(*a, *ty),
            ExpressionKind::Offset(pointer, index) => {
                let element = program.types.pointee(*ty).and_then(|of| program.types.size(of)).unwrap_or(1);
                let index = self.wide(*index);
                let pointer = self.values[pointer];
                self.machine.terms.linear(&[(pointer, 1), (index, u128::from(element))], 0)
            }
            ExpressionKind::Distance(a, b) => {
                let element =
                    program.types.pointee(self.type_of(*a)).and_then(|of| program.types.size(of)).unwrap_or(1);
                let bytes = self.machine.terms.sub(self.values[a], self.values[b]);
                let element = self.machine.terms.constant(u128::from(element.max(1)), ADDRESS);
                let distance = self.machine.terms.binary(Operator::Sdiv, bytes, element);
                self.machine.terms.resize(distance, width, true)
            }
            ExpressionKind::Pre(lvalue) => {
                let entry = View { now: self.view.entry, ..self.view };
                let mut before = Values::new(self.machine, entry);
                let place = before.place(*lvalue);
                before.read(&place, *ty)
            }
            ExpressionKind::Result => match self.view.result {
                Some(result) => result,
                None => self.machine.fresh(width),
            },
        }
    }

    fn read(&mut self, place: &Designated, ty: TypeId) -> Term {
        let place = self.machine.owned(place, self.view.frame);
        self.machine.read(self.view.now, &place, ty)
    }

    fn address(&mut self, place: &Designated) -> Term {
        match place {
            Designated::Exact { object, offset, .. } => self.machine.address(*object, *offset, self.view.frame),
            Designated::Somewhere { address, .. } => *address,
        }
    }

    fn is_not_zero(&mut self, value: Term) -> Term {
        let zero = self.machine.terms.constant(0, self.machine.terms.width(value));
        self.machine.terms.ne(value, zero)
    }

    fn is_signed(&self, expression: ExpressionId) -> bool {
        self.machine.program.types.as_integer(self.type_of(expression)).is_some_and(|integer| integer.signed)
    }

    /// An index as wide as an address.
    fn wide(&mut self, index: ExpressionId) -> Term {
        let signed = self.is_signed(index);
        self.machine.terms.resize(self.values[&index], ADDRESS, signed)
    }

    fn unary(&mut self, operator: Unary, a: ExpressionId, ty: TypeId) -> Term {
        let (value, width) = (self.values[&a], self.machine.width(ty));
        let terms = &mut self.machine.terms;
        match operator {
            Unary::Complement => terms.not(value),
            Unary::Freed | Unary::Elements => self.machine.fresh(width),
            Unary::Not => {
                let zero = terms.constant(0, terms.width(value));
                let is_zero = terms.eq(value, zero);
                terms.number(is_zero, width)
            }
            Unary::Negate => {
                let signed = self.is_signed(a);
                let outcome = operators::negated(&mut self.machine.terms, value, signed);
                self.defined(outcome)
            }
        }
    }

    fn binary(&mut self, operator: Binary, left: ExpressionId, right: ExpressionId, ty: TypeId) -> Term {
        let (a, b) = (self.values[&left], self.values[&right]);
        let signed = (self.is_signed(left), self.is_signed(right));
        if operator.is_truth() {
            let truth = self.comparison(operator, a, b, signed.0, left);
            return self.machine.terms.number(truth, self.machine.width(ty));
        }
        let outcome = operators::binary(&mut self.machine.terms, operator, a, b, signed);
        self.defined(outcome)
    }

    /// What an operator gives, where it is defined; nobody knows what terms are not wide enough to say.
    fn defined(&mut self, outcome: Outcome) -> Term {
        for (kind, term) in outcome.demands {
            let term = term.unwrap_or_else(|| self.machine.fresh(1));
            self.demand(kind, term);
        }
        outcome.value
    }

    fn comparison(&mut self, operator: Binary, a: Term, b: Term, signed: bool, left: ExpressionId) -> Term {
        let pointers = self.machine.program.types.pointee(self.type_of(left)).is_some();
        if let Binary::Both | Binary::Either = operator {
            let (a, b) = (self.is_not_zero(a), self.is_not_zero(b));
            let terms = &mut self.machine.terms;
            return if operator == Binary::Both { terms.and(a, b) } else { terms.or(a, b) };
        }
        let truth = operators::compared(&mut self.machine.terms, operator, a, b, signed);
        if !pointers || matches!(operator, Binary::Equal | Binary::Unequal) {
            return truth;
        }
        // In which order objects are in memory, nobody knows.
        let terms = &mut self.machine.terms;
        let (upper_a, upper_b) = (terms.extract(a, 32, 32), terms.extract(b, 32, 32));
        let same = terms.eq(upper_a, upper_b);
        let unknown = self.machine.fresh(1);
        self.machine.terms.ite(same, truth, unknown)
    }

    fn converted(&mut self, a: ExpressionId, ty: TypeId) -> Term {
        let (value, width) = (self.values[&a], self.machine.width(ty));
        match conversion(&self.machine.program.types, self.type_of(a), ty) {
            Some(Conversion::Truth) => {
                let truth = self.is_not_zero(value);
                self.machine.terms.number(truth, width)
            }
            Some(Conversion::ExtendSign) => self.machine.terms.extend(value, width, true),
            Some(Conversion::Truncate | Conversion::ExtendZero) => self.machine.terms.resize(value, width, false),
            Some(Conversion::Pointer) => value,
            None => self.machine.fresh(width),
        }
    }

    fn designated(&mut self, id: LvalueId) -> Designated {
        let program = self.machine.program;
        let objects = &self.machine.points_to.objects;
        let access = Access::to(program, id);
        match &program.terms.at(id).kind {
            LvalueKind::Variable(variable) => match objects.variable(*variable) {
                Some(location) => Designated::Exact { object: location.object, offset: 0, bit: 0, access },
                None => Designated::somewhere(self.machine.fresh(ADDRESS), Vec::new()),
            },
            LvalueKind::Deref(pointer) => {
                let address = self.values[pointer];
                let targets = self.machine.points_to.value(program, *pointer).into_iter().collect();
                Designated::Somewhere { address, targets, bit: 0, access }
            }
            LvalueKind::Field(of, field) => {
                let record = program.types.as_record(program.terms.at(*of).ty);
                let field = record.and_then(|record| record.fields.get(*field as usize));
                let (offset, bit) = field.map_or((0, 0), |field| (field.offset, field.bit.unwrap_or(0) as u8));
                match self.places[of].clone() {
                    Designated::Exact { object, offset: at, .. } => {
                        Designated::Exact { object, offset: at + offset, bit, access }
                    }
                    Designated::Somewhere { address, targets, .. } => {
                        let address = self.machine.terms.linear(&[(address, 1)], u128::from(offset));
                        let objects = &self.machine.points_to.objects;
                        let targets = targets.into_iter().map(|target| objects.further(target, offset)).collect();
                        Designated::Somewhere { address, targets, bit, access }
                    }
                }
            }
            LvalueKind::Element(of, index) => self.element(*of, *index, (program.terms.at(id).ty, access)),
        }
    }

    fn element(&mut self, of: LvalueId, index: ExpressionId, (ty, access): (TypeId, Access)) -> Designated {
        let size = self.machine.program.types.size(ty).unwrap_or(1);
        let place = self.places[&of].clone();
        let wide = self.wide(index);
        let known = self.machine.terms.as_constant(wide).and_then(|index| u64::try_from(index).ok());
        match (place, known) {
            (Designated::Exact { object, offset, .. }, Some(index)) if index < 1 << 31 => {
                Designated::Exact { object, offset: offset + index * size, bit: 0, access }
            }
            (place, _) => {
                let address = self.address(&place);
                let address = self.machine.terms.linear(&[(address, 1), (wide, u128::from(size))], 0);
                let objects = &self.machine.points_to.objects;
                let targets = match place {
                    Designated::Exact { object, offset, .. } => vec![objects.normal(object, offset)],
                    Designated::Somewhere { targets, .. } => targets,
                };
                Designated::Somewhere { address, targets, bit: 0, access }
            }
        }
    }
}
