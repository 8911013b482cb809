//! Which way a run takes at a statement with several: the number of the alternative, as the text lists them.

use serde::Serialize;
use spds_format::model::{Head, Rule, Spds, Stack};

use super::walk::{At, steps};
use crate::run::{Run, Section, Step, Then};

/// An alternative of a statement: of a test the first is that it holds, of a `goto` they are its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Branch {
    /// Its number, from 1.
    pub taken: usize,
    /// How many there are.
    pub of: usize,
}

/// The rules of a system by their heads.
pub struct Alternatives<'s> {
    spds: &'s Spds,
    /// Rules by index, ordered by head, then as in the text.
    order: Vec<u32>,
}

impl<'s> Alternatives<'s> {
    /// In time linear in the number of rules, but for the sorting.
    pub fn new(spds: &'s Spds) -> Self {
        let mut order: Vec<u32> = (0..spds.rules.len() as u32).collect();
        order.sort_by_key(|index| spds.rules[*index as usize].from);
        Alternatives { spds, order }
    }

    fn of(&self, head: Head) -> impl Iterator<Item = &'s Rule> + '_ {
        let from = |index: &u32| self.spds.rules[*index as usize].from;
        let begin = self.order.partition_point(|index| from(index) < head);
        let rules = self.order[begin..].iter().take_while(move |index| from(index) == head);
        rules.map(|index| &self.spds.rules[*index as usize])
    }

    /// The alternative that a run takes at a step; `None` if there is only one, if several lead to the same place, or if
    /// it is not known where the step leads. The failure of an assertion is no alternative: no run goes on from there.
    pub fn taken(&self, run: &Run, at: At) -> Option<Branch> {
        let step = &steps(run, at.part)[at.index];
        let head = Head { control: step.config.control, symbol: step.config.symbol };
        let fails = |rule: &&Rule| matches!(rule.stack, Stack::Swap(to) if Some(to) == self.spds.fail);
        let rules: Vec<&Rule> = self.of(head).filter(|rule| !fails(rule)).collect();
        if rules.len() < 2 {
            return None;
        }
        let goes = next(run, at, step)?;
        let mut fit = (1..).zip(&rules).filter(|(_, rule)| goes.fits(rule, step));
        match (fit.next(), fit.next()) {
            (Some((taken, _)), None) => Some(Branch { taken, of: rules.len() }),
            _ => None,
        }
    }
}

/// Where a step leads.
enum Next<'r> {
    /// To this step, which is on the stack where its depth says.
    To(&'r Step),
    /// To the first step of a call.
    Into(&'r Step),
    /// To the first step of the cycle again, whose depth may be any.
    Round(&'r Step),
    /// Out of a call.
    Out,
}

fn next<'r>(run: &'r Run, at: At, step: &Step) -> Option<Next<'r>> {
    let first = || run.cycle.as_ref().and_then(|cycle| cycle.first());
    match (step.then, at.part) {
        (Then::Leap(_), _) => None,
        (Then::Call(call), _) => run.calls.get(call)?.steps.first().map(Next::Into),
        (Then::Step, part) => match (steps(run, part).get(at.index + 1), part) {
            (Some(next), _) => Some(Next::To(next)),
            (None, Section::Call(_)) => Some(Next::Out),
            (None, Section::Stem) => first().map(Next::To),
            (None, Section::Cycle) => first().map(Next::Round),
        },
    }
}

impl Next<'_> {
    fn fits(&self, rule: &Rule, from: &Step) -> bool {
        let at = |to: &Step| rule.to == to.config.control;
        let swaps = |to: &Step| rule.stack == Stack::Swap(to.config.symbol);
        let pushes = |to: &Step| matches!(rule.stack, Stack::Push(top, _) if top == to.config.symbol);
        let pops = rule.stack == Stack::Pop;
        match self {
            Next::Out => pops,
            Next::Into(to) => at(to) && pushes(to),
            Next::Round(to) => at(to) && (swaps(to) || pushes(to) || pops),
            Next::To(to) if to.depth > from.depth => at(to) && pushes(to),
            Next::To(to) if to.depth < from.depth => at(to) && pops,
            Next::To(to) => at(to) && swaps(to),
        }
    }
}
