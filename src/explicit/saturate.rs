//! The saturation: for each head the control locations (and states below) that reading its symbol can lead to.

use std::collections::VecDeque;

use spds_format::Spds;
use spds_format::automaton::{Automaton, End, StateId};
use spds_format::model::{ControlId, Head, Stack, SymbolId};

use super::heads::{Heads, Rules};
use crate::limits::{Limits, Stop};
use crate::rows::{Chains, Rows};

/// The edges of a set that begin in states: for each state symbols and targets, sorted.
pub(super) fn below(set: &Automaton) -> Rows<(SymbolId, StateId)> {
    let mut edges: Vec<(u32, SymbolId, StateId)> = Vec::new();
    for edge in &set.edges {
        if let (End::State(from), Some(symbol), End::State(to)) = (edge.from, edge.symbol, edge.to) {
            edges.push((from.0, symbol, to));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    Rows::collect(set.states.len(), |pair| edges.iter().for_each(|&(from, symbol, to)| pair(from, (symbol, to))))
}

/// Which heads are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// Those that were given; another one has nothing to tell.
    Given,
    /// Those that are reached.
    Reached,
}

/// A row for each node. Nodes are heads and, before them, the states of a set, each for all stacks that begin there.
/// Bits of rows are control locations and, behind them, states of a set.
pub(super) struct Saturation<'a> {
    rules: &'a Rules,
    demand: Demand,
    controls: u32,
    below: &'a Rows<(SymbolId, StateId)>,
    pub heads: Heads,
    words: usize,
    rows: Vec<u64>,
    /// What is new in each row.
    delta: Vec<u64>,
    queued: Vec<bool>,
    /// Every bit that some row may ever have.
    all: Vec<u64>,
    /// Which rows have all of them: nothing needs to be joined to those.
    full: Vec<bool>,
    queue: VecDeque<u32>,
    /// For each symbol that lies below the control locations with which it has come on top, on demand.
    uncovered: Vec<u64>,
    /// Heads whose rules have not been looked at.
    fresh: Vec<u32>,
    /// For each node those whose rows contain its row.
    larger: Chains<u32>,
    /// For each node, as what is called first: the callers, and what lies below.
    calls: Chains<(u32, SymbolId)>,
    /// For each symbol that lies below: the callers, and what they call.
    returns: Vec<Vec<(u32, u32)>>,
    /// The first heads of each state's stacks, on demand.
    pub firsts: Vec<(u32, StateId)>,
    limits: Limits,
}

impl<'a> Saturation<'a> {
    pub fn new(
        spds: &Spds,
        rules: &'a Rules,
        below: &'a Rows<(SymbolId, StateId)>,
        demand: Demand,
        limits: Limits,
    ) -> Saturation<'a> {
        let controls = spds.controls.len();
        let (bits, nodes) = match demand {
            Demand::Given => (controls + below.len(), 0),
            Demand::Reached => (controls, below.len()),
        };
        let words = bits.div_ceil(64);
        let mut all = vec![0; words];
        let popped = spds.rules.iter().filter(|rule| rule.stack == Stack::Pop).map(|rule| rule.to.0);
        let states = match demand {
            Demand::Given => controls as u32..(controls + below.len()) as u32,
            Demand::Reached => 0..0,
        };
        popped.chain(states).for_each(|bit| all[bit as usize / 64] |= 1 << (bit % 64));
        Saturation {
            rules,
            demand,
            controls: controls as u32,
            below,
            heads: Heads::new(spds, nodes as u32),
            words,
            rows: vec![0; nodes * words],
            delta: vec![0; nodes * words],
            queued: vec![false; nodes],
            all,
            full: vec![false; nodes],
            uncovered: vec![0; if demand == Demand::Reached { spds.symbols.len() * words } else { 0 }],
            queue: VecDeque::new(),
            fresh: Vec::new(),
            larger: Chains::new(nodes, 0),
            calls: Chains::new(nodes, 0),
            returns: vec![Vec::new(); spds.symbols.len()],
            firsts: Vec::new(),
            limits,
        }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.queued.len()
    }

    pub fn row(&self, node: u32) -> &[u64] {
        &self.rows[node as usize * self.words..][..self.words]
    }

    /// The node of a head that is to be looked at.
    pub fn reach(&mut self, head: Head) -> u32 {
        if let Some(node) = self.heads.get(head) {
            return node;
        }
        let node = self.heads.add(head);
        self.rows.resize(self.rows.len() + self.words, 0);
        self.delta.resize(self.delta.len() + self.words, 0);
        self.queued.push(false);
        self.full.push(false);
        self.larger.add_list();
        self.calls.add_list();
        self.fresh.push(node);
        node
    }

    /// The node of a head that may matter.
    fn known(&mut self, head: Head) -> Option<u32> {
        match self.demand {
            Demand::Given => self.heads.get(head),
            Demand::Reached => Some(self.reach(head)),
        }
    }

    /// A head with which the stacks of a state begin (on demand).
    pub fn begin(&mut self, head: Head, state: StateId) {
        let node = self.reach(head);
        self.firsts.push((node, state));
        self.contain(state.0, node);
    }

    /// One more bit of a row.
    pub fn add(&mut self, node: u32, bit: u32) {
        let word = node as usize * self.words + bit as usize / 64;
        let bit = 1 << (bit % 64);
        if self.rows[word] & bit == 0 {
            self.rows[word] |= bit;
            self.delta[word] |= bit;
            self.grown(node);
        }
    }

    /// Something is new in a node's row.
    fn grown(&mut self, node: u32) {
        self.full[node as usize] = self.row(node) == self.all;
        self.enqueue(node);
    }

    fn enqueue(&mut self, node: u32) {
        if !std::mem::replace(&mut self.queued[node as usize], true) {
            self.queue.push_back(node);
        }
    }

    /// From now on the first node's row contains that of the second.
    fn contain(&mut self, node: u32, other: u32) {
        self.larger.push(other as usize, node);
        self.join(node, other);
    }

    /// The first node's row, and now all of the second's.
    fn join(&mut self, node: u32, other: u32) {
        if self.full[node as usize] {
            return;
        }
        let (to, from) = (node as usize * self.words, other as usize * self.words);
        let mut some = 0;
        for i in 0..self.words {
            let new = self.rows[from + i] & !self.rows[to + i];
            some |= new;
            self.rows[to + i] |= new;
            self.delta[to + i] |= new;
        }
        if some != 0 {
            self.grown(node);
        }
    }

    /// The node's row, and now all of these bits.
    fn join_new(&mut self, node: u32, new: &[u64]) {
        if self.full[node as usize] {
            return;
        }
        let at = node as usize * self.words;
        let rows = &mut self.rows[at..at + self.words];
        let delta = &mut self.delta[at..at + self.words];
        let mut some = 0;
        for ((row, delta), new) in rows.iter_mut().zip(delta).zip(new) {
            let new = new & !*row;
            some |= new;
            *row |= new;
            *delta |= new;
        }
        if some != 0 {
            self.grown(node);
        }
    }

    /// Calls made by a node have come back to these bits of a word, with this symbol below.
    fn all_returned(&mut self, caller: u32, (word, mut new): (usize, u64), below: SymbolId) {
        if self.full[caller as usize] {
            if self.demand == Demand::Given {
                return;
            }
            // Nothing is to be joined, but heads may be met.
            let uncovered = &mut self.uncovered[below.0 as usize * self.words + word];
            new &= !std::mem::replace(uncovered, *uncovered | new);
        }
        for bit in bits_of(word, new) {
            self.returned(caller, bit, below);
        }
    }

    /// A call made by a node has come back to this bit, with this symbol below.
    fn returned(&mut self, caller: u32, bit: u32, below: SymbolId) {
        if let Some(state) = bit.checked_sub(self.controls) {
            let edges = &self.below[state as usize];
            let from = edges.partition_point(|(symbol, _)| *symbol < below);
            let place = self.below.range(state as usize).start + from;
            for (symbol, to) in &self.below.items()[place..self.below.range(state as usize).end] {
                if *symbol != below {
                    break;
                }
                self.add(caller, self.controls + to.0);
            }
        } else if let Some(node) = self.known(Head { control: ControlId(bit), symbol: below }) {
            self.join(caller, node);
        }
    }

    /// Looks at a head's rules for the first time.
    fn open(&mut self, node: u32) {
        let head = self.heads.head(node).expect("only heads are fresh");
        for place in self.rules.range(head) {
            let (to, stack) = self.rules.step(place);
            match stack {
                Stack::Pop => self.add(node, to.0),
                Stack::Swap(symbol) => {
                    if let Some(next) = self.known(Head { control: to, symbol }) {
                        self.contain(node, next);
                    }
                }
                Stack::Push(symbol, below) => {
                    let Some(entry) = self.known(Head { control: to, symbol }) else { continue };
                    self.calls.push(entry as usize, (node, below));
                    self.returns[below.0 as usize].push((node, entry));
                    for word in 0..self.words {
                        let known = self.row(entry)[word];
                        self.all_returned(node, (word, known), below);
                    }
                }
            }
        }
    }

    /// Until nothing is new.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn run(&mut self) -> Result<(), Stop> {
        let mut new = vec![0u64; self.words];
        let mut turns = 0u32;
        loop {
            if turns.is_multiple_of(256) {
                self.check()?;
            }
            turns = turns.wrapping_add(1);
            if let Some(node) = self.fresh.pop() {
                self.open(node);
                continue;
            }
            let Some(node) = self.queue.pop_front() else { return Ok(()) };
            self.queued[node as usize] = false;
            let at = node as usize * self.words;
            for (new, delta) in new.iter_mut().zip(&mut self.delta[at..at + self.words]) {
                *new = std::mem::take(delta);
            }
            self.pass_on(node, &new);
        }
    }

    /// What is new in a node's row goes on to all that depends on it.
    fn pass_on(&mut self, node: u32, new: &[u64]) {
        let mut place = self.larger.first(node as usize);
        while let Some(at) = place {
            self.join_new(*self.larger.get(at), new);
            place = self.larger.next(at);
        }
        let mut place = self.calls.first(node as usize);
        while let Some(at) = place {
            let (caller, below) = *self.calls.get(at);
            for (word, new) in new.iter().enumerate().filter(|(_, new)| **new != 0) {
                self.all_returned(caller, (word, *new), below);
            }
            place = self.calls.next(at);
        }
        let Some(Head { control, symbol }) = self.heads.head(node) else {
            self.went_on(StateId(node), new);
            return;
        };
        let (word, bit) = (control.0 as usize / 64, control.0 % 64);
        for i in 0..self.returns[symbol.0 as usize].len() {
            let (caller, entry) = self.returns[symbol.0 as usize][i];
            if !self.full[caller as usize] && self.rows[entry as usize * self.words + word] >> bit & 1 == 1 {
                self.join_new(caller, new);
            }
        }
    }

    /// All of the stack down to a state has been popped: what lies below is on top.
    fn went_on(&mut self, state: StateId, new: &[u64]) {
        for place in self.below.range(state.0 as usize) {
            let (symbol, to) = self.below.items()[place];
            for bit in bits(new) {
                self.begin(Head { control: ControlId(bit), symbol }, to);
            }
        }
    }

    fn check(&self) -> Result<(), Stop> {
        if self.limits.is_late() {
            return Err(Stop::Timeout);
        }
        let bytes = 8 * (self.rows.capacity() + self.delta.capacity()) as u64;
        if self.limits.memory.is_some_and(|memory| bytes > memory) {
            return Err(Stop::Memory);
        }
        Ok(())
    }
}

/// The bits of a row, ascending.
pub(super) fn bits(row: &[u64]) -> impl Iterator<Item = u32> + '_ {
    row.iter().enumerate().flat_map(|(word, bits)| bits_of(word, *bits))
}

/// The bits of one word of a row.
fn bits_of(word: usize, mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(word as u32 * 64 + bit)
    })
}
