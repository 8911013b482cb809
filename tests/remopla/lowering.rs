//! What each construct becomes.

use puch::remopla::{Arithmetic, Options};
use spds_format::model::{Scalar, Type};

use crate::show::{accept, accept_with, lines, rules, rules_with};

/// The rules of a body of `main`, over some variables, without the rules of the other modules.
fn body(statements: &str) -> String {
    body_with(statements, &Options::default())
}

fn body_with(statements: &str, options: &Options) -> String {
    let text = format!(
        "int g(3), a[1,3](3), m[2][3,4](2); bool b, c[2]; enum C {{r0, r1, r2}} e, f[2]; struct S {{int f(2); bool h;}} s, t, p[2];
         module int[2](3) id(int v[2](3), struct S z) {{ return v; }}
         module struct S st() {{ return s; }}
         module bool bo(bool q) {{ return !q; }}
         module void main() {{ int x(4), y(4), w[2](3); {statements}\n}} err: goto err;"
    );
    let all = rules_with(&text, options);
    let own = all.lines().filter(|line| line.contains("<main/"));
    own.map(|line| line.replace("main/", "")).collect::<Vec<_>>().join("\n")
}

#[test]
fn assignments_are_parallel() {
    assert_eq!(
        body(r#"x = y, y = x;"#),
        r#"<0> -> <1> { x' := y; y' := x }
<1> -> <>"#
    );
}

#[test]
fn two_dimensions_are_laid_out_row_by_row() {
    assert_eq!(
        body(r#"a[x] = g + 1, a[2] = a[1];"#),
        r#"<0> -> <1> { a'[x] := g + 1; a'[2] := a[1] }
<1> -> <>"#
    );
}

#[test]
fn undef_is_any_value_and_any_member() {
    assert_eq!(
        body(r#"m[1][g] = 3; m[0][3] = m[1][4]; m[x][y] = 0;"#),
        r#"<0> -> <1> { m'[g < 3 | g > 4 ? 4 : 1 * 2 + (g - 3)] := 3 }
<1> -> <2> { m'[0] := m[3] }
<2> -> <3> { m'[y < 3 | y > 4 ? 4 : x * 2 + (y - 3)] := 0 }
<3> -> <>"#
    );
}

#[test]
fn wholes_are_copied_cell_by_cell_and_field_by_field() {
    assert_eq!(
        body(r#"c = undef; a = a; w = undef; e = undef; f = undef; f[x] = undef; a[g] = undef;"#),
        r#"<0> -> <1> { c' := * }
<1> -> <2> { a'[1] := a[1]; a'[2] := a[2]; a'[3] := a[3] }
<2> -> <3> { w' := * }
<3> -> <4> with e' <= 2
<4> -> <5> with f'[0] <= 2 & f'[1] <= 2
<5> -> <6> with f'[x] <= 2 & (f'[0] = f[0] | x = 0) & (f'[1] = f[1] | x = 1)
<6> -> <7> { a'[g] := * }
<7> -> <>"#
    );
}

#[test]
fn any_value_but_one() {
    assert_eq!(
        body(r#"s = t; p[1] = s; s = p[x]; p = p; s.f = p[0].f; p[g].h = s.h; s = undef; p[x] = undef;"#),
        r#"<0> -> <1> { "s.f"' := "t.f"; "s.h"' := "t.h" }
<1> -> <2> { "p.f"'[1] := "s.f"; "p.h"'[1] := "s.h" }
<2> -> <3> { "s.f"' := "p.f"[x]; "s.h"' := "p.h"[x] }
<3> -> <4> { "p.f"'[0] := "p.f"[0]; "p.f"'[1] := "p.f"[1]; "p.h"'[0] := "p.h"[0]; "p.h"'[1] := "p.h"[1] }
<4> -> <5> { "s.f"' := "p.f"[0] }
<5> -> <6> { "p.h"'[g] := "s.h" }
<6> -> <7> { "s.f"' := *; "s.h"' := * }
<7> -> <8> { "p.f"'[x] := *; "p.h"'[x] := * }
<8> -> <>"#
    );
}

#[test]
fn quantified_assignments_are_written_out() {
    assert_eq!(
        body(r#"x != 3; a[1] != g; b != c[0]; f[x] != r1;"#),
        r#"<0> -> <1> with x' != 3
<1> -> <2> with a'[1] != g & a'[2] = a[2] & a'[3] = a[3]
<2> -> <3> with b' ^ c[0]
<3> -> <4> with f'[x] != 1 & f'[x] <= 2 & (f'[0] = f[0] | x = 0) & (f'[1] = f[1] | x = 1)
<4> -> <>"#
    );
}

#[test]
fn quantifiers_are_written_out() {
    assert_eq!(
        body(
            r#"A i (1,3) a[i] = i; A i (0,1) A j (3,4) m[i][j] = i + j - 3; E i (1,2) a[i] = 0; A i (0,1) E j (0,1) c[j] = i == j;"#
        ),
        r#"<0> -> <1> { a'[1] := 1; a'[2] := 2; a'[3] := 3 }
<1> -> <2> { m'[0] := 0; m'[1] := 1; m'[2] := 1; m'[3] := 2 }
<2> -> <3> { a'[1] := 0 }
<2> -> <3> { a'[2] := 0 }
<3> -> <4> { c'[0] := 0 = 0; c'[0] := 1 = 0 }
<3> -> <4> { c'[0] := 0 = 0; c'[1] := 1 = 1 }
<3> -> <4> { c'[1] := 0 = 1; c'[0] := 1 = 0 }
<3> -> <4> { c'[1] := 0 = 1; c'[1] := 1 = 1 }
<4> -> <>"#
    );
}

#[test]
fn skip_is_an_assumption_and_operators_bind_as_in_moped() {
    assert_eq!(
        body(
            r#"b = A i (1,2) a[i] <= a[i+1]; b = E i (0,1) !c[i] && b; b = !g == 3; b = A i (1,2) E j (1,2) a[i] == a[j] + i; "#
        ),
        r#"<0> -> <1> { b' := a[1] <= a[2] & a[2] <= a[3] }
<1> -> <2> { b' := (!c[0] | !c[1]) & b }
<2> -> <3> { b' := !(g = 3) }
<3> -> <4> { b' := (a[1] = a[1] + 1 | a[1] = a[2] + 1) & (a[2] = a[1] + 2 | a[2] = a[2] + 2) }
<4> -> <>"#
    );
}

#[test]
fn a_condition_is_taken_with_the_first_statement_of_its_clause() {
    assert_eq!(
        body(r#"skip; skip(b); skip (x < 3 && !b); b = c[x] == c[1] ^^ true; b = x << 1 > y & b | c[0] ^ b;"#),
        r#"<0> -> <1>
<1> -> <2> when b
<2> -> <3> when x < 3 & !b
<3> -> <4> { b' := c[x] = c[1] ^ true }
<4> -> <5> { b' := x << 1 > y & b | c[0] ^ b }
<5> -> <>"#
    );
}

#[test]
fn a_loop_is_left_by_break() {
    assert_eq!(
        body(r#"if :: b -> x = 1; y = 2; :: !b && g == 0 -> skip; :: else -> break0: x = 3; fi y = 0;"#),
        r#"<0> -> <2> when b { x' := 1 }
<0> -> <5> when !b & g = 0
<0> -> <4> when !(b | !b & g = 0)
<2> -> <5> { y' := 2 }
<4> -> <5> { x' := 3 }
<5> -> <6> { y' := 0 }
<6> -> <>"#
    );
}

#[test]
fn blocks_at_the_beginning_of_a_clause_need_a_step() {
    assert_eq!(
        body(r#"do :: x > 0 -> x = x - 1; :: x == 0 -> break; od goto err;"#),
        r#"<0> -> <0> when x > 0 { x' := x - 1 }
<0> -> <3> when x = 0
<3> -> <"/7">"#
    );
}

#[test]
fn calls_take_values_of_every_type_and_give_them_back() {
    assert_eq!(
        body(r#"if :: b -> if :: g == 0 -> goto err; fi :: else -> do :: true -> return; od fi"#),
        r#"<0> -> <1> when b
<0> -> <3> when !b
<1> -> <"/8"> when g = 0
<3> -> <>"#
    );
}

#[test]
fn labels_and_module_names_are_places() {
    assert_eq!(
        body(
            r#"w = id(w, s); s = st(), g = 0, x = y; b = bo(undef), b = g > 1; bo(c[1]); p[x] = st(); w[0] = 1; f[1] = e; e = r2; id(w, p[1]);"#
        ),
        r#"<0> -> <id/0 0$> { v'[0] := w[0]; v'[1] := w[1]; "z.f"' := "s.f"; "z.h"' := "s.h" }
silent rule <0$> -> <1> { w'[0] := $r1[0]; w'[1] := $r1[1]; $r1' := * }
<1> -> <st/0 1$> { g' := 0; x'' := y }
silent rule <1$> -> <2> { "s.f"' := $r2; "s.h"' := $r3; $r2' := *; $r3' := * }
<2> -> <bo/0 2$> { b' := g > 1 }
silent rule <2$> -> <3> { b' := $r3; $r3' := * }
<3> -> <bo/0 4> { q' := c[1] }
<4> -> <st/0 4$>
silent rule <4$> -> <5> { "p.f"'[x] := $r2; "p.h"'[x] := $r3; $r2' := *; $r3' := * }
<5> -> <6> { w'[0] := 1 }
<6> -> <7> when e <= 2 { f'[1] := e }
<7> -> <8> { e' := 2 }
<8> -> <id/0 9> { v'[0] := w[0]; v'[1] := w[1]; "z.f"' := "p.f"[1]; "z.h"' := "p.h"[1] }
<9> -> <>"#
    );
}

#[test]
fn a_whole_program() {
    let text = "\
define N 3
define DEFAULT_INT_BITS N
int heap[N + 1], ptr(4);
struct P { int x(2); bool y; } p[1, 2];
enum Colour { RED, GREEN, BLUE } c;
module int fac(int n);
init begin main;
module void begin() { ptr = RED + 1; }
module void main() {
  int r;
  enum Colour d;
  r = fac(3);
L: M:
  if
  :: r != 6 -> goto error;
  :: else -> skip;
  fi
}
module int fac(int n) {
  if :: n <= 1 -> return 1; :: else -> skip; fi
  n = fac(n - 1);
  return n;
}
error: goto error;
";
    let expected = "\
global heap: u3[0..3]
global ptr: u4
global \"p.x\": u2[1..2]
global \"p.y\": bool[1..2]
global c: u2
global hidden $r1: u3
frame begin {}
frame main { r: u3, d: u2 }
frame fac { n: u3 }
control q
symbol begin/0 in begin at test.rem:8:23 labels begin
symbol begin/1 in begin at test.rem:8:38
symbol main/0 in main at test.rem:12:3 labels main invariant d <= 2
symbol main/0$ in main at test.rem:12:3
symbol main/1 in main at test.rem:14:3 labels L, M
symbol main/4 in main at test.rem:18:1
symbol fac/0 in fac at test.rem:20:3 labels fac
symbol fac/3 in fac at test.rem:21:3
symbol fac/3$ in fac at test.rem:21:3
symbol fac/4 in fac at test.rem:22:3
symbol \"/10\" at test.rem:24:8 labels error
symbol @end
symbol @fail
start <begin/0 main/0 @end> when c <= 2
<begin/0> -> <begin/1> { ptr' := 1 }
<main/0> -> <fac/0 main/0$> { n' := 3 }
silent rule <main/0$> -> <main/1> { r' := $r1; $r1' := * }
<main/1> -> <\"/10\"> when r != 6
<main/1> -> <main/4> when !(r != 6)
<fac/0> -> <> when n <= 1 { $r1' := 1 }
<fac/0> -> <fac/3> when !(n <= 1)
<fac/3> -> <fac/0 fac/3$> { n' := n - 1 }
silent rule <fac/3$> -> <fac/4> { n' := $r1; $r1' := * }
<fac/4> -> <> { $r1' := n }
<\"/10\"> -> <\"/10\">
<begin/1> -> <>
<main/4> -> <>";
    let words = ["global", "frame", "control", "symbol", "start", "rule", "silent"];
    let program = accept(text);
    assert_eq!(lines(&program.spds, &words), expected);
    assert!(!program.has_asserts && program.warnings.is_empty());
    assert_eq!(program.spds.globals[2].ty, Type { scalar: Scalar::Unsigned(2), range: Some((1, 2)) });
}

#[test]
fn rules_in_the_text_keep_nothing_of_themselves() {
    let text = "int g(2); bool b[2];
module void p(int x(2)) { q <p> --> q <p m> \"call\" (x > 0 && x' == x - 1 && x'' == x && g' == g)
  q <p> --> r <> (b[0] && b'[1])
  m: return; }
module void main() { bool l; p(g); q <here> --> q <there> (l' == !l) there: skip; }
r <main> --> q <out>";
    let expected = "\
<p/0> -> <p/0 p/2> { g' := *; b' := *; x'' := * } with x > 0 & x' = x - 1 & x'' = x & g' = g label \"call\"
<p/0> -> <r> { g' := *; b' := * } with b[0] & b'[1]
<p/2> -> <>
<main/0> -> <p/0 main/1> { x' := g }
<main/1> -> <main/2> { g' := *; b' := *; l' := * } with l' = !l
<main/2> -> <main/3>
<r, main/0> -> <out> { g' := *; b' := * }
<main/3> -> <>
<r, @end> -> <r, @end>";
    assert_eq!(rules(text), expected);
    let symbols = lines(&accept(text).spds, &["symbol main/1", "symbol out", "control"]);
    assert_eq!(
        symbols,
        "control q\ncontrol r\nsymbol main/1 in main at test.rem:5:36 labels here\nsymbol out labels out"
    );
}

#[test]
fn a_rule_that_begins_a_module_can_speak_of_another_symbol() {
    let text = "module void main() { q <m> --> q <main> m: skip; }";
    assert_eq!(rules(text), "<main/1> -> <main/0>\n<main/1> -> <main/2>\n<main/0> -> <main/1>\n<main/2> -> <>");
    // Labels of rules that name each other lead nowhere, and nobody goes round in circles.
    let text = "module void main() { L: q <M> --> q <main> M: q <L> --> q <main> }";
    assert_eq!(rules(text), "<main/1> -> <main/0>\n<main/0> -> <main/0>");
}

#[test]
fn control_outside_of_modules_follows_the_text() {
    let text = "bool b; L: b = true; M: b = false; module void main() { goto L; } N: skip; O: main(); K: b = f(); module bool f() { return b; }";
    let expected = "\
<\"/0\"> -> <\"/1\"> { b' := true }
<\"/1\"> -> <main/0> { b' := false }
<main/0> -> <\"/0\">
<\"/3\"> -> <\"/4\">
<\"/4\"> -> <main/0 \"/5\">
<\"/5\"> -> <f/0 \"/5$\">
silent rule <\"/5$\"> -> <f/0> { b' := $r1; $r1' := * }
<f/0> -> <> { $r1' := b }";
    assert_eq!(rules(text), expected);
    // At the end of the text nothing follows.
    assert_eq!(rules("bool b; module void main() { goto L; } L: b = true;"), "<main/0> -> <\"/1\">");
}

#[test]
fn a_module_begins_where_it_can_be_entered() {
    // Another module's label: the locals are arbitrary there, but members of their types.
    let text = "enum C {r, g, b} c; module void f() { enum C d; skip; L: skip; } module void main() { goto L, c = g; }";
    let symbols = lines(&accept(text).spds, &["symbol f/"]);
    let expected = "symbol f/0 in f at test.rem:1:49 labels f invariant d <= 2
symbol f/1 in f at test.rem:1:58 labels L invariant d <= 2
symbol f/2 in f at test.rem:1:64";
    assert_eq!(symbols, expected);
}

fn check() -> Options {
    Options { arithmetic: Arithmetic::Check, ..Options::default() }
}

#[test]
fn what_can_go_wrong_goes_to_fail_with_a_reason() {
    assert_eq!(
        body_with("x = x + 1; y = x / y; a[x] = 1; x = y; x = g; g = x; x = 3;", &check()),
        "\
<0> -> <1> when !(x + 1 > 15) { x' := x + 1 }
<0> -> <@fail> when x + 1 > 15 label \"overflow: x + 1 does not fit x\"
<1> -> <2> when !(y = 0) { y' := x / y }
<1> -> <@fail> when y = 0 label \"division by zero: x / y\"
<2> -> <3> when !(x < 1 | x > 3) { a'[x] := 1 }
<2> -> <@fail> when x < 1 | x > 3 label \"index out of range: a[x]\"
<3> -> <4> { x' := y }
<4> -> <5> { x' := g }
<5> -> <6> when !(x > 7) { g' := x }
<5> -> <@fail> when x > 7 label \"overflow: x does not fit g\"
<6> -> <7> { x' := 3 }
<7> -> <>"
    );
    assert_eq!(
        body_with(
            "if :: x > 0 && y / x > 2 -> g = a[y]; :: b || 1 << x - y == 2 -> return; :: else -> skip; fi",
            &check()
        ),
        "\
<0> -> <4> when x > 0 & y / x > 2 & !(x > 0 & x = 0) & !(y < 1 | y > 3) { g' := a[y] }
<0> -> <@fail> when x > 0 & y / x > 2 & !(x > 0 & x = 0) & (y < 1 | y > 3) label \"index out of range: a[y]\"
<0> -> <> when (b | 1 << x - y = 2) & !(!b & x - y < 0)
<0> -> <4> when !(x > 0 & y / x > 2 | (b | 1 << x - y = 2)) & !(x > 0 & x = 0) & !(!b & x - y < 0)
<0> -> <@fail> when x > 0 & x = 0 label \"division by zero: y / x\"
<0> -> <@fail> when !b & x - y < 0 label \"shift by a negative amount or by more than 64: 1 << x - y\"
<4> -> <>"
    );
    assert_eq!(
        body_with("m[x][4] = 1; w = id(w, s); w[y] = x & y - 1; e = g;", &check()),
        "\
<0> -> <1> when !(x > 1) { m'[x * 2 + (4 - 3)] := 1 }
<0> -> <@fail> when x > 1 label \"index out of range: m[x][4]\"
<1> -> <id/0 1$> { v'[0] := w[0]; v'[1] := w[1]; \"z.f\"' := \"s.f\"; \"z.h\"' := \"s.h\" }
silent rule <1$> -> <2> { w'[0] := $r1[0]; w'[1] := $r1[1]; $r1' := * }
<2> -> <3> when !(y > 1) & !(y - 1 < 0) & !((x & y - 1) > 7) { w'[y] := x & y - 1 }
<2> -> <@fail> when y > 1 label \"index out of range: w[y]\"
<2> -> <@fail> when y - 1 < 0 label \"bitwise operation on a negative number: x & y - 1\"
<2> -> <@fail> when (x & y - 1) > 7 label \"overflow: x & y - 1 does not fit w\"
<3> -> <4> when !(g > 2) { e' := g }
<3> -> <@fail> when g > 2 label \"overflow: g does not fit e\"
<4> -> <>"
    );
    assert!(accept_with("int x(1); module void main() { x = 2 - x; }", &check()).has_asserts);
    assert!(!accept_with("int x(1); module void main() { x = 1 - x; }", &check()).has_asserts);
}

#[test]
fn results_can_overflow_where_they_are_stored() {
    let text = "int x(1); module int(3) f(int n(2)) { return n + n; } module void main() { x = f(x + 3); }";
    assert_eq!(
        rules_with(text, &check()),
        "\
<f/0> -> <> { $r1' := n + n }
<main/0> -> <f/0 main/0$> when !(x + 3 > 3) { n' := x + 3 }
<main/0> -> <@fail> when x + 3 > 3 label \"overflow: x + 3 does not fit n\"
silent rule <main/0$> -> <main/1> when !($r1 > 1) { x' := $r1; $r1' := * }
silent rule <main/0$> -> <@fail> when $r1 > 1 label \"overflow: the result of f does not fit x\"
<main/1> -> <>"
    );
}

#[test]
fn what_is_stored_wraps_around() {
    let wrap = Options { arithmetic: Arithmetic::Wrap, ..Options::default() };
    assert_eq!(
        body_with("x = x + 1; x = x - y; x = g; g = x; x = y / x; a[x - y] = 9; e = g; x = x - y * y;", &wrap),
        "\
<0> -> <1> { x' := x + 1 & 15 }
<1> -> <2> { x' := x - y + 16 & 15 }
<2> -> <3> { x' := g }
<3> -> <4> { g' := x & 7 }
<4> -> <5> { x' := y / x }
<5> -> <6> { a'[x - y] := 9 & 7 }
<6> -> <7> when g <= 2 { e' := g }
<7> -> <8> { x' := x - y * y + 240 & 15 }
<8> -> <>"
    );
    let text = "int x(64), y(64); module void main() { x = y - 1; x = x - y * y; x = x << 3; }";
    assert_eq!(
        rules_with(text, &wrap),
        "\
<main/0> -> <main/1> { x' := y - 1 + (1 << 64) & 18446744073709551615 }
<main/1> -> <main/2> { x' := (x - y * y) % (1 << 64) + (1 << 64) & 18446744073709551615 }
<main/2> -> <main/3> { x' := x << 3 & 18446744073709551615 }
<main/3> -> <>"
    );
}
