//! Propositions in the syntax of programs.

use puch::boolprog::{Dialect, predicate};
use spds_format::Spds;
use spds_format::expr::{Binary, Op, Time, Unary};
use spds_format::model::{FrameId, Var};

use crate::show::accept;

fn spds() -> Spds {
    accept("decl g, {x == y}, h; bool p(x) begin decl g, {q.r}; return x; end void main() begin decl x, long_name; x := p(h); end").spds
}

fn ops(text: &str) -> (Option<u32>, Vec<Op>) {
    let found =
        predicate(text, &spds(), Dialect::Auto, None).unwrap_or_else(|complaints| panic!("{text}: {complaints:?}"));
    (found.frame.map(|FrameId(index)| index), found.condition.ops().to_vec())
}

fn complaints(text: &str) -> Vec<String> {
    let complaints = predicate(text, &spds(), Dialect::Auto, None).expect_err(text);
    complaints
        .iter()
        .map(|c| {
            format!("{:?} {}; {}", c.span.clone().unwrap_or_default(), c.message, c.help.clone().unwrap_or_default())
        })
        .collect()
}

fn read(var: Var) -> Op {
    Op::Read(var, Time::Before)
}

#[test]
fn globals_locals_and_names_in_braces() {
    assert_eq!(ops("g"), (None, vec![read(Var::Global(0))]));
    assert_eq!(ops("::g"), (None, vec![read(Var::Global(0))]));
    assert_eq!(
        ops("p.g & !::g"),
        (Some(0), vec![read(Var::Local(1)), read(Var::Global(0)), Op::Unary(Unary::Not), Op::Binary(Binary::And)])
    );
    assert_eq!(ops("main . x"), (Some(1), vec![read(Var::Local(0))]));
    assert_eq!(
        ops("p.{q.r} = {x == y}"),
        (Some(0), vec![read(Var::Local(2)), read(Var::Global(1)), Op::Binary(Binary::Iff)])
    );
    assert_eq!(ops("x == y"), (None, vec![read(Var::Global(1))]));
    assert_eq!(ops("T"), (None, vec![Op::Bool(true)]));
    assert_eq!(ops("g ? F : 1"), (None, vec![read(Var::Global(0)), Op::Bool(false), Op::Bool(true), Op::Ite]));
}

#[test]
fn what_is_refused() {
    assert_eq!(complaints("x"), ["0..1 there is no global `x`; did you mean `p.x` or `main.x`?"]);
    assert_eq!(complaints("long_nam"), ["0..8 there is no global `long_nam`; did you mean `main.long_name`?"]);
    assert_eq!(
        complaints("main.long_nam | G"),
        [
            "0..13 `main` has no variable `long_nam`; did you mean `long_name`?",
            "16..17 there is no global `G`; did you mean `g` or `p.g`?",
        ]
    );
    assert_eq!(complaints("mian.x"), ["0..4 there is no procedure `mian`; did you mean `main`?"]);
    assert_eq!(
        complaints("p.x & main.x"),
        ["6..12 a proposition cannot speak of the locals of two procedures: only one is on top; "]
    );
    assert_eq!(complaints("g & *"), ["4..5 a proposition is true or false: `*` cannot stand in it; "]);
    assert_eq!(complaints("?"), ["0..1 a proposition is true or false: `*` cannot stand in it; "]);
    assert_eq!(complaints("schoose[g,g]"), ["0..7 a proposition is true or false: `schoose` cannot stand in it; "]);
    assert_eq!(complaints("'g"), ["1..2 a proposition is about one moment: `'` has no meaning in it; "]);
    assert_eq!(complaints("g g"), ["2..3 expected an operator or the end of the proposition, found `g`; "]);
    assert_eq!(complaints(""), ["0..0 expected an expression, found the end of the file; "]);
    assert_eq!(complaints("$r1"), ["0..3 there is no global `$r1`; "]);
    assert_eq!(complaints("p."), ["2..2 expected the name of a variable, found the end of the file; "]);
    assert_eq!(complaints("(g"), ["2..2 expected `)` or an operator, found the end of the file; "]);
}

#[test]
fn readings_differ_in_propositions_too() {
    let found = predicate("g = h & p.x", &spds(), Dialect::Auto, None).expect("right");
    assert_eq!(found.warnings.len(), 1);
    assert_eq!(found.condition.ops().last(), Some(&Op::Binary(Binary::And)));
    let found = predicate("g = h & p.x", &spds(), Dialect::Satabs, None).expect("right");
    assert_eq!((found.warnings.len(), found.condition.ops().last()), (0, Some(&Op::Binary(Binary::Iff))));
}

#[test]
fn inside_a_procedure_its_locals_have_bare_names() {
    let inside = |text: &str, procedure: u32| {
        let found = predicate(text, &spds(), Dialect::Auto, Some(FrameId(procedure)));
        found.map(|found| (found.frame.map(|frame| frame.0), found.condition.ops().to_vec())).map_err(|all| all.len())
    };
    assert_eq!(inside("x", 0), Ok((Some(0), vec![read(Var::Local(0))])));
    assert_eq!(inside("g", 0), Ok((Some(0), vec![read(Var::Local(1))])));
    assert_eq!(inside("::g", 0), Ok((None, vec![read(Var::Global(0))])));
    assert_eq!(inside("g", 1), Ok((None, vec![read(Var::Global(0))])));
    assert_eq!(inside("q.r", 0), Ok((Some(0), vec![read(Var::Local(2))])));
    assert_eq!(inside("x & main.x", 0), Err(1));
}
