//! C programs with questions about them, and what is known, as data.
//!
//! ```
//! use puch::Limits;
//! use puch::c_programs::{Problem, Verdict};
//!
//! let program = "int nondet(void);
//!     int price(int pieces) { return pieces < 100 ? 8 * pieces : 9 * pieces; }
//!     int main(void) {
//!       int pieces = nondet();
//!       if (pieces < 0 || pieces > 1000) return 0;
//!       if (price(pieces) == 900) DEAR: return 1;
//!       return 0;
//!     }";
//! let problem = Problem::read(program)?.reach("DEAR")?.termination();
//! let answers = problem.check(&Limits::default());
//! let Verdict::Reachable(run) = &answers[0].verdict else { panic!("{:?}", answers[0].verdict) };
//! assert_eq!(run.inputs[0].value, 100);
//! assert_eq!(answers[1].verdict, Verdict::Holds);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Every verdict is one of those that the command gives: what holds is proved for machine integers, what is violated was executed.

mod answer;

pub mod functions;

#[cfg(any(feature = "cli", feature = "internals"))]
pub mod coverage;

pub use crate::answer::{Answer, Harness, Invariant, LeftOut, Progress, Run, Step, Verdict, Witness};
pub use crate::nullness::PointerUse;
pub use crate::problem::Asking as Options;
pub use crate::refinement::witness_file::Metadata;
pub use crate::run::{Input, Recurrent};
use answer::Put;

use spds_format::Diagnostic;

use crate::abstraction::{Tuning, read as predicates};
use crate::bitvec::Bounds;
use crate::c::{self, Program, Unit};
use crate::limits::{Limits, Stop};
use crate::ltl::atoms::Meaning;
use crate::ltl::{self, Passes, Violations};
use crate::nullness::{self, Told};
use crate::options;
use crate::problem::{Mistakes, NAME};
use crate::question::atoms::{atoms, is_name};
use crate::question::property::{self, Wanted};
use crate::question::{Failures, places};
use crate::refinement::{self, Question, Round, Temporal, decide_from};
use crate::report::present::PropertyKind;
use crate::source::Source;

/// A question.
#[derive(Clone, Debug)]
enum Asked {
    Failures(Failures),
    Reach(String),
    Termination,
    Formula(String),
    /// Whether this procedure is called; the program is read for it.
    Calls(String, Box<Program>),
}

/// A C program with questions about it.
#[derive(Debug)]
pub struct Problem {
    texts: Vec<(String, String)>,
    preprocessed: Vec<Option<String>>,
    reading: c::Options,
    program: Program,
    warnings: Vec<(usize, Diagnostic)>,
    asked: Vec<Asked>,
    given: String,
}

impl Problem {
    /// Reads a program of one text without directives; what a preprocessor makes of one is read by [`Problem::files`]. Nothing is asked yet.
    ///
    /// # Errors
    /// All mistakes in the text, and what is not supported.
    pub fn read(text: &str) -> Result<Problem, Mistakes> {
        Problem::files(&[Unit { name: NAME, text, preprocessed: None }], c::Options::default())
    }

    /// Reads a program of several files: each with what a preprocessor made of it, if it has directives.
    ///
    /// # Errors
    /// All mistakes in the texts, and what is not supported.
    pub fn files(files: &[Unit<'_>], reading: c::Options) -> Result<Problem, Mistakes> {
        let read = c::read(files, &reading).map_err(|wrong| mistakes(files, &wrong))?;
        Ok(Problem {
            texts: files.iter().map(|file| (file.name.to_owned(), file.text.to_owned())).collect(),
            preprocessed: files.iter().map(|file| file.preprocessed.map(str::to_owned)).collect(),
            reading,
            program: read.program,
            warnings: read.warnings,
            asked: Vec::new(),
            given: String::new(),
        })
    }

    /// The same where runs begin with another procedure than `main`.
    ///
    /// # Errors
    /// If there is no such procedure, or something that it reaches is not supported.
    pub fn entry(mut self, procedure: &str) -> Result<Problem, Mistakes> {
        self.reading.main = Some(procedure.to_owned());
        self.read_again()?;
        for at in 0..self.asked.len() {
            if let Asked::Calls(called, _) = &self.asked[at] {
                let called = called.clone();
                let program = self.read_for(&called)?;
                self.asked[at] = Asked::Calls(called, program);
            }
        }
        Ok(self)
    }

    fn read_again(&mut self) -> Result<(), Mistakes> {
        let again = Problem::files(&self.units(), self.reading.clone())?;
        (self.program, self.warnings) = (again.program, again.warnings);
        Ok(())
    }

    /// The program, in which calls of a procedure are failures.
    fn read_for(&self, called: &str) -> Result<Box<Program>, Mistakes> {
        let reading = c::Options { called: Some(called.to_owned()), ..self.reading.clone() };
        Ok(Box::new(Problem::files(&self.units(), reading)?.program))
    }

    /// What in the texts may not be meant, each with the index of the file.
    pub fn warnings(&self) -> &[(usize, Diagnostic)] {
        &self.warnings
    }

    /// Asks whether no assertion can fail, and no error be reached; under [`crate::c::program::Overflow::Check`] also whether nothing undefined is done.
    pub fn assertions(mut self) -> Problem {
        self.asked.push(Asked::Failures(Failures::All));
        self
    }

    /// Asks whether no pointer is NULL where it is used; [`Problem::null_uses`] says it of each use.
    pub fn null(mut self) -> Problem {
        self.asked.push(Asked::Failures(Failures::Null));
        self
    }

    /// Asks whether every run ends.
    pub fn termination(mut self) -> Problem {
        self.asked.push(Asked::Termination);
        self
    }

    /// Asks whether some run comes to a place: `f:L`, `L`, `:LINE`, `FILE:LINE`, or a procedure.
    ///
    /// # Errors
    /// If nothing, or more than one thing, has that name.
    pub fn reach(mut self, place: &str) -> Result<Problem, Mistakes> {
        places(&self.program, place).map_err(|error| Mistakes::of_place(place, &error))?;
        self.asked.push(Asked::Reach(place.to_owned()));
        Ok(self)
    }

    /// Asks whether every run satisfies a formula of linear temporal logic; conditions of C stand in braces.
    ///
    /// # Errors
    /// All mistakes in the formula.
    pub fn ltl(mut self, formula: &str) -> Result<Problem, Mistakes> {
        if !self.reading.observed {
            // Formulas see in which order things are done that come to the same. The texts were read before.
            self.reading.observed = true;
            self.read_again()?;
        }
        meant(&self.program, formula).map_err(|wrong| Mistakes::new("formula", formula, wrong))?;
        self.asked.push(Asked::Formula(formula.to_owned()));
        Ok(self)
    }

    /// Asks what a file of properties of a competition says: `CHECK( init(main()), LTL(G ! call(reach_error())) )`.
    ///
    /// # Errors
    /// All mistakes in it; an entry that is not that of the program.
    pub fn property(mut self, text: &str) -> Result<Problem, Mistakes> {
        let wrong = |all| Mistakes::new("property", text, all);
        for specified in property::read(text).map_err(wrong)? {
            let main = &self.program.procedure(self.program.main).name;
            if *specified.entry != **main {
                let message = format!("runs begin in `{main}`, not in `{}`", specified.entry);
                return Err(wrong(vec![Diagnostic::global(message)]));
            }
            if let Some(called) = specified.called {
                let program = self.read_for(&called)?;
                self.asked.push(Asked::Calls(called, program));
                continue;
            }
            self = match specified.wanted {
                Wanted::NoFailure(failures) => {
                    self.asked.push(Asked::Failures(failures));
                    self
                }
                Wanted::Termination => self.termination(),
                Wanted::Formula(formula, _) => self.ltl(&formula)?,
            };
        }
        Ok(self)
    }

    /// Predicates with which rounds about assertions and places begin: lines `procedure: expression, …`, as answers have them
    /// ([`Answer::predicates`]).
    ///
    /// # Errors
    /// All mistakes in them.
    pub fn predicates(mut self, text: &str) -> Result<Problem, Mistakes> {
        predicates::read(&mut self.program.clone(), text).map_err(|all| Mistakes::new("predicates", text, all))?;
        self.given += text;
        self.given += "\n";
        Ok(self)
    }

    /// Answers what was asked, in that order.
    pub fn check(&self, limits: &Limits) -> Vec<Answer> {
        let search = options::Options { limits: *limits, ..options::Options::default() };
        self.check_with(&Options { search, ..Options::default() }, &mut |_| {})
    }

    /// The same, as the options say; who watches is told of each round.
    pub fn check_with(&self, options: &Options, watch: &mut dyn FnMut(Progress)) -> Vec<Answer> {
        self.asked.iter().enumerate().map(|(at, asked)| self.answer(at, asked, options, watch)).collect()
    }

    /// Says of every use of a pointer that needs an object whether it can be NULL there, in the order of the functions and their statements:
    /// all at once, by one refinement of which each round answers what it can (Ball and Rajamani, PASTE 2001). Whether allocations fail is
    /// what the program was read for; signed arithmetic wraps around.
    ///
    /// ```
    /// use puch::c_programs::{Options, Problem, Verdict};
    ///
    /// let program = "int *find(int n) { static int x; return n > 9 ? 0 : &x; }
    ///     int nondet(void);
    ///     int main(void) { int n = nondet(), *p = find(n); if (n < 5) *p = 1; *p = 2; return 0; }";
    /// let uses = Problem::read(program)?.null_uses(&Options::default());
    /// assert_eq!(uses[0].verdict, Verdict::Holds);
    /// assert!(matches!(&uses[1].verdict, Verdict::Violated(run) if run.inputs[0].value > 9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn null_uses(&self, options: &Options) -> Vec<PointerUse> {
        let usual = nullness::Options::default();
        let limits = options.search.limits;
        let asked = nullness::Options {
            tuning: Tuning { bounds: bounds(limits), ..usual.tuning.clone() },
            check: options.search.clone(),
            rounds: options.rounds.unwrap_or(usual.rounds),
            ..usual
        };
        nullness::analyse(&self.program, &asked)
    }

    fn answer(&self, at: usize, asked: &Asked, options: &Options, watch: &mut dyn FnMut(Progress)) -> Answer {
        let mut program = match asked {
            Asked::Calls(_, program) => (**program).clone(),
            _ => self.program.clone(),
        };
        let given = predicates::read(&mut program, &self.given).unwrap_or_default();
        let tuning = Tuning { bounds: bounds(options.search.limits), ..Tuning::default() };
        let refining = refinement::Options {
            overflow: options.overflow,
            tuning,
            check: options.search.clone(),
            rounds: options.rounds,
            donor: None,
        };
        let tell = &mut |round: &Round<'_>| {
            watch(Progress { question: at, round: round.number, predicates: round.count, trace: round.trace });
        };
        let answered = match question(&program, asked, &options.search) {
            Ok(Question::Failures(Failures::Null)) => {
                nullness::decided(&program, &given, &refining, Told::Answer, tell).0
            }
            Ok(question) => decide_from(&program, &question, &given, &refining, tell),
            Err(stop) => refinement::Answer::stopped(&program, options.overflow, stop.into()),
        };
        let sources: Vec<Source<'_>> = self.texts.iter().map(|(name, text)| Source::new(name, text)).collect();
        let mut answer = answer::answer(asked.put(), &answered, &sources, options.search.trace_steps);
        if options.evidence {
            answer::show(&mut answer, &answered, &sources, &options.search);
        }
        answer
    }

    fn units(&self) -> Vec<Unit<'_>> {
        let each = self.texts.iter().zip(&self.preprocessed);
        each.map(|((name, text), preprocessed)| Unit { name, text, preprocessed: preprocessed.as_deref() }).collect()
    }
}

/// What queries may take: as long as no limit is met.
fn bounds(limits: Limits) -> Bounds {
    let stop = std::rc::Rc::new(move || limits.met().is_some());
    Bounds { stop: Some(stop), ..Bounds::default() }
}

impl Asked {
    fn put(&self) -> Put {
        let kind = match self {
            Asked::Failures(Failures::Null) => PropertyKind::Null,
            Asked::Failures(_) | Asked::Calls(..) => PropertyKind::Assertions,
            Asked::Reach(_) => PropertyKind::Reach,
            Asked::Termination => PropertyKind::Termination,
            Asked::Formula(_) => PropertyKind::Ltl,
        };
        let failures = match self {
            Asked::Failures(failures) => Some(*failures),
            _ => None,
        };
        Put { kind, failures }
    }
}

/// What is asked about a program. Places and formulas were looked at when they were put.
fn question(program: &Program, asked: &Asked, search: &options::Options) -> Result<Question, Stop> {
    Ok(match asked {
        Asked::Failures(failures) => Question::Failures(*failures),
        Asked::Calls(..) => Question::Failures(Failures::Errors),
        Asked::Termination => Question::Termination,
        Asked::Reach(place) => Question::Places(places(program, place).unwrap_or_default()),
        Asked::Formula(formula) => match meant(program, formula) {
            Ok((ltl, known, program)) => {
                let meanings = vec![Meaning::Stuck; ltl.formulas.propositions().len()];
                let violations = Violations::of(ltl, meanings, &Passes::default(), &search.limits)?;
                Question::Temporal(Box::new(Temporal::of(program, violations, known, search.runs)))
            }
            Err(_) => Question::Places(Vec::new()),
        },
    })
}

/// What is wrong with files.
fn mistakes(files: &[Unit<'_>], wrong: &c::Complained) -> Mistakes {
    let of = |index: usize| wrong.iter().filter(move |(unit, _)| *unit == index).map(|(_, one)| one.clone());
    Mistakes::of_texts(files.iter().enumerate().map(|(index, file)| (file.name, file.text, of(index).collect())))
}

/// A formula, what its propositions mean, and the program with the conditions in it.
fn meant(
    program: &Program,
    formula: &str,
) -> Result<(ltl::Ltl, Vec<crate::question::atoms::Atom>, Program), Vec<Diagnostic>> {
    let reading = ltl::Reading { known: &|word| is_name(program, word), ..ltl::Reading::default() };
    let (ltl, _) = ltl::parse(formula, &reading)?;
    let mut program = program.clone();
    let known = atoms(&mut program, ltl.formulas.propositions())?;
    Ok((ltl, known, program))
}
