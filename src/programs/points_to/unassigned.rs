//! Definite assignment: pointers in locals and in what is allocated that may be read before the program gave them a value. They are
//! arbitrary then, and may point anywhere; of all others it is known where they point.
//!
//! A forward analysis of each procedure by itself. What is known of an object ends where its address goes to where it is not followed.

use std::collections::{BTreeMap, BTreeSet};

use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{
    Label, Procedure, ProcedureId, Program, Room, Statement, StatementId, StatementKind, VariableId,
};
use crate::c::types::{Type, TypeId};

use super::object::{Location, ObjectId, Objects, Offset, distance, has_scalar};

/// The pointers that may be read before they are assigned, in procedures that the entry may reach. One pass over the statements for each
/// pointer that a procedure declares or allocates, at worst.
pub(super) fn unassigned(program: &Program, objects: &Objects, reached: &[bool]) -> BTreeSet<Location> {
    let mut found = BTreeSet::new();
    for (id, procedure) in (0..).map(ProcedureId).zip(&program.procedures) {
        if let Some(body) = procedure.body.as_ref().filter(|_| reached[id.0 as usize]) {
            let mut flow = Flow { program, objects, id, body, followed: BTreeSet::new(), found: BTreeSet::new() };
            flow.run(procedure);
            found.extend(flow.found.into_iter().map(|location| match location.offset {
                Offset::At(offset) => objects.normal(location.object, offset),
                Offset::Any => location,
            }));
        }
    }
    found
}

/// The greatest number of pointers in an object that are told apart.
const POINTERS: usize = 256;

/// What is known of an object before a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Fresh {
    /// The locals that hold its address; nobody else does. Empty for a variable, whose address nobody has.
    holders: BTreeSet<VariableId>,
    /// Its pointers that may have no value yet.
    open: BTreeSet<Location>,
}

/// How a part of a statement is used.
#[derive(Clone, Copy)]
enum Use {
    /// Its value goes somewhere.
    Value(ExpressionId),
    /// A pointer of which only what it leads to is used, or whether it is this or that, or that is copied to where it is followed.
    Followed(ExpressionId),
    /// An lvalue, which is not read itself.
    Place(LvalueId),
}

/// By object; those that are not in it have no pointer that may still be open.
type State = BTreeMap<ObjectId, Fresh>;

struct Flow<'p> {
    program: &'p Program,
    objects: &'p Objects,
    id: ProcedureId,
    body: &'p [Statement],
    /// Locals whose address is not taken: nobody else writes them.
    followed: BTreeSet<VariableId>,
    found: BTreeSet<Location>,
}

impl Flow<'_> {
    fn run(&mut self, procedure: &Procedure) {
        let program = self.program;
        let own = procedure.locals.iter().chain(&procedure.formals).copied();
        let is_followed = |id: &VariableId| {
            !program.variable(*id).address_taken && program.types.is_represented(program.variable(*id).ty)
        };
        self.followed = own.filter(is_followed).collect();
        let mut state = State::new();
        // Intermediate values are assigned just before they are read.
        let named = |local: &&VariableId| !program.variable(**local).is_made_up;
        procedure.locals.iter().filter(named).for_each(|&local| self.declared(local, &mut state));
        let mut before: Vec<Option<State>> = vec![None; self.body.len()];
        let mut open = vec![(Label(0), state)];
        while let Some((label, state)) = open.pop() {
            let Some(known) = before.get_mut(label.0 as usize) else { continue };
            let joined = match known.as_ref() {
                None => state,
                Some(known) => joined(known, state, &mut self.found),
            };
            let grown = known.as_ref() != Some(&joined);
            *known = Some(joined);
            if grown {
                self.step(label, &mut open, &before);
            }
        }
    }

    fn step(&mut self, label: Label, open: &mut Vec<(Label, State)>, before: &[Option<State>]) {
        let kind = &self.body[label.0 as usize].kind;
        let mut state = before[label.0 as usize].clone().unwrap_or_default();
        self.statement(label, kind, &mut state);
        open.extend(kind.successors(label).map(|to| (to, state.clone())));
    }

    fn statement(&mut self, label: Label, kind: &StatementKind, state: &mut State) {
        let copy = match kind {
            StatementKind::Assign(to, value) => self.followed_variable(*to).zip(Some(self.held(*value, state))),
            _ => None,
        };
        let is_copy = copy.as_ref().is_some_and(|(_, objects)| !objects.is_empty());
        let is_condition = matches!(kind, StatementKind::Branch(..) | StatementKind::Assume(_));
        for value in kind.operands() {
            let followed = is_copy || is_condition;
            self.evaluated(if followed { Use::Followed(value) } else { Use::Value(value) }, state);
        }
        if let Some(to) = kind.target() {
            self.evaluated(Use::Place(to), state);
            self.assigned(to, state);
        }
        match kind {
            StatementKind::Assign(..) => {
                for (to, object) in copy.iter().flat_map(|(to, objects)| objects.iter().map(move |object| (to, object)))
                {
                    state.entry(*object).or_default().holders.insert(*to);
                }
            }
            StatementKind::Declare(variable) => self.declared(*variable, state),
            StatementKind::Allocate { to, size, room: Room::Heap | Room::Frame, .. } => {
                self.allocated(label, *to, *size, state)
            }
            _ => {}
        }
        // What nobody holds any more is not read any more.
        state
            .retain(|&object, fresh| !fresh.open.is_empty() && (self.is_variable(object) || !fresh.holders.is_empty()));
    }

    fn is_variable(&self, object: ObjectId) -> bool {
        self.objects.as_variable(object).is_some()
    }

    fn declared(&self, variable: VariableId, state: &mut State) {
        let Some(location) = self.objects.variable(variable) else { return };
        let open = self.pointers(location.object, self.program.variable(variable).ty);
        state.insert(location.object, Fresh { holders: BTreeSet::new(), open });
    }

    fn allocated(&mut self, label: Label, to: LvalueId, size: ExpressionId, state: &mut State) {
        let Some(Location { object, .. }) = self.objects.allocated(StatementId::of(self.id, label)) else { return };
        // The one that was made here before.
        self.lost(object, state);
        let given = match self.program.terms.get(size).kind {
            ExpressionKind::Constant(bytes) => u64::try_from(bytes).ok(),
            _ => None,
        };
        let one = |ty: &TypeId| given.is_some() && self.program.types.size(*ty) == given;
        let open = match self.objects.ty(object) {
            Some(ty) if !has_scalar(self.program, ty, &|ty| matches!(ty, Type::Pointer(_))) => BTreeSet::new(),
            ty => match ty.filter(one) {
                Some(ty) => self.pointers(object, ty),
                // Bytes, or several elements.
                None => BTreeSet::from([Location { object, offset: Offset::Any }]),
            },
        };
        match self.followed_variable(to) {
            Some(to) => drop(state.insert(object, Fresh { holders: BTreeSet::from([to]), open })),
            None => self.found.extend(open),
        }
    }

    /// Where there are pointers in an object: each of them, or [`Offset::Any`] if they are many.
    fn pointers(&self, object: ObjectId, ty: TypeId) -> BTreeSet<Location> {
        let any = BTreeSet::from([Location { object, offset: Offset::Any }]);
        let (mut found, mut open) = (BTreeSet::new(), vec![(ty, 0)]);
        while let Some((ty, offset)) = open.pop() {
            if found.len() + open.len() > POINTERS {
                return any;
            }
            match self.program.types.get(ty) {
                Type::Pointer(_) => found.extend([Location { object, offset: Offset::At(offset) }]),
                Type::Array(element, length) => {
                    if !has_scalar(self.program, *element, &|ty| matches!(ty, Type::Pointer(_))) {
                        continue;
                    }
                    let Some(size) = self.program.types.size(*element).filter(|_| *length > 0) else { return any };
                    open.extend((0..*length).take(POINTERS + 1).map(|index| (*element, offset + index * size)));
                }
                Type::Record(record) => {
                    let fields = &self.program.types.records[record.0 as usize].fields;
                    open.extend(fields.iter().map(|field| (field.ty, offset + field.offset)));
                }
                _ => {}
            }
        }
        found
    }

    fn followed_variable(&self, lvalue: LvalueId) -> Option<VariableId> {
        match self.program.terms.at(lvalue).kind {
            LvalueKind::Variable(variable) => Some(variable).filter(|variable| self.followed.contains(variable)),
            _ => None,
        }
    }

    /// The objects whose address an expression may be, as a copy of what one of their holders holds. On each way it is one at most.
    fn held(&self, expression: ExpressionId, state: &State) -> Vec<ObjectId> {
        let Some(holder) = self.copied(expression).and_then(|lvalue| self.followed_variable(lvalue)) else {
            return Vec::new();
        };
        state.iter().filter(|(_, fresh)| fresh.holders.contains(&holder)).map(|(&object, _)| object).collect()
    }

    /// The lvalue that an expression reads, and does nothing else but convert it to another type of pointers.
    fn copied(&self, expression: ExpressionId) -> Option<LvalueId> {
        let mut at = expression;
        loop {
            match self.program.terms.get(at).kind {
                ExpressionKind::Convert(inner) => at = inner,
                ExpressionKind::Read(lvalue) => return Some(lvalue),
                _ => return None,
            }
        }
    }

    /// Something is evaluated, with all its parts.
    fn evaluated(&mut self, whole: Use, state: &mut State) {
        let program = self.program;
        let mut open = vec![whole];
        while let Some(part) = open.pop() {
            match part {
                Use::Followed(pointer) => {
                    match self.copied(pointer).filter(|&lvalue| self.followed_variable(lvalue).is_some()) {
                        Some(variable) => self.looked_at(variable, state),
                        None => open.push(Use::Value(pointer)),
                    }
                }
                Use::Place(lvalue) => match program.terms.at(lvalue).kind {
                    LvalueKind::Variable(_) => {}
                    LvalueKind::Deref(pointer) => open.push(Use::Followed(pointer)),
                    LvalueKind::Field(of, _) => open.push(Use::Place(of)),
                    LvalueKind::Element(of, index) => open.extend([Use::Place(of), Use::Value(index)]),
                },
                Use::Value(id) => match program.terms.get(id).kind {
                    ExpressionKind::Read(lvalue) | ExpressionKind::Pre(lvalue) => {
                        open.push(Use::Place(lvalue));
                        self.looked_at(lvalue, state);
                        self.held(id, state).into_iter().for_each(|object| self.lost(object, state));
                    }
                    ExpressionKind::AddressOf(lvalue) => {
                        open.push(Use::Place(lvalue));
                        self.roots(lvalue, state).into_iter().for_each(|object| self.lost(object, state));
                    }
                    // What comes of a pointer is no pointer.
                    ExpressionKind::Unary(_, a) => open.push(Use::Followed(a)),
                    ExpressionKind::Convert(a) if program.types.pointee(program.terms.get(id).ty).is_none() => {
                        open.push(Use::Followed(a));
                    }
                    ExpressionKind::Binary(operator, a, b) if operator.is_truth() => {
                        open.extend([Use::Followed(a), Use::Followed(b)]);
                    }
                    _ => open.extend(program.terms.parts(Term::Expression(id)).map(|part| match part {
                        Term::Expression(part) => Use::Value(part),
                        Term::Lvalue(part) => Use::Place(part),
                    })),
                },
            }
        }
    }

    /// The objects that an lvalue may be a part of; empty if nothing is known of them.
    fn roots(&self, lvalue: LvalueId, state: &State) -> Vec<ObjectId> {
        let mut at = lvalue;
        loop {
            match self.program.terms.at(at).kind {
                LvalueKind::Variable(variable) => {
                    return self.objects.variable(variable).into_iter().map(|location| location.object).collect();
                }
                LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => at = of,
                LvalueKind::Deref(pointer) => return self.held(pointer, state),
            }
        }
    }

    /// Where in its object an lvalue is, as far as that is constant.
    fn location(&self, lvalue: LvalueId, object: ObjectId) -> Location {
        let (mut at, mut offset) = (lvalue, 0);
        let any = Location { object, offset: Offset::Any };
        loop {
            match self.program.terms.at(at).kind {
                LvalueKind::Variable(_) => return Location { object, offset: Offset::At(offset) },
                LvalueKind::Deref(_) => {
                    // Of another type than what was allocated: not looked into.
                    let same = self.objects.ty(object) == Some(self.program.terms.at(at).ty);
                    return if same { Location { object, offset: Offset::At(offset) } } else { any };
                }
                LvalueKind::Field(of, field) => {
                    offset += distance(self.program, of, field);
                    at = of;
                }
                LvalueKind::Element(of, index) => {
                    let size = self.program.types.size(self.program.terms.at(at).ty);
                    let index = match self.program.terms.get(index).kind {
                        ExpressionKind::Constant(index) => u64::try_from(index).ok(),
                        _ => None,
                    };
                    let Some(further) = size.zip(index).and_then(|(size, index)| size.checked_mul(index)) else {
                        return any;
                    };
                    offset += further;
                    at = of;
                }
            }
        }
    }

    /// An lvalue is read.
    fn looked_at(&mut self, lvalue: LvalueId, state: &mut State) {
        for object in self.roots(lvalue, state) {
            let location = self.location(lvalue, object);
            let read = |open: &&Location| [location.offset, open.offset].contains(&Offset::Any) || **open == location;
            self.found.extend(state.get(&object).iter().flat_map(|fresh| fresh.open.iter().filter(read)));
        }
    }

    fn assigned(&mut self, lvalue: LvalueId, state: &mut State) {
        let is_pointer = matches!(self.program.types.get(self.program.terms.at(lvalue).ty), Type::Pointer(_));
        for object in self.roots(lvalue, state) {
            let location = self.location(lvalue, object);
            let exactly = is_pointer && location.offset != Offset::Any;
            if let Some(fresh) = state.get_mut(&object).filter(|_| exactly) {
                fresh.open.remove(&location);
            }
        }
        if let Some(variable) = self.followed_variable(lvalue) {
            state.values_mut().for_each(|fresh| fresh.holders.retain(|holder| *holder != variable));
        }
    }

    /// An object is not followed any further.
    fn lost(&mut self, object: ObjectId, state: &mut State) {
        if let Some(fresh) = state.remove(&object) {
            self.found.extend(fresh.open);
        }
    }
}

/// What is known where two ways meet. An object that they do not know by the same holders is not followed any further.
fn joined(known: &State, other: State, found: &mut BTreeSet<Location>) -> State {
    let mut state = known.clone();
    for (object, fresh) in other {
        match state.get_mut(&object) {
            None => drop(state.insert(object, fresh)),
            Some(before) => {
                if before.holders != fresh.holders {
                    found.extend(before.open.iter().chain(&fresh.open));
                    before.holders = before.holders.intersection(&fresh.holders).copied().collect();
                }
                before.open.extend(fresh.open);
            }
        }
    }
    state
}
