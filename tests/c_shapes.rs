//! Random C programs about corners of the language, against what they do when they are compiled: what holds fails in no run, what is
//! violated fails in one, and each run is executed as it goes.

#[path = "support/c_expressions.rs"]
mod c_expressions;
#[path = "support/c_shapes/mod.rs"]
#[allow(dead_code, reason = "others make programs smaller")]
mod c_shapes;
#[path = "support/compiled.rs"]
mod compiled;
#[path = "support/seeds.rs"]
mod seeds;

use std::collections::BTreeMap;

use fastrand::Rng;
use puch::c::types::DataModel;

use c_shapes::declarations::{Declared, Said, declared, differing};
use c_shapes::law::{Tally, compared, done, least};
use c_shapes::{SHAPES, Shaped, of_shape};

/// Programs that are compiled together.
const BATCH: u64 = 200;

#[test]
fn verdicts_and_runs_are_those_of_the_compiled_programs() {
    let seeds = seeds::seeds(0..220);
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    for first in seeds.clone().step_by(BATCH as usize) {
        let batch = first..seeds.end.min(first + BATCH);
        let programs: Vec<Shaped> = batch.clone().map(program).collect();
        let Some(done) = done(&programs) else { return };
        let done = done.unwrap_or_else(|complaint| panic!("{complaint}"));
        for ((seed, program), done) in batch.zip(programs).zip(&done) {
            let t0 = std::time::Instant::now();
            let complaints = compared(&program, done, &mut Rng::with_seed(!seed), &mut tally);
            if std::env::var_os("SLOW").is_some() && t0.elapsed().as_millis() > 300 { eprintln!("SLOW {seed} {} {:?}", program.shape, t0.elapsed()); }
            if !complaints.is_empty() {
                let shape = program.shape;
                let (program, complaints) = least(program, !seed, complaints);
                wrong.push(format!("seed {seed}, {shape}: {}\n{}", complaints.join("\n"), program.compiled("")));
                eprintln!("WRONG {}", wrong[wrong.len() - 1]);
            }
        }
    }
    println!("{}", tally.told());
    for (reason, count) in &tally.reasons {
        println!("{count:>6} {reason}");
    }
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
}

/// Shapes come by in turn.
fn program(seed: u64) -> Shaped {
    let shapes: Vec<_> = match std::env::var("SHAPE") { Ok(words) => SHAPES.into_iter().filter(|(name, _)| words.split(',').any(|word| word == *name)).collect(), _ => SHAPES.to_vec() };
    let (name, shape) = shapes[seed as usize % shapes.len()];
    of_shape(&mut Rng::with_seed(seed), name, shape)
}

#[test]
#[ignore]
fn show() {
    for seed in seeds::seeds(0..1) {
        let p = program(seed);
        let mut rng = Rng::with_seed(!seed);
        println!("// {seed} {}\n{}", p.shape, p.checked(&c_shapes::Tail::wrong_if(&mut rng, "v == 77"), false, (0, 1)));
    }
}

#[test]
fn declarations_mean_what_compilers_make_of_them() {
    let seeds = seeds::seeds(0..400);
    for model in [DataModel::LP64, DataModel::ILP32] {
        let (mut same, mut numbers, mut other, mut reasons) = (0, 0, Vec::new(), BTreeMap::<String, usize>::new());
        for first in seeds.clone().step_by(BATCH as usize) {
            let batch: Vec<Declared> =
                (first..seeds.end.min(first + BATCH)).map(|seed| declared(&mut Rng::with_seed(seed))).collect();
            let Some(said) = differing(&batch, model) else { return };
            for (at, said) in said.unwrap_or_else(|complaint| panic!("{complaint}")).into_iter().enumerate() {
                match said {
                    Said::Same(count) => (same, numbers) = (same + 1, numbers + count),
                    Said::Unknown(why) => *reasons.entry(why).or_default() += 1,
                    Said::Other(what) => other.push(format!("seed {}: {what}", first + at as u64)),
                }
            }
        }
        println!("{same} declarations, {numbers} numbers are the same; not known: {reasons:#?}");
        assert!(other.is_empty(), "{} of {} differ:\n{}", other.len(), seeds.count(), other.join("\n"));
    }
}
