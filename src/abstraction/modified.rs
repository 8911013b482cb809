//! MOD: what a call may write, through pointers and in what it calls in turn.

use crate::c::program::{Label, ProcedureId, Program, StatementKind, Storage};
use crate::points_to::{Location, Object, Offset, PointsTo, Targets};

/// For each procedure, the locations that outlive it, or that others can see, which it or what it calls may write.
pub(super) type Modified = Vec<Targets>;

/// Those of all procedures: a fixed point over the calls.
pub(super) fn modified(program: &Program, points_to: &PointsTo) -> Modified {
    let mut modified: Modified = Vec::new();
    let mut calls: Vec<Vec<usize>> = Vec::new();
    for (index, procedure) in program.procedures.iter().enumerate() {
        let (mut own, mut callees) = (Targets::new(), Vec::new());
        // Binding arguments writes the formals, which somebody may point to.
        own.extend(procedure.formals.iter().filter_map(|&formal| points_to.objects.variable(formal)));
        for (at, statement) in procedure.body.iter().flatten().enumerate() {
            let here = (ProcedureId(index as u32), Label(at as u32));
            effects(program, points_to, here, &statement.kind, &mut own, &mut callees);
        }
        own.retain(|location| !is_private(program, points_to, location));
        modified.push(own);
        calls.push(callees);
    }
    loop {
        let mut grown = false;
        for caller in 0..modified.len() {
            for &callee in &calls[caller] {
                let new: Vec<Location> = modified[callee].difference(&modified[caller]).copied().collect();
                grown |= !new.is_empty();
                modified[caller].extend(new);
            }
        }
        if !grown {
            return modified;
        }
    }
}

/// A local whose address is nowhere taken: each frame has its own.
fn is_private(program: &Program, points_to: &PointsTo, location: &Location) -> bool {
    let Object::Variable(variable) = points_to.objects.get(location.object) else { return false };
    let variable = program.variable(variable);
    matches!(variable.storage, Storage::Local(_)) && !variable.address_taken
}

fn effects(
    program: &Program,
    points_to: &PointsTo,
    _: (ProcedureId, Label),
    kind: &StatementKind,
    own: &mut Targets,
    callees: &mut Vec<usize>,
) {
    match kind {
        StatementKind::Assign(to, _) | StatementKind::Input(to, _) | StatementKind::Havoc(to, _) => {
            own.extend(points_to.lvalue(program, *to));
        }
        StatementKind::Allocate { to, .. } => own.extend(points_to.lvalue(program, *to)),
        StatementKind::Declare(variable) => {
            let location = points_to.objects.variable(*variable);
            own.extend(location.map(|location| Location { object: location.object, offset: Offset::Any }));
        }
        StatementKind::Call(to, callee, arguments) => {
            own.extend(to.iter().flat_map(|&to| points_to.lvalue(program, to)));
            for callee in points_to.callees(program, *callee) {
                callees.push(callee.0 as usize);
                if program.procedure(callee).body.is_none() {
                    own.extend(exposed(program, points_to, arguments));
                }
            }
        }
        StatementKind::External(to, _, arguments) => {
            own.extend(to.iter().flat_map(|&to| points_to.lvalue(program, to)));
            own.extend(exposed(program, points_to, arguments));
        }
        _ => {}
    }
}

/// What can be reached from some arguments.
pub(super) fn exposed(
    program: &Program,
    points_to: &PointsTo,
    arguments: &[crate::c::expression::ExpressionId],
) -> Targets {
    let given = arguments.iter().flat_map(|&argument| points_to.value(program, argument)).collect();
    points_to.reachable(&given)
}
