//! What the checker says of certificates, as text and as JSON.

use std::io::{self, Write};

use serde_json::json;

use super::json::{Header, begin, value};
use crate::certificate::{Claim, Kind};
use crate::certify::{Found, claimed};
use crate::limits::Stop;

/// A certificate, and what became of it.
#[derive(Debug)]
pub struct Checked<'a> {
    /// What it claims.
    pub claim: &'a Claim,
    /// What was found.
    pub found: Result<Found, Stop>,
}

impl Checked<'_> {
    /// One word or two, a promise to scripts; and why it is so, if there is something to say.
    fn words(&self) -> (&'static str, Option<String>) {
        match &self.found {
            Ok(Found::Proves) => ("proved", None),
            Ok(Found::Lacks(gap)) => ("not proved", Some(gap.to_string())),
            Ok(Found::Foreign(why)) => ("not proved", Some(why.clone())),
            Err(stop) => ("unknown", Some(stop.to_string())),
        }
    }
}

/// Writes what is known of each claim.
///
/// # Errors
/// If writing fails.
pub fn text(out: &mut dyn Write, checked: &[Checked<'_>]) -> io::Result<()> {
    for one in checked {
        let (word, why) = one.words();
        let claimed = claimed(one.claim);
        match why {
            None => writeln!(out, "{word}: {claimed}")?,
            Some(why) => writeln!(out, "{word}: {claimed}\n  {}", why.replace('\n', "\n  "))?,
        }
    }
    Ok(())
}

/// Writes one JSON object.
///
/// # Errors
/// If writing fails.
pub fn json(out: &mut dyn Write, header: Header<'_>, checked: &[Checked<'_>]) -> io::Result<()> {
    begin(out, header)?;
    write!(out, ",\n \"results\": [")?;
    for (index, one) in checked.iter().enumerate() {
        let (word, reason) = one.words();
        write!(out, "{}", if index == 0 { "" } else { ",\n             " })?;
        let (property, verdict) = match &one.claim.kind {
            Kind::Reach(place) | Kind::Between { to: place, .. } => (&**place, "unreachable"),
            Kind::Formula { formula, .. } => (&**formula, "holds"),
            Kind::Automaton { name, .. } => (&**name, "holds"),
            Kind::Assertions | Kind::Termination => (one.claim.kind.name(), "holds"),
        };
        let kind = one.claim.kind.name();
        value(
            out,
            &json!({"kind": kind, "property": property, "verdict": verdict, "certificate": word, "reason": reason}),
        )?;
    }
    write!(out, "]")?;
    if let Some(seconds) = header.seconds {
        write!(out, ",\n \"seconds\": {seconds}")?;
    }
    writeln!(out, "}}")
}
