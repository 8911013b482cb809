//! Values at entry of which no caller learns anything.
//!
//! A predicate like `g == pre(g)` tells callers what a call leaves of the global `g`. Those of their predicates that are about globals alone need
//! not be told: they are global in the Boolean program too, and the callee has updated them itself. Where a caller has no other predicate that
//! reads `g`, none of the callee relates `pre(g)` to anything but `g`, and nothing relates what the callee returns to anything else, only
//! states and summaries are told apart by it. The callee does not learn anything from it either: of a value that nothing else speaks of every
//! relation to `g` can be true.

use std::collections::BTreeSet;

use crate::analyses::Analyses;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{ProcedureId, Program, StatementKind, VariableId};
use crate::points_to::{ObjectId, PointsTo};

use super::predicate::Predicate;

/// What a predicate reads.
#[derive(Default)]
struct Spoken {
    /// Whose values now.
    now: BTreeSet<ObjectId>,
    /// Whose values at entry.
    pre: BTreeSet<ObjectId>,
    /// How many values.
    values: usize,
    /// Whether what is returned is one of them.
    result: bool,
    /// The variable of which alone it speaks, as it is and as it was: if that is so, and it is a global one.
    own: Option<ObjectId>,
}

/// The predicates without those that tell no caller anything; in the same order. As long as it takes to follow calls, for each of them.
pub(super) fn remembered(program: &Program, analyses: &Analyses, predicates: &[Predicate]) -> Vec<Predicate> {
    let spoken: Vec<Spoken> =
        predicates.iter().map(|predicate| spoken(program, analyses.points_to(), predicate.expression)).collect();
    let mut dropped: Vec<bool> = spoken.iter().map(|spoken| spoken.own.is_some()).collect();
    let scope = |at: usize| predicates[at].scope.filter(|_| !is_global(program, &predicates[at]));
    let related: BTreeSet<ProcedureId> = results(program, analyses)
        .into_iter()
        .filter(|(caller, callee, to)| {
            spoken.iter().enumerate().filter(|(_, spoken)| spoken.values > 1).any(|(at, spoken)| {
                let of_result = spoken.result && scope(at) == Some(*callee);
                of_result || scope(at).is_none_or(|of| of == *caller) && !spoken.now.is_disjoint(to)
            })
        })
        .map(|(_, callee, _)| callee)
        .collect();
    loop {
        let needed = |at: usize| {
            let (Some(own), Some(procedure)) = (spoken[at].own, scope(at)) else { return true };
            if related.contains(&procedure) {
                return true;
            }
            (0..predicates.len()).filter(|&other| !dropped[other]).any(|other| {
                let of = scope(other);
                (of == Some(procedure) && spoken[other].pre.contains(&own))
                    || of.is_some_and(|of| calls(analyses, of, procedure)) && spoken[other].now.contains(&own)
            })
        };
        let kept: Vec<usize> = (0..predicates.len()).filter(|&at| dropped[at] && needed(at)).collect();
        if kept.is_empty() {
            break;
        }
        kept.into_iter().for_each(|at| dropped[at] = false);
    }
    let left = predicates.iter().zip(dropped).filter(|(_, dropped)| !dropped);
    left.map(|(predicate, _)| predicate.clone()).collect()
}

/// Where the result of a call goes: the caller, the callee, and what is written.
fn results(program: &Program, analyses: &Analyses) -> Vec<(ProcedureId, ProcedureId, BTreeSet<ObjectId>)> {
    let points_to = analyses.points_to();
    let mut results = Vec::new();
    for (caller, procedure) in (0..).map(ProcedureId).zip(&program.procedures) {
        for statement in procedure.body.iter().flatten() {
            let StatementKind::Call(Some(to), ..) = statement.kind else { continue };
            let written: BTreeSet<ObjectId> =
                points_to.lvalue(program, to).into_iter().map(|location| location.object).collect();
            let called = points_to.called(program, &statement.kind);
            results.extend(called.into_iter().map(|callee| (caller, callee, written.clone())));
        }
    }
    results
}

/// Whether it is a global of the Boolean program.
fn is_global(program: &Program, predicate: &Predicate) -> bool {
    let reads = super::predicate::reads(program, predicate.expression);
    !(reads.pre || reads.result || reads.now.iter().any(|&variable| !program.is_global(variable)))
}

/// Whether a procedure may call another one itself.
fn calls(analyses: &Analyses, caller: ProcedureId, callee: ProcedureId) -> bool {
    analyses.modified().calls[caller.0 as usize].binary_search(&(callee.0 as usize)).is_ok()
}

fn spoken(program: &Program, points_to: &PointsTo, expression: ExpressionId) -> Spoken {
    let (mut spoken, mut is_plain, mut is_state) = (Spoken::default(), true, true);
    let mut variables: BTreeSet<VariableId> = BTreeSet::new();
    let mut values = 0;
    let mut read = |from: LvalueId, objects: &mut BTreeSet<ObjectId>| {
        objects.extend(points_to.lvalue(program, from).into_iter().map(|location| location.object));
        values += 1;
        match program.terms.at(from).kind {
            LvalueKind::Variable(variable) => drop(variables.insert(variable)),
            _ => is_plain = false,
        }
    };
    for term in program.terms.postorder(Term::Expression(expression)) {
        let Term::Expression(id) = term else { continue };
        match program.terms.get(id).kind {
            ExpressionKind::Read(from) => read(from, &mut spoken.now),
            ExpressionKind::Pre(from) => read(from, &mut spoken.pre),
            ExpressionKind::AddressOf(_) => is_state = false,
            ExpressionKind::Result => spoken.result = true,
            _ => {}
        }
    }
    spoken.values = values + usize::from(spoken.result);
    let own: Vec<VariableId> = variables.into_iter().collect();
    if let [variable] = own[..]
        && is_plain
        && is_state
        && !spoken.result
        && !spoken.pre.is_empty()
        && !spoken.now.is_empty()
        && program.is_global(variable)
    {
        spoken.own = points_to.objects.variable(variable).map(|location| location.object);
    }
    spoken
}
