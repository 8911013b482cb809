//! The names of a Remopla program, also of one that is wrong.

use spds_format::reading::outline::{Kind, Names, Outline, Role, behind};

use super::lexer::{Key, Remopla, TokenKind};

/// The names that a program declares, and where names stand in it. Linear in the text.
pub fn outline(text: &str) -> Outline {
    Names::found(text, Remopla, |names| {
        let mut scan = Scan { names, module: None, depth: 0 };
        scan.program();
        scan.names.outline
    })
}

struct Scan<'t> {
    names: Names<'t, Remopla>,
    /// The declaration of the module in which it is.
    module: Option<usize>,
    /// Braces that are open.
    depth: usize,
}

/// A quantifier ends with its statement, or so many bytes later.
const FAR: usize = 1 << 12;

/// What is known outside of the module in which it stands.
const OUTSIDE: [Kind; 3] = [Kind::Constant, Kind::Type, Kind::Field];

impl Scan<'_> {
    fn program(&mut self) {
        loop {
            match self.names.cursor.kind() {
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
            self.names.bump();
        }
        self.close(self.names.cursor.text.len());
    }

    fn name(&mut self) {
        let role = match (self.names.before, self.names.cursor.ahead.kind) {
            (_, TokenKind::Colon) => {
                self.names.declare(Kind::Label, "");
                return;
            }
            (Some(TokenKind::Dot), _) => Role::Part,
            (_, TokenKind::Open) => Role::Call,
            _ => Role::Value,
        };
        self.names.mention(role);
    }

    /// `define N 3`
    fn constant(&mut self) {
        if self.names.cursor.ahead.kind == TokenKind::Name {
            self.names.bump();
            let value = behind(self.names.cursor.text, &self.names.span(), &['\n', '#', '%']);
            let value = value.split("//").next().unwrap_or("").trim_end();
            self.names.declare(Kind::Constant, value);
        }
    }

    /// Names in a row, up to the last of them.
    fn names(&mut self, role: Role) {
        while self.names.cursor.ahead.kind == TokenKind::Name {
            self.names.bump();
            self.names.mention(role);
        }
    }

    /// `A i (0, 3) …`: known up to the end of the statement.
    fn quantifier(&mut self) {
        if self.names.cursor.ahead.kind == TokenKind::Name {
            self.names.bump();
            let bound = self.names.declare(Kind::Bound, "");
            let start = self.names.span().start;
            let rest = self.names.span().end..self.names.cursor.text.len();
            // Beyond what one statement has: the next one may be far.
            let near = self.names.cursor.text.as_bytes()[rest].iter().take(FAR).position(|byte| *byte == b';');
            let end = self.names.span().end + near.unwrap_or(FAR);
            self.names.outline.declarations[bound].scope = start..end;
        }
    }

    /// A type with its members or fields, up to its last token; how it is written where it has none.
    fn ty(&mut self) -> String {
        let keyword = self.names.cursor.kind();
        let mut written = self.names.cursor.word().to_owned();
        if !matches!(keyword, TokenKind::Key(Key::Enum | Key::Struct)) {
            return written;
        }
        if self.names.cursor.ahead.kind == TokenKind::Name {
            self.names.bump();
            written = format!("{written} {}", self.names.cursor.word());
            if self.names.cursor.ahead.kind == TokenKind::OpenBrace {
                self.names.declare(Kind::Type, &written);
            } else {
                self.names.mention(Role::Type);
            }
        }
        if self.names.cursor.ahead.kind == TokenKind::OpenBrace {
            self.names.bump();
            self.members(if keyword == TokenKind::Key(Key::Enum) { Kind::Constant } else { Kind::Field }, &written);
        }
        written
    }

    /// Members or fields in braces, up to the closing one. An enum may stand in a struct.
    fn members(&mut self, kind: Kind, written: &str) {
        let mut kinds = vec![kind];
        while !kinds.is_empty() && !matches!(self.names.cursor.ahead.kind, TokenKind::Eof | TokenKind::Key(Key::Module))
        {
            self.names.bump();
            let after = self.names.cursor.ahead.kind;
            match self.names.cursor.kind() {
                TokenKind::OpenBrace => kinds.push(Kind::Constant),
                TokenKind::CloseBrace => drop(kinds.pop()),
                TokenKind::Name if kinds.last() == Some(&Kind::Constant) => {
                    self.names.declare(Kind::Constant, written);
                }
                TokenKind::Name
                    if matches!(
                        after,
                        TokenKind::Semicolon | TokenKind::Comma | TokenKind::Open | TokenKind::OpenBracket
                    ) =>
                {
                    self.names.declare(Kind::Field, written);
                }
                TokenKind::Name => self.names.mention(Role::Any),
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
            match self.names.cursor.ahead.kind {
                TokenKind::Semicolon | TokenKind::Eof | TokenKind::CloseBrace | TokenKind::OpenBrace => return,
                TokenKind::Key(Key::Module) => return,
                TokenKind::Close if depth == 0 => return,
                _ => self.names.bump(),
            }
            match self.names.cursor.kind() {
                TokenKind::Open | TokenKind::OpenBracket => depth += 1,
                TokenKind::Close | TokenKind::CloseBracket => depth = depth.saturating_sub(1),
                TokenKind::Comma if depth == 0 => wanted = true,
                TokenKind::Key(Key::Bool | Key::Int | Key::Enum | Key::Struct) if depth == 0 => ty = self.ty(),
                TokenKind::Name if depth == 0 && wanted && self.names.cursor.ahead.kind != TokenKind::Key(Key::Int) => {
                    wanted = false;
                    let written = behind(self.names.cursor.text, &self.names.span(), &[',', ';', '\n', '{']);
                    let balanced = written.matches('(').count() >= written.matches(')').count();
                    let size = if balanced { written } else { written.trim_end_matches(')') };
                    self.names.declare(kind, &format!("{ty}{size}"));
                }
                TokenKind::Name => self.names.mention(Role::Any),
                _ => {}
            }
        }
    }

    /// `module int(3) f(int x(3), bool y)`, up to the end of its parameters.
    fn module(&mut self) {
        self.close(self.names.span().start);
        let open = self.names.span().start;
        let mut depth = 0usize;
        while !(depth == 0 && self.names.cursor.is(TokenKind::Name) && self.names.cursor.ahead.kind == TokenKind::Open)
        {
            match self.names.cursor.ahead.kind {
                TokenKind::Eof | TokenKind::OpenBrace | TokenKind::Semicolon => return,
                TokenKind::Open | TokenKind::OpenBracket => depth += 1,
                TokenKind::Close | TokenKind::CloseBracket => depth = depth.saturating_sub(1),
                _ => {}
            }
            self.names.bump();
            if self.names.cursor.is(TokenKind::Name) && self.names.cursor.ahead.kind != TokenKind::Open {
                self.names.mention(Role::Any);
            }
        }
        let module = self.names.declare(Kind::Procedure, "");
        self.names.bump();
        if matches!(self.names.cursor.ahead.kind, TokenKind::Key(_) | TokenKind::Name) {
            self.names.bump();
            self.variables(Kind::Parameter);
        }
        let end = self.names.cursor.ahead.range().end.min(self.names.cursor.text.len());
        let detail = self.names.cursor.text[open..end].split_whitespace().collect::<Vec<_>>().join(" ");
        let declaration = &mut self.names.outline.declarations[module];
        declaration.detail = detail.trim_start_matches("module ").to_owned();
        declaration.whole.start = open;
        self.names.bump();
        if self.names.cursor.ahead.kind == TokenKind::Semicolon {
            // A forward declaration.
            self.names.outline.close(module, end, &OUTSIDE);
        } else {
            self.module = Some(module);
            self.depth = 0;
        }
    }

    fn brace(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0 {
            self.close(self.names.span().end);
        }
    }

    fn close(&mut self, end: usize) {
        if let Some(module) = self.module.take() {
            self.names.outline.close(module, end, &OUTSIDE);
        }
    }
}
