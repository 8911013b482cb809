//! What is used after it was freed, and what is freed twice, as questions written into programs.
//!
//! A run uses something that was freed if it does so of *one* object. Which one is chosen where an object is freed (`.freed` is a pointer to it): a
//! program in which no choice leads to a use through that pointer uses nothing that was freed. Who executes the program need not guess:
//! before each question he gets what is used for the one that was chosen, if it was freed.
//!
//! A pointer leads to the object that was chosen if it is equal to that pointer, unless it may lead to the middle of one
//! (`Freeing::moved`): of such a pointer nothing is known once an object of that kind is freed. What is allocated anew is none that was freed.
//!
//! There is a choice for each group of places that free what may be the same by points-to, so that what has nothing to do with each other is not
//! asked about.

mod pointers;

use std::collections::BTreeSet;

use crate::c::bodiless;
use crate::c::edit;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term, Unary};
use crate::c::library::contracts::{Demand, demands};
use crate::c::meaning::{InputKind, Kind};
use crate::c::program::{Label, ProcedureId, Program, Reason, ReasonId, StatementKind, VariableId};
use crate::c::types::TypeId;
use crate::points_to::{Object, ObjectId, PointsTo, points_to};

use super::wrong::stripped;
pub use pointers::{accessed, frees};
use pointers::{base, behind, class, converted, given, kept, moved_by, statements, variable_in};

/// The kinds that are asked about here.
pub const KINDS: [Kind; 2] = [Kind::UseAfterFree, Kind::DoubleFree];

/// What is freed, and where the choice lies which of it is asked about.
pub struct Freeing<'p> {
    /// As it was.
    program: &'p Program,
    points_to: PointsTo,
    groups: Vec<Group>,
    /// Objects into the middle of which a pointer may lead.
    moved: BTreeSet<ObjectId>,
    /// Formals that nobody changes, and those of them that hold what the first procedure was given.
    kept: BTreeSet<VariableId>,
    given: BTreeSet<VariableId>,
    /// Types to which pointers point that are converted into each other.
    converted: BTreeSet<(TypeId, TypeId)>,
    reason: ReasonId,
    /// `void *`
    untyped: TypeId,
    /// What is allocated anew is none of what procedures are given.
    apart: bool,
}

/// Places that free what may be the same.
struct Group {
    /// To what type the pointer points; any if that is none.
    class: Option<TypeId>,
    /// What may be freed.
    objects: BTreeSet<ObjectId>,
    /// The object that is asked about.
    ghost: LvalueId,
}

/// A question: what is done before it is asked, and when it goes wrong.
pub struct Question {
    /// Nothing for readers.
    pub before: Vec<StatementKind>,
    /// It does where all conditions of one of these are true.
    pub wrong: Vec<Vec<ExpressionId>>,
}

impl<'p> Freeing<'p> {
    /// What a program frees, if it frees anything that the first procedure may reach; the choice becomes a variable of another program, which has its
    /// terms. As expensive as points-to.
    pub fn of(program: &'p Program, written: &mut Program, kinds: &BTreeSet<Kind>) -> Option<Freeing<'p>> {
        if !KINDS.iter().any(|kind| kinds.contains(kind)) || !frees(program) {
            return None;
        }
        let void = written.types.void();
        let untyped = written.types.pointer(void);
        let place = written.procedure(written.main).place;
        let reason = ReasonId(written.reasons.len() as u32);
        written.reasons.push(Reason { what: "whether a pointer leads into an object that was freed".into(), place });
        let points_to = points_to(program);
        let mut moved = BTreeSet::new();
        for statement in statements(program) {
            moved.extend(moved_by(program, &points_to, &statement.kind).iter().map(|target| target.object));
        }
        let (kept, groups) = (kept(program), Vec::new());
        let (given, converted) = (given(program, &points_to, kept.clone()), converted(program));
        let apart = kinds.contains(&Kind::UseAfterFree);
        let mut this = Freeing { program, points_to, groups, moved, kept, given, converted, reason, untyped, apart };
        for statement in statements(program) {
            if let StatementKind::Free(pointer) = statement.kind
                && this.group(pointer).is_none()
            {
                let ghost = edit::global(written, ".freed", untyped);
                let (class, objects) = this.freed_by(pointer);
                this.groups.push(Group { class, objects, ghost });
            }
        }
        Some(this)
    }

    /// To what type a pointer points, and the objects of which it may be.
    fn freed_by(&self, pointer: ExpressionId) -> (Option<TypeId>, BTreeSet<ObjectId>) {
        (class(self.program, pointer), self.objects(pointer))
    }

    /// What a pointer may lead to that can be freed.
    fn objects(&self, pointer: ExpressionId) -> BTreeSet<ObjectId> {
        let is_given = variable_in(self.program, pointer).is_some_and(|id| self.given.contains(&id));
        let targets = self.points_to.value(self.program, pointer);
        let objects = targets.iter().map(|target| target.object);
        let can_be = |object: &ObjectId| match self.points_to.objects.get(*object) {
            Object::Outside => true,
            // What was given was there before.
            Object::Allocated(_) => !is_given,
            Object::Variable(_) | Object::Procedure(_) => false,
        };
        objects.filter(can_be).collect()
    }

    /// The group of a pointer that is freed.
    fn group(&self, pointer: ExpressionId) -> Option<&Group> {
        let (class, objects) = self.freed_by(pointer);
        self.groups.iter().find(|group| group.class == class && group.objects == objects)
    }

    /// The pointers through which a statement gets at objects, before they were moved.
    pub fn accessed(&self, written: &Program, kind: &StatementKind) -> Vec<ExpressionId> {
        let exact = match kind {
            StatementKind::Havoc(_, _, exact) | StatementKind::Unseen(_, _, exact) => *exact,
            _ => None,
        };
        let mut found = accessed(written, kind.terms().chain(exact.map(Term::Expression)));
        found.extend(kind.target().and_then(|to| behind(written, to)));
        if let StatementKind::External(_, callee, arguments, _) = kind {
            let name = &written.procedure(*callee).name;
            let demanded = demands(name).into_iter().flatten().filter_map(|demand| match demand {
                Demand::Text(at, _) | Demand::Bytes(at, ..) | Demand::Object(at, ..) => arguments.get(at).copied(),
                Demand::Stream(_) | Demand::Quotient | Demand::Print | Demand::Scan => None,
            });
            found.extend(demanded.filter_map(|argument| base(written, argument)));
        }
        found
    }

    /// Whether the object of a pointer was freed.
    pub fn asked(&self, written: &mut Program, procedure: ProcedureId, pointer: ExpressionId, kind: Kind) -> Question {
        let (own, objects) = (class(self.program, pointer), self.objects(pointer));
        let pointer = self.untyped(written, pointer);
        let int = written.types.int();
        let zero = written.terms.expression(ExpressionKind::Constant(0), int);
        let (mut before, mut wrong, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for group in &self.groups {
            let common: BTreeSet<ObjectId> = objects.intersection(&group.objects).copied().collect();
            let is_outside = |object: &ObjectId| *object == self.points_to.objects.outside();
            // What is given is freed and used through pointers of one type.
            let alike = match (own, group.class) {
                (Some(own), Some(class)) => own == class || self.converted.contains(&(own, class)),
                _ => true,
            };
            if !common.iter().any(|object| alike || !is_outside(object)) {
                continue;
            }
            let ghost = written.terms.expression(ExpressionKind::Read(group.ghost), self.untyped);
            let null = written.terms.expression(ExpressionKind::Constant(0), self.untyped);
            let some = compared(written, Binary::Unequal, ghost, null);
            let same = compared(written, Binary::Equal, pointer, ghost);
            if wrong.is_empty() {
                let freed = written.terms.expression(ExpressionKind::Unary(Unary::Freed, pointer), self.untyped);
                before.push(StatementKind::Unseen(group.ghost, self.reason, Some(freed)));
            }
            wrong.push(vec![some, same]);
            // What is freed by a pointer to its middle is undefined otherwise.
            if kind == Kind::UseAfterFree && !common.is_disjoint(&self.moved) {
                open.push(some);
            }
        }
        if !open.is_empty() {
            let within = edit::local(written, procedure, ".within", int);
            before.push(StatementKind::Havoc(within, self.reason, Some(zero)));
            let within = written.terms.expression(ExpressionKind::Read(within), int);
            let within = compared(written, Binary::Unequal, within, zero);
            wrong.extend(open.into_iter().map(|some| vec![some, within]));
        }
        if wrong.is_empty() {
            wrong.push(vec![zero]);
        }
        Question { before, wrong }
    }

    /// What is done where an object is freed: the first of these statements has that number.
    pub fn frees(
        &self,
        written: &mut Program,
        procedure: ProcedureId,
        pointer: ExpressionId,
        first: Label,
    ) -> Vec<StatementKind> {
        let ghost = self.group(pointer).map(|group| group.ghost);
        let pointer = self.untyped(written, pointer);
        ghost.map(|ghost| chosen(written, procedure, (ghost, pointer), first)).unwrap_or_default()
    }

    /// What is done behind an allocation that gave this pointer: it is no object that was freed, and none that this procedure was given.
    pub fn allocated(
        &self,
        written: &mut Program,
        procedure: ProcedureId,
        pointer: ExpressionId,
    ) -> Vec<StatementKind> {
        let (pointer, ty) = (self.untyped(written, pointer), self.untyped);
        let mut all = Vec::new();
        for group in &self.groups {
            let ghost = written.terms.expression(ExpressionKind::Read(group.ghost), ty);
            all.push(StatementKind::Assume(compared(written, Binary::Unequal, pointer, ghost)));
        }
        let given: Vec<VariableId> = written.procedure(procedure).formals.clone();
        let is_pointer = |id: &VariableId| self.program.types.pointee(self.program.variable(*id).ty).is_some();
        for id in given.into_iter().filter(is_pointer).filter(|id| self.apart && self.kept.contains(id)) {
            let own = written.variable(id).ty;
            let lvalue = written.terms.lvalue(LvalueKind::Variable(id), own);
            let value = written.terms.expression(ExpressionKind::Read(lvalue), own);
            let value = if own == ty { value } else { written.terms.expression(ExpressionKind::Convert(value), ty) };
            all.push(StatementKind::Assume(compared(written, Binary::Unequal, pointer, value)));
        }
        all
    }

    fn untyped(&self, written: &mut Program, pointer: ExpressionId) -> ExpressionId {
        let pointer = stripped(written, pointer);
        if written.terms.get(pointer).ty == self.untyped {
            return pointer;
        }
        written.terms.expression(ExpressionKind::Convert(pointer), self.untyped)
    }
}

/// The object of a pointer may become the one that is asked about.
fn chosen(
    written: &mut Program,
    procedure: ProcedureId,
    (ghost, pointer): (LvalueId, ExpressionId),
    first: Label,
) -> Vec<StatementKind> {
    let int = written.types.int();
    let choice = edit::local(written, procedure, ".chosen", int);
    let is_chosen = written.terms.expression(ExpressionKind::Read(choice), int);
    let [yes, no] = [2, 3].map(|further| Label(first.0 + further));
    vec![
        StatementKind::Input(choice, InputKind::Choice),
        StatementKind::Branch(is_chosen, yes, no),
        StatementKind::Assign(ghost, pointer),
    ]
}

/// A call of `realloc` that the program's executor understands.
pub struct Reallocation {
    /// Gets the new pointer.
    to: Option<LvalueId>,
    /// What is moved.
    pub old: ExpressionId,
    size: ExpressionId,
}

impl Reallocation {
    /// What a statement does, if it does that.
    pub fn of(program: &Program, kind: &StatementKind) -> Option<Reallocation> {
        let StatementKind::External(to, callee, arguments, _) = kind else { return None };
        let &[old, size, _] = arguments.as_slice() else { return None };
        let name = &program.procedure(*callee).name;
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        (plain == "realloc" && bodiless::library(name).is_some()).then_some(Reallocation { to: *to, old, size })
    }
}

/// What is remembered over such a call.
pub struct Remembered {
    to: Option<LvalueId>,
    /// What the choice is that it may become.
    ghost: LvalueId,
    /// What is moved.
    old: LvalueId,
    /// Whether no bytes are asked for.
    none: LvalueId,
}

impl Freeing<'_> {
    /// What is done before such a call.
    pub fn remembers(
        &self,
        written: &mut Program,
        procedure: ProcedureId,
        of: &Reallocation,
    ) -> (Vec<StatementKind>, Option<Remembered>) {
        let Some(ghost) = self.group(of.old).map(|group| group.ghost) else { return (Vec::new(), None) };
        let (ty, int) = (self.untyped, written.types.int());
        let old = edit::local(written, procedure, ".old", ty);
        let none = edit::local(written, procedure, ".no bytes", int);
        let pointer = self.untyped(written, of.old);
        let size = written.terms.get(of.size).ty;
        let zero = written.terms.expression(ExpressionKind::Constant(0), size);
        let nothing = compared(written, Binary::Equal, of.size, zero);
        let before = vec![StatementKind::Assign(old, pointer), StatementKind::Assign(none, nothing)];
        (before, Some(Remembered { to: of.to, ghost, old, none }))
    }

    /// What is done behind it, where the first of these statements has that number: what it moves is freed where it gives an object, or where no
    /// bytes are asked for, as the GNU C library does.
    pub fn reallocated(
        &self,
        written: &mut Program,
        procedure: ProcedureId,
        of: &Remembered,
        first: Label,
    ) -> Vec<StatementKind> {
        let (ty, int) = (self.untyped, written.types.int());
        let old = written.terms.expression(ExpressionKind::Read(of.old), ty);
        let Some(to) = of.to else { return chosen(written, procedure, (of.ghost, old), first) };
        let none = written.terms.expression(ExpressionKind::Read(of.none), int);
        let own = written.terms.at(to).ty;
        let given = written.terms.expression(ExpressionKind::Read(to), own);
        let null = written.terms.expression(ExpressionKind::Constant(0), own);
        let lacks = compared(written, Binary::Equal, given, null);
        let at = |further: u32| Label(first.0 + further);
        let mut all = vec![StatementKind::Branch(lacks, at(1), at(2)), StatementKind::Branch(none, at(2), at(5))];
        all.extend(chosen(written, procedure, (of.ghost, old), at(2)));
        let fresh = self.allocated(written, procedure, given);
        let end = at(6 + fresh.len() as u32);
        all.push(StatementKind::Branch(lacks, end, at(6)));
        all.extend(fresh);
        all
    }
}

fn compared(program: &mut Program, op: Binary, a: ExpressionId, b: ExpressionId) -> ExpressionId {
    let int = program.types.int();
    program.terms.expression(ExpressionKind::Binary(op, a, b), int)
}
