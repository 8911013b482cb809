//! The binary operations, as both engines see them.

/// A binary operation on relations over the same columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    And,
    Or,
    AndNot,
    Iff,
    Xor,
}

impl Binary {
    /// The operation on values.
    pub(super) fn apply(self, a: bool, b: bool) -> bool {
        match self {
            Binary::And => a && b,
            Binary::Or => a || b,
            Binary::AndNot => a && !b,
            Binary::Iff => a == b,
            Binary::Xor => a != b,
        }
    }

    /// The result for equal operands: a constant, or (`Some(None)`) the operand itself.
    pub(super) fn of_equals(self) -> Option<Option<bool>> {
        match (self.apply(false, false), self.apply(true, true)) {
            (false, true) => Some(None),
            (low, high) if low == high => Some(Some(low)),
            _ => None,
        }
    }

    /// Does the order of the operands not matter?
    pub(super) fn commutes(self) -> bool {
        self != Binary::AndNot
    }
}
