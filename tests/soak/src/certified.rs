//! Certificates of what laws meet: what holds is certified and the checker proves it, and what is violated is never certified.

use std::cell::Cell;
use std::time::{Duration, Instant};

use puch::certificate::{Certificate, read, write};
use puch::certify::{Formula, Found, certify, certify_by_clauses};
use puch::check::Property;
use puch::evidence::{NotMade, certificate, claim, concerned};
use puch::limits::Limits;
use puch::options::Options;
use puch::watched::is_blocking_clear;
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

fn limits(options: &Options, time: Duration) -> Limits {
    Limits { deadline: Some(Instant::now() + time), ..options.limits }
}

/// What becomes of a property that is to be certified.
pub enum Became {
    /// There are no certificates of its kind.
    Nothing,
    /// The checker proves it: by relations, and if that was asked, by clauses.
    Proved { by_clauses: bool },
    /// There is no certificate: it is violated, as far as whoever makes them sees.
    NotMade,
    /// A limit was met.
    Stopped,
    /// The certificate is no certificate: why, and what is wrong with it.
    Rejected(String),
}

/// Certifies a property; each step may take so much time.
pub fn became(spds: &Spds, property: &Property, options: &Options, time: Duration) -> Became {
    let Some(claim) = claim(spds, property, "the place", options.runs) else { return Became::Nothing };
    let Some(system) = concerned(spds, property, options.runs) else { return Became::Stopped };
    let made = match certificate(&system, claim, &Options { limits: limits(options, time), ..options.clone() }) {
        Err(NotMade::Stopped(_)) => return Became::Stopped,
        Err(NotMade::Reached) => return Became::NotMade,
        Ok(made) => made,
    };
    let mut text = Vec::new();
    if let Err(error) = write(&mut text, &system, &made) {
        return Became::Rejected(format!("the certificate cannot be written: {error}"));
    }
    let text = String::from_utf8_lossy(&text);
    match read(&system, &text) {
        Ok(again) if again == [made.clone()] => {}
        other => return Became::Rejected(format!("the certificate is read again as {other:?}\n{text}")),
    }
    proved(&system, &made, options, time, &text)
}

/// What the checker finds of a certificate: by relations, and of one in four by clauses, too.
fn proved(system: &Spds, made: &Certificate, options: &Options, time: Duration, text: &str) -> Became {
    let by_clauses = (made.nodes.len() + made.reached.len()).is_multiple_of(4);
    let other = || certify_by_clauses(system, made, &limits(options, time), &mut Formula::default());
    let found = [Some(certify(system, made, &limits(options, time), None)), by_clauses.then(other)];
    for (way, found) in ["relations", "clauses"].iter().zip(found) {
        match found {
            None | Some(Ok(Found::Proves)) => {}
            Some(Err(_)) => return Became::Stopped,
            Some(Ok(found)) => {
                return Became::Rejected(format!("the checker rejects the certificate by {way}: {found:?}\n{text}"));
            }
        }
    }
    Became::Proved { by_clauses }
}

/// Whether it may hold and there may be no certificate.
pub fn is_open(spds: &Spds, property: &Property, options: &Options) -> bool {
    matches!(property, Property::Ltl(_)) && !is_blocking_clear(spds, options.runs)
}

/// What is wrong with the certificate of a property, of which it is known whether it is violated; a failed assertion or a place that
/// is reached is a violation, too.
pub fn differs(spds: &Spds, property: &Property, violated: bool, options: &Options) -> Option<String> {
    match became(spds, property, options, TIME) {
        Became::Nothing => {}
        Became::Stopped => count(|told| told.stopped += 1),
        Became::NotMade if violated => count(|told| told.refused += 1),
        // Where it is not clear whether a run is blocked it is taken to be.
        Became::NotMade if is_open(spds, property, options) => {
            count(|told| told.open += 1);
        }
        Became::NotMade => return Some("it holds, and there is no certificate".into()),
        // Of what is violated, too: none should have been made.
        Became::Rejected(what) => return Some(what),
        Became::Proved { .. } if violated => return Some("it is violated, and certified".into()),
        Became::Proved { by_clauses } => count(|told| {
            told.proved += 1;
            told.by_clauses += u64::from(by_clauses);
        }),
    }
    None
}
