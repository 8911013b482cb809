//! The oracle for formulas (`tests/oracle/ltl.rs`) against laws, against systems whose answer is known, and against
//! the plain graph of whole configurations where that is small.

extern crate puch_engine as puch;

#[path = "ltl/cases.rs"]
mod cases;
#[allow(dead_code, reason = "words are all that is needed here")]
#[path = "ltl/lasso.rs"]
mod lasso;
mod oracle;
#[path = "ltl/random.rs"]
mod random;
#[path = "ltl/shared.rs"]
mod shared;
mod support;
#[path = "ltl/unfold.rs"]
mod unfold;

use std::collections::{BTreeMap, VecDeque};

use cases::{Case, RUNS};
use fastrand::Rng;
use lasso::{Lasso, satisfies};
use oracle::ltl::{Machine, Move, Wanted, exists};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use puch::boolprog;
use puch::ltl::Violations;
use puch::options::Runs;
use spds_format::Spds;
use support::{runs, shrink};

/// A configuration, its stack below the topmost symbol, and the automaton's state.
type Node = (usize, Vec<usize>, u32);

/// The graph of whole configurations, as far as it is small.
struct Plain {
    nodes: Vec<Node>,
    /// For each node the edges that leave it, with their marks.
    edges: Vec<Vec<(usize, bool)>>,
    /// Whether the node repeats a blocked configuration.
    stuck: Vec<bool>,
    starts: usize,
    /// Whether nothing was left out.
    whole: bool,
}

const HIGHEST: usize = 6;
const MOST: usize = 4_000;

fn plain(machine: &mut Machine<'_>, runs: Runs, wanted: Wanted<'_>) -> Plain {
    let mut stacks = vec![Vec::new()];
    for place in (1..machine.spds.start.stack.len()).rev() {
        let below: Vec<usize> = machine.start_below(place).into_iter().flatten().collect();
        stacks =
            stacks.iter().flat_map(|stack| below.iter().map(move |cell| [&stack[..], &[*cell]].concat())).collect();
    }
    let mut nodes: Vec<Node> = Vec::new();
    for state in machine.starts() {
        nodes.extend(stacks.iter().map(|stack| (state, stack.clone(), wanted.initial())));
    }
    let highest = HIGHEST + machine.spds.start.stack.len();
    let mut numbers: BTreeMap<Node, usize> = nodes.iter().cloned().zip(0..).collect();
    let (starts, mut edges, mut stuck, mut whole) = (nodes.len(), Vec::new(), Vec::new(), true);
    while edges.len() < nodes.len() {
        let (state, stack, automaton) = nodes[edges.len()].clone();
        let hidden = machine.hidden(state);
        let mut steps = successors(machine, state, &stack);
        steps.retain(|(state, stack)| reappears(machine, *state, stack));
        let empties = stack.is_empty() && machine.moves(state).iter().any(|step| matches!(step, Move::Return(_)));
        let is_stuck = !hidden && steps.is_empty() && !empties && runs == Runs::Stutter;
        if is_stuck {
            steps = vec![(state, stack.clone())];
        }
        if runs == Runs::Infinite && machine.ended(state) {
            steps.clear();
        }
        let read = if hidden { vec![(automaton, false)] } else { wanted.read(machine, state, is_stuck, automaton) };
        let mut out = Vec::new();
        for (automaton, mark) in read {
            for (state, stack) in &steps {
                if stack.len() > highest || (nodes.len() > MOST) {
                    whole = false;
                    continue;
                }
                let node = (*state, stack.clone(), automaton);
                let number = *numbers.entry(node.clone()).or_insert(nodes.len());
                if number == nodes.len() {
                    nodes.push(node);
                }
                out.push((number, mark));
            }
        }
        edges.push(out);
        stuck.push(is_stuck);
    }
    Plain { nodes, edges, stuck, starts, whole }
}

fn successors(machine: &mut Machine<'_>, state: usize, stack: &[usize]) -> Vec<(usize, Vec<usize>)> {
    let mut all = Vec::new();
    for step in machine.moves(state).iter() {
        match *step {
            Move::Step(to) => all.push((to, stack.to_vec())),
            Move::Call(entry, below) => all.push((entry, [stack, &[below]].concat())),
            Move::Return(exit) => {
                if let Some((top, rest)) = stack.split_last() {
                    all.extend(machine.resume(exit, *top).map(|back| (back, rest.to_vec())));
                }
            }
        }
    }
    all
}

/// Whether it is seen, or leads to a configuration that is.
fn reappears(machine: &mut Machine<'_>, state: usize, stack: &[usize]) -> bool {
    !machine.hidden(state)
        || successors(machine, state, stack).iter().any(|(state, stack)| reappears(machine, *state, stack))
}

impl Plain {
    /// Nodes along a path to a marked edge and on to where it began, if there is such a cycle.
    fn accepted(&self) -> Option<(Vec<usize>, usize)> {
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        for _ in &self.nodes {
            graph.add_node(());
        }
        for (from, edges) in self.edges.iter().enumerate() {
            for (to, _) in edges {
                graph.add_edge(NodeIndex::new(from), NodeIndex::new(*to), ());
            }
        }
        let mut component = vec![0; self.nodes.len()];
        for (number, members) in kosaraju_scc(&graph).into_iter().enumerate() {
            members.into_iter().for_each(|node| component[node.index()] = number);
        }
        let marked = |(from, edges): (usize, &Vec<(usize, bool)>)| {
            let to = edges.iter().find(|(to, mark)| *mark && component[*to] == component[from]);
            to.map(|(to, _)| (from, *to))
        };
        let (from, to) = self.edges.iter().enumerate().find_map(marked)?;
        let mut path = self.path((0..self.starts).collect(), from);
        let back = path.len();
        let cycle = self.path(vec![to], from);
        path.extend(cycle);
        // The node from which the marked edge leaves is the last of the stem and the last of the cycle.
        Some((path, back))
    }

    fn path(&self, from: Vec<usize>, to: usize) -> Vec<usize> {
        let mut before: BTreeMap<usize, Option<usize>> = from.iter().map(|node| (*node, None)).collect();
        let mut queue: VecDeque<usize> = from.into();
        while let Some(node) = queue.pop_front() {
            if node == to {
                let mut path: Vec<usize> = std::iter::successors(Some(to), |node| before[node]).collect();
                path.reverse();
                return path;
            }
            for (next, _) in &self.edges[node] {
                before.entry(*next).or_insert_with(|| {
                    queue.push_back(*next);
                    Some(node)
                });
            }
        }
        unreachable!("nodes are reached from the starts, and members of a component from each other")
    }

    /// The word that a run of the graph reads, over the formula's propositions.
    fn word(&self, machine: &Machine<'_>, (path, back): &(Vec<usize>, usize), violations: &Violations) -> Lasso {
        let meanings = &violations.formula.as_ref().expect("it was made from a formula").meanings;
        let mut word = Lasso { letters: Vec::new(), back: 0 };
        for (place, node) in path.iter().enumerate() {
            if place == *back {
                word.back = word.letters.len();
            }
            if !machine.hidden(self.nodes[*node].0) {
                let letter = machine.letter(meanings, self.nodes[*node].0, self.stuck[*node]);
                word.letters.push(letter.iter().rev().fold(0, |bits, bit| bits << 1 | u32::from(*bit)));
            }
        }
        word
    }
}

/// What is wrong with the oracle on a case, if anything.
fn wrong(case: &Case, whole: &mut [usize; 2]) -> Option<String> {
    let violations = case.violations();
    let machine = &mut Machine::new(&case.spds);
    for runs in RUNS {
        let any = exists(machine, runs, Wanted::Any);
        let found = violations.each_ref().map(|v| exists(machine, runs, Wanted::Accepted(&v.automaton, &v.meanings)));
        if any != (found[0] || found[1]) {
            return Some(format!("{runs:?}: some run: {any}, violations of formula and negation: {found:?}"));
        }
        let all = plain(machine, runs, Wanted::Any);
        whole[usize::from(all.whole)] += 1;
        if all.accepted().is_some() != any && (all.whole || !any) {
            return Some(format!("{runs:?}: some run: {any}, but not in the plain graph"));
        }
        for (violations, found) in violations.iter().zip(found) {
            let graph = plain(machine, runs, Wanted::Accepted(&violations.automaton, &violations.meanings));
            let lasso = graph.accepted();
            if lasso.is_some() != found && (graph.whole || !found) {
                return Some(format!("{runs:?}: violated: {found}, but not in the plain graph"));
            }
            if let Some(lasso) = lasso {
                let word = graph.word(machine, &lasso, violations);
                if satisfies(&word, &violations.formula.as_ref().expect("from a formula").formula) {
                    return Some(format!("{runs:?}: {word:?} is no violation"));
                }
            }
        }
    }
    None
}

fn check(seed: u64, case: Case, whole: &mut [usize; 2]) {
    if let Some(what) = wrong(&case, whole) {
        let least = shrink(case, |case| wrong(case, &mut [0; 2]).is_some());
        let now = wrong(&least, &mut [0; 2]).unwrap_or_default();
        panic!("seed {seed}: {what}\nshrunk: {now}\n{}", least.text());
    }
}

#[test]
fn oracle_and_plain_graph_agree_on_systems() {
    let (core, mut whole) = (shared::core(), [0; 2]);
    for seed in support::seeds(0..80) {
        let rng = &mut Rng::with_seed(seed);
        let spds = cases::system(seed);
        let pool = cases::meanings(rng, &spds);
        let (ltl, meanings) = cases::some_formula(rng, &pool, &core);
        check(seed, Case { spds, ltl, meanings }, &mut whole);
    }
    assert!(3 * whole[1] > whole[0], "of {whole:?} graphs the latter were small");
}

#[test]
fn oracle_and_plain_graph_agree_on_programs() {
    let (core, mut whole) = (shared::core(), [0; 2]);
    for seed in support::seeds(0..60) {
        let rng = &mut Rng::with_seed(seed);
        let program = cases::program(seed);
        let read = boolprog::read(&program.to_string(), "random.bp", &boolprog::Options::default());
        let spds: Spds = read.expect("programs are valid").spds;
        let pool: Vec<_> =
            cases::propositions(rng, &program).iter().filter_map(|text| cases::resolve(&spds, text)).collect();
        let (ltl, meanings) = cases::some_formula(rng, &pool, &core);
        check(seed, Case { spds, ltl, meanings }, &mut whole);
    }
    assert!(3 * whole[1] > whole[0], "of {whole:?} graphs the latter were small");
}

#[test]
fn systems_that_have_a_lasso_have_what_it_shows() {
    let (core, mut lassos, mut turning) = (shared::core(), 0, 0);
    for seed in support::seeds(0..300) {
        let rng = &mut Rng::with_seed(seed);
        let spds = cases::system(seed);
        let Some(run) = runs::random(&spds, rng, 60).and_then(|run| runs::lasso(&run)) else { continue };
        let cycle = run.cycle.as_ref().expect("lassos have a cycle");
        turning += usize::from(cycle.iter().all(|step| step.depth >= cycle[0].depth) && cycle.len() > 1);
        let pool = cases::meanings(rng, &spds);
        let (ltl, meanings) = cases::some_formula(rng, &pool, &core);
        let case = Case { spds, ltl, meanings };
        let machine = &mut Machine::new(&case.spds);
        for kind in RUNS {
            let Ok(Some(words)) = unfold::words(&case.spds, &run, kind, &case.meanings) else { continue };
            let [formula, negation] = case.violations();
            let v = if satisfies(&words[0], &case.ltl) { negation } else { formula };
            let found = exists(machine, kind, Wanted::Accepted(&v.automaton, &v.meanings));
            assert!(found, "seed {seed}, {kind:?}, {:?}\n{}", words[0], case.text());
            lassos += 1;
        }
    }
    assert!(lassos > 300 && turning > 50, "{lassos} lassos, {turning} with cycles of several steps");
}
