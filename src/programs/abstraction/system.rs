//! The system of a Boolean program that was made of a C program, and the way back: which symbol stands for which statement of C.

use rustc_hash::FxHashMap;
use spds_format::model::{Place, SymbolId, Var};
use spds_format::{Diagnostic, Spds};

use crate::boolprog::ast::StmtId;
use crate::boolprog::{self, Options};
use crate::c::program::StatementId;

use super::boolean::{self, Line, Meanings, Part};
use super::predicate::PredicateId;
use super::tree::tree;

/// Of what a symbol was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The statement of the C program.
    pub statement: StatementId,
    /// Which of the lines made of it.
    pub line: usize,
    /// How many of them come after that one.
    pub after: usize,
    /// How the line stands for the statement.
    pub part: Part,
    /// Whether it is where the call of that line comes back to: the line itself has a symbol before this one.
    pub comes_back: bool,
}

impl Origin {
    /// Whether the statement begins with it.
    pub fn begins(&self) -> bool {
        self.line == 0 && !self.comes_back && !self.part.passes()
    }
}

/// The system of a Boolean program that was made of a C program.
#[derive(Clone, Debug)]
pub struct System {
    /// The system. Places are those of the C program, labels those that it has, and what is kept for calls is hidden.
    pub spds: Spds,
    /// For each symbol, of what it was made.
    origins: Vec<Option<Origin>>,
    /// Which predicates globals and the locals of each frame are.
    meanings: Meanings,
    /// Whether it contains an assertion, reachable or not.
    pub has_asserts: bool,
}

impl System {
    /// The system of a program whose places are in these files. It is that of the program's text. Linear.
    ///
    /// # Errors
    /// If a limit was met while the program was made, or a name is used that is none, as in no abstraction.
    pub fn of(program: &boolean::Program, files: &[Box<str>]) -> Result<System, Vec<Diagnostic>> {
        if program.is_cut {
            return Err(vec![Diagnostic::global("a limit was met before the abstraction was made")]);
        }
        let lines: Vec<&Line> = program.procedures.iter().flat_map(|procedure| &procedure.lines).collect();
        let mut place = |at: u32| -> Option<Place> { lines.get(at as usize).map(|line| line.place) };
        let files = files.iter().map(|file| (&**file).into()).collect();
        let options = Options { entry: Some(program.main.to_string()), ..Options::default() };
        let lowered = boolprog::lower_placed(tree(program), files, &mut place, &options)?;
        let (mut spds, statements, has_asserts) = (lowered.spds, lowered.statements, lowered.has_asserts);
        let of_lines = origins(program);
        let mut origins = Vec::with_capacity(statements.len());
        let mut before = None;
        for (symbol, &statement) in spds.symbols.iter_mut().zip(&statements) {
            let line = statement.map(StmtId::index);
            let comes_back = line.is_some() && line == before;
            before = line;
            let own = line.filter(|_| !comes_back).map(|line| &lines[line].own[..]);
            symbol.labels = own.unwrap_or_default().iter().map(|label| (&**label).into()).collect();
            let origin = line.and_then(|line| of_lines[line]);
            origins.push(origin.map(|origin| Origin { comes_back, ..origin }));
        }
        for (frame, procedure) in spds.frames.iter_mut().zip(&program.procedures) {
            let shown = procedure.formals.len() + procedure.locals.len();
            frame.variables.iter_mut().skip(shown).for_each(|kept| kept.hidden = true);
        }
        Ok(System { spds, origins, meanings: program.meanings.clone(), has_asserts })
    }

    /// Of what a symbol was made; nothing if it stands for no statement.
    pub fn origin(&self, symbol: SymbolId) -> Option<Origin> {
        self.origins.get(symbol.0 as usize).copied().flatten()
    }

    /// The predicate that a variable is, seen where this symbol is on top; none if it is kept for calls.
    pub fn predicate(&self, symbol: SymbolId, variable: Var) -> Option<PredicateId> {
        match variable {
            Var::Global(at) => self.meanings.globals.get(at as usize).copied(),
            Var::Local(at) => {
                let frame = self.spds.symbol(symbol).frame?;
                self.meanings.locals.get(frame.0 as usize)?.get(at as usize).copied()
            }
        }
    }

    /// All symbols that stand for statements, with what they were made of.
    pub fn origins(&self) -> impl Iterator<Item = (SymbolId, Origin)> + '_ {
        (0..).map(SymbolId).zip(&self.origins).filter_map(|(symbol, origin)| Some((symbol, (*origin)?)))
    }

    /// The symbol with which a line of a statement begins.
    pub fn symbol(&self, statement: StatementId, line: usize) -> Option<SymbolId> {
        let of = |origin: &Origin| (origin.statement, origin.line, origin.comes_back) == (statement, line, false);
        self.origins().find(|(_, origin)| of(origin) && !origin.part.passes()).map(|(symbol, _)| symbol)
    }
}

/// For each line, counted through all procedures, of what it was made. Lines that pass a statement are counted by themselves.
fn origins(program: &boolean::Program) -> Vec<Option<Origin>> {
    let lines = || program.procedures.iter().flat_map(|procedure| &procedure.lines);
    let mut left: FxHashMap<(StatementId, bool), (usize, usize)> = FxHashMap::default();
    for (statement, part) in lines().filter_map(|line| Some((line.statement?, line.part))) {
        left.entry((statement, part.passes())).or_default().1 += 1;
    }
    let mut origin = |line: &Line| {
        let (statement, part) = (line.statement?, line.part);
        let (at, after) = left.get_mut(&(statement, part.passes()))?;
        *after -= 1;
        let origin = Origin { statement, line: *at, after: *after, part, comes_back: false };
        *at += 1;
        Some(origin)
    };
    lines().map(&mut origin).collect()
}
