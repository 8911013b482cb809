//! The work list: statements are looked at again when what a pointer that they read may point to has grown.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::c::expression::{ExpressionId, LvalueId, LvalueKind};
use crate::c::program::{Callee, ProcedureId, Program, StatementKind};
use crate::c::types::Type;

use super::object::{Location, ObjectId, Objects, Offset, anywhere, formals};
use super::{PointsTo, Targets};

/// A flow of pointers.
#[derive(Clone, Debug)]
enum Flow {
    Assign(LvalueId, ExpressionId),
    Call(Option<LvalueId>, Callee, Vec<ExpressionId>),
    /// A location gets these targets.
    Put(LvalueId, Targets),
    /// All that these pointers reach may be overwritten with any pointer, and called with any.
    Expose(Vec<ExpressionId>),
    /// What is no pointer is written: pointers whose bytes it overwrites may be any.
    Overwrite(LvalueId),
}

pub(super) fn solve(program: &Program) -> PointsTo {
    let objects = Objects::new(program);
    let anywhere = anywhere(program, &objects);
    let flows = flows(program, &objects);
    let results = results(program);
    let mut state = PointsTo { objects, contents: HashMap::new(), anywhere, results };
    let formals = program.procedure(program.main).formals.iter();
    let arbitrary = formals.chain(&program.external).filter_map(|&variable| state.objects.variable(variable));
    let arbitrary: Vec<ObjectId> = arbitrary.map(|location| location.object).chain([state.objects.outside()]).collect();
    for object in arbitrary {
        add(&mut state, Location { object, offset: Offset::Any }, &Targets::from([Location::UNKNOWN]));
    }
    let mut queue: VecDeque<usize> = (0..flows.len()).collect();
    let mut queued: HashSet<usize> = queue.iter().copied().collect();
    while let Some(at) = queue.pop_front() {
        queued.remove(&at);
        if apply(program, &mut state, &flows[at]) {
            // Few statements move pointers; all of them are asked again.
            queue.extend((0..flows.len()).filter(|&other| queued.insert(other)));
        }
    }
    state
}

fn is_pointer(program: &Program, lvalue: LvalueId) -> bool {
    matches!(program.types.get(program.terms.at(lvalue).ty), Type::Pointer(_))
}

fn is_scalar_variable(program: &Program, lvalue: LvalueId) -> bool {
    let lvalue = program.terms.at(lvalue);
    matches!(lvalue.kind, LvalueKind::Variable(_)) && program.types.is_scalar(lvalue.ty)
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
                StatementKind::External(to, _, arguments, effect) => {
                    flows.extend(effect.writes().then(|| Flow::Expose(arguments.clone())));
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
    let mut overwrites: Vec<LvalueId> = program.unrepresented.iter().map(|&(to, _)| to).collect();
    for flow in &mut flows {
        if let Flow::Assign(to, _) | Flow::Put(to, _) | Flow::Call(Some(to), ..) = *flow
            && !is_pointer(program, to)
        {
            overwrites.push(to);
            if let Flow::Call(receiver, ..) = flow {
                *receiver = None;
            }
        }
    }
    flows.retain(|flow| !matches!(flow, Flow::Assign(to, _) | Flow::Put(to, _) if !is_pointer(program, *to)));
    overwrites.retain(|&to| !is_scalar_variable(program, to));
    flows.extend(overwrites.into_iter().map(Flow::Overwrite));
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
fn apply(program: &Program, state: &mut PointsTo, flow: &Flow) -> bool {
    match flow {
        Flow::Assign(to, value) => {
            let targets = state.value(program, *value);
            put(program, state, *to, &targets)
        }
        Flow::Put(to, targets) => put(program, state, *to, targets),
        Flow::Expose(arguments) => expose(program, state, arguments),
        Flow::Overwrite(to) => overwrite(program, state, *to),
        Flow::Call(to, callee, arguments) => {
            let mut grown = false;
            let callees = state.callees(program, *callee);
            let is_foreign = |callee: &ProcedureId| program.procedure(*callee).body.is_none();
            if state.leaves(program, *callee) || callees.iter().any(is_foreign) {
                grown |= expose(program, state, arguments);
                let unknown = Targets::from([Location::UNKNOWN]);
                grown |= to.filter(|to| is_pointer(program, *to)).is_some_and(|to| put(program, state, to, &unknown));
            }
            for procedure in callees {
                for (formal, &argument) in formals(program, &state.objects, procedure).into_iter().zip(arguments) {
                    let targets = state.value(program, argument);
                    grown |= formal.is_some_and(|formal| add(state, formal, &targets));
                }
                for value in state.results[procedure.0 as usize].clone() {
                    let targets = state.value(program, value);
                    grown |= to.is_some_and(|to| put(program, state, to, &targets));
                }
            }
            grown
        }
    }
}

fn expose(program: &Program, state: &mut PointsTo, arguments: &[ExpressionId]) -> bool {
    let unknown = Targets::from([Location::UNKNOWN]);
    let exposed = state.exposed(program, arguments);
    let mut grown = false;
    for procedure in state.called_back(program, &exposed) {
        for formal in formals(program, &state.objects, procedure).into_iter().flatten() {
            grown |= add(state, formal, &unknown);
        }
    }
    for location in exposed {
        grown |= add(state, location, &unknown);
    }
    grown
}

/// Somebody may copy a pointer byte by byte, or look at it as another member of a union.
fn overwrite(program: &Program, state: &mut PointsTo, to: LvalueId) -> bool {
    let ty = program.terms.at(to).ty;
    let mut grown = false;
    for location in state.lvalue(program, to) {
        let overwritten = state.objects.overwritten(program, location, ty);
        grown |= overwritten.is_some_and(|there| add(state, there, &Targets::from([Location::UNKNOWN])));
    }
    grown
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
