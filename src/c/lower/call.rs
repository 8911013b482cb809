//! Calls: arguments as scalars, procedures that mean something special, procedures without a body (design: what is not
//! defined may return any value).

use lang_c::ast;
use lang_c::span::{Node, Span};

use super::scope::Entity;
use super::{Lowered, Lowering, Undefined, Value, order};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId};
use crate::c::program::{Callee, Failure, ProcedureId, StatementKind};
use crate::c::tokens::{TokenKind, tokens};
use crate::c::types::{Rank, Type, TypeId};

/// What a procedure of a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    /// The program is wrong if it is called; also where the program gives it a body.
    Fail(Failure),
    /// `assert(e)` that no macro has replaced.
    Assert,
    /// `__VERIFIER_assume(e)`
    Assume,
    /// The program ends.
    Exit,
    /// An object of as many bytes; for two arguments their product, and zeros.
    Allocate,
    /// `free(p)`
    Free,
    /// An input, as everything without a body, but meant as one.
    Input,
    /// It has no effect on what is represented; its result is not represented.
    Idle,
    /// The value of its first argument.
    First,
    /// Never reached.
    Unreachable,
    /// It cannot be represented at all.
    Refused,
}

/// Failing procedures, whether or not the program gives them a body.
const FAILING: [&str; 3] = ["reach_error", "__VERIFIER_error", "__assert_fail"];

/// Whether a text mentions errors other than labels `ERROR`.
pub fn has_errors(text: &str) -> bool {
    let names = ["reach_error", "__VERIFIER_error", "__assert_fail", "assert", "__assert_func", "__assert_rtn"];
    let tokens = tokens(text);
    tokens.windows(2).any(|two| {
        two[0].kind == TokenKind::Name
            && two[1].kind == TokenKind::Sign(b'(')
            && names.contains(&&text[two[0].range.clone()])
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

fn special(name: &str) -> Option<Special> {
    if name.starts_with("__VERIFIER_nondet") {
        return Some(Special::Input);
    }
    Some(match name {
        "__assert" | "__assert_func" | "__assert_rtn" => Special::Fail(Failure::Assertion),
        "assert" | "__VERIFIER_assert" => Special::Assert,
        "__VERIFIER_assume" | "assume_abort_if_not" | "__CPROVER_assume" | "__ESBMC_assume" => Special::Assume,
        "abort" | "exit" | "_Exit" | "_exit" | "quick_exit" | "__builtin_abort" | "__builtin_trap"
        | "__builtin_exit" => Special::Exit,
        "malloc" | "calloc" | "alloca" | "__builtin_malloc" | "__builtin_calloc" | "__builtin_alloca" => {
            Special::Allocate
        }
        "free" | "__builtin_free" => Special::Free,
        "__builtin_expect" => Special::First,
        "__builtin_unreachable" => Special::Unreachable,
        "atexit" | "at_quick_exit" | "on_exit" | "__cxa_atexit" | "signal" | "sigaction" | "bsd_signal" | "setjmp"
        | "_setjmp" | "__sigsetjmp" | "sigsetjmp" | "longjmp" | "siglongjmp" | "pthread_create" | "fork" | "vfork"
        | "__builtin_setjmp" | "__builtin_longjmp" => Special::Refused,
        "printf"
        | "fprintf"
        | "vprintf"
        | "vfprintf"
        | "puts"
        | "fputs"
        | "putchar"
        | "putc"
        | "fputc"
        | "perror"
        | "fflush"
        | "printk"
        | "__builtin_printf"
        | "__builtin_puts"
        | "__builtin_putchar"
        | "__VERIFIER_atomic_begin"
        | "__VERIFIER_atomic_end"
        | "__builtin_va_start"
        | "__builtin_va_end"
        | "__builtin_va_copy"
        | "__builtin_prefetch" => Special::Idle,
        _ => return None,
    })
}

impl<'a> Lowering<'a> {
    /// The name of a procedure that is called directly.
    fn callee_name<'n>(&self, node: &'n ast::CallExpression) -> Option<&'n Node<ast::Identifier>> {
        let mut callee = &node.callee.node;
        while let ast::Expression::UnaryOperator(unary) = callee
            && matches!(unary.node.operator.node, ast::UnaryOperator::Indirection | ast::UnaryOperator::Address)
        {
            callee = &unary.node.operand.node;
        }
        let ast::Expression::Identifier(name) = callee else { return None };
        matches!(self.entity(&name.node.name), None | Some(Entity::Procedure(_))).then_some(&**name)
    }

    /// What a call means beside calling.
    fn special(&self, node: &ast::CallExpression) -> Option<Special> {
        let name = &self.callee_name(node)?.node.name;
        if FAILING.contains(&name.as_str()) {
            let failure = if name == "__assert_fail" { Failure::Assertion } else { Failure::Error };
            return Some(Special::Fail(failure));
        }
        if self.defined.contains(name) { None } else { special(name) }
    }

    /// Whether a call itself, whatever its arguments do, reads and writes nothing and comes back.
    pub fn is_quiet(&self, node: &ast::CallExpression) -> bool {
        let quiet = [Special::Input, Special::Idle, Special::Allocate, Special::First];
        self.special(node).is_some_and(|special| quiet.contains(&special))
    }

    /// A call that is nothing but a call, if the expression is one.
    pub fn direct<'n>(&self, node: &'n Node<ast::Expression>) -> Option<&'n Node<ast::CallExpression>> {
        if self.is_noted_here(node) {
            return None;
        }
        let ast::Expression::Call(call) = &node.node else { return None };
        let special = self.special(&call.node);
        matches!(special, None | Some(Special::Input)).then_some(&**call)
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
        self.body()?;
        if let Some(special) = self.special(&node.node)
            && special != Special::Input
        {
            return self.special_call(special, &node.node, node.span);
        }
        let Some(name) = self.callee_name(&node.node) else { return self.pointer_call(&node.node, to) };
        let id = match self.entity(&name.node.name) {
            Some(Entity::Procedure(id)) => id,
            _ => self.implicit(&name.node.name, name.span),
        };
        let known = self.known[id.0 as usize].clone();
        let arguments = self.arguments(&node.node.arguments, &known.parameters, known.prototype, node.span)?;
        let result = match self.types.get(known.ty) {
            Type::Function(result, ..) => *result,
            _ => self.types.void(),
        };
        if self.defined.contains(&name.node.name) {
            return self.finish_call(Callee::Procedure(id), arguments, result, Some(id), to);
        }
        self.undefined_call(id, arguments, result, to, node.span)
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
        let arguments = self.arguments(&node.arguments, &parameters, prototype, node.callee.span)?;
        self.join(fork)?;
        self.settle(start)?;
        self.finish_call(Callee::Pointer(pointer), arguments, result, None, to)
    }

    /// The call itself, and its result.
    fn finish_call(
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
            let from = self.terms.lvalue(crate::c::expression::LvalueKind::Variable(variable), result);
            let own = self.intermediate(result)?;
            self.at_once(|this| {
                this.emit(StatementKind::Call(None, callee, arguments))?;
                this.copy(own, from)
            })?;
            return Ok(Value::Record(own));
        }
        self.emit(StatementKind::Call(None, callee, arguments))?;
        match (self.types.get(result), id) {
            (Type::Record(_), None) => {
                Err(self.error("a call through a pointer that returns a structure is not supported", self.here))
            }
            (Type::Opaque(_), _) => Ok(Value::Opaque(result)),
            _ => Ok(Value::Void),
        }
    }

    /// Where a result goes: to what it is assigned to, or to an intermediate value.
    fn receiver(&mut self, result: TypeId, to: Option<LvalueId>) -> Lowered<LvalueId> {
        match to {
            Some(to) if self.terms.at(to).ty == result => Ok(to),
            _ => self.intermediate(result),
        }
    }

    /// A call of a procedure without a body.
    fn undefined_call(
        &mut self,
        id: ProcedureId,
        arguments: Vec<ExpressionId>,
        result: TypeId,
        to: Option<LvalueId>,
        span: Span,
    ) -> Lowered<Value> {
        let name = self.procedures[id.0 as usize].name.clone();
        // What is known to return a value does so, whatever is said of it.
        if self.known[id.0 as usize].noreturn && special(&name) != Some(Special::Input) {
            self.emit(StatementKind::Exit(None))?;
            return self.nothing(result);
        }
        if self.options.undefined == Undefined::Refuse && special(&name) != Some(Special::Input) {
            return Err(self.error(format!("`{name}` has no body"), span));
        }
        let pointers = arguments.iter().any(|e| self.types.pointee(self.ty(*e)).is_some() && !self.is_null(*e));
        let scalar = self.types.is_scalar(result);
        let record = self.types.as_record(result).is_some();
        let to = match (scalar, record) {
            (true, _) => Some(self.receiver(result, to)?),
            (_, true) => Some(self.intermediate(result)?),
            _ => None,
        };
        self.emit(match (pointers, to) {
            (true, to) => StatementKind::External(to, id, arguments),
            (false, Some(to)) => StatementKind::Input(to, name),
            (false, None) => StatementKind::Skip,
        })?;
        match to {
            Some(to) => Ok(self.content(to)),
            None => self.nothing(result),
        }
    }

    /// A value of a type for what does not come back, or what is not represented.
    fn nothing(&mut self, ty: TypeId) -> Lowered<Value> {
        Ok(match self.types.get(ty) {
            Type::Integer(_) | Type::Pointer(_) => Value::Scalar(self.constant(0, ty)),
            Type::Opaque(_) => Value::Opaque(ty),
            Type::Record(_) => Value::Record(self.intermediate(ty)?),
            _ => Value::Void,
        })
    }

    /// The arguments as scalars, converted to the types of the parameters (§6.5.2.2).
    fn arguments(
        &mut self,
        nodes: &[Node<ast::Expression>],
        parameters: &[TypeId],
        prototype: bool,
        span: Span,
    ) -> Lowered<Vec<ExpressionId>> {
        if prototype && nodes.len() < parameters.len() {
            let message = format!("{} arguments where {} are needed", nodes.len(), parameters.len());
            return Err(self.error(message, span));
        }
        let mut list = Vec::with_capacity(nodes.len());
        let start = self.now();
        let mut fork = self.fork(false)?;
        for (index, node) in nodes.iter().enumerate() {
            self.beside(&mut fork)?;
            let value = self.value(node)?;
            self.here = node.span;
            let from = list.len();
            match (parameters.get(index).filter(|_| prototype), value) {
                (Some(&ty), Value::Scalar(e)) if self.types.is_scalar(ty) => list.push(self.convert(e, ty)?),
                (Some(&ty), Value::Opaque(_)) if self.types.is_scalar(ty) => {
                    list.push(self.unknown(ty, "a floating-point value")?);
                }
                (Some(&ty), _) if matches!(self.types.get(ty), Type::Opaque(_)) => {}
                (Some(_) | None, Value::Record(l)) => match self.leaves(l)? {
                    Some(leaves) => list.extend(leaves.into_iter().map(|(leaf, _)| self.read(leaf))),
                    None => {
                        let message = "a structure with overlapping or very many members as an argument";
                        return Err(self.error(message, node.span));
                    }
                },
                // What no parameter receives is passed nevertheless: a procedure without a body may read it, and write where it points.
                (None, Value::Scalar(e)) => {
                    let e = self.promote(e);
                    list.push(e);
                }
                (_, Value::Void) => return Err(self.error("this has no value", node.span)),
                (None, Value::Opaque(_)) => {}
                (Some(_), Value::Scalar(_) | Value::Opaque(_)) => {
                    return Err(self.error("a structure is needed here", node.span));
                }
            }
            for e in &mut list[from..] {
                for later in &nodes[index + 1..] {
                    let effects = order::effects(later);
                    if !effects.none() && self.affected(*e, &effects) {
                        *e = self.saved(*e)?;
                    }
                }
            }
        }
        self.join(fork)?;
        self.settle(start)?;
        Ok(list)
    }

    fn special_call(&mut self, special: Special, node: &ast::CallExpression, span: Span) -> Lowered<Value> {
        let arguments = &node.arguments;
        let first = arguments.first();
        let missing = |this: &mut Self| this.error("an argument is missing", span);
        match special {
            Special::Fail(failure) => {
                if failure == Failure::Error {
                    self.all_effects(arguments)?;
                }
                self.emit(StatementKind::Fail(failure))?;
            }
            Special::Assert => {
                let e = first.ok_or_else(|| missing(self))?;
                let (fine, wrong) = {
                    let body = self.body()?;
                    (body.mark(), body.mark())
                };
                self.condition(e, fine, wrong)?;
                self.body()?.place_mark(wrong);
                self.emit(StatementKind::Fail(Failure::Assertion))?;
                self.body()?.place_mark(fine);
            }
            Special::Assume => {
                let e = first.ok_or_else(|| missing(self))?;
                self.assume(e)?;
            }
            Special::Exit => {
                let code = match first {
                    Some(e) => Some(self.scalar(e)?),
                    None => None,
                };
                let int = self.types.int();
                let code = match code {
                    Some(code) => Some(self.convert(code, int)?),
                    None => None,
                };
                self.emit(StatementKind::Exit(code))?;
            }
            Special::Allocate => {
                let void = self.types.void();
                let pointer = self.types.pointer(void);
                return Ok(Value::Scalar(self.allocate(node, pointer, span)?));
            }
            Special::Free => {
                let e = first.ok_or_else(|| missing(self))?;
                let e = self.scalar(e)?;
                self.emit(StatementKind::Free(e))?;
            }
            Special::First => {
                let e = first.ok_or_else(|| missing(self))?;
                let e = self.scalar(e)?;
                let long = self.types.integer(Rank::Long, true);
                return Ok(Value::Scalar(self.convert(e, long)?));
            }
            Special::Unreachable => {
                let zero = self.int_constant(0);
                self.emit(StatementKind::Assume(zero))?;
            }
            Special::Idle => {
                self.all_effects(arguments)?;
                self.emit(StatementKind::Skip)?;
                return self.idle_result(node);
            }
            Special::Refused => {
                let name = self.callee_name(node).map_or(String::new(), |name| name.node.name.clone());
                return Err(self.error(format!("`{name}` is not supported"), span));
            }
            Special::Input => {}
        }
        let result = self.declared_result(node);
        self.nothing(result)
    }

    fn all_effects(&mut self, arguments: &[Node<ast::Expression>]) -> Lowered<()> {
        let start = self.now();
        let mut fork = self.fork(false)?;
        for e in arguments {
            self.beside(&mut fork)?;
            self.effects(e)?;
        }
        self.join(fork)?;
        self.settle(start)
    }

    /// The type that a procedure is declared to return.
    fn declared_result(&mut self, node: &ast::CallExpression) -> TypeId {
        let entity = self.callee_name(node).and_then(|name| self.entity(&name.node.name));
        match entity {
            Some(Entity::Procedure(id)) => match self.types.get(self.known[id.0 as usize].ty) {
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
        self.emit(StatementKind::Assume(e))
    }

    /// `malloc(…)`, behind casts, as a pointer of a type; `None` for every other expression.
    pub fn allocation(&mut self, node: &Node<ast::Expression>, ty: TypeId) -> Lowered<Option<ExpressionId>> {
        let ast::Expression::Call(call) = &node.node else { return Ok(None) };
        if self.types.pointee(ty).is_none() || self.special(&call.node) != Some(Special::Allocate) {
            return Ok(None);
        }
        self.body()?;
        self.unordered(node, |this| this.allocate(&call.node, ty, call.span)).map(Some)
    }

    fn allocate(&mut self, node: &ast::CallExpression, ty: TypeId, span: Span) -> Lowered<ExpressionId> {
        let size_type = self.types.size_type();
        let mut sizes = Vec::new();
        let start = self.now();
        let mut fork = self.fork(false)?;
        for (index, e) in node.arguments.iter().enumerate() {
            self.beside(&mut fork)?;
            let size = self.scalar(e)?;
            let mut size = self.convert(size, size_type)?;
            for later in &node.arguments[index + 1..] {
                size = self.kept(size, later)?;
            }
            sizes.push(size);
        }
        self.join(fork)?;
        self.settle(start)?;
        let zeroed = self.callee_name(node).is_some_and(|name| name.node.name.ends_with("calloc"));
        let size = match sizes[..] {
            [size] if !zeroed => size,
            [count, size] if zeroed => self.binary(Binary::Multiply, count, size),
            _ => return Err(self.error("an object needs one size", span)),
        };
        let pointee = self.types.pointee(ty).filter(|to| self.types.size(*to).is_some());
        let to = self.intermediate(ty)?;
        self.emit(StatementKind::Allocate { to, size, element: pointee, zeroed })?;
        Ok(self.read(to))
    }

    /// Arguments of calls that were made before the procedure was known: as many as there are formals, of their types.
    pub fn fit_calls(&mut self) {
        for caller in 0..self.procedures.len() {
            let Some(mut body) = self.procedures[caller].body.take() else { continue };
            for statement in &mut body {
                if let StatementKind::Call(_, Callee::Procedure(id), arguments) = &mut statement.kind {
                    self.fit(*id, arguments, statement.place);
                }
            }
            self.procedures[caller].body = Some(super::body::compact(body));
        }
    }

    fn fit(&mut self, id: ProcedureId, arguments: &mut Vec<ExpressionId>, place: spds_format::model::Place) {
        let formals = self.procedures[id.0 as usize].formals.clone();
        if self.procedures[id.0 as usize].body.is_none() && formals.is_empty() {
            // The caller itself, whose body is being looked at, or one that was complained about.
            return;
        }
        let name = self.procedures[id.0 as usize].name.clone();
        let file = self.files[place.file as usize].clone();
        if arguments.len() < formals.len() {
            let message = format!("{file}:{}: `{name}` is called with too few arguments", place.line);
            self.complaints[0].push(spds_format::Diagnostic::global(message));
            return;
        }
        arguments.truncate(formals.len());
        for (argument, formal) in arguments.iter_mut().zip(formals) {
            let ty = self.variables[formal.0 as usize].ty;
            if self.ty(*argument) == ty {
                continue;
            }
            let both = (self.types.as_integer(self.ty(*argument)).is_some(), self.types.as_integer(ty).is_some());
            *argument = match both {
                (true, true) => self.convert_integer(*argument, ty),
                (false, false) => self.terms.expression(ExpressionKind::Convert(*argument), ty),
                _ if self.is_null(*argument) => self.constant(0, ty),
                _ => {
                    let message = format!("{file}:{}: `{name}` is called with an argument of another type", place.line);
                    self.complaints[0].push(spds_format::Diagnostic::global(message));
                    return;
                }
            };
        }
    }
}
