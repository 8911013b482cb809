//! The checker once more, with a SAT solver in place of relations: every question is whether a condition over the bits of a step
//! can hold, and none should.
//!
//! A step has bits before it in [`At::Now`], after it in [`At::Next`], below it in [`At::Saved`], at the entry in [`At::Entry`], and after the
//! return of a call in a copy of its own. What rules and expressions mean is said once for both ways; which questions there are is said twice.

mod gates;
mod rounds;
mod solver;

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use spds_format::model::{ControlId, Head, Rule, Stack, SymbolId};
use spds_format::{RulesByHead, Spds};

pub use solver::Formula;

use super::circuit::Circuit;
use super::columns::Columns;
use super::effect::Effect;
use super::gap::{self, Gap, Place};
use super::logic::Logic;
use super::rounds::Circles;
use super::{Counted, Family, Found};
use crate::bdd::At;
use crate::certificate::{Certificate, Claim, Moment, Set, Tag};
use crate::limits::{Limits, Stop, Tally};
use gates::{Gates, Input, RETURNED, Wire, copy};
use solver::Clauses;

type Result<T> = std::result::Result<T, Stop>;

/// Checks a certificate as [`super::certify`] does. What was asked is added to the formula, also where the answer is not as it should be.
///
/// # Errors
/// If a limit is met.
pub fn certify_by_clauses(
    spds: &Spds,
    certificate: &Certificate,
    limits: &Limits,
    formula: &mut Formula,
) -> Result<Found> {
    let columns = Columns::new(spds);
    if let Some(foreign) = super::foreign(&columns, certificate) {
        return Ok(Found::Foreign(foreign));
    }
    if !certificate.tops.is_empty() {
        // There is nothing in it that clauses would say of values: it holds, or it does not.
        let found = super::control::found(spds, &columns, certificate, &mut Tally::new(limits, None))?;
        let gap = if matches!(found, Found::Lacks(_)) { Wire::TRUE } else { Wire::FALSE };
        formula.add(&Gates::new(limits), &[gap]);
        return Ok(found);
    }
    let mut checker = Checker {
        spds,
        columns: &columns,
        gates: Gates::new(limits),
        clauses: Clauses::new(limits),
        reached: BTreeMap::new(),
        returned: BTreeMap::new(),
        again: BTreeMap::new(),
        effects: FxHashMap::default(),
        circles: Circles::default(),
        everywhere: FxHashMap::default(),
        counted: super::counted(spds, &columns, &certificate.claim.kind),
        asked: Vec::new(),
    };
    if let Some(foreign) = checker.sets(certificate)? {
        return Ok(Found::Foreign(foreign));
    }
    let gap = checker.gap(&RulesByHead::new(spds), &certificate.claim, &certificate.cuts)?;
    formula.add(&checker.gates, &checker.asked);
    Ok(gap.map_or(Found::Proves, |gap| Found::Lacks(Box::new(gap))))
}

struct Checker<'a> {
    spds: &'a Spds,
    columns: &'a Columns,
    gates: Gates,
    clauses: Clauses,
    reached: BTreeMap<Tag, BTreeMap<Head, Wire>>,
    returned: BTreeMap<Tag, BTreeMap<ControlId, Wire>>,
    /// By cut.
    again: BTreeMap<Head, BTreeMap<Head, Wire>>,
    effects: FxHashMap<usize, Rc<Effect<Wire>>>,
    /// The circles of control; none unless that is asked about.
    circles: Circles,
    /// What A has at each head, for all tags; nothing unless that is asked about.
    everywhere: FxHashMap<Head, Vec<Wire>>,
    counted: Option<Counted>,
    /// All that must not hold.
    asked: Vec<Wire>,
}

/// Values in one of the sets.
struct From {
    family: Family,
    head: Head,
    /// Over the values now, and those at the entry.
    wire: Wire,
    /// The copy of the values at the entry.
    entry: At,
}

/// By what something is come to, and where it is then.
struct By<'f> {
    family: Family,
    /// The rule, and the head to which it was applied.
    rule: Option<(usize, Head)>,
    /// The copy of the values at the entry.
    entry: At,
    /// The copy of each bit.
    now: &'f dyn Fn(u32) -> u8,
}

impl Checker<'_> {
    /// Makes the sets; or says why they are not about this system.
    fn sets(&mut self, certificate: &Certificate) -> Result<Option<String>> {
        let mut wires = vec![Wire::FALSE, Wire::TRUE];
        for node in &certificate.nodes {
            let at = if node.moment == Moment::Entry { At::Entry } else { At::Now };
            let bit = self.gates.input((node.bit, copy(at)))?;
            let wire = self.gates.ite(&bit, &wires[node.high as usize], &wires[node.low as usize])?;
            wires.push(wire);
        }
        let wire = |set: Set| wires[set as usize];
        let width = |head: Head| self.columns.width(self.spds.symbol(head.symbol).frame);
        let entry = |tag: Tag| match tag {
            Tag::Start(_) => 0,
            Tag::Entry(head) => width(head),
        };
        let mut means: Vec<(Wire, u32, u32)> = Vec::new();
        for &(tag, head, set) in &certificate.reached {
            means.push((wire(set), entry(tag), width(head)));
            let known = self.reached.entry(tag).or_default().entry(head).or_insert(Wire::FALSE);
            *known = self.gates.or(known, &wire(set))?;
        }
        for &(tag, control, set) in &certificate.returned {
            means.push((wire(set), entry(tag), self.columns.global_bits));
            let known = self.returned.entry(tag).or_default().entry(control).or_insert(Wire::FALSE);
            *known = self.gates.or(known, &wire(set))?;
        }
        for &(cut, head, set) in &certificate.again {
            means.push((wire(set), width(cut), width(head)));
            let known = self.again.entry(cut).or_default().entry(head).or_insert(Wire::FALSE);
            *known = self.gates.or(known, &wire(set))?;
        }
        for (wire, entry, now) in means {
            for (bit, at) in self.gates.inputs(wire) {
                let is_there = bit < if at == copy(At::Entry) { entry } else { now };
                if !is_there && self.depends(wire, (bit, at))? {
                    return Ok(Some("a set looks at bits that it does not have".into()));
                }
            }
        }
        Ok(None)
    }

    /// Whether a condition is not the same whatever a bit is.
    fn depends(&mut self, wire: Wire, input: Input) -> Result<bool> {
        let fixed = |value: Wire| {
            self.gates.replaced(wire, &|own| if own == input { Ok(value) } else { self.gates.input(own) })
        };
        let [yes, no] = [fixed(Wire::TRUE)?, fixed(Wire::FALSE)?];
        let differ = self.gates.xor(&yes, &no)?;
        self.clauses.can_hold(&self.gates, differ)
    }

    /// The first question whose answer is not as it should be.
    fn gap(&mut self, rules: &RulesByHead, claim: &Claim, cuts: &[Head]) -> Result<Option<Gap>> {
        if let Some(gap) = self.start()? {
            return Ok(Some(gap));
        }
        let reached = self.reached.clone();
        for (tag, heads) in &reached {
            let family = Family::Part(*tag);
            for (&head, &wire) in heads {
                if let Some(gap) = self.steps(rules, &From { family, head, wire, entry: At::Entry })? {
                    return Ok(Some(gap));
                }
                if claim.targets.binary_search(&head).is_ok() {
                    let by = By { family, rule: None, entry: At::Entry, now: &|_| copy(At::Now) };
                    if let Some(gap) = self.asked(&by, Place::Target(head), wire)? {
                        return Ok(Some(gap));
                    }
                }
            }
        }
        match self.below()? {
            None if self.counted.is_some() => self.rounds(rules, cuts),
            gap => Ok(gap),
        }
    }

    /// Asks whether a condition can hold; if so, that is what is missing.
    fn asked(&mut self, by: &By<'_>, place: Place, wire: Wire) -> Result<Option<Gap>> {
        self.asked.push(wire);
        if !self.clauses.can_hold(&self.gates, wire)? {
            return Ok(None);
        }
        let value = |bit: u32, copy: u8| self.clauses.value(&self.gates, (bit, copy));
        let before = |bit: u32| value(bit, copy(At::Now));
        let picked = gap::Picked {
            now: &|bit| value(bit, (by.now)(bit)),
            entry: &|bit| value(bit, copy(by.entry)),
            before: if by.rule.is_some() { Some(&before) } else { None },
        };
        Ok(Some(gap::told(self.spds, self.columns, (by.family, place), by.rule, &picked)))
    }

    /// Whether a condition can hold, where it does no harm if it does.
    fn may(&mut self, wire: Wire) -> Result<bool> {
        let may = self.clauses.can_hold(&self.gates, wire)?;
        if !may {
            self.asked.push(wire);
        }
        Ok(may)
    }

    /// 1: the start.
    fn start(&mut self) -> Result<Option<Gap>> {
        let start = &self.spds.start;
        let head = Head { control: start.control, symbol: start.stack[0] };
        let values = match &start.condition {
            Some(condition) => self.circuit(head.symbol).may(condition)?,
            None => Wire::TRUE,
        };
        let family = Family::Part(Tag::Start(0));
        self.covered(&By { family, rule: None, entry: At::Entry, now: &|_| copy(At::Now) }, values, head)
    }

    /// 6: what lies below the start goes on when the top has returned.
    fn below(&mut self) -> Result<Option<Gap>> {
        let below: Vec<(u32, SymbolId)> = (0..).zip(self.spds.start.stack[1..].iter().copied()).collect();
        for (depth, symbol) in below {
            let returned = self.returned.get(&Tag::Start(depth)).cloned().unwrap_or_default();
            let family = Family::Part(Tag::Start(depth + 1));
            for (control, values) in returned {
                let by = By { family, rule: None, entry: At::Entry, now: &|_| copy(At::Now) };
                if let Some(gap) = self.covered(&by, values, Head { control, symbol })? {
                    return Ok(Some(gap));
                }
            }
        }
        Ok(None)
    }

    /// 2 to 5, for all rules of a head.
    fn steps(&mut self, rules: &RulesByHead, from: &From) -> Result<Option<Gap>> {
        for rule in rules.of(from.head) {
            if let Some(gap) = self.step(from, rule)? {
                return Ok(Some(gap));
            }
        }
        Ok(None)
    }

    /// 2 to 5: what a rule leads to.
    fn step(&mut self, from: &From, number: usize) -> Result<Option<Gap>> {
        let rule = &self.spds.rules[number];
        let effect = self.effect(number)?;
        let moved = self.gates.both(from.wire, effect.relation)?;
        let after = |bit: u32| copy(if effect.written.contains(&bit) { At::Next } else { At::Now });
        let by = By { family: from.family, rule: Some((number, from.head)), entry: from.entry, now: &after };
        match rule.stack {
            Stack::Swap(symbol) => self.covered(&by, moved, Head { control: rule.to, symbol }),
            Stack::Pop => {
                // A run that goes on for ever within the stack that it has at a cut does not return from there.
                let Family::Part(tag) = from.family else { return Ok(None) };
                let known = self.returned.get(&tag).and_then(|all| all.get(&rule.to)).copied().unwrap_or(Wire::FALSE);
                let known = self.moved(known, &|_| copy(from.entry), &after)?;
                let missing = self.gates.both(moved, known.not())?;
                self.asked(&by, Place::Returned(rule.to), missing)
            }
            Stack::Push(symbol, site) => self.call(from, (number, rule), Head { control: rule.to, symbol }, site),
        }
    }

    /// 4 and 5: a call, and what comes back from it.
    fn call(
        &mut self,
        from: &From,
        (number, rule): (usize, &Rule),
        entry: Head,
        site: SymbolId,
    ) -> Result<Option<Gap>> {
        let effect = self.effect(number)?;
        let call = self.called(from.wire, number, rule)?;
        let entered = self.entered(&effect);
        let by_rule = Some((number, from.head));
        match from.family {
            Family::Part(_) => {
                let family = Family::Part(Tag::Entry(entry));
                let known = self.of(family, entry);
                let known = self.moved(known, &entered, &entered)?;
                let missing = self.gates.both(call, known.not())?;
                let by = By { family, rule: by_rule, entry: At::Next, now: &entered };
                if let Some(gap) = self.asked(&by, Place::Entered(entry), missing)? {
                    return Ok(Some(gap));
                }
            }
            Family::Round(_) => {
                let by = By { family: from.family, rule: by_rule, entry: from.entry, now: &entered };
                if let Some(gap) = self.covered(&by, call, entry)? {
                    return Ok(Some(gap));
                }
            }
        }
        let returned = self.returned.get(&Tag::Entry(entry)).cloned().unwrap_or_default();
        let now = self.resumed(&effect);
        for (control, summary) in returned {
            let after = self.through(call, &effect, summary)?;
            let by = By { family: from.family, rule: by_rule, entry: from.entry, now: &now };
            if let Some(gap) = self.covered(&by, after, Head { control, symbol: site })? {
                return Ok(Some(gap));
            }
        }
        Ok(None)
    }

    /// What a call makes of values, if its entry allows them.
    fn called(&mut self, wire: Wire, number: usize, rule: &Rule) -> Result<Wire> {
        let effect = self.effect(number)?;
        let Stack::Push(entry, _) = rule.stack else { return Ok(Wire::FALSE) };
        let invariant = self.invariant(entry)?;
        let invariant = self.moved(invariant, &|_| copy(At::Entry), &self.entered(&effect))?;
        let moved = self.gates.both(wire, effect.relation)?;
        self.gates.both(moved, invariant)
    }

    /// The copy of each bit with which a call is entered.
    fn entered(&self, effect: &Rc<Effect<Wire>>) -> impl Fn(u32) -> u8 + use<> {
        let (globals, effect) = (self.columns.global_bits, Rc::clone(effect));
        move |bit| copy(if bit < globals && !effect.written.contains(&bit) { At::Now } else { At::Next })
    }

    /// The copy of each bit after the return.
    fn resumed(&self, effect: &Rc<Effect<Wire>>) -> impl Fn(u32) -> u8 + use<> {
        let (globals, effect) = (self.columns.global_bits, Rc::clone(effect));
        move |bit| match bit < globals {
            true => RETURNED,
            false => copy(if effect.saved.contains(&bit) { At::Saved } else { At::Now }),
        }
    }

    /// What comes back by a summary.
    fn through(&mut self, call: Wire, effect: &Rc<Effect<Wire>>, summary: Wire) -> Result<Wire> {
        let summary = self.moved(summary, &self.entered(effect), &|_| RETURNED)?;
        self.gates.both(call, summary)
    }

    /// A set, or an invariant, with the values at the entry and those now in other copies.
    fn moved(&self, wire: Wire, entry: &dyn Fn(u32) -> u8, now: &dyn Fn(u32) -> u8) -> Result<Wire> {
        self.gates.renamed(wire, &|(bit, at)| (bit, if at == copy(At::Entry) { entry(bit) } else { now(bit) }))
    }

    /// Whether these values are in the set of a head, unless its invariant refuses them.
    fn covered(&mut self, by: &By<'_>, values: Wire, head: Head) -> Result<Option<Gap>> {
        if let Family::Round(cut) = by.family
            && !self.circles.has(cut, head)
        {
            return Ok(None);
        }
        let [known, invariant] = [self.of(by.family, head), self.invariant(head.symbol)?];
        let known = self.moved(known, &|_| copy(by.entry), by.now)?;
        let invariant = self.moved(invariant, &|_| copy(by.entry), by.now)?;
        let missing = self.gates.both(self.gates.both(values, invariant)?, known.not())?;
        self.asked(by, Place::At(head), missing)
    }

    /// A, or T.
    fn of(&self, family: Family, head: Head) -> Wire {
        let heads = match family {
            Family::Part(tag) => self.reached.get(&tag),
            Family::Round(cut) => self.again.get(&cut),
        };
        heads.and_then(|heads| heads.get(&head)).copied().unwrap_or(Wire::FALSE)
    }

    fn effect(&mut self, rule: usize) -> Result<Rc<Effect<Wire>>> {
        if let Some(known) = self.effects.get(&rule) {
            return Ok(Rc::clone(known));
        }
        let effect = Rc::new(Effect::new(self.spds, self.columns, &self.gates, &self.spds.rules[rule])?);
        self.effects.insert(rule, Rc::clone(&effect));
        Ok(effect)
    }

    fn invariant(&self, symbol: SymbolId) -> Result<Wire> {
        let invariant = &self.spds.symbol(symbol).invariant;
        invariant.as_ref().map_or(Ok(Wire::TRUE), |invariant| self.circuit(symbol).may(invariant))
    }

    fn circuit(&self, symbol: SymbolId) -> Circuit<'_, Gates> {
        Circuit { space: &self.gates, columns: self.columns, frames: [self.spds.symbol(symbol).frame, None, None] }
    }
}
