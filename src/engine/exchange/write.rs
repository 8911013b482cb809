//! Writing an automaton as JSON.

use std::fmt::Write;

use spds_format::Spds;
use spds_format::automaton::{Automaton, End};
use spds_format::conditions::Conditions;

/// An automaton of the system as a JSON object, one state or edge to a line; every line but the first is indented by that
/// much. [`super::read()`] makes the same automaton again. The same automaton gives the same bytes.
pub fn write(spds: &Spds, automaton: &Automaton, indent: usize) -> String {
    let conditions = Conditions::new(spds);
    let indent = " ".repeat(indent);
    let mut text = String::from("{\"format\": \"puch automaton 1\",");
    list(&mut text, &indent, "states", automaton.states.iter(), |state| {
        let mut line = format!("{{\"name\": {}, \"accepting\": {}", quoted(&state.name), state.accepting);
        if let Some(frame) = state.frame {
            line += &format!(", \"frame\": {}", quoted(&spds.frame(frame).name));
        }
        if !state.carries.is_empty() {
            let names: Vec<String> =
                state.carries.iter().map(|var| quoted(&conditions.name(state.frame, *var))).collect();
            line += &format!(", \"carries\": [{}]", names.join(", "));
        }
        line + "}"
    });
    text.push(',');
    list(&mut text, &indent, "edges", automaton.edges.iter(), |edge| {
        let end = |end: End| match end {
            End::Control(id) => format!("{{\"control\": {}}}", quoted(&spds.controls[id.0 as usize])),
            End::State(id) => format!("{{\"state\": {}}}", quoted(&automaton.state(id).name)),
        };
        let symbol = edge.symbol.map_or("null".to_owned(), |symbol| quoted(&spds.symbol(symbol).name));
        let mut line = format!("{{\"from\": {}, \"symbol\": {symbol}, \"to\": {}", end(edge.from), end(edge.to));
        if let Some(condition) = &edge.condition {
            let condition = conditions.write(&automaton.scope(spds, edge), condition);
            line += &format!(", \"condition\": {}", quoted(&condition));
        }
        line + "}"
    });
    text.push('}');
    text
}

fn list<T>(
    text: &mut String,
    indent: &str,
    name: &str,
    items: impl ExactSizeIterator<Item = T>,
    line: impl Fn(T) -> String,
) {
    let last = items.len();
    write!(text, "\n{indent} \"{name}\": [").expect("a string takes everything");
    for (number, item) in (1..).zip(items) {
        let comma = if number < last { "," } else { "" };
        write!(text, "\n{indent}  {}{comma}", line(item)).expect("a string takes everything");
    }
    text.push(']');
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text is JSON")
}
