//! Answers in the forms that readers, scripts and other tools are given: each form is written once, whatever the answers are about.

use std::io::{self, Write};

use super::answered::Answered;
use super::json::{Header, begin, members};
use super::text::Layout;
#[cfg(feature = "cli")]
use super::{junit, sarif};
#[cfg(feature = "c")]
use crate::nullness::PointerUse;

/// An answer with what shows it.
pub trait Reported {
    /// What is said of it in the words of all forms.
    fn answered(&self) -> Answered<'_>;

    /// Writes it for readers, with its run below.
    ///
    /// # Errors
    /// If writing fails.
    fn text(&self, out: &mut dyn Write, layout: Layout) -> io::Result<()>;

    /// Whether a blank line stands between its text and the next one.
    fn is_long(&self) -> bool;

    /// Writes the members of its JSON object behind those that all answers have.
    ///
    /// # Errors
    /// If writing fails.
    fn members(&self, out: &mut dyn Write, seconds: Option<f64>) -> io::Result<()>;

    /// Whether its text is that of a failure: it has a run, or says why there is none.
    fn has_run(&self) -> bool;

    /// The run as a list of events; or why it is not shown.
    #[cfg(feature = "cli")]
    fn flow(&self) -> Option<Result<sarif::Flow<'_>, String>>;

    /// Where NULL is asked about: what is known of each use of a pointer.
    #[cfg(feature = "c")]
    fn uses(&self) -> &[PointerUse] {
        &[]
    }
}

/// A form.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// For readers.
    Text(Layout),
    /// One JSON object, one step of a run to a line.
    Json,
    /// A log for code scanning.
    #[cfg(feature = "cli")]
    Sarif,
    /// A suite of test cases.
    #[cfg(feature = "cli")]
    Junit,
}

/// Answers of one kind among those of all kinds.
pub(super) fn listed<R: Reported>(answers: &[R]) -> Vec<&dyn Reported> {
    answers.iter().map(|answer| answer as &dyn Reported).collect()
}

/// Writes answers in a form.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, form: Form, header: Header<'_>, answers: &[&dyn Reported]) -> io::Result<()> {
    match form {
        Form::Text(layout) => text(out, answers, layout),
        Form::Json => json(out, header, answers),
        #[cfg(feature = "cli")]
        Form::Sarif => {
            let all = answers.iter().map(|one| {
                let mut answer = one.answered();
                let flow = one.flow().transpose().map_err(|why| answer.remarks.push(format!("no trace: {why}")));
                (answer, flow.ok().flatten())
            });
            sarif::logged(out, header, all, sarif_uses(header, answers))
        }
        #[cfg(feature = "cli")]
        Form::Junit => {
            let run = |one: &&dyn Reported| -> io::Result<Option<String>> {
                let mut text = Vec::new();
                if one.has_run() {
                    one.text(&mut text, Layout::default())?;
                }
                Ok(one.has_run().then(|| String::from_utf8_lossy(&text).into_owned()))
            };
            let all = answers.iter().map(|one| Ok((one.answered(), run(one)?)));
            junit::suited(out, header, &all.collect::<io::Result<Vec<_>>>()?, junit_uses(header, answers)?)
        }
    }
}

#[cfg(feature = "cli")]
fn sarif_uses(header: Header<'_>, answers: &[&dyn Reported]) -> Vec<serde_sarif::sarif::Result> {
    let rule = sarif::number(super::present::PropertyKind::Null);
    answers.iter().flat_map(|one| super::null::entries(header, rule, one.uses())).collect()
}

#[cfg(feature = "cli")]
fn junit_uses(header: Header<'_>, answers: &[&dyn Reported]) -> io::Result<Vec<quick_junit::TestCase>> {
    let all = answers.iter().map(|one| super::null::cases(header, one.uses()));
    Ok(all.collect::<io::Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Writes answers for readers.
fn text(out: &mut dyn Write, answers: &[&dyn Reported], layout: Layout) -> io::Result<()> {
    for (index, answer) in answers.iter().enumerate() {
        if index > 0 && answers[index - 1].is_long() {
            writeln!(out)?;
        }
        answer.text(out, layout)?;
    }
    Ok(())
}

/// Writes answers as one JSON object. Memory does not grow with the length of the traces.
fn json(out: &mut dyn Write, header: Header<'_>, answers: &[&dyn Reported]) -> io::Result<()> {
    begin(out, header)?;
    write!(out, ",\n \"results\": [")?;
    for (index, answer) in answers.iter().enumerate() {
        write!(out, "{}", if index == 0 { "" } else { ",\n             " })?;
        members(out, &answer.answered())?;
        answer.members(out, header.seconds)?;
        write!(out, "}}")?;
    }
    writeln!(out, "]}}")
}
