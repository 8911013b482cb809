//! What must be so whatever the text: shared by the stable tests and the fuzz target.

use puch::pdaaal::{Options, Starting, Which, read, read_automaton, write};
use spds_format::automaton::Role;

use super::complaints::{in_order, refused};

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
        Err(complaints) => refused(&text, &complaints),
    }
}
