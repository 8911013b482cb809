//! Which statements of a C program are reached, for pages that show sources: what an abstraction of it tells, with the predicates that
//! were found. No run of the program comes to a statement to which none of the abstraction does.

use spds_format::Spds;

use crate::abstraction::{Reuse, System, abstracted_again, influential, read};
use crate::c::Program;
use crate::c::program::Overflow;
use crate::problem::coverage::found;
use crate::refinement::{Answer, Options, Reason};
use crate::report::html::Coverage;

/// An abstraction, and what is known of its statements: of one that holds if there is one, else of one with the predicates of some answer.
pub fn covered(program: &Program, overflow: Overflow, answers: &[Answer], options: &Options) -> (Spds, Coverage) {
    let held = answers.iter().find_map(|answer| Some(answer.outcome.held.as_deref()?.system.clone()));
    let system = held.map_or_else(
        || {
            let known = answers.iter().map(|answer| &*answer.outcome.predicates).find(|known| !known.is_empty());
            abstracted(program, overflow, known.unwrap_or(""), options)
        },
        Ok,
    );
    match system {
        Ok(System { spds, .. }) => {
            let coverage = found(&spds, true, &options.check);
            (spds, coverage)
        }
        Err(why) => (without(program), Coverage { unknown: Some(why.to_string()), ..Coverage::default() }),
    }
}

/// What stands for an abstraction where there is none.
pub fn without(program: &Program) -> Spds {
    Spds { files: program.files.iter().map(|file| (&**file).into()).collect(), ..Spds::default() }
}

/// The abstraction by those of these predicates that can be read over the program: others are about what a question has added.
fn abstracted(program: &Program, overflow: Overflow, known: &str, options: &Options) -> Result<System, Reason> {
    let mut program = program.clone();
    let predicates: Vec<_> =
        known.lines().flat_map(|line| read::read(&mut program, line).unwrap_or_default()).collect();
    let mut reuse = Reuse::new(&program);
    let tracked = influential(&program, &predicates, overflow, &mut reuse);
    let made = abstracted_again(&program, &tracked, overflow, &options.tuning, &mut reuse);
    Ok(System::of(&made, &program.files)?)
}
