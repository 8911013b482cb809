//! What atomic propositions mean in programs, and what is said about names that mean nothing.

extern crate puch_engine as puch;

use std::collections::BTreeSet;

use puch::boolprog;
use puch::ltl::atoms::{self, Condition, Context, Meaning, Symbols, Truth};
use puch::ltl::{Reading, parse};
use spds_format::model::{Spds, SymbolId};
use spds_format::{Diagnostic, Expr};

const PROGRAM: &str = "
decl g, {x==y};
decl lock;
void main() begin
  decl h;
  L: f(g);
  R: h := !h;
  while (*) do
    f(h);
    Both: skip;
  od
end
void f(a) begin
  decl g;
  Again: while (a) do
    Both: a := 0;
  od
  if (lock) then return; fi
  assert(!lock);
end
void unused() begin
  Unused: skip;
end
";

fn program() -> Spds {
    boolprog::read(PROGRAM, "test.bp", &boolprog::Options::default()).expect("the program is fine").spds
}

fn resolve(spds: &Spds, formula: &str) -> Result<Vec<Meaning>, Vec<Diagnostic>> {
    let condition = |text: &str| -> Result<Condition, Vec<Diagnostic>> {
        let predicate = boolprog::predicate(text, spds, boolprog::Dialect::Auto, None)?;
        Ok((predicate.frame, predicate.condition, predicate.warnings))
    };
    let names = atoms::names(spds, Symbols::Hidden);
    let reading = Reading { known: &|word| names.contains(word), ..Reading::default() };
    let (ltl, _) = parse(formula, &reading)?;
    let context = Context { spds, text: formula, symbols: Symbols::Hidden, condition: &condition };
    atoms::resolve(ltl.formulas.propositions(), &context).map(|(meanings, _)| meanings)
}

fn one(spds: &Spds, formula: &str) -> Meaning {
    let mut meanings = resolve(spds, formula).unwrap_or_else(|complaints| panic!("{formula}: {complaints:?}"));
    assert_eq!(meanings.len(), 1, "{formula}");
    meanings.remove(0)
}

/// The lines of the statements at which it holds.
fn lines(spds: &Spds, meaning: &Meaning) -> Vec<u32> {
    let Meaning::Symbols(symbols) = meaning else { panic!("{meaning:?} depends on values") };
    let lines: BTreeSet<u32> = symbols.iter().filter_map(|id| spds.symbol(*id).place.map(|place| place.line)).collect();
    lines.into_iter().collect()
}

#[test]
fn propositions_about_control_hold_at_their_symbols() {
    let spds = program();
    for (formula, expected) in [
        ("L", vec![6]),
        ("main:L", vec![6]),
        ("*:Both", vec![10, 16]),
        ("f:Both", vec![16]),
        ("Again", vec![15]),
        ("Unused", vec![22]),
        ("@entry(f)", vec![15]),
        ("@entry(main)", vec![6]),
        ("@entry(unused)", vec![]),
        ("@call(f)", vec![6, 9]),
        ("@call(main)", vec![]),
        ("@return(f)", vec![18, 20]),
        ("@return(main)", vec![12]),
        ("@at(unused)", vec![22, 23]),
    ] {
        assert_eq!(lines(&spds, &one(&spds, formula)), expected, "{formula}");
    }
    let everywhere = lines(&spds, &one(&spds, "@at(f)"));
    assert_eq!(everywhere, [15, 16, 18, 19, 20]);
    assert_eq!(one(&spds, "@fail"), Meaning::Symbols(spds.fail.into_iter().collect()));
    assert_eq!(one(&spds, "@end"), Meaning::Symbols(spds.end.into_iter().collect()));
    assert_eq!(one(&spds, "@stuck"), Meaning::Stuck);
}

#[test]
fn propositions_about_values_depend_on_the_frame_of_their_locals() {
    let spds = program();
    let at = |meaning: &Meaning, line: u32| -> Option<bool> {
        let on_line = |id: &SymbolId| spds.symbol(*id).place.is_some_and(|place| place.line == line);
        let symbol = (0..spds.symbols.len() as u32).map(SymbolId).find(on_line).unwrap();
        match meaning.at(&spds, symbol) {
            Truth::Constant(value) => Some(value),
            Truth::Condition(_) => None,
            Truth::Stuck => panic!("stuck"),
        }
    };
    for (formula, in_main, in_f) in [
        ("g", None, None),
        ("::g", None, None),
        ("{g}", None, None),
        ("{x==y}", None, None),
        ("{ {x==y} & g }", None, None),
        ("{!main.h}", None, Some(false)),
        ("{f.a | g}", Some(false), None),
        ("\"f.g\"", Some(false), None),
    ] {
        let meaning = one(&spds, formula);
        assert_eq!((at(&meaning, 7), at(&meaning, 16)), (in_main, in_f), "{formula}");
    }
    // The global, not the local of f that hides it there.
    assert_eq!(one(&spds, "g"), one(&spds, "{::g}"));
}

#[test]
fn candidates_that_are_not_listed_are_counted() {
    let procedures: String = (0..11).map(|n| format!("void p{n}() begin decl x; L: skip; end\n")).collect();
    let calls: String = (0..11).map(|n| format!("p{n}(); ")).collect();
    let text = format!("decl g; void main() begin {calls} end\n{procedures}");
    let spds = boolprog::read(&text, "many.bp", &boolprog::Options::default()).expect("it is right").spds;
    for (formula, first, last) in [
        ("F L", "did you mean `p0:L`, ", "`p6:L`, `*:L` or 4 more?"),
        ("F x", "did you mean `{p0.x}`, ", "`{p7.x}` or 3 more?"),
    ] {
        let complaints = resolve(&spds, formula).expect_err(formula);
        let help = complaints[0].help.as_deref().unwrap_or("");
        assert!(help.starts_with(first) && help.ends_with(last), "{help}");
    }
}

#[test]
fn names_that_mean_nothing_are_refused_with_candidates() {
    let spds = program();
    for (formula, at, message, help) in [
        ("F Agein", "Agein", "there is no label and no global `Agein`", "did you mean `Again`?"),
        ("F Glock", "lock", "", ""),
        ("F FGloc", "loc", "there is no label and no global `loc`", "did you mean `lock`?"),
        ("G locc", "locc", "there is no label and no global `locc`", "did you mean `lock`?"),
        (
            "F Both",
            "Both",
            "label `Both` occurs in several procedures",
            "did you mean `main:Both`, `f:Both` or `*:Both`?",
        ),
        ("F h", "h", "there is no label and no global `h`", "did you mean `{main.h}`?"),
        ("F main.h", "main.h", "there is no label and no global `main.h`", "did you mean `{main.h}`?"),
        (
            "F unused",
            "unused",
            "there is no label and no global `unused`",
            "did you mean `@at(unused)`, `@entry(unused)`, `@call(unused)` or `@return(unused)`?",
        ),
        ("F mian:L", "mian", "there is no procedure `mian`", "did you mean `main`?"),
        ("F main:Again", "Again", "there is no label `Again` in `main`", "did you mean `f:Again`?"),
        ("F main:Agian", "Agian", "there is no label `Agian` in `main`", "did you mean `f:Again`?"),
        ("F *:Bot", "Bot", "there is no label `Bot`", "did you mean `main:Both` or `f:Both`?"),
        ("@at( mein )", "mein", "there is no procedure `mein`", "did you mean `main`?"),
        ("G {lock & locc}", "locc", "there is no global `locc`", "did you mean `lock`?"),
        ("G \"lock & main.k\"", "main.k", "`main` has no variable `k`", ""),
        ("::lok", "::lok", "there is no label and no global `::lok`", "did you mean `lock`?"),
    ] {
        if message.is_empty() {
            assert!(resolve(&spds, formula).is_ok(), "{formula}");
            continue;
        }
        let complaints = resolve(&spds, formula).expect_err(formula);
        assert_eq!(complaints.len(), 1, "{formula}: {complaints:?}");
        assert_eq!(complaints[0].message, message, "{formula}");
        assert_eq!(&formula[complaints[0].span.clone().unwrap()], at, "{formula}");
        assert_eq!(complaints[0].help.as_deref().unwrap_or(""), help, "{formula}");
    }
    let taken_apart = resolve(&spds, "F FGloc").unwrap_err();
    assert_eq!(taken_apart[0].label, "nor `FGloc`, so this was read as `FG loc`");
    assert_eq!(resolve(&spds, "p & q & {r}").unwrap_err().len(), 3);
    // A label whose name could be taken apart is a label.
    assert!(resolve(&spds, "F (L & R)").is_ok());
}

#[test]
fn systems_offer_their_symbols_and_atoms() {
    let text = "spds 1
        global n: u3, b: bool;
        frame f { x: bool }
        control p;
        symbol first in f labels S;
        symbol other in f;
        symbol b2;
        atom small when n < 3;
        atom local in f when x;
        start <p, first>;
        rule <p, first> -> <p, other>;
        rule <p, other> -> <p, first>;";
    let spds = spds_format::parse(text).unwrap_or_else(|complaints| panic!("{complaints:?}"));
    let condition = |text: &str| -> Result<Condition, Vec<Diagnostic>> {
        spds_format::parse_condition(&spds, None, text).map(|(frame, condition)| (frame, condition, Vec::new()))
    };
    let meaning = |formula: &str, symbols: Symbols| {
        let (ltl, _) = parse(formula, &Reading::default()).unwrap();
        let context = Context { spds: &spds, text: formula, symbols, condition: &condition };
        atoms::resolve(ltl.formulas.propositions(), &context).map(|(mut meanings, _)| meanings.remove(0))
    };
    let symbol = |id| Ok(Meaning::Symbols(vec![SymbolId(id)]));
    assert_eq!(meaning("other", Symbols::Named), symbol(1));
    assert!(meaning("other", Symbols::Hidden).is_err());
    assert_eq!(meaning("S", Symbols::Hidden), symbol(0));
    let Ok(Meaning::Values { frame: None, condition: small }) = meaning("small", Symbols::Hidden) else { panic!() };
    assert_eq!(small, spds.atoms[0].condition);
    let Ok(Meaning::Values { frame: Some(_), condition: local }) = meaning("local", Symbols::Hidden) else { panic!() };
    assert_ne!(local, Expr::constant(true));
    assert!(matches!(meaning("{n = 2 & f.x}", Symbols::Hidden), Ok(Meaning::Values { frame: Some(_), .. })));
    let refused = meaning("n", Symbols::Hidden).unwrap_err();
    assert_eq!(refused[0].message, "`n` is no truth value");
    assert_eq!(refused[0].help.as_deref(), Some("compare it, in braces: {n = 1}"));
}
