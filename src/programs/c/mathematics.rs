//! Functions of real numbers whose result IEEE 754 and C11 annex F say exactly: those that round correctly, take numbers apart, or ask
//! what a number is. Of all others (`sin`, `pow`, …) nothing is known here.

use std::cmp::Ordering;

use num_bigint::BigUint;
use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended};
use rustc_apfloat::{Category, Float, Round};

use super::expression::Binary;
use super::float::{self, Any, Real, ask, both, each};
use super::types::FloatKind;

/// An argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// A floating-point number of a type.
    Real(FloatKind, Real),
    /// An integer.
    Integer(i128),
}

/// A number in two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// What the function returns.
    pub returned: Number,
    /// What it stores.
    pub stored: Number,
}

/// Functions that ask what numbers are, and take numbers of any type.
const QUESTIONS: &str = "
    isnan isinf isinf_sign isfinite finite isnormal signbit fpclassify isgreater isgreaterequal isless islessequal islessgreater isunordered
";

/// Functions from numbers of one type.
const FUNCTIONS: &str = "
    fabs copysign sqrt fma floor ceil trunc rint nearbyint round fmod remainder fmin fmax fdim nextafter ldexp scalbn scalbln logb ilogb
    lrint llrint lround llround inf huge_val frexp modf
";

/// The function of a name, and the type of its numbers if the name says it.
fn function(name: &str) -> Option<(&str, Option<FloatKind>)> {
    let builtin = name.strip_prefix("__builtin_");
    let plain = builtin.or_else(|| name.strip_prefix("__")).unwrap_or(name);
    let lists = |list: &str, name: &str| list.split_ascii_whitespace().any(|one| one == name);
    let of =
        |suffix: char| plain.strip_suffix(suffix).filter(|plain| lists(FUNCTIONS, plain) || lists(QUESTIONS, plain));
    if lists(QUESTIONS, plain) {
        Some((plain, None))
    } else if builtin.is_none() && (name.starts_with("__") || plain.starts_with("inf") || plain.starts_with("huge")) {
        // C libraries have none of these names.
        of('f').or(of('l')).filter(|plain| lists(QUESTIONS, plain)).map(|plain| (plain, None))
    } else if lists(FUNCTIONS, plain) {
        Some((plain, Some(FloatKind::Double)))
    } else if let Some(plain) = of('f') {
        Some((plain, Some(FloatKind::Single)))
    } else {
        of('l').map(|plain| (plain, Some(FloatKind::Extended)))
    }
}

/// Whether a compiler's function takes numbers of any type as they are.
pub fn is_generic(name: &str) -> bool {
    name.starts_with("__builtin_") && function(name).is_some_and(|(_, kind)| kind.is_none())
}

/// Whether something is known of a function.
pub fn is_known(name: &str) -> bool {
    function(name).is_some()
}

/// What a function returns, if that is known exactly.
pub fn returned(name: &str, arguments: &[Number]) -> Option<Number> {
    use Number::{Integer, Real as R};
    let (plain, kind) = function(name)?;
    let fits = |number: &Number| match number {
        R(own, _) => kind.is_none_or(|kind| kind == *own),
        Integer(_) => true,
    };
    if !arguments.iter().all(fits) {
        return None;
    }
    match *arguments {
        [] => infinite(plain, kind?),
        [R(kind, a)] => of_one(plain, name, kind, a),
        [R(kind, a), R(other, b)] if kind == other => of_two(plain, kind, a, b),
        [R(kind, a), R(other, b)] => {
            let wide = kind.max(other);
            asked(plain, wide, float::converted(kind, wide, a), float::converted(other, wide, b))
        }
        [Integer(a), R(kind, b)] if plain.starts_with("is") => {
            asked(plain, kind, Real::Bits(float::of_number(kind, a)), b)
        }
        [R(kind, a), Integer(b)] if plain.starts_with("is") => {
            asked(plain, kind, a, Real::Bits(float::of_number(kind, b)))
        }
        [R(kind, a), Integer(by)] if matches!(plain, "ldexp" | "scalbn" | "scalbln") => scaled(kind, a, by),
        [R(kind, a), R(_, b), R(_, c)] if plain == "fma" => fused(kind, a, b, c),
        [Integer(nan), Integer(infinite), Integer(normal), Integer(subnormal), Integer(zero), R(kind, a)]
            if plain == "fpclassify" =>
        {
            Some(Integer(class(kind, a, [nan, infinite, normal, subnormal, zero])))
        }
        _ => None,
    }
}

/// What a function returns and what it stores where its last argument points to, if that is known exactly.
pub fn parts(name: &str, argument: Number) -> Option<Parts> {
    let (plain, expected) = function(name)?;
    let Number::Real(kind, real) = argument else { return None };
    let any = real.any(kind).filter(|_| expected == Some(kind))?;
    match plain {
        "frexp" if ask!(any, number => number.is_finite()) => {
            let mut exponent = 0;
            let mantissa = each!(any, number => number.frexp(&mut exponent));
            let zero = ask!(any, number => number.is_zero());
            let stored = Number::Integer(if zero { 0 } else { i128::from(exponent) });
            Some(Parts { returned: Number::Real(kind, mantissa.real()), stored })
        }
        "modf" if !real.is_nan(kind) => {
            let whole = each!(any, number => number.round_to_integral(Round::TowardZero).value);
            let infinite = ask!(any, number => number.is_infinite());
            let rest = match infinite {
                true => Any::integer(kind, false, 0),
                false => both!(any, whole, (x, y) => x.sub_r(y, Round::NearestTiesToEven).value)?,
            };
            let rest = both!(rest, any, (x, y) => x.copy_sign(y))?;
            Some(Parts { returned: Number::Real(kind, rest.real()), stored: Number::Real(kind, whole.real()) })
        }
        _ => None,
    }
}

fn infinite(plain: &str, kind: FloatKind) -> Option<Number> {
    let any = match kind {
        FloatKind::Single => Any::Single(Single::INFINITY),
        FloatKind::Double => Any::Double(Double::INFINITY),
        FloatKind::Extended => Any::Extended(X87DoubleExtended::INFINITY),
    };
    matches!(plain, "inf" | "huge_val").then(|| Number::Real(kind, any.real()))
}

/// Functions of one number.
fn of_one(plain: &str, name: &str, kind: FloatKind, a: Real) -> Option<Number> {
    let truth = |holds: bool| Some(Number::Integer(i128::from(holds)));
    let is = |category: Category| a.any(kind).is_some_and(|any| ask!(any, number => number.category() == category));
    let finite = !a.is_nan(kind) && !is(Category::Infinity);
    let negative = |any: Any| ask!(any, number => number.is_negative());
    match plain {
        "isnan" => truth(a.is_nan(kind)),
        "isinf" if !name.starts_with("__isinf") => truth(is(Category::Infinity)),
        "isinf" | "isinf_sign" => {
            let sign = a.any(kind).map_or(1, |any| if negative(any) { -1 } else { 1 });
            Some(Number::Integer(if is(Category::Infinity) { sign } else { 0 }))
        }
        "isfinite" | "finite" => truth(finite),
        "isnormal" => truth(a.any(kind).is_some_and(|any| ask!(any, number => number.is_normal()))),
        // Of a NaN that was computed nobody knows it.
        "signbit" => truth(negative(a.any(kind)?)),
        "fpclassify" => Some(Number::Integer(class(kind, a, [0, 1, 4, 3, 2]))),
        "ilogb" | "logb" if finite && !is(Category::Zero) => {
            let exponent = ask!(a.any(kind)?, number => number.ilogb());
            Some(match plain {
                "ilogb" => Number::Integer(i128::from(exponent)),
                _ => Number::Real(kind, Real::Bits(float::of_number(kind, i128::from(exponent)))),
            })
        }
        "lrint" | "llrint" => whole(kind, rounded(kind, a, Round::NearestTiesToEven)),
        "lround" | "llround" => whole(kind, rounded(kind, a, Round::NearestTiesToAway)),
        "fabs" => Some(Number::Real(kind, absolute(kind, a))),
        "sqrt" => Some(Number::Real(kind, root(kind, a))),
        _ => {
            let round = match plain {
                "floor" => Round::TowardNegative,
                "ceil" => Round::TowardPositive,
                "trunc" => Round::TowardZero,
                "rint" | "nearbyint" => Round::NearestTiesToEven,
                "round" => Round::NearestTiesToAway,
                _ => return None,
            };
            Some(Number::Real(kind, rounded(kind, a, round)))
        }
    }
}

fn absolute(kind: FloatKind, a: Real) -> Real {
    match a {
        Real::Bits(bits) => Real::Bits(bits & !(1 << (kind.width() - 1))),
        Real::Nan => Real::Nan,
    }
}

fn rounded(kind: FloatKind, a: Real, round: Round) -> Real {
    a.any(kind).map_or(Real::Nan, |any| each!(any, number => number.round_to_integral(round).value).real())
}

/// A number without a fraction, if an integer is that.
fn whole(kind: FloatKind, a: Real) -> Option<Number> {
    let long = crate::c::types::Integer { rank: crate::c::types::Rank::Int128, signed: true, width: 128 };
    float::to_integer(kind, long, a).map(|bits| Number::Integer(long.number(bits)))
}

/// Which of five numbers says what a number is: a NaN, infinite, normal, subnormal, zero.
fn class(kind: FloatKind, a: Real, [nan, infinite, normal, subnormal, zero]: [i128; 5]) -> i128 {
    let Some(any) = a.any(kind) else { return nan };
    match ask!(any, number => number.category()) {
        Category::NaN => nan,
        Category::Infinity => infinite,
        Category::Zero => zero,
        Category::Normal if ask!(any, number => number.is_denormal()) => subnormal,
        Category::Normal => normal,
    }
}

/// How many bits the significand of a number has.
fn precision(kind: FloatKind) -> u32 {
    match kind {
        FloatKind::Single => 24,
        FloatKind::Double => 53,
        FloatKind::Extended => 64,
    }
}

/// The square root, rounded: of an integer with twice as many digits, with a last one that says whether there are more.
fn root(kind: FloatKind, a: Real) -> Real {
    let Some(any) = a.any(kind).filter(|_| !a.is_nan(kind)) else { return Real::Nan };
    let (zero, negative) = ask!(any, number => (number.is_zero(), number.is_negative()));
    if zero || !negative && ask!(any, number => number.is_infinite()) {
        return a;
    }
    if negative {
        return Real::Nan;
    }
    let digits = precision(kind) as i32;
    let exponent = ask!(any, number => number.ilogb());
    let mut exact = false;
    let integer =
        ask!(any, number => number.scalbn(digits - 1 - exponent).to_u128_r(128, Round::TowardZero, &mut exact).value);
    let scale = exponent - digits + 1;
    let shift = digits + 4 + (scale - digits).rem_euclid(2);
    let large = BigUint::from(integer) << shift;
    let found = large.sqrt();
    let rest = u128::from(&found * &found != large);
    let found = u128::try_from(found).unwrap_or(0) << 1 | rest;
    let by = (scale - shift) / 2 - 1;
    each!(Any::integer(kind, false, found), number => number.scalbn(by)).real()
}

/// Functions of two numbers of one type.
fn of_two(plain: &str, kind: FloatKind, a: Real, b: Real) -> Option<Number> {
    let real = |real| Some(Number::Real(kind, real));
    let nan = a.is_nan(kind) || b.is_nan(kind);
    match plain {
        "copysign" => {
            let sign = 1 << (kind.width() - 1);
            match (a, b) {
                (Real::Bits(a), Real::Bits(b)) => real(Real::Bits(a & !sign | b & sign)),
                (Real::Nan, _) => real(Real::Nan),
                (Real::Bits(_), Real::Nan) => None,
            }
        }
        "fmod" | "remainder" | "fdim" if nan => real(Real::Nan),
        "fmod" => real(both!(a.any(kind)?, b.any(kind)?, (x, y) => x.c_fmod(y).value)?.real()),
        "remainder" => real(both!(a.any(kind)?, b.any(kind)?, (x, y) => x.ieee_rem(y).value)?.real()),
        "fdim" if float::compared(Binary::Greater, kind, a, b)? => real(float::binary(Binary::Subtract, kind, a, b)?),
        "fdim" => real(Real::Bits(0)),
        "fmin" | "fmax" => least(kind, a, b, plain == "fmin").and_then(real),
        "nextafter" if nan => real(Real::Nan),
        "nextafter" => real(next(kind, a, b)?),
        _ => asked(plain, kind, a, b),
    }
}

/// The lesser of two numbers, or the greater; of a number and a quiet NaN the number. Of two zeros it may be either.
fn least(kind: FloatKind, a: Real, b: Real, least: bool) -> Option<Real> {
    let signals = |real: Real| real.any(kind).is_some_and(|any| ask!(any, number => number.is_signaling()));
    if signals(a) || signals(b) {
        return None;
    }
    match (a.is_nan(kind), b.is_nan(kind)) {
        (true, true) => return Some(Real::Nan),
        (true, false) => return Some(b),
        (false, true) => return Some(a),
        (false, false) => {}
    }
    match float::ordered(kind, a, b)? {
        Ordering::Equal => (a == b).then_some(a),
        order => Some(if order.is_lt() == least { a } else { b }),
    }
}

/// The number after another in the direction of a third.
fn next(kind: FloatKind, a: Real, b: Real) -> Option<Real> {
    let any = a.any(kind)?;
    Some(match float::ordered(kind, a, b)? {
        Ordering::Equal => b,
        Ordering::Less => each!(any, number => number.next_up().value).real(),
        Ordering::Greater => each!(any, number => number.next_down().value).real(),
    })
}

/// Comparisons that are functions.
fn asked(plain: &str, kind: FloatKind, a: Real, b: Real) -> Option<Number> {
    let order = float::ordered(kind, a, b);
    let holds = match plain {
        "isgreater" => order == Some(Ordering::Greater),
        "isgreaterequal" => order.is_some_and(Ordering::is_ge),
        "isless" => order == Some(Ordering::Less),
        "islessequal" => order.is_some_and(Ordering::is_le),
        "islessgreater" => order.is_some_and(Ordering::is_ne),
        "isunordered" => order.is_none(),
        _ => return None,
    };
    Some(Number::Integer(i128::from(holds)))
}

/// `a · 2ᵇ`, rounded once.
fn scaled(kind: FloatKind, a: Real, by: i128) -> Option<Number> {
    let by = by.clamp(-100_000, 100_000) as i32;
    let real = a.any(kind).map_or(Real::Nan, |any| each!(any, number => number.scalbn(by)).real());
    Some(Number::Real(kind, real))
}

/// `a · b + c`, rounded once.
fn fused(kind: FloatKind, a: Real, b: Real, c: Real) -> Option<Number> {
    let real = match (a.any(kind), b.any(kind), c.any(kind)) {
        (Some(Any::Single(a)), Some(Any::Single(b)), Some(Any::Single(c))) => Any::Single(a.mul_add(b, c).value).real(),
        (Some(Any::Double(a)), Some(Any::Double(b)), Some(Any::Double(c))) => Any::Double(a.mul_add(b, c).value).real(),
        (Some(Any::Extended(a)), Some(Any::Extended(b)), Some(Any::Extended(c))) => {
            Any::Extended(a.mul_add(b, c).value).real()
        }
        _ => Real::Nan,
    };
    Some(Number::Real(kind, real))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(number: f64) -> Number {
        let real = if number.is_nan() { Real::Nan } else { Real::Bits(u128::from(number.to_bits())) };
        Number::Real(FloatKind::Double, real)
    }

    fn single(number: f32) -> Number {
        let real = if number.is_nan() { Real::Nan } else { Real::Bits(u128::from(number.to_bits())) };
        Number::Real(FloatKind::Single, real)
    }

    /// Any number, small ones most often.
    fn any(state: &mut u64) -> f64 {
        let random = crate::random::next(state);
        match random % 4 {
            0 => f64::from_bits(crate::random::next(state)),
            1 => (random >> 40) as f64 - 1e6,
            2 => f64::from_bits(crate::random::next(state) >> 12),
            _ => (random >> 32) as i32 as f64 / 64.0,
        }
    }

    #[test]
    fn what_is_rounded_correctly_is_what_the_machine_says() {
        let mut state = 11;
        for _ in 0..20_000 {
            let (a, b, c) = (any(&mut state), any(&mut state), any(&mut state));
            let of = |name| returned(name, &[double(a)]);
            assert_eq!(of("sqrt"), Some(double(a.sqrt())), "{a}");
            assert_eq!(returned("sqrtf", &[single(a as f32)]), Some(single((a as f32).sqrt())), "{a}");
            assert_eq!(of("floor"), Some(double(a.floor())), "{a}");
            assert_eq!(of("ceil"), Some(double(a.ceil())), "{a}");
            assert_eq!(of("trunc"), Some(double(a.trunc())), "{a}");
            assert_eq!(of("round"), Some(double(a.round())), "{a}");
            assert_eq!(of("rint"), Some(double(a.round_ties_even())), "{a}");
            assert_eq!(returned("fmod", &[double(a), double(b)]), Some(double(a % b)), "{a} {b}");
            let fused = returned("__builtin_fma", &[double(a), double(b), double(c)]);
            assert_eq!(fused, Some(double(a.mul_add(b, c))), "{a} {b} {c}");
        }
    }

    #[test]
    fn of_what_nothing_is_exact_nothing_is_known() {
        assert_eq!(returned("sin", &[double(1.0)]), None);
        assert_eq!(returned("sqrtf", &[double(1.0)]), None, "its type is another");
        assert_eq!(returned("signbit", &[double(f64::NAN)]), None);
        assert_eq!(returned("fmax", &[double(0.0), double(-0.0)]), None);
        assert_eq!(returned("fmax", &[double(f64::NAN), double(2.0)]), Some(double(2.0)));
        assert_eq!(returned("ldexp", &[double(0.75), Number::Integer(-1074)]), Some(double(5e-324)));
        assert_eq!(returned("nextafter", &[double(1.0), double(2.0)]), Some(double(1.0 + f64::EPSILON)));
        let parts = parts("modf", double(-2.5)).expect("it is known");
        assert_eq!((parts.returned, parts.stored), (double(-0.5), double(-2.0)));
    }
}
