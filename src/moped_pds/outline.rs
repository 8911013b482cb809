//! The names of a `.pds` text, also of one that is wrong.

use std::ops::Range;

use spds_format::reading::outline::{Kind, Outline, Role, behind};

use super::lexer::{MopedPds, TokenKind, Tokens, word};

/// The names that a text declares, and where names stand in it. Linear in the text. A control location or a stack symbol is
/// declared where the first rule is about it.
pub fn outline(text: &str) -> Outline {
    let mut scan = Scan { cursor: Tokens::new(text, MopedPds), outline: Outline::default() };
    if u32::try_from(text.len()).is_ok() {
        scan.text();
    }
    scan.outline
}

struct Scan<'t> {
    cursor: Tokens<'t>,
    outline: Outline,
}

impl Scan<'_> {
    fn text(&mut self) {
        while !self.cursor.is(TokenKind::Eof) {
            let word = self.word();
            match &self.cursor.text[word.clone()] {
                "define" => self.constant(word),
                "global" | "int" | "bool" => self.variables(word),
                "local" => self.local(word),
                "atoms" => self.cursor.seek(word.end as u32),
                "" if self.cursor.is(TokenKind::Open) && !self.start() => self.relation(),
                "" => self.cursor.bump(),
                _ => self.configuration(word),
            }
        }
    }

    /// The name of a control location or a stack symbol that begins here.
    fn word(&self) -> Range<usize> {
        let start = self.cursor.start() as usize;
        start..start + word(&self.cursor.text.as_bytes()[start..])
    }

    fn declare(&mut self, kind: Kind, at: Range<usize>, detail: &str) {
        let name = &self.cursor.text[at.clone()];
        self.outline.declare_here(kind, name, at, detail);
    }

    /// `define N 3`
    fn constant(&mut self, word: Range<usize>) {
        self.cursor.seek(word.end as u32);
        if self.cursor.is(TokenKind::Name) {
            let at = self.cursor.span();
            let value = behind(self.cursor.text, &at, &['\n', '#', '%']);
            self.declare(Kind::Constant, at, value);
            self.cursor.bump();
        }
    }

    /// `int x(3), y(N)[5];` from its first word on.
    fn variables(&mut self, word: Range<usize>) {
        let ty = self.cursor.text[word.clone()].to_owned();
        self.cursor.seek(word.end as u32);
        if ty == "global" {
            return;
        }
        let mut depth = 0usize;
        let mut before = TokenKind::Comma;
        while !matches!(self.cursor.kind(), TokenKind::Semicolon | TokenKind::Eof | TokenKind::Arrow) {
            let (kind, at) = (self.cursor.kind(), self.cursor.span());
            match kind {
                TokenKind::Open | TokenKind::OpenBracket => depth += 1,
                TokenKind::Close | TokenKind::CloseBracket => depth = depth.saturating_sub(1),
                TokenKind::Name if depth == 0 && before == TokenKind::Comma => {
                    let size = behind(self.cursor.text, &at, &[',', ';', '\n']);
                    self.declare(Kind::Variable, at, &format!("{ty}{size}"));
                }
                TokenKind::Name => self.outline.mention(at, Role::Value),
                _ => {}
            }
            before = kind;
            self.cursor.bump();
        }
    }

    /// `local name (a, b)` up to its types.
    fn local(&mut self, word: Range<usize>) {
        self.cursor.seek(word.end as u32);
        let name = self.word();
        if !name.is_empty() {
            self.cursor.seek(name.end as u32);
            self.declare(Kind::Procedure, name, "");
        }
        if !self.cursor.take(TokenKind::Open) {
            return;
        }
        while !matches!(self.cursor.kind(), TokenKind::Close | TokenKind::Eof | TokenKind::Semicolon) {
            let symbol = self.word();
            if symbol.is_empty() {
                self.cursor.bump();
            } else {
                self.cursor.seek(symbol.end as u32);
                self.outline.mention(symbol, Role::Symbol);
            }
        }
    }

    /// Whether this bracket opens the start, `(q <entry …`; goes on behind it.
    fn start(&mut self) -> bool {
        let begin = self.cursor;
        self.cursor.bump();
        let control = self.word();
        self.cursor.seek(control.end as u32);
        if !control.is_empty() && self.cursor.take(TokenKind::Lt) {
            let symbol = self.word();
            self.cursor.seek(symbol.end as u32);
            if !symbol.is_empty() && matches!(self.cursor.kind(), TokenKind::Gt | TokenKind::Open) {
                self.outline.mention(control, Role::Control);
                self.outline.mention(symbol, Role::Symbol);
                return true;
            }
        }
        self.cursor = begin;
        false
    }

    /// `q <a b>` of a rule. What a rule is about is declared by it.
    fn configuration(&mut self, control: Range<usize>) {
        self.cursor.seek(control.end as u32);
        if !self.cursor.take(TokenKind::Lt) {
            return;
        }
        let mut symbols = Vec::new();
        loop {
            let symbol = self.word();
            if symbol.is_empty() {
                break;
            }
            self.cursor.seek(symbol.end as u32);
            symbols.push(symbol);
        }
        self.cursor.take(TokenKind::Gt);
        let about = self.cursor.is(TokenKind::Arrow);
        self.part(control, Kind::Control, Role::Control, about);
        for symbol in symbols {
            self.part(symbol, Kind::Symbol, Role::Symbol, about);
        }
    }

    fn part(&mut self, at: Range<usize>, kind: Kind, role: Role, about: bool) {
        if about && !self.outline.has(kind, &self.cursor.text[at.clone()]) {
            self.outline.declare(kind, &self.cursor.text[at.clone()], at.clone(), "");
        }
        self.outline.mention(at, role);
    }

    /// The relation of a rule.
    fn relation(&mut self) {
        let mut depth = 0usize;
        loop {
            match self.cursor.kind() {
                TokenKind::Open => depth += 1,
                TokenKind::Close => depth = depth.saturating_sub(1),
                TokenKind::Name => self.outline.mention(self.cursor.span(), Role::Value),
                TokenKind::Eof | TokenKind::Arrow => return,
                _ => {}
            }
            self.cursor.bump();
            if depth == 0 {
                return;
            }
        }
    }
}
