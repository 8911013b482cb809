//! Whether no run goes on for ever: 8 to 11.

use std::collections::BTreeSet;

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;
use spds_format::RulesByHead;
use spds_format::model::{Head, Stack};

use super::gap::Missing;
use super::sets::Family;
use super::{Checker, Gap, Place, Result, Tag};
use crate::bdd::{At, Bit, Relation};

impl Checker<'_> {
    /// The first question about circles whose answer is no.
    pub(super) fn rounds(&mut self, rules: &RulesByHead, cuts: &[Head]) -> Result<Option<Gap>> {
        let mut graph = self.control(rules)?;
        for (number, circle) in circles(&graph).into_iter().enumerate() {
            self.circles.extend(circle.into_iter().map(|head| (head, number)));
        }
        let cuts: BTreeSet<Head> = cuts.iter().copied().filter(|cut| self.circles.contains_key(cut)).collect();
        cuts.iter().for_each(|cut| {
            graph.remove_node(*cut);
        });
        if let Some(head) = circles(&graph).into_iter().flatten().min() {
            let family = Family::Round(head);
            return self
                .lacking(None, None, &Missing { family, place: Place::Uncut(head), values: &self.space.top() })
                .map(Some);
        }
        for cut in cuts {
            if let Some(gap) = self.round(rules, cut)? {
                return Ok(Some(gap));
            }
        }
        Ok(None)
    }

    /// The heads of which something is known, and to which of them control goes from each. What rests at the end goes nowhere.
    fn control(&mut self, rules: &RulesByHead) -> Result<DiGraphMap<Head, ()>> {
        let space = self.space;
        let known = |sets: &Relation| !space.is_empty(sets);
        let heads = self.sets.reached.values().flatten().filter(|(_, set)| known(set)).map(|(head, _)| *head);
        let heads: BTreeSet<Head> = heads.collect();
        let spds = self.spds;
        let rests = |head: &Head| [spds.end, spds.fail].contains(&Some(head.symbol));
        let mut graph = DiGraphMap::new();
        for &from in heads.iter().filter(|head| !rests(head)) {
            graph.add_node(from);
            for rule in rules.of(from) {
                // A rule that can never be taken is none.
                if space.is_empty(&self.effect(rule)?.relation) {
                    continue;
                }
                let rule = &spds.rules[rule];
                let mut to = Vec::new();
                match rule.stack {
                    Stack::Pop => {}
                    Stack::Swap(symbol) => to.push(Head { control: rule.to, symbol }),
                    Stack::Push(symbol, site) => {
                        let entry = Head { control: rule.to, symbol };
                        to.push(entry);
                        let returned = self.sets.returned.get(&Tag::Entry(entry)).into_iter().flatten();
                        let controls = returned.filter(|(_, set)| known(set)).map(|(control, _)| *control);
                        to.extend(controls.map(|control| Head { control, symbol: site }));
                    }
                }
                for to in to.into_iter().filter(|to| heads.contains(to)) {
                    graph.add_edge(from, to, ());
                }
            }
        }
        Ok(graph)
    }

    /// From a cut, whether its sets are closed under what rules do, and no run comes back to the same values.
    fn round(&mut self, rules: &RulesByHead, cut: Head) -> Result<Option<Gap>> {
        let (space, family) = (self.space, Family::Round(cut));
        let width = self.columns.width(self.spds.symbol(cut.symbol).frame);
        let same = space.identity((0..width).map(Bit), At::Now, At::Entry)?;
        let mut values = space.bottom();
        for set in self.sets.reached.values().filter_map(|heads| heads.get(&cut)) {
            values = space.or(&values, &space.exists(set, self.vars(0..self.columns.bits, At::Entry))?)?;
        }
        let begin = space.and(&values, &same)?;
        if let Some(gap) = self.steps(rules, family, cut, &begin)? {
            return Ok(Some(gap));
        }
        for (head, set) in self.sets.again.get(&cut).cloned().unwrap_or_default() {
            if self.circles.get(&head) != self.circles.get(&cut) {
                continue;
            }
            if let Some(gap) = self.steps(rules, family, head, &set)? {
                return Ok(Some(gap));
            }
        }
        let again = space.and(&self.sets.of(space, family, cut), &same)?;
        if space.is_empty(&again) {
            return Ok(None);
        }
        self.lacking(None, None, &Missing { family, place: Place::Again(cut), values: &again }).map(Some)
    }
}

/// The circles of a graph, joined where they meet.
fn circles(graph: &DiGraphMap<Head, ()>) -> Vec<Vec<Head>> {
    let mut circles = kosaraju_scc(graph);
    circles.retain(|heads| heads.len() > 1 || heads.iter().any(|head| graph.contains_edge(*head, *head)));
    circles
}
