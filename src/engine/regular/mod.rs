//! Regular sets of configurations: everything that can be reached from one (post*), and everything from which one can be
//! reached (pre*).
//!
//! A set is a P-automaton ([`Automaton`]); so is the answer, which is exact: control location, values and the whole stack.
//! The theory is that of Bouajjani, Esparza & Maler (CONCUR 1997), symbolic as in Esparza & Schwoon (CAV 2001), §4.1 and
//! §4.3. No live range and no MOD/REF is used, because every value may be asked for.
//!
//! A system built in code, both ways, and what comes out, as text and for later:
//!
//! ```
//! use puch_engine::check::Options;
//! use puch_engine::exchange;
//! use puch_engine::limits::Limits;
//! use puch_engine::enumeration::{compare, list};
//! use puch_engine::regular::{Direction, Question, saturate, start};
//! use spds_format::automaton::Role;
//! use spds_format::build::{Builder, rule};
//! use spds_format::expr::{Expr, Time};
//! use spds_format::model::{Stack, Type};
//! use spds_format::parse_configurations;
//!
//! // f calls itself until it sets held; g, under it, is not told.
//! let mut b = Builder::new();
//! let p = b.control("p");
//! let held = b.global("held", Type::BOOL);
//! let [f, g] = ["f", "g"].map(|name| b.symbol(name, None));
//! let not_held = Expr::read(held, Time::Before).not();
//! b.rule(rule(p, f, p, Stack::Push(f, g)).when(not_held.clone()));
//! b.rule(rule(p, f, p, Stack::Pop).when(not_held.clone()).set(held, Expr::constant(true)));
//! b.start(p, [f], Some(not_held));
//! let spds = b.finish().expect("the system is well-formed");
//!
//! // Forwards from the start.
//! let begin = start(&spds);
//! let asked = parse_configurations(&spds, "<p[held], g g .*>").expect("this is a set");
//! let question =
//!     Question { direction: Direction::Post, set: &begin, meets: std::slice::from_ref(&asked), words: Some(100) };
//! let answer = saturate(&spds, &question, &Options::default()).answer.expect("no limit is set");
//! assert_eq!(answer.meets, [true]);
//! let reached = answer.automaton.expect("it is wanted");
//!
//! // Questions about the result: which configurations are in it?
//! let limits = Limits::default();
//! let one = parse_configurations(&spds, "<p[!held], f g g>").expect("this is a set");
//! assert_eq!(compare(&spds, &one, &reached, &limits), Ok((true, true)));
//! assert_eq!(list(&spds, &[&reached], 2, &limits).map(|all| all.len()), Ok(5));
//!
//! // Backwards to a set, from what was written for later.
//! let json = exchange::write(&spds, &asked, 0);
//! let aim = exchange::read(&spds, &json, Role::Input).expect("it was written so");
//! let question = Question { direction: Direction::Pre, set: &aim, meets: &[begin], words: None };
//! assert_eq!(saturate(&spds, &question, &Options::default()).answer.expect("no limit is set").meets, [true]);
//! # Ok::<(), std::io::Error>(())
//! ```

mod classes;
mod symbolic;
mod words;

use rustc_hash::FxHashSet;
use spds_format::Spds;
use spds_format::automaton::{Automaton, End, State, StateId};
use spds_format::model::{ControlId, Head, Name, SymbolId, Var};

use crate::bdd::{At, EngineKind, Relation, Space, Universe};
use crate::check::ground::{Failure, in_attempts, space};
use crate::check::{CheckError, Stats};
use crate::enumeration::Counted;
use crate::explicit;
use crate::flow::{self, Flow, StartEdges};
use crate::limits::{Clock, Stop};
use crate::options::{LiveRanges, Loops, Options, Switch, TraceWish};
use crate::pds::layout::{Added, Layout};
use crate::pds::{Pds, SetId};
use crate::saturation::images::{Callers, Control};
use crate::saturation::post_star::Log;
use crate::saturation::{PostStar, PreStar, System};
use symbolic::{Symbolic, carried_bits};
use words::separated;

/// Which way to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To all that can be reached from the set.
    Post,
    /// To all from which the set can be reached.
    Pre,
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// Which way.
    pub direction: Direction,
    /// The set to begin with. It must be valid as an input ([`Automaton::check`]).
    pub set: &'q Automaton,
    /// Whether the resulting set has a configuration in common with these. They must be valid as inputs, and their states
    /// carry nothing.
    pub meets: &'q [Automaton],
    /// Whether the resulting set is wanted as an automaton with formulas: short ones where no sum in them has more than so
    /// many products, else decision trees.
    pub words: Option<usize>,
}

/// What is asked of the resulting set, without writing it in words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Contents<'q> {
    /// Whether all configurations of these sets are in it, and whether some are. They must be valid as inputs.
    pub compared: &'q [Automaton],
    /// How many configurations it has.
    pub count: bool,
}

/// How many values a head has in a set.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadCount {
    /// The control location.
    pub control: ControlId,
    /// The topmost symbol.
    pub symbol: SymbolId,
    /// The number of values of globals and of the symbol's locals with which some configuration of the set has this
    /// head, without those that no user sees; infinite beyond about 10³⁰⁸.
    pub values: f64,
}

/// What is known.
#[derive(Clone, Debug)]
pub struct Answer {
    /// For each set of [`Question::meets`].
    pub meets: Vec<bool>,
    /// For each set of [`Contents::compared`]: whether all of its configurations are in the result, and whether some are.
    pub compared: Vec<(bool, bool)>,
    /// How many configurations there are, if that was asked: as [`crate::enumeration::count`] counts them, by relations.
    pub counts: Option<Vec<Counted>>,
    /// By control location and symbol; heads that no run shows are left out.
    pub heads: Vec<HeadCount>,
    /// The resulting set, if it was wanted: edges in ascending order, none into a control location, so that it can be asked
    /// about in turn. Heads that no run shows are left out on top; below, a stack may have their symbols.
    pub automaton: Option<Automaton>,
}

/// An answer, or the limit that was met, and what was measured.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The answer.
    pub answer: Result<Answer, Stop>,
    /// What was measured.
    pub stats: Stats,
}

/// The set of start configurations of a system.
pub fn start(spds: &Spds) -> Automaton {
    Automaton::start(spds)
}

/// Saturates, and answers what is asked.
///
/// The system must be valid. Of the options the engine, the order of BDD variables and the limits count; neither engine
/// nor order ever show.
pub fn saturate(spds: &Spds, question: &Question<'_>, options: &Options) -> Outcome {
    saturate_and_ask(spds, question, &Contents::default(), options)
}

/// The same, with questions about the resulting set. They are answered on relations: time does not grow with the width of
/// integers as such, but with the number of different futures that the values carried by a state have.
pub fn saturate_and_ask(spds: &Spds, question: &Question<'_>, contents: &Contents<'_>, options: &Options) -> Outcome {
    if explicit::applies(spds, question.set) {
        return without_data(spds, question, contents, options);
    }
    let options = Options {
        modref: Switch::Off,
        live: LiveRanges::Plain,
        blocks: Switch::Off,
        slice: Switch::Off,
        trace: TraceWish::None,
        ..options.clone()
    };
    let control = control(spds, question, &options);
    let mut stats = Stats::default();
    let mut answer = None;
    let stopped = in_attempts(spds, &options, |attempt| {
        let space = space(spds, &control, None, &options, attempt)?;
        space.check()?;
        let system = System::new(spds, &control, None, &space)?;
        let mut set = Symbolic::encode(spds, &control.pds.layout, &space, question.set)?;
        set.prune()?;
        let clock = Clock::start();
        let mut result = match question.direction {
            Direction::Post => post(&system, set, options.loops, &mut stats)?,
            Direction::Pre => pre(&system, set, &mut stats)?,
        };
        stats.seconds("seconds in saturation", clock);
        let clock = Clock::start();
        result.prune()?;
        result.renumber();
        answer = Some(answered(&result, question, contents)?);
        stats.seconds("seconds in answers", clock);
        Ok(())
    });
    let answer = match stopped {
        Ok(None) => Ok(answer.expect("an attempt that meets no limit answers")),
        Ok(Some(stop)) => Err(stop),
        Err(CheckError::WitnessRejected(_)) => unreachable!("no run is asked for"),
    };
    Outcome { answer, stats }
}

/// The same where there are no values: edges are bits, and no relation is needed.
fn without_data(spds: &Spds, question: &Question<'_>, contents: &Contents<'_>, options: &Options) -> Outcome {
    let mut stats = Stats::default();
    let mut answer = || -> Result<Answer, Stop> {
        let clock = Clock::start();
        let result = match question.direction {
            Direction::Post => explicit::post(spds, question.set, &options.limits)?,
            Direction::Pre => explicit::pre(spds, question.set, &options.limits)?,
        };
        stats.seconds("seconds in saturation", clock);
        stats.figures.push(("edges", result.edges.len() as f64));
        let clock = Clock::start();
        let layout = Layout::new(spds, Added::default());
        let space = Space::new(Universe::default(), EngineKind::Biodivine, &options.limits, None)?;
        let mut result = Symbolic::encode(spds, &layout, &space, &result)?;
        result.prune()?;
        result.renumber();
        let answer = answered(&result, question, contents)?;
        stats.seconds("seconds in answers", clock);
        Ok(answer)
    };
    let answer = answer();
    Outcome { answer, stats }
}

/// The control analyses: from the states of the set, or of nothing.
fn control(spds: &Spds, question: &Question<'_>, options: &Options) -> Control {
    let mut pds = Pds::new(spds, None);
    let mut edges = StartEdges { states: question.set.states.len() as u32, ..StartEdges::default() };
    let sets = std::iter::once(question.set).chain(question.meets);
    for edge in sets.flat_map(|set| &set.edges) {
        if let (End::Control(control), Some(symbol)) = (edge.from, edge.symbol) {
            pds.intern(Head { control, symbol });
        }
    }
    if question.direction == Direction::Post {
        for edge in &question.set.edges {
            let (End::State(to), Some(symbol)) = (edge.to, edge.symbol) else { continue };
            let to = flow::StateId(to.0);
            match edge.from {
                End::Control(control) => edges.initial.push((Head { control, symbol }, to)),
                End::State(from) => edges.inner.push((flow::StateId(from.0), symbol, to)),
            }
        }
        edges.initial.sort_unstable();
        edges.initial.dedup();
    }
    let goals = |_: &Pds, _: &Flow| Vec::new();
    let mut control = Control::from_edges(spds, pds, &edges, options, goals);
    let hidden = spds.globals.iter().enumerate().filter(|(_, variable)| variable.hidden);
    let hidden = hidden.flat_map(|(i, _)| control.pds.layout.field(Var::Global(i as u32), None).bits());
    let hidden = match question.direction {
        Direction::Post => control.pds.sets.set(hidden),
        Direction::Pre => SetId::EMPTY,
    };
    control.callers = Callers::All;
    control.live = control.live.with_all_but(&control.pds, hidden);
    let carried = question.set.states.iter().map(|state| carried_bits(&control.pds.layout, state));
    control.carried = carried.map(|bits| control.pds.sets.set(bits)).collect();
    control
}

/// Schwoon's Algorithm 2, from any automaton.
fn post<'a>(system: &System<'a>, set: Symbolic<'a>, loops: Loops, stats: &mut Stats) -> Result<Symbolic<'a>, Failure> {
    let pds = &system.control.pds;
    let mut post = PostStar::new(system, Switch::Off, Log::Nothing).with_loops(loops);
    for edge in &set.edges {
        let (End::State(to), Some(symbol)) = (edge.to, edge.symbol) else { continue };
        let to = flow::StateId(to.0);
        match edge.from {
            End::Control(control) => {
                let head = pds.find(Head { control, symbol }).expect("heads of the set are numbered");
                post.start(head, to, &edge.set)?;
            }
            End::State(from) => post.suspend(flow::StateId(from.0), symbol, to, edge.set.clone())?,
        }
    }
    post.run(|_| false)?;
    stats.measured(&post);
    let mut result = Symbolic { states: states_of(system, set.states), edges: Vec::new(), ..set };
    result.edges.extend(set.edges.into_iter().filter(|edge| edge.symbol.is_none()));
    for (head, state, relation) in post.path_edges().filter(|(head, ..)| !pds.is_hidden(*head)) {
        let Head { control, symbol } = pds.head(head);
        let to = End::State(StateId(state.0));
        let set = within(system, relation, Some(symbol), &[])?;
        result.edges.push(symbolic::Edge { from: End::Control(control), symbol: Some(symbol), to, set });
    }
    for state in system.control.flow.state_ids() {
        let from = End::State(StateId(state.0));
        for (symbol, to, relation) in post.callers_of(state) {
            let set = within(system, relation, Some(symbol), &[At::Next])?;
            result.edges.push(symbolic::Edge { from, symbol: Some(symbol), to: End::State(StateId(to.0)), set });
        }
        if result.states[state.0 as usize].accepting {
            for (control, relation) in post.summaries_of(state) {
                let tag = system.columns(system.tag(state), At::Next);
                let set = system.space.exists(relation, system.space.vars(tag.iter().copied()))?;
                result.edges.push(symbolic::Edge { from: End::Control(control), symbol: None, to: from, set });
            }
        }
    }
    Ok(result)
}

/// Esparza & Schwoon's pre*, to any automaton.
fn pre<'a>(system: &System<'a>, mut set: Symbolic<'a>, stats: &mut Stats) -> Result<Symbolic<'a>, Failure> {
    let (pds, space) = (&system.control.pds, system.space);
    let mut empties: Vec<(ControlId, Relation)> = Vec::new();
    for edge in set.edges.iter().filter(|edge| edge.symbol.is_none()) {
        let End::Control(control) = edge.from else { continue };
        let carried = set.carried(edge.to).into_iter().map(|bit| (bit, At::Entry));
        empties.push((control, space.exists(&edge.set, space.vars(carried))?));
    }
    let end = StateId(set.states.len() as u32);
    if !empties.is_empty() {
        set.states.push(State {
            name: fresh(&mut names(&set.states), "end"),
            frame: None,
            carries: Box::default(),
            accepting: true,
        });
    }
    let carried = set.states.iter().map(|state| pds.sets.set(carried_bits(&pds.layout, state))).collect();
    let mut pre = PreStar::new(system, carried);
    let mut known: Vec<(ControlId, Relation)> = Vec::new();
    for (control, values) in empties {
        match known.iter_mut().find(|(other, _)| *other == control) {
            Some((_, all)) => *all = space.or(all, &values)?,
            None => known.push((control, values)),
        }
    }
    known.into_iter().for_each(|(control, values)| pre.empty(control, end, values));
    for edge in &set.edges {
        let (End::State(to), Some(symbol)) = (edge.to, edge.symbol) else { continue };
        match edge.from {
            End::Control(control) => {
                let head = pds.find(Head { control, symbol }).expect("heads of the set are numbered");
                pre.edge(head, to, &edge.set)?;
            }
            End::State(from) => pre.inner(from, symbol, to, edge.set.clone()),
        }
    }
    pre.run()?;
    stats.figures.extend(pre.figures());
    stats.figures.push(("peak nodes", space.peak_nodes() as f64));
    set.edges.retain(|edge| matches!(edge.from, End::State(_)) || edge.symbol.is_none());
    for (head, to, relation) in pre.edges() {
        let Head { control, symbol } = pds.head(head);
        let relation = within(system, relation, Some(symbol), &[])?;
        set.edges.push(symbolic::Edge { from: End::Control(control), symbol: Some(symbol), to, set: relation });
    }
    Ok(set)
}

/// Without the columns that mean nothing: locals that the symbol's frame does not have, and copies not in use.
fn within(system: &System<'_>, set: &Relation, symbol: Option<SymbolId>, copies: &[At]) -> Result<Relation, Stop> {
    let layout = &system.control.pds.layout;
    let scope: FxHashSet<_> = symbol.into_iter().flat_map(|symbol| layout.scope(system.spds, symbol)).collect();
    let means = |&(bit, at): &(crate::bdd::Bit, At)| match at {
        At::Now => scope.contains(&bit),
        At::Entry => true,
        other => copies.contains(&other),
    };
    let gone = system.space.support(set).into_iter().filter(|column| !means(column));
    system.space.exists(set, system.space.vars(gone))
}

/// The states of the set, and one for each entry.
fn states_of(system: &System<'_>, mut states: Vec<State>) -> Vec<State> {
    let (spds, control) = (system.spds, system.control);
    let mut taken = names(&states);
    for id in control.flow.state_ids() {
        let flow::State::Entry(entry) = control.flow.states[id.0 as usize] else { continue };
        let head = control.pds.head(entry);
        let symbol = spds.symbol(head.symbol);
        let name = match spds.controls.len() {
            1 => symbol.name.to_string(),
            _ => format!("{} {}", spds.controls[head.control.0 as usize], symbol.name),
        };
        let tag: FxHashSet<_> = system.bits(system.tag(id)).into_iter().collect();
        let globals = (0..spds.globals.len() as u32).map(Var::Global);
        let locals = symbol.frame.map_or(0, |frame| spds.frame(frame).variables.len() as u32);
        let all = globals.chain((0..locals).map(Var::Local));
        let layout = &control.pds.layout;
        let carries = all.filter(|&var| layout.field(var, symbol.frame).bits().any(|bit| tag.contains(&bit))).collect();
        let name = fresh(&mut taken, &name);
        states.push(State { name, frame: symbol.frame, carries, accepting: false });
    }
    states
}

/// The names of states.
fn names(states: &[State]) -> FxHashSet<Name> {
    states.iter().map(|state| state.name.clone()).collect()
}

/// A name that is not yet taken, like the one wanted.
fn fresh(taken: &mut FxHashSet<Name>, wanted: &str) -> Name {
    let mut name = wanted.to_owned();
    while !taken.insert(name.as_str().into()) {
        name.push('\'');
    }
    name.as_str().into()
}

fn answered(result: &Symbolic<'_>, question: &Question<'_>, contents: &Contents<'_>) -> Result<Answer, Stop> {
    let (spds, layout, space): (_, _, &Space) = (result.spds, result.layout, result.space);
    let mut meets = Vec::with_capacity(question.meets.len());
    for other in question.meets {
        meets.push(result.meets(&Symbolic::encode(spds, layout, space, other)?)?);
    }
    let hidden = spds.hidden_heads();
    let mut heads = Vec::new();
    for ((control, symbol), values) in result.tops()? {
        if hidden.contains(&Head { control, symbol }) {
            continue;
        }
        let frame = spds.symbol(symbol).frame;
        let locals = frame.map_or(&[][..], |frame| &spds.frame(frame).variables);
        let variables = spds.globals.iter().enumerate().map(|(i, variable)| (Var::Global(i as u32), variable));
        let variables = variables.chain(locals.iter().enumerate().map(|(i, v)| (Var::Local(i as u32), v)));
        let shown = variables.filter(|(_, variable)| !variable.hidden);
        let shown: Vec<_> =
            shown.flat_map(|(var, _)| layout.field(var, frame).bits()).map(|bit| (bit, At::Now)).collect();
        let unseen = space.support(&values).into_iter().filter(|column| !shown.contains(column));
        let values = space.exists(&values, space.vars(unseen))?;
        heads.push(HeadCount { control, symbol, values: space.count(&values, space.vars(shown)) });
    }
    let in_words = |most| Ok(separated(spds, result.in_words(most)?, |head| hidden.contains(&head)));
    let (mut compared, mut counts) = (Vec::with_capacity(contents.compared.len()), None);
    if contents.count || !contents.compared.is_empty() {
        let own = result.separated(|head| hidden.contains(&head))?;
        for other in contents.compared {
            let mut other = Symbolic::encode(spds, layout, space, other)?;
            other.prune()?;
            compared.push(classes::Contents::new(&[&other, &own])?.compare()?);
        }
        if contents.count {
            counts = Some(classes::Contents::new(&[&own])?.count()?);
        }
    }
    Ok(Answer { meets, compared, counts, heads, automaton: question.words.map(in_words).transpose()? })
}
