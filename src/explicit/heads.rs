//! Control locations with a topmost symbol, numbered as they are met, and the rules that leave them.

use rustc_hash::FxHashMap;
use spds_format::Spds;
use spds_format::model::{ControlId, Head, Rule, Stack, SymbolId};

use crate::rows::Rows;

/// Up to so many heads the table has an entry for each.
const MOST_ENTRIES: u64 = 1 << 24;

const NONE: u32 = u32::MAX;

/// Heads by number, and numbers by head. Numbers before the first one are left to others.
pub(super) struct Heads {
    symbols: u64,
    first: u32,
    list: Vec<Head>,
    number_of: Table,
}

enum Table {
    Full(Vec<u32>),
    Sparse(FxHashMap<u64, u32>),
}

impl Heads {
    pub fn new(spds: &Spds, first: u32) -> Heads {
        let symbols = spds.symbols.len() as u64;
        let all = symbols.saturating_mul(spds.controls.len() as u64);
        let number_of = match all {
            0..=MOST_ENTRIES => Table::Full(vec![NONE; all as usize]),
            _ => Table::Sparse(FxHashMap::default()),
        };
        Heads { symbols, first, list: Vec::new(), number_of }
    }

    fn key(&self, head: Head) -> u64 {
        u64::from(head.control.0) * self.symbols + u64::from(head.symbol.0)
    }

    /// Its number, if it has been met.
    pub fn get(&self, head: Head) -> Option<u32> {
        let key = self.key(head);
        match &self.number_of {
            Table::Full(table) => Some(table[key as usize]).filter(|number| *number != NONE),
            Table::Sparse(table) => table.get(&key).copied(),
        }
    }

    /// Its new number.
    pub fn add(&mut self, head: Head) -> u32 {
        let key = self.key(head);
        let number = self.first + self.list.len() as u32;
        match &mut self.number_of {
            Table::Full(table) => table[key as usize] = number,
            Table::Sparse(table) => {
                table.insert(key, number);
            }
        }
        self.list.push(head);
        number
    }

    /// The head of a number; none for those that are left to others.
    pub fn head(&self, number: u32) -> Option<Head> {
        Some(self.list[number.checked_sub(self.first)? as usize])
    }

    /// All heads with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (Head, u32)> {
        self.list.iter().copied().zip(self.first..)
    }
}

/// What a rule does, to which control location.
pub(super) type Move = (ControlId, Stack);

/// The rules, by control location and topmost symbol.
pub(super) struct Rules {
    by_control: Rows<(SymbolId, Move)>,
}

impl Rules {
    pub fn new(spds: &Spds) -> Rules {
        let mut order: Vec<u32> = (0..spds.rules.len() as u32).collect();
        let rule = |number: &u32| &spds.rules[*number as usize];
        order.sort_unstable_by_key(|number| (rule(number).from.control, rule(number).from.symbol, *number));
        let by_control = Rows::collect(spds.controls.len(), |pair| {
            for Rule { from, to, stack, .. } in order.iter().map(rule) {
                pair(from.control.0, (from.symbol, (*to, *stack)));
            }
        });
        Rules { by_control }
    }

    /// The rules that leave a head.
    pub fn of(&self, head: Head) -> impl Iterator<Item = Move> {
        let range = self.range(head);
        self.by_control.items()[range].iter().map(|(_, step)| *step)
    }

    /// Where they lie in [`Rules::step`].
    pub fn range(&self, head: Head) -> std::ops::Range<usize> {
        let control = self.by_control.range(head.control.0 as usize);
        let own = &self.by_control.items()[control.clone()];
        let from = own.partition_point(|(symbol, _)| *symbol < head.symbol);
        let to = from + own[from..].partition_point(|(symbol, _)| *symbol == head.symbol);
        control.start + from..control.start + to
    }

    pub fn step(&self, place: usize) -> Move {
        self.by_control.items()[place].1
    }
}
