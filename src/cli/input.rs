//! From a file name to a system: which notation, what text, and what is wrong with it.

use std::ffi::OsString;
use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use puch::boolprog;
use puch::exchange;
use puch::ltl::atoms::Condition;
use puch::moped_pds;
use puch::pdaaal;
use puch::places::{Naming, PlaceError};
use puch::problem::{Declared, Language, Parsed};
use puch::remopla;
use puch::report::diagnostic::{self, Style};
use puch::report::expression::Notation;
use puch::report::source::Source;
use spds_format::automaton::Role;
use spds_format::configurations::configurations;
use spds_format::expr::Expr;
use spds_format::model::Spds;
use spds_format::{Automaton, Diagnostic, Severity};

use super::args::{InputArgs, Loudness};
use super::choices::{AssertsName, DialectName, InputFormat, RemoplaName};
use super::{Failure, tell};

/// An input as it is meant.
#[derive(Clone, Debug)]
pub struct Input {
    file: PathBuf,
    language: Language,
    warnings: Warnings,
}

/// Whether warnings are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warnings {
    /// On standard error.
    Told,
    /// Not.
    Silent,
}

/// A system that was read.
pub struct Loaded {
    /// The name of the input as given.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What it says.
    pub spds: Spds,
    /// Whether there is an assertion in it, reachable or not.
    pub has_asserts: bool,
    /// What it declares beside its system.
    declared: Declared,
    /// Whether its lines are statements.
    naming: Naming,
}

impl Loaded {
    /// The text, if what stands at the place of a symbol in it is what is executed there. In texts of rules it is one of
    /// several rules for the symbol, and traces had better show the symbol.
    pub fn statements(&self) -> &str {
        if self.naming == Naming::Program { &self.text } else { "" }
    }

    /// How P-automata in PDAAAL's notation refer to states.
    pub fn states(&self) -> pdaaal::States {
        match self.declared {
            Declared::States(states) => states,
            _ => pdaaal::States::Named,
        }
    }
}

impl Input {
    /// What is meant by what was typed.
    pub fn meant(args: InputArgs, loudness: &Loudness) -> anyhow::Result<Input> {
        let format = match args.input_format {
            Some(format) => format,
            None => format_of(&args.file)?,
        };
        if format != InputFormat::Bp {
            if args.dialect != DialectName::Auto {
                bail!("`--dialect` is about Boolean programs; `{}` is not one", args.file.display());
            }
            if args.asserts != AssertsName::Check {
                bail!("`--asserts` is about Boolean programs; `{}` is not one", args.file.display());
            }
            let by_option = matches!(format, InputFormat::Rem | InputFormat::Pdaaal);
            if args.entry.is_some() && !by_option {
                bail!("`--entry` is about programs; the start of `{}` is in its text", args.file.display());
            }
        }
        if !matches!(format, InputFormat::Rem | InputFormat::Pds) && !args.define.is_empty() {
            bail!("`--define` is about Remopla and `.pds` texts; `{}` is something else", args.file.display());
        }
        if format != InputFormat::Rem {
            let typed = [
                ("--remopla", args.remopla != RemoplaName::Auto),
                ("--check-arithmetic", args.check_arithmetic),
                ("--wrap", args.wrap),
            ];
            if let Some((option, _)) = typed.iter().find(|(_, typed)| *typed) {
                bail!("`{option}` is about Remopla; `{}` is something else", args.file.display());
            }
        }
        let language = match format {
            InputFormat::Bp => Language::BooleanProgram(boolprog::Options {
                dialect: match args.dialect {
                    DialectName::Auto => boolprog::Dialect::Auto,
                    DialectName::Slam => boolprog::Dialect::Slam,
                    DialectName::Satabs => boolprog::Dialect::Satabs,
                    DialectName::Bopp => boolprog::Dialect::Bopp,
                },
                asserts: match args.asserts {
                    AssertsName::Check => boolprog::Asserts::Check,
                    AssertsName::Assume => boolprog::Asserts::Assume,
                },
                entry: args.entry,
            }),
            InputFormat::Rem => Language::Remopla(remopla::Options {
                dialect: match args.remopla {
                    RemoplaName::Auto => remopla::Dialect::Auto,
                    RemoplaName::Moped => remopla::Dialect::Moped,
                    RemoplaName::Qleak => remopla::Dialect::Qleak,
                },
                arithmetic: match (args.check_arithmetic, args.wrap) {
                    (true, _) => remopla::Arithmetic::Check,
                    (_, true) => remopla::Arithmetic::Wrap,
                    _ => remopla::Arithmetic::Block,
                },
                entry: args.entry,
                defines: args.define,
            }),
            InputFormat::Spds => Language::Spds,
            InputFormat::Pds => Language::MopedPds(moped_pds::Options { defines: args.define }),
            InputFormat::Pdaaal => Language::Pdaaal(pdaaal::Options {
                start: args.entry.map_or(pdaaal::Starting::Told, pdaaal::Starting::Configuration),
            }),
        };
        let warnings = if loudness.quiet { Warnings::Silent } else { Warnings::Told };
        Ok(Input { file: args.file, language, warnings })
    }

    /// The same where nobody asks in which configurations runs start.
    pub fn without_start(mut self) -> Input {
        if let Language::Pdaaal(pdaaal::Options { start: start @ pdaaal::Starting::Told }) = &mut self.language {
            *start = pdaaal::Starting::Immaterial;
        }
        self
    }

    /// In which language it is.
    pub fn language(&self) -> &Language {
        &self.language
    }

    /// Which names the input offers for places.
    pub fn naming(&self) -> Naming {
        self.language.naming()
    }

    /// The language in which formulas about it are written.
    pub fn notation(&self) -> Notation {
        self.language.notation()
    }

    /// Whether it comes from standard input.
    pub fn is_stdin(&self) -> bool {
        is_stdin(&self.file)
    }

    /// Whether assertions block instead of failing.
    pub fn asserts_block(&self) -> bool {
        matches!(&self.language, Language::BooleanProgram(options) if options.asserts == boolprog::Asserts::Assume)
    }

    /// The name of the input in reports.
    pub fn name(&self) -> String {
        if is_stdin(&self.file) { "<stdin>".into() } else { self.file.display().to_string() }
    }

    /// Reads the file and what it says. Warnings are told at once.
    pub fn load(&self) -> Result<Loaded, Failure> {
        let name = self.name();
        let text = text_of(&self.file)?;
        if text.trim_start_matches('\u{feff}').trim().is_empty() {
            return Err(anyhow!("`{name}` is empty").into());
        }
        match self.language.read(&text, &name) {
            Ok(Parsed { spds, warnings, has_asserts, declared }) => {
                self.warn(&name, &text, &warnings);
                Ok(Loaded { name, text, spds, has_asserts, declared, naming: self.naming() })
            }
            Err(complaints) => {
                let errors = complaints.iter().filter(|complaint| complaint.severity == Severity::Error).count();
                let errors = if errors == 1 { "an error".into() } else { format!("{errors} errors") };
                let closing = format!("error: `{name}` cannot be read because of {errors}");
                Err(Failure::Diagnosed(rendered(&name, &text, &complaints) + &closing))
            }
        }
    }

    /// A condition on the start, in the syntax of the input.
    fn condition(&self, text: &str, loaded: &Loaded) -> Result<Expr, Failure> {
        let spds = &loaded.spds;
        let top = spds.start.stack.first().and_then(|symbol| spds.symbol(*symbol).frame);
        // In the syntax of programs bare names are those of globals.
        let bare = top.filter(|_| {
            !matches!(self.language, Language::BooleanProgram(_) | Language::Remopla(_) | Language::MopedPds(_))
        });
        let (frame, condition, _) = self
            .language
            .condition(text, bare, spds, &loaded.declared)
            .map_err(|complaints| Failure::Diagnosed(rendered("--assume", text, &complaints)))?;
        match frame {
            Some(frame) if Some(frame) != top => {
                let frame = &spds.frame(frame).name;
                Err(anyhow!("`--assume` is about the start: the locals of `{frame}` do not exist there").into())
            }
            _ => Ok(condition),
        }
    }

    /// Adds a condition to those on the start, and says which.
    pub fn assume(&self, text: &str, loaded: &mut Loaded) -> Result<Expr, Failure> {
        let condition = self.condition(text, loaded)?;
        let start = &mut loaded.spds.start;
        start.condition = Some(start.condition.as_ref().map_or(condition.clone(), |own| own.and(&condition)));
        Ok(condition)
    }

    /// What to tell about a name that is no place.
    pub fn no_place(&self, error: &PlaceError) -> String {
        let advice = error.advice();
        let help = if advice.is_empty() { advice } else { format!("\n  = help: {advice}") };
        format!("error: {error}\n --> {}{help}\n", self.name())
    }

    /// A condition on configurations, in the syntax of the input: the inside of `{expr}` in a formula.
    pub fn proposition(&self, text: &str, loaded: &Loaded) -> Result<Condition, Vec<Diagnostic>> {
        self.language.condition(text, None, &loaded.spds, &loaded.declared)
    }

    /// A set of configurations: `<…>` with conditions in the syntax of the input, or `@FILE` with an automaton in JSON, that
    /// of this program or of PDAAAL. From an instance with two of them `--from` takes the first, all others the second.
    /// Warnings are told at once.
    pub fn configurations(&self, option: &str, text: &str, loaded: &Loaded) -> Result<Automaton, Failure> {
        if let Some(file) = text.strip_prefix('@') {
            let text = text_of(Path::new(file))?;
            let file = if is_stdin(Path::new(file)) { "<stdin>" } else { file };
            let which = if option == "--from" { pdaaal::Which::Initial } else { pdaaal::Which::Final };
            if let Some(read) = pdaaal::read_automaton(&loaded.spds, loaded.states(), &text, which) {
                let (set, warnings) =
                    read.map_err(|complaints| Failure::Diagnosed(rendered(file, &text, &complaints)))?;
                self.warn(file, &text, &warnings);
                return Ok(set);
            }
            return exchange::read(&loaded.spds, &text, Role::Input)
                .map_err(|complaints| Failure::Diagnosed(rendered(file, &text, &complaints)));
        }
        let condition = |text: &str, frame| self.language.condition(text, frame, &loaded.spds, &loaded.declared);
        match configurations(&loaded.spds, text, &condition) {
            Ok((set, warnings)) => {
                self.warn(option, text, &warnings);
                Ok(set)
            }
            Err(complaints) => Err(Failure::Diagnosed(rendered(option, text, &complaints))),
        }
    }

    /// The same for `--reach`, if that is not about a place. Configurations with the empty stack are left out.
    pub fn reached_configurations(&self, text: &str, loaded: &Loaded) -> Option<Result<Automaton, Failure>> {
        let is_file = text.starts_with('@') && text.ends_with(".json");
        if !is_file && !text.trim_start().starts_with('<') {
            return None;
        }
        let set = self.configurations("--reach", text, loaded);
        if set.as_ref().is_ok_and(|set| set.edges.iter().any(|edge| edge.symbol.is_none())) {
            self.remark(&format!("`--reach {text}`: the empty stack is left out, no run is shown there"));
        }
        Some(set)
    }

    /// Tells warnings about a text.
    pub fn warn(&self, name: &str, text: &str, warnings: &[Diagnostic]) {
        if self.warnings == Warnings::Told && !warnings.is_empty() {
            tell(rendered(name, text, warnings).trim_end());
        }
    }

    /// Tells a warning that is not about a place.
    pub fn remark(&self, warning: &str) {
        if self.warnings == Warnings::Told {
            tell(&format!("warning: {warning}"));
        }
    }
}

/// The text of a file, or of standard input.
///
/// # Errors
/// If it cannot be read or is not UTF-8.
pub fn text_of(file: &Path) -> anyhow::Result<String> {
    let name = file.display();
    let bytes = if is_stdin(file) {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
        bytes
    } else {
        if file.is_dir() {
            bail!("`{name}` is a directory");
        }
        std::fs::read(file).with_context(|| format!("cannot read `{name}`"))?
    };
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let good = &error.as_bytes()[..at];
        let line = good.iter().filter(|byte| **byte == b'\n').count() + 1;
        anyhow!("`{name}` is not text in UTF-8: byte {} (on line {line}) is {:#04x}", at + 1, error.as_bytes()[at])
    })
}

/// Diagnostics as they are told on standard error.
pub fn rendered(name: &str, text: &str, diagnostics: &[Diagnostic]) -> String {
    let style = style(std::io::stderr().is_terminal(), |variable| std::env::var_os(variable));
    let mut out = Vec::new();
    diagnostic::write(&mut out, &Source::new(name, text), diagnostics, style).expect("a vector takes everything");
    String::from_utf8_lossy(&out).into_owned()
}

/// In colours on terminals that have some, unless `NO_COLOR` is set.
fn style(terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> Style {
    let unwanted = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = variable("TERM").is_some_and(|name| name == "dumb");
    if terminal && !unwanted && !dumb { Style::Coloured } else { Style::Plain }
}

/// Whether a file name stands for standard input.
pub fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

/// What a file is by the ending of its name.
fn format_of(file: &Path) -> anyhow::Result<InputFormat> {
    let name = file.display();
    if is_stdin(file) {
        bail!(
            "standard input has no name to tell what it is: say `--input-format bp`, `rem`, `spds`, `pds` or `pdaaal`"
        );
    }
    if file.is_dir() {
        bail!("`{name}` is a directory");
    }
    match file.extension().and_then(|ending| ending.to_str()) {
        Some("bp" | "nbp") => Ok(InputFormat::Bp),
        Some("rem") => Ok(InputFormat::Rem),
        Some("spds") => Ok(InputFormat::Spds),
        Some("pds") => Ok(InputFormat::Pds),
        Some("json") => Ok(InputFormat::Pdaaal),
        Some("c" | "i") => bail!(
            "`{name}`: C programs are checked on an abstraction: say `--predicates FILE`, or `--predicates guards`"
        ),
        Some(ending) => bail!(
            "`{name}`: puch knows no files that end in `.{ending}`; it reads `.bp`, `.nbp`, `.rem`, `.spds`, `.pds` \
             and `.json`, and `--input-format` names one of them whatever the ending"
        ),
        None => {
            bail!(
                "`{name}` has no ending that tells what it is: say `--input-format bp`, `rem`, `spds`, `pds` or `pdaaal`"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_for_terminals_and_only_for_who_wants_them() {
        let set = |name: &'static str, value: &'static str| move |asked: &str| (asked == name).then(|| value.into());
        assert_eq!(style(true, |_| None), Style::Coloured);
        assert_eq!(style(true, set("NO_COLOR", "")), Style::Coloured);
        assert_eq!(style(true, set("NO_COLOR", "1")), Style::Plain);
        assert_eq!(style(true, set("TERM", "dumb")), Style::Plain);
        assert_eq!(style(false, |_| None), Style::Plain);
    }
}
