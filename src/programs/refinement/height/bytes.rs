//! What the frames of a C program take: its procedures as compilers know them.

use std::collections::{BTreeMap, BTreeSet};

use crate::analyses::{Analysed, Analyses};
use crate::c::Program;
use crate::c::library::{is_part, modelled};
use crate::c::program::{Callee, ProcedureId, StatementKind};
use crate::stack::Sizes;
use crate::stack_usage::{Frames, INDIRECT, Procedure, Target, Usage, frames};

use super::hands;

/// The frames of the procedures that the entry may reach, and of those that have no body.
///
/// # Errors
/// Sentences about frames that are not known.
pub fn sizes(
    Analysed { program, analyses }: Analysed<'_>,
    usage: &Usage,
    given: &Sizes,
    target: Target,
) -> Result<Frames, Vec<String>> {
    let ids: Vec<ProcedureId> = (0..program.procedures.len() as u32).map(ProcedureId).collect();
    let mut needed: BTreeSet<ProcedureId> = ids.iter().copied().filter(|&id| analyses.is_reached(id)).collect();
    let reached: Vec<ProcedureId> = needed.iter().copied().collect();
    needed.extend(reached.iter().flat_map(|&id| called_outside(program, analyses, id)));
    // What models of the library call to do their work is part of their frames.
    let needed: Vec<ProcedureId> = needed.into_iter().filter(|id| !is_part(&program.procedure(*id).name)).collect();
    let place = |id: &usize| needed.iter().position(|other| other.0 as usize == *id);
    let one = |&id: &ProcedureId| {
        let procedure = program.procedure(id);
        let own = procedure.body.is_some() && modelled(&procedure.name).is_none() && procedure.foreign.is_none();
        let outside: Vec<usize> = called_outside(program, analyses, id).into_iter().map(|id| id.0 as usize).collect();
        let callees = analyses.modified().calls[id.0 as usize].iter().chain(&outside).filter_map(place).collect();
        let file = program.files.get(procedure.place.file as usize).filter(|_| own);
        let unit = file.map(|file| file.rsplit(['/', '\\']).next().unwrap_or(file).to_owned());
        let directory = file.zip(unit.as_ref()).map(|(file, unit)| file[..file.len() - unit.len()].to_owned());
        Procedure {
            name: name(&procedure.name).to_owned(),
            unit,
            directory: directory.unwrap_or_default(),
            callees,
            sites: sites(program, id),
        }
    };
    let procedures: Vec<Procedure> = needed.iter().map(one).collect();
    let found = frames(usage, &procedures, given, target)?;
    let at = |id: &ProcedureId| needed.iter().position(|other| other == id);
    let all = |of: &[u64]| ids.iter().map(|id| at(id).map_or(0, |at| of[at])).collect();
    Ok(Frames { bytes: all(&found.bytes), beside: all(&found.beside), ..found })
}

/// How many statements of a procedure call others that have a body, by name; and how many call by a pointer.
fn sites(program: &Program, id: ProcedureId) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for statement in program.procedure(id).body.iter().flatten() {
        let called = match &statement.kind {
            StatementKind::Call(_, Callee::Procedure(callee), _) if program.procedure(*callee).body.is_some() => {
                name(&program.procedure(*callee).name)
            }
            StatementKind::Call(_, Callee::Pointer(_), _) => INDIRECT,
            _ => continue,
        };
        *all.entry(called.to_owned()).or_default() += 1;
    }
    all
}

/// The name of a procedure as its compiler knows it.
pub(super) fn name(name: &str) -> &str {
    let own = modelled(name).unwrap_or(name);
    own.rsplit_once(':').map_or(own, |(_, name)| name)
}

/// The procedures without a body that one calls itself.
pub(super) fn called_outside(program: &Program, analyses: &Analyses, id: ProcedureId) -> BTreeSet<ProcedureId> {
    let mut all = program.procedure(id).outside.clone();
    for statement in program.procedure(id).body.iter().flatten() {
        all.extend(hands(program, &statement.kind));
        if let StatementKind::Input(_, kind) = &statement.kind {
            all.extend(kind.procedure().and_then(|name| program.procedure_named(name)));
        }
        let callees = analyses.points_to().called(program, &statement.kind);
        all.extend(callees.into_iter().filter(|&callee| program.procedure(callee).body.is_none()));
    }
    all
}

/// The names by which frames can be known: those of all procedures, as compilers know them.
pub fn names(program: &Program) -> BTreeSet<String> {
    program.procedures.iter().map(|procedure| name(&procedure.name).to_owned()).collect()
}
