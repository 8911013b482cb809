//! Systems without data: no relation is built, and control is not analysed either.
//!
//! The control location may be the value of a hidden global, so that formulas can name it ([`crate::ltl::tracked`]): that is no
//! data yet.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use spds_format::Spds;
use spds_format::model::{ControlId, Head, SymbolId};

use super::effort::FEW_STEPS;
use super::ground::Failure;
use super::plain::{any_run, failed};
use super::{Answer, CheckError, Options, Property, Question, Stats, Target, Verdict};
use crate::explicit::{self, Cycles, Letters, Reached, System, Worth};
use crate::limits::{Clock, Stop};
use crate::ltl::automaton::{ComponentKind, StateId};
use crate::ltl::{Violations, controls};
use crate::options::{Engine, Runs, Search, TraceWish};
use crate::packed::Rows;
use crate::product::{Class, Known, Product};
use crate::replay::Claim;
use crate::run::{NoRun, Run};

/// Whether a system is one, and it was not said how to search.
pub(super) fn applies(spds: &Spds, options: &Options) -> bool {
    options.search != Search::Pre && is_one(spds, options)
}

/// The same, forwards or backwards.
fn is_one(spds: &Spds, options: &Options) -> bool {
    let explicit = || explicit::is_explicit(spds) || controls::is_all_data(spds) && explicit::is_unconditional(spds);
    options.engine == Engine::Auto && explicit()
}

/// Whether there is a run that comes to a place, fails, goes on for ever, or violates the formula, as is found backwards; `None` if
/// that cannot be told here.
///
/// # Errors
/// If a limit is met.
pub(super) fn found_backwards(spds: &Spds, property: &Property, options: &Options) -> Result<Option<bool>, Stop> {
    if !is_one(spds, options) {
        return Ok(None);
    }
    let plain = || System::new(spds, None, &options.limits);
    let comes_to = |targets: &[Target]| -> Result<Option<bool>, Stop> {
        let is_wanted = wanted(targets);
        Ok(Some(plain().everywhere()?.comes_to(is_wanted)))
    };
    match property {
        Property::Configurations(_) => Ok(None),
        Property::Reach(targets) => comes_to(targets),
        Property::Assertions => comes_to(&failing(spds)),
        Property::Termination => Ok(Some(plain().everywhere()?.goes_round(|head, _| !is_end(spds, head.symbol)))),
        Property::Ltl(violations) => {
            if violations.automaton.strength() == ComponentKind::Rejecting {
                return Ok(Some(false));
            }
            let product = Product::new(spds, violations, options.runs, options.strength);
            let Some(letters) = letters(spds, &product) else { return Ok(None) };
            let accepts = accepting(spds, violations, options);
            Ok(Some(System::new(spds, Some(&letters), &options.limits).everywhere()?.goes_round(accepts)))
        }
    }
}

/// Which heads a place is about.
fn wanted(targets: &[Target]) -> impl Fn(Head) -> bool {
    let wanted: FxHashSet<Target> = targets.iter().copied().collect();
    move |Head { control, symbol }| {
        [None, Some(control)].into_iter().any(|control| wanted.contains(&Target { control, symbol }))
    }
}

/// In which states of the automaton steps from a head count.
fn accepting(spds: &Spds, violations: &Violations, options: &Options) -> impl Fn(Head, u32) -> bool {
    let automaton = &violations.automaton;
    let ends_count = options.runs != Runs::Infinite;
    move |head, state| {
        let component = automaton.component_of[state as usize];
        automaton.components[component].kind != ComponentKind::Rejecting && (ends_count || !is_end(spds, head.symbol))
    }
}

/// Answers all that is open but sets of configurations. If a limit is met, the rest is left open.
///
/// # Errors
/// If the judge rejects a run.
pub(super) fn answer(
    question: &Question<'_>,
    answers: &mut [Option<Answer>],
    stats: &mut Stats,
) -> Result<(), CheckError> {
    let Question { spds, properties, options, tell } = *question;
    if answers.iter().all(Option::is_some) || !applies(spds, options) {
        return Ok(());
    }
    let clock = Clock::start();
    let system = System::new(spds, None, &options.limits);
    let mut plain = Plain { spds, options, system: &system, reached: None, cycles: None };
    for (i, property) in properties.iter().enumerate() {
        let found = match property {
            _ if answers[i].is_some() => continue,
            Property::Configurations(_) => continue,
            Property::Ltl(violations) => formula(spds, violations, options),
            Property::Termination => plain.termination().map(Some),
            Property::Reach(targets) => plain.place(property, targets).map(Some),
            Property::Assertions => plain.place(property, &failing(spds)).map(Some),
        };
        match found {
            Ok(Some(answer)) => {
                tell(i, &answer);
                answers[i] = Some(answer);
            }
            Ok(None) | Err(Failure::Stopped(_)) => {}
            Err(Failure::Rejected(objection)) => return Err(CheckError::WitnessRejected(objection)),
        }
    }
    stats.seconds("seconds in explicit post*", clock);
    Ok(())
}

/// Whether there is a run at all; `None` if that cannot be told here.
pub(super) fn has_run(spds: &Spds, options: &Options) -> Option<bool> {
    if !applies(spds, options) {
        return None;
    }
    let options = Options { trace: TraceWish::None, ..options.clone() };
    let answer = formula(spds, &any_run(&options).ok()?, &options).ok()??;
    Some(answer.verdict != Verdict::Holds)
}

/// The system by itself, without an automaton; what is known of it stays known.
struct Plain<'p, 'a> {
    spds: &'a Spds,
    options: &'p Options,
    system: &'a System<'a>,
    reached: Option<Reached<'a>>,
    cycles: Option<Cycles>,
}

impl<'a> Plain<'_, 'a> {
    fn reached(&mut self) -> Result<&Reached<'a>, Stop> {
        let known = match self.reached.take() {
            Some(known) => known,
            None => self.system.reached()?,
        };
        Ok(self.reached.insert(known))
    }

    fn place(&mut self, property: &Property, targets: &[Target]) -> Result<Answer, Failure> {
        let (spds, options) = (self.spds, self.options);
        let is_wanted = wanted(targets);
        let reached = self.reached()?;
        let exists = reached.heads().any(&is_wanted);
        let fails = matches!(property, Property::Assertions);
        let claim = match fails {
            true => Claim::Fails,
            false => Claim::Reaches(targets.iter().map(|target| (target.control, target.symbol)).collect()),
        };
        shown(spds, options, (property, &claim), exists, |worth| {
            let run = reached.run_to(&is_wanted, worth)?;
            Ok(if fails { run.map(failed) } else { run })
        })
    }

    fn termination(&mut self) -> Result<Answer, Failure> {
        let (spds, options) = (self.spds, self.options);
        let counts = |head: Head, _: u32| !is_end(spds, head.symbol);
        let cycles = match self.cycles.take() {
            Some(known) => known,
            None => self.reached()?.cycles(counts),
        };
        let cycles = &*self.cycles.insert(cycles);
        let Some(reached) = &self.reached else { unreachable!("cycles are those of what is reached") };
        let asked = (&Property::Termination, &Claim::Infinite);
        shown(spds, options, asked, cycles.exist(), |worth| reached.lasso(cycles, worth))
    }
}

/// Does no run do this? `None` if its propositions ask for more than control.
fn formula(spds: &Spds, violations: &Arc<Violations>, options: &Options) -> Result<Option<Answer>, Failure> {
    let automaton = &violations.automaton;
    if automaton.strength() == ComponentKind::Rejecting {
        return Ok(Some(Answer::new(Verdict::Holds)));
    }
    let product = Product::new(spds, violations, options.runs, options.strength);
    let Some(letters) = letters(spds, &product) else { return Ok(None) };
    let system = System::new(spds, Some(&letters), &options.limits);
    let reached = system.reached()?;
    let cycles = reached.cycles(accepting(spds, violations, options));
    let claim = Claim::Violates { violations: Arc::clone(violations), runs: options.runs };
    let asked = (&Property::Ltl(Arc::clone(violations)), &claim);
    shown(spds, options, asked, cycles.exist(), |worth| reached.lasso(&cycles, worth)).map(Some)
}

/// What the automaton does at each head; `None` if a proposition is no matter of control.
fn letters(spds: &Spds, product: &Product<'_>) -> Option<Letters> {
    let automaton = &product.violations.automaton;
    let (states, controls) = (automaton.states.len() as u32, spds.controls.len() as u32);
    // Numbers of control locations in the product, and of rows, have to fit.
    u32::try_from(u64::from(states) * u64::from(controls) * product.class_count() as u64).ok()?;
    let mut moves: Vec<Vec<(u32, bool)>> = Vec::new();
    let mut stuck = Vec::new();
    let mut of_class = Vec::with_capacity(product.class_count());
    for class in (0..product.class_count() as u32).map(Class) {
        let by_control = product.known(class).contains(&Known::Condition);
        of_class.push((moves.len() as u32 / states, by_control));
        for control in (0..if by_control { controls } else { 1 }).map(ControlId) {
            for reading in [false, true] {
                let letter = letter(product, class, control, reading)?;
                let rows = (0..states).map(|state| {
                    let edges = automaton.from(StateId(state)).iter();
                    let read = edges.filter(|edge| automaton.labels.contains(edge.label, |p| letter[p as usize]));
                    read.map(|edge| (edge.to.0, edge.marked)).collect()
                });
                if reading { stuck.extend(rows) } else { moves.extend(rows) }
            }
        }
    }
    let rows = |lists: &[Vec<(u32, bool)>]| {
        Rows::collect(lists.len(), |pair| {
            for (row, list) in (0..).zip(lists) {
                list.iter().for_each(|step| pair(row, *step));
            }
        })
    };
    let classes = (0..spds.symbols.len() as u32).map(|symbol| of_class[product.class(SymbolId(symbol)).0 as usize]);
    Some(Letters {
        states,
        initial: automaton.initial.0,
        classes: classes.collect(),
        moves: rows(&moves),
        stuck: (product.runs == Runs::Stutter).then(|| rows(&stuck)),
        marked: product.marked,
    })
}

/// The values of all propositions in a configuration, where the run is blocked or not.
fn letter(product: &Product<'_>, class: Class, control: ControlId, stuck: bool) -> Option<Vec<bool>> {
    let value = |(proposition, known): (usize, &Known)| match known {
        Known::Constant(value) => Some(*value),
        Known::Stuck => Some(stuck),
        Known::Condition => controls::holds(product.violations.meanings[proposition].condition()?.1, control),
    };
    product.known(class).iter().enumerate().map(value).collect()
}

/// The answer to a property, with the run that shows it.
fn shown(
    spds: &Spds,
    options: &Options,
    (property, claim): (&Property, &Claim),
    exists: bool,
    run: impl FnOnce(Worth) -> Result<Option<Run>, NoRun>,
) -> Result<Answer, Failure> {
    let mut answer = Answer::new(Verdict::of(property, exists));
    if !exists {
        return Ok(answer);
    }
    let wanted = options.trace != TraceWish::None;
    let items = if wanted { options.trace_steps } else { options.trace_steps.min(FEW_STEPS) };
    let run = run(Worth { items, wanted }).map(|run| run.expect("there is one"));
    if wanted || run.is_ok() {
        answer.shown(spds, run, claim, options)?;
    }
    Ok(answer)
}

/// The places at which assertions have failed.
fn failing(spds: &Spds) -> Vec<Target> {
    spds.fail.iter().map(|&symbol| Target { control: None, symbol }).collect()
}

/// Whether a run has come to its end there.
fn is_end(spds: &Spds, symbol: SymbolId) -> bool {
    [spds.end, spds.fail].contains(&Some(symbol))
}
