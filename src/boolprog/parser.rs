//! Reading programs: declarations, procedures and statements, from tokens to the tree.
//!
//! The grammar is the union of the dialects: separators may be missing after `fi` and `od`, parentheses round conditions are
//! free, blocks may be empty, stray `;` are nothing. Open blocks wait on a stack of the parser's own. After a syntax error
//! reading goes on behind the next `;` or at the next keyword, so that one reading finds many of them.

use std::ops::Range;

use rustc_hash::FxHashMap;
use spds_format::Diagnostic;

use super::Dialect;
use super::ast::*;
use super::expression::Pending;
use super::lexer::{Hyphens, Key, Kind, Lexer, Token};
use super::precedence::{self, BEBOP, SATABS, SLAM, Table};
use spds_format::reading::complaints::Complaints;

/// A syntax error has been reported; the reader goes on at the next point of recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken;

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
    pub text: &'t str,
    pub dialect: Dialect,
    pub naming: Names,
    pub lexer: Lexer<'t>,
    /// The token to be read next, and the one after it.
    pub token: Token,
    pub ahead: Token,
    /// Where the token before ended.
    pub previous_end: u32,
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
    pub pending: Vec<Pending>,
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

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, dialect: Dialect, naming: Names) -> Self {
        let hyphens = if dialect == Dialect::Satabs { Hyphens::InNames } else { Hyphens::Nowhere };
        let start = Token { kind: Kind::Eof, start: 0, end: 0 };
        let mut parser = Parser {
            text,
            dialect,
            naming,
            lexer: Lexer::new(text, hyphens),
            token: start,
            ahead: start,
            previous_end: 0,
            ast: Ast::default(),
            interned: FxHashMap::default(),
            complaints: Complaints::default(),
            broken: false,
            table: if dialect == Dialect::Satabs { SATABS } else { SLAM },
            disagreements: if dialect == Dialect::Auto { precedence::disagreements() } else { [[0; 7]; 7] },
            disputed: 0,
            considered: 0,
            pending: Vec::new(),
            primes: 0,
            frames: Vec::new(),
            labels: Vec::new(),
        };
        parser.procedures_have_types(true);
        parser.token = parser.lexer.next();
        parser.ahead = parser.lexer.next();
        parser
    }

    /// In a procedure without a type, the Bebop paper's reading of expressions is one to warn about.
    pub(super) fn procedures_have_types(&mut self, typed: bool) {
        self.considered = if typed { !(1 << BEBOP) } else { !0 };
    }

    // ---- tokens

    pub(super) fn bump(&mut self) {
        self.previous_end = self.token.end;
        self.token = self.ahead;
        self.ahead = self.lexer.next();
    }

    /// Goes on reading at another place of the text.
    pub(super) fn seek(&mut self, offset: u32) {
        self.lexer = self.lexer.at(offset);
        self.token = self.lexer.next();
        self.ahead = self.lexer.next();
    }

    pub(super) fn is_key(&self, key: Key) -> bool {
        self.token.kind == Kind::Key(key)
    }

    /// Takes the token if it is of that kind.
    pub(super) fn take(&mut self, kind: Kind) -> bool {
        let there = self.token.kind == kind;
        if there {
            self.bump();
        }
        there
    }

    pub(super) fn expect(&mut self, kind: Kind, what: &str) -> Result<(), Broken> {
        if self.take(kind) { Ok(()) } else { self.unexpected(what) }
    }

    pub(super) fn text_of(&self, token: Token) -> &'t str {
        &self.text[token.start as usize..token.end as usize]
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.token.start as usize..self.token.end as usize
    }

    pub(super) fn intern(&mut self, start: u32, end: u32) -> NameId {
        let text = &self.text[start as usize..end as usize];
        let names = &mut self.ast.names;
        *self.interned.entry(text).or_insert_with(|| {
            names.push(text.into());
            NameId(names.len() as u32 - 1)
        })
    }

    /// Takes a name.
    pub(super) fn name(&mut self, what: &str) -> Result<(NameId, u32), Broken> {
        if self.token.kind != Kind::Name {
            return self.unexpected(what);
        }
        let name = self.intern(self.token.start, self.token.end);
        let at = self.token.start;
        self.bump();
        Ok((name, at))
    }

    /// Takes a label: a name or a number (of which leading zeros do not count).
    pub(super) fn label_name(&mut self, what: &str) -> Result<(NameId, u32), Broken> {
        if self.token.kind != Kind::Number {
            return self.name(what);
        }
        let at = self.token.start;
        let text = self.text_of(self.token);
        let digits = text.trim_start_matches('0').len().max(1) as u32;
        let name = self.intern(self.token.end - digits, self.token.end);
        self.bump();
        Ok((name, at))
    }

    // ---- complaints

    pub(super) fn complain(&mut self, message: &str) {
        let span = self.span();
        self.complaints.error(message, span);
    }

    /// What the present token is, for a message.
    pub(super) fn described(&self) -> String {
        match self.token.kind {
            Kind::Eof => "the end of the file".to_owned(),
            Kind::OpenComment => "a comment".to_owned(),
            Kind::Unknown => format!("`{}`", self.text_of(self.token).escape_default()),
            _ => format!("`{}`", self.text_of(self.token)),
        }
    }

    pub(super) fn unexpected<T>(&mut self, expected: &str) -> Result<T, Broken> {
        let message = format!("expected {expected}, found {}", self.described());
        let span = self.span();
        self.complain_about_token(Diagnostic::error(message, span));
        Err(Broken)
    }

    /// Makes a complaint about the present token, or a better one if that token is none.
    pub(super) fn complain_about_token(&mut self, mut complaint: Diagnostic) {
        match self.token.kind {
            Kind::OpenComment => {
                let start = self.token.start as usize;
                complaint = Diagnostic::error("this comment does not end", start..start + 2);
            }
            Kind::OpenBrace => {
                complaint = Diagnostic::error("this name in braces does not end on its line", self.span());
            }
            Kind::Unknown => {
                let character = self.text_of(self.token).escape_default().to_string();
                complaint.message = format!("`{character}` has no meaning in a Boolean program");
                if character == "-" {
                    complaint.help = Some("names contain `-` in SATABS' dialect only: `--dialect satabs`".to_owned());
                }
            }
            Kind::Quote if complaint.help.is_none() => {
                complaint.help = Some("the value after a step is written `'x`, in `constrain` only".to_owned());
            }
            _ => {}
        }
        self.complaints.push(complaint);
    }

    /// After a syntax error in a statement: behind the next `;`, or at the next word with which something begins or ends.
    pub(super) fn recover(&mut self) {
        loop {
            match self.token.kind {
                Kind::Eof => return,
                Kind::Semicolon => return self.bump(),
                Kind::Key(Key::Then | Key::Do | Key::Constrain | Key::Schoose | Key::Begin) => {}
                Kind::Key(_) => return,
                _ => {}
            }
            self.bump();
        }
    }
}
