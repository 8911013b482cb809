//! Numbers, characters and names of predicates.

use spds_format::Diagnostic;

use super::{Operand, Read, Reader, word};
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueKind};
use crate::c::literals;
use crate::c::program::{Storage, VariableId};
use crate::c::types::{Integer, Rank, TypeId};
use crate::c::vocabulary::Meaning;

impl Reader<'_, '_> {
    pub(super) fn literal(&mut self) -> Read<()> {
        let at = self.at;
        let length = word(self.rest());
        let text = self.rest()[..length].to_ascii_lowercase();
        self.at += length;
        let digits = text.trim_end_matches(['u', 'l']);
        let suffix = &text[digits.len()..];
        let (digits, base) = match digits.strip_prefix("0x") {
            Some(digits) => (digits, 16),
            None if digits.starts_with("0b") => (&digits[2..], 2),
            None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
            None => (digits, 10),
        };
        let Ok(number) = u128::from_str_radix(digits, base) else {
            return Err(self.wrong(format!("`{text}` is no number"), at, length));
        };
        let least = match suffix.matches('l').count() {
            0 => Rank::Int,
            1 => Rank::Long,
            _ => Rank::LongLong,
        };
        let ty = literals::integer_type(&mut self.program.types, number, least, suffix.contains('u'), base == 10);
        match ty {
            Some(ty) => {
                self.constant(number as i128, ty);
                Ok(())
            }
            None => Err(self.wrong("no type is wide enough for this number", at, length)),
        }
    }

    /// A variable, a constant of an enumeration, `result` or `NULL`.
    pub(super) fn name(&mut self, length: usize) -> Read<()> {
        let at = self.at;
        let name = &self.rest()[..length];
        self.at += length;
        let operand = if let Some(constant) = self.constant_named(name, at)? {
            Operand::Value(constant)
        } else if let Some(variable) = self.variable(name, at)? {
            let ty = self.program.variable(variable).ty;
            Operand::Lvalue(self.program.terms.lvalue(LvalueKind::Variable(variable), ty))
        } else if name == "result" || self.outside && name == "__CPROVER_return_value" {
            Operand::Value(self.result(at)?)
        } else if name == "NULL" {
            let void = self.program.types.void();
            let pointer = self.program.types.pointer(void);
            Operand::Value(self.program.terms.expression(ExpressionKind::Constant(0), pointer))
        } else {
            return Err(self.unknown(name, at));
        };
        self.operands.push(operand);
        Ok(())
    }

    /// Whether what comes next says how many elements there are behind a pointer, of which those who call a procedure may speak.
    pub(super) fn counts(&self, name: &str) -> bool {
        let is_call = self.rest()[name.len()..].trim_start().starts_with('(');
        name == "elements" && self.outside && is_call
    }

    pub(super) fn result(&mut self, at: usize) -> Read<ExpressionId> {
        let ty = self.scope.map(|scope| self.program.procedure(scope).result).filter(|&ty| self.is_scalar(ty));
        match ty {
            Some(ty) => Ok(self.program.terms.expression(ExpressionKind::Result, ty)),
            None => Err(self.wrong("there is no result here", at, "result".len())),
        }
    }

    fn unknown(&self, name: &str, at: usize) -> Box<Diagnostic> {
        let formals: &[VariableId] = match self.scope.filter(|_| self.outside) {
            Some(scope) => &self.program.procedure(scope).formals,
            None => &[],
        };
        let formals = formals.iter().map(|id| self.program.variable(*id));
        let visible = self.program.variables.iter().filter(|variable| match variable.storage {
            Storage::Global => true,
            Storage::Static(_) | Storage::Local(_) if self.outside => false,
            Storage::Static(of) | Storage::Local(of) => Some(of) == self.scope,
            Storage::Constant => false,
        });
        let message = match self.scope {
            Some(scope) => format!("there is no variable `{name}` in `{}`", self.program.procedure(scope).name),
            None => format!("there is no global variable `{name}`"),
        };
        let diagnostic = self.wrong(message, at, name.len());
        let constants = self.program.vocabulary.visible(self.scope).filter(|&name| {
            let meanings = self.program.vocabulary.meanings(name, self.scope);
            meanings.iter().any(|meaning| matches!(meaning, Meaning::Constant(..)))
        });
        let visible = visible.chain(formals).map(|variable| &*variable.name).chain(constants);
        match spds_format::reading::near::did_you_mean(name, visible) {
            Some(help) => Box::new(diagnostic.with_help(help)),
            None => diagnostic,
        }
    }

    /// The variable of that name: the procedure's, else a global one.
    pub(super) fn variable(&self, name: &str, at: usize) -> Read<Option<VariableId>> {
        for candidates in [self.own(name), self.named(name, |storage| storage == Storage::Global)] {
            match candidates[..] {
                [] => {}
                [one] => return Ok(Some(one)),
                _ => {
                    let message =
                        format!("several variables are called `{name}`, and which one is meant cannot be said");
                    let declared = candidates.iter().map(|&id| {
                        let place = self.program.variable(id).place;
                        format!("{}:{}", self.program.files[place.file as usize], place.line)
                    });
                    let help = format!("they are declared at {}", declared.collect::<Vec<_>>().join(", "));
                    return Err(Box::new(self.wrong(message, at, name.len()).with_help(help)));
                }
            }
        }
        Ok(None)
    }

    /// The variables of that name that the procedure declares.
    fn own(&self, name: &str) -> Vec<VariableId> {
        if let (true, Some(scope)) = (self.outside, self.scope) {
            let formals = &self.program.procedure(scope).formals;
            return formals.iter().copied().filter(|id| &*self.program.variable(*id).name == name).collect();
        }
        self.named(name, |storage| match storage {
            Storage::Local(of) | Storage::Static(of) => Some(of) == self.scope,
            Storage::Global | Storage::Constant => false,
        })
    }

    fn named(&self, name: &str, wanted: impl Fn(Storage) -> bool) -> Vec<VariableId> {
        let all = self.program.variables.iter().enumerate();
        let fitting = all.filter(|(_, variable)| &*variable.name == name && wanted(variable.storage));
        fitting.map(|(index, _)| VariableId(index as u32)).collect()
    }

    /// The constant of an enumeration of that name, unless the procedure has a variable of that name.
    fn constant_named(&mut self, name: &str, at: usize) -> Read<Option<ExpressionId>> {
        let meanings = self.program.vocabulary.meanings(name, self.scope);
        let constant = |meaning| match meaning {
            Meaning::Constant(number, ty) => Some((number, ty)),
            Meaning::Type(_) | Meaning::Tag(_) => None,
        };
        let constants: Vec<(i128, TypeId)> = meanings.into_iter().filter_map(constant).collect();
        match constants[..] {
            [] => Ok(None),
            // What a block declares hides what is around it, and nobody says here which is the inner one.
            [(number, ty)] if self.own(name).is_empty() => {
                let kind = ExpressionKind::Constant(number as u128 & self.mask(ty));
                Ok(Some(self.program.terms.expression(kind, ty)))
            }
            [_] => Ok(None),
            _ => Err(self.wrong(
                format!("several constants are called `{name}`, and which one is meant cannot be said"),
                at,
                name.len(),
            )),
        }
    }

    /// A number as an operand.
    pub(super) fn constant(&mut self, number: i128, ty: TypeId) {
        let kind = ExpressionKind::Constant(number as u128 & self.mask(ty));
        self.operands.push(Operand::Value(self.program.terms.expression(kind, ty)));
    }

    fn mask(&self, ty: TypeId) -> u128 {
        self.program.types.as_integer(ty).map_or(u128::MAX, Integer::mask)
    }

    /// A character between quotes, maybe with a prefix.
    pub(super) fn character(&mut self) -> Read<()> {
        let at = self.at;
        let Some(length) = quoted(self.rest()) else {
            return Err(self.wrong("this quotation mark has no partner", at, 1));
        };
        let text = &self.rest()[..length];
        self.at += length;
        match literals::character(&mut self.program.types, text) {
            Some((number, ty)) => {
                self.constant(number, ty);
                Ok(())
            }
            None => Err(self.wrong("this character is not one of C", at, length)),
        }
    }
}

/// How long a character with its quotes is, at the beginning of a text.
pub fn quoted(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(text.find('\'')? + 1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'\'' => return Some(at + 1),
            _ => {}
        }
    }
    None
}
