//! Edges that would cross many layers are drawn as flags that name the other end: where control jumps about, lines through the
//! whole picture can neither be followed by an eye nor be laid out in no time.

use super::{Edge, Node, Picture, Shape, Stroke};

/// All edges of a part together cross so many layers at most; those that cross most become flags.
const CROSSED: usize = 600;

/// An edge over fewer layers is never one.
const SHORT: usize = 8;

/// A flag says no more of where it leads.
const SAID: usize = 24;

/// The picture with flags in the place of its longest edges, if these are too long in one of the parts.
pub fn flagged(picture: &Picture, parts: &[Vec<usize>]) -> Option<Picture> {
    let layers = layers(picture);
    let length = |edge: &Edge| layers[edge.from].abs_diff(layers[edge.to]);
    let mut part_of = vec![0; picture.nodes.len()];
    for (number, part) in parts.iter().enumerate() {
        part.iter().for_each(|node| part_of[*node] = number);
    }
    let mut crossed = vec![0; parts.len()];
    picture.edges.iter().for_each(|edge| crossed[part_of[edge.from]] += length(edge).saturating_sub(1));
    let mut longest: Vec<usize> = (0..picture.edges.len()).collect();
    longest.sort_by_key(|index| std::cmp::Reverse(length(&picture.edges[*index])));
    let mut flags = vec![false; picture.edges.len()];
    for index in longest {
        let edge = &picture.edges[index];
        let crossed = &mut crossed[part_of[edge.from]];
        if *crossed > CROSSED && length(edge) >= SHORT {
            *crossed -= length(edge) - 1;
            flags[index] = true;
        }
    }
    flags.contains(&true).then(|| with_flags(picture, &flags))
}

fn with_flags(picture: &Picture, flags: &[bool]) -> Picture {
    let mut drawn = picture.clone();
    for (edge, _) in drawn.edges.iter_mut().zip(flags).filter(|(_, flag)| **flag) {
        let target = &picture.nodes[edge.to];
        let said = target.lines.first().map_or("", String::as_str);
        let mut line: String = said.chars().take(SAID).collect();
        if said.chars().count() > SAID {
            line.push('…');
        }
        drawn.nodes.push(Node {
            lines: vec![format!("to {}", line.trim())],
            shape: Shape::Round,
            tone: target.tone,
            group: picture.nodes[edge.from].group,
        });
        edge.to = drawn.nodes.len() - 1;
        edge.stroke = if edge.stroke == Stroke::Plain { Stroke::Dashed } else { edge.stroke };
    }
    drawn
}

/// On which layer each node will lie, about: nodes come in the order of the text, and an edge to an earlier one goes back.
fn layers(picture: &Picture) -> Vec<usize> {
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); picture.nodes.len()];
    picture.edges.iter().filter(|edge| edge.from < edge.to).for_each(|edge| after[edge.from].push(edge.to));
    let mut layers = vec![0; picture.nodes.len()];
    for (node, after) in after.iter().enumerate() {
        for other in after {
            layers[*other] = layers[*other].max(layers[node] + 1);
        }
    }
    layers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(count: usize, edges: &[(usize, usize)]) -> Picture {
        let node = |number: usize| Node { lines: vec![format!("{number}  skip")], ..Node::default() };
        let chain = (1..count).map(|to| (to - 1, to)).chain(edges.iter().copied());
        let edges = chain.map(|(from, to)| Edge { from, to, ..Edge::default() }).collect();
        Picture { nodes: (0..count).map(node).collect(), edges, groups: Vec::new() }
    }

    #[test]
    fn only_the_longest_edges_become_flags_and_only_if_there_is_too_much_of_them() {
        let all: Vec<usize> = (0..200).collect();
        let few = picture(200, &[(10, 150), (180, 20)]);
        assert_eq!(flagged(&few, std::slice::from_ref(&all)), None);
        let jumps: Vec<(usize, usize)> = (0..10).map(|n| (n, 190 - n)).chain([(100, 103)]).collect();
        let many = picture(200, &jumps);
        let drawn = flagged(&many, std::slice::from_ref(&all)).expect("some are flags");
        let flags = &drawn.nodes[200..];
        assert!(flags.len() > 5 && flags.len() < 10, "{}", flags.len());
        assert_eq!(flags[0].lines, ["to 190  skip"]);
        assert_eq!(drawn.edges.len(), many.edges.len());
        assert_eq!(drawn.edges[209], many.edges[209], "a short one is drawn");
    }
}
