//! Where locals cease to live: at the end of their block, and wherever control leaves it (C11 §6.2.4 p5-7). What lives in the outermost
//! block of a procedure ends with its frame.

use std::collections::{HashMap, HashSet};

use super::Lowering;
use super::scope::ScopeId;
use crate::c::program::{Label, Statement, StatementKind, VariableId};

/// What is known of a procedure being made about where its locals live.
#[derive(Debug, Default)]
pub struct Lifetimes {
    /// So many scopes are around the first block that ends before the frame.
    ground: usize,
    /// The block of each local that ends before the frame.
    blocks: HashMap<VariableId, ScopeId>,
    /// Those that hold where an array is whose size varies: it ends with them.
    varying: HashSet<VariableId>,
    /// The blocks around labels of the source.
    around: HashMap<Label, HashSet<ScopeId>>,
}

impl Lifetimes {
    /// Where so many scopes are around a procedure: its formals and its outermost block are two more.
    pub fn new(scopes: usize) -> Lifetimes {
        Lifetimes { ground: scopes + 2, ..Lifetimes::default() }
    }

    /// These blocks are around a label of the source.
    pub fn labels(&mut self, label: Label, around: HashSet<ScopeId>) {
        self.around.insert(label, around);
    }

    /// A label leads to one of these: each block around one of them may stay.
    pub fn one_of(&mut self, label: Label, labels: impl Iterator<Item = Label>) {
        let blocks = labels.filter_map(|label| self.around.get(&label)).flatten().copied().collect();
        self.around.insert(label, blocks);
    }

    /// A local holds where an array is that ends with it.
    pub fn varies(&mut self, local: VariableId) {
        self.varying.insert(local);
    }

    /// The ends that are none: those of locals whose address nobody takes, and where a jump to a label of the source stays in the block.
    /// Labels are still those of the procedure being made.
    pub fn idle(&self, statements: &[Statement], is_address_taken: impl Fn(VariableId) -> bool) -> Vec<usize> {
        let mut around = None;
        let mut idle = Vec::new();
        for (at, statement) in statements.iter().enumerate().rev() {
            match statement.kind {
                StatementKind::Dead(local) => {
                    let block = self.blocks.get(&local);
                    let stays =
                        around.zip(block).is_some_and(|(around, block): (&HashSet<_>, _)| around.contains(block));
                    if stays || !self.varying.contains(&local) && !is_address_taken(local) {
                        idle.push(at);
                    }
                }
                StatementKind::Goto(to) => around = self.around.get(&to),
                _ => around = None,
            }
        }
        idle
    }
}

impl Lowering<'_> {
    /// A local begins to live in the innermost block.
    pub fn lives_here(&mut self, local: VariableId) {
        if let (Some(scope), Some(body)) = (self.scopes.last_mut(), &mut self.body) {
            scope.locals.push(local);
            body.lifetimes.blocks.insert(local, scope.id);
        }
    }

    /// What lives in the scopes from this one on ceases to, as far as it does not end with the frame.
    pub fn end_of_blocks(&mut self, from: usize) {
        let Some(body) = &mut self.body else { return };
        let scopes = self.scopes.iter().skip(from.max(body.lifetimes.ground));
        let ended: Vec<VariableId> = scopes.flat_map(|scope| scope.locals.iter().copied()).collect();
        ended.into_iter().rev().for_each(|local| body.emit(StatementKind::Dead(local)));
    }
}
