//! MOD, the side effects of procedures: what a call may write, through pointers and in what it calls in turn.

use std::collections::BTreeSet;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::c::expression::LvalueId;
use crate::c::program::{ProcedureId, Program, StatementKind};
use crate::points_to::{Location, Object, Offset, PointsTo, Targets};

/// What procedures may write, and whom they call.
#[derive(Default)]
pub struct Modified {
    /// For each procedure, the locations that outlive it, or that others can see, which it or what it calls may write.
    pub written: Vec<Targets>,
    /// For each procedure those that it calls itself, or that may be called back where it leaves the program; sorted.
    pub calls: Vec<Vec<usize>>,
}

/// Those of all procedures: the least fixed point over the calls. Linear in them, but for what is written.
pub(super) fn modified(program: &Program, points_to: &PointsTo) -> Modified {
    let mut modified: Vec<Targets> = Vec::new();
    let mut calls: Vec<Vec<usize>> = Vec::new();
    for (id, procedure) in (0..).map(ProcedureId).zip(&program.procedures) {
        let (mut own, mut callees) = (Targets::new(), BTreeSet::new());
        if !points_to.is_reached(id) {
            modified.push(own);
            calls.push(Vec::new());
            continue;
        }
        // Binding arguments writes the formals, which somebody may point to.
        own.extend(procedure.formals.iter().filter_map(|&formal| points_to.objects.variable(formal)));
        for statement in procedure.body.iter().flatten() {
            effects(program, points_to, &statement.kind, &mut own);
            callees.extend(points_to.called(program, &statement.kind));
        }
        own.retain(|location| !is_private(program, points_to, location));
        modified.push(own);
        calls.push(callees.into_iter().map(|callee| callee.0 as usize).collect());
    }
    close(&mut modified, &calls);
    Modified { written: modified, calls }
}

/// Adds what callees write: components of the call graph one after the other, callees first; procedures that call each other write the same.
fn close(written: &mut [Targets], calls: &[Vec<usize>]) {
    let edges =
        calls.iter().enumerate().flat_map(|(caller, callees)| callees.iter().map(move |&callee| (caller, callee)));
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    let nodes: Vec<NodeIndex> = written.iter().map(|_| graph.add_node(())).collect();
    for (caller, callee) in edges {
        graph.update_edge(nodes[caller], nodes[callee], ());
    }
    for component in kosaraju_scc(&graph) {
        let members: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
        let mut all = Targets::new();
        let own = members.iter().chain(members.iter().flat_map(|&member| &calls[member]));
        let own: BTreeSet<usize> = own.copied().collect();
        for procedure in own {
            all.extend(&written[procedure]);
        }
        for &member in &members[1..] {
            written[member].clone_from(&all);
        }
        written[members[0]] = all;
    }
}

/// A local whose address is nowhere taken: each frame has its own.
fn is_private(program: &Program, points_to: &PointsTo, location: &Location) -> bool {
    matches!(points_to.objects.get(location.object), Object::Variable(variable) if program.is_private(variable))
}

/// The locations that a write of an lvalue may change.
fn written(program: &Program, points_to: &PointsTo, to: LvalueId) -> Targets {
    let ty = program.terms.at(to).ty;
    points_to.lvalue(program, to).into_iter().map(|location| points_to.objects.written(program, location, ty)).collect()
}

/// The locations that a statement itself may write, or hands to others that may.
pub fn effects(program: &Program, points_to: &PointsTo, kind: &StatementKind, own: &mut Targets) {
    own.extend(kind.target().into_iter().flat_map(|to| written(program, points_to, to)));
    if let StatementKind::Declare(variable) = kind {
        let location = points_to.objects.variable(*variable);
        own.extend(location.map(|location| Location { object: location.object, offset: Offset::Any }));
    }
    own.extend(points_to.handed(program, kind).into_iter().flatten());
}
