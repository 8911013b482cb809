//! Control alone: which heads are reached, above which stacks, and where calls return.

use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::automaton::{Automaton, Edge, End, State, StateId};
use spds_format::model::{ControlId, Head, Spds, Stack, Start, Symbol, SymbolId, Updates};

use crate::explicit;
use crate::limits::{Limits, Stop};
use crate::packed::Rows;

/// A system without its data.
pub struct Control {
    /// Its rules without guards and updates.
    pub spds: Spds,
    /// All that control reaches from the start: post*, as a graph.
    pub stacks: Stacks,
    /// For each head in which control locations a call that begins there can return.
    returns: FxHashMap<Head, Vec<ControlId>>,
}

impl Control {
    /// Saturates twice, forwards from the start and backwards from the empty stack.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn new(spds: &Spds, limits: &Limits) -> Result<Control, Stop> {
        let spds = without_data(spds);
        let reached = explicit::post(&spds, &Automaton::start(&spds), limits)?;
        let mut returns: FxHashMap<Head, Vec<ControlId>> = FxHashMap::default();
        for edge in explicit::pre(&spds, &Automaton::default(), limits)?.edges {
            if let (End::Control(control), Some(symbol), End::Control(to)) = (edge.from, edge.symbol, edge.to) {
                returns.entry(Head { control, symbol }).or_default().push(to);
            }
        }
        let stacks = Stacks::new(&reached);
        Ok(Control { spds, stacks, returns })
    }

    /// Whether control comes to the head.
    pub fn reaches(&self, head: Head) -> bool {
        self.stacks.tops.contains_key(&head)
    }

    /// The control locations in which a call that begins at the head can return.
    pub fn returns(&self, entry: Head) -> &[ControlId] {
        self.returns.get(&entry).map_or(&[], |controls| controls)
    }

    /// The heads that control reaches and from which it can come to one of these, be it by returning.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn leading_to(&self, goals: &[Head], limits: &Limits) -> Result<FxHashSet<Head>, Stop> {
        let first = goals.iter().map(|head| (End::Control(head.control), head.symbol));
        let set = above_anything(&self.spds, first);
        let pre = explicit::pre(&self.spds, &set, limits)?;
        Ok(self.stacks.meet(&pre, Some).map(|(head, _)| head).collect())
    }
}

/// The configurations with one of these control locations and topmost symbols, whatever lies below.
pub fn above_anything(spds: &Spds, first: impl Iterator<Item = (End, SymbolId)>) -> Automaton {
    let state = State { name: "anything".into(), frame: None, carries: Box::default(), accepting: true };
    let to = End::State(StateId(0));
    let below = (0..spds.symbols.len() as u32).map(|symbol| (to, SymbolId(symbol)));
    let edges = first.chain(below).map(|(from, symbol)| Edge { from, symbol: Some(symbol), to, condition: None });
    Automaton { states: vec![state], edges: edges.collect() }
}

/// The same symbols and control locations, and rules that lead from and to the same heads.
fn without_data(spds: &Spds) -> Spds {
    let plain = |symbol: &Symbol| Symbol {
        name: symbol.name.clone(),
        frame: None,
        place: None,
        labels: Box::default(),
        invariant: None,
    };
    let mut rules = spds.rules.clone();
    for rule in &mut rules {
        (rule.guard, rule.with, rule.label, rule.silent) = (None, None, None, false);
        rule.updates = Updates::default();
    }
    let mut seen = FxHashSet::default();
    rules.retain(|rule| seen.insert((rule.from, rule.to, stack_key(rule.stack))));
    Spds {
        controls: spds.controls.clone(),
        symbols: spds.symbols.iter().map(plain).collect(),
        rules,
        start: Start { condition: None, ..spds.start.clone() },
        ..Spds::default()
    }
}

fn stack_key(stack: Stack) -> [u32; 2] {
    match stack {
        Stack::Pop => [u32::MAX; 2],
        Stack::Swap(symbol) => [symbol.0, u32::MAX],
        Stack::Push(symbol, below) => [symbol.0, below.0],
    }
}

/// An automaton of configurations as a graph: which symbols lie below which heads.
pub struct Stacks {
    /// For each head the states that lie below.
    tops: FxHashMap<Head, Vec<StateId>>,
    /// For each state what lies below it.
    below: Rows<(SymbolId, StateId)>,
    /// Which states lie at the bottom.
    bottom: Vec<bool>,
}

/// A place in two automata at once, both having read the same symbols.
type Both = (End, StateId);

impl Stacks {
    fn new(set: &Automaton) -> Stacks {
        let mut tops: FxHashMap<Head, Vec<StateId>> = FxHashMap::default();
        for edge in &set.edges {
            if let (End::Control(control), Some(symbol), End::State(to)) = (edge.from, edge.symbol, edge.to) {
                tops.entry(Head { control, symbol }).or_default().push(to);
            }
        }
        let below = Rows::collect(set.states.len(), |pair| {
            for edge in &set.edges {
                if let (End::State(from), Some(symbol), End::State(to)) = (edge.from, edge.symbol, edge.to) {
                    pair(from.0, (symbol, to));
                }
            }
        });
        Stacks { tops, below, bottom: set.states.iter().map(|state| state.accepting).collect() }
    }

    /// The heads, in no order.
    pub fn heads(&self) -> impl Iterator<Item = Head> + '_ {
        self.tops.keys().copied()
    }

    /// The heads of a set of configurations that lie above a stack that is also in this one; `original` says which of
    /// this set's control locations stands behind one of the other set's. The other set is one that pre* computed.
    /// Linear in the product of the two automata.
    pub fn meet(
        &self,
        other: &Automaton,
        original: impl Fn(ControlId) -> Option<ControlId>,
    ) -> impl Iterator<Item = (Head, Head)> {
        let common = Common::new(self, other);
        let mut pairs: Vec<(Head, Head)> = Vec::new();
        for (&(from, symbol), ends) in &common.edges {
            let End::Control(control) = from else { continue };
            let Some(here) = original(control) else { continue };
            let here = Head { control: here, symbol };
            let states = self.tops.get(&here).map_or(&[][..], |states| states);
            if states.iter().any(|state| ends.iter().any(|end| common.good.contains(&(*end, *state)))) {
                pairs.push((Head { control, symbol }, here));
            }
        }
        pairs.sort_unstable();
        pairs.into_iter()
    }

    /// A shortest stack, topmost symbol first, with this head (of this set; `from` is that of the other one) in both sets.
    pub fn shortest(&self, other: &Automaton, from: ControlId, head: Head) -> Option<Vec<SymbolId>> {
        let common = Common::new(self, other);
        let firsts = common.edges.get(&(End::Control(from), head.symbol))?;
        let mut came: FxHashMap<Both, Option<(Both, SymbolId)>> = FxHashMap::default();
        let mut queue: Vec<Both> = Vec::new();
        for state in self.tops.get(&head)? {
            queue.extend(firsts.iter().map(|end| (*end, *state)));
        }
        queue.sort_unstable();
        queue.retain(|both| common.good.contains(both) && came.insert(*both, None).is_none());
        let mut next = 0;
        while let Some(&both) = queue.get(next) {
            next += 1;
            if common.ends(self, both) {
                let mut stack = Vec::new();
                let mut at = both;
                while let Some(Some((before, symbol))) = came.get(&at) {
                    stack.push(*symbol);
                    at = *before;
                }
                stack.push(head.symbol);
                stack.reverse();
                return Some(stack);
            }
            for (symbol, after) in common.after(self, both) {
                if common.good.contains(&after) && !came.contains_key(&after) {
                    came.insert(after, Some((both, symbol)));
                    queue.push(after);
                }
            }
        }
        None
    }
}

/// Two automata that read the same stacks.
struct Common {
    /// Of the other automaton.
    edges: FxHashMap<(End, SymbolId), Vec<End>>,
    accepting: Vec<bool>,
    /// From which both can read on to the end.
    good: FxHashSet<Both>,
}

impl Common {
    fn new(stacks: &Stacks, other: &Automaton) -> Common {
        let mut edges: FxHashMap<(End, SymbolId), Vec<End>> = FxHashMap::default();
        for edge in &other.edges {
            if let Some(symbol) = edge.symbol {
                edges.entry((edge.from, symbol)).or_default().push(edge.to);
            }
        }
        let accepting = other.states.iter().map(|state| state.accepting).collect();
        let mut common = Common { edges, accepting, good: FxHashSet::default() };
        common.good = common.reading_on(stacks);
        common
    }

    fn ends(&self, stacks: &Stacks, (end, state): Both) -> bool {
        matches!(end, End::State(other) if self.accepting[other.0 as usize]) && stacks.bottom[state.0 as usize]
    }

    fn after<'c>(&'c self, stacks: &'c Stacks, (end, state): Both) -> impl Iterator<Item = (SymbolId, Both)> + 'c {
        stacks.below[state.0 as usize].iter().flat_map(move |&(symbol, next)| {
            let ends = self.edges.get(&(end, symbol)).map_or(&[][..], |ends| ends);
            ends.iter().map(move |end| (symbol, (*end, next)))
        })
    }

    /// All pairs from which a pair of ends can be reached, backwards from these.
    fn reading_on(&self, stacks: &Stacks) -> FxHashSet<Both> {
        let ends: FxHashSet<End> = self.edges.values().flatten().copied().collect();
        let mut before: FxHashMap<Both, Vec<Both>> = FxHashMap::default();
        let mut good: FxHashSet<Both> = FxHashSet::default();
        let mut work: Vec<Both> = Vec::new();
        for state in (0..stacks.bottom.len() as u32).map(StateId) {
            for &end in &ends {
                let both = (end, state);
                if self.ends(stacks, both) && good.insert(both) {
                    work.push(both);
                }
                for (_, after) in self.after(stacks, both) {
                    before.entry(after).or_default().push(both);
                }
            }
        }
        while let Some(both) = work.pop() {
            for &earlier in before.get(&both).map_or(&[][..], |list| list) {
                if good.insert(earlier) {
                    work.push(earlier);
                }
            }
        }
        good
    }
}
