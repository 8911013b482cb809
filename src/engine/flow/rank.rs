//! The order of work: a rank for every head, smaller ranks first.
//!
//! Callees come before what follows the call, loops before their exits: within each call the heads are numbered by a weak
//! topological order (Bourdoncle, FMPA 1993), found by taking strongly connected components apart. A head that several
//! calls share is numbered with the first of them, so that each is looked at once. Loops are taken apart once for all calls with
//! the same control flow.

use std::ops::Range;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;
use spds_format::model;

use super::Flow;
use super::modref::ModRef;
use crate::pds::{HeadId, Pds, RuleKind};

/// Loops nested deeper than this are not taken apart further; their heads follow in depth-first order.
const DEEPEST_LOOP: u32 = 8;

/// The order of work.
pub struct Order {
    /// The rank of every head that control can reach; others have none and get the largest.
    pub rank: Vec<u32>,
    /// Where the ranks of each call end, callees first.
    ends: Vec<u32>,
}

impl Order {
    /// How many ranks there are.
    pub fn count(&self) -> u32 {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The ranks of the call to which a rank belongs.
    pub fn body(&self, rank: u32) -> Range<u32> {
        let before = self.ends.partition_point(|end| *end <= rank);
        let start = if before == 0 { 0 } else { self.ends[before - 1] };
        start..self.ends[before]
    }
}

/// The order of work.
pub fn order(pds: &Pds, flow: &Flow, modref: &ModRef) -> Order {
    let mut rank = vec![u32::MAX; pds.head_count()];
    let mut next = 0;
    let mut ends = Vec::with_capacity(modref.order.len());
    let mut local = Local::new(pds);
    for &state in &modref.order {
        local.weak_topological_order(pds, flow, &flow.bodies[state.0 as usize]);
        for &place in &local.sorted {
            let head = local.order[place as usize].head.0 as usize;
            rank[head] = next;
            local.number[head] = RANKED;
            next += 1;
        }
        ends.push(next);
    }
    Order { rank, ends }
}

/// Scratch for the heads of one call.
struct Local {
    /// For a head of the body, `SEEN` and then its place in depth-first reverse postorder; `RANKED` for those of calls before;
    /// else `u32::MAX`.
    number: Vec<u32>,
    /// The heads of the body in depth-first reverse postorder.
    order: Vec<Visit>,
    /// Successors by that place, in one list, and where each one's begin in it.
    successors: Vec<u32>,
    first: Vec<u32>,
    /// The places in the order of work.
    sorted: Vec<u32>,
    /// That of all bodies with loops so far, by their successors.
    known: FxHashMap<Box<[u32]>, Box<[u32]>>,
    /// The key of the present one.
    shape: Vec<u32>,
    /// Heads on the way of the depth-first search, each with how many of its successors are still to be visited.
    stack: Vec<(Visit, u32)>,
    /// The successors of all heads visited in this body.
    listed: Vec<HeadId>,
}

/// A head, and where its successors lie among those listed.
#[derive(Clone, Copy)]
struct Visit {
    head: HeadId,
    first: u32,
    end: u32,
}

const SEEN: u32 = u32::MAX - 1;
const RANKED: u32 = u32::MAX - 2;

impl Local {
    fn new(pds: &Pds) -> Local {
        let number = vec![u32::MAX; pds.head_count()];
        Local {
            number,
            order: Vec::new(),
            successors: Vec::new(),
            first: Vec::new(),
            sorted: Vec::new(),
            known: FxHashMap::default(),
            shape: Vec::new(),
            stack: Vec::new(),
            listed: Vec::new(),
        }
    }

    /// Leaves the order in `sorted`, as places in `order`.
    fn weak_topological_order(&mut self, pds: &Pds, flow: &Flow, body: &[HeadId]) {
        self.reverse_postorder(pds, flow, body);
        for (place, visit) in self.order.iter().enumerate() {
            self.number[visit.head.0 as usize] = place as u32;
        }
        self.successors.clear();
        self.first.clear();
        let mut cyclic = false;
        for (place, visit) in self.order.iter().enumerate() {
            self.first.push(self.successors.len() as u32);
            for successor in &self.listed[visit.first as usize..visit.end as usize] {
                let to = self.number[successor.0 as usize];
                if to == RANKED {
                    continue;
                }
                cyclic |= to as usize <= place;
                self.successors.push(to);
            }
        }
        self.first.push(self.successors.len() as u32);
        self.sorted.clear();
        if cyclic {
            self.take_apart_once();
        } else {
            self.sorted.extend(0..self.order.len() as u32);
        }
    }

    fn reverse_postorder(&mut self, pds: &Pds, flow: &Flow, body: &[HeadId]) {
        self.order.clear();
        self.listed.clear();
        // The body begins with its entry; heads that are entered from elsewhere come as further roots.
        for &root in body {
            if self.number[root.0 as usize] != u32::MAX {
                continue;
            }
            self.visit(pds, flow, root);
            while let Some((visit, rest)) = self.stack.last_mut() {
                if *rest == 0 {
                    self.order.push(*visit);
                    self.stack.pop();
                    continue;
                }
                *rest -= 1;
                let next = self.listed[(visit.first + *rest) as usize];
                if self.number[next.0 as usize] == u32::MAX {
                    self.visit(pds, flow, next);
                }
            }
        }
        self.order.reverse();
    }

    /// A head is visited: those that follow it within the same call, by a step or where a call comes back, are listed.
    fn visit(&mut self, pds: &Pds, flow: &Flow, head: HeadId) {
        self.number[head.0 as usize] = SEEN;
        let first = self.listed.len() as u32;
        for id in pds.rules_of(head) {
            match pds.kind_of(id) {
                RuleKind::Step(to) => self.listed.push(to),
                RuleKind::Pop(_) => {}
                RuleKind::Call(entry, symbol) => {
                    let callee = flow.state_of_entry(entry);
                    let controls = callee.into_iter().flat_map(|callee| &flow.pops[callee.0 as usize]);
                    let backs = controls.filter_map(|&control| pds.find(model::Head { control, symbol }));
                    self.listed.extend(backs);
                }
            }
        }
        let end = self.listed.len() as u32;
        self.stack.push((Visit { head, first, end }, end - first));
    }

    /// Takes the body apart, unless one with the same successors was.
    fn take_apart_once(&mut self) {
        // How many there are says where each one's successors begin.
        let shape = &mut self.shape;
        shape.clear();
        shape.extend_from_slice(&self.first);
        shape.extend_from_slice(&self.successors);
        shape.push(self.order.len() as u32);
        if let Some(sorted) = self.known.get(shape.as_slice()) {
            self.sorted.extend_from_slice(sorted);
            return;
        }
        self.take_apart();
        self.known.insert(self.shape.as_slice().into(), self.sorted.as_slice().into());
    }

    /// Components in topological order, each with its first head in front and the rest taken apart in turn.
    fn take_apart(&mut self) {
        let count = self.order.len();
        let mut inside = vec![0u32; count];
        let mut work: Vec<(Vec<u32>, u32)> = vec![((0..count as u32).collect(), 0)];
        let mut stamp = 0;
        while let Some((members, depth)) = work.pop() {
            if members.len() == 1 || depth > DEEPEST_LOOP {
                self.sorted.extend(members);
                continue;
            }
            stamp += 1;
            members.iter().for_each(|&place| inside[place as usize] = stamp);
            let mut graph = DiGraph::<u32, ()>::with_capacity(members.len(), members.len());
            let nodes: Vec<NodeIndex> = members.iter().map(|&place| graph.add_node(place)).collect();
            for (i, &place) in members.iter().enumerate() {
                let (first, end) = (self.first[place as usize], self.first[place as usize + 1]);
                for &to in &self.successors[first as usize..end as usize] {
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
    }
}
