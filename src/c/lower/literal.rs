//! Literals: which number, of which type (C11 §6.4.4), and which characters.

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::{Lowered, Lowering, Value};
use crate::c::types::{Rank, TypeId};

impl Lowering<'_> {
    /// A constant as a value.
    pub fn literal(&mut self, node: &Node<ast::Constant>) -> Lowered<Value> {
        match &node.node {
            ast::Constant::Integer(integer) => self.integer_literal(integer, node.span),
            ast::Constant::Float(float) => self.float_literal(float, node.span),
            ast::Constant::Character(text) => {
                let prefix = prefix_of(text);
                let Some((wide, units)) = characters(text, is_wide(prefix)) else {
                    return Err(self.error("this character is not one of C", node.span));
                };
                let int = self.types.int();
                // Characters of one literal are digits to the base 256, as compilers have it; a single one is a `char`.
                let number = match (&units[..], wide) {
                    (&[unit], false) => i128::from(unit as u8 as i8),
                    (&[unit], true) => i128::from(unit),
                    (several, _) => {
                        several.iter().fold(0i128, |sum, unit| (sum << 8 | i128::from(*unit)) & 0xffff_ffff)
                    }
                };
                let ty = if wide { self.character_type(prefix) } else { int };
                Ok(Value::Scalar(self.constant(number, ty)))
            }
        }
    }

    /// The first type in which a number fits (§6.4.4.1).
    fn integer_literal(&mut self, integer: &ast::Integer, span: Span) -> Lowered<Value> {
        let base = match integer.base {
            ast::IntegerBase::Decimal => 10,
            ast::IntegerBase::Octal => 8,
            ast::IntegerBase::Hexadecimal => 16,
            ast::IntegerBase::Binary => 2,
        };
        let digits = if integer.number.is_empty() { "0" } else { &integer.number };
        let Ok(number) = i128::from_str_radix(digits, base) else {
            return Err(self.error("no type is wide enough for this number", span));
        };
        let least = match integer.suffix.size {
            ast::IntegerSize::Int => Rank::Int,
            ast::IntegerSize::Long => Rank::Long,
            ast::IntegerSize::LongLong => Rank::LongLong,
        };
        let unsigned_too = integer.suffix.unsigned || base != 10;
        for rank in [Rank::Int, Rank::Long, Rank::LongLong, Rank::Int128] {
            if rank < least {
                continue;
            }
            for signed in [true, false] {
                let allowed = if signed { !integer.suffix.unsigned } else { unsigned_too };
                let ty = self.types.integer_of(rank, signed);
                let room = ty.width - u32::from(signed);
                if allowed && (room >= 127 || number >> room == 0) {
                    let ty = self.types.integer(rank, signed);
                    let number = self.constant(number, ty);
                    return if integer.suffix.imaginary { self.imaginary(number) } else { Ok(Value::Scalar(number)) };
                }
            }
        }
        Err(self.error("no type is wide enough for this number", span))
    }

    /// The elements of a string literal with its final zero, and the type of each.
    pub fn string(&mut self, parts: &[String], span: Span) -> Lowered<(Vec<u64>, TypeId)> {
        let mut units = Vec::new();
        let mut prefix = "";
        for part in parts {
            let own = prefix_of(part);
            if !prefix.is_empty() && !own.is_empty() && own != prefix {
                return Err(self.error("texts of different prefixes are not one text", span));
            }
            prefix = if own.is_empty() { prefix } else { own };
        }
        for part in parts {
            let Some((_, mut here)) = characters(part, is_wide(prefix)) else {
                return Err(self.error("this string has a character that is not one of C", span));
            };
            units.append(&mut here);
        }
        if prefix == "u" {
            units = units.into_iter().flat_map(in_sixteen_bits).flatten().collect();
        }
        units.push(0);
        Ok((units, self.character_type(prefix)))
    }

    /// The type of the elements of a text with a prefix (§6.4.5 p6).
    fn character_type(&mut self, prefix: &str) -> TypeId {
        match prefix {
            "L" => self.types.int(),
            "U" => self.types.integer(Rank::Int, false),
            "u" => self.types.integer(Rank::Short, false),
            _ => self.types.integer(Rank::Char, true),
        }
    }
}

/// What stands before the quotes of a literal.
fn prefix_of(literal: &str) -> &str {
    literal.find(['"', '\'']).map_or("", |open| &literal[..open])
}

fn is_wide(prefix: &str) -> bool {
    matches!(prefix, "L" | "u" | "U")
}

/// A character in UTF-16: one unit or two.
fn in_sixteen_bits(unit: u64) -> [Option<u64>; 2] {
    match unit.checked_sub(0x1_0000) {
        None => [Some(unit), None],
        Some(rest) => [Some(0xd800 + (rest >> 10)), Some(0xdc00 + (rest & 0x3ff))],
    }
}

/// The characters between the quotes of a literal, escapes resolved, and whether they are wide, as they are in a text that is wide.
fn characters(literal: &str, wide: bool) -> Option<(bool, Vec<u64>)> {
    let open = literal.find(['"', '\''])?;
    let inside = literal.get(open + 1..literal.len().checked_sub(1)?)?;
    let mut units = Vec::new();
    let mut rest = inside.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '\\' {
            if wide {
                units.push(u64::from(u32::from(character)));
            } else {
                units.extend(character.to_string().bytes().map(u64::from));
            }
            continue;
        }
        let escape = rest.next()?;
        let (radix, longest) = match escape {
            '0'..='7' => (8, 3),
            'x' => (16, usize::MAX),
            'u' => (16, 4),
            'U' => (16, 8),
            'a' => {
                units.push(7);
                continue;
            }
            'b' => {
                units.push(8);
                continue;
            }
            'e' | 'E' => {
                units.push(27);
                continue;
            }
            'f' => {
                units.push(12);
                continue;
            }
            'n' => {
                units.push(10);
                continue;
            }
            'r' => {
                units.push(13);
                continue;
            }
            't' => {
                units.push(9);
                continue;
            }
            'v' => {
                units.push(11);
                continue;
            }
            other => {
                units.push(u64::from(u32::from(other)));
                continue;
            }
        };
        let mut number = if radix == 8 { u64::from(escape.to_digit(8)?) } else { 0 };
        let mut digits = usize::from(radix == 8);
        while digits < longest
            && let Some(digit) = rest.peek().and_then(|next| next.to_digit(radix))
        {
            number = number.wrapping_mul(u64::from(radix)).wrapping_add(u64::from(digit));
            digits += 1;
            rest.next();
        }
        if wide || escape == 'x' || radix == 8 {
            units.push(if wide { number } else { number & 0xff });
        } else {
            let character = char::from_u32(u32::try_from(number).ok()?)?;
            units.extend(character.to_string().bytes().map(u64::from));
        }
    }
    Some((wide, units))
}
