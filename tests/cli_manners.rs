//! What a terminal is shown, and what is said to who types something else than is meant.

mod shell;

use shell::{code, command, puch, scratch, stderr, stdout};

#[test]
fn the_short_help_has_the_common_options_only() {
    let short = stdout(&puch(["check", "-h"]));
    let long = stdout(&puch(["check", "--help"]));
    assert!(short.contains("--reach") && short.contains("--timeout") && !short.contains("--no-slice"), "{short}");
    assert!(long.contains("--no-slice"));
    assert!(short.lines().count() < 60, "{}", short.lines().count());
}

#[test]
fn verdicts_are_coloured_where_that_is_wanted() {
    let arguments = ["check", "examples/lock.bp"];
    assert_eq!(stdout(&puch(arguments)), "assertions: holds\n");
    let coloured = stdout(&puch(["check", "examples/lock.bp", "--color", "always"]));
    assert_eq!(coloured, "assertions: \u{1b}[1;32mholds\u{1b}[0m\n");
    let forced = |variables: &[(&str, &str)]| {
        let output = command().args(arguments).envs(variables.iter().copied()).output().expect("puch can be started");
        stdout(&output).contains('\u{1b}')
    };
    assert!(forced(&[("CLICOLOR_FORCE", "1")]));
    assert!(!forced(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
}

#[test]
fn diagnostics_are_coloured_where_that_is_wanted() {
    let arguments = ["check", "tests/golden/errors.bp", "--color"];
    assert!(stderr(&puch([&arguments[..], &["always"]].concat())).contains('\u{1b}'));
    assert!(!stderr(&puch([&arguments[..], &["never"]].concat())).contains('\u{1b}'));
}

#[test]
fn traces_fit_the_width_that_is_given() {
    let arguments = ["check", "examples/quicksort/faulty.rem", "--termination"];
    let wide = stdout(&puch(arguments));
    let narrow = stdout(&puch([&arguments[..], &["--columns", "60"]].concat()));
    assert!(wide.lines().any(|line| line.chars().count() > 60));
    let steps = narrow.lines().filter(|line| line.contains('='));
    assert!(steps.clone().all(|line| line.chars().count() <= 60), "{narrow}");
    let values = |text: &str| text.split_whitespace().filter(|word| word.contains('=')).count();
    assert!(values(&narrow) >= values(&wide), "nothing is left out");
}

#[test]
fn reports_about_c_programs_have_the_same_manners() {
    let arguments = ["check", "examples/c/discount.c"];
    let coloured = stdout(&puch([&arguments[..], &["--color", "always"]].concat()));
    assert!(coloured.starts_with("assertions: \u{1b}[1;31mviolated\u{1b}[0m\n"), "{coloured}");
    let wide = stdout(&puch(arguments));
    let narrow = stdout(&puch([&arguments[..], &["--columns", "44"]].concat()));
    let steps =
        |text: &str| text.lines().take_while(|line| !line.contains("inputs:")).map(str::to_owned).collect::<Vec<_>>();
    assert!(steps(&wide).iter().any(|line| line.chars().count() > 44), "{wide}");
    assert!(steps(&narrow).iter().all(|line| line.chars().count() <= 44), "{narrow}");
    assert!(narrow.contains("few=94") == wide.contains("few=94"), "{narrow}");
    assert_eq!(stdout(&puch(["places", "check", "examples/c/cmp.c", "--reach"])), "cmp\nmain\n");
    for (place, advice) in [("g", "--ltl 'G !{g}'"), ("cpm", "`cmp`")] {
        let output = puch(["check", "examples/c/cmp.c", "--reach", place]);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(advice), "{place}: {}", stderr(&output));
    }
}

#[test]
fn labels_of_c_programs_are_completed_and_explained() {
    let file = scratch("c_places").join("labels.c");
    std::fs::write(&file, "int main(void) {\n  int x = 0;\nDONE:\n  x++;\n  return x;\n}\n")
        .expect("it can be written");
    let name = file.to_str().expect("a plain name");
    assert_eq!(stdout(&puch(["places", "check", name])), "DONE\nmain\nmain:DONE\n");
    let told = stderr(&puch(["check", name, "--reach", "main.DONE"]));
    assert!(told.contains("after a colon: `main:DONE`"), "{told}");
}

#[test]
fn all_manual_pages_are_written_at_once() {
    let directory = scratch("man");
    let output = puch(["man", "--all", directory.to_str().expect("a plain name")]);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()));
    for page in ["puch.1", "puch-check.1", "puch-facts.1"] {
        let text = std::fs::read_to_string(directory.join(page)).expect("the page is there");
        assert!(text.starts_with(".ie"), "{page}");
    }
}

#[test]
fn who_forgets_the_command_is_told() {
    let output = puch(["examples/lock.bp"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("puch check examples/lock.bp"), "{}", stderr(&output));
}

#[test]
fn operators_of_other_logics_are_recognised() {
    for (formula, advice) in [
        ("AG held", "write `G`"),
        ("AF held", "write `F`"),
        ("EF held", "ask whether the negation holds"),
        ("globally held", "`G`"),
        ("finally held", "`F`"),
    ] {
        let output = puch(["check", "examples/lock.bp", "--ltl", formula]);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(advice), "{formula}: {}", stderr(&output));
    }
}

/// What is told about a Boolean program.
fn told_of(name: &str, text: &str) -> String {
    let file = scratch(name).join("program.bp");
    std::fs::write(&file, text).expect("it can be written");
    let output = puch(["check", file.to_str().expect("a plain name")]);
    assert_eq!(code(&output), 2);
    stderr(&output)
}

#[test]
fn who_writes_blocks_as_in_c_is_told() {
    let told = told_of("braces", "decl x;\nvoid main() {\n  x := 1;\n}\n");
    assert!(told.contains("blocks are `begin … end`"), "{told}");
    let told =
        told_of("else_if", "decl x;\nvoid main() begin\n  if (x) then x := 1; else if (x) then x := 0; fi\nend\n");
    assert!(told.contains("`elsif` goes on with this one"), "{told}");
    let told = told_of(
        "no_else_if",
        "decl x;\nvoid main() begin\n  if (x) then x := 1; else\n  if (x) then x := 0; fi\nend\n",
    );
    assert!(told.contains("`elsif`"), "a line end makes no difference: {told}");
    let told = told_of("other", "decl x;\nvoid main() begin\n  if (x) then x := 1;\nend\n");
    assert!(!told.contains("`elsif`"), "{told}");
}

#[test]
fn names_that_are_no_places_are_explained() {
    for (place, advice) in [
        ("main.DONE", "after a colon: `main:DONE`"),
        ("held", "--ltl 'G !{held}'"),
        ("work:deeper", "--ltl 'G !{work.deeper}'"),
        ("deeper", "`work.deeper` is a variable"),
        ("work", "`work` is a procedure: ask for `<@at(work) .*>`"),
    ] {
        let output = puch(["check", "examples/lock.bp", "--reach", place]);
        assert_eq!(code(&output), 2);
        assert!(stderr(&output).contains(advice), "{place}: {}", stderr(&output));
    }
    // What is advised is understood.
    for advised in [["--ltl", "G !{held}"], ["--ltl", "G !{work.deeper}"], ["--reach", "<@at(work) .*>"]] {
        let output = puch([&["check", "examples/lock.bp", "--trace", "none"], &advised[..]].concat());
        assert_ne!(code(&output), 2, "{}", stderr(&output));
    }
}

#[test]
fn places_are_completed() {
    let output = puch(["places", "check", "examples/lock.bp", "--reach", "no_such_file.bp", "examples/README.md"]);
    assert_eq!((code(&output), stdout(&output).as_str(), stderr(&output).as_str()), (0, "DONE\nmain:DONE\n", ""));
    for (shell, part) in
        [("bash", "puch places \"${COMP_WORDS"), ("zsh", ":PLACE:_puch_places"), ("fish", "(puch places")]
    {
        let output = puch(["completions", shell]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(stdout(&output).contains(part), "{shell}");
    }
    assert_eq!(code(&puch(["completions", "powershell"])), 0);
}

#[test]
fn bash_completes_places() {
    let script = scratch("completion").join("puch.bash");
    std::fs::write(&script, stdout(&puch(["completions", "bash"]))).expect("it can be written");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_puch")).parent().expect("it lies somewhere");
    let typed = "source \"$1\"; COMP_WORDS=(puch check examples/lock.bp --reach DO); COMP_CWORD=4; _puch puch DO --reach; \
                 echo \"${COMPREPLY[@]}\"";
    let path = std::env::join_paths(
        std::iter::once(program.to_owned()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let output = std::process::Command::new("bash")
        .args(["-c", typed, "bash"])
        .arg(&script)
        .env("PATH", path.expect("paths have no colons"))
        .current_dir(shell::root())
        .output();
    // Where there is no bash there is nothing to complete.
    let Ok(output) = output else { return };
    assert_eq!(stdout(&output), "DONE\n", "{}", stderr(&output));
}

/// A C program in a file of its own: its name.
fn c_program(name: &str, text: &str) -> String {
    let file = scratch(name).join("program.c");
    std::fs::write(&file, text).expect("it can be written");
    file.to_str().expect("a plain name").to_owned()
}

/// What is said of a text on standard input.
fn piped(arguments: &[&str], text: &str) -> std::process::Output {
    use std::io::Write;
    use std::process::Stdio;
    let mut puch = command();
    puch.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut puch = puch.spawn().expect("puch can be started");
    let mut pipe = puch.stdin.take().expect("there is a pipe");
    // Who refuses the call does not read.
    let _ = pipe.write_all(text.as_bytes());
    drop(pipe);
    puch.wait_with_output().expect("it ends")
}

#[test]
fn data_models_are_named_in_either_case() {
    let text = "extern void reach_error(void);\n\
                int main(void) { if (sizeof(long) == 4) reach_error(); return 0; }\n";
    let file = c_program("data_model", text);
    for (model, expected) in [("ilp32", 1), ("ILP32", 1), ("lp64", 0), ("LP64", 0)] {
        let check = puch(["check", &file, "--data-model", model]);
        assert_eq!(code(&check), expected, "{model}: {}", stderr(&check));
        assert_eq!(code(&puch(["run", &file, "--data-model", model])), expected, "{model}");
        assert_eq!(code(&puch(["null", &file, "--data-model", model])), 0, "{model}");
        for command in ["abstract", "facts", "influence"] {
            let output = puch([command, &file, "--predicates", "guards", "--data-model", model]);
            assert_eq!(code(&output), 0, "{command} {model}: {}", stderr(&output));
        }
    }
}

#[test]
fn c_programs_come_from_standard_input_if_it_is_said_that_they_are_some() {
    let text = "#define FAILS 1\nextern void reach_error(void);\nint *p;\n\
                int main(void) { if (FAILS) reach_error(); return *p; }\n";
    let guards = ["--predicates", "guards"];
    for (command, options, expected) in [
        ("check", &[][..], 1),
        ("check", &["--predicates", "guards", "--rounds", "0"], 3),
        ("run", &[], 1),
        ("null", &[], 0),
        ("abstract", &guards, 0),
        ("facts", &guards, 0),
        ("influence", &guards, 0),
    ] {
        let named = [&[command, "-", "--input-format", "c"], options].concat();
        let output = piped(&named, text);
        assert_eq!(code(&output), expected, "{command} {options:?}: {}{}", stdout(&output), stderr(&output));
        let without = piped(&[&[command, "-"], options].concat(), text);
        assert_eq!(code(&without), 2, "{command}");
        assert!(stderr(&without).contains("--input-format"), "{command}: {}", stderr(&without));
    }
    assert!(stdout(&piped(&["run", "-", "--input-format", "c"], text)).starts_with("<stdin>: failed"));
}

#[test]
fn c_programs_may_have_any_name_if_it_is_said_that_they_are_some() {
    let file = scratch("any_name").join("program.txt");
    std::fs::write(
        &file,
        "#define X 0\nextern void reach_error(void);\nint main(void) { if (X) reach_error(); return X; }\n",
    )
    .expect("it can be written");
    let name = file.to_str().expect("a plain name");
    for command in ["check", "run", "null"] {
        let output = puch([command, name, "--input-format", "c"]);
        assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
        let without = puch([command, name]);
        assert!(code(&without) == 2 && stderr(&without).contains("--input-format"), "{}", stderr(&without));
    }
    let other = puch(["run", name, "--input-format", "bp"]);
    assert_eq!(code(&other), 2, "{}", stdout(&other));
}

#[test]
fn who_asserts_nothing_is_told_that_nothing_was_asked() {
    let file = c_program("nothing_asked", "int main(int x, char **v) { return x / 2; }\n");
    for loudness in [&[][..], &["-q"]] {
        let output = puch([&["check", &file], loudness].concat());
        assert_eq!((code(&output), stdout(&output).as_str()), (0, "assertions: holds\n"));
        let told = stderr(&output);
        assert!(told.contains("no assertions: nothing was asked") && told.contains("--overflow check"), "{told}");
    }
    let json = stdout(&puch(["check", &file, "--format", "json"]));
    assert!(json.contains("\"code\": \"no-assertions\"") || json.contains("\"code\":\"no-assertions\""), "{json}");
    let asked = puch(["check", &file, "--overflow", "check"]);
    assert!(!stderr(&asked).contains("nothing was asked"), "something was: {}", stderr(&asked));
    let some =
        c_program("something_asked", "#include <assert.h>\nint main(int x, char **v) { assert(x != 3); return 0; }\n");
    assert!(!stderr(&puch(["check", &some])).contains("nothing was asked"));
}

#[test]
fn a_program_without_main_is_told_where_it_could_begin() {
    let file = c_program("no_main", "int half(int x) { return x / 2; }\nint twice(int x) { return 2 * x; }\n");
    for command in ["check", "run", "null"] {
        let output = puch([command, &file]);
        assert_eq!(code(&output), 2);
        let told = stderr(&output);
        assert!(told.contains("`main`") && told.contains("--entry"), "{told}");
        assert!(told.contains("`half`") && told.contains("`twice`"), "{told}");
    }
    assert_eq!(code(&puch(["check", &file, "--entry", "half"])), 0);
    let declared = c_program("no_body", "int half(int x);\n");
    assert!(stderr(&puch(["check", &declared])).contains("no procedure has a body"));
}

#[test]
fn quiet_is_about_progress_and_not_about_what_a_verdict_means() {
    let declared_nowhere = c_program("declared_nowhere", "int main(void) { return nowhere(3) > 3; }\n");
    let vacuous = scratch("vacuous_quiet").join("program.bp");
    std::fs::write(&vacuous, "decl g;\nvoid main() begin assume(0); assert(g); end\n").expect("it can be written");
    let vacuous = vacuous.to_str().expect("a plain name");
    for arguments in [
        &["check", &declared_nowhere][..],
        &["run", &declared_nowhere],
        &["null", &declared_nowhere],
        &["check", vacuous, "--termination"],
        &["check", "tests/golden/undefined.c", "--predicates", "guards", "--rounds", "0"],
        &["check", "tests/golden/undefined.c"],
        &["check", "tests/golden/precedence.bp", "--reach", ":1"],
        &["buchi", "X p -> q & r | s"],
    ] {
        let (loud, quiet) = (puch(arguments), puch([arguments, &["-q"]].concat()));
        assert_eq!(stderr(&quiet), stderr(&loud), "{arguments:?}");
        assert_eq!(stdout(&quiet), stdout(&loud), "{arguments:?}");
    }
    let told = |arguments: &[&str]| stderr(&puch([arguments, &["-q"]].concat()));
    assert!(told(&["check", &declared_nowhere]).contains("declared nowhere"));
    assert!(told(&["check", vacuous, "--termination"]).contains("vacuous"));
    assert!(
        told(&["check", "tests/golden/undefined.c", "--predicates", "guards", "--rounds", "0"]).contains("undefined")
    );
}

#[test]
fn predicates_are_where_refinement_begins_and_without_rounds_where_it_ends() {
    let text = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
                int main(void) {\n  int x = __VERIFIER_nondet_int(), y = x;\n  if (x != y) reach_error();\n  return 0;\n}\n";
    let file = c_program("rounds", text);
    let few = scratch("rounds_few").join("few.predicates");
    std::fs::write(&few, "main: x == 3\n").expect("it can be written");
    let few = few.to_str().expect("a plain name");
    let stopped = puch(["check", &file, "--predicates", few, "--rounds", "0", "--format", "json"]);
    assert_eq!(code(&stopped), 3, "{}", stderr(&stopped));
    let json: serde_json::Value = serde_json::from_str(&stdout(&stopped)).expect("it is JSON");
    let result = &json["results"][0];
    assert_eq!((&result["verdict"], &result["reason_kind"]), (&"unknown".into(), &"abstraction".into()));
    let steps = result["trace"]["stem"].as_array().expect("the run of the abstraction is its trace");
    assert!(steps.iter().any(|step| step["line"] == 5), "{result:#}");
    let enough = puch(["check", &file, "--predicates", "guards", "--rounds", "0"]);
    assert_eq!((code(&enough), stdout(&enough).as_str()), (0, "assertions: holds\n"), "{}", stderr(&enough));
    for rounds in [&[][..], &["--rounds", "7"]] {
        let refined = puch([&["check", &file, "--predicates", few], rounds].concat());
        assert_eq!(code(&refined), 0, "{}{}", stdout(&refined), stderr(&refined));
    }
    let refused = puch(["check", &file, "--predicates", few, "--termination"]);
    assert!(code(&refused) == 2 && stderr(&refused).contains("--predicates"), "{}", stderr(&refused));
    let foreign = puch(["check", &file, "--wrap"]);
    assert!(code(&foreign) == 2 && stderr(&foreign).contains("Remopla"), "{}", stderr(&foreign));
}
