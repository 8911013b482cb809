//! Types and values of a program as C that another file can say: results that are structures have their own definitions there.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::c::Program;
use crate::c::types::{RecordId, Type, TypeId};

use super::Input;

/// Structures that were written.
pub struct Written<'p> {
    program: &'p Program,
    done: BTreeSet<u32>,
    /// Their definitions.
    pub text: String,
}

impl<'p> Written<'p> {
    /// None so far.
    pub fn new(program: &'p Program) -> Self {
        Written { program, done: BTreeSet::new(), text: String::new() }
    }

    /// A procedure with that result; to what a pointer points does not matter.
    pub fn result(&self, ty: TypeId, declarator: &str) -> String {
        format!("{}{declarator}", self.prefix(ty))
    }

    /// A type of scalars.
    pub fn element(&self, ty: TypeId) -> String {
        self.prefix(ty).trim_end().to_owned()
    }

    fn prefix(&self, ty: TypeId) -> String {
        match self.program.types.get(ty) {
            Type::Pointer(_) => "void *".to_owned(),
            Type::Record(record) => format!("{} ", self.name(*record)),
            // Between them there is no difference where they are returned.
            Type::Array(..) | Type::Variable(..) | Type::Function(..) | Type::Void => "void ".to_owned(),
            Type::Integer(_) | Type::Float(_) | Type::Opaque(_) => format!("{} ", self.program.types.name(ty)),
        }
    }

    fn name(&self, RecordId(number): RecordId) -> String {
        let record = &self.program.types.records[number as usize];
        format!("{} result{number}", if record.union { "union" } else { "struct" })
    }

    /// A statement that returns something of a type of objects.
    pub fn nothing(&mut self, ty: TypeId) -> String {
        let Type::Record(record) = *self.program.types.get(ty) else { return "return 0;".to_owned() };
        self.define(record);
        format!("static {} nothing; return nothing;", self.name(record))
    }

    /// Defines a structure, and those in it before it.
    fn define(&mut self, record: RecordId) {
        let mut open = vec![record];
        while let Some(&record) = open.last() {
            let inside = self.inside(record);
            let missing: Vec<RecordId> = inside.into_iter().filter(|inner| !self.done.contains(&inner.0)).collect();
            if self.done.contains(&record.0) || missing.is_empty() {
                open.pop();
                self.written(record);
            } else {
                open.extend(missing);
            }
        }
    }

    fn written(&mut self, record: RecordId) {
        if !self.done.insert(record.0) {
            return;
        }
        let known = &self.program.types.records[record.0 as usize];
        let _ = writeln!(self.text, "\n{} {{", self.name(record));
        let mut unnamed = 0..0;
        for (index, field) in known.fields.iter().enumerate() {
            let size = self.program.types.size(field.ty).unwrap_or(0);
            // What is in an unnamed member stands beside it once more.
            if !known.union && unnamed.contains(&field.offset) {
                continue;
            }
            if field.name.is_empty() {
                unnamed = field.offset..field.offset + size;
            }
            let _ = writeln!(self.text, "    {};", self.member(field.ty, &format!("m{index}"), field.bit.is_some()));
        }
        self.text += "};\n";
    }

    fn member(&self, ty: TypeId, name: &str, bits: bool) -> String {
        let (mut ty, mut name) = (ty, name.to_owned());
        while let Type::Array(element, length) = self.program.types.get(ty) {
            let _ = write!(name, "[{length}]");
            ty = *element;
        }
        match (self.program.types.as_integer(ty), bits) {
            (Some(integer), true) => {
                let mut whole = integer;
                whole.width = self.program.types.model.width(integer.rank);
                let sign = if integer.signed { "" } else { "unsigned " };
                let base = match whole.width {
                    64 => "long long",
                    _ => "int",
                };
                format!("{sign}{base} {name}:{}", integer.width)
            }
            _ => format!("{}{name}", self.prefix(ty)),
        }
    }

    fn inside(&self, RecordId(number): RecordId) -> Vec<RecordId> {
        let fields = self.program.types.records[number as usize].fields.iter();
        let base = |mut ty: TypeId| {
            while let Type::Array(element, _) = self.program.types.get(ty) {
                ty = *element;
            }
            match self.program.types.get(ty) {
                Type::Record(record) => Some(*record),
                _ => None,
            }
        };
        fields.filter_map(|field| base(field.ty)).collect()
    }
}

/// An input as a constant of its type.
pub fn number(program: &Program, input: &Input) -> String {
    match program.types.as_integer(input.ty) {
        None => (if input.value == 0 { "0" } else { "(void *) 1" }).to_owned(),
        Some(integer) if integer.width > 64 => {
            let bits = input.value as u128;
            let name = program.types.name(input.ty);
            format!("(({name}) {}u << 64 | {}u)", (bits >> 64) as u64, bits as u64)
        }
        Some(integer) if input.value == integer.least() && integer.signed => format!("{} - 1", input.value + 1),
        Some(integer) if !integer.signed => format!("{}u", input.value),
        Some(_) => input.value.to_string(),
    }
}
