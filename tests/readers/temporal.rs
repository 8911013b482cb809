//! Formulas, automata in the Hanoi format and never claims: what must be so whatever the text.

use puch::limits::Limits;
use puch::ltl::hoa::{self, Placement, ReadError, Stuttering};
use puch::ltl::{Dialect, MopedDiffers, Reading, Tgba, never, parenthesised, parse};
use spds_format::Diagnostic;

const DIALECTS: [Dialect; 6] =
    [Dialect::Auto, Dialect::Spot, Dialect::Spin, Dialect::SpinF, Dialect::Moped, Dialect::NuSmv];

/// Reads any bytes as a formula in every dialect: taken or refused in good order; what is taken is read again from its
/// own writing.
pub fn read_formula(data: &[u8]) {
    let text = &*String::from_utf8_lossy(data);
    for dialect in DIALECTS {
        for moped in [MopedDiffers::Warn, MopedDiffers::Refuse] {
            match parse(text, &Reading { dialect, moped, known: &|word| word == "Fail" }) {
                Ok((ltl, warnings)) => {
                    in_text(text, &warnings);
                    assert!(warnings.iter().all(|warning| !warning.is_error()));
                    let written = parenthesised(&ltl);
                    let reading = Reading { dialect: Dialect::Spot, moped, known: &|word| word == "Fail" };
                    let again = parse(&written, &reading).map(|(ltl, _)| parenthesised(&ltl));
                    assert_eq!(again.as_ref(), Ok(&written), "{text}");
                }
                Err(complaints) => refused(text, &complaints),
            }
        }
    }
}

/// The same as an automaton in the Hanoi format.
pub fn read_hoa(data: &[u8]) {
    let text = &*String::from_utf8_lossy(data);
    automaton(text, hoa::read(text, &limits()));
}

/// The same as a never claim.
pub fn read_never(data: &[u8]) {
    let text = &*String::from_utf8_lossy(data);
    automaton(text, never::read(text, &limits()));
}

fn limits() -> Limits {
    Limits { memory: Some(512 << 20), ..Limits::default() }
}

fn automaton(text: &str, read: Result<Tgba, ReadError>) {
    match read {
        Ok(tgba) => {
            let write = |tgba: &Tgba| hoa::write(tgba, "any", Placement::Edges, Stuttering::Unknown);
            // Under limits it may be too long to be written.
            let Ok(written) = write(&tgba) else { return };
            let again = hoa::read(&written, &limits()).map(|again| write(&again));
            assert_eq!(again, Ok(Ok(written)), "{text}");
        }
        Err(ReadError::Diagnosed(complaints)) => refused(text, &complaints),
        Err(ReadError::Stopped(_)) => {}
    }
}

/// Refused for a reason, which points into the text.
pub(super) fn refused(text: &str, complaints: &[Diagnostic]) {
    assert!(complaints.iter().any(Diagnostic::is_error), "refused without a reason");
    in_text(text, complaints);
}

/// Complaints point at pieces of the text.
fn in_text(text: &str, complaints: &[Diagnostic]) {
    for complaint in complaints {
        for span in complaint.span.iter().chain(complaint.related.iter().map(|(span, _)| span)) {
            assert!(text.get(span.clone()).is_some(), "{span:?} of {complaint:?} is no piece of the text");
        }
    }
}
