//! Pictures as text for Graphviz.

use std::io::{self, Write};

use super::{Edge, Node, Picture, Shape, Stroke, Tone};
use crate::source::clip;

/// Writes a picture.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, picture: &Picture) -> io::Result<()> {
    writeln!(out, "digraph puch {{")?;
    writeln!(out, "  node [shape=box, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];")?;
    for (group, title) in picture.groups.iter().enumerate() {
        writeln!(out, "  subgraph cluster_{group} {{")?;
        writeln!(out, "    label={};", quoted(title))?;
        for (index, node) in picture.nodes.iter().enumerate().filter(|(_, node)| node.group == Some(group)) {
            writeln!(out, "    {}", declared(index, node))?;
        }
        writeln!(out, "  }}")?;
    }
    for (index, node) in picture.nodes.iter().enumerate().filter(|(_, node)| node.group.is_none()) {
        writeln!(out, "  {}", declared(index, node))?;
    }
    for edge in &picture.edges {
        writeln!(out, "  n{} -> n{}{};", edge.from, edge.to, attributes(edge))?;
    }
    writeln!(out, "}}")
}

fn declared(index: usize, node: &Node) -> String {
    let mut attributes = match node.shape {
        Shape::Point => vec!["shape=point".to_owned()],
        _ => vec![format!("label={}", quoted(&node.lines.join("\n")))],
    };
    attributes.extend(match node.shape {
        Shape::Box | Shape::Point => None,
        Shape::Round => Some("shape=ellipse".to_owned()),
        Shape::DoubleRound => Some("shape=ellipse, peripheries=2".to_owned()),
    });
    attributes.extend(tone(node.tone));
    format!("n{index} [{}];", attributes.join(", "))
}

fn attributes(edge: &Edge) -> String {
    let label = (!edge.lines.is_empty()).then(|| format!("label={}", quoted(&edge.lines.join("\n"))));
    let stroke = match edge.stroke {
        Stroke::Plain => None,
        Stroke::Bold => Some("style=bold".to_owned()),
        Stroke::Dashed => Some("style=dashed".to_owned()),
        Stroke::Dotted => Some("style=dotted".to_owned()),
    };
    let all: Vec<String> = stroke.into_iter().chain(label).chain(tone(edge.tone)).collect();
    if all.is_empty() { String::new() } else { format!(" [{}]", all.join(", ")) }
}

fn tone(tone: Tone) -> Option<String> {
    match tone {
        Tone::Plain => None,
        Tone::Start => Some("penwidth=2".to_owned()),
        Tone::Wrong => Some("color=red".to_owned()),
        Tone::Dead => Some("color=gray, fontcolor=gray".to_owned()),
        Tone::Cycle => Some("color=blue".to_owned()),
    }
}

/// A string in Graphviz' notation.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for (index, line) in text.split('\n').enumerate() {
        quoted += if index == 0 { "" } else { "\\n" };
        for character in clip(line, 200).chars() {
            match character {
                '"' => quoted += "\\\"",
                '\\' => quoted += "\\\\",
                other => quoted.push(other),
            }
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_their_quotes() {
        assert_eq!(quoted("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"");
    }
}
