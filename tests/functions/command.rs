//! What `puch check --functions` keeps in a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::shell::{code, puch, scratch, stdout};

const LIST: &str = "struct node { int v; struct node *next; };
static int count(struct node *n) { int c = 0; for (; n; n = n->next) c++; return c; }
int second(struct node *n) { return n->next->v; }
int counted(struct node *n) { return count(n); }
int wrong(void) { return second(0); }
";

/// A file of this text, and a folder, both new.
fn places(name: &str, text: &str) -> (PathBuf, PathBuf) {
    let folder = scratch(name);
    let (file, kept) = (folder.join("list.c"), folder.join("kept"));
    fs::write(&file, text).expect("tests can write");
    (file, kept)
}

fn asked(file: &Path, kept: &Path) -> String {
    let [file, kept] = [file, kept].map(|path| path.to_str().expect("a name"));
    let output = puch(["check", file, "--functions", "--cache", kept]);
    assert_eq!(code(&output), 1, "{}", stdout(&output));
    stdout(&output)
}

fn entries(kept: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(kept).expect("the folder is there").map(|entry| entry.expect("it can be read").path());
    let mut all: Vec<PathBuf> = all.collect();
    all.sort();
    all
}

#[test]
fn answers_that_are_kept_are_given_again_where_the_function_stands_now() {
    let (file, kept) = places("functions-kept", LIST);
    let first = asked(&file, &kept);
    assert_eq!(entries(&kept).len(), 4);
    assert_eq!(asked(&file, &kept), first);
    fs::write(&file, format!("\n/* more */\n{LIST}")).expect("tests can write");
    let moved = asked(&file, &kept);
    assert_eq!(entries(&kept).len(), 4, "nothing was looked at again");
    let shifted = |line: u32| format!("list.c:{line}:");
    let expected = (1..=5).rev().fold(first, |text, line| text.replace(&shifted(line), &shifted(line + 2)));
    assert_eq!(moved, expected);
    // Who looks there finds it.
    for entry in entries(&kept) {
        let text = fs::read_to_string(&entry).expect("it can be read");
        fs::write(&entry, text.replace("n->next", "found")).expect("tests can write");
    }
    assert!(asked(&file, &kept).contains("obligation: found != NULL"));
}

#[test]
fn where_functions_go_on_for_ever_is_told_where_they_stand_now() {
    let text =
        "int ends(int n) { while (n > 0) n--; return n; }\nint odd(int n) { while (n != 0) n -= 2; return n; }\n";
    let (file, kept) = places("functions-kept-endless", text);
    let asked = |more: &[&str]| {
        let [file, kept] = [&file, &kept].map(|path| path.to_str().expect("a name"));
        let options = ["check", file, "--functions", "--termination", "--cache", kept];
        puch([&options, more].concat())
    };
    let first = asked(&[]);
    let told = stdout(&first);
    assert!(
        code(&first) == 1 && told.contains("ends: holds") && told.contains("at line 2, it does again later"),
        "{told}"
    );
    assert_eq!(stdout(&asked(&[])), told);
    fs::write(&file, format!("\n{text}")).expect("tests can write");
    let moved = stdout(&asked(&[]));
    assert!(moved.contains("list.c:3:") && moved.contains("at line 3, it does again later"), "{moved}");
    // It is no answer to another question.
    let other =
        puch(["check", file.to_str().expect("a name"), "--functions", "--cache", kept.to_str().expect("a name")]);
    assert!(code(&other) == 0 && !stdout(&other).contains("termination"), "{}", stdout(&other));
    for more in [&["--check", "null"][..], &["--infer", "new.contracts"]] {
        assert_eq!(code(&asked(more)), 2, "{more:?}");
    }
    let json: serde_json::Value = serde_json::from_str(&stdout(&asked(&["--format", "json"]))).expect("JSON");
    let finding = &json["results"][1]["findings"][0];
    assert_eq!((&finding["kind"], &finding["verdict"]), (&"termination".into(), &"termination".into()), "{json}");
    assert_eq!(json["results"][1]["uses"], serde_json::json!({}));
    let assumed =
        puch(["check", file.to_str().expect("a name"), "--function", "odd", "--termination", "--assume", "n == 8"]);
    assert!(code(&assumed) == 0, "{}", stdout(&assumed));
}

#[test]
fn what_a_limit_stopped_is_kept_for_who_says_so_and_for_the_same_limit() {
    let text = "struct l { int v; struct l *n; };
        int f(struct l *p) { if (p && p->n && p->n->n && p->n->n->n) return 10 / p->n->n->n->v; return 0; }";
    let (file, kept) = places("functions-stopped", text);
    let [name, folder] = [&file, &kept].map(|path| path.to_str().expect("a name"));
    let asked = |more: &[&str]| {
        stdout(&puch([&["check", name, "--functions", "--cache", folder, "--function-timeout"], more].concat()))
    };
    assert!(asked(&["0"]).contains("f: unknown"));
    assert_eq!(entries(&kept).len(), 0);
    let first = asked(&["0", "--cache-stopped"]);
    assert!(first.contains("f: unknown") && entries(&kept).len() == 1, "{first}");
    let entry = &entries(&kept)[0];
    let told = fs::read_to_string(entry).expect("it can be read");
    fs::write(entry, told.replace("time limit reached", "no time")).expect("tests can write");
    assert_eq!(asked(&["0", "--cache-stopped"]), first.replace("time limit reached", "no time"));
    assert_eq!(asked(&["0"]), first, "who does not say so asks again");
    // It is said of another place, too.
    fs::write(&file, format!("\n{text}")).expect("tests can write");
    let moved = asked(&["0", "--cache-stopped"]);
    assert!(moved.contains("list.c:3:") && moved.contains("`10 / p->n->n->n->v` in `f`: no time"), "{moved}");
    // With another limit it is asked again, and what is known then is known with every limit.
    assert!(asked(&["60", "--cache-stopped"]).contains("f: holds"));
    assert!(asked(&["0", "--cache-stopped"]).contains("f: holds"));
}

#[test]
fn what_changes_is_looked_at_again_with_all_that_leads_there() {
    let (file, kept) = places("functions-changed", LIST);
    asked(&file, &kept);
    fs::write(&file, LIST.replace("return n->next->v;", "return n->v;")).expect("tests can write");
    let changed = asked(&file, &kept);
    assert!(changed.contains("obligation: n != NULL") && !changed.contains("n->next != NULL"), "{changed}");
    // `second` and `wrong`, which calls it.
    assert_eq!(entries(&kept).len(), 6);
}

#[test]
fn processes_share_a_folder_and_one_that_is_killed_leaves_nothing_broken() {
    let (file, kept) = places("functions-shared", LIST);
    let [name, folder] = [&file, &kept].map(|path| path.to_str().expect("a name"));
    let started = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_puch"));
        command.args(["check", name, "--functions", "--cache", folder]).stdout(Stdio::piped());
        command.spawn().expect("it runs")
    };
    let mut all: Vec<_> = (0..4).map(|_| started()).collect();
    all[0].kill().expect("it can be killed");
    let told: Vec<String> = all
        .into_iter()
        .skip(1)
        .map(|one| String::from_utf8_lossy(&one.wait_with_output().expect("it ends").stdout).into_owned())
        .collect();
    assert!(told.iter().all(|one| *one == told[0] && one.contains("4 functions")), "{told:?}");
    for entry in entries(&kept).iter().filter(|entry| entry.extension().is_some()) {
        let text = fs::read_to_string(entry).expect("it can be read");
        assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{}", entry.display());
    }
    assert_eq!(asked(&file, &kept), told[0]);
}

/// What the command says about a program with these contracts, and its exit code.
fn with_contracts(name: &str, text: &str, contracts: &str, more: &[&str]) -> (String, i32) {
    let folder = scratch(name);
    let (file, said) = (folder.join("t.c"), folder.join("contracts"));
    fs::write(&file, text).expect("tests can write");
    fs::write(&said, contracts).expect("tests can write");
    let [file, said] = [&file, &said].map(|path| path.to_str().expect("a name"));
    let output = puch([&["check", file, "--functions", "--contracts", said], more].concat());
    (stdout(&output) + &crate::shell::stderr(&output), code(&output))
}

#[test]
fn mistakes_in_contracts_are_pointed_at() {
    let text = "int g; int f(int *p, int n) { return n; } struct s { int a; }; int h(struct s s) { return s.a; }";
    for (contract, message, place) in [
        ("ff: requires n > 0", "the program has no function `ff`", "contracts:1:1"),
        ("f: requires n > 0\nf: requires m > 0", "there is no variable `m` in `f`", "contracts:2:13"),
        ("f: requires n = 0", "`=` assigns", "contracts:1:15"),
        ("f: requires n++ > 0", "`++` counts", "contracts:1:14"),
        ("f: requires n <<= 3", "`<<=` assigns", "contracts:1:15"),
        ("f: requires h(n) > 0", "`h` is called", "contracts:1:13"),
        ("f: requires *n > 0", "this is no pointer to an object", "contracts:1:13"),
        ("f: requires p == 3", "a pointer is compared with a number", "contracts:1:15"),
        ("f: requires n > 0, result > 0", "what a function returns is not known", "contracts:1:20"),
        ("f: requires pre(n) > 0", "the state before is not known", "contracts:1:13"),
        ("f: ensures &n == p", "where the parameter `n` is", "contracts:1:12"),
        ("f: n > 0", "expected `function: requires", "contracts:1:1"),
        ("f: requires", "an expression is missing", "contracts:1:12"),
        ("h: requires s.a > 0", "there is no variable `s` in `h`", "contracts:1:13"),
    ] {
        let (told, code) = with_contracts("contracts-wrong", text, contract, &[]);
        assert_eq!(code, 2, "{contract}: {told}");
        assert!(told.contains(message) && told.contains(place), "{contract}: {told}");
    }
}

#[test]
fn contracts_and_what_is_assumed_belong_to_what_an_answer_depends_on() {
    let folder = scratch("contracts-kept");
    let kept = folder.join("kept");
    let kept = kept.to_str().expect("a name");
    let text = "int g; int f(int *p, int n) { if (n > g) { return *p; } return n; }";
    let cases: [(&str, &[&str], i32, &str); 4] = [
        ("", &[], 0, "obligation: p != NULL"),
        ("f: requires n <= g", &[], 0, "null: 1 uses: 1 safe, 0 by an obligation"),
        ("f: requires n <= g + 1", &[], 0, "obligation: p != NULL"),
        ("", &["--assume", "g == 2147483647"], 0, "`g == 2147483647` holds where `f` is entered"),
    ];
    for _ in 0..2 {
        for (contract, more, exit, said) in cases {
            let more = [more, &["--cache", kept]].concat();
            let (told, code) = with_contracts("contracts-kept-text", text, contract, &more);
            assert!(code == exit && told.contains(said), "{contract} {more:?}: {told}");
        }
    }
}

#[test]
fn what_is_assumed_speaks_of_those_that_are_asked_about() {
    let text = "int t[8]; int first(int *p) { return *p; } int pick(unsigned i) { return t[i]; }";
    let (told, code) = with_contracts("assumed-of-one", text, "", &["--function", "pick", "--assume", "i < 8"]);
    assert!(code == 0 && told.contains("1 safe") && !told.contains("obligation:"), "{told}");
    let (told, code) = with_contracts("assumed-of-all", text, "", &["--assume", "i < 8"]);
    assert!(code == 2 && told.contains("there is no variable `i` in `first`"), "{told}");
}

#[test]
fn what_was_found_is_written_and_read_again() {
    let folder = scratch("contracts-inferred");
    let file = folder.join("found");
    let file = file.to_str().expect("a name");
    let (told, code) = with_contracts("contracts-infer", LIST, "// before", &["--infer", file]);
    assert_eq!(code, 1, "{told}");
    let found = fs::read_to_string(file).expect("it was written");
    assert_eq!(found, "// before\nsecond: requires n != NULL\nsecond: requires n == NULL || n->next != NULL\n");
    let (told, code) = with_contracts("contracts-again", LIST, &found, &[]);
    assert_eq!(code, 1, "{told}");
    assert!(told.contains("second: holds") && !told.contains("obligation:"), "{told}");
}

#[test]
fn what_is_assumed_of_a_c_program_holds_at_its_start_only() {
    let folder = scratch("assumed");
    let file = folder.join("t.c");
    let asked = |text: &str, assumed: &str| {
        fs::write(&file, text).expect("tests can write");
        let output = puch(["check", file.to_str().expect("a name"), "--assume", assumed, "--format", "json"]);
        let told = stdout(&output) + &crate::shell::stderr(&output);
        (code(&output), told)
    };
    let text =
        "extern int g; void reach_error(void); int main(int argc) { if (g + argc == 7) reach_error(); return 0; }";
    let (violated, told) = asked(text, "g == 3");
    assert_eq!(violated, 1, "{told}");
    assert!(told.contains("\"assume\"") && told.contains("`g == 3` holds where `main` is entered"), "{told}");
    assert_eq!(asked(text, "g == 3 && argc < 4").0, 0);
    // The second call of `main` begins nothing.
    let again =
        "extern int g; void reach_error(void); int main(void) { if (g == 0) reach_error(); g = g - 1; return main(); }";
    assert_eq!(asked(again, "g == 2").0, 1);
    let (wrong, told) = asked(text, "g == x");
    assert!(wrong == 2 && told.contains("there is no variable `x` in `main`"), "{told}");
    assert_eq!(asked(text, "g = 3").0, 2);
}
