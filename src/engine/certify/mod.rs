//! Whether a certificate shows what it claims: the checker.
//!
//! It knows the model and its specification, reads what rules do for itself, and has nothing in common with the search but the
//! package for relations. There is no fixpoint here and no order of work: for each set of the certificate and each rule one
//! question, whether what the rule leads to is in the set where it leads. `spds-format/CERTIFICATES.md` numbers the questions.

mod circuit;
mod clauses;
mod columns;
mod control;
mod effect;
mod gap;
mod logic;
mod number;
mod rounds;
mod sets;

use std::num::NonZeroU32;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use spds_format::model::{ControlId, Head, Rule, Stack, SymbolId, Var};
use spds_format::{RulesByHead, Spds};

pub use clauses::{Formula, certify_by_clauses};
pub use gap::{Gap, Place, Valued};
pub use sets::Family;

use crate::bdd::{At, Bit, Column, Relation, Space};
use crate::certificate::{Certificate, Claim, Kind, Tag};
use crate::limits::{Limits, Stop, Tally};
use circuit::Circuit;
use columns::Columns;
use effect::Effect;
use gap::Missing;
use rounds::Circles;
use sets::Sets;

type Result<T> = std::result::Result<T, Stop>;

/// What a question costs besides what is computed for it, in steps.
const QUESTION: u64 = 4;

/// What is found out about a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// It shows what it claims.
    Proves,
    /// It does not: something is reached, or may be, that its sets lack.
    Lacks(Box<Gap>),
    /// It says nothing of the system: why.
    Foreign(String),
}

/// Checks a certificate of a system, which must be valid; if the claim is a formula or an automaton, of the system that is watched, whose last global
/// is what tells marked steps. That the claim is about the right heads, or system, is the caller's to see to ([`failures`] are the
/// heads of assertions).
///
/// # Errors
/// If a limit is met, or it takes more than so much work (see [`Space::spent`]): questions count, and what is computed for them.
pub fn certify(spds: &Spds, certificate: &Certificate, limits: &Limits, work: Option<u64>) -> Result<Found> {
    let columns = Columns::new(spds);
    if let Some(foreign) = foreign(&columns, certificate) {
        return Ok(Found::Foreign(foreign));
    }
    if !certificate.tops.is_empty() {
        return control::found(spds, &columns, certificate, &mut Tally::new(limits, work));
    }
    let space = sets::space(spds, &columns, certificate, limits)?;
    if let Some(work) = work {
        space.allow(work);
    }
    let sets = match Sets::new(spds, &columns, &space, certificate)? {
        Ok(sets) => sets,
        Err(foreign) => return Ok(Found::Foreign(foreign)),
    };
    let rules = RulesByHead::new(spds);
    let checker = Checker {
        spds,
        columns: &columns,
        space: &space,
        sets,
        effects: Effects { of: vec![None; spds.rules.len()], different: Vec::new(), numbers: FxHashMap::default() },
        invariants: FxHashMap::default(),
        circles: Circles::default(),
        counted: counted(spds, &columns, &certificate.claim.kind),
    };
    Ok(checker
        .gap(&rules, &certificate.claim, &certificate.cuts)?
        .map_or(Found::Proves, |gap| Found::Lacks(Box::new(gap))))
}

/// Why a certificate cannot be about a system with these bits, if that is so.
fn foreign(columns: &Columns, certificate: &Certificate) -> Option<String> {
    let node = certificate.nodes.iter().find(|node| node.bit >= columns.bits)?;
    Some(format!("the system has {} bits, there is none of number {}", columns.bits, node.bit))
}

/// Which steps count for a claim, if it is about runs that go on for ever.
fn counted(spds: &Spds, columns: &Columns, kind: &Kind) -> Option<Counted> {
    match (kind, spds.globals.len() as u32) {
        (Kind::Termination, _) => Some(Counted::All),
        (kind, globals @ 1..) if kind.is_watched() => {
            let met = columns.field(Var::Global(globals - 1), None);
            Some(Counted::Met(Bit(met.base)))
        }
        _ => None,
    }
}

/// The heads at which an assertion has failed.
pub fn failures(spds: &Spds) -> Vec<Head> {
    let controls = (0..spds.controls.len() as u32).map(ControlId);
    controls.flat_map(|control| spds.fail.map(|symbol| Head { control, symbol })).collect()
}

/// Whether a claim says of all these heads that they are not reached.
pub fn covers(claim: &Claim, heads: &[Head]) -> bool {
    heads.iter().all(|head| claim.targets.binary_search(head).is_ok())
}

/// What a claim is about, in a line.
pub fn claimed(claim: &Claim) -> String {
    match &claim.kind {
        Kind::Reach(place) => format!("{place} is unreachable"),
        Kind::Between { from, to } => format!("{to} is unreachable from {from}"),
        Kind::Assertions => "assertions hold".into(),
        Kind::Termination => "termination holds".into(),
        Kind::Formula { formula, .. } => format!("every run satisfies {formula}"),
        Kind::Automaton { name, .. } => format!("no run is accepted by {name}"),
    }
}

struct Checker<'a> {
    spds: &'a Spds,
    columns: &'a Columns,
    space: &'a Space,
    sets: Sets,
    effects: Effects,
    invariants: FxHashMap<SymbolId, Relation>,
    /// The circles of control; none unless that is asked about.
    circles: Circles,
    /// Which steps a run must not take for ever, if it is about that.
    counted: Option<Counted>,
}

/// What rules do.
struct Effects {
    /// By rule its number, once it has been asked for.
    of: Vec<Option<NonZeroU32>>,
    /// Many rules do the same: those that differ, by number.
    different: Vec<Rc<Effect<Relation>>>,
    numbers: FxHashMap<Rc<Effect<Relation>>, NonZeroU32>,
}

/// Which steps count.
#[derive(Clone, Copy, Debug)]
enum Counted {
    /// All.
    All,
    /// Those that may take this bit, which is a global, from false to true.
    Met(Bit),
}

/// A step that is asked about: from where, by which rule, and what it does.
struct From<'c> {
    family: Family,
    head: Head,
    set: &'c Relation,
    rule: usize,
}

impl Checker<'_> {
    /// The first question whose answer is no.
    fn gap(mut self, rules: &RulesByHead, claim: &Claim, cuts: &[Head]) -> Result<Option<Gap>> {
        if let Some(gap) = self.start()? {
            return Ok(Some(gap));
        }
        for place in 0..self.sets.count() {
            let (tag, head, set) = self.sets.nth(place);
            let family = Family::Part(tag);
            if let Some(gap) = self.steps(rules, family, head, &set)? {
                return Ok(Some(gap));
            }
            if claim.targets.binary_search(&head).is_ok() && !self.space.is_empty(&set) {
                let lacks = Missing { family, place: Place::Target(head), values: &set };
                return self.lacking(None, None, &lacks).map(Some);
            }
        }
        match self.below()? {
            None if self.counted.is_some() => self.rounds(rules, cuts),
            gap => Ok(gap),
        }
    }

    /// 2 to 5, for all rules of a head.
    fn steps(&mut self, rules: &RulesByHead, family: Family, head: Head, set: &Relation) -> Result<Option<Gap>> {
        for rule in rules.of(head) {
            self.space.charge(QUESTION)?;
            if let Some(gap) = self.step(&From { family, head, set, rule })? {
                return Ok(Some(gap));
            }
        }
        Ok(None)
    }

    /// 1: the start.
    fn start(&mut self) -> Result<Option<Gap>> {
        let start = &self.spds.start;
        let head = Head { control: start.control, symbol: start.stack[0] };
        let values = match &start.condition {
            Some(condition) => self.circuit(head.symbol).may(condition)?,
            None => self.space.top(),
        };
        self.covered(None, None, Family::Part(Tag::Start(0)), head, &values)
    }

    /// 1′: what lies below the start goes on when the top has returned.
    fn below(&mut self) -> Result<Option<Gap>> {
        let below: Vec<(u32, SymbolId)> = (0..).zip(self.spds.start.stack[1..].iter().copied()).collect();
        for (depth, symbol) in below {
            for (control, values) in self.sets.all_returned(Tag::Start(depth)) {
                let head = Head { control, symbol };
                if let Some(gap) = self.covered(None, None, Family::Part(Tag::Start(depth + 1)), head, &values)? {
                    return Ok(Some(gap));
                }
            }
        }
        Ok(None)
    }

    /// 2 to 5: what a rule leads to.
    fn step(&mut self, from: &From<'_>) -> Result<Option<Gap>> {
        let spds = self.spds;
        let rule = &spds.rules[from.rule];
        let (control, family) = (rule.to, from.family);
        match rule.stack {
            Stack::Swap(symbol) => {
                let head = Head { control, symbol };
                if self.is_granted(family, head) {
                    return Ok(None);
                }
                let effect = self.effect(from.rule)?;
                let after = self.after(from.set, &effect)?;
                self.covered(Some(from), Some(&effect), family, head, &after)
            }
            Stack::Pop => {
                // A run that goes on for ever within the stack that it has at a cut does not return from there.
                let Family::Part(tag) = family else { return Ok(None) };
                let effect = self.effect(from.rule)?;
                let after = self.after(from.set, &effect)?;
                let locals = self.columns.local_bits(spds.symbol(from.head.symbol).frame);
                let after = self.space.exists(&after, self.vars(locals, At::Now))?;
                let more = self.space.and_not(&after, &self.sets.returned(self.space, tag, control))?;
                if self.space.is_empty(&more) {
                    return Ok(None);
                }
                let lacks = Missing { family, place: Place::Returned(control), values: &more };
                self.lacking(Some(from), Some(&effect), &lacks).map(Some)
            }
            Stack::Push(entry, site) => self.call(from, rule, Head { control, symbol: entry }, site),
        }
    }

    /// 4 and 5: a call, and what comes back from it.
    fn call(&mut self, from: &From<'_>, rule: &Rule, entry: Head, site: SymbolId) -> Result<Option<Gap>> {
        let space = self.space;
        let call = self.called(from.set, from.rule, rule, entry)?;
        if space.is_empty(&call) {
            return Ok(None);
        }
        if let Some(gap) = self.entered(from, entry, &call)? {
            return Ok(Some(gap));
        }
        for (control, summary) in self.sets.all_returned(Tag::Entry(entry)) {
            let head = Head { control, symbol: site };
            self.space.charge(1)?;
            if self.is_granted(from.family, head) {
                continue;
            }
            let after = self.through(&call, entry, &summary)?;
            if let Some(gap) = self.covered(Some(from), None, from.family, head, &after)? {
                return Ok(Some(gap));
            }
        }
        Ok(None)
    }

    /// What a call makes of a set: the values with which it is entered in Next, those of the frame that it leaves in Now.
    fn called(&mut self, set: &Relation, number: usize, rule: &Rule, entry: Head) -> Result<Relation> {
        let space = self.space;
        let [here, _, below] = self.spds.frames_of(rule);
        let effect = self.effect(number)?;
        // What lies in Now after the call: the locals that are saved, but those that the rule changes.
        let lost: Vec<u32> = if here == below {
            effect.saved.iter().copied().collect()
        } else {
            self.columns.local_bits(here).collect()
        };
        let passed: Vec<u32> = self.columns.globals().filter(|bit| !effect.written.contains(bit)).collect();
        let written = self.columns.globals().filter(|bit| effect.written.contains(bit));
        let gone = space.vars(written.chain(lost).map(|bit| (Bit(bit), At::Now)));
        let renaming = space.renaming(passed.iter().map(|&bit| (Bit(bit), At::Now, At::Next)));
        let call = space.and_exists_rename(set, &effect.relation, gone, renaming)?;
        let saved: Vec<Bit> = effect.saved.iter().copied().map(Bit).collect();
        let moved = space.identity(saved.iter().copied(), At::Now, At::Saved)?;
        let call = space.and_exists(&call, &moved, space.vars(saved.iter().map(|&bit| (bit, At::Saved))))?;
        // What the entry demands.
        let frame = self.spds.symbol(entry.symbol).frame;
        let up = |bits: u32| space.renaming((0..bits).map(|bit| (Bit(bit), At::Now, At::Next)));
        let invariant = self.invariant(entry.symbol)?;
        space.and(&call, &space.rename(&invariant, up(self.columns.width(frame)))?)
    }

    /// What is there after a call has returned.
    fn through(&self, call: &Relation, entry: Head, summary: &Relation) -> Result<Relation> {
        let space = self.space;
        let width = self.columns.width(self.spds.symbol(entry.symbol).frame);
        let up = space.renaming((0..width).map(|bit| (Bit(bit), At::Entry, At::Next)));
        let summary = space.rename(summary, up)?;
        space.and_exists(call, &summary, self.vars(0..self.columns.bits, At::Next))
    }

    /// 4: whether a call is entered with values that are known there; from a cut, with values to which it leads.
    fn entered(&mut self, from: &From<'_>, entry: Head, call: &Relation) -> Result<Option<Gap>> {
        let space = self.space;
        let family = match from.family {
            Family::Part(_) => Family::Part(Tag::Entry(entry)),
            round @ Family::Round(_) => round,
        };
        if self.is_granted(family, entry) {
            return Ok(None);
        }
        let is_lost = |at: At| match family {
            Family::Part(_) => at != At::Next,
            Family::Round(_) => at == At::Now,
        };
        let others = space.support(call).into_iter().filter(|(_, at)| is_lost(*at));
        let down = space.renaming((0..self.columns.bits).map(|bit| (Bit(bit), At::Next, At::Now)));
        let values = space.and_exists_rename(call, call, space.vars(others), down)?;
        if let Family::Round(_) = family {
            return self.covered(Some(from), None, family, entry, &values);
        }
        let entered = self.sets.entered(self.columns.width(self.spds.symbol(entry.symbol).frame), space, entry)?;
        let more = space.and_not(&values, &entered)?;
        if space.is_empty(&more) {
            return Ok(None);
        }
        self.lacking(Some(from), None, &Missing { family, place: Place::Entered(entry), values: &more }).map(Some)
    }

    /// Whether nothing that leads to a head can be missing there.
    fn is_granted(&self, family: Family, head: Head) -> bool {
        let elsewhere = match family {
            Family::Part(_) => false,
            Family::Round(cut) => !self.circles.has(cut, head),
        };
        elsewhere || self.sets.is_full(self.space, family, head)
    }

    /// What a rule that is no call makes of a set.
    fn after(&self, set: &Relation, effect: &Effect<Relation>) -> Result<Relation> {
        let written = || effect.written.iter().copied();
        let down = self.space.renaming(written().map(|bit| (Bit(bit), At::Next, At::Now)));
        self.space.and_exists_rename(set, &effect.relation, self.vars(written(), At::Now), down)
    }

    /// Whether these values (over Now, and Entry) are in the set of a head, unless its invariant refuses them.
    fn covered(
        &mut self,
        from: Option<&From<'_>>,
        effect: Option<&Effect<Relation>>,
        family: Family,
        head: Head,
        values: &Relation,
    ) -> Result<Option<Gap>> {
        let more = self.space.and_not(values, &self.sets.of(self.space, family, head))?;
        let more = self.space.and(&more, &self.invariant(head.symbol)?)?;
        if self.space.is_empty(&more) {
            return Ok(None);
        }
        self.lacking(from, effect, &Missing { family, place: Place::At(head), values: &more }).map(Some)
    }

    fn lacking(
        &self,
        from: Option<&From<'_>>,
        effect: Option<&Effect<Relation>>,
        missing: &Missing<'_>,
    ) -> Result<Gap> {
        let before = match (from, effect) {
            (Some(from), Some(effect)) => Some(gap::Before {
                head: from.head,
                set: from.set,
                relation: &effect.relation,
                written: &effect.written,
            }),
            _ => None,
        };
        gap::gap(self.spds, self.columns, self.space, missing, from.map(|from| (from.rule, from.head)), before)
    }

    fn effect(&mut self, rule: usize) -> Result<Rc<Effect<Relation>>> {
        let Effects { of, different, numbers } = &mut self.effects;
        let number = match of[rule] {
            Some(number) => number,
            None => {
                let effect = Rc::new(Effect::new(self.spds, self.columns, self.space, &self.spds.rules[rule])?);
                *of[rule].insert(*numbers.entry(effect).or_insert_with_key(|effect| {
                    different.push(Rc::clone(effect));
                    u32::try_from(different.len()).ok().and_then(NonZeroU32::new).expect("no more than rules")
                }))
            }
        };
        Ok(Rc::clone(&different[number.get() as usize - 1]))
    }

    fn invariant(&mut self, symbol: SymbolId) -> Result<Relation> {
        let Some(invariant) = &self.spds.symbol(symbol).invariant else { return Ok(self.space.top()) };
        if let Some(known) = self.invariants.get(&symbol) {
            return Ok(known.clone());
        }
        let relation = self.circuit(symbol).may(invariant)?;
        self.invariants.insert(symbol, relation.clone());
        Ok(relation)
    }

    fn circuit(&self, symbol: SymbolId) -> Circuit<'_, Space> {
        Circuit { space: self.space, columns: self.columns, frames: [self.spds.symbol(symbol).frame, None, None] }
    }

    fn vars(&self, bits: impl IntoIterator<Item = u32>, at: At) -> crate::bdd::Vars {
        self.space.vars(bits.into_iter().map(|bit| (Bit(bit), at)).collect::<Vec<Column>>())
    }
}
