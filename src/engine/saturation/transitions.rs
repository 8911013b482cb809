//! Relations between the values before and after a piece of a run: of one edge of the head graph, of a way, of a loop.
//!
//! Like a rule's relation such a transition mentions in Next only what it writes; all else is left alone (see
//! [`crate::saturation`], "Rules" and "The head graph"). Sets are over Now; transitions over Now and Next, Entry being scratch.
//! What is dead where a transition ends is forgotten, unless one asks for [`Dead::Kept`].

use super::images::System;
use super::preimages::Met;
use crate::bdd::{At, Relation};
use crate::flow::StateId;
use crate::limits::Stop;
use crate::pds::{HeadId, RuleId, SetId};

type Result<T> = std::result::Result<T, Stop>;

/// So many rounds of squaring are nothing to worry about.
const FEW_ROUNDS: u32 = 2;

/// What pieces of runs may do to the values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Over Now, and over what is written in Next.
    pub relation: Relation,
    /// W: what is written. Everything else stays as it is.
    pub writes: SetId,
}

/// What becomes of values that are dead where a transition ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dead {
    /// They are arbitrary.
    Forgotten,
    /// They are what execution makes of them.
    Kept,
}

impl System<'_> {
    /// That of a rule that neither calls nor returns.
    pub fn step_transition(&self, rule: RuleId, to: HeadId, dead: Dead) -> Result<Transition> {
        let relation = self.relations.rule(rule).cloned().unwrap_or_else(|| self.space.bottom());
        self.arriving(Transition { relation, writes: self.control.pds.writes_of(rule) }, to, dead)
    }

    /// That of a rule that calls, as far as the entry of the callee, whose own caller is then forgotten.
    pub fn enter_transition(&self, rule: RuleId, entry: HeadId) -> Result<Transition> {
        let row = self.control.pds.rule_at(rule);
        let Some(relation) = self.relations.rule(rule) else {
            return Ok(Transition { relation: self.space.bottom(), writes: SetId::EMPTY });
        };
        let saved = self.space.vars(self.columns(row.saved, At::Saved).iter().copied());
        let relation = self.space.exists(relation, saved)?;
        // Locals of the callee that are no arguments are arbitrary.
        let writes = self.union(row.writes, self.slots());
        self.arriving(Transition { relation, writes }, entry, Dead::Forgotten)
    }

    /// That of a call that made this state and returned with this summary (as [`System::pop`] gives it):
    /// ∃Tag2. R\[1→2\] ∧ ⋀(x2↔x0) ∧ E\[0→1, 1→2\], the identity over what the call leaves as it was.
    pub fn through_transition(
        &self,
        rule: RuleId,
        callee: StateId,
        summary: &Relation,
        back: HeadId,
    ) -> Result<Transition> {
        let space = self.space;
        let row = self.control.pds.rule_at(rule);
        let nothing = Transition { relation: space.bottom(), writes: SetId::EMPTY };
        let Some(relation) = self.relations.rule(rule) else { return Ok(nothing) };
        let (tag, touched) = (self.tag(callee), self.meet(self.control.modref.touched(callee), self.globals()));
        let exits = self.without(touched, self.mark());
        let moves = |set: SetId, from, to| self.bits(set).into_iter().map(move |bit| (bit, from, to));
        let shift = moves(exits, At::Now, At::Next).chain(moves(self.without(tag, self.mark()), At::Next, At::Entry));
        let summary = space.rename(summary, space.renaming(shift))?;
        let assigned = self.union(row.writes, row.formals);
        let arguments = space.rename(relation, space.renaming(moves(assigned, At::Next, At::Entry)))?;
        let passed = self.without(self.union(self.meet(tag, self.globals()), self.mark()), row.writes);
        let arguments = space.and(&arguments, &space.identity(self.bits(passed), At::Now, At::Entry)?)?;
        let gone = self.columns(self.without(self.union(assigned, tag), self.mark()), At::Entry);
        let through = space.and_exists(&arguments, &summary, space.vars(gone.iter().copied()))?;
        let through = self.met_on_either(&through)?;
        let through = space.rename(&through, space.renaming(moves(row.saved, At::Saved, At::Next)))?;
        let writes = self.union(touched, self.union(row.saved, self.mark()));
        self.arriving(Transition { relation: through, writes }, back, Dead::Forgotten)
    }

    /// The mark after a call that returned: met by the caller before (Entry) or by the callee (Next).
    fn met_on_either(&self, through: &Relation) -> Result<Relation> {
        let Some(mark) = self.control.pds.layout.mark() else { return Ok(through.clone()) };
        let space = self.space;
        let (next, entry) = (space.literal((mark, At::Next), true)?, space.literal((mark, At::Entry), true)?);
        let some = space.or(&next, &entry)?;
        let gone = space.vars([(mark, At::Next), (mark, At::Entry)]);
        let met = space.and(&space.and_exists(through, &some, gone)?, &next)?;
        let unmet = space.exists(&space.and_not(through, &some)?, gone)?;
        space.or(&met, &space.and_not(&unmet, &next)?)
    }

    /// Without what is dead at a head, and with its invariant.
    fn arriving(&self, way: Transition, to: HeadId, dead: Dead) -> Result<Transition> {
        let space = self.space;
        let Transition { mut relation, writes } = way;
        if let Some(invariant) = self.relations.invariant(&self.control.pds, to) {
            let read = self.bits(writes).into_iter().map(|bit| (bit, At::Now, At::Next));
            relation = space.and(&relation, &space.rename(invariant, space.renaming(read))?)?;
        }
        if dead == Dead::Kept {
            return Ok(Transition { relation, writes });
        }
        let live = self.live(to);
        // Columns that the relation has but does not count as written are arguments that nobody reads.
        let gone = self.columns(self.without(self.union(self.globals(), self.slots()), live), At::Next);
        let relation = space.exists(&relation, space.vars(gone.iter().copied()))?;
        Ok(Transition { relation, writes: self.meet(writes, live) })
    }

    /// First the one, then the other.
    pub fn then(&self, first: &Transition, second: &Transition) -> Result<Transition> {
        let space = self.space;
        let both = self.bits(self.meet(first.writes, second.writes));
        // What the second reads, the first may have written; what the second writes goes out of the way.
        let read = self.bits(first.writes).into_iter().map(|bit| (bit, At::Now, At::Next));
        let shift = space.renaming(read.chain(both.iter().map(|&bit| (bit, At::Next, At::Entry))));
        let second_shifted = space.rename(&second.relation, shift)?;
        let gone = space.vars(both.iter().map(|&bit| (bit, At::Next)));
        let down = space.renaming(both.iter().map(|&bit| (bit, At::Entry, At::Next)));
        let relation = space.and_exists_rename(&first.relation, &second_shifted, gone, down)?;
        Ok(Transition { relation, writes: self.union(first.writes, second.writes) })
    }

    /// The one or the other.
    pub fn either(&self, a: &Transition, b: &Transition) -> Result<Transition> {
        let writes = self.union(a.writes, b.writes);
        let relation = self.space.or(&self.writing(a, writes)?, &self.writing(b, writes)?)?;
        Ok(Transition { relation, writes })
    }

    /// Or nothing at all.
    pub fn or_nothing(&self, a: &Transition) -> Result<Transition> {
        let nothing = self.space.identity(self.bits(a.writes), At::Now, At::Next)?;
        Ok(Transition { relation: self.space.or(&a.relation, &nothing)?, writes: a.writes })
    }

    /// The same, with these bits counted as written.
    pub fn writing_also(&self, a: &Transition, more: SetId) -> Result<Transition> {
        let writes = self.union(a.writes, more);
        Ok(Transition { relation: self.writing(a, writes)?, writes })
    }

    /// The relation with as much in Next as another one has.
    fn writing(&self, a: &Transition, writes: SetId) -> Result<Relation> {
        let kept = self.space.identity(self.bits(self.without(writes, a.writes)), At::Now, At::Next)?;
        self.space.and(&a.relation, &kept)
    }

    /// R⁺ by iterated squaring: as many rounds as the number of turns that are needed has binary digits. Remembered, for
    /// equal loops are met more than once: by saturation, by the search for cycles, in equal procedures.
    ///
    /// Where some rounds are not enough, for a loop of this head, it is tried to know R⁺ without more ([`super::measures`]).
    /// `too_large` judges what comes on the way by the number of its nodes and that of the round before.
    ///
    /// # Errors
    /// [`Stop::Patience`] if something is too large, or if a limit is met.
    pub fn closure(
        &self,
        head: HeadId,
        turn: &Transition,
        too_large: impl Fn(usize, usize) -> bool,
    ) -> Result<Transition> {
        let key = (turn.relation.clone(), turn.writes);
        let known = self.closures.borrow().get(&key).cloned();
        if let Some(relation) = known {
            let relation = relation.ok_or(Stop::Patience)?;
            return Ok(Transition { relation, writes: turn.writes });
        }
        let remember = |relation| self.closures.borrow_mut().insert(key.clone(), relation);
        let mut all = turn.clone();
        let mut size = self.space.size(&all.relation);
        if too_large(size, size) {
            remember(None);
            return Err(Stop::Patience);
        }
        for round in 0u32.. {
            if round == FEW_ROUNDS
                && let Some(proved) = self.turns_proved(head, turn)?
            {
                remember(Some(proved.clone()));
                return Ok(Transition { relation: proved, writes: turn.writes });
            }
            let twice = self.then(&all, &all)?;
            let more = self.space.or(&all.relation, &twice.relation)?;
            if more == all.relation {
                remember(Some(more));
                return Ok(all);
            }
            let before = std::mem::replace(&mut size, self.space.size(&more));
            if too_large(size, before) {
                remember(None);
                return Err(Stop::Patience);
            }
            all.relation = more;
        }
        Ok(all)
    }

    /// The values that a transition leads to, over Now as the set is; further columns of the set go along.
    pub fn after(&self, set: &Relation, way: &Transition) -> Result<Relation> {
        let written = self.bits(way.writes);
        let gone = self.space.vars(written.iter().map(|&bit| (bit, At::Now)));
        let down = self.space.renaming(written.iter().map(|&bit| (bit, At::Next, At::Now)));
        self.space.and_exists_rename(set, &way.relation, gone, down)
    }

    /// The values (over Now) that a transition leads into a set from: ∃W1. R ∧ Z\[W0→W1\].
    pub fn before(&self, way: &Transition, set: &Relation) -> Result<Relation> {
        let space = self.space;
        let written = self.bits(way.writes);
        let up = space.renaming(written.iter().map(|&bit| (bit, At::Now, At::Next)));
        let gone = space.vars(written.iter().map(|&bit| (bit, At::Next)));
        space.and_exists(&way.relation, &space.rename(set, up)?, gone)
    }

    /// Those values that a transition does not change, the mark aside; with the mark met on the way, if it must be.
    pub fn unchanged(&self, way: &Transition, met: Met) -> Result<Relation> {
        let space = self.space;
        let same = space.identity(self.bits(self.without(way.writes, self.mark())), At::Now, At::Next)?;
        let mut relation = space.and(&way.relation, &same)?;
        let mut gone: Vec<_> = self.columns(way.writes, At::Next).to_vec();
        if let Some(mark) = self.control.pds.layout.mark() {
            if met == Met::OnTheWay {
                relation = space.and(&relation, &space.cube(&[((mark, At::Now), false), ((mark, At::Next), true)])?)?;
            }
            gone.push((mark, At::Now));
        }
        space.exists(&relation, space.vars(gone))
    }
}
