//! Who calls whom in a C program: as data for pictures and pages.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;

use crate::analyses::Analyses;
use crate::c::Program;
use crate::c::program::ProcedureId;
use crate::stack::{Called, Callee, Calls};
use crate::stack_usage::Frames;

use super::super::ranking::components;
use super::Bound;
use super::bytes::called_outside;
use super::deepest::Opened;

/// Who tells who calls whom.
pub(super) struct Callers<'c> {
    pub program: &'c Program,
    pub analyses: &'c Analyses,
    pub bytes: Option<&'c Frames>,
}

impl Callers<'_> {
    /// The calls that can be made, as far as that is known, and those of procedures without a body; with those of a stack marked.
    pub fn of(&self, bound: Option<&Bound>, stack: &[Opened]) -> Calls {
        let mut callees = match bound {
            Some(bound) => made(bound),
            None => self.possible(),
        };
        let main = self.program.main;
        let mut order = vec![main];
        let mut known = BTreeSet::from([main]);
        let mut at = 0;
        while let Some(&from) = order.get(at) {
            if self.program.procedure(from).body.is_some() {
                let outside = called_outside(self.program, self.analyses, from);
                callees.entry(from).or_default().extend(outside);
            }
            order.extend(callees.get(&from).into_iter().flatten().copied().filter(|&callee| known.insert(callee)));
            at += 1;
        }
        let places: BTreeMap<ProcedureId, usize> = order.iter().enumerate().map(|(at, &id)| (id, at)).collect();
        let deep: BTreeSet<ProcedureId> = stack.iter().map(|&(procedure, _)| procedure).collect();
        let deeper: BTreeSet<(ProcedureId, ProcedureId)> = stack.windows(2).map(|two| (two[0].0, two[1].0)).collect();
        let mut calls = Vec::new();
        for (&from, all) in callees.iter().filter(|(from, _)| known.contains(from)) {
            let called = |&to: &ProcedureId| Called {
                from: places[&from],
                to: places[&to],
                deepest: deeper.contains(&(from, to)),
            };
            calls.extend(all.iter().map(called));
        }
        calls.sort_unstable();
        let edges: Vec<(usize, usize)> = calls.iter().map(|call| (call.from, call.to)).collect();
        let mut recursive: BTreeSet<usize> =
            edges.iter().filter(|(from, to)| from == to).map(|&(from, _)| from).collect();
        for part in components(order.len(), edges) {
            recursive.extend(part.iter().copied().filter(|_| part.len() > 1));
        }
        let callee = |(at, &id): (usize, &ProcedureId)| Callee {
            name: self.program.procedure(id).name.to_string(),
            bytes: self.bytes.and_then(|frames| frames.bytes.get(id.0 as usize)).map(|&bytes| BigUint::from(bytes)),
            recursive: recursive.contains(&at),
            deepest: deep.contains(&id),
        };
        Calls { procedures: order.iter().enumerate().map(callee).collect(), calls }
    }

    /// Where nothing is known of which calls can be made.
    fn possible(&self) -> BTreeMap<ProcedureId, BTreeSet<ProcedureId>> {
        let mut callees: BTreeMap<ProcedureId, BTreeSet<ProcedureId>> = BTreeMap::new();
        let ids = (0..self.program.procedures.len() as u32).map(ProcedureId);
        for id in ids.filter(|&id| self.analyses.is_reached(id)) {
            for statement in self.program.procedure(id).body.iter().flatten() {
                let called = self.analyses.points_to().called(self.program, &statement.kind);
                callees.entry(id).or_default().extend(called);
            }
        }
        callees
    }
}

/// The calls on ways that can be taken.
fn made(bound: &Bound) -> BTreeMap<ProcedureId, BTreeSet<ProcedureId>> {
    let mut callees: BTreeMap<ProcedureId, BTreeSet<ProcedureId>> = BTreeMap::new();
    for way in &bound.ways {
        let (Some(from), Some(call)) = (way.from, way.call) else { continue };
        let from = bound.procedures[from];
        callees.entry(from).or_default().insert(call.by.unwrap_or(call.callee));
        if let Some(by) = call.by {
            callees.entry(by).or_default().insert(call.callee);
        }
    }
    callees
}
