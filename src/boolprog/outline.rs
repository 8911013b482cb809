//! The names of a Boolean program, also of one that is wrong.

use std::ops::Range;

use spds_format::reading::outline::{Kind, Outline, Role};

use super::lexer::{BooleanPrograms, Key, TokenKind, Tokens};
use super::{Dialect, Options};

/// The names that a program declares, and where names stand in it. Linear in the text.
pub fn outline(text: &str, options: &Options) -> Outline {
    let cursor = Tokens::new(text, BooleanPrograms { hyphens: options.dialect == Dialect::Satabs });
    let mut scan = Scan { cursor, outline: Outline::default(), procedure: None, open: 0, questions: 0, before: None };
    if u32::try_from(text.len()).is_ok() {
        scan.program();
    }
    scan.outline
}

/// Where the scan is.
struct Scan<'t> {
    cursor: Tokens<'t>,
    outline: Outline,
    /// The declaration of the procedure in which it is.
    procedure: Option<usize>,
    /// Where the head of the procedure begins, its type included.
    open: usize,
    /// Conditional expressions whose `:` has not come yet.
    questions: usize,
    /// The token before.
    before: Option<TokenKind>,
}

impl Scan<'_> {
    fn program(&mut self) {
        while !self.cursor.is(TokenKind::Eof) {
            match self.cursor.kind() {
                TokenKind::Key(Key::Decl) => self.declaration(),
                TokenKind::Key(Key::Void | Key::Bool) if self.procedure.is_none() => {
                    self.open = self.cursor.start() as usize;
                    self.head();
                }
                TokenKind::Name if self.procedure.is_none() && self.cursor.ahead.kind == TokenKind::Open => {
                    self.open = self.cursor.start() as usize;
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
            self.bump();
        }
        self.close(self.cursor.text.len());
    }

    fn bump(&mut self) {
        self.before = Some(self.cursor.kind());
        self.cursor.bump();
    }

    fn span(&self) -> Range<usize> {
        self.cursor.span()
    }

    fn declare(&mut self, kind: Kind, detail: &str) -> usize {
        self.outline.declare_here(kind, self.cursor.word(), self.cursor.span(), detail)
    }

    /// `decl x, y := 0;` up to its end.
    fn declaration(&mut self) {
        self.bump();
        let mut initial = false;
        loop {
            match self.cursor.kind() {
                TokenKind::Name if !initial => drop(self.declare(Kind::Variable, "bool")),
                TokenKind::Name => self.outline.mention(self.span(), Role::Value),
                TokenKind::Assign => initial = true,
                TokenKind::Comma => initial = false,
                // What stands here is no declaration any more.
                TokenKind::Semicolon | TokenKind::Eof => return,
                _ => {}
            }
            if matches!(self.cursor.ahead.kind, TokenKind::Key(_) | TokenKind::Eof) {
                return;
            }
            self.bump();
        }
    }

    /// The head of a procedure, up to what comes before its name or parameters end.
    fn head(&mut self) {
        while !matches!(self.cursor.kind(), TokenKind::Name | TokenKind::Eof) {
            if self.cursor.is(TokenKind::Semicolon) {
                return;
            }
            self.bump();
        }
        let procedure = self.declare(Kind::Procedure, "");
        while !matches!(self.cursor.ahead.kind, TokenKind::Close | TokenKind::Eof | TokenKind::Semicolon)
            && !matches!(self.cursor.ahead.kind, TokenKind::Key(key) if key != Key::Bool)
        {
            self.bump();
            if self.cursor.is(TokenKind::Name) {
                self.declare(Kind::Parameter, "bool");
            }
        }
        let end = self.cursor.ahead.range().end.min(self.cursor.text.len());
        let detail = self.cursor.text[self.open..end].split_whitespace().collect::<Vec<_>>().join(" ");
        let declaration = &mut self.outline.declarations[procedure];
        declaration.detail = detail;
        declaration.whole.start = self.open;
        self.procedure = Some(procedure);
    }

    fn end(&mut self) {
        let end = self.span().end;
        self.close(end);
    }

    fn close(&mut self, end: usize) {
        if let Some(procedure) = self.procedure.take() {
            self.outline.close(procedure, end, &[]);
        }
    }

    /// `goto L1, L2;` up to the last of them.
    fn destinations(&mut self) {
        while matches!(self.cursor.ahead.kind, TokenKind::Name | TokenKind::Number | TokenKind::Comma) {
            self.bump();
            if !self.cursor.is(TokenKind::Comma) {
                self.outline.mention(self.span(), Role::Jump);
            }
        }
    }

    fn name(&mut self) {
        let is_name = self.cursor.is(TokenKind::Name);
        match self.cursor.ahead.kind {
            TokenKind::Colon if self.procedure.is_some() && self.questions == 0 => drop(self.declare(Kind::Label, "")),
            TokenKind::Open if is_name => self.outline.mention(self.span(), Role::Call),
            _ if is_name => self.outline.mention(self.span(), Role::Value),
            _ => {}
        }
    }
}
