//! Generic selections (C11 §6.5.1.1): the expression that stands for a type.

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::{Lowered, Lowering};
use crate::c::types::{Rank, Type, TypeId};

impl Lowering<'_> {
    /// The expression that a selection chooses; nothing else of it is evaluated. Types that are told apart here by qualifiers, or as `char`
    /// and `signed char`, are not told apart elsewhere: such a choice is refused.
    ///
    /// # Errors
    /// If no type, or more than one, is that of what is looked at.
    pub fn selected<'n>(&mut self, node: &'n ast::GenericSelection, span: Span) -> Lowered<&'n Node<ast::Expression>> {
        let looked_at = self.type_of(&node.expression)?;
        let looked_at = self.converted_type(looked_at);
        let (mut chosen, mut default) = (Vec::new(), None);
        for association in &node.associations {
            match &association.node {
                ast::GenericAssociation::Type(one) => {
                    let ty = self.type_name(&one.node.type_name)?;
                    if ty == looked_at || self.is_blurred(looked_at) && self.is_blurred(ty) {
                        chosen.push((ty, one.node.expression.as_ref()));
                    }
                }
                ast::GenericAssociation::Default(e) => default = Some(e.as_ref()),
            }
        }
        match (&chosen[..], default) {
            ([], Some(default)) => Ok(default),
            ([(ty, e)], _) if *ty == looked_at && !self.is_blurred(looked_at) => Ok(e),
            ([], None) => {
                let message = format!("no type here is `{}`", self.types.name(looked_at));
                Err(self.error(message, span))
            }
            _ => {
                let message = "a choice between pointers, or between kinds of `char`, is not supported";
                Err(self.error(message, span))
            }
        }
    }

    /// The type of what is read from an lvalue of a type, or of what an array or a function becomes (§6.3.2.1).
    pub fn converted_type(&mut self, ty: TypeId) -> TypeId {
        match *self.types.get(ty) {
            Type::Array(element, _) | Type::Variable(element, _) => self.types.pointer(element),
            Type::Function(..) => self.types.pointer(ty),
            _ => ty,
        }
    }

    /// Whether types of this kind differ in what is not represented: qualifiers of what is pointed to, and that `char` is a type of its own.
    fn is_blurred(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Pointer(_) => true,
            Type::Integer(integer) => integer.rank == Rank::Char && integer.signed,
            _ => false,
        }
    }
}
