//! Which BDD variable stands for which bit in which copy.
//!
//! Every bit of the program has three copies, x0 < x1 < x2, on adjacent levels; a bit whose saved value some call rule
//! changes has a fourth, x3. A level is a variable of the engine, counted from the root. Sets of columns and renamings
//! are interned, so that they can be part of a memo key.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;

/// A bit of a program variable: its index in the universe. This is not its place in the BDD order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bit(pub u32);

/// A copy of a bit: the tuple component that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum At {
    /// x0: the value now, before a rule.
    Now,
    /// x1: the value next, after a rule; also scratch.
    Next,
    /// x2: the value at the entry of the procedure, the tag of an edge's target state.
    Entry,
    /// x3: the value that a call leaves in the saved frame. Only for the bits in [`Universe::saved`].
    Saved,
}

/// A bit in one of its copies: what a relation ranges over.
pub type Column = (Bit, At);

/// All bits, and their order in the BDDs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Universe {
    /// How many bits there are.
    pub bits: u32,
    /// Every bit once, from the root downwards.
    pub order: Vec<Bit>,
    /// The bits that have the fourth copy.
    pub saved: BTreeSet<Bit>,
}

/// A set of columns, interned in a space: equal sets have equal names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Vars(pub(super) u32);

/// A renaming of columns, interned in a space. Columns that it does not name stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Renaming(pub(super) u32);

impl Vars {
    /// The empty set, in every space.
    pub const NONE: Vars = Vars(0);
}

impl Renaming {
    /// The renaming that leaves everything where it is, in every space.
    pub const IDENTITY: Renaming = Renaming(0);
}

/// What is known of an interned set of columns.
#[derive(Debug)]
pub(super) struct Columns {
    /// The columns, sorted.
    pub(super) columns: Vec<Column>,
    /// Their levels, sorted.
    pub(super) levels: Vec<u32>,
    /// One bit for each level.
    members: Vec<u64>,
}

impl Columns {
    /// Is this level in the set?
    #[inline]
    pub(super) fn contains(&self, level: u32) -> bool {
        self.members[(level >> 6) as usize] >> (level & 63) & 1 == 1
    }
}

/// What is known of an interned renaming.
#[derive(Debug)]
pub(super) struct Moves {
    /// The name of the renaming.
    pub(super) name: Renaming,
    /// The new level of each level; one more entry, for the terminals, which stay.
    pub(super) target: Vec<u32>,
}

impl Moves {
    /// Does the renaming keep the order of these levels, which are sorted? Only then is it one linear pass.
    pub(super) fn keeps_order(&self, mut support: impl Iterator<Item = u32>) -> bool {
        let Some(mut last) = support.next().map(|level| self.target[level as usize]) else { return true };
        support.all(|level| {
            let next = self.target[level as usize];
            std::mem::replace(&mut last, next) < next
        })
    }
}

/// The levels of a universe, and the names given to sets of columns and to renamings.
#[derive(Debug)]
pub(super) struct Layout {
    /// The first level of each bit, by bit.
    first: Vec<u32>,
    /// The column of each level.
    columns: Vec<Column>,
    sets: RefCell<Interner<Column, Columns>>,
    renamings: RefCell<Interner<(u32, u32), Moves>>,
}

#[derive(Debug)]
struct Interner<Item, Known> {
    names: FxHashMap<Vec<Item>, u32>,
    known: Vec<Rc<Known>>,
}

impl Layout {
    /// Numbers the levels. The order must name every bit exactly once.
    pub(super) fn new(universe: &Universe) -> Layout {
        let bits = universe.bits as usize;
        assert_eq!(universe.order.len(), bits, "the order of a universe names every bit once");
        let mut first = vec![u32::MAX; bits];
        let mut columns = Vec::with_capacity(3 * bits + universe.saved.len());
        for &bit in &universe.order {
            let slot = first.get_mut(bit.0 as usize).expect("the order of a universe names only its bits");
            assert_eq!(*slot, u32::MAX, "the order of a universe names every bit once");
            *slot = columns.len() as u32;
            columns.extend([(bit, At::Now), (bit, At::Next), (bit, At::Entry)]);
            if universe.saved.contains(&bit) {
                columns.push((bit, At::Saved));
            }
        }
        let layout = Layout {
            first,
            columns,
            sets: RefCell::new(Interner { names: FxHashMap::default(), known: Vec::new() }),
            renamings: RefCell::new(Interner { names: FxHashMap::default(), known: Vec::new() }),
        };
        let (none, identity) = (layout.vars([]), layout.renaming([]));
        debug_assert!(none == Vars::NONE && identity == Renaming::IDENTITY);
        layout
    }

    /// How many levels there are.
    pub(super) fn levels(&self) -> u32 {
        self.columns.len() as u32
    }

    /// The level of a column.
    #[inline]
    pub(super) fn level(&self, (bit, at): Column) -> u32 {
        let level = self.first[bit.0 as usize] + at as u32;
        assert!(
            at != At::Saved || self.columns.get(level as usize) == Some(&(bit, at)),
            "only the saved bits of a universe have the fourth copy"
        );
        level
    }

    /// The column of a level.
    pub(super) fn column(&self, level: u32) -> Column {
        self.columns[level as usize]
    }

    /// Names a set of columns.
    pub(super) fn vars(&self, columns: impl IntoIterator<Item = Column>) -> Vars {
        let mut columns: Vec<Column> = columns.into_iter().collect();
        columns.sort_unstable();
        columns.dedup();
        let mut sets = self.sets.borrow_mut();
        if let Some(&name) = sets.names.get(&columns) {
            return Vars(name);
        }
        let name = sets.known.len() as u32;
        let mut levels: Vec<u32> = columns.iter().map(|&column| self.level(column)).collect();
        levels.sort_unstable();
        let mut members = vec![0; self.columns.len() / 64 + 1];
        for level in &levels {
            members[(level >> 6) as usize] |= 1 << (level & 63);
        }
        sets.known.push(Rc::new(Columns { columns: columns.clone(), levels, members }));
        sets.names.insert(columns, name);
        Vars(name)
    }

    /// Names a renaming. A column that is named twice must be sent to the same copy both times.
    pub(super) fn renaming(&self, pairs: impl IntoIterator<Item = (Bit, At, At)>) -> Renaming {
        let mut moves = BTreeMap::new();
        for (bit, from, to) in pairs {
            let (from, to) = (self.level((bit, from)), self.level((bit, to)));
            let before = moves.insert(from, to);
            assert!(before.is_none_or(|before| before == to), "a renaming sends a column to one copy");
        }
        let moves: Vec<(u32, u32)> = moves.into_iter().filter(|(from, to)| from != to).collect();
        let mut renamings = self.renamings.borrow_mut();
        if let Some(&name) = renamings.names.get(&moves) {
            return Renaming(name);
        }
        let name = renamings.known.len() as u32;
        let mut target: Vec<u32> = (0..=self.levels()).collect();
        for &(from, to) in &moves {
            target[from as usize] = to;
        }
        renamings.known.push(Rc::new(Moves { name: Renaming(name), target }));
        renamings.names.insert(moves, name);
        Renaming(name)
    }

    /// What is known of a set of columns.
    pub(super) fn columns_of(&self, vars: Vars) -> Rc<Columns> {
        Rc::clone(&self.sets.borrow().known[vars.0 as usize])
    }

    /// What is known of a renaming.
    pub(super) fn moves_of(&self, renaming: Renaming) -> Rc<Moves> {
        Rc::clone(&self.renamings.borrow().known[renaming.0 as usize])
    }
}
