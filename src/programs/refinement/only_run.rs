//! Programs whose only run, but for orders of evaluation and allocations that fail, is executed: nothing has to be abstracted.

use std::collections::BTreeSet;

use spds_format::model::Place;

use crate::c::bodiless::Meaning;
use crate::c::expression::{LvalueId, LvalueKind};
use crate::c::program::{Callee, Effect, Label, Overflow, ProcedureId, StatementKind};
use crate::c::results::looked_at;
use crate::c::{Program, arithmetic};
use crate::interpreter::{self, End, Fault, execute};
use crate::limits::Limits;
use crate::run::Trusted;
use crate::transition::undefined::Undefined;

use super::{Verdict, orders};

/// Steps of the only run of a program that are taken before abstraction is tried.
pub(super) const ONLY: u64 = 4_000_000;

/// What the only run of a program shows, or all of them, if they differ in orders of evaluation only.
pub(super) struct Only {
    /// Their steps.
    pub steps: u64,
    /// What is said if one of them fails; then there may be others.
    pub failed: Option<Verdict>,
    /// What is undefined, and ends runs in which an allocation fails.
    pub undefined: BTreeSet<(Undefined, Place)>,
}

/// The only run of a program: if it asks for no input, and nothing that it does is up to anybody else, but for the order in which it does what
/// C leaves open, and for allocations that fail; none if it is not known how it ends, or it ends where something undefined is. `all` runs are
/// wanted, or the first that fails.
///
/// Of runs in which an allocation fails it matters only whether they do: no run goes on past what is undefined, such as where NULL leads.
///
/// Then what holds of these runs holds of the program, and nothing has to be abstracted.
pub(super) fn only_run(program: &Program, overflow: Overflow, limits: Limits, all: bool) -> Option<Only> {
    let mut only = Only { steps: 0, failed: None, undefined: BTreeSet::new() };
    let were_all = orders::each(|inputs| {
        let mut certain = true;
        let options = interpreter::Options::of(overflow, ONLY.saturating_sub(only.steps)).within(limits);
        let outcome = execute(program, &options, inputs, &mut |moment| {
            certain &= is_certain(program, moment.procedure, moment.label);
        });
        only.steps += outcome.steps;
        let known = match outcome.end {
            End::Unknown(_) => false,
            End::Blocked(Some(fault)) if outcome.lacked && !all => {
                let kind = kind(fault);
                only.undefined.extend(kind.map(|kind| (kind, outcome.place)));
                kind.is_some()
            }
            End::Blocked(Some(_)) => false,
            _ => true,
        };
        if !certain || !known {
            return None;
        }
        only.failed = only.failed.take().or_else(|| orders::failed(&outcome));
        (all || only.failed.is_none()).then_some(outcome.inputs)
    });
    (were_all || !all && only.failed.is_some()).then_some(only)
}

/// What is undefined where a run ends so, as far as abstractions say it.
fn kind(fault: Fault) -> Option<Undefined> {
    match fault {
        Fault::Overflow => Some(Undefined::Overflow),
        Fault::Arithmetic(arithmetic::Undefined::QuotientTooLarge) => Some(Undefined::Quotient),
        Fault::Arithmetic(arithmetic::Undefined::Length) => Some(Undefined::Length),
        Fault::Arithmetic(_) => Some(Undefined::Arithmetic),
        Fault::Conversion | Fault::Format => None,
        Fault::Null | Fault::OutOfBounds | Fault::Dead | Fault::Constant | Fault::BadFree => Some(Undefined::Access),
    }
}

/// Whether a statement has one effect only, but for the inputs that it asks for. What is elsewhere may do this and that, unless it does
/// something definite, on which no run depends that is known.
pub(super) fn is_certain(program: &Program, procedure: ProcedureId, Label(label): Label) -> bool {
    let body = program.procedure(procedure).body.as_ref();
    let kind = body.and_then(|body| body.get(label as usize)).map(|statement| &statement.kind);
    match kind {
        Some(StatementKind::External(.., effect)) => effect.reason().is_some(),
        Some(StatementKind::Call(_, Callee::Pointer(_), _)) => {
            let mut foreign = program.procedures.iter().filter_map(|procedure| procedure.foreign.as_ref());
            !foreign.any(|foreign| foreign.taken && foreign.effect == Effect::Any && foreign.meaning == Meaning::Input)
        }
        _ => true,
    }
}

/// That output succeeds in runs that are executed, which is taken on trust where the program looks at whether it does. Linear.
pub fn trusted_output(program: &Program) -> Option<Trusted> {
    let statements = || program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
    let seen = looked_at(program);
    let asked: BTreeSet<&str> = statements()
        .filter_map(|statement| match &statement.kind {
            StatementKind::External(Some(to), callee, ..) => Some((*to, &*program.procedure(*callee).name)),
            _ => None,
        })
        .filter(|(to, name)| interpreter::succeeds(name) && (seen.contains(to) || !is_variable(program, *to)))
        .map(|(_, name)| name)
        .collect();
    let names: Vec<String> = asked.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| {
        let text = format!("output is taken to succeed, of which the program looks at: {}", names.join(", "));
        Trusted { code: "output", text }
    })
}

fn is_variable(program: &Program, l: LvalueId) -> bool {
    matches!(program.terms.at(l).kind, LvalueKind::Variable(_))
}
