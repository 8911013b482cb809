//! What operators and conversions do with the bits of floating-point numbers: IEEE 754 and C11 annex F, rounded to nearest, ties to
//! even, each operation by itself (`FLT_EVAL_METHOD` 0).

use std::cmp::Ordering;

use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round, Status};

use super::expression::{Binary, Unary};
use super::types::{FloatKind, Integer, Rank};

/// A floating-point value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Real {
    /// These bits of its type. A NaN among them is one that was written as it is.
    Bits(u128),
    /// A NaN that was computed: nothing says which sign and payload it has.
    Nan,
}

/// A number of any type.
#[derive(Clone, Copy, Debug)]
pub(super) enum Any {
    Single(Single),
    Double(Double),
    Extended(X87DoubleExtended),
}

/// Does the same with a number, whatever its type is.
macro_rules! each {
    ($any:expr, $number:ident => $work:expr) => {
        match $any {
            Any::Single($number) => Any::Single($work),
            Any::Double($number) => Any::Double($work),
            Any::Extended($number) => Any::Extended($work),
        }
    };
}

/// Asks the same of a number, whatever its type is.
macro_rules! ask {
    ($any:expr, $number:ident => $work:expr) => {
        match $any {
            Any::Single($number) => $work,
            Any::Double($number) => $work,
            Any::Extended($number) => $work,
        }
    };
}

/// Does something with two numbers of one type.
macro_rules! both {
    ($a:expr, $b:expr, ($x:ident, $y:ident) => $work:expr) => {
        match ($a, $b) {
            (Any::Single($x), Any::Single($y)) => Some(Any::Single($work)),
            (Any::Double($x), Any::Double($y)) => Some(Any::Double($work)),
            (Any::Extended($x), Any::Extended($y)) => Some(Any::Extended($work)),
            _ => None,
        }
    };
}

pub(super) use {ask, both, each};

impl Any {
    /// The number that bits of a type are.
    pub(super) fn of(kind: FloatKind, bits: u128) -> Any {
        match kind {
            FloatKind::Single => Any::Single(Single::from_bits(bits & u128::from(u32::MAX))),
            FloatKind::Double => Any::Double(Double::from_bits(bits & u128::from(u64::MAX))),
            FloatKind::Extended => Any::Extended(X87DoubleExtended::from_bits(bits & ((1 << 80) - 1))),
        }
    }

    /// The number as a value: a NaN is one of which nothing else is known.
    pub(super) fn real(self) -> Real {
        if ask!(self, number => number.is_nan()) { Real::Nan } else { Real::Bits(self.bits()) }
    }

    /// Its bits.
    pub(super) fn bits(self) -> u128 {
        ask!(self, number => number.to_bits())
    }

    /// The same number in another type, rounded.
    pub(super) fn to(self, kind: FloatKind) -> Any {
        let mut lost = false;
        match kind {
            FloatKind::Single => Any::Single(ask!(self, number => number.convert(&mut lost).value)),
            FloatKind::Double => Any::Double(ask!(self, number => number.convert(&mut lost).value)),
            FloatKind::Extended => Any::Extended(ask!(self, number => number.convert(&mut lost).value)),
        }
    }

    /// An integer as a number of a type, rounded.
    pub(super) fn integer(kind: FloatKind, negative: bool, size: u128) -> Any {
        let any = match kind {
            FloatKind::Single => Any::Single(Single::from_u128(size).value),
            FloatKind::Double => Any::Double(Double::from_u128(size).value),
            FloatKind::Extended => Any::Extended(X87DoubleExtended::from_u128(size).value),
        };
        if negative { each!(any, number => -number) } else { any }
    }
}

/// Whether bits are a value of the type: x87 has some that are none, or that no operation gives.
pub fn is_value(kind: FloatKind, bits: u128) -> bool {
    let exponent = bits >> 64 & 0x7fff;
    kind != FloatKind::Extended || (exponent != 0) == (bits >> 63 & 1 != 0)
}

impl Real {
    /// As a number of a type.
    pub(super) fn any(self, kind: FloatKind) -> Option<Any> {
        match self {
            Real::Bits(bits) => Some(Any::of(kind, bits)),
            Real::Nan => None,
        }
    }

    /// Whether it is a NaN.
    pub fn is_nan(self, kind: FloatKind) -> bool {
        self.any(kind).is_none_or(|any| ask!(any, number => number.is_nan()))
    }
}

/// `-a`; of a NaN, too, it is the sign that changes.
pub fn negated(kind: FloatKind, a: Real) -> Real {
    match a {
        Real::Bits(bits) => Real::Bits(bits ^ 1 << (kind.width() - 1)),
        Real::Nan => Real::Nan,
    }
}

/// `op a`; `!` has its number in [`is_true`], and `~` none.
pub fn unary(op: Unary, kind: FloatKind, a: Real) -> Option<Real> {
    (op == Unary::Negate).then(|| negated(kind, a))
}

/// `a != 0`; a NaN is not 0.
pub fn is_true(kind: FloatKind, a: Real) -> bool {
    a.any(kind).is_none_or(|any| ask!(any, number => !number.is_zero()))
}

/// `a op b` for `+`, `-`, `*`, `/`.
pub fn binary(op: Binary, kind: FloatKind, a: Real, b: Real) -> Option<Real> {
    if !matches!(op, Binary::Add | Binary::Subtract | Binary::Multiply | Binary::Divide) {
        return None;
    }
    let (Some(a), Some(b)) = (a.any(kind), b.any(kind)) else { return Some(Real::Nan) };
    let result = both!(a, b, (x, y) => match op {
        Binary::Add => x.add_r(y, Round::NearestTiesToEven).value,
        Binary::Subtract => x.sub_r(y, Round::NearestTiesToEven).value,
        Binary::Multiply => x.mul_r(y, Round::NearestTiesToEven).value,
        _ => x.div_r(y, Round::NearestTiesToEven).value,
    })?;
    Some(result.real())
}

/// How two numbers are ordered; not at all if one is a NaN.
pub fn ordered(kind: FloatKind, a: Real, b: Real) -> Option<Ordering> {
    match (a.any(kind)?, b.any(kind)?) {
        (Any::Single(a), Any::Single(b)) => a.partial_cmp(&b),
        (Any::Double(a), Any::Double(b)) => a.partial_cmp(&b),
        (Any::Extended(a), Any::Extended(b)) => a.partial_cmp(&b),
        _ => None,
    }
}

/// `a op b` for comparisons.
pub fn compared(op: Binary, kind: FloatKind, a: Real, b: Real) -> Option<bool> {
    let order = ordered(kind, a, b);
    Some(match op {
        Binary::Equal => order == Some(Ordering::Equal),
        Binary::Unequal => order != Some(Ordering::Equal),
        Binary::Less => order == Some(Ordering::Less),
        Binary::LessEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Binary::Greater => order == Some(Ordering::Greater),
        Binary::GreaterEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        _ => return None,
    })
}

/// A number of one type as one of another. One of the same type stays as it is, even if it is a NaN.
pub fn converted(from: FloatKind, to: FloatKind, a: Real) -> Real {
    match a.any(from) {
        _ if from == to => a,
        Some(any) => any.to(to).real(),
        None => Real::Nan,
    }
}

/// The bits of an integer as a number, rounded.
pub fn from_integer(from: Integer, to: FloatKind, bits: u128) -> Real {
    let bits = bits & from.mask();
    let negative = from.signed && bits >> (from.width - 1) == 1;
    let size = if negative { bits.wrapping_neg() & from.mask() } else { bits };
    Real::Bits(Any::integer(to, negative, size).bits())
}

/// The bits of an integer as a number, rounded.
pub fn of_number(kind: FloatKind, number: i128) -> u128 {
    Any::integer(kind, number < 0, number.unsigned_abs()).bits()
}

/// A number without its fraction, as an integer; none if the integer type does not have it (C11 §6.3.1.4). To `_Bool` it is `!= 0`.
pub fn to_integer(from: FloatKind, to: Integer, a: Real) -> Option<u128> {
    if to.rank == Rank::Bool && to.width == 1 {
        return Some(u128::from(is_true(from, a)));
    }
    // In the widest type, since bit-fields may have fewer bits than the operation can be asked for.
    let (mut exact, widest) = (false, 128);
    let (bits, status) = ask!(a.any(from)?, number => if to.signed {
        let done = number.to_i128_r(widest, Round::TowardZero, &mut exact);
        (done.value as u128, done.status)
    } else {
        let done = number.to_u128_r(widest, Round::TowardZero, &mut exact);
        (done.value, done.status)
    });
    let kept = bits & to.mask();
    let fits = if to.signed { to.number(kept) == bits as i128 } else { kept == bits };
    (fits && !status.contains(Status::INVALID_OP)).then_some(kept)
}

/// The bits of the NaN that compilers take for one that nothing more is said of.
pub fn quiet(kind: FloatKind) -> u128 {
    match kind {
        FloatKind::Single => 0x7fc0_0000,
        FloatKind::Double => 0x7ff8 << 48,
        FloatKind::Extended => 0x7fff << 64 | 0xc000 << 48,
    }
}

/// The number that digits of a literal are, without a suffix, rounded once.
pub fn literal(kind: FloatKind, digits: &str) -> Option<Real> {
    let nearest = Round::NearestTiesToEven;
    let any = match kind {
        FloatKind::Single => Any::Single(Single::from_str_r(digits, nearest).ok()?.value),
        FloatKind::Double => Any::Double(Double::from_str_r(digits, nearest).ok()?.value),
        FloatKind::Extended => Any::Extended(X87DoubleExtended::from_str_r(digits, nearest).ok()?.value),
    };
    Some(any.real())
}

/// The bits of the number that a text in decimal is, perhaps with a sign, rounded once.
pub fn decimal(kind: FloatKind, text: &[u8]) -> Option<u128> {
    let text = std::str::from_utf8(text).ok()?;
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    match literal(kind, digits)? {
        Real::Bits(bits) => Some(bits | u128::from(negative) << (kind.width() - 1)),
        Real::Nan => None,
    }
}

/// A number as C writes it.
pub fn spelled(kind: FloatKind, bits: u128) -> String {
    let any = Any::of(kind, bits);
    let (text, suffix) = match any {
        Any::Single(_) => (format!("{:?}", f32::from_bits(bits as u32)), "f"),
        Any::Double(_) => (format!("{:?}", f64::from_bits(bits as u64)), ""),
        Any::Extended(number) => (number.to_string(), "L"),
    };
    if !ask!(any, number => number.is_finite()) {
        let infinite = ask!(any, number => number.is_infinite());
        let sign = if ask!(any, number => number.is_negative()) { "-" } else { "" };
        return format!("{sign}{}", if infinite { "inf" } else { "nan" });
    }
    let point = if text.contains(['.', 'E', 'e']) { "" } else { ".0" };
    format!("{text}{point}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(number: f64) -> Real {
        Real::Bits(u128::from(number.to_bits()))
    }

    #[test]
    fn sums_and_products_are_those_of_the_machine() {
        let mut state = 5;
        let mut next = || {
            let random = crate::random::next(&mut state);
            let small = (random >> 32) as i32 as f64 / 7.0;
            if random.is_multiple_of(3) { f64::from_bits(crate::random::next(&mut state)) } else { small }
        };
        for _ in 0..20_000 {
            let (a, b) = (next(), next());
            for (op, exact) in
                [(Binary::Add, a + b), (Binary::Subtract, a - b), (Binary::Multiply, a * b), (Binary::Divide, a / b)]
            {
                let expected = if exact.is_nan() { Real::Nan } else { double(exact) };
                assert_eq!(binary(op, FloatKind::Double, double(a), double(b)), Some(expected), "{a} {op:?} {b}");
            }
            assert_eq!(compared(Binary::Less, FloatKind::Double, double(a), double(b)), Some(a < b));
            let single = a as f32;
            let expected = if single.is_nan() { Real::Nan } else { Real::Bits(u128::from(single.to_bits())) };
            assert_eq!(converted(FloatKind::Double, FloatKind::Single, double(a)), expected, "{a}");
        }
    }

    #[test]
    fn a_number_that_an_integer_type_does_not_have_has_no_conversion() {
        let int = Integer { rank: Rank::Int, signed: true, width: 32 };
        let unsigned = Integer { signed: false, ..int };
        let to = |ty, number| to_integer(FloatKind::Double, ty, double(number));
        assert_eq!(to(int, -1.9), Some(0xffff_ffff));
        assert_eq!(to(int, 2_147_483_647.9), Some(0x7fff_ffff));
        assert_eq!(to(int, 2_147_483_648.0), None);
        assert_eq!(to(int, -2_147_483_648.9), Some(0x8000_0000));
        assert_eq!(to(int, -2_147_483_649.0), None);
        assert_eq!(to(unsigned, -0.9), Some(0));
        assert_eq!(to(unsigned, -1.0), None);
        assert_eq!(to(unsigned, 4_294_967_295.5), Some(0xffff_ffff));
        assert_eq!(to(int, f64::NAN), None);
        assert_eq!(to(int, f64::INFINITY), None);
        let bool = Integer { rank: Rank::Bool, signed: false, width: 1 };
        assert_eq!((to(bool, 0.1), to(bool, -0.0), to(bool, f64::NAN)), (Some(1), Some(0), Some(1)));
    }

    #[test]
    fn integers_are_rounded_once() {
        let long = Integer { rank: Rank::Long, signed: true, width: 64 };
        let mut state = 9;
        for _ in 0..10_000 {
            let number = crate::random::next(&mut state) as i64 >> (crate::random::next(&mut state) % 60);
            let bits = number as u128 & long.mask();
            assert_eq!(from_integer(long, FloatKind::Double, bits), double(number as f64));
            let single = Real::Bits(u128::from((number as f32).to_bits()));
            assert_eq!(from_integer(long, FloatKind::Single, bits), single);
        }
    }

    #[test]
    fn literals_are_rounded_once() {
        let read = |kind, text| literal(kind, text);
        for text in
            ["0.1", "1e308", "1.7976931348623157e308", "4.9e-324", "2.4703282292062328e-324", "1.", ".5", "1e400"]
        {
            assert_eq!(read(FloatKind::Double, text), Some(double(text.parse().expect("a number"))), "{text}");
        }
        assert_eq!(read(FloatKind::Double, "0x1.8p1"), Some(double(3.0)));
        assert_eq!(read(FloatKind::Single, "0.1"), Some(Real::Bits(u128::from(0.1f32.to_bits()))));
        assert_eq!(spelled(FloatKind::Double, u128::from(0.1f64.to_bits())), "0.1");
    }

    #[test]
    fn numbers_are_converted_to_bit_fields_of_any_width() {
        let field = |width, signed| Integer { rank: Rank::Int, width, signed };
        let to = |ty, number: f64| to_integer(FloatKind::Double, ty, Real::Bits(u128::from(number.to_bits())));
        assert_eq!(
            [to(field(1, true), 0.5), to(field(1, true), -1.0), to(field(1, true), 1.0)],
            [Some(0), Some(1), None]
        );
        assert_eq!([to(field(1, false), 1.9), to(field(1, false), 2.0)], [Some(1), None]);
        assert_eq!([to(field(3, true), -4.9), to(field(3, true), 4.0)], [Some(4), None]);
    }
}
