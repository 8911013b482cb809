//! Certificates of formulas: what holds is certified, and what is certified holds.

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

use std::time::{Duration, Instant};

use cases::Case;
use fastrand::Rng;
use puch::certificate::{Certificate, read, write};
use puch::certify::{Found, certify};
use puch::check::Property;
use puch::evidence::{NotMade, certificate, claim, concerned};
use puch::limits::Limits;
use puch::options::{Options, Runs};
use spds_format::Spds;
use support::choices;
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

#[test]
fn every_formula_that_holds_is_certified() {
    let core = shared::core();
    let (mut certified, mut violated, mut open, mut stopped) = (0, 0, 0, 0);
    for seed in support::seeds(0..150) {
        let rng = &mut Rng::with_seed(seed);
        let spds = cases::system(seed);
        let pool = cases::meanings(rng, &spds);
        let (ltl, meanings) = cases::some_formula(rng, &pool, &core);
        let case = Case { spds, ltl, meanings };
        for known in known(&case.spds, &case.violations()) {
            let property = &known.properties[0];
            let options = choices::some(rng, known.runs, 1).remove(0);
            let Some((system, made)) = made(&case.spds, property, &options) else {
                stopped += 1;
                continue;
            };
            assert_eq!(spds_format::validate(&system), [], "{}", case.text());
            let case = || format!("{seed} {:?}\n{}", known.runs, case.text());
            let Some(made) = made else {
                // Where it is not clear whether a run is blocked it is taken to be.
                assert!(known.violated[0] || known.runs == Runs::Stutter, "{}", case());
                violated += usize::from(known.violated[0]);
                open += usize::from(!known.violated[0]);
                continue;
            };
            assert!(!known.violated[0], "{}", case());
            let Ok(found) = certify(&system, &made, &limits()) else {
                stopped += 1;
                continue;
            };
            assert_eq!(found, Found::Proves, "{}\n{}", case(), text(&system, &made));
            assert_eq!(read(&system, &text(&system, &made)), Ok(vec![made]));
            certified += 1;
        }
    }
    let told = format!("{certified} certified, {violated} violated, {open} open, {stopped} stopped");
    assert!(certified > 50 && violated > 50 && open + stopped < certified / 5, "{told}");
    println!("{told}");
}
