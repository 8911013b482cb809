//! Relations over the bits of a program, as binary decision diagrams. The only module that says "BDD".
//!
//! A [`Space`] fixes a [`Universe`] of bits and their order, and makes [`Relation`]s over [`Column`]s, that is, over
//! bits in one of their copies. Two engines stand behind it; the results do not depend on which:
//!
//! * `biodivine-lib-bdd`: every relation is an array of its own. Little memory, and no time lost while relations are
//!   small or each one is new; slow when small increments join large sets, for it copies them.
//! * OxiDD: all relations share their nodes.
//!
//! Operations return [`Stop`] when they run into a limit, also in the middle.

mod biodivine;
mod budget;
mod memo;
mod nodes;
mod operation;
mod unique;
mod universe;

use std::fmt;

pub use universe::{At, Bit, Column, Renaming, Universe, Vars};

use budget::Budget;
use nodes::{Nodes, Paths};
use operation::Binary;
use universe::Layout;

use crate::limits::{Limits, Stop};

/// Which library does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineKind {
    /// biodivine-lib-bdd.
    Biodivine,
    /// OxiDD.
    Oxidd,
}

/// A set of valuations of columns. Cheap to clone; equality and hash take constant time.
///
/// Relations of different spaces have nothing to do with each other and must not meet in an operation.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Relation(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Biodivine(biodivine::Handle),
}

impl fmt::Debug for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Biodivine(a) => write!(f, "Relation({}: {} nodes)", a.id, a.nodes()),
        }
    }
}

/// The universe of bits, the engine, and the operations on relations.
#[derive(Debug)]
pub struct Space {
    layout: Layout,
    budget: Budget,
    engine: Engine,
}

#[derive(Debug)]
enum Engine {
    Biodivine(biodivine::Engine),
}

/// Runs one piece of code for whichever engine a space has, on its operands.
macro_rules! on_engine {
    ($space:expr, [$($operand:ident),*], $engine:ident => $body:expr) => {
        match (&$space.engine, $(&$operand.0,)*) {
            (Engine::Biodivine($engine), $(Repr::Biodivine($operand),)*) => $body.map(|r| Relation(Repr::Biodivine(r))),
        }
    };
}

impl Space {
    /// A space for this universe. With `work`, operations stop with [`Stop::Work`] once that much work was done.
    ///
    /// # Errors
    /// [`Stop::Width`] if the engine cannot number so many levels.
    pub fn new(universe: Universe, engine: EngineKind, limits: &Limits, work: Option<u64>) -> Result<Space, Stop> {
        let layout = Layout::new(&universe);
        let budget = Budget::new(limits, work);
        let engine = match engine {
            EngineKind::Biodivine | EngineKind::Oxidd => {
                let keep = limits.memory.map_or(KEEP, |memory| KEEP.min(memory / 16));
                Engine::Biodivine(biodivine::Engine::new(layout.levels(), keep, &budget)?)
            }
        };
        Ok(Space { layout, budget, engine })
    }

    /// Names a set of columns, for quantifiers and counts.
    pub fn vars(&self, columns: impl IntoIterator<Item = Column>) -> Vars {
        self.layout.vars(columns)
    }

    /// Names a renaming: (bit, from, to). Columns that are not named stay.
    pub fn renaming(&self, pairs: impl IntoIterator<Item = (Bit, At, At)>) -> Renaming {
        self.layout.renaming(pairs)
    }

    /// The columns of a set, sorted.
    pub fn columns(&self, vars: Vars) -> Vec<Column> {
        self.layout.columns_of(vars).columns.clone()
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
        let a = a;
        on_engine!(self, [a], engine => engine.not(&self.budget, a))
    }

    /// (c ∧ a) ∨ (¬c ∧ b)
    pub fn ite(&self, c: &Relation, a: &Relation, b: &Relation) -> Result<Relation, Stop> {
        let constant = |r: &Relation| if self.is_full(r) { Some(true) } else { self.is_empty(r).then_some(false) };
        match (constant(c), constant(a), constant(b)) {
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
        let known = || (self.layout.columns_of(gone), self.layout.moves_of(renaming));
        on_engine!(self, [a, b], engine => engine.product(&self.budget, (a, b), gone, renaming, known))
    }

    /// a with its columns renamed, in one linear pass.
    ///
    /// That is possible because the renaming must be strictly increasing on the copies of each bit that the relation
    /// depends on: 0→1 and 2→1 with 1 absent, {0→1, 1→2} with 2 absent, 0↔2 only with 1 and the target absent.
    ///
    /// # Panics
    /// If the renaming is not strictly increasing on the columns that the relation depends on.
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
        match (&self.engine, &a.0, &b.0) {
            (Engine::Biodivine(engine), Repr::Biodivine(a), Repr::Biodivine(b)) => engine.subset(&self.budget, a, b),
        }
    }

    /// Is there no tuple in a?
    pub fn is_empty(&self, a: &Relation) -> bool {
        match &a.0 {
            Repr::Biodivine(a) => a.bdd.is_false(),
        }
    }

    /// Is every tuple in a?
    pub fn is_full(&self, a: &Relation) -> bool {
        match &a.0 {
            Repr::Biodivine(a) => a.bdd.is_true(),
        }
    }

    /// Are the relations equal? The same as `==`.
    pub fn equal(&self, a: &Relation, b: &Relation) -> bool {
        a == b
    }

    /// Inner nodes of the BDD.
    pub fn size(&self, a: &Relation) -> usize {
        match &a.0 {
            Repr::Biodivine(a) => a.nodes(),
        }
    }

    /// Tuples over these columns, which must hold the support; infinite beyond about 10³⁰⁸.
    pub fn count(&self, a: &Relation, over: Vars) -> f64 {
        let double = |n: &f64, k: u32| if *n == 0.0 { 0.0 } else { n * 2f64.powi(k.min(2000) as i32) };
        self.nodes(a).count(&self.layout.columns_of(over).levels, (0.0, 1.0), |a, b| a + b, double)
    }

    /// Tuples over these columns, which must hold the support. None if the number does not fit.
    pub fn count_exact(&self, a: &Relation, over: Vars) -> Option<u128> {
        let add = |a: &Option<u128>, b: &Option<u128>| (*a)?.checked_add((*b)?);
        let double = |n: &Option<u128>, k: u32| n.and_then(|n| if n == 0 { Some(0) } else { shifted(n, k) });
        self.nodes(a).count(&self.layout.columns_of(over).levels, (Some(0), Some(1)), add, double)
    }

    /// The least valuation in the order, false before true from the root downwards; columns that do not matter are
    /// false. It gives a value to each of these columns and to no other. None if the relation is empty.
    pub fn pick(&self, a: &Relation, over: Vars) -> Option<Vec<(Column, bool)>> {
        let path = match &a.0 {
            Repr::Biodivine(a) => biodivine::least_path(&a.bdd),
        }?;
        let value = |column: &Column| {
            let level = self.layout.level(*column);
            path.binary_search_by_key(&level, |&(level, _)| level).is_ok_and(|place| path[place].1)
        };
        Some(self.layout.columns_of(over).columns.iter().map(|column| (*column, value(column))).collect())
    }

    /// Is the relation true of these values? Columns that are not named count as false.
    pub fn contains(&self, a: &Relation, values: &[(Column, bool)]) -> bool {
        let mut set: Vec<u32> =
            values.iter().filter(|(_, value)| *value).map(|&(column, _)| self.layout.level(column)).collect();
        set.sort_unstable();
        let value = |level: u32| set.binary_search(&level).is_ok();
        match &a.0 {
            Repr::Biodivine(a) => biodivine::evaluate(&a.bdd, value),
        }
    }

    /// The columns that the relation depends on, sorted.
    pub fn support(&self, a: &Relation) -> Vec<Column> {
        let mut columns: Vec<Column> = match &a.0 {
            Repr::Biodivine(a) => a.support().iter().map(|&level| self.layout.column(level.into())).collect(),
        };
        columns.sort_unstable();
        columns
    }

    /// Disjoint cubes that together are the relation: the paths of the BDD, false before true from the root downwards.
    /// Each names the columns that it fixes, from the root downwards.
    pub fn clauses(&self, a: &Relation) -> Clauses<'_> {
        Clauses { layout: &self.layout, paths: self.nodes(a).paths() }
    }

    /// Looks at the limits now. For loops that might go on without any operation.
    pub fn check(&self) -> Result<(), Stop> {
        self.budget.check()
    }

    /// Inner nodes of all relations that are alive.
    pub fn live_nodes(&self) -> u64 {
        self.budget.meter.nodes.get()
    }

    /// The most nodes that were alive at once.
    pub fn peak_nodes(&self) -> u64 {
        self.budget.meter.peak.get()
    }

    /// The work done so far: steps inside operations that were really carried out. Deterministic.
    pub fn work(&self) -> u64 {
        self.budget.work()
    }

    fn constant(&self, value: bool) -> Relation {
        match &self.engine {
            Engine::Biodivine(engine) => Relation(Repr::Biodivine(engine.constant(value))),
        }
    }

    fn binary(&self, operation: Binary, a: &Relation, b: &Relation) -> Result<Relation, Stop> {
        on_engine!(self, [a, b], engine => engine.binary(&self.budget, operation, a, b))
    }

    fn nodes(&self, a: &Relation) -> Nodes {
        match &a.0 {
            Repr::Biodivine(a) => biodivine::nodes(&a.bdd),
        }
    }
}

/// See [`Space::clauses`].
#[derive(Clone, Debug)]
pub struct Clauses<'a> {
    layout: &'a Layout,
    paths: Paths,
}

impl Iterator for Clauses<'_> {
    type Item = Vec<(Column, bool)>;

    fn next(&mut self) -> Option<Self::Item> {
        let path = self.paths.next()?;
        Some(path.into_iter().map(|(level, value)| (self.layout.column(level), value)).collect())
    }
}

/// The most bytes of results that are kept alive only because they might be asked for again.
const KEEP: u64 = 64 << 20;

fn shifted(n: u128, k: u32) -> Option<u128> {
    n.checked_shl(k).filter(|shifted| shifted >> k == n)
}
