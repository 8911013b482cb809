//! post* and pre* of regular sets: held to the oracle, to each other, and to runs.

extern crate puch_engine as puch;

mod oracle;
mod support;
#[path = "../benches/families/wide.rs"]
mod wide;

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use oracle::{Next, State, explore, invariant, successors};
use puch::check::Options;
use puch::enumeration::{self, Count};
use puch::limits::Limits;
use puch::options::Loops;
use puch::regular::{Contents, Direction, Question, saturate, saturate_and_ask, start};
use puch::remopla;
use spds_format::Spds;
use spds_format::automaton::{self, Automaton, Edge, End, Role, StateId};
use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{ControlId, SymbolId, Var, Variable};
use support::automata::{Carry, automaton};
use support::systems::{Features, set, system};
use support::{one_in, pick, seeds};

/// A configuration: control location, globals, and the stack with its locals.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Configuration {
    control: ControlId,
    globals: Vec<u64>,
    stack: Vec<(SymbolId, Vec<u64>)>,
}

impl Configuration {
    fn top(&self) -> Option<State> {
        let (symbol, locals) = self.stack.first()?.clone();
        Some(State { control: self.control, symbol, globals: self.globals.clone(), locals })
    }

    /// What can follow; nothing after the empty stack.
    fn next(&self, spds: &Spds) -> Vec<Configuration> {
        let Some(top) = self.top() else { return Vec::new() };
        let below = &self.stack[1..];
        let follow = |next: Next| match next {
            Next::Swap(state) => self.with(&state, &[], below),
            Next::Push(state, site, saved) => self.with(&state, &[(site, saved)], below),
            Next::Pop(control, globals) => Configuration { control, globals, stack: below.to_vec() },
        };
        let all = successors(spds, &top).into_iter().map(|(_, next)| follow(next));
        all.filter(|next| next.top().is_none_or(|top| invariant(spds, &top))).collect()
    }

    fn with(&self, top: &State, pushed: &[(SymbolId, Vec<u64>)], below: &[(SymbolId, Vec<u64>)]) -> Configuration {
        let stack = [&[(top.symbol, top.locals.clone())], pushed, below].concat();
        Configuration { control: top.control, globals: top.globals.clone(), stack }
    }

    /// The set of just this one.
    fn alone(&self, spds: &Spds) -> Automaton {
        let mut alone = Automaton::default();
        let state = |number: usize| automaton::State {
            name: format!("c{number}").into(),
            frame: None,
            carries: [].into(),
            accepting: number == self.stack.len(),
        };
        alone.states = (1..=self.stack.len().max(1)).map(state).collect();
        alone.states.last_mut().expect("there is one").accepting = true;
        let globals = || equal(Var::Global, &spds.globals, &self.globals);
        for (i, (symbol, locals)) in self.stack.iter().enumerate() {
            let condition = equal(Var::Local, spds.locals(*symbol), locals);
            let (from, condition) = match i {
                0 => (End::Control(self.control), globals().and(&condition)),
                _ => (End::State(StateId(i as u32 - 1)), condition),
            };
            let to = End::State(StateId(i as u32));
            alone.edges.push(Edge { from, symbol: Some(*symbol), to, condition: Some(condition) });
        }
        if self.stack.is_empty() {
            let (from, to) = (End::Control(self.control), End::State(StateId(0)));
            alone.edges.push(Edge { from, symbol: None, to, condition: Some(globals()) });
        }
        alone
    }
}

/// The variables have these values, cell by cell.
fn equal(var: fn(u32) -> Var, variables: &[Variable], values: &[u64]) -> Expr {
    let mut cells = values.iter();
    let mut all = Expr::constant(true);
    for (i, variable) in variables.iter().enumerate() {
        for cell in 0..variable.ty.cells() {
            let value = *cells.next().expect("each cell has a value");
            let read = match variable.ty.range {
                None => vec![Op::Read(var(i as u32), Time::Before)],
                Some((first, _)) => {
                    vec![Op::Number(u64::from(first + cell)), Op::Cell(var(i as u32), Time::Before)]
                }
            };
            let read = Expr::from_postorder(read).expect("one tree");
            let is = match variable.ty.scalar {
                spds_format::model::Scalar::Bool if value == 1 => read,
                spds_format::model::Scalar::Bool => read.not(),
                spds_format::model::Scalar::Unsigned(_) => Expr::binary(&read, Binary::Eq, &Expr::number(value)),
            };
            all = all.and(&is);
        }
    }
    all
}

/// Whether the set that is reached (or that reaches) has something in common with each of these.
fn meets(spds: &Spds, direction: Direction, set: &Automaton, others: &[Automaton]) -> Vec<bool> {
    for set in others.iter().chain([set]) {
        assert_eq!(set.check(spds, Role::Input), []);
    }
    let question = Question { direction, set, meets: others, words: None };
    saturate(spds, &question, &Options::default()).answer.expect("no limit is set").meets
}

fn is_hidden(spds: &Spds, state: &State) -> bool {
    let from = |rule: &spds_format::model::Rule| (rule.from.control, rule.from.symbol);
    spds.rules.iter().any(|rule| rule.silent && from(rule) == (state.control, state.symbol))
}

#[test]
fn post_star_of_the_start_has_the_heads_and_values_that_the_oracle_reaches() {
    for seed in seeds(0..200) {
        let spds = system(seed, Features::ALL);
        let mut expected: BTreeMap<(ControlId, SymbolId), BTreeSet<State>> = BTreeMap::new();
        for state in explore(&spds).distances.into_keys().filter(|state| !is_hidden(&spds, state)) {
            expected.entry((state.control, state.symbol)).or_default().insert(state);
        }
        let expected: Vec<_> = expected.into_iter().map(|(head, states)| (head, states.len() as f64)).collect();
        let start = start(&spds);
        let question = Question { direction: Direction::Post, set: &start, meets: &[], words: None };
        let answer = saturate(&spds, &question, &Options::default()).answer.expect("no limit is set");
        let found: Vec<_> = answer.heads.iter().map(|head| ((head.control, head.symbol), head.values)).collect();
        assert_eq!(found, expected, "seed {seed}\n{spds}");
    }
}

#[test]
fn pre_star_of_a_head_with_values_has_a_start_iff_the_oracle_reaches_it() {
    for seed in seeds(0..60) {
        let spds = system(seed, Features::ALL);
        let reached: BTreeSet<State> = explore(&spds).distances.into_keys().collect();
        let mut rng = Rng::with_seed(seed);
        for _ in 0..6 {
            // Half of them reached, the others anything.
            let states: Vec<&State> = reached.iter().collect();
            let wanted = match !states.is_empty() && one_in(&mut rng, 2) {
                true => (*pick(&mut rng, &states)).clone(),
                false => anything(&mut rng, &spds, 1).top().expect("one symbol"),
            };
            let mut set = Configuration {
                control: wanted.control,
                globals: wanted.globals.clone(),
                stack: vec![(wanted.symbol, wanted.locals.clone())],
            }
            .alone(&spds);
            let end = End::State(StateId(0));
            set.edges.extend((0..spds.symbols.len() as u32).map(|symbol| Edge {
                from: end,
                symbol: Some(SymbolId(symbol)),
                to: end,
                condition: None,
            }));
            let found = meets(&spds, Direction::Pre, &set, &[start(&spds)]);
            assert_eq!(found, [reached.contains(&wanted)], "seed {seed}: {wanted:?}\n{spds}");
        }
    }
}

/// A configuration that satisfies its invariant.
fn anything(rng: &mut Rng, spds: &Spds, depth: usize) -> Configuration {
    loop {
        let symbols = spds.symbols.len() as u32;
        let globals = oracle::values(&spds.globals);
        let frame = |rng: &mut Rng| {
            let symbol = SymbolId(rng.u32(..symbols));
            (symbol, pick(rng, &oracle::locals(spds, symbol)).clone())
        };
        let found = Configuration {
            control: ControlId(rng.u32(..spds.controls.len() as u32)),
            globals: pick(rng, &globals).clone(),
            stack: (0..depth).map(|_| frame(rng)).collect(),
        };
        if found.top().is_none_or(|top| invariant(spds, &top) && !is_hidden(spds, &top)) {
            return found;
        }
    }
}

/// A configuration of a set, found by trying.
fn some(rng: &mut Rng, spds: &Spds, set: &Automaton) -> Option<Configuration> {
    (0..300).find_map(|_| {
        let depth = rng.usize(..4);
        let found = anything(rng, spds, depth);
        contained(spds, set, &found).then_some(found)
    })
}

/// Some configurations along a random run.
fn run(rng: &mut Rng, spds: &Spds, from: Configuration) -> Vec<Configuration> {
    let mut run = vec![from];
    for _ in 0..rng.usize(..12) {
        let next = run.last().expect("it begins somewhere").next(spds);
        if next.is_empty() {
            break;
        }
        run.push(pick(rng, &next).clone());
    }
    run.retain(|step| step.top().is_none_or(|top| !is_hidden(spds, &top)));
    run
}

#[test]
fn what_a_run_comes_to_is_in_post_star_and_what_it_left_is_in_pre_star() {
    let mut seen = 0;
    for seed in seeds(0..150) {
        let spds = system(seed, Features::ALL);
        let mut rng = Rng::with_seed(seed ^ 0x5E7);
        let set = set(&mut rng, &spds);
        let Some(first) = some(&mut rng, &spds, &set) else { continue };
        let steps = run(&mut rng, &spds, first);
        let alone: Vec<Automaton> = steps.iter().map(|step| step.alone(&spds)).collect();
        assert_eq!(
            meets(&spds, Direction::Post, &set, &alone),
            vec![true; alone.len()],
            "seed {seed}: {steps:?}\n{spds}"
        );
        let last = alone.last().expect("a run begins somewhere");
        assert_eq!(
            meets(&spds, Direction::Pre, last, &alone),
            vec![true; alone.len()],
            "seed {seed}: {steps:?}\n{spds}"
        );
        seen += steps.len();
    }
    assert!(seen > 150, "{seen}");
}

#[test]
fn a_configuration_is_in_post_star_iff_its_pre_star_meets_the_set() {
    let mut both = [0, 0];
    for seed in seeds(0..200) {
        let spds = system(seed, Features::ALL);
        let mut rng = Rng::with_seed(seed ^ 0xD0A1);
        // What pre* is asked to meet carries nothing.
        let mut set = set(&mut rng, &spds);
        let carrying = one_in(&mut rng, 2);
        if !carrying {
            set = support::systems::plain_set(&mut rng, &spds);
        }
        let first = some(&mut rng, &spds, &set);
        let mut asked: Vec<Configuration> = (0..4).map(|depth| anything(&mut rng, &spds, depth % 4)).collect();
        asked.extend(first.map(|first| run(&mut rng, &spds, first)).into_iter().flatten());
        let alone: Vec<Automaton> = asked.iter().map(|one| one.alone(&spds)).collect();
        let forwards = meets(&spds, Direction::Post, &set, &alone);
        for (one, forwards) in alone.iter().zip(&forwards) {
            // Where the set carries values, the question is put the other way round.
            let backwards = match carrying {
                false => meets(&spds, Direction::Pre, one, std::slice::from_ref(&set))[0],
                true => continue,
            };
            assert_eq!(*forwards, backwards, "seed {seed}\n{set:?}\n{one:?}\n{spds}");
            both[usize::from(backwards)] += 1;
        }
        if carrying {
            // c ∈ pre*(S) iff post*({c}) meets S, S as a target that carries: both ask for S from c.
            let backwards = meets(&spds, Direction::Pre, &set, &alone);
            for (one, backwards) in asked.iter().zip(backwards) {
                let reached = within(&spds, one, 400);
                let Some(reached) = reached else { continue };
                let expected = reached.iter().any(|step| contained(&spds, &set, step));
                assert_eq!(backwards, expected, "seed {seed}\n{set:?}\n{one:?}\n{spds}");
                both[usize::from(backwards)] += 1;
            }
        }
    }
    assert!(both.iter().all(|count| *count > 100), "{both:?}");
}

fn contained(spds: &Spds, set: &Automaton, one: &Configuration) -> bool {
    let asked = puch::replay::Configuration {
        control: one.control,
        globals: one.globals.clone().into(),
        stack: one.stack.iter().map(|(symbol, locals)| (*symbol, locals.clone().into())).collect(),
    };
    puch::replay::contains(spds, set, &asked)
}

/// Everything that can be reached, if that is no more than so many configurations.
fn within(spds: &Spds, from: &Configuration, most: usize) -> Option<BTreeSet<Configuration>> {
    let mut reached = BTreeSet::from([from.clone()]);
    let mut open = vec![from.clone()];
    while let Some(one) = open.pop() {
        for next in one.next(spds) {
            if reached.insert(next.clone()) {
                open.push(next);
            }
        }
        if reached.len() > most {
            return None;
        }
    }
    Some(reached)
}

#[test]
fn what_is_left_on_the_empty_stack_keeps_its_values() {
    let text = "spds 1 global g: bool; control p; symbol a; start <p, a> when g; rule <p, a> -> <p> { g' := !g };";
    let spds = spds_format::parse(text).expect("it is well-formed");
    let empty = |g: u64| Configuration { control: ControlId(0), globals: vec![g], stack: Vec::new() }.alone(&spds);
    assert_eq!(meets(&spds, Direction::Post, &start(&spds), &[empty(0), empty(1)]), [true, false]);
    for (g, expected) in [(0, true), (1, false)] {
        assert_eq!(meets(&spds, Direction::Pre, &empty(g), &[start(&spds)]), [expected]);
    }
}

#[test]
fn the_resulting_automaton_has_the_configurations_that_the_search_says() {
    let mut both = [0, 0];
    for seed in seeds(0..80) {
        let spds = system(seed, Features::ALL);
        let mut rng = Rng::with_seed(seed ^ 0x30BD);
        let set = set(&mut rng, &spds);
        let first = some(&mut rng, &spds, &set);
        let mut asked: Vec<Configuration> = (0..6).map(|depth| anything(&mut rng, &spds, depth % 4)).collect();
        asked.extend(first.map(|first| run(&mut rng, &spds, first)).into_iter().flatten());
        let alone: Vec<Automaton> = asked.iter().map(|one| one.alone(&spds)).collect();
        for direction in [Direction::Post, Direction::Pre] {
            // With few products allowed some formulas are decision trees.
            let words = Some(if one_in(&mut rng, 3) { 1 } else { 50 });
            let question = Question { direction, set: &set, meets: &alone, words };
            let answer = saturate(&spds, &question, &Options::default()).answer.expect("no limit is set");
            let result = answer.automaton.expect("it was wanted");
            assert_eq!(result.check(&spds, Role::Input), [], "seed {seed}");
            for (one, meets) in asked.iter().zip(&answer.meets) {
                assert_eq!(contained(&spds, &result, one), *meets, "seed {seed} {direction:?}\n{one:?}\n{spds}");
                both[usize::from(*meets)] += 1;
            }
            // As an input it says the same.
            let again = Question { direction, set: &result, meets: &alone, words: None };
            let again = saturate(&spds, &again, &Options::default()).answer.expect("no limit is set");
            assert_eq!(again.meets, answer.meets, "seed {seed} {direction:?}\n{spds}");
            assert_eq!(again.heads, answer.heads, "seed {seed} {direction:?}\n{spds}");
        }
    }
    assert!(both.iter().all(|count| *count > 100), "{both:?}");
}

#[test]
fn loops_that_are_squared_give_the_same_set() {
    for seed in seeds(0..150) {
        let spds = system(seed, Features::ALL);
        let begin = start(&spds);
        let question = Question { direction: Direction::Post, set: &begin, meets: &[], words: Some(50) };
        let set = |loops| {
            let options = Options { loops, ..Options::default() };
            saturate(&spds, &question, &options).answer.expect("no limit").automaton.expect("it is wanted")
        };
        assert_eq!(set(Loops::Square), set(Loops::Step), "seed {seed}\n{spds}");
    }
}

#[test]
fn counts_and_comparisons_on_relations_are_those_of_trying_all_values() {
    let (mut all, mut partly, mut finite, mut infinite) = (0, 0, 0, 0);
    for seed in seeds(0..100) {
        let spds = system(seed, Features::ALL);
        let mut rng = Rng::with_seed(seed ^ 0xC1A5);
        let set = set(&mut rng, &spds);
        let carry = |number: u64| if number == 0 { Carry::Nothing } else { Carry::Values };
        let others = (0..3).map(|number| automaton(seed * 3 + number, &spds, carry(number)));
        let mut others: Vec<Automaton> = others.collect();
        let first = some(&mut rng, &spds, &set);
        others.extend(first.map(|first| run(&mut rng, &spds, first)).into_iter().flatten().map(|one| one.alone(&spds)));
        for direction in [Direction::Post, Direction::Pre] {
            let question = Question { direction, set: &set, meets: &[], words: Some(50) };
            let contents = Contents { compared: &others, count: true };
            let answer = saturate_and_ask(&spds, &question, &contents, &Options::default()).answer.expect("no limit");
            let result = answer.automaton.expect("it was wanted");
            let limits = Limits::default();
            let expected = enumeration::count(&spds, &[&result], &limits).expect("no limit is set");
            assert_eq!(answer.counts, Some(expected.clone()), "seed {seed} {direction:?}\n{spds}");
            for counted in expected {
                let count = if counted.configurations == Count::Infinite { &mut infinite } else { &mut finite };
                *count += 1;
            }
            for (other, compared) in others.iter().zip(answer.compared) {
                let expected = enumeration::compare(&spds, other, &result, &limits).expect("no limit is set");
                assert_eq!(compared, expected, "seed {seed} {direction:?}\n{other:?}\n{spds}");
                all += u32::from(expected == (true, true));
                partly += u32::from(expected == (false, true));
            }
        }
    }
    println!("{all} contained, {partly} met; {finite} heads finite, {infinite} infinite");
    assert!(all > 20 && partly > 20 && finite > 50 && infinite > 50);
}

#[test]
fn sets_of_wide_integers_are_counted_and_compared_whatever_their_width() {
    for (text, before) in [(wide::copy(30), 1), (wide::copy_in_call(30), 2)] {
        let spds = remopla::read(&text, "wide.rem", &remopla::Options::default()).expect("the program is right").spds;
        let asked = |text: &str| spds_format::parse_configurations(&spds, text).expect("this is a set");
        let compared =
            [asked("<.[O = S], main:R @end>"), asked("<.[O <= S], main:R @end>"), asked("<.[O < S], main:R .*>")];
        let contents = Contents { compared: &compared, count: true };
        let question = Question { direction: Direction::Post, set: &start(&spds), meets: &[], words: None };
        let answer =
            saturate_and_ask(&spds, &question, &contents, &Options::default()).answer.expect("no limit is set");
        assert_eq!(answer.compared, [(true, true), (false, true), (false, false)]);
        let counts = answer.counts.expect("they were asked for");
        let finite = |bits: u64| Count::Finite((1u128 << bits).into());
        let wide = counts.iter().filter(|counted| counted.configurations == finite(60)).count();
        assert_eq!(wide, before, "statements before the copy: {counts:?}");
        assert!(counts.iter().all(|counted| [finite(60), finite(30)].contains(&counted.configurations)), "{counts:?}");
    }
}
