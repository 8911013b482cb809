//! A system without data, or its product with an automaton, from its start: what runs come to, and runs that show it; and the
//! same asked backwards.

use std::collections::BTreeSet;

use petgraph::Direction;
use petgraph::graph::NodeIndex;
use spds_format::Spds;
use spds_format::automaton::StateId;
use spds_format::model::{ControlId, Head, SymbolId};

use super::graph::{Entries, Graph};
use super::heads::{Letters, Rules, STUCK};
use super::saturate::{Demand, Saturation, bits};
use super::search::{Place, Scope, Space, Step, Way};
use super::unwind::{Calls, Order, Through, Writer};
use crate::limits::{Limits, Stop};
use crate::packed::Rows;
use crate::run::{Ending, NoRun, Overflow, Run};

/// So many places are visited to find short ways through calls; so many are next to nothing.
const MANY_PLACES: u64 = 1 << 18;
const FEW_PLACES: u64 = 1 << 12;

/// What a run is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worth {
    /// It may have so many items.
    pub items: u64,
    /// Whether somebody wants to see it. If not, it is given up as soon as it costs more than next to nothing.
    pub wanted: bool,
}

/// A system, by its rules.
pub struct System<'a> {
    spds: &'a Spds,
    rules: Rules<'a>,
    /// The start's stack, as edges of an automaton.
    below: Rows<(SymbolId, StateId)>,
    initial: u32,
    limits: Limits,
}

/// What runs from the start of a system come to.
pub struct Reached<'a> {
    system: &'a System<'a>,
    all: Saturation<'a>,
}

/// What runs come to from anywhere, and the graph of heads.
pub struct Everywhere<'a> {
    known: Reached<'a>,
    graph: Graph,
}

/// Where runs can go round for ever.
pub struct Cycles {
    graph: Graph,
    /// For each component whether cycles of those that were asked for are in it.
    cyclic: Vec<bool>,
}

impl<'a> System<'a> {
    /// A system without variables and conditions, or with no variable but that which is always the number of the control
    /// location; its product with an automaton, if there are letters.
    pub fn new(spds: &'a Spds, letters: Option<&'a Letters>, limits: &Limits) -> System<'a> {
        let stack = &spds.start.stack;
        let below: Vec<(u32, (SymbolId, StateId))> =
            (1..stack.len() as u32).map(|depth| (depth - 1, (stack[depth as usize], StateId(depth)))).collect();
        let below = Rows::collect(stack.len(), |pair| below.iter().for_each(|&(state, edge)| pair(state, edge)));
        let initial = letters.map_or(0, |letters| letters.initial);
        System { spds, rules: Rules::with(spds, letters), below, initial, limits: *limits }
    }

    /// What is reached. With r rules of reached heads and k control locations time O(r · k · k/64) at worst.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn reached(&'a self) -> Result<Reached<'a>, Stop> {
        self.saturated(Saturation::new(self.spds, &self.rules, &self.below, Demand::Reached, self.limits))
    }

    /// What is reached from the start and from every head that has rules, with anything below: for searches backwards. As much time,
    /// for all rules.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn everywhere(&'a self) -> Result<Everywhere<'a>, Stop> {
        let mut all = Saturation::new(self.spds, &self.rules, &self.below, Demand::Reached, self.limits);
        for Head { control, symbol } in self.spds.rules.iter().map(|rule| rule.from) {
            for control in self.rules.product(control).map(ControlId) {
                all.reach(Head { control, symbol });
            }
        }
        let known = self.saturated(all)?;
        let graph = Graph::new(&self.rules, &known.all, Entries::Edges);
        Ok(Everywhere { known, graph })
    }

    fn saturated(&'a self, mut all: Saturation<'a>) -> Result<Reached<'a>, Stop> {
        all.begin(self.start(), StateId(0));
        all.run()?;
        Ok(Reached { system: self, all })
    }

    fn start(&self) -> Head {
        let start = &self.spds.start;
        Head { control: ControlId(start.control.0 * self.rules.states() + self.initial), symbol: start.stack[0] }
    }
}

impl Everywhere<'_> {
    /// Whether some run from the start comes to one of these heads: whether the start is in pre* of them, with anything below.
    pub fn comes_to(&self, wanted: impl Fn(Head) -> bool) -> bool {
        let rules = &self.known.system.rules;
        let heads = self.known.all.heads.iter();
        self.start_is_before(heads.filter(|(head, _)| wanted(rules.apart(*head).0)).map(|(_, node)| node).collect())
    }

    /// Whether some run from the start goes round for ever, by steps from heads that count in these states of the automaton; if
    /// its mark counts, by steps that meet it: whether the start is in pre* of the heads that repeat.
    pub fn goes_round(&self, counts: impl Fn(Head, u32) -> bool) -> bool {
        let cyclic = self.known.cyclic(&self.graph, counts);
        let nodes = 0..self.graph.component_of.len() as u32;
        self.start_is_before(nodes.filter(|node| cyclic[self.graph.component(*node) as usize]).collect())
    }

    /// Whether runs from the start may come to one of these nodes, found by going back from them.
    fn start_is_before(&self, goals: Vec<u32>) -> bool {
        let (edges, all) = (&self.graph.edges, &self.known.all);
        let mut before = vec![false; edges.node_count()];
        let mut open = goals;
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut before[node as usize], true) {
                let from = edges.neighbors_directed(NodeIndex::new(node as usize), Direction::Incoming);
                open.extend(from.map(|from| from.index() as u32).filter(|from| !before[*from as usize]));
            }
        }
        // What lies below is on top once all above it has returned.
        let mut on_top = vec![self.known.start().node];
        for symbol in self.known.system.spds.start.stack[1..].iter().map(Some).chain([None]) {
            if on_top.iter().any(|node| before[*node as usize]) {
                return true;
            }
            let Some(&symbol) = symbol else { break };
            let returned: BTreeSet<u32> = on_top.iter().flat_map(|node| bits(all.row(*node))).collect();
            let heads = returned.into_iter().map(|bit| Head { control: ControlId(bit), symbol });
            on_top = heads.filter_map(|head| all.heads.get(head)).collect();
        }
        false
    }
}

impl Cycles {
    /// Whether there are any.
    pub fn exist(&self) -> bool {
        self.cyclic.contains(&true)
    }
}

impl<'a> Reached<'a> {
    /// The heads of all configurations that are reached, without states of the automaton; some of them several times.
    pub fn heads(&self) -> impl Iterator<Item = Head> + '_ {
        self.all.heads.iter().map(|(head, _)| self.system.rules.apart(head).0)
    }

    /// The heads on top of all configurations that are reached, each with the control locations in which a run from there may come
    /// to what lies below, ascending. Of a system by itself, without an automaton.
    pub fn tops(&self) -> impl Iterator<Item = (Head, Box<[ControlId]>)> + '_ {
        self.all.heads.iter().map(|(head, node)| (head, bits(self.all.row(node)).map(ControlId).collect()))
    }

    fn space(&self) -> Space<'_, 'a> {
        Space { spds: self.system.spds, rules: &self.system.rules, all: &self.all }
    }

    fn start(&self) -> Place {
        let node = self.all.heads.get(self.system.start()).expect("the start is reached");
        Place { node, below: Some(0), met: false }
    }

    /// A run with as few steps as possible, a call that returns being one, to a head that is asked for. `None` if none is
    /// reached.
    ///
    /// # Errors
    /// If it has more items than it may, or a limit of the computation is met.
    pub fn run_to(&self, wanted: &dyn Fn(Head) -> bool, worth: Worth) -> Result<Option<Run>, NoRun> {
        let space = self.space();
        let goal = |_: usize, place: Place| wanted(self.system.rules.apart(space.head(place.node)).0);
        let Some(way) = space.way(self.start(), (Scope::Run, false), &|_| true, &goal)? else { return Ok(None) };
        self.written(way, None, Ending::Reached, worth).map(Some)
    }

    /// Where runs go round for ever, by steps from heads that count in these states of the automaton; if its mark counts, by
    /// steps that meet it.
    pub fn cycles(&self, counts: impl Fn(Head, u32) -> bool) -> Cycles {
        let graph = Graph::new(&self.system.rules, &self.all, Entries::Edges);
        let cyclic = self.cyclic(&graph, counts);
        Cycles { graph, cyclic }
    }

    /// For each component of the graph whether such runs can stay in it.
    fn cyclic(&self, graph: &Graph, counts: impl Fn(Head, u32) -> bool) -> Vec<bool> {
        let (rules, all) = (&self.system.rules, &self.all);
        let counted = |node: u32, marked: bool| {
            (marked || !rules.marked())
                && all.heads.head(node).is_some_and(|head| {
                    let (head, state) = rules.apart(head);
                    counts(head, state)
                })
        };
        graph.cyclic(all.len(), counted)
    }

    /// A lasso: a run with as short a stem as possible into such a component, and a shortest cycle there. Loops at `@end` and
    /// `@fail` and the repetition of a blocked configuration are endings, not cycles.
    ///
    /// # Errors
    /// If it has more items than it may, or a limit of the computation is met.
    pub fn lasso(&self, cycles: &Cycles, worth: Worth) -> Result<Option<Run>, NoRun> {
        let (space, graph) = (self.space(), &cycles.graph);
        let goal = |_: usize, place: Place| {
            cycles.cyclic[graph.component(place.node) as usize] && !space.is_hidden(space.head(place.node))
        };
        let Some(mut stem) = space.way(self.start(), (Scope::Run, false), &|_| true, &goal)? else { return Ok(None) };
        let last = *stem.places.last().expect("a way has a place");
        let start = Place { below: None, ..last };
        let marked = self.system.rules.marked();
        let scope = Scope::Component(&graph.component_of, graph.component(last.node));
        let closes = |round: usize, place: Place| round > 0 && place == Place { met: marked, ..start };
        let cycle = space.way(start, (scope, marked), &|_| true, &closes)?;
        let cycle = cycle.expect("each place of such a component is on such a cycle");
        let length = stem.steps.len();
        stem.places.extend(&cycle.places[1..]);
        stem.steps.extend(&cycle.steps);
        if let Some((end, ending)) = self.end(&stem) {
            stem.places.truncate(end + 1);
            stem.steps.truncate(end);
            return self.written(stem, None, ending, worth).map(Some);
        }
        self.written(stem, Some(length), Ending::Loop, worth).map(Some)
    }

    /// Where a way comes to its end although it could go on repeating that for ever, and how it ends.
    fn end(&self, way: &Way) -> Option<(usize, Ending)> {
        let spds = self.system.spds;
        (0..way.steps.len()).find_map(|at| {
            let next = Some(self.space().head(way.places[at + 1].node).symbol);
            match way.steps[at] {
                Step::By(STUCK) => Some((at, Ending::Stuck)),
                _ if next == spds.end => Some((at, Ending::Terminated)),
                _ if next == spds.fail => Some((at, Ending::Failed)),
                _ => None,
            }
        })
    }

    /// Ways through the calls on a way, and these calls, each after those inside it.
    fn calls(&self, way: &Way, worth: Worth) -> Result<(Calls, Vec<usize>), NoRun> {
        let (space, system) = (self.space(), self.system);
        let (limit, most) = (worth.items, if worth.wanted { MANY_PLACES } else { FEW_PLACES });
        let patient = match Calls::of(space, way, &mut Through::Shortest(most), limit) {
            Ok(calls) => match calls.inside_out(way) {
                Some(order) => return Ok((calls, order)),
                None => true,
            },
            Err(NoRun::Stopped(Stop::Patience)) if !worth.wanted => return Err(NoRun::TooLong(Overflow(limit))),
            // Those that were known first may be fewer.
            Err(NoRun::Stopped(Stop::Patience) | NoRun::TooLong(_)) => false,
            Err(no_run) => return Err(no_run),
        };
        let all = Saturation::new(system.spds, &system.rules, &system.below, Demand::Reached, system.limits);
        let log = system.saturated(all.recording())?.all;
        let graph = Graph::new(&system.rules, &log, Entries::Edges);
        let order = Order { log: &log, graph: &graph };
        let founded = match patient {
            true => Calls::of(space, way, &mut Through::Founded(&order, most), limit),
            false => Err(NoRun::Stopped(Stop::Patience)),
        };
        let calls = match founded {
            Err(NoRun::Stopped(Stop::Patience)) => Calls::of(space, way, &mut Through::Earliest(&order), limit)?,
            calls => calls?,
        };
        let order = calls.inside_out(way).expect("summaries are derived from earlier ones");
        Ok((calls, order))
    }

    /// The run along a way, whose cycle begins at that place.
    fn written(&self, way: Way, cycle: Option<usize>, ending: Ending, worth: Worth) -> Result<Run, NoRun> {
        let space = self.space();
        let (calls, order) = self.calls(&way, worth)?;
        let mut writer = Writer::new(space, &calls);
        let stack = &self.system.spds.start.stack;
        // The bottom symbol @end lies below main, yet main's configurations have no frame below them.
        let ends = stack.last().copied() == self.system.spds.end;
        let depth = (stack.len() as u32 - 1).saturating_sub(u32::from(ends));
        let calls = writer.calls(&order);
        let mut stem = writer.steps(&way, depth);
        let cycle = cycle.map(|first| {
            // The last place is the first of the cycle again.
            stem.pop();
            stem.split_off(first)
        });
        Ok(Run { stem, cycle, closes_on: None, calls, ending })
    }
}
