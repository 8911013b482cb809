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
