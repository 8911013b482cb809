//! Invariants of a system, which are what is known at each statement: with which values it is reached, as a short formula, or that it never is.
//!
//! The search for reachable statements, read as a data-flow analysis that follows feasible paths only, through calls of
//! any depth (Ball & Rajamani, *Bebop: a path-sensitive interprocedural dataflow engine*, PASTE 2001). Here no variable
//! is ever forgotten, neither dead ones nor those that a callee does not touch, and every set is kept.

pub mod always;

pub mod relations;

use std::collections::HashSet;

use rustc_hash::FxHashSet;
use spds_format::Spds;
use spds_format::expr::Time;
use spds_format::model::{Head, SymbolId, Var, Variable};

use crate::bdd::{At, Relation};
use crate::check::control::heads_of;
use crate::check::ground::{Failure, Start, in_attempts, space};
use crate::check::{CheckError, Stats, Target};
use crate::formula::form::{Cell, Formula};
use crate::formula::{Placed, describe};
use crate::heads;
use crate::influence::{self, influence};
use crate::limits::{Clock, Stop};
use crate::options::{LiveRanges, Options, Switch, TraceWish};
use crate::pds::HeadId;
use crate::pds::layout::Layout;
use crate::saturation::System;
use crate::saturation::images::Control;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// With which values these statements are reached. A formula with more products in a sum than that is left out.
    Values(Vec<Target>, usize),
    /// The same of those variables only that matter at a statement: whose value there can come to a condition
    /// ([`crate::influence`]).
    Influential(Vec<Target>, usize),
    /// The same of these variables only. Nothing is said of one that does not matter later.
    Of(Vec<(Target, Vec<Var>)>, usize),
    /// Only whether they are reached.
    Reached(Vec<Target>),
}

impl Question {
    /// Of how many statements it is asked.
    pub fn asked(&self) -> usize {
        self.targets().len()
    }

    fn targets(&self) -> Vec<Target> {
        match self {
            Question::Values(targets, _) | Question::Influential(targets, _) | Question::Reached(targets) => {
                targets.clone()
            }
            Question::Of(asked, _) => asked.iter().map(|(target, _)| *target).collect(),
        }
    }

    /// Whether it is told of a variable at a statement.
    fn tells(&self, target: &Target, var: Var, matters: Option<&[Var]>) -> bool {
        match self {
            Question::Of(asked, _) => asked.iter().any(|(other, vars)| other == target && vars.contains(&var)),
            _ => matters.is_none_or(|matters| matters.contains(&var)),
        }
    }
}

/// What is known of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The statement.
    pub target: Target,
    /// The values with which it is reached.
    pub known: Known,
}

/// What is known of the values with which a statement is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Known {
    /// There are none: no run comes there.
    Never,
    /// Some run comes there.
    Reached {
        /// Scalars that have one value whenever a run comes there, in the order of their declaration, globals first.
        constants: Vec<(Cell, u64)>,
        /// Exactly the values with which runs come there.
        formula: Described,
    },
}

/// A formula, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Described {
    /// This one.
    As(Formula),
    /// It was not asked for.
    Unasked,
    /// It would have more products than wanted.
    TooLong(usize),
    /// A limit was met before it was found.
    Stopped(Stop),
}

/// What is known of statements.
#[derive(Clone, Debug)]
pub struct Facts {
    /// One for each target, in their order; or the limit that was met before it was known which ones are reached.
    pub facts: Result<Vec<Fact>, Stop>,
    /// If a limit was met: what was known of some targets by then, in their order. Others may be reached or not.
    pub so_far: Vec<Fact>,
    /// What was measured.
    pub stats: Stats,
}

/// All statements of a system: its symbols that runs show, without the end of the program and the failure of an
/// assertion, in their order.
pub fn statements(spds: &Spds) -> Vec<Target> {
    let hidden = spds.hidden_symbols();
    let all = (0..spds.symbols.len() as u32).map(SymbolId);
    let ends = [spds.end, spds.fail];
    let shown = all.filter(|id| !hidden[id.0 as usize] && !ends.contains(&Some(*id)));
    shown.map(|symbol| Target { control: None, symbol }).collect()
}

/// The values with which statements are reached.
///
/// The system must be valid. Of the options, the engine, the order of BDD variables and the limits count; which engine
/// works and in which order never shows. The search costs more than that for one property, because nothing is forgotten;
/// a formula costs time in proportion to its length times the size of the BDD.
pub fn facts(spds: &Spds, question: &Question, options: &Options) -> Facts {
    let needed = needed(question, options);
    let matters = match question {
        Question::Influential(..) => match influence(spds, &influence::Question::conditions(), &options.limits) {
            Ok(matters) => Some(matters),
            Err(stop) => return Facts { facts: Err(stop), so_far: Vec::new(), stats: Stats::default() },
        },
        Question::Values(..) | Question::Of(..) | Question::Reached(_) => None,
    };
    let targets = question.targets();
    let control = Control::new(spds, None, &needed, |pds, _| heads_of(spds, pds, &targets));
    let mut found = Vec::new();
    let mut reached: Vec<Target> = Vec::new();
    let mut stats = Stats::default();
    let stopped = in_attempts(spds, &needed, |attempt| {
        found.clear();
        let clock = Clock::start();
        let space = space(spds, &control, None, &needed, attempt)?;
        space.check()?;
        let system = System::new(spds, &control, None, &space)?;
        let mut post = Start::new(&system, None)?.saturation(&system, &needed, None)?;
        let hidden = spds.hidden_heads();
        let heads = |target: &Target| meant(&system, &hidden, target);
        let ended = post.run(|_| false);
        let is_reached = |target: &&Target| heads(target).iter().any(|head| post.reaches(*head));
        reached = targets.iter().filter(is_reached).copied().collect();
        ended?;
        stats.seconds("seconds in post*", clock);
        stats.measured(&post);
        let clock = Clock::start();
        match question {
            Question::Reached(targets) => {
                found.extend(targets.iter().map(|target| only_whether(*target, reached.contains(target))));
            }
            Question::Values(_, most) | Question::Influential(_, most) | Question::Of(_, most) => {
                let asked: FxHashSet<HeadId> = targets.iter().flat_map(heads).collect();
                let sets = heads::reached(&post, |head| asked.contains(&head))?;
                for target in &targets {
                    let mut all = space.bottom();
                    for set in heads(target).iter().filter_map(|head| sets.get(head)) {
                        all = space.or(&all, set)?;
                    }
                    let matters = matters.as_ref().map(|matters| matters.matters_at(target.symbol));
                    let told = |var: Var| question.tells(target, var, matters.as_deref());
                    found.push(Fact { target: *target, known: known(&system, target.symbol, told, &all, *most)? });
                }
            }
        }
        stats.seconds("seconds in formulas", clock);
        Ok(())
    });
    let (facts, so_far) = match stopped {
        Ok(None) => (Ok(found), Vec::new()),
        Ok(Some(stop)) => (Err(stop), so_far(found, &reached, stop)),
        Err(CheckError::WitnessRejected(_)) => unreachable!("no run is asked for"),
    };
    Facts { facts, so_far, stats }
}

/// The options with which the search keeps what a question needs.
fn needed(question: &Question, options: &Options) -> Options {
    match question {
        Question::Values(..) | Question::Influential(..) => Options {
            modref: Switch::Off,
            live: LiveRanges::Off,
            blocks: Switch::Off,
            trace: TraceWish::None,
            ..options.clone()
        },
        Question::Of(..) => {
            Options { modref: Switch::Off, blocks: Switch::Off, trace: TraceWish::None, ..options.clone() }
        }
        // Whether something is reached needs none of what the values need.
        Question::Reached(_) => Options { trace: TraceWish::None, ..options.clone() },
    }
}

/// The heads that a target means: those that runs show, if there are some.
fn meant(system: &System<'_>, hidden: &HashSet<Head>, target: &Target) -> Vec<HeadId> {
    let pds = &system.control.pds;
    let all = heads_of(system.spds, pds, std::slice::from_ref(target));
    let shown: Vec<HeadId> = all.iter().copied().filter(|head| !hidden.contains(&pds.head(*head))).collect();
    // Who asks for a place that no run shows means it as it is.
    if shown.is_empty() { all } else { shown }
}

/// What is known of a statement of which no values are asked.
fn only_whether(target: Target, is_reached: bool) -> Fact {
    let known = Known::Reached { constants: Vec::new(), formula: Described::Unasked };
    Fact { target, known: if is_reached { known } else { Known::Never } }
}

/// What is known when a limit is met: what was found, and of what else was seen to be reached only that.
fn so_far(found: Vec<Fact>, reached: &[Target], stop: Stop) -> Vec<Fact> {
    let reached: Vec<Target> =
        reached.iter().filter(|target| !found.iter().any(|fact| fact.target == **target)).copied().collect();
    let seen =
        |target| Fact { target, known: Known::Reached { constants: Vec::new(), formula: Described::Stopped(stop) } };
    found.into_iter().chain(reached.into_iter().map(seen)).collect()
}

/// What is known where these values are reached, of the variables that are told of.
fn known(
    system: &System<'_>,
    symbol: SymbolId,
    told: impl Fn(Var) -> bool,
    set: &Relation,
    most: usize,
) -> Result<Known, Failure> {
    let space = system.space;
    if space.is_empty(set) {
        return Ok(Known::Never);
    }
    let mut scope = scope(system.spds, &system.control.pds.layout, symbol);
    scope.retain(|placed| told(placed.cell.var));
    match describe(space, &scope, set, most) {
        Ok(described) => Ok(Known::Reached {
            constants: described.constants,
            formula: described.formula.map_or(Described::TooLong(most), Described::As),
        }),
        // The search is to start over.
        Err(stop @ (Stop::Work | Stop::Width)) => Err(stop.into()),
        Err(stop) => Ok(Known::Reached { constants: Vec::new(), formula: Described::Stopped(stop) }),
    }
}

/// The scalars under a topmost symbol that a user knows: globals, then locals, as declared.
fn scope(spds: &Spds, layout: &Layout, symbol: SymbolId) -> Vec<Placed> {
    let frame = spds.symbol(symbol).frame;
    let mut all = Vec::new();
    let mut add = |variables: &[Variable], var: fn(u32) -> Var| {
        for (variable, number) in variables.iter().zip(0..) {
            let field = layout.field(var(number), frame);
            for n in (0..field.ty.cells()).filter(|_| !variable.hidden) {
                let index = field.ty.range.map(|(first, _)| first + n);
                let cell = Cell { time: Time::Before, var: var(number), index, scalar: field.ty.scalar };
                all.push(Placed { cell, columns: field.cell(n).map(|bit| (bit, At::Now)).collect() });
            }
        }
    };
    add(&spds.globals, Var::Global);
    add(spds.locals(symbol), Var::Local);
    all
}
