//! How many elements there are behind pointers: what callers have to establish, and random functions that move pointers and index them, compiled with
//! a check of their own that knows how long each array is.

use puch::answer::Verdict;
use puch::functions::{Answer, Class};
use puch::nullness::Kind;

use crate::numbers::{Two, fine};
use crate::{asked_all, asked_of, compiled, count, obligations, seeds};

const KINDS: [Kind; 2] = [Kind::Null, Kind::Bounds];

fn demands(text: &str, name: &str, conditions: &[&str]) {
    let answer = asked_of(text, name, 30, &KINDS);
    assert!(matches!(answer.verdict, Verdict::Holds), "{name}: {:?} of {text}", answer.verdict);
    assert_eq!(obligations(&answer), conditions, "{name} of {text}");
}

#[test]
fn how_many_elements_there_must_be_is_an_obligation_of_callers() {
    demands("int f(int *p) { return p[0] + *p; }", "f", &["p != NULL"]);
    demands("int f(int *p) { return p[1]; }", "f", &["p != NULL", "elements(p) > 1"]);
    demands("int f(long *p, int i) { return i < 0 ? 0 : p[i] != 0; }", "f", &["p != NULL", "i < elements(p)"]);
    let sum = "int sum(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s ^= a[i]; return s; }";
    demands(sum, "sum", &["a != NULL", "n <= elements(a)"]);
    demands("void f(short *p, int n) { while (n-- > 0) *p++ = 0; }", "f", &["p != NULL", "n <= elements(p)"]);
    demands(
        "int f(int *a, int n) { return n <= 0 ? 0 : *a ^ f(a + 1, n - 1); }",
        "f",
        &["a != NULL", "n <= elements(a)"],
    );
    demands("long f(long *a, unsigned long n) { return n ? a[n - 1] : 0; }", "f", &["a != NULL", "n <= elements(a)"]);
    demands("struct s { int x; }; int f(struct s *p) { p++; return p->x; }", "f", &["p != NULL", "elements(p) > 1"]);
    demands(
        &format!("{sum} int f(int *a, int n) {{ return n > 2 ? sum(a + 1, n - 1) : 0; }}"),
        "f",
        &["a != NULL", "n <= elements(a)"],
    );
    demands(&format!("{sum} int f(void) {{ int a[3] = {{1}}; return sum(a, 3) + sum(&a[2], 1); }}"), "f", &[]);
}

#[test]
fn what_is_beyond_the_last_element_of_an_array_of_the_program_fails() {
    let sum = "int sum(int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s ^= a[i]; return s; }";
    for call in [
        "int a[3] = {1}; return sum(a, 4);",
        "int a[3] = {1}; int *p = a; p++; return sum(p, 3);",
        "static int m[2][2]; return sum(m[1], 3);",
    ] {
        let answer = asked_of(&format!("{sum} int f(void) {{ {call} }}"), "f", 30, &KINDS);
        assert!(matches!(answer.verdict, Verdict::Violated(_)), "{call}: {:?}", answer.verdict);
        assert_eq!(count(&answer, Kind::Bounds, Class::Fails), 1, "{call}: {:?}", answer.uses);
    }
}

#[test]
fn a_use_that_fails_only_where_there_are_few_elements_is_no_failure_of_the_function() {
    let text = "int f(int *a, unsigned n) { unsigned i = n * n % 7 + n % 5; return a[i] + a[i * i % 6]; }";
    let answer = asked_of(text, "f", 5, &KINDS);
    assert_eq!(count(&answer, Kind::Bounds, Class::Fails), 0, "{answer:?}");
    assert!(!matches!(answer.verdict, Verdict::Violated(_)), "{:?}", answer.verdict);
    let text = "int f(int *a) { int *p = a; a = 0; return p[100000]; }";
    assert_eq!(count(&asked_of(text, "f", 5, &KINDS), Kind::Bounds, Class::Safe), 0);
}

#[test]
fn contracts_say_how_many_elements_there_are() {
    let text = "int g(int *p, int n); int f(int *p, int n) { return n > 0 ? p[n - 1] : 0; }
        int h(int *p) { int a[4] = {0}; return f(a, 4) + f(p, 2); }";
    let contract = "f: requires p != NULL, n <= elements(p)\n";
    let answer = asked_all(text, contract, "f", 30, &KINDS);
    assert!(matches!(answer.verdict, Verdict::Holds) && answer.obligations.is_empty(), "{answer:?}");
    let answer = asked_all(text, contract, "h", 30, &KINDS);
    assert_eq!(obligations(&answer), ["p != NULL", "elements(p) >= 2"], "{answer:?}");
}

/// How many functions a program has.
const FUNCTIONS: usize = 2;

const PARAMETERS: &str = "int *p, long *q, int n, unsigned long m, int b";

/// The text of functions `f0`, `f1`, ….
fn functions(seed: u64) -> Two {
    let mut writer = Writer { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, text: Two::default(), number: 0 };
    let declared = (0..FUNCTIONS).map(|number| format!("int f{number}({PARAMETERS}); ")).collect::<String>();
    writer.text.line(&Two::of("static int own[6]; int ask(void);", "int ask(void);", &[]));
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
        let head = format!("int f{number}({PARAMETERS}) {{ int x = 0, i = 0, j = 0; int *r = p; long *s = q;");
        self.text.line(&Two::of(&format!("{head} int l[4] = {{0}};"), &format!("{head} ARRAY(l, 4);"), &[]));
        for _ in 0..1 + self.below(3) {
            self.statement(1);
        }
        self.text.line(&Two::of("return x; }", "LEAVE; return x; }", &[]));
    }

    /// A pointer.
    fn pointer(&mut self, is_long: bool) -> Two {
        match (is_long, self.below(6)) {
            (true, 0..=2) => Two::both("q"),
            (true, _) => Two::both("s"),
            (false, 0 | 1) => Two::both("p"),
            (false, 2 | 3) => Two::both("r"),
            (false, 4) => Two::both("l"),
            (false, _) => Two::both("own"),
        }
    }

    fn index(&mut self) -> Two {
        self.one(&["i", "i", "n", "n - 1", "0", "1", "3", "m", "m - 1", "j", "n & 3", "i + 1"])
    }

    /// What a pointer leads to.
    fn access(&mut self) -> Two {
        let (is_long, index) = (self.below(3) == 0, self.index());
        let pointer = self.pointer(is_long);
        match self.below(4) {
            0 => Two::of("*#0", "*E(#0, 0)", &[&pointer]),
            _ => Two::of("#0[#1]", "*E(#0, #1)", &[&pointer, &index]),
        }
    }

    fn condition(&mut self) -> Two {
        self.one(&[
            "n > 0",
            "i < 3",
            "m < 4",
            "p",
            "q != 0",
            "x == 1",
            "n < 5",
            "j == i",
            "r",
            "n >= 0 && n < 6",
            "m > 0",
        ])
    }

    fn statement(&mut self, deep: u64) {
        let line = match self.below(if deep > 0 { 13 } else { 8 }) {
            0..=2 => Two::of("x ^= #0;", "x ^= #0;", &[&self.access()]),
            3 => Two::of("#0 = x;", "#0 = x;", &[&self.access()]),
            4 => {
                let (pointer, by) = (self.pointer(false), self.one(&["1", "2", "(n & 3)", "0", "(int)(m & 1)"]));
                Two::of("r = #0 + #1;", "r = U(#0) + #1;", &[&pointer, &by])
            }
            5 => {
                let which = self.one(&["r", "s"]);
                Two::of("#0++;", "U(#0); #0++;", &[&which])
            }
            6 => self.one(&["j = n;", "n--;", "m++;", "j++;", "i = 0;", "x = ask();"]),
            7 => {
                let (pointer, other) = (self.pointer(false), self.pointer(true));
                let call = format!("x = f{}(#0, #1, n, m, b);", self.number.saturating_sub(1));
                match self.number {
                    // The first one calls itself.
                    0 => {
                        let call = "if (b > 0 && b < 3) x = f0(#0, #1, n, m, b - 1);";
                        Two::of(call, call, &[&pointer, &other])
                    }
                    _ => Two::of(&call, &call, &[&pointer, &other]),
                }
            }
            8 | 9 => {
                let condition = self.condition();
                self.text.line(&Two::of("if (#0) {", "if (#0) {", &[&condition]));
                self.statement(deep - 1);
                if self.below(2) == 0 {
                    self.text.line(&Two::both("} else {"));
                    self.statement(deep - 1);
                }
                Two::both("}")
            }
            _ => {
                let bound = self.one(&["n", "m", "3", "j", "6"]);
                let guard = Two::of("i < #0", "F() && i < #0", &[&bound]);
                self.text.line(&Two::of("for (i = 0; #0; i++) {", "for (i = 0; #0; i++) {", &[&guard]));
                self.statement(deep - 1);
                Two::both("}")
            }
        };
        self.text.line(&line);
    }
}

/// The program that calls a function so often with arrays of random lengths that keep its obligations.
fn caller(functions: &Two, number: usize, answer: &Answer, trials: u64) -> String {
    let kept: Vec<String> = answer
        .obligations
        .iter()
        .map(|one| format!("({})", one.condition.replace("NULL", "0").replace("elements(", "EL(")))
        .collect();
    let kept = if kept.is_empty() { "1".to_owned() } else { kept.join(" && ") };
    let kinds: String = Kind::ALL.iter().map(|kind| format!("_{}, ", kind.name().replace('-', "_"))).collect();
    format!(
        "#include <setjmp.h>\n#include <stdio.h>\n#include <limits.h>\n
enum {{ {kinds} ALL, ROOM = 5000 }};
static jmp_buf out; static long fuel; static char failed[10000][ALL];
static struct {{ char *first; long bytes, room; }} array[64]; static int arrays;
static void wrong(int line, int kind) {{ failed[line][kind] = 1; longjmp(out, 1); }}
static void known(void *first, long bytes, long room) {{
    if (arrays >= 64) longjmp(out, 2);
    array[arrays].first = first; array[arrays].bytes = bytes; array[arrays++].room = room;
}}
static long rest(char *at, long *before) {{
    for (int k = arrays - 1; k >= 0; k--) {{
        long from = at - array[k].first;
        if (from >= -array[k].room && from < array[k].room) return *before = from, array[k].bytes - from;
    }}
    longjmp(out, 2);
}}
#define U(p) ({{ __typeof__(p) q_ = (p); if (!q_) wrong(__LINE__, _null); q_; }})
#define E(p, i) ({{ __typeof__(*(p)) *e_ = (p); if (!e_) wrong(__LINE__, _null); __typeof__(i) i_ = (i); long b_; \\
    long r_ = rest((char *)e_, &b_) / (long)sizeof *e_; \\
    if ((__int128)i_ >= r_) wrong(__LINE__, _bounds); \\
    if ((__int128)i_ * (long)sizeof *e_ + b_ < 0) longjmp(out, 2); e_ + i_; }})
#define EL(p) ({{ long b_; (p) ? rest((char *)(p), &b_) / (long)sizeof *(p) : 0; }})
#define ARRAY(l, n) int l##_[2 * ROOM]; int *l = l##_ + ROOM; int mine = arrays; for (int k = 0; k < n; k++) l[k] = 0; known(l, n * sizeof *l, ROOM * sizeof *l)
#define LEAVE arrays = mine
#define F() (++fuel > 2000 ? longjmp(out, 2), 0 : 1)
static int own_[2 * ROOM], ints[2 * ROOM]; static long longs[2 * ROOM];
#define own (own_ + ROOM)
#line 1
{compiled}
static unsigned long long state = 88172645463325252ull;
static unsigned rnd(void) {{ state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state >> 20; }}
int ask(void) {{ return rnd(); }}
int main(void) {{
    long calls = 0;
    for (long trial = 0; trial < {trials}; trial++) {{
        arrays = 0; known(own, 6 * sizeof(int), ROOM * sizeof(int));
        known(ints + ROOM, (1 + rnd() % 7) * sizeof(int), ROOM * sizeof(int));
        known(longs + ROOM, (1 + rnd() % 7) * sizeof(long), ROOM * sizeof(long));
        for (int k = -8; k < 8; k++) own[k] = rnd() % 3, ints[ROOM + k] = rnd() % 3, longs[ROOM + k] = rnd() % 3;
        int n = rnd() % 5 ? (int)(rnd() % 10) - 1 : rnd() % 2 ? INT_MAX - (int)(rnd() % 3) : INT_MIN + (int)(rnd() % 3);
        unsigned long m = rnd() % 5 ? rnd() % 9 : ULONG_MAX - rnd() % 4; int b = rnd() % 5;
        int *p = rnd() % 4 ? rnd() % 4 ? ints + ROOM : own : 0; long *q = rnd() % 4 ? longs + ROOM : 0;
        fuel = 0;
        if (setjmp(out) == 0) {{
            if (!({kept})) continue;
            calls++; f{number}(p, q, n, m, b);
        }}
    }}
    for (int i = 0; i < 10000; i++) for (int k = 0; k < ALL; k++) if (failed[i][k]) printf(\"%d %d\\n\", i, k);
    printf(\"calls %ld\\n\", calls);
}}
",
        compiled = functions.compiled
    )
}

#[test]
fn nothing_beyond_an_array_is_used_by_callers_that_keep_the_obligations_where_nothing_is_said_to_be() {
    let (mut proved, mut obliged, mut seen, mut calls) = (0, 0, 0, 0);
    for seed in seeds::seeds(1..6) {
        let functions = functions(seed);
        for number in 0..FUNCTIONS {
            let answer = asked_of(&functions.read, &format!("f{number}"), 2, &KINDS);
            let fine = fine(&answer);
            let Some(printed) = compiled::printed(&caller(&functions, number, &answer, 40_000), &[]) else {
                return;
            };
            for line in printed.lines() {
                let (line, kind) = line.split_once(' ').expect("two words");
                let kind: usize = kind.parse().expect("a number");
                let Ok(line) = line.parse::<u32>() else {
                    calls += kind;
                    continue;
                };
                seen += 1;
                let at = (line, Kind::ALL[kind]);
                let text = &functions.read;
                assert!(!fine.contains(&at), "seed {seed}, f{number}, {at:?} of\n{text}\n{answer:#?}");
            }
            proved += fine.len();
            obliged += answer.obligations.iter().filter(|one| one.condition.contains("elements(")).count();
        }
    }
    assert!(proved > 0 && obliged > 0 && seen > 0 && calls > 0, "{proved} {obliged} {seen} {calls}");
    eprintln!("{proved} lines proved, {obliged} obligations on elements, {seen} lines seen to fail in {calls} calls");
}
