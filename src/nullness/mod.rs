//! Which pointers can be NULL where they are used: the analysis of Ball and Rajamani, *Bebop: a path-sensitive interprocedural
//! dataflow engine* (PASTE 2001), for C.
//!
//! The question is written into the program before each use of a pointer (`instrument`), predicates are chosen (`predicates`), c2bp makes
//! the Boolean program ([`crate::abstraction`]), and one saturation answers all questions. What cannot fail there is safe: the Boolean
//! program has every run of the C program. What fails there is a claim about the C program only if a run of it shows it: inputs are
//! looked for (`confirm`, [`crate::concretise`]), and the judge executes the program with them ([`crate::interpreter`]). All else is unknown.
//!
//! *Safe* means not NULL; whether the object was freed, or has enough elements, is not asked.

mod instrument;

mod predicates;

mod confirm;

pub mod report;

use std::collections::HashMap;
use std::rc::Rc;

use spds_format::model::{Place, SymbolId};

use crate::abstraction::{self, Predicate, Reuse, System, Tuning, boolean};
use crate::analyses::Analyses;
use crate::c::Program;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueKind};
use crate::c::program::{Overflow, StatementId, StatementKind};
use crate::check::{self, Property, Target};
use crate::concretise::{self, Point};
use crate::facts::{self, Known};
use crate::limits::Reason;
use crate::options;

use confirm::Unshown;
use instrument::{Check, Instrumented, instrument};

/// Whether an allocation may fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Malloc {
    /// It may return NULL.
    #[default]
    MayFail,
    /// It never does.
    Succeeds,
}

/// What is asked, and how hard is tried.
#[derive(Clone)]
pub struct Options {
    /// Whether an allocation may fail.
    pub malloc: Malloc,
    /// For the abstraction.
    pub tuning: Tuning,
    /// For the check of the Boolean program.
    pub check: options::Options,
    /// Steps of each run by which NULL is looked for.
    pub steps: u64,
}

impl Default for Options {
    fn default() -> Options {
        let tuning = Tuning { cubes: 2, blocking: false, ..Tuning::default() };
        Options { malloc: Malloc::default(), tuning, check: options::Options::default(), steps: 50_000 }
    }
}

/// What is known of a use of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It is never NULL there.
    Safe,
    /// In some run it is: the trace shows one.
    Null,
    /// It is not known.
    Unknown,
}

impl Verdict {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Safe => "safe",
            Verdict::Null => "null",
            Verdict::Unknown => "unknown",
        }
    }
}

/// A use of a pointer that needs an object, and what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dereference {
    /// Where it stands: a file of the program, the line, the column of the statement.
    pub place: Place,
    /// The pointer, in C.
    pub expression: String,
    /// In which procedure.
    pub procedure: String,
    /// Whether it can be NULL.
    pub verdict: Verdict,
    /// Why that is said.
    pub reason: String,
    /// If it is not known because a limit was met: which.
    pub stopped: Option<Reason>,
    /// A run in which it is NULL: of the program, if that is the verdict.
    pub trace: Option<Trace>,
}

/// A run that ends where NULL is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The arbitrary values of the run, in the order in which it asks for them: pointers (0 is NULL), whether `malloc` fails (1), numbers.
    pub inputs: Vec<i128>,
    /// Its steps; of calls that have returned only the call.
    pub steps: Vec<Step>,
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where it stands.
    pub place: Place,
    /// In which procedure.
    pub procedure: String,
    /// How many calls are open.
    pub depth: usize,
    /// What is done.
    pub text: String,
}

/// The Boolean program in which the questions are assertions.
pub fn boolean_program(program: &Program, options: &Options) -> boolean::Program {
    let mut instrumented = instrument(program, options.malloc);
    translated(&mut instrumented, options).0
}

fn translated(instrumented: &mut Instrumented, options: &Options) -> (boolean::Program, Vec<Predicate>) {
    let analyses = Rc::new(Analyses::of(&instrumented.program));
    let predicates = predicates::predicates(instrumented, &analyses);
    let mut reuse = Reuse::with(analyses);
    let Instrumented { program, .. } = instrumented;
    let made = abstraction::abstracted_again(program, &predicates, Overflow::Wrap, &options.tuning, &mut reuse);
    (made, predicates)
}

/// What is known of every use of a pointer, in the order of the procedures and their statements.
pub fn analyse(program: &Program, options: &Options) -> Vec<Dereference> {
    let mut instrumented = instrument(program, options.malloc);
    if instrumented.checks.is_empty() {
        return Vec::new();
    }
    let (made, predicates) = translated(&mut instrumented, options);
    let found = match abstract_findings(&instrumented, (&made, &predicates), options) {
        Ok(found) => found,
        Err(why) => vec![Finding::Unknown(why); instrumented.checks.len()],
    };
    let shown = confirm::confirmed(&instrumented, &found, options);
    summed(program, &instrumented, found, shown)
}

/// What the Boolean program says of a question.
#[derive(Clone, Debug)]
enum Finding {
    /// It cannot fail, because of this.
    Safe(String),
    /// It fails after these statements: procedures and labels.
    Fails(Vec<Point>),
    /// It is not known why.
    Unknown(String),
    /// A limit was met first.
    Stopped(Reason),
}

fn abstract_findings(
    instrumented: &Instrumented,
    (made, predicates): (&boolean::Program, &[Predicate]),
    options: &Options,
) -> Result<Vec<Finding>, String> {
    let system = System::of(made, &instrumented.program.files).map_err(|mistakes| {
        let first = mistakes.first().map_or("", |mistake| &*mistake.message);
        format!("the Boolean program cannot be read: {first}")
    })?;
    let symbols = first_symbols(&system);
    let target = |statement| symbols.get(&statement).map(|&symbol| Target { control: None, symbol });
    // A procedure that the entry does not reach has no symbols.
    let fails: Vec<Option<Target>> = instrumented.checks.iter().map(|check| target(check.fails())).collect();
    let properties: Vec<Property> =
        fails.iter().map(|fails| Property::Reach(fails.iter().copied().collect())).collect();
    let outcome = check::check(&system.spds, &properties, &options.check).map_err(|error| error.to_string())?;
    let mut found: Vec<Finding> = Vec::with_capacity(properties.len());
    for answer in &outcome.answers {
        found.push(match &answer.verdict {
            check::Verdict::Reachable(trace) => {
                let points = trace.as_ref().map(|trace| concretise::points(&system, &trace.run)).unwrap_or_default();
                Finding::Fails(points)
            }
            check::Verdict::Unreachable => Finding::Safe(String::new()),
            check::Verdict::Unknown(reason) => Finding::Stopped(*reason),
            other => Finding::Unknown(format!("the check of the Boolean program ended with `{}`", other.name())),
        });
    }
    explain(instrumented, (&system, predicates), &symbols, &mut found, options);
    Ok(found)
}

/// With which symbol each statement begins.
fn first_symbols(system: &System) -> HashMap<StatementId, SymbolId> {
    let begins = system.origins().filter(|(_, origin)| origin.begins());
    begins.map(|(symbol, origin)| (origin.statement, symbol)).collect()
}

/// Says of what is safe what is known there.
fn explain(
    instrumented: &Instrumented,
    (system, predicates): (&System, &[Predicate]),
    symbols: &HashMap<StatementId, SymbolId>,
    found: &mut [Finding],
    options: &Options,
) {
    let mut asked: Vec<(usize, Target)> = Vec::new();
    for (at, finding) in found.iter_mut().enumerate() {
        if let Finding::Safe(reason) = finding {
            match symbols.get(&instrumented.checks[at].asks()) {
                Some(&symbol) => asked.push((at, Target { control: None, symbol })),
                None => *reason = "no run comes here".to_owned(),
            }
        }
    }
    if asked.is_empty() {
        return;
    }
    let targets = asked.iter().map(|&(_, target)| target).collect();
    let facts = facts::facts(&system.spds, &facts::Question::Values(targets, 0), &options.check);
    let Ok(facts) = facts.facts else {
        asked.iter().for_each(|&(at, _)| {
            found[at] = Finding::Safe("no run of the Boolean program gets to NULL here".to_owned())
        });
        return;
    };
    for ((at, target), fact) in asked.into_iter().zip(facts) {
        found[at] = Finding::Safe(match &fact.known {
            Known::Never => "no run comes here".to_owned(),
            Known::Reached { constants, .. } => {
                let check = &instrumented.checks[at];
                let excluded = constants.iter().filter(|(_, value)| *value == 0);
                let excluded = excluded.filter_map(|(cell, _)| system.predicate(target.symbol, cell.var));
                let excluded: Vec<ExpressionId> = excluded.map(|id| id.of(predicates).expression).collect();
                known_there(instrumented, check, &excluded)
            }
        });
    }
}

/// What is known of the pointer: that it is not NULL, or else what is known of all predicates together.
fn known_there(instrumented: &Instrumented, check: &Check, excluded: &[ExpressionId]) -> String {
    let terms = &instrumented.program.terms;
    let is_own = |id: &ExpressionId| match terms.get(*id).kind {
        ExpressionKind::Binary(Binary::Equal, pointer, zero) => {
            pointer == check.pointer && terms.get(zero).kind == ExpressionKind::Constant(0)
        }
        _ => false,
    };
    if excluded.iter().any(is_own) {
        return format!("always {} != NULL here", instrumented.program.expression_text(check.pointer));
    }
    "the predicates exclude NULL here".to_owned()
}

/// One verdict for each pointer at each place: several questions about it are one for the reader.
fn summed(
    program: &Program,
    instrumented: &Instrumented,
    found: Vec<Finding>,
    shown: HashMap<usize, Result<Trace, Unshown>>,
) -> Vec<Dereference> {
    let mut shown = shown;
    let mut all: Vec<Dereference> = Vec::new();
    for (at, finding) in found.into_iter().enumerate() {
        let check = &instrumented.checks[at];
        let (verdict, reason, stopped, trace) = match (finding, shown.remove(&at)) {
            (_, Some(Ok(trace))) => (Verdict::Null, "NULL in this run".to_owned(), None, Some(trace)),
            (Finding::Safe(reason), _) => (Verdict::Safe, reason, None, None),
            (Finding::Unknown(why), _) => (Verdict::Unknown, why, None, None),
            (Finding::Stopped(reason), _) => (Verdict::Unknown, reason.to_string(), Some(reason), None),
            (Finding::Fails(points), why) => {
                let (why, stopped) = match why {
                    Some(Err(Unshown::Because(why))) => (format!("only on the abstraction: {why}"), None),
                    Some(Err(Unshown::Stopped(reason))) => (format!("only on the abstraction: {reason}"), Some(reason)),
                    _ => ("only on the abstraction".to_owned(), None),
                };
                (Verdict::Unknown, why, stopped, Some(confirm::abstract_trace(instrumented, &points)))
            }
        };
        let new = Dereference {
            place: check.place,
            expression: program_text(instrumented, check),
            procedure: program.procedure(check.procedure).name.to_string(),
            verdict,
            reason,
            stopped,
            trace,
        };
        let same = |other: &&mut Dereference| {
            (other.place, &other.expression, &other.procedure) == (new.place, &new.expression, &new.procedure)
        };
        match all.iter_mut().find(same) {
            Some(other) if rank(other.verdict) >= rank(new.verdict) => {}
            Some(other) => *other = new,
            None => all.push(new),
        }
    }
    all
}

fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Safe => 0,
        Verdict::Unknown => 1,
        Verdict::Null => 2,
    }
}

/// The pointer as the source has it: what the front end has stored before it is used, is shown.
fn program_text(instrumented: &Instrumented, check: &Check) -> String {
    let program = &instrumented.program;
    let shown = || {
        let ExpressionKind::Read(lvalue) = program.terms.get(check.pointer).kind else { return None };
        let LvalueKind::Variable(variable) = program.terms.at(lvalue).kind else { return None };
        if !program.variable(variable).is_made_up {
            return None;
        }
        let mut stored =
            program.procedure(check.procedure).body.iter().flatten().filter_map(|statement| match &statement.kind {
                StatementKind::Assign(to, _) | StatementKind::Call(Some(to), ..) if *to == lvalue => {
                    let text = program.statement_text(statement);
                    text.strip_prefix(&format!("{} = ", program.lvalue_text(*to))).map(str::to_owned)
                }
                _ => None,
            });
        let only = stored.next();
        only.filter(|_| stored.next().is_none())
    };
    shown().unwrap_or_else(|| program.expression_text(check.pointer))
}
