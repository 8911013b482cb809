//! Small programs, each with what is to be said of it.

use puch::nullness::{Malloc, Options, Told, analyse};

/// What it shows, the program, and the verdicts. Where `main` is missing, `f` is where it begins.
const CASES: &[(&str, &str, &str)] = &[
    ("an argument", "void f(int *p) { *p = 1; }", "p: null"),
    ("once followed, it is not NULL", "void f(int *p) { *p = 1; *p = 2; }", "p: null, p: safe"),
    ("a test", "void f(int *p) { if (p) *p = 1; }", "p: safe"),
    ("a test that returns", "void f(int *p) { if (!p) return; *p = 1; }", "p: safe"),
    ("the wrong branch", "void f(int *p) { if (p == 0) *p = 1; }", "p: null"),
    ("short circuit", "int f(int *p) { return p != 0 && *p > 0; }", "p: safe"),
    ("the wrong connective", "int f(int *p) { return p != 0 || *p > 0; }", "p: null"),
    ("an address", "int f(void) { int x = 1; int *p = &x; return *p; }", "p: safe"),
    ("NULL", "int f(void) { int *p = 0; return *p; }", "p: null"),
    ("a copy that is tested", "void f(int *p) { int *q = p; if (p) *q = 1; }", "q: safe"),
    ("a copy after the test", "void f(int *p) { int *q = 0; if (p) q = p; if (p) *q = 1; }", "q: safe"),
    ("a copy on one side only", "void f(int *p, int c) { int *q = 0; if (c) q = p; if (p) *q = 1; }", "q: null"),
    ("a flag", "void f(int *p) { int ok = 0; if (p) ok = 1; if (ok) *p = 1; }", "p: safe"),
    ("a flag the wrong way", "void f(int *p) { int bad = 0; if (p) bad = 1; if (!bad) *p = 1; }", "p: null"),
    ("a flag that is the test", "void f(int *p) { int ok = p != 0; if (ok) *p = 1; }", "p: safe"),
    ("a flag that is the negated test", "void f(int *p) { int no = !p; if (!no) *p = 1; }", "p: safe"),
    (
        "two tests of one condition",
        "void f(int n) { int x; int *p = 0; if (n > 3) p = &x; if (n > 3) *p = 1; }",
        "p: safe",
    ),
    ("two tests, one weaker", "void f(int n) { int x; int *p = 0; if (n > 3) p = &x; if (n > 5) *p = 1; }", "p: safe"),
    (
        "two tests, one stronger",
        "void f(int n) { int x; int *p = 0; if (n > 5) p = &x; if (n > 3) *p = 1; }",
        "p: null",
    ),
    (
        "a sum of what is counted up and what is counted down, whatever is counted",
        "int f(void); int main(void) { int x, n = f(), d = 0, *p = &x; if (n > 100 || n < 0) return 0;
           while (n > 0) { n--; d++; if (d > 100) p = 0; *p = d; } return 0; }",
        "p: safe",
    ),
    ("a loop", "void f(int n) { int x; int *p = 0; while (n-- > 0) p = &x; if (p) *p = n; }", "p: safe"),
    (
        "a loop that may be left at once",
        "void f(int n) { int x; int *p = 0; while (n-- > 0) p = &x; *p = n; }",
        "p: null",
    ),
    (
        "a switch",
        "void f(int k) { int x; int *p = 0; switch (k) { case 1: case 2: p = &x; } if (k == 2) *p = 1; }",
        "p: safe",
    ),
    ("a global", "int *g; void set(int *p) { g = p; } int main(void) { int x; set(&x); return *g; }", "g: safe"),
    ("a global that is not set", "int *g; int main(void) { return *g; }", "g: null"),
    (
        "a global that a call clears",
        "int x; int *g = &x; void clear(void) { g = 0; } int main(void) { *g = 1; clear(); return *g; }",
        "g: safe, g: null",
    ),
    ("a result", "int x; int *get(void) { return &x; } int main(void) { return *get(); }", "get(): safe"),
    (
        "a result that may be NULL",
        "int x; int *get(int c) { if (c) return &x; return 0; } int f(int c) { int *p = get(c); return *p; }",
        "p: null",
    ),
    (
        "a result that is tested",
        "int x; int *get(int c) { if (c) return &x; return 0; } int f(int c) { int *p = get(c); return p ? *p : 0; }",
        "p: safe",
    ),
    (
        "a result that is the argument",
        "int *same(int *p) { return p; } int f(int *p) { if (!p) return 0; int *q = same(p); return *q; }",
        "q: safe",
    ),
    (
        "a result that follows a flag",
        "int x; int *get(int c) { if (c) return &x; return 0; } int main(void) { int *p = get(1); return *p; }",
        "p: safe",
    ),
    (
        "an out-parameter",
        "int x; void get(int **out) { *out = &x; } int main(void) { int *p = 0; get(&p); return *p; }",
        "out: safe, p: safe",
    ),
    (
        "an out-parameter that is not always set",
        "int x; void get(int **out, int c) { if (c) *out = &x; } int f(int c) { int *p = 0; get(&p, c); return *p; }",
        "out: safe, p: null",
    ),
    (
        "an out-parameter and its result",
        "int x; int get(int **out, int c) { if (c) { *out = &x; return 1; } *out = 0; return 0; } int f(int c) { int *p; if (get(&p, c)) return *p; return 0; }",
        "out: safe, out: safe, p: safe",
    ),
    (
        "an out-parameter and its error code",
        "int x; int get(int **out, int c) { *out = 0; if (c) { *out = &x; return 0; } return -1; } int f(int c) { int *p; if (get(&p, c) < 0) return 0; return *p; }",
        "out: safe, out: safe, p: safe",
    ),
    (
        "an error code the wrong way",
        "int x; int get(int **out, int c) { *out = 0; if (c) { *out = &x; return 0; } return -1; } int f(int c) { int *p; if (get(&p, c) == 0) return 0; return *p; }",
        "out: safe, out: safe, p: null",
    ),
    ("a field", "struct s { int *p; }; int main(void) { int x = 0; struct s s; s.p = &x; return *s.p; }", "s.p: safe"),
    (
        "a field that is NULL",
        "struct s { int *p; int *q; }; int main(void) { int x = 0; struct s s; s.p = &x; s.q = 0; return *s.p + *s.q; }",
        "s.p: safe, s.q: null",
    ),
    (
        "a field through a pointer",
        "struct s { int *p; }; int x; void init(struct s *s) { s->p = &x; } int main(void) { struct s s; s.p = 0; init(&s); return *s.p; }",
        "s: safe, s.p: safe",
    ),
    (
        "a field and its flag",
        "struct s { int ok; int *p; }; int f(struct s *s) { if (!s) return 0; if (s->p) s->ok = 1; else s->ok = 0; if (s->ok) return *s->p; return 0; }",
        "s: safe, s: safe, s: safe, s: safe, s: safe, s->p: safe",
    ),
    ("an alias", "int main(void) { int x = 0; int *p = 0; int **pp = &p; *pp = &x; return *p; }", "pp: safe, p: safe"),
    (
        "an alias that clears",
        "int main(void) { int x = 0; int *p = &x; int **pp = &p; *pp = 0; return *p; }",
        "pp: safe, p: null",
    ),
    (
        "one of two aliases",
        "int f(int c) { int x = 0; int *p = &x; int *q = &x; int **pp = c ? &p : &q; *pp = 0; return *q; }",
        "pp: safe, q: null",
    ),
    (
        "recursion",
        "int *down(int n, int *p) { if (n <= 0) return p; return down(n - 1, p); } int f(int n) { int x = 0; int *q = down(n, &x); return *q; }",
        "q: safe",
    ),
    (
        "recursion that may return NULL",
        "int *down(int n, int *p) { if (n <= 0) return 0; return down(n - 1, p); } int f(int n) { int x = 0; int *q = down(n, &x); return *q; }",
        "q: null",
    ),
    (
        "NULL at depth 9",
        "void down(int n, int *p) { if (n == 9) p = 0; if (n == 9) { *p = 1; return; } down(n + 1, p); } int main(void) { int x; down(0, &x); return 0; }",
        "p: null",
    ),
    (
        "NULL at depth 12, counted by a global",
        "int depth; void down(int *p) { depth++; if (depth > 11) p = 0; *p = 1; down(p); } int main(void) { int x; down(&x); return 0; }",
        "p: null",
    ),
    (
        "a list",
        "struct n { struct n *next; int v; }; int f(struct n *l) { int s = 0; while (l) { s += l->v; l = l->next; } return s; }",
        "l: safe, l: safe",
    ),
    (
        "a list that is left too late",
        "struct n { struct n *next; int v; }; int f(struct n *l) { while (l->next) l = l->next; return l->v; }",
        "l: null, l: safe, l: safe",
    ),
    (
        "what is behind a test",
        "struct n { struct n *next; int v; }; int f(struct n *l) { if (l && l->next) return l->next->v; return 0; }",
        "l: safe, l: safe, l->next: safe",
    ),
    (
        "a pointer to a procedure",
        "int one(void) { return 1; } int f(int c) { int (*p)(void) = 0; if (c) p = one; return c ? p() : 0; }",
        "p: safe",
    ),
    (
        "a pointer to no procedure",
        "int one(void) { return 1; } int f(int c) { int (*p)(void) = 0; if (c) p = one; return p(); }",
        "p: null",
    ),
    (
        "an array",
        "int main(void) { int a[4]; int *p = a; int i; for (i = 0; i < 4; i++) p[i] = 0; return *p; }",
        "p: safe, p: safe",
    ),
    (
        "a pointer that moves",
        "int main(void) { int a[4]; int *p = a; int i; for (i = 0; i < 4; i++) *p++ = 0; return 0; }",
        "p: safe",
    ),
    (
        "a member of nothing",
        "struct s { int a; int b; }; int f(struct s *s) { int *p = &s->b; return *p; }",
        "s: null, p: safe",
    ),
    ("an uninitialised pointer", "int main(void) { int *p; return *p; }", "p: null"),
    (
        "a summary is never updated for certain",
        "int x; int *make(int n) { int *l = &x; int **pl = &l; if (n > 0) make(n - 1); *pl = n ? &x : 0; return l; } int f(int n) { int *q = make(n); return *q; }",
        "pl: safe, q: null",
    ),
    (
        "both arguments may be one object",
        "int f(int **p, int **q) { int x = 0; if (!p || !q) return 0; *p = &x; *q = 0; return **p; }",
        "p: safe, q: safe, p: safe, *p: unknown",
    ),
    (
        "an unknown procedure may write",
        "void any(int **p); int main(void) { int x = 0; int *p = &x; any(&p); return *p; }",
        "p: unknown",
    ),
    (
        "flags of one byte",
        "struct s { unsigned a : 1; unsigned b : 1; }; int f(struct s *s) { int *p = 0; if (!s) return 0; s->a = 0; s->b = 1; if (!s->a) return *p; return 0; }",
        "s: safe, s: safe, s: safe, p: unknown",
    ),
    (
        "arguments of the program",
        "int main(int argc, char **argv) { return argc > 0 ? **argv : 0; }",
        "argv: safe, *argv: unknown",
    ),
    (
        "one number among all",
        "void f(int n) { int x; int *p = &x; if (n * 3 + 1 == 370370368) p = 0; *p = 1; }",
        "p: null",
    ),
    (
        "two numbers that go together",
        "void f(unsigned a, unsigned b) { int x; int *p = &x; if ((a ^ b) == 0x5a5a5a5a && a > b && b > 1000) p = 0; *p = 1; }",
        "p: null",
    ),
    (
        "no number at all",
        "void f(unsigned n) { int x; int *p = &x; unsigned m = n * 2; if (m % 2 == 1) p = 0; *p = 1; }",
        "p: safe",
    ),
    (
        "a number that a procedure returns",
        "int number(void); int g(int k) { return k + 4242; } void f(void) { int x; int *p = &x; int n = number(); int m = g(n); if (m == 99999) p = 0; *p = 1; }",
        "p: null",
    ),
    (
        "an index from outside",
        "int number(void); int f(void) { int x = 0; int *a[2]; int i; a[0] = &x; a[1] = 0; i = number(); if (i != 77777) return 0; return *a[1]; }",
        "a[1]: null",
    ),
    (
        "a copy through a pointer, tested",
        "void f(int *q) { int *r; int **p = &r; *p = q; if (q) *r = 1; }",
        "p: safe, r: safe",
    ),
    (
        "a copy through a pointer, tested the wrong way",
        "void f(int *q) { int *r; int **p = &r; *p = q; if (!q) *r = 1; }",
        "p: safe, r: null",
    ),
    (
        "a list of two, made here",
        "struct n { struct n *next; int v; }; int main(void) { struct n b; struct n a; b.next = 0; a.next = &b; return a.next->next->v; }",
        "a.next: safe, a.next->next: null",
    ),
    (
        "what malloc gives may be NULL, and what it holds is arbitrary",
        "struct n { struct n *next; }; void *malloc(unsigned long); int main(void) { struct n *l = malloc(8); if (!l) return 0; return l->next->next != 0; }",
        "l: safe, l->next: null",
    ),
    ("dead code", "int main(void) { int *p = 0; if (0) *p = 1; return 0; }", ""),
    (
        "parity keeps it apart",
        "void f(int n) { int x; int *p = 0; if (n % 2 == 0) p = &x; if (n % 2 == 0) *p = 1; }",
        "p: safe",
    ),
];

#[test]
fn small_programs_are_judged_as_expected() {
    let mut wrong = Vec::new();
    for (what, text, expected) in CASES {
        let main = if text.contains("main(") { "main" } else { "f" };
        let found = super::verdicts(main, Malloc::MayFail, text);
        if found != *expected {
            wrong.push(format!("{what}:\n  {text}\n  expected {expected}\n  found    {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The predicates of the paper and the conditions do not say that `b - a` is 1: a trace that is no run does.
#[test]
fn what_hangs_on_arithmetic_is_decided_by_refinement() {
    let program = |constant: u32| {
        let text = "int f(unsigned a) { int x; int *p = 0; unsigned b = a + 1; unsigned c = b - a; if (c == 1) p = &x;";
        super::read("f", &format!("{text} if (a != {constant}) return 0; *p = 1; return 0; }}"))
    };
    let asked = |rounds| analyse(&program(77_777), &Options { rounds, ..Options::default() });
    let [first] = &asked(0)[..] else { panic!("there is one use") };
    assert_eq!(first.word(), "unknown", "{}", first.grounds);
    let [refined] = &asked(puch::nullness::ROUNDS)[..] else { panic!("there is one use") };
    assert_eq!(refined.word(), "safe", "{}", refined.grounds);
}

/// What one question of `check` is answered by answers uses of pointers, too.
#[test]
fn what_rounds_leave_open_is_decided_by_all_that_decides_assertions() {
    let cases = [
        ("deep in a loop", "int main(void) { int x, i, *p = &x; for (i = 0; i < 60000; i++) { if (i == 59999) p = 0; } *p = 1; return 0; }", "p: null"),
        (
            "deep in a loop, for a large input",
            "int any(void); int main(void) { int x, n = any(), i, *p = &x; for (i = 0; i < n; i++) { if (i == 100000) p = 0; } *p = 1; return 0; }",
            "p: null",
        ),
        (
            "by what holds of all elements of an array",
            "int any(void); int a[10], x; int main(void) { int i, n = any(); int *p = 0; for (i = 0; i < 10; i++) a[i] = i + 1;
             if (n < 0 || n > 9) return 0; if (a[n] > 0) p = &x; *p = 1; return 0; }",
            "p: safe",
        ),
        (
            "by an invariant of Euclid's algorithm, where traces are hard to follow",
            "int any(void); int x; int gcd(int a, int b) { while (b) { int t = a % b; a = b; b = t; } return a; }
             int main(void) { int a = any(), b = any(), *p = &x; if (a < 1 || b < 1) return 0; if (gcd(a, b) < 1) p = 0; *p = 1; return 0; }",
            "p: safe",
        ),
        (
            "each by itself",
            "int any(void); int a[10], x; int main(void) { int i, n = any(); int *p = 0; for (i = 0; i < 10; i++) a[i] = i + 1;
             if (n < 0 || n > 9) return 0; if (a[n] > 0) p = &x; *p = 1; if (a[n] > 9) p = 0; *p = 2; return 0; }",
            "p: safe, p: null",
        ),
    ];
    for (what, text, expected) in cases {
        assert_eq!(super::verdicts("main", Malloc::MayFail, text), expected, "{what}");
    }
}

/// Of a long run the beginning and the end are kept, and how much is left out is said.
#[test]
fn a_long_run_says_what_it_leaves_out() {
    let text = "int g; void step(void) { g = g + 1; }
int main(void) { int x, i, *p = &x; for (i = 0; i < 20000; i++) step(); p = 0; *p = 1; return 0; }";
    let [found] = &analyse(&super::read("main", text), &Options::default())[..] else { panic!("there is one use") };
    let trace = found.verdict.run().expect("a run shows it");
    let left_out = trace.left_out.expect("something is left out");
    assert!(trace.steps.len() < 3_000 && left_out.count > 20_000 && left_out.at < trace.steps.len(), "{left_out:?}");
    // Calls that have returned are one step each, before what is left out and behind it.
    assert!(trace.steps.iter().all(|step| step.depth == 0), "{:?}", trace.steps.last());
    let has = |steps: &[puch::answer::Step], text: &str| steps.iter().any(|step| step.statement == text);
    let (before, behind) = trace.steps.split_at(left_out.at);
    assert!(has(before, "i = 0") && !has(before, "p is NULL") && has(behind, "p = NULL") && has(behind, "p is NULL"));
}

/// Whenever the time is over, what was safe by then is told, and nothing else is.
#[test]
fn what_was_decided_before_a_limit_is_answered() {
    let text = "int f(int *p, int n) { int x; int *q = &x; if (p == 0) return 0; *p = 1; *q = 2; int *r = 0; if (n > 3) r = &x;
        if (n > 5) *r = 1; unsigned u = n; int *s = &x; if (u * u % 4 == 2) s = 0; *s = 3; return *r; }";
    let program = super::read("f", text);
    let asked = |after: u64| {
        let left = std::cell::Cell::new(after);
        let stop = move || left.replace(left.get().saturating_sub(1)) == 0;
        let mut options = Options::default();
        options.tuning.bounds.stop = Some(std::rc::Rc::new(stop));
        let safe = |found: &puch::nullness::PointerUse| found.verdict.excludes_run();
        analyse(&program, &options).iter().map(safe).collect::<Vec<bool>>()
    };
    let all = asked(u64::MAX);
    assert_eq!(all, [true, true, true, true, false]);
    let counts = [0, 50, 200, 1_000].map(|after| {
        let some = asked(after);
        assert!(some.iter().zip(&all).all(|(some, all)| some <= all), "{after}: {some:?}");
        some.iter().filter(|safe| **safe).count()
    });
    assert!(counts.is_sorted() && counts[0] < 4 && counts.contains(&4), "{counts:?}");
}

/// Where signed arithmetic may overflow, what is known of uses depends on what is said of that.
#[test]
fn overflows_are_what_is_asked_for() {
    use puch::c::program::Overflow;
    let text = "int nondet(void); int x; int main(void) { int n = nondet(), *p = n + 1 > n ? &x : 0; return *p; }";
    let program = super::read("main", text);
    for (overflow, word) in [(Overflow::Wrap, "null"), (Overflow::Assume, "safe"), (Overflow::Check, "safe")] {
        let usual = Options::default();
        let tuning = puch::abstraction::Tuning { bounds: usual.tuning.bounds, ..Default::default() };
        let options = puch::refinement::Options { overflow, tuning, check: usual.check, rounds: Some(10), donor: None };
        let (answer, uses) = puch::nullness::decided(&program, &[], &options, Told::Uses, &mut |_| {});
        assert_eq!(uses.iter().map(|one| one.word()).collect::<Vec<_>>(), [word], "{overflow:?}");
        assert_eq!(answer.outcome.verdict.claims_run(), word == "null", "{overflow:?}");
    }
}
