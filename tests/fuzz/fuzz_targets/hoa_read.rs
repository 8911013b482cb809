//! Any bytes: the reader of automata in the Hanoi format takes or refuses them in good order.

#![no_main]

#[path = "../../readers/temporal.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|data: &[u8]| checks::read_hoa(data));
