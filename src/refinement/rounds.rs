//! The loop of counterexample-guided abstraction refinement (CEGAR): abstract, check, make the trace concrete, learn.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use spds_format::model::{Place, SymbolId};

use crate::abstraction::{Predicate, System, Transition, boolean};
use crate::analyses::cut_points::Cut;
use crate::analyses::{Analysed, Analyses};
use crate::c::Program;
use crate::c::expression::ExpressionId;
use crate::c::inline::{Most, inlined};
use crate::c::program::{ProcedureId, StatementId};
use crate::check::{self, Property, TraceWish};
use crate::concretise::{self, Ended, Extent, Followed, Taken, follow, points, transitions, turned};
use crate::interpreter::{self, End, Inputs, execute};
use crate::limits::Stop;
use crate::ltl::atoms::Meaning;
use crate::ltl::formula::Op;
use crate::ltl::proposition::PropositionKind;
use crate::ltl::{Formulas, Ltl, Passes, Proposition, Violations};
use crate::options::Runs;
use crate::transition::undefined::Undefined;

use super::horn::{Donor, donated};
use super::interpolate::Relations;
use super::invariants::claims::Invariant;
use super::invariants::{Attempt, Effort, Excluded, Reach, Search, excluded};
use super::judge::{constants, failing, simple};
use super::only_run::only_run;
use super::refining::Refining;
use super::reproof::{Holding, proof};
use super::undefined::undefined;
use super::{Held, Options, Outcome, Proof, Reason, Round, Shown, Source, Unproved, Verdict};

/// Steps that the judge takes at least, before it gives up.
const STEPS: u64 = 1_000_000;

/// Steps of each.
const SIMPLE_RUN_STEPS: u64 = 4_000;

/// Until a check takes so many nodes the first reason is learnt why a trace is no run, from then on all of them: where rounds are cheap, some
/// more are better than predicates that nobody needs.
const LARGE: u64 = 15_000;

/// After so many rounds somebody else is asked.
const ALONE: usize = 4;

/// So hard it is tried without an abstraction, soon: after so many rounds, or after one where there are loops.
const SOON: (usize, Effort) = (2, Effort { runs: 80, work: 600, reach: Reach::Near });

/// After so many rounds that lead to nobody knows what ([`Loop::astray`]) it is tried so hard.
const TRIED: [(usize, Effort); 3] = [
    (3, Effort { runs: 100, work: 1_600, reach: Reach::Cells }),
    (6, Effort { runs: 200, work: 3_000, reach: Reach::Cells }),
    (10, Effort { runs: 300, work: 5_000, reach: Reach::Cells }),
];

/// So many rounds that learn nothing but conditions of the program, and comparisons with its constants, count for one of the others: there are
/// finitely many of those.
const CONDITIONS: usize = 8;

/// After so many of these rounds the same is tried with calls in place.
const IN_PLACE: (usize, Effort) = (8, Effort { runs: 200, work: 3_000, reach: Reach::Cells });

/// Which calls, in statements.
const SMALL: Most = Most { small: 80, large: 800 };

/// After so many rounds runs are drawn: how many, and the most steps of each and of all.
const DRAWN: [(usize, u64, u64, u64); 2] = [(1, 200, 2_000, 20_000), (3, 400, 10_000, 40_000)];

/// The same once checks have taken so many nodes: then it costs little beside them.
const DRAWN_BESIDE: (u64, u64, u64, u64) = (50_000, 1_000, 60_000, 1_000_000);

/// The same after so many rounds that lead to nobody knows what.
const DRAWN_LONG: (usize, u64, u64, u64) = (20, 60, 8_000_000, 8_000_000);

/// After so many of these rounds runs are executed with one number for all inputs: the most steps of each and of all.
const STEADY: [(usize, u64, u64); 2] = [(7, 500_000, 1_000_000), (12, 6_000_000, 8_000_000)];

/// Whether some run of a program fails; what each round did is told.
///
/// Within the limits of the options it ends with a verdict or a reason. Of a program whose abstractions are refined for ever it needs
/// a limit: of time, or of rounds.
#[cfg_attr(all(feature = "cli", not(feature = "internals")), expect(dead_code, reason = "only tests ask so"))]
pub fn refine(program: &Program, options: &Options, tell: &mut dyn FnMut(&Round<'_>)) -> Outcome {
    refine_from(program, &[], options, tell)
}

/// The same where these predicates are known from the beginning.
pub(super) fn refine_from(
    program: &Program,
    given: &[Predicate],
    options: &Options,
    tell: &mut dyn FnMut(&Round<'_>),
) -> Outcome {
    refine_failures(program, given, options, Goal::Fails, tell)
}

/// The same of a program that fails where nothing decreases ([`crate::question::decreasing`]).
pub(super) fn refine_decreasing(program: &Program, options: &Options, tell: &mut dyn FnMut(&Round<'_>)) -> Outcome {
    refine_failures(program, &[], options, Goal::Decreases, tell)
}

fn refine_failures(
    program: &Program,
    given: &[Predicate],
    options: &Options,
    goal: Goal<'_>,
    tell: &mut dyn FnMut(&Round<'_>),
) -> Outcome {
    let mut rounds = Loop::new(program, Analyses::of(program), options, goal);
    rounds.refining.known.give(given);
    if let Some(run) = only_run(program, options.overflow, options.check.limits, false) {
        let undefined = run.undefined.into_iter().collect();
        let holds = || Outcome { undefined, ..Outcome::executed(run.steps) };
        return run.failed.map_or_else(holds, Outcome::at_once);
    }
    if let Some(found) = rounds.looked() {
        return Outcome::at_once(found);
    }
    rounds.answered(tell)
}

/// Whether some run of a program passes marked statements again and again, for ever; what each round did is told.
pub(super) fn refine_repeated(
    Analysed { program, analyses }: Analysed<'_>,
    options: &Options,
    marks: &Marks<'_>,
    tell: &mut dyn FnMut(&Round<'_>),
) -> Outcome {
    let mut rounds = Loop::new(program, analyses.clone(), options, Goal::Repeats(marks));
    for &(procedure, condition) in &marks.conditions {
        rounds.refining.known.add(&mut rounds.refining.working, (procedure, condition));
    }
    rounds.answered(tell)
}

/// Says what is known once a run was found that takes these steps.
type Judge<'m> = dyn Fn(&[StatementId]) -> Verdict + 'm;

/// What is not to happen again and again.
pub(super) struct Marks<'m> {
    /// Statements.
    pub statements: &'m BTreeSet<StatementId>,
    /// Conditions that are known from the beginning.
    pub conditions: Vec<(ProcedureId, ExpressionId)>,
    /// Who judges the run that was found.
    pub judged: &'m Judge<'m>,
    /// What holds of all runs, as far as it is found by so much effort.
    pub known: &'m dyn Fn(Effort) -> Vec<Invariant>,
}

struct Loop<'p> {
    program: &'p Program,
    options: &'p Options,
    goal: Goal<'p>,
    refining: Refining,
    /// The system of the last abstraction.
    last: Option<System>,
    /// Who was not asked yet.
    donor: Option<&'p Donor>,
    /// How many rounds have learnt what compares with nothing that the program compares with.
    strange: usize,
    /// Whether some check was large.
    is_large: bool,
    /// The greatest numbers of nodes of all checks so far, together, until runs were drawn for them.
    worked: Option<u64>,
    /// How far astray rounds are when attempts are due that were not made.
    due: usize,
}

/// What is looked for.
#[derive(Clone, Copy)]
enum Goal<'p> {
    /// A failure.
    Fails,
    /// A failure, which says that a number is not less than another one.
    Decreases,
    /// Marked statements that are passed for ever.
    Repeats(&'p Marks<'p>),
}

/// So many turns of a cycle are followed.
const TURNS: usize = 2;

/// What the check of an abstraction says.
enum Checked {
    /// That is the verdict.
    Verdict(Verdict),
    /// This trace fails, and these are its steps.
    Trace(Vec<concretise::Point>, Vec<Transition>),
}

impl<'p> Loop<'p> {
    fn new(program: &'p Program, analyses: Arc<Analyses>, options: &'p Options, goal: Goal<'p>) -> Self {
        Loop {
            program,
            options,
            goal,
            refining: Refining::new(program, analyses),
            last: None,
            donor: options.donor.as_ref().filter(|_| matches!(goal, Goal::Fails)),
            strange: 0,
            is_large: false,
            worked: Some(0),
            due: 0,
        }
    }

    fn answered(mut self, tell: &mut dyn FnMut(&Round<'_>)) -> Outcome {
        let verdict = loop {
            if let Some(verdict) = self.round(tell) {
                break verdict;
            }
            let astray = self.astray();
            let due = std::mem::replace(&mut self.due, astray + 1)..=astray;
            if let Some(verdict) = self.drawn(&due) {
                break verdict;
            }
            if let Some(outcome) = self.tried(&due) {
                return outcome;
            }
        };
        let is_stuck =
            matches!(&verdict, Verdict::Unknown(why) if !matches!(why, Reason::Rounds(_) | Reason::Stopped(_)));
        if let Some(&(after, effort)) = TRIED.last()
            && is_stuck
        {
            let again = (self.astray() < after).then(|| self.excluded(effort)).flatten();
            let in_place = || (self.astray() < IN_PLACE.0).then(|| self.in_place(IN_PLACE.1)).flatten();
            if let Some(outcome) = again.or_else(in_place) {
                return outcome;
            }
        }
        let (verdict, proof) = match verdict {
            Verdict::Holds => self.reproved(),
            other => (other, Proof::Nothing),
        };
        let (verdict, undefined) = match verdict {
            Verdict::Holds => self.undefined(),
            other => (other, Vec::new()),
        };
        let Loop { refining: Refining { known, working, reuse, count, tracked, .. }, last, goal, .. } = self;
        let told = known.text(&working);
        let held = last.filter(|_| verdict == Verdict::Holds && matches!(goal, Goal::Fails));
        let analyses = reuse.shared();
        let held = held.map(|system| Held { program: working, predicates: tracked, system, analyses });
        let held = held.map(Arc::new);
        Outcome { verdict, rounds: count, predicates: told, undefined, proof, held, invariants: None }
    }

    /// How many rounds lead to nobody knows what.
    fn astray(&self) -> usize {
        self.strange + (self.refining.count - self.strange) / CONDITIONS
    }

    /// What attempts without an abstraction say that are due after a round.
    fn tried(&mut self, due: &RangeInclusive<usize>) -> Option<Outcome> {
        let is_loop = |cut: &Cut| matches!(cut, Cut::Inside(..));
        let has_loops = self.refining.reuse.analyses().cuts().iter().any(is_loop);
        let soon = if has_loops { 1 } else { SOON.0 };
        if self.refining.count == soon
            && !matches!(self.goal, Goal::Decreases)
            && let Some(outcome) = self.excluded(SOON.1)
        {
            return Some(outcome);
        }
        let tried = TRIED.iter().find(|(after, _)| due.contains(after));
        let tried = tried.and_then(|&(_, effort)| self.excluded(effort));
        tried.or_else(|| due.contains(&IN_PLACE.0).then(|| self.in_place(IN_PLACE.1)).flatten())
    }

    /// That nothing fails, by invariants that are proved along basic paths: nothing is abstracted. Or a run that fails, which was seen on the way.
    /// What was proved on the way restricts the abstractions to come.
    fn excluded(&mut self, effort: Effort) -> Option<Outcome> {
        let Options { overflow, tuning, check, .. } = self.options;
        let analyses = self.refining.reuse.analyses();
        if let Goal::Repeats(marks) = self.goal {
            // What is looked for is no failure.
            let known = (marks.known)(effort);
            if !known.is_empty() {
                self.refining.reuse.know(&known);
            }
            return None;
        }
        let (of, overflow, bounds) = (Analysed::of(self.program, analyses), *overflow, &tuning.bounds);
        let attempt = excluded(&Search { of, overflow, bounds, effort }, check.limits);
        let Excluded { implications, undefined, invariants, source } = match attempt {
            Attempt::Excluded(excluded) => excluded,
            Attempt::Fails(inputs, steps) => {
                let found = failing(self.program, &self.running(steps + 1), inputs).ok();
                let verdict = found.map(|(inputs, steps)| Verdict::Violated(inputs, steps))?;
                return Some(Outcome { rounds: self.refining.count, ..Outcome::at_once(verdict) });
            }
            Attempt::Open(known) => {
                if !known.is_empty() {
                    self.refining.reuse.know(&known);
                }
                return None;
            }
        };
        let proof = Proof::Again(implications);
        let invariants = Some(Shown { invariants, source });
        Some(Outcome { rounds: self.refining.count, undefined, proof, invariants, ..Outcome::at_once(Verdict::Holds) })
    }

    /// The same of the program in which calls of small procedures are made in place: then their paths are paths of the callers, and nothing has to
    /// be known of what they return and write.
    fn in_place(&self, effort: Effort) -> Option<Outcome> {
        let Options { overflow, tuning, check, .. } = self.options;
        if !matches!(self.goal, Goal::Fails) {
            return None;
        }
        let program = inlined(self.program, SMALL)?;
        let analyses = Analyses::of(&program);
        let (of, overflow, bounds) = (Analysed::of(&program, &analyses), *overflow, &tuning.bounds);
        let attempt = excluded(&Search { of, overflow, bounds, effort }, check.limits);
        let Attempt::Excluded(Excluded { undefined, .. }) = attempt else { return None };
        let proof = Proof::Once(Unproved::InPlace);
        Some(Outcome { rounds: self.refining.count, undefined, proof, ..Outcome::at_once(Verdict::Holds) })
    }

    /// What the last abstraction knows at each statement is proved about the C program: what cannot be is no proof, and a defect.
    fn reproved(&mut self) -> (Verdict, Proof) {
        if let Goal::Repeats(_) = self.goal {
            return (Verdict::Holds, Proof::Once(Unproved::Endless));
        }
        let Some(system) = &self.last else { return (Verdict::Holds, Proof::Nothing) };
        let Options { overflow, tuning, check, .. } = self.options;
        let predicates = &self.refining.tracked;
        let holding = Holding { program: &self.refining.working, predicates, overflow: *overflow, tuning, system };
        match proof(&holding, check, &mut self.refining.reuse) {
            Ok(proof) => (Verdict::Holds, proof),
            Err(defect) => (Verdict::Unknown(defect), Proof::Nothing),
        }
    }

    /// How runs of so many steps are executed.
    fn running(&self, steps: u64) -> interpreter::Options {
        interpreter::Options::of(self.options.overflow, steps).within(self.options.check.limits)
    }

    /// A run with simple inputs that fails: it costs little to look before anything is computed.
    fn looked(&self) -> Option<Verdict> {
        for inputs in simple(self.program) {
            if self.options.check.limits.met().is_some() {
                break;
            }
            let found = failing(self.program, &self.running(SIMPLE_RUN_STEPS), inputs);
            if let Ok((inputs, steps)) = found {
                return Some(Verdict::Violated(inputs, steps));
            }
        }
        None
    }

    /// A run with drawn inputs that fails: where rounds do not decide it soon, it may be a deep one.
    fn drawn(&mut self, due: &RangeInclusive<usize>) -> Option<Verdict> {
        if !matches!(self.goal, Goal::Fails) {
            return None;
        }
        let (count, numbers) = (self.refining.count, constants(self.program));
        let long = due.contains(&DRAWN_LONG.0).then_some(DRAWN_LONG);
        let short = DRAWN.into_iter().find(|(after, ..)| *after == count);
        let drawn = short.or(long).map(|(_, runs, most, all)| (runs, most, all)).or_else(|| self.drawn_beside());
        if let Some((runs, most, all)) = drawn {
            let numbers = numbers.into();
            return self.found((1..=runs).map(|seed| Inputs::near(&numbers, seed)), (most, all));
        }
        let &(_, most, all) = STEADY.iter().find(|(after, ..)| due.contains(after))?;
        self.found([1, -1].into_iter().chain(numbers).map(Inputs::steady), (most, all))
    }

    /// How many runs are drawn, once, beside checks that are large.
    fn drawn_beside(&mut self) -> Option<(u64, u64, u64)> {
        let (nodes, runs, most, all) = DRAWN_BESIDE;
        self.worked.take_if(|worked| *worked >= nodes).map(|_| (runs, most, all))
    }

    /// The first of some runs that fails, of so many steps each and together.
    fn found(&self, runs: impl Iterator<Item = Inputs>, (most, mut left): (u64, u64)) -> Option<Verdict> {
        let check = &self.options.check;
        for inputs in runs {
            let run = execute(self.program, &self.running(most.min(left)), inputs.clone(), &mut |_| {});
            left = left.saturating_sub(run.steps);
            if matches!(run.end, End::Failed(_) | End::Wrong(_)) {
                let found = failing(self.program, &self.running(run.steps + 1), inputs);
                return found.ok().map(|(inputs, steps)| Verdict::Violated(inputs, steps));
            }
            if left == 0 || check.limits.met().is_some() {
                break;
            }
        }
        None
    }

    /// Where runs may do what is undefined, once it holds.
    fn undefined(&mut self) -> (Verdict, Vec<(Undefined, Place)>) {
        let Options { overflow, tuning, check, .. } = self.options;
        let Refining { working, known, reuse, .. } = &mut self.refining;
        match undefined(working, &known.predicates, *overflow, (tuning, check), reuse) {
            Ok(met) => (Verdict::Holds, met),
            Err(why) => (Verdict::Unknown(why), Vec::new()),
        }
    }

    fn round(&mut self, tell: &mut dyn FnMut(&Round<'_>)) -> Option<Verdict> {
        if self.options.rounds.is_some_and(|most| self.refining.count >= most) {
            return Some(Verdict::Unknown(Reason::Rounds(self.refining.count)));
        }
        if let Some(stop) = self.options.check.limits.met() {
            return Some(Verdict::Unknown(stop.into()));
        }
        let known = &self.refining.known;
        let (predicates, count) = (known.text(&self.refining.working), known.predicates.len());
        let overflow = self.options.overflow;
        let made = self.refining.abstracted(overflow, &self.options.tuning);
        let mut nodes = 0;
        let checked = self.checked(&made, &mut nodes);
        let (mut learnt, mut followed) = (Vec::new(), None);
        self.is_large |= nodes >= LARGE;
        if let Some(worked) = &mut self.worked {
            *worked = worked.saturating_add(nodes);
        }
        let verdict = match checked {
            Checked::Verdict(verdict) => Some(verdict),
            Checked::Trace(points, steps) => {
                let extent = if self.is_large { Extent::Whole } else { Extent::First };
                let trace = follow(&self.refining.working, &points, overflow, (&self.options.tuning.bounds, extent));
                let verdict = self.concluded(&trace, steps, &mut learnt);
                followed = Some(trace);
                verdict
            }
        };
        let steps = followed.map(|trace| trace.steps).unwrap_or_default();
        tell(&Round {
            number: self.refining.count,
            predicates: &predicates,
            count,
            made: &made,
            nodes,
            trace: steps.len(),
            steps: &self.told(&steps),
            learnt: &learnt,
        });
        verdict
    }

    /// What somebody else knows, who is asked once.
    fn given(&mut self) -> Option<(Source, usize)> {
        let conditions = donated(&mut self.refining.working, self.donor.take()?);
        let new = conditions.into_iter().map(|local| self.refining.known.add(&mut self.refining.working, local)).sum();
        (new > 0).then_some((Source::Spacer, new))
    }

    /// The statements of a trace, a line each.
    fn told(&self, steps: &[Taken]) -> String {
        let mut text = String::new();
        for step in steps {
            let procedure = self.program.procedure(step.procedure);
            let Some(statement) = procedure.body.as_ref().and_then(|body| body.get(step.label.0 as usize)) else {
                continue;
            };
            let side = match step.branch {
                Some(true) => ": yes",
                Some(false) => ": no",
                None => "",
            };
            let place = statement.place;
            let said = self.program.statement_text(statement);
            text += &format!("{}{}:{}: {said}{side}\n", "  ".repeat(step.depth.min(20)), procedure.name, place.line);
        }
        text
    }

    fn checked(&mut self, made: &boolean::Program, nodes: &mut u64) -> Checked {
        let unknown = |why: Reason| Checked::Verdict(Verdict::Unknown(why));
        let system = match System::of(made, &self.program.files) {
            Ok(system) => system,
            Err(mistakes) => return unknown(mistakes.into()),
        };
        let options = check::Options { trace: TraceWish::Shortest, ..self.options.check.clone() };
        let (property, options) = match self.goal {
            Goal::Fails | Goal::Decreases => (Property::Assertions, options),
            Goal::Repeats(marks) => match repeated(&system, marks.statements, &options) {
                Ok(property) => (property, check::Options { runs: Runs::Infinite, ..options }),
                Err(stop) => return unknown(stop.into()),
            },
        };
        let outcome = match check::check(&system.spds, &[property], &options) {
            Ok(outcome) => outcome,
            Err(error) => return unknown(error.into()),
        };
        let peak = outcome.stats.figures.iter().filter(|(name, _)| *name == "peak nodes").map(|&(_, figure)| figure);
        *nodes = peak.fold(0.0, f64::max) as u64;
        let Some(answer) = outcome.answers.into_iter().next() else { return unknown(Reason::NoAnswer(None)) };
        match answer.verdict {
            check::Verdict::Holds | check::Verdict::Unreachable => {
                self.last = Some(system);
                Checked::Verdict(Verdict::Holds)
            }
            check::Verdict::Unknown(reason) => unknown(Reason::Stopped(reason)),
            check::Verdict::Violated(Some(trace)) | check::Verdict::Reachable(Some(trace)) => {
                let steps = transitions(&system, &trace.run);
                let points = match self.goal {
                    Goal::Fails | Goal::Decreases => points(&system, &trace.run),
                    Goal::Repeats(_) => turned(&system, &trace.run, TURNS),
                };
                Checked::Trace(points, steps)
            }
            check::Verdict::Violated(None) | check::Verdict::Reachable(None) => {
                unknown(Reason::NoTrace(answer.trace_omitted.map(Into::into)))
            }
        }
    }

    /// The verdict of a trace, if it gives one; otherwise there are new predicates.
    fn concluded(
        &mut self,
        trace: &Followed,
        steps: Vec<Transition>,
        learnt: &mut Vec<(Source, usize)>,
    ) -> Option<Verdict> {
        match &trace.ended {
            Ended::Unknown(lost) => Some(Verdict::Unknown((*lost).into())),
            Ended::Inputs(_) if let Goal::Repeats(marks) = self.goal => {
                let path: Vec<StatementId> =
                    trace.steps.iter().map(|step| StatementId::of(step.procedure, step.label)).collect();
                Some((marks.judged)(&path))
            }
            Ended::Inputs(numbers) => {
                let steps = STEPS.max(10 * trace.steps.len() as u64);
                // Whatever is asked for besides does not matter.
                let numbers = numbers.iter().copied().chain(std::iter::repeat_n(0, 1_000));
                match failing(self.program, &self.running(steps), Inputs::list(numbers)) {
                    Ok((inputs, steps)) => Some(Verdict::Violated(inputs, steps)),
                    Err(why) => Some(Verdict::Unknown(why)),
                }
            }
            Ended::Infeasible(core) => {
                let relations = match self.goal {
                    Goal::Decreases => Relations::Bounds,
                    Goal::Fails | Goal::Repeats(_) => Relations::Equations,
                };
                let strange = self.refining.known.strange;
                *learnt = self.refining.learn(&trace.steps, core, relations);
                for (source, new) in self.refining.learn_further(&trace.further, relations) {
                    match learnt.iter_mut().find(|(known, _)| *known == source) {
                        Some((_, count)) => *count += new,
                        None => learnt.push((source, new)),
                    }
                }
                if learnt.is_empty() && self.refining.track_all() {
                    return None;
                }
                if learnt.is_empty() || self.refining.count >= ALONE {
                    learnt.extend(self.given());
                }
                if learnt.is_empty() {
                    let new = self.refining.observe(steps);
                    if new > 0 {
                        learnt.push((Source::Constraint, new));
                    }
                }
                let is_strange = self.refining.known.strange > strange;
                self.strange +=
                    usize::from(is_strange || learnt.iter().any(|(source, _)| *source == Source::Constraint));
                if !learnt.is_empty() {
                    return None;
                }
                Some(Verdict::Unknown(Reason::NoPredicate))
            }
        }
    }
}

/// That marked statements are passed only finitely often.
fn repeated(system: &System, marks: &BTreeSet<StatementId>, options: &check::Options) -> Result<Property, Stop> {
    let marked = system.origins().filter(|(_, origin)| marks.contains(&origin.statement));
    let symbols: Vec<SymbolId> = marked.map(|(symbol, _)| symbol).collect();
    let mut formulas = Formulas::new();
    let kind = PropositionKind::Label { procedure: None, label: "mark".to_owned() };
    let mark = formulas.proposition(Proposition { kind, span: 0..0, inner: 0 });
    let never = formulas.make(Op::Not, &[mark]);
    let never = formulas.make(Op::Globally, &[never]);
    let root = formulas.make(Op::Finally, &[never]);
    let ltl = Ltl { formulas, root };
    let violations = Violations::of(ltl, vec![Meaning::Symbols(symbols)], &Passes::default(), &options.limits)?;
    Ok(Property::Ltl(Arc::new(violations)))
}
