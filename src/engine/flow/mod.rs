//! What control alone tells, before any BDD: which heads can be reached, who calls and returns where.
//!
//! The saturation of a system whose data is forgotten: post* (Schwoon's thesis, Algorithm 2) over control only. A *path
//! edge* (⟨p,γ⟩, t) says that ⟨p,γ⟩ can be reached in a call that began at t; on programs t is the entry of the procedure.
//! Everything else in this room works on its result: live ranges, MOD/REF, slicing and the order of work.

mod backwards;
mod dependence;
pub mod live;
pub mod modref;
pub mod rank;
mod strong;

use rustc_hash::FxHashSet;
use spds_format::model::{self, ControlId, SymbolId};

use crate::limits::{Limits, Stop, Tally};
use crate::packed::{Chains, Rows};
use crate::pds::{HeadId, Pds, RuleId, RuleKind};

pub use backwards::Parts;
pub use dependence::{Dependence, Via};

/// A state of the P-automaton: one for each entry ⟨p',γ'⟩ of a call (p^γ in the literature), and those that came with the
/// start automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

/// What a state stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A state of the start automaton that is not initial.
    User,
    /// Made by calls of this entry.
    Entry(HeadId),
}

/// One way to suspend a caller: the rule and the call in which it is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Caller {
    /// The call rule; `None` for an edge of the start automaton, which is a caller that was there from the start.
    pub rule: Option<RuleId>,
    /// The return site.
    pub site: SymbolId,
    /// The state of the caller.
    pub state: StateId,
}

/// The start automaton without its values: edges out of initial states, and edges between others.
#[derive(Clone, Debug, Default)]
pub struct StartEdges {
    /// The number of states that are not initial.
    pub states: u32,
    /// p –γ→ t
    pub initial: Vec<(model::Head, StateId)>,
    /// s –γ→ t between states that are not initial.
    pub inner: Vec<(StateId, SymbolId, StateId)>,
}

/// Control reachability and the call structure.
pub struct Flow {
    /// The states, those of the start automaton first.
    pub states: Vec<State>,
    /// The heads of each state, in the order of discovery: path edges by state.
    pub bodies: Rows<HeadId>,
    /// Who calls each state.
    pub callers: Rows<Caller>,
    /// Where calls of each state come back: the return sites of its callers, each once.
    pub sites: Rows<SymbolId>,
    /// The control locations in which a call that began at a state can return.
    pub pops: Rows<ControlId>,
    /// The state of each entry head.
    entry_of: Vec<u32>,
    /// One owner of each head, or `NONE`.
    owner: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Flow {
    /// Tabulates. Linear in the number of path edges and calls; numbers heads that only returns reach.
    pub fn new(pds: &mut Pds, start: &StartEdges) -> Flow {
        match Flow::within(pds, start, &mut Tally::new(&Limits::NONE, None)) {
            Ok(flow) => flow,
            Err(_) => unreachable!("there is no limit"),
        }
    }

    /// The same in so many steps: there may be as many path edges as pairs of a head and an entry.
    ///
    /// # Errors
    /// If they are not enough, or a limit is met.
    pub fn within(pds: &mut Pds, start: &StartEdges, steps: &mut Tally) -> Result<Flow, Stop> {
        let mut search = Search::new(pds, start);
        while let Some((head, state)) = search.work.pop() {
            steps.take(std::mem::take(&mut search.steps) + 1)?;
            for id in pds.rules_of(head) {
                match pds.kind_of(id) {
                    RuleKind::Step(to) => search.reach(to, state),
                    RuleKind::Pop(control) => search.pop(pds, state, control),
                    RuleKind::Call(entry, site) => search.call(pds, Caller { rule: Some(id), site, state }, entry),
                }
            }
        }
        let Search { states, bodies, callers, pops, entry_of, owner, .. } = search;
        let (bodies, callers, pops) = (bodies.into_rows(), callers.into_rows(), pops.into_rows());
        let sites = sites(&callers);
        Ok(Flow { states, bodies, callers, sites, pops, entry_of, owner })
    }

    /// Whether control can reach the head.
    pub fn reaches(&self, head: HeadId) -> bool {
        self.owner(head).is_some()
    }

    /// The state of the first path edge from the head, if there is one: what does not depend on the state need be done for
    /// this one only.
    pub fn owner(&self, head: HeadId) -> Option<StateId> {
        self.owner.get(head.0 as usize).filter(|&&state| state != NONE).map(|&state| StateId(state))
    }

    /// The state that calls of this entry make, if control can reach such a call.
    pub fn state_of_entry(&self, entry: HeadId) -> Option<StateId> {
        self.entry_of.get(entry.0 as usize).filter(|&&state| state != NONE).map(|&state| StateId(state))
    }

    /// The number of states.
    pub fn state_count(&self) -> usize {
        self.states.len()
    }

    /// The states, in order.
    pub fn state_ids(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.states.len() as u32).map(StateId)
    }
}

/// The symbols of the callers of each state, in their order, without repetition. Linear in the number of callers.
fn sites(callers: &Rows<Caller>) -> Rows<SymbolId> {
    let symbols = callers.items().iter().map(|caller| caller.site.0 as usize + 1).max().unwrap_or(0);
    let mut last_of = vec![NONE; symbols];
    let mut pairs: Vec<(u32, SymbolId)> = Vec::new();
    for (state, callers) in (0..).zip(callers.iter()) {
        for caller in callers {
            if std::mem::replace(&mut last_of[caller.site.0 as usize], state) != state {
                pairs.push((state, caller.site));
            }
        }
    }
    Rows::collect(callers.count(), |pair| pairs.iter().for_each(|&(state, site)| pair(state, site)))
}

/// A [`Flow`] in the making.
struct Search {
    states: Vec<State>,
    bodies: Chains<HeadId>,
    callers: Chains<Caller>,
    pops: Chains<ControlId>,
    entry_of: Vec<u32>,
    owner: Vec<u32>,
    /// Further owners.
    more: FxHashSet<(HeadId, StateId)>,
    /// Path edges whose rules have not been looked at.
    work: Vec<(HeadId, StateId)>,
    /// What has been done since it was counted.
    steps: u64,
}

/// What a path edge costs, in steps: it is looked up, and takes memory.
const PATH_EDGE: u64 = 8;

impl Search {
    fn new(pds: &mut Pds, start: &StartEdges) -> Search {
        let (states, heads) = (start.states as usize, pds.head_count());
        let mut search = Search {
            states: vec![State::User; states],
            bodies: Chains::new(states, heads),
            callers: Chains::new(states, start.inner.len()),
            pops: Chains::new(states, states),
            entry_of: vec![NONE; heads],
            owner: vec![NONE; heads],
            more: FxHashSet::default(),
            work: Vec::new(),
            steps: 0,
        };
        for &(from, site, state) in &start.inner {
            search.callers.push(from.0 as usize, Caller { rule: None, site, state });
        }
        for &(head, state) in &start.initial {
            let head = pds.intern(head);
            search.reach(head, state);
        }
        search
    }

    fn reach(&mut self, head: HeadId, state: StateId) {
        let i = head.0 as usize;
        if i >= self.owner.len() {
            self.owner.resize(i + 1, NONE);
            self.entry_of.resize(i + 1, NONE);
        }
        let new = match self.owner[i] {
            NONE => {
                self.owner[i] = state.0;
                true
            }
            owner if owner == state.0 => false,
            _ => self.more.insert((head, state)),
        };
        self.steps += 1;
        if new {
            self.steps += PATH_EDGE;
            self.bodies.push(state.0 as usize, head);
            self.work.push((head, state));
        }
    }

    fn enter(&mut self, entry: HeadId) -> StateId {
        let i = entry.0 as usize;
        if self.entry_of[i] == NONE {
            self.entry_of[i] = self.states.len() as u32;
            self.states.push(State::Entry(entry));
            self.bodies.add_list();
            self.callers.add_list();
            self.pops.add_list();
        }
        let state = StateId(self.entry_of[i]);
        self.reach(entry, state);
        state
    }

    fn call(&mut self, pds: &mut Pds, caller: Caller, entry: HeadId) {
        let callee = self.enter(entry).0 as usize;
        self.callers.push(callee, caller);
        let mut place = self.pops.first(callee);
        while let Some(at) = place {
            let back = pds.intern(model::Head { control: *self.pops.get(at), symbol: caller.site });
            self.reach(back, caller.state);
            place = self.pops.next(at);
        }
    }

    fn pop(&mut self, pds: &mut Pds, state: StateId, control: ControlId) {
        let t = state.0 as usize;
        self.steps += 1;
        if self.pops.iter(t).any(|&known| known == control) {
            return;
        }
        self.pops.push(t, control);
        let mut place = self.callers.first(t);
        while let Some(at) = place {
            let Caller { site, state, .. } = *self.callers.get(at);
            let back = pds.intern(model::Head { control, symbol: site });
            self.reach(back, state);
            place = self.callers.next(at);
        }
    }
}
