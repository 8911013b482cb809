//! Reading programs: the state of the reader, tokens, complaints about them.
//!
//! Open blocks and pending operators wait on stacks of the reader's own. After a syntax error reading goes on behind the
//! next `;` or at the next keyword, so that one reading finds many of them.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::Diagnostic;
use spds_format::model::Name;

use spds_format::reading::complaints::Complaints;

use super::Dialect;
use super::ast::*;
use super::declarations::Declarations;
use super::expression::{Operand, Pending};
use super::lexer::{Key, Kind, Lexer, Token};
use super::program::Forward;
use super::statement::Block;

/// A syntax error has been reported; the reader goes on at the next point of recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken;

/// Which names may stand in expressions, and what they mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// Variables of the present module, and globals.
    Program,
    /// Those of the modules of a rule's symbols: before, after and saved. A symbol that is not there has no variables.
    Rule([Option<Option<u32>>; 3]),
    /// Globals, `module.x` and `::x`, as propositions write them.
    Proposition,
}

/// The state of reading one text.
pub(super) struct Parser<'t> {
    pub text: &'t str,
    pub dialect: Dialect,
    pub naming: Naming,
    lexer: Lexer<'t>,
    /// The token to be read next, and the one after it.
    pub token: Token,
    pub ahead: Token,
    /// Where the token before ended.
    pub previous_end: u32,
    pub ast: Ast,
    /// The declarations that a proposition speaks of.
    pub declared: Option<&'t Declarations>,
    pub complaints: Complaints,
    /// Whether there was a syntax error, so that the tree has gaps.
    pub broken: bool,
    /// Constants whose values are given from outside.
    pub given: FxHashMap<String, u64>,
    /// Constants that the text defines.
    pub defined: FxHashSet<String>,
    used: FxHashMap<&'t str, u32>,
    /// Control locations.
    pub controls: FxHashMap<&'t str, u32>,

    // Expressions.
    pub pending: Vec<Pending>,
    pub operands: Vec<Operand>,
    /// Names that quantifiers bind, the innermost last.
    pub bound: Vec<(&'t str, u32)>,
    /// In a proposition: the module whose locals it mentions, and where it did first.
    pub spoken_of: Option<(u32, Range<usize>)>,

    // Declarations and statements.
    /// `define DEFAULT_INT_BITS`
    pub default_bits: Option<u64>,
    /// Forward declarations.
    pub forwards: Vec<Forward>,
    /// The present module.
    pub module: Option<u32>,
    pub blocks: Vec<Block>,
    /// Labels that wait for their statement.
    pub labels: Vec<(Name, u32)>,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, dialect: Dialect, naming: Naming) -> Self {
        let start = Token { kind: Kind::Eof, start: 0, end: 0 };
        let mut parser = Parser {
            text,
            dialect,
            naming,
            lexer: Lexer::new(text),
            token: start,
            ahead: start,
            previous_end: 0,
            ast: Ast::default(),
            declared: None,
            complaints: Complaints::default(),
            broken: false,
            given: FxHashMap::default(),
            defined: FxHashSet::default(),
            used: FxHashMap::default(),
            controls: FxHashMap::from_iter([("q", 0)]),
            pending: Vec::new(),
            operands: Vec::new(),
            bound: Vec::new(),
            spoken_of: None,
            default_bits: None,
            forwards: Vec::new(),
            module: None,
            blocks: Vec::new(),
            labels: Vec::new(),
        };
        parser.token = parser.lexer.next();
        parser.ahead = parser.lexer.next();
        parser
    }

    pub(super) fn declarations(&self) -> &Declarations {
        self.declared.unwrap_or(&self.ast.declarations)
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

    /// The number of a name of a label, module or symbol.
    pub(super) fn used_name(&mut self, name: &'t str) -> u32 {
        let names = &mut self.ast.names;
        *self.used.entry(name).or_insert_with(|| {
            names.push(name.into());
            names.len() as u32 - 1
        })
    }

    /// Takes a name.
    pub(super) fn name(&mut self, what: &str) -> Result<(&'t str, u32), Broken> {
        if self.token.kind != Kind::Name {
            return self.unexpected(what);
        }
        let (name, at) = (self.text_of(self.token), self.token.start);
        self.bump();
        Ok((name, at))
    }

    // ---- complaints

    /// What the present token is, for a message.
    pub(super) fn described(&self) -> String {
        match self.token.kind {
            Kind::Eof => "the end of the file".to_owned(),
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
            Kind::OpenText => {
                complaint = Diagnostic::error("this text does not end on its line", self.span());
            }
            Kind::Unknown => {
                let character = self.text_of(self.token).escape_default();
                complaint.message = format!("`{character}` has no meaning in Remopla");
            }
            Kind::Assign if ["`->`", "operator"].iter().any(|word| complaint.message.contains(word)) => {
                complaint.help = Some("equality is written `==`".to_owned())
            }
            Kind::Key(Key::All | Key::Exists) if complaint.help.is_none() => {
                let help = format!("`{}` is a quantifier and cannot be a name", self.text_of(self.token));
                complaint.help = Some(help);
            }
            _ => {}
        }
        self.complaints.push(complaint);
    }

    /// After a syntax error in a statement: behind the next `;`, or at the next word or sign with which something begins
    /// or ends.
    pub(super) fn recover(&mut self) {
        loop {
            match self.token.kind {
                Kind::Eof | Kind::Colons | Kind::CloseBrace => return,
                Kind::Semicolon => return self.bump(),
                Kind::Key(
                    Key::If
                    | Key::Fi
                    | Key::Do
                    | Key::Od
                    | Key::Return
                    | Key::Break
                    | Key::Skip
                    | Key::Goto
                    | Key::Module
                    | Key::Fork,
                ) => return,
                _ => {}
            }
            self.bump();
        }
    }
}
