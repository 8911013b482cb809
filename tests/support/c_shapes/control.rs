//! Where control goes: jumps, cases anywhere, expressions that are statements.

use super::making::Making;

/// A small statement.
fn small(making: &mut Making<'_>) -> String {
    let value = making.value(1);
    match making.rng.u8(..5) {
        0 => "x++;".to_owned(),
        1 => format!("x = {value};"),
        2 => "y = y * 3 + 1;".to_owned(),
        3 => format!("if ({value}) y ^= x;"),
        _ => "y += x;".to_owned(),
    }
}

fn declared(making: &mut Making<'_>) {
    let (first, second) = (making.integer().name, making.integer().name);
    let value = making.value(1);
    making.line(format!("{first} x = {value}; {second} y = 1; int i = 0;"));
    making.places.extend(["x", "y", "i"].map(str::to_owned));
}

/// Cases: ranges, negative ones, inside of loops and blocks, with and without `break`.
pub fn switch(making: &mut Making<'_>) {
    declared(making);
    let value = making.value(1);
    let chosen = making
        .pick(&[
            "a",
            "a - 2",
            "(char) (a * 40)",
            "a + 0L",
            "a * 1000000000LL",
            "(unsigned char) (a - 3)",
            "a & 1u",
            "x",
        ])
        .to_owned();
    let statements: Vec<String> = (0..6).map(|_| small(making)).collect();
    let [s0, s1, s2, s3, s4, s5] = &statements[..] else { return };
    let text = match making.rng.u8(..8) {
        0 => format!("switch ({chosen}) {{ case 0: {s0} case 1 ... 3: {s1} break; default: {s2} case -1: {s3} }}"),
        1 => format!("switch ({chosen}) {{ case 0: do {{ {s0} case 3: {s1} case 2: {s2} }} while (i++ < 2); }}"),
        2 => format!(
            "switch ({chosen}) {{ int z; case 1: z = 4; {s0} break; case 255: {s1} break; case 5: if (b) {{ case 6: {s2} }} else {{ case 7: {s3} }} {s4} }}"
        ),
        3 => format!(
            "for (; i < 3; i++) switch (({chosen}) + i) {{ case 2: continue; case 3: {s0} break; default: {s1} if (b) break; {s2} }}"
        ),
        4 => format!(
            "switch ({chosen}) {{ case 'a': {s0} case 0x80000000: {s1} case -128: {s2} break; case 1: switch (b) {{ case 0: {s3} break; default: {s4} }} {s5} }}"
        ),
        5 => format!("switch ({chosen}) default: {s0}"),
        6 => format!(
            "switch (({value}) & 3) {{ {s0} case 2: {s1} case 0: while (i++ < 2) {{ {s2} if (b) break; case 1: {s3} }} {s4} }}"
        ),
        _ => format!(
            "switch ({chosen}) {{ case 4000000000LL: {s0} case 2: {{ {s1} }} break; case -2 ... 0: {s2} default: ; }}"
        ),
    };
    making.line(text);
    making.observe();
}

/// Jumps: forwards, backwards, into blocks and loops, out of several.
pub fn goto(making: &mut Making<'_>) {
    declared(making);
    let (value, other) = (making.value(1), making.value(1));
    let statements: Vec<String> = (0..4).map(|_| small(making)).collect();
    let [s0, s1, s2, s3] = &statements[..] else { return };
    let text = match making.rng.u8(..8) {
        0 => format!("if ({value}) goto in; if ({other}) {{ {s0} in: {s1} }} else {{ {s2} }}"),
        1 => format!("if ({value}) goto in; while (i < 3) {{ {s0} in: i++; {s1} }}"),
        2 => format!("again: {s0} if (i++ < 2) goto again; {s1}"),
        3 => format!(
            "for (int k = 0; k < 3; k++) for (int j = 0; j < 2; j++) {{ {s0} if ((k + j) == a) goto out; {s1} }} out: {s2}"
        ),
        4 => format!("goto in; {{ int z = 3; {s0} in: z = 5; {s1} y += z; }}"),
        5 => format!("if (b) goto in; for (i = 0; i < 2; i++) {{ {s0} if (0) {{ in: {s1} }} {s2} }}"),
        6 => format!(
            "int k = 0; do {{ if (k == a) goto next; {s0} next: ; }} while (k++ < 2); {s1} if (y & 1) goto end; {s2} end: {s3}"
        ),
        _ => format!("{{ int z = 1; l: z += i; if (i++ < 2) goto l; y = z; }} {s0}"),
    };
    making.line(text);
    making.observe();
}

/// Statements in expressions, commas, and conditions with effects.
pub fn statements(making: &mut Making<'_>) {
    declared(making);
    let value = making.value(1);
    let statements: Vec<String> = (0..3).map(|_| small(making)).collect();
    let [s0, s1, s2] = &statements[..] else { return };
    let text = match making.rng.u8(..12) {
        0 => format!("i = ({{ int z = {value}; {s0} z + 1; }});"),
        1 => format!("i = b ? ({{ {s0} x; }}) : ({{ {s1} y; }});"),
        2 => format!("while (({{ {s0} i++ < 2; }})) {{ {s1} }}"),
        3 => format!("for (;;) {{ i += ({{ if (i > 3) break; {s0} 2; }}); }}"),
        4 => format!("i = ({{ if (b) goto out; {s0} 4; }}); out: {s1}"),
        5 => format!("i = a && ({{ {s0} b; }}) || ({{ {s1} 0; }});"),
        6 => format!("({{ {s0} }}); i = ({{ {s1} (char) ({value}); }});"),
        7 => format!("if (x++, y--, b) {{ {s0} }} else {s1}"),
        8 => format!("i = (x = a, y = x + 1, ({value}));"),
        9 => format!("int z = ({{ int z = 3; {s0} z; }}), *p = &z; i = ({{ p; }})[0] + *({{ {s1} &z; }});"),
        10 => format!("i = a ?: 7; x = ({{ {s0} y; }}) ?: 3; {s2}"),
        _ => {
            format!("struct {{ int f; char g; }} s = {{ a, {value} }}; i = ({{ {s0} s; }}).g + ({{ s.f = 9; s; }}).f;")
        }
    };
    making.line(text);
    making.observe();
}
