//! The engine for large relations: all of them share their nodes, and operations share their results.
//!
//! Made for what this search asks most: products whose columns are quantified and renamed in one pass. Operations stop at each limit in
//! their midst; garbage is collected between them alone.

mod cache;
mod few;
mod machine;
mod store;

use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::budget::Budget;
use super::nodes::{Node, Nodes};
use super::operation::Binary;
use super::universe::{Columns, Moves, Renaming, Vars};
use crate::limits::Stop;
use few::Few;
use machine::{End, Frame, Machine, PRODUCTS, Product};
use store::{Held, Store, TERMINAL};

/// A node: its place among all.
type Id = u32;

const BOTTOM: Id = 0;
const TOP: Id = 1;

/// Results of decisions are remembered under the node that decides, with this bit.
const ITE: u32 = 1 << 31;

/// Memory if nobody set a limit.
const DEFAULT_MEMORY: u64 = 4 << 30;

/// How far it is looked which of two relations is the smaller one: to know costs as much as an image does.
const LOOK: usize = 1 << 10;

/// Ticks for an operation beside its steps, each of which is one.
const PER_OPERATION: u64 = 16;

/// How many ticks of the other engine one of these is worth: looks beside a search come after as many seconds of either engine.
pub(super) const PRICE: u64 = 8;

/// A relation of this engine: a node that is held.
#[derive(Clone, Debug)]
pub(super) struct Handle(Rc<Held>);

impl PartialEq for Handle {
    fn eq(&self, other: &Handle) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for Handle {}

impl Hash for Handle {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.id.hash(state);
    }
}

impl Handle {
    /// The value of a relation that is full or empty.
    pub(super) fn constant(&self) -> Option<bool> {
        (self.0.id <= TOP).then_some(self.0.id == TOP)
    }
}

pub(super) struct Engine {
    store: Rc<RefCell<Store>>,
    /// Room for open steps.
    frames: RefCell<Vec<Frame>>,
    constants: [Handle; 2],
    products: RefCell<FxHashMap<(Vars, Renaming), Rc<Product>>>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.store.borrow().fmt(f)
    }
}

impl Engine {
    /// An engine with as many nodes as the memory takes.
    pub(super) fn new(memory: Option<u64>) -> Engine {
        let store = Rc::new(RefCell::new(Store::new(memory.unwrap_or(DEFAULT_MEMORY))));
        let constants = [BOTTOM, TOP].map(|id| Handle(Store::hold(&store, id)));
        Engine { store, frames: RefCell::default(), constants, products: RefCell::default() }
    }

    /// Whether a relation is of this engine.
    pub(super) fn has(&self, a: &Handle) -> bool {
        Rc::ptr_eq(&self.store, &a.0.store)
    }

    pub(super) fn constant(&self, value: bool) -> &Handle {
        &self.constants[usize::from(value)]
    }

    /// The conjunction of literals, given from the root downwards, each level once.
    pub(super) fn cube(&self, budget: &Budget, literals: &[(u32, bool)]) -> Result<Handle, Stop> {
        self.run(budget, |machine| {
            literals.iter().rev().try_fold(TOP, |below, &(level, value)| {
                let [low, high] = if value { [BOTTOM, below] } else { [below, BOTTOM] };
                Ok(machine.store.made(level, low, high)?)
            })
        })
    }

    /// The conjunction of x ↔ y for pairs of levels x < y, given from the root downwards, not interleaved.
    pub(super) fn identity(&self, budget: &Budget, pairs: &[(u32, u32)]) -> Result<Handle, Stop> {
        self.run(budget, |machine| {
            pairs.iter().rev().try_fold(TOP, |below, &(x, y)| {
                let store = &mut machine.store;
                let [low, high] = [store.made(y, below, BOTTOM)?, store.made(y, BOTTOM, below)?];
                Ok(store.made(x, low, high)?)
            })
        })
    }

    pub(super) fn not(&self, budget: &Budget, a: &Handle) -> Result<Handle, Stop> {
        self.run(budget, |machine| machine.not(a.0.id))
    }

    pub(super) fn binary(&self, budget: &Budget, operation: Binary, a: &Handle, b: &Handle) -> Result<Handle, Stop> {
        self.run(budget, |machine| machine.binary(operation, a.0.id, b.0.id))
    }

    pub(super) fn ite(&self, budget: &Budget, c: &Handle, a: &Handle, b: &Handle) -> Result<Handle, Stop> {
        self.run(budget, |machine| machine.ite(c.0.id, a.0.id, b.0.id))
    }

    /// (∃ gone. a ∧ b)\[renaming\]
    pub(super) fn product(
        &self,
        budget: &Budget,
        (a, b): (&Handle, &Handle),
        (gone, renaming): (Vars, Renaming),
        known: impl FnOnce() -> (Rc<Columns>, Rc<Moves>),
    ) -> Result<Handle, Stop> {
        let mut products = self.products.borrow_mut();
        let number = PRODUCTS + products.len() as u32;
        let product = products.entry((gone, renaming)).or_insert_with(|| {
            let (columns, moves) = known();
            Rc::new(Product::new(number, &columns, &moves))
        });
        self.run(budget, |machine| machine.product(product, a.0.id, b.0.id))
    }

    /// Does a imply b?
    pub(super) fn subset(&self, budget: &Budget, a: &Handle, b: &Handle) -> Result<bool, Stop> {
        Ok(self.run(budget, |machine| machine.implies(a.0.id, b.0.id))?.0.id == TOP)
    }

    /// Nodes in the store, garbage included.
    pub(super) fn stored(&self) -> u64 {
        self.store.borrow().used() as u64
    }

    /// Runs an operation; collects garbage if there is much, or if that is what it takes.
    fn run(&self, budget: &Budget, operation: impl Fn(&mut Machine<'_>) -> Result<Id, End>) -> Result<Handle, Stop> {
        budget.charge(PER_OPERATION)?;
        let outcome = {
            let (store, frames) = (&mut *self.store.borrow_mut(), &mut *self.frames.borrow_mut());
            budget.meter.see(store.used() as u64);
            if store.wants_collection() {
                budget.check()?;
                store.collect();
            }
            let mut attempt = |store: &mut Store| {
                let mut machine = Machine::new(store, frames, budget);
                let outcome = operation(&mut machine);
                let taken = machine.taken();
                budget.charge(taken)?;
                outcome
            };
            match attempt(store) {
                Err(End::Full) => {
                    budget.meter.see(store.used() as u64);
                    store.collect();
                    attempt(store)
                }
                outcome => outcome,
            }
        };
        match outcome {
            Ok(id @ (BOTTOM | TOP)) => Ok(self.constants[id as usize].clone()),
            Ok(id) => Ok(Handle(Store::hold(&self.store, id))),
            Err(End::Full) => Err(Stop::Memory),
            Err(End::Stopped(stop)) => Err(stop),
        }
    }
}

/// Visits every inner node once, children before parents.
fn visit(a: &Handle, mut see: impl FnMut(Id, Node)) {
    let store = a.0.store.borrow();
    let mut seen = FxHashSet::default();
    let mut stack = vec![(a.0.id, false)];
    while let Some((id, expanded)) = stack.pop() {
        let node = store.node(id);
        if node.level == TERMINAL {
            continue;
        }
        if expanded {
            see(id, node);
        } else if seen.insert(id) {
            stack.extend([(id, true), (node.low, false), (node.high, false)]);
        }
    }
}

/// Inner nodes.
pub(super) fn size(a: &Handle) -> usize {
    let mut size = 0;
    visit(a, |_, _| size += 1);
    size
}

/// Has a at most as many inner nodes as b? Counts both at once until the smaller one is through. If both are large it says
/// yes without having counted all.
pub(super) fn not_larger(a: &Handle, b: &Handle) -> bool {
    let store = a.0.store.borrow();
    let mut seen = store.seen.borrow_mut();
    seen.iter_mut().for_each(Few::clear);
    let mut counts: Vec<(&mut Few, Vec<Id>)> = seen.iter_mut().zip([a, b].map(|root| vec![root.0.id])).collect();
    for _ in 0..LOOK {
        let mut through = counts.iter_mut().map(|(seen, stack)| {
            while let Some(id) = stack.pop() {
                let node = store.node(id);
                if node.level != TERMINAL && seen.insert(id) {
                    stack.extend([node.low, node.high]);
                    return false;
                }
            }
            true
        });
        // In step, so the one that is through first has fewer nodes.
        if let Some(first) = through.position(|through| through) {
            return first == 0;
        }
    }
    true
}

/// The levels that a relation depends on, sorted.
pub(super) fn support(a: &Handle) -> Vec<u32> {
    let mut levels = FxHashSet::default();
    visit(a, |_, node| {
        levels.insert(node.level);
    });
    let mut levels: Vec<u32> = levels.into_iter().collect();
    levels.sort_unstable();
    levels
}

/// The nodes of a BDD, children before parents, the root last.
pub(super) fn nodes(a: &Handle) -> Nodes {
    let mut names: FxHashMap<Id, u32> = [(BOTTOM, 0), (TOP, 1)].into_iter().collect();
    let mut inner = Vec::new();
    visit(a, |id, Node { level, low, high }| {
        inner.push(Node { level, low: names[&low], high: names[&high] });
        names.insert(id, inner.len() as u32 + 1);
    });
    if a.0.id == BOTTOM { Nodes::bottom() } else { Nodes::new(inner) }
}

/// The values on the way from the root to ⊤, low edges before high ones. None for ⊥.
pub(super) fn least_path(a: &Handle) -> Option<Vec<(u32, bool)>> {
    some_path(a, || false)
}

/// The values on a way from the root to ⊤, with the given choices where both edges lead there. None for ⊥.
pub(super) fn some_path(a: &Handle, mut choice: impl FnMut() -> bool) -> Option<Vec<(u32, bool)>> {
    let store = a.0.store.borrow();
    let (mut id, mut path) = (a.0.id, Vec::new());
    while id > TOP {
        let Node { level, low, high } = store.node(id);
        let value = low == BOTTOM || high != BOTTOM && choice();
        path.push((level, value));
        id = if value { high } else { low };
    }
    (id == TOP).then_some(path)
}
