//! Loops by squaring: the same answers as step by step, by every method for cycles; runs that leap are real.

mod oracle;
mod support;

use std::fmt::Write;

use fastrand::Rng;
use puch::check::{Answer, Property, Target, Verdict, check};
use puch::limits::Limits;
use puch::options::{Engine, LiveRanges, Loops, Options, Order, Scc, Switch, TraceWish};
use puch::remopla;
use puch::replay::Replayed;
use puch::run::{Ending, Run, Then};
use spds_format::Spds;
use spds_format::model::SymbolId;
use support::{one_in, pick};

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

/// A program over small integers: loops in loops, now and then with a call inside, counters that go up and down, choices.
fn program(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let mut text = String::from("define DEFAULT_INT_BITS 2\nint g;\nbool c;\ninit main;\n");
    let recursive = one_in(&mut rng, 2);
    text += "module void p(int n) {\n  int x; int y;\n";
    block(&mut rng, &mut text, 2, &["g", "n", "x", "y"], recursive);
    if recursive && one_in(&mut rng, 2) {
        text += "  if :: n > 0 -> p(n - 1); :: else -> skip; fi\n";
    }
    text += "}\nmodule void main() {\n  int x; int y; int z;\n";
    if one_in(&mut rng, 2) {
        text += "  x = 0, y = 3;\n";
    }
    block(&mut rng, &mut text, 3, &["g", "x", "y", "z"], true);
    let (x, value) = (*pick(&mut rng, &["x", "y", "z", "g"]), rng.u32(0..4));
    let _ = write!(text, "  if :: {x} == {value} -> R: skip; :: else -> skip; fi\n}}\n");
    text
}

fn block(rng: &mut Rng, text: &mut String, depth: u32, ints: &[&str], calls: bool) {
    for _ in 0..rng.u32(1..3) {
        let (x, y) = (*pick(rng, ints), *pick(rng, ints));
        let value = rng.u32(0..4);
        let guard = match rng.u32(0..5) {
            0 => format!("{x} < {y}"),
            1 => format!("{x} != {value}"),
            2 => format!("{x} > 0"),
            3 => "c".into(),
            _ => format!("{x} <= {value}"),
        };
        match rng.u32(0..if depth == 0 { 5 } else { 8 }) {
            0 => *text += &format!("{x} = {x} + 1;\n"),
            1 => *text += &format!("{x} = {x} - 1, {y} = {value};\n").replace(&format!(", {x} = {value}"), ""),
            2 => *text += &format!("{x} = {y};\n"),
            3 if calls => *text += &format!("p({x});\n"),
            3 => *text += "c = !c;\n",
            4 => *text += &format!("{x} = undef;\n"),
            5 => {
                *text += &format!("if :: {guard} ->\n");
                block(rng, text, depth - 1, ints, calls);
                *text += ":: else -> c = undef; fi\n";
            }
            _ => {
                *text += &format!("do :: {guard} ->\n");
                let calls_inside = calls && one_in(rng, 4);
                block(rng, text, depth - 1, ints, calls_inside);
                if one_in(rng, 2) {
                    *text += &format!(":: {guard} -> {x} = {x} + 1;\n");
                }
                *text += ":: else -> break; od\n";
            }
        }
    }
}

#[test]
fn squaring_and_stepping_agree_on_integer_programs() {
    let (mut reached, mut infinite, mut leapt) = (0, 0, 0);
    for seed in support::seeds(0..250) {
        let text = program(seed);
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
                    engine: if one_in(&mut rng, 8) { Engine::Oxidd } else { Engine::Biodivine },
                    order: *pick(&mut rng, &[Order::Force, Order::Declared, Order::Apart, Order::GlobalsFirst]),
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
