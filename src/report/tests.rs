//! The reports on runs made by hand.

use spds_format::model::{Frame, FrameId, Scalar, Spds, Type};

use crate::check::{Answer, Verdict};
use crate::places::{self, Naming, PlaceError};
use crate::run::{Ending, Run, Section, Then};
use crate::source::Source;

use super::present::{Asked, Calls, Finding, PropertyKind, Wish};
use super::sample::{FIG1, doubling, fig1, fig1_run, reachable, silence, step, variable};
use super::system::SystemReport;
use super::view::View;
use super::walk::{Direction, Form, Walk, configurations, items};
use super::{bebop, json, reported, text};

const WISH: Wish = Wish { calls: Calls::Auto, limit: 1_000_000 };

fn asked() -> Asked {
    Asked::new(PropertyKind::Reach, "R")
}

/// What `write` writes about one answer.
fn report(
    spds: &Spds,
    answer: &Answer,
    wish: Wish,
    write: impl Fn(&mut dyn std::io::Write, &View<'_>, Option<&Source<'_>>, &[Finding<'_>]) -> std::io::Result<()>,
) -> String {
    let view = View::new(spds, Naming::Program);
    let asked = asked();
    let findings = [Finding::new(&view, &asked, answer, wish)];
    let mut out = Vec::new();
    write(&mut out, &view, Some(&Source::new("fig1.bp", FIG1)), &findings).expect("a vector takes everything");
    String::from_utf8(out).expect("reports are text")
}

fn as_text(spds: &Spds, answer: &Answer, wish: Wish) -> String {
    let form = reported::Form::Text(text::Layout::default());
    report(spds, answer, wish, |out, view, source, findings| {
        SystemReport::new(view, source, findings).write(out, form, json::Header::default())
    })
}

fn as_bebop(spds: &Spds, answer: &Answer, wish: Wish) -> String {
    report(spds, answer, wish, |out, view, source, findings| bebop::write(out, view, source, findings, &[]))
}

fn as_json(spds: &Spds, answer: &Answer, wish: Wish) -> serde_json::Value {
    let header = json::Header { version: "0", input: "fig1.bp", ..Default::default() };
    let text = report(spds, answer, wish, |out, view, _, findings| {
        SystemReport::new(view, None, findings).write(out, reported::Form::Json, header)
    });
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn lines(run: &Run, form: Form, direction: Direction) -> Vec<(u32, u64)> {
    let spds = fig1();
    let view = View::new(&spds, Naming::Program);
    let line = |met: super::walk::Met<'_>| spds.symbol(met.step.config.symbol).place.expect("it has one").line;
    Walk::new(&view, run, Section::Stem, form, direction).map(|met| (line(met), met.depth)).collect()
}

#[test]
fn a_walk_backward_is_the_walk_forward_reversed() {
    let call = [(20, 1), (21, 1), (20, 2), (24, 2), (26, 2), (22, 1), (26, 1)];
    let mut expected = vec![(6, 0), (7, 0)];
    expected.extend(call);
    expected.extend([(8, 0), (9, 0)]);
    expected.extend(call);
    expected.extend([(10, 0), (11, 0), (12, 0)]);
    assert_eq!(lines(&fig1_run(), Form::Full, Direction::Forward), expected);
    expected.reverse();
    assert_eq!(lines(&fig1_run(), Form::Full, Direction::Backward), expected);
}

#[test]
fn folded_calls_are_listed_where_they_are_met_first_in_either_direction() {
    let forward = lines(&fig1_run(), Form::Folded, Direction::Forward);
    assert_eq!(
        forward.iter().map(|(line, _)| *line).collect::<Vec<_>>(),
        [6, 7, 20, 21, 20, 24, 26, 22, 26, 8, 9, 10, 11, 12]
    );
    let backward = lines(&fig1_run(), Form::Folded, Direction::Backward);
    assert_eq!(
        backward.iter().map(|(line, _)| *line).collect::<Vec<_>>(),
        [12, 11, 10, 26, 22, 26, 24, 20, 21, 20, 9, 8, 7, 6]
    );
}

#[test]
fn runs_of_2_to_the_1000_steps_are_counted_and_folded() {
    let spds = fig1();
    let view = View::new(&spds, Naming::Program);
    let run = doubling(1000);
    assert_eq!(configurations(&view, &run), u128::MAX);
    assert_eq!(items(&view, &run), 3003);
    assert_eq!(configurations(&view, &doubling(3)), 2 + (8 + 3 * (4 + 2 + 1)));
    let answer = reachable(run);
    assert_eq!(as_text(&spds, &answer, WISH).lines().count(), 3 + 3003);
    assert_eq!(as_json(&spds, &answer, WISH)["results"][0]["trace"]["calls"].as_array().map(Vec::len), Some(1001));
    let full = Wish { calls: Calls::Full, ..WISH };
    let why = "the trace has more than 10^38 configurations, more than 1000000; folded it has 3003 items";
    assert!(as_text(&spds, &answer, full).contains(why));
    assert_eq!(as_json(&spds, &answer, full)["results"][0]["trace_omitted"], why);
    assert_eq!(as_json(&spds, &answer, full)["results"][0]["trace"], serde_json::Value::Null);
    let few = Wish { limit: 3002, ..WISH };
    assert!(as_bebop(&spds, &answer, few).contains("3003 items in folded form, more than 3002"));
}

#[test]
fn indentation_stops_growing_at_depth_20() {
    let text = as_text(&fig1(), &reachable(doubling(500)), WISH);
    assert!(text.contains("[depth 400] "), "{text}");
    assert!(text.lines().all(|line| line.chars().count() < 160));
}

#[test]
fn the_text_stands_beside_the_source() {
    let head = "\
R: reachable

   6  h := !g;          g=1  h=1
   7  A(g,h);           g=1 *h=0
  20    if (a1) then    g=1  a1=1  a2=0
  21    A(a2,a1);       g=1  a1=1  a2=0
  20      if (a1) then  g=1  a1=0  a2=1
";
    let text = as_text(&fig1(), &reachable(fig1_run()), WISH);
    assert!(text.starts_with(head), "{text}");
    assert!(text.ends_with("  12  R: skip;          g=1  h=0\n"), "{text}");
}

#[test]
fn calls_that_are_met_again_are_referred_to() {
    let folded = as_text(&fig1(), &reachable(fig1_run()), Wish { calls: Calls::Folded, ..WISH });
    assert!(folded.contains("21 configurations, each call shown once"), "{folded}");
    assert_eq!(folded.matches("[call 1]").count(), 1, "{folded}");
    assert_eq!(folded.matches("[as call 1]").count(), 1, "{folded}");
    assert!(!folded.contains("call 2"), "a call that is met once needs no number\n{folded}");
}

#[test]
fn bebop_goes_back_in_time_and_leaves_out_the_end_of_procedures() {
    let text = as_bebop(&fig1(), &reachable(fig1_run()), WISH);
    let head = "\
Label R reachable by following path:

 Line 12   State g=1 h=0
 Line 11   State g=1 h=0
 Line 10   State g=1 h=0
     Line 22   State g=1 a1=1 a2=0
         Line 24   State g=1 a1=0 a2=1
         Line 20   State g=1 a1=0 a2=1
     Line 21   State g=1 a1=1 a2=0
     Line 20   State g=1 a1=1 a2=0
 Line 9    State g=1 h=0
";
    assert!(text.starts_with(head), "{text}");
    assert!(text.ends_with(" Line 6    State g=1 h=1\n"), "{text}");
    assert!(!text.contains("Line 26"), "{text}");
}

#[test]
fn bebop_shows_only_constrained_variables() {
    let mut spds = fig1();
    silence(&mut spds, 10);
    // One for each step that is seen, in the order of time: line 10 is not.
    let mut masks = vec![vec![true; 3]; 20];
    masks[0] = vec![true, false];
    masks[4] = vec![false, true, true];
    masks[19] = vec![true, false];
    let masks = [Some(masks)];
    let shown = |wish| {
        report(&spds, &reachable(fig1_run()), wish, |out, view, source, findings| {
            bebop::write(out, view, source, findings, &masks)
        })
    };
    let full = shown(WISH);
    assert!(full.ends_with(" Line 7    State g=1 h=0\n Line 6    State g=1\n"), "{full}");
    assert!(full.contains(" Line 12   State g=1\n Line 11   State g=1 h=0\n"), "{full}");
    assert!(full.contains("         Line 20   State a1=0 a2=1\n"), "{full}");
    let folded = shown(Wish { calls: Calls::Folded, ..WISH });
    assert!(folded.ends_with(" Line 6    State g=1 h=1\n"), "equal calls are constrained differently\n{folded}");
}

#[test]
fn hidden_configurations_and_registers_are_never_shown() {
    let mut spds = fig1();
    silence(&mut spds, 8);
    spds.globals[0].hidden = true;
    let answer = reachable(fig1_run());
    for report in [as_text(&spds, &answer, WISH), as_bebop(&spds, &answer, WISH)] {
        assert!(!report.contains(" 8 ") && !report.contains("g=") && report.contains("h=0"), "{report}");
    }
    let json = as_json(&spds, &answer, WISH);
    let stem = json["results"][0]["trace"]["stem"].as_array().expect("a list");
    assert!(stem.iter().all(|step| step["line"] != 8 && step["values"].get("g").is_none()));
}

#[test]
fn a_global_hidden_by_a_local_appears_with_two_colons() {
    let mut spds = fig1();
    spds.frames[0].variables[0].name = "g".into();
    let json = as_json(&spds, &reachable(fig1_run()), WISH);
    let values = &json["results"][0]["trace"]["stem"][1]["values"];
    assert_eq!(*values, serde_json::json!({"::g": true, "g": false}));
}

#[test]
fn integers_are_numbers_and_arrays_are_arrays() {
    let mut spds = fig1();
    let byte = Scalar::Unsigned(64);
    spds.globals[0].ty = Type { scalar: byte, range: Some((1, 2)) };
    spds.globals.push(variable("{x==y}"));
    let run = Run {
        stem: vec![step(&spds, 12, 0, &[u64::MAX, 7, 1], &[0], Then::Step)],
        cycle: None,
        closes_on: None,
        calls: Vec::new(),
        ending: Ending::Reached,
    };
    let answer = reachable(run);
    let json = as_json(&spds, &answer, WISH);
    let values = &json["results"][0]["trace"]["stem"][0]["values"];
    assert_eq!(*values, serde_json::json!({"g": [u64::MAX, 7], "{x==y}": true, "h": false}));
    assert!(as_text(&spds, &answer, WISH).contains("g=[18446744073709551615,7]  {x==y}=1  h=0"));
}

#[test]
fn values_that_a_run_does_not_have_are_no_trouble() {
    let spds = fig1();
    let run = Run {
        stem: vec![step(&spds, 12, 0, &[], &[], Then::Step)],
        cycle: None,
        closes_on: None,
        calls: Vec::new(),
        ending: Ending::Reached,
    };
    as_text(&spds, &reachable(run), WISH);
}

#[test]
fn a_leap_is_one_item_and_a_cycle_says_where_it_comes_back() {
    let spds = fig1();
    let run = Run {
        stem: vec![step(&spds, 6, 0, &[1], &[0], Then::Leap(1 << 40))],
        cycle: Some(vec![step(&spds, 7, 0, &[1], &[0], Then::Step), step(&spds, 8, 0, &[1], &[0], Then::Step)]),
        closes_on: None,
        calls: Vec::new(),
        ending: Ending::Loop,
    };
    let answer = Answer::new(Verdict::Violated(reachable(run).verdict.trace().cloned()));
    let text = as_text(&spds, &answer, WISH);
    assert!(text.contains("1099511627776 turns of this loop"), "{text}");
    assert!(text.contains("then for ever:") && text.ends_with("and again from line 7\n"), "{text}");
    let json = as_json(&spds, &answer, WISH);
    assert_eq!(json["results"][0]["trace"]["stem"][0]["times"], 1u64 << 40);
    assert_eq!(json["results"][0]["trace"]["cycle"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["results"][0]["trace"]["folded"], true);
    assert!(as_bebop(&spds, &answer, WISH).contains("(1099511627776 times)"));
}

#[test]
fn with_many_variables_only_news_are_shown_between_the_ends() {
    let mut spds = fig1();
    spds.globals.extend((0..50).map(|i| variable(&format!("v{i}"))));
    let mut run = fig1_run();
    for step in run.stem.iter_mut().chain(run.calls.iter_mut().flat_map(|call| &mut call.steps)) {
        step.config.globals = vec![1; 51].into();
    }
    let text = as_text(&spds, &reachable(run.clone()), WISH);
    let shown: Vec<usize> = text.lines().skip(2).map(|line| line.matches('=').count()).collect();
    assert_eq!((shown[0], shown[shown.len() - 1]), (53, 52), "`:=` counts once\n{text}");
    assert_eq!(text.lines().nth(3).map(|line| line.matches('=').count()), Some(1), "{text}");
    assert!(text.lines().nth(3).is_some_and(|line| line.ends_with("*h=0  …")), "{text}");
}

#[test]
fn the_json_object_has_the_promised_shape_to_the_byte() {
    let spds = fig1();
    let run = Run {
        stem: vec![step(&spds, 12, 0, &[1], &[0], Then::Step)],
        cycle: None,
        closes_on: None,
        calls: Vec::new(),
        ending: Ending::Reached,
    };
    let header = json::Header { version: "0.1.0", input: "fig1.bp", ..Default::default() };
    let text = report(&spds, &reachable(run), WISH, |out, view, _, findings| {
        SystemReport::new(view, None, findings).write(out, reported::Form::Json, header)
    });
    let squeezed = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        squeezed,
        "{\"tool\": {\"name\": \"puch\", \"version\": \"0.1.0\"}, \"schema\": 1, \"input\": \"fig1.bp\", \"diagnostics\": [], \"results\": [{\"kind\": \
         \"reach\", \"property\": \"R\", \"verdict\": \"reachable\", \"reason\": null, \"reason_kind\": null, \
         \"warnings\": [], \"vacuous\": false, \"not_verified\": [], \"verified\": null, \"trace\": {\"ending\": \
         \"reached\", \"cycle\": null, \"stem\": [{\"file\": \"fig1.bp\", \"line\": 12, \"column\": 8, \"procedure\": \"main\", \
         \"symbol\": \"line12\", \"labels\": [\"R\"], \"depth\": 0, \"values\": {\"g\": true, \"h\": false}, \
         \"statement\": null, \"branch\": null}], \"replayed\": \"full\"}}]}"
    );
}

#[test]
fn names_of_places_are_resolved() {
    let mut spds = fig1();
    let symbol = |places: Result<Vec<crate::check::Target>, PlaceError>| {
        places.map(|targets| targets.iter().map(|target| target.symbol.0).collect::<Vec<_>>())
    };
    let resolve = |spds: &Spds, place: &str| symbol(places::resolve(spds, place, Naming::Program));
    for place in ["R", "main:R", "*:R", ":12"] {
        assert_eq!(resolve(&spds, place), Ok(vec![6]), "{place}");
    }
    let error = resolve(&spds, "main:r").expect_err("labels are as they are written");
    assert_eq!(error.candidates(), ["main:R"]);
    assert_eq!(error.to_string(), "no label `main:r`");
    let error = resolve(&spds, ":13").expect_err("no statement there");
    assert_eq!(error.candidates(), [":12", ":14"]);
    assert_eq!(error.advice(), "the nearest on which one does: `:12`, `:14`");
    spds.symbols[9].labels = Box::new(["R".into(), "two:parts".into()]);
    let error = resolve(&spds, "R").expect_err("two procedures have it");
    assert_eq!(error.candidates(), ["A:R", "main:R", "*:R"]);
    assert_eq!(resolve(&spds, "*:R"), Ok(vec![6, 9]));
    assert_eq!(resolve(&spds, "A:R"), Ok(vec![9]));
    assert_eq!(resolve(&spds, "A:two:parts"), Ok(vec![9]));
    assert_eq!(resolve(&spds, "two:parts"), Ok(vec![9]));
    silence(&mut spds, 8);
    assert!(resolve(&spds, ":8").is_err(), "a hidden configuration is no statement");
    assert!(resolve(&spds, "p:line7").is_err(), "symbols of programs are not the user's names");
    let system = |place: &str| symbol(places::resolve(&spds, place, Naming::System));
    assert_eq!(system("p:line7"), Ok(vec![1]));
    assert_eq!(system("line7"), Ok(vec![1]));
    assert!(system("q:line7").is_err());
    for odd in ["", ":", "*:", "::", ":99999999999999999999", "R:", ":R"] {
        assert!(resolve(&spds, odd).is_err(), "{odd}");
    }
}

#[test]
fn many_candidates_are_counted_and_the_nearest_come_first() {
    let mut spds = fig1();
    spds.frames.push(Frame { name: "B".into(), variables: Box::new([]) });
    for (index, symbol) in spds.symbols.iter_mut().enumerate() {
        symbol.frame = Some(FrameId(2));
        symbol.labels = Box::new([format!("ERROR{index}").into()]);
    }
    let error = places::resolve(&spds, "EROR7", Naming::Program).expect_err("misspelt");
    assert_eq!(error.candidates()[0], "B:ERROR7");
    assert_eq!(error.candidates().len(), 14);
    assert!(error.advice().starts_with("there are `B:ERROR7`, "));
    assert!(error.advice().ends_with(" and 6 more"));
}

#[cfg(feature = "cli")]
#[test]
fn sarif_is_what_its_types_say_and_nothing_is_lost() {
    let header = json::Header { version: "0", input: "fig1.bp", ..Default::default() };
    let answers = [reachable(fig1_run()), Answer::new(Verdict::Unreachable), Answer::new(Verdict::Holds)];
    for answer in answers {
        let text = report(&fig1(), &answer, WISH, |out, view, _, found| {
            SystemReport::new(view, None, found).write(out, reported::Form::Sarif, header)
        });
        let log: serde_json::Value = serde_json::from_str(&text).expect("SARIF is JSON");
        let typed: serde_sarif::sarif::Sarif = serde_json::from_str(&text).expect("SARIF has its types");
        assert_eq!(serde_json::to_value(&typed).expect("types are JSON"), log);
    }
}
