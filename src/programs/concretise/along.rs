//! The path condition and the path relation of a run: a path that was executed, executed once more over terms: what its steps demand, and what
//! expressions come to before and after.

use crate::bitvec::{Answer, Bounds, Evaluation, Solver, Term, Terms, value};
use crate::c::Program;
use crate::c::command::{Call, Command, Whom};
use crate::c::expression::ExpressionId;
use crate::c::program::{Callee, Overflow, StatementId};

use super::lost::Lost;
use super::symbolic::{Symbolic, Value};

/// A path: where control is before each of its steps, and at its end.
#[derive(Clone, Copy, Debug)]
pub struct Along<'a> {
    /// The program.
    pub program: &'a Program,
    /// What overflows are.
    pub overflow: Overflow,
    /// The statements.
    pub path: &'a [StatementId],
    /// Where on it values are taken for the first time; for the second time they are at its end.
    pub from: usize,
    /// Whether it begins where the program does; else in a state of which nothing is known.
    pub begins: bool,
}

/// A path as a relation.
pub struct TraceRelation {
    terms: Terms,
    /// What has to hold.
    conditions: Vec<Term>,
    /// Each expression before and after, if it is a number there, and whether it has a sign.
    values: Vec<Option<(Term, Term, bool)>>,
    inputs: Vec<(Term, bool)>,
}

/// Follows a path, and looks at expressions where control is at its two ends. Linear in the path but for what terms grow to.
///
/// # Errors
/// What cannot be said in terms.
pub fn along(along: &Along<'_>, expressions: &[ExpressionId]) -> Result<TraceRelation, Lost> {
    let Along { program, overflow, path, from, begins } = *along;
    let first = *path.first().ok_or(Lost::NoSteps)?;
    let mut symbolic = match begins {
        true => Symbolic::new(program, overflow)?,
        false => Symbolic::anywhere(program, overflow, first),
    };
    let mut before = Vec::new();
    for (at, window) in path.windows(2).enumerate() {
        if at == from {
            before = numbers(&mut symbolic, expressions);
        }
        step(&mut symbolic, window[0], window[1])?;
    }
    let after = numbers(&mut symbolic, expressions);
    let values = expressions.iter().zip(before.into_iter().zip(after)).map(|(&expression, pair)| {
        let signed = program.types.as_integer(program.terms.get(expression).ty).is_some_and(|integer| integer.signed);
        match pair {
            (Some(before), Some(after)) => Some((before, after, signed)),
            _ => None,
        }
    });
    let values = values.collect();
    Ok(TraceRelation { terms: symbolic.terms, conditions: symbolic.conditions, values, inputs: symbolic.inputs })
}

fn numbers(symbolic: &mut Symbolic<'_>, expressions: &[ExpressionId]) -> Vec<Option<Term>> {
    let number = |&expression: &ExpressionId| match symbolic.value(expression) {
        Ok(Value::Number(term)) => Some(term),
        _ => None,
    };
    expressions.iter().map(number).collect()
}

/// One step, to where the path goes.
fn step(
    symbolic: &mut Symbolic<'_>,
    StatementId { procedure, label }: StatementId,
    next: StatementId,
) -> Result<(), Lost> {
    if symbolic.here() != Some(StatementId { procedure, label }) {
        return Err(Lost::OtherPath);
    }
    let program = symbolic.program;
    let body = program.procedure(procedure).body.as_ref();
    let statement = body.and_then(|body| body.get(label.0 as usize)).ok_or(Lost::OtherPath)?;
    match statement.kind.command(label) {
        Command::Asks(condition, yes, Some(no)) => {
            let truth = symbolic.truth(condition)?;
            if yes != no {
                let demanded = if next.label == yes { truth } else { symbolic.terms.not(truth) };
                symbolic.conditions.push(demanded);
            }
            symbolic.go(next.label);
        }
        Command::Calls(Call { to, whom: Whom::Callee(Callee::Procedure(callee)), arguments }, _) => {
            symbolic.call(to, callee, arguments)?;
        }
        Command::Calls(Call { to, whom: Whom::Callee(Callee::Pointer(pointer)), arguments }, _) => {
            let callee = symbolic.procedure(pointer, Some(next.procedure))?;
            symbolic.call(to, callee, arguments)?;
        }
        command => symbolic.execute(command)?,
    }
    Ok(())
}

impl TraceRelation {
    /// Whether an expression, by its number, has another value afterwards in some run.
    pub fn changes(&self, expression: usize) -> bool {
        self.values[expression].is_some_and(|(before, after, _)| before != after)
    }

    /// From now on only the run with these inputs counts.
    pub fn with_inputs(&mut self, numbers: &[i128]) {
        for (&(input, _), &number) in self.inputs.iter().zip(numbers) {
            let width = self.terms.width(input);
            let value = self.terms.constant(value::unsigned(number, width), width);
            let same = self.terms.eq(input, value);
            self.conditions.push(same);
        }
    }

    /// Whether an expression is less afterwards in each run, or greater where it rises. That it is not found out is no.
    pub fn decreases(&mut self, expression: usize, rises: bool, bounds: &Bounds) -> bool {
        let Some((before, after, signed)) = self.values[expression] else { return false };
        let (less, more) = if rises { (before, after) } else { (after, before) };
        let decreases = if signed { self.terms.slt(less, more) } else { self.terms.ult(less, more) };
        let mut demanded = self.conditions.clone();
        demanded.push(self.terms.not(decreases));
        Solver::new(bounds).check(&mut self.terms, &demanded).is_unsat()
    }

    /// Inputs with which the path is taken, and all these expressions are afterwards what they were before; none if there are none or
    /// they are not found.
    pub fn recurs(&mut self, expressions: &[usize], bounds: &Bounds) -> Option<Vec<i128>> {
        let mut demanded = self.conditions.clone();
        for &expression in expressions {
            let (before, after, _) = self.values[expression]?;
            demanded.push(self.terms.eq(before, after));
        }
        let Answer::Sat(model) = Solver::new(bounds).check(&mut self.terms, &demanded) else { return None };
        let values = |number| model.variable(number);
        let mut evaluation = Evaluation::new(&self.terms, &values);
        let number = |&(term, signed): &(Term, bool)| match evaluation.value(term) {
            bits if signed => value::signed(bits, self.terms.width(term)),
            bits => bits as i128,
        };
        Some(self.inputs.iter().map(number).collect())
    }
}
