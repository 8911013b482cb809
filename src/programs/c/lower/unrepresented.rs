//! Stores of values that are not represented: floating-point numbers, lists of arguments. The bytes are unknown afterwards.

use lang_c::ast;
use lang_c::span::Node;

use super::{Lowered, Lowering};
use crate::c::expression::LvalueId;
use crate::c::program::{StatementKind, Unrepresented};
use crate::c::types::{Type, TypeId};

/// Why floating-point values are not known.
pub const FLOATING: &str = "a floating-point value";

impl Lowering<'_> {
    /// A value that is not represented is stored: a statement, or outside of procedures part of the start.
    pub fn store_unknown(&mut self, to: LvalueId, what: &str) -> Lowered<()> {
        let reason = self.reason(what)?;
        match &mut self.body {
            Some(body) => body.emit(StatementKind::Havoc(to, reason, None)),
            None => self.unrepresented.push(Unrepresented { to, reason, exact: None, unseen: false }),
        }
        Ok(())
    }

    /// Unknown values are stored in all of an object that is not represented at all.
    pub fn store_unknown_parts(&mut self, whole: LvalueId) -> Lowered<()> {
        let mut open = vec![whole];
        while let Some(part) = open.pop() {
            let ty = self.terms.at(part).ty;
            match self.types.get(ty).clone() {
                Type::Opaque(_) => self.store_unknown(part, FLOATING)?,
                Type::Array(element, length) if self.has_opaque(element) => {
                    open.extend((0..length).rev().map(|at| self.element(part, element, at)));
                }
                Type::Record(record) => {
                    let count = self.types.records[record.0 as usize].fields.len();
                    open.extend((0..count).rev().map(|index| self.field(part, index)));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether something in a type is not represented.
    pub fn has_opaque(&self, ty: TypeId) -> bool {
        self.types.has_part(ty, |part| matches!(self.types.get(part), Type::Float(_) | Type::Opaque(_)))
    }

    /// Whether something else may be in the same bytes.
    pub fn is_in_union(&self, at: LvalueId) -> bool {
        self.terms.is_in_union(&self.types, at) || self.terms.variable_of(at).is_none()
    }

    /// Whether a floating-point object that lives as long as the program is to start with a zero, all of whose bytes are zero.
    pub fn is_zero_already(&self, target: LvalueId, e: &Node<ast::Expression>) -> bool {
        if self.body.is_some() || !self.types.is_opaque(self.terms.at(target).ty) || self.is_in_union(target) {
            return false;
        }
        let number = match &e.node {
            ast::Expression::Constant(constant) => match &constant.node {
                ast::Constant::Float(float) => &float.number,
                ast::Constant::Integer(integer) => &integer.number,
                ast::Constant::Character(_) => return false,
            },
            _ => return false,
        };
        let mantissa = number.split(['e', 'E', 'p', 'P']).next().unwrap_or("");
        mantissa.bytes().all(|byte| matches!(byte, b'0' | b'.'))
    }

    /// `va_start` and its kin write to the list that they are given, which is evaluated here.
    pub fn moves_arguments(&mut self, list: &Node<ast::Expression>) -> Lowered<()> {
        let list = self.lvalue(list)?;
        if self.types.is_opaque(self.terms.at(list).ty) {
            self.store_unknown(list, "a list of arguments")?;
        }
        Ok(())
    }
}
