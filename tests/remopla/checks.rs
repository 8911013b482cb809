//! What must be so whatever the text: shared by the stable tests and the fuzz target.

use puch::remopla::{Arithmetic, Dialect, Options, predicate, read};

use super::complaints::{in_order, refused};

/// Reads any bytes as a program, with all options, and as a proposition: they are taken or refused in good order.
pub fn read_anything(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for (dialect, arithmetic) in [
        (Dialect::Auto, Arithmetic::Block),
        (Dialect::Moped, Arithmetic::Check),
        (Dialect::Qleak, Arithmetic::Wrap),
        (Dialect::Auto, Arithmetic::Check),
    ] {
        match read(&text, "any", &Options { dialect, arithmetic, ..Options::default() }) {
            Ok(program) => {
                in_order(&text, &program.warnings);
                assert!(program.warnings.iter().all(|warning| !warning.is_error()));
                assert_eq!(spds_format::validate(&program.spds), []);
                assert_eq!(spds_format::parse(&program.spds.to_string()).as_ref(), Ok(&program.spds));
                if let Err(complaints) = predicate(&text, &program.names, None) {
                    in_order(&text, &complaints);
                }
            }
            Err(complaints) => refused(&text, &complaints),
        }
    }
}
