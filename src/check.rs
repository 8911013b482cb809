//! The pipeline as one function: a system and properties in, answers out.

use std::sync::Arc;
use std::time::Instant;

use spds_format::Spds;
use spds_format::model::{self, ControlId, SymbolId};

use crate::bdd::{EngineKind, Relation, Space, Universe};
use crate::flow::live::Live;
use crate::flow::modref::{ModRef, Restrict};
use crate::flow::{Dependence, Flow, StartEdges, StateId, rank};
use crate::limits::Stop;
use crate::ltl::Violations;
pub use crate::options::{Engine, Options, Order, Runs, Scc, Switch, TraceWish};
use crate::pds::encode::Encoder;
use crate::pds::{HeadId, Pds, SetId, order};
use crate::replay::{self, Claim};
use crate::run::{Ending, Run};
use crate::saturation::images::Control;
use crate::saturation::post_star::Log;
use crate::saturation::{PostStar, System};
use crate::witness::rings::Node;
use crate::witness::{NoRun, complete, unwind};

/// A question about a system.
#[derive(Clone, Debug)]
pub enum Property {
    /// Does some run come to one of these places?
    Reach(Vec<Target>),
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

/// What is known of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Some run comes there.
    Reachable,
    /// No run does.
    Unreachable,
    /// Every run satisfies it.
    Holds,
    /// Some run does not.
    Violated,
    /// A limit was met first.
    Unknown,
}

pub use crate::replay::Replayed;

/// A run that witnesses a verdict, accepted by the judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The run.
    pub run: Run,
    /// How much of it the judge walked.
    pub replayed: Replayed,
}

/// The answer to one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Why the verdict is unknown.
    pub reason: Option<String>,
    /// The witness, if there is one and it was wanted.
    pub trace: Option<Trace>,
    /// Why there is no trace although one was wanted and the verdict calls for one.
    pub trace_omitted: Option<String>,
    /// The property holds, and so would its opposite: the system has no run at all.
    pub vacuous: bool,
}

/// Sizes and times of a computation, for `--stats` and benches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Named figures in the order in which they were taken.
    pub figures: Vec<(&'static str, f64)>,
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

/// Answers all properties over one saturation.
///
/// The system must be valid (`spds_format` checks that). Same system, properties and options: same answers, but for
/// limits of time and memory, which turn what is not yet known into [`Verdict::Unknown`].
///
/// # Errors
/// If the judge rejects a run that the search found.
pub fn check(spds: &Spds, properties: &[Property], options: &Options) -> Result<Outcome, CheckError> {
    let mut stats = Stats::default();
    let clock = Instant::now();
    let control = Control::new(spds, properties, options);
    stats.seconds("seconds in control analyses", clock);
    let engines: &[(EngineKind, Option<u64>)] = match options.engine {
        Engine::Auto => &[(EngineKind::Biodivine, Some(ENOUGH_WORK)), (EngineKind::Oxidd, None)],
        Engine::Biodivine => &[(EngineKind::Biodivine, None)],
        Engine::Oxidd => &[(EngineKind::Oxidd, None)],
    };
    let mut stopped = Stop::Work;
    for &(engine, work) in engines {
        let mut search = Search { spds, control: &control, properties, options, answers: vec![None; properties.len()] };
        match search.run(engine, work, &mut stats) {
            Ok(()) => {}
            Err(Failure::Stopped(Stop::Work | Stop::Width)) if engine == EngineKind::Biodivine && work.is_some() => {
                continue;
            }
            Err(Failure::Stopped(stop)) => stopped = stop,
            Err(Failure::Rejected(objection)) => return Err(CheckError::WitnessRejected(objection)),
        }
        let unknown = || Answer {
            verdict: Verdict::Unknown,
            reason: Some(stopped.to_string()),
            trace: None,
            trace_omitted: None,
            vacuous: false,
        };
        let answers = search.answers.into_iter().map(|answer| answer.unwrap_or_else(unknown)).collect();
        return Ok(Outcome { answers, stats });
    }
    unreachable!("the last engine has no limit of work")
}

/// Work (see [`Space::work`]) after which OxiDD starts over.
const ENOUGH_WORK: u64 = 30_000_000;

enum Failure {
    Stopped(Stop),
    Rejected(String),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Failure::Stopped(stop)
    }
}

impl Stats {
    fn seconds(&mut self, name: &'static str, since: Instant) {
        self.figures.push((name, since.elapsed().as_secs_f64()));
    }
}

impl Control {
    /// Analyses control, and slices it towards what the properties ask for.
    fn new(spds: &Spds, properties: &[Property], options: &Options) -> Control {
        let mut pds = Pds::new(spds, None);
        let flow = Flow::new(&mut pds, &start_edges(spds));
        let graph = Dependence::new(&pds, &flow);
        let has_invariants = spds.symbols.iter().any(|symbol| symbol.invariant.is_some());
        let start = pds.find(model::Head { control: spds.start.control, symbol: spds.start.stack[0] });
        let invariant = |head: HeadId| {
            // What the condition on the start reads matters there, too.
            let condition = spds.start.condition.iter().filter(|_| Some(head) == start);
            let symbol = spds.symbol(pds.head(head).symbol);
            let invariant = symbol.invariant.iter().filter(|_| has_invariants);
            condition
                .chain(invariant)
                .fold(SetId::EMPTY, |set, expr| pds.sets.union(set, pds.reads(expr, symbol.frame)))
        };
        let live = match options.live {
            Switch::On => Live::new(&pds, &flow, &graph, invariant),
            Switch::Off => Live::all(&pds),
        };
        let restrict = match options.modref {
            Switch::On => Restrict::Touched,
            Switch::Off => Restrict::Nothing,
        };
        let modref = ModRef::new(&pds, &flow, restrict, invariant);
        let rank = rank::ranks(&pds, &flow, &modref);
        let needed = match options.slice {
            Switch::On => graph.slice(properties.iter().flat_map(|property| goals(spds, &pds, property))),
            Switch::Off => vec![true; pds.head_count()],
        };
        Control { pds, flow, graph, live, modref, rank, needed }
    }
}

/// The start automaton of a system: one path that spells the stack of the start configuration.
fn start_edges(spds: &Spds) -> StartEdges {
    let stack = &spds.start.stack;
    let first = model::Head { control: spds.start.control, symbol: stack[0] };
    let below = stack[1..].iter().enumerate();
    StartEdges {
        states: stack.len() as u32,
        initial: vec![(first, StateId(0))],
        inner: below.map(|(i, &symbol)| (StateId(i as u32), symbol, StateId(i as u32 + 1))).collect(),
    }
}

/// The heads at which a property is decided.
fn goals(spds: &Spds, pds: &Pds, property: &Property) -> Vec<HeadId> {
    let targets = match property {
        Property::Reach(targets) => targets.clone(),
        Property::Assertions => spds.fail.iter().map(|&symbol| Target { control: None, symbol }).collect(),
        Property::Termination | Property::Ltl(_) => Vec::new(),
    };
    let controls = || (0..spds.controls.len() as u32).map(ControlId);
    let heads = targets.iter().flat_map(|target| {
        let all = controls().filter(|&control| target.control.is_none_or(|wanted| wanted == control));
        all.filter_map(|control| pds.find(model::Head { control, symbol: target.symbol }))
    });
    heads.collect()
}

/// One attempt to answer all properties, with one engine.
struct Search<'a> {
    spds: &'a Spds,
    control: &'a Control,
    properties: &'a [Property],
    options: &'a Options,
    answers: Vec<Option<Answer>>,
}

impl Search<'_> {
    fn run(&mut self, engine: EngineKind, work: Option<u64>, stats: &mut Stats) -> Result<(), Failure> {
        let (spds, control, options) = (self.spds, self.control, self.options);
        let clock = Instant::now();
        let layout = &control.pds.layout;
        let saved = control.pds.rules.iter().fold(SetId::EMPTY, |set, rule| control.pds.sets.union(set, rule.saved));
        let saved = control.pds.sets.bits(saved).into_iter().collect();
        let universe = Universe { bits: layout.bits(), order: order::order(&control.pds, options.order), saved };
        let space = Space::new(universe, engine, &options.limits, work)?;
        let system = System::new(spds, control, None, &space)?;
        stats.seconds("seconds in encoding", clock);
        let clock = Instant::now();
        let goals: Vec<Vec<HeadId>> = self.properties.iter().map(|p| goals(spds, &control.pds, p)).collect();
        let log = if options.trace == TraceWish::None { Log::Nothing } else { Log::Summaries };
        let mut post = PostStar::new(&system, options.blocks, log);
        let start = start_set(spds, control, &space)?;
        post.start(start.0, StateId(0), &start.1)?;
        for (from, symbol, to) in start_edges(spds).inner {
            post.suspend(from, symbol, to, space.top());
        }
        let mut open: Vec<usize> = (0..goals.len()).collect();
        let outcome = post.run(|post| {
            open.retain(|&i| !goals[i].iter().any(|&head| post.reaches(head)));
            open.is_empty()
        });
        for (i, heads) in goals.iter().enumerate() {
            let reached = heads.iter().any(|&head| post.reaches(head));
            if reached || outcome.is_ok() {
                self.answers[i] = Some(answer(&self.properties[i], reached));
            }
        }
        let measured = |stats: &mut Stats, post: &PostStar<'_, '_>| {
            stats.figures.extend(post.figures());
            stats.figures.push(("peak nodes", space.peak_nodes() as f64));
            stats.figures.push(("live nodes", space.live_nodes() as f64));
            stats.figures.push(("work", space.work() as f64));
        };
        stats.seconds("seconds in post*", clock);
        measured(stats, &post);
        outcome?;
        if options.trace == TraceWish::None {
            return Ok(());
        }
        let clock = Instant::now();
        let reached = |i: &usize| goals[*i].iter().any(|&head| post.reaches(head));
        let wanted: Vec<usize> = (0..goals.len()).filter(reached).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        // A verdict that is known stays known, whatever becomes of its trace.
        let completed = if options.trace == TraceWish::Shortest { post.run(|_| false) } else { Ok(()) };
        for i in wanted {
            let run = match completed {
                Ok(()) => self.witness(&post, &start, &goals[i], &self.properties[i]),
                Err(stop) => Err(NoRun::Stopped(stop)),
            };
            self.judge(i, run)?;
        }
        stats.seconds("seconds in traces", clock);
        Ok(())
    }

    fn witness(
        &self,
        post: &PostStar<'_, '_>,
        start: &(HeadId, Relation),
        goals: &[HeadId],
        property: &Property,
    ) -> Result<Run, NoRun> {
        let system = post.system();
        let node = Node { head: start.0, below: Some(StateId(0)) };
        let full = match system.relations.invariant(&system.control.pds, start.0) {
            Some(invariant) => system.space.and(&start.1, invariant)?,
            None => start.1.clone(),
        };
        let live = system.arrive(start.0, &full)?;
        let ways = unwind::to_goal(post, &[(node, live)], goals)?.expect("the saturation reached the goal");
        let ending = match property {
            Property::Reach(_) => Ending::Reached,
            _ => Ending::Failed,
        };
        let mut run = complete::run(system, &ways, &[(node, full)], ending, self.options.trace_steps)?;
        if ending == Ending::Failed {
            // The last step shown is the failing assertion; @fail itself is no place in the program.
            run.stem.pop();
        }
        Ok(run)
    }

    fn judge(&mut self, i: usize, run: Result<Run, NoRun>) -> Result<(), Failure> {
        let answer = self.answers[i].as_mut().expect("it was reached");
        let run = match run {
            Ok(run) => run,
            Err(NoRun::TooLong(limit)) => {
                answer.trace_omitted = Some(format!("the trace has more than {} steps (--trace-steps)", limit.0));
                return Ok(());
            }
            Err(NoRun::Stopped(stop)) => {
                answer.trace_omitted = Some(format!("{stop} while looking for a trace"));
                return if stop == Stop::Work { Err(stop.into()) } else { Ok(()) };
            }
        };
        let claim = match &self.properties[i] {
            Property::Reach(targets) => Claim::Reaches(targets.iter().map(|t| (t.control, t.symbol)).collect()),
            _ => Claim::Fails,
        };
        match replay::judge(self.spds, &run, &claim, self.options.replay_steps) {
            Ok(replayed) => answer.trace = Some(Trace { run, replayed }),
            Err(objection) => return Err(Failure::Rejected(objection.to_string())),
        }
        Ok(())
    }
}

fn answer(property: &Property, reached: bool) -> Answer {
    let verdict = match (property, reached) {
        (Property::Reach(_), true) => Verdict::Reachable,
        (Property::Reach(_), false) => Verdict::Unreachable,
        (Property::Assertions, true) => Verdict::Violated,
        (Property::Assertions, false) => Verdict::Holds,
        (Property::Termination | Property::Ltl(_), reached) => {
            if reached {
                Verdict::Violated
            } else {
                Verdict::Unknown
            }
        }
    };
    Answer { verdict, reason: None, trace: None, trace_omitted: None, vacuous: false }
}

/// The start head with its values.
fn start_set(spds: &Spds, control: &Control, space: &Space) -> Result<(HeadId, Relation), Stop> {
    let head = model::Head { control: spds.start.control, symbol: spds.start.stack[0] };
    let encoder = Encoder::new(spds, &control.pds.layout, space);
    let set = match &spds.start.condition {
        Some(condition) => encoder.condition(condition, spds.symbol(head.symbol).frame)?,
        None => space.top(),
    };
    Ok((control.pds.find(head).expect("the start head is numbered"), set))
}
