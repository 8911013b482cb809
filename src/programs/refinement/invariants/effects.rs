//! What calls do, as far as runs have shown: a call whose arguments were met before need not be executed again, so that a recursion whose calls
//! double with each level is looked at as deep as it is. What is seen after such a call may be no run of the program: it makes candidates, of
//! which each is proved or dropped.

use std::collections::HashMap;

use crate::c::program::ProcedureId;

/// So often the same has to be seen.
const TIMES: u32 = 2;

/// The most calls of which it is kept what they do.
const CALLS: usize = 1 << 14;

/// What a call did each time that it was seen.
struct Effect {
    result: Option<i128>,
    /// By how much globals have changed.
    changes: Vec<i128>,
    times: u32,
}

/// What calls do, by their arguments; none where they do not always do the same.
#[derive(Default)]
pub(super) struct Effects {
    known: HashMap<(ProcedureId, Vec<i128>), Option<Effect>>,
    /// Calls that were not executed.
    pub answered: u64,
}

impl Effects {
    /// A call with these arguments has returned this, and globals were and are these.
    pub fn met(
        &mut self,
        (procedure, arguments): (ProcedureId, &[i128]),
        result: Option<i128>,
        (before, after): (&[i128], &[i128]),
    ) {
        let changes: Vec<i128> = after.iter().zip(before).map(|(after, before)| after - before).collect();
        let key = (procedure, arguments.to_vec());
        if self.known.len() >= CALLS && !self.known.contains_key(&key) {
            return;
        }
        let known =
            self.known.entry(key).or_insert_with(|| Some(Effect { result, changes: changes.clone(), times: 0 }));
        match known {
            Some(effect) if effect.result == result && effect.changes == changes => effect.times += 1,
            _ => *known = None,
        }
    }

    /// What a call with these arguments returns, and what globals are after it that were these, if that is known.
    pub fn of(
        &mut self,
        (procedure, arguments): (ProcedureId, &[i128]),
        before: &[i128],
    ) -> Option<(Option<i128>, Vec<i128>)> {
        let known = self.known.get(&(procedure, arguments.to_vec()))?.as_ref();
        let effect = known.filter(|effect| effect.times >= TIMES)?;
        self.answered += 1;
        Some((effect.result, before.iter().zip(&effect.changes).map(|(before, by)| before + by).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: (ProcedureId, &[i128]) = (ProcedureId(1), &[7]);

    #[test]
    fn what_was_seen_twice_is_known() {
        let mut effects = Effects::default();
        effects.met(CALL, Some(3), (&[10], &[12]));
        assert_eq!(effects.of(CALL, &[20]), None);
        effects.met(CALL, Some(3), (&[11], &[13]));
        assert_eq!(effects.of(CALL, &[20]), Some((Some(3), vec![22])));
        assert_eq!(effects.of((ProcedureId(1), &[8]), &[20]), None);
    }

    #[test]
    fn what_is_not_always_the_same_is_not_known() {
        let mut effects = Effects::default();
        for result in [1, 2, 2, 2] {
            effects.met(CALL, Some(result), (&[], &[]));
        }
        assert_eq!(effects.of(CALL, &[]), None);
    }
}
