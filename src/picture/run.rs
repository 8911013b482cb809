//! Runs: a node for each configuration, from top to bottom; a lasso closes.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{Edge, Node, Picture, Shape, Stroke, Tone};
use crate::report::present::{Finding, Shown};
use crate::report::text::statement;
use crate::report::view::View;
use crate::report::walk::{Direction, Form, Sight, Walk, growth};
use crate::run::{Ending, Run, Section, Then};
use crate::source::Source;
use crate::verdict::Verdict;

/// The runs of answers, each a group, which the function draws if there is one, or says why it does not; an answer without one is a node.
pub(super) fn runs<R, W, S>(
    findings: &[Finding<'_, Verdict<R, W>, S>],
    mut draw: impl FnMut(&Finding<'_, Verdict<R, W>, S>, &mut Chain<'_>) -> Option<Result<(), String>>,
) -> Picture {
    let mut picture = Picture::default();
    for finding in findings {
        let verdict = finding.verdict.name();
        let mut chain = Chain::new(&mut picture, format!("{}: {verdict}", finding.asked.title()));
        match draw(finding, &mut chain) {
            Some(Ok(())) => {}
            Some(Err(why)) => chain.alone(format!("no trace: {why}")),
            None => chain.alone(verdict.to_owned()),
        }
    }
    picture
}

/// The traces of answers about a system.
pub fn traces(view: &View<'_>, source: Option<&Source<'_>>, findings: &[Finding<'_>]) -> Picture {
    runs(findings, |finding, chain| match &finding.shown {
        Shown::Trace(trace, form) => {
            Drawing { view, source, chain }.run(&trace.run, *form);
            Some(Ok(()))
        }
        Shown::Omitted(why) => Some(Err(why.to_string())),
        Shown::Nothing | Shown::Unwanted(_) => None,
    })
}

/// The nodes of a run, each joined to the one before it.
pub struct Chain<'p> {
    picture: &'p mut Picture,
    group: usize,
    /// The last node, and how many frames are below it.
    before: Option<(usize, u64)>,
    first_of_cycle: Option<usize>,
}

impl<'p> Chain<'p> {
    /// None so far, in a group with this title.
    fn new(picture: &'p mut Picture, title: String) -> Chain<'p> {
        let group = picture.groups.len();
        picture.groups.push(title);
        Chain { picture, group, before: None, first_of_cycle: None }
    }

    /// A node that stands for all that there is to say.
    fn alone(&mut self, text: String) {
        let node = Node { lines: vec![text], shape: Shape::Round, group: Some(self.group), ..Node::default() };
        self.picture.nodes.push(node);
    }

    /// The next configuration, with so many frames below; what is repeated for ever is told apart.
    pub fn push(&mut self, lines: Vec<String>, depth: u64, for_ever: bool) {
        let tone = match (for_ever, self.before) {
            (true, _) => Tone::Cycle,
            (false, None) => Tone::Start,
            (false, Some(_)) => Tone::Plain,
        };
        let node = self.picture.nodes.len();
        self.picture.nodes.push(Node { lines, shape: Shape::Box, tone, group: Some(self.group) });
        if for_ever {
            self.first_of_cycle.get_or_insert(node);
        }
        if let Some((before, below)) = self.before {
            let (lines, stroke) = match depth.cmp(&below) {
                Ordering::Less => (vec!["return".to_owned()], Stroke::Plain),
                Ordering::Greater => (vec!["call".to_owned()], Stroke::Dashed),
                Ordering::Equal => (Vec::new(), Stroke::Plain),
            };
            self.picture.edges.push(Edge { from: before, to: node, lines, stroke, tone: Tone::Plain });
        }
        self.before = Some((node, depth));
    }

    /// From the last node back to where the cycle begins, if there is one.
    pub fn close(&mut self, label: String) {
        if let (Some((from, _)), Some(to)) = (self.before, self.first_of_cycle) {
            let lines = vec![label];
            self.picture.edges.push(Edge { from, to, lines, stroke: Stroke::Bold, tone: Tone::Cycle });
        }
    }

    /// The last node is where it goes wrong.
    pub fn fail(&mut self) {
        if let Some((last, _)) = self.before {
            self.picture.nodes[last].tone = Tone::Wrong;
        }
    }
}

struct Drawing<'d, 'p> {
    view: &'d View<'d>,
    source: Option<&'d Source<'d>>,
    chain: &'d mut Chain<'p>,
}

impl Drawing<'_, '_> {
    fn run(&mut self, run: &Run, form: Form) {
        let view = self.view;
        let mut walk = Walk::new(view, run, Section::Stem, form, Direction::Forward);
        let mut values: BTreeMap<u64, Vec<(String, String)>> = BTreeMap::new();
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
                    .map(|shown| (shown.name().into_owned(), shown.value.to_string()))
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
                self.chain.push(lines, met.depth, *part == Section::Cycle);
            }
        }
        let grows = growth(view, run).filter(|grows| *grows > 0);
        let label = grows.map(|grows| format!("for ever, {grows} more on the stack each time"));
        self.chain.close(label.unwrap_or_else(|| "for ever".to_owned()));
        if run.ending == Ending::Failed {
            self.chain.fail();
        }
    }
}
