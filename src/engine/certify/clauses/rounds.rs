//! 8 to 11, by clauses: that no run goes on for ever, or not with steps that count.

use std::collections::BTreeSet;

use spds_format::RulesByHead;
use spds_format::model::{Head, Stack, SymbolId};

use super::gates::{ELSEWHERE, Wire, copy};
use super::{By, Checker, From, Gap, Place, Result};
use crate::bdd::{At, Bit};
use crate::certificate::Tag;
use crate::certify::logic::Logic;
use crate::certify::rounds::{Circles, Way};
use crate::certify::{Counted, Family};

impl Checker<'_> {
    /// The first question about circles whose answer is not as it should be.
    pub(super) fn rounds(&mut self, rules: &RulesByHead, cuts: &[Head]) -> Result<Option<Gap>> {
        for (head, wire) in self.reached.values().flatten() {
            self.everywhere.entry(*head).or_default().push(*wire);
        }
        let (heads, ways) = self.control(rules)?;
        self.circles = Circles::new(&heads, ways, cuts);
        if let Some(head) = self.circles.uncut {
            let by = By { family: Family::Round(head), rule: None, entry: At::Entry, now: &|_| copy(At::Now) };
            return self.asked(&by, Place::Uncut(head), Wire::TRUE);
        }
        for cut in self.circles.cuts() {
            if let Some(gap) = self.round(rules, cut)? {
                return Ok(Some(gap));
            }
        }
        Ok(None)
    }

    /// The heads of which something is known, and to which of them control goes from each, and whether by a step that counts.
    fn control(&mut self, rules: &RulesByHead) -> Result<(Vec<Head>, Vec<Way>)> {
        let mut heads: BTreeSet<Head> = BTreeSet::new();
        let all: Vec<(Head, Wire)> = self.reached.values().flatten().map(|(head, wire)| (*head, *wire)).collect();
        for (head, wire) in all {
            if !heads.contains(&head) && self.may(wire)? {
                heads.insert(head);
            }
        }
        let ends = [self.spds.end, self.spds.fail];
        let places: Vec<Head> = heads.iter().copied().collect();
        let mut ways = Vec::new();
        for (place, &from) in (0..).zip(&places).filter(|(_, head)| !ends.contains(&Some(head.symbol))) {
            let invariant = self.invariant(from.symbol)?;
            for number in rules.of(from) {
                // A rule that can never be taken is none.
                let relation = self.effect(number)?.relation;
                let taken = self.gates.both(relation, invariant)?;
                if !self.may(taken)? {
                    continue;
                }
                for (to, counts) in self.leads(from, number, &heads)? {
                    if let Ok(to) = places.binary_search(&to) {
                        ways.push(Way { from: place, to: to as u32, counts });
                    }
                }
            }
        }
        Ok((places, ways))
    }

    /// To which of these heads control goes by a rule, and whether a step that counts may be on the way.
    fn leads(&mut self, from: Head, number: usize, heads: &BTreeSet<Head>) -> Result<Vec<(Head, bool)>> {
        let rule = &self.spds.rules[number];
        let effect = self.effect(number)?;
        let values = self.gates.both(self.values(from)?, self.met(copy(At::Now))?.not())?;
        let mut to = Vec::new();
        match rule.stack {
            Stack::Pop => {}
            Stack::Swap(symbol) => {
                let head = Head { control: rule.to, symbol };
                let after = |bit: u32| copy(if effect.written.contains(&bit) { At::Next } else { At::Now });
                let moved = self.gates.both(values, effect.relation)?;
                to.push((head, self.counts(moved, &after, Some(symbol))?));
            }
            Stack::Push(symbol, site) => {
                let entry = Head { control: rule.to, symbol };
                let call = self.called(values, number, rule)?;
                let entered = self.entered(&effect);
                to.push((entry, self.counts(call, &entered, None)?));
                let returned = self.returned.get(&Tag::Entry(entry)).cloned().unwrap_or_default();
                for (control, summary) in returned {
                    if !self.may(summary)? {
                        continue;
                    }
                    let after = self.through(call, &effect, summary)?;
                    let resumed = self.resumed(&effect);
                    let head = Head { control, symbol: site };
                    to.push((head, self.counts(after, &resumed, Some(site))?));
                }
            }
        }
        to.retain(|(head, _)| heads.contains(head));
        Ok(to)
    }

    /// Whether among these values, in these copies, are some after a step that counts.
    fn counts(&mut self, values: Wire, now: &dyn Fn(u32) -> u8, symbol: Option<SymbolId>) -> Result<bool> {
        let Some(Counted::Met(met)) = self.counted else { return Ok(true) };
        let mut turned = self.gates.both(values, self.gates.input((met.0, now(met.0)))?)?;
        if let Some(symbol) = symbol {
            let invariant = self.invariant(symbol)?;
            turned = self.gates.both(turned, self.moved(invariant, &|_| copy(At::Entry), now)?)?;
        }
        self.may(turned)
    }

    /// *Met*, in a copy; false if all steps count.
    fn met(&self, copy: u8) -> Result<Wire> {
        match self.counted {
            Some(Counted::Met(met)) => self.gates.input((met.0, copy)),
            _ => Ok(Wire::FALSE),
        }
    }

    /// The values with which a head is reached, in whatever part of the stack.
    fn values(&self, head: Head) -> Result<Wire> {
        let mut values = Wire::FALSE;
        for set in self.everywhere.get(&head).into_iter().flatten() {
            values = self.gates.or(&values, set)?;
        }
        Ok(values)
    }

    /// From a cut, whether its sets are closed under what rules do, and no run comes back to the same values by a step that counts.
    fn round(&mut self, rules: &RulesByHead, cut: Head) -> Result<Option<Gap>> {
        let family = Family::Round(cut);
        let width = self.columns.width(self.spds.symbol(cut.symbol).frame);
        // What is now was at the cut; the values at the entry of the call are of no more use.
        let begin = self.gates.both(self.values(cut)?, self.met(copy(At::Now))?.not())?;
        if let Some(gap) = self.steps(rules, &From { family, head: cut, wire: begin, entry: At::Now })? {
            return Ok(Some(gap));
        }
        for (head, wire) in self.again.get(&cut).cloned().unwrap_or_default() {
            if !self.circles.has(cut, head) {
                continue;
            }
            let known = self.moved(self.values(head)?, &|_| ELSEWHERE, &|_| copy(At::Now))?;
            let wire = self.gates.both(wire, known)?;
            if let Some(gap) = self.steps(rules, &From { family, head, wire, entry: At::Entry })? {
                return Ok(Some(gap));
            }
        }
        let mut same = (0..width).map(Bit).collect::<Vec<Bit>>();
        let mut again = self.of(family, cut);
        if let Some(Counted::Met(met)) = self.counted {
            same.retain(|bit| *bit != met);
            let [before, after] = [self.met(copy(At::Entry))?, self.met(copy(At::Now))?];
            again = self.gates.both(self.gates.both(again, before.not())?, after)?;
        }
        again = self.gates.both(again, self.gates.identity(same, At::Now, At::Entry)?)?;
        let by = By { family, rule: None, entry: At::Entry, now: &|_| copy(At::Now) };
        self.asked(&by, Place::Again(cut), again)
    }
}
