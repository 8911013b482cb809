//! What has no meaning for some inputs: quotients, shifts and sums, also where nobody uses them.

use super::making::Making;

/// An expression that has no meaning for some inputs.
fn partial(making: &mut Making<'_>) -> String {
    let divisor = making.pick(&[
        "a",
        "b",
        "(a - 3)",
        "(a & b)",
        "(b - a)",
        "x",
        "(x - 2)",
        "(long) a",
        "(unsigned char) (a - 1)",
    ]);
    let divided = making.pick(&["7", "x", "a", "100u", "-5L", "x + 1"]);
    let amount = making.pick(&["(a * 5)", "(a - 1)", "(x)", "(b + 31)", "(a * 9)"]);
    let shifted = making.pick(&["1", "x", "a", "1u", "-1", "1L", "1000"]);
    match making.rng.u8(..10) {
        0..=2 => format!("<|{divided}|> / {divisor}"),
        3..=4 => format!("<|{divided}|> % {divisor}"),
        5 => format!("<|{shifted}|> << {amount}"),
        6 => format!("<|{shifted}|> >> {amount}"),
        // Compilers compare without adding, and do not look at the sum.
        7 => format!("<|x + {}|>", making.pick(&["2147483645", "2147483600", "x", "a"])),
        8 => format!("t[{}]", making.pick(&["a", "x", "a - 1", "b"])),
        _ => format!("<|-({} - 2147483647 - 1)|>", making.pick(&["a", "b"])),
    }
}

fn declared(making: &mut Making<'_>) {
    let value = making.pick(&["a", "b", "a - 1", "a * b", "3 - a"]).to_owned();
    making.line(format!("int x = {value}, y = a, t[6] = {{1, 2, 3}};"));
    making.places.extend(["x", "y", "t[1]"].map(str::to_owned));
}

/// Values that are computed and dropped.
pub fn dropped(making: &mut Making<'_>) {
    declared(making);
    for _ in 0..making.rng.usize(1..4) {
        let e = format!("{{|{}|}}", partial(making));
        let text = match making.rng.u8(..16) {
            0..=2 => format!("{e};"),
            3 => format!("(void) {e};"),
            4 => format!("y = ({e}, 3);"),
            5 => format!("for ({e}; y < 3; y++) ;"),
            6 => format!("for (int i = 0; i < 2; {e}, i++) y += i;"),
            7 => format!("for (int i = 0; {e}, i < b; i++) y++;"),
            8 => format!("switch ({e}) {{}}"),
            9 => format!("if (a > 2) {e}; else y = 4;"),
            10 => format!("b ? (void) {e} : (void) 0;"),
            11 => format!("y && {e};"),
            12 => format!("{e}, y = 2;"),
            13 => format!("if ({e}) {{}}"),
            14 => format!("y = ({{ {e}; 5; }});"),
            _ => format!("while ({e}, y > 4) y--;"),
        };
        making.line(text);
        if making.one_in(3) {
            let value = making.value(1);
            let to = making.pick(&["x", "y"]);
            making.line(format!("{to} = {value};"));
        }
    }
    making.observe();
}

/// Values that have no meaning for some inputs, and are used.
pub fn divided(making: &mut Making<'_>) {
    declared(making);
    for _ in 0..making.rng.usize(1..3) {
        let e = partial(making);
        let text = match making.rng.u8(..6) {
            0 | 1 => format!("y = {e};"),
            2 => format!("if (({e}) > 3) y = 8;"),
            3 => format!("y = a > 3 ? {e} : 2;"),
            4 => format!("y = b && {e};"),
            _ => format!("y += sizeof({e});"),
        };
        making.line(text);
    }
    making.observe();
}

/// Shifts of integers of all types, by anything.
pub fn shift(making: &mut Making<'_>) {
    let ty = making.integer();
    let value = making.value(1);
    making.line(format!("{} x = {value};", ty.name));
    making.line("long long y = a;".to_owned());
    for _ in 0..making.rng.usize(1..3) {
        let amount =
            making.pick(&["a", "a * 4", "b + 30", "a + 24", "a - 1", "31", "(char) a", "4", "a * 9L"]).to_owned();
        let text = match making.rng.u8(..7) {
            0 => format!("y = x << ({amount});"),
            1 => format!("x <<= ({amount});"),
            2 => format!("y = x >> ({amount});"),
            3 => format!("x >>= {amount};"),
            4 => format!("y = 1 << ({amount});"),
            5 => format!("y = -1 << ({amount});"),
            _ => format!("y = 5L << ({amount}) | 1u << b;"),
        };
        making.line(text);
    }
    making.places.extend(["x".to_owned(), "y".to_owned()]);
    making.observe();
}
