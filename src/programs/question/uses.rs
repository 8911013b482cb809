//! Uses as questions: a program in which, before each use of a pointer that needs an object, a branch to a failing statement where the
//! pointer is NULL. What comes after goes on with a pointer that is not NULL (PASTE 2001, §4). The same of indices, divisors, shifts and
//! arithmetic, as [`wrong`] has it; and assertions, which fail anyway.
//!
//! For who asks about each use by itself ([`crate::nullness`]) what C leaves open becomes a choice of the program, too: whether `malloc` fails, and
//! what the arguments of the first procedure are.

mod objects;

use std::collections::{BTreeSet, HashSet};

use spds_format::model::Place;

use crate::c::edit;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::meaning::Kind;
use crate::c::program::{
    Callee, Failure, InputKind, Label, ProcedureId, Program, Reason, ReasonId, Statement, StatementId, StatementKind,
    Storage, Variable, VariableId,
};
use crate::c::types::{Type, TypeId};

use super::freed::Freeing;
use super::wrong::{self, Needed, Used, null_test, stripped};
use crate::c::Malloc;
use objects::Asking;

/// A use of which is asked whether it goes wrong.
#[derive(Clone, Debug)]
pub struct Check {
    /// How.
    pub kind: Kind,
    /// In which procedure.
    pub procedure: ProcedureId,
    /// The first branch that asks, and the statement that fails.
    asks: Label,
    fails: Label,
    /// Of what; of an assertion that is written nowhere.
    pub subject: Option<Term>,
    /// It does where all conditions of one of these are true; nothing of assertions.
    pub wrong: Vec<Vec<ExpressionId>>,
    /// Where it stands in the source.
    pub place: Place,
}

/// Which use it is, in whatever else is made of a program with the same procedures and terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Use {
    /// In which procedure.
    pub procedure: ProcedureId,
    /// Where it stands in the source.
    pub place: Place,
    /// How it can go wrong.
    pub kind: Kind,
    /// Of what that is asked.
    pub subject: Option<Term>,
}

impl Check {
    /// Which use it is.
    pub fn used(&self) -> Use {
        Use { procedure: self.procedure, place: self.place, kind: self.kind, subject: self.subject }
    }

    /// The first branch that asks; of an assertion, what fails.
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
    /// Statements that tell the first call of the first procedure from others, and all but the first branch of those that ask: nothing for
    /// readers.
    pub apart: Vec<StatementId>,
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// How uses can go wrong.
    pub kinds: &'a BTreeSet<Kind>,
    /// Which, if not all.
    pub uses: Option<&'a HashSet<Use>>,
    /// Whether allocations may fail; if that is said, what C leaves open is written into the program, too.
    pub malloc: Option<Malloc>,
}

/// Writes the questions into a program. Linear.
pub fn instrument<'a>(program: &'a Program, asked: Asked<'a>) -> Instrumented {
    let suffix = suffix(program);
    let mut out = Instrumented { program: program.clone(), checks: Vec::new(), apart: Vec::new() };
    let freeing = Freeing::of(program, &mut out.program, asked.kinds);
    let mut this = Writer { read: program, out, asked, suffix, freeing };
    let anything = asked.malloc.map(|_| this.anything());
    for index in 0..program.procedures.len() {
        let id = ProcedureId(index as u32);
        if let Some(body) = &program.procedure(id).body {
            this.procedure(id, body, anything);
        }
    }
    this.out
}

/// How labels that ask about a kind begin.
fn beginning(kind: Kind, suffix: &str) -> String {
    kind.name().to_uppercase().replace('-', "_") + suffix
}

/// What makes the beginnings of labels such that no label of the program has them.
fn suffix(program: &Program) -> String {
    let statements = || program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
    let labels = || statements().flat_map(|statement| &statement.labels);
    let mut suffix = String::new();
    while Kind::ALL.iter().any(|kind| labels().any(|label| label.starts_with(&beginning(*kind, &suffix)))) {
        suffix.push('_');
    }
    suffix
}

struct Writer<'a> {
    /// As it was.
    read: &'a Program,
    out: Instrumented,
    asked: Asked<'a>,
    suffix: String,
    /// If it is asked about what is freed, and something is.
    freeing: Option<Freeing<'a>>,
}

/// A body in the making.
#[derive(Default)]
struct Body {
    edited: edit::Body,
    /// Questions, and the branches that lead to what fails.
    asks: Vec<(usize, Vec<Label>)>,
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
        let initialising = self.initialising(&mut body, id);
        for (at, statement) in old.iter().enumerate() {
            let start = body.next();
            body.edited.begin();
            let mut asking = Asking::of(id, statement.place);
            if let Some(of) = &initialising {
                self.unassigned(&mut body, &asking, of, Label(at as u32));
            }
            self.ask(&mut body, &mut asking, statement);
            let remembered = self.freed(&mut body, &mut asking, &old[at..]);
            self.copy(&mut body, id, statement);
            if let Some(of) = remembered {
                self.moved(&mut body, id, &of, statement.place);
            }
            let told = initialising.as_ref().and_then(|of| of.told(&mut self.out.program, &statement.kind));
            self.hidden(&mut body, id, told.into_iter().collect(), statement.place);
            body.edited.statements[start.0 as usize].labels.extend(statement.labels.iter().cloned());
        }
        let mut statements = std::mem::take(&mut body.edited).finish();
        for (number, branches) in body.asks {
            let check = &mut self.out.checks[number];
            check.fails = Label(statements.len() as u32);
            // Labels for people who read the Boolean program.
            let beginning = beginning(check.kind, &self.suffix);
            let kind = StatementKind::Fail(Failure::Used(check.kind));
            let labels = vec![format!("{beginning}{number}").into()];
            statements.push(Statement { kind, place: check.place, labels });
            statements[check.asks.0 as usize].labels.push(format!("{beginning}AT{number}").into());
            for at in branches {
                if let StatementKind::Branch(_, yes, _) = &mut statements[at.0 as usize].kind {
                    *yes = check.fails;
                }
            }
        }
        self.out.program.procedures[id.0 as usize].body = Some(statements);
    }

    /// Asks about all that a statement uses, in the order in which it does.
    fn ask(&mut self, body: &mut Body, asking: &mut Asking, statement: &Statement) {
        let &mut Asking { procedure, place, .. } = asking;
        let mut asked = HashSet::new();
        for used in wrong::used(&mut self.out.program, &statement.kind) {
            match used {
                Used::Moved(pointer) => {
                    let null = null_test(&mut self.out.program, pointer);
                    self.looked_at(body, asking, &[null]);
                    if asked.insert(vec![vec![null]]) {
                        // Where it leads is in the object, or just behind it.
                        let condition = negation(&mut self.out.program, null);
                        body.push(StatementKind::Assume(condition), place);
                    }
                }
                Used::Needed(needed) => {
                    let this = Use { procedure, place, kind: needed.kind, subject: Some(needed.subject) };
                    if self.is_asked(&this) && asked.insert(needed.wrong.clone()) {
                        let evaluated: Vec<ExpressionId> = needed.wrong.iter().flatten().copied().collect();
                        self.looked_at(body, asking, &evaluated);
                        self.write(body, needed, procedure, place);
                    }
                }
            }
        }
    }

    /// A question.
    fn write(&mut self, body: &mut Body, needed: Needed, procedure: ProcedureId, place: Place) {
        let Needed { kind, subject, wrong } = needed;
        let number = self.out.checks.len();
        let asks = body.next();
        let branches = self.branches(body, procedure, &wrong, place);
        body.asks.push((number, branches));
        self.out.checks.push(Check { kind, procedure, asks, fails: asks, subject: Some(subject), wrong, place });
    }

    fn is_asked(&self, this: &Use) -> bool {
        self.asked.kinds.contains(&this.kind) && self.asked.uses.is_none_or(|uses| uses.contains(this))
    }

    /// Branches that go on unless all of one of these are true: those that lead elsewhere.
    fn branches(
        &mut self,
        body: &mut Body,
        procedure: ProcedureId,
        wrong: &[Vec<ExpressionId>],
        place: Place,
    ) -> Vec<Label> {
        let (first, mut leading) = (body.next(), Vec::new());
        for all in wrong {
            let after = Label(body.next().0 + all.len() as u32);
            for &condition in all {
                let here = body.next();
                body.push(StatementKind::Branch(condition, Label(here.0 + 1), after), place);
                if here != first {
                    self.out.apart.push(StatementId::of(procedure, here));
                }
                if here.0 + 1 == after.0 {
                    leading.push(here);
                }
            }
        }
        leading
    }

    /// What fails by itself is a question.
    fn assertion(&mut self, procedure: ProcedureId, statement: &Statement, at: Label) {
        let StatementKind::Fail(Failure::Assertion | Failure::Error | Failure::ErrorLabel) = statement.kind else {
            return;
        };
        let (kind, place) = (Kind::Assert, statement.place);
        if self.is_asked(&Use { procedure, place, kind, subject: None }) {
            let wrong = Vec::new();
            self.out.checks.push(Check { kind, procedure, asks: at, fails: at, subject: None, wrong, place });
        }
    }

    /// A question about a contract, which is there already: whether control gets there. It is asked whatever else is.
    fn written(&mut self, body: &mut Body, procedure: ProcedureId, statement: &Statement, condition: ExpressionId) {
        let pointer = pointer_tested(&self.out.program, condition).filter(|_| self.asked.kinds.contains(&Kind::Null));
        let (kind, subject) = match pointer {
            Some(pointer) => (Kind::Null, pointer),
            None => (Kind::Contract, condition),
        };
        let (place, subject) = (statement.place, Some(Term::Expression(subject)));
        if self.asked.uses.is_some_and(|uses| !uses.contains(&Use { procedure, place, kind, subject })) {
            let int = self.out.program.types.int();
            let never = self.out.program.terms.expression(ExpressionKind::Constant(0), int);
            body.push(StatementKind::Assume(never), place);
            return;
        }
        let fails = body.edited.copy(statement);
        let asks = Label(fails.0.saturating_sub(1));
        let wrong = pointer.map(|pointer| vec![vec![null_test(&mut self.out.program, pointer)]]).unwrap_or_default();
        self.out.checks.push(Check { kind, procedure, asks, fails, subject, wrong, place });
    }

    fn copy(&mut self, body: &mut Body, procedure: ProcedureId, statement: &Statement) {
        if let StatementKind::Fail(Failure::Contract(condition)) = statement.kind {
            return self.written(body, procedure, statement, condition);
        }
        let (StatementKind::Allocate { to, size, element, room, lacks }, Some(malloc)) =
            (&statement.kind, self.asked.malloc)
        else {
            let at = body.edited.copy(statement);
            self.assertion(procedure, statement, at);
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
        let fresh = self.freeing.as_ref().map(|freeing| freeing.allocated(&mut self.out.program, procedure, value));
        let fresh = fresh.unwrap_or_default();
        if malloc == Malloc::MayFail && lacks {
            let int = self.out.program.types.int();
            let fails = edit::local(&mut self.out.program, procedure, ".malloc fails", int);
            let nothing = self.out.program.terms.expression(ExpressionKind::Constant(0), ty);
            let flag = self.out.program.terms.expression(ExpressionKind::Read(fails), int);
            body.push(StatementKind::Input(fails, InputKind::Returned("malloc".into())), place);
            let branch = body.next();
            body.push(StatementKind::Branch(flag, Label(branch.0 + 1), Label(branch.0 + 3)), place);
            body.push(StatementKind::Assign(made, nothing), place);
            body.push(StatementKind::Goto(Label(branch.0 + 5 + fresh.len() as u32)), place);
        }
        body.push(allocate, place);
        body.push(StatementKind::Assume(succeeds), place);
        self.hidden(body, procedure, fresh, place);
        body.push(StatementKind::Assign(to, value), place);
    }
}

/// The pointer that a condition says not to be NULL, if it says nothing else.
pub(crate) fn pointer_tested(program: &Program, condition: ExpressionId) -> Option<ExpressionId> {
    let ExpressionKind::Binary(Binary::Unequal, pointer, zero) = program.terms.get(condition).kind else { return None };
    let is_pointer = program.types.pointee(program.terms.get(pointer).ty).is_some();
    let is_null = program.terms.get(zero).kind == ExpressionKind::Constant(0);
    (is_pointer && is_null).then(|| stripped(program, pointer))
}

fn negation(program: &mut Program, of: ExpressionId) -> ExpressionId {
    let ty = program.terms.get(of).ty;
    program.terms.expression(ExpressionKind::Unary(crate::c::expression::Unary::Not, of), ty)
}
