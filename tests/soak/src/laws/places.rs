//! Whether places are reached and assertions fail, and shortest runs there.

use fastrand::Rng;
use puch::check::{Property, Target};
use puch::options::{Options, Runs};
use spds_format::Spds;
use spds_format::model::SymbolId;

use super::{Kind, Law};
use crate::case::{Case, Input};
use crate::certified;
use crate::oracle::explore_within;
use crate::support::verdicts::differs;
use crate::support::{choices, shapes, systems};

pub const SYSTEMS: Law = Law {
    name: "places-of-systems",
    says: "what is reached, what fails, and after how many steps is what the oracle says, on random systems",
    kind: Kind::Answer,
    weight: 4,
    draw: |rng| {
        let spds = shapes::system(rng);
        let targets = systems::targets(rng.u64(..), &spds);
        let names: Vec<&str> = targets.iter().map(|symbol| &*spds.symbol(*symbol).name).collect();
        let targets = names.join(" ");
        options(rng, Case::new(SYSTEMS.name, Input::System(spds)).with("targets", targets))
    },
    holds: |case| {
        let spds = case.input.system()?;
        let names: Vec<&str> = case.one("targets")?.split(' ').collect();
        let targets = symbols(&spds, |symbol| names.contains(&&*spds.symbol(symbol).name));
        places(case, &spds, &[targets])
    },
};

pub const PROGRAMS: Law = Law {
    name: "places-of-programs",
    says: "the same on random Boolean programs",
    kind: Kind::Answer,
    weight: 4,
    draw: |rng| {
        let program = shapes::program(rng);
        options(rng, Case::new(PROGRAMS.name, Input::Program(program)))
    },
    holds: |case| {
        let spds = case.input.program()?;
        places(case, &spds, &["R", "T"].map(|label| labelled(&spds, label)))
    },
};

/// The choices of a case.
pub fn options(rng: &mut Rng, case: Case) -> Case {
    let all = choices::some(rng, Runs::default(), 4);
    all.iter().fold(case, |case, options| case.with("options", choices::written(options)))
}

/// The choices of a case.
pub fn chosen(case: &Case) -> Result<Vec<Options>, String> {
    case.all("options").map(|text| choices::read(text).ok_or_else(|| format!("`{text}` are no options"))).collect()
}

/// The symbols with a label.
pub fn labelled(spds: &Spds, label: &str) -> Vec<SymbolId> {
    symbols(spds, |symbol| spds.symbol(symbol).labels.iter().any(|own| &**own == label))
}

fn symbols(spds: &Spds, wanted: impl Fn(SymbolId) -> bool) -> Vec<SymbolId> {
    (0..spds.symbols.len() as u32).map(SymbolId).filter(|symbol| wanted(*symbol)).collect()
}

/// The oracle remembers every state by itself: so many take it a second and some hundred megabytes. A case with more is a round
/// without checks.
pub const LARGEST: usize = 1 << 17;

/// Two answers for each set of targets and each choice.
pub fn places(case: &Case, spds: &Spds, targets: &[Vec<SymbolId>]) -> Result<u64, String> {
    let Some(explored) = explore_within(spds, LARGEST) else { return Ok(0) };
    let mut checks = 0;
    for options in chosen(case)? {
        for targets in targets {
            if let Some(what) = differs(spds, &explored, targets, &options) {
                return Err(format!("{what}\nwith {}", choices::written(&options)));
            }
            let properties =
                [(reach(targets), explored.distance(targets)), (Property::Assertions, explored.failing(spds))];
            for (property, distance) in properties {
                if let Some(what) = certified::differs(spds, &property, distance.is_some(), &options) {
                    return Err(format!("{what}\nwith {}", choices::written(&options)));
                }
            }
            checks += 2;
        }
    }
    Ok(checks)
}

/// The question whether one of these symbols comes to the top.
pub fn reach(targets: &[SymbolId]) -> Property {
    Property::Reach(targets.iter().map(|symbol| Target { control: None, symbol: *symbol }).collect())
}
