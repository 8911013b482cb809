//! Texts of the source, and where pointers plainly lead.

use std::collections::HashMap;

use super::expression::{ExpressionId, ExpressionKind};
use super::program::{Program, Storage, VariableId};
use super::types::Type;

/// The bytes of the constant texts of a program.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    bytes: HashMap<VariableId, Vec<u8>>,
}

impl Texts {
    /// Those of a program. Linear.
    pub fn of(program: &Program) -> Texts {
        let mut bytes = HashMap::new();
        for (id, variable) in (0..).map(VariableId).zip(&program.variables) {
            let Type::Array(element, length) = *program.types.get(variable.ty) else { continue };
            let is_text = program.types.as_integer(element).is_some_and(|integer| integer.width == 8);
            if variable.storage == Storage::Constant && is_text {
                bytes.insert(id, vec![0; usize::try_from(length).unwrap_or(0)]);
            }
        }
        for &(to, value) in &program.initial {
            let text = program.terms.variable_of(to).and_then(|id| bytes.get_mut(&id));
            let (Some(text), Some((at, _))) = (text, program.place_in_variable(to)) else { continue };
            if let (Some(byte), ExpressionKind::Constant(bits)) =
                (text.get_mut(at as usize), &program.terms.get(value).kind)
            {
                *byte = *bits as u8;
            }
        }
        Texts { bytes }
    }

    /// The bytes of the text to which a pointer plainly leads, without the 0 at their end.
    pub fn known(&self, program: &Program, pointer: ExpressionId) -> Option<&[u8]> {
        let (id, offset, _) = variable_at(program, pointer)?;
        let bytes = self.bytes.get(&id)?.get(usize::try_from(offset).ok()?..)?;
        bytes.get(..bytes.iter().position(|byte| *byte == 0)?)
    }

    /// How long a text is at most that begins anywhere in a constant; none if it has no end, or is no text.
    pub fn longest(&self, id: VariableId) -> Option<u64> {
        let text = self.bytes.get(&id)?;
        text.len().checked_sub(1).filter(|last| text[*last] == 0).map(|length| length as u64)
    }
}

/// The variable to which a pointer plainly leads, where in it, and how many bytes of it there are from there on.
pub fn variable_at(program: &Program, mut pointer: ExpressionId) -> Option<(VariableId, u64, u64)> {
    loop {
        match program.terms.get(pointer).kind {
            ExpressionKind::Convert(from) if program.types.pointee(program.terms.get(from).ty).is_some() => {
                pointer = from;
            }
            ExpressionKind::AddressOf(l) => {
                let id = program.terms.variable_of(l)?;
                let (offset, _) = program.place_in_variable(l)?;
                let size = program.types.size(program.variable(id).ty)?;
                return Some((id, offset, size.checked_sub(offset)?));
            }
            _ => return None,
        }
    }
}
