//! Cycles that close on some of their variables only: the judge establishes by itself that this suffices, for runs of the search
//! as for recorded traces.

extern crate puch_engine as puch;

use std::sync::Arc;

use puch::boolprog;
use puch::check::{Options, Property, Verdict, check};
use puch::limits::{Limits, Reason};
use puch::ltl::atoms::{Context, Symbols, names, resolve};
use puch::ltl::{Passes, Reading, Violations, parse};
use puch::options::{LiveRanges, Runs, TraceWish};
use puch::replay::{Claim, Observed, Replayed, Seen, SeenCall, SeenValue, Walked, judge, walk};
use puch::run::{Call, Config, Ending, Run, Step, Then};
use spds_format::Spds;
use spds_format::model::{ControlId, FrameId, SymbolId, Var};

const X: Var = Var::Global(0);
const N: Var = Var::Global(1);
const M: Var = Var::Global(2);

/// x is a truth value, n and m are bytes that any rule may count up.
fn system(rules: &str) -> Spds {
    let text = format!(
        "spds 1  global x: bool, n: u8, m: u8, a: u8[0..255];  frame f {{ y: u8 }}  control p;
         symbol s;  symbol t;  symbol i invariant n < 200;  symbol g in f;  symbol h in f;
         symbol k in f;  start <p, s>;  {rules}"
    );
    spds_format::parse(&text).unwrap_or_else(|complaints| panic!("{rules}: {complaints:?}"))
}

/// A configuration: a symbol, its depth, x, n and m, all cells of the array being 0, and the locals.
fn step(spds: &Spds, symbol: &str, depth: u32, values: [u64; 3], locals: &[u64]) -> Step {
    let number = spds.symbols.iter().position(|known| &*known.name == symbol).expect("there is such a symbol");
    let globals: Vec<u64> = values.into_iter().chain([0; 256]).collect();
    let symbol = SymbolId(number as u32);
    let config = Config { control: ControlId(0), symbol, globals: globals[..].into(), locals: locals.into() };
    Step { config, depth, then: Then::Step }
}

fn lasso(cycle: Vec<Step>, closes_on: Option<&[Var]>) -> Run {
    let closes_on = closes_on.map(<[Var]>::to_vec);
    Run { stem: Vec::new(), cycle: Some(cycle), closes_on, calls: Vec::new(), ending: Ending::Loop }
}

/// What the judge says of `s` with x = 1, n = 7 and m = 0, which comes back to itself by one step.
fn one_step(rules: &str, closes_on: Option<&[Var]>) -> Result<Replayed, String> {
    let spds = system(rules);
    let run = lasso(vec![step(&spds, "s", 0, [1, 7, 0], &[])], closes_on);
    judge(&spds, &run, &Claim::Infinite, 1000).map_err(|objection| objection.to_string())
}

fn depends(name: &str) -> Result<Replayed, String> {
    Err(format!("cycle[0]: `{name}` may differ from turn to turn, and the cycle depends on it"))
}

const COUNTS: &str = "n' := (n + 1) % 256";

#[test]
fn a_counter_that_nobody_reads_need_not_come_back() {
    let rules = format!("rule <p, s> -> <p, s> when x {{ {COUNTS} }};");
    assert_eq!(one_step(&rules, Some(&[X])), Ok(Replayed::Full));
    assert_eq!(one_step(&rules, Some(&[X, M])), Ok(Replayed::Full), "what does not change may be named, too");
    let objection = one_step(&rules, None).expect_err("n is 8 after a turn");
    assert!(objection.contains("the cycle does not close"), "{objection}");
    assert!(one_step(&rules, Some(&[X, N])).is_err(), "it is said to close on n");
    assert_eq!(one_step(&rules, Some(&[])), depends("x"));
}

#[test]
fn what_a_condition_a_relation_an_index_or_a_value_that_may_not_fit_reads_must_come_back() {
    for (what, rule) in [
        ("a condition", "rule <p, s> -> <p, s> when x & n < 200 { n' := (n + 1) % 256 };"),
        ("a value that may not fit", "rule <p, s> -> <p, s> when x { n' := n + 1 };"),
        ("a relation that may have no solution", "rule <p, s> -> <p, s> when x with n' = n + 1;"),
        ("an index that may be out of range", "rule <p, s> -> <p, s> when x { n' := (n + 1) % 256; a'[n + 1] := 0 };"),
        ("a value for x", "rule <p, s> -> <p, s> { n' := (n + 1) % 256; x' := n < 200 };"),
        ("an index for x", "rule <p, s> -> <p, s> { n' := (n + 1) % 256; x' := a[n] = 0 };"),
        (
            "a value for m, and m one for x",
            "rule <p, s> -> <p, s> { n' := (n + 1) % 256; m' := n / 100; x' := m < 2 };",
        ),
    ] {
        let verdict = one_step(rule, Some(&[X]));
        assert!(verdict.as_ref().is_err_and(|why| why.contains("may differ from turn to turn")), "{what}: {verdict:?}");
    }
    // The same values, going nowhere.
    for rule in [
        "rule <p, s> -> <p, s> when x { n' := (n + 1) % 256; a'[n] := n };",
        "rule <p, s> -> <p, s> when x { n' := (n + 1) % 256; m' := n / 100 };",
        "rule <p, s> -> <p, s> when x { n' := n / 100; m' := n };",
    ] {
        let spds = system(rule);
        let run = lasso(vec![step(&spds, "s", 0, [1, 0, 0], &[])], Some(&[X]));
        let judged = judge(&spds, &run, &Claim::Infinite, 1000);
        assert!(judged.is_ok() || rule.contains("a'"), "{rule}: {judged:?}");
    }
}

#[test]
fn an_invariant_on_the_way_is_read() {
    let spds = system(
        "rule <p, s> -> <p, i> { n' := (n + 1) % 256 };  rule <p, i> -> <p, s>;
         rule <p, t> -> <p, s> { n' := (n + 1) % 256 };  rule <p, s> -> <p, t>;",
    );
    let judged = |symbol, first| {
        let cycle = vec![step(&spds, "s", 0, [1, 7, 0], &[]), step(&spds, symbol, 0, [1, first, 0], &[])];
        judge(&spds, &lasso(cycle, Some(&[])), &Claim::Infinite, 1000).map_err(|objection| objection.to_string())
    };
    assert_eq!(judged("i", 8), depends("n"));
    assert_eq!(judged("t", 7), Ok(Replayed::Full));
}

fn violations(spds: &Spds, formula: &str) -> Arc<Violations> {
    let (ltl, _) = parse(formula, &Reading::default()).expect("the formula is fine");
    let condition =
        |text: &str| spds_format::parse_condition(spds, None, text).map(|(frame, c)| (frame, c, Vec::new()));
    let context = Context { spds, text: formula, symbols: Symbols::Named, condition: &condition };
    let (meanings, _) = resolve(ltl.formulas.propositions(), &context).expect("the names are known");
    Arc::new(Violations::of(ltl, meanings, &Passes::default(), &Limits::default()).expect("there is no limit"))
}

#[test]
fn what_a_proposition_reads_must_come_back() {
    let spds = system(&format!("rule <p, s> -> <p, t> when x {{ {COUNTS} }};  rule <p, t> -> <p, s>;"));
    let cycle = vec![step(&spds, "s", 0, [1, 7, 0], &[]), step(&spds, "t", 0, [1, 8, 0], &[])];
    let run = lasso(cycle, Some(&[X]));
    for (formula, verdict) in [
        ("F !x", Ok(Replayed::Full)),
        ("F {m = 1}", Ok(Replayed::Full)),
        ("G x", Err("the run satisfies the property".to_owned())),
        // It is true in this turn, and not in all.
        ("G {n < 9}", depends("n")),
        ("F G {n = 3}", depends("n")),
    ] {
        let claim = Claim::Violates { violations: violations(&spds, formula), runs: Runs::Infinite };
        let mut run = run.clone();
        if formula.contains("m =") {
            run.closes_on = Some(vec![X, M]);
        }
        assert_eq!(judge(&spds, &run, &claim, 1000).map_err(|why| why.to_string()), verdict, "{formula}");
    }
}

#[test]
fn a_value_that_goes_through_a_call_and_comes_back_must_come_back_with_it() {
    let spds = system(
        "rule <p, s> -> <p, g t> when x { y' := n; n' := (n + 1) % 256 };  rule <p, g> -> <p> { m' := y };
         rule <p, t> -> <p, s> when m < 200;  rule <p, t> -> <p, s> { x' := true };",
    );
    let inside = step(&spds, "g", 0, [1, 8, 0], &[7]);
    for folded in [false, true] {
        let mut first = step(&spds, "s", 0, [1, 7, 0], &[]);
        let last = step(&spds, "t", 0, [1, 8, 7], &[]);
        let mut run = lasso(vec![first.clone(), Step { depth: 1, ..inside.clone() }, last.clone()], Some(&[X]));
        if folded {
            first.then = Then::Call(0);
            run.cycle = Some(vec![first, last]);
            run.calls = vec![Call { procedure: Some(FrameId(0)), steps: vec![inside.clone()] }];
        }
        let judged = judge(&spds, &run, &Claim::Infinite, 1000).map_err(|objection| objection.to_string());
        assert_eq!(judged, depends("n"), "folded: {folded}");
        // Without the condition on what came back, the same run may go on.
        let mut free = spds.clone();
        free.rules.retain(|rule| rule.guard.is_none() || rule.stack != spds.rules[2].stack);
        let judged = judge(&free, &run, &Claim::Infinite, 1000).map_err(|objection| objection.to_string());
        assert_eq!(judged, Ok(Replayed::Full), "folded: {folded}");
    }
}

#[test]
fn a_local_below_a_call_counts_where_it_is_read_after_the_return() {
    let text = |read: &str| {
        format!(
            "spds 1  global n: u8;  frame f {{ y: u8 }}  control p;  symbol s;  symbol g in f;  symbol h in f;  start <p, g>;
             rule <p, g> -> <p, s h> {{ n' := (n + 1) % 256; y'' := n }};  rule <p, s> -> <p>;
             rule <p, h> -> <p, g> {read};"
        )
    };
    for (read, fine) in [("", true), ("when y < 200", false)] {
        let spds = spds_format::parse(&text(read)).unwrap_or_else(|complaints| panic!("{complaints:?}"));
        let at = |symbol, depth, globals: [u64; 1], locals: &[u64]| {
            let config = Config {
                control: ControlId(0),
                symbol: SymbolId(symbol),
                globals: globals.into(),
                locals: locals.into(),
            };
            Step { config, depth, then: Then::Step }
        };
        let run = lasso(vec![at(1, 0, [5], &[4]), at(0, 1, [6], &[]), at(2, 0, [6], &[5])], Some(&[]));
        let judged = judge(&spds, &run, &Claim::Infinite, 1000);
        assert_eq!(judged.is_ok(), fine, "{read}: {judged:?}");
    }
}

/// What a user sees of a configuration.
fn seen(spds: &Spds, step: &Step) -> Seen {
    let names = ["x", "n", "m"].into_iter().zip(&step.config.globals[..]);
    let value = |(name, value): (&str, &u64)| {
        let value = if name == "x" { SeenValue::Bool(*value == 1) } else { SeenValue::Number(*value) };
        (name.to_owned(), value)
    };
    Seen {
        file: None,
        line: None,
        procedure: None,
        control: None,
        symbol: Some(spds.symbol(step.config.symbol).name.to_string()),
        labels: None,
        depth: Some(step.depth),
        values: names.map(value).collect(),
        then: step.then,
    }
}

fn observed(spds: &Spds, run: &Run, closes_on: Option<&[&str]>) -> Observed {
    let list = |steps: &[Step]| steps.iter().map(|step| seen(spds, step)).collect::<Vec<_>>();
    let calls = run.calls.iter().map(|call| SeenCall { procedure: None, steps: list(&call.steps) });
    Observed {
        stem: list(&run.stem),
        cycle: run.cycle.as_deref().map(list),
        closes_on: closes_on.map(|names| names.iter().map(|name| (*name).to_owned()).collect()),
        calls: calls.collect(),
        ending: run.ending,
    }
}

/// With so few states to look at, 256 turns are too many.
const FEW: u64 = 150;

#[test]
fn a_recorded_cycle_is_walked_until_what_counts_comes_back() {
    let spds = system("rule <p, s> -> <p, t> when x { n' := (n + 1) % 256 };  rule <p, t> -> <p, s>;");
    let run = lasso(vec![step(&spds, "s", 0, [1, 7, 0], &[]), step(&spds, "t", 0, [1, 8, 0], &[])], None);
    let walked = |closes_on: Option<&[&str]>, claim: &Claim| {
        walk(&spds, &observed(&spds, &run, closes_on), claim, FEW).map_err(|objection| objection.why)
    };
    assert_eq!(walked(Some(&["x"]), &Claim::Infinite), Ok(Walked::Real(Replayed::Full)));
    // Which variables count is found out, whatever the record says.
    assert_eq!(walked(Some(&[]), &Claim::Infinite), Ok(Walked::Real(Replayed::Full)));
    assert!(walked(None, &Claim::Infinite).is_err(), "n does not come back after one turn");
    let formula = |text| Claim::Violates { violations: violations(&spds, text), runs: Runs::Infinite };
    assert_eq!(walked(Some(&["x"]), &formula("F !x")), Ok(Walked::Real(Replayed::Full)));
    assert!(walked(Some(&["x"]), &formula("G F t")).is_err());
    // What the formula reads is another thing in each turn.
    assert_eq!(walked(Some(&["x"]), &formula("F {n = 0}")), Ok(Walked::Undecided));
}

#[test]
fn a_recorded_cycle_that_goes_round_a_few_times_only_is_not_real() {
    let spds = system("rule <p, s> -> <p, s> when x & n < 20 { n' := n + 1 };");
    let run = lasso(vec![step(&spds, "s", 0, [1, 7, 0], &[])], None);
    let observed = observed(&spds, &run, Some(&["x"]));
    let objection = walk(&spds, &observed, &Claim::Infinite, FEW).expect_err("n grows up to 20");
    assert!(objection.why.contains("the guard does not hold"), "{objection}");
    // Where it comes round after all, only later, it is.
    let spds = system("rule <p, s> -> <p, s> when x & n < 20 { n' := (n + 1) % 10 };");
    assert_eq!(walk(&spds, &observed, &Claim::Infinite, FEW), Ok(Walked::Real(Replayed::Full)));
}

#[test]
fn a_recorded_cycle_through_a_folded_call_closes_on_what_counts() {
    let spds = system(
        "rule <p, s> -> <p, g t> when x { y' := n; n' := (n + 1) % 256 };  rule <p, g> -> <p> { m' := y };
         rule <p, t> -> <p, s>;",
    );
    let first = Step { then: Then::Call(0), ..step(&spds, "s", 0, [1, 7, 0], &[]) };
    let mut run = lasso(vec![first, step(&spds, "t", 0, [1, 8, 7], &[])], None);
    run.calls = vec![Call { procedure: Some(FrameId(0)), steps: vec![step(&spds, "g", 0, [1, 8, 0], &[7])] }];
    let observed = observed(&spds, &run, Some(&["x"]));
    assert_eq!(walk(&spds, &observed, &Claim::Infinite, FEW), Ok(Walked::Real(Replayed::Full)));
}

#[test]
fn a_32_bit_counter_that_nobody_reads_is_as_if_it_were_not_there() {
    let text = "spds 1  global x: bool, n: u32;  frame f {}  control p;  symbol s in f labels L;  symbol t in f;
        start <p, s>;  rule <p, s> -> <p, t> { n' := (n + 1) % 4294967296 };  rule <p, t> -> <p, s> { x' := !x };";
    let spds = spds_format::parse(text).expect("the system is fine");
    let properties =
        [Property::Termination, Property::Ltl(violations(&spds, "F G !x")), Property::Ltl(violations(&spds, "G F x"))];
    let options = Options { live: LiveRanges::Influence, ..Options::default() };
    let outcome = check(&spds, &properties, &options).expect("the judge accepts");
    for (answer, closes_on, length) in [(&outcome.answers[0], vec![X], 4), (&outcome.answers[1], vec![X], 4)] {
        let Verdict::Violated(Some(trace)) = &answer.verdict else { panic!("{answer:?}") };
        assert_eq!(
            trace.run.closes_on.as_ref().map(|vars| vars.len() <= closes_on.len()),
            Some(true),
            "{:?}",
            trace.run
        );
        let cycle = trace.run.cycle.as_ref().expect("it goes on for ever");
        assert!(trace.run.stem.len() + cycle.len() <= 3 * length, "{:?}", trace.run);
        assert_eq!(trace.replayed, Replayed::Full);
    }
    assert_eq!(outcome.answers[2].verdict, Verdict::Holds);
    let nodes = outcome.stats.figures.iter().find(|(name, _)| *name == "peak nodes").map(|(_, nodes)| *nodes);
    assert!(nodes.is_some_and(|nodes| nodes < 100.0), "its 32 bits are in no relation: {nodes:?}");
}

#[test]
fn a_run_is_shown_although_values_that_nobody_reads_are_products() {
    let text = "spds 1  global x: bool, n: u32, m: u32;  frame f {}  control p;  symbol s in f;  symbol t in f;
        start <p, s> when !x & n = 3 & m = 5;
        rule <p, s> -> <p, t> { n' := n * m % 4294967296 };  rule <p, t> -> <p, s> { x' := !x; m' := (m + n * n) % 65536 };";
    let spds = spds_format::parse(text).expect("the system is fine");
    let answers = check(&spds, &[Property::Termination], &Options::default()).expect("the judge accepts").answers;
    let Verdict::Violated(Some(trace)) = &answers[0].verdict else { panic!("{:?}", answers[0]) };
    assert!(trace.run.closes_on.is_some(), "{:?}", trace.run);
    let cycle = trace.run.cycle.as_ref().expect("it goes on for ever");
    let seen: Vec<[u64; 2]> =
        trace.run.stem.iter().chain(cycle).map(|step| [step.config.globals[1], step.config.globals[2]]).collect();
    assert_eq!(seen[..2], [[3, 5], [15, 5]], "values that nobody reads are shown as they are");
}

#[test]
fn a_cycle_closes_on_the_locals_that_decide_as_well() {
    let text = "spds 1  global n: u32;  frame f { y: bool, z: u32 }  control p;  symbol s in f;  start <p, s>;
        rule <p, s> -> <p, s> when y { n' := (n + 1) % 4294967296; z' := (z + 1) % 4294967296 };";
    let spds = spds_format::parse(text).expect("the system is fine");
    let options = Options { live: LiveRanges::Influence, ..Options::default() };
    let outcome = check(&spds, &[Property::Termination], &options).expect("the judge accepts");
    let Verdict::Violated(Some(trace)) = &outcome.answers[0].verdict else { panic!("{:?}", outcome.answers) };
    assert_eq!(trace.run.closes_on, Some(vec![Var::Local(0)]));
}

#[test]
fn a_return_below_the_start_that_may_be_refused_is_left_open_for_runs_that_stutter() {
    let text = "spds 1  global x: bool;  frame f { l: bool }  control p;
        symbol a in f;  symbol b in f;  symbol t in f invariant x;  symbol e;  end e;  start <p, a b e>;  rule <p, e> -> <p, e>;
        rule <p, a> -> <p, t>;  silent rule <p, b> -> <p, t>;  rule <p, t> -> <p> { x' := !l };";
    let spds = spds_format::parse(text).expect("the system is fine");
    let options = Options { runs: Runs::Stutter, ..Options::default() };
    let property = Property::Ltl(violations(&spds, "G (t -> F e)"));
    let answers = check(&spds, &[property], &options).expect("no run is shown that is none").answers;
    // With l in the frame on top the return into b is refused, and the run stays at t.
    assert_eq!(answers[0].verdict, Verdict::Unknown(Reason::Return));
}

#[test]
fn a_return_that_may_be_refused_is_looked_at_though_no_run_goes_on_for_ever() {
    let text = "spds 1  global x: bool;  frame f { l: bool }  control p;
        symbol a in f;  symbol t in f;  symbol b in f invariant x;  start <p, a b>;
        rule <p, a> -> <p, t>;  rule <p, t> -> <p>;  rule <p, b> -> <p>;";
    let spds = spds_format::parse(text).expect("the system is fine");
    let options = Options { runs: Runs::Stutter, ..Options::default() };
    let property = Property::Ltl(violations(&spds, "false"));
    let answers = check(&spds, &[property], &options).expect("no run is shown that is none").answers;
    // Without x the return into b is refused, and the run stays at t.
    assert_eq!(answers[0].verdict, Verdict::Unknown(Reason::Return));
}

/// A rotation through the globals, with a result and a local that may be anything in it.
const ROTATED: &str = "decl g0, g1, g2;
void main() begin
  decl x0;
  if (g1) then assume(g2); else g1, g2, g0 := g1, g0, g0; fi
  while (x0) do g1, g0 := g2, x0; x0 := p1(); od
end
bool p1() begin p2(); end
void p2() begin decl x0; g2 := x0; end";

/// Values that come back after four turns of a loop in which nothing is read but by the formula, which is violated whatever they are.
const NEGATED: &str = "decl g0;
void main() begin decl x0; L1: if (*) then while (*) do g0, x0 := !x0, g0; od fi end";
const WHATEVER_G0_IS: &str = "! (((! (@return(main))) M (@return(main))) -> ((! (main:L1)) W (! (g0))))";

fn program(text: &str) -> Spds {
    boolprog::read(text, "program.bp", &boolprog::Options::default()).unwrap_or_else(|why| panic!("{why:?}")).spds
}

/// A formula over a program, in the notation of users.
fn formula(spds: &Spds, text: &str) -> Property {
    let names = names(spds, Symbols::Hidden);
    let reading = Reading { known: &|word| names.contains(word), ..Reading::default() };
    let (ltl, _) = parse(text, &reading).expect("the formula is fine");
    let condition = |text: &str| {
        let predicate = boolprog::predicate(text, spds, boolprog::Dialect::Auto, None)?;
        Ok((predicate.frame, predicate.condition, predicate.warnings))
    };
    let context = Context { spds, text, symbols: Symbols::Hidden, condition: &condition };
    let (meanings, _) = resolve(ltl.formulas.propositions(), &context).expect("the names are known");
    let violations = Violations::of(ltl, meanings, &Passes::default(), &Limits::default());
    Property::Ltl(Arc::new(violations.expect("there is no limit")))
}

/// Asserts that the property is violated whatever is forgotten and whatever is to be shown, and that a run is shown where one is
/// wanted; gives the run of the defaults.
fn violated_whatever_is_forgotten(spds: &Spds, property: &Property) -> Run {
    for live in [LiveRanges::Influence, LiveRanges::Plain, LiveRanges::Off] {
        for trace in [TraceWish::None, TraceWish::Any, TraceWish::Shortest] {
            let options = Options { live, trace, ..Options::default() };
            let outcome = check(spds, std::slice::from_ref(property), &options)
                .unwrap_or_else(|error| panic!("{live:?}, {trace:?}: {error}"));
            let Verdict::Violated(run) = &outcome.answers[0].verdict else {
                panic!("{live:?}, {trace:?}: {outcome:?}")
            };
            assert_eq!(run.is_some(), trace != TraceWish::None, "{live:?}, {trace:?}");
        }
    }
    let outcome = check(spds, std::slice::from_ref(property), &Options::default()).expect("the judge accepts");
    match &outcome.answers[0].verdict {
        Verdict::Violated(Some(trace)) => trace.run.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_lasso_whose_forgotten_values_are_rotated_returned_and_drawn_is_shown() {
    violated_whatever_is_forgotten(&program(ROTATED), &Property::Termination);
    let negated = program(NEGATED);
    violated_whatever_is_forgotten(&negated, &formula(&negated, WHATEVER_G0_IS));
    // The same programs, where what is asked holds.
    let ends = program(&ROTATED.replace("x0 := p1()", "x0 := 0"));
    let nothing = formula(&negated, "((! (@return(main))) M (@return(main))) -> ((! (main:L1)) W (! (g0)))");
    for (spds, property) in [(&ends, Property::Termination), (&negated, nothing)] {
        for live in [LiveRanges::Influence, LiveRanges::Plain, LiveRanges::Off] {
            let options = Options { live, ..Options::default() };
            let outcome = check(spds, std::slice::from_ref(&property), &options).expect("there is no run to be judged");
            assert_eq!(outcome.answers[0].verdict, Verdict::Holds, "{live:?}");
        }
    }
}

#[test]
fn a_rotation_of_many_forgotten_values_is_shown_in_few_turns() {
    // All come back after 2 · 3 · 5 · 7 turns; nobody reads one of them.
    let names: Vec<String> = (0..17).map(|number| format!("g{number}")).collect();
    let mut values = Vec::new();
    let mut first = 0;
    for length in [2, 3, 5, 7] {
        values.extend((0..length).map(|number| format!("g{}", first + (number + 1) % length)));
        first += length;
    }
    let text = format!(
        "decl {names}; void main() begin decl x; while (x) do {names} := {}; x := p(); od end bool p() begin q(); end
         void q() begin decl y; g0 := y; end",
        values.join(", "),
        names = names.join(", ")
    );
    let run = violated_whatever_is_forgotten(&program(&text), &Property::Termination);
    let steps = run.stem.len() + run.cycle.as_ref().map_or(0, Vec::len);
    assert!(steps < 60, "{steps} steps");
}

#[test]
fn an_array_that_is_filled_cell_by_cell_comes_back_with_what_is_rotated_beside_it() {
    // No cell is live at s, but to the judge an array is one variable.
    for (guard, ends) in [("when a[0] & a[1]", false), ("when a[0] & !a[1]", true)] {
        let spds = spds_format::parse(&format!(
            "spds 1  global x: bool, g: bool, h: bool, i: bool, a: bool[0..1];  control p;  symbol s;  symbol t;  symbol u;
             start <p, s> when g & !h & !i & x;  rule <p, s> -> <p, t> {{ a'[0] := x; g' := h; h' := i; i' := g }};
             rule <p, t> -> <p, u> {{ a'[1] := x }};  rule <p, u> -> <p, s> {guard};"
        ));
        let spds = spds.expect("the system is fine");
        if ends {
            let outcome =
                check(&spds, &[Property::Termination], &Options::default()).expect("there is no run to judge");
            assert_eq!(outcome.answers[0].verdict, Verdict::Holds);
        } else {
            violated_whatever_is_forgotten(&spds, &Property::Termination);
        }
    }
}

/// Violated by all runs, whatever `n` is; yet who reads the formula has to know `n`.
const NAMES_N: &str = "! ((! s M s) -> ({n = 0} U {n = 1}))";

#[test]
fn a_cycle_is_gone_round_until_what_the_formula_names_comes_back_if_that_is_not_too_long() {
    for (bits, steps) in [(3, 8), (32, 0)] {
        let text = format!(
            "spds 1  global n: u{bits};  control p;  symbol s;  start <p, s> when n = 0;
             rule <p, s> -> <p, s> {{ n' := (n + 1) % {} }};",
            1_u64 << bits
        );
        let spds = spds_format::parse(&text).expect("the system is fine");
        let property = Property::Ltl(violations(&spds, NAMES_N));
        for trace in [TraceWish::None, TraceWish::Any, TraceWish::Shortest] {
            let options = Options { trace, trace_steps: 100, ..Options::default() };
            let outcome = check(&spds, std::slice::from_ref(&property), &options).expect("nothing is claimed in vain");
            let answer = &outcome.answers[0];
            let Verdict::Violated(shown) = &answer.verdict else { panic!("{answer:?}") };
            let cycle = shown.as_ref().and_then(|trace| trace.run.cycle.as_ref()).map_or(0, Vec::len);
            assert_eq!(cycle, if trace == TraceWish::None { 0 } else { steps }, "{bits}, {trace:?}");
            let omitted =
                (bits == 32 && trace != TraceWish::None).then_some("the trace has more than 100 steps (--trace-steps)");
            assert_eq!(answer.trace_omitted.as_deref(), omitted, "{bits}, {trace:?}");
        }
    }
}

#[test]
fn a_return_ends_the_calls_that_lead_to_it_and_no_others() {
    // Between s and t runs a call of g, between t and i one of h, which gives n the value that the invariant of i reads.
    let rules = |h: &str, t: &str| {
        format!(
            "rule <p, s> -> <p, g t> when x;  rule <p, g> -> <p> {{ m' := m }};  rule <p, t> -> <p, h i> {t};
             rule <p, h> -> <p> {{ {h} }};  rule <p, i> -> <p, s> {{ n' := m; m' := (m + 1) % 256 }};"
        )
    };
    let judged = |rules: &str, folded: bool, after_h: u64| {
        let spds = system(rules);
        let at = |symbol: &str, depth, n: u64| {
            let locals: &[u64] = if matches!(symbol, "g" | "h") { &[0] } else { &[] };
            step(&spds, symbol, depth, [1, n, 7], locals)
        };
        let cycle = if folded {
            let call = |number, step: Step| Step { then: Then::Call(number), ..step };
            vec![call(0, at("s", 0, 7)), call(1, at("t", 0, 7)), at("i", 0, after_h)]
        } else {
            vec![at("s", 0, 7), at("g", 1, 7), at("t", 0, 7), at("h", 1, 7), at("i", 0, after_h)]
        };
        let mut run = lasso(cycle, Some(&[X]));
        if folded {
            let inside = |symbol| Call { procedure: Some(FrameId(0)), steps: vec![at(symbol, 0, 7)] };
            run.calls = vec![inside("g"), inside("h")];
        }
        judge(&spds, &run, &Claim::Infinite, 1000).map_err(|objection| objection.to_string())
    };
    for folded in [false, true] {
        let given = rules("n' := 5", "");
        assert_eq!(judged(&given, folded, 5), Ok(Replayed::Full), "h gives n a value, folded: {folded}");
        let kept = rules("m' := m", "");
        assert_eq!(judged(&kept, folded, 7), depends("n"), "h leaves n alone, folded: {folded}");
        let read = rules("n' := 5", "when n < 100");
        assert_eq!(judged(&read, folded, 5), depends("n"), "n is read before h is called, folded: {folded}");
    }
}

#[test]
fn what_a_call_returns_after_a_call_of_its_own_must_come_back() {
    for (guard, verdict) in [("when m < 200", depends("n")), ("", Ok(Replayed::Full))] {
        let spds = system(&format!(
            "rule <p, s> -> <p, h t> when x {{ n' := (n + 1) % 256 }};  rule <p, h> -> <p, g k>;  rule <p, g> -> <p>;
             rule <p, k> -> <p> {{ m' := n }};  rule <p, t> -> <p, s> {guard};"
        ));
        let inside = |symbol, depth| step(&spds, symbol, depth, [1, 8, 0], &[0]);
        let (first, last) = (step(&spds, "s", 0, [1, 7, 0], &[]), step(&spds, "t", 0, [1, 8, 8], &[]));
        let run = lasso(vec![first, inside("h", 1), inside("g", 2), inside("k", 1), last], Some(&[X]));
        let judged = judge(&spds, &run, &Claim::Infinite, 1000).map_err(|objection| objection.to_string());
        assert_eq!(judged, verdict, "t {guard}");
    }
}
