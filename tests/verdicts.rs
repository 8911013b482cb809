//! Other people's programs have verdicts that are known: ours are the same, on both engines and with every trace judged.

extern crate puch_engine as puch;

#[path = "support/shared.rs"]
mod shared;

use std::path::PathBuf;

use puch::boolprog;
use puch::check::{self, Engine, Options, Property, Verdict};
use puch::places::{self, Naming};

struct Known {
    path: PathBuf,
    /// What the verdict is about: a label, or the assertions.
    label: Option<String>,
    unsafe_: bool,
}

/// The sequential programs of the corpus with a known verdict; `None`, with a note, where there is no corpus.
fn known() -> Option<Vec<Known>> {
    let corpus = shared::folder("corpus")?;
    let rows = shared::index(&corpus).into_iter();
    let known = rows.filter(|row| row[3] == "no" && row[4] != "unknown").map(|row| {
        let label =
            row[5].split_once("label ").map(|(_, rest)| rest.split([';', ')']).next().unwrap_or(rest).to_owned());
        Known { path: corpus.join(&row[0]), label, unsafe_: row[4] == "unsafe" }
    });
    Some(known.collect())
}

#[test]
fn known_verdicts_are_met() {
    let Some(known) = known() else { return };
    assert!(known.len() > 20, "the corpus has lost its verdicts: {}", known.len());
    for Known { path, label, unsafe_ } in known {
        let text = std::fs::read_to_string(&path).expect("listed files exist");
        let name = path.display().to_string();
        let program =
            boolprog::read(&text, &name, &boolprog::Options::default()).expect("sequential programs are accepted");
        let (property, bad, good) = match &label {
            Some(label) => {
                let targets = places::resolve(&program.spds, label, Naming::Program).expect("the label is there");
                (Property::Reach(targets), Verdict::Reachable(None), Verdict::Unreachable)
            }
            None => (Property::Assertions, Verdict::Violated(None), Verdict::Holds),
        };
        for engine in [Engine::Biodivine, Engine::Shared] {
            let options = Options { engine, ..Options::default() };
            let outcome =
                check::check(&program.spds, std::slice::from_ref(&property), &options).expect("traces are real");
            let answer = &outcome.answers[0];
            assert_eq!(answer.verdict.bare(), *if unsafe_ { &bad } else { &good }, "{name} {label:?} on {engine:?}");
            assert_eq!(answer.verdict.trace().is_some(), unsafe_, "{name} {label:?} on {engine:?}");
        }
    }
}
