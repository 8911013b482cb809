//! The front door of the library: a program or a system with questions about it, whatever it is written in, and one form of answers.
//!
//! ```
//! use puch::{Format, Limits, Problem, Verdict};
//!
//! let program = "decl a, b;
//!     void main() begin
//!       a, b := 0, 0;
//!       while (*) do a := 1; b := 1; od
//!       R: skip;
//!     end";
//! let problem = Problem::read(program, Format::BooleanProgram)?.reach("R")?.ltl("G (R -> !a | b)")?;
//! let answers = problem.check(&Limits::default())?;
//! let Verdict::Reachable(run) = &answers[0].verdict else { panic!("R can be reached") };
//! assert_eq!(run.steps.len(), 3);
//! assert_eq!(run.steps[2].to_string(), "skip;  a=0  b=0");
//! assert_eq!(answers[1].verdict, Verdict::Holds);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same of a C program, whose runs have inputs:
//!
//! ```
//! # #[cfg(feature = "c")] {
//! use puch::{Format, Limits, Problem, Verdict};
//!
//! let program = "int nondet(void);
//!     int price(int pieces) { return pieces < 100 ? 8 * pieces : 9 * pieces; }
//!     int main(void) {
//!       int pieces = nondet();
//!       if (pieces < 0 || pieces > 1000) return 0;
//!       if (price(pieces) == 900) DEAR: return 1;
//!       return 0;
//!     }";
//! let problem = Problem::read(program, Format::C)?.reach("DEAR")?.termination();
//! let answers = problem.check(&Limits::default())?;
//! let Verdict::Reachable(run) = &answers[0].verdict else { panic!("{:?}", answers[0].verdict) };
//! assert_eq!(run.inputs[0].value, 100);
//! assert_eq!(answers[1].verdict, Verdict::Holds);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! And of a model that was built in memory:
//!
//! ```
//! use puch::spds_format::build::{Builder, rule};
//! use puch::spds_format::model::Stack;
//! use puch::{Limits, Problem, Verdict};
//!
//! let mut b = Builder::new();
//! let p = b.control("p");
//! let [start, goal] = ["start", "goal"].map(|name| b.symbol(name, None));
//! b.place(goal, "model.txt", 7);
//! b.label(goal, "R");
//! b.rule(rule(p, start, p, Stack::Swap(goal)));
//! b.rule(rule(p, goal, p, Stack::Swap(goal)));
//! b.start(p, [start], None);
//! let problem = Problem::of(b.finish().expect("the system is well-formed"));
//! let answers = problem.reach("R")?.reach(":7")?.ltl("F goal")?.check(&Limits::default())?;
//! assert!(answers[0].verdict.claims_run() && answers[1].verdict.claims_run());
//! assert_eq!(answers[2].verdict, Verdict::Holds);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod systems;

use spds_format::{Diagnostic, Spds};

use crate::answer::{Answer, Progress};
#[cfg(feature = "c")]
use crate::c;
#[cfg(feature = "c")]
use crate::c_problem;
use crate::check::CheckError;
use crate::limits::Limits;
use crate::problem::Asking;
use crate::problem::{self, Format, Mistakes};
use systems::System;

/// A language, and what decides where it can be read in several ways.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Language {
    /// One of those whose texts are systems.
    System(problem::Language),
    /// C.
    #[cfg(feature = "c")]
    C(c::Options),
}

impl From<Format> for Language {
    fn from(format: Format) -> Language {
        match format.language() {
            Some(language) => Language::System(language),
            #[cfg(feature = "c")]
            None => Language::C(c::Options::default()),
            // Never: without C there is no format whose texts are no systems.
            #[cfg(not(feature = "c"))]
            None => Language::System(problem::Language::Spds),
        }
    }
}

impl From<problem::Language> for Language {
    fn from(language: problem::Language) -> Language {
        Language::System(language)
    }
}

#[cfg(feature = "c")]
impl From<c::Options> for Language {
    fn from(options: c::Options) -> Language {
        Language::C(options)
    }
}

/// A text with a name; of a C text that has directives also what a preprocessor made of it.
#[cfg(feature = "c")]
pub use crate::c::Unit as File;

/// A text with a name.
#[cfg(not(feature = "c"))]
#[derive(Clone, Copy, Debug)]
pub struct File<'t> {
    /// What it is called in answers and complaints.
    pub name: &'t str,
    /// What it says.
    pub text: &'t str,
    /// Nothing: only C texts have directives.
    pub preprocessed: Option<&'t str>,
}

/// A program or a system, with questions about it.
#[derive(Debug)]
pub struct Problem(Kind);

#[derive(Debug)]
enum Kind {
    System(Box<System>),
    #[cfg(feature = "c")]
    Program(Box<c_problem::Problem>),
}

/// A problem with one question more, by what both kinds of problems are asked.
macro_rules! both {
    ($problem:expr, $one:ident => $asked:expr) => {
        Problem(match $problem.0 {
            Kind::System($one) => Kind::System(Box::new($asked)),
            #[cfg(feature = "c")]
            Kind::Program($one) => Kind::Program(Box::new($asked)),
        })
    };
}

impl Problem {
    /// Reads a text. Nothing is asked yet.
    ///
    /// # Errors
    /// All mistakes in the text, and what is not supported.
    pub fn read(text: &str, language: impl Into<Language>) -> Result<Problem, Mistakes> {
        Problem::files(&[File { name: problem::NAME, text, preprocessed: None }], language)
    }

    /// Reads texts with names; several where they are one program, in C.
    ///
    /// # Errors
    /// All mistakes in the texts, and what is not supported.
    pub fn files(files: &[File<'_>], language: impl Into<Language>) -> Result<Problem, Mistakes> {
        match language.into() {
            Language::System(language) => match files {
                [File { name, text, .. }] => Ok(Problem(Kind::System(Box::new(System::read(name, text, language)?)))),
                _ => Err(other("a system is one text; only C programs have several files")),
            },
            #[cfg(feature = "c")]
            Language::C(reading) => Ok(of_c(c_problem::Problem::files(files, reading)?)),
        }
    }

    /// About a system that was built in memory; its places are named as in a text of [`Format::Spds`]. It must be valid, as those are that a
    /// `Builder` finishes.
    pub fn of(spds: Spds) -> Problem {
        Problem(Kind::System(Box::new(System::of(spds))))
    }

    /// The system, if it is one.
    pub fn system(&self) -> Option<&Spds> {
        match &self.0 {
            Kind::System(system) => Some(system.problem.system()),
            #[cfg(feature = "c")]
            Kind::Program(_) => None,
        }
    }

    /// The C program, if it is one: what can be asked of nothing else.
    #[cfg(feature = "c")]
    pub fn c_program(&self) -> Option<&c_problem::Problem> {
        match &self.0 {
            Kind::System(_) => None,
            Kind::Program(problem) => Some(problem),
        }
    }

    /// What in the texts, or in the formulas, may not be meant, each with the index of the file.
    pub fn warnings(&self) -> Vec<(usize, &Diagnostic)> {
        match &self.0 {
            Kind::System(system) => system.problem.warnings().iter().map(|warning| (0, warning)).collect(),
            #[cfg(feature = "c")]
            Kind::Program(problem) => problem.warnings().iter().map(|(file, warning)| (*file, warning)).collect(),
        }
    }

    /// The same where runs begin with another procedure than `main`.
    ///
    /// # Errors
    /// If there is no such procedure, something that it reaches is not supported, or a system says itself where runs begin.
    pub fn entry(self, procedure: &str) -> Result<Problem, Mistakes> {
        Ok(both!(self, one => one.entry(procedure)?))
    }

    /// Asks whether no assertion can fail; of a C program also whether no error can be reached and, where [`Asking::overflow`] says so, whether
    /// nothing undefined is done.
    pub fn assertions(self) -> Problem {
        both!(self, one => one.assertions())
    }

    /// Asks whether every run ends.
    pub fn termination(self) -> Problem {
        both!(self, one => one.termination())
    }

    /// Asks whether some run comes to a place: `f:L`, `L`, `*:L`, `:LINE`; in C also `FILE:LINE` and a function, in systems `control:symbol` and
    /// `symbol`.
    ///
    /// # Errors
    /// If nothing, or more than one thing, has that name.
    pub fn reach(self, place: &str) -> Result<Problem, Mistakes> {
        Ok(both!(self, one => one.reach(place)?))
    }

    /// Asks whether every run satisfies a formula of linear temporal logic; conditions of C stand in braces.
    ///
    /// # Errors
    /// All mistakes in the formula; a formula that tools read in different ways is one.
    pub fn ltl(self, formula: &str) -> Result<Problem, Mistakes> {
        Ok(both!(self, one => one.ltl(formula)?))
    }

    /// Asks of a C program whether no pointer is NULL where it is used.
    ///
    /// # Errors
    /// If it is a system.
    #[cfg(feature = "c")]
    pub fn null(self) -> Result<Problem, Mistakes> {
        Ok(of_c(self.program("`null` is asked about pointers")?.null()))
    }

    /// Asks of a C program what a file of properties of a competition says: `CHECK( init(main()), LTL(G ! call(reach_error())) )`.
    ///
    /// # Errors
    /// All mistakes in it; an entry that is not that of the program; if it is a system.
    #[cfg(feature = "c")]
    pub fn property(self, text: &str) -> Result<Problem, Mistakes> {
        Ok(of_c(self.program("such a property is about functions of C")?.property(text)?))
    }

    /// Predicates with which rounds about assertions and places of a C program begin: lines `procedure: expression, …`, as answers have them
    /// ([`Answer::predicates`]).
    ///
    /// # Errors
    /// All mistakes in them; if it is a system.
    #[cfg(feature = "c")]
    pub fn predicates(self, text: &str) -> Result<Problem, Mistakes> {
        Ok(of_c(self.program("predicates abstract C programs")?.predicates(text)?))
    }

    /// Says of every use of a pointer in a C program whether it can be NULL there; nothing of a system, which has none.
    #[cfg(feature = "c")]
    pub fn null_uses(&self, asking: &Asking) -> Vec<c_problem::PointerUse> {
        match &self.0 {
            Kind::System(_) => Vec::new(),
            Kind::Program(program) => program.null_uses(asking),
        }
    }

    /// Answers what was asked, in that order.
    ///
    /// # Errors
    /// If the judge rejects a run that the search found: a defect of puch.
    pub fn check(&self, limits: &Limits) -> Result<Vec<Answer>, CheckError> {
        self.check_with(&limits.into(), &mut |_| {})
    }

    /// The same, as is said there; who watches is told of each round of refinement.
    ///
    /// # Errors
    /// If the judge rejects a run that the search found: a defect of puch.
    #[cfg_attr(not(feature = "c"), expect(unused_variables, reason = "systems have no rounds"))]
    pub fn check_with(&self, asking: &Asking, watch: &mut dyn FnMut(Progress)) -> Result<Vec<Answer>, CheckError> {
        match &self.0 {
            Kind::System(system) => system.answers(&asking.search),
            #[cfg(feature = "c")]
            Kind::Program(program) => Ok(program.check_with(asking, watch)),
        }
    }

    /// The C program.
    #[cfg(feature = "c")]
    fn program(self, why: &str) -> Result<c_problem::Problem, Mistakes> {
        match self.0 {
            Kind::System(_) => Err(other(&format!("{why}, and this is a system"))),
            Kind::Program(program) => Ok(*program),
        }
    }
}

#[cfg(feature = "c")]
fn of_c(program: c_problem::Problem) -> Problem {
    Problem(Kind::Program(Box::new(program)))
}

/// That something is not asked of such a problem.
fn other(why: &str) -> Mistakes {
    Mistakes::new("question", "", vec![Diagnostic::global(why)])
}
