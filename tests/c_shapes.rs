//! Random C programs about corners of the language, against what they do when they are compiled: what holds fails in no run, what is
//! violated fails in one, and each run is executed as it goes.

extern crate puch_programs as puch;

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
use std::ops::Range;

use fastrand::Rng;
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::interpreter::{self, End, Inputs};

use c_shapes::declarations::{Declared, Said, declared, differing};
use c_shapes::law::{Asked, Done, FAILURES, Tally, abstracts, compared, done, least, read};
use c_shapes::order::{self, Expression, FUNCTIONS, observed};
use c_shapes::{SHAPES, Shape, Shaped, of_shape};

/// Programs that are compiled together.
const BATCH: u64 = 200;

/// The random programs of some seeds with what they do when they are compiled; `None` where there is no compiler.
fn programs(seeds: Range<u64>) -> Option<Vec<(u64, Shaped, Vec<Done>)>> {
    let mut all = Vec::new();
    for first in seeds.clone().step_by(BATCH as usize) {
        let batch = first..seeds.end.min(first + BATCH);
        let programs: Vec<Shaped> = batch.clone().map(program).collect();
        let done = done(&programs)?.unwrap_or_else(|complaint| panic!("{complaint}"));
        all.extend(batch.zip(programs).zip(done).map(|((seed, program), done)| (seed, program, done)));
    }
    Some(all)
}

/// A random program. Shapes come by in turn; for a closer look only those that `PUCH_SHAPES=vla,union` lists.
fn program(seed: u64) -> Shaped {
    let words = std::env::var("PUCH_SHAPES").unwrap_or_default();
    let chosen = |name: &str| words.is_empty() || words.split(',').any(|word| word == name);
    let shapes: Vec<(&'static str, Shape)> = SHAPES.into_iter().filter(|(name, _)| chosen(name)).collect();
    let (name, shape) = shapes[seed as usize % shapes.len()];
    of_shape(&mut Rng::with_seed(seed), name, shape)
}

#[test]
fn verdicts_and_runs_are_those_of_the_compiled_programs() {
    agree(0..29);
}

// Beside the others: each takes as long as all else in this file.
#[test]
fn verdicts_and_runs_are_those_of_more_compiled_programs() {
    agree(29..58);
}

fn agree(usual: Range<u64>) {
    let (mut tally, mut wrong) = (Tally::default(), Vec::new());
    for (seed, program, done) in programs(seeds::seeds(usual)).unwrap_or_default() {
        let complaints = compared(&program, &done, &mut Rng::with_seed(!seed), &mut tally);
        if !complaints.is_empty() {
            let shape = program.shape;
            let (program, complaints) = least(program, !seed, complaints);
            wrong.push(format!("seed {seed}, {shape}: {}\n{}", complaints.join("\n"), program.compiled("")));
        }
    }
    println!("{}", tally.told());
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
    // An overflow that the compiler does not see is rare: more would be overflows that puch makes up.
    let (programs, folded) = tally.shapes.values().fold((0, 0), |sum, one| (sum.0 + one.programs, sum.1 + one.folded));
    assert!(folded * 100 <= programs + 200, "{folded} of {programs}");
}

#[test]
fn compilers_trap_where_a_floating_point_number_does_not_fit_an_integer() {
    let program = |line: &str, y: &str| {
        let body = ["unsigned char x = 1;".to_owned(), format!("{y} y = <|-457880920579L|> - 1;"), line.to_owned()];
        Shaped {
            shape: "converted",
            before: Vec::new(),
            body: body.into(),
            places: Vec::new(),
            observed: "x".to_owned(),
        }
    };
    // -25092 * 0.5 is none of an `unsigned char`, but one of a `short` and of a `long`, which become one; `_Bool` has all.
    let programs = [
        (program("x = y * 0.5 + a;", "short"), true),
        (program("x = (signed char) (y * 0.5);", "short"), true),
        (program("x = (unsigned long) (y * 0.5);", "long"), true),
        (program("x = (short) (y * 0.5) + a;", "short"), false),
        (program("x = (long) (y * 0.5);", "long"), false),
        (program("x = (_Bool) (y * 0.5);", "long"), false),
    ];
    let (programs, undefined): (Vec<Shaped>, Vec<bool>) = programs.into_iter().unzip();
    let Some(all) = done(&programs) else { return };
    for ((program, undefined), done) in programs.into_iter().zip(undefined).zip(all.expect("each has one meaning")) {
        assert!(done.iter().all(|done| done.undefined == undefined), "{}", program.compiled(""));
        let complaints = compared(&program, &done, &mut Rng::with_seed(7), &mut Tally::default());
        assert!(complaints.is_empty(), "{}\n{}", complaints.join("\n"), program.compiled(""));
    }
}

#[test]
fn every_run_is_one_of_each_abstraction() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (seed, program, done) in programs(seeds::seeds(0..58)).unwrap_or_default() {
        match abstracts(&program, &done, &mut Rng::with_seed(!seed)) {
            Ok(predicates) => count += predicates,
            Err(what) => wrong.push(format!("seed {seed}, {}: {what}", program.shape)),
        }
    }
    println!("{count} predicates");
    assert!(wrong.is_empty(), "{} wrong abstractions:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn declarations_mean_what_compilers_make_of_them() {
    let seeds = seeds::seeds(0..200);
    for model in [DataModel::LP64, DataModel::ILP32] {
        let (mut same, mut numbers, mut other, mut reasons) = (0, 0, Vec::new(), BTreeMap::<String, usize>::new());
        for first in seeds.clone().step_by(BATCH as usize) {
            let batch: Vec<Declared> =
                (first..seeds.end.min(first + BATCH)).map(|seed| declared(&mut Rng::with_seed(seed), model)).collect();
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
    let seeds = seeds::seeds(0..60);
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
            let (overflow, expected) = (Overflow::Wrap, question.met);
            wrong.extend(Asked { shape, text: &text, overflow, question: FAILURES, expected }.wrong(&mut tally));
        }
    }
    println!("{}", tally.told());
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn runs_come_to_all_that_some_order_comes_to_and_to_nothing_else() {
    let (mut wrong, mut several, mut many) = (Vec::new(), 0, 0);
    for seed in seeds::seeds(0..300) {
        let rng = &mut Rng::with_seed(seed);
        let leaves = rng.usize(2..7);
        let expression = Expression::random(rng, leaves);
        let Some(outcomes) = expression.outcomes() else { continue };
        let expected: BTreeSet<i64> = outcomes.iter().map(order::number).collect();
        several += usize::from(expected.len() > 1);
        match comes_to(&expression) {
            Ok(None) => many += 1,
            Ok(Some(values)) if values == expected => {}
            Ok(Some(values)) => wrong.push(format!("seed {seed}: {expression}: {values:?}, but {expected:?} is right")),
            Err(what) => wrong.push(format!("seed {seed}: {expression}: {what}")),
        }
    }
    println!("{several} expressions come to several values; {many} have too many orders");
    assert!(wrong.is_empty(), "{} expressions:\n{}", wrong.len(), wrong.join("\n"));
}

/// What the runs of a program that evaluates an expression return, in all orders of evaluation; nothing if they are too many.
fn comes_to(expression: &Expression) -> Result<Option<BTreeSet<i64>>, String> {
    let program = read(&order::executed(expression), Some("main_"), DataModel::LP64)?;
    let (mut values, mut open, mut runs) = (BTreeSet::new(), vec![Vec::new()], 0);
    while let Some(orders) = open.pop() {
        runs += 1;
        if runs > 2_000 {
            return Ok(None);
        }
        let inputs = Inputs::ordered(orders.iter().copied());
        let outcome = interpreter::execute(&program, &interpreter::Options::default(), inputs, &mut |_| {});
        match outcome.end {
            End::Returned(Some(value)) => values.insert(value as i64),
            // No order begins like that.
            End::Blocked(_) => false,
            end => return Err(end.told(&program)),
        };
        let chosen: Vec<i128> = outcome.inputs.iter().map(|given| given.value).collect();
        for (at, given) in outcome.inputs.iter().enumerate().skip(orders.len()) {
            open.extend((1..=given.others as i128).map(|other| [&chosen[..at], &[other]].concat()));
        }
    }
    Ok(Some(values))
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
