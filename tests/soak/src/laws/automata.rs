//! Automata whose words no run may read, most of them strong.

use puch::limits::Limits;
use puch::ltl::atoms::Meaning;
use puch::ltl::{Passes, Violations, hoa, with_one_mark};

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
        let meanings = cases::meanings(rng, &spds);
        let case = Case::new(SYSTEMS.name, Input::System(spds.clone())).with("automaton", cases::automaton(rng));
        let case = meanings[..2].iter().fold(case, |case, meaning| case.with("means", written(&spds, meaning)));
        options(rng, case)
    },
    holds: |case| {
        let spds = case.input.system()?;
        let meanings: Option<Vec<Meaning>> = case.all("means").map(|text| read(&spds, text)).collect();
        let meanings = meanings.ok_or("a proposition means nothing")?;
        let tgba = hoa::read(case.one("automaton")?, &Limits::default()).map_err(|error| format!("{error:?}"))?;
        let buchi = with_one_mark(&tgba, &Passes::default()).map_err(|stop| stop.to_string())?;
        compared(case, &spds, &[Violations::accepted(buchi, meanings)])
    },
};
