//! Certificates of formulas: what holds is certified, and what is certified holds.

extern crate puch_engine as puch;

#[path = "support/both_ways.rs"]
mod both_ways;
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
#[allow(dead_code, reason = "verdicts use it")]
mod unfold;
#[path = "ltl/verdicts.rs"]
#[allow(dead_code, reason = "only what is known is asked")]
mod verdicts;

use std::sync::Arc;
use std::time::{Duration, Instant};

use cases::Case;
use fastrand::Rng;
use puch::certificate::{Certificate, Moment, Node, Set, read, write};
use puch::certify::Found;
use puch::check::{Property, Verdict, check};
use puch::evidence::{NotMade, certificate, claim, concerned, least};
use puch::limits::Limits;
use puch::ltl::atoms::Meaning;
use puch::ltl::{Passes, Violations, hoa};
use puch::options::{Options, Runs, TraceWish};
use puch::watched::is_blocking_clear;
use spds_format::Spds;
use support::{choices, pick, shapes, systems};
use verdicts::known;

/// Some formulas owe much.
fn limits() -> Limits {
    Limits { deadline: Some(Instant::now() + Duration::from_secs(5)), memory: Some(64 << 20), bell: None }
}

/// A certificate, with the system that it is about, if there is time for it.
fn made(spds: &Spds, property: &Property, options: &Options) -> Option<(Spds, Option<Certificate>)> {
    let claim = claim(spds, property, "", options.runs)?;
    let system = concerned(spds, property, options.runs)?.into_owned();
    match certificate(&system, claim, &Options { limits: limits(), ..options.clone() }) {
        Ok(certificate) => Some((system, Some(certificate))),
        Err(NotMade::Reached) => Some((system, None)),
        Err(NotMade::Stopped(_)) => None,
    }
}

fn text(spds: &Spds, certificate: &Certificate) -> String {
    let mut text = Vec::new();
    write(&mut text, spds, certificate).expect("a vector takes everything");
    String::from_utf8(text).expect("certificates are text")
}

/// What became of properties.
#[derive(Default, Debug)]
struct Told {
    certified: usize,
    violated: usize,
    /// They hold, but it is not clear whether a run is blocked.
    open: usize,
    stopped: usize,
}

impl Told {
    /// Certifies a property if it holds; whether it does is known.
    fn ask(&mut self, spds: &Spds, property: &Property, violated: bool, options: &Options, told: &dyn Fn() -> String) {
        let Some((system, made)) = made(spds, property, options) else {
            self.stopped += 1;
            return;
        };
        assert_eq!(spds_format::validate(&system), [], "{}", told());
        let Some(made) = made else {
            // Where it is not clear whether a run is blocked it is taken to be.
            assert!(violated || !is_blocking_clear(spds, options.runs), "{}", told());
            self.violated += usize::from(violated);
            self.open += usize::from(!violated);
            return;
        };
        assert!(!violated, "{}", told());
        let Ok(found) = both_ways::found(&system, &made, &limits()) else {
            self.stopped += 1;
            return;
        };
        assert_eq!(found, Found::Proves, "{}\n{}", told(), text(&system, &made));
        assert_eq!(read(&system, &text(&system, &made)), Ok(vec![made]));
        self.certified += 1;
    }

    fn is_enough(&self) {
        println!("{self:?}");
        let Told { certified, violated, open, stopped } = *self;
        assert!(certified > 50 && violated > 50 && open + stopped < certified / 5, "{self:?}");
    }
}

/// A system, with or without data, and four propositions of it.
fn system(rng: &mut Rng, seed: u64) -> (Spds, Vec<Meaning>) {
    let (spds, meanings): (_, fn(&mut Rng, &Spds) -> _) = match seed % 5 {
        0 => (cases::system_without_data(seed), cases::meanings_without_data),
        _ => (cases::system(seed), cases::meanings),
    };
    let meanings = meanings(rng, &spds);
    (spds, meanings)
}

#[test]
fn every_formula_that_holds_is_certified_whatever_the_choices() {
    let core = shared::core();
    let mut told = Told::default();
    for seed in support::seeds(0..150) {
        let rng = &mut Rng::with_seed(seed);
        let (spds, pool) = system(rng, seed);
        let (ltl, meanings) = cases::some_formula(rng, &pool, &core);
        let case = Case { spds, ltl, meanings };
        for known in known(&case.spds, &case.violations()) {
            let options = choices::random(rng, known.runs);
            let words = || format!("{seed} {}\n{}", choices::written(&options), case.text());
            told.ask(&case.spds, &known.properties[0], known.violated[0], &options, &words);
        }
    }
    told.is_enough();
}

#[test]
fn every_automaton_that_accepts_no_run_is_certified_as_it_was_given() {
    let mut told = Told::default();
    for seed in support::seeds(0..200) {
        let rng = &mut Rng::with_seed(seed);
        let (spds, pool) = system(rng, seed);
        let marks = rng.u32(..4);
        let text = cases::automaton_with(rng, marks);
        let tgba = hoa::read(&text, &Limits::default()).expect("it is an automaton");
        let passes = Passes::default();
        let violations = Violations::given(tgba, pool[..2].to_vec(), &passes).expect("no limit is met");
        for known in known(&spds, &[violations]) {
            let options = choices::random(rng, known.runs);
            let words = || format!("{seed} {}\n{text}\n{:?}\n{spds}", choices::written(&options), &pool[..2]);
            told.ask(&spds, &known.properties[0], known.violated[0], &options, &words);
        }
    }
    told.is_enough();
}

/// Too little of it would certify what is violated, too much would leave open what holds.
#[test]
fn where_a_run_is_blocked_is_said_exactly() {
    let mut told = Told::default();
    for seed in support::seeds(0..200) {
        let spds = match seed % 2 {
            0 => cases::system(seed),
            _ => shapes::system(&mut Rng::with_seed(seed)),
        };
        let case = Case { spds, ltl: cases::formula("G !a"), meanings: vec![Meaning::Stuck] };
        let Some(known) = verdicts::known_within(&case.spds, &case.violations()[..1], 1 << 12) else { continue };
        let known = known.iter().find(|known| known.runs == Runs::Stutter).expect("all runs are there");
        let options = choices::random(&mut Rng::with_seed(seed), known.runs);
        let words = || format!("{seed} {}\n{}", choices::written(&options), case.text());
        told.ask(&case.spds, &known.properties[0], known.violated[0], &options, &words);
    }
    println!("{told:?}");
    let Told { certified, violated, open, .. } = told;
    assert!(certified > 20 && violated > 50 && open * 40 <= certified, "{told:?}");
}

/// A procedure that returns with g = w. It is called from m, where g has to be true then, and from n, where g has to be l; or it lies on some start stack.
const CALLERS: &str = "spds 1
global g: bool; global w: bool;
frame main { l: bool }
frame f { }
control p;
symbol m in main; symbol n in main;
symbol a in main invariant g;
symbol b in main invariant g <-> l;
symbol c invariant !g;
symbol f in f; symbol r in f;
START
rule <p, m> -> <p, f a> { w' := true };
rule <p, n> -> <p, f b> CALL;
rule <p, a> -> NEXT;
rule <p, b> -> <p, m>;
rule <p, c> -> <p, c>;
rule <p, f> -> <p, r> { g' := w };
rule <p, r> -> <p>;
";

#[test]
fn whether_a_return_is_refused_is_told_by_who_called_and_with_which_values() {
    let loops = "<p, n>";
    let returns = "<p, r> { g' := !w }";
    let mut told = Told::default();
    for (start, call, next, violated) in [
        ("<p, m>", "{ w' := l }", loops, false),
        ("<p, m>", "{ w' := !l }", loops, true),
        ("<p, m>", "{ w' := !l; l'' := !l }", loops, false),
        ("<p, m>", "{ w' := l; l'' := * }", loops, true),
        ("<p, m>", "{ l'' := * } with l'' <-> w'", loops, false),
        ("<p, m>", "with l'' | w'", loops, true),
        // Of the frames of a start stack, too: a step into another frame keeps what lies below.
        ("<p, f a c> when w", "", returns, false),
        ("<p, f a c>", "", returns, true),
        ("<p, f c a> when !w", "", returns, false),
        ("<p, f b a> when w", "", loops, true),
        ("<p, f a c> when w", "", "<p, r>", true),
    ] {
        let text = CALLERS.replace("START", &format!("start {start};")).replace("CALL", call).replace("NEXT", next);
        let spds = spds_format::parse(&text).unwrap_or_else(|errors| panic!("{text}\n{errors:?}"));
        let case = Case { spds, ltl: cases::formula("G !a"), meanings: vec![Meaning::Stuck] };
        let known = &known(&case.spds, &case.violations()[..1]);
        let known = known.iter().find(|known| known.runs == Runs::Stutter).expect("all runs are there");
        assert_eq!(known.violated[0], violated, "{text}");
        assert!(is_blocking_clear(&case.spds, Runs::Stutter), "{text}");
        let options = Options { runs: Runs::Stutter, ..Options::default() };
        told.ask(&case.spds, &known.properties[0], violated, &options, &|| text.clone());
    }
    let Told { certified, violated, open, stopped } = told;
    assert_eq!([certified, violated, open, stopped], [5, 6, 0, 0]);
}

#[test]
fn the_least_system_in_which_a_formula_is_violated_violates_it_by_the_oracle() {
    let core = shared::core();
    let mut smaller = 0;
    for seed in support::seeds(0..60) {
        let rng = &mut Rng::with_seed(seed);
        let (spds, pool) = system(rng, seed);
        let (ltl, meanings) = cases::some_formula(rng, &pool, &core);
        let case = Case { spds, ltl, meanings };
        let known = &known(&case.spds, &case.violations()[..1])[seed as usize % 3];
        if !known.violated[0] {
            continue;
        }
        let options = Options { trace: TraceWish::None, limits: limits(), ..choices::random(rng, known.runs) };
        let mut violated = |spds: &Spds, property: &Property| {
            let outcome = check(spds, std::slice::from_ref(property), &options);
            outcome.is_ok_and(|outcome| matches!(outcome.answers[0].verdict, Verdict::Violated(_)))
        };
        let found = least((case.spds.clone(), known.properties[0].clone()), 400, &mut violated);
        let (spds, Property::Ltl(violations)) = found.case else { panic!("it is a formula") };
        assert_eq!(spds_format::validate(&spds), []);
        let again = &verdicts::known(&spds, &[Violations::clone(&violations)])[seed as usize % 3];
        assert!(again.violated[0], "{seed}\n{}\n{spds}", case.text());
        smaller +=
            usize::from(spds.rules.len() < case.spds.rules.len() && spds.symbols.len() < case.spds.symbols.len());
    }
    assert!(smaller > 10, "{smaller}");
}

/// How many kinds of changes there are.
const KINDS: usize = 20;

/// The certificate, changed in one of many ways.
fn changed(rng: &mut Rng, kind: usize, certificate: &Certificate) -> Option<Certificate> {
    let mut other = certificate.clone();
    let sets = other.nodes.len() as u32 + 2;
    let bits = other.order.len() as u32;
    let line = rng.usize(..other.reached.len());
    let back = Some(other.returned.len()).filter(|count| *count > 0).map(|count| rng.usize(..count));
    let again = Some(other.again.len()).filter(|count| *count > 0).map(|count| rng.usize(..count));
    let node = Some(other.nodes.len()).filter(|count| *count > 0).map(|count| rng.usize(..count));
    let moment = if rng.bool() { Moment::Now } else { Moment::Entry };
    let half = |rng: &mut Rng, set: Set, rest: Set| match rng.bool() {
        true => Node { moment, bit: rng.u32(..bits), high: set, low: rest },
        false => Node { moment, bit: rng.u32(..bits), high: rest, low: set },
    };
    match kind {
        0 => drop(other.reached.remove(line)),
        1 => drop(other.returned.remove(back?)),
        2 => drop(other.again.remove(again?)),
        3 if rng.bool() => other.cuts.reverse(),
        3 if !other.cuts.is_empty() => drop(other.cuts.remove(rng.usize(..other.cuts.len()))),
        4 => other.reached[line].2 = 1,
        5 => other.returned[back?].2 = 1,
        6 => other.again[again?].2 = 1,
        7 => other.reached[line].2 = rng.u32(..sets),
        8 => other.returned[back?].2 = rng.u32(..sets),
        9 => other.again[again?].2 = rng.u32(..sets),
        10 => other.reached[line].1 = pick(rng, &certificate.reached).1,
        11 => other.again[again?].1 = pick(rng, &certificate.again).1,
        12 => other.again[again?].0 = pick(rng, &certificate.reached).1,
        13 => {
            other.nodes.push(half(rng, certificate.reached[line].2, 0));
            other.reached[line].2 = sets;
        }
        14 => {
            other.nodes.push(half(rng, certificate.reached[line].2, 1));
            other.reached[line].2 = sets;
        }
        15 => {
            other.nodes.push(half(rng, certificate.again[again?].2, 0));
            other.again[again?].2 = sets;
        }
        16 => {
            other.nodes.push(half(rng, certificate.again[again?].2, 1));
            other.again[again?].2 = sets;
        }
        17 => {
            let node = &mut other.nodes[node?];
            std::mem::swap(&mut node.high, &mut node.low);
        }
        18 => other.nodes[node?].bit = rng.u32(..bits),
        _ => other.reached[line].0 = pick(rng, &certificate.reached).0,
    }
    Some(other)
}

/// So many bits are tried in all ways.
const FEW: usize = 7;

#[test]
fn a_changed_certificate_of_a_formula_proves_exactly_what_brute_force_says() {
    // Formulas of one's own only, so that it is the same everywhere.
    let core = Vec::new();
    let (mut refused, mut survived, mut tried) = ([0; KINDS], 0, 0);
    for seed in support::seeds(0..400) {
        let rng = &mut Rng::with_seed(seed);
        let mut spds = cases::system(seed);
        systems::come_back(&mut spds);
        let pool = cases::meanings(rng, &spds);
        let (ltl, meanings) = cases::some_formula(rng, &pool, &core);
        let case = Case { spds, ltl, meanings };
        let property = Property::Ltl(Arc::new(case.violations()[0].clone()));
        let runs = *pick(rng, &cases::RUNS);
        let options = choices::random(rng, runs);
        let Some((system, Some(made))) = made(&case.spds, &property, &options) else { continue };
        if made.order.len() > FEW || made.again.is_empty() {
            continue;
        }
        assert!(oracle::certificates::proves(&system, &made), "{seed}\n{}", case.text());
        tried += 1;
        for (kind, count) in refused.iter_mut().enumerate() {
            let Some(other) = changed(rng, kind, &made).filter(|other| *other != made) else { continue };
            let found = both_ways::found(&system, &other, &limits()).expect("this is small");
            if matches!(found, Found::Foreign(_)) {
                continue;
            }
            let proves = oracle::certificates::proves(&system, &other);
            let what = || format!("{seed} {kind} {found:?}\n{}\n{}", case.text(), text(&system, &other));
            assert_eq!(found == Found::Proves, proves, "{}", what());
            if proves { survived += 1 } else { *count += 1 }
        }
    }
    println!("{tried} tried, {refused:?} refused, {survived} survived");
    assert!(tried > 10 && refused.iter().all(|count| *count > 0) && survived > 5, "{tried} {refused:?} {survived}");
}
