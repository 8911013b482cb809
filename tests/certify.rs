//! `puch check --certificate`, `--verify` and `puch certify`; and the checker in Python, which shares nothing with puch.

#[allow(dead_code, reason = "the command checks")]
#[path = "support/both_ways.rs"]
mod both_ways;
mod oracle;
mod shell;
mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use puch::certificate::{Claim, Kind, write};
use puch::certify::{Found, certify};
use puch::check::Options;
use puch::evidence::certificate;
use puch::limits::Limits;
use shell::{code, puch, scratch, stderr, stdout};
use spds_format::Spds;
use spds_format::model::{ControlId, Head, Scalar, SymbolId};
use support::systems::{Features, Sizes, sized};

const LOCK: &str = "examples/lock.bp";

/// The path of a file in a directory, as an argument.
fn path(directory: &Path, name: &str) -> String {
    directory.join(name).to_str().expect("a plain name").to_owned()
}

#[test]
fn what_check_writes_is_proved_by_certify() {
    let directory = scratch("certify_proves");
    let file = path(&directory, "all");
    let asked: [&[&str]; 10] = [
        &["examples/lock.bp", "--ltl", "G (DONE -> !held)"],
        &["examples/lock.bp", "--ltl", "G (@call(acquire) -> X @entry(acquire))", "--runs", "stutter"],
        &["examples/termination/countdown.bp", "--ltl", "F @end", "--runs", "maximal"],
        &["examples/termination/countdown.bp", "--ltl", "G F false", "--runs", "infinite"],
        &["examples/termination/countdown.bp", "--termination"],
        &["examples/lock.bp", "--assertions"],
        &["examples/fig1.bp", "--reach", "R", "--assume", "!g"],
        &["examples/quicksort/quicksort.rem", "--reach", "NO"],
        &["examples/pds/counter.pds", "--assertions"],
        &["examples/lock.bp", "--reach", "<@at(acquire) @at(acquire) .*>"],
    ];
    for asked in asked.into_iter().filter(|asked| Path::new(asked[0]).exists()) {
        for more in
            [&[][..], &["--engine", "pre"], &["--bdd", "shared", "--no-slice"], &["--live", "off", "--blocks", "off"]]
        {
            let made = puch([&["check"], asked, more, &["--certificate", &file, "--verify"]].concat());
            if code(&made) != 0 {
                assert_eq!(code(&made), 2, "{}", stderr(&made));
                continue;
            }
            let assume = asked.iter().position(|word| *word == "--assume").map_or(&[][..], |at| &asked[at..at + 2]);
            let checked = puch([&["certify", asked[0], &file], assume].concat());
            assert_eq!((code(&checked), &*stderr(&checked)), (0, ""), "{asked:?} {more:?}");
            assert!(stdout(&checked).starts_with("proved: "));
            let formula = path(&directory, "formula");
            let again = puch([&["certify", asked[0], &file, "--with", "sat", "--dimacs", &formula], assume].concat());
            assert_eq!((code(&again), stdout(&again)), (0, stdout(&checked)), "{asked:?} {more:?}");
            assert!(!both_ways::is_satisfiable(&fs::read_to_string(&formula).expect("it was written")));
        }
    }
}

#[test]
fn certificates_about_automata_want_to_be_given_them() {
    let directory = scratch("certify_automata");
    let (program, file) = (path(&directory, "p.bp"), path(&directory, "c"));
    let (hoa, other, never) = (path(&directory, "a.hoa"), path(&directory, "b.hoa"), path(&directory, "n.never"));
    fs::write(&program, "decl g; void main() begin g := 0; L: skip; while (*) do g := !g; g := !g; od E: skip; end")
        .expect("writable");
    let body = |acceptance: &str, mark: &str| {
        format!(
            "HOA: v1\nStates: 2\nStart: 0\nAP: 2 \"L\" \"g\"\nAcceptance: {acceptance}\n--BODY--\n\
             State: 0 [t] 0 [0&1] 1\nState: 1 [t] 1 {mark}\n--END--\n"
        )
    };
    fs::write(&hoa, body("1 Inf(0)", "{0}")).expect("writable");
    fs::write(&other, body("2 Inf(0)&Inf(1)", "{0 1}")).expect("writable");
    fs::write(&never, "never { /* F (L & g) */\nT0_init:\n if\n :: (L && g) -> goto accept_all\n :: (1) -> goto T0_init\n fi;\naccept_all:\n skip\n}\n").expect("writable");
    for (option, automaton) in [("--automaton", &hoa), ("--automaton", &other), ("--never", &never)] {
        for runs in ["maximal", "infinite", "stutter"] {
            let made = puch(["check", &program, option, automaton, "--runs", runs, "--certificate", &file, "--verify"]);
            assert_eq!((code(&made), &*stderr(&made)), (0, ""), "{}", stdout(&made));
            let checked = puch(["certify", &program, &file, option, automaton]);
            let expected = format!("proved: no run is accepted by {automaton}\n");
            assert_eq!((code(&checked), stdout(&checked)), (0, expected), "{}", stderr(&checked));
            let told = puch(["certify", &program, &file]);
            assert!(code(&told) == 2 && stderr(&told).contains("give it with `--automaton`"), "{}", stderr(&told));
            let wrong = if automaton == &hoa { &other } else { &hoa };
            let told = puch(["certify", &program, &file, "--automaton", wrong]);
            assert!(code(&told) == 2 && stderr(&told).contains("what is given has others"), "{}", stderr(&told));
        }
    }
}

#[test]
fn what_is_not_reached_from_a_set_is_certified_and_proved() {
    let directory = scratch("certify_sets");
    let (program, file) = (path(&directory, "p.bp"), path(&directory, "c"));
    let text =
        "decl g; void f() begin L: if (g) then f(); M: skip; fi N: skip; end void main() begin f(); E: skip; end";
    fs::write(&program, text).expect("writable");
    // Whoever begins without g does not call, and has below him what lay there.
    let (from, never, again) = ("<f:L[!g] (f:M)* main:E>", "<f:L[g] .*>", "<f:N (f:M)* main:E>");
    let asked = ["post", &program, "--from", from, "--meets", never, "--meets", again, "--certificate", &file];
    let made = puch(asked);
    assert_eq!(code(&made), 1, "{}", stderr(&made));
    let told = format!("meets {never}: no\nmeets {again}: yes\n");
    assert_eq!(stdout(&made), told, "{}", stderr(&made));
    for with in ["bdd", "sat"] {
        let checked = puch(["certify", &program, &file, "--with", with]);
        let proved = format!("proved: {never} is unreachable from {from}\n");
        assert_eq!((code(&checked), stdout(&checked)), (0, proved), "{}", stderr(&checked));
    }
    // Of what is said of fewer or other configurations nothing is proved.
    let text = fs::read_to_string(&file).expect("it was written");
    fs::write(&file, text.replace("!g", "g")).expect("writable");
    let checked = puch(["certify", &program, &file]);
    assert_eq!(code(&checked), 1, "{}", stderr(&checked));
    fs::write(&file, text.replace(" from ", " form ")).expect("writable");
    assert_eq!(code(&puch(["certify", &program, &file])), 2);
    let alone = puch(["post", &program, "--meets", never, "--certificate", &file]);
    assert!(code(&alone) == 2 && stderr(&alone).contains("--from"), "{}", stderr(&alone));
}

#[test]
fn several_properties_have_a_certificate_each() {
    let directory = scratch("certify_several");
    let (program, file) = (path(&directory, "p.bp"), path(&directory, "c"));
    fs::write(
        &program,
        "void main() begin decl x; x := 0; A: assert(!x); if (x) then B: skip; C: skip; fi D: skip; end",
    )
    .expect("writable");
    let made = puch([
        "check",
        &program,
        "--assertions",
        "--reach",
        "B",
        "--reach",
        "D",
        "--reach",
        "C",
        "--termination",
        "--ltl",
        "F D",
        "--certificate",
        &file,
    ]);
    assert_eq!(code(&made), 1);
    let checked = puch(["certify", &program, &file]);
    let expected = "proved: assertions hold\nproved: B is unreachable\nproved: C is unreachable\nproved: termination holds\n\
                    proved: every run satisfies F D\n";
    assert_eq!((code(&checked), &*stdout(&checked)), (0, expected));
}

#[test]
fn verified_verdicts_say_so() {
    let json = |arguments: &[&str]| {
        let told = puch([&["check"], arguments, &["--format", "json"]].concat());
        serde_json::from_str::<serde_json::Value>(&stdout(&told)).expect("JSON")["results"].clone()
    };
    assert_eq!(json(&[LOCK, "--verify"])[0]["verified"], true);
    assert_eq!(json(&[LOCK])[0]["verified"], true);
    // What formulas owe makes large certificates.
    let results = json(&[LOCK, "--ltl", "G (DONE -> !held)", "--assertions"]);
    assert_eq!((&results[0]["verdict"], &results[0]["verified"]), (&"holds".into(), &serde_json::Value::Null));
    assert_eq!((&results[1]["verdict"], &results[1]["verified"]), (&"holds".into(), &true.into()));
    assert!(json(&[LOCK, "--no-verify"])[0]["verified"].is_null());
    assert!(json(&["examples/lock_faulty.bp", "--verify"])[0]["verified"].is_null());
    let results = json(&[LOCK, "--ltl", "G (DONE -> !held)", "--assertions", "--verify"]);
    assert_eq!((&results[1]["verdict"], &results[1]["verified"]), (&"holds".into(), &true.into()));
    assert_eq!((&results[0]["verdict"], &results[0]["verified"]), (&"holds".into(), &true.into()));
}

/// Step by step this would be as many turns as there are values of the integers, in each loop.
#[test]
fn loops_in_loops_and_in_recursion_over_eight_bits_are_certified() {
    let directory = scratch("certify_nested");
    let text = fs::read_to_string("examples/quicksort/corrected.rem").expect("it is there");
    let recursive = text.replace("define BITS 4", "define BITS 8");
    assert_ne!(recursive, text);
    let nested = "define DEFAULT_INT_BITS 8
        init main;
        module void main() {
          int i; int j; int k;
          i = 0;
          do
          :: i < 200 ->
             j = i;
             do
             :: j > 0 ->
                k = 0;
                do
                :: k < j -> k = k + 1;
                :: else -> break;
                od
                j = j - 1;
             :: else -> break;
             od
             i = i + 1;
          :: else -> break;
          od
        }";
    for (name, text) in [("recursive.rem", &*recursive), ("nested.rem", nested)] {
        let (file, made) = (path(&directory, name), path(&directory, "made"));
        fs::write(&file, text).expect("writable");
        let told = puch(["check", &file, "--termination", "--verify", "--certificate", &made]);
        assert_eq!((code(&told), &*stderr(&told)), (0, ""), "{name}");
        assert_eq!(code(&puch(["certify", &file, &made])), 0, "{name}");
    }
}

/// Rounds are made without arrays first: an invariant must not bring back what edges then seem to leave as it was.
#[test]
fn an_invariant_about_a_cell_that_a_call_changes_is_no_part_of_rounds_without_arrays() {
    let directory = scratch("certify_cells");
    let file = path(&directory, "cells.spds");
    let text = "spds 1
        global h: u2;
        global a: bool[0..1];
        frame f { l: bool }
        control p;
        symbol main in f;
        symbol sees in f invariant a[0] ^ !l;
        symbol on in f;
        symbol back in f;
        symbol sub in f;
        symbol out in f;
        symbol @end;
        end @end;
        start <p, main @end>;
        rule <p, main> -> <p, sees> when h < 3 { h' := h + 1 };
        rule <p, main> -> <p> when h = 3;
        rule <p, sees> -> <p, sub on>;
        rule <p, on> -> <p, main back> when a[0] = l { l' := * };
        rule <p, on> -> <p> when a[0] != l;
        rule <p, back> -> <p>;
        rule <p, sub> -> <p, out> { a'[0] := * };
        rule <p, out> -> <p>;
        rule <p, @end> -> <p, @end>;";
    fs::write(&file, text).expect("writable");
    let told = puch(["check", &file, "--termination", "--verify"]);
    assert_eq!((code(&told), stdout(&told), stderr(&told)), (0, "termination: holds\n".to_owned(), String::new()));
}

#[test]
fn what_is_no_certificate_of_the_program_is_refused() {
    let directory = scratch("certify_refuses");
    let file = path(&directory, "lock");
    assert_eq!(code(&puch(["check", LOCK, "--certificate", &file])), 0);
    let good = fs::read_to_string(&file).expect("it was written");
    let other = path(&directory, "other");
    let tried = |text: &str| {
        fs::write(&other, text).expect("writable");
        let told = puch(["certify", LOCK, &other]);
        (code(&told), stdout(&told), stderr(&told))
    };
    let at = good.find("fnv1a64 ").expect("it says what it is about") + "fnv1a64 ".len();
    let other_digit = if good[at..].starts_with('0') { "1" } else { "0" };
    let another = [&good[..at], other_digit, &good[at + 1..]].concat();
    let wrong: [(&str, String); 10] = [
        ("no certificate here", String::new()),
        ("begins with `puch-certificate 1`", good.replacen("puch-certificate 1\n", "", 1)),
        ("version `2`", good.replacen("puch-certificate 1", "puch-certificate 2", 1)),
        ("no `end`", good.replace("\nend\n", "\n")),
        ("is no set yet", good.replacen("? 0 : 1", "? 0 : 99", 1)),
        ("no stack symbol `nobody`", good.replacen("\"main/1\"", "\"nobody\"", 1)),
        ("has not all targets", good.replacen("target \"run\" \"@fail\"\n", "", 1)),
        ("of kind `peace`", good.replacen("claim assertions", "claim peace", 1)),
        ("there is none of number 77", good.replacen("now 0", "now 77", 1)),
        ("another text", another),
    ];
    for (why, text) in wrong {
        let (code, out, err) = tried(&text);
        assert_eq!((code, &*out), (2, ""), "{why}: {err}");
        assert!(err.contains(why), "{why}: {err}");
    }
    for cut in (0..good.len()).step_by(7) {
        let (code, ..) = tried(&good[..cut]);
        assert_eq!(code, 2, "{cut}");
    }
    let claim = "claim assertions\n";
    for text in [good.replacen(claim, &[claim, "claim termination\n"].concat(), 1), {
        let about = good.lines().nth(1).expect("it says so");
        good.replacen(&format!("{about}\n"), "", 1).replacen(claim, &format!("{claim}{about}\n"), 1)
    }] {
        let (code, out, err) = tried(&text);
        assert!((code, &*out) == (2, "") && err.contains("says once what it is about"), "{err}");
    }
    let (found, out, _) = tried(&good.replacen("in start 0 : 1", "in start 0 : 0", 1));
    assert_eq!(found, 1);
    assert!(out.starts_with("not proved: assertions hold\n  not covered: at line "), "{out}");
    let formula = path(&directory, "formula");
    let told = puch(["certify", LOCK, &other, "--dimacs", &formula]);
    assert_eq!(code(&told), 1);
    assert!(stdout(&told).starts_with("not proved: assertions hold\n  not covered: at line "), "{}", stdout(&told));
    assert!(both_ways::is_satisfiable(&fs::read_to_string(&formula).expect("it was written")));
}

/// Whether there is Python; if not, a note.
fn python() -> Option<Command> {
    let found = Command::new("python3").arg("--version").output().is_ok_and(|told| told.status.success());
    if !found {
        eprintln!("there is no python3: its checker is not run");
    }
    found.then(|| Command::new("python3"))
}

#[test]
fn the_checker_in_python_says_the_same() {
    let Some(_) = python() else { return };
    let directory = scratch("certify_python");
    let (system, file) = (path(&directory, "s.spds"), path(&directory, "c"));
    let (mut proved, mut refused) = (0, 0);
    let sizes = Sizes { bits: 2, ..Sizes::USUAL };
    let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    for seed in support::seeds(0..12) {
        let spds = sized(seed, Features::ALL, sizes);
        let symbols = (0..spds.symbols.len() as u32).map(SymbolId);
        let heads =
            |symbol| (0..spds.controls.len() as u32).map(move |control| Head { control: ControlId(control), symbol });
        let claims = symbols.map(|symbol| Claim { kind: Kind::Reach("here".into()), targets: heads(symbol).collect() });
        let Some(mut made) =
            claims.filter_map(|claim| certificate(&spds, claim, &options).ok()).max_by_key(|made| made.reached.len())
        else {
            continue;
        };
        fs::write(&system, spds.to_string()).expect("writable");
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..4 {
            let mut text = Vec::new();
            write(&mut text, &spds, &made).expect("a vector takes everything");
            fs::write(&file, text).expect("writable");
            let own = certify(&spds, &made, &limits, None).expect("no limit is met");
            let mut python = python().expect("it is there");
            let told = python.args(["examples/certificates/certify.py", &system, &file]).current_dir(shell::root());
            let told = told.output().expect("it runs");
            let expected = match own {
                Found::Proves => 0,
                Found::Lacks(_) => 1,
                Found::Foreign(_) => break,
            };
            assert_eq!(code(&told), expected, "{seed} {own:?}\n{}{}\n{spds}", stdout(&told), stderr(&told));
            if expected == 0 {
                proved += 1
            } else {
                refused += 1
            }
            if made.reached.is_empty() {
                break;
            }
            let line = rng.usize(..made.reached.len());
            made.reached[line].2 = rng.u32(..made.nodes.len() as u32 + 2);
        }
    }
    assert!(proved > 5 && refused > 5, "{proved} proved, {refused} refused");
}

/// Propositions about the globals of a system, as its text has them.
fn propositions(spds: &Spds) -> Vec<String> {
    let plain = spds.globals.iter().filter(|variable| variable.ty.range.is_none());
    let about = plain.map(|variable| match variable.ty.scalar {
        Scalar::Bool => format!("{{{}}}", variable.name),
        Scalar::Unsigned(_) => format!("{{{} = 1}}", variable.name),
    });
    about.chain(["@end", "@fail", "@stuck"].map(str::to_owned)).collect()
}

#[test]
fn the_checker_in_python_proves_formulas_and_termination() {
    let Some(_) = python() else { return };
    let directory = scratch("certify_python_ltl");
    let (system, file) = (path(&directory, "s.spds"), path(&directory, "c"));
    let shapes = [
        "G (a -> F b)",
        "F (a & X b)",
        "(a U b) | G !b",
        "G F a -> G F b",
        "!(a W b) <-> X a",
        "(a R b) ^ F a",
        "a M (b | X !a)",
    ];
    let (mut proved, mut refused, mut finer) = (0, 0, 0);
    for seed in support::seeds(0..28) {
        let spds = sized(seed, Features::ALL, Sizes { bits: 2, controls: 1, ..Sizes::USUAL });
        fs::write(&system, spds.to_string()).expect("writable");
        let mut rng = fastrand::Rng::with_seed(seed);
        let all = propositions(&spds);
        let [a, b] = [(); 2].map(|()| support::pick(&mut rng, &all).clone());
        let formula = support::pick(&mut rng, &shapes).replace('a', &format!("({a})")).replace('b', &format!("({b})"));
        let runs = *support::pick(&mut rng, &["maximal", "infinite", "stutter"]);
        let asked: &[&str] = if seed % 4 == 0 { &["--termination"] } else { &["--ltl", &formula, "--runs", runs] };
        fs::write(&file, "").expect("writable");
        let told = puch([&["check", &system], asked, &["--certificate", &file, "--timeout", "20"]].concat());
        let text = fs::read_to_string(&file).expect("it is there");
        // A formula of which each value is tried must be small.
        if code(&told) != 0 || text.is_empty() || text.matches("\norder").count() != 1 || bits(&text) > 8 {
            continue;
        }
        for changed in 0..4 {
            if changed > 0 {
                fs::write(&file, damaged(&mut rng, &text)).expect("writable");
            }
            let own = code(&puch(["certify", &system, &file]));
            let mut python = python().expect("it is there");
            let python = python.args(["examples/certificates/certify.py", &system, &file]).current_dir(shell::root());
            let python = python.output().expect("it runs");
            let words = format!("{seed} {asked:?} {own}\n{}{}\n{spds}", stdout(&python), stderr(&python));
            match (own, code(&python)) {
                (0, 0) => proved += 1,
                (1, 1) => refused += 1,
                // It sees which edges values take, and puch of rules whether they have any successor.
                (1, 0) if changed > 0 => finer += 1,
                _ => panic!("{words}"),
            }
        }
    }
    println!("{proved} proved, {refused} refused, {finer} finer");
    assert!(proved > 10 && refused > 5 && finer < refused, "{proved} proved, {refused} refused, {finer} finer");
}

/// How many bits a certificate speaks of.
fn bits(text: &str) -> usize {
    let order = text.lines().find(|line| line.starts_with("order")).unwrap_or_default();
    order.split(' ').count() - 1
}

/// A certificate in which one set is another one.
fn damaged(rng: &mut fastrand::Rng, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let sets = |line: &&mut String| ["at ", "return ", "again "].iter().any(|word| line.starts_with(word));
    let count = lines.iter_mut().filter(sets).count();
    let place = rng.usize(..count.max(1));
    if let Some(line) = lines.iter_mut().filter(sets).nth(place) {
        let start = line.rfind(' ').map_or(0, |at| at + 1);
        line.replace_range(start.., if rng.bool() { "0" } else { "1" });
    }
    lines.join("\n") + "\n"
}
