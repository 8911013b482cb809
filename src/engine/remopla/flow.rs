//! Control flow: what is executed after each statement.

use super::Dialect;
use super::ast::*;

/// Where control goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// At a statement.
    Statement(StmtId),
    /// At the end of the module, where it returns.
    End,
    /// At the first statement of a module: statements outside of modules come to what follows them in the text.
    Module(u32),
    /// Nowhere: nothing follows in the text, and the run is blocked.
    Nowhere,
}

/// The control flow of a program; the vectors are indexed by statement or by module.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// The module that a statement belongs to.
    pub owner: Vec<Option<u32>>,
    /// What is executed after a statement that is left at its end.
    pub after: Vec<Next>,
    /// Whether control can come to the end of a module without `return`.
    pub has_end: Vec<bool>,
    /// The block that a `break` at a statement leaves: the innermost `do`; in the older tools the innermost block, be it
    /// an `if`.
    pub left_by_break: Vec<Option<StmtId>>,
}

impl Flow {
    /// The control flow of a program. Linear in its statements.
    pub fn new(ast: &Ast, dialect: Dialect) -> Flow {
        let mut flow = Flow {
            owner: Vec::with_capacity(ast.statements.len()),
            after: Vec::with_capacity(ast.statements.len()),
            has_end: vec![false; ast.modules.len()],
            left_by_break: Vec::with_capacity(ast.statements.len()),
        };
        for (position, item) in ast.items.iter().enumerate() {
            let (piece, owner, last) = match *item {
                Item::Module(module) => (ast.modules[module as usize].statements, Some(module), Next::End),
                Item::Outside(piece) => {
                    let last = match ast.items.get(position + 1) {
                        Some(Item::Module(module)) => Next::Module(*module),
                        Some(Item::Outside(next)) => Next::Statement(StmtId::new(next.range().start)),
                        None => Next::Nowhere,
                    };
                    (piece, None, last)
                }
            };
            for statement in &ast.statements[piece.range()] {
                let after = match (statement.next, statement.parent) {
                    (Some(next), _) => Next::Statement(next),
                    (None, None) => last,
                    (None, Some(parent)) => match ast.statement(parent).kind {
                        StmtKind::Do(_) => Next::Statement(parent),
                        _ => flow.after[parent.index()],
                    },
                };
                let left = statement.parent.and_then(|parent| {
                    let leaves = dialect != Dialect::Auto || matches!(ast.statement(parent).kind, StmtKind::Do(_));
                    if leaves { Some(parent) } else { flow.left_by_break[parent.index()] }
                });
                flow.owner.push(owner);
                flow.after.push(after);
                flow.left_by_break.push(left);
            }
        }
        for (index, module) in ast.modules.iter().enumerate() {
            let mut ids = module.statements.range().map(StmtId::new);
            let ends = module.body.is_none() || ids.any(|id| flow.left(ast, id, dialect) == Some(Next::End));
            flow.has_end[index] = ends;
        }
        flow
    }

    /// Where control goes on if a statement is left otherwise than by a jump, a return or into one of its clauses.
    pub fn left(&self, ast: &Ast, id: StmtId, dialect: Dialect) -> Option<Next> {
        match ast.statement(id).kind {
            StmtKind::Assign(_) | StmtKind::Call(_) | StmtKind::Skip(_) => Some(self.after[id.index()]),
            StmtKind::Break => self.left_by_break[id.index()].map(|block| self.after[block.index()]),
            StmtKind::Do(clauses) if dialect == Dialect::Qleak => {
                let has_else = ast.clauses[clauses.range()].iter().any(|clause| clause.guard.is_none());
                (!has_else).then(|| self.after[id.index()])
            }
            StmtKind::If(_) | StmtKind::Do(_) | StmtKind::Return(_) | StmtKind::Goto(_) | StmtKind::Raw(_) => None,
        }
    }
}
