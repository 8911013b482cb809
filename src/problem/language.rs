//! The languages that are read: what each can say about places, conditions and formulas, whoever asks.

use spds_format::model::{FrameId, Spds, Stack};
use spds_format::reading::outline::Outline;
use spds_format::{Diagnostic, parse_with_warnings};

use crate::ltl::MopedDiffers;
use crate::ltl::atoms::{Condition, Symbols};
use crate::places::Naming;
use crate::report::expression::Notation;
use crate::{boolprog, moped_pds, pdaaal, remopla};

/// The languages, each read as by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Boolean programs in all their dialects (`.bp`, `.nbp`).
    BooleanProgram,
    /// Remopla, the language of Moped 2 (`.rem`).
    Remopla,
    /// Symbolic pushdown systems as `spds_format` specifies them (`.spds`).
    Spds,
    /// Texts of Moped 1 (`.pds`).
    MopedPds,
    /// PDAAAL's systems (`.json`).
    Pdaaal,
    /// C programs (`.c`, `.i`).
    #[cfg(feature = "c")]
    C,
}

/// A language, and what decides where it can be read in several ways.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Language {
    /// Boolean programs.
    BooleanProgram(boolprog::Options),
    /// Remopla.
    Remopla(remopla::Options),
    /// Symbolic pushdown systems.
    Spds,
    /// Texts of Moped 1.
    MopedPds(moped_pds::Options),
    /// PDAAAL's systems.
    Pdaaal(pdaaal::Options),
}

impl Format {
    /// The language, read as by default; none where its texts are no systems.
    pub fn language(self) -> Option<Language> {
        Some(match self {
            Format::BooleanProgram => Language::BooleanProgram(boolprog::Options::default()),
            Format::Remopla => Language::Remopla(remopla::Options::default()),
            Format::Spds => Language::Spds,
            Format::MopedPds => Language::MopedPds(moped_pds::Options::default()),
            Format::Pdaaal => Language::Pdaaal(pdaaal::Options::default()),
            #[cfg(feature = "c")]
            Format::C => return None,
        })
    }
}

/// A system that was read.
#[derive(Debug)]
pub struct Parsed {
    /// What the text says.
    pub spds: Spds,
    /// What may not be meant.
    pub warnings: Vec<Diagnostic>,
    /// Whether there is an assertion in it, reachable or not.
    pub has_asserts: bool,
    /// What it declares beside its system.
    pub declared: Declared,
}

/// What conditions may mention beside what the system says.
#[derive(Debug)]
pub enum Declared {
    /// Nothing.
    Nothing,
    /// Constants of a `.pds` text.
    Constants(Vec<(String, u64)>),
    /// All names of a Remopla program.
    Remopla(remopla::Names),
    /// How a text of PDAAAL refers to states.
    States(pdaaal::States),
}

impl Language {
    /// Reads a text. Places in what was read are in a file of that name.
    ///
    /// # Errors
    /// All mistakes in the text.
    pub fn read(&self, text: &str, name: &str) -> Result<Parsed, Vec<Diagnostic>> {
        match self {
            Language::BooleanProgram(options) => boolprog::read(text, name, options)
                .map(|program| read(program.spds, program.warnings, program.has_asserts, Declared::Nothing)),
            Language::Remopla(options) => remopla::read(text, name, options).map(|program| {
                read(program.spds, program.warnings, program.has_asserts, Declared::Remopla(program.names))
            }),
            Language::Spds => parse_with_warnings(text).map(|(spds, warnings)| {
                let asserts = enters_fail(&spds);
                read(spds, warnings, asserts, Declared::Nothing)
            }),
            Language::MopedPds(options) => moped_pds::read(text, name, options)
                .map(|system| read(system.spds, system.warnings, false, Declared::Constants(system.defines))),
            Language::Pdaaal(options) => pdaaal::read(text, options)
                .map(|system| read(system.spds, system.warnings, false, Declared::States(system.states))),
        }
    }

    /// The words that mean something in it.
    pub fn keywords(&self) -> Vec<&'static str> {
        match self {
            Language::BooleanProgram(_) => boolprog::keywords(),
            Language::Remopla(_) => remopla::keywords(),
            Language::Spds => spds_format::keywords(),
            Language::MopedPds(_) => moped_pds::keywords(),
            Language::Pdaaal(_) => Vec::new(),
        }
    }

    /// The names of a text, also of one that is wrong; PDAAAL's systems have none that are declared. Linear in the text.
    pub fn outline(&self, text: &str) -> Outline {
        match self {
            Language::BooleanProgram(options) => boolprog::outline(text, options),
            Language::Remopla(_) => remopla::outline(text),
            Language::Spds => spds_format::outline(text),
            Language::MopedPds(_) => moped_pds::outline(text),
            Language::Pdaaal(_) => Outline::default(),
        }
    }

    /// Which names it offers for places.
    pub fn naming(&self) -> Naming {
        match self {
            Language::BooleanProgram(_) | Language::Remopla(_) => Naming::Program,
            Language::Spds | Language::MopedPds(_) | Language::Pdaaal(_) => Naming::System,
        }
    }

    /// The language in which formulas about it are written.
    pub fn notation(&self) -> Notation {
        match self {
            Language::BooleanProgram(_) => Notation::Program,
            Language::Remopla(_) => Notation::Remopla,
            Language::Spds | Language::MopedPds(_) | Language::Pdaaal(_) => Notation::System,
        }
    }

    /// Whether formulas can name stack symbols.
    pub fn symbols(&self) -> Symbols {
        match self {
            Language::BooleanProgram(_) | Language::Remopla(_) => Symbols::Hidden,
            Language::Spds | Language::Pdaaal(_) => Symbols::Named,
            Language::MopedPds(_) => Symbols::Moped,
        }
    }

    /// What is done about formulas that only Moped reads in another way.
    pub fn moped_differs(&self) -> MopedDiffers {
        match self {
            // Its author probably uses Moped.
            Language::MopedPds(_) => MopedDiffers::Refuse,
            _ => MopedDiffers::Warn,
        }
    }

    /// A condition in its syntax; bare names are also those of the frame's locals.
    ///
    /// # Errors
    /// All mistakes in the text.
    pub fn condition(
        &self,
        text: &str,
        frame: Option<FrameId>,
        spds: &Spds,
        declared: &Declared,
    ) -> Result<Condition, Vec<Diagnostic>> {
        match (self, declared) {
            (Language::BooleanProgram(options), _) => {
                let predicate = boolprog::predicate(text, spds, options.dialect, frame)?;
                Ok((predicate.frame, predicate.condition, predicate.warnings))
            }
            (_, Declared::Remopla(names)) => {
                let predicate = remopla::predicate(text, names, frame)?;
                Ok((predicate.frame, predicate.condition, Vec::new()))
            }
            (_, Declared::Constants(defines)) => {
                let predicate = moped_pds::predicate(text, spds, defines, frame)?;
                Ok((predicate.frame, predicate.condition, predicate.warnings))
            }
            (_, Declared::Nothing | Declared::States(_)) => {
                let (frame, condition) = spds_format::parse_condition(spds, frame, text)?;
                Ok((frame, condition, Vec::new()))
            }
        }
    }
}

fn read(spds: Spds, warnings: Vec<Diagnostic>, has_asserts: bool, declared: Declared) -> Parsed {
    Parsed { spds, warnings, has_asserts, declared }
}

/// Whether some rule leads to the failure of an assertion.
fn enters_fail(spds: &Spds) -> bool {
    let Some(fail) = spds.fail else { return false };
    let enters = |stack| match stack {
        Stack::Pop => false,
        Stack::Swap(next) => next == fail,
        Stack::Push(callee, back) => callee == fail || back == fail,
    };
    spds.rules.iter().any(|rule| rule.from.symbol != fail && enters(rule.stack))
}
