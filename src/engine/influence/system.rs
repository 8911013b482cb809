//! The influence system: a pushdown system without data in which a run is a chain of values that depend on each other.
//!
//! Its control locations are pairs of a control location and a variable that is in scope, and one more, *use*; its stack
//! symbols are those of the program. ⟨x, γ⟩ steps to ⟨use, γ⟩ where γ reads x to go on, and along the program's rules to
//! the variables into which x flows: into a callee, out of it, and over it if it can return.

use rustc_hash::FxHashSet;
use spds_format::expr::{Expr, Time};
use spds_format::model::{ControlId, Head, Rule, Spds, Stack, SymbolId, Updates, Var};

use super::control::Control;
use super::effect::{Effect, How};
use crate::ltl::atoms::{Meaning, Truth};

/// The system, and what its rules mean.
pub struct System {
    /// The system itself.
    pub spds: Spds,
    /// For each of its rules how the value goes on.
    pub hows: Vec<How>,
    /// The number of globals.
    globals: u32,
    /// The number of variables: globals, and the locals of the widest frame.
    variables: u32,
}

impl System {
    /// Of the rules that leave heads which control reaches and which `counts`. The propositions of a formula, if there is one, read
    /// variables wherever a configuration is seen.
    pub fn new(spds: &Spds, control: &Control, counts: impl Fn(Head) -> bool, meanings: &[Meaning]) -> System {
        let widest = spds.frames.iter().map(|frame| frame.variables.len()).max().unwrap_or(0);
        let globals = spds.globals.len() as u32;
        let variables = globals + widest as u32;
        let names = (0..spds.controls.len() as u32 * variables).map(|number| format!("v{number}").as_str().into());
        let made = Spds {
            controls: names.chain(["use".into()]).collect(),
            symbols: control.spds.symbols.clone(),
            rules: Vec::new(),
            start: control.spds.start.clone(),
            ..Spds::default()
        };
        let mut system = System { spds: made, hows: Vec::new(), globals, variables };
        let hidden: FxHashSet<Head> = spds.rules.iter().filter(|rule| rule.silent).map(|rule| rule.from).collect();
        let asserts: FxHashSet<Head> =
            spds.rules.iter().filter(|rule| leads_to(rule, spds.fail)).map(|rule| rule.from).collect();
        let mut heads: Vec<Head> = control.stacks.heads().filter(|head| counts(*head)).collect();
        heads.sort_unstable();
        for &head in &heads {
            let symbol = spds.symbol(head.symbol);
            system.reads(head, symbol.invariant.iter(), How::Relation);
            if !hidden.contains(&head) {
                let conditions = meanings.iter().filter_map(|meaning| match meaning.at(spds, head.symbol) {
                    Truth::Condition(condition) => Some(condition),
                    Truth::Constant(_) | Truth::Stuck => None,
                });
                system.reads(head, conditions, How::Formula);
            }
        }
        for rule in spds.rules.iter().filter(|rule| control.reaches(rule.from) && counts(rule.from)) {
            system.rule(spds, control, rule, asserts.contains(&rule.from));
        }
        system
    }

    /// The control location that stands for a variable.
    pub fn variable(&self, control: ControlId, var: Var) -> ControlId {
        let number = match var {
            Var::Global(i) => i,
            Var::Local(i) => self.globals + i,
        };
        ControlId(control.0 * self.variables + number)
    }

    /// The control location and the variable behind a control location; `None` for *use*.
    pub fn original(&self, control: ControlId) -> Option<(ControlId, Var)> {
        if control == self.used() {
            return None;
        }
        let (control, number) = (control.0 / self.variables, control.0 % self.variables);
        let var = number.checked_sub(self.globals).map_or(Var::Global(number), Var::Local);
        Some((ControlId(control), var))
    }

    /// *use*
    pub fn used(&self) -> ControlId {
        ControlId(self.spds.controls.len() as u32 - 1)
    }

    fn add(&mut self, from: (Head, Var), to: ControlId, stack: Stack, how: How) {
        let (head, var) = from;
        let from = Head { control: self.variable(head.control, var), symbol: head.symbol };
        let updates = Updates::default();
        self.spds.rules.push(Rule { from, to, stack, guard: None, updates, with: None, silent: false, label: None });
        self.hows.push(how);
    }

    /// Conditions that are read wherever a head is on top.
    fn reads<'e>(&mut self, head: Head, conditions: impl Iterator<Item = &'e Expr>, how: How) {
        let mut read: Vec<Var> = conditions.flat_map(|condition| condition.reads().map(|(var, _)| var)).collect();
        read.sort_unstable();
        read.dedup();
        for var in read {
            self.add((head, var), self.used(), Stack::Swap(head.symbol), how);
        }
    }

    fn rule(&mut self, spds: &Spds, control: &Control, rule: &Rule, asserts: bool) {
        let (from, effect) = (rule.from, Effect::new(spds, rule));
        for &(var, how) in &effect.uses {
            let how = if how == How::Condition && asserts { How::Assertion } else { how };
            self.add((from, var), self.used(), Stack::Swap(from.symbol), how);
        }
        let (top, over) = match rule.stack {
            Stack::Pop | Stack::Swap(_) => (rule.stack, Vec::new()),
            Stack::Push(entry, site) => {
                let returns = control.returns(Head { control: rule.to, symbol: entry });
                (rule.stack, returns.iter().map(|to| (*to, Stack::Swap(site))).collect())
            }
        };
        for flow in &effect.flows {
            for &(var, how) in &flow.from {
                match flow.to {
                    (to, Time::Saved) => {
                        for &(control, site) in &over {
                            self.add((from, var), self.variable(control, to), site, how);
                        }
                    }
                    (to, _) => self.add((from, var), self.variable(rule.to, to), top, how),
                }
            }
        }
        let locals = spds.locals(from.symbol).len() as u32;
        for var in (0..self.globals).map(Var::Global).chain((0..locals).map(Var::Local)) {
            if effect.keeps(var, Time::After) {
                self.add((from, var), self.variable(rule.to, var), top, How::Survives);
            }
            if matches!(var, Var::Local(_)) && effect.keeps(var, Time::Saved) {
                for &(control, site) in &over {
                    self.add((from, var), self.variable(control, var), site, How::Survives);
                }
            }
        }
    }
}

fn leads_to(rule: &Rule, symbol: Option<SymbolId>) -> bool {
    matches!(rule.stack, Stack::Swap(to) | Stack::Push(to, _) if Some(to) == symbol)
}
