//! What initialisers are for, and expressions that types decide: designators, generic selections, offsets of members.

extern crate puch_programs as puch;

#[path = "support/c_texts.rs"]
#[allow(dead_code, reason = "others ask for more")]
mod c_texts;

use std::process::Command;

use c_texts::{is_refused, returns};

const RECORDS: &str = "struct P { int x, y; }; struct S { int d[4]; struct P p[2]; int z; };\n";

#[track_caller]
fn is_true(declarations: &str, condition: &str) {
    returns(&format!("{RECORDS}{declarations} int main(void) {{ return {condition}; }}"), 1);
    // In a procedure the same holds.
    returns(&format!("{RECORDS} int main(void) {{ {declarations} return {condition}; }}"), 1);
}

#[test]
fn items_go_on_where_a_designator_further_inside_has_led() {
    is_true("struct P a[2] = { [0].x = 1, 2 };", "a[0].y == 2 && a[1].x == 0");
    is_true("struct P a[] = { [0].x = 1, 2 };", "sizeof a == sizeof(struct P) && a[0].y == 2");
    is_true(
        "struct P a[] = { [0].x = 1, 2, [2].x = 3, 4, 5 };",
        "sizeof a / sizeof *a == 4 && a[2].y == 4 && a[3].x == 5",
    );
    is_true("struct P a[] = { [1].y = 1, 2 };", "sizeof a / sizeof *a == 3 && a[1].y == 1 && a[2].x == 2");
    is_true("struct { struct P p; int z, w; } a = { .p.x = 1, 2, 3 };", "a.p.y == 2 && a.z == 3 && a.w == 0");
    is_true("int m[2][3] = { [0][1] = 1, 2, 3, 4 };", "m[0][2] == 2 && m[1][0] == 3 && m[1][1] == 4 && m[0][0] == 0");
    is_true("int m[][3] = { [1][1] = 1, 2, 3 };", "sizeof m == 36 && m[1][2] == 2 && m[2][0] == 3");
    is_true("struct S s = { .p[0].y = 3, 4, 5, 6 };", "s.p[0].y == 3 && s.p[1].x == 4 && s.p[1].y == 5 && s.z == 6");
    is_refused("struct P { int x, y; } p = { .y = 1, 2 };", "there is nothing left to initialise with this");
}

#[test]
fn a_range_inside_of_a_part_is_for_all_of_it() {
    is_true(
        "struct S s = { .d[0 ... 2] = 5, 6, 7, 8 };",
        "s.d[0] == 5 && s.d[2] == 5 && s.d[3] == 6 && s.p[0].x == 7 && s.p[0].y == 8",
    );
    is_true(
        "struct P q[2][2] = { [0 ... 1][1].x = 3, 4 };",
        "q[0][1].x == 3 && q[1][1].x == 3 && q[1][1].y == 4 && q[0][1].y == 0",
    );
    is_refused("int a[3] = { [2 ... 1] = 4 };", "there is no such part");
}

#[test]
fn what_a_later_initialiser_overrides_is_not_evaluated() {
    // 2.75 does not fit in a bit, and nothing may be divided by this.
    let number = "int zero;";
    is_true(
        "struct { long long a : 20; signed char b : 4; int c : 1; int d; } o = { -164, {-171}, 2.75, .a = 176, -239, 300, 7 };",
        "o.a == 176 && o.b == 1 && o.d == 7",
    );
    for (object, condition) in [
        ("struct P p = { 1 / zero, .x = 3 };", "p.x == 3 && p.y == 0"),
        ("struct P p = { {1 / zero}, 4, .x = 3 };", "p.x == 3 && p.y == 4"),
        (
            "struct P g = { 5, 6 }; struct { struct P p; int z; } t = { .z = 1 / zero, .p = g, .p = { 1 }, 9 };",
            "t.p.y == 0 && t.z == 9",
        ),
        ("struct { struct P p; int z; } v = { 1 / zero, 1 / zero, .p.y = 3, .p.x = 2 };", "v.p.x == 2 && v.p.y == 3"),
        ("struct { struct P p; int z; } v = { .p = { 1 / zero, 4 }, .z = 1, .p.x = 2 };", "v.p.x == 2 && v.p.y == 4"),
        (
            "int a[6] = { [0 ... 3] = 1 / zero, [2] = 5, [0 ... 1] = 4, [3] = 6, 7 };",
            "a[0] == 4 && a[1] == 4 && a[2] == 5 && a[3] == 6 && a[4] == 7 && a[5] == 0",
        ),
        ("int b[] = { 1, 2, 1 / zero, [1] = 3, 4 };", "b[1] == 3 && b[2] == 4 && sizeof b == 12"),
        ("union { long d; int i; } w = { .d = 1 / zero, .i = 3 };", "w.i == 3"),
        ("int x = 1; struct P p = { .x = x++, .x = 2 };", "x == 1 && p.x == 2"),
    ] {
        returns(&format!("{RECORDS}{number} int main(void) {{ {object} return {condition}; }}"), 1);
    }
    // Parts that nothing overrides are.
    for object in ["struct P p = { .x = x++, .y = 2 };", "int a[3] = { [0 ... 2] = x++, [0] = 1, [2] = 1 };"] {
        returns(&format!("{RECORDS} int main(void) {{ int x = 1; {object} return x; }}"), 2);
    }
}

#[test]
fn what_a_range_is_given_is_evaluated_once() {
    let head = format!("{RECORDS} int c; int f(void) {{ return ++c; }}");
    for (object, condition) in [
        ("int a[3] = { [0 ... 2] = f() };", "a[0] == 1 && a[1] == 1 && a[2] == 1 && c == 1"),
        ("int m[2][2] = { [0 ... 1][0 ... 1] = f() };", "m[0][0] == 1 && m[0][1] == 1 && m[1][0] == 1 && m[1][1] == 1"),
        ("struct P g[2] = { [0 ... 1] = { f(), 7 } };", "g[0].x == 1 && g[1].x == 1 && g[1].y == 7 && c == 1"),
        // What follows is for the last of them.
        ("struct P q[2] = { [0 ... 1] = f(), f() };", "q[0].x == 1 && q[0].y == 0 && q[1].x == 1 && q[1].y == 2"),
        (
            "struct P p[3] = { [1] = {5, 6}, [0 ... 2].x = f(), 9 };",
            "p[0].x == 1 && p[1].y == 6 && p[2].y == 9 && c == 1",
        ),
    ] {
        returns(&format!("{head} int main(void) {{ {object} return {condition}; }}"), 1);
    }
}

#[test]
fn members_of_what_has_no_name_are_designated() {
    let object =
        "struct { int a; struct { int u, v; }; union { int w; char q[4]; }; int t; } o = { .v = 1, 2, 3, .u = 4 };";
    is_true(object, "o.a == 0 && o.u == 4 && o.v == 1 && o.w == 2 && o.t == 3");
}

#[test]
fn a_generic_selection_is_the_expression_for_the_type() {
    let head = "int f(int x) { return x + 1; } long g(long x) { return x + 2; } struct s { int a; }; enum e { A };
        enum { INT = 9, LONG = 10, REAL = 11, OTHER = 12 };\n";
    let kind = |e: &str| format!("_Generic(({e}), int: INT, long: LONG, double: REAL, default: OTHER)");
    let holds = |condition: &str| {
        returns(&format!("{head} int main(void) {{ int i = 3; long l = 4; return {condition}; }}"), 1)
    };
    holds(&format!("{} == INT", kind("i")));
    holds(&format!("{} == LONG && {} == LONG", kind("l"), kind("i + l")));
    holds(&format!("{} == REAL && {} == OTHER", kind("1.0"), kind("1.0f")));
    holds(&format!("{} == INT && {} == OTHER && {} == INT", kind("A"), kind("(enum e) 0"), kind("'a'")));
    // What is looked at is not evaluated, nor is what is not chosen.
    holds(&format!("{} == INT && i == 3", kind("i++")));
    holds("_Generic(i, int: 5, default: 1 / (i - 3)) == 5");
    holds("_Generic(i, int: f, long: g)(i) == 4 && _Generic(l, int: f, long: g)(i) == 5");
    holds("_Generic((struct s) { 1 }, struct s: 1, default: 0)");
    holds("_Generic(1LL, long: 1, long long: 2) == 2 && _Generic((_Bool) 1, int: 1, _Bool: 2) == 2");
    is_refused("int main(void) { return _Generic(1.0, int: 1, long: 2); }", "no type here is");
    // Qualifiers of what is pointed to are told apart, but for those of what a parameter points to, and of other expressions' types.
    returns("int main(void) { char *p = 0; return _Generic(p, const char *: 1, default: 2); }", 2);
    is_refused(
        "int main(void) { const char *p = 0; __typeof__(p + 1) q = p; return _Generic(q, const char *: 1, default: 2); }",
        "is not known",
    );
    is_refused(
        "int f(char *p); int main(void) { return _Generic(f, int (*)(const char *): 1, default: 2); }",
        "is not known",
    );
}

/// Expressions of many types, and names of types, among what is declared here.
const DECLARED: &str = "typedef const char *text; typedef signed char tiny; typedef char plain; struct node { const int k; const char *s; char *t; struct node *next; tiny e; const plain b[3]; };
    char *p; const char *q; text r; char *const fixed = 0; volatile const char *w; signed char *sp; tiny *tp; const tiny *ctp; unsigned char *up;
    void *v; const void *cv; char c; signed char sc; const char kc = 'a'; int i; const int ki = 1; int *ip; const int *cip; int *const ipc = 0; const int *const *ipp;
    char a[3]; const char ka[3] = {1}; const int m[2][2] = {{1}}; struct node n; const struct node kn = {1}; const struct node *np; struct node *mp; char **pp; const char **qp; char *const *kp;
    const char *give(void); char *take(const char *x); const char *(*call)(void); tiny small(void); long l; unsigned char uc;\n";
const EXPRESSIONS: [&str; 58] = [
    "p",
    "q",
    "r",
    "fixed",
    "w",
    "sp",
    "tp",
    "ctp",
    "up",
    "v",
    "cv",
    "c",
    "sc",
    "kc",
    "i",
    "ki",
    "ip",
    "cip",
    "ipc",
    "ipp",
    "*ipp",
    "a",
    "ka",
    "m",
    "m[0]",
    "&m[0][1]",
    "&n",
    "&kn",
    "np",
    "n.s",
    "n.t",
    "np->s",
    "&np->k",
    "&mp->k",
    "&mp->e",
    "&np->e",
    "mp->b",
    "&kn.t",
    "mp->next",
    "pp",
    "*pp",
    "qp",
    "*qp",
    "kp",
    "*kp",
    "give()",
    "take(q)",
    "call()",
    "&small",
    "small()",
    "\"text\"",
    "(text) p",
    "(const tiny *) v",
    "&c",
    "&kc",
    "q + 1",
    "1 + p",
    "*&q",
];
const TYPES: [&str; 24] = [
    "char *",
    "const char *",
    "volatile const char *",
    "char const *",
    "signed char *",
    "const signed char *",
    "unsigned char *",
    "void *",
    "const void *",
    "char",
    "signed char",
    "unsigned char",
    "int",
    "const int",
    "int *",
    "const int *",
    "const int *const *",
    "char **",
    "const char **",
    "char *const *",
    "const struct node *",
    "struct node *",
    "tiny (*)(void)",
    "const int (*)[2]",
];

#[test]
fn generic_selections_choose_what_a_compiler_chooses() {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("skipped: there is no cc");
        return;
    }
    let all: Vec<String> = EXPRESSIONS
        .iter()
        .flat_map(|e| TYPES.iter().map(move |ty| format!("_Generic(({e}), {ty}: 1, default: 0)")))
        .collect();
    let directory = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("selections");
    std::fs::create_dir_all(&directory).expect("a directory");
    let (text, built) = (directory.join("prog.c"), directory.join("prog"));
    let printed = format!(
        "{DECLARED} int printf(const char *, ...); const int all[] = {{\n{}\n}}; int main(void) {{ for (int i = 0; i < {}; i++) printf(\"%d\", all[i]); return 0; }}
         const char *give(void) {{ return 0; }} char *take(const char *x) {{ return 0; }} tiny small(void) {{ return 0; }}",
        all.join(",\n"),
        all.len()
    );
    std::fs::write(&text, printed).expect("it can be written");
    let done = Command::new("cc").arg("-w").arg(&text).arg("-o").arg(&built).output().expect("cc runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let said = Command::new(&built).output().expect("it runs").stdout;
    assert_eq!(said.len(), all.len());
    // What is asked of one expression at once is one program.
    for (expression, said) in EXPRESSIONS.iter().zip(said.chunks(TYPES.len())) {
        let asked: Vec<String> = TYPES
            .iter()
            .zip(said)
            .map(|(ty, said)| {
                format!("if (_Generic(({expression}), {ty}: 1, default: 0) != {}) return {};", said - b'0', *said)
            })
            .collect();
        returns(&format!("{DECLARED} int main(void) {{\n{}\nreturn 7; }}", asked.join("\n")), 7);
    }
}

#[test]
fn an_offset_may_have_indices() {
    let head = "struct T { int a; struct { char c; short b[5][2]; } d[3]; };";
    returns(&format!("{head} int main(void) {{ return __builtin_offsetof(struct T, d[1].b[2][1]); }}"), 38);
    is_refused(
        &format!("{head} int x = __builtin_offsetof(struct T, a[1]); int main(void) {{ }}"),
        "only elements of arrays",
    );
}
