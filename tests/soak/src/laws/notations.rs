//! Other notations: what is written in one and read again says the same.

use puch::moped_pds;
use puch::options::Options;
use puch::pdaaal;
use spds_format::Spds;
use spds_format::model::SymbolId;

use super::places::{LARGEST, chosen, options};
use super::{Kind, Law};
use crate::case::{Case, Input};
use crate::oracle::{explore, explore_within};
use crate::relations;
use crate::states::{counts_in_pdaaal, counts_in_pds, plain_names, states};
use crate::support::systems::{self, Features, Sizes};
use crate::support::verdicts::differs;
use crate::support::{choices, one_in, shapes};

pub const SYSTEMS: Law = Law {
    name: "notations-of-systems",
    says: "a random system written as .spds, .pds and for PDAAAL, and read again, reaches the same, and that is found",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| {
        let spds = match rng.u32(..3) {
            // Nothing else has data for PDAAAL.
            0 => without_data(rng),
            _ => shapes::system(rng),
        };
        options(rng, Case::new(SYSTEMS.name, Input::System(spds)))
    },
    holds: |case| compared(case, &case.input.system()?),
};

pub const PROGRAMS: Law = Law {
    name: "notations-of-programs",
    says: "the same of random Boolean programs",
    kind: Kind::Answer,
    weight: 1,
    draw: |rng| {
        let program = shapes::program(rng);
        options(rng, Case::new(PROGRAMS.name, Input::Program(program)))
    },
    holds: |case| compared(case, &case.input.program()?),
};

pub const RELATIONS: Law = Law {
    name: "relations-of-pds",
    says: "a relation of a .pds text has the steps for which it is true, terms without a value included",
    kind: Kind::Answer,
    weight: 1,
    draw: |rng| {
        let seed = rng.u64(..);
        let text = Input::Bytes(relations::text(seed).into_bytes());
        Case::new(RELATIONS.name, text).with("seed", seed.to_string())
    },
    holds: |case| {
        let seed = case.one("seed")?.parse().map_err(|_| "the seed is no number")?;
        relations::means_what_it_says(seed, 64).map(|_| 1)
    },
};

fn without_data(rng: &mut fastrand::Rng) -> Spds {
    let features = Features { saved_updates: false, integers: false };
    let mut spds = systems::sized(rng.u64(..), features, Sizes { bits: 0, controls: 1 + rng.u32(..4), ..Sizes::USUAL });
    if one_in(rng, 2) {
        systems::come_back(&mut spds);
    }
    spds
}

/// What came of it in each notation that can say it, against what the oracle sees in the original.
fn compared(case: &Case, spds: &Spds) -> Result<u64, String> {
    let text = spds_format::print(spds);
    let again = spds_format::parse(&text).map_err(|errors| format!("{errors:?}\n{text}"))?;
    if spds_format::print(&again) != text {
        return Err(format!("printed once more it is another text:\n{text}"));
    }
    let mut checks = same(case, spds, &again, |_, _| true)?;
    let plain = plain_names(spds.clone());
    if let Ok((text, _)) = moped_pds::write(&plain) {
        let read = moped_pds::read(&text, "again.pds", &moped_pds::Options::default());
        let read = read.map_err(|complaints| format!("{complaints:?}\n{text}"))?;
        checks += same(case, &plain, &read.spds, counts_in_pds).map_err(|what| format!("{what}\n{text}"))?;
    }
    if let Ok((text, _)) = pdaaal::write(&plain) {
        let read = pdaaal::read(&text, &pdaaal::Options::default());
        let read = read.map_err(|complaints| format!("{complaints:?}\n{text}"))?;
        checks += same(case, &plain, &read.spds, counts_in_pdaaal).map_err(|what| format!("{what}\n{text}"))?;
    }
    Ok(checks)
}

/// Both can be in the same states, and puch finds each symbol in the one where the oracle finds it in the other.
fn same(case: &Case, spds: &Spds, again: &Spds, counts: impl Fn(&str, &str) -> bool) -> Result<u64, String> {
    if explore_within(spds, LARGEST).is_none() {
        return Ok(0);
    }
    let (one, other) = (states(spds, &counts), states(again, &counts));
    if let Some(state) = one.symmetric_difference(&other).next() {
        return Err(format!("read again, {state:?} can be reached where it could not, or the other way round"));
    }
    let explored = explore(again);
    let mut checks = 1;
    for options in chosen(case)? {
        for number in 0..again.symbols.len() as u32 {
            checks += found(again, &explored, SymbolId(number), &options)?;
        }
    }
    Ok(checks)
}

fn found(spds: &Spds, explored: &crate::oracle::Explored, symbol: SymbolId, options: &Options) -> Result<u64, String> {
    match differs(spds, explored, &[symbol], options) {
        Some(what) => Err(format!("{what}\nwith {}", choices::written(options))),
        None => Ok(2),
    }
}
