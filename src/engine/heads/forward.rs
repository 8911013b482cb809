//! The head graph among what post* has reached, with its summaries.

use super::HeadSets;
use super::graph::{Edge, Graph, Way};
use super::part::Part;
use super::rough::Rough;
use crate::bdd::{At, Relation};
use crate::flow::StateId;
use crate::limits::Stop;
use crate::pds::{HeadId, RuleKind};
use crate::saturation::preimages::Met;
use crate::saturation::transitions::{Dead, Transition};
use crate::saturation::{PostStar, System};

impl Graph for PostStar<'_, '_> {
    fn system(&self) -> &System<'_> {
        PostStar::system(self)
    }

    fn edges_from(&self, from: HeadId, edge: &mut dyn FnMut(Edge)) {
        let system = PostStar::system(self);
        let control = system.control;
        for rule in control.pds.rules_of(from).filter(|rule| system.relations.rule(*rule).is_some()) {
            match control.pds.kind_of(rule) {
                RuleKind::Step(to) if self.reaches(to) => edge(Edge { from, to, rule, way: Way::Step }),
                RuleKind::Step(_) | RuleKind::Pop(_) => {}
                RuleKind::Call(entry, site) => {
                    let Some(callee) = control.flow.state_of_entry(entry) else { continue };
                    if self.reaches(entry) {
                        edge(Edge { from, to: entry, rule, way: Way::Enter });
                    }
                    for (p, to) in system.return_heads(entry, site) {
                        if self.reaches(to) && self.summary(callee, p).is_some() {
                            edge(Edge { from, to, rule, way: Way::Through });
                        }
                    }
                }
            }
        }
    }

    fn before(&self, edge: &Edge, after: &Relation, met: Met) -> Result<Relation, Stop> {
        let system = PostStar::system(self);
        match edge.way {
            Way::Step => system.before_step(edge.rule, edge.to, after, met),
            Way::Enter => system.before_entry(edge.rule, after, met),
            Way::Through => match edge.returned(self) {
                Some((callee, summary)) => system.before_return(edge.rule, callee, summary, edge.to, after, met),
                None => Ok(system.space.bottom()),
            },
        }
    }
}

impl Edge {
    /// The state of the call that it enters or passes.
    fn callee(&self, system: &System<'_>) -> Option<StateId> {
        match system.control.pds.rule_at(self.rule).kind {
            RuleKind::Call(entry, _) => system.control.flow.state_of_entry(entry),
            RuleKind::Step(_) | RuleKind::Pop(_) => None,
        }
    }

    /// The call that it passes, with its summary.
    fn returned<'p>(&self, post: &'p PostStar<'_, '_>) -> Option<(StateId, &'p Relation)> {
        let system = post.system();
        let callee = self.callee(system)?;
        Some((callee, post.summary(callee, system.control.pds.head(self.to).control)?))
    }

    /// What it leads to; copy Entry and the mark go along.
    pub fn after(&self, post: &PostStar<'_, '_>, set: &Relation) -> Result<Relation, Stop> {
        let system = post.system();
        match self.way {
            Way::Step => system.step(self.rule, self.to, set),
            Way::Enter => match self.callee(system) {
                Some(callee) => system.enter(callee, self.to, &system.call(self.rule, callee, set)?),
                None => Ok(system.space.bottom()),
            },
            Way::Through => match self.returned(post) {
                Some((callee, summary)) => system.join(callee, summary, &system.call(self.rule, callee, set)?, self.to),
                None => Ok(system.space.bottom()),
            },
        }
    }

    /// The values before and after it, with something else in place of the summary of a call that it passes; `None` if that
    /// call does not return.
    pub(super) fn transition(
        &self,
        post: &PostStar<'_, '_>,
        summary: impl FnOnce(&Relation) -> Result<Relation, Stop>,
    ) -> Result<Option<Transition>, Stop> {
        let system = post.system();
        let transition = match self.way {
            Way::Step => system.step_transition(self.rule, self.to, Dead::Forgotten)?,
            Way::Enter => system.enter_transition(self.rule, self.to)?,
            Way::Through => match self.returned(post) {
                Some((callee, known)) => system.through_transition(self.rule, callee, &summary(known)?, self.to)?,
                None => return Ok(None),
            },
        };
        Ok(Some(transition))
    }
}

/// A part of it, with the values reached there.
pub struct Component {
    /// The part.
    pub part: Part,
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
        let part = Part::new(post, rough, number);
        let mut values = HeadSets::new();
        for &head in &part.heads {
            if let Some(set) = reached.get(&head) {
                values.set(system.space, head, set.clone());
            }
        }
        // Heads that are not kept come after all that leads to them.
        for &head in &part.heads {
            let Some(set) = values.get(&head).cloned() else { continue };
            for edge in part.edges_of(head).iter().filter(|edge| edge.way == Way::Step && !post.keeps(edge.to)) {
                let image = without_mark(system, &system.step(edge.rule, edge.to, &system.unmarked(&set)?)?)?;
                values.add(system.space, edge.to, image)?;
            }
        }
        Ok(Component { part, values })
    }

    /// Those of its values that are in a set, at each head.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn within(&self, system: &System<'_>, set: &Relation) -> Result<HeadSets, Stop> {
        self.values.each(system.space, |_, values| system.space.and(values, set))
    }
}

/// ∃m0. S
fn without_mark(system: &System<'_>, set: &Relation) -> Result<Relation, Stop> {
    system.space.exists(set, system.space.vars(system.columns(system.mark(), At::Now).iter().copied()))
}
