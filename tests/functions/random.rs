//! Random functions over pointers, lists, characters and globals, and a program that calls one of them in random states that keep its obligations: where a
//! pointer is said not to be NULL, it never is.

use std::fmt::Write;

use puch::functions::{Answer, Class};

/// What both texts begin with: each use of a pointer is one of `U`.
const HEAD: &str = "struct S { int v; struct S *next; int *data; char *at; };
int gx; char *gc; static char *sc; int *gp; static int *sp; struct S *head; static struct S *cur; static struct S own; struct G { struct S *l; int n; int *x; } all;
static int lasts(struct S *s) { struct S *r; if (!s) return 0; r = U(s)->next; if (!r || U(r)->v < 0) return 0; return 1; }
static int lacks(struct S *s, int *x) { int no = s == 0; if (!x || U(s)->v > 1) no = 1; return no; }
static void wipe(char *c, int n) { for (int i = 0; i < n; i++) U(c)[i] = 0; }
static void zero(void *to, int n) { char *c = to; for (int i = 0; i < n; i++) U(c)[i] = 0; }
static char *bytes(void *of) { return of; }
static struct S *same(struct S *s) { if (s) U(s)->v = 1; else s = all.l; return s; }
void other(void); int ask(void); void take(struct S *p); void give(int **p);
";

/// How many functions a program has.
pub const FUNCTIONS: usize = 3;

/// What each of them takes.
pub const PARAMETERS: &str = "struct S *p, int *q, struct S **pp, int n, void (*h)(void)";

/// The text of functions `f0`, `f1`, ….
pub fn functions(seed: u64) -> String {
    let mut writer = Writer { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, text: String::new(), number: 0 };
    for number in 0..FUNCTIONS {
        writer.function(number);
    }
    let declared = (0..FUNCTIONS).map(|number| format!("int f{number}({PARAMETERS});\n")).collect::<String>();
    format!("{HEAD}{declared}{}", writer.text)
}

/// The same as it is read: what uses a pointer does no more.
pub fn read(functions: &str) -> String {
    format!("#define U(p) (p)\n{functions}")
}

struct Writer {
    state: u64,
    text: String,
    number: usize,
}

impl Writer {
    fn below(&mut self, bound: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 20) % bound
    }

    fn one(&mut self, of: &[&str]) -> String {
        of[self.below(of.len() as u64) as usize].to_owned()
    }

    fn function(&mut self, number: usize) {
        self.number = number;
        let _ = writeln!(self.text, "int f{number}({PARAMETERS}) {{\nstruct S *a = 0; int *b = 0; int m = 0;");
        let count = 2 + self.below(4);
        for _ in 0..count {
            self.statement(2);
        }
        self.text += "return n;\n}\n";
    }

    /// An expression for a list.
    fn list(&mut self) -> String {
        match self.below(14) {
            0..=2 => "p".into(),
            3 | 4 => "a".into(),
            12 => "all.l".into(),
            13 => format!("same({})", self.known()),
            5 => "head".into(),
            6 => "cur".into(),
            7 => "&own".into(),
            8 => "0".into(),
            9 => "*U(pp)".into(),
            _ => format!("U({})->next", self.one(&["p", "a", "head", "cur"])),
        }
    }

    /// One that is a variable.
    fn known(&mut self) -> String {
        self.one(&["p", "p", "p", "a", "a", "a", "head", "cur", "all.l"])
    }

    /// A pointer to a number that is a variable.
    fn counted(&mut self) -> String {
        self.one(&["q", "b", "gp", "sp", "all.x"])
    }

    /// An expression for a pointer to a number.
    fn pointer(&mut self) -> String {
        match self.below(10) {
            0..=2 => "q".into(),
            3 => "b".into(),
            4 => "gp".into(),
            5 => "sp".into(),
            6 => "&gx".into(),
            7 => format!("&U({})->v", self.known()),
            8 => "0".into(),
            _ => format!("U({})->data", self.known()),
        }
    }

    /// An expression for a pointer to characters, of which there are as many as a pointer has.
    fn characters(&mut self) -> String {
        match self.below(10) {
            0 | 1 => "gc".into(),
            2 => "sc".into(),
            3 => format!("U({})->at", self.known()),
            4 => format!("(char *)&U({})->next", self.known()),
            5 => "(char *)&head".into(),
            6 => "bytes(&head)".into(),
            7 => format!("bytes(&U({})->data)", self.known()),
            8 => "bytes(gc)".into(),
            _ => "0".into(),
        }
    }

    /// What is written character by character, perhaps between a look at a pointer and its use.
    fn writing(&mut self) -> String {
        let written = self.written();
        match self.below(5) {
            0 | 1 => format!("if (head) {{\n{written}\nU(head)->v = 1;\n}}"),
            2 => format!("if (p && U(p)->next) {{\n{written}\nif (p)\nU(U(p)->next)->v = 1;\n}}"),
            3 => format!("if (a && U(a)->data) {{\n{written}\nif (a)\n*U(U(a)->data) = 1;\n}}"),
            _ => written,
        }
    }

    fn written(&mut self) -> String {
        match self.below(5) {
            0 | 1 => format!("wipe({}, sizeof(char *));", self.characters()),
            2 => {
                let to = self.one(&["&head", "&U(p)->next", "&U(a)->data", "&U(p)->at", "gc"]);
                format!("zero({to}, sizeof(char *));")
            }
            _ => {
                let known = self.known();
                format!("{} = {};", self.one(&["gc", "gc", "sc", "U(#)->at"]).replace('#', &known), self.characters())
            }
        }
    }

    fn number(&mut self) -> String {
        match self.below(6) {
            0 => "n".into(),
            1 => "gx".into(),
            2 => self.below(4).to_string(),
            3 => format!("U({})->v", self.known()),
            4 => format!("*U({})", self.counted()),
            _ => "ask()".into(),
        }
    }

    fn condition(&mut self) -> String {
        match self.below(15) {
            0..=3 => self.known(),
            4 => self.counted(),
            9 => self.one(&["m", "!m", "m == 1"]),
            10 | 11 => format!("lasts({})", self.known()),
            12 => format!("lacks({}, {})", self.known(), self.counted()),
            13 => format!("!lacks({}, {})", self.known(), self.counted()),
            14 => format!("{} && {}", self.known(), self.counted()),
            5 => format!("!{}", self.known()),
            6 => format!("{} == {}", self.known(), self.list()),
            7 => "pp".into(),
            _ => format!("{} > 1", self.number()),
        }
    }

    fn statement(&mut self, deep: u64) {
        if self.below(6) == 0 {
            let line = self.writing();
            let _ = writeln!(self.text, "{line}");
            return;
        }
        let line = match self.below(if deep > 0 { 15 } else { 9 }) {
            13 | 14 => {
                let condition = self.condition();
                self.one(&["m = #;", "m = !(#);", "m = # || m;"]).replace('#', &condition)
            }
            0 | 1 => format!("{} = {};", self.one(&["p", "a", "a", "head", "cur", "all.l"]), self.list()),
            2 => format!("U({})->next = {};", self.known(), self.list()),
            3 => format!("{} = {};", self.counted(), self.pointer()),
            4 => format!("U({})->data = {};", self.known(), self.pointer()),
            5 => {
                format!("{} = {};", self.one(&["gx", "*U(q)", "*U(b)", "*U(sp)", "U(p)->v", "U(a)->v"]), self.number())
            }
            6 => format!("*U(pp) = {};", self.list()),
            7 => self.one(&["other();", "if (h) h();", "take(p);", "take(cur);", "give(&b);", "give(&sp);"]),
            8 => {
                let (number, list, pointer) = (self.below(FUNCTIONS as u64), self.list(), self.pointer());
                let pp = self.one(&["pp", "&a", "&head", "0"]);
                format!("if (n > 0) gx = f{number}({list}, {pointer}, {pp}, n - 1, h);")
            }
            9..=11 => {
                let condition = self.condition();
                let _ = writeln!(self.text, "if ({condition}) {{");
                for _ in 0..=self.below(2) {
                    self.statement(deep - 1);
                }
                if self.below(2) == 0 {
                    self.text += "} else {\n";
                    self.statement(deep - 1);
                }
                "}".into()
            }
            _ => {
                let list = self.one(&["a", "p"]);
                let _ = writeln!(self.text, "while ({list} && n-- > 0) {{");
                self.statement(deep - 1);
                let _ = writeln!(self.text, "{list} = U({list})->next;");
                "}".into()
            }
        };
        let _ = writeln!(self.text, "{line}");
    }
}

/// The program that calls a function in so many random states in which its obligations are kept, and prints the lines of uses that were NULL, and
/// how many calls there were.
pub fn caller(functions: &str, number: usize, answer: &Answer, trials: u64) -> String {
    calling(functions, number, (&kept(answer), "", ""), trials)
}

/// The obligations, in C.
pub fn kept(answer: &Answer) -> String {
    let kept: Vec<String> = answer.obligations.iter().map(|one| condition(&one.condition)).collect();
    if kept.is_empty() { "1".to_owned() } else { kept.join(" && ") }
}

/// The same in states in which this holds, with what stands before and after the functions.
pub fn calling(functions: &str, number: usize, (kept, before, after): (&str, &str, &str), trials: u64) -> String {
    format!(
        "#include <setjmp.h>\n#include <stdio.h>\n
static jmp_buf out; static long fuel; static int failed[10000];
static void null(int line) {{ failed[line] = 1; longjmp(out, 1); }}
#define U(p) ({{ __typeof__(p) t = (p); if (!t) null(__LINE__); if (++fuel > 5000) longjmp(out, 2); t; }})
{before}
#line 2
{functions}
#undef U
{after}
static unsigned long long state = 88172645463325252ull;
static unsigned rnd(void) {{ state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state >> 20; }}
static struct S pool[5]; static int ints[4]; static struct S *lists[3];
static struct S *rs(void) {{ switch (rnd() % 8) {{ case 0: case 1: return 0; case 2: return &own; default: return &pool[rnd() % 5]; }} }}
static int *ri(void) {{
    switch (rnd() % 6) {{ case 0: return 0; case 1: return &gx; case 2: return &pool[rnd() % 5].v; case 3: return &own.v; default: return &ints[rnd() % 4]; }}
}}
static struct S **rl(void) {{
    switch (rnd() % 7) {{ case 0: return 0; case 1: return &head; case 2: return &cur; case 3: return &pool[rnd() % 5].next; case 4: return &own.next; default: return &lists[rnd() % 3]; }}
}}
static char letters[3][sizeof(char *)];
static char *rc(void) {{ return rnd() % 3 ? letters[rnd() % 3] : 0; }}
static void fill(struct S *s) {{ s->v = rnd() % 4; s->next = rs(); s->data = ri(); s->at = rc(); }}
static void some(void) {{
    switch (rnd() % 13) {{ case 9: all.l = rs(); break; case 10: all.x = ri(); break; case 11: gc = rc(); break; case 12: sc = rc(); break;
    case 0: fill(&pool[rnd() % 5]); break; case 1: fill(&own); break; case 2: head = rs(); break; case 3: cur = rs(); break;
    case 4: gp = ri(); break; case 5: sp = ri(); break; case 6: gx = rnd() % 4; break; case 7: lists[rnd() % 3] = rs(); break; default: break; }}
}}
void other(void) {{ int k = rnd() % 4; while (k--) some(); }}
int ask(void) {{ other(); return rnd() % 4; }}
void take(struct S *p) {{ other(); if (p && rnd() % 2) fill(p); }}
void give(int **p) {{ other(); if (p && rnd() % 2) *p = ri(); }}
int main(void) {{
    long calls = 0;
    for (long trial = 0; trial < {trials}; trial++) {{
        for (int i = 0; i < 5; i++) fill(&pool[i]);
        fill(&own); for (int i = 0; i < 3; i++) lists[i] = rs();
        head = rs(); cur = rs(); gp = ri(); sp = ri(); gx = rnd() % 4; all.l = rs(); all.x = ri(); all.n = rnd() % 4; gc = rc(); sc = rc();
        struct S *p = rs(); int *q = ri(); struct S **pp = rl(); int n = rnd() % 4; void (*h)(void) = rnd() % 2 ? other : 0;
        if (!({kept})) continue;
        fuel = 0; calls++;
        if (setjmp(out) == 0) f{number}(p, q, pp, n, h);
    }}
    for (int i = 0; i < 10000; i++) if (failed[i]) printf(\"%d\\n\", i);
    printf(\"calls %ld\\n\", calls);
}}
"
    )
}

/// A condition that says nothing where there is no object.
fn condition(text: &str) -> String {
    match text.split_once("->") {
        Some((given, _)) => format!("(!{given} || {text})").replace("NULL", "0"),
        None => format!("({text})").replace("NULL", "0"),
    }
}

/// The lines on which each use is said not to be NULL, as far as callers keep the obligations; and how many are said to be.
pub fn lines(answer: &Answer) -> (Vec<u32>, usize) {
    let is_fine = |class: &Class| matches!(class, Class::Safe | Class::Obligation);
    let mut all: Vec<u32> = answer.uses.iter().map(|(one, _)| one.line).collect();
    all.sort_unstable();
    all.dedup();
    let fine = |line: &u32| answer.uses.iter().filter(|(one, _)| one.line == *line).all(|(_, class)| is_fine(class));
    let fails = answer.uses.iter().filter(|(_, class)| *class == Class::Fails).count();
    (all.into_iter().filter(fine).collect(), fails)
}
