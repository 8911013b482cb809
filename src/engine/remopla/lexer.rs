//! Tokens of Remopla.
//!
//! Names begin with a letter or `_`. Comments begin with `#`, `%` or `//` and end with the line. A character that Remopla
//! does not know is a token of its own, never skipped.

use spds_format::Diagnostic;
use spds_format::reading::tokens::{Bytes, Cursor, Lexis, Table, blank, run};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name,
    Number,
    /// `"…"`
    Text,
    Key(Key),
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Comma,
    Semicolon,
    Colon,
    Colons,
    Dot,
    Prime,
    /// `=`
    Assign,
    /// `->`
    Then,
    /// `-->`
    Arrow,
    Not,
    AndAnd,
    OrOr,
    XorXor,
    Iff,
    And,
    Or,
    Xor,
    EqEq,
    Ne,
    Less,
    LessEq,
    Greater,
    GreaterEq,
    ShiftLeft,
    ShiftRight,
    Plus,
    Minus,
    Star,
    Slash,
    /// A character that Remopla does not know.
    Unknown,
    /// `"` without the other one on its line.
    OpenText,
    Eof,
}

/// Reserved words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Define,
    DefaultIntBits,
    DefaultSignedIntBits,
    Bool,
    Int,
    Enum,
    Struct,
    Void,
    Init,
    Module,
    If,
    Fi,
    Do,
    Od,
    Else,
    Return,
    Break,
    Skip,
    Goto,
    True,
    False,
    Undef,
    Fork,
    Shared,
    All,
    Exists,
}

static KEYS: Table<Key> = Table::new(&[
    ("A", Key::All),
    ("DEFAULT_INT_BITS", Key::DefaultIntBits),
    ("DEFAULT_SIGNED_INT_BITS", Key::DefaultSignedIntBits),
    ("E", Key::Exists),
    ("bool", Key::Bool),
    ("break", Key::Break),
    ("define", Key::Define),
    ("do", Key::Do),
    ("else", Key::Else),
    ("enum", Key::Enum),
    ("false", Key::False),
    ("fi", Key::Fi),
    ("fork", Key::Fork),
    ("goto", Key::Goto),
    ("if", Key::If),
    ("init", Key::Init),
    ("int", Key::Int),
    ("module", Key::Module),
    ("od", Key::Od),
    ("return", Key::Return),
    ("shared", Key::Shared),
    ("skip", Key::Skip),
    ("struct", Key::Struct),
    ("true", Key::True),
    ("undef", Key::Undef),
    ("void", Key::Void),
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
    ("{", TokenKind::OpenBrace),
    ("}", TokenKind::CloseBrace),
    (",", TokenKind::Comma),
    (";", TokenKind::Semicolon),
    ("::", TokenKind::Colons),
    (":", TokenKind::Colon),
    (".", TokenKind::Dot),
    ("'", TokenKind::Prime),
    ("==", TokenKind::EqEq),
    ("=", TokenKind::Assign),
    ("!=", TokenKind::Ne),
    ("!", TokenKind::Not),
    ("&&", TokenKind::AndAnd),
    ("&", TokenKind::And),
    ("||", TokenKind::OrOr),
    ("|", TokenKind::Or),
    ("^^", TokenKind::XorXor),
    ("^", TokenKind::Xor),
    ("<=>", TokenKind::Iff),
    ("<=", TokenKind::LessEq),
    ("<<", TokenKind::ShiftLeft),
    ("<", TokenKind::Less),
    (">=", TokenKind::GreaterEq),
    (">>", TokenKind::ShiftRight),
    (">", TokenKind::Greater),
    ("+", TokenKind::Plus),
    ("-->", TokenKind::Arrow),
    ("->", TokenKind::Then),
    ("-", TokenKind::Minus),
    ("*", TokenKind::Star),
    ("/", TokenKind::Slash),
]);

/// What names begin with.
static BEGINS: Bytes = Bytes::letters_and(b"_");

/// What names go on with.
static IN_NAMES: Bytes = Bytes::letters_and(b"_0123456789");

/// The lexical rules.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remopla;

/// A place in a program.
pub(super) type Tokens<'t> = Cursor<'t, Remopla>;

impl Lexis for Remopla {
    type Kind = TokenKind;

    const END: TokenKind = TokenKind::Eof;

    #[inline]
    fn blank(self, rest: &[u8]) -> usize {
        blank(rest, &[("#", "\n"), ("%", "\n"), ("//", "\n")])
    }

    #[inline]
    fn token(self, rest: &[u8]) -> (TokenKind, usize) {
        match rest {
            [] => (TokenKind::Eof, 0),
            [first, ..] if BEGINS.has(*first) => {
                let length = run(rest, |byte| IN_NAMES.has(byte));
                (KEYS.word(&rest[..length]).map_or(TokenKind::Name, TokenKind::Key), length)
            }
            [b'0'..=b'9', ..] => (TokenKind::Number, run(rest, |byte| byte.is_ascii_digit())),
            [b'"', inside @ ..] => {
                let length = run(inside, |byte| !matches!(byte, b'"' | b'\n'));
                let whole = inside.get(length) == Some(&b'"');
                if whole { (TokenKind::Text, length + 2) } else { (TokenKind::OpenText, length + 1) }
            }
            _ => SIGNS.sign(rest).unwrap_or((TokenKind::Unknown, 1)),
        }
    }

    fn about(token: TokenKind, text: &str, mut complaint: Diagnostic) -> Diagnostic {
        match token {
            TokenKind::OpenText => {
                let span = complaint.span.unwrap_or_default();
                return Diagnostic::error("this text does not end on its line", span);
            }
            TokenKind::Unknown => {
                complaint.message = format!("`{}` has no meaning in Remopla", text.escape_debug());
            }
            TokenKind::Assign if ["`->`", "operator"].iter().any(|word| complaint.message.contains(word)) => {
                complaint.help = Some("equality is written `==`".to_owned());
            }
            TokenKind::Key(Key::All | Key::Exists) if complaint.help.is_none() => {
                complaint.help = Some(format!("`{text}` is a quantifier and cannot be a name"));
            }
            _ => {}
        }
        complaint
    }
}
