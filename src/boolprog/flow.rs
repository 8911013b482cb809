//! Control flow: which symbols a procedure needs, what is executed after each statement, where an `enforce` holds.

use super::ast::*;
use super::resolve::Resolved;

/// How many symbols, rules and registers there will be, and where each procedure begins: counted beforehand, so that
/// calls know their entries and no vector grows twice.
pub(super) struct Outline {
    /// The entry symbol of each procedure.
    pub entries: Vec<u32>,
    pub symbols: u32,
    pub rules: usize,
    pub registers: u32,
}

pub(super) fn outline(ast: &Ast, resolved: &Resolved) -> Outline {
    let mut outline = Outline { entries: Vec::with_capacity(ast.procedures.len()), symbols: 0, rules: 0, registers: 0 };
    let mut shape = Shape::default();
    for (index, procedure) in ast.procedures.iter().enumerate() {
        outline.entries.push(outline.symbols);
        shape.of(ast, procedure);
        outline.symbols += shape.symbols;
        outline.rules += usize::from(shape.has_end);
        for statement in &ast.statements[procedure.statements.range()] {
            outline.rules += match statement.kind {
                StmtKind::If(_) | StmtKind::While(_) | StmtKind::Assert(_) | StmtKind::AbortIf(_) => 2,
                StmtKind::Goto(jumps) => jumps.len(),
                StmtKind::Call(call) if stores(ast, &ast.calls[call as usize]) => 2,
                _ => 1,
            };
        }
        if resolved.wanted[index] {
            outline.registers = outline.registers.max(procedure.results.unwrap_or(0));
        }
    }
    outline
}

/// Whether a call stores a result, so that it needs a return site of its own.
pub(super) fn stores(ast: &Ast, call: &Call) -> bool {
    ast.targets[call.targets.range()].iter().any(|target| target.place != Assignee::Discard)
}

/// The control flow of one procedure; the vectors are indexed by statement, from its first.
#[derive(Default)]
pub(super) struct Shape {
    /// The procedure's first statement.
    pub first: usize,
    /// What is executed after the statement, if it is left at its end: a statement, or [`Shape::END`].
    pub after: Vec<u32>,
    /// The statement's symbol, counted from the procedure's entry. One more: that of the end.
    pub symbol: Vec<u32>,
    /// The innermost `enforce` statement in whose scope it stands, or [`Shape::END`]. Empty if there is none at all.
    pub enforced: Vec<u32>,
    /// How many symbols the procedure has.
    pub symbols: u32,
    pub has_end: bool,
}

impl Shape {
    pub(super) const END: u32 = u32::MAX;

    /// Makes it that of another procedure.
    pub(super) fn of(&mut self, ast: &Ast, procedure: &Procedure) {
        self.first = procedure.statements.range().start;
        self.after.clear();
        self.symbol.clear();
        self.enforced.clear();
        let statements = &ast.statements[procedure.statements.range()];
        self.has_end = procedure.body.is_none()
            || ast.labels[procedure.labels.range()].last().is_some_and(|label| label.target.is_none());
        let mut symbols = 0;
        let mut enforces = false;
        for statement in statements {
            self.symbol.push(symbols);
            symbols += 1;
            let after = match (statement.next, statement.parent) {
                (Some(next), _) => self.local(next),
                (None, None) => Shape::END,
                (None, Some(parent)) => match ast.statement(parent).kind {
                    StmtKind::While(_) => self.local(parent),
                    _ => self.after[self.local(parent) as usize],
                },
            };
            self.after.push(after);
            let falls_off = after == Shape::END;
            self.has_end |= match statement.kind {
                StmtKind::Goto(_) | StmtKind::Return(_) => false,
                StmtKind::If(test) => {
                    let Test { first, otherwise, .. } = ast.tests[test as usize];
                    falls_off && (first.is_none() || otherwise.is_none())
                }
                StmtKind::Call(call) => {
                    symbols += u32::from(stores(ast, &ast.calls[call as usize]));
                    falls_off
                }
                _ => falls_off,
            };
            enforces |= matches!(statement.kind, StmtKind::Enforce(_));
        }
        self.symbol.push(symbols);
        self.symbols = symbols + u32::from(self.has_end);
        if enforces {
            self.scope_enforces(ast, statements);
        }
    }

    fn scope_enforces(&mut self, ast: &Ast, statements: &[Stmt]) {
        self.enforced.resize(statements.len(), Shape::END);
        for (index, statement) in statements.iter().enumerate() {
            let inside = self.enforced[index];
            let mut set = |statement: Option<StmtId>, scope| {
                if let Some(id) = statement {
                    self.enforced[id.index() - self.first] = scope;
                }
            };
            match statement.kind {
                StmtKind::If(test) | StmtKind::While(test) => {
                    let Test { first, otherwise, .. } = ast.tests[test as usize];
                    set(first, inside);
                    set(otherwise, inside);
                    set(statement.next, inside);
                }
                StmtKind::Enforce(_) => set(statement.next, index as u32),
                _ => set(statement.next, inside),
            }
        }
    }

    pub(super) fn local(&self, statement: StmtId) -> u32 {
        (statement.index() - self.first) as u32
    }
}
