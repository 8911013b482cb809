//! The head graph, and whether a run can go round in it for ever.
//!
//! A head ⟨p,γ⟩ with values *repeats* if from it, with anything below, a configuration with the same head and values can
//! be reached without ever returning below it; a system has an infinite run iff a reachable head repeats (Esparza &
//! Schwoon, CAV 2001, §2.2, Theorem 1), and an accepting one iff it repeats with the automaton's mark on the way. The
//! graph has an edge for each step, for each entry into a call, and for each call that returns: its rules are those of
//! post*, its calls the summaries that post* has found, its values those that post* has reached.
//!
//! [`rough`] splits it by control alone; inside each component `hull`, `closure`, `squaring` or `lockstep` decide with
//! values ([`methods`]). [`backward`] is the same graph over all values, reached or not, with the calls that pre* has found.

pub mod backward;
mod closure;
mod fixpoint;
mod hull;
mod lockstep;
pub mod methods;
mod projection;
pub mod rough;
mod squaring;

use std::collections::BTreeMap;
use std::ops::Range;

use spds_format::model::ControlId;

use crate::bdd::{At, Relation, SetsBy};
use crate::flow::StateId;
use crate::limits::Stop;
use crate::options::Switch;
use crate::pds::{HeadId, RuleId, RuleKind};
use crate::saturation::preimages::Met;
use crate::saturation::transitions::{Dead, Transition};
use crate::saturation::{PostStar, System};
use rough::Rough;

/// Sets of values by head (over Now, the mark left out).
pub type HeadSets = SetsBy<HeadId>;

/// Whether a cycle has to meet the mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycles {
    /// Any cycle will do.
    All,
    /// It has to.
    Marked,
}

/// An edge of the head graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins.
    pub from: HeadId,
    /// Where it ends.
    pub to: HeadId,
    /// The rule.
    pub rule: RuleId,
    /// What becomes of the stack.
    pub way: Way,
}

/// What an edge does to the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A step.
    Step,
    /// Into the call that makes this state; it stays pending.
    Enter(StateId),
    /// Through a call that made this state and returned in that control location.
    Through(StateId, ControlId),
}

/// The edges from a head among what has been reached.
pub fn edges_from(post: &PostStar<'_, '_>, from: HeadId, mut edge: impl FnMut(Edge)) {
    let system = post.system();
    let control = system.control;
    for rule in control.pds.rules_of(from) {
        if system.relations.rule(rule).is_none() {
            continue;
        }
        match control.pds.rule_at(rule).kind {
            RuleKind::Step(to) if post.reaches(to) => edge(Edge { from, to, rule, way: Way::Step }),
            RuleKind::Step(_) | RuleKind::Pop(_) => {}
            RuleKind::Call(entry, site) => {
                let Some(callee) = control.flow.state_of_entry(entry) else { continue };
                if post.reaches(entry) {
                    edge(Edge { from, to: entry, rule, way: Way::Enter(callee) });
                }
                for (p, to) in system.return_heads(entry, site) {
                    if post.reaches(to) && post.summary(callee, p).is_some() {
                        edge(Edge { from, to, rule, way: Way::Through(callee, p) });
                    }
                }
            }
        }
    }
}

impl Edge {
    /// The values (over Now) from which it leads into a set, with the mark met on it if it must be.
    fn before(&self, post: &PostStar<'_, '_>, after: &Relation, met: Met) -> Result<Relation, Stop> {
        let system = post.system();
        match self.way {
            Way::Step => system.before_step(self.rule, self.to, after, met),
            Way::Enter(_) => system.before_entry(self.rule, after, met),
            Way::Through(callee, control) => match post.summary(callee, control) {
                Some(summary) => system.before_return(self.rule, callee, summary, self.to, after, met),
                None => Ok(system.space.bottom()),
            },
        }
    }

    /// What it leads to; copy Entry and the mark go along.
    fn after(&self, post: &PostStar<'_, '_>, set: &Relation) -> Result<Relation, Stop> {
        let system = post.system();
        match self.way {
            Way::Step => system.step(self.rule, self.to, set),
            Way::Enter(callee) => system.enter(callee, self.to, &system.call(self.rule, callee, set)?),
            Way::Through(callee, control) => match post.summary(callee, control) {
                Some(summary) => system.join(callee, summary, &system.call(self.rule, callee, set)?, self.to),
                None => Ok(system.space.bottom()),
            },
        }
    }

    /// The values before and after it, with something else in place of the summary of a call that it passes; `None` if that
    /// call does not return.
    fn transition(
        &self,
        post: &PostStar<'_, '_>,
        summary: impl FnOnce(&Relation) -> Result<Relation, Stop>,
    ) -> Result<Option<Transition>, Stop> {
        let system = post.system();
        let transition = match self.way {
            Way::Step => system.step_transition(self.rule, self.to, Dead::Forgotten)?,
            Way::Enter(_) => system.enter_transition(self.rule, self.to)?,
            Way::Through(callee, control) => match post.summary(callee, control) {
                Some(known) => system.through_transition(self.rule, callee, &summary(known)?, self.to)?,
                None => return Ok(None),
            },
        };
        Ok(Some(transition))
    }
}

/// What is looked for: cycles in a component.
#[derive(Clone, Copy)]
pub struct Search<'g, 's, 'a> {
    /// What has been reached.
    pub post: &'g PostStar<'s, 'a>,
    /// Where.
    pub component: &'g Component,
    /// The values that cycles may use.
    pub inside: &'g HeadSets,
    /// The same, if they are those that are reached and in one set.
    pub region: Option<&'g Relation>,
    /// Which cycles.
    pub cycles: Cycles,
    /// Whether steps that change a variable which changes in one direction only are known to lie on no cycle.
    pub one_way: Switch,
}

/// The part of the head graph in one rough component, with the values reached there.
pub struct Component {
    /// Its number.
    pub number: u32,
    /// Its heads.
    pub heads: Vec<HeadId>,
    /// The edges inside it, those of a head side by side.
    pub edges: Vec<Edge>,
    /// Where those of each head are.
    places: BTreeMap<HeadId, Range<usize>>,
    /// The values with which its heads are reached, at heads that are not kept those that can be come to from inside.
    pub values: HeadSets,
}

impl Component {
    /// Collects a component. `reached` holds the values of kept heads, for all of the graph.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn new(post: &PostStar<'_, '_>, rough: &Rough, number: u32, reached: &HeadSets) -> Result<Component, Stop> {
        let system = post.system();
        let mut heads = rough.members(number).to_vec();
        heads.sort_unstable_by_key(|head| (system.control.rank[head.0 as usize], *head));
        let mut edges = Vec::new();
        let mut places = BTreeMap::new();
        for &head in &heads {
            let first = edges.len();
            edges_from(post, head, |edge| {
                if rough.of(edge.to) == number {
                    edges.push(edge);
                }
            });
            places.insert(head, first..edges.len());
        }
        let mut values = HeadSets::new();
        for &head in &heads {
            if let Some(set) = reached.get(&head) {
                values.set(system.space, head, set.clone());
            }
        }
        // Heads that are not kept come after all that leads to them.
        for &head in &heads {
            let own: &[Edge] = &edges[places[&head].clone()];
            let Some(set) = values.get(&head).cloned() else { continue };
            for edge in own.iter().filter(|edge| edge.way == Way::Step && !post.keeps(edge.to)) {
                let image = without_mark(system, &system.step(edge.rule, edge.to, &system.unmarked(&set)?)?)?;
                values.add(system.space, edge.to, image)?;
            }
        }
        Ok(Component { number, heads, edges, places, values })
    }

    /// The edges from a head.
    pub fn edges_of(&self, head: HeadId) -> &[Edge] {
        self.places.get(&head).map_or(&[], |place| &self.edges[place.clone()])
    }

    /// Those of its values that are in a set, at each head.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn within(&self, system: &System<'_>, set: &Relation) -> Result<HeadSets, Stop> {
        self.values.each(system.space, |_, values| system.space.and(values, set))
    }
}

/// The values with which kept heads are reached, whatever the call and the mark.
///
/// # Errors
/// If a limit is met.
pub fn reached(post: &PostStar<'_, '_>, wanted: impl Fn(HeadId) -> bool) -> Result<HeadSets, Stop> {
    let system = post.system();
    let all = system.union(system.globals(), system.slots());
    let tags = system.columns(all, At::Entry);
    let marks = system.columns(system.mark(), At::Now);
    let gone = system.space.vars(tags.iter().chain(marks.iter()).copied());
    let mut sets = HeadSets::new();
    for (head, set) in post.edges().filter(|(head, _)| wanted(*head)) {
        sets.add(system.space, head, system.space.exists(set, gone)?)?;
    }
    Ok(sets)
}

/// ∃m0. S
fn without_mark(system: &System<'_>, set: &Relation) -> Result<Relation, Stop> {
    system.space.exists(set, system.space.vars(system.columns(system.mark(), At::Now).iter().copied()))
}
