//! What a rule does to the bits of a configuration (SPEC.md, "Configurations, runs").

use std::collections::BTreeSet;

use spds_format::Spds;
use spds_format::expr::{Expr, Op, Time};
use spds_format::model::{Rule, Stack, Update, Var};

use super::circuit::{Circuit, Value};
use super::columns::{Columns, Field};
use super::logic::Logic;
use super::number::Number;
use crate::bdd::{At, Bit};
use crate::limits::Stop;

type Result<T> = std::result::Result<T, Stop>;

/// The relation of a rule, in parts.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Effect<T> {
    /// The values before in Now, those after it in Next, those of the frame that a call leaves in Saved. Of bits that keep their
    /// value it says nothing.
    pub relation: T,
    /// The bits whose value after the step is what the relation says, and no other: all others keep theirs.
    pub written: BTreeSet<u32>,
    /// Of a call: the same of the frame that it leaves.
    pub saved: BTreeSet<u32>,
}

impl<T: Clone + PartialEq> Effect<T> {
    pub fn new(spds: &Spds, columns: &Columns, space: &impl Logic<Term = T>, rule: &Rule) -> Result<Effect<T>> {
        let frames = spds.frames_of(rule);
        let [here, next, below] = frames;
        let circuit = Circuit { space, columns, frames };
        let mut effect = Effect { relation: space.top(), written: BTreeSet::new(), saved: BTreeSet::new() };
        for condition in rule.guard.iter().chain(&rule.with) {
            effect.relation = space.and(&effect.relation, &circuit.may(condition)?)?;
        }
        for (var, time) in rule.with.iter().flat_map(Expr::reads) {
            effect.mention(time, circuit.field(var, time).bits());
        }
        let is_new = |frame| frame != here;
        match rule.stack {
            Stack::Swap(_) if is_new(next) => {
                effect.mention(Time::After, columns.local_bits(here));
                effect.mention(Time::After, columns.local_bits(next));
            }
            Stack::Push(..) if is_new(below) => {
                effect.mention(Time::Saved, columns.local_bits(here));
                effect.mention(Time::Saved, columns.local_bits(below));
            }
            _ => {}
        }
        let mut updates: Vec<&Update> = rule.updates.iter().collect();
        updates.sort_by_key(|update| (update.var, update.time));
        for group in updates.chunk_by(|a, b| (a.var, a.time) == (b.var, b.time)) {
            let (var, time) = (group[0].var, group[0].time);
            let kept = match (var, time) {
                (Var::Global(_), _) => true,
                (Var::Local(_), Time::Saved) => !is_new(below),
                (Var::Local(_), _) => matches!(rule.stack, Stack::Swap(_)) && !is_new(next),
            };
            let freed = rule.with.iter().flat_map(Expr::reads).any(|read| read == (var, time));
            effect.assign(&circuit, group, kept && !freed)?;
        }
        Ok(effect)
    }

    fn mention(&mut self, time: Time, bits: impl IntoIterator<Item = u32>) {
        match time {
            Time::Before => {}
            Time::After => self.written.extend(bits),
            Time::Saved => self.saved.extend(bits),
        }
    }

    /// Updates of one variable: cells that none of them meets are as they were, if they are kept at all.
    fn assign(&mut self, circuit: &Circuit<'_, impl Logic<Term = T>>, updates: &[&Update], kept: bool) -> Result<()> {
        let space = circuit.space;
        let time = updates[0].time;
        let field = circuit.field(updates[0].var, time);
        let mut places = Vec::with_capacity(updates.len());
        for update in updates {
            let mut inside = space.bottom();
            let mut hits = Vec::new();
            let index = update.index.as_ref().map(|index| circuit.value(index)).transpose()?.map(Value::number);
            for cell in 0..field.ty.cells() {
                let hit = match &index {
                    Some(index) => circuit.hits(field, cell, index)?,
                    None => space.top(),
                };
                inside = space.or(&inside, &hit)?;
                hits.push(hit);
            }
            self.relation = space.and(&self.relation, &inside)?;
            let any = update.value.ops() == [Op::Any];
            let value = if any { None } else { Some(circuit.value(&update.value)?) };
            places.push((hits, value));
        }
        for cell in 0..field.ty.cells() {
            let mut untouched = space.top();
            for (hits, value) in &places {
                let hit = &hits[cell as usize];
                untouched = space.and_not(&untouched, hit)?;
                if let (Some(value), false) = (value, space.is_empty(hit)) {
                    let stored = stores(circuit, field, cell, time, value)?;
                    let elsewhere = space.not(hit)?;
                    self.relation = space.and(&self.relation, &space.or(&elsewhere, &stored)?)?;
                }
            }
            if space.is_full(&untouched) {
                continue;
            }
            self.mention(time, field.cell(cell));
            if kept && !space.is_empty(&untouched) {
                let same = same(circuit, field, cell, time)?;
                let touched = space.not(&untouched)?;
                self.relation = space.and(&self.relation, &space.or(&touched, &same)?)?;
            }
        }
        Ok(())
    }
}

/// Where a cell has a value after the step.
fn stores<L: Logic>(
    circuit: &Circuit<'_, L>,
    field: Field,
    cell: u32,
    time: Time,
    value: &Value<L::Term>,
) -> Result<L::Term> {
    let space = circuit.space;
    let digits = circuit.digits(field, cell, time)?;
    match value {
        Value::Truth(truth) => space.ite(&digits[0], &truth.yes, &truth.no),
        Value::Number(number) => Number::fits(number, space, &digits),
    }
}

/// Where a cell is after the step what it was before.
fn same<L: Logic>(circuit: &Circuit<'_, L>, field: Field, cell: u32, time: Time) -> Result<L::Term> {
    circuit.space.identity(field.cell(cell).map(Bit), At::Now, super::circuit::copy(time))
}
