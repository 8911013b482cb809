//! Recursion: of one procedure, round a ring, and through a scattered component.

use super::random::Random;
use super::{Expected, put};

/// Procedure `i` counts its three-bit argument down to 0, by calling itself, and then calls `i + 1` with 7.
///
/// Nothing blocks and every way leads on: `R`, in the last procedure at 0, is reachable, at depth 8 N.
pub(super) fn recursion(sizes: &[u64], text: &mut String) {
    let last = sizes[0];
    put(text, format_args!("void main() begin\n  count1(1, 1, 1);\nend\n"));
    for at in 1..=last {
        let on = if at == last { "R: skip;".to_owned() } else { format!("count{}(1, 1, 1);", at + 1) };
        put(
            text,
            format_args!(
                "void count{at}(a, b, c) begin\n\
                 \x20 if (a) then count{at}(0, b, c);\n\
                 \x20 elsif (b) then count{at}(1, 0, c);\n\
                 \x20 elsif (c) then count{at}(1, 1, 0);\n\
                 \x20 else {on} fi\n\
                 end\n"
            ),
        );
    }
}

/// Reachable if N is odd.
pub(super) fn ring_expected(sizes: &[u64]) -> Expected {
    if sizes[0] % 2 == 1 { Expected::Reachable } else { Expected::Unreachable }
}

/// Procedure `i` may negate `g`, call `i + 1` (the last: the first), and negate `g` again.
///
/// `h` keeps the first value of `g`. In a call that returns `g` comes back as it was, so what counts at the entry of a
/// procedure is the number of calls below it: it is `i - 1` plus a multiple of N, and `g ^ h` there is its parity. `R`
/// stands in the first procedure under `g ^ h`: reachable (after one round) if N is odd, unreachable if it is even.
pub(super) fn ring(sizes: &[u64], text: &mut String) {
    let last = sizes[0];
    put(text, format_args!("decl g, h;\nvoid main() begin\n  h := g;\n  ring1();\nend\n"));
    for at in 1..=last {
        let question = if at == 1 { "  if (g ^ h) then R: skip; else skip; fi\n" } else { "" };
        let next = at % last + 1;
        put(
            text,
            format_args!(
                "void ring{at}() begin\n{question}  if (*) then\n    g := !g;\n    ring{next}();\n    g := !g;\n\
                 \x20 else skip; fi\nend\n"
            ),
        );
    }
}

/// Every procedure may call three: the next one (so that all are one component), a scattered one, and itself.
///
/// By induction over the calls that return, each leaves `g` and its result leaves the argument as it was; `main` compares
/// both: `R` is unreachable.
pub(super) fn mutual(sizes: &[u64], text: &mut String) {
    let last = sizes[0];
    let mut random = Random::new(last);
    put(
        text,
        format_args!(
            "decl g;\nvoid main() begin\n  decl a, b, h;\n  h := g;\n  b := proc1(a);\n\
             \x20 if ((a ^ b) | (g ^ h)) then R: skip; else skip; fi\nend\n"
        ),
    );
    for at in 1..=last {
        let next = at % last + 1;
        let scattered = 1 + random.below(last);
        put(
            text,
            format_args!(
                "bool proc{at}(a) begin\n\
                 \x20 decl x, y;\n\
                 \x20 x := a;\n\
                 \x20 if (*) then\n\
                 \x20   g := !g;\n\
                 \x20   y := proc{next}(!a);\n\
                 \x20   x := proc{scattered}(!y);\n\
                 \x20   g := !g;\n\
                 \x20 elsif (*) then\n\
                 \x20   x := proc{at}(x);\n\
                 \x20 else skip; fi\n\
                 \x20 return x;\n\
                 end\n"
            ),
        );
    }
}
