//! Remopla programs: what they reach, whether they fail and whether they end.

use puch::remopla::{self, Arithmetic};
use spds_format::Spds;
use spds_format::model::Variable;

use super::formulas;
use super::places::{labelled, places};
use super::{Kind, Law};
use crate::case::{Case, Input};
use crate::support::{pick, rem_loops, rem_programs};

pub const LOOPS: Law = Law {
    name: "answers-of-remopla-loops",
    says: "places, failures, termination and vacuity are as the oracle says, on random Remopla programs that count in loops",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| {
        let text = rem_loops::program(rng.u64(..));
        let case = with_arithmetic(rng, LOOPS.name, text);
        formulas::options(rng, case)
    },
    holds: compared,
};

pub const PROGRAMS: Law = Law {
    name: "answers-of-remopla",
    says: "the same on random Remopla programs with integers, arrays, structs, enums and results of every type",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| {
        // Most have more values than the oracle can go through.
        let text = (0..50).map(|_| rem_programs::program(rng.u64(..))).find(|text| is_small(text));
        let text = text.unwrap_or_else(|| "module void main() { int x(1); x = x + 1; } init main;".into());
        let case = with_arithmetic(rng, PROGRAMS.name, text);
        formulas::options(rng, case)
    },
    holds: compared,
};

fn with_arithmetic(rng: &mut fastrand::Rng, law: &str, text: String) -> Case {
    let arithmetic = pick(rng, &["Block", "Check", "Wrap"]);
    Case::new(law, Input::Bytes(text.into_bytes())).with("arithmetic", *arithmetic)
}

/// So many bits of globals and locals the oracle can go through.
const SMALL: u32 = 7;

fn is_small(text: &str) -> bool {
    let options = remopla::Options { arithmetic: Arithmetic::Check, ..remopla::Options::default() };
    remopla::read(text, "any.rem", &options).is_ok_and(|program| bits(&program.spds) <= SMALL)
}

fn bits(spds: &Spds) -> u32 {
    let bits = |all: &[Variable]| all.iter().map(|v| v.ty.cells() * v.ty.scalar.bits()).sum::<u32>();
    bits(&spds.globals) + spds.frames.iter().map(|frame| bits(&frame.variables)).max().unwrap_or(0)
}

fn compared(case: &Case) -> Result<u64, String> {
    let arithmetic = match case.one("arithmetic")? {
        "Check" => Arithmetic::Check,
        "Wrap" => Arithmetic::Wrap,
        _ => Arithmetic::Block,
    };
    let options = remopla::Options { arithmetic, ..remopla::Options::default() };
    let spds = match remopla::read(&case.input.text(), "case.rem", &options) {
        Ok(program) => program.spds,
        Err(complaints) => return Err(format!("it is refused: {complaints:?}")),
    };
    let labels = ["R", "err", "L1", "L2"].map(|label| labelled(&spds, label));
    Ok(places(case, &spds, &labels)? + formulas::compared(case, &spds, &[])?)
}
