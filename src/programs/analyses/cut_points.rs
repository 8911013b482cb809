//! Cut points, where a program can go round for ever: in one frame through a loop, or down the stack through procedures that call each other. Each
//! such way passes one of finitely many places again and again.

use std::collections::BTreeSet;

use crate::c::program::{Label, ProcedureId, Program, StatementId};
use crate::points_to::PointsTo;

/// A place that ways which go on for ever pass again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cut {
    /// A statement, within one frame.
    Inside(StatementId),
    /// The entry of a procedure, each time while its earlier frames are open.
    Entry(ProcedureId),
    /// A statement, in whatever frame.
    Anywhere(StatementId),
}

impl Cut {
    /// Where it is.
    pub fn procedure(self) -> ProcedureId {
        let (Cut::Inside(StatementId { procedure, .. })
        | Cut::Entry(procedure)
        | Cut::Anywhere(StatementId { procedure, .. })) = self;
        procedure
    }
}

/// Places such that every cycle of the flow of control within a procedure has one, and every cycle of calls; of procedures that are
/// called, by calls or through pointers. Linear in the flow of control and in the calls.
pub(super) fn cuts(program: &Program, points_to: &PointsTo) -> Vec<Cut> {
    let calls: Vec<Vec<usize>> =
        (0..program.procedures.len()).map(|at| callees(program, points_to, ProcedureId(at as u32))).collect();
    let walked = walk(calls.len(), program.main.0 as usize, &|at| calls[at].clone());
    let mut cuts = Vec::new();
    for id in (0..).map(ProcedureId).take(program.procedures.len()) {
        let Some(body) = program.procedure(id).body.as_ref().filter(|_| walked.reached[id.0 as usize]) else {
            continue;
        };
        let next = |at: usize| {
            let to = body[at].kind.successors(Label(at as u32)).map(|label| label.0 as usize);
            to.filter(|to| *to < body.len()).collect()
        };
        let loops = walk(body.len(), 0, &next).heads;
        cuts.extend(loops.into_iter().map(|at| Cut::Inside(StatementId::of(id, Label(at as u32)))));
    }
    cuts.extend(walked.heads.into_iter().map(|at| Cut::Entry(ProcedureId(at as u32))));
    cuts
}

fn callees(program: &Program, points_to: &PointsTo, procedure: ProcedureId) -> Vec<usize> {
    let body = program.procedure(procedure).body.iter().flatten();
    let callees: BTreeSet<ProcedureId> =
        body.flat_map(|statement| points_to.called(program, &statement.kind)).collect();
    callees.into_iter().map(|id| id.0 as usize).collect()
}

/// What a walk in depth finds.
struct Walked {
    reached: Vec<bool>,
    /// Where edges lead back to what is being visited: each cycle has one of these. Ascending.
    heads: Vec<usize>,
}

fn walk(count: usize, start: usize, next: &dyn Fn(usize) -> Vec<usize>) -> Walked {
    let (mut reached, mut open, mut is_head) = (vec![false; count], vec![false; count], vec![false; count]);
    let mut stack = Vec::new();
    if start < count {
        (reached[start], open[start]) = (true, true);
        stack.push((start, next(start)));
    }
    while let Some((at, ways)) = stack.last_mut() {
        let Some(to) = ways.pop() else {
            open[*at] = false;
            stack.pop();
            continue;
        };
        is_head[to] |= open[to];
        if !reached[to] {
            (reached[to], open[to]) = (true, true);
            stack.push((to, next(to)));
        }
    }
    Walked { reached, heads: (0..count).filter(|at| is_head[*at]).collect() }
}
