//! What callers have to establish: as few conditions as are needed, first so that uses are seen to be safe by following control, which costs little, then
//! so that the others are proved to be; each with a run, if one is found, that goes wrong where just this one is broken.

use std::collections::BTreeSet;

use crate::functions::Obligation;
use crate::functions::condition::{self, About, Condition};
use crate::nullness::PointerUse;

use super::{Function, without};

/// What can be demanded of callers.
pub(super) struct Demands {
    pub pointers: Vec<Condition>,
    pub numbers: Vec<Condition>,
    /// Those that were demanded in another version, as C writes them.
    pub former: BTreeSet<String>,
}

/// What is demanded.
#[derive(Clone)]
pub(super) struct Demanded {
    /// Each condition with what callers are told of it.
    pub kept: Vec<(Condition, Obligation)>,
    /// What is safe under them all.
    pub safe: BTreeSet<usize>,
}

impl Demanded {
    /// Nothing, and what is safe anyway.
    pub fn nothing(safe: &BTreeSet<usize>) -> Demanded {
        Demanded { kept: Vec::new(), safe: safe.clone() }
    }

    pub fn conditions(&self) -> Vec<Condition> {
        self.kept.iter().map(|(condition, _)| condition.clone()).collect()
    }

    /// Those of all that can be demanded that are, or are to be.
    fn with(&self, demands: &Demands, more: impl Fn(&Condition) -> bool) -> Vec<Condition> {
        let is_kept = |one: &Condition| self.kept.iter().any(|(kept, _)| kept == one);
        let all = demands.pointers.iter().chain(&demands.numbers);
        all.filter(|one| more(one) || is_kept(one)).cloned().collect()
    }

    fn is_of_numbers(&self) -> bool {
        self.kept.iter().any(|(condition, _)| matches!(condition.about, About::Numbers))
    }
}

/// What is done to know that a use is safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Means {
    /// Control is followed.
    Control,
    /// It is proved as well.
    All,
}

impl<'a> Function<'a> {
    /// All that can be demanded; of pointers only, where those of numbers exclude each other.
    pub(super) fn together(&self, demands: &Demands) -> Vec<Condition> {
        let all: Vec<Condition> = demands.pointers.iter().chain(&demands.numbers).cloned().collect();
        if demands.numbers.is_empty() || self.is_entered(&all) { all } else { demands.pointers.clone() }
    }

    /// What was demanded in another version, as far as it is needed in this one and something is seen to be safe with it by following control.
    pub(super) fn formerly(
        &mut self,
        demands: &Demands,
        (every, bare): (&BTreeSet<usize>, &BTreeSet<usize>),
    ) -> Demanded {
        let nothing = Demanded::nothing(bare);
        let tried = nothing.with(demands, |one| demands.former.contains(&one.text(self.program)));
        let rest = without(every, bare);
        if tried.is_empty() || rest.is_empty() {
            return nothing;
        }
        let told: Vec<PointerUse> = self.all.iter().map(|known| known.told.clone()).collect();
        let new = self.kept_under(&tried, &rest, Means::Control);
        let kept = self.needed(tried, &new, Means::Control);
        let former = Demanded { kept, safe: bare.union(&new).copied().collect() };
        if !new.is_empty() && (!former.is_of_numbers() || self.is_entered(&former.conditions())) {
            return former;
        }
        // What is known under conditions that nobody is told of is not known.
        self.all.iter_mut().zip(told).for_each(|(now, told)| now.told = told);
        nothing
    }

    /// The same as [`Function::demanded`] with all means, for who has followed control before.
    pub(super) fn proving(
        &mut self,
        demands: &Demands,
        (every, bare): (&BTreeSet<usize>, &BTreeSet<usize>),
        mut seen: Demanded,
    ) -> Demanded {
        seen.safe.extend(bare);
        let told: Vec<PointerUse> = self.all.iter().map(|known| known.told.clone()).collect();
        let all = self.demanded(demands, (every, bare), seen.clone(), Means::All);
        if all.safe.len() > seen.safe.len() {
            if !all.is_of_numbers() || self.is_entered(&all.conditions()) {
                return all;
            }
            // What is known under conditions that nobody is told of is not known.
            for (at, told) in told.into_iter().enumerate().filter(|(at, _)| !seen.safe.contains(at)) {
                self.all[at].told = told;
            }
        }
        // Perhaps not all that was demanded is needed.
        let (shown, rest): (Vec<_>, Vec<_>) = seen.kept.iter().cloned().partition(|(_, obligation)| obligation.shown);
        if !rest.is_empty() {
            let conditions = seen.conditions();
            seen.kept = self.kept(|this| this.fewest(conditions, &without(&seen.safe, bare), &shown, Means::All));
        }
        seen
    }

    /// Conditions, as few as needed, each with what callers are told of it, and what is safe under them: first of pointers that are given,
    /// then also of those that they lead to; then of numbers. All that is demanded already is demanded as well, as long as it is needed.
    pub(super) fn demanded(
        &mut self,
        demands: &Demands,
        (every, bare): (&BTreeSet<usize>, &BTreeSet<usize>),
        mut now: Demanded,
        means: Means,
    ) -> Demanded {
        let all = &demands.pointers;
        for (longest, only_used) in (0..=condition::LONGEST).flat_map(|longest| [(longest, true), (longest, false)]) {
            let rest = without(every, &now.safe);
            // The pointers that are used themselves, if that is enough, rather than others that keep runs from there.
            let used: BTreeSet<&str> = rest.iter().map(|at| &*self.all[*at].told.pointer).collect();
            let behind = |one: &Condition| match one.about {
                About::Pointer(_, behind) => behind,
                About::Numbers => 0,
            };
            let is_new = |one: &Condition| {
                let About::Pointer(pointer, behind) = one.about else { return false };
                behind == longest && used.contains(&*self.program.expression_text(pointer)) == only_used
            };
            let is_old = |one: &Condition| {
                let is_nearer = behind(one) < longest || behind(one) == longest && !only_used;
                is_nearer && matches!(one.about, About::Pointer(..))
            };
            if rest.is_empty() || !all.iter().any(is_new) {
                continue;
            }
            let tried = now.with(demands, |one| is_new(one) || is_old(one));
            let new = self.kept_under(&tried, &rest, means);
            if !new.is_empty() {
                now.safe.extend(new);
                now.kept = self.needed(tried, &without(&now.safe, bare), means);
            }
        }
        let rest = without(every, &now.safe);
        if !rest.is_empty() && !demands.numbers.is_empty() {
            let tried = now.with(demands, |one| matches!(one.about, About::Numbers));
            let before: Vec<(usize, PointerUse)> = rest.iter().map(|at| (*at, self.all[*at].told.clone())).collect();
            let new = self.kept_under(&tried, &rest, means);
            if !new.is_empty() {
                let safe: BTreeSet<usize> = now.safe.union(&new).copied().collect();
                let kept = self.needed(tried, &without(&safe, bare), means);
                let fewer = Demanded { kept, safe };
                if self.is_entered(&fewer.conditions()) {
                    now = fewer;
                } else {
                    // What is known under conditions that nobody is told of is not known.
                    for (at, told) in before {
                        self.all[at].told = told;
                    }
                }
            }
        }
        now
    }

    /// Those of some uses that are safe in every state in which these conditions hold, by these means. What is said of them is kept.
    fn kept_under(&mut self, conditions: &[Condition], some: &BTreeSet<usize>, means: Means) -> BTreeSet<usize> {
        let mut safe = self.followed(conditions, some);
        if means == Means::All {
            let rest = without(some, &safe);
            let failing: BTreeSet<usize> = self.shown(conditions, &rest).into_keys().collect();
            safe.extend(self.proved(conditions, &without(&rest, &failing)));
        }
        safe
    }

    /// As few of some conditions as are needed so that some uses are safe, and why each is. What is seen by following control says most of it, and costs
    /// least.
    fn needed(&mut self, kept: Vec<Condition>, wanted: &BTreeSet<usize>, means: Means) -> Vec<(Condition, Obligation)> {
        self.kept(|this| {
            let seen = this.followed(&kept, wanted);
            let mut fewest = this.fewest(kept.clone(), &seen, &[], means);
            let conditions: Vec<Condition> = fewest.iter().map(|(condition, _)| condition.clone()).collect();
            let rest = without(wanted, &seen);
            let is_enough = conditions.len() == kept.len() || this.safe(&conditions, &rest, means).is_superset(&rest);
            let is_shown = fewest.iter().all(|(_, obligation)| obligation.shown);
            if is_enough && (is_shown || rest.is_empty()) {
                return fewest;
            }
            // Where more is asked, more may be shown to be needed.
            fewest.retain(|(_, obligation)| obligation.shown);
            this.fewest(if is_enough { conditions } else { kept }, wanted, &fewest, means)
        })
    }

    /// What something finds, while what is said of uses stays what it is: what is said of them while a condition is missing is not what is known.
    fn kept<T>(&mut self, find: impl FnOnce(&mut Function<'a>) -> T) -> T {
        let known: Vec<PointerUse> = self.all.iter().map(|known| known.told.clone()).collect();
        let found = find(self);
        self.all.iter_mut().zip(known).for_each(|(now, known)| now.told = known);
        found
    }

    /// Those of some uses that are safe in every state in which these conditions hold: what is not seen by following control is proved.
    fn safe(&mut self, conditions: &[Condition], some: &BTreeSet<usize>, means: Means) -> BTreeSet<usize> {
        let mut safe = self.followed(conditions, some);
        if means == Means::All {
            safe.extend(self.proved(conditions, &without(some, &safe)));
        }
        safe
    }

    /// Conditions of which none can be left out, one after the other from the last, so that these uses stay safe; those that are known are kept.
    fn fewest(
        &mut self,
        mut kept: Vec<Condition>,
        wanted: &BTreeSet<usize>,
        known: &[(Condition, Obligation)],
        means: Means,
    ) -> Vec<(Condition, Obligation)> {
        let mut why: Vec<Obligation> = Vec::new();
        for at in (0..kept.len()).rev() {
            if let Some((_, obligation)) = known.iter().find(|(condition, _)| *condition == kept[at]) {
                why.push(obligation.clone());
                continue;
            }
            let mut fewer = kept.clone();
            let missing = fewer.remove(at);
            let condition = missing.text(self.program);
            let rest = without(wanted, &self.followed(&fewer, wanted));
            let shown = self.shown_without(&fewer, &missing, &rest);
            let open = shown.or_else(|| {
                let safe = if means == Means::All { self.proved(&fewer, &rest) } else { BTreeSet::new() };
                rest.iter().find(|at| !safe.contains(at)).copied()
            });
            match open {
                Some(needed_by) => why.push(Obligation { condition, needed_by, shown: shown.is_some() }),
                None => kept = fewer,
            }
        }
        kept.into_iter().zip(why.into_iter().rev()).collect()
    }
}
