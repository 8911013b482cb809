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
use cache::Cache;
use few::Few;
use machine::{End, Frame, Machine, PRODUCTS, Product};
use store::{Full, Held, Store, TERMINAL};

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

/// Comparisons of sizes are remembered under this number, which no operation has.
const NOT_LARGER: u32 = 8;

/// Facts are known of so many relations at most.
const FACTS: usize = 1 << 12;

/// So many results are held a while longer than they are asked for.
const RECENT: usize = 1 << 8;

/// Ticks for an operation beside its steps, each of which is one.
const PER_OPERATION: u64 = 16;

/// How many ticks of the other engine one of these is worth: looks beside a search come after as many seconds of either engine.
pub(super) const PRICE: u64 = 8;

/// A relation of this engine: a node that is held.
#[derive(Clone, Debug)]
pub(super) struct Handle {
    id: Id,
    held: Rc<Held>,
}

impl PartialEq for Handle {
    fn eq(&self, other: &Handle) -> bool {
        self.id == other.id
    }
}

impl Eq for Handle {}

impl Hash for Handle {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl Handle {
    /// The value of a relation that is full or empty.
    pub(super) fn constant(&self) -> Option<bool> {
        (self.id <= TOP).then_some(self.id == TOP)
    }
}

pub(super) struct Engine {
    store: Rc<RefCell<Store>>,
    /// Room for open steps.
    frames: RefCell<Vec<Frame>>,
    constants: [Handle; 2],
    /// What was held last, by the last bits of its node: most results are one of these again.
    recent: RefCell<Box<[Option<Handle>]>>,
    products: RefCell<Products>,
}

/// The products that were asked for, by what is quantified; few are renamed in more than one way.
#[derive(Default)]
struct Products {
    by_vars: Vec<Vec<(Renaming, Product)>>,
    count: u32,
}

impl Products {
    fn get(&mut self, gone: Vars, renaming: Renaming, known: impl FnOnce() -> (Rc<Columns>, Rc<Moves>)) -> &Product {
        let index = gone.0 as usize;
        if index >= self.by_vars.len() {
            self.by_vars.resize_with(index + 1, Vec::new);
        }
        let these = &mut self.by_vars[index];
        let place = these.iter().position(|(other, _)| *other == renaming).unwrap_or_else(|| {
            let (columns, moves) = known();
            these.push((renaming, Product::new(PRODUCTS + self.count, &columns, &moves)));
            self.count += 1;
            these.len() - 1
        });
        &these[place].1
    }
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
        let constants = [BOTTOM, TOP].map(|id| Handle { id, held: Store::hold(&store, id) });
        let recent = RefCell::new(vec![None; RECENT].into());
        Engine { store, frames: RefCell::default(), constants, recent, products: RefCell::default() }
    }

    /// Holds what an operation came to.
    fn held(&self, id: Id) -> Handle {
        if id <= TOP {
            return self.constants[id as usize].clone();
        }
        let recent = &mut self.recent.borrow_mut()[id as usize % RECENT];
        match recent {
            Some(handle) if handle.id == id => handle.clone(),
            _ => recent.insert(Handle { id, held: Store::hold(&self.store, id) }).clone(),
        }
    }

    /// Whether a relation is of this engine.
    pub(super) fn has(&self, a: &Handle) -> bool {
        Rc::ptr_eq(&self.store, &a.held.store)
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

    /// The relation over these levels, given from the root downwards, that holds where the table says.
    pub(super) fn tabled(&self, budget: &Budget, levels: &[u32], table: u64) -> Result<Handle, Stop> {
        // As much as operations on its columns would take.
        budget.charge(PER_OPERATION * levels.len() as u64)?;
        self.run(budget, |machine| Ok(tabled(machine.store, levels, table)?))
    }

    pub(super) fn not(&self, budget: &Budget, a: &Handle) -> Result<Handle, Stop> {
        self.run(budget, |machine| machine.not(a.id))
    }

    pub(super) fn binary(&self, budget: &Budget, operation: Binary, a: &Handle, b: &Handle) -> Result<Handle, Stop> {
        let known = machine::remembered(&self.store.borrow().cache, operation, a.id, b.id);
        match known {
            Ok(id) => budget.idle().map(|()| self.held(id)),
            Err(question) => self.run(budget, |machine| machine.binary(operation, question)),
        }
    }

    pub(super) fn ite(&self, budget: &Budget, c: &Handle, a: &Handle, b: &Handle) -> Result<Handle, Stop> {
        self.run(budget, |machine| machine.ite(c.id, a.id, b.id))
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
        let product = products.get(gone, renaming, known);
        let known = machine::remembered_product(&self.store.borrow().cache, product, a.id, b.id);
        match known {
            Ok(id) => budget.idle().map(|()| self.held(id)),
            Err(question) => self.run(budget, |machine| machine.product(product, question)),
        }
    }

    /// Does a imply b?
    pub(super) fn subset(&self, budget: &Budget, a: &Handle, b: &Handle) -> Result<bool, Stop> {
        Ok(self.run(budget, |machine| machine.implies(a.id, b.id))?.id == TOP)
    }

    /// Nodes in the store, garbage included.
    pub(super) fn stored(&self) -> u64 {
        self.store.borrow().used() as u64
    }

    /// Runs an operation; collects garbage if there is much, or if that is what it takes.
    fn run(&self, budget: &Budget, operation: impl Fn(&mut Machine<'_>) -> Result<Id, End>) -> Result<Handle, Stop> {
        let outcome = {
            let (store, frames) = (&mut *self.store.borrow_mut(), &mut *self.frames.borrow_mut());
            budget.meter.see(store.used() as u64);
            if store.wants_collection() {
                budget.check()?;
                self.recent.borrow_mut().fill(None);
                store.collect();
            }
            budget.begin(0);
            let mut attempt = |store: &mut Store| {
                let mut machine = Machine::new(store, frames, budget);
                let outcome = operation(&mut machine);
                match machine.taken() {
                    0 => budget.idle()?,
                    taken => budget.charge(PER_OPERATION + taken)?,
                }
                outcome
            };
            let outcome = match attempt(store) {
                Err(End::Full) => {
                    budget.meter.see(store.used() as u64);
                    self.recent.borrow_mut().fill(None);
                    store.collect();
                    attempt(store)
                }
                outcome => outcome,
            };
            budget.end();
            outcome
        };
        match outcome {
            Ok(id) => Ok(self.held(id)),
            Err(End::Full) => Err(Stop::Memory),
            Err(End::Stopped(stop)) => Err(stop),
        }
    }
}

/// The node that says what a table does.
fn tabled(store: &mut Store, levels: &[u32], table: u64) -> Result<Id, Full> {
    let Some((level, below)) = levels.split_first() else { return Ok(if table & 1 == 1 { TOP } else { BOTTOM }) };
    let half = 1u32 << below.len();
    let mask = (1u64 << half) - 1;
    let (lower, upper) = (table & mask, table >> half & mask);
    let low = tabled(store, below, lower)?;
    let high = if upper == lower { low } else { tabled(store, below, upper)? };
    store.made(*level, low, high)
}

/// Visits every inner node once, children before parents.
fn visit(a: &Handle, mut see: impl FnMut(Id, Node)) {
    let store = a.held.store.borrow();
    let mut seen = FxHashSet::default();
    let mut stack = vec![(a.id, false)];
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

/// What is asked of whole relations again and again.
pub(super) struct Facts {
    /// Inner nodes.
    size: usize,
    /// Their levels, sorted.
    levels: Box<[u32]>,
}

/// What is known of a relation, which is looked at once as long as not too many others are.
fn facts(a: &Handle) -> Rc<Facts> {
    if let Some(known) = a.held.store.borrow().facts.borrow().get(&a.id) {
        return Rc::clone(known);
    }
    let (mut size, mut levels) = (0, FxHashSet::default());
    visit(a, |_, node| {
        size += 1;
        levels.insert(node.level);
    });
    let mut levels: Box<[u32]> = levels.into_iter().collect();
    levels.sort_unstable();
    let facts = Rc::new(Facts { size, levels });
    let store = a.held.store.borrow();
    let mut known = store.facts.borrow_mut();
    if known.len() >= FACTS {
        known.clear();
    }
    known.insert(a.id, Rc::clone(&facts));
    facts
}

/// Inner nodes.
pub(super) fn size(a: &Handle) -> usize {
    facts(a).size
}

/// Has a at most as many inner nodes as b? Counts both at once until the smaller one is through. If both are large it says
/// yes without having counted all.
pub(super) fn not_larger(a: &Handle, b: &Handle) -> bool {
    let store = &mut *a.held.store.borrow_mut();
    let hash = Cache::hash(NOT_LARGER, a.id, b.id);
    if let Some(known) = store.cache.get(hash, NOT_LARGER, a.id, b.id) {
        return known == TOP;
    }
    let answer = is_through_first(store, a.id, b.id);
    store.cache.put(hash, [NOT_LARGER, a.id, b.id, if answer { TOP } else { BOTTOM }]);
    answer
}

/// Whether the first of two relations is counted as soon as the other one, or neither is soon.
fn is_through_first(store: &Store, a: Id, b: Id) -> bool {
    let mut seen = store.seen.borrow_mut();
    seen.iter_mut().for_each(Few::clear);
    let mut counts: Vec<(&mut Few, Vec<Id>)> = seen.iter_mut().zip([a, b].map(|root| vec![root])).collect();
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
    facts(a).levels.to_vec()
}

/// The nodes of a BDD, children before parents, the root last.
pub(super) fn nodes(a: &Handle) -> Nodes {
    let mut names: FxHashMap<Id, u32> = [(BOTTOM, 0), (TOP, 1)].into_iter().collect();
    let mut inner = Vec::new();
    visit(a, |id, Node { level, low, high }| {
        inner.push(Node { level, low: names[&low], high: names[&high] });
        names.insert(id, inner.len() as u32 + 1);
    });
    if a.id == BOTTOM { Nodes::bottom() } else { Nodes::new(inner) }
}

/// The values on the way from the root to ⊤, low edges before high ones. None for ⊥.
pub(super) fn least_path(a: &Handle) -> Option<Vec<(u32, bool)>> {
    some_path(a, || false)
}

/// The values on a way from the root to ⊤, with the given choices where both edges lead there. None for ⊥.
pub(super) fn some_path(a: &Handle, mut choice: impl FnMut() -> bool) -> Option<Vec<(u32, bool)>> {
    let store = a.held.store.borrow();
    let (mut id, mut path) = (a.id, Vec::new());
    while id > TOP {
        let Node { level, low, high } = store.node(id);
        let value = low == BOTTOM || high != BOTTOM && choice();
        path.push((level, value));
        id = if value { high } else { low };
    }
    (id == TOP).then_some(path)
}

/// The root, by its number.
pub(super) fn root(a: &Handle) -> u32 {
    a.id
}

/// An inner node.
pub(super) fn inner(a: &Handle, node: u32) -> Node {
    a.held.store.borrow().node(node)
}
