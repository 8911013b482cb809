//! Random C programs about corners of the language, against what they do when they are compiled: what holds fails in no run, what is
//! violated fails in one, and each run is executed as it goes.

#[path = "support/c_expressions.rs"]
mod c_expressions;
#[path = "support/c_shapes/mod.rs"]
#[allow(dead_code, reason = "others make programs smaller")]
mod c_shapes;
#[path = "support/compiled.rs"]
mod compiled;
#[path = "support/may_fail.rs"]
mod may_fail;
#[path = "support/seeds.rs"]
mod seeds;

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use puch::c::program::Overflow;
use puch::c::types::DataModel;

use c_shapes::declarations::{Declared, Said, declared, differing};
use c_shapes::law::{Tally, abstracts, asked, compared, done, least};
use c_shapes::order::{self, Expression, FUNCTIONS, observed};
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
            if std::env::var_os("SLOW").is_some() && t0.elapsed().as_millis() > 300 {
                eprintln!("SLOW {seed} {} {:?}", program.shape, t0.elapsed());
            }
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
    let shapes: Vec<_> = match std::env::var("SHAPE") {
        Ok(words) => SHAPES.into_iter().filter(|(name, _)| words.split(',').any(|word| word == *name)).collect(),
        _ => SHAPES.to_vec(),
    };
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
fn every_run_is_one_of_each_abstraction() {
    let seeds = seeds::seeds(0..132);
    let (mut wrong, mut count) = (Vec::new(), 0);
    for first in seeds.clone().step_by(BATCH as usize) {
        let batch = first..seeds.end.min(first + BATCH);
        let programs: Vec<Shaped> = batch.clone().map(program).collect();
        let Some(done) = done(&programs) else { return };
        let done = done.unwrap_or_else(|complaint| panic!("{complaint}"));
        for ((seed, program), done) in batch.zip(programs).zip(&done) {
            match abstracts(&program, done, &mut Rng::with_seed(!seed)) {
                Ok(predicates) => count += predicates,
                Err(what) => wrong.push(format!("seed {seed}, {}: {what}", program.shape)),
            }
        }
    }
    println!("{count} predicates");
    assert!(wrong.is_empty(), "{} wrong abstractions:\n{}", wrong.len(), wrong.join("\n"));
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

#[test]
fn what_is_evaluated_in_any_order_comes_to_all_that_it_can_come_to() {
    let seeds = seeds::seeds(0..150);
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    for seed in seeds {
        let rng = &mut Rng::with_seed(seed);
        let leaves = rng.usize(2..5);
        let expression = Expression::random(rng, leaves);
        let Some(outcomes) = expression.outcomes() else { continue };
        let questions = order::questions(&outcomes);
        let shape =
            if questions.iter().filter(|question| question.met).count() > 1 { "several orders" } else { "one order" };
        for question in questions.iter().take(6) {
            let text = order::program(rng, &expression, question);
            asked(shape, &text, Overflow::Wrap, question.met, &mut tally, &mut wrong);
        }
    }
    println!("{}", tally.told());
    for (reason, count) in &tally.reasons {
        println!("{count:>6} {reason}");
    }
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn compilers_evaluate_in_one_of_the_orders() {
    let mut rng = Rng::with_seed(7);
    let mut known = Vec::new();
    let mut text = format!("int printf(const char *, ...);\n{FUNCTIONS}");
    let mut main = String::new();
    for at in 0..300 {
        let leaves = rng.usize(2..6);
        let expression = Expression::random(&mut rng, leaves);
        let Some(outcomes) = expression.outcomes() else { continue };
        let seen = outcomes
            .iter()
            .map(|outcome| [0, 1, 2, 3, 4, 5, 6].map(|place| observed(outcome, place).to_string()).join(" "));
        known.push((expression.to_string(), seen.collect::<BTreeSet<String>>()));
        text += &format!(
            "void p{at}(void) {{ int x = 3, y = 0, t[2] = {{5, 6}}, r; g = 1; h = 2; r = {expression}; \
             printf(\"%d %d %d %d %d %d %d\\n\", {}); }}\n",
            order::PLACES.join(", ")
        );
        main += &format!("p{at}();\n");
    }
    let Some(printed) = compiled::printed(&format!("{text}int main(void) {{\n{main}return 0;\n}}\n"), &["-fwrapv"])
    else {
        return;
    };
    for ((expression, values), line) in known.iter().zip(printed.lines()) {
        assert!(values.contains(line), "{expression}: {line} is none of {values:?}");
    }
}

#[test]
#[ignore]
fn show_declared() {
    for seed in seeds::seeds(0..1) {
        println!("// {seed}\n{}", declared(&mut Rng::with_seed(seed)).written());
    }
}
