//! What is known of a C program, as data.

use serde::Serialize;

use crate::options::Options;
use crate::question::Failures;
use crate::refinement::shown::shown;
use crate::refinement::witness_file::{self, Metadata};
use crate::refinement::{self, Copies, Execution, Onward, harness};
use crate::report::c_finding::{Finding, warnings};
use crate::report::c_run::Length;
use crate::report::present::{Asked, PropertyKind};
use crate::run::{Input, Recurrent};
use crate::source::Source;
use crate::verdict::{self, Why};

/// What is known of one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// What should be known about it: that nothing was asked, where runs may do what is undefined.
    pub warnings: Vec<String>,
    /// What it takes on trust.
    pub not_verified: Vec<String>,
    /// How many abstractions were checked.
    pub rounds: usize,
    /// The predicates of the last one, as [`super::Problem::predicates`] reads them.
    pub predicates: String,
    /// If that was wanted ([`super::Options::evidence`]): what holds where loops turn and where functions begin, whenever a run comes there.
    pub invariants: Vec<Invariant>,
    /// If that was wanted and there is one: what other tools need to confirm the verdict.
    pub witness: Option<Witness>,
}

/// What holds at a place whenever a run comes there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Invariant {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The function.
    pub function: String,
    /// Whether the place is a loop, before each of its turns; else it is the beginning of the function.
    pub of_loop: bool,
    /// A condition in C.
    pub condition: String,
}

/// A witness in the format 2.0 of competitions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Witness {
    /// The type of its entry: `violation_sequence` or `invariant_set`.
    pub kind: &'static str,
    /// Its content, as lines of YAML.
    pub content: String,
}

impl Witness {
    /// The file, with what it says of itself.
    pub fn text(&self, metadata: &Metadata) -> String {
        witness_file::Witness { kind: self.kind, content: self.content.clone() }.text(metadata)
    }
}

impl Answer {
    /// Adds what shows it; nothing if a limit is met before.
    pub(super) fn show(&mut self, answer: &refinement::Answer, sources: &[Source<'_>], options: &Options) {
        let Ok(Some(shown)) = shown(answer, sources, options) else { return };
        let program = &answer.program;
        let invariant = |one: refinement::correctness::Invariant| Invariant {
            file: program.file(one.place).to_owned(),
            line: one.place.line,
            column: one.place.column,
            function: program.procedure(one.procedure).name.to_string(),
            of_loop: one.of_loop,
            condition: one.condition,
        };
        self.invariants = shown.invariants.into_iter().map(invariant).collect();
        let witness_file::Witness { kind, content } = shown.witness;
        self.witness = Some(Witness { kind, content });
    }
}

/// The verdict. Runs that are shown were executed.
pub type Verdict = verdict::Verdict<Box<Run>, Why>;

/// A run of the program that was executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    /// The arbitrary values for which it asks, in order.
    pub inputs: Vec<Input>,
    /// Its statements, in order; none if they are more than the options allow ([`crate::options::Options::trace_steps`]).
    pub steps: Vec<Step>,
    /// Of a run that goes on for ever: the first of the steps that are repeated.
    pub cycle: Option<usize>,
    /// Of one that goes on for ever and never comes back to a state: how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurrent: Option<Recurrent>,
    /// How many statements of the intermediate language were executed.
    pub length: u64,
    /// The functions and variables that the program does not define, in C: with them it does the same when it is compiled.
    pub harness: String,
    /// The names of files in which locals need values that nobody assigns, and what is to be compiled in place of these files.
    pub copies: Vec<(String, String)>,
}

/// A statement of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The function.
    pub function: String,
    /// How many frames are below.
    pub depth: u64,
    /// Its text, with the values that it assigned.
    pub text: String,
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
    let refinement::Answer { program, overflow, outcome } = answer;
    let asked = Asked::new(kind, kind.name());
    let finding = Finding {
        verified: None,
        program,
        asked: &asked,
        overflow: *overflow,
        verdict: &outcome.verdict,
        warnings: &[],
        proof: &outcome.proof,
    };
    let verdict = outcome.verdict.as_ref().map(|found| Box::new(run(&finding, found, sources, limit)), Why::from);
    let name = sources.first().map_or("", |source| source.name);
    Answer {
        verdict,
        warnings: warnings(answer, name, failures).iter().map(|warning| warning.text().to_owned()).collect(),
        not_verified: program.unverified.iter().map(|one| one.text.clone()).collect(),
        rounds: outcome.rounds,
        predicates: outcome.predicates.clone(),
        invariants: Vec::new(),
        witness: None,
    }
}

fn run(finding: &Finding<'_>, found: &Execution, sources: &[Source<'_>], limit: u64) -> Run {
    let program = finding.program;
    let Execution { inputs, steps: length, onward } = found;
    let length = *length;
    let (recorder, _) = finding.ran(found, if length <= limit { Length::All } else { Length::Ends });
    let shown = length <= limit;
    let steps = recorder.events(sources).filter(|_| shown).map(|event| Step {
        file: program.file(event.place).to_owned(),
        line: event.place.line,
        function: program.procedure(event.procedure).name.to_string(),
        depth: event.depth,
        text: event.text,
    });
    let own = inputs.iter().filter(|input| input.is_told()).map(|input| input.told(program));
    let cycle = recorder.cycle().filter(|_| shown).and_then(|at| usize::try_from(at).ok());
    let copies = Copies::new(program, inputs, sources);
    let harness = harness(program, inputs, &copies);
    let recurrent = match onward {
        Onward::Recurs(states) => Some(states.told(program)),
        _ => None,
    };
    Run { inputs: own.collect(), steps: steps.collect(), cycle, recurrent, length, harness, copies: copies.files }
}
