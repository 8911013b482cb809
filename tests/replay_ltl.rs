//! The judge of violated formulas: runs made by hand, and random folded runs of random systems against a direct evaluator
//! on their unfolded words.

extern crate puch_engine as puch;

mod oracle;
mod support;

#[path = "ltl/lasso.rs"]
#[allow(dead_code, reason = "each test uses its own part")]
mod lasso;
#[path = "ltl/random.rs"]
mod random;

use std::sync::Arc;

use fastrand::Rng;
use lasso::Lasso;
use puch::limits::Limits;
use puch::ltl::atoms::{Context, Meaning, Symbols, resolve};
use puch::ltl::{Dialect, Ltl, Passes, Reading, Violations, parse};
use puch::options::Runs;
use puch::replay::{Claim, Objection, Observed, Replayed, Seen, SeenValue, Walked, judge, walk};
use puch::run::{Call, Config, Ending, Run, Section, Step, Then};
use spds_format::Spds;
use spds_format::expr::{Binary, Expr, Time};
use spds_format::model::{ControlId, FrameId, Place, Scalar, SymbolId, Var};
use support::runs;
use support::systems::{self, Features};

const EVERY: [Runs; 3] = [Runs::Maximal, Runs::Infinite, Runs::Stutter];

/// A procedure that calls itself twice or returns, a main that counts to two and ends with any value of g, and a hidden
/// step after the first call.
const SYSTEM: &str = "spds 1
    global g: bool, c: u2;
    frame main {}  frame f { n: u2 }
    control p;
    symbol m0 in main labels START;  symbol mh in main;  symbol m1 in main labels ONE;  symbol m2 in main labels TWO;
    symbol f0 in f labels AGAIN;  symbol f1 in f labels MIDDLE;  symbol f2 in f labels BACK;
    symbol wait in main labels WAIT;  symbol @end;  symbol @fail;
    end @end;  fail @fail;
    start <p, m0 @end> when c = 0 & !g;
    rule <p, m0> -> <p, f0 mh> { n' := 2 };
    silent rule <p, mh> -> <p, m1>;
    rule <p, m1> -> <p, m1> when c < 2 { c' := c + 1 };
    rule <p, m1> -> <p, m2>;
    rule <p, m1> -> <p, @fail> when c = 1 { g' := true };
    rule <p, m1> -> <p, wait>;
    rule <p, m2> -> <p> { g' := * };
    rule <p, f0> -> <p, f0 f1> { n' := n };
    rule <p, f1> -> <p, f0 f2> { n' := n };
    rule <p, f0> -> <p, f2>;
    rule <p, f2> -> <p>;
    rule <p, @end> -> <p, @end>;
    rule <p, @fail> -> <p, @fail>;
";

fn system() -> Spds {
    spds_format::parse(SYSTEM).expect("the system is fine")
}

fn step(spds: &Spds, symbol: &str, depth: u32, globals: [u64; 2], then: Then) -> Step {
    let id = spds.symbols.iter().position(|known| &*known.name == symbol).expect("the symbol is there");
    let symbol = SymbolId(id as u32);
    let locals: &[u64] = if spds.locals(symbol).is_empty() { &[] } else { &[2] };
    let config = Config { control: ControlId(0), symbol, globals: globals.into(), locals: locals.into() };
    Step { config, depth, then }
}

fn violations(spds: &Spds, formula: &str) -> Arc<Violations> {
    let reading = Reading { dialect: Dialect::Spot, ..Reading::default() };
    let (ltl, _) = parse(formula, &reading).expect("the formula is fine");
    let condition = |text: &str| {
        let frame = text.contains('n').then_some(FrameId(1));
        spds_format::parse_condition(spds, frame, text).map(|(frame, condition)| (frame, condition, Vec::new()))
    };
    let context = Context { spds, text: formula, symbols: Symbols::Named, condition: &condition };
    let (meanings, _) = resolve(ltl.formulas.propositions(), &context).expect("the names are known");
    Arc::new(Violations::of(ltl, meanings, &Passes::default(), &Limits::default()).expect("there is no limit"))
}

fn by_automaton(violations: &Violations) -> Arc<Violations> {
    Arc::new(Violations { formula: None, ..violations.clone() })
}

/// Holds the judge to what the run does: it satisfies some formulas and violates others.
#[track_caller]
fn does(spds: &Spds, run: &Run, runs: Runs, satisfied: &[&str], violated: &[&str]) {
    for (formula, real) in satisfied.iter().map(|f| (f, false)).chain(violated.iter().map(|f| (f, true))) {
        let violations = violations(spds, formula);
        for violations in [by_automaton(&violations), violations] {
            let judged = judge(spds, run, &Claim::Violates { violations, runs }, 1000);
            assert_eq!(judged.is_ok(), real, "{formula}: {judged:?}");
            if let Err(objection) = judged {
                assert_eq!(objection.to_string(), "the run satisfies the property", "{formula}");
            }
        }
    }
}

fn refusal(spds: &Spds, run: &Run, claim: &Claim) -> Objection {
    judge(spds, run, claim, 1000).expect_err("the run does not show it")
}

/// Through the call, which returns at once, to a statement of main; `c` and `g` are zero.
fn to_main(spds: &Spds, calls: usize) -> Vec<Step> {
    let zero = |symbol, then| step(spds, symbol, 0, [0, 0], then);
    let first = if calls > 0 { Then::Call(calls - 1) } else { Then::Step };
    let inside = if calls > 0 { &[][..] } else { &["f0", "f2"] };
    let mut stem = vec![zero("m0", first)];
    stem.extend(inside.iter().map(|symbol| step(spds, symbol, 1, [0, 0], Then::Step)));
    stem.extend([zero("mh", Then::Step), zero("m1", Then::Step)]);
    stem
}

fn ends(stem: Vec<Step>, ending: Ending) -> Run {
    Run { stem, cycle: None, closes_on: None, calls: Vec::new(), ending }
}

#[test]
fn a_cycle_may_grow_the_stack() {
    let spds = system();
    let stem = vec![step(&spds, "m0", 0, [0, 0], Then::Step)];
    let cycle = vec![step(&spds, "f0", 1, [0, 0], Then::Step)];
    let run = Run { stem, cycle: Some(cycle), closes_on: None, calls: Vec::new(), ending: Ending::Loop };
    assert_eq!(judge(&spds, &run, &Claim::Infinite, 0), Ok(Replayed::Full));
    for runs in EVERY {
        let satisfied = ["X G AGAIN", "G F @at(f)", "START & X !START", "G X {n = 2}", "@call(f) U @entry(f)"];
        does(
            &spds,
            &run,
            runs,
            &satisfied,
            &["F G !@at(f)", "F @end", "X X START", "G @at(f)", "F @return(f) | F @stuck"],
        );
    }
}

#[test]
fn a_run_that_terminates_goes_on_for_ever_at_the_end() {
    let spds = system();
    let mut stem = to_main(&spds, 0);
    stem.push(step(&spds, "m2", 0, [0, 0], Then::Step));
    let run = ends(stem, Ending::Terminated);
    for runs in [Runs::Maximal, Runs::Stutter] {
        // m0, f0, f2, m1 (mh is hidden), m2, @end, …
        let satisfied = ["X X X X X G @end", "!(X X X X @end)", "F G !@at(main)", "F m2", "G {c = 0}", "X X X m1"];
        does(&spds, &run, runs, &satisfied, &["G !@end", "F @fail", "G F @at(main)", "F mh"]);
        // The last return leaves any value of g, and one is enough.
        does(&spds, &run, runs, &["F G (g | !g)"], &["F G g", "F G !g", "F (@end & g)"]);
    }
    let claim = Claim::Violates { violations: violations(&spds, "G !@end"), runs: Runs::Infinite };
    assert_eq!(refusal(&spds, &run, &claim).why, "only infinite runs count, and the run ends");
    assert_eq!(refusal(&spds, &run, &Claim::Infinite).why, "the run is said to be infinite, but it ends");
}

#[test]
fn a_loop_after_the_end_is_no_infinite_run() {
    let spds = system();
    let mut stem = to_main(&spds, 0);
    stem.push(step(&spds, "m2", 0, [0, 0], Then::Step));
    let end = step(&spds, "@end", 0, [1, 0], Then::Step);
    let run = Run { stem, cycle: Some(vec![end]), closes_on: None, calls: Vec::new(), ending: Ending::Loop };
    does(&spds, &run, Runs::Maximal, &["F G (@end & g)"], &["F G !g"]);
    let claim = Claim::Violates { violations: violations(&spds, "G !@end"), runs: Runs::Infinite };
    for claim in [claim, Claim::Infinite] {
        assert_eq!(refusal(&spds, &run, &claim).why, "the program has ended where the run repeats itself");
    }
}

#[test]
fn a_run_that_fails_goes_on_for_ever_after_the_failure() {
    let spds = system();
    let mut stem = to_main(&spds, 0);
    stem.push(step(&spds, "m1", 0, [0, 1], Then::Step));
    let run = ends(stem, Ending::Failed);
    let satisfied = ["F G @fail", "F G g", "G !@end", "X X X X !g", "X X X X X (g & @fail)"];
    does(&spds, &run, Runs::Maximal, &satisfied, &["G !@fail", "G !g", "G F m1"]);
    let early = ends(to_main(&spds, 0), Ending::Failed);
    let claim = Claim::Violates { violations: violations(&spds, "G !@fail"), runs: Runs::Maximal };
    assert_eq!(refusal(&spds, &early, &claim).at, Some((Section::Stem, 4)), "c is not 1 there");
}

#[test]
fn a_blocked_run_counts_only_where_it_repeats_its_last_configuration() {
    let spds = system();
    let mut stem = to_main(&spds, 0);
    stem.push(step(&spds, "wait", 0, [0, 0], Then::Step));
    let run = ends(stem, Ending::Stuck);
    let satisfied = ["F G (@stuck & wait & {c = 0})", "G (@stuck <-> wait)", "X X X X G wait"];
    does(&spds, &run, Runs::Stutter, &satisfied, &["G !@stuck", "F (wait & !@stuck)", "F @end"]);
    for runs in [Runs::Maximal, Runs::Infinite] {
        let claim = Claim::Violates { violations: violations(&spds, "G !@stuck"), runs };
        assert_eq!(refusal(&spds, &run, &claim).why, "the run is blocked, and blocked runs do not count");
    }
}

#[test]
fn a_run_that_is_no_run_violates_nothing() {
    let spds = system();
    let mut run = ends(to_main(&spds, 0), Ending::Reached);
    let claim = Claim::Violates { violations: violations(&spds, "F @end"), runs: Runs::Stutter };
    assert_eq!(refusal(&spds, &run, &claim).why, "the run stops before its end");
    run.ending = Ending::Loop;
    run.cycle = Some(vec![step(&spds, "m1", 0, [0, 1], Then::Step)]);
    assert_eq!(refusal(&spds, &run, &claim).at, Some((Section::Cycle, 0)), "c grows with each turn");
}

#[test]
fn the_formula_is_judged_and_not_its_automaton() {
    let spds = system();
    let mut stem = to_main(&spds, 0);
    stem.push(step(&spds, "m2", 0, [0, 0], Then::Step));
    let run = ends(stem, Ending::Terminated);
    let (right, wrong) = (violations(&spds, "F @end"), violations(&spds, "G !@end"));
    let mixed = |formula: &Violations, automaton: &Violations| {
        let violations = Violations { formula: formula.formula.clone(), ..automaton.clone() };
        judge(&spds, &run, &Claim::Violates { violations: Arc::new(violations), runs: Runs::Maximal }, 0).is_ok()
    };
    assert!(!mixed(&right, &wrong) && mixed(&wrong, &right));
}

#[test]
fn what_a_leap_passes_is_not_known() {
    let spds = system();
    let mut stem = to_main(&spds, 0);
    stem[4].then = Then::Leap(2);
    stem.extend([step(&spds, "m1", 0, [0, 2], Then::Step), step(&spds, "m2", 0, [0, 2], Then::Step)]);
    let run = ends(stem, Ending::Terminated);
    assert_eq!(judge(&spds, &run, &Claim::Whole, 1000), Ok(Replayed::Full));
    let claim = Claim::Violates { violations: violations(&spds, "G !@end"), runs: Runs::Maximal };
    assert_eq!(refusal(&spds, &run, &claim).at, Some((Section::Stem, 4)));
}

#[test]
fn nested_and_doubled_calls_are_judged_folded() {
    let spds = system();
    let f = |symbol, then| step(&spds, symbol, 0, [0, 0], then);
    let leaf = Call { procedure: Some(FrameId(1)), steps: vec![f("f0", Then::Step), f("f2", Then::Step)] };
    let twice = |inner| Call {
        procedure: Some(FrameId(1)),
        steps: vec![f("f0", Then::Call(inner)), f("f1", Then::Call(inner)), f("f2", Then::Step)],
    };
    // 2^60 calls in a row; and a hundred thousand, each in the one before and in no other.
    let doubled = std::iter::once(leaf.clone()).chain((0..60).map(twice)).collect::<Vec<Call>>();
    let nested = (1..100_000).map(|k| Call {
        procedure: Some(FrameId(1)),
        steps: vec![f("f0", Then::Call(k - 1)), f("f1", Then::Call(0)), f("f2", Then::Step)],
    });
    let nested = std::iter::once(leaf).chain(nested).collect::<Vec<Call>>();
    // (Deep ones take a while to check, whatever is asked of them.)
    for (calls, asked) in [(doubled, 9), (nested, 1)] {
        let mut stem = to_main(&spds, calls.len());
        stem.push(step(&spds, "m2", 0, [0, 0], Then::Step));
        let ended = Run { stem, cycle: None, closes_on: None, calls, ending: Ending::Terminated };
        let satisfied =
            ["START & X (@at(f) U m1)", "F (m2 & X G @end)", "G (f1 -> F BACK)", "G (AGAIN -> X (f0 | f2))"];
        let violated = ["X X X X G !@at(f)", "G (BACK -> X (f1 | m1))", "G (BACK -> X BACK)"];
        does(&spds, &ended, Runs::Maximal, &satisfied[..asked.min(4)], &violated[..asked.min(3)]);
        // The same calls, again and again, ever higher.
        let mut calls = ended.calls;
        let last = calls.len() - 1;
        let stem = vec![step(&spds, "m0", 0, [0, 0], Then::Step)];
        let cycle = vec![step(&spds, "f0", 1, [0, 0], Then::Call(last)), step(&spds, "f1", 1, [0, 0], Then::Step)];
        calls.truncate(last + 1);
        let endless = Run { stem, cycle: Some(cycle), closes_on: None, calls, ending: Ending::Loop };
        let satisfied = ["G F f1", "G F BACK", "X G @at(f)", "F G (BACK -> X (f1 | BACK))"];
        let violated = ["F G (BACK -> X f1)", "F @end", "G F START", "F G !f1"];
        does(&spds, &endless, Runs::Infinite, &satisfied[..asked.min(4)], &violated[..asked.min(4)]);
    }
}

/// The trace that a user sees, nothing left out.
fn observed(spds: &Spds, run: &Run) -> Observed {
    let mut observed = runs::observe(spds, run, &mut Rng::with_seed(0));
    let all = |seen: &mut [Seen], steps: &[Step]| {
        let visible = steps.iter().filter(|step| !runs::is_hidden(spds, &step.config));
        for (seen, step) in seen.iter_mut().zip(visible) {
            seen.values = runs::values(spds, &step.config);
        }
    };
    all(&mut observed.stem, &run.stem);
    if let (Some(seen), Some(cycle)) = (&mut observed.cycle, &run.cycle) {
        all(seen, cycle);
    }
    for (seen, call) in observed.calls.iter_mut().zip(&run.calls) {
        all(&mut seen.steps, &call.steps);
    }
    observed
}

#[test]
fn a_recorded_trace_shows_the_same() {
    let spds = system();
    let zero = |symbol| step(&spds, symbol, 0, [0, 0], Then::Step);
    let mut terminated = to_main(&spds, 0);
    terminated.push(zero("m2"));
    let mut stuck = to_main(&spds, 0);
    stuck.push(zero("wait"));
    let growing = Run {
        stem: vec![zero("m0")],
        cycle: Some(vec![step(&spds, "f0", 1, [0, 0], Then::Step)]),
        closes_on: None,
        calls: Vec::new(),
        ending: Ending::Loop,
    };
    for (run, satisfied, violated) in [
        (ends(terminated, Ending::Terminated), "F G @end", "F G g"),
        (ends(stuck, Ending::Stuck), "F G @stuck", "F (wait & !@stuck)"),
        (growing, "X G AGAIN", "F f1"),
    ] {
        let observed = observed(&spds, &run);
        let walked = |formula: &str| {
            let claim = Claim::Violates { violations: violations(&spds, formula), runs: Runs::Stutter };
            walk(&spds, &observed, &claim, 10_000).map_err(|objection| objection.why)
        };
        assert_eq!(walked(satisfied), Err("the run satisfies the property".to_string()), "{satisfied}");
        assert_eq!(walked(violated), Ok(Walked::Real(Replayed::Full)), "{violated}");
        let infinite = walk(&spds, &observed, &Claim::Infinite, 10_000);
        assert_eq!(infinite.is_ok(), run.cycle.is_some());
    }
}

#[test]
fn a_recorded_trace_that_leaves_open_what_the_formula_reads_decides_nothing() {
    let text = "spds 1  global g: bool, h: bool;  control p;  symbol a;  start <p, a> when h;  rule <p, a> -> <p, a>;";
    let spds = spds_format::parse(text).expect("the system is fine");
    let item = |values: &[(&str, bool)]| Seen {
        file: None,
        line: None,
        procedure: None,
        control: None,
        symbol: None,
        labels: None,
        depth: Some(0),
        values: values.iter().map(|(name, value)| (name.to_string(), SeenValue::Bool(*value))).collect(),
        then: Then::Step,
    };
    let walked = |values: &[(&str, bool)], formula: &str| {
        let (stem, cycle) = (Vec::new(), Some(vec![item(values)]));
        let observed = Observed { stem, cycle, closes_on: None, calls: Vec::new(), ending: Ending::Loop };
        let claim = Claim::Violates { violations: violations(&spds, formula), runs: Runs::Infinite };
        walk(&spds, &observed, &claim, 1000)
    };
    assert_eq!(walked(&[], "F g"), Ok(Walked::Undecided));
    assert_eq!(walked(&[], "F !h"), Ok(Walked::Real(Replayed::Full)), "the start tells h");
    assert_eq!(walked(&[("g", false)], "F g"), Ok(Walked::Real(Replayed::Full)));
    assert!(walked(&[("g", true)], "F g").is_err());
}

#[test]
fn a_recorded_call_is_real_if_one_of_the_ways_to_enter_it_is() {
    let text = "spds 1  global hidden r: bool;  frame main {}  frame f {}  control p;
        symbol m0 in main labels M;  symbol m1 in main labels N;  symbol f0 in f labels F;  symbol f1 in f labels G;
        start <p, m0>;
        rule <p, m0> -> <p, f0 m1> { r' := false };  rule <p, m0> -> <p, f0 m1> { r' := true };
        rule <p, f0> -> <p, f1> when r;  rule <p, f1> -> <p>;  rule <p, m1> -> <p, m1>;";
    let spds = spds_format::parse(text).expect("the system is fine");
    let r = |symbol, then, r: u64| {
        let mut step = step(&spds, symbol, 0, [0, 0], then);
        step.config.globals = [r].into();
        step
    };
    let steps = vec![r("f0", Then::Step, 1), r("f1", Then::Step, 1)];
    let mut run = Run {
        stem: vec![r("m0", Then::Call(0), 0)],
        cycle: Some(vec![r("m1", Then::Step, 1)]),
        closes_on: None,
        calls: vec![Call { procedure: Some(FrameId(1)), steps }],
        ending: Ending::Loop,
    };
    assert_eq!(judge(&spds, &run, &Claim::Infinite, 0), Ok(Replayed::Full));
    assert_eq!(walk(&spds, &observed(&spds, &run), &Claim::Infinite, 100), Ok(Walked::Real(Replayed::Full)));
    // Where there is no way at all, the reason is told where it is.
    let last = run.calls[0].steps[1].clone();
    run.calls[0].steps.push(last);
    let objection = walk(&spds, &observed(&spds, &run), &Claim::Infinite, 100).expect_err("f1 returns");
    assert!(matches!(objection.at, Some((Section::Call(0), _))), "{objection}");
}

/// A proposition that the test understands: where a symbol is on top, or a cell has a value there.
enum Simple {
    At(Vec<SymbolId>),
    Cell { frame: Option<FrameId>, cell: usize, value: u64 },
    Stuck,
}

impl Simple {
    fn holds(&self, spds: &Spds, config: &Config, stuck: bool) -> bool {
        match self {
            Simple::At(symbols) => symbols.contains(&config.symbol),
            Simple::Cell { frame: None, cell, value } => config.globals[*cell] == *value,
            Simple::Cell { frame, cell, value } => {
                spds.symbol(config.symbol).frame == *frame && config.locals[*cell] == *value
            }
            Simple::Stuck => stuck,
        }
    }
}

fn simple(spds: &Spds, rng: &mut Rng) -> (Simple, Meaning) {
    if let 0..3 = rng.u32(..6) {
        let frame = rng.bool().then(|| FrameId(rng.u32(..spds.frames.len() as u32)));
        let variables = frame.map_or(&spds.globals[..], |frame| &spds.frame(frame).variables);
        // The first variables up to an array, so that cells are variables.
        let scalars = variables.iter().take_while(|variable| variable.ty.range.is_none()).count();
        if scalars > 0 {
            let number = rng.u32(..scalars as u32);
            let var = if frame.is_some() { Var::Local(number) } else { Var::Global(number) };
            let read = Expr::read(var, Time::Before);
            let (condition, value) = match variables[number as usize].ty.scalar {
                Scalar::Bool => (read, 1),
                Scalar::Unsigned(_) => (read.binary(Binary::Eq, &Expr::number(1)), 1),
            };
            return (Simple::Cell { frame, cell: number as usize, value }, Meaning::Values { frame, condition });
        }
    }
    let symbols: Vec<SymbolId> = match rng.u32(..5) {
        0 => spds.end.into_iter().collect(),
        1 => spds.fail.into_iter().collect(),
        2 => return (Simple::Stuck, Meaning::Stuck),
        _ => (0..spds.symbols.len() as u32).map(SymbolId).filter(|_| rng.u32(..3) == 0).collect(),
    };
    (Simple::At(symbols.clone()), Meaning::Symbols(symbols))
}

/// All configurations of a list that are seen.
fn unfolded(spds: &Spds, run: &Run, steps: &[Step], all: &mut Vec<Config>) {
    for step in steps {
        if !runs::is_hidden(spds, &step.config) {
            all.push(step.config.clone());
        }
        if let Then::Call(call) = step.then {
            unfolded(spds, run, &run.calls[call].steps, all);
        }
    }
}

/// What may be on top for ever after the last configuration of a run.
fn after(spds: &Spds, run: &Run) -> Vec<Config> {
    let last = &run.stem.last().unwrap().config;
    let state = oracle::State {
        control: last.control,
        symbol: last.symbol,
        globals: last.globals.to_vec(),
        locals: last.locals.to_vec(),
    };
    let lasting = |next: oracle::Next| match (next, run.ending) {
        (oracle::Next::Pop(control, globals), Ending::Terminated) => {
            Some(Config { control, symbol: spds.end?, globals: globals.into(), locals: [].into() })
        }
        (oracle::Next::Swap(state), Ending::Failed) => {
            Some(runs::config(&state)).filter(|c| Some(c.symbol) == spds.fail)
        }
        _ => None,
    };
    match run.ending {
        Ending::Stuck => vec![last.clone()],
        _ => oracle::successors(spds, &state).into_iter().filter_map(|(_, next)| lasting(next)).collect(),
    }
}

/// A random run that is whole, folded.
fn whole(spds: &Spds, rng: &mut Rng) -> Option<Run> {
    let stem = runs::random(spds, rng, 40)?;
    let special = |config: &Config| [spds.end, spds.fail].contains(&Some(config.symbol));
    let run = match stem.iter().position(|step| special(&step.config)) {
        Some(0) => return None,
        Some(end) if rng.u32(..4) > 0 => {
            let ending = if Some(stem[end].config.symbol) == spds.end { Ending::Terminated } else { Ending::Failed };
            ends(stem[..end].to_vec(), ending)
        }
        // A step into a hidden configuration that leads nowhere does not exist.
        _ if stem.len() < 40 && runs::is_hidden(spds, &stem[stem.len() - 1].config) => return None,
        _ if stem.len() < 40 => ends(stem, Ending::Stuck),
        _ => runs::lasso(&stem)?,
    };
    let folded = runs::fold(spds, &run, rng);
    judge(spds, &folded, &Claim::Whole, 0).is_ok().then_some(folded)
}

#[test]
fn judge_and_evaluator_agree_on_random_runs_and_formulas() {
    let mut met = [0; 4];
    let (mut folded, mut violated, mut all) = (0, 0, 0);
    for seed in support::seeds(0..1200) {
        let mut spds = systems::system(seed, Features::ALL);
        // Recorded traces tell symbols by their lines.
        for (line, symbol) in (1..).zip(&mut spds.symbols) {
            symbol.place = Some(Place { file: 0, line, column: 1 });
        }
        spds.files = vec!["a.spds".into()];
        let rng = &mut Rng::with_seed(seed);
        let Some(run) = whole(&spds, rng) else { continue };
        let observed = observed(&spds, &run);
        // A stack that begins without `@end` at its bottom ends empty, of which formulas say nothing.
        let bottom = spds.start.stack.len() > 1 && spds.start.stack.last().copied() == spds.end;
        if run.ending == Ending::Terminated && !bottom {
            continue;
        }
        met[match run.ending {
            Ending::Loop => 0,
            Ending::Terminated => 1,
            Ending::Failed => 2,
            _ => 3,
        }] += 1;
        folded += usize::from(!run.calls.is_empty());
        for _ in 0..6 {
            let propositions: Vec<(Simple, Meaning)> = (0..3).map(|_| simple(&spds, rng)).collect();
            let operators = rng.usize(1..8);
            let ltl: Ltl = random::formula(rng, 3, operators);
            let letter = |config: &Config, stuck: bool| -> u32 {
                let bits = propositions.iter().map(|(simple, _)| u32::from(simple.holds(&spds, config, stuck)));
                bits.rev().fold(0, |letter, bit| letter << 1 | bit)
            };
            let mut stem = Vec::new();
            unfolded(&spds, &run, &run.stem, &mut stem);
            let mut letters: Vec<u32> = stem.iter().map(|config| letter(config, false)).collect();
            let real = match &run.cycle {
                Some(cycle) => {
                    let back = letters.len();
                    let mut turn = Vec::new();
                    unfolded(&spds, &run, cycle, &mut turn);
                    letters.extend(turn.iter().map(|config| letter(config, false)));
                    !lasso::satisfies(&Lasso { letters, back }, &ltl)
                }
                None => after(&spds, &run).iter().any(|config| {
                    let mut letters = letters.clone();
                    if run.ending == Ending::Stuck {
                        letters.pop();
                    }
                    letters.push(letter(config, run.ending == Ending::Stuck));
                    !lasso::satisfies(&Lasso { back: letters.len() - 1, letters }, &ltl)
                }),
            };
            let meanings = propositions.iter().map(|(_, meaning)| meaning.clone()).collect();
            let violations = Violations::of(ltl.clone(), meanings, &Passes::default(), &Limits::default()).unwrap();
            all += 1;
            violated += usize::from(real);
            for (how, violations) in [("automaton", by_automaton(&violations)), ("formula", Arc::new(violations))] {
                for runs in EVERY {
                    let counts = match (run.ending, &run.cycle) {
                        (Ending::Loop, Some(cycle)) => {
                            runs != Runs::Infinite || ![spds.end, spds.fail].contains(&Some(cycle[0].config.symbol))
                        }
                        (Ending::Stuck, _) => runs == Runs::Stutter,
                        _ => runs != Runs::Infinite,
                    };
                    let claim = Claim::Violates { violations: Arc::clone(&violations), runs };
                    let judged = judge(&spds, &run, &claim, u64::MAX);
                    let text = puch::ltl::parenthesised(&ltl);
                    assert_eq!(judged.is_ok(), real && counts, "seed {seed}: {text} by {how}: {judged:?} {run:#?}");
                    let walked = walk(&spds, &observed, &claim, 1_000_000);
                    // Another run that looks the same may end in another way; and a last step that is hidden is not told.
                    let told = |step: &Step| !runs::is_hidden(&spds, &step.config);
                    if run.ending == Ending::Loop || judged.is_ok() && run.stem.last().is_some_and(told) {
                        let expected = Walked::Real(Replayed::Full);
                        let same = judged.is_ok() == (walked == Ok(expected)) && walked != Ok(Walked::Undecided);
                        assert!(same, "seed {seed}: {text} by {how}: {judged:?} but {walked:?} {run:#?}");
                    }
                }
            }
        }
    }
    assert!(met.iter().all(|count| *count >= 10), "loops, terminated, failed, stuck: {met:?}");
    assert!(folded > 60, "{folded} folded");
    assert!(violated * 3 > all && violated * 3 < 2 * all, "{violated} of {all} violated");
}
