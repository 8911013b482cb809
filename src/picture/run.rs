//! Runs: a node for each configuration, from top to bottom; a lasso closes.

use std::collections::BTreeMap;

use super::{Edge, Node, Picture, Shape, Stroke, Tone};
use crate::report::present::{Finding, Shown};
use crate::report::source::Source;
use crate::report::text::statement;
use crate::report::view::View;
use crate::report::walk::{Direction, Form, Sight, Walk, growth};
use crate::run::{Ending, Run, Section, Then};

/// The traces of answers, each a group; an answer without one is a node.
pub fn traces(view: &View<'_>, source: Option<&Source<'_>>, findings: &[Finding<'_>]) -> Picture {
    let mut picture = Picture::default();
    for finding in findings {
        let group = picture.groups.len();
        picture.groups.push(format!("{}: {}", finding.asked.title(), finding.verdict.name()));
        match &finding.shown {
            Shown::Trace(trace, form) => Drawing { view, source, picture: &mut picture, group }.run(&trace.run, *form),
            Shown::Omitted(why) => picture.nodes.push(alone(format!("no trace: {why}"), group)),
            Shown::Nothing | Shown::Unwanted(_) => {
                picture.nodes.push(alone(finding.verdict.name().to_owned(), group));
            }
        }
    }
    picture
}

fn alone(text: String, group: usize) -> Node {
    Node { lines: vec![text], shape: Shape::Round, group: Some(group), ..Node::default() }
}

struct Drawing<'a> {
    view: &'a View<'a>,
    source: Option<&'a Source<'a>>,
    picture: &'a mut Picture,
    group: usize,
}

impl Drawing<'_> {
    fn run(&mut self, run: &Run, form: Form) {
        let view = self.view;
        let mut walk = Walk::new(view, run, Section::Stem, form, Direction::Forward);
        let mut before: Option<usize> = None;
        let mut values: BTreeMap<u64, Vec<(String, String)>> = BTreeMap::new();
        let mut first_of_cycle = None;
        let mut stroke = Stroke::Plain;
        let mut depth = 0;
        let parts = if run.cycle.is_some() { &[Section::Stem, Section::Cycle][..] } else { &[Section::Stem] };
        for part in parts {
            if *part == Section::Cycle {
                walk.then(Section::Cycle);
            }
            for met in walk.by_ref() {
                let symbol = met.step.config.symbol;
                let place = view.spds.symbol(symbol).place;
                let procedure = view.procedure(&met.step.config).unwrap_or("");
                let number = place.map_or(String::new(), |place| format!(" {}", place.line));
                let mut lines = vec![format!("{procedure}{number}: {}", statement(view.spds, self.source, symbol))];
                if let Some((call, Sight::Again)) = met.call {
                    lines.push(format!("as call {call} above"));
                } else if let Some((call, Sight::First)) = met.call {
                    lines.push(format!("call {call}"));
                }
                if let Then::Leap(turns) = met.step.then {
                    lines.push(format!("{turns} turns at once"));
                }
                let now: Vec<(String, String)> = view
                    .values(&met.step.config)
                    .map(|shown| (shown.name.into_owned(), shown.value.to_string()))
                    .collect();
                let then = values.get(&met.depth);
                let told = now.iter().filter(|value| then.is_none_or(|then| !then.contains(value)));
                let told: Vec<String> = told.map(|(name, value)| format!("{name}={value}")).collect();
                if !told.is_empty() {
                    lines.push(told.join(" "));
                }
                // What was known of deeper frames is about other frames the next time.
                values.split_off(&met.depth);
                values.insert(met.depth, now);
                let tone = match (part, before) {
                    (Section::Cycle, _) => Tone::Cycle,
                    (_, None) => Tone::Start,
                    _ => Tone::Plain,
                };
                let shape = Shape::Box;
                self.picture.nodes.push(Node { lines, shape, tone, group: Some(self.group) });
                let node = self.picture.nodes.len() - 1;
                if *part == Section::Cycle && first_of_cycle.is_none() {
                    first_of_cycle = Some(node);
                }
                if let Some(before) = before {
                    let stroke = if met.depth > depth { Stroke::Dashed } else { stroke };
                    let lines = match met.depth.cmp(&depth) {
                        std::cmp::Ordering::Less => vec!["return".to_owned()],
                        std::cmp::Ordering::Greater => vec!["call".to_owned()],
                        std::cmp::Ordering::Equal => Vec::new(),
                    };
                    self.picture.edges.push(Edge { from: before, to: node, lines, stroke, tone: Tone::Plain });
                }
                stroke = Stroke::Plain;
                depth = met.depth;
                before = Some(node);
            }
        }
        if let (Some(from), Some(to)) = (before, first_of_cycle) {
            let grows = growth(view, run).filter(|grows| *grows > 0);
            let lines = grows.map(|grows| format!("for ever, {grows} more on the stack each time"));
            let lines = vec![lines.unwrap_or_else(|| "for ever".to_owned())];
            self.picture.edges.push(Edge { from, to, lines, stroke: Stroke::Bold, tone: Tone::Cycle });
        }
        if let (Ending::Failed, Some(last)) = (run.ending, before) {
            self.picture.nodes[last].tone = Tone::Wrong;
        }
    }
}
