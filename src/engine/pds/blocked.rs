//! Where a run can be blocked: no step is possible.
//!
//! A step into a configuration that its invariant refuses does not exist, nor does one into a hidden configuration from
//! which silent rules do not lead on to a visible one. Whether a *return* is refused depends on the frame below: here
//! returns always go on, and [`crate::saturation::System::refused`] tells whether some reachable one did not.

use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::Spds;
use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{Rule, Scalar, Stack, SymbolId, Var};

use super::encode::Encoder;
use super::{HeadId, Pds, RuleId, RuleKind, Source};
use crate::bdd::{At, Bit, Relation, Space};
use crate::limits::Stop;

/// The symbols that are hidden under some control location: a step to them may be refused.
pub fn somewhere_hidden(spds: &Spds) -> FxHashSet<SymbolId> {
    spds.rules.iter().filter(|rule| rule.silent).map(|rule| rule.from.symbol).collect()
}

/// Whether a rule can be taken from every configuration with its head, as far as its form tells.
pub fn is_total(spds: &Spds, hidden: &FxHashSet<SymbolId>, rule: &Rule) -> bool {
    let is_true = |guard: &Expr| matches!(guard.ops(), [Op::Bool(true) | Op::Any]);
    rule.guard.as_ref().is_none_or(is_true)
        && rule.with.is_none()
        && rule.updates.iter().all(|update| {
            let ops = update.value.ops();
            let fits = is_bool(spds, rule, update.var, update.time) && ops.iter().all(|op| is_defined(*op));
            update.index.is_none() && (ops == [Op::Any] || fits)
        })
        && rule.updates.iter().all(|one| rule.updates.iter().filter(|other| other.var == one.var).count() == 1)
        && !may_be_refused(spds, hidden, rule)
}

/// Whether what a rule leads to can be refused there, returns aside.
pub fn may_be_refused(spds: &Spds, hidden: &FxHashSet<SymbolId>, rule: &Rule) -> bool {
    match rule.stack {
        Stack::Swap(to) | Stack::Push(to, _) => spds.symbol(to).invariant.is_some() || hidden.contains(&to),
        Stack::Pop => false,
    }
}

fn is_bool(spds: &Spds, rule: &Rule, var: Var, time: Time) -> bool {
    let variable = spds.variable(spds.frames_of(rule)[time as usize], var);
    variable.is_some_and(|variable| variable.ty.scalar == Scalar::Bool && variable.ty.range.is_none())
}

/// Whether an operation on Booleans has a value if its operands have; those on integers and cells need not.
fn is_defined(op: Op) -> bool {
    match op {
        Op::Bool(_) | Op::Any | Op::Unary(_) | Op::Read(..) | Op::Choose => true,
        Op::Binary(op) => matches!(op, Binary::And | Binary::Or | Binary::Xor | Binary::Implies | Binary::Iff),
        Op::Number(_) | Op::Cell(..) | Op::Ite => false,
    }
}

/// Which values let a run go on: sets over Now.
pub struct Blocking<'e, 'a> {
    spds: &'a Spds,
    pds: &'e Pds,
    space: &'a Space,
    arrivable: FxHashMap<HeadId, Relation>,
}

impl<'e, 'a> Blocking<'e, 'a> {
    /// Of a system (or of its product with an automaton, which has no say in this).
    pub fn new(spds: &'a Spds, pds: &'e Pds, space: &'a Space) -> Self {
        Blocking { spds, pds, space, arrivable: FxHashMap::default() }
    }

    /// The values from which no step is possible at a head.
    pub fn at(&mut self, head: HeadId, encoder: &mut Encoder<'_>) -> Result<Relation, Stop> {
        let going = self.going_on(head, encoder)?;
        self.space.not(&going)
    }

    /// The values from which some step is possible at a head.
    fn going_on(&mut self, head: HeadId, encoder: &mut Encoder<'_>) -> Result<Relation, Stop> {
        // What is arrived at may be hidden, and lead on to what is hidden: deepest first.
        let mut open = self.unknown_targets(head);
        while let Some(&target) = open.last() {
            let deeper = if self.arrivable.contains_key(&target) { Vec::new() } else { self.unknown_hidden(target) };
            if deeper.is_empty() {
                open.pop();
                if !self.arrivable.contains_key(&target) {
                    let set = self.arriving(target, encoder)?;
                    self.arrivable.insert(target, set);
                }
            } else {
                open.extend(deeper);
            }
        }
        self.union(head, encoder)
    }

    fn unknown_targets(&self, head: HeadId) -> Vec<HeadId> {
        let targets = self.pds.rules_of(head).filter_map(|id| match self.pds.kind_of(id) {
            _ if self.pds.rule_at(id).source == Source::Stuck => None,
            RuleKind::Step(to) | RuleKind::Call(to, _) => Some(to),
            RuleKind::Pop(_) => None,
        });
        targets.filter(|to| !self.arrivable.contains_key(to)).collect()
    }

    fn unknown_hidden(&self, head: HeadId) -> Vec<HeadId> {
        if self.pds.is_hidden(head) { self.unknown_targets(head) } else { Vec::new() }
    }

    /// The values with which a head can be arrived at.
    fn arriving(&self, head: HeadId, encoder: &mut Encoder<'_>) -> Result<Relation, Stop> {
        let own = encoder.invariant(self.pds.head(head).symbol)?.unwrap_or_else(|| self.space.top());
        if !self.pds.is_hidden(head) {
            return Ok(own);
        }
        self.space.and(&own, &self.union(head, encoder)?)
    }

    fn union(&self, head: HeadId, encoder: &mut Encoder<'_>) -> Result<Relation, Stop> {
        let mut all = self.space.bottom();
        for id in self.pds.rules_of(head) {
            all = self.space.or(&all, &self.before(id, encoder)?)?;
        }
        Ok(all)
    }

    /// The values from which a rule can be taken.
    fn before(&self, id: RuleId, encoder: &mut Encoder<'_>) -> Result<Relation, Stop> {
        let (space, sets, layout) = (self.space, &self.pds.sets, &self.pds.layout);
        let row = self.pds.rule_at(id);
        let Source::Rule(source) = row.source else { return Ok(space.bottom()) };
        let relation = encoder.rule(&self.spds.rules[source as usize])?;
        let after = match row.kind {
            RuleKind::Step(to) | RuleKind::Call(to, _) => self.arrivable[&to].clone(),
            RuleKind::Pop(_) => space.top(),
        };
        let slots = sets.set(layout.slots());
        let writes: Vec<Bit> = sets.bits(row.writes);
        let (moved, free) = match row.kind {
            // A callee's locals are arbitrary unless determined.
            RuleKind::Call(..) => {
                (sets.bits(sets.union(row.writes, row.formals)), sets.bits(sets.difference(slots, row.formals)))
            }
            RuleKind::Step(_) | RuleKind::Pop(_) => (writes, Vec::new()),
        };
        let after = space.exists(&after, space.vars(free.into_iter().map(|bit| (bit, At::Now))))?;
        let after = space.rename(&after, space.renaming(moved.iter().map(|&bit| (bit, At::Now, At::Next))))?;
        let saved = sets.bits(row.saved).into_iter().map(|bit| (bit, At::Saved));
        let gone = space.vars(moved.into_iter().map(|bit| (bit, At::Next)).chain(saved));
        space.and_exists(&relation, &after, gone)
    }
}
