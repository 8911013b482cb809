//! Statements put between those of a procedure, and variables that no source names.

use spds_format::model::Place;

use super::expression::{LvalueId, LvalueKind};
use super::program::{Label, ProcedureId, Program, Statement, StatementKind, Storage, Variable, VariableId};
use super::types::TypeId;

/// A body made of an old one: old statements come in their order, and jumps to one of them go to what was put before it.
#[derive(Debug, Default)]
pub struct Body {
    /// What it consists of so far.
    pub statements: Vec<Statement>,
    /// Statements that jump to statements of the old body.
    old: Vec<usize>,
    /// Where each statement of the old body begins.
    starts: Vec<Label>,
}

impl Body {
    /// Where the next statement will be.
    pub fn next(&self) -> Label {
        Label(self.statements.len() as u32)
    }

    /// One more statement, whose labels are of this body.
    pub fn push(&mut self, kind: StatementKind, place: Place) -> Label {
        let at = self.next();
        self.statements.push(Statement { kind, place, labels: Vec::new() });
        at
    }

    /// What comes now belongs to the next statement of the old body.
    pub fn begin(&mut self) {
        self.starts.push(self.next());
    }

    /// One more statement of the old body, without its labels.
    pub fn copy(&mut self, statement: &Statement) -> Label {
        let at = self.push(statement.kind.clone(), statement.place);
        if matches!(statement.kind, StatementKind::Branch(..) | StatementKind::Goto(_)) {
            self.old.push(at.0 as usize);
        }
        at
    }

    /// The body, with all jumps where they belong. Linear.
    pub fn finish(mut self) -> Vec<Statement> {
        let starts = self.starts;
        let start = |label: Label| starts.get(label.0 as usize).copied().unwrap_or(label);
        for at in self.old {
            match &mut self.statements[at].kind {
                StatementKind::Branch(_, yes, no) => (*yes, *no) = (start(*yes), start(*no)),
                StatementKind::Goto(to) => *to = start(*to),
                _ => {}
            }
        }
        self.statements
    }
}

/// A new variable, which is in no source.
fn variable(program: &mut Program, name: &str, ty: TypeId, storage: Storage, place: Place) -> VariableId {
    let id = VariableId(program.variables.len() as u32);
    program.variables.push(Variable { name: name.into(), is_made_up: true, ty, storage, place, address_taken: false });
    id
}

/// A new local of a procedure.
pub fn local(program: &mut Program, procedure: ProcedureId, name: &str, ty: TypeId) -> LvalueId {
    let place = program.procedure(procedure).place;
    let id = variable(program, name, ty, Storage::Local(procedure), place);
    program.procedures[procedure.0 as usize].locals.push(id);
    program.terms.lvalue(LvalueKind::Variable(id), ty)
}

/// A new global, which is 0 at the start.
pub fn global(program: &mut Program, name: &str, ty: TypeId) -> LvalueId {
    let place = program.procedure(program.main).place;
    let id = variable(program, name, ty, Storage::Global, place);
    program.terms.lvalue(LvalueKind::Variable(id), ty)
}

/// Puts statements before the first of a procedure, at its place; jumps to the first go past them. Linear.
pub fn put_first(program: &mut Program, procedure: ProcedureId, first: Vec<StatementKind>) {
    let procedure = &mut program.procedures[procedure.0 as usize];
    let old = procedure.body.take().unwrap_or_default();
    let mut body = Body::default();
    for kind in first {
        body.push(kind, procedure.place);
    }
    for statement in &old {
        body.begin();
        let at = body.copy(statement);
        body.statements[at.0 as usize].labels.clone_from(&statement.labels);
    }
    procedure.body = Some(body.finish());
}
