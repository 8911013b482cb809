//! Floating-point numbers in expressions of all kinds: computed, compared, converted, passed, stored in objects, and seen bit by bit. No
//! number is converted to an integer type that does not have it, and no bit of a NaN is looked at.

use super::making::Making;
use crate::c_expressions::pick;

const TYPES: [&str; 3] = ["float", "double", "long double"];

/// Integers that a number is converted to, and numbers between which it is one of them.
const INTEGERS: [(&str, &str, &str); 8] = [
    ("signed char", "-129", "128"),
    ("unsigned char", "-1", "256"),
    ("short", "-32769", "32768"),
    ("unsigned short", "-1", "65536"),
    ("int", "-2147483649.0", "2147483648.0"),
    ("unsigned", "-1", "4294967296.0"),
    ("long", "-9e18", "9223372036854775808.0"),
    ("unsigned long long", "-1", "18446744073709551616.0"),
];

const LITERALS: [&str; 24] = [
    "1.0f",
    "0.5",
    "-2.25f",
    "3.14f",
    "1e10f",
    "0.1",
    "-0.0f",
    "16777217",
    "0x1p-3",
    "1e-40f",
    "1e308",
    "1e-320",
    "2.0L/3",
    "0x1.fffffep127f",
    "5e-324",
    "9007199254740993.0",
    "0.1L",
    "1e30",
    "4294967296.0",
    "0x1.8p-149",
    "1e-4940L",
    "0x1.0000000000000801p0L",
    "0.30000001192092896",
    "7",
];

/// What can be read, and what can be called.
struct Scope {
    /// Places with their types.
    numbers: Vec<(String, &'static str)>,
    /// Places of integers.
    integers: Vec<String>,
    /// Functions of two numbers of these types.
    functions: Vec<(String, [&'static str; 2])>,
}

/// Statements, after each of which all bits of a number are mixed into the sum that is observed.
pub fn floats(making: &mut Making<'_>) {
    let sum = making.name("sum");
    for (short, ty) in ["f", "d", "l"].into_iter().zip(TYPES) {
        let count = if ty == "long double" { "10".to_owned() } else { format!("sizeof({ty})") };
        making.file(format!(
            "static unsigned long long $mix_{short}({ty} v) {{ unsigned long long s = 7; if (v != v) return 1; \
             for (int i = 0; i < {count}; i++) s = s * 257 + ((unsigned char *) &v)[i]; return s; }}"
        ));
    }
    making.line(format!("unsigned long long {sum} = 0;"));
    let mut scope = scope(making);
    for _ in 0..making.rng.usize(3..9) {
        statement(making, &mut scope);
        let (place, ty) = scope.numbers[making.rng.usize(..scope.numbers.len())].clone();
        let mixed = ["f", "d", "l"][TYPES.iter().position(|one| *one == ty).unwrap_or(0)];
        making.line(format!("{sum} = {sum} * 31 + $mix_{mixed}({place});"));
        if making.one_in(2) {
            let condition = condition(making, &scope, 1);
            making.line(format!("{sum} = {sum} * 3 + {condition};"));
        }
    }
    making.places = vec![sum];
    making.observe();
}

/// What statements speak of: variables of the file, locals, members, elements, and functions.
fn scope(making: &mut Making<'_>) -> Scope {
    let mut numbers = Vec::new();
    let integers = vec!["a".to_owned(), "b".to_owned(), "(a - 3)".to_owned(), "(b * 1000003LL + 0.0)".to_owned()];
    for _ in 0..making.rng.usize(1..4) {
        let (name, ty, value) = (making.name("x"), any(making), constant(making));
        if making.one_in(3) {
            making.file(format!("static {ty} {name}_start = {value};"));
            making.line(format!("{ty} {name} = {name}_start;"));
        } else {
            making.line(format!("{ty} {name} = {value};"));
        }
        numbers.push((name, ty));
    }
    let record = making.name("R");
    making.file(format!("struct {record} {{ char c; float f; double d[2]; long double l; }};"));
    making.line(format!("struct {record} {record}_o = {{ 1, 2.5f, {{ a / 3.0 }}, b }};"));
    let members = [(".f", TYPES[0]), (".d[0]", TYPES[1]), (".d[a & 1]", TYPES[1]), (".l", TYPES[2])];
    numbers.extend(members.map(|(member, ty)| (format!("{record}_o{member}"), ty)));
    let mut scope = Scope { numbers, integers, functions: Vec::new() };
    for _ in 0..making.rng.usize(..3) {
        let (name, result, types) = (making.name("f"), any(making), [any(making), any(making)]);
        let own = Scope {
            numbers: vec![("p".to_owned(), types[0]), ("q".to_owned(), types[1])],
            integers: vec!["((int) sizeof p)".to_owned()],
            functions: Vec::new(),
        };
        let value = number(making, &own, 2);
        making.file(format!("static {result} {name}({} p, {} q) {{ return {value}; }}", types[0], types[1]));
        scope.functions.push((name, types));
    }
    scope
}

fn any(making: &mut Making<'_>) -> &'static str {
    TYPES[making.rng.usize(..TYPES.len())]
}

/// A constant expression.
fn constant(making: &mut Making<'_>) -> String {
    let (one, other) = (making.pick(&LITERALS).to_owned(), making.pick(&LITERALS).to_owned());
    match making.rng.u8(..4) {
        0 => one,
        1 => format!("({one}) * ({other})"),
        2 => format!("({}) ({one}) - {other}", any(making)),
        _ => format!("(({one}) < ({other}) ? {one} : 3)"),
    }
}

/// A number, of any type.
fn number(making: &mut Making<'_>, scope: &Scope, depth: u32) -> String {
    if depth == 0 || making.one_in(7) {
        return match making.rng.u8(..8) {
            0..=4 => scope.numbers[making.rng.usize(..scope.numbers.len())].0.clone(),
            5 | 6 => format!("({})", making.pick(&LITERALS)),
            _ => scope.integers[making.rng.usize(..scope.integers.len())].clone(),
        };
    }
    let inner = number(making, scope, depth - 1);
    match making.rng.u8(..16) {
        0..=5 => format!("({inner} {} {})", pick(making.rng, &["+", "-", "*"]), number(making, scope, depth - 1)),
        6 | 7 => format!("({inner} / ({}) {})", any(making), number(making, scope, depth - 1)),
        8 => format!("(-{inner})"),
        9 | 10 => format!("(({}) {inner})", any(making)),
        11 => {
            format!("({} ? {inner} : {})", condition(making, scope, depth - 1), number(making, scope, depth - 1))
        }
        12 | 13 if !scope.functions.is_empty() => {
            let (name, _) = &scope.functions[making.rng.usize(..scope.functions.len())];
            format!("{name}({inner}, {})", number(making, scope, depth - 1))
        }
        14 => format!("(({}) {})", any(making), integer(making, &inner)),
        _ => format!("({inner} + {})", condition(making, scope, depth - 1)),
    }
}

/// A number as an integer.
fn integer(making: &mut Making<'_>, number: &str) -> String {
    let (ty, least, most) = INTEGERS[making.rng.usize(..INTEGERS.len())];
    let kept = "$kept";
    format!("({{ long double {kept} = {number}; {kept} > {least} && {kept} < {most} ? ({ty}) {kept} : ({ty}) 7; }})")
}

fn condition(making: &mut Making<'_>, scope: &Scope, depth: u32) -> String {
    let first = number(making, scope, depth);
    match making.rng.u8(..10) {
        0..=5 => {
            let sign = making.pick(&["<", "<=", ">", ">=", "==", "!="]);
            format!("({first} {sign} {})", number(making, scope, depth))
        }
        6 => format!("(!{first})"),
        7 => format!("({first} && {})", number(making, scope, depth)),
        8 => format!("({first} || {})", number(making, scope, depth)),
        _ => format!("((_Bool) {first})"),
    }
}

fn statement(making: &mut Making<'_>, scope: &mut Scope) {
    let (place, ty) = scope.numbers[making.rng.usize(..scope.numbers.len())].clone();
    let value = number(making, scope, 3);
    let text = match making.rng.u8(..12) {
        0..=3 => format!("{place} = {value};"),
        4 | 5 => format!("{place} {} {value};", making.pick(&["+=", "-=", "*=", "/="])),
        6 => format!("{place}{};", making.pick(&["++", "--"])),
        7 => format!("if ({}) {place} = {value}; else {place} = -{place};", condition(making, scope, 2)),
        8 => format!("{{ {ty} q = {value}, *p = &q; *p += 1; {place} = *p; }}"),
        9 => format!(
            "{{ union {{ float f; unsigned u; }} v; v.f = {value}; if (v.f == v.f) {{ v.u ^= {}; \
             if (v.f == v.f) {place} = v.f; }} }}",
            making.pick(&["1", "0x80000000", "0x00400000"])
        ),
        10 => {
            let name = making.name("n");
            let value = integer(making, &value);
            scope.integers.push(format!("((double) {name})"));
            format!("long {name} = {value}; {name} %= 1000; {name} += 1.5;")
        }
        _ => format!("for (int i = 0; i < b; i++) {place} = {place} * 0.5f + {value};"),
    };
    making.line(text);
}
