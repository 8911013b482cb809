//! Reading programs: declarations, procedures and statements, from tokens to the tree.
//!
//! The grammar is the union of the dialects: separators may be missing after `fi` and `od`, parentheses round conditions are
//! free, blocks may be empty, stray `;` are nothing. Open blocks wait on a stack of the parser's own. After a syntax error
//! reading goes on behind the next `;` or at the next keyword, so that one reading finds many of them.

use rustc_hash::FxHashMap;
use spds_format::reading::complaints::Complaints;
use spds_format::reading::precedence::Stack;
use spds_format::reading::tokens::{Broken, Reader};

use super::Dialect;
use super::ast::*;
use super::lexer::{BooleanPrograms, Key, TokenKind, Tokens};
use super::precedence::{self, BEBOP, SATABS, SLAM, Table};

/// Which names may stand in expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// Names.
    OfPrograms,
    /// Also `procedure.name` and `::name`, as propositions write them.
    Qualified,
}

/// A block whose end has not been read.
#[derive(Debug)]
pub(super) struct Frame {
    pub opener: Opener,
    /// Where it was opened.
    pub at: u32,
    /// The last statement in it.
    pub last: Option<StmtId>,
    /// Labels at the end of a branch that is already closed: they label what follows the `fi`.
    pub exits: Vec<(NameId, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opener {
    Procedure,
    Then(StmtId),
    Else(StmtId),
    While(StmtId),
}

/// The state of reading one text.
pub(super) struct Parser<'t> {
    pub cursor: Tokens<'t>,
    pub dialect: Dialect,
    pub naming: Names,
    pub ast: Ast,
    interned: FxHashMap<&'t str, NameId>,
    pub complaints: Complaints,
    /// Whether there was a syntax error, so that the tree has gaps.
    pub broken: bool,

    // Expressions.
    pub table: Table,
    pub disagreements: [[u8; 7]; 7],
    /// Dialects that took a decision of the expression at hand otherwise.
    pub disputed: u8,
    /// Dialects about which to warn.
    pub considered: u8,
    /// Operators and brackets; empty between expressions.
    pub waiting: Stack<Self>,
    /// How many `'` stand round the operand at hand.
    pub primes: u32,

    // Statements.
    pub frames: Vec<Frame>,
    /// Labels that wait for their statement.
    pub labels: Vec<(NameId, u32)>,
}

/// What has been read of a program.
pub(super) struct Parsed {
    pub ast: Ast,
    /// Whether there was a syntax error, so that the tree has gaps.
    pub broken: bool,
    pub complaints: Complaints,
}

/// Reads a program.
pub(super) fn parse(text: &str, dialect: Dialect) -> Parsed {
    let mut parser = Parser::new(text, dialect, Names::OfPrograms);
    parser.program();
    Parsed { ast: parser.ast, broken: parser.broken, complaints: parser.complaints }
}

impl<'t> Reader<'t> for Parser<'t> {
    type Lexis = BooleanPrograms;

    fn cursor(&mut self) -> &mut Tokens<'t> {
        &mut self.cursor
    }

    fn complaints(&mut self) -> &mut Complaints {
        &mut self.complaints
    }
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, dialect: Dialect, naming: Names) -> Self {
        let mut parser = Parser {
            cursor: Tokens::new(text, BooleanPrograms { hyphens: dialect == Dialect::Satabs }),
            dialect,
            naming,
            ast: Ast::default(),
            interned: FxHashMap::default(),
            complaints: Complaints::default(),
            broken: false,
            table: if dialect == Dialect::Satabs { SATABS } else { SLAM },
            disagreements: if dialect == Dialect::Auto { precedence::disagreements() } else { [[0; 7]; 7] },
            disputed: 0,
            considered: 0,
            waiting: Stack::<Self>::new(),
            primes: 0,
            frames: Vec::new(),
            labels: Vec::new(),
        };
        parser.procedures_have_types(true);
        parser
    }

    /// In a procedure without a type, the Bebop paper's reading of expressions is one to warn about.
    pub(super) fn procedures_have_types(&mut self, typed: bool) {
        self.considered = if typed { !(1 << BEBOP) } else { !0 };
    }

    pub(super) fn is_key(&self, key: Key) -> bool {
        self.cursor.is(TokenKind::Key(key))
    }

    pub(super) fn intern(&mut self, start: u32, end: u32) -> NameId {
        let text = &self.cursor.text[start as usize..end as usize];
        let names = &mut self.ast.names;
        *self.interned.entry(text).or_insert_with(|| {
            names.push(text.into());
            NameId(names.len() as u32 - 1)
        })
    }

    /// Takes a name.
    pub(super) fn name(&mut self, what: &str) -> Result<(NameId, u32), Broken> {
        let end = self.cursor.token.end;
        let (_, at) = self.expect_word(TokenKind::Name, what)?;
        Ok((self.intern(at, end), at))
    }

    /// Takes a label: a name or a number (of which leading zeros do not count).
    pub(super) fn label_name(&mut self, what: &str) -> Result<(NameId, u32), Broken> {
        if self.cursor.kind() != TokenKind::Number {
            return self.name(what);
        }
        let at = self.cursor.start();
        let text = self.cursor.word();
        let digits = text.trim_start_matches('0').len().max(1) as u32;
        let name = self.intern(self.cursor.token.end - digits, self.cursor.token.end);
        self.bump();
        Ok((name, at))
    }

    /// After a syntax error in a statement: behind the next `;`, or at the next word with which something begins or ends.
    pub(super) fn recover(&mut self) {
        loop {
            match self.cursor.kind() {
                TokenKind::Eof => return,
                TokenKind::Semicolon => return self.bump(),
                TokenKind::Key(Key::Then | Key::Do | Key::Constrain | Key::Schoose | Key::Begin) => {}
                TokenKind::Key(_) => return,
                _ => {}
            }
            self.bump();
        }
    }
}
