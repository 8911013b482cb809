//! The work list: statements are looked at again when what a pointer that they read may point to has grown.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::program::{Callee, ProcedureId, Program, StatementKind};
use crate::c::types::Type;

use super::object::{Location, Objects, anywhere, formals};
use super::{PointsTo, Targets};

/// A flow of pointers.
#[derive(Clone, Debug)]
enum Flow {
    Assign(LvalueId, ExpressionId),
    Call(Option<LvalueId>, Callee, Vec<ExpressionId>),
    /// A location gets these targets.
    Put(LvalueId, Targets),
    /// All that these pointers reach may be overwritten with any pointer.
    Expose(Vec<ExpressionId>),
}

pub(super) fn solve(program: &Program) -> PointsTo {
    let objects = Objects::new(program);
    let anywhere = anywhere(program, &objects);
    let flows = flows(program, &objects);
    let results = results(program);
    let mut state = PointsTo { objects, contents: HashMap::new(), anywhere };
    let mut queue: VecDeque<usize> = (0..flows.len()).collect();
    let mut queued: HashSet<usize> = queue.iter().copied().collect();
    while let Some(at) = queue.pop_front() {
        queued.remove(&at);
        if apply(program, &mut state, &results, &flows[at]) {
            // Few statements move pointers; all of them are asked again.
            queue.extend((0..flows.len()).filter(|&other| queued.insert(other)));
        }
    }
    state
}

fn is_pointer(program: &Program, lvalue: LvalueId) -> bool {
    matches!(program.types.get(program.terms.at(lvalue).ty), Type::Pointer(_))
}

fn flows(program: &Program, objects: &Objects) -> Vec<Flow> {
    let mut flows: Vec<Flow> = program.initial.iter().map(|&(to, value)| Flow::Assign(to, value)).collect();
    let unknown = || Targets::from([Location::UNKNOWN]);
    for (index, procedure) in program.procedures.iter().enumerate() {
        let id = ProcedureId(index as u32);
        for (at, statement) in procedure.body.iter().flatten().enumerate() {
            match &statement.kind {
                StatementKind::Assign(to, value) => flows.push(Flow::Assign(*to, *value)),
                StatementKind::Call(to, callee, arguments) => flows.push(Flow::Call(*to, *callee, arguments.clone())),
                StatementKind::External(to, _, arguments) => {
                    flows.push(Flow::Expose(arguments.clone()));
                    flows.extend(to.map(|to| Flow::Put(to, unknown())));
                }
                StatementKind::Input(to, _) | StatementKind::Havoc(to, _) => flows.push(Flow::Put(*to, unknown())),
                StatementKind::Allocate { to, .. } => {
                    let label = crate::c::program::Label(at as u32);
                    flows.push(Flow::Put(*to, objects.allocated(id, label).into_iter().collect()));
                }
                _ => {}
            }
        }
    }
    flows.retain(|flow| match flow {
        Flow::Assign(to, _) | Flow::Put(to, _) => is_pointer(program, *to),
        Flow::Call(..) | Flow::Expose(_) => true,
    });
    flows
}

/// What each procedure returns.
fn results(program: &Program) -> Vec<Vec<ExpressionId>> {
    let returned = |procedure: &crate::c::program::Procedure| {
        let kinds = procedure.body.iter().flatten().map(|statement| &statement.kind);
        kinds.filter_map(|kind| if let StatementKind::Return(value) = kind { *value } else { None }).collect()
    };
    program.procedures.iter().map(returned).collect()
}

/// Whether something has grown.
fn apply(program: &Program, state: &mut PointsTo, results: &[Vec<ExpressionId>], flow: &Flow) -> bool {
    match flow {
        Flow::Assign(to, value) => {
            let targets = state.value(program, *value);
            put(program, state, *to, &targets)
        }
        Flow::Put(to, targets) => put(program, state, *to, targets),
        Flow::Expose(arguments) => {
            let mut given = Targets::new();
            arguments.iter().for_each(|&argument| given.extend(state.value(program, argument)));
            let reached = state.reachable(&given);
            let mut grown = false;
            for location in reached {
                grown |= state.contents.entry(location).or_default().insert(Location::UNKNOWN);
            }
            grown
        }
        Flow::Call(to, callee, arguments) => {
            let mut grown = false;
            for procedure in state.callees(program, *callee) {
                for (formal, &argument) in formals(program, &state.objects, procedure).into_iter().zip(arguments) {
                    let targets = state.value(program, argument);
                    grown |= formal.is_some_and(|formal| add(state, formal, &targets));
                }
                for &value in &results[procedure.0 as usize] {
                    let targets = state.value(program, value);
                    grown |= to.is_some_and(|to| put(program, state, to, &targets));
                }
            }
            grown
        }
    }
}

fn put(program: &Program, state: &mut PointsTo, to: LvalueId, targets: &Targets) -> bool {
    let mut grown = false;
    for location in state.lvalue(program, to) {
        grown |= add(state, location, targets);
    }
    grown
}

fn add(state: &mut PointsTo, location: Location, targets: &Targets) -> bool {
    if targets.is_empty() {
        return false;
    }
    let known = state.contents.entry(location).or_default();
    let before = known.len();
    known.extend(targets);
    known.len() > before
}
