//! What must be so whatever the text: shared by the stable tests and the fuzz target.

use puch::pdaaal::{Options, Starting, Which, read, read_automaton, write};
use spds_format::Diagnostic;
use spds_format::automaton::Role;

/// Reads any bytes: they are taken or refused in good order; what is taken is a valid model, and can be written and read again
/// if it has no symbol that means another thing.
pub fn read_anything(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match read(&text, &Options { start: Starting::Immaterial }) {
        Ok(system) => {
            in_order(&text, &system.warnings);
            let wrong = spds_format::validate(&system.spds);
            assert!(wrong.is_empty(), "{wrong:?}\n{text}");
            for which in [Which::Initial, Which::Final] {
                match read_automaton(&system.spds, system.states, &text, which) {
                    Some(Ok((set, warnings))) => {
                        in_order(&text, &warnings);
                        assert_eq!(set.check(&system.spds, Role::Input), [], "{text}");
                    }
                    Some(Err(complaints)) => in_order(&text, &complaints),
                    None => {}
                }
            }
            if let Ok((written, _)) = write(&system.spds) {
                let again = read(&written, &Options::default());
                assert!(again.is_ok(), "{again:#?}\n{written}\n{text}");
            }
        }
        Err(complaints) => {
            in_order(&text, &complaints);
            assert!(complaints.iter().any(Diagnostic::is_error), "refused without a reason");
        }
    }
}

/// Complaints point at pieces of the text, in its order.
fn in_order(text: &str, complaints: &[Diagnostic]) {
    let mut last = 0;
    for complaint in complaints {
        let spans = complaint.span.iter().chain(complaint.related.iter().map(|(span, _)| span));
        for span in spans {
            assert!(text.get(span.clone()).is_some(), "{span:?} of {complaint:?} is no piece of the text");
        }
        let start = complaint.span.as_ref().map_or(usize::MAX, |span| span.start);
        assert!(start >= last, "{complaint:?} is out of order");
        last = start;
    }
}
