//! C programs as texts: read, executed, decided.

use puch::abstraction::Tuning;
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::c::{self, Malloc, Program, Unit};
use puch::interpreter::{self, End, Inputs, Outcome};
use puch::refinement::{Options, Round, Verdict, refine};

/// The program of a text.
///
/// # Errors
/// With what is wrong with it.
pub fn read(text: &str, options: &c::Options) -> Result<Program, Vec<String>> {
    let unit = Unit { name: "prog.c", text, preprocessed: None };
    match c::read(&[unit], options) {
        Ok(read) => Ok(read.program),
        Err(all) => Err(all.into_iter().map(|(_, complaint)| complaint.message).collect()),
    }
}

/// The program of a text for a machine.
#[track_caller]
pub fn parsed(text: &str, model: DataModel) -> Program {
    let options = c::Options { model, ..c::Options::default() };
    read(text, &options).unwrap_or_else(|all| panic!("{all:?}\n{text}"))
}

/// That a text is refused, with a message in which this stands.
#[track_caller]
pub fn is_refused(text: &str, message: &str) {
    let all = read(text, &c::Options::default()).expect_err(text);
    assert!(all.iter().any(|complaint| complaint.contains(message)), "{all:?}\n{text}");
}

/// What executing a program with these inputs comes to; no allocation fails.
#[track_caller]
pub fn executed(text: &str, overflow: Overflow, inputs: &[i128]) -> Outcome {
    let options = interpreter::Options::of(overflow, 100_000);
    let inputs = Inputs::list(inputs.iter().copied());
    let reading = c::Options { malloc: Malloc::Succeeds, ..c::Options::default() };
    let program = read(text, &reading).unwrap_or_else(|all| panic!("{all:?}\n{text}"));
    interpreter::execute(&program, &options, inputs, &mut |_| {})
}

/// That `main` returns a number, and does nothing undefined.
#[track_caller]
pub fn returns(text: &str, number: i128) {
    assert_eq!(executed(text, Overflow::Check, &[]).end, End::Returned(Some(number)), "{text}");
}

/// Whether a program can fail, in so many rounds.
#[track_caller]
pub fn verdict(text: &str, overflow: Overflow, rounds: usize) -> Verdict {
    let check = puch::options::Options::default();
    let options = Options { overflow, tuning: Tuning::default(), check, rounds: Some(rounds), donor: None };
    refine(&parsed(text, DataModel::LP64), &options, &mut |_: &Round<'_>| {}).verdict
}
