//! Terms, each built once: equal terms have equal numbers.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

use super::value::{Operator, mask};

/// A term: an index into a [`Terms`]. Operands have smaller numbers than what is built from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32);

impl Term {
    /// Its index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How a term is built.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// The variable with this number; numbers are the caller's.
    Variable(u32),
    /// A value.
    Constant(u128),
    /// A polynomial: monomials with coefficients, sorted by monomial, none 0, and a constant. Monomials are products, or terms
    /// that are no sum, product or constant.
    Sum(Box<[(Term, u128)]>, u128),
    /// A monomial of degree two or more: its factors, sorted.
    Product(Box<[Term]>),
    /// An operator and its operands.
    Binary(Operator, Term, Term),
    /// Bitwise negation.
    Not(Term),
    /// If the first, a condition, is true the second, else the third.
    Ite(Term, Term, Term),
    /// A narrower term made wider, with zeros or with its sign.
    Extend {
        /// With its sign.
        signed: bool,
        /// The narrower term.
        of: Term,
    },
    /// Some bits of a wider term, from bit `low` upwards.
    Extract {
        /// The wider term.
        of: Term,
        /// The lowest bit.
        low: u8,
    },
}

/// A term as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    node: Node,
    width: u8,
}

/// All terms.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    entries: Vec<Entry>,
    table: HashTable<u32>,
    /// The variables of the terms of which they were asked.
    occurring: FxHashMap<Term, Rc<[u32]>>,
}

impl Terms {
    /// None yet.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// How a term is built.
    pub fn node(&self, term: Term) -> &Node {
        &self.entries[term.index()].node
    }

    /// Whether its operands have as many bits as it needs. Of a term that has others, nothing is known.
    pub fn is_typed(&self, term: Term) -> bool {
        let width = self.width(term);
        match *self.node(term) {
            Node::Variable(_) | Node::Constant(_) => true,
            Node::Sum(ref parts, _) => parts.iter().all(|&(part, _)| self.width(part) == width),
            Node::Product(ref factors) => factors.iter().all(|&factor| self.width(factor) == width),
            Node::Binary(operator, a, b) => {
                let truth = matches!(operator, Operator::Eq | Operator::Ult | Operator::Slt);
                self.width(a) == self.width(b) && (truth || self.width(a) == width)
            }
            Node::Not(of) => self.width(of) == width,
            Node::Ite(condition, yes, no) => {
                self.width(condition) == 1 && self.width(yes) == width && self.width(no) == width
            }
            Node::Extend { of, .. } => self.width(of) <= width,
            Node::Extract { of, low } => u16::from(low) + u16::from(width) <= u16::from(self.width(of)),
        }
    }

    /// How many bits it has.
    pub fn width(&self, term: Term) -> u8 {
        self.entries[term.index()].width
    }

    /// The variable with that number. A number has one width.
    pub fn variable(&mut self, number: u32, width: u8) -> Term {
        self.intern(Node::Variable(number), width)
    }

    /// A value, modulo 2ʷ.
    pub fn constant(&mut self, value: u128, width: u8) -> Term {
        self.intern(Node::Constant(value & mask(width)), width)
    }

    /// A condition that is always true, or always false.
    pub fn truth(&mut self, value: bool) -> Term {
        self.constant(u128::from(value), 1)
    }

    /// The value of a term that is a constant.
    pub fn as_constant(&self, term: Term) -> Option<u128> {
        match self.node(term) {
            Node::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// All of them, in the order in which they were built.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The term of that form, which has to be a normal one.
    pub(super) fn intern(&mut self, node: Node, width: u8) -> Term {
        debug_assert!((1..=128).contains(&width), "{node:?} has {width} bits");
        let entries = &self.entries;
        let same = |&index: &u32| {
            let entry = &entries[index as usize];
            entry.width == width && entry.node == node
        };
        let found = self.table.find(hash(&node, width), same);
        if let Some(&index) = found {
            return Term(index);
        }
        let index = self.entries.len() as u32;
        let hash_of = hash(&node, width);
        self.entries.push(Entry { node, width });
        let entries = &self.entries;
        self.table.insert_unique(hash_of, index, |&index| {
            let entry = &entries[index as usize];
            hash(&entry.node, entry.width)
        });
        Term(index)
    }

    /// The operands of a term, each as often as it occurs.
    pub fn operands(&self, term: Term, mut each: impl FnMut(Term)) {
        match self.node(term) {
            Node::Variable(_) | Node::Constant(_) => {}
            Node::Sum(parts, _) => parts.iter().for_each(|&(part, _)| each(part)),
            Node::Product(factors) => factors.iter().copied().for_each(each),
            &Node::Binary(_, a, b) => [a, b].into_iter().for_each(each),
            &Node::Not(of) | &Node::Extend { of, .. } | &Node::Extract { of, .. } => each(of),
            &Node::Ite(condition, yes, no) => [condition, yes, no].into_iter().for_each(each),
        }
    }

    /// Walks over what some terms are built from, operands first, each once: those for which `wanted` says so and what is
    /// below them, without recursion.
    pub fn postorder(&self, roots: &[Term], mut wanted: impl FnMut(Term) -> bool) -> Vec<Term> {
        let mut order = Vec::new();
        let mut seen = hashbrown::HashSet::<Term, rustc_hash::FxBuildHasher>::default();
        let mut stack: Vec<(Term, bool)> = roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((term, finished)) = stack.pop() {
            if finished {
                order.push(term);
            } else if wanted(term) && seen.insert(term) {
                stack.push((term, true));
                self.operands(term, |operand| stack.push((operand, false)));
            }
        }
        order
    }

    /// The numbers of the variables that occur in a term, sorted. They are found once.
    pub fn variables_of(&mut self, term: Term) -> Rc<[u32]> {
        if let Some(known) = self.occurring.get(&term) {
            return known.clone();
        }
        let found: Rc<[u32]> = self.variables(&[term]).into();
        self.occurring.insert(term, found.clone());
        found
    }

    /// The numbers of the variables that occur in some terms, sorted.
    pub fn variables(&self, roots: &[Term]) -> Vec<u32> {
        let mut numbers: Vec<u32> = self
            .postorder(roots, |_| true)
            .into_iter()
            .filter_map(|term| match self.node(term) {
                Node::Variable(number) => Some(*number),
                _ => None,
            })
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

fn hash(node: &Node, width: u8) -> u64 {
    let mut hasher = FxHasher::default();
    node.hash(&mut hasher);
    width.hash(&mut hasher);
    hasher.finish()
}
