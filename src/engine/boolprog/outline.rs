//! The names of a Boolean program, also of one that is wrong.

use spds_format::reading::outline::{Kind, Names, Outline, Role};

use super::lexer::{BooleanPrograms, Key, TokenKind};
use super::{Dialect, Options};

/// The names that a program declares, and where names stand in it. Linear in the text.
pub fn outline(text: &str, options: &Options) -> Outline {
    let lexis = BooleanPrograms { hyphens: options.dialect == Dialect::Satabs };
    Names::found(text, lexis, |names| {
        let mut scan = Scan { names, procedure: None, open: 0, questions: 0 };
        scan.program();
        scan.names.outline
    })
}

/// Where the scan is.
struct Scan<'t> {
    names: Names<'t, BooleanPrograms>,
    /// The declaration of the procedure in which it is.
    procedure: Option<usize>,
    /// Where the head of the procedure begins, its type included.
    open: usize,
    /// Conditional expressions whose `:` has not come yet.
    questions: usize,
}

impl Scan<'_> {
    fn program(&mut self) {
        while !self.names.cursor.is(TokenKind::Eof) {
            match self.names.cursor.kind() {
                TokenKind::Key(Key::Decl) => self.declaration(),
                TokenKind::Key(Key::Void | Key::Bool) if self.procedure.is_none() => {
                    self.open = self.names.cursor.start() as usize;
                    self.head();
                }
                TokenKind::Name if self.procedure.is_none() && self.names.cursor.ahead.kind == TokenKind::Open => {
                    self.open = self.names.cursor.start() as usize;
                    self.head();
                }
                TokenKind::Key(Key::End) => self.end(),
                TokenKind::Key(Key::Goto) => self.destinations(),
                TokenKind::Name | TokenKind::Number => self.name(),
                TokenKind::Question => self.questions += 1,
                TokenKind::Colon => self.questions = self.questions.saturating_sub(1),
                TokenKind::Semicolon | TokenKind::Key(_) => self.questions = 0,
                _ => {}
            }
            self.names.bump();
        }
        self.close(self.names.cursor.text.len());
    }

    /// `decl x, y := 0;` up to its end.
    fn declaration(&mut self) {
        self.names.bump();
        let mut initial = false;
        loop {
            match self.names.cursor.kind() {
                TokenKind::Name if !initial => drop(self.names.declare(Kind::Variable, "bool")),
                TokenKind::Name => self.names.mention(Role::Value),
                TokenKind::Assign => initial = true,
                TokenKind::Comma => initial = false,
                // What stands here is no declaration any more.
                TokenKind::Semicolon | TokenKind::Eof => return,
                _ => {}
            }
            if matches!(self.names.cursor.ahead.kind, TokenKind::Key(_) | TokenKind::Eof) {
                return;
            }
            self.names.bump();
        }
    }

    /// The head of a procedure, up to what comes before its name or parameters end.
    fn head(&mut self) {
        while !matches!(self.names.cursor.kind(), TokenKind::Name | TokenKind::Eof) {
            if self.names.cursor.is(TokenKind::Semicolon) {
                return;
            }
            self.names.bump();
        }
        let procedure = self.names.declare(Kind::Procedure, "");
        while !matches!(self.names.cursor.ahead.kind, TokenKind::Close | TokenKind::Eof | TokenKind::Semicolon)
            && !matches!(self.names.cursor.ahead.kind, TokenKind::Key(key) if key != Key::Bool)
        {
            self.names.bump();
            if self.names.cursor.is(TokenKind::Name) {
                self.names.declare(Kind::Parameter, "bool");
            }
        }
        let end = self.names.cursor.ahead.range().end.min(self.names.cursor.text.len());
        let detail = self.names.cursor.text[self.open..end].split_whitespace().collect::<Vec<_>>().join(" ");
        let declaration = &mut self.names.outline.declarations[procedure];
        declaration.detail = detail;
        declaration.whole.start = self.open;
        self.procedure = Some(procedure);
    }

    fn end(&mut self) {
        let end = self.names.span().end;
        self.close(end);
    }

    fn close(&mut self, end: usize) {
        if let Some(procedure) = self.procedure.take() {
            self.names.outline.close(procedure, end, &[]);
        }
    }

    /// `goto L1, L2;` up to the last of them.
    fn destinations(&mut self) {
        while matches!(self.names.cursor.ahead.kind, TokenKind::Name | TokenKind::Number | TokenKind::Comma) {
            self.names.bump();
            if !self.names.cursor.is(TokenKind::Comma) {
                self.names.mention(Role::Jump);
            }
        }
    }

    fn name(&mut self) {
        let is_name = self.names.cursor.is(TokenKind::Name);
        match self.names.cursor.ahead.kind {
            TokenKind::Colon if self.procedure.is_some() && self.questions == 0 => {
                self.names.declare(Kind::Label, "");
            }
            TokenKind::Open if is_name => self.names.mention(Role::Call),
            _ if is_name => self.names.mention(Role::Value),
            _ => {}
        }
    }
}
