//! What control alone tells, before any BDD: which heads can be reached, who calls and returns where.
//!
//! The saturation of a system whose data is forgotten: post* (Schwoon's thesis, Algorithm 2) over control only. A *path
//! edge* (⟨p,γ⟩, t) says that ⟨p,γ⟩ can be reached in a call that began at t; on programs t is the entry of the procedure.
//! Everything else in this room works on its result: live ranges, MOD/REF, slicing and the order of work.

mod dependence;
pub mod live;
pub mod modref;
pub mod rank;

use rustc_hash::FxHashSet;
use spds_format::model::{self, ControlId, SymbolId};

use crate::pds::{HeadId, Kind, Pds, RuleId};

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
    pub bodies: Vec<Vec<HeadId>>,
    /// Who calls each state.
    pub callers: Vec<Vec<Caller>>,
    /// The control locations in which a call that began at a state can return.
    pub pops: Vec<Vec<ControlId>>,
    /// The state of each entry head.
    entry_of: Vec<u32>,
    /// One owner of each head, or `NONE`.
    owner: Vec<u32>,
    /// Further owners.
    more: FxHashSet<(HeadId, StateId)>,
}

const NONE: u32 = u32::MAX;

impl Flow {
    /// Tabulates. Linear in the number of path edges and calls; numbers heads that only returns reach.
    pub fn new(pds: &mut Pds, start: &StartEdges) -> Flow {
        let mut flow = Flow {
            states: vec![State::User; start.states as usize],
            bodies: vec![Vec::new(); start.states as usize],
            callers: vec![Vec::new(); start.states as usize],
            pops: vec![Vec::new(); start.states as usize],
            entry_of: vec![NONE; pds.head_count()],
            owner: vec![NONE; pds.head_count()],
            more: FxHashSet::default(),
        };
        for &(from, site, state) in &start.inner {
            flow.callers[from.0 as usize].push(Caller { rule: None, site, state });
        }
        let mut work = Vec::new();
        for &(head, state) in &start.initial {
            let head = pds.intern(head);
            flow.reach(head, state, &mut work);
        }
        while let Some((head, state)) = work.pop() {
            for id in pds.rules_of(head) {
                let rule = pds.rules[id.0 as usize];
                match rule.kind {
                    Kind::Step(to) => flow.reach(to, state, &mut work),
                    Kind::Pop(control) => flow.pop(pds, state, control, &mut work),
                    Kind::Call(entry, site) => {
                        let callee = flow.enter(entry, &mut work);
                        flow.callers[callee.0 as usize].push(Caller { rule: Some(id), site, state });
                        for i in 0..flow.pops[callee.0 as usize].len() {
                            let control = flow.pops[callee.0 as usize][i];
                            let back = pds.intern(model::Head { control, symbol: site });
                            flow.reach(back, state, &mut work);
                        }
                    }
                }
            }
        }
        flow
    }

    /// Whether control can reach the head.
    pub fn reaches(&self, head: HeadId) -> bool {
        self.owner.get(head.0 as usize).is_some_and(|&owner| owner != NONE)
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

    fn reach(&mut self, head: HeadId, state: StateId, work: &mut Vec<(HeadId, StateId)>) {
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
        if new {
            self.bodies[state.0 as usize].push(head);
            work.push((head, state));
        }
    }

    fn enter(&mut self, entry: HeadId, work: &mut Vec<(HeadId, StateId)>) -> StateId {
        let i = entry.0 as usize;
        if self.entry_of[i] == NONE {
            self.entry_of[i] = self.states.len() as u32;
            self.states.push(State::Entry(entry));
            self.bodies.push(Vec::new());
            self.callers.push(Vec::new());
            self.pops.push(Vec::new());
        }
        let state = StateId(self.entry_of[i]);
        self.reach(entry, state, work);
        state
    }

    fn pop(&mut self, pds: &mut Pds, state: StateId, control: ControlId, work: &mut Vec<(HeadId, StateId)>) {
        if self.pops[state.0 as usize].contains(&control) {
            return;
        }
        self.pops[state.0 as usize].push(control);
        for i in 0..self.callers[state.0 as usize].len() {
            let caller = self.callers[state.0 as usize][i];
            let back = pds.intern(model::Head { control, symbol: caller.site });
            self.reach(back, caller.state, work);
        }
    }
}
