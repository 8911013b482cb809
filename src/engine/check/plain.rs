//! Everything that needs no automaton: reachability, assertions, termination, and whether there is a run at all.

use std::sync::Arc;

use super::control::{cyclic, ends, failures, heads_of, is_end};
use super::effort::Effort;
use super::formula;
use super::ground::{Attempt, Failure, Start, in_attempts, space, start_head};
use super::looks::{Looks, Seen};
use super::repeating::{Ends, Number, Repeats, Wanted, going_round, repeating};
use super::{Answer, CheckError, Desk, Options, Property, Verdict};
use crate::heads::Cycles;
use crate::heads::rough::Rough;
use crate::limits::{Clock, Stop};
use crate::ltl::formula::Op;
use crate::ltl::{Formulas, Ltl, Passes, Violations};
use crate::options::{Runs, Scc, TraceWish};
use crate::pds::{HeadId, Pds};
use crate::replay::Claim;
use crate::run::{Ending, Run};
use crate::saturation::images::Control;
use crate::saturation::{PostStar, System};
use crate::witness::pace::at_some_pace;
use crate::witness::{Leaps, NoRun, complete, unwind};

/// The violations of "false": all runs.
pub(super) fn any_run(options: &Options) -> Result<Arc<Violations>, Stop> {
    let mut formulas = Formulas::new();
    let root = formulas.make(Op::False, &[]);
    let nothing = Ltl { formulas, root };
    Ok(Arc::new(Violations::of(nothing, Vec::new(), &Passes::default(), &options.limits)?))
}

/// Work that is worth while to find some run, whatever it does.
const LITTLE_WORK: u64 = 1 << 20;

impl Desk<'_> {
    /// What control tells, with everything that the properties ask for in it.
    pub(super) fn plain_control(&self) -> Control {
        let (spds, runs) = (self.spds, self.options.runs);
        Control::new(spds, None, self.options, |pds, flow| {
            let mut goals: Vec<HeadId> = self.asked().flat_map(|(_, p)| self.places(pds, p)).collect();
            let temporal = |property: &Property| matches!(property, Property::Termination | Property::Ltl(_));
            if self.asked().any(|(_, property)| temporal(property)) || self.may_be_vacuous() {
                goals.extend(cyclic(pds, flow).into_iter().filter(|head| !is_end(spds, pds, *head)));
                goals.extend(if runs == Runs::Maximal { ends(spds, pds) } else { Vec::new() });
                if runs == Runs::Stutter {
                    // Runs exist as soon as there is a visible configuration.
                    let start = pds.find(start_head(spds)).expect("the start head is numbered");
                    let all = (0..pds.head_count() as u32).map(HeadId);
                    goals.extend(all.filter(|head| *head == start || pds.is_hidden(start)));
                }
            }
            goals
        })
    }

    /// The heads at which a property is decided, if there are such.
    fn places(&self, pds: &Pds, property: &Property) -> Vec<HeadId> {
        match property {
            Property::Reach(targets) => heads_of(self.spds, pds, targets),
            Property::Assertions => failures(self.spds, pds),
            Property::Configurations(_) | Property::Termination | Property::Ltl(_) => Vec::new(),
        }
    }

    /// One attempt to answer them all over one saturation. Formulas are answered in between, each over
    /// its own, before anyone asks whether their answers mean anything.
    pub(super) fn plain(&mut self, control: &Control, attempt: Attempt) -> Result<(), Failure> {
        let clock = Clock::start();
        let space = space(self.spds, control, None, self.options, attempt)?;
        let system = System::new(self.spds, control, None, &space)?;
        self.stats.seconds("seconds in encoding", clock);
        let clock = Clock::start();
        let start = Start::new(&system, None)?;
        let mut post = start.search(&system, self.options, None)?;
        let mut looks = Looks::new(&system, &start, self.options, None);
        self.reachability(&mut post, &start, &mut looks, clock)?;
        let repeats = self.repeats(&mut post, &start, &mut looks)?;
        self.traces(&mut post, &start, repeats.as_ref())?;
        self.formulas()?;
        self.vacuity(&mut post, &start, repeats.as_ref())?;
        self.stats.ended(&space);
        Ok(())
    }

    /// Which places are reached.
    fn reachability<'s, 'a>(
        &mut self,
        post: &mut PostStar<'s, 'a>,
        start: &Start,
        looks: &mut Looks<'_, 's, 'a>,
        clock: Clock,
    ) -> Result<(), Failure> {
        let pds = &post.system().control.pds;
        let mut open: Vec<(usize, Vec<HeadId>)> =
            self.asked_of_places(pds).filter(|(i, _)| !self.is_known(*i)).collect();
        let mut outcome = Ok(());
        while !open.is_empty() && outcome.is_ok() {
            outcome = self.some_places(post, start, looks, &mut open);
        }
        self.stats.seconds("seconds in post*", clock);
        self.stats.measured(post);
        outcome
    }

    /// Another attempt may have found a run, and have been given up before it could show it.
    fn is_known(&self, i: usize) -> bool {
        let is_shown = |answer: &Answer| answer.verdict.trace().is_some() || answer.trace_omitted.is_some();
        let any = self.options.trace == TraceWish::Any;
        self.answers[i].as_ref().is_some_and(|answer| answer.verdict.claims_run() && (!any || is_shown(answer)))
    }

    /// Searches on until all open places are reached, or no more are, or a look has seen some; they are open no longer. What
    /// looks have seen is shown at once, unless the shortest run is wanted.
    fn some_places<'s, 'a>(
        &mut self,
        post: &mut PostStar<'s, 'a>,
        start: &Start,
        looks: &mut Looks<'_, 's, 'a>,
        open: &mut Vec<(usize, Vec<HeadId>)>,
    ) -> Result<(), Failure> {
        let reached = |post: &PostStar<'_, '_>, heads: &[HeadId]| heads.iter().any(|&head| post.reaches(head));
        looks.towards(open.iter().flat_map(|(_, heads)| heads.iter().copied()));
        let mut left: Vec<&[HeadId]> = open.iter().map(|(_, heads)| &heads[..]).collect();
        let done = |post: &PostStar<'_, '_>| {
            if left.iter().any(|heads| reached(post, heads)) {
                left.retain(|heads| !reached(post, heads));
            }
            left.is_empty()
        };
        let some = |look: &PostStar<'_, '_>| Ok(open.iter().any(|(_, heads)| reached(look, heads)).then_some(()));
        let seen = looks.beside(post, done, some);
        let look = seen.as_ref().ok().and_then(Option::as_ref).map(|(look, ())| look);
        let (mut found, mut shown) = (Vec::new(), Vec::new());
        open.retain(|(i, heads)| {
            let is_seen = look.is_some_and(|look| reached(look, heads));
            let is_found = is_seen || reached(post, heads);
            found.extend(is_found.then_some(*i));
            shown.extend(is_seen.then_some(*i));
            !is_found
        });
        found.iter().for_each(|i| self.answer(*i, Answer::new(Verdict::of(&self.properties[*i], true))));
        match seen? {
            Some((look, ())) => {
                self.seen(&shown, &look, |desk, i, options| desk.way(&look, start, &desk.properties[i], options))
            }
            None => {
                for (i, _) in open.drain(..) {
                    self.answer(i, Answer::new(Verdict::of(&self.properties[i], false)));
                }
                Ok(())
            }
        }
    }

    /// Shows runs that a look has seen, unless the shortest are wanted.
    fn seen(
        &mut self,
        which: &[usize],
        look: &PostStar<'_, '_>,
        find: impl Fn(&Self, usize, &Options) -> Result<Run, NoRun>,
    ) -> Result<(), Failure> {
        match self.options.trace {
            TraceWish::Shortest => Ok(()),
            _ => look.system().space.without_starting_over(|| self.show(which, look, find)),
        }
    }

    fn asked_of_places<'d>(&'d self, pds: &'d Pds) -> impl Iterator<Item = (usize, Vec<HeadId>)> + 'd {
        let asked = self.asked().filter(|(_, property)| matches!(property, Property::Reach(_) | Property::Assertions));
        asked.map(|(i, property)| (i, self.places(pds, property)))
    }

    /// Where runs go on for ever, other than at their end, if that is asked for and has not been shown at once.
    fn repeats<'s, 'a>(
        &mut self,
        post: &mut PostStar<'s, 'a>,
        start: &Start,
        looks: &mut Looks<'_, 's, 'a>,
    ) -> Result<Option<Repeats>, Failure> {
        let asked = |property: &Property| matches!(property, Property::Termination);
        let asked: Vec<usize> = self.asked().filter(|(_, property)| asked(property)).map(|(i, _)| i).collect();
        if asked.is_empty() {
            return Ok(None);
        }
        let clock = Clock::start();
        if let Some((look, found)) = self.some_cycle(post, looks)? {
            asked.iter().for_each(|i| self.answer(*i, Answer::new(Verdict::Violated(None))));
            self.seen(&asked, &look, |_, _, options| lasso_of(&look, start, &found, options))?;
            if self.options.trace != TraceWish::Shortest {
                return Ok(None);
            }
        }
        let found = self.all_cycles(post);
        match found {
            Ok(ref found) => {
                let verdict = Verdict::of(&Property::Termination, !found.1.is_empty());
                asked.iter().for_each(|i| self.answer(*i, Answer::new(verdict.clone())));
            }
            Err(stop) => {
                for i in asked {
                    let Some(answer) = &mut self.answers[i] else { continue };
                    answer.shown(self.spds, Err(NoRun::Stopped(stop)), &Claim::Infinite, self.options)?;
                }
            }
        }
        self.stats.seconds("seconds in cycles", clock);
        Ok(Some(found?))
    }

    /// The same, as looks tell.
    fn some_cycle<'s, 'a>(
        &self,
        post: &mut PostStar<'s, 'a>,
        looks: &mut Looks<'_, 's, 'a>,
    ) -> Result<Option<Seen<'s, 'a, Repeats>>, Stop> {
        looks.towards([]);
        let find = |look: &PostStar<'s, 'a>| {
            let found = self.cycles(look, Scc::Hull)?;
            Ok(Some(found).filter(|(_, found)| !found.is_empty()))
        };
        match looks.beside(post, |_| false, find)? {
            None => looks.look(|_| false, find),
            seen => Ok(seen),
        }
    }

    /// The same, as the whole saturation tells.
    fn all_cycles(&self, post: &mut PostStar<'_, '_>) -> Result<Repeats, Stop> {
        post.run(|_| false)?;
        self.cycles(post, self.options.scc)
    }

    /// The same, as far as it has been saturated.
    fn cycles(&self, post: &PostStar<'_, '_>, scc: Scc) -> Result<Repeats, Stop> {
        let rough = Rough::of_reached(post);
        let wanted = [Wanted { within: None, cycles: Cycles::All }];
        let number = if self.options.trace == TraceWish::Shortest { Number::All } else { Number::One };
        let found = repeating(post, &rough, &wanted, Ends::Ignored, number, (scc, self.options.one_way))?;
        Ok((rough, found))
    }

    /// Shows runs of those properties that are violated or reachable, as far as this saturation found that out.
    fn traces(&mut self, post: &mut PostStar<'_, '_>, start: &Start, repeats: Option<&Repeats>) -> Result<(), Failure> {
        let lacks_run = |answer: &Answer| answer.verdict.claims_run() && answer.verdict.trace().is_none();
        let is_shortest = self.options.trace == TraceWish::Shortest;
        let seen_here = |property: &Property| match property {
            Property::Ltl(_) => false,
            Property::Termination => repeats.is_some(),
            _ => {
                is_shortest || self.places(&post.system().control.pds, property).iter().any(|&head| post.reaches(head))
            }
        };
        let wanted: Vec<usize> = self
            .asked()
            .filter(|(i, property)| self.answers[*i].as_ref().is_some_and(lacks_run) && seen_here(property))
            .map(|(i, _)| i)
            .collect();
        if wanted.is_empty() {
            return Ok(());
        }
        let clock = Clock::start();
        let completed = if is_shortest { post.run(|_| false) } else { Ok(()) };
        let post = &*post;
        self.show(&wanted, post, |desk, i, options| match (completed, &desk.properties[i], repeats) {
            (Err(stop), ..) => Err(NoRun::Stopped(stop)),
            (Ok(()), Property::Termination, Some(found)) => lasso_of(post, start, found, options),
            (Ok(()), property, _) => desk.way(post, start, property, options),
        })?;
        self.stats.seconds("seconds in traces", clock);
        Ok(())
    }

    /// Shows the runs of these properties that a search has found, as far as that is worth it.
    fn show(
        &mut self,
        which: &[usize],
        post: &PostStar<'_, '_>,
        find: impl Fn(&Self, usize, &Options) -> Result<Run, NoRun>,
    ) -> Result<(), Failure> {
        let effort = Effort::after(post, self.options);
        for &i in which {
            let Some(run) = effort.run(|options| find(self, i, options)) else { continue };
            let claim = match &self.properties[i] {
                Property::Reach(targets) => Claim::Reaches(targets.iter().map(|t| (t.control, t.symbol)).collect()),
                Property::Assertions => Claim::Fails,
                Property::Configurations(_) | Property::Termination | Property::Ltl(_) => Claim::Infinite,
            };
            let answer = self.answers[i].as_mut().expect("it was found");
            answer.shown(self.spds, run, &claim, &effort.options)?;
        }
        Ok(())
    }

    fn way(
        &self,
        post: &PostStar<'_, '_>,
        start: &Start,
        property: &Property,
        options: &Options,
    ) -> Result<Run, NoRun> {
        let system = post.system();
        let goals = self.places(&system.control.pds, property);
        let (live, limit) = (start.live(system)?, options.trace_steps);
        let leaps = Leaps::After(options.leap_after);
        let ways = at_some_pace(post, leaps, limit, |post, pace| unwind::to_goal(post, &live, &goals, pace))?;
        let ways = ways.expect("the saturation reached the goal");
        let ending = if matches!(property, Property::Reach(_)) { Ending::Reached } else { Ending::Failed };
        let mut run = complete::run(system, &ways, &start.full(), ending, limit)?;
        if ending == Ending::Failed {
            run = failed(run);
        }
        Ok(run)
    }

    /// Whether there is a run at all: one that violates "false".
    fn has_run(&mut self) -> Result<bool, Failure> {
        let options = Options { trace: TraceWish::None, ..self.options.clone() };
        let all = any_run(&options)?;
        let mut answer = None;
        let attempt = |attempt| {
            answer = None;
            formula::check(self.spds, &all, &options, attempt, &mut self.stats, &mut answer)
        };
        match in_attempts(self.spds, &options, attempt) {
            Ok(None) => Ok(answer.is_some_and(|answer| answer.verdict != Verdict::Holds)),
            Ok(Some(stop)) => Err(stop.into()),
            Err(CheckError::WitnessRejected(objection)) => Err(Failure::Rejected(objection)),
        }
    }

    /// Whether a run that comes to one of these heads, or goes on for ever, is found with little work: from a few starts.
    fn has_some_run(&self, system: &System<'_>, start: &Start, heads: &[HeadId]) -> Result<bool, Stop> {
        let options = Options { trace: TraceWish::None, ..self.options.clone() };
        let found = system.space.attempt(LITTLE_WORK, || {
            let mut post = start.some(system)?.saturation(system, &options, None)?;
            post.run(|post| heads.iter().any(|head| post.reaches(*head)))?;
            Ok(heads.iter().any(|head| post.reaches(*head)) || !self.all_cycles(&mut post)?.1.is_empty())
        });
        Ok(found?.unwrap_or(false))
    }

    /// Whether there is a run at all, if some property holds that would also hold otherwise.
    fn vacuity(
        &mut self,
        post: &mut PostStar<'_, '_>,
        start: &Start,
        repeats: Option<&Repeats>,
    ) -> Result<(), Failure> {
        let runs = self.options.runs;
        if !self.may_be_vacuous() {
            return Ok(());
        }
        let clock = Clock::start();
        let (spds, pds) = (self.spds, &post.system().control.pds);
        let ends = ends(spds, pds);
        let heads: Vec<HeadId> = match runs {
            Runs::Maximal => ends,
            Runs::Infinite => Vec::new(),
            Runs::Stutter => (0..pds.head_count() as u32).map(HeadId).filter(|head| !pds.is_hidden(*head)).collect(),
        };
        let comes = |post: &PostStar<'_, '_>| heads.iter().any(|head| post.reaches(*head));
        let exists = if runs == Runs::Stutter && formula::ends_in_void(spds) {
            // A run that leaves the empty stack neither goes on nor is blocked.
            self.has_run()?
        } else if runs != Runs::Stutter && !comes(post) && self.has_some_run(post.system(), start, &heads)? {
            true
        } else {
            if !comes(post) {
                post.run(comes)?;
            }
            comes(post)
                || runs != Runs::Stutter
                    && match repeats {
                        Some((_, found)) => !found.is_empty(),
                        None => !self.all_cycles(post)?.1.is_empty(),
                    }
        };
        if !exists {
            self.vacuous();
        }
        self.stats.seconds("seconds in vacuity", clock);
        Ok(())
    }

    /// There is no run at all: what holds means nothing.
    pub(super) fn vacuous(&mut self) {
        for (property, answer) in self.properties.iter().zip(&mut self.answers) {
            let Some(answer) = answer.as_mut().filter(|answer| answer.verdict == Verdict::Holds) else { continue };
            answer.vacuous = match property {
                Property::Ltl(_) => true,
                // Without infinite runs "there is none" is what termination means.
                Property::Termination => self.options.runs != Runs::Infinite,
                Property::Reach(_) | Property::Configurations(_) | Property::Assertions => false,
            };
        }
    }
}

/// A run that has come to `@fail` as it is shown: the last step is the failing assertion, `@fail` itself is no place in the program.
pub(super) fn failed(mut run: Run) -> Run {
    run.stem.pop();
    Run { ending: Ending::Failed, ..run }
}

/// A run that goes on for ever.
fn lasso_of(post: &PostStar<'_, '_>, start: &Start, found: &Repeats, options: &Options) -> Result<Run, NoRun> {
    let leaps = Leaps::After(options.leap_after);
    going_round(post, start, (&found.0, &found.1), (leaps, options.trace_steps), &Claim::Infinite)
}
