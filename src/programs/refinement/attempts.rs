//! What is tried beside the rounds of refinement, where nothing is abstracted: runs that are drawn and executed, and invariants that are proved
//! along basic paths.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::analyses::{Analysed, Analyses};
use crate::c::Program;
use crate::c::inline::{InPlace, Most, in_place_of, inlined};
use crate::c::program::{ProcedureId, StatementId, StatementKind};
use crate::interpreter::{self, Begun, End, Inputs};

use super::invariants::{Attempt, Effort, Excluded, Reach, Search, Several, excluded, excluded_each};
use super::judge::{constants, simple};
use super::rounds::{Asker, Excluding, Goal, Loop};
use super::{Outcome, Proof, Shown, Unproved, Verdict};

/// Steps of each simple run.
const SIMPLE_RUN_STEPS: u64 = 4_000;

/// So hard it is tried without an abstraction, soon: after so many rounds, or after one where there are loops.
pub(super) const SOON: (usize, Effort) = (2, Effort { runs: 80, work: 600, reach: Reach::Near });

/// After so many rounds that lead to nobody knows what ([`Loop::astray`]) it is tried so hard.
const TRIED: [(usize, Effort); 3] = [
    (3, Effort { runs: 100, work: 1_600, reach: Reach::Cells }),
    (6, Effort { runs: 200, work: 3_000, reach: Reach::Cells }),
    (10, Effort { runs: 300, work: 5_000, reach: Reach::Cells }),
];

/// So many rounds that learn nothing but conditions of the program, and comparisons with its constants, count for one of the others: there are
/// finitely many of those.
const CONDITIONS: usize = 8;

/// After so many of these rounds the same is tried with calls in place.
const IN_PLACE: (usize, Effort) = (8, Effort { runs: 200, work: 3_000, reach: Reach::Cells });

/// Which calls, in statements.
const SMALL: Most = Most { small: 80, large: 800 };

/// After so many rounds runs are drawn: how many, and the most steps of each and of all.
const DRAWN: [(usize, u64, u64, u64); 2] = [(1, 200, 2_000, 20_000), (3, 400, 10_000, 40_000)];

/// The same once checks have taken so many nodes: then it costs little beside them.
const DRAWN_BESIDE: (u64, u64, u64, u64) = (50_000, 1_000, 60_000, 1_000_000);

/// The same after so many rounds that lead to nobody knows what.
const DRAWN_LONG: (usize, u64, u64, u64) = (20, 60, 8_000_000, 8_000_000);

/// After so many of these rounds runs are executed with one number for all inputs: the most steps of each and of all.
const STEADY: [(usize, u64, u64); 2] = [(7, 500_000, 1_000_000), (12, 6_000_000, 8_000_000)];

impl Loop<'_> {
    /// How many rounds lead to nobody knows what.
    fn astray(&self) -> usize {
        self.strange + (self.refining.count - self.strange) / CONDITIONS
    }

    /// What attempts that are due after a round say: runs, and then proofs.
    pub fn attempted(&mut self, asker: &mut dyn Asker) -> Option<Outcome> {
        let astray = self.astray();
        let due = std::mem::replace(&mut self.due, astray + 1)..=astray;
        self.drawn(asker, &due);
        if self.open.is_empty() { None } else { self.tried(asker, &due) }
    }

    /// What attempts without an abstraction say that are due after a round.
    fn tried(&mut self, asker: &mut dyn Asker, due: &RangeInclusive<usize>) -> Option<Outcome> {
        let soon = if self.has_loops() { 1 } else { SOON.0 };
        if self.refining.count == soon
            && !matches!(self.goal, Goal::Decreases)
            && let Some(outcome) = self.excluded(asker, SOON.1)
        {
            return Some(outcome);
        }
        let tried = TRIED.iter().find(|(after, _)| due.contains(after));
        let tried = tried.and_then(|&(_, effort)| self.excluded(asker, effort));
        if tried.is_some() || self.open.is_empty() {
            return tried;
        }
        due.contains(&IN_PLACE.0).then(|| self.in_place(IN_PLACE.1)).flatten()
    }

    /// What attempts say that were not due before nothing more was learnt.
    pub fn at_last(&mut self, asker: &mut dyn Asker) -> Option<Outcome> {
        let &(after, effort) = TRIED.last()?;
        let again = (self.astray() < after).then(|| self.excluded(asker, effort)).flatten();
        if again.is_some() || self.open.is_empty() {
            return again;
        }
        (self.astray() < IN_PLACE.0).then(|| self.in_place(IN_PLACE.1)).flatten()
    }

    fn search<'s>(&'s self, of: Analysed<'s>, effort: Effort) -> Search<'s> {
        Search { of, overflow: self.options.overflow, bounds: &self.options.tuning.bounds, effort }
    }

    /// That nothing fails, by invariants that are proved along basic paths: nothing is abstracted. Or a run that fails, which was seen on the way.
    /// What was proved on the way restricts the abstractions to come.
    fn excluded(&mut self, asker: &mut dyn Asker, effort: Effort) -> Option<Outcome> {
        if let Goal::Repeats(marks) = self.goal {
            // What is looked for is no failure.
            let known = (marks.known)(effort);
            if !known.is_empty() {
                self.refining.reuse.know(&known);
            }
            return None;
        }
        let analyses = self.refining.reuse.shared();
        let attempt = excluded(&self.search(Analysed::of(self.program, &analyses), effort), self.options.check.limits);
        let Excluded { implications, undefined, invariants, source } = match attempt {
            Attempt::Excluded(excluded) => excluded,
            Attempt::Fails(inputs, steps) => {
                self.ran(asker, inputs, steps + 1);
                return None;
            }
            Attempt::Open(known) => {
                if !known.is_empty() {
                    self.refining.reuse.know(&known);
                }
                return None;
            }
        };
        let proof = Proof::Again(implications);
        let invariants = Some(Shown { invariants, source });
        Some(Outcome { rounds: self.refining.count, undefined, proof, invariants, ..Outcome::at_once(Verdict::Holds) })
    }

    /// The same of the program in which calls of small procedures are made in place: then their paths are paths of the callers, and nothing has to
    /// be known of what they return and write.
    fn in_place(&self, effort: Effort) -> Option<Outcome> {
        if !matches!(self.goal, Goal::Fails) {
            return None;
        }
        let program = inlined(self.program, SMALL)?;
        let analyses = Analyses::of(&program);
        let attempt = excluded(&self.search(Analysed::of(&program, &analyses), effort), self.options.check.limits);
        let Attempt::Excluded(Excluded { undefined, .. }) = attempt else { return None };
        let proof = Proof::Once(Unproved::InPlace);
        Some(Outcome { rounds: self.refining.count, undefined, proof, ..Outcome::at_once(Verdict::Holds) })
    }

    /// How runs of so many steps are executed.
    fn running(&self, steps: u64) -> interpreter::Options {
        interpreter::Options::of(self.options.overflow, steps).within(self.options.check.limits)
    }

    /// The judge looks at a run that fails.
    fn ran(&mut self, asker: &mut dyn Asker, inputs: Inputs, most: u64) {
        if let Ok(there) = asker.ran(inputs, most) {
            self.open.remove(&there);
        }
    }

    /// Runs with simple inputs: it costs little to look at them before anything is computed.
    pub fn looked(&mut self, asker: &mut dyn Asker) {
        for inputs in simple(self.program) {
            if self.open.is_empty() || self.options.check.limits.met().is_some() {
                break;
            }
            self.ran(asker, inputs, SIMPLE_RUN_STEPS);
        }
    }

    /// A run with drawn inputs that fails: where rounds do not decide it soon, it may be a deep one.
    fn drawn(&mut self, asker: &mut dyn Asker, due: &RangeInclusive<usize>) {
        if !matches!(self.goal, Goal::Fails) {
            return;
        }
        let (count, numbers) = (self.refining.count, constants(self.program));
        let long = due.contains(&DRAWN_LONG.0).then_some(DRAWN_LONG);
        let short = DRAWN.into_iter().find(|(after, ..)| *after == count);
        let drawn = short.or(long).map(|(_, runs, most, all)| (runs, most, all)).or_else(|| self.drawn_beside());
        if let Some((runs, most, all)) = drawn {
            let numbers = numbers.into();
            return self.found(asker, (1..=runs).map(|seed| Inputs::near(&numbers, seed)), (most, all));
        }
        if let Some(&(_, most, all)) = STEADY.iter().find(|(after, ..)| due.contains(after)) {
            self.found(asker, [1, -1].into_iter().chain(numbers).map(Inputs::steady), (most, all));
        }
    }

    /// How many runs are drawn, once, beside checks that are large.
    fn drawn_beside(&mut self) -> Option<(u64, u64, u64)> {
        let (nodes, runs, most, all) = DRAWN_BESIDE;
        self.worked.take_if(|worked| *worked >= nodes).map(|_| (runs, most, all))
    }

    /// Executes runs, of so many steps each and together, until nothing is open; of one question the first that fails is enough.
    fn found(&mut self, asker: &mut dyn Asker, runs: impl Iterator<Item = Inputs>, (most, mut left): (u64, u64)) {
        let begun = Begun::of(self.program);
        for inputs in runs {
            let run = begun.execute(&self.running(most.min(left)), inputs.clone(), &mut |_| {});
            left = left.saturating_sub(run.steps);
            if matches!(run.end, End::Failed(_) | End::Wrong(_)) {
                self.ran(asker, inputs, run.steps + 1);
                if !matches!(self.goal, Goal::Each(_)) {
                    break;
                }
            }
            if left == 0 || self.open.is_empty() || self.options.check.limits.met().is_some() {
                break;
            }
        }
    }
}

/// The same of questions about several statements: each is answered by itself.
impl Loop<'_> {
    /// Long runs for what rounds have left open.
    pub fn drawn_for_each(&mut self, asker: &mut dyn Asker) {
        let numbers = constants(self.program);
        let near: std::sync::Arc<[i128]> = numbers.clone().into();
        for (_, runs, most, all) in [DRAWN[1], DRAWN_LONG] {
            self.found(asker, (1..=runs).map(|seed| Inputs::near(&near, seed)), (most, all));
        }
        if let Some(&(_, most, all)) = STEADY.last() {
            self.found(asker, [1, -1].into_iter().chain(numbers).map(Inputs::steady), (most, all));
        }
    }

    /// Invariants exclude what they can of what is open; whether there are some that restrict the abstractions to come.
    pub fn excluded_each(&mut self, asker: &mut dyn Asker, effort: Effort) -> bool {
        let Goal::Each(statements) = self.goal else { return false };
        let analyses = self.refining.reuse.shared();
        let failures = self.open.keys().map(|&at| statements[at]).collect();
        let search = self.search(Analysed::of(self.program, &analyses), effort);
        let Several { excluded, known, failing } = excluded_each(&search, &failures, self.options.check.limits);
        self.exclude(asker, &excluded);
        if let Some((inputs, steps)) = failing {
            self.ran(asker, inputs, steps + 1);
        }
        let restricts = !known.is_empty();
        if restricts {
            self.refining.reuse.know(&known);
            self.invariants = known;
        }
        restricts
    }

    /// The strongest attempts for what everything else has left open.
    pub fn at_last_for_each(&mut self, asker: &mut dyn Asker) -> bool {
        let restricts = TRIED.last().is_some_and(|&(_, effort)| self.excluded_each(asker, effort));
        if !self.open.is_empty() && self.stopped().is_none() {
            self.in_place_for_each(asker, IN_PLACE.1);
        }
        restricts
    }

    /// The same of the program in which calls of small procedures are made in place: a statement is excluded if all its copies are.
    fn in_place_for_each(&mut self, asker: &mut dyn Asker, effort: Effort) {
        let Goal::Each(statements) = self.goal else { return };
        let InPlace { program, origins, changed } = in_place_of(self.program, SMALL);
        if !changed {
            return;
        }
        let open: BTreeSet<StatementId> = self.open.keys().map(|&at| statements[at]).collect();
        let Some(copies) = copies(&program, &origins, &open) else { return };
        let analyses = Analyses::of(&program);
        let search = self.search(Analysed::of(&program, &analyses), effort);
        let failures = copies.iter().map(|&(copy, _)| copy).collect();
        let excluded = excluded_each(&search, &failures, self.options.check.limits).excluded;
        let left: BTreeSet<StatementId> =
            copies.iter().filter(|(copy, _)| !excluded.contains(copy)).map(|&(_, of)| of).collect();
        self.exclude(asker, &open.difference(&left).copied().collect());
    }

    fn exclude(&mut self, asker: &mut dyn Asker, excluded: &BTreeSet<StatementId>) {
        let Goal::Each(statements) = self.goal else { return };
        let which: Vec<usize> = self.still().into_iter().filter(|&at| excluded.contains(&statements[at])).collect();
        which.iter().for_each(|at| drop(self.open.remove(at)));
        asker.excluded(&which, &Excluding::Invariants);
    }
}

/// The copies of some statements that fail, and of which each is one; none if it is not known of all failures where they come from.
fn copies(
    program: &Program,
    origins: &[Vec<Option<StatementId>>],
    of: &BTreeSet<StatementId>,
) -> Option<Vec<(StatementId, StatementId)>> {
    let mut copies = Vec::new();
    for (procedure, (origins, made)) in (0..).map(ProcedureId).zip(origins.iter().zip(&program.procedures)) {
        for (label, statement) in (0..).zip(made.body.iter().flatten()) {
            if matches!(statement.kind, StatementKind::Fail(_)) {
                let origin = (*origins.get(label as usize)?)?;
                let copy = StatementId { procedure, label: crate::c::program::Label(label) };
                copies.extend(of.contains(&origin).then_some((copy, origin)));
            }
        }
    }
    Some(copies)
}
