//! Predicate discovery from a spurious counterexample, a trace that is no run: candidates, which the abstraction decides about.

use std::collections::HashSet;

use crate::abstraction::Predicate;
use crate::abstraction::predicate::{self, atoms, reads};
use crate::c::Program;
use crate::c::expression::{ExpressionId, ExpressionKind, Term};
use crate::c::program::{ProcedureId, StatementKind};
use crate::concretise::Taken;

use super::Source;
use super::build::normal;
use super::demands::demands;
use super::farkas::refutations;
use super::inlined::inlined;
use super::interpolate::{Relations, Width, interpolants};
use super::kept::unchanged;
use super::linear::linear;
use super::templates::Shapes;
use super::transport::{Local, carried};

/// The predicates so far, each once.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub predicates: Vec<Predicate>,
    /// How many of them compare with what the program does not: those may go on and on.
    pub strange: usize,
    met: HashSet<(ExpressionId, Option<ProcedureId>)>,
    shapes: Shapes,
    /// The conditions of the program: they are so many, whatever they have in common.
    conditions: Option<HashSet<ExpressionId>>,
    /// The constants of the program: those, too, are so many.
    constants: Option<HashSet<u128>>,
    /// Templates of places where predicates diverge.
    waiting: Vec<Local>,
}

impl Known {
    /// Predicates that somebody knows, as they are.
    pub fn give(&mut self, given: &[Predicate]) {
        for predicate in given {
            if self.met.insert((predicate.expression, predicate.scope)) {
                self.predicates.push(predicate.clone());
            }
        }
    }

    /// The atoms of a condition become predicates; how many are new.
    pub fn add(&mut self, program: &mut Program, (procedure, condition): Local) -> usize {
        let mut new = 0;
        let mut open = atoms(program, condition);
        while let Some(atom) = open.pop() {
            let expression = normal(program, atom);
            let reads = reads(program, expression);
            if reads.now.is_empty() && !reads.pre && !reads.result {
                continue;
            }
            let local = reads.pre || reads.result || !reads.now.iter().all(|&variable| program.is_global(variable));
            let scope = local.then_some(procedure);
            if !self.met.insert((expression, scope)) {
                continue;
            }
            self.predicates.push(Predicate { text: program.expression_text(expression), expression, scope });
            new += 1;
            if reads.pre {
                open.extend(entry_unchanged(program, expression));
            }
            let is_written =
                self.conditions(program).contains(&expression) || self.is_of_constants(program, expression);
            self.strange += usize::from(!is_written);
            if let Some(wanted) = self.shapes.met(program, scope, expression, !is_written) {
                let templates = self.shapes.templates(program, scope, expression, wanted);
                self.waiting.extend(templates.into_iter().map(|template| (procedure, template)));
            }
        }
        new
    }

    fn conditions(&mut self, program: &mut Program) -> &HashSet<ExpressionId> {
        self.conditions.get_or_insert_with(|| {
            let all = predicate::guards(program);
            all.iter().map(|guard| normal(program, guard.expression)).collect()
        })
    }

    /// Whether a value is compared with a constant that the program has. Every loop has 0 and 1 and counts on from there.
    fn is_of_constants(&mut self, program: &Program, expression: ExpressionId) -> bool {
        let constants = self.constants.get_or_insert_with(|| own_constants(program));
        match program.terms.get(expression).kind {
            ExpressionKind::Binary(_, _, b) => match program.terms.get(b).kind {
                ExpressionKind::Constant(bits) => bits > 1 && constants.contains(&bits),
                _ => false,
            },
            _ => false,
        }
    }

    /// The templates of places that diverge join.
    fn add_waiting(&mut self, program: &mut Program) -> usize {
        let mut waiting = std::mem::take(&mut self.waiting);
        let moved = self.shapes.moved(program);
        waiting.extend(moved.into_iter().map(|(scope, condition)| (scope.unwrap_or(program.main), condition)));
        let new = waiting.into_iter().map(|local| self.add(program, local)).sum();
        self.waiting.clear();
        new
    }

    /// As a file of predicates.
    pub fn text(&self, program: &Program) -> String {
        let line = |predicate: &Predicate| {
            let scope = predicate.scope.map_or("*", |scope| &program.procedure(scope).name);
            format!("{scope}: {}\n", predicate.text)
        };
        self.predicates.iter().map(line).collect()
    }
}

/// For each value at the entry that a condition speaks of: that it is still the same. What is known where a procedure begins is
/// said of the values that are there.
fn entry_unchanged(program: &mut Program, condition: ExpressionId) -> Vec<ExpressionId> {
    let mut same = Vec::new();
    for term in program.terms.postorder(Term::Expression(condition)) {
        let Term::Expression(before) = term else { continue };
        let ExpressionKind::Pre(lvalue) = program.terms.get(before).kind else { continue };
        same.push(unchanged(program, lvalue));
    }
    same
}

/// The constants that a program has, before anything is learnt: as they are written, and as [`normal`] writes `x < c`.
fn own_constants(program: &Program) -> HashSet<u128> {
    let written = program.terms.expressions().filter_map(|expression| match expression.kind {
        ExpressionKind::Constant(bits) => Some(bits),
        _ => None,
    });
    written.flat_map(|bits| [bits, bits.saturating_sub(1)]).collect()
}

/// What a trace teaches: predicates join those that are known. From which sources there were new ones, and how many; none if
/// there is nothing to learn.
pub(super) fn learn(
    program: &mut Program,
    known: &mut Known,
    steps: &[Taken],
    core: &[usize],
    relations: Relations,
) -> Vec<(Source, usize)> {
    let mut learnt = learn_plainly(program, known, steps, core, relations);
    if learnt.is_empty() {
        let guards = asked(program, steps, core);
        note(&mut learnt, Source::Transport, transported(program, known, steps, &guards));
    }
    if learnt.is_empty() {
        // What the core leaves out may be what the abstraction lacks.
        let all: Vec<usize> = (0..steps.len()).collect();
        let guards = self::guards(program, steps, &all);
        let count = guards.iter().map(|&(at, condition)| known.add(program, (steps[at].procedure, condition))).sum();
        note(&mut learnt, Source::Guard, count);
        note(&mut learnt, Source::Transport, transported(program, known, steps, &guards));
    }
    if learnt.is_empty() {
        // What holds over the integers may fail where sums wrap around.
        let count = interpolated(program, known, steps, core, (relations, Width::Wide));
        note(&mut learnt, Source::Farkas, count);
    }
    if learnt.is_empty() {
        // What calls returned may be needed together with what their caller has.
        let all: Vec<usize> = (0..steps.len()).collect();
        let guards = self::guards(program, steps, &all);
        let count = inlined(program, steps, &guards).into_iter().map(|local| known.add(program, local)).sum();
        note(&mut learnt, Source::Transport, count);
    }
    learnt
}

/// The same from what the steps of the core ask and from linear constraints alone.
pub(super) fn learn_plainly(
    program: &mut Program,
    known: &mut Known,
    steps: &[Taken],
    core: &[usize],
    relations: Relations,
) -> Vec<(Source, usize)> {
    let mut learnt = Vec::new();
    let guards = asked(program, steps, core);
    let count = guards.into_iter().map(|(at, condition)| known.add(program, (steps[at].procedure, condition))).sum();
    note(&mut learnt, Source::Guard, count);
    note(&mut learnt, Source::Farkas, interpolated(program, known, steps, core, (relations, Width::Own)));
    note(&mut learnt, Source::Template, known.add_waiting(program));
    learnt
}

/// The conditions of some steps, and what they demand.
fn asked(program: &mut Program, steps: &[Taken], of: &[usize]) -> Vec<(usize, ExpressionId)> {
    let mut asked = guards(program, steps, of);
    asked.extend(demanded(program, steps, of));
    asked.sort_by_key(|&(at, _)| at);
    asked
}

fn note(learnt: &mut Vec<(Source, usize)>, source: Source, count: usize) {
    if count > 0 {
        learnt.push((source, count));
    }
}

fn interpolated(
    program: &mut Program,
    known: &mut Known,
    steps: &[Taken],
    core: &[usize],
    how: (Relations, Width),
) -> usize {
    let mut count = 0;
    for ranges in [false, true] {
        // The trace as it is, then each of its ends.
        let mut refuted = Vec::new();
        for linear in linear(program, steps, core, ranges) {
            let refutations = refutations(&linear);
            refuted.push(!refutations.is_empty());
            for refutation in refutations {
                for local in interpolants(program, &linear, &refutation, how) {
                    count += known.add(program, local);
                }
            }
        }
        let ends = refuted.get(1..).unwrap_or_default();
        if refuted.first() == Some(&true) || !ends.is_empty() && ends.iter().all(|&refuted| refuted) {
            break;
        }
    }
    count
}

fn transported(program: &mut Program, known: &mut Known, steps: &[Taken], guards: &[(usize, ExpressionId)]) -> usize {
    let mut count = 0;
    for &(at, condition) in guards {
        for atom in atoms(program, condition) {
            for local in carried(program, steps, at, atom) {
                count += known.add(program, local);
            }
        }
    }
    count
}

/// What some steps demand.
fn demanded(program: &mut Program, steps: &[Taken], of: &[usize]) -> Vec<(usize, ExpressionId)> {
    let mut all = Vec::new();
    for &at in of {
        let Some(step) = steps.get(at) else { continue };
        let body = program.procedure(step.procedure).body.as_ref();
        let statement = body.and_then(|body| body.get(step.label.0 as usize));
        if let Some(kind) = statement.map(|statement| statement.kind.clone()) {
            all.extend(demands(program, &kind).into_iter().map(|condition| (at, condition)));
        }
    }
    all
}

/// The conditions of some steps.
fn guards(program: &Program, steps: &[Taken], of: &[usize]) -> Vec<(usize, ExpressionId)> {
    let mut guards = Vec::new();
    for &at in of {
        let Some(step) = steps.get(at) else { continue };
        let body = program.procedure(step.procedure).body.as_ref();
        let Some(statement) = body.and_then(|body| body.get(step.label.0 as usize)) else { continue };
        if let StatementKind::Branch(condition, ..) | StatementKind::Assume(condition) = statement.kind {
            guards.push((at, condition));
        }
    }
    guards
}
