//! Texts that nobody wrote: random bytes, tokens in any order, programs with mistakes in them.

use crate::checks::read_anything;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

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

#[test]
fn random_bytes() {
    let mut random = Random(1);
    for _ in 0..2000 {
        let length = random.below(80);
        let bytes: Vec<u8> =
            (0..length).map(|_| random.next() as u8 & if random.below(8) == 0 { 0xff } else { 0x7f }).collect();
        read_anything(&bytes);
    }
}

#[test]
fn token_soup() {
    let mut random = Random(2);
    for _ in 0..4000 {
        let length = random.below(60);
        let mut text = String::from(["", "void main() begin ", "decl g, x; void main() begin x := "][random.below(3)]);
        for _ in 0..length {
            text += TOKENS[random.below(TOKENS.len())];
            text += [" ", ""][usize::from(random.below(9) == 0)];
        }
        read_anything(text.as_bytes());
    }
}

#[test]
fn programs_with_mistakes() {
    let mut random = Random(3);
    for round in 0..4000 {
        let mut bytes = PROGRAMS[round % PROGRAMS.len()].as_bytes().to_vec();
        for _ in 0..random.below(4) {
            let at = random.below(bytes.len());
            match random.below(5) {
                0 => drop(bytes.drain(at..(at + random.below(12)).min(bytes.len()))),
                1 => bytes[at] = random.next() as u8 & 0x7f,
                2 => drop(bytes.splice(at..at, TOKENS[random.below(TOKENS.len())].bytes())),
                3 => drop(bytes.splice(at..at, format!(" {} ", TOKENS[random.below(TOKENS.len())]).bytes())),
                _ => {
                    let piece = bytes[at..(at + 20).min(bytes.len())].to_vec();
                    let to = random.below(bytes.len());
                    drop(bytes.splice(to..to, piece));
                }
            }
        }
        read_anything(&bytes);
    }
}

#[test]
fn programs_cut_anywhere() {
    for program in PROGRAMS {
        for end in 0..=program.len() {
            read_anything(&program.as_bytes()[..end]);
        }
        // The whole one is right.
        assert!(puch::boolprog::read(program, "", &puch::boolprog::Options::default()).is_ok(), "{program}");
    }
}
