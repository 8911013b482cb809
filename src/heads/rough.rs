//! Rough components: those of the head graph without values.

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
        let (of_node, graph) = behind_circles(heads, edges);
        let mut of = vec![NONE; heads];
        let mut cyclic = circles(&graph);
        for (number, component) in cyclic.iter_mut().enumerate() {
            component.iter_mut().for_each(|node| *node = of_node[*node as usize].0);
            component.sort_unstable();
            component.iter().for_each(|&head| of[head as usize] = number as u32);
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
        self.members.len() as u32
    }

    /// The heads of a component, in ascending order.
    pub fn members(&self, component: u32) -> &[HeadId] {
        &self.members[component as usize]
    }
}

/// The graph of the heads to which some circle leads, and which these are. Those to which none does are taken away one after the
/// other (Kahn), as are nearly all heads of most programs, before there is a graph.
fn behind_circles(heads: usize, edges: impl Fn(HeadId, &mut dyn FnMut(HeadId))) -> (Vec<HeadId>, Rows<u32>) {
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
    let left: Vec<HeadId> = all().filter(|head| into[head.0 as usize] > 0).collect();
    let mut node = into;
    node.fill(NONE);
    (0..).zip(&left).for_each(|(number, head)| node[head.0 as usize] = number);
    let graph = Rows::in_order(left.len(), |from, targets| {
        edges(left[from], &mut |to| targets.extend(Some(node[to.0 as usize]).filter(|to| *to != NONE)));
    });
    (left, graph)
}

/// The components of a graph in which one can go round, callees first (Kosaraju; Sharir, *A strong-connectivity algorithm and its
/// applications in data flow analysis*, 1981). The graph is large and most components are one node: nothing is kept of these.
fn circles(graph: &Rows<u32>) -> Vec<Vec<u32>> {
    let (mut stack, mut members, mut circles) = (Vec::new(), Vec::new(), Vec::new());
    let mut open = vec![true; graph.len()];
    for root in finished_backwards(graph).into_iter().rev() {
        members.clear();
        stack.push(root);
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut open[node as usize], false) {
                members.push(node);
                stack.extend(graph[node as usize].iter().filter(|to| open[**to as usize]));
            }
        }
        if members.len() > 1 || !members.is_empty() && graph[root as usize].contains(&root) {
            circles.push(members.clone());
        }
    }
    circles
}

/// The nodes in the order in which a depth-first search along edges backwards leaves them.
fn finished_backwards(graph: &Rows<u32>) -> Vec<u32> {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Is {
        New,
        Entered,
        Left,
    }
    let backwards = Rows::collect(graph.len(), |pair| {
        for (from, targets) in (0..).zip(graph.iter()) {
            targets.iter().for_each(|to| pair(*to, from));
        }
    });
    let mut is = vec![Is::New; graph.len()];
    let (mut stack, mut finished) = (Vec::new(), Vec::with_capacity(graph.len()));
    for root in 0..graph.len() as u32 {
        stack.push(root);
        while let Some(&node) = stack.last() {
            let before = is[node as usize];
            if before == Is::New {
                is[node as usize] = Is::Entered;
                let sources = backwards[node as usize].iter().rev();
                stack.extend(sources.filter(|from| is[**from as usize] == Is::New));
                continue;
            }
            stack.pop();
            if before == Is::Entered {
                is[node as usize] = Is::Left;
                finished.push(node);
            }
        }
    }
    finished
}

#[cfg(test)]
mod tests {
    use petgraph::algo::kosaraju_scc;
    use petgraph::graph::DiGraph;

    use super::circles;
    use crate::packed::Rows;

    #[test]
    fn components_come_in_the_order_of_the_library() {
        let mut seed = 7;
        let mut random = |below: u64| crate::random::next(&mut seed) % below;
        for _ in 0..2000 {
            let (nodes, edges) = (1 + random(12), random(30));
            let edges: Vec<(u32, u32)> = (0..edges).map(|_| (random(nodes) as u32, random(nodes) as u32)).collect();
            let mut edges = edges;
            edges.sort_by_key(|(from, _)| *from);
            let graph = Rows::in_order(nodes as usize, |row, targets| {
                targets.extend(edges.iter().filter(|(from, _)| *from as usize == row).map(|(_, to)| *to));
            });
            let mut library = DiGraph::<(), ()>::new();
            (0..nodes).for_each(|_| {
                library.add_node(());
            });
            edges.iter().for_each(|&(from, to)| {
                library.add_edge(from.into(), to.into(), ());
            });
            let mut expected = kosaraju_scc(&library);
            expected.retain(|circle| circle.len() > 1 || library.contains_edge(circle[0], circle[0]));
            let sorted = |mut circle: Vec<u32>| {
                circle.sort_unstable();
                circle
            };
            let expected: Vec<Vec<u32>> = expected
                .into_iter()
                .map(|circle| sorted(circle.into_iter().map(|node| node.index() as u32).collect()))
                .collect();
            assert_eq!(circles(&graph).into_iter().map(sorted).collect::<Vec<_>>(), expected, "{edges:?}");
        }
    }
}
