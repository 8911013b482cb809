//! Concretisation of summary edges into paths, backwards through the rounds: from a value that was reached to the start, and through every call on the way.
//!
//! A way consists of heads with values of their *live* bits and of the rules between them. A call that returns is one
//! step of it and has a way of its own, found in the same manner from the entry values to the exit values; calls with
//! equal entry and exit values share it.
//!
//! Within a recursion a shortest way through a call may pass an equal call, and so for ever. Summaries of recursive calls
//! are therefore numbered as they are stored: each was derived from smaller numbers only. A way is taken as it is if all
//! calls of its own recursion have smaller numbers than it; otherwise it is sought again among those.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use spds_format::model;

use super::alike::Patterns;
use super::pace::Pace;
use super::rings::{Node, Rings, Scope, Summaries, costs_nothing};
use super::stored::{All, Before};
use super::valuation::{Picked, Valuation, least, with_values};
use super::way::{Job, Move, Point, Way, Ways};
use crate::bdd::{At, Column, Relation, Space};
use crate::flow::{StateId, Via};
use crate::limits::Stop;
use crate::pds::{HeadId, RuleId, RuleKind, SetId};
use crate::saturation::{PostStar, System};

type Result<T> = std::result::Result<T, Stop>;

/// What a run is to come to: one of these heads.
pub type Goal<'g> = &'g [HeadId];

/// Finds the ways of a run from the start to one of the goal heads; `None` if there is no such run.
///
/// `start` holds the start values by head (over Now).
///
/// # Errors
/// [`Stop::Patience`] if the pace does not allow to come there, or if a limit is met.
pub fn to_goal(
    post: &PostStar<'_, '_>,
    start: &[(Node, Relation)],
    goal: Goal<'_>,
    pace: Pace,
) -> Result<Option<Ways>> {
    let mut unwinder = Unwinder::new(post, pace);
    let system = post.system();
    let (rings, found) = Rings::search(system, &All(post, pace), Scope::Run, start, |ring| {
        Ok(ring.keys().find(|node| goal.contains(&node.head)))
    })?;
    let Some(node) = found else { return Ok(None) };
    let last = rings.count() - 1;
    let set = rings.at(last, node).expect("the goal was found in the last round");
    let values = least(system.space, &[set], [], &now(system, system.live(node.head)))?;
    let values = Valuation::new(values.expect("rounds hold no empty sets").at(At::Now));
    let run = unwinder.back(&All(post, pace), &rings, Scope::Run, last, Point { node, values })?;
    let calls = unwinder.finish()?;
    Ok(Some(Ways { run, cycle: None, calls }))
}

/// By summary, exit values and the part of the tag that a call leaves alone: see [`Unwinder::tags`].
type Tags = FxHashMap<(Relation, Vec<(Column, bool)>, SetId), Relation>;

pub(super) struct Unwinder<'u, 's, 'a> {
    post: &'u PostStar<'s, 'a>,
    pace: Pace,
    numbers: FxHashMap<Job, usize>,
    jobs: Vec<Job>,
    tags: Tags,
    patterns: Patterns,
}

impl<'u, 's, 'a> Unwinder<'u, 's, 'a> {
    pub(super) fn new(post: &'u PostStar<'s, 'a>, pace: Pace) -> Self {
        Unwinder {
            post,
            pace,
            numbers: FxHashMap::default(),
            jobs: Vec::new(),
            tags: Tags::default(),
            patterns: Patterns::default(),
        }
    }

    fn system(&self) -> &'u System<'a> {
        self.post.system()
    }

    fn space(&self) -> &'u Space {
        self.system().space
    }

    /// Unwinds the calls that were met, and those met in doing so.
    ///
    /// # Errors
    /// [`Stop::Patience`] if they have more moves than a run may have items, or if a limit is met.
    pub(super) fn finish(mut self) -> Result<Vec<Way>> {
        let (mut ways, mut moves) = (Vec::new(), 0);
        while ways.len() < self.jobs.len() {
            let job = self.jobs[ways.len()].clone();
            let way = self.through(&job)?;
            moves += way.moves.len() as u64;
            if moves > self.pace.items {
                return Err(Stop::Patience);
            }
            ways.push(way);
        }
        Ok(ways)
    }

    fn job(&mut self, job: Job) -> usize {
        let next = self.jobs.len();
        *self.numbers.entry(job).or_insert_with_key(|job| {
            self.jobs.push(job.clone());
            next
        })
    }

    /// The way through a call.
    fn through(&mut self, job: &Job) -> Result<Way> {
        let met = self.jobs.len();
        if !self.system().control.modref.is_recursive(job.state) {
            return self.through_body(job);
        }
        let number = self.number(job)?;
        let component = self.system().control.modref.component(job.state);
        let way = self.through_with(&All(self.post, self.pace), job)?.expect("the summary was derived");
        let mut founded = true;
        for &step in &way.moves {
            if let Move::Through(_, call) = step {
                let inner = self.jobs[call].clone();
                let modref = &self.system().control.modref;
                let same = modref.is_recursive(inner.state) && modref.component(inner.state) == component;
                founded &= !same || self.number(&inner)? < number;
            }
        }
        if founded {
            return Ok(way);
        }
        for job in self.jobs.drain(met..) {
            self.numbers.remove(&job);
        }
        let before = Before { post: self.post, pace: self.pace, component, number, known: RefCell::default() };
        self.through_with(&before, job).map(|way| way.expect("a summary is derived from earlier ones"))
    }

    /// The way through a call that contains none of the same procedure.
    fn through_body(&mut self, job: &Job) -> Result<Way> {
        let post = self.post;
        let key = if self.pace.leaping { None } else { Patterns::key(post, job) };
        if let Some(key) = &key {
            let patterns = std::mem::take(&mut self.patterns);
            let way = patterns.way(post, key, job.state, |job| self.job(job));
            self.patterns = patterns;
            if let Some(way) = way {
                return Ok(way);
            }
        }
        let way = self.through_with(&All(post, self.pace), job)?.expect("the summary was derived");
        if let Some(key) = key {
            self.patterns.remember(post, key, &way, &self.jobs);
        }
        Ok(way)
    }

    /// The number under which the summary of a call was stored.
    fn number(&self, job: &Job) -> Result<u32> {
        let system = self.system();
        let mut values: Vec<_> = job.entry.columns(&next(system, system.tag(job.state))).collect();
        values.extend(job.exit.columns(&now(system, system.without(system.globals(), system.mark()))));
        values.extend(job.exit.columns(&next(system, system.mark())));
        let log = self.post.summary_log(job.state, job.control).expect("summaries of recursive calls are numbered");
        let number =
            log.first(self.space(), |set| Ok(least(self.space(), &[set], values.iter().copied(), &[])?.is_some()))?;
        Ok(number.expect("the increments of a summary make it up"))
    }

    fn through_with(&mut self, summaries: &impl Summaries, job: &Job) -> Result<Option<Way>> {
        let system = self.system();
        let control = system.control;
        let crate::flow::State::Entry(entry) = control.flow.states[job.state.0 as usize] else {
            unreachable!("only entries of calls are unwound")
        };
        let tag: Vec<_> = job.entry.columns(&now(system, system.tag(job.state))).collect();
        let start = system.arrive(entry, &system.unmarked(&self.space().cube(&tag)?)?)?;
        let (rings, found) =
            Rings::search(system, summaries, Scope::Call, &[(Node { head: entry, below: None }, start)], |ring| {
                for (node, set) in ring.iter() {
                    let head = node.head;
                    for id in control.pds.rules_of(head) {
                        if let Some(values) = self.exit(id, job, head, set)? {
                            return Ok(Some((id, Point { node, values })));
                        }
                    }
                }
                Ok(None)
            })?;
        let Some((pop, last)) = found else { return Ok(None) };
        let mut way = self.back(summaries, &rings, Scope::Call, rings.count() - 1, last)?;
        way.pop = Some(pop);
        way.exit = job.exit.clone();
        Ok(Some(way))
    }

    /// The least values at a head from which a rule returns as the job wants.
    fn exit(&self, id: RuleId, job: &Job, head: HeadId, set: &Relation) -> Result<Option<Valuation>> {
        let system = self.system();
        let rule = system.control.pds.rule_at(id);
        let Some(relation) = system.relations.rule(id) else { return Ok(None) };
        if rule.kind != RuleKind::Pop(job.control) {
            return Ok(None);
        }
        let values = moved(system, &job.exit, system.globals(), rule.writes);
        let picked = least(self.space(), &[set, relation], values.iter().copied(), &now(system, system.live(head)))?;
        Ok(picked.map(|picked| Valuation::new(picked.at(At::Now))))
    }

    /// From a point of a round back to the first round.
    pub(super) fn back(
        &mut self,
        summaries: &impl Summaries,
        rings: &Rings,
        scope: Scope<'_>,
        round: usize,
        last: Point,
    ) -> Result<Way> {
        let (mut points, mut moves) = (vec![last], Vec::new());
        let mut round = round;
        loop {
            let here = points.last().expect("a way has a point");
            match self.before(summaries, rings, scope, round, here)? {
                Some((earlier, step, point)) => {
                    round = earlier;
                    moves.push(step);
                    points.push(point);
                }
                None if round == 0 => break,
                None => unreachable!("every value of a round comes from the round before"),
            }
        }
        points.reverse();
        moves.reverse();
        Ok(Way { points, moves, pop: None, exit: Valuation::default() })
    }

    /// A point from which one move leads to this one, with its round.
    fn before(
        &mut self,
        summaries: &impl Summaries,
        rings: &Rings,
        scope: Scope<'_>,
        round: usize,
        here: &Point,
    ) -> Result<Option<(usize, Move, Point)>> {
        let system = self.system();
        for (node, via) in predecessors(system, here.node.head) {
            let (Via::Rule(id) | Via::Enter(id) | Via::Back(id)) = via else {
                if let Some(found) = self.before_return(rings, round, node, here)? {
                    return Ok(Some(found));
                }
                continue;
            };
            if matches!(via, Via::Enter(_)) && (scope == Scope::Call || here.node.below.is_some()) {
                continue;
            }
            let head = system.control.graph.head(node).expect("rules start at heads");
            let Some(earlier) = (if costs_nothing(system, id) { Some(round) } else { round.checked_sub(1) }) else {
                continue;
            };
            let Some(relation) = system.relations.rule(id) else { continue };
            for (node, set) in rings.nodes(earlier, head) {
                if node.below != here.node.below && !matches!(via, Via::Enter(_)) {
                    continue;
                }
                let both = [set, relation];
                let found = match via {
                    Via::Back(_) => self.before_call(summaries, id, both, node, here)?,
                    _ => self.before_step(id, matches!(via, Via::Enter(_)), both, node, here)?,
                };
                if let Some((step, point)) = found {
                    return Ok(Some((earlier, step, point)));
                }
            }
        }
        self.before_leap(summaries, rings, round, here)
    }

    /// Before turns of a loop that were taken at once.
    fn before_leap(
        &self,
        summaries: &impl Summaries,
        rings: &Rings,
        round: usize,
        here: &Point,
    ) -> Result<Option<(usize, Move, Point)>> {
        let (system, head) = (self.system(), here.node.head);
        let (Some(earlier), Some(turns)) = (round.checked_sub(1), summaries.turns(head)) else { return Ok(None) };
        let values = moved(system, &here.values, system.live(head), turns.writes);
        for (node, set) in rings.nodes(earlier, head).filter(|(node, _)| *node == here.node) {
            let both = [set, &turns.relation];
            if let Some(picked) = least(self.space(), &both, values.iter().copied(), &now(system, system.live(head)))? {
                let point = Point { node, values: Valuation::new(picked.at(At::Now)) };
                return Ok(Some((earlier, Move::Leap, point)));
            }
        }
        Ok(None)
    }

    /// Before a return that uncovered what was on the stack from the start. `pops` is the node of such returns.
    fn before_return(
        &self,
        rings: &Rings,
        round: usize,
        pops: u32,
        here: &Point,
    ) -> Result<Option<(usize, Move, Point)>> {
        let (system, Some(earlier)) = (self.system(), round.checked_sub(1)) else { return Ok(None) };
        let site = system.control.pds.head(here.node.head).symbol;
        for (node, via) in system.control.graph.dependents(pops) {
            let (Some(head), Via::Rule(id)) = (system.control.graph.head(node), via) else { continue };
            let Some(relation) = system.relations.rule(id) else { continue };
            for (node, set) in rings.nodes(earlier, head) {
                let uncovers = |state: StateId| {
                    self.post
                        .below(state)
                        .iter()
                        .any(|&(symbol, next, _)| symbol == site && Some(next) == here.node.below)
                };
                if !node.below.is_some_and(uncovers) {
                    continue;
                }
                let writes = system.control.pds.writes_of(id);
                let live = system.meet(system.live(here.node.head), system.globals());
                let values = moved(system, &here.values, live, writes);
                let wanted = now(system, system.live(head));
                if let Some(picked) = least(self.space(), &[set, relation], values.iter().copied(), &wanted)? {
                    let point = Point { node, values: Valuation::new(picked.at(At::Now)) };
                    return Ok(Some((earlier, Move::Return(id), point)));
                }
            }
        }
        Ok(None)
    }

    /// Before a step, or before the entry of a call that stays pending.
    fn before_step(
        &self,
        id: RuleId,
        enters: bool,
        both: [&Relation; 2],
        node: Node,
        here: &Point,
    ) -> Result<Option<(Move, Point)>> {
        let system = self.system();
        let rule = system.control.pds.rule_at(id);
        let values = if enters {
            let callee = system.control.flow.state_of_entry(here.node.head).expect("calls have a state");
            let tag = system.meet(system.union(system.tag(callee), system.mark()), system.globals());
            let mut values = moved(system, &here.values, tag, rule.writes);
            values.extend(here.values.columns(&next(system, rule.formals)));
            values
        } else {
            moved(system, &here.values, system.live(here.node.head), rule.writes)
        };
        let picked = least(self.space(), &both, values.iter().copied(), &now(system, system.live(node.head)))?;
        Ok(picked.map(|picked| {
            let step = if enters { Move::Enter(id) } else { Move::Step(id) };
            (step, Point { node, values: Valuation::new(picked.at(At::Now)) })
        }))
    }

    /// The entry values (in Next, but in Now what a call leaves alone) that lead to these exit values; the callee's mark
    /// in Entry, out of the way of the caller's.
    fn tags(&mut self, summary: &Relation, exit: &[(Column, bool)], kept: SetId) -> Result<Relation> {
        let (system, space) = (self.system(), self.space());
        let key = (summary.clone(), exit.to_vec(), kept);
        if let Some(known) = self.tags.get(&key) {
            return Ok(known.clone());
        }
        let chosen = with_values(space, summary, exit)?;
        let tags = space.exists(&chosen, space.vars(now(system, system.globals()).iter().copied()))?;
        let down = system.bits(kept).into_iter().map(|bit| (bit, At::Next, At::Now));
        let aside = system.bits(system.mark()).into_iter().map(|bit| (bit, At::Next, At::Entry));
        let tags = space.rename(&tags, space.renaming(down.chain(aside)))?;
        self.tags.insert(key, tags.clone());
        Ok(tags)
    }

    /// Before a call that returned to this point: the call, and the job of unwinding it.
    fn before_call(
        &mut self,
        summaries: &impl Summaries,
        id: RuleId,
        both: [&Relation; 2],
        node: Node,
        here: &Point,
    ) -> Result<Option<(Move, Point)>> {
        let (system, space) = (self.system(), self.space());
        let rule = system.control.pds.rule_at(id);
        let RuleKind::Call(entry, _) = rule.kind else { return Ok(None) };
        let model::Head { control, .. } = system.control.pds.head(here.node.head);
        let callee = system.control.flow.state_of_entry(entry).expect("calls have a state");
        let Some(summary) = summaries.summary(callee, control)? else { return Ok(None) };
        let (tag, touched) = (system.tag(callee), system.control.modref.touched(callee));
        // The exit values are known as far as they are live here; which entry values lead to them?
        let returned = system.without(system.meet(touched, system.globals()), system.mark());
        let exit: Vec<_> = here.values.columns(&now(system, returned)).collect();
        let kept_tag = system.without(system.meet(tag, system.globals()), rule.writes);
        let tags = self.tags(&summary, &exit, kept_tag)?;
        // What the caller keeps: globals that pass by, and its locals.
        let passing =
            system.union(system.without(system.globals(), touched), system.without(system.slots(), rule.saved));
        let mut values: Vec<_> = here.values.columns(&now(system, passing)).collect();
        values.extend(here.values.columns(&system.columns(rule.saved, At::Saved)));
        let mut wanted = now(system, system.live(node.head)).to_vec();
        wanted.extend_from_slice(&next(system, system.without(tag, kept_tag)));
        let Some((picked, met)) = self.before_marks([both[0], both[1], &tags], here, &values, &wanted)? else {
            return Ok(None);
        };
        let point = Point { node, values: Valuation::new(picked.at(At::Now)) };
        let kept = system.bits(kept_tag).into_iter();
        let kept = kept.map(|bit| (bit, point.values.get(bit).expect("what the entry reads is live at the call")));
        let entry = Valuation::new(picked.at(At::Next).chain(kept));
        let mut values = exit;
        values.extend(entry.columns(&next(system, tag)));
        let mark = next(system, system.mark());
        values.extend(mark.iter().zip(met).map(|(&column, met)| (column, met)));
        let out = system.without(system.meet(touched, system.live_out(callee, control)), system.mark());
        let out: Vec<Column> = now(system, out).iter().chain(mark.iter()).copied().collect();
        let exit = least(space, &[&summary], values.iter().copied(), &out)?
            .expect("these entry values lead to the exit values");
        let exit = Valuation::new(exit.at(At::Now).chain(exit.at(At::Next)));
        let number = self.job(Job { state: callee, control, entry, exit });
        Ok(Some((Move::Through(id, number), point)))
    }
}

impl Unwinder<'_, '_, '_> {
    /// The least tuple such that the caller's mark or the callee's gives that of the point returned to; and whether the
    /// callee's has to be set, if that matters.
    fn before_marks(
        &self,
        of: [&Relation; 3],
        here: &Point,
        values: &[(Column, bool)],
        wanted: &[Column],
    ) -> Result<Option<(Picked, Option<bool>)>> {
        let (system, space) = (self.system(), self.space());
        let mark = system.control.pds.layout.mark();
        let Some((mark, met)) = mark.and_then(|mark| Some((mark, here.values.get(mark)?))) else {
            return Ok(least(space, &of, values.iter().copied(), wanted)?.map(|picked| (picked, None)));
        };
        let ways: &[(bool, Option<bool>)] =
            if met { &[(true, None), (false, Some(true))] } else { &[(false, Some(false))] };
        for &(caller, callee) in ways {
            let mut values = values.to_vec();
            values.push(((mark, At::Next), caller));
            values.extend(callee.map(|callee| ((mark, At::Entry), callee)));
            if let Some(picked) = least(space, &of, values.iter().copied(), wanted)? {
                return Ok(Some((picked, callee)));
            }
        }
        Ok(None)
    }
}

fn predecessors(system: &System<'_>, head: HeadId) -> impl Iterator<Item = (u32, Via)> {
    system.control.graph.dependents(head.0)
}

/// The values of some bits after a rule as it sees them: in Next those that it writes, in Now those that it leaves alone.
fn moved(system: &System<'_>, values: &Valuation, set: SetId, writes: SetId) -> Vec<(Column, bool)> {
    let mut columns = Vec::with_capacity(values.len());
    columns.extend(values.columns(&next(system, system.meet(set, writes))));
    columns.extend(values.columns(&now(system, system.without(set, writes))));
    columns
}

fn now(system: &System<'_>, set: SetId) -> Rc<[Column]> {
    system.columns(set, At::Now)
}

fn next(system: &System<'_>, set: SetId) -> Rc<[Column]> {
    system.columns(set, At::Next)
}
