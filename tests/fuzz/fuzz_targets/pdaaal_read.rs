//! Any bytes: the reader of PDAAAL's JSON takes or refuses them in good order.

#![no_main]

#[path = "../../pdaaal/checks.rs"]
mod checks;
#[path = "../../support/complaints.rs"]
mod complaints;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::read_anything(data));
