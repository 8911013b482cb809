//! What the judge says of recorded traces, as text and as JSON.

use std::io::{self, Write};

use serde_json::json;

use super::json::{Header, begin, value};
use crate::replay::{Objection, Replayed, Walked};

/// A recorded trace, and what became of it.
#[derive(Debug)]
pub struct Judged {
    /// The kind of the property that it is about.
    pub kind: String,
    /// The property.
    pub property: String,
    /// What it is said to show.
    pub verdict: String,
    /// What was found.
    pub found: Result<Walked, Objection>,
}

impl Judged {
    /// One word or two, a promise to scripts; and why it is so, if there is something to say.
    fn words(&self) -> (&'static str, Option<String>) {
        match &self.found {
            Ok(Walked::Real(Replayed::Full)) => ("real", None),
            Ok(Walked::Real(Replayed::ExceptLeaps)) => {
                ("except leaps", Some("some turns of loops were not walked".to_owned()))
            }
            Ok(Walked::Undecided) => ("unknown", Some("more than --replay-steps states fit the trace".to_owned())),
            Err(objection) => ("not real", Some(objection.to_string())),
        }
    }
}

/// Writes a line for each trace.
///
/// # Errors
/// If writing fails.
pub fn text(out: &mut dyn Write, judged: &[Judged]) -> io::Result<()> {
    for one in judged {
        let (word, why) = one.words();
        let why = why.unwrap_or_default();
        match word {
            "real" => writeln!(out, "{}: the trace is real", one.property)?,
            "except leaps" => writeln!(out, "{}: the trace is real, except that {why}", one.property)?,
            "unknown" => writeln!(out, "{}: unknown ({why})", one.property)?,
            _ => writeln!(out, "{}: the trace is not real ({why})", one.property)?,
        }
    }
    Ok(())
}

/// Writes one JSON object.
///
/// # Errors
/// If writing fails.
pub fn json(out: &mut dyn Write, header: Header<'_>, judged: &[Judged]) -> io::Result<()> {
    begin(out, header)?;
    write!(out, ",\n \"results\": [")?;
    for (index, one) in judged.iter().enumerate() {
        let (word, reason) = one.words();
        write!(out, "{}", if index == 0 { "" } else { ",\n             " })?;
        let (kind, property, verdict) = (&one.kind, &one.property, &one.verdict);
        value(out, &json!({"kind": kind, "property": property, "verdict": verdict, "trace": word, "reason": reason}))?;
    }
    write!(out, "]")?;
    if let Some(seconds) = header.seconds {
        write!(out, ",\n \"seconds\": {seconds}")?;
    }
    writeln!(out, "}}")
}
