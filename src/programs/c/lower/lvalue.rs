//! Lvalues: names, members, elements, what pointers point to, literals that are objects (C11 §6.3.2.1, §6.5.1, §6.5.2).

use lang_c::ast::{self, BinaryOperator as B, UnaryOperator as U};
use lang_c::span::{Node, Span};

use super::lanes::Marked;
use super::scope::Entity;
use super::{Lowered, Lowering, Value};
use crate::c::expression::{ExpressionId, LvalueId, LvalueKind};
use crate::c::program::{Storage, Variable};
use crate::c::types::{Type, TypeId};

impl Lowering<'_> {
    /// What an expression designates.
    pub fn lvalue(&mut self, node: &Node<ast::Expression>) -> Lowered<LvalueId> {
        let outer = std::mem::replace(&mut self.here, node.span);
        let l = self.lvalue_of(node);
        self.here = outer;
        l
    }

    fn lvalue_of(&mut self, node: &Node<ast::Expression>) -> Lowered<LvalueId> {
        match &node.node {
            ast::Expression::Identifier(name) => self.named(name),
            ast::Expression::StringLiteral(literal) => {
                let (units, element) = self.string(&literal.node, literal.span)?;
                self.text_object(units, element, None)
            }
            ast::Expression::Member(member) => self.member(&member.node, node.span),
            ast::Expression::CompoundLiteral(literal) => self.compound_literal(&literal.node, node.span),
            ast::Expression::UnaryOperator(_)
                if let Some((Marked::Part(index), of)) = self.marked(&node.node, node.span) =>
            {
                self.part_object(of, index)
            }
            ast::Expression::UnaryOperator(unary) if unary.node.operator.node == U::Indirection => {
                let pointer = self.followed(&unary.node.operand)?;
                self.pointed(pointer, node.span)
            }
            ast::Expression::BinaryOperator(binary) if binary.node.operator.node == B::Index => {
                self.indexed(&binary.node, node.span)
            }
            ast::Expression::Comma(list) => {
                let last = self.before_last(list)?;
                self.lvalue(last)
            }
            _ => match self.value(node)? {
                Value::Record(l) => Ok(l),
                _ => Err(self.error("this cannot be assigned to, and has no address", node.span)),
            },
        }
    }

    /// The object of a name.
    pub fn named(&mut self, name: &Node<ast::Identifier>) -> Lowered<LvalueId> {
        let text = name.node.name.as_str();
        match self.entity(text) {
            Some(Entity::Variable(id)) => {
                self.mention_variable(id, name.span);
                let ty = self.variables[id.0 as usize].ty;
                Ok(self.around(id, ty))
            }
            Some(Entity::Dynamic(id, ty)) => Ok(self.varying_lvalue(id, ty)),
            Some(Entity::Type(_)) => Err(self.error(format!("`{text}` is a type"), name.span)),
            Some(_) => Err(self.error(format!("`{}` is no object", self.spelled(text)), name.span)),
            None if names_procedure(text) => {
                let procedure = self.body()?.procedure;
                let units = self.procedures[procedure.0 as usize].name.bytes().map(u64::from).chain([0]).collect();
                let char = self.types.integer(crate::c::types::Rank::Char, true);
                // An object of its own (§6.4.2.2).
                let own = text.len() as u64 + (u64::from(procedure.0) << 32);
                self.text_object(units, char, Some(own))
            }
            None => Err(self.unknown_name(text, name.span)),
        }
    }

    /// The constant object that a string literal is; equal literals are one, apart from the name of a procedure in itself.
    pub fn text_object(&mut self, units: Vec<u64>, element: TypeId, own: Option<u64>) -> Lowered<LvalueId> {
        let length = units.len() as u64;
        let ty = self.types.intern(Type::Array(element, length));
        let mut key = units.clone();
        key.push(u64::from(element.0));
        key.extend(own.into_iter().flat_map(|own| [u64::MAX, own]));
        if let Some(&id) = self.literals.get(&key) {
            return Ok(self.terms.lvalue(LvalueKind::Variable(id), ty));
        }
        let name = format!(".text{}", self.literals.len()).into();
        let place = self.place(self.here);
        let id = self.variable(Variable {
            name,
            is_made_up: true,
            ty,
            storage: Storage::Constant,
            place,
            address_taken: true,
        });
        self.literals.insert(key, id);
        let object = self.terms.lvalue(LvalueKind::Variable(id), ty);
        for (index, unit) in (0..).zip(units).filter(|(_, unit)| *unit != 0) {
            let to = self.element(object, element, index);
            let value = self.constant(i128::from(unit), element);
            self.initial.push((to, value));
        }
        Ok(object)
    }

    /// `*p`
    pub fn pointed(&mut self, pointer: ExpressionId, span: Span) -> Lowered<LvalueId> {
        match self.types.pointee(self.ty(pointer)) {
            Some(to) if *self.types.get(to) == Type::Void => {
                Err(self.error("what a pointer to `void` points to has no type", span))
            }
            Some(_) => Ok(self.deref(pointer)),
            None => Err(self.error("this is no pointer", span)),
        }
    }

    /// `a[i]` as `*(a + i)`, and one of the numbers of a vector.
    fn indexed(&mut self, binary: &ast::BinaryOperatorExpression, span: Span) -> Lowered<LvalueId> {
        let mut fork = self.fork(false)?;
        self.beside(&mut fork)?;
        let a = self.value(&binary.lhs)?;
        if let (Value::Record(l), Some(shape)) = (a, self.shape_of(a)) {
            let l = self.kept_lvalue(l, &binary.rhs)?;
            self.beside(&mut fork)?;
            let i = self.scalar(&binary.rhs)?;
            self.join(fork)?;
            let array = self.field(l, 0);
            return Ok(self.terms.lvalue(LvalueKind::Element(array, i), shape.of));
        }
        let a = self.scalar_of(a, binary.lhs.span)?;
        let a = self.kept(a, &binary.rhs)?;
        self.beside(&mut fork)?;
        let i = self.scalar(&binary.rhs)?;
        self.join(fork)?;
        if self.common_float(a, i).is_some() {
            return Err(self.error("an index needs a pointer and a number", span));
        }
        let pointer = match (self.types.pointee(self.ty(a)), self.types.pointee(self.ty(i))) {
            (Some(to), None) if self.types.varies(to) => self.moved_by_count(a, i, span)?,
            (None, Some(to)) if self.types.varies(to) => self.moved_by_count(i, a, span)?,
            (Some(_), None) => self.offset(a, i),
            (None, Some(_)) => self.offset(i, a),
            _ => return Err(self.error("an index needs a pointer and a number", span)),
        };
        self.pointed(pointer, span)
    }

    fn member(&mut self, member: &ast::MemberExpression, span: Span) -> Lowered<LvalueId> {
        let record = match member.operator.node {
            ast::MemberOperator::Direct => self.lvalue(&member.expression)?,
            ast::MemberOperator::Indirect => {
                let pointer = self.scalar(&member.expression)?;
                self.pointed(pointer, span)?
            }
        };
        let name = member.identifier.node.name.as_str();
        let ty = self.terms.at(record).ty;
        match self.path(ty, name) {
            Some(path) => Ok(path.into_iter().fold(record, |record, index| self.field(record, index))),
            None => {
                let shown = self.spelled(name);
                let message = format!("`{}` has no member `{shown}`", self.types.name(ty));
                Err(self.error(message, member.identifier.span))
            }
        }
    }

    /// The members that lead to one, through those without a name.
    pub fn path(&self, ty: TypeId, name: &str) -> Option<Vec<usize>> {
        let mut open = vec![(ty, Vec::new())];
        while let Some((ty, path)) = open.pop() {
            let Some(record) = self.types.as_record(ty) else { continue };
            for (index, field) in record.fields.iter().enumerate() {
                let mut path: Vec<usize> = path.clone();
                path.push(index);
                if !field.name.is_empty() && *field.name == *name {
                    return Some(path);
                }
                if field.name.is_empty() {
                    open.push((field.ty, path));
                }
            }
        }
        None
    }

    fn compound_literal(&mut self, literal: &ast::CompoundLiteral, span: Span) -> Lowered<LvalueId> {
        let ty = self.type_name(&literal.type_name)?;
        if self.types.varies(ty) {
            return Err(self.error("an array whose size varies cannot be initialised", span));
        }
        let list = ast::Initializer::List(literal.initializer_list.clone());
        let list = Node::new(list, span);
        let ty = self.initialised_type(ty, &list)?;
        let object = match &self.body {
            Some(_) => {
                let object = self.intermediate(ty)?;
                self.terms.variable_of(object).into_iter().for_each(|id| self.lives_here(id));
                object
            }
            None => {
                let place = self.place(span);
                let name = format!(".literal{}", self.variables.len()).into();
                let storage = Storage::Global;
                let id = self.variable(Variable { name, is_made_up: true, ty, storage, place, address_taken: true });
                self.terms.lvalue(LvalueKind::Variable(id), ty)
            }
        };
        // One object for each time that its block is entered (§6.5.2.5 p16): evaluated again in it, it is the same.
        self.initialise(object, &list)?;
        Ok(object)
    }

    /// Whether an lvalue is a variable or a member of one: nothing has to be evaluated to know which.
    pub fn is_plain(&self, mut l: LvalueId) -> bool {
        loop {
            match self.terms.at(l).kind {
                LvalueKind::Variable(_) => return true,
                LvalueKind::Field(of, _) => l = of,
                LvalueKind::Deref(_) | LvalueKind::Element(..) => return false,
            }
        }
    }

    /// The same for what an lvalue is reached by.
    pub fn kept_lvalue(&mut self, l: LvalueId, right: &Node<ast::Expression>) -> Lowered<LvalueId> {
        if self.is_plain(l) {
            return Ok(l);
        }
        let lvalue = self.terms.at(l).clone();
        let kind = match lvalue.kind {
            LvalueKind::Variable(_) => return Ok(l),
            LvalueKind::Deref(p) => LvalueKind::Deref(self.kept(p, right)?),
            LvalueKind::Field(of, index) => LvalueKind::Field(self.kept_lvalue(of, right)?, index),
            LvalueKind::Element(of, index) => {
                let of = self.kept_lvalue(of, right)?;
                LvalueKind::Element(of, self.kept(index, right)?)
            }
        };
        Ok(self.terms.lvalue(kind, lvalue.ty))
    }
}

/// Whether a name that is not declared is that of the procedure as an array of characters.
pub fn names_procedure(name: &str) -> bool {
    matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__")
}
