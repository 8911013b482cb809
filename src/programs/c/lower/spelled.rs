//! Qualifiers of what pointers lead to, and `signed char`: types are interned without them, and generic selections tell types apart by
//! them. What declarations say is kept, and looked up along expressions.

use std::collections::{BTreeSet, HashMap};

use lang_c::ast::{self, BinaryOperator as B, UnaryOperator as U};
use lang_c::span::Node;

use super::levels::{Levels, Made, Said};
use super::scope::Entity;
use super::{Lowered, Lowering};
use crate::c::program::{ProcedureId, Storage, Variable, VariableId};
use crate::c::types::{RecordId, Type, TypeId};

/// What declarations say of types, where they say anything.
#[derive(Debug, Default)]
pub struct Spelled {
    variables: HashMap<VariableId, Levels>,
    members: HashMap<(RecordId, u32), Levels>,
    procedures: HashMap<ProcedureId, Levels>,
}

impl Spelled {
    /// Of a variable.
    pub fn variable(&mut self, id: VariableId, levels: &Levels) {
        if levels.tell() {
            self.variables.insert(id, levels.clone());
        }
    }

    /// Those that live as long as the program and are `const`, all of them, and not `volatile`.
    pub fn constants(&self, variables: &[Variable]) -> BTreeSet<VariableId> {
        let lives = |id: &VariableId| matches!(variables[id.0 as usize].storage, Storage::Global | Storage::Static(_));
        let is_constant = |levels: &Levels| levels.constant() && !levels.here();
        let constant = self.variables.iter().filter(|(_, levels)| is_constant(levels)).map(|(id, _)| *id);
        constant.filter(lives).collect()
    }

    /// Of a member.
    pub fn member(&mut self, member: (RecordId, u32), levels: Levels) {
        if levels.tell() {
            self.members.insert(member, levels);
        }
    }

    /// Of a procedure.
    pub fn procedure(&mut self, id: ProcedureId, levels: &Levels) {
        if levels.tell() {
            self.procedures.insert(id, levels.clone());
        }
    }
}

impl Lowering<'_> {
    /// What is said of the type of an expression; nothing if that is not known. A function has become a pointer.
    pub fn said_of(&mut self, node: &Node<ast::Expression>) -> Lowered<Option<Levels>> {
        let ty = self.type_of(node)?;
        let shape = self.shape(ty);
        let known = self.looked_up(node, ty, &shape)?;
        Ok(known.filter(|known| known.is_of(&shape)))
    }

    /// The same, where it might be that of something that is made otherwise.
    fn looked_up(&mut self, node: &Node<ast::Expression>, ty: TypeId, shape: &Levels) -> Lowered<Option<Levels>> {
        let plain = || Some(shape.clone());
        Ok(match &node.node {
            ast::Expression::Identifier(name) => match self.entity(&name.node.name) {
                Some(Entity::Variable(id)) => self.spelled.variables.get(&id).cloned().or_else(plain),
                // It lies where a pointer leads.
                Some(Entity::Dynamic(id, _)) => self.spelled.variables.get(&id).map(Levels::inner).or_else(plain),
                Some(Entity::Procedure(id)) => {
                    self.spelled.procedures.get(&id).cloned().map(Levels::converted).or_else(plain)
                }
                _ => plain(),
            },
            ast::Expression::Constant(_) | ast::Expression::StringLiteral(_) => plain(),
            ast::Expression::Member(member) => {
                let mut record = self.type_of(&member.node.expression)?;
                let Some(mut whole) = self.said_of(&member.node.expression)? else { return Ok(None) };
                if member.node.operator.node == ast::MemberOperator::Indirect {
                    record = self.converted_type(record);
                    record = self.types.pointee(record).unwrap_or(record);
                    whole = whole.converted().inner();
                }
                self.member_said(record, &member.node.identifier.node.name, &whole)
            }
            ast::Expression::Call(call) => self.said_of(&call.node.callee)?.map(|callee| callee.returned()),
            ast::Expression::CompoundLiteral(literal) => Some(self.levels_of_name(&literal.node.type_name)),
            ast::Expression::Cast(cast) => Some(self.levels_of_name(&cast.node.type_name)),
            ast::Expression::VaArg(list) => Some(self.levels_of_name(&list.node.type_name)),
            ast::Expression::UnaryOperator(unary) => match &unary.node.operator.node {
                U::Plus | U::Minus | U::Complement | U::Negate => plain(),
                operator => self.said_of(&unary.node.operand)?.map(|operand| match operator {
                    // Of a function it is the same.
                    U::Address if operand.is_of(shape) => operand,
                    U::Address => operand.made(Made::Pointer, Said::NOTHING),
                    U::Indirection if operand.is_of(shape) => operand,
                    U::Indirection => operand.converted().inner(),
                    _ => operand.converted(),
                }),
            },
            ast::Expression::BinaryOperator(binary) => match &binary.node.operator.node {
                B::Index => {
                    let array = self.pointer_operand(&binary.node.lhs, &binary.node.rhs)?;
                    array.map(|array| array.converted().inner())
                }
                B::Plus | B::Minus if self.types.pointee(ty).is_some() => {
                    self.pointer_operand(&binary.node.lhs, &binary.node.rhs)?.map(Levels::converted)
                }
                operator if is_assignment(operator) => self.said_of(&binary.node.lhs)?.map(Levels::converted),
                _ => plain(),
            },
            // Both sides may say something: that is not put together.
            _ => plain().filter(|_| !self.is_blurred(ty)),
        })
    }

    /// What is said of the pointer, or the array, of two operands.
    fn pointer_operand(
        &mut self,
        left: &Node<ast::Expression>,
        right: &Node<ast::Expression>,
    ) -> Lowered<Option<Levels>> {
        let ty = self.type_of(left)?;
        let ty = self.converted_type(ty);
        self.said_of(if self.types.pointee(ty).is_some() { left } else { right })
    }

    /// The same of a member, those of members without names included: it is qualified as the whole is.
    fn member_said(&self, record: TypeId, name: &str, whole: &Levels) -> Option<Levels> {
        let Type::Record(id) = *self.types.get(record) else { return None };
        let fields = &self.types.as_record(record)?.fields;
        let at = fields.iter().position(|field| &*field.name == name)?;
        let (ty, outer) = (fields[at].ty, whole.0.first()?.said);
        // Of members of members without names nothing is kept.
        let is_own = fields.iter().filter(|field| field.name.is_empty()).all(|field| {
            let inner = self.types.as_record(field.ty);
            inner.is_none_or(|inner| inner.fields.iter().all(|field| &*field.name != name))
        });
        let known = self.spelled.members.get(&(id, u32::try_from(at).ok()?)).cloned();
        let own = known.or_else(|| is_own.then(|| self.shape(ty)))?;
        own.is_of(&self.shape(ty)).then(|| own.qualified(outer))
    }
}

fn is_assignment(operator: &B) -> bool {
    matches!(
        operator,
        B::Assign
            | B::AssignMultiply
            | B::AssignDivide
            | B::AssignModulo
            | B::AssignPlus
            | B::AssignMinus
            | B::AssignShiftLeft
            | B::AssignShiftRight
            | B::AssignBitwiseAnd
            | B::AssignBitwiseXor
            | B::AssignBitwiseOr
    )
}
