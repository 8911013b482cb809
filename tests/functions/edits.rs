//! What `puch check --functions` keeps is given again only where it is what would be found: random functions, edited again and again.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::seeds;
use crate::shell::{puch, scratch, stdout};

/// Of the kinds of statements those that call nothing through pointers.
pub const BY_NAME: u8 = 11;

/// All of them.
const KINDS: u8 = 13;

/// How many functions a random text has.
pub const FUNCTIONS: usize = 4;

/// A random statement of the function of a number, which calls those before it.
fn statement(random: &mut fastrand::Rng, number: usize, kinds: u8) -> String {
    let one = |random: &mut fastrand::Rng| ["p", "q", "g"][random.usize(..3)];
    let given = |random: &mut fastrand::Rng| ["p", "q", "g", "0", "&t[1]"][random.usize(..5)];
    match random.u8(..kinds) {
        0 | 1 => format!("n += *{};", one(random)),
        2 => format!("if ({}) n -= 1;", one(random)),
        3 => format!("if (!{}) return n;", one(random)),
        4 => format!("{} = {};", one(random), given(random)),
        5 => format!("if (n > {}) {} = {};", random.u8(..9), one(random), given(random)),
        6 => format!("t[n & {}] = 1;", [3, 7][random.usize(..2)]),
        7 => format!("if ({}) n = *{};", one(random), one(random)),
        11 => format!("if (h) n = h({}, {}, n);", given(random), given(random)),
        12 => format!("h = {};", ["0", "f0", "f1", "f3"][random.usize(..4)]),
        _ if number == 0 => format!("*{} = n;", one(random)),
        _ => format!("n = f{}({}, {}, n);", random.usize(..number), given(random), given(random)),
    }
}

/// Random functions, by their statements.
pub fn functions(random: &mut fastrand::Rng, kinds: u8) -> Vec<Vec<String>> {
    let function = |number: usize| -> Vec<String> {
        let count = random.usize(2..6);
        (0..count).map(|_| statement(random, number, kinds)).collect()
    };
    (0..FUNCTIONS).map(function).collect()
}

/// The same, edited: a statement is left out, is there twice, is another one; or there is a comment more.
pub fn edited(random: &mut fastrand::Rng, functions: &[Vec<String>], kinds: u8) -> Vec<Vec<String>> {
    let mut functions = functions.to_vec();
    let number = random.usize(..FUNCTIONS);
    let at = random.usize(..functions[number].len());
    match random.u8(..4) {
        0 if functions[number].len() > 1 => drop(functions[number].remove(at)),
        1 => {
            let twice = functions[number][at].clone();
            functions[number].insert(at, twice);
        }
        2 => functions[number].insert(at, "/* more */".to_owned()),
        _ => functions[number][at] = statement(random, number, kinds),
    }
    functions
}

/// The file of some functions.
pub fn text(functions: &[Vec<String>]) -> String {
    let mut text = "static int t[8]; int *g; int (*h)(int *, int *, int);\n".to_owned();
    for number in 0..FUNCTIONS {
        text += &format!("int f{number}(int *p, int *q, int n);\n");
    }
    for (number, body) in functions.iter().enumerate() {
        text += &format!("int f{number}(int *p, int *q, int n) {{\n{}\nreturn n; }}\n", body.join("\n"));
    }
    text
}

/// What is told of all functions, and whether that took so little that no limit had a say: not even that of a part of a search.
fn told(file: &Path, more: &[&str]) -> (String, bool) {
    let file = file.to_str().expect("a name");
    let asked = ["check", file, "--functions", "--check", "null,bounds", "--function-timeout", "6"];
    let begun = Instant::now();
    let told = stdout(&puch([&asked, more].concat()));
    (told, begun.elapsed() < Duration::from_secs(1))
}

#[test]
fn what_is_kept_is_what_would_be_found_after_random_edits() {
    let (mut compared, mut kept_some) = (0, 0);
    for seed in seeds::seeds(1..5) {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut functions = functions(&mut random, KINDS);
        let folder = scratch("edits-random");
        let (file, kept) = (folder.join("t.c"), folder.join("kept"));
        let name = kept.to_str().expect("a name");
        for edit in 0..4 {
            let text = text(&functions);
            fs::write(&file, &text).expect("tests can write");
            let before = entries(&kept);
            let (cached, is_whole) = told(&file, &["--cache", name]);
            kept_some += usize::from(edit > 0 && entries(&kept) < before + FUNCTIONS);
            let (alone, is_soon) = told(&file, &[]);
            if is_whole && is_soon {
                assert_eq!(cached, alone, "seed {seed}, edit {edit}:\n{text}");
                compared += 1;
            }
            functions = edited(&mut random, &functions, KINDS);
        }
    }
    assert!(compared > 3 && kept_some > 3, "{compared} {kept_some}");
    eprintln!("{compared} texts compared, something was kept of {kept_some}");
}

fn entries(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn what_is_called_through_pointers_is_kept_apart_from_who_calls_it() {
    let text = "struct s { int (*get)(struct s *); int (*put)(struct s *, char); int v; };
int ask(struct s *s) { return s->v ? s->get(s) : 0; }
int first(struct s *s) { return s->v; }
int second(struct s *s) { return s->v + 1; }
int third(struct s *s) { return s->v + 2; }
int other(int n) { int t[2] = {0, 1}; return t[n]; }
";
    let folder = scratch("edits-pointers");
    let (file, kept) = (folder.join("t.c"), folder.join("kept"));
    let asked = |text: &str| {
        fs::write(&file, text).expect("tests can write");
        told(&file, &["--cache", kept.to_str().expect("a name")]);
        entries(&kept)
    };
    assert_eq!(asked(text), 5);
    // Of those that `ask` may call, runs choose among two: itself and the first.
    assert_eq!(asked(&text.replace("s->v + 2", "s->v + 4")), 6);
    assert_eq!(asked(&text.replace("return t[n]", "int m = n; return t[m]")), 7);
    assert_eq!(asked(&text.replace("{ return s->v; }", "{ int v = s->v; return v; }")), 9);
}
