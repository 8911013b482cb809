//! Reading programs: the state of the reader, tokens, complaints about them.
//!
//! Open blocks and pending operators wait on stacks of the reader's own. After a syntax error reading goes on behind the
//! next `;` or at the next keyword, so that one reading finds many of them.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::model::Name;

use spds_format::reading::complaints::Complaints;
use spds_format::reading::precedence::Stack;
use spds_format::reading::tokens::{Broken, Reader};

use super::Dialect;
use super::ast::*;
use super::declarations::Declarations;
use super::expression::Operand;
use super::lexer::{Key, Remopla, TokenKind, Tokens};
use super::program::Forward;
use super::statement::Block;

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
    pub cursor: Tokens<'t>,
    pub dialect: Dialect,
    pub naming: Naming,
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
    /// Operators and brackets; empty between expressions.
    pub waiting: Stack<Self>,
    /// Whether one variable is read, and not a whole expression.
    pub only_target: bool,
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

impl<'t> Reader<'t> for Parser<'t> {
    type Lexis = Remopla;

    fn cursor(&mut self) -> &mut Tokens<'t> {
        &mut self.cursor
    }

    fn complaints(&mut self) -> &mut Complaints {
        &mut self.complaints
    }
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, dialect: Dialect, naming: Naming) -> Self {
        Parser {
            cursor: Tokens::new(text, Remopla),
            dialect,
            naming,
            ast: Ast::default(),
            declared: None,
            complaints: Complaints::default(),
            broken: false,
            given: FxHashMap::default(),
            defined: FxHashSet::default(),
            used: FxHashMap::default(),
            controls: FxHashMap::from_iter([("q", 0)]),
            waiting: Stack::<Self>::new(),
            only_target: false,
            operands: Vec::new(),
            bound: Vec::new(),
            spoken_of: None,
            default_bits: None,
            forwards: Vec::new(),
            module: None,
            blocks: Vec::new(),
            labels: Vec::new(),
        }
    }

    pub(super) fn declarations(&self) -> &Declarations {
        self.declared.unwrap_or(&self.ast.declarations)
    }

    pub(super) fn is_key(&self, key: Key) -> bool {
        self.cursor.is(TokenKind::Key(key))
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
        self.expect_word(TokenKind::Name, what)
    }

    /// After a syntax error in a statement: behind the next `;`, or at the next word or sign with which something begins
    /// or ends.
    pub(super) fn recover(&mut self) {
        loop {
            match self.cursor.kind() {
                TokenKind::Eof | TokenKind::Colons | TokenKind::CloseBrace => return,
                TokenKind::Semicolon => return self.bump(),
                TokenKind::Key(
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
