//! Printing and reading a valid model gives the same model.

mod support;

use spds_format::expr::{Binary, Expr, Op, Time, Unary};
use spds_format::model::{Scalar, Type, Var};
use spds_format::{RulesByHead, Spds, parse, print, validate};
use support::models;

#[test]
fn random_models_come_back() {
    for seed in 0..3000 {
        let model = models::model(seed);
        assert_eq!(validate(&model), [], "seed {seed}\n{model}");
        let text = print(&model);
        match parse(&text) {
            Ok(again) => assert_eq!(again, model, "seed {seed}\n{text}"),
            Err(mistakes) => panic!("seed {seed}: {mistakes:#?}\n{text}"),
        }
        assert_eq!(text, print(&model), "seed {seed}");
    }
}

/// The generator is worth little if it never makes something.
#[test]
fn random_models_contain_everything() {
    let models: Vec<Spds> = (0..300).map(models::model).collect();
    let rules = || models.iter().flat_map(|model| &model.rules);
    assert!(rules().any(|rule| rule.silent && rule.with.is_some()));
    assert!(rules().any(|rule| rule.updates.iter().any(|u| u.time == Time::Saved && u.index.is_some())));
    assert!(rules().any(|rule| rule.updates.iter().any(|u| matches!(u.var, Var::Global(_)))));
    let expressions = || rules().flat_map(|rule| rule.with.iter().chain(&rule.guard));
    let has = |op: fn(&Op) -> bool| expressions().any(|expr| expr.ops().iter().any(op));
    assert!(has(|op| matches!(op, Op::Cell(_, Time::Saved))));
    assert!(has(|op| matches!(op, Op::Binary(Binary::BitXor))));
    assert!(has(|op| matches!(op, Op::Ite)) && has(|op| matches!(op, Op::Choose)));
    assert!(models.iter().any(|model| model.to_string().contains("::")));
    assert!(models.iter().any(|model| model.end.is_some() && model.fail.is_some() && model.controls.len() > 1));
}

/// All expressions of three operators over one variable of each kind, so that no pair of levels is left out.
#[test]
fn all_small_expressions_come_back() {
    let frame = "spds 1 global b: bool, x: u3; control p; symbol s; start <p, s> when ";
    let model = parse(&format!("{frame}b;")).unwrap();
    let leaf = |boolean: bool| Op::Read(Var::Global(u32::from(!boolean)), Time::Before);
    // Trees by their operators in postorder, each step adding one.
    let mut booleans = vec![vec![leaf(true)], vec![Op::Any]];
    let mut integers = vec![vec![leaf(false)], vec![Op::Number(1)]];
    let join = |parts: &[&Vec<Op>], op: Op| -> Vec<Op> {
        parts.iter().flat_map(|part| part.iter().copied()).chain([op]).collect()
    };
    for _ in 0..2 {
        let (b, i) = (booleans.clone(), integers.clone());
        let few = |list: &[Vec<Op>]| list.iter().step_by(1 + list.len() / 25).cloned().collect::<Vec<_>>();
        let (b, i) = (few(&b), few(&i));
        for left in &b {
            booleans.push(join(&[left], Op::Unary(Unary::Not)));
            for right in &b {
                for op in [Binary::And, Binary::Or, Binary::Xor, Binary::Implies, Binary::Iff] {
                    booleans.push(join(&[left, right], Op::Binary(op)));
                }
                booleans.push(join(&[left, right], Op::Choose));
                booleans.push(join(&[left, right, left], Op::Ite));
            }
        }
        for left in &i {
            for right in &i {
                for op in [Binary::Eq, Binary::Ne, Binary::Lt, Binary::Le, Binary::Gt, Binary::Ge] {
                    booleans.push(join(&[left, right], Op::Binary(op)));
                }
                for op in [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Rem, Binary::Shl] {
                    integers.push(join(&[left, right], Op::Binary(op)));
                }
                for op in [Binary::Shr, Binary::BitAnd, Binary::BitOr, Binary::BitXor] {
                    integers.push(join(&[left, right], Op::Binary(op)));
                }
                integers.push(join(&[&vec![leaf(true)], left, right], Op::Ite));
            }
        }
    }
    for ops in booleans.into_iter().chain(integers.iter().map(|i| join(&[i, i], Op::Binary(Binary::Lt)))) {
        let mut model = model.clone();
        model.start.condition = Expr::from_postorder(ops);
        let text = print(&model);
        assert_eq!(parse(&text).as_ref(), Ok(&model), "{text}");
    }
}

#[test]
fn parentheses_are_minimal() {
    let head = "spds 1 global a: bool, b: bool, c: bool, x: u3; control p; symbol s; start <p, s> when ";
    for (written, printed) in [
        ("((a & b)) & c", "a & b & c"),
        ("a & (b & c)", "a & (b & c)"),
        ("(a -> b) -> c", "(a -> b) -> c"),
        ("a -> (b -> c)", "a -> b -> c"),
        ("a <-> b & c", "a = (b & c)"),
        ("(a = b) & (x = 1)", "a = b & x = 1"),
        ("!(!a)", "!!a"),
        ("!(a & b)", "!(a & b)"),
        ("a ? (b ? a : c) : (c ? a : b)", "a ? b ? a : c : c ? a : b"),
        ("(a ? b : c) ? a : b", "(a ? b : c) ? a : b"),
        ("a != b", "a ^ b"),
        ("(x & 3) = 0", "(x & 3) = 0"),
        ("x - (1 - x) < (2 << 1) * 3", "x - (1 - x) < (2 << 1) * 3"),
    ] {
        let model = parse(&format!("{head}{written};")).unwrap_or_else(|e| panic!("{written}: {e:?}"));
        let text = print(&model);
        let start = text.lines().find(|line| line.starts_with("start")).unwrap();
        assert_eq!(start, format!("start <p, s> when {printed};"));
    }
}

#[test]
fn queries_agree_with_the_rules() {
    for seed in 0..300 {
        let model = models::model(seed);
        let by_head = RulesByHead::new(&model);
        let mut seen = 0;
        for head in by_head.heads() {
            let rules: Vec<usize> = by_head.of(head).collect();
            let expected: Vec<usize> = (0..model.rules.len()).filter(|i| model.rules[*i].from == head).collect();
            assert_eq!(rules, expected, "seed {seed}");
            assert_eq!(by_head.is_silent(head), model.rules[rules[0]].silent);
            seen += rules.len();
        }
        assert_eq!(seen, model.rules.len());
        let silent = model.hidden_heads();
        for (symbol, hidden) in (0..).map(spds_format::model::SymbolId).zip(model.hidden_symbols()) {
            let heads: Vec<_> = by_head.heads().filter(|head| head.symbol == symbol).collect();
            assert_eq!(hidden, !heads.is_empty() && heads.iter().all(|head| silent.contains(head)), "seed {seed}");
        }
    }
}

#[test]
fn a_hidden_global_is_shown_with_colons() {
    let model =
        parse("spds 1 global g: bool, k: u2; frame f { g: bool } control p; symbol s in f; start <p, s>;").unwrap();
    let frame = model.symbols[0].frame;
    assert_eq!(model.display_name(frame, Var::Global(0)), "::g");
    assert_eq!(model.display_name(frame, Var::Global(1)), "k");
    assert_eq!(model.display_name(frame, Var::Local(0)), "g");
    assert_eq!(model.display_name(None, Var::Global(0)), "g");
    assert_eq!(Type { scalar: Scalar::Bool, range: Some((0, u32::MAX)) }.cells(), u32::MAX);
}
