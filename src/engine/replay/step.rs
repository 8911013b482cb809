//! One step: which states follow a state by a rule, by explicit enumeration.
//!
//! A state may leave values *open*: any value of the type will do, and nothing has depended on it yet. A value is decided
//! only when a guard, an update, a `with` clause or an invariant reads it; what no one reads stays open, so a register
//! that holds rubbish does not double the number of states. States whose values are all known are the special case in
//! which a judged run is checked.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use spds_format::expr::{Expr, Op, Time};
use spds_format::model::{Rule, Stack, SymbolId, Update, Var};

use super::eval::{Cells, Layout, Scene, Side, Spot, evaluate, largest};
use super::system::{Budget, Exhausted, Split, State, System, number, var};

/// What is asked of the values after a step; `None`, or an open cell, asks nothing.
#[derive(Clone, Copy, Default)]
pub(super) struct Wanted<'a> {
    pub(super) globals: Option<&'a [Option<u64>]>,
    pub(super) locals: Option<&'a [Option<u64>]>,
    pub(super) saved: Option<&'a [Option<u64>]>,
}

/// A way to take a rule.
pub(super) struct Move {
    /// The state before, with what had to be decided.
    pub(super) before: State,
    /// The globals after it.
    pub(super) globals: Cells,
    /// The locals of the new topmost symbol; empty for a return.
    pub(super) locals: Cells,
    /// The locals that a call saves; else empty.
    pub(super) saved: Cells,
}

/// Why a rule cannot be taken as wanted; the later the variant, the nearer it came.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Misfit {
    /// No rule leads there at all.
    NoRule,
    /// The guard does not hold.
    Guard,
    /// What is assigned to the variable has no value, does not fit its type, or two assignments to it disagree.
    NoValue(String),
    /// The variable would have to be another.
    Differs { what: String, listed: u64, must: Vec<u64> },
    /// The `with` clause does not hold.
    With,
    /// The invariant of the symbol arrived at does not hold.
    Invariant,
}

/// The reason as the end of a sentence.
pub(super) fn because(misfit: &Misfit) -> String {
    match misfit {
        Misfit::NoRule => String::new(),
        Misfit::Guard => ": the guard does not hold".to_string(),
        Misfit::NoValue(what) => {
            format!(": what is assigned to `{what}` has no value, does not fit, or is assigned twice and differs")
        }
        Misfit::Differs { what, listed, must } => {
            let must: Vec<String> = must.iter().map(u64::to_string).collect();
            format!(": `{what}` is {listed} there, but must be {}", must.join(" or "))
        }
        Misfit::With => ": the `with` clause does not hold".to_string(),
        Misfit::Invariant => ": the invariant there does not hold".to_string(),
    }
}

impl System<'_> {
    /// Every way to take `rule` from `before` such that the values after it are as wanted, with the invariant of the
    /// symbol that a step or a call leads to (for a return the caller sees to that, who knows the locals).
    /// Returns how near the nearest failure came.
    ///
    /// # Errors
    /// If the budget does not suffice to decide the open values that the rule reads.
    pub(super) fn moves(
        &self,
        rule: &Rule,
        before: &State,
        wanted: Wanted<'_>,
        budget: &mut Budget,
        found: &mut dyn FnMut(Move) -> ControlFlow<()>,
    ) -> Result<Misfit, Exhausted> {
        self.drafts(rule, before, wanted, budget, &mut |draft, After { globals, locals, saved }| {
            found(Move { before: draft.before.into_owned(), globals, locals, saved })
        })
    }

    /// Whether there is such a way; if not, how near the nearest failure came.
    pub(super) fn takes(&self, rule: &Rule, before: &State, wanted: Wanted<'_>) -> Result<(), Misfit> {
        let mut taken = false;
        let misfit = self.drafts(rule, before, wanted, &mut Budget(u64::MAX), &mut |_, _| {
            taken = true;
            ControlFlow::Break(())
        });
        match misfit {
            _ if taken => Ok(()),
            Ok(misfit) => Err(misfit),
            Err(_) => Err(Misfit::NoRule),
        }
    }

    /// As [`System::moves`], without a copy of a state of which nothing had to be decided.
    fn drafts<'b>(
        &self,
        rule: &Rule,
        before: &'b State,
        wanted: Wanted<'_>,
        budget: &mut Budget,
        found: &mut dyn FnMut(Draft<'b>, After) -> ControlFlow<()>,
    ) -> Result<Misfit, Exhausted> {
        let mut nearest = Misfit::NoRule;
        let mut pending: Vec<(Draft<'b>, Option<Split>)> = Vec::new();
        let mut next = Some((Draft { before: Cow::Borrowed(before), decided: Vec::new() }, None));
        while let Some((mut draft, split)) = next.take().or_else(|| pending.pop()) {
            if let Some(mut split) = split {
                let Some(value) = split.next() else { continue };
                let spot = split.spot;
                pending.push((draft.clone(), Some(split)));
                draft.decide(spot, value);
            }
            budget.spend()?;
            match self.attempt(rule, &draft, wanted) {
                Err(Hitch::Fails(misfit)) => nearest = nearest.max(misfit),
                Err(Hitch::Needs(split)) => pending.push((draft, Some(split))),
                Ok(after) => {
                    if found(draft, after).is_break() {
                        return Ok(nearest);
                    }
                }
            }
        }
        Ok(nearest)
    }

    /// The values after the rule, if the draft decides all that they depend on.
    fn attempt(&self, rule: &Rule, draft: &Draft<'_>, wanted: Wanted<'_>) -> Result<After, Hitch> {
        let before = &*draft.before;
        let scene = self.scene(before);
        if let Some(guard) = &rule.guard {
            holds(guard, &scene, Misfit::Guard, |spot| self.split(spot, rule, before))?;
        }
        let (mut after, choices) = self.updated(rule, before, &scene)?;
        if let Some(misfit) = self.meet(rule, &mut after, draft, wanted, &choices) {
            return Err(Hitch::Fails(misfit));
        }
        let to = self.landing(rule);
        let choose = |spot: Spot| match choices.iter().find(|(chosen, _)| *chosen == spot) {
            Some((_, values)) => Split::among(spot, values.clone()),
            None => self.split(spot, rule, before),
        };
        if let Some(with) = &rule.with {
            let scene = Scene {
                after: Some((
                    Side { layout: &self.globals, cells: &after.globals },
                    Side { layout: to.map_or(&self.none, |to| self.locals(to)), cells: &after.locals },
                )),
                saved: match rule.stack {
                    Stack::Push(_, below) => Some(Side { layout: self.locals(below), cells: &after.saved }),
                    Stack::Pop | Stack::Swap(_) => None,
                },
                ..scene
            };
            holds(with, &scene, Misfit::With, choose)?;
        }
        if let Some((to, invariant)) = to.and_then(|to| Some((to, self.invariant(to)?))) {
            let scene = Scene {
                globals: Side { layout: &self.globals, cells: &after.globals },
                locals: Side { layout: self.locals(to), cells: &after.locals },
                after: None,
                saved: None,
                carried: None,
            };
            holds(invariant, &scene, Misfit::Invariant, |spot| choose(Spot { time: Time::After, ..spot }))?;
        }
        match choices.iter().find(|(spot, _)| after.cell(*spot).is_none()) {
            Some((spot, values)) => Err(Hitch::Needs(Split::among(*spot, values.clone()))),
            None => Ok(after),
        }
    }

    /// The values after the rule's updates, and the cells for which these leave a choice.
    fn updated(&self, rule: &Rule, before: &State, scene: &Scene<'_>) -> Result<(After, Choices), Hitch> {
        let mut after = self.frame(rule, before);
        let mut assigned: BTreeMap<Spot, Option<Vec<u64>>> = BTreeMap::new();
        for update in rule.updates.iter() {
            self.assign(rule, update, scene, &mut assigned)?;
        }
        let mut choices = Vec::new();
        while let Some((spot, values)) = assigned.pop_first() {
            let cell = after.cell(spot);
            *cell = None;
            match values {
                Some(values) if values.len() == 1 => *cell = Some(values[0]),
                Some(values) => choices.push((spot, values)),
                None => {}
            }
        }
        Ok((after, choices))
    }

    /// Which cells keep their values when a rule is taken from a state in which all is decided that it reads: the globals,
    /// the locals of the new topmost symbol, the locals that a call saves.
    pub(super) fn kept(&self, rule: &Rule, before: &State) -> (Vec<bool>, Vec<bool>, Vec<bool>) {
        let known = |cells: &Cells| cells.iter().map(|cell| cell.or(Some(0))).collect();
        let filled = State { globals: known(&before.globals), locals: known(&before.locals), ..before.clone() };
        let mut after = self.frame(rule, &filled);
        let mut assigned = BTreeMap::new();
        for update in rule.updates.iter() {
            // A rule that is taken has values to assign.
            let _ = self.assign(rule, update, &self.scene(before), &mut assigned);
        }
        for spot in assigned.into_keys() {
            *after.cell(spot) = None;
        }
        let kept = |cells: Cells| cells.iter().map(Option::is_some).collect();
        (kept(after.globals), kept(after.locals), kept(after.saved))
    }

    /// The symbol on top after a step or a call.
    fn landing(&self, rule: &Rule) -> Option<SymbolId> {
        match rule.stack {
            Stack::Pop => None,
            Stack::Swap(to) | Stack::Push(to, _) => Some(to),
        }
    }

    /// The values after the rule before its assignments: kept, or open where the rule leaves them free.
    fn frame(&self, rule: &Rule, before: &State) -> After {
        let (locals, saved) = match rule.stack {
            Stack::Pop => (Vec::new(), Vec::new()),
            Stack::Swap(to) if self.spds.symbol(to).frame == self.spds.symbol(before.symbol).frame => {
                (before.locals.clone(), Vec::new())
            }
            Stack::Swap(to) => (vec![None; self.locals(to).len()], Vec::new()),
            Stack::Push(to, below) if self.spds.symbol(below).frame == self.spds.symbol(before.symbol).frame => {
                (vec![None; self.locals(to).len()], before.locals.clone())
            }
            Stack::Push(to, below) => (vec![None; self.locals(to).len()], vec![None; self.locals(below).len()]),
        };
        let mut after = After { globals: before.globals.clone(), locals, saved };
        for (var, time) in rule.with.iter().flat_map(|with| with.reads()).filter(|(_, time)| *time != Time::Before) {
            let Some(layout) = self.layout(rule, before.symbol, var, time) else { continue };
            let number = number(var);
            for cell in layout.cells(number) {
                *after.cell(Spot { global: matches!(var, Var::Global(_)), time, cell }) = None;
            }
        }
        after
    }

    /// The layout in which the variable lies at that time of the rule.
    fn layout(&self, rule: &Rule, from: SymbolId, var: Var, time: Time) -> Option<&Layout> {
        match (var, time, rule.stack) {
            (Var::Global(_), _, _) => Some(&self.globals),
            (Var::Local(_), Time::Before, _) => Some(self.locals(from)),
            (Var::Local(_), Time::Saved, Stack::Push(_, below)) => Some(self.locals(below)),
            (Var::Local(_), Time::After, Stack::Swap(to) | Stack::Push(to, _)) => Some(self.locals(to)),
            (Var::Local(_), Time::After, Stack::Pop) | (Var::Local(_), Time::Saved, _) => None,
        }
    }

    /// Evaluates one update and adds what its cells may become.
    fn assign(
        &self,
        rule: &Rule,
        update: &Update,
        scene: &Scene<'_>,
        assigned: &mut BTreeMap<Spot, Option<Vec<u64>>>,
    ) -> Result<(), Hitch> {
        let from = rule.from.symbol;
        let global = matches!(update.var, Var::Global(_));
        let Some(layout) = self.layout(rule, from, update.var, update.time) else { return Ok(()) };
        let cells = self.targets(rule, update, layout, scene)?;
        let scalar = layout.ty(number(update.var)).scalar;
        let anything = update.value.ops() == [Op::Any];
        let values = if anything {
            None
        } else {
            let evaluated = evaluate(&update.value, scene);
            if let Some(spot) = evaluated.open {
                return Err(Hitch::Needs(self.split_before(spot, from)));
            }
            let values = evaluated.value.storable(scalar);
            if values.is_empty() {
                return Err(self.no_value(rule, update));
            }
            Some(values).filter(|values| values.len() as u128 <= u128::from(largest(scalar)))
        };
        for cell in cells {
            let spot = Spot { global, time: update.time, cell };
            let entry = assigned.entry(spot);
            let met = match (entry, &values) {
                (std::collections::btree_map::Entry::Vacant(place), values) => place.insert(values.clone()),
                (std::collections::btree_map::Entry::Occupied(place), values) => {
                    let place = place.into_mut();
                    match (&mut *place, values) {
                        (Some(old), Some(new)) => old.retain(|value| new.contains(value)),
                        (None, Some(new)) => *place = Some(new.clone()),
                        (_, None) => {}
                    }
                    place
                }
            };
            if met.as_ref().is_some_and(Vec::is_empty) {
                return Err(self.no_value(rule, update));
            }
        }
        Ok(())
    }

    /// The cells to which an update assigns: all of the variable, or the one with its index.
    fn targets(&self, rule: &Rule, update: &Update, layout: &Layout, scene: &Scene<'_>) -> Result<Vec<usize>, Hitch> {
        let number = number(update.var);
        let Some(index) = &update.index else { return Ok(layout.cells(number).collect()) };
        let evaluated = evaluate(index, scene);
        if let Some(spot) = evaluated.open {
            return Err(Hitch::Needs(self.split_before(spot, rule.from.symbol)));
        }
        let cell = match evaluated.value.numbers() {
            Some([index]) => layout.indexed(number, index),
            _ => None,
        };
        Ok(vec![cell.ok_or_else(|| self.no_value(rule, update))?])
    }

    /// That what is assigned has no value.
    fn no_value(&self, rule: &Rule, update: &Update) -> Hitch {
        Hitch::Fails(Misfit::NoValue(self.name(rule, rule.from.symbol, update.var, update.time, None)))
    }

    /// Puts in what was decided and what is wanted; says what does not agree.
    fn meet(
        &self,
        rule: &Rule,
        after: &mut After,
        draft: &Draft<'_>,
        wanted: Wanted<'_>,
        choices: &[(Spot, Vec<u64>)],
    ) -> Option<Misfit> {
        for (spot, value) in &draft.decided {
            *after.cell(*spot) = Some(*value);
        }
        let lists = [
            (true, Time::After, wanted.globals),
            (false, Time::After, wanted.locals),
            (false, Time::Saved, wanted.saved),
        ];
        for (global, time, list) in lists {
            for (cell, listed) in list.unwrap_or(&[]).iter().enumerate() {
                let Some(listed) = *listed else { continue };
                let spot = Spot { global, time, cell };
                let value = after.cell(spot);
                let must = match *value {
                    Some(value) if value == listed => continue,
                    Some(value) => vec![value],
                    None => {
                        match choices.iter().find(|(chosen, values)| *chosen == spot && !values.contains(&listed)) {
                            Some((_, values)) => values.clone(),
                            None => {
                                *value = Some(listed);
                                continue;
                            }
                        }
                    }
                };
                let variable = self.layout(rule, draft.before.symbol, var(global, 0), time)?.owner(cell) as u32;
                let what = self.name(rule, draft.before.symbol, var(global, variable), time, Some(cell));
                return Some(Misfit::Differs { what, listed, must });
            }
        }
        None
    }

    fn name(&self, rule: &Rule, from: SymbolId, var: Var, time: Time, cell: Option<usize>) -> String {
        let symbol = match (time, rule.stack) {
            (Time::After, Stack::Swap(to) | Stack::Push(to, _)) | (Time::Saved, Stack::Push(_, to)) => to,
            _ => from,
        };
        self.variable(symbol, var, cell)
    }

    fn split(&self, spot: Spot, rule: &Rule, before: &State) -> Split {
        let layout = self
            .layout(rule, before.symbol, var(spot.global, 0), spot.time)
            .expect("an open cell that was read lies in a layout");
        Split::all(spot, layout.largest(spot.cell))
    }
}

/// A state before a step and the values after it that were decided by splitting.
#[derive(Clone)]
struct Draft<'b> {
    before: Cow<'b, State>,
    decided: Vec<(Spot, u64)>,
}

impl Draft<'_> {
    fn decide(&mut self, spot: Spot, value: u64) {
        match spot.time {
            Time::Before => self.before.to_mut().decide(spot, value),
            Time::After | Time::Saved => self.decided.push((spot, value)),
        }
    }
}

/// The values after a step, as far as they are determined.
struct After {
    globals: Cells,
    locals: Cells,
    saved: Cells,
}

impl After {
    fn cell(&mut self, spot: Spot) -> &mut Option<u64> {
        let cells = match (spot.global, spot.time) {
            (true, _) => &mut self.globals,
            (false, Time::Saved) => &mut self.saved,
            (false, _) => &mut self.locals,
        };
        &mut cells[spot.cell]
    }
}

/// The cells for which updates leave a choice, with the values that each may have.
type Choices = Vec<(Spot, Vec<u64>)>;

/// Why an attempt does not work as it is.
enum Hitch {
    Fails(Misfit),
    /// A cell has to be decided first.
    Needs(Split),
}

/// Whether a condition holds; if a cell is open on which that depends, it is to be decided as `split` says.
fn holds(condition: &Expr, scene: &Scene<'_>, misfit: Misfit, split: impl FnOnce(Spot) -> Split) -> Result<(), Hitch> {
    let evaluated = evaluate(condition, scene);
    if !evaluated.may_hold() {
        return Err(Hitch::Fails(misfit));
    }
    match evaluated.open {
        Some(spot) => Err(Hitch::Needs(split(spot))),
        None => Ok(()),
    }
}
