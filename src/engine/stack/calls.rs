//! Who calls whom with which values: the graph whose longest ways are the heights of stacks.
//!
//! Its vertices are calls by what they are entered with: a state of the automaton of post*, and values of its tag. Edges lead from
//! a call to one that is made in it. Every tag is reached and says all that matters in the call (see [`crate::saturation`], "What
//! an edge remembers"), so the ways of this graph are the chains of calls that lie on stacks, and conversely.

use std::collections::BTreeMap;

use spds_format::model::SymbolId;

use crate::bdd::{At, Relation, SetsBy};
use crate::flow::{State, StateId};
use crate::limits::Stop;
use crate::pds::{HeadId, RuleId, RuleKind};
use crate::saturation::{PostStar, System};

type Result<T> = std::result::Result<T, Stop>;

/// Calls by their entry values (over Now).
pub(super) type Layer = SetsBy<StateId>;

/// Relations between the entry values of calls, by the states of the outer and of the inner one: those of the inner one in Now, of
/// the outer one in Next.
pub(super) type Ways = SetsBy<(StateId, StateId)>;

/// The calls by one rule in calls that began at one state.
pub(super) struct Call {
    /// The rule.
    pub rule: RuleId,
    /// The outer call.
    pub from: StateId,
    /// The inner one.
    pub to: StateId,
    /// What the outer one leaves on the stack.
    pub site: SymbolId,
    /// As in [`Ways`].
    pub relation: Relation,
}

/// The graph.
pub(super) struct Graph<'s, 'a> {
    pub system: &'s System<'a>,
    /// With which values configurations that runs show are reached, by the frames of their topmost symbols: a call with those entry
    /// values gets there.
    pub entered: Layer,
    /// All calls.
    pub calls: Vec<Call>,
    from: BTreeMap<StateId, Vec<usize>>,
}

impl<'s, 'a> Graph<'s, 'a> {
    /// What a saturation that has come to its end knows, all sets being kept. An image for each edge and calling rule.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn new(post: &PostStar<'s, 'a>) -> Result<Self> {
        let system = post.system();
        let (space, pds) = (system.space, &system.control.pds);
        let all = system.union(system.globals(), system.slots());
        let now = space.vars(system.columns(all, At::Now).iter().copied());
        let mut entered = Layer::new();
        for (head, state, set) in post.path_edges() {
            let State::Entry(entry) = system.control.flow.states[state.0 as usize] else {
                if !pds.is_hidden(head) && !space.is_empty(set) {
                    entered.set(space, state, space.top());
                }
                continue;
            };
            // Where the entry is seen, whoever enters is seen there; else wherever the first steps, which are silent, lead to.
            if !pds.is_hidden(head) && (head == entry || pds.is_hidden(entry)) {
                let down =
                    space.renaming(system.bits(system.tag(state)).into_iter().map(|bit| (bit, At::Entry, At::Now)));
                entered.add(space, state, space.and_exists_rename(set, set, now, down)?)?;
            }
        }
        let mut graph = Graph { system, entered, calls: Vec::new(), from: BTreeMap::new() };
        for (head, state, set) in post.path_edges().filter(|(_, _, set)| !space.is_empty(set)) {
            for rule in pds.rules_of(head) {
                let RuleKind::Call(entry, site) = pds.kind_of(rule) else { continue };
                let Some(callee) = system.control.flow.state_of_entry(entry) else { continue };
                let Some(entered) = graph.entered.get(&callee) else { continue };
                let calls = system.call(rule, callee, set)?;
                let tags = system.bits(system.tag(callee)).into_iter().map(|bit| (bit, At::Next, At::Now));
                let callers = system.bits(system.tag(state)).into_iter().map(|bit| (bit, At::Entry, At::Next));
                let shift = space.renaming(tags.chain(callers));
                let relation = space.and(&space.and_exists_rename(&calls, &calls, now, shift)?, entered)?;
                if !space.is_empty(&relation) {
                    graph.add(Call { rule, from: state, to: callee, site, relation });
                }
            }
            space.check()?;
        }
        Ok(graph)
    }

    fn add(&mut self, call: Call) {
        self.from.entry(call.from).or_default().push(self.calls.len());
        self.calls.push(call);
    }

    /// The numbers of the calls that are made in calls of a state.
    pub fn made_in(&self, state: StateId) -> &[usize] {
        self.from.get(&state).map_or(&[], |calls| calls)
    }

    /// The calls with which runs begin: the start, and what lies below it once it comes to the top.
    pub fn begun(&self) -> impl Iterator<Item = StateId> {
        let states = &self.system.control.flow.states;
        self.entered.keys().filter(|state| states[state.0 as usize] == State::User)
    }

    /// The head with which calls of a state begin; none for those with which runs begin.
    pub fn entry(&self, state: StateId) -> Option<HeadId> {
        match self.system.control.flow.states[state.0 as usize] {
            State::Entry(entry) => Some(entry),
            State::User => None,
        }
    }

    /// Whether calls differ by their values at all.
    pub fn has_values(&self) -> bool {
        self.entered.iter().any(|(_, set)| !self.system.space.is_full(set))
            || self.calls.iter().any(|call| !self.system.space.is_full(&call.relation))
    }

    /// The calls that are made in these.
    pub fn after(&self, layer: &Layer) -> Result<Layer> {
        let mut next = Layer::new();
        for (state, set) in layer.iter() {
            for &call in self.made_in(state) {
                let Call { to, ref relation, .. } = self.calls[call];
                next.add(self.system.space, to, self.inner((state, to), relation, set)?)?;
            }
        }
        Ok(next)
    }

    /// The same along ways.
    pub fn along(&self, layer: &Layer, ways: &Ways) -> Result<Layer> {
        let mut next = Layer::new();
        for (state, set) in layer.iter() {
            let leading = ways.from((state, StateId(0))).take_while(|((from, _), _)| *from == state);
            for ((from, to), relation) in leading {
                next.add(self.system.space, to, self.inner((from, to), relation, set)?)?;
            }
        }
        Ok(next)
    }

    /// Inner calls, by the entry values of outer ones.
    pub fn inner(&self, (from, _): (StateId, StateId), relation: &Relation, outer: &Relation) -> Result<Relation> {
        let space = self.system.space;
        let tag = self.system.tag(from);
        let up = space.renaming(self.system.bits(tag).into_iter().map(|bit| (bit, At::Now, At::Next)));
        let gone = space.vars(self.system.columns(tag, At::Next).iter().copied());
        space.and_exists(relation, &space.rename(outer, up)?, gone)
    }

    /// Outer calls, by the entry values of inner ones.
    pub fn outer(&self, (from, to): (StateId, StateId), relation: &Relation, inner: &Relation) -> Result<Relation> {
        let space = self.system.space;
        let gone = space.vars(self.system.columns(self.system.tag(to), At::Now).iter().copied());
        let down = self.system.bits(self.system.tag(from)).into_iter().map(|bit| (bit, At::Next, At::Now));
        space.and_exists_rename(relation, inner, gone, space.renaming(down))
    }

    /// All calls as ways of one call.
    pub fn ways(&self) -> Result<Ways> {
        let mut ways = Ways::new();
        for call in &self.calls {
            ways.add(self.system.space, (call.from, call.to), call.relation.clone())?;
        }
        Ok(ways)
    }

    /// The first ways, and then the second ones.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn then(&self, first: &Ways, second: &Ways) -> Result<Ways> {
        let space = self.system.space;
        let mut both = Ways::new();
        for ((from, middle), outer) in first.iter() {
            let shifted = space.rename(outer, self.shift(from, middle))?;
            let gone = space.vars(self.system.columns(self.system.tag(middle), At::Next).iter().copied());
            let down = self.system.bits(self.system.tag(from)).into_iter().map(|bit| (bit, At::Entry, At::Next));
            let down = space.renaming(down);
            let leading = second.from((middle, StateId(0))).take_while(|((other, _), _)| *other == middle);
            for ((_, to), inner) in leading {
                let way = space.and_exists_rename(inner, &shifted, gone, down)?;
                both.add(space, (from, to), way)?;
            }
            space.check()?;
        }
        Ok(both)
    }

    /// One copy up.
    fn shift(&self, from: StateId, to: StateId) -> crate::bdd::Renaming {
        let inner = self.system.bits(self.system.tag(to)).into_iter().map(|bit| (bit, At::Now, At::Next));
        let outer = self.system.bits(self.system.tag(from)).into_iter().map(|bit| (bit, At::Next, At::Entry));
        self.system.space.renaming(inner.chain(outer))
    }

    /// Entry values of a state that come back to themselves along such a way.
    pub fn unchanged(&self, state: StateId, way: &Relation) -> Result<Relation> {
        let (space, tag) = (self.system.space, self.system.tag(state));
        let same = space.identity(self.system.bits(tag), At::Now, At::Next)?;
        let gone = space.vars(self.system.columns(tag, At::Next).iter().copied());
        space.and_exists(way, &same, gone)
    }
}
