//! From a file name to a system: which notation, what text, and what is wrong with it.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use puch::boolprog;
use puch::check::{Options, Target};
use puch::exchange;
use puch::facts::statements;
use puch::limits::Limits;
use puch::ltl::atoms::Condition;
use puch::moped_pds;
use puch::pdaaal;
use puch::places::{Naming, PlaceError};
use puch::problem::{Declared, Language, Parsed};
use puch::remopla;
use puch::report::expression::Notation;
use spds_format::automaton::Role;
use spds_format::configurations::configurations;
use spds_format::expr::Expr;
use spds_format::model::{Spds, SymbolId};
use spds_format::{Automaton, Diagnostic, Severity};

use super::abstraction::{Abstracted, Meant};
use super::args::{AbstractedArgs, InputArgs, Loudness};
use super::choices::{AssertsName, DialectName, InputFormat, RemoplaName};
use super::texts::{Warnings, is_stdin, rendered, text_of};
use super::{Failure, notices, tell};

/// An input as it is meant.
#[derive(Clone, Debug)]
pub struct Input {
    file: PathBuf,
    language: Language,
    warnings: Warnings,
    /// A C program is read as its abstraction, in the language of that.
    c: Option<Meant>,
}

/// What places in a text are places of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// What is executed there.
    Statements,
    /// The same; several steps have one place.
    C,
    /// Rules.
    Rules,
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
    /// What verdicts about it take on trust.
    pub unverified: Vec<puch::run::Trusted>,
    /// What it declares beside its system.
    declared: Declared,
    /// What its lines are.
    kind: Kind,
}

impl Loaded {
    /// The statements that are listed where none is named: of C programs the first step of each.
    pub fn listed(&self) -> Vec<Target> {
        let mut listed = statements(&self.spds);
        if self.kind == Kind::C {
            let whose = |symbol: SymbolId| (self.spds.symbol(symbol).frame, self.spds.symbol(symbol).place);
            let mut before = None;
            listed.retain(|target| before.replace(whose(target.symbol)) != Some(whose(target.symbol)));
        }
        listed
    }

    /// The text, if what stands at the place of a symbol in it is what is executed there. In texts of rules it is one of
    /// several rules for the symbol, and traces had better show the symbol.
    pub fn statements(&self) -> &str {
        if self.kind == Kind::Rules { "" } else { &self.text }
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
    pub fn meant(args: InputArgs) -> anyhow::Result<Input> {
        let format = match args.input_format {
            Some(format) => format,
            None => format_of(&args.file)?,
        };
        refuse_options_of_others(&args, Some(format))?;
        let defines = args.define.iter().map(|text| constant(text)).collect::<anyhow::Result<Vec<_>>>()?;
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
                defines,
            }),
            InputFormat::C => bail!("{}", on_an_abstraction(&args.file)),
            InputFormat::Spds => Language::Spds,
            InputFormat::Pds => Language::MopedPds(moped_pds::Options { defines }),
            InputFormat::Pdaaal => Language::Pdaaal(pdaaal::Options {
                start: args.entry.map_or(pdaaal::Starting::Told, pdaaal::Starting::Configuration),
            }),
        };
        Ok(Input { file: args.file, language, warnings: Warnings::Told, c: None })
    }

    /// The same where C programs are read too, within limits.
    pub fn meant_with_c(args: InputArgs, c: AbstractedArgs, limits: Limits, stats: bool) -> anyhow::Result<Input> {
        if args.input_format.is_none() && is_stdin(&args.file) {
            format_of(&args.file)?;
        }
        if args.is_c() && c.predicates.predicates.is_some() {
            refuse_options_of_others(&args, Some(InputFormat::C))?;
            let file = args.file.clone();
            let meant = Meant::of(args, c, limits, stats)?;
            let language = Language::BooleanProgram(boolprog::Options::default());
            return Ok(Input { file, language, warnings: Warnings::Told, c: Some(meant) });
        }
        if let Some(option) = c.typed().filter(|_| !args.is_c()) {
            bail!("`{option}` is about C programs; `{}` is not one", args.file.display());
        }
        Input::meant(args)
    }

    /// The same where nobody is told of warnings.
    pub fn silently(self) -> Input {
        Input { warnings: Warnings::Silent, ..self }
    }

    /// The same where nobody asks but for verdicts: predicates of C programs that have influence on none are left out.
    pub fn for_verdicts(mut self, loudness: &Loudness) -> Input {
        self.c = self.c.map(|meant| meant.for_verdicts(loudness.quiet));
        self
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
        if self.is_c() { Notation::C } else { self.language.notation() }
    }

    /// Whether it is the abstraction of a C program.
    pub fn is_c(&self) -> bool {
        self.c.is_some()
    }

    /// Where runs of the abstraction of a C program do something undefined past which none goes, in words.
    pub fn undefined(&self, options: &Options) -> Result<Option<String>, Failure> {
        self.c.as_ref().map_or(Ok(None), |meant| meant.undefined(options))
    }

    /// Why what holds in the abstraction of a C program was not proved about the program itself, in words.
    pub fn unproved(&self, options: &Options) -> Result<Option<String>, Failure> {
        self.c.as_ref().map_or(Ok(None), |meant| meant.unproved(options))
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
        if let Some(meant) = &self.c {
            let Abstracted { system, text, unverified } = meant.load()?;
            let (declared, has_asserts) = (Declared::Nothing, system.has_asserts);
            return Ok(Loaded { name, text, spds: system.spds, has_asserts, unverified, declared, kind: Kind::C });
        }
        let text = text_of(&self.file)?;
        if text.trim_start_matches('\u{feff}').trim().is_empty() {
            return Err(anyhow!("`{name}` is empty").into());
        }
        match self.language.read(&text, &name) {
            Ok(Parsed { spds, warnings, has_asserts, declared }) => {
                self.warn(&name, &text, &warnings);
                let kind = if self.naming() == Naming::Program { Kind::Statements } else { Kind::Rules };
                Ok(Loaded { name, text, spds, has_asserts, unverified: Vec::new(), declared, kind })
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
        no_place(&self.name(), error)
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
        if warnings.is_empty() {
            return;
        }
        match self.warnings {
            Warnings::Told => tell(rendered(name, text, warnings).trim_end()),
            Warnings::Silent => notices::keep(name, text, warnings),
        }
    }

    /// Tells a warning that is not about a place.
    pub fn remark(&self, warning: &str) {
        notices::keep_sentence("warning", "remark", warning);
        if self.warnings == Warnings::Told {
            tell(&format!("warning: {warning}"));
        }
    }
}

/// Options of the readers of other formats are no options of this one.
pub fn refuse_options_of_others(args: &InputArgs, format: Option<InputFormat>) -> anyhow::Result<()> {
    if format != Some(InputFormat::Bp) {
        if args.dialect != DialectName::Auto {
            bail!("`--dialect` is about Boolean programs; `{}` is not one", args.file.display());
        }
        if args.asserts != AssertsName::Check {
            bail!("`--asserts` is about Boolean programs; `{}` is not one", args.file.display());
        }
        let by_option = matches!(format, Some(InputFormat::C | InputFormat::Rem | InputFormat::Pdaaal));
        if args.entry.is_some() && !by_option {
            bail!("`--entry` is about programs; the start of `{}` is in its text", args.file.display());
        }
    }
    if !matches!(format, Some(InputFormat::C | InputFormat::Rem | InputFormat::Pds)) && !args.define.is_empty() {
        bail!("`--define` is about Remopla, `.pds` texts and C; `{}` is something else", args.file.display());
    }
    if format != Some(InputFormat::Rem) {
        let typed = [
            ("--remopla", args.remopla != RemoplaName::Auto),
            ("--check-arithmetic", args.check_arithmetic),
            ("--wrap", args.wrap),
        ];
        if let Some((option, _)) = typed.iter().find(|(_, typed)| *typed) {
            bail!("`{option}` is about Remopla; `{}` is something else", args.file.display());
        }
    }
    Ok(())
}

/// `NAME=NUMBER`
fn constant(text: &str) -> anyhow::Result<(String, u64)> {
    let pair = text.split_once('=').and_then(|(name, value)| Some((name.trim(), value.trim().parse().ok()?)));
    match pair {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value)),
        _ => bail!("`--define {text}`: a name, `=` and a number are needed"),
    }
}

/// What somebody forgets who asks about a C program what is known of Boolean programs.
fn on_an_abstraction(file: &Path) -> String {
    let name = file.display();
    format!("`{name}`: C programs are checked on an abstraction: say `--predicates FILE`, or `--predicates guards`")
}

impl InputArgs {
    /// Whether it is a C program.
    pub fn is_c(&self) -> bool {
        is_said_c(self.input_format, &self.file)
    }
}

/// Whether a file is C, by what is said of it, or else by the ending of its name.
pub fn is_said_c(said: Option<InputFormat>, file: &Path) -> bool {
    said.map_or_else(|| is_c(file), |format| format == InputFormat::C)
}

/// Whether a file is C by the ending of its name.
pub fn is_c(file: &Path) -> bool {
    matches!(file.extension().and_then(|ending| ending.to_str()), Some("c" | "i"))
}

/// What a file is by the ending of its name.
fn format_of(file: &Path) -> anyhow::Result<InputFormat> {
    let name = file.display();
    if is_stdin(file) {
        bail!(
            "standard input has no name to tell what it is: say `--input-format bp`, `rem`, `spds`, `pds`, `pdaaal` or `c`"
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
        Some(_) if is_c(file) => bail!("{}", on_an_abstraction(file)),
        Some(ending) => bail!(
            "`{name}`: puch knows no files that end in `.{ending}`; it reads `.bp`, `.nbp`, `.rem`, `.spds`, `.pds`, \
             `.json` and `.c`, and `--input-format` names one of them whatever the ending"
        ),
        None => {
            bail!(
                "`{name}` has no ending that tells what it is: say `--input-format bp`, `rem`, `spds`, `pds`, `pdaaal` or `c`"
            )
        }
    }
}

/// That a name is no place of a file.
pub fn no_place(name: &str, error: &PlaceError) -> String {
    let advice = error.advice();
    notices::keep_place(name, &error.to_string(), &advice);
    let help = if advice.is_empty() { advice } else { format!("\n  = help: {advice}") };
    format!("error: {error}\n --> {name}{help}\n")
}
