//! Other ways: what is done in a turn that begins in a state of the set from which no known way leads on.
//!
//! A model of that state says where each condition leads, as far as it is about the state and what was chosen. All that is found here is a
//! proposal.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::bitvec::Model;
use crate::c::program::{InputKind, Label, Statement, StatementKind};
use crate::transition::path::PathRelation;

use super::region::Region;
use super::straight::{Choice, Part};
use super::turn::{LONGEST, Way};

/// So many branches of a way are corrected.
const CORRECTED: usize = 64;

/// So many numbers are tried where something is asked for on no other way.
const CHOSEN: usize = 5;

/// A way that may be taken.
struct Proposal {
    way: Way,
    parts: Vec<Part>,
    relation: PathRelation,
}

impl Region<'_, '_> {
    /// One way more: that which is taken in a model in which a condition of a known one does not hold; none if that leads elsewhere, whatever is
    /// chosen.
    pub fn other(&mut self, side: (usize, usize), model: &Model) -> Option<()> {
        let known = self.sides.iter().flat_map(|side| side.way.fixed.iter().flatten().copied());
        let known: BTreeSet<i128> = known.chain([0, 1, -1]).collect();
        let mut known: Vec<i128> = known.into_iter().collect();
        known.sort_by_key(|number| number.unsigned_abs());
        known.truncate(CHOSEN);
        known.into_iter().find_map(|number| self.other_with(side, model, number))
    }

    /// The same where this number is chosen wherever no other way says what is.
    fn other_with(&mut self, (side, condition): (usize, usize), model: &Model, number: i128) -> Option<()> {
        let own = &self.sides[side];
        let part = own.choice(condition)?;
        let mut way = own.way.clone();
        self.turns_off(&mut way, part, number)?;
        for _ in 0..CORRECTED {
            let (parts, relation) = self.relation(&way)?;
            let mut proposal = Proposal { way, parts, relation };
            let (branch, is_changed) = proposal.wrong(model)?;
            match branch {
                Some(part) => self.turns_off(&mut proposal.way, part, number)?,
                None if is_changed => {}
                None => {
                    let is_new = self.sides.iter().all(|side| side.way != proposal.way);
                    return is_new.then(|| self.side(proposal.way, proposal.parts, proposal.relation))?;
                }
            }
            way = proposal.way;
        }
        None
    }

    /// Has a way go otherwise from some statement on: by the shortest way to its beginning.
    fn turns_off(&self, way: &mut Way, part: Part, number: i128) -> Option<()> {
        let at = part.at;
        match part.choice? {
            Choice::Watched(watched, holds) => {
                way.holds[at][watched] = !holds;
                Some(())
            }
            Choice::Goes(side) => {
                let program = &self.question.made.program;
                let body = program.procedure(self.procedure).body.as_ref()?;
                let StatementKind::Branch(_, yes, no) = body.get(way.path[at].0 as usize)?.kind else { return None };
                let (next, head) = (if side { no } else { yes }, way.path[0]);
                let rest = shortest(body, next, head)?;
                let holds = way.holds[at].clone();
                way.path.truncate(at + 1);
                way.fixed.truncate(at + 1);
                way.holds.truncate(at + 1);
                for label in rest {
                    way.path.push(label);
                    way.fixed.push(self.given(label, (&body.get(label.0 as usize)?.kind, number))?);
                    way.holds.push(holds.clone());
                }
                (way.path.len() <= LONGEST).then_some(())
            }
        }
    }

    /// What a statement is given, if that may be chosen: the same as on other ways, or this number.
    fn given(&self, label: Label, (kind, number): (&StatementKind, i128)) -> Option<Option<i128>> {
        let StatementKind::Input(_, kind) = kind else { return Some(None) };
        let known = self.sides.iter().find_map(|side| {
            let at = side.way.path.iter().position(|&own| own == label)?;
            side.way.fixed[at]
        });
        match kind {
            InputKind::Returned(_) | InputKind::Choice => Some(Some(known.unwrap_or(number))),
            InputKind::Order => Some(Some(0)),
            InputKind::Volatile(_) | InputKind::Unspecified(_) => Some(None),
            InputKind::Allocated(_) => None,
        }
    }
}

impl Proposal {
    /// Corrects what is watched up to the first branch that is not taken in a model, and tells that one, and whether something was corrected; none
    /// if something is undefined before.
    fn wrong(&mut self, model: &Model) -> Option<(Option<Part>, bool)> {
        let truths = model.truths(&self.relation.terms, &self.relation.conditions);
        let mut is_changed = false;
        for (at, &step) in self.relation.steps.iter().enumerate().filter(|(at, _)| !truths[*at]) {
            let is_last = self.relation.steps.get(at + 1) != Some(&step);
            let part = self.parts.get(step).copied().filter(|_| is_last)?;
            match part.choice? {
                Choice::Watched(number, holds) => self.way.holds[part.at][number] = !holds,
                Choice::Goes(_) => return Some((Some(part), is_changed)),
            }
            is_changed = true;
        }
        Some((None, is_changed))
    }
}

/// The statements from one on, until another one is next.
fn shortest(body: &[Statement], from: Label, to: Label) -> Option<Vec<Label>> {
    if from == to {
        return Some(Vec::new());
    }
    let mut before: BTreeMap<Label, Label> = BTreeMap::from([(from, from)]);
    let mut open = VecDeque::from([from]);
    while let Some(at) = open.pop_front() {
        for next in body.get(at.0 as usize)?.kind.successors(at) {
            if next == to {
                let mut path = vec![at];
                while let Some(&earlier) =
                    path.last().and_then(|at| before.get(at)).filter(|_| path.last() != Some(&from))
                {
                    path.push(earlier);
                }
                path.reverse();
                return Some(path);
            }
            if let Entry::Vacant(vacant) = before.entry(next) {
                vacant.insert(at);
                open.push_back(next);
            }
        }
    }
    None
}
