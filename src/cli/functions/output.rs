//! What is known of functions, as it is written: each at once for people and as JSON, all of it at the end in the forms of other tools.

use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::anyhow;
use puch::limits::Stop;
use puch::report::functions::Told;
use puch::report::json::{Granted, begin, value};
use puch::report::{functions_junit, functions_sarif};
use serde::Serialize;

use crate::cli::choices::{AnswerFormatName, FormatName};
use crate::cli::notices::{self, Machine};
use crate::cli::{Failure, answer};

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text,
    /// For scripts.
    Json,
    /// For code scanning.
    Sarif,
    /// For continuous integration.
    Junit,
}

impl Form {
    /// What was typed.
    ///
    /// # Errors
    /// If functions are not told so.
    pub fn of(format: FormatName) -> anyhow::Result<Form> {
        match format {
            FormatName::Text => Ok(Form::Text),
            FormatName::Json => Ok(Form::Json),
            FormatName::Sarif => Ok(Form::Sarif),
            FormatName::Junit => Ok(Form::Junit),
            _ => Err(anyhow!("functions by themselves are told with `--format text`, `json`, `sarif` or `junit`")),
        }
    }

    /// Says that a limit was met before there was an answer.
    ///
    /// # Errors
    /// If writing fails.
    pub fn stopped(self, input: &str, granted: Granted, stop: Stop) -> Result<ExitCode, Failure> {
        match self {
            Form::Text => notices::stopped(AnswerFormatName::Text, input, granted, stop),
            Form::Json => notices::stopped(AnswerFormatName::Json, input, granted, stop),
            Form::Sarif => notices::stopped_unanswered(Machine::Sarif, input, granted, stop),
            Form::Junit => notices::stopped_unanswered(Machine::Junit, input, granted, stop),
        }
    }
}

/// Answers on their way out.
pub struct Output {
    form: Form,
    /// Whether runs are shown.
    is_shown: bool,
    /// The name of the input.
    input: String,
    /// Whether one was written.
    is_begun: bool,
    /// What is written at the end.
    kept: Vec<Told>,
}

impl Output {
    /// Nothing yet.
    pub fn new(form: Form, is_shown: bool, input: String) -> Output {
        Output { form, is_shown, input, is_begun: false, kept: Vec::new() }
    }

    /// What is told, without runs if none are wanted.
    pub fn shown(&self, told: Told) -> Told {
        let told = Told { proved_by: Vec::new(), ..told };
        if self.is_shown { told } else { told.without_runs() }
    }

    /// Writes what comes before the first; in JSON also what the old version is called.
    ///
    /// # Errors
    /// If writing fails.
    pub fn begin(&self, old: Option<&str>) -> anyhow::Result<()> {
        if self.form != Form::Json {
            return Ok(());
        }
        let told = notices::told();
        answer(|out| {
            begin(out, notices::header(&self.input, None, &told))?;
            if let Some(old) = old {
                write!(out, ",\n \"old\": ")?;
                value(out, old)?;
            }
            write!(out, ",\n \"results\": [")
        })
    }

    /// One more: as it is told to other tools, as JSON, and as text.
    ///
    /// # Errors
    /// If writing fails.
    pub fn add(
        &mut self,
        told: &Told,
        json: &impl Serialize,
        text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        match self.form {
            Form::Text => answer(text)?,
            Form::Json => {
                let gap = if self.is_begun { "," } else { "" };
                answer(|out| {
                    writeln!(out, "{gap}")?;
                    serde_json::to_writer_pretty(out, json).map_err(io::Error::from)
                })?;
            }
            Form::Sarif | Form::Junit => self.kept.push(told.clone()),
        }
        self.is_begun = true;
        Ok(())
    }

    /// The end: as text, and as members of the JSON object.
    ///
    /// # Errors
    /// If writing fails.
    pub fn end(
        self,
        text: impl FnOnce(&mut dyn Write) -> io::Result<()>,
        members: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let told = notices::told();
        let header = notices::header(&self.input, None, &told);
        answer(|out| match self.form {
            Form::Text => text(out),
            Form::Json => {
                write!(out, "]")?;
                members(out)?;
                writeln!(out, "}}")
            }
            Form::Sarif => functions_sarif::write(out, header, &self.kept),
            Form::Junit => functions_junit::write(out, header, &self.kept),
        })
    }
}
