//! Texts that nobody wrote: random bytes, tokens in any order, texts with mistakes in them.

use fastrand::Rng;

use crate::checks::read_anything;
use crate::support::pick;

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

#[test]
fn random_bytes() {
    let mut rng = Rng::with_seed(1);
    for _ in 0..2000 {
        let mask = if rng.u32(..8) == 0 { 0xff } else { 0x7f };
        let bytes: Vec<u8> = (0..rng.usize(..80)).map(|_| rng.u8(..) & mask).collect();
        read_anything(&bytes);
    }
}

#[test]
fn token_soup() {
    let mut rng = Rng::with_seed(2);
    let starts = ["", "global bool g; int x(3); (q <m>) q <m> --> q <m> (", "local (m) "];
    for _ in 0..4000 {
        let mut text = String::from(*pick(&mut rng, &starts));
        for _ in 0..rng.usize(..40) {
            text += TOKENS[rng.usize(..TOKENS.len())];
            text += if rng.u32(..9) == 0 { "" } else { " " };
        }
        read_anything(text.as_bytes());
    }
}

#[test]
fn texts_with_mistakes() {
    let mut rng = Rng::with_seed(3);
    for round in 0..3000 {
        let mut bytes = TEXTS[round % TEXTS.len()].as_bytes().to_vec();
        for _ in 0..rng.usize(..4) {
            let at = rng.usize(..bytes.len());
            match rng.u32(..4) {
                0 => drop(bytes.drain(at..(at + rng.usize(..12)).min(bytes.len()))),
                1 => bytes[at] = rng.u8(..) & 0x7f,
                2 => drop(bytes.splice(at..at, format!(" {} ", pick(&mut rng, &TOKENS)).into_bytes())),
                _ => {
                    let piece = bytes[at..(at + 20).min(bytes.len())].to_vec();
                    let to = rng.usize(..bytes.len());
                    drop(bytes.splice(to..to, piece));
                }
            }
        }
        read_anything(&bytes);
    }
}

#[test]
fn texts_cut_anywhere() {
    for text in TEXTS {
        for end in 0..=text.len() {
            read_anything(&text.as_bytes()[..end]);
        }
        let system = puch::moped_pds::read(text, "", &puch::moped_pds::Options::default());
        assert!(system.is_ok(), "{text}: {system:#?}");
    }
}
