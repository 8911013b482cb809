//! Programs into which contracts are written: what is checked, what is assumed, and what is saved for it.

use std::collections::{BTreeMap, HashMap};

use spds_format::model::Place;

use super::Named;
use super::terms::Put;
use crate::c::contract::{Clause, Contract};
use crate::c::decided::{Guards, assumed, conjuncts, decided};
use crate::c::edit::{self, Body};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{Callee, Failure, ProcedureId, Program, Statement, StatementKind, VariableId};

/// The program with the contracts of its procedures, and of copies of them, but for what is demanded of whoever enters the first one. Linear.
pub fn woven(program: &Program) -> Program {
    let mut program = program.clone();
    if program.contracts.is_empty() {
        return program;
    }
    let named = Named::of(&program);
    let contracts: Contracts = std::mem::take(&mut program.contracts);
    let of =
        |program: &Program, id: ProcedureId| named.like(program, id).map(|original| (original, &contracts[&original]));
    for index in 0..program.procedures.len() {
        let id = ProcedureId(index as u32);
        let place = program.procedures[index].place;
        let Some(old) = program.procedures[index].body.take() else { continue };
        let mut writer = Writer { program: &mut program, body: Body::default(), id, place };
        let own = of(writer.program, id).map(|(original, contract)| writer.begin(original, contract));
        for statement in &old {
            writer.body.begin();
            let start = writer.body.next();
            writer.place = statement.place;
            let callee = match &statement.kind {
                StatementKind::Call(_, Callee::Procedure(callee), _) | StatementKind::External(_, callee, ..) => {
                    of(writer.program, *callee)
                }
                _ => None,
            };
            writer.statement(statement, callee, own.as_ref());
            writer.body.statements[start.0 as usize].labels.clone_from(&statement.labels);
        }
        let body = writer.body.finish();
        program.procedures[index].body = Some(body);
    }
    program.contracts = contracts;
    program
}

type Contracts = BTreeMap<ProcedureId, Contract>;

/// Statements that go on where what the first procedure demands, and what is assumed, holds of what is in these variables, for whoever puts
/// them one after the other, each with its place; `first` is the number of the first.
pub fn demanded(
    program: &mut Program,
    function: ProcedureId,
    given: &[VariableId],
    first: u32,
) -> Vec<(StatementKind, Place)> {
    let contract = program.contracts.get(&function).cloned().unwrap_or_default();
    let place = program.procedure(function).place;
    let mut values = HashMap::new();
    let mut statements = Vec::new();
    let formals = program.procedure(function).formals.clone();
    for (formal, variable) in formals.into_iter().zip(given) {
        values.insert(formal, read_of(program, *variable));
    }
    for (at, _) in &contract.nonnull {
        let Some(&variable) = given.get(*at) else { continue };
        let value = read_of(program, variable);
        let there = is_there(program, value);
        statements.push((StatementKind::Assume(there), place));
    }
    let put = Put { values, ..Put::default() };
    for clause in &contract.requires {
        let condition = put.in_place(program, clause.condition);
        let first = first + statements.len() as u32;
        let assumed = assumed(program, condition, &Guards::new(), first);
        statements.extend(assumed.into_iter().map(|kind| (kind, clause.place)));
    }
    for condition in program.assumed.clone() {
        let condition = put.in_place(program, condition);
        let first = first + statements.len() as u32;
        let assumed = assumed(program, condition, &Guards::new(), first);
        statements.extend(assumed.into_iter().map(|kind| (kind, place)));
    }
    statements
}

/// A body in the making.
struct Writer<'p> {
    program: &'p mut Program,
    body: Body,
    id: ProcedureId,
    place: Place,
}

/// What a procedure promises, over what it has saved.
struct Promised {
    put: Put,
    guards: Guards,
    ensures: Vec<Clause>,
    /// Whether what it returns is not NULL.
    there: bool,
    /// Whether nobody sees what it does: then it is taken on trust.
    is_assumed: bool,
}

impl Writer<'_> {
    /// What has to be done before the first statement.
    fn begin(&mut self, original: ProcedureId, contract: &Contract) -> Promised {
        let procedure = self.program.procedure(self.id);
        self.place = procedure.place;
        let is_assumed = procedure.foreign.is_some();
        let formals = procedure.formals.clone();
        let originals = self.program.procedure(original).formals.clone();
        let mut put = Put::default();
        for (old, own) in originals.iter().zip(&formals) {
            put.values.insert(*old, read_of(self.program, *own));
        }
        if original != self.id {
            // Whoever calls it is not known: it is given what it needs.
            self.given(contract, &formals, &put);
        }
        let mut guards = Guards::new();
        self.save(contract, &originals, &mut put, &mut guards);
        Promised {
            put,
            guards,
            ensures: contract.ensures.clone(),
            there: contract.returns_nonnull.is_some(),
            is_assumed,
        }
    }

    fn given(&mut self, contract: &Contract, formals: &[VariableId], put: &Put) {
        for (at, _) in &contract.nonnull {
            let Some(&formal) = formals.get(*at) else { continue };
            let value = read_of(self.program, formal);
            let there = is_there(self.program, value);
            self.body.push(StatementKind::Assume(there), self.place);
        }
        for clause in &contract.requires {
            let condition = put.in_place(self.program, clause.condition);
            self.assume(condition, &Guards::new(), clause.place);
        }
    }

    /// Saves what is in formals, and what clauses say of values at the entry.
    fn save(&mut self, contract: &Contract, formals: &[VariableId], put: &mut Put, guards: &mut Guards) {
        let roots = contract.ensures.iter().map(|clause| (clause.condition, clause.place));
        let entry = Put { values: put.values.clone(), ..Put::default() };
        for (root, place) in roots {
            self.place = place;
            for term in self.program.terms.postorder(Term::Expression(root)) {
                let Term::Expression(id) = term else { continue };
                match self.program.terms.get(id).kind {
                    ExpressionKind::Pre(of) if !put.before.contains_key(&of) => {
                        let saved = self.saved_before(id, of, &entry, guards);
                        put.before.insert(of, saved);
                    }
                    ExpressionKind::Read(of) => {
                        let LvalueKind::Variable(formal) = self.program.terms.at(of).kind else { continue };
                        let value = entry.values.get(&formal).copied().filter(|_| formals.contains(&formal));
                        // It is saved already if it is not what was in the formal.
                        if let Some(value) = value.filter(|value| put.values.get(&formal) == Some(value)) {
                            let saved = self.saved(value);
                            put.values.insert(formal, read(self.program, saved));
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// A local that has a value.
    fn saved(&mut self, value: ExpressionId) -> LvalueId {
        let ty = self.program.terms.get(value).ty;
        let name = format!("pre({})", self.program.expression_text(value));
        let saved = edit::local(self.program, self.id, &name, ty);
        self.body.push(StatementKind::Assign(saved, value), self.place);
        saved
    }

    /// The same of what is in an lvalue, if there is no NULL on the way to it.
    fn saved_before(&mut self, pre: ExpressionId, of: LvalueId, entry: &Put, guards: &mut Guards) -> ExpressionId {
        let ty = self.program.terms.get(pre).ty;
        let value = self.program.terms.expression(ExpressionKind::Read(of), ty);
        let value = entry.in_place(self.program, value);
        let mut pointers = Vec::new();
        for term in self.program.terms.postorder(Term::Expression(value)) {
            if let Term::Lvalue(lvalue) = term
                && let LvalueKind::Deref(pointer) = self.program.terms.at(lvalue).kind
            {
                pointers.push(pointer);
            }
        }
        if pointers.is_empty() {
            let saved = self.saved(value);
            return read(self.program, saved);
        }
        let int = self.program.types.int();
        let [zero, one] = [0, 1].map(|number| self.program.terms.expression(ExpressionKind::Constant(number), int));
        let flag = self.saved(zero);
        let end = crate::c::program::Label(self.body.next().0 + pointers.len() as u32 + 2);
        for pointer in pointers {
            let there = is_there(self.program, pointer);
            let next = crate::c::program::Label(self.body.next().0 + 1);
            self.body.push(StatementKind::Branch(there, next, end), self.place);
        }
        let saved = self.saved(value);
        self.body.push(StatementKind::Assign(flag, one), self.place);
        let (flag, there) = (read(self.program, flag), zero);
        let guard = self.program.terms.expression(ExpressionKind::Binary(Binary::Unequal, flag, there), int);
        guards.insert(saved, guard);
        read(self.program, saved)
    }

    /// A statement, with what is checked before it and assumed behind it.
    fn statement(&mut self, statement: &Statement, callee: Option<(ProcedureId, &Contract)>, own: Option<&Promised>) {
        if let Some((callee, contract)) = callee {
            let (StatementKind::Call(_, _, arguments) | StatementKind::External(_, _, arguments, _)) = &statement.kind
            else {
                return;
            };
            // What stands for a call of itself is none.
            if !matches!(statement.kind, StatementKind::External(..)) || callee != self.id {
                self.called(callee, contract, arguments);
            }
        }
        if let (StatementKind::Return(value), Some(own)) = (&statement.kind, own) {
            self.returned(*value, own);
        }
        self.body.copy(statement);
        if let (StatementKind::External(Some(to), ..), Some((callee, contract))) = (&statement.kind, callee)
            && callee != self.id
            && contract.returns_nonnull.is_some()
        {
            let value = read(self.program, *to);
            if self.program.types.pointee(self.program.terms.get(value).ty).is_some() {
                let there = is_there(self.program, value);
                self.body.push(StatementKind::Assume(there), self.place);
            }
        }
    }

    /// What a procedure demands of its arguments is checked.
    fn called(&mut self, callee: ProcedureId, contract: &Contract, arguments: &[ExpressionId]) {
        for (at, _) in &contract.nonnull {
            let Some(&argument) = arguments.get(*at) else { continue };
            let is_pointer = self.program.types.pointee(self.program.terms.get(argument).ty).is_some();
            if is_pointer && !is_object(self.program, argument) {
                let there = is_there(self.program, argument);
                self.check(there, &Guards::new());
            }
        }
        let formals = self.program.procedure(callee).formals.clone();
        let put = Put { values: formals.into_iter().zip(arguments.iter().copied()).collect(), ..Put::default() };
        for clause in &contract.requires {
            let condition = put.in_place(self.program, clause.condition);
            self.check(condition, &Guards::new());
        }
    }

    /// What a procedure promises is checked, or assumed, where it returns.
    fn returned(&mut self, value: Option<ExpressionId>, own: &Promised) {
        let put = Put { result: value, ..own.put.clone() };
        if let Some(value) = value.filter(|value| own.there && !is_object(self.program, *value)) {
            let there = is_there(self.program, value);
            match own.is_assumed {
                true => drop(self.body.push(StatementKind::Assume(there), self.place)),
                false => self.check(there, &Guards::new()),
            }
        }
        for clause in &own.ensures {
            let condition = put.in_place(self.program, clause.condition);
            match own.is_assumed {
                true => self.assume(condition, &own.guards, clause.place),
                false => self.check(condition, &own.guards),
            }
        }
    }

    /// Each part of a condition is checked.
    fn check(&mut self, condition: ExpressionId, guards: &Guards) {
        for part in conjuncts(self.program, condition) {
            let fails = StatementKind::Fail(Failure::Contract(part));
            for kind in decided(self.program, part, guards, self.body.next().0, fails) {
                self.body.push(kind, self.place);
            }
        }
    }

    fn assume(&mut self, condition: ExpressionId, guards: &Guards, place: Place) {
        for kind in assumed(self.program, condition, guards, self.body.next().0) {
            self.body.push(kind, place);
        }
    }
}

fn read(program: &mut Program, of: LvalueId) -> ExpressionId {
    let ty = program.terms.at(of).ty;
    program.terms.expression(ExpressionKind::Read(of), ty)
}

fn read_of(program: &mut Program, variable: VariableId) -> ExpressionId {
    let lvalue = program.terms.lvalue(LvalueKind::Variable(variable), program.variable(variable).ty);
    read(program, lvalue)
}

/// That a pointer is not NULL.
fn is_there(program: &mut Program, pointer: ExpressionId) -> ExpressionId {
    let (ty, int) = (program.terms.get(pointer).ty, program.types.int());
    let zero = program.terms.expression(ExpressionKind::Constant(0), ty);
    program.terms.expression(ExpressionKind::Binary(Binary::Unequal, pointer, zero), int)
}

/// Whether a pointer is where a variable is: it is not NULL.
fn is_object(program: &Program, mut pointer: ExpressionId) -> bool {
    while let ExpressionKind::Convert(of) = program.terms.get(pointer).kind {
        pointer = of;
    }
    match program.terms.get(pointer).kind {
        ExpressionKind::AddressOf(of) => program.terms.variable_of(of).is_some(),
        ExpressionKind::Procedure(_) => true,
        _ => false,
    }
}
