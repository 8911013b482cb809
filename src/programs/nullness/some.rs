//! Some of the uses, in whatever is made of a program: for who asks about them again and again.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use crate::answer::Verdict;
use crate::c::Program;
use crate::c::expression::Term;
use crate::c::program::{ProcedureId, StatementId};
use crate::question::uses::{Asked, Check, Instrumented, Use, instrument};
use crate::refinement::several::Open;
use crate::refinement::{Input, Reason, constants};
use crate::verdict::Why;

use super::flow::unreached;
use super::{Each, Finding, Grounds, Kind, Options, PointerUse, confirm, program_text, rank, statements};

/// What readers are told of as one use: the same pointer at the same place.
#[derive(Clone, Debug)]
pub struct KnownUse {
    /// What it consists of.
    pub uses: Vec<Use>,
    /// What is known.
    pub told: PointerUse,
    /// If a run was executed: what it was given, one after the other.
    pub given: Vec<Input>,
}

/// The same as [`super::analyse`], for who asks about them again in another program: what is seen by following control is not looked at once more.
pub fn analysed(program: &Program, options: &Options) -> Vec<KnownUse> {
    let instrumented = instrument(program, options.asked());
    let unreached = unreached_under(&instrumented, options);
    let open = |check: &&Check| !unreached.contains(&check.fails());
    let rest: HashSet<Use> = instrumented.checks.iter().filter(open).map(Check::used).collect();
    let mut others: HashMap<Use, VecDeque<Finding>> = HashMap::new();
    if !rest.is_empty() {
        let options = Options { asked: Some(Arc::new(rest)), ..options.clone() };
        let instrumented = instrument(program, options.asked());
        for (check, found) in instrumented.checks.iter().zip(searched(&instrumented, &options)) {
            others.entry(check.used()).or_default().push_back(found);
        }
    }
    let found = instrumented.checks.iter().map(|check| match others.get_mut(&check.used()) {
        Some(found) => found.pop_front().unwrap_or(Finding::Open(Open { why: Reason::OtherRun, points: Vec::new() })),
        None => Finding::Safe(seen(program, check)),
    });
    let found = found.collect();
    known(program, &instrumented, found)
}

/// The same for who has followed control before.
pub fn proved(program: &Program, options: &Options) -> Vec<KnownUse> {
    let instrumented = instrument(program, options.asked());
    let found = searched(&instrumented, options);
    known(program, &instrumented, found)
}

/// The uses that are seen to be safe by following control; of the others nothing is known.
pub fn followed(program: &Program, options: &Options) -> Vec<KnownUse> {
    let instrumented = instrument(program, options.asked());
    let unreached = unreached_under(&instrumented, options);
    let found = instrumented.checks.iter().map(|check| match unreached.contains(&check.fails()) {
        true => Finding::Safe(seen(program, check)),
        false => Finding::Open(Open { why: Reason::OtherRun, points: Vec::new() }),
    });
    let found = found.collect();
    known(program, &instrumented, found)
}

/// Where no run fails, as is seen by following control.
fn unreached_under(instrumented: &Instrumented, options: &Options) -> BTreeSet<StatementId> {
    let stop = || options.check.limits.met().is_some();
    unreached(&instrumented.program, &statements(instrumented), options.granted, &stop)
}

/// Why no run fails there, if that is seen by following control.
fn seen(program: &Program, check: &Check) -> Grounds {
    match (check.kind, check.subject) {
        (Kind::Null, Some(Term::Expression(pointer))) => Grounds::NotNull(program.expression_text(pointer)),
        _ => Grounds::NeverReached,
    }
}

/// What predicates tell of uses.
fn searched(instrumented: &Instrumented, options: &Options) -> Vec<Finding> {
    let (statements, effort) = (statements(instrumented), options.effort());
    let mut each = Each::of(instrumented, &statements, &effort, options);
    each.ask();
    each.persist();
    if each.excludes() {
        options.candidates.add(&each.questions.predicates());
    }
    let told = each.found().into_iter().map(|found| match found {
        // Points of another program.
        Finding::Open(open) => Finding::Open(Open { points: Vec::new(), ..open }),
        other => other,
    });
    told.collect()
}

/// The uses in some procedures that can go wrong in one of these ways, of which nothing is known yet.
pub fn uses(program: &Program, within: &BTreeSet<ProcedureId>, kinds: &BTreeSet<Kind>) -> Vec<KnownUse> {
    let mut instrumented = instrument(program, Asked { kinds, uses: None, malloc: None });
    instrumented.checks.retain(|check| within.contains(&check.procedure));
    let open = |_: &Check| Finding::Open(Open { why: Reason::OtherRun, points: Vec::new() });
    let found = instrumented.checks.iter().map(open).collect();
    known(program, &instrumented, found)
}

/// Which uses fail in runs with simple inputs, or with some near the numbers that the program compares with and these, with such a run, most
/// of whose inputs that do not matter are 0; the others are unknown.
pub fn tried(program: &Program, numbers: &[i128], options: &Options) -> Vec<KnownUse> {
    let instrumented = instrument(program, options.asked());
    let numbers: Arc<[i128]> = numbers.iter().copied().chain(constants(program)).collect();
    let found = confirm::tried_with(&instrumented, &numbers, options);
    let open = || Finding::Open(Open { why: Reason::OtherRun, points: Vec::new() });
    let found = found.into_iter().map(|failed| failed.map_or_else(open, |failed| Finding::Fails(Box::new(failed))));
    known(program, &instrumented, found.collect())
}

/// One verdict for each pointer at each place: several questions about it are one for the reader, who is told which they are.
pub(super) fn known(program: &Program, instrumented: &Instrumented, found: Vec<Finding>) -> Vec<KnownUse> {
    let mut all: Vec<KnownUse> = Vec::new();
    for (check, finding) in instrumented.checks.iter().zip(found) {
        let mut given = Vec::new();
        let (verdict, grounds, abstract_run) = match finding {
            Finding::Fails(failed) => {
                given.extend(failed.execution.inputs.iter().cloned());
                (Verdict::Violated(Box::new(failed.run)), Grounds::Executed, None)
            }
            Finding::Safe(grounds) => (Verdict::Holds, grounds, None),
            Finding::Open(Open { why: reason, points }) => {
                let on_abstraction = !points.is_empty();
                let run = on_abstraction.then(|| confirm::abstract_run(instrumented, &points));
                let grounds = Grounds::Open { reason, on_abstraction };
                let kind = grounds.kind().unwrap_or_default();
                (Verdict::Unknown(Why { sentence: grounds.told(check.kind), kind }), grounds, run)
            }
        };
        let told = PointerUse {
            file: program.file(check.place).to_owned(),
            line: check.place.line,
            column: check.place.column,
            procedure: program.procedure(check.procedure).name.to_string(),
            kind: check.kind,
            pointer: program_text(instrumented, check),
            verdict,
            grounds,
            abstract_run,
        };
        let place = |of: &PointerUse| (of.line, of.column);
        let same = |KnownUse { told: other, .. }: &&mut KnownUse| {
            place(other) == place(&told)
                && (&other.file, &other.pointer, &other.procedure, other.kind)
                    == (&told.file, &told.pointer, &told.procedure, told.kind)
        };
        match all.iter_mut().find(same) {
            Some(other) => {
                other.uses.push(check.used());
                if rank(&other.told.verdict) < rank(&told.verdict) {
                    (other.told, other.given) = (told, given);
                }
            }
            None => all.push(KnownUse { uses: vec![check.used()], told, given }),
        }
    }
    all
}
