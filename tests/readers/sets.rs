//! Sets of configurations, as patterns and as JSON, and names of places: what must be so whatever the text.

use puch::exchange;
use puch::places::{Naming, resolve};
use spds_format::automaton::Role;
use spds_format::{Automaton, Spds, parse_configurations};

use super::temporal::refused;

/// The system that the sets are about.
pub const SYSTEM: &str = "spds 1 global x: u3, a: bool[0..1], g: bool; frame f { l: bool, n: u2 } frame h { }
    control p, q; symbol s in f labels L; symbol t in f; symbol u in h; symbol @end; start <p, s @end>;
    rule <p, s> -> <q, t>; rule <q, t> -> <p, u s>; rule <p, u> -> <p>; rule <p, @end> -> <p, @end>;";

fn system() -> Spds {
    spds_format::parse(SYSTEM).expect("it is well-formed")
}

/// Reads any bytes as a pattern of configurations, and as the name of a place.
pub fn read_pattern(data: &[u8]) {
    let (text, spds) = (&*String::from_utf8_lossy(data), system());
    match parse_configurations(&spds, text) {
        Ok(set) => written(&spds, &set, text),
        Err(complaints) => refused(text, &complaints),
    }
    for naming in [Naming::Program, Naming::System] {
        if let Err(error) = resolve(&spds, text, naming) {
            assert!(!error.to_string().is_empty());
        }
    }
}

/// Reads any bytes as an automaton in JSON, given or computed.
pub fn read_json(data: &[u8]) {
    let (text, spds) = (&*String::from_utf8_lossy(data), system());
    for role in [Role::Input, Role::Result] {
        match exchange::read(&spds, text, role) {
            Ok(set) => {
                assert_eq!(set.check(&spds, role), [], "{text}");
                if role == Role::Input {
                    written(&spds, &set, text);
                }
            }
            Err(complaints) => refused(text, &complaints),
        }
    }
}

/// A set that is taken is valid, and is read again from its own writing.
fn written(spds: &Spds, set: &Automaton, text: &str) {
    assert_eq!(set.check(spds, Role::Input), [], "{text}");
    let json = exchange::write(spds, set, 0);
    assert_eq!(exchange::read(spds, &json, Role::Input).as_ref(), Ok(set), "{text}\n{json}");
}
