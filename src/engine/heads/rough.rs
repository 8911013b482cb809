//! Rough components: those of the head graph without values.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::graph::Graph;
use crate::flow::{Flow, StateId};
use crate::packed::Rows;
use crate::pds::{HeadId, Pds, RuleKind};
use crate::saturation::PostStar;
use spds_format::model;

/// The components in which control can go round.
pub struct Rough {
    of: Vec<u32>,
    members: Rows<HeadId>,
}

/// The component of heads round which control cannot go.
pub const NONE: u32 = u32::MAX;

impl Rough {
    /// Of what control can reach, before any relation is known.
    pub fn of_control(pds: &Pds, flow: &Flow) -> Rough {
        Rough::new(pds.head_count(), |from, edge| {
            if !flow.reaches(from) {
                return;
            }
            for rule in pds.rules_of(from) {
                let rule = pds.rule_at(rule);
                match rule.kind {
                    RuleKind::Step(to) => edge(to),
                    RuleKind::Pop(_) => {}
                    RuleKind::Call(entry, symbol) => {
                        edge(entry);
                        let StateId(callee) = flow.state_of_entry(entry).expect("tabulated with its callees");
                        for &control in &flow.pops[callee as usize] {
                            edge(pds.find(model::Head { control, symbol }).expect("tabulated with its return sites"));
                        }
                    }
                }
            }
        })
    }

    /// Of the heads of a graph that count.
    pub fn of_graph(graph: &impl Graph, counts: impl Fn(HeadId) -> bool) -> Rough {
        Rough::new(graph.system().control.pds.head_count(), |from, add| {
            if counts(from) {
                graph.edges_from(from, &mut |edge| {
                    if counts(edge.to) {
                        add(edge.to);
                    }
                });
            }
        })
    }

    /// Of what has been reached.
    pub fn of_reached(post: &PostStar<'_, '_>) -> Rough {
        Rough::of_graph(post, |head| post.reaches(head))
    }

    fn new(heads: usize, edges: impl Fn(HeadId, &mut dyn FnMut(HeadId))) -> Rough {
        let graph = behind_circles(heads, edges);
        let mut of = vec![NONE; heads];
        let mut cyclic = Vec::new();
        for component in kosaraju_scc(&graph) {
            if component.len() > 1 || graph.contains_edge(component[0], component[0]) {
                let number = cyclic.len() as u32;
                let mut component: Vec<u32> = component.into_iter().map(|node| graph[node].0).collect();
                component.sort_unstable();
                component.iter().for_each(|&head| of[head as usize] = number);
                cyclic.push(component);
            }
        }
        let members = Rows::collect(cyclic.len(), |pair| {
            for (number, component) in cyclic.iter().enumerate() {
                component.iter().for_each(|&head| pair(number as u32, HeadId(head)));
            }
        });
        Rough { of, members }
    }

    /// The component of a head, or [`NONE`].
    pub fn of(&self, head: HeadId) -> u32 {
        self.of[head.0 as usize]
    }

    /// The component of every head.
    pub fn all(&self) -> &[u32] {
        &self.of
    }

    /// The number of components.
    pub fn count(&self) -> u32 {
        self.members.count() as u32
    }

    /// The heads of a component, in ascending order.
    pub fn members(&self, component: u32) -> &[HeadId] {
        &self.members[component as usize]
    }
}

/// The graph of the heads to which some circle leads. Those to which none does are taken away one after the other (Kahn), as are
/// nearly all heads of most programs, before there is a graph.
fn behind_circles(heads: usize, edges: impl Fn(HeadId, &mut dyn FnMut(HeadId))) -> DiGraph<HeadId, ()> {
    let all = || (0..heads as u32).map(HeadId);
    // How many edges lead to each head, from others that are there.
    let mut into = vec![0_u32; heads];
    all().for_each(|from| edges(from, &mut |to| into[to.0 as usize] += 1));
    let mut first: Vec<HeadId> = all().filter(|head| into[head.0 as usize] == 0).collect();
    while let Some(from) = first.pop() {
        edges(from, &mut |to| {
            into[to.0 as usize] -= 1;
            if into[to.0 as usize] == 0 {
                first.push(to);
            }
        });
    }
    let mut graph = DiGraph::new();
    let nodes: Vec<Option<NodeIndex>> =
        all().map(|head| (into[head.0 as usize] > 0).then(|| graph.add_node(head))).collect();
    for from in graph.node_indices() {
        edges(graph[from], &mut |to| {
            if let Some(to) = nodes[to.0 as usize] {
                graph.add_edge(from, to, ());
            }
        });
    }
    graph
}
