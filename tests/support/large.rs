//! Depth and length cost memory only.

#![allow(dead_code, reason = "each test binary uses its own part")]

use spds_format::Spds;
use spds_format::model::Rule;

pub const DEEP: usize = 100_000;

/// Runs it with little stack: deep recursion anywhere, also in `Drop`, would overflow it.
pub fn with_little_stack(body: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(body).expect("a thread").join().expect("no overflow");
}

/// Linear in size, measured by sizes and not by clocks: so many copies of a piece of program add the same number of symbols,
/// rules and operations wherever they stand.
pub fn grows_evenly(system: impl Fn(usize) -> Spds) {
    let size = |copies: usize| {
        let spds = system(copies);
        [spds.symbols.len(), spds.rules.len(), spds.rules.iter().map(operations).sum::<usize>()]
    };
    let (one, two, four) = (size(100), size(200), size(400));
    for i in 0..3 {
        assert_eq!(2 * (two[i] - one[i]), four[i] - two[i]);
    }
}

fn operations(rule: &Rule) -> usize {
    let values = rule.updates.iter().map(|update| &update.value);
    values.chain(&rule.guard).map(|expr| expr.ops().len()).sum()
}
