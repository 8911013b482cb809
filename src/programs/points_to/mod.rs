//! Which pointers may point where: Andersen's analysis (L. O. Andersen, *Program analysis and specialization for the C programming
//! language*, 1994), field-sensitive for named objects, by a work list.
//!
//! An object is a variable, a procedure, all that one `malloc` allocates, or all that the program did not make. Pointers that are arbitrary
//! but valid (results of procedures without a body, arguments of `main`, external variables, what the front end does not represent,
//! and those that may be read before they are assigned) may point anywhere where an address was taken, and outside.

pub mod object;

mod solve;
mod unassigned;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

pub use object::{Location, Object, ObjectId, Objects, Offset};

use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{Callee, Procedure, ProcedureId, Program, StatementKind};

/// Where a pointer may point.
pub type Targets = BTreeSet<Location>;

/// What was found out about a program.
#[derive(Debug)]
pub struct PointsTo {
    /// The objects.
    pub objects: Objects,
    /// Where the pointers of each object may point, by their offsets: any valid pointer is not written out.
    contents: Vec<BTreeMap<Offset, Targets>>,
    /// All locations that an arbitrary valid pointer may point to.
    anywhere: Targets,
    /// What each procedure returns.
    results: Vec<Vec<ExpressionId>>,
    /// For each procedure, whether the entry may reach it.
    reached: Vec<bool>,
    /// What is exposed with any valid pointer, once it is known where pointers point.
    everything: OnceLock<Targets>,
}

/// Analyses what the entry of a program may reach. Cubic in it at worst.
pub fn points_to(program: &Program) -> PointsTo {
    solve::solve(program)
}

impl PointsTo {
    /// Whether the entry may reach a procedure: by calls, through pointers, or by whoever is handed its address.
    pub fn is_reached(&self, procedure: ProcedureId) -> bool {
        self.reached[procedure.0 as usize]
    }

    /// Where the pointer in a location may point.
    pub fn content(&self, location: Location) -> Targets {
        self.widened(self.held(location).copied().collect())
    }

    /// The same, any valid pointer not written out; the same target may come more than once.
    fn held(&self, location: Location) -> impl Iterator<Item = &Location> {
        let own = self.contents.get(location.object.0 as usize).into_iter().flatten();
        let seen = move |offset: Offset| [location.offset, offset].contains(&Offset::Any) || offset == location.offset;
        own.filter(move |(offset, _)| seen(**offset)).flat_map(|(_, targets)| targets)
    }

    /// Any valid pointer, written out.
    fn widened(&self, mut targets: Targets) -> Targets {
        if targets.remove(&Location::UNKNOWN) {
            targets.extend(&self.anywhere);
        }
        targets
    }

    /// Where the value of an expression of a pointer type may point.
    pub fn value(&self, program: &Program, expression: ExpressionId) -> Targets {
        self.widened(self.targets(program, Term::Expression(expression)))
    }

    /// Which locations an lvalue may be.
    pub fn lvalue(&self, program: &Program, lvalue: LvalueId) -> Targets {
        self.widened(self.targets(program, Term::Lvalue(lvalue)))
    }

    /// Parts before wholes, however deep; any valid pointer is not written out.
    fn targets(&self, program: &Program, root: Term) -> Targets {
        let mut known: FxHashMap<Term, Targets> = FxHashMap::default();
        for term in program.terms.postorder(root) {
            let targets = match term {
                Term::Expression(id) => self.pointed(program, id, &known),
                Term::Lvalue(id) => self.designated(program, id, &known),
            };
            if !targets.is_empty() {
                known.insert(term, targets);
            }
        }
        known.remove(&root).unwrap_or_default()
    }

    fn pointed(&self, program: &Program, id: ExpressionId, known: &FxHashMap<Term, Targets>) -> Targets {
        let of = |part: Term| known.get(&part).into_iter().flatten().copied();
        match program.terms.get(id).kind {
            ExpressionKind::Read(lvalue) | ExpressionKind::Pre(lvalue) => {
                let mut read = Targets::new();
                for location in self.widened(of(Term::Lvalue(lvalue)).collect()) {
                    read.extend(self.held(location));
                }
                read
            }
            ExpressionKind::AddressOf(lvalue) => of(Term::Lvalue(lvalue)).collect(),
            ExpressionKind::Procedure(procedure) => self.objects.procedure(procedure).into_iter().collect(),
            ExpressionKind::Convert(a) => of(Term::Expression(a)).collect(),
            ExpressionKind::Offset(pointer, _) => {
                let element = self.objects.pointee_size(program, id);
                of(Term::Expression(pointer)).map(|location| self.objects.moved(location, element)).collect()
            }
            _ => Targets::new(),
        }
    }

    fn designated(&self, program: &Program, id: LvalueId, known: &FxHashMap<Term, Targets>) -> Targets {
        let of = |part: Term| known.get(&part).into_iter().flatten().copied();
        match program.terms.at(id).kind {
            LvalueKind::Variable(variable) => self.objects.variable(variable).into_iter().collect(),
            LvalueKind::Deref(pointer) => of(Term::Expression(pointer)).collect(),
            LvalueKind::Field(whole, field) => {
                let distance = object::distance(program, whole, field);
                of(Term::Lvalue(whole)).map(|location| self.objects.further(location, distance)).collect()
            }
            // The cells of an array are one location.
            LvalueKind::Element(whole, _) => of(Term::Lvalue(whole)).collect(),
        }
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

    /// Whether a call may enter a procedure of which nothing is known.
    pub fn leaves(&self, program: &Program, callee: Callee) -> bool {
        match callee {
            Callee::Procedure(_) => false,
            Callee::Pointer(pointer) => {
                let outside = |target: &Location| target.object == self.objects.outside();
                self.value(program, pointer).iter().any(outside)
            }
        }
    }

    /// What a procedure of which nothing is known gets at if it is given these values: all that can be reached from them, and from
    /// what the procedures among that return to it.
    pub fn exposed(&self, program: &Program, arguments: &[ExpressionId]) -> Targets {
        let given = arguments.iter().flat_map(|&argument| self.targets(program, Term::Expression(argument))).collect();
        if !self.is_anything(&given) {
            return self.exposed_from(program, &given);
        }
        let all = self.everything.get_or_init(|| self.exposed_from(program, &Targets::from([Location::UNKNOWN])));
        all.iter().chain(&given).copied().filter(|one| *one != Location::UNKNOWN).collect()
    }

    /// Whether these are any valid pointer and nothing else.
    fn is_anything(&self, given: &Targets) -> bool {
        let is_among = |one: &Location| self.anywhere.contains(&Location { offset: Offset::Any, ..*one });
        given.contains(&Location::UNKNOWN) && given.iter().all(|one| *one == Location::UNKNOWN || is_among(one))
    }

    /// The same, of what is given.
    fn exposed_from(&self, program: &Program, given: &Targets) -> Targets {
        let mut exposed = self.reachable(given);
        loop {
            let before = exposed.len();
            for procedure in self.called_back(program, &exposed) {
                let returned = self.results[procedure.0 as usize].iter();
                exposed.extend(returned.flat_map(|&value| self.value(program, value)));
            }
            if exposed.len() == before {
                return exposed;
            }
            exposed = self.reachable(&exposed);
        }
    }

    /// The procedures with a body among what somebody gets at: it may call them.
    pub fn called_back(&self, program: &Program, exposed: &Targets) -> Vec<ProcedureId> {
        let procedures: BTreeSet<ProcedureId> =
            exposed.iter().filter_map(|target| self.objects.as_procedure(target.object)).collect();
        procedures.into_iter().filter(|&procedure| program.procedure(procedure).body.is_some()).collect()
    }

    /// What a statement hands to procedures of which nothing is known, if it calls one.
    pub fn handed(&self, program: &Program, kind: &StatementKind) -> Option<Targets> {
        match kind {
            StatementKind::External(_, _, arguments, effect) => {
                effect.writes().then(|| self.exposed(program, arguments))
            }
            StatementKind::Call(_, callee, arguments) => {
                let unknown = |callee: &ProcedureId| program.procedure(*callee).body.is_none();
                let leaves = self.leaves(program, *callee) || self.callees(program, *callee).iter().any(unknown);
                leaves.then(|| self.exposed(program, arguments))
            }
            _ => None,
        }
    }

    /// The procedures that a statement may call, or that may be called back where it leaves the program.
    pub fn called(&self, program: &Program, kind: &StatementKind) -> BTreeSet<ProcedureId> {
        let mut called = BTreeSet::new();
        if let StatementKind::Call(_, callee, _) = kind {
            called.extend(self.callees(program, *callee));
        }
        if let Some(exposed) = self.handed(program, kind) {
            called.extend(self.called_back(program, &exposed));
        }
        called
    }

    /// All that can be reached from some locations, themselves included.
    pub fn reachable(&self, from: &Targets) -> Targets {
        let (mut reached, mut is_unknown) = (Targets::new(), false);
        let mut stack: Vec<Location> = from.iter().copied().collect();
        while let Some(location) = stack.pop() {
            if location == Location::UNKNOWN {
                if !std::mem::replace(&mut is_unknown, true) {
                    stack.extend(&self.anywhere);
                }
            } else if reached.insert(location) {
                // Whoever has a pointer into an object can get at all of it.
                let any = Location { object: location.object, offset: Offset::Any };
                stack.push(any);
                if location == any {
                    stack.extend(self.held(any));
                }
            }
        }
        reached
    }
}

/// The variables of a procedure: formals, then locals.
pub(crate) fn frame(procedure: &Procedure) -> impl Iterator<Item = crate::c::program::VariableId> {
    procedure.formals.iter().chain(&procedure.locals).copied()
}
