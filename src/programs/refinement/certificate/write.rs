//! Certificates of C programs as text.

use std::collections::HashMap;
use std::io::{self, Write};

use crate::c::Program;
use crate::c::program::{ProcedureId, StatementId, VariableId};
use crate::certificate::quoted;
use crate::decisions::Decision;

use super::super::invariants::claims::{Claim as Fact, Invariant, Quantity, Where};
use super::{Certificate, Claim, Moment, Spoken, Statements, Subject, Test, Way};

/// Writes a certificate of a program, with remarks for people.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, program: &Program, certificate: &Certificate) -> io::Result<()> {
    let Certificate { subject: subject @ Subject { about, claim, .. }, way } = certificate;
    writeln!(out, "puch-certificate-c 1")?;
    writeln!(out, "about fnv1a64 {about:016x}")?;
    match claim {
        Claim::Assertions => writeln!(out, "claim assertions")?,
        Claim::Reach(place) => writeln!(out, "claim reach {}", quoted(place))?,
        Claim::Property(property) => writeln!(out, "claim property {}", quoted(property))?,
    }
    writeln!(out, "overflow {}", subject.overflow())?;
    let names = Names { program };
    match way {
        Way::Executed => writeln!(out, "executed")?,
        Way::CutPoints(invariants) => {
            let mut last = None;
            for invariant in invariants {
                if let Where::Before(at) = invariant.at
                    && last.replace(at) != Some(at)
                {
                    names.place(out, at)?;
                }
                writeln!(out, "invariant {}", names.invariant(invariant))?;
            }
        }
        Way::Statements(statements) => names.statements(out, statements)?,
    }
    writeln!(out, "end")
}

/// Names as they are written here: always in quotes.
struct Names<'p> {
    program: &'p Program,
}

impl Names<'_> {
    fn statements(&self, out: &mut dyn Write, statements: &Statements) -> io::Result<()> {
        for (number, Spoken { scope, told, text }) in (0..).zip(&statements.predicates) {
            let scope = scope.map_or_else(|| "*".to_owned(), |scope| self.procedure(scope));
            if !told.is_empty() {
                writeln!(out, "// {number}: {}", told.replace(['\n', '\r'], " "))?;
            }
            writeln!(out, "predicate {scope} {text}")?;
        }
        // What several diagrams share is written once.
        let mut numbers: HashMap<Decision<Test>, u32> = HashMap::new();
        for ((moment, at), diagram) in &statements.said {
            let mut own: Vec<u32> = vec![0, 1];
            for &Decision { test, low, high } in &diagram.decisions {
                let (low, high) = (own[low as usize], own[high as usize]);
                let next = numbers.len() as u32 + 2;
                let number = *numbers.entry(Decision { test, low, high }).or_insert(next);
                if number == next {
                    let when = if test.entry { "entry" } else { "now" };
                    writeln!(out, "{number} = {when} {} ? {high} : {low}", test.predicate)?;
                }
                own.push(number);
            }
            let word = match moment {
                Moment::Before => "before",
                Moment::Returned => "returned",
            };
            self.place(out, *at)?;
            writeln!(out, "{word} {} : {}", self.statement(*at), own[diagram.root as usize])?;
        }
        Ok(())
    }

    /// Where a statement stands, for people.
    fn place(&self, out: &mut dyn Write, at: StatementId) -> io::Result<()> {
        let Some(statement) = self.program.statement(at) else { return Ok(()) };
        let (place, said) = (statement.place, self.program.statement_text(statement).replace(['\n', '\r'], " "));
        let file = self.program.file(place);
        writeln!(out, "// {file}:{}: {said}", place.line)
    }

    fn procedure(&self, id: ProcedureId) -> String {
        quoted(&self.program.procedure(id).name)
    }

    fn statement(&self, at: StatementId) -> String {
        format!("{} {}", self.procedure(at.procedure), at.label.0)
    }

    fn invariant(&self, Invariant { at, when, then }: &Invariant) -> String {
        let mut text = match at {
            Where::Before(at) => format!("before {}", self.statement(*at)),
            Where::Returned(procedure) => format!("returned {}", self.procedure(*procedure)),
        };
        for fact in when {
            text += &format!(" when {}", self.fact(fact));
        }
        text + " then " + &self.fact(then)
    }

    fn fact(&self, fact: &Fact) -> String {
        let sum = |sum: &[(Quantity, i128)]| -> String {
            sum.iter().map(|(quantity, by)| format!("{by} {} ", self.quantity(quantity))).collect()
        };
        match fact {
            Fact::AtMost(parts, most) => format!("{}<= {most}", sum(parts)),
            Fact::Rest(parts, modulus, rest) => format!("{}mod {modulus} = {rest}", sum(parts)),
        }
    }

    fn quantity(&self, quantity: &Quantity) -> String {
        // Names need not be unique.
        let named =
            |word: &str, id: &VariableId| format!("{word} {} {}", quoted(&self.program.variable(*id).name), id.0);
        match quantity {
            Quantity::Now(id) => named("now", id),
            Quantity::Entered(id) => named("entered", id),
            Quantity::Cell(id) => named("cell", id),
            Quantity::Result => "result".to_owned(),
            Quantity::Index => "index".to_owned(),
        }
    }
}
