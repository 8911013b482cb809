//! Expressions: effects become statements, in the order from left to right; what remains is a value (C11 §6.5).

use lang_c::ast::{self, BinaryOperator as B, UnaryOperator as U};
use lang_c::span::{Node, Span};

use super::body::Mark;
use super::order;
use super::scope::Entity;
use super::{Lowered, Lowering, Value};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Unary};
use crate::c::program::{StatementKind, Storage, Variable};
use crate::c::types::{Type, TypeId};

impl Lowering<'_> {
    /// The value of an expression.
    pub fn value(&mut self, node: &Node<ast::Expression>) -> Lowered<Value> {
        let outer = std::mem::replace(&mut self.here, node.span);
        let value = self.value_of(node);
        self.here = outer;
        value
    }

    fn value_of(&mut self, node: &Node<ast::Expression>) -> Lowered<Value> {
        match &node.node {
            ast::Expression::Constant(constant) => self.literal(constant),
            ast::Expression::Identifier(name) => self.identifier(name),
            ast::Expression::Call(call) => self.call(call, None),
            ast::Expression::SizeOfTy(size) => {
                let ty = self.type_name(&size.node.0)?;
                self.size_value(ty, node.span)
            }
            ast::Expression::SizeOfVal(size) => {
                let ty = self.type_of(&size.node.0)?;
                self.size_value(ty, node.span)
            }
            ast::Expression::AlignOf(align) => {
                let ty = self.type_name(&align.node.0)?;
                let align = self.types.layout(ty).map_or(1, |(_, align)| align);
                let size = self.types.size_type();
                Ok(Value::Scalar(self.constant(i128::from(align), size)))
            }
            ast::Expression::UnaryOperator(unary) => self.unary_value(&unary.node, node.span),
            ast::Expression::Cast(cast) => {
                let ty = self.type_name(&cast.node.type_name)?;
                self.cast(ty, &cast.node.expression)
            }
            ast::Expression::BinaryOperator(binary) => self.binary_value(&binary.node, node),
            ast::Expression::Conditional(conditional) => self.conditional(&conditional.node),
            ast::Expression::Comma(list) => {
                let (last, before) = list.split_last().ok_or(super::Refused)?;
                for e in before {
                    self.effects(e)?;
                }
                self.value(last)
            }
            ast::Expression::OffsetOf(offset) => self.offset_of(&offset.node, node.span),
            ast::Expression::VaArg(argument) => {
                let ty = self.type_name(&argument.node.type_name)?;
                self.unrepresented(ty, "an argument beyond those that are declared")
            }
            ast::Expression::Statement(statement) => self.statement_value(statement),
            ast::Expression::GenericSelection(_) => Err(self.error("`_Generic` is not supported", node.span)),
            ast::Expression::StringLiteral(_) | ast::Expression::Member(_) | ast::Expression::CompoundLiteral(_) => {
                let l = self.lvalue(node)?;
                Ok(self.content(l))
            }
        }
    }

    /// The value of a scalar expression.
    pub fn scalar(&mut self, node: &Node<ast::Expression>) -> Lowered<ExpressionId> {
        match self.value(node)? {
            Value::Scalar(e) => Ok(e),
            Value::Opaque(_) => {
                let int = self.types.int();
                self.here = node.span;
                self.unknown(int, "a floating-point value")
            }
            Value::Record(_) => Err(self.error("a structure where a number or a pointer is needed", node.span)),
            Value::Void => Err(self.error("this has no value", node.span)),
        }
    }

    /// What an lvalue holds: arrays as pointers to their first elements.
    pub fn content(&mut self, l: LvalueId) -> Value {
        let ty = self.terms.at(l).ty;
        match self.types.get(ty) {
            Type::Integer(_) | Type::Pointer(_) => Value::Scalar(self.read(l)),
            Type::Array(..) => Value::Scalar(self.decayed(l)),
            Type::Record(_) => Value::Record(l),
            Type::Opaque(_) => Value::Opaque(ty),
            Type::Void => Value::Void,
            // `*f` for a pointer to a function is that pointer.
            Type::Function(..) => match self.terms.at(l).kind {
                LvalueKind::Deref(pointer) => Value::Scalar(pointer),
                _ => Value::Void,
            },
        }
    }

    /// A value of which nothing is known.
    fn unrepresented(&mut self, ty: TypeId, what: &str) -> Lowered<Value> {
        if self.types.is_scalar(ty) {
            return Ok(Value::Scalar(self.unknown(ty, what)?));
        }
        match self.types.get(ty) {
            Type::Opaque(_) => Ok(Value::Opaque(ty)),
            Type::Record(_) => {
                let to = self.intermediate(ty)?;
                let reason = self.reason(what)?;
                self.emit(StatementKind::Havoc(to, reason))?;
                Ok(Value::Record(to))
            }
            _ => Ok(Value::Void),
        }
    }

    fn identifier(&mut self, name: &Node<ast::Identifier>) -> Lowered<Value> {
        let text = name.node.name.as_str();
        match self.entity(text) {
            Some(Entity::Number(number, ty)) => Ok(Value::Scalar(self.constant(number, ty))),
            Some(Entity::Procedure(id)) => {
                let ty = self.known[id.0 as usize].ty;
                let pointer = self.types.pointer(ty);
                Ok(Value::Scalar(self.terms.expression(ExpressionKind::Procedure(id), pointer)))
            }
            _ => {
                let l = self.named(name)?;
                Ok(self.content(l))
            }
        }
    }

    /// The object of a name.
    fn named(&mut self, name: &Node<ast::Identifier>) -> Lowered<LvalueId> {
        let text = name.node.name.as_str();
        match self.entity(text) {
            Some(Entity::Variable(id)) => {
                let ty = self.variables[id.0 as usize].ty;
                Ok(self.terms.lvalue(LvalueKind::Variable(id), ty))
            }
            Some(Entity::Dynamic(id)) => {
                let pointer = self.variables[id.0 as usize].ty;
                let to = self.terms.lvalue(LvalueKind::Variable(id), pointer);
                let pointer = self.read(to);
                Ok(self.deref_as_array(pointer))
            }
            Some(Entity::Type(_)) => Err(self.error(format!("`{text}` is a type"), name.span)),
            Some(_) => Err(self.error(format!("`{}` is no object", self.spelled(text)), name.span)),
            None if matches!(text, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") => {
                let procedure = self.body()?.procedure;
                let units = self.procedures[procedure.0 as usize].name.bytes().map(u64::from).chain([0]).collect();
                let char = self.types.integer(crate::c::types::Rank::Char, true);
                self.text_object(units, char)
            }
            None => Err(self.unknown_name(text, name.span)),
        }
    }

    /// `*p` where p stands for an array whose length varies: its length is not known, that of the object is.
    fn deref_as_array(&mut self, pointer: ExpressionId) -> LvalueId {
        let element = self.types.pointee(self.ty(pointer)).unwrap_or_else(|| self.types.int());
        let array = self.types.intern(Type::Array(element, 0));
        let to_array = self.types.pointer(array);
        let whole = self.terms.expression(ExpressionKind::Convert(pointer), to_array);
        self.terms.lvalue(LvalueKind::Deref(whole), array)
    }

    /// The constant object that a string literal is; equal literals are one.
    fn text_object(&mut self, units: Vec<u64>, element: TypeId) -> Lowered<LvalueId> {
        let length = units.len() as u64;
        let ty = self.types.intern(Type::Array(element, length));
        let mut key = units.clone();
        key.push(u64::from(element.0));
        if let Some(&id) = self.literals.get(&key) {
            return Ok(self.terms.lvalue(LvalueKind::Variable(id), ty));
        }
        let name = format!(".text{}", self.literals.len()).into();
        let place = self.place(self.here);
        let id = self.variable(Variable { name, ty, storage: Storage::Constant, place, address_taken: true });
        self.literals.insert(key, id);
        let object = self.terms.lvalue(LvalueKind::Variable(id), ty);
        for (index, unit) in (0..).zip(units).filter(|(_, unit)| *unit != 0) {
            let to = self.element(object, element, index);
            let value = self.constant(i128::from(unit), element);
            self.initial.push((to, value));
        }
        Ok(object)
    }

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
                self.text_object(units, element)
            }
            ast::Expression::Member(member) => self.member(&member.node, node.span),
            ast::Expression::CompoundLiteral(literal) => self.compound_literal(&literal.node, node.span),
            ast::Expression::UnaryOperator(unary) if unary.node.operator.node == U::Indirection => {
                let pointer = self.scalar(&unary.node.operand)?;
                self.pointed(pointer, node.span)
            }
            ast::Expression::BinaryOperator(binary) if binary.node.operator.node == B::Index => {
                let pointer = self.indexed(&binary.node, node.span)?;
                self.pointed(pointer, node.span)
            }
            ast::Expression::Comma(list) => {
                let (last, before) = list.split_last().ok_or(super::Refused)?;
                for e in before {
                    self.effects(e)?;
                }
                self.lvalue(last)
            }
            _ => match self.value(node)? {
                Value::Record(l) => Ok(l),
                _ => Err(self.error("this cannot be assigned to, and has no address", node.span)),
            },
        }
    }

    /// `*p`
    fn pointed(&mut self, pointer: ExpressionId, span: Span) -> Lowered<LvalueId> {
        match self.types.pointee(self.ty(pointer)) {
            Some(to) if *self.types.get(to) == Type::Void => {
                Err(self.error("what a pointer to `void` points to has no type", span))
            }
            Some(_) => Ok(self.deref(pointer)),
            None => Err(self.error("this is no pointer", span)),
        }
    }

    /// `a[i]` as `a + i`
    fn indexed(&mut self, binary: &ast::BinaryOperatorExpression, span: Span) -> Lowered<ExpressionId> {
        let (a, i) = self.operands(&binary.lhs, &binary.rhs)?;
        match (self.types.pointee(self.ty(a)), self.types.pointee(self.ty(i))) {
            (Some(_), None) => Ok(self.offset(a, i)),
            (None, Some(_)) => Ok(self.offset(i, a)),
            _ => Err(self.error("an index needs a pointer and a number", span)),
        }
    }

    /// Two scalar operands, from left to right.
    fn operands(
        &mut self,
        a: &Node<ast::Expression>,
        b: &Node<ast::Expression>,
    ) -> Lowered<(ExpressionId, ExpressionId)> {
        let left = self.scalar(a)?;
        let left = self.kept(left, b)?;
        Ok((left, self.scalar(b)?))
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
    fn path(&self, ty: TypeId, name: &str) -> Option<Vec<usize>> {
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
        let list = ast::Initializer::List(literal.initializer_list.clone());
        let list = Node::new(list, span);
        let ty = self.initialised_type(ty, &list)?;
        let object = match &self.body {
            Some(_) => self.intermediate(ty)?,
            None => {
                let place = self.place(span);
                let name = format!(".literal{}", self.variables.len()).into();
                let storage = Storage::Global;
                let id = self.variable(Variable { name, ty, storage, place, address_taken: true });
                self.terms.lvalue(LvalueKind::Variable(id), ty)
            }
        };
        if let (Some(body), LvalueKind::Variable(id)) = (&mut self.body, self.terms.at(object).kind.clone()) {
            body.emit(StatementKind::Declare(id));
        }
        self.initialise(object, &list)?;
        Ok(object)
    }

    fn size_value(&mut self, ty: TypeId, span: Span) -> Lowered<Value> {
        let size = match self.types.get(ty) {
            // As gcc has it.
            Type::Void | Type::Function(..) => Some(1),
            Type::Array(_, 0) => None,
            _ => self.types.size(ty),
        };
        let Some(size) = size else {
            let message = format!("the size of `{}` is not known here", self.types.name(ty));
            return Err(self.error(message, span));
        };
        let ty = self.types.size_type();
        Ok(Value::Scalar(self.constant(i128::from(size), ty)))
    }

    /// The type of an expression that is not evaluated.
    pub fn type_of(&mut self, node: &Node<ast::Expression>) -> Lowered<TypeId> {
        if let ast::Expression::StringLiteral(literal) = &node.node {
            let (units, element) = self.string(&literal.node, literal.span)?;
            return Ok(self.types.intern(Type::Array(element, units.len() as u64)));
        }
        let designates = match &node.node {
            ast::Expression::Identifier(name) => matches!(self.entity(&name.node.name), Some(Entity::Variable(_))),
            ast::Expression::Member(_) | ast::Expression::CompoundLiteral(_) => true,
            ast::Expression::UnaryOperator(unary) => unary.node.operator.node == U::Indirection,
            ast::Expression::BinaryOperator(binary) => binary.node.operator.node == B::Index,
            _ => false,
        };
        let before = self.body.as_ref().map(|body| (body.statements.len(), body.locals.len()));
        let ty = if designates {
            self.lvalue(node).map(|l| self.terms.at(l).ty)
        } else {
            let value = self.value(node);
            value.map(|value| match value {
                Value::Scalar(e) => self.ty(e),
                Value::Record(l) => self.terms.at(l).ty,
                Value::Opaque(ty) => ty,
                Value::Void => self.types.void(),
            })
        };
        if let (Some((statements, locals)), Some(body)) = (before, &mut self.body) {
            body.statements.truncate(statements);
            body.locals.truncate(locals);
        }
        ty
    }

    fn offset_of(&mut self, node: &ast::OffsetOfExpression, span: Span) -> Lowered<Value> {
        let ty = self.type_name(&node.type_name)?;
        let mut at = ty;
        let mut offset = 0u64;
        let members = node.designator.node.members.iter().filter_map(|member| match &member.node {
            ast::OffsetMember::Member(name) => Some(&name.node.name),
            _ => None,
        });
        if node.designator.node.members.iter().any(|member| !matches!(member.node, ast::OffsetMember::Member(_))) {
            return Err(self.error("only members are supported here", span));
        }
        for name in std::iter::once(&node.designator.node.base.node.name).chain(members) {
            let Some(path) = self.path(at, name) else {
                return Err(self.error(format!("there is no member `{name}`"), span));
            };
            for index in path {
                let Some(field) = self.types.as_record(at).map(|record| record.fields[index].clone()) else { break };
                offset += field.offset;
                at = field.ty;
            }
        }
        let size = self.types.size_type();
        Ok(Value::Scalar(self.constant(i128::from(offset), size)))
    }

    fn unary_value(&mut self, unary: &ast::UnaryOperatorExpression, span: Span) -> Lowered<Value> {
        match unary.operator.node {
            U::PostIncrement | U::PreIncrement => self.step(unary, Binary::Add, true, span),
            U::PostDecrement | U::PreDecrement => self.step(unary, Binary::Subtract, true, span),
            U::Address => {
                if let ast::Expression::Identifier(name) = &unary.operand.node
                    && let Some(Entity::Procedure(_)) = self.entity(&name.node.name)
                {
                    return self.identifier(name);
                }
                let l = self.lvalue(&unary.operand)?;
                Ok(Value::Scalar(self.address(l)))
            }
            U::Indirection => {
                let pointer = self.scalar(&unary.operand)?;
                let pointee = self.types.pointee(self.ty(pointer));
                if pointee.is_some_and(|to| matches!(self.types.get(to), Type::Function(..))) {
                    return Ok(Value::Scalar(pointer));
                }
                let l = self.pointed(pointer, span)?;
                Ok(self.content(l))
            }
            U::Negate => {
                let e = self.truth(&unary.operand)?;
                Ok(Value::Scalar(self.negated(e)))
            }
            U::Plus | U::Minus | U::Complement => {
                let value = self.value(&unary.operand)?;
                let Value::Scalar(e) = value else { return Ok(value) };
                if self.types.as_integer(self.ty(e)).is_none() {
                    return Err(self.error("this operator needs a number", span));
                }
                let e = self.promote(e);
                Ok(Value::Scalar(match unary.operator.node {
                    U::Minus => self.unary(Unary::Negate, e),
                    U::Complement => self.unary(Unary::Complement, e),
                    _ => e,
                }))
            }
        }
    }

    /// `!e`; comparisons are turned round.
    fn negated(&mut self, e: ExpressionId) -> ExpressionId {
        use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual, Unequal};
        if let ExpressionKind::Binary(op, a, b) = self.terms.get(e).kind {
            let other = match op {
                Equal => Unequal,
                Unequal => Equal,
                Less => GreaterEqual,
                LessEqual => Greater,
                Greater => LessEqual,
                GreaterEqual => Less,
                _ => return self.unary(Unary::Not, e),
            };
            return self.binary(other, a, b);
        }
        self.unary(Unary::Not, e)
    }

    /// A scalar as a condition: any value but 0 counts as true.
    fn truth(&mut self, node: &Node<ast::Expression>) -> Lowered<ExpressionId> {
        self.scalar(node)
    }

    /// `x++` and its kin; the value is asked for or not.
    fn step(&mut self, unary: &ast::UnaryOperatorExpression, op: Binary, asked: bool, span: Span) -> Lowered<Value> {
        let post = matches!(unary.operator.node, U::PostIncrement | U::PostDecrement);
        let l = self.lvalue(&unary.operand)?;
        let ty = self.terms.at(l).ty;
        if matches!(self.types.get(ty), Type::Opaque(_)) {
            return Ok(Value::Opaque(ty));
        }
        if !self.types.is_scalar(ty) {
            return Err(self.error("this operator needs a number or a pointer", span));
        }
        let old = self.read(l);
        let old = if post && asked { self.saved(old)? } else { old };
        let one = self.int_constant(1);
        let new = self.sum(op, old, one, span)?;
        let new = self.convert(new, ty)?;
        self.assign(l, new)?;
        Ok(Value::Scalar(if post { old } else { self.read(l) }))
    }

    /// `a + b` or `a - b` of numbers and pointers.
    fn sum(&mut self, op: Binary, a: ExpressionId, b: ExpressionId, span: Span) -> Lowered<ExpressionId> {
        let pointers = (self.types.pointee(self.ty(a)), self.types.pointee(self.ty(b)));
        match (pointers, op) {
            ((None, None), _) => Ok(self.arithmetic(op, a, b)),
            ((Some(_), None), Binary::Add) => self.moved(a, b, span),
            ((None, Some(_)), Binary::Add) => self.moved(b, a, span),
            ((Some(_), None), _) => {
                let distance = self.types.difference_type();
                let b = self.convert_integer(b, distance);
                let back = self.unary(Unary::Negate, b);
                self.moved(a, back, span)
            }
            ((Some(_), Some(_)), Binary::Subtract) => {
                let b = self.convert(b, self.ty(a))?;
                let ty = self.types.difference_type();
                Ok(self.terms.expression(ExpressionKind::Distance(a, b), ty))
            }
            _ => Err(self.error("these operands cannot be added", span)),
        }
    }

    fn moved(&mut self, pointer: ExpressionId, by: ExpressionId, span: Span) -> Lowered<ExpressionId> {
        let Some(pointee) = self.types.pointee(self.ty(pointer)) else { return Ok(pointer) };
        match self.types.get(pointee) {
            // As gcc has it: steps of one byte.
            Type::Void | Type::Function(..) => {
                let (char, ty) = (self.types.integer(crate::c::types::Rank::Char, true), self.ty(pointer));
                let to_char = self.types.pointer(char);
                let bytes = self.convert(pointer, to_char)?;
                let moved = self.offset(bytes, by);
                self.convert(moved, ty)
            }
            _ if self.types.size(pointee).is_none() => {
                Err(self.error("the size of what this points to is not known", span))
            }
            _ => Ok(self.offset(pointer, by)),
        }
    }

    fn cast(&mut self, ty: TypeId, operand: &Node<ast::Expression>) -> Lowered<Value> {
        if *self.types.get(ty) == Type::Void {
            self.effects(operand)?;
            return Ok(Value::Void);
        }
        if let Some(site) = self.allocation(operand, ty)? {
            return Ok(Value::Scalar(site));
        }
        let value = self.value(operand)?;
        match value {
            Value::Scalar(e) if self.types.is_scalar(ty) => Ok(Value::Scalar(self.convert(e, ty)?)),
            Value::Scalar(_) | Value::Opaque(_) if matches!(self.types.get(ty), Type::Opaque(_)) => {
                Ok(Value::Opaque(ty))
            }
            Value::Opaque(_) if self.types.is_scalar(ty) => {
                Ok(Value::Scalar(self.unknown(ty, "a floating-point value")?))
            }
            Value::Record(l) if self.terms.at(l).ty == ty => Ok(value),
            _ => {
                let message = format!("this cannot be converted to `{}`", self.types.name(ty));
                Err(self.error(message, operand.span))
            }
        }
    }

    fn binary_value(&mut self, binary: &ast::BinaryOperatorExpression, node: &Node<ast::Expression>) -> Lowered<Value> {
        match binary.operator.node {
            B::Index => {
                let l = self.lvalue(node)?;
                Ok(self.content(l))
            }
            B::LogicalAnd | B::LogicalOr => self.connective(binary, node),
            B::Assign => self.assignment(binary, true, node.span),
            ref op => match compound(op) {
                Some(op) => self.compound_assignment(op, binary, node.span),
                None => {
                    let op = simple(op).ok_or(super::Refused)?;
                    self.operation(op, binary, node.span)
                }
            },
        }
    }

    fn operation(&mut self, op: Binary, binary: &ast::BinaryOperatorExpression, span: Span) -> Lowered<Value> {
        let left = self.value(&binary.lhs)?;
        let left = match left {
            Value::Scalar(e) => Value::Scalar(self.kept(e, &binary.rhs)?),
            other => other,
        };
        let right = self.value(&binary.rhs)?;
        self.operated(op, left, right, span)
    }

    /// `a op b` for two values.
    fn operated(&mut self, op: Binary, a: Value, b: Value, span: Span) -> Lowered<Value> {
        let (a, b) = match (a, b) {
            (Value::Scalar(a), Value::Scalar(b)) => (a, b),
            (Value::Opaque(ty), Value::Opaque(_) | Value::Scalar(_)) | (Value::Scalar(_), Value::Opaque(ty)) => {
                if !op.is_truth() {
                    return Ok(Value::Opaque(ty));
                }
                let int = self.types.int();
                return Ok(Value::Scalar(self.unknown(int, "a comparison of floating-point values")?));
            }
            _ => return Err(self.error("this operator needs numbers", span)),
        };
        let pointers = self.types.pointee(self.ty(a)).is_some() || self.types.pointee(self.ty(b)).is_some();
        let e = match op {
            Binary::Add | Binary::Subtract => self.sum(op, a, b, span)?,
            _ if op.is_truth() && pointers => {
                let ty =
                    if self.types.pointee(self.ty(a)).is_some() && !self.is_null(a) { self.ty(a) } else { self.ty(b) };
                let ty = if self.types.pointee(ty).is_some() { ty } else { self.ty(a) };
                let (a, b) = (self.convert(a, ty)?, self.convert(b, ty)?);
                self.binary(op, a, b)
            }
            _ if pointers => return Err(self.error("this operator needs numbers", span)),
            _ => self.arithmetic(op, a, b),
        };
        Ok(Value::Scalar(e))
    }

    /// `a && b`, `a || b` as a number: constants are decided, all else is a branch.
    fn connective(&mut self, binary: &ast::BinaryOperatorExpression, node: &Node<ast::Expression>) -> Lowered<Value> {
        if self.body.is_none() {
            let a = self.scalar(&binary.lhs)?;
            let and = binary.operator.node == B::LogicalAnd;
            let Some(left) = self.folded(a) else { return Err(self.error("this is not constant", node.span)) };
            if (left != 0) != and {
                return Ok(Value::Scalar(self.int_constant(i128::from(!and))));
            }
            let b = self.scalar(&binary.rhs)?;
            let Some(right) = self.folded(b) else { return Err(self.error("this is not constant", node.span)) };
            return Ok(Value::Scalar(self.int_constant(i128::from(right != 0))));
        }
        let int = self.types.int();
        let to = self.intermediate(int)?;
        let (yes, no, end) = self.three_marks()?;
        self.condition(node, yes, no)?;
        self.body()?.place_mark(yes);
        let one = self.int_constant(1);
        self.assign(to, one)?;
        self.body()?.goto(end);
        self.body()?.place_mark(no);
        let zero = self.int_constant(0);
        self.assign(to, zero)?;
        self.body()?.place_mark(end);
        Ok(Value::Scalar(self.read(to)))
    }

    fn three_marks(&mut self) -> Lowered<(Mark, Mark, Mark)> {
        let body = self.body()?;
        Ok((body.mark(), body.mark(), body.mark()))
    }

    /// Goes to one label or another, by a condition (§6.8.4.1); connectives become branches.
    pub fn condition(&mut self, node: &Node<ast::Expression>, yes: Mark, no: Mark) -> Lowered<()> {
        match &node.node {
            ast::Expression::BinaryOperator(binary)
                if matches!(binary.node.operator.node, B::LogicalAnd | B::LogicalOr) =>
            {
                let second = self.body()?.mark();
                if binary.node.operator.node == B::LogicalAnd {
                    self.condition(&binary.node.lhs, second, no)?;
                } else {
                    self.condition(&binary.node.lhs, yes, second)?;
                }
                self.body()?.place_mark(second);
                self.condition(&binary.node.rhs, yes, no)
            }
            ast::Expression::UnaryOperator(unary) if unary.node.operator.node == U::Negate => {
                self.condition(&unary.node.operand, no, yes)
            }
            _ => {
                let e = self.scalar(node)?;
                match self.folded(e) {
                    Some(bits) => self.body()?.goto(if bits != 0 { yes } else { no }),
                    None => self.body()?.branch(e, yes, no),
                }
                Ok(())
            }
        }
    }

    /// `a ? b : c`
    fn conditional(&mut self, node: &ast::ConditionalExpression) -> Lowered<Value> {
        if self.body.is_none() {
            let condition = self.scalar(&node.condition)?;
            let Some(bits) = self.folded(condition) else {
                return Err(self.error("this is not constant", node.condition.span));
            };
            let chosen = if bits != 0 { &node.then_expression } else { &node.else_expression };
            return self.value(chosen);
        }
        let (yes, no, end) = self.three_marks()?;
        self.condition(&node.condition, yes, no)?;
        self.body()?.place_mark(yes);
        let first = self.value(&node.then_expression)?;
        // What is assigned there depends on the type of the other.
        let hole = self.body()?.statements.len();
        self.body()?.emit(StatementKind::Skip);
        self.body()?.goto(end);
        self.body()?.place_mark(no);
        let second = self.value(&node.else_expression)?;
        let value = match (first, second) {
            (Value::Scalar(a), Value::Scalar(b)) => self.either(a, b, hole)?,
            (Value::Opaque(ty), Value::Opaque(_) | Value::Scalar(_)) | (Value::Scalar(_), Value::Opaque(ty)) => {
                Value::Opaque(ty)
            }
            (Value::Record(a), Value::Record(b)) => {
                // Which of the two is a question of addresses.
                let ty = self.terms.at(a).ty;
                let pointer = self.types.pointer(ty);
                let to = self.intermediate(pointer)?;
                let (a, b) = (self.address(a), self.address(b));
                self.body()?.statements[hole].kind = StatementKind::Assign(to, a);
                self.assign(to, b)?;
                let pointer = self.read(to);
                Value::Record(self.deref(pointer))
            }
            _ => Value::Void,
        };
        self.body()?.place_mark(end);
        Ok(value)
    }

    /// The value of one of two branches: the first is assigned at the hole, the second here.
    fn either(&mut self, a: ExpressionId, b: ExpressionId, hole: usize) -> Lowered<Value> {
        let (p, q) = (self.types.pointee(self.ty(a)), self.types.pointee(self.ty(b)));
        let ty = match (p, q) {
            (None, None) => {
                let (x, _) = self.balanced(a, b);
                self.ty(x)
            }
            (Some(_), None) => self.ty(a),
            (None, Some(_)) => self.ty(b),
            (Some(p), Some(_)) => {
                let void = *self.types.get(p) == Type::Void;
                if self.is_null(a) || (void && !self.is_null(b)) {
                    if void && !self.is_null(a) { self.ty(a) } else { self.ty(b) }
                } else {
                    self.ty(a)
                }
            }
        };
        let to = self.intermediate(ty)?;
        let a = match self.types.as_integer(ty) {
            Some(_) if p.is_none() => self.convert_integer(a, ty),
            _ if p.is_some() || self.is_null(a) => self.convert(a, ty)?,
            _ => return Err(self.error("a number and a pointer", self.here)),
        };
        self.body()?.statements[hole].kind = StatementKind::Assign(to, a);
        let b = self.convert(b, ty)?;
        self.assign(to, b)?;
        Ok(Value::Scalar(self.read(to)))
    }

    fn assignment(&mut self, binary: &ast::BinaryOperatorExpression, asked: bool, span: Span) -> Lowered<Value> {
        let to = self.lvalue(&binary.lhs)?;
        let ty = self.terms.at(to).ty;
        if self.types.is_scalar(ty) {
            if let (Some(call), true) = (self.direct(&binary.rhs), self.is_plain(to)) {
                self.call_into(call, to)?;
                return Ok(Value::Scalar(self.read(to)));
            }
            if let Some(site) = self.allocation(&binary.rhs, ty)? {
                self.assign(to, site)?;
                return Ok(Value::Scalar(self.read(to)));
            }
        }
        let to = self.kept_lvalue(to, &binary.rhs)?;
        let value = self.value(&binary.rhs)?;
        self.store(to, value, span)?;
        Ok(if asked { self.content(to) } else { Value::Void })
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

    fn compound_assignment(
        &mut self,
        op: Binary,
        binary: &ast::BinaryOperatorExpression,
        span: Span,
    ) -> Lowered<Value> {
        let to = self.lvalue(&binary.lhs)?;
        let to = self.kept_lvalue(to, &binary.rhs)?;
        let old = self.content(to);
        let old = match old {
            Value::Scalar(e) => Value::Scalar(self.kept(e, &binary.rhs)?),
            other => other,
        };
        let right = self.value(&binary.rhs)?;
        let new = self.operated(op, old, right, span)?;
        self.store(to, new, span)?;
        Ok(self.content(to))
    }

    /// An expression for its effects only.
    pub fn effects(&mut self, node: &Node<ast::Expression>) -> Lowered<()> {
        let outer = std::mem::replace(&mut self.here, node.span);
        let done = self.effects_of(node);
        self.here = outer;
        done
    }

    fn effects_of(&mut self, node: &Node<ast::Expression>) -> Lowered<()> {
        match &node.node {
            ast::Expression::UnaryOperator(unary) => match unary.node.operator.node {
                U::PostIncrement | U::PreIncrement => self.step(&unary.node, Binary::Add, false, node.span).map(drop),
                U::PostDecrement | U::PreDecrement => {
                    self.step(&unary.node, Binary::Subtract, false, node.span).map(drop)
                }
                _ => self.value(node).map(drop),
            },
            ast::Expression::BinaryOperator(binary) if binary.node.operator.node == B::Assign => {
                self.assignment(&binary.node, false, node.span).map(drop)
            }
            ast::Expression::BinaryOperator(binary)
                if matches!(binary.node.operator.node, B::LogicalAnd | B::LogicalOr) =>
            {
                let (second, end) = {
                    let body = self.body()?;
                    (body.mark(), body.mark())
                };
                if binary.node.operator.node == B::LogicalAnd {
                    self.condition(&binary.node.lhs, second, end)?;
                } else {
                    self.condition(&binary.node.lhs, end, second)?;
                }
                self.body()?.place_mark(second);
                self.effects(&binary.node.rhs)?;
                self.body()?.place_mark(end);
                Ok(())
            }
            ast::Expression::Conditional(conditional) => {
                let (yes, no, end) = self.three_marks()?;
                self.condition(&conditional.node.condition, yes, no)?;
                self.body()?.place_mark(yes);
                self.effects(&conditional.node.then_expression)?;
                self.body()?.goto(end);
                self.body()?.place_mark(no);
                self.effects(&conditional.node.else_expression)?;
                self.body()?.place_mark(end);
                Ok(())
            }
            ast::Expression::Comma(list) => list.iter().try_for_each(|e| self.effects(e)),
            ast::Expression::Cast(cast) => {
                let ty = self.type_name(&cast.node.type_name)?;
                if *self.types.get(ty) == Type::Void {
                    self.effects(&cast.node.expression)
                } else {
                    self.value(node).map(drop)
                }
            }
            _ => self.value(node).map(drop),
        }
    }

    /// `({ … })`: the value of its last statement.
    fn statement_value(&mut self, node: &Node<ast::Statement>) -> Lowered<Value> {
        let ast::Statement::Compound(items) = &node.node else { return Err(super::Refused) };
        self.body()?;
        self.scoped(|this| {
            let Some((last, before)) = items.split_last() else { return Ok(Value::Void) };
            for item in before {
                this.item(item)?;
            }
            match &last.node {
                ast::BlockItem::Statement(statement) => match &statement.node {
                    ast::Statement::Expression(Some(e)) => {
                        let value = this.value(e)?;
                        // What it reads may be gone or changed when it is used.
                        match value {
                            Value::Scalar(e) => Ok(Value::Scalar(this.saved(e)?)),
                            other => Ok(other),
                        }
                    }
                    _ => this.statement(statement).map(|()| Value::Void),
                },
                _ => this.item(last).map(|()| Value::Void),
            }
        })
    }

    /// The value of an expression on the left, kept if the expression on its right can change what it reads.
    pub fn kept(&mut self, e: ExpressionId, right: &Node<ast::Expression>) -> Lowered<ExpressionId> {
        let effects = order::effects(right);
        if effects.none() || !self.affected(e, &effects) { Ok(e) } else { self.saved(e) }
    }

    /// The same for what an lvalue is reached by.
    fn kept_lvalue(&mut self, l: LvalueId, right: &Node<ast::Expression>) -> Lowered<LvalueId> {
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

fn simple(op: &B) -> Option<Binary> {
    Some(match op {
        B::Multiply => Binary::Multiply,
        B::Divide => Binary::Divide,
        B::Modulo => Binary::Remainder,
        B::Plus => Binary::Add,
        B::Minus => Binary::Subtract,
        B::ShiftLeft => Binary::ShiftLeft,
        B::ShiftRight => Binary::ShiftRight,
        B::Less => Binary::Less,
        B::Greater => Binary::Greater,
        B::LessOrEqual => Binary::LessEqual,
        B::GreaterOrEqual => Binary::GreaterEqual,
        B::Equals => Binary::Equal,
        B::NotEquals => Binary::Unequal,
        B::BitwiseAnd => Binary::And,
        B::BitwiseXor => Binary::Xor,
        B::BitwiseOr => Binary::Or,
        _ => return None,
    })
}

fn compound(op: &B) -> Option<Binary> {
    Some(match op {
        B::AssignMultiply => Binary::Multiply,
        B::AssignDivide => Binary::Divide,
        B::AssignModulo => Binary::Remainder,
        B::AssignPlus => Binary::Add,
        B::AssignMinus => Binary::Subtract,
        B::AssignShiftLeft => Binary::ShiftLeft,
        B::AssignShiftRight => Binary::ShiftRight,
        B::AssignBitwiseAnd => Binary::And,
        B::AssignBitwiseXor => Binary::Xor,
        B::AssignBitwiseOr => Binary::Or,
        _ => return None,
    })
}
