//! The outer grammar: global declarations and procedures with their heads.

use nom::sequence::{preceded, terminated};
use spds_format::Diagnostic;
use spds_format::reading::grammar::{after, by, listed, next, read, separated, token};
use spds_format::reading::tokens::{Broken, Reader};

use super::ast::*;
use super::lexer::{Key, TokenKind};
use super::parser::{Frame, Opener, Parser};

impl Parser<'_> {
    /// The whole text.
    pub(super) fn program(&mut self) {
        loop {
            let outcome = match self.cursor.kind() {
                TokenKind::Eof => return,
                TokenKind::Semicolon => {
                    self.bump();
                    Ok(())
                }
                TokenKind::Key(Key::Decl) => self.declaration(|ast| &mut ast.globals),
                TokenKind::Key(Key::Void | Key::Bool) => self.procedure(),
                TokenKind::Name if self.cursor.ahead.kind == TokenKind::Open || self.is_dfs() => self.procedure(),
                _ => self.no_declaration(),
            };
            if outcome == Err(Broken) {
                self.broken = true;
                self.skip_to_declaration();
            }
        }
    }

    fn is_dfs(&self) -> bool {
        let bool_or_void = matches!(self.cursor.ahead.kind, TokenKind::Key(Key::Void | Key::Bool) | TokenKind::Name);
        bool_or_void && self.cursor.word() == "dfs"
    }

    fn no_declaration(&mut self) -> Result<(), Broken> {
        if self.ast.procedures.is_empty() && self.ast.globals.is_empty() && !self.complaints.refused() {
            let found = self.cursor.described();
            let complaint = Diagnostic::error("this does not look like a Boolean program", self.cursor.span())
                .with_label(format!("expected `decl` or a procedure, found {found}"))
                .with_help("a Boolean program is made of `decl x, y;` and `void main() begin … end`");
            self.complaints.push(complaint);
            return Err(Broken);
        }
        self.unexpected("`decl` or a procedure")
    }

    fn skip_to_declaration(&mut self) {
        while !matches!(self.cursor.kind(), TokenKind::Eof | TokenKind::Key(Key::Decl | Key::Void | Key::Bool)) {
            self.bump();
        }
    }

    /// `decl x, y := 0;`, put where it belongs.
    pub(super) fn declaration(&mut self, list: fn(&mut Ast) -> &mut Vec<Declared>) -> Result<(), Broken> {
        let declared = by(|parser: &mut Self| {
            let (name, at) = parser.name("the name of a variable")?;
            let initial = read(parser, after(TokenKind::Assign, by(Self::initial_value)))?.flatten();
            list(&mut parser.ast).push(Declared { name, at, initial });
            Ok(())
        });
        read(self, preceded(next(), separated(TokenKind::Comma, declared)))?;
        // SATABS separates statements by `;`: the last one of a procedure needs none.
        if self.is_key(Key::End) {
            return Ok(());
        }
        self.expect(TokenKind::Semicolon, "`,` or `;` after a declared variable")
    }

    /// The `c` of `decl x := c`.
    fn initial_value(&mut self) -> Result<Option<bool>, Broken> {
        let begin = self.cursor.start() as usize;
        let nodes = self.ast.nodes.len();
        self.expression()?;
        let value = match self.ast.nodes[nodes..] {
            [Node { op: Op::Const(value), .. }] => Some(Some(value)),
            [Node { op: Op::Any, .. }] => Some(None),
            [Node { op: Op::Name(name, _), .. }] => match &**self.ast.name(name) {
                "T" => Some(Some(true)),
                "F" => Some(Some(false)),
                _ => None,
            },
            _ => None,
        };
        self.ast.nodes.truncate(nodes);
        if value.is_none() {
            let span = begin..self.cursor.previous_end as usize;
            let complaint = Diagnostic::error("an initial value is 0, 1 or `*`", span)
                .with_help("assign anything else in the first statement");
            self.complaints.push(complaint);
        }
        Ok(value.unwrap_or(None))
    }

    /// A procedure, head and body.
    fn procedure(&mut self) -> Result<(), Broken> {
        if self.cursor.kind() == TokenKind::Name && self.is_dfs() {
            self.bump();
        }
        let results = self.result_type()?;
        self.procedures_have_types(results.is_some());
        let first_variable = self.ast.locals.len() as u32;
        let (name, at) = self.name("the name of a procedure")?;
        let open = (TokenKind::Open, "`(` after the name of a procedure");
        let close = (TokenKind::Close, "`,` or `)` after a parameter");
        read(self, listed(open, (TokenKind::Comma, by(Self::parameter)), close))?;
        let parameters = self.ast.locals.len() as u32 - first_variable;
        let begin = self.cursor.start();
        self.expect(TokenKind::Key(Key::Begin), "`begin`")?;

        let (first_statement, first_label) = (self.ast.statements.len() as u32, self.ast.labels.len());
        self.ast.procedures.push(Procedure {
            name,
            at,
            results,
            variables: Piece::default(),
            parameters,
            enforced: Piece::default(),
            statements: Piece::default(),
            body: None,
            labels: Piece::default(),
            end: 0,
        });
        self.frames.push(Frame { opener: Opener::Procedure, at: begin, last: None, exits: Vec::new() });
        self.body();
        self.frames.clear();
        self.ast.labels[first_label..].sort_by_key(|label| label.target.map_or(usize::MAX, StmtId::index));

        let variables = Piece { start: first_variable, end: self.ast.locals.len() as u32 };
        let statements = Piece { start: first_statement, end: self.ast.statements.len() as u32 };
        let labels = Piece { start: first_label as u32, end: self.ast.labels.len() as u32 };
        if let Some(procedure) = self.ast.procedures.last_mut() {
            (procedure.variables, procedure.statements, procedure.labels) = (variables, statements, labels);
        }
        Ok(())
    }

    fn parameter(&mut self) -> Result<(), Broken> {
        self.take(TokenKind::Key(Key::Bool));
        let (name, at) = self.name("the name of a parameter")?;
        self.ast.locals.push(Declared { name, at, initial: None });
        Ok(())
    }

    /// `void`, `bool`, `bool<n>`, or nothing.
    fn result_type(&mut self) -> Result<Option<u32>, Broken> {
        if self.take(TokenKind::Key(Key::Void)) {
            return Ok(Some(0));
        }
        if !self.take(TokenKind::Key(Key::Bool)) {
            return Ok(None);
        }
        let number =
            terminated(by(Self::number_of_results), token(TokenKind::Greater, "`>` after the number of results"));
        Ok(Some(read(self, after(TokenKind::Less, number))?.unwrap_or(1)))
    }

    fn number_of_results(&mut self) -> Result<u32, Broken> {
        let span = self.cursor.span();
        let (number, _) = self.expect_word(TokenKind::Number, "the number of results")?;
        Ok(match number.parse::<u32>() {
            Ok(results) if results > 0 => results,
            _ => {
                let message = format!("a procedure cannot have {number} results");
                self.complaints.push(Diagnostic::error(message, span).with_help("one without results is `void`"));
                1
            }
        })
    }
}
