//! MOD/REF: the globals that a call can read or write before it returns, callees included.
//!
//! Summaries and entry tags of a state t mention only V(t) (see [`crate::saturation`], "What an edge remembers";
//! Ball & Rajamani, PASTE 2001):
//! other globals pass by, kept with the suspended caller.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::{Flow, State, StateId};
use crate::pds::{HeadId, Pds, SetId};

/// The call structure between states, and what each touches.
pub struct ModRef {
    touched: Vec<SetId>,
    recursive: Vec<bool>,
    component: Vec<u32>,
    /// States, callees before callers.
    pub order: Vec<StateId>,
}

/// Whether entry tags are restricted to what a call touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restrict {
    /// To globals that it can read or write.
    Touched,
    /// Not at all (`--no-modref`).
    Nothing,
}

impl ModRef {
    /// Computes V(t) for every state. `invariant` gives the bits that the invariant of a head's symbol reads.
    pub fn new(pds: &Pds, flow: &Flow, restrict: Restrict, invariant: impl Fn(HeadId) -> SetId) -> ModRef {
        let sets = &pds.sets;
        let globals = sets.set(pds.layout.global_bits());
        let count = flow.state_count();
        let mut graph = DiGraph::<(), ()>::with_capacity(count, count);
        (0..count).for_each(|_| {
            graph.add_node(());
        });
        let mut touched = vec![SetId::EMPTY; count];
        let mut recursive = vec![false; count];
        for (t, callers) in flow.callers.iter().enumerate() {
            for caller in callers {
                graph.add_edge(NodeIndex::new(caller.state.0 as usize), NodeIndex::new(t), ());
                recursive[t] |= caller.state.0 as usize == t;
                if let Some(rule) = caller.rule {
                    touched[t] = sets.union(touched[t], pds.writes_of(rule));
                }
            }
        }
        let mut of_action = vec![None; pds.rules.action_count()];
        let mut of_head = |head: HeadId| {
            pds.rules_of(head).fold(invariant(head), |set, id| {
                let touched = of_action[pds.rules.action_of(id)].get_or_insert_with(|| {
                    let rule = pds.rule_at(id);
                    sets.union(rule.reads, rule.writes)
                });
                sets.union(set, *touched)
            })
        };
        // Heads are shared by states: look at the rules of each once.
        let mut known = vec![None; pds.head_count()];
        for (t, body) in flow.bodies.iter().enumerate() {
            touched[t] = body.iter().fold(touched[t], |set, &head| {
                let of_head = *known[head.0 as usize].get_or_insert_with(|| of_head(head));
                sets.union(set, of_head)
            });
        }
        let mut order = Vec::with_capacity(count);
        let mut component_of = vec![0; count];
        // Kosaraju's components come in reverse topological order: callees first.
        for (number, component) in kosaraju_scc(&graph).into_iter().enumerate() {
            let mut members: Vec<usize> = component.iter().map(|node| node.index()).collect();
            members.sort_unstable();
            let mut all = SetId::EMPTY;
            for &t in &members {
                recursive[t] |= members.len() > 1;
                component_of[t] = number as u32;
                all = sets.union(all, touched[t]);
                for callee in graph.neighbors(NodeIndex::new(t)) {
                    all = sets.union(all, touched[callee.index()]);
                }
            }
            members.iter().for_each(|&t| touched[t] = sets.intersection(all, globals));
            order.extend(members.into_iter().map(|t| StateId(t as u32)));
        }
        for (t, state) in flow.states.iter().enumerate() {
            if restrict == Restrict::Nothing || matches!(state, State::User) {
                touched[t] = globals;
            }
        }
        ModRef { touched, recursive, component: component_of, order }
    }

    /// V(t): the globals that edges into the state mention.
    pub fn touched(&self, state: StateId) -> SetId {
        self.touched[state.0 as usize]
    }

    /// The number of the recursion that a state belongs to: equal numbers call each other.
    pub fn component(&self, state: StateId) -> u32 {
        self.component[state.0 as usize]
    }

    /// Whether a call that began at the state can contain another one.
    pub fn is_recursive(&self, state: StateId) -> bool {
        self.recursive[state.0 as usize]
    }
}
