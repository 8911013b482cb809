//! Certificates of what laws meet: what holds is certified and the checker proves it, and what is violated is never certified.

use std::cell::Cell;
use std::time::{Duration, Instant};

use puch::certificate::{Certificate, read, write};
use puch::certify::{Formula, Found, certify, certify_by_clauses};
use puch::check::Property;
use puch::evidence::{NotMade, certificate, claim, concerned};
use puch::limits::Limits;
use puch::options::{Options, Runs};
use spds_format::Spds;

/// What became of the certificates that were asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Told {
    /// Made, written, read again, and proved.
    pub proved: u64,
    /// Of these, proved by clauses as well.
    pub by_clauses: u64,
    /// Of what is violated: refused.
    pub refused: u64,
    /// Of what holds, where certificates cannot say which runs are blocked.
    pub open: u64,
    /// Too large, or not done in time.
    pub stopped: u64,
}

thread_local! {
    static TOLD: Cell<Told> = const { Cell::new(Told { proved: 0, by_clauses: 0, refused: 0, open: 0, stopped: 0 }) };
}

/// What has been counted until now.
pub fn told() -> Told {
    TOLD.get()
}

fn count(change: impl FnOnce(&mut Told)) {
    let mut told = TOLD.get();
    change(&mut told);
    TOLD.set(told);
}

/// Products with formulas may be large: a case has so much time for each of its questions.
const TIME: Duration = Duration::from_millis(500);

fn limits(options: &Options) -> Limits {
    Limits { deadline: Some(Instant::now() + TIME), ..options.limits }
}

/// What is wrong with the certificate of a property, of which it is known whether it is violated; a failed assertion or a place that
/// is reached is a violation, too.
pub fn differs(spds: &Spds, property: &Property, violated: bool, options: &Options) -> Option<String> {
    let claim = claim(spds, property, "the place", options.runs)?;
    let Some(system) = concerned(spds, property, options.runs) else {
        count(|told| told.stopped += 1);
        return None;
    };
    let made = match certificate(&system, claim, &Options { limits: limits(options), ..options.clone() }) {
        Err(NotMade::Stopped(_)) => {
            count(|told| told.stopped += 1);
            return None;
        }
        Err(NotMade::Reached) if violated => {
            count(|told| told.refused += 1);
            return None;
        }
        // Where it is not clear whether a run is blocked it is taken to be.
        Err(NotMade::Reached) if options.runs == Runs::Stutter && matches!(property, Property::Ltl(_)) => {
            count(|told| told.open += 1);
            return None;
        }
        Err(NotMade::Reached) => return Some("it holds, and there is no certificate".into()),
        Ok(made) => made,
    };
    let mut text = Vec::new();
    if let Err(error) = write(&mut text, &system, &made) {
        return Some(format!("the certificate cannot be written: {error}"));
    }
    let text = String::from_utf8_lossy(&text);
    match read(&system, &text) {
        Ok(again) if again == [made.clone()] => {}
        other => return Some(format!("the certificate is read again as {other:?}\n{text}")),
    }
    proved(&system, &made, violated, options).map(|what| format!("{what}\n{text}"))
}

/// What is wrong with what the checker finds of a certificate: by relations, and of one in four by clauses, too.
fn proved(system: &Spds, made: &Certificate, violated: bool, options: &Options) -> Option<String> {
    let both = (made.nodes.len() + made.reached.len()).is_multiple_of(4);
    let by_clauses = || certify_by_clauses(system, made, &limits(options), &mut Formula::default());
    let found = [Some(certify(system, made, &limits(options))), both.then(by_clauses)];
    for (way, found) in ["relations", "clauses"].iter().zip(found) {
        match found {
            None => {}
            Some(Err(_)) => count(|told| told.stopped += 1),
            Some(Ok(Found::Proves)) if violated => return Some(format!("it is violated, and certified by {way}")),
            Some(Ok(Found::Proves)) if *way == "clauses" => count(|told| told.by_clauses += 1),
            Some(Ok(Found::Proves)) => count(|told| told.proved += 1),
            // Violated, but a certificate was made.
            Some(Ok(found)) => return Some(format!("the checker rejects the certificate by {way}: {found:?}")),
        }
    }
    None
}
