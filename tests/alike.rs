//! Procedures that are equal up to names: what was done in one is done in the others without doing it again, and nothing that is
//! found depends on it.

extern crate puch_engine as puch;

mod oracle;
mod support;

use fastrand::Rng;
use puch::check::{Answer, Property, Target, check};
use puch::options::{Engine, Loops, Options, Runs, Switch, TraceWish};
use spds_format::Spds;
use spds_format::model::SymbolId;
use support::systems::{self, Features};
use support::verdicts::differs;
use support::{choices, copies, programs};

/// What a search finds, and how.
#[derive(Debug, PartialEq)]
struct Found {
    answers: Vec<Answer>,
    /// If nothing was left undone: it is asked only after what is done in one body at once whether enough has been found.
    figures: Vec<(&'static str, f64)>,
}

/// Of which a search without and with memory must find the same.
const FIGURES: [&str; 4] = ["heads", "edges", "summaries", "rounds"];

/// That, and how many turns were remembered.
fn found(spds: &Spds, properties: &[Property], options: &Options) -> (Found, f64) {
    let outcome = check(spds, properties, options).expect("runs that are found are real");
    let is_complete = !outcome.answers.iter().any(|answer| answer.verdict.claims_run());
    let figures = outcome.stats.figures.iter().filter(|(name, _)| is_complete && FIGURES.contains(name));
    let turns = outcome.stats.figures.iter().filter(|(name, _)| *name == "turns remembered");
    (Found { answers: outcome.answers, figures: figures.copied().collect() }, turns.map(|(_, turns)| turns).sum())
}

fn properties(seed: u64, spds: &Spds) -> Vec<Property> {
    let targets = systems::targets(seed, spds).into_iter().map(|symbol| Target { control: None, symbol }).collect();
    vec![Property::Reach(targets), Property::Assertions, Property::Termination]
}

/// Random systems and programs with copies of their procedures, and programs that consist of copies.
fn drawn(seed: u64) -> [Spds; 3] {
    let rng = &mut Rng::with_seed(seed);
    let read = |text: String| {
        let program = puch::boolprog::read(&text, "random.bp", &puch::boolprog::Options::default());
        program.expect("programs are valid").spds
    };
    let program = copies::with_copies(rng, read(programs::program(seed).to_string()));
    let system = copies::with_copies(rng, systems::system(seed, Features::ALL));
    [read(levels(rng)), program, system]
}

/// What procedures may do; `CALL` is a call of one of a deeper level.
const STATEMENTS: [&str; 15] = [
    "CALL",
    "CALL",
    "x := *;",
    "x := b;",
    "a := !a;",
    "a := x;",
    "b := a & x;",
    "b := b != x;",
    "assume(a | x);",
    "assert(a | !b | x);",
    "if (a) then CALL else b := !b; fi",
    "if (*) then CALL else CALL fi",
    "if (*) then CALL elsif (*) then CALL else CALL fi",
    "while (x) do x := *; a := !a; od",
    "while (!a & b) do CALL if (*) then a := *; fi od",
];

/// A program of several levels of procedures, each of which is one of a few under a name of its own.
fn levels(rng: &mut Rng) -> String {
    let bodies: Vec<Vec<&str>> = (0..1 + rng.usize(..3))
        .map(|_| (0..2 + rng.usize(..4)).map(|_| *support::pick(rng, &STATEMENTS)).collect())
        .collect();
    let count = 3 + rng.usize(..6);
    let mut text = String::from("decl a, b;\nvoid main() begin a, b := *, 0;\n");
    for _ in 0..1 + rng.usize(..2) {
        // What is called with the same values may do the same.
        let [first, second, third] = [(); 3].map(|()| rng.usize(..count));
        text += &format!("if (*) then p{first}(); elsif (*) then p{second}(); else p{third}(); fi\n");
    }
    text += "if (a & b) then R: skip; fi end\n";
    for number in 0..count {
        text += &format!("void p{number}() begin decl x;\n");
        for statement in support::pick(rng, &bodies) {
            let mut parts = statement.split("CALL");
            text += parts.next().unwrap_or_default();
            for part in parts {
                let deeper = number + 1..count;
                let call = if deeper.is_empty() { "skip;".into() } else { format!("p{}();", rng.usize(deeper)) };
                text += &(call + part);
            }
            text += "\n";
        }
        text += "end\n";
    }
    text
}

#[test]
fn what_is_remembered_of_one_procedure_changes_nothing_in_others() {
    let mut all = 0.0;
    for seed in support::seeds(0..300) {
        for spds in drawn(seed) {
            let rng = &mut Rng::with_seed(seed);
            let options = Options {
                engine: *support::pick(rng, &[Engine::Biodivine, Engine::Shared]),
                loops: *support::pick(rng, &[Loops::Auto, Loops::Step, Loops::Square]),
                trace: *support::pick(rng, &[TraceWish::None, TraceWish::Any, TraceWish::Shortest]),
                ..choices::limited(Runs::default())
            };
            let properties = properties(seed, &spds);
            let each = properties.iter().map(std::slice::from_ref).chain([&properties[..]]);
            for asked in each {
                let (remembering, turns) = found(&spds, asked, &options);
                all += turns;
                let (anew, none) = found(&spds, asked, &Options { alike: Switch::Off, ..options.clone() });
                assert_eq!(none, 0.0);
                assert_eq!(remembering, anew, "seed {seed}, {asked:?}, {options:?}\n{spds}");
            }
        }
    }
    assert!(all > 400.0, "no more than {all} turns were remembered");
}

#[test]
fn search_and_oracle_agree_on_procedures_that_are_equal() {
    for seed in support::seeds(0..300) {
        for spds in drawn(seed) {
            let targets = systems::targets(seed, &spds);
            let explored = oracle::explore(&spds);
            for options in choices::some(&mut Rng::with_seed(seed), Runs::default(), 2) {
                let options = Options { alike: Switch::On, ..options };
                let difference = differs(&spds, &explored, &targets, &options);
                assert_eq!(difference, None, "seed {seed} with {options:?}\n{spds}");
            }
        }
    }
}

#[test]
fn procedures_that_differ_in_what_one_statement_does_are_not_alike() {
    for bodies in [["a := !a;", "a := a;"], ["while (!a) do a := *; od", "while (!a & a) do a := *; od"]] {
        for bodies in [bodies, [bodies[1], bodies[0]]] {
            let text = format!(
                "decl a; void main() begin a := 0; if (*) then f(); else g(); fi if (a) then R: skip; else S: skip; fi end\n\
                 void f() begin {} end void g() begin {} end",
                bodies[0], bodies[1]
            );
            let spds = puch::boolprog::read(&text, "alike.bp", &puch::boolprog::Options::default());
            let spds = spds.expect("it is valid").spds;
            for label in ["R", "S"] {
                let symbols = (0..).map(SymbolId).zip(&spds.symbols);
                let symbols = symbols.filter(|(_, symbol)| symbol.labels.iter().any(|own| &**own == label));
                let targets = symbols.map(|(symbol, _)| Target { control: None, symbol }).collect();
                let (found, _) = found(&spds, &[Property::Reach(targets)], &choices::limited(Runs::default()));
                assert!(found.answers[0].verdict.claims_run(), "{label} is reached\n{text}");
            }
        }
    }
}
