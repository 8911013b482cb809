//! Decisions of many relations, each once.

use rustc_hash::FxHashMap;

use crate::bdd::{At, Relation, Space};
use crate::certificate::{Moment, Node, Set};

/// The decisions of a certificate.
#[derive(Default)]
pub(super) struct Nodes {
    /// Operands before those that use them.
    pub list: Vec<Node>,
    known: FxHashMap<Node, Set>,
    relations: FxHashMap<(Relation, At), Set>,
}

impl Nodes {
    /// The set that is a relation, whose values at the entry are in this copy and those now in Now.
    pub fn add(&mut self, space: &Space, relation: &Relation, entry: At) -> Set {
        if let Some(set) = self.relations.get(&(relation.clone(), entry)) {
            return *set;
        }
        let mut sets: Vec<Set> = vec![0, 1];
        for decision in space.decisions(relation) {
            let (bit, at) = decision.column;
            let moment = if at == entry { Moment::Entry } else { Moment::Now };
            let (high, low) = (sets[decision.high as usize], sets[decision.low as usize]);
            let node = Node { moment, bit: bit.0, high, low };
            let list = &mut self.list;
            let set = *self.known.entry(node).or_insert_with(|| {
                list.push(node);
                list.len() as Set + 1
            });
            sets.push(set);
        }
        let set = match sets.len() {
            2 => Set::from(space.is_full(relation)),
            last => sets[last - 1],
        };
        self.relations.insert((relation.clone(), entry), set);
        set
    }
}
