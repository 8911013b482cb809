//! Runs made by hand: good ones are accepted, and one of each kind of defect is refused for the right reason.

mod recorded;

use spds_format::Spds;
use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{
    ControlId, Frame, FrameId, Head, Place, Rule, Scalar, Stack, Start, Symbol, SymbolId, Type, Update, Updates, Var,
    Variable,
};

use super::{Claim, Observed, Replayed, Seen, SeenCall, SeenValue, Walked, judge, walk};
use crate::run::{Call, Config, Ending, Run, Section, Step, Then};
use recorded::look;

const U8: Type = Type { scalar: Scalar::Unsigned(8), range: None };

const CALL: u32 = 0;
const LOOP: u32 = 1;
const ASSERT: u32 = 2;
const F1: u32 = 3;
const F2: u32 = 4;
const END: u32 = 5;
const FAIL: u32 = 6;

fn variable(name: &str, ty: Type) -> Variable {
    Variable { name: name.into(), ty, hidden: false }
}

fn rule(from: u32, stack: Stack) -> Rule {
    let from = Head { control: ControlId(0), symbol: SymbolId(from) };
    Rule {
        from,
        to: ControlId(0),
        stack,
        guard: None,
        updates: Default::default(),
        with: None,
        silent: false,
        label: None,
    }
}

fn swap(to: u32) -> Stack {
    Stack::Swap(SymbolId(to))
}

fn g() -> Expr {
    Expr::read(Var::Global(0), Time::Before)
}

fn local(number: u32) -> Expr {
    Expr::read(Var::Local(number), Time::Before)
}

fn assign(var: Var, value: Expr) -> Updates {
    [Update { var, time: Time::After, index: None, value }].into()
}

/// ```text
/// main(m): CALL: call f(m + 1);  LOOP: while (g < 200) if (*) g++; else goto ASSERT;  ASSERT: assert(g < 5)
/// f(x, y): F1: g := x;  F2: return
/// ```
/// with m = 2 at the start.
fn system() -> Spds {
    let symbol = |name: &str, frame: Option<u32>, line: u32| Symbol {
        name: name.into(),
        frame: frame.map(FrameId),
        place: (line > 0).then_some(Place { file: 0, line, column: 1 }),
        labels: if line == 3 { Box::new(["R".into()]) } else { Box::new([]) },
        invariant: None,
    };
    let number = Expr::number;
    let guarded = |rule: Rule, guard: Expr| Rule { guard: Some(guard), ..rule };
    let x = Var::Local(0);
    Spds {
        files: vec!["a.bp".into()],
        globals: vec![variable("g", U8), variable("h", Type::BOOL)],
        frames: vec![
            Frame { name: "main".into(), variables: Box::new([variable("m", U8)]) },
            Frame { name: "f".into(), variables: Box::new([variable("x", U8), variable("y", Type::BOOL)]) },
        ],
        controls: vec!["p".into()],
        symbols: vec![
            symbol("main:1", Some(0), 1),
            symbol("main:2", Some(0), 2),
            symbol("main:3", Some(0), 3),
            symbol("f:1", Some(1), 11),
            symbol("f:2", Some(1), 12),
            symbol("@end", None, 0),
            symbol("@fail", None, 0),
        ],
        rules: vec![
            Rule {
                updates: assign(x, local(0).binary(Binary::Add, &number(1))),
                ..rule(CALL, Stack::Push(SymbolId(F1), SymbolId(LOOP)))
            },
            Rule { updates: assign(Var::Global(0), local(0)), ..rule(F1, swap(F2)) },
            rule(F2, Stack::Pop),
            Rule {
                updates: assign(Var::Global(0), g().binary(Binary::Add, &number(1))),
                ..guarded(rule(LOOP, swap(LOOP)), g().binary(Binary::Lt, &number(200)))
            },
            rule(LOOP, swap(ASSERT)),
            guarded(rule(ASSERT, swap(FAIL)), g().binary(Binary::Lt, &number(5)).not()),
            guarded(rule(ASSERT, Stack::Pop), g().binary(Binary::Lt, &number(5))),
            rule(END, swap(END)),
            rule(FAIL, swap(FAIL)),
        ],
        start: Start {
            control: ControlId(0),
            stack: Box::new([SymbolId(CALL), SymbolId(END)]),
            condition: Some(local(0).binary(Binary::Eq, &number(2))),
        },
        atoms: Vec::new(),
        end: Some(SymbolId(END)),
        fail: Some(SymbolId(FAIL)),
    }
}

fn step(symbol: u32, depth: u32, globals: [u64; 2], locals: &[u64]) -> Step {
    let config =
        Config { control: ControlId(0), symbol: SymbolId(symbol), globals: globals.into(), locals: locals.into() };
    Step { config, depth, then: Then::Step }
}

/// Through the call, out of the loop at once, to the assertion, which holds: the run ends there.
fn full() -> Run {
    let stem = vec![
        step(CALL, 0, [9, 1], &[2]),
        step(F1, 1, [9, 1], &[3, 0]),
        step(F2, 1, [3, 1], &[3, 0]),
        step(LOOP, 0, [3, 1], &[2]),
        step(LOOP, 0, [4, 1], &[2]),
        step(ASSERT, 0, [4, 1], &[2]),
    ];
    Run { stem, cycle: None, closes_on: None, calls: Vec::new(), ending: Ending::Terminated }
}

/// The same with the call folded.
fn folded() -> Run {
    let mut run = full();
    let mut part: Vec<Step> = run.stem.drain(1..3).collect();
    part.iter_mut().for_each(|step| step.depth = 0);
    run.stem[0].then = Then::Call(0);
    run.calls = vec![Call { procedure: Some(FrameId(1)), steps: part }];
    run
}

fn accepts(run: &Run, claim: &Claim) {
    assert_eq!(judge(&system(), run, claim, 1000), Ok(Replayed::Full));
}

/// The place of the objection; it must say all of `words`.
#[track_caller]
fn refuses(run: &Run, claim: &Claim, at: Option<(Section, usize)>, words: &[&str]) {
    let objection = judge(&system(), run, claim, 1000).expect_err("the run is not real");
    assert_eq!(objection.at, at, "{objection}");
    for word in words {
        assert!(objection.to_string().contains(word), "`{word}` is not in: {objection}");
    }
}

/// Changes the values of a step of the stem.
fn change(run: &mut Run, number: usize, globals: [u64; 2], locals: &[u64]) {
    let step = &mut run.stem[number];
    step.config.globals = globals.into();
    step.config.locals = locals.into();
}

#[test]
fn good_runs_are_accepted() {
    accepts(&full(), &Claim::Whole);
    accepts(&folded(), &Claim::Whole);
    let reached = Run { ending: Ending::Reached, ..full() };
    accepts(&reached, &Claim::Reaches(vec![(Some(ControlId(0)), SymbolId(ASSERT))]));
    accepts(&reached, &Claim::Reaches(vec![(None, SymbolId(F1)), (None, SymbolId(ASSERT))]));
}

#[test]
fn a_failing_assertion_is_an_ending() {
    let mut run = Run { ending: Ending::Failed, ..full() };
    run.stem.insert(5, step(LOOP, 0, [5, 1], &[2]));
    change(&mut run, 6, [5, 1], &[2]);
    accepts(&run, &Claim::Fails);
    accepts(&run, &Claim::Whole);
    let holds = Run { ending: Ending::Failed, ..full() };
    refuses(&holds, &Claim::Fails, Some((Section::Stem, 5)), &["no assertion can fail", "main:3"]);
}

#[test]
fn a_wrong_value_is_refused() {
    let mut run = full();
    change(&mut run, 2, [4, 1], &[3, 0]);
    refuses(&run, &Claim::Whole, Some((Section::Stem, 1)), &["`f:1` (line 11)", "`g` is 4 there, but must be 3"]);
}

#[test]
fn a_variable_that_should_have_been_kept_is_refused() {
    let mut run = full();
    change(&mut run, 4, [4, 0], &[2]);
    refuses(&run, &Claim::Whole, Some((Section::Stem, 3)), &["`h` is 0 there, but must be 1"]);
}

#[test]
fn a_changed_saved_local_is_refused() {
    for run in [full(), folded()] {
        let mut run = run;
        let back = run.stem.len() - 3;
        let at = back - 1;
        for number in back..run.stem.len() {
            let g = run.stem[number].config.globals[0];
            change(&mut run, number, [g, 1], &[7]);
        }
        refuses(&run, &Claim::Whole, Some((Section::Stem, at)), &["`m` is 7 there, but must be 2"]);
    }
}

#[test]
fn a_skipped_step_is_refused() {
    let mut run = full();
    run.stem.remove(2);
    refuses(
        &run,
        &Claim::Whole,
        Some((Section::Stem, 1)),
        &["no rule leads from `f:1` (line 11) to `main:2` (line 2)"],
    );
    let mut run = full();
    run.stem.remove(4);
    refuses(&run, &Claim::Whole, Some((Section::Stem, 3)), &["`g` is 4 there, but must be 3"]);
}

#[test]
fn a_wrong_depth_is_refused() {
    for number in 0..6 {
        let mut run = full();
        run.stem[number].depth += 1;
        let at = number.saturating_sub(1);
        refuses(&run, &Claim::Whole, Some((Section::Stem, at)), &["depth"]);
    }
}

#[test]
fn a_wrong_folded_call_is_refused() {
    // The part itself is wrong.
    let mut run = folded();
    run.calls[0].steps[1].config.globals = [4, 1].into();
    refuses(&run, &Claim::Whole, Some((Section::Call(0), 0)), &["`g` is 4 there, but must be 3"]);
    // It is right, but not what was called.
    let mut run = folded();
    run.calls[0].steps[0].config.locals = [8, 0].into();
    run.calls[0].steps[1].config.locals = [8, 0].into();
    run.calls[0].steps[1].config.globals = [8, 1].into();
    refuses(&run, &Claim::Whole, Some((Section::Stem, 0)), &["calls[0]", "`x` is 8 there, but must be 3"]);
    // It does not return with these values.
    let mut run = folded();
    change(&mut run, 1, [8, 1], &[2]);
    refuses(
        &run,
        &Claim::Whole,
        Some((Section::Stem, 0)),
        &["the return of calls[0]", "`g` is 8 there, but must be 3"],
    );
    // It ends before it returns.
    let mut run = folded();
    run.calls[0].steps.pop();
    refuses(&run, &Claim::Whole, Some((Section::Call(0), 0)), &["no return is possible"]);
    // Its procedure is another, or its depths are, or it is empty.
    let mut run = folded();
    run.calls[0].procedure = Some(FrameId(0));
    refuses(&run, &Claim::Whole, Some((Section::Call(0), 0)), &["does not belong to the procedure"]);
    let mut run = folded();
    run.calls[0].steps[0].depth = 1;
    refuses(&run, &Claim::Whole, Some((Section::Call(0), 0)), &["depth 0"]);
    let mut run = folded();
    run.calls[0].steps.clear();
    refuses(&run, &Claim::Whole, Some((Section::Call(0), 0)), &["no configuration"]);
}

#[test]
fn calls_that_refer_to_each_other_in_a_circle_are_refused() {
    let mut run = folded();
    run.calls[0].steps[0].then = Then::Call(0);
    refuses(&run, &Claim::Whole, Some((Section::Call(0), 0)), &["calls[0] is not a call listed before"]);
    let mut run = folded();
    run.stem[0].then = Then::Call(1);
    refuses(&run, &Claim::Whole, Some((Section::Stem, 0)), &["calls[1] is not a call listed before"]);
}

#[test]
fn a_wrong_ending_is_refused() {
    let reaches = Claim::Reaches(vec![(None, SymbolId(ASSERT))]);
    let ending = |ending| Run { ending, ..full() };
    refuses(&ending(Ending::Terminated), &reaches, None, &["its ending is another"]);
    refuses(&ending(Ending::Reached), &Claim::Fails, None, &["its ending is another"]);
    refuses(&ending(Ending::Reached), &Claim::Whole, None, &["stops before its end"]);
    refuses(&ending(Ending::Loop), &Claim::Whole, None, &["cycle"]);
    refuses(&ending(Ending::Stuck), &Claim::Whole, Some((Section::Stem, 5)), &["there is a further step"]);
    let elsewhere = Claim::Reaches(vec![(None, SymbolId(LOOP))]);
    refuses(&ending(Ending::Reached), &elsewhere, Some((Section::Stem, 5)), &["not a place asked for"]);
    let mut early = full();
    early.stem.truncate(3);
    refuses(&early, &Claim::Whole, Some((Section::Stem, 2)), &["frames below"]);
    early.stem.clear();
    refuses(&early, &Claim::Whole, Some((Section::Stem, 0)), &["no configuration"]);
    let mut open = full();
    open.stem[5].then = Then::Leap(1);
    refuses(&open, &Claim::Whole, Some((Section::Stem, 5)), &["where the last step leads"]);
}

#[test]
fn a_value_that_does_not_fit_is_refused() {
    let mut run = full();
    change(&mut run, 4, [256, 1], &[2]);
    refuses(&run, &Claim::Whole, Some((Section::Stem, 4)), &["256 does not fit the type of `g`"]);
    let mut run = full();
    change(&mut run, 1, [9, 2], &[3, 0]);
    refuses(&run, &Claim::Whole, Some((Section::Stem, 1)), &["2 does not fit the type of `h`"]);
    let mut run = full();
    change(&mut run, 1, [9, 1], &[3]);
    refuses(&run, &Claim::Whole, Some((Section::Stem, 1)), &["1 values are listed where there are 2"]);
    let mut run = full();
    run.stem[1].config.symbol = SymbolId(99);
    refuses(&run, &Claim::Whole, Some((Section::Stem, 1)), &["no such"]);
}

#[test]
fn a_wrong_start_is_refused() {
    let mut run = full();
    run.stem.remove(0);
    refuses(&run, &Claim::Whole, Some((Section::Stem, 0)), &["runs do not start at `f:1`"]);
    let mut run = full();
    change(&mut run, 0, [9, 1], &[3]);
    refuses(&run, &Claim::Whole, Some((Section::Stem, 0)), &["the condition on the start does not hold"]);
}

#[test]
fn an_invariant_is_demanded_of_every_configuration() {
    let mut spds = system();
    spds.symbols[LOOP as usize].invariant = Some(g().binary(Binary::Lt, &Expr::number(4)));
    let objection = judge(&spds, &full(), &Claim::Whole, 0).expect_err("g is 4 at the second turn");
    assert_eq!(objection.at, Some((Section::Stem, 4)));
    assert!(objection.to_string().contains("the invariant of `main:2`"), "{objection}");
}

#[test]
fn a_with_clause_frees_what_it_reads_of_the_new_values_and_no_more() {
    let mut spds = system();
    // LOOP -> LOOP with h' : h is 1 afterwards whatever it was, g is kept.
    spds.rules[3] = Rule { with: Some(Expr::read(Var::Global(1), Time::After)), ..rule(LOOP, swap(LOOP)) };
    let run = |after: [u64; 2]| {
        let mut run = Run { ending: Ending::Reached, ..full() };
        run.stem.truncate(4);
        run.stem.iter_mut().for_each(|step| step.config.globals = [step.config.globals[0], 0].into());
        run.stem.push(step(LOOP, 0, after, &[2]));
        judge(&spds, &run, &Claim::Reaches(vec![(None, SymbolId(LOOP))]), 0)
    };
    assert_eq!(run([3, 1]), Ok(Replayed::Full));
    assert!(run([3, 0]).is_err_and(|objection| objection.why.contains("`with`")));
    assert!(run([4, 1]).is_err_and(|objection| objection.why.contains("`g` is 4 there, but must be 3")));
}

#[test]
fn stuck_means_that_no_rule_applies() {
    let mut spds = system();
    // f cannot return while y.
    spds.rules[2].guard = Some(local(1).not());
    let run = |y: u64| {
        let mut run = Run { ending: Ending::Stuck, ..full() };
        run.stem.truncate(3);
        change(&mut run, 1, [9, 1], &[3, y]);
        change(&mut run, 2, [3, 1], &[3, y]);
        judge(&spds, &run, &Claim::Whole, 0)
    };
    assert_eq!(run(1), Ok(Replayed::Full));
    assert!(run(0).is_err_and(|objection| objection.why.contains("there is a further step")));
    // Nor if what it returns to may not be: a blocked return is no step.
    spds.rules[2].guard = None;
    spds.symbols[LOOP as usize].invariant = Some(Expr::constant(false));
    let mut run = Run { ending: Ending::Stuck, ..full() };
    run.stem.truncate(3);
    assert_eq!(judge(&spds, &run, &Claim::Whole, 0), Ok(Replayed::Full));
}

#[test]
fn a_step_into_a_hidden_configuration_counts_only_with_what_follows() {
    let mut spds = system();
    // ASSERT becomes hidden and blocks when g >= 5.
    spds.rules[5] = Rule { silent: true, ..rule(ASSERT, swap(LOOP)) };
    spds.rules[6] = spds.rules[5].clone();
    for index in [5, 6] {
        spds.rules[index].guard = Some(g().binary(Binary::Lt, &Expr::number(4)));
    }
    spds.rules[3].guard = Some(g().binary(Binary::Lt, &Expr::number(4)));
    let mut run = Run { ending: Ending::Stuck, ..full() };
    run.stem.truncate(5);
    assert_eq!(judge(&spds, &run, &Claim::Whole, 0), Ok(Replayed::Full));
    run.stem.truncate(4);
    assert!(judge(&spds, &run, &Claim::Whole, 0).is_err());
}

#[test]
fn cycles_must_close_and_stay_in_their_frame() {
    let mut spds = system();
    spds.rules[3].updates = assign(Var::Global(0), g().binary(Binary::BitXor, &Expr::number(1)));
    let run = |cycle: &[[u64; 2]]| {
        let mut run = Run { ending: Ending::Loop, ..full() };
        run.stem.truncate(3);
        run.cycle = Some(cycle.iter().map(|globals| step(LOOP, 0, *globals, &[2])).collect());
        run
    };
    let good = run(&[[3, 1], [2, 1]]);
    assert_eq!(judge(&spds, &good, &Claim::Whole, 0), Ok(Replayed::Full));
    let objection = judge(&spds, &run(&[[3, 1]]), &Claim::Whole, 0).expect_err("one turn changes g");
    assert_eq!(objection.at, Some((Section::Cycle, 0)));
    assert!(objection.why.contains("the cycle does not close"), "{objection}");
    assert!(judge(&spds, &run(&[]), &Claim::Whole, 0).is_err());
    assert!(judge(&spds, &good, &Claim::Fails, 0).is_err());
    // A cycle may leave the stack higher: f calls itself. It may not go below where it began.
    spds.rules[1] = rule(F1, Stack::Push(SymbolId(F1), SymbolId(F2)));
    let rising = |depths: &[u32]| {
        let mut run = Run { ending: Ending::Loop, ..full() };
        run.stem.truncate(1);
        run.cycle = Some(depths.iter().map(|depth| step(F1, *depth, [9, 1], &[3, 0])).collect());
        run
    };
    assert_eq!(judge(&spds, &rising(&[1]), &Claim::Whole, 0), Ok(Replayed::Full));
    assert_eq!(judge(&spds, &rising(&[1, 2, 3]), &Claim::Whole, 0), Ok(Replayed::Full));
    spds.rules[0] = rule(CALL, Stack::Push(SymbolId(F1), SymbolId(CALL)));
    spds.rules[2] = rule(F1, Stack::Pop);
    let mut falling = Run { ending: Ending::Loop, ..full() };
    falling.stem.truncate(1);
    falling.cycle = Some(vec![step(F1, 1, [9, 1], &[3, 0]), step(CALL, 0, [9, 1], &[2])]);
    let objection = judge(&spds, &falling, &Claim::Whole, 0).expect_err("it returns");
    assert_eq!(objection.at, Some((Section::Cycle, 0)));
}

fn leap(turns: u64, after: u64) -> Run {
    let mut run = Run { ending: Ending::Reached, ..full() };
    run.stem.truncate(4);
    run.stem[3].then = Then::Leap(turns);
    run.stem.push(step(LOOP, 0, [after, 1], &[2]));
    run
}

#[test]
fn leaps_are_walked_up_to_the_limit() {
    let at_loop = Claim::Reaches(vec![(None, SymbolId(LOOP))]);
    accepts(&leap(1, 4), &at_loop);
    accepts(&leap(100, 103), &at_loop);
    refuses(&leap(100, 102), &at_loop, Some((Section::Stem, 3)), &["100 turns of a loop do not lead"]);
    refuses(&leap(200, 203), &at_loop, Some((Section::Stem, 3)), &["200 turns of a loop do not lead"]);
    refuses(&leap(0, 3), &at_loop, Some((Section::Stem, 3)), &["at least one turn"]);
    for limit in [0, 99, 150] {
        assert_eq!(judge(&system(), &leap(100, 103), &at_loop, limit), Ok(Replayed::ExceptLeaps));
    }
    let mut elsewhere = leap(5, 8);
    elsewhere.stem[4].config.symbol = SymbolId(ASSERT);
    refuses(
        &elsewhere,
        &Claim::Reaches(vec![(None, SymbolId(ASSERT))]),
        Some((Section::Stem, 3)),
        &["the turns of a loop"],
    );
}

/// f calls itself 100,000 times: folded, a chain of 100,000 calls that refer to each other.
#[test]
fn deep_nests_of_calls_are_judged_in_linear_time() {
    let mut spds = system();
    let (count, x) = (100_000u64, Var::Local(0));
    spds.frames[1].variables[0].ty.scalar = Scalar::Unsigned(32);
    let less = local(0).binary(Binary::Sub, &Expr::number(1));
    // F1: if x > 0 then f(x - 1); F2: return
    spds.rules[0].updates = assign(x, Expr::number(count));
    let zero = local(0).binary(Binary::Eq, &Expr::number(0));
    spds.rules[1] = Rule { updates: assign(x, less), ..rule(F1, Stack::Push(SymbolId(F1), SymbolId(F2))) };
    spds.rules.push(Rule { guard: Some(zero), ..rule(F1, swap(F2)) });
    let mut calls: Vec<Call> = Vec::new();
    for depth in 0..=count {
        let (first, last) = (step(F1, 0, [9, 1], &[depth, 0]), step(F2, 0, [9, 1], &[depth, 0]));
        let then = if depth == 0 { Then::Step } else { Then::Call(depth as usize - 1) };
        calls.push(Call { procedure: Some(FrameId(1)), steps: vec![Step { then, ..first }, last] });
    }
    let mut stem = vec![step(CALL, 0, [9, 1], &[2]), step(LOOP, 0, [9, 1], &[2])];
    stem[0].then = Then::Call(count as usize);
    let mut run = Run { stem, cycle: None, closes_on: None, calls, ending: Ending::Reached };
    let at_loop = Claim::Reaches(vec![(None, SymbolId(LOOP))]);
    assert_eq!(judge(&spds, &run, &at_loop, 0), Ok(Replayed::Full));

    let see = |steps: &[Step]| steps.iter().map(|step| look(&spds, step)).collect::<Vec<Seen>>();
    let seen = Observed {
        stem: see(&run.stem),
        cycle: None,
        closes_on: None,
        calls: run.calls.iter().map(|call| SeenCall { procedure: Some("f".into()), steps: see(&call.steps) }).collect(),
        ending: Ending::Reached,
    };
    assert_eq!(walk(&spds, &seen, &at_loop, 1_000_000_000), Ok(Walked::Real(Replayed::Full)));

    // The same in full: 200,000 configurations on a stack of 100,000.
    run.calls.clear();
    run.stem[0].then = Then::Step;
    let back = run.stem.pop().expect("the configuration after the call");
    run.stem.extend((0..=count).map(|n| step(F1, 1 + n as u32, [9, 1], &[count - n, 0])));
    run.stem.extend((0..=count).map(|n| step(F2, 1 + (count - n) as u32, [9, 1], &[n, 0])));
    run.stem.push(back);
    assert_eq!(judge(&spds, &run, &at_loop, 0), Ok(Replayed::Full));
}

#[test]
fn deep_expressions_are_evaluated_without_recursion() {
    let mut spds = system();
    let mut ops = vec![Op::Bool(false)];
    ops.extend(std::iter::repeat_n(Op::Unary(spds_format::expr::Unary::Not), 200_001));
    spds.rules[0].guard = Expr::from_postorder(ops);
    assert_eq!(judge(&spds, &full(), &Claim::Whole, 0), Ok(Replayed::Full));
}

#[test]
fn integers_have_no_end() {
    let max = Expr::number(u64::MAX);
    let wide = max.binary(Binary::Shl, &Expr::number(64)); // 2^128 - 2^64
    let square = wide.binary(Binary::Mul, &wide);
    let none = Expr::number(0);
    let minus = |number: u64| none.binary(Binary::Sub, &Expr::number(number));
    let holds = [
        square.binary(Binary::Div, &wide).binary(Binary::Eq, &wide),
        square.binary(Binary::Shr, &max).binary(Binary::Eq, &none),
        minus(7).binary(Binary::Div, &Expr::number(2)).binary(Binary::Eq, &minus(3)),
        minus(7).binary(Binary::Rem, &Expr::number(2)).binary(Binary::Eq, &minus(1)),
        minus(7).binary(Binary::Shr, &Expr::number(1)).binary(Binary::Eq, &minus(4)),
        minus(1).binary(Binary::Shr, &wide).binary(Binary::Eq, &minus(1)),
        // Undefined: neither true nor false.
        max.binary(Binary::Shl, &Expr::number(65)).binary(Binary::Ge, &none).binary(Binary::Or, &Expr::constant(true)),
    ];
    let fails = [
        max.binary(Binary::Shl, &Expr::number(65)).binary(Binary::Ge, &none),
        max.binary(Binary::Rem, &none).binary(Binary::Ge, &none),
        minus(1).binary(Binary::BitAnd, &max).binary(Binary::Ge, &none),
        max.binary(Binary::Shl, &minus(1)).binary(Binary::Ge, &none).not(),
    ];
    for (conditions, result) in [(&holds[..], true), (&fails[..], false)] {
        for condition in conditions {
            let mut spds = system();
            spds.rules[0].guard = Some(condition.clone());
            assert_eq!(judge(&spds, &full(), &Claim::Whole, 0).is_ok(), result, "{condition:?}");
        }
    }
}
