//! A system as a graph for Graphviz: a cluster for each procedure, a node for each head, an edge for each rule.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use spds_format::model::{ControlId, FrameId, Head, Spds, Stack, SymbolId};

use super::source::clip;

/// Writes the graph. A call is a dashed edge to the callee's first symbol and a dotted one to the return site; a return
/// is an edge to a point.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, spds: &Spds) -> io::Result<()> {
    let heads = heads(spds);
    let mut clusters: BTreeMap<Option<FrameId>, Vec<Head>> = BTreeMap::new();
    for head in &heads {
        clusters.entry(spds.symbol(head.symbol).frame).or_default().push(*head);
    }
    writeln!(out, "digraph system {{")?;
    writeln!(out, "  node [shape=box, fontname=\"monospace\"];")?;
    for (frame, heads) in &clusters {
        if let Some(frame) = frame {
            writeln!(out, "  subgraph cluster_{} {{", frame.0)?;
            writeln!(out, "    label={};", quoted(&spds.frame(*frame).name))?;
        }
        for head in heads {
            let emphasis = if *head == start(spds) { ", penwidth=2" } else { "" };
            writeln!(out, "    {} [label={}{emphasis}];", node(*head), quoted(&label(spds, *head)))?;
        }
        if frame.is_some() {
            writeln!(out, "  }}")?;
        }
    }
    for (index, rule) in spds.rules.iter().enumerate() {
        let from = node(rule.from);
        let text = rule.label.as_deref().map_or_else(String::new, |label| format!("label={}", quoted(label)));
        let to = |symbol: SymbolId| node(Head { control: rule.to, symbol });
        match rule.stack {
            Stack::Pop => {
                writeln!(out, "  return_{index} [shape=point];")?;
                writeln!(out, "  {from} -> return_{index} [{text}];")?;
            }
            Stack::Swap(next) => writeln!(out, "  {from} -> {} [{text}];", to(next))?,
            Stack::Push(callee, back) => {
                let separator = if text.is_empty() { "" } else { ", " };
                writeln!(out, "  {from} -> {} [style=dashed{separator}{text}];", to(callee))?;
                let back = Head { control: rule.from.control, symbol: back };
                writeln!(out, "  {from} -> {} [style=dotted];", node(back))?;
            }
        }
    }
    writeln!(out, "}}")
}

/// All heads that rules mention. The control location under which a return site comes to the top is not known here: it
/// is drawn under the caller's.
fn heads(spds: &Spds) -> BTreeSet<Head> {
    let mut heads = BTreeSet::from([start(spds)]);
    for rule in &spds.rules {
        heads.insert(rule.from);
        match rule.stack {
            Stack::Pop => {}
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

fn node(head: Head) -> String {
    let (ControlId(control), SymbolId(symbol)) = (head.control, head.symbol);
    format!("n{control}_{symbol}")
}

/// Labels, name, and line.
fn label(spds: &Spds, head: Head) -> String {
    let symbol = spds.symbol(head.symbol);
    let mut text = String::new();
    if spds.controls.len() > 1 {
        text += &spds.controls[head.control.0 as usize];
        text += " ";
    }
    text += &symbol.name;
    if !symbol.labels.is_empty() {
        text += &format!("\n{}:", symbol.labels.join(", "));
    }
    if let Some(place) = symbol.place {
        text += &format!("\nline {}", place.line);
    }
    text
}

/// A string in Graphviz' notation.
pub(super) fn quoted(text: &str) -> String {
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
