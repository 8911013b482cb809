//! pre* and post* without data are what the textbook's rules give, configuration by configuration, and each other's duals.

extern crate puch_engine as puch;

#[path = "../benches/families/mod.rs"]
mod families;
mod oracle;
mod support;

use std::collections::BTreeSet;

use fastrand::Rng;
use puch::check::{self, Property, Target, Verdict, check};
use puch::explicit::{applies, post, pre};
use puch::limits::{Limits, Stop};
use puch::options::{Engine, Options, Search, TraceWish};
use puch::regular::{Answer, Direction, Question, saturate};
use puch::replay::{Configuration, contains};
use spds_format::Spds;
use spds_format::automaton::{Automaton, Edge, End, Role, State, StateId};
use spds_format::model::{ControlId, Stack, SymbolId};
use support::{one_in, seeds};

fn system(rng: &mut Rng) -> Spds {
    let (controls, symbols) = (rng.u32(1..4), rng.u32(1..4));
    let mut text = String::from("spds 1\ncontrol p0");
    (1..controls).for_each(|n| text += &format!(", p{n}"));
    text += ";\n";
    (0..symbols).for_each(|n| text += &format!("symbol s{n};\n"));
    text += "start <p0, s0>;\n";
    for _ in 0..rng.u32(1..9) {
        let (from, to) = (rng.u32(..controls), rng.u32(..controls));
        let stack = match rng.u32(..3) {
            0 => String::new(),
            1 => format!(", s{}", rng.u32(..symbols)),
            _ => format!(", s{} s{}", rng.u32(..symbols), rng.u32(..symbols)),
        };
        text += &format!("rule <p{from}, s{}> -> <p{to}{stack}>;\n", rng.u32(..symbols));
    }
    spds_format::parse(&text).unwrap_or_else(|complaints| panic!("{complaints:?}\n{text}"))
}

fn state(name: String, accepting: bool) -> State {
    State { name: name.into(), frame: None, carries: Box::default(), accepting }
}

fn edge(from: End, symbol: Option<u32>, to: u32) -> Edge {
    Edge { from, symbol: symbol.map(SymbolId), to: End::State(StateId(to)), condition: None }
}

fn set(rng: &mut Rng, spds: &Spds) -> Automaton {
    let (controls, symbols) = (spds.controls.len() as u32, spds.symbols.len() as u32);
    let states = rng.u32(1..4);
    let accepting = rng.u32(..states);
    let named: Vec<State> = (0..states).map(|n| state(format!("s{n}"), n == accepting || one_in(rng, 4))).collect();
    let mut automaton = Automaton { states: named, ..Automaton::default() };
    for _ in 0..rng.u32(1..7) {
        let from = match one_in(rng, 2) {
            true => End::Control(ControlId(rng.u32(..controls))),
            false => End::State(StateId(rng.u32(..states))),
        };
        automaton.edges.push(edge(from, Some(rng.u32(..symbols)), rng.u32(..states)));
    }
    if one_in(rng, 4) {
        automaton.edges.push(edge(End::Control(ControlId(rng.u32(..controls))), None, accepting));
    }
    automaton
}

/// All configurations with at most so many symbols.
fn configurations(spds: &Spds, most: usize) -> Vec<Configuration> {
    let mut stacks: Vec<Vec<u32>> = vec![Vec::new()];
    let mut longest = stacks.clone();
    for _ in 0..most {
        let symbols = 0..spds.symbols.len() as u32;
        longest = longest.iter().flat_map(|stack| symbols.clone().map(|s| [stack.clone(), vec![s]].concat())).collect();
        stacks.extend(longest.clone());
    }
    let all = stacks.iter().flat_map(|stack| {
        (0..spds.controls.len() as u32).map(|control| Configuration {
            control: ControlId(control),
            globals: Default::default(),
            stack: stack.iter().map(|symbol| (SymbolId(*symbol), Default::default())).collect(),
        })
    });
    all.collect()
}

/// A state of the textbook's automata: a control location, a state of the set, or what post* adds for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Control(u32),
    State(u32),
    Call(u32, u32),
}

type Edges = BTreeSet<(Place, Option<u32>, Place)>;

fn edges(set: &Automaton) -> Edges {
    let place = |end| match end {
        End::Control(ControlId(n)) => Place::Control(n),
        End::State(StateId(n)) => Place::State(n),
    };
    set.edges.iter().map(|edge| (place(edge.from), edge.symbol.map(|s| s.0), place(edge.to))).collect()
}

/// Where a stack can lead from a place; empty words anywhere.
fn read(edges: &Edges, from: Place, stack: &[u32]) -> BTreeSet<Place> {
    let closed = |mut here: BTreeSet<Place>| loop {
        let next = edges.iter().filter(|(from, symbol, _)| symbol.is_none() && here.contains(from)).map(|edge| edge.2);
        let size = here.len();
        here = next.chain(here.iter().copied()).collect();
        if here.len() == size {
            return here;
        }
    };
    let mut here = closed(BTreeSet::from([from]));
    for symbol in stack {
        let next = edges.iter().filter(|(from, s, _)| *s == Some(*symbol) && here.contains(from));
        here = closed(next.map(|edge| edge.2).collect());
    }
    here
}

fn saturated(mut edges: Edges, new: impl Fn(&Edges) -> Edges) -> Edges {
    loop {
        let size = edges.len();
        let more = new(&edges);
        edges.extend(more);
        if edges.len() == size {
            return edges;
        }
    }
}

/// If ⟨p,γ⟩ → ⟨p′,w⟩ and p′ –w→ q then p –γ→ q.
fn naive_pre(spds: &Spds, set: &Automaton) -> Edges {
    saturated(edges(set), |edges| {
        let rules = spds.rules.iter().flat_map(|rule| {
            let word = match rule.stack {
                Stack::Pop => vec![],
                Stack::Swap(a) => vec![a.0],
                Stack::Push(a, b) => vec![a.0, b.0],
            };
            // Only what the set reads is read, but not its words for the empty stack.
            let reading = edges.iter().filter(|edge| edge.1.is_some()).copied().collect();
            let to = read(&reading, Place::Control(rule.to.0), &word);
            to.into_iter().map(|to| (Place::Control(rule.from.control.0), Some(rule.from.symbol.0), to))
        });
        rules.collect()
    })
}

/// The rules of Schwoon's thesis, §3.1.4.
fn naive_post(spds: &Spds, set: &Automaton) -> Edges {
    saturated(edges(set), |edges| {
        let mut new = Edges::new();
        for rule in &spds.rules {
            let from = Place::Control(rule.from.control.0);
            // Words of the set for the empty stack are not gone on from.
            let going: Edges = edges.iter().filter(|edge| edge.1.is_some() || !is_word(set, edge)).copied().collect();
            for to in read(&going, from, &[rule.from.symbol.0]) {
                let control = Place::Control(rule.to.0);
                match rule.stack {
                    Stack::Pop => {
                        new.insert((control, None, to));
                    }
                    Stack::Swap(a) => {
                        new.insert((control, Some(a.0), to));
                    }
                    Stack::Push(a, b) => {
                        let call = Place::Call(rule.to.0, a.0);
                        new.insert((control, Some(a.0), call));
                        new.insert((call, Some(b.0), to));
                    }
                }
            }
        }
        new
    })
}

fn is_word(set: &Automaton, edge: &(Place, Option<u32>, Place)) -> bool {
    edges(set).contains(edge) && !edges(set).iter().any(|(from, ..)| *from == edge.2)
}

fn accepts(set: &Automaton, edges: &Edges, configuration: &Configuration) -> bool {
    let stack: Vec<u32> = configuration.stack.iter().map(|(symbol, _)| symbol.0).collect();
    let ends = read(edges, Place::Control(configuration.control.0), &stack);
    set.states.iter().zip(0..).any(|(state, n)| state.accepting && ends.contains(&Place::State(n)))
}

#[test]
fn random_sets_are_saturated_as_by_the_textbook() {
    let (mut inside, mut outside) = (0, 0);
    for seed in seeds(0..600) {
        let mut rng = Rng::with_seed(seed);
        let spds = system(&mut rng);
        let mut set = set(&mut rng, &spds);
        // The textbook's automata read the empty word anywhere: a word for the empty stack gets a state of its own.
        let alone = set.states.len() as u32;
        if let Some(word) = set.edges.iter_mut().find(|edge| edge.symbol.is_none()) {
            word.to = End::State(StateId(alone));
            set.states.push(state("empty".into(), true));
        }
        assert!(applies(&spds, &set), "seed {seed}");
        let limits = Limits::default();
        let (forwards, backwards) =
            (post(&spds, &set, &limits).expect("small"), pre(&spds, &set, &limits).expect("small"));
        assert_eq!(forwards.check(&spds, Role::Input), [], "seed {seed}");
        assert_eq!(backwards.check(&spds, Role::Result), [], "seed {seed}");
        let (naive_post, naive_pre) = (naive_post(&spds, &set), naive_pre(&spds, &set));
        for configuration in configurations(&spds, 4) {
            for (what, found, naive) in [("post", &forwards, &naive_post), ("pre", &backwards, &naive_pre)] {
                let (is, should) = (contains(&spds, found, &configuration), accepts(&set, naive, &configuration));
                assert_eq!(is, should, "seed {seed}: {what}*, {configuration:?}\n{spds}\n{set:?}\n{found:?}");
                *(if is { &mut inside } else { &mut outside }) += 1;
            }
        }
    }
    assert!(inside > 10_000 && outside > 10_000, "{inside} {outside}");
}

/// The set of one configuration.
fn single(configuration: &Configuration) -> Automaton {
    let depth = configuration.stack.len().max(1);
    let states = (0..depth).map(|n| state(format!("s{n}"), n + 1 == depth)).collect();
    let first = End::Control(configuration.control);
    if configuration.stack.is_empty() {
        return Automaton { states, edges: vec![edge(first, None, 0)] };
    }
    let from = std::iter::once(first).chain((0..).map(|n| End::State(StateId(n))));
    let edges =
        configuration.stack.iter().zip(from).zip(0..).map(|(((symbol, _), from), n)| edge(from, Some(symbol.0), n));
    Automaton { states, edges: edges.collect() }
}

#[test]
fn forwards_and_backwards_are_dual() {
    let mut related = 0;
    for seed in seeds(0..120) {
        let mut rng = Rng::with_seed(seed);
        let spds = system(&mut rng);
        let all = configurations(&spds, 3);
        for _ in 0..5 {
            let (a, b) = (&all[rng.usize(..all.len())], &all[rng.usize(..all.len())]);
            let limits = Limits::default();
            let forwards = contains(&spds, &post(&spds, &single(a), &limits).expect("small"), b);
            let backwards = contains(&spds, &pre(&spds, &single(b), &limits).expect("small"), a);
            assert_eq!(forwards, backwards, "seed {seed}: {a:?} {b:?}\n{spds}");
            related += usize::from(forwards);
        }
    }
    assert!(related > 20, "{related}");
}

#[test]
fn only_what_is_without_data() {
    let read = |text: &str| spds_format::parse(text).expect("right");
    let plain = read("spds 1 control p; symbol a; start <p, a>; rule <p, a> -> <p>;");
    let set = single(&configurations(&plain, 1)[1]);
    assert!(applies(&plain, &set));
    let global = read("spds 1 global g: bool; control p; symbol a; start <p, a>; rule <p, a> -> <p>;");
    assert!(!applies(&global, &set));
    let guard = read("spds 1 control p; symbol a; start <p, a>; rule <p, a> -> <p> when *;");
    assert!(!applies(&guard, &set));
    let mut into = set.clone();
    into.edges[0].to = End::Control(ControlId(0));
    assert!(!applies(&plain, &into));
}

#[test]
fn a_limit_is_an_answer() {
    let spds = system(&mut Rng::with_seed(1));
    let set = single(&configurations(&spds, 1)[1]);
    let deadline = Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() };
    assert_eq!(post(&spds, &set, &deadline), Err(Stop::Timeout));
    assert_eq!(pre(&spds, &set, &deadline), Err(Stop::Timeout));
    let memory = Limits { memory: Some(1), ..Limits::default() };
    assert_eq!(pre(&spds, &set, &memory), Err(Stop::Memory));
}

#[test]
fn with_a_variable_that_no_one_reads_the_answers_are_the_same() {
    let mut both = [0, 0];
    for seed in seeds(0..120) {
        let mut rng = Rng::with_seed(seed);
        let plain = system(&mut rng);
        let with_data = spds_format::parse(&plain.to_string().replacen("control", "global g: bool;\ncontrol", 1));
        let with_data = with_data.expect("one more line is right");
        let set = set(&mut rng, &plain);
        if !set.check(&plain, Role::Input).is_empty() {
            continue;
        }
        let others: Vec<Automaton> = configurations(&plain, 2).iter().map(single).collect();
        for direction in [Direction::Post, Direction::Pre] {
            let question = Question { direction, set: &set, meets: &others, words: Some(10) };
            let asked = |spds: &Spds| saturate(spds, &question, &Options::default()).answer.expect("no limit is set");
            let (explicit, symbolic) = (asked(&plain), asked(&with_data));
            assert_eq!(explicit.meets, symbolic.meets, "seed {seed} {direction:?}\n{plain}");
            let heads =
                |answer: &Answer| answer.heads.iter().map(|head| (head.control, head.symbol)).collect::<Vec<_>>();
            assert_eq!(heads(&explicit), heads(&symbolic), "seed {seed} {direction:?}\n{plain}");
            assert_eq!(explicit.automaton.expect("it was wanted").check(&plain, Role::Input), []);
            explicit.meets.iter().for_each(|meets| both[usize::from(*meets)] += 1);
        }
    }
    assert!(both.iter().all(|count| *count > 500), "{both:?}");
}

/// Every symbol, everywhere and under each control location.
fn places(spds: &Spds) -> Vec<Property> {
    let controls = || (0..spds.controls.len() as u32).map(ControlId).map(Some).chain([None]);
    let symbols = (0..spds.symbols.len() as u32).map(SymbolId);
    let targets = symbols.flat_map(|symbol| controls().map(move |control| Target { control, symbol }));
    targets.map(|target| Property::Reach(vec![target])).collect()
}

#[test]
fn places_are_reached_as_the_symbolic_search_says() {
    let mut reachable = [0; 2];
    for seed in seeds(0..300) {
        let rng = &mut Rng::with_seed(seed);
        let mut spds = system(rng);
        let symbols = spds.symbols.len() as u32;
        let below = (0..rng.u32(..3)).map(|_| SymbolId(rng.u32(..symbols)));
        spds.start.stack = spds.start.stack.iter().copied().chain(below).collect();
        let mut properties = places(&spds);
        properties.push(Property::Termination);
        let answers = |engine, search, trace| {
            let options = Options { engine, search, trace, ..Options::default() };
            check(&spds, &properties, &options).unwrap_or_else(|error| panic!("seed {seed}: {error}")).answers
        };
        let explicit = answers(Engine::Auto, Search::Auto, TraceWish::None);
        let backwards = answers(Engine::Auto, Search::Pre, TraceWish::None);
        let shown = answers(Engine::Auto, Search::Auto, TraceWish::Shortest);
        let symbolic = answers(Engine::Biodivine, Search::Auto, TraceWish::Shortest);
        for (i, answer) in symbolic.iter().enumerate() {
            assert_eq!(explicit[i].verdict, answer.verdict.bare(), "seed {seed}, {:?}", properties[i]);
            assert_eq!(backwards[i].verdict, answer.verdict.bare(), "seed {seed}, {:?}, backwards", properties[i]);
            assert_eq!(shown[i].verdict.bare(), answer.verdict.bare(), "seed {seed}, {:?}", properties[i]);
            let length = |answer: &check::Answer| answer.verdict.trace().map(|trace| trace.run.stem.len());
            if matches!(properties[i], Property::Reach(_)) {
                assert_eq!(length(&shown[i]), length(answer), "seed {seed}, {:?}", properties[i]);
            }
            assert_eq!(length(answer).is_some(), answer.verdict.claims_run(), "seed {seed}");
            reachable[usize::from(matches!(answer.verdict, Verdict::Reachable(_)))] += 1;
        }
    }
    assert!(reachable.iter().all(|number| *number > 100), "{reachable:?}");
}

#[test]
fn backwards_a_dense_system_is_decided_without_relations() {
    let family = families::FAMILIES.iter().find(|family| family.name == "explicit").expect("it is a family");
    let text = family.program(&[6_000, 60, 40, 1]).expect("these are sizes");
    let read = puch::pdaaal::read(&text, &puch::pdaaal::Options { start: puch::pdaaal::Starting::Told });
    let spds = read.unwrap_or_else(|complaints| panic!("{complaints:?}")).spds;
    // By relations this takes minutes, and far more memory.
    let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
    let options = |search| Options { search, trace: TraceWish::None, limits, ..Options::default() };
    let mut properties = vec![Property::Termination];
    properties.extend((0..3).map(|symbol| Property::Reach(vec![Target { control: None, symbol: SymbolId(symbol) }])));
    let [forwards, backwards] = [Search::Post, Search::Pre]
        .map(|search| check(&spds, &properties, &options(search)).expect("they agree").answers);
    let verdicts = |answers: &[check::Answer]| answers.iter().map(|answer| answer.verdict.bare()).collect::<Vec<_>>();
    assert_eq!(verdicts(&forwards), verdicts(&backwards));
    assert!(backwards.iter().any(|answer| answer.verdict.claims_run()));
}

#[test]
fn a_dense_system_is_unwound_along_the_earliest_derivations() {
    // Nearly every shortest way through a call is through calls that no other one has.
    let (mut rng, controls, symbols) = (Rng::with_seed(1), 60, 60);
    let mut text = String::from("spds 1\n");
    (0..controls).for_each(|n| text += &format!("control p{n};\n"));
    (0..symbols).for_each(|n| text += &format!("symbol s{n};\n"));
    text += "symbol R;\nstart <p0, s0 s1>;\nrule <p0, s1> -> <p0, R>;\nrule <p0, s0> -> <p0, s0 s0>;\n";
    for _ in 0..10_800 {
        let stack = match rng.u32(..3) {
            0 => String::new(),
            1 => format!(", s{}", rng.u32(..symbols)),
            _ => format!(", s{} s{}", rng.u32(..symbols), rng.u32(..symbols)),
        };
        let (from, symbol, to) = (rng.u32(..controls), rng.u32(..symbols), rng.u32(..controls));
        text += &format!("rule <p{from}, s{symbol}> -> <p{to}{stack}>;\n");
    }
    let spds = spds_format::parse(&text).expect("right");
    let goal = spds.symbols.iter().position(|symbol| &*symbol.name == "R").expect("declared") as u32;
    let asked = [Property::Reach(vec![Target { control: None, symbol: SymbolId(goal) }]), Property::Termination];
    let answers = check(&spds, &asked, &Options::default()).expect("all runs are real").answers;
    let items = |answer: &check::Answer| {
        let run = &answer.verdict.trace().expect("found and judged").run;
        run.stem.len() + run.calls.iter().map(|call| call.steps.len()).sum::<usize>()
    };
    assert!(answers.iter().all(|answer| items(answer) < 10_000), "{:?}", answers.iter().map(items).collect::<Vec<_>>());
}
