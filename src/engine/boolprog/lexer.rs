//! Tokens of Boolean programs: the union of the dialects' lexical rules.
//!
//! Names begin with a letter, `_` or `$` and go on with these, digits and `#`; SATABS also has `-` in names, which only
//! `--dialect satabs` reads that way. `{x == y}` is a name, blanks and braces included. Comments are `// …` and `/* … */`.
//! A character that no dialect knows is a token of its own, never skipped.

use spds_format::Diagnostic;
use spds_format::reading::tokens::{Bytes, Cursor, Lexis, Table, blank, run};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name,
    Number,
    Key(Key),
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Less,
    Greater,
    Comma,
    Semicolon,
    Colon,
    Colons,
    Dot,
    Assign,
    Star,
    Question,
    Quote,
    Not,
    And,
    Or,
    Xor,
    Implies,
    Eq,
    EqEq,
    Ne,
    /// A character that no dialect knows.
    Unknown,
    /// `/*` without its end.
    OpenComment,
    /// `{` without `}` on its line.
    OpenBrace,
    Eof,
}

/// Words that are reserved in every dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Decl,
    Begin,
    End,
    Void,
    Bool,
    If,
    Then,
    Else,
    Elsif,
    Fi,
    While,
    Do,
    Od,
    Goto,
    Return,
    Skip,
    Assert,
    Assume,
    Enforce,
    Constrain,
    Schoose,
}

static KEYS: Table<Key> = Table::new(&[
    ("assert", Key::Assert),
    ("assume", Key::Assume),
    ("begin", Key::Begin),
    ("bool", Key::Bool),
    ("constrain", Key::Constrain),
    ("decl", Key::Decl),
    ("do", Key::Do),
    ("else", Key::Else),
    ("elsif", Key::Elsif),
    ("elif", Key::Elsif),
    ("end", Key::End),
    ("enforce", Key::Enforce),
    ("fi", Key::Fi),
    ("goto", Key::Goto),
    ("if", Key::If),
    ("od", Key::Od),
    ("return", Key::Return),
    ("skip", Key::Skip),
    ("schoose", Key::Schoose),
    ("then", Key::Then),
    ("void", Key::Void),
    ("while", Key::While),
]);

/// The words that are no names.
pub fn keywords() -> Vec<&'static str> {
    KEYS.all().collect()
}

static SIGNS: Table<TokenKind> = Table::new(&[
    ("(", TokenKind::Open),
    (")", TokenKind::Close),
    ("[", TokenKind::OpenBracket),
    ("]", TokenKind::CloseBracket),
    ("<>", TokenKind::Ne),
    ("<", TokenKind::Less),
    (">", TokenKind::Greater),
    (",", TokenKind::Comma),
    (";", TokenKind::Semicolon),
    (":=", TokenKind::Assign),
    ("::", TokenKind::Colons),
    (":", TokenKind::Colon),
    (".", TokenKind::Dot),
    ("*", TokenKind::Star),
    ("?", TokenKind::Question),
    ("'", TokenKind::Quote),
    ("!=", TokenKind::Ne),
    ("!", TokenKind::Not),
    ("~", TokenKind::Not),
    ("&&", TokenKind::And),
    ("&", TokenKind::And),
    ("||", TokenKind::Or),
    ("|", TokenKind::Or),
    ("^", TokenKind::Xor),
    ("=>", TokenKind::Implies),
    ("==", TokenKind::EqEq),
    ("=", TokenKind::Eq),
    ("->", TokenKind::Implies),
]);

/// The lexical rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BooleanPrograms {
    /// Whether names may contain `-`.
    pub hyphens: bool,
}

/// A place in a program.
pub(super) type Tokens<'t> = Cursor<'t, BooleanPrograms>;

/// What names begin with.
static BEGINS: Bytes = Bytes::letters_and(b"_$");

/// What names go on with.
static IN_NAMES: Bytes = Bytes::letters_and(b"_$#0123456789");

/// What those are told who write blocks as in C.
const NO_BRACES: &str = "blocks are `begin … end`, `then … fi` and `do … od`; names stand in braces";

impl BooleanPrograms {
    #[inline]
    fn name(self, rest: &[u8]) -> usize {
        let is_name = |byte| IN_NAMES.has(byte);
        let mut length = run(rest, is_name);
        while self.hyphens && rest.get(length) == Some(&b'-') && rest.get(length + 1) != Some(&b'>') {
            length += 1 + run(&rest[length + 1..], is_name);
        }
        length
    }
}

impl Lexis for BooleanPrograms {
    type Kind = TokenKind;

    const END: TokenKind = TokenKind::Eof;

    #[inline]
    fn blank(self, rest: &[u8]) -> usize {
        blank(rest, &[("//", "\n"), ("/*", "*/")])
    }

    #[inline]
    fn token(self, rest: &[u8]) -> (TokenKind, usize) {
        match rest {
            [] => (TokenKind::Eof, 0),
            [first, ..] if BEGINS.has(*first) => {
                let length = self.name(rest);
                (KEYS.word(&rest[..length]).map_or(TokenKind::Name, TokenKind::Key), length)
            }
            [b'0'..=b'9', ..] => (TokenKind::Number, run(rest, |byte| byte.is_ascii_digit())),
            [b'{', inside @ ..] => {
                let length = run(inside, |byte| !matches!(byte, b'}' | b'\n' | b'\r'));
                let whole = length > 0 && inside.get(length) == Some(&b'}');
                if whole { (TokenKind::Name, length + 2) } else { (TokenKind::OpenBrace, 1) }
            }
            [b'/', b'*', ..] => (TokenKind::OpenComment, rest.len()),
            _ => SIGNS.sign(rest).unwrap_or((TokenKind::Unknown, 1)),
        }
    }

    fn described(token: TokenKind, text: &str) -> String {
        match token {
            TokenKind::Eof => "the end of the file".to_owned(),
            TokenKind::OpenComment => "a comment".to_owned(),
            TokenKind::Unknown => format!("`{}`", text.escape_debug()),
            _ => format!("`{text}`"),
        }
    }

    fn about(token: TokenKind, text: &str, mut complaint: Diagnostic) -> Diagnostic {
        let start = complaint.span.as_ref().map_or(0, |span| span.start);
        match token {
            TokenKind::OpenComment => return Diagnostic::error("this comment does not end", start..start + 2),
            TokenKind::OpenBrace => {
                let message = "this name in braces does not end on its line";
                let error = Diagnostic::error(message, start..start + text.len());
                let block =
                    text.len() == 1 || text[1..].trim_start().is_empty() || text[1..].trim_start().starts_with("//");
                return if block { error.with_help(NO_BRACES) } else { error };
            }
            TokenKind::Unknown => {
                complaint.message = format!("`{}` has no meaning in a Boolean program", text.escape_debug());
                if text == "}" {
                    complaint.help = Some(NO_BRACES.to_owned());
                }
                if text == "-" {
                    complaint.help = Some("names contain `-` in SATABS' dialect only: `--dialect satabs`".to_owned());
                }
            }
            TokenKind::Quote if complaint.help.is_none() => {
                complaint.help = Some("the value after a step is written `'x`, in `constrain` only".to_owned());
            }
            _ => {}
        }
        complaint
    }
}
