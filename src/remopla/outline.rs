//! The names of a Remopla program, also of one that is wrong.

use std::ops::Range;

use spds_format::reading::outline::{Kind, Outline, Role, behind};

use super::lexer::{Key, Remopla, TokenKind, Tokens};

/// The names that a program declares, and where names stand in it. Linear in the text.
pub fn outline(text: &str) -> Outline {
    let cursor = Tokens::new(text, Remopla);
    let mut scan = Scan { cursor, outline: Outline::default(), module: None, depth: 0, before: TokenKind::Eof };
    if u32::try_from(text.len()).is_ok() {
        scan.program();
    }
    scan.outline
}

struct Scan<'t> {
    cursor: Tokens<'t>,
    outline: Outline,
    /// The declaration of the module in which it is.
    module: Option<usize>,
    /// Braces that are open.
    depth: usize,
    before: TokenKind,
}

/// A quantifier ends with its statement, or so many bytes later.
const FAR: usize = 1 << 12;

/// What is known outside of the module in which it stands.
const OUTSIDE: [Kind; 3] = [Kind::Constant, Kind::Type, Kind::Field];

impl Scan<'_> {
    fn program(&mut self) {
        loop {
            match self.cursor.kind() {
                TokenKind::Eof => break,
                TokenKind::Key(Key::Define) => self.constant(),
                TokenKind::Key(Key::Bool | Key::Int | Key::Enum | Key::Struct) => self.variables(Kind::Variable),
                TokenKind::Key(Key::Module) => self.module(),
                TokenKind::Key(Key::Goto) => self.names(Role::Jump),
                TokenKind::Key(Key::Init) => self.names(Role::Call),
                TokenKind::Key(Key::All | Key::Exists) => self.quantifier(),
                TokenKind::OpenBrace => self.depth += 1,
                TokenKind::CloseBrace => self.brace(),
                TokenKind::Name => self.name(),
                _ => {}
            }
            self.bump();
        }
        self.close(self.cursor.text.len());
    }

    fn bump(&mut self) {
        self.before = self.cursor.kind();
        self.cursor.bump();
    }

    fn span(&self) -> Range<usize> {
        self.cursor.span()
    }

    fn declare(&mut self, kind: Kind, detail: &str) -> usize {
        self.outline.declare_here(kind, self.cursor.word(), self.cursor.span(), detail)
    }

    fn name(&mut self) {
        let role = match (self.before, self.cursor.ahead.kind) {
            (_, TokenKind::Colon) => {
                self.declare(Kind::Label, "");
                return;
            }
            (TokenKind::Dot, _) => Role::Part,
            (_, TokenKind::Open) => Role::Call,
            _ => Role::Value,
        };
        self.outline.mention(self.span(), role);
    }

    /// `define N 3`
    fn constant(&mut self) {
        if self.cursor.ahead.kind == TokenKind::Name {
            self.bump();
            let value = behind(self.cursor.text, &self.span(), &['\n', '#', '%']);
            let value = value.split("//").next().unwrap_or("").trim_end();
            self.declare(Kind::Constant, value);
        }
    }

    /// Names in a row, up to the last of them.
    fn names(&mut self, role: Role) {
        while self.cursor.ahead.kind == TokenKind::Name {
            self.bump();
            self.outline.mention(self.span(), role);
        }
    }

    /// `A i (0, 3) …`: known up to the end of the statement.
    fn quantifier(&mut self) {
        if self.cursor.ahead.kind == TokenKind::Name {
            self.bump();
            let bound = self.declare(Kind::Bound, "");
            let start = self.span().start;
            let rest = self.span().end..self.cursor.text.len();
            // Beyond what one statement has: the next one may be far.
            let near = self.cursor.text.as_bytes()[rest].iter().take(FAR).position(|byte| *byte == b';');
            let end = self.span().end + near.unwrap_or(FAR);
            self.outline.declarations[bound].scope = start..end;
        }
    }

    /// A type with its members or fields, up to its last token; how it is written where it has none.
    fn ty(&mut self) -> String {
        let keyword = self.cursor.kind();
        let mut written = self.cursor.word().to_owned();
        if !matches!(keyword, TokenKind::Key(Key::Enum | Key::Struct)) {
            return written;
        }
        if self.cursor.ahead.kind == TokenKind::Name {
            self.bump();
            written = format!("{written} {}", self.cursor.word());
            if self.cursor.ahead.kind == TokenKind::OpenBrace {
                self.declare(Kind::Type, &written);
            } else {
                self.outline.mention(self.span(), Role::Type);
            }
        }
        if self.cursor.ahead.kind == TokenKind::OpenBrace {
            self.bump();
            self.members(if keyword == TokenKind::Key(Key::Enum) { Kind::Constant } else { Kind::Field }, &written);
        }
        written
    }

    /// Members or fields in braces, up to the closing one. An enum may stand in a struct.
    fn members(&mut self, kind: Kind, written: &str) {
        let mut kinds = vec![kind];
        while !kinds.is_empty() && !matches!(self.cursor.ahead.kind, TokenKind::Eof | TokenKind::Key(Key::Module)) {
            self.bump();
            let after = self.cursor.ahead.kind;
            match self.cursor.kind() {
                TokenKind::OpenBrace => kinds.push(Kind::Constant),
                TokenKind::CloseBrace => drop(kinds.pop()),
                TokenKind::Name if kinds.last() == Some(&Kind::Constant) => drop(self.declare(Kind::Constant, written)),
                TokenKind::Name
                    if matches!(
                        after,
                        TokenKind::Semicolon | TokenKind::Comma | TokenKind::Open | TokenKind::OpenBracket
                    ) =>
                {
                    self.declare(Kind::Field, written);
                }
                TokenKind::Name => self.outline.mention(self.span(), Role::Any),
                _ => {}
            }
        }
    }

    /// `int x(3), y[5](3)`, up to what ends it, a `;` or the bracket of parameters.
    fn variables(&mut self, kind: Kind) {
        let mut ty = self.ty();
        let mut depth = 0usize;
        let mut wanted = true;
        loop {
            match self.cursor.ahead.kind {
                TokenKind::Semicolon | TokenKind::Eof | TokenKind::CloseBrace | TokenKind::OpenBrace => return,
                TokenKind::Key(Key::Module) => return,
                TokenKind::Close if depth == 0 => return,
                _ => self.bump(),
            }
            match self.cursor.kind() {
                TokenKind::Open | TokenKind::OpenBracket => depth += 1,
                TokenKind::Close | TokenKind::CloseBracket => depth = depth.saturating_sub(1),
                TokenKind::Comma if depth == 0 => wanted = true,
                TokenKind::Key(Key::Bool | Key::Int | Key::Enum | Key::Struct) if depth == 0 => ty = self.ty(),
                TokenKind::Name if depth == 0 && wanted && self.cursor.ahead.kind != TokenKind::Key(Key::Int) => {
                    wanted = false;
                    let written = behind(self.cursor.text, &self.span(), &[',', ';', '\n', '{']);
                    let balanced = written.matches('(').count() >= written.matches(')').count();
                    let size = if balanced { written } else { written.trim_end_matches(')') };
                    self.declare(kind, &format!("{ty}{size}"));
                }
                TokenKind::Name => self.outline.mention(self.span(), Role::Any),
                _ => {}
            }
        }
    }

    /// `module int(3) f(int x(3), bool y)`, up to the end of its parameters.
    fn module(&mut self) {
        self.close(self.span().start);
        let open = self.span().start;
        let mut depth = 0usize;
        while !(depth == 0 && self.cursor.is(TokenKind::Name) && self.cursor.ahead.kind == TokenKind::Open) {
            match self.cursor.ahead.kind {
                TokenKind::Eof | TokenKind::OpenBrace | TokenKind::Semicolon => return,
                TokenKind::Open | TokenKind::OpenBracket => depth += 1,
                TokenKind::Close | TokenKind::CloseBracket => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.bump();
            if self.cursor.is(TokenKind::Name) && self.cursor.ahead.kind != TokenKind::Open {
                self.outline.mention(self.span(), Role::Any);
            }
        }
        let module = self.declare(Kind::Procedure, "");
        self.bump();
        if matches!(self.cursor.ahead.kind, TokenKind::Key(_) | TokenKind::Name) {
            self.bump();
            self.variables(Kind::Parameter);
        }
        let end = self.cursor.ahead.range().end.min(self.cursor.text.len());
        let detail = self.cursor.text[open..end].split_whitespace().collect::<Vec<_>>().join(" ");
        let declaration = &mut self.outline.declarations[module];
        declaration.detail = detail.trim_start_matches("module ").to_owned();
        declaration.whole.start = open;
        self.bump();
        if self.cursor.ahead.kind == TokenKind::Semicolon {
            // A forward declaration.
            self.outline.close(module, end, &OUTSIDE);
        } else {
            self.module = Some(module);
            self.depth = 0;
        }
    }

    fn brace(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.close(self.span().end);
        }
    }

    fn close(&mut self, end: usize) {
        if let Some(module) = self.module.take() {
            self.outline.close(module, end, &OUTSIDE);
        }
    }
}
