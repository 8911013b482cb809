//! What is done before a program ends: the procedures that it has handed to `atexit` are called, in the order from the last to the first
//! (C11 §7.22.4.4).

use lang_c::span::Span;

use super::{Lowered, Lowering};
use crate::c::expression::ExpressionId;
use crate::c::program::{ProcedureId, ReasonId, StatementKind};

/// The model that keeps the procedures, and calls them if it is given none.
const HANDLERS: &str = "__handlers";

impl Lowering<'_> {
    /// Whether the program may have handed procedures to `atexit`.
    fn has_handlers(&self) -> bool {
        !self.in_model() && !self.is_defined("atexit") && self.has_model_of(HANDLERS)
    }

    /// Calls them.
    fn handlers(&mut self) -> Lowered<()> {
        let Some(ty) = self.first_parameter(HANDLERS) else { return Ok(()) };
        let none = self.constant(0, ty);
        self.model_called_with(HANDLERS, vec![none]).map(|_| ())
    }

    /// The program ends; what it hands to who has started it.
    pub fn ends(&mut self, name: &str, code: Option<ExpressionId>) -> Lowered<()> {
        let mut code = code;
        if name.strip_prefix("__builtin_").unwrap_or(name) == "exit" && self.has_handlers() {
            code = match code {
                Some(code) => Some(self.saved(code)?),
                None => None,
            };
            self.handlers()?;
        }
        self.emit(StatementKind::Exit(code))
    }

    /// The program ends, and nobody knows whether these procedures are called before it does.
    pub fn ends_somehow(&mut self, reason: ReasonId) -> Lowered<()> {
        if self.has_handlers() {
            self.perhaps(reason, None, Self::handlers)?;
        }
        self.emit(StatementKind::Exit(None))
    }

    /// A procedure returns: if it is `main`, the program ends.
    pub fn returns(&mut self, value: Option<ExpressionId>) -> Lowered<()> {
        let mut value = value;
        let procedure = self.body()?.procedure;
        if &*self.procedures[procedure.0 as usize].name == "main" && self.has_handlers() {
            value = match value {
                Some(value) => Some(self.saved(value)?),
                None => None,
            };
            self.handlers()?;
        }
        self.emit(StatementKind::Return(value))
    }

    /// A call of `main` returns without ending the program.
    pub fn is_no_end(&mut self, callee: ProcedureId, span: Span) -> Lowered<()> {
        if &*self.procedures[callee.0 as usize].name == "main" && self.has_handlers() {
            return Err(self.error("a call of `main` is not supported where `atexit` is used", span));
        }
        Ok(())
    }
}
