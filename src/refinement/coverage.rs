//! Which statements of a C program are reached, for pages that show sources: what an abstraction of it tells, with the predicates that
//! were found. No run of the program comes to a statement to which none of the abstraction does.

use spds_format::Spds;

use crate::abstraction::boolean::lowered;
use crate::abstraction::{Reuse, Text, abstracted_again, influential, read};
use crate::c::Program;
use crate::c::program::Overflow;
use crate::concretise::statement;
use crate::problem::coverage::found;
use crate::report::html::Coverage;

use super::{Answer, Held, Options};

/// An abstraction, and what is known of its statements: of one that holds if there is one, else of one with the predicates of some answer.
pub fn covered(program: &Program, overflow: Overflow, answers: &[Answer], options: &Options) -> (Spds, Coverage) {
    let held = answers.iter().find_map(|answer| Some(of_held(&answer.program, answer.outcome.held.as_deref()?)));
    let text = held.unwrap_or_else(|| {
        let known = answers.iter().map(|answer| &*answer.outcome.predicates).find(|known| !known.is_empty());
        abstracted(program, overflow, known.unwrap_or(""), options)
    });
    let unknown = |why: &str| Coverage { unknown: Some(why.to_owned()), ..Coverage::default() };
    match lowered(&text, &program.files) {
        Ok(read) => {
            let coverage = found(&read.spds, true, &options.check);
            (read.spds, coverage)
        }
        Err(_) => (without(program), unknown("the abstraction cannot be read")),
    }
}

/// What stands for an abstraction where there is none.
pub fn without(program: &Program) -> Spds {
    Spds { files: program.files.iter().map(|file| (&**file).into()).collect(), ..Spds::default() }
}

/// The same with the places of the source.
fn of_held(program: &Program, held: &Held) -> Text {
    let mut text = held.text.clone();
    for place in &mut text.places {
        *place = place.and_then(statement).and_then(|(procedure, label)| {
            let body = program.procedure(procedure).body.as_ref()?;
            Some(body.get(label.0 as usize)?.place)
        });
    }
    text
}

/// The abstraction by those of these predicates that can be read over the program: others are about what a question has added.
fn abstracted(program: &Program, overflow: Overflow, known: &str, options: &Options) -> Text {
    let mut program = program.clone();
    let predicates: Vec<_> =
        known.lines().flat_map(|line| read::read(&mut program, line).unwrap_or_default()).collect();
    let mut reuse = Reuse::new(&program);
    let tracked = influential(&program, &predicates, overflow, &mut reuse);
    abstracted_again(&program, &tracked, overflow, &options.tuning, &mut reuse).text()
}
