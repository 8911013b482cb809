//! Uses of pointers as questions: a program in which, before each use of a pointer that needs an object, a branch to a failing
//! statement where the pointer is NULL. What comes after goes on with a pointer that is not NULL (PASTE 2001, §4).
//!
//! A pointer is used where what it points to is read or written or called, where the address of a member behind it is computed, and
//! where a number is added to it: each is undefined for NULL (C11 §6.5.3.2, §6.5.6), and only so is what they lead to not NULL.
//!
//! For who asks about each use by itself ([`crate::nullness`]) what C leaves open becomes a choice of the program, too: whether `malloc` fails, and
//! what the arguments of the first procedure are.

use std::collections::HashSet;

use spds_format::model::Place;

use crate::c::edit;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{
    Callee, Failure, InputKind, Label, ProcedureId, Program, Reason, ReasonId, Statement, StatementId, StatementKind,
    Storage, Variable, VariableId,
};
use crate::c::types::{Type, TypeId};

use crate::c::Malloc;

/// A use of a pointer.
#[derive(Clone, Debug)]
pub struct Check {
    /// In which procedure.
    pub procedure: ProcedureId,
    /// The branch that asks, and the statement that fails.
    asks: Label,
    fails: Label,
    /// What is asked.
    pub kind: Kind,
    /// Which pointer; or the condition of the contract.
    pub pointer: ExpressionId,
    /// Where it stands in the source.
    pub place: Place,
}

/// What is asked of a use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Whether the pointer is NULL.
    #[default]
    Null,
    /// Whether a condition of a contract does not hold, which was written into the program before.
    Contract,
}

impl Kind {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Contract => "contract",
        }
    }
}

/// Which use of a pointer it is, in whatever else is made of a program with the same procedures and terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Use {
    /// In which procedure.
    pub procedure: ProcedureId,
    /// Where it stands in the source.
    pub place: Place,
    /// The pointer.
    pub pointer: ExpressionId,
}

impl Check {
    /// Which use it is.
    pub fn used(&self) -> Use {
        Use { procedure: self.procedure, place: self.place, pointer: self.pointer }
    }

    /// The branch that asks.
    pub fn asks(&self) -> StatementId {
        StatementId { procedure: self.procedure, label: self.asks }
    }

    /// The statement that fails.
    pub fn fails(&self) -> StatementId {
        StatementId { procedure: self.procedure, label: self.fails }
    }
}

/// A program with its questions.
#[derive(Debug)]
pub struct Instrumented {
    /// The program.
    pub program: Program,
    /// The questions, in the order of the procedures and their statements.
    pub checks: Vec<Check>,
    /// Statements that tell the first call of the first procedure from others: nothing for readers.
    pub apart: Vec<StatementId>,
}

/// Writes the questions into a program, or some of them; and, if it is said whether allocations may fail, what C leaves open. Linear.
pub fn instrument(program: &Program, malloc: Option<Malloc>, asked: Option<&HashSet<Use>>) -> Instrumented {
    let prefix = prefix(program);
    let mut this = Writer {
        out: Instrumented { program: program.clone(), checks: Vec::new(), apart: Vec::new() },
        malloc,
        asked,
        prefix,
    };
    let anything = malloc.map(|_| this.anything());
    for index in 0..program.procedures.len() {
        let id = ProcedureId(index as u32);
        if let Some(body) = &program.procedure(id).body {
            this.procedure(id, body, anything);
        }
    }
    this.out
}

/// A beginning of labels that no label of the program has.
fn prefix(program: &Program) -> String {
    let statements = || program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
    let mut prefix = "NULL".to_owned();
    while statements().any(|statement| statement.labels.iter().any(|label| label.starts_with(&prefix))) {
        prefix.push('_');
    }
    prefix
}

struct Writer<'a> {
    out: Instrumented,
    /// Whether allocations may fail, if what C leaves open is written, too.
    malloc: Option<Malloc>,
    /// The uses that are asked about, if not all are.
    asked: Option<&'a HashSet<Use>>,
    prefix: String,
}

/// A body in the making.
#[derive(Default)]
struct Body {
    edited: edit::Body,
    /// Branches that ask, and their questions.
    asks: Vec<(usize, usize)>,
}

impl Body {
    fn push(&mut self, kind: StatementKind, place: Place) -> usize {
        self.edited.push(kind, place).0 as usize
    }

    fn next(&self) -> Label {
        self.edited.next()
    }
}

impl Writer<'_> {
    /// An object that stands for all that the program has no name for: arguments of the first procedure point to it, and so does whatever
    /// it holds.
    fn anything(&mut self) -> LvalueId {
        let program = &mut self.out.program;
        let void = program.types.void();
        let pointer = program.types.pointer(void);
        // Too long for its cells to be told apart.
        let ty = program.types.intern(Type::Array(pointer, 1 << 10));
        let place = program.procedure(program.main).place;
        let id = VariableId(program.variables.len() as u32);
        program.variables.push(Variable {
            name: ".anything".into(),
            is_made_up: true,
            ty,
            storage: Storage::Global,
            place,
            address_taken: true,
        });
        let array = program.terms.lvalue(LvalueKind::Variable(id), ty);
        let int = program.types.int();
        let zero = program.terms.expression(ExpressionKind::Constant(0), int);
        program.terms.lvalue(LvalueKind::Element(array, zero), pointer)
    }

    fn is_called(&self, procedure: ProcedureId) -> bool {
        let mut statements = self.out.program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
        statements.any(|statement| match statement.kind {
            StatementKind::Call(_, Callee::Procedure(callee), _) => callee == procedure,
            StatementKind::Call(_, Callee::Pointer(_), _) => true,
            _ => false,
        })
    }

    /// Pointers that the program did not make: what they are, if that is to be written, and that the vector of arguments is there.
    fn prelude(&mut self, body: &mut Body, anything: Option<LvalueId>) {
        let main = self.out.program.main;
        let place = self.out.program.procedure(main).place;
        let other_calls = self.is_called(main).then(|| self.only_first(body, main, place));
        let reason = anything.map(|anything| self.given(body, anything, place));
        let is_main = &*self.out.program.procedure(main).name == "main";
        let formals: Vec<VariableId> = self.out.program.procedure(main).formals.clone();
        let external = if reason.is_some() { self.out.program.external.clone() } else { Vec::new() };
        let all = formals.into_iter().map(|id| (id, true)).chain(external.into_iter().map(|id| (id, false)));
        for (variable, formal) in all {
            for lvalue in self.pointers(variable) {
                if let Some(reason) = reason {
                    let name = self.out.program.variable(variable).name.clone();
                    let library = self.out.program.unknown.iter().any(|(unknown, _)| *unknown == variable);
                    let kind = if library || !formal && !self.is_plain(lvalue) {
                        StatementKind::Havoc(lvalue, reason, None)
                    } else {
                        StatementKind::Input(lvalue, InputKind::Returned(name))
                    };
                    body.push(kind, place);
                }
                if formal && is_main {
                    // C11 §5.1.2.2.1: the vector of arguments is there.
                    let ty = self.out.program.terms.at(lvalue).ty;
                    let value = self.out.program.terms.expression(ExpressionKind::Read(lvalue), ty);
                    let null = null_test(&mut self.out.program, value);
                    let there = negation(&mut self.out.program, null);
                    body.push(StatementKind::Assume(there), place);
                }
            }
        }
        let behind = body.next();
        if let Some(Statement { kind: StatementKind::Branch(_, yes, _), .. }) =
            other_calls.and_then(|at| body.edited.statements.get_mut(at))
        {
            *yes = behind;
        }
    }

    /// A branch that calls take which are not the first one of a procedure: where it leads is still to be said.
    fn only_first(&mut self, body: &mut Body, procedure: ProcedureId, place: Place) -> usize {
        let program = &mut self.out.program;
        let int = program.types.int();
        let begun = edit::global(program, ".begun", int);
        let is_begun = program.terms.expression(ExpressionKind::Read(begun), int);
        let one = program.terms.expression(ExpressionKind::Constant(1), int);
        let first = Label(body.next().0 + 1);
        let at = body.push(StatementKind::Branch(is_begun, first, first), place);
        body.push(StatementKind::Assign(begun, one), place);
        let labels = [at as u32, first.0].map(Label);
        self.out.apart.extend(labels.map(|label| StatementId::of(procedure, label)));
        at
    }

    /// What stands for all that the program has no name for holds any pointer; why.
    fn given(&mut self, body: &mut Body, anything: LvalueId, place: Place) -> ReasonId {
        let reason = ReasonId(self.out.program.reasons.len() as u32);
        self.out.program.reasons.push(Reason { what: "a pointer that the program is given".into(), place });
        body.push(StatementKind::Havoc(anything, reason, None), place);
        reason
    }

    fn is_plain(&self, lvalue: LvalueId) -> bool {
        matches!(self.out.program.terms.at(lvalue).kind, LvalueKind::Variable(_))
    }

    /// The pointers in a variable; of an array, those in its first element stand for all.
    fn pointers(&mut self, variable: VariableId) -> Vec<LvalueId> {
        let program = &mut self.out.program;
        let ty = program.variable(variable).ty;
        let mut open = vec![program.terms.lvalue(LvalueKind::Variable(variable), ty)];
        let mut found = Vec::new();
        while let Some(lvalue) = open.pop() {
            let ty = program.terms.at(lvalue).ty;
            match program.types.get(ty).clone() {
                Type::Pointer(_) => found.push(lvalue),
                Type::Array(element, _) => {
                    let int = program.types.int();
                    let zero = program.terms.expression(ExpressionKind::Constant(0), int);
                    open.push(program.terms.lvalue(LvalueKind::Element(lvalue, zero), element));
                }
                Type::Record(record) => {
                    let fields: Vec<TypeId> =
                        program.types.records[record.0 as usize].fields.iter().map(|field| field.ty).collect();
                    for (index, ty) in fields.into_iter().enumerate().rev() {
                        open.push(program.terms.lvalue(LvalueKind::Field(lvalue, index as u32), ty));
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn procedure(&mut self, id: ProcedureId, old: &[Statement], anything: Option<LvalueId>) {
        let mut body = Body::default();
        if id == self.out.program.main {
            self.prelude(&mut body, anything);
        }
        for statement in old {
            let start = body.next();
            body.edited.begin();
            self.ask(&mut body, id, statement);
            self.copy(&mut body, id, statement);
            body.edited.statements[start.0 as usize].labels.extend(statement.labels.iter().cloned());
        }
        let mut statements = std::mem::take(&mut body.edited).finish();
        for (at, number) in body.asks {
            let check = &mut self.out.checks[number];
            check.fails = Label(statements.len() as u32);
            // Labels for people who read the Boolean program.
            let (fails, asks) = (format!("{}{number}", self.prefix), format!("{}AT{number}", self.prefix));
            let labels = vec![fails.into()];
            statements.push(Statement { kind: StatementKind::Fail(Failure::Null), place: check.place, labels });
            statements[at].labels.push(asks.into());
            if let StatementKind::Branch(_, yes, _) = &mut statements[at].kind {
                *yes = check.fails;
            }
        }
        self.out.program.procedures[id.0 as usize].body = Some(statements);
    }

    /// Asks about all pointers that a statement uses, in the order in which it does.
    fn ask(&mut self, body: &mut Body, procedure: ProcedureId, statement: &Statement) {
        let mut asked = HashSet::new();
        for used in uses(&self.out.program, &statement.kind) {
            let (Used::Needed(pointer) | Used::Moved(pointer)) = used;
            let this = Use { procedure, place: statement.place, pointer };
            if self.asked.is_some_and(|asked| matches!(used, Used::Needed(_)) && !asked.contains(&this)) {
                continue;
            }
            let null = null_test(&mut self.out.program, pointer);
            if !asked.insert(null) {
                continue;
            }
            if let Used::Moved(_) = used {
                // Where it leads is in the object, or just behind it.
                let condition = negation(&mut self.out.program, null);
                body.push(StatementKind::Assume(condition), statement.place);
            } else {
                let number = self.out.checks.len();
                let asks = body.next();
                let at = body.push(StatementKind::Branch(null, asks, Label(asks.0 + 1)), statement.place);
                body.asks.push((at, number));
                let (kind, place) = (Kind::Null, statement.place);
                self.out.checks.push(Check { procedure, asks, fails: asks, kind, pointer, place });
            }
        }
    }

    /// A question about a contract, which is there already: whether control gets there.
    fn written(&mut self, body: &mut Body, procedure: ProcedureId, statement: &Statement, condition: ExpressionId) {
        let (kind, pointer) = match pointer_tested(&self.out.program, condition) {
            Some(pointer) => (Kind::Null, pointer),
            None => (Kind::Contract, condition),
        };
        let place = statement.place;
        if self.asked.is_some_and(|asked| !asked.contains(&Use { procedure, place, pointer })) {
            let int = self.out.program.types.int();
            let never = self.out.program.terms.expression(ExpressionKind::Constant(0), int);
            body.push(StatementKind::Assume(never), place);
            return;
        }
        let fails = body.edited.copy(statement);
        let asks = Label(fails.0.saturating_sub(1));
        self.out.checks.push(Check { procedure, asks, fails, kind, pointer, place });
    }

    fn copy(&mut self, body: &mut Body, procedure: ProcedureId, statement: &Statement) {
        if let StatementKind::Fail(Failure::Contract(condition)) = statement.kind {
            return self.written(body, procedure, statement, condition);
        }
        let (StatementKind::Allocate { to, size, element, room, lacks }, Some(malloc)) = (&statement.kind, self.malloc)
        else {
            body.edited.copy(statement);
            return;
        };
        let (to, size, element, room, lacks) = (*to, *size, *element, *room, *lacks);
        let place = statement.place;
        let ty = self.out.program.terms.at(to).ty;
        let made = edit::local(&mut self.out.program, procedure, ".allocated", ty);
        let value = self.out.program.terms.expression(ExpressionKind::Read(made), ty);
        let allocate = StatementKind::Allocate { to: made, size, element, room, lacks: false };
        let null = null_test(&mut self.out.program, value);
        let succeeds = negation(&mut self.out.program, null);
        if malloc == Malloc::MayFail && lacks {
            let int = self.out.program.types.int();
            let fails = edit::local(&mut self.out.program, procedure, ".malloc fails", int);
            let nothing = self.out.program.terms.expression(ExpressionKind::Constant(0), ty);
            let flag = self.out.program.terms.expression(ExpressionKind::Read(fails), int);
            body.push(StatementKind::Input(fails, InputKind::Returned("malloc".into())), place);
            let branch = body.next();
            body.push(StatementKind::Branch(flag, Label(branch.0 + 1), Label(branch.0 + 3)), place);
            body.push(StatementKind::Assign(made, nothing), place);
            body.push(StatementKind::Goto(Label(branch.0 + 5)), place);
        }
        body.push(allocate, place);
        body.push(StatementKind::Assume(succeeds), place);
        body.push(StatementKind::Assign(to, value), place);
    }
}

/// What a pointer is used for.
enum Used {
    /// It needs an object.
    Needed(ExpressionId),
    /// It was made by moving one that has an object, and has one itself.
    Moved(ExpressionId),
}

/// The pointers that a statement uses, parts before wholes.
fn uses(program: &Program, kind: &StatementKind) -> Vec<Used> {
    let mut used = Vec::new();
    let mut value = |root: ExpressionId, called: bool| {
        within(program, Term::Expression(root), &mut used);
        if called {
            used.extend(needed(program, root));
        }
    };
    let called = match kind {
        StatementKind::Call(_, Callee::Pointer(pointer), _) => Some(*pointer),
        _ => None,
    };
    kind.operands().into_iter().enumerate().for_each(|(at, e)| value(e, at == 0 && called == Some(e)));
    if let Some(to) = kind.target() {
        within(program, Term::Lvalue(to), &mut used);
        accessed(program, to, &mut used);
    }
    used
}

fn within(program: &Program, root: Term, used: &mut Vec<Used>) {
    for term in program.terms.postorder(root) {
        let Term::Expression(id) = term else { continue };
        match program.terms.get(id).kind {
            ExpressionKind::Read(lvalue) => accessed(program, lvalue, used),
            ExpressionKind::AddressOf(lvalue) if !matches!(program.terms.at(lvalue).kind, LvalueKind::Deref(_)) => {
                let before = used.len();
                accessed(program, lvalue, used);
                if used.len() > before {
                    used.push(Used::Moved(id));
                }
            }
            ExpressionKind::Offset(pointer, _) => {
                used.extend(needed(program, pointer));
                used.push(Used::Moved(id));
            }
            _ => {}
        }
    }
}

/// The pointer through which an lvalue is accessed.
fn accessed(program: &Program, lvalue: LvalueId, used: &mut Vec<Used>) {
    let mut at = lvalue;
    loop {
        match program.terms.at(at).kind {
            LvalueKind::Variable(_) => return,
            LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => at = of,
            LvalueKind::Deref(pointer) => return used.extend(needed(program, pointer)),
        }
    }
}

/// The use of a pointer, unless it cannot be NULL by the way it is made.
fn needed(program: &Program, mut pointer: ExpressionId) -> Option<Used> {
    loop {
        pointer = stripped(program, pointer);
        let ExpressionKind::AddressOf(lvalue) = program.terms.get(pointer).kind else { break };
        let LvalueKind::Deref(of) = program.terms.at(lvalue).kind else { return None };
        pointer = of;
    }
    // It was asked about where it was moved.
    let asked = matches!(program.terms.get(pointer).kind, ExpressionKind::Offset(..) | ExpressionKind::Procedure(_));
    (!asked).then_some(Used::Needed(pointer))
}

/// A pointer without the conversions that do not change it.
fn stripped(program: &Program, mut pointer: ExpressionId) -> ExpressionId {
    while let ExpressionKind::Convert(of) = program.terms.get(pointer).kind {
        if program.types.pointee(program.terms.get(of).ty).is_none() {
            break;
        }
        pointer = of;
    }
    pointer
}

/// The pointer that a condition says not to be NULL, if it says nothing else.
fn pointer_tested(program: &Program, condition: ExpressionId) -> Option<ExpressionId> {
    let ExpressionKind::Binary(Binary::Unequal, pointer, zero) = program.terms.get(condition).kind else { return None };
    let is_pointer = program.types.pointee(program.terms.get(pointer).ty).is_some();
    let is_null = program.terms.get(zero).kind == ExpressionKind::Constant(0);
    (is_pointer && is_null).then(|| stripped(program, pointer))
}

/// `pointer == NULL`
pub fn null_test(program: &mut Program, pointer: ExpressionId) -> ExpressionId {
    let pointer = stripped(program, pointer);
    let ty = program.terms.get(pointer).ty;
    let zero = program.terms.expression(ExpressionKind::Constant(0), ty);
    let int = program.types.int();
    program.terms.expression(ExpressionKind::Binary(Binary::Equal, pointer, zero), int)
}

fn negation(program: &mut Program, of: ExpressionId) -> ExpressionId {
    let ty = program.terms.get(of).ty;
    program.terms.expression(ExpressionKind::Unary(crate::c::expression::Unary::Not, of), ty)
}
