//! Expressions: effects become statements, in the order from left to right; what remains is a value (C11 §6.5).

use lang_c::ast::{self, BinaryOperator as B, UnaryOperator as U};
use lang_c::span::{Node, Span};

use super::branch::is_omitted;
use super::inner;
use super::lanes::{Kind, Marked};
use super::lvalue::names_procedure;
use super::order::{self, assigns};
use super::scope::Entity;
use super::{Lowered, Lowering, Value};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::program::StatementKind;
use crate::c::types::{Type, TypeId};

impl Lowering<'_> {
    /// The value of an expression.
    pub fn value(&mut self, node: &Node<ast::Expression>) -> Lowered<Value> {
        self.unordered(node, |this| {
            let outer = std::mem::replace(&mut this.here, node.span);
            let value = this.value_of(node);
            this.here = outer;
            this.observed(value?)
        })
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
                let (ty, own) = self.aligned_type_name(&align.node.0)?;
                let align =
                    own.or_else(|| self.types.layout(self.types.fixed(ty)).map(|(_, align)| align)).unwrap_or(1);
                let size = self.types.size_type();
                Ok(Value::Scalar(self.constant(i128::from(align), size)))
            }
            ast::Expression::UnaryOperator(unary) => match self.marked(&node.node, node.span) {
                Some((Marked::Alignment, of)) => self.alignment_value(of),
                Some((Marked::Part(index), of)) => self.part_value(of, index),
                None => self.unary_value(&unary.node, node.span),
            },
            ast::Expression::Cast(cast) => {
                let ty = self.type_name(&cast.node.type_name)?;
                let value = self.cast(ty, &cast.node.expression)?;
                self.led_by(value, &cast.node.type_name)
            }
            ast::Expression::BinaryOperator(binary) => self.binary_value(&binary.node, node),
            ast::Expression::Conditional(conditional) => self.conditional(&conditional.node),
            ast::Expression::Comma(list) => {
                let last = self.before_last(list)?;
                self.value(last)
            }
            ast::Expression::OffsetOf(offset) => self.offset_of(&offset.node, node.span),
            ast::Expression::VaArg(argument) => {
                let ty = self.type_name(&argument.node.type_name)?;
                self.next_argument(&argument.node.va_list, ty)
            }
            ast::Expression::Statement(statement) => self.statement_value(statement),
            ast::Expression::GenericSelection(selection) => {
                let selected = self.selected(&selection.node, node.span)?;
                self.value(selected)
            }
            ast::Expression::StringLiteral(_) | ast::Expression::Member(_) | ast::Expression::CompoundLiteral(_) => {
                let l = self.lvalue(node)?;
                self.loaded(l)
            }
        }
    }

    /// The effects of the expressions before a comma; the last one.
    pub fn before_last<'n>(&mut self, list: &'n [Node<ast::Expression>]) -> Lowered<&'n Node<ast::Expression>> {
        let (last, before) = list.split_last().ok_or(super::Refused)?;
        let start = self.now();
        for e in before {
            self.effects(e)?;
            self.settle(start)?;
        }
        Ok(last)
    }

    /// The value of a scalar expression.
    pub fn scalar(&mut self, node: &Node<ast::Expression>) -> Lowered<ExpressionId> {
        let value = self.value(node)?;
        self.scalar_of(value, node.span)
    }

    /// A value as a condition: of a complex number whether it is not 0.
    pub fn tested(&mut self, node: &Node<ast::Expression>) -> Lowered<ExpressionId> {
        let mut value = self.value(node)?;
        if self.shape_of(value).is_some_and(|shape| shape.kind == Kind::Complex) {
            value = self.lanes_truth(value)?;
        }
        let e = self.scalar_of(value, node.span)?;
        self.truth(e)
    }

    /// A value that has to be a scalar.
    pub fn scalar_of(&mut self, value: Value, span: Span) -> Lowered<ExpressionId> {
        match value {
            Value::Scalar(e) => Ok(e),
            Value::Opaque(_) => {
                let int = self.types.int();
                self.here = span;
                self.unknown(int, "a floating-point value")
            }
            Value::Record(_) => Err(self.error("a structure where a number or a pointer is needed", span)),
            Value::Void => Err(self.error("this has no value", span)),
        }
    }

    /// What an lvalue holds: arrays as pointers to their first elements.
    pub fn content(&mut self, l: LvalueId) -> Value {
        let ty = self.terms.at(l).ty;
        match self.types.get(ty) {
            Type::Integer(_) | Type::Pointer(_) | Type::Float(_) => Value::Scalar(self.read(l)),
            Type::Array(..) | Type::Variable(..) => Value::Scalar(self.decayed(l)),
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
    pub fn unrepresented(&mut self, ty: TypeId, what: &str) -> Lowered<Value> {
        if self.types.is_scalar(ty) {
            return Ok(Value::Scalar(self.unknown(ty, what)?));
        }
        match self.types.get(ty) {
            Type::Opaque(_) => Ok(Value::Opaque(ty)),
            Type::Record(_) => {
                let to = self.intermediate(ty)?;
                let reason = self.reason(what)?;
                self.emit(StatementKind::Havoc(to, reason, None))?;
                Ok(Value::Record(to))
            }
            _ => Ok(Value::Void),
        }
    }

    /// What a name stands for: a number, a procedure, or what an object holds.
    pub fn identifier(&mut self, name: &Node<ast::Identifier>) -> Lowered<Value> {
        let text = name.node.name.as_str();
        if let Some(label) = text.strip_prefix(crate::c::gnu::LABEL) {
            return self.label_address(label, name.span);
        }
        match self.entity(text) {
            Some(Entity::Number(number, ty)) => Ok(Value::Scalar(self.constant(number, ty))),
            Some(Entity::Procedure(id)) => {
                if self.is_inner(id) {
                    return self.inner_address(id, name.span);
                }
                self.check_address(id, text, name.span)?;
                let taken = (self.unit, name.span);
                let known = &mut self.known[id.0 as usize];
                known.taken.get_or_insert(taken);
                let ty = known.ty;
                let pointer = self.types.pointer(ty);
                Ok(Value::Scalar(self.terms.expression(ExpressionKind::Procedure(id), pointer)))
            }
            _ => {
                let l = self.named(name)?;
                let ty = self.terms.at(l).ty;
                if self.is_changed_elsewhere(l) && self.types.is_scalar(ty) && self.body.is_some() {
                    return Ok(Value::Scalar(self.unknown(ty, &format!("the value of `{text}`"))?));
                }
                self.loaded(l)
            }
        }
    }

    /// `__alignof__` of a type or an object, of which the size stands there.
    fn alignment_value(&mut self, of: &Node<ast::Expression>) -> Lowered<Value> {
        let (ty, own) = match &of.node {
            ast::Expression::SizeOfTy(size) => self.aligned_type_name(&size.node.0)?,
            ast::Expression::SizeOfVal(size) => (self.type_of(&size.node.0)?, self.own_alignment(&size.node.0)?),
            _ => return Err(self.error("this has no alignment", of.span)),
        };
        let ty = self.types.fixed(ty);
        let (size, align) = match self.types.get(ty) {
            Type::Void | Type::Function(..) => (1, 1),
            _ => self.types.layout(ty).unwrap_or((1, 1)),
        };
        // That of objects outside of structures.
        let scalar = matches!(self.types.get(ty), Type::Integer(_) | Type::Float(_));
        let align = own.unwrap_or(if scalar && size == 8 { 8 } else { align });
        let size = self.types.size_type();
        Ok(Value::Scalar(self.constant(i128::from(align), size)))
    }

    /// The alignment that an object has and its type has not.
    fn own_alignment(&mut self, e: &Node<ast::Expression>) -> Lowered<Option<u64>> {
        match &e.node {
            ast::Expression::Identifier(name) => Ok(match self.entity(&name.node.name) {
                Some(Entity::Variable(id)) => self.alignments.get(&id).copied(),
                Some(Entity::Procedure(_)) => {
                    return Err(self.error("the alignment of procedures is not known", e.span));
                }
                _ => None,
            }),
            ast::Expression::Constant(_)
            | ast::Expression::StringLiteral(_)
            | ast::Expression::Cast(_)
            | ast::Expression::Call(_) => Ok(None),
            ast::Expression::UnaryOperator(unary) if unary.node.operator.node == U::Indirection => Ok(None),
            _ => Err(self.error("the alignment of this object is not known", e.span)),
        }
    }

    fn size_value(&mut self, ty: TypeId, span: Span) -> Lowered<Value> {
        if self.types.varies(ty) {
            self.body()?;
            return Ok(Value::Scalar(self.size_in_bytes(ty, span)?));
        }
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

    /// The type of an expression that is not evaluated, unless its size varies (C11 §6.5.3.4).
    pub fn type_of(&mut self, node: &Node<ast::Expression>) -> Lowered<TypeId> {
        if let ast::Expression::StringLiteral(literal) = &node.node {
            let (units, element) = self.string(&literal.node, literal.span)?;
            return Ok(self.types.intern(Type::Array(element, units.len() as u64)));
        }
        let designates = match &node.node {
            ast::Expression::Identifier(name) => match self.entity(&name.node.name) {
                Some(Entity::Variable(_) | Entity::Dynamic(..)) => true,
                None => names_procedure(&name.node.name),
                _ => false,
            },
            ast::Expression::Member(_) | ast::Expression::CompoundLiteral(_) => true,
            ast::Expression::UnaryOperator(unary) => unary.node.operator.node == U::Indirection,
            ast::Expression::BinaryOperator(binary) => binary.node.operator.node == B::Index,
            _ => false,
        };
        let before = self.body.as_ref().map(|body| (body.statements.len(), body.locals.len()));
        let ty = if designates {
            self.unevaluated(|this| this.lvalue(node).map(|l| this.terms.at(l).ty))
        } else {
            let value = self.unevaluated(|this| this.value(node));
            value.map(|value| match value {
                Value::Scalar(e) => self.ty(e),
                Value::Record(l) => self.terms.at(l).ty,
                Value::Opaque(ty) => ty,
                Value::Void => self.types.void(),
            })
        };
        if let (Some((statements, locals)), Some(body)) = (before, &mut self.body)
            && ty.is_ok_and(|ty| !self.types.varies(ty))
        {
            body.statements.truncate(statements);
            body.locals.truncate(locals);
        }
        ty
    }

    fn offset_of(&mut self, node: &ast::OffsetOfExpression, span: Span) -> Lowered<Value> {
        let ty = self.type_name(&node.type_name)?;
        let (mut at, mut offset) = (ty, 0i128);
        let base = ast::OffsetMember::Member(node.designator.node.base.clone());
        for member in std::iter::once(&base).chain(node.designator.node.members.iter().map(|member| &member.node)) {
            let name = match member {
                ast::OffsetMember::Member(name) => &name.node.name,
                ast::OffsetMember::Index(index) => {
                    let index = self.integer_constant(index)?;
                    let Type::Array(element, _) = *self.types.get(at) else {
                        return Err(self.error("only elements of arrays have an index here", span));
                    };
                    offset += index * i128::from(self.types.size(element).unwrap_or(0));
                    at = element;
                    continue;
                }
                ast::OffsetMember::IndirectMember(_) => {
                    return Err(self.error("what a pointer leads to is elsewhere", span));
                }
            };
            let Some(path) = self.path(at, name) else {
                return Err(self.error(format!("there is no member `{name}`"), span));
            };
            for index in path {
                let Some(field) = self.types.as_record(at).map(|record| record.fields[index].clone()) else { break };
                offset += i128::from(field.offset);
                at = field.ty;
            }
        }
        let size = self.types.size_type();
        Ok(Value::Scalar(self.constant(offset, size)))
    }

    /// `({ … })`: the value of its last statement.
    fn statement_value(&mut self, node: &Node<ast::Statement>) -> Lowered<Value> {
        let ast::Statement::Compound(items) = &node.node else { return Err(super::Refused) };
        self.body()?;
        self.statements_within(|this| this.scoped(|this| this.statements_value(items)))
    }

    fn statements_value(&mut self, items: &[Node<ast::BlockItem>]) -> Lowered<Value> {
        let Some((last, before)) = items.split_last() else { return Ok(Value::Void) };
        let this = self;
        this.note_inner(items);
        let mut rest = before;
        while let Some((item, after)) = rest.split_first() {
            let start = this.now();
            rest = match inner::definition(rest) {
                Some(definition) => {
                    this.inner_procedure(definition)?;
                    &after[1..]
                }
                None => {
                    this.item(item)?;
                    after
                }
            };
            this.settle(start)?;
        }
        let start = this.now();
        let value = match &last.node {
            ast::BlockItem::Statement(statement) => match &statement.node {
                ast::Statement::Expression(Some(e)) => {
                    let value = this.value(e)?;
                    // What it reads may be gone or changed when it is used.
                    match value {
                        Value::Scalar(e) => Value::Scalar(this.saved(e)?),
                        other => other,
                    }
                }
                _ => this.statement(statement).map(|()| Value::Void)?,
            },
            _ => this.item(last).map(|()| Value::Void)?,
        };
        this.settle(start)?;
        Ok(value)
    }

    /// An expression for its effects only.
    pub fn effects(&mut self, node: &Node<ast::Expression>) -> Lowered<()> {
        self.unordered(node, |this| {
            let outer = std::mem::replace(&mut this.here, node.span);
            let done = this.effects_of(node);
            this.here = outer;
            done
        })
    }

    fn effects_of(&mut self, node: &Node<ast::Expression>) -> Lowered<()> {
        match &node.node {
            ast::Expression::UnaryOperator(unary) => match unary.node.operator.node {
                U::PostIncrement | U::PreIncrement => self.step(&unary.node, Binary::Add, false, node.span).map(drop),
                U::PostDecrement | U::PreDecrement => {
                    self.step(&unary.node, Binary::Subtract, false, node.span).map(drop)
                }
                _ => self.dropped_value(node),
            },
            ast::Expression::BinaryOperator(binary) if binary.node.operator.node == B::Assign => {
                self.assignment(&binary.node, false, node.span).map(drop)
            }
            // What it has written is not read again.
            ast::Expression::BinaryOperator(binary) if assigns(&binary.node.operator.node) => {
                self.value(node).map(drop)
            }
            ast::Expression::BinaryOperator(binary)
                if matches!(binary.node.operator.node, B::LogicalAnd | B::LogicalOr) =>
            {
                self.effects_of_logical(&binary.node)
            }
            ast::Expression::Conditional(conditional) => self.effects_of_conditional(&conditional.node),
            ast::Expression::Comma(list) => {
                let last = self.before_last(list)?;
                self.effects(last)
            }
            ast::Expression::Cast(cast) => {
                let ty = self.type_name(&cast.node.type_name)?;
                if *self.types.get(ty) == Type::Void {
                    self.effects(&cast.node.expression)
                } else {
                    self.dropped_value(node)
                }
            }
            _ => self.dropped_value(node),
        }
    }

    /// The effects of `a && b` or `a || b`.
    fn effects_of_logical(&mut self, binary: &ast::BinaryOperatorExpression) -> Lowered<()> {
        let body = self.body()?;
        let (second, end) = (body.mark(), body.mark());
        let start = self.now();
        if binary.operator.node == B::LogicalAnd {
            self.condition(&binary.lhs, second, end)?;
        } else {
            self.condition(&binary.lhs, end, second)?;
        }
        self.body()?.place_mark(second);
        self.settle(start)?;
        self.effects(&binary.rhs)?;
        self.body()?.place_mark(end);
        Ok(())
    }

    /// The effects of `c ? a : b`.
    fn effects_of_conditional(&mut self, conditional: &ast::ConditionalExpression) -> Lowered<()> {
        let (yes, no, end) = self.three_marks()?;
        let start = self.now();
        self.condition(&conditional.condition, yes, no)?;
        self.body()?.place_mark(yes);
        self.settle(start)?;
        if !is_omitted(&conditional.then_expression) {
            self.effects(&conditional.then_expression)?;
        }
        self.body()?.goto(end);
        self.body()?.place_mark(no);
        self.settle(start)?;
        self.effects(&conditional.else_expression)?;
        self.body()?.place_mark(end);
        Ok(())
    }

    fn dropped_value(&mut self, node: &Node<ast::Expression>) -> Lowered<()> {
        let value = self.value(node)?;
        self.dropped(value)
    }

    /// The value of an expression on the left, kept if the expression on its right can change what it reads.
    pub fn kept(&mut self, e: ExpressionId, right: &Node<ast::Expression>) -> Lowered<ExpressionId> {
        let effects = order::effects(right);
        if effects.none() || !self.affected(e, &effects) { Ok(e) } else { self.saved(e) }
    }
}
