//! Why a bound is what it is, in sentences: what falls from call to call, between which ends and where those come from, and which frames are
//! added; or what was missing.

use std::collections::BTreeSet;

use num_bigint::BigUint;

use crate::c::Program;
use crate::c::program::ProcedureId;
use crate::stack_usage::Compilation;

use super::super::invariants::edge::Half;
use super::deepest::Highest;
use super::teller::Teller;
use super::ways::{Entered, Falls, Parts, Piece, Weights};
use super::weigh::{Weigh, linear};
use super::{Bound, Open};

/// Who explains.
pub(super) struct Explaining<'e> {
    pub program: &'e Program,
    pub weigh: &'e Weigh<'e>,
    pub teller: &'e Teller<'e>,
}

impl Explaining<'_> {
    /// What was found, or not, and what was seen.
    pub fn sentences(&self, found: &Result<Bound, Open>, seen: &Highest) -> Vec<String> {
        let mut all = Vec::new();
        match found {
            Ok(bound) => {
                if bound.parts.all.iter().all(|part| part.falls.is_none()) {
                    all.push(
                        "no call that can be made comes back to its own procedure: what counts is the longest path"
                            .to_owned(),
                    );
                }
                self.parts(bound, &bound.parts, 0, &mut all);
                self.pieces(bound, &mut all);
            }
            Err(open) => {
                for &(from, call) in &open.calls {
                    all.push(format!("missing: something that falls with {}", self.call(from, call)));
                }
                all.push(
                    "looked for were linear functions of the integers that have a name where procedures begin, one after the other: none may rise \
                     on a way between these calls, and one has to fall on each of them"
                        .to_owned(),
                );
            }
        }
        all.push(self.seen(seen));
        all
    }

    /// What falls in parts, those first that are entered first.
    fn parts(&self, bound: &Bound, parts: &Parts, deep: usize, all: &mut Vec<String>) {
        for falls in parts.all.iter().rev().filter_map(|part| part.falls.as_ref()) {
            all.push(self.falls(bound, falls, deep));
            self.parts(bound, &falls.rest, deep + 1, all);
        }
    }

    /// What falls.
    fn falls(&self, bound: &Bound, falls: &Falls, deep: usize) -> String {
        let measure = &falls.measure;
        let calls: Vec<String> = self.calls(bound, &falls.on);
        let ranks = self.ranks(bound, falls);
        let begun = if deep == 0 { "" } else { "between two of these calls, " };
        let sense =
            if measure.flipped { " (numbers read without their sign, or with one where they have none)" } else { "" };
        let from = |way: Option<usize>| {
            let Some(way) = way.map(|at| &bound.ways[at]) else { return String::new() };
            match (way.from, way.call) {
                (Some(from), Some(call)) => format!(", by {}", self.call(bound.procedures[from], call)),
                (None, _) => ", where the program begins".to_owned(),
                (Some(_), None) => String::new(),
            }
        };
        let least = measure.bottom.saturating_add(measure.by);
        format!(
            "{begun}{ranks} falls{sense} by at least {} with {}, and rises with no call and in no loop between them: it is at most {} where it \
             begins{}, and at least {least} before it falls{}, so it falls at most {} time{}",
            measure.by,
            calls.join(" and "),
            measure.top,
            from(measure.highest),
            from(measure.lowest),
            falls.times,
            if falls.times == BigUint::from(1u8) { "" } else { "s" },
        )
    }

    /// A ranking function, as it is where procedures begin.
    fn ranks(&self, bound: &Bound, falls: &Falls) -> String {
        let ends = falls.on.iter().flat_map(|&at| [bound.ways[at].from, Some(bound.ways[at].to)]).flatten();
        let nodes: BTreeSet<usize> = ends.collect();
        let mut told: Vec<(String, BTreeSet<ProcedureId>)> = Vec::new();
        for node in nodes {
            let Some((constant, factors)) = falls.measure.ranks.get(&node).and_then(|rank| rank.split_last()) else {
                continue;
            };
            let name = |at: usize| bound.variables[node].get(at).map(|&id| &*self.program.variable(id).name);
            let parts = factors.iter().enumerate().filter(|(_, factor)| **factor != 0);
            let sum = linear(parts.map(|(at, &factor)| (name(at).unwrap_or("?"), factor)), *constant);
            let sum = if sum.is_empty() { "0".to_owned() } else { sum };
            let sum = format!("`{sum}`{}", self.side(bound, node));
            let procedure = bound.procedures[node];
            match told.iter_mut().find(|(other, _)| *other == sum) {
                Some((_, procedures)) => drop(procedures.insert(procedure)),
                None => told.push((sum, BTreeSet::from([procedure]))),
            }
        }
        let one = |(sum, procedures): &(String, BTreeSet<ProcedureId>)| {
            let names: Vec<String> = procedures.iter().map(|&id| self.name(id)).collect();
            format!("{sum} (in {})", names.join(", "))
        };
        told.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// Where on a place that is, if it is one side of it.
    fn side(&self, bound: &Bound, node: usize) -> String {
        let name = |at: usize| bound.variables[node].get(at).map(|&id| &*self.program.variable(id).name);
        let told = |(half, holds): &(Half, bool)| {
            let parts = half.parts.iter().map(|&(at, factor)| (name(at).unwrap_or("?"), factor));
            format!("`{} {} 0`", linear(parts, half.constant), if *holds { "<=" } else { ">" })
        };
        let all: Vec<String> = bound.sides.get(&node).into_iter().flat_map(|side| &side.conditions).map(told).collect();
        if all.is_empty() { String::new() } else { format!(" where {}", all.join(" and ")) }
    }

    /// The calls of some ways, each once.
    fn calls(&self, bound: &Bound, ways: &[usize]) -> Vec<String> {
        let made = |&at: &usize| Some(self.call(bound.procedures[bound.ways[at].from?], bound.ways[at].call?));
        let mut all: Vec<String> = ways.iter().filter_map(made).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// A call.
    fn call(&self, from: ProcedureId, call: Entered) -> String {
        let by = call.by.map_or_else(String::new, |by| format!(" by way of {}", self.name(by)));
        let place =
            call.at.and_then(|at| self.program.statement(at)).map(|statement| self.teller.spot(statement.place));
        let place = place.map_or_else(String::new, |place| {
            format!(" ({})", format_args!("{}:{}:{}", place.file, place.line, place.column))
        });
        match from == call.callee {
            true => format!("the call of {}{by} in itself{place}", self.name(from)),
            false => format!("the call of {} in {}{by}{place}", self.name(call.callee), self.name(from)),
        }
    }

    fn name(&self, id: ProcedureId) -> String {
        format!("`{}`", self.program.procedure(id).name)
    }

    /// Which frames are added.
    fn pieces(&self, bound: &Bound, all: &mut Vec<String>) {
        let one = Weights { call: &|_| BigUint::from(1u8), top: &|_| BigUint::ZERO };
        let main = self.program.main;
        let (frames, _) = self.sum(bound, &one, |_| BigUint::from(1u8), format!("1 of {}", self.name(main)));
        all.push(format!("frames: {frames}"));
        if let Some(known) = self.weigh.bytes {
            let tops = self.weigh.tops(bound);
            let weights = Weights { call: &|call| self.weigh.call(call), top: &|node| tops[node].clone() };
            let own = format!("{} of {}", self.weigh.frame(main), self.name(main));
            let (mut bytes, above) = self.sum(bound, &weights, |call| self.weigh.call(call), own);
            if above > BigUint::ZERO {
                bytes += &format!(" + {above} of what is called on top and has no body");
            }
            if known.top > 0 {
                bytes += &format!(" + {} beyond the stack pointer", known.top);
            }
            all.push(format!("bytes: {bytes}"));
        }
    }

    /// What the heaviest stack is made of, and what is on top of that.
    fn sum(
        &self,
        bound: &Bound,
        weights: &Weights<'_>,
        of: impl Fn(Entered) -> BigUint,
        own: String,
    ) -> (String, BigUint) {
        let (mut parts, mut total) = (vec![own], BigUint::ZERO);
        for piece in bound.parts.pieces(&bound.ways, weights, bound.start) {
            parts.push(match piece {
                Piece::Call(call) => {
                    total += of(call);
                    format!("{} of {}", of(call), self.name(call.callee))
                }
                Piece::Part(part) => {
                    let part = &bound.parts.all[part];
                    let names: BTreeSet<ProcedureId> = part.nodes.iter().map(|&node| bound.procedures[node]).collect();
                    let names: Vec<String> = names.into_iter().map(|id| self.name(id)).collect();
                    let times = part.falls.as_ref().map(|falls| falls.times.clone()).unwrap_or_default();
                    let (each, between) = (part.each(&bound.ways, weights), part.between(&bound.ways, weights));
                    total += &times * &each + &between;
                    let more = if between == BigUint::ZERO { String::new() } else { format!(" + {between}") };
                    let calls = if names.len() == 1 { "which calls itself" } else { "which call each other" };
                    format!("{times} · {each}{more} of {}, {calls}", names.join(", "))
                }
            });
        }
        let heaviest = bound.heaviest(weights);
        let above = if heaviest > total { heaviest - total } else { BigUint::ZERO };
        (parts.join(" + "), above)
    }

    /// What was seen.
    fn seen(&self, seen: &Highest) -> String {
        let frames = seen.frames;
        match self.weigh.bytes.map(|frames| frames.compilation) {
            None => format!("runs were executed, of which the deepest has {frames} frames"),
            Some(Compilation::Plain) => format!(
                "runs were executed, of which the deepest has {frames} frames and the heaviest takes {} bytes",
                seen.bytes
            ),
            Some(Compilation::AsShown) => format!(
                "runs were executed, of which the deepest has {frames} frames and the heaviest takes at least {} bytes: the compiler's call \
                 graph has the calls of the program; the last frame, and those whose last act is the call, are not counted",
                seen.bytes
            ),
            Some(Compilation::Unknown) => format!(
                "runs were executed, of which the deepest has {frames} frames; how many bytes these take is not known, since calls may have been \
                 inlined or unrolled, or be jumps: `.ci` files can show that they are not (gcc -fcallgraph-info=su), and `--unoptimized` says so"
            ),
        }
    }
}
