//! Any bytes: the reader of Moped's `.pds` texts takes or refuses them in good order.

#![no_main]

#[path = "../../moped_pds/checks.rs"]
mod checks;
#[path = "../../support/complaints.rs"]
mod complaints;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::read_anything(data));
