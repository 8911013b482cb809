//! Values of several numbers (GNU C): vectors, computed with lane by lane, and complex numbers.

use super::making::Making;

/// Types of the numbers of vectors, and how many they are.
const VECTORS: [(&str, usize); 9] = [
    ("unsigned", 4),
    ("int", 4),
    ("unsigned short", 8),
    ("signed char", 8),
    ("unsigned char", 4),
    ("unsigned long long", 2),
    ("short", 2),
    ("long", 2),
    ("char", 16),
];

/// A program about vectors of one type.
struct Vectors<'m, 'r> {
    making: &'m mut Making<'r>,
    of: &'static str,
    count: usize,
    /// Vectors that can be read and written.
    places: Vec<String>,
}

impl Vectors<'_, '_> {
    fn place(&mut self) -> String {
        self.places[self.making.rng.usize(..self.places.len())].clone()
    }

    fn index(&mut self) -> String {
        self.making.index(self.count)
    }

    fn small(&mut self) -> String {
        self.making.pick(&["a", "b", "1", "2", "7", "a + b", "a - 3"]).to_owned()
    }

    /// A vector with numbers of which nothing is undefined.
    fn literal(&mut self) -> String {
        let some = self.making.rng.usize(1..=self.count);
        let numbers: Vec<String> = (0..some).map(|_| self.small()).collect();
        format!("{{{}}}", numbers.join(", "))
    }

    /// The same with numbers from 0 to 15.
    fn masked(&mut self, depth: u32) -> String {
        format!("({} & 15)", self.value(depth))
    }

    fn value(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.making.rng.u8(..6) {
                0 => format!("($V) {}", self.literal()),
                1 => "$id($g)".to_owned(),
                _ => self.place(),
            };
        }
        let (x, y) = (self.value(depth - 1), self.value(depth - 1));
        let (m, n) = (self.masked(depth - 1), self.masked(depth - 1));
        let of = self.of;
        match self.making.rng.u8(..17) {
            0 => format!("({m} + {n})"),
            1 => format!("({m} - {n})"),
            2 if of != "char" && of != "signed char" => format!("({m} * {n})"),
            3 => format!("({x} & {y})"),
            4 => format!("({x} | {y})"),
            5 => format!("({x} ^ {y})"),
            6 => format!("(({m} & 3) << ({n} & 3))"),
            7 => format!("({x} >> ({n} & 3))"),
            8 => format!("({m} {} (({n} & 3) + 1))", self.making.pick(&["/", "%"])),
            9 => format!("(-{m})"),
            10 => format!("(~{x})"),
            11 => format!("(($V) ({x} {} {y}))", self.making.pick(&["<", "<=", ">", ">=", "==", "!="])),
            12 => {
                let (number, op) = (self.small(), self.making.pick(&["+", "-", "|", "^"]));
                match self.making.rng.bool() {
                    true => format!("({m} {op} ({of}) ({number}))"),
                    false => format!("(({of}) ({number}) {op} {m})"),
                }
            }
            13 => format!("__builtin_shuffle({x}, {y})"),
            14 => format!("__builtin_shuffle({x}, {y}, {m})"),
            15 => format!("({} ? {x} : {y})", self.making.pick(&["a & 1", "b", "a > 3"])),
            _ => format!("$mix({x}, {}, {y})", self.small()),
        }
    }

    fn statement(&mut self) {
        let depth = self.making.rng.u32(0..3);
        let (place, value) = (self.place(), self.value(depth));
        let line = match self.making.rng.u8(..10) {
            0 | 1 => format!("{place} = {value};"),
            2 => format!("{place} {}= {value};", self.making.pick(&["&", "|", "^"])),
            3 => {
                let (index, number) = (self.index(), self.making.value(1));
                format!("{place}[{index}] = {number};")
            }
            4 => {
                let (index, number) = (self.index(), self.small());
                format!("{place}[{index}] ^= {number};")
            }
            5 => format!("$store(&{place}, {value});"),
            6 => format!("$s.m = $s.n = {value};"),
            7 => format!("for (int i = 0; i < {}; i++) {place}[i] ^= i;", self.count),
            8 => format!("{{ struct $S made = {{1, {value}}}; $s = made; }}"),
            _ => {
                let condition = self.making.pick(&["a & 1", "b", "a > 5"]);
                format!("if ({condition}) {place} = {value};")
            }
        };
        self.making.line(line);
    }
}

/// Vectors: operators lane by lane, with numbers beside them, elements, shuffles, by value.
pub fn vectors(making: &mut Making<'_>) {
    let (of, count) = VECTORS[making.rng.usize(..VECTORS.len())];
    making.file(format!("typedef {of} $V __attribute__((vector_size({count} * sizeof({of}))));"));
    let mut vectors = Vectors { making, of, count, places: vec!["$g".to_owned()] };
    let first = vectors.making.rng.i32(0..9);
    for line in [
        format!("static $V $g = {{{first}, 2}}; struct $S {{ char c; $V m, n; }}; static struct $S $s;"),
        "static $V $id($V v) { return v; } static void $store($V *p, $V v) { *p = v; }".to_owned(),
        "static $V $mix($V v, int k, $V w) { if (k & 1) v = w; v[0] ^= k; return v; }".to_owned(),
    ] {
        vectors.making.file(line);
    }
    let (one, two) = (vectors.literal(), vectors.literal());
    vectors.making.line(format!("$V v = {one}, w = {two}, t[2] = {{{{1}}, {{2, a}}}}, *p = b ? &v : &w;"));
    vectors.making.line("$s.m = v; $s.n = w;".to_owned());
    let own = ["v", "w", "t[1]", "t[a & 1]", "$s.m", "$s.n", "(*p)"];
    vectors.places.extend(own.map(str::to_owned));
    for _ in 0..vectors.making.rng.usize(1..=5) {
        vectors.statement();
    }
    for place in vectors.places.clone() {
        let index = vectors.index();
        vectors.making.places.push(format!("{place}[{index}]"));
    }
    making.observe();
}

/// A complex number, the product with one that is small included.
fn complex(making: &mut Making<'_>, (places, is_floating): (&[&str], bool), depth: u32) -> String {
    if depth == 0 {
        return match making.rng.u8(..6) {
            0 => "(a + 2i)".to_owned(),
            1 => "(b * 1i - 3)".to_owned(),
            2 => making.pick(&["a", "b", "5"]).to_owned(),
            _ => making.pick(places).to_owned(),
        };
    }
    let (x, y) = (complex(making, (places, is_floating), depth - 1), complex(making, (places, is_floating), depth - 1));
    match making.rng.u8(..9) {
        0 | 1 => format!("({x} + {y})"),
        2 => format!("({x} - {y})"),
        3 => format!("({x} * {})", making.pick(&["(1 + 2i)", "2i", "(a - 1i)", "3", "b"])),
        4 => format!("(~{x})"),
        5 => format!("(-{x})"),
        6 => format!("({} ? {x} : {y})", making.pick(&["a & 1", "b", "a > 3"])),
        7 => format!("$turned({x})"),
        _ => format!(
            "(({}) {x})",
            making.pick(&["$Z", "_Complex long double", "_Complex double"][..if is_floating { 3 } else { 1 }])
        ),
    }
}

/// Complex numbers: operators, parts, by value, in structures and arrays.
pub fn complexes(making: &mut Making<'_>) {
    let of = making.pick(&["double", "double", "float", "unsigned", "unsigned long"]).to_owned();
    making.file(format!("typedef _Complex {of} $Z;"));
    making.file("static $Z $g = 2 + 1i; struct $S { char c; $Z m; }; static struct $S $s;".to_owned());
    making.file("static $Z $turned($Z z) { $Z r = z * 1i; __real__ r += 1; return r; }".to_owned());
    making.line("$Z z = a, w = b + 3i, t[2] = {1, 4i}, *p = b ? &z : &w;".to_owned());
    let places = ["z", "w", "t[1]", "t[a & 1]", "$g", "$s.m", "(*p)"];
    for _ in 0..making.rng.usize(1..=4) {
        let depth = making.rng.u32(0..3);
        let (place, value) =
            (making.pick(&places).to_owned(), complex(making, (&places, !of.starts_with("unsigned")), depth));
        let line = match making.rng.u8(..8) {
            0..=2 => format!("{place} = {value};"),
            3 => format!("{place} {}= {};", making.pick(&["+", "-"]), value),
            4 => format!("{} {place} = {};", making.pick(&["__real__", "__imag__"]), making.pick(&["a", "b", "7"])),
            5 => {
                let op = making.pick(&["==", "!="]);
                format!("if ({value} {op} {place}) {place} = 1i; else {place} += 1;")
            }
            6 => format!("if ({value}) {place} = a;"),
            _ => format!("{{ struct $S made = {{1, {value}}}; $s = made; }}"),
        };
        making.line(line);
    }
    for place in places {
        let part = making.pick(&["__real__", "__imag__"]);
        let integer = if of.starts_with("unsigned") { of.clone() } else { "long long".to_owned() };
        making.places.push(format!("(({integer}) {part} {place})"));
    }
    making.observe();
}
