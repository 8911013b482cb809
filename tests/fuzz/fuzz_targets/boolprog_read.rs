//! Any bytes: the reader of Boolean programs takes or refuses them in good order.

#![no_main]

#[path = "../../boolprog/checks.rs"]
mod checks;
#[path = "../../support/complaints.rs"]
mod complaints;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::read_anything(data));
