//! The hull: the values from which a run can go round for ever inside a component.
//!
//! νZ. Z ∧ pre(Z) for any cycle, νZ. μY. Z ∧ (pre_marked(Z) ∪ pre(Y)) for those that meet the mark (Emerson & Lei, LICS
//! 1986), with the sets trimmed to what has a successor before each round, as in the one-way-catch-them-young algorithm
//! (Fisler, Fraer, Kamhi, Vardi & Yang, TACAS 2001). Every value left leads to a cycle, and is one that post* has reached.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cycles, Edge, HeadSets, Part, Way};
use crate::bdd::Relation;
use crate::limits::Stop;
use crate::pds::HeadId;
use crate::saturation::PostStar;
use crate::saturation::preimages::Met;

type Result<T> = std::result::Result<T, Stop>;

/// The values of `within` from which a run can go round for ever in that part of the graph. Empty if there is no cycle.
///
/// # Errors
/// If a limit is met.
pub fn hull(post: &PostStar<'_, '_>, part: &Part, within: HeadSets, cycles: Cycles) -> Result<HeadSets> {
    let graph = Graph::new(post, part);
    let mut all = graph.trim(within)?;
    while cycles == Cycles::Marked && !all.is_empty() {
        let mut some = graph.leading_to_mark(&all)?;
        some = graph.trim(some)?;
        if some == all {
            break;
        }
        all = some;
    }
    Ok(all)
}

struct Graph<'g, 's, 'a> {
    post: &'g PostStar<'s, 'a>,
    part: &'g Part,
    from: BTreeMap<HeadId, Vec<&'g Edge>>,
    to: BTreeMap<HeadId, Vec<&'g Edge>>,
    /// The order of work: ends of ways first.
    order: BTreeMap<HeadId, usize>,
}

impl<'g, 's, 'a> Graph<'g, 's, 'a> {
    fn new(post: &'g PostStar<'s, 'a>, part: &'g Part) -> Self {
        let (mut from, mut to) = (BTreeMap::<HeadId, Vec<&Edge>>::new(), BTreeMap::<HeadId, Vec<&Edge>>::new());
        for edge in &part.edges {
            from.entry(edge.from).or_default().push(edge);
            to.entry(edge.to).or_default().push(edge);
        }
        let order = part.heads.iter().rev().enumerate().map(|(place, &head)| (head, place)).collect();
        Graph { post, part, from, to, order }
    }

    /// νZ. Z ∧ pre(Z)
    fn trim(&self, mut sets: HeadSets) -> Result<HeadSets> {
        let space = self.post.system().space;
        let mut work: BTreeSet<(usize, HeadId)> =
            self.part.heads.iter().map(|head| (self.order[head], *head)).collect();
        // The heads whose set has changed since an edge to them was looked at.
        let mut before: BTreeMap<(HeadId, usize), Relation> = BTreeMap::new();
        let mut rounds = 0u32;
        while let Some((_, head)) = work.pop_first() {
            let Some(set) = sets.get(&head).cloned() else { continue };
            let mut left = space.bottom();
            for (number, edge) in self.from.get(&head).into_iter().flatten().enumerate() {
                let Some(after) = sets.get(&edge.to) else { continue };
                let known = before.get(&(head, number)).filter(|_| edge.to != head);
                let some = match known {
                    Some(some) => some.clone(),
                    None => {
                        let some = self.before(edge, after, Met::Whatever)?;
                        before.insert((head, number), some.clone());
                        some
                    }
                };
                left = space.or(&left, &some)?;
            }
            let left = space.and(&set, &left)?;
            if left == set {
                continue;
            }
            sets.set(space, head, left);
            for edge in self.to.get(&head).into_iter().flatten() {
                let number = self.from[&edge.from].iter().position(|other| std::ptr::eq(*other, *edge));
                before.remove(&(edge.from, number.expect("every edge begins somewhere")));
                work.insert((self.order[&edge.from], edge.from));
            }
            rounds += 1;
            if rounds.is_multiple_of(64) {
                space.check()?;
            }
        }
        Ok(sets)
    }

    /// μY. Z ∧ (pre_marked(Z) ∪ pre(Y))
    fn leading_to_mark(&self, all: &HeadSets) -> Result<HeadSets> {
        let space = self.post.system().space;
        let mut found = HeadSets::new();
        let mut fresh = HeadSets::new();
        for edge in &self.part.edges {
            let (Some(set), Some(after)) = (all.get(&edge.from), all.get(&edge.to)) else { continue };
            let some = space.and(set, &self.before(edge, after, Met::OnTheWay)?)?;
            fresh.add(space, edge.from, some)?;
        }
        let mut rounds = 0u32;
        loop {
            let next = fresh.keys().min_by_key(|head| self.order[head]);
            let Some((head, set)) = next.and_then(|head| Some((head, fresh.take(&head)?))) else { return Ok(found) };
            let known = found.get(&head).cloned().unwrap_or_else(|| space.bottom());
            let new = space.and_not(&set, &known)?;
            if space.is_empty(&new) {
                continue;
            }
            found.add(space, head, new.clone())?;
            for edge in self.to.get(&head).into_iter().flatten() {
                let Some(set) = all.get(&edge.from) else { continue };
                let some = space.and(set, &self.before(edge, &new, Met::Whatever)?)?;
                fresh.add(space, edge.from, some)?;
            }
            rounds += 1;
            if rounds.is_multiple_of(64) {
                space.check()?;
            }
        }
    }

    fn before(&self, edge: &Edge, after: &Relation, met: Met) -> Result<Relation> {
        let system = self.post.system();
        match edge.way {
            Way::Step => system.before_step(edge.rule, edge.to, after, met),
            Way::Enter(_) => system.before_entry(edge.rule, after, met),
            Way::Through(callee, control) => match self.post.summary(callee, control) {
                Some(summary) => system.before_return(edge.rule, callee, summary, edge.to, after, met),
                None => Ok(system.space.bottom()),
            },
        }
    }
}
