//! Random C programs with one meaning: they end, they do nothing undefined but signed overflow, and no value depends on what
//! C leaves open. Each has an entry `<prefix>main` that returns an `unsigned long long` made of all that it computed.
//!
//! In an expression at most one variable is changed, and nothing else in it reads that variable; where it calls, the
//! other operands read only locals.

use fastrand::Rng;

use super::c_expressions::{self, Leaves, TYPES};

/// A program as text, all of whose names begin with the prefix.
pub fn program(seed: u64, prefix: &str) -> String {
    let mut making = Making {
        rng: Rng::with_seed(seed),
        prefix: prefix.to_owned(),
        text: String::new(),
        locals: Vec::new(),
        depth: 0,
        index: 0,
        loops: 0,
    };
    making.program();
    making.text
}

struct Making {
    rng: Rng,
    prefix: String,
    text: String,
    /// Integer variables of the function being made: locals whose address nobody takes.
    locals: Vec<String>,
    depth: usize,
    /// The number of the function being made; it calls those after it.
    index: usize,
    loops: usize,
}

/// What expressions of a function read.
struct Reading<'m> {
    making: &'m mut Making,
    /// Locals only, which no call changes.
    local: bool,
}

impl Leaves for Reading<'_> {
    fn rng(&mut self) -> &mut Rng {
        &mut self.making.rng
    }

    fn number(&mut self) -> String {
        self.making.number()
    }

    fn readable(&mut self) -> String {
        self.making.readable(self.local)
    }

    fn variable(&mut self) -> String {
        self.making.local()
    }
}

const FUNCTIONS: usize = 4;

impl Making {
    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.rng.usize(..list.len())]
    }

    fn line(&mut self, text: &str) {
        self.text += &"  ".repeat(self.depth);
        self.text += text;
        self.text.push('\n');
    }

    fn program(&mut self) {
        let p = self.prefix.clone();
        self.line(&format!("struct {p}S {{ signed char a; unsigned b : 5; int c : 7; long d; short e[2]; }};"));
        self.line(&format!("union {p}U {{ unsigned i; unsigned char c[4]; short s; }};"));
        self.line(&format!("enum {p}E {{ {p}A, {p}B = 7, {p}C }};"));
        for index in 0..4 {
            let (ty, value) = (self.pick(&TYPES), self.number());
            self.line(&format!("{ty} {p}g{index} = {value};"));
        }
        self.line(&format!("int {p}array[8] = {{1, 2, [5] = 3}};"));
        self.line(&format!("unsigned char {p}text[] = \"a\\x80z\";"));
        self.line(&format!("struct {p}S {p}s = {{.c = -3, .e = {{1}}}};"));
        self.line(&format!("union {p}U {p}u;"));
        for index in 0..FUNCTIONS {
            self.line(&format!("long long {p}f{index}(int d, short x, unsigned y);"));
        }
        self.line(&format!("struct {p}S {p}make(int v, struct {p}S s) {{ s.a = v; s.b += v; s.c ^= v; s.d -= v; s.e[v & 1]++; return s; }}"));
        self.line(&format!("int {p}half(int v) {{ return v / 2; }}"));
        self.line(&format!("int {p}inverse(int v) {{ return ~v; }}"));
        for index in 0..FUNCTIONS {
            self.function(index);
        }
        self.entry();
    }

    fn function(&mut self, index: usize) {
        let p = self.prefix.clone();
        self.index = index;
        self.loops = 0;
        self.locals = vec!["x".into(), "y".into()];
        self.line(&format!("long long {p}f{index}(int d, short x, unsigned y) {{"));
        self.depth = 1;
        self.line("static int count = 3;");
        let number = self.number();
        self.line(&format!("int t = {number}; int *p = &t; int m[8] = {{1, -1}}; int (*fp)(int) = {p}half;"));
        self.line(&format!("struct {p}S o = {p}s; union {p}U w; w.i = y;"));
        for local in 0..3 {
            let ty = self.pick(&TYPES);
            let value = self.pure(2);
            self.line(&format!("{ty} v{local} = {value};"));
            self.locals.push(format!("v{local}"));
        }
        self.line("if (d <= 0) return x;");
        for _ in 0..self.rng.usize(4..9) {
            self.statement(2);
        }
        let sum = self.pure(2);
        self.line(&format!(
            "count++; return {sum} + t + *p + m[x & 7] + o.a + o.b + o.c + o.d + o.e[1] + w.c[2] + count;"
        ));
        self.depth = 0;
        self.line("}");
    }

    fn entry(&mut self) {
        let p = self.prefix.clone();
        self.line(&format!("unsigned long long {p}main(void) {{"));
        self.line("  unsigned long long h = 17; int i;");
        for index in 0..FUNCTIONS {
            let (x, y) = (self.number(), self.number());
            self.line(&format!("  h = h * 31 + (unsigned long long) {p}f{index}(3, {x}, {y});"));
        }
        for index in 0..4 {
            self.line(&format!("  h = h * 31 + (unsigned long long) {p}g{index};"));
        }
        self.line(&format!("  for (i = 0; i < 8; i++) h = h * 31 + {p}array[i];"));
        self.line(&format!(
            "  h = h * 31 + {p}text[0] + {p}text[1] + {p}u.s + {p}s.a + {p}s.b + {p}s.c + {p}s.d + sizeof({p}s);"
        ));
        self.line("  return h;");
        self.line("}");
    }

    fn number(&mut self) -> String {
        match self.rng.u8(..10) {
            0..=3 => self.rng.i32(-9..10).to_string(),
            4 => self.rng.i32(-300..300).to_string(),
            5 => format!("{}u", self.rng.u32(..)),
            6 => format!("0x{:x}", self.rng.u32(..)),
            7 => format!("{}L", self.rng.i64(-1 << 40..1 << 40)),
            8 => self
                .pick(&["'a'", "'\\377'", "2147483647", "(-2147483647 - 1)", "0xffffffffffffffffULL", "0200"])
                .into(),
            _ => {
                let constant = self.pick(&["A", "B", "C"]);
                format!("{}{constant}", self.prefix)
            }
        }
    }

    fn local(&mut self) -> String {
        let index = self.rng.usize(..self.locals.len());
        self.locals[index].clone()
    }

    /// A place that can be read: `local` excludes what calls may change.
    fn readable(&mut self, local: bool) -> String {
        let p = self.prefix.clone();
        if local || self.rng.bool() {
            return self.local();
        }
        match self.rng.u8(..10) {
            0..=3 => format!("{p}g{}", self.rng.u8(..4)),
            4 => format!("{p}array[{} & 7]", self.local()),
            5 => format!("m[(unsigned char) {} & 7]", self.local()),
            6 => self.pick(&["*p", "t", "o.a", "o.b", "o.c", "o.d", "o.e[1]", "(&o)->e[0]", "w.c[1]", "w.s"]).into(),
            7 => format!("{p}text[{}]", self.rng.u8(..3)),
            8 => format!("{p}s.{}", self.pick(&["a", "b", "c", "d", "e[0]"])),
            _ => "(&m[1])[2]".into(),
        }
    }

    /// An expression without effects.
    fn pure(&mut self, depth: u32) -> String {
        self.expression(depth, false)
    }

    /// An expression without effects, which reads only locals if so wanted.
    fn expression(&mut self, depth: u32, local: bool) -> String {
        c_expressions::expression(&mut Reading { making: self, local }, depth)
    }

    /// An expression in which one local is changed, and nothing else reads it.
    fn effectful(&mut self) -> String {
        let index = self.rng.usize(..self.locals.len());
        let v = self.locals.swap_remove(index);
        let a = self.expression(2, true);
        let b = self.expression(1, true);
        self.locals.push(v.clone());
        let effect = match self.rng.u8(..6) {
            0 => format!("{v}++"),
            1 => format!("--{v}"),
            2 => format!("({v} = {b})"),
            3 => format!("({v} {}= {b})", self.pick(&["+", "-", "*", "&", "|", "^"])),
            4 => format!("({v} <<= 2)"),
            _ => format!("({v}++, {v} + 1)"),
        };
        match self.rng.u8(..6) {
            0 => format!("({a} && {effect})"),
            1 => format!("({a} || {effect})"),
            2 => format!("({a} ? {effect} : {b})"),
            3 => format!("({effect} - {a})"),
            4 => format!("({a} + {effect})"),
            _ => format!("({a}, {effect})"),
        }
    }

    fn call(&mut self) -> String {
        let p = self.prefix.clone();
        let (x, y) = (self.pure(1), self.pure(1));
        let index = if self.index + 1 < FUNCTIONS { self.rng.usize(self.index + 1..FUNCTIONS) } else { self.index };
        match self.rng.u8(..4) {
            0 => format!("{p}f{}(d - 1, {x}, {y})", self.index),
            1 => format!("fp({x})"),
            2 => format!("(*{p}inverse)({x})"),
            _ => format!("{p}f{index}(d - 1, {x}, {y})"),
        }
    }

    fn block(&mut self, depth: u32) {
        self.depth += 1;
        for _ in 0..self.rng.usize(1..4) {
            self.statement(depth);
        }
        self.depth -= 1;
    }

    fn target(&mut self) -> String {
        let p = self.prefix.clone();
        match self.rng.u8(..9) {
            0..=3 => self.local(),
            4 => format!("{p}g{}", self.rng.u8(..4)),
            5 => format!("{p}array[{} & 7]", self.local()),
            6 => format!("m[{} & 7]", self.rng.u8(..8)),
            7 => self.pick(&["(*p)", "t", "o.a", "o.b", "o.c", "o.d", "o.e[0]", "w.c[3]", "w.s", "w.i"]).into(),
            _ => format!("{p}s.{}", self.pick(&["a", "b", "c", "d"])),
        }
    }

    fn statement(&mut self, depth: u32) {
        let p = self.prefix.clone();
        match self.rng.u8(..if depth == 0 { 9 } else { 16 }) {
            0 | 1 => {
                let (to, e) = (self.target(), self.pure(3));
                self.line(&format!("{to} = {e};"));
            }
            2 => {
                let (to, e) = (self.target(), self.pure(2));
                let op = self.pick(&["+=", "-=", "*=", "&=", "|=", "^="]);
                self.line(&format!("{to} {op} {e};"));
            }
            3 => {
                let to = self.target();
                let text = match self.rng.u8(..4) {
                    0 => format!("{to}++;"),
                    1 => format!("--{to};"),
                    2 => format!("{to} >>= ({} & 3);", self.local()),
                    _ => format!("{to} /= {};", self.pick(&["3", "-7", "2u", "100L"])),
                };
                self.line(&text);
            }
            4 => {
                let e = self.effectful();
                self.line(&format!("t = {e};"));
            }
            5 => {
                let (call, e) = (self.call(), self.expression(1, true));
                let text = match self.rng.u8(..3) {
                    0 => format!("t = {call};"),
                    1 => format!("t = {e} + {call};"),
                    _ => format!("t = {call} * {e};"),
                };
                self.line(&text);
            }
            6 => {
                let text = match self.rng.u8(..5) {
                    0 => format!("p = &{p}array[{} & 7];", self.local()),
                    1 => "p = &t;".into(),
                    2 => format!("p = m + ({} & 3); p += 2; *p++ = {}; --p;", self.local(), self.expression(1, true)),
                    3 => format!("t = (int) (p - p) + (p == &t) + (&m[3] > &m[{}]);", self.rng.u8(..8)),
                    _ => format!("fp = t & 1 ? {p}half : &{p}inverse;"),
                };
                self.line(&text);
            }
            7 => {
                let v = self.pure(1);
                let text = match self.rng.u8(..3) {
                    0 => format!("o = {p}make({v}, {p}s);"),
                    1 => format!("{p}s = o; o.e[0] = {v};"),
                    _ => format!("{p}u.i = {v}; t = {p}make(t, o).c;"),
                };
                self.line(&text);
            }
            8 => {
                let e = self.effectful();
                self.line(&format!("{e};"));
            }
            9 | 10 => {
                let condition = if self.rng.bool() { self.effectful() } else { self.pure(2) };
                self.line(&format!("if ({condition}) {{"));
                self.block(depth - 1);
                if self.rng.bool() {
                    self.line("} else {");
                    self.block(depth - 1);
                }
                self.line("}");
            }
            11 | 12 => self.turns(depth),
            13 | 14 => self.switch(depth),
            _ => {
                let (label, condition) = (self.loops, self.pure(1));
                self.loops += 1;
                self.line(&format!("if ({condition}) goto l{label};"));
                self.block(depth - 1);
                self.line(&format!("l{label}: ;"));
            }
        }
    }

    fn turns(&mut self, depth: u32) {
        let (counter, turns) = (format!("i{}", self.loops), self.rng.u8(1..4));
        self.loops += 1;
        let kind = self.rng.u8(..3);
        match kind {
            0 => self.line(&format!("for (int {counter} = 0; {counter} < {turns}; {counter}++) {{")),
            1 => self.line(&format!("{{ int {counter} = {turns}; while ({counter}-- > 0) {{")),
            _ => self.line(&format!("{{ unsigned char {counter} = {turns}; do {{")),
        }
        self.block(depth - 1);
        if self.rng.bool() {
            let condition = self.pure(1);
            let leave = self.pick(&["break", "continue"]);
            self.line(&format!("if ({condition}) {leave};"));
        }
        self.line(
            match kind {
                0 => "}".to_owned(),
                1 => "} }".to_owned(),
                _ => format!("}} while (--{counter}); }}"),
            }
            .as_str(),
        );
    }

    fn switch(&mut self, depth: u32) {
        let value = self.pure(2);
        self.line(&format!("switch (({value}) & 7) {{"));
        for case in 0..self.rng.u8(1..6) {
            let text = match self.rng.u8(..5) {
                0 if case == 2 => "default:".to_owned(),
                1 if case == 4 => "case 6 ... 7:".to_owned(),
                _ => format!("case {case}:"),
            };
            self.line(&text);
            self.block(depth - 1);
            if self.rng.bool() {
                self.line("  break;");
            }
        }
        self.line("}");
    }
}
