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
