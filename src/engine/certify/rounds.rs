//! Whether no run goes on for ever, or does so with steps that count: 8 to 11.

use std::collections::BTreeSet;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::RulesByHead;
use spds_format::model::{Head, Stack, SymbolId};

use super::gap::Missing;
use super::sets::Family;
use super::{Checker, Counted, Gap, Place, Result, Tag};
use crate::bdd::{At, Bit, Relation};

/// Where control goes, between the places of heads in a list, and whether a step that counts may be on the way.
pub(super) struct Way {
    pub from: u32,
    pub to: u32,
    pub counts: bool,
}

impl Checker<'_> {
    /// The first question about circles whose answer is no.
    pub(super) fn rounds(&mut self, rules: &RulesByHead, cuts: &[Head]) -> Result<Option<Gap>> {
        let heads = self.sets.heads(self.space);
        let ways = self.control(rules, &heads)?;
        self.circles = Circles::new(&heads, ways, cuts);
        if let Some(head) = self.circles.uncut {
            let family = Family::Round(head);
            return self
                .lacking(None, None, &Missing { family, place: Place::Uncut(head), values: &self.space.top() })
                .map(Some);
        }
        for cut in self.circles.cuts() {
            if let Some(gap) = self.round(rules, cut)? {
                return Ok(Some(gap));
            }
        }
        Ok(None)
    }

    /// To which of the heads of which something is known control goes from each, in their order. What rests at the end goes nowhere.
    fn control(&mut self, rules: &RulesByHead, heads: &[Head]) -> Result<Vec<Way>> {
        let space = self.space;
        let spds = self.spds;
        let rests = |head: &Head| [spds.end, spds.fail].contains(&Some(head.symbol));
        let mut steps = Vec::new();
        for (place, &from) in (0..).zip(heads).filter(|(_, head)| !rests(head)) {
            // From where steps count.
            let values = match self.counted {
                Some(Counted::Met(met)) => {
                    let values = self.values(from)?;
                    Some(space.and(&values, &space.literal((met, At::Now), false)?)?)
                }
                _ => None,
            };
            let invariant = self.invariant(from.symbol)?;
            for number in rules.of(from) {
                space.charge(1)?;
                // A rule that can never be taken is none.
                if space.is_empty(&space.and(&self.effect(number)?.relation, &invariant)?) {
                    continue;
                }
                for (to, counts) in self.leads(number, values.as_ref())? {
                    space.charge(1)?;
                    if let Ok(to) = heads.binary_search(&to) {
                        steps.push(Way { from: place, to: to as u32, counts });
                    }
                }
            }
        }
        Ok(steps)
    }

    /// To which heads control goes by a rule, and whether a step that counts may be on the way if these are the values before.
    fn leads(&mut self, number: usize, values: Option<&Relation>) -> Result<Vec<(Head, bool)>> {
        let space = self.space;
        let rule = &self.spds.rules[number];
        let mut to = Vec::new();
        match rule.stack {
            Stack::Pop => {}
            Stack::Swap(symbol) => {
                let effect = self.effect(number)?;
                let after = values.map(|values| self.after(values, &effect)).transpose()?;
                let head = Head { control: rule.to, symbol };
                to.push((head, self.counts(after.as_ref(), At::Now, Some(symbol))?));
            }
            Stack::Push(symbol, site) => {
                let entry = Head { control: rule.to, symbol };
                let call = values.map(|values| self.called(values, number, rule, entry)).transpose()?;
                to.push((entry, self.counts(call.as_ref(), At::Next, None)?));
                let returned = self.sets.all_returned(Tag::Entry(entry));
                for (control, summary) in returned.into_iter().filter(|(_, set)| !space.is_empty(set)) {
                    let after = call.as_ref().map(|call| self.through(call, entry, &summary)).transpose()?;
                    let head = Head { control, symbol: site };
                    to.push((head, self.counts(after.as_ref(), At::Now, Some(site))?));
                }
            }
        }
        Ok(to)
    }

    /// Whether among these values, in this copy, are some after a step that counts; nothing if all do.
    fn counts(&mut self, after: Option<&Relation>, at: At, symbol: Option<SymbolId>) -> Result<bool> {
        let (Some(Counted::Met(met)), Some(after)) = (self.counted, after) else { return Ok(true) };
        let space = self.space;
        let mut turned = space.and(after, &space.literal((met, at), true)?)?;
        if let Some(symbol) = symbol {
            turned = space.and(&turned, &self.invariant(symbol)?)?;
        }
        Ok(!space.is_empty(&turned))
    }

    /// The values with which a head is reached, in whatever part of the stack.
    fn values(&self, head: Head) -> Result<Relation> {
        let space = self.space;
        let mut values = space.bottom();
        for set in self.sets.everywhere(head) {
            values = space.or(&values, &space.exists(set, self.vars(0..self.columns.bits, At::Entry))?)?;
        }
        Ok(values)
    }

    /// From a cut, whether its sets are closed under what rules do, and no run comes back to the same values by a step that counts.
    fn round(&mut self, rules: &RulesByHead, cut: Head) -> Result<Option<Gap>> {
        let (space, family) = (self.space, Family::Round(cut));
        let width = self.columns.width(self.spds.symbol(cut.symbol).frame);
        let mut begin = self.values(cut)?;
        let mut same = space.identity((0..width).map(Bit), At::Now, At::Entry)?;
        let mut excluded = same.clone();
        if let Some(Counted::Met(met)) = self.counted {
            let [no, yes] = [space.literal((met, At::Entry), false)?, space.literal((met, At::Now), true)?];
            same = space.and(&same, &no)?;
            excluded = space.identity((0..width).map(Bit).filter(|bit| *bit != met), At::Now, At::Entry)?;
            excluded = space.and(&excluded, &space.and(&no, &yes)?)?;
        }
        begin = space.and(&begin, &same)?;
        if let Some(gap) = self.steps(rules, family, cut, &begin)? {
            return Ok(Some(gap));
        }
        for (head, set) in self.sets.all_again(cut) {
            if !self.circles.has(cut, head) {
                continue;
            }
            if self.steps(rules, family, head, &set)?.is_none() {
                continue;
            }
            // Mostly that is enough. Else it counts that values are among those that are reached at all.
            let known = space.and(&set, &self.values(head)?)?;
            if let Some(gap) = self.steps(rules, family, head, &known)? {
                return Ok(Some(gap));
            }
        }
        let again = space.and(&self.sets.of(space, family, cut), &excluded)?;
        if space.is_empty(&again) {
            return Ok(None);
        }
        self.lacking(None, None, &Missing { family, place: Place::Again(cut), values: &again }).map(Some)
    }
}

/// The circles of control, and where they are cut.
#[derive(Default)]
pub(super) struct Circles {
    /// For each cut that lies on some circle without those that come before it: the heads on such circles, joined where they meet.
    inside: FxHashMap<Head, FxHashSet<Head>>,
    /// A head on a circle without cuts on which a step that counts may be.
    pub uncut: Option<Head>,
}

impl Circles {
    /// Of these heads and the ways between them. Cuts come in an order.
    pub fn new(heads: &[Head], mut ways: Vec<Way>, cuts: &[Head]) -> Circles {
        ways.sort_unstable_by_key(|way| (way.from, way.to));
        ways.dedup_by(|next, way| {
            let is_same = (next.from, next.to) == (way.from, way.to);
            way.counts |= is_same && next.counts;
            is_same
        });
        ways.shrink_to_fit();
        let mut places: FxHashMap<Head, usize> = FxHashMap::default();
        for (place, cut) in cuts.iter().enumerate() {
            places.entry(*cut).or_insert(place);
        }
        let mut circles = Circles::default();
        let mut work = joined(heads.len(), &ways);
        while let Some(members) = work.pop() {
            let head = |member: &u32| heads[*member as usize];
            let first = members.iter().filter_map(|member| Some((*places.get(&head(member))?, *member))).min();
            let rest: Vec<u32> =
                members.iter().copied().filter(|member| first.is_none_or(|(_, cut)| *member != cut)).collect();
            let between = between(&rest, &ways);
            match first {
                Some((_, cut)) => {
                    let inner = joined(rest.len(), &between).into_iter();
                    work.extend(inner.map(|circle| circle.into_iter().map(|place| rest[place as usize]).collect()));
                    circles.inside.insert(head(&cut), members.iter().map(head).collect());
                }
                None if between.iter().any(|way| way.counts) => {
                    circles.uncut = circles.uncut.into_iter().chain(members.iter().map(head)).min();
                }
                None => {}
            }
        }
        circles
    }

    /// The cuts that lie on some.
    pub fn cuts(&self) -> BTreeSet<Head> {
        self.inside.keys().copied().collect()
    }

    /// Whether a head is on a circle with a cut that meets no cut before it.
    pub fn has(&self, cut: Head, head: Head) -> bool {
        self.inside.get(&cut).is_some_and(|heads| heads.contains(&head))
    }
}

/// The ways between some of the heads, which are sorted, by their places among these, and in the same order.
fn between(some: &[u32], ways: &[Way]) -> Vec<Way> {
    let mut between = Vec::new();
    for (place, from) in (0..).zip(some) {
        let begin = ways.partition_point(|way| way.from < *from);
        for way in ways[begin..].iter().take_while(|way| way.from == *from) {
            if let Ok(to) = some.binary_search(&way.to) {
                between.push(Way { from: place, to: to as u32, counts: way.counts });
            }
        }
    }
    between
}

/// The circles of a graph of so many heads, joined where they meet, each sorted; ways are sorted. Heads to which no circle leads are
/// taken away one after the other (Kahn), as are nearly all heads of most programs, before there is a graph.
fn joined(heads: usize, ways: &[Way]) -> Vec<Vec<u32>> {
    // How many ways lead to each head, from others that are there.
    let mut into = vec![0_u32; heads];
    ways.iter().for_each(|way| into[way.to as usize] += 1);
    let mut first: Vec<u32> = (0..heads as u32).filter(|head| into[*head as usize] == 0).collect();
    while let Some(from) = first.pop() {
        let begin = ways.partition_point(|way| way.from < from);
        for way in ways[begin..].iter().take_while(|way| way.from == from) {
            into[way.to as usize] -= 1;
            if into[way.to as usize] == 0 {
                first.push(way.to);
            }
        }
    }
    let left: Vec<u32> = (0..heads as u32).filter(|head| into[*head as usize] > 0).collect();
    let mut graph = DiGraph::<(), ()>::with_capacity(left.len(), 0);
    left.iter().for_each(|_| {
        graph.add_node(());
    });
    let node = |head: u32| left.binary_search(&head).ok().map(NodeIndex::<u32>::new);
    for way in ways.iter().filter(|way| into[way.from as usize] > 0) {
        if let (Some(from), Some(to)) = (node(way.from), node(way.to)) {
            graph.add_edge(from, to, ());
        }
    }
    let mut circles = kosaraju_scc(&graph);
    circles.retain(|nodes| nodes.len() > 1 || graph.contains_edge(nodes[0], nodes[0]));
    let sorted = circles.into_iter().map(|nodes| {
        let mut circle: Vec<u32> = nodes.into_iter().map(|node| left[node.index()]).collect();
        circle.sort_unstable();
        circle
    });
    sorted.collect()
}
