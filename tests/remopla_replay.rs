//! Traces of Remopla programs, written as JSON and walked again.

mod shell;

use std::fs;

/// What `puch check FILE OPTIONS --format json` writes, read back by `puch replay`.
fn replayed(name: &str, program: &str, options: &[&str]) -> String {
    let directory = shell::scratch(name);
    let (file, trace) = (directory.join("a.rem"), directory.join("trace.json"));
    fs::write(&file, program).expect("written");
    let mut check = vec!["check", file.to_str().expect("a name"), "--format", "json"];
    check.extend(options);
    let found = shell::puch(&check);
    assert_eq!(shell::code(&found), 1, "{}", shell::stderr(&found));
    fs::write(&trace, shell::stdout(&found)).expect("written");
    let reading = options.iter().filter(|option| **option == "--check-arithmetic" || **option == "--wrap");
    let mut replay = vec!["replay", file.to_str().expect("a name"), trace.to_str().expect("a name")];
    replay.extend(reading);
    shell::stdout(&shell::puch(&replay))
}

#[test]
fn a_result_that_does_not_fit_fails_in_the_step_that_returns() {
    let program = "int x(2); module int(3) f(int n(2)) { return n + n; } module void main() { x = f(x); }";
    assert_eq!(replayed("remopla_result", program, &["--check-arithmetic"]), "assertions: the trace is real\n");
}

#[test]
fn arrays_structs_and_results_are_walked_again() {
    let program = "int a[2][1,2](2); struct S {int f(2); bool g[2];} s;
        module struct S f(struct S t) { t.g[1] = !t.g[0]; t.f = t.f + 3; return t; }
        module void main() { int i(2); s = f(s); a[0][i] = s.f; if :: a[0][1] == 1 && s.g[1] -> goto L; :: else -> skip; fi }
        L: goto L;";
    assert_eq!(replayed("remopla_whole", program, &["--reach", "L", "--wrap"]), "L: the trace is real\n");
}
