//! Generic selections (C11 §6.5.1.1): the expression that stands for a type.

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::levels::Levels;
use super::{Lowered, Lowering};
use crate::c::types::{Rank, Type, TypeId};

impl Lowering<'_> {
    /// The expression that a selection chooses; nothing else of it is evaluated.
    ///
    /// # Errors
    /// If no type is that of what is looked at, or it is not known whether one is: types of expressions (`__typeof__`, `c ? p : q`), and
    /// what parameters of functions are pointed to, are not told apart by qualifiers.
    pub fn selected<'n>(&mut self, node: &'n ast::GenericSelection, span: Span) -> Lowered<&'n Node<ast::Expression>> {
        let looked_at = self.type_of(&node.expression)?;
        let looked_at = self.converted_type(looked_at);
        let spelled = self.said_of(&node.expression)?.map(Levels::converted);
        let (mut unknown, mut default) = (false, None);
        for association in &node.associations {
            match &association.node {
                ast::GenericAssociation::Type(one) => {
                    let ty = self.type_name(&one.node.type_name)?;
                    let said = self.levels_of_name(&one.node.type_name);
                    match self.is_same((ty, &said), (looked_at, spelled.as_ref())) {
                        Some(true) => return Ok(&one.node.expression),
                        Some(false) => {}
                        None => unknown = true,
                    }
                }
                ast::GenericAssociation::Default(e) => default = Some(e.as_ref()),
            }
        }
        match default {
            _ if unknown => {
                let message = format!("whether a type here is `{}` is not known", self.types.name(looked_at));
                Err(self.error(message, span))
            }
            Some(default) => Ok(default),
            None => {
                let message = format!("no type here is `{}`", self.types.name(looked_at));
                Err(self.error(message, span))
            }
        }
    }

    /// Whether a type, of which that is said, is that of what is looked at; nothing if that is not known.
    fn is_same(&self, (ty, said): (TypeId, &Levels), (looked_at, spelled): (TypeId, Option<&Levels>)) -> Option<bool> {
        if ty != looked_at {
            return (!self.may_agree(ty, looked_at)).then_some(false);
        }
        let shape = self.shape(ty);
        let qualified = said.0.first().is_some_and(|level| level.said.volatile || level.said.constant);
        if !self.is_blurred(ty) {
            return Some(!qualified);
        }
        let spelled = spelled.filter(|spelled| spelled.is_of(&shape))?;
        if !said.is_of(&shape) {
            return None;
        }
        // What a function gets may differ in qualifiers, too.
        if said == spelled && self.gets_blurred(ty) { None } else { Some(said == spelled) }
    }

    /// Whether a function of which a type is made gets something of such a type.
    fn gets_blurred(&self, mut ty: TypeId) -> bool {
        loop {
            ty = match self.types.get(ty) {
                Type::Pointer(of) | Type::Array(of, _) | Type::Variable(of, _) => *of,
                Type::Function(_, parameters, _) if parameters.iter().any(|ty| self.is_blurred(*ty)) => return true,
                Type::Function(result, ..) => *result,
                _ => return false,
            }
        }
    }

    /// Whether different types may be compatible (§6.2.7): the length of one array is not known, parameters of one function are not.
    fn may_agree(&self, a: TypeId, b: TypeId) -> bool {
        match (self.types.get(a), self.types.get(b)) {
            _ if a == b => true,
            (Type::Pointer(a), Type::Pointer(b)) => self.may_agree(*a, *b),
            (Type::Array(a, one), Type::Array(b, other)) => (*one == 0 || *other == 0) && self.may_agree(*a, *b),
            (Type::Array(a, _) | Type::Variable(a, _), Type::Array(b, _) | Type::Variable(b, _)) => {
                self.may_agree(*a, *b)
            }
            (Type::Function(a, ..), Type::Function(b, ..)) => self.may_agree(*a, *b),
            _ => false,
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
    pub fn is_blurred(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Pointer(_) => true,
            Type::Integer(integer) => integer.rank == Rank::Char && integer.signed,
            _ => false,
        }
    }
}
