//! The engine over OxiDD: all relations share their nodes, and operations share their results.
//!
//! OxiDD bounds its nodes when a manager is made, and a full manager is an error, so memory is limited inside
//! operations. Time is not: nothing in OxiDD can stop an operation. Therefore operations that might take long run on a
//! thread of their own ([`Worker`]) whenever there is a deadline; if it passes, the caller has its answer and the
//! operation is left to end by itself. That thread also has the stack that recursion over many levels needs.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use oxidd::bdd::{BDDFunction, BDDManagerRef, new_manager};
use oxidd::util::AllocResult;
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, HasLevel, InnerNode, Manager,
    ManagerRef, Node as Stored, NodeID, Subst,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::budget::Budget;
use super::nodes::{Node, Nodes};
use super::operation::Binary;
use super::universe::{Columns, Moves, Renaming, Vars};
use super::worker::Worker;
use crate::limits::Stop;

/// A relation of this engine.
pub(super) type Handle = BDDFunction;

/// The most levels with which operations run on the caller's stack, of which a thread of Rust has 2 MB.
const SHALLOW: u32 = 1000;

/// With no more nodes than this in the store, hardly any operation takes a second. Handing an operation to the worker
/// costs 5 to 10 microseconds.
const SMALL: usize = 1 << 14;

/// Bytes for each node: 16 in the store, and as many again in the hash tables of the levels while they grow.
const PER_NODE: u64 = 32;

/// Bytes for each entry of the table of results, all of them written to when it is made.
const PER_ENTRY: u64 = 20;

/// Memory if nobody set a limit.
const DEFAULT_MEMORY: u64 = 4 << 30;

/// Garbage is collected when the store holds this many nodes, and then each time that it has grown by half. With four times
/// as many and fourfold growth quicksort with its array took as long, and half as much memory again.
const COLLECT: usize = 1 << 18;

/// Results that are remembered, for each level; then rounded up. The table cannot grow, and an operation that needs half as
/// many again as it has room for does not take a little longer but for ever: squaring the loop of quicksort with integers of
/// 12, 16 and 32 bits (180, 240 and 480 levels) takes 0.1 to 0.9 s with 2^18, 2^18 and 2^19 entries, and was not done
/// after a minute with half of that. Arrays need few: sorting them with 2^13 entries took no longer than with 2^20.
const RESULTS_PER_LEVEL: u64 = 1 << 11;

/// The fewest and the most results that are remembered.
const RESULTS: [u64; 2] = [1 << 16, 1 << 21];

/// How far it is looked which of two relations is the smaller one: to know costs as much as an image does.
const LOOK: usize = 1 << 10;

/// Ticks for an operation. OxiDD does not say how much it did.
pub(super) const PER_OPERATION: u64 = 16;

pub(super) struct Engine {
    manager: BDDManagerRef,
    bottom: Handle,
    top: Handle,
    /// The positive literal of each level.
    literals: Vec<Handle>,
    sets: RefCell<FxHashMap<Vars, Handle>>,
    substitutions: RefCell<FxHashMap<Renaming, Rc<Subst<Handle>>>>,
    worker: Option<Worker>,
    shallow: bool,
    collect_at: Cell<usize>,
    capacity: usize,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OxiDD({} levels, {} nodes at most)", self.literals.len(), self.capacity)
    }
}

impl Engine {
    /// An engine for so many levels, with as many nodes as the memory takes.
    pub(super) fn new(levels: u32, memory: Option<u64>, budget: &Budget) -> Result<Engine, Stop> {
        let (capacity, entries) = sizes(memory.unwrap_or(DEFAULT_MEMORY), levels).ok_or(Stop::Memory)?;
        let manager = new_manager(capacity, entries, 1);
        let (bottom, top, literals) = manager
            .with_manager_exclusive(|manager| {
                let variables = manager.add_vars(levels);
                let literals: AllocResult<Vec<Handle>> =
                    variables.map(|variable| BDDFunction::var(manager, variable)).collect();
                literals.map(|literals| (BDDFunction::f(manager), BDDFunction::t(manager), literals))
            })
            .map_err(|_| Stop::Memory)?;
        let shallow = levels <= SHALLOW;
        let worker = (!shallow || budget.deadline().is_some()).then(|| Worker::new(levels)).flatten();
        if !shallow && worker.is_none() {
            return Err(Stop::Memory);
        }
        Ok(Engine {
            manager,
            bottom,
            top,
            literals,
            sets: RefCell::default(),
            substitutions: RefCell::default(),
            worker,
            shallow,
            collect_at: Cell::new(COLLECT.min(capacity / 2)),
            capacity,
        })
    }

    pub(super) fn constant(&self, value: bool) -> &Handle {
        if value { &self.top } else { &self.bottom }
    }

    /// The conjunction of literals, given from the root downwards, each level once.
    pub(super) fn cube(&self, budget: &Budget, literals: &[(u32, bool)]) -> Result<Handle, Stop> {
        let literals: Vec<(Handle, bool)> =
            literals.iter().map(|&(level, value)| (self.literals[level as usize].clone(), value)).collect();
        let (top, bottom) = (self.top.clone(), self.bottom.clone());
        self.run(budget, move || {
            literals.iter().rev().try_fold(top.clone(), |below, (literal, value)| {
                if *value { literal.ite(&below, &bottom) } else { literal.ite(&bottom, &below) }
            })
        })
    }

    /// The conjunction of x ↔ y for pairs of levels x < y, given from the root downwards, not interleaved.
    pub(super) fn identity(&self, budget: &Budget, pairs: &[(u32, u32)]) -> Result<Handle, Stop> {
        let pairs: Vec<[Handle; 2]> =
            pairs.iter().map(|&(x, y)| [x, y].map(|level| self.literals[level as usize].clone())).collect();
        let (top, bottom) = (self.top.clone(), self.bottom.clone());
        self.run(budget, move || {
            pairs
                .iter()
                .rev()
                .try_fold(top.clone(), |below, [x, y]| x.ite(&y.ite(&below, &bottom)?, &y.ite(&bottom, &below)?))
        })
    }

    pub(super) fn not(&self, budget: &Budget, a: &Handle) -> Result<Handle, Stop> {
        let a = a.clone();
        self.run(budget, move || a.not())
    }

    pub(super) fn binary(&self, budget: &Budget, operation: Binary, a: &Handle, b: &Handle) -> Result<Handle, Stop> {
        let (a, b) = (a.clone(), b.clone());
        self.run(budget, move || match operation {
            Binary::And => a.and(&b),
            Binary::Or => a.or(&b),
            Binary::AndNot => b.imp_strict(&a),
            Binary::Iff => a.equiv(&b),
            Binary::Xor => a.xor(&b),
        })
    }

    pub(super) fn ite(&self, budget: &Budget, c: &Handle, a: &Handle, b: &Handle) -> Result<Handle, Stop> {
        let (c, a, b) = (c.clone(), a.clone(), b.clone());
        self.run(budget, move || c.ite(&a, &b))
    }

    /// (∃ gone. a ∧ b)\[renaming\]
    pub(super) fn product(
        &self,
        budget: &Budget,
        (a, b): (&Handle, &Handle),
        (gone, renaming): (Vars, Renaming),
        known: impl FnOnce() -> (Rc<Columns>, Rc<Moves>),
    ) -> Result<Handle, Stop> {
        let (columns, moves) = known();
        let joined = if gone == Vars::NONE {
            if a == b { a.clone() } else { self.binary(budget, Binary::And, a, b)? }
        } else {
            let set = self.set(budget, gone, &columns)?;
            let (a, b) = (a.clone(), b.clone());
            self.run(budget, move || match a == b {
                true => a.exists(&set),
                false => a.apply_exists(BooleanOperator::And, &b, &set),
            })?
        };
        if renaming == Renaming::IDENTITY { Ok(joined) } else { self.rename(budget, &joined, renaming, &moves) }
    }

    /// Does a imply b?
    pub(super) fn subset(&self, budget: &Budget, a: &Handle, b: &Handle) -> Result<bool, Stop> {
        Ok(self.binary(budget, Binary::AndNot, a, b)? == self.bottom)
    }

    /// Nodes in the store, garbage included.
    pub(super) fn stored(&self) -> u64 {
        self.manager.with_manager_shared(|manager| manager.num_inner_nodes() as u64)
    }

    fn rename(&self, budget: &Budget, a: &Handle, renaming: Renaming, moves: &Moves) -> Result<Handle, Stop> {
        debug_assert!(
            moves.keeps_order(support(a).into_iter()),
            "a renaming keeps the order of the columns that a relation depends on"
        );
        let substitution = Rc::clone(self.substitutions.borrow_mut().entry(renaming).or_insert_with(|| {
            let moved = (0..self.literals.len() as u32).filter(|&level| moves.target[level as usize] != level);
            let levels: Vec<u32> = moved.collect();
            let target = |&level: &u32| self.literals[moves.target[level as usize] as usize].clone();
            let targets = levels.iter().map(target).collect();
            Rc::new(Subst::new(levels, targets))
        }));
        let (a, substitution) = (a.clone(), (*substitution).clone());
        self.run(budget, move || a.substitute(&substitution))
    }

    /// A set of columns as the conjunction of its literals, as OxiDD wants it.
    fn set(&self, budget: &Budget, vars: Vars, columns: &Columns) -> Result<Handle, Stop> {
        if let Some(set) = self.sets.borrow().get(&vars) {
            return Ok(set.clone());
        }
        let literals: Vec<(u32, bool)> = columns.levels.iter().map(|&level| (level, true)).collect();
        let set = self.cube(budget, &literals)?;
        self.sets.borrow_mut().insert(vars, set.clone());
        Ok(set)
    }

    /// Runs an operation, here or on the worker; collects garbage if there is much, or if that is what it takes.
    fn run(
        &self,
        budget: &Budget,
        operation: impl Fn() -> AllocResult<Handle> + Clone + Send + 'static,
    ) -> Result<Handle, Stop> {
        budget.charge(PER_OPERATION)?;
        let nodes = self.manager.with_manager_shared(|manager| manager.approx_num_inner_nodes());
        budget.meter.see(nodes as u64);
        budget.nodes(nodes as u64)?;
        if nodes >= self.collect_at.get() {
            self.collect(budget)?;
        }
        let worker = self.worker.as_ref().filter(|_| !self.shallow || nodes > SMALL);
        let attempt = || match worker {
            Some(worker) => worker.run(budget, operation.clone()),
            None => Ok(operation()),
        };
        // A full store may be full of garbage, that of the failed attempt included, and the library's own collector may be
        // at work just then: only a third failure in a row means that there is no room.
        for _ in 0..2 {
            match attempt()? {
                Ok(result) => return Ok(result),
                Err(_) => self.collect(budget)?,
            }
        }
        attempt()?.map_err(|_| Stop::Memory)
    }

    fn collect(&self, budget: &Budget) -> Result<(), Stop> {
        budget.check()?;
        let left = self.manager.with_manager_shared(|manager| {
            manager.gc();
            manager.num_inner_nodes()
        });
        // Beyond four fifths the library collects by itself.
        self.collect_at.set((left + left / 2).max(COLLECT).min((self.capacity / 5 * 4).max(left + left / 4)));
        Ok(())
    }
}

/// How many nodes, and how many results to remember, in so much memory. None if that is hopeless.
fn sizes(memory: u64, levels: u32) -> Option<(usize, usize)> {
    let [fewest, most] = RESULTS;
    let wanted = (u64::from(levels) * RESULTS_PER_LEVEL).clamp(fewest, most).next_power_of_two();
    let room = (memory / 8 / PER_ENTRY).max(1 << 12).next_power_of_two() / 2;
    let entries = wanted.min(room);
    let mut capacity = ((memory - memory / 16).checked_sub(entries * PER_ENTRY)? / PER_NODE).min(u32::MAX.into());
    while capacity >= 1 << 10 {
        // OxiDD ends the process if it does not get the address space for all nodes, so ask first.
        if Vec::<u8>::new().try_reserve_exact((capacity * PER_NODE) as usize).is_ok() {
            return Some((capacity as usize, entries as usize));
        }
        capacity /= 2;
    }
    None
}

/// Visits every inner node once, children before parents.
fn visit(a: &Handle, mut see: impl FnMut(NodeID, u32, [NodeID; 2])) -> NodeID {
    a.with_manager_shared(|manager, root| {
        let mut seen = FxHashSet::default();
        let mut stack = vec![(root, false)];
        while let Some((edge, expanded)) = stack.pop() {
            let Stored::Inner(node) = manager.get_node(edge) else { continue };
            let children = [node.child(1), node.child(0)];
            if expanded {
                see(edge.node_id(), node.level(), children.map(|child| child.node_id()));
            } else if seen.insert(edge.node_id()) {
                stack.push((edge, true));
                stack.extend(children.map(|child| (child, false)));
            }
        }
        root.node_id()
    })
}

/// Inner nodes.
pub(super) fn size(a: &Handle) -> usize {
    let mut size = 0;
    visit(a, |_, _, _| size += 1);
    size
}

/// Has a at most as many inner nodes as b? Counts both at once until the smaller one is through. If both are large it says
/// yes without having counted all.
pub(super) fn not_larger(a: &Handle, b: &Handle) -> bool {
    a.with_manager_shared(|manager, root| {
        let mut counts = [root, b.as_edge(manager)].map(|root| (FxHashSet::default(), vec![root]));
        for _ in 0..LOOK {
            let through = counts.each_mut().map(|(seen, stack)| {
                while let Some(edge) = stack.pop() {
                    if let Stored::Inner(node) = manager.get_node(edge)
                        && seen.insert(edge.node_id())
                    {
                        stack.extend([node.child(1), node.child(0)]);
                        return false;
                    }
                }
                true
            });
            // In step, so the one that is through first has fewer nodes.
            if through[0] || through[1] {
                return through[0];
            }
        }
        true
    })
}

/// The levels that a relation depends on, sorted.
pub(super) fn support(a: &Handle) -> Vec<u32> {
    let mut levels = FxHashSet::default();
    visit(a, |_, level, _| {
        levels.insert(level);
    });
    let mut levels: Vec<u32> = levels.into_iter().collect();
    levels.sort_unstable();
    levels
}

/// The nodes of a BDD, children before parents, the root last.
pub(super) fn nodes(a: &Handle) -> Nodes {
    let mut names: FxHashMap<NodeID, u32> = FxHashMap::default();
    let mut inner = Vec::new();
    let constants = a.with_manager_shared(|manager, _| {
        [BDDFunction::f(manager), BDDFunction::t(manager)].map(|constant| constant.as_edge(manager).node_id())
    });
    names.extend(constants.into_iter().zip(0..));
    let root = visit(a, |node, level, children| {
        let [low, high] = children.map(|child| names[&child]);
        inner.push(Node { level, low, high });
        names.insert(node, inner.len() as u32 + 1);
    });
    if root == constants[0] { Nodes::bottom() } else { Nodes::new(inner) }
}

/// The values on the way from the root to ⊤, low edges before high ones. None for ⊥.
pub(super) fn least_path(a: &Handle) -> Option<Vec<(u32, bool)>> {
    let mut path = Vec::new();
    let full = walk(a, |level, [low_is_bottom, _]| {
        path.push((level, low_is_bottom));
        low_is_bottom
    });
    full.then_some(path)
}

/// The values on a way from the root to ⊤, with the given choices where both edges lead there. None for ⊥.
pub(super) fn some_path(a: &Handle, mut choice: impl FnMut() -> bool) -> Option<Vec<(u32, bool)>> {
    let mut path = Vec::new();
    let full = walk(a, |level, [low_is_bottom, high_is_bottom]| {
        let value = low_is_bottom || !high_is_bottom && choice();
        path.push((level, value));
        value
    });
    full.then_some(path)
}

/// Goes down from the root, to the high child if told so by the level and by which children are ⊥, and says where it comes out.
fn walk(a: &Handle, mut high: impl FnMut(u32, [bool; 2]) -> bool) -> bool {
    a.with_manager_shared(|manager, root| {
        let mut edge = root;
        let bottom = BDDFunction::f(manager);
        let bottom = bottom.as_edge(manager).node_id();
        while let Stored::Inner(node) = manager.get_node(edge) {
            let [low, other] = [node.child(1), node.child(0)];
            let bottoms = [low.node_id() == bottom, other.node_id() == bottom];
            edge = if high(node.level(), bottoms) { other } else { low };
        }
        edge.node_id() != bottom
    })
}
