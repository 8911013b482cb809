//! What was told on standard error, as data: scripts that ask for JSON are told the same there.
//!
//! Like standard error itself there is one list for the process.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;

use puch::limits::Stop;
use puch::report::json::{Granted, Header, Met};
use puch::report::notice::Notice;
use puch::report::{json, junit, sarif};
use puch::source::Source;
use spds_format::Diagnostic;

use super::choices::{
    AnswerFormatName, BuchiFormatName, DiffFormatName, FlowFormatName, FormatName, NullFormatName, SetFormatName,
    StackFormatName,
};
use super::command::Command;
use super::{Failure, UNKNOWN, answer};

static TOLD: Mutex<Vec<Notice>> = Mutex::new(Vec::new());

/// Keeps what is told of a text: of a file, or of the value of an option.
pub fn keep(name: &str, text: &str, diagnostics: &[Diagnostic]) {
    let source = Source::new(name, text);
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    let warnings = diagnostics.iter().filter(|diagnostic| !diagnostic.is_error());
    add(errors.chain(warnings).map(|diagnostic| Notice::new(&source, code(name), diagnostic)));
}

/// Keeps a sentence that is about no place.
pub fn keep_sentence(severity: &'static str, code: &'static str, text: &str) {
    add([Notice::sentence(severity, code, text)]);
}

/// Keeps that a name is no place of a file.
pub fn keep_place(file: &str, text: &str, advice: &str) {
    let help = (!advice.is_empty()).then(|| advice.to_owned());
    add([Notice { file: Some(file.to_owned()), help, ..Notice::sentence("error", "place", text) }]);
}

fn add(notices: impl IntoIterator<Item = Notice>) {
    if let Ok(mut told) = TOLD.lock() {
        told.extend(notices);
    }
}

/// What a report by this command begins with.
pub fn header<'a>(input: &'a str, seconds: Option<f64>, diagnostics: &'a [Notice]) -> Header<'a> {
    Header { version: env!("CARGO_PKG_VERSION"), input, seconds, diagnostics }
}

/// All that was told so far.
pub fn told() -> Vec<Notice> {
    TOLD.lock().map_or_else(|poisoned| poisoned.into_inner().clone(), |told| told.clone())
}

/// Writes a text in another notation: as it is, or as data; in the latter case also why it is not as good as it could be.
pub fn written(
    format: AnswerFormatName,
    input: &str,
    met: Option<&Met>,
    notation: &str,
    text: &[u8],
) -> anyhow::Result<()> {
    let told = told();
    let string = || String::from_utf8_lossy(text);
    answer(|out| match format {
        AnswerFormatName::Text => out.write_all(text),
        AnswerFormatName::Json => json::text(out, header(input, None, &told), met, notation, &string()),
    })
}

/// Says that a limit was met before there was an answer, in the form that was asked for.
pub fn stopped(format: AnswerFormatName, input: &str, granted: Granted, stop: Stop) -> Result<ExitCode, Failure> {
    let met = granted.met(stop.into());
    match format {
        AnswerFormatName::Text => answer(|out| writeln!(out, "unknown ({})", met.why))?,
        AnswerFormatName::Json => {
            keep_sentence("error", "limit", &met.why);
            let told = told();
            answer(|out| json::stopped(out, header(input, None, &told), &met))?;
        }
    }
    Ok(ExitCode::from(UNKNOWN))
}

/// The same in a form in which nothing says it but what was told.
pub fn stopped_unanswered(machine: Machine, input: &str, granted: Granted, stop: Stop) -> Result<ExitCode, Failure> {
    keep_sentence("error", "limit", &granted.met(stop.into()).why);
    machine.refused(input);
    Ok(ExitCode::from(UNKNOWN))
}

/// What a text is, by the name under which it is told of.
fn code(name: &str) -> &'static str {
    match name {
        "--ltl" | "formula" => "formula",
        "--assume" => "condition",
        "--from" | "--to" | "--meets" | "--contains" | "--reach" => "configurations",
        _ if name.starts_with("--") => "option",
        _ => "input",
    }
}

/// A form for scripts, in which a call that is refused is answered, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// JSON
    Json,
    /// SARIF
    Sarif,
    /// JUnit's XML
    Junit,
}

impl Machine {
    /// The form that a call asks for, and its input.
    pub fn wanted(command: &Command) -> Option<(Machine, String)> {
        let named = |form: Option<Machine>, file: &Path| form.map(|form| (form, file.display().to_string()));
        let json = |yes: bool| yes.then_some(Machine::Json);
        let answered = |format: AnswerFormatName, file: &Path| named(json(format == AnswerFormatName::Json), file);
        match command {
            Command::Check(args) => {
                let form = match args.format {
                    FormatName::Json => Some(Machine::Json),
                    FormatName::Sarif => Some(Machine::Sarif),
                    FormatName::Junit => Some(Machine::Junit),
                    _ => None,
                };
                named(form, &args.input.file)
            }
            Command::Batch(args) => answered(args.told.format, &args.tasks),
            Command::Facts(args) => named(json(args.format == FlowFormatName::Json), &args.input.file),
            Command::Influence(args) => answered(args.told.format, &args.input.file),
            Command::Post(args) => named(json(args.set.format == SetFormatName::Json), &args.input.file),
            Command::Pre(args) => named(json(args.set.format == SetFormatName::Json), &args.input.file),
            Command::Run(args) => answered(args.format, args.input.files.first()?),
            Command::Convert(args) => answered(args.format, &args.input.file),
            Command::Abstract(args) => answered(args.format, args.input.files.first()?),
            Command::Buchi(args) => {
                json(args.format == BuchiFormatName::Json).map(|machine| (machine, "formula".to_owned()))
            }
            Command::Replay(args) => answered(args.told.format, &args.input.file),
            Command::Certify(args) => answered(args.told.format, &args.input.file),
            Command::Null(args) => {
                let form = match args.format {
                    NullFormatName::Text => None,
                    NullFormatName::Json => Some(Machine::Json),
                    NullFormatName::Sarif => Some(Machine::Sarif),
                    NullFormatName::Junit => Some(Machine::Junit),
                };
                named(form, args.input.files.first()?)
            }
            Command::Stack(args) => {
                let form = match args.format {
                    StackFormatName::Json => Some(Machine::Json),
                    StackFormatName::Sarif => Some(Machine::Sarif),
                    _ => None,
                };
                named(form, &args.input.file)
            }
            Command::Diff(args) => {
                let form = match args.format {
                    DiffFormatName::Text => None,
                    DiffFormatName::Json => Some(Machine::Json),
                    DiffFormatName::Sarif => Some(Machine::Sarif),
                    DiffFormatName::Junit => Some(Machine::Junit),
                };
                named(form, args.files().first()?)
            }
            _ => None,
        }
    }

    /// The form that a command line asks for which could not be understood.
    pub fn typed() -> Option<Machine> {
        let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
        let follows = words.windows(2).filter(|pair| pair[0] == "--format").map(|pair| pair[1].as_str());
        let joined = words.iter().filter_map(|word| word.strip_prefix("--format="));
        follows.chain(joined).last().and_then(|name| match name {
            "json" => Some(Machine::Json),
            "sarif" => Some(Machine::Sarif),
            "junit" => Some(Machine::Junit),
            _ => None,
        })
    }

    /// Writes what was told in the place of an answer.
    pub fn refused(self, input: &str) {
        let told = told();
        let header = header(input, None, &told);
        // The exit code says the same.
        let _ = answer(|out| match self {
            Machine::Json => json::refused(out, header),
            Machine::Sarif => sarif::refused(out, header),
            Machine::Junit => junit::refused(out, header),
        });
    }
}
