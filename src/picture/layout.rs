//! Where things lie: each connected part by layers (Sugiyama's method, as dagre has it), the parts side by side.

use std::collections::BTreeMap;

use dagre::graph::{Graph, GraphOptions};
use dagre::layout::types::LabelPos;
use dagre::{EdgeLabel, LayoutOptions, NodeLabel, RankDir, Ranker};

use super::{Picture, Shape};

/// The width of a character and the height of a line, for the fonts that readers may have.
pub const CHARACTER: f64 = 7.4;
/// The height of a line.
pub const LINE: f64 = 16.0;
/// What is left free around the text of a node.
const PADDING: f64 = 8.0;
/// What is left free around groups and between parts.
const GAP: f64 = 24.0;

/// The most nodes in one part: beyond that, nobody waits for it, and nobody could look at it.
pub const MAX_PART_NODES: usize = 3_000;

/// A rectangle by its middle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    /// The middle.
    pub x: f64,
    /// The middle.
    pub y: f64,
    /// How wide.
    pub width: f64,
    /// How high.
    pub height: f64,
}

impl Area {
    /// Whether two have a point in common.
    #[cfg(test)]
    pub fn meets(self, other: Area) -> bool {
        (self.x - other.x).abs() * 2.0 < self.width + other.width - 0.01
            && (self.y - other.y).abs() * 2.0 < self.height + other.height - 0.01
    }
}

/// Where an edge goes, and where its label is.
#[derive(Clone, Debug, Default)]
pub struct Way {
    /// From its node to its node.
    pub points: Vec<(f64, f64)>,
    /// Its label, if it has one.
    pub label: Option<Area>,
}

/// A picture that is laid out.
#[derive(Clone, Debug, Default)]
pub struct Laid {
    /// Nodes, as in the picture.
    pub nodes: Vec<Area>,
    /// Edges, as in the picture.
    pub ways: Vec<Way>,
    /// Groups, as in the picture.
    pub groups: Vec<Area>,
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
}

/// How much room lines of text take.
pub fn room(lines: &[String]) -> (f64, f64) {
    let columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    (columns as f64 * CHARACTER, lines.len() as f64 * LINE)
}

/// Lays a picture out.
///
/// # Errors
/// The number of nodes of a part that is too large.
pub fn laid(picture: &Picture) -> Result<Laid, usize> {
    let mut laid = Laid {
        nodes: vec![Area::default(); picture.nodes.len()],
        ways: vec![Way::default(); picture.edges.len()],
        groups: vec![Area::default(); picture.groups.len()],
        ..Laid::default()
    };
    let parts = parts(picture);
    if let Some(large) = parts.iter().map(Vec::len).find(|size| *size > MAX_PART_NODES) {
        return Err(large);
    }
    let mut boxes = Vec::new();
    for part in &parts {
        boxes.push(part_laid(picture, part, &mut laid));
    }
    pack(picture, &parts, &boxes, &mut laid);
    Ok(laid)
}

/// The connected parts, nodes of one group together, in the order of their first nodes.
pub fn parts(picture: &Picture) -> Vec<Vec<usize>> {
    let count = picture.nodes.len();
    let mut leader: Vec<usize> = (0..count + picture.groups.len()).collect();
    /// The one that speaks for all that it is connected with.
    fn find(leader: &mut [usize], mut of: usize) -> usize {
        while leader[of] != of {
            leader[of] = leader[leader[of]];
            of = leader[of];
        }
        of
    }
    let grouped = picture.nodes.iter().enumerate().filter_map(|(node, own)| Some((node, count + own.group?)));
    for (one, other) in picture.edges.iter().map(|edge| (edge.from, edge.to)).chain(grouped) {
        let (one, other) = (find(&mut leader, one), find(&mut leader, other));
        leader[one] = other;
    }
    let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut order = Vec::new();
    for node in 0..count {
        let leader = find(&mut leader, node);
        let part = parts.entry(leader).or_default();
        if part.is_empty() {
            order.push(leader);
        }
        part.push(node);
    }
    order.iter().filter_map(|leader| parts.remove(leader)).collect()
}

/// One part as dagre takes it: with how much room its nodes and its labels need. Edges have their numbers as names.
fn graph(picture: &Picture, part: &[usize], inside: &[bool]) -> Graph<NodeLabel, EdgeLabel> {
    let mut graph: Graph<NodeLabel, EdgeLabel> =
        Graph::with_options(GraphOptions { directed: true, multigraph: true, compound: false });
    for &node in part {
        let own = &picture.nodes[node];
        let (width, height) = room(&own.lines);
        let mut label = NodeLabel::default();
        (label.width, label.height) = match own.shape {
            Shape::Point => (8.0, 8.0),
            Shape::Round | Shape::DoubleRound => (width + 4.0 * PADDING, height + 2.0 * PADDING),
            Shape::Box => (width + 2.0 * PADDING, height + PADDING),
        };
        graph.set_node(node.to_string(), Some(label));
    }
    for (index, edge) in picture.edges.iter().enumerate().filter(|(_, edge)| inside[edge.from]) {
        let mut label = EdgeLabel::default();
        if !edge.lines.is_empty() {
            let (width, height) = room(&edge.lines);
            (label.width, label.height) = (width + 6.0, height + 2.0);
            if edge.from == edge.to {
                // Room is kept for labels of loops where they are if they are in the middle, and only then.
                label.labelpos = LabelPos::Center;
            }
        }
        let name = index.to_string();
        graph.set_edge(edge.from.to_string(), edge.to.to_string(), Some(label), Some(name.as_str()));
    }
    graph
}

/// Lays out one part, its corner at the origin; how wide and how high it is.
fn part_laid(picture: &Picture, part: &[usize], laid: &mut Laid) -> (f64, f64) {
    let mut inside = vec![false; picture.nodes.len()];
    part.iter().for_each(|node| inside[*node] = true);
    let mut graph = graph(picture, part, &inside);
    let options = LayoutOptions {
        rankdir: RankDir::TB,
        nodesep: 20.0,
        edgesep: 14.0,
        ranksep: 28.0,
        ranker: Ranker::TightTree,
        ..LayoutOptions::default()
    };
    dagre::layout(&mut graph, Some(options));
    let (mut width, mut height): (f64, f64) = (0.0, 0.0);
    let mut least = (f64::MAX, f64::MAX);
    let mut meet = |x: f64, y: f64, w: f64, h: f64| {
        least = (least.0.min(x - w / 2.0), least.1.min(y - h / 2.0));
        width = width.max(x + w / 2.0);
        height = height.max(y + h / 2.0);
    };
    for &node in part {
        if let Some(label) = graph.node(&node.to_string()) {
            let (x, y) = (label.x.unwrap_or(0.0), label.y.unwrap_or(0.0));
            laid.nodes[node] = Area { x, y, width: label.width, height: label.height };
            meet(x, y, label.width, label.height);
        }
    }
    let mut ways = Vec::new();
    for (index, edge) in picture.edges.iter().enumerate().filter(|(_, edge)| inside[edge.from]) {
        let name = index.to_string();
        let Some(label) = graph.edge(&edge.from.to_string(), &edge.to.to_string(), Some(name.as_str())) else {
            continue;
        };
        let points: Vec<(f64, f64)> = label.points.iter().map(|point| (point.x, point.y)).collect();
        points.iter().for_each(|(x, y)| meet(*x, *y, 0.0, 0.0));
        let area = (!edge.lines.is_empty()).then(|| {
            let (width, height) = room(&edge.lines);
            Area { x: label.x.unwrap_or(0.0), y: label.y.unwrap_or(0.0), width, height }
        });
        let points = match area.filter(|_| edge.from == edge.to) {
            Some(label) => around(laid.nodes[edge.from], label),
            None => points,
        };
        if let Some(area) = area {
            meet(area.x, area.y, area.width, area.height);
        }
        laid.ways[index] = Way { points, label: area };
        ways.push(index);
    }
    let shift = (-least.0, -least.1);
    moved(laid, part, &ways, shift);
    (width + shift.0, height + shift.1)
}

/// A loop from a node to its label and back.
fn around(node: Area, label: Area) -> Vec<(f64, f64)> {
    let (near, far) = (node.x + node.width / 2.0, label.x - label.width / 2.0 - 3.0);
    let (above, below) = (node.y - node.height / 4.0, node.y + node.height / 4.0);
    vec![(near, above), (far, above), (far, below), (near, below)]
}

fn moved(laid: &mut Laid, part: &[usize], ways: &[usize], (x, y): (f64, f64)) {
    let shift = |area: &mut Area| {
        area.x += x;
        area.y += y;
    };
    part.iter().for_each(|node| shift(&mut laid.nodes[*node]));
    for way in ways {
        let way = &mut laid.ways[*way];
        way.points.iter_mut().for_each(|point| *point = (point.0 + x, point.1 + y));
        way.label.iter_mut().for_each(shift);
    }
}

/// Puts the parts beside and below each other, with the boxes of groups around those that are whole groups.
fn pack(picture: &Picture, parts: &[Vec<usize>], boxes: &[(f64, f64)], laid: &mut Laid) {
    let title = |part: &[usize]| {
        let group = picture.nodes[part[0]].group?;
        let whole = part.iter().all(|node| picture.nodes[*node].group == Some(group));
        whole.then_some(group)
    };
    // The frame of a group has its title above what is in it.
    let outer = |part: &[usize], (width, height): (f64, f64)| match title(part) {
        Some(group) => {
            let named = picture.groups[group].chars().count() as f64 * CHARACTER;
            (width.max(named) + 2.0 * PADDING, height + LINE + 3.0 * PADDING)
        }
        None => (width, height),
    };
    let area: f64 =
        parts.iter().zip(boxes).map(|(part, own)| outer(part, *own)).map(|(w, h)| (w + GAP) * (h + GAP)).sum();
    let widest = parts.iter().zip(boxes).map(|(part, own)| outer(part, *own).0).fold(0.0, f64::max);
    let limit = (area.sqrt() * 1.4).max(widest);
    let mut edges_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, edge) in picture.edges.iter().enumerate() {
        edges_of.entry(edge.from).or_default().push(index);
    }
    let (mut x, mut y, mut row) = (GAP, GAP, 0.0f64);
    for (part, own) in parts.iter().zip(boxes) {
        let (width, height) = outer(part, *own);
        if x > GAP && x + width > limit + GAP {
            (x, y, row) = (GAP, y + row + GAP, 0.0);
        }
        let ways: Vec<usize> = part.iter().flat_map(|node| edges_of.get(node)).flatten().copied().collect();
        let inner = match title(part) {
            Some(group) => {
                laid.groups[group] = Area { x: x + width / 2.0, y: y + height / 2.0, width, height };
                (x + (width - own.0) / 2.0, y + LINE + 2.0 * PADDING)
            }
            None => (x, y),
        };
        moved(laid, part, &ways, inner);
        laid.width = laid.width.max(x + width + GAP);
        x += width + GAP;
        row = row.max(height);
    }
    laid.height = y + row + GAP;
}

#[cfg(test)]
mod tests {
    use super::super::{Edge, Node};
    use super::*;

    /// Statements one after the other, with branches forwards and backwards.
    fn program(count: usize) -> Picture {
        let mut random = fastrand::Rng::with_seed(7);
        let node = |number: usize| Node {
            lines: vec![format!("{number}  x{number} := y & !z;"), "g & !h".into()],
            group: Some(0),
            ..Node::default()
        };
        let edge = |from, to| Edge { from, to, lines: vec![format!("g{from} & h")], ..Edge::default() };
        let mut edges: Vec<Edge> = (1..count).map(|to| Edge { lines: Vec::new(), ..edge(to - 1, to) }).collect();
        for from in 0..count {
            if random.u32(..9) == 0 {
                edges.push(edge(from, from));
            }
            if random.u32(..4) == 0 {
                let to = (from + 2 + random.usize(..8)).min(count - 1);
                edges.push(if random.bool() { edge(from, to) } else { edge(to, from) });
            }
        }
        Picture { groups: vec!["main".into()], nodes: (0..count).map(node).collect(), edges }
    }

    #[test]
    fn nothing_overlaps() {
        let picture = program(120);
        let laid = laid(&picture).expect("it is small");
        let labels: Vec<Area> = laid.ways.iter().filter_map(|way| way.label).collect();
        let all: Vec<Area> = laid.nodes.iter().copied().chain(labels).collect();
        for (index, one) in all.iter().enumerate() {
            for other in &all[..index] {
                assert!(!one.meets(*other), "{one:?} {other:?}");
            }
            assert!(one.x - one.width / 2.0 >= 0.0 && one.x + one.width / 2.0 <= laid.width);
            assert!(one.y - one.height / 2.0 >= 0.0 && one.y + one.height / 2.0 <= laid.height);
        }
        assert!(laid.ways.iter().all(|way| way.points.len() >= 2));
    }

    #[test]
    fn what_is_too_large_to_look_at_is_refused() {
        assert_eq!(laid(&program(MAX_PART_NODES + 1)).err(), Some(MAX_PART_NODES + 1));
    }

    #[test]
    fn parts_lie_apart() {
        let node = |group| Node { lines: vec!["a statement".into()], group, ..Node::default() };
        let nodes = vec![node(Some(0)), node(Some(1)), node(None), node(Some(1))];
        let picture = Picture { groups: vec!["one".into(), "two".into()], nodes, ..Picture::default() };
        let laid = laid(&picture).expect("it is small");
        assert!(!laid.groups[0].meets(laid.groups[1]));
        assert!(laid.groups[1].meets(laid.nodes[1]) && laid.groups[1].meets(laid.nodes[3]));
        assert!(!laid.nodes[1].meets(laid.nodes[3]));
    }
}
