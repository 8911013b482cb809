//! Random terms and conditions of C over given variables and small numbers.

use fastrand::Rng;

/// A variable or a number.
fn atom(rng: &mut Rng, names: &[&str]) -> String {
    match rng.u8(..3) {
        0 => rng.i64(-2..4).to_string(),
        _ => names[rng.usize(..names.len())].to_owned(),
    }
}

/// Two atoms with one of these operators between them, or, if that is empty, one atom.
pub fn value(rng: &mut Rng, names: &[&str], operators: &[&str]) -> String {
    let (left, right) = (atom(rng, names), atom(rng, names));
    match operators[rng.usize(..operators.len())] {
        "" => left,
        operator => format!("({left} {operator} {right})"),
    }
}

/// A comparison of a variable.
pub fn condition(rng: &mut Rng, names: &[&str]) -> String {
    let (left, right) = (names[rng.usize(..names.len())], atom(rng, names));
    format!("{left} {} {right}", ["==", "<", "!=", "<="][rng.usize(..4)])
}
