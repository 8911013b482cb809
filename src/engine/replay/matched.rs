//! Which calls a return may end, among the heads that a cycle comes through: as control alone tells.
//!
//! A head belongs to the calls of an entry if steps lead there from the entry, a call that returns being one step.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::model::{ControlId, Head, Rule, Stack, SymbolId};

/// Returns and the calls that they may end.
pub(super) struct Matched {
    /// By entry, the control locations in which calls of it return.
    returns: BTreeMap<Head, BTreeSet<ControlId>>,
    /// By head, the symbols that lie below it when it returns.
    sites: BTreeMap<Head, BTreeSet<SymbolId>>,
}

impl Matched {
    /// Of these rules, which start at these heads, as far as they lead from one of them to another.
    pub(super) fn new(rules: &[&Rule], heads: &BTreeSet<Head>) -> Matched {
        let mut search = Search { heads, calls: BTreeMap::new(), rules: BTreeMap::new(), found: BTreeSet::new() };
        for rule in rules {
            search.rules.entry(rule.from).or_default().push(rule);
            if let Stack::Push(symbol, site) = rule.stack {
                let entry = Head { control: rule.to, symbol };
                search.calls.entry(entry).or_default().insert(site);
            }
        }
        let returns = search.run();
        let mut sites: BTreeMap<Head, BTreeSet<SymbolId>> = BTreeMap::new();
        for (entry, head) in &search.found {
            if search.rules.get(head).into_iter().flatten().any(|rule| rule.stack == Stack::Pop) {
                sites.entry(*head).or_default().extend(&search.calls[entry]);
            }
        }
        Matched { returns, sites }
    }

    /// The control locations in which calls of an entry return.
    pub(super) fn returns(&self, entry: Head) -> impl Iterator<Item = ControlId> + '_ {
        self.returns.get(&entry).into_iter().flatten().copied()
    }

    /// The symbols that may be on top after a return from a head.
    pub(super) fn sites(&self, head: Head) -> impl Iterator<Item = SymbolId> + '_ {
        self.sites.get(&head).into_iter().flatten().copied()
    }
}

/// A [`Matched`] in the making.
struct Search<'r> {
    heads: &'r BTreeSet<Head>,
    /// By entry, the symbols that calls of it leave below.
    calls: BTreeMap<Head, BTreeSet<SymbolId>>,
    /// By head, the rules that start there.
    rules: BTreeMap<Head, Vec<&'r Rule>>,
    /// Entries with the heads that belong to calls of them.
    found: BTreeSet<(Head, Head)>,
}

impl Search<'_> {
    /// Finds what belongs to the calls of each entry, and where they return.
    fn run(&mut self) -> BTreeMap<Head, BTreeSet<ControlId>> {
        let mut returns: BTreeMap<Head, BTreeSet<ControlId>> = BTreeMap::new();
        // By entry, who goes on after its return, and where: an entry and a symbol.
        let mut waiting: BTreeMap<Head, Vec<(Head, SymbolId)>> = BTreeMap::new();
        let mut open: Vec<(Head, Head)> = self.calls.keys().map(|entry| (*entry, *entry)).collect();
        while let Some((entry, head)) = open.pop() {
            if !self.heads.contains(&head) || !self.found.insert((entry, head)) {
                continue;
            }
            for rule in self.rules.get(&head).into_iter().flatten() {
                let to = |symbol| Head { control: rule.to, symbol };
                match rule.stack {
                    Stack::Swap(symbol) => open.push((entry, to(symbol))),
                    Stack::Push(symbol, site) => {
                        waiting.entry(to(symbol)).or_default().push((entry, site));
                        let known = returns.get(&to(symbol)).into_iter().flatten();
                        open.extend(known.map(|&control| (entry, Head { control, symbol: site })));
                    }
                    Stack::Pop => {
                        if returns.entry(entry).or_default().insert(rule.to) {
                            let waiting = waiting.get(&entry).into_iter().flatten();
                            open.extend(waiting.map(|&(entry, symbol)| (entry, to(symbol))));
                        }
                    }
                }
            }
        }
        returns
    }
}
