//! The order of work: a rank for every head, smaller ranks first.
//!
//! Callees come before what follows the call, loops before their exits: within each call the heads are numbered by a weak
//! topological order (Bourdoncle, FMPA 1993), found by taking strongly connected components apart.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use spds_format::model;

use super::Flow;
use super::modref::ModRef;
use crate::pds::{HeadId, Kind, Pds};

/// Loops nested deeper than this are not taken apart further; their heads follow in depth-first order.
const DEEPEST_LOOP: u32 = 8;

/// The rank of every head that control can reach; others have none and get the largest.
pub fn ranks(pds: &Pds, flow: &Flow, modref: &ModRef) -> Vec<u32> {
    let mut rank = vec![u32::MAX; pds.head_count()];
    let mut next = 0;
    let mut local = Local { number: vec![u32::MAX; pds.head_count()], successors: Vec::new() };
    for &state in &modref.order {
        let body = &flow.bodies[state.0 as usize];
        for head in local.weak_topological_order(pds, flow, body) {
            if rank[head.0 as usize] == u32::MAX {
                rank[head.0 as usize] = next;
                next += 1;
            }
        }
    }
    rank
}

/// Scratch for the heads of one call.
struct Local {
    /// The place of each head of the body in depth-first reverse postorder.
    number: Vec<u32>,
    /// Successors by that place.
    successors: Vec<Vec<u32>>,
}

impl Local {
    fn weak_topological_order(&mut self, pds: &Pds, flow: &Flow, body: &[HeadId]) -> Vec<HeadId> {
        let order = reverse_postorder(pds, flow, body, &mut self.number);
        for (place, head) in order.iter().enumerate() {
            self.number[head.0 as usize] = place as u32;
        }
        self.successors.iter_mut().for_each(Vec::clear);
        self.successors.resize(self.successors.len().max(order.len()), Vec::new());
        let mut cyclic = false;
        for (place, &head) in order.iter().enumerate() {
            for successor in successors(pds, flow, head) {
                let to = self.number[successor.0 as usize];
                cyclic |= to as usize <= place;
                self.successors[place].push(to);
            }
        }
        let sorted = if cyclic { self.take_apart(order.len()) } else { (0..order.len() as u32).collect() };
        for head in &order {
            self.number[head.0 as usize] = u32::MAX;
        }
        sorted.into_iter().map(|place| order[place as usize]).collect()
    }

    /// Components in topological order, each with its first head in front and the rest taken apart in turn.
    fn take_apart(&self, count: usize) -> Vec<u32> {
        let mut done = Vec::with_capacity(count);
        let mut inside = vec![0u32; count];
        let mut work: Vec<(Vec<u32>, u32)> = vec![((0..count as u32).collect(), 0)];
        let mut stamp = 0;
        while let Some((members, depth)) = work.pop() {
            if members.len() == 1 || depth > DEEPEST_LOOP {
                done.extend(members);
                continue;
            }
            stamp += 1;
            members.iter().for_each(|&place| inside[place as usize] = stamp);
            let mut graph = DiGraph::<u32, ()>::with_capacity(members.len(), members.len());
            let nodes: Vec<NodeIndex> = members.iter().map(|&place| graph.add_node(place)).collect();
            for (i, &place) in members.iter().enumerate() {
                for &to in &self.successors[place as usize] {
                    if inside[to as usize] == stamp {
                        let j = members.binary_search(&to).expect("members are sorted");
                        graph.add_edge(nodes[i], nodes[j], ());
                    }
                }
            }
            // Reverse topological order, and the stack turns it round once more.
            for component in kosaraju_scc(&graph) {
                let mut places: Vec<u32> = component.into_iter().map(|node| graph[node]).collect();
                places.sort_unstable();
                let rest = places.split_off(1);
                if !rest.is_empty() {
                    work.push((rest, depth + 1));
                }
                work.push((places, depth));
            }
        }
        done
    }
}

/// The heads that follow within the same call: by a step, or where a call comes back.
fn successors(pds: &Pds, flow: &Flow, head: HeadId) -> impl Iterator<Item = HeadId> {
    pds.rules_of(head).flat_map(move |id| {
        let (step, sites) = match pds.rule_at(id).kind {
            Kind::Step(to) => (Some(to), None),
            Kind::Pop(_) => (None, None),
            Kind::Call(entry, site) => (None, flow.state_of_entry(entry).map(|callee| (callee, site))),
        };
        let backs = sites.into_iter().flat_map(move |(callee, symbol)| {
            let controls = flow.pops[callee.0 as usize].iter();
            controls.filter_map(move |&control| pds.find(model::Head { control, symbol }))
        });
        step.into_iter().chain(backs)
    })
}

fn reverse_postorder(pds: &Pds, flow: &Flow, body: &[HeadId], seen: &mut [u32]) -> Vec<HeadId> {
    const SEEN: u32 = u32::MAX - 1;
    let mut postorder = Vec::with_capacity(body.len());
    // The body begins with its entry; heads that are entered from elsewhere come as further roots.
    for &root in body {
        if seen[root.0 as usize] == SEEN {
            continue;
        }
        seen[root.0 as usize] = SEEN;
        let mut stack = vec![(root, successors(pds, flow, root).collect::<Vec<_>>())];
        while let Some((head, rest)) = stack.last_mut() {
            match rest.pop() {
                Some(next) if seen[next.0 as usize] != SEEN => {
                    seen[next.0 as usize] = SEEN;
                    stack.push((next, successors(pds, flow, next).collect()));
                }
                Some(_) => {}
                None => {
                    postorder.push(*head);
                    stack.pop();
                }
            }
        }
    }
    postorder.reverse();
    postorder
}
