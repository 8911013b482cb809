//! Where a program that holds may do what is undefined: no run goes past that, and "holds" is about the others.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::model::Place;

use crate::abstraction::{Predicate, Reuse, System, Tuning, UndefinedPoint, abstracted_with_undefined_points};
use crate::c::Program;
use crate::c::library::shown;
use crate::c::program::Overflow;
use crate::check::{self, Property, Target, Verdict};
use crate::options::{Options, TraceWish};
use crate::question::demands::places;
use crate::transition::undefined::Undefined;

use super::Reason;

/// Where runs of an abstraction do something undefined past which none goes, each place once. It is made with what is known from those before
/// it. A limit that is met leaves it open, and the place is listed; so is each call of the library of which it is not seen that it is given
/// what it needs, where no other answer asks.
///
/// # Errors
/// If the judge of the abstraction rejects a run.
pub fn undefined(
    program: &Program,
    predicates: &[Predicate],
    overflow: Overflow,
    (tuning, options): (&Tuning, &Options),
    reuse: &mut Reuse,
) -> Result<Vec<(Undefined, Place)>, Reason> {
    let (made, points) = abstracted_with_undefined_points(program, predicates, overflow, tuning, reuse);
    let library = match overflow {
        // It is one of the failures.
        Overflow::Check => BTreeSet::new(),
        Overflow::Wrap | Overflow::Assume | Overflow::Fails => places(program, &reuse.of_program(program)),
    };
    let library = library.into_iter().map(|place| (Undefined::Library, place));
    if points.is_empty() {
        return Ok(library.collect());
    }
    let system = System::of(&made, &program.files)?;
    let target = |point: &UndefinedPoint| {
        let symbol = system.symbol(point.statement, point.line)?;
        Some(Target { control: None, symbol })
    };
    let properties: Vec<Property> =
        points.iter().map(|point| Property::Reach(target(point).into_iter().collect())).collect();
    let options = Options { trace: TraceWish::None, ..options.clone() };
    let outcome = check::check(&system.spds, &properties, &options)?;
    let met = points.iter().zip(&outcome.answers).filter(|(_, answer)| answer.verdict != Verdict::Unreachable);
    let met: BTreeSet<(Undefined, Place)> = met.map(|(point, _)| (point.kind, point.place)).collect();
    Ok(met.into_iter().chain(library).collect())
}

/// These places in words; nothing if there are none.
pub fn told(program: &Program, met: &[(Undefined, Place)]) -> Option<String> {
    let mut kinds: BTreeMap<Undefined, BTreeSet<(u32, u32)>> = BTreeMap::new();
    for (kind, place) in met {
        let shown = shown(program, *place).into_iter().map(|place| (place.file, place.line));
        kinds.entry(*kind).or_default().extend(shown);
    }
    let one = |&(file, line): &(u32, u32)| {
        let file = program.files.get(file as usize).map_or("", |file| file);
        format!("{file}:{line}")
    };
    let all = kinds
        .iter()
        .map(|(kind, places)| format!("{kind} ({})", places.iter().map(one).collect::<Vec<_>>().join(", ")));
    let all = all.collect::<Vec<_>>().join("; ");
    (!met.is_empty()).then(|| format!("no run goes past what is undefined, and some may come to it: {all}"))
}
