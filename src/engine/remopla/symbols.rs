//! Which stack symbols there are: planned before any rule is made, so that rules know where they lead.

use spds_format::model::{Name, SymbolId};

use super::ast::*;
use super::flow::Next;
use super::resolve::Resolved;

/// A symbol to be.
pub(super) struct Planned {
    pub name: Name,
    pub module: Option<u32>,
    /// Where its statement stands.
    pub at: Option<u32>,
    pub labels: Vec<Name>,
}

/// All symbols, and which is whose.
pub(super) struct Symbols {
    /// In order.
    pub planned: Vec<Planned>,
    pub end: SymbolId,
    pub fail: SymbolId,
    /// For each statement.
    of: Vec<Option<SymbolId>>,
    /// For each statement, the hidden site to which its call returns.
    sites: Vec<Option<SymbolId>>,
    /// For each module: its first symbol, one before it that only leads to it, and its end.
    entries: Vec<SymbolId>,
    separate: Vec<Option<SymbolId>>,
    ends: Vec<Option<SymbolId>>,
    extra: Vec<SymbolId>,
}

impl Symbols {
    pub(super) fn new(ast: &Ast, resolved: &Resolved) -> Symbols {
        let (statements, modules) = (ast.statements.len(), ast.modules.len());
        let mut symbols = Symbols {
            planned: Vec::with_capacity(statements + modules + 2),
            end: SymbolId(0),
            fail: SymbolId(0),
            of: vec![None; statements],
            sites: vec![None; statements],
            entries: vec![SymbolId(0); modules],
            separate: vec![None; modules],
            ends: vec![None; modules],
            extra: Vec::new(),
        };
        let mut labels = ast.labels.iter().peekable();
        for item in &ast.items {
            match *item {
                Item::Outside(piece) => symbols.block(ast, resolved, piece, None, &mut labels),
                Item::Module(number) => {
                    let module = &ast.modules[number as usize];
                    let first = symbols.planned.len() as u32;
                    if let Some(body) = module.body
                        && !has_symbol(ast, resolved, body)
                    {
                        let at = Some(ast.statement(body).at);
                        symbols.separate[number as usize] =
                            Some(symbols.plan(format!("{}/0", module.name).into(), Some(number), at));
                    }
                    symbols.block(ast, resolved, module.statements, Some(number), &mut labels);
                    if resolved.flow.has_end[number as usize] {
                        let name = format!("{}/{}", module.name, module.statements.len());
                        let end = symbols.plan(name.into(), Some(number), Some(module.end));
                        symbols.ends[number as usize] = Some(end);
                    }
                    symbols.entries[number as usize] = SymbolId(first);
                    symbols.planned[first as usize].labels.insert(0, module.name.clone());
                }
            }
        }
        for (name, _) in &ast.extra_symbols {
            let symbol = symbols.plan(name.clone(), None, None);
            symbols.planned[symbol.0 as usize].labels.push(name.clone());
            symbols.extra.push(symbol);
        }
        // A rule whose symbol is named elsewhere stands where that symbol is.
        for (index, statement) in ast.statements.iter().enumerate() {
            if let StmtKind::Raw(raw) = statement.kind
                && let (None, Some(point)) = (symbols.of[index], ast.raws[raw as usize].points[0])
            {
                symbols.of[index] = Some(symbols.point(point));
            }
        }
        symbols.end = symbols.plan("@end".into(), None, None);
        symbols.fail = symbols.plan("@fail".into(), None, None);
        symbols
    }

    fn plan(&mut self, name: Name, module: Option<u32>, at: Option<u32>) -> SymbolId {
        self.planned.push(Planned { name, module, at, labels: Vec::new() });
        SymbolId(self.planned.len() as u32 - 1)
    }

    fn block<'a>(
        &mut self,
        ast: &Ast,
        resolved: &Resolved,
        statements: Piece,
        module: Option<u32>,
        labels: &mut std::iter::Peekable<impl Iterator<Item = &'a Label>>,
    ) {
        let owner = module.map_or("", |module| &*ast.modules[module as usize].name);
        // Statements outside of modules are numbered through.
        let first = if module.is_some() { statements.range().start } else { 0 };
        for index in statements.range() {
            let id = StmtId::new(index);
            let statement = ast.statement(id);
            let number = index - first;
            if has_symbol(ast, resolved, id) {
                let symbol = self.plan(format!("{owner}/{number}").into(), module, Some(statement.at));
                let own = std::iter::from_fn(|| labels.next_if(|label| label.target == id));
                self.planned[symbol.0 as usize].labels.extend(own.map(|label| label.name.clone()));
                if let StmtKind::Raw(raw) = statement.kind
                    && let Raw { symbols: [Some((name, _)), ..], points: [Some(point), ..], .. } =
                        ast.raws[raw as usize]
                    && point == Point::Statement(id)
                {
                    let labels = &mut self.planned[symbol.0 as usize].labels;
                    let name = &ast.names[name as usize];
                    if !labels.contains(name) {
                        labels.push(name.clone());
                    }
                }
                self.of[index] = Some(symbol);
            }
            if let StmtKind::Call(call) = statement.kind {
                let nowhere = resolved.flow.after[index] == Next::Nowhere;
                if ast.calls[call as usize].result.is_some() || nowhere {
                    let site = self.plan(format!("{owner}/{number}$").into(), module, Some(statement.at));
                    self.sites[index] = Some(site);
                }
            }
        }
    }

    /// The symbol of a statement: of the first of a clause, that of its block.
    pub(super) fn at(&self, id: StmtId) -> SymbolId {
        self.of[id.index()].expect("a statement that control comes to has a symbol")
    }

    /// The first symbol of a module.
    pub(super) fn entry(&self, module: u32) -> SymbolId {
        self.entries[module as usize]
    }

    /// The first symbol, if it only leads on to the first statement.
    pub(super) fn separate_entry(&self, module: u32) -> Option<SymbolId> {
        self.separate[module as usize]
    }

    /// The symbol at the end of a module, if control can come there.
    pub(super) fn end_of(&self, module: u32) -> Option<SymbolId> {
        self.ends[module as usize]
    }

    /// The site to which a call returns, if it is not just the next statement.
    pub(super) fn site(&self, id: StmtId) -> Option<SymbolId> {
        self.sites[id.index()]
    }

    /// The symbol of a point.
    pub(super) fn point(&self, point: Point) -> SymbolId {
        match point {
            Point::Statement(id) => self.at(id),
            Point::Module(module) => self.entry(module),
            Point::Symbol(index) => self.extra[index as usize],
        }
    }
}

/// Whether a statement has a symbol of its own.
fn has_symbol(ast: &Ast, resolved: &Resolved, id: StmtId) -> bool {
    let statement = ast.statement(id);
    !statement.folded && (!matches!(statement.kind, StmtKind::Raw(_)) || resolved.defines_symbol[id.index()])
}
