//! Words that end in a loop: what a formula says about them, straight from the definition of its operators, and whether
//! an automaton accepts them. Shares no code with the translation.

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use puch::ltl::automaton::Transition;
use puch::ltl::formula::Op;
use puch::ltl::{Buchi, Formula, Ltl, Tgba};

/// Letters (a bit for each proposition), and the place to which the last one leads back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lasso {
    pub letters: Vec<u32>,
    pub back: usize,
}

impl Lasso {
    pub fn random(random: &mut fastrand::Rng, propositions: u32, longest: usize) -> Lasso {
        let length = random.usize(1..=longest);
        let letters = (0..length).map(|_| random.u32(0..1 << propositions)).collect();
        Lasso { letters, back: random.usize(0..length) }
    }

    /// All with at most so many letters.
    pub fn all(propositions: u32, longest: u32) -> Vec<Lasso> {
        let mut lassos = Vec::new();
        for length in 1..=longest {
            for code in 0..1u32 << (propositions * length) {
                let letter = |i: u32| code >> (i * propositions) & ((1 << propositions) - 1);
                for back in 0..length as usize {
                    lassos.push(Lasso { letters: (0..length).map(letter).collect(), back });
                }
            }
        }
        lassos
    }

    fn after(&self, place: usize) -> usize {
        if place + 1 < self.letters.len() { place + 1 } else { self.back }
    }
}

/// Whether the word satisfies the formula.
pub fn satisfies(lasso: &Lasso, ltl: &Ltl) -> bool {
    holds(lasso, ltl, ltl.root)[0]
}

fn holds(lasso: &Lasso, ltl: &Ltl, formula: Formula) -> Vec<bool> {
    let places = lasso.letters.len();
    let operands: Vec<Vec<bool>> = ltl.formulas.operands(formula).iter().map(|f| holds(lasso, ltl, *f)).collect();
    let pointwise = |f: &dyn Fn(&[bool]) -> bool| -> Vec<bool> {
        (0..places).map(|i| f(&operands.iter().map(|operand| operand[i]).collect::<Vec<_>>())).collect()
    };
    // The places that a run from `i` visits, in order, until it only repeats them.
    let visits = |i: usize| std::iter::successors(Some(i), |place| Some(lasso.after(*place))).take(2 * places);
    let until = |a: &dyn Fn(usize) -> bool, b: &dyn Fn(usize) -> bool| -> Vec<bool> {
        let from = |i| {
            for place in visits(i) {
                if b(place) {
                    return true;
                }
                if !a(place) {
                    return false;
                }
            }
            false
        };
        (0..places).map(from).collect()
    };
    let always = |a: &dyn Fn(usize) -> bool| -> Vec<bool> { (0..places).map(|i| visits(i).all(a)).collect() };
    let or = |a: Vec<bool>, b: Vec<bool>| -> Vec<bool> { a.into_iter().zip(b).map(|(a, b)| a || b).collect() };
    let it = |n: usize| {
        let operands = &operands;
        move |place: usize| operands[n][place]
    };
    match ltl.formulas.op(formula) {
        Op::True => vec![true; places],
        Op::False => vec![false; places],
        Op::Proposition(p) => lasso.letters.iter().map(|letter| letter >> p & 1 == 1).collect(),
        Op::Not => pointwise(&|v| !v[0]),
        Op::And => pointwise(&|v| v.iter().all(|x| *x)),
        Op::Or => pointwise(&|v| v.iter().any(|x| *x)),
        Op::Xor => pointwise(&|v| v.iter().fold(false, |a, b| a ^ b)),
        Op::Iff => pointwise(&|v| v[1..].iter().fold(v[0], |a, b| a == *b)),
        Op::Implies => pointwise(&|v| !v[0] || v[1]),
        Op::Next => (0..places).map(|i| operands[0][lasso.after(i)]).collect(),
        Op::Finally => until(&|_| true, &it(0)),
        Op::Globally => always(&it(0)),
        Op::Until => until(&it(0), &it(1)),
        Op::WeakUntil => or(until(&it(0), &it(1)), always(&it(0))),
        // b holds up to and including the first place where a does, if there is one; else always.
        Op::StrongRelease => until(&it(1), &|i| operands[0][i] && operands[1][i]),
        Op::Release => or(until(&it(1), &|i| operands[0][i] && operands[1][i]), always(&it(1))),
    }
}

/// Whether some run of the automaton on the word meets every mark infinitely often.
pub fn accepts(tgba: &Tgba, lasso: &Lasso) -> bool {
    let places = lasso.letters.len();
    let node = |state: u32, place: usize| state as usize * places + place;
    let mut graph: DiGraph<(), Vec<u32>> = DiGraph::new();
    for _ in 0..tgba.states.len() * places {
        graph.add_node(());
    }
    let mut reached = vec![false; graph.node_count()];
    let mut open = vec![(tgba.initial, 0)];
    reached[node(tgba.initial, 0)] = true;
    while let Some((state, place)) = open.pop() {
        for Transition { to, marks, label } in &tgba.states[state as usize] {
            if tgba.labels.contains(*label, |p| lasso.letters[place] >> p & 1 == 1) {
                let next = (*to, lasso.after(place));
                let marks = (0..tgba.marks).filter(|mark| marks.has(*mark)).collect();
                graph.add_edge(NodeIndex::new(node(state, place)), NodeIndex::new(node(next.0, next.1)), marks);
                if !std::mem::replace(&mut reached[node(next.0, next.1)], true) {
                    open.push(next);
                }
            }
        }
    }
    kosaraju_scc(&graph).into_iter().any(|component| {
        let mut edges = 0;
        let mut met = vec![false; tgba.marks as usize];
        for edge in graph.edge_indices() {
            let (from, to) = graph.edge_endpoints(edge).unwrap();
            if component.contains(&from) && component.contains(&to) && reached[from.index()] {
                edges += 1;
                for mark in &graph[edge] {
                    met[*mark as usize] = true;
                }
            }
        }
        edges > 0 && met.iter().all(|met| *met)
    })
}

/// The same for an automaton with one mark.
pub fn buchi_accepts(buchi: &Buchi, lasso: &Lasso) -> bool {
    accepts(&Tgba::from(buchi), lasso)
}

/// Whether no word is accepted by both.
pub fn disjoint(a: &Tgba, b: &Tgba) -> bool {
    let mut labels = a.labels.clone();
    let mut graph: DiGraph<(), Vec<u32>> = DiGraph::new();
    let width = b.states.len();
    for _ in 0..a.states.len() * width {
        graph.add_node(());
    }
    let node = |left: u32, right: u32| NodeIndex::new(left as usize * width + right as usize);
    for (left, from_left) in (0..).zip(&a.states) {
        for (right, from_right) in (0..).zip(&b.states) {
            for one in from_left {
                for other in from_right {
                    let label = labels.import(&b.labels, other.label);
                    if !labels.disjoint(one.label, label) {
                        let marks = one.marks.iter().chain(other.marks.iter().map(|mark| mark + a.marks)).collect();
                        graph.add_edge(node(left, right), node(one.to, other.to), marks);
                    }
                }
            }
        }
    }
    let mut reached = vec![false; graph.node_count()];
    let mut open = vec![node(a.initial, b.initial)];
    while let Some(here) = open.pop() {
        if !std::mem::replace(&mut reached[here.index()], true) {
            open.extend(graph.neighbors(here));
        }
    }
    !kosaraju_scc(&graph).into_iter().any(|component| {
        let inside = |node: NodeIndex| component.contains(&node) && reached[node.index()];
        let edges: Vec<_> = graph
            .edge_indices()
            .filter(|edge| graph.edge_endpoints(*edge).is_some_and(|(from, to)| inside(from) && inside(to)))
            .collect();
        !edges.is_empty() && (0..a.marks + b.marks).all(|mark| edges.iter().any(|edge| graph[*edge].contains(&mark)))
    })
}
