//! Properties decided backwards: is the start among the configurations from which a bad head can be reached? Nothing is
//! shared with the search forwards but the steps of single rules; see [`crate::heads::backward`].

use spds_format::Spds;

use super::control::{failures, heads_of, is_end};
use super::effort::LITTLE_WORK;
use super::formula::accepting;
use super::ground::{Attempt, Failure, Start, in_attempts, omitted, space};
use super::plain::any_run;
use super::repeating::Wanted;
use super::{Answer, CheckError, Desk, Outcome, Property, Question, Stats, Vacuity, Verdict, answered, without_data};
use crate::bdd::Space;
use crate::flow::StartEdges;
use crate::heads::backward::{Everywhere, comes_to};
use crate::heads::{Cycles, HeadSets};
use crate::limits::{Clock, Stop};
use crate::ltl::automaton::ComponentKind;
use crate::options::{LiveRanges, Options, Runs, Search, Switch, TraceWish};
use crate::pds::{HeadId, Pds};
use crate::product::Product;
use crate::saturation::System;
use crate::saturation::images::Control;

impl Desk<'_> {
    /// Answers all properties, verdicts backwards and traces forwards.
    pub(super) fn backwards(mut self) -> Result<Outcome, CheckError> {
        let asked: Vec<(usize, &Property)> = self.asked().collect();
        for (i, property) in asked {
            let answer = if self.stutters(property) {
                self.forwards(property, None)?
            } else {
                match found(self.spds, property, self.options, &mut self.stats)? {
                    Err(stop) => Answer::unknown(stop),
                    Ok(found) => self.shown(property, found)?,
                }
            };
            (self.tell)(i, &answer);
            self.answers[i] = Some(answer);
        }
        if self.may_be_vacuous() {
            // Whether there are runs is a remark; without it the answers are as good.
            if let Ok(runs) = any_run(self.options).map(Property::Ltl)
                && self.excluded(&runs)?
            {
                self.vacuous();
            }
        }
        let answers = self.answers.into_iter().map(|answer| answer.expect("each is answered")).collect();
        Ok(Outcome { answers, stats: self.stats })
    }

    /// Whether runs stay for ever where they are blocked, and the property is about such runs. Where values are blocked is
    /// known to the search forwards only.
    fn stutters(&self, property: &Property) -> bool {
        matches!(property, Property::Ltl(_)) && self.options.runs == Runs::Stutter
    }

    /// Whether it is known that no run violates the property.
    fn excluded(&mut self, property: &Property) -> Result<bool, CheckError> {
        Ok(if self.stutters(property) {
            self.forwards(property, None)?.verdict == Verdict::Holds
        } else {
            found(self.spds, property, self.options, &mut self.stats)?.is_ok_and(|found| !found)
        })
    }

    /// The answer to a property, with a trace if one is wanted and calls for it, or can be had with little work.
    fn shown(&mut self, property: &Property, found: bool) -> Result<Answer, CheckError> {
        let mut answer = Answer::new(Verdict::of(property, found));
        if found {
            let wanted = self.options.trace != TraceWish::None;
            let other = self.forwards(property, if wanted { self.options.work } else { Some(LITTLE_WORK) })?;
            if other.verdict.bare() == answer.verdict {
                return Ok(other);
            }
            let Verdict::Unknown(reason) = other.verdict else {
                return Err(CheckError::WitnessRejected("the searches forwards and backwards disagree".into()));
            };
            answer.trace_omitted = wanted.then(|| omitted(reason));
        }
        Ok(answer)
    }

    /// The answer of the search forwards, with so much work.
    fn forwards(&mut self, property: &Property, work: Option<u64>) -> Result<Answer, CheckError> {
        let options = Options { search: Search::Post, work, ..self.options.clone() };
        let property = std::slice::from_ref(property);
        let question = Question { spds: self.spds, properties: property, options: &options, tell: &|_, _| () };
        let mut outcome = answered(&question, vec![None], Vacuity::Later)?;
        self.stats.add(outcome.stats);
        Ok(outcome.answers.pop().expect("one property, one answer"))
    }
}

/// Whether there is a run that comes to a place, fails, goes on for ever, or violates the formula, as is found backwards; or the
/// limit that was met.
fn found(
    spds: &Spds,
    property: &Property,
    options: &Options,
    stats: &mut Stats,
) -> Result<Result<bool, Stop>, CheckError> {
    let clock = Clock::start();
    match without_data::found_backwards(spds, property, options) {
        Ok(None) => {}
        known => {
            stats.seconds("seconds in explicit pre*", clock);
            return Ok(known.map(|found| found.is_some_and(|found| found)));
        }
    }
    let options = Options {
        modref: Switch::Off,
        live: LiveRanges::Off,
        slice: Switch::Off,
        trace: TraceWish::None,
        ..options.clone()
    };
    let mut found = false;
    let attempt = |attempt| {
        found = decide(spds, property, &options, attempt, stats)?;
        Ok(())
    };
    let stopped = in_attempts(spds, &options, attempt)?;
    Ok(stopped.map_or(Ok(found), Err))
}

fn decide(
    spds: &Spds,
    property: &Property,
    options: &Options,
    attempt: Attempt,
    stats: &mut Stats,
) -> Result<bool, Failure> {
    let clock = Clock::start();
    let product = match property {
        Property::Ltl(violations) if violations.automaton.strength() == ComponentKind::Rejecting => {
            return Ok(false);
        }
        Property::Ltl(violations) => Some(Product::new(spds, violations, options.runs, options.strength)),
        _ => None,
    };
    let mut pds = Pds::new(spds, product.as_ref());
    pds.intern_resumed(spds);
    let control = Control::from_edges(spds, pds, &StartEdges::default(), options, |_, _| Vec::new());
    let space = space(spds, &control, product.as_ref(), options, attempt)?;
    let system = System::new(spds, &control, product.as_ref(), &space)?;
    let pds = &system.control.pds;
    let all = |heads: Vec<HeadId>| everything(&space, heads);
    // Under `infinite` a run that has come to its end does not count.
    let counts = |head: HeadId| options.runs != Runs::Infinite || !is_end(spds, pds, head);
    let bad = match property {
        Property::Reach(targets) => all(heads_of(spds, pds, targets)),
        Property::Assertions => all(failures(spds, pds)),
        // Asked about a system of its own.
        Property::Configurations(_) => HeadSets::new(),
        Property::Termination => {
            let graph = Everywhere::new(&system)?;
            graph.repeating(|head| !is_end(spds, pds, head), None, Cycles::All)?
        }
        Property::Ltl(violations) => {
            let graph = Everywhere::new(&system)?;
            let mut bad = HeadSets::new();
            for Wanted { within, cycles } in accepting(&system, &violations.automaton, options)? {
                bad = bad.union(&space, &graph.repeating(counts, within.as_ref(), cycles)?)?;
            }
            bad
        }
    };
    stats.seconds("seconds in repeating heads (pre*)", clock);
    let clock = Clock::start();
    let [(node, values)] = Start::new(&system, product.as_ref())?.full();
    let is_one = comes_to(&system, (node.head, values), &bad)?;
    stats.seconds("seconds in pre*", clock);
    stats.peaked(&space);
    stats.ended(&space);
    Ok(is_one)
}

/// These heads, with all values.
fn everything(space: &Space, heads: Vec<HeadId>) -> HeadSets {
    let mut all = HeadSets::new();
    heads.into_iter().for_each(|head| all.set(space, head, space.top()));
    all
}
