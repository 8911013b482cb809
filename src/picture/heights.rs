//! Who calls whom while runs go on, with the deepest chain of calls.

use super::{Edge, Node, Picture, Shape, Stroke, Tone};
use crate::stack::{Called, Callee, Calls};

/// A group for each entry, if there are several: a node for each procedure, with the bytes of its frame if they are known, round where
/// it may be called in a call of itself. The deepest chain stands out by its nodes, and by thick edges.
pub fn of_calls(entries: &[(&str, &Calls)]) -> Picture {
    let mut picture = Picture::default();
    let many = entries.len() > 1;
    for (entry, Calls { procedures, calls }) in entries {
        let first = picture.nodes.len();
        let group = many.then_some(picture.groups.len());
        picture.groups.extend(many.then(|| (*entry).to_owned()));
        picture.nodes.extend(procedures.iter().map(|callee| Node { group, ..node(callee) }));
        picture.edges.extend(calls.iter().map(|&Called { from, to, deepest }| Edge {
            from: first + from,
            to: first + to,
            stroke: if deepest { Stroke::Bold } else { Stroke::Plain },
            ..Edge::default()
        }));
    }
    picture
}

fn node(Callee { name, bytes, recursive, deepest }: &Callee) -> Node {
    let bytes = bytes.as_ref().map(|bytes| format!("{bytes} bytes"));
    Node {
        lines: std::iter::once(name.clone()).chain(bytes).collect(),
        shape: if *recursive { Shape::Round } else { Shape::Box },
        tone: if *deepest { Tone::Start } else { Tone::Plain },
        group: None,
    }
}
