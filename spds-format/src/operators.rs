//! The infix operators of the notation: how they are written, how tightly they bind, and what they mean on which type.
//!
//! The parser and the printer share this table, so that one cannot drift from the other.

use crate::expr::Binary;
use crate::reading::tokens::Table;

/// An infix operator as it is written. `&`, `|`, `^`, `=` and `!=` are one sign for Booleans and for integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Iff,
    Implies,
    Or,
    Xor,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// How tightly an operator binds; more is tighter.
pub(crate) type Level = u8;

pub(crate) const TERNARY: Level = 1;
pub(crate) const IFF: Level = 2;
pub(crate) const IMPLIES: Level = 3;
pub(crate) const OR: Level = 4;
pub(crate) const XOR: Level = 5;
pub(crate) const AND: Level = 6;
pub(crate) const COMPARE: Level = 7;
pub(crate) const SHIFT: Level = 8;
pub(crate) const SUM: Level = 9;
pub(crate) const PRODUCT: Level = 10;
pub(crate) const PREFIX: Level = 11;
/// Names, numbers, cells, `schoose[…]`.
pub(crate) const ATOM: Level = 12;

/// What an operator at the same level on the left or on the right of another one means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grouping {
    Left,
    Right,
    /// Needs parentheses.
    None,
}

pub(crate) fn grouping(level: Level) -> Grouping {
    match level {
        TERNARY | IMPLIES => Grouping::Right,
        COMPARE => Grouping::None,
        _ => Grouping::Left,
    }
}

/// Longer signs before their prefixes.
static SIGNS: Table<Sign> = Table::new(&[
    ("<->", Sign::Iff),
    ("<=", Sign::Le),
    ("<<", Sign::Shl),
    ("<", Sign::Lt),
    (">=", Sign::Ge),
    (">>", Sign::Shr),
    (">", Sign::Gt),
    ("!=", Sign::Ne),
    ("=", Sign::Eq),
    ("&", Sign::And),
    ("|", Sign::Or),
    ("^", Sign::Xor),
    ("+", Sign::Add),
    ("->", Sign::Implies),
    ("-", Sign::Sub),
    ("*", Sign::Mul),
    ("/", Sign::Div),
    ("%", Sign::Rem),
]);

impl Sign {
    /// The sign that `text` begins with, and how long it is.
    pub(crate) fn at(text: &str) -> Option<(Sign, usize)> {
        SIGNS.sign(text.as_bytes())
    }

    pub(crate) fn level(self) -> Level {
        match self {
            Sign::Iff => IFF,
            Sign::Implies => IMPLIES,
            Sign::Or => OR,
            Sign::Xor => XOR,
            Sign::And => AND,
            Sign::Eq | Sign::Ne | Sign::Lt | Sign::Le | Sign::Gt | Sign::Ge => COMPARE,
            Sign::Shl | Sign::Shr => SHIFT,
            Sign::Add | Sign::Sub => SUM,
            Sign::Mul | Sign::Div | Sign::Rem => PRODUCT,
        }
    }

    /// What it means if an operand is an integer.
    pub(crate) fn on_integers(self) -> Binary {
        match self {
            Sign::Iff => Binary::Iff,
            Sign::Implies => Binary::Implies,
            Sign::Or => Binary::BitOr,
            Sign::Xor => Binary::BitXor,
            Sign::And => Binary::BitAnd,
            Sign::Eq => Binary::Eq,
            Sign::Ne => Binary::Ne,
            Sign::Lt => Binary::Lt,
            Sign::Le => Binary::Le,
            Sign::Gt => Binary::Gt,
            Sign::Ge => Binary::Ge,
            Sign::Shl => Binary::Shl,
            Sign::Shr => Binary::Shr,
            Sign::Add => Binary::Add,
            Sign::Sub => Binary::Sub,
            Sign::Mul => Binary::Mul,
            Sign::Div => Binary::Div,
            Sign::Rem => Binary::Rem,
        }
    }

    /// What it means if no operand is an integer.
    pub(crate) fn on_booleans(self) -> Binary {
        match self {
            Sign::Or => Binary::Or,
            Sign::Xor | Sign::Ne => Binary::Xor,
            Sign::And => Binary::And,
            Sign::Eq => Binary::Iff,
            other => other.on_integers(),
        }
    }
}

/// How the printer writes an operator, and how tightly that binds.
pub(crate) fn spelling(op: Binary) -> (&'static str, Level) {
    match op {
        Binary::Implies => ("->", IMPLIES),
        Binary::Or | Binary::BitOr => ("|", OR),
        Binary::Xor | Binary::BitXor => ("^", XOR),
        Binary::And | Binary::BitAnd => ("&", AND),
        Binary::Iff | Binary::Eq => ("=", COMPARE),
        Binary::Ne => ("!=", COMPARE),
        Binary::Lt => ("<", COMPARE),
        Binary::Le => ("<=", COMPARE),
        Binary::Gt => (">", COMPARE),
        Binary::Ge => (">=", COMPARE),
        Binary::Shl => ("<<", SHIFT),
        Binary::Shr => (">>", SHIFT),
        Binary::Add => ("+", SUM),
        Binary::Sub => ("-", SUM),
        Binary::Mul => ("*", PRODUCT),
        Binary::Div => ("/", PRODUCT),
        Binary::Rem => ("%", PRODUCT),
    }
}
