//! From rules to relations.
//!
//! A rule's relation mentions only what it reads (copy `Now`) and writes (copy `Next`; `Saved` for locals that a call
//! changes in the frame it leaves below): R(x0 ; W1). Variables it leaves alone are not in it, and a search renames the
//! written ones only (see [`crate::saturation`], "Rules"). Equal rules of different procedures share one relation. What is
//! dead after a rule wherever its action occurs need not be in it at all.
//!
//! What the invariant of its symbol says of the variables that a rule reads is said first: nothing is built for values that no run has. So a chain
//! of bounds (`x <= 0`, `x <= 1`, …, of which each implies the next) costs about as much as one number would.

use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::expr::{Expr, Op, Time, Unary};
use spds_format::model::{self, FrameId, Stack, SymbolId, Update};
use spds_format::{Spds, total};

use super::blocked::Blocking;
pub use super::circuit::Placing;
use super::circuit::{COPIES, Circuit, Value};
use super::delta::{Delta, Reading};
use super::layout::{Field, Layout};
use super::{HeadId, Pds, RuleId, SetId, Source};
use crate::bdd::{At, Relation, Space};
use crate::limits::Stop;
use crate::product::Product;

/// Makes relations of rules, and remembers those it has made.
pub struct Encoder<'a> {
    spds: &'a Spds,
    layout: &'a Layout,
    space: &'a Space,
    known: FxHashMap<Box<[u64]>, Relation>,
    key: Vec<u64>,
    /// The parts of invariants, by where these lie.
    parts: FxHashMap<usize, Vec<Expr>>,
}

impl<'a> Encoder<'a> {
    /// For a system whose bits the space has.
    pub fn new(spds: &'a Spds, layout: &'a Layout, space: &'a Space) -> Self {
        let (known, parts) = (FxHashMap::default(), FxHashMap::default());
        Encoder { spds, layout, space, known, key: Vec::new(), parts }
    }

    /// The relation of a rule over Now, Next and Saved.
    pub fn rule(&mut self, rule: &model::Rule) -> Result<Relation, Stop> {
        let frames = self.spds.frames_of(rule);
        let given = self.given(rule);
        let circuit = Circuit { space: self.space, layout: self.layout, frames, placing: COPIES, before: None };
        if let Some(relation) = circuit.tabled(rule, &given)? {
            return Ok(relation);
        }
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        spell_rule(&mut key, self.layout, frames, rule);
        given.iter().for_each(|part| spell_optional(&mut key, self.layout, frames, Some(part)));
        let known = self.known.get(key.as_slice()).cloned();
        let relation = match known {
            Some(relation) => relation,
            None => {
                let relation = circuit.rule(rule, &given)?;
                self.known.insert(key.clone().into(), relation.clone());
                relation
            }
        };
        self.key = key;
        Ok(relation)
    }

    /// What is known before a rule about nothing but what it reads there.
    fn given(&mut self, rule: &model::Rule) -> Vec<Expr> {
        let Some(invariant) = &self.spds.symbol(rule.from.symbol).invariant else { return Vec::new() };
        let updates = rule.updates.iter().flat_map(|update| [Some(&update.value), update.index.as_ref()]);
        let all = updates.chain([rule.guard.as_ref(), rule.with.as_ref()]).flatten();
        let before = |&(_, time): &(model::Var, Time)| time == Time::Before;
        let read: FxHashSet<(model::Var, Time)> = all.flat_map(Expr::reads).filter(before).collect();
        let parts = self.parts.entry(invariant.address()).or_insert_with(|| invariant.conjuncts());
        parts.iter().filter(|part| part.reads().all(|one| read.contains(&one))).cloned().collect()
    }

    /// The set of values (over Now) under which a condition on the globals and a symbol's locals may hold.
    pub fn condition(&self, condition: &Expr, frame: Option<FrameId>) -> Result<Relation, Stop> {
        self.placed_condition(condition, frame, COPIES[0])
    }

    /// The relation of a rule with its bits placed otherwise than usual. Not remembered.
    pub fn placed_rule(&self, rule: &model::Rule, placing: [Placing; 3]) -> Result<Relation, Stop> {
        Circuit { space: self.space, layout: self.layout, frames: self.spds.frames_of(rule), placing, before: None }
            .rule(rule, &[])
    }

    /// What a rule leads to (over Next and Saved) from these values of all bits. Not remembered.
    pub fn rule_from(&self, rule: &model::Rule, before: &[bool]) -> Result<Relation, Stop> {
        let (frames, before) = (self.spds.frames_of(rule), Some(before));
        Circuit { space: self.space, layout: self.layout, frames, placing: COPIES, before }.rule(rule, &[])
    }

    /// The set of values under which a condition may hold, with its bits placed as said.
    pub fn placed_condition(
        &self,
        condition: &Expr,
        frame: Option<FrameId>,
        placing: Placing,
    ) -> Result<Relation, Stop> {
        let (frames, placing) = ([frame, None, None], [placing; 3]);
        Circuit { space: self.space, layout: self.layout, frames, placing, before: None }.may(condition)
    }

    /// Where the condition on an edge of a P-automaton may hold: the symbol's locals and the globals in Now, what the
    /// target carries in Entry, what the source carries in Next. The frames are those of the symbol, the target and the
    /// source.
    pub fn edge(&self, condition: &Expr, frames: [Option<FrameId>; 3]) -> Result<Relation, Stop> {
        let placing = [At::Now, At::Entry, At::Next].map(|at| Placing { at, shift: 0 });
        Circuit { space: self.space, layout: self.layout, frames, placing, before: None }.may(condition)
    }

    /// The invariant of a symbol over Now, if it has one.
    pub fn invariant(&self, symbol: SymbolId) -> Result<Option<Relation>, Stop> {
        let frame = self.frame(symbol);
        self.spds.symbol(symbol).invariant.as_ref().map(|expr| self.condition(expr, frame)).transpose()
    }

    fn frame(&self, symbol: SymbolId) -> Option<FrameId> {
        self.spds.symbol(symbol).frame
    }
}

const NONE: u32 = u32::MAX;

/// The bits that anyone may look at after a rule: on top, and of the frame that a call leaves below.
type LookedAt<'l> = &'l dyn Fn(RuleId) -> [SetId; 2];

/// The relations of those rules that a search needs, and the invariants of heads.
pub struct Relations {
    /// The action of each rule, or `NONE` if it was not needed.
    actions: Vec<u32>,
    of_action: Vec<Option<Relation>>,
    /// Whether the relation of an action says nothing of some variable that it assigns to.
    lighter: Vec<bool>,
    invariants: FxHashMap<SymbolId, Relation>,
}

impl Relations {
    /// Of no rule.
    pub fn none() -> Self {
        let invariants = FxHashMap::default();
        Relations { actions: Vec::new(), of_action: Vec::new(), lighter: Vec::new(), invariants }
    }

    /// Encodes the rules from needed heads that lead to (or call, or come back to) needed heads, each with the
    /// automaton's step if there is one; all that they do, or only what someone looks at.
    pub fn new(
        spds: &Spds,
        pds: &Pds,
        product: Option<&Product<'_>>,
        space: &Space,
        needed: impl Fn(RuleId) -> bool,
        looked_at: Option<LookedAt<'_>>,
    ) -> Result<Self, Stop> {
        let looked_at = looked_at.map(|looked_at| of_actions(pds, &needed, looked_at));
        let mut lighter = vec![false; pds.rules.actions.len()];
        let mut encoder = Encoder::new(spds, &pds.layout, space);
        let mut delta = product.map(|product| Delta::new(product, &pds.layout, space));
        let mut blocking = Blocking::new(spds, pds, space);
        let mut actions = vec![NONE; pds.rules.count()];
        let mut of_action: Vec<Option<Relation>> = vec![None; pds.rules.actions.len()];
        for id in pds.rules.ids() {
            if !needed(id) {
                continue;
            }
            let action = pds.rules.action_of(id);
            if of_action[action].is_none() {
                let row = pds.rule_at(id);
                let plain = match row.source {
                    Source::Rule(rule) => {
                        let rule = &spds.rules[rule as usize];
                        let light = looked_at.as_ref().and_then(|all| without_dead(spds, pds, rule, all[action]));
                        lighter[action] = light.is_some();
                        encoder.rule(light.as_ref().unwrap_or(rule))?
                    }
                    Source::Stuck => blocking.at(row.from, &mut encoder)?,
                };
                let relation = match (&mut delta, pds.rules.actions[action].letters) {
                    (Some(delta), Some(class)) => {
                        let reading = if row.source == Source::Stuck { Reading::Stuck } else { Reading::Step };
                        space.and(&plain, &delta.of(&encoder, class, reading)?)?
                    }
                    _ => plain,
                };
                of_action[action] = Some(relation);
            }
            actions[id.0 as usize] = action as u32;
        }
        let mut invariants = FxHashMap::default();
        for symbol in (0..spds.symbols.len() as u32).map(SymbolId) {
            if let Some(set) = encoder.invariant(symbol)? {
                invariants.insert(symbol, set);
            }
        }
        // A rule that can never be taken is as good as none.
        let of_action = of_action.into_iter().map(|relation| relation.filter(|relation| !space.is_empty(relation)));
        Ok(Relations { actions, of_action: of_action.collect(), lighter, invariants })
    }

    /// The relations that there are, each once.
    pub fn iter(&self) -> impl Iterator<Item = &Relation> {
        self.of_action.iter().flatten()
    }

    /// Whether the relation of a rule says nothing of some variable that it assigns to.
    pub fn leaves_out(&self, rule: RuleId) -> bool {
        let action = self.actions[rule.0 as usize];
        action != NONE && self.lighter[action as usize]
    }

    /// The relation of a rule, or `None` if it was not needed or can never be taken.
    pub fn rule(&self, rule: RuleId) -> Option<&Relation> {
        let action = self.actions[rule.0 as usize];
        if action == NONE { None } else { self.of_action[action as usize].as_ref() }
    }

    /// The invariant of a head's symbol.
    pub fn invariant(&self, pds: &Pds, head: HeadId) -> Option<&Relation> {
        if self.invariants.is_empty() { None } else { self.invariants.get(&pds.head(head).symbol) }
    }
}

/// What is looked at after some needed rule of each action.
fn of_actions(pds: &Pds, needed: impl Fn(RuleId) -> bool, looked_at: LookedAt<'_>) -> Vec<[SetId; 2]> {
    let mut all = vec![[SetId::EMPTY; 2]; pds.rules.actions.len()];
    for id in pds.rules.ids().filter(|id| needed(*id)) {
        let known = &mut all[pds.rules.action_of(id)];
        let [top, below] = looked_at(id);
        *known = [pds.sets.union(known[0], top), pds.sets.union(known[1], below)];
    }
    all
}

/// The rule without assignments to variables at which nobody looks afterwards, if there are such. Those that may block
/// stay, and those that something else in the rule is about.
fn without_dead(spds: &Spds, pds: &Pds, rule: &model::Rule, [top, below]: [SetId; 2]) -> Option<model::Rule> {
    let [_, next, site] = spds.frames_of(rule);
    let is_dead = |update: &Update| {
        let (frame, looked_at) = if update.time == Time::Saved { (site, below) } else { (next, top) };
        let bits = pds.sets.set(pds.layout.field(update.var, frame).bits());
        let place = (update.var, update.time);
        let mut others = rule.updates.iter().filter(|other| !std::ptr::eq(*other, update));
        !pds.sets.meet(bits, looked_at)
            && !rule.with.iter().flat_map(Expr::reads).any(|read| read == place)
            && !others.any(|other| total::updates_may_meet(update, other))
            && total::value_is_total(spds, rule, update)
            && total::index_is_total(spds, rule, update)
    };
    if !rule.updates.iter().any(is_dead) {
        return None;
    }
    let live: Vec<Update> = rule.updates.iter().filter(|update| !is_dead(update)).cloned().collect();
    Some(model::Rule { updates: live.into(), ..rule.clone() })
}

impl Circuit<'_> {
    fn rule(&self, rule: &model::Rule, given: &[Expr]) -> Result<Relation, Stop> {
        let mut relation = self.space.top();
        for condition in given.iter().chain(&rule.guard) {
            relation = self.space.and(&relation, &self.may(condition)?)?;
        }
        let mut updates: Vec<&Update> = rule.updates.iter().collect();
        updates.sort_by_key(|update| (update.var, update.time));
        for group in updates.chunk_by(|a, b| (a.var, a.time) == (b.var, b.time)) {
            if group.iter().any(|update| is_computed(update)) {
                // What `with` reads after the step is arbitrary but for what the rule says of it.
                let read = (group[0].var, group[0].time);
                let freed = rule.with.iter().flat_map(Expr::reads).any(|mentioned| mentioned == read);
                let keeps = !freed && self.keeps(group[0], rule.stack);
                relation = self.space.and(&relation, &self.assign_cells(group, keeps)?)?;
            } else {
                for update in group {
                    relation = self.space.and(&relation, &self.assign(update)?)?;
                }
            }
        }
        if let Some(with) = &rule.with {
            relation = self.space.and(&relation, &self.may(with)?)?;
        }
        Ok(relation)
    }

    /// One scalar, one cell with a constant index, or `*` for a whole array.
    fn assign(&self, update: &Update) -> Result<Relation, Stop> {
        let field = self.field(update.var, update.time);
        let cell = match update.index.as_ref().map(Expr::ops) {
            None => 0,
            Some([Op::Number(index)]) => match field.cell_of_index(*index) {
                Some(cell) => cell,
                None => return Ok(self.space.bottom()),
            },
            Some(_) => unreachable!("computed indices are assigned as groups"),
        };
        self.stored(update, field, cell)
    }

    /// x1 = value, for one cell; no successor where the value does not fit or has none.
    fn stored(&self, update: &Update, field: Field, cell: u32) -> Result<Relation, Stop> {
        if update.value.ops() == [Op::Any] {
            return Ok(self.space.top());
        }
        let value = self.eval(&update.value)?;
        self.same(field, cell, update.time, value)
    }

    fn same(&self, field: Field, cell: u32, time: Time, value: Value) -> Result<Relation, Stop> {
        let s = self.space;
        match value {
            Value::Truth(truth) => {
                let bit = field.cell(cell).next().expect("a truth value has one bit");
                let after = s.literal((bit, self.at(time)), true)?;
                s.ite(&after, &truth.one, &truth.zero)
            }
            Value::Number(number) => {
                let mut same = number.defined.clone();
                let sign = number.bits.last().expect("a number has at least its sign");
                let mut bits = field.cell(cell);
                for digit in &number.bits {
                    same = match bits.next() {
                        Some(bit) => s.and(&same, &s.iff(&s.literal((bit, self.at(time)), true)?, digit)?)?,
                        None => s.and_not(&same, digit)?,
                    };
                }
                same = s.and_not(&same, sign)?;
                for bit in bits {
                    same = s.and(&same, &s.literal((bit, self.at(time)), false)?)?;
                }
                Ok(same)
            }
        }
    }

    /// Whether cells that no assignment meets keep their value: they do in globals, in a step within a frame and in the
    /// frame saved by a call; the locals of a frame that is entered are arbitrary.
    fn keeps(&self, update: &Update, stack: Stack) -> bool {
        let [here, next, below] = self.frames;
        match (update.var, update.time) {
            (model::Var::Global(_), _) => true,
            (model::Var::Local(_), Time::Saved) => here == below,
            (model::Var::Local(_), _) => matches!(stack, Stack::Swap(_)) && here == next,
        }
    }

    /// Assignments to cells of one array, some with computed indices.
    fn assign_cells(&self, updates: &[&Update], keeps: bool) -> Result<Relation, Stop> {
        let s = self.space;
        let time = updates[0].time;
        let field = self.field(updates[0].var, time);
        let mut relation = s.top();
        let mut assignments = Vec::new();
        for update in updates {
            let index = update.index.as_ref().map(|index| Ok(self.eval(index)?.number())).transpose()?;
            // An index out of range, or without a value, has no successor.
            if let Some(index) = &index {
                let mut inside = s.bottom();
                for cell in 0..field.ty.cells() {
                    inside = s.or(&inside, &self.hits(field, cell, index)?)?;
                }
                relation = s.and(&relation, &inside)?;
            }
            let value = if update.value.ops() == [Op::Any] { None } else { Some(self.eval(&update.value)?) };
            assignments.push((index, value));
        }
        for cell in (0..field.ty.cells()).rev() {
            // What is said of all cells is large: each is met with it once.
            let mut of_cell = s.top();
            let mut kept = s.top();
            for (index, value) in &assignments {
                let hit = match index {
                    Some(index) => self.hits(field, cell, index)?,
                    None => s.top(),
                };
                kept = s.and_not(&kept, &hit)?;
                if let Some(value) = value {
                    let stored = self.same(field, cell, time, value.clone())?;
                    of_cell = s.and(&of_cell, &s.or(&s.not(&hit)?, &stored)?)?;
                }
            }
            if keeps {
                for bit in field.cell(cell) {
                    let same = s.iff(&self.bit(bit, Time::Before)?, &self.bit(bit, time)?)?;
                    of_cell = s.and(&of_cell, &s.or(&s.not(&kept)?, &same)?)?;
                }
            }
            relation = s.and(&relation, &of_cell)?;
        }
        Ok(relation)
    }
}

/// Whether the cell that is assigned depends on the state.
fn is_computed(update: &Update) -> bool {
    update.index.as_ref().is_some_and(|index| !matches!(index.ops(), [Op::Number(_)]))
}

/// Spells a rule over bits of state: equal spellings mean equal relations.
fn spell_rule(key: &mut Vec<u64>, layout: &Layout, frames: [Option<FrameId>; 3], rule: &model::Rule) {
    let [here, next, below] = frames;
    let call = matches!(rule.stack, Stack::Push(..));
    key.push(u64::from(call) << 2 | u64::from(here == next) << 1 | u64::from(here == below));
    spell_optional(key, layout, frames, rule.guard.as_ref());
    spell_optional(key, layout, frames, rule.with.as_ref());
    for update in rule.updates.iter() {
        spell_field(key, layout, frames, update.var, update.time);
        spell_optional(key, layout, frames, update.index.as_ref());
        spell_optional(key, layout, frames, Some(&update.value));
    }
}

fn spell_optional(key: &mut Vec<u64>, layout: &Layout, frames: [Option<FrameId>; 3], expr: Option<&Expr>) {
    let ops = expr.map_or(&[][..], Expr::ops);
    key.push(ops.len() as u64);
    for op in ops {
        match *op {
            Op::Bool(value) => key.push(1 + u64::from(value)),
            Op::Number(number) => key.extend([3, number]),
            Op::Any => key.push(4),
            Op::Unary(Unary::Not) => key.push(5),
            Op::Ite => key.push(6),
            Op::Choose => key.push(7),
            Op::Read(var, time) => {
                key.push(8);
                spell_field(key, layout, frames, var, time);
            }
            Op::Cell(var, time) => {
                key.push(9);
                spell_field(key, layout, frames, var, time);
            }
            Op::Binary(op) => key.push(16 + op as u64),
        }
    }
}

fn spell_field(key: &mut Vec<u64>, layout: &Layout, frames: [Option<FrameId>; 3], var: model::Var, time: Time) {
    let field = layout.field(var, frames[time as usize]);
    let (first, last) = field.ty.range.unwrap_or((1, 0));
    let scalar = if super::layout::is_bool(field.ty) { 0 } else { u64::from(field.ty.scalar.bits()) };
    key.extend([u64::from(field.base) << 2 | time as u64, scalar, u64::from(first) << 32 | u64::from(last)]);
}
