//! The pipeline as one function: a system and properties in, answers out.
//!
//! All that needs no automaton shares one saturation; each formula has one of its own, and so has each set of
//! configurations.
//!
//! ```
//! use puch_engine::check::{Options, Property, Target, Verdict, check};
//!
//! let text = "spds 1 global x: u3; control p; symbol a; symbol b; symbol c; start <p, a> when x = 0;
//!     rule <p, a> -> <p, a> { x' := x + 2 }; rule <p, a> -> <p, b> when x > 4; rule <p, b> -> <p, c> when x = 7;";
//! let spds = spds_format::parse(text).unwrap();
//! let [b, c] = [1, 2].map(|n| Target { control: None, symbol: spds_format::model::SymbolId(n) });
//! let set = spds_format::parse_configurations(&spds, "<p[x = 6], b>").unwrap();
//! let properties = [Property::Reach(vec![b]), Property::Reach(vec![c]), Property::Configurations(set.into())];
//! let outcome = check(&spds, &properties, &Options::default()).expect("every run is real");
//! let [Verdict::Reachable(Some(trace)), Verdict::Unreachable, Verdict::Reachable(_)] =
//!     [0, 1, 2].map(|n| outcome.answers[n].verdict.clone())
//! else { panic!("this is so") };
//! // Three times round, and on.
//! assert_eq!(trace.run.stem.len(), 5);
//! ```

mod arrangement;
mod backwards;
pub(crate) mod control;
mod effort;
mod formula;
pub(crate) mod ground;
mod looks;
mod plain;
mod repeating;
mod sets;
mod several;
#[cfg(test)]
mod tests;
mod together;
mod turns;
mod without_data;

use std::sync::Arc;

use serde::{Serialize, Serializer};
use spds_format::model::{ControlId, SymbolId};
use spds_format::{Automaton, Spds};

pub use crate::limits::Reason;
use crate::limits::{Clock, Stop};
use crate::ltl::Violations;
pub use crate::options::{Engine, LiveRanges, Options, Order, Runs, Scc, Search, Switch, TraceWish};
use crate::run::Run;
use crate::verdict;
use ground::{Failure, in_attempts};

/// A question about a system.
#[derive(Clone, Debug)]
pub enum Property {
    /// Does some run come to one of these places?
    Reach(Vec<Target>),
    /// Does some run come to one of these configurations, stack and all? The set must be valid as an input; configurations
    /// with the empty stack, and those that no run shows, do not count.
    Configurations(Arc<Automaton>),
    /// Does no assertion fail: is the symbol `@fail` unreachable?
    Assertions,
    /// Is there no infinite run?
    Termination,
    /// Does no run do this?
    Ltl(Arc<Violations>),
}

/// A place that runs may come to: a topmost symbol, under any control location or under one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// The control location; `None` is any.
    pub control: Option<ControlId>,
    /// The topmost symbol.
    pub symbol: SymbolId,
}

/// What is known of a property. A run that shows it is there if one was wanted and found.
pub type Verdict = verdict::Verdict<Option<Trace>, Reason>;

impl Verdict {
    /// The run that shows it.
    pub fn trace(&self) -> Option<&Trace> {
        self.run().and_then(Option::as_ref)
    }

    /// The same without the run that shows it.
    pub fn bare(&self) -> Verdict {
        self.as_ref().map(|_| None, |reason| *reason)
    }

    /// What it means for a property that some run does what it is about, or none does.
    fn of(property: &Property, found: bool) -> Verdict {
        let verdict = if found { Verdict::Violated(None) } else { Verdict::Holds };
        match property {
            Property::Reach(_) | Property::Configurations(_) => verdict.of_places(),
            Property::Assertions | Property::Termination | Property::Ltl(_) => verdict,
        }
    }
}

pub use crate::replay::Replayed;

/// A run that witnesses a verdict, accepted by the judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// The run.
    pub run: Run,
    /// How much of it the judge walked.
    #[serde(serialize_with = "replayed")]
    pub replayed: Replayed,
}

/// As in reports.
fn replayed<S: Serializer>(replayed: &Replayed, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(replayed.name())
}

fn judged<S: Serializer>(replayed: &Option<Replayed>, serializer: S) -> Result<S::Ok, S::Error> {
    replayed.map(Replayed::name).serialize(serializer)
}

/// The answer to one property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Why there is no trace although one was wanted and the verdict calls for one.
    pub trace_omitted: Option<String>,
    /// Where no trace was wanted: how much of some run that shows the verdict the judge has walked. One is made where that
    /// costs next to nothing.
    #[serde(serialize_with = "judged")]
    pub judged: Option<Replayed>,
    /// The property holds, and so would its opposite: the system has no run at all.
    pub vacuous: bool,
}

/// Sizes and times of a computation, for `--stats` and benches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Named figures in the order in which they were taken.
    pub figures: Vec<(&'static str, f64)>,
    /// What all attempts that came to their end took (see [`Space::spent`](crate::bdd::Space::spent)), searches for cycles and runs included.
    pub work: u64,
    /// What saturations took of it.
    pub saturated: u64,
    /// The most nodes of relations that there were at once in any attempt.
    pub peak_nodes: u64,
}

/// All answers, in the order of the properties.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// One for each property.
    pub answers: Vec<Answer>,
    /// What was measured.
    pub stats: Stats,
}

/// Why there are no answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckError {
    /// The judge rejected a run that the search found: a defect of puch. The text says what it objects to.
    WitnessRejected(String),
}

impl std::fmt::Display for CheckError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CheckError::WitnessRejected(objection) => {
                write!(
                    f,
                    "internal error: the search found a run that its judge rejects ({objection}); please report this"
                )
            }
        }
    }
}

impl std::error::Error for CheckError {}

/// Answers all properties: those that need no automaton over one saturation, each formula and each set of configurations
/// over one of its own.
///
/// The system must be valid (`spds_format` checks that). Same system, properties and options: same answers, but for
/// limits of time and memory, which turn what is not yet known into [`Verdict::Unknown`].
///
/// With [`Search::Pre`] verdicts are found backwards, one property after the other, and traces afterwards, forwards; but
/// formulas under [`Runs::Stutter`] are always searched forwards.
///
/// # Errors
/// If the judge rejects a run that the search found.
pub fn check(spds: &Spds, properties: &[Property], options: &Options) -> Result<Outcome, CheckError> {
    check_and_tell(spds, properties, options, &|_, _| ())
}

/// The same, and tells each answer as soon as it is known, by the number of its property; that of a property that has been
/// told about may get better by a trace.
///
/// # Errors
/// If the judge rejects a run that the search found.
pub fn check_and_tell(
    spds: &Spds,
    properties: &[Property],
    options: &Options,
    tell: &dyn Fn(usize, &Answer),
) -> Result<Outcome, CheckError> {
    let mut outcome = turns::in_turns(&Question { spds, properties, options, tell })?;
    if options.trace == TraceWish::None {
        outcome.answers.iter_mut().for_each(Answer::in_short);
    }
    Ok(outcome)
}

/// What is asked.
struct Question<'a> {
    spds: &'a Spds,
    properties: &'a [Property],
    options: &'a Options,
    /// Who wants to know each answer at once.
    tell: &'a dyn Fn(usize, &Answer),
}

/// Whether it is looked for what would make answers worth little: that there is no run at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vacuity {
    Asked,
    /// There are answers to come, or it has been looked for.
    Later,
}

/// The answers that are open, with all runs that were judged, wanted or not.
fn answered(question: &Question<'_>, mut known: Vec<Option<Answer>>, vacuity: Vacuity) -> Result<Outcome, CheckError> {
    let mut stats = Stats::default();
    for (i, property) in question.properties.iter().enumerate() {
        if let (Property::Configurations(set), None) = (property, &known[i]) {
            let answer = sets::answer(question, set, &mut stats)?;
            (question.tell)(i, &answer);
            known[i] = Some(answer);
        }
    }
    without_data::answer(question, &mut known, &mut stats)?;
    let open: Vec<bool> = known.iter().map(Option::is_none).collect();
    let Question { spds, properties, options, tell } = *question;
    let formulas = Formulas::Open;
    let mut desk =
        Desk { spds, properties, options, tell, open, answers: known, stats, stopped: None, formulas, vacuity };
    if options.search == Search::Pre {
        return desk.backwards();
    }
    if desk.open.iter().all(|open| !open)
        && desk.may_be_vacuous()
        && let Some(has_run) = without_data::has_run(spds, options)
    {
        if !has_run {
            desk.vacuous();
        }
        desk.vacuity = Vacuity::Later;
    }
    let plain = desk.asked().any(|(_, property)| !matches!(property, Property::Ltl(_)));
    if plain {
        desk.without_automaton()?;
    }
    match desk.formulas() {
        Err(Failure::Rejected(objection)) => return Err(CheckError::WitnessRejected(objection)),
        Err(Failure::Stopped(stop)) => desk.stopped = desk.stopped.or(Some(stop)),
        Ok(()) => {}
    }
    if !plain && desk.may_be_vacuous() {
        desk.without_automaton()?;
    }
    let mut answers = desk.answers;
    if let Some(stop) = desk.stopped.filter(|_| options.trace != TraceWish::None) {
        answers.iter_mut().flatten().for_each(|answer| answer.lacks_trace(stop));
    }
    let stopped = desk.stopped.unwrap_or(Stop::Work);
    let answers = answers.into_iter().map(|answer| answer.unwrap_or_else(|| Answer::unknown(stopped))).collect();
    Ok(Outcome { answers, stats: desk.stats })
}

/// What is being worked on.
struct Desk<'a> {
    spds: &'a Spds,
    properties: &'a [Property],
    options: &'a Options,
    tell: &'a dyn Fn(usize, &Answer),
    /// The properties whose answers are wanted; those of the others are known.
    open: Vec<bool>,
    answers: Vec<Option<Answer>>,
    stats: Stats,
    /// The limit that was met.
    stopped: Option<Stop>,
    formulas: Formulas,
    vacuity: Vacuity,
}

/// Whether the formulas have been answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Formulas {
    /// Not yet.
    Open,
    /// They have, as far as limits let them.
    Done,
}

impl<'a> Desk<'a> {
    /// The properties whose answers are wanted.
    fn asked(&self) -> impl Iterator<Item = (usize, &'a Property)> + use<'a, '_> {
        self.properties.iter().enumerate().filter(|(i, _)| self.open[*i])
    }

    /// An answer is known.
    fn answer(&mut self, i: usize, answer: Answer) {
        (self.tell)(i, &answer);
        self.answers[i] = Some(answer);
    }

    /// Everything that needs no automaton.
    fn without_automaton(&mut self) -> Result<(), CheckError> {
        let clock = Clock::start();
        let control = self.plain_control();
        self.stats.seconds("seconds in control analyses", clock);
        self.stats.variables(self.spds, &control);
        let options = self.options;
        let stopped = in_attempts(self.spds, options, |attempt| self.plain(&control, attempt))?;
        self.stopped = self.stopped.or(stopped);
        Ok(())
    }

    /// Answers the formulas, if that has not been done.
    fn formulas(&mut self) -> Result<(), Failure> {
        if self.formulas != Formulas::Open {
            return Ok(());
        }
        self.formulas = Formulas::Done;
        for (i, property) in self.properties.iter().enumerate().filter(|(i, _)| self.open[*i]) {
            let Property::Ltl(violations) = property else { continue };
            let (stats, answer) = (&mut self.stats, &mut self.answers[i]);
            let attempt = |attempt| {
                // What has been decided stays so.
                *answer = answer.take().filter(|answer| answer.verdict.claims_run());
                formula::check(self.spds, violations, self.options, attempt, stats, answer)
            };
            match in_attempts(self.spds, self.options, attempt) {
                Ok(stop) => {
                    let answer = answer.get_or_insert_with(|| Answer::unknown(stop.unwrap_or(Stop::Work)));
                    if let Some(stop) = stop.filter(|_| self.options.trace != TraceWish::None) {
                        answer.lacks_trace(stop);
                    }
                    (self.tell)(i, answer);
                }
                Err(CheckError::WitnessRejected(objection)) => return Err(Failure::Rejected(objection)),
            }
        }
        Ok(())
    }

    /// Whether nothing shows that there are runs: every temporal property that was answered holds.
    fn may_be_vacuous(&self) -> bool {
        if self.vacuity == Vacuity::Later {
            return false;
        }
        let temporal = self.properties.iter().zip(&self.answers).filter_map(|(property, answer)| match property {
            Property::Ltl(_) => Some(answer),
            Property::Termination if self.options.runs != Runs::Infinite => Some(answer),
            _ => None,
        });
        let verdicts: Vec<&Verdict> = temporal.flatten().map(|answer| &answer.verdict).collect();
        verdicts.contains(&&Verdict::Holds) && !verdicts.iter().any(|verdict| verdict.claims_run())
    }
}
