//! How high stacks get, for code scanning: an entry for each stack, with the chain of calls that has that height as its code flow.

use std::io::{self, Write};

use serde_sarif::sarif::{Region, Result as Entry, ResultKind, ResultLevel};
use spds_format::model::Place;

use super::json::Header;
use super::sarif::{Event, Flow, Spot, code_flow, location, log, message};
use super::stack::{frames, sentence};
use crate::stack::{Height, Kept, Section, Witness};

/// The rule, and what a result means.
const RULES: [(&str, &str); 1] = [("stack", "The stack grows without bound, or beyond the limit")];

/// Writes the log of a call: an entry for each stack, whatever is known of it.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, header: Header<'_>, heights: &[Height]) -> io::Result<()> {
    log(out, header, &RULES, heights.iter().map(|height| result(header, height)).collect())
}

fn result(header: Header<'_>, height: &Height) -> Entry {
    let (kind, level) = match height.kept() {
        Kept::Beyond => (ResultKind::Fail, ResultLevel::Error),
        Kept::Within => (ResultKind::Pass, ResultLevel::None),
        Kept::Unknown => (ResultKind::Open, ResultLevel::None),
    };
    let flow = height.witness.as_ref().map(flow);
    let place = flow.as_ref().and_then(|flow| flow.at).map(|spot| spot.location(None));
    let whole = || location(header.input, Region::builder().start_line(1i64).build(), None);
    Entry::builder()
        .rule_id(RULES[0].0)
        .rule_index(0i64)
        .kind(kind)
        .level(level)
        .message(message(format!("{}: {}", height.entry, sentence(height))))
        .locations(vec![place.unwrap_or_else(whole)])
        .code_flows(flow.filter(|flow| !flow.events.is_empty()).map(code_flow).into_iter().collect::<Vec<_>>())
        .build()
}

/// The calls of the chain that have a place, and those that are then repeated.
fn flow(witness: &Witness) -> Flow<'_> {
    let mut events = Vec::new();
    let mut depth = 0;
    for (sections, prefix) in [(&witness.chain, ""), (&witness.pump, "for ever: ")] {
        for section @ Section { links, .. } in sections {
            for link in links {
                let Some(spot) = &link.call else { continue };
                let place = Place { file: 0, line: spot.line, column: spot.column };
                let text = format!("{prefix}{}{}", link.procedure, frames(section));
                events.push(Event { spot: Spot { file: &spot.file, place }, text, depth });
            }
            depth += 1;
        }
    }
    let at = events.last().map(|event| event.spot);
    Flow { ended: String::new(), at, events }
}
