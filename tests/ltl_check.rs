//! Laws of temporal properties: what the search says of formulas and of termination is what the oracle says, on random
//! systems and random programs, for every kind of run and whatever the options; and runs that are found do violate.
//!
//! A failure shrinks; the message has the seed, what is wrong, and the smallest case that shows it.

extern crate puch_engine as puch;

#[path = "ltl/cases.rs"]
mod cases;
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
#[path = "ltl/verdicts.rs"]
mod verdicts;

use std::sync::Arc;

use cases::{Case, RUNS};
use fastrand::Rng;
use lasso::satisfies;
use puch::boolprog;
use puch::check::{Answer, Property, Verdict, check};
use puch::limits::Limits;
use puch::ltl::automaton::ComponentKind;
use puch::ltl::{Ltl, Passes, Violations, hoa, with_one_mark};
use puch::options::{Engine, Options, Runs, Scc, Search, Switch, TraceWish};
use spds_format::Spds;
use support::{Shrink, choices, pick, programs, rotations, runs, shrink};
use verdicts::{Known, differs, known};

/// What is wrong with the answers for one kind of run.
fn wrong(spds: &Spds, given: &[Violations], options: &Options) -> Option<String> {
    let known = known(spds, given);
    known.iter().filter(|known| known.runs == options.runs).find_map(|known| differs(spds, known, options))
}

fn wrong_case(case: &Case, options: &Options) -> Option<String> {
    wrong(&case.spds, &case.violations(), options)
}

#[test]
fn search_and_oracle_agree_on_systems() {
    let core = shared::core();
    for seed in support::seeds(0..100) {
        let rng = &mut Rng::with_seed(seed);
        let spds = cases::system(seed);
        let pool = cases::meanings(rng, &spds);
        let (ltl, meanings) = cases::some_formula(rng, &pool, &core);
        let case = Case { spds, ltl, meanings };
        for known in known(&case.spds, &case.violations()) {
            for options in choices::some(rng, known.runs, 3) {
                if let Some(what) = differs(&case.spds, &known, &options) {
                    let least = shrink(case, |case| wrong_case(case, &options).is_some());
                    let now = wrong_case(&least, &options).unwrap_or_default();
                    panic!("seed {seed}: {what}\nwith {options:?}\nshrunk: {now}\n{}", least.text());
                }
            }
        }
    }
}

#[test]
fn search_and_oracle_agree_on_systems_without_data() {
    let core = shared::core();
    for seed in support::seeds(0..200) {
        let rng = &mut Rng::with_seed(seed);
        let spds = cases::system_without_data(seed);
        let pool = cases::meanings_without_data(rng, &spds);
        let (ltl, meanings) = cases::some_formula(rng, &pool, &core);
        let case = Case { spds, ltl, meanings };
        for known in known(&case.spds, &case.violations()) {
            // The defaults answer without relations, random choices mostly with them.
            let backwards = Options { search: Search::Pre, ..choices::limited(known.runs) };
            for options in choices::some(rng, known.runs, 2).into_iter().chain([backwards]) {
                if let Some(what) = differs(&case.spds, &known, &options) {
                    let least = shrink(case, |case| wrong_case(case, &options).is_some());
                    let now = wrong_case(&least, &options).unwrap_or_default();
                    panic!("seed {seed}: {what}\nwith {options:?}\nshrunk: {now}\n{}", least.text());
                }
            }
        }
    }
}

#[test]
fn search_and_oracle_agree_on_automata() {
    let mut strong = 0;
    for seed in support::seeds(0..100) {
        let rng = &mut Rng::with_seed(seed);
        let spds = cases::system(seed);
        let meanings = cases::meanings(rng, &spds)[..2].to_vec();
        let text = cases::automaton(rng);
        let tgba = hoa::read(&text, &Limits::default()).unwrap_or_else(|error| panic!("{error:?}"));
        let passes = Passes { simulation: *pick(rng, &[Switch::On, Switch::Off]), ..Passes::default() };
        let violations = Violations::accepted(with_one_mark(&tgba, &passes).unwrap(), meanings);
        strong += usize::from(violations.automaton.strength() == ComponentKind::Strong);
        let given = std::slice::from_ref(&violations);
        for known in known(&spds, given) {
            for options in choices::some(rng, known.runs, 3) {
                if let Some(what) = differs(&spds, &known, &options) {
                    let least = shrink(spds, |spds| wrong(spds, given, &options).is_some());
                    let now = wrong(&least, given, &options).unwrap_or_default();
                    let meanings = &violations.meanings;
                    panic!("seed {seed}: {what}\nwith {options:?}\nshrunk: {now}\n{text}\n{meanings:?}\n{least}");
                }
            }
        }
    }
    assert!(strong > 20, "{strong} automata were strong");
}

/// A formula over a program, its propositions as text.
#[derive(Clone)]
struct Question {
    program: programs::Program,
    ltl: Ltl,
    texts: Vec<String>,
}

impl Question {
    /// `None` if the propositions mean nothing, as may happen in a program that was made smaller.
    fn case(&self) -> Option<Case> {
        let read = boolprog::read(&self.program.to_string(), "random.bp", &boolprog::Options::default());
        let spds = read.expect("programs are valid").spds;
        let meanings = self.texts.iter().map(|text| cases::resolve(&spds, text)).collect::<Option<Vec<_>>>()?;
        Some(Case { spds, ltl: self.ltl.clone(), meanings })
    }
}

impl Shrink for Question {
    fn smaller(&self) -> Vec<Question> {
        let formulas = cases::smaller_formulas(&self.ltl).into_iter().map(|ltl| Question { ltl, ..self.clone() });
        let programs = self.program.smaller().into_iter().map(|program| Question { program, ..self.clone() });
        formulas.chain(programs).collect()
    }
}

/// Asks a formula of a program, or fails with the smallest question that shows what is wrong.
fn agree(seed: u64, question: Question, choices: impl Fn(&mut Rng, Runs) -> Vec<Options>, rng: &mut Rng) {
    let case = question.case().expect("all propositions mean something");
    for known in known(&case.spds, &case.violations()) {
        for options in choices(rng, known.runs) {
            if let Some(what) = differs(&case.spds, &known, &options) {
                let fails =
                    |question: &Question| question.case().is_some_and(|case| wrong_case(&case, &options).is_some());
                let least = shrink(question, fails);
                let case = least.case().expect("it fails");
                let now = wrong_case(&case, &options).unwrap_or_default();
                let (texts, text) = (&least.texts, case.text());
                panic!("seed {seed}: {what}\nwith {options:?}\nshrunk: {now}\n{}\n{texts:?}\n{text}", least.program);
            }
        }
    }
}

#[test]
fn search_and_oracle_agree_on_programs() {
    let core = shared::core();
    for seed in support::seeds(0..100) {
        let rng = &mut Rng::with_seed(seed);
        let program = cases::program(seed);
        let pool = cases::propositions(rng, &program);
        let (ltl, texts) = cases::some_formula(rng, &pool, &core);
        agree(seed, Question { program, ltl, texts }, |rng, runs| choices::some(rng, runs, 2), rng);
    }
}

#[test]
fn search_and_oracle_agree_on_programs_that_hand_on_what_nobody_reads() {
    let core = shared::core();
    for seed in support::seeds(0..80) {
        let rng = &mut Rng::with_seed(seed);
        let program = rotations::program(rng);
        let pool = cases::propositions(rng, &program);
        let (ltl, texts) = cases::some_formula(rng, &pool, &core);
        let wishes = |_: &mut Rng, runs| {
            [TraceWish::None, TraceWish::Any, TraceWish::Shortest]
                .map(|trace| Options { trace, ..choices::limited(runs) })
                .to_vec()
        };
        agree(seed, Question { program, ltl, texts }, wishes, rng);
    }
}

#[test]
fn search_and_oracle_agree_on_small_programs_of_other_people() {
    let Some(corpus) = support::corpus() else { return };
    let (core, mut all) = (shared::core(), 0);
    for (seed, (path, text)) in (0..).zip(corpus) {
        let Ok(program) = boolprog::read(&text, &path, &boolprog::Options::default()) else { continue };
        let spds = program.spds;
        let locals = spds.frames.iter().map(|frame| frame.variables.len()).max().unwrap_or(0);
        if spds.globals.len() + locals > 7 {
            continue;
        }
        all += 1;
        let rng = &mut Rng::with_seed(seed);
        let pool = cases::meanings(rng, &spds);
        let (ltl, meanings) = cases::some_formula(rng, &pool, &core);
        let case = Case { spds, ltl, meanings };
        for known in known(&case.spds, &case.violations()) {
            for options in choices::some(rng, known.runs, 2) {
                if let Some(what) = differs(&case.spds, &known, &options) {
                    panic!("{path}: {what}\nwith {options:?}\n{}", case.text());
                }
            }
        }
    }
    assert!(all > 20, "{all} programs of the corpus were compared");
}

#[test]
fn systems_that_have_a_lasso_violate_what_it_violates() {
    let (core, mut lassos) = (shared::core(), 0);
    for seed in support::seeds(0..200) {
        let rng = &mut Rng::with_seed(seed);
        let spds = cases::system(seed);
        let Some(run) = runs::random(&spds, rng, 60).and_then(|run| runs::lasso(&run)) else { continue };
        let pool = cases::meanings(rng, &spds);
        let (ltl, meanings) = cases::some_formula(rng, &pool, &core);
        let case = Case { spds, ltl, meanings };
        let kind = *pick(rng, &RUNS);
        let Ok(Some(words)) = unfold::words(&case.spds, &run, kind, &case.meanings) else { continue };
        let [formula, negation] = case.violations();
        let violations = if satisfies(&words[0], &case.ltl) { negation } else { formula };
        lassos += 1;
        let property = Property::Ltl(Arc::new(violations));
        let answers =
            check(&case.spds, &[property], &choices::limited(kind)).expect("runs that are found are real").answers;
        assert_eq!(
            answers[0].verdict.bare(),
            Verdict::Violated(None),
            "seed {seed}, {kind:?}, {:?}\n{}",
            words[0],
            case.text()
        );
    }
    assert!(lassos > 50, "{lassos} runs were lassos");
}

#[test]
fn formulas_that_are_asked_together_are_answered_as_each_by_itself() {
    let core = shared::core();
    let mut verdicts = [0, 0];
    for seed in support::seeds(0..24) {
        let rng = &mut Rng::with_seed(seed);
        let spds = if seed % 2 == 0 {
            cases::system(seed)
        } else {
            let text = cases::program(seed).to_string();
            boolprog::read(&text, "random.bp", &boolprog::Options::default()).expect("programs are valid").spds
        };
        let pool = cases::meanings(rng, &spds);
        let formulas = (0..rng.usize(2..9)).flat_map(|_| {
            let (ltl, meanings) = cases::some_formula(rng, &pool, &core);
            let case = Case { spds: spds.clone(), ltl, meanings };
            case.violations().map(|violations| Property::Ltl(Arc::new(violations)))
        });
        let properties: Vec<Property> = formulas.collect();
        let kind = *pick(rng, &RUNS);
        for options in choices::some(rng, kind, 2) {
            let asked = |properties: &[Property]| check(&spds, properties, &options).expect("runs are real").answers;
            let together = asked(&properties);
            let any = together.iter().any(|answer| answer.verdict.claims_run());
            for (property, answer) in properties.iter().zip(&together) {
                let alone = &asked(std::slice::from_ref(property))[0];
                let text = || format!("seed {seed}, {options:?}\n{property:?}\n{spds}");
                assert_eq!(answer.verdict, alone.verdict, "{}", text());
                assert_eq!(answer.trace_omitted, alone.trace_omitted, "{}", text());
                // There is a run if one of the others shows one.
                assert_eq!(answer.vacuous, alone.vacuous && !any, "{}", text());
                verdicts[usize::from(answer.verdict.claims_run())] += 1;
            }
        }
    }
    assert!(verdicts.iter().all(|count| *count > 50), "{verdicts:?}: held, and violated");
}

#[test]
fn engines_and_methods_give_the_same_answers() {
    let core = shared::core();
    for seed in support::seeds(0..100) {
        let rng = &mut Rng::with_seed(seed);
        let spds = cases::system(seed);
        let pool = cases::meanings(rng, &spds);
        let (ltl, meanings) = cases::some_formula(rng, &pool, &core);
        let case = Case { spds, ltl, meanings };
        for Known { runs, properties, .. } in known(&case.spds, &case.violations()) {
            let answers = |options: &Options| check(&case.spds, &properties, options).expect("runs are real").answers;
            let plain = answers(&choices::limited(runs));
            for engine in [Engine::Biodivine, Engine::Shared] {
                let found = answers(&Options { engine, ..choices::limited(runs) });
                assert_eq!(found, plain, "seed {seed}: the same runs on {engine:?}, {runs:?}\n{}", case.text());
            }
            let verdicts =
                |answers: &[Answer]| -> Vec<_> { answers.iter().map(|a| (a.verdict.bare(), a.vacuous)).collect() };
            for strength in [Switch::On, Switch::Off] {
                let options =
                    Options { search: Search::Pre, trace: TraceWish::None, strength, ..choices::limited(runs) };
                let found = verdicts(&answers(&options));
                assert_eq!(found, verdicts(&plain), "seed {seed} backwards, {runs:?}\n{}", case.text());
            }
            for scc in [Scc::Hull, Scc::Closure, Scc::Squaring, Scc::Lockstep] {
                for strength in [Switch::On, Switch::Off] {
                    let options = Options { scc, strength, ..choices::limited(runs) };
                    let found = verdicts(&answers(&options));
                    assert_eq!(found, verdicts(&plain), "seed {seed} with {options:?}\n{}", case.text());
                }
            }
        }
    }
}
