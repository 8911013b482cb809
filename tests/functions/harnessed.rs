//! Runs in which functions fail, compiled: from the states that are written they fail in the compiled program, too.

use std::fs;
use std::path::Path;
use std::process::Command;

use puch::functions::{Answer, Class};
use puch::nullness::Kind;

use super::random::{self, FUNCTIONS};
use super::{asked_of, seeds};

/// What tells failures.
const FLAGS: [&str; 6] = [
    "-w",
    "-g",
    "-fno-sanitize-recover=all",
    "-fsanitize=address,undefined",
    "-Wl,--unresolved-symbols=ignore-all",
    "-o",
];

/// How the compiled runs of an answer end, each with what is said of it; none where there is no such compiler.
fn ends(folder: &Path, text: &str, answer: &Answer) -> Option<Vec<(String, String)>> {
    fs::create_dir_all(folder).expect("tests can write");
    // Where the files include it.
    fs::write(folder.join("t.c"), text).expect("tests can write");
    let failing = answer.uses.iter().filter(|(_, class)| *class == Class::Fails);
    let mut all = Vec::new();
    for (told, _) in failing {
        let run = told.verdict.run().expect("what fails has a run");
        let harness = run.harness.as_ref().unwrap_or_else(|| panic!("C cannot say it: {told:?} of\n{text}"));
        fs::write(folder.join("h.c"), &harness.text).expect("tests can write");
        let compiled =
            Command::new("cc").args(FLAGS).arg(folder.join("h.out")).arg(folder.join("h.c")).output().ok()?;
        let complaints = String::from_utf8_lossy(&compiled.stderr).into_owned();
        if complaints.contains("unrecognized") || complaints.contains("cannot find") {
            eprintln!("there are no sanitizers here: {complaints}");
            return None;
        }
        assert!(compiled.status.success(), "{complaints} of\n{}\n{text}", harness.text);
        let mut command = Command::new(folder.join("h.out"));
        let ran = command.env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1").output();
        let ran = ran.expect("what was compiled runs");
        let end = String::from_utf8_lossy(&ran.stderr).into_owned();
        all.push((end, format!("{told:?} with\n{}\nof\n{text}", harness.text)));
    }
    Some(all)
}

/// A compiled run of the only use that fails ends like this.
#[track_caller]
fn ends_with(name: &str, text: &str, kinds: &[Kind], end: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("harnessed-{name}"));
    let function = if text.contains("int main(") { "main" } else { "f" };
    let answer = asked_of(text, function, 30, kinds);
    let Some(all) = ends(&folder, text, &answer) else { return };
    let [(told, of)] = &all[..] else { panic!("{} uses fail in {text}", all.len()) };
    assert!(told.contains(end), "{told}: {of}");
}

#[test]
fn what_fails_fails_when_it_is_compiled() {
    let null = "null pointer";
    ends_with(
        "malloc",
        "#include <stdlib.h>\nint f(void) { int *p = malloc(4); *p = 1; return *p; }"
            .replace("#include <stdlib.h>\n", "void *malloc(unsigned long);\n")
            .as_str(),
        &[Kind::Null],
        null,
    );
    let list = "struct n { int v : 3; unsigned w : 5; struct n *next; char t[3]; };";
    let behind = "static int f(struct n *p) { int *q = 0; if (p && p->next == p && p->v == -2 && p->w == 17 && p->t[1] == 'x') return *q; return 0; }";
    ends_with("fields", &format!("{list}{behind}"), &[Kind::Null], null);
    let global = "static int own; extern long other; int *get(void); int f(void) { int *p = get(); if (p == 0 && own == 7 && other == -1) return *p; return 0; }";
    ends_with("globals", global, &[Kind::Null], null);
    let divided = "int f(int a, unsigned char b) { int c = a; for (int i = 0; i < 3; i++) c = c & b; if (a < 0 && b > 0) return a / (c - c); return 0; }";
    ends_with("division", divided, &[Kind::Division], "division by zero");
    let freed = "void free(void *); int f(int *p) { free(p); return p ? *p : 0; }";
    ends_with("freed", freed, &[Kind::UseAfterFree], "heap-use-after-free");
    let called =
        "static int g(int *p) { return *p; } int f(int (*h)(int *), int *p) { return h && h != g ? h(p) : g(0); }";
    ends_with("called", called, &[Kind::Null], null);
    let main = "int main(int count, char **all) { int *p = 0; return count == 1 ? 0 : *p; }";
    ends_with("main", main, &[Kind::Null], null);
    // What is called through pointers is the same procedure.
    let through = "int g(int n) { return n; } int (*hook)(int); int f(int n) { int *p = 0; return hook && hook(n) == 9 ? *p : 0; }";
    ends_with("through", through, &[Kind::Null], null);
}

#[test]
fn what_is_called_through_pointers_is_that_of_the_file() {
    let text = "int g; int clear(void) { g = 0; return 1; } int nothing(void) { return 2; }
        int third(void) { int own = 3; return own; } int other(int *p) { return *p; }
        int f(int (*h)(void)) { if (g != 1 || !h) return 0; h(); return 10 / g; }";
    ends_with("callbacks", text, &[Kind::Division], "division by zero");
}

#[test]
fn what_is_executed_fails_in_the_compiled_program() {
    let mut seen = 0;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("harnessed-random");
    for seed in seeds::seeds(90..94) {
        let text = random::read(&random::functions(seed)).replace("#define U(p) (p)", "").replace("U(", "(");
        for number in 0..FUNCTIONS {
            let answer = asked_of(&text, &format!("f{number}"), 1, &[Kind::Null, Kind::Division, Kind::Shift]);
            let Some(all) = ends(&folder, &text, &answer) else { return };
            for (end, of) in &all {
                assert!(end.contains("runtime error") || end.contains("AddressSanitizer"), "seed {seed}: {end}: {of}");
            }
            seen += all.len();
        }
    }
    eprintln!("{seen} runs were compiled");
}
