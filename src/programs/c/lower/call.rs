//! Calls: procedures that mean something special, and results in variables.

use std::collections::HashSet;

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::arguments::Passing;
use super::scope::{Entity, Linked};
use super::{Lowered, Lowering, Value};
use crate::c::bodiless::{self, Meaning};
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::library::is_last_error;
use crate::c::mathematics;
use crate::c::program::{Callee, Failure, ProcedureId, StatementKind};
use crate::c::tokens::{TokenKind, tokens};
use crate::c::types::{Rank, Type, TypeId};

/// Whether a text mentions errors other than labels `ERROR`. What a program defines itself is none, unless it fails all the same.
pub fn has_errors(text: &str, defined: &HashSet<String>) -> bool {
    let is_error = |name: &str| bodiless::failing(name).is_some() || bodiless::fails(name) && !defined.contains(name);
    let tokens = tokens(text);
    tokens.windows(2).any(|two| {
        two[0].kind == TokenKind::Name
            && two[1].kind == TokenKind::Sign(b'(')
            && is_error(&text[two[0].range.clone()])
            && !is_declaration(text, &tokens, two[0].range.start)
    })
}

/// Whether the name at a byte is being declared: a type stands before it.
fn is_declaration(text: &str, tokens: &[crate::c::tokens::Token], start: usize) -> bool {
    let at = tokens.partition_point(|token| token.range.start < start);
    let before = at.checked_sub(1).map(|at| &tokens[at]);
    before.is_some_and(|token| {
        let word = &text[token.range.clone()];
        token.kind == TokenKind::Name && !matches!(word, "else" | "do" | "return") || word == "*"
    })
}

impl<'a> Lowering<'a> {
    /// The name of a procedure that is called directly.
    pub(super) fn callee_name<'n>(&self, node: &'n ast::CallExpression) -> Option<&'n Node<ast::Identifier>> {
        let mut callee = &node.callee.node;
        while let ast::Expression::UnaryOperator(unary) = callee
            && matches!(unary.node.operator.node, ast::UnaryOperator::Indirection | ast::UnaryOperator::Address)
        {
            callee = &unary.node.operand.node;
        }
        let ast::Expression::Identifier(name) = callee else { return None };
        matches!(self.entity(&name.node.name), None | Some(Entity::Procedure(_))).then_some(&**name)
    }

    /// What a call of a name means whose procedure has no body, or that means something of its own.
    pub fn special(&self, node: &ast::CallExpression) -> Option<Meaning> {
        let name = &self.callee_name(node)?.node.name;
        if matches!(self.entity(name), Some(Entity::Procedure(id)) if self.is_inner(id)) {
            return None;
        }
        let fails = self.failing(name).map(Meaning::Fail);
        fails.or_else(|| (!self.is_defined(name)).then(|| self.meaning(name, &node.arguments)))
    }

    /// Whether a call itself, whatever its arguments do, reads and writes nothing and comes back.
    pub fn is_quiet(&self, node: &ast::CallExpression) -> bool {
        use Meaning::{Absolute, Allocate, First, Idle, Input};
        matches!(self.special(node), Some(Input | Idle | Allocate(_) | First | Absolute))
    }

    /// A call that is nothing but a call, if the expression is one.
    pub fn direct<'n>(&self, node: &'n Node<ast::Expression>) -> Option<&'n Node<ast::CallExpression>> {
        if self.is_noted_here(node) {
            return None;
        }
        let ast::Expression::Call(call) = &node.node else { return None };
        let special = self.special(&call.node);
        matches!(special, None | Some(Meaning::Input | Meaning::Model | Meaning::Unknown(_) | Meaning::Refused))
            .then_some(&**call)
    }

    /// Notes that the procedure being made calls one that has no body, unless compilers put something else there.
    fn note_outside(&mut self, node: &ast::CallExpression, special: Option<Meaning>) -> Lowered<()> {
        use Meaning::{Absolute, First, Model, Operation};
        let is_call = special.is_some_and(|meaning| !matches!(meaning, Absolute | First | Model | Operation));
        if let Some(name) = self.callee_name(node).filter(|_| is_call)
            && let Some(Entity::Procedure(id)) = self.entity(&name.node.name)
        {
            self.calls_outside(id)?;
        }
        Ok(())
    }

    fn calls_outside(&mut self, id: ProcedureId) -> Lowered<()> {
        let caller = self.body()?.procedure;
        self.procedures[caller.0 as usize].outside.insert(id);
        Ok(())
    }

    /// `l = f(…)`, at once if the types agree.
    pub fn call_into(&mut self, call: &Node<ast::CallExpression>, to: LvalueId) -> Lowered<()> {
        let outer = std::mem::replace(&mut self.here, call.span);
        let value = self.call(call, Some(to));
        self.here = outer;
        match value? {
            // It was assigned.
            Value::Scalar(e) if self.terms.get(e).kind == ExpressionKind::Read(to) => Ok(()),
            value => self.store(to, value, call.span),
        }
    }

    /// A call; the result goes to `to` if its type allows.
    pub fn call(&mut self, node: &Node<ast::CallExpression>, to: Option<LvalueId>) -> Lowered<Value> {
        let asked = self.callee_name(&node.node).is_some_and(|name| self.is_asked(&name.node.name));
        if let Some(constant) = self.constant_call(&node.node)?.filter(|_| !asked) {
            return Ok(Value::Scalar(constant));
        }
        if let Some(value) = self.lanes_call(&node.node, node.span)? {
            return Ok(value);
        }
        self.body()?;
        let special = self.special(&node.node);
        self.note_outside(&node.node, special)?;
        if let Some(meaning) = special
            && let Some(value) = self.known_call(meaning, node, to)?
        {
            return Ok(value);
        }
        let Some(name) = self.callee_name(&node.node) else { return self.pointer_call(&node.node, to) };
        let id = match self.entity(&name.node.name) {
            Some(Entity::Procedure(id)) => id,
            _ => self.implicit(&name.node.name, name.span)?,
        };
        self.check_call(id, node.span)?;
        self.is_no_end(id, node.span)?;
        let special = special.filter(|meaning| !self.has_stand_in(id, *meaning, node.span));
        if special.is_some() {
            self.calls_outside(id)?;
        }
        let known = self.known[id.0 as usize].clone();
        let lists = bodiless::takes_list(&name.node.name);
        let generic = mathematics::is_generic(&name.node.name);
        let outer = std::mem::replace(&mut self.passing, Passing { generic, by_copy: special.is_none() || lists });
        let open = known.prototype && self.is_variadic(known.ty);
        let open = open && !(lists && special.is_some());
        let arguments = self.arguments(&node.node.arguments, &known.parameters, known.prototype, open, node.span);
        self.passing = outer;
        let mut arguments = arguments?;
        arguments.splice(..0, self.links(id));
        let result = match self.types.get(known.ty) {
            Type::Function(result, ..) => *result,
            _ => self.types.void(),
        };
        let value = match special {
            None if self.is_compilers(&name.node.name, id) => self.own_or_compilers(id, &arguments, result)?,
            None => self.finish_call(Callee::Procedure(id), arguments, result, Some(id), to)?,
            Some(meaning) => {
                let result = self.result_of_first(&name.node.name, result, &arguments);
                let outer = std::mem::replace(&mut self.here, node.span);
                let value = self.bodiless_call(id, meaning, arguments, result, to);
                let used = if lists { self.used_list(node.node.arguments.last()) } else { Ok(()) };
                self.here = outer;
                used?;
                value?
            }
        };
        self.returned_by(id, value);
        Ok(value)
    }

    /// A call whose meaning is known from its name; nothing if it is made as others are.
    fn known_call(
        &mut self,
        meaning: Meaning,
        node: &Node<ast::CallExpression>,
        to: Option<LvalueId>,
    ) -> Lowered<Option<Value>> {
        if let (Meaning::Model, Some(name)) = (meaning, self.callee_name(&node.node)) {
            let sign = self.is_sign_looked_at(node.span);
            return self.model_call(node, name, to, sign).map(Some);
        }
        if let (Meaning::Operation, Some(name)) = (meaning, self.callee_name(&node.node))
            && let Some(value) = self.operation_call(node, name)?
        {
            return Ok(Some(value));
        }
        if matches!(meaning, Meaning::Input | Meaning::Unknown(_) | Meaning::Refused) {
            return Ok(None);
        }
        self.special_call(meaning, &node.node, node.span).map(Some)
    }

    fn pointer_call(&mut self, node: &ast::CallExpression, to: Option<LvalueId>) -> Lowered<Value> {
        let start = self.now();
        let mut fork = self.fork(false)?;
        self.beside(&mut fork)?;
        let mut pointer = self.scalar(&node.callee)?;
        for argument in &node.arguments {
            pointer = self.kept(pointer, argument)?;
        }
        let function = self.types.pointee(self.ty(pointer));
        let Some(Type::Function(result, parameters, open)) = function.map(|ty| self.types.get(ty).clone()) else {
            return Err(self.error("this is no procedure", node.callee.span));
        };
        let prototype = !parameters.is_empty() || !open;
        self.beside(&mut fork)?;
        let own = std::mem::replace(&mut self.passing.by_copy, true);
        let open = open && prototype;
        let arguments = self.arguments(&node.arguments, &parameters, prototype, open, node.callee.span);
        self.passing.by_copy = own;
        let mut arguments = arguments?;
        if open {
            // Whoever has no body gets them as they are.
            let extras = std::mem::take(&mut self.beyond);
            arguments.extend(extras);
        }
        self.join(fork)?;
        self.settle(start)?;
        self.finish_call(Callee::Pointer(pointer), arguments, result, None, to)
    }

    /// The call itself, and its result.
    pub fn finish_call(
        &mut self,
        callee: Callee,
        arguments: Vec<ExpressionId>,
        result: TypeId,
        id: Option<ProcedureId>,
        to: Option<LvalueId>,
    ) -> Lowered<Value> {
        if self.types.is_scalar(result) {
            let to = self.receiver(result, to)?;
            self.emit(StatementKind::Call(Some(to), callee, arguments))?;
            return Ok(Value::Scalar(self.read(to)));
        }
        if let (Type::Record(_), Some(id)) = (self.types.get(result), id) {
            let variable = self.result_variable(id, result);
            let from = self.terms.lvalue(LvalueKind::Variable(variable), result);
            let own = self.intermediate(result)?;
            self.at_once(|this| {
                this.emit(StatementKind::Call(None, callee, arguments))?;
                this.copy(own, from)
            })?;
            return Ok(Value::Record(own));
        }
        if let Type::Record(_) = self.types.get(result) {
            let place = self.place(self.here);
            let variable = self.result_of_type(result, ".result", place);
            let from = self.terms.lvalue(LvalueKind::Variable(variable), result);
            let own = self.intermediate(result)?;
            let reason = self.reason("the result of a call through a pointer")?;
            self.at_once(|this| {
                // What has no body returns it elsewhere.
                this.emit(StatementKind::Havoc(from, reason, None))?;
                this.emit(StatementKind::Call(None, callee, arguments))?;
                this.copy(own, from)
            })?;
            return Ok(Value::Record(own));
        }
        self.emit(StatementKind::Call(None, callee, arguments))?;
        Ok(match self.types.get(result) {
            Type::Opaque(_) => Value::Opaque(result),
            _ => Value::Void,
        })
    }

    /// Where a result goes: to what it is assigned to, or to an intermediate value.
    pub fn receiver(&mut self, result: TypeId, to: Option<LvalueId>) -> Lowered<LvalueId> {
        match to {
            Some(to) if self.terms.at(to).ty == result => Ok(to),
            _ => self.intermediate(result),
        }
    }

    /// A value of a type for what does not come back, or what is not represented.
    pub fn nothing(&mut self, ty: TypeId) -> Lowered<Value> {
        Ok(match self.types.get(ty) {
            Type::Integer(_) | Type::Pointer(_) | Type::Float(_) => Value::Scalar(self.constant(0, ty)),
            Type::Opaque(_) => Value::Opaque(ty),
            Type::Record(_) => Value::Record(self.intermediate(ty)?),
            _ => Value::Void,
        })
    }

    fn special_call(&mut self, meaning: Meaning, node: &ast::CallExpression, span: Span) -> Lowered<Value> {
        self.named_once(node)?;
        let arguments = &node.arguments;
        match meaning {
            Meaning::Fail(failure) => {
                match failure {
                    Failure::Error => self.all_effects(arguments)?,
                    _ => self.unread(arguments)?,
                }
                self.emit(StatementKind::Fail(failure))?;
            }
            Meaning::Assert => {
                let e = self.first(node, span)?;
                self.unread(&arguments[1..])?;
                self.assert(e)?;
            }
            Meaning::Assume => {
                let e = self.first(node, span)?;
                self.unread(&arguments[1..])?;
                self.assume(e)?;
            }
            Meaning::Static => {
                let e = self.first(node, span)?;
                if self.integer_constant(e)? == 0 {
                    return Err(self.error("this static assertion fails", span));
                }
                self.emit(StatementKind::Skip)?;
            }
            Meaning::Exit => self.exit_call(node)?,
            Meaning::Free => {
                let e = self.first(node, span)?;
                let e = self.scalar(e)?;
                self.emit(StatementKind::Free(e))?;
            }
            Meaning::Unreachable => {
                let zero = self.int_constant(0);
                self.emit(StatementKind::Assume(zero))?;
            }
            Meaning::Unsupported => {
                let name = self.callee_name(node).map_or(String::new(), |name| name.node.name.clone());
                // What is called may write there, and nobody would see it.
                let place = if is_last_error(&name) { ", unless what is there is used at once," } else { "" };
                self.defer(format!("`{name}`{place} is not supported"), span)?;
                self.emit(StatementKind::Exit(None))?;
            }
            Meaning::Operation => return Err(self.error("this operation is not supported here", span)),
            _ => return self.valued_call(meaning, node, span),
        }
        let result = self.declared_result(node);
        self.nothing(result)
    }

    fn assert(&mut self, e: &Node<ast::Expression>) -> Lowered<()> {
        let body = self.body()?;
        let (fine, wrong) = (body.mark(), body.mark());
        self.condition(e, fine, wrong)?;
        self.body()?.place_mark(wrong);
        self.emit(StatementKind::Fail(Failure::Assertion))?;
        self.body()?.place_mark(fine);
        Ok(())
    }

    /// A call that ends the program, with a code if an argument says which.
    fn exit_call(&mut self, node: &ast::CallExpression) -> Lowered<()> {
        let code = match node.arguments.first() {
            Some(e) => Some(self.scalar(e)?),
            None => None,
        };
        let int = self.types.int();
        let code = match code {
            Some(code) => Some(self.convert(code, int)?),
            None => None,
        };
        let name = self.callee_name(node).map_or(String::new(), |name| name.node.name.clone());
        self.ends(&name, code)
    }

    /// The first argument, which has to be there.
    fn first<'n>(&mut self, node: &'n ast::CallExpression, span: Span) -> Lowered<&'n Node<ast::Expression>> {
        node.arguments.first().ok_or_else(|| self.error("an argument is missing", span))
    }

    /// The same of what has a value of its own.
    fn valued_call(&mut self, meaning: Meaning, node: &ast::CallExpression, span: Span) -> Lowered<Value> {
        match meaning {
            Meaning::Allocate(_) => {
                let void = self.types.void();
                let pointer = self.types.pointer(void);
                Ok(Value::Scalar(self.allocate(node, pointer, span)?))
            }
            Meaning::First => {
                let e = self.first(node, span)?;
                self.unread(&node.arguments[1..])?;
                let e = self.scalar(e)?;
                let long = self.types.integer(Rank::Long, true);
                Ok(Value::Scalar(self.convert(e, long)?))
            }
            Meaning::Absolute => {
                let e = self.first(node, span)?;
                self.absolute(e, node)
            }
            Meaning::Unspecified => self.unspecified(),
            Meaning::Unevaluated => self.idle_result(node),
            Meaning::Idle => self.idle_call(node),
            _ => {
                let result = self.declared_result(node);
                self.nothing(result)
            }
        }
    }

    /// A call that does nothing which is represented, but for what its arguments do.
    fn idle_call(&mut self, node: &ast::CallExpression) -> Lowered<Value> {
        let arguments = &node.arguments;
        let moves = self.callee_name(node).is_some_and(|name| name.node.name.starts_with("__builtin_va_"));
        match arguments.split_first().filter(|_| moves) {
            Some((list, others)) => {
                let name = self.callee_name(node).map_or(String::new(), |name| name.node.name.clone());
                if self.begins_list(&name, arguments)? {
                    return self.idle_result(node);
                }
                self.moves_arguments(list)?;
                self.all_effects(others)?;
            }
            None => self.all_effects(arguments)?,
        }
        self.emit(StatementKind::Skip)?;
        self.idle_result(node)
    }

    /// What is called without a declaration is a procedure of the program, too.
    fn named_once(&mut self, node: &ast::CallExpression) -> Lowered<()> {
        if let Some(name) = self.callee_name(node)
            && self.entity(&name.node.name).is_none()
        {
            self.implicit(&name.node.name, name.span)?;
        }
        Ok(())
    }

    /// The type that a procedure is declared to return, or known to.
    pub fn declared_result(&mut self, node: &ast::CallExpression) -> TypeId {
        let known = self.callee_name(node).and_then(|name| match self.entity(&name.node.name) {
            Some(Entity::Procedure(id)) => Some(id),
            _ => match self.linked.get(&name.node.name) {
                Some(Linked::Procedure(id)) => Some(*id),
                _ => None,
            },
        });
        match known {
            Some(id) => match self.types.get(self.known[id.0 as usize].ty) {
                Type::Function(result, ..) => *result,
                _ => self.types.int(),
            },
            _ => self.types.int(),
        }
    }

    /// The result of a procedure that does nothing else of interest: an intermediate value, havocked, unless nobody asks.
    fn idle_result(&mut self, node: &ast::CallExpression) -> Lowered<Value> {
        let result = self.declared_result(node);
        if !self.types.is_scalar(result) {
            return self.nothing(result);
        }
        let name = self.callee_name(node).map_or("", |name| name.node.name.as_str());
        let what = format!("the result of `{}`", self.spelled(name));
        Ok(Value::Scalar(self.unknown(result, &what)?))
    }

    /// `assume(e)`: conjunctions one by one.
    fn assume(&mut self, node: &Node<ast::Expression>) -> Lowered<()> {
        if let ast::Expression::BinaryOperator(binary) = &node.node {
            match binary.node.operator.node {
                ast::BinaryOperator::LogicalAnd => {
                    self.assume(&binary.node.lhs)?;
                    return self.assume(&binary.node.rhs);
                }
                ast::BinaryOperator::LogicalOr => {
                    let (fine, blocked) = {
                        let body = self.body()?;
                        (body.mark(), body.mark())
                    };
                    self.condition(node, fine, blocked)?;
                    self.body()?.place_mark(blocked);
                    let zero = self.int_constant(0);
                    self.emit(StatementKind::Assume(zero))?;
                    self.body()?.place_mark(fine);
                    return Ok(());
                }
                _ => {}
            }
        }
        let e = self.scalar(node)?;
        let e = self.truth(e)?;
        self.emit(StatementKind::Assume(e))
    }
}
