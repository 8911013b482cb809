//! Sifting: a better order of groups of levels for some BDDs, found by exchanging neighbours.
//!
//! Each group in turn, those with most nodes first, goes to every place and stays where all the BDDs together are smallest (Rudell,
//! *Dynamic variable ordering for ordered binary decision diagrams*, ICCAD 1993; groups: Panda and Somenzi, *Who are the variables
//! in your neighborhood*, ICCAD 1995). The BDDs are copied for that, so nobody else's nodes move: what is found is an order, for a
//! space yet to be made.

use rustc_hash::FxHashMap;

use super::nodes::Nodes;

/// So many times as large as at its best the whole may get while a group is on its way: 3 for 2.
const GROWTH: (usize, usize) = (3, 2);

/// Another pass is worth while if the last one took away at least one part in so many.
const WORTHWHILE: usize = 16;

/// BDDs that share their nodes, in an order that can be changed.
pub(super) struct Sifting {
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// The nodes of each column by their children.
    tables: Vec<FxHashMap<(u32, u32), u32>>,
    /// The columns of each group, uppermost first; groups from the root downwards.
    blocks: Vec<Block>,
    alive: usize,
    /// Nodes looked at so far.
    work: u64,
}

struct Block {
    group: u32,
    columns: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Node {
    column: u32,
    low: u32,
    high: u32,
    /// How many nodes and roots refer to it.
    references: u32,
}

const TERMINAL: u32 = u32::MAX;

impl Sifting {
    /// Of these BDDs; `group_of` tells to which group each level belongs, and levels of a group lie side by side.
    pub(super) fn new(of: &[Nodes], group_of: &[u32]) -> Sifting {
        let mut blocks: Vec<Block> = Vec::new();
        for (level, &group) in (0..).zip(group_of) {
            match blocks.last_mut().filter(|block| block.group == group) {
                Some(block) => block.columns.push(level),
                None => blocks.push(Block { group, columns: vec![level] }),
            }
        }
        let terminal = Node { column: TERMINAL, low: 0, high: 0, references: 1 };
        let tables = vec![FxHashMap::default(); group_of.len()];
        let mut sifting = Sifting { nodes: vec![terminal; 2], free: Vec::new(), tables, blocks, alive: 0, work: 0 };
        for bdd in of {
            let mut names = vec![0, 1];
            for node in bdd.inner() {
                let [low, high] = [node.low, node.high].map(|child| names[child as usize]);
                names.push(sifting.node(node.level, low, high));
            }
            let root = *names.last().expect("there are terminals");
            sifting.refer(root);
        }
        sifting
    }

    /// All nodes that are in use.
    pub(super) fn size(&self) -> usize {
        self.alive
    }

    /// The groups from the root downwards.
    pub(super) fn groups(&self) -> impl Iterator<Item = u32> {
        self.blocks.iter().map(|block| block.group)
    }

    /// Looks for a better order until there is none, or so many nodes have been looked at.
    pub(super) fn sift(&mut self, worth: u64) {
        let until = self.work.saturating_add(worth);
        loop {
            let before = self.alive;
            let mut groups: Vec<(usize, u32)> =
                self.blocks.iter().map(|block| (self.nodes_of(block), block.group)).collect();
            groups.sort_by_key(|&(nodes, group)| (std::cmp::Reverse(nodes), group));
            for (nodes, group) in groups {
                if nodes == 0 || self.work >= until {
                    break;
                }
                self.settle(group, until);
            }
            if self.work >= until || (before - self.alive) * WORTHWHILE <= before {
                return;
            }
        }
    }

    fn nodes_of(&self, block: &Block) -> usize {
        block.columns.iter().map(|&column| self.tables[column as usize].len()).sum()
    }

    /// Moves a group to where all is smallest.
    fn settle(&mut self, group: u32, until: u64) {
        let from = self.blocks.iter().position(|block| block.group == group).expect("groups stay");
        let last = self.blocks.len() - 1;
        let (mut here, mut best) = (from, (self.alive, from));
        // The shorter way first.
        let ends = if from < last - from { [0, last] } else { [last, 0] };
        for end in ends {
            while here != end && self.work < until && self.alive * GROWTH.1 <= best.0 * GROWTH.0 {
                here = self.towards(here, end);
                if self.alive < best.0 {
                    best = (self.alive, here);
                }
            }
        }
        while here != best.1 {
            here = self.towards(here, best.1);
        }
    }

    fn towards(&mut self, here: usize, end: usize) -> usize {
        let (upper, next) = if here < end { (here, here + 1) } else { (here - 1, here - 1) };
        self.exchange_blocks(upper);
        next
    }

    /// Exchanges a block with the one below it.
    fn exchange_blocks(&mut self, upper: usize) {
        let (above, below) = (self.blocks[upper].columns.clone(), self.blocks[upper + 1].columns.clone());
        for &low in &below {
            for &high in above.iter().rev() {
                self.exchange(high, low);
            }
        }
        self.blocks.swap(upper, upper + 1);
    }

    /// Exchanges a column with the one just below it: its nodes that depend on that stay what they are and are decided the
    /// other way round.
    fn exchange(&mut self, upper: u32, lower: u32) {
        self.work += self.tables[upper as usize].len() as u64 + 1;
        if self.tables[lower as usize].is_empty() {
            return;
        }
        let meets = |child: u32| self.nodes[child as usize].column == lower;
        let moving: Vec<u32> = self.tables[upper as usize]
            .iter()
            .filter(|&(&(low, high), _)| meets(low) || meets(high))
            .map(|(_, &node)| node)
            .collect();
        for node in moving {
            let Node { low, high, .. } = self.nodes[node as usize];
            self.tables[upper as usize].remove(&(low, high));
            let (low_low, low_high) = self.below(low, lower);
            let (high_low, high_high) = self.below(high, lower);
            let new_low = self.referred(upper, low_low, high_low);
            let new_high = self.referred(upper, low_high, high_high);
            let place = &mut self.nodes[node as usize];
            (place.column, place.low, place.high) = (lower, new_low, new_high);
            self.tables[lower as usize].insert((new_low, new_high), node);
            self.let_go(low);
            self.let_go(high);
        }
    }

    fn below(&self, node: u32, column: u32) -> (u32, u32) {
        let inner = self.nodes[node as usize];
        if inner.column == column { (inner.low, inner.high) } else { (node, node) }
    }

    fn referred(&mut self, column: u32, low: u32, high: u32) -> u32 {
        let node = self.node(column, low, high);
        self.refer(node);
        node
    }

    fn refer(&mut self, node: u32) {
        self.nodes[node as usize].references += 1;
    }

    /// The node with these children; nobody refers to it yet if it is new.
    fn node(&mut self, column: u32, low: u32, high: u32) -> u32 {
        if low == high {
            return low;
        }
        if let Some(&known) = self.tables[column as usize].get(&(low, high)) {
            return known;
        }
        let node = Node { column, low, high, references: 0 };
        let name = match self.free.pop() {
            Some(name) => {
                self.nodes[name as usize] = node;
                name
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        self.tables[column as usize].insert((low, high), name);
        self.refer(low);
        self.refer(high);
        self.alive += 1;
        name
    }

    /// One reference fewer; without any a node goes, and with it what only it referred to.
    fn let_go(&mut self, node: u32) {
        let mut going = vec![node];
        while let Some(node) = going.pop() {
            let Node { column, low, high, references } = self.nodes[node as usize];
            self.nodes[node as usize].references = references - 1;
            if references == 1 && column != TERMINAL {
                self.tables[column as usize].remove(&(low, high));
                self.free.push(node);
                self.alive -= 1;
                going.extend([low, high]);
            }
        }
    }
}
