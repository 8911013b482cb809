//! What every search begins with: the space of relations, the encoded system, and the start.

use spds_format::Spds;
use spds_format::model::{self, Scalar, Variable};

use super::arrangement::{Arranged, Bits, arranged, universe};
use super::control::{hidden_variables, start_edges};
use super::{Answer, CheckError, Options, Stats, Trace, Verdict};
use crate::bdd::{At, EngineKind, Relation, Space, Trial};
use crate::flow::StateId;
use crate::limits::{Clock, Reason, Stop};
use crate::ltl::automaton;
use crate::options::{Engine, Switch};
use crate::pds::HeadId;
use crate::pds::delta::state_cube;
use crate::pds::encode::Encoder;
use crate::product::Product;
use crate::replay::{self, Claim};
use crate::run::Run;
use crate::saturation::images::Control;
use crate::saturation::post_star::Log;
use crate::saturation::{PostStar, System};
use crate::witness::NoRun;
use crate::witness::rings::Node;

/// Work (see [`Space::work`]) in large operations on Booleans after which the search starts over, in another order of bits if there is a much
/// better one. What integers meet in tells enough of theirs.
const ENOUGH_WORK: u64 = 1 << 15;

/// So many values are some.
const SOME: usize = 16;

pub(crate) enum Failure {
    Stopped(Stop),
    Rejected(String),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Failure::Stopped(stop)
    }
}

/// One attempt, or several: in another order of bits, where relations of Booleans get large. A limit that is met gives the reason for what is
/// still unknown.
pub(crate) fn in_attempts(
    spds: &Spds,
    options: &Options,
    mut attempt: impl FnMut(Attempt) -> Result<(), Failure>,
) -> Result<Option<Stop>, CheckError> {
    let engine = match options.engine {
        Engine::Auto | Engine::Shared => EngineKind::Shared,
        Engine::Biodivine => EngineKind::Biodivine,
    };
    let first = Attempt { engine, work: None, bits: Bits::AsAsked, trial: None };
    let outcome = if has_integer_arrays(spds) {
        in_some_order(engine, &mut attempt)
    } else if options.engine == Engine::Auto && !has_integers(spds) {
        match attempt(Attempt { work: Some(ENOUGH_WORK), ..first.clone() }) {
            Err(Failure::Stopped(Stop::Work)) => attempt(Attempt { bits: Bits::MayBeSifted, ..first }),
            outcome => outcome,
        }
    } else {
        attempt(first)
    };
    match outcome {
        Ok(()) => Ok(None),
        Err(Failure::Stopped(stop)) => Ok(Some(stop)),
        Err(Failure::Rejected(objection)) => Err(CheckError::WitnessRejected(objection)),
    }
}

/// In the order that is likely to be the better one; where that is not soon done, in the other one, which gets as much work and goes on
/// if it has come further with it. If it has not, the first one starts over.
fn in_some_order(engine: EngineKind, attempt: &mut impl FnMut(Attempt) -> Result<(), Failure>) -> Result<(), Failure> {
    let trial = Trial::default();
    let likely = Attempt { engine, work: None, bits: Bits::AsAsked, trial: None };
    match attempt(Attempt { trial: Some(trial.clone()), ..likely.clone() }) {
        Err(Failure::Stopped(Stop::Work)) => {}
        outcome => return outcome,
    }
    match attempt(Attempt { bits: Bits::OtherCells, trial: Some(trial.against()), ..likely.clone() }) {
        Err(Failure::Stopped(Stop::Work | Stop::Memory)) => attempt(likely),
        outcome => outcome,
    }
}

/// One attempt to answer.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    /// The engine.
    engine: EngineKind,
    /// Work in large operations after which another attempt starts over.
    work: Option<u64>,
    /// The order of bits.
    bits: Bits,
    /// How far it may go before another order is tried, if there is one.
    trial: Option<Trial>,
}

impl Attempt {
    /// The same in the order of the options, for decisions that are shown in it.
    pub(crate) fn as_asked(&self) -> Attempt {
        Attempt { bits: Bits::AsAsked, trial: None, ..self.clone() }
    }

    /// The only one, with this engine.
    #[cfg(test)]
    pub(super) fn only(engine: EngineKind) -> Attempt {
        Attempt { engine, work: None, bits: Bits::AsAsked, trial: None }
    }
}

fn has_integers(spds: &Spds) -> bool {
    variables(spds).any(|variable| variable.ty.scalar != Scalar::Bool)
}

fn variables(spds: &Spds) -> impl Iterator<Item = &Variable> {
    spds.globals.iter().chain(spds.frames.iter().flat_map(|frame| &frame.variables))
}

fn has_integer_arrays(spds: &Spds) -> bool {
    variables(spds).any(|variable| variable.ty.range.is_some() && variable.ty.scalar != Scalar::Bool)
}

/// The space of a system's relations.
pub(crate) fn space(
    spds: &Spds,
    control: &Control,
    product: Option<&Product<'_>>,
    options: &Options,
    Attempt { engine, work, bits, trial }: Attempt,
) -> Result<Space, Stop> {
    let Arranged { order, on_trial } = arranged(spds, control, product, options, bits)?;
    let space = Space::new(universe(control, order), engine, &options.limits, work)?;
    if let (Some(trial), Some(most)) = (trial, on_trial) {
        space.on_trial(trial, most);
    }
    if let Some(work) = options.work {
        space.allow(work);
    }
    Ok(space)
}

/// Where runs start: a head with values, dead variables included.
pub(crate) struct Start {
    head: HeadId,
    values: Relation,
}

impl Start {
    /// Of a system, or of its product.
    pub(crate) fn new(system: &System<'_>, product: Option<&Product<'_>>) -> Result<Start, Stop> {
        let (spds, space) = (system.spds, system.space);
        let (layout, head) = (&system.control.pds.layout, start_head(spds));
        let mut values = match &spds.start.condition {
            Some(condition) => {
                Encoder::new(spds, layout, space).condition(condition, spds.symbol(head.symbol).frame)?
            }
            None => space.top(),
        };
        let head = system.control.pds.find(head).expect("the start head is numbered");
        if let Some(product) = product {
            let mut initial = space.bottom();
            for state in &product.initial {
                initial = space.or(&initial, &state_cube(space, layout, *state, At::Now)?)?;
            }
            values = system.unmarked(&space.and(&values, &initial)?)?;
        }
        if let Some(invariant) = system.relations.invariant(&system.control.pds, head) {
            values = space.and(&values, invariant)?;
        }
        Ok(Start { head, values })
    }

    /// The head.
    pub(super) fn head(&self) -> HeadId {
        self.head
    }

    /// A saturation that begins there, and watches for these values (over Now).
    pub(crate) fn saturation<'s, 'a>(
        &self,
        system: &'s System<'a>,
        options: &Options,
        watched: Option<Relation>,
    ) -> Result<PostStar<'s, 'a>, Stop> {
        self.begun(system, options, watched, Switch::Off)
    }

    /// The same, which need not tell in which order it has found what.
    pub(super) fn search<'s, 'a>(
        &self,
        system: &'s System<'a>,
        options: &Options,
        watched: Option<Relation>,
    ) -> Result<PostStar<'s, 'a>, Stop> {
        let alike = if watched.is_some() { Switch::Off } else { options.alike };
        self.begun(system, options, watched, alike)
    }

    fn begun<'s, 'a>(
        &self,
        system: &'s System<'a>,
        options: &Options,
        watched: Option<Relation>,
        alike: Switch,
    ) -> Result<PostStar<'s, 'a>, Stop> {
        let post = PostStar::new(system, options.blocks, Log::Summaries);
        let mut post = post.with_loops(options.loops).with_recursion(options.loops);
        if alike == Switch::On {
            post = post.memoising();
        }
        if let Some(watched) = watched {
            post.watch(watched);
        }
        post.start(self.head, StateId(0), &self.values)?;
        for (from, symbol, to) in start_edges(system.spds).inner {
            post.suspend(from, symbol, to, system.unmarked(&system.space.top())?)?;
        }
        Ok(post)
    }

    /// The same start, with a few of its values only: the least, and some that are not alike.
    pub(super) fn some(&self, system: &System<'_>) -> Result<Start, Stop> {
        let all = system.columns(system.union(system.globals(), system.slots()), At::Now);
        let values = system.space.some_tuples(&self.values, &all, SOME)?;
        Ok(Start { head: self.head, values })
    }

    /// The same start, with the automaton in this state.
    pub(super) fn in_state(&self, system: &System<'_>, state: automaton::StateId) -> Result<Start, Stop> {
        let state = state_cube(system.space, &system.control.pds.layout, state, At::Now)?;
        Ok(Start { head: self.head, values: system.space.and(&self.values, &state)? })
    }

    /// The node with full values.
    pub(super) fn full(&self) -> [(Node, Relation); 1] {
        [(Node { head: self.head, below: Some(StateId(0)) }, self.values.clone())]
    }

    /// The node with live values.
    pub(super) fn live(&self, system: &System<'_>) -> Result<[(Node, Relation); 1], Stop> {
        let [(node, full)] = self.full();
        Ok([(node, system.arrive(self.head, &full)?)])
    }
}

/// The head of the start configuration.
pub(super) fn start_head(spds: &Spds) -> model::Head {
    model::Head { control: spds.start.control, symbol: spds.start.stack[0] }
}

impl Answer {
    /// With nothing beside the verdict.
    pub fn new(verdict: Verdict) -> Answer {
        Answer { verdict, trace_omitted: None, judged: None, vacuous: false }
    }

    /// For this reason.
    pub fn unknown(reason: impl Into<Reason>) -> Answer {
        Answer::new(Verdict::Unknown(reason.into()))
    }

    /// Adds the run that witnesses the verdict, once the judge has accepted it. A verdict that is known stays known,
    /// whatever becomes of its trace.
    pub(super) fn shown(
        &mut self,
        spds: &Spds,
        run: Result<Run, NoRun>,
        claim: &Claim,
        options: &Options,
    ) -> Result<(), Failure> {
        let run = match run {
            Ok(run) => run,
            Err(NoRun::TooLong(limit)) => {
                self.trace_omitted = Some(format!("the trace has more than {} steps (--trace-steps)", limit.0));
                return Ok(());
            }
            // Another attempt, or another turn, finds it.
            Err(NoRun::Stopped(stop @ (Stop::Work | Stop::Allowance))) => return Err(stop.into()),
            Err(NoRun::Stopped(stop)) => {
                self.trace_omitted = Some(omitted(stop));
                return Ok(());
            }
        };
        match replay::judge(spds, &run, claim, options.replay_steps) {
            Ok(replayed) => {
                if let Some(place) = self.verdict.run_mut() {
                    *place = Some(Trace { run, replayed });
                }
                Ok(())
            }
            Err(objection) => Err(Failure::Rejected(objection.to_string())),
        }
    }

    /// If a run claimed has not been shown, this was the reason.
    pub(super) fn lacks_trace(&mut self, stop: Stop) {
        if self.verdict.claims_run() && self.verdict.trace().is_none() && self.trace_omitted.is_none() {
            self.trace_omitted = Some(omitted(Reason::from(stop)));
        }
    }

    /// Of a run that nobody wants to see, that it was judged.
    pub(super) fn in_short(&mut self) {
        self.judged = self.verdict.run_mut().and_then(Option::take).map(|trace| trace.replayed);
    }
}

/// Why there is no trace.
pub(super) fn omitted(reason: impl std::fmt::Display) -> String {
    format!("{reason} while looking for a trace")
}

impl Stats {
    /// How many variables there are, and how many the search forgets wherever it goes.
    pub(super) fn variables(&mut self, spds: &Spds, control: &Control) {
        let (all, hidden) = hidden_variables(spds, control);
        self.figures.extend([("variables", all as f64), ("variables hidden", hidden as f64)]);
    }

    /// And what another search has taken.
    pub(super) fn add(&mut self, mut other: Stats) {
        self.figures.append(&mut other.figures);
        self.work = self.work.saturating_add(other.work);
        self.saturated = self.saturated.saturating_add(other.saturated);
        self.peak_nodes = self.peak_nodes.max(other.peak_nodes);
    }

    /// An attempt over this space came to its end.
    pub(super) fn ended(&mut self, space: &Space) {
        self.work = self.work.saturating_add(space.spent());
    }

    pub(crate) fn seconds(&mut self, name: &'static str, since: Clock) {
        self.figures.push((name, since.seconds()));
    }

    pub(crate) fn measured(&mut self, post: &PostStar<'_, '_>) {
        let space = post.system().space;
        self.figures.extend(post.figures());
        self.figures.push(("levels", space.level_count() as f64));
        self.peaked(space);
        self.figures.push(("live nodes", space.live_nodes() as f64));
        self.figures.push(("work", space.spent() as f64));
        self.saturated = self.saturated.saturating_add(space.spent());
    }

    /// How many nodes there were at once.
    pub(super) fn peaked(&mut self, space: &Space) {
        let peak = space.peak_nodes();
        self.figures.push(("peak nodes", peak as f64));
        self.peak_nodes = self.peak_nodes.max(peak);
    }
}
