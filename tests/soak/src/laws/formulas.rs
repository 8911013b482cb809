//! Formulas, termination and assertions under every kind of run.

use std::sync::{Arc, OnceLock};

use fastrand::Rng;
use puch::check::{Property, Target};
use puch::limits::Limits;
use puch::ltl::atoms::Meaning;
use puch::ltl::{Ltl, Passes, Violations, parenthesised};
use puch::options::Options;
use spds_format::model::{FrameId, SymbolId};
use spds_format::{Scope, Spds};

use super::places::chosen;
use super::{Kind, Law};
use crate::case::{Case, Input};
use crate::cases::{self, RUNS};
use crate::certified;
use crate::shared;
use crate::support::programs::Program;
use crate::support::{choices, shapes};
use crate::verdicts::{differs, known_within};

pub const SYSTEMS: Law = Law {
    name: "formulas-of-systems",
    says: "formulas, their negations, termination and vacuity are as the oracle says, under every kind of run, and violations violate, on random systems",
    kind: Kind::Answer,
    weight: 4,
    draw: |rng| case(rng, SYSTEMS.name),
    holds: |case| {
        let spds = case.input.system()?;
        let Some(given) = given(case, |text| read(&spds, text))? else {
            return Err("a proposition means nothing".into());
        };
        compared(case, &spds, &given)
    },
};

pub const PROGRAMS: Law = Law {
    name: "formulas-of-programs",
    says: "the same on random Boolean programs, with propositions in the notation of users",
    kind: Kind::Answer,
    weight: 6,
    draw: |rng| {
        let program = shapes::program(rng);
        of_program(rng, PROGRAMS.name, program)
    },
    holds: |case| {
        let spds = case.input.program()?;
        // In a program that was made smaller a proposition may mean nothing; then nothing is asked.
        let Some(given) = given(case, |text| cases::resolve(&spds, text))? else { return Ok(0) };
        compared(case, &spds, &given)
    },
};

/// A formula over a random system.
pub fn case(rng: &mut Rng, law: &str) -> Case {
    let spds = shapes::system(rng);
    let case = over(rng, Case::new(law, Input::System(spds.clone())), &spds);
    options(rng, case)
}

/// With a formula over a system.
pub fn over(rng: &mut Rng, case: Case, spds: &Spds) -> Case {
    let pool = cases::meanings(rng, spds);
    formula(rng, case, &pool, |meaning| written(spds, meaning))
}

/// A formula over a program, in the notation of users.
pub fn of_program(rng: &mut Rng, law: &str, program: Program) -> Case {
    let pool = cases::propositions(rng, &program);
    let case = formula(rng, Case::new(law, Input::Program(program)), &pool, Clone::clone);
    options(rng, case)
}

/// Formulas from the literature, where there are any.
fn core() -> &'static [(String, Ltl)] {
    static CORE: OnceLock<Vec<(String, Ltl)>> = OnceLock::new();
    CORE.get_or_init(shared::core)
}

/// The defaults and one other choice for each kind of run.
pub fn options(rng: &mut Rng, case: Case) -> Case {
    let all: Vec<_> = RUNS.iter().flat_map(|runs| choices::some(rng, *runs, 2)).collect();
    all.iter().fold(case, |case, options| case.with("options", choices::written(options)))
}

/// With a formula, and what its propositions mean.
fn formula<T: Clone>(rng: &mut Rng, case: Case, pool: &[T], written: impl Fn(&T) -> String) -> Case {
    let (ltl, meanings) = cases::some_formula(rng, pool, core());
    let names = ltl.formulas.propositions().iter().map(|proposition| proposition.kind.to_string());
    let case = case.with("formula", parenthesised(&ltl));
    names.zip(&meanings).fold(case, |case, (name, meaning)| case.with("means", format!("{name} {}", written(meaning))))
}

/// The violations of the formula and of its negation; `None` if a proposition means nothing.
pub fn given(case: &Case, read: impl Fn(&str) -> Option<Meaning>) -> Result<Option<Vec<Violations>>, String> {
    let ltl = shared::formula(case.one("formula")?);
    let mut meanings = Vec::new();
    for proposition in ltl.formulas.propositions() {
        let name = proposition.kind.to_string();
        let text = case.all("means").find_map(|text| text.strip_prefix(&*name)?.strip_prefix(' '));
        let Some(meaning) = read(text.ok_or_else(|| format!("the case does not say what {name} means"))?) else {
            return Ok(None);
        };
        meanings.push(meaning);
    }
    let of = |ltl| Violations::of(ltl, meanings.to_vec(), &Passes::default(), &Limits::default());
    let both = [of(ltl.clone()), of(ltl.negated())].into_iter();
    both.map(|violations| violations.map_err(|stop| stop.to_string()).map(Some)).collect()
}

/// How many checks it is that everything about a random system is asked as `agree` does, under each of its choices: its
/// formula and the negation, every third symbol, termination and assertions.
pub fn everything_asked(
    case: &Case,
    agree: impl Fn(&Spds, &[Property], &Options) -> Result<u64, String>,
) -> Result<u64, String> {
    let spds = case.input.system()?;
    let given = given(case, |text| read(&spds, text))?.ok_or("a proposition means nothing")?;
    let mut properties: Vec<Property> = given.into_iter().map(|v| Property::Ltl(Arc::new(v))).collect();
    let symbols = (0..spds.symbols.len() as u32).step_by(3).map(SymbolId);
    properties.extend(symbols.map(|symbol| Property::Reach(vec![Target { control: None, symbol }])));
    properties.extend([Property::Termination, Property::Assertions]);
    let mut checks = 0;
    for options in chosen(case)? {
        checks += agree(&spds, &properties, &options)
            .map_err(|what| format!("{what}\nwith {}", choices::written(&options)))?;
    }
    Ok(checks)
}

/// The oracle follows every value by itself: a graph of so many edges takes it seconds. A case that needs a larger one is
/// a round without checks.
pub const LARGEST: usize = 1 << 19;

/// One answer for each property, each kind of run and each choice.
pub fn compared(case: &Case, spds: &Spds, given: &[Violations]) -> Result<u64, String> {
    let Some(known) = known_within(spds, given, LARGEST) else { return Ok(0) };
    let mut checks = 0;
    for options in chosen(case)? {
        for known in known.iter().filter(|known| known.runs == options.runs) {
            if let Some(what) = differs(spds, known, &options) {
                return Err(format!("{what}\nwith {}", choices::written(&options)));
            }
            let asked = known.properties.iter().zip(&known.violated).enumerate();
            for (number, (property, violated)) in asked {
                if let Some(what) = certified::differs(spds, property, *violated, &options) {
                    return Err(format!("property {number}: {what}\nwith {}", choices::written(&options)));
                }
            }
            checks += known.properties.len() as u64;
        }
    }
    Ok(checks)
}

/// A proposition as text; symbols by number, for their names may be anything.
pub fn written(spds: &Spds, meaning: &Meaning) -> String {
    let numbers = |symbols: &[SymbolId]| symbols.iter().map(|symbol| format!(" {}", symbol.0)).collect::<String>();
    let condition = |frame, condition| spds.display_expr(Scope::here(frame), condition).to_string();
    match meaning {
        Meaning::Stuck => "stuck".into(),
        Meaning::Symbols(symbols) => format!("at{}", numbers(symbols)),
        Meaning::Values { frame: None, condition: values } => format!("when {}", condition(None, values)),
        Meaning::Values { frame: Some(frame), condition: values } => {
            format!("in {} when {}", frame.0, condition(Some(*frame), values))
        }
        Meaning::Places { symbols, condition: values } => {
            format!("at{} when {}", numbers(symbols), condition(None, values))
        }
    }
}

/// A proposition of a system, from its text.
pub fn read(spds: &Spds, text: &str) -> Option<Meaning> {
    let (places, condition) = match text.split_once("when ") {
        Some((places, condition)) => (places, Some(condition)),
        None => (text, None),
    };
    let mut words = places.split_whitespace();
    let kind = words.next();
    let numbers: Vec<u32> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let frame = numbers.first().map(|number| FrameId(*number)).filter(|_| kind == Some("in"));
    let condition = match condition {
        Some(condition) => Some(spds_format::parse_condition(spds, frame, condition).ok()?.1),
        None => None,
    };
    let symbols: Vec<SymbolId> = numbers.into_iter().map(SymbolId).collect();
    Some(match (kind, condition) {
        (Some("stuck"), None) => Meaning::Stuck,
        (Some("at"), None) => Meaning::Symbols(symbols),
        (Some("at"), Some(condition)) => Meaning::Places { symbols, condition },
        (None | Some("in"), Some(condition)) => Meaning::Values { frame, condition },
        _ => return None,
    })
}
