//! Formulas and automata, against the meaning of formulas on words that end in a loop.

use fastrand::Rng;
use puch::limits::Limits;
use puch::ltl::hoa::{self, Placement, Stuttering};
use puch::ltl::{Passes, Rules, Tgba, parenthesised, state_based, translate, translate_generalised};
use puch::options::Switch;

use super::{Kind, Law};
use crate::case::{Case, Input};
use crate::lasso::{Lasso, accepts, satisfies};
use crate::support::pick;
use crate::{random, shared};

pub const WORDS: Law = Law {
    name: "words-of-formulas",
    says: "automata of formulas, by any passes, in any form, written and read again, accept the words that satisfy the formula",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| {
        let operators = rng.usize(1..8);
        let ltl = random::formula(rng, 2, operators);
        Case::new(WORDS.name, Input::Bytes(Vec::new()))
            .with("formula", parenthesised(&ltl))
            .with("seed", rng.u64(..).to_string())
    },
    holds: |case| {
        let ltl = shared::formula(case.one("formula")?);
        let seed = case.one("seed")?.parse().map_err(|_| "the seed is no number")?;
        let rng = &mut Rng::with_seed(seed);
        let mut switch = || *pick(rng, &[Switch::On, Switch::Off]);
        let rules = Rules { basic: switch(), eventual: switch(), implication: switch() };
        let passes = Passes { rules, simulation: switch(), obligations: switch() };
        let limits = Limits::default();
        let one = Tgba::from(&translate(&ltl, &passes, &limits).map_err(|stop| stop.to_string())?);
        let many = translate_generalised(&ltl, &passes, &limits).map_err(|stop| stop.to_string())?;
        let on_states = state_based(&one);
        let text = hoa::write(&many, "any", Placement::Edges, Stuttering::Unknown).map_err(|stop| stop.to_string())?;
        let read = hoa::read(&text, &limits).map_err(|error| format!("{error:?}\n{text}"))?;
        let propositions = ltl.formulas.propositions().len() as u32;
        let mut checks = 0;
        for _ in 0..12 {
            let word = Lasso::random(rng, propositions.max(1), 7);
            let truth = satisfies(&word, &ltl);
            for (form, tgba) in [("one mark", &one), ("many", &many), ("on states", &on_states), ("read", &read)] {
                if accepts(tgba, &word) != truth {
                    return Err(format!("{form}: the word {word:?} is accepted, or not: {truth} is right"));
                }
                checks += 1;
            }
        }
        Ok(checks)
    },
};
