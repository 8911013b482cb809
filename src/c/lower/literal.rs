//! Literals: which number, of which type (C11 §6.4.4), and which characters.

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::{Lowered, Lowering, Value};
use crate::c::types::{Rank, Type, TypeId};

impl Lowering<'_> {
    /// A constant as a value.
    pub fn literal(&mut self, node: &Node<ast::Constant>) -> Lowered<Value> {
        match &node.node {
            ast::Constant::Integer(integer) => self.integer_literal(integer, node.span),
            ast::Constant::Float(float) => {
                let ty = match float.suffix.format {
                    ast::FloatFormat::Float => self.types.intern(Type::Opaque(4)),
                    ast::FloatFormat::Double => self.types.intern(Type::Opaque(8)),
                    _ => self.types.long_double(),
                };
                Ok(Value::Opaque(ty))
            }
            ast::Constant::Character(text) => {
                let Some((wide, units)) = characters(text) else {
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
                Ok(Value::Scalar(self.constant(number, int)))
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
        if integer.suffix.imaginary {
            return Err(self.error("complex numbers are not represented", span));
        }
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
                    return Ok(Value::Scalar(self.constant(number, ty)));
                }
            }
        }
        Err(self.error("no type is wide enough for this number", span))
    }

    /// The elements of a string literal with its final zero, and the type of each.
    pub fn string(&mut self, parts: &[String], span: Span) -> Lowered<(Vec<u64>, TypeId)> {
        let mut units = Vec::new();
        let mut wide = false;
        for part in parts {
            let Some((of_words, mut here)) = characters(part) else {
                return Err(self.error("this string has a character that is not one of C", span));
            };
            wide |= of_words;
            units.append(&mut here);
        }
        units.push(0);
        let ty = if wide { self.types.int() } else { self.types.integer(Rank::Char, true) };
        Ok((units, ty))
    }
}

/// The characters between the quotes of a literal, escapes resolved, and whether they are wide.
fn characters(literal: &str) -> Option<(bool, Vec<u64>)> {
    let open = literal.find(['"', '\''])?;
    let wide = matches!(&literal[..open], "L" | "u" | "U");
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
