//! Variables that tell how many elements there are behind the pointers that functions are given, and behind locals that are made of these: nobody
//! knows how long the arrays of callers are, and so it is asked which lengths are enough.
//!
//! A pointer is told of if all that is ever assigned to it is made by moving another one that is, or an array of the program, or what is
//! allocated ([`crate::c::elements`]); the greatest such set is found by leaving out others. Pointers in memory are not, nor those to characters,
//! of which programs know the length by what lies in them.

use std::collections::{BTreeMap, BTreeSet};

use super::copied::written;
use crate::c::contract::Contract;
use crate::c::edit::Body;
use crate::c::elements::{Moved, Root, elements, moved};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term, Unary};
use crate::c::program::{
    Behind, Callee, ProcedureId, Program, Statement, StatementKind, Storage, Variable, VariableId,
};
use crate::c::reached::reached;
use crate::c::substitute::replaced;
use crate::c::types::Type;

use super::contract::terms::Put;

/// The program with these variables, which procedures that are called by name get with their arguments. Quadratic in the pointers at worst, as a
/// rule linear.
pub fn woven(program: &Program) -> Program {
    let mut program = program.clone();
    let told = told(&program);
    let is_some = never_empty(&program, &told);
    let needed = needed(&program, &told, &is_some);
    for &id in &needed {
        let count = counting(&mut program, id);
        program.behind.insert(id, Behind { count, is_some: is_some.contains(&id) });
    }
    if !program.behind.is_empty() {
        for at in 0..program.procedures.len() {
            if let Some(old) = program.procedures[at].body.take() {
                let body = rewritten(&mut program, &old);
                program.procedures[at].body = Some(body);
            }
        }
    }
    say(&mut program);
    program
}

/// What is assumed of these variables where the first procedure is entered, the values of whose formals are in these variables: there is an
/// element, and not more than memory has.
pub fn assumed(program: &mut Program, given: &[VariableId]) -> Vec<StatementKind> {
    let formals = program.procedure(program.main).formals.clone();
    let counts: Vec<(u64, VariableId)> = formals
        .iter()
        .filter_map(|formal| {
            let count = program.behind.get(formal)?.count;
            let at = formals.iter().position(|other| *other == count)?;
            let to = program.types.pointee(program.variable(*formal).ty)?;
            Some((program.types.size(to)?, *given.get(at)?))
        })
        .collect();
    let (ty, int) = (program.types.difference_type(), program.types.int());
    let largest = program.types.difference().mask() >> 1;
    let mut all = Vec::new();
    for (size, count) in counts {
        let lvalue = program.terms.lvalue(LvalueKind::Variable(count), ty);
        let count = program.terms.expression(ExpressionKind::Read(lvalue), ty);
        for (op, bound) in [(Binary::GreaterEqual, 1), (Binary::LessEqual, largest / u128::from(size.max(1)))] {
            let bound = program.terms.expression(ExpressionKind::Constant(bound), ty);
            let holds = program.terms.expression(ExpressionKind::Binary(op, count, bound), int);
            all.push(StatementKind::Assume(holds));
        }
    }
    all
}

/// A condition that says of lengths what the variables say that tell them. Linear.
pub fn resolved(program: &mut Program, condition: ExpressionId) -> ExpressionId {
    let mut by = std::collections::HashMap::new();
    for term in program.terms.postorder(Term::Expression(condition)) {
        if let Term::Expression(id) = term
            && let ExpressionKind::Unary(Unary::Elements, pointer) = program.terms.get(id).kind
            && let Some(count) = elements(program, pointer)
        {
            by.insert(term, count);
        }
    }
    if by.is_empty() { condition } else { replaced(program, condition, &by) }
}

/// Whether a condition says how many elements there are behind something of which that is not told. Linear.
pub fn is_open(program: &Program, condition: ExpressionId) -> bool {
    program.terms.postorder(Term::Expression(condition)).into_iter().any(|term| {
        matches!(term, Term::Expression(id) if matches!(program.terms.get(id).kind, ExpressionKind::Unary(Unary::Elements, _)))
    })
}

/// Whether it is a copy for calls from elsewhere, which nobody gives any of this.
fn is_copy(program: &Program, id: ProcedureId) -> bool {
    let name = &program.procedure(id).name;
    written(name) != &**name
}

/// The procedures that the first one may reach and that are called by name only, with their bodies.
fn bodies(program: &Program) -> impl Iterator<Item = (ProcedureId, &[Statement])> {
    let reached = reached(program, false).procedures;
    let all = program.procedures.iter().zip(reached).zip(0..).filter(|((_, reached), _)| *reached);
    let all = all.filter_map(|((procedure, _), at)| Some((ProcedureId(at), procedure.body.as_deref()?)));
    all.filter(|(id, _)| !is_copy(program, *id))
}

/// Whether a pointer can be told of.
fn is_candidate(program: &Program, id: VariableId) -> bool {
    let variable = program.variable(id);
    let Some(to) = program.types.pointee(variable.ty).filter(|_| !variable.address_taken) else { return false };
    let is_text = program.types.is_character(to) || matches!(program.types.get(to), Type::Void | Type::Function(..));
    !is_text && program.types.size(to).is_some_and(|size| size > 0)
}

/// The variable that gets a value, if it is all of one.
fn assigned(program: &Program, to: LvalueId) -> Option<VariableId> {
    match program.terms.at(to).kind {
        LvalueKind::Variable(id) => Some(id),
        _ => None,
    }
}

/// What a statement puts into variables: nothing where that is not seen.
fn values(program: &Program, statement: &StatementKind) -> Vec<(VariableId, Option<ExpressionId>)> {
    let mut all = Vec::new();
    match statement {
        StatementKind::Assign(to, value) => all.extend(assigned(program, *to).map(|id| (id, Some(*value)))),
        // How many bytes there are is known.
        StatementKind::Allocate { .. } | StatementKind::Declare(_) => {}
        kind => all.extend(kind.target().and_then(|to| assigned(program, to)).map(|id| (id, None))),
    }
    if let StatementKind::Call(_, Callee::Procedure(callee), arguments) = statement {
        let formals = &program.procedure(*callee).formals;
        let given = |at: usize| arguments.get(at).copied();
        all.extend(formals.iter().enumerate().map(|(at, formal)| (*formal, given(at))));
    }
    all
}

/// The pointers of which the number of elements is told.
fn told(program: &Program) -> BTreeSet<VariableId> {
    let mut told = BTreeSet::new();
    for (id, _) in bodies(program) {
        let procedure = program.procedure(id);
        let all = procedure.formals.iter().chain(&procedure.locals).copied();
        told.extend(all.filter(|id| is_candidate(program, *id)));
    }
    let all: Vec<_> = bodies(program).flat_map(|(_, body)| body).flat_map(|one| values(program, &one.kind)).collect();
    loop {
        let before = told.len();
        for (id, value) in &all {
            let root = value.and_then(|value| moved(program, value)).map(|moved| moved.root);
            if !root.is_some_and(|root| is_told(root, &told)) {
                told.remove(id);
            }
        }
        if told.len() == before {
            return told;
        }
    }
}

fn is_told(root: Root, told: &BTreeSet<VariableId>) -> bool {
    match root {
        Root::Variable(id) => told.contains(&id),
        Root::Array(_) | Root::Null => true,
    }
}

/// Those of them that are NULL or lead to an element.
fn never_empty(program: &Program, told: &BTreeSet<VariableId>) -> BTreeSet<VariableId> {
    let mut some = told.clone();
    let statements = || bodies(program).flat_map(|(_, body)| body);
    for statement in statements() {
        if let StatementKind::Allocate { to, .. } = statement.kind {
            assigned(program, to).map(|id| some.remove(&id));
        }
    }
    let all: Vec<_> = statements().flat_map(|one| values(program, &one.kind)).collect();
    loop {
        let before = some.len();
        for (id, value) in &all {
            let is_some = match value.and_then(|value| moved(program, value)) {
                Some(Moved { root: Root::Variable(of), by }) => by.is_empty() && some.contains(&of),
                Some(Moved { root: Root::Array(length), by }) => {
                    let is_first = |index: &ExpressionId| program.terms.get(*index).kind == ExpressionKind::Constant(0);
                    length > 0 && by.iter().all(is_first)
                }
                Some(Moved { root: Root::Null, by }) => by.is_empty(),
                None => false,
            };
            if !is_some {
                some.remove(id);
            }
        }
        if some.len() == before {
            return some;
        }
    }
}

/// Those that have to do with an access of which it is not clear that there is an element, or with what is said of lengths.
fn needed(program: &Program, told: &BTreeSet<VariableId>, some: &BTreeSet<VariableId>) -> BTreeSet<VariableId> {
    let mut open: Vec<VariableId> = Vec::new();
    let mut need = |pointer: ExpressionId, is_said: bool| {
        if let Some(Moved { root: Root::Variable(id), by }) = moved(program, pointer)
            && (is_said || !by.is_empty() || !some.contains(&id))
        {
            open.push(id);
        }
    };
    for (_, body) in bodies(program) {
        for root in body.iter().flat_map(|statement| statement.kind.terms()) {
            for term in program.terms.postorder(root) {
                if let Term::Lvalue(lvalue) = term
                    && let LvalueKind::Deref(pointer) = program.terms.at(lvalue).kind
                {
                    need(pointer, false);
                }
            }
        }
    }
    let clauses = program.contracts.values().flat_map(|contract| contract.requires.iter().map(|one| one.condition));
    for condition in clauses.chain(program.assumed.iter().copied()) {
        for term in program.terms.postorder(Term::Expression(condition)) {
            if let Term::Expression(id) = term
                && let ExpressionKind::Unary(Unary::Elements, pointer) = program.terms.get(id).kind
            {
                need(pointer, true);
            }
        }
    }
    let mut from: BTreeMap<VariableId, Vec<VariableId>> = BTreeMap::new();
    for (id, value) in bodies(program).flat_map(|(_, body)| body).flat_map(|one| values(program, &one.kind)) {
        if let Some(Moved { root: Root::Variable(of), .. }) = value.and_then(|value| moved(program, value)) {
            from.entry(id).or_default().push(of);
        }
    }
    let mut needed = BTreeSet::new();
    while let Some(id) = open.pop() {
        if told.contains(&id) && needed.insert(id) {
            open.extend(from.get(&id).into_iter().flatten());
        }
    }
    needed
}

/// The variable that tells it of another one, which is a formal if that one is.
fn counting(program: &mut Program, of: VariableId) -> VariableId {
    let pointer = program.variable(of);
    let (storage, place) = (pointer.storage, pointer.place);
    let name = format!("elements({})", pointer.name).into();
    let ty = program.types.difference_type();
    let id = VariableId(program.variables.len() as u32);
    program.variables.push(Variable { name, is_made_up: true, ty, storage, place, address_taken: false });
    if let Storage::Local(procedure) = storage {
        let procedure = &mut program.procedures[procedure.0 as usize];
        let list = if procedure.formals.contains(&of) { &mut procedure.formals } else { &mut procedure.locals };
        list.push(id);
    }
    id
}

/// A body that keeps and passes these numbers.
fn rewritten(program: &mut Program, old: &[Statement]) -> Vec<Statement> {
    let mut body = Body::default();
    for statement in old {
        body.begin();
        let start = body.next();
        let mut statement = statement.clone();
        let place = statement.place;
        match &mut statement.kind {
            StatementKind::Assign(to, value) => {
                if let Some(count) = count_of(program, *to) {
                    let number = elements_or_none(program, *value);
                    body.push(StatementKind::Assign(count, number), place);
                }
            }
            StatementKind::Allocate { to, size, .. } => {
                if let Some(count) = count_of(program, *to) {
                    let number = allocated(program, *to, *size);
                    body.push(StatementKind::Assign(count, number), place);
                }
            }
            StatementKind::Call(_, Callee::Procedure(callee), arguments) => {
                let formals = program.procedure(*callee).formals.clone();
                let given = arguments.len();
                let counted = |program: &Program, formal: VariableId| {
                    let of = program.behind.iter().find(|(_, behind)| behind.count == formal).map(|(of, _)| *of);
                    of.and_then(|of| formals.iter().position(|other| *other == of))
                };
                for &formal in formals.iter().skip(given) {
                    let pointer = counted(program, formal).and_then(|at| arguments.get(at).copied());
                    let number = match pointer {
                        Some(pointer) => elements_or_none(program, pointer),
                        None => zero(program),
                    };
                    arguments.push(number);
                }
            }
            _ => {}
        }
        body.copy(&statement);
        body.statements[start.0 as usize].labels = statement.labels;
    }
    body.finish()
}

fn count_of(program: &mut Program, to: LvalueId) -> Option<LvalueId> {
    let count = program.behind.get(&assigned(program, to)?)?.count;
    let ty = program.variable(count).ty;
    Some(program.terms.lvalue(LvalueKind::Variable(count), ty))
}

fn zero(program: &mut Program) -> ExpressionId {
    let ty = program.types.difference_type();
    program.terms.expression(ExpressionKind::Constant(0), ty)
}

fn elements_or_none(program: &mut Program, pointer: ExpressionId) -> ExpressionId {
    elements(program, pointer).unwrap_or_else(|| zero(program))
}

/// How many elements there are in what is allocated.
fn allocated(program: &mut Program, to: LvalueId, bytes: ExpressionId) -> ExpressionId {
    let (ty, unsigned) = (program.types.difference_type(), program.terms.get(bytes).ty);
    let to = program.types.pointee(program.terms.at(to).ty);
    let size = to.and_then(|to| program.types.size(to)).unwrap_or(1).max(1);
    let size = program.terms.expression(ExpressionKind::Constant(u128::from(size)), unsigned);
    let whole = program.terms.expression(ExpressionKind::Binary(Binary::Divide, bytes, size), unsigned);
    program.terms.expression(ExpressionKind::Convert(whole), ty)
}

/// What contracts and what is assumed say of lengths is said of these variables; copies for calls from elsewhere have nothing that tells lengths.
fn say(program: &mut Program) {
    let contracts: Vec<(ProcedureId, Contract)> = program.contracts.clone().into_iter().collect();
    for (id, contract) in contracts {
        if !contract.requires.iter().any(|clause| is_open(program, clause.condition)) {
            continue;
        }
        let copies = (0..program.procedures.len() as u32).map(ProcedureId);
        let name = program.procedure(id).name.clone();
        let is_its = |copy: &ProcedureId| is_copy(program, *copy) && *written(&program.procedure(*copy).name) == *name;
        for copy in copies.filter(is_its).collect::<Vec<_>>() {
            let mut own = contract.clone();
            let put = formals_of(program, id, copy);
            for clause in own.requires.iter_mut().chain(&mut own.ensures) {
                clause.condition = put.in_place(program, clause.condition);
            }
            program.contracts.insert(copy, own);
        }
        let mut own = contract;
        for clause in &mut own.requires {
            clause.condition = resolved(program, clause.condition);
        }
        program.contracts.insert(id, own);
    }
    for at in 0..program.assumed.len() {
        program.assumed[at] = resolved(program, program.assumed[at]);
    }
}

/// The formals of a procedure as those of another one that begins with the same.
fn formals_of(program: &mut Program, id: ProcedureId, other: ProcedureId) -> Put {
    let [from, to] = [id, other].map(|id| program.procedure(id).formals.clone());
    let mut put = Put::default();
    for (from, to) in from.into_iter().zip(to) {
        let ty = program.variable(to).ty;
        let lvalue = program.terms.lvalue(LvalueKind::Variable(to), ty);
        put.values.insert(from, program.terms.expression(ExpressionKind::Read(lvalue), ty));
    }
    put
}
