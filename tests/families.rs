//! The families that grow with a size (`benches/families/`), at their smallest: read without a warning, and answered as
//! they are built to be, whichever engine does the work and whatever is switched off.

extern crate puch_engine as puch;

#[path = "../benches/families/mod.rs"]
mod families;

use families::{FAMILIES, Notation, SizeError};
use puch::boolprog;
use puch::check::{Property, Target, Verdict, check};
use puch::options::{Engine, Options, Order, Switch, TraceWish};
use puch::pdaaal;
use spds_format::Spds;
use spds_format::model::SymbolId;

/// Every small program of every family: its name and sizes, its text, what it says, whether `R` is reachable.
fn programs() -> Vec<(String, String, Spds, Verdict)> {
    let mut programs = Vec::new();
    for family in FAMILIES {
        for &sizes in family.small {
            let text = family.program(sizes).expect("small sizes are sizes");
            let verdict = match (family.expected)(sizes) {
                families::Expected::Reachable => Verdict::Reachable(None),
                families::Expected::Unreachable => Verdict::Unreachable,
            };
            let name = format!("{} {sizes:?}", family.name);
            let system = match family.notation {
                Notation::Program => read(&name, &text),
                Notation::Pdaaal => read_explicit(&name, &text),
            };
            programs.push((name, text, system, verdict));
        }
    }
    programs
}

fn read(name: &str, text: &str) -> Spds {
    match boolprog::read(text, "program.bp", &boolprog::Options::default()) {
        Ok(program) => {
            assert_eq!(program.warnings, [], "{name}\n{text}");
            program.spds
        }
        Err(complaints) => panic!("{name}: {complaints:#?}\n{text}"),
    }
}

fn read_explicit(name: &str, text: &str) -> Spds {
    match pdaaal::read(text, &pdaaal::Options::default()) {
        Ok(system) => {
            assert_eq!(system.warnings, [], "{name}\n{text}");
            system.spds
        }
        Err(complaints) => panic!("{name}: {complaints:#?}\n{text}"),
    }
}

/// The question whether `R` can be reached; it is the label of exactly one statement, or a symbol.
fn question(name: &str, system: &Spds) -> Property {
    let symbols = (0..).map(SymbolId).zip(&system.symbols);
    let labelled =
        symbols.filter(|(_, symbol)| &*symbol.name == "R" || symbol.labels.iter().any(|label| &**label == "R"));
    let targets: Vec<Target> = labelled.map(|(symbol, _)| Target { control: None, symbol }).collect();
    assert_eq!(targets.len(), 1, "{name}");
    Property::Reach(targets)
}

fn assert_answers(wish: impl Fn(&mut Options)) {
    let mut options = Options::default();
    wish(&mut options);
    for (name, text, system, expected) in programs() {
        let outcome = check(&system, &[question(&name, &system)], &options);
        let answers = outcome.unwrap_or_else(|error| panic!("{name}: {error}\n{text}")).answers;
        assert_eq!(answers[0].verdict.bare(), expected, "{name}, {options:?}\n{text}");
        let traced = answers[0].verdict.trace().is_some() || answers[0].trace_omitted.is_some();
        assert_eq!(
            traced,
            options.trace != TraceWish::None && expected == Verdict::Reachable(None),
            "{name}, {options:?}"
        );
    }
}

#[test]
fn every_program_has_the_answer_it_is_built_to_have() {
    assert_answers(|_| {});
}

#[test]
fn every_program_has_the_same_answer_on_the_other_engine() {
    assert_answers(|options| options.engine = Engine::Shared);
}

#[test]
fn every_program_has_the_same_answer_with_any_trace() {
    assert_answers(|options| options.trace = TraceWish::Any);
}

#[test]
fn every_program_has_the_same_answer_without_blocks_and_slices() {
    assert_answers(|options| {
        (options.blocks, options.slice, options.trace) = (Switch::Off, Switch::Off, TraceWish::None);
    });
}

#[test]
fn every_program_has_the_same_answer_without_analyses() {
    assert_answers(|options| {
        (options.modref, options.order, options.trace) = (Switch::Off, Order::Declared, TraceWish::None);
    });
}

#[test]
fn same_sizes_give_the_same_bytes() {
    for family in FAMILIES {
        for &sizes in family.small {
            assert_eq!(family.program(sizes), family.program(sizes), "{}", family.name);
        }
    }
}

#[test]
fn sizes_that_make_no_sense_are_refused() {
    for family in FAMILIES {
        let none = family.program(&[]);
        assert_eq!(none, Err(SizeError::Count { wanted: family.sizes }), "{}", family.name);
        let zeros = vec![0; family.sizes.len()];
        assert!(matches!(family.program(&zeros), Err(SizeError::TooSmall { .. })), "{}", family.name);
    }
}
