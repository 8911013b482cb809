//! What functions are executed on, whoever calls them: terms of bit-vectors, pointers as an object and a byte in it, and what is known of
//! objects that nobody has named.
//!
//! An object is a number, and a pointer two terms: which object, and how many bytes from its beginning, modulo 2⁶⁴. So what arithmetic does
//! to a pointer never leads into another object, and an access is within bounds exactly if the machine's is. Numbers of objects tell where
//! objects come from: what may be reached at the entry lies below [`Machine::FIRST`], what is allocated counts upwards from there, and what
//! no pointer leads to at the entry (locals, procedures, variables whose address nobody takes) counts downwards from the top.

use std::collections::HashMap;

use crate::bitvec::{Node, Term, Terms};
use crate::c::expression::{ExpressionKind, LvalueKind};
use crate::c::program::{ProcedureId, Program, Storage, VariableId};
use crate::c::types::{Type, TypeId};

/// Bits of the number of an object.
pub const OBJECT: u8 = 40;

/// Bits of a number of bytes.
pub const OFFSET: u8 = 64;

/// No object has more bytes (C11 §6.5.6 p9: the difference of two pointers into it is a number).
const LARGEST: u128 = 1 << 62;

/// A pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pointer {
    /// Which object; 0 is none, and byte 0 of it is NULL.
    pub object: Term,
    /// How many bytes from its beginning.
    pub offset: Term,
}

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A number, of as many bits as its type has.
    Number(Term),
    /// A pointer.
    Pointer(Pointer),
    /// What no term says: floating-point numbers.
    Opaque,
}

/// Where the object of a variable of terms comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// It is reached at the entry.
    Entry,
    /// It was read from memory that somebody has written: any but those whose address nobody takes.
    Read,
    /// So many objects have been allocated.
    Clock,
}

/// Terms, and what is known of their variables.
pub struct Machine<'a> {
    /// The program.
    pub program: &'a Program,
    /// All terms.
    pub terms: Terms,
    next: u32,
    /// By variable, what holds of its values.
    axioms: HashMap<u32, Vec<Term>>,
    origins: HashMap<u32, Origin>,
    sizes: HashMap<Term, Term>,
    /// Variables whose address is taken somewhere.
    taken: Vec<bool>,
    /// What globals hold, by variable, since some moment.
    globals: HashMap<(VariableId, u32), Value>,
    /// Where that comes from, by moment; the first is the entry.
    moments: Vec<From>,
    /// Whether ways that meet may both be possible with the same values: control comes into some loop in several places.
    pub is_tangled: bool,
}

impl<'a> Machine<'a> {
    /// Where the numbers of objects begin that are allocated.
    pub const FIRST: u128 = 1 << 32;
    /// Where the numbers end of objects that are no variables.
    const BEYOND: u128 = 1 << 39;

    /// Nothing is known yet.
    pub fn new(program: &'a Program, taken: Vec<bool>) -> Machine<'a> {
        Machine {
            program,
            terms: Terms::new(),
            next: 0,
            axioms: HashMap::new(),
            origins: HashMap::new(),
            sizes: HashMap::new(),
            taken,
            globals: HashMap::new(),
            moments: vec![From::Entry],
            is_tangled: false,
        }
    }

    /// Variables of a program whose address is taken somewhere.
    pub fn taken(program: &Program) -> Vec<bool> {
        let mut taken = vec![false; program.variables.len()];
        for expression in program.terms.expressions() {
            if let ExpressionKind::AddressOf(lvalue) = expression.kind
                && let Some(variable) = program.terms.variable_of(lvalue)
            {
                taken[variable.0 as usize] = true;
            }
        }
        taken
    }

    /// Whether a pointer may lead to a variable.
    pub fn is_taken(&self, variable: VariableId) -> bool {
        self.taken.get(variable.0 as usize).is_none_or(|taken| *taken)
    }

    /// Whether a variable is kept by itself and not in memory: a scalar to which no pointer leads.
    pub fn is_apart(&self, variable: VariableId) -> bool {
        !self.is_taken(variable) && self.program.types.is_scalar(self.program.variable(variable).ty)
    }

    /// A variable that is in no term yet.
    pub fn fresh(&mut self, width: u8) -> Term {
        self.next += 1;
        self.terms.variable(self.next, width)
    }

    /// Something that holds of the values of a variable.
    pub fn axiom(&mut self, variable: Term, holds: Term) {
        if let Node::Variable(number) = *self.terms.node(variable) {
            self.axioms.entry(number).or_default().push(holds);
        }
    }

    /// What holds of the variables in some terms, and of those in that.
    pub fn axioms(&self, roots: &[Term]) -> Vec<Term> {
        let mut known = std::collections::HashSet::new();
        let (mut all, mut open) = (Vec::new(), self.terms.variables(roots));
        while let Some(variable) = open.pop() {
            if known.insert(variable)
                && let Some(axioms) = self.axioms.get(&variable)
            {
                all.extend(axioms.iter().copied());
                open.extend(self.terms.variables(axioms));
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How many bits a number of a type has; none if its values are no numbers.
    pub fn width(&self, ty: TypeId) -> Option<u8> {
        self.program.types.as_integer(ty).and_then(|integer| u8::try_from(integer.width).ok())
    }

    /// The number of an object that has a name.
    fn named(&mut self, below: u128) -> Term {
        self.terms.constant((1 << OBJECT) - 1 - below, OBJECT)
    }

    /// The object of a variable.
    pub fn variable(&mut self, variable: VariableId) -> Term {
        let is_global = matches!(self.program.variable(variable).storage, Storage::Global | Storage::Static(_));
        if is_global && self.is_taken(variable) {
            return self.terms.constant(u128::from(variable.0) + 1, OBJECT);
        }
        self.named(u128::from(variable.0))
    }

    /// The object that stands for a procedure.
    pub fn procedure(&mut self, procedure: ProcedureId) -> Pointer {
        let object = self.named(self.program.variables.len() as u128 + u128::from(procedure.0));
        Pointer { object, offset: self.terms.constant(0, OFFSET) }
    }

    /// The variable that an object is, if it is known to be one.
    pub fn is_variable(&self, object: Term) -> Option<VariableId> {
        let number = self.terms.as_constant(object)?;
        let count = self.program.variables.len() as u128;
        let top = (1 << OBJECT) - 1 - number;
        let at = if (1..=count).contains(&number) { number - 1 } else { top };
        (at < count).then(|| VariableId(at as u32))
    }

    /// Whether an object is a local: none is there once its procedure has returned.
    pub fn is_local(&mut self, object: Term) -> Term {
        if let Node::Ite(condition, yes, no) = *self.terms.node(object) {
            let (yes, no) = (self.is_local(yes), self.is_local(no));
            return self.terms.ite(condition, yes, no);
        }
        match (self.terms.as_constant(object), self.is_variable(object)) {
            (Some(_), variable) => {
                let is_local = |one| matches!(self.program.variable(one).storage, Storage::Local(_));
                self.terms.truth(variable.is_some_and(is_local))
            }
            // What was read from memory may be one.
            (None, _) => {
                let beyond = self.terms.constant(Self::BEYOND, OBJECT);
                self.terms.ule(beyond, object)
            }
        }
    }

    /// NULL
    pub fn null(&mut self) -> Pointer {
        Pointer { object: self.terms.constant(0, OBJECT), offset: self.terms.constant(0, OFFSET) }
    }

    /// Whether a pointer is not one into no object.
    pub fn is_some(&mut self, pointer: Pointer) -> Term {
        let none = self.terms.constant(0, OBJECT);
        self.terms.ne(pointer.object, none)
    }

    /// Whether two pointers are equal.
    pub fn same(&mut self, a: Pointer, b: Pointer) -> Term {
        let objects = self.terms.eq(a.object, b.object);
        let offsets = self.terms.eq(a.offset, b.offset);
        self.terms.and(objects, offsets)
    }

    /// How many bytes an object has.
    pub fn size(&mut self, object: Term) -> Term {
        if let Some(&size) = self.sizes.get(&object) {
            return size;
        }
        if let Some(variable) = self.is_variable(object) {
            let size = self.program.types.size(self.program.variable(variable).ty).unwrap_or(0);
            return self.terms.constant(u128::from(size), OFFSET);
        }
        let size = match *self.terms.node(object) {
            Node::Ite(condition, yes, no) => {
                let (yes, no) = (self.size(yes), self.size(no));
                self.terms.ite(condition, yes, no)
            }
            Node::Constant(_) => self.terms.constant(0, OFFSET),
            _ => {
                let size = self.fresh(OFFSET);
                let largest = self.terms.constant(LARGEST, OFFSET);
                let holds = self.terms.ule(size, largest);
                self.axiom(size, holds);
                size
            }
        };
        self.sizes.insert(object, size);
        size
    }

    /// An object gets its size. Whether there can be one of that size.
    pub fn has_size(&mut self, object: Term, size: Term) -> Term {
        self.sizes.insert(object, size);
        let largest = self.terms.constant(LARGEST, OFFSET);
        self.terms.ule(size, largest)
    }

    /// Whether so many bytes from a pointer on are within its object.
    pub fn is_inside(&mut self, pointer: Pointer, bytes: Term) -> Term {
        let size = self.size(pointer.object);
        let begins = self.terms.ule(pointer.offset, size);
        let left = self.terms.sub(size, pointer.offset);
        let ends = self.terms.ule(bytes, left);
        self.terms.and(begins, ends)
    }

    /// How many bytes what a type points to has; what has no size counts as one byte, functions as none.
    pub fn pointee_size(&self, ty: TypeId) -> u64 {
        let types = &self.program.types;
        match types.pointee(ty).map(|to| (types.get(to), types.size(to))) {
            Some((Type::Function(..), _)) | None => 0,
            Some((_, size)) => size.unwrap_or(1),
        }
    }

    /// Whether a pointer of a type is NULL or leads to an element of that type.
    pub fn is_proper(&mut self, pointer: Pointer, ty: TypeId) -> Term {
        let null = self.null();
        let none = self.same(pointer, null);
        let bytes = self.terms.constant(u128::from(self.pointee_size(ty)), OFFSET);
        let (some, inside) = (self.is_some(pointer), self.is_inside(pointer, bytes));
        let element = self.terms.and(some, inside);
        self.terms.or(none, element)
    }

    /// Any value of a type, of which it is said where it comes from.
    pub fn any(&mut self, ty: TypeId, from: From) -> Value {
        if let Some(width) = self.width(ty) {
            return Value::Number(self.fresh(width));
        }
        if self.program.types.pointee(ty).is_none() {
            return Value::Opaque;
        }
        let (object, offset) = (self.fresh(OBJECT), self.fresh(OFFSET));
        let pointer = Pointer { object, offset };
        let number = |this: &Self| match *this.terms.node(object) {
            Node::Variable(number) => number,
            _ => unreachable!("a variable was made"),
        };
        let origin = if from == From::Entry { Origin::Entry } else { Origin::Read };
        let at = number(self);
        self.origins.insert(at, origin);
        match from {
            From::Anywhere => {}
            From::Entry => {
                let first = self.terms.constant(Self::FIRST, OBJECT);
                let below = self.terms.ult(object, first);
                let proper = self.is_proper(pointer, ty);
                self.axiom(object, below);
                self.axiom(object, proper);
                self.axiom(offset, proper);
            }
            From::Proper(clock) => {
                let beyond = self.terms.constant(Self::BEYOND, OBJECT);
                let (old, has_name) = (self.terms.ult(object, clock), self.terms.ule(beyond, object));
                let known = self.terms.or(old, has_name);
                let proper = self.is_proper(pointer, ty);
                self.axiom(object, known);
                self.axiom(object, proper);
                self.axiom(offset, proper);
            }
        }
        Value::Pointer(pointer)
    }

    /// What a global holds that is kept apart and was not assigned since some moment.
    pub fn global(&mut self, variable: VariableId, since: u32) -> Value {
        if let Some(&value) = self.globals.get(&(variable, since)) {
            return value;
        }
        let from = self.moments.get(since as usize).copied().unwrap_or(From::Anywhere);
        let value = self.any(self.program.variable(variable).ty, from);
        self.globals.insert((variable, since), value);
        value
    }

    /// A moment at which globals get values that nobody knows.
    pub fn since(&mut self, from: From) -> u32 {
        self.moments.push(from);
        self.moments.len() as u32 - 1
    }

    /// One of two moments, where nobody knows which.
    pub fn either_since(&mut self, a: u32, b: u32) -> u32 {
        let of = |at: u32| self.moments.get(at as usize).copied();
        let from = match (of(a), of(b)) {
            (Some(From::Entry), Some(other)) | (Some(other), Some(From::Entry)) => other,
            (Some(a), Some(b)) if a == b => a,
            _ => From::Anywhere,
        };
        self.since(from)
    }

    /// How many objects have been allocated: any number, but not fewer than before.
    pub fn later(&mut self, clock: Term) -> Term {
        let later = self.fresh(OBJECT);
        if let Node::Variable(number) = *self.terms.node(later) {
            self.origins.insert(number, Origin::Clock);
        }
        let beyond = self.terms.constant(Self::BEYOND, OBJECT);
        let (grows, fits) = (self.terms.ule(clock, later), self.terms.ult(later, beyond));
        self.axiom(later, grows);
        self.axiom(later, fits);
        later
    }

    /// Whether two objects can be the same, as far as their numbers tell at once.
    pub fn may_be_same(&self, a: Term, b: Term) -> bool {
        if a == b {
            return true;
        }
        match (self.terms.node(a), self.terms.node(b)) {
            (Node::Constant(a), Node::Constant(b)) => a == b,
            (&Node::Ite(_, yes, no), _) => self.may_be_same(yes, b) || self.may_be_same(no, b),
            (_, &Node::Ite(_, yes, no)) => self.may_be_same(a, yes) || self.may_be_same(a, no),
            (Node::Constant(_), _) => self.may_be(b, a),
            (_, Node::Constant(_)) => self.may_be(a, b),
            (Node::Sum(x, c), Node::Sum(y, d)) => x != y || c == d,
            (Node::Sum(x, _), Node::Variable(_)) => x.len() != 1 || x[0].0 != b,
            (Node::Variable(_), Node::Sum(y, _)) => y.len() != 1 || y[0].0 != a,
            _ => true,
        }
    }

    /// Whether an object can be one whose number is known.
    fn may_be(&self, object: Term, known: Term) -> bool {
        let number = self.terms.as_constant(known).unwrap_or(0);
        let origin = match *self.terms.node(object) {
            Node::Variable(variable) => self.origins.get(&variable).copied(),
            Node::Sum(ref parts, _) => match parts.first().map(|part| self.terms.node(part.0)) {
                Some(Node::Variable(variable)) => self.origins.get(variable).copied(),
                _ => None,
            },
            _ => None,
        };
        match origin {
            Some(Origin::Entry) => number < Self::FIRST,
            Some(Origin::Clock) => (Self::FIRST..Self::BEYOND).contains(&number),
            Some(Origin::Read) => self.is_variable(known).is_none_or(|variable| self.is_taken(variable)),
            None => true,
        }
    }

    /// One of two values; nothing where they are of different kinds.
    pub fn choice(&mut self, condition: Term, yes: Value, no: Value) -> Value {
        match (yes, no) {
            (Value::Number(a), Value::Number(b)) if self.terms.width(a) == self.terms.width(b) => {
                Value::Number(self.terms.ite(condition, a, b))
            }
            (Value::Pointer(a), Value::Pointer(b)) => Value::Pointer(Pointer {
                object: self.terms.ite(condition, a.object, b.object),
                offset: self.terms.ite(condition, a.offset, b.offset),
            }),
            _ => Value::Opaque,
        }
    }
}

/// Where a value comes from of which nothing else is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// Memory or arguments at the entry: a pointer is NULL, or leads to an element of its type.
    Entry,
    /// Memory, once so many objects have been allocated: the same, of what there is now.
    Proper(Term),
    /// Anywhere: pointers may lead to what is no more, or to no object at all.
    Anywhere,
}
