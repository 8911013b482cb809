//! What is refused only where the entry may reach it: calls of procedures of the library that do something to control that is not
//! represented, and procedures in headers of the system that are not understood. What the program does does not depend on what it never
//! does.

use lang_c::ast;
use lang_c::span::{Node, Span};
use spds_format::Diagnostic;

use super::scope::Entity;
use super::{Lowered, Lowering, declared_name};
use crate::c::program::{ProcedureId, Program};
use crate::c::reached::reached;

/// A complaint about a procedure.
#[derive(Clone, Debug)]
pub struct Deferred {
    /// Which.
    pub procedure: ProcedureId,
    /// The file in which that stands.
    pub unit: usize,
    /// What is refused.
    pub complaint: Diagnostic,
}

/// Those about procedures that the entry may reach.
pub fn those_reached<T>(program: &Program, all: Vec<(ProcedureId, T)>) -> Vec<T> {
    if all.is_empty() {
        return Vec::new();
    }
    let reached = reached(program, false).procedures;
    all.into_iter().filter(|(procedure, _)| reached[procedure.0 as usize]).map(|(_, told)| told).collect()
}

impl Lowering<'_> {
    /// Complains if the entry may reach the procedure being made.
    pub fn defer(&mut self, message: impl Into<String>, span: Span) -> Lowered<()> {
        let procedure = self.body()?.procedure;
        let complaint = Diagnostic::error(message, span.start..span.end);
        self.deferred.push(Deferred { procedure, unit: self.unit, complaint });
        Ok(())
    }

    /// Complains where the entry may reach the procedure being made; always about what is outside of procedures.
    pub fn refuse_if_reached(&mut self, message: String, span: Span) -> Lowered<()> {
        match self.body {
            Some(_) => self.defer(message, span),
            None => Err(self.error(message, span)),
        }
    }

    /// The definition of a procedure in a header of the system: what is wrong with it is no matter if nobody calls it.
    pub fn definition_in_header(&mut self, node: &Node<ast::FunctionDefinition>) -> Lowered<()> {
        let before = std::mem::take(&mut self.complaints[self.unit]);
        let done = self.definition(node);
        let own = std::mem::replace(&mut self.complaints[self.unit], before);
        let name = declared_name(&node.node.declarator.node);
        let id = name.and_then(|name| match self.entity(&name) {
            Some(Entity::Procedure(id)) => Some(id),
            _ => None,
        });
        let Some(procedure) = id.filter(|_| own.refused()) else {
            own.into_sorted().into_iter().for_each(|complaint| self.complaints[self.unit].push(complaint));
            return done;
        };
        let errors = own.into_sorted().into_iter().filter(Diagnostic::is_error);
        let unit = self.unit;
        self.deferred.extend(errors.map(|complaint| Deferred { procedure, unit, complaint }));
        Ok(())
    }

    /// Where nothing is known of what the entry reaches, what it might have been refused for is told.
    pub fn tell_deferred(&mut self) {
        for Deferred { unit, complaint, .. } in std::mem::take(&mut self.deferred) {
            let message = format!("{}: an entry that reaches this is refused", complaint.message);
            let span = complaint.span.unwrap_or(0..0);
            self.complaints[unit].push(Diagnostic::warning(message, span));
        }
    }
}
