//! Lists of arguments: as scalars, of the types of the parameters.

use lang_c::ast;
use lang_c::span::{Node, Span};
use spds_format::Diagnostic;
use spds_format::model::Place;

use super::unrepresented::FLOATING;
use super::{Lowered, Lowering, Value, order};
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId};
use crate::c::program::{Callee, ProcedureId, StatementKind};
use crate::c::types::{Type, TypeId};

/// How arguments are passed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passing {
    /// Whether they are those of a compiler's function that takes numbers of any type as they are.
    pub generic: bool,
    /// Whether they are those of a procedure of the program, so that copies of objects may be passed by where they are.
    pub by_copy: bool,
}

impl Lowering<'_> {
    /// The arguments as scalars, converted to the types of the parameters (§6.5.2.2).
    pub fn arguments(
        &mut self,
        nodes: &[Node<ast::Expression>],
        parameters: &[TypeId],
        prototype: bool,
        open: bool,
        span: Span,
    ) -> Lowered<Vec<ExpressionId>> {
        if prototype && nodes.len() < parameters.len() {
            let message = format!("{} arguments where {} are needed", nodes.len(), parameters.len());
            return Err(self.error(message, span));
        }
        let (mut list, mut fixed) = (Vec::with_capacity(nodes.len()), None);
        let start = self.now();
        let mut fork = self.fork(false)?;
        for (index, node) in nodes.iter().enumerate() {
            self.beside(&mut fork)?;
            if index == parameters.len() {
                fixed = Some(list.len());
            }
            let parameter = parameters.get(index).copied().filter(|_| prototype);
            if let Some(e) = self.list_argument(node, parameter)? {
                list.push(e);
                continue;
            }
            let value = self.argument(node, parameter)?;
            let from = list.len();
            list.extend(self.given(value, parameter, open, node.span)?);
            self.kept_until(&mut list[from..], &nodes[index + 1..])?;
        }
        self.join(fork)?;
        if open && self.passing.by_copy {
            self.beyond = list.split_off(fixed.unwrap_or(list.len()));
            let extras = self.beyond.clone();
            list.push(self.put_beyond(&extras)?);
        }
        self.settle(start)?;
        Ok(list)
    }

    /// The value of one argument, fitted to its parameter if there is one.
    fn argument(&mut self, node: &Node<ast::Expression>, parameter: Option<TypeId>) -> Lowered<Value> {
        // Arguments of calls in arguments are others'.
        let passing = std::mem::take(&mut self.passing);
        let value = self.value(node);
        self.passing = passing;
        let value = value?;
        self.here = node.span;
        let Some(ty) = parameter else { return Ok(value) };
        let value = self.fitted(value, ty, node.span)?;
        if matches!(value, Value::Record(_)) {
            return Ok(value);
        }
        Ok(self.as_union(value, ty, true, node.span)?.unwrap_or(value))
    }

    /// The scalars that a value is passed as, to a parameter of this type or to none.
    fn given(&mut self, value: Value, parameter: Option<TypeId>, open: bool, span: Span) -> Lowered<Vec<ExpressionId>> {
        Ok(match (parameter, value) {
            (Some(ty), Value::Scalar(e)) if self.types.is_scalar(ty) => {
                let e = self.convert(e, ty)?;
                vec![self.passed(e)?]
            }
            (Some(ty), Value::Opaque(_)) if self.types.is_scalar(ty) => vec![self.unknown(ty, FLOATING)?],
            (Some(ty), _) if matches!(self.types.get(ty), Type::Opaque(_)) => {
                self.dropped(value)?;
                if self.passing.by_copy { vec![self.unknown_argument(ty)?] } else { Vec::new() }
            }
            (None, Value::Record(l)) if open && self.passing.by_copy => vec![self.copied_argument(l)?],
            (Some(_) | None, Value::Record(l)) => match self.leaves(l)? {
                // Who has no body gets to all that the copy leads to.
                None => vec![self.copied_argument(l)?],
                Some(leaves) => self.given_leaves(leaves)?,
            },
            // What no parameter receives is passed nevertheless: a procedure without a body may read it, and write where it points.
            (None, Value::Scalar(e)) => {
                let e = self.promoted_argument(e)?;
                let e = self.passed(e)?;
                vec![self.settled(e)?]
            }
            (_, Value::Void) => return Err(self.error("this has no value", span)),
            // Somebody counts them.
            (None, Value::Opaque(_)) => {
                let int = self.types.int();
                vec![self.unknown(int, FLOATING)?]
            }
            (Some(_), Value::Scalar(_) | Value::Opaque(_)) => {
                return Err(self.error("a structure is needed here", span));
            }
        })
    }

    /// The scalars of a structure, each passed for itself.
    fn given_leaves(&mut self, leaves: Vec<(LvalueId, String)>) -> Lowered<Vec<ExpressionId>> {
        let mut list = Vec::with_capacity(leaves.len());
        for (leaf, _) in leaves {
            let e = self.current(leaf)?;
            list.push(self.passed(e)?);
        }
        Ok(list)
    }

    /// Saves what the evaluation of later arguments may change.
    fn kept_until(&mut self, list: &mut [ExpressionId], later: &[Node<ast::Expression>]) -> Lowered<()> {
        for e in list {
            for later in later {
                let effects = order::effects(later);
                if !effects.none() && self.affected(*e, &effects) {
                    *e = self.saved(*e)?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn all_effects(&mut self, arguments: &[Node<ast::Expression>]) -> Lowered<()> {
        let start = self.now();
        let mut fork = self.fork(false)?;
        for e in arguments {
            self.beside(&mut fork)?;
            self.effects(e)?;
        }
        self.join(fork)?;
        self.settle(start)
    }

    /// Arguments that nobody gets; texts and names, as messages are, have no effects.
    pub(super) fn unread(&mut self, arguments: &[Node<ast::Expression>]) -> Lowered<()> {
        let message = |e: &&Node<ast::Expression>| {
            matches!(e.node, ast::Expression::StringLiteral(_) | ast::Expression::Identifier(_))
        };
        arguments.iter().filter(|e| !message(e)).try_for_each(|e| self.effects(e))
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

    fn fit(&mut self, id: ProcedureId, arguments: &mut Vec<ExpressionId>, place: Place) {
        let formals = self.procedures[id.0 as usize].formals.clone();
        if self.procedures[id.0 as usize].body.is_none() && formals.is_empty() {
            // The caller itself, whose body is being looked at, or one that was complained about.
            return;
        }
        let name = self.procedures[id.0 as usize].name.clone();
        let file = self.files[place.file as usize].clone();
        if self.variadic.contains(&id) {
            self.without_prototype(&formals, arguments);
        }
        if arguments.len() < formals.len() {
            let message = format!("{file}:{}: `{name}` is called with too few arguments", place.line);
            self.complaints[0].push(Diagnostic::global(message));
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
                _ if self.types.as_float(ty).is_some() || self.float(*argument).is_some() => {
                    let message = format!("{file}:{}: `{name}` is called with an argument of another type", place.line);
                    self.complaints[0].push(Diagnostic::global(message));
                    return;
                }
                (false, false) => self.terms.expression(ExpressionKind::Convert(*argument), ty),
                _ if self.is_null(*argument) => self.constant(0, ty),
                _ => {
                    let message = format!("{file}:{}: `{name}` is called with an argument of another type", place.line);
                    self.complaints[0].push(Diagnostic::global(message));
                    return;
                }
            };
        }
    }
}
