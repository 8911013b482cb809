//! What a system can be in, by names: the same for one that was written in another notation and read again.

use std::collections::BTreeSet;

use spds_format::Spds;

use crate::oracle;

/// Control location, topmost symbol, values of globals and of the topmost frame.
pub type Seen = BTreeSet<(String, String, Vec<u64>, Vec<u64>)>;

/// All reachable states that count: those of the other notation's own helpers do not.
pub fn states(spds: &Spds, counts: impl Fn(&str, &str) -> bool) -> Seen {
    let explored = oracle::explore(spds);
    let named = explored.edges.into_iter().map(|(_, state)| {
        let control = spds.controls[state.control.0 as usize].to_string();
        (control, spds.symbol(state.symbol).name.to_string(), state.globals, state.locals)
    });
    named.filter(|(control, symbol, ..)| counts(control, symbol)).collect()
}

/// The symbol at which a written `.pds` text begins where there is a condition on the start is no one's.
pub fn counts_in_pds(_: &str, symbol: &str) -> bool {
    !symbol.starts_with("begin")
}

/// The control locations in the middle of a call that is written as two rules for PDAAAL are no one's.
pub fn counts_in_pdaaal(control: &str, _: &str) -> bool {
    !control.contains('+')
}

/// Gives every symbol a name that no notation needs to change.
pub fn plain_names(mut spds: Spds) -> Spds {
    for (number, symbol) in spds.symbols.iter_mut().enumerate() {
        symbol.name = format!("s{number}").into();
    }
    spds
}
