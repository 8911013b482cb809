//! Random functions that allocate, free and forget to assign, and a program that calls one of them with structures of its own that keep its
//! obligations: where it is said that nothing goes wrong, nothing does. Each text is made twice: as it is read, and as it is compiled, with checks
//! of its own and an allocator that gives no room twice.

use std::fmt::Write;

use puch::functions::Answer;
use puch::nullness::Kind;

use crate::random::kept;

/// What is asked.
pub const KINDS: [Kind; 4] = [Kind::Null, Kind::UseAfterFree, Kind::DoubleFree, Kind::Uninitialised];

/// How many functions a program has.
pub const FUNCTIONS: usize = 2;

const HEAD: &str = "void *malloc(unsigned long); void *realloc(void *, unsigned long); void free(void *);
struct S { int v; struct S *next; int *data; }; struct S *head;";

const PARAMETERS: &str = "struct S *p, int *q, int n";

/// Both texts.
#[derive(Default)]
pub struct Both {
    /// As it is read.
    pub read: String,
    compiled: String,
}

impl Both {
    fn line(&mut self, read: &str, compiled: &str) {
        let _ = writeln!(self.read, "{read}");
        let _ = writeln!(self.compiled, "{compiled}");
    }

    fn same(&mut self, line: &str) {
        self.line(line, line);
    }
}

/// An expression as it is read, and as it is compiled.
type Two = (String, String);

fn same(text: &str) -> Two {
    (text.to_owned(), text.to_owned())
}

/// The text of functions `f0`, `f1`, ….
pub fn functions(seed: u64) -> Both {
    let mut writer =
        Writer { state: seed.wrapping_mul(0xA076_1D64_78BD_642F) | 1, text: Both::default(), guard: None, gone: None };
    HEAD.lines().for_each(|line| writer.text.same(line));
    let declared = (0..FUNCTIONS).map(|number| format!("int f{number}({PARAMETERS}); ")).collect::<String>();
    writer.text.same(&declared);
    for number in 0..FUNCTIONS {
        let (mut plain, mut flagged) = (format!("int f{number}({PARAMETERS}) {{ "), String::new());
        for (local, name) in [("struct S *a", "a"), ("struct S *b", "b"), ("int *c", "c"), ("int x", "x")] {
            let is_set = writer.below(12) != 0;
            plain += &format!("{local}{}; ", if is_set { " = 0" } else { "" });
            flagged += &format!("int {name}_ = {}; ", i32::from(is_set));
        }
        writer.text.line(&plain, &(plain.clone() + &flagged));
        writer.gone = None;
        for _ in 0..writer.below(3) {
            writer.allocate();
        }
        for _ in 0..3 + writer.below(4) {
            writer.statement(1);
        }
        writer.text.same("return 0; }");
    }
    writer.text
}

struct Writer {
    state: u64,
    text: Both,
    /// The variable of which the next line asks first whether it is NULL.
    guard: Option<&'static str>,
    /// The variable that was freed last.
    gone: Option<&'static str>,
}

impl Writer {
    fn below(&mut self, bound: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 20) % bound
    }

    /// A variable that holds a list.
    fn list_name(&mut self) -> &'static str {
        if let Some(gone) = self.gone
            && self.below(2) == 0
        {
            return gone;
        }
        ["p", "a", "a", "a", "b", "b", "head"][self.below(7) as usize]
    }

    /// What a variable holds.
    fn value_of(name: &str) -> Two {
        match name {
            "a" | "b" | "c" | "x" => (name.to_owned(), format!("V({name})")),
            _ => same(name),
        }
    }

    /// A pointer to a structure that is used, as both have it.
    fn used(pointer: &Two) -> Two {
        (format!("({})", pointer.0), format!("U({})", pointer.1))
    }

    fn known(&mut self) -> Two {
        let name = self.guard.unwrap_or_else(|| self.list_name());
        Self::value_of(name)
    }

    fn list(&mut self) -> Two {
        match self.below(8) {
            0..=3 => self.known(),
            4 => same("0"),
            _ => {
                let known = self.known();
                let used = Self::used(&known);
                (format!("{}->next", used.0), format!("{}->next", used.1))
            }
        }
    }

    fn numbers(&mut self) -> Two {
        match self.below(6) {
            0 => same("q"),
            1..=3 => Self::value_of("c"),
            4 => same("(int *) 0"),
            _ => {
                let known = self.known();
                let used = Self::used(&known);
                (format!("{}->data", used.0), format!("{}->data", used.1))
            }
        }
    }

    fn number(&mut self) -> Two {
        match self.below(5) {
            0 => same("n"),
            1 => Self::value_of("x"),
            2 => {
                let known = self.known();
                let used = Self::used(&known);
                (format!("{}->v", used.0), format!("{}->v", used.1))
            }
            3 => {
                let pointer = self.numbers();
                let used = Self::used(&pointer);
                (format!("*{}", used.0), format!("*{}", used.1))
            }
            _ => same(&self.below(4).to_string()),
        }
    }

    /// A line that is only executed where the guard is not NULL, if there is one.
    fn line(&mut self, read: &str, compiled: &str) {
        match self.guard.take().map(Self::value_of) {
            Some(guard) => {
                self.text
                    .line(&format!("if ({}) {{ {read} }}", guard.0), &format!("if ({}) {{ {compiled} }}", guard.1));
            }
            None => self.text.line(read, compiled),
        }
    }

    fn assign(&mut self, to: &str, value: &Two) {
        let flag = matches!(to, "a" | "b" | "c" | "x").then(|| format!(" {to}_ = 1;")).unwrap_or_default();
        let read = format!("{to} = {};", value.0);
        let compiled = format!("{{ __typeof__({to}) v_ = {}; {to} = v_;{flag} }}", value.1);
        self.line(&read, &compiled);
    }

    fn allocate(&mut self) {
        let to = ["a", "a", "b", "head"][self.below(4) as usize];
        self.assign(to, &("malloc(sizeof(struct S))".to_owned(), "M(sizeof(struct S))".to_owned()));
        self.text.same(&format!("if ({to}) {{ {to}->v = n; {to}->next = 0; {to}->data = 0; }}"));
    }

    fn statement(&mut self, deep: u64) {
        let chosen = self.below(if deep > 0 { 16 } else { 11 });
        if matches!(chosen, 3..=10) && self.below(5) != 0 {
            self.guard = Some(self.list_name());
        }
        match chosen {
            0..=2 => self.allocate(),
            3 => {
                let value = self.list();
                let to = self.list_name();
                self.assign(to, &value);
            }
            4 | 5 => {
                let what = match self.below(5) {
                    0 => self.numbers(),
                    1 => self.list(),
                    _ => {
                        let name = self.guard.unwrap_or_else(|| self.list_name());
                        self.gone = Some(name);
                        Self::value_of(name)
                    }
                };
                self.line(&format!("free({});", what.0), &format!("F({});", what.1));
            }
            6 => {
                let value = match self.below(4) {
                    0 => self.numbers(),
                    1 => ("malloc(8)".to_owned(), "M(8)".to_owned()),
                    2 => ("realloc(c, 16)".to_owned(), "R(V(c), 16)".to_owned()),
                    _ => ("c + 1".to_owned(), "V(c) + 1".to_owned()),
                };
                self.assign("c", &value);
            }
            7 => {
                let value = self.number();
                self.assign("x", &value);
            }
            8 => {
                let (known, value) = (self.known(), self.list());
                let used = Self::used(&known);
                self.line(
                    &format!("{}->next = {};", used.0, value.0),
                    &format!("{{ struct S *v_ = {}; {}->next = v_; }}", value.1, used.1),
                );
            }
            9 => {
                let (known, value) = (self.known(), self.numbers());
                let used = Self::used(&known);
                self.line(
                    &format!("{}->data = {};", used.0, value.0),
                    &format!("{{ int *v_ = {}; {}->data = v_; }}", value.1, used.1),
                );
            }
            10 => {
                let (number, list, numbers) = (self.below(FUNCTIONS as u64), self.list(), self.numbers());
                self.line(
                    &format!("if (n > 0) f{number}({}, {}, n - 1);", list.0, numbers.0),
                    &format!("if (n > 0) f{number}({}, {}, n - 1);", list.1, numbers.1),
                );
            }
            11..=14 => {
                let condition = match self.below(3) {
                    0 => same(["n > 1", "n > 0", "n == 2"][self.below(3) as usize]),
                    1 => self.numbers(),
                    _ => self.known(),
                };
                self.text.line(&format!("if ({}) {{", condition.0), &format!("if ({}) {{", condition.1));
                for _ in 0..=self.below(2) {
                    self.statement(deep - 1);
                }
                if self.below(2) == 0 {
                    self.text.same("} else {");
                    self.statement(deep - 1);
                }
                self.text.same("}");
            }
            _ => {
                self.text.line("while (p && n-- > 0) {", "while (p && n-- > 0) {");
                self.statement(deep - 1);
                self.text.line("p = (p)->next;", "p = U(p)->next;");
                self.text.same("}");
            }
        }
    }
}

/// The program that calls a function so often with structures of which no two pointers lead to the same, and prints the lines on which something
/// went wrong, with the number of the way, and how many calls there were.
pub fn caller(functions: &Both, number: usize, answer: &Answer, trials: u64) -> String {
    let kinds: String = KINDS.iter().map(|kind| format!("_{}, ", kind.name().replace('-', "_"))).collect();
    let kept = kept(answer);
    format!(
        "#include <setjmp.h>\n#include <stdio.h>\n#include <string.h>\n
enum {{ {kinds} ALL }};
static jmp_buf out; static long fuel; static char failed[10000][ALL];
static void wrong(int line, int kind) {{ failed[line][kind] = 1; longjmp(out, 1); }}
static unsigned long long state = 88172645463325252ull;
static unsigned rnd(void) {{ state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state >> 20; }}
static _Alignas(16) char arena[1 << 16]; static long used; static char dead[(1 << 16) / 64];
/* Blocks of 64 bytes, 48 of them for what is asked for. */
static void *make(unsigned long n) {{ (void)n; if (used + 64 > sizeof arena) longjmp(out, 2); void *p = arena + used; used += 64; memset(p, 0, 64); dead[(used - 64) / 64] = 0; return p; }}
static void *M(unsigned long n) {{ return rnd() % 4 ? make(n) : 0; }}
static long block(void *p) {{ long at = (char *)p - arena; if (at < 0 || at >= used) longjmp(out, 2); return at; }}
static void *use(void *p, int line) {{
    if (++fuel > 3000) longjmp(out, 2);
    if (!p) wrong(line, _null);
    long at = block(p); if (at % 64 > 40) longjmp(out, 2);
    if (dead[at / 64]) wrong(line, _use_after_free);
    return p;
}}
static void drop(void *p, int line) {{
    if (!p) return;
    long at = block(p); if (at % 64) longjmp(out, 2);
    if (dead[at / 64]) wrong(line, _double_free);
    dead[at / 64] = 1;
}}
static void *again(void *p, unsigned long n, int line) {{
    if (p) {{ long at = block(p); if (at % 64) longjmp(out, 2); if (dead[at / 64]) wrong(line, _double_free); }}
    if (rnd() % 4 == 0) return 0;
    void *q = make(n); if (p) {{ memcpy(q, p, 48); drop(p, line); }} return q;
}}
#define U(p) ((__typeof__(p))use((p), __LINE__))
#define F(p) drop((p), __LINE__)
#define R(p, n) again((p), (n), __LINE__)
#define V(x) (x##_ ? x : (wrong(__LINE__, _uninitialised), x))
#line 1
{compiled}
static int *ri(void) {{ return rnd() % 2 ? make(8) : 0; }}
static struct S *rs(void) {{
    struct S *first = 0;
    for (int k = rnd() % 4; k > 0; k--) {{ struct S *s = make(sizeof *s); s->v = rnd() % 4; s->next = first; s->data = ri(); first = s; }}
    return first;
}}
int main(void) {{
    long calls = 0;
    for (long trial = 0; trial < {trials}; trial++) {{
        used = 0;
        if (setjmp(out)) continue;
        head = rs(); struct S *p = rs(); int *q = ri(); int n = rnd() % 4;
        if (!({kept})) continue;
        fuel = 0; calls++;
        f{number}(p, q, n);
    }}
    for (int i = 0; i < 10000; i++) for (int k = 0; k < ALL; k++) if (failed[i][k]) printf(\"%d %d\\n\", i, k);
    printf(\"calls %ld\\n\", calls);
}}
",
        compiled = functions.compiled
    )
}
