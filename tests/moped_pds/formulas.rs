//! What Moped's users write in formulas: symbols, control locations, `control:symbol`, blocks, sets, values in quotes.

use puch::ltl::atoms::{self, Condition, Context, Meaning, Symbols, Truth};
use puch::ltl::{Dialect, Reading, parse, tracked};
use puch::moped_pds::{Options, System, predicate, read};
use spds_format::Diagnostic;
use spds_format::model::{Spds, SymbolId};

use crate::oracle;
use crate::support::seeds;
use crate::support::systems::{self, Features};

const TEXT: &str = "define N 2
global int x(N);
local main (m0, m1) int v(N);
local (f0, f1) int v(N), w(N);
(q <m0>)
atoms m1 inner atoms f1 inner, e atoms e inner atoms gone inner
q <m0> --> q <f0 m1> (x'=x & v'=x & w'=0)
q <f0> --> r <f1> (x'=x & v'=v & w'=v)
r <f1> --> r <> (x'=x)
r <m1> --> s <e> (x'=x)
s <e> --> s <e> (x'=x)
";

fn resolve(system: &System, spds: &Spds, formula: &str) -> Result<Vec<Meaning>, Vec<Diagnostic>> {
    let condition = |text: &str| -> Result<Condition, Vec<Diagnostic>> {
        let found = predicate(text, spds, &system.defines, None)?;
        Ok((found.frame, found.condition, found.warnings))
    };
    let names = atoms::names(spds, Symbols::Moped);
    let reading = Reading { dialect: Dialect::Moped, known: &|word| names.contains(word), ..Reading::default() };
    let (ltl, _) = parse(formula, &reading)?;
    let context = Context { spds, text: formula, symbols: Symbols::Moped, condition: &condition };
    atoms::resolve(ltl.formulas.propositions(), &context).map(|(meanings, _)| meanings)
}

/// What it is at each symbol: `+`, `-`, or the condition on values.
fn at_symbols(formula: &str) -> Vec<String> {
    let system = read(TEXT, "test.pds", &Options::default()).expect("right");
    let spds = tracked(system.spds.clone());
    let meanings = resolve(&system, &spds, formula).unwrap_or_else(|complaints| panic!("{formula}: {complaints:?}"));
    assert_eq!(meanings.len(), 1, "{formula}");
    let at = |number: u32| match meanings[0].at(&spds, SymbolId(number)) {
        Truth::Constant(value) => if value { "+" } else { "-" }.to_owned(),
        Truth::Condition(condition) => {
            assert_eq!(meanings[0].condition().map(|(_, condition)| condition), Some(condition));
            let mut spds = spds.clone();
            let frame = spds.symbol(SymbolId(number)).frame;
            spds.atoms.push(spds_format::model::Atom { name: "p".into(), frame, condition: condition.clone() });
            let text = spds.to_string();
            let atom = text.lines().find_map(|line| line.strip_prefix("atom p ")).expect("it is there");
            atom.split_once("when ").expect("it has a condition").1.trim_end_matches(';').to_owned()
        }
        Truth::Stuck => unreachable!("nothing here asks for it"),
    };
    (0..spds.symbols.len() as u32).map(at).collect()
}

#[test]
fn names_of_every_kind() {
    // m0, f0, m1, f1, e, gone
    assert_eq!(at_symbols("[] f0"), ["-", "+", "-", "-", "-", "-"]);
    assert_eq!(at_symbols("<> main"), ["+", "-", "+", "-", "-", "-"]);
    assert_eq!(at_symbols("inner"), ["-", "-", "+", "+", "+", "+"]);
    // A proposition with the name of a symbol holds at both.
    assert_eq!(at_symbols("e"), ["-", "-", "-", "+", "+", "-"]);
    let at_r = "$control = 1";
    assert_eq!(at_symbols("! r"), [at_r; 6]);
    assert_eq!(at_symbols("r:f1"), ["-", "-", "-", at_r, "-", "-"]);
    assert_eq!(at_symbols("\"x=N\""), ["x = 2"; 6]);
    assert_eq!(at_symbols("\"w<=1&x<N\""), ["-", "w <= 1 & x < 2", "-", "w <= 1 & x < 2", "-", "-"]);
    assert_eq!(at_symbols("{f0.v=3}"), ["-", "v = 3", "-", "v = 3", "-", "-"]);
}

#[test]
fn names_that_are_none() {
    let system = read(TEXT, "test.pds", &Options::default()).expect("right");
    let complaints = |formula: &str, spds: &Spds| {
        let complaints = resolve(&system, spds, formula).expect_err(formula);
        complaints.into_iter().map(|c| format!("{} | {}", c.message, c.help.unwrap_or_default())).collect::<Vec<_>>()
    };
    let spds = tracked(system.spds.clone());
    let none = "there is no stack symbol, no set of symbols, no control location and no global `f2`";
    assert_eq!(complaints("<> f2", &spds), [format!("{none} | did you mean `f0` or `f1`?")]);
    assert_eq!(complaints("\"v=1\"", &spds), ["`v` is the name of several variables | say which: `main.v` or `f0.v`"]);
    assert_eq!(complaints("r", &system.spds), ["`r` is one of several control locations, and they are not tracked | "]);
}

#[test]
fn one_control_location_is_everywhere() {
    let system = read("(q <m>) q <m> --> q <n> q <n> --> q <>", "test.pds", &Options::default()).expect("right");
    let spds = tracked(system.spds.clone());
    assert_eq!(spds, system.spds);
    assert_eq!(resolve(&system, &spds, "q:n").expect("right"), [Meaning::Symbols(vec![SymbolId(1)])]);
    assert!(matches!(&resolve(&system, &spds, "q").expect("right")[..], [Meaning::Values { frame: None, .. }]));
}

#[test]
fn tracked_systems_have_the_same_runs() {
    let mut tracking = 0;
    for seed in seeds(0..200) {
        let spds = systems::system(seed, Features::ALL);
        let with = tracked(spds.clone());
        assert_eq!(spds_format::validate(&with), [], "seed {seed}\n{with}");
        let register = with.globals.len() > spds.globals.len();
        tracking += usize::from(register);
        let mut found = oracle::explore(&with).distances;
        if register {
            let states = found.into_iter().map(|(mut state, steps)| {
                assert_eq!(state.globals.pop(), Some(u64::from(state.control.0)), "seed {seed}\n{with}");
                (state, steps)
            });
            found = states.collect();
        }
        assert_eq!(found, oracle::explore(&spds).distances, "seed {seed}\n{with}");
    }
    assert!(tracking > 20);
}
