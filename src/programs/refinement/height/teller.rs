//! Stacks and inputs of runs as readers are told of them.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use spds_format::model::Place;

use crate::c::Program;
use crate::c::program::{ProcedureId, StatementId};
use crate::run;
use crate::stack::{Link, Section, Spot};
use crate::stack_usage::Frames;

use super::super::judge::input;
use super::deepest::{Deepest, Opened};

/// The longest part of a stack that is looked for again behind itself.
const PERIOD: usize = 8;

/// Tells of stacks and inputs.
pub(super) struct Teller<'t> {
    pub program: &'t Program,
    pub bytes: Option<&'t Frames>,
}

impl Teller<'_> {
    /// Frames that come again and again are told once.
    pub fn sections(&self, frames: &[Opened]) -> Vec<Section> {
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

    pub fn spot(&self, place: Place) -> Spot {
        let file = self.program.file(place).to_owned();
        Spot { file, line: place.line, column: place.column }
    }

    /// The procedures of frames, each once.
    pub fn names(&self, frames: &[Opened]) -> String {
        let ids: BTreeSet<ProcedureId> = frames.iter().map(|&(procedure, _)| procedure).collect();
        let names = ids.into_iter().map(|id| format!("`{}`", self.program.procedure(id).name));
        names.collect::<Vec<_>>().join(", ")
    }

    pub fn inputs(&self, seen: &Deepest) -> Vec<run::Input> {
        let all = seen.inputs.iter().map(input).filter(|input| !input.is_order());
        all.map(|input| input.told(self.program)).collect()
    }
}
