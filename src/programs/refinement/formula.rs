//! Whether every run of a program satisfies a formula.
//!
//! That one does not is what the judge has seen: it has executed the program until it ends or a state recurs, or into states from which it
//! goes on for ever ([`super::recurrent`]), and the word of that run violates the formula. That all do is what the abstraction of the program says, together with an automaton of the violations
//! ([`crate::question::product`]); where its lasso is no run, it is refined. Where the lasso can be followed and no state recurs, measures
//! are looked for that decrease from each time that the automaton's mark is passed to every later one (`terminates`).

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::abstraction::Edges;
use crate::analyses::cut_points::Cut;
use crate::analyses::{Analysed, Analyses};
use crate::c::Program;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueKind};
use crate::c::program::{Overflow, ProcedureId, StatementId, Storage, VariableId};
use crate::concretise::{Along, along};
use crate::interpreter::forever::{Passed, Watch, Watched, follow, watch};
use crate::interpreter::{self, End, Given, Inputs};
use crate::ltl::Proposition;
use crate::ltl::formula::Op;
use crate::ltl::{Ltl, Violations};
use crate::options::Runs;
use crate::question::atoms::Atom;
use crate::question::product::{Product, product};
use crate::replay::is_violation;

use super::invariants::{self, Search};
use super::judge::{own_inputs, simple};
use super::only_run::is_certain;
use super::ranking::{Effort, ranked};
use super::recurrent::{self, Found};
use super::rounds::Marks;
use super::single::refine_repeated;
use super::terminates::{finitely, shown};
use super::{Execution, Onward, Options, Outcome, Reason, Round, Verdict, orders};

/// Steps that the judge takes at least, before it gives up.
const STEPS: u64 = 1_000_000;

/// Steps of runs with simple inputs.
const SIMPLE_RUN_STEPS: u64 = 4_000;

/// A property of runs of a C program.
#[derive(Clone, Debug)]
pub struct Temporal {
    /// The program with the expressions of its conditions.
    pub program: Program,
    /// The words that violate it. What its propositions mean is not said there.
    pub violations: Violations,
    /// What the propositions of the automaton mean.
    pub of_automaton: Vec<Atom>,
    /// What those of the formula mean, if there is one; else of the automaton.
    pub atoms: Vec<Atom>,
    /// Which runs count.
    pub runs: Runs,
}

impl Temporal {
    /// The property that no run of a program does this: with what the propositions of the formula mean, or, where there is none, those of
    /// the automaton.
    pub fn of(program: Program, violations: Violations, atoms: Vec<Atom>, runs: Runs) -> Temporal {
        let of_automaton = match &violations.formula {
            None => atoms.clone(),
            Some(specified) => {
                let known = specified.formula.formulas.propositions();
                let meant = |proposition: &Proposition| {
                    let at = known.iter().position(|other| other.kind == proposition.kind);
                    at.map_or(Atom::Never, |at| atoms[at].clone())
                };
                violations.automaton.propositions.iter().map(meant).collect()
            }
        };
        Temporal { program, violations, of_automaton, atoms, runs }
    }
}

/// Answers whether every run satisfies a property; what each round did is told.
pub(super) fn satisfies(temporal: &Temporal, options: &Options, tell: &mut dyn FnMut(&Round<'_>)) -> Outcome {
    let judge = Judge { temporal, overflow: options.overflow };
    let outcome = found(temporal, options, tell, &judge);
    Outcome { verdict: judge.told(outcome.verdict), ..outcome }
}

fn found(temporal: &Temporal, options: &Options, tell: &mut dyn FnMut(&Round<'_>), judge: &Judge<'_>) -> Outcome {
    if let Some(outcome) = judge.only_run() {
        return outcome;
    }
    for inputs in simple(&temporal.program) {
        if options.check.limits.met().is_some() {
            break;
        }
        if let Some(verdict) = judge.violation(inputs, SIMPLE_RUN_STEPS) {
            return Outcome::at_once(verdict);
        }
    }
    let own = Analyses::of(&temporal.program);
    if let Some(verdict) = judge.recurrent(&own, options) {
        return Outcome::at_once(verdict);
    }
    let stutters = temporal.violations.formula.as_ref().is_some_and(|specified| is_without_next(&specified.formula));
    let automaton = &temporal.violations.automaton;
    // What X counts are statements.
    let mut options = options.clone();
    if !stutters {
        options.tuning.edges = Edges::Statement;
    }
    let options = &options;
    let product = product(&temporal.program, automaton, &temporal.of_automaton, temporal.runs, stutters);
    // What passes marks only finitely often whatever the abstraction says need not be looked for. That a counter overflows some day is
    // no reason why a formula should hold: here it goes on.
    let on = Options { overflow: Overflow::Wrap, ..options.clone() };
    let cuts = product.marks.iter().map(|at| Cut::Anywhere(*at));
    let analyses = Analyses::of(&product.program);
    let asked = Analysed::of(&product.program, &analyses);
    let ranked = ranked(asked, on.overflow, cuts.collect(), (&options.tuning.bounds, Effort::Little));
    if ranked.left.is_empty() {
        return shown(asked, &on, ranked.implications);
    }
    let left = ranked.left.iter().filter_map(|cut| match *cut {
        Cut::Anywhere(id) => Some(id),
        Cut::Inside(..) | Cut::Entry(_) => None,
    });
    let left: BTreeSet<StatementId> = left.collect();
    let conditions = conditions(&product, temporal);
    let judged = |path: &[StatementId]| judge.lasso(&product, path, options);
    let limits = options.check.limits;
    let known = |overflow: Overflow, effort: invariants::Effort| {
        let (of, bounds) = (Analysed::of(&temporal.program, &own), &options.tuning.bounds);
        let known = invariants::known(&Search { of, overflow, bounds, effort }, limits);
        product.known(&known)
    };
    let marks =
        Marks { statements: &left, conditions, judged: &judged, known: &|effort| known(options.overflow, effort) };
    let outcome = refine_repeated(asked, options, &marks, tell);
    if outcome.verdict != Verdict::Unknown(Reason::NotRecurring) {
        return outcome;
    }
    // The abstraction alone goes round; perhaps something decreases.
    let cuts = left.iter().map(|at| Cut::Anywhere(*at));
    let ranked = finitely(asked, &on, (cuts, &|effort| known(on.overflow, effort)), tell);
    let rounds = outcome.rounds + ranked.rounds;
    match ranked.verdict {
        Verdict::Holds => Outcome { rounds, ..ranked },
        _ => Outcome { rounds, ..outcome },
    }
}

/// Whether a formula does not see how often a letter is repeated.
fn is_without_next(ltl: &Ltl) -> bool {
    ltl.formulas.below(ltl.root).into_iter().all(|part| ltl.formulas.op(part) != Op::Next)
}

/// What is always tracked: the state of the automaton, and the propositions.
fn conditions(product: &Product, temporal: &Temporal) -> Vec<(ProcedureId, ExpressionId)> {
    let main = product.program.main;
    let states = product.states.iter().map(|&condition| (main, condition));
    let atoms = temporal.of_automaton.iter().filter_map(|atom| match atom {
        Atom::Condition(Watched { condition, scope }) => Some((scope.unwrap_or(main), *condition)),
        _ => None,
    });
    states.chain(atoms).collect()
}

/// What a run shows.
enum Seen {
    Violates(Verdict),
    /// Perhaps there is no other one.
    Satisfies {
        certain: bool,
        steps: u64,
        given: Vec<Given>,
    },
    /// It is not known how it goes on, or it does not count.
    Unknown,
}

struct Judge<'t> {
    temporal: &'t Temporal,
    overflow: Overflow,
}

impl Judge<'_> {
    /// The run with these inputs, if it violates the property.
    fn violation(&self, inputs: Inputs, steps: u64) -> Option<Verdict> {
        match self.seen(inputs, steps) {
            Seen::Violates(verdict) => Some(verdict),
            Seen::Satisfies { .. } | Seen::Unknown => None,
        }
    }

    /// What the only run shows, or all of them, if they differ in orders of evaluation only.
    fn only_run(&self) -> Option<Outcome> {
        let (mut steps, mut violated) = (0, None);
        let were_all = orders::each(|inputs| match self.seen(inputs, STEPS.saturating_sub(steps)) {
            Seen::Violates(verdict) => {
                violated = Some(verdict);
                None
            }
            Seen::Satisfies { certain: true, steps: more, given } => {
                steps += more;
                Some(given)
            }
            Seen::Satisfies { .. } | Seen::Unknown => None,
        });
        violated.map(Outcome::at_once).or_else(|| were_all.then(|| Outcome::executed(steps)))
    }

    /// What is said of the program once this is known: see [`orders::told`].
    fn told(&self, verdict: Verdict) -> Verdict {
        let program = &self.temporal.program;
        if let Verdict::Violated(Execution { onward: Onward::Recurs(_), .. }) = verdict {
            // It rests on nothing that is left open.
            return verdict;
        }
        let steps = STEPS.max(verdict.run().map_or(0, |run| run.steps.saturating_mul(2)));
        let verdict = orders::chosen(program, verdict, &|inputs| self.violation(inputs, steps).is_some());
        let Some(own) = orders::own_inputs(program, self.overflow, &verdict) else { return verdict };
        match self.violation(Inputs::list(own.inputs).left_to_right(), steps) {
            Some(again) => again,
            None if own.is_closed => orders::only_otherwise(&own.otherwise),
            None => verdict,
        }
    }

    /// A run that violates the property and never comes back to a state: what the formula sees is the same in each turn.
    fn recurrent(&self, analyses: &Arc<Analyses>, options: &Options) -> Option<Verdict> {
        let Temporal { program, atoms, .. } = self.temporal;
        let watched: Vec<Watched> = atoms.iter().filter_map(as_condition).collect();
        let bounds = (&options.tuning.bounds, options.check.limits);
        let question = recurrent::Question::of(Analysed { program, analyses }, self.overflow, &watched, bounds);
        match question.drawn(&|found| self.is_violated(found, &watched)) {
            Ok(found) => found.map(Found::verdict),
            Err(defect) => Some(Verdict::Unknown(defect)),
        }
    }

    /// Whether a run violates the property that goes on for ever as it does in its first turn.
    fn is_violated(&self, found: &Found, watched: &[Watched]) -> bool {
        let Temporal { program, violations, atoms, .. } = self.temporal;
        // Turns may differ in what nobody counts.
        let counts = violations.formula.as_ref().is_none_or(|specified| !is_without_next(&specified.formula));
        let has_places = atoms.iter().any(|atom| matches!(atom, Atom::Places(_)));
        if found.ways > 1 && (counts || has_places || !found.is_seen_alike) {
            return false;
        }
        let options = interpreter::Options::of(self.overflow, found.stem + found.turn);
        let mut letters: Vec<Box<[bool]>> = Vec::new();
        let inputs = Inputs::list(found.inputs.iter().map(|input| input.value));
        follow(program, &options, inputs, watched, &mut |passed, _| letters.push(letter(atoms, passed)));
        let (stem, turn) = (found.stem as usize, found.turn as usize);
        if letters.len() < stem + turn {
            return false;
        }
        letters.truncate(stem + turn);
        let cycle = letters.split_off(stem);
        is_violation(letters, cycle, violations)
    }

    /// What the run with these inputs shows.
    fn seen(&self, inputs: Inputs, steps: u64) -> Seen {
        let Temporal { program, violations, atoms, runs, .. } = self.temporal;
        let watched: Vec<Watched> = atoms.iter().filter_map(as_condition).collect();
        let options = interpreter::Options::of(self.overflow, steps);
        let (mut letters, mut certain): (Vec<Box<[bool]>>, bool) = (Vec::new(), true);
        let run = watch(program, &options, inputs, &watched, &mut |passed| {
            certain &= is_certain(program, passed.procedure, passed.label);
            letters.push(letter(atoms, passed));
        });
        match run {
            Watch::Forever(forever) => {
                let cycle = letters.split_off(forever.stem as usize);
                if !is_violation(letters, cycle, violations) {
                    return Seen::Satisfies { certain, steps: forever.steps, given: forever.inputs };
                }
                Seen::Violates(Verdict::Violated(Execution::forever(&forever)))
            }
            Watch::Ended(outcome, holds) => {
                let fails = matches!(outcome.end, End::Failed(_));
                let ends = fails || matches!(outcome.end, End::Returned(_) | End::Exited(_));
                if !ends || *runs == Runs::Infinite {
                    return Seen::Unknown;
                }
                if !is_violation(letters, vec![last(atoms, &holds, fails)], violations) {
                    return Seen::Satisfies { certain, steps: outcome.steps, given: outcome.inputs };
                }
                Seen::Violates(Verdict::Violated(Execution::ended(&outcome)))
            }
        }
    }

    /// What is known once the product can take this path, at whose end it is where it was before.
    fn lasso(&self, product: &Product, path: &[StatementId], options: &Options) -> Verdict {
        let Some(&last) = path.last() else { return Verdict::Unknown(Reason::NoLasso) };
        let mut program = product.program.clone();
        let state = integers(&mut program, last.procedure);
        let bounds = &options.tuning.bounds;
        let before = (0..path.len() - 1).rev().filter(|&at| path[at] == last);
        for from in before.take(4) {
            let along = along(&Along { program: &program, overflow: self.overflow, path, from, begins: true }, &state);
            let Ok(mut relation) = along else { continue };
            let changing: Vec<usize> = (0..state.len()).filter(|&at| relation.changes(at)).collect();
            let Some(numbers) = relation.recurs(&changing, bounds) else { continue };
            let own = |steps: usize| own_inputs(&program, self.overflow, &numbers, steps as u64);
            let (stem, all) = (own(from), own(path.len() - 1));
            let turn = all[stem.len().min(all.len())..].to_vec();
            let again = if turn.is_empty() { 0 } else { 1_000 };
            let inputs = Inputs::list(all.into_iter().chain(turn.iter().copied().cycle().take(again)));
            if let Some(verdict) = self.violation(inputs, STEPS.max(10 * path.len() as u64)) {
                return verdict;
            }
        }
        Verdict::Unknown(Reason::NotRecurring)
    }
}

fn as_condition(atom: &Atom) -> Option<Watched> {
    match atom {
        Atom::Condition(watched) => Some(*watched),
        _ => None,
    }
}

/// What holds at a configuration.
fn letter(atoms: &[Atom], passed: Passed<'_>) -> Box<[bool]> {
    let mut holds = passed.holds.iter();
    let at = |atom: &Atom| match atom {
        Atom::Places(places) => places.contains(&StatementId::of(passed.procedure, passed.label)),
        Atom::Condition(_) => holds.next().is_some_and(|holds| *holds),
        Atom::End | Atom::Fail | Atom::Never => false,
    };
    atoms.iter().map(at).collect()
}

/// What holds after the end.
fn last(atoms: &[Atom], holds: &[bool], fails: bool) -> Box<[bool]> {
    let mut holds = holds.iter();
    let at = |atom: &Atom| match atom {
        Atom::Places(_) | Atom::Never => false,
        Atom::Condition(_) => holds.next().is_some_and(|holds| *holds),
        Atom::End => !fails,
        Atom::Fail => fails,
    };
    atoms.iter().map(at).collect()
}

/// All integers in variables that a procedure sees.
fn integers(program: &mut Program, procedure: ProcedureId) -> Vec<ExpressionId> {
    let mut reads = Vec::new();
    for id in (0..program.variables.len() as u32).map(VariableId) {
        let variable = program.variable(id);
        let seen = match variable.storage {
            Storage::Global | Storage::Static(_) => true,
            Storage::Local(of) => of == procedure,
            Storage::Constant => false,
        };
        let ty = variable.ty;
        if seen && program.types.as_integer(ty).is_some() {
            let lvalue = program.terms.lvalue(LvalueKind::Variable(id), ty);
            reads.push(program.terms.expression(ExpressionKind::Read(lvalue), ty));
        }
    }
    reads
}
