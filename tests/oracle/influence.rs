//! Which variables matter, by naive fixpoints over sets: what a value becomes inside a call (uses, and what it is when the
//! call returns), then which callers there are. No automaton, no pushdown system, no rows.

use std::collections::{BTreeMap, BTreeSet};

use spds_format::Spds;
use spds_format::expr::{Expr, Time};
use spds_format::model::{ControlId, Head, Rule, Stack, SymbolId, Var};
use spds_format::total;

/// A variable at a head.
pub type Value = (Head, Var);

/// What becomes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Becomes {
    Use,
    Value(Value),
    /// Of the callee; the symbol below.
    Inside(Value, SymbolId),
    Returned(ControlId, Var),
}

/// A stretch of the stack that is on top until it is popped: the n-th symbol of the start, or a call of this entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Frame {
    Start(usize),
    Call(Head),
}

pub struct Oracle<'a> {
    spds: &'a Spds,
    /// Control locations in which what begins at a head can return.
    returns: BTreeMap<Head, BTreeSet<ControlId>>,
    bodies: BTreeSet<(Frame, Head)>,
    /// From a frame to what lies below.
    below: BTreeSet<(Frame, SymbolId, Frame)>,
}

fn reads(expr: &Expr) -> impl Iterator<Item = Var> + '_ {
    expr.reads().filter(|(_, time)| *time == Time::Before).map(|(var, _)| var)
}

impl<'a> Oracle<'a> {
    pub fn new(spds: &'a Spds) -> Oracle<'a> {
        let mut oracle = Oracle { spds, returns: BTreeMap::new(), bodies: BTreeSet::new(), below: BTreeSet::new() };
        oracle.control();
        oracle
    }

    fn rules(&self, head: Head) -> impl Iterator<Item = &'a Rule> + use<'a> {
        let spds: &'a Spds = self.spds;
        spds.rules.iter().filter(move |rule| rule.from == head)
    }

    /// Until nothing is new.
    fn control(&mut self) {
        let stack = &self.spds.start.stack;
        self.bodies.insert((Frame::Start(0), Head { control: self.spds.start.control, symbol: stack[0] }));
        for i in 1..stack.len() {
            self.below.insert((Frame::Start(i - 1), stack[i], Frame::Start(i)));
        }
        let mut pops: BTreeSet<(Frame, ControlId)> = BTreeSet::new();
        loop {
            let size = (self.bodies.len(), self.below.len(), pops.len());
            for (frame, head) in self.bodies.clone() {
                for rule in self.rules(head) {
                    let head = |symbol| Head { control: rule.to, symbol };
                    match rule.stack {
                        Stack::Pop => drop(pops.insert((frame, rule.to))),
                        Stack::Swap(to) => drop(self.bodies.insert((frame, head(to)))),
                        Stack::Push(to, site) => {
                            let callee = Frame::Call(head(to));
                            self.bodies.insert((callee, head(to)));
                            self.below.insert((callee, site, frame));
                        }
                    }
                }
            }
            for (frame, symbol, below) in self.below.clone() {
                for (_, control) in pops.iter().filter(|(popped, _)| *popped == frame) {
                    self.bodies.insert((below, Head { control: *control, symbol }));
                }
            }
            if size == (self.bodies.len(), self.below.len(), pops.len()) {
                break;
            }
        }
        for (frame, control) in pops {
            if let Frame::Call(entry) = frame {
                self.returns.entry(entry).or_default().insert(control);
            }
        }
    }

    pub fn heads(&self) -> BTreeSet<Head> {
        self.bodies.iter().map(|(_, head)| *head).collect()
    }

    /// The heads from which control can come to a goal: inside the frame and what it calls, or after returning from it.
    pub fn leading(&self, goals: &[SymbolId]) -> BTreeSet<Head> {
        let heads = self.heads();
        let mut inside: BTreeSet<Head> = heads.iter().filter(|head| goals.contains(&head.symbol)).copied().collect();
        let mut pops: BTreeSet<(Head, ControlId)> = BTreeSet::new();
        loop {
            let size = (inside.len(), pops.len());
            for &head in &heads {
                for rule in self.rules(head) {
                    let at = |symbol| Head { control: rule.to, symbol };
                    let next: Vec<Head> = match rule.stack {
                        Stack::Pop => {
                            pops.insert((head, rule.to));
                            Vec::new()
                        }
                        Stack::Swap(to) => vec![at(to)],
                        Stack::Push(to, site) => {
                            if inside.contains(&at(to)) {
                                inside.insert(head);
                            }
                            let controls = self.returns.get(&at(to)).into_iter().flatten();
                            controls.map(|control| Head { control: *control, symbol: site }).collect()
                        }
                    };
                    for next in next {
                        if inside.contains(&next) {
                            inside.insert(head);
                        }
                        let on: Vec<_> = pops.iter().filter(|(from, _)| *from == next).map(|pop| pop.1).collect();
                        pops.extend(on.into_iter().map(|control| (head, control)));
                    }
                }
            }
            if size == (inside.len(), pops.len()) {
                break;
            }
        }
        let mut good: BTreeSet<(Frame, Head)> = BTreeSet::new();
        loop {
            let size = good.len();
            for &(frame, head) in &self.bodies {
                let returned = pops.iter().filter(|(from, _)| *from == head).any(|&(_, control)| {
                    self.below.iter().any(|&(above, symbol, below)| {
                        above == frame && good.contains(&(below, Head { control, symbol }))
                    })
                });
                if inside.contains(&head) || returned {
                    good.insert((frame, head));
                }
            }
            if good.len() == size {
                return good.into_iter().map(|(_, head)| head).collect();
            }
        }
    }

    /// All that becomes of a value at once; `formula` are conditions that are read wherever something is seen.
    pub fn next(&self, (head, var): Value, formula: &[Expr]) -> BTreeSet<Becomes> {
        let spds = self.spds;
        let mut all = BTreeSet::new();
        let symbol = spds.symbol(head.symbol);
        let silent = self.rules(head).any(|rule| rule.silent);
        let seen = formula.iter().filter(|_| !silent);
        if symbol.invariant.iter().chain(seen).any(|condition| reads(condition).any(|read| read == var)) {
            all.insert(Becomes::Use);
        }
        for rule in self.rules(head) {
            self.by_rule(rule, var, &mut all);
        }
        all
    }

    fn by_rule(&self, rule: &Rule, var: Var, all: &mut BTreeSet<Becomes>) {
        let spds = self.spds;
        let has = |expr: &Expr| reads(expr).any(|read| read == var);
        let frame = |symbol: SymbolId| spds.symbol(symbol).frame;
        let here = frame(rule.from.symbol);
        let with_reads: Vec<(Var, Time)> = rule.with.iter().flat_map(|with| with.reads()).collect();
        let coupled = |update: &spds_format::model::Update| with_reads.contains(&(update.var, update.time));
        let in_relation = rule.with.as_ref().is_some_and(has)
            || rule.updates.iter().any(|u| coupled(u) && (has(&u.value) || u.index.as_ref().is_some_and(has)));
        let meets = |one: &spds_format::model::Update| {
            let others = rule.updates.iter().filter(|other| !std::ptr::eq(*other, one));
            others.into_iter().any(|other| total::updates_may_meet(one, other))
        };
        let blocks = rule.guard.as_ref().is_some_and(has)
            || in_relation && !total::relation_is_total(spds, rule)
            || rule.updates.iter().any(|u| {
                has(&u.value) && (!total::value_is_total(spds, rule, u) || meets(u))
                    || u.index.as_ref().is_some_and(has) && (!total::index_is_total(spds, rule, u) || meets(u))
            });
        if blocks {
            all.insert(Becomes::Use);
        }
        let flows = |to: (Var, Time), kept: bool| {
            let updates: Vec<_> = rule.updates.iter().filter(|u| (u.var, u.time) == to).collect();
            let related = with_reads.contains(&to);
            let into = updates.iter().any(|u| has(&u.value) || u.index.as_ref().is_some_and(has));
            let mentioned = related || !updates.is_empty();
            let cells = kept && to.0 == var && !updates.is_empty() && updates.iter().all(|u| u.index.is_some());
            into || related && in_relation || cells || kept && to.0 == var && !mentioned
        };
        let globals = (0..spds.globals.len() as u32).map(Var::Global);
        let locals = |symbol: SymbolId| (0..spds.locals(symbol).len() as u32).map(Var::Local);
        let head = |symbol| Head { control: rule.to, symbol };
        match rule.stack {
            Stack::Pop => {
                all.extend(
                    globals.filter(|z| flows((*z, Time::After), *z == var)).map(|z| Becomes::Returned(rule.to, z)),
                );
            }
            Stack::Swap(to) => {
                for z in globals.chain(locals(to)) {
                    let kept = matches!(z, Var::Global(_)) || frame(to) == here;
                    if flows((z, Time::After), kept) {
                        all.insert(Becomes::Value((head(to), z)));
                    }
                }
            }
            Stack::Push(to, site) => {
                for z in globals.chain(locals(to)) {
                    if flows((z, Time::After), matches!(z, Var::Global(_))) {
                        all.insert(Becomes::Inside((head(to), z), site));
                    }
                }
                for control in self.returns.get(&head(to)).into_iter().flatten() {
                    for z in locals(site).filter(|z| flows((*z, Time::Saved), frame(site) == here)) {
                        all.insert(Becomes::Value((Head { control: *control, symbol: site }, z)));
                    }
                }
            }
        }
    }

    /// The variables that matter at each head, if only rules that leave heads among `counting` count.
    pub fn matters(&self, counting: Option<&BTreeSet<Head>>, formula: &[Expr]) -> BTreeMap<Head, BTreeSet<Var>> {
        let counts = |head: Head| counting.is_none_or(|heads| heads.contains(&head));
        let mut next: BTreeMap<Value, BTreeSet<Becomes>> = BTreeMap::new();
        for head in self.heads().into_iter().filter(|head| counts(*head)) {
            let globals = (0..self.spds.globals.len() as u32).map(Var::Global);
            let locals = (0..self.spds.locals(head.symbol).len() as u32).map(Var::Local);
            for var in globals.chain(locals) {
                next.insert((head, var), self.next((head, var), formula));
            }
        }
        let (mut uses, mut pops): (BTreeSet<Value>, BTreeSet<(Value, ControlId, Var)>) = Default::default();
        loop {
            let size = (uses.len(), pops.len());
            for (value, all) in &next {
                for becomes in all {
                    let next: Vec<Value> = match *becomes {
                        Becomes::Use => {
                            uses.insert(*value);
                            continue;
                        }
                        Becomes::Returned(control, var) => {
                            pops.insert((*value, control, var));
                            continue;
                        }
                        Becomes::Value(next) => vec![next],
                        Becomes::Inside(entry, symbol) => {
                            if uses.contains(&entry) {
                                uses.insert(*value);
                            }
                            let popped = pops.iter().filter(|(from, ..)| *from == entry);
                            popped.map(|(_, control, var)| (Head { control: *control, symbol }, *var)).collect()
                        }
                    };
                    for next in next {
                        if uses.contains(&next) {
                            uses.insert(*value);
                        }
                        let on: Vec<_> = pops.iter().filter(|(from, ..)| *from == next).copied().collect();
                        pops.extend(on.iter().map(|(_, control, var)| (*value, *control, *var)));
                    }
                }
            }
            if size == (uses.len(), pops.len()) {
                break;
            }
        }
        let mut needed: BTreeSet<(Frame, Value)> = BTreeSet::new();
        loop {
            let size = needed.len();
            for &(frame, head) in &self.bodies {
                for value in next.keys().filter(|(at, _)| *at == head) {
                    let comes_back = pops.iter().filter(|(from, ..)| from == value).any(|&(_, control, var)| {
                        self.below.iter().any(|&(above, symbol, below)| {
                            above == frame && needed.contains(&(below, (Head { control, symbol }, var)))
                        })
                    });
                    if uses.contains(value) || comes_back {
                        needed.insert((frame, *value));
                    }
                }
            }
            if needed.len() == size {
                break;
            }
        }
        let mut matters: BTreeMap<Head, BTreeSet<Var>> = BTreeMap::new();
        for (_, (head, var)) in needed {
            matters.entry(head).or_default().insert(var);
        }
        matters
    }
}
