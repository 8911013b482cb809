//! Formulas for sets of values: conjunctions of sums of products of simple tests.

use spds_format::expr::{Binary, Expr, Op, Time, Unary};
use spds_format::model::{Scalar, Var};

/// A scalar in scope: a variable, or a cell of an array, at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// When.
    pub time: Time,
    /// The variable; of which frame a local is, who asks knows.
    pub var: Var,
    /// The index of the cell, as the program counts, if the variable is an array.
    pub index: Option<u32>,
    /// The type of its values.
    pub scalar: Scalar,
}

/// First and last of some values that follow each other.
pub type Interval = (u64, u64);

/// A simple test.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// The Boolean has this value.
    Is(Cell, bool),
    /// The two have the same value, or they have not.
    Same(Cell, Cell, bool),
    /// The first is less than the second, or may also be equal.
    Less(Cell, Cell, OrEqual),
    /// The value of the integer lies in one of these intervals, which ascend and do not touch: neither none nor all.
    Within(Cell, Vec<Interval>),
    /// The bits of the integer under a mask are these, or they are not.
    Masked(Cell, u64, u64, bool),
}

/// Whether equality will do, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OrEqual {
    /// It will.
    Yes,
    /// It will not.
    No,
}

/// Simple tests that all hold.
pub type Product = Vec<Literal>;

/// Products one of which holds.
pub type Sum = Vec<Product>;

/// A set of values: all of these sums hold. Without a sum it is true.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Formula {
    /// The sums, none of them empty, none with an empty product.
    pub sums: Vec<Sum>,
}

/// A comparison of an integer with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// How it is compared.
    pub op: Binary,
    /// With what.
    pub number: u64,
}

/// How an integer's values are told by comparisons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparisons {
    /// One of these groups holds; of a group all hold.
    Any(Vec<Vec<Comparison>>),
    /// All of these groups hold; of a group one holds.
    All(Vec<Vec<Comparison>>),
}

impl Comparisons {
    /// How many comparisons there are.
    pub fn count(&self) -> usize {
        let (Comparisons::Any(groups) | Comparisons::All(groups)) = self;
        groups.iter().map(Vec::len).sum()
    }
}

/// The largest value of a type.
pub fn largest(scalar: Scalar) -> u64 {
    u64::MAX >> (64 - scalar.bits())
}

/// What is left of the values of a type without those in the intervals.
pub fn others(scalar: Scalar, intervals: &[Interval]) -> Vec<Interval> {
    let mut left = Vec::new();
    let mut next = Some(0);
    for &(first, last) in intervals {
        if let Some(next) = next.filter(|next| *next < first) {
            left.push((next, first - 1));
        }
        next = last.checked_add(1);
    }
    left.extend(next.filter(|next| *next <= largest(scalar)).map(|next| (next, largest(scalar))));
    left
}

/// The fewest comparisons that tell whether a value of the type lies in these intervals.
pub fn comparisons(scalar: Scalar, intervals: &[Interval]) -> Comparisons {
    let most = largest(scalar);
    let is = |op, number| Comparison { op, number };
    let inside = intervals.iter().map(|&(first, last)| match (first, last) {
        (first, last) if first == last => vec![is(Binary::Eq, first)],
        (0, last) => vec![is(Binary::Le, last)],
        (first, last) if last == most => vec![is(Binary::Ge, first)],
        (first, last) => vec![is(Binary::Ge, first), is(Binary::Le, last)],
    });
    let outside = others(scalar, intervals);
    let outside = outside.iter().map(|&(first, last)| match (first, last) {
        (first, last) if first == last => vec![is(Binary::Ne, first)],
        (0, last) => vec![is(Binary::Gt, last)],
        (first, last) if last == most => vec![is(Binary::Lt, first)],
        (first, last) => vec![is(Binary::Lt, first), is(Binary::Gt, last)],
    });
    let (any, all) = (Comparisons::Any(inside.collect()), Comparisons::All(outside.collect()));
    if any.count() <= all.count() { any } else { all }
}

impl Literal {
    /// The opposite.
    pub fn negated(&self) -> Literal {
        match self {
            Literal::Is(cell, value) => Literal::Is(*cell, !value),
            Literal::Same(a, b, same) => Literal::Same(*a, *b, !same),
            Literal::Less(a, b, OrEqual::Yes) => Literal::Less(*b, *a, OrEqual::No),
            Literal::Less(a, b, OrEqual::No) => Literal::Less(*b, *a, OrEqual::Yes),
            Literal::Within(cell, intervals) => Literal::Within(*cell, others(cell.scalar, intervals)),
            Literal::Masked(cell, mask, bits, same) => Literal::Masked(*cell, *mask, *bits, !same),
        }
    }

    /// How much there is to read.
    fn weight(&self) -> usize {
        match self {
            Literal::Is(..) => 1,
            Literal::Within(cell, intervals) => comparisons(cell.scalar, intervals).count(),
            Literal::Same(..) | Literal::Less(..) | Literal::Masked(..) => 2,
        }
    }
}

/// How much there is to read.
pub fn weight(sums: &[Sum]) -> usize {
    sums.iter().flatten().flatten().map(Literal::weight).sum()
}

impl Formula {
    /// These scalars have these values.
    pub fn of_constants(constants: &[(Cell, u64)]) -> Formula {
        let literal = |&(cell, value): &(Cell, u64)| match cell.scalar {
            Scalar::Bool => Literal::Is(cell, value == 1),
            Scalar::Unsigned(_) => Literal::Within(cell, vec![(value, value)]),
        };
        Formula { sums: constants.iter().map(|constant| vec![vec![literal(constant)]]).collect() }
    }

    /// Whether every value belongs to it.
    pub fn is_true(&self) -> bool {
        self.sums.is_empty()
    }

    /// The formula as an expression over its cells.
    pub fn expr(&self) -> Expr {
        let mut ops = Vec::new();
        self.spell(&mut ops);
        Expr::from_postorder(ops).expect("every fold leaves one operand")
    }

    /// Appends the formula in postorder.
    pub(super) fn spell(&self, ops: &mut Vec<Op>) {
        fold(ops, Binary::And, &self.sums, true, |ops, sum| {
            fold(ops, Binary::Or, sum, false, |ops, product| {
                fold(ops, Binary::And, product, true, spell);
            });
        });
    }
}

/// All items, joined by an operator; the constant if there is none.
fn fold<T>(ops: &mut Vec<Op>, op: Binary, items: &[T], empty: bool, mut spell: impl FnMut(&mut Vec<Op>, &T)) {
    if items.is_empty() {
        ops.push(Op::Bool(empty));
    }
    for (number, item) in items.iter().enumerate() {
        spell(ops, item);
        if number > 0 {
            ops.push(Op::Binary(op));
        }
    }
}

pub(super) fn spell(ops: &mut Vec<Op>, literal: &Literal) {
    match literal {
        Literal::Is(cell, value) => {
            read(ops, cell);
            ops.extend((!value).then_some(Op::Unary(Unary::Not)));
        }
        Literal::Same(a, b, same) => {
            read(ops, a);
            read(ops, b);
            ops.push(Op::Binary(match (a.scalar, same) {
                (Scalar::Bool, true) => Binary::Iff,
                (Scalar::Bool, false) => Binary::Xor,
                (Scalar::Unsigned(_), true) => Binary::Eq,
                (Scalar::Unsigned(_), false) => Binary::Ne,
            }));
        }
        Literal::Less(a, b, or_equal) => {
            read(ops, a);
            read(ops, b);
            ops.push(Op::Binary(if *or_equal == OrEqual::Yes { Binary::Le } else { Binary::Lt }));
        }
        Literal::Within(cell, intervals) => {
            let comparisons = comparisons(cell.scalar, intervals);
            let (outer, inner) = match comparisons {
                Comparisons::Any(_) => (Binary::Or, Binary::And),
                Comparisons::All(_) => (Binary::And, Binary::Or),
            };
            let (Comparisons::Any(groups) | Comparisons::All(groups)) = comparisons;
            fold(ops, outer, &groups, outer == Binary::And, |ops, group| {
                fold(ops, inner, group, inner == Binary::And, |ops, comparison| {
                    read(ops, cell);
                    ops.extend([Op::Number(comparison.number), Op::Binary(comparison.op)]);
                });
            });
        }
        Literal::Masked(cell, mask, bits, same) => {
            read(ops, cell);
            ops.extend([Op::Number(*mask), Op::Binary(Binary::BitAnd), Op::Number(*bits)]);
            ops.push(Op::Binary(if *same { Binary::Eq } else { Binary::Ne }));
        }
    }
}

fn read(ops: &mut Vec<Op>, cell: &Cell) {
    match cell.index {
        None => ops.push(Op::Read(cell.var, cell.time)),
        Some(index) => ops.extend([Op::Number(u64::from(index)), Op::Cell(cell.var, cell.time)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_of_intervals_reaches_to_both_ends() {
        let byte = Scalar::Unsigned(8);
        assert_eq!(others(byte, &[]), [(0, 255)]);
        assert_eq!(others(byte, &[(0, 255)]), []);
        assert_eq!(others(byte, &[(1, 3), (5, 5)]), [(0, 0), (4, 4), (6, 255)]);
        assert_eq!(others(Scalar::Unsigned(64), &[(3, u64::MAX)]), [(0, 2)]);
    }

    #[test]
    fn the_shorter_way_to_compare_is_taken() {
        let byte = Scalar::Unsigned(8);
        let count = |intervals: &[Interval]| comparisons(byte, intervals).count();
        assert_eq!(count(&[(0, 4), (6, 255)]), 1, "n != 5");
        assert_eq!(count(&[(2, 5)]), 2, "n >= 2 & n <= 5");
        assert_eq!(count(&[(3, 255)]), 1, "n >= 3");
        assert_eq!(
            comparisons(byte, &[(7, 7)]),
            Comparisons::Any(vec![vec![Comparison { op: Binary::Eq, number: 7 }]])
        );
    }
}
