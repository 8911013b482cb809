//! Texts that nobody wrote: random bytes, tokens in any order, programs with mistakes in them.

#[path = "../support/soup.rs"]
mod support;

use support::Soup;

use crate::checks::read_anything;

#[rustfmt::skip]
const TOKENS: [&str; 82] = [
    "decl", "begin", "end", "void", "bool", "if", "then", "else", "elsif", "elif", "fi", "while", "do", "od", "goto", "return",
    "skip", "assert", "assume", "enforce", "constrain", "schoose", "print", "dead", "abortif", "sync", "start_thread",
    "end_thread", "wait", "dfs", "main", "f", "g", "h", "x", "L", "_", "T", "F", "0", "1", "2", "{a b}", "{", "}", "a-b", "x$",
    "ASYNC_1", "(", ")", "[", "]", "<", ">", ",", ";", ";", ":", "::", ".", ":=", ":=", "*", "?", "'", "!", "&", "|", "^", "=>",
    "=", "==", "!=", "@", "#", "\\", "/*", "*/", "//", "\n", "\r", "ü",
];

const PROGRAMS: [&str; 4] = [
    "decl g, h := 1; bool<2> f(bool a, b) begin decl x; enforce a; L: x := a & *; if (x = b) then return x, !a; elsif g then fi M: end
     void main() begin decl y; y, _ := f(g, h); f(0, ?); while (y | g) do goto L, N; od N: assert(y); L: g, y := *, y constrain 'g => y; end",
    "decl s0:=1, s1; void main() begin decl l0:=0; 0: s0,s1 := s1,s0 constrain s0 | s1; 1: goto 2,3; 2: if !s0 then goto 0; fi; 3: assert(!l0); end",
    "main() begin decl {x == 1}; {x == 1} := r({x == 1}); constrain('({x == 1})); print({x == 1}); end r(a) begin if (?) then return a; else return; fi end",
    "decl a, b; void main() begin skip; enforce a | b; a := schoose[b, !b] ? a : b ^ a = b; dead a; abortif a & !b; main(); end",
];

const SOUP: Soup<'_> = Soup {
    tokens: &TOKENS,
    beginnings: &["", "void main() begin ", "decl g, x; void main() begin x := "],
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
        assert!(puch::boolprog::read(program, "", &puch::boolprog::Options::default()).is_ok(), "{program}");
    }
}
