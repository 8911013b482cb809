//! What is known of functions that are called, for who looks at the one that calls them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::c::expression::Term;
use crate::c::program::{Callee, ProcedureId, Program, StatementKind};
use crate::nullness::{self, Kind, KnownUse, PointerUse, Use};

use super::copied;
use super::summary::{self, Checked, Required, Spot, Summaries};

/// What is known of functions that are called.
pub struct Known<'a> {
    summaries: &'a Summaries,
    /// Whether there are any.
    pub is_apart: bool,
    /// What is asked in them, for who looks for runs.
    pub uses: Vec<Use>,
    /// Which of what is asked is that they are given what they demand.
    pub checks: BTreeMap<usize, &'a Required>,
    /// What control may come to in each of the functions that are given it.
    pub given: BTreeMap<usize, BTreeSet<ProcedureId>>,
    /// The procedures in which something is asked.
    pub within: BTreeSet<String>,
}

impl<'a> Known<'a> {
    /// Of those of which it is checked what they are given; runs are looked for in a program where it is not.
    pub fn new(
        (summaries, checked): (&'a Summaries, &[Checked<'a>]),
        runs: &Program,
        (within, demanded): (&BTreeSet<ProcedureId>, &summary::Demands<'a>),
        all: &[KnownUse],
        kinds: &BTreeSet<Kind>,
    ) -> Known<'a> {
        let name = |id: &ProcedureId| runs.procedure(*id).name.to_string();
        let called = called(runs, within, demanded);
        let beyond: BTreeSet<ProcedureId> =
            summary::leading_from(runs, &called).into_iter().filter(|id| !within.contains(id)).collect();
        let uses = nullness::uses(runs, &beyond, kinds).into_iter().flat_map(|known| known.uses).collect();
        // What is used there anyway fails there.
        let own: HashSet<Use> = nullness::uses(runs, within, kinds).into_iter().flat_map(|known| known.uses).collect();
        let (mut checks, mut given) = (BTreeMap::new(), BTreeMap::new());
        for (at, known) in all.iter().enumerate() {
            for one in known.uses.iter().filter(|one| !own.contains(one)) {
                let there =
                    runs.procedure(one.procedure).body.iter().flatten().filter(|other| other.place == one.place);
                let callees = there.filter_map(|statement| match statement.kind {
                    StatementKind::Call(_, Callee::Procedure(callee), _) => Some(callee),
                    _ => None,
                });
                let reached: &mut BTreeSet<ProcedureId> = given.entry(at).or_default();
                reached.extend(summary::leading_from(runs, &callees.collect()));
                let is = |check: &&Checked<'_>| {
                    check.at == (one.procedure, one.place) && one.subject == Some(Term::Expression(check.subject))
                };
                checks.extend(checked.iter().find(is).map(|check| (at, check.required)));
            }
        }
        let is_apart = !called.is_empty();
        Known { summaries, is_apart, uses, checks, given, within: within.iter().map(name).collect() }
    }

    /// Some of what is asked, and what else is demanded where one of these calls a function: runs do not say what of it is broken.
    pub fn beside(&self, all: &[KnownUse], some: &BTreeMap<usize, PointerUse>) -> BTreeSet<usize> {
        let place = |at: usize| {
            let PointerUse { file, line, column, procedure, .. } = &all[at].told;
            (file, line, column, procedure)
        };
        let calls: BTreeSet<_> = some.keys().filter(|at| self.checks.contains_key(at)).map(|at| place(*at)).collect();
        let beside = self.checks.keys().filter(|at| calls.contains(&place(**at)));
        beside.chain(some.keys()).copied().collect()
    }

    /// Of a use whether it is not known if it goes wrong where its function is looked at, and whether it does.
    pub fn open(&self, told: &PointerUse) -> (bool, bool) {
        let PointerUse { file, line, column, procedure, .. } = told;
        let summary = self.summaries.get(copied::written(procedure));
        let is = |spot: &Spot| (&spot.file, &spot.line, &spot.column) == (file, line, column);
        let among = |spots: &[Spot]| spots.iter().any(is);
        summary.map_or((false, false), |summary| (among(&summary.open), among(&summary.failing)))
    }
}

/// Functions that are known and called in some procedures.
fn called(program: &Program, within: &BTreeSet<ProcedureId>, demanded: &summary::Demands<'_>) -> BTreeSet<ProcedureId> {
    let callees = within.iter().flat_map(|id| program.procedure(*id).callees());
    callees.filter(|callee| demanded.contains_key(callee)).collect()
}
