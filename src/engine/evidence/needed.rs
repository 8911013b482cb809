//! A system without what is declared in it and not mentioned.

use std::collections::BTreeSet;
use std::sync::Arc;

use spds_format::Spds;
use spds_format::expr::{Expr, Op, Time};
use spds_format::model::{ControlId, FrameId, Head, Rule, Stack, SymbolId, Update, Updates, Var, Variable};

use crate::check::{Property, Target};
use crate::ltl::Violations;
use crate::ltl::atoms::Meaning;

/// The system and the property without globals, locals, frames, control locations and symbols that neither mentions; nothing where the
/// property is a set of configurations, whose automaton has names of its own.
pub(super) fn needed(spds: &Spds, property: &Property) -> Option<(Spds, Property)> {
    if matches!(property, Property::Configurations(_)) {
        return None;
    }
    let used = Used::of(spds, property);
    let [globals, frames, controls, symbols] =
        [&used.globals, &used.frames, &used.controls, &used.symbols].map(Numbers::new);
    let locals = used.frames.iter().map(|frame| {
        let own = used.locals.iter().filter(|(other, _)| other == frame).map(|(_, local)| *local);
        (FrameId(*frame), Numbers::new(&own.collect()))
    });
    let names = Names { globals, frames, controls, symbols, locals: locals.collect() };
    Some((names.system(spds), names.property(property)))
}

/// What is mentioned, by number.
#[derive(Default)]
struct Used {
    globals: BTreeSet<u32>,
    locals: BTreeSet<(u32, u32)>,
    frames: BTreeSet<u32>,
    controls: BTreeSet<u32>,
    symbols: BTreeSet<u32>,
}

impl Used {
    fn of(spds: &Spds, property: &Property) -> Used {
        let mut used = Used::default();
        used.controls.insert(spds.start.control.0);
        let first = spds.start.stack.first().and_then(|symbol| spds.symbol(*symbol).frame);
        spds.start.condition.iter().for_each(|condition| used.reads(condition, &|_| first));
        used.symbols.extend(spds.start.stack.iter().chain(&spds.end).chain(&spds.fail).map(|symbol| symbol.0));
        spds.rules.iter().for_each(|rule| used.rule(spds, rule));
        for atom in &spds.atoms {
            used.frames.extend(atom.frame.map(|frame| frame.0));
            used.reads(&atom.condition, &|_| atom.frame);
        }
        match property {
            Property::Reach(targets) => {
                for target in targets {
                    used.controls.extend(target.control.map(|control| control.0));
                    used.symbols.insert(target.symbol.0);
                }
            }
            Property::Ltl(violations) => {
                let formula = violations.formula.iter().flat_map(|formula| &formula.meanings);
                violations.meanings.iter().chain(formula).for_each(|meaning| used.meaning(meaning));
            }
            Property::Assertions | Property::Termination | Property::Configurations(_) => {}
        }
        for symbol in used.symbols.clone() {
            let symbol = spds.symbol(SymbolId(symbol));
            symbol.invariant.iter().for_each(|invariant| used.reads(invariant, &|_| symbol.frame));
        }
        // Frames without locals mean nothing.
        used.frames.extend(used.locals.iter().map(|(frame, _)| *frame));
        used
    }

    fn rule(&mut self, spds: &Spds, rule: &Rule) {
        let frames = spds.frames_of(rule);
        let frame = |time: Time| frames[time as usize];
        self.controls.extend([rule.from.control.0, rule.to.0]);
        self.symbols.insert(rule.from.symbol.0);
        match rule.stack {
            Stack::Pop => {}
            Stack::Swap(symbol) => self.symbols.extend([symbol.0]),
            Stack::Push(entry, site) => self.symbols.extend([entry.0, site.0]),
        }
        rule.guard.iter().chain(&rule.with).for_each(|condition| self.reads(condition, &frame));
        for update in rule.updates.iter() {
            self.variable(update.var, frame(update.time));
            update.index.iter().chain([&update.value]).for_each(|value| self.reads(value, &frame));
        }
    }

    fn meaning(&mut self, meaning: &Meaning) {
        match meaning {
            Meaning::Stuck => {}
            Meaning::Symbols(symbols) => self.symbols.extend(symbols.iter().map(|symbol| symbol.0)),
            Meaning::Values { frame, condition } => {
                self.frames.extend(frame.map(|frame| frame.0));
                self.reads(condition, &|_| *frame);
            }
            Meaning::Places { symbols, condition } => {
                self.symbols.extend(symbols.iter().map(|symbol| symbol.0));
                self.reads(condition, &|_| None);
            }
        }
    }

    fn reads(&mut self, expr: &Expr, frame: &dyn Fn(Time) -> Option<FrameId>) {
        expr.reads().for_each(|(var, time)| self.variable(var, frame(time)));
    }

    fn variable(&mut self, var: Var, frame: Option<FrameId>) {
        match (var, frame) {
            (Var::Global(global), _) => drop(self.globals.insert(global)),
            (Var::Local(local), Some(frame)) => drop(self.locals.insert((frame.0, local))),
            (Var::Local(_), None) => {}
        }
    }
}

/// New numbers for old ones, in the same order.
struct Numbers(Vec<u32>);

impl Numbers {
    fn new(used: &BTreeSet<u32>) -> Numbers {
        Numbers(used.iter().copied().collect())
    }

    fn of(&self, old: u32) -> u32 {
        self.0.partition_point(|other| *other < old) as u32
    }

    /// What is left of a list.
    fn of_list<T: Clone>(&self, list: &[T]) -> Vec<T> {
        self.0.iter().filter_map(|number| list.get(*number as usize)).cloned().collect()
    }
}

/// New numbers for everything.
struct Names {
    globals: Numbers,
    frames: Numbers,
    controls: Numbers,
    symbols: Numbers,
    locals: Vec<(FrameId, Numbers)>,
}

impl Names {
    fn system(&self, spds: &Spds) -> Spds {
        let first = spds.start.stack.first().and_then(|symbol| spds.symbol(*symbol).frame);
        let mut system = spds.clone();
        system.globals = self.globals.of_list(&spds.globals);
        system.frames = self.frames.of_list(&spds.frames);
        for (frame, (_, locals)) in system.frames.iter_mut().zip(&self.locals) {
            frame.variables = locals.of_list::<Variable>(&frame.variables).into();
        }
        system.controls = self.controls.of_list(&spds.controls);
        system.symbols = self.symbols.of_list(&spds.symbols);
        for symbol in &mut system.symbols {
            let frame = symbol.frame;
            symbol.invariant = symbol.invariant.as_ref().map(|invariant| self.expr(invariant, &|_| frame));
            symbol.frame = frame.filter(|frame| self.frames.0.contains(&frame.0)).map(|frame| self.frame(frame));
        }
        system.rules = spds.rules.iter().map(|rule| self.rule(spds, rule)).collect();
        system.start.control = self.control(spds.start.control);
        system.start.stack = spds.start.stack.iter().map(|symbol| self.symbol(*symbol)).collect();
        system.start.condition = spds.start.condition.as_ref().map(|condition| self.expr(condition, &|_| first));
        for atom in &mut system.atoms {
            let frame = atom.frame;
            atom.condition = self.expr(&atom.condition, &|_| frame);
            atom.frame = frame.map(|frame| self.frame(frame));
        }
        (system.end, system.fail) =
            (spds.end.map(|symbol| self.symbol(symbol)), spds.fail.map(|symbol| self.symbol(symbol)));
        system
    }

    fn rule(&self, spds: &Spds, rule: &Rule) -> Rule {
        let frames = spds.frames_of(rule);
        let frame = |time: Time| frames[time as usize];
        let expr = |expr: &Expr| self.expr(expr, &frame);
        let updates = rule.updates.iter().map(|update| Update {
            var: self.var(update.var, frame(update.time)),
            time: update.time,
            index: update.index.as_ref().map(expr),
            value: expr(&update.value),
        });
        Rule {
            from: Head { control: self.control(rule.from.control), symbol: self.symbol(rule.from.symbol) },
            to: self.control(rule.to),
            stack: match rule.stack {
                Stack::Pop => Stack::Pop,
                Stack::Swap(symbol) => Stack::Swap(self.symbol(symbol)),
                Stack::Push(entry, site) => Stack::Push(self.symbol(entry), self.symbol(site)),
            },
            guard: rule.guard.as_ref().map(expr),
            updates: Updates::from(updates.collect::<Vec<_>>()),
            with: rule.with.as_ref().map(expr),
            ..rule.clone()
        }
    }

    fn property(&self, property: &Property) -> Property {
        match property {
            Property::Reach(targets) => {
                let target = |target: &Target| Target {
                    control: target.control.map(|control| self.control(control)),
                    symbol: self.symbol(target.symbol),
                };
                Property::Reach(targets.iter().map(target).collect())
            }
            Property::Ltl(violations) => {
                let mut other = Violations::clone(violations);
                let formula = other.formula.iter_mut().flat_map(|formula| formula.meanings.iter_mut());
                for meaning in other.meanings.iter_mut().chain(formula) {
                    *meaning = self.meaning(meaning);
                }
                Property::Ltl(Arc::new(other))
            }
            other => other.clone(),
        }
    }

    fn meaning(&self, meaning: &Meaning) -> Meaning {
        let symbols = |symbols: &[SymbolId]| symbols.iter().map(|symbol| self.symbol(*symbol)).collect();
        match meaning {
            Meaning::Stuck => Meaning::Stuck,
            Meaning::Symbols(all) => Meaning::Symbols(symbols(all)),
            Meaning::Values { frame, condition } => Meaning::Values {
                frame: frame.map(|frame| self.frame(frame)),
                condition: self.expr(condition, &|_| *frame),
            },
            Meaning::Places { symbols: all, condition } => {
                Meaning::Places { symbols: symbols(all), condition: self.expr(condition, &|_| None) }
            }
        }
    }

    fn control(&self, old: ControlId) -> ControlId {
        ControlId(self.controls.of(old.0))
    }

    fn symbol(&self, old: SymbolId) -> SymbolId {
        SymbolId(self.symbols.of(old.0))
    }

    fn frame(&self, old: FrameId) -> FrameId {
        FrameId(self.frames.of(old.0))
    }

    fn var(&self, old: Var, frame: Option<FrameId>) -> Var {
        match old {
            Var::Global(global) => Var::Global(self.globals.of(global)),
            Var::Local(local) => {
                let own = self.locals.iter().find(|(other, _)| Some(*other) == frame);
                Var::Local(own.map_or(local, |(_, numbers)| numbers.of(local)))
            }
        }
    }

    fn expr(&self, expr: &Expr, frame: &dyn Fn(Time) -> Option<FrameId>) -> Expr {
        let op = |op: &Op| match *op {
            Op::Read(var, time) => Op::Read(self.var(var, frame(time)), time),
            Op::Cell(var, time) => Op::Cell(self.var(var, frame(time)), time),
            other => other,
        };
        // Operations keep their numbers of operands.
        Expr::from_postorder(expr.ops().iter().map(op).collect::<Vec<Op>>()).unwrap_or_else(|| expr.clone())
    }
}
