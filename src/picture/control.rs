//! Control flow, statement by statement, and who calls whom.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use spds_format::model::{FrameId, Head, Rule, Spds, Stack, SymbolId};
use spds_format::scope::Scope;

use super::{Edge, Node, Picture, Shape, Stroke, Tone};
use crate::report::text::statement;
use crate::source::Source;

/// What is said of statements beside what they are: by their symbols, and whether no run comes there.
pub type Notes = HashMap<SymbolId, (String, bool)>;

/// Control flow: a group for each procedure, a node for each head, an edge for each rule. In a program the edges of a statement
/// with several bear their guards. A call is a dotted edge to where it returns, if it does; where nothing is grouped, it is
/// also a dashed one to what is called. A return is an edge to a point.
pub fn flow(spds: &Spds, source: Option<&Source<'_>>, notes: &Notes) -> Picture {
    let heads = heads(spds);
    let mut picture = Picture::default();
    let frames: BTreeSet<FrameId> = heads.iter().filter_map(|head| spds.symbol(head.symbol).frame).collect();
    let groups: BTreeMap<FrameId, usize> = frames.into_iter().zip(0..).collect();
    picture.groups = groups.keys().map(|frame| spds.frame(*frame).name.to_string()).collect();
    let mut nodes = HashMap::new();
    for head in &heads {
        nodes.insert(*head, picture.nodes.len());
        let group = spds.symbol(head.symbol).frame.map(|frame| groups[&frame]);
        picture.nodes.push(node(spds, source, notes, *head, group));
    }
    let mut alternatives: HashMap<Head, usize> = HashMap::new();
    for rule in &spds.rules {
        *alternatives.entry(rule.from).or_default() += 1;
    }
    let mut calls = BTreeSet::new();
    let mut failures: HashMap<Option<usize>, usize> = HashMap::new();
    for rule in rules(spds) {
        let from = nodes[&rule.from];
        let lines = said(spds, rule, source.is_none() || alternatives[&rule.from] > 1);
        let edge = |to: usize, stroke: Stroke, lines: Vec<String>| Edge { from, to, lines, stroke, tone: Tone::Plain };
        match rule.stack {
            Stack::Pop => {
                let group = picture.nodes[from].group;
                picture.nodes.push(Node { shape: Shape::Point, group, ..Node::default() });
                picture.edges.push(edge(picture.nodes.len() - 1, Stroke::Plain, lines));
            }
            // Each procedure fails by itself.
            Stack::Swap(symbol) if Some(symbol) == spds.fail => {
                let group = picture.nodes[from].group;
                let to = *failures.entry(group).or_insert_with(|| {
                    let head = Head { control: rule.to, symbol };
                    picture.nodes.push(node(spds, source, notes, head, group));
                    picture.nodes.len() - 1
                });
                picture.edges.push(Edge { tone: Tone::Wrong, ..edge(to, Stroke::Plain, lines) });
            }
            Stack::Swap(symbol) => {
                let to = nodes[&Head { control: rule.to, symbol }];
                picture.edges.push(edge(to, Stroke::Plain, lines));
            }
            Stack::Push(symbol, back) => {
                let to = nodes[&Head { control: rule.to, symbol }];
                let back = nodes[&Head { control: rule.from.control, symbol: back }];
                if groups.is_empty() {
                    picture.edges.push(edge(to, Stroke::Dashed, lines));
                }
                if calls.insert((from, back)) {
                    picture.edges.push(edge(back, Stroke::Dotted, Vec::new()));
                }
            }
        }
    }
    joined(&mut picture);
    picture
}

/// Edges between the same nodes that look the same become one with the labels of all.
fn joined(picture: &mut Picture) {
    let mut kept: Vec<Edge> = Vec::new();
    let mut places: HashMap<(usize, usize, u8), usize> = HashMap::new();
    for edge in picture.edges.drain(..) {
        match places.get(&(edge.from, edge.to, edge.stroke as u8)) {
            Some(place) => {
                let lines = &mut kept[*place].lines;
                lines.extend(edge.lines.into_iter().filter(|line| !lines.contains(line)).collect::<Vec<_>>());
            }
            None => {
                places.insert((edge.from, edge.to, edge.stroke as u8), kept.len());
                kept.push(edge);
            }
        }
    }
    picture.edges = kept;
}

/// Who calls whom: a node for each procedure, an edge for each pair, with the number of places where there are several.
pub fn calls(spds: &Spds) -> Picture {
    let mut sites: BTreeMap<(FrameId, FrameId), BTreeSet<Head>> = BTreeMap::new();
    let mut frames = BTreeSet::new();
    let start = spds.symbol(start(spds).symbol).frame;
    frames.extend(start);
    for rule in &spds.rules {
        let from = spds.symbol(rule.from.symbol).frame;
        frames.extend(from);
        let Stack::Push(callee, _) = rule.stack else { continue };
        let Some((from, to)) = from.zip(spds.symbol(callee).frame) else { continue };
        frames.insert(to);
        sites.entry((from, to)).or_default().insert(rule.from);
    }
    let places: BTreeMap<FrameId, usize> = frames.iter().copied().zip(0..).collect();
    let node = |frame: &FrameId| Node {
        lines: vec![spds.frame(*frame).name.to_string()],
        shape: Shape::Round,
        tone: if Some(*frame) == start { Tone::Start } else { Tone::Plain },
        group: None,
    };
    let edge = |((from, to), sites): (&(FrameId, FrameId), &BTreeSet<Head>)| Edge {
        from: places[from],
        to: places[to],
        lines: if sites.len() > 1 { vec![format!("{}×", sites.len())] } else { Vec::new() },
        ..Edge::default()
    };
    Picture { nodes: frames.iter().map(node).collect(), edges: sites.iter().map(edge).collect(), ..Picture::default() }
}

/// The rules that are drawn: what is after the end of a program or a failure is not.
fn rules(spds: &Spds) -> impl Iterator<Item = &Rule> {
    spds.rules.iter().filter(|rule| ![spds.end, spds.fail].contains(&Some(rule.from.symbol)))
}

/// All heads that these rules mention, but for failures. The control location under which a return site comes to the top is not known here: it
/// is drawn under the caller's.
fn heads(spds: &Spds) -> BTreeSet<Head> {
    let mut heads = BTreeSet::from([start(spds)]);
    for rule in rules(spds) {
        heads.insert(rule.from);
        match rule.stack {
            Stack::Pop => {}
            Stack::Swap(symbol) if Some(symbol) == spds.fail => {}
            Stack::Swap(symbol) => {
                heads.insert(Head { control: rule.to, symbol });
            }
            Stack::Push(symbol, back) => {
                heads.insert(Head { control: rule.to, symbol });
                heads.insert(Head { control: rule.from.control, symbol: back });
            }
        }
    }
    heads
}

fn start(spds: &Spds) -> Head {
    Head { control: spds.start.control, symbol: spds.start.stack.first().copied().unwrap_or(SymbolId(0)) }
}

fn node(spds: &Spds, source: Option<&Source<'_>>, notes: &Notes, head: Head, group: Option<usize>) -> Node {
    let symbol = spds.symbol(head.symbol);
    let mut first = String::new();
    if spds.controls.len() > 1 {
        first += &format!("{} ", spds.controls[head.control.0 as usize]);
    }
    match (symbol.place, source) {
        (Some(place), Some(_)) => first += &format!("{}  {}", place.line, statement(spds, source, head.symbol)),
        _ => {
            first += &symbol.name;
            if !symbol.labels.is_empty() {
                first += &format!(" ({})", symbol.labels.join(", "));
            }
        }
    }
    let failure = Some(head.symbol) == spds.fail;
    let note = notes.get(&head.symbol);
    let tone = match note {
        _ if failure => Tone::Wrong,
        Some((_, true)) => Tone::Dead,
        _ if head == start(spds) => Tone::Start,
        _ => Tone::Plain,
    };
    let shape = if Some(head.symbol) == spds.end || failure { Shape::Round } else { Shape::Box };
    Node { lines: std::iter::once(first).chain(note.map(|(text, _)| text.clone())).collect(), shape, tone, group }
}

/// What an edge says: its guard, and in a system what its rule is called and does.
fn said(spds: &Spds, rule: &Rule, wanted: bool) -> Vec<String> {
    if !wanted {
        return Vec::new();
    }
    let scope = Scope::here(spds.symbol(rule.from.symbol).frame);
    let guard = rule.guard.as_ref().map(|guard| spds.display_expr(scope, guard).to_string());
    let label = rule.label.as_deref().map(|label| label.to_string());
    label.into_iter().chain(guard).collect()
}
