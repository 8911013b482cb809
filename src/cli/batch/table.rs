//! Answers as the rows of a table.

use std::fmt::Write as _;

use puch::report::diagnostic::Style;
use puch::source::clip;

use super::Asked;
use super::journal::Line;

/// The widest column of names.
const WIDEST: usize = 60;

/// The column of verdicts.
const VERDICT: usize = "unreachable".len();

/// How rows are written.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    width: usize,
    style: Style,
}

impl Table {
    /// For tasks of these names.
    pub fn new<'a>(names: impl Iterator<Item = &'a str>, style: Style) -> Table {
        Table { width: names.map(|name| name.chars().count()).max().unwrap_or(0).min(WIDEST), style }
    }

    /// The rows of an answer, one for each property.
    pub fn rows(self, task: &Asked, line: &Line) -> String {
        let mut out = String::new();
        let seconds = line.seconds.map(|seconds| format!("  {seconds:.2} s")).unwrap_or_default();
        let results = line.report.as_ref().map_or(&[][..], |report| &report.results);
        for (index, answer) in results.iter().enumerate() {
            let mut what = match &answer.name {
                Some(name) => format!("{name} ({})", answer.property),
                None => answer.property.clone(),
            };
            if let Some(reason) = &answer.reason {
                let _ = write!(what, ": {reason}");
            }
            if let Some(expected) = task.expected.get(index).filter(|expected| **expected != answer.verdict) {
                let _ = write!(what, " (expected: {expected})");
            }
            let seconds = if index == 0 { &seconds } else { "" };
            self.row(&mut out, &task.name, &answer.verdict, &what, seconds);
        }
        if results.is_empty() {
            let verdict = if line.exit == super::UNKNOWN { "unknown" } else { "error" };
            self.row(&mut out, &task.name, verdict, &complaint(line), &seconds);
        }
        out
    }

    /// A row about a task for which there is no answer.
    pub fn without_answer(self, task: &Asked, why: &str) -> String {
        let mut out = String::new();
        self.row(&mut out, &task.name, "unknown", why, "");
        out
    }

    fn row(self, out: &mut String, name: &str, verdict: &str, what: &str, seconds: &str) {
        let colour = match verdict {
            "holds" | "unreachable" => 32,
            "violated" | "reachable" | "error" => 31,
            _ => 33,
        };
        let padded = format!("{verdict:VERDICT$}");
        let verdict = match self.style {
            Style::Coloured => format!("\x1b[1;{colour}m{padded}\x1b[0m"),
            Style::Plain => padded,
        };
        let what = clip(what, 200);
        let _ = writeln!(out, "{:width$}  {verdict}  {what}{seconds}", clip(name, usize::MAX), width = self.width);
    }
}

/// The first thing that is wrong.
fn complaint(line: &Line) -> String {
    let told = line.report.as_ref().and_then(|report| {
        report.diagnostics.iter().find(|diagnostic| diagnostic.severity == "error").or(report.diagnostics.first())
    });
    match (told, &line.error) {
        (Some(told), _) => match told.line {
            Some(number) => format!("line {number}: {}", told.text),
            None => told.text.clone(),
        },
        (None, Some(error)) => error.trim_start_matches("error: ").replace('\n', " "),
        (None, None) => "there is no answer".to_owned(),
    }
}
