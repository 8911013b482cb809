//! What is known of what procedures return, and of what they were given, where they have returned.

use std::collections::{BTreeSet, HashMap};

use super::facts::Facts;
use super::range::Range;
use super::scope::Scope;
use crate::c::expression::ExpressionId;
use crate::c::program::{ProcedureId, Program, Statement, VariableId};

/// What a procedure returns.
#[derive(Clone, PartialEq, Eq)]
pub struct Returned {
    /// It is never NULL, or 0.
    pub is_there: bool,
    /// Between what it is.
    pub range: Option<Range>,
    /// Pointers that are not NULL where it is 0, and where it is not, over formals that nobody has changed, and what lives longer; none where it
    /// never is.
    pub under: [Option<BTreeSet<ExpressionId>>; 2],
}

impl Returned {
    /// Where this is returned, of what callers know.
    pub fn of(
        scope: &Scope,
        facts: &Facts,
        value: Option<ExpressionId>,
        is_told: impl Fn(ExpressionId) -> bool,
    ) -> Returned {
        let is_pointer = |e: ExpressionId| scope.program.types.pointee(scope.program.terms.get(e).ty).is_some();
        let known: BTreeSet<ExpressionId> = facts.there.iter().copied().filter(|fact| is_pointer(*fact)).collect();
        let told = |all: BTreeSet<ExpressionId>| -> BTreeSet<ExpressionId> {
            all.union(&known).copied().filter(|fact| is_told(*fact)).collect()
        };
        let Some(value) = value else {
            let all = told(BTreeSet::new());
            return Returned { is_there: true, range: None, under: [Some(all.clone()), Some(all)] };
        };
        let (is_there, is_null) = (facts.is_there(scope, value), facts.is_null(scope, value));
        let [zero, other] = facts.under(scope, value);
        let under = [zero.filter(|_| !is_there).map(told), other.filter(|_| !is_null).map(told)];
        Returned { is_there, range: facts.numbers.range(scope, value), under }
    }

    /// What holds wherever one of these is returned.
    pub fn joined(&self, other: &Returned, may_grow: bool) -> Returned {
        let range = self.range.zip(other.range).map(|(old, new)| old.joined(new));
        let both = |at: usize| match (&self.under[at], &other.under[at]) {
            (Some(one), Some(other)) => Some(one.intersection(other).copied().collect()),
            (one, None) => one.clone(),
            (None, other) => other.clone(),
        };
        Returned {
            is_there: self.is_there && other.is_there,
            range: range.filter(|range| may_grow || self.range == Some(*range)),
            under: [both(0), both(1)],
        }
    }

    /// What holds whatever is returned.
    pub fn anyway(&self) -> BTreeSet<ExpressionId> {
        match &self.under {
            [Some(zero), Some(other)] => zero.intersection(other).copied().collect(),
            [Some(all), None] | [None, Some(all)] => all.clone(),
            [None, None] => BTreeSet::new(),
        }
    }
}

/// The formals of each procedure that stay what they were when it was called.
pub fn unchanged(
    program: &Program,
    bodies: &HashMap<ProcedureId, &[Statement]>,
) -> HashMap<ProcedureId, BTreeSet<VariableId>> {
    let of = |(id, body): (&ProcedureId, &&[Statement])| {
        let targets = body.iter().filter_map(|statement| statement.kind.target());
        let written: BTreeSet<VariableId> = targets.filter_map(|to| program.terms.variable_of(to)).collect();
        let is_same = |id: &VariableId| !written.contains(id) && !program.variable(*id).address_taken;
        (*id, program.procedure(*id).formals.iter().copied().filter(is_same).collect())
    };
    bodies.iter().map(of).collect()
}
