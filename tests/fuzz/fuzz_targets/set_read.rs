//! Any bytes: the readers of sets of configurations, as patterns and as JSON, take or refuse them in good order.

#![no_main]

#[path = "../../readers/sets.rs"]
mod sets;
#[path = "../../readers/temporal.rs"]
mod temporal;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    sets::read_pattern(data);
    sets::read_json(data);
});
