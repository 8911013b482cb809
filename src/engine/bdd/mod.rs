//! Relations over the bits of a program, as binary decision diagrams. The only module that says "BDD".
//!
//! A [`Space`] fixes a [`Universe`] of bits and their order, and makes [`Relation`]s over [`Column`]s, that is, over
//! bits in one of their copies. Two engines stand behind it; the results do not depend on which:
//!
//! * `biodivine-lib-bdd`: every relation is an array of its own. Little memory, and no time lost while relations are
//!   small or each one is new; slow when small increments join large sets, for it copies them.
//! * `shared`: all relations share their nodes, and operations their results.
//!
//! Operations return [`Stop`] when they run into a limit, also in the middle.

mod biodivine;
mod budget;
mod common;
mod growing;
pub mod label;
mod memo;
mod nodes;
mod operation;
mod paths;
mod sets;
mod shared;
mod sifting;
mod tabled;
mod unique;
mod universe;

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::fmt;

pub use budget::Trial;
pub use growing::Growing;
pub use paths::Choices;
pub use sets::SetsBy;
pub use tabled::TABLED;
pub use universe::{At, Bit, Column, Renaming, Universe, Vars};

use budget::Budget;
use common::Search;
use nodes::Nodes;
use num_bigint::BigUint;
use operation::Binary;
use sifting::Sifting;
use universe::Layout;

use crate::limits::{Limits, Stop};

/// Which library does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// biodivine-lib-bdd.
    Biodivine,
    /// Our own, in which all relations share their nodes.
    Shared,
}

/// A set of valuations of columns. Cheap to clone; equality and hash take constant time.
///
/// Relations of different spaces have nothing to do with each other and must not meet in an operation.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Relation(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Biodivine(biodivine::Handle),
    Shared(shared::Handle),
}

impl fmt::Debug for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Biodivine(a) => write!(f, "Relation({}: {} nodes)", a.id, a.nodes()),
            Repr::Shared(a) => write!(f, "Relation({} nodes)", shared::size(a)),
        }
    }
}

/// The universe of bits, the engine, and the operations on relations.
#[derive(Debug)]
pub struct Space {
    layout: Layout,
    budget: Budget,
    search: RefCell<Search>,
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    Biodivine(biodivine::Engine),
    Shared(shared::Engine),
}

/// Runs one piece of code for whichever engine a space has, on its operands.
macro_rules! on_engine {
    ($space:expr, [$($operand:ident),*], $engine:ident => $body:expr) => {
        match (&$space.engine, $(&$operand.0,)*) {
            (Engine::Biodivine($engine), $(Repr::Biodivine($operand),)*) => $body.map(|r| Relation(Repr::Biodivine(r))),
            (Engine::Shared($engine), $(Repr::Shared($operand),)*) => $body.map(|r| Relation(Repr::Shared(r))),
            #[allow(unreachable_patterns)]
            _ => mixed(),
        }
    };
}

impl Space {
    /// A space for this universe. With `work`, operations stop with [`Stop::Work`] once that much work was done in
    /// large operations (small ones are no reason to start over).
    ///
    /// # Errors
    /// [`Stop::Width`] if the engine cannot number so many levels.
    pub fn new(universe: Universe, engine: EngineKind, limits: &Limits, work: Option<u64>) -> Result<Space, Stop> {
        let layout = Layout::new(&universe);
        let price = match engine {
            EngineKind::Biodivine => 1,
            EngineKind::Shared => shared::PRICE,
        };
        let budget = Budget::new(limits, work, price);
        let engine = match engine {
            EngineKind::Biodivine => {
                let keep = limits.memory.map_or(KEEP, |memory| KEEP.min(memory / 16));
                Engine::Biodivine(biodivine::Engine::new(layout.levels(), keep, &budget)?)
            }
            EngineKind::Shared => Engine::Shared(shared::Engine::new(limits.memory)),
        };
        Ok(Space { layout, budget, search: RefCell::default(), engine })
    }

    /// Names a set of columns, for quantifiers and counts.
    pub fn vars(&self, columns: impl IntoIterator<Item = Column>) -> Vars {
        self.layout.vars(columns)
    }

    /// Names a renaming: (bit, from, to). Columns that are not named stay.
    pub fn renaming(&self, pairs: impl IntoIterator<Item = (Bit, At, At)>) -> Renaming {
        self.layout.renaming(pairs)
    }

    /// The full relation.
    pub fn top(&self) -> Relation {
        self.constant(true)
    }

    /// The empty relation.
    pub fn bottom(&self) -> Relation {
        self.constant(false)
    }

    /// A column has this value.
    pub fn literal(&self, column: Column, value: bool) -> Result<Relation, Stop> {
        self.cube(&[(column, value)])
    }

    /// a ∧ b
    pub fn and(&self, a: &Relation, b: &Relation) -> Result<Relation, Stop> {
        self.binary(Binary::And, a, b)
    }

    /// a ∨ b
    pub fn or(&self, a: &Relation, b: &Relation) -> Result<Relation, Stop> {
        self.binary(Binary::Or, a, b)
    }

    /// a ∧ ¬b
    pub fn and_not(&self, a: &Relation, b: &Relation) -> Result<Relation, Stop> {
        self.binary(Binary::AndNot, a, b)
    }

    /// a ↔ b
    pub fn iff(&self, a: &Relation, b: &Relation) -> Result<Relation, Stop> {
        self.binary(Binary::Iff, a, b)
    }

    /// a ⊕ b
    pub fn xor(&self, a: &Relation, b: &Relation) -> Result<Relation, Stop> {
        self.binary(Binary::Xor, a, b)
    }

    /// ¬a
    pub fn not(&self, a: &Relation) -> Result<Relation, Stop> {
        match self.as_constant(a) {
            Some(value) => Ok(self.constant(!value)),
            None => on_engine!(self, [a], engine => engine.not(&self.budget, a)),
        }
    }

    /// (c ∧ a) ∨ (¬c ∧ b)
    pub fn ite(&self, c: &Relation, a: &Relation, b: &Relation) -> Result<Relation, Stop> {
        match (self.as_constant(c), self.as_constant(a), self.as_constant(b)) {
            (Some(true), _, _) => Ok(a.clone()),
            (Some(false), _, _) => Ok(b.clone()),
            _ if a == b => Ok(a.clone()),
            (_, Some(true), _) => self.or(c, b),
            (_, Some(false), _) => self.and_not(b, c),
            (_, _, Some(false)) => self.and(c, a),
            (_, _, Some(true)) => self.not(&self.and_not(c, a)?),
            _ if a == c => self.or(c, b),
            _ if b == c => self.and(c, a),
            _ => on_engine!(self, [c, a, b], engine => engine.ite(&self.budget, c, a, b)),
        }
    }

    /// ∃ gone. a
    pub fn exists(&self, a: &Relation, gone: Vars) -> Result<Relation, Stop> {
        self.and_exists_rename(a, a, gone, Renaming::IDENTITY)
    }

    /// ∃ gone. a ∧ b
    pub fn and_exists(&self, a: &Relation, b: &Relation, gone: Vars) -> Result<Relation, Stop> {
        self.and_exists_rename(a, b, gone, Renaming::IDENTITY)
    }

    /// (∃ gone. a ∧ b)\[renaming\], remembered as one operation. As to the renaming, see [`Space::rename`].
    pub fn and_exists_rename(
        &self,
        a: &Relation,
        b: &Relation,
        gone: Vars,
        renaming: Renaming,
    ) -> Result<Relation, Stop> {
        // The same operation on fewer operands is remembered under one name.
        let (a, b) = match (self.as_constant(a), self.as_constant(b)) {
            (Some(false), _) | (_, Some(false)) => return Ok(self.bottom()),
            (Some(true), Some(true)) => return Ok(self.top()),
            (Some(true), None) => (b, b),
            (None, Some(true)) => (a, a),
            (None, None) => (a, b),
        };
        if gone == Vars::NONE && renaming == Renaming::IDENTITY {
            return self.and(a, b);
        }
        let known = || (self.layout.columns_of(gone), self.layout.moves_of(renaming));
        on_engine!(self, [a, b], engine => engine.product(&self.budget, (a, b), (gone, renaming), known))
    }

    /// a with its columns renamed, in one linear pass.
    ///
    /// That is possible because the renaming must be strictly increasing on the copies of each bit that the relation
    /// depends on: 0→1 and 2→1 with 1 absent, {0→1, 1→2} with 2 absent, 0↔2 only with 1 and the target absent.
    ///
    /// # Panics
    /// If the renaming is not strictly increasing on the columns that the relation depends on (on `shared`, which can do
    /// without, that is a substitution).
    pub fn rename(&self, a: &Relation, renaming: Renaming) -> Result<Relation, Stop> {
        self.and_exists_rename(a, a, Vars::NONE, renaming)
    }

    /// ⋀ x_a ↔ x_b over these bits.
    pub fn identity(&self, bits: impl IntoIterator<Item = Bit>, a: At, b: At) -> Result<Relation, Stop> {
        if a == b {
            return Ok(self.top());
        }
        let (upper, lower) = (a.min(b), a.max(b));
        let mut pairs: Vec<(u32, u32)> =
            bits.into_iter().map(|bit| (self.layout.level((bit, upper)), self.layout.level((bit, lower)))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let pairs = pairs.as_slice();
        on_engine!(self, [], engine => engine.identity(&self.budget, pairs))
    }

    /// These columns have these values.
    pub fn cube(&self, values: &[(Column, bool)]) -> Result<Relation, Stop> {
        let mut literals: Vec<(u32, bool)> =
            values.iter().map(|&(column, value)| (self.layout.level(column), value)).collect();
        literals.sort_unstable();
        literals.dedup();
        if literals.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Ok(self.bottom());
        }
        let literals = literals.as_slice();
        on_engine!(self, [], engine => engine.cube(&self.budget, literals))
    }

    /// Is every tuple of a in b?
    pub fn subset(&self, a: &Relation, b: &Relation) -> Result<bool, Stop> {
        match (self.as_constant(a), self.as_constant(b)) {
            _ if a == b => return Ok(true),
            (Some(false), _) | (_, Some(true)) => return Ok(true),
            (Some(true), _) | (_, Some(false)) => return Ok(false),
            (None, None) => {}
        }
        match (&self.engine, &a.0, &b.0) {
            (Engine::Biodivine(engine), Repr::Biodivine(a), Repr::Biodivine(b)) => engine.subset(&self.budget, a, b),
            (Engine::Shared(engine), Repr::Shared(a), Repr::Shared(b)) => engine.subset(&self.budget, a, b),
            _ => mixed(),
        }
    }

    /// Is there no tuple in a?
    pub fn is_empty(&self, a: &Relation) -> bool {
        self.as_constant(a) == Some(false)
    }

    /// Is every tuple in a?
    pub fn is_full(&self, a: &Relation) -> bool {
        self.as_constant(a) == Some(true)
    }

    /// Are the relations equal? The same as `==`.
    pub fn equal(&self, a: &Relation, b: &Relation) -> bool {
        a == b
    }

    /// Inner nodes of the BDD. Constant time on biodivine, linear on `shared`.
    pub fn size(&self, a: &Relation) -> usize {
        match &a.0 {
            Repr::Biodivine(a) => a.nodes(),
            Repr::Shared(a) => shared::size(a),
        }
    }

    /// The one with fewer inner nodes; the first if they are equally many, or if it would take long to know.
    pub fn smaller<'a>(&self, a: &'a Relation, b: &'a Relation) -> &'a Relation {
        let first = match (&a.0, &b.0) {
            (Repr::Biodivine(a), Repr::Biodivine(b)) => a.nodes() <= b.nodes(),
            (Repr::Shared(a), Repr::Shared(b)) => shared::not_larger(a, b),
            _ => mixed(),
        };
        if first { a } else { b }
    }

    /// An order of the bits in which these relations have fewer nodes together, found by exchanging neighbours as long as so many
    /// nodes have not been looked at; the order there is if no better one is found.
    pub fn sifted(&self, of: &[&Relation], worth: u64) -> Sifted {
        let bit_of: Vec<u32> = (0..self.layout.levels()).map(|level| self.layout.column(level).0.0).collect();
        let nodes: Vec<Nodes> = of.iter().map(|relation| self.nodes(relation)).collect();
        let mut sifting = Sifting::new(&nodes, &bit_of);
        let before = sifting.size();
        sifting.sift(worth);
        Sifted { order: sifting.groups().map(Bit).collect(), before, after: sifting.size() }
    }

    /// Tuples over these columns, which must hold the support; infinite beyond about 10³⁰⁸.
    pub fn count(&self, a: &Relation, over: Vars) -> f64 {
        let double = |n: &f64, k: u32| if *n == 0.0 { 0.0 } else { n * 2f64.powi(k.min(2000) as i32) };
        self.nodes(a).count(&self.layout.columns_of(over).levels, (0.0, 1.0), |a, b| a + b, double)
    }

    /// Tuples over these columns, which must hold the support. A number has as many digits as there are columns, and each
    /// node has one.
    pub fn count_exact(&self, a: &Relation, over: Vars) -> BigUint {
        let (zero, one) = (BigUint::ZERO, BigUint::from(1u8));
        self.nodes(a).count(&self.layout.columns_of(over).levels, (zero, one), |a, b| a + b, |n, k| n << k)
    }

    /// The least valuation in the order, false before true from the root downwards; columns that do not matter are
    /// false. It gives a value to each of these columns and to no other. None if the relation is empty.
    pub fn pick(&self, a: &Relation, over: Vars) -> Option<Vec<(Column, bool)>> {
        let path = self.least_path(a)?;
        let value = |column: &Column| {
            let level = self.layout.level(*column);
            path.binary_search_by_key(&level, |&(level, _)| level).is_ok_and(|place| path[place].1)
        };
        Some(self.layout.columns_of(over).columns.iter().map(|column| (*column, value(column))).collect())
    }

    /// The least valuation in the order that all these relations and the fixed values allow (see [`Space::pick`]), as the
    /// values of the columns `over`, in that order. None if there is none. Nothing is built for it.
    pub fn least(
        &self,
        of: &[&Relation],
        fixed: impl IntoIterator<Item = (Column, bool)>,
        over: &[Column],
    ) -> Result<Option<Vec<(Column, bool)>>, Stop> {
        self.budget.idle()?;
        let search = &mut *self.search.borrow_mut();
        search.fixed.clear();
        search.fixed.extend(fixed.into_iter().map(|(column, value)| (self.layout.level(column), value)));
        search.fixed.sort_unstable();
        search.fixed.dedup();
        if search.fixed.windows(2).any(|pair| pair[0].0 == pair[1].0) || !search.succeeds(&self.budget, of)? {
            return Ok(None);
        }
        Ok(Some(over.iter().map(|column| (*column, search.value(self.layout.level(*column)))).collect()))
    }

    /// The columns that the relation depends on, sorted.
    pub fn support(&self, a: &Relation) -> Vec<Column> {
        let mut columns: Vec<Column> = match &a.0 {
            Repr::Biodivine(a) => a.support().iter().map(|&level| self.layout.column(level.into())).collect(),
            Repr::Shared(a) => shared::support(a).into_iter().map(|level| self.layout.column(level)).collect(),
        };
        columns.sort_unstable();
        columns
    }

    /// The inner nodes of the BDD, children before parents, the last one the root. Nodes are numbered: 0 is ⊥, 1 is ⊤, and
    /// from 2 on they are those of this list.
    pub fn decisions(&self, a: &Relation) -> Vec<Decision> {
        let column = |node: &nodes::Node| self.layout.column(node.level);
        let nodes = self.nodes(a);
        nodes.inner().iter().map(|node| Decision { column: column(node), low: node.low, high: node.high }).collect()
    }

    /// How many columns there are: the longest paths have as many nodes.
    pub fn level_count(&self) -> usize {
        self.layout.levels() as usize
    }

    /// Looks at the limits now. For loops that might go on without any operation.
    pub fn check(&self) -> Result<(), Stop> {
        self.budget.check()
    }

    /// Something that may turn out to take too much: `None` if it takes more work than this (about as many steps inside
    /// operations, looked at every few milliseconds), or more memory than there is. Deterministic as far as work counts.
    ///
    /// # Errors
    /// If a limit of the space is met.
    pub fn attempt<T>(&self, work: u64, something: impl FnOnce() -> Result<T, Stop>) -> Result<Option<T>, Stop> {
        let work = self.budget.worth(work);
        let before = self.budget.have_patience(u64::MAX);
        self.budget.have_patience(before.min(self.work().saturating_add(work)));
        let outcome = something();
        self.budget.have_patience(before);
        match outcome {
            Ok(answer) => Ok(Some(answer)),
            // An attempt inside another one gives up with it.
            Err(Stop::Patience) if self.work() >= before => Err(Stop::Patience),
            Err(Stop::Patience | Stop::Memory) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    /// From now on, operations stop with [`Stop::Allowance`] once so much work was done. Counted as [`Space::attempt`]
    /// does.
    pub fn allow(&self, work: u64) {
        self.budget.allow(self.budget.worth(work));
    }

    /// So many steps were taken for what is asked here, outside its operations.
    ///
    /// # Errors
    /// If a limit of the space is met.
    #[inline]
    pub fn charge(&self, steps: u64) -> Result<(), Stop> {
        self.budget.charge(self.budget.worth(steps).max(1))
    }

    /// What has been spent so far, in steps of about the same length on both engines. Deterministic.
    pub fn spent(&self) -> u64 {
        self.budget.spent()
    }

    /// Something that may turn out to take too much: `None` if more than this is spent on it (see [`Space::spent`]).
    ///
    /// # Errors
    /// If a limit of the space is met.
    pub fn spend<T>(&self, most: u64, something: impl FnOnce() -> Result<T, Stop>) -> Result<Option<T>, Stop> {
        let until = self.spent().saturating_add(most);
        let before = self.budget.spend_until(u64::MAX);
        self.budget.spend_until(before.min(until));
        let outcome = something();
        self.budget.spend_until(before);
        match outcome {
            Ok(answer) => Ok(Some(answer)),
            Err(Stop::Patience) if self.spent() < until => Err(Stop::Patience),
            Err(Stop::Patience | Stop::Memory) => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    /// Does something without a thought of another order in which the search should start over.
    pub fn without_starting_over<T>(&self, something: impl FnOnce() -> T) -> T {
        let (work, trial) = (self.budget.work_within(u64::MAX), self.budget.trial_within(u64::MAX));
        let outcome = something();
        self.budget.work_within(work);
        self.budget.trial_within(trial);
        outcome
    }

    /// What follows is a trial: operations stop with [`Stop::Work`] once so much is spent (see [`Space::spent`]), unless its search has
    /// come further by then than its rival's. The same on each run, as long as the engine is the same.
    pub fn on_trial(&self, trial: Trial, most: u64) {
        self.budget.on_trial(trial, most);
    }

    /// The search in this space has come so many steps further, in steps that are the same in all spaces.
    pub fn came_round(&self, steps: u32) {
        self.budget.came_round(steps);
    }

    /// Inner nodes of all relations that are alive. On `shared`, of the store: shared nodes once, garbage included.
    pub fn live_nodes(&self) -> u64 {
        match &self.engine {
            Engine::Biodivine(_) => self.budget.meter.nodes.get(),
            Engine::Shared(engine) => engine.stored(),
        }
    }

    /// The most nodes that were alive at once.
    pub fn peak_nodes(&self) -> u64 {
        self.budget.meter.peak.get().max(self.live_nodes())
    }

    /// The work done so far: steps inside operations that were really carried out. Deterministic.
    pub fn work(&self) -> u64 {
        self.budget.work()
    }

    fn constant(&self, value: bool) -> Relation {
        Relation(match &self.engine {
            Engine::Biodivine(engine) => Repr::Biodivine(engine.constant(value).clone()),
            Engine::Shared(engine) => Repr::Shared(engine.constant(value).clone()),
        })
    }

    /// The value of a relation that is full or empty.
    #[inline]
    fn as_constant(&self, a: &Relation) -> Option<bool> {
        match (&self.engine, &a.0) {
            (Engine::Biodivine(_), Repr::Biodivine(a)) => {
                debug_assert!(a.is_of(&self.budget.meter), "relations of different spaces do not mix");
                a.bdd.as_bool()
            }
            (Engine::Shared(engine), Repr::Shared(a)) => {
                debug_assert!(engine.has(a), "relations of different spaces do not mix");
                a.constant()
            }
            _ => mixed(),
        }
    }

    fn binary(&self, operation: Binary, a: &Relation, b: &Relation) -> Result<Relation, Stop> {
        if let Some(value) = operation.of_equals().filter(|_| a == b) {
            return Ok(value.map_or_else(|| a.clone(), |value| self.constant(value)));
        }
        // A constant operand leaves a constant, the other operand, or its complement.
        let (left, other) = match (self.as_constant(a), self.as_constant(b)) {
            (None, None) => return on_engine!(self, [a, b], engine => engine.binary(&self.budget, operation, a, b)),
            (Some(value), _) => ([operation.apply(value, false), operation.apply(value, true)], b),
            (None, Some(value)) => ([operation.apply(false, value), operation.apply(true, value)], a),
        };
        match left {
            [false, true] => Ok(other.clone()),
            [true, false] => self.not(other),
            [value, _] => Ok(self.constant(value)),
        }
    }

    fn least_path(&self, a: &Relation) -> Option<Vec<(u32, bool)>> {
        match &a.0 {
            Repr::Biodivine(a) => biodivine::least_path(&a.bdd),
            Repr::Shared(a) => shared::least_path(a),
        }
    }

    fn nodes(&self, a: &Relation) -> Nodes {
        match &a.0 {
            Repr::Biodivine(a) => biodivine::nodes(&a.bdd),
            Repr::Shared(a) => shared::nodes(a),
        }
    }
}

/// What [`Space::sifted`] has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sifted {
    /// All bits, uppermost first.
    pub order: Vec<Bit>,
    /// The nodes that the relations shared before.
    pub before: usize,
    /// The same in this order.
    pub after: usize,
}

/// An inner node of a BDD, see [`Space::decisions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decision {
    /// What is decided on.
    pub column: Column,
    /// The node if it is false.
    pub low: u32,
    /// The node if it is true.
    pub high: u32,
}

/// The most bytes of results that are kept alive only because they might be asked for again.
const KEEP: u64 = 8 << 20;

#[cold]
fn mixed() -> ! {
    panic!("relations of spaces with different engines do not mix")
}
