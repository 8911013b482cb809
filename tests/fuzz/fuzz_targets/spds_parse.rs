//! Any bytes: the parser of `.spds` texts takes or refuses them in good order.

#![no_main]

#[path = "../../../spds-format/tests/support/checks.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::parse_anything(data));
