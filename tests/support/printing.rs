//! Random calls of printf's family.

use fastrand::Rng;

/// An `f64` as C writes it exactly.
fn real(rng: &mut Rng) -> String {
    let number = match rng.usize(..6) {
        0 => f64::from_bits(rng.u64(..)),
        1 => f64::from(rng.i32(-1000..1000)) / 2.0,
        2 => f64::from(rng.i32(..)) / [10.0, 7.0, 1024.0, 1e9][rng.usize(..4)],
        3 => [0.0, -0.0, 9.5, 99.5, 0.05, 9.9999995, 999_999.5, 9.99999e-5, 1e15, 1e21, 5e-324][rng.usize(..11)],
        4 => f64::from(rng.i32(..)) * 10f64.powi(rng.i32(-300..290)),
        _ => rng.f64() - 0.5,
    };
    spelled(number)
}

fn spelled(number: f64) -> String {
    if !number.is_finite() {
        return "(1e308 * 10)".to_owned();
    }
    let bits = number.to_bits();
    let (sign, exponent, fraction) = (bits >> 63, bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    let (one, exponent) = if exponent == 0 { (0, -1022) } else { (1, exponent as i64 - 1023) };
    format!("{}0x{one}.{fraction:013x}p{exponent}", ["", "-"][sign as usize])
}

/// An `x87` number as C writes it exactly.
fn long_real(rng: &mut Rng) -> String {
    let exponent = if rng.bool() { rng.i32(-200..200) } else { rng.i32(-16_445..16_320) };
    let mantissa = if rng.bool() { rng.u64(..) | 1 << 63 } else { rng.u64(1..4096) << 52 };
    format!("{}0x{mantissa:x}p{exponent}L", ["", "-"][rng.usize(..2)])
}

fn integer(rng: &mut Rng) -> i64 {
    match rng.usize(..5) {
        0 => 0,
        1 => rng.i64(-10..10),
        2 => [i64::from(i32::MIN), i64::from(i32::MAX), i64::MAX, i64::MIN + 1][rng.usize(..4)],
        3 => i64::from(rng.i32(..)),
        _ => rng.i64(..) | 1,
    }
}

/// A conversion; what it takes is put behind the others.
fn conversion(rng: &mut Rng, arguments: &mut Vec<String>) -> String {
    let mut text = String::from("%");
    text.extend("-+ #0".chars().filter(|_| rng.usize(..4) == 0));
    match rng.usize(..6) {
        0 => {
            text.push('*');
            arguments.push(rng.i32(-20..20).to_string());
        }
        1 | 2 => text += &rng.usize(1..24).to_string(),
        _ => {}
    }
    let kind = rng.usize(..10);
    match rng.usize(..6) {
        _ if kind == 8 => {}
        0 => {
            text += ".*";
            arguments.push(rng.i32(-3..20).to_string());
        }
        1 => text.push('.'),
        2 | 3 => text += &format!(".{}", rng.usize(..25)),
        _ => {}
    }
    match kind {
        0..=3 => {
            let (length, ty) = [
                ("", "int"),
                ("hh", "int"),
                ("h", "int"),
                ("l", "long"),
                ("ll", "long long"),
                ("j", "long"),
                ("z", "long"),
                ("t", "long"),
            ][rng.usize(..8)];
            arguments.push(format!("({ty}){}L", integer(rng)));
            text + length + ["d", "i", "u", "o", "x", "X"][rng.usize(..6)]
        }
        4..=6 => {
            arguments.push(real(rng));
            text + ["", "l"][rng.usize(..2)] + ["f", "F", "e", "E", "g", "G", "a", "A"][rng.usize(..8)]
        }
        7 => {
            arguments.push(long_real(rng));
            text + "L" + ["f", "e", "E", "g", "G", "a", "A"][rng.usize(..7)]
        }
        8 => {
            arguments.push(format!("{}", rng.i32(1..127)));
            text.retain(|c| c != '0' && c != '#');
            text + "c"
        }
        _ => {
            arguments.push(["\"\"", "\"abc\"", "\"a longer text\""][rng.usize(..3)].to_owned());
            text.retain(|c| c != '#' && c != '+' && c != ' ');
            text.replacen("%0", "%", 1) + "s"
        }
    }
}

/// A format and what it takes, as arguments.
pub fn format(rng: &mut Rng) -> String {
    let (mut text, mut arguments) = (String::new(), Vec::new());
    for _ in 0..rng.usize(1..4) {
        text += ["", "a", ", ", "%%", "x "][rng.usize(..5)];
        text += &conversion(rng, &mut arguments);
    }
    arguments.insert(0, format!("\"{text}\""));
    arguments.join(", ")
}
