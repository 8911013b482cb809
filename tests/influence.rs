//! Influence: which variables matter is what naive fixpoints say, on the system and on the paper's graph; what does not matter
//! can be changed and nothing happens, and what does has a chain that shows it.

mod oracle;
mod support;

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use oracle::influence::{Becomes, Oracle};
use oracle::{Next, State};
use puch::boolprog;
use puch::check::Options;
use puch::explain::explain;
use puch::flow::live::Live;
use puch::flow::{Dependence, Flow, StartEdges, StateId};
use puch::influence::graph::{self, Refused, aut};
use puch::influence::{Influence, Question, influence};
use puch::limits::Limits;
use puch::ltl::atoms::Meaning;
use puch::pds::{Pds, SetId};
use spds_format::Spds;
use spds_format::model::{Head, SymbolId, Var};
use support::systems::{self, Features};
use support::{pick, programs};

fn known(spds: &Spds, question: &Question<'_>) -> Influence {
    influence(spds, question, &Limits::default()).expect("there is no limit")
}

/// Random systems, and random programs.
fn inputs(systems: std::ops::Range<u64>, programs: std::ops::Range<u64>) -> impl Iterator<Item = (String, Spds)> {
    let systems = support::seeds(systems).map(|seed| (format!("system {seed}"), systems::system(seed, Features::ALL)));
    let programs = support::seeds(programs).map(|seed| {
        let text = programs::program(seed).to_string();
        let program = boolprog::read(&text, "random.bp", &boolprog::Options::default()).expect("it is fine");
        (format!("program {seed}"), program.spds)
    });
    systems.chain(programs)
}

fn in_scope(spds: &Spds, head: Head) -> impl Iterator<Item = Var> + use<> {
    let locals = spds.locals(head.symbol).len() as u32;
    (0..spds.globals.len() as u32).map(Var::Global).chain((0..locals).map(Var::Local))
}

#[test]
fn what_matters_is_what_naive_fixpoints_say() {
    let mut hidden = 0;
    for (name, spds) in inputs(0..250, 0..60) {
        let rng = &mut Rng::with_seed(7);
        let oracle = Oracle::new(&spds);
        let goal = SymbolId(rng.u32(..spds.symbols.len() as u32));
        let condition = systems::condition(rng, &spds, None);
        let meanings = [Meaning::Values { frame: None, condition: condition.clone() }];
        let leading = oracle.leading(&[goal]);
        for (question, expected) in [
            (Question::conditions(), oracle.matters(None, &[])),
            (Question::reach(vec![(None, goal)]), oracle.matters(Some(&leading), &[])),
            (Question::formula(&meanings), oracle.matters(None, std::slice::from_ref(&condition))),
        ] {
            let known = known(&spds, &question);
            for head in oracle.heads() {
                let matters: BTreeSet<Var> = known.matters(head).iter().copied().collect();
                let wanted = expected.get(&head).cloned().unwrap_or_default();
                assert_eq!(matters, wanted, "{name}, {head:?}, {question:?}\n{}", spds_format::print(&spds));
                hidden += in_scope(&spds, head).count() - wanted.len();
            }
        }
    }
    assert!(hidden > 1000, "hardly anything does not matter: {hidden}");
}

/// A configuration with its stack.
type Stacked = (State, Vec<(SymbolId, Vec<u64>)>);

fn steps(spds: &Spds, (state, below): &Stacked) -> Vec<Stacked> {
    let all = oracle::successors(spds, state).into_iter().filter_map(|(_, next)| match next {
        Next::Swap(state) => Some((state, below.clone())),
        Next::Push(state, site, saved) => {
            let mut below = below.clone();
            below.push((site, saved));
            Some((state, below))
        }
        Next::Pop(control, globals) => {
            let mut below = below.clone();
            let (symbol, locals) = below.pop()?;
            let state = State { control, symbol, globals, locals };
            oracle::invariant(spds, &state).then_some((state, below))
        }
    });
    all.collect()
}

/// All ways that control can take in so many steps.
fn ways(spds: &Spds, from: &Stacked, count: usize) -> BTreeSet<Vec<Head>> {
    let mut all: BTreeSet<Vec<Head>> = BTreeSet::new();
    let mut now: BTreeMap<Vec<Head>, BTreeSet<Stacked>> =
        BTreeMap::from([(Vec::new(), BTreeSet::from([from.clone()]))]);
    for _ in 0..count {
        let mut next: BTreeMap<Vec<Head>, BTreeSet<Stacked>> = BTreeMap::new();
        for (way, set) in &now {
            for (state, below) in set.iter().flat_map(|one| steps(spds, one)) {
                let mut way = way.clone();
                way.push(Head { control: state.control, symbol: state.symbol });
                next.entry(way).or_default().insert((state, below));
            }
        }
        all.extend(next.keys().cloned());
        now = next;
    }
    all
}

#[test]
fn what_does_not_matter_can_be_changed_and_control_goes_the_same_ways() {
    let mut changed = 0;
    for (name, spds) in inputs(0..250, 0..40) {
        let rng = &mut Rng::with_seed(11);
        let known = known(&spds, &Question::conditions());
        for _ in 0..3 {
            let Some(mut here) = oracle::starts(&spds).first().cloned().map(|state| {
                let below = &spds.start.stack[1..];
                let below = below.iter().rev().map(|symbol| (*symbol, oracle::locals(&spds, *symbol)[0].clone()));
                (state, below.collect::<Vec<_>>())
            }) else {
                continue;
            };
            for _ in 0..rng.usize(..12) {
                let next = steps(&spds, &here);
                if next.is_empty() {
                    break;
                }
                here = pick(rng, &next).clone();
            }
            let head = Head { control: here.0.control, symbol: here.0.symbol };
            let hidden: Vec<Var> =
                in_scope(&spds, head).filter(|var| known.matters(head).binary_search(var).is_err()).collect();
            if hidden.is_empty() {
                continue;
            }
            let mut other = here.clone();
            for (variables, values) in [
                (&spds.globals[..], (&mut other.0.globals, true)),
                (spds.locals(head.symbol), (&mut other.0.locals, false)),
            ] {
                let (values, global) = values;
                let all = oracle::valuations(variables);
                let random = pick(rng, &all);
                let mut cell = 0;
                for (i, variable) in variables.iter().enumerate() {
                    let var = if global { Var::Global(i as u32) } else { Var::Local(i as u32) };
                    for _ in 0..variable.ty.cells() {
                        if hidden.contains(&var) {
                            changed += usize::from(values[cell] != random[cell]);
                            values[cell] = random[cell];
                        }
                        cell += 1;
                    }
                }
            }
            let (expected, actual) = (ways(&spds, &here, 4), ways(&spds, &other, 4));
            assert_eq!(actual, expected, "{name}: {here:?} and {other:?}\n{}", spds_format::print(&spds));
        }
    }
    assert!(changed > 100, "hardly anything was changed: {changed}");
}

#[test]
fn what_matters_has_a_chain_to_a_use() {
    let mut long = 0;
    for (name, spds) in inputs(0..60, 0..20) {
        let known = known(&spds, &Question::conditions());
        let oracle = Oracle::new(&spds);
        let mut heads: Vec<Head> = oracle.heads().into_iter().collect();
        Rng::with_seed(5).shuffle(&mut heads);
        for head in heads.into_iter().take(2) {
            for var in in_scope(&spds, head) {
                let chain = explain(&known, head, var, &Options::default()).expect("there is no limit");
                assert_eq!(chain.is_some(), known.matters(head).contains(&var), "{name}");
                let Some(chain) = chain else { continue };
                assert_eq!((chain[0].head, chain[0].var), (head, var), "{name}");
                long += usize::from(chain.len() > 2);
                // What lies below is not told: a return must lead to some place to return to.
                let follows = |becomes: &Becomes, (to, var): (Head, Var)| match *becomes {
                    Becomes::Use => false,
                    Becomes::Value(next) | Becomes::Inside(next, _) => next == (to, var),
                    Becomes::Returned(control, returned) => (control, returned) == (to.control, var),
                };
                for pair in chain.windows(2) {
                    let all = oracle.next((pair[0].head, pair[0].var), &[]);
                    let next = (pair[1].head, pair[1].var);
                    assert!(all.iter().any(|becomes| follows(becomes, next)), "{name}: {chain:?}");
                }
                let last = chain[chain.len() - 1];
                assert!(oracle.next((last.head, last.var), &[]).contains(&Becomes::Use), "{name}: {chain:?}");
            }
        }
    }
    assert!(long > 20, "hardly any chain is longer than two places: {long}");
}

#[test]
fn what_matters_is_live() {
    for (name, spds) in inputs(0..250, 0..60) {
        let known = known(&spds, &Question::conditions());
        let stack = &spds.start.stack;
        let start = StartEdges {
            states: stack.len() as u32,
            initial: vec![(Head { control: spds.start.control, symbol: stack[0] }, StateId(0))],
            inner: (1..stack.len()).map(|i| (StateId(i as u32 - 1), stack[i], StateId(i as u32))).collect(),
        };
        let mut pds = Pds::new(&spds, None);
        let flow = Flow::new(&mut pds, &start);
        let graph = Dependence::new(&pds, &flow);
        let live = Live::new(&pds, &flow, &graph, |head| {
            let symbol = spds.symbol(pds.head(head).symbol);
            symbol.invariant.as_ref().map_or(SetId::EMPTY, |invariant| pds.reads(invariant, symbol.frame))
        });
        for head in Oracle::new(&spds).heads() {
            let frame = spds.symbol(head.symbol).frame;
            let live = live.at(pds.find(head).expect("it is reached"));
            // Arrays count as a whole in the one, cell by cell in the other.
            let is_array = |var| spds.variable(frame, var).is_some_and(|variable| variable.ty.range.is_some());
            for &var in known.matters(head).iter().filter(|var| !is_array(**var)) {
                let bits = pds.sets.set(pds.layout.field(var, frame).bits());
                assert_ne!(pds.sets.intersection(live, bits), SetId::EMPTY, "{name}: {var:?} at {head:?}");
            }
        }
    }
}

/// φ of the paper on a graph in Aldebaran's format: the least set of pairs of a node and a variable such that
/// <BOOL v> true ∨ <ASSIGN z v> Y(z) ∨ <¬(ASSIGN v _)> Y(v).
fn needed(text: &str) -> BTreeSet<(usize, String)> {
    let mut edges: Vec<(usize, Vec<String>, usize)> = Vec::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for line in text.lines().skip(1) {
        let (from, rest) = line.trim_matches(['(', ')']).split_once(", \"").expect("an edge");
        let (label, to) = rest.rsplit_once("\", ").expect("an edge");
        let words: Vec<String> = label.split(' ').map(str::to_owned).collect();
        names.extend(words[1..].iter().cloned());
        edges.push((from.parse().expect("a number"), words, to.parse().expect("a number")));
    }
    let mut found: BTreeSet<(usize, String)> = BTreeSet::new();
    loop {
        let size = found.len();
        for (from, label, to) in &edges {
            for v in &names {
                let label: Vec<&str> = label.iter().map(String::as_str).collect();
                let holds = match label[..] {
                    ["BOOL" | "ASSERT", read] if read == v => true,
                    ["ASSIGN", z, read] if read == v && found.contains(&(*to, z.to_owned())) => true,
                    ["ASSIGN", z, _] if z == v => false,
                    _ => found.contains(&(*to, v.clone())),
                };
                if holds {
                    found.insert((*from, v.clone()));
                }
            }
        }
        if found.len() == size {
            return found;
        }
    }
}

#[test]
fn without_recursion_the_formula_of_the_paper_says_the_same() {
    let (mut inlined, mut refused) = (0, 0);
    for (name, spds) in inputs(0..150, 0..60) {
        let graph = match graph::graph(&spds, &Limits::default()) {
            Ok(graph) if graph.edges.len() < 600 => graph,
            Ok(_) => continue,
            Err(Refused::Recursive(_)) => {
                refused += 1;
                continue;
            }
            Err(Refused::Stopped(stop)) => panic!("{name}: {stop}"),
        };
        inlined += 1;
        let mut text = Vec::new();
        aut(&mut text, &spds, &graph).expect("a vector takes everything");
        let needed = needed(&String::from_utf8_lossy(&text));
        let known = known(&spds, &Question::conditions());
        for head in Oracle::new(&spds).heads() {
            let nodes: Vec<usize> = (0..graph.heads.len()).filter(|node| graph.heads[*node] == Some(head)).collect();
            assert!(!nodes.is_empty(), "{name}: {head:?} is not in the graph");
            for var in in_scope(&spds, head) {
                let frame = spds.symbol(head.symbol).frame;
                let variable = &spds.variable(frame, var).expect("it is in scope").name;
                let called = match (var, frame) {
                    (Var::Local(_), Some(frame)) => format!("{}:{variable}", spds.frame(frame).name),
                    _ => variable.to_string(),
                };
                let by_formula = nodes.iter().any(|node| needed.contains(&(*node, called.clone())));
                let matters = known.matters(head).contains(&var);
                assert_eq!(matters, by_formula, "{name}: {called} at {head:?}\n{}", spds_format::print(&spds));
            }
        }
    }
    assert!(inlined > 30 && refused > 20, "{inlined} without recursion, {refused} with");
}
