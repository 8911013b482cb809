//! The laws of influence on one system: what matters is what naive fixpoints say, on the system and on the paper's graph; what
//! does not matter can be changed and control goes the same ways; what does has a chain that shows it; and it is live.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use puch::check::Options;
use puch::explain::explain;
use puch::flow::live::Live;
use puch::flow::modref::{ModRef, Restrict};
use puch::flow::{Dependence, Flow, Parts, StartEdges, StateId, rank};
use puch::influence::graph::{self, Refused, aut};
use puch::influence::{Influence, Question, influence};
use puch::limits::Limits;
use puch::ltl::atoms::Meaning;
use puch::pds::{HeadId, Pds, SetId};
use spds_format::Spds;
use spds_format::model::{Head, SymbolId, Var};

use super::{pick, systems};
use crate::oracle::influence::{Becomes, Oracle};
use crate::oracle::{self, Next, State};

/// Puch's answer; there is no limit.
fn known(spds: &Spds, question: &Question<'_>) -> Result<Influence, String> {
    influence(spds, question, &Limits::default()).map_err(|stop| stop.to_string())
}

fn in_scope(spds: &Spds, head: Head) -> impl Iterator<Item = Var> + use<> {
    let locals = spds.locals(head.symbol).len() as u32;
    (0..spds.globals.len() as u32).map(Var::Global).chain((0..locals).map(Var::Local))
}

/// For three questions and all heads, what matters is what the oracle says. How many variables do not.
pub fn fixpoints(spds: &Spds, rng: &mut Rng) -> Result<u64, String> {
    let oracle = Oracle::new(spds);
    let goal = SymbolId(rng.u32(..spds.symbols.len() as u32));
    let condition = systems::condition(rng, spds, None);
    let meanings = [Meaning::Values { frame: None, condition: condition.clone() }];
    let leading = oracle.leading(&[goal]);
    let mut hidden = 0;
    for (question, expected) in [
        (Question::conditions(), oracle.matters(None, &[])),
        (Question::reach(vec![(None, goal)]), oracle.matters(Some(&leading), &[])),
        (Question::formula(&meanings), oracle.matters(None, std::slice::from_ref(&condition))),
    ] {
        let known = known(spds, &question)?;
        for head in oracle.heads() {
            let matters: BTreeSet<Var> = known.matters(head).iter().copied().collect();
            let wanted = expected.get(&head).cloned().unwrap_or_default();
            if matters != wanted {
                return Err(format!("at {head:?} there matter {matters:?}, not {wanted:?}, for {question:?}"));
            }
            hidden += (in_scope(spds, head).count() - wanted.len()) as u64;
        }
    }
    Ok(hidden)
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

/// Some configuration of a random run.
fn somewhere(spds: &Spds, rng: &mut Rng) -> Option<Stacked> {
    let state = oracle::starts(spds).first().cloned()?;
    let below = spds.start.stack[1..].iter().rev();
    let mut here = (state, below.map(|symbol| (*symbol, oracle::locals(spds, *symbol)[0].clone())).collect());
    for _ in 0..rng.usize(..12) {
        let next = steps(spds, &here);
        if next.is_empty() {
            break;
        }
        here = pick(rng, &next).clone();
    }
    Some(here)
}

/// Values that do not matter are changed somewhere, and control can go the same ways. How many were.
pub fn changed(spds: &Spds, rng: &mut Rng) -> Result<u64, String> {
    let known = known(spds, &Question::conditions())?;
    let mut changed = 0;
    for _ in 0..3 {
        let Some(here) = somewhere(spds, rng) else { continue };
        let head = Head { control: here.0.control, symbol: here.0.symbol };
        let hidden = |var: Var| known.matters(head).binary_search(&var).is_err();
        let mut other = here.clone();
        let mut differ = 0;
        for (variables, values, var) in [
            (&spds.globals[..], &mut other.0.globals, Var::Global as fn(u32) -> Var),
            (spds.locals(head.symbol), &mut other.0.locals, Var::Local),
        ] {
            let all = oracle::valuations(variables);
            let random = pick(rng, &all);
            let owners = (0..).zip(variables).flat_map(|(i, one)| vec![var(i); one.ty.cells() as usize]);
            for (cell, _) in owners.enumerate().filter(|(_, owner)| hidden(*owner)) {
                differ += u64::from(values[cell] != random[cell]);
                values[cell] = random[cell];
            }
        }
        if differ == 0 {
            continue;
        }
        changed += differ;
        let (expected, actual) = (ways(spds, &here, 4), ways(spds, &other, 4));
        if actual != expected {
            return Err(format!("control goes other ways from {other:?} than from {here:?}"));
        }
    }
    Ok(changed)
}

/// What matters has a chain that the judge accepts and the oracle follows, and nothing else has. How many there are.
pub fn chains(spds: &Spds, rng: &mut Rng) -> Result<u64, String> {
    let known = known(spds, &Question::conditions())?;
    let oracle = Oracle::new(spds);
    let mut heads: Vec<Head> = oracle.heads().into_iter().collect();
    rng.shuffle(&mut heads);
    let mut found = 0;
    for (head, var) in heads.into_iter().take(2).flat_map(|head| in_scope(spds, head).map(move |var| (head, var))) {
        let chain = explain(&known, head, var, &Options::default())?;
        if chain.is_some() != known.matters(head).contains(&var) {
            return Err(format!("{var:?} at {head:?} matters, or has a chain: {chain:?}"));
        }
        let Some(chain) = chain else { continue };
        found += 1;
        // What lies below is not told: a return must lead to some place to return to.
        let follows = |becomes: &Becomes, (to, var): (Head, Var)| match *becomes {
            Becomes::Use => false,
            Becomes::Value(next) | Becomes::Inside(next, _) => next == (to, var),
            Becomes::Returned(control, returned) => (control, returned) == (to.control, var),
        };
        let goes_on = |pair: &[puch::explain::Link]| {
            let all = oracle.next((pair[0].head, pair[0].var), &[]);
            all.iter().any(|becomes| follows(becomes, (pair[1].head, pair[1].var)))
        };
        let last = chain[chain.len() - 1];
        let uses = oracle.next((last.head, last.var), &[]).contains(&Becomes::Use);
        if (chain[0].head, chain[0].var) != (head, var) || !chain.windows(2).all(goes_on) || !uses {
            return Err(format!("this is no chain from {var:?} at {head:?}: {chain:?}"));
        }
    }
    Ok(found)
}

/// What matters is live. How many variables are looked at.
pub fn live(spds: &Spds) -> Result<u64, String> {
    let known = known(spds, &Question::conditions())?;
    let stack = &spds.start.stack;
    let start = StartEdges {
        states: stack.len() as u32,
        initial: vec![(Head { control: spds.start.control, symbol: stack[0] }, StateId(0))],
        inner: (1..stack.len()).map(|i| (StateId(i as u32 - 1), stack[i], StateId(i as u32))).collect(),
    };
    let mut pds = Pds::new(spds, None);
    let flow = Flow::new(&mut pds, &start);
    let graph = Dependence::new(&pds, &flow);
    let invariant = |head: HeadId| {
        let symbol = spds.symbol(pds.head(head).symbol);
        symbol.invariant.as_ref().map_or(SetId::EMPTY, |invariant| pds.reads(invariant, symbol.frame))
    };
    let order = rank::order(&pds, &flow, &ModRef::new(&pds, &flow, Restrict::Touched, invariant));
    let live = Live::new(Parts { pds: &pds, flow: &flow, graph: &graph, order: &order }, invariant);
    let mut looked_at = 0;
    for head in Oracle::new(spds).heads() {
        let frame = spds.symbol(head.symbol).frame;
        let live = live.at(pds.find(head).ok_or_else(|| format!("{head:?} is not reached"))?);
        // Arrays count as a whole in the one, cell by cell in the other.
        let is_array = |var| spds.variable(frame, var).is_some_and(|variable| variable.ty.range.is_some());
        for &var in known.matters(head).iter().filter(|var| !is_array(**var)) {
            looked_at += 1;
            let bits = pds.sets.set(pds.layout.field(var, frame).bits());
            if pds.sets.intersection(live, bits) == SetId::EMPTY {
                return Err(format!("{var:?} at {head:?} matters, and is dead"));
            }
        }
    }
    Ok(looked_at)
}

/// φ of the paper on a graph in Aldebaran's format: the least set of pairs of a node and a variable such that
/// `<BOOL v> true ∨ <ASSIGN z v> Y(z) ∨ <¬(ASSIGN v _)> Y(v)`.
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

/// Without recursion, the paper's formula on the paper's graph says the same; `None` if there is no such graph, or if it is
/// too large for so naive a fixpoint.
pub fn by_formula(spds: &Spds) -> Result<Option<u64>, String> {
    let graph = match graph::graph(spds, &Limits::default()) {
        Ok(graph) if graph.edges.len() < 600 => graph,
        Ok(_) | Err(Refused::Recursive(_)) => return Ok(None),
        Err(Refused::Stopped(stop)) => return Err(stop.to_string()),
    };
    let mut text = Vec::new();
    aut(&mut text, spds, &graph).map_err(|error| error.to_string())?;
    let needed = needed(&String::from_utf8_lossy(&text));
    let known = known(spds, &Question::conditions())?;
    let mut compared = 0;
    for head in Oracle::new(spds).heads() {
        let nodes: Vec<usize> = (0..graph.heads.len()).filter(|node| graph.heads[*node] == Some(head)).collect();
        if nodes.is_empty() {
            return Err(format!("{head:?} is not in the graph"));
        }
        for var in in_scope(spds, head) {
            let frame = spds.symbol(head.symbol).frame;
            let variable = spds.variable(frame, var).map_or("", |variable| &variable.name);
            let called = match (var, frame) {
                (Var::Local(_), Some(frame)) => format!("{}:{variable}", spds.frame(frame).name),
                _ => variable.to_owned(),
            };
            let by_formula = nodes.iter().any(|node| needed.contains(&(*node, called.clone())));
            if known.matters(head).contains(&var) != by_formula {
                return Err(format!("{called} at {head:?}: by the formula {by_formula}"));
            }
            compared += 1;
        }
    }
    Ok(Some(compared))
}
