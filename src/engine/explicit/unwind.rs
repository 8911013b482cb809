//! From ways to runs: every call on a way has a way of its own, and calls that are alike share it.
//!
//! Within a recursion a shortest way through a call may pass an equal call, and so for ever; and in a dense system nearly every
//! shortest way is through calls that no other one has. If that happens the saturation is made again, and records when each
//! summary was found: from earlier ones only. In a recursion a way is then taken as it is if all calls of that recursion were
//! summarised before it; otherwise it is sought again among those. And where shortest ways take too long to find, calls are
//! unwound along the earliest derivation of their summaries, without any search.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use spds_format::model::{ControlId, Head, Stack};

use super::graph::Graph;
use super::heads::Move;
use super::saturate::{Saturation, bits};
use super::search::{Job, Place, Scope, Space, Step, Way};
use crate::limits::Stop;
use crate::run::{self, Call, Config, NoRun, Overflow, Then, Values};

/// Ways through calls, by number.
#[derive(Default)]
pub(super) struct Calls {
    numbers: FxHashMap<Job, usize>,
    ways: Vec<Way>,
}

/// When summaries were found, and which entries are of one recursion.
pub(super) struct Order<'o, 'a> {
    pub log: &'o Saturation<'a>,
    pub graph: &'o Graph,
}

impl Order<'_, '_> {
    fn number(&self, job: Job) -> u32 {
        self.log.recorded(job.entry, job.control.0, job.marked).expect("only summaries are unwound")
    }

    fn alike(&self, one: Job, other: Job) -> bool {
        self.graph.component(one.entry) == self.graph.component(other.entry)
    }
}

impl Calls {
    /// Ways through all calls on a way, and on those: with it of no more than `limit` items.
    ///
    /// # Errors
    /// If there are more, or a limit is met.
    pub fn of(space: Space<'_, '_>, way: &Way, search: &mut Through<'_, '_>, limit: u64) -> Result<Calls, NoRun> {
        let mut calls = Calls::default();
        let mut items = way.places.len();
        let mut jobs: Vec<Job> = jobs(way).collect();
        let mut next = 0;
        while let Some(&job) = jobs.get(next) {
            next += 1;
            if calls.numbers.contains_key(&job) {
                continue;
            }
            if items as u64 > limit {
                return Err(NoRun::TooLong(Overflow(limit)));
            }
            let way = through(space, job, search)?;
            items += way.places.len();
            calls.numbers.insert(job, calls.ways.len());
            jobs.extend(self::jobs(&way).filter(|job| !calls.numbers.contains_key(job)));
            calls.ways.push(way);
        }
        if items as u64 > limit { Err(NoRun::TooLong(Overflow(limit))) } else { Ok(calls) }
    }

    fn number(&self, job: Job) -> usize {
        self.numbers[&job]
    }

    /// The calls on a way, each after those inside it; `None` if a call is inside itself.
    pub fn inside_out(&self, way: &Way) -> Option<Vec<usize>> {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            Unknown,
            Open,
            Done,
        }
        let inner = |way: &Way| jobs(way).map(|job| self.number(job)).collect::<Vec<_>>().into_iter();
        let mut state = vec![State::Unknown; self.ways.len()];
        let mut order = Vec::new();
        let mut stack = vec![(None, inner(way))];
        while let Some((call, rest)) = stack.last_mut() {
            match rest.next() {
                Some(next) if state[next] == State::Open => return None,
                Some(next) if state[next] == State::Done => {}
                Some(next) => {
                    state[next] = State::Open;
                    stack.push((Some(next), inner(&self.ways[next])));
                }
                None => {
                    if let Some(call) = *call {
                        state[call] = State::Done;
                        order.push(call);
                    }
                    stack.pop();
                }
            }
        }
        Some(order)
    }
}

fn jobs(way: &Way) -> impl Iterator<Item = Job> + '_ {
    way.steps.iter().filter_map(|step| if let Step::Through(job) = step { Some(*job) } else { None })
}

/// How a way through a call is found.
pub(super) enum Through<'o, 'a> {
    /// The shortest one, as long as no more than so many places have been visited.
    Shortest(u64),
    /// The same, but founded, within each recursion.
    Founded(&'o Order<'o, 'a>, u64),
    /// As its summary was first derived.
    Earliest(&'o Order<'o, 'a>),
}

fn through(space: Space<'_, '_>, job: Job, search: &mut Through<'_, '_>) -> Result<Way, Stop> {
    let (order, most) = match search {
        Through::Shortest(most) => return shortest(space, job, &|_| true, most),
        Through::Earliest(order) => return Ok(earliest(space, job, order)),
        Through::Founded(order, most) => (*order, most),
    };
    let way = shortest(space, job, &|_| true, most)?;
    let number = order.number(job);
    let earlier = |inner: Job| !order.alike(inner, job) || order.number(inner) < number;
    let founded = jobs(&way).all(earlier);
    if founded { Ok(way) } else { shortest(space, job, &earlier, most) }
}

fn shortest(space: Space<'_, '_>, job: Job, allowed: &dyn Fn(Job) -> bool, most: &mut u64) -> Result<Way, Stop> {
    let start = Place { node: job.entry, below: None, met: false };
    let returns = |_: usize, place: Place| {
        let mut steps = space.rules.of(space.head(place.node));
        steps
            .any(|step| step.stack == Stack::Pop && step.to == job.control && (!job.marked || place.met || step.marked))
    };
    let way = space.counted_way(start, (Scope::Call, job.marked), allowed, &returns, most)?;
    Ok(way.expect("a summary is derived from earlier ones"))
}

/// The way that always goes on by what was known first. What is known of a head was derived from what was known before, so
/// each step leads to something earlier.
fn earliest(space: Space<'_, '_>, job: Job, order: &Order<'_, '_>) -> Way {
    let mut here = job;
    let mut places = vec![Place { node: job.entry, below: None, met: false }];
    let mut steps = Vec::new();
    while let Some((step, next)) = first_step(space, here, order) {
        steps.push(step);
        places.push(Place { node: next.entry, below: None, met: !next.marked });
        here = next;
    }
    Way { places, steps }
}

/// The step from a head that returns in a control location by what was known first, and what is left to do then; `None` if
/// the next step returns.
fn first_step(space: Space<'_, '_>, job: Job, order: &Order<'_, '_>) -> Option<(Step, Job)> {
    let Job { entry, control, marked } = job;
    let mut best: Option<(u32, Step, Job)> = None;
    for Move { to, stack, rule, marked: met } in space.rules.of(space.head(entry)) {
        let wanted = marked && !met;
        let mut consider = |step: Step, next: Job, also: u32| {
            let number = order.log.recorded(next.entry, next.control.0, next.marked).map(|number| number.max(also));
            if let Some(number) = number.filter(|number| best.is_none_or(|(least, ..)| *number < least)) {
                best = Some((number, step, next));
            }
        };
        match stack {
            Stack::Pop if to == control && !wanted => return None,
            Stack::Pop => {}
            Stack::Swap(symbol) => {
                if let Some(entry) = space.all.heads.get(Head { control: to, symbol }) {
                    consider(Step::By(rule), Job { entry, control, marked: wanted }, 0);
                }
            }
            Stack::Push(symbol, site) => {
                let Some(callee) = space.all.heads.get(Head { control: to, symbol }) else { continue };
                for inside in [false, true].into_iter().take(1 + usize::from(wanted)) {
                    let row = if inside { space.all.marked_row(callee) } else { space.all.row(callee) };
                    for bit in bits(row) {
                        let call = Job { entry: callee, control: ControlId(bit), marked: inside };
                        let back = space.all.heads.get(Head { control: call.control, symbol: site });
                        if let Some(entry) = back {
                            let next = Job { entry, control, marked: wanted && !inside };
                            consider(Step::Through(call), next, order.number(call));
                        }
                    }
                }
            }
        }
    }
    best.map(|(_, step, next)| (step, next))
}

/// Writes configurations down.
pub(super) struct Writer<'w, 's, 'a> {
    space: Space<'s, 'a>,
    calls: &'w Calls,
    /// The number in the run of each call, once it is listed.
    listed: FxHashMap<usize, usize>,
    /// Whether the control location is the value of a global.
    tracked: bool,
    nothing: Values,
}

impl<'w, 's, 'a> Writer<'w, 's, 'a> {
    pub fn new(space: Space<'s, 'a>, calls: &'w Calls) -> Self {
        let tracked = !space.spds.globals.is_empty();
        Writer { space, calls, listed: FxHashMap::default(), tracked, nothing: Rc::from([]) }
    }

    /// The parts of calls, in this order.
    pub fn calls(&mut self, order: &[usize]) -> Vec<Call> {
        let mut list = Vec::with_capacity(order.len());
        for &number in order {
            let way = &self.calls.ways[number];
            let steps = self.steps(way, 0);
            let procedure = self.space.spds.symbol(self.space.head(way.places[0].node).symbol).frame;
            self.listed.insert(number, list.len());
            list.push(Call { procedure, steps });
        }
        list
    }

    /// The steps of a way that begins above so many frames.
    pub fn steps(&self, way: &Way, mut depth: u32) -> Vec<run::Step> {
        let mut steps = Vec::with_capacity(way.places.len());
        for (number, place) in way.places.iter().enumerate() {
            let (Head { control, symbol }, _) = self.space.rules.apart(self.space.head(place.node));
            let globals = if self.tracked { Rc::from([u64::from(control.0)]) } else { Rc::clone(&self.nothing) };
            let config = Config { control, symbol, globals, locals: Rc::clone(&self.nothing) };
            let then = match way.steps.get(number) {
                Some(Step::Through(job)) => Then::Call(self.listed[&self.calls.number(*job)]),
                _ => Then::Step,
            };
            steps.push(run::Step { config, depth, then });
            match way.steps.get(number) {
                Some(Step::Enter) => depth += 1,
                Some(Step::Return) => depth = depth.saturating_sub(1),
                Some(Step::By(_) | Step::Through(_)) | None => {}
            }
        }
        steps
    }
}
