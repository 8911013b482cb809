//! The plan of the house, held to by its source text: who uses whom, which crates stay in which room, and what the library
//! never does. ARCHITECTURE.md tells the reasons.
//!
//! Each rule is a function from sources to complaints, and has a test that feeds it an offending text, so that a rule that
//! cannot fail is noticed.

#[path = "layering/circles.rs"]
mod circles;
#[path = "layering/tokens.rs"]
mod tokens;

use std::fs;
use std::path::Path;

use tokens::Token;

/// The rooms outside of the library: they read files, print, and decide the exit code.
const EDGE: [&str; 2] = ["cli", "main"];

/// Crates, and the only rooms that may say their names.
const RESERVED: [(&str, &[&str]); 17] = [
    // Tests ask it about what the checker writes.
    ("batsat", &["bitvec", "certify", "tests"]),
    ("biodivine_lib_bdd", &["bdd"]),
    ("anyhow", &EDGE),
    ("clap", &EDGE),
    ("clap_complete", &EDGE),
    ("clap_mangen", &EDGE),
    ("signal_hook", &EDGE),
    ("indicatif", &EDGE),
    ("annotate_snippets", &["report"]),
    ("serde_sarif", &["report"]),
    ("quick_junit", &["report"]),
    ("lang_c", &["c"]),
    ("dagre", &["picture"]),
    ("toml", &EDGE),
    ("serde_saphyr", &EDGE),
    ("lsp_server", &EDGE),
    ("gen_lsp_types", &EDGE),
];

/// The crates below the command's, each with a folder of rooms under `src`, in order: a crate uses only those before it.
const CRATES: [&str; 2] = ["engine", "programs"];

/// What the judge of runs may use: it shares nothing with the search.
const JUDGE: (&str, [&str; 5]) = ("replay", ["run", "options", "ltl", "spds_format", "num_bigint"]);

/// What the judge of C programs may use: the programs, and nothing that looks for runs.
const JUDGE_OF_C: (&str, [&str; 5]) = ("interpreter", ["c", "limits", "random", "spds_format", "rustc_hash"]);

/// What the checker of certificates may use: the model, what a certificate is, the package for relations, and a SAT solver. It shares nothing with
/// the search, not even what rules mean.
const CHECKER: (&str, [&str; 7]) =
    ("certify", ["bdd", "certificate", "limits", "spds_format", "rustc_hash", "petgraph", "batsat"]);

/// What a certificate may be made of.
const CERTIFICATE: (&str, [&str; 4]) = ("certificate", ["options", "spds_format", "rustc_hash", "serde_json"]);

/// What a system may be made of that owes a formula, of which certificates of formulas are: as little as for the judge of runs.
const WATCHED: (&str, [&str; 4]) = ("watched", ["options", "ltl", "spds_format", "rustc_hash"]);

/// What the judge may use of formulas: what they are, what their propositions mean, what an automaton looks like; nothing
/// that turns the one into the other.
const JUDGE_OF_LTL: [&str; 9] =
    ["formula", "atoms", "automaton", "Formula", "Formulas", "Ltl", "Buchi", "Violations", "Specified"];

/// What the judge may use of the choices: which runs count, which is part of the question.
const JUDGE_OF_OPTIONS: [&str; 1] = ["Runs"];

/// The path of a file inside its crate.
fn inside(path: &str) -> &str {
    let path = path.split_once("src/").map_or(path, |(_, inner)| inner);
    let room = CRATES.iter().find_map(|name| path.strip_prefix(name)?.strip_prefix('/'));
    room.unwrap_or(path)
}

/// A source file.
struct Source {
    /// Where it lies, for messages.
    path: String,
    /// The module below the crate's root that it belongs to.
    room: String,
    /// How many modules deep it lies below the crate's root.
    depth: usize,
    tokens: Vec<Token>,
}

impl Source {
    fn new(path: &str, text: &str) -> Source {
        let inner = inside(path).trim_end_matches(".rs").trim_end_matches("/mod");
        let room = inner.split('/').next().unwrap_or(inner).to_owned();
        Source { path: path.to_owned(), room, depth: inner.split('/').count(), tokens: tokens::tokens(text) }
    }

    fn at_edge(&self) -> bool {
        EDGE.contains(&self.room.as_str())
    }

    fn complain(&self, at: usize, what: &str) -> String {
        format!("{}:{}: {what}", self.path, self.tokens[at].line)
    }

    /// Where these tokens follow each other.
    fn occurrences(&self, wanted: &[&str]) -> Vec<usize> {
        let windows = self.tokens.windows(wanted.len());
        let found = windows.enumerate().filter(|(_, window)| window.iter().zip(wanted).all(|(a, b)| a.text == *b));
        found.map(|(at, _)| at).collect()
    }

    /// The rooms of this crate that the file names, by `crate::` or by enough `super::`, and where.
    fn rooms_used(&self) -> Vec<(usize, String)> {
        let mut used = Vec::new();
        for at in 0..self.tokens.len() {
            if at > 0 && self.tokens[at - 1].text == "::" {
                continue;
            }
            let mut after = at;
            let mut up = 0;
            if self.tokens[at].text == "crate" && self.text(at + 1) == "::" {
                (up, after) = (self.depth, at + 2);
            }
            while self.text(after) == "super" && self.text(after + 1) == "::" {
                up += 1;
                after += 2;
            }
            if up == self.depth && after > at {
                used.extend(self.first_names(after));
            }
        }
        used
    }

    /// The name here, or those that a group in braces begins with.
    fn first_names(&self, at: usize) -> Vec<(usize, String)> {
        if self.text(at) != "{" {
            return vec![(at, self.text(at).to_owned())];
        }
        let mut names = Vec::new();
        let (mut depth, mut here) = (0, at);
        loop {
            match self.text(here) {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            if depth == 1 && matches!(self.text(here), "{" | ",") && !matches!(self.text(here + 1), "}" | ",") {
                names.push((here + 1, self.text(here + 1).to_owned()));
            }
            here += 1;
            if depth == 0 || here >= self.tokens.len() {
                return names;
            }
        }
    }

    /// The paths that begin with `crate`, `super` or `self`, each in a group for itself.
    fn paths(&self) -> Vec<Vec<String>> {
        let begins = |at: &usize| matches!(self.text(*at), "crate" | "super" | "self") && self.text(at + 1) == "::";
        let within = |at: &usize| *at > 0 && self.text(at - 1) == "::";
        let first = (0..self.tokens.len()).filter(|at| begins(at) && !within(at));
        let mut open: Vec<(usize, Vec<String>)> = first.map(|at| (at, Vec::new())).collect();
        let mut paths = Vec::new();
        while let Some((mut at, mut path)) = open.pop() {
            while !matches!(self.text(at), "{" | "") && self.text(at + 1) == "::" {
                path.push(self.text(at).to_owned());
                at += 2;
            }
            if self.text(at) == "{" {
                open.extend(self.first_names(at).into_iter().map(|(at, _)| (at, path.clone())));
            } else {
                path.push(self.text(at).to_owned());
                paths.push(path);
            }
        }
        paths
    }

    fn text(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| token.text.as_str())
    }
}

/// A module uses only those above it in lib.rs, and every file belongs to a module that is listed there.
fn order(sources: &[Source], rooms: &[String]) -> Vec<String> {
    let place = |name: &str| rooms.iter().position(|room| room == name);
    let mut complaints = Vec::new();
    for source in sources.iter().filter(|source| source.room != "lib" && !source.at_edge()) {
        // The edge calls the library as others do; inside, that name would hide who uses whom.
        let outside = source.occurrences(&["puch", "::"]).into_iter();
        let others = CRATES.iter().flat_map(|name| source.occurrences(&[&format!("puch_{name}"), "::"]));
        complaints.extend(outside.chain(others).map(|at| source.complain(at, "inside the library it is `crate::`")));
        let Some(own) = place(&source.room) else {
            complaints.push(format!("{}: lib.rs does not list the module `{}`", source.path, source.room));
            continue;
        };
        for (at, name) in source.rooms_used() {
            if place(&name).is_some_and(|other| other > own) {
                complaints.push(source.complain(at, &format!("`{}` uses `{name}`, which comes after it", source.room)));
            }
        }
    }
    complaints
}

/// Circles of files inside a room that there may be: types that are made of each other, and readers of one language.
const CIRCLES: [&[&str]; 4] = [
    &["ltl/automaton", "ltl/components"],
    &["moped_pds/relation", "moped_pds/targets"],
    &["pds/blocked", "pds/delta", "pds/encode"],
    &[
        "remopla/expression",
        "remopla/parser",
        "remopla/predicate",
        "remopla/program",
        "remopla/reference",
        "remopla/statement",
        "remopla/types",
    ],
];

/// Files name each other in a circle only inside a room, and only where that is known.
fn open(sources: &[Source]) -> Vec<String> {
    let found = circles::circles(sources).into_iter();
    let unknown = found.filter(|circle| !CIRCLES.contains(&&circle.iter().map(String::as_str).collect::<Vec<_>>()[..]));
    unknown.map(|circle| format!("these files name each other in a circle: {}", circle.join(", "))).collect()
}

/// A reserved crate is named only in its rooms.
fn reserved(sources: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources {
        for (name, rooms) in RESERVED.iter().filter(|(_, rooms)| !rooms.contains(&source.room.as_str())) {
            for at in source.occurrences(&[name]) {
                complaints.push(source.complain(at, &format!("`{name}` is reserved to {}", rooms.join(", "))));
            }
        }
        for (at, token) in source.tokens.iter().enumerate() {
            if token.text.to_lowercase().contains("tarjan") {
                complaints.push(source.complain(at, "components are found by `kosaraju_scc`, which does not recurse"));
            }
        }
    }
    complaints
}

/// The library prints nothing, reads no files, never exits, and keeps no state between calls.
fn quiet(sources: &[Source]) -> Vec<String> {
    const NEVER: [(&[&str], &str); 15] = [
        (&["println", "!"], "the library prints nothing"),
        (&["print", "!"], "the library prints nothing"),
        (&["eprintln", "!"], "the library prints nothing"),
        (&["eprint", "!"], "the library prints nothing"),
        (&["dbg", "!"], "the library prints nothing"),
        (&["stdout"], "the library prints nothing"),
        (&["stderr"], "the library prints nothing"),
        (&["stdin"], "the library reads no files"),
        (&["fs", "::"], "the library reads no files"),
        (&["std", "::", "fs"], "the library reads no files"),
        (&["File", "::"], "the library reads no files"),
        (&["std", "::", "env"], "the library does not look at its surroundings"),
        (&["std", "::", "process"], "the library never exits"),
        (&["static", "mut"], "the library has no global state"),
        (&["thread_local", "!"], "the library has no global state"),
    ];
    let mut complaints = Vec::new();
    for source in sources.iter().filter(|source| !source.at_edge()) {
        for (wanted, what) in NEVER {
            complaints.extend(source.occurrences(wanted).into_iter().map(|at| source.complain(at, what)));
        }
        for at in source.occurrences(&["static"]) {
            let end = (at..source.tokens.len()).find(|&end| source.text(end) == ";").unwrap_or(at);
            let changes = |word: &str| {
                ["Atomic", "Mutex", "RwLock", "Once", "Lazy", "Cell"].iter().any(|kind| word.starts_with(kind))
            };
            if (at..end).any(|at| changes(source.text(at))) {
                complaints.push(source.complain(at, "the library has no global state"));
            }
        }
    }
    complaints
}

/// No panics of convenience: no `unwrap()`, no unfinished code, nothing unsafe.
fn finished(sources: &[Source]) -> Vec<String> {
    const NEVER: [(&[&str], &str); 5] = [
        (&[".", "unwrap", "(", ")"], "say by `expect` why this cannot happen, or return an error"),
        (&["todo", "!"], "unfinished"),
        (&["unimplemented", "!"], "unfinished"),
        (&["unsafe", "{"], "`unsafe` is forbidden"),
        (&["unsafe", "fn"], "`unsafe` is forbidden"),
    ];
    let mut complaints = Vec::new();
    for source in sources {
        for (wanted, what) in NEVER {
            complaints.extend(source.occurrences(wanted).into_iter().map(|at| source.complain(at, what)));
        }
    }
    complaints
}

/// The judge uses the types of a run, of a system, of formulas and explicit automata, and nothing of the search; no crate
/// but that of the model and numbers of any size.
fn judge(sources: &[Source], rooms: &[String], crates: &[String]) -> Vec<String> {
    let mut complaints = Vec::new();
    for source in sources {
        let (judge, allowed) = match source.room.as_str() {
            room if room == JUDGE.0 => (JUDGE.0, &JUDGE.1[..]),
            room if room == JUDGE_OF_C.0 => (JUDGE_OF_C.0, &JUDGE_OF_C.1[..]),
            room if room == CHECKER.0 => (CHECKER.0, &CHECKER.1[..]),
            room if room == CERTIFICATE.0 => (CERTIFICATE.0, &CERTIFICATE.1[..]),
            room if room == WATCHED.0 => (WATCHED.0, &WATCHED.1[..]),
            _ => continue,
        };
        let inner = source.rooms_used().into_iter().filter(|(_, name)| rooms.contains(name));
        let outer = source.tokens.iter().enumerate().filter(|(at, _)| source.text(at + 1) == "::");
        let outer = outer.map(|(at, token)| (at, token.text.clone())).filter(|(_, name)| crates.contains(name));
        for (at, name) in inner.chain(outer) {
            if name != judge && !allowed.contains(&name.as_str()) {
                complaints.push(source.complain(at, &format!("the judge uses `{name}`")));
            }
        }
        for (room, parts) in [("ltl", &JUDGE_OF_LTL[..]), ("options", &JUDGE_OF_OPTIONS[..])] {
            let named = source.occurrences(&[room, "::"]).into_iter().flat_map(|at| source.first_names(at + 2));
            for (at, name) in named.filter(|(_, name)| !parts.contains(&name.as_str())) {
                complaints.push(source.complain(at, &format!("the judge uses `{room}::{name}`")));
            }
        }
    }
    complaints
}

/// Every dependency is in the table of ARCHITECTURE.md, with its reason, and the table has no others.
fn explained(crates: &[String], architecture: &str) -> Vec<String> {
    let table = architecture.split("## Dependencies").nth(1).unwrap_or("");
    let table = table.split("\n## ").next().unwrap_or("");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let named: Vec<String> = rows.map(|name| name.replace('-', "_")).collect();
    let missing = crates.iter().filter(|name| !named.contains(name));
    let missing = missing.map(|name| format!("ARCHITECTURE.md gives no reason for the dependency `{name}`"));
    let stale = named.iter().filter(|name| !crates.contains(name));
    missing.chain(stale.map(|name| format!("ARCHITECTURE.md explains `{name}`, which is no dependency"))).collect()
}

/// Every module of lib.rs is in the table of rooms, in the same order.
fn described(rooms: &[String], architecture: &str) -> Vec<String> {
    let table = architecture.split("| room |").nth(1).unwrap_or("");
    let table = table.split("\n\n").next().unwrap_or("");
    let rows: Vec<&str> = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let place = |room: &String| rows.iter().position(|row| row == room);
    let missing = rooms.iter().filter(|room| place(room).is_none());
    let missing = missing.map(|room| format!("ARCHITECTURE.md does not say what the room `{room}` is for"));
    let swapped = rooms.windows(2).filter(|pair| place(&pair[0]) > place(&pair[1]) && place(&pair[1]).is_some());
    missing.chain(swapped.map(|pair| format!("ARCHITECTURE.md has `{}` before `{}`", pair[1], pair[0]))).collect()
}

/// The modules in the order of the crates and of what they list.
fn rooms() -> Vec<String> {
    let libraries = CRATES.iter().map(|name| format!("src/{name}/lib.rs")).chain(["src/lib.rs".to_owned()]);
    libraries.flat_map(|library| listed(&read(&library))).collect()
}

/// The modules that a library lists, in order. (The command's has the crates below it as modules where everything is one crate.)
fn listed(library: &str) -> Vec<String> {
    let tokens = tokens::tokens(library);
    let names = tokens.windows(3).filter(|window| window[0].text == "mod" && window[2].text == ";");
    let names = names.map(|window| window[1].text.clone());
    names.filter(|name| !CRATES.contains(&name.as_str())).collect()
}

/// What the crates of the house depend on, but for each other.
fn all_dependencies() -> Vec<String> {
    let manifests = CRATES.iter().map(|name| format!("src/{name}/Cargo.toml")).chain(["Cargo.toml".to_owned()]);
    let mut names: Vec<String> = manifests.flat_map(|manifest| dependencies(&read(&manifest))).collect();
    names.retain(|name| !CRATES.iter().any(|own| *name == format!("puch_{own}")));
    names.sort();
    names.dedup();
    names
}

/// The names, as code spells them, under `[dependencies]` and `[dev-dependencies]` of a manifest.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line == "[dependencies]" || line == "[dev-dependencies]";
        } else if let (true, Some((name, _))) = (inside, line.split_once('=')) {
            names.push(name.trim().trim_end_matches(".workspace").replace('-', "_"));
        }
    }
    names
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All sources under a folder, in the order of their paths, without modules for tests.
fn sources(folder: &str) -> Vec<Source> {
    let mut sources = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(root().join(&folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
        let mut files = Vec::new();
        let mut for_tests = Vec::new();
        for entry in entries {
            let entry = entry.expect("an entry of a folder that can be read");
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.ends_with(".rs") {
                let text = read(&path);
                let below = path.trim_end_matches(".rs").trim_end_matches("/mod").trim_end_matches("/lib");
                let names = tokens::test_modules(&text);
                for_tests.extend(
                    names.iter().flat_map(|name| [format!("{below}/{name}.rs"), format!("{folder}/{name}.rs")]),
                );
                files.push((path, text));
            }
        }
        for (path, text) in files {
            if !for_tests.contains(&path) && !path.ends_with("/tests.rs") {
                sources.push(Source::new(&path, &text));
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    sources
}

fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn modules_use_only_those_above_them() {
    assert_none(&order(&sources("src"), &rooms()));
}

#[test]
fn files_name_each_other_in_no_new_circles() {
    let sources = sources("src");
    assert_none(&open(&sources));
    assert_eq!(circles::circles(&sources).len(), CIRCLES.len(), "a circle is gone: strike it from the list");
}

#[test]
fn crates_stay_in_their_rooms() {
    assert_none(&reserved(&sources("src")));
    for folder in ["tests", "benches", "examples", "spds-format/src"] {
        assert_none(&reserved(&sources(folder)));
    }
}

#[test]
fn the_library_is_quiet() {
    assert_none(&quiet(&sources("src")));
    assert_none(&quiet(&sources("spds-format/src")));
}

#[test]
fn nothing_is_unfinished() {
    assert_none(&finished(&sources("src")));
    assert_none(&finished(&sources("spds-format/src")));
}

#[test]
fn the_judge_shares_nothing_with_the_search() {
    let crates = all_dependencies();
    assert_none(&judge(&sources("src"), &rooms(), &crates));
}

#[test]
fn the_format_needs_little_else() {
    let crates = dependencies(&read("spds-format/Cargo.toml"));
    assert_eq!(crates, ["nom"], "spds-format is to be used without puch");
}

#[test]
fn every_dependency_has_a_reason() {
    assert_none(&explained(&all_dependencies(), &read("ARCHITECTURE.md")));
}

#[test]
fn every_room_is_described() {
    assert_none(&described(&rooms(), &read("ARCHITECTURE.md")));
}

/// The test programs that are no crate's, or that of several: nobody finds them but by these lists.
fn unlisted(files: &[String], manifests: &str) -> Vec<String> {
    let times = |file: &String| {
        let own = format!("path = \"{file}\"");
        let below = format!("path = \"../../{file}\"");
        manifests.lines().filter(|line| *line == own || *line == below).count()
    };
    let wrong = files.iter().filter(|file| times(file) != 1);
    wrong.map(|file| format!("{file} is listed by {} of the manifests of the crates", times(file))).collect()
}

#[test]
fn every_test_belongs_to_one_crate() {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join("tests")).expect("there are tests") {
        let entry = entry.expect("an entry of a folder that can be read");
        let name = format!("tests/{}", entry.file_name().to_string_lossy());
        if name.ends_with(".rs") {
            files.push(name);
        } else if entry.path().join("main.rs").exists() {
            files.push(format!("{name}/main.rs"));
        }
    }
    assert!(files.len() > 90, "{files:?}");
    let manifests = ["Cargo.toml", "src/engine/Cargo.toml", "src/programs/Cargo.toml"].map(read).join("\n");
    assert_none(&unlisted(&files, &manifests));
}

mod each_rule_can_fail {
    use super::*;

    #[test]
    fn unlisted() {
        let files = names(&["tests/a.rs", "tests/b/main.rs", "tests/c.rs"]);
        let manifests = "path = \"tests/a.rs\"\npath = \"../../tests/b/main.rs\"\npath = \"tests/b/main.rs\"\n";
        assert_eq!(super::unlisted(&files, manifests).len(), 2);
    }

    fn names(list: &[&str]) -> Vec<String> {
        list.iter().map(|name| (*name).to_owned()).collect()
    }

    /// Asserts that the rule complains about each of these texts, once, on line 2, and not about the last one.
    fn catches(path: &str, rule: impl Fn(&[Source]) -> Vec<String>, offending: &[&str], innocent: &str) {
        for line in offending {
            let complaints = rule(&[Source::new(path, &format!("//! Text.\n{line}\n"))]);
            assert!(!complaints.is_empty(), "no complaint about: {line}");
            assert!(complaints.iter().all(|text| text.starts_with(&format!("{path}:2: "))), "{complaints:?}");
        }
        assert_none(&rule(&[Source::new(path, innocent)]));
    }

    #[test]
    fn order() {
        let rooms = names(&["run", "bdd", "pds", "check"]);
        let rule = |sources: &[Source]| super::order(sources, &rooms);
        let offending = ["use crate::check::Options;", "use crate::{bdd::Space, pds::{self, Rule}, check};"];
        catches("src/pds.rs", rule, &["use puch::check::Options;", "use puch_engine::bdd;"], "//! puch::check");
        catches("src/engine/pds/rule.rs", rule, &["use super::super::check;"], "use super::check;");
        catches("src/pds.rs", rule, &offending, "use crate::{bdd::Space, run}; // crate::check\nuse crate::pds::Rule;");
        catches("src/pds/mod.rs", rule, &["use super::check;", "fn f() { super::check::g(); }"], "use super::bdd;");
        catches("src/pds/rule.rs", rule, &["use super::super::check;"], "use super::check;\nuse self::check::x;");
        assert_none(&rule(&[Source::new("src/cli/mod.rs", "use crate::check;")]));
        assert_eq!(rule(&[Source::new("src/attic.rs", "")]).len(), 1, "a module that is nowhere listed");
    }

    #[test]
    fn open() {
        let house = |here: &str, there: &str| {
            [
                ("bdd/mod", "pub mod order;"),
                ("bdd/order", here),
                ("bdd/nodes", there),
                ("run", "use crate::bdd::nodes;"),
            ]
            .map(|(name, text)| Source::new(&format!("src/{name}.rs"), text))
        };
        assert_none(&super::open(&house("use super::Space;", "use super::{Space, order::{Order, by::force}};")));
        for back in [
            "use super::nodes::Node;",
            "use crate::bdd::{Space, nodes};",
            "fn f() { super::nodes::g() }",
            "use crate::run;",
        ] {
            let complaints = super::open(&house(back, "use super::{Space, order::{Order, by::force}};"));
            assert_eq!(complaints.len(), 1, "{back}: {complaints:?}");
        }
    }

    #[test]
    fn reserved() {
        let offending =
            ["use biodivine_lib_bdd::Bdd;", "let x = biodivine_lib_bdd::Bdd::new();", "use anyhow::Context;"];
        catches(
            "src/check.rs",
            super::reserved,
            &offending,
            "let engine = Engine::Shared; // biodivine_lib_bdd, anyhow",
        );
        catches("src/bdd/mod.rs", super::reserved, &["use clap::Parser;"], "use biodivine_lib_bdd::Bdd;");
        catches("src/cli/mod.rs", super::reserved, &["use biodivine_lib_bdd::Bdd;"], "use clap::Parser;");
        catches(
            "src/heads.rs",
            super::reserved,
            &["use petgraph::algo::tarjan_scc;"],
            "use petgraph::algo::kosaraju_scc;",
        );
    }

    #[test]
    fn quiet() {
        let offending = [
            "fn f() { println!(\"x\"); }",
            "fn f() { eprintln!(\"x\"); }",
            "fn f() { dbg!(x); }",
            "use std::fs;",
            "use std::fs::File;",
            "fn f() { std::process::exit(1) }",
            "fn f() { std::io::stdout().write_all(b\"x\"); }",
            "static mut COUNT: u32 = 0;",
            "static COUNT: AtomicU32 = AtomicU32::new(0);",
            "static TABLE: std::sync::OnceLock<u32> = OnceLock::new();",
            "thread_local! { static X: u32 = 0; }",
        ];
        let innocent = "/// println!\nfn f(x: &'static str) -> &'static str { \"println!\" }\n\
                        static NAMES: [&str; 1] = [\"x\"];\n#[cfg(test)]\nmod tests { fn f() { println!(); } }";
        catches("src/check.rs", super::quiet, &offending, innocent);
        assert_none(&super::quiet(&[Source::new("src/cli/mod.rs", "fn f() { println!(); std::process::exit(1) }")]));
    }

    #[test]
    fn finished() {
        let offending =
            ["fn f() { x.unwrap(); }", "fn f() { todo!() }", "fn f() { unimplemented!() }", "unsafe fn f() {}"];
        let innocent =
            "fn f() { x.expect(\"why\"); x.unwrap_or(1); }\n#[cfg(test)]\nmod tests { fn f() { x.unwrap(); } }";
        catches("src/check.rs", super::finished, &offending, innocent);
    }

    #[test]
    fn judge() {
        let rooms = names(&["limits", "options", "run", "bdd", "ltl", "witness", "replay"]);
        let crates = names(&["spds_format", "rustc_hash", "petgraph"]);
        let rule = |sources: &[Source]| super::judge(sources, &rooms, &crates);
        let offending = ["use crate::bdd::Space;", "use crate::{run, witness};", "use rustc_hash::FxHashMap;"];
        let innocent =
            "use std::rc::Rc;\nuse crate::run::Run;\nuse spds_format::model::Spds;\nuse crate::replay::step;";
        catches("src/replay.rs", rule, &offending, innocent);
        catches("src/replay/step.rs", rule, &["use super::super::bdd;"], "use super::bdd;");
        let offending = ["use crate::ltl::translate;", "use crate::ltl::{Buchi, hoa};", "use crate::options::Options;"];
        let innocent = "use crate::ltl::{Buchi, automaton::Edge};\nuse crate::options::Runs;";
        catches("src/replay/violates.rs", rule, &offending, innocent);
        let offending = ["use crate::witness::Path;", "use crate::{bdd::Space, run};", "use crate::options::Runs;"];
        catches("src/certify/sets.rs", rule, &offending, "use crate::bdd::Space;\nuse crate::limits::Stop;");
        assert_none(&rule(&[Source::new("src/witness.rs", "use crate::bdd::Space;")]));
    }

    #[test]
    fn described() {
        let table = "| room | for |\n|---|---|\n| `run` | x |\n| `bdd` | x |\n\n| `pds` | another table |\n";
        assert_none(&super::described(&names(&["run", "bdd"]), table));
        assert_eq!(super::described(&names(&["run", "bdd", "pds"]), table).len(), 1);
        assert_eq!(super::described(&names(&["bdd", "run"]), table).len(), 1);
    }

    #[test]
    fn explained() {
        let table =
            "# House\n| `old` | before |\n## Dependencies\n| `serde-json` | output |\n| `nom` | input |\n## More\n";
        assert_none(&super::explained(&names(&["serde_json", "nom"]), table));
        assert_eq!(super::explained(&names(&["serde_json", "nom", "clap"]), table).len(), 1);
        assert_eq!(super::explained(&names(&["nom"]), table).len(), 1);
    }

    #[test]
    fn readers_of_manifests_and_of_lib() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\na-b = \"1\"\nc = { path = \"c\" }\n[dev-dependencies]\nd = \"1\"\n[profile.dev]\nopt-level = 1\n";
        assert_eq!(dependencies(manifest), ["a_b", "c", "d"]);
        assert_eq!(listed("//! mod no;\npub mod run;\n\nmod bdd;\npub mod check { }\nmod engine;\n"), ["run", "bdd"]);
    }
}
