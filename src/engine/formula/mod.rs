//! Formulas for sets of values and for relations between values at several moments: from BDDs back to expressions.
//!
//! First what is simple to say: scalars with one value, variables that keep theirs (`x' = x`), others that are equal,
//! how integers compare. Then the rest, as a sum of products or a product of sums, whichever is shorter; none of that
//! follows the order of the BDD. Where such a formula would be too long, [`spell_relation`] follows the BDD instead.

mod cover;
pub mod form;
mod shorten;
mod tree;
mod units;

use spds_format::expr::{Binary, Expr, Op};

use crate::bdd::{Column, Relation, Space};
use crate::limits::Stop;
use form::{Cell, Formula};
use shorten::Desk;
pub use units::Placed;

/// A set of values in words.
#[derive(Clone, Debug)]
pub struct Described {
    /// Scalars that have one value only.
    pub constants: Vec<(Cell, u64)>,
    /// None if it would have more products than wanted.
    pub formula: Option<Formula>,
}

/// Describes a set, which must not be empty, over these scalars, with at most `most` products in a sum. Where one of two
/// equal scalars can go without saying, it is the later one. What else the set depends on is forgotten (∃).
///
/// # Errors
/// If a limit of the space is met. Time is in proportion to the length of the formula times the size of the BDD, and to
/// the number of pairs of integers.
pub fn describe(space: &Space, scope: &[Placed], set: &Relation, most: usize) -> Result<Described, Stop> {
    let mut desk = Desk::new(space, scope, within(space, scope, set)?);
    let constants = desk.constants()?;
    desk.copies()?;
    desk.equalities()?;
    Ok(Described { constants, formula: desk.finish(most)? })
}

/// A relation as a short expression over these scalars, each of which has its moment: exactly that relation, as soon as
/// the scalars hold everything it depends on (else with the rest forgotten). None if a sum in it would have more than
/// `most` products; then there is [`spell_relation`].
///
/// # Errors
/// As [`describe`].
pub fn describe_relation(
    space: &Space,
    scope: &[Placed],
    relation: &Relation,
    most: usize,
) -> Result<Option<Expr>, Stop> {
    if space.is_empty(relation) {
        return Ok(Some(constant(false)));
    }
    Ok(describe(space, scope, relation, most)?.formula.map(|formula| formula.expr()))
}

/// A relation as an expression over these scalars, however complicated it is: constants and equalities as in
/// [`describe_relation`], and for the rest the BDD as a tree of decisions on bits of scalars.
///
/// The tree is linear in the BDD where no node is shared. Expressions cannot share: a node is written once for each way
/// that leads to it, except where its two successors are each other's complements (`b ^ …`) or one of them is constant.
/// At worst that is exponential in the number of bits; then it is not written, and that is the answer. The result
/// depends on the order of BDD variables.
///
/// # Errors
/// [`Stop::Formula`] if the expression had more than [`MOST_OPERATIONS`] operations, or if a limit of the space is met.
pub fn spell_relation(space: &Space, scope: &[Placed], relation: &Relation) -> Result<Expr, Stop> {
    if space.is_empty(relation) {
        return Ok(constant(false));
    }
    let mut desk = Desk::new(space, scope, within(space, scope, relation)?);
    desk.constants()?;
    desk.copies()?;
    desk.equalities()?;
    let mut ops = Vec::new();
    let said = Formula { sums: std::mem::take(&mut desk.sums) };
    let rest = !space.is_full(&desk.set);
    if rest {
        tree::spell(space, scope, &desk.set, &mut ops)?;
    }
    if !said.is_true() || !rest {
        said.spell(&mut ops);
        ops.extend(rest.then_some(Op::Binary(Binary::And)));
    }
    Ok(Expr::from_postorder(ops).expect("each part is one operand"))
}

/// The longest expression that [`spell_relation`] writes: some hundred megabytes of text, which no one reads.
pub const MOST_OPERATIONS: u64 = 20_000_000;

fn constant(value: bool) -> Expr {
    Expr::from_postorder([Op::Bool(value)]).expect("a constant is an expression")
}

/// The set as far as it concerns these scalars.
fn within(space: &Space, scope: &[Placed], set: &Relation) -> Result<Relation, Stop> {
    let mut shown: Vec<Column> = scope.iter().flat_map(|placed| placed.columns.iter().copied()).collect();
    shown.sort_unstable();
    let gone = space.support(set).into_iter().filter(|column| shown.binary_search(column).is_err());
    space.exists(set, space.vars(gone))
}
