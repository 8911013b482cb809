//! Where users see what happens in models: where these are called.

use std::collections::BTreeSet;

use spds_format::model::Place;

use super::{is_header, modelled};
use crate::c::Program;
use crate::c::program::{Callee, ProcedureId, StatementKind};

/// Where users see a place: there, or, if it is one of a model, where that is called by what is no model.
pub fn shown(program: &Program, place: Place) -> Vec<Place> {
    if !program.files.get(place.file as usize).is_some_and(|file| is_header(file)) {
        return vec![place];
    }
    let bodies = || {
        let numbered = (0..).map(ProcedureId).zip(&program.procedures);
        numbered.filter_map(|(id, procedure)| Some((id, procedure, procedure.body.as_ref()?)))
    };
    let within = bodies().filter(|(_, _, body)| body.iter().any(|statement| statement.place == place));
    let mut open: Vec<ProcedureId> = within.map(|(id, ..)| id).collect();
    let (mut known, mut places): (BTreeSet<ProcedureId>, BTreeSet<Place>) = Default::default();
    while let Some(called) = open.pop() {
        if !known.insert(called) {
            continue;
        }
        for (id, procedure, body) in bodies() {
            let calls = body.iter().filter(
                |statement| matches!(statement.kind, StatementKind::Call(_, Callee::Procedure(id), _) if id == called),
            );
            match modelled(&procedure.name) {
                Some(_) => open.extend(calls.map(|_| id)),
                None => places.extend(calls.map(|statement| statement.place)),
            }
        }
    }
    if places.is_empty() { vec![place] } else { places.into_iter().collect() }
}
