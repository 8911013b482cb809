//! Automata whose words no run may read, most of them strong.

use fastrand::Rng;
use puch::limits::Limits;
use puch::ltl::atoms::Meaning;
use puch::ltl::{Passes, Violations, hoa};
use spds_format::Spds;

use super::formulas::{compared, options, read, written};
use super::{Kind, Law};
use crate::case::{Case, Input};
use crate::cases;
use crate::support::shapes;

pub const SYSTEMS: Law = Law {
    name: "automata-of-systems",
    says: "runs that an automaton accepts are found exactly where the oracle finds them, on random systems",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| {
        let spds = shapes::system(rng);
        let case = with(rng, Case::new(SYSTEMS.name, Input::System(spds.clone())), &spds);
        options(rng, case)
    },
    holds: |case| {
        let spds = case.input.system()?;
        compared(case, &spds, &[accepted(case, &spds)?.ok_or("the case has no automaton")?])
    },
};

/// With an automaton of one mark or of several, and what its propositions mean.
pub fn with(rng: &mut Rng, case: Case, spds: &Spds) -> Case {
    let meanings = cases::meanings(rng, spds);
    let text = match rng.u32(..8) {
        marks @ ..4 => cases::automaton_with(rng, marks),
        _ => cases::automaton(rng),
    };
    let case = case.with("automaton", text);
    meanings[..2].iter().fold(case, |case, meaning| case.with("reads", written(spds, meaning)))
}

/// The runs that the automaton of a case accepts, if it has one.
pub fn accepted(case: &Case, spds: &Spds) -> Result<Option<Violations>, String> {
    let Some(text) = case.all("automaton").next() else { return Ok(None) };
    let meanings: Option<Vec<Meaning>> = case.all("reads").map(|text| read(spds, text)).collect();
    let meanings = meanings.ok_or("a proposition means nothing")?;
    let tgba = hoa::read(text, &Limits::default()).map_err(|error| format!("{error:?}"))?;
    Violations::given(tgba, meanings, &Passes::default()).map(Some).map_err(|stop| stop.to_string())
}
