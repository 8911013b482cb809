//! The runs of systems as the data of a page: values and symbols shared, calls that are equal stored once.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Map, Value as Json, json};
use spds_format::model::{Spds, SymbolId, Variable};

use super::{Subject, known};
use crate::check::Trace;
use crate::facts::Fact;
use crate::report::branch::Alternatives;
use crate::report::present::{self, Finding, Shown};
use crate::report::text::{ended, executed};
use crate::report::view::Value;
use crate::report::walk::{self, At, growth};
use crate::run::{Call, Run, Section, Step, Then};

/// The longest value of a variable that JavaScript holds as a number.
const EXACT: u64 = 1 << 53;

/// Symbols and values that steps refer to by number.
pub struct Tables<'a> {
    subject: Subject<'a>,
    alternatives: Alternatives<'a>,
    facts: HashMap<SymbolId, &'a Fact>,
    numbers: HashMap<SymbolId, usize>,
    symbols: Vec<Json>,
    /// Globals have no frame's number.
    known: HashMap<(Option<u32>, &'a [u64]), usize>,
    rows: Vec<Json>,
}

/// A variable with the index at which its array begins.
#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<u32>,
}

fn named(variables: &[Variable]) -> Vec<Named<'_>> {
    let shown = variables.iter().filter(|variable| !variable.hidden);
    shown.map(|variable| Named { name: &variable.name, first: variable.ty.range.map(|(first, _)| first) }).collect()
}

impl<'a> Tables<'a> {
    /// No run so far.
    pub fn new(subject: Subject<'a>) -> Self {
        let facts = subject.coverage.facts.iter().map(|fact| (fact.target.symbol, fact)).collect();
        let alternatives = Alternatives::new(subject.view.spds);
        let (numbers, known) = (HashMap::new(), HashMap::new());
        Tables { subject, alternatives, facts, numbers, symbols: Vec::new(), known, rows: Vec::new() }
    }

    /// What all runs share.
    pub fn done(self) -> Map<String, Json> {
        let spds: &Spds = self.subject.view.spds;
        let frames =
            spds.frames.iter().map(|frame| json!({"name": &*frame.name, "variables": named(&frame.variables)}));
        let shared = [
            ("globals", json!(named(&spds.globals))),
            ("frames", frames.collect()),
            ("symbols", self.symbols.into()),
            ("rows", self.rows.into()),
        ];
        shared.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The run of an answer, if it is shown.
    pub fn shown(&mut self, finding: &Finding<'a>) -> Option<Json> {
        match finding.shown {
            Shown::Trace(trace, _) => Some(self.trace(trace)),
            _ => None,
        }
    }

    fn trace(&mut self, trace: &'a Trace) -> Json {
        let (view, run) = (self.subject.view, &trace.run);
        let size = walk::configurations(view, run);
        let mut leaps = Vec::new();
        let stem = self.part(run, Section::Stem, &mut leaps);
        let cycle = run.cycle.as_ref().map(|_| self.part(run, Section::Cycle, &mut leaps));
        let sizes = walk::configurations_of_calls(view, run);
        let calls: Vec<Json> =
            run.calls.iter().zip(sizes).enumerate().map(|(n, call)| self.call(run, n, call, &mut leaps)).collect();
        json!({
            "size": size as f64,
            "steps": present::amount(size),
            "end": ended(view, self.subject.statements(), run),
            "growth": growth(view, run),
            "closes_on": view.closes_on(run),
            "stem": stem,
            "cycle": cycle,
            "calls": calls,
            "leaps": leaps,
        })
    }

    fn call(&mut self, run: &'a Run, index: usize, (call, size): (&Call, u128), leaps: &mut Vec<String>) -> Json {
        let procedure = call.procedure.map(|frame| &*self.subject.view.spds.frame(frame).name);
        let steps = self.part(run, Section::Call(index), leaps);
        json!({"procedure": procedure, "size": present::amount(size), "steps": steps})
    }

    /// Seven numbers to a step: symbol, control, depth, globals, locals, how it goes on, which way it takes.
    fn part(&mut self, run: &'a Run, part: Section, leaps: &mut Vec<String>) -> Vec<i64> {
        let mut flat = Vec::new();
        for (index, step) in self.subject.view.seen_at(walk::steps(run, part), run) {
            let then = match step.then {
                Then::Step => 0,
                Then::Call(call) => call as i64 + 1,
                Then::Leap(times) => {
                    leaps.push(times.to_string());
                    -(leaps.len() as i64)
                }
            };
            let branch = self.alternatives.taken(run, At { part, index }).map_or(0, |branch| branch.taken as i64);
            let symbol = self.symbol(step.config.symbol) as i64;
            let (globals, locals) = self.values(step);
            let control = i64::from(step.config.control.0);
            flat.extend([symbol, control, i64::from(step.depth), globals as i64, locals as i64, then, branch]);
        }
        flat
    }

    fn symbol(&mut self, id: SymbolId) -> usize {
        if let Some(&number) = self.numbers.get(&id) {
            return number;
        }
        let symbol = self.subject.view.spds.symbol(id);
        let labels: Vec<&str> = symbol.labels.iter().map(|label| &**label).collect();
        self.symbols.push(json!({
            "file": symbol.place.map(|place| place.file),
            "line": symbol.place.map(|place| place.line),
            "column": symbol.place.map(|place| place.column),
            "frame": symbol.frame.map(|frame| frame.0),
            "labels": labels,
            "name": &*symbol.name,
            "statement": executed(self.subject.view.spds, self.subject.source_of(id), id),
            "fact": self.facts.get(&id).and_then(|fact| known(self.subject, fact)),
        }));
        self.numbers.insert(id, self.symbols.len() - 1);
        self.symbols.len() - 1
    }

    fn values(&mut self, step: &'a Step) -> (usize, usize) {
        let (view, config) = (self.subject.view, &step.config);
        let frame = view.spds.symbol(config.symbol).frame;
        let keys = [(None, &*config.globals), (Some(frame.map_or(u32::MAX, |frame| frame.0)), &*config.locals)];
        let [globals, locals] = keys.map(|key| {
            *self.known.entry(key).or_insert_with(|| {
                let shown = view.values(config).filter(|shown| shown.local == key.0.is_some());
                self.rows.push(Json::Array(shown.map(|shown| exact(&shown.value)).collect()));
                self.rows.len() - 1
            })
        });
        (globals, locals)
    }
}

/// A value that JavaScript reads without rounding it.
fn exact(value: &Value<'_>) -> Json {
    let cell = |cell: Json| match cell.as_u64() {
        Some(number) if number > EXACT => Json::String(number.to_string()),
        _ => cell,
    };
    match json!(value) {
        Json::Array(cells) => Json::Array(cells.into_iter().map(cell).collect()),
        other => cell(other),
    }
}
