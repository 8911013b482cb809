//! Corners of C: what programs and declarations mean, against what compilers make of them. Where there is no compiler nothing is checked.

use fastrand::Rng;
use puch::c::program::Overflow;
use puch::c::types::DataModel;

use super::{Kind, Law};
use crate::c_shapes::declarations::{self, Said, declared, differing};
use crate::c_shapes::law::{Tally, abstracts, asked, compared, done};
use crate::c_shapes::order::{self, Expression};
use crate::c_shapes::{self, shaped};
use crate::case::{Case, Input};
use crate::support::pick;

/// Programs that are compiled together.
const BATCH: usize = 20;

/// Declarations that are compiled together.
const MANY: usize = 60;

pub const SHAPES: Law = Law {
    name: "shapes-of-c",
    says: "random C programs about corners of the language do what the compiled programs do, and verdicts say so",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| drawn(rng, SHAPES.name),
    holds: |case| {
        let (programs, rng) = programs(case)?;
        let Some(Ok(done)) = done(&programs) else { return Ok(0) };
        let mut tally = Tally::default();
        for (program, done) in programs.iter().zip(&done) {
            let wrong = compared(program, done, &mut rng.clone(), &mut tally);
            if !wrong.is_empty() {
                return Err(format!("{}\n{}", wrong.join("\n"), program.compiled("")));
            }
        }
        Ok(tally
            .shapes
            .values()
            .map(|count| count.runs - count.runs_unknown + count.questions - count.unknown)
            .sum::<usize>() as u64)
    },
};

pub const ABSTRACTIONS: Law = Law {
    name: "abstractions-of-c",
    says: "every run of such a program is one of its abstraction, whatever the predicates",
    kind: Kind::Answer,
    weight: 1,
    draw: |rng| drawn(rng, ABSTRACTIONS.name),
    holds: |case| {
        let (programs, rng) = programs(case)?;
        let Some(Ok(done)) = done(&programs) else { return Ok(0) };
        let mut checks = 0;
        for (program, done) in programs.iter().zip(&done) {
            checks += u64::from(abstracts(program, done, &mut rng.clone())? > 0);
        }
        Ok(checks)
    },
};

pub const ORDERS: Law = Law {
    name: "orders-of-c",
    says: "what an expression comes to in some order of evaluation is not said never to be, and nothing else is found",
    kind: Kind::Answer,
    weight: 2,
    draw: |rng| loop {
        let leaves = rng.usize(2..5);
        let expression = Expression::random(rng, leaves);
        let Some(outcomes) = expression.outcomes() else { continue };
        let question = *pick(rng, &order::questions(&outcomes));
        let text = order::program(rng, &expression, &question);
        let expected = if question.met { "violated" } else { "holds" };
        return Case::new(ORDERS.name, Input::Whole(text)).with("expected", expected);
    },
    holds: |case| {
        let (mut tally, mut wrong) = (Tally::default(), Vec::new());
        let expected = case.one("expected")? == "violated";
        asked("order", &case.input.text(), Overflow::Wrap, expected, &mut tally, &mut wrong);
        wrong.pop().map_or(Ok(1), Err)
    },
};

pub const DECLARATIONS: Law = Law {
    name: "declarations-of-c",
    says: "sizes, alignments, offsets and bytes of initialised objects are those of a compiler",
    kind: Kind::Answer,
    weight: 1,
    draw: |rng| {
        let all = (0..MANY).map(|_| declared(rng)).collect();
        let model = *pick(rng, &["LP64", "ILP32"]);
        Case::new(DECLARATIONS.name, Input::Declared(all)).with("model", model)
    },
    holds: |case| {
        let model = if case.one("model")? == "LP64" { DataModel::LP64 } else { DataModel::ILP32 };
        let all = declarations::kept(&case.input.text());
        let Some(Ok(said)) = differing(&all, model) else { return Ok(0) };
        let mut checks = 0;
        for said in said {
            match said {
                Said::Same(count) => checks += count as u64,
                Said::Unknown(_) => {}
                Said::Other(what) => return Err(what),
            }
        }
        Ok(checks)
    },
};

fn drawn(rng: &mut Rng, law: &str) -> Case {
    let programs = (0..BATCH).map(|_| shaped(rng)).collect();
    Case::new(law, Input::Shaped(programs)).with("seed", rng.u64(..).to_string())
}

/// The programs of a case, and what decides what is asked of each.
fn programs(case: &Case) -> Result<(Vec<c_shapes::Shaped>, Rng), String> {
    let seed = case.one("seed")?.parse().map_err(|_| "the seed is no number")?;
    Ok((c_shapes::kept(&case.input.text()), Rng::with_seed(seed)))
}
