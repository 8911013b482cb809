//! Texts that nobody wrote: random bytes, tokens in any order, texts with mistakes in them.

#[path = "../support/soup.rs"]
mod support;

use support::Soup;

use crate::checks::read_anything;

#[rustfmt::skip]
const TOKENS: [&str; 62] = [
    "define", "global", "local", "atoms", "bool", "int", "A i (0,2)", "E", "A", "i", "N", "g", "x", "a", "v", "q", "m", "n", "<m>",
    "-->", "<", ">", "(", ")", "(", ")", "[", "]", ",", ";", "0", "1", "3", "99999999999999999999", "'", "''", "!", "&", "|", "^", "==",
    "<=>", "=", "!=", "<=", ">=", "<<", "+", "-", "*", "/", ".", "::", "\"", "\"l\"", "#", "{", "}", "%", "\n", "ü", "\0",
];

const TEXTS: [&str; 3] = [
    "define N 3\nglobal bool g; int x(N); int a[1,3](2);\nlocal main (m, n) int v(N); bool b;\n(q (x=0) <m (v=x)>)\natoms m here, n\n\
     q <m> --> q <n m> \"call\" (x<7 & x'=x+1 & v'=v & v''=v & (b'==b) & (b''==b) & (g'==g) & (A i (1,3) a'[i]=a[i]))\n\
     q <n> --> q <> (x'=x & g' & a'[x]=2 & (A i (1,3) (i=x | a'[i]=a[i])))\n",
    "(I<_>)\nI<_> --> S1<l3 _>\nS1<l3> --> S1<>\nS1<_> --> DONE<_>\n",
    "global int a[0,1](1);\n(q <m>)\nq <m> --> q <m> ((E i (0,1) a'[i] != a[1-i]) & !(a[0]*2 < a'[1]-1) ^ a'[0]=a'[0])\n",
];

const SOUP: Soup<'_> = Soup {
    tokens: &TOKENS,
    beginnings: &["", "global bool g; int x(3); (q <m>) q <m> --> q <m> (", "local (m) "],
    texts: &TEXTS,
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
fn texts_with_mistakes() {
    SOUP.texts_with_mistakes();
}

#[test]
fn texts_cut_anywhere() {
    SOUP.texts_cut_anywhere();
}

#[test]
fn the_whole_ones_are_right() {
    for text in TEXTS {
        let system = puch::moped_pds::read(text, "", &puch::moped_pds::Options::default());
        assert!(system.is_ok(), "{text}: {system:#?}");
    }
}
