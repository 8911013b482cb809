//! Texts that nobody wrote: random bytes, tokens in any order, programs with mistakes in them.

#[path = "../support/soup.rs"]
mod support;

use support::Soup;

use crate::checks::read_anything;

#[rustfmt::skip]
const TOKENS: [&str; 94] = [
    "define", "DEFAULT_INT_BITS", "bool", "int", "unsigned int", "signed int", "enum", "struct", "void", "init", "module",
    "if", "fi", "do", "od", "else", "return", "break", "skip", "goto", "true", "false", "undef", "fork", "shared", "A", "E",
    "pchoice", "N", "x", "b", "a", "a[1]", "m[i][0]", "s", "s.f", "p[0].f", "f", "g", "main", "L", "M", "i", "0", "1", "2", "7",
    "18446744073709551616", "(", ")", "[", "]", "{", "}", "<", ">", ",", ";", ";", ";", ":", "::", "->", "-->", "'", "''", "=", "=",
    "==", "!=", "<=", ">=", "<=>", "!", "&&", "||", "^^", "&", "|", "^", "<<", ">>", "+", "-", "*", "/", ".", "\"t\"", "\"", "#", "%",
    "\n", "@", "ü",
];

const PROGRAMS: [&str; 5] = [
    "define N 3 define DEFAULT_INT_BITS N int x, a[N]; bool b; int m[2][1,2](2); enum C {R, G, B} c; struct S {int f; bool g[2];} s, t;
     module int f(int n, bool b); init main;
     module void main() { int i; x = f(x + 1, b), a[0] = 2; s = t, c = undef, m[1][2] = x / a[i]; do :: x > 0 && a[x] < N -> break; :: else -> skip; od }
     module int f(int n, bool b) { if :: n == 0 -> return 1; :: else -> n = f(n - 1, !b); fi return n * 2; } err: goto err;",
    "int a[4](2); int k(2); struct P {int x(2); bool y;} p[2]; module void main() { A i (0,3) a[i] = i; E i (0,2) a[i] = a[i + 1]; k != 2;
     p[0] = p[1], a[k] = undef; if :: A i (0,3) E j (0,3) a[i] == a[j] -> L: skip(k << 1 >= 2); fi; goto L, k = k ^ 1; }",
    "int g(3); bool h; module bool p(int x(3)) { q <p> --> q <p m> \"call\" (x > 0 && x' == x - 1 && g' == g && x'' == x && h' == h)
     q <p> --> r <> (g' == x) m: return g > 2 ^^ h; } module void main() { h = p(g); } r <main> --> q <main> (h' == h)",
    "enum E3 {e0, e1, e2}; bool b[3]; module bool[3] f(bool v[3], enum E3 e) { v[0] = e == e1; return v; } module enum E3 g() { return e2; }
     module void main() { b = f(b, g1); do :: true -> if :: b[0] <=> b[1] -> break; :: else -> b[e2] = undef; fi od } module void h() { enum E3 z; z = g(); f(b, z); return; }",
    "int x(64), y(1); L: x = x << 64 - y; M: if :: x != 1 -> goto M; :: else -> goto L, y = 0; fi init L;",
];

const SOUP: Soup<'_> = Soup {
    tokens: &TOKENS,
    beginnings: &["", "module void main() { ", "int x(3), a[3](2); bool b; module void main() { x = "],
    texts: &PROGRAMS,
    read: read_anything,
};

#[test]
fn random_bytes() {
    SOUP.random_bytes();
}

#[test]
fn token_soup() {
    SOUP.tokens_in_any_order();
}

#[test]
fn programs_with_mistakes() {
    SOUP.texts_with_mistakes();
}

#[test]
fn programs_cut_anywhere() {
    SOUP.texts_cut_anywhere();
}

#[test]
fn the_whole_ones_are_right() {
    for program in PROGRAMS {
        let program = program.replace("g1)", "e1)");
        crate::show::accept(&program);
    }
}
