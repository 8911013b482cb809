//! What can be seen of a state: the values of variables that have names where control is, by scalars, and of what pointers among
//! them point to. Who looks decides nothing.

use super::evaluate::Undecided;
use super::location::Location;
use super::step::Machine;
use super::{Pointer, Value};
use crate::c::Program;
use crate::c::float;
use crate::c::program::{ProcedureId, Statement, StatementId, VariableId};
use crate::c::types::{Type, TypeId};

/// A state before a statement is executed.
pub struct Scene<'m, 'p> {
    machine: &'m Machine<'p>,
}

/// A value as it is seen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Seen {
    /// A number.
    Number(i128),
    /// To what a pointer points, as C writes it.
    Pointer(String),
    /// A floating-point number.
    Real(String),
    /// Nobody has given it a value yet.
    Any,
    /// It has a value that is not known here.
    Unknown,
    /// There is no such object.
    Nothing,
    /// The elements of an array.
    Elements(Vec<Seen>),
}

/// A part of a variable, or of what it points to, that is seen by itself: a scalar, or an array of scalars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// As C writes it.
    pub name: String,
    /// The variable.
    variable: VariableId,
    /// If it is a pointer that is followed: the type of what it points to.
    through: Option<TypeId>,
    /// In bytes.
    offset: u64,
    /// For a bit-field: its first bit.
    bit: Option<u32>,
    /// The type of the scalar.
    ty: TypeId,
    /// How many there are, in an array.
    length: Option<u64>,
}

impl Part {
    /// How many elements it has, if it is an array.
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// The same of one of several variables of that name.
    pub fn declared_in(self, line: u32) -> Part {
        Part { name: format!("{}@{line}", self.name), ..self }
    }
}

/// The parts of a variable; of a pointer also those of what it points to, if that is a scalar or a structure.
pub fn parts(program: &Program, variable: VariableId) -> Vec<Part> {
    let known = program.variable(variable);
    let whole = Part {
        name: known.name.to_string(),
        variable,
        through: None,
        offset: 0,
        bit: None,
        ty: known.ty,
        length: None,
    };
    let mut all = scalars(program, whole.clone());
    if let Some(to) = program.types.pointee(known.ty) {
        let name = match program.types.as_record(to) {
            Some(_) => format!("{}->", known.name),
            None => format!("*{}", known.name),
        };
        all.extend(scalars(program, Part { name, through: Some(to), ty: to, ..whole }));
    }
    all
}

/// A part, taken apart into scalars and arrays of scalars, in the order of memory.
fn scalars(program: &Program, whole: Part) -> Vec<Part> {
    let types = &program.types;
    let (mut scalars, mut open) = (Vec::new(), vec![whole]);
    while let Some(part) = open.pop() {
        match types.get(part.ty) {
            Type::Integer(_) | Type::Pointer(_) | Type::Float(_) => scalars.push(part),
            Type::Array(element, length) if types.is_scalar(*element) => {
                scalars.push(Part { ty: *element, length: Some(*length), ..part });
            }
            Type::Array(element, length) => {
                let size = types.size(*element).unwrap_or(0);
                open.extend((0..*length).rev().map(|at| Part {
                    name: format!("{}[{at}]", part.name),
                    offset: part.offset + at * size,
                    ty: *element,
                    ..part.clone()
                }));
            }
            Type::Record(_) => {
                let fields = types.as_record(part.ty).map_or(&[][..], |record| &record.fields);
                open.extend(fields.iter().rev().map(|field| Part {
                    name: member(&part.name, &field.name),
                    offset: part.offset + field.offset,
                    bit: field.bit,
                    ty: field.ty,
                    ..part.clone()
                }));
            }
            Type::Void | Type::Function(..) | Type::Variable(..) | Type::Opaque(_) => {}
        }
    }
    scalars
}

fn member(of: &str, name: &str) -> String {
    match (of.ends_with("->"), name.is_empty()) {
        (_, true) => of.to_owned(),
        (true, _) => format!("{of}{name}"),
        (false, _) => format!("{of}.{name}"),
    }
}

impl<'m, 'p> Scene<'m, 'p> {
    /// The state of a machine.
    pub(super) fn of(machine: &'m Machine<'p>) -> Self {
        Scene { machine }
    }

    /// The statement that is next, in which procedure, and how many frames are below.
    pub fn next(&self) -> Option<(ProcedureId, usize, &'p Statement)> {
        let (procedure, label, depth) = self.machine.here()?;
        let body = self.machine.program.procedure(procedure).body.as_ref()?;
        Some((procedure, depth, body.get(label.0 as usize)?))
    }

    /// Which statement that is.
    pub fn at(&self) -> Option<StatementId> {
        self.machine.here().map(|(procedure, label, _)| StatementId { procedure, label })
    }

    /// How many inputs were asked for so far.
    pub fn inputs(&self) -> usize {
        self.machine.given().len()
    }

    /// The value of a part of a variable that has a name here.
    pub fn value(&self, part: &Part) -> Seen {
        let pointer = Pointer::Object { object: self.machine.object(part.variable), offset: 0 };
        let variable = Location::of(pointer, self.machine.program.variable(part.variable).ty);
        let base = match part.through.map(|to| (to, self.machine.glimpse(variable))) {
            None => variable,
            Some((to, Some(Ok(Value::Pointer(pointer @ Pointer::Object { object: 1.., .. }))))) => {
                Location::of(pointer, to)
            }
            Some(_) => return Seen::Nothing,
        };
        let Some(length) = part.length else { return self.scalar(base.part(part.offset, part.bit, part.ty)) };
        let size = self.machine.program.types.size(part.ty).unwrap_or(0);
        Seen::Elements((0..length).map(|at| self.scalar(base.part(part.offset + at * size, None, part.ty))).collect())
    }

    /// An element of a part that is an array.
    pub fn element(&self, part: &Part, at: u64) -> Seen {
        let size = self.machine.program.types.size(part.ty).unwrap_or(0);
        match part.length {
            Some(length) if at < length => {
                self.value(&Part { offset: part.offset + at * size, length: None, ..part.clone() })
            }
            _ => Seen::Nothing,
        }
    }

    fn scalar(&self, location: Location) -> Seen {
        let integer = self.machine.program.types.as_integer(location.ty);
        if let Some(kind) = self.machine.program.types.as_float(location.ty) {
            return match self.machine.glimpse(location) {
                None => Seen::Nothing,
                Some(Ok(Value::Bits(bits))) => Seen::Real(float::spelled(kind, bits)),
                Some(Ok(Value::Nan)) => Seen::Real("nan".to_owned()),
                Some(_) => Seen::Unknown,
            };
        }
        match (self.machine.glimpse(location), integer) {
            (None, _) => Seen::Nothing,
            (Some(Err(Undecided)), _) => Seen::Any,
            (Some(Ok(Value::Bits(bits))), Some(integer)) => Seen::Number(integer.number(bits)),
            (Some(Ok(Value::Pointer(pointer))), _) => Seen::Pointer(self.machine.described(pointer)),
            (Some(Ok(_)), _) => Seen::Unknown,
        }
    }
}
