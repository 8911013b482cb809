//! Whether every run of a program ends.
//!
//! That one does not is what the judge has seen: it has executed the program until a state recurs, or into states from which it goes on for
//! ever ([`super::recurrent`]). That all do is shown by measures,
//! for each place that a run which goes on for ever passes again and again ([`crate::analyses::cut_points`]): of any two times that it
//! is passed the later one has less of some measure ([`crate::question::decreasing`]), which the loop of refinement decides. Measures
//! are found along paths on which none of those that are known decreases; the candidates are variables, their sums and their
//! differences, and bit-vectors decide.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::abstraction::Reuse;
use crate::analyses::cut_points::Cut;
use crate::analyses::{Analysed, Analyses};
use crate::c::Program;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueKind};
use crate::c::library::modelled;
use crate::c::program::{Label, StatementId, Storage, VariableId};
use crate::concretise::{Along, Lost, TraceRelation, along};
use crate::interpreter::forever::{Watch, watch};
use crate::interpreter::{self, Inputs, execute};
use crate::question::decreasing::{Decreasing, Rank, decreasing};
use crate::question::of_runs;
use crate::transition::graph::integers;

use super::build::combined;
use super::invariants::claims::Invariant;
use super::invariants::{self, Search};
use super::judge::{own_inputs, simple};
use super::only_run::only_run;
use super::ranking::{Effort, ranked};
use super::recurrent::{self, Found};
use super::single::refine_decreasing;
use super::undefined::undefined;
use super::{Execution, Input, Options, Outcome, Proof, Reason, Round, Verdict};

/// Steps that the judge takes at least, before it gives up.
const STEPS: u64 = 1_000_000;

/// Steps of runs with simple inputs.
const SIMPLE_RUN_STEPS: u64 = 4_000;

/// What was found to decrease where another version of a program was proved to end, and what is found now. Any of it is sound: it has finitely many
/// values.
#[derive(Debug, Default)]
pub struct Ranks {
    given: BTreeSet<String>,
    found: RefCell<BTreeSet<String>>,
}

impl Ranks {
    /// Those of another version, as [`Ranks::found`] writes them.
    pub fn of(lines: &[String]) -> Ranks {
        Ranks { given: lines.iter().cloned().collect(), ..Ranks::default() }
    }

    /// With what it was proved that runs end, beyond ranking functions that are soon found: lines `procedure: rises EXPR` and `procedure: falls EXPR`.
    pub fn found(&self) -> Vec<String> {
        self.found.borrow().iter().cloned().collect()
    }

    fn line(program: &Program, cut: Cut, rank: &Rank) -> String {
        let (procedure, measure) = (&program.procedure(cut.procedure()).name, program.expression_text(rank.measure));
        format!("{procedure}: {} {measure}", if rank.rises { "rises" } else { "falls" })
    }

    /// Those that are given for a place.
    fn at(&self, program: &Program, cut: Cut, measures: &Measures) -> Vec<Rank> {
        let all = measures.singles.iter().chain(&measures.pairs);
        let ranks = all.flat_map(|&measure| [false, true].map(|rises| Rank { measure, rises }));
        ranks.filter(|rank| self.given.contains(&Ranks::line(program, cut, rank))).collect()
    }

    fn add(&self, program: &Program, cut: Cut, ranks: &[Rank]) {
        self.found.borrow_mut().extend(ranks.iter().map(|rank| Ranks::line(program, cut, rank)));
    }
}

/// Answers whether every run ends; what each round did is told. Within the limits of the options it ends with a verdict or a reason.
pub(super) fn terminates(
    program: &Program,
    known: &Ranks,
    options: &Options,
    tell: &mut dyn FnMut(&Round<'_>),
) -> Outcome {
    let options = Options { overflow: of_runs(options.overflow), ..options.clone() };
    let measuring = Measuring { program, options: &options, ranks: known };
    let analyses = Analyses::of(program);
    let question = measuring.recurrent(&analyses);
    // What goes on for ever without inputs would be executed for a long time.
    if let Some(verdict) = measuring.soon(&question) {
        return Outcome::at_once(verdict);
    }
    if let Some(run) = only_run(program, options.overflow, options.check.limits, true) {
        return Outcome::executed(run.steps);
    }
    if let Some(verdict) = measuring.looked() {
        return Outcome::at_once(verdict);
    }
    // What the library does ends, unless it is undefined: who goes on for ever passes a place of the program's own.
    let own = |cut: &Cut| modelled(&program.procedure(cut.procedure()).name).is_none();
    let cuts: Vec<Cut> = analyses.cuts().iter().copied().filter(own).collect();
    if !cuts.is_empty() {
        let bounds = &options.tuning.bounds;
        let ranked = ranked(Analysed::of(program, &analyses), options.overflow, cuts.clone(), (bounds, Effort::Little));
        if ranked.left.is_empty() {
            return shown(Analysed::of(program, &analyses), &options, ranked.implications);
        }
    }
    if let Some(verdict) = said(question.drawn(&|_| true)) {
        return Outcome::at_once(verdict);
    }
    let known = |effort| {
        let Options { overflow, tuning, check, .. } = &options;
        let (of, overflow, bounds) = (Analysed::of(program, &analyses), *overflow, &tuning.bounds);
        invariants::known(&Search { of, overflow, bounds, effort }, check.limits)
    };
    measuring.finitely(&analyses, (cuts, &known), tell)
}

/// Answers whether no run passes one of these places again and again, for ever; with what holds of all runs, if that is needed.
pub(super) fn finitely(
    Analysed { program, analyses }: Analysed<'_>,
    options: &Options,
    (cuts, known): (impl IntoIterator<Item = Cut>, &dyn Fn(invariants::Effort) -> Vec<Invariant>),
    tell: &mut dyn FnMut(&Round<'_>),
) -> Outcome {
    let ranks = &Ranks::default();
    Measuring { program, options, ranks }.finitely(analyses, (cuts.into_iter().collect(), known), tell)
}

/// That something holds by so many implications, and nothing was abstracted.
pub(super) fn shown(Analysed { program, analyses }: Analysed<'_>, options: &Options, implications: usize) -> Outcome {
    let mut reuse = Reuse::with(analyses.clone());
    match undefined(program, &[], options.overflow, (&options.tuning, &options.check), &mut reuse) {
        Ok(undefined) => Outcome { undefined, proof: Proof::Again(implications), ..Outcome::at_once(Verdict::Holds) },
        Err(why) => Outcome::at_once(Verdict::Unknown(why)),
    }
}

/// What is said of a run that was found, or of a defect.
fn said(found: Result<Option<Found>, Reason>) -> Option<Verdict> {
    found.map_or_else(|defect| Some(Verdict::Unknown(defect)), |found| found.map(Found::verdict))
}

struct Measuring<'p> {
    program: &'p Program,
    options: &'p Options,
    /// What may decrease, to begin with.
    ranks: &'p Ranks,
}

impl Measuring<'_> {
    /// Answers whether no run passes one of these places again and again, for ever; with what holds of all runs, if that is needed.
    fn finitely(
        &self,
        analyses: &Arc<Analyses>,
        (cuts, known): (Vec<Cut>, &dyn Fn(invariants::Effort) -> Vec<Invariant>),
        tell: &mut dyn FnMut(&Round<'_>),
    ) -> Outcome {
        let Measuring { program, options, .. } = *self;
        let asked = !cuts.is_empty();
        let effort = Effort::Much(known);
        let ranked = ranked(Analysed { program, analyses }, options.overflow, cuts, (&options.tuning.bounds, effort));
        if asked && ranked.left.is_empty() {
            return shown(Analysed { program, analyses }, options, ranked.implications);
        }
        let mut all = Outcome { proof: Proof::Again(ranked.implications), ..Outcome::at_once(Verdict::Holds) };
        for cut in ranked.left {
            let verdict = self.decreases(cut, &mut all, tell);
            if verdict != Verdict::Holds {
                return Outcome { verdict, proof: Proof::Nothing, ..all };
            }
        }
        all.undefined.sort_unstable();
        all.undefined.dedup();
        all
    }

    /// A run with simple inputs that goes on for ever.
    fn looked(&self) -> Option<Verdict> {
        let none = std::iter::once((Inputs::list([]), STEPS));
        for (inputs, steps) in none.chain(simple(self.program).map(|inputs| (inputs, SIMPLE_RUN_STEPS))) {
            if self.options.check.limits.met().is_some() {
                break;
            }
            if let Some(found) = self.forever(inputs, steps) {
                return Some(found);
            }
        }
        None
    }

    /// Where runs are looked for that never come back to a state.
    fn recurrent<'a>(&'a self, analyses: &'a Arc<Analyses>) -> recurrent::Question<'a> {
        let Options { overflow, tuning, check, .. } = self.options;
        recurrent::Question::of(Analysed::of(self.program, analyses), *overflow, &[], (&tuning.bounds, check.limits))
    }

    /// The run without inputs, if a few steps show that it goes on for ever.
    fn soon(&self, question: &recurrent::Question<'_>) -> Option<Verdict> {
        let none = Inputs::list([]);
        let found = self.forever(none.clone(), SIMPLE_RUN_STEPS);
        found.or_else(|| said(question.found(&none, SIMPLE_RUN_STEPS, &|_| true)))
    }

    /// The run with these inputs, if it goes on for ever.
    fn forever(&self, inputs: Inputs, steps: u64) -> Option<Verdict> {
        let options = interpreter::Options::of(self.options.overflow, steps);
        match watch(self.program, &options, inputs, &[], &mut |_| {}) {
            Watch::Forever(forever) => Some(Verdict::Violated(Execution::forever(&forever))),
            Watch::Ended(..) => None,
        }
    }

    /// Whether no run passes a place infinitely often.
    fn decreases(&self, cut: Cut, all: &mut Outcome, tell: &mut dyn FnMut(&Round<'_>)) -> Verdict {
        let mut program = self.program.clone();
        let measures = Measures::of(&mut program, cut);
        let mut ranks: Vec<Rank> = self.ranks.at(&program, cut, &measures);
        loop {
            let asked = decreasing(&program, cut, &ranks);
            let outcome = refine_decreasing(&asked.program, self.options, tell);
            all.rounds += outcome.rounds;
            match outcome.verdict {
                Verdict::Holds => {
                    self.ranks.add(&program, cut, &ranks);
                    all.predicates += &outcome.predicates;
                    all.undefined.extend(outcome.undefined);
                    all.proof = std::mem::take(&mut all.proof).and(outcome.proof);
                    return Verdict::Holds;
                }
                Verdict::Violated(Execution { inputs, steps, .. }) => {
                    let path = Path::of(&asked, self.options, &inputs, steps);
                    if let Some(rank) = path.rank(&measures) {
                        ranks.push(rank);
                        continue;
                    }
                    return self.recurs(&path, &measures);
                }
                other => return other,
            }
        }
    }

    /// Whether a state recurs at the end of a path on which nothing decreases.
    fn recurs(&self, path: &Path<'_>, measures: &Measures) -> Verdict {
        let unknown = || Verdict::Unknown(Reason::NoMeasure(path.line()));
        let Ok(mut relation) = path.relation(&measures.singles, true) else { return unknown() };
        let changing: Vec<usize> = (0..measures.singles.len()).filter(|&at| relation.changes(at)).collect();
        let Some(numbers) = relation.recurs(&changing, &self.options.tuning.bounds) else { return unknown() };
        let (stem, all) = (path.own_inputs(&numbers, path.from), path.own_inputs(&numbers, path.steps.len()));
        let turn = all[stem.len().min(all.len())..].to_vec();
        let again = if turn.is_empty() { 0 } else { 1_000 };
        let inputs = Inputs::list(all.into_iter().chain(turn.iter().copied().cycle().take(again)));
        self.forever(inputs, STEPS.max(10 * path.steps.len() as u64)).unwrap_or_else(unknown)
    }
}

/// Candidates: what may decrease.
struct Measures {
    /// Integers that have names where control is.
    singles: Vec<ExpressionId>,
    /// Sums and differences of two of them.
    pairs: Vec<ExpressionId>,
}

impl Measures {
    fn of(program: &mut Program, cut: Cut) -> Measures {
        let singles = variables(program, cut);
        let mut pairs = Vec::new();
        for (at, &a) in singles.iter().enumerate() {
            for &b in &singles[..at] {
                pairs.push(combined(program, Binary::Subtract, a, b));
                pairs.push(combined(program, Binary::Add, a, b));
            }
        }
        Measures { singles, pairs }
    }
}

/// The integers that have names where a place is passed: all that is known of a frame at its entry are its formals.
fn variables(program: &mut Program, cut: Cut) -> Vec<ExpressionId> {
    let mut all = integers(program, cut.procedure());
    let is_formal = |id: &VariableId| program.procedure(cut.procedure()).formals.contains(id);
    let is_local = |id: &VariableId| matches!(program.variable(*id).storage, Storage::Local(_));
    all.retain(|id| !matches!(cut, Cut::Entry(_)) || !is_local(id) || is_formal(id));
    all.retain(|&id| !program.variable(id).is_made_up);
    let mut reads = Vec::new();
    for id in all {
        let ty = program.variable(id).ty;
        let lvalue = program.terms.lvalue(LvalueKind::Variable(id), ty);
        reads.push(program.terms.expression(ExpressionKind::Read(lvalue), ty));
    }
    reads
}

/// A run of a program into the failure that was written into it.
struct Path<'a> {
    asked: &'a Decreasing,
    options: &'a Options,
    /// The inputs of the run.
    inputs: Vec<i128>,
    steps: Vec<StatementId>,
    /// The step before which values have been remembered.
    from: usize,
}

impl<'a> Path<'a> {
    fn of(asked: &'a Decreasing, options: &'a Options, inputs: &[Input], steps: u64) -> Path<'a> {
        let run = interpreter::Options::of(options.overflow, steps);
        let numbers = Inputs::list(inputs.iter().map(|input| input.value));
        let inputs = inputs.iter().map(|input| input.value).collect();
        let mut path = Path { asked, options, inputs, steps: Vec::new(), from: 0 };
        execute(&asked.program, &run, numbers, &mut |moment| {
            path.steps.push(StatementId::of(moment.procedure, moment.label))
        });
        // The place is also passed without remembering: the statement before it belongs to that.
        let StatementId { procedure, label: Label(rest) } = asked.remembered;
        let last = StatementId::of(procedure, Label(rest.saturating_sub(1)));
        path.from = path.steps.iter().position(|step| *step == last).map_or(0, |at| at + 1);
        path
    }

    fn line(&self) -> u32 {
        let Some(&StatementId { procedure, label: Label(label) }) = self.steps.last() else { return 0 };
        let body = self.asked.program.procedure(procedure).body.as_ref();
        body.and_then(|body| body.get(label as usize)).map_or(0, |statement| statement.place.line)
    }

    /// The path as a relation: from the beginning of the program, or from where values have been remembered, in whatever state.
    fn relation(&self, measures: &[ExpressionId], begins: bool) -> Result<TraceRelation, Lost> {
        let (path, from) = if begins { (&self.steps[..], self.from) } else { (&self.steps[self.from..], 0) };
        let overflow = self.options.overflow;
        along(&Along { program: &self.asked.program, overflow, path, from, begins }, measures)
    }

    /// The inputs of the first steps that are the program's own.
    fn own_inputs(&self, numbers: &[i128], steps: usize) -> Vec<i128> {
        own_inputs(&self.asked.program, self.options.overflow, numbers, steps as u64)
    }

    /// A measure that decreases on the path, from whatever state it is taken, or in all runs that take it, or at least in this one.
    fn rank(&self, measures: &Measures) -> Option<Rank> {
        let bounds = &self.options.tuning.bounds;
        let ways = [(false, false), (true, false), (true, true)];
        let all = ways.into_iter().flat_map(|way| [(way, &measures.singles), (way, &measures.pairs)]);
        for ((begins, only_this), measures) in all {
            let Ok(mut relation) = self.relation(measures, begins) else { continue };
            if only_this {
                relation.with_inputs(&self.inputs);
            }
            for at in (0..measures.len()).filter(|&at| relation.changes(at)).collect::<Vec<_>>() {
                for rises in [false, true] {
                    if relation.decreases(at, rises, bounds) {
                        return Some(Rank { measure: measures[at], rises });
                    }
                }
            }
        }
        None
    }
}
