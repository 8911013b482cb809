//! The engine over `biodivine-lib-bdd`: every relation an array of its own, hash-consed, with results remembered.
//!
//! The library shares nothing between operations and takes no short cuts at R∧R or R∨∅: both happen here. Its operators
//! are closures, and ours count. When a limit is met in the middle of an operation they unwind, without running the
//! panic hook, and [`Engine::guarded`] catches that; so this needs a build that unwinds. (The alternative, size-limited operations repeated in growing limits, exists
//! for plain binary operations only and costs up to twice the work.)

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use biodivine_lib_bdd::{Bdd, BddNode, BddPointer, BddVariable, op_function};

use super::budget::Budget;
use super::memo::{Key, Memo};
use super::nodes::{Node, Nodes};
use super::operation::Binary;
use super::unique::{Unique, UniqueTable, support};
use super::universe::{Columns, Moves, Renaming, Vars};
use crate::limits::Stop;

/// The most levels that the library can number.
pub(super) const MAX_LEVELS: u32 = u16::MAX as u32;

/// A relation of this engine.
pub(super) type Handle = Rc<Unique>;

/// Ticks for an operation beside those of its closures.
const PER_OPERATION: u64 = 16;

// Operations in memo keys; the binary ones are numbered by `Binary`.
const NOT: u32 = 16;
const ITE: u32 = 17;
const SUBSET: u32 = 18;
const PRODUCT: u32 = 19;

#[derive(Debug)]
pub(super) struct Engine {
    levels: u16,
    bottom: Handle,
    top: Handle,
    memo: RefCell<Memo>,
    table: RefCell<UniqueTable>,
}

impl Engine {
    /// An engine for so many levels. Results of at most so many bytes are kept alive for the memo.
    pub(super) fn new(levels: u32, keep: u64, budget: &Budget) -> Result<Engine, Stop> {
        if levels > MAX_LEVELS {
            return Err(Stop::Width);
        }
        let levels = levels as u16;
        let mut table = UniqueTable::default();
        let constant = |top: bool| {
            let nodes = [BddNode::mk_zero(levels), BddNode::mk_one(levels)];
            Bdd::from_nodes(&nodes[..1 + usize::from(top)]).expect("the terminals are a BDD")
        };
        let bottom = table.intern(constant(false), &budget.meter);
        let top = table.intern(constant(true), &budget.meter);
        let memo = Memo::new(keep);
        budget.meter.add(0, memo.bytes());
        Ok(Engine { levels, bottom, top, memo: RefCell::new(memo), table: RefCell::new(table) })
    }

    pub(super) fn constant(&self, value: bool) -> &Handle {
        if value { &self.top } else { &self.bottom }
    }

    /// The conjunction of literals, given from the root downwards, each level once.
    pub(super) fn cube(&self, budget: &Budget, literals: &[(u32, bool)]) -> Result<Handle, Stop> {
        let mut array = Array::new(self.levels, literals.len());
        let mut below = ONE;
        for &(level, value) in literals.iter().rev() {
            below = if value { array.push(level, ZERO, below) } else { array.push(level, below, ZERO) };
        }
        self.finish(budget, array)
    }

    /// The conjunction of x ↔ y for pairs of levels x < y, given from the root downwards, not interleaved.
    pub(super) fn identity(&self, budget: &Budget, pairs: &[(u32, u32)]) -> Result<Handle, Stop> {
        let mut array = Array::new(self.levels, 3 * pairs.len());
        let mut below = ONE;
        for &(x, y) in pairs.iter().rev() {
            let high = array.push(y, ZERO, below);
            let low = array.push(y, below, ZERO);
            below = array.push(x, low, high);
        }
        self.finish(budget, array)
    }

    /// The complement of a relation that is not constant.
    pub(super) fn not(&self, budget: &Budget, a: &Handle) -> Result<Handle, Stop> {
        self.remembered(budget, Key { operation: NOT, a: a.id, b: 0, c: 0 }, || {
            budget.charge(a.nodes() as u64 / 16)?;
            Ok(self.intern(a.bdd.not(), budget))
        })
    }

    /// A binary operation on two relations that differ and are not constant.
    pub(super) fn binary(&self, budget: &Budget, operation: Binary, a: &Handle, b: &Handle) -> Result<Handle, Stop> {
        let (a, b) = if operation.commutes() && a.id > b.id { (b, a) } else { (a, b) };
        self.remembered(budget, Key { operation: operation as u32, a: a.id, b: b.id, c: 0 }, || {
            let bdd = self.guarded(budget, &[a, b], || {
                let (a, b) = (&a.bdd, &b.bdd);
                match operation {
                    Binary::And => Bdd::binary_op(a, b, counted(budget, op_function::and)),
                    Binary::Or => Bdd::binary_op(a, b, counted(budget, op_function::or)),
                    Binary::AndNot => Bdd::binary_op(a, b, counted(budget, op_function::and_not)),
                    Binary::Iff => Bdd::binary_op(a, b, counted(budget, op_function::iff)),
                    Binary::Xor => Bdd::binary_op(a, b, counted(budget, op_function::xor)),
                }
            })?;
            Ok(self.intern(bdd, budget))
        })
    }

    /// If-then-else of three relations of which none is constant and no two are equal.
    pub(super) fn ite(&self, budget: &Budget, c: &Handle, a: &Handle, b: &Handle) -> Result<Handle, Stop> {
        self.remembered(budget, Key { operation: ITE, a: c.id, b: a.id, c: b.id }, || {
            let choose = |c: Option<bool>, a: Option<bool>, b: Option<bool>| match (c, a, b) {
                (Some(true), value, _) | (Some(false), _, value) => value,
                (None, Some(a), Some(b)) if a == b => Some(a),
                _ => None,
            };
            let bdd = self.guarded(budget, &[c, a, b], || {
                Bdd::ternary_op(
                    &c.bdd,
                    &a.bdd,
                    &b.bdd,
                    |c, a, b| {
                        if goes_on(budget) { choose(c, a, b) } else { Some(false) }
                    },
                )
            })?;
            Ok(self.intern(bdd, budget))
        })
    }

    /// (∃ gone. a ∧ b)\[renaming\] of two relations of which none is constant.
    pub(super) fn product(
        &self,
        budget: &Budget,
        (a, b): (&Handle, &Handle),
        (gone, renaming): (Vars, Renaming),
        known: impl FnOnce() -> (Rc<Columns>, Rc<Moves>),
    ) -> Result<Handle, Stop> {
        let (a, b) = if a.id > b.id { (b, a) } else { (a, b) };
        let names = u64::from(gone.0) << 32 | u64::from(renaming.0);
        self.remembered(budget, Key { operation: PRODUCT, a: a.id, b: b.id, c: names }, || {
            let (gone, moves) = known();
            let meets = |unique: &Handle| unique.support().iter().any(|&level| gone.contains(level.into()));
            if !meets(a) && (a.id == b.id || !meets(b)) {
                let both = if a.id == b.id { Rc::clone(a) } else { self.binary(budget, Binary::And, a, b)? };
                return self.rename(budget, &both, &moves);
            }
            let bdd = self.guarded(budget, &[a, b], || {
                let leaves = |level: BddVariable| gone.contains(level.to_index() as u32);
                let (and, or) = (counted(budget, op_function::and), counted(budget, op_function::or));
                Bdd::binary_op_nested(&a.bdd, &b.bdd, leaves, and, or)
            })?;
            let moved = if moves.name == Renaming::IDENTITY {
                bdd
            } else {
                let levels = support(&bdd);
                moved(budget, bdd, &levels, &moves)?
            };
            Ok(self.intern(moved, budget))
        })
    }

    /// Is every tuple of a in b? They are not constant. Stops at the first counterexample.
    pub(super) fn subset(&self, budget: &Budget, a: &Handle, b: &Handle) -> Result<bool, Stop> {
        let answer = self.remembered(budget, Key { operation: SUBSET, a: a.id, b: b.id, c: 0 }, || {
            Ok(Rc::clone(self.constant(subset(budget, &a.bdd, &b.bdd)?)))
        })?;
        Ok(answer.bdd.is_true())
    }

    fn rename(&self, budget: &Budget, a: &Handle, moves: &Moves) -> Result<Handle, Stop> {
        if a.support().iter().all(|&level| moves.target[usize::from(level)] == u32::from(level)) {
            return Ok(Rc::clone(a));
        }
        Ok(self.intern(moved(budget, a.bdd.clone(), a.support(), moves)?, budget))
    }

    /// The result of an operation, from memory if possible.
    #[inline]
    fn remembered(
        &self,
        budget: &Budget,
        key: Key,
        compute: impl FnOnce() -> Result<Handle, Stop>,
    ) -> Result<Handle, Stop> {
        if let Some(result) = self.memo.borrow().get(&key) {
            budget.idle()?;
            return Ok(result);
        }
        budget.charge(PER_OPERATION)?;
        let result = compute()?;
        let mut memo = self.memo.borrow_mut();
        let before = memo.bytes();
        memo.put(key, &result);
        budget.meter.add(0, memo.bytes() - before);
        Ok(result)
    }

    /// Runs an operation of the library whose closures may stop it ([`goes_on`]).
    fn guarded(&self, budget: &Budget, operands: &[&Handle], operation: impl FnOnce() -> Bdd) -> Result<Bdd, Stop> {
        // The library allocates its tables for the largest operand at once; only their control bytes are touched.
        let largest = operands.iter().map(|operand| operand.bdd.size()).max().unwrap_or(0);
        budget.begin(4 * largest as u64);
        let outcome = catch_unwind(AssertUnwindSafe(operation));
        budget.end();
        if let Some(stop) = budget.stopped() {
            return Err(stop);
        }
        outcome.map_err(|payload| match payload.downcast::<Stop>() {
            Ok(stop) => *stop,
            Err(panic) => resume_unwind(panic),
        })
    }

    fn intern(&self, bdd: Bdd, budget: &Budget) -> Handle {
        match bdd.as_bool() {
            Some(value) => Rc::clone(self.constant(value)),
            None => self.table.borrow_mut().intern(bdd, &budget.meter),
        }
    }

    fn finish(&self, budget: &Budget, array: Array) -> Result<Handle, Stop> {
        budget.charge(PER_OPERATION + array.nodes.len() as u64)?;
        Ok(self.intern(Bdd::from_nodes(&array.nodes).expect("children come before parents, below them"), budget))
    }

    /// Entries of the table of relations, dead ones included.
    #[cfg(test)]
    pub(super) fn table_len(&self) -> usize {
        self.table.borrow().len()
    }
}

/// The nodes of a BDD, children before parents, the root last.
pub(super) fn nodes(bdd: &Bdd) -> Nodes {
    let inner = bdd.pointers().skip(2).map(|node| Node {
        level: bdd.var_of(node).to_index() as u32,
        low: bdd.low_link_of(node).to_index() as u32,
        high: bdd.high_link_of(node).to_index() as u32,
    });
    if bdd.is_false() { Nodes::bottom() } else { Nodes::new(inner) }
}

/// The values on the way from the root to ⊤, low edges before high ones. None for ⊥.
pub(super) fn least_path(bdd: &Bdd) -> Option<Vec<(u32, bool)>> {
    let mut path = Vec::new();
    let mut node = bdd.root_pointer();
    while !node.is_terminal() {
        let high = bdd.low_link_of(node).is_zero();
        path.push((bdd.var_of(node).to_index() as u32, high));
        node = if high { bdd.high_link_of(node) } else { bdd.low_link_of(node) };
    }
    node.is_one().then_some(path)
}

/// Whether an operation goes on; called for each step of it. When a limit is met it unwinds. Where nothing can unwind, it is told
/// from then on that everything is false, so that it ends by itself soon, and what it found counts for nothing.
#[inline]
fn goes_on(budget: &Budget) -> bool {
    if cfg!(panic = "abort") && budget.has_stopped() {
        return false;
    }
    match budget.tick() {
        Ok(()) => true,
        Err(stop) if cfg!(panic = "abort") => {
            budget.stop(stop);
            false
        }
        Err(stop) => resume_unwind(Box::new(stop)),
    }
}

/// An operator that counts its calls and stops when a limit is met.
fn counted<'a>(
    budget: &'a Budget,
    operator: impl Fn(Option<bool>, Option<bool>) -> Option<bool> + 'a,
) -> impl Fn(Option<bool>, Option<bool>) -> Option<bool> + 'a {
    move |a, b| {
        if goes_on(budget) { operator(a, b) } else { Some(false) }
    }
}

/// Renames the levels of a BDD. The structure stays, hence the canonical order of nodes.
fn moved(budget: &Budget, bdd: Bdd, support: &[u16], moves: &Moves) -> Result<Bdd, Stop> {
    assert!(
        moves.keeps_order(support.iter().map(|&level| level.into())),
        "a renaming keeps the order of the columns that a relation depends on"
    );
    budget.charge(bdd.size() as u64 / 8)?;
    let mut nodes = bdd.to_nodes();
    for node in nodes.iter_mut().skip(2) {
        node.var = BddVariable::from_index(moves.target[node.var.to_index()] as usize);
    }
    Ok(Bdd::from_nodes(&nodes).expect("an order-preserving renaming leaves a BDD"))
}

fn subset(budget: &Budget, a: &Bdd, b: &Bdd) -> Result<bool, Stop> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut stack = vec![(a.root_pointer(), b.root_pointer())];
    while let Some((x, y)) = stack.pop() {
        if x.is_zero() || y.is_one() {
            continue;
        }
        if x.is_one() && y.is_zero() {
            return Ok(false);
        }
        if !seen.insert((x, y)) {
            continue;
        }
        budget.tick()?;
        let level = a.var_of(x).min(b.var_of(y));
        let (x0, x1) = if a.var_of(x) == level { (a.low_link_of(x), a.high_link_of(x)) } else { (x, x) };
        let (y0, y1) = if b.var_of(y) == level { (b.low_link_of(y), b.high_link_of(y)) } else { (y, y) };
        stack.push((x0, y0));
        stack.push((x1, y1));
    }
    Ok(true)
}

const ZERO: usize = 0;
const ONE: usize = 1;

/// A BDD under construction, children first, in the library's order: high before low.
struct Array {
    nodes: Vec<BddNode>,
}

impl Array {
    fn new(levels: u16, nodes: usize) -> Array {
        let mut array = Vec::with_capacity(nodes + 2);
        array.extend([BddNode::mk_zero(levels), BddNode::mk_one(levels)]);
        Array { nodes: array }
    }

    fn push(&mut self, level: u32, low: usize, high: usize) -> usize {
        let (low, high) = (BddPointer::from_index(low), BddPointer::from_index(high));
        self.nodes.push(BddNode::mk_node(BddVariable::from_index(level as usize), low, high));
        self.nodes.len() - 1
    }
}

/// The root, by its number.
pub(super) fn root(bdd: &Bdd) -> u32 {
    bdd.root_pointer().to_index() as u32
}

/// An inner node.
pub(super) fn inner(bdd: &Bdd, node: u32) -> Node {
    let node = BddPointer::from_index(node as usize);
    let [low, high] = [bdd.low_link_of(node), bdd.high_link_of(node)].map(|child| child.to_index() as u32);
    Node { level: bdd.var_of(node).to_index() as u32, low, high }
}
