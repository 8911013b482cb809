//! The symbolic steps backwards: what leads into a set of values, along an edge of the head graph.
//!
//! Formulas as in [`crate::saturation`], "The head graph". Sets are over Now, without entry tags and without the mark; whether
//! the mark was met on an edge is asked for apart.

use super::images::System;
use crate::bdd::{At, Relation};
use crate::flow::StateId;
use crate::limits::Stop;
use crate::pds::{HeadId, RuleId, SetId};

type Result<T> = std::result::Result<T, Stop>;

/// Whether an edge has to meet the mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Met {
    /// It need not.
    Whatever,
    /// In the step, or in the call that is passed.
    OnTheWay,
}

impl System<'_> {
    /// Step: ∃W1. R ∧ Z\[W0→W1\].
    pub fn before_step(&self, rule: RuleId, to: HeadId, after: &Relation, met: Met) -> Result<Relation> {
        let row = self.control.pds.rule_at(rule);
        let moved = self.meet(row.writes, self.live(to));
        let after = self.space.rename(after, self.up(moved))?;
        self.through(rule, &after, row.writes, SetId::EMPTY, &[At::Next], met)
    }

    /// Call into its entry: ∃f1,W1. R ∧ (∃L0∖formals. Z)\[formals, W: 0→1\].
    pub fn before_entry(&self, rule: RuleId, after: &Relation, met: Met) -> Result<Relation> {
        let row = self.control.pds.rule_at(rule);
        let free = self.columns(self.without(self.slots(), row.formals), At::Now);
        let after = self.space.exists(after, self.space.vars(free.iter().copied()))?;
        let assigned = self.union(row.writes, row.formals);
        let after = self.space.rename(&after, self.up(assigned))?;
        self.through(rule, &after, assigned, row.saved, &[At::Next], met)
    }

    /// Call and return: Y = ∃(V(t')∩G)0. E ∧ Z, then ∃f1,W1. R ∧ Y\[what the call leaves alone: 1→0\]. The summary is as
    /// [`System::pop`] gives it.
    pub fn before_return(
        &self,
        rule: RuleId,
        callee: StateId,
        summary: &Relation,
        back: HeadId,
        after: &Relation,
        met: Met,
    ) -> Result<Relation> {
        let space = self.space;
        let row = self.control.pds.rule_at(rule);
        let (tag, touched) = (self.tag(callee), self.control.modref.touched(callee));
        let saved = self.bits(self.meet(row.saved, self.live(back)));
        let aside = space.renaming(saved.into_iter().map(|bit| (bit, At::Now, At::Saved)));
        let after = self.moved_to_saved(after, aside, self.meet(row.saved, self.live(back)))?;
        let exits = self.columns(self.meet(touched, self.globals()), At::Now);
        let pair = space.and_exists(summary, &after, space.vars(exits.iter().copied()))?;
        // The callee's mark goes out of the way of the caller's; what the call does not write is as before it.
        let kept = self.bits(self.without(self.meet(tag, self.globals()), row.writes)).into_iter();
        let kept = kept.map(|bit| (bit, At::Next, At::Now));
        let marks = self.bits(self.mark()).into_iter().map(|bit| (bit, At::Next, At::Entry));
        let pair = space.rename(&pair, space.renaming(kept.chain(marks)))?;
        let assigned = self.union(self.union(row.writes, row.formals), tag);
        self.through(rule, &pair, assigned, row.saved, &[At::Next, At::Entry], met)
    }

    /// ∃ assigned1, saved3. R ∧ Z, from states in which no mark has been met; `marks` are the copies in which one may be.
    fn through(
        &self,
        rule: RuleId,
        after: &Relation,
        assigned: SetId,
        saved: SetId,
        marks: &[At],
        met: Met,
    ) -> Result<Relation> {
        let space = self.space;
        let Some(relation) = self.relations.rule(rule) else { return Ok(space.bottom()) };
        let gone = self.columns(self.without(assigned, self.mark()), At::Next);
        let gone = space.vars(gone.iter().chain(self.columns(saved, At::Saved).iter()).copied());
        let Some(mark) = self.control.pds.layout.mark() else { return space.and_exists(relation, after, gone) };
        let before = space.and_exists(&self.unmarked(relation)?, after, gone)?;
        let before = match met {
            Met::Whatever => before,
            // The automaton takes no step along a silent rule.
            Met::OnTheWay if self.control.pds.rule_at(rule).silent => return Ok(space.bottom()),
            Met::OnTheWay => {
                let mut somewhere = space.bottom();
                for &at in marks {
                    somewhere = space.or(&somewhere, &space.literal((mark, at), true)?)?;
                }
                space.and(&before, &somewhere)?
            }
        };
        space.exists(&before, space.vars([At::Now, At::Next, At::Entry].map(|at| (mark, at))))
    }

    fn up(&self, set: SetId) -> crate::bdd::Renaming {
        self.space.renaming(self.bits(self.without(set, self.mark())).into_iter().map(|bit| (bit, At::Now, At::Next)))
    }

    /// The values of locals that a call changes in the frame it leaves, where the relation has them.
    fn moved_to_saved(&self, after: &Relation, renaming: crate::bdd::Renaming, saved: SetId) -> Result<Relation> {
        if saved == SetId::EMPTY {
            return Ok(after.clone());
        }
        self.space.rename(after, renaming)
    }
}
