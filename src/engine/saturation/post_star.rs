//! Forward reachability: all configurations reachable from a start.
//!
//! Saturates a P-automaton after Schwoon's thesis (2002), Algorithm 2, made symbolic: edges carry relations. An entry tuple
//! is added when a call reaches it (the first step of the CAV 2001 paper adds all entry values at once), so every tag in
//! the automaton is reachable, and "the edge is not empty" means "the head is reachable". On programs this *is* the
//! path-edge algorithm of Reps, Horwitz & Sagiv and of Bebop: edges are path edges, ε-edges are summaries.
//!
//! The worklist holds increments only, ordered by rank: callees before what follows the call, loops before their exits.

mod body;
mod found;
mod memoised;
mod recursion;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;
use spds_format::model::{self, ControlId};

use self::memoised::Memoised;
use self::recursion::Recursion;
use super::images::{Callers, System};
use super::increments::Increments;
use super::thinning::{Found, Thinning};
use super::turning::{Turning, kept};
use crate::bdd::{Growing, Relation};
use crate::flow::StateId;
use crate::limits::Stop;
use crate::options::{Loops, Switch};
use crate::packed::Chains;
use crate::pds::{HeadId, RuleId, RuleKind};

type Result<T> = std::result::Result<T, Stop>;

/// p –γ→ t: the path edges from one head in calls that began at one state.
struct Edge {
    head: HeadId,
    state: StateId,
    /// What has been processed; stays empty at heads that need not be kept.
    set: Growing,
    /// What has arrived since, if something has: then the edge is in the queue.
    pending: Relation,
}

/// (p',γ') –γ''→ t: callers suspended by one rule in calls that began at one state.
struct Suspended {
    site: model::SymbolId,
    state: StateId,
    set: Growing,
}

/// (p',γ') –ε→: what calls that began at a state return with in one control location.
struct Summary {
    state: StateId,
    control: ControlId,
    set: Growing,
    /// What has come since, if something has: then the summary is in the queue.
    pending: Relation,
}

/// Whether summaries of recursive calls remember in which order they came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Log {
    /// They do: witnesses will be wanted.
    Summaries,
    /// Sets only.
    Nothing,
}

/// The automaton in the making.
pub struct PostStar<'s, 'a> {
    system: &'s System<'a>,
    /// Those of heads that are kept, and those of others while something waits there.
    edges: Vec<Edge>,
    /// Those of the start automaton.
    started: Vec<(HeadId, StateId, Relation)>,
    /// Entries of `edges` that are free.
    free: Vec<u32>,
    edge_of: Vec<u32>,
    more_edges: FxHashMap<(HeadId, StateId), u32>,
    /// Callers by state.
    suspended: Chains<Suspended>,
    place_of: Vec<u32>,
    more_places: FxHashMap<(RuleId, StateId), u32>,
    entries: Vec<Growing>,
    /// Summaries by state.
    summaries: Chains<Summary>,
    /// The increments of summaries of recursive states, each with the number under which it became usable, if wanted.
    logs: FxHashMap<u32, Increments>,
    /// By rank; in a look at some runs, edges by how long they have to wait ([`Thinning::visit`]), and by rank.
    queue: BinaryHeap<Reverse<(u64, Item)>>,
    last_rank: Vec<u32>,
    keep: Vec<bool>,
    reached: Vec<bool>,
    turning: Turning,
    recursion: Recursion,
    /// What has been done in bodies that are like others.
    memoised: Option<Memoised>,
    thinning: Option<Thinning>,
    /// Once a look has come to its end, what it has found at each head that is kept.
    found: Option<Found>,
    watched: Option<Relation>,
    met: bool,
    log: Log,
    stored: u32,
    rounds: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Edge(u32),
    Summary(u32),
    /// The body of a state.
    Body(u32),
}

const NONE: u32 = u32::MAX;

impl<'s, 'a> PostStar<'s, 'a> {
    /// The automaton with nothing in it. `blocks` off keeps the set of every head.
    pub fn new(system: &'s System<'a>, blocks: Switch, log: Log) -> Self {
        let control = system.control;
        let states = control.flow.state_count();
        let last_rank = control.flow.bodies.iter().map(|body| {
            body.iter().map(|head| control.rank[head.0 as usize]).filter(|&rank| rank != NONE).max().unwrap_or(0)
        });
        let last_rank = last_rank.collect();
        let turning = Turning::of_loops(control, Loops::Step);
        let keep = kept(system, blocks, &turning);
        let most = control.flow.bodies.items().iter().filter(|head| keep[head.0 as usize]).count();
        let calls = control.flow.callers.items().len();
        PostStar {
            system,
            edges: Vec::with_capacity(most + most / 8),
            started: Vec::new(),
            free: Vec::new(),
            edge_of: vec![NONE; control.pds.head_count()],
            more_edges: FxHashMap::default(),
            suspended: Chains::new(states, calls),
            place_of: vec![NONE; control.pds.rules.count()],
            more_places: FxHashMap::default(),
            entries: vec![Growing::new(system.space); states],
            summaries: Chains::new(states, control.flow.pops.items().len()),
            logs: FxHashMap::default(),
            queue: BinaryHeap::new(),
            last_rank,
            keep,
            reached: vec![false; control.pds.head_count()],
            turning,
            recursion: Recursion::new(control, Loops::Step),
            memoised: None,
            thinning: None,
            found: None,
            watched: None,
            met: false,
            log,
            stored: 0,
            rounds: 0,
        }
    }

    /// The same, going round loops as said (without this, step by step).
    pub fn with_loops(mut self, loops: Loops) -> Self {
        self.turning = self.turning.chosen(loops);
        self
    }

    /// The same, going on with parts only of what it finds: a look at some runs.
    pub fn thinned(mut self, thinning: Thinning) -> Self {
        self.thinning = Some(thinning);
        self
    }

    /// Adds p –γ→ t with these values (over Now) of the start automaton. States that reach no final one are the
    /// caller's to leave out.
    pub fn start(&mut self, head: HeadId, state: StateId, values: &Relation) -> Result<()> {
        if self.system.needs(head) {
            let values = self.system.arrive(head, values)?;
            self.started.push((head, state, values.clone()));
            self.arrive(head, state, values)?;
        }
        Ok(())
    }

    /// Adds s –γ→ t of the start automaton between states that are not initial: a caller that was there from the start.
    pub fn suspend(&mut self, from: StateId, site: model::SymbolId, state: StateId, values: Relation) -> Result<()> {
        let mut set = Growing::new(self.system.space);
        set.grow(self.system.space, &values)?;
        self.suspended.push(from.0 as usize, Suspended { site, state, set });
        Ok(())
    }

    /// Saturates until nothing is new or `done` says so of the heads reached so far.
    pub fn run(&mut self, done: impl FnMut(&Self) -> bool) -> Result<()> {
        let outcome = self.run_on(done);
        self.write_out();
        outcome
    }

    fn run_on(&mut self, mut done: impl FnMut(&Self) -> bool) -> Result<()> {
        let mut known = self.rounds;
        while let Some(Reverse((turn, item))) = self.queue.pop() {
            match item {
                Item::Edge(edge) => {
                    self.came_round(1);
                    self.process(edge)?;
                }
                Item::Summary(summary) => {
                    self.came_round(1);
                    self.give_back(summary)?;
                }
                Item::Body(state) => self.go_through(StateId(state), (turn / 2) as u32)?,
            }
            if self.rounds - known >= 64 {
                known = self.rounds;
                self.system.space.check()?;
            }
            if done(self) {
                break;
            }
        }
        Ok(())
    }

    fn came_round(&mut self, rounds: u32) {
        self.rounds += u64::from(rounds);
        if self.thinning.is_none() {
            self.system.space.came_round(rounds);
        }
    }

    /// Ends a look: runs need not be looked for beyond what it has found. With loops gone round at once they have to.
    pub fn end_look(&mut self) -> Result<()> {
        if self.turning.squared_heads().next().is_none() {
            let kept = self.edges.iter().filter(|edge| self.keep[edge.head.0 as usize]);
            self.found = Some(Found::new(self.system, kept.map(|edge| (edge.head, [edge.set.all(), &edge.pending])))?);
        }
        Ok(())
    }

    /// Those of the values at a head through which runs may be looked for.
    pub fn confined(&self, head: HeadId, values: Relation) -> Result<Relation> {
        match &self.found {
            Some(found) if self.keeps(head) => found.among(self.system.space, head, &values),
            _ => Ok(values),
        }
    }

    fn summary_of(&self, state: StateId, control: ControlId) -> Option<u32> {
        self.summaries.places(state.0 as usize).find(|&place| self.summaries.get(place).control == control)
    }

    /// New path edges: they wait, merged, for the turn of their head.
    fn arrive(&mut self, head: HeadId, state: StateId, values: Relation) -> Result<()> {
        if self.system.space.is_empty(&values) {
            return Ok(());
        }
        self.reached[head.0 as usize] = true;
        if self.memoised.is_some() {
            return self.arrive_in_body(head, state, values);
        }
        self.arrive_at_edge(head, state, values)
    }

    fn arrive_at_edge(&mut self, head: HeadId, state: StateId, values: Relation) -> Result<()> {
        self.meet(head, &values)?;
        let rank = self.system.control.rank[head.0 as usize];
        let index = self.edge(head, state);
        let edge = &mut self.edges[index as usize];
        if self.system.space.is_empty(&edge.pending) {
            edge.pending = values;
            let wait = self.thinning.as_mut().map_or(0, |thinning| thinning.visit(head, state));
            let turn = u64::from(wait) << 32 | u64::from(rank.saturating_mul(2));
            self.queue.push(Reverse((turn, Item::Edge(index))));
        } else {
            edge.pending = self.system.space.or(&edge.pending, &values)?;
        }
        Ok(())
    }

    /// Looks whether values at a head are among the watched ones.
    fn meet(&mut self, head: HeadId, values: &Relation) -> Result<()> {
        if let Some(watched) = self.watched.as_ref().filter(|_| !self.met && !self.system.control.pds.is_hidden(head)) {
            self.met = !self.system.space.is_empty(&self.system.space.and(watched, values)?);
        }
        Ok(())
    }

    /// The edge, made if there is none.
    fn edge(&mut self, head: HeadId, state: StateId) -> u32 {
        let first = self.edge_of[head.0 as usize];
        if first != NONE && self.edges[first as usize].state == state {
            return first;
        }
        if !self.more_edges.is_empty()
            && let Some(&index) = self.more_edges.get(&(head, state))
        {
            return index;
        }
        let space = self.system.space;
        let edge = Edge { head, state, set: Growing::new(space), pending: space.bottom() };
        let index = match self.free.pop() {
            Some(index) => {
                self.edges[index as usize] = edge;
                index
            }
            None => {
                self.edges.push(edge);
                self.edges.len() as u32 - 1
            }
        };
        if first == NONE {
            self.edge_of[head.0 as usize] = index;
        } else {
            self.more_edges.insert((head, state), index);
        }
        index
    }

    /// Nothing waits at an edge whose set is not kept: it need not exist.
    fn forget(&mut self, index: u32, head: HeadId, state: StateId) {
        self.free.push(index);
        if self.edge_of[head.0 as usize] == index {
            self.edge_of[head.0 as usize] = NONE;
        } else {
            self.more_edges.remove(&(head, state));
        }
    }

    /// One difference, one union and one image per rule for what has arrived at a head.
    fn process(&mut self, index: u32) -> Result<()> {
        let space = self.system.space;
        let edge = &self.edges[index as usize];
        let (head, state) = (edge.head, edge.state);
        let fresh = if self.keep[head.0 as usize] {
            let fresh = self.take_in(index, head)?;
            self.edges[index as usize].pending = space.bottom();
            let Some(fresh) = fresh else { return Ok(()) };
            fresh
        } else {
            let fresh = edge.pending.clone();
            self.forget(index, head, state);
            self.thin(fresh)?
        };
        for id in self.system.control.pds.rules_of(head) {
            if self.system.relations.rule(id).is_none() {
                continue;
            }
            match self.system.control.pds.kind_of(id) {
                // p –γ→ t  and  <p,γ> ↪ <p',γ'>      gives  p' –γ'→ t
                RuleKind::Step(to) => {
                    let image = self.system.step(id, to, &fresh)?;
                    self.arrive(to, state, image)?;
                }
                // p –γ→ t  and  <p,γ> ↪ <p',ε>       gives  p' –ε→ t
                RuleKind::Pop(control) => {
                    let image = self.system.pop(id, state, &fresh)?;
                    self.come_back(state, control, image)?;
                }
                // p –γ→ t  and  <p,γ> ↪ <p',γ'γ''>   gives  p' –γ'→ (p',γ')  and  (p',γ') –γ''→ t
                RuleKind::Call(entry, site) => self.enter(id, entry, site, state, &fresh)?,
            }
        }
        Ok(())
    }

    /// What has arrived at a head that is kept becomes part of its set; what to go on with, if any of it is new. It waits until
    /// then, so that what was reached can be found in one or the other whatever limit is met.
    fn take_in(&mut self, index: u32, head: HeadId) -> Result<Option<Relation>> {
        let space = self.system.space;
        let edge = &self.edges[index as usize];
        let Some(new) = edge.set.news(space, &edge.pending)? else { return Ok(None) };
        let fresh = self.turned(head, new)?;
        let fresh = self.thin(fresh)?;
        let edge = &mut self.edges[index as usize];
        edge.set.take_in(space, &fresh)?;
        // Any set between the increment and the whole gives the right images; the smaller BDD gives them sooner.
        Ok(Some(space.smaller(&fresh, edge.set.all()).clone()))
    }

    /// With the values to which a loop leads back, if all its turns can be taken at once.
    fn turned(&mut self, head: HeadId, fresh: Relation) -> Result<Relation> {
        let system = self.system;
        let Some(turns) = self.turning.at(system, head)? else { return Ok(fresh) };
        let all = system.space.or(&fresh, &system.after(&fresh, &turns)?)?;
        self.meet(head, &all)?;
        Ok(all)
    }

    /// In a look at some runs, a part of what is large.
    fn thin(&mut self, fresh: Relation) -> Result<Relation> {
        match &mut self.thinning {
            Some(thinning) => thinning.thin(self.system.space, fresh),
            None => Ok(fresh),
        }
    }

    fn enter(
        &mut self,
        rule: RuleId,
        entry: HeadId,
        site: model::SymbolId,
        state: StateId,
        fresh: &Relation,
    ) -> Result<()> {
        let Some(callee) = self.system.control.flow.state_of_entry(entry) else { return Ok(()) };
        let calls = self.system.call(rule, callee, fresh)?;
        self.enter_with(rule, callee, (entry, site), state, &calls)
    }

    /// The same with what the call remembers and passes on.
    fn enter_with(
        &mut self,
        rule: RuleId,
        callee: StateId,
        (entry, site): (HeadId, model::SymbolId),
        state: StateId,
        calls: &Relation,
    ) -> Result<()> {
        let (system, t) = (self.system, callee.0 as usize);
        if system.space.is_empty(calls) {
            return Ok(());
        }
        // The callee's own heads are worth a visit only if they lead somewhere.
        if system.needs(entry) {
            let tuples = system.entries(callee, calls)?;
            if let Some(new) = self.entries[t].grow(system.space, &tuples)? {
                let new = self.with_further_entries(callee, entry, new)?;
                let tagged = system.tagged(callee, entry, &new)?;
                self.arrive(entry, callee, tagged)?;
            }
        }
        let comes_back = system.return_heads(entry, site).any(|(_, head)| system.needs(head));
        if system.control.callers == Callers::Returning && !comes_back {
            return Ok(());
        }
        let place = self.place(rule, callee, site, state);
        let Some(new) = self.suspended.get_mut(place).set.grow(system.space, calls)? else { return Ok(()) };
        let mut next = self.summaries.first(t);
        while let Some(place) = next {
            let summary = self.summaries.get(place);
            let (control, set) = (summary.control, summary.set.all().clone());
            self.resume(callee, control, &set, site, state, &new)?;
            next = self.summaries.next(place);
        }
        Ok(())
    }

    fn place(&mut self, rule: RuleId, callee: StateId, site: model::SymbolId, state: StateId) -> u32 {
        let first = self.place_of[rule.0 as usize];
        if first != NONE && self.suspended.get(first).state == state {
            return first;
        }
        if first != NONE
            && let Some(&place) = self.more_places.get(&(rule, state))
        {
            return place;
        }
        let set = Growing::new(self.system.space);
        let place = self.suspended.push(callee.0 as usize, Suspended { site, state, set });
        if first == NONE {
            self.place_of[rule.0 as usize] = place;
        } else {
            self.more_places.insert((rule, state), place);
        }
        place
    }

    /// New returns: they wait until the callee has nothing more to do for now.
    fn come_back(&mut self, state: StateId, control: ControlId, values: Relation) -> Result<()> {
        let space = self.system.space;
        if space.is_empty(&values) {
            return Ok(());
        }
        let place = match self.summary_of(state, control) {
            Some(place) => place,
            None => {
                let (set, pending) = (Growing::new(space), space.bottom());
                self.summaries.push(state.0 as usize, Summary { state, control, set, pending })
            }
        };
        let summary = self.summaries.get_mut(place);
        if space.is_empty(&summary.pending) {
            summary.pending = values;
            let rank = self.last_rank[state.0 as usize];
            self.queue.push(Reverse((u64::from(rank.saturating_mul(2).saturating_add(1)), Item::Summary(place))));
        } else {
            summary.pending = space.or(&summary.pending, &values)?;
        }
        Ok(())
    }

    fn give_back(&mut self, place: u32) -> Result<()> {
        let space = self.system.space;
        let summary = self.summaries.get_mut(place);
        let pending = std::mem::replace(&mut summary.pending, space.bottom());
        let Some(new) = summary.set.grow(space, &pending)? else { return Ok(()) };
        let (state, control) = (summary.state, summary.control);
        self.suppose(state)?;
        if self.log == Log::Summaries && self.system.control.modref.is_recursive(state) {
            self.logs.entry(place).or_default().push(self.stored, new.clone());
        }
        self.stored += 1;
        let mut next = self.suspended.first(state.0 as usize);
        while let Some(place) = next {
            let Suspended { site, state: caller, ref set } = *self.suspended.get(place);
            let set = set.all().clone();
            self.resume(state, control, &new, site, caller, &set)?;
            next = self.suspended.next(place);
        }
        Ok(())
    }

    /// p' –ε→ (p',γ')  and  (p',γ') –γ''→ t   gives  p' –γ''→ t
    fn resume(
        &mut self,
        callee: StateId,
        control: ControlId,
        summary: &Relation,
        site: model::SymbolId,
        caller: StateId,
        suspended: &Relation,
    ) -> Result<()> {
        let back = self.system.control.pds.find(model::Head { control, symbol: site });
        let Some(back) = back.filter(|&back| self.system.needs(back)) else { return Ok(()) };
        let image = self.system.join(callee, summary, suspended, back)?;
        self.arrive(back, caller, image)
    }
}
