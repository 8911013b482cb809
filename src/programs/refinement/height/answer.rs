//! What was found, as an answer for readers.

use std::collections::BTreeSet;

use num_bigint::BigUint;

use crate::analyses::Analyses;
use crate::c::Program;
use crate::c::program::{Overflow, ProcedureId};
use crate::replay::Replayed;
use crate::stack::{Height, Judged, Range, Verdict, Why, Witness};

use super::super::judge::input;
use super::bytes::called_outside;
use super::callers::Callers;
use super::deepest::{Endless, Highest, Opened};
use super::explained::Explaining;
use super::scales::Scales;
use super::teller::Teller;
use super::weigh::Weigh;
use super::{Bound, Known, Open, Options, hands};

/// So many turns of a run that calls for ever get inputs.
const TURNS: usize = 10_000;

/// Who answers.
pub(super) struct Answering<'a> {
    pub program: &'a Program,
    pub analyses: &'a Analyses,
    pub options: &'a Options,
}

impl Answering<'_> {
    fn weigh(&self) -> Weigh<'_> {
        Weigh { program: self.program, analyses: self.analyses, bytes: self.options.bytes.as_ref() }
    }

    fn teller(&self) -> Teller<'_> {
        Teller { program: self.program, bytes: self.options.bytes.as_ref() }
    }

    /// What frames of runs weigh, if bytes are asked for.
    pub fn scales(&self) -> Option<Scales<'_>> {
        self.options.bytes.as_ref().map(|frames| Scales { program: self.program, frames })
    }

    /// No stack has more frames, or more bytes.
    pub fn most(&self, bound: &Bound) -> (BigUint, Option<BigUint>) {
        (bound.frames(), self.options.bytes.as_ref().map(|_| self.weigh().most(bound)))
    }

    /// How high a stack gets of which a bound was found, or not, and the highest that was seen.
    pub fn height(&self, found: Result<Bound, Open>, seen: &Highest) -> Known {
        let (program, weigh) = (self.program, self.weigh());
        let least = BigUint::from(seen.frames.max(1));
        let (most, most_bytes) = found.as_ref().ok().map(|bound| self.most(bound)).unzip();
        let shown = BigUint::from(seen.shown.frames.len());
        let judged = if most.as_ref() == Some(&shown) {
            Judged::Run(Replayed::Full)
        } else {
            Judged::Partly(shown, Replayed::Full)
        };
        let expression = found.as_ref().ok().and_then(|bound| weigh.expression(bound));
        let bytes =
            self.options.bytes.as_ref().map(|_| Range { least: BigUint::from(seen.bytes), most: most_bytes.flatten() });
        let callers = Callers { program, analyses: self.analyses, bytes: self.options.bytes.as_ref() };
        let calls = callers.of(found.as_ref().ok(), &seen.shown.frames);
        let explanation = Explaining { program, weigh: &weigh, teller: &self.teller() }.sentences(&found, seen);
        let height = Height {
            entry: program.procedure(program.main).name.to_string(),
            verdict: found.map_or_else(|open| Verdict::Unknown(open.why), |_| Verdict::Bounded),
            frames: Range { least, most },
            bytes,
            expression,
            limit: None,
            witness: Some(Witness {
                chain: self.teller().sections(&seen.shown.frames),
                pump: Vec::new(),
                inputs: self.teller().inputs(&seen.shown),
                judged,
            }),
            assumed: assumed(program, self.analyses, self.options),
            explanation,
        };
        Known { height, calls, inputs: seen.shown.inputs.iter().map(input).collect() }
    }

    /// A stack that grows for ever.
    pub fn unbounded(&self, run: &Endless) -> Known {
        let teller = self.teller();
        let witness = Witness {
            chain: teller.sections(&run.stem.frames),
            pump: teller.sections(&run.again),
            inputs: teller.inputs(&run.stem),
            judged: Judged::Run(Replayed::Full),
        };
        let frames: Vec<Opened> = run.stem.frames.iter().chain(&run.again).copied().collect();
        let open = Range { least: BigUint::from(frames.len()), most: None };
        let why = Why { sentence: String::new(), kind: "" };
        let explanation = vec![
            format!(
                "a run was executed that comes into the state in which it was {} frames deep once more when it is {} frames deep, and nothing \
                 that was called in between has returned: what it did between them it does again and again",
                run.stem.frames.len(),
                frames.len()
            ),
            format!("what is called again and again: {}", teller.names(&run.again)),
        ];
        let height = Height {
            verdict: Verdict::Unbounded,
            frames: open,
            witness: Some(witness),
            explanation,
            ..Height::unknown(self.program.procedure(self.program.main).name.to_string(), why)
        };
        let callers = Callers { program: self.program, analyses: self.analyses, bytes: self.options.bytes.as_ref() };
        let (stem, turn) = run.stem.inputs.split_at(run.before.min(run.stem.inputs.len()));
        let turns = std::iter::repeat_n(turn, TURNS).flatten();
        Known { height, calls: callers.of(None, &frames), inputs: stem.iter().chain(turns).map(input).collect() }
    }
}

/// What the answer takes on trust.
fn assumed(program: &Program, analyses: &Analyses, options: &Options) -> Vec<String> {
    let mut all: Vec<String> = program.unverified.iter().map(|one| one.text.clone()).collect();
    if options.overflow == Overflow::Assume {
        all.push("no signed arithmetic leaves its type".to_owned());
    }
    let names: Vec<String> =
        foreign(program, analyses).into_iter().map(|id| format!("`{}`", program.procedure(id).name)).collect();
    if calls_back(program, analyses) {
        all.push("procedures without a body call what they are given before they return, and not later".to_owned());
    }
    if let Some(bytes) = &options.bytes {
        all.extend(bytes.assumed.iter().cloned());
    } else if !names.is_empty() {
        all.push(format!("frames of procedures without a body are not counted: {}", names.join(", ")));
    }
    all
}

/// Whether some procedure without a body may call back.
fn calls_back(program: &Program, analyses: &Analyses) -> bool {
    let reached = (0..program.procedures.len() as u32).map(ProcedureId).filter(|&id| analyses.is_reached(id));
    let mut statements = reached.flat_map(|id| program.procedure(id).body.iter().flatten());
    statements.any(|statement| {
        let called = || analyses.points_to().called(program, &statement.kind);
        hands(program, &statement.kind).is_some()
            && called().into_iter().any(|callee| program.procedure(callee).body.is_some())
    })
}

/// The procedures without a body that may be called.
pub(super) fn foreign(program: &Program, analyses: &Analyses) -> BTreeSet<ProcedureId> {
    let reached = (0..program.procedures.len() as u32).map(ProcedureId).filter(|&id| analyses.is_reached(id));
    reached.flat_map(|id| called_outside(program, analyses, id)).collect()
}
