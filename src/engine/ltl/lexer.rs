//! Formulas cut into tokens. What a word means depends on where it stands; [`super::grammar`] decides.

use std::ops::Range;

use spds_format::Diagnostic;
use spds_format::reading::complaints::Complaints;

use super::bounded::Bounds;
use super::dialect::Dialect;
use super::formula::Op;
use super::proposition::PropositionKind;

/// A token with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Range<usize>,
}

/// What is recognised without looking around.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Open,
    Close,
    /// `!`, `[]`, `◇`, …
    Prefix(Op),
    /// `&&`, `->`, …
    Infix(Op),
    /// A name, an operator in letters, or a constant.
    Word,
    /// A proposition that cannot be anything else, and where its inner part begins.
    Proposition(PropositionKind, usize),
    /// `[2:4]` behind an operator
    Bounds(Bounds),
}

/// Operators in symbols, longer ones before those that they begin with.
const SYMBOLS: [(&str, TokenKind); 43] = [
    ("<-->", TokenKind::Infix(Op::Iff)),
    ("<->", TokenKind::Infix(Op::Iff)),
    ("<=>", TokenKind::Infix(Op::Iff)),
    ("-->", TokenKind::Infix(Op::Implies)),
    ("->", TokenKind::Infix(Op::Implies)),
    ("=>", TokenKind::Infix(Op::Implies)),
    ("<>", TokenKind::Prefix(Op::Finally)),
    ("[]", TokenKind::Prefix(Op::Globally)),
    ("&&", TokenKind::Infix(Op::And)),
    ("&", TokenKind::Infix(Op::And)),
    ("/\\", TokenKind::Infix(Op::And)),
    ("||", TokenKind::Infix(Op::Or)),
    ("|", TokenKind::Infix(Op::Or)),
    ("\\/", TokenKind::Infix(Op::Or)),
    ("^", TokenKind::Infix(Op::Xor)),
    ("!", TokenKind::Prefix(Op::Not)),
    ("~", TokenKind::Prefix(Op::Not)),
    ("(", TokenKind::Open),
    (")", TokenKind::Close),
    ("¬", TokenKind::Prefix(Op::Not)),
    ("□", TokenKind::Prefix(Op::Globally)),
    ("◻", TokenKind::Prefix(Op::Globally)),
    ("⬜", TokenKind::Prefix(Op::Globally)),
    ("◇", TokenKind::Prefix(Op::Finally)),
    ("♢", TokenKind::Prefix(Op::Finally)),
    ("⋄", TokenKind::Prefix(Op::Finally)),
    ("○", TokenKind::Prefix(Op::Next)),
    ("◯", TokenKind::Prefix(Op::Next)),
    ("∧", TokenKind::Infix(Op::And)),
    ("⋀", TokenKind::Infix(Op::And)),
    ("∨", TokenKind::Infix(Op::Or)),
    ("⋁", TokenKind::Infix(Op::Or)),
    ("⊕", TokenKind::Infix(Op::Xor)),
    ("⊻", TokenKind::Infix(Op::Xor)),
    ("→", TokenKind::Infix(Op::Implies)),
    ("⟶", TokenKind::Infix(Op::Implies)),
    ("⇒", TokenKind::Infix(Op::Implies)),
    ("⟹", TokenKind::Infix(Op::Implies)),
    ("↔", TokenKind::Infix(Op::Iff)),
    ("⟷", TokenKind::Infix(Op::Iff)),
    ("⇔", TokenKind::Infix(Op::Iff)),
    ("⟺", TokenKind::Infix(Op::Iff)),
    ("≡", TokenKind::Infix(Op::Iff)),
];

/// The tokens of a formula. What is no token is complained about and left out.
pub(super) fn tokens(text: &str, dialect: Dialect, complaints: &mut Complaints) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new(), wring: dialect == Dialect::Wring, complaints };
    lexer.run();
    lexer.tokens
}

struct Lexer<'a, 'c> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    /// Whether values stand behind propositions, and `*` and `+` are operators.
    wring: bool,
    complaints: &'c mut Complaints,
}

impl<'a> Lexer<'a, '_> {
    fn run(&mut self) {
        while let Some(next) = self.rest().chars().next() {
            let start = self.at;
            if next.is_whitespace() || next == '\u{feff}' {
                self.at += next.len_utf8();
            } else if self.wring && matches!(next, '=' | '*' | '+') {
                self.of_wring(next);
            } else if next == '[' && self.bounds() {
                // It has been taken.
            } else if begins_word(next) || self.rest().starts_with("::") {
                self.name();
            } else if next.is_ascii_digit() {
                self.take(|c| c.is_alphanumeric() || c == '_');
                self.push(TokenKind::Word, start);
            } else if self.rest().starts_with("*:") {
                self.at += "*:".len();
                match self.word() {
                    Some(label) => {
                        let kind = PropositionKind::Label { procedure: None, label: label.to_owned() };
                        self.push(TokenKind::Proposition(kind, start + "*:".len()), start);
                    }
                    None => self.complain("`*:` needs a label behind it", start..self.at, ""),
                }
            } else if next == '@' {
                self.event();
            } else if next == '{' {
                self.braces();
            } else if next == '"' {
                self.quotes();
            } else if let Some((symbol, kind)) = SYMBOLS.iter().find(|(symbol, _)| self.rest().starts_with(symbol)) {
                self.at += symbol.len();
                self.push(kind.clone(), start);
            } else {
                self.stray(next);
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.tokens.push(Token { kind, span: start..self.at });
    }

    fn complain(&mut self, message: impl Into<String>, span: Range<usize>, help: &str) {
        let complaint = Diagnostic::error(message, span);
        self.complaints.push(if help.is_empty() { complaint } else { complaint.with_help(help) });
    }

    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn word(&mut self) -> Option<&'a str> {
        self.rest().starts_with(begins_word).then(|| self.take(within_word))
    }

    /// What only Wring has: `p=1`, `p=0`, `p*q`, `p+q`.
    fn of_wring(&mut self, symbol: char) {
        let start = self.at;
        self.at += 1;
        if symbol != '=' {
            return self.push(TokenKind::Infix(if symbol == '*' { Op::And } else { Op::Or }), start);
        }
        self.take(char::is_whitespace);
        let value = self.take(|c| c.is_ascii_digit());
        let is_atom = |token: &Token| matches!(token.kind, TokenKind::Word | TokenKind::Proposition(..));
        match (value, self.tokens.last()) {
            ("1", Some(atom)) if is_atom(atom) => {}
            ("0", Some(atom)) if is_atom(atom) => {
                let place = atom.span.start;
                let not = Token { kind: TokenKind::Prefix(Op::Not), span: place..self.at };
                self.tokens.insert(self.tokens.len() - 1, not);
            }
            _ => self.complain("`=1` or `=0` must stand behind a proposition", start..self.at, ""),
        }
    }

    /// `[2:4]`, if that stands behind an operator; so an array's index is still complained about as one.
    fn bounds(&mut self) -> bool {
        let before = self.tokens.last().is_some_and(|token| match token.kind {
            TokenKind::Word => {
                let word = &self.text[token.span.clone()];
                matches!(word, "next" | "eventually" | "always") || word.chars().all(|c| matches!(c, 'F' | 'G' | 'X'))
            }
            TokenKind::Prefix(_) => true,
            _ => false,
        });
        let Some(length) = self.rest().find(']').filter(|length| before && *length > 1) else { return false };
        let Some(bounds) = Bounds::read(&self.rest()[1..length]) else { return false };
        let start = self.at;
        self.at += length + 1;
        self.push(TokenKind::Bounds(bounds), start);
        true
    }

    /// `name`, `::name`, `proc:label`
    fn name(&mut self) {
        let start = self.at;
        if self.rest().starts_with("::") {
            self.at += "::".len();
            match self.word() {
                Some(_) => {
                    let kind = PropositionKind::Name(self.text[start..self.at].to_owned());
                    self.push(TokenKind::Proposition(kind, start), start);
                }
                None => self.complain("`::` needs the name of a global behind it", start..self.at, ""),
            }
            return;
        }
        let word = self.take(within_word);
        if !self.rest().starts_with(':') || self.rest().starts_with("::") {
            self.push(TokenKind::Word, start);
            return;
        }
        self.at += 1;
        let inner = self.at;
        match self.word() {
            Some(label) => {
                let kind = PropositionKind::Label { procedure: Some(word.to_owned()), label: label.to_owned() };
                self.push(TokenKind::Proposition(kind, inner), start);
            }
            None => self.complain(format!("`{word}:` needs a label behind it"), start..self.at, ""),
        }
    }

    /// `@fail`, `@at(proc)`, …
    fn event(&mut self) {
        const EVENTS: &str = "there are @at(proc), @entry(proc), @call(proc), @return(proc), @fail, @end, @stuck";
        let start = self.at;
        self.at += 1;
        let name = self.take(within_word);
        let plain = match name {
            "fail" => Some(PropositionKind::Fail),
            "end" => Some(PropositionKind::End),
            "stuck" => Some(PropositionKind::Stuck),
            _ => None,
        };
        if let Some(kind) = plain {
            self.push(TokenKind::Proposition(kind, start), start);
            return;
        }
        let make: fn(String) -> PropositionKind = match name {
            "at" => PropositionKind::At,
            "entry" => PropositionKind::Entry,
            "call" => PropositionKind::Call,
            "return" => PropositionKind::Return,
            _ => {
                self.complain(format!("there is no proposition `@{name}`"), start..self.at, EVENTS);
                self.push(TokenKind::Proposition(PropositionKind::Fail, start), start);
                return;
            }
        };
        let after = self.at;
        self.take(char::is_whitespace);
        let close = self.rest().find(')');
        if !self.rest().starts_with('(') || close.is_none() {
            self.at = after;
            self.complain(format!("`@{name}` needs a procedure in parentheses behind it"), start..self.at, EVENTS);
            self.push(TokenKind::Proposition(PropositionKind::Fail, start), start);
            return;
        }
        let inside = self.at + 1..self.at + close.expect("it has just been tested");
        self.at = inside.end + 1;
        let untrimmed = &self.text[inside.clone()];
        let procedure = untrimmed.trim();
        let inner = inside.start + (untrimmed.len() - untrimmed.trim_start().len());
        if procedure.is_empty() {
            self.complain(format!("`@{name}()` does not say which procedure"), start..self.at, "");
        }
        self.push(TokenKind::Proposition(make(procedure.to_owned()), inner), start);
    }

    /// `{expr}`, with braces inside it; `'{'` and `'}'` are characters of C.
    fn braces(&mut self) {
        let start = self.at;
        let mut depth = 0u64;
        let bytes = self.rest().as_bytes();
        let quote = |at: Option<usize>| at.and_then(|at| bytes.get(at)) == Some(&b'\'');
        for (offset, c) in self.rest().char_indices() {
            match c {
                '{' | '}' if quote(offset.checked_sub(1)) && quote(Some(offset + 1)) => {}
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at += offset + 1;
                return self.expression(start);
            }
        }
        self.complain("this brace is never closed", start..start + 1, "");
        self.at = self.text.len();
        self.push(TokenKind::Proposition(PropositionKind::Fail, start), start);
    }

    /// `"expr"`
    fn quotes(&mut self) {
        let start = self.at;
        match self.rest()[1..].find('"') {
            Some(length) => {
                self.at += length + 2;
                self.expression(start);
            }
            None => {
                self.complain("this quotation mark has no partner", start..start + 1, "");
                self.at = self.text.len();
                self.push(TokenKind::Proposition(PropositionKind::Fail, start), start);
            }
        }
    }

    /// A proposition of one delimiter, an expression, and another delimiter.
    fn expression(&mut self, start: usize) {
        let inside = &self.text[start + 1..self.at - 1];
        if inside.trim().is_empty() {
            self.complain("there is no expression inside", start..self.at, "");
        }
        let inner = start + 1 + (inside.len() - inside.trim_start().len());
        self.push(TokenKind::Proposition(PropositionKind::Expression(inside.trim().to_owned()), inner), start);
    }

    /// Characters that begin no token, several of a kind at once.
    fn stray(&mut self, next: char) {
        let start = self.at;
        self.take(|c| c == next);
        let help = match next {
            '=' | '<' | '>' | '+' | '-' | '*' | '/' | '%' => "comparisons and arithmetic go into braces: {x == y}",
            '[' | ']' => "`[]` is written without a space, bounds as in F[2:4]; arrays do not exist outside of braces",
            '}' => "braces enclose an expression of the program: {x & !y}",
            _ => "",
        };
        self.complain(format!("`{next}` has no meaning here"), start..self.at, help);
    }
}

fn begins_word(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

fn within_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '.')
}
