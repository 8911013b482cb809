//! Regular sets of configurations: P-automata whose edges relate values.
//!
//! P-automata are those of Bouajjani, Esparza & Maler (CONCUR 1997), with values as in Esparza & Schwoon (CAV 2001, §4.1):
//! their initial states are the control locations of a system, they read stacks from the top down, and a state may
//! remember values between one stack symbol and the next.

use std::collections::HashMap;
use std::fmt;

use crate::error::Problem;
use crate::expr::{Expr, Time};
use crate::lexis::shown;
use crate::model::{ControlId, FrameId, Name, Spds, SymbolId, Var};
use crate::scope::Scope;
use crate::typing::{Need, check};

/// Index into [`Automaton::states`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

/// Where an edge begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// An initial state: a control location.
    Control(ControlId),
    /// Any other state.
    State(StateId),
}

/// A state that is not initial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Unique among the states.
    pub name: Name,
    /// Whose locals it carries, if any.
    pub frame: Option<FrameId>,
    /// The variables whose values it remembers, in ascending order; locals are those of `frame`.
    pub carries: Box<[Var]>,
    /// Whether a stack may end here.
    pub accepting: bool,
}

/// An edge: reads one stack symbol from the top down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it begins.
    pub from: End,
    /// What it reads; `None` is the empty word, only from a control location to an accepting state: the configuration
    /// with that control location and the empty stack.
    pub symbol: Option<SymbolId>,
    /// Where it ends.
    pub to: End,
    /// Over values, without `*`; `None` is true, and where it is undefined it is false. `Before` are the locals of the
    /// symbol's frame, and the globals if the edge leaves a control location; `After` the values that the target carries
    /// (a control location carries all globals); `Saved` those that the source carries, if it is a state.
    pub condition: Option<Expr>,
}

/// A regular set of configurations of a system.
///
/// A configuration ⟨p, γ1…γn⟩ with globals g and locals l1…ln belongs to it iff there is a path
/// p –γ1→ s1 … –γn→ sn to an accepting sn, and values ci of the variables that each si carries, each within its type,
/// such that the condition of each edge i is true of li (and of g if i = 1), of ci as `After` and of ci−1 as `Saved`.
/// From an edge into a control location q the path goes on as from the configuration with control location q and
/// globals ci. Such edges occur only in what pre* computes ([`Role::Result`]).
///
/// ```
/// use spds_format::automaton::{Automaton, Edge, End, Role, State, StateId};
/// use spds_format::model::ControlId;
///
/// let spds = spds_format::parse("spds 1 control p; symbol a; symbol b; start <p, a>;").unwrap();
/// let state = |name: &str, accepting| State { name: name.into(), frame: None, carries: Box::new([]), accepting };
/// let edge = |from, symbol, to| Edge { from, symbol: Some(symbol), to: End::State(StateId(to)), condition: None };
/// let [a, b] = [0, 1].map(spds_format::model::SymbolId);
///
/// // ⟨p, a b*⟩
/// let edges = vec![edge(End::Control(ControlId(0)), a, 0), edge(End::State(StateId(0)), b, 0)];
/// let set = Automaton { states: vec![state("s", true)], edges };
/// assert!(set.check(&spds, Role::Input).is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Automaton {
    /// The states that are not initial.
    pub states: Vec<State>,
    /// The edges.
    pub edges: Vec<Edge>,
}

/// What an automaton is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A set to start from: no edge leads into a control location.
    Input,
    /// A set that was computed: edges into control locations are fine.
    Result,
}

/// A part of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AutomatonPart {
    /// A state.
    State(StateId),
    /// Index into [`Automaton::edges`].
    Edge(usize),
    /// An operation of the condition of that edge.
    Condition(usize, usize),
}

/// What is wrong with a part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// What is wrong with a model may also be wrong here.
    Model(Problem),
    /// An edge into a control location, in a set to start from.
    IntoControl(Name),
    /// An edge without a symbol that does not lead from a control location to an accepting state.
    Epsilon,
    /// A variable listed twice, or not in ascending order.
    Carried(Name),
    /// A global where the edge does not leave a control location.
    GlobalBelow(Name),
    /// A value after or before the symbol that the state there does not carry.
    NotCarried {
        /// The variable.
        name: Name,
        /// `After`, or `Saved` for the state that the edge leaves.
        time: Time,
    },
}

/// What keeps an automaton from being a set of configurations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomatonError {
    /// Which part.
    pub part: AutomatonPart,
    /// What is wrong.
    pub fault: Fault,
}

impl Automaton {
    /// The configurations in which runs of a system start: one path that spells its start stack.
    pub fn start(spds: &Spds) -> Automaton {
        let stack = &spds.start.stack;
        let state = |i: usize| State {
            name: format!("start {i}").as_str().into(),
            frame: None,
            carries: Box::default(),
            accepting: i + 1 == stack.len(),
        };
        let edge = |(i, &symbol): (usize, &SymbolId)| Edge {
            from: i.checked_sub(1).map_or(End::Control(spds.start.control), |i| End::State(StateId(i as u32))),
            symbol: Some(symbol),
            to: End::State(StateId(i as u32)),
            condition: spds.start.condition.clone().filter(|_| i == 0),
        };
        Automaton { states: (0..stack.len()).map(state).collect(), edges: stack.iter().enumerate().map(edge).collect() }
    }

    /// Everything that keeps it from being a set of configurations of the system that can be used so, in the order of
    /// states and edges. Linear in it and, once, in the system's declarations.
    pub fn check(&self, spds: &Spds, role: Role) -> Vec<AutomatonError> {
        let mut checker = Checker { automaton: self, spds, errors: Vec::new(), carried: Vec::new() };
        checker.states();
        for index in 0..self.edges.len() {
            checker.edge(index, role);
        }
        checker.errors
    }

    /// The state.
    pub fn state(&self, id: StateId) -> &State {
        &self.states[id.0 as usize]
    }

    /// Whether a stack may end there. A control location never accepts; an edge without a symbol may leave it.
    pub fn is_accepting(&self, end: End) -> bool {
        match end {
            End::Control(_) => false,
            End::State(id) => self.state(id).accepting,
        }
    }

    /// The frame whose locals the values carried there may belong to.
    pub fn frame(&self, end: End) -> Option<FrameId> {
        match end {
            End::Control(_) => None,
            End::State(id) => self.state(id).frame,
        }
    }

    /// Whose values the condition of an edge reads at which time; meant for [`Spds::display_name`] and for printing.
    pub fn scope(&self, spds: &Spds, edge: &Edge) -> Scope {
        let read = edge.symbol.and_then(|symbol| spds.symbols.get(symbol.0 as usize)?.frame);
        let saved = match edge.from {
            End::Control(_) => None,
            End::State(_) => Some(self.frame(edge.from)),
        };
        Scope::edge(read, self.frame(edge.to), saved)
    }
}

struct Checker<'a> {
    automaton: &'a Automaton,
    spds: &'a Spds,
    errors: Vec<AutomatonError>,
    /// For each state what it carries, sorted.
    carried: Vec<Vec<Var>>,
}

impl Checker<'_> {
    fn add(&mut self, part: AutomatonPart, fault: Fault) {
        self.errors.push(AutomatonError { part, fault });
    }

    fn missing(&mut self, part: AutomatonPart, what: &'static str, index: u32) {
        self.add(part, Fault::Model(Problem::Missing { what, index }));
    }

    fn states(&mut self) {
        let mut seen: HashMap<&Name, usize> = HashMap::new();
        let automaton = self.automaton;
        for (index, state) in automaton.states.iter().enumerate() {
            let part = AutomatonPart::State(StateId(index as u32));
            let first = *seen.entry(&state.name).or_insert(index);
            if first != index {
                self.add(part, Fault::Model(Problem::Duplicate { name: state.name.clone(), first }));
            }
            if let Some(frame) = state.frame.filter(|frame| frame.0 as usize >= self.spds.frames.len()) {
                self.missing(part, "frame", frame.0);
                self.carried.push(Vec::new());
                continue;
            }
            for (position, var) in state.carries.iter().enumerate() {
                match self.spds.variable(state.frame, *var) {
                    None => {
                        let (what, index) = match *var {
                            Var::Global(index) => ("global variable", index),
                            Var::Local(index) => ("local variable", index),
                        };
                        self.missing(part, what, index);
                    }
                    Some(variable) if position > 0 && state.carries[position - 1] >= *var => {
                        self.add(part, Fault::Carried(variable.name.clone()));
                    }
                    Some(_) => {}
                }
            }
            let mut carried = state.carries.to_vec();
            carried.sort_unstable();
            self.carried.push(carried);
        }
    }

    /// Whether there is such a thing.
    fn end(&mut self, part: AutomatonPart, end: End) -> bool {
        let (what, index, length) = match end {
            End::Control(id) => ("control location", id.0, self.spds.controls.len()),
            End::State(id) => ("state", id.0, self.automaton.states.len()),
        };
        let known = (index as usize) < length;
        if !known {
            self.missing(part, what, index);
        }
        known
    }

    fn edge(&mut self, index: usize, role: Role) {
        let (automaton, spds) = (self.automaton, self.spds);
        let edge = &automaton.edges[index];
        let part = AutomatonPart::Edge(index);
        let mut known = self.end(part, edge.from) & self.end(part, edge.to);
        if let Some(symbol) = edge.symbol.filter(|symbol| symbol.0 as usize >= spds.symbols.len()) {
            self.missing(part, "symbol", symbol.0);
            known = false;
        }
        if !known {
            return;
        }
        if let (End::Control(to), Role::Input) = (edge.to, role) {
            self.add(part, Fault::IntoControl(spds.controls[to.0 as usize].clone()));
        }
        if edge.symbol.is_none() && !(matches!(edge.from, End::Control(_)) && automaton.is_accepting(edge.to)) {
            self.add(part, Fault::Epsilon);
        }
        let frame_known = |end: End| automaton.frame(end).is_none_or(|f| (f.0 as usize) < spds.frames.len());
        let Some(condition) = edge.condition.as_ref().filter(|_| frame_known(edge.from) && frame_known(edge.to)) else {
            return;
        };
        let scope = automaton.scope(spds, edge);
        let mut found = Vec::new();
        check(spds, &scope, condition, Need::Proposition, &mut |op, problem| found.push((op, problem)));
        let sound = found.is_empty();
        for (op, problem) in found {
            self.add(AutomatonPart::Condition(index, op), Fault::Model(problem));
        }
        if !sound {
            return;
        }
        let reads = condition.ops().iter().enumerate();
        for (op, (var, time)) in reads.filter_map(|(op, what)| match what {
            crate::expr::Op::Read(var, time) | crate::expr::Op::Cell(var, time) => Some((op, (*var, *time))),
            _ => None,
        }) {
            let frame = scope.at(time).flatten();
            let name = || spds.variable(frame, var).map_or_else(|| "".into(), |variable| variable.name.clone());
            let global = matches!(var, Var::Global(_));
            let end = if time == Time::Saved { edge.from } else { edge.to };
            let fault = match (time, end) {
                (Time::Before, _) if global && matches!(edge.from, End::State(_)) => Fault::GlobalBelow(name()),
                (Time::After | Time::Saved, End::State(id))
                    if self.carried[id.0 as usize].binary_search(&var).is_err() =>
                {
                    Fault::NotCarried { name: name(), time }
                }
                _ => continue,
            };
            self.add(AutomatonPart::Condition(index, op), fault);
        }
    }
}

impl AutomatonError {
    /// What the user can do about it.
    pub fn help(&self) -> Option<String> {
        let text = match &self.fault {
            Fault::IntoControl(_) => {
                "saturation needs initial states that no edge enters; lead the edge to a state of its own"
            }
            Fault::Epsilon => "it stands for the empty stack, and leads from a control location to an accepting state",
            Fault::GlobalBelow(_) => "a state must carry the value; the condition then reads it primed twice",
            Fault::NotCarried { .. } => "list it among the variables that the state carries",
            Fault::Model(_) | Fault::Carried(_) => return None,
        };
        Some(text.into())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Model(Problem::Duplicate { name, .. }) => write!(f, "two states have the name {}", shown(name)),
            Fault::Model(problem) => problem.fmt(f),
            Fault::IntoControl(name) => write!(f, "an edge leads into the control location {}", shown(name)),
            Fault::Epsilon => f.write_str("an edge that reads no symbol cannot be here"),
            Fault::Carried(name) => {
                write!(f, "{} is listed twice or out of order among what the state carries", shown(name))
            }
            Fault::GlobalBelow(name) => {
                write!(f, "the global {} can be read at the topmost symbol only", shown(name))
            }
            Fault::NotCarried { name, time: Time::Saved } => {
                write!(f, "the state that the edge leaves does not carry {}", shown(name))
            }
            Fault::NotCarried { name, .. } => {
                write!(f, "the state that the edge enters does not carry {}", shown(name))
            }
        }
    }
}

impl fmt::Display for AutomatonPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AutomatonPart::State(id) => write!(f, "states[{}]", id.0),
            AutomatonPart::Edge(index) => write!(f, "edges[{index}]"),
            AutomatonPart::Condition(index, op) => write!(f, "edges[{index}].condition, operation {op}"),
        }
    }
}

impl fmt::Display for AutomatonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.fault)
    }
}

impl std::error::Error for AutomatonError {}
