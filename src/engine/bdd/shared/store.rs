//! The nodes of all relations of a space, each once; which of them are held from outside; what is collected when there are many.
//!
//! Nodes are entries of one array and are found through one hash table of chains ("unique table"; Brace, Rudell and Bryant, *Efficient
//! implementation of a BDD package*, DAC 1990). There are no complement edges, so relations have as many nodes as in other engines.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use rustc_hash::FxHashMap;

use super::cache::Cache;
use super::few::Few;
use super::{BOTTOM, Facts, ITE, Id, TOP};
use crate::bdd::nodes::Node;

/// Nodes that were collected stand at this level until they are used again.
const UNUSED: u32 = u32::MAX - 1;

/// Below all levels: where the constants stand.
pub(super) const TERMINAL: u32 = u32::MAX;

/// Bytes for each node: 16 for itself, and 4 to 8 for the heads of the chains.
const PER_NODE: u64 = 24;

/// Decisions are remembered under a node and a bit beside its number ([`ITE`]), so there are fewer nodes than that bit is worth.
const MOST: u64 = ITE as u64 - 2;

/// The most part of the memory that results of operations may take, and bytes for each of these.
const RESULTS: (u64, u64) = (4, 16);

/// Garbage is collected when the store holds this many nodes, and then each time that there are twice as many as were left.
const COLLECT: usize = 1 << 17;

/// So many relations may have been made before it is looked which of them are held.
const HELD: usize = 1 << 10;

/// There is no room for one more node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Full;

/// A relation that is held: its node, and the store of that.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) id: Id,
    pub(super) store: Rc<RefCell<Store>>,
}

/// A node in the store.
#[derive(Clone, Copy)]
struct Stored {
    level: u32,
    low: Id,
    high: Id,
    /// The next one in its chain, or among those that are unused.
    next: Id,
}

/// All nodes.
pub(super) struct Store {
    nodes: Vec<Stored>,
    /// The first node of each chain.
    chains: Vec<Id>,
    unused: Id,
    used: usize,
    capacity: usize,
    grow_at: usize,
    collect_at: usize,
    held: Vec<Weak<Held>>,
    look_at: usize,
    pub(super) cache: Cache,
    /// What has been seen of two relations.
    pub(super) seen: RefCell<[Few; 2]>,
    /// What is known of relations as wholes.
    pub(super) facts: RefCell<FxHashMap<Id, Rc<Facts>>>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Store({} of {} nodes)", self.used, self.capacity)
    }
}

impl Store {
    /// The constants alone, and room for as many nodes as so much memory takes.
    pub(super) fn new(memory: u64) -> Store {
        let (part, bytes) = RESULTS;
        let cache = Cache::new(memory / part / bytes);
        let capacity = (memory.saturating_sub(cache.most() * bytes) / PER_NODE).min(MOST) as usize;
        let constant = |value| Stored { level: TERMINAL, low: value, high: value, next: BOTTOM };
        Store {
            nodes: vec![constant(BOTTOM), constant(TOP)],
            chains: vec![BOTTOM; 1 << 8],
            unused: BOTTOM,
            used: 0,
            capacity,
            grow_at: capacity.min(1 << 8),
            collect_at: COLLECT.min(capacity / 2),
            held: Vec::new(),
            look_at: HELD,
            cache,
            seen: RefCell::default(),
            facts: RefCell::default(),
        }
    }

    /// Inner nodes, garbage included.
    #[inline(always)]
    pub(super) fn used(&self) -> usize {
        self.used
    }

    #[inline(always)]
    pub(super) fn node(&self, id: Id) -> Node {
        let Stored { level, low, high, .. } = self.nodes[id as usize];
        Node { level, low, high }
    }

    #[inline(always)]
    pub(super) fn level(&self, id: Id) -> u32 {
        self.nodes[id as usize].level
    }

    /// The node with these children, which stand below its level.
    #[inline(always)]
    pub(super) fn made(&mut self, level: u32, low: Id, high: Id) -> Result<Id, Full> {
        if low == high {
            return Ok(low);
        }
        debug_assert!(level < self.level(low) && level < self.level(high), "children stand below their parents");
        let chain = self.chain(level, low, high);
        let mut id = self.chains[chain];
        while id != BOTTOM {
            let node = &self.nodes[id as usize];
            if node.low == low && node.high == high && node.level == level {
                return Ok(id);
            }
            id = node.next;
        }
        self.added(level, low, high, chain)
    }

    fn added(&mut self, level: u32, low: Id, high: Id, mut chain: usize) -> Result<Id, Full> {
        if self.used >= self.grow_at {
            self.grow()?;
            chain = self.chain(level, low, high);
        }
        self.used += 1;
        let first = &mut self.chains[chain];
        let node = Stored { level, low, high, next: *first };
        *first = match self.unused {
            BOTTOM => {
                self.nodes.push(node);
                self.nodes.len() as Id - 1
            }
            id => {
                let place = &mut self.nodes[id as usize];
                self.unused = place.next;
                *place = node;
                id
            }
        };
        Ok(*first)
    }

    /// Makes room for more nodes, and for more results.
    #[cold]
    fn grow(&mut self) -> Result<(), Full> {
        if self.used >= self.capacity {
            return Err(Full);
        }
        if self.used >= self.chains.len() {
            self.chains = vec![BOTTOM; 2 * self.chains.len()];
            for (id, node) in (2..).zip(&mut self.nodes[2..]) {
                if node.level != UNUSED {
                    link(&mut self.chains, id, node);
                }
            }
        }
        self.cache.suit(self.used);
        self.grow_at = self.chains.len().min(self.capacity);
        Ok(())
    }

    /// Where the chain of a node begins.
    #[inline(always)]
    fn chain(&self, level: u32, low: Id, high: Id) -> usize {
        chain(self.chains.len(), level, low, high)
    }

    /// Holds a node from now on, as long as somebody has what is returned.
    pub(super) fn hold(store: &Rc<RefCell<Store>>, id: Id) -> Rc<Held> {
        let held = Rc::new(Held { id, store: Rc::clone(store) });
        let mut store = store.borrow_mut();
        if store.held.len() >= store.look_at {
            store.held.retain(|held| held.strong_count() > 0);
            store.look_at = HELD.max(2 * store.held.len());
        }
        store.held.push(Rc::downgrade(&held));
        held
    }

    /// Whether there is much that may be garbage.
    pub(super) fn wants_collection(&self) -> bool {
        self.used >= self.collect_at
    }

    /// Forgets what is not held, and results about it.
    pub(super) fn collect(&mut self) {
        self.held.retain(|held| held.strong_count() > 0);
        let mut alive = Marks::new(self.nodes.len());
        let mut open: Vec<Id> = self.held.iter().filter_map(Weak::upgrade).map(|held| held.id).collect();
        open.retain(|id| alive.mark(*id));
        while let Some(id) = open.pop() {
            let Stored { low, high, .. } = self.nodes[id as usize];
            for child in [low, high] {
                if alive.mark(child) {
                    open.push(child);
                }
            }
        }
        self.chains.fill(BOTTOM);
        (self.unused, self.used) = (BOTTOM, 0);
        // From the last to the first, so that what is made next lies together.
        for (place, node) in self.nodes[2..].iter_mut().enumerate().rev() {
            let id = place as Id + 2;
            if alive.has(id) {
                link(&mut self.chains, id, node);
                self.used += 1;
            } else {
                node.level = UNUSED;
                node.next = std::mem::replace(&mut self.unused, id);
            }
        }
        self.cache.retain(|id| alive.has(id));
        self.facts.borrow_mut().retain(|id, _| alive.has(*id));
        self.collect_at = (2 * self.used).max(COLLECT).min(self.capacity);
    }
}

/// Where the chain of a node begins, of so many (a power of two).
#[inline(always)]
fn chain(chains: usize, level: u32, low: Id, high: Id) -> usize {
    let key = (u64::from(low) << 32 | u64::from(high)) ^ u64::from(level) << 20;
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (chains - 1)
}

/// Puts a node in its chain.
#[inline(always)]
fn link(chains: &mut [Id], id: Id, node: &mut Stored) {
    let chain = chain(chains.len(), node.level, node.low, node.high);
    node.next = std::mem::replace(&mut chains[chain], id);
}

/// A bit for each node.
struct Marks(Vec<u64>);

impl Marks {
    /// The constants alone are marked.
    fn new(nodes: usize) -> Marks {
        let mut marks = vec![0; nodes / 64 + 1];
        marks[0] = 0b11;
        Marks(marks)
    }

    #[inline(always)]
    fn has(&self, id: Id) -> bool {
        self.0[id as usize >> 6] >> (id & 63) & 1 == 1
    }

    /// Whether it was not marked before.
    #[inline(always)]
    fn mark(&mut self, id: Id) -> bool {
        let (word, bit) = (&mut self.0[id as usize >> 6], 1 << (id & 63));
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}
