//! Whether the program fails with some inputs: the judge executes it.

use std::collections::BTreeSet;

use crate::c::Program;
use crate::c::bodiless::Meaning;
use crate::c::expression::{ExpressionKind, Term};
use crate::c::program::{Callee, Effect, Label, Overflow, ProcedureId, StatementKind};
use crate::interpreter::{self, End, Given, Inputs, execute};
use crate::limits::Limits;

use crate::question::decreasing::CHOICE;

use super::{Input, Verdict, orders};

/// How many runs with arbitrary inputs are looked at.
const SEEDS: u64 = 64;

/// The inputs that are asked for in a run that fails, and its steps.
///
/// # Errors
/// Why it does not fail.
pub(super) fn failing(
    program: &Program,
    overflow: Overflow,
    inputs: Inputs,
    steps: u64,
) -> Result<(Vec<Input>, u64), String> {
    let options = interpreter::Options::of(overflow, steps);
    let outcome = execute(program, &options, inputs, &mut |_| {});
    match &outcome.end {
        End::Failed(_) | End::Wrong(_) => Ok((outcome.inputs.iter().map(input).collect(), outcome.steps)),
        End::Unknown(doubt) => Err(doubt.told(program)),
        _ => Err("the program does not follow the trace with the inputs that were found for it".to_owned()),
    }
}

/// Steps of the only run of a program that are taken before abstraction is tried.
pub(super) const ONLY: u64 = 4_000_000;

/// What the only run of a program shows, or all of them, if they differ in orders of evaluation only.
pub(super) struct Only {
    /// Their steps.
    pub steps: u64,
    /// What is said if one of them fails; then there may be others.
    pub failed: Option<Verdict>,
}

/// The only run of a program: if it asks for no input, and nothing that it does is up to anybody else, but for the order in which it does what
/// C leaves open; none if it is not known how it ends, or it ends where something undefined is. `all` runs are wanted, or the first that fails.
///
/// Then what holds of these runs holds of the program, and nothing has to be abstracted.
pub(super) fn only_run(program: &Program, overflow: Overflow, limits: Limits, all: bool) -> Option<Only> {
    let mut only = Only { steps: 0, failed: None };
    let mut first = true;
    let were_all = orders::each(|inputs| {
        let mut certain = true;
        let options = interpreter::Options::of(overflow, ONLY.saturating_sub(only.steps)).within(limits);
        let outcome = execute(program, &options, inputs, &mut |moment| {
            certain &= is_certain(program, moment.procedure, moment.label);
        });
        only.steps += outcome.steps;
        if !certain || matches!(outcome.end, End::Unknown(_) | End::Blocked(Some(_))) {
            return None;
        }
        only.failed = only.failed.take().or_else(|| orders::failed(&outcome, first));
        first = false;
        (all || only.failed.is_none()).then_some(outcome.inputs)
    });
    (were_all || !all && only.failed.is_some()).then_some(only)
}

/// Whether a statement has one effect only, but for the inputs that it asks for. What is elsewhere may do this and that, unless it does
/// something definite, on which no run depends that is known; and an allocation may fail.
pub(super) fn is_certain(program: &Program, procedure: ProcedureId, Label(label): Label) -> bool {
    let body = program.procedure(procedure).body.as_ref();
    let kind = body.and_then(|body| body.get(label as usize)).map(|statement| &statement.kind);
    match kind {
        Some(StatementKind::External(.., effect)) => effect.reason().is_some(),
        Some(StatementKind::Allocate { .. }) => false,
        Some(StatementKind::Call(_, Callee::Pointer(_), _)) => {
            let mut foreign = program.procedures.iter().filter_map(|procedure| procedure.foreign.as_ref());
            !foreign.any(|foreign| foreign.taken && foreign.effect == Effect::Any && foreign.meaning == Meaning::Input)
        }
        _ => true,
    }
}

/// An input as it is reported.
pub fn input(given: &Given) -> Input {
    let &Given { value, ty, place, variable, .. } = given;
    Input { call: given.call.as_deref().map(str::to_owned), place, value, ty, variable }
}

/// The inputs of the first steps of a run that are the program's own: no choices of the question that was written into it.
pub(super) fn own_inputs(program: &Program, overflow: Overflow, numbers: &[i128], steps: u64) -> Vec<i128> {
    let run = interpreter::Options::of(overflow, steps);
    let outcome = execute(program, &run, Inputs::list(numbers.iter().copied()), &mut |_| {});
    let own = outcome.inputs.iter().filter(|given| given.call.as_deref() != Some(CHOICE));
    own.map(|given| given.value).collect()
}

/// Inputs that are worth trying before anything is computed: arbitrary ones, and the same number again and again, of those with which
/// the program compares.
pub(super) fn simple(program: &Program) -> impl Iterator<Item = Inputs> {
    let same = constants(program).into_iter().map(|number| Inputs::list(std::iter::repeat_n(number, 1_000)));
    (1..=SEEDS).map(Inputs::Seeded).chain(same)
}

/// The numbers that a program compares with, and those beside them.
fn constants(program: &Program) -> Vec<i128> {
    let mut numbers = BTreeSet::new();
    for statement in program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten()) {
        let (StatementKind::Branch(condition, ..) | StatementKind::Assume(condition)) = statement.kind else {
            continue;
        };
        for term in program.terms.postorder(Term::Expression(condition)) {
            let Term::Expression(id) = term else { continue };
            let expression = program.terms.get(id);
            if let (ExpressionKind::Constant(bits), Some(integer)) =
                (&expression.kind, program.types.as_integer(expression.ty))
            {
                let number = integer.number(*bits);
                numbers.extend([number.saturating_sub(1), number, number.saturating_add(1)]);
            }
        }
    }
    numbers.into_iter().collect()
}
