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

/// A procedure increments a number of so many bits, which is global, and calls itself, until all bits are set.
///
/// It calls itself 2^N - 1 deep and returns only when all bits are set, as nothing follows the call: `R`, if some is not, is
/// unreachable.
pub(super) fn counting(sizes: &[u64], text: &mut String) {
    let bits = names("b", sizes[0]);
    let (list, all, more) = (bits.join(", "), bits.join(" & "), incremented(&bits).join(", "));
    let zeros = vec!["0"; bits.len()].join(", ");
    put(
        text,
        format_args!(
            "decl {list};\nvoid main() begin\n  {list} := {zeros};\n  count();\n\
             \x20 if (!({all})) then R: skip; else skip; fi\nend\n\
             void count() begin\n  if (!({all})) then\n    {list} := {more};\n    count();\n  else skip; fi\nend\n"
        ),
    );
}

/// The same with an argument that is decremented, and the global number incremented after each call: the call of n adds n, so
/// that the number is the argument in the end, and `R`, if it is not, is unreachable.
pub(super) fn counting_back(sizes: &[u64], text: &mut String) {
    let (bits, rest) = (names("b", sizes[0]), names("n", sizes[0]));
    let (list, all, more) = (bits.join(", "), bits.join(" & "), incremented(&bits).join(", "));
    let (arguments, some, less) = (rest.join(", "), rest.join(" | "), decremented(&rest).join(", "));
    let (zeros, ones) = (vec!["0"; bits.len()].join(", "), vec!["1"; bits.len()].join(", "));
    put(
        text,
        format_args!(
            "decl {list};\nvoid main() begin\n  {list} := {zeros};\n  count({ones});\n\
             \x20 if (!({all})) then R: skip; else skip; fi\nend\n\
             void count({arguments}) begin\n  if ({some}) then\n    count({less});\n    {list} := {more};\n\
             \x20 else skip; fi\nend\n"
        ),
    );
}

/// A procedure calls itself twice with its argument decremented, and negates `g` at 0.
///
/// With 0 it negates `g`, with 1 it does so twice, and so with more leaves it as it was: `R`, if it is not, is unreachable. The
/// calls are 2^(2^N - 1) and more.
pub(super) fn twice(sizes: &[u64], text: &mut String) {
    let bits = names("n", sizes[0]);
    let (list, some, less) = (bits.join(", "), bits.join(" | "), decremented(&bits).join(", "));
    let ones = vec!["1"; bits.len()].join(", ");
    put(
        text,
        format_args!(
            "decl g;\nvoid main() begin\n  g := 0;\n  twice({ones});\n\
             \x20 if (g) then R: skip; else skip; fi\nend\n\
             void twice({list}) begin\n  if ({some}) then\n    twice({less});\n    twice({less});\n\
             \x20 else g := !g; fi\nend\n"
        ),
    );
}

fn names(stem: &str, count: u64) -> Vec<String> {
    (1..=count).map(|at| format!("{stem}{at}")).collect()
}

/// The bits of a number, the least first, after it was incremented.
fn incremented(bits: &[String]) -> Vec<String> {
    let carried = |at: usize| if at == 0 { "1".to_owned() } else { bits[..at].join(" & ") };
    bits.iter().enumerate().map(|(at, bit)| format!("{bit} ^ ({})", carried(at))).collect()
}

/// The same after it was decremented.
fn decremented(bits: &[String]) -> Vec<String> {
    let kept = |at: usize| if at == 0 { "0".to_owned() } else { bits[..at].join(" | ") };
    bits.iter().enumerate().map(|(at, bit)| format!("{bit} ^ !({})", kept(at))).collect()
}
