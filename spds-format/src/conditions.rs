//! Conditions of the edges of automata, and what states carry, as text.

use crate::diagnostic::Diagnostic;
use crate::error::{ModelError, ModelPart, Spot};
use crate::expr::{Expr, Time};
use crate::expression::{Qualifier, Raw, reference};
use crate::lexis::{Span, shown, write_name};
use crate::model::{FrameId, Spds, Var};
use crate::names::{Report, Variables, resolve_expression};
use crate::print::Printer;
use crate::scope::Scope;
use crate::statement::condition;
use crate::typing::{Need, check};

/// Reads and writes many conditions about one system.
pub struct Conditions<'a> {
    spds: &'a Spds,
    variables: Variables<'a>,
    printer: Printer<'a>,
}

impl<'a> Conditions<'a> {
    /// Linear in the variables of the system.
    pub fn new(spds: &'a Spds) -> Conditions<'a> {
        Conditions { spds, variables: Variables::of_model(spds), printer: Printer::new(spds) }
    }

    /// The condition that a text in the notation of expressions means in that scope: without `*`, with primes where the
    /// scope knows other moments.
    ///
    /// # Errors
    /// All mistakes that could be found, with their places in the text.
    pub fn read(&self, scope: &Scope, text: &str) -> Result<Expr, Vec<Diagnostic>> {
        let raw = condition(text)?;
        let mut report = Report::new(text.len());
        for op in &raw {
            if let Raw::Read(reference) | Raw::Cell(reference) = &op.what
                && let Qualifier::Frame(frame) = &reference.scope
            {
                let message = format!("locals are written without their frame here, not as one of {}", shown(frame));
                report.add(Diagnostic::error(message, op.span.range(text.len())));
            }
        }
        let expr = resolve_expression(&raw, scope, &self.variables, &mut report);
        let Some(expr) = expr.filter(|_| !report.complaints.refused()) else {
            return Err(report.complaints.into_sorted());
        };
        check(self.spds, scope, &expr, Need::Proposition, &mut |op, problem| {
            let error = ModelError { part: ModelPart::Model, spot: Spot::Condition(op), problem };
            let mut complaint = Diagnostic::error(error.problem.to_string(), raw[op].span.range(text.len()));
            complaint.help = error.help();
            report.add(complaint);
        });
        report.unless_refused(Some(expr))
    }

    /// The condition in the notation that [`Conditions::read`] reads.
    pub fn write(&self, scope: &Scope, condition: &Expr) -> String {
        let mut text = String::new();
        self.printer.expr(&mut text, scope, condition).expect("a string takes everything");
        text
    }

    /// The variable with that name among the locals of the frame, or among the globals: `x`, `::x`.
    ///
    /// # Errors
    /// If there is none, or if the text is no name.
    pub fn variable(&self, frame: Option<FrameId>, text: &str) -> Result<Var, Vec<Diagnostic>> {
        let wrong = || vec![Diagnostic::error(format!("{} is no variable's name", shown(text)), 0..text.len())];
        let (reference, span): (_, Span) = match reference(text) {
            Ok(("", read)) => read,
            _ => return Err(wrong()),
        };
        if reference.time != Time::Before || matches!(reference.scope, Qualifier::Frame(_)) {
            return Err(wrong());
        }
        let mut report = Report::new(text.len());
        let found = self.variables.find(&reference, span, &Scope::here(frame), &mut report);
        report.unless_refused(found.map(|(var, _)| var))
    }

    /// The variable in the notation that [`Conditions::variable`] reads.
    pub fn name(&self, frame: Option<FrameId>, var: Var) -> String {
        let mut text = String::new();
        let written = self.printer.reference(&mut text, &Scope::here(frame), var, Time::Before);
        written.expect("a string takes everything");
        text
    }

    /// The name of anything but a variable as texts of the notation have it, in quotes where it is not plain.
    pub fn other_name(name: &str) -> String {
        let mut text = String::new();
        write_name(&mut text, name).expect("a string takes everything");
        text
    }
}
