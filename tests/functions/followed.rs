//! What is known of numbers by following control: indices, divisors and shifts that are always right, whatever callers do, and what callers have to
//! establish so that they are.

use puch::answer::Verdict;
use puch::functions::Class;
use puch::nullness::Kind;

use crate::{asked_of, count, obligations};

const KINDS: [Kind; 5] = [Kind::Null, Kind::Bounds, Kind::Division, Kind::Shift, Kind::Uninitialised];

fn demands(text: &str, conditions: &[&str]) {
    let answer = asked_of(text, "f", 30, &KINDS);
    assert!(matches!(answer.verdict, Verdict::Holds), "{:?} of {text}", answer.verdict);
    assert_eq!(obligations(&answer), conditions, "{text}");
}

/// No use of the kind is right whatever callers do.
fn is_not_safe(text: &str, kind: Kind) {
    let answer = asked_of(text, "f", 5, &[kind]);
    assert_eq!(count(&answer, kind, Class::Safe), 0, "{text}: {answer:?}");
}

#[test]
fn counters_stay_between_their_bounds() {
    demands("int t[16]; int f(void) { int s = 0; for (int i = 0; i < 16; i++) s ^= t[i]; return s; }", &[]);
    demands("int t[16]; int f(void) { int s = 0; for (int i = 15; i >= 0; i--) s ^= t[i]; return s; }", &[]);
    demands("int t[16]; int f(void) { int s = 0, i = 0; while (i != 16) s ^= t[i++]; return s; }", &[]);
    demands(
        "int t[16]; int f(int n) { if (n > 16) n = 16; int s = 0; for (int i = 0; i < n; i++) s ^= t[i]; return s; }",
        &[],
    );
    demands(
        "int t[9]; int f(int n) { int s = 0; for (int i = 0; i < 8; i += 2) s ^= t[i + 1] / (i + 1); return s; }",
        &[],
    );
    is_not_safe(
        "int t[16]; int f(void) { int s = 0; for (int i = 0; i <= 16; i++) s ^= t[i]; return s; }",
        Kind::Bounds,
    );
    is_not_safe(
        "int t[16]; int f(int n) { int s = 0; for (int i = n; i < 16; i++) s ^= t[i]; return s; }",
        Kind::Bounds,
    );
    is_not_safe(
        "int t[16]; int f(unsigned n) { int s = 0; for (unsigned i = 15; i >= 0; i--) s ^= t[i]; return s; }",
        Kind::Bounds,
    );
    // What is one more than the greatest number is the least.
    is_not_safe("int t[4]; int f(int n) { return n + 1 < 4 && n >= 0 ? t[n] : 0; }", Kind::Bounds);
}

#[test]
fn what_operators_make_is_in_their_range() {
    demands("int t[16]; int f(unsigned x) { return t[x & 15] ^ t[x % 16] ^ t[x >> 28]; }", &[]);
    demands("int t[8]; int f(int x) { return t[x & 7] / ((x & 1) + 1) + (1 << (x & 15)); }", &[]);
    demands("char t[256]; int f(unsigned char x) { return t[x] + t[255 - x] + t[x | 1]; }", &[]);
    is_not_safe("int t[8]; int f(int x) { return t[x % 8]; }", Kind::Bounds);
    is_not_safe("char t[256]; int f(signed char x) { return t[x + 127]; }", Kind::Bounds);
    is_not_safe("int f(unsigned char x) { return 10 / (unsigned char)(x + 1); }", Kind::Division);
}

#[test]
fn differences_of_numbers_are_kept_while_they_change() {
    let search = "int f(const int *p, int n, int k) { int l = 0, h = n; while (l < h) { int m = l + (h - l) / 2; \
                  if (p[m] < k) l = m + 1; else h = m; } return l; }";
    demands(search, &["p != NULL", "n <= elements(p)"]);
    let sums = "int f(const int *p, unsigned long n, int k) { unsigned long l = 0, h = n; while (l < h) { unsigned long m = (l + h) / 2; \
                if (p[m] < k) l = m + 1; else h = m; } return k; }";
    demands(sums, &["p != NULL", "n <= elements(p)"]);
    demands(
        "int f(const int *p, int n) { int c = 0; for (int i = 0; i + 1 < n; i++) c += p[i] > p[i + 1]; return c; }",
        &["p != NULL", "n <= elements(p)"],
    );
    let heap = "struct s { int n; int d[8]; }; int f(struct s *s, int v) { if (s->n < 0 || s->n >= 8) return -1; s->d[s->n++] = v; return 0; }";
    demands(heap, &["s != NULL"]);
}

#[test]
fn what_others_may_change_is_not_kept() {
    for text in [
        "int n, t[4]; void other(void); int f(void) { if (n < 0 || n > 3) return 0; other(); return t[n]; }",
        "int n, t[4]; int f(int *p) { if (n < 0 || n > 3 || !p) return 0; *p = 9; return t[n]; }",
        "int t[4]; static void set(int *p) { *p = 4; } int f(int i) { if (i < 0 || i > 3) return 0; set(&i); return t[i]; }",
        "struct s { int n; int d[4]; }; int f(struct s *a, struct s *b) { if (!a || !b || a->n < 0 || a->n > 3) return 0; b->n = 7; return a->d[a->n]; }",
    ] {
        is_not_safe(text, Kind::Bounds);
    }
    let own =
        "int t[4]; static int clip(int i) { return i < 0 ? 0 : i > 3 ? 3 : i; } int f(int i) { return t[clip(i)]; }";
    demands(own, &[]);
    let twice = "int t[4]; static int get(int i) { return t[i]; } int f(int i) { return get(i & 3) + get(2); }";
    demands(twice, &[]);
}

/// Whether an answer takes for granted that characters are written where there are characters.
fn is_granted(text: &str) -> bool {
    let answer = asked_of(text, "f", 20, &[Kind::Null, Kind::Bounds]);
    assert_eq!(count(&answer, Kind::Null, Class::Unknown), 0, "{text}: {answer:?}");
    answer.assumptions.iter().any(|one| one.contains("is read as characters only"))
}

#[test]
fn what_is_written_as_characters_is_taken_to_be_read_as_characters_where_that_is_said() {
    let head = "typedef unsigned long size_t; void *memset(void *, int, size_t); void *malloc(size_t); \
                struct s { char *at; int *q; char name[4]; }; struct t { char name[4]; };";
    let check = "if (!p || !p->q || !p->at) return 0;";
    for (granted, text) in [
        (true, "int f(struct s *p) { # *p->at++ = 1; return *p->q; }"),
        (
            true,
            "static void put(struct s *p, char c) { *p->at = c; } int f(struct s *p) { # put(p, 1); return *p->q; }",
        ),
        (true, "int f(struct s *p, struct t *r, int i) { # if (!r) return 0; r->name[i & 3] = 1; return *p->q; }"),
        (false, "int f(struct s *p, struct s *r, int i) { # if (!r) return 0; r->name[i & 3] = 1; return *p->q; }"),
        (true, "int f(struct s *p) { # p->at = malloc(4); if (!p->at) return 0; p->at[1] = 1; return *p->q; }"),
        (
            false,
            "int f(struct s *p, int *t, int n) { # int c = *p->q; for (int i = 0; i + 1 < n; i++) c += t[i + 1]; return c; }",
        ),
        (false, "int f(struct s *p) { # p->name[1] = 1; char c = *p->at; return *p->q + c; }"),
    ] {
        assert_eq!(is_granted(&(head.to_owned() + &text.replace('#', check))), granted, "{text}");
    }
    for text in [
        "int f(struct s *p) { # p->at = (char *)&p->q; *p->at = 1; return *p->q; }",
        "int f(struct s *p) { # memset(p, 0, sizeof *p); return *p->q; }",
        "int f(struct s *p) { # memset(p->at, 0, 1); memset(&p->q, 0, sizeof p->q); return *p->q; }",
        "int f(struct s *p, void *v) { # *(char *)v = 0; return *p->q; }",
        "static char *of(void *v) { return v; } int f(struct s *p) { # char *c = of(&p->q); *c = 0; return *p->q; }",
        "static void put(char *c) { *c = 0; } int f(struct s *p) { # put((char *)&p->q); return *p->q; }",
        "int f(struct s *p, int **r) { # char *c = (char *)r; if (!c) return 0; *c = 0; return *p->q; }",
        "int f(struct s *p) { # struct s *r = (struct s *)p->at; if (!r->q) return 0; p->at[8] = 0; return *p->q + *r->q; }",
        "static char *in(struct s *p) { return p->at; } int f(struct s *p) { # struct s *r = (struct s *)in(p); p->at[8] = 0; return *p->q + r->name[0]; }",
        "char *all; int f(struct s *p) { # all = (char *)&p->q; *all = 0; return *p->q; }",
        "int f(struct s *p) { # union { char c[8]; int *q; } *u = (void *)&p->q; u->c[0] = 0; return *p->q; }",
    ] {
        let text = head.to_owned() + &text.replace('#', check);
        let answer = asked_of(&text, "f", 5, &[Kind::Null]);
        let is_open = |class: &Class| !matches!(class, Class::Safe | Class::Obligation);
        let open = answer.uses.iter().any(|(told, class)| told.pointer == "p->q" && is_open(class));
        assert!(open, "{text}: {answer:?}");
    }
}

#[test]
fn what_lies_behind_a_pointer_that_is_null_is_read_by_nobody() {
    let guarded = "struct s { int *q; int n; }; int f(struct s *s) { if (!s) return 0; return *s->q; }";
    demands(guarded, &["s->q != NULL"]);
    let counted = "struct s { int n; }; int t[4]; int f(struct s *s, int i) { if (s && (s->n < 0 || s->n > 3)) return 0; \
                   if (i) i = 1; return s ? t[s->n] : i; }";
    demands(counted, &[]);
    let own = "int f(int *p, int x) { if (p) { if (!*p) return 0; } else x = 1; if (!p) return 2; return 8 / *p; }";
    demands(own, &[]);
    for text in [
        "struct s { int n; }; int t[4]; int f(struct s *s, struct s *r) { if (s && (s->n < 0 || s->n > 3)) return 0; if (!s) s = r; \
         return s ? t[s->n] : 0; }",
        // What is known of two numbers over a third one, which nobody has here.
        "struct s { int n; }; int t[4]; int f(struct s *s, int a, int b) { if (s && !(a <= s->n && s->n <= b && b <= 3)) return 0; \
         return a >= 0 ? t[a] : 0; }",
        "int f(int *p, int x) { if (p) { if (!*p) return 0; } else x = 1; if (!p) p = &x; x = 0; return 8 / *p; }",
    ] {
        let kind = if text.contains('/') { Kind::Division } else { Kind::Bounds };
        is_not_safe(text, kind);
    }
}

#[test]
fn what_is_in_tables_is_known() {
    let stages = "static const unsigned char first[4] = {0, 4, 8, 4}; static const short second[16] = {1, 2, 3}; int t[4]; \
                  int f(unsigned x) { return t[second[first[x >> 30] + (x & 7)]]; }";
    demands(stages, &[]);
    let names = "static const char *const names[2] = {\"a\", \"b\"}; int f(int x) { return *names[x & 1]; }";
    demands(names, &[]);
    let records = "static const struct { int at; const char *name; } all[2] = {{3, \"a\"}, {1, \"b\"}}; int t[4]; \
                   int f(int x) { return t[all[x & 1].at] / all[x & 1].at + *all[x & 1].name; }";
    demands(records, &[]);
    for (text, kind) in [
        (
            "static const char *const names[3] = {\"a\", \"b\"}; int f(int x) { return *names[x & 1 ? 2 : 0]; }",
            Kind::Null,
        ),
        ("static const int by[3] = {1, 2}; int f(int x) { return 8 / by[x & 1 ? 2 : 0]; }", Kind::Division),
        ("static const int at[2] = {1, 4}; int t[4]; int f(int x) { return t[at[x & 1]]; }", Kind::Bounds),
        (
            "static int at[2] = {1, 2}; int t[4]; void g(void) { at[0] = 9; } int f(int x) { return t[at[x & 1]]; }",
            Kind::Bounds,
        ),
        (
            "static const union { int n; unsigned char c[4]; } at[2] = {{1}, {2}}; int t[1]; int f(int x) { return t[at[x & 1].c[0]]; }",
            Kind::Bounds,
        ),
    ] {
        let answer = asked_of(text, "f", 5, &[kind]);
        assert!(!matches!(answer.verdict, Verdict::Holds), "{text}: {answer:?}");
    }
}

const RECORDS: &str = "struct t { int n; }; struct s { struct t *t; int n; }; struct t *other;
    static int bad(struct s *s) { struct t *t; if (s == 0) return 1; t = s->t; if (t == 0 || t->n < 0) return 1; return 0; } ";

#[test]
fn what_flags_say_of_pointers_is_known() {
    for text in [
        "int f(int *p, int *q) { int ok = p && q; if (!ok) return 0; return *p + *q; }",
        "int f(int *p, int x) { int bad = 0; if (!p) bad = 1; if (x) x = 2; if (bad != 0) return x; return *p; }",
        "int f(int *p) { _Bool there = p != 0; int is = there; return is ? *p : 0; }",
        "struct r { int *q; }; int f(struct r *r) { int *q = 0; if (r) q = r->q; if (q) return *r->q; return 0; }",
        "int f(struct s *s) { if (bad(s)) return 0; return s->t->n; }",
        "int f(struct s *s) { int b = bad(s); if (b) return 0; s->n = 3; return s->t->n; }",
        "static struct s *of(void *p) { return p; } int f(void *p) { struct s *s = of(p); if (!s) return 0; return ((struct s *)p)->n; }",
        "static void need(struct s *s) { if (!s) for (;;); } int f(struct s *s) { need(s); return s->n; }",
    ] {
        demands(&format!("{RECORDS}{text}"), &[]);
    }
}

#[test]
fn what_flags_said_before_is_not_known() {
    for text in [
        "int f(int *p, int *q) { int ok = p != 0; p = q; return ok ? *p : 0; }",
        "int f(int *p, int x) { int ok = p != 0; ok = x; return ok ? *p : 0; }",
        "int f(int *p) { int no = p == 0; return no ? *p : 0; }",
        "int f(int *p, int x) { int ok = p != 0 || x; return ok ? *p : 0; }",
        "int f(int *p) { unsigned char ok = p ? 256 : 1; return ok ? *p : 0; }",
        "int f(int *p, int *q, int c) { int ok = 0; if (c) { if (p) ok = 1; } else if (q) { ok = 1; } return ok ? *p : 0; }",
        "int f(int *p, int c) { int ok; if (c) { if (!p) return 0; ok = 1; } else { ok = 1; } return ok ? *p : 0; }",
        "int f(struct s *s) { if (bad(s)) return s->n; return 0; }",
        "static int ok(struct s *s, struct s *r) { if (!r) return 0; s = r; return s != 0; } int f(struct s *s, struct s *r) { return ok(s, r) ? s->n : 0; }",
        "static int ok(struct s **s) { if (!*s) return 0; struct s **r = s; *r = 0; return 1; } int f(struct s *s) { return ok(&s) ? s->n : 0; }",
    ] {
        let answer = asked_of(&format!("{RECORDS}{text}"), "f", 5, &[Kind::Null]);
        assert!(
            matches!(answer.verdict, Verdict::Violated(_)) || !obligations(&answer).is_empty(),
            "{text}: {answer:?}"
        );
    }
    // Each time the object is another one, however it was looked at before.
    let text = "struct w { struct s s; }; struct t one; int f(int n) { int all = 0; for (int i = 0; i < n; i++) { struct w x; \
                if (i == 0) { x.s.t = &one; if (bad((struct s *)&x)) return 0; } all ^= ((struct s *)&x)->t->n; } return all; }";
    let answer = asked_of(&format!("{RECORDS}{text}"), "f", 10, &[Kind::Null]);
    assert!(!matches!(answer.verdict, Verdict::Holds), "{answer:?}");
    // What lies behind the pointer is another one by then.
    let text = "int f(struct s *s) { if (bad(s)) return 0; s->t = other; return s->t->n; }";
    demands(&format!("{RECORDS}{text}"), &["other != NULL"]);
}
