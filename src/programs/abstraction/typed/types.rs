//! Names of types in predicates, and what is done with them: casts, `sizeof`.

use super::{Operand, Read, Reader, word};
use crate::c::expression::{ExpressionId, ExpressionKind};
use crate::c::types::{FloatKind, Rank, Type, TypeId};
use crate::c::vocabulary::Meaning;

/// Words that names of types are made of, beside those that a program declares.
const WORDS: [&str; 19] = [
    "void",
    "char",
    "short",
    "int",
    "long",
    "signed",
    "unsigned",
    "__signed__",
    "_Bool",
    "bool",
    "float",
    "double",
    "__int128",
    "const",
    "volatile",
    "struct",
    "union",
    "enum",
    "__const",
];

impl Reader<'_, '_> {
    /// The name of a type behind an opening bracket, and the bracket that closes it; none, and nothing read, where no type stands there.
    pub(super) fn bracketed_type(&mut self) -> Read<Option<TypeId>> {
        let begin = self.at;
        self.at += 1;
        self.blanks();
        if !self.begins_type()? {
            self.at = begin;
            return Ok(None);
        }
        let ty = self.type_name()?;
        self.blanks();
        if !self.sign(")") {
            let at = self.at;
            return Err(self.wrong(
                "names of types in predicates have no more than `*` behind them: expected `)`",
                at,
                1,
            ));
        }
        Ok(Some(ty))
    }

    /// Whether the next word begins the name of a type.
    fn begins_type(&self) -> Read<bool> {
        let length = word(self.rest());
        let name = &self.rest()[..length];
        if name != "bool" && WORDS.contains(&name) {
            return Ok(true);
        }
        let declared = self.program.vocabulary.meanings(name, self.scope);
        let is_type = name == "bool" || declared.iter().any(|meaning| matches!(meaning, Meaning::Type(_)));
        Ok(is_type && self.variable(name, self.at)?.is_none())
    }

    /// Specifiers in any order, then `*`s.
    fn type_name(&mut self) -> Read<TypeId> {
        let at = self.at;
        let mut said: Vec<&str> = Vec::new();
        let mut named = None;
        loop {
            self.blanks();
            let here = self.at;
            let length = word(self.rest());
            let name = &self.rest()[..length];
            match name {
                "const" | "volatile" | "__const" => self.at += length,
                "struct" | "union" | "enum" if named.is_none() && said.is_empty() => {
                    self.at += length;
                    self.blanks();
                    let (at, length) = (self.at, word(self.rest()));
                    let tag = &self.rest()[..length];
                    self.at += length;
                    let tags = |meaning| match meaning {
                        Meaning::Tag(ty) => Some(ty),
                        Meaning::Type(_) | Meaning::Constant(..) => None,
                    };
                    named = Some(self.meant(tag, at, tags)?);
                }
                _ if WORDS.contains(&name) && !matches!(name, "struct" | "union" | "enum") => {
                    self.at += length;
                    said.push(name);
                }
                _ if length > 0 && named.is_none() && said.is_empty() => {
                    self.at += length;
                    let types = |meaning| match meaning {
                        Meaning::Type(ty) => Some(ty),
                        Meaning::Tag(_) | Meaning::Constant(..) => None,
                    };
                    named = Some(self.meant(name, here, types)?);
                }
                _ => break,
            }
        }
        let mut ty = match (named, self.arithmetic(&mut said)) {
            (Some(ty), _) if said.is_empty() => ty,
            (None, Some(ty)) => ty,
            _ => return Err(self.wrong("this is not the name of a type", at, self.at - at)),
        };
        loop {
            self.blanks();
            if self.sign("*") {
                ty = self.program.types.pointer(ty);
                continue;
            }
            let length = word(self.rest());
            if !matches!(&self.rest()[..length], "const" | "volatile" | "__const") {
                return Ok(ty);
            }
            self.at += length;
        }
    }

    /// The one type that a name has among its meanings.
    fn meant(&self, name: &str, at: usize, wanted: impl Fn(Meaning) -> Option<TypeId>) -> Read<TypeId> {
        let meanings = self.program.vocabulary.meanings(name, self.scope);
        let mut types: Vec<TypeId> = meanings.into_iter().filter_map(wanted).collect();
        types.dedup();
        match types[..] {
            [ty] => Ok(ty),
            [] => Err(self.wrong(format!("`{name}` is not the name of a type here"), at, name.len())),
            _ => Err(self.wrong(
                format!("several types are called `{name}`, and which one is meant cannot be said"),
                at,
                name.len(),
            )),
        }
    }

    /// The type that words of C mean together (C11 §6.7.2 p2).
    fn arithmetic(&mut self, said: &mut Vec<&str>) -> Option<TypeId> {
        said.sort_unstable();
        let types = &mut self.program.types;
        Some(match said[..] {
            ["void"] => types.void(),
            ["_Bool" | "bool"] => types.integer(Rank::Bool, false),
            ["float"] => types.float(FloatKind::Single),
            ["double"] => types.float(FloatKind::Double),
            ["double", "long"] => types.float(FloatKind::Extended),
            _ => {
                let count = |word: &str| said.iter().filter(|said| **said == word).count();
                let signs = (count("unsigned"), count("signed") + count("__signed__"));
                let (int, long) = (count("int"), count("long"));
                let others: Vec<&str> =
                    said.iter().copied().filter(|word| matches!(*word, "char" | "short" | "__int128")).collect();
                let known = signs.0 + signs.1 + int + long + others.len();
                if said.is_empty() || known != said.len() || signs.0 + signs.1 > 1 || int > 1 {
                    return None;
                }
                let rank = match (&others[..], long, int) {
                    (["char"], 0, 0) => Rank::Char,
                    (["short"], 0, _) => Rank::Short,
                    (["__int128"], 0, 0) => Rank::Int128,
                    ([], 0, _) => Rank::Int,
                    ([], 1, _) => Rank::Long,
                    ([], 2, _) => Rank::LongLong,
                    _ => return None,
                };
                types.integer(rank, signs.0 == 0)
            }
        })
    }

    /// The value converted to a type: a number to a number, a pointer to a pointer, and 0 to NULL.
    pub(super) fn cast(&mut self, value: ExpressionId, ty: TypeId, at: usize) -> Read<ExpressionId> {
        let from = self.type_of(value);
        let kind = match (self.program.types.get(from), self.program.types.get(ty)) {
            (Type::Integer(_), Type::Integer(_)) | (Type::Pointer(_), Type::Pointer(_)) => {
                return Ok(self.converted(value, ty));
            }
            (Type::Pointer(_), Type::Integer(integer)) if integer.rank == Rank::Bool => ExpressionKind::Convert(value),
            (Type::Integer(_), Type::Pointer(_))
                if self.program.terms.get(value).kind == ExpressionKind::Constant(0) =>
            {
                ExpressionKind::Constant(0)
            }
            _ => {
                let (from, to) = (self.program.types.name(from), self.program.types.name(ty));
                let message = format!("predicates do not convert `{from}` to `{to}`");
                return Err(self.wrong(message, at, 1));
            }
        };
        Ok(self.program.terms.expression(kind, ty))
    }

    /// How many bytes an object of a type takes, as an operand.
    pub(super) fn size_of(&mut self, ty: TypeId, at: usize) -> Read<()> {
        let is_bits = self.program.types.as_integer(ty).is_some_and(|integer| self.program.types.is_bit_field(integer));
        let size = self.program.types.size(ty).filter(|_| !is_bits && !self.program.types.varies(ty));
        let Some(size) = size.filter(|_| !matches!(self.program.types.get(ty), Type::Function(..))) else {
            let message = format!("the size of `{}` is not a constant", self.program.types.name(ty));
            return Err(self.wrong(message, at, 1));
        };
        let ty = self.program.types.size_type();
        let constant = self.program.terms.expression(ExpressionKind::Constant(u128::from(size)), ty);
        self.operands.push(Operand::Value(constant));
        Ok(())
    }
}
