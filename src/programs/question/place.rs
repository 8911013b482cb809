//! Statements of C programs by the names that a user gives them: `proc:L`, `L`, `*:L`, `:LINE`, `FILE:LINE`, `proc`.

use std::collections::BTreeSet;

use spds_format::reading::near::edit_distance;

use crate::c::program::{Label, ProcedureId, Program, Statement, StatementId, Storage};
use crate::places::PlaceError;

/// The statements that a name stands for, as `--reach` has them for other inputs; besides `FILE:LINE`, and the name of a procedure for
/// where it begins. Linear.
///
/// # Errors
/// If there is no such place, or a bare label is one of several procedures.
pub fn places(program: &Program, place: &str) -> Result<Vec<StatementId>, PlaceError> {
    if let Some((file, line)) = place.rsplit_once(':')
        && let Ok(line) = line.parse::<u32>()
    {
        return on_line(program, place, file, line);
    }
    let labelled = labelled(program, place)?;
    if !labelled.is_empty() {
        return Ok(labelled);
    }
    if let Some(id) = program.procedure_named(place).filter(|&id| program.procedure(id).body.is_some()) {
        return Ok(vec![StatementId::first(id)]);
    }
    let candidates = ranked(program, place);
    let instead = instead(program, place, &candidates);
    Err(PlaceError::Unknown { place: place.into(), candidates, instead })
}

/// What a name is that is no place, and what may be meant by it.
fn instead(program: &Program, place: &str, candidates: &[String]) -> Option<String> {
    let colon = place.replacen('.', ":", 1);
    if colon != place && candidates.contains(&colon) {
        return Some(format!("labels stand after a colon: `{colon}`"));
    }
    let global = program.variables.iter().any(|known| known.storage == Storage::Global && *known.name == *place);
    let told = || {
        format!("`{place}` is a variable, no place: whether it can become true is asked by `--ltl 'G !{{{place}}}'`")
    };
    global.then(told)
}

/// All statements with their places.
pub(super) fn statements(program: &Program) -> impl Iterator<Item = (StatementId, &Statement)> {
    let procedures = (0..).map(ProcedureId).zip(&program.procedures);
    procedures.flat_map(|(id, procedure)| {
        let body = procedure.body.iter().flatten();
        (0..).map(Label).zip(body).map(move |(label, statement)| (StatementId::of(id, label), statement))
    })
}

/// Whether a file of the program is meant by what somebody typed: nothing, its name, or the end of its path.
fn is_file(program: &Program, typed: &str, file: u32) -> bool {
    let name = program.files.get(file as usize).map_or("", |name| &**name);
    typed.is_empty() || name == typed || name.strip_suffix(typed).is_some_and(|rest| rest.ends_with('/'))
}

fn on_line(program: &Program, place: &str, file: &str, line: u32) -> Result<Vec<StatementId>, PlaceError> {
    let inside = || statements(program).filter(|(_, statement)| is_file(program, file, statement.place.file));
    let here: Vec<StatementId> =
        inside().filter(|(_, statement)| statement.place.line == line).map(|(place, _)| place).collect();
    if !here.is_empty() {
        return Ok(here);
    }
    let lines: BTreeSet<u32> = inside().map(|(_, statement)| statement.place.line).collect();
    let (below, above) = (lines.range(..line).next_back(), lines.range(line..).next());
    let mut nearest: Vec<u32> = below.into_iter().chain(above).copied().collect();
    nearest.sort_by_key(|known| known.abs_diff(line));
    let candidates = nearest.into_iter().map(|line| format!("{file}:{line}")).collect();
    Err(PlaceError::NoStatement { place: place.into(), candidates })
}

fn labelled(program: &Program, place: &str) -> Result<Vec<StatementId>, PlaceError> {
    let (procedure, label) = match place.rsplit_once(':') {
        Some((procedure, label)) => (Some(procedure), label),
        None => (None, place),
    };
    let named = |id: ProcedureId| procedure.is_none_or(|name| name == "*" || *program.procedure(id).name == *name);
    let has = |statement: &Statement| statement.labels.iter().any(|known| **known == *label);
    let found: Vec<StatementId> =
        statements(program).filter(|(at, statement)| named(at.procedure) && has(statement)).map(|(at, _)| at).collect();
    let owners: BTreeSet<ProcedureId> = found.iter().map(|at| at.procedure).collect();
    if procedure.is_none() && owners.len() > 1 {
        let qualified = owners.into_iter().map(|id| format!("{}:{label}", program.procedure(id).name));
        let candidates = qualified.chain([format!("*:{label}")]).collect();
        return Err(PlaceError::Ambiguous { place: place.into(), candidates });
    }
    Ok(found)
}

/// All labels and procedures.
pub fn names(program: &Program) -> BTreeSet<String> {
    let labels = statements(program).flat_map(|(at, statement)| {
        statement.labels.iter().map(move |label| format!("{}:{label}", program.procedure(at.procedure).name))
    });
    let defined = program.procedures.iter().filter(|procedure| procedure.body.is_some());
    labels.chain(defined.map(|procedure| procedure.name.to_string())).collect()
}

/// The same, the nearest to what was typed first.
fn ranked(program: &Program, place: &str) -> Vec<String> {
    let mut ranked: Vec<(usize, String)> = names(program)
        .into_iter()
        .map(|name| (edit_distance(place, &name).min(edit_distance(place, bare(&name))), name))
        .collect();
    ranked.sort();
    ranked.into_iter().map(|(_, name)| name).collect()
}

fn bare(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}
