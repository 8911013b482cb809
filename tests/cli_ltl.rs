//! Formulas and termination as users ask for them: verdicts, exit codes, warnings, recorded runs, other ways to say the
//! same.

mod shell;

use std::fs;

use shell::{code, puch, scratch, stderr, stdout};

/// Programs, formulas and whether they hold.
const ASKED: [(&str, &[(&str, bool)]); 7] = [
    ("examples/locks/parser.bp", &[("G (LOCK -> F UNLOCK)", false), ("G (LOCK -> X (!LOCK W UNLOCK))", false)]),
    (
        "examples/locks/parser_fixed.bp",
        &[("G (LOCK -> F UNLOCK)", true), ("G (LOCK -> X (!LOCK W UNLOCK))", true), ("F @end", false)],
    ),
    ("examples/fairness/server.bp", &[("G F LEFT", false), ("G F DONE -> G F LEFT", true), ("F @end", false)]),
    ("examples/growing/tree.bp", &[("F DONE", false), ("G F @return(walk) -> F DONE", false), ("F @end", false)]),
    ("examples/termination/countdown.bp", &[("F @end", true), ("G !@end", false)]),
    ("examples/termination/countdown_faulty.bp", &[("F @end", false), ("G !@end", false)]),
    (
        "examples/next/handshake.bp",
        &[("G (ASK -> X X X X (answered | X answered))", true), ("G (ASK -> X X X X answered)", false)],
    ),
];

/// The verdicts, one a line.
fn verdicts(arguments: &[&str]) -> Vec<String> {
    let output = puch([&["check", "--trace", "none"], arguments].concat());
    let verdict = |line: &str| {
        let verdict = line.rsplit(": ").next().unwrap_or_default();
        assert!(verdict == "holds" || verdict == "violated", "{arguments:?}: {line}");
        verdict.to_string()
    };
    stdout(&output).lines().map(verdict).collect()
}

#[test]
fn formulas_hold_or_are_violated_by_real_runs() {
    let directory = scratch("formulas");
    let trace = directory.join("trace.json");
    let trace = trace.to_str().expect("the directory for tests has a name");
    for (program, formulas) in ASKED {
        for format in ["text", "bebop", "json"] {
            for calls in ["full", "folded"] {
                let mut arguments = vec!["check", program, "--format", format, "--trace-calls", calls];
                arguments.extend(formulas.iter().flat_map(|(formula, _)| ["--ltl", formula]));
                let output = puch(&arguments);
                let found = i32::from(formulas.iter().any(|(_, holds)| !holds));
                assert_eq!(code(&output), found, "{program}: {}{}", stdout(&output), stderr(&output));
                if format != "json" {
                    continue;
                }
                let object: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("it is JSON");
                for ((formula, holds), result) in
                    formulas.iter().zip(object["results"].as_array().expect("there are results"))
                {
                    assert_eq!(
                        (&result["kind"], &result["property"]),
                        (&"ltl".into(), &serde_json::Value::from(*formula))
                    );
                    assert_eq!(result["verdict"], if *holds { "holds" } else { "violated" }, "{program}: {formula}");
                    assert_eq!(result["trace"].is_null(), *holds, "{program}: {formula}");
                }
                fs::write(trace, &output.stdout).expect("the directory for tests can be written");
                if found == 1 {
                    let replayed = puch(["replay", program, trace]);
                    assert_eq!(code(&replayed), 0, "{program}: {}{}", stdout(&replayed), stderr(&replayed));
                }
            }
        }
    }
}

#[test]
fn choices_of_method_change_no_verdict() {
    for (program, formulas) in ASKED {
        let mut asked = vec![program, "--termination", "--assertions"];
        asked.extend(formulas.iter().flat_map(|(formula, _)| ["--ltl", formula]));
        let expected = verdicts(&asked);
        for extra in [
            &["--scc", "hull"][..],
            &["--scc", "closure"],
            &["--engine", "pre"],
            &["--engine", "pre", "--runs", "maximal", "--bdd", "shared"],
            &["--bdd", "shared"],
            &["--order", "declared"],
            &["--blocks", "off"],
            &["--no-modref", "--live", "off", "--no-slice"],
        ] {
            assert_eq!(verdicts(&[&asked, extra].concat()), expected, "{program} {extra:?}");
        }
    }
}

#[test]
fn termination_is_what_the_formulas_say() {
    for (program, _) in ASKED {
        for (runs, formula) in [("maximal", "F (@end | @fail)"), ("stutter", "F (@end | @fail | @stuck)")] {
            let verdicts = verdicts(&[program, "--runs", runs, "--termination", "--ltl", formula]);
            assert_eq!(verdicts[0], verdicts[1], "{program} --runs {runs}");
        }
        let verdicts = verdicts(&[program, "--runs", "infinite", "--termination", "--ltl", "false", "-q"]);
        assert_eq!(verdicts[0], verdicts[1], "{program} --runs infinite: there is no run");
    }
}

#[test]
fn an_answer_about_no_run_at_all_is_said_to_be_vacuous() {
    let program = scratch("vacuous").join("blocked.bp");
    fs::write(&program, "void main() begin assume(0); end\n").expect("the directory for tests can be written");
    let blocked = program.to_str().expect("the directory for tests has a name");
    let countdown = "examples/termination/countdown.bp";
    for (program, runs, why) in [
        (countdown, "infinite", Some("there is no run under `--runs infinite`: every run ends")),
        (countdown, "maximal", None),
        (countdown, "stutter", None),
        (blocked, "infinite", Some("there is no run under `--runs infinite`: every run ends")),
        (blocked, "maximal", Some("there is no run under `--runs maximal`: every run is blocked")),
        (blocked, "stutter", None),
    ] {
        let asked = ["check", program, "--runs", runs, "--ltl", "G F (@at(main) | !@at(main))"];
        let output = puch(asked);
        assert_eq!(stdout(&output), "G F (@at(main) | !@at(main)): holds\n");
        match why {
            Some(why) => assert!(stderr(&output).contains(why), "{program} --runs {runs}: {}", stderr(&output)),
            None => assert!(stderr(&output).is_empty(), "{program} --runs {runs}: {}", stderr(&output)),
        }
        let quiet = stderr(&puch([&asked[..], &["-q"]].concat()));
        assert_eq!(quiet, stderr(&output), "that it is vacuous is told to whoever asks");
        // A formula and its opposite both hold exactly if there is no run.
        let both = verdicts(&[program, "--runs", runs, "--ltl", "X X true", "--ltl", "false", "-q"]);
        assert_eq!(both, ["holds", if why.is_some() { "holds" } else { "violated" }], "{program} --runs {runs}");
    }
}

#[test]
fn a_run_that_returns_to_where_no_rule_goes_on_stays_there() {
    let directory = scratch("blocked_after_return");
    // Below the start, and below a call; nothing begins with ⟨q, below⟩.
    let texts = [
        "spds 1\ncontrol p, q;\nsymbol s;\nsymbol below;\nstart <p, s below>;\nrule <p, s> -> <q>;\n",
        "spds 1\ncontrol p, q;\nsymbol m;\nsymbol s;\nsymbol below;\nstart <p, m>;\nrule <p, m> -> <p, s below>;\n\
         rule <p, s> -> <q>;\n",
    ];
    for (number, text) in texts.into_iter().enumerate() {
        let system = directory.join(format!("{number}.spds"));
        fs::write(&system, text).expect("the directory for tests can be written");
        let system = system.to_str().expect("the directory for tests has a name");
        for engine in ["post", "pre"] {
            let asked = ["check", system, "--engine", engine, "--runs", "stutter", "--ltl", "F G @stuck"];
            let output = puch(asked);
            assert_eq!((stdout(&output), stderr(&output)), ("F G @stuck: holds\n".into(), String::new()), "{engine}");
            let verdicts = verdicts(&[system, "--engine", engine, "--runs", "stutter", "--ltl", "G !below"]);
            assert_eq!(verdicts, ["violated"], "{engine}\n{text}");
        }
    }
}

#[test]
fn a_loop_that_is_only_jumped_into_is_no_run() {
    let program = scratch("jumped_into").join("jump.bp");
    fs::write(&program, "decl g; void main() begin if (g) then goto L; fi while (g) do L: g := 0; od end\n")
        .expect("the directory for tests can be written");
    let program = program.to_str().expect("the directory for tests has a name");
    let output = puch(["check", program, "--runs", "infinite", "--ltl", "G g"]);
    assert_eq!(stdout(&output), "G g: holds\n");
    assert!(stderr(&output).contains("there is no run under `--runs infinite`: every run ends"), "{}", stderr(&output));
}

#[test]
fn automata_and_claims_of_the_violations_say_the_same_as_formulas() {
    let directory = scratch("automata_of_violations");
    let hoa = directory.join("held.hoa");
    let trace = directory.join("trace.json");
    let (hoa, trace) = (hoa.to_str().expect("it has a name"), trace.to_str().expect("it has a name"));
    let program = "examples/locks/parser.bp";
    for formula in ["G F !held", "F held", "G (LOCK -> F UNLOCK)", "held U LOCK", "G (held -> F {!held})"] {
        for form in [&[][..], &["--ba"], &["--tgba"]] {
            let automaton = puch([&["buchi", formula, "--negate"], form].concat());
            fs::write(hoa, &automaton.stdout).expect("the directory for tests can be written");
            let verdicts = verdicts(&[program, "--ltl", formula, "--automaton", hoa]);
            assert_eq!(verdicts[0], verdicts[1], "{formula} {form:?}");
        }
    }
    let arguments = ["--automaton", "tests/golden/held.hoa", "--never", "tests/golden/held.never"];
    let output = puch([&["check", program, "--format", "json", "--ltl", "G F !held"], &arguments[..]].concat());
    fs::write(trace, &output.stdout).expect("the directory for tests can be written");
    let replayed = puch([&["replay", program, trace], &arguments[..]].concat());
    let expected = ["G F !held", "tests/golden/held.hoa", "tests/golden/held.never"]
        .map(|name| format!("{name}: the trace is real\n"));
    assert_eq!(stdout(&replayed), expected.concat(), "{}", stderr(&replayed));
}

/// Calls of `abort` are exits to the checker: that none is a call must not be said.
#[test]
fn calls_that_became_other_statements_are_no_propositions() {
    let directory = scratch("special_calls");
    let asked = |name: &str, text: &str| {
        let file = directory.join(name);
        fs::write(&file, text).expect("the directory for tests is writable");
        puch(["check", file.to_str().expect("the name is text"), "--ltl", "G !@call(lock)"])
    };
    for declared in ["void lock(void);", "void lock(int);"] {
        let arguments = if declared.contains("int") { "1" } else { "" };
        let called = asked("called.c", &format!("{declared} int main(void) {{ lock({arguments}); return 0; }}"));
        assert_eq!(code(&called), 2, "{}", stdout(&called));
        assert!(stderr(&called).contains("cannot be told from other statements"), "{}", stderr(&called));
    }
    let defined = asked("defined.c", "void lock(void) {} int main(void) { lock(); return 0; }");
    assert_eq!(code(&defined), 1, "{}", stderr(&defined));
    let null = asked("null.c", "void lock(int *); int main(void) { lock(0); return 0; }");
    assert_eq!(code(&null), 1, "{}", stderr(&null));
}
