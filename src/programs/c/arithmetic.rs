//! Concrete semantics of operators and conversions, on the bits of integers (C11 §6.5, two's complement).

use super::expression::{Binary, Unary};
use super::types::{Integer, Rank};

/// What an operation comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A value of the type of the result, modulo 2ʷ.
    Value(u128),
    /// The exact result does not fit the signed type, or what is shifted to the left is negative: it modulo 2ʷ.
    Overflow(u128),
    /// C gives it no meaning, and machines differ.
    Undefined(Undefined),
}

/// Operations without a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Undefined {
    /// `a / 0`, `a % 0`
    DivisionByZero,
    /// The least number divided by -1.
    QuotientTooLarge,
    /// A shift by a negative number, or by as many bits as there are or more.
    ShiftOutOfRange,
    /// An array with no element, or with more than there can be.
    Length,
}

/// `op a`; the type is that of the operand.
pub fn unary(op: Unary, ty: Integer, a: u128) -> Outcome {
    match op {
        Unary::Not => Outcome::Value(u128::from(a & ty.mask() == 0)),
        Unary::Complement => Outcome::Value(!a & ty.mask()),
        // Of pointers only.
        Unary::Freed | Unary::Elements => Outcome::Value(0),
        Unary::Negate => {
            let result = a.wrapping_neg() & ty.mask();
            let least = ty.signed && ty.number(a) == ty.least();
            if least { Outcome::Overflow(result) } else { Outcome::Value(result) }
        }
    }
}

/// `a op b`; the types are those of the operands, which are equal except for shifts.
pub fn binary(op: Binary, ty: Integer, a: u128, right: Integer, b: u128) -> Outcome {
    use Binary::*;
    let (a, b) = (a & ty.mask(), b & right.mask());
    let truth = |holds: bool| Outcome::Value(u128::from(holds));
    let ordered = || if ty.signed { ty.number(a).cmp(&ty.number(b)) } else { a.cmp(&b) };
    match op {
        Add | Subtract | Multiply => ring(op, ty, a, b),
        Divide | Remainder => quotient(op, ty, a, b),
        ShiftLeft | ShiftRight => shift(op, ty, a, right, b),
        Length if a == 0 || a > b => Outcome::Undefined(Undefined::Length),
        Length => Outcome::Value(a),
        And => Outcome::Value(a & b),
        Or => Outcome::Value(a | b),
        Xor => Outcome::Value(a ^ b),
        Equal => truth(a == b),
        Unequal => truth(a != b),
        Less => truth(ordered().is_lt()),
        LessEqual => truth(ordered().is_le()),
        Greater => truth(ordered().is_gt()),
        GreaterEqual => truth(ordered().is_ge()),
        Both => truth(a != 0 && b != 0),
        Either => truth(a != 0 || b != 0),
    }
}

fn ring(op: Binary, ty: Integer, a: u128, b: u128) -> Outcome {
    let wrapped = match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        _ => a.wrapping_mul(b),
    } & ty.mask();
    if !ty.signed {
        return Outcome::Value(wrapped);
    }
    let (x, y) = (ty.number(a), ty.number(b));
    let exact = match op {
        Binary::Add => x.checked_add(y),
        Binary::Subtract => x.checked_sub(y),
        _ => x.checked_mul(y),
    };
    if exact == Some(ty.number(wrapped)) { Outcome::Value(wrapped) } else { Outcome::Overflow(wrapped) }
}

fn quotient(op: Binary, ty: Integer, a: u128, b: u128) -> Outcome {
    if b == 0 {
        return Outcome::Undefined(Undefined::DivisionByZero);
    }
    let divide = op == Binary::Divide;
    if !ty.signed {
        return Outcome::Value(if divide { a / b } else { a % b });
    }
    let (x, y) = (ty.number(a), ty.number(b));
    if x == ty.least() && y == -1 {
        return Outcome::Undefined(Undefined::QuotientTooLarge);
    }
    let exact = if divide { x / y } else { x % y };
    Outcome::Value(exact as u128 & ty.mask())
}

fn shift(op: Binary, ty: Integer, a: u128, right: Integer, b: u128) -> Outcome {
    let negative = right.signed && right.number(b) < 0;
    if negative || b >= u128::from(ty.width) {
        return Outcome::Undefined(Undefined::ShiftOutOfRange);
    }
    let by = b as u32;
    match op {
        Binary::ShiftLeft => {
            let shifted = a << by & ty.mask();
            // What is negative, or grows past the greatest number, has no product with a power of two that C speaks of (§6.5.7).
            let fits = !ty.signed || a <= ty.mask() >> 1 >> by;
            if fits { Outcome::Value(shifted) } else { Outcome::Overflow(shifted) }
        }
        _ if ty.signed => Outcome::Value((ty.number(a) >> by) as u128 & ty.mask()),
        _ => Outcome::Value(a >> by),
    }
}

/// A value of one type as one of another (C11 §6.3.1).
pub fn convert(from: Integer, to: Integer, bits: u128) -> u128 {
    if to.rank == Rank::Bool && to.width == 1 {
        return u128::from(bits & from.mask() != 0);
    }
    from.number(bits) as u128 & to.mask()
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Integer = Integer { rank: Rank::Int, signed: true, width: 32 };
    const UNSIGNED: Integer = Integer { signed: false, ..INT };
    const NIBBLE: Integer = Integer { width: 4, ..INT };

    #[test]
    fn four_bits_agree_with_the_numbers_they_stand_for() {
        for (a, b) in (0..16u128).flat_map(|a| (0..16).map(move |b| (a, b))) {
            let (x, y) = (NIBBLE.number(a), NIBBLE.number(b));
            for (op, exact) in [(Binary::Add, x + y), (Binary::Subtract, x - y), (Binary::Multiply, x * y)] {
                let bits = exact as u128 & 15;
                let fits = (-8..8).contains(&exact);
                let expected = if fits { Outcome::Value(bits) } else { Outcome::Overflow(bits) };
                assert_eq!(binary(op, NIBBLE, a, NIBBLE, b), expected, "{x} {op:?} {y}");
            }
            let less = binary(Binary::Less, NIBBLE, a, NIBBLE, b);
            assert_eq!(less, Outcome::Value(u128::from(x < y)));
            let shifted = binary(Binary::ShiftLeft, NIBBLE, a, NIBBLE, b);
            let expected = match y {
                0..4 if x >= 0 && x << y < 8 => Outcome::Value((x << y) as u128),
                0..4 => Outcome::Overflow((x << y) as u128 & 15),
                _ => Outcome::Undefined(Undefined::ShiftOutOfRange),
            };
            assert_eq!(shifted, expected, "{x} << {y}");
        }
    }

    #[test]
    fn what_has_no_meaning_is_told() {
        let least = 1 << 31;
        assert_eq!(
            binary(Binary::Divide, INT, least, INT, INT.mask()),
            Outcome::Undefined(Undefined::QuotientTooLarge)
        );
        assert_eq!(binary(Binary::Divide, UNSIGNED, least, UNSIGNED, UNSIGNED.mask()), Outcome::Value(0));
        assert_eq!(binary(Binary::Remainder, INT, 7, INT, 0), Outcome::Undefined(Undefined::DivisionByZero));
        assert_eq!(binary(Binary::ShiftLeft, INT, 1, INT, 32), Outcome::Undefined(Undefined::ShiftOutOfRange));
        assert_eq!(binary(Binary::ShiftRight, INT, 1, INT, INT.mask()), Outcome::Undefined(Undefined::ShiftOutOfRange));
        assert_eq!(binary(Binary::ShiftRight, INT, INT.mask(), INT, 31), Outcome::Value(INT.mask()));
        assert_eq!(unary(Unary::Negate, INT, least), Outcome::Overflow(least));
    }

    #[test]
    fn conversions_keep_the_number_or_its_low_bits() {
        let char = Integer { rank: Rank::Char, signed: true, width: 8 };
        let bool = Integer { rank: Rank::Bool, signed: false, width: 1 };
        assert_eq!(convert(char, UNSIGNED, 0xff), 0xffff_ffff);
        assert_eq!(convert(INT, char, 0x180), 0x80);
        assert_eq!(convert(INT, bool, 0x100), 1);
    }
}
