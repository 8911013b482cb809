//! Laws of temporal properties on programs that are too large for the oracle: the families that grow with a size.

extern crate puch_engine as puch;

#[path = "ltl/cases.rs"]
mod cases;
#[path = "../benches/families/mod.rs"]
mod families;
#[allow(dead_code, reason = "only words are needed here")]
#[path = "ltl/lasso.rs"]
mod lasso;
mod oracle;
#[path = "ltl/random.rs"]
mod random;
#[path = "ltl/shared.rs"]
mod shared;
mod support;
#[path = "ltl/unfold.rs"]
mod unfold;

use std::sync::Arc;

use cases::RUNS;
use families::{FAMILIES, Notation};
use fastrand::Rng;
use lasso::satisfies;
use puch::boolprog;
use puch::check::{Answer, Property, Target, Verdict, check};
use puch::limits::Limits;
use puch::ltl::atoms::Meaning;
use puch::ltl::{Ltl, Passes, Violations};
use puch::options::{Engine, Options, Runs, Scc, Switch, TraceWish};
use spds_format::Spds;
use spds_format::model::{SymbolId, Type};
use support::pick;

fn violations(ltl: &Ltl, meanings: &[Meaning]) -> Property {
    let of = Violations::of(ltl.clone(), meanings.to_vec(), &Passes::default(), &Limits::default());
    Property::Ltl(Arc::new(of.expect("there are no limits")))
}

/// Where R is, global variables, and where procedures begin and end.
fn propositions(spds: &Spds) -> Vec<Meaning> {
    let global = |index: &usize| spds.globals[*index].ty == Type::BOOL && !spds.globals[*index].hidden;
    let mut texts: Vec<String> =
        (0..spds.globals.len()).filter(global).map(|i| spds.globals[i].name.to_string()).collect();
    for frame in &spds.frames {
        texts.extend(["at", "entry", "call", "return"].map(|event| format!("@{event}({})", frame.name)));
    }
    texts.iter().filter_map(|text| cases::resolve(spds, text)).collect()
}

fn is_violated(answer: &Answer) -> bool {
    assert!(!matches!(answer.verdict, Verdict::Unknown(_)), "{:?}", answer.verdict);
    answer.verdict.claims_run()
}

/// What must be so among the answers: R is reachable, `G !R`, termination by itself and as a formula, then pairs of a
/// formula and its negation.
fn assert_laws(name: &str, runs: Runs, answers: &[Answer]) {
    let violated: Vec<bool> = answers.iter().map(is_violated).collect();
    match runs {
        Runs::Stutter => assert_eq!(violated[0], violated[1], "{name}: every prefix is that of a run"),
        Runs::Maximal | Runs::Infinite => assert!(violated[0] || !violated[1], "{name}: a run passes R, {runs:?}"),
    }
    assert_eq!(violated[2], violated[3], "{name}: termination and its formula, {runs:?}");
    for pair in 2..answers.len() / 2 {
        let [formula, negation] = [2 * pair, 2 * pair + 1];
        let both = !violated[formula] && !violated[negation];
        for answer in &answers[formula..=negation] {
            assert_eq!(answer.vacuous, both, "{name}: neither formula {pair} nor its negation, {runs:?}");
        }
    }
}

#[test]
fn laws_hold_on_the_families() {
    for (seed, family) in (0..).zip(FAMILIES).filter(|(_, family)| family.notation == Notation::Program) {
        // The largest of the small sizes take long with many properties.
        for &sizes in &family.small[..family.small.len().min(2)] {
            let text = family.program(sizes).expect("small sizes are sizes");
            let name = format!("{} {sizes:?}", family.name);
            let spds = boolprog::read(&text, "program.bp", &boolprog::Options::default()).expect("it is fine").spds;
            let at_r = |id: &SymbolId| spds.symbol(*id).labels.iter().any(|label| &**label == "R");
            let r: Vec<SymbolId> = (0..spds.symbols.len() as u32).map(SymbolId).filter(at_r).collect();
            let rng = &mut Rng::with_seed(seed);
            let all = propositions(&spds);
            let pool: Vec<Meaning> = (0..4).map(|_| pick(rng, &all).clone()).collect();
            let formulas: Vec<(Ltl, Vec<Meaning>)> = vec![cases::some_formula(rng, &pool, &shared::core())];
            let mut nested: Vec<Vec<bool>> = Vec::new();
            for runs in RUNS {
                let mut properties = vec![
                    Property::Reach(r.iter().map(|symbol| Target { control: None, symbol: *symbol }).collect()),
                    violations(&cases::formula("G !p0"), &[Meaning::Symbols(r.clone())]),
                    Property::Termination,
                    Property::Ltl(Arc::new(cases::termination(&spds, runs))),
                ];
                for (ltl, meanings) in &formulas {
                    properties.extend([violations(ltl, meanings), violations(&ltl.clone().negated(), meanings)]);
                }
                let limits = Limits { memory: Some(256 << 20), ..Limits::default() };
                let plain = Options { runs, limits, ..Options::default() };
                let answers = check(&spds, &properties, &plain).unwrap_or_else(|e| panic!("{name}: {e}")).answers;
                assert_laws(&name, runs, &answers);
                for (property, answer) in properties.iter().zip(&answers) {
                    assert_violates(&spds, &name, runs, property, answer);
                }
                nested.push(answers.iter().map(is_violated).collect());
                for (engine, scc, strength) in [
                    (Engine::Biodivine, Scc::Hull, Switch::Off),
                    (Engine::Biodivine, Scc::Closure, Switch::On),
                    (Engine::Biodivine, Scc::Squaring, Switch::On),
                    (Engine::Shared, Scc::Hull, Switch::On),
                    (Engine::Shared, Scc::Squaring, Switch::Off),
                    (Engine::Biodivine, Scc::Lockstep, Switch::On),
                ] {
                    let options = Options { engine, scc, strength, trace: TraceWish::None, ..plain.clone() };
                    let others = check(&spds, &properties, &options).unwrap_or_else(|e| panic!("{name}: {e}")).answers;
                    let verdicts =
                        |answers: &[Answer]| answers.iter().map(|a| (a.verdict.bare(), a.vacuous)).collect::<Vec<_>>();
                    assert_eq!(verdicts(&others), verdicts(&answers), "{name} with {options:?}\n{text}");
                }
            }
            // Infinite runs are maximal, and those are runs also if blocked ones count. Termination has its own formulas.
            for i in (0..nested[0].len()).filter(|i| *i != 3) {
                assert!(nested[0][i] || !nested[1][i], "{name}: infinite runs are maximal, property {i}");
                assert!(nested[2][i] || !nested[0][i], "{name}: maximal runs stutter, property {i}");
            }
        }
    }
}

fn assert_violates(spds: &Spds, name: &str, runs: Runs, property: &Property, answer: &Answer) {
    let (Property::Ltl(violations), Some(trace)) = (property, answer.verdict.trace()) else { return };
    let specified = violations.formula.as_ref().expect("it was made from a formula");
    match unfold::words(spds, &trace.run, runs, &specified.meanings) {
        Err(what) => panic!("{name}, {runs:?}: {what}"),
        Ok(None) => {}
        Ok(Some(words)) => {
            let violated = words.iter().any(|word| !satisfies(word, &specified.formula));
            assert!(violated, "{name}, {runs:?}: the run is no violation: {:?}", trace.run);
        }
    }
}
