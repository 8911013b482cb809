//! What is known of functions that were looked at by themselves, where others call them: what they demand is checked at the call, and what
//! goes wrong in them is asked where they are looked at.
//!
//! What a function was found to demand is enough that nothing goes wrong in it, and may be more than is needed: a run that breaks it goes on.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::abstraction::outside::read_condition;
use crate::c::decided::{Guards, conjuncts, decided};
use crate::c::edit::{self, Body};
use crate::c::expression::{ExpressionId, ExpressionKind};
use crate::c::meaning::InputKind;
use crate::c::program::{Callee, Failure, Label, ProcedureId, Program, StatementKind};

use super::contract::inferred::guarded;
use super::contract::terms::Put;

/// What is known of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// What its callers have to establish, in C.
    pub requires: Vec<String>,
    /// Where it is not known whether something goes wrong in it although they do.
    pub open: Vec<Spot>,
}

/// Where something is used.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// Those that are known, by the names of functions.
pub type Summaries = BTreeMap<String, Summary>;

/// What the summaries demand of those who call, over the formals: of each procedure of which all of it can be said.
pub fn demands(program: &mut Program, summaries: &Summaries) -> HashMap<ProcedureId, Vec<ExpressionId>> {
    let mut all = HashMap::new();
    for (name, summary) in summaries {
        let known = program.procedure_named(name).filter(|id| program.procedure(*id).body.is_some());
        let Some(id) = known.filter(|id| *id != program.main) else { continue };
        let texts = summary.requires.iter().map(|condition| guarded(condition));
        let read: Option<Vec<ExpressionId>> =
            texts.map(|text| read_condition(program, Some(id), &text, 0).ok()).collect();
        if let Some(conditions) = read {
            all.insert(id, conditions);
        }
    }
    all
}

/// The procedures in which is asked what goes wrong: the first one, those that it calls by name of which nothing is said, and so on.
pub fn within(program: &Program, demands: &HashMap<ProcedureId, Vec<ExpressionId>>) -> HashSet<ProcedureId> {
    called_from(program, vec![program.main], &|id| demands.contains_key(&id))
}

/// Some procedures, those that they call by name, and so on.
pub fn leading_from(program: &Program, from: &BTreeSet<ProcedureId>) -> HashSet<ProcedureId> {
    called_from(program, from.iter().copied().collect(), &|_| false)
}

fn called_from(
    program: &Program,
    mut open: Vec<ProcedureId>,
    is_left_out: &dyn Fn(ProcedureId) -> bool,
) -> HashSet<ProcedureId> {
    let mut called = HashSet::new();
    while let Some(id) = open.pop() {
        if is_left_out(id) || !called.insert(id) {
            continue;
        }
        for statement in program.procedure(id).body.iter().flatten() {
            if let StatementKind::Call(_, Callee::Procedure(callee), _) = statement.kind {
                open.push(callee);
            }
        }
    }
    called
}

/// The program in which some procedures may fail where they call others, if these are not given what they demand. Linear.
pub fn checked(
    program: &Program,
    within: &HashSet<ProcedureId>,
    demands: &HashMap<ProcedureId, Vec<ExpressionId>>,
) -> Program {
    let mut program = program.clone();
    let int = program.types.int();
    for &id in within {
        let Some(old) = program.procedures[id.0 as usize].body.take() else { continue };
        let mut flag = None;
        let mut body = Body::default();
        for statement in &old {
            body.begin();
            let start = body.next();
            if let StatementKind::Call(_, Callee::Procedure(callee), arguments) = &statement.kind {
                let formals = program.procedure(*callee).formals.clone();
                let put =
                    Put { values: formals.into_iter().zip(arguments.iter().copied()).collect(), ..Put::default() };
                for &condition in demands.get(callee).into_iter().flatten() {
                    let condition = put.in_place(&mut program, condition);
                    for part in conjuncts(&mut program, condition) {
                        let flag = *flag.get_or_insert_with(|| edit::local(&mut program, id, ".looked at", int));
                        // What was found to be enough may be more than is needed: whoever breaks it may go on.
                        body.push(
                            StatementKind::Input(flag, InputKind::Returned(".looked at".into())),
                            statement.place,
                        );
                        let is_looked_at = program.terms.expression(ExpressionKind::Read(flag), int);
                        let first = Label(body.next().0 + 1);
                        let fails = StatementKind::Fail(Failure::Contract(part));
                        let check = decided(&mut program, part, &Guards::new(), first.0, fails);
                        let end = Label(first.0 + check.len() as u32);
                        body.push(StatementKind::Branch(is_looked_at, first, end), statement.place);
                        for kind in check {
                            body.push(kind, statement.place);
                        }
                    }
                }
            }
            body.copy(statement);
            body.statements[start.0 as usize].labels.clone_from(&statement.labels);
        }
        program.procedures[id.0 as usize].body = Some(body.finish());
    }
    program
}
