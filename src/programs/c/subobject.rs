//! Parts of variables, by their bytes: `s.f`, `a[2].x`.

use super::program::{Program, VariableId};
use super::types::{Field, Type, TypeId, Types};

/// A scalar inside a variable, or all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subobject {
    /// The variable.
    pub variable: VariableId,
    /// Where the scalar begins, in bytes.
    pub offset: u64,
    /// For a bit-field: its first bit in that byte.
    pub bit: Option<u32>,
}

impl Subobject {
    /// As C writes it. Of a union the first member that has such a scalar is named; where no part of the variable begins there, the
    /// innermost around it.
    pub fn name(self, program: &Program) -> String {
        let known = program.variable(self.variable);
        let (mut name, mut ty, mut offset) = (known.name.to_string(), known.ty, self.offset);
        while let Some((step, part, from)) = part(&program.types, ty, offset, self.bit) {
            name += &step;
            (ty, offset) = (part, offset - from);
        }
        name
    }

    /// The outermost part of the variable that begins there, as C writes it, if one does: what a pointer to there is said to point to.
    pub fn outermost(self, program: &Program) -> Option<String> {
        let known = program.variable(self.variable);
        let (mut name, mut ty, mut offset) = (known.name.to_string(), known.ty, self.offset);
        while offset > 0 {
            let (step, inner, from) = part(&program.types, ty, offset, None)?;
            name += &step;
            (ty, offset) = (inner, offset - from);
        }
        Some(name)
    }
}

/// The part of an object of a type in which a byte is: how C goes on to write it, its type, and where it begins.
fn part(types: &Types, ty: TypeId, offset: u64, bit: Option<u32>) -> Option<(String, TypeId, u64)> {
    match types.get(ty) {
        Type::Array(element, length) => {
            let size = types.size(*element).filter(|size| *size > 0)?;
            let at = offset / size;
            (at < *length).then(|| (format!("[{at}]"), *element, at * size))
        }
        Type::Record(_) => {
            let fields = &types.as_record(ty)?.fields;
            let covers = |field: &&Field| {
                let size = types.size(field.ty).unwrap_or(0);
                let inside = (field.offset..field.offset + size.max(1)).contains(&offset);
                !field.name.is_empty()
                    && if field.bit.is_some() { (field.offset, field.bit) == (offset, bit) } else { inside }
            };
            let field = fields.iter().find(covers)?;
            Some((format!(".{}", field.name), field.ty, field.offset))
        }
        _ => None,
    }
}
