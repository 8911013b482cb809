//! What the checker says of certificates, as text and as JSON.

use std::io::{self, Write};

use serde_json::json;

use super::json::{Header, begin, value};
use crate::certificate::{Claim, Kind};
use crate::certify::{Found, claimed};
use crate::limits::Stop;

/// What becomes of certificates, in words that are a promise to scripts.
pub const PROVED: &str = "proved";
/// Something is wrong with it.
pub const NOT_PROVED: &str = "not proved";
/// A limit was met.
pub const UNKNOWN: &str = "unknown";

/// A certificate, and what became of it.
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// The kind of its property, and the property.
    pub kind: &'static str,
    /// The property, as it was asked about.
    pub property: &'a str,
    /// What is claimed of it, in a word.
    pub verdict: &'static str,
    /// The same in a sentence.
    pub claimed: String,
    /// [`PROVED`], [`NOT_PROVED`] or [`UNKNOWN`].
    pub word: &'static str,
    /// Why, if there is something to say.
    pub reason: Option<String>,
    /// What it is relative to, if that is worth saying: what overflows are, and what else is taken on trust.
    pub relative: Option<(&'static str, Vec<String>)>,
}

/// What became of a certificate of a system.
pub fn line<'a>(claim: &'a Claim, found: &Result<Found, Stop>) -> Line<'a> {
    let (word, reason) = match found {
        Ok(Found::Proves) => (PROVED, None),
        Ok(Found::Lacks(gap)) => (NOT_PROVED, Some(gap.to_string())),
        Ok(Found::Foreign(why)) => (NOT_PROVED, Some(why.clone())),
        Err(stop) => (UNKNOWN, Some(stop.to_string())),
    };
    let kind = claim.kind.name();
    let (property, verdict) = match &claim.kind {
        Kind::Reach(place) | Kind::Between { to: place, .. } => (&**place, "unreachable"),
        Kind::Formula { formula, .. } => (&**formula, "holds"),
        Kind::Automaton { name, .. } => (&**name, "holds"),
        Kind::Assertions | Kind::Termination => (kind, "holds"),
    };
    Line { kind, property, verdict, claimed: claimed(claim), word, reason, relative: None }
}

/// Writes what is known of each claim.
///
/// # Errors
/// If writing fails.
pub fn text(out: &mut dyn Write, lines: &[Line<'_>]) -> io::Result<()> {
    for Line { claimed, word, reason, relative, .. } in lines {
        writeln!(out, "{word}: {claimed}")?;
        if let Some(why) = reason {
            writeln!(out, "  {}", why.replace('\n', "\n  "))?;
        }
        if let Some((overflow, trusted)) = relative {
            writeln!(out, "  signed overflow: {overflow}; taken on trust: {}", trusted.join(", "))?;
        }
    }
    Ok(())
}

/// Writes one JSON object.
///
/// # Errors
/// If writing fails.
pub fn json(out: &mut dyn Write, header: Header<'_>, lines: &[Line<'_>]) -> io::Result<()> {
    begin(out, header)?;
    write!(out, ",\n \"results\": [")?;
    for (index, Line { kind, property, verdict, word, reason, relative, .. }) in lines.iter().enumerate() {
        write!(out, "{}", if index == 0 { "" } else { ",\n             " })?;
        let mut all =
            json!({"kind": kind, "property": property, "verdict": verdict, "certificate": word, "reason": reason});
        if let Some((overflow, trusted)) = relative {
            all["overflow"] = json!(overflow);
            all["trusted"] = json!(trusted);
        }
        value(out, &all)?;
    }
    write!(out, "]")?;
    if let Some(seconds) = header.seconds {
        write!(out, ",\n \"seconds\": {seconds}")?;
    }
    writeln!(out, "}}")
}
