//! Runs made by hand: whatever is chosen, the judge finds it real; whatever is real can be chosen.

extern crate puch_engine as puch;

mod oracle;
mod support;

use fastrand::Rng;
use puch::replay::{Now, Simulation};
use puch::run::{Ending, Step};
use spds_format::Spds;
use spds_format::model::{Head, Var};
use support::runs;
use support::seeds;
use support::systems::{self, Features};

/// The configuration at hand, by value.
fn copied(now: Now<'_>) -> (u32, u32, Vec<Option<u64>>, Vec<Option<u64>>, u64) {
    (now.control.0, now.symbol.0, now.globals.to_vec(), now.locals.to_vec(), now.depth)
}

/// Sets an open value at random, if there is one.
fn set_some(simulation: &mut Simulation<'_>, spds: &Spds, rng: &mut Rng) {
    let now = simulation.now();
    let frame = spds.symbol(now.symbol).frame;
    let globals = (0..spds.globals.len() as u32).map(Var::Global);
    let locals = (0..spds.locals(now.symbol).len() as u32).map(Var::Local);
    let cells: Vec<(Var, usize, bool)> = globals
        .chain(locals)
        .flat_map(|var| simulation.cells(frame, var).map(move |cell| (var, cell)))
        .map(|(var, cell)| {
            let values = if matches!(var, Var::Global(_)) { now.globals } else { now.locals };
            (var, cell, values[cell].is_none())
        })
        .collect();
    if cells.is_empty() {
        return;
    }
    let (var, cell, open) = cells[rng.usize(..cells.len())];
    assert!(simulation.set(var, cell, rng.u64(..2)).is_ok() || !open, "open values of two and more can be set");
}

#[test]
fn whatever_is_chosen_is_real() {
    let (mut steps, mut failed, mut returned) = (0, 0, 0);
    for seed in seeds(0..400) {
        let spds = systems::system(seed, Features::ALL);
        let rng = &mut Rng::with_seed(seed);
        let mut simulation = Simulation::new(&spds);
        for _ in 0..25 {
            if rng.u32(..3) == 0 {
                set_some(&mut simulation, &spds, rng);
            }
            let count = simulation.choices().0.len();
            if count == 0 {
                if !simulation.back() {
                    break;
                }
                continue;
            }
            let before = copied(simulation.now());
            assert!(simulation.take(rng.usize(..count)));
            steps += 1;
            let after = copied(simulation.now());
            returned += u32::from(after.4 < before.4);
            let (run, _) = simulation
                .run()
                .unwrap_or_else(|objection| panic!("seed {seed}: {objection}\n{}", spds_format::print(&spds)));
            failed += u32::from(run.ending == Ending::Failed);
            assert_eq!(copied(simulation.now()), after, "seed {seed}: showing a run decides nothing");
            if simulation.is_over().is_some() {
                break;
            }
        }
    }
    assert!(steps > 1000 && failed > 10 && returned > 50, "{steps} steps, {failed} failed, {returned} returned");
}

#[test]
fn what_is_undone_was_never_done() {
    let mut undone = 0;
    for seed in seeds(0..200) {
        let spds = systems::system(seed, Features::ALL);
        let rng = &mut Rng::with_seed(seed);
        let mut simulation = Simulation::new(&spds);
        for _ in 0..12 {
            let count = simulation.choices().0.len();
            if count == 0 {
                break;
            }
            let told = |simulation: &mut Simulation<'_>| {
                let (choices, complete) = simulation.choices();
                let all: Vec<_> = choices.into_iter().map(|(now, decided)| (copied(now), decided)).collect();
                (all, complete)
            };
            let (before, choices) = (copied(simulation.now()), told(&mut simulation));
            if simulation.started() {
                simulation.take(rng.usize(..count));
                set_some(&mut simulation, &spds, rng);
                let more = simulation.choices().0.len();
                let twice = more > 0 && simulation.take(rng.usize(..more));
                (0..1 + usize::from(twice)).for_each(|_| assert!(simulation.back()));
                assert_eq!((copied(simulation.now()), told(&mut simulation)), (before, choices), "seed {seed}");
                undone += 1;
            }
            simulation.take(rng.usize(..count));
        }
    }
    assert!(undone > 200, "{undone}");
}

/// Whether what is known of a configuration fits a step.
fn fits(now: Now<'_>, step: &Step) -> bool {
    let agree = |open: &[Option<u64>], values: &[u64]| {
        open.len() == values.len()
            && open.iter().zip(values).all(|(open, value)| open.is_none_or(|open| open == *value))
    };
    let config = &step.config;
    (now.control, now.symbol) == (config.control, config.symbol)
        && now.depth == u64::from(step.depth)
        && agree(now.globals, &config.globals)
        && agree(now.locals, &config.locals)
}

/// Decides all values as they are in a step.
fn set_all(simulation: &mut Simulation<'_>, spds: &Spds, step: &Step) {
    let frame = spds.symbol(step.config.symbol).frame;
    let globals = (0..spds.globals.len() as u32).map(Var::Global);
    let locals = (0..spds.locals(step.config.symbol).len() as u32).map(Var::Local);
    for var in globals.chain(locals) {
        let values = if matches!(var, Var::Global(_)) { &step.config.globals } else { &step.config.locals };
        for cell in simulation.cells(frame, var) {
            simulation.set(var, cell, values[cell]).expect("it is open or what it is");
        }
    }
}

#[test]
fn whatever_is_real_can_be_chosen() {
    let (mut followed, mut ambiguous) = (0, 0);
    'runs: for seed in seeds(0..400) {
        let spds = systems::system(seed, Features::ALL);
        let rng = &mut Rng::with_seed(seed);
        let Some(stem) = runs::random(&spds, rng, 15) else { continue };
        let hidden = spds.hidden_heads();
        let seen: Vec<&Step> = stem
            .iter()
            .filter(|step| !hidden.contains(&Head { control: step.config.control, symbol: step.config.symbol }))
            .collect();
        let Some(first) = seen.first().filter(|first| std::ptr::eq(**first, &stem[0])) else { continue };
        let mut simulation = Simulation::new(&spds);
        set_all(&mut simulation, &spds, first);
        let mut unique = true;
        for (index, step) in seen.iter().enumerate() {
            let (choices, complete) = simulation.choices();
            let fitting: Vec<usize> = (0..choices.len()).filter(|choice| fits(choices[*choice].0, step)).collect();
            unique &= fitting.len() == 1;
            match fitting.first() {
                Some(choice) => assert!(simulation.take(*choice)),
                None if unique && complete => {
                    panic!("seed {seed}: step {index} cannot be chosen: {step:?}\n{}", spds_format::print(&spds))
                }
                None => {
                    ambiguous += 1;
                    continue 'runs;
                }
            }
            set_all(&mut simulation, &spds, step);
        }
        followed += 1;
    }
    assert!(followed > 100 && ambiguous < followed, "{followed} followed, {ambiguous} not");
}
