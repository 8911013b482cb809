//! Tokens of `.pds` texts. The same characters are a name of a stack symbol in one place and a term in another, so the parser
//! says which it expects: tokens are those of expressions and declarations, and [`word`] measures names.
//!
//! `#` and `%` begin comments, and so do `{` and `}`, each to the end of its line. Names of control locations and stack
//! symbols are taken more liberally than in Moped (whatever is no punctuation of the notation), because people patch it for
//! names such as `a@b` or `12:5`.

use spds_format::Diagnostic;
use spds_format::reading::tokens::{Bytes, Cursor, Lexis, Table, blank, run};

/// What a token is inside expressions and declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name,
    Number,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Comma,
    Semicolon,
    Quote,
    Dot,
    Colons,
    Not,
    And,
    Or,
    Xor,
    /// `==`, `<=>`
    Iff,
    /// `=`
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Plus,
    Minus,
    Star,
    Slash,
    Shl,
    /// `-->`
    Arrow,
    /// `"…"` on one line, the quotes included.
    Text,
    /// `"` without the other one on its line.
    OpenText,
    /// A character without meaning here.
    Unknown,
    Eof,
}

static SIGNS: Table<TokenKind> = Table::new(&[
    ("(", TokenKind::Open),
    (")", TokenKind::Close),
    ("[", TokenKind::OpenBracket),
    ("]", TokenKind::CloseBracket),
    (",", TokenKind::Comma),
    (";", TokenKind::Semicolon),
    ("'", TokenKind::Quote),
    (".", TokenKind::Dot),
    ("::", TokenKind::Colons),
    ("!=", TokenKind::Ne),
    ("!", TokenKind::Not),
    ("&&", TokenKind::And),
    ("&", TokenKind::And),
    ("||", TokenKind::Or),
    ("|", TokenKind::Or),
    ("^", TokenKind::Xor),
    ("==", TokenKind::Iff),
    ("=", TokenKind::Eq),
    ("<=>", TokenKind::Iff),
    ("<=", TokenKind::Le),
    ("<<", TokenKind::Shl),
    ("<", TokenKind::Lt),
    (">=", TokenKind::Ge),
    (">", TokenKind::Gt),
    ("+", TokenKind::Plus),
    ("-->", TokenKind::Arrow),
    ("-", TokenKind::Minus),
    ("*", TokenKind::Star),
    ("/", TokenKind::Slash),
]);

/// What names consist of; where a number could begin, none begins.
static IN_NAMES: Bytes = Bytes::letters_and(b"_$@0123456789");

/// The lexical rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct MopedPds;

/// A place in a text.
pub(super) type Tokens<'t> = Cursor<'t, MopedPds>;

impl Lexis for MopedPds {
    type Kind = TokenKind;

    const END: TokenKind = TokenKind::Eof;

    const LOOKS_AHEAD: bool = false;

    #[inline]
    fn blank(self, rest: &[u8]) -> usize {
        blank(rest, &[("#", "\n"), ("%", "\n"), ("{", "\n"), ("}", "\n")])
    }

    #[inline]
    fn token(self, rest: &[u8]) -> (TokenKind, usize) {
        match rest {
            [] => (TokenKind::Eof, 0),
            [b'0'..=b'9', ..] => (TokenKind::Number, run(rest, |byte| byte.is_ascii_digit())),
            [first, ..] if IN_NAMES.has(*first) => (TokenKind::Name, run(rest, |byte| IN_NAMES.has(byte))),
            [b'"', inside @ ..] => {
                let length = run(inside, |byte| !matches!(byte, b'"' | b'\n'));
                let whole = inside.get(length) == Some(&b'"');
                if whole { (TokenKind::Text, length + 2) } else { (TokenKind::OpenText, length + 1) }
            }
            _ => SIGNS.sign(rest).unwrap_or((TokenKind::Unknown, 1)),
        }
    }

    fn about(token: TokenKind, _: &str, mut complaint: Diagnostic) -> Diagnostic {
        if token == TokenKind::OpenText {
            complaint.message = "this text in quotes does not end on its line".to_owned();
        }
        complaint
    }
}

/// How long the name of a control location or a stack symbol is with which a text begins; nothing if there is none.
pub(super) fn word(rest: &[u8]) -> usize {
    let in_word = |byte: u8| !byte.is_ascii_control() && !b" <>(),;\"'#%{}".contains(&byte);
    let ends = |at: usize| !in_word(rest[at]) || rest[at] == b'-' && rest[at..].starts_with(b"-->");
    (0..rest.len()).find(|at| ends(*at)).unwrap_or(rest.len())
}

/// Where the first comment begins that a brace opens, in blanks and comments.
pub(super) fn brace(blank: &str) -> Option<usize> {
    let mut at = 0;
    for line in blank.split_inclusive('\n') {
        match line.find(['#', '%', '{', '}']) {
            Some(begin) if line[begin..].starts_with(['{', '}']) => return Some(at + begin),
            _ => at += line.len(),
        }
    }
    None
}
