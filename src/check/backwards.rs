//! Properties decided backwards: is the start among the configurations from which a bad head can be reached?
//!
//! The other reduction of Esparza & Schwoon (CAV 2001, §2.2): c0 ∈ pre*(B Γ*), where B are the heads asked for, or those
//! from which an accepting run goes round for ever. The latter are found in the head graph over all values, reachable or
//! not, its calls summarised by pre* of the empty stack (§3.3), as a hull (νZ. μY. Z ∧ (pre_marked(Z) ∪ pre(Y)), Emerson &
//! Lei, LICS 1986) in each component. Nothing is shared with the search forwards but the steps of single rules.

use std::collections::BTreeMap;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use spds_format::Spds;
use spds_format::automaton::{End, StateId};
use spds_format::model::{Head, SymbolId};

use super::control::{failures, heads_of, is_end};
use super::effort::tenth;
use super::ground::{Failure, Start, omitted, space, with_engines};
use super::plain::any_run;
use super::{Answer, CheckError, Desk, Outcome, Property, Question, Stats, Vacuity, Verdict, answered};
use crate::bdd::{At, EngineKind, Relation, Space};
use crate::flow::StartEdges;
use crate::heads::{Cycles, HeadSets};
use crate::limits::Stop;
use crate::ltl::automaton::ComponentKind;
use crate::options::{LiveRanges, Options, Runs, Search, Switch, TraceWish};
use crate::pds::delta::state_cube;
use crate::pds::{HeadId, Kind, Pds, RuleId, SetId};
use crate::product::Product;
use crate::saturation::images::Control;
use crate::saturation::{PreStar, System};

impl Desk<'_> {
    /// Answers all properties, verdicts backwards and traces forwards.
    pub(super) fn backwards(mut self) -> Result<Outcome, CheckError> {
        let asked: Vec<(usize, &Property)> = self.asked().collect();
        for (i, property) in asked {
            let answer = if matches!(property, Property::Ltl(_)) && self.options.runs == Runs::Stutter {
                self.forwards(property, None)?
            } else {
                match found(self.spds, property, self.options, &mut self.stats)? {
                    Err(stop) => Answer::unknown(stop),
                    Ok(found) => self.shown(property, found)?,
                }
            };
            (self.tell)(i, &answer);
            self.answers[i] = Some(answer);
        }
        if self.may_be_vacuous() {
            let runs = any_run(self.options).map(Property::Ltl);
            let exist = match runs {
                Ok(runs) => found(self.spds, &runs, self.options, &mut self.stats)?,
                Err(stop) => Err(stop),
            };
            // Whether there are runs is a remark; without it the answers are as good.
            if exist.is_ok_and(|exist| !exist.is_one) {
                self.vacuous();
            }
        }
        let answers = self.answers.into_iter().map(|answer| answer.expect("each is answered")).collect();
        Ok(Outcome { answers, stats: self.stats })
    }

    /// The answer to a property, with a trace if one is wanted and calls for it, or can be had with a tenth of the work.
    fn shown(&mut self, property: &Property, found: Found) -> Result<Answer, CheckError> {
        let mut answer = Answer::new(Verdict::of(property, found.is_one));
        if found.is_one {
            let wanted = self.options.trace != TraceWish::None;
            let other = self.forwards(property, if wanted { self.options.work } else { Some(tenth(found.work)) })?;
            if other.verdict.bare() == answer.verdict {
                return Ok(other);
            }
            let Verdict::Unknown(reason) = other.verdict else {
                return Err(CheckError::WitnessRejected("the searches forwards and backwards disagree".into()));
            };
            answer.trace_omitted = wanted.then(|| omitted(reason));
        }
        Ok(answer)
    }

    /// The answer of the search forwards, with so much work.
    fn forwards(&mut self, property: &Property, work: Option<u64>) -> Result<Answer, CheckError> {
        let options = Options { search: Search::Post, work, ..self.options.clone() };
        let property = std::slice::from_ref(property);
        let question = Question { spds: self.spds, properties: property, options: &options, tell: &|_, _| () };
        let mut outcome = answered(&question, vec![None], Vacuity::Later)?;
        self.stats.figures.append(&mut outcome.stats.figures);
        Ok(outcome.answers.pop().expect("one property, one answer"))
    }
}

/// What was found, backwards.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    /// Whether there is a run that comes to a place, fails, goes on for ever, or violates the formula.
    is_one: bool,
    /// The work that took.
    work: u64,
}

/// What is found, or the limit that was met.
fn found(
    spds: &Spds,
    property: &Property,
    options: &Options,
    stats: &mut Stats,
) -> Result<Result<Found, Stop>, CheckError> {
    let options = Options {
        modref: Switch::Off,
        live: LiveRanges::Off,
        slice: Switch::Off,
        trace: TraceWish::None,
        ..options.clone()
    };
    let mut found = Found::default();
    let attempt = |engine, work| {
        found = decide(spds, property, &options, (engine, work), stats)?;
        Ok(())
    };
    let stopped = with_engines(spds, &options, attempt)?;
    Ok(stopped.map_or(Ok(found), Err))
}

fn decide(
    spds: &Spds,
    property: &Property,
    options: &Options,
    (engine, work): (EngineKind, Option<u64>),
    stats: &mut Stats,
) -> Result<Found, Failure> {
    let clock = std::time::Instant::now();
    let product = match property {
        Property::Ltl(violations) if violations.automaton.strength() == ComponentKind::Rejecting => {
            return Ok(Found::default());
        }
        Property::Ltl(violations) => Some(Product::new(spds, violations, options.runs, options.strength)),
        _ => None,
    };
    let mut pds = Pds::new(spds, product.as_ref());
    // What lies below a call, or below the start, may be returned to in any control location.
    let pushed = spds.rules.iter().filter_map(|rule| match rule.stack {
        spds_format::model::Stack::Push(_, site) => Some(site),
        _ => None,
    });
    let sites: std::collections::BTreeSet<SymbolId> = pushed.chain(spds.start.stack[1..].iter().copied()).collect();
    let controls = (0..spds.controls.len() as u32).map(spds_format::model::ControlId);
    for control in controls {
        sites.iter().for_each(|&symbol| {
            pds.intern(Head { control, symbol });
        });
    }
    let control = Control::from_edges(spds, pds, &StartEdges::default(), options, |_, _| Vec::new());
    let space = space(&control, options, engine, work)?;
    let system = System::new(spds, &control, product.as_ref(), &space)?;
    let pds = &system.control.pds;
    let all = |heads: Vec<HeadId>| everything(&space, heads);
    let bad = match property {
        Property::Reach(targets) => all(heads_of(spds, pds, targets)),
        Property::Assertions => all(failures(spds, pds)),
        // Asked about a system of its own.
        Property::Configurations(_) => HeadSets::new(),
        Property::Termination => Graph::new(&system)?.repeating(None, Cycles::All, Runs::Infinite)?,
        Property::Ltl(violations) => {
            let graph = Graph::new(&system)?;
            let automaton = &violations.automaton;
            let mut bad = HeadSets::new();
            for component in automaton.accepting().map(|index| &automaton.components[index]) {
                let mut within = space.bottom();
                for &state in &component.states {
                    within = space.or(&within, &state_cube(&space, &pds.layout, state, At::Now)?)?;
                }
                let strong = options.strength == Switch::Off || component.kind == ComponentKind::Strong;
                let cycles = if strong { Cycles::Marked } else { Cycles::All };
                bad = bad.union(&space, &graph.repeating(Some(&within), cycles, options.runs)?)?;
            }
            bad
        }
    };
    stats.seconds("seconds in repeating heads (pre*)", clock);
    let clock = std::time::Instant::now();
    let is_one = is_reached(&system, product.as_ref(), &bad)?;
    stats.seconds("seconds in pre*", clock);
    stats.figures.push(("peak nodes", space.peak_nodes() as f64));
    Ok(Found { is_one, work: space.work() })
}

/// These heads, with all values.
fn everything(space: &Space, heads: Vec<HeadId>) -> HeadSets {
    let mut all = HeadSets::new();
    heads.into_iter().for_each(|head| all.set(space, head, space.top()));
    all
}

/// Whether some start configuration is in pre*(B Γ*).
fn is_reached(system: &System<'_>, product: Option<&Product<'_>>, bad: &HeadSets) -> Result<bool, Stop> {
    if bad.is_empty() {
        return Ok(false);
    }
    let (spds, space) = (system.spds, system.space);
    let anything = StateId(0);
    let mut pre = PreStar::new(system, vec![SetId::EMPTY]);
    for symbol in (0..spds.symbols.len() as u32).map(SymbolId) {
        pre.inner(anything, symbol, anything, space.top());
    }
    for (head, set) in bad.iter() {
        pre.edge(head, anything, set)?;
    }
    pre.run()?;
    let mut edges: BTreeMap<HeadId, Vec<(End, &Relation)>> = BTreeMap::new();
    for (head, to, set) in pre.edges() {
        edges.entry(head).or_default().push((to, set));
    }
    let [(node, values)] = Start::new(system, product)?.full();
    let mut here = HeadSets::one(space, node.head, values);
    for place in 1..=spds.start.stack.len() {
        let mut next = HeadSets::new();
        for (head, values) in here {
            for &(to, set) in edges.get(&head).into_iter().flatten() {
                let both = space.and(&values, set)?;
                let End::Control(control) = to else { if space.is_empty(&both) { continue } else { return Ok(true) } };
                let Some(&symbol) = spds.start.stack.get(place) else { continue };
                let Some(back) = system.control.pds.find(Head { control, symbol }) else { continue };
                let old = system.columns(system.union(system.globals(), system.slots()), At::Now);
                let globals = system.bits(system.globals()).into_iter().map(|bit| (bit, At::Entry, At::Now));
                let after = space.exists(&both, space.vars(old.iter().copied()))?;
                let after = space.rename(&after, space.renaming(globals))?;
                next.add(space, back, after)?;
            }
        }
        here = next;
    }
    Ok(false)
}

/// An edge of the head graph.
struct Edge {
    from: HeadId,
    to: HeadId,
    rule: RuleId,
    /// For a call that returns: what leads through it.
    through: Option<Relation>,
}

/// The head graph over all values.
struct Graph<'s, 'a> {
    system: &'s System<'a>,
    edges: Vec<Edge>,
}

impl<'s, 'a> Graph<'s, 'a> {
    fn new(system: &'s System<'a>) -> Result<Self, Stop> {
        let mut pre = PreStar::new(system, Vec::new());
        pre.run()?;
        let pds = &system.control.pds;
        let mut edges: Vec<Edge> = Vec::new();
        for rule in (0..pds.rules.len() as u32).map(RuleId).filter(|rule| system.relations.rule(*rule).is_some()) {
            let row = pds.rule_at(rule);
            if let Kind::Step(to) | Kind::Call(to, _) = row.kind {
                edges.push(Edge { from: row.from, to, rule, through: None });
            }
        }
        for (rule, to, set) in pre.returns() {
            edges.push(Edge { from: pds.rule_at(rule).from, to, rule, through: Some(set.clone()) });
        }
        Ok(Graph { system, edges })
    }

    /// The values from which a run can go round for ever: inside these values, if any are named, and meeting the mark
    /// again and again if it has to.
    fn repeating(&self, within: Option<&Relation>, cycles: Cycles, runs: Runs) -> Result<HeadSets, Stop> {
        let (pds, space) = (&self.system.control.pds, self.system.space);
        let counts = |head: HeadId| runs != Runs::Infinite || !is_end(self.system.spds, pds, head);
        let mut graph = DiGraph::<(), usize>::with_capacity(pds.head_count(), self.edges.len());
        (0..pds.head_count()).for_each(|_| {
            graph.add_node(());
        });
        for (number, edge) in self.edges.iter().enumerate().filter(|(_, edge)| counts(edge.from) && counts(edge.to)) {
            graph.add_edge(NodeIndex::new(edge.from.0 as usize), NodeIndex::new(edge.to.0 as usize), number);
        }
        let mut found = HeadSets::new();
        for component in kosaraju_scc(&graph) {
            let members: std::collections::BTreeSet<HeadId> =
                component.iter().map(|node| HeadId(node.index() as u32)).collect();
            let edges = component.iter().flat_map(|&node| graph.edges(node).map(|edge| *edge.weight()));
            let mut edges: Vec<&Edge> =
                edges.map(|number| &self.edges[number]).filter(|edge| members.contains(&edge.to)).collect();
            if edges.is_empty() {
                continue;
            }
            edges.sort_by_key(|edge| (edge.from, edge.to, edge.rule));
            let first = within.cloned().unwrap_or_else(|| space.top());
            let mut all = HeadSets::new();
            members.iter().for_each(|&head| all.set(space, head, first.clone()));
            found = found.union(space, &self.hull(&edges, all, cycles)?)?;
        }
        Ok(found)
    }

    /// νZ. Z ∧ pre(Z), or νZ. μY. Z ∧ (pre_marked(Z) ∪ pre(Y)).
    fn hull(&self, edges: &[&Edge], mut all: HeadSets, cycles: Cycles) -> Result<HeadSets, Stop> {
        let space = self.system.space;
        loop {
            let mut left = self.before(edges, &all, &all, cycles)?;
            if cycles == Cycles::Marked {
                loop {
                    let more = self.before(edges, &left, &all, Cycles::All)?;
                    let known = std::mem::take(&mut left);
                    left = known.union(space, &more)?;
                    if left == known {
                        break;
                    }
                }
            }
            if left == all {
                return Ok(all);
            }
            all = left;
        }
    }

    /// What of `within` leads into `sets`, meeting the mark if it has to.
    fn before(&self, edges: &[&Edge], sets: &HeadSets, within: &HeadSets, cycles: Cycles) -> Result<HeadSets, Stop> {
        let space = self.system.space;
        let mut found = HeadSets::new();
        for edge in edges {
            space.check()?;
            let (Some(after), Some(within)) = (sets.get(&edge.to), within.get(&edge.from)) else { continue };
            found.add(space, edge.from, space.and(&self.step(edge, after, cycles)?, within)?)?;
        }
        Ok(found)
    }

    /// The values before an edge; of the mark they say nothing.
    fn step(&self, edge: &Edge, after: &Relation, cycles: Cycles) -> Result<Relation, Stop> {
        let (system, space) = (self.system, self.system.space);
        let pds = &system.control.pds;
        let mark = pds.layout.mark();
        let (row, marked) = (pds.rule_at(edge.rule), cycles == Cycles::Marked);
        let after = match system.relations.invariant(pds, edge.to) {
            Some(invariant) => space.and(after, invariant)?,
            None => after.clone(),
        };
        // What is met is met in Now after the edge, from not having been met before it.
        let after = match (mark, marked) {
            (Some(mark), true) => space.and(&after, &space.literal((mark, At::Now), true)?)?,
            (None, true) => return Ok(space.bottom()),
            (_, false) => after,
        };
        let before = match (&edge.through, row.kind) {
            (Some(half), _) => {
                let up = system.bits(system.globals()).into_iter().map(|bit| (bit, At::Now, At::Next));
                let below = space.rename(&after, space.renaming(up))?;
                system.before_site(edge.rule, system.globals(), half, &below)?
            }
            (None, Kind::Step(_)) => system.before_swap(edge.rule, &after)?,
            (None, _) => {
                let before = system.before_callee(edge.rule, &after)?;
                let saved = system.columns(row.saved, At::Saved);
                space.exists(&before, space.vars(saved.iter().copied()))?
            }
        };
        let before = system.keep_invariant(row.from, before)?;
        match mark {
            Some(mark) => space.exists(&system.unmarked(&before)?, space.vars([(mark, At::Now)])),
            None => Ok(before),
        }
    }
}
