//! Asks the oracle and the search, by every method, and compares with the answers of a test.

use std::sync::Arc;

use puch::boolprog;
use puch::check::{Property, Reason, Verdict, check};
use puch::limits::Limits;
use puch::ltl::atoms::{self, Condition, Context, Meaning, Symbols};
use puch::ltl::{Dialect, MopedDiffers, Passes, Proposition, Reading, Rules, Violations, hoa, parse, with_one_mark};
use puch::options::{Engine, LiveRanges, Options, Runs, Scc, Switch, TraceWish};
use puch::run::Ending;
use spds_format::Spds;

use crate::lasso::{buchi_accepts, satisfies};
use crate::oracle::ltl::{Machine, Wanted, exists};
use crate::unfold;

const RUNS: [Runs; 3] = [Runs::Maximal, Runs::Infinite, Runs::Stutter];

/// The automaton as it is written, or as small as it gets.
const PASSES: [Passes; 2] = [
    Passes {
        rules: Rules { basic: Switch::Off, eventual: Switch::Off, implication: Switch::Off },
        simulation: Switch::Off,
        obligations: Switch::Off,
        apart: Switch::Off,
    },
    Passes {
        rules: Rules { basic: Switch::On, eventual: Switch::On, implication: Switch::On },
        simulation: Switch::On,
        obligations: Switch::On,
        apart: Switch::On,
    },
];

fn system(text: &str) -> (Spds, Symbols) {
    if text.trim_start().starts_with("spds") {
        return (spds_format::parse(text).unwrap_or_else(|errors| panic!("{errors:#?}")), Symbols::Named);
    }
    let read = boolprog::read(text, "test.bp", &boolprog::Options::default());
    (read.unwrap_or_else(|errors| panic!("{errors:#?}")).spds, Symbols::Hidden)
}

fn meanings(spds: &Spds, symbols: Symbols, text: &str, propositions: &[Proposition]) -> Vec<Meaning> {
    let condition = |text: &str| -> Result<Condition, _> {
        let predicate = boolprog::predicate(text, spds, boolprog::Dialect::Auto, None)?;
        Ok((predicate.frame, predicate.condition, predicate.warnings))
    };
    let context = Context { spds, text, symbols, condition: &condition };
    atoms::resolve(propositions, &context).unwrap_or_else(|errors| panic!("{text}: {errors:#?}")).0
}

/// A property as text: `termination`, an automaton of the violations, or a formula.
fn properties(spds: &Spds, symbols: Symbols, text: &str) -> Vec<Property> {
    if text == "termination" {
        return vec![Property::Termination];
    }
    if text.starts_with("HOA:") {
        let tgba = hoa::read(text, &Limits::default()).unwrap_or_else(|error| panic!("{error:?}"));
        let accepted = |passes| {
            let buchi = with_one_mark(&tgba, &passes).expect("there are no limits");
            let meanings = meanings(spds, symbols, text, &buchi.propositions);
            Property::Ltl(Arc::new(Violations::accepted(buchi, meanings)))
        };
        return PASSES.map(accepted).into();
    }
    let names = atoms::names(spds, symbols);
    let reading = Reading { dialect: Dialect::Spot, moped: MopedDiffers::Warn, known: &|word| names.contains(word) };
    let (ltl, _) = parse(text, &reading).unwrap_or_else(|errors| panic!("{text}: {errors:#?}"));
    let meanings = meanings(spds, symbols, text, ltl.formulas.propositions());
    let of = |passes| {
        let violations = Violations::of(ltl.clone(), meanings.clone(), &passes, &Limits::default());
        Property::Ltl(Arc::new(violations.expect("there are no limits")))
    };
    PASSES.map(of).into()
}

fn oracle_says(spds: &Spds, runs: Runs, property: &Property) -> bool {
    let machine = &mut Machine::new(spds);
    match property {
        Property::Ltl(v) => exists(machine, runs, Wanted::Accepted(&v.automaton, &v.meanings)),
        _ => exists(machine, Runs::Infinite, Wanted::Any),
    }
}

/// Every way to go about it.
fn options(runs: Runs) -> Vec<Options> {
    let mut all = Vec::new();
    let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
    for (engine, switch, live) in [
        (Engine::Biodivine, Switch::On, LiveRanges::Influence),
        (Engine::Biodivine, Switch::Off, LiveRanges::Off),
        (Engine::Shared, Switch::On, LiveRanges::Plain),
    ] {
        for scc in [Scc::Auto, Scc::Hull, Scc::Closure, Scc::Squaring, Scc::Lockstep] {
            for strength in [Switch::On, Switch::Off] {
                let (modref, blocks, slice) = (switch, switch, switch);
                all.push(Options {
                    engine,
                    runs,
                    scc,
                    strength,
                    modref,
                    live,
                    blocks,
                    slice,
                    limits,
                    ..Options::default()
                });
            }
        }
    }
    all.push(Options { trace: TraceWish::None, ..all[0].clone() });
    all
}

/// Whether it is open what becomes of a run whose return is refused.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Refused {
    Never,
    /// Then the answer under stuttering runs may be that this is not decided.
    Somewhere,
}

/// The answers to some properties of a system.
#[track_caller]
pub fn expect(text: &str, answers: &[(&str, &str)]) {
    compare(text, answers, Refused::Never);
}

/// The same for systems in which returns are refused by what the caller demands: under stuttering runs this need not be
/// decided, but no answer is wrong.
#[track_caller]
pub fn expect_where_returns_are_refused(text: &str, answers: &[(&str, &str)]) {
    compare(text, answers, Refused::Somewhere);
}

#[track_caller]
fn compare(text: &str, answers: &[(&str, &str)], refused: Refused) {
    let (spds, symbols) = system(text);
    let mut wrong = Vec::new();
    for (number, runs) in RUNS.into_iter().enumerate() {
        let any = exists(&mut Machine::new(&spds), runs, Wanted::Any);
        let asked: Vec<(&str, bool, Property)> = answers
            .iter()
            .flat_map(|(name, letters)| {
                let violated = letters.as_bytes()[number] == b'V';
                properties(&spds, symbols, name).into_iter().map(move |property| (*name, violated, property))
            })
            .collect();
        for (name, violated, property) in &asked {
            let says = oracle_says(&spds, runs, property);
            if says != *violated {
                wrong.push(format!("{name}: the oracle says the opposite with {runs:?} runs"));
            }
        }
        let properties: Vec<Property> = asked.iter().map(|(_, _, property)| property.clone()).collect();
        for options in options(runs) {
            let outcome = match check(&spds, &properties, &options) {
                Ok(outcome) => outcome,
                Err(error) => {
                    wrong.push(format!("{error} with {options:?}"));
                    continue;
                }
            };
            for ((name, violated, property), answer) in asked.iter().zip(&outcome.answers) {
                let open = answer.verdict == Verdict::Unknown(Reason::Return);
                if runs == Runs::Stutter && refused == Refused::Somewhere && open {
                    continue;
                }
                let verdict = if *violated { Verdict::Violated(None) } else { Verdict::Holds };
                let counts = matches!(property, Property::Ltl(_)) || runs != Runs::Infinite;
                let vacuous = !violated && !any && counts;
                let traced = *violated && options.trace != TraceWish::None;
                let found = (answer.verdict.bare(), answer.vacuous, answer.verdict.trace().is_some());
                let expected = (verdict, vacuous, traced);
                if found != expected {
                    wrong.push(format!("{name}: {found:?}, not {expected:?} with {options:?}"));
                }
                let run = answer.verdict.trace().map(|trace| &trace.run);
                if let Some(objection) = run.and_then(|run| objection(&spds, run, runs, property)) {
                    wrong.push(format!("{name}: {objection} with {options:?}: {run:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of these:\n{}\n{text}", wrong.len(), wrong[..wrong.len().min(8)].join("\n"));
}

/// What is wrong with a run that is said to violate the property.
fn objection(spds: &Spds, run: &puch::run::Run, runs: Runs, property: &Property) -> Option<String> {
    let Property::Ltl(violations) = property else {
        return (run.ending != Ending::Loop).then(|| "the run ends".into());
    };
    let formula = violations.formula.as_ref();
    let meanings = formula.map_or(&violations.meanings, |specified| &specified.meanings);
    let words = match unfold::words(spds, run, runs, meanings) {
        Ok(words) => words.expect("runs are short here"),
        Err(what) => return Some(what),
    };
    let violates = |word| match formula {
        Some(specified) => !satisfies(word, &specified.formula),
        None => buchi_accepts(&violations.automaton, word),
    };
    (!words.iter().any(violates)).then(|| format!("it reads {words:?}"))
}
