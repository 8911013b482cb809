//! The saturation: for each head the control locations (and states below) that reading its symbol can lead to.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use spds_format::Spds;
use spds_format::automaton::{Automaton, End, StateId};
use spds_format::model::{ControlId, Head, Stack, SymbolId};

use super::heads::{Heads, Move, Rules};
use crate::limits::{Limits, Stop};
use crate::packed::{Chains, Rows};

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

/// A node from which a call is made, and whether the mark is met as it is made.
type Caller = (u32, bool);

/// A row for each node. Nodes are heads and, before them, the states of a set, each for all stacks that begin there.
/// Bits of rows are control locations and, behind them, states of a set. Where an automaton's marks count rows are twice as
/// long: the second half tells with which control locations a call can return that has met the mark.
pub(super) struct Saturation<'a> {
    rules: &'a Rules<'a>,
    demand: Demand,
    controls: u32,
    below: &'a Rows<(SymbolId, StateId)>,
    pub heads: Heads,
    words: usize,
    /// Where the second half of each row begins, if it has one; else its end.
    half: usize,
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
    /// For each node those whose rows contain its row, and whether the mark is met before.
    larger: Chains<(u32, bool)>,
    /// For each node, as what is called first: the callers, and what lies below.
    calls: Chains<(Caller, SymbolId)>,
    /// For each symbol that lies below: the callers, and what they call.
    returns: Vec<Vec<(Caller, u32)>>,
    /// The first heads of each state's stacks, on demand.
    pub firsts: Vec<(u32, StateId)>,
    /// When each bit was added, if that is recorded.
    log: Option<FxHashMap<(u32, u32), u32>>,
    limits: Limits,
}

impl<'a> Saturation<'a> {
    pub fn new(
        spds: &Spds,
        rules: &'a Rules<'a>,
        below: &'a Rows<(SymbolId, StateId)>,
        demand: Demand,
        limits: Limits,
    ) -> Saturation<'a> {
        let controls = rules.controls();
        let (bits, nodes) = match demand {
            Demand::Given => (controls + below.count(), 0),
            Demand::Reached => (controls, below.count()),
        };
        let half = bits.div_ceil(64);
        let words = if rules.marked() { 2 * half } else { half };
        let mut all = vec![0; words];
        let popped = spds.rules.iter().filter(|rule| rule.stack == Stack::Pop).flat_map(|rule| rules.product(rule.to));
        let states = match demand {
            Demand::Given => controls as u32..(controls + below.count()) as u32,
            Demand::Reached => 0..0,
        };
        popped.chain(states).for_each(|bit| {
            for first in (0..words).step_by(half.max(1)) {
                all[first + bit as usize / 64] |= 1 << (bit % 64);
            }
        });
        Saturation {
            rules,
            demand,
            controls: controls as u32,
            below,
            heads: Heads::new(controls, spds.symbols.len(), nodes as u32),
            words,
            half,
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
            log: None,
            limits,
        }
    }

    /// From now on records when each bit is added: each was derived from earlier ones.
    pub fn recording(mut self) -> Self {
        self.log = Some(FxHashMap::default());
        self
    }

    /// When a bit of a node's row was added, if it was recorded.
    pub fn recorded(&self, node: u32, bit: u32, marked: bool) -> Option<u32> {
        let bit = if marked { bit + (self.words - self.half) as u32 * 64 } else { bit };
        self.log.as_ref().and_then(|log| log.get(&(node, bit)).copied())
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.queued.len()
    }

    pub fn row(&self, node: u32) -> &[u64] {
        &self.rows[node as usize * self.words..][..self.half]
    }

    /// The second half of a node's row; the row itself where no marks count.
    pub fn marked_row(&self, node: u32) -> &[u64] {
        &self.whole_row(node)[self.words - self.half..]
    }

    fn whole_row(&self, node: u32) -> &[u64] {
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
        self.contain(state.0, node, false);
    }

    /// One more bit of a row, with the mark if it is met.
    fn popped(&mut self, node: u32, bit: u32, marked: bool) {
        self.add(node, bit);
        if marked && self.half < self.words {
            self.add(node, (self.half * 64) as u32 + bit);
        }
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
        if let Some(log) = &mut self.log {
            let at = node as usize * self.words;
            for bit in bits(&self.delta[at..at + self.words]) {
                let next = log.len() as u32 + 1;
                log.entry((node, bit)).or_insert(next);
            }
        }
        self.full[node as usize] = self.whole_row(node) == self.all;
        self.enqueue(node);
    }

    fn enqueue(&mut self, node: u32) {
        if !std::mem::replace(&mut self.queued[node as usize], true) {
            self.queue.push_back(node);
        }
    }

    /// From now on the first node's row contains that of the second, with the mark if it is met before.
    fn contain(&mut self, node: u32, other: u32, marked: bool) {
        self.larger.push(other as usize, (node, marked));
        self.join(node, other, marked);
    }

    /// The first node's row, and now all of the second's.
    fn join(&mut self, node: u32, other: u32, marked: bool) {
        if self.full[node as usize] {
            return;
        }
        let (to, from) = (node as usize * self.words, other as usize * self.words);
        let mut some = 0;
        for i in 0..self.words {
            let mut new = self.rows[from + i];
            if marked && i >= self.half {
                new |= self.rows[from + i - self.half];
            }
            new &= !self.rows[to + i];
            some |= new;
            self.rows[to + i] |= new;
            self.delta[to + i] |= new;
        }
        if some != 0 {
            self.grown(node);
        }
    }

    /// The node's row, and now all of these bits.
    fn join_new(&mut self, node: u32, new: &[u64], marked: bool) {
        if self.full[node as usize] {
            return;
        }
        let at = node as usize * self.words;
        let some = join_words(&mut self.rows[at..at + self.words], &mut self.delta[at..at + self.words], new);
        // What has been met without the mark counts as met with it.
        let half = at + self.half..at + self.words;
        let more = match marked && self.half < self.words {
            true => join_words(&mut self.rows[half.clone()], &mut self.delta[half], &new[..self.half]),
            false => false,
        };
        if some || more {
            self.grown(node);
        }
    }

    /// Calls made by a node have come back to these bits of a word, with this symbol below.
    fn all_returned(&mut self, (caller, marked): Caller, (word, mut new): (usize, u64), below: SymbolId) {
        if self.full[caller as usize] {
            if self.demand == Demand::Given {
                return;
            }
            // Nothing is to be joined, but heads may be met.
            let uncovered = &mut self.uncovered[below.0 as usize * self.words + word];
            new &= !std::mem::replace(uncovered, *uncovered | new);
        }
        let second = word >= self.half;
        let word = if second { word - self.half } else { word };
        for bit in bits_of(word, new) {
            self.returned((caller, marked || second), bit, below);
        }
    }

    /// A call made by a node has come back to this bit, with this symbol below.
    fn returned(&mut self, (caller, marked): Caller, bit: u32, below: SymbolId) {
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
            self.join(caller, node, marked);
        }
    }

    /// Looks at a head's rules for the first time.
    fn open(&mut self, node: u32) {
        let head = self.heads.head(node).expect("only heads are fresh");
        let rules = self.rules;
        for Move { to, stack, marked, .. } in rules.of(head) {
            match stack {
                Stack::Pop => self.popped(node, to.0, marked),
                Stack::Swap(symbol) => {
                    if let Some(next) = self.known(Head { control: to, symbol }) {
                        self.contain(node, next, marked);
                    }
                }
                Stack::Push(symbol, below) => {
                    let Some(entry) = self.known(Head { control: to, symbol }) else { continue };
                    self.calls.push(entry as usize, ((node, marked), below));
                    self.returns[below.0 as usize].push(((node, marked), entry));
                    for word in 0..self.words {
                        let known = self.whole_row(entry)[word];
                        self.all_returned((node, marked), (word, known), below);
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
            let (larger, marked) = *self.larger.get(at);
            self.join_new(larger, new, marked);
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
            self.went_on(StateId(node), &new[..self.half]);
            return;
        };
        let (word, bit) = (control.0 as usize / 64, control.0 % 64);
        for i in 0..self.returns[symbol.0 as usize].len() {
            let ((caller, marked), entry) = self.returns[symbol.0 as usize][i];
            if !self.full[caller as usize] && self.row(entry)[word] >> bit & 1 == 1 {
                let marked = marked || self.half < self.words && self.marked_row(entry)[word] >> bit & 1 == 1;
                self.join_new(caller, new, marked);
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

    /// # Errors
    /// If it is late.
    pub fn check_time(&self) -> Result<(), Stop> {
        self.limits.check()
    }

    fn check(&self) -> Result<(), Stop> {
        self.check_time()?;
        let recorded = self.log.as_ref().map_or(0, |log| 16 * log.capacity());
        let bytes = (8 * (self.rows.capacity() + self.delta.capacity()) + recorded) as u64;
        if self.limits.memory.is_some_and(|memory| bytes > memory) {
            return Err(Stop::Memory);
        }
        Ok(())
    }
}

/// Adds what is new to a row, and to what is new in it. Whether there was anything.
fn join_words(row: &mut [u64], delta: &mut [u64], new: &[u64]) -> bool {
    let mut some = 0;
    for ((row, delta), new) in row.iter_mut().zip(delta).zip(new) {
        let new = new & !*row;
        some |= new;
        *row |= new;
        *delta |= new;
    }
    some != 0
}

/// The bits of a row, ascending.
pub(super) fn bits(row: &[u64]) -> impl Iterator<Item = u32> + '_ {
    row.iter().enumerate().flat_map(|(word, bits)| bits_of(word, *bits))
}

/// The bits of one word of a row.
pub(super) fn bits_of(word: usize, mut bits: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros())?;
        bits &= bits - 1;
        Some(word as u32 * 64 + bit)
    })
}
