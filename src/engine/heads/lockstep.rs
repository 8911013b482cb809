//! Components of the graph of heads and values, one after another, by searching from a value forwards and backwards at the
//! same pace (Xie & Beerel, TCAD 2000; lockstep: Bloem, Gabow & Somenzi, FMCAD 2000).
//!
//! What both searches meet is a component; whichever search ends first bounds it, and the rest falls apart into two parts
//! that are searched in turn. Before that, as in Esparza & Schwoon (CAV 2001): where a variable only grows, or only shrinks,
//! all along a component of control, steps that change it lie on no cycle.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;

use super::{Cycles, HeadSets, Search};
use crate::bdd::{At, Relation};
use crate::limits::Stop;
use crate::options::Switch;
use crate::pds::{HeadId, SetId};
use crate::saturation::System;
use crate::saturation::transitions::Transition;

type Result<T> = std::result::Result<T, Stop>;

/// An edge without the mark: its transition, and the part of it that meets the mark.
#[derive(Clone)]
struct Link {
    from: HeadId,
    to: HeadId,
    way: Transition,
    marked: Relation,
}

/// See [`super::methods`]: a whole component of values.
pub fn lockstep(search: &Search<'_, '_, '_>) -> Result<HeadSets> {
    let graph = Graph { system: search.post.system() };
    let links = graph.links(search)?;
    let parts = match search.one_way {
        Switch::On => graph.without_one_way_steps(search.inside, links)?,
        Switch::Off => vec![(search.inside.clone(), links)],
    };
    for (sets, links) in parts {
        if let Some(found) = graph.search(sets, &links, search.cycles)? {
            return Ok(found);
        }
    }
    Ok(HeadSets::new())
}

struct Graph<'g, 'a> {
    system: &'g System<'a>,
}

impl Graph<'_, '_> {
    fn links(&self, search: &Search<'_, '_, '_>) -> Result<Vec<Link>> {
        let (system, space) = (self.system, self.system.space);
        let mut links = Vec::new();
        for edge in &search.component.part.edges {
            let inside = search.inside;
            let (Some(from), Some(_)) = (inside.get(&edge.from), inside.get(&edge.to)) else { continue };
            let Some(way) = edge.transition(search.post, |summary| Ok(summary.clone()))? else { continue };
            let relation = system.unmarked(&space.and(&way.relation, from)?)?;
            let marks = [At::Now, At::Next].map(|at| system.columns(system.mark(), at).to_vec());
            let gone = space.vars(marks.concat());
            let marked = match system.control.pds.layout.mark() {
                Some(mark) if system.meet(way.writes, system.mark()) != SetId::EMPTY => {
                    space.and_exists(&relation, &space.literal((mark, At::Next), true)?, gone)?
                }
                _ => space.bottom(),
            };
            let relation = space.exists(&relation, gone)?;
            let writes = system.without(way.writes, system.mark());
            links.push(Link { from: edge.from, to: edge.to, way: Transition { relation, writes }, marked });
        }
        Ok(links)
    }

    /// The first component found that has a cycle of the kind.
    fn search(&self, sets: HeadSets, links: &[Link], cycles: Cycles) -> Result<Option<HeadSets>> {
        let mut open = vec![sets];
        while let Some(sets) = open.pop() {
            let sets = self.trim(sets, links)?;
            let Some(seed) = self.seed(&sets)? else { continue };
            let (bound, component) = self.component(&sets, &seed, links)?;
            if self.has_cycle(&component, links, cycles)? {
                return Ok(Some(component));
            }
            open.push(bound.difference(self.system.space, &component)?);
            open.push(sets.difference(self.system.space, &bound)?);
            self.system.space.check()?;
        }
        Ok(None)
    }

    /// Some value of some visible head.
    fn seed(&self, sets: &HeadSets) -> Result<Option<HeadSets>> {
        let (system, pds) = (self.system, &self.system.control.pds);
        let Some((head, set)) = sets.iter().find(|(head, _)| !pds.is_hidden(*head)) else { return Ok(None) };
        let columns = system.columns(system.without(system.live(head), system.mark()), At::Now);
        let least = system.space.least(&[set], [], &columns)?.expect("no set is empty");
        Ok(Some(HeadSets::one(system.space, head, system.space.cube(&least)?)))
    }

    /// The component of a value, and the set of what was searched to its end: forwards or backwards.
    fn component(&self, all: &HeadSets, seed: &HeadSets, links: &[Link]) -> Result<(HeadSets, HeadSets)> {
        let mut found = [seed.clone(), seed.clone()];
        let mut fresh = [seed.clone(), seed.clone()];
        let first = loop {
            for direction in [0, 1] {
                let next = self.step(&fresh[direction], links, direction, all)?;
                fresh[direction] = next.difference(self.system.space, &found[direction])?;
                found[direction] = found[direction].union(self.system.space, &fresh[direction])?;
            }
            if let Some(direction) = (0..2).find(|direction| fresh[*direction].is_empty()) {
                break direction;
            }
        };
        // The other search goes on inside the bound only.
        let bound = found[first].clone();
        let other = 1 - first;
        let mut inside = found[other].intersection(self.system.space, &bound)?;
        let mut fresh = fresh[other].intersection(self.system.space, &bound)?;
        while !fresh.is_empty() {
            let next = self.step(&fresh, links, other, &bound)?;
            fresh = next.difference(self.system.space, &inside)?;
            inside = inside.union(self.system.space, &fresh)?;
        }
        Ok((bound, inside))
    }

    fn has_cycle(&self, sets: &HeadSets, links: &[Link], cycles: Cycles) -> Result<bool> {
        let space = self.system.space;
        for link in links {
            let (Some(from), Some(to)) = (sets.get(&link.from), sets.get(&link.to)) else { continue };
            let relation = if cycles == Cycles::Marked { &link.marked } else { &link.way.relation };
            let way = Transition { relation: relation.clone(), writes: link.way.writes };
            if !space.is_empty(&space.and(&self.system.after(from, &way)?, to)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What has a predecessor and a successor.
    fn trim(&self, mut sets: HeadSets, links: &[Link]) -> Result<HeadSets> {
        loop {
            let mut less = sets.clone();
            for direction in [0, 1] {
                less = self.step(&less, links, direction, &less)?;
            }
            if less == sets {
                return Ok(sets);
            }
            sets = less;
        }
    }

    /// What one edge leads to (0), or what leads there (1), inside `all`.
    fn step(&self, sets: &HeadSets, links: &[Link], direction: usize, all: &HeadSets) -> Result<HeadSets> {
        let (system, space) = (self.system, self.system.space);
        let mut result = HeadSets::new();
        for link in links {
            let (near, far) = if direction == 0 { (link.from, link.to) } else { (link.to, link.from) };
            let (Some(set), Some(bound)) = (sets.get(&near), all.get(&far)) else { continue };
            let image = if direction == 0 { system.after(set, &link.way)? } else { system.before(&link.way, set)? };
            result.add(space, far, space.and(&image, bound)?)?;
        }
        Ok(result)
    }

    /// Without steps that change a variable which, all along a component of control, only grows or only shrinks. What is
    /// left falls apart into components again, and so on.
    fn without_one_way_steps(&self, sets: &HeadSets, links: Vec<Link>) -> Result<Vec<(HeadSets, Vec<Link>)>> {
        let mut done = Vec::new();
        let mut open = vec![links];
        while let Some(links) = open.pop() {
            for mut links in components(links) {
                if self.stand_still(&mut links)? {
                    links.retain(|link| !self.system.space.is_empty(&link.way.relation));
                    open.push(links);
                    continue;
                }
                let heads: BTreeSet<HeadId> = links.iter().map(|link| link.from).collect();
                let own = sets.each(self.system.space, |head, set| {
                    Ok(if heads.contains(&head) { set.clone() } else { self.system.space.bottom() })
                })?;
                done.push((own, links));
            }
        }
        Ok(done)
    }

    /// Makes steps keep a variable that changes in one direction only; whether that was news.
    fn stand_still(&self, links: &mut [Link]) -> Result<bool> {
        let (system, space) = (self.system, self.system.space);
        let mut news = false;
        for variable in system.scalars(links.iter().map(|link| link.from)) {
            let set = system.control.pds.sets.set(variable.iter().copied());
            if links.iter().any(|link| !system.control.pds.sets.subset(set, system.live(link.from))) {
                continue;
            }
            let mut ways = Vec::new();
            for link in links.iter() {
                ways.push(system.writing_also(&link.way, set)?);
            }
            if !system.course(&variable, &ways)?.is_one_way() {
                continue;
            }
            let same = space.identity(variable.iter().copied(), At::Now, At::Next)?;
            for (link, way) in links.iter_mut().zip(&ways) {
                let relation = space.and(&way.relation, &same)?;
                link.marked = space.and(&link.marked, &relation)?;
                link.way = Transition { relation, writes: way.writes };
            }
            news = true;
        }
        Ok(news)
    }
}

/// The components of control that have a cycle, as links inside them.
fn components(links: Vec<Link>) -> Vec<Vec<Link>> {
    let mut graph = DiGraphMap::<HeadId, ()>::new();
    links.iter().for_each(|link| {
        graph.add_edge(link.from, link.to, ());
    });
    let components = kosaraju_scc(&graph);
    let numbered =
        components.iter().enumerate().flat_map(|(number, heads)| heads.iter().map(move |head| (*head, number)));
    let of: BTreeMap<HeadId, usize> = numbered.collect();
    let mut parts: BTreeMap<usize, Vec<Link>> = BTreeMap::new();
    for link in links.into_iter().filter(|link| of[&link.from] == of[&link.to]) {
        parts.entry(of[&link.from]).or_default().push(link);
    }
    parts.into_values().collect()
}
