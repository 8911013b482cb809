//! How high stacks get, for code scanning: an entry for each stack, with the chain of calls that has that height as its code flow.

use std::io::{self, Write};

use serde_sarif::sarif::{Result as Entry, ResultLevel};

use super::json::Header;
use super::sarif::{Counts, Event, Flow, Said, Spot, log};
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
    let counts = match height.kept() {
        Kept::Beyond => Counts::Fail(ResultLevel::Error),
        Kept::Within => Counts::Pass,
        Kept::Unknown => Counts::Open,
    };
    let flow = height.witness.as_ref().map(flow);
    let at = flow.as_ref().and_then(|flow| flow.at.clone());
    let flow = flow.filter(|flow| !flow.events.is_empty());
    let text = format!("{}: {}", height.entry, sentence(height));
    Said { rule: (RULES[0].0, 0), counts, text, at, flow }.entry(header)
}

/// The calls of the chain that have a place, and those that are then repeated.
fn flow(witness: &Witness) -> Flow<'_> {
    let mut events = Vec::new();
    let mut depth = 0;
    for (sections, prefix) in [(&witness.chain, ""), (&witness.pump, "for ever: ")] {
        for section @ Section { links, .. } in sections {
            for link in links {
                let Some(spot) = &link.call else { continue };
                let text = format!("{prefix}{}{}", link.procedure, frames(section));
                events.push(Event {
                    spot: Spot { file: (&*spot.file).into(), line: spot.line, column: spot.column },
                    text,
                    depth,
                });
            }
            depth += 1;
        }
    }
    let at = events.last().map(|event| event.spot.clone());
    Flow { ended: String::new(), at, events }
}
