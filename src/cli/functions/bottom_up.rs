//! Functions after those that they call: who calls them waits for what is known of them.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Condvar, Mutex, PoisonError};

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use puch::c::Defined;
use puch::functions::summary::{Summaries, Summary};

/// Functions, and what is known of them so far.
pub struct BottomUp {
    names: Vec<String>,
    /// For each, those that it leads to and that come before it.
    before: Vec<Vec<usize>>,
    order: Vec<usize>,
    known: Mutex<Vec<State>>,
    changed: Condvar,
}

#[derive(Clone)]
enum State {
    Open,
    Done(Option<Summary>),
}

impl BottomUp {
    /// Those of some functions. Linear in their calls, but for what each leads to.
    pub fn new(functions: &[&Defined]) -> BottomUp {
        let indices: HashMap<&str, usize> = functions.iter().zip(0..).map(|(one, at)| (&*one.name, at)).collect();
        let calls = |one: &&Defined| one.calls.iter().filter_map(|callee| indices.get(&**callee).copied()).collect();
        let calls: Vec<Vec<usize>> = functions.iter().map(calls).collect();
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        let nodes: Vec<NodeIndex> = functions.iter().map(|_| graph.add_node(())).collect();
        for (caller, callees) in calls.iter().enumerate() {
            for &callee in callees {
                graph.update_edge(nodes[caller], nodes[callee], ());
            }
        }
        // Components come after those that they lead to.
        let mut order = Vec::new();
        for component in kosaraju_scc(&graph) {
            let mut members: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
            members.sort_unstable();
            order.extend(members);
        }
        let mut ranks = vec![0; functions.len()];
        order.iter().enumerate().for_each(|(rank, &at)| ranks[at] = rank);
        let before = |at: usize| {
            let (mut reached, mut open) = (BTreeSet::new(), calls[at].clone());
            while let Some(callee) = open.pop() {
                if reached.insert(callee) {
                    open.extend(&calls[callee]);
                }
            }
            reached.into_iter().filter(|callee| ranks[*callee] < ranks[at]).collect()
        };
        let before = (0..functions.len()).map(before).collect();
        let names = functions.iter().map(|one| one.name.to_string()).collect();
        let known = Mutex::new(vec![State::Open; functions.len()]);
        BottomUp { names, before, order, known, changed: Condvar::new() }
    }

    /// Each after those that it calls; of those that call each other, in the order in which they were given.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// What is known of the functions that one leads to, once they have been looked at. Whoever looks at functions in their order waits for nobody
    /// who waits for him.
    pub fn known(&self, at: usize) -> Summaries {
        let is_open = |known: &mut Vec<State>| self.before[at].iter().any(|at| matches!(known[*at], State::Open));
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.changed.wait_while(known, is_open).unwrap_or_else(PoisonError::into_inner);
        let named = |&at: &usize| match &known[at] {
            State::Done(Some(summary)) => Some((self.names[at].clone(), summary.clone())),
            State::Done(None) | State::Open => None,
        };
        self.before[at].iter().filter_map(named).collect()
    }

    /// A function that is looked at now: whatever happens, nobody waits for it afterwards.
    pub fn begin(&self, at: usize) -> Turn<'_> {
        Turn { all: self, at, summary: None }
    }
}

/// A function that is being looked at.
pub struct Turn<'a> {
    all: &'a BottomUp,
    at: usize,
    /// What was found.
    pub summary: Option<Summary>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut known = self.all.known.lock().unwrap_or_else(PoisonError::into_inner);
        known[self.at] = State::Done(self.summary.take());
        drop(known);
        self.all.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::BottomUp;
    use puch::c::Defined;
    use puch::functions::summary::Summary;

    fn defined(name: &str, calls: &[&str]) -> Defined {
        let calls = calls.iter().map(|callee| (*callee).into()).collect();
        Defined { name: name.into(), place: ("a.c".into(), 1), internal: false, calls }
    }

    #[test]
    fn functions_come_after_those_that_they_call_and_know_what_was_found_of_them() {
        let all = [
            defined("main", &["even", "leaf", "elsewhere"]),
            defined("even", &["odd"]),
            defined("odd", &["even", "leaf"]),
            defined("leaf", &[]),
        ];
        let all: Vec<&Defined> = all.iter().collect();
        let bottom_up = BottomUp::new(&all);
        assert_eq!(bottom_up.order(), [3, 1, 2, 0]);
        let found = Summary::default();
        for &at in bottom_up.order() {
            let known = bottom_up.known(at);
            let expected: &[&str] = match at {
                3 => &[],
                1 => &["leaf"],
                2 => &["even", "leaf"],
                _ => &["even", "leaf"],
            };
            assert!(known.keys().eq(expected), "{at} {known:?}");
            let mut turn = bottom_up.begin(at);
            // Of `odd` nothing is known in the end.
            turn.summary = (at != 2).then(|| found.clone());
        }
    }
}
