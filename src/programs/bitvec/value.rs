//! What the operations compute: values of `width` bits in the low bits of a `u128`, as in SMT-LIB's theory `FixedSizeBitVectors`.

/// Operators of two operands of one width. The last three compare and have one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// Unsigned division; by 0 all ones.
    Udiv,
    /// Unsigned remainder; by 0 the dividend.
    Urem,
    /// Signed division towards zero; by 0 it is −1, or 1 if the dividend is negative.
    Sdiv,
    /// Remainder with the sign of the dividend; by 0 the dividend.
    Srem,
    /// Shift to the left; by the width or more 0.
    Shl,
    /// Shift to the right, with zeros.
    Lshr,
    /// Shift to the right, with the sign.
    Ashr,
    /// Bitwise and.
    And,
    /// Bitwise exclusive or.
    Xor,
    /// Equal.
    Eq,
    /// Less, unsigned.
    Ult,
    /// Less, signed.
    Slt,
}

/// The value with all `width` bits set.
pub fn mask(width: u8) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The value in two's complement.
pub fn signed(value: u128, width: u8) -> i128 {
    let unused = 128 - u32::from(width);
    ((value << unused) as i128) >> unused
}

/// The bits of a number of that width.
pub fn unsigned(value: i128, width: u8) -> u128 {
    value as u128 & mask(width)
}

/// The greatest signed value.
pub fn signed_maximum(width: u8) -> u128 {
    mask(width) >> 1
}

/// The least signed value, as bits.
pub fn signed_minimum(width: u8) -> u128 {
    1 << (width - 1)
}

/// The operation on two values of that width; comparisons yield 0 or 1. Division by zero is all ones (`Udiv`) and the
/// dividend (`Urem`), the signed ones follow from these; shifts by the width or more leave 0, or the sign.
pub fn apply(operator: Operator, a: u128, b: u128, width: u8) -> u128 {
    let amount = u32::try_from(b).ok().filter(|&amount| amount < u32::from(width));
    match operator {
        Operator::Udiv => a.checked_div(b).unwrap_or(mask(width)),
        Operator::Urem => a.checked_rem(b).unwrap_or(a),
        Operator::Sdiv => match (signed(a, width), signed(b, width)) {
            (a, 0) => unsigned(if a < 0 { 1 } else { -1 }, width),
            (a, b) => unsigned(a.wrapping_div(b), width),
        },
        Operator::Srem => match (signed(a, width), signed(b, width)) {
            (_, 0) => a,
            (a, b) => unsigned(a.wrapping_rem(b), width),
        },
        Operator::Shl => amount.map_or(0, |amount| a << amount & mask(width)),
        Operator::Lshr => amount.map_or(0, |amount| a >> amount),
        Operator::Ashr => unsigned(signed(a, width) >> amount.unwrap_or(u32::from(width) - 1), width),
        Operator::And => a & b,
        Operator::Xor => a ^ b,
        Operator::Eq => u128::from(a == b),
        Operator::Ult => u128::from(a < b),
        Operator::Slt => u128::from(signed(a, width) < signed(b, width)),
    }
}
