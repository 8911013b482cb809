//! What was found, as an answer for readers.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use spds_format::model::Place;

use crate::analyses::Analyses;
use crate::c::Program;
use crate::c::program::{Overflow, ProcedureId, StatementId};
use crate::interpreter::Given;
use crate::replay::Replayed;
use crate::stack::{Expression, Height, Input, Judged, Link, Range, Section, Spot, Verdict, Why, Witness};
use crate::stack_usage::Frames;

use super::bytes::called_outside;
use super::deepest::{Deepest, Endless, Opened};
use super::hands;
use super::terms::InArguments;
use super::ways::{Entered, Weights};
use super::{Bound, Options};

/// The longest part of a stack that is looked for again behind itself.
const PERIOD: usize = 8;

/// How high a stack gets of which a bound was found, or not, and the highest that was seen.
pub(super) fn height(
    (program, analyses): (&Program, &Analyses),
    options: &Options,
    found: Result<Bound, Why>,
    seen: &Deepest,
) -> Height {
    let teller = Teller { program, bytes: options.bytes.as_ref() };
    let least = BigUint::from(seen.frames.len().max(1));
    let most = found.as_ref().ok().map(Bound::frames);
    let judged = if most.as_ref() == Some(&least) {
        Judged::Run(Replayed::Full)
    } else {
        Judged::Partly(least.clone(), Replayed::Full)
    };
    let weigh = Weigh { program, analyses, bytes: options.bytes.as_ref() };
    let expression = found.as_ref().ok().and_then(|bound| weigh.expression(bound));
    let bytes = options
        .bytes
        .as_ref()
        .map(|_| Range { least: weigh.least(&seen.frames), most: found.as_ref().ok().map(|bound| weigh.most(bound)) });
    Height {
        entry: program.procedure(program.main).name.to_string(),
        verdict: found.map_or_else(Verdict::Unknown, |_| Verdict::Bounded),
        frames: Range { least, most },
        bytes,
        expression,
        limit: None,
        witness: Some(Witness {
            chain: teller.sections(&seen.frames),
            pump: Vec::new(),
            inputs: teller.inputs(seen),
            judged,
        }),
        assumed: assumed(program, analyses, options),
    }
}

/// A stack that grows for ever.
pub(super) fn unbounded(program: &Program, options: &Options, run: &Endless) -> Height {
    let teller = Teller { program, bytes: options.bytes.as_ref() };
    let witness = Witness {
        chain: teller.sections(&run.stem.frames),
        pump: teller.sections(&run.again),
        inputs: teller.inputs(&run.stem),
        judged: Judged::Run(Replayed::Full),
    };
    let open = Range { least: BigUint::from(run.stem.frames.len() + run.again.len()), most: None };
    let why = Why { sentence: String::new(), kind: "" };
    Height {
        verdict: Verdict::Unbounded,
        frames: open,
        witness: Some(witness),
        ..Height::unknown(program.procedure(program.main).name.to_string(), why)
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

/// What stacks weigh.
struct Weigh<'w> {
    program: &'w Program,
    analyses: &'w Analyses,
    bytes: Option<&'w Frames>,
}

impl Weigh<'_> {
    /// The frame of a procedure; nothing where it is not known.
    fn frame(&self, id: ProcedureId) -> BigUint {
        BigUint::from(self.bytes.and_then(|frames| frames.bytes.get(id.0 as usize)).copied().unwrap_or(0))
    }

    /// What lies on top of the frames of a procedure.
    fn top(&self, id: ProcedureId) -> BigUint {
        let outside = called_outside(self.program, self.analyses, id).into_iter().map(|id| self.frame(id));
        let beside = self.bytes.and_then(|frames| frames.beside.get(id.0 as usize)).copied().unwrap_or(0);
        outside.max().unwrap_or_default().max(BigUint::from(beside))
    }

    /// The bytes of a stack that some run has, as far as they are known: what a compiler makes of several frames is not.
    fn least(&self, frames: &[Opened]) -> BigUint {
        let plain = self.bytes.is_some_and(|frames| frames.is_plain);
        let known = if plain { frames.len() } else { 1 };
        frames.iter().take(known).map(|&(procedure, _)| self.frame(procedure)).sum()
    }

    fn call(&self, call: Entered) -> BigUint {
        self.frame(call.callee) + call.by.map(|by| self.frame(by)).unwrap_or_default()
    }

    /// The bytes of any stack.
    fn most(&self, bound: &Bound) -> BigUint {
        let tops: Vec<BigUint> = bound.procedures.iter().map(|&id| self.top(id)).collect();
        let weights = Weights { call: &|call| self.call(call), top: &|node| tops[node].clone() };
        let beyond = self.bytes.map_or(0, |frames| frames.top);
        bound.heaviest(&weights) + self.frame(self.program.main) + beyond
    }

    /// Bounds in terms of arguments.
    fn expression(&self, bound: &Bound) -> Option<Expression> {
        let terms = bound.expression.as_ref()?;
        let without = bound.without(terms.part);
        let slope = |weights: &Weights<'_>| bound.parts.all[terms.part].each(&bound.ways, weights);
        let one = Weights { call: &|_| BigUint::from(1u8), top: &|_| BigUint::ZERO };
        let frames = told(terms, &slope(&one), &without.frames());
        let bytes = self.bytes.map(|_| {
            let weights = Weights { call: &|call| self.call(call), top: &|_| BigUint::ZERO };
            told(terms, &slope(&weights), &self.most(&without))
        });
        Some(Expression { frames, bytes })
    }
}

/// So many times what can fall, and so much more, in C's syntax.
fn told(terms: &InArguments, each: &BigUint, more: &BigUint) -> String {
    let number = |number: &BigUint| i128::try_from(number.clone()).ok();
    if terms.by == 1
        && let (Some(each), Some(more)) = (number(each), number(more))
        && let Some(constant) = terms.constant.checked_mul(each).and_then(|all| all.checked_add(more))
        && let Some(parts) =
            terms.parts.iter().map(|(name, by)| Some((name, by.checked_mul(each)?))).collect::<Option<Vec<_>>>()
    {
        let sum = linear(parts.iter().map(|(name, by)| (name.as_str(), *by)), constant);
        return if terms.may_be_negative { format!("max({sum}, {more})") } else { sum };
    }
    let sum = linear(terms.parts.iter().map(|(name, by)| (name.as_str(), *by)), terms.constant);
    let sum = if terms.may_be_negative { format!("max({sum}, 0)") } else { format!("({sum})") };
    let turns = if terms.by == 1 { sum } else { format!("{sum} / {}", terms.by) };
    let all = if *each == BigUint::from(1u8) { turns } else { format!("{each} * ({turns})") };
    if *more == BigUint::ZERO { all } else { format!("{all} + {more}") }
}

/// A sum in C's syntax.
fn linear<'n>(parts: impl Iterator<Item = (&'n str, i128)>, constant: i128) -> String {
    let mut text = String::new();
    let mut add = |number: i128, name: Option<&str>| {
        let size = number.unsigned_abs();
        let what = match name {
            Some(name) if size == 1 => name.to_owned(),
            Some(name) => format!("{size} * {name}"),
            None => size.to_string(),
        };
        let sign = match (text.is_empty(), number < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        text.push_str(sign);
        text.push_str(&what);
    };
    parts.for_each(|(name, by)| add(by, Some(name)));
    if constant != 0 {
        add(constant, None);
    }
    text
}

/// Tells of stacks and inputs.
struct Teller<'t> {
    program: &'t Program,
    bytes: Option<&'t Frames>,
}

impl Teller<'_> {
    /// Frames that come again and again are told once.
    fn sections(&self, frames: &[Opened]) -> Vec<Section> {
        let mut all = Vec::new();
        let mut at = 0;
        while at < frames.len() {
            let rest = &frames[at..];
            let turns =
                |period: usize| rest.chunks_exact(period).take_while(|turn| *turn == &rest[..period]).count() * period;
            let periods = (1..=PERIOD.min(rest.len())).filter(|&period| turns(period) > period);
            let period = periods.max_by_key(|&period| (turns(period), std::cmp::Reverse(period))).unwrap_or(1);
            let length = turns(period);
            let links = rest[..period].iter().map(|&opened| self.link(opened)).collect();
            all.push(Section { links, frames: Some(BigUint::from(length)), in_order: true });
            at += length;
        }
        all
    }

    fn link(&self, (procedure, call): Opened) -> Link {
        let name = self.program.procedure(procedure).name.to_string();
        let bytes = self.bytes.and_then(|frames| frames.bytes.get(procedure.0 as usize)).map(|&bytes| bytes.into());
        let place = |id: StatementId| Some(self.spot(self.program.statement(id)?.place));
        Link { procedure: name, call: call.and_then(place), values: Vec::new(), bytes }
    }

    fn spot(&self, place: Place) -> Spot {
        let file = self.program.files.get(place.file as usize).map(|name| name.to_string()).unwrap_or_default();
        Spot { file, line: place.line, column: place.column }
    }

    fn inputs(&self, seen: &Deepest) -> Vec<Input> {
        let one = |given: &Given| Input {
            call: given.call.as_ref().map(ToString::to_string),
            at: self.spot(given.place),
            value: given.value.to_string(),
        };
        seen.inputs.iter().filter(|given| !given.is_order()).map(one).collect()
    }
}
