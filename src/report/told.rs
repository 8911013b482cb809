//! Runs of systems as readers are told of them: each step a statement with its values, calls in full.

use super::text::{executed, statement};
use super::view::View;
use super::walk::{Direction, Form, Met, Walk, configurations};
use crate::answer::{Binding, Run, Step};
use crate::run::{self, Section};
use crate::source::Source;

/// The run; without its steps if they are more than the limit. Linear in what is listed.
pub fn run(view: &View<'_>, source: Option<&Source<'_>>, run: &run::Run, limit: u64) -> Run {
    if configurations(view, run) > u128::from(limit) {
        return Run::default();
    }
    let part = |section| Walk::new(view, run, section, Form::Full, Direction::Forward);
    let mut steps: Vec<Step> = part(Section::Stem).map(|met| step(view, source, &met)).collect();
    let cycle = run.cycle.is_some().then_some(steps.len());
    if cycle.is_some() {
        steps.extend(part(Section::Cycle).map(|met| step(view, source, &met)));
    }
    Run { steps, cycle, ..Run::default() }
}

fn step(view: &View<'_>, source: Option<&Source<'_>>, met: &Met<'_>) -> Step {
    let config = &met.step.config;
    let place = view.spds.symbol(config.symbol).place;
    let file = place.and_then(|place| view.spds.files.get(place.file as usize));
    let values =
        view.values(config).map(|shown| Binding { name: shown.name().into_owned(), value: shown.value.told() });
    Step {
        file: file.map_or_else(String::new, |file| file.to_string()),
        line: place.map_or(0, |place| place.line),
        column: place.map_or(0, |place| place.column),
        procedure: view.procedure(config).unwrap_or_default().to_owned(),
        depth: met.depth,
        statement: executed(view.spds, source, config.symbol)
            .unwrap_or_else(|| statement(view.spds, source, config.symbol)),
        values: values.collect(),
    }
}
