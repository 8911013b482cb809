//! `volatile` objects, conversions, pointers.

use super::making::Making;

/// Objects that are `volatile`: memory like any other.
pub fn volatile(making: &mut Making<'_>) {
    let (ty, name) = (making.integer().name, making.name("v"));
    let (first, second) = (making.value(1), making.value(1));
    let text = match making.rng.u8(..8) {
        0 => {
            making.file(format!("volatile {ty} {name};"));
            format!("{name} = {first};")
        }
        1 => {
            making.file(format!("static {ty} volatile {name} = 3;"));
            format!("if (b) {name} += {first};")
        }
        2 => format!("volatile {ty} {name} = {first}; {name}; {name}++;"),
        3 => format!(
            "volatile {ty} {name}s[2] = {{ {first}, 4 }}; {ty} volatile *p = {name}s; {ty} {name} = p[b]; p[0] ^= 1; {name} += {name}s[0];"
        ),
        4 => format!(
            "struct {{ volatile {ty} f; int g; }} {name}s = {{ 1, 2 }}; {name}s.f = {first}; int {name} = {name}s.f + {name}s.g;"
        ),
        5 => format!(
            "volatile struct {{ {ty} f; int g : 5; }} {name}s; {name}s.f = {first}; {name}s.g = a; int {name} = {name}s.f - {name}s.g;"
        ),
        6 => {
            making.file(format!("typedef volatile {ty} {name}t; {name}t {name} = 9;"));
            format!("while ({name} > 6) {name}--;")
        }
        _ => format!("{ty} {name} = {first}; *(volatile {ty} *) &{name} = {second};"),
    };
    making.line(text);
    making.line(format!("long long y = {name} - {name} + (({name} == {name}) << 1);"));
    making.places.extend(["y".to_owned(), name.clone(), name]);
    making.observe();
}

/// Conversions between integers, floating-point numbers, truth values and enumerations, explicit or not.
pub fn converted(making: &mut Making<'_>) {
    let types = [
        "_Bool",
        "char",
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned",
        "long",
        "unsigned long",
    ];
    making.file(
        "enum $E { $N = -1, $P = 5 }; enum $F { $Q = 3000000000u }; enum $G { $R = 7 } __attribute__((packed));"
            .to_owned(),
    );
    for name in ["x", "y"] {
        let (ty, value) = (making.pick(&types).to_owned(), making.value(2));
        making.line(format!("{ty} {name} = {value};"));
    }
    for at in 0..making.rng.usize(1..4) {
        let (to, from) = (making.pick(&["x", "y"]), making.pick(&["x", "y", "a"]));
        let (ty, value) = (making.pick(&types), making.value(1));
        let text = match making.rng.u8(..14) {
            0 => format!("{to} = ({ty}) {from} / 2;"),
            1 => format!("{to} = {from} * 0.5 + a;").replace("{from}", "a"),
            2 => format!("{to} = a + 0.75f;"),
            3 => format!("{to} += ({ty}) {value};"),
            4 => format!("{to} = {from} < (unsigned) -1;"),
            5 => format!("{to} = {from} > -1L;"),
            6 => format!("{to} = b ? {from} : 1u; {to} = (b ? -1 : {from}) < 0;"),
            7 => format!("{to} = (x = y = {value}, x);"),
            8 => format!("{to} = (_Bool) 0.25 + (_Bool) ({value});"),
            9 => format!("enum $E e{at} = b ? $N : $P; {to} = e{at} < 0; enum $F f{at} = a; {to} += f{at} - 9 > 0;"),
            10 => format!("enum $G g{at} = $R; g{at} += a; {to} = g{at} + sizeof g{at};"),
            11 => format!("{to} = sizeof({from} + 'a') + sizeof(b ? {from} : (char) 1) + sizeof(+x);"),
            12 => format!("{to} = -{from} / 2u; {to} ^= ~{from} >> 1;"),
            _ => format!("{to} = (({ty}) ({value}) , ({ty}) {from}) % 5;"),
        };
        making.line(text);
    }
    making.places.extend(["x", "y", "(x < y)", "sizeof(x + y)", "(x + y)", "(-x > y)"].map(str::to_owned));
    making.observe();
}

/// Pointers: into arrays and structures, to pointers, to functions, as conditions, walked with.
pub fn pointers(making: &mut Making<'_>) {
    let ty = making.integer().name;
    let (value, other) = (making.value(1), making.value(1));
    making.line(format!("{ty} t[4] = {{1, 2, 3, 4}}, *p = t + 1, *q = &t[3], **r = b ? &p : &q; int i = 2;"));
    making.file(format!("int $up(int v) {{ return v + 1; }} int $down(int v) {{ return v - 1; }} void $swap({ty} **x, {ty} **y) {{ {ty} *z = *x; *x = *y; *y = z; }}"));
    for _ in 0..making.rng.usize(2..5) {
        let text = match making.rng.u8(..14) {
            0 => format!("*p = {value};"),
            1 => format!("**r = {value};"),
            2 => "if (p < t + 3) *p++ = a;".to_owned(),
            3 => "i = q - p; if (p > q) i = 9;".to_owned(),
            4 => "$swap(&p, &q);".to_owned(),
            5 => "*r = t;".to_owned(),
            6 => format!("{{ int (*f[2])(int) = {{ $up, &$down }}; i = (b ? f[0] : *f[1])({other} & 7); }}"),
            7 => format!("p = q ? &t[{}] : 0; if (!p) i = 5;", making.index(4)),
            8 => format!("{{ struct {{ int f; {ty} *g; }} s = {{ 1, t + 2 }}; *s.g += 3; s.g[1]--; p = s.g; }}"),
            9 => "if (p > t) p[-1] = 8;".to_owned(),
            10 => "i = p == q; i += *r != p; i += !(p && q);".to_owned(),
            11 => "i = (char *) q - (char *) p;".to_owned(),
            12 => format!("{{ char *c = (char *) t; c += sizeof *t; *({ty} *) c = {other}; }}"),
            _ => "{ const char *s = \"h\\0j\" \"kl\"; i = s[a & 3] + sizeof \"h\\0j\"; }".to_owned(),
        };
        making.line(text);
    }
    making.places.extend(["t[0]", "t[1]", "t[2]", "t[3]", "i", "*q", "(p - t)", "**r"].map(str::to_owned));
    making.observe();
}
