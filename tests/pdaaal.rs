//! PDAAAL's JSON: what is read, as what, what is refused with which words, and what is written.

extern crate puch_engine as puch;

#[path = "pdaaal/checks.rs"]
mod checks;
#[path = "support/complaints.rs"]
mod complaints;
mod oracle;
#[allow(dead_code, reason = "what concerns PDAAAL is needed here")]
#[path = "moped_pds/states.rs"]
mod states;
mod support;

use fastrand::Rng;
use puch::pdaaal::{Options, Starting, System, read, write};
use spds_format::build::{Builder, rule};
use spds_format::model::{ControlId, Spds, Stack, SymbolId};
use states::{counts_in_pdaaal, states};
use support::{pick, seeds};

fn options(start: &str) -> Options {
    Options { start: Starting::Configuration(start.into()) }
}

fn accept(text: &str, options: &Options) -> System {
    read(text, options).unwrap_or_else(|complaints| panic!("{text}\n{complaints:#?}"))
}

fn rules(text: &str, options: &Options) -> Vec<String> {
    let printed = accept(text, options).spds.to_string();
    printed.lines().filter(|line| line.starts_with("rule") || line.starts_with("start")).map(str::to_owned).collect()
}

fn said(text: &str, options: &Options) -> Vec<String> {
    complaints::said(text, &complaints::about(text, read(text, options), |system| system.warnings))
}

const NAMED: &str = r#"{"pda": {"states": {
  "p0": {"A": {"to": "p1", "pop": ""}, "B": {"to": "p0", "push": "A"}},
  "p1": {"A": [{"to": "p0", "swap": "A"}, {"to": "p2", "push": "B"}]},
  "p2": {"B": {"to": "p2", "pop": ""}}}}}"#;

#[test]
fn states_with_names() {
    assert_eq!(
        rules(NAMED, &options("p0:B A")),
        [
            "start <p0, B A>;",
            "rule <p0, A> -> <p1>;",
            "rule <p0, B> -> <p0, A B>;",
            "rule <p1, A> -> <p0, A>;",
            "rule <p1, A> -> <p2, B A>;",
            "rule <p2, B> -> <p2>;",
        ]
    );
}

#[test]
fn states_with_numbers() {
    let text = r#"{"pda": {"states": [{"A": [{"to": 2, "swap": "B"}, {"to": 7, "pop": ""}], "B": {"to": 0, "swap": "A"}},
        {"B": {"to": 2, "push": "B"}}, {}], "more": [1, {"x": null}]}, "start": {"state": 1, "stack": ["A", "C"]}, "P-automaton": {}}"#;
    let spds = accept(text, &Options::default()).spds;
    assert_eq!(spds.controls.iter().map(|name| name.as_str()).collect::<Vec<_>>(), ["0", "1", "2", "7"]);
    assert_eq!(
        rules(text, &Options::default()),
        [
            "start <\"1\", A C>;",
            "rule <\"0\", A> -> <\"2\", B>;",
            "rule <\"0\", A> -> <\"7\">;",
            "rule <\"0\", B> -> <\"0\", A>;",
            "rule <\"1\", B> -> <\"2\", B B>;",
        ]
    );
}

#[test]
fn a_label_for_all_labels() {
    let text = r#"{"pda": {"states": {"p": {"*": [{"to": "q", "swap": "*"}, {"to": "p", "push": "A"}], "B": {"to": "q", "swap": "*"}}, "q": {"*": {"to": "q", "pop": ""}}}}}"#;
    assert_eq!(
        rules(text, &options("p:B")),
        [
            "start <p, B>;",
            "rule <p, B> -> <q, \"*\">;",
            "rule <p, A> -> <q, A>;",
            "rule <p, B> -> <q, B>;",
            "rule <p, \"*\"> -> <q, \"*\">;",
            "rule <p, A> -> <p, A A>;",
            "rule <p, B> -> <p, A B>;",
            "rule <p, \"*\"> -> <p, A \"*\">;",
            "rule <q, A> -> <q>;",
            "rule <q, B> -> <q>;",
            "rule <q, \"*\"> -> <q>;",
        ]
    );
}

#[test]
fn instances_weights_and_escapes() {
    let text = r#"{"instance": [{"state-names": true, "weight-type": "uint"},
        {"states": {"p\u0041": {"\"": {"to": "pA", "pop": "", "weight": 1}, "é": {"to": "p\u0041", "weight": [2, -3], "swap": "\"" }}}},
        {"accepting": [3], "edges": [["p", "A", 3]]}, {}]}"#;
    let system = accept(text, &options("pA:é"));
    assert_eq!(system.spds.controls.len(), 1);
    assert_eq!(system.spds.rules.len(), 2);
    assert_eq!(said(text, &options("pA:é")), ["~\"weight\"^ weights are not considered"]);
}

#[test]
fn where_runs_start() {
    let help =
        "`--entry STATE:LABEL` does, and so does `\"start\": {\"state\": …, \"stack\": [\"LABEL\"]}` in the text";
    assert_eq!(said(NAMED, &Options::default()), [format!("^(file)^ nothing says where runs start | {help}")]);
    assert_eq!(rules(NAMED, &Options { start: Starting::Immaterial })[0], "start <p0, A>;");
    let example = "a state, a colon and a label, as in `p0:A`";
    for wrong in ["p0", "p0:C", "p7:A", "", ":"] {
        let message = format!("^(file)^ there is no state and label `{wrong}` to start with | {example}");
        assert_eq!(said(NAMED, &options(wrong)), [message]);
    }
    assert_eq!(said(NAMED, &options("p0:A C")), ["^(file)^ there is no label `C` to start with"]);
    let with = |start: &str| said(&format!("{{\"start\": {start}, {}", &NAMED[1..]), &Options::default());
    assert_eq!(with(r#"{"state": "p0", "stack": ["A", "new"]}"#), [""; 0]);
    assert_eq!(
        with(r#"{"state": "pp0", "stack": ["A"]}"#),
        ["^\"state\"^ there is no state `pp0` | did you mean `p0`?"]
    );
    assert_eq!(
        with(r#"{"state": 1, "stack": ["A"]}"#),
        ["^\"state\"^ this is not how the states of this text are written"]
    );
    assert_eq!(with(r#"{"state": "p0", "stack": []}"#), ["^\"start\"^ this start has no stack"]);
    assert_eq!(
        with(r#"{"stack": ["A", 3], "x": 0}"#),
        ["^\"start\"^ this start has no state", "^3^ a label in quotes is needed here", "^\"x\"^ a start has no `x`",]
    );
}

#[test]
fn all_mistakes_in_one_go() {
    let text = r#"{"pda": {"states": {"p": {
        "A": {"to": 3, "pop": ""},
        "B": {"pop": ""},
        "C": {"to": "p"},
        "D": {"to": "p", "pop": "", "swap": "A"},
        "E": {"to": "p", "pop": "A", "wait": 1},
        "F": {"to": "p", "push": 2},
        "G": [3, {"to": null, "pop": ""}],
        "H": "rule"}, "q": []}}}"#;
    assert_eq!(
        said(text, &options("p:A")),
        [
            "^3^ the name of a state, because the states are an object, is needed here",
            "^{^ this rule does not say where it leads: `\"to\"` is missing",
            "^{^ this rule does not say what it does: `\"pop\"`, `\"swap\"` or `\"push\"` is missing",
            "^\"swap\"^ a rule does one thing to the stack",
            "^\"A\"^ `pop` takes no label: `\"\"` is needed here",
            "^\"wait\"^ a rule has no `wait` | it has `to`, one of `pop`, `swap` and `push`, and perhaps `weight`",
            "^2^ a label in quotes is needed here",
            "^3^ a rule, `{\"to\": …}`, is needed here",
            "^null^ a state is needed here",
            "^\"rule\"^ a rule, `{\"to\": …}`, or an array of rules is needed here",
            "^[]^ an object with the rules of a state is needed here",
        ]
    );
    let numbers =
        r#"{"pda": {"states": [{"A": [{"to": "0", "pop": ""}, {"to": 1.5, "pop": ""}, {"to": -1, "pop": ""}]}]}}"#;
    assert_eq!(
        said(numbers, &options("0:A")),
        [
            "^\"0\"^ a number, because the states are an array, is needed here",
            "^1.5^ a state is a whole number from 0 on",
            "^-1^ a state is a whole number from 0 on",
        ]
    );
}

#[test]
fn what_is_no_json_is_pointed_at() {
    let wrong = |text: &str| said(text, &Options::default());
    assert_eq!(wrong(""), ["^^ expected `{`, found the end of the file"]);
    assert_eq!(wrong("[]"), ["^[^ expected `{`, found `[`"]);
    assert_eq!(wrong("{\"pda\": {\"states\": {} } } x"), ["^x^ `x` begins nothing in JSON"]);
    assert_eq!(wrong("{\"pda\" {}"), ["^{^ expected `:`, found `{`"]);
    assert_eq!(
        wrong("{\"pda\": {\"states\": {\"p\": {\"A\": {\"to\": \"p"),
        ["^\"^ this text in quotes does not end on its line"]
    );
    assert_eq!(wrong("{\"other\": [1, 2"), ["^^ this is no JSON: EOF while parsing a list"]);
    assert_eq!(wrong("{\"other\": nul}"), ["^^ this is no JSON: expected ident"]);
    assert_eq!(wrong("{\"a\\q\": 1}"), ["^\"a\\q\"^ this text has an escape that JSON does not know"]);
    let nothing =
        "^(file)^ there is no pushdown system in this text | PDAAAL's texts look like `{\"pda\": {\"states\": {…}}}`";
    assert_eq!(wrong("{}"), [nothing]);
    assert_eq!(wrong("{\"pda\": {}}"), ["^\"pda\"^ this pushdown system has no `\"states\"`"]);
    assert_eq!(wrong("{\"pda\": 7}"), ["^7^ an object with `\"states\"` is needed here"]);
}

#[test]
fn depth_costs_memory_only() {
    let read_deep = || {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let deep = format!("{{\"x\": {}1{}, {}", open.repeat(100_000), close.repeat(100_000), &NAMED[1..]);
            accept(&deep, &options("p0:A"));
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(read_deep).expect("a thread").join().expect("no overflow");
}

/// A random system without data.
fn system(seed: u64) -> Spds {
    let mut rng = Rng::with_seed(seed);
    let mut builder = Builder::new();
    let controls: Vec<ControlId> = (0..rng.usize(1..4)).map(|n| builder.control(format!("p {n}"))).collect();
    let symbols: Vec<SymbolId> = (0..rng.usize(1..6)).map(|n| builder.symbol(format!("\"s\\{n}\""), None)).collect();
    for _ in 0..rng.usize(1..14) {
        let (from, top, to) = (*pick(&mut rng, &controls), *pick(&mut rng, &symbols), *pick(&mut rng, &controls));
        let stack = match rng.u32(..4) {
            0 => Stack::Pop,
            1 => Stack::Swap(*pick(&mut rng, &symbols)),
            2 => Stack::Push(*pick(&mut rng, &symbols), top),
            _ => Stack::Push(*pick(&mut rng, &symbols), *pick(&mut rng, &symbols)),
        };
        builder.rule(rule(from, top, to, stack));
    }
    let stack: Vec<SymbolId> = (0..rng.usize(1..4)).map(|_| *pick(&mut rng, &symbols)).collect();
    builder.start(*pick(&mut rng, &controls), stack, None);
    builder.finish().expect("it is valid")
}

#[test]
fn what_is_written_has_the_same_reachable_heads() {
    let mut calls = 0;
    for seed in seeds(0..500) {
        let spds = system(seed);
        let (text, remarks) = write(&spds).expect("there is no data in it");
        serde_json::from_str::<serde_json::Value>(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        calls += remarks.len();
        let again = accept(&text, &Options::default());
        assert_eq!(again.warnings, []);
        let all = |spds: &Spds| states(spds, counts_in_pdaaal);
        assert_eq!(all(&again.spds), all(&spds), "seed {seed}\n{spds}\n{text}");
    }
    assert!(calls > 100);
}

#[test]
fn conditions_without_data_are_worked_out() {
    let text = "spds 1 control p; symbol a; symbol b; symbol c; start <p, a> when true;
        rule <p, a> -> <p, b> when *; rule <p, a> -> <p, c> when false & *; rule <p, b> -> <p> when !(* ^ true) with true | false;";
    let spds = spds_format::parse(text).expect("right");
    let (written, remarks) = write(&spds).expect("no data");
    assert_eq!(remarks, [""; 0]);
    assert_eq!(
        rules(&written, &Options::default()),
        ["start <p, a>;", "rule <p, a> -> <p, b>;", "rule <p, b> -> <p>;"]
    );
}

#[test]
fn data_is_refused_with_its_place() {
    let text =
        "spds 1 global g: bool; frame f { h: bool } control p; symbol a in f; symbol \"*\"; symbol i invariant g;
        start <p, a> when g; rule <p, a> -> <p, \"*\"> when g; rule <p, i> -> <p>; silent rule <p, \"*\"> -> <p, i>;";
    let spds = spds_format::parse(text).expect("right");
    assert_eq!(
        write(&spds).expect_err("there is data in it"),
        [
            "there is no data in this notation, and the system has the global `g`",
            "there is no data in this notation, and the frame `f` has the variable `h`",
            "the symbol `*` would stand for every symbol",
            "there are no invariants in this notation, and the symbol `i` has one",
            "there are no conditions in this notation, and the start has one",
            "there are no conditions in this notation: rule 1 from <p, a>",
            "there are no silent rules in this notation: rule 3 from <p, *>",
        ]
    );
}

#[test]
fn random_bytes_and_texts_with_mistakes() {
    let mut rng = Rng::with_seed(7);
    let pieces = [
        "{", "}", "[", "]", ",", ":", "\"p0\"", "\"A\"", "\"to\"", "\"*\"", "1", "-0.5e3", "null", "\\", "\"", "é",
        "\0",
    ];
    for _ in 0..3000 {
        let instance =
            format!("{{\"P-automaton\": {{\"accepting\": [3], \"edges\": [[\"p0\", \"A\", 3]]}}, {}", &NAMED[1..]);
        let mut bytes = instance.into_bytes();
        for _ in 0..rng.usize(..4) {
            let at = rng.usize(..bytes.len());
            match rng.u32(..4) {
                0 => drop(bytes.drain(at..(at + rng.usize(..12)).min(bytes.len()))),
                1 => bytes[at] = rng.u8(..),
                2 => bytes.truncate(at + 1),
                _ => drop(bytes.splice(at..at, pieces[rng.usize(..pieces.len())].bytes())),
            }
        }
        checks::read_anything(&bytes);
    }
    for _ in 0..2000 {
        let text: String = (0..rng.usize(..30)).map(|_| pieces[rng.usize(..pieces.len())]).collect();
        checks::read_anything(text.as_bytes());
    }
}

#[test]
fn three_hundred_thousand_rules_are_three_hundred_thousand_rules() {
    let mut text =
        String::from("{\"start\": {\"state\": \"q0\", \"stack\": [\"s0\"]}, \"pda\": {\"states\": {\"q0\": {}");
    for state in 0..1000 {
        text += &format!(",\n\"q{state}\": {{");
        for number in 0..300 {
            let (label, to) = (number * 7 % 500, (state * 31 + number) % 1000);
            text += &format!(
                "{}\"s{label}\": {{\"to\": \"q{to}\", \"swap\": \"s{number}\"}}",
                if number > 0 { ", " } else { "" }
            );
        }
        text += "}";
    }
    text += "}}}";
    let spds = accept(&text, &Options::default()).spds;
    assert_eq!((spds.rules.len(), spds.controls.len(), spds.symbols.len()), (300_000, 1000, 414));
}
