//! Runs that go on for ever, as users read them: every form of the report, and `puch replay` of what was recorded. The runs
//! are random walks through programs, so that nothing here rests on the search.

mod oracle;
mod shell;
mod support;

use std::fs;

use fastrand::Rng;
use puch::boolprog;
use puch::check::{Answer, Trace, Verdict};
use puch::places::Naming;
use puch::replay::{Claim, Replayed, judge};
use puch::report::present::{Asked, Calls, Finding, PropertyKind, Wish};
use puch::report::reported::Form;
use puch::report::system::SystemReport;
use puch::report::view::View;
use puch::report::{bebop, json, text};
use puch::run::{Ending, Run};
use puch::source::Source;
use spds_format::Spds;
use support::runs;

/// Every second turn is as the one before, two frames higher.
const GROWING: &str = "\
decl held;

void flip()
begin
  held := !held;
end

void deeper(odd)
begin
  AGAIN: flip();
  if (*) then
    deeper(!odd);
  fi
end

void main()
begin
  deeper(0);
end
";

/// Round and round in one frame.
const ROUND: &str = "\
decl held;

void main()
begin
  while (*) do
    held := !held;
  od
  assume(0);
end
";

const GROWING_TEXT: &str = r"F @end: violated

  18  deeper(0);            held=1
      then for ever:
  10    AGAIN: flip();      held=1  odd=0
   5      held := !held;    held=1
   6      end              *held=0
  11    if (*) then         held=0  odd=0
  12    deeper(!odd);       held=0  odd=0
  10      AGAIN: flip();    held=0  odd=1
   5        held := !held;  held=0
   6        end            *held=1
  11      if (*) then       held=1  odd=1
  12      deeper(!odd);     held=1  odd=1
          and again from line 10; each turn leaves the stack 2 frames higher
";

const GROWING_BEBOP: &str = r"Formula F @end violated by following path:

         Line 12   State held=1 odd=1
         Line 11   State held=1 odd=1
             Line 5    State held=0
         Line 10   State held=0 odd=1
     Line 12   State held=0 odd=0
     Line 11   State held=0 odd=0
         Line 5    State held=1
     Line 10   State held=1 odd=0
 (from here on for ever, each turn 2 frames higher)
 Line 18   State held=1
";

const ROUND_TEXT: &str = r"termination: violated

     for ever:
  5  while (*) do    held=1
  6  held := !held;  held=1
  5  while (*) do   *held=0
  6  held := !held;  held=0
     and again from line 5
";

const ROUND_BEBOP: &str = r"Termination violated by following path:

 Line 6    State held=0
 Line 5    State held=0
 Line 6    State held=1
 Line 5    State held=1
 (from here on for ever)
";

fn program(text: &str) -> Spds {
    boolprog::read(text, "cycle.bp", &boolprog::Options::default()).expect("the program is fine").spds
}

/// The first of the random walks that is as wanted.
fn walk(spds: &Spds, wanted: impl Fn(&Run) -> bool) -> Run {
    let stem = |seed| runs::random(spds, &mut Rng::with_seed(seed), 40);
    let run = (0..10_000).filter_map(|seed| runs::lasso(&stem(seed)?)).find(|run| {
        let shortest = run.cycle.as_ref().is_some_and(|cycle| wanted(run) && cycle.len() < 12);
        shortest && run.stem.len() < 5
    });
    let run = run.expect("some walk is as wanted");
    assert_eq!(judge(spds, &run, &Claim::Infinite, 0), Ok(Replayed::Full));
    run
}

/// The growing run: a whole turn of the recursion, with both calls of `flip` in it.
fn growing(spds: &Spds) -> Run {
    let first = |run: &Run| run.cycle.as_ref().map(|cycle| cycle[0].config.clone());
    let again = |run: &Run| first(run).is_some_and(|first| !spds.symbol(first.symbol).labels.is_empty());
    walk(spds, |run| run.stem.len() == 1 && again(run))
}

/// The report in each form: text, Bebop's, JSON.
fn reports(spds: &Spds, source: &str, run: &Run, calls: Calls, asked: &Asked) -> [String; 3] {
    let view = View::new(spds, Naming::Program);
    let trace = Some(Trace { run: run.clone(), replayed: Replayed::Full });
    let answer = Answer::new(Verdict::Violated(trace));
    let findings = [Finding::new(&view, asked, &answer, Wish { calls, limit: 1000 })];
    let source = Source::new("cycle.bp", source);
    let (mut plain, mut like_bebop, mut object) = (Vec::new(), Vec::new(), Vec::new());
    let header = json::Header { version: "0", input: "cycle.bp", ..Default::default() };
    let text = Form::Text(text::Layout::default());
    SystemReport::new(&view, Some(&source), &findings).write(&mut plain, text, header).unwrap();
    bebop::write(&mut like_bebop, &view, Some(&source), &findings, &[None]).unwrap();
    SystemReport::new(&view, None, &findings).write(&mut object, Form::Json, header).unwrap();
    [plain, like_bebop, object].map(|bytes| String::from_utf8(bytes).unwrap())
}

fn formula(text: &str) -> Asked {
    Asked::new(PropertyKind::Ltl, text)
}

#[test]
fn a_cycle_that_grows_the_stack_says_so() {
    let spds = program(GROWING);
    let run = growing(&spds);
    let [plain, like_bebop, _] = reports(&spds, GROWING, &run, Calls::Full, &formula("F @end"));
    assert_eq!(plain, GROWING_TEXT);
    assert_eq!(like_bebop, GROWING_BEBOP);
    let folded = runs::fold(&spds, &run, &mut Rng::with_seed(1));
    let [plain, like_bebop, _] = reports(&spds, GROWING, &folded, Calls::Folded, &formula("F @end"));
    let headed = GROWING_TEXT.replacen("\n\n", "\n\n  11 configurations, each call shown once\n", 1);
    assert_eq!(plain, headed);
    assert_eq!(like_bebop, GROWING_BEBOP);
}

#[test]
fn a_cycle_in_one_frame_says_where_it_comes_back() {
    let spds = program(ROUND);
    let run = walk(&spds, |run| run.cycle.as_ref().is_some_and(|cycle| cycle.len() == 4) && run.stem.is_empty());
    let asked = Asked::new(PropertyKind::Termination, "termination");
    let [plain, like_bebop, object] = reports(&spds, ROUND, &run, Calls::Auto, &asked);
    assert_eq!(plain, ROUND_TEXT);
    assert_eq!(like_bebop, ROUND_BEBOP);
    assert!(object.contains("\"kind\": \"termination\", \"property\": \"termination\", \"verdict\": \"violated\""));
    assert!(object.contains("\"ending\": \"loop\", \"cycle\": [{") && object.contains("\"stem\": []"), "{object}");
}

#[test]
fn a_blocked_run_says_that_nothing_follows() {
    let spds = program(ROUND);
    let stem = runs::random(&spds, &mut Rng::with_seed(2), 40).expect("there are runs");
    let run = Run { stem, cycle: None, closes_on: None, calls: Vec::new(), ending: Ending::Stuck };
    assert_eq!(judge(&spds, &run, &Claim::Whole, 0), Ok(Replayed::Full));
    let [plain, _, object] = reports(&spds, ROUND, &run, Calls::Auto, &formula("G !@stuck"));
    assert!(plain.ends_with("no step leads on\n"), "{plain}");
    assert!(object.contains("\"ending\": \"stuck\", \"cycle\": null"));
}

#[test]
fn recorded_lassos_are_replayed() {
    let directory = shell::scratch("lassos");
    let replay = |options: &str| {
        let output = shell::line(&format!("puch replay cycle.bp trace.json {options}"), &directory);
        (shell::code(&output), shell::stdout(&output) + &shell::stderr(&output))
    };
    fs::write(directory.join("cycle.bp"), GROWING).unwrap();
    fs::write(directory.join("held.hoa"), include_str!("golden/held.hoa")).unwrap();
    fs::write(directory.join("held.never"), include_str!("golden/held.never")).unwrap();
    let spds = program(GROWING);
    let run = growing(&spds);
    let folded = runs::fold(&spds, &run, &mut Rng::with_seed(1));
    assert!(!folded.calls.is_empty());
    for (run, calls) in [(&run, Calls::Full), (&folded, Calls::Folded)] {
        for (asked, code, said) in [
            (formula("F @end"), 0, "F @end: the trace is real\n"),
            (formula("F G held"), 0, "F G held: the trace is real\n"),
            (formula("G (AGAIN -> X @entry(flip))"), 1, "the trace is not real (the run satisfies the property)\n"),
            (formula("G F held"), 1, "G F held: the trace is not real (the run satisfies the property)\n"),
            (formula("held.hoa"), 1, "held.hoa: the trace is not real (the run satisfies the property)\n"),
            (formula("held.never"), 1, "held.never: the trace is not real (the run satisfies the property)\n"),
            (Asked::new(PropertyKind::Termination, "termination"), 0, "termination: the trace is real\n"),
        ] {
            let [_, _, object] = reports(&spds, GROWING, run, calls, &asked);
            fs::write(directory.join("trace.json"), object).unwrap();
            let (actual, words) = replay("--automaton held.hoa --never held.never");
            assert!(actual == code && words.ends_with(said), "{}: {actual} {words}", asked.property);
        }
    }
    // What is in the report must be known.
    let [_, _, object] = reports(&spds, GROWING, &run, Calls::Full, &formula("F nobody"));
    fs::write(directory.join("trace.json"), object).unwrap();
    let (code, words) = replay("");
    assert!(code == 2 && words.contains("there is no label and no global `nobody`"), "{words}");
}
