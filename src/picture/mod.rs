//! Diagrams, that is, graphs to look at: control flow, calls, runs, automata; as text for Graphviz, and laid out as SVG.
//!
//! What there is to see is decided once, as a [`Picture`]; how it is written, by [`dot`] and `svg`.

pub mod automata;
#[cfg(feature = "c")]
mod c_run;
pub mod control;
pub mod dot;
#[cfg(feature = "cli")]
pub mod heights;
pub mod run;

#[cfg(feature = "cli")]
mod flags;
#[cfg(feature = "cli")]
mod layout;
#[cfg(feature = "cli")]
pub mod svg;

/// Drops the nodes that are not kept, and the edges at them.
fn only(picture: &mut Picture, kept: &[bool]) {
    let mut places = Vec::new();
    let mut next = 0;
    for kept in kept {
        places.push(kept.then_some(next));
        next += usize::from(*kept);
    }
    let mut index = 0;
    picture.nodes.retain(|_| {
        index += 1;
        kept[index - 1]
    });
    let edges = std::mem::take(&mut picture.edges);
    let moved = |edge: Edge| Some(Edge { from: places[edge.from]?, to: places[edge.to]?, ..edge });
    picture.edges = edges.into_iter().filter_map(moved).collect();
}

/// A graph with labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Groups of nodes with a title, such as procedures.
    pub groups: Vec<String>,
    /// Nodes.
    pub nodes: Vec<Node>,
    /// Edges, by the places of their nodes.
    pub edges: Vec<Edge>,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// What it says, line by line.
    pub lines: Vec<String>,
    /// What it looks like.
    pub shape: Shape,
    /// How it is told from others.
    pub tone: Tone,
    /// The group that it belongs to.
    pub group: Option<usize>,
}

/// What a node looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// A rectangle.
    #[default]
    Box,
    /// One with round ends.
    Round,
    /// The same with a second line around it: an accepting state.
    DoubleRound,
    /// A dot: nothing to be said.
    Point,
}

/// How things are told from others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// As all are.
    #[default]
    Plain,
    /// Where it begins.
    Start,
    /// What is wrong there.
    Wrong,
    /// What never happens.
    Dead,
    /// What repeats for ever.
    Cycle,
}

/// An edge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edge {
    /// The node that it leaves.
    pub from: usize,
    /// The node that it comes to.
    pub to: usize,
    /// What it says, line by line.
    pub lines: Vec<String>,
    /// How it is drawn.
    pub stroke: Stroke,
    /// How it is told from others.
    pub tone: Tone,
}

/// How an edge is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stroke {
    /// One line.
    #[default]
    Plain,
    /// A thick one: it bears a mark.
    Bold,
    /// A dashed one: a call.
    Dashed,
    /// A dotted one: to where a call returns.
    Dotted,
}
