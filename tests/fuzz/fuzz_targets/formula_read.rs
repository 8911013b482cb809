//! Any bytes: the reader of formulas takes or refuses them in good order.

#![no_main]

#[path = "../../readers/temporal.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::read_formula(data));
