//! Transition constraints, of steps that traces take and that are asked about one by one: where predicates are decided each by itself, or by
//! short cubes, a Boolean program has steps that no state of the C program has. Of one that a trace takes it is asked whether the values before
//! and after can be together; if not, those that suffice for that are excluded from then on (Das and Dill, *Successive approximation of
//! abstract transition relations*, LICS 2001; SLAM's Constrain: Ball, Cook, Das and Rajamani, *Refining approximations in software predicate
//! abstraction*, TACAS 2004).

use std::collections::HashMap;
use std::rc::Rc;

use crate::bitvec::{Answer, Solver, Term};
use crate::c::program::{ProcedureId, StatementId};
use crate::transition::memory::Machine;

use super::Tuning;
use super::boolean::{Conjunction, Literal};
use super::query::Named;

/// The values of variables of a Boolean program, by name.
pub type Valuation = Vec<(Rc<str>, bool)>;

/// A step of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// The statement.
    pub statement: StatementId,
    /// The values before it.
    pub before: Valuation,
    /// Those after it.
    pub after: Valuation,
}

/// The steps that are asked about, by statement. What comes of it is not kept: it depends on the predicates.
#[derive(Debug, Default)]
pub(super) struct Observed {
    at: HashMap<StatementId, Vec<Transition>>,
}

impl Observed {
    /// A step that nobody has asked about: whether it is one.
    pub fn add(&mut self, transition: Transition) -> bool {
        let known = self.at.entry(transition.statement).or_default();
        let new = !known.contains(&transition);
        if new {
            known.push(transition);
        }
        new
    }

    /// How many there are in a procedure.
    pub fn count(&self, procedure: ProcedureId) -> usize {
        self.at.iter().filter(|(statement, _)| statement.procedure == procedure).map(|(_, known)| known.len()).sum()
    }
}

/// A statement in the making.
pub(super) struct Around<'m> {
    /// None where the procedure is entered.
    pub statement: Option<StatementId>,
    /// The predicates before it.
    pub known: &'m [Named],
    /// Those that it changes, as they are after it.
    pub changed: &'m [Named],
    /// What holds at it.
    pub context: &'m [Term],
}

/// What no step through a statement has, of those that were observed there.
pub(super) fn separated(
    machine: &mut Machine<'_>,
    observed: &Observed,
    tuning: &Tuning,
    around: &Around<'_>,
) -> Vec<Conjunction> {
    let transitions = around.statement.and_then(|statement| observed.at.get(&statement)).into_iter().flatten();
    transitions.filter_map(|transition| core(machine, tuning, around, transition)).collect()
}

/// The values that cannot be together, if they cannot.
fn core(machine: &mut Machine<'_>, tuning: &Tuning, around: &Around<'_>, taken: &Transition) -> Option<Conjunction> {
    let mut parts: Vec<(Literal, Term)> = Vec::new();
    for (list, values, after) in [(around.known, &taken.before, false), (around.changed, &taken.after, true)] {
        for Named { name, term } in list {
            if let Some(&(_, value)) = values.iter().find(|(other, _)| other == name) {
                let term = if value { *term } else { machine.terms.not(*term) };
                parts.push((Literal { name: name.clone(), after, value }, term));
            }
        }
    }
    let mut facts: Vec<Term> = around.context.to_vec();
    let terms: Vec<Term> = parts.iter().map(|&(_, term)| term).chain(facts.iter().copied()).collect();
    facts.extend(machine.axioms(&terms));
    let mut solver = Solver::new(&tuning.bounds);
    let mut refuted = |parts: &[(Literal, Term)]| -> Option<Vec<usize>> {
        let conditions: Vec<Term> = facts.iter().copied().chain(parts.iter().map(|&(_, term)| term)).collect();
        match solver.check_combination(&mut machine.terms, &conditions) {
            Answer::Unsat(core) => Some(core.into_iter().filter_map(|at| at.checked_sub(facts.len())).collect()),
            Answer::Sat(_) | Answer::Unknown => None,
        }
    };
    parts = refuted(&parts)?.into_iter().map(|at| parts[at].clone()).collect();
    // What can be left out says more without it.
    let mut at = 0;
    while at < parts.len() {
        let without = [&parts[..at], &parts[at + 1..]].concat();
        match refuted(&without) {
            Some(_) => parts = without,
            None => at += 1,
        }
    }
    Some(parts.into_iter().map(|(literal, _)| literal).collect())
}
