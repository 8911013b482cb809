//! A BDD as a tree of decisions, written as an expression.

use rustc_hash::FxHashMap;
use spds_format::expr::{Binary, Op};
use spds_format::model::Scalar;

use super::MOST_OPERATIONS;
use super::form::{Literal, largest, spell as spell_literal};
use super::units::Placed;
use crate::bdd::{Column, Decision, Relation, Space};
use crate::limits::Stop;

/// How a node is written.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// Only the test of its bit, or the opposite.
    Test(bool),
    /// The test or the opposite, and a node.
    And(bool, u32),
    /// The test or the opposite, or a node.
    Or(bool, u32),
    /// The test is different from a node.
    Xor(u32),
    /// If the test, the first node, else the second.
    Ite(u32, u32),
}

/// What is left to write.
enum Task {
    Node(u32),
    Op(Op),
}

/// The nodes of a BDD, numbered from 2.
struct Tree<'a> {
    scope: &'a [Placed],
    /// Which bit of which scalar of the scope each tests.
    tests: Vec<(usize, usize)>,
    shapes: Vec<Shape>,
}

/// The conjunction or disjunction of tests of one integer's bits.
struct Tested {
    op: Binary,
    mask: u64,
    bits: u64,
    /// The node after it.
    next: Option<u32>,
}

impl Tree<'_> {
    fn scalar(&self, node: u32) -> usize {
        self.tests[node as usize - 2].0
    }

    fn weight(&self, node: u32) -> u64 {
        1 << self.tests[node as usize - 2].1
    }

    /// The conjunction or disjunction that begins at a node, if one does.
    fn tested(&self, node: u32) -> Option<Tested> {
        let place = self.scalar(node);
        let (mut mask, mut bits, mut next) = (0u64, 0u64, Some(node));
        let mut joined = None;
        while let Some(at) = next.filter(|at| self.scalar(*at) == place) {
            let (op, value, rest) = match self.shapes[at as usize - 2] {
                Shape::Test(value) => (joined.unwrap_or(Binary::And), value, None),
                Shape::And(value, rest) => (Binary::And, value, Some(rest)),
                Shape::Or(value, rest) => (Binary::Or, value, Some(rest)),
                Shape::Xor(_) | Shape::Ite(..) => break,
            };
            if joined.is_some_and(|joined| joined != op) {
                break;
            }
            joined = Some(op);
            let weight = self.weight(at);
            mask |= weight;
            // Of a disjunction the opposite is tested.
            bits |= if value == (op == Binary::And) { weight } else { 0 };
            next = rest;
        }
        joined.map(|op| Tested { op, mask, bits, next })
    }

    /// That these bits of the scalar that a node tests are as given, or not.
    fn literal(&self, node: u32, mask: u64, bits: u64, yes: bool) -> Literal {
        let cell = self.scope[self.scalar(node)].cell;
        match cell.scalar {
            Scalar::Bool => Literal::Is(cell, (bits == 1) == yes),
            scalar if mask == largest(scalar) => {
                let same = Literal::Within(cell, vec![(bits, bits)]);
                if yes { same } else { same.negated() }
            }
            _ => Literal::Masked(cell, mask, bits, yes),
        }
    }
}

/// Appends the relation, which must be neither empty nor full and depend on nothing else, in postorder.
pub(super) fn spell(space: &Space, scope: &[Placed], relation: &Relation, ops: &mut Vec<Op>) -> Result<(), Stop> {
    let decisions = space.decisions(relation);
    let mut place_of: FxHashMap<Column, (usize, usize)> = FxHashMap::default();
    for (place, placed) in scope.iter().enumerate() {
        place_of.extend(placed.columns.iter().enumerate().map(|(bit, column)| (*column, (place, bit))));
    }
    let tests = decisions.iter().map(|decision| place_of[&decision.column]).collect();
    let tree = Tree { scope, tests, shapes: shapes(&decisions) };
    sized(&tree.shapes)?;
    let mut written = 0u32;
    let mut tasks = vec![Task::Node(decisions.len() as u32 + 1)];
    while let Some(task) = tasks.pop() {
        let node = match task {
            Task::Op(op) => {
                ops.push(op);
                continue;
            }
            Task::Node(node) => node,
        };
        written += 1;
        if written.is_multiple_of(1024) {
            space.check()?;
        }
        let weight = tree.weight(node);
        match (tree.tested(node), tree.shapes[node as usize - 2]) {
            (Some(Tested { op, mask, bits, next }), _) => {
                spell_literal(ops, &tree.literal(node, mask, bits, op == Binary::And));
                if let Some(next) = next {
                    tasks.extend([Task::Op(Op::Binary(op)), Task::Node(next)]);
                }
            }
            (_, Shape::Xor(other)) => {
                spell_literal(ops, &tree.literal(node, weight, weight, true));
                tasks.extend([Task::Op(Op::Binary(Binary::Xor)), Task::Node(other)]);
            }
            (_, Shape::Ite(yes, no)) => {
                spell_literal(ops, &tree.literal(node, weight, weight, true));
                tasks.extend([Task::Op(Op::Ite), Task::Node(no), Task::Node(yes)]);
            }
            (_, Shape::Test(_) | Shape::And(..) | Shape::Or(..)) => {
                unreachable!("such a node begins a conjunction or a disjunction")
            }
        }
    }
    Ok(())
}

/// How each node is written; nodes are numbered as in [`Space::decisions`].
fn shapes(decisions: &[Decision]) -> Vec<Shape> {
    let number_of: FxHashMap<Decision, u32> = decisions.iter().copied().zip(2..).collect();
    // The complement of each node, if it is a node, too.
    let mut complements: Vec<Option<u32>> = vec![Some(1), Some(0)];
    for Decision { column, low, high } in decisions {
        let both = complements[*low as usize].zip(complements[*high as usize]);
        let complement = both.map(|(low, high)| Decision { column: *column, low, high });
        complements.push(complement.and_then(|complement| number_of.get(&complement).copied()));
    }
    // A complement may come later in the list than the node.
    for node in 2..complements.len() {
        if let Some(other) = complements[node] {
            complements[other as usize] = Some(node as u32);
        }
    }
    let shape = |decision: &Decision| match (decision.low, decision.high) {
        (0, 1) => Shape::Test(true),
        (1, 0) => Shape::Test(false),
        (0, high) => Shape::And(true, high),
        (low, 0) => Shape::And(false, low),
        (1, high) => Shape::Or(false, high),
        (low, 1) => Shape::Or(true, low),
        (low, high) if complements[low as usize] == Some(high) => Shape::Xor(low),
        (low, high) => Shape::Ite(high, low),
    };
    decisions.iter().map(shape).collect()
}

/// Whether the tree can be written at all.
fn sized(shapes: &[Shape]) -> Result<(), Stop> {
    // Counted in operations, of which a test has up to five.
    let mut sizes: Vec<u64> = vec![0, 0];
    for shape in shapes {
        let size = |node: u32| sizes[node as usize];
        let below = match *shape {
            Shape::Test(_) => 0,
            Shape::And(_, node) | Shape::Or(_, node) | Shape::Xor(node) => size(node),
            Shape::Ite(yes, no) => size(yes).saturating_add(size(no)),
        };
        sizes.push(below.saturating_add(6));
    }
    let size = sizes.last().copied().unwrap_or(0);
    if size > MOST_OPERATIONS { Err(Stop::Formula) } else { Ok(()) }
}
