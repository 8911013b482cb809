//! Verdicts that say that there is no run, by themselves: each is certified, whatever anybody else says of it; and what is wrong with
//! them, by the oracle alone. Of an engine that is broken (`tests/faults`) the two say what certificates would have caught.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use fastrand::Rng;
use puch::check::{Property, Verdict, check};
use puch::limits::Limits;
use puch::options::{Options, Runs, TraceWish};
use spds_format::Spds;
use spds_format::model::{Frame, SymbolId};

use super::formulas::{case, everything_asked, given, read};
use super::places::{chosen, reach};
use super::{Kind, Law, automata, formulas, sets};
use crate::case::{Case, Input};
use crate::cases::RUNS;
use crate::certified::{self, Became};
use crate::oracle::explore_within;
use crate::oracle::sets::reaches;
use crate::support::systems::{self, Features};
use crate::support::{choices, pick, shapes};
use crate::verdicts::known_within;

pub const CERTIFIED: Law = Law {
    name: "certified-verdicts",
    says: "whatever is found to hold, or to be unreachable, has a certificate, and the checker proves it",
    kind: Kind::Answer,
    weight: 4,
    draw: drawn,
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

pub const PLACES: Law = Law {
    name: "positive-places",
    says: "no place, failure or set of configurations that the oracle reaches is found not to be; and where one is, whether certificates notice that",
    kind: Kind::Answer,
    weight: 1,
    draw: |rng| {
        let spds = some_system(rng);
        let case = sets::with(rng, Case::new(PLACES.name, Input::System(spds.clone())), &spds);
        choices::some(rng, Runs::default(), 3)
            .iter()
            .fold(case, |case, options| case.with("options", choices::written(options)))
    },
    holds: |case| {
        let spds = case.input.system()?;
        let set = sets::given(case, &spds)?.ok_or("the case has no set")?;
        let Some(explored) = explore_within(&spds, SMALL) else { return Ok(0) };
        let symbols = (0..spds.symbols.len() as u32).map(SymbolId);
        let all = symbols.map(|symbol| (reach(&[symbol]), explored.distance(&[symbol]).is_some()));
        let fails = (Property::Assertions, explored.failing(&spds).is_some());
        let comes = reaches(&spds, &explored, &set);
        let all = all.chain([fails, (Property::Configurations(Arc::new(set)), comes)]);
        let violated: Vec<Property> = all.filter(|(_, violated)| *violated).map(|(property, _)| property).collect();
        let asked = chosen(case)?.into_iter().map(|options| (options, violated.clone()));
        Wrong::among(&spds, asked)
    },
};

pub const FORMULAS: Law = Law {
    name: "positive-formulas",
    says: "no formula, automaton or termination that the oracle finds violated is found to hold; and where one is, whether certificates notice that",
    kind: Kind::Answer,
    weight: 1,
    draw: |rng| {
        let spds = some_system(rng);
        let case = formulas::over(rng, Case::new(FORMULAS.name, Input::System(spds.clone())), &spds);
        let case = automata::with(rng, case, &spds);
        RUNS.iter().fold(case, |case, runs| case.with("options", choices::written(&choices::random(rng, *runs))))
    },
    holds: |case| {
        let spds = case.input.system()?;
        let mut given = given(case, |text| read(&spds, text))?.ok_or("a proposition means nothing")?;
        given.extend(automata::accepted(case, &spds)?);
        let Some(known) = known_within(&spds, &given, SMALL) else { return Ok(0) };
        let mut asked = Vec::new();
        for options in chosen(case)? {
            let known = known.iter().find(|known| known.runs == options.runs).ok_or("every kind of runs is known")?;
            let violated = known.properties.iter().zip(&known.violated).filter(|(_, violated)| **violated);
            asked.push((options, violated.map(|(property, _)| property.clone()).collect()));
        }
        Wrong::among(&spds, asked)
    },
};

/// A random system, or one of those that somebody has written for what random ones rarely hit.
fn some_system(rng: &mut Rng) -> Spds {
    static WRITTEN: OnceLock<Vec<Spds>> = OnceLock::new();
    let written = WRITTEN.get_or_init(|| {
        let tests = [
            include_str!("../../../directed.rs"),
            include_str!("../../../recursion.rs"),
            include_str!("../../../loops.rs"),
            include_str!("../../../marks/accepting.rs"),
            include_str!("../../../marks/ends.rs"),
            include_str!("../../../marks/letters.rs"),
        ];
        let texts =
            tests.iter().flat_map(|test| test.split('"')).filter(|text| text.trim_start().starts_with("spds 1"));
        let mut systems: Vec<Spds> = texts.filter_map(|text| spds_format::parse(text).ok()).collect();
        // Sets and propositions are drawn about a frame.
        for spds in systems.iter_mut().filter(|spds| spds.frames.is_empty()) {
            spds.frames.push(Frame { name: "empty".into(), variables: Box::default() });
        }
        systems
    });
    match rng.u32(..3) {
        0 => pick(rng, written).clone(),
        1 => systems::system(rng.u64(..), Features::ALL),
        _ => shapes::system(rng),
    }
}

/// Many cases are wanted here: the oracle need not follow large ones.
const SMALL: usize = 1 << 13;

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
    /// Asks what is violated, and nothing else: how many there are, or what is said of those that are found to hold.
    fn among(spds: &Spds, asked: impl IntoIterator<Item = (Options, Vec<Property>)>) -> Result<u64, String> {
        let (mut checks, mut wrong) = (0, Wrong::default());
        for (options, violated) in asked {
            for (number, property) in violated.iter().enumerate() {
                if !positive(spds, std::slice::from_ref(property), &options).is_empty() {
                    wrong.add(spds, number, property, &options);
                }
                checks += 1;
            }
        }
        wrong.told().map_or(Ok(checks), Err)
    }

    fn add(&mut self, spds: &Spds, number: usize, property: &Property, options: &Options) {
        self.all += 1;
        let became = match certified::became(spds, property, options, 5 * TIME) {
            Became::Rejected(_) => None,
            Became::NotMade if !certified::is_open(spds, property, options) => None,
            Became::NotMade => Some("it is not clear whether a run is blocked"),
            Became::Nothing => Some("there are no certificates of its kind"),
            Became::Stopped => Some("a limit is met"),
            Became::Proved { .. } => Some("it is certified"),
        };
        self.noticed += usize::from(became.is_none());
        let told = &mut self.told[usize::from(became.is_some())];
        told.get_or_insert_with(|| {
            let became = became.map(|became| format!(": {became}")).unwrap_or_default();
            format!("violated property {number}{became} ({})", choices::written(options))
        });
    }

    fn told(&self) -> Option<String> {
        let Wrong { all, noticed, told: [first, not] } = self;
        let first = not.as_ref().or(first.as_ref())?;
        Some(format!("{all} wrong, {noticed} noticed, {first}"))
    }
}

/// A formula over a random system; in half of the cases an automaton, too, and in half a set of configurations.
fn drawn(rng: &mut Rng) -> Case {
    let mut all = case(rng, CERTIFIED.name);
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
