//! Control locations with a topmost symbol, numbered as they are met, and the rules that leave them.

use rustc_hash::FxHashMap;
use spds_format::Spds;
use spds_format::model::{ControlId, Head, Rule, Stack, SymbolId};

use crate::packed::Rows;

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
    pub fn new(controls: usize, symbols: usize, first: u32) -> Heads {
        let symbols = symbols as u64;
        let all = symbols.saturating_mul(controls as u64);
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

/// A step that a rule allows, taken together with one of the automaton if there is one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub to: ControlId,
    pub stack: Stack,
    /// The rule, or [`STUCK`].
    pub rule: u32,
    /// Whether the automaton meets its mark.
    pub marked: bool,
}

/// In the place of a rule: a configuration without any is repeated.
pub(super) const STUCK: u32 = u32::MAX;

/// What an automaton does as it reads the letters of configurations, for products with it. Its moves are a row of states that
/// come next, each with whether the mark is met, for each class of heads and each state.
#[derive(Clone, Debug)]
pub struct Letters {
    /// How many states it has.
    pub states: u32,
    /// The one in which runs begin.
    pub initial: u32,
    /// For each symbol its first class, and whether there is a class for each control location from that one on.
    pub classes: Vec<(u32, bool)>,
    /// By class, and then by state.
    pub moves: Rows<(u32, bool)>,
    /// The same where a run is blocked, if its last configuration is repeated then.
    pub stuck: Option<Rows<(u32, bool)>>,
    /// Whether the mark is to be met again and again.
    pub marked: bool,
}

impl Letters {
    fn row(&self, head: Head, state: u32) -> usize {
        let (class, by_control) = self.classes[head.symbol.0 as usize];
        let class = class + if by_control { head.control.0 } else { 0 };
        (class * self.states + state) as usize
    }
}

/// The rules, by control location and topmost symbol. In a product with an automaton of n states control location p in state q
/// is number p·n + q.
pub(super) struct Rules<'l> {
    by_control: Rows<(SymbolId, Plain)>,
    letters: Option<&'l Letters>,
    /// How the automaton stays where it is, by state; the only thing that happens if there is none.
    stay: Vec<(u32, bool)>,
}

/// A rule by itself.
#[derive(Clone, Copy)]
struct Plain {
    to: ControlId,
    stack: Stack,
    rule: u32,
    silent: bool,
}

impl<'l> Rules<'l> {
    pub fn new(spds: &Spds) -> Rules<'static> {
        Rules::with(spds, None)
    }

    /// Of the product with an automaton.
    pub fn with(spds: &Spds, letters: Option<&'l Letters>) -> Rules<'l> {
        let mut order: Vec<u32> = (0..spds.rules.len() as u32).collect();
        let rule = |number: &u32| &spds.rules[*number as usize];
        order.sort_unstable_by_key(|number| (rule(number).from.control, rule(number).from.symbol, *number));
        let by_control = Rows::collect(spds.controls.len(), |pair| {
            for number in &order {
                let Rule { from, to, stack, silent, .. } = *rule(number);
                pair(from.control.0, (from.symbol, Plain { to, stack, rule: *number, silent }));
            }
        });
        let stay = (0..letters.map_or(1, |letters| letters.states)).map(|state| (state, false)).collect();
        Rules { by_control, letters, stay }
    }

    /// The states of the automaton, or one.
    pub fn states(&self) -> u32 {
        self.stay.len() as u32
    }

    /// The number of control locations.
    pub fn controls(&self) -> usize {
        self.by_control.count() * self.stay.len()
    }

    /// Whether marks count.
    pub fn marked(&self) -> bool {
        self.letters.is_some_and(|letters| letters.marked)
    }

    /// The control locations of the product that have that of the system.
    pub fn product(&self, control: ControlId) -> std::ops::Range<u32> {
        control.0 * self.states()..(control.0 + 1) * self.states()
    }

    /// The head without the state of the automaton, and that.
    pub fn apart(&self, head: Head) -> (Head, u32) {
        let states = self.states();
        (Head { control: ControlId(head.control.0 / states), ..head }, head.control.0 % states)
    }

    /// The steps from a head.
    pub fn of(&self, head: Head) -> impl Iterator<Item = Move> + '_ {
        let (head, state) = self.apart(head);
        let rules = self.rules(head);
        let stuck =
            self.letters.and_then(|letters| letters.stuck.as_ref().map(|stuck| &stuck[letters.row(head, state)]));
        let stuck = stuck.filter(|_| rules.is_empty()).unwrap_or(&[]);
        let again = Plain { to: head.control, stack: Stack::Swap(head.symbol), rule: STUCK, silent: false };
        let own = rules.iter().map(move |(_, rule)| (*rule, self.read(head, state, rule.silent)));
        own.chain([(again, stuck)]).flat_map(move |(Plain { to, stack, rule, .. }, moves)| {
            let states = self.states();
            moves.iter().map(move |&(next, marked)| Move { to: ControlId(to.0 * states + next), stack, rule, marked })
        })
    }

    fn read(&self, head: Head, state: u32, silent: bool) -> &[(u32, bool)] {
        match self.letters {
            Some(letters) if !silent => &letters.moves[letters.row(head, state)],
            _ => &self.stay[state as usize..=state as usize],
        }
    }

    fn rules(&self, head: Head) -> &[(SymbolId, Plain)] {
        let own = &self.by_control[head.control.0 as usize];
        let from = own.partition_point(|(symbol, _)| *symbol < head.symbol);
        let to = from + own[from..].partition_point(|(symbol, _)| *symbol == head.symbol);
        &own[from..to]
    }
}
