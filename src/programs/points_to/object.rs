//! Objects and the locations in them: offsets in bytes, the cells of an array being one.

use std::collections::HashMap;

use crate::c::effective::Class;
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::program::{Callee, Label, ProcedureId, Program, StatementId, StatementKind, Storage, VariableId};
use crate::c::types::{Integer, Type, TypeId};

use super::frame;
use crate::c::reached::Reached;

/// An index into [`Objects`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

/// Something that can be pointed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// A variable.
    Variable(VariableId),
    /// A procedure.
    Procedure(ProcedureId),
    /// What a statement allocates.
    Allocated(StatementId),
    /// All that the program did not make: where results of procedures without a body, arguments of `main` and external variables
    /// point to, data and procedures alike. Its pointers may point anywhere.
    Outside,
}

/// Where in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Offset {
    /// So many bytes from its beginning, in the first cell of each array.
    At(u64),
    /// Anywhere.
    Any,
}

/// A place in memory, or several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// In which object.
    pub object: ObjectId,
    /// Where in it.
    pub offset: Offset,
}

impl Location {
    /// What an arbitrary valid pointer points to.
    pub(super) const UNKNOWN: Location = Location { object: ObjectId(u32::MAX), offset: Offset::Any };
}

#[derive(Clone, Copy, Debug)]
struct Known {
    object: Object,
    /// The type of the object, or of the elements of what is allocated.
    ty: Option<TypeId>,
    /// The size of that type.
    size: Option<u64>,
    /// Whether it may stand for several objects at one time.
    summary: bool,
}

/// All objects of a program.
#[derive(Debug)]
pub struct Objects {
    list: Vec<Known>,
    variables: HashMap<VariableId, ObjectId>,
    procedures: HashMap<ProcedureId, ObjectId>,
    allocated: HashMap<StatementId, ObjectId>,
    outside: ObjectId,
    /// The strides of arrays in each object: where one begins and ends, and how long its elements are; outer ones first.
    strides: Vec<Vec<Stride>>,
}

#[derive(Clone, Copy, Debug)]
struct Stride {
    begin: u64,
    end: u64,
    element: u64,
    /// The most bytes of a record that begins where it does, if it is the first member of one.
    record: u64,
}

impl Objects {
    /// Those of a program.
    pub(super) fn new(program: &Program, reached: &Reached) -> Objects {
        let mut this = Objects {
            list: Vec::new(),
            variables: HashMap::new(),
            procedures: HashMap::new(),
            allocated: HashMap::new(),
            outside: ObjectId(0),
            strides: Vec::new(),
        };
        this.outside = this.push(program, Object::Outside, None, true);
        let repeated = repeated(program, reached);
        for (index, variable) in program.variables.iter().enumerate() {
            let id = VariableId(index as u32);
            // A frame of a recursive procedure is one of several.
            let summary = matches!(variable.storage, Storage::Local(of) if repeated.recursive[of.0 as usize] && variable.address_taken);
            let object = this.push(program, Object::Variable(id), Some(variable.ty), summary);
            this.variables.insert(id, object);
        }
        for (index, procedure) in program.procedures.iter().enumerate() {
            let id = ProcedureId(index as u32);
            let object = this.push(program, Object::Procedure(id), None, false);
            this.procedures.insert(id, object);
            for (at, statement) in procedure.body.iter().flatten().enumerate() {
                if let StatementKind::Allocate { element, .. } = &statement.kind {
                    let statement = StatementId::of(id, Label(at as u32));
                    let summary = repeated.statements.contains(&statement);
                    let object = this.push(program, Object::Allocated(statement), *element, summary);
                    this.allocated.insert(statement, object);
                }
            }
        }
        this
    }

    fn push(&mut self, program: &Program, object: Object, ty: Option<TypeId>, summary: bool) -> ObjectId {
        let id = ObjectId(self.list.len() as u32);
        let size = ty.and_then(|ty| program.types.size(ty));
        self.list.push(Known { object, ty, size, summary });
        let allocated = matches!(object, Object::Allocated(..));
        self.strides.push(ty.map_or_else(Vec::new, |ty| strides(program, ty, allocated)));
        id
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = ObjectId> + use<> {
        (0..self.list.len() as u32).map(ObjectId)
    }

    /// What an object is.
    pub fn get(&self, object: ObjectId) -> Object {
        self.list[object.0 as usize].object
    }

    /// The type of a variable; of what is allocated, that of its elements, if it is known.
    pub fn ty(&self, object: ObjectId) -> Option<TypeId> {
        self.list[object.0 as usize].ty
    }

    /// Whether it may stand for several objects at one time. Nothing in it is ever updated for certain.
    pub fn is_summary(&self, object: ObjectId) -> bool {
        self.list[object.0 as usize].summary
    }

    /// The beginning of a variable.
    pub fn variable(&self, variable: VariableId) -> Option<Location> {
        self.variables.get(&variable).map(|&object| Location { object, offset: Offset::At(0) })
    }

    /// A procedure.
    pub fn procedure(&self, procedure: ProcedureId) -> Option<Location> {
        self.procedures.get(&procedure).map(|&object| Location { object, offset: Offset::At(0) })
    }

    /// All that the program did not make.
    pub fn outside(&self) -> ObjectId {
        self.outside
    }

    /// What a statement allocates.
    pub fn allocated(&self, statement: StatementId) -> Option<Location> {
        self.allocated.get(&statement).map(|&object| Location { object, offset: Offset::At(0) })
    }

    /// The procedure that an object is.
    pub fn as_procedure(&self, object: ObjectId) -> Option<ProcedureId> {
        match self.list.get(object.0 as usize)?.object {
            Object::Procedure(procedure) => Some(procedure),
            _ => None,
        }
    }

    /// The variable that an object is.
    pub fn as_variable(&self, object: ObjectId) -> Option<VariableId> {
        match self.list.get(object.0 as usize)?.object {
            Object::Variable(variable) => Some(variable),
            _ => None,
        }
    }

    /// So many bytes further, in the same object.
    pub fn further(&self, location: Location, distance: u64) -> Location {
        match location.offset {
            Offset::At(offset) if location != Location::UNKNOWN => self.normal(location.object, offset + distance),
            _ => location,
        }
    }

    /// The location of a byte: the first cell stands for all of an array.
    pub fn normal(&self, object: ObjectId, offset: u64) -> Location {
        let mut offset = offset;
        for stride in &self.strides[object.0 as usize] {
            if (stride.begin..stride.end).contains(&offset) {
                offset = stride.begin + (offset - stride.begin) % stride.element;
            }
        }
        Location { object, offset: Offset::At(offset) }
    }

    /// Some elements of that size further: in an array of such elements the same location, elsewhere anything in the object.
    pub(super) fn moved(&self, location: Location, element: Option<u64>) -> Location {
        let Offset::At(offset) = location.offset else { return location };
        let strides = &self.strides[location.object.0 as usize];
        let fits = |stride: &Stride| {
            // A pointer to bytes may be one to all bytes of the record that begins there (C11 §6.3.2.3, paragraph 7).
            let whole = stride.element > 1 || stride.begin.saturating_add(stride.record) <= stride.end;
            whole && Some(stride.element) == element && (stride.begin..stride.end).contains(&offset)
        };
        // A pointer to all of an object that is no array can only be moved by 0, or to its end.
        let alone = strides.is_empty() && offset == 0 && element == self.list[location.object.0 as usize].size;
        if strides.iter().any(fits) || alone && element.is_some() {
            return location;
        }
        Location { object: location.object, offset: Offset::Any }
    }

    /// What a write of a scalar of a type there may change: more than that location where others see the same bytes in another way.
    pub fn written(&self, program: &Program, location: Location, ty: TypeId) -> Location {
        let Offset::At(offset) = location.offset else { return location };
        match self.ty(location.object) {
            Some(whole) if scalar_at(program, whole, offset, ty).is_some() => location,
            _ => Location { object: location.object, offset: Offset::Any },
        }
    }

    /// The class of the scalar at a byte of an object, if it is as long as those of a type, and no union is around it.
    pub(crate) fn class(&self, program: &Program, object: ObjectId, offset: u64, ty: TypeId) -> Class {
        let there = self.ty(object).and_then(|whole| scalar_at(program, whole, offset, ty));
        there.map_or(Class::Any, |there| Class::of(program, there))
    }

    /// The pointers of an object that a write of a scalar of another type there may overwrite.
    pub(super) fn overwritten(&self, program: &Program, location: Location, ty: TypeId) -> Option<Location> {
        let any = Location { object: location.object, offset: Offset::Any };
        let is_pointer = |ty: &Type| matches!(ty, Type::Pointer(_));
        if matches!(self.get(location.object), Object::Procedure(_) | Object::Outside) {
            return None;
        }
        // Of an object without a type only bytes are copied (C11 §6.5, paragraphs 6 and 7).
        let Some(whole) = self.ty(location.object) else { return (program.types.size(ty) == Some(1)).then_some(any) };
        let there = match location.offset {
            Offset::At(offset) => scalar_at(program, whole, offset, ty),
            Offset::Any => None,
        };
        match there {
            Some(there) => is_pointer(program.types.get(there)).then_some(location),
            None => has_scalar(program, whole, &is_pointer).then_some(any),
        }
    }

    /// The size of what an expression points to.
    pub(super) fn pointee_size(&self, program: &Program, expression: ExpressionId) -> Option<u64> {
        let pointee = program.types.pointee(program.terms.get(expression).ty)?;
        program.types.size(pointee)
    }
}

/// How far a member is from the beginning of what it is a member of.
pub(super) fn distance(program: &Program, of: LvalueId, field: u32) -> u64 {
    let record = program.types.as_record(program.terms.at(of).ty);
    record.and_then(|record| record.fields.get(field as usize)).map_or(0, |field| field.offset)
}

/// The type of the scalar of an object at an offset, if it is as long as those of another type, and no union is around it.
fn scalar_at(program: &Program, whole: TypeId, offset: u64, ty: TypeId) -> Option<TypeId> {
    let (mut at, mut offset) = (whole, offset);
    loop {
        match program.types.get(at) {
            Type::Array(element, _) => {
                offset %= program.types.size(*element).unwrap_or(1).max(1);
                at = *element;
            }
            Type::Record(record) => {
                let record = &program.types.records[record.0 as usize];
                let inside = |field: &&crate::c::types::Field| {
                    let size = program.types.size(field.ty).unwrap_or(0);
                    (field.offset..field.offset + size).contains(&offset)
                };
                let field = record.fields.iter().find(inside).filter(|_| !record.union)?;
                if field.bit.is_some() {
                    // Who writes a bit-field changes nothing else.
                    let is_field = |ty: &Integer| ty.width < program.types.model.width(ty.rank);
                    return program.types.as_integer(ty).filter(is_field).map(|_| field.ty);
                }
                (at, offset) = (field.ty, offset - field.offset);
            }
            Type::Integer(_) | Type::Pointer(_) | Type::Float(_) | Type::Opaque(_) => {
                let fits = offset == 0 && (program.types.is_represented(ty) || program.types.is_opaque(ty));
                return (fits && program.types.size(at) == program.types.size(ty)).then_some(at);
            }
            _ => return None,
        }
    }
}

/// Whether a type has a scalar of some kind in it.
pub(super) fn has_scalar(program: &Program, ty: TypeId, wanted: &dyn Fn(&Type) -> bool) -> bool {
    program.types.has_part(ty, |part| match program.types.get(part) {
        Type::Array(..) | Type::Record(_) => false,
        other => wanted(other),
    })
}

/// The arrays in an object of that type. Arrays in the first element stand for those in all.
fn strides(program: &Program, ty: TypeId, allocated: bool) -> Vec<Stride> {
    let mut found = Vec::new();
    if allocated {
        let element = program.types.size(ty).unwrap_or(1).max(1);
        found.push(Stride { begin: 0, end: u64::MAX, element, record: 0 });
    }
    let mut queue = std::collections::VecDeque::from([(ty, 0, 0)]);
    while let Some((ty, begin, record)) = queue.pop_front() {
        match program.types.get(ty) {
            Type::Array(element, _) => {
                let (whole, each) = (program.types.size(ty).unwrap_or(0), program.types.size(*element).unwrap_or(0));
                if each > 0 {
                    found.push(Stride { begin, end: begin.saturating_add(whole), element: each, record });
                }
                queue.push_back((*element, begin, record));
            }
            Type::Record(inner) => {
                let inner = &program.types.records[inner.0 as usize];
                let around = |offset: u64| if offset == 0 { record.max(inner.size) } else { 0 };
                let fields = inner.fields.iter();
                queue.extend(fields.map(|field| (field.ty, begin + field.offset, around(field.offset))));
            }
            _ => {}
        }
    }
    found
}

/// What may happen more than once.
struct Repeated {
    /// Procedures that may be entered while they are active.
    recursive: Vec<bool>,
    /// Statements that allocate and may be executed twice.
    statements: std::collections::HashSet<StatementId>,
}

fn repeated(program: &Program, reached: &Reached) -> Repeated {
    let calls = calls(program, reached);
    let count = program.procedures.len();
    let recursive: Vec<bool> = (0..count).map(|from| reaches(&calls, from, from)).collect();
    // A procedure runs at most once if it is `main`, not recursive, and called from one statement at most once.
    let mut often = recursive.clone();
    let mut sites: Vec<Vec<(usize, Label)>> = vec![Vec::new(); count];
    for (caller, to) in calls.iter().enumerate() {
        to.iter().for_each(|&(label, callee)| sites[callee].push((caller, label)));
    }
    loop {
        let before = often.clone();
        for callee in 0..count {
            let again = |&(caller, label): &(usize, Label)| {
                often[caller] || in_cycle(program, caller, label) || is_external(program, caller, label)
            };
            let starts = usize::from(program.main.0 as usize == callee);
            often[callee] |= sites[callee].len() + starts > 1 || sites[callee].iter().any(again);
        }
        if often == before {
            break;
        }
    }
    let mut statements = std::collections::HashSet::new();
    for (index, procedure) in program.procedures.iter().enumerate() {
        for (at, statement) in procedure.body.iter().flatten().enumerate() {
            let label = Label(at as u32);
            if matches!(statement.kind, StatementKind::Allocate { .. })
                && (often[index] || in_cycle(program, index, label))
            {
                statements.insert(StatementId::of(ProcedureId(index as u32), label));
            }
        }
    }
    Repeated { recursive, statements }
}

/// For each procedure, its calls: a pointer to a function may be any whose address is taken, and who is given pointers may call those.
fn calls(program: &Program, reached: &Reached) -> Vec<Vec<(Label, usize)>> {
    let taken: Vec<usize> = (0..program.procedures.len()).filter(|&at| reached.taken[at]).collect();
    let body = |at: usize| -> Vec<(Label, usize)> {
        let mut list = Vec::new();
        let body = program.procedures[at].body.as_ref().filter(|_| reached.procedures[at]);
        for (at, statement) in body.into_iter().flatten().enumerate() {
            match statement.kind {
                StatementKind::Call(_, Callee::Procedure(callee), _) => {
                    list.push((Label(at as u32), callee.0 as usize))
                }
                StatementKind::Call(_, Callee::Pointer(_), _) | StatementKind::External(..) => {
                    list.extend(taken.iter().map(|&callee| (Label(at as u32), callee)));
                }
                _ => {}
            }
        }
        list
    };
    (0..program.procedures.len()).map(body).collect()
}

fn reaches(calls: &[Vec<(Label, usize)>], from: usize, to: usize) -> bool {
    let mut seen = vec![false; calls.len()];
    let mut stack: Vec<usize> = calls[from].iter().map(|&(_, callee)| callee).collect();
    while let Some(at) = stack.pop() {
        if at == to {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            stack.extend(calls[at].iter().map(|&(_, callee)| callee));
        }
    }
    false
}

/// Whether a statement calls what is not known, which may call others as often as it likes.
fn is_external(program: &Program, procedure: usize, label: Label) -> bool {
    let statement = program.procedures[procedure].body.as_ref().and_then(|body| body.get(label.0 as usize));
    statement.is_some_and(|statement| {
        let kind = &statement.kind;
        matches!(kind, StatementKind::External(..) | StatementKind::Call(_, Callee::Pointer(_), _))
    })
}

/// Whether control can come from a statement back to it without leaving the procedure.
fn in_cycle(program: &Program, procedure: usize, label: Label) -> bool {
    let Some(body) = &program.procedures[procedure].body else { return false };
    let mut seen = vec![false; body.len()];
    let mut stack: Vec<Label> = body[label.0 as usize].kind.successors(label).collect();
    while let Some(at) = stack.pop() {
        if at == label {
            return true;
        }
        let index = at.0 as usize;
        if index < body.len() && !std::mem::replace(&mut seen[index], true) {
            stack.extend(body[index].kind.successors(at));
        }
    }
    false
}

/// The objects whose address may be in a pointer that nobody knows: variables and procedures whose address is taken, what is allocated,
/// and what the program did not make.
pub(super) fn anywhere(program: &Program, objects: &Objects, taken: &[bool]) -> super::Targets {
    let exposed = |&object: &ObjectId| match objects.get(object) {
        Object::Variable(variable) => program.variable(variable).address_taken,
        Object::Procedure(procedure) => taken[procedure.0 as usize],
        Object::Allocated(..) | Object::Outside => true,
    };
    objects.iter().filter(exposed).map(|object| Location { object, offset: Offset::Any }).collect()
}

/// The frame of each procedure as locations.
pub(super) fn formals(program: &Program, objects: &Objects, procedure: ProcedureId) -> Vec<Option<Location>> {
    let procedure = program.procedure(procedure);
    frame(procedure).take(procedure.formals.len()).map(|variable| objects.variable(variable)).collect()
}
