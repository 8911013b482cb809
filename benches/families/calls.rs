//! Many small procedures: Bebop's template, its doubling variant, trees and chains of calls.

use super::put;
use super::random::Random;

/// T(N): Ball and Rajamani, Bebop (SPIN 2000), Fig. 4.
///
/// Every level negates `g` whatever it was: a last level does so with nothing before, and two calls of the level below
/// cancel out, so two calls in `main` leave `g` as it was. `R` needs `!g` after them: reachable, from `g = 0` only.
pub(super) fn template(sizes: &[u64], text: &mut String) {
    levels(sizes[0], "", text);
}

/// T(N) with `assume(g)` first: by the argument of [`template`], `R` is unreachable.
pub(super) fn template_safe(sizes: &[u64], text: &mut String) {
    levels(sizes[0], "  assume(g);\n", text);
}

fn levels(last: u64, first: &str, text: &mut String) {
    put(
        text,
        format_args!(
            "decl g;\n\
             void main() begin\n\
             {first}  level1();\n  level1();\n\
             \x20 if (!g) then R: skip; else skip; fi\n\
             end\n"
        ),
    );
    for level in 1..=last {
        let below = if level == last { "skip;".to_owned() } else { format!("level{}();", level + 1) };
        put(
            text,
            format_args!(
                "void level{level}() begin\n\
                 \x20 decl a, b, c;\n\
                 \x20 if (g) then\n\
                 \x20   a, b, c := 0, 0, 0;\n\
                 \x20   while (!a | !b | !c) do\n\
                 \x20     if (!a) then a := 1;\n\
                 \x20     elsif (!b) then a, b := 0, 1;\n\
                 \x20     else a, b, c := 0, 0, 1; fi\n\
                 \x20   od\n\
                 \x20 else\n\
                 \x20   {below}\n    {below}\n\
                 \x20 fi\n\
                 \x20 g := !g;\n\
                 end\n"
            ),
        );
    }
}

/// D2(N): as T(N), but each level calls the next one twice whatever `g` is, and only the last level negates it.
///
/// The last level runs 2^N times, an even number, so `main` finds `g` as it was; `R` needs `!g` and is reachable from
/// `g = 0`, by a run that takes more than 2^N steps.
pub(super) fn doubling(sizes: &[u64], text: &mut String) {
    let last = sizes[0];
    put(
        text,
        format_args!(
            "decl g;\nvoid main() begin\n  level1();\n  level1();\n  if (!g) then R: skip; else skip; fi\nend\n"
        ),
    );
    for level in 1..last {
        let below = level + 1;
        put(text, format_args!("void level{level}() begin\n  level{below}();\n  level{below}();\nend\n"));
    }
    put(text, format_args!("void level{last}() begin\n  g := !g;\nend\n"));
}

/// Procedure `i` calls `2i` and `2i + 1`; a leaf returns its argument.
///
/// By induction from the leaves every procedure returns its argument: with `x = a` and `y = !a` also `x & !y = a`. So
/// the result in `main` equals the argument, and `R` is unreachable; to know that, the summaries must relate results to
/// arguments.
pub(super) fn tree(sizes: &[u64], text: &mut String) {
    let last = sizes[0];
    put(
        text,
        format_args!(
            "void main() begin\n  decl a, b;\n  b := node1(a);\n  if (a ^ b) then R: skip; else skip; fi\nend\n"
        ),
    );
    for node in 1..=last {
        let (left, right) = (2 * node, 2 * node + 1);
        put(text, format_args!("bool node{node}(a) begin\n"));
        if right <= last {
            put(text, format_args!("  decl x, y;\n  x := node{left}(a);\n  y := node{right}(!a);\n  return x & !y;\n"));
        } else if left <= last {
            put(text, format_args!("  decl x;\n  x := node{left}(a);\n  return x;\n"));
        } else {
            put(text, format_args!("  return a;\n"));
        }
        put(text, format_args!("end\n"));
    }
}

/// Procedure `i` negates `g` and calls `i + 1`; in the last one stands `R`, under `g`.
///
/// `g` is arbitrary at the start, so it is so after any number of negations: `R` is reachable, at the depth of the chain.
pub(super) fn chain(sizes: &[u64], text: &mut String) {
    let last = sizes[0];
    put(text, format_args!("decl g;\nvoid main() begin\n  link1();\nend\n"));
    for link in 1..last {
        put(text, format_args!("void link{link}() begin\n  g := !g;\n  link{}();\nend\n", link + 1));
    }
    put(text, format_args!("void link{last}() begin\n  if (g) then R: skip; else skip; fi\nend\n"));
}

/// Procedure `i` negates `g`, calls `i + 1` and keeps, in a local, what `g` was at its entry.
///
/// Each procedure leaves `g` as it found it, having put it back from its local; `main` compares `g` with its own copy:
/// `R` is unreachable. Between, `g` depends on the depth.
pub(super) fn chain_return(sizes: &[u64], text: &mut String) {
    let last = sizes[0];
    put(
        text,
        format_args!(
            "decl g;\nvoid main() begin\n  decl h;\n  h := g;\n  link1();\n\
             \x20 if (g ^ h) then R: skip; else skip; fi\nend\n"
        ),
    );
    for link in 1..=last {
        let below = if link == last { "skip;".to_owned() } else { format!("link{}();", link + 1) };
        put(
            text,
            format_args!("void link{link}() begin\n  decl h;\n  h := g;\n  g := !g;\n  {below}\n  g := h;\nend\n"),
        );
    }
}

/// A binary tree of procedures that each change two of thirty globals, and may or may not call the procedures below them.
///
/// What the first procedure does when it calls none is undone by doing it backwards: `a := a ^ (b & c)` by itself, and so is
/// `c := c ^ (a | b)`. All globals begin with any values, so they can have any after that: `R` is reachable.
pub(super) fn mixing(sizes: &[u64], text: &mut String) {
    const GLOBALS: u64 = 30;
    let globals: Vec<String> = (0..GLOBALS).map(|i| format!("g{i}")).collect();
    let globals = globals.join(", ");
    put(
        text,
        format_args!(
            "decl {globals};\n\
             void main() begin\n\
             \x20 mix0();\n  if (g0 & g1 & g2) then R: skip; else skip; fi\n\
             end\n"
        ),
    );
    let mut random = Random::new(1);
    for procedure in 0..sizes[0] {
        let [a, b, c, ..] = random.shuffled(std::array::from_fn::<u64, { GLOBALS as usize }, _>(|i| i as u64));
        put(text, format_args!("void mix{procedure}() begin\n  g{a} := g{a} ^ (g{b} & g{c});\n"));
        for below in [2 * procedure + 1, 2 * procedure + 2].into_iter().filter(|below| *below < sizes[0]) {
            put(text, format_args!("  if (*) then mix{below}(); else skip; fi\n"));
        }
        put(text, format_args!("  g{c} := g{c} ^ (g{a} | g{b});\nend\n"));
    }
}
