//! How high stacks get, in frames and in bytes.

use spds_format::Spds;

use super::places::{LARGEST, chosen, options};
use super::{Kind, Law};
use crate::case::{Case, Input};
use crate::oracle::explore_within;
use crate::support::heights::differs;
use crate::support::{choices, shapes};

pub const SYSTEMS: Law = Law {
    name: "heights-of-systems",
    says: "how high the stack gets is what the oracle says, in frames and in bytes, and the chain of calls is walked, on random systems",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| {
        let case = Case::new(SYSTEMS.name, Input::System(shapes::system(rng))).with("sizes", rng.u32(..).to_string());
        options(rng, case)
    },
    holds: |case| heights(case, &case.input.system()?),
};

pub const PROGRAMS: Law = Law {
    name: "heights-of-programs",
    says: "the same on random Boolean programs",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| {
        let case = Case::new(PROGRAMS.name, Input::Program(shapes::program(rng)));
        let case = case.with("sizes", rng.u32(..).to_string());
        options(rng, case)
    },
    holds: |case| heights(case, &case.input.program()?),
};

/// Two answers for each choice.
fn heights(case: &Case, spds: &Spds) -> Result<u64, String> {
    let Some(explored) = explore_within(spds, LARGEST) else { return Ok(0) };
    let seed = case.one("sizes")?.parse().map_err(|_| "the seed of the sizes is no number")?;
    let mut checks = 0;
    for options in chosen(case)? {
        if let Some(what) = differs(spds, &explored, seed, &options) {
            return Err(format!("{what}\nwith {}", choices::written(&options)));
        }
        checks += 2;
    }
    Ok(checks)
}
