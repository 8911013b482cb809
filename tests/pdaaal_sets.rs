//! PDAAAL's P-automata: which sets of configurations they are read as, what is refused with which words, and that what is
//! written is the same set.

extern crate puch_engine as puch;

#[path = "support/complaints.rs"]
mod complaints;
mod oracle;
mod support;

use fastrand::Rng;
use puch::enumeration::{compare, list};
use puch::limits::Limits;
use puch::pdaaal::{Options, Starting, States, System, Which, read, read_automaton, write_automaton};
use puch::regular::{Direction, Question, saturate};
use spds_format::automaton::{Automaton, Edge, End, Role, State, StateId};
use spds_format::build::Builder;
use spds_format::model::{ControlId, Spds, SymbolId};
use support::{pick, seeds};

const NAMED: &str = r#"{"pda": {"states": {
  "p0": {"A": {"to": "p1", "pop": ""}, "B": {"to": "p0", "push": "A"}},
  "p1": {"A": [{"to": "p0", "swap": "A"}, {"to": "p2", "push": "B"}]},
  "p2": {"B": {"to": "p2", "pop": ""}}}}}"#;

const NUMBERED: &str = r#"{"pda": {"states": [
  {"A": {"to": 1, "pop": ""}, "B": {"to": 0, "push": "A"}},
  {"A": [{"to": 0, "swap": "A"}, {"to": 2, "push": "B"}]},
  {"B": {"to": 2, "pop": ""}}]}}"#;

fn system(text: &str) -> System {
    read(text, &Options { start: Starting::Immaterial }).expect("the system is fine")
}

fn set(system: &System, text: &str, which: Which) -> Automaton {
    let read = read_automaton(&system.spds, system.states, text, which).expect("there is one in it");
    let (set, warnings) = read.unwrap_or_else(|complaints| panic!("{text}\n{complaints:#?}"));
    assert_eq!(warnings, []);
    assert_eq!(set.check(&system.spds, Role::Input), []);
    set
}

/// Its configurations with at most three symbols.
fn configurations(spds: &Spds, set: &Automaton) -> Vec<String> {
    let patterns = list(spds, &[set], 3, &Limits::default()).expect("there is no limit");
    let symbol = |(symbol, _): &(SymbolId, _)| spds.symbol(*symbol).name.to_string();
    let shown = patterns.iter().map(|pattern| {
        let stack: Vec<String> = pattern.stack.iter().map(symbol).collect();
        format!("{} {}", spds.controls[pattern.control.0 as usize], stack.concat())
    });
    let mut shown: Vec<String> = shown.collect();
    shown.sort();
    shown
}

fn said(system: &System, text: &str) -> Vec<String> {
    let read = read_automaton(&system.spds, system.states, text, Which::Initial);
    let read = read.unwrap_or_else(|| panic!("there is none in {text}"));
    complaints::said(text, &complaints::about(text, read, |(_, warnings)| warnings))
}

#[test]
fn an_automaton_beside_a_system_with_names() {
    let system = system(NAMED);
    let text = r#"{"P-automaton": {"accepting": [3, "p1", 3], "initial": ["p0", "p1", "p2"],
        "edges": [["p0", "A", 3], ["p0", "B", 4], [4, "A", 3], ["p1", "A", 3], ["p1", "B", "rest"], ["rest", "B", "rest"], ["rest", "A", 3]]}}"#;
    let automaton = set(&system, text, Which::Initial);
    assert_eq!(configurations(&system.spds, &automaton), ["p0 A", "p0 BA", "p1 ", "p1 A", "p1 BA", "p1 BBA"]);
    let names: Vec<&str> = automaton.states.iter().map(|state| state.name.as_str()).collect();
    assert_eq!(names, ["3", "4", "rest", "empty"]);
}

#[test]
fn an_automaton_beside_a_system_with_numbers() {
    let system = system(NUMBERED);
    let text = r#"{"P-automaton": {"accepting": [3, 1], "initial": [0, 1, 2], "edges": [[0, "A", 3], [0, "B", 44], [44, "A", 3]]}}"#;
    assert_eq!(configurations(&system.spds, &set(&system, text, Which::Initial)), ["0 A", "0 BA", "1 "]);
}

#[test]
fn an_instance_has_two_automata_and_their_labels_belong_to_the_system() {
    let text = r#"{"instance": [{"state-names": true, "weight-type": "uint"},
        {"states": {"p": {"A": {"to": "q", "pop": "", "weight": 1}}, "q": {"A": {"to": "q", "swap": "A"}}}},
        {"accepting": [3], "edges": [["p", "A", 4], [4, "bottom", 3]]},
        {"accepting": ["q", 3], "edges": [["q", "bottom", 3]]}]}"#;
    let system = system(text);
    assert_eq!(configurations(&system.spds, &set(&system, text, Which::Initial)), ["p Abottom"]);
    assert_eq!(configurations(&system.spds, &set(&system, text, Which::Final)), ["q ", "q bottom"]);
}

#[test]
fn older_versions_list_edges_by_state() {
    let text = r#"{"initial_p_automaton": {"states": {
        "3": {"edges": [{"label": "B", "to": "4"}]},
        "4": {"accepting": true, "edges": [{"label": "B", "to": "4"}]},
        "p0": {"edges": [], "initial": true, "accepting": true},
        "p1": {"edges": [{"to": "3", "label": "A"}], "initial": true, "accepting": false}}}}"#;
    let named = system(NAMED);
    assert_eq!(configurations(&named.spds, &set(&named, text, Which::Initial)), ["p0 ", "p1 AB", "p1 ABB"]);
    let numbered = system(NUMBERED);
    let text = text.replace("\"p0\"", "\"0\"").replace("\"p1\"", "\"1\"");
    assert_eq!(configurations(&numbered.spds, &set(&numbered, &text, Which::Initial)), ["0 ", "1 AB", "1 ABB"]);
    let listed = r#"{"P-automaton": {"states": [{"initial": true, "edges": [{"label": "A", "to": 3}]}, {"initial": true},
        {"edges": [], "initial": true}, {"accepting": true, "edges": []}]}}"#;
    assert_eq!(configurations(&numbered.spds, &set(&numbered, listed, Which::Initial)), ["0 A"]);
}

#[test]
fn edges_that_read_nothing_are_worked_out() {
    let system = system(NAMED);
    // Two states that follow each other round and round, a way from a state of the system into them, and on to the end.
    let text = r#"{"P-automaton": {"accepting": ["end"], "initial": [], "edges": [
        ["p0", "", 10], [10, "", 11], [11, "", 10], [10, "A", 12], [11, "B", 12], [12, "", "end"], ["p2", "", "end"]]}}"#;
    let automaton = set(&system, text, Which::Initial);
    assert_eq!(configurations(&system.spds, &automaton), ["p0 A", "p0 B", "p2 "]);
}

#[test]
fn of_several_automata_names_tell_which_is_meant() {
    let system = system(NAMED);
    let one =
        |name: &str, label: &str| format!("\"{name}\": {{\"accepting\": [9], \"edges\": [[\"p0\", \"{label}\", 9]]}}");
    let both = format!("{{{}, {}}}", one("initial_p_automaton", "A"), one("final_p_automaton", "B"));
    assert_eq!(configurations(&system.spds, &set(&system, &both, Which::Initial)), ["p0 A"]);
    assert_eq!(configurations(&system.spds, &set(&system, &both, Which::Final)), ["p0 B"]);
    // One alone is meant, whatever its name; and a text may be what is otherwise inside.
    let only = format!("{{{}}}", one("final_p_automaton", "B"));
    assert_eq!(configurations(&system.spds, &set(&system, &only, Which::Initial)), ["p0 B"]);
    let bare = r#"{"accepting": [9], "edges": [["p0", "B", 9]]}"#;
    assert_eq!(configurations(&system.spds, &set(&system, bare, Which::Initial)), ["p0 B"]);
    let unclear = format!("{{{}, {}}}", one("one automaton", "A"), one("another automaton", "B"));
    assert_eq!(
        said(&system, &unclear),
        [
            "^{^ it is not clear which P-automaton in this text is the set of configurations to start from | its name begins \
          with `initial` or `final`, or it is the third of an instance"
        ]
    );
    // puch's own format, and no JSON at all.
    for other in [r#"{"states": [], "edges": []}"#, r#"{"automaton": {"states": [], "edges": []}}"#, "{", "[]", ""] {
        assert!(read_automaton(&system.spds, system.states, other, Which::Initial).is_none(), "{other}");
    }
}

#[test]
fn all_mistakes_in_one_go() {
    let text = r#"{"P-automaton": {"accepting": [3, -1, null], "initial": ["p0", "p9"], "edge": [],
        "edges": [["p0", "C", 3], ["pp0", "A", 3], ["p0", "A", "p1"], ["p0", "A"], {"from": "p0"}, ["p0", 7, 3], ["p0", "Aa", "p0"], 5]}}"#;
    let into = "saturation needs initial states that no edge enters; lead the edge to a state of its own";
    assert_eq!(
        said(&system(NAMED), text),
        [
            "^-1^ a state is a whole number from 0 on".to_owned(),
            "^null^ a state is needed here".to_owned(),
            "^\"p9\"^ there is no state `p9` in the system | did you mean `p0`, `p1` or `p2`?".to_owned(),
            "^\"edge\"^ a P-automaton has no `edge`".to_owned(),
            "^\"C\"^ there is no label `C` in the system".to_owned(),
            "^\"pp0\"^ there is no state `pp0` in the system | did you mean `p0`?".to_owned(),
            format!("^\"p1\"^ an edge leads into the state `p1` of the system | {into}"),
            "^[^ an edge has three parts: a state, a label and a state".to_owned(),
            "^{\"from\": \"p0\"}^ an edge, `[STATE, \"LABEL\", STATE]`, is needed here".to_owned(),
            "^7^ a label in quotes is needed here".to_owned(),
            "^\"Aa\"^ there is no label `Aa` in the system | did you mean `A`?".to_owned(),
            format!("^\"p0\"^ an edge leads into the state `p0` of the system | {into}"),
            "^5^ an edge, `[STATE, \"LABEL\", STATE]`, is needed here".to_owned(),
        ]
    );
    assert_eq!(
        said(&system(NUMBERED), r#"{"P-automaton": {"accepting": ["3"], "edges": [[7, "A", 8]]}}"#),
        [
            "^\"3\"^ a number, because the states of the system have numbers, is needed here",
            "~7^ no edge leads to the state 7, and the system has none with this number",
        ]
    );
    assert_eq!(
        said(
            &system(NAMED),
            r#"{"P-automaton": {"states": {"p0": {"edges": [{"label": "A"}, 3, {"to": 3, "label": 3}]}, "x": {"initial": 1},
            "y": {"initial": true, "edges": 3}, "z": []}}}"#
        ),
        [
            "^{^ this edge has no `\"to\"`",
            "^3^ an edge, `{\"label\": …, \"to\": …}`, is needed here",
            "^3^ a label in quotes is needed here",
            "^\"x\"^ there is no state `x` in the system",
            "^1^ `true` or `false` is needed here",
            "^\"y\"^ there is no state `y` in the system",
            "^3^ an array is needed here",
            "^\"z\"^ there is no state `z` in the system",
            "^[]^ an object with the edges of a state is needed here",
        ]
    );
    assert_eq!(
        said(&system(NAMED), r#"{"P-automaton": {}}"#),
        ["^{^ this P-automaton has no `\"accepting\"`", "^{^ this P-automaton has no `\"edges\"`"]
    );
    assert_eq!(
        said(&system(NAMED), r#"{"P-automaton": 3}"#),
        ["^3^ a P-automaton, `{\"accepting\": […], \"edges\": […]}`, is needed here"]
    );
}

/// A random system without data whose states have names or numbers, and a random set of its configurations.
fn random(seed: u64) -> (Spds, States, Automaton) {
    let mut rng = Rng::with_seed(seed);
    let states = if rng.bool() { States::Named } else { States::Numbered };
    let mut builder = Builder::new();
    let name = |n: usize| if states == States::Named { format!("\"p\\{n}") } else { (3 * n).to_string() };
    let controls: Vec<ControlId> = (0..rng.usize(1..4)).map(|n| builder.control(name(n))).collect();
    let symbols: Vec<SymbolId> = (0..rng.usize(1..4)).map(|n| builder.symbol(format!("s {n}"), None)).collect();
    for _ in 0..rng.usize(1..8) {
        let (from, top, to) = (*pick(&mut rng, &controls), *pick(&mut rng, &symbols), *pick(&mut rng, &controls));
        let other = *pick(&mut rng, &symbols);
        let stack = match rng.u32(..3) {
            0 => spds_format::model::Stack::Pop,
            1 => spds_format::model::Stack::Swap(other),
            _ => spds_format::model::Stack::Push(other, top),
        };
        builder.rule(spds_format::build::rule(from, top, to, stack));
    }
    builder.start(controls[0], vec![symbols[0]], None);
    let spds = builder.finish().expect("it is valid");
    let count = rng.u32(1..5);
    let state = |n: u32| State {
        name: format!("s{n}").as_str().into(),
        frame: None,
        carries: Box::default(),
        accepting: n == 0 || (seed >> n).is_multiple_of(3),
    };
    let set: Vec<State> = (0..count).map(state).collect();
    let mut edges = Vec::new();
    for _ in 0..rng.usize(1..10) {
        let to = StateId(rng.u32(..count));
        let (from, symbol) = match rng.u32(..5) {
            0 | 1 => (End::Control(*pick(&mut rng, &controls)), Some(*pick(&mut rng, &symbols))),
            2 if set[to.0 as usize].accepting => (End::Control(*pick(&mut rng, &controls)), None),
            _ => (End::State(StateId(rng.u32(..count))), Some(*pick(&mut rng, &symbols))),
        };
        edges.push(Edge { from, symbol, to: End::State(to), condition: None });
    }
    let automaton = Automaton { states: set, edges };
    assert_eq!(automaton.check(&spds, Role::Input), []);
    (spds, states, automaton)
}

#[test]
fn what_is_written_is_the_same_set() {
    let limits = Limits::default();
    let (mut empty, mut saturated) = (0, 0);
    for seed in seeds(0..400) {
        let (spds, states, start) = random(seed);
        let same = |set: &Automaton| {
            let text = write_automaton(&spds, states, set).expect("there is no data");
            serde_json::from_str::<serde_json::Value>(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let read = read_automaton(&spds, states, &text, Which::Final).expect("there is one in it");
            let (again, warnings) = read.unwrap_or_else(|complaints| panic!("seed {seed}\n{text}\n{complaints:#?}"));
            assert_eq!(warnings, [], "seed {seed}\n{text}");
            for (one, other) in [(set, &again), (&again, set)] {
                let (all, _) = compare(&spds, one, other, &limits).expect("there is no limit");
                assert!(all, "seed {seed}\n{spds}\n{text}");
            }
            usize::from(!set.edges.is_empty())
        };
        empty += usize::from(start.edges.iter().any(|edge| edge.symbol.is_none()));
        same(&start);
        for direction in [Direction::Post, Direction::Pre] {
            let question = Question { direction, set: &start, meets: &[], words: Some(10) };
            let answer = saturate(&spds, &question, &puch::options::Options::default()).answer.expect("no limit");
            saturated += same(&answer.automaton.expect("it is wanted"));
        }
    }
    assert!(empty > 50 && saturated > 500, "{empty} {saturated}");
}

#[test]
fn data_is_refused_with_its_place() {
    let text = "spds 1 global g: bool; frame f { h: bool } control p; symbol a in f; start <p, a>; rule <p, a> -> <p>;";
    let spds = spds_format::parse(text).expect("right");
    assert_eq!(
        write_automaton(&spds, States::Named, &Automaton::default()),
        Err(vec![
            "there is no data in this notation, and the system has the global `g`".to_owned(),
            "there is no data in this notation, and the frame `f` has the variable `h`".to_owned(),
        ])
    );
}

#[test]
fn random_texts_with_mistakes_are_read_or_refused_in_good_order() {
    let system = system(NAMED);
    let right = r#"{"P-automaton": {"accepting": [3], "initial": ["p0"], "edges": [["p0", "A", 3], ["p0", "", 4], [4, "A", 3]]},
        "old automaton": {"states": {"p0": {"edges": [{"label": "A", "to": "p"}], "initial": true}}}}"#;
    let pieces = ["{", "}", "[", "]", ",", ":", "\"p0\"", "\"A\"", "3", "-0.5e3", "null", "\\", "\"", "é", "\0"];
    let mut rng = Rng::with_seed(11);
    for _ in 0..4000 {
        let mut bytes = right.as_bytes().to_vec();
        for _ in 0..rng.usize(1..4) {
            let at = rng.usize(..bytes.len());
            match rng.u32(..4) {
                0 => drop(bytes.drain(at..(at + rng.usize(..12)).min(bytes.len()))),
                1 => bytes[at] = rng.u8(..),
                2 if rng.u32(..9) == 0 => bytes.truncate(at + 1),
                _ => drop(bytes.splice(at..at, pieces[rng.usize(..pieces.len())].bytes())),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        for which in [Which::Initial, Which::Final] {
            match read_automaton(&system.spds, system.states, &text, which) {
                Some(Ok((set, _))) => assert_eq!(set.check(&system.spds, Role::Input), [], "{text}"),
                Some(Err(complaints)) => complaints::refused(&text, &complaints),
                None => {}
            }
        }
    }
}
