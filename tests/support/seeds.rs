//! Which seeds a test of random cases draws from.

use std::ops::Range;

/// The seeds of a test: those given, or, for a longer look, those that `PUCH_SEEDS=1000..9000` says.
pub fn seeds(usual: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("PUCH_SEEDS") else { return usual };
    let parsed = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    parsed.expect("PUCH_SEEDS is a range of numbers such as 1000..9000")
}
