//! The proofs about certificates in `examples/certificates/proof` are checked by Coq, where it is installed.

mod shell;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use shell::{root, scratch, stderr, stdout};

/// What is no proof: words of Coq by which something is taken for granted.
const GRANTED: [&str; 10] =
    ["Admitted", "admit", "Axiom", "Axioms", "Parameter", "Parameters", "Conjecture", "Abort", "Unset", "bypass_check"];

/// The axioms of Coq's library that theorems may need.
const CLASSICAL: [&str; 2] = ["classic", "constructive_definite_description"];

/// The proofs, by file name.
fn proofs() -> Vec<(String, String)> {
    let files = fs::read_dir(root().join("examples/certificates/proof")).expect("the proofs are there");
    let names = files.map(|file| file.expect("they can be listed").file_name().into_string().expect("names are plain"));
    let names = names.filter(|name| name.ends_with(".v"));
    names.map(|name| (read(&name), name)).map(|(text, name)| (name, text)).collect()
}

/// A file that lies beside them.
fn read(name: &str) -> String {
    fs::read_to_string(root().join("examples/certificates/proof").join(name)).expect("it can be read")
}

/// Which of the words that are no proof are in a text; hypotheses outside of sections are such, too.
fn granted(text: &str) -> Vec<String> {
    let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'').collect();
    let mut found: Vec<String> = GRANTED.iter().filter(|word| words.contains(*word)).map(|&word| word.into()).collect();
    let mut depth = 0;
    for line in text.lines() {
        match line.split_whitespace().next() {
            Some("Section") => depth += 1,
            Some("End") => depth -= 1,
            Some("Variable" | "Variables" | "Hypothesis" | "Hypotheses" | "Context") if depth == 0 => {
                found.push(line.into());
            }
            _ => {}
        }
    }
    found
}

#[test]
fn nothing_is_taken_for_granted() {
    let proofs = proofs();
    assert!(proofs.len() >= 16, "proofs are missing: {}", proofs.len());
    let script = read("check");
    let order = script.lines().find_map(|line| line.strip_prefix("for files in ")?.strip_suffix("; do"));
    let order = order.expect("it lists files").split([' ', '"']).filter(|name| !name.is_empty());
    let order: BTreeSet<String> = order.map(|name| format!("{name}.v")).collect();
    let names: BTreeSet<String> = proofs.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(order, names, "`check` has other files checked than there are");
    for (name, text) in &proofs {
        assert_eq!(granted(text), [""; 0], "{name}");
    }
    for wrong in
        ["Proof. Admitted.", "Axiom a : False.", "Hypothesis h : False.", "Section S.\nEnd S.\nVariable v : False."]
    {
        assert_eq!(granted(wrong).len(), 1, "{wrong}");
    }
    assert_eq!(granted("Section S.\nHypothesis h : False.\nEnd S."), [""; 0]);
}

#[test]
fn the_rules_of_certificates_are_proved() {
    if !Command::new("coqc").arg("--version").output().is_ok_and(|told| told.status.success()) {
        eprintln!("there is no coqc: the proofs about certificates are not checked");
        return;
    }
    let directory = scratch("proofs");
    let mut check = Command::new("sh");
    let told = check.arg(root().join("examples/certificates/proof/check")).arg(&directory).output().expect("sh runs");
    assert!(told.status.success(), "{}{}", stdout(&told), stderr(&told));
    let answers = stdout(&told);
    let theorems = proofs().iter().map(|(_, text)| text.matches("Print Assumptions").count()).sum::<usize>();
    let is_answer = |line: &&str| ["Closed under the global context", "Axioms:"].contains(line);
    assert_eq!(answers.lines().filter(is_answer).count(), theorems, "{answers}");
    assert!(theorems >= 16, "{theorems} theorems");
    for line in answers.lines().filter(|line| !is_answer(line) && !line.starts_with(' ')) {
        let name = line.split([' ', ':']).next().expect("a line has a beginning");
        let name = name.rsplit('.').next().expect("a name has an end");
        assert!(CLASSICAL.contains(&name), "a theorem needs `{line}`\n{answers}");
    }
}
