//! Which point of control another one's past depends on: the control graph backwards, matched calls and all.
//!
//! Its nodes are the heads, and for every state t and control location p' a node for "a call that began at t returns in
//! p'". Live ranges flow along its edges, and slicing is reachability in it. Its size is linear in that of the program.

use std::collections::VecDeque;

use spds_format::model;

use super::{Flow, NONE, StateId};
use crate::packed::Rows;
use crate::pds::{HeadId, Pds, RuleId, RuleKind};

/// Why a node depends on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// The head can step to, or return as, the other by this rule.
    Rule(RuleId),
    /// The head calls the other, an entry, by this rule.
    Enter(RuleId),
    /// The other is where the call that the head makes by this rule comes back.
    Back(RuleId),
    /// The other is where a return comes back.
    Return,
}

/// Why, in four bytes: a number of a rule and two bits.
#[derive(Clone, Copy)]
struct Packed(u32);

impl Packed {
    const RETURN: Packed = Packed(NONE);

    #[inline]
    fn new(via: Via) -> Packed {
        let (rule, way) = match via {
            Via::Rule(rule) => (rule, 0),
            Via::Enter(rule) => (rule, 1),
            Via::Back(rule) => (rule, 2),
            Via::Return => return Packed::RETURN,
        };
        Packed(rule.0.checked_mul(4).expect("fewer than 2^30 rules fit into memory") | way)
    }

    #[inline]
    fn via(self) -> Via {
        let rule = RuleId(self.0 >> 2);
        match self.0 & 3 {
            0 => Via::Rule(rule),
            1 => Via::Enter(rule),
            2 => Via::Back(rule),
            _ => Via::Return,
        }
    }
}

/// The graph, by successor lists: from a node to those whose facts depend on it.
pub struct Dependence {
    targets: Rows<(u32, Packed)>,
    heads: usize,
}

impl Dependence {
    /// Of a tabulated system. Only what control can reach is in it.
    pub fn new(pds: &Pds, flow: &Flow) -> Self {
        let heads = pds.head_count();
        let nodes = heads + flow.pops.items().len();
        let targets = Rows::collect(nodes, |pair| {
            for state in flow.state_ids() {
                edges_of(pds, flow, state, |from, to, via| pair(from, (to, Packed::new(via))));
            }
        });
        Dependence { targets, heads }
    }

    /// The number of nodes; those below [`Pds::head_count`] are heads.
    pub fn node_count(&self) -> usize {
        self.targets.count()
    }

    /// The head that a node stands for, unless it stands for returns.
    pub fn head(&self, node: u32) -> Option<HeadId> {
        ((node as usize) < self.heads).then_some(HeadId(node))
    }

    /// The nodes that depend on a node.
    pub fn dependents(&self, node: u32) -> impl Iterator<Item = (u32, Via)> {
        self.targets[node as usize].iter().map(|(node, via)| (*node, via.via()))
    }

    /// Slicing: the heads from which control can come to one of the targets, be it in a call that is pending then or by
    /// returning. What is not among them needs no search.
    pub fn slice(&self, targets: impl IntoIterator<Item = HeadId>) -> Vec<bool> {
        self.distances(targets).into_iter().map(|distance| distance != NONE).collect()
    }

    /// For each head the fewest edges on which control comes from it to one of the targets, a call that returns being one;
    /// `u32::MAX` where it cannot. Linear in the size of the graph.
    pub fn distances(&self, targets: impl IntoIterator<Item = HeadId>) -> Vec<u32> {
        let mut distances = vec![NONE; self.node_count()];
        let mut work: VecDeque<u32> = targets.into_iter().map(|head| head.0).collect();
        work.iter().for_each(|&node| distances[node as usize] = 0);
        while let Some(node) = work.pop_front() {
            let further = distances[node as usize] + 1;
            for (dependent, _) in self.dependents(node) {
                let distance = &mut distances[dependent as usize];
                if *distance == NONE {
                    *distance = further;
                    work.push_back(dependent);
                }
            }
        }
        distances.truncate(self.heads);
        distances
    }
}

/// The edges that the rules of one state's heads make, and the returns from it. Steps and calls of a head that several
/// states share are made once.
fn edges_of(pds: &Pds, flow: &Flow, state: StateId, mut edge: impl FnMut(u32, u32, Via)) {
    let t = state.0 as usize;
    let returns = (pds.head_count() + flow.pops.range(t).start) as u32;
    for &head in &flow.bodies[t] {
        let first = flow.owner(head) == Some(state);
        for id in pds.rules_of(head) {
            match pds.kind_of(id) {
                RuleKind::Step(_) | RuleKind::Call(..) if !first => {}
                RuleKind::Step(to) => edge(to.0, head.0, Via::Rule(id)),
                RuleKind::Pop(control) => {
                    let place = flow.pops[t].iter().position(|&p| p == control).expect("tabulated with its pops");
                    edge(returns + place as u32, head.0, Via::Rule(id));
                }
                RuleKind::Call(entry, site) => {
                    edge(entry.0, head.0, Via::Enter(id));
                    let callee = flow.state_of_entry(entry).expect("tabulated with its callees");
                    for &control in &flow.pops[callee.0 as usize] {
                        let back = model::Head { control, symbol: site };
                        let back = pds.find(back).expect("tabulated with its return sites");
                        edge(back.0, head.0, Via::Back(id));
                    }
                }
            }
        }
    }
    for (place, &control) in flow.pops[t].iter().enumerate() {
        for &symbol in &flow.sites[t] {
            let back = pds.find(model::Head { control, symbol }).expect("tabulated");
            edge(back.0, returns + place as u32, Via::Return);
        }
    }
}
