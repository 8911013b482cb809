//! How numbers are written by printf (C11 §7.21.6.1), where C leaves something open as the GNU C library does it: bytes, without the width.

use super::format::Conversion;
use super::types::FloatKind;

/// A number as printf writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// Its sign and `0x`.
    pub front: Vec<u8>,
    /// All else; zeros that fill it up stand before.
    pub digits: Vec<u8>,
    /// Whether zeros may fill it up.
    pub fills: bool,
}

impl Printed {
    /// Filled up to a width.
    pub fn within(self, width: usize, conversion: &Conversion) -> Vec<u8> {
        let missing = width.saturating_sub(self.front.len() + self.digits.len());
        let (mut out, fill) = (Vec::with_capacity(width), |byte: u8| std::iter::repeat_n(byte, missing));
        let zeros = conversion.zeros && !conversion.left && self.fills;
        if !conversion.left && !zeros {
            out.extend(fill(b' '));
        }
        out.extend(self.front);
        if zeros {
            out.extend(fill(b'0'));
        }
        out.extend(self.digits);
        if conversion.left {
            out.extend(fill(b' '));
        }
        out
    }
}

fn sign(negative: bool, conversion: &Conversion) -> Vec<u8> {
    match (negative, conversion.plus, conversion.space) {
        (true, ..) => b"-".to_vec(),
        (_, true, _) => b"+".to_vec(),
        (.., true) => b" ".to_vec(),
        _ => Vec::new(),
    }
}

/// An integer, by `%d`, `%i`, `%u`, `%o`, `%x` or `%X`.
pub fn integer(number: i128, conversion: &Conversion, precision: Option<usize>) -> Printed {
    let size = number.unsigned_abs();
    let mut digits = match conversion.letter {
        b'o' => format!("{size:o}"),
        b'x' => format!("{size:x}"),
        b'X' => format!("{size:X}"),
        _ => size.to_string(),
    };
    if size == 0 && precision == Some(0) {
        digits.clear();
    }
    let missing = precision.unwrap_or(0).saturating_sub(digits.len());
    digits.insert_str(0, &"0".repeat(missing));
    if conversion.letter == b'o' && conversion.alternative && !digits.starts_with('0') {
        digits.insert(0, '0');
    }
    let front = match conversion.letter {
        b'd' | b'i' => sign(number < 0, conversion),
        b'x' | b'X' if conversion.alternative && size != 0 => vec![b'0', conversion.letter],
        _ => Vec::new(),
    };
    Printed { front, digits: digits.into_bytes(), fills: precision.is_none() }
}

/// The parts of a floating-point number: `mantissa` · 2^`exponent`.
#[derive(Clone, Copy, Debug)]
struct Parts {
    negative: bool,
    class: Class,
    mantissa: u64,
    exponent: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Finite,
    Infinite,
    Nan,
}

fn parts(kind: FloatKind, bits: u128) -> Parts {
    let (width, stored, bias) = match kind {
        FloatKind::Single => (8, 23, 127),
        FloatKind::Double => (11, 52, 1023),
        FloatKind::Extended => (15, 64, 16383),
    };
    let fraction = (bits & ((1 << stored) - 1)) as u64;
    let exponent = (bits >> stored & ((1 << width) - 1)) as i32;
    let negative = bits >> (stored + width) & 1 != 0;
    let explicit = kind == FloatKind::Extended;
    let class = match (exponent == (1 << width) - 1, if explicit { fraction << 1 } else { fraction }) {
        (false, _) => Class::Finite,
        (true, 0) => Class::Infinite,
        (true, _) => Class::Nan,
    };
    let mantissa = if explicit || exponent == 0 { fraction } else { fraction | 1 << stored };
    let point = if explicit { 63 } else { stored };
    Parts { negative, class, mantissa, exponent: exponent.max(1) - bias - point }
}

/// A floating-point number, by `%f`, `%e`, `%g`, `%a` or the same in capitals.
pub fn real(kind: FloatKind, bits: u128, conversion: &Conversion, precision: Option<usize>) -> Printed {
    let parts = parts(kind, bits);
    let capitals = conversion.letter.is_ascii_uppercase();
    let mut front = sign(parts.negative, conversion);
    let word = match parts.class {
        Class::Infinite => Some("inf"),
        Class::Nan => Some("nan"),
        Class::Finite => None,
    };
    if let Some(word) = word {
        let digits = if capitals { word.to_ascii_uppercase() } else { word.to_owned() };
        return Printed { front, digits: digits.into_bytes(), fills: false };
    }
    let letter = conversion.letter.to_ascii_lowercase();
    let mut digits = if letter == b'a' {
        front.extend(b"0x");
        hexadecimal(kind, parts, precision, conversion.alternative)
    } else {
        let exact = Decimal::of(parts.mantissa, parts.exponent);
        let precision = precision.unwrap_or(6);
        match letter {
            b'f' => exact.fixed(precision, conversion.alternative, false),
            b'e' => exact.scientific(precision, conversion.alternative, false),
            _ => exact.general(precision.max(1), conversion.alternative),
        }
    };
    if capitals {
        digits.make_ascii_uppercase();
        front.make_ascii_uppercase();
    }
    Printed { front, digits: digits.into_bytes(), fills: true }
}

/// `%a` without sign and `0x`.
fn hexadecimal(kind: FloatKind, parts: Parts, precision: Option<usize>, point: bool) -> String {
    // One digit, and those behind the point; x87's first digit has four bits.
    let (behind, places) = if kind == FloatKind::Extended { (60, 15) } else { (52, 13) };
    let mut exponent = if parts.mantissa == 0 { 0 } else { parts.exponent + behind };
    let mut digits: Vec<u8> = (0..=places).rev().map(|place| (parts.mantissa >> (4 * place) & 15) as u8).collect();
    match precision {
        Some(wanted) if wanted < digits.len() - 1 => {
            let rest = digits.split_off(wanted + 1);
            let odd = digits[wanted] & 1 != 0;
            let more = rest[1..].iter().any(|digit| *digit != 0) || rest[0] & 7 != 0;
            if rest[0] >= 8 && (odd || more) {
                let mut at = wanted;
                loop {
                    digits[at] += 1;
                    if digits[at] < 16 {
                        break;
                    }
                    if at == 0 {
                        digits[0] = 1;
                        exponent += 4;
                        break;
                    }
                    digits[at] = 0;
                    at -= 1;
                }
            }
        }
        Some(wanted) => digits.resize(wanted + 1, 0),
        None => {
            while digits.len() > 1 && digits.last() == Some(&0) {
                digits.pop();
            }
        }
    }
    let digit = |digit: &u8| char::from_digit(u32::from(*digit), 16).unwrap_or('0');
    let mut text: String = digits[..1].iter().map(digit).collect();
    if digits.len() > 1 || point {
        text.push('.');
    }
    text.extend(digits[1..].iter().map(digit));
    text.push_str(&format!("p{exponent:+}"));
    text
}

/// A number that is not negative, exactly: its digits, of which so many stand behind the point.
struct Decimal {
    digits: Vec<u8>,
    behind: usize,
}

impl Decimal {
    /// `mantissa` · 2^`exponent`. Quadratic in the exponent, which is at most some 16,000.
    fn of(mantissa: u64, exponent: i32) -> Decimal {
        let zeros = if mantissa == 0 { 0 } else { mantissa.trailing_zeros() };
        let (mut mantissa, mut exponent) = (mantissa, exponent);
        if exponent < 0 {
            let taken = zeros.min(exponent.unsigned_abs());
            mantissa >>= taken;
            exponent += taken as i32;
        }
        let base = 1_000_000_000u64;
        let mut limbs = vec![mantissa % base, mantissa / base % base, mantissa / base / base];
        let mut times = |factor: u64| {
            let mut carry = 0;
            for limb in &mut limbs {
                let product = *limb * factor + carry;
                *limb = product % base;
                carry = product / base;
            }
            if carry != 0 {
                limbs.push(carry);
            }
        };
        let mut left = exponent.unsigned_abs();
        let (by, most) = if exponent < 0 { (5u64, 12) } else { (2, 29) };
        while left > 0 {
            let step = left.min(most);
            times(by.pow(step));
            left -= step;
        }
        let text: String = limbs.iter().rev().map(|limb| format!("{limb:09}")).collect();
        let mut digits: Vec<u8> = text.trim_start_matches('0').bytes().map(|byte| byte - b'0').collect();
        let behind = if exponent < 0 { exponent.unsigned_abs() as usize } else { 0 };
        if digits.len() <= behind {
            digits.splice(..0, std::iter::repeat_n(0, behind + 1 - digits.len()));
        }
        if digits.is_empty() {
            digits.push(0);
        }
        Decimal { digits, behind }
    }

    /// The first so many digits of a list, rounded to nearest, ties to even; whether there is one more in front.
    fn rounded(digits: &[u8], count: usize) -> (Vec<u8>, bool) {
        if count >= digits.len() {
            let mut all = digits.to_vec();
            all.resize(count, 0);
            return (all, false);
        }
        let (kept, rest) = digits.split_at(count);
        let mut kept = kept.to_vec();
        let odd = kept.last().is_some_and(|digit| digit % 2 == 1);
        let more = rest[1..].iter().any(|digit| *digit != 0);
        if rest[0] < 5 || rest[0] == 5 && !more && !odd {
            return (kept, false);
        }
        for digit in kept.iter_mut().rev() {
            *digit += 1;
            if *digit < 10 {
                return (kept, false);
            }
            *digit = 0;
        }
        kept.insert(0, 1);
        (kept, true)
    }

    fn text(digits: &[u8]) -> String {
        digits.iter().map(|digit| char::from(b'0' + digit)).collect()
    }

    /// Digits before and behind the point, the latter without zeros at the end where that is wanted.
    fn pointed(before: &[u8], behind: &[u8], point: bool, short: bool) -> String {
        let kept = match short {
            true => behind.iter().rposition(|digit| *digit != 0).map_or(0, |last| last + 1),
            false => behind.len(),
        };
        let mut text = Decimal::text(before);
        if kept > 0 || point {
            text.push('.');
        }
        text + &Decimal::text(&behind[..kept])
    }

    /// `%f`
    fn fixed(&self, precision: usize, point: bool, short: bool) -> String {
        let before = self.digits.len() - self.behind;
        let (digits, longer) = Decimal::rounded(&self.digits, before + precision);
        let before = before + usize::from(longer);
        Decimal::pointed(&digits[..before], &digits[before..], point, short)
    }

    /// Digits of which the first is not 0, so many, and the exponent of ten of the first.
    fn significant(&self, count: usize) -> (Vec<u8>, i64) {
        let before = (self.digits.len() - self.behind) as i64;
        let Some(first) = self.digits.iter().position(|digit| *digit != 0) else { return (vec![0; count], 0) };
        let (mut digits, longer) = Decimal::rounded(&self.digits[first..], count);
        digits.truncate(count);
        (digits, before - 1 - first as i64 + i64::from(longer))
    }

    /// `%e`
    fn scientific(&self, precision: usize, point: bool, short: bool) -> String {
        let (digits, exponent) = self.significant(precision + 1);
        let sign = if exponent < 0 { '-' } else { '+' };
        let size = exponent.unsigned_abs();
        format!("{}e{sign}{size:02}", Decimal::pointed(&digits[..1], &digits[1..], point, short))
    }

    /// `%g`, with a precision that is not 0.
    fn general(&self, precision: usize, alternative: bool) -> String {
        let (_, exponent) = self.significant(precision);
        match usize::try_from(exponent) {
            Ok(exponent) if exponent < precision => self.fixed(precision - 1 - exponent, alternative, !alternative),
            Err(_) if exponent >= -4 => {
                self.fixed(precision - 1 + exponent.unsigned_abs() as usize, alternative, !alternative)
            }
            _ => self.scientific(precision - 1, alternative, !alternative),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::format::{Kind, Piece, pieces};

    fn conversion(format: &str) -> Conversion {
        match &pieces(format.as_bytes(), Kind::Print)[..] {
            [Piece::Conversion(one)] => one.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn double(format: &str, precision: Option<usize>, number: f64) -> String {
        let conversion = conversion(format);
        let printed = real(FloatKind::Double, number.to_bits().into(), &conversion, precision);
        String::from_utf8(printed.within(0, &conversion)).expect("it is ASCII")
    }

    #[test]
    fn doubles_are_rounded_from_what_they_are_exactly() {
        assert_eq!(double("%f", Some(0), 2.5), "2");
        assert_eq!(double("%f", Some(0), 3.5), "4");
        assert_eq!(double("%f", Some(1), 0.25), "0.2");
        assert_eq!(double("%f", Some(20), 0.1), "0.10000000000000000555");
        assert_eq!(double("%e", None, 9_999_999.5), "1.000000e+07");
        assert_eq!(double("%f", Some(2), 9.999), "10.00");
        assert_eq!(double("%g", None, 100_000.0), "100000");
        assert_eq!(double("%g", None, 1e-5), "1e-05");
        assert_eq!(double("%#g", None, 0.0), "0.00000");
        assert_eq!(double("%a", None, 1.5), "0x1.8p+0");
        assert_eq!(double("%a", Some(0), 1.5), "0x2p+0");
        assert_eq!(double("%f", None, f64::NEG_INFINITY), "-inf");
        assert_eq!(double("%e", Some(3), 5e-324), "4.941e-324");
    }

    #[test]
    fn integers_have_precision_and_base() {
        let of = |format: &str, number: i128, width: usize| {
            let conversion = conversion(format);
            String::from_utf8(integer(number, &conversion, None).within(width, &conversion)).expect("it is ASCII")
        };
        assert_eq!(of("%#x", 255, 0), "0xff");
        assert_eq!(of("%#o", 8, 0), "010");
        assert_eq!(of("%+05d", 3, 5), "+0003");
        assert_eq!(of("%-5d", -3, 5), "-3   ");
    }
}
