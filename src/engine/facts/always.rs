//! Which statements every run comes to, as far as control tells.
//!
//! A run of a procedure ends by a return, by a failure, or goes on for ever. With one point for all ends, which every point
//! on a cycle may lead to, the points that every run passes are those that dominate the end (Cooper, Harvey and Kennedy, *A
//! simple, fast dominance algorithm*, 2001). What is blocked is no run. Values are not looked at, but
//! for points that are known to be never reached: what is found is so, what is not found may be so all the same.

use std::collections::{HashMap, HashSet};

use petgraph::algo::dominators::simple_fast;
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;
use spds_format::Spds;
use spds_format::model::{Stack, SymbolId};

use super::{Fact, Known};

/// The end of all runs of a procedure.
const END: u32 = u32::MAX;

/// The symbols that every run comes to, ascending. Runs are those that end or go on for ever. Nearly linear.
pub fn always(spds: &Spds, facts: &[Fact]) -> Vec<SymbolId> {
    let Some(&start) = spds.start.stack.first() else { return Vec::new() };
    let never: HashSet<SymbolId> =
        facts.iter().filter(|fact| fact.known == Known::Never).map(|fact| fact.target.symbol).collect();
    let flow = Flow::new(spds, &never);
    let stuck = flow.may_not_return();
    let mut always = HashSet::new();
    let mut open = vec![start];
    while let Some(entry) = open.pop() {
        for point in flow.inevitable(entry, &stuck) {
            if always.insert(point) {
                open.extend(flow.only_callee(point));
            }
        }
    }
    let mut always: Vec<SymbolId> = always.into_iter().collect();
    always.sort_unstable();
    always
}

/// Control inside procedures: calls as steps to their return sites.
#[derive(Default)]
struct Flow {
    /// What follows each symbol in its procedure; `None` is the end.
    next: HashMap<SymbolId, Vec<Option<SymbolId>>>,
    callees: HashMap<SymbolId, Vec<SymbolId>>,
    /// Symbols with another way than calls.
    goes_on: HashSet<SymbolId>,
    /// Symbols from which a run may fail.
    fails: HashSet<SymbolId>,
}

impl Flow {
    fn new(spds: &Spds, never: &HashSet<SymbolId>) -> Flow {
        let mut flow = Flow::default();
        for rule in spds.rules.iter().filter(|rule| !never.contains(&rule.from.symbol)) {
            let from = rule.from.symbol;
            let to = match rule.stack {
                Stack::Pop => None,
                Stack::Swap(to) if Some(to) == spds.fail => {
                    flow.fails.insert(from);
                    None
                }
                Stack::Swap(to) if never.contains(&to) => continue,
                Stack::Swap(to) => Some(to),
                Stack::Push(callee, _) if never.contains(&callee) => continue,
                Stack::Push(callee, back) => {
                    flow.callees.entry(from).or_default().push(callee);
                    Some(back)
                }
            };
            if !matches!(rule.stack, Stack::Push(..)) {
                flow.goes_on.insert(from);
            }
            flow.next.entry(from).or_default().push(to);
        }
        flow
    }

    fn points(&self, entry: SymbolId) -> Vec<SymbolId> {
        let mut seen = HashSet::from([entry]);
        let mut open = vec![entry];
        let mut points = Vec::new();
        while let Some(point) = open.pop() {
            points.push(point);
            let next = self.next.get(&point).into_iter().flatten().flatten();
            open.extend(next.copied().filter(|to| seen.insert(*to)));
        }
        points
    }

    /// What is always called at a point.
    fn only_callee(&self, point: SymbolId) -> Option<SymbolId> {
        match self.callees.get(&point).map(Vec::as_slice) {
            Some([callee]) if !self.goes_on.contains(&point) => Some(*callee),
            _ => None,
        }
    }

    /// Entries from which a run may not come back: it may go round for ever, fail, or recur.
    fn may_not_return(&self) -> HashSet<SymbolId> {
        let entries: HashSet<SymbolId> = self.callees.values().flatten().copied().collect();
        let mut calls: HashMap<SymbolId, HashSet<SymbolId>> = HashMap::new();
        let mut stuck = HashSet::new();
        for &entry in &entries {
            let points = self.points(entry);
            calls.insert(entry, points.iter().filter_map(|at| self.callees.get(at)).flatten().copied().collect());
            if points.iter().any(|point| self.fails.contains(point)) || !self.cyclic(&points).is_empty() {
                stuck.insert(entry);
            }
        }
        let mut callers: HashMap<SymbolId, Vec<SymbolId>> = HashMap::new();
        for (from, to) in &calls {
            to.iter().for_each(|to| callers.entry(*to).or_default().push(*from));
        }
        let all: Vec<SymbolId> = entries.into_iter().collect();
        stuck.extend(around(&all, |entry| calls.get(&entry).into_iter().flatten().copied().collect()));
        let mut open: Vec<SymbolId> = stuck.iter().copied().collect();
        while let Some(entry) = open.pop() {
            open.extend(callers.get(&entry).into_iter().flatten().copied().filter(|caller| stuck.insert(*caller)));
        }
        stuck
    }

    /// Points on a cycle.
    fn cyclic(&self, points: &[SymbolId]) -> HashSet<SymbolId> {
        around(points, |point| self.next.get(&point).into_iter().flatten().flatten().copied().collect())
    }

    /// The points of a procedure that every run from its entry passes.
    fn inevitable(&self, entry: SymbolId, stuck: &HashSet<SymbolId>) -> Vec<SymbolId> {
        let points = self.points(entry);
        let cyclic = self.cyclic(&points);
        let mut graph: DiGraphMap<u32, ()> = DiGraphMap::new();
        graph.add_node(entry.0);
        for &point in &points {
            for to in self.next.get(&point).into_iter().flatten() {
                graph.add_edge(point.0, to.map_or(END, |to| to.0), ());
            }
            let calls_for_ever = self.callees.get(&point).into_iter().flatten().any(|callee| stuck.contains(callee));
            if calls_for_ever || cyclic.contains(&point) {
                graph.add_edge(point.0, END, ());
            }
        }
        let dominators = simple_fast(&graph, entry.0);
        dominators.strict_dominators(END).into_iter().flatten().map(SymbolId).collect()
    }
}

/// Nodes on cycles.
fn around(nodes: &[SymbolId], next: impl Fn(SymbolId) -> Vec<SymbolId>) -> HashSet<SymbolId> {
    let mut graph: DiGraphMap<u32, ()> = DiGraphMap::new();
    for &node in nodes {
        graph.add_node(node.0);
        next(node).into_iter().for_each(|to| {
            graph.add_edge(node.0, to.0, ());
        });
    }
    let cycles = kosaraju_scc(&graph).into_iter().filter(|all| all.len() > 1 || graph.contains_edge(all[0], all[0]));
    cycles.flatten().map(SymbolId).collect()
}
