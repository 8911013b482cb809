//! The names of a `.pds` text, also of one that is wrong.

use std::ops::Range;

use spds_format::reading::outline::{Kind, Names, Outline, Role, behind};

use super::lexer::{MopedPds, TokenKind, word};

/// The names that a text declares, and where names stand in it. Linear in the text. A control location or a stack symbol is
/// declared where the first rule is about it.
pub fn outline(text: &str) -> Outline {
    Names::found(text, MopedPds, |names| {
        let mut scan = Scan { names };
        scan.text();
        scan.names.outline
    })
}

struct Scan<'t> {
    names: Names<'t, MopedPds>,
}

impl Scan<'_> {
    fn text(&mut self) {
        while !self.names.cursor.is(TokenKind::Eof) {
            let word = self.word();
            match &self.names.cursor.text[word.clone()] {
                "define" => self.constant(word),
                "global" | "int" | "bool" => self.variables(word),
                "local" => self.local(word),
                "atoms" => self.names.cursor.seek(word.end as u32),
                "" if self.names.cursor.is(TokenKind::Open) && !self.start() => self.relation(),
                "" => self.names.cursor.bump(),
                _ => self.configuration(word),
            }
        }
    }

    /// The name of a control location or a stack symbol that begins here.
    fn word(&self) -> Range<usize> {
        let start = self.names.cursor.start() as usize;
        start..start + word(&self.names.cursor.text.as_bytes()[start..])
    }

    fn declare(&mut self, kind: Kind, at: Range<usize>, detail: &str) {
        let name = &self.names.cursor.text[at.clone()];
        self.names.outline.declare_here(kind, name, at, detail);
    }

    /// `define N 3`
    fn constant(&mut self, word: Range<usize>) {
        self.names.cursor.seek(word.end as u32);
        if self.names.cursor.is(TokenKind::Name) {
            let at = self.names.cursor.span();
            let value = behind(self.names.cursor.text, &at, &['\n', '#', '%']);
            self.declare(Kind::Constant, at, value);
            self.names.cursor.bump();
        }
    }

    /// `int x(3), y(N)[5];` from its first word on.
    fn variables(&mut self, word: Range<usize>) {
        let ty = self.names.cursor.text[word.clone()].to_owned();
        self.names.cursor.seek(word.end as u32);
        if ty == "global" {
            return;
        }
        let mut depth = 0usize;
        let mut before = TokenKind::Comma;
        while !matches!(self.names.cursor.kind(), TokenKind::Semicolon | TokenKind::Eof | TokenKind::Arrow) {
            let (kind, at) = (self.names.cursor.kind(), self.names.cursor.span());
            match kind {
                TokenKind::Open | TokenKind::OpenBracket => depth += 1,
                TokenKind::Close | TokenKind::CloseBracket => depth = depth.saturating_sub(1),
                TokenKind::Name if depth == 0 && before == TokenKind::Comma => {
                    let size = behind(self.names.cursor.text, &at, &[',', ';', '\n']);
                    self.declare(Kind::Variable, at, &format!("{ty}{size}"));
                }
                TokenKind::Name => self.names.outline.mention(at, Role::Value),
                _ => {}
            }
            before = kind;
            self.names.cursor.bump();
        }
    }

    /// `local name (a, b)` up to its types.
    fn local(&mut self, word: Range<usize>) {
        self.names.cursor.seek(word.end as u32);
        let name = self.word();
        if !name.is_empty() {
            self.names.cursor.seek(name.end as u32);
            self.declare(Kind::Procedure, name, "");
        }
        if !self.names.cursor.take(TokenKind::Open) {
            return;
        }
        while !matches!(self.names.cursor.kind(), TokenKind::Close | TokenKind::Eof | TokenKind::Semicolon) {
            let symbol = self.word();
            if symbol.is_empty() {
                self.names.cursor.bump();
            } else {
                self.names.cursor.seek(symbol.end as u32);
                self.names.outline.mention(symbol, Role::Symbol);
            }
        }
    }

    /// Whether this bracket opens the start, `(q <entry …`; goes on behind it.
    fn start(&mut self) -> bool {
        let begin = self.names.cursor;
        self.names.cursor.bump();
        let control = self.word();
        self.names.cursor.seek(control.end as u32);
        if !control.is_empty() && self.names.cursor.take(TokenKind::Lt) {
            let symbol = self.word();
            self.names.cursor.seek(symbol.end as u32);
            if !symbol.is_empty() && matches!(self.names.cursor.kind(), TokenKind::Gt | TokenKind::Open) {
                self.names.outline.mention(control, Role::Control);
                self.names.outline.mention(symbol, Role::Symbol);
                return true;
            }
        }
        self.names.cursor = begin;
        false
    }

    /// `q <a b>` of a rule. What a rule is about is declared by it.
    fn configuration(&mut self, control: Range<usize>) {
        self.names.cursor.seek(control.end as u32);
        if !self.names.cursor.take(TokenKind::Lt) {
            return;
        }
        let mut symbols = Vec::new();
        loop {
            let symbol = self.word();
            if symbol.is_empty() {
                break;
            }
            self.names.cursor.seek(symbol.end as u32);
            symbols.push(symbol);
        }
        self.names.cursor.take(TokenKind::Gt);
        let about = self.names.cursor.is(TokenKind::Arrow);
        self.part(control, Kind::Control, Role::Control, about);
        for symbol in symbols {
            self.part(symbol, Kind::Symbol, Role::Symbol, about);
        }
    }

    fn part(&mut self, at: Range<usize>, kind: Kind, role: Role, about: bool) {
        if about && !self.names.outline.has(kind, &self.names.cursor.text[at.clone()]) {
            self.names.outline.declare(kind, &self.names.cursor.text[at.clone()], at.clone(), "");
        }
        self.names.outline.mention(at, role);
    }

    /// The relation of a rule.
    fn relation(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.names.cursor.kind() {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth = depth.saturating_sub(1),
                TokenKind::Name => self.names.outline.mention(self.names.cursor.span(), Role::Value),
                TokenKind::Eof | TokenKind::Arrow => return,
                _ => {}
            }
            self.names.cursor.bump();
            if depth == 0 {
                return;
            }
        }
    }
}
