//! The JSON object against the contract, key by key and in order, and `puch replay`, which reads it back.

mod shell;

use std::collections::BTreeSet;
use std::fmt;
use std::fs;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use shell::{code, command, puch, scratch, stderr, stdout};

/// JSON with the order of its keys.
#[derive(Clone, Debug, PartialEq)]
enum Json {
    Null,
    Bool(bool),
    Number(u64),
    Float(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Json;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }
            fn visit_unit<E>(self) -> Result<Json, E> {
                Ok(Json::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
                Ok(Json::Bool(value))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
                Ok(Json::Number(value))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
                Ok(Json::Float(value))
            }
            fn visit_str<E>(self, value: &str) -> Result<Json, E> {
                Ok(Json::Text(value.into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = seq.next_element()? {
                    list.push(item);
                }
                Ok(Json::List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
                let mut object = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    object.push(entry);
                }
                Ok(Json::Object(object))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl Json {
    /// The values of an object that has exactly these keys, in this order.
    fn object<const N: usize>(&self, keys: [&str; N]) -> [&Json; N] {
        let Json::Object(entries) = self else { panic!("no object: {self:?}") };
        assert_eq!(entries.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), keys);
        std::array::from_fn(|index| &entries[index].1)
    }

    fn keys(&self) -> Vec<&str> {
        let Json::Object(entries) = self else { panic!("no object: {self:?}") };
        entries.iter().map(|(key, _)| key.as_str()).collect()
    }

    fn text(&self) -> &str {
        let Json::Text(text) = self else { panic!("no text: {self:?}") };
        text
    }

    fn number(&self) -> u64 {
        let Json::Number(number) = self else { panic!("no number: {self:?}") };
        *number
    }

    fn list(&self) -> &[Json] {
        let Json::List(list) = self else { panic!("no list: {self:?}") };
        list
    }
}

/// The report of a call of `puch check`, held to the contract.
fn report(arguments: &[&str]) -> Json {
    let output = puch([&["check", "--format", "json"], arguments].concat());
    let text = stdout(&output);
    let json: Json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{text}"));
    let [tool, schema, input, diagnostics, results] =
        json.object(["tool", "schema", "input", "diagnostics", "results"]);
    assert_eq!(schema.number(), 1);
    diagnostics.list();
    let [name, version] = tool.object(["name", "version"]);
    assert_eq!((name.text(), version.text()), ("puch", env!("CARGO_PKG_VERSION")));
    assert_eq!(input.text(), arguments[0]);
    let mut found = false;
    let mut unknown = false;
    for result in results.list() {
        let mut keys = vec!["kind", "property", "verdict", "reason", "reason_kind", "warnings"];
        keys.extend(["vacuous", "not_verified", "verified", "trace"]);
        keys.extend(result.keys().contains(&"trace_omitted").then_some("trace_omitted"));
        let Json::Object(entries) = result else { panic!("no object: {result:?}") };
        let claims_a_run = ["reachable", "violated"].contains(&entries[2].1.text());
        let unwanted = claims_a_run && arguments.windows(2).any(|pair| pair == ["--trace", "none"]);
        keys.extend(unwanted.then_some("replayed"));
        keys.extend(arguments.contains(&"--stats").then_some("seconds"));
        assert_eq!(result.keys(), keys);
        let (kind, verdict) = (entries[0].1.text(), entries[2].1.text());
        match kind {
            "reach" => assert!(["reachable", "unreachable", "unknown"].contains(&verdict)),
            "assertions" | "termination" | "ltl" => assert!(["holds", "violated", "unknown"].contains(&verdict)),
            other => panic!("kind {other}"),
        }
        found |= ["reachable", "violated"].contains(&verdict);
        unknown |= verdict == "unknown";
        for reason in &entries[3..5] {
            assert_eq!(reason.1 != Json::Null, verdict == "unknown", "a reason if and only if it is unknown");
        }
        for warning in entries[5].1.list() {
            let [code, text] = warning.object(["code", "text"]);
            assert!(["vacuous", "no-assertions", "no-influence"].contains(&code.text()) && !text.text().is_empty());
        }
        if unwanted {
            assert!(["full", "except leaps", "no"].contains(&entries[10].1.text()));
        }
        if entries[9].1 != Json::Null {
            assert!(["reachable", "violated"].contains(&verdict));
            trace(&entries[9].1, kind);
        }
    }
    assert_eq!(
        code(&output),
        if found {
            1
        } else if unknown {
            3
        } else {
            0
        }
    );
    json
}

fn trace(trace: &Json, kind: &str) {
    let folded = trace.keys().contains(&"folded");
    let closes = trace.keys().contains(&"closes_on");
    let (ending, cycle, stem, replayed) = if folded {
        let [ending, cycle, stem, folded, calls, replayed] = match closes {
            true => {
                let names = ["ending", "cycle", "closes_on", "stem", "folded", "calls", "replayed"];
                let [ending, cycle, _, stem, folded, calls, replayed] = trace.object(names);
                [ending, cycle, stem, folded, calls, replayed]
            }
            false => trace.object(["ending", "cycle", "stem", "folded", "calls", "replayed"]),
        };
        assert_eq!(*folded, Json::Bool(true));
        for (number, call) in calls.list().iter().enumerate() {
            let [procedure, steps] = call.object(["procedure", "steps"]);
            let steps = steps.list();
            assert_eq!(depth(&steps[0]), 0, "depths in a call count from its entry");
            assert_eq!(depth(steps.last().expect("a call has steps")), 0);
            for step in steps {
                let call = self::step(step, true);
                assert!(call.is_none_or(|call| call < number as u64), "a call refers to calls before it");
            }
            assert_eq!(steps[0].object_value("procedure"), procedure);
        }
        for step in [stem, cycle].into_iter().filter(|list| **list != Json::Null).flat_map(Json::list) {
            assert!(self::step(step, true).is_none_or(|call| call < calls.list().len() as u64));
        }
        (ending, cycle, stem, replayed)
    } else {
        let [ending, cycle, stem, replayed] = match closes {
            true => {
                let names = ["ending", "cycle", "closes_on", "stem", "replayed"];
                let [ending, cycle, _, stem, replayed] = trace.object(names);
                [ending, cycle, stem, replayed]
            }
            false => trace.object(["ending", "cycle", "stem", "replayed"]),
        };
        assert_eq!(closes, *cycle != Json::Null, "what a cycle closes on stands beside it");
        let again = if *cycle == Json::Null { &[][..] } else { cycle.list() };
        let all: Vec<&Json> = stem.list().iter().chain(again).collect();
        for (index, step) in all.iter().enumerate() {
            self::step(step, false);
            let jump = index.checked_sub(1).map_or(0, |before| depth(step).abs_diff(depth(all[before])));
            assert!(jump <= 1, "in full form the depth changes by at most one");
        }
        (ending, cycle, stem, replayed)
    };
    let endings = match kind {
        "reach" => &["reached"][..],
        "assertions" => &["failed"],
        "termination" => &["loop"],
        _ => &["loop", "terminated", "failed", "stuck"],
    };
    assert!(endings.contains(&ending.text()), "{kind} is not shown by {}", ending.text());
    assert_eq!(*cycle != Json::Null, ending.text() == "loop");
    if let Json::List(cycle) = cycle {
        let first = depth(cycle.first().expect("something repeats"));
        assert!(cycle.iter().all(|step| depth(step) >= first), "no step goes below the frame in which the cycle began");
    }
    assert!(!stem.list().is_empty() || *cycle != Json::Null);
    assert!(["full", "except leaps"].contains(&replayed.text()));
}

/// Checks a step; the call that it refers to, if it does.
fn step(step: &Json, folded: bool) -> Option<u64> {
    let mut keys = vec!["file", "line", "column", "procedure", "symbol", "labels", "depth", "values"];
    // Where the input names them.
    if step.keys().contains(&"control") {
        keys.insert(4, "control");
        assert!(!step.object_value("control").text().is_empty());
    }
    assert!(!step.object_value("symbol").text().is_empty());
    let goes = step.keys().into_iter().find(|key| ["call", "times"].contains(key));
    keys.extend(goes);
    keys.extend(["statement", "branch"]);
    assert_eq!(step.keys(), keys);
    assert!(folded || goes != Some("call"));
    assert_eq!(*step.object_value("line") == Json::Null, *step.object_value("column") == Json::Null);
    assert_eq!(*step.object_value("file") == Json::Null, *step.object_value("line") == Json::Null);
    for label in step.object_value("labels").list() {
        label.text();
    }
    let names = step.object_value("values").keys();
    assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len(), "a name is there once");
    assert!(names.iter().all(|name| !name.starts_with('$')), "registers are hidden: {names:?}");
    let Json::Object(values) = step.object_value("values") else { unreachable!("it has keys") };
    for (name, value) in values {
        let cells = if let Json::List(cells) = value { &cells[..] } else { std::slice::from_ref(value) };
        assert!(cells.iter().all(|cell| matches!(cell, Json::Bool(_) | Json::Number(_))), "{name}: {value:?}");
    }
    (goes == Some("call")).then(|| step.object_value("call").number())
}

fn depth(step: &Json) -> u64 {
    step.object_value("depth").number()
}

impl Json {
    fn object_value(&self, key: &str) -> &Json {
        let Json::Object(entries) = self else { panic!("no object: {self:?}") };
        entries.iter().find(|(name, _)| name == key).map_or_else(|| panic!("no {key}"), |(_, value)| value)
    }
}

const QUESTIONS: &[&[&str]] = &[
    &["examples/fig1.bp", "--reach", "R"],
    &["examples/fig1.bp", "--reach", "R", "--trace-calls", "folded"],
    &["examples/fig1.bp", "--reach", "R", "--trace", "any"],
    &["examples/lock.bp", "--assertions", "--reach", "DONE", "--reach", ":22"],
    &["examples/lock_faulty.bp"],
    &["examples/locks/parser.bp", "--ltl", "G (LOCK -> F UNLOCK)", "--termination"],
    &["examples/fairness/server.bp", "--ltl", "G F LEFT", "--ltl", "G F DONE -> G F LEFT", "--trace-calls", "folded"],
    &["examples/growing/tree.bp", "--ltl", "G F @return(walk) -> F DONE", "--termination", "--trace", "any"],
    &["examples/termination/countdown_faulty.bp", "--termination", "--runs", "infinite"],
    &["examples/lock_faulty.bp", "--trace-calls", "folded", "--trace", "any"],
    &["examples/doubling.bp", "--reach", "R"],
    &["examples/doubling.bp", "--reach", "R", "--trace-calls", "folded"],
    &["tests/golden/hidden.bp", "--reach", "R"],
    &["tests/golden/results.bp", "--reach", "R"],
    &["tests/golden/results.bp", "--reach", "R", "--trace-calls", "folded"],
    &["tests/golden/stack.spds", "--reach", "q:bottom"],
    &["tests/golden/stack.spds", "--reach", "q:bottom", "--trace-calls", "folded"],
];

#[test]
fn the_object_is_as_promised() {
    for question in QUESTIONS {
        report(question);
    }
    report(&["examples/lock.bp", "--stats"]);
    report(&["examples/doubling.bp", "--reach", "R", "--trace-steps", "3"]);
    report(&["examples/doubling.bp", "--reach", "R", "--trace", "none"]);
}

#[test]
fn warnings_about_an_answer_stand_beside_it() {
    let warnings = |arguments: &[&str]| -> Vec<Vec<(String, String)>> {
        let json = report(arguments);
        let [_, _, _, _, results] = json.object(["tool", "schema", "input", "diagnostics", "results"]);
        let of_result = |result: &Json| {
            let Json::Object(entries) = result else { panic!("no object: {result:?}") };
            let pairs = entries[5].1.list().iter().map(|warning| {
                let [code, text] = warning.object(["code", "text"]);
                (code.text().to_owned(), text.text().to_owned())
            });
            pairs.collect()
        };
        results.list().iter().map(of_result).collect()
    };
    assert_eq!(warnings(&["examples/lock.bp"]), [[]]);
    let countdown = "examples/termination/countdown.bp";
    let found = warnings(&[countdown, "--runs", "infinite", "--ltl", "F @end", "--reach", ":11", "--assertions"]);
    let (vacuous, none) = (&found[0], &found[2]);
    assert_eq!(vacuous[0].0, "vacuous");
    assert_eq!(
        vacuous[0].1,
        "`F @end` holds, but the answer is vacuous: there is no run under `--runs infinite`: every run ends"
    );
    assert_eq!((vacuous.len(), found[1].len(), none.len()), (1, 0, 1));
    assert_eq!(none[0], ("no-assertions".into(), format!("`{countdown}` has no assertions: nothing was asked")));
}

#[test]
fn what_was_recorded_is_real() {
    let directory = scratch("recorded");
    for (number, question) in QUESTIONS.iter().enumerate() {
        let output = puch([&["check", "--format", "json"], *question].concat());
        if !stdout(&output).contains("\"stem\"") {
            continue;
        }
        let file = directory.join(format!("{number}.json"));
        fs::write(&file, &output.stdout).expect("the directory for tests can be written");
        let judged = command().arg("replay").arg(question[0]).arg(&file).output().expect("starts");
        assert_eq!(code(&judged), 0, "{question:?}: {}{}", stdout(&judged), stderr(&judged));
        let traces = stdout(&output).matches("\"stem\"").count();
        assert_eq!(stdout(&judged).matches("the trace is real\n").count(), traces, "{question:?}");
    }
}

#[test]
fn doctored_traces_are_rejected() {
    let directory = scratch("doctored");
    let text = stdout(&puch(["check", "examples/lock_faulty.bp", "--format", "json"]));
    let steps: Vec<&str> = text.lines().filter(|line| line.contains("\"line\": ")).collect();
    let mut doctored = vec![
        ("another value", text.replacen("\"deeper\": true", "\"deeper\": false", 1)),
        ("another line", text.replacen("\"line\": 19", "\"line\": 20", 1)),
        ("another procedure", text.replacen("\"procedure\": \"acquire\"", "\"procedure\": \"release\"", 1)),
        ("another depth", text.replacen("\"depth\": 2", "\"depth\": 1", 1)),
        ("another file", text.replacen("lock_faulty.bp\", \"line\"", "lock.bp\", \"line\"", 1)),
        ("a label", text.replacen("\"labels\": []", "\"labels\": [\"L\"]", 1)),
        ("an unknown variable", text.replacen("\"held\": false", "\"hold\": false", 1)),
        ("a number for a truth value", text.replacen("\"held\": false", "\"held\": 7", 1)),
        ("another ending", text.replacen("\"failed\"", "\"terminated\"", 1)),
        ("a call", text.replacen("}},\n", "}, \"call\": 0},\n", 1)),
        ("a leap", text.replacen("}},\n", "}, \"times\": 3},\n", 1)),
    ];
    for missing in [1, 4, steps.len() - 2] {
        doctored.push(("a step less", text.replacen(&format!("{}\n", steps[missing]), "", 1)));
    }
    doctored.push(("a step twice", text.replacen(steps[4], &format!("{}\n{}", steps[4], steps[4]), 1)));
    for (what, doctored) in doctored {
        assert_ne!(doctored, text, "{what}: nothing was changed");
        let file = directory.join("doctored.json");
        fs::write(&file, doctored).expect("the directory for tests can be written");
        let judged = command().arg("replay").arg("examples/lock_faulty.bp").arg(&file).output().expect("starts");
        assert_eq!(code(&judged), 1, "{what}: {}{}", stdout(&judged), stderr(&judged));
        assert!(stdout(&judged).contains("the trace is not real ("), "{what}: {}", stdout(&judged));
    }
}

#[test]
fn a_trace_of_one_program_is_not_real_in_another() {
    let directory = scratch("others");
    let file = directory.join("trace.json");
    fs::write(&file, &puch(["check", "examples/lock_faulty.bp", "--format", "json"]).stdout).expect("can be written");
    for other in ["examples/lock.bp", "examples/fig1.bp", "examples/doubling.bp"] {
        let judged = command().args(["replay", other]).arg(&file).output().expect("starts");
        assert_eq!(code(&judged), 1, "{other}: {}{}", stdout(&judged), stderr(&judged));
    }
}

#[test]
fn what_is_no_report_is_a_mistake() {
    let directory = scratch("no_reports");
    let good = stdout(&puch(["check", "examples/lock_faulty.bp", "--format", "json"]));
    let bad = [
        ("nothing", String::new()),
        ("no JSON", "trace".into()),
        ("no object", "[]".into()),
        ("no results", "{}".into()),
        ("no trace in it", stdout(&puch(["check", "examples/lock.bp", "--format", "json"]))),
        ("cut", good[..good.len() / 2].into()),
        ("a line that is no number", good.replacen("\"line\": 19", "\"line\": \"19\"", 1)),
        ("an ending nobody knows", good.replacen("\"failed\"", "\"bored\"", 1)),
        ("a negative depth", good.replacen("\"depth\": 0", "\"depth\": -1", 1)),
        ("a kind nobody knows", good.replacen("\"assertions\"", "\"assertion\"", 1)),
        ("nested", "[".repeat(100_000)),
        ("deep", good.replacen("\"held\": false", &format!("\"held\": {}", "[".repeat(100_000)), 1)),
    ];
    for (what, text) in bad {
        let file = directory.join("bad.json");
        fs::write(&file, text).expect("the directory for tests can be written");
        let judged = command().args(["replay", "examples/lock_faulty.bp"]).arg(&file).output().expect("starts");
        assert_eq!(code(&judged), 2, "{what}: {}{}", stdout(&judged), stderr(&judged));
        assert!(stderr(&judged).starts_with("error: "), "{what}: {}", stderr(&judged));
        assert!(!stderr(&judged).contains("panicked"), "{what}: {}", stderr(&judged));
    }
}
