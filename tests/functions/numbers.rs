//! Random functions over numbers, arrays and structures, and a program that calls one of them with random numbers that keep its obligations: where
//! it is said that nothing goes wrong, nothing does. Each expression is made twice: as it is read, and as it is compiled, with a check of its own.

use std::fmt::Write;

use puch::functions::{Answer, Class};
use puch::nullness::Kind;

/// How many functions a program has.
pub const FUNCTIONS: usize = 3;

const HEAD: &str = "struct S { int n; int d[4]; unsigned char k; }; \
int g; static int t[8]; static long w; static struct S own; int ask(void); void reach_error(void); \
static const signed char c[8] = {1, 0, 7, 3, 2}; \
static const struct { short m; int k[2]; const int *p; } e[4] = {{3, {1, 2}, &g}, {1, {4, 7}, &g}, {-2, {5, 9}, &g}, {2, {5, 1}}};\n";

const PARAMETERS: &str = "int a, int b, unsigned u, struct S *s";

/// A text as it is read, and as it is compiled.
#[derive(Clone, Default)]
pub struct Two {
    /// As it is read.
    pub read: String,
    pub compiled: String,
}

impl Two {
    pub fn both(text: impl Into<String>) -> Two {
        let read = text.into();
        Two { compiled: read.clone(), read }
    }

    /// The operands in a text for each.
    pub fn of(read: &str, compiled: &str, operands: &[&Two]) -> Two {
        let mut two = Two { read: read.to_owned(), compiled: compiled.to_owned() };
        for (at, operand) in operands.iter().enumerate() {
            let hole = format!("#{at}");
            two.read = two.read.replace(&hole, &operand.read);
            two.compiled = two.compiled.replace(&hole, &operand.compiled);
        }
        two
    }

    pub fn line(&mut self, line: &Two) {
        let _ = writeln!(self.read, "{}", line.read);
        let _ = writeln!(self.compiled, "{}", line.compiled);
    }
}

/// The text of functions `f0`, `f1`, ….
pub fn functions(seed: u64) -> Two {
    let mut writer = Writer { state: seed.wrapping_mul(0xD134_2543_DE82_EF95) | 1, text: Two::default(), number: 0 };
    let declared = (0..FUNCTIONS).map(|number| format!("int f{number}({PARAMETERS}); ")).collect::<String>();
    writer.text.line(&Two::both(HEAD.trim_end()));
    writer.text.line(&Two::both(declared));
    for number in 0..FUNCTIONS {
        writer.function(number);
    }
    writer.text
}

struct Writer {
    state: u64,
    text: Two,
    number: usize,
}

impl Writer {
    fn below(&mut self, bound: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 20) % bound
    }

    fn one(&mut self, of: &[&str]) -> Two {
        Two::both(of[self.below(of.len() as u64) as usize])
    }

    fn function(&mut self, number: usize) {
        self.number = number;
        self.text.line(&Two::both(format!(
            "int f{number}({PARAMETERS}) {{ int x = 0, i = 0; int l[5] = {{0}}; long y = 0;"
        )));
        for _ in 0..1 + self.below(4) {
            self.statement(2);
        }
        self.text.line(&Two::both("return x; }"));
    }

    fn structure(&mut self) -> Two {
        match self.below(3) {
            0 => Two::both("own"),
            _ => Two::of("(*s)", "(*U(s))", &[]),
        }
    }

    /// A place for an `int`.
    fn place(&mut self, deep: u64) -> Two {
        match self.below(if deep > 0 { 10 } else { 4 }) {
            0..=3 => self.one(&["x", "i", "a", "g"]),
            4 | 5 => {
                let at = self.value(deep - 1);
                Two::of("t[#0]", "t[I(#0, 8)]", &[&at])
            }
            6 => {
                let at = self.one(&["a", "i", "u", "b"]);
                Two::of("l[#0]", "l[I(#0, 5)]", &[&at])
            }
            7 => {
                let structure = self.structure();
                Two::of("#0.n", "#0.n", &[&structure])
            }
            _ => {
                let (structure, at) = (self.structure(), self.one(&["a", "i", "x", "own.n", "u"]));
                Two::of("#0.d[#1]", "#0.d[I(#1, 4)]", &[&structure, &at])
            }
        }
    }

    /// An `int`.
    fn value(&mut self, deep: u64) -> Two {
        if deep == 0 {
            return match self.below(4) {
                0 => Two::both((self.below(12) as i64 - 2).to_string()),
                1 => self.one(&["own.k", "(int)(u & 7)", "ask()"]),
                _ => self.one(&["a", "b", "x", "i", "g"]),
            };
        }
        let (a, b) = (self.value(deep - 1), self.value(deep - 1));
        match self.below(22) {
            0..=2 => self.place(deep),
            3 => Two::of("(#0 / #1)", "D(#0, #1)", &[&a, &b]),
            4 => Two::of("(#0 % #1)", "R(#0, #1)", &[&a, &b]),
            5 => Two::of("(#0 + #1)", "A(#0, #1)", &[&a, &b]),
            6 => Two::of("(#0 - #1)", "B(#0, #1)", &[&a, &b]),
            7 => Two::of("(#0 * #1)", "M(#0, #1)", &[&a, &b]),
            8 => Two::of("(-#0)", "N(#0)", &[&a]),
            9 => Two::of("(int)(1u << #0)", "(int)L(1u, #0)", &[&a]),
            10 => Two::of("(#0 >> #1)", "H(#0, #1)", &[&a, &b]),
            11 => Two::of("(int)(w + #0)", "(int)W(w, #0)", &[&a]),
            12 => Two::of("(int)(u / (unsigned)#0)", "(int)V(u, (unsigned)#0)", &[&a]),
            13 => self.one(&["(int)(u % 8u)", "(int)(unsigned char)a", "(int)(u >> 28)", "(a & 7)", "!b"]),
            14 => Two::of("(#0 & #1)", "(#0 & #1)", &[&a, &b]),
            15 => Two::of("(#0 | #1)", "(#0 | #1)", &[&a, &b]),
            16 => Two::of("(#0 ^ ~#1)", "(#0 ^ ~#1)", &[&a, &b]),
            // The middle of two numbers.
            17 => {
                let (low, high) = [("i", "b"), ("a", "x")][self.below(2) as usize];
                let (read, compiled) = ("(#0 + (#1 - #0) / 2)", "A(#0, D(B(#1, #0), 2))");
                Two::of(read, compiled, &[&Two::both(low), &Two::both(high)])
            }
            18 => Two::of("(#0 < #1)", "(#0 < #1)", &[&a, &b]),
            20 => {
                let at = self.one(&["a & 7", "b & 3", "u % 8u", "u >> 29"]);
                Two::of("c[#0]", "c[#0]", &[&at])
            }
            21 => {
                let at = self.one(&["a & 3", "u % 3u", "u & 1"]);
                let read = self.one(&["e[#].m", "e[#].k[1]", "(e[#].p ? 3 : 0)"]);
                Two::of(&read.read.replace('#', "#0"), &read.read.replace('#', "#0"), &[&at])
            }
            _ => a,
        }
    }

    fn condition(&mut self) -> Two {
        let (a, b) = (self.one(&["a", "b", "i", "x", "g", "own.n", "w"]), self.value(0));
        let op = ["<", "<=", "!=", "==", ">", ">="][self.below(6) as usize];
        match self.below(8) {
            0 => Two::both("s"),
            1 => self.one(&["u < 8", "u < 32", "s != 0", "a >= 0 && a < 8", "b > 0"]),
            _ => Two::of(&format!("#0 {op} #1"), &format!("#0 {op} #1"), &[&a, &b]),
        }
    }

    fn statement(&mut self, deep: u64) {
        let line = match self.below(if deep > 0 { 12 } else { 6 }) {
            0..=2 => {
                let (to, value) = (self.place(1), self.value(2));
                Two::of("#0 = #1;", "{ int v_ = #1; #0 = v_; }", &[&to, &value])
            }
            3 => {
                let condition = self.condition();
                Two::of("if (!(#0)) reach_error();", "if (!(#0)) C();", &[&condition])
            }
            4 => {
                let value = self.value(1);
                Two::of("w = y = y + #0;", "w = y = W(y, #0);", &[&value])
            }
            5 => {
                let (number, a) = (self.below(FUNCTIONS as u64), self.value(1));
                Two::of(
                    &format!("if (b > 0 && b < 5) x = f{number}(#0, b - 1, u, s);"),
                    &format!("if (b > 0 && b < 5) x = f{number}(#0, b - 1, u, s);"),
                    &[&a],
                )
            }
            6 | 7 => {
                let condition = self.condition();
                self.text.line(&Two::of("if (#0) {", "if (#0) {", &[&condition]));
                self.statement(deep - 1);
                if self.below(2) == 0 {
                    self.text.line(&Two::both("} else {"));
                    self.statement(deep - 1);
                }
                Two::both("}")
            }
            8 | 9 => {
                let (bound, step) = (self.one(&["a", "b", "8", "x", "s->n"]), self.one(&["1", "2", "a", "-1"]));
                let bound = Two { compiled: bound.compiled.replace("s->n", "U(s)->n"), ..bound };
                let op = ["<", "!=", ">="][self.below(3) as usize];
                let (read, compiled) = (format!("while (i {op} #0) {{"), format!("while (F() && i {op} #0) {{"));
                self.text.line(&Two::of(&read, &compiled, &[&bound]));
                self.statement(deep - 1);
                self.text.line(&Two::of("i = i + #0; }", "i = A(i, #0); }", &[&step]));
                Two::default()
            }
            _ => {
                let bound = self.one(&["a", "b", "own.n", "5", "8", "g"]);
                self.text.line(&Two::of(
                    "for (i = 0; i < #0; i++) {",
                    "for (i = 0; F() && i < #0; i = A(i, 1)) {",
                    &[&bound],
                ));
                self.statement(deep - 1);
                Two::both("}")
            }
        };
        self.text.line(&line);
    }
}

/// The lines on which nothing goes wrong in a way, with that way, as far as callers keep the obligations.
pub fn fine(answer: &Answer) -> Vec<(u32, Kind)> {
    let is_fine = |class: &Class| matches!(class, Class::Safe | Class::Obligation);
    let mut all: Vec<(u32, Kind)> = answer.uses.iter().map(|(one, _)| (one.line, one.kind)).collect();
    all.sort_unstable();
    all.dedup();
    let these = |at: &(u32, Kind)| {
        answer.uses.iter().filter(|(one, _)| (one.line, one.kind) == *at).all(|(_, class)| is_fine(class))
    };
    all.into_iter().filter(these).collect()
}

/// The program that calls a function so often with random numbers that keep its obligations, and prints the lines on which something went wrong,
/// with the number of the way, and how many calls there were.
pub fn caller(functions: &Two, number: usize, answer: &Answer, trials: u64) -> String {
    let kept: Vec<String> = answer.obligations.iter().map(|one| condition(&one.condition)).collect();
    let kept = if kept.is_empty() { "1".to_owned() } else { kept.join(" && ") };
    let kinds: String = Kind::ALL.iter().map(|kind| format!("_{}, ", kind.name().replace('-', "_"))).collect();
    format!(
        "#include <setjmp.h>\n#include <stdio.h>\n#include <limits.h>\n
enum {{ {kinds} ALL }};
static jmp_buf out; static long fuel; static char failed[10000][ALL];
static void wrong(int line, int kind) {{ failed[line][kind] = 1; longjmp(out, 1); }}
#define U(p) ({{ __typeof__(p) q_ = (p); if (!q_) wrong(__LINE__, _null); q_; }})
#define I(i, n) ({{ __typeof__(i) i_ = (i); if (i_ < 0 || i_ >= n) wrong(__LINE__, _bounds); i_; }})
#define Q(a, b, op) ({{ int a_ = (a), b_ = (b); if (!b_) wrong(__LINE__, _division); if (a_ == INT_MIN && b_ == -1) wrong(__LINE__, _overflow); a_ op b_; }})
#define D(a, b) Q(a, b, /)
#define R(a, b) Q(a, b, %)
#define V(a, b) ({{ unsigned a_ = (a), b_ = (b); if (!b_) wrong(__LINE__, _division); a_ / b_; }})
#define O(a, b, op, ty) ({{ ty a_ = (a), b_ = (b), r_; if (__builtin_##op##_overflow(a_, b_, &r_)) wrong(__LINE__, _overflow); r_; }})
#define A(a, b) O(a, b, add, int)
#define B(a, b) O(a, b, sub, int)
#define M(a, b) O(a, b, mul, int)
#define W(a, b) O(a, b, add, long)
#define N(a) O(0, a, sub, int)
#define L(a, b) ({{ int b_ = (b); if (b_ < 0 || b_ >= 32) wrong(__LINE__, _shift); (a) << b_; }})
#define H(a, b) ({{ int a_ = (a), b_ = (b); if (b_ < 0 || b_ >= 32) wrong(__LINE__, _shift); a_ >> b_; }})
#define C() wrong(__LINE__, _assert)
#define F() (++fuel > 2000 ? longjmp(out, 2), 0 : 1)
#line 1
{compiled}
static unsigned long long state = 88172645463325252ull;
static unsigned rnd(void) {{ state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state >> 20; }}
static int ri(void) {{
    switch (rnd() % 8) {{ case 0: return INT_MAX - (int)(rnd() % 3); case 1: return INT_MIN + (int)(rnd() % 3); case 2: return rnd();
    case 3: return 28 + (int)(rnd() % 6); default: return (int)(rnd() % 13) - 3; }}
}}
int ask(void) {{ return ri(); }}
int main(void) {{
    long calls = 0; static struct S other;
    for (long trial = 0; trial < {trials}; trial++) {{
        for (int i = 0; i < 8; i++) t[i] = ri();
        for (int i = 0; i < 4; i++) own.d[i] = ri(), other.d[i] = ri();
        own.n = ri(); other.n = ri(); own.k = rnd(); other.k = rnd(); g = ri(); w = rnd() % 3 ? ri() : rnd() % 2 ? LONG_MAX - rnd() % 9 : LONG_MIN + rnd() % 9;
        int a = ri(), b = ri(); unsigned u = ri(); struct S *s = rnd() % 3 ? rnd() % 2 ? &own : &other : 0;
        if (!({kept})) continue;
        fuel = 0; calls++;
        if (setjmp(out) == 0) f{number}(a, b, u, s);
    }}
    for (int i = 0; i < 10000; i++) for (int k = 0; k < ALL; k++) if (failed[i][k]) printf(\"%d %d\\n\", i, k);
    printf(\"calls %ld\\n\", calls);
}}
",
        compiled = functions.compiled
    )
}

/// A condition that says nothing where there is no object.
fn condition(text: &str) -> String {
    match text.contains("s->") || text.contains("*s") {
        true => format!("(!s || {text})").replace("NULL", "0"),
        false => format!("({text})").replace("NULL", "0"),
    }
}
