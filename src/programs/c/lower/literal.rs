//! Literals: which number, of which type (C11 §6.4.4), and which characters.

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::{Lowered, Lowering, Value};
use crate::c::literals::{self, characters, in_sixteen_bits, is_wide, prefix_of};
use crate::c::types::{Rank, TypeId};

impl Lowering<'_> {
    /// A constant as a value.
    pub fn literal(&mut self, node: &Node<ast::Constant>) -> Lowered<Value> {
        match &node.node {
            ast::Constant::Integer(integer) => self.integer_literal(integer, node.span),
            ast::Constant::Float(float) => self.float_literal(float, node.span),
            ast::Constant::Character(text) => {
                let Some((number, ty)) = literals::character(&mut self.types, text) else {
                    return Err(self.error("this character is not one of C", node.span));
                };
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
        match literals::integer_type(&mut self.types, number as u128, least, integer.suffix.unsigned, base == 10) {
            Some(ty) => {
                let number = self.constant(number, ty);
                if integer.suffix.imaginary { self.imaginary(number) } else { Ok(Value::Scalar(number)) }
            }
            None => Err(self.error("no type is wide enough for this number", span)),
        }
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
        Ok((units, literals::character_type(&mut self.types, prefix)))
    }
}
