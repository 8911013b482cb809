//! The programs in `examples/` that use the library print what they say they print.

#[path = "../examples/configurations.rs"]
#[allow(dead_code, reason = "its `main` prints")]
mod configurations;
#[path = "../examples/ltl.rs"]
#[allow(dead_code, reason = "its `main` prints")]
mod ltl;
#[path = "../examples/reachability.rs"]
#[allow(dead_code, reason = "its `main` prints")]
mod reachability;

/// The block of text in the comment at the head of a program.
fn promised(program: &str) -> String {
    let comment = program.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = comment.skip_while(|line| line.trim() != "```text").skip(1).take_while(|line| line.trim() != "```");
    lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
}

#[test]
fn reachability_prints_what_it_says() {
    assert_eq!(reachability::report(), promised(include_str!("../examples/reachability.rs")));
}

#[test]
fn ltl_prints_what_it_says() {
    assert_eq!(ltl::report(), promised(include_str!("../examples/ltl.rs")));
}

#[test]
fn configurations_prints_what_it_says() {
    assert_eq!(configurations::report(), promised(include_str!("../examples/configurations.rs")));
}
