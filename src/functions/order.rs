//! The order in which statements of a procedure are executed: as control goes, loops within loops, each with a head (F. Bourdoncle,
//! *Efficient chaotic iteration strategies with widenings*, FMPA 1993).

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;

use crate::c::program::{Label, Statement};

/// A statement, or a loop.
#[derive(Clone, Debug)]
pub enum Item {
    /// A statement.
    Statement(Label),
    /// A loop.
    Loop(Loop),
}

/// A loop: each way round it passes its head, or the head of a loop in it.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The head.
    pub head: Label,
    /// All else, in order.
    pub inner: Vec<Item>,
    /// All its statements.
    pub labels: BTreeSet<Label>,
    /// Whether control comes into it by its head only.
    pub is_entered_once: bool,
}

/// The statements of a body that control reaches, in order.
pub fn ordered(body: &[Statement]) -> Vec<Item> {
    let mut reached = BTreeSet::new();
    let mut open = vec![Label(0)];
    while let Some(label) = open.pop() {
        if let Some(statement) = body.get(label.0 as usize)
            && reached.insert(label)
        {
            open.extend(statement.kind.successors(label));
        }
    }
    within(body, &reached, Label(0))
}

/// Those of some statements, where the first is one by which control comes in.
fn within(body: &[Statement], labels: &BTreeSet<Label>, first: Label) -> Vec<Item> {
    let mut graph = DiGraph::<Label, ()>::new();
    let nodes: BTreeMap<Label, _> = labels.iter().map(|label| (*label, graph.add_node(*label))).collect();
    let successors = |label: Label| body[label.0 as usize].kind.successors(label);
    for (&label, &node) in &nodes {
        for to in successors(label).filter_map(|to| nodes.get(&to)) {
            graph.add_edge(node, *to, ());
        }
    }
    let mut items = Vec::new();
    // Components come with those after which nothing comes first.
    for component in kosaraju_scc(&graph).into_iter().rev() {
        let component: BTreeSet<Label> = component.into_iter().map(|node| graph[node]).collect();
        let Some(&only) = component.first() else { continue };
        if component.len() == 1 && !successors(only).any(|to| to == only) {
            items.push(Item::Statement(only));
            continue;
        }
        let from_outside = |label: &Label| {
            *label == first
                || labels.iter().any(|from| !component.contains(from) && successors(*from).any(|to| to == *label))
        };
        let entries: Vec<Label> = component.iter().copied().filter(from_outside).collect();
        let head = entries.first().copied().unwrap_or(only);
        let mut rest = component.clone();
        rest.remove(&head);
        let inner = within(body, &rest, head);
        items.push(Item::Loop(Loop { head, inner, labels: component, is_entered_once: entries.len() <= 1 }));
    }
    items
}

/// Whether control comes into some loop of a body in several places.
pub fn is_tangled(body: &[Statement]) -> bool {
    let mut open = ordered(body);
    while let Some(item) = open.pop() {
        if let Item::Loop(one) = item {
            if !one.is_entered_once {
                return true;
            }
            open.extend(one.inner);
        }
    }
    false
}
