//! Formulas about inputs in all notations: verdicts, and recorded runs that are found to be real, whatever the method.

mod shell;

use std::fs;

use shell::{code, puch, scratch, stderr, stdout};

/// Inputs, what to say about them, and properties that a run violates.
const VIOLATED: [(&str, &[&str], &[&str]); 6] = [
    (
        "tests/golden/sorting.rem",
        &[],
        &["--ltl", "G {a[1] <= a[2]}", "--ltl", "F G {main.i == 1}", "--ltl", "G F @end", "--termination"],
    ),
    ("examples/quicksort/sorting.rem", &["-D", "M=2"], &["--ltl", "F @end", "--termination"]),
    ("tests/golden/results.rem", &["--check-arithmetic"], &["--ltl", "F @end", "--ltl", "G !@fail", "--assertions"]),
    (
        "tests/golden/controls.pds",
        &[],
        &["--ltl", "[]<> busy", "--ltl", "[] (busy:work -> !{work.mine > 1})", "--ltl", "[] !back", "--termination"],
    ),
    ("tests/golden/states.json", &[], &["--ltl", "G F busy:Z", "--termination"]),
    (
        "tests/golden/shift.spds",
        &[],
        &["--ltl", "G (q:entry -> {work.k < 1})", "--ltl", "F G {n = 1}", "--ltl", "F G p:main", "--termination"],
    ),
];

/// The same with properties that hold.
const HOLDING: [(&str, &[&str], &[&str]); 4] = [
    ("examples/quicksort/sorting.rem", &["-D", "M=2"], &["--ltl", "G (@end -> {a[1] <= a[2]})", "--ltl", "F done"]),
    ("tests/golden/controls.pds", &[], &["--ltl", "[]<> idle", "--ltl", "[] (busy:work -> X busy)"]),
    (
        "tests/golden/states.json",
        &[],
        &["--ltl", "G (busy:A -> X (busy:A | busy:Z))", "--ltl", "G (busy:Z -> X idle:Z)"],
    ),
    ("tests/golden/shift.spds", &[], &["--ltl", "G F {n = 1}", "--ltl", "G (q:main -> X p:main)", "--ltl", "G F main"]),
];

const METHODS: [&[&str]; 8] = [
    &["--engine", "pre"],
    &["--trace-calls", "full"],
    &["--trace-calls", "folded"],
    &["--scc", "hull", "--trace", "any"],
    &["--scc", "closure"],
    &["--bdd", "shared"],
    &["--order", "declared", "--blocks", "off"],
    &["--no-modref", "--live", "off", "--no-slice"],
];

#[test]
fn runs_that_violate_formulas_are_real_in_every_notation() {
    let trace = scratch("formats").join("trace.json");
    let trace = trace.to_str().expect("the directory for tests has a name");
    for (input, reading, properties) in VIOLATED {
        for method in METHODS {
            let asked = [&["check", input, "-q", "--format", "json"], reading, properties, method].concat();
            let output = puch(&asked);
            assert_eq!(code(&output), 1, "{asked:?}: {}", stderr(&output));
            let report: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("it is JSON");
            for result in report["results"].as_array().expect("there are results") {
                assert_eq!(result["verdict"], "violated", "{asked:?}: {result}");
            }
            fs::write(trace, &output.stdout).expect("the directory for tests can be written");
            let replayed = puch([&["replay", input, trace, "-q"], reading].concat());
            let found = stdout(&replayed);
            assert_eq!(code(&replayed), 0, "{asked:?}: {found}{}", stderr(&replayed));
            assert!(found.lines().all(|line| line.ends_with(": the trace is real")), "{asked:?}: {found}");
        }
    }
}

#[test]
fn formulas_hold_in_every_notation() {
    for (input, reading, properties) in HOLDING {
        for method in METHODS {
            let asked = [&["check", input, "-q"], reading, properties, method].concat();
            let output = puch(&asked);
            assert_eq!(code(&output), 0, "{asked:?}: {}{}", stdout(&output), stderr(&output));
            assert!(stdout(&output).lines().all(|line| line.ends_with(": holds")), "{asked:?}");
        }
    }
}

#[test]
fn a_result_that_overflows_behind_a_folded_call_is_a_real_failure() {
    let directory = scratch("overflowing_result");
    let (program, trace) = (directory.join("result.rem"), directory.join("trace.json"));
    let text = "int x(1);\nmodule int(3) f(int n(2)) { return n + n; }\nmodule void main() { x = f(2); }\n";
    fs::write(&program, text).expect("the directory for tests can be written");
    let (program, trace) = (program.to_str().expect("it has a name"), trace.to_str().expect("it has a name"));
    for calls in ["full", "folded"] {
        let properties = ["--assertions", "--ltl", "F @end", "--ltl", "G !@fail", "--ltl", "F G @at(main)"];
        let asked =
            [&["check", program, "--check-arithmetic", "--format", "json", "--trace-calls", calls][..], &properties];
        let output = puch(asked.concat());
        assert_eq!(code(&output), 1, "{}", stderr(&output));
        fs::write(trace, &output.stdout).expect("the directory for tests can be written");
        let replayed = puch(["replay", program, trace, "--check-arithmetic"]);
        let expected =
            ["assertions", "F @end", "G !@fail", "F G @at(main)"].map(|name| format!("{name}: the trace is real\n"));
        assert_eq!(stdout(&replayed), expected.concat(), "{calls}: {}", stderr(&replayed));
    }
}
