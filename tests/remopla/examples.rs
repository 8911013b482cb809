//! The programs in `examples/quicksort`.

use puch::check::{Options as Search, Property, Verdict, check};
use puch::places::{Naming, resolve};
use puch::remopla::{Arithmetic, Options, read};

fn reaches(file: &str, defines: &[(&str, u64)], label: &str) -> bool {
    let path = format!("{}/../../examples/quicksort/{file}.rem", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the example is there");
    let defines = defines.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let program = read(&text, file, &Options { defines, ..Options::default() }).expect("the example is right");
    assert!(program.warnings.is_empty(), "{:?}", program.warnings);
    let targets = resolve(&program.spds, label, Naming::Program).expect("the label is there");
    let outcome = check(&program.spds, &[Property::Reach(targets)], &Search::default()).expect("checked");
    match &outcome.answers[0].verdict {
        Verdict::Reachable(_) => true,
        Verdict::Unreachable => false,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_label_after_the_sort_is_reached() {
    for bits in 2..=4 {
        assert!(reaches("faulty", &[("BITS", bits)], "sorted"));
        assert!(reaches("corrected", &[("BITS", bits)], "sorted"));
    }
}

#[test]
fn every_array_is_sorted() {
    for (m, values) in [(2, 2), (3, 2), (4, 1), (4, 2)] {
        let sizes = [("M", m), ("VALUE_BITS", values), ("BITS", 3)];
        assert!(reaches("sorting", &sizes, "done"));
        assert!(!reaches("sorting", &sizes, "unsorted"));
    }
}

#[test]
fn sorting_makes_no_mistake_in_arithmetic() {
    let path = format!("{}/../../examples/quicksort/sorting.rem", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("the example is there");
    let options = Options { arithmetic: Arithmetic::Check, ..Options::default() };
    let program = read(&text, "sorting.rem", &options).expect("the example is right");
    assert!(program.has_asserts);
    let outcome = check(&program.spds, &[Property::Assertions], &Search::default()).expect("checked");
    assert_eq!(outcome.answers[0].verdict.bare(), Verdict::Holds);
}
