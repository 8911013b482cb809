//! Whether the program fails with some inputs: the judge executes it.

use std::collections::BTreeSet;

use crate::c::Program;
use crate::c::expression::{ExpressionKind, Term};
use crate::c::program::{InputKind, Overflow, ReasonId, StatementKind};
use crate::interpreter::{self, Doubt, End, Given, Inputs, Moment, execute};

use super::{Input, Reason};

/// How many runs with arbitrary inputs are looked at.
const SEEDS: u64 = 64;

/// The inputs that are asked for in a run that fails within these options, and its steps.
///
/// # Errors
/// Why it does not fail.
pub(super) fn failing(
    program: &Program,
    options: &interpreter::Options,
    inputs: Inputs,
) -> Result<(Vec<Input>, u64), Reason> {
    let mut exact = Exact::default();
    let outcome = execute(program, options, inputs, &mut |moment| exact.see(moment));
    match &outcome.end {
        End::Failed(_) | End::Wrong(_) => Ok((outcome.inputs.iter().map(input).collect(), outcome.steps)),
        end => Err(exact.why(program, end)),
    }
}

/// What a run does that is arbitrary to whoever proves something of the program: the first of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact(Option<ReasonId>);

impl Exact {
    /// A step of the run.
    pub fn see(&mut self, moment: &Moment<'_>) {
        let known = match moment.statement.kind {
            StatementKind::Havoc(_, reason, Some(_)) | StatementKind::Unseen(_, reason, Some(_)) => Some(reason),
            StatementKind::External(.., effect) if moment.wrote.is_some() => effect.reason(),
            _ => None,
        };
        self.0 = self.0.or(known);
    }

    /// Why a run that has ended so does not fail where an abstraction does.
    pub fn why(self, program: &Program, end: &End) -> Reason {
        let start = program.unrepresented.iter().find(|one| one.exact.is_some() && !one.unseen);
        match (end, self.0.or(start.map(|one| one.reason))) {
            (End::Unknown(doubt), _) => Reason::of_run(doubt, program),
            // What was taken for arbitrary is not.
            (_, Some(reason)) => Reason::of_run(&Doubt::Unrepresented(reason), program),
            _ => Reason::OtherRun,
        }
    }
}

/// An input as it is reported.
pub fn input(given: &Given) -> Input {
    let &Given { value, ty, place, scalar, life, .. } = given;
    Input { call: given.call.clone(), place, value, ty, scalar, life }
}

/// The inputs of the first steps of a run that are the program's own: no choices of the question that was written into it.
pub(super) fn own_inputs(program: &Program, overflow: Overflow, numbers: &[i128], steps: u64) -> Vec<i128> {
    let run = interpreter::Options::of(overflow, steps);
    let outcome = execute(program, &run, Inputs::list(numbers.iter().copied()), &mut |_| {});
    let own = outcome.inputs.iter().filter(|given| given.call != Some(InputKind::Choice));
    own.map(|given| given.value).collect()
}

/// Inputs that are worth trying before anything is computed: arbitrary ones, and the same number again and again, of those with which
/// the program compares.
pub(super) fn simple(program: &Program) -> impl Iterator<Item = Inputs> {
    let same = constants(program).into_iter().map(|number| Inputs::list(std::iter::repeat_n(number, 1_000)));
    let scarce = (1..=if may_lack(program) { SEEDS } else { 0 }).map(Inputs::Scarce);
    (1..=SEEDS).map(Inputs::Seeded).chain(same).chain(scarce)
}

/// Whether an allocation may fail.
fn may_lack(program: &Program) -> bool {
    let mut statements = program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
    statements.any(|statement| matches!(statement.kind, StatementKind::Allocate { lacks: true, .. }))
}

/// The numbers that a program compares with, and those beside them.
pub fn constants(program: &Program) -> Vec<i128> {
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
