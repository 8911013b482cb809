//! The judge accepts what is real and nothing else: against the oracle on random systems, runs and changes of runs.

extern crate puch_engine as puch;

mod oracle;
mod support;

use fastrand::Rng;
use puch::replay::{Claim, Replayed, Walked, walk};
use puch::run::Run;
use spds_format::Spds;
use spds_format::model::Place;
use support::systems::{self, Features};
use support::{judged, runs};

/// Checks that judge and oracle agree on a run and on random changes of it.
fn agree(spds: &Spds, seed: u64, run: &Run, rng: &mut Rng, rejected: &mut usize) {
    let counts = judged::agree(spds, run, rng).unwrap_or_else(|what| panic!("seed {seed}: {what}\n{spds:#?}"));
    *rejected += counts.rejected;
}

#[test]
fn judge_and_oracle_agree_on_full_runs() {
    let (mut all, mut rejected) = (0, 0);
    for seed in 0..300 {
        let spds = systems::system(seed, Features::ALL);
        let rng = &mut Rng::with_seed(seed);
        if let Some(stem) = runs::random(&spds, rng, 12) {
            agree(&spds, seed, &runs::reaching(stem), rng, &mut rejected);
            all += 6;
        }
    }
    assert!(rejected * 2 > all && rejected < all, "{rejected} of {all} changed runs were rejected");
}

#[test]
fn judge_and_oracle_agree_on_folded_runs() {
    let (mut folded, mut rejected) = (0, 0);
    for seed in 0..1000 {
        let spds = systems::system(seed, Features::ALL);
        let rng = &mut Rng::with_seed(seed);
        let Some(stem) = runs::random(&spds, rng, 25) else { continue };
        let run = runs::fold(&spds, &runs::reaching(stem), rng);
        if !run.calls.is_empty() {
            folded += 1;
            agree(&spds, seed, &run, rng, &mut rejected);
        }
    }
    assert!(folded > 100 && rejected > 100, "{folded} folded, {rejected} rejected");
}

#[test]
fn judge_and_oracle_agree_on_lassos() {
    let (mut lassos, mut rejected) = (0, 0);
    for seed in 0..300 {
        let spds = systems::system(seed, Features::ALL);
        let rng = &mut Rng::with_seed(seed);
        if let Some(run) = runs::random(&spds, rng, 40).and_then(|stem| runs::lasso(&stem)) {
            lassos += 1;
            agree(&spds, seed, &run, rng, &mut rejected);
        }
    }
    assert!(lassos > 80 && rejected > 150, "{lassos} lassos, {rejected} rejected");
}

#[test]
fn recorded_traces_are_found_real_exactly_if_some_run_looks_like_them() {
    let (mut all, mut unreal) = (0, 0);
    for seed in 0..300 {
        let mut spds = systems::system(seed, Features::ALL);
        // Two symbols to a line, and some globals that no one sees.
        for (number, symbol) in (0..).zip(&mut spds.symbols) {
            symbol.place = Some(Place { file: 0, line: number / 2, column: 1 });
        }
        spds.files = vec!["a.spds".into()];
        let rng = &mut Rng::with_seed(seed);
        spds.globals.iter_mut().for_each(|global| global.hidden = rng.u32(..4) == 0);
        let Some(stem) = runs::random(&spds, rng, 10) else { continue };
        let run = runs::reaching(stem);
        if runs::is_hidden(&spds, &run.stem[run.stem.len() - 1].config) {
            continue;
        }
        let all_symbols = (0..spds.symbols.len() as u32).map(|number| (None, spds_format::model::SymbolId(number)));
        let anywhere = Claim::Reaches(all_symbols.collect());
        for change in 0..4 {
            let run = if change == 0 { run.clone() } else { runs::mutate(&spds, &run, rng) };
            let observed = runs::observe(&spds, &run, rng);
            let Some(looks) = runs::looks_real(&spds, &observed) else { continue };
            let (real, ours) = (looks && !observed.stem.is_empty(), walk(&spds, &observed, &anywhere, u64::MAX));
            all += 1;
            unreal += usize::from(!real);
            assert!(change > 0 || real);
            assert_eq!(
                ours == Ok(Walked::Real(Replayed::Full)),
                real,
                "seed {seed}: {ours:?} {observed:#?}\n{spds:#?}"
            );
        }
        let folded = runs::observe(&spds, &runs::fold(&spds, &run, rng), rng);
        let ours = walk(&spds, &folded, &anywhere, u64::MAX);
        assert_eq!(ours, Ok(Walked::Real(Replayed::Full)), "seed {seed}: {folded:#?}\n{spds:#?}");
    }
    assert!(all > 700 && unreal > 250, "{unreal} of {all} unreal");
}
