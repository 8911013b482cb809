//! Any bytes: the reader of recorded traces and its judge take or refuse them in good order.

#![no_main]

#[path = "../../readers/traces.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::read_anything(data));
