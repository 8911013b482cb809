//! What is known of functions that were looked at by themselves, where others call them: what they demand is checked at the call, and what
//! goes wrong in them is asked where they are looked at.
//!
//! What a function was found to demand is enough that nothing goes wrong in it, and may be more than is needed: a run that breaks it goes on.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use spds_format::model::Place;

use crate::abstraction::outside::read_condition;
use crate::c::decided::{Guards, conjuncts, decided};
use crate::c::edit::{self, Body};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::meaning::InputKind;
use crate::c::program::{Callee, Failure, Label, ProcedureId, Program, Statement, StatementKind, VariableId};
use crate::question::uses::pointer_tested;
use crate::question::wrong::stripped;

use super::contract::inferred::guarded;
use super::contract::terms::Put;
use super::lengths;

/// What is known of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// What its callers have to establish.
    pub requires: Vec<Required>,
    /// Where it is not known whether something goes wrong in it although they do.
    pub open: Vec<Spot>,
    /// Where something goes wrong in it although they do.
    pub failing: Vec<Spot>,
    /// With what it was proved, as its answer has it.
    pub proved_by: Vec<String>,
}

/// What callers have to establish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Required {
    /// In C.
    pub condition: String,
    /// How something goes wrong otherwise: the name of a [`crate::c::meaning::Kind`].
    pub kind: String,
    /// Where.
    pub spot: Spot,
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

/// What procedures demand of those who call, over their formals.
pub type Demands<'a> = HashMap<ProcedureId, Vec<(ExpressionId, &'a Required)>>;

/// That a procedure is given what it demands.
#[derive(Clone, Debug)]
pub struct Checked<'a> {
    /// In which procedure, and where.
    pub at: (ProcedureId, Place),
    /// What is asked about.
    pub subject: ExpressionId,
    /// What is demanded.
    pub required: &'a Required,
}

/// What the summaries demand: of each procedure of which all of it can be said.
pub fn demands<'a>(program: &mut Program, summaries: &'a Summaries) -> Demands<'a> {
    let mut all = HashMap::new();
    for (name, summary) in summaries {
        let known = program.procedure_named(name).filter(|id| program.procedure(*id).body.is_some());
        let Some(id) = known.filter(|id| *id != program.main) else { continue };
        let mut read = |required: &'a Required| {
            let condition = read_condition(program, Some(id), &guarded(&required.condition), 0).ok()?;
            let condition = lengths::resolved(program, condition);
            let is_told = !lengths::is_open(program, condition);
            (is_told && is_plain(program, id, condition)).then_some((condition, required))
        };
        let read: Option<Vec<_>> = summary.requires.iter().map(&mut read).collect();
        if let Some(conditions) = read {
            all.insert(id, conditions);
        }
    }
    all
}

/// Whether a condition is over the formals of a procedure and over globals, none of which has the name of another one that may be meant.
fn is_plain(program: &Program, id: ProcedureId, condition: ExpressionId) -> bool {
    let formals = &program.procedure(id).formals;
    let all = (0..program.variables.len() as u32).map(VariableId);
    let meant: Vec<VariableId> = all.filter(|one| formals.contains(one) || program.is_global(*one)).collect();
    let name = |one: VariableId| &program.variable(one).name;
    program.terms.postorder(Term::Expression(condition)).into_iter().all(|term| match term {
        Term::Lvalue(lvalue) => match program.terms.at(lvalue).kind {
            LvalueKind::Variable(of) => meant.iter().filter(|one| name(**one) == name(of)).eq([&of]),
            _ => true,
        },
        Term::Expression(_) => true,
    })
}

/// The procedures in which is asked what goes wrong: the first one, those that it calls by name of which nothing is said, and so on.
pub fn within(program: &Program, demands: &Demands<'_>) -> BTreeSet<ProcedureId> {
    called_from(program, vec![program.main], &|id| demands.contains_key(&id))
}

/// Some procedures, those that they call by name, and so on.
pub fn leading_from(program: &Program, from: &BTreeSet<ProcedureId>) -> BTreeSet<ProcedureId> {
    called_from(program, from.iter().copied().collect(), &|_| false)
}

fn called_from(
    program: &Program,
    mut open: Vec<ProcedureId>,
    is_left_out: &dyn Fn(ProcedureId) -> bool,
) -> BTreeSet<ProcedureId> {
    let mut called = BTreeSet::new();
    while let Some(id) = open.pop() {
        if is_left_out(id) || !called.insert(id) {
            continue;
        }
        open.extend(program.procedure(id).callees());
    }
    called
}

/// The program in which some procedures may fail where they call others, if these are not given what they demand; and where that is asked. Linear.
pub fn checked<'a>(
    program: &Program,
    within: &BTreeSet<ProcedureId>,
    demands: &Demands<'a>,
) -> (Program, Vec<Checked<'a>>) {
    let mut writer = Writer { program: program.clone(), demands, checks: Vec::new() };
    for &id in within {
        if let Some(old) = writer.program.procedures[id.0 as usize].body.take() {
            let body = writer.procedure(id, &old);
            writer.program.procedures[id.0 as usize].body = Some(body);
        }
    }
    (writer.program, writer.checks)
}

struct Writer<'d, 'a> {
    program: Program,
    demands: &'d Demands<'a>,
    checks: Vec<Checked<'a>>,
}

impl<'a> Writer<'_, 'a> {
    fn procedure(&mut self, id: ProcedureId, old: &[Statement]) -> Vec<Statement> {
        let (mut body, mut flag) = (Body::default(), None);
        for statement in old {
            body.begin();
            let start = body.next();
            if let StatementKind::Call(_, Callee::Procedure(callee), arguments) = &statement.kind {
                let formals = self.program.procedure(*callee).formals.clone();
                let put =
                    Put { values: formals.into_iter().zip(arguments.iter().copied()).collect(), ..Put::default() };
                for &(condition, required) in self.demands.get(callee).into_iter().flatten() {
                    let condition = put.in_place(&mut self.program, condition);
                    let condition = with_object(&self.program, condition);
                    let int = self.program.types.int();
                    let flag = *flag.get_or_insert_with(|| edit::local(&mut self.program, id, ".looked at", int));
                    for part in conjuncts(&self.program, condition) {
                        self.check(&mut body, (part, flag), statement.place);
                        let subject = pointer_tested(&self.program, part).unwrap_or(part);
                        self.checks.push(Checked { at: (id, statement.place), subject, required });
                    }
                }
            }
            body.copy(statement);
            body.statements[start.0 as usize].labels.clone_from(&statement.labels);
        }
        body.finish()
    }

    /// What was found to be enough may be more than is needed: whoever breaks it may go on.
    fn check(&mut self, body: &mut Body, (part, flag): (ExpressionId, LvalueId), place: Place) {
        body.push(StatementKind::Input(flag, InputKind::Choice), place);
        let int = self.program.types.int();
        let is_looked_at = self.program.terms.expression(ExpressionKind::Read(flag), int);
        let first = Label(body.next().0 + 1);
        let fails = StatementKind::Fail(Failure::Contract(part));
        let check = decided(&mut self.program, part, &Guards::new(), first.0, fails);
        let end = Label(first.0 + check.len() as u32);
        body.push(StatementKind::Branch(is_looked_at, first, end), place);
        for kind in check {
            body.push(kind, place);
        }
    }
}

/// A condition that says nothing where there is no object, where there is one: `&x == NULL || x.p != NULL` is `x.p != NULL`.
fn with_object(program: &Program, mut condition: ExpressionId) -> ExpressionId {
    let terms = &program.terms;
    let is_object = |pointer: ExpressionId| match terms.get(stripped(program, pointer)).kind {
        ExpressionKind::AddressOf(of) => terms.variable_of(of).is_some(),
        _ => false,
    };
    let is_null = |one: ExpressionId| matches!(terms.get(one).kind, ExpressionKind::Constant(0));
    while let ExpressionKind::Binary(Binary::Either, guard, rest) = terms.get(condition).kind
        && let ExpressionKind::Binary(Binary::Equal, pointer, null) = terms.get(guard).kind
        && is_null(null)
        && is_object(pointer)
    {
        condition = rest;
    }
    condition
}
