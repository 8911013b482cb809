//! The seeded faults of `tests/faults/` still fit the sources: their patches name what they break, and apply.
//!
//! Whether the tests notice them is what `tests/faults/run` finds out; each takes a build.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fs, mem};

/// A place that a patch changes: the lines it expects there, and those it leaves.
#[derive(Default)]
struct Hunk {
    file: String,
    before: String,
    after: String,
}

/// What is wrong with a patch, if anything. `read` gives the text of a source file.
fn objection(patch: &str, read: impl Fn(&str) -> Option<String>) -> Option<String> {
    if !patch.lines().next().is_some_and(|line| line.ends_with('.') && !line.starts_with(['-', '+', '@'])) {
        return Some("its first line does not say in words what is broken".into());
    }
    let hunks = hunks(patch);
    if hunks.is_empty() {
        return Some("it changes nothing".into());
    }
    for Hunk { file, before, after } in hunks {
        let Some(text) = read(&file) else { return Some(format!("there is no {file}")) };
        let places = text.matches(&before).count();
        if before == after || places != 1 {
            return Some(format!("in {file} these lines occur {places} times:\n{before}"));
        }
    }
    None
}

fn hunks(patch: &str) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let mut hunk = Hunk::default();
    let mut inside = false;
    for line in patch.lines().skip(1) {
        if line.starts_with("--- ") || line.starts_with("@@ ") {
            let file = hunk.file.clone();
            if mem::replace(&mut inside, line.starts_with("@@ ")) {
                hunks.push(mem::replace(&mut hunk, Hunk { file, ..Hunk::default() }));
            }
        } else if let Some(file) = line.strip_prefix("+++ b/") {
            hunk.file = file.into();
        } else {
            let (sign, rest) = line.split_at(line.len().min(1));
            if sign != "+" {
                hunk.before += &format!("{rest}\n");
            }
            if sign != "-" {
                hunk.after += &format!("{rest}\n");
            }
        }
    }
    hunks.extend(inside.then_some(hunk));
    hunks
}

#[test]
fn every_patch_applies_and_is_in_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("tests/faults");
    let table = fs::read_to_string(folder.join("README.md")).expect("the faults have a README");
    let mut patches = BTreeMap::new();
    let listed = |folder| fs::read_dir(folder).expect("there is a folder of faults");
    for entry in listed(folder.clone()).chain(listed(folder.join("sources"))) {
        let path = entry.expect("it can be listed").path();
        if path.extension().is_some_and(|extension| extension == "patch") {
            let name = path.file_stem().expect("it has an extension").to_string_lossy().into_owned();
            patches.insert(name, fs::read_to_string(&path).expect("a patch is text"));
        }
    }
    assert!(patches.len() >= 10, "{} faults", patches.len());
    for (name, patch) in &patches {
        let objection = objection(patch, |file| fs::read_to_string(root.join(file)).ok());
        assert_eq!(objection, None, "{name}: make the patch anew, or drop it if what it breaks is gone");
        let words = patch.lines().next().expect("it has been looked at");
        assert!(table.contains(&format!("| `{name}` | {words} |")), "{name} is not in tests/faults/README.md");
    }
    let rows = table.lines().filter(|line| line.starts_with("| `")).count();
    assert_eq!(rows, patches.len(), "rows of the table in tests/faults/README.md");
}

#[test]
fn patches_that_do_not_fit_are_noticed() {
    let text = |file: &str| (file == "src/a.rs").then(|| "one\ntwo\nthree\n".to_owned());
    let patch = |lines: &str| format!("It is broken.\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1,3 +1,3 @@\n{lines}");
    assert_eq!(objection(&patch(" one\n-two\n+2\n three\n"), text), None);
    for (patch, what) in [
        (patch(" one\n-2\n+two\n three\n"), "0 times"),
        (patch(" one\n two\n"), "1 times"),
        (patch("-o\n+0\n").replace("a.rs", "b.rs"), "there is no src/b.rs"),
        (patch("-two\n+2\n").replace("It is broken.\n", ""), "does not say in words"),
        ("It is broken.\n".into(), "changes nothing"),
    ] {
        let objection = objection(&patch, text).expect("it does not fit");
        assert!(objection.contains(what), "{objection}");
    }
}
