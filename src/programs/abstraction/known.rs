//! What is known of all runs from elsewhere: it restricts what is abstracted, and no predicate has to say it again.

use std::collections::BTreeMap;

use crate::c::program::{ProcedureId, StatementId};
use crate::transition::claims::{Claim, Invariant, Where};

/// By the statement before which it holds.
#[derive(Debug, Default)]
pub(super) struct Known {
    at: BTreeMap<StatementId, Vec<Invariant>>,
}

impl Known {
    /// What is known from now on, in place of what was known before.
    pub fn of(invariants: &[Invariant]) -> Known {
        let mut known = Known::default();
        for invariant in invariants {
            if let (Where::Before(at), Claim::AtMost(..)) = (invariant.at, &invariant.then) {
                known.at.entry(at).or_default().push(invariant.clone());
            }
        }
        known
    }

    /// Before a statement.
    pub fn before(&self, statement: StatementId) -> &[Invariant] {
        self.at.get(&statement).map_or(&[], Vec::as_slice)
    }

    /// All that is known in a procedure.
    pub fn within(&self, procedure: ProcedureId) -> Vec<Invariant> {
        let all = self.at.iter().filter(|(at, _)| at.procedure == procedure);
        all.flat_map(|(_, known)| known.iter().cloned()).collect()
    }
}
