//! Loops by squaring: the same answers as step by step, by every method for cycles; runs that leap are real.

extern crate puch_engine as puch;

mod oracle;
mod support;

use fastrand::Rng;
use puch::check::{Answer, Property, Target, Verdict, check};
use puch::limits::Limits;
use puch::options::{Engine, LiveRanges, Loops, Options, Order, Scc, Switch, TraceWish};
use puch::remopla;
use puch::replay::Replayed;
use puch::run::{Ending, Run, Then};
use spds_format::Spds;
use spds_format::model::SymbolId;
use support::{one_in, pick, rem_loops};

fn read(text: &str) -> Spds {
    match remopla::read(text, "loops.rem", &remopla::Options::default()) {
        Ok(program) => program.spds,
        Err(complaints) => panic!("{complaints:#?}\n{text}"),
    }
}

fn labelled(spds: &Spds, label: &str) -> Vec<SymbolId> {
    let is_meant = |symbol: &SymbolId| spds.symbol(*symbol).labels.iter().any(|own| &**own == label);
    (0..spds.symbols.len() as u32).map(SymbolId).filter(is_meant).collect()
}

fn reach(spds: &Spds, label: &str) -> Property {
    Property::Reach(labelled(spds, label).into_iter().map(|symbol| Target { control: None, symbol }).collect())
}

fn limited() -> Options {
    let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
    Options { limits, ..Options::default() }
}

fn asked(spds: &Spds, property: &Property, options: &Options) -> Answer {
    check(spds, std::slice::from_ref(property), options).expect("runs are real").answers.remove(0)
}

fn leaps(run: &Run) -> Vec<u64> {
    let lists = run.calls.iter().map(|call| &call.steps).chain([&run.stem]).chain(&run.cycle);
    let leaps = lists.flatten().filter_map(|step| match step.then {
        Then::Leap(turns) => Some(turns),
        _ => None,
    });
    leaps.collect()
}

#[test]
fn squaring_and_stepping_agree_on_integer_programs() {
    let (mut reached, mut infinite, mut leapt) = (0, 0, 0);
    for seed in support::seeds(0..250) {
        let text = rem_loops::program(seed);
        let spds = read(&text);
        let known = oracle::explore(&spds).distance(&labelled(&spds, "R")).is_some();
        let reach = reach(&spds, "R");
        let mut rng = Rng::with_seed(seed);
        let plain = Options { loops: Loops::Step, scc: Scc::Hull, trace: TraceWish::None, ..limited() };
        let terminates = asked(&spds, &Property::Termination, &plain).verdict.bare();
        for scc in [Scc::Auto, Scc::Closure, Scc::Squaring, Scc::Lockstep] {
            for loops in [Loops::Auto, Loops::Step, Loops::Square] {
                let options = Options {
                    scc,
                    loops,
                    engine: if one_in(&mut rng, 8) { Engine::Shared } else { Engine::Biodivine },
                    order: *pick(
                        &mut rng,
                        &[Order::Force, Order::Declared, Order::Apart, Order::Together, Order::GlobalsFirst],
                    ),
                    live: *pick(&mut rng, &[LiveRanges::Influence, LiveRanges::Plain, LiveRanges::Off]),
                    modref: *pick(&mut rng, &[Switch::On, Switch::On, Switch::Off]),
                    blocks: *pick(&mut rng, &[Switch::On, Switch::Off]),
                    leap_after: *pick(&mut rng, &[0, 10_000]),
                    ..limited()
                };
                let answer = asked(&spds, &reach, &options);
                assert_eq!(
                    answer.verdict.bare() == Verdict::Reachable(None),
                    known,
                    "seed {seed} with {options:?}\n{text}"
                );
                assert_eq!(answer.verdict.trace().is_some(), known, "seed {seed}, {answer:?} with {options:?}\n{text}");
                leapt += usize::from(answer.verdict.trace().is_some_and(|trace| !leaps(&trace.run).is_empty()));
                let answer = asked(&spds, &Property::Termination, &options);
                assert_eq!(answer.verdict.bare(), terminates, "seed {seed} with {options:?}\n{text}");
                assert_eq!(
                    answer.verdict.trace().is_some(),
                    terminates == Verdict::Violated(None),
                    "seed {seed}, {:?} with {options:?}\n{text}",
                    answer.trace_omitted
                );
                leapt += usize::from(answer.verdict.trace().is_some_and(|trace| !leaps(&trace.run).is_empty()));
            }
        }
        reached += usize::from(known);
        infinite += usize::from(terminates == Verdict::Violated(None));
    }
    let counts = [reached, infinite, leapt];
    eprintln!("{counts:?} reached, infinite, leapt");
    if support::seeds(0..250) == (0..250) {
        assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
    }
}

/// Counts to a number of `bits` bits.
fn counting(bits: u32, last: u64) -> Spds {
    read(&format!(
        "define DEFAULT_INT_BITS {bits}\ninit main;\nmodule void main() {{\n  int x; bool b;\n  x = 0;\n\
         \x20 do :: x < {last} -> x = x + 1, b = !b; :: else -> break; od\n  R: skip;\n}}\n"
    ))
}

#[test]
fn a_loop_of_four_thousand_million_turns_is_leapt_through() {
    let spds = counting(32, 4_000_000_000);
    for loops in [Loops::Auto, Loops::Square] {
        let answer = asked(&spds, &reach(&spds, "R"), &Options { loops, ..limited() });
        assert_eq!(answer.verdict.bare(), Verdict::Reachable(None));
        let trace = answer.verdict.trace().expect("a trace was wanted");
        assert_eq!(leaps(&trace.run), [4_000_000_000]);
        assert_eq!(trace.replayed, Replayed::ExceptLeaps);
    }
}

#[test]
fn the_judge_walks_leaps_that_are_not_too_long() {
    let spds = counting(16, 60_001);
    let answer = asked(&spds, &reach(&spds, "R"), &limited());
    let trace = answer.verdict.trace().expect("a trace was wanted");
    assert_eq!((leaps(&trace.run), trace.replayed), (vec![60_001], Replayed::Full));
    let last = &trace.run.stem.last().expect("it has steps").config;
    assert_eq!(last.locals[0], 60_001);
}

#[test]
fn short_loops_are_shown_step_by_step() {
    let spds = counting(10, 1_000);
    let answer = asked(&spds, &reach(&spds, "R"), &Options { loops: Loops::Square, ..limited() });
    let run = answer.verdict.trace().expect("a trace was wanted").run.clone();
    assert_eq!((leaps(&run), run.stem.len()), (vec![], 1_003));
}

#[test]
fn a_cycle_of_a_million_turns_is_one_leap() {
    let spds = read(
        "define DEFAULT_INT_BITS 20\ninit main;\nmodule void main() {\n  int x;\n  x = 5;\n  do\n\
         \x20 :: x < 1000000 -> x = x + 1;\n  :: else -> x = 0;\n  od\n}\n",
    );
    let answer = asked(&spds, &Property::Termination, &limited());
    assert_eq!(answer.verdict.bare(), Verdict::Violated(None));
    let run = answer.verdict.trace().expect("a trace was wanted").run.clone();
    assert_eq!((run.ending, leaps(&run)), (Ending::Loop, vec![1_000_001]));
}

#[test]
fn loops_in_loops_are_leapt_through() {
    let spds = read(
        "define DEFAULT_INT_BITS 12\ninit main;\nmodule void main() {\n  int x; int y; int z;\n  x = 0, z = 0;\n  do\n\
         \x20 :: x < 4000 ->\n     y = 0;\n     do :: y < 4000 -> y = y + 1; :: else -> break; od\n     x = x + 1;\n\
         \x20 :: else -> break;\n  od\n  R: skip;\n}\n",
    );
    let answer = asked(&spds, &reach(&spds, "R"), &limited());
    assert_eq!(answer.verdict.bare(), Verdict::Reachable(None));
    let leaps = leaps(&answer.verdict.trace().expect("a trace was wanted").run);
    assert_eq!(leaps, [4_000]);
}

/// A loop over numbers of four bits that goes on as long as it likes: what is counted, and how, is up to the seed.
fn counter(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let names = ["x", "y", "z"];
    let mut text =
        String::from("define DEFAULT_INT_BITS 4\ninit main;\nmodule void main() {\n  int x; int y; int z; int u;\n");
    text += ["", "  x = 0, y = 0;\n", "  x = 3, y = 12, z = x;\n"][rng.usize(0..3)];
    text += "  do\n";
    for _ in 0..rng.u32(1..4) {
        let (a, b, c) = (*pick(&mut rng, &names), *pick(&mut rng, &names), *pick(&mut rng, &names));
        let value = rng.u32(1..15);
        let guard = match rng.u32(0..5) {
            0 => format!("{a} < {b}"),
            1 => format!("{a} < {value}"),
            2 => format!("{b} > {value}"),
            3 => format!("{a} != {b}"),
            _ => "true".into(),
        };
        let mut updates = vec![match rng.u32(0..5) {
            0 | 1 => format!("{a} = {a} + {}", if one_in(&mut rng, 4) { 3 } else { 1 }),
            2 | 3 => format!("{a} = {a} - 1"),
            _ => format!("{a} = {b}"),
        }];
        if c != a && one_in(&mut rng, 2) {
            updates.push(match rng.u32(0..5) {
                0 | 1 => format!("{c} = {c} + 1"),
                2 | 3 => format!("{c} = {c} - 1"),
                _ => format!("{c} = u"),
            });
        }
        text += &format!("  :: {guard} -> {};\n", updates.join(", "));
    }
    let (a, b) = (*pick(&mut rng, &names), *pick(&mut rng, &names));
    let value = rng.u32(0..16);
    text +=
        &format!("  :: true -> break;\n  od\n  if :: {a} == {value} && {b} >= x -> R: skip; :: else -> skip; fi\n}}\n");
    text
}

#[test]
fn what_loops_that_count_do_is_what_their_turns_do() {
    let (mut reached, mut infinite) = (0, 0);
    for seed in support::seeds(0..20) {
        let text = counter(seed);
        let spds = read(&text);
        let by = |loops, scc, property: &Property| {
            let options = Options { loops, scc, trace: TraceWish::None, ..limited() };
            asked(&spds, property, &options).verdict.bare()
        };
        let properties = [reach(&spds, "R"), Property::Termination];
        let [place, end] = properties.map(|property| {
            let known = by(Loops::Step, Scc::Hull, &property);
            assert_eq!(by(Loops::Square, Scc::Squaring, &property), known, "seed {seed}, {property:?}\n{text}");
            known
        });
        reached += usize::from(place == Verdict::Reachable(None));
        infinite += usize::from(end == Verdict::Violated(None));
    }
    eprintln!("{reached} reached, {infinite} infinite");
    if support::seeds(0..20) == (0..60) {
        assert!(reached > 5 && infinite > 2, "{reached} reached, {infinite} infinite");
    }
}

#[test]
fn what_goes_round_apart_does_not_meet() {
    let spds = read(
        "define DEFAULT_INT_BITS 5\ninit main;\nmodule void main() {\n  int x;\n  x = 0;\n  do\n\
         \x20 :: x < 15 -> x = x + 1;\n  :: x == 15 -> x = 0;\n\
         \x20 :: x > 15 && x < 31 -> x = x + 1;\n  :: x == 31 -> x = 16;\n\
         \x20 :: true -> break;\n  od\n  if :: x == 20 -> R: skip; :: else -> skip; fi\n}\n",
    );
    let answer = asked(&spds, &reach(&spds, "R"), &Options { loops: Loops::Square, ..limited() });
    assert_eq!(answer.verdict.bare(), Verdict::Unreachable);
}
