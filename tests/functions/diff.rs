//! `puch diff`: what is new in another version.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::edits::{BY_NAME, FUNCTIONS, edited, functions, text};
use crate::seeds;
use crate::shell::{code, puch, scratch, stderr, stdout};

/// What is new between two texts, and the exit code.
fn between(folder: &str, old: &str, new: &str, more: &[&str]) -> (Value, i32) {
    let folder = scratch(folder);
    let [before, after] = ["old.c", "new.c"].map(|name| folder.join(name));
    fs::write(&before, old).expect("tests can write");
    fs::write(&after, new).expect("tests can write");
    asked(&before, &after, more)
}

fn asked(before: &Path, after: &Path, more: &[&str]) -> (Value, i32) {
    let [before, after] = [before, after].map(|path| path.to_str().expect("a name"));
    let output = puch([&["diff", before, after, "--format", "json"], more].concat());
    let text = stdout(&output);
    assert!(!text.contains("\"proved_by\""), "what is only kept is told: {text}");
    let json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}\n{}", stderr(&output)));
    (json, code(&output))
}

/// How bad what is new is in each function that is not as it was.
fn new(told: &Value) -> BTreeMap<&str, &str> {
    let results = told["results"].as_array().expect("a list").iter();
    results.map(|one| (one["property"].as_str().expect("a name"), one["new"].as_str().expect("a word"))).collect()
}

fn conditions<'v>(told: &'v Value, name: &str) -> Vec<&'v str> {
    let results = told["results"].as_array().expect("a list").iter();
    let own = results.filter(|one| one["property"] == name);
    own.flat_map(|one| one["obligations"].as_array().expect("a list"))
        .map(|one| one["condition"].as_str().expect("a text"))
        .collect()
}

const LIST: &str = "struct node { int v; struct node *next; };
static int first(struct node *n) { return n ? n->v : 0; }
int asks(struct node *n) { return first(n); }
int second(struct node *n) { return n && n->next ? n->next->v : 0; }
int demands(int *p) { return *p; }
";

#[test]
fn what_only_moved_is_not_looked_at() {
    let moved = format!("\n/* more */\nint before(void) {{ return 0; }}\n{LIST}");
    let kept = scratch("diff-moved-kept");
    let (told, code) =
        between("diff-moved", LIST, &moved, &["--cache", kept.to_str().expect("a name"), "--function", "asks,second"]);
    assert_eq!((code, &told["unchanged"], told["results"].as_array().map(Vec::len)), (0, &2.into(), Some(0)), "{told}");
    assert_eq!(fs::read_dir(&kept).expect("it is there").count(), 0, "nothing was asked");
}

#[test]
fn what_no_longer_ends_is_told() {
    let old = "int down(int n) { while (n > 0) n--; return n; }\nint up(int n) { while (n < 9) n++; return n; }\n";
    let new = old.replace("n > 0", "n != 0").replace("n--", "n -= 2");
    let (told, code) = between("diff-endless", old, &new, &["--termination"]);
    assert_eq!((code, &told["unchanged"]), (1, &1.into()), "{told}");
    assert_eq!(self::new(&told), BTreeMap::from([("down", "fails")]));
    let finding = &told["results"][0]["findings"][0];
    assert_eq!((&finding["kind"], &finding["procedure"]), (&"termination".into(), &"down".into()), "{told}");
    let (told, code) = between("diff-endless-back", &new, old, &["--termination"]);
    assert_eq!((code, &told["results"][0]["no_longer"]["findings"][0]["kind"]), (0, &"termination".into()), "{told}");
}

#[test]
fn what_goes_wrong_now_and_did_not_is_told() {
    let worse = LIST.replace("n ? n->v : 0", "n->v").replace("return first(n)", "return first(0)");
    let (told, code) = between("diff-null", LIST, &worse, &[]);
    assert_eq!(code, 1, "{told}");
    assert_eq!(new(&told), BTreeMap::from([("asks", "fails"), ("first", "obligations")]));
    assert_eq!(conditions(&told, "first"), ["n != NULL"]);
    let finding = &told["results"][1]["findings"][0];
    assert_eq!((&finding["expression"], &finding["verdict"]), (&"n".into(), &"null".into()), "{finding}");
    assert!(finding["trace"]["steps"].as_array().is_some_and(|steps| !steps.is_empty()));
    assert_eq!(told["unchanged"], 2);
    // And back: nothing is new, and two things are no longer so.
    let (told, code) = between("diff-null-back", &worse, LIST, &[]);
    assert_eq!(code, 0, "{told}");
    assert_eq!(new(&told), BTreeMap::from([("asks", "nothing"), ("first", "nothing")]));
    assert_eq!(told["results"][0]["no_longer"]["obligations"], serde_json::json!(["n != NULL"]));
    assert_eq!(told["results"][1]["no_longer"]["findings"][0]["verdict"], "null");
}

#[test]
fn what_went_wrong_before_is_not_told_again() {
    let old =
        "int use(int *p) { return *p; } int wrong(void) { return use(0); } int all(int *p, int *q) { return *p + *q; }";
    let new_text = "/* */ int use(int *p)\n{ int v = *p; return v; } int wrong(void) { return use(0) + 1; } int all(int *p, int *q) { if (!q) return 0; return *p + *q; }";
    let (told, code) = between("diff-same", old, new_text, &[]);
    assert_eq!(code, 0, "{told}");
    assert_eq!(new(&told), BTreeMap::from([("all", "nothing"), ("use", "nothing"), ("wrong", "nothing")]));
    assert_eq!(told["results"][2]["no_longer"]["obligations"], serde_json::json!(["q != NULL"]));
}

#[test]
fn functions_that_are_new_or_gone_are_told() {
    let other = LIST.replace("int demands(int *p)", "int wants(int *p)") + "int wrong(void) { return wants(0); }";
    let (told, code) = between("diff-gone", LIST, &other, &[]);
    assert_eq!((code, &told["gone"]), (1, &serde_json::json!(["demands"])), "{told}");
    assert_eq!(new(&told), BTreeMap::from([("wants", "obligations"), ("wrong", "fails")]));
    assert!(told["results"].as_array().is_some_and(|all| all.iter().all(|one| one["change"] == "new")));
    let (told, code) = between("diff-gone-some", LIST, &other, &["--function", "demands,asks"]);
    assert_eq!((code, &told["unchanged"], &told["gone"]), (0, &1.into(), &serde_json::json!(["demands"])), "{told}");
    assert_eq!(between("diff-gone-none", LIST, &other, &["--function", "nobody"]).1, 2);
}

#[test]
fn what_is_not_known_and_was_is_told() {
    let worse = LIST.replace("return n ? n->v : 0;", "setjmp(0); return n ? n->v : 0;");
    let (told, code) = between("diff-unknown", LIST, &worse, &[]);
    assert_eq!(code, 3, "{told}");
    assert_eq!(new(&told), BTreeMap::from([("asks", "unknown"), ("first", "unknown")]));
    let (told, code) = between("diff-unknown-still", &worse, &format!("{worse} "), &[]);
    assert_eq!((code, new(&told).get("asks")), (0, Some(&"nothing")), "{told}");
}

/// Files of a program in two folders.
fn folders(name: &str, old: &[(&str, &str)], new: &[(&str, &str)]) -> (PathBuf, PathBuf) {
    let folder = scratch(name);
    let write = |version: &str, files: &[(&str, &str)]| {
        let root = folder.join(version);
        for (file, text) in files {
            let file = root.join(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("tests can write");
            fs::write(file, text).expect("tests can write");
        }
        root
    };
    (write("v1", old), write("v2", new))
}

#[test]
fn folders_are_compared_wherever_they_lie() {
    let header = "static inline int value(const int *p) { return p ? *p : 0; }\n";
    let own = "#include \"h/value.h\"\nstatic int same(int *p) { return value(p); }\n";
    let one = format!("{own}int one(int *p) {{ return same(p); }}\n");
    let two = "static int same(int *p) { return *p; }\nint two(int *p) { return p ? same(p) : 0; }\n";
    let files = [("a/one.c", one.as_str()), ("b/two.c", two), ("a/h/value.h", header)];
    let (old, new_folder) = folders("diff-folders", &files, &files);
    let (told, code) = asked(&old, &new_folder, &[]);
    assert_eq!((code, &told["unchanged"], told["results"].as_array().map(Vec::len)), (0, &5.into(), Some(0)), "{told}");
    // What a header says is part of it.
    let worse = header.replace("p ? *p : 0", "*p");
    let files = [("a/one.c", one.as_str()), ("b/two.c", two), ("a/h/value.h", worse.as_str())];
    let (old, after) =
        folders("diff-folders-header", &[("a/one.c", &one), ("b/two.c", two), ("a/h/value.h", header)], &files);
    let (told, code) = asked(&old, &after, &[]);
    assert_eq!(code, 0, "{told}");
    assert_eq!(new(&told), BTreeMap::from([("one", "obligations"), ("same", "obligations"), ("value", "obligations")]));
    // As lists of files; the headers that `-I` names are those of each version.
    let name = |folder: &Path, file: &str| folder.join(file).to_str().expect("a name").to_owned();
    let lists = ["diff", "--old", &name(&old, "a/one.c"), &name(&old, "b/two.c"), "--new", &name(&after, "a/one.c")];
    let output = puch([&lists[..], &[&name(&after, "b/two.c"), "--format", "json"]].concat());
    let told: Value = serde_json::from_str(&stdout(&output)).expect("it is JSON");
    assert_eq!((code, new(&told).len(), &told["unchanged"]), (0, 3, &2.into()), "{told}");
    let plain = one.replace("h/value.h", "value.h");
    let (old, after) = folders(
        "diff-folders-include",
        &[("src/one.c", &plain), ("inc/value.h", header)],
        &[("src/one.c", &plain), ("inc/value.h", &worse)],
    );
    let (told, _) = asked(&old, &after, &["-I", &name(&after, "inc")]);
    assert_eq!(new(&told).len(), 3, "{told}");
    let (told, _) = asked(&old, &after, &["-I", &name(&after, "inc"), "--old-include", &name(&after, "inc")]);
    assert_eq!(new(&told).len(), 0, "{told}");
}

#[test]
fn what_is_kept_of_the_old_version_is_given_again() {
    let folder = scratch("diff-kept");
    let (file, kept, old) = (folder.join("list.c"), folder.join("kept"), folder.join("before/list.c"));
    let [name, cache] = [&file, &kept].map(|path| path.to_str().expect("a name"));
    fs::write(&file, LIST).expect("tests can write");
    assert_eq!(code(&puch(["check", name, "--functions", "--cache", cache])), 0);
    let entries = || fs::read_dir(&kept).expect("it is there").map(|entry| entry.expect("it can be read").path());
    let old_entries: Vec<PathBuf> = entries().collect();
    assert_eq!(old_entries.len(), 4);
    fs::create_dir(folder.join("before")).expect("tests can write");
    fs::rename(&file, &old).expect("tests can write");
    fs::write(&file, LIST.replace("return *p;", "return *p + 1;")).expect("tests can write");
    let without = asked(&old, &file, &[]);
    assert_eq!(asked(&old, &file, &["--cache", cache]), without);
    assert_eq!(entries().count(), 5, "of the old version nothing was looked at again");
    assert_eq!(asked(&old, &file, &["--cache", cache]), without);
    // Who looks there finds it.
    for entry in old_entries {
        let text = fs::read_to_string(&entry).expect("it can be read");
        fs::write(&entry, text.replace("p != NULL", "found")).expect("tests can write");
    }
    let (told, _) = asked(&old, &file, &["--cache", cache]);
    assert_eq!(told["results"][0]["no_longer"]["obligations"], serde_json::json!(["found"]), "{told}");
}

#[test]
fn contracts_may_be_about_functions_that_were_not_there() {
    let folder = scratch("diff-contracts");
    let said = folder.join("said");
    fs::write(&said, "// é\nfresh: requires n < 16, n >= 0\ndemands: requires p != NULL\n").expect("tests can write");
    let more = format!("{LIST}int t[16]; int fresh(int n) {{ return t[n]; }} int calls(void) {{ return fresh(16); }}");
    let said = said.to_str().expect("a name");
    let (told, code) = between("diff-contracts-text", LIST, &more, &["--contracts", said]);
    assert_eq!(code, 1, "{told}");
    assert_eq!(new(&told), BTreeMap::from([("calls", "fails"), ("fresh", "nothing")]));
    // In the new version they have to be there.
    assert_eq!(between("diff-contracts-wrong", &more, LIST, &["--contracts", said]).1, 2);
}

/// How many findings there are about each thing, failing and unknown; what callers have to establish; none where time was up.
type Known = (BTreeMap<(String, String, String), [usize; 2]>, Vec<String>);

fn known(result: &Value) -> Option<Known> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let mut findings: BTreeMap<(String, String, String), [usize; 2]> = BTreeMap::new();
    if result["reason_kind"] == "timeout" {
        return None;
    }
    for one in result["findings"].as_array().expect("a list") {
        if one["reason_kind"] == "timeout" {
            return None;
        }
        let about = (text(&one["kind"]), text(&one["procedure"]), text(&one["expression"]));
        findings.entry(about).or_default()[usize::from(one["verdict"] == "unknown")] += 1;
    }
    let obligations = result["obligations"].as_array().expect("a list").iter().map(|one| text(&one["condition"]));
    Some((findings, obligations.collect()))
}

/// What is known of each function, with all that it leads to.
fn all(file: &Path) -> BTreeMap<String, Value> {
    let file = file.to_str().expect("a name");
    let alone = |number: usize| {
        let name = format!("f{number}");
        let asked = ["check", file, "--functions", "--function", &name, "--check", "null,bounds"];
        let output = puch(asked.into_iter().chain(["--function-timeout", "20", "--format", "json"]));
        let told: Value = serde_json::from_str(&stdout(&output)).expect("it is JSON");
        (name, told["results"][0].clone())
    };
    (0..FUNCTIONS).map(alone).collect()
}

#[test]
fn what_is_told_of_random_edits_is_what_two_full_answers_differ_in() {
    let (mut compared, mut unchanged, mut told_new) = (0, 0, 0);
    for seed in seeds::seeds(1..9) {
        let mut random = fastrand::Rng::with_seed(seed);
        let functions = functions(&mut random, BY_NAME);
        let changed = edited(&mut random, &functions, BY_NAME);
        let (text, new_text) = (text(&functions), text(&edited(&mut random, &changed, BY_NAME)));
        let folder = scratch("diff-random");
        let [before, after] = ["old.c", "new.c"].map(|name| folder.join(name));
        fs::write(&before, &text).expect("tests can write");
        fs::write(&after, &new_text).expect("tests can write");
        let (old, now) = (all(&before), all(&after));
        // What took a while may take too long next time.
        let is_known = |name: &&String| known(&now[*name]).is_some() && known(&old[*name]).is_some();
        let names: Vec<&str> = now.keys().filter(is_known).map(String::as_str).collect();
        if names.is_empty() {
            continue;
        }
        let more = ["--check", "null,bounds", "--function-timeout", "90", "--function", &names.join(",")];
        let (told, exit) = asked(&before, &after, &more);
        let results = told["results"].as_array().expect("a list").iter();
        let name = |one: &Value| one["property"].as_str().expect("a name").to_owned();
        let changed: BTreeMap<String, &Value> = results.map(|one| (name(one), one)).collect();
        assert_eq!(changed.len() + told["unchanged"].as_u64().expect("a number") as usize, names.len());
        for name in names {
            let (Some(is), Some(was)) = (known(&now[name]), known(&old[name])) else { continue };
            let said = changed.get(name).map_or_else(|| Some(Known::default()), |one| known(one));
            let said = said.expect("there was time");
            compared += 1;
            unchanged += usize::from(!changed.contains_key(name));
            let mut expected: Known = (BTreeMap::new(), is.1.clone());
            expected.1.retain(|one| !was.1.contains(one));
            for (about, [fails, unknown]) in is.0 {
                let [failed, was_unknown] = was.0.get(&about).copied().unwrap_or_default();
                let new_fails = fails.saturating_sub(failed);
                let new_unknown = unknown.saturating_sub(was_unknown + failed.saturating_sub(fails));
                if new_fails + new_unknown > 0 {
                    expected.0.insert(about, [new_fails, new_unknown]);
                    told_new += 1;
                    assert!(exit == 1 || new_fails == 0, "seed {seed}");
                }
            }
            assert_eq!(said, expected, "seed {seed}, {name}:\n{text}\n{new_text}");
        }
    }
    assert!(compared > 16 && unchanged > 0 && told_new > 0, "{compared} {unchanged} {told_new}");
    eprintln!("{compared} functions compared, {unchanged} unchanged, {told_new} with something new");
}
