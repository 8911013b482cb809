//! The outer grammar: global declarations and procedures with their heads.

use spds_format::Diagnostic;

use super::ast::*;
use super::lexer::{Key, Kind};
use super::parser::{Broken, Frame, Opener, Parser};

impl Parser<'_> {
    /// The whole text.
    pub(super) fn program(&mut self) {
        loop {
            let outcome = match self.token.kind {
                Kind::Eof => return,
                Kind::Semicolon => {
                    self.bump();
                    Ok(())
                }
                Kind::Key(Key::Decl) => self.declaration().map(|declared| self.ast.globals.extend(declared)),
                Kind::Key(Key::Void | Key::Bool) => self.procedure(),
                Kind::Name if self.ahead.kind == Kind::Open || self.is_dfs() => self.procedure(),
                _ => self.no_declaration(),
            };
            if outcome == Err(Broken) {
                self.broken = true;
                self.skip_to_declaration();
            }
        }
    }

    fn is_dfs(&self) -> bool {
        let bool_or_void = matches!(self.ahead.kind, Kind::Key(Key::Void | Key::Bool) | Kind::Name);
        bool_or_void && self.text_of(self.token) == "dfs"
    }

    fn no_declaration(&mut self) -> Result<(), Broken> {
        if self.ast.procedures.is_empty() && self.ast.globals.is_empty() && !self.complaints.refused() {
            let found = self.described();
            let complaint = Diagnostic::error("this does not look like a Boolean program", self.span())
                .with_label(format!("expected `decl` or a procedure, found {found}"))
                .with_help("a Boolean program is made of `decl x, y;` and `void main() begin … end`");
            self.complaints.push(complaint);
            return Err(Broken);
        }
        self.unexpected("`decl` or a procedure")
    }

    fn skip_to_declaration(&mut self) {
        while !matches!(self.token.kind, Kind::Eof | Kind::Key(Key::Decl | Key::Void | Key::Bool)) {
            self.bump();
        }
    }

    /// `decl x, y := 0;`
    pub(super) fn declaration(&mut self) -> Result<Vec<Declared>, Broken> {
        self.bump();
        let mut declared = Vec::new();
        loop {
            let (name, at) = self.name("the name of a variable")?;
            let initial = if self.take(Kind::Assign) { self.initial_value()? } else { None };
            declared.push(Declared { name, at, initial });
            if !self.take(Kind::Comma) {
                break;
            }
        }
        if !self.take(Kind::Semicolon) {
            // SATABS separates statements by `;`: the last one of a procedure needs none.
            if !self.is_key(Key::End) {
                return self.unexpected("`,` or `;` after a declared variable");
            }
        }
        Ok(declared)
    }

    /// The `c` of `decl x := c`.
    fn initial_value(&mut self) -> Result<Option<bool>, Broken> {
        let begin = self.token.start as usize;
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
            let span = begin..self.previous_end as usize;
            let complaint = Diagnostic::error("an initial value is 0, 1 or `*`", span)
                .with_help("assign anything else in the first statement");
            self.complaints.push(complaint);
        }
        Ok(value.unwrap_or(None))
    }

    /// A procedure, head and body.
    fn procedure(&mut self) -> Result<(), Broken> {
        if self.token.kind == Kind::Name && self.is_dfs() {
            self.bump();
        }
        let results = self.result_type()?;
        self.procedures_have_types(results.is_some());
        let (name, at) = self.name("the name of a procedure")?;
        let first_variable = self.ast.locals.len() as u32;
        self.expect(Kind::Open, "`(` after the name of a procedure")?;
        if !self.take(Kind::Close) {
            loop {
                if self.is_key(Key::Bool) {
                    self.bump();
                }
                let (name, at) = self.name("the name of a parameter")?;
                self.ast.locals.push(Declared { name, at, initial: None });
                if !self.take(Kind::Comma) {
                    break;
                }
            }
            self.expect(Kind::Close, "`,` or `)` after a parameter")?;
        }
        let parameters = self.ast.locals.len() as u32 - first_variable;
        let begin = self.token.start;
        self.expect(Kind::Key(Key::Begin), "`begin`")?;

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

    /// `void`, `bool`, `bool<n>`, or nothing.
    fn result_type(&mut self) -> Result<Option<u32>, Broken> {
        if self.take(Kind::Key(Key::Void)) {
            return Ok(Some(0));
        }
        if !self.take(Kind::Key(Key::Bool)) {
            return Ok(None);
        }
        if !self.take(Kind::Less) {
            return Ok(Some(1));
        }
        if self.token.kind != Kind::Number {
            return self.unexpected("the number of results");
        }
        let number = self.text_of(self.token);
        let results = match number.parse::<u32>() {
            Ok(results) if results > 0 => results,
            _ => {
                let message = format!("a procedure cannot have {number} results");
                let complaint = Diagnostic::error(message, self.span()).with_help("one without results is `void`");
                self.complaints.push(complaint);
                1
            }
        };
        self.bump();
        self.expect(Kind::Greater, "`>` after the number of results")?;
        Ok(Some(results))
    }
}
