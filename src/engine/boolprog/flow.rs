//! Control flow: which symbols a procedure needs, what is executed after each statement, where an `enforce` holds.

use super::ast::*;
use super::resolve::Resolved;

/// How many symbols, rules and registers there will be, where each procedure begins, and its control flow: found beforehand, so that
/// calls know their entries and no vector grows twice.
pub(super) struct Outline {
    /// The entry symbol of each procedure.
    pub entries: Vec<u32>,
    pub symbols: u32,
    pub rules: usize,
    pub registers: u32,
    flow: Flow,
}

/// The control flow of all procedures, one behind the other; the vectors are indexed by statement.
#[derive(Default)]
struct Flow {
    after: Vec<u32>,
    symbol: Vec<u32>,
    /// As long as the others as soon as there is an `enforce`.
    enforced: Vec<u32>,
    procedures: Vec<Counted>,
}

/// A procedure whose control flow is known.
#[derive(Clone, Copy)]
struct Counted {
    /// Where its statements begin in the vectors.
    start: usize,
    /// The symbol of its end, counted from its entry, and whether there is one.
    end: u32,
    has_end: bool,
}

pub(super) fn outline(ast: &Ast, resolved: &Resolved) -> Outline {
    let mut outline = Outline {
        entries: Vec::with_capacity(ast.procedures.len()),
        symbols: 0,
        rules: 0,
        registers: 0,
        flow: Flow {
            after: Vec::with_capacity(ast.statements.len()),
            symbol: Vec::with_capacity(ast.statements.len()),
            enforced: Vec::new(),
            procedures: Vec::with_capacity(ast.procedures.len()),
        },
    };
    for (index, procedure) in ast.procedures.iter().enumerate() {
        outline.entries.push(outline.symbols);
        let Counted { end, has_end, .. } = outline.flow.add(ast, procedure);
        outline.symbols += end + u32::from(has_end);
        outline.rules += usize::from(has_end);
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

impl Outline {
    /// The control flow of a procedure, by its number.
    pub(super) fn shape(&self, ast: &Ast, procedure: usize) -> Shape<'_> {
        let statements = ast.procedures[procedure].statements.range();
        let Counted { start, end, has_end } = self.flow.procedures[procedure];
        let range = start..start + statements.len();
        Shape {
            first: statements.start,
            after: &self.flow.after[range.clone()],
            symbol: &self.flow.symbol[range.clone()],
            enforced: self.flow.enforced.get(range).unwrap_or(&[]),
            end,
            has_end,
        }
    }
}

/// Whether a call stores a result, so that it needs a return site of its own.
pub(super) fn stores(ast: &Ast, call: &Call) -> bool {
    ast.targets[call.targets.range()].iter().any(|target| target.place != Assignee::Discard)
}

/// The control flow of one procedure, by statements from its first.
#[derive(Clone, Copy, Default)]
pub(super) struct Shape<'o> {
    /// The procedure's first statement.
    pub first: usize,
    /// What is executed after the statement, if it is left at its end: a statement, or [`END`].
    pub after: &'o [u32],
    /// The statement's symbol, counted from the procedure's entry.
    pub symbol: &'o [u32],
    /// The innermost `enforce` statement in whose scope it stands, or [`END`]. Empty if there is none so far.
    pub enforced: &'o [u32],
    /// The symbol of the end, counted likewise.
    pub end: u32,
    pub has_end: bool,
}

/// No statement: the end of the procedure.
pub(super) const END: u32 = u32::MAX;

impl Shape<'_> {
    pub(super) fn local(&self, statement: StmtId) -> u32 {
        (statement.index() - self.first) as u32
    }
}

impl Flow {
    /// Adds a procedure.
    fn add(&mut self, ast: &Ast, procedure: &Procedure) -> Counted {
        let range = procedure.statements.range();
        let (first, start) = (range.start, self.after.len());
        let local = |statement: StmtId| (statement.index() - first) as u32;
        let statements = &ast.statements[range];
        let mut has_end = procedure.body.is_none()
            || ast.labels[procedure.labels.range()].last().is_some_and(|label| label.target.is_none());
        let mut symbols = 0;
        let mut enforces = false;
        for statement in statements {
            self.symbol.push(symbols);
            symbols += 1;
            let after = match (statement.next, statement.parent) {
                (Some(next), _) => local(next),
                (None, None) => END,
                (None, Some(parent)) => match ast.statement(parent).kind {
                    StmtKind::While(_) => local(parent),
                    _ => self.after[start + local(parent) as usize],
                },
            };
            self.after.push(after);
            let falls_off = after == END;
            has_end |= match statement.kind {
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
        if enforces || !self.enforced.is_empty() {
            self.enforced.resize(start + statements.len(), END);
            scope_enforces(ast, statements, &mut self.enforced[start..], first);
        }
        let counted = Counted { start, end: symbols, has_end };
        self.procedures.push(counted);
        counted
    }
}

fn scope_enforces(ast: &Ast, statements: &[Stmt], enforced: &mut [u32], first: usize) {
    for (index, statement) in statements.iter().enumerate() {
        let inside = enforced[index];
        let mut set = |statement: Option<StmtId>, scope| {
            if let Some(id) = statement {
                enforced[id.index() - first] = scope;
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
