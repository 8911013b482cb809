//! Corners of C: what programs and declarations mean, against what compilers make of them. Where there is no compiler nothing is checked.

use fastrand::Rng;
use puch::c::program::Overflow;
use puch::c::types::DataModel;

use super::{Kind, Law};
use crate::c_shapes::declarations::{self, Said, declared, differing};
use crate::c_shapes::law::{Asked, FAILURES, Tally, abstracts, compared, done};
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
        let (text, expected) = (case.input.text(), case.one("expected")? == "violated");
        let asked = Asked { shape: "order", text: &text, overflow: Overflow::Wrap, question: FAILURES, expected };
        asked.wrong(&mut Tally::default()).map_or(Ok(1), Err)
    },
};

pub const DECLARATIONS: Law = Law {
    name: "declarations-of-c",
    says: "sizes, alignments, offsets and bytes of initialised objects are those of a compiler",
    kind: Kind::Answer,
    weight: 1,
    draw: |rng| {
        let (name, model) = *pick(rng, &MODELS);
        let all = (0..MANY).map(|_| declared(rng, model)).collect();
        Case::new(DECLARATIONS.name, Input::Declared(all)).with("model", name)
    },
    holds: |case| {
        let name = case.one("model")?;
        let (_, model) = MODELS.into_iter().find(|(model, _)| *model == name).ok_or("there is no such model")?;
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

const MODELS: [(&str, DataModel); 2] = [("LP64", DataModel::LP64), ("ILP32", DataModel::ILP32)];

fn drawn(rng: &mut Rng, law: &str) -> Case {
    let programs = (0..BATCH).map(|_| shaped(rng)).collect();
    Case::new(law, Input::Shaped(programs)).with("seed", rng.u64(..).to_string())
}

/// The programs of a case, and what decides what is asked of each.
fn programs(case: &Case) -> Result<(Vec<c_shapes::Shaped>, Rng), String> {
    let seed = case.one("seed")?.parse().map_err(|_| "the seed is no number")?;
    Ok((c_shapes::kept(&case.input.text()), Rng::with_seed(seed)))
}
