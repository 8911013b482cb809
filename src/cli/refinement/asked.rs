//! What is asked of a C program whose predicates are to be found, as it was typed, and as it is meant once the program is known.

use std::path::Path;

use anyhow::anyhow;
use puch::c::Program;
use puch::limits::Stop;
use puch::question::property::{self, Wanted};
use puch::question::{Failures, places};
use puch::refinement::certificate::Claim;
use puch::refinement::{Answer, Question};
use puch::report::present::{Asked, PropertyKind};

use crate::cli::Failure;
use crate::cli::args::{Given, PropertyTyped};
use crate::cli::c_temporal::{self, Manner};
use crate::cli::choices::CheckedName;
use crate::cli::input::no_place;
use crate::cli::temporal::Refusal;
use crate::cli::texts::{rendered, text_of};

/// What is asked, as it was typed.
pub enum Typed {
    Question(Question),
    Reach(String),
    Temporal(Given),
}

/// A question, and how reports call it.
pub struct Task {
    pub asked: Asked,
    pub typed: Typed,
    /// The procedure in which a file of properties says that runs begin.
    entry: Option<String>,
    /// The procedure whose calls are the errors that it asks about, if they are not those of `reach_error`.
    called: Option<String>,
    /// The property, as competitions write it.
    pub specification: String,
    /// What a certificate of it claims, if there are such.
    pub claim: Option<Claim>,
}

impl Task {
    /// What a witness of an answer is about. That NULL is used violates what competitions ask of pointers; that it is not used says less.
    pub fn shown(&self, answer: &Answer) -> &str {
        match self.asked.kind {
            PropertyKind::Null if answer.outcome.verdict.excludes_run() => "G ! null-dereference",
            _ => &self.specification,
        }
    }
}

/// The questions, and whether they come from a file of properties.
pub fn tasks(properties: &[PropertyTyped]) -> Result<(Vec<Task>, bool), Failure> {
    let (mut tasks, mut from_file) = (Vec::new(), false);
    let assertions = [PropertyTyped::Assertions];
    for typed in if properties.is_empty() { &assertions } else { properties } {
        let asked = typed.meant();
        let one = |question, specification: &str| Task {
            asked: asked.clone(),
            typed: question,
            entry: None,
            called: None,
            specification: specification.to_owned(),
            claim: match typed {
                PropertyTyped::Assertions => Some(Claim::Assertions),
                PropertyTyped::Reach(place) => Some(Claim::Reach(place.clone())),
                _ => None,
            },
        };
        match typed {
            PropertyTyped::Assertions => {
                tasks.push(one(Typed::Question(Question::Failures(Failures::All)), "G ! call(reach_error())"))
            }
            PropertyTyped::Reach(place) => tasks.push(one(Typed::Reach(place.clone()), "G ! call(reach_error())")),
            PropertyTyped::Failures(CheckedName::Null) => {
                tasks.push(one(Typed::Question(Question::Failures(Failures::Null)), "G valid-deref"));
            }
            PropertyTyped::Failures(kind) => {
                let kind = kind.meant().name();
                return Err(anyhow!(
                    "`--check {kind}` is asked of functions by themselves, with `--functions`; whether a whole program does \
                     anything undefined asks `--assertions --overflow check`"
                )
                .into());
            }
            PropertyTyped::File(file) => {
                from_file = true;
                tasks.extend(specified(file)?);
            }
            PropertyTyped::Termination => tasks.push(one(Typed::Question(Question::Termination), "F end")),
            PropertyTyped::Temporal(given) => tasks.push(one(Typed::Temporal(given.clone()), &asked.property)),
        }
    }
    Ok((tasks, from_file))
}

/// What a file of properties asks.
fn specified(file: &Path) -> Result<Vec<Task>, Failure> {
    let text = text_of(file)?;
    let name = file.display().to_string();
    let all = property::read(&text).map_err(|wrong| Failure::Diagnosed(rendered(&name, &text, &wrong)))?;
    all.into_iter()
        .map(|specified| {
            let property = specified.text;
            match specified.wanted {
                Wanted::NoFailure(failures) => Ok(Task {
                    claim: Some(Claim::Property(property.clone())),
                    specification: property.clone(),
                    asked: Asked::new(PropertyKind::Assertions, property),
                    typed: Typed::Question(Question::Failures(failures)),
                    entry: Some(specified.entry),
                    called: specified.called,
                }),
                Wanted::Termination => Ok(Task {
                    claim: None,
                    specification: property.clone(),
                    asked: Asked::new(PropertyKind::Termination, property),
                    typed: Typed::Question(Question::Termination),
                    entry: Some(specified.entry),
                    called: specified.called,
                }),
                Wanted::Formula(formula, _) => Ok(Task {
                    claim: None,
                    specification: property.clone(),
                    asked: Asked::new(PropertyKind::Ltl, property),
                    typed: Typed::Temporal(Given::Formula(formula)),
                    entry: Some(specified.entry),
                    called: specified.called,
                }),
            }
        })
        .collect()
}

/// The procedure of which all questions ask whether it is called, if one does.
pub fn called(tasks: &[Task]) -> Result<Option<String>, Failure> {
    let first = tasks.first().and_then(|task| task.called.clone());
    match tasks.iter().find(|task| task.called != first) {
        Some(task) => {
            let asked = &task.asked.property;
            Err(anyhow!("calls of a procedure are asked about by themselves, and not beside `{asked}`").into())
        }
        None => Ok(first),
    }
}

/// What is meant, once the program is known; or the limit that was met before.
pub fn meant(task: &Task, program: &Program, file: &Path, manner: Manner) -> Result<Result<Question, Stop>, Failure> {
    let main = &*program.procedure(program.main).name;
    if let Some(entry) = task.entry.as_ref().filter(|entry| **entry != *main) {
        return Err(
            anyhow!("`{}` is about runs from `{entry}`, not from `{main}` (--entry)", task.asked.property).into()
        );
    }
    match &task.typed {
        Typed::Question(question) => Ok(Ok(question.clone())),
        Typed::Temporal(given) => match c_temporal::temporal(program, given, manner) {
            Ok(temporal) => Ok(Ok(Question::Temporal(Box::new(temporal)))),
            Err(Refusal::Stopped(stop)) => Ok(Err(stop)),
            Err(Refusal::Wrong(failure)) => Err(failure),
        },
        Typed::Reach(place) => match places(program, place) {
            Ok(places) => Ok(Ok(Question::Places(places))),
            Err(error) => Err(Failure::Diagnosed(no_place(&file.display().to_string(), &error))),
        },
    }
}
