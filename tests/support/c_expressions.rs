//! Random expressions of C without effects, over leaves that somebody else chooses.

use fastrand::Rng;

/// The types of variables.
pub const TYPES: [&str; 11] = [
    "_Bool",
    "char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "signed char",
];

/// Where the leaves of an expression come from.
pub trait Leaves {
    /// What decides.
    fn rng(&mut self) -> &mut Rng;

    /// A constant.
    fn number(&mut self) -> String;

    /// A place that can be read.
    fn readable(&mut self) -> String;

    /// A variable.
    fn variable(&mut self) -> String;
}

/// One of several texts.
pub fn pick<'a>(rng: &mut Rng, list: &[&'a str]) -> &'a str {
    list[rng.usize(..list.len())]
}

/// An expression that nests so deeply at most; it does nothing undefined but signed overflow.
pub fn expression(from: &mut dyn Leaves, depth: u32) -> String {
    if depth == 0 || from.rng().u8(..6) == 0 {
        return if from.rng().bool() { from.number() } else { from.readable() };
    }
    let a = expression(from, depth - 1);
    match from.rng().u8(..16) {
        0 => format!("({} {a})", pick(from.rng(), &["-", "~", "!", "+"])),
        1 | 2 => format!("(({}) {a})", pick(from.rng(), &TYPES)),
        3 => {
            let b = from.variable();
            let op = pick(from.rng(), &["/", "%"]);
            format!("({b} == 0 || {b} == -1 ? 5 : {a} {op} {b})")
        }
        4 => format!("({a} {} ({} & 7))", pick(from.rng(), &["<<", ">>"]), from.variable()),
        5 => {
            let (b, c) = (expression(from, depth - 1), expression(from, depth - 1));
            format!("({a} ? {b} : {c})")
        }
        6 => {
            let b = expression(from, depth - 1);
            format!("({a} {} {b})", pick(from.rng(), &["&&", "||"]))
        }
        7 => format!(
            "({a} {} {})",
            pick(from.rng(), &["/", "%"]),
            pick(from.rng(), &["3", "7u", "-5", "255L", "1000ULL"])
        ),
        8 => format!("(sizeof(+{a}) + sizeof(short))"),
        _ => {
            let b = expression(from, depth - 1);
            let op = pick(from.rng(), &["+", "-", "*", "&", "|", "^", "<", "<=", ">", ">=", "==", "!="]);
            format!("({a} {op} {b})")
        }
    }
}
