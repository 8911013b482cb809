//! Systems with questions about them, read or built in memory, and answers in the system's own numbers.
//!
//! ```
//! use puch::systems::{Problem, Verdict};
//! use puch::{Format, Limits};
//!
//! let program = "decl a, b;
//!     void main() begin
//!       a, b := 0, 0;
//!       while (*) do a := 1; b := 1; od
//!       R: skip;
//!     end";
//! let language = Format::BooleanProgram.language().expect("its texts are systems");
//! let problem = Problem::read(program, language)?.reach("R")?;
//! let answers = problem.check(&Limits::default())?;
//! let Verdict::Reachable(Some(trace)) = &answers[0].verdict else { panic!("R can be reached") };
//! assert_eq!(trace.run.stem.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod coverage;

mod asking;

mod language;

mod page;

use std::fmt;
use std::sync::Arc;

use spds_format::build::Builder;
use spds_format::{Diagnostic, Severity, Spds};

pub use asking::Asking;
pub use language::{Declared, Format, Language, Parsed};

use crate::check::{Answer, CheckError, Property};
use crate::limits::{Limits, Stop};
use crate::ltl::atoms::{self, Context, Meaning};
use crate::ltl::{Dialect, Ltl, Passes, Reading, Violations, parse, tracked};
use crate::options::{Options, Runs};
use crate::places::{self, Naming, PlaceError};
use crate::report::diagnostic::{self, Style};
use crate::report::present::{self, PropertyKind, Warning};
use crate::session::Session;
use crate::source::Source;

/// What the text of a problem is called where nobody has said it.
pub(crate) const NAME: &str = "<text>";

/// A system with questions about it.
#[derive(Debug)]
pub struct Problem {
    /// What the text is called.
    name: String,
    language: Language,
    parsed: Parsed,
    asked: Vec<Asked>,
    /// The questions as they were put.
    put: Vec<present::Asked>,
}

/// A question.
#[derive(Debug)]
enum Asked {
    Property(Property),
    /// A formula, and what its propositions mean.
    Formula(Ltl, Vec<Meaning>),
}

/// Why a text is no system, no place, or no formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistakes {
    /// All mistakes, with their places in the text.
    pub diagnostics: Vec<Diagnostic>,
    rendered: String,
    /// The texts that they are in.
    texts: Vec<Mistaken>,
}

/// A text with mistakes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistaken {
    /// What it is called.
    pub name: String,
    /// What it says.
    pub text: String,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Mistakes {
    pub(crate) fn new(name: &str, text: &str, diagnostics: Vec<Diagnostic>) -> Mistakes {
        Mistakes::of_texts([(name, text, diagnostics)].into_iter())
    }

    /// Mistakes in several texts with names.
    pub(crate) fn of_texts<'t>(texts: impl Iterator<Item = (&'t str, &'t str, Vec<Diagnostic>)>) -> Mistakes {
        let (mut out, mut diagnostics, mut mistaken) = (Vec::new(), Vec::new(), Vec::new());
        for (name, text, own) in texts.filter(|(.., own)| !own.is_empty()) {
            // A vector takes everything.
            let written = diagnostic::write(&mut out, &Source::new(name, text), &own, Style::Plain);
            debug_assert!(written.is_ok());
            diagnostics.extend(own.iter().cloned());
            mistaken.push(Mistaken { name: name.to_owned(), text: text.to_owned(), diagnostics: own });
        }
        Mistakes { diagnostics, rendered: String::from_utf8_lossy(&out).trim_end().to_owned(), texts: mistaken }
    }

    /// The texts that they are in.
    #[cfg(feature = "cli")]
    pub(crate) fn texts(&self) -> &[Mistaken] {
        &self.texts
    }

    /// What is wrong with the name of a place.
    pub(crate) fn of_place(place: &str, error: &PlaceError) -> Mistakes {
        let mistake = Diagnostic::error(error.to_string(), 0..place.len());
        let advice = error.advice();
        let mistake = if advice.is_empty() { mistake } else { mistake.with_help(advice) };
        Mistakes::new("place", place, vec![mistake])
    }
}

/// The mistakes with the lines they are about, as the command shows them.
impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rendered)
    }
}

impl std::error::Error for Mistakes {}

impl Problem {
    /// Reads a system. Nothing is asked yet.
    ///
    /// # Errors
    /// All mistakes in the text.
    pub fn read(text: &str, language: Language) -> Result<Problem, Mistakes> {
        Problem::read_named(NAME, text, language)
    }

    /// The same of a text with a name, as complaints and pages show it.
    ///
    /// # Errors
    /// All mistakes in the text.
    pub fn read_named(name: &str, text: &str, language: Language) -> Result<Problem, Mistakes> {
        let parsed = language.read(text, name).map_err(|mistakes| Mistakes::new(name, text, mistakes))?;
        Ok(Problem { name: name.to_owned(), language, parsed, asked: Vec::new(), put: Vec::new() })
    }

    /// About a system that was built in memory; its places are named as in a text of [`Format::Spds`]. It must be valid,
    /// as those are that a `Builder` finishes.
    pub fn of(spds: Spds) -> Problem {
        let parsed = Parsed { spds, warnings: Vec::new(), has_asserts: false, declared: Declared::Nothing };
        let (name, language) = (NAME.to_owned(), Language::Spds);
        Problem { name, language, parsed, asked: Vec::new(), put: Vec::new() }
    }

    /// The system.
    pub fn system(&self) -> &Spds {
        &self.parsed.spds
    }

    /// What in the text, or in the formulas, may not be meant.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.parsed.warnings
    }

    /// Asks whether some run comes to a place: `proc:L`, `L`, `*:L`, `:LINE`, and in systems `control:symbol` and `symbol`.
    ///
    /// # Errors
    /// If nothing, or more than one thing, has that name.
    pub fn reach(mut self, place: &str) -> Result<Problem, Mistakes> {
        let naming = self.naming();
        let targets =
            places::resolve(&self.parsed.spds, place, naming).map_err(|error| Mistakes::of_place(place, &error))?;
        self.ask(Asked::Property(Property::Reach(targets)), PropertyKind::Reach, place);
        Ok(self)
    }

    fn ask(&mut self, asked: Asked, kind: PropertyKind, put: &str) {
        self.asked.push(asked);
        self.put.push(present::Asked::new(kind, put));
    }

    /// Asks whether no assertion can fail.
    pub fn assertions(mut self) -> Problem {
        self.ask(Asked::Property(Property::Assertions), PropertyKind::Assertions, PropertyKind::Assertions.name());
        self
    }

    /// Asks whether there is no infinite run.
    pub fn termination(mut self) -> Problem {
        self.ask(Asked::Property(Property::Termination), PropertyKind::Termination, PropertyKind::Termination.name());
        self
    }

    /// Asks whether every run satisfies a formula of linear temporal logic.
    ///
    /// # Errors
    /// All mistakes in the formula; a formula that tools read in different ways is one.
    pub fn ltl(mut self, formula: &str) -> Result<Problem, Mistakes> {
        let wrong = |mistakes| Mistakes::new("formula", formula, mistakes);
        // Formulas may speak of control locations. Everything else keeps its number.
        self.parsed.spds = tracked(std::mem::replace(&mut self.parsed.spds, Builder::new().spds));
        let (spds, language, declared) = (&self.parsed.spds, &self.language, &self.parsed.declared);
        let symbols = language.symbols();
        let names = atoms::names(spds, symbols);
        let known = |word: &str| names.contains(word);
        let reading = Reading { dialect: Dialect::Auto, moped: language.moped_differs(), known: &known };
        let (ltl, mut warnings) = parse(formula, &reading).map_err(wrong)?;
        let condition = |text: &str| language.condition(text, None, spds, declared);
        let context = Context { spds, text: formula, symbols, condition: &condition };
        let (meanings, more) = atoms::resolve(ltl.formulas.propositions(), &context).map_err(wrong)?;
        warnings.extend(more);
        debug_assert!(warnings.iter().all(|warning| warning.severity != Severity::Error));
        self.parsed.warnings.extend(warnings);
        self.ask(Asked::Formula(ltl, meanings), PropertyKind::Ltl, formula);
        Ok(self)
    }

    /// What was asked, as it was put.
    pub(crate) fn asked(&self) -> &[present::Asked] {
        &self.put
    }

    /// Which names places and formulas have.
    pub(crate) fn naming(&self) -> Naming {
        self.language.naming()
    }

    /// What should be known about each answer.
    pub(crate) fn warned(&self, answers: &[Answer], runs: Runs) -> Vec<Vec<Warning>> {
        let warned = |(asked, answer): (&present::Asked, &Answer)| {
            let none = asked.kind == PropertyKind::Assertions && !self.parsed.has_asserts;
            Warning::of(asked, answer, runs, none.then_some(&*self.name))
        };
        self.put.iter().zip(answers).map(warned).collect()
    }

    /// Answers what was asked, in that order.
    ///
    /// # Errors
    /// If the judge rejects a run that the search found: a defect of puch.
    pub fn check(&self, limits: &Limits) -> Result<Vec<Answer>, CheckError> {
        self.check_with(&Options { limits: *limits, ..Options::default() })
    }

    /// The same, as the options say.
    ///
    /// # Errors
    /// If the judge rejects a run that the search found: a defect of puch.
    pub fn check_with(&self, options: &Options) -> Result<Vec<Answer>, CheckError> {
        let properties: Vec<Result<Property, Stop>> =
            self.asked.iter().map(|asked| asked.property(&options.limits)).collect();
        let known: Vec<Property> = properties.iter().filter_map(|property| property.as_ref().ok()).cloned().collect();
        let outcome = Session::new(self.parsed.spds.clone(), options.clone()).check(&known)?;
        let mut answers = outcome.answers.into_iter();
        let answers = properties.into_iter().map(|property| match property {
            Ok(_) => answers.next().expect("each property has an answer"),
            // What could not be translated within the limits is unknown.
            Err(stop) => Answer::unknown(stop),
        });
        Ok(answers.collect())
    }
}

impl Asked {
    fn property(&self, limits: &Limits) -> Result<Property, Stop> {
        match self {
            Asked::Property(property) => Ok(property.clone()),
            Asked::Formula(ltl, meanings) => {
                let violations = Violations::of(ltl.clone(), meanings.clone(), &Passes::default(), limits)?;
                Ok(Property::Ltl(Arc::new(violations)))
            }
        }
    }
}
