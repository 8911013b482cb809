//! The operators of Remopla: how tightly they bind, and what they do to Booleans and to integers.

use spds_format::expr::Binary;

use super::lexer::TokenKind;

/// Operators between two operands, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    OrOr,
    XorXor,
    AndAnd,
    Or,
    Xor,
    And,
    Iff,
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
}

impl Operator {
    pub(super) fn of(kind: TokenKind) -> Option<Operator> {
        Some(match kind {
            TokenKind::OrOr => Operator::OrOr,
            TokenKind::XorXor => Operator::XorXor,
            TokenKind::AndAnd => Operator::AndAnd,
            TokenKind::Or => Operator::Or,
            TokenKind::Xor => Operator::Xor,
            TokenKind::And => Operator::And,
            TokenKind::Iff => Operator::Iff,
            TokenKind::EqEq => Operator::Eq,
            TokenKind::Ne => Operator::Ne,
            TokenKind::Less => Operator::Lt,
            TokenKind::LessEq => Operator::Le,
            TokenKind::Greater => Operator::Gt,
            TokenKind::GreaterEq => Operator::Ge,
            TokenKind::ShiftLeft => Operator::Shl,
            TokenKind::ShiftRight => Operator::Shr,
            TokenKind::Plus => Operator::Add,
            TokenKind::Minus => Operator::Sub,
            TokenKind::Star => Operator::Mul,
            TokenKind::Slash => Operator::Div,
            _ => return None,
        })
    }

    /// How tightly it binds (Moped 2's `irParse.y`); all group from the left.
    pub(super) fn tightness(self) -> u8 {
        match self {
            Operator::OrOr => 1,
            Operator::XorXor => 2,
            Operator::AndAnd => 3,
            Operator::Or => 4,
            Operator::Xor => 5,
            Operator::And => 6,
            Operator::Iff | Operator::Eq | Operator::Ne => 7,
            Operator::Lt | Operator::Le | Operator::Gt | Operator::Ge => 8,
            Operator::Shl | Operator::Shr => 9,
            Operator::Add | Operator::Sub => 10,
            Operator::Mul | Operator::Div => 11,
        }
    }

    /// Whether it can only stand between Booleans.
    pub(super) fn is_logical(self) -> bool {
        matches!(self, Operator::OrOr | Operator::XorXor | Operator::AndAnd | Operator::Iff)
    }

    /// Whether it makes integers of integers.
    pub(super) fn is_arithmetic(self) -> bool {
        self.integer().is_some_and(|op| !is_comparison(op))
    }

    /// What it does to Booleans.
    pub(super) fn boolean(self) -> Option<Binary> {
        Some(match self {
            Operator::OrOr | Operator::Or => Binary::Or,
            Operator::XorXor | Operator::Xor | Operator::Ne => Binary::Xor,
            Operator::AndAnd | Operator::And => Binary::And,
            Operator::Iff | Operator::Eq => Binary::Iff,
            _ => return None,
        })
    }

    /// What it does to integers.
    pub(super) fn integer(self) -> Option<Binary> {
        Some(match self {
            Operator::Or => Binary::BitOr,
            Operator::Xor => Binary::BitXor,
            Operator::And => Binary::BitAnd,
            Operator::Eq => Binary::Eq,
            Operator::Ne => Binary::Ne,
            Operator::Lt => Binary::Lt,
            Operator::Le => Binary::Le,
            Operator::Gt => Binary::Gt,
            Operator::Ge => Binary::Ge,
            Operator::Shl => Binary::Shl,
            Operator::Shr => Binary::Shr,
            Operator::Add => Binary::Add,
            Operator::Sub => Binary::Sub,
            Operator::Mul => Binary::Mul,
            Operator::Div => Binary::Div,
            Operator::OrOr | Operator::XorXor | Operator::AndAnd | Operator::Iff => return None,
        })
    }
}

pub(super) fn is_comparison(op: Binary) -> bool {
    matches!(op, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge)
}
