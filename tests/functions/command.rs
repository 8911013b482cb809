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
