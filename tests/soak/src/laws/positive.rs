//! Verdicts that say that there is no run, by themselves: each is certified, whatever anybody else says of it; and what is wrong with
//! them, by the oracle alone. Of an engine that is broken (`tests/faults`) the two say what certificates would have caught.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use puch::check::{Property, Verdict, check};
use puch::limits::Limits;
use puch::options::{Options, Runs, TraceWish};
use spds_format::Spds;
use spds_format::model::SymbolId;

use super::formulas::{case, everything_asked, given, read};
use super::places::{self, chosen, reach};
use super::{Kind, Law, automata, sets};
use crate::case::{Case, Input};
use crate::certified::{self, Became};
use crate::oracle::explore_within;
use crate::oracle::sets::reaches;
use crate::support::choices;
use crate::verdicts::known_within;

pub const CERTIFIED: Law = Law {
    name: "certified-verdicts",
    says: "whatever is found to hold, or to be unreachable, has a certificate, and the checker proves it",
    kind: Kind::Answer,
    weight: 4,
    draw: |rng| drawn(rng, CERTIFIED.name),
    holds: |case| {
        let certified = |spds: &Spds, properties: &[Property], options: &Options| {
            let mut checks = 0;
            for property in positive(spds, properties, options) {
                if let Some(what) = certified::differs(spds, &properties[property], false, options) {
                    return Err(format!("property {property}: {what}"));
                }
                checks += 1;
            }
            Ok(checks)
        };
        let spds = case.input.system()?;
        let further = further(case, &spds)?;
        let mut checks = everything_asked(case, certified)?;
        for options in chosen(case)? {
            checks += certified(&spds, &further, &options)
                .map_err(|what| format!("further {what}\nwith {}", choices::written(&options)))?;
        }
        Ok(checks)
    },
};

pub const TRUE: Law = Law {
    name: "positive-verdicts",
    says: "nothing that is violated, or reached, as the oracle says, is found not to be; and where it is, whether certificates notice that",
    kind: Kind::Answer,
    weight: 1,
    draw: |rng| drawn(rng, TRUE.name),
    holds: |case| {
        let spds = case.input.system()?;
        let mut given = given(case, |text| read(&spds, text))?.ok_or("a proposition means nothing")?;
        given.extend(automata::accepted(case, &spds)?);
        let set = sets::given(case, &spds)?;
        let Some(explored) = explore_within(&spds, places::LARGEST) else { return Ok(0) };
        let Some(known) = known_within(&spds, &given, SMALL) else { return Ok(0) };
        let symbols: Vec<SymbolId> = (0..spds.symbols.len() as u32).step_by(3).map(SymbolId).collect();
        let (mut checks, mut wrong) = (0, Wrong::default());
        for options in chosen(case)? {
            let known = known.iter().find(|known| known.runs == options.runs).ok_or("every kind of runs is known")?;
            let places = symbols.iter().map(|symbol| reach(&[*symbol]));
            let mut properties: Vec<Property> = known.properties.iter().cloned().chain(places).collect();
            let reached = symbols.iter().map(|symbol| explored.distance(&[*symbol]).is_some());
            let mut violated: Vec<bool> = known.violated.iter().copied().chain(reached).collect();
            properties.extend(set.iter().map(|set| Property::Configurations(Arc::new(set.clone()))));
            violated.extend(set.iter().map(|set| reaches(&spds, &explored, set)));
            // What is not violated cannot be said to hold wrongly.
            for number in (0..properties.len()).filter(|number| violated[*number]) {
                if !positive(&spds, &properties[number..=number], &options).is_empty() {
                    wrong.add(&spds, number, &properties[number], &options);
                }
                checks += 1;
            }
        }
        wrong.told().map_or(Ok(checks), Err)
    },
};

/// Many cases are wanted here: the oracle need not follow large ones.
const SMALL: usize = 1 << 15;

/// Verdicts that are wrong, and what certificates make of them.
#[derive(Default)]
struct Wrong {
    all: usize,
    /// Those of which there is no certificate, or none that the checker takes.
    noticed: usize,
    /// The first, and the first that is not noticed.
    told: [Option<String>; 2],
}

impl Wrong {
    fn add(&mut self, spds: &Spds, number: usize, property: &Property, options: &Options) {
        self.all += 1;
        let became = match certified::became(spds, property, options, 5 * TIME) {
            Became::Rejected(_) => None,
            Became::NotMade if options.runs != Runs::Stutter || !matches!(property, Property::Ltl(_)) => None,
            Became::NotMade => Some("it is not clear whether a run is blocked"),
            Became::Nothing => Some("there are no certificates of its kind"),
            Became::Stopped => Some("a limit is met"),
            Became::Proved { .. } => Some("it is certified"),
        };
        self.noticed += usize::from(became.is_none());
        let told = &mut self.told[usize::from(became.is_some())];
        told.get_or_insert_with(|| {
            let became = became.map(|became| format!(": {became}")).unwrap_or_default();
            format!("property {number}{became} ({})", choices::written(options))
        });
    }

    fn told(&self) -> Option<String> {
        let Wrong { all, noticed, told: [first, not] } = self;
        let first = not.as_ref().or(first.as_ref())?;
        Some(format!("{all} wrong, {noticed} noticed, {first}"))
    }
}

/// A formula over a random system; in half of the cases an automaton, too, and in half a set of configurations.
fn drawn(rng: &mut Rng, law: &str) -> Case {
    let mut all = case(rng, law);
    let Input::System(spds) = all.input.clone() else { return all };
    if rng.bool() {
        all = automata::with(rng, all, &spds);
    }
    if rng.bool() {
        all = sets::with(rng, all, &spds);
    }
    all
}

/// What the automaton and the set of a case say.
fn further(case: &Case, spds: &Spds) -> Result<Vec<Property>, String> {
    let automaton = automata::accepted(case, spds)?.map(|violations| Property::Ltl(Arc::new(violations)));
    let set = sets::given(case, spds)?.map(|set| Property::Configurations(Arc::new(set)));
    Ok(automaton.into_iter().chain(set).collect())
}

/// A search that is broken may go on for ever; one that is not takes milliseconds.
const TIME: Duration = Duration::from_secs(2);

/// Which of the properties are said to hold, each asked by itself, so that one that goes wrong otherwise says nothing of others.
fn positive(spds: &Spds, properties: &[Property], options: &Options) -> Vec<usize> {
    let mut all = Vec::new();
    for (number, property) in properties.iter().enumerate() {
        // An engine that panics, or whose runs the judge rejects, says nothing positive.
        let limits = Limits { deadline: Some(Instant::now() + TIME), ..options.limits };
        let options = Options { limits, trace: TraceWish::None, ..options.clone() };
        let asked = std::panic::AssertUnwindSafe(|| check(spds, std::slice::from_ref(property), &options));
        let Ok(Ok(outcome)) = std::panic::catch_unwind(asked) else { continue };
        if outcome.answers.iter().any(|answer| matches!(answer.verdict, Verdict::Holds | Verdict::Unreachable)) {
            all.push(number);
        }
    }
    all
}
