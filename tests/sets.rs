//! Regular sets of configurations: reached as the oracle says, with traces that the judge accepts, on random systems and
//! random sets; as JSON and back.

extern crate puch_engine as puch;

mod oracle;
mod support;

use std::time::{Duration, Instant};

use puch::enumeration::{Count, Pattern, Range, compare, count, list};
use puch::exchange;
use puch::limits::Limits;
use puch::options::{Options, Runs, TraceWish};
use puch::regular::{self, Direction};
use puch::regular_valuation::watch;
use puch::replay::{Configuration, contains};
use spds_format::Spds;
use spds_format::automaton::{Automaton, Role};
use spds_format::model::{ControlId, SymbolId, Variable};
use support::automata::{Carry, automaton};
use support::choices;
use support::systems::{self, Features};
use support::verdicts::set_differs;

/// What is wrong with the answer, if anything.
fn wrong(spds: &Spds, set: &Automaton, trace: TraceWish) -> Option<String> {
    set_differs(spds, &oracle::explore(spds), set, &Options { trace, ..choices::limited(Runs::default()) })
}

#[test]
fn sets_are_reached_as_the_oracle_says() {
    let mut reached = [0, 0];
    for seed in support::seeds(0..400) {
        let spds = systems::system(seed, Features::ALL);
        let carry = if seed % 2 == 0 { Carry::Nothing } else { Carry::Values };
        let set = automaton(seed, &spds, carry);
        assert_eq!(set.check(&spds, Role::Input), [], "seed {seed}");
        let watched = watch(&spds, &set);
        assert_eq!(spds_format::validate(&watched.spds), [], "seed {seed}");
        let trace = [TraceWish::Shortest, TraceWish::Any, TraceWish::None][seed as usize % 3];
        if let Some(what) = wrong(&spds, &set, trace) {
            let json = exchange::write(&spds, &set, 0);
            panic!("seed {seed}: {what}\n{spds}\n{json}");
        }
        reached[usize::from(oracle::sets::reaches(&spds, &oracle::explore(&spds), &set))] += 1;
    }
    assert!(reached.iter().all(|count| *count > 60), "{reached:?}");
}

#[test]
fn an_automaton_comes_back_from_json() {
    for seed in support::seeds(0..300) {
        let spds = systems::system(seed, Features::ALL);
        let set = automaton(seed, &spds, Carry::Values);
        let json = exchange::write(&spds, &set, 2);
        let back = exchange::read(&spds, &json, Role::Input).unwrap_or_else(|all| panic!("{all:#?}\n{json}"));
        assert_eq!(back, set, "seed {seed}: {json}");
        // As a report has it.
        let report = format!("{{\"tool\": {{\"name\": \"puch\"}}, \"automaton\": {json}}}");
        assert_eq!(exchange::read(&spds, &report, Role::Input), Ok(set));
    }
}

/// All configurations with at most two symbols.
fn small(spds: &Spds) -> Vec<Configuration> {
    let globals = oracle::all_values(&spds.globals);
    let symbols = (0..spds.symbols.len() as u32).map(SymbolId);
    let levels: Vec<(SymbolId, Vec<u64>)> = symbols
        .flat_map(|symbol| oracle::locals(spds, symbol).into_iter().map(move |locals| (symbol, locals)))
        .collect();
    let mut stacks: Vec<Vec<(SymbolId, Vec<u64>)>> = vec![Vec::new()];
    stacks.extend(levels.iter().map(|level| vec![level.clone()]));
    stacks.extend(levels.iter().flat_map(|top| levels.iter().map(|below| vec![top.clone(), below.clone()])));
    let mut all = Vec::new();
    for control in (0..spds.controls.len() as u32).map(ControlId) {
        for globals in &globals {
            all.extend(stacks.iter().map(|stack| Configuration {
                control,
                globals: globals[..].into(),
                stack: stack.iter().map(|(symbol, locals)| (*symbol, locals[..].into())).collect(),
            }));
        }
    }
    all
}

fn fits(pattern: &Pattern, configuration: &Configuration) -> bool {
    fn within(ranges: &[Range], values: &[u64]) -> bool {
        let fits = |(range, value): (&Range, &u64)| {
            range.as_ref().is_none_or(|all| all.iter().any(|(first, last)| first <= value && value <= last))
        };
        ranges.len() == values.len() && ranges.iter().zip(values).all(fits)
    }
    let levels = || pattern.stack.iter().zip(&configuration.stack);
    pattern.control == configuration.control
        && within(&pattern.globals, &configuration.globals)
        && pattern.stack.len() == configuration.stack.len()
        && levels().all(|(one, other)| one.0 == other.0 && within(&one.1, &other.1))
}

/// How many configurations a pattern stands for.
fn size(spds: &Spds, pattern: &Pattern) -> u64 {
    let cells = |variables: &[Variable]| -> Vec<u64> {
        variables.iter().flat_map(|v| vec![1 << v.ty.scalar.bits(); v.ty.cells() as usize]).collect()
    };
    let count = |ranges: &[Range], all: Vec<u64>| -> u64 {
        let sizes = ranges.iter().zip(all).map(|(range, all)| match range {
            None => all,
            Some(intervals) => intervals.iter().map(|(first, last)| last - first + 1).sum(),
        });
        sizes.product()
    };
    let levels = pattern.stack.iter().map(|(symbol, ranges)| count(ranges, cells(spds.locals(*symbol))));
    count(&pattern.globals, cells(&spds.globals)) * levels.product::<u64>()
}

#[test]
fn lists_counts_and_comparisons_agree_with_membership() {
    let limits = Limits::default();
    let (mut finite, mut infinite, mut parts) = (0, 0, 0);
    for seed in support::seeds(0..120) {
        let spds = systems::system(seed, Features::ALL);
        let carry = if seed % 2 == 0 { Carry::Nothing } else { Carry::Values };
        let [set, other] = [seed, seed + 1_000_000].map(|seed| automaton(seed, &spds, carry));
        let patterns = list(&spds, &[&set], 2, &limits).unwrap();
        let both = list(&spds, &[&set, &other], 2, &limits).unwrap();
        let mut seen = [false; 4];
        let all = small(&spds);
        if all.len() > 20_000 {
            continue;
        }
        for configuration in &all {
            let inside = contains(&spds, &set, configuration);
            let fitting = patterns.iter().filter(|pattern| fits(pattern, configuration)).count();
            assert_eq!(fitting, usize::from(inside), "seed {seed}: {configuration:?}\n{spds}");
            let fitting = both.iter().filter(|pattern| fits(pattern, configuration)).count();
            if inside {
                let shared = contains(&spds, &other, configuration);
                seen[usize::from(shared)] = true;
                assert_eq!(fitting, usize::from(shared), "seed {seed}: {configuration:?}\n{spds}");
            } else {
                assert_eq!(fitting, 0, "seed {seed}: {configuration:?}\n{spds}");
            }
        }
        let (every, some) = compare(&spds, &set, &other, &limits).unwrap();
        assert!(!(seen[0] && every) && (!seen[1] || some), "seed {seed}: {every} {some} {seen:?}");
        parts += usize::from(some && !every);
        let counts = count(&spds, &[&set], &limits).unwrap();
        let empty = counts.is_empty();
        assert_eq!(compare(&spds, &set, &set, &limits).unwrap(), (true, !empty), "seed {seed}");
        // A finite set has stacks no longer than the automaton has states.
        let deep = list(&spds, &[&set], set.states.len(), &limits).unwrap();
        for counted in counts {
            let of_head = deep.iter().filter(|pattern| {
                pattern.control == counted.control && pattern.stack.first().map(|(symbol, _)| *symbol) == counted.symbol
            });
            match counted.configurations {
                Count::Infinite => infinite += 1,
                Count::Finite(number) => {
                    finite += 1;
                    let listed: u64 = of_head.map(|pattern| size(&spds, pattern)).sum();
                    assert_eq!(number.to_string(), listed.to_string(), "seed {seed}, {:?}\n{spds}", counted.symbol);
                }
            }
        }
    }
    assert!(finite > 30 && infinite > 30 && parts > 5, "{finite} {infinite} {parts}");
}

/// A chain of procedures, each of which calls the next one, with stacks as high as it is long.
fn chain(length: usize) -> Spds {
    let mut text = String::from("spds 1 global g: bool; control p; symbol bottom; start <p, s0 bottom>;\n");
    for n in 0..length {
        let next = n + 1;
        text += &format!(
            "symbol s{n}; symbol back{n}; rule <p, s{n}> -> <p, s{next} back{n}> {{ g' := * }}; rule <p, back{n}> -> <p>;\n"
        );
    }
    text += &format!("symbol s{length}; rule <p, s{length}> -> <p>;");
    spds_format::parse(&text).unwrap_or_else(|all| panic!("{all:#?}"))
}

#[test]
fn short_stacks_are_listed_and_all_are_counted_in_time_where_stacks_are_high() {
    let length = 4000;
    let spds = chain(length);
    let start = regular::start(&spds);
    let question = regular::Question { direction: Direction::Post, set: &start, meets: &[], words: Some(20) };
    let set = regular::saturate(&spds, &question, &choices::limited(Runs::default()))
        .answer
        .expect("no limit")
        .automaton
        .expect("it is wanted");
    let limits = Limits { deadline: Some(Instant::now() + Duration::from_secs(20)), ..Limits::default() };
    let short = list(&spds, &[&set], 3, &limits).expect("it takes no time");
    // The end; the first procedure, before and after its call; the second one over it; and what returns to it.
    let stacks: Vec<Vec<String>> = short
        .iter()
        .map(|pattern| pattern.stack.iter().map(|(symbol, _)| spds.symbol(*symbol).name.to_string()).collect())
        .collect();
    let expected = [
        vec!["bottom"],
        vec!["s0", "bottom"],
        vec!["back0", "bottom"],
        vec!["s1", "back0", "bottom"],
        vec!["back1", "back0", "bottom"],
    ];
    assert_eq!(stacks, expected);
    let counts = count(&spds, &[&set], &limits).expect("it takes no time");
    assert_eq!(counts.len(), 2 * length + 2);
}
