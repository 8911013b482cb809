//! Laws of temporal properties: what the search says of formulas and of termination is what the oracle says, on random
//! systems and random programs, for every kind of run and whatever the options; and runs that are found do violate.
//!
//! A failure shrinks; the message has the seed, what is wrong, and the smallest case that shows it.

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

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use cases::{Case, RUNS};
use fastrand::Rng;
use lasso::{buchi_accepts, satisfies};
use oracle::ltl::{Machine, Wanted, exists};
use puch::boolprog;
use puch::check::{Answer, Property, Reason, Verdict, check};
use puch::limits::Limits;
use puch::ltl::automaton::ComponentKind;
use puch::ltl::{Ltl, Passes, Violations, hoa, with_one_mark};
use puch::options::{Engine, Loops, Options, Order, Runs, Scc, Search, Switch, TraceWish};
use puch::run::Ending;
use spds_format::Spds;
use support::{Shrink, pick, programs, runs, shrink};

/// The defaults, but for memory: an engine that takes what it might need at the start takes little.
fn limited(runs: Runs) -> Options {
    let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
    Options { limits, runs, ..Options::default() }
}

/// Random choices; the first of a seed are the defaults.
fn options(rng: &mut Rng, runs: Runs, count: usize) -> Vec<Options> {
    let random = |rng: &mut Rng| {
        let mut switch = || *pick(rng, &[Switch::On, Switch::Off]);
        let (modref, live, blocks, slice, strength) = (switch(), switch(), switch(), switch(), switch());
        Options {
            engine: *pick(rng, &[Engine::Biodivine, Engine::Oxidd]),
            order: *pick(rng, &[Order::Force, Order::Declared, Order::Apart, Order::GlobalsFirst]),
            trace: *pick(rng, &[TraceWish::None, TraceWish::Any, TraceWish::Shortest]),
            search: *pick(rng, &[Search::Post, Search::Post, Search::Pre]),
            scc: *pick(rng, &[Scc::Hull, Scc::Closure, Scc::Squaring, Scc::Lockstep]),
            loops: *pick(rng, &[Loops::Auto, Loops::Step, Loops::Square]),
            modref,
            live,
            blocks,
            slice,
            strength,
            ..limited(runs)
        }
    };
    std::iter::once(limited(runs)).chain((1..count).map(|_| random(rng))).collect()
}

/// The properties that are asked at once, and what the oracle says: whether each is violated, and whether there is a run.
struct Known {
    runs: Runs,
    properties: Vec<Property>,
    violated: Vec<bool>,
    any: bool,
}

/// The properties after those that are given.
const OTHERS: [&str; 3] = ["termination as a formula", "termination", "the assertions"];

/// For each kind of run: these properties, termination as a formula and by itself, and the assertions.
fn known(spds: &Spds, given: &[Violations]) -> [Known; 3] {
    let machine = &mut Machine::new(spds);
    let fails = oracle::explore(spds).failing(spds).is_some();
    let goes_on = exists(machine, Runs::Infinite, Wanted::Any);
    RUNS.map(|runs| {
        let mut violations = given.to_vec();
        violations.push(cases::termination(spds, runs));
        let mut is_violated = |v: &Violations| exists(machine, runs, Wanted::Accepted(&v.automaton, &v.meanings));
        let mut violated: Vec<bool> = violations.iter().map(&mut is_violated).collect();
        assert_eq!(violated[given.len()], goes_on, "{runs:?}: termination and its formula\n{spds}");
        violated.extend([goes_on, fails]);
        let mut properties: Vec<Property> = violations.into_iter().map(|v| Property::Ltl(Arc::new(v))).collect();
        properties.extend([Property::Termination, Property::Assertions]);
        Known { runs, properties, violated, any: exists(machine, runs, Wanted::Any) }
    })
}

/// What is wrong with the answers, if anything.
fn differs(spds: &Spds, known: &Known, options: &Options) -> Option<String> {
    // All at once, or each alone.
    let together = options.trace == TraceWish::Shortest;
    let parts: Vec<&[Property]> = if together { vec![&known.properties] } else { known.properties.chunks(1).collect() };
    let mut answers = Vec::new();
    for properties in parts {
        match catch_unwind(AssertUnwindSafe(|| check(spds, properties, options))) {
            Ok(Ok(outcome)) => answers.extend(outcome.answers),
            Ok(Err(error)) => return Some(error.to_string()),
            Err(_) => return Some("it panics".into()),
        }
    }
    (0..answers.len()).find_map(|i| {
        let what = complaint(spds, known, i, &answers[i], options)?;
        let given = answers.len() - OTHERS.len();
        let name = if i < given { format!("property {i}") } else { OTHERS[i - given].to_owned() };
        Some(format!("{name}: {what}"))
    })
}

fn complaint(spds: &Spds, known: &Known, i: usize, answer: &Answer, options: &Options) -> Option<String> {
    let property = &known.properties[i];
    // Under stuttering runs one thing is left open: what becomes of a run whose return is refused.
    let open = answer.verdict == Verdict::Unknown(Reason::Return);
    if open && options.runs == Runs::Stutter && (0..known.properties.len() - 2).contains(&i) {
        return None;
    }
    let verdict = if known.violated[i] { Verdict::Violated(None) } else { Verdict::Holds };
    if answer.verdict.bare() != verdict {
        return Some(format!("the answer is {:?}, but the oracle says {verdict:?}", answer.verdict));
    }
    let can_be_vacuous = match property {
        Property::Ltl(_) => true,
        Property::Termination => options.runs != Runs::Infinite,
        _ => false,
    };
    let vacuous = can_be_vacuous && !known.violated[i] && !known.any;
    if answer.vacuous != vacuous {
        return Some(format!("`vacuous` is {}, but the oracle says {vacuous}", answer.vacuous));
    }
    let wanted = options.trace != TraceWish::None && known.violated[i];
    let trace = match answer.verdict.trace() {
        Some(_) if !wanted => return Some("there is a trace that no one asked for".into()),
        None if wanted => return Some(format!("there is no trace: {:?}", answer.trace_omitted)),
        None => return None,
        Some(trace) => trace,
    };
    let objection = match property {
        Property::Ltl(violations) => shows(spds, trace, violations, options.runs),
        Property::Termination if trace.run.ending != Ending::Loop => Err("the run does not go on for ever".into()),
        Property::Termination => unfold::words(spds, &trace.run, Runs::Infinite, &[]).map(|_| ()),
        _ => Ok(()),
    };
    objection.err().map(|what| format!("{what}: {:?}", trace.run))
}

/// Whether the run is a violation, if it is not too long to say.
fn shows(spds: &Spds, trace: &puch::check::Trace, violations: &Violations, runs: Runs) -> Result<(), String> {
    let formula = violations.formula.as_ref();
    let meanings = formula.map_or(&violations.meanings, |specified| &specified.meanings);
    let Some(words) = unfold::words(spds, &trace.run, runs, meanings)? else { return Ok(()) };
    let violates = |word| match formula {
        Some(specified) => !satisfies(word, &specified.formula),
        None => buchi_accepts(&violations.automaton, word),
    };
    if words.iter().any(violates) { Ok(()) } else { Err(format!("the run is no violation, it reads {words:?}")) }
}

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
    for seed in support::seeds(0..200) {
        let rng = &mut Rng::with_seed(seed);
        let spds = cases::system(seed);
        let pool = cases::meanings(rng, &spds);
        let (ltl, meanings) = cases::some_formula(rng, &pool, &core);
        let case = Case { spds, ltl, meanings };
        for known in known(&case.spds, &case.violations()) {
            for options in options(rng, known.runs, 3) {
                if let Some(what) = differs(&case.spds, &known, &options) {
                    let least = shrink(case, |case| wrong_case(case, &options).is_some());
                    let now = wrong_case(&least, &options).unwrap_or_default();
                    panic!("seed {seed}: {what}\nwith {options:?}\nshrunk: {now}\n{}", least.text());
                }
            }
        }
    }
}

/// A random automaton over two propositions, as text: mostly nondeterministic, and marked here and there.
fn automaton(rng: &mut Rng) -> String {
    let states = rng.usize(1..4);
    let mut text = format!("HOA: v1 States: {states} Start: 0 AP: 2 \"p0\" \"p1\" Acceptance: 1 Inf(0) --BODY--");
    for state in 0..states {
        text += &format!("\nState: {state}");
        for _ in 0..rng.usize(1..4) {
            let label = pick(rng, &["t", "t", "0", "!0", "1", "!1", "0&1", "0|1", "!0&1", "!0|!1"]);
            let mark = if rng.u32(..3) == 0 { " {0}" } else { "" };
            text += &format!(" [{label}] {}{mark}", rng.usize(..states));
        }
    }
    text + "\n--END--"
}

#[test]
fn search_and_oracle_agree_on_automata() {
    let mut strong = 0;
    for seed in support::seeds(0..200) {
        let rng = &mut Rng::with_seed(seed);
        let spds = cases::system(seed);
        let meanings = cases::meanings(rng, &spds)[..2].to_vec();
        let text = automaton(rng);
        let tgba = hoa::read(&text, &Limits::default()).unwrap_or_else(|error| panic!("{error:?}"));
        let passes = Passes { simulation: *pick(rng, &[Switch::On, Switch::Off]), ..Passes::default() };
        let violations = Violations::accepted(with_one_mark(&tgba, &passes).unwrap(), meanings);
        strong += usize::from(violations.automaton.strength() == ComponentKind::Strong);
        let given = std::slice::from_ref(&violations);
        for known in known(&spds, given) {
            for options in options(rng, known.runs, 3) {
                if let Some(what) = differs(&spds, &known, &options) {
                    let least = shrink(spds, |spds| wrong(spds, given, &options).is_some());
                    let now = wrong(&least, given, &options).unwrap_or_default();
                    let meanings = &violations.meanings;
                    panic!("seed {seed}: {what}\nwith {options:?}\nshrunk: {now}\n{text}\n{meanings:?}\n{least}");
                }
            }
        }
    }
    assert!(strong > 40, "{strong} automata were strong");
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

#[test]
fn search_and_oracle_agree_on_programs() {
    let core = shared::core();
    for seed in support::seeds(0..200) {
        let rng = &mut Rng::with_seed(seed);
        let program = cases::program(seed);
        let pool = cases::propositions(rng, &program);
        let (ltl, texts) = cases::some_formula(rng, &pool, &core);
        let question = Question { program, ltl, texts };
        let case = question.case().expect("all propositions mean something");
        for known in known(&case.spds, &case.violations()) {
            for options in options(rng, known.runs, 2) {
                if let Some(what) = differs(&case.spds, &known, &options) {
                    let fails =
                        |question: &Question| question.case().is_some_and(|case| wrong_case(&case, &options).is_some());
                    let least = shrink(question, fails);
                    let case = least.case().expect("it fails");
                    let now = wrong_case(&case, &options).unwrap_or_default();
                    let (texts, text) = (&least.texts, case.text());
                    panic!(
                        "seed {seed}: {what}\nwith {options:?}\nshrunk: {now}\n{}\n{texts:?}\n{text}",
                        least.program
                    );
                }
            }
        }
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
            for options in options(rng, known.runs, 2) {
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
    for seed in support::seeds(0..400) {
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
        let answers = check(&case.spds, &[property], &limited(kind)).expect("runs that are found are real").answers;
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
            let plain = answers(&limited(runs));
            for engine in [Engine::Biodivine, Engine::Oxidd] {
                let found = answers(&Options { engine, ..limited(runs) });
                assert_eq!(found, plain, "seed {seed}: the same runs on {engine:?}, {runs:?}\n{}", case.text());
            }
            let verdicts =
                |answers: &[Answer]| -> Vec<_> { answers.iter().map(|a| (a.verdict.bare(), a.vacuous)).collect() };
            for strength in [Switch::On, Switch::Off] {
                let options = Options { search: Search::Pre, trace: TraceWish::None, strength, ..limited(runs) };
                let found = verdicts(&answers(&options));
                assert_eq!(found, verdicts(&plain), "seed {seed} backwards, {runs:?}\n{}", case.text());
            }
            for scc in [Scc::Hull, Scc::Closure, Scc::Squaring, Scc::Lockstep] {
                for strength in [Switch::On, Switch::Off] {
                    let options = Options { scc, strength, ..limited(runs) };
                    let found = verdicts(&answers(&options));
                    assert_eq!(found, verdicts(&plain), "seed {seed} with {options:?}\n{}", case.text());
                }
            }
        }
    }
}
