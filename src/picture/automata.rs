//! Automata: those that read stacks, and those that read words of letters.

use spds_format::Spds;
use spds_format::automaton::{Automaton, End};
use spds_format::conditions::Conditions;

use super::{Edge, Node, Picture, Shape, Stroke, Tone};
use crate::limits::Stop;
use crate::ltl::Tgba;
use crate::ltl::automaton::Transition;
use crate::report::text::statement;
use crate::source::{Source, clip};

/// The longest condition.
const WIDEST: usize = 80;

/// An automaton that reads stacks: control locations as boxes, accepting states with two lines around them. Symbols are told
/// by their statements where the text is at hand.
pub fn of_configurations(spds: &Spds, source: Option<&Source<'_>>, automaton: &Automaton) -> Picture {
    let conditions = Conditions::new(spds);
    let controls = spds.controls.iter().map(|control| Node {
        lines: vec![if spds.controls.len() == 1 { "top".to_owned() } else { control.to_string() }],
        tone: Tone::Start,
        ..Node::default()
    });
    let states = automaton.states.iter().map(|state| {
        let carries: Vec<String> = state.carries.iter().map(|var| conditions.name(state.frame, *var)).collect();
        let known = (!carries.is_empty()).then(|| format!("knows {}", carries.join(", ")));
        Node {
            lines: std::iter::once(state.name.to_string()).chain(known).collect(),
            shape: if state.accepting { Shape::DoubleRound } else { Shape::Round },
            ..Node::default()
        }
    });
    let place = |end: End| match end {
        End::Control(id) => id.0 as usize,
        End::State(id) => spds.controls.len() + id.0 as usize,
    };
    let mut picture = Picture { nodes: controls.chain(states).collect(), ..Picture::default() };
    let mut places = std::collections::HashMap::new();
    for edge in &automaton.edges {
        let symbol = match edge.symbol {
            None => "(empty)".to_owned(),
            Some(id) => match (spds.symbol(id).place, source) {
                (Some(place), Some(_)) => {
                    let frame = spds.symbol(id).frame.map_or("", |frame| &*spds.frame(frame).name);
                    format!("{frame} {}: {}", place.line, statement(spds, source, id))
                }
                _ => spds.symbol(id).name.to_string(),
            },
        };
        let condition =
            edge.condition.as_ref().map(|condition| conditions.write(&automaton.scope(spds, edge), condition));
        // In one line what is short.
        let room = 40usize.saturating_sub(symbol.chars().count());
        let lines = match condition {
            Some(condition) if condition.chars().count() <= room => vec![format!("{symbol}  [{condition}]")],
            Some(condition) => vec![symbol, format!("    [{}]", clip(&condition, WIDEST))],
            None => vec![symbol],
        };
        let (from, to) = (place(edge.from), place(edge.to));
        let index = *places.entry((from, to)).or_insert_with(|| {
            picture.edges.push(Edge { from, to, ..Edge::default() });
            picture.edges.len() - 1
        });
        picture.edges[index].lines.extend(lines);
    }
    // Control locations that nothing is read under are nothing to look at.
    let used =
        |index: usize, picture: &Picture| picture.edges.iter().any(|edge| edge.from == index || edge.to == index);
    let kept: Vec<bool> =
        (0..picture.nodes.len()).map(|index| index >= spds.controls.len() || used(index, &picture)).collect();
    super::only(&mut picture, &kept);
    picture
}

/// An automaton on infinite words: edges with a mark are thick, or states with two lines around them where marks are on those.
///
/// # Errors
/// A limit that the automaton was made under and that is met while its labels are written: they would be wrong.
pub fn of_words(tgba: &Tgba, on_states: bool) -> Result<Picture, Stop> {
    let mut tgba = tgba.clone();
    let states = std::mem::take(&mut tgba.states);
    let marked = |edges: &[Transition]| on_states && edges.first().is_some_and(|edge| !edge.marks.is_empty());
    let node = |(state, edges): (usize, &Vec<Transition>)| Node {
        lines: vec![state.to_string()],
        shape: if marked(edges) { Shape::DoubleRound } else { Shape::Round },
        tone: if state == tgba.initial as usize { Tone::Start } else { Tone::Plain },
        group: None,
    };
    let mut picture = Picture { nodes: states.iter().enumerate().map(node).collect(), ..Picture::default() };
    let names: Vec<String> = tgba.propositions.iter().map(|proposition| proposition.kind.to_string()).collect();
    for (from, edges) in states.iter().enumerate() {
        for edge in edges {
            let mut label = named(&tgba.labels.expression(edge.label).to_string(), &names);
            let bears = !edge.marks.is_empty() && !on_states;
            if bears && tgba.marks > 1 {
                let marks: Vec<String> =
                    (0..tgba.marks).filter(|mark| edge.marks.has(*mark)).map(|mark| mark.to_string()).collect();
                label += &format!("  {{{}}}", marks.join(","));
            }
            let stroke = if bears { Stroke::Bold } else { Stroke::Plain };
            picture.edges.push(Edge { from, to: edge.to as usize, lines: vec![label], stroke, tone: Tone::Plain });
        }
    }
    tgba.labels.check()?;
    Ok(picture)
}

/// A label with the names of propositions in the place of their numbers.
fn named(label: &str, names: &[String]) -> String {
    let mut text = String::new();
    let mut rest = label;
    while let Some(begin) = rest.find(|c: char| c.is_ascii_digit()) {
        text += &rest[..begin];
        rest = &rest[begin..];
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let name = rest[..end].parse::<usize>().ok().and_then(|number| names.get(number));
        text += name.map_or(&rest[..end], String::as_str);
        rest = &rest[end..];
    }
    text += rest;
    match text.as_str() {
        "t" => "true".to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn numbers_in_labels_become_names() {
        let names: Vec<String> = (0..11).map(|number| format!("p{number}")).collect();
        assert_eq!(named("0&!10 | 2", &names), "p0&!p10 | p2");
        assert_eq!(named("t", &names), "true");
    }
}
