//! What must be so whatever the text: shared by the stable tests and the fuzz target.

use puch::moped_pds::{Options, predicate, read, write};

use super::complaints::{in_order, refused};

/// Reads any bytes as a text and as a proposition: they are taken or refused in good order; what is taken is a valid model
/// and can be written and read again.
pub fn read_anything(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match read(&text, "any", &Options::default()) {
        Ok(system) => {
            in_order(&text, &system.warnings);
            assert!(system.warnings.iter().all(|warning| !warning.is_error()));
            let wrong = spds_format::validate(&system.spds);
            assert!(wrong.is_empty(), "{wrong:?}\n{text}");
            if let Err(complaints) = predicate(&text, &system.spds, &system.defines, None) {
                in_order(&text, &complaints);
            }
            if let Ok((written, _)) = write(&system.spds) {
                let again = read(&written, "any", &Options::default());
                assert!(again.is_ok(), "{again:#?}\n{written}\n{text}");
            }
        }
        Err(complaints) => refused(&text, &complaints),
    }
}
