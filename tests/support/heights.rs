//! What is said of the height of a stack, held against the oracle.

use std::collections::BTreeMap;

use fastrand::Rng;
use puch::check::Replayed;
use puch::options::{Loops, Options};
use puch::stack::systems::{Found, height};
use puch::stack::{Height, Judged, Range, Sizes, Verdict, procedure};
use spds_format::Spds;
use spds_format::model::SymbolId;

use crate::oracle::Explored;
use crate::oracle::heights::{frames, greatest};

/// What is wrong with what is said of a system, if anything: in frames, and with random sizes of frames.
pub fn differs(spds: &Spds, explored: &Explored, seed: u64, options: &Options) -> Option<String> {
    let rng = &mut Rng::with_seed(seed);
    let bare = match height(spds, "start", None, options) {
        Ok(found) => found,
        Err(error) => return Some(error.to_string()),
    };
    let count = frames(spds);
    let expected = greatest(spds, explored, &count);
    if let Some(what) = wrong(&bare, expected, &bare.height.frames, false) {
        return Some(format!("in frames: {what}"));
    }
    let symbols = (0..spds.symbols.len() as u32).map(SymbolId);
    let of: BTreeMap<String, u64> = symbols.map(|symbol| (procedure(spds, symbol).to_owned(), rng.u64(1..6))).collect();
    let sizes = Sizes { of: of.iter().map(|(name, size)| (name.clone(), (*size).into())).collect(), others: None };
    let weight = |symbol: SymbolId| {
        let is_none = [spds.end, spds.fail].contains(&Some(symbol));
        if is_none { 0 } else { of[procedure(spds, symbol)] }
    };
    let found = match height(spds, "start", Some(&sizes), options) {
        Ok(found) => found,
        Err(error) => return Some(format!("weighed: {error}")),
    };
    if found.height.frames != bare.height.frames || found.height.verdict != bare.height.verdict {
        return Some(format!("{:?}, and weighed {:?}", bare.height, found.height));
    }
    let Some(bytes) = &found.height.bytes else {
        return expected.map(|_| "it is bounded, and no bytes are told".to_owned());
    };
    // Where recursion is squared there are bounds only.
    let may_be_rough = options.loops == Loops::Square;
    wrong(&found, greatest(spds, explored, &weight), bytes, may_be_rough)
        .map(|what| format!("in bytes, {of:?}: {what}"))
}

fn wrong(found: &Found, expected: Option<u64>, told: &Range, may_be_rough: bool) -> Option<String> {
    let Height { verdict, witness, .. } = &found.height;
    let Some(witness) = witness else {
        // Where there is no run there is nothing to be seen.
        let is_empty = (verdict, expected, told) == (&Verdict::Bounded, Some(0), &Range::exactly(0u8.into()));
        return (!is_empty).then(|| format!("{verdict:?} without a witness, not {expected:?}"));
    };
    let judged = &witness.judged;
    match (verdict, expected) {
        (Verdict::Bounded, Some(most)) if between(told, most) && (may_be_rough || told.is_exact()) => {
            (*judged == Judged::No).then(|| format!("nothing is judged of {witness:?}"))
        }
        (Verdict::Unbounded, None) if !witness.pump.is_empty() => {
            (*judged != Judged::Run(Replayed::Full)).then(|| format!("{judged:?} is judged of {witness:?}"))
        }
        _ => Some(format!("{verdict:?} {told:?}, not {expected:?}")),
    }
}

fn between(told: &Range, number: u64) -> bool {
    told.least <= number.into() && told.most.as_ref().is_some_and(|most| *most >= number.into())
}
