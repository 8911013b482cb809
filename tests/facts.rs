//! What is told of statements is what the oracle finds there, value by value: on random systems, on random programs and
//! on random sets; and it is told in a notation that can be read again.

mod oracle;
mod support;
#[path = "support/told.rs"]
mod told;

use fastrand::Rng;
use puch::boolprog;
use puch::facts::{Described, Fact, Known, Question, facts, statements};
use puch::formula::form::Formula;
use puch::limits::{Bell, Limits, Stop};
use puch::options::Options;
use puch::remopla;
use puch::report::expression::{Notation, written};
use spds_format::Spds;
use spds_format::expr::Expr;
use spds_format::model::{SymbolId, Variable};
use support::systems::{self, Features, Sizes};
use support::{one_in, pick, programs, rem_programs, seeds, shrink};
use told::{all, plain, wrong};

#[test]
fn on_random_systems_every_symbol_is_told_as_the_oracle_finds_it() {
    let mut dead = 0;
    for seed in seeds(0..250) {
        let spds = systems::system(seed, Features::ALL);
        if wrong(&spds).is_some() {
            let least = shrink(spds, |spds| wrong(spds).is_some());
            panic!("seed {seed}: {:?}\n{least}", wrong(&least));
        }
        dead += all(&spds, &plain()).iter().filter(|fact| fact.known == Known::Never).count();
    }
    assert!(dead > 100, "too little is dead to tell anything: {dead}");
}

fn read(program: &programs::Program) -> Spds {
    let text = program.to_string();
    boolprog::read(&text, "random.bp", &boolprog::Options::default()).unwrap_or_else(|c| panic!("{c:?}\n{text}")).spds
}

#[test]
fn on_random_programs_every_statement_is_told_as_the_oracle_finds_it() {
    for seed in seeds(0..150) {
        let program = programs::program(seed);
        let wrong = |program: &programs::Program| {
            let spds = read(program);
            wrong(&spds).or_else(|| {
                all(&spds, &plain()).iter().find_map(|fact| {
                    unlike_the_program(&spds, fact, Notation::Program, |text| {
                        match boolprog::predicate(text, &spds, boolprog::Dialect::Auto, None) {
                            Err(complaints) => Err(format!("{complaints:?}")),
                            Ok(predicate) if !predicate.warnings.is_empty() => Err(format!("{:?}", predicate.warnings)),
                            Ok(predicate) => Ok(predicate.condition),
                        }
                    })
                })
            })
        };
        if wrong(&program).is_some() {
            let least = shrink(program, |program| wrong(program).is_some());
            panic!("seed {seed}: {:?}\n{least}", wrong(&least));
        }
    }
}

/// A condition, or what is wrong with it.
type Read = Result<Expr, String>;

/// Whether the formula in the notation of programs is read otherwise, or with a warning.
fn unlike_the_program(spds: &Spds, fact: &Fact, notation: Notation, read: impl Fn(&str) -> Read) -> Option<String> {
    let Known::Reached { formula: Described::As(formula), .. } = &fact.known else { return None };
    let symbol = fact.target.symbol;
    let text = written(spds, notation, symbol, formula);
    // Propositions name the procedure of a local.
    let mut qualified = String::new();
    for word in text.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_' && c != '.') {
        let name = word.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let local = spds.locals(symbol).iter().any(|local| *local.name == *name) && !qualified.ends_with("::");
        if let Some(frame) = spds.symbol(symbol).frame.filter(|_| local) {
            qualified += &format!("{}.", spds.frame(frame).name);
        }
        qualified += word;
    }
    match read(&qualified) {
        Err(wrong) => Some(format!("`{qualified}`: {wrong}")),
        Ok(condition) => {
            let both = [&condition, &formula.expr()];
            oracle::valuations(&spds.globals).into_iter().find_map(|globals| {
                oracle::locals(spds, symbol).into_iter().find_map(|locals| {
                    let state = oracle::State { control: spds.start.control, symbol, globals: globals.clone(), locals };
                    let [a, b] = both.map(|expr| oracle::holds_before(spds, expr, &state));
                    (a != b).then(|| format!("`{qualified}` is read otherwise"))
                })
            })
        }
    }
}

#[test]
fn on_random_remopla_programs_every_statement_is_told_in_their_notation() {
    let mut told = 0;
    for seed in seeds(0..400) {
        let text = rem_programs::program(seed);
        let program = remopla::read(&text, "random.rem", &remopla::Options::default());
        let remopla::Program { spds, names, .. } = program.unwrap_or_else(|c| panic!("seed {seed}: {c:?}\n{text}"));
        let bits = |all: &[Variable]| all.iter().map(|v| v.ty.cells() * v.ty.scalar.bits()).sum::<u32>();
        let locals = spds.frames.iter().map(|frame| bits(&frame.variables)).max().unwrap_or(0);
        if bits(&spds.globals) + locals > 9 {
            continue;
        }
        if let Some(wrong) = wrong(&spds) {
            panic!("seed {seed}: {wrong}\n{text}");
        }
        // Cells of tables are counted through, and so are those of arrays of structs.
        let counted = |v: &Variable| &*v.name == "t" || v.name.starts_with("r.");
        if spds.globals.iter().chain(spds.frames.iter().flat_map(|frame| &frame.variables)).any(counted) {
            continue;
        }
        let read = |text: &str| match remopla::predicate(text, &names, None) {
            Ok(predicate) => Ok(predicate.condition),
            Err(complaints) => Err(format!("{complaints:?}")),
        };
        for fact in all(&spds, &plain()) {
            if let Some(wrong) = unlike_the_program(&spds, &fact, Notation::Remopla, read) {
                panic!("seed {seed}: {wrong}\n{text}");
            }
            told += 1;
        }
    }
    assert!(told > 200, "too little is told: {told}");
}

/// A system whose only symbol is reached where the condition holds.
fn starting(globals: &str, condition: &str) -> Spds {
    let text = format!("spds 1\nglobal {globals};\ncontrol p;\nsymbol s;\nstart <p, s> when {condition};\n");
    spds_format::parse(&text).unwrap_or_else(|complaints| panic!("{complaints:?}\n{text}"))
}

fn told(spds: &Spds, terms: usize) -> Known {
    let mut facts = facts(spds, &Question::Values(statements(spds), terms), &plain()).facts.expect("no limit is met");
    assert_eq!(facts.len(), 1);
    facts.remove(0).known
}

fn told_as(globals: &str, condition: &str) -> String {
    let spds = starting(globals, condition);
    match told(&spds, 1000) {
        Known::Reached { formula: Described::As(formula), .. } => {
            written(&spds, Notation::System, SymbolId(0), &formula)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn random_sets_are_told_exactly() {
    let scalars = ["a", "b", "c", "f[2]", "f[3]", "n", "m", "k"];
    let spds = |condition: &str| starting("a: bool, b: bool, c: bool, f: bool[2..3], n: u3, m: u2, k: u3", condition);
    for seed in seeds(0..120) {
        let mut rng = Rng::with_seed(seed);
        let rng = &mut rng;
        let test = |rng: &mut Rng| match rng.usize(..8) {
            i @ 0..5 => format!("{}{}", pick(rng, &["", "!"]), scalars[i]),
            5 => format!("n {} {}", pick(rng, &["=", "!=", "<", ">="]), rng.u8(..8)),
            6 => format!("m {} {}", pick(rng, &["=", "<="]), pick(rng, &["n", "k", "2", "k + 1"])),
            _ => format!("k {} {}", pick(rng, &["=", "!=", "<"]), pick(rng, &["n", "5", "n - 2", "7 - m"])),
        };
        let products: Vec<String> = (0..rng.usize(1..5))
            .map(|_| (0..rng.usize(1..4)).map(|_| test(rng)).collect::<Vec<_>>().join(" & "))
            .collect();
        let mut condition = products.join(" | ");
        if one_in(rng, 3) {
            condition = format!("({condition}) & {}", test(rng));
        }
        if one_in(rng, 4) {
            condition = format!("!({condition})");
        }
        let spds = spds(&condition);
        if let Some(wrong) = wrong(&spds) {
            panic!("seed {seed}: {condition}: {wrong}");
        }
    }
}

#[test]
fn formulas_are_short() {
    let cases = [
        ("a: bool", "true", "true"),
        ("a: bool, b: bool", "a & !b", "a & !b"),
        ("a: bool, b: bool, c: bool", "a & b = c", "a & b = c"),
        ("a: bool, b: bool, c: bool", "a != b & b != c", "a != b & a = c"),
        ("a: bool, b: bool, c: bool, d: bool", "(a | b) & (c | !d)", "(a | b) & (c | !d)"),
        ("a: bool, b: bool, c: bool, d: bool", "(a & b) | (c & !d)", "(a & b) | (c & !d)"),
        ("n: u8", "n = 3", "n = 3"),
        ("n: u8", "n != 3", "n != 3"),
        ("n: u8", "n >= 2 & n <= 5", "2 <= n & n <= 5"),
        ("n: u8", "n < 2 | n > 5", "n <= 1 | n >= 6"),
        ("n: u8", "n = 2 | n = 4 | n = 9", "n = 2 | n = 4 | n = 9"),
        ("n: u64", "n > 3", "n >= 4"),
        ("n: u64", "n % 2 = 1", "(n & 1) = 1"),
        ("n: u64, m: u64", "n = m", "n = m"),
        ("n: u8, m: u4, a: bool", "n = m & (a | n > 3)", "n = m & (n >= 4 | a)"),
        ("n: u16, m: u16", "n < m", "n < m"),
        ("n: u16, m: u16", "m <= n", "m <= n"),
        ("n: u8, m: u8, a: bool", "a & n != m", "a & n != m"),
        ("n: u3, a: bool, b: bool", "n <= 3 & a | n <= 5 & b", "(n <= 3 & a) | (n <= 5 & b)"),
        ("f: bool[2..3], \"x y\": u4", "f[3] & \"x y\" < 4", "f[3] & \"x y\" <= 3"),
    ];
    let wrong = cases.map(|(globals, condition, expected)| (told_as(globals, condition), expected));
    let wrong: Vec<_> = wrong.into_iter().filter(|(told, expected)| told != expected).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_formula_that_is_too_long_is_left_out_and_what_is_constant_is_not() {
    let names: Vec<String> = (0..12).map(|n| format!("x{n}")).collect();
    let globals = format!("one: bool, {}: bool", names.join(": bool, "));
    let spds = starting(&globals, &format!("one & ({})", names.join(" ^ ")));
    let Known::Reached { constants, formula } = told(&spds, 100) else { panic!("it is reached") };
    assert_eq!(formula, Described::TooLong(100));
    assert_eq!(constants.len(), 1);
    assert!(matches!(told(&spds, 2048), Known::Reached { formula: Described::As(Formula { .. }), .. }));
}

#[test]
fn a_limit_is_no_answer() {
    let spds = systems::system(0, Features::ALL);
    let limits = Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() };
    for question in [Question::Values(statements(&spds), 1000), Question::Reached(statements(&spds))] {
        let known = facts(&spds, &question, &Options { limits, ..plain() });
        assert_eq!(known.facts, Err(Stop::Timeout));
    }
}

#[test]
fn what_is_known_when_a_limit_is_met_is_true() {
    let (mut stopped, mut some) = (0, 0);
    // Large enough that it is looked at the limits while something is done.
    let sizes = Sizes { controls: 0, bits: 16, frames: 8 };
    for seed in seeds(0..8) {
        let spds = systems::sized(seed, Features::ALL, sizes);
        let question = Question::Values(statements(&spds), 1000);
        let whole = facts(&spds, &question, &plain()).facts.expect("no limit");
        for times in 1..60 {
            let bell: &Bell = Box::leak(Box::new(Bell::after(times)));
            let limits = Limits { bell: Some(bell), ..Limits::default() };
            let known = facts(&spds, &question, &Options { limits, ..plain() });
            if known.facts.is_ok() {
                assert!(known.so_far.is_empty());
                break;
            }
            stopped += 1;
            some += usize::from(!known.so_far.is_empty());
            for fact in &known.so_far {
                let all = whole.iter().find(|other| other.target == fact.target).expect("it was asked for");
                match &fact.known {
                    Known::Reached { formula: Described::Stopped(_), .. } => {
                        assert_ne!(all.known, Known::Never, "seed {seed}")
                    }
                    known => assert_eq!(*known, all.known, "seed {seed}"),
                }
            }
        }
    }
    assert!(stopped > 10 && some > 2, "{stopped} were stopped, of {some} something was known");
}
