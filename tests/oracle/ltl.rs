//! Runs and what an automaton says of them, decided on concrete configurations.
//!
//! The tabulation of `mod.rs` once more, with the automaton's state beside the configuration and with marks carried
//! through summaries; then a graph whose edges are steps, calls that are never returned from, and calls with their
//! returns. Some run is accepted iff an edge of that graph bears a mark and lies on a cycle. A context holds what lies
//! directly below its frame, so what can and cannot return from it is exact.

use std::collections::BTreeSet;
use std::hash::Hash;
use std::rc::Rc;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use puch::ltl::Buchi;
use puch::ltl::atoms::{Meaning, Truth};
use puch::options::Runs;
use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::Spds;
use spds_format::model::{ControlId, SymbolId};

use super::semantics::{holds_before, invariant, successors};
use super::{Next, State, locals, starts};

/// A step as it changes the stack. States, frames below and returned values are numbers of a [`Machine`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Move {
    Step(usize),
    /// The callee's first state and what is left below.
    Call(usize, usize),
    Return(usize),
}

/// Gives equal things equal numbers.
struct Numbers<T> {
    all: Vec<T>,
    known: FxHashMap<T, usize>,
}

impl<T: Hash + Eq + Clone> Numbers<T> {
    fn new() -> Numbers<T> {
        Numbers { all: Vec::new(), known: FxHashMap::default() }
    }

    fn of(&mut self, thing: T) -> usize {
        *self.known.entry(thing).or_insert_with_key(|thing| {
            self.all.push(thing.clone());
            self.all.len() - 1
        })
    }
}

/// The configurations of a system as far as someone has asked for them.
pub struct Machine<'s> {
    pub spds: &'s Spds,
    states: Numbers<State>,
    /// A symbol below the topmost one, and its locals.
    below: Numbers<(SymbolId, Vec<u64>)>,
    exits: Numbers<(ControlId, Vec<u64>)>,
    moves: FxHashMap<usize, Rc<[Move]>>,
    silent: FxHashSet<(ControlId, SymbolId)>,
    /// No graph may have more edges.
    most: usize,
    /// Whether one had more; what was said of it means nothing.
    pub exceeded: bool,
}

impl<'s> Machine<'s> {
    pub fn new(spds: &'s Spds) -> Machine<'s> {
        let (states, below, exits) = (Numbers::new(), Numbers::new(), Numbers::new());
        let silent = spds.rules.iter().filter(|rule| rule.silent);
        let silent = silent.map(|rule| (rule.from.control, rule.from.symbol)).collect();
        Machine { spds, states, below, exits, moves: FxHashMap::default(), silent, most: usize::MAX, exceeded: false }
    }

    /// One that gives up, and says so, when a graph gets more edges than this.
    pub fn limited(spds: &'s Spds, most: usize) -> Machine<'s> {
        Machine { most, ..Machine::new(spds) }
    }

    pub fn state(&self, state: usize) -> &State {
        &self.states.all[state]
    }

    pub fn number(&mut self, state: &State) -> usize {
        self.states.of(state.clone())
    }

    pub fn starts(&mut self) -> Vec<usize> {
        starts(self.spds).into_iter().map(|state| self.states.of(state)).collect()
    }

    /// What may lie at that place of the start stack, counted from the top.
    pub fn start_below(&mut self, place: usize) -> Vec<Option<usize>> {
        let Some(symbol) = self.spds.start.stack.get(place) else { return vec![None] };
        locals(self.spds, *symbol).into_iter().map(|values| Some(self.below.of((*symbol, values)))).collect()
    }

    /// Whether silent rules are taken there.
    pub fn hidden(&self, state: usize) -> bool {
        let State { control, symbol, .. } = self.states.all[state];
        self.silent.contains(&(control, symbol))
    }

    /// Whether it is at `@end` or `@fail`.
    pub fn ended(&self, state: usize) -> bool {
        let symbol = Some(self.states.all[state].symbol);
        symbol == self.spds.end || symbol == self.spds.fail
    }

    pub fn moves(&mut self, state: usize) -> Rc<[Move]> {
        if let Some(moves) = self.moves.get(&state) {
            return moves.clone();
        }
        let next = successors(self.spds, &self.states.all[state].clone());
        let moves = next.into_iter().map(|(_, next)| match next {
            Next::Swap(state) => Move::Step(self.states.of(state)),
            Next::Push(entry, site, saved) => Move::Call(self.states.of(entry), self.below.of((site, saved))),
            Next::Pop(control, globals) => Move::Return(self.exits.of((control, globals))),
        });
        let moves: BTreeSet<Move> = moves.collect();
        self.moves.entry(state).or_insert(moves.into_iter().collect()).clone()
    }

    /// The state after a return, unless an invariant forbids it.
    pub fn resume(&mut self, exit: usize, below: usize) -> Option<usize> {
        let ((control, globals), (symbol, locals)) = (self.exits.all[exit].clone(), self.below.all[below].clone());
        let state = State { control, symbol, globals, locals };
        invariant(self.spds, &state).then(|| self.states.of(state))
    }

    /// Whether no step is possible on top of that: to a configuration that is seen, if need be through hidden ones. A
    /// run that returns from its lowest frame is not blocked: it terminates, in no configuration.
    pub fn blocked(&mut self, state: usize, below: Option<usize>) -> bool {
        !self.moves(state).iter().any(|step| {
            let next = match (*step, below) {
                (Move::Step(next) | Move::Call(next, _), _) => Some(next),
                (Move::Return(exit), Some(below)) => self.resume(exit, below),
                (Move::Return(_), None) => return true,
            };
            next.is_some_and(|next| !self.hidden(next) || !self.blocked(next, below))
        })
    }

    /// What holds in a state, proposition by proposition.
    pub fn letter(&self, meanings: &[Meaning], state: usize, stuck: bool) -> Vec<bool> {
        let state = &self.states.all[state];
        let truth = |meaning: &Meaning| match meaning.at(self.spds, state.symbol) {
            Truth::Constant(value) => value,
            Truth::Condition(condition) => holds_before(self.spds, condition, state),
            Truth::Stuck => stuck,
        };
        meanings.iter().map(truth).collect()
    }
}

/// Which runs are looked for.
#[derive(Clone, Copy)]
pub enum Wanted<'a> {
    /// Any.
    Any,
    /// Those that the automaton accepts, whose propositions mean this.
    Accepted(&'a Buchi, &'a [Meaning]),
}

impl Wanted<'_> {
    pub fn initial(&self) -> u32 {
        if let Wanted::Accepted(buchi, _) = self { buchi.initial.0 } else { 0 }
    }

    /// What reading the letter of a state does: the automaton's next states, and whether the edge bears the mark.
    pub fn read(&self, machine: &Machine<'_>, state: usize, stuck: bool, from: u32) -> Vec<(u32, bool)> {
        let Wanted::Accepted(buchi, meanings) = self else { return vec![(0, true)] };
        let letter = machine.letter(meanings, state, stuck);
        let edges = buchi.from(puch::ltl::automaton::StateId(from)).iter();
        let taken = edges.filter(|edge| buchi.labels.contains(edge.label, |p| letter[p as usize]));
        taken.map(|edge| (edge.to.0, edge.marked)).collect()
    }
}

/// Where a frame comes from, and what lies directly below it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Context {
    /// So many symbols of the start stack are gone.
    Start(usize, Option<usize>),
    Call {
        entry: usize,
        automaton: u32,
        below: usize,
    },
}

impl Context {
    fn below(self) -> Option<usize> {
        match self {
            Context::Start(_, below) => below,
            Context::Call { below, .. } => Some(below),
        }
    }
}

/// A configuration as far as a context knows it, and the automaton's state.
type Node = (Context, usize, u32);

#[derive(Default)]
struct Table {
    /// Nodes, and whether a mark was met since their frame was entered.
    reached: FxHashSet<(Node, bool)>,
    open: Vec<(Node, bool)>,
    /// Edges and their marks.
    graph: FxHashSet<(Node, Node, bool)>,
    /// Values returned, the automaton's state then, and whether a mark was met since the entry.
    summaries: FxHashMap<Context, FxHashSet<(usize, u32, bool)>>,
    /// Who called, whether a mark was met since *its* frame was entered, and in the step of the call.
    callers: FxHashMap<Context, FxHashSet<(Node, bool, bool)>>,
}

impl Table {
    fn reach(&mut self, node: Node, met: bool) {
        if self.reached.insert((node, met)) {
            self.open.push((node, met));
        }
    }

    fn edge(&mut self, from: Node, met: bool, mark: bool, to: Node) {
        self.graph.insert((from, to, mark));
        self.reach(to, met || mark);
    }
}

/// Whether there is a run of that kind among those that count.
pub fn exists(machine: &mut Machine<'_>, runs: Runs, wanted: Wanted<'_>) -> bool {
    let mut table = Table::default();
    for below in machine.start_below(1) {
        for state in machine.starts() {
            table.reach((Context::Start(0, below), state, wanted.initial()), false);
        }
    }
    while let Some((node, met)) = table.open.pop() {
        let (context, state, automaton) = node;
        if table.graph.len() > machine.most {
            machine.exceeded = true;
            return false;
        }
        if runs == Runs::Infinite && machine.ended(state) {
            continue;
        }
        if machine.hidden(state) {
            for step in machine.moves(state).iter() {
                let Move::Step(next) = *step else { unreachable!("silent rules are swaps") };
                table.edge(node, met, false, (context, next, automaton));
            }
            continue;
        }
        if runs == Runs::Stutter && machine.blocked(state, context.below()) {
            for (next, mark) in wanted.read(machine, state, true, automaton) {
                table.edge(node, met, mark, (context, state, next));
            }
            continue;
        }
        for (next, mark) in wanted.read(machine, state, false, automaton) {
            for step in machine.moves(state).iter() {
                match *step {
                    Move::Step(to) => table.edge(node, met, mark, (context, to, next)),
                    Move::Call(entry, below) => {
                        let callee = Context::Call { entry, automaton: next, below };
                        table.graph.insert((node, (callee, entry, next), mark));
                        table.reach((callee, entry, next), false);
                        table.callers.entry(callee).or_default().insert((node, met, mark));
                        for (exit, last, inside) in table.summaries.get(&callee).cloned().unwrap_or_default() {
                            if let Some(back) = machine.resume(exit, below) {
                                table.edge(node, met, mark || inside, (context, back, last));
                            }
                        }
                    }
                    Move::Return(exit) => returned(machine, &mut table, node, exit, (next, met, mark)),
                }
            }
        }
    }
    has_marked_cycle(&table.graph)
}

fn returned(
    machine: &mut Machine<'_>,
    table: &mut Table,
    node: Node,
    exit: usize,
    (next, met, mark): (u32, bool, bool),
) {
    let context = node.0;
    let Some(back) = context.below().and_then(|below| machine.resume(exit, below)) else { return };
    if let Context::Start(gone, _) = context {
        for below in machine.start_below(gone + 2) {
            table.edge(node, met, mark, (Context::Start(gone + 1, below), back, next));
        }
    } else if table.summaries.entry(context).or_default().insert((exit, next, met || mark)) {
        for (caller, before, at_call) in table.callers.get(&context).cloned().unwrap_or_default() {
            table.edge(caller, before, at_call || met || mark, (caller.0, back, next));
        }
    }
}

fn has_marked_cycle(edges: &FxHashSet<(Node, Node, bool)>) -> bool {
    let mut numbers = Numbers::new();
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    let mut marked = Vec::new();
    for (from, to, mark) in edges {
        let pair = [from, to].map(|node| numbers.of(*node));
        while graph.node_count() < numbers.all.len() {
            graph.add_node(());
        }
        graph.add_edge(NodeIndex::new(pair[0]), NodeIndex::new(pair[1]), ());
        marked.extend(mark.then_some(pair));
    }
    let mut component = vec![0; graph.node_count()];
    for (number, members) in kosaraju_scc(&graph).into_iter().enumerate() {
        members.into_iter().for_each(|node| component[node.index()] = number);
    }
    marked.into_iter().any(|[from, to]| component[from] == component[to])
}
