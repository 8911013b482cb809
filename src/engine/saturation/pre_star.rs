//! Backward reachability: all configurations from which one of a regular set can be reached.
//!
//! Saturates a P-automaton after Esparza & Schwoon (CAV 2001), §4.1, made incremental as Algorithm 1 of Schwoon's thesis
//! (2002) is: rules are indexed by their right-hand sides, and each increment of an edge is processed once. Only edges
//! from control locations are added, and edges *into* control locations are summaries: p –γ→ p' relates the values with
//! which ⟨p,γ⟩ is begun (Now) to the globals with which it is popped (Entry).
//!
//! Nothing is forgotten here: a system must be analysed without live ranges and without MOD/REF.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use spds_format::automaton::{End, StateId};
use spds_format::model::{self, ControlId, SymbolId};

use super::images::System;
use crate::bdd::{At, Growing, Relation};
use crate::limits::Stop;
use crate::pds::{HeadId, RuleId, RuleKind, SetId};

type Result<T> = std::result::Result<T, Stop>;

/// p –γ→ q, over values in Now and what q carries in Entry.
struct Edge {
    head: HeadId,
    to: End,
    set: Growing,
    /// What has come since and is not in `set`, if the edge is in the queue.
    pending: Relation,
}

/// What leads through a call rule as far as the callee's return in a control location: values before it in Now, the
/// globals after it in Next, and in Saved what the rule changes in the frame that it leaves.
struct Half {
    rule: RuleId,
    set: Growing,
}

/// The automaton in the making.
pub struct PreStar<'s, 'a> {
    system: &'s System<'a>,
    /// What the states carry.
    carried: Vec<SetId>,
    edges: Vec<Edge>,
    edge_of: FxHashMap<(HeadId, End), u32>,
    /// The edges of each head.
    of_head: Vec<Vec<u32>>,
    /// The edges between states, which no rule adds to: over what the source carries in Next, the symbol's locals in Now,
    /// what the target carries in Entry.
    inner: FxHashMap<(StateId, SymbolId), Vec<(StateId, Relation)>>,
    /// Steps and calls by the head that they lead to.
    into: Vec<Vec<RuleId>>,
    halves: Vec<Half>,
    half_of: FxHashMap<(RuleId, ControlId), u32>,
    /// Those that wait for edges of a head: ⟨p,γ⟩ where the callee returns in p to γ.
    waiting: FxHashMap<HeadId, Vec<u32>>,
    /// See [`PreStar::empty`].
    bottom: FxHashMap<ControlId, (StateId, Relation)>,
    queue: VecDeque<u32>,
    rounds: u64,
}

impl<'s, 'a> PreStar<'s, 'a> {
    /// The automaton with nothing in it; `carried` is what its states carry. The system must have been made without a
    /// product, slices, live ranges and MOD/REF.
    pub fn new(system: &'s System<'a>, carried: Vec<SetId>) -> Self {
        let pds = &system.control.pds;
        let mut into = vec![Vec::new(); pds.head_count()];
        for id in pds.rules.ids() {
            if let RuleKind::Step(to) | RuleKind::Call(to, _) = pds.kind_of(id)
                && system.relations.rule(id).is_some()
            {
                into[to.0 as usize].push(id);
            }
        }
        PreStar {
            system,
            carried,
            edges: Vec::new(),
            edge_of: FxHashMap::default(),
            of_head: vec![Vec::new(); pds.head_count()],
            inner: FxHashMap::default(),
            into,
            halves: Vec::new(),
            half_of: FxHashMap::default(),
            waiting: FxHashMap::default(),
            bottom: FxHashMap::default(),
            queue: VecDeque::new(),
            rounds: 0,
        }
    }

    /// Adds p –γ→ s with these values (Now and Entry).
    pub fn edge(&mut self, head: HeadId, to: StateId, values: &Relation) -> Result<()> {
        let values = self.allowed(head, values.clone())?;
        self.arrive(head, End::State(to), values)
    }

    /// Adds s –γ→ s' (Now, Next and Entry).
    pub fn inner(&mut self, from: StateId, symbol: SymbolId, to: StateId, values: Relation) {
        self.inner.entry((from, symbol)).or_default().push((to, values));
    }

    /// The empty stack belongs to the set in this control location, with these globals (Now). `end` is a state without
    /// edges that carries nothing and accepts. At most once for each control location.
    pub fn empty(&mut self, control: ControlId, end: StateId, values: Relation) {
        self.bottom.insert(control, (end, values));
    }

    /// Saturates.
    pub fn run(&mut self) -> Result<()> {
        self.pops()?;
        while let Some(edge) = self.queue.pop_front() {
            self.rounds += 1;
            if self.rounds.is_multiple_of(64) {
                self.system.space.check()?;
            }
            self.process(edge)?;
        }
        Ok(())
    }

    /// The edges from control locations: head, target, values (Now and Entry).
    pub fn edges(&self) -> impl Iterator<Item = (HeadId, End, &Relation)> {
        self.edges.iter().map(|edge| (edge.head, edge.to, edge.set.all()))
    }

    /// What leads through calls to their return sites: rule, return site, values before in Now, globals after in Next, and
    /// in Saved what the rule changes in the frame that it leaves. Complete when saturated.
    pub fn returns(&self) -> impl Iterator<Item = (RuleId, HeadId, &Relation)> {
        let pairs = self.waiting.iter().flat_map(|(&back, halves)| halves.iter().map(move |&half| (half, back)));
        let mut pairs: Vec<(u32, HeadId)> = pairs.collect();
        pairs.sort_unstable();
        pairs.into_iter().map(|(half, back)| {
            let half = &self.halves[half as usize];
            (half.rule, back, half.set.all())
        })
    }

    /// The numbers of edges from control locations and of rounds.
    pub fn figures(&self) -> [(&'static str, f64); 2] {
        [("edges", self.edges.len() as f64), ("rounds", self.rounds as f64)]
    }

    /// `<p,γ> ↪ <p',ε>` gives p –γ→ p'.
    fn pops(&mut self) -> Result<()> {
        let (system, space) = (self.system, self.system.space);
        for id in system.control.pds.rules.ids() {
            let row = system.control.pds.rule_at(id);
            let (RuleKind::Pop(control), Some(relation)) = (row.kind, system.relations.rule(id)) else { continue };
            let written = system.bits(row.writes).into_iter().map(|bit| (bit, At::Next, At::Entry));
            let moved = space.rename(relation, space.renaming(written))?;
            let kept = system.bits(system.without(system.globals(), row.writes));
            let summary = space.and(&moved, &space.identity(kept, At::Now, At::Entry)?)?;
            let summary = self.allowed(row.from, summary)?;
            if let Some((end, values)) = self.bottom.get(&control).cloned() {
                let globals = system.bits(system.globals());
                let after = space.renaming(globals.iter().map(|&bit| (bit, At::Now, At::Entry)));
                let gone = space.vars(globals.iter().map(|&bit| (bit, At::Entry)));
                let last = space.and_exists(&summary, &space.rename(&values, after)?, gone)?;
                self.arrive(row.from, End::State(end), last)?;
            }
            self.arrive(row.from, End::Control(control), summary)?;
        }
        Ok(())
    }

    fn allowed(&self, head: HeadId, values: Relation) -> Result<Relation> {
        self.system.keep_invariant(head, values)
    }

    fn arrive(&mut self, head: HeadId, to: End, values: Relation) -> Result<()> {
        let space = self.system.space;
        if space.is_empty(&values) {
            return Ok(());
        }
        let Some(&index) = self.edge_of.get(&(head, to)) else {
            let index = self.edges.len() as u32;
            self.edges.push(Edge { head, to, set: Growing::new(space), pending: values });
            self.edge_of.insert((head, to), index);
            self.of_head[head.0 as usize].push(index);
            self.queue.push_back(index);
            return Ok(());
        };
        let edge = &mut self.edges[index as usize];
        let Some(new) = edge.set.news(space, &values)? else { return Ok(()) };
        if space.is_empty(&edge.pending) {
            self.queue.push_back(index);
        }
        edge.pending = space.or(&edge.pending, &new)?;
        Ok(())
    }

    fn process(&mut self, index: u32) -> Result<()> {
        let (system, space) = (self.system, self.system.space);
        let edge = &mut self.edges[index as usize];
        let fresh = std::mem::replace(&mut edge.pending, space.bottom());
        edge.set.take_in(space, &fresh)?;
        // Any set between the increment and the whole gives the right images; the smaller BDD gives them sooner.
        let fresh = space.smaller(&fresh, edge.set.all()).clone();
        let (head, to) = (edge.head, edge.to);
        for place in 0..self.into[head.0 as usize].len() {
            let id = self.into[head.0 as usize][place];
            let row = system.control.pds.rule_at(id);
            match row.kind {
                // p' –γ'→ q  and  <p,γ> ↪ <p',γ'>     gives  p –γ→ q
                RuleKind::Step(_) => {
                    let before = system.before_swap(id, &fresh)?;
                    let before = self.allowed(row.from, before)?;
                    self.arrive(row.from, to, before)?;
                }
                RuleKind::Call(_, site) => self.half(id, site, to, &fresh)?,
                RuleKind::Pop(_) => {}
            }
        }
        // Calls that have come back to this head.
        for place in 0..self.waiting.get(&head).map_or(0, Vec::len) {
            let half = self.waiting[&head][place];
            let (rule, set) = (self.halves[half as usize].rule, self.halves[half as usize].set.all().clone());
            self.whole(rule, &set, &fresh, to)?;
        }
        Ok(())
    }

    /// p' –γ'→ q  and  q –γ''→ q'  and  `<p,γ> ↪ <p',γ'γ''>`  gives  p –γ→ q'
    fn half(&mut self, rule: RuleId, site: SymbolId, to: End, callee: &Relation) -> Result<()> {
        let (system, space) = (self.system, self.system.space);
        let carried = match to {
            End::Control(_) => system.globals(),
            End::State(state) => self.carried[state.0 as usize],
        };
        let up = space.renaming(system.bits(carried).into_iter().map(|bit| (bit, At::Entry, At::Next)));
        let calls = space.rename(&system.before_callee(rule, callee)?, up)?;
        let calls = self.allowed(system.control.pds.rule_at(rule).from, calls)?;
        if space.is_empty(&calls) {
            return Ok(());
        }
        match to {
            End::State(state) => {
                for (next, values) in self.inner.get(&(state, site)).cloned().unwrap_or_default() {
                    let before = system.before_site(rule, carried, &calls, &values)?;
                    let from = system.control.pds.rule_at(rule).from;
                    self.arrive(from, End::State(next), before)?;
                }
            }
            End::Control(control) => {
                // Where nothing is known of the return site nothing ever will be: no rule leads on.
                let Some(back) = system.control.pds.find(model::Head { control, symbol: site }) else { return Ok(()) };
                let halves = &mut self.halves;
                let index = *self.half_of.entry((rule, control)).or_insert_with(|| {
                    halves.push(Half { rule, set: Growing::new(space) });
                    self.waiting.entry(back).or_default().push(halves.len() as u32 - 1);
                    halves.len() as u32 - 1
                });
                let Some(new) = self.halves[index as usize].set.grow(space, &calls)? else { return Ok(()) };
                for place in 0..self.of_head[back.0 as usize].len() {
                    let edge = &self.edges[self.of_head[back.0 as usize][place] as usize];
                    let (next, set) = (edge.to, edge.set.all().clone());
                    self.whole(rule, &new, &set, next)?;
                }
            }
        }
        Ok(())
    }

    /// A call that returns in a control location, and an edge from there.
    fn whole(&mut self, rule: RuleId, half: &Relation, back: &Relation, to: End) -> Result<()> {
        let system = self.system;
        if system.space.is_empty(back) {
            return Ok(());
        }
        let up = system.bits(system.globals()).into_iter().map(|bit| (bit, At::Now, At::Next));
        let back = system.space.rename(back, system.space.renaming(up))?;
        let before = system.before_site(rule, system.globals(), half, &back)?;
        self.arrive(system.control.pds.rule_at(rule).from, to, before)
    }
}

impl System<'_> {
    /// ∃W1. R ∧ P\[W0→W1\]: before a step into what P is true of. The mark is a bit like any other here.
    pub fn before_swap(&self, rule: RuleId, after: &Relation) -> Result<Relation> {
        let (space, row) = (self.space, self.control.pds.rule_at(rule));
        let Some(relation) = self.relations.rule(rule) else { return Ok(space.bottom()) };
        let up = self.bits(row.writes).into_iter().map(|bit| (bit, At::Now, At::Next));
        let after = space.rename(after, space.renaming(up))?;
        space.and_exists(relation, &after, space.vars(self.columns(row.writes, At::Next).iter().copied()))
    }

    /// ∃f1,W1. R ∧ (∃L0∖formals. P)\[formals, W: 0→1\]: before a call of what P is true of at its entry. What P says of
    /// Entry stays, and so does what the rule says of Saved.
    pub fn before_callee(&self, rule: RuleId, callee: &Relation) -> Result<Relation> {
        let (space, row) = (self.space, self.control.pds.rule_at(rule));
        let Some(relation) = self.relations.rule(rule) else { return Ok(space.bottom()) };
        let free = self.columns(self.without(self.slots(), row.formals), At::Now);
        let callee = space.exists(callee, space.vars(free.iter().copied()))?;
        let assigned = self.union(row.writes, row.formals);
        let up = self.bits(assigned).into_iter().map(|bit| (bit, At::Now, At::Next));
        let callee = space.rename(&callee, space.renaming(up))?;
        space.and_exists(relation, &callee, space.vars(self.columns(assigned, At::Next).iter().copied()))
    }

    /// ∃ carried1, saved3. A ∧ Q\[saved: 0→3\], where A is a call as far as its return and Q what is true of the frame it
    /// returns to; both have in Next what is known between them.
    pub fn before_site(&self, rule: RuleId, carried: SetId, calls: &Relation, below: &Relation) -> Result<Relation> {
        let (space, saved) = (self.space, self.control.pds.rule_at(rule).saved);
        let mut gone = self.columns(carried, At::Next).to_vec();
        if saved == SetId::EMPTY {
            return space.and_exists(calls, below, space.vars(gone));
        }
        // A rename 0→3 would cross the copies between: the diagonal does it.
        let bits = self.bits(saved);
        let diagonal = space.identity(bits.iter().copied(), At::Now, At::Saved)?;
        let old = space.vars(bits.iter().map(|&bit| (bit, At::Now)));
        let below = space.and_exists(below, &diagonal, old)?;
        gone.extend(bits.iter().map(|&bit| (bit, At::Saved)));
        space.and_exists(calls, &below, space.vars(gone))
    }
}
