//! Calls of small procedures made in place: the program that has the body of what is called where the call was, with variables of its own for
//! each such place. It does what the program does, step for step, but for the steps of the call itself.

use std::collections::{BTreeSet, HashMap};

use spds_format::model::Place;

use super::edit::Body;
use super::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use super::program::{
    Callee, Failure, Label, Procedure, ProcedureId, Program, Room, Statement, StatementId, StatementKind, Storage,
    Variable, VariableId,
};
use super::types::{Type, TypeId};

/// How much is put in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Most {
    /// Statements of a procedure that is put in place of its calls, what it calls in place.
    pub small: usize,
    /// Statements that a procedure grows to.
    pub large: usize,
}

/// The program in which calls are made in place, bottom-up, where what is called is small and does not lead to another call of itself; none
/// where there are no such calls. Calls through pointers stay, and so do those with more arguments than there are formals. Linear in the result.
pub fn inlined(program: &Program, most: Most) -> Option<Program> {
    let InPlace { program, changed, .. } = in_place_of(program, most);
    changed.then_some(program)
}

/// A program in which calls are made in place, and where its statements come from.
#[derive(Clone, Debug)]
pub struct InPlace {
    /// The program.
    pub program: Program,
    /// By procedure, for each statement which one of the original it is. A call that is made in place is the first of what its formals and
    /// locals need, if there is something, and a return the first of what comes of it; all else that was added is none.
    pub origins: Vec<Vec<Option<StatementId>>>,
    /// Whether a call was made in place.
    pub changed: bool,
}

/// The same with the origins of all statements, also of a program of which no call can be made in place.
pub fn in_place_of(program: &Program, most: Most) -> InPlace {
    let order = callees_first(program);
    let own = |(id, procedure): (u32, &Procedure)| {
        let body = 0..procedure.body.as_ref().map_or(0, Vec::len) as u32;
        body.map(|at| Some(StatementId::of(ProcedureId(id), Label(at)))).collect()
    };
    let origins = (0..).zip(&program.procedures).map(own).collect();
    let mut made = InPlace { program: program.clone(), origins, changed: false };
    for &procedure in &order.finished {
        in_place(&mut made, procedure, &order.recursive, most);
    }
    made
}

/// The procedures that `main` reaches by direct calls, callees before callers; and those that lead back to themselves.
#[derive(Default)]
struct Order {
    finished: Vec<ProcedureId>,
    recursive: BTreeSet<ProcedureId>,
}

fn callees(procedure: &Procedure) -> Vec<ProcedureId> {
    let callee = |statement: &Statement| match statement.kind {
        StatementKind::Call(_, Callee::Procedure(callee), _) => Some(callee),
        _ => None,
    };
    procedure.body.iter().flatten().filter_map(callee).collect()
}

fn callees_first(program: &Program) -> Order {
    let mut order = Order::default();
    let mut met = BTreeSet::from([program.main]);
    let mut path = vec![(program.main, callees(program.procedure(program.main)))];
    while let Some((procedure, open)) = path.last_mut() {
        let procedure = *procedure;
        match open.pop() {
            Some(callee) if met.insert(callee) => path.push((callee, callees(program.procedure(callee)))),
            Some(callee) => {
                // What is not finished yet is on the path, and leads to itself.
                if path.iter().any(|(on, _)| *on == callee) {
                    order.recursive.insert(callee);
                }
            }
            None => {
                order.finished.push(procedure);
                path.pop();
            }
        }
    }
    order
}

/// Makes the calls of a procedure in place.
fn in_place(made: &mut InPlace, procedure: ProcedureId, recursive: &BTreeSet<ProcedureId>, most: Most) {
    let InPlace { program, origins, .. } = made;
    let Some(old) = program.procedure(procedure).body.clone() else { return };
    let (mut body, mut from) = (Body::default(), Vec::new());
    let mut room = most.large.saturating_sub(old.len());
    let mut changed = false;
    for (statement, &origin) in old.iter().zip(&origins[procedure.0 as usize]) {
        body.begin();
        if let StatementKind::Call(to, Callee::Procedure(callee), arguments) = &statement.kind
            && *callee != procedure
            && !recursive.contains(callee)
            && let Some(size) = fits(program, *callee, to.is_some(), arguments.len())
            && size <= most.small.min(room)
        {
            room -= size;
            changed = true;
            let call = Call { into: procedure, place: statement.place, to: *to, callee: *callee };
            let starts = call.make(program, arguments, &mut body);
            let first = from.len();
            from.resize(body.statements.len(), None);
            for (start, &origin) in starts.into_iter().zip(&origins[callee.0 as usize]).rev() {
                from[start.0 as usize] = origin;
            }
            if from.get(first).is_some_and(Option::is_none) {
                from[first] = origin;
            }
            continue;
        }
        let at = body.copy(statement);
        body.statements[at.0 as usize].labels.clone_from(&statement.labels);
        from.push(origin);
    }
    if changed {
        program.procedures[procedure.0 as usize].body = Some(body.finish());
        origins[procedure.0 as usize] = from;
        made.changed = true;
    }
}

/// How many statements a body has that can be put in place of a call.
fn fits(program: &Program, callee: ProcedureId, wanted: bool, arguments: usize) -> Option<usize> {
    let procedure = program.procedure(callee);
    let body = procedure.body.as_ref()?;
    let is_plain = |kind: &StatementKind| match kind {
        StatementKind::Return(None) => !wanted,
        // What ends with its frame would live longer.
        StatementKind::Allocate { room, .. } => *room != Room::Frame,
        _ => true,
    };
    let own = || procedure.formals.iter().chain(&procedure.locals);
    let fits = procedure.formals.len() == arguments
        && body.iter().all(|statement| is_plain(&statement.kind))
        && own().all(|&id| !names_a_variable(program, program.variable(id).ty));
    fits.then_some(body.len())
}

/// Whether a type has the length of an array in it that is in a variable.
fn names_a_variable(program: &Program, mut ty: TypeId) -> bool {
    loop {
        match program.types.get(ty) {
            Type::Variable(..) => return true,
            Type::Pointer(to) | Type::Array(to, _) => ty = *to,
            _ => return false,
        }
    }
}

/// A call that is made in place.
struct Call {
    into: ProcedureId,
    place: Place,
    to: Option<LvalueId>,
    callee: ProcedureId,
}

impl Call {
    /// Formals get their values, then come the statements of the body; returns go past it. Where these statements begin.
    fn make(&self, program: &mut Program, arguments: &[ExpressionId], body: &mut Body) -> Vec<Label> {
        let callee = program.procedure(self.callee).clone();
        let mut copies = Copies::default();
        for &old in callee.formals.iter().chain(&callee.locals) {
            let new = copies.variable(program, old, self.into);
            body.push(StatementKind::Declare(new), self.place);
        }
        for (old, &argument) in callee.formals.iter().zip(arguments) {
            let new = copies.variables[old];
            let to = program.terms.lvalue(LvalueKind::Variable(new), program.variable(new).ty);
            body.push(StatementKind::Assign(to, argument), self.place);
        }
        // What lived as long as the frame, and has an address that may have been kept.
        let own = callee.formals.iter().chain(&callee.locals).map(|old| copies.variables[old]);
        let dead: Vec<VariableId> = own.filter(|&new| program.variable(new).address_taken).collect();
        let between = self.to.filter(|_| !dead.is_empty()).map(|to| self.between(program, to));
        let statements = callee.body.unwrap_or_default();
        let length = |statement: &Statement| match statement.kind {
            StatementKind::Return(_) => {
                u32::from(self.to.is_some()) + u32::from(between.is_some()) + dead.len() as u32 + 1
            }
            _ => 1,
        };
        let (mut starts, mut next) = (Vec::new(), body.next().0);
        for statement in &statements {
            starts.push(Label(next));
            next += length(statement);
        }
        let start = |label: Label| starts.get(label.0 as usize).copied().unwrap_or(Label(next));
        for statement in &statements {
            let kind = copies.statement(program, &statement.kind);
            match kind {
                StatementKind::Return(value) => {
                    if let (Some(to), Some(value)) = (self.to, value) {
                        body.push(StatementKind::Assign(between.unwrap_or(to), value), statement.place);
                    }
                    for &dead in &dead {
                        body.push(StatementKind::Dead(dead), statement.place);
                    }
                    if let (Some(to), Some(between)) = (self.to, between) {
                        let read = ExpressionKind::Read(between);
                        let read = program.terms.expression(read, program.terms.at(between).ty);
                        body.push(StatementKind::Assign(to, read), self.place);
                    }
                    body.push(StatementKind::Goto(Label(next)), statement.place);
                }
                StatementKind::Branch(condition, yes, no) => {
                    body.push(StatementKind::Branch(condition, start(yes), start(no)), statement.place);
                }
                StatementKind::Goto(to) => drop(body.push(StatementKind::Goto(start(to)), statement.place)),
                kind => drop(body.push(kind, statement.place)),
            }
        }
        starts
    }

    /// A variable for what is returned, while what the frame had ceases to live.
    fn between(&self, program: &mut Program, to: LvalueId) -> LvalueId {
        let ty = program.terms.at(to).ty;
        super::edit::local(program, self.into, ".returned", ty)
    }
}

/// A procedure that does the same as another, with locals of its own; the procedures that it calls are those that are given for them.
/// Linear.
pub fn copy(
    program: &mut Program,
    of: ProcedureId,
    name: &str,
    called: impl Fn(ProcedureId) -> ProcedureId,
) -> ProcedureId {
    let id = ProcedureId(program.procedures.len() as u32);
    let old = program.procedure(of).clone();
    program.procedures.push(Procedure { name: name.into(), locals: Vec::new(), body: None, ..old.clone() });
    let mut copies = Copies::default();
    for &variable in old.formals.iter().chain(&old.locals) {
        copies.variable(program, variable, id);
    }
    // Formals come first.
    let locals = program.procedures[id.0 as usize].locals.split_off(old.formals.len());
    program.procedures[id.0 as usize].formals =
        std::mem::replace(&mut program.procedures[id.0 as usize].locals, locals);
    let mut body = Vec::new();
    for Statement { kind, place, labels } in old.body.iter().flatten() {
        let kind = match copies.statement(program, kind) {
            StatementKind::Call(to, Callee::Procedure(callee), arguments) => {
                StatementKind::Call(to, Callee::Procedure(called(callee)), arguments)
            }
            other => other,
        };
        body.push(Statement { kind, place: *place, labels: labels.clone() });
    }
    program.procedures[id.0 as usize].body = Some(body);
    id
}

/// Variables and terms of a procedure, and what they are at one place.
#[derive(Default)]
struct Copies {
    variables: HashMap<VariableId, VariableId>,
    terms: HashMap<Term, Term>,
}

impl Copies {
    /// The variable that stands for a local of the procedure.
    fn variable(&mut self, program: &mut Program, old: VariableId, into: ProcedureId) -> VariableId {
        let new = VariableId(program.variables.len() as u32);
        let known = program.variable(old).clone();
        let storage = match known.storage {
            Storage::Local(_) => Storage::Local(into),
            other => other,
        };
        program.variables.push(Variable { storage, ..known });
        program.procedures[into.0 as usize].locals.push(new);
        if program.loose.contains(&old) {
            program.loose.insert(new);
        }
        if let Some(others) = program.orders.get(&old).cloned() {
            program.orders.insert(new, others);
        }
        self.variables.insert(old, new);
        new
    }

    fn expression(&mut self, program: &mut Program, expression: ExpressionId) -> ExpressionId {
        match self.term(program, Term::Expression(expression)) {
            Term::Expression(copy) => copy,
            Term::Lvalue(_) => expression,
        }
    }

    fn lvalue(&mut self, program: &mut Program, lvalue: LvalueId) -> LvalueId {
        match self.term(program, Term::Lvalue(lvalue)) {
            Term::Lvalue(copy) => copy,
            Term::Expression(_) => lvalue,
        }
    }

    fn term(&mut self, program: &mut Program, term: Term) -> Term {
        for part in program.terms.postorder(term) {
            if !self.terms.contains_key(&part) {
                let copy = match part {
                    Term::Expression(id) => Term::Expression(self.of_copies(program, id)),
                    Term::Lvalue(id) => Term::Lvalue(self.lvalue_of_copies(program, id)),
                };
                self.terms.insert(part, copy);
            }
        }
        self.terms[&term]
    }

    /// An expression of the copies of its parts.
    fn of_copies(&self, program: &mut Program, id: ExpressionId) -> ExpressionId {
        let old = program.terms.get(id).clone();
        let (e, l) = (|id| self.known(id), |id| self.known_lvalue(id));
        let kind = match old.kind {
            ExpressionKind::Constant(_) | ExpressionKind::Procedure(_) | ExpressionKind::Result => old.kind,
            ExpressionKind::Read(of) => ExpressionKind::Read(l(of)),
            ExpressionKind::AddressOf(of) => ExpressionKind::AddressOf(l(of)),
            ExpressionKind::Pre(of) => ExpressionKind::Pre(l(of)),
            ExpressionKind::Unary(operator, a) => ExpressionKind::Unary(operator, e(a)),
            ExpressionKind::Convert(a) => ExpressionKind::Convert(e(a)),
            ExpressionKind::Binary(operator, a, b) => ExpressionKind::Binary(operator, e(a), e(b)),
            ExpressionKind::Offset(a, b) => ExpressionKind::Offset(e(a), e(b)),
            ExpressionKind::Distance(a, b) => ExpressionKind::Distance(e(a), e(b)),
        };
        program.terms.expression(kind, old.ty)
    }

    /// An lvalue of the copies of its parts.
    fn lvalue_of_copies(&self, program: &mut Program, id: LvalueId) -> LvalueId {
        let old = program.terms.at(id).clone();
        let kind = match old.kind {
            LvalueKind::Variable(variable) => {
                LvalueKind::Variable(self.variables.get(&variable).copied().unwrap_or(variable))
            }
            LvalueKind::Deref(pointer) => LvalueKind::Deref(self.known(pointer)),
            LvalueKind::Field(of, field) => LvalueKind::Field(self.known_lvalue(of), field),
            LvalueKind::Element(of, index) => LvalueKind::Element(self.known_lvalue(of), self.known(index)),
        };
        program.terms.lvalue(kind, old.ty)
    }

    /// The copy of a part that was copied before.
    fn known(&self, id: ExpressionId) -> ExpressionId {
        match self.terms.get(&Term::Expression(id)) {
            Some(Term::Expression(copy)) => *copy,
            _ => id,
        }
    }

    fn known_lvalue(&self, id: LvalueId) -> LvalueId {
        match self.terms.get(&Term::Lvalue(id)) {
            Some(Term::Lvalue(copy)) => *copy,
            _ => id,
        }
    }

    /// The same statement; its labels are still those of the procedure.
    fn statement(&mut self, program: &mut Program, kind: &StatementKind) -> StatementKind {
        let variable = |copies: &Copies, id: &VariableId| copies.variables.get(id).copied().unwrap_or(*id);
        match kind {
            StatementKind::Skip => StatementKind::Skip,
            StatementKind::Assign(to, value) => {
                StatementKind::Assign(self.lvalue(program, *to), self.expression(program, *value))
            }
            StatementKind::Call(to, callee, arguments) => {
                let callee = match callee {
                    Callee::Pointer(pointer) => Callee::Pointer(self.expression(program, *pointer)),
                    callee @ Callee::Procedure(_) => *callee,
                };
                let to = to.map(|to| self.lvalue(program, to));
                StatementKind::Call(to, callee, self.all(program, arguments))
            }
            StatementKind::External(to, callee, arguments, effect) => {
                let to = to.map(|to| self.lvalue(program, to));
                StatementKind::External(to, *callee, self.all(program, arguments), *effect)
            }
            StatementKind::Input(to, of) => StatementKind::Input(self.lvalue(program, *to), of.clone()),
            StatementKind::Declare(id) => StatementKind::Declare(variable(self, id)),
            StatementKind::Dead(id) => StatementKind::Dead(variable(self, id)),
            StatementKind::Havoc(to, why, value) => {
                let value = value.map(|value| self.expression(program, value));
                StatementKind::Havoc(self.lvalue(program, *to), *why, value)
            }
            StatementKind::Unseen(to, why, value) => {
                let value = value.map(|value| self.expression(program, value));
                StatementKind::Unseen(self.lvalue(program, *to), *why, value)
            }
            StatementKind::Allocate { to, size, element, room, lacks } => StatementKind::Allocate {
                to: self.lvalue(program, *to),
                size: self.expression(program, *size),
                element: *element,
                room: *room,
                lacks: *lacks,
            },
            StatementKind::Free(pointer) => StatementKind::Free(self.expression(program, *pointer)),
            StatementKind::Assume(condition) => StatementKind::Assume(self.expression(program, *condition)),
            StatementKind::Branch(condition, yes, no) => {
                StatementKind::Branch(self.expression(program, *condition), *yes, *no)
            }
            StatementKind::Goto(to) => StatementKind::Goto(*to),
            StatementKind::Fail(Failure::Contract(condition)) => {
                StatementKind::Fail(Failure::Contract(self.expression(program, *condition)))
            }
            StatementKind::Fail(failure) => StatementKind::Fail(*failure),
            StatementKind::Return(value) => StatementKind::Return(value.map(|value| self.expression(program, value))),
            StatementKind::Exit(value) => StatementKind::Exit(value.map(|value| self.expression(program, value))),
        }
    }

    fn all(&mut self, program: &mut Program, all: &[ExpressionId]) -> Vec<ExpressionId> {
        all.iter().map(|&one| self.expression(program, one)).collect()
    }
}
