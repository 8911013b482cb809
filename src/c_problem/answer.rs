//! What is known of a C program, told as data.

use crate::answer::{Answer, Harness, Invariant, Run};
use crate::options::Options;
use crate::question::Failures;
use crate::refinement::shown::shown;
use crate::refinement::{self, Copies, Execution, harness};
use crate::report::c_finding::{CFinding, Executed, warnings};
use crate::report::present::{Asked, PropertyKind};
use crate::source::Source;
use crate::verdict::Why;

/// Adds what shows an answer; nothing if a limit is met before.
pub(super) fn show(told: &mut Answer, answer: &refinement::Answer, sources: &[Source<'_>], options: &Options) {
    let Ok(Some(shown)) = shown(answer, sources, options) else { return };
    let program = &answer.program;
    let invariant = |one: refinement::correctness::Invariant| Invariant {
        file: program.file(one.place).to_owned(),
        line: one.place.line,
        column: one.place.column,
        procedure: program.procedure(one.procedure).name.to_string(),
        of_loop: one.of_loop,
        condition: one.condition,
    };
    told.invariants = shown.invariants.into_iter().map(invariant).collect();
    told.witness = Some(shown.witness);
}

/// What was asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Put {
    pub kind: PropertyKind,
    /// About which failures it is, if it is about some.
    pub failures: Option<Failures>,
}

/// An answer as data; runs of more statements than the limit are not listed.
pub(super) fn answer(put: Put, answer: &refinement::Answer, sources: &[Source<'_>], limit: u64) -> Answer {
    let Put { kind, failures } = put;
    let refinement::Answer { program, outcome, .. } = answer;
    let asked = Asked::new(kind, kind.name());
    let finding = CFinding {
        asked: &asked,
        verdict: &outcome.verdict,
        warnings: &[],
        trusted: &program.unverified,
        verified: None,
        shown: Executed::of(answer),
    };
    let verdict = outcome.verdict.as_ref().map(|found| Box::new(run(&finding, found, sources, limit)), Why::from);
    let name = sources.first().map_or("", |source| source.name);
    let mut told = Answer::new(verdict);
    told.warnings = warnings(answer, name, failures).iter().map(|warning| warning.text().to_owned()).collect();
    told.not_verified = program.unverified.iter().map(|one| one.text.clone()).collect();
    told.rounds = outcome.rounds;
    told.predicates.clone_from(&outcome.predicates);
    told
}

/// A run as data, with what makes the compiled program do the same.
fn run(finding: &CFinding<'_>, found: &Execution, sources: &[Source<'_>], limit: u64) -> Run {
    let told = if found.steps <= limit { finding.told(found, sources, limit).0.ok() } else { None };
    let copies = Copies::new(finding.shown.program, &found.inputs, sources);
    let text = harness(finding.shown.program, &found.inputs, &copies);
    let harness = Some(Harness { text, copies: copies.files });
    Run { harness, ..told.unwrap_or_else(|| finding.without_steps(found)) }
}
