//! A trace of the Boolean program as a path of the C program: is it a run, and with which inputs? The path is executed with inputs as
//! variables of bit-vectors; branches go where the trace goes, and one query finds values for them (design of counterexample-guided
//! tools; Ball and Rajamani, *Generating abstract explanations of spurious counterexamples*, MSR-TR-2002-09).
//!
//! What is found is only a proposal: the judge executes the program with it. So what is hard to say here may be refused.

use spds_format::Spds;
use spds_format::model::SymbolId;

use crate::abstraction::Text;
use crate::bitvec::{Answer, Bounds, Session, Term};
use crate::c::program::{Callee, Label, ProcedureId, StatementKind};
use crate::run::{Run, Step as RunStep, Then};

use super::confirm::described;
use super::instrument::Instrumented;
use super::symbolic::Symbolic;
use super::{Step, Trace};

/// More statements than that are not followed: calls in a trace are folded, and it can be exponentially long.
const LONGEST: usize = 200_000;

/// A line of the Boolean program in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    /// Of which statement.
    pub procedure: ProcedureId,
    pub label: Label,
    /// Which of the lines made of it.
    line: usize,
    /// How many calls are open.
    depth: usize,
}

/// The statements of a run; none if there are too many.
pub(super) fn points(spds: &Spds, text: &Text, run: &Run) -> Vec<Point> {
    let mut points = Vec::new();
    // Parts of the run that are open: their steps, the next one, and how deep they are.
    let mut open: Vec<(&[RunStep], usize, usize)> = vec![(&run.stem, 0, 0)];
    while let Some((steps, at, base)) = open.pop() {
        let Some(step) = steps.get(at) else { continue };
        let depth = base + step.depth as usize;
        points.extend(point(spds, text, step.config.symbol, depth));
        if points.len() > LONGEST {
            return Vec::new();
        }
        open.push((steps, at + 1, base));
        if let Then::Call(call) = step.then
            && let Some(call) = run.calls.get(call)
        {
            open.push((&call.steps, 0, depth + 1));
        }
    }
    points
}

fn point(spds: &Spds, text: &Text, symbol: SymbolId, depth: usize) -> Option<Point> {
    let line = spds.symbol(symbol).place?.line as usize;
    let place = (*text.places.get(line)?)?;
    let first = (0..line).rev().take_while(|&other| text.places[other] == Some(place)).count();
    let label = Label(place.line.checked_sub(1)?);
    Some(Point { procedure: ProcedureId(place.file), label, line: first, depth })
}

/// The trace for readers; not known to be a run.
pub(super) fn abstract_trace(instrumented: &Instrumented, points: &[Point]) -> Trace {
    let mut steps: Vec<Step> = Vec::new();
    let mut last = None;
    for (at, point) in points.iter().enumerate() {
        while steps.last().is_some_and(|step| step.depth > point.depth) {
            steps.pop();
            last = None;
        }
        let here = (point.procedure, point.label, point.depth);
        if last != Some(here) {
            let next = points[at..].iter().find(|next| (next.procedure, next.label) != (point.procedure, point.label));
            let next = next.map(|next| next.label);
            let described = described(instrumented, point.procedure, point.label, point.depth, next);
            let repeated = described.is_none() || steps.last() == described.as_ref();
            steps.extend(described.filter(|_| !repeated));
        }
        last = Some(here);
    }
    Trace { inputs: Vec::new(), steps }
}

/// Inputs with which the program follows a trace.
///
/// # Errors
/// Why there are none, or none were found.
pub(super) fn inputs(instrumented: &Instrumented, points: &[Point], bounds: &Bounds) -> Result<Vec<i128>, String> {
    if points.is_empty() {
        return Err("its trace is too long to be followed".to_owned());
    }
    let mut walk = Walk { symbolic: Symbolic::new(&instrumented.program)?, points, at: 0, path: Vec::new() };
    walk.follow()?;
    let Walk { symbolic, path, .. } = walk;
    let Symbolic { mut terms, conditions, inputs, .. } = symbolic;
    let all: Vec<Term> = path.into_iter().chain(conditions).collect();
    match Session::new(bounds).check(&mut terms, &all) {
        Answer::Sat(model) => {
            let values = |number| model.variable(number);
            let mut evaluation = crate::bitvec::Evaluation::new(&terms, &values);
            Ok(inputs
                .into_iter()
                .map(|(term, signed)| {
                    let bits = evaluation.value(term);
                    let width = terms.width(term);
                    if signed { crate::bitvec::value::signed(bits, width) } else { bits as i128 }
                })
                .collect())
        }
        Answer::Unsat(_) => Err("its trace is no run of the program".to_owned()),
        Answer::Unknown => Err("whether its trace is a run of the program was not found out".to_owned()),
    }
}

struct Walk<'a> {
    symbolic: Symbolic<'a>,
    points: &'a [Point],
    at: usize,
    /// What the branches demand.
    path: Vec<Term>,
}

impl Walk<'_> {
    /// To the failing statement at the end of the trace.
    fn follow(&mut self) -> Result<(), String> {
        let goal = self.points.last().map(|point| (point.procedure, point.label));
        for _ in 0..self.points.len() * 8 + 1_000 {
            let Some((procedure, label)) = self.symbolic.here() else { break };
            let program = self.symbolic.program;
            let Some(statement) =
                program.procedure(procedure).body.as_ref().and_then(|body| body.get(label.0 as usize))
            else {
                break;
            };
            if let StatementKind::Fail(_) = statement.kind {
                return if goal == Some((procedure, label)) {
                    Ok(())
                } else {
                    Err("its trace leads elsewhere".to_owned())
                };
            }
            self.come_to(procedure, label);
            match &statement.kind {
                StatementKind::Branch(condition, yes, no) => {
                    let truth = self.symbolic.truth(*condition)?;
                    let taken = self.direction(procedure, label, truth, (*yes, *no))?;
                    let demanded = if taken { truth } else { self.symbolic.terms.not(truth) };
                    if self.symbolic.terms.as_constant(demanded) == Some(0) {
                        return Err("its trace is no run of the program".to_owned());
                    }
                    self.path.push(demanded);
                    self.symbolic.go(if taken { *yes } else { *no });
                }
                StatementKind::Call(to, Callee::Pointer(pointer), arguments) => {
                    let callee = self.symbolic.procedure(*pointer)?;
                    self.symbolic.call(*to, callee, arguments)?;
                }
                StatementKind::Call(to, Callee::Procedure(callee), arguments) => {
                    self.symbolic.call(*to, *callee, arguments)?
                }
                kind => self.symbolic.execute(kind)?,
            }
        }
        Err("the program does not follow its trace".to_owned())
    }

    /// Moves to the first point of a statement that is executed, if the trace has one soon.
    fn come_to(&mut self, procedure: ProcedureId, label: Label) {
        let here = |point: &Point| (point.procedure, point.label) == (procedure, label);
        if let Some(skipped) = self.points[self.at.min(self.points.len())..].iter().take(64).position(here) {
            self.at += skipped;
        }
    }

    /// Where the trace goes from a branch; where it does not say it, where the condition goes.
    fn direction(
        &mut self,
        procedure: ProcedureId,
        label: Label,
        truth: Term,
        to: (Label, Label),
    ) -> Result<bool, String> {
        if let Some(value) = self.symbolic.terms.as_constant(truth) {
            return Ok(value == 1);
        }
        let here = |point: &&Point| (point.procedure, point.label) == (procedure, label);
        let own: Vec<usize> = self.points[self.at..].iter().take_while(here).map(|point| point.line).collect();
        self.at += own.len();
        // The lines of a branch: `goto`, and for each side `assume` and `goto`.
        if let Some(line) = own.iter().find(|&&line| line > 0) {
            return Ok(*line <= 2);
        }
        match self.points.get(self.at).map(|point| point.label) {
            Some(next) if next == to.0 && to.0 != to.1 => Ok(true),
            Some(next) if next == to.1 && to.0 != to.1 => Ok(false),
            _ => Err("its trace does not say where the program branches".to_owned()),
        }
    }
}
