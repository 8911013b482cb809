//! Reports for scripts and for browsers: JSON against its schemas, also where the input is wrong; SARIF, JUnit and HTML.

mod shell;

use jsonschema::Validator;
use serde_json::Value;
use shell::{code, puch, scratch, stderr, stdout};

fn schema(text: &str) -> Validator {
    jsonschema::validator_for(&serde_json::from_str(text).expect("a schema is JSON")).expect("it is a schema")
}

/// What `puch` prints, in a shape that its schema allows, and its exit code.
fn valid(schema: &Validator, arguments: &[&str]) -> (Value, i32) {
    let output = puch(arguments);
    let text = stdout(&output);
    let json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{text}"));
    let wrong: Vec<String> =
        schema.iter_errors(&json).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{arguments:?}: {wrong:#?}");
    (json, code(&output))
}

fn checked(arguments: &[&str]) -> (Value, i32) {
    let schema = schema(include_str!("../src/report/schemas/check.json"));
    valid(&schema, &[&["check", "--format", "json"], arguments].concat())
}

#[test]
fn reports_have_the_shape_that_their_schema_tells() {
    for arguments in [
        &["examples/fig1.bp", "--reach", "R"][..],
        &["examples/doubling.bp", "--reach", "R", "--trace-calls", "folded"],
        &["examples/termination/countdown_faulty.bp", "--termination"],
        &["examples/lock.bp", "--assertions", "--reach", "DONE", "--trace", "none", "--stats"],
        &["examples/pds/counter.pds", "--reach", "q:back"],
        &["examples/quicksort/faulty.rem"],
    ] {
        assert_ne!(checked(arguments).1, 2, "{arguments:?}");
    }
    let facts = schema(include_str!("../src/report/schemas/facts.json"));
    valid(&facts, &["facts", "examples/fig1.bp", "--format", "json"]);
    valid(&facts, &["facts", "examples/fig1.bp", "--format", "json", "--dead-code"]);
    assert_eq!(valid(&facts, &["facts", "examples/fig1.bp", "--format", "json", "--at", "Q"]).1, 2);
    let (invariants, exit) = valid(&facts, &["facts", "examples/c/cmp.c", "--format", "json", "--stats"]);
    assert_eq!(exit, 0);
    assert!(invariants["invariants"].as_array().is_some_and(|all| !all.is_empty()), "{invariants}");
}

#[test]
fn reports_about_c_programs_have_that_shape_too() {
    for (arguments, expected) in [
        (&["examples/c/add.c"][..], 0),
        (&["examples/c/add.c", "--verify"], 0),
        (&["examples/c/discount.c"], 1),
        (&["examples/c/discount.c", "--trace", "none"], 1),
        (&["examples/c/cmp.c", "--termination", "--reach", "cmp"], 1),
        (&["examples/c/errands.c", "--ltl", "G F @call(main)"], 1),
        (&["examples/c/add.c", "--rounds", "0"], 3),
        (&["examples/c/null/lookup.c", "--functions"], 1),
    ] {
        let (json, code) = checked(arguments);
        assert_eq!(code, expected, "{arguments:?}: {json}");
    }
}

#[test]
fn what_is_new_in_a_version_has_its_shape() {
    let schema = schema(include_str!("../src/report/schemas/diff.json"));
    let [before, after] = ["examples/c/versions/ring_1.c", "examples/c/versions/ring_2.c"];
    for (arguments, expected) in
        [([before, after], 1), ([after, before], 0), ([before, before], 0), ([before, "examples/c/no_such_file.c"], 2)]
    {
        let (json, code) = valid(&schema, &[&["diff", "--format", "json"], &arguments[..]].concat());
        assert_eq!(code, expected, "{arguments:?}: {json}");
    }
    let log: Value = serde_json::from_str(&stdout(&puch(["diff", before, after, "--format", "sarif"]))).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("there are results").iter();
    let told: Vec<_> = results.map(|one| (one["ruleId"].as_str(), one["level"].as_str())).collect();
    let new =
        [("obligation", "note"), ("function", "none"), ("null", "error"), ("obligation", "note"), ("function", "none")];
    assert_eq!(told, new.map(|(rule, level)| (Some(rule), Some(level))));
    let suite = stdout(&puch(["diff", before, after, "--format", "junit"]));
    assert!(suite.contains("tests=\"3\"") && suite.contains("failures=\"1\""), "{suite}");
    let suite = stdout(&puch(["diff", before, "examples/c/no_such_file.c", "--format", "junit"]));
    assert!(suite.contains("errors=\"1\"") && suite.contains("no_such_file.c"), "{suite}");
}

#[test]
fn sarif_has_a_result_for_each_finding_and_each_obligation_of_functions() {
    let file = scratch("functions-sarif").join("slots.c");
    let text = "int slots[16];\nint slot(int n) { return slots[n]; }\nint wrong(void) { return slot(16); }\nint fine(void) { return 1; }\n";
    std::fs::write(&file, text).expect("it can be written");
    let file = file.to_str().expect("a plain name");
    let output = puch(["check", file, "--functions", "--format", "sarif"]);
    assert_eq!(code(&output), 1);
    let log: Value = serde_json::from_str(&stdout(&output)).expect("SARIF is JSON");
    let run = &log["runs"][0];
    let told = |result: &Value| {
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().expect("a number") as usize]["id"];
        assert_eq!(*rule, result["ruleId"]);
        let line = &result["locations"][0]["physicalLocation"]["region"]["startLine"];
        let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().map_or(0, Vec::len);
        let [rule, kind, level] = ["ruleId", "kind", "level"].map(|name| result[name].as_str().unwrap_or_default());
        (rule.to_owned(), kind.to_owned(), level.to_owned(), line.as_u64(), flow)
    };
    let all: Vec<_> = run["results"].as_array().expect("there are results").iter().map(told).collect();
    let entry = |rule: &str, kind: &str, level: &str, line, flow| {
        (rule.to_owned(), kind.to_owned(), level.to_owned(), Some(line), flow)
    };
    let expected = [
        entry("obligation", "fail", "note", 2, 0),
        entry("obligation", "fail", "note", 2, 0),
        entry("function", "pass", "none", 1, 0),
        entry("bounds", "fail", "error", 2, 3),
        // The other thing that `slot` demands, `16 >= 0`, is seen to be kept.
        entry("function", "pass", "none", 1, 0),
    ];
    assert_eq!(all, expected);
    let unknown = puch(["check", file, "--functions", "--format", "sarif", "--timeout", "0.0001"]);
    let log: Value = serde_json::from_str(&stdout(&unknown)).expect("SARIF is JSON");
    let open = log["runs"][0]["results"].as_array().expect("there are results").iter();
    assert!(code(&unknown) == 3 && open.clone().all(|one| one["kind"] != "fail"), "{log}");
}

#[test]
fn junit_has_a_test_case_for_each_function() {
    let file = scratch("functions-junit").join("slots.c");
    let text = "int slots[16];\nint slot(int n) { return slots[n]; }\nint wrong(void) { return slot(16); }\n";
    std::fs::write(&file, text).expect("it can be written");
    let file = file.to_str().expect("a plain name");
    let text = stdout(&puch(["check", file, "--functions", "--format", "junit"]));
    assert!(text.contains("tests=\"2\"") && text.contains("failures=\"1\"") && text.contains("errors=\"0\""), "{text}");
    assert!(text.contains("<testcase name=\"function wrong\"") && text.contains("type=\"bounds\""), "{text}");
    assert!(text.contains("obligation: n &lt; 16: else the index"), "{text}");
    let text = stdout(&puch(["check", file, "--functions", "--format", "junit", "--timeout", "0.0001"]));
    assert!(text.contains("errors=\"2\"") && text.contains("type=\"timeout\""), "{text}");
}

/// A run that goes on for ever and comes back to no state.
#[test]
fn states_from_which_a_run_goes_on_for_ever_are_told_in_all_formats() {
    let file = scratch("recurrent").join("odd.c");
    std::fs::write(&file, "int nondet(void);\nint main() { int c = nondet();\n while (c != 0) c -= 2; }\n")
        .expect("a file");
    let file = file.to_str().expect("a plain name");
    let (json, code) = checked(&[file, "--termination"]);
    assert_eq!(code, 1, "{json}");
    let trace = &json["results"][0]["trace"];
    assert_eq!((&trace["ending"], &trace["cycle"]), (&"loop".into(), &Value::Null), "{trace}");
    let recurrent = &trace["recurrent"];
    assert_eq!((&recurrent["line"], &recurrent["procedure"]), (&3.into(), &"main".into()), "{recurrent}");
    assert_eq!(recurrent["condition"], "(c & 1) == 1");
    for format in ["text", "junit", "sarif", "html"] {
        let output = puch(["check", "-q", file, "--termination", "--format", format]);
        let text = String::from_utf8_lossy(&output.stdout).replace("&amp;", "&");
        let told = "and so on for ever: whenever (c & 1) == 1 holds at line 3, it does again later";
        assert!(text.contains(told), "{format}: {text}");
    }
}

#[test]
fn a_schema_that_allows_anything_would_be_noticed() {
    let schema = schema(include_str!("../src/report/schemas/check.json"));
    let (mut json, _) = checked(&["examples/lock_faulty.bp"]);
    json["results"][0]["trace"]["stem"][0]["line"] = Value::from("seven");
    assert!(!schema.is_valid(&json));
}

#[test]
fn wrong_inputs_are_told_as_data_with_their_places() {
    let directory = scratch("wrong_inputs");
    let file = directory.join("wrong.bp");
    std::fs::write(&file, "decl g;\nvoid main() begin\n  g := g;\n  /* é */ g := h;\nend\n")
        .expect("it can be written");
    let name = file.to_str().expect("the directory has a plain name");
    let (json, code) = checked(&[name]);
    assert_eq!(code, 2);
    assert!(json.get("results").is_none());
    let all = json["diagnostics"].as_array().expect("there are some");
    let unknown = all.iter().find(|one| one["text"].as_str().is_some_and(|text| text.contains("`h`")));
    let unknown = unknown.unwrap_or_else(|| panic!("{all:#?}"));
    assert_eq!((unknown["line"].as_u64(), unknown["column"].as_u64()), (Some(4), Some(16)));
    assert_eq!(unknown["end_column"], 17);
    assert_eq!((unknown["code"].as_str(), unknown["severity"].as_str()), (Some("input"), Some("error")));
    for (arguments, word) in [
        (&["examples/lock.bp", "--reach", "DOEN"][..], "place"),
        (&["examples/lock.bp", "--ltl", "G (held -> "], "formula"),
        (&["examples/lock.bp", "--assume", "held &"], "condition"),
        (&["examples/no_such_file.bp"], "call"),
        (&["examples/lock.bp", "--no-such-option"], "call"),
    ] {
        let (json, code) = checked(arguments);
        assert_eq!(code, 2);
        let told = json["diagnostics"].as_array().expect("there are some");
        assert!(told.iter().any(|one| one["code"] == word && one["severity"] == "error"), "{arguments:?}: {told:#?}");
    }
}

#[test]
fn warnings_are_data_with_or_without_progress() {
    for quiet in [&[][..], &["-q"]] {
        let arguments = ["tests/golden/precedence.bp", "--reach", ":1"];
        let (json, _) = checked(&[&arguments[..], quiet].concat());
        let told = json["diagnostics"].as_array().expect("there are some");
        assert!(told.iter().any(|one| one["severity"] == "warning" && one["line"].is_u64()), "{told:#?}");
    }
}

#[test]
fn what_was_not_walked_is_said() {
    let (json, _) = checked(&["examples/lock_faulty.bp"]);
    assert_eq!(json["results"][0]["not_verified"], serde_json::json!([]));
    let directory = scratch("vacuous");
    let file = directory.join("vacuous.bp");
    std::fs::write(&file, "void main() begin assume(0); end\n").expect("it can be written");
    let (json, _) = checked(&[file.to_str().expect("a plain name"), "--termination"]);
    assert_eq!(json["results"][0]["vacuous"], true);
}

#[test]
fn a_step_says_which_way_it_takes() {
    let directory = scratch("branches");
    let file = directory.join("branches.bp");
    let text = "decl g;\nvoid main() begin\n  if (g) then skip; else g := 1; fi\n  while (g) do g := 0; od\n  goto A, B;\n  A: skip;\n  B: skip;\n  C: skip;\nend\n";
    std::fs::write(&file, text).expect("it can be written");
    let (json, _) = checked(&[file.to_str().expect("a plain name"), "--reach", "C", "--assume", "!g"]);
    let steps = json["results"][0]["trace"]["stem"].as_array().expect("C is reached");
    let ways: Vec<(u64, Option<u64>)> =
        steps.iter().map(|step| (step["line"].as_u64().unwrap_or(0), step["branch"]["taken"].as_u64())).collect();
    assert_eq!(
        ways,
        [(3, Some(2)), (3, None), (4, Some(1)), (4, None), (4, Some(2)), (5, Some(2)), (7, None), (8, None)]
    );
    assert_eq!(steps[0]["statement"], "if (g) then");
    assert_eq!((steps[5]["column"].as_u64(), steps[7]["statement"].as_str()), (Some(3), Some("skip;")));
}

#[test]
fn sarif_has_a_result_for_each_property_with_its_run() {
    let output = puch([
        "check",
        "examples/lock_faulty.bp",
        "--assertions",
        "--reach",
        ":23",
        "--termination",
        "--format",
        "sarif",
    ]);
    assert_eq!(code(&output), 1);
    let log: Value = serde_json::from_str(&stdout(&output)).expect("SARIF is JSON");
    assert_eq!(log["version"], "2.1.0");
    let results = log["runs"][0]["results"].as_array().expect("there are results");
    assert_eq!(results.len(), 3);
    assert_eq!((results[0]["kind"].as_str(), results[0]["level"].as_str()), (Some("fail"), Some("error")));
    let flow = &results[0]["codeFlows"][0]["threadFlows"][0]["locations"];
    assert_eq!(flow.as_array().map(Vec::len), Some(10));
    let last = &flow[9]["location"]["physicalLocation"];
    assert_eq!(last["region"]["startLine"], 6);
    assert_eq!(last["artifactLocation"]["uri"], "examples/lock_faulty.bp");
    assert_eq!(flow[9]["nestingLevel"], 3);
    let wrong = puch(["check", "tests/golden/errors.bp", "--format", "sarif"]);
    assert_eq!(code(&wrong), 2);
    let log: Value = serde_json::from_str(&stdout(&wrong)).expect("SARIF is JSON");
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["toolExecutionNotifications"][0]["level"], "error");
}

#[test]
fn sarif_has_a_result_for_each_stack_with_the_calls_that_are_on_it() {
    let asked = ["stack", "examples/lock.bp", "--format", "sarif"];
    let log: Value = serde_json::from_str(&stdout(&puch(asked))).expect("SARIF is JSON");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "stack");
    let result = &run["results"][0];
    assert_eq!((result["kind"].as_str(), result["level"].as_str()), (Some("fail"), Some("error")));
    let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("there are calls");
    let lines = flow.iter().map(|call| call["location"]["physicalLocation"]["region"]["startLine"].as_u64());
    assert_eq!(lines.collect::<Vec<_>>(), [Some(32), Some(22)]);
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 22);
    let bounded = stdout(&puch(["stack", "examples/doubling.bp", "--format", "sarif"]));
    let log: Value = serde_json::from_str(&bounded).expect("SARIF is JSON");
    assert_eq!(log["runs"][0]["results"][0]["kind"], "pass");
}

#[test]
fn a_page_of_stacks_shows_chains_and_who_calls_whom_and_needs_nothing_else() {
    let page = |arguments: &[&str]| {
        let output = puch([&["stack"], arguments, &["--format", "html"]].concat());
        let page = stdout(&output);
        assert!(page.ends_with("</html>\n") && !page.contains("<script") && !page.contains("src="), "{page}");
        (code(&output), page)
    };
    let sizes = ["--frame", "main=32", "--frame", "*=16"];
    let (status, bounded) = page(&[&["examples/doubling.bp"], &sizes[..], &["--limit", "100"]].concat());
    assert_eq!(status, 1);
    let told = "main: <strong class=\"violated\">bounded, 6 frames, 112 bytes; beyond the limit of 100</strong>";
    assert!(bounded.contains(told), "{bounded}");
    let row =
        "<tr><td>twice</td><td></td><td>g=0</td><td>examples/doubling.bp:7:23</td><td class=\"number\">16</td></tr>";
    assert!(bounded.contains(row) && bounded.contains("<svg "), "{bounded}");
    let row = "<td>main</td><td class=\"number\">32</td><td></td><td>sixteen, flip</td>";
    assert!(bounded.contains(row), "{bounded}");
    let (status, unbounded) = page(&["examples/lock.bp"]);
    assert_eq!(status, 1);
    assert!(unbounded.contains("<h3>And then for ever</h3>") && unbounded.contains("<td>recursive</td>"));
    let (status, of_c) = page(&["examples/c/brackets.c", "--entry", "task", "--frame", "*=16", "--explain"]);
    assert_eq!(status, 0);
    let row = "<tr class=\"deepest\"><td>value</td><td class=\"number\">16</td><td>recursive</td>";
    assert!(of_c.contains(row) && of_c.contains("<svg ") && of_c.contains("<h3>Why</h3>"), "{of_c}");
    // The style of a picture holds in the picture only.
    assert!(!of_c.contains("<style>text{") && of_c.contains("<style>.puch text{"), "{of_c}");
    let directory = scratch("page_of_stacks");
    let file = directory.join("<b>&.bp");
    std::fs::write(&file, "void main() begin skip; end\n").expect("it can be written");
    let (status, marked) = page(&[file.to_str().expect("a plain name")]);
    assert!(status == 0 && !marked.contains("<b>") && marked.contains("&lt;b&gt;&amp;.bp"), "{marked}");
}

#[test]
fn junit_tells_failures_from_what_is_unknown() {
    let output = puch(["check", "examples/lock_faulty.bp", "--assertions", "--termination", "--format", "junit"]);
    let text = stdout(&output);
    assert!(text.contains("tests=\"2\"") && text.contains("failures=\"1\"") && text.contains("errors=\"0\""), "{text}");
    assert!(text.contains("the assertion fails"), "{text}");
    let wrong = stdout(&puch(["check", "tests/golden/errors.bp", "--format", "junit"]));
    assert!(wrong.contains("errors=\"1\"") && wrong.contains("tests/golden/errors.bp:"), "{wrong}");
}

#[test]
fn a_page_needs_nothing_else_and_nothing_in_it_is_markup_that_the_input_wrote() {
    let directory = scratch("page");
    let file = directory.join("<b>&.bp");
    let text = "// </script><script>alert(1)</script> <!--\ndecl g;\nvoid main() begin\n  R: g := 1;\nend\n";
    std::fs::write(&file, text).expect("it can be written");
    let name = file.to_str().expect("a plain name");
    let output = puch(["check", name, "--reach", "R", "--format", "html"]);
    assert_eq!((code(&output), stderr(&output)), (1, String::new()));
    let page = stdout(&output);
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!page.contains("<b>") && !page.contains("src="), "everything is in the page");
    // Without scripts: the verdict, the source with what is reached, and the run.
    assert!(page.contains("R: <strong class=\"reachable\">reachable</strong>"));
    assert!(page.contains("<noscript>") && page.contains("R: g := 1;"));
    assert!(page.contains("class=\"line always\""));
    let data = data(&page);
    assert_eq!(data["results"][0]["trace"]["stem"].as_array().map(Vec::len), Some(7));
    let size = page.len() - text.len();
    assert!(size < 300 << 10, "{size}");
}

#[test]
fn a_page_is_as_long_as_the_run_is_when_folded() {
    let page = |file: &str| stdout(&puch(["check", file, "--reach", "R", "--format", "html"])).len();
    assert!(page("examples/doubling.bp") < 100 << 10);
}

#[test]
fn a_statement_is_passed_by_every_run_only_if_none_can_avoid_it() {
    let directory = scratch("always");
    let file = directory.join("always.bp");
    let text = "decl g;\nvoid fails() begin\n  assert(g);\nend\nvoid loops() begin\n  while (*) do skip; od\nend\nvoid main() begin\n  if (g) then\n    skip;\n  else\n    g := *;\n  fi\n  fails();\n  loops();\n  g := 0;\nend\n";
    std::fs::write(&file, text).expect("it can be written");
    let page = stdout(&puch(["check", file.to_str().expect("a plain name"), "--format", "html"]));
    let class = |line: usize| {
        let id = format!("-{line}\"");
        let before = page.split("<div class=\"").find(|piece| {
            piece
                .split_once(" id=\"L")
                .is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()) && rest[1..].starts_with(&id))
        });
        before.and_then(|piece| piece.split_once('"')).map(|(class, _)| class.to_owned()).unwrap_or_default()
    };
    for always in [3, 9, 14] {
        assert_eq!(class(always), "line always", "line {always}");
    }
    for other in [10, 12, 15, 16] {
        assert_eq!(class(other), "line reached", "line {other}");
    }
}

#[test]
fn reports_of_all_commands_have_the_shapes_that_their_schemas_tell() {
    let influence = schema(include_str!("../src/report/schemas/influence.json"));
    for more in [&[][..], &["--dead-assignments"], &["--explain", "x@L1"], &["--reach", "nowhere"]] {
        valid(&influence, &[&["influence", "examples/influence/figure1.bp", "--format", "json"], more].concat());
    }
    let sets = schema(include_str!("../src/report/schemas/sets.json"));
    let post = ["post", "examples/stacks/requests.bp", "--format", "json"];
    for more in [&[][..], &["--count", "--list", "2", "--meets", "<@fail .*>"], &["--from", "<"], &["--stats"]] {
        valid(&sets, &[&post, more].concat());
    }
    valid(&sets, &["pre", "examples/stacks/requests.bp", "--to", "<@fail .*>", "--format", "json"]);
    let run = schema(include_str!("../src/report/schemas/run.json"));
    valid(&run, &["run", "examples/c/fig1.c", "--format", "json"]);
    assert_eq!(valid(&run, &["run", "examples/c/none.c", "--format", "json"]).1, 2);
    let null = schema(include_str!("../src/report/schemas/null.json"));
    valid(&null, &["null", "examples/c/null.c", "--format", "json"]);
    let stack = schema(include_str!("../src/report/schemas/stack.json"));
    valid(&stack, &["stack", "examples/doubling.bp", "--format", "json"]);
    valid(&stack, &["stack", "examples/c/none.c", "--format", "json"]);
    let brackets = ["stack", "examples/c/brackets.c", "--entry", "task,other", "--format", "json"];
    assert_eq!(valid(&stack, &brackets).1, 1);
    let frames = ["--su", "examples/c/frames", "--frame", "__VERIFIER_nondet_char=16", "--limit", "512"];
    valid(&stack, &[&brackets[..], &frames].concat());
    let listed = scratch("schemas").join("one.ltl");
    std::fs::write(&listed, "name := G !@fail\n").expect("it can be written");
    let list = format!("@{}", listed.display());
    assert_eq!(checked(&["examples/lock.bp", "--ltl", &list]).1, 0);
    let batch = schema(include_str!("../src/report/schemas/batch.json"));
    let lines = stdout(&puch(["batch", "examples/locks", "--format", "json", "--stats"]));
    let check = schema(include_str!("../src/report/schemas/check.json"));
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).expect("each line is JSON");
        assert!(batch.is_valid(&line) && check.is_valid(&line["report"]), "{line}");
    }
    assert!(lines.lines().count() >= 2);
}

#[test]
fn the_library_writes_the_same_page_as_the_command() {
    use puch::systems::Problem;
    use puch::{Format, Options};
    for (file, format, arguments) in [
        ("examples/lock_faulty.bp", Format::BooleanProgram, &["--assertions", "--reach", ":19"][..]),
        ("examples/pds/counter.pds", Format::MopedPds, &["--reach", "q:back"]),
        // There is nothing to fail, and that is said.
        ("examples/doubling.bp", Format::BooleanProgram, &["--assertions", "--reach", "R"]),
    ] {
        let text = std::fs::read_to_string(shell::root().join(file)).expect("an example");
        let mut problem =
            Problem::read_named(file, &text, format.language().expect("its texts are systems")).expect("it is right");
        for pair in arguments.windows(2).filter(|pair| pair[0] == "--reach") {
            problem = if arguments[0] == "--assertions" { problem.assertions() } else { problem };
            problem = problem.reach(pair[1]).expect("a place");
        }
        let page = problem.page(&text, &Options::default()).expect("the judge agrees");
        let command = shell::puch([&["check", file, "--no-verify"], arguments, &["--format", "html"]].concat());
        assert!(page == shell::stdout(&command), "{file}");
    }
}

/// A C program that lists numbers on the heap, fails for some inputs, and goes on for ever for others.
const NUMBERS: &str = "#include <stdlib.h>
int __VERIFIER_nondet_int(void);
void reach_error(void);
struct node { int value; struct node *next; } *head;
long long big = 9007199254740993LL;
void push(int v) {
  struct node *n = malloc(sizeof *n);
  if (!n) exit(0);
  n->value = v;
  n->next = head;
  head = n;
}
int main(void) {
  int x = __VERIFIER_nondet_int();
  while (x == 42) x = 42;
  push(-x);
  if (head->value == -7) {
    reach_error();
  }
  if (x != x) {
    x = 0;
  }
  return 0;
}
";

/// The data of a page.
fn data(page: &str) -> Value {
    let data = page.split_once("id=\"data\">").and_then(|(_, rest)| rest.split_once("</script>")).map(|(data, _)| data);
    serde_json::from_str(data.expect("the page has data")).expect("they are JSON")
}

fn numbers(name: &str) -> String {
    let file = scratch(name).join("numbers.c");
    std::fs::write(&file, NUMBERS).expect("it can be written");
    file.to_str().expect("a plain name").to_owned()
}

#[test]
fn a_page_about_a_c_program_has_the_run_that_was_executed_with_values_and_inputs() {
    let file = numbers("c_page");
    let output = puch(["check", "-q", &file, "--assertions", "--termination", "--reach", ":21", "--format", "html"]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).starts_with("warning: no run goes past what is undefined"), "{}", stderr(&output));
    let page = stdout(&output);
    assert!(page.contains("assertions: <strong class=\"violated\">violated</strong>"));
    assert!(page.contains("<noscript>") && page.contains("the error is reached"));
    assert!(!page.contains("src=") && page.matches("<script").count() == 2);
    // What never is reached is known, since that holds.
    assert!(page.contains("class=\"line never\" id=\"L0-21\""), "{page}");
    let data = data(&page);
    let (failing, endless) = (&data["results"][0]["trace"], &data["results"][1]["trace"]);
    assert_eq!(data["results"][2]["trace"], Value::Null);
    assert_eq!((failing["cycle"].is_null(), failing["inputs"][0]["value"].as_i64()), (true, Some(7)));
    assert_eq!(failing["inputs"][0]["line"], 14);
    // The state before the statement that fails: symbol, control, depth, globals, locals.
    let stem = failing["stem"].as_array().expect("there is a run");
    let last: Vec<usize> = stem[stem.len() - 7..].iter().map(|n| n.as_u64().unwrap_or(0) as usize).collect();
    assert_eq!(data["symbols"][last[0]]["line"], 18);
    let at = |parts: &Value, row: usize, name: &str| {
        let parts = parts.as_array().expect("a list");
        let index = parts.iter().position(|part| part["name"] == name).unwrap_or_else(|| panic!("{name}: {parts:?}"));
        data["rows"][row][index].clone()
    };
    assert_eq!(at(&data["globals"], last[3], "head->value"), -7);
    assert_eq!(at(&data["globals"], last[3], "head->next"), "NULL");
    assert_eq!(at(&data["globals"], last[3], "big"), "9007199254740993");
    let main = data["symbols"][last[0]]["frame"].as_u64().expect("a procedure") as usize;
    assert_eq!(at(&data["frames"][main]["variables"], last[4], "x"), 7);
    assert_eq!((endless["inputs"][0]["value"].as_i64(), endless["growth"].as_u64()), (Some(42), Some(0)));
    assert!(endless["cycle"].as_array().is_some_and(|cycle| !cycle.is_empty()));
}

#[test]
fn a_page_says_why_something_is_unknown_of_a_c_program() {
    let page = stdout(&puch(["check", "examples/c/add.c", "--rounds", "0", "--format", "html"]));
    assert!(page.contains("unknown</strong>; 0 rounds did not decide it (--rounds)"), "{page}");
    let page = stdout(&puch(["check", "-q", &numbers("c_long"), "--trace-steps", "3", "--format", "html"]));
    assert!(page.contains("no trace: the trace has 11 statements, more than 3 (--trace-steps)"), "{page}");
    assert_eq!(data(&page)["results"][0]["trace"], Value::Null);
}

#[test]
fn sarif_and_junit_have_the_runs_of_c_programs() {
    let file = numbers("c_formats");
    let asked = ["check", "-q", &file, "--assertions", "--termination", "--reach", ":21", "--format"];
    let output = puch([&asked[..], &["sarif"]].concat());
    assert_eq!(code(&output), 1);
    let log: Value = serde_json::from_str(&stdout(&output)).expect("SARIF is JSON");
    let results = &log["runs"][0]["results"];
    let kinds: Vec<&str> = (0..3).filter_map(|at| results[at]["kind"].as_str()).collect();
    assert_eq!(kinds, ["fail", "fail", "pass"]);
    let region = &results[0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 18);
    let flow = results[0]["codeFlows"][0]["threadFlows"][0]["locations"].as_array().expect("a run");
    let said = |at: usize| flow[at]["location"]["message"]["text"].as_str().unwrap_or("");
    assert_eq!(said(0), "x = __VERIFIER_nondet_int();  x=7");
    assert!(flow.iter().any(|step| step["nestingLevel"] == 1));
    let endless = results[1]["codeFlows"][0]["threadFlows"][0]["locations"].to_string();
    assert!(endless.contains("for ever: x = 42;"), "{endless}");
    let text = stdout(&puch([&asked[..], &["junit"]].concat()));
    assert!(text.contains("tests=\"3\"") && text.contains("failures=\"2\""), "{text}");
    assert!(text.contains("this is repeated:") && text.contains("the error is reached"), "{text}");
    let unknown = stdout(&puch(["check", "examples/c/add.c", "--rounds", "0", "--format", "junit"]));
    assert!(unknown.contains("errors=\"1\"") && unknown.contains("0 rounds did not decide it"), "{unknown}");
}

#[test]
fn c_programs_that_cannot_be_read_are_answered_in_the_form_that_was_asked_for() {
    let file = scratch("c_wrong").join("wrong.c");
    std::fs::write(&file, "int main(void) { int x = ; }\n").expect("it can be written");
    let name = file.to_str().expect("a plain name");
    let (json, code) = checked(&[name]);
    assert_eq!((code, json["diagnostics"][0]["column"].as_u64()), (2, Some(26)));
    let log: Value = serde_json::from_str(&stdout(&puch(["check", name, "--format", "sarif"]))).expect("JSON");
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
    assert!(stdout(&puch(["check", name, "--format", "junit"])).contains("wrong.c:1:26"));
    for (command, text) in [
        ("run", include_str!("../src/report/schemas/run.json")),
        ("null", include_str!("../src/report/schemas/null.json")),
    ] {
        assert_eq!(valid(&schema(text), &[command, name, "--format", "json"]).1, 2);
    }
}

#[test]
fn replay_is_told_as_data_too() {
    let replay = schema(include_str!("../src/report/schemas/replay.json"));
    let recorded = scratch("replay_json").join("trace.json");
    let written = stdout(&puch(["check", "examples/lock_faulty.bp", "--format", "json"]));
    std::fs::write(&recorded, written).expect("it can be written");
    let trace = recorded.to_str().expect("a plain name");
    for (file, word, expected) in [("examples/lock_faulty.bp", "real", 0), ("examples/lock.bp", "not real", 1)] {
        let (json, code) = valid(&replay, &["replay", file, trace, "--format", "json", "--stats"]);
        assert_eq!((json["results"][0]["trace"].as_str(), code), (Some(word), expected));
        assert_eq!(json["results"][0]["reason"].is_null(), word == "real");
    }
    let (json, code) = valid(&replay, &["replay", "examples/lock.bp", "examples/lock.bp", "--format", "json"]);
    assert_eq!((json.get("results"), code), (None, 2));
}

#[test]
fn texts_in_other_notations_are_told_as_data_too() {
    let text = schema(include_str!("../src/report/schemas/text.json"));
    for arguments in [
        &["convert", "examples/lock.bp", "--to", "spds"][..],
        &["convert", "examples/lock.bp", "--to", "svg", "--draw", "calls"],
        &["convert", "examples/influence/figure1.bp", "--to", "aut"],
        &["buchi", "G F p"],
        &["abstract", "examples/c/cmp.c", "--predicates", "guards"],
    ] {
        let plain = stdout(&puch(arguments));
        let (json, code) = valid(&text, &[arguments, &["--format", "json"]].concat());
        assert_eq!((json["text"].as_str(), code), (Some(&*plain), 0), "{arguments:?}");
    }
    for arguments in [
        &["convert", "tests/golden/errors.bp", "--to", "spds"][..],
        &["convert", "examples/lock.bp", "--to", "aut"],
        &["buchi", "G F"],
        &["abstract", "examples/c/none.c", "--predicates", "guards"],
    ] {
        let (json, code) = valid(&text, &[arguments, &["--format", "json"]].concat());
        assert_eq!((json.get("text"), code), (None, 2), "{arguments:?}");
        assert!(json["diagnostics"].as_array().is_some_and(|told| !told.is_empty()), "{arguments:?}");
    }
}

#[test]
fn uses_of_pointers_are_results_and_test_cases_where_they_stand() {
    let asked = |format| puch(["null", "-q", "examples/c/null.c", "--format", format]);
    let json: Value = serde_json::from_str(&stdout(&asked("json"))).expect("JSON");
    let uses = json["dereferences"].as_array().expect("a list");
    let output = asked("sarif");
    assert_eq!(code(&output), 1);
    let log: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), uses.len());
    for (result, found) in results.iter().zip(uses) {
        let expected = match found["verdict"].as_str() {
            Some("safe") => "pass",
            Some("null") => "fail",
            _ => "open",
        };
        let place = &result["locations"][0]["physicalLocation"]["region"];
        assert_eq!((result["kind"].as_str(), result["ruleId"].as_str()), (Some(expected), Some("null")), "{result}");
        assert_eq!((&place["startLine"], &place["startColumn"]), (&found["line"], &found["column"]), "{result}");
        let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array();
        let steps = found["trace"]["steps"].as_array().filter(|_| expected == "fail");
        assert_eq!(flow.map_or(0, Vec::len), steps.map_or(0, Vec::len), "{result}");
    }
    let output = asked("junit");
    let text = stdout(&output);
    assert_eq!((code(&output), text.matches("<testcase").count()), (1, uses.len()), "{text}");
    let null = uses.iter().filter(|one| one["verdict"] == "null").count();
    assert!(null > 0 && text.matches(" type=\"null\"").count() == null && text.contains("is NULL"), "{text}");
    // What is wrong is said in the same forms.
    let wrong = stdout(&puch(["null", "-q", "tests/golden/errors.bp", "--input-format", "c", "--format", "sarif"]));
    let log: Value = serde_json::from_str(&wrong).expect("JSON");
    assert_eq!(log["runs"][0]["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn null_is_a_kind_of_failure_that_check_asks_about() {
    let (json, exit) = checked(&["examples/c/null.c", "--check", "null"]);
    let result = &json["results"][0];
    let is = |member: &str, text: &str| assert_eq!(result[member].as_str(), Some(text), "{result}");
    is("kind", "null");
    is("verdict", "violated");
    let last = result["trace"]["stem"].as_array().and_then(|steps| steps.last()).map(|step| step["line"].clone());
    assert_eq!((exit, last), (1, Some(23.into())), "{result}");
    // Nothing else is a failure then, and what has no uses has nothing to be asked about.
    let folder = scratch("null-as-a-kind");
    let file = folder.join("asserts.c");
    std::fs::write(&file, "void __assert_fail(void); int main(void) { __assert_fail(); return 0; }").expect("a file");
    let (json, exit) = checked(&[file.to_str().expect("a name"), "--check", "null"]);
    assert_eq!((exit, json["results"][0]["verdict"].as_str()), (0, Some("holds")), "{json}");
    assert!(json["results"][0]["warnings"][0]["text"].as_str().is_some_and(|text| text.contains("nothing was asked")));
    // The vector of arguments is there, whatever is in it.
    std::fs::write(&file, "int main(int argc, char **argv) { return argv[0] == 0; }").expect("a file");
    assert_eq!(checked(&[file.to_str().expect("a name"), "--check", "null"]).1, 0);
    let log: Value =
        serde_json::from_str(&stdout(&puch(["check", "examples/c/null.c", "--check", "null", "--format", "sarif"])))
            .expect("JSON");
    let run = &log["runs"][0];
    let rule = run["results"][0]["ruleIndex"].as_u64().expect("a number") as usize;
    assert_eq!(run["tool"]["driver"]["rules"][rule]["id"], "null", "{log}");
    assert_eq!(code(&puch(["check", "examples/lock.bp", "--check", "null"])), 2);
    // What shows it is shown to others: NULL violates what competitions ask of pointers, and that there is none says less.
    let witness = folder.join("witness.yml");
    let safe = folder.join("safe.c");
    let text = "int main(void) { int a[4], *p = a; for (int i = 0; i < 4; i++) { *p = i; p++; } return *a; }";
    std::fs::write(&safe, text).expect("a file");
    for (program, exit, kind, said) in [
        ("examples/c/null.c", 1, "violation_sequence", "G valid-deref"),
        (safe.to_str().expect("a name"), 0, "invariant_set", "G ! null-dereference"),
    ] {
        let asked = ["check", program, "--check", "null", "--witness", witness.to_str().expect("a name")];
        assert_eq!(code(&puch(asked)), exit, "{program}");
        let text = std::fs::read_to_string(&witness).expect("it was written");
        assert!(text.contains(kind) && text.contains(said), "{text}");
    }
}

/// The uses of a program by what is said of them: those that `puch null` lists, and those below the one question about all.
fn uses_of(text: &str, options: &[&str]) -> [Vec<(u64, u64, String, String)>; 2] {
    let file = scratch("uses").join("uses.c");
    std::fs::write(&file, text).expect("a file");
    let name = file.to_str().expect("a name");
    let asked = |command: &[&str]| -> Value {
        let output = puch([command, &[name, "-q", "--format", "json"], options].concat());
        serde_json::from_str(&stdout(&output)).expect("JSON")
    };
    let listed = |uses: &Value| {
        let one = |one: &Value| {
            let word = |member: &str| one[member].as_str().expect("a text").to_owned();
            let number = |member: &str| one[member].as_u64().expect("a number");
            (number("line"), number("column"), word("expression"), word("verdict"))
        };
        uses.as_array().expect("a list").iter().map(one).collect()
    };
    let (each, (all, _)) = (asked(&["null"]), checked(&[&[name, "--check", "null"], options].concat()));
    [listed(&each["dereferences"]), listed(&all["results"][0]["uses"])]
}

#[test]
fn the_one_question_about_null_says_of_each_use_what_the_command_for_uses_says() {
    let programs = [
        "int main(int argc, char **argv) { return argv[0][0]; }",
        "int main(int argc, char **argv) { if (argc > 1 && *argv) return **argv; argv = 0; return **argv; }",
        "char *g; int main(int argc, char *argv[]) { g = argv[argc]; if (!g) return 1; return *g; }",
        "int main(int argc, char **argv) { if (argc == 0) return main(1, 0); return **argv; }",
        "extern int *e; int main(void) { return e ? *e : 3; }",
        "extern int *e; int main(void) { return *e; }",
        "void *malloc(unsigned long); int main(void) { int *p = malloc(4); if (p) *p = 1; int *q = malloc(4); *q = 2; return *p; }",
        "int nondet(void); int x; int *f(int n) { return n > 9 ? 0 : &x; }
         int main(void) { int n = nondet(); int *p = f(n); if (n < 5) *p = 1; *p = 2; return *f(3); }",
        "int nondet(void); struct n { struct n *next; int v; }; int s(struct n *l) { int t = 0; for (; l; l = l->next) t += l->v; return t; }
         int main(void) { struct n a = {0, 1}, b = {&a, 2}; if (nondet()) a.next = &b; return s(&b) + b.next->v; }",
        "int main(void) { int x = 0; { int *p = 0; if (x) *p = 1; } return x; }",
    ];
    for program in programs {
        for options in [&[][..], &["--malloc", "succeeds"]] {
            let [each, all] = uses_of(program, options);
            assert_eq!(each, all, "{program}");
            assert!(!all.is_empty(), "{program}");
        }
    }
    // Arguments are there where runs begin, whoever calls `main` again; what it hands on is what is there then.
    let recursive = |argument: &str| {
        let text = format!(
            "int main(int argc, char **argv) {{ if (argc == 0) return main(1, {argument}); if (*argv) return 1; return 0; }}
             int f(void) {{ return 0; }} int (*g)(void) = f; int h(void) {{ return g(); }}"
        );
        let [each, all] = uses_of(&text, &[]);
        assert_eq!(each, all, "{text}");
        all.into_iter().map(|(.., verdict)| verdict).collect::<Vec<_>>()
    };
    assert_eq!(
        (recursive("argv").join(" "), recursive("0").join(" ")),
        ("safe safe".to_owned(), "null safe".to_owned())
    );
    // In all formats.
    let file = scratch("uses-in-formats").join("uses.c");
    std::fs::write(&file, programs[7]).expect("a file");
    let written =
        |format: &str| stdout(&puch(["check", file.to_str().expect("a name"), "--check", "null", "--format", format]));
    let text = written("text");
    assert!(text.starts_with("null: violated\n") && text.contains("safe: `p` in `main`: "), "{text}");
    assert!(text.ends_with("3 uses of pointers: 2 safe, 1 null, 0 unknown\n"), "{text}");
    let log: Value = serde_json::from_str(&written("sarif")).expect("JSON");
    let kinds: Vec<&str> =
        log["runs"][0]["results"].as_array().expect("a list").iter().filter_map(|one| one["kind"].as_str()).collect();
    assert_eq!(kinds, ["fail", "pass", "fail", "pass"], "{log}");
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().expect("a list");
    let rule = |one: &Value| rules[one["ruleIndex"].as_u64().expect("a number") as usize]["id"] == one["ruleId"];
    assert!(log["runs"][0]["results"].as_array().expect("a list").iter().all(rule), "{log}");
    let suite = written("junit");
    assert!(suite.matches("<testcase").count() == 4 && suite.matches("<failure").count() == 2, "{suite}");
}
