//! Which pointers may point where: Andersen's analysis (L. O. Andersen, *Program analysis and specialization for the C programming
//! language*, 1994), field-sensitive for named objects, by a work list.
//!
//! An object is a variable, a procedure, or all that one `malloc` allocates. Pointers that are arbitrary but valid (results of procedures
//! without a body, what the front end does not represent) may point anywhere where an address was taken; those that are not initialised
//! point nowhere, because no run goes past an access through them.

pub mod object;

mod solve;

use std::collections::{BTreeSet, HashMap};

pub use object::{Location, Object, ObjectId, Objects, Offset};

use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::program::{Callee, Procedure, ProcedureId, Program};

/// Where a pointer may point.
pub type Targets = BTreeSet<Location>;

/// What was found out about a program.
#[derive(Debug)]
pub struct PointsTo {
    /// The objects.
    pub objects: Objects,
    /// Where the pointers in these locations may point.
    contents: HashMap<Location, Targets>,
    /// All locations that an arbitrary valid pointer may point to.
    anywhere: Targets,
}

/// Analyses a program. Cubic in it at worst.
pub fn points_to(program: &Program) -> PointsTo {
    solve::solve(program)
}

impl PointsTo {
    /// Where the pointer in a location may point.
    pub fn content(&self, location: Location) -> Targets {
        let mut targets = self.contents.get(&location).cloned().unwrap_or_default();
        if location.offset == Offset::Any {
            let same = |other: &&Location| other.object == location.object;
            self.contents.keys().filter(same).for_each(|other| targets.extend(&self.contents[other]));
        } else {
            let any = Location { object: location.object, offset: Offset::Any };
            targets.extend(self.contents.get(&any).into_iter().flatten());
        }
        self.widened(targets)
    }

    fn widened(&self, targets: Targets) -> Targets {
        if targets.contains(&Location::UNKNOWN) { self.anywhere.clone() } else { targets }
    }

    /// Where the value of an expression of a pointer type may point.
    pub fn value(&self, program: &Program, expression: ExpressionId) -> Targets {
        let mut stack = vec![expression];
        let mut targets = Targets::new();
        while let Some(expression) = stack.pop() {
            match &program.terms.get(expression).kind {
                ExpressionKind::Read(lvalue) | ExpressionKind::Pre(lvalue) => {
                    self.lvalue(program, *lvalue)
                        .into_iter()
                        .for_each(|location| targets.extend(self.content(location)));
                }
                ExpressionKind::AddressOf(lvalue) => targets.extend(self.lvalue(program, *lvalue)),
                ExpressionKind::Procedure(procedure) => targets.extend(self.objects.procedure(*procedure)),
                ExpressionKind::Convert(of) => stack.push(*of),
                ExpressionKind::Offset(pointer, _) => {
                    let element = self.objects.pointee_size(program, expression);
                    let moved = |location| self.objects.moved(location, element);
                    targets.extend(self.value(program, *pointer).into_iter().map(moved));
                }
                ExpressionKind::Conditional(_, yes, no) => stack.extend([*yes, *no]),
                _ => {}
            }
        }
        self.widened(targets)
    }

    /// Which locations an lvalue may be.
    pub fn lvalue(&self, program: &Program, lvalue: LvalueId) -> Targets {
        let mut path = Vec::new();
        let mut at = lvalue;
        let roots: Targets = loop {
            match &program.terms.at(at).kind {
                LvalueKind::Variable(variable) => break self.objects.variable(*variable).into_iter().collect(),
                LvalueKind::Deref(pointer) => break self.value(program, *pointer),
                LvalueKind::Field(of, field) => {
                    path.push((*of, *field));
                    at = *of;
                }
                // The cells of an array are one location.
                LvalueKind::Element(of, _) => at = *of,
            }
        };
        let distance = object::distance(program, &path);
        roots.into_iter().map(|location| self.objects.further(location, distance)).collect()
    }

    /// The procedures that a call may enter.
    pub fn callees(&self, program: &Program, callee: Callee) -> Vec<ProcedureId> {
        match callee {
            Callee::Procedure(procedure) => vec![procedure],
            Callee::Pointer(pointer) => {
                let targets = self.value(program, pointer);
                targets.iter().filter_map(|target| self.objects.as_procedure(target.object)).collect()
            }
        }
    }

    /// All that can be reached from some locations, themselves included.
    pub fn reachable(&self, from: &Targets) -> Targets {
        let mut reached = Targets::new();
        let mut stack: Vec<Location> = from.iter().copied().collect();
        while let Some(location) = stack.pop() {
            if reached.insert(location) {
                // Whoever has a pointer into an object can get at all of it.
                let any = Location { object: location.object, offset: Offset::Any };
                stack.push(any);
                stack.extend(self.content(any));
            }
        }
        reached
    }
}

/// The variables of a procedure: formals, then locals.
pub(crate) fn frame(procedure: &Procedure) -> impl Iterator<Item = crate::c::program::VariableId> {
    procedure.formals.iter().chain(&procedure.locals).copied()
}
