//! The labelled transition system of the paper, and its equation system, for programs without recursion.
//!
//! States are configurations of control: calls are inlined, since the paper has none. Labels are those of its Figure 2:
//! `BOOL x`, a condition reads x; `ASSERT x`, an assertion does; `ASSIGN z x`, x goes into z. Here `ASSIGN z _` says that z is
//! assigned something else, so that z does not survive; assignments at the same time go by way of temporaries.

use std::io::{self, Write};

use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::expr::Time;
use spds_format::model::{ControlId, FrameId, Head, Rule, Spds, Stack, SymbolId, Var};

use super::effect::{Effect, How};
use crate::limits::{Limits, Stop};

/// A variable of the whole program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A global.
    Global(u32),
    /// A local of the frame, which lies on the stack once at most.
    Local(FrameId, u32),
    /// One that only an edge knows.
    Temporary(u32),
}

/// What an edge does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// Nothing with variables.
    Skip,
    /// A condition reads it.
    Bool(Value),
    /// An assertion reads it.
    Assert(Value),
    /// The second goes into the first; `None`: a constant, or anything.
    Assign(Value, Option<Value>),
}

/// A labelled transition system; runs begin at node 0.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// For each node the head of its configuration; `None` in the midst of a step.
    pub heads: Vec<Option<Head>>,
    /// From, label, to.
    pub edges: Vec<(u32, Label, u32)>,
}

/// Why there is no such graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A call that can be made again before it returns: the name of what is called.
    Recursive(String),
    /// A limit was met.
    Stopped(Stop),
}

/// The graph of a system. As many states as there are control configurations, which may be exponential in the number of
/// procedures.
///
/// # Errors
/// If the system is recursive, or a limit is met.
pub fn graph(spds: &Spds, limits: &Limits) -> Result<Graph, Refused> {
    let mut rules: FxHashMap<Head, Vec<&Rule>> = FxHashMap::default();
    for rule in &spds.rules {
        rules.entry(rule.from).or_default().push(rule);
    }
    let asserts = |rule: &&Rule| matches!(rule.stack, Stack::Swap(to) if Some(to) == spds.fail);
    let mut inliner = Inliner { spds, graph: Graph::default(), numbers: FxHashMap::default(), open: Vec::new() };
    for place in 0..spds.start.stack.len().saturating_sub(1) {
        inliner.refuse_recursion(&spds.start.stack[place..])?;
    }
    inliner.node((spds.start.control, spds.start.stack.to_vec()));
    let mut turns = 0u32;
    while let Some((node, (control, stack))) = inliner.open.pop() {
        turns = turns.wrapping_add(1);
        if turns.is_multiple_of(1024) {
            inliner.check(limits)?;
        }
        let Some(&symbol) = stack.first() else { continue };
        let head = Head { control, symbol };
        if let Some(invariant) = &spds.symbol(symbol).invariant {
            for (var, _) in invariant.reads() {
                let read = inliner.value(symbol, var);
                inliner.graph.edges.push((node, Label::Bool(read), node));
            }
        }
        let here = rules.get(&head).map_or(&[][..], |rules| rules);
        let fails = here.iter().any(asserts);
        for rule in here {
            inliner.rule(node, rule, &stack, fails)?;
        }
    }
    Ok(inliner.graph)
}

/// A configuration without its values.
type Place = (ControlId, Vec<SymbolId>);

struct Inliner<'a> {
    spds: &'a Spds,
    graph: Graph,
    numbers: FxHashMap<Place, u32>,
    /// Configurations that have not been looked at.
    open: Vec<(u32, Place)>,
}

impl Inliner<'_> {
    fn check(&self, limits: &Limits) -> Result<(), Refused> {
        limits.check().map_err(Refused::Stopped)?;
        let depth = self.open.last().map_or(1, |(_, (_, stack))| stack.len() + 8);
        let bytes = self.graph.edges.len() * size_of::<(u32, Label, u32)>() + self.numbers.len() * depth * 16;
        match limits.memory {
            Some(memory) if bytes as u64 > memory => Err(Refused::Stopped(Stop::Memory)),
            _ => Ok(()),
        }
    }

    fn node(&mut self, place: Place) -> u32 {
        if let Some(&number) = self.numbers.get(&place) {
            return number;
        }
        let number = self.graph.heads.len() as u32;
        let head = place.1.first().map(|&symbol| Head { control: place.0, symbol });
        self.graph.heads.push(head);
        self.numbers.insert(place.clone(), number);
        self.open.push((number, place));
        number
    }

    /// In the midst of a step.
    fn between(&mut self) -> u32 {
        self.graph.heads.push(None);
        self.graph.heads.len() as u32 - 1
    }

    fn value(&self, symbol: SymbolId, var: Var) -> Value {
        match (var, self.spds.symbol(symbol).frame) {
            (Var::Local(i), Some(frame)) => Value::Local(frame, i),
            (Var::Global(i) | Var::Local(i), _) => Value::Global(i),
        }
    }

    fn rule(&mut self, from: u32, rule: &Rule, stack: &[SymbolId], fails: bool) -> Result<(), Refused> {
        let below = &stack[1..];
        let next = match rule.stack {
            Stack::Pop => below.to_vec(),
            Stack::Swap(to) => [&[to], below].concat(),
            Stack::Push(to, site) => [&[to, site], below].concat(),
        };
        if matches!(rule.stack, Stack::Push(..)) {
            self.refuse_recursion(&next)?;
        }
        let effect = Effect::new(self.spds, rule);
        let flows = self.flows(rule, &effect);
        let mut at = from;
        let to = self.node((rule.to, next));
        let reads: FxHashSet<(Var, bool)> =
            effect.uses.iter().map(|(var, how)| (*var, fails && *how == How::Condition)).collect();
        let mut reads: Vec<(Var, bool)> = reads.into_iter().collect();
        reads.sort_unstable();
        if !reads.is_empty() || flows.is_empty() {
            let after = if flows.is_empty() { to } else { self.between() };
            for &(var, asserted) in &reads {
                let read = self.value(rule.from.symbol, var);
                let label = if asserted { Label::Assert(read) } else { Label::Bool(read) };
                self.graph.edges.push((at, label, after));
            }
            if reads.is_empty() {
                self.graph.edges.push((at, Label::Skip, after));
            }
            at = after;
        }
        let mut steps: Vec<(Value, Vec<Value>)> = Vec::new();
        if flows.len() > 1 {
            let aside =
                |(number, (_, from)): (usize, &(Value, Vec<Value>))| (Value::Temporary(number as u32), from.clone());
            steps.extend(flows.iter().enumerate().map(aside));
            let back = |(number, (to, _)): (usize, &(Value, Vec<Value>))| (*to, vec![Value::Temporary(number as u32)]);
            steps.extend(flows.iter().enumerate().map(back));
        } else {
            steps.extend(flows);
        }
        let last = steps.len();
        for (number, (value, from)) in steps.into_iter().enumerate() {
            let after = if number + 1 == last { to } else { self.between() };
            if from.is_empty() {
                self.graph.edges.push((at, Label::Assign(value, None), after));
            }
            for source in from {
                self.graph.edges.push((at, Label::Assign(value, Some(source)), after));
            }
            at = after;
        }
        Ok(())
    }

    /// What is assigned, that which becomes arbitrary included.
    fn flows(&self, rule: &Rule, effect: &Effect) -> Vec<(Value, Vec<Value>)> {
        let (top, site) = match rule.stack {
            Stack::Pop => (None, None),
            Stack::Swap(top) => (Some(top), None),
            Stack::Push(top, site) => (Some(top), Some(site)),
        };
        let at = |time| if time == Time::Saved { site } else { top };
        let mut flows: Vec<(Value, Vec<Value>)> = Vec::new();
        for flow in &effect.flows {
            let (var, time) = flow.to;
            let to = self.value(at(time).unwrap_or(rule.from.symbol), var);
            let mut from: Vec<Value> = flow.from.iter().map(|(var, _)| self.value(rule.from.symbol, *var)).collect();
            from.sort_unstable();
            from.dedup();
            flows.push((to, from));
        }
        for (symbol, time) in [(top, Time::After), (site, Time::Saved)] {
            let Some(symbol) = symbol else { continue };
            for var in (0..self.spds.locals(symbol).len() as u32).map(Var::Local) {
                let assigned = effect.flows.iter().any(|flow| flow.to == (var, time));
                if !assigned && !effect.keeps(var, time) {
                    flows.push((self.value(symbol, var), Vec::new()));
                }
            }
        }
        flows
    }

    /// Each frame, and each place to return to, lies on the stack once at most.
    fn refuse_recursion(&self, stack: &[SymbolId]) -> Result<(), Refused> {
        let frame = |symbol: &SymbolId| self.spds.symbol(*symbol).frame;
        let (top, site) = (stack[0], stack[1]);
        let again = stack[2..].contains(&site)
            || [top, site].iter().enumerate().any(|(i, symbol)| {
                frame(symbol).is_some() && stack[i + 1..].iter().any(|below| frame(below) == frame(symbol))
            });
        if !again {
            return Ok(());
        }
        let called = frame(&top).map_or(&self.spds.symbol(top).name, |frame| &self.spds.frame(frame).name);
        Err(Refused::Recursive(called.to_string()))
    }
}

/// The name of a variable, without blanks and quotes.
fn name(spds: &Spds, value: Value) -> String {
    let plain = |name: &str| {
        !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '@' | '.' | '/' | '-'))
    };
    match value {
        Value::Global(i) => {
            let name = &spds.globals[i as usize].name;
            if plain(name) { name.to_string() } else { format!("#{i}") }
        }
        Value::Local(frame, i) => {
            let frame_name = &spds.frame(frame).name;
            let name = &spds.frame(frame).variables[i as usize].name;
            let frame_name = if plain(frame_name) { frame_name.to_string() } else { format!("#{}", frame.0) };
            let name = if plain(name) { name.to_string() } else { format!("#{i}") };
            format!("{frame_name}:{name}")
        }
        Value::Temporary(i) => format!("#t{i}"),
    }
}

/// Writes the graph in Aldebaran's format (`.aut`), which the tools of CADP and mCRL2 read.
///
/// # Errors
/// If writing fails.
pub fn aut(out: &mut dyn Write, spds: &Spds, graph: &Graph) -> io::Result<()> {
    writeln!(out, "des (0, {}, {})", graph.edges.len(), graph.heads.len())?;
    for &(from, label, to) in &graph.edges {
        write!(out, "({from}, \"")?;
        match label {
            Label::Skip => write!(out, "SKIP")?,
            Label::Bool(read) => write!(out, "BOOL {}", name(spds, read))?,
            Label::Assert(read) => write!(out, "ASSERT {}", name(spds, read))?,
            Label::Assign(to, None) => write!(out, "ASSIGN {} _", name(spds, to))?,
            Label::Assign(to, Some(from)) => write!(out, "ASSIGN {} {}", name(spds, to), name(spds, from))?,
        }
        writeln!(out, "\", {to})")?;
    }
    Ok(())
}

/// Writes the equation system: X*n*_*v* is true if the variable *v* matters at the node *n*. In the notation of mCRL2's
/// `txt2bes`; comments say which variables and places that are.
///
/// # Errors
/// If writing fails.
pub fn bes(out: &mut dyn Write, spds: &Spds, graph: &Graph) -> io::Result<()> {
    let mut values: Vec<Value> = Vec::new();
    for &(_, label, _) in &graph.edges {
        match label {
            Label::Skip => {}
            Label::Bool(read) | Label::Assert(read) => values.push(read),
            Label::Assign(to, from) => values.extend([to].into_iter().chain(from)),
        }
    }
    values.sort_unstable();
    values.dedup();
    for (number, value) in values.iter().enumerate() {
        writeln!(out, "% Xn_{number}: {} matters at node n", name(spds, *value))?;
    }
    for (node, head) in graph.heads.iter().enumerate() {
        let Some(head) = head else { continue };
        let symbol = spds.symbol(head.symbol);
        let line = symbol.place.map_or_else(String::new, |place| format!(", line {}", place.line));
        writeln!(out, "% node {node}: {}{line}", symbol.name.replace(['\n', '\r'], " "))?;
    }
    if values.is_empty() {
        return writeln!(out, "% nothing is read\npbes mu X0_0 = false;\ninit X0_0;");
    }
    let number_of = |value: Value| values.partition_point(|other| *other < value);
    let mut edges: Vec<&(u32, Label, u32)> = graph.edges.iter().collect();
    edges.sort_by_key(|(from, ..)| *from);
    write!(out, "pbes")?;
    let mut rest = &edges[..];
    for node in 0..graph.heads.len() as u32 {
        let here = rest.partition_point(|(from, ..)| *from <= node);
        let (leaving, others) = rest.split_at(here);
        rest = others;
        for (number, &value) in values.iter().enumerate() {
            let mut terms: Vec<String> = Vec::new();
            for &&(_, label, to) in leaving {
                match label {
                    Label::Bool(read) | Label::Assert(read) if read == value => terms.push("true".into()),
                    Label::Assign(target, Some(source)) if source == value => {
                        terms.push(format!("X{to}_{}", number_of(target)));
                    }
                    _ => {}
                }
                if !matches!(label, Label::Assign(target, _) if target == value) {
                    terms.push(format!("X{to}_{number}"));
                }
            }
            terms.sort_unstable();
            terms.dedup();
            let sum = match (terms.contains(&"true".to_owned()), terms.is_empty()) {
                (true, _) => "true".into(),
                (_, true) => "false".into(),
                _ => terms.join(" || "),
            };
            writeln!(out, " mu X{node}_{number} = {sum};")?;
        }
    }
    writeln!(out, "init X0_0;")
}
