//! From formulas and automata as they were typed to what they mean in a system.

use puch::limits::{Limits, Stop};
use puch::ltl::atoms::{self, Context, Meaning};
use puch::ltl::hoa::{self, ReadError};
use puch::ltl::{self, Dialect, MopedDiffers, Passes, Proposition, Specified, Tgba, Violations, never, parse};
use spds_format::Diagnostic;

use super::Failure;
use super::args::Given;
use super::choices::SyntaxName;
use super::input::{Input, Loaded};
use super::texts::{rendered, text_of};

/// Whose precedences count.
pub fn dialect(name: SyntaxName) -> Dialect {
    match name {
        SyntaxName::Auto => Dialect::Auto,
        SyntaxName::Spot => Dialect::Spot,
        SyntaxName::Spin => Dialect::Spin,
        SyntaxName::SpinF => Dialect::SpinF,
        SyntaxName::Moped => Dialect::Moped,
        SyntaxName::Nusmv => Dialect::NuSmv,
        SyntaxName::Lbt => Dialect::Lbt,
        SyntaxName::Wring => Dialect::Wring,
    }
}

/// What a property of runs is read against.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    pub input: &'a Input,
    /// Its system is [`puch::ltl::tracked`].
    pub loaded: &'a Loaded,
    /// Whose precedences count.
    pub dialect: Dialect,
    pub limits: Limits,
}

/// Why there is no property.
#[derive(Debug)]
pub enum Refusal {
    /// Mistakes, as they are to be told.
    Wrong(Failure),
    /// A limit was met in the translation.
    Stopped(Stop),
}

impl From<Stop> for Refusal {
    fn from(stop: Stop) -> Self {
        Refusal::Stopped(stop)
    }
}

impl From<anyhow::Error> for Refusal {
    fn from(error: anyhow::Error) -> Self {
        Refusal::Wrong(error.into())
    }
}

/// What propositions of a text mean.
type Meanings<'a> = dyn Fn(&[Proposition], &Text<'_>) -> Result<Vec<Meaning>, Refusal> + 'a;

/// How a property of runs is read, whatever it is about.
pub struct Reading<'a> {
    /// Whose precedences count.
    pub dialect: Dialect,
    /// What if Moped's differ.
    pub moped: MopedDiffers,
    /// Which words are names.
    pub known: &'a dyn Fn(&str) -> bool,
    /// What propositions mean.
    pub meanings: &'a Meanings<'a>,
    /// Who is told about warnings: the name of the text, the text, and they.
    pub warn: &'a dyn Fn(&str, &str, &[Diagnostic]),
    pub limits: Limits,
}

impl Reading<'_> {
    /// What no run may do.
    pub fn violations(&self, given: &Given) -> Result<Violations, Refusal> {
        let passes = Passes::default();
        match given {
            Given::Formula(text) => self.formula(&passes, Text { name: "--ltl".into(), text }),
            Given::Listed(listed) => self.formula(&passes, Text { name: listed.place(), text: &listed.formula }),
            Given::Automaton(file) | Given::Never(file) => {
                let text = text_of(file)?;
                let source = Text { name: file.display().to_string(), text: &text };
                let (automaton, meanings) = self.automaton(&source, matches!(given, Given::Never(_)))?;
                Ok(Violations::given(automaton, meanings, &passes)?)
            }
        }
    }

    /// An automaton with what its propositions mean.
    fn automaton(&self, source: &Text<'_>, never: bool) -> Result<(Tgba, Vec<Meaning>), Refusal> {
        let read = match never {
            true => never::read(source.text, &self.limits),
            false => hoa::read(source.text, &self.limits),
        };
        let automaton: Tgba = read.map_err(|error| match error {
            ReadError::Diagnosed(complaints) => source.wrong(&complaints),
            ReadError::Stopped(stop) => stop.into(),
        })?;
        let meanings = (self.meanings)(&automaton.propositions, source)?;
        Ok((automaton, meanings))
    }

    /// The runs that do not satisfy a formula.
    fn formula(&self, passes: &Passes, source: Text<'_>) -> Result<Violations, Refusal> {
        let Specified { formula, meanings } = self.specified(&source)?;
        Ok(Violations::of(formula, meanings, passes, &self.limits)?)
    }

    /// A formula with what its propositions mean.
    fn specified(&self, source: &Text<'_>) -> Result<Specified, Refusal> {
        let reading = ltl::Reading { dialect: self.dialect, moped: self.moped, known: self.known };
        let (formula, warnings) = parse(source.text, &reading).map_err(|complaints| source.wrong(&complaints))?;
        (self.warn)(&source.name, source.text, &warnings);
        let meanings = (self.meanings)(formula.formulas.propositions(), source)?;
        Ok(Specified { formula, meanings })
    }
}

impl Reader<'_> {
    /// What no run may do. Warnings are told.
    pub fn violations(self, given: &Given) -> Result<Violations, Refusal> {
        self.reading(|reading| reading.violations(given))
    }

    /// A formula as a certificate has it, with what its propositions mean.
    pub fn specified(self, text: &str) -> Result<Specified, Refusal> {
        self.reading(|reading| reading.specified(&Text { name: "the certificate".into(), text }))
    }

    /// An automaton that is given together with a certificate, with what its propositions mean.
    pub fn automaton(self, given: &Given) -> Result<(Tgba, Vec<Meaning>), Refusal> {
        let (Given::Automaton(file) | Given::Never(file)) = given else {
            unreachable!("a formula is no file with an automaton")
        };
        let text = text_of(file)?;
        let source = Text { name: file.display().to_string(), text: &text };
        self.reading(|reading| reading.automaton(&source, matches!(given, Given::Never(_))))
    }

    /// Reads something about the system.
    fn reading<T>(self, read: impl FnOnce(&Reading<'_>) -> T) -> T {
        let names = atoms::names(&self.loaded.spds, self.input.language().symbols());
        read(&Reading {
            dialect: self.dialect,
            moped: self.input.language().moped_differs(),
            known: &|word| names.contains(word),
            meanings: &|propositions, source| self.meanings(propositions, source),
            warn: &|name, text, warnings| self.input.warn(name, text, warnings),
            limits: self.limits,
        })
    }

    /// What the propositions mean; warnings are told.
    fn meanings(self, propositions: &[Proposition], source: &Text<'_>) -> Result<Vec<Meaning>, Refusal> {
        let condition = |text: &str| self.input.proposition(text, self.loaded);
        let symbols = self.input.language().symbols();
        let context = Context { spds: &self.loaded.spds, text: source.text, symbols, condition: &condition };
        let resolved = atoms::resolve(propositions, &context);
        let (meanings, warnings) = resolved.map_err(|complaints| source.wrong(&complaints))?;
        self.input.warn(&source.name, source.text, &warnings);
        Ok(meanings)
    }
}

/// Where a property stands.
pub struct Text<'t> {
    name: String,
    text: &'t str,
}

impl Text<'_> {
    /// That it is refused, with the mistakes in it.
    pub fn wrong(&self, complaints: &[Diagnostic]) -> Refusal {
        Refusal::Wrong(Failure::Diagnosed(rendered(&self.name, self.text, complaints)))
    }
}
