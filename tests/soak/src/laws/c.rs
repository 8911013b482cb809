//! C programs: what the loop of refinement says, against every run.

use puch::abstraction::Tuning;
use puch::c::program::Overflow;
use puch::refinement::{Options, Proof, Reason, Verdict, refine};

use super::{Kind, Law};
use crate::c_texts::parsed;
use crate::case::{Case, Input};
use crate::small_programs::{FOUR_BITS, fails_somewhere, program};
use crate::support::pick;

pub const VERDICTS: Law = Law {
    name: "verdicts-of-c",
    says: "what holds fails in no run, what is violated fails in one, and no proof is found wrong, on random C programs of four bits",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| {
        let text = program(rng);
        let overflow = pick(rng, &["wrap", "assume", "check"]);
        Case::new(VERDICTS.name, Input::Bytes(text.into_bytes())).with("overflow", *overflow)
    },
    holds: compared,
};

fn compared(case: &Case) -> Result<u64, String> {
    let overflow = match case.one("overflow")? {
        "wrap" => Overflow::Wrap,
        "assume" => Overflow::Assume,
        _ => Overflow::Check,
    };
    let program = parsed(&case.input.text(), FOUR_BITS);
    let options = Options {
        overflow,
        tuning: Tuning::default(),
        check: puch::options::Options::default(),
        rounds: Some(6),
        donor: None,
    };
    let outcome = refine(&program, &options, &mut |_| {});
    match (outcome.verdict, outcome.proof) {
        (Verdict::Holds, _) if fails_somewhere(&program, overflow) => Err("it fails, and is said to hold".to_owned()),
        (Verdict::Holds, Proof::Nothing) => Err("it holds without a proof".to_owned()),
        (Verdict::Holds, Proof::Once(why)) => Err(format!("it is not proved again: {why}")),
        (Verdict::Violated(..), _) if !fails_somewhere(&program, overflow) => Err("it never fails".to_owned()),
        (Verdict::Unknown(Reason::Defect(defect)), _) => Err(defect.to_string()),
        _ => Ok(1),
    }
}
