//! Objects with initialisers, and their bytes.

use super::making::Making;
use super::records::{Kinds, record};

/// An object with an initialiser, and what it has become.
pub fn initialised(making: &mut Making<'_>) {
    let storage = making.pick(&["static ", "", "const ", "static const "]).to_owned();
    let value = if storage.contains("static") { "5" } else { "a" };
    let texts: [(&str, &[&str]); 14] = [
        ("char o[] = \"ab\" \"\\0c\\x7f\";", &["sizeof o", "o[0]", "o[3]", "o[4]", "o[5]"]),
        ("char o[3] = \"abc\", p[5] = {\"xy\"};", &["sizeof o", "o[2]", "p[1]", "p[4]"]),
        ("int o[] = {1, [4] = V, 6, [2] = 7, 8};", &["sizeof o", "o[0]", "o[1]", "o[2]", "o[3]", "o[4]", "o[5]"]),
        ("struct { int f; char g[3]; short h; } o = {1, {2, V}, .h = 4, };", &["o.f", "o.g[1]", "o.g[2]", "o.h"]),
        ("struct { int f; struct { char x, y; } g; int h[2]; } o = {1, 2, V, 4};", &["o.f", "o.g.x", "o.g.y", "o.h[0]", "o.h[1]"]),
        ("struct { int f; struct { char x, y; } g; } o[2] = {1, 2, 3, V};", &["o[0].g.y", "o[1].f", "o[1].g.x"]),
        ("struct { int f, g, h; } o = {.h = 3, .f = V, 7};", &["o.f", "o.g", "o.h"]),
        ("struct { int f; union { char c; int i; } u; } o = {V, {.i = 258}};", &["o.f", "o.u.c", "o.u.i"]),
        ("struct { int f; union { char c; int i; }; int g; } o = {V, 3, 9};", &["o.f", "o.c", "o.g"]),
        ("int o[2][3] = {{1}, [1][2] = V, [0][1] = 5};", &["o[0][0]", "o[0][1]", "o[1][2]", "o[1][0]"]),
        ("struct { unsigned f : 3; int : 4; int g : 5; long h : 40; } o = {9, -17, V};", &["o.f", "o.g", "o.h", "sizeof o"]),
        ("struct { int x, y; } o[] = {[1].y = V, [1].x = 2, [0] = {7}};", &["o[0].x", "o[0].y", "o[1].x", "o[1].y", "sizeof o"]),
        ("unsigned char o[4] = {-1, 256 + 3, 1.9, V}; _Bool p = 0.5; int q = -2.7;", &["o[0]", "o[1]", "o[2]", "o[3]", "p", "q"]),
        ("struct { char c; int t[]; } *o = 0; struct { int a[2]; int b; } p = {.a[1] = V, 6};", &["sizeof *o", "p.a[0]", "p.a[1]", "p.b"]),
    ];
    if making.one_in(3) {
        return of_a_record(making, &storage);
    }
    let (text, places) = texts[making.rng.usize(..texts.len())];
    let text: Vec<String> = text.split("; ").map(str::to_owned).collect();
    let text = text.join("; ").replace('V', value);
    let text = if text.matches(';').count() == 1 { format!("{storage}{text}") } else { text };
    making.line(text);
    making.places.extend(places.iter().map(|place| (*place).to_owned()));
    making.observe();
}

/// A record that is initialised by position.
fn of_a_record(making: &mut Making<'_>, storage: &str) {
    let record = record(making, "struct", Kinds { attributes: true, bits: 5 });
    let named: Vec<&String> = record.integers.iter().chain(&record.bits).collect();
    let parts: Vec<String> = named.iter().map(|path| format!(".{path} = {}", making.rng.i32(-9..300))).collect();
    if parts.is_empty() {
        making.places.push(format!("sizeof({})", record.ty));
        return making.observe();
    }
    making.line(format!("{storage}{} o = {{{}}};", record.ty, parts.join(", ")));
    making.places.extend(named.iter().map(|path| format!("o.{path}")));
    making.observe();
}
