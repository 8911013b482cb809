//! Locals that are read before they have a value, as questions written into programs: of each local that may be one, a flag says whether it was
//! assigned. A local of which control alone says that it was is not asked about (definite assignment, as in Java's chapter 16).
//!
//! Only integers and pointers are looked at whose address nobody takes.

use std::collections::{BTreeMap, BTreeSet};

use crate::c::edit;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{Label, ProcedureId, Program, Statement, StatementKind, Storage, VariableId};

/// Which locals of a procedure may be read before they are assigned, and where.
pub struct Initialising {
    /// For each statement the locals that it reads and that may have no value.
    doubtful: Vec<BTreeSet<VariableId>>,
    /// The flag of each local that is among them.
    flags: BTreeMap<VariableId, LvalueId>,
}

impl Initialising {
    /// Those of a procedure; the flags become variables of another program, which has all that this one has. Linear in its statements for each local.
    pub fn of(program: &Program, written: &mut Program, id: ProcedureId) -> Initialising {
        let body = program.procedure(id).body.as_deref().unwrap_or_default();
        let mut doubtful = vec![BTreeSet::new(); body.len()];
        let mut flags = BTreeMap::new();
        let mut readers = readers(program, body);
        for variable in program.procedure(id).locals.iter().copied().filter(|local| is_asked(program, *local)) {
            let places = readers.remove(&variable).unwrap_or_default();
            let open = if places.is_empty() { BTreeSet::new() } else { unassigned(program, body, variable) };
            let mut places = places.intersection(&open).peekable();
            if places.peek().is_some() {
                let name = format!(".has value {}", program.variable(variable).name);
                let int = written.types.int();
                flags.insert(variable, edit::local(written, id, &name, int));
            }
            for place in places {
                doubtful[place.0 as usize].insert(variable);
            }
        }
        Initialising { doubtful, flags }
    }

    /// What is done where the procedure begins.
    pub fn begun(&self, written: &mut Program) -> Vec<StatementKind> {
        self.flags.values().map(|flag| set(written, *flag, 0)).collect()
    }

    /// What a statement reads that may have no value, and that it has none.
    pub fn asked(&self, written: &mut Program, at: Label) -> Vec<(ExpressionId, ExpressionId)> {
        let mut all = Vec::new();
        for variable in &self.doubtful[at.0 as usize] {
            let ty = written.variable(*variable).ty;
            let lvalue = written.terms.lvalue(LvalueKind::Variable(*variable), ty);
            let value = written.terms.expression(ExpressionKind::Read(lvalue), ty);
            let int = written.types.int();
            let flag = written.terms.expression(ExpressionKind::Read(self.flags[variable]), int);
            let zero = written.terms.expression(ExpressionKind::Constant(0), int);
            all.push((value, written.terms.expression(ExpressionKind::Binary(Binary::Equal, flag, zero), int)));
        }
        all
    }

    /// What is done behind a statement that control leaves to the next one.
    pub fn told(&self, written: &mut Program, kind: &StatementKind) -> Option<StatementKind> {
        let (variable, number) = match kind {
            StatementKind::Declare(variable) => (*variable, 0),
            _ => (assigned(written, kind)?, 1),
        };
        let flag = *self.flags.get(&variable)?;
        Some(set(written, flag, number))
    }
}

fn set(written: &mut Program, flag: LvalueId, number: u128) -> StatementKind {
    let int = written.types.int();
    StatementKind::Assign(flag, written.terms.expression(ExpressionKind::Constant(number), int))
}

/// Whether it is asked of a local whether it has a value.
fn is_asked(program: &Program, id: VariableId) -> bool {
    let variable = program.variable(id);
    matches!(variable.storage, Storage::Local(_))
        && program.types.is_represented(variable.ty)
        && !variable.address_taken
        && !variable.is_made_up
}

/// The local that a statement gives a value.
fn assigned(program: &Program, kind: &StatementKind) -> Option<VariableId> {
    match program.terms.at(kind.target()?).kind {
        LvalueKind::Variable(id) => Some(id),
        _ => None,
    }
}

/// For each variable that is read the statements that do. Linear in their terms.
fn readers(program: &Program, body: &[Statement]) -> BTreeMap<VariableId, BTreeSet<Label>> {
    let mut all: BTreeMap<VariableId, BTreeSet<Label>> = BTreeMap::new();
    for (statement, label) in body.iter().zip((0..).map(Label)) {
        let exact = match statement.kind {
            StatementKind::Havoc(_, _, exact) | StatementKind::Unseen(_, _, exact) => exact,
            _ => None,
        };
        let roots = statement.kind.terms().chain(exact.map(Term::Expression));
        for term in roots.flat_map(|root| program.terms.postorder(root)) {
            if let Term::Expression(id) = term
                && let ExpressionKind::Read(lvalue) = program.terms.get(id).kind
                && let LvalueKind::Variable(variable) = program.terms.at(lvalue).kind
            {
                all.entry(variable).or_default().insert(label);
            }
        }
    }
    all
}

/// The statements to which control may get before a variable has a value: from where the procedure begins, or from where the variable begins to
/// live.
fn unassigned(program: &Program, body: &[Statement], variable: VariableId) -> BTreeSet<Label> {
    let declared = body.iter().zip((0..).map(Label));
    let declared = declared.filter(|(statement, _)| statement.kind == StatementKind::Declare(variable));
    let mut open: Vec<Label> = declared.map(|(_, label)| label).collect();
    open.push(Label(0));
    let mut found = BTreeSet::new();
    while let Some(at) = open.pop() {
        let Some(statement) = body.get(at.0 as usize) else { continue };
        if found.insert(at) && assigned(program, &statement.kind) != Some(variable) {
            open.extend(statement.kind.successors(at));
        }
    }
    found
}
