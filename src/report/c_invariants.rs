//! Invariants of C programs, as text and as JSON.

use std::io::{self, Write};

use serde_json::json;

use crate::refinement::invariants::told::{Telling, Told};
use crate::source::Source;

use super::json::{Header, Met, begin, write_met};

/// Writes what holds, a cut point after the other under the name of its procedure.
///
/// # Errors
/// If writing fails.
pub fn text(
    out: &mut dyn Write,
    files: &[Box<str>],
    sources: &[Source<'_>],
    telling: &Telling,
    met: Option<&Met>,
) -> io::Result<()> {
    let width = telling.told.iter().map(|told| told.place.line.to_string().len()).max().unwrap_or(0);
    let longest = telling.told.iter().map(|told| told.text.chars().count()).max().unwrap_or(0);
    for group in telling.told.chunk_by(|a, b| a.procedure == b.procedure && a.place.file == b.place.file) {
        writeln!(out, "{}", group[0].procedure)?;
        for all in group.chunk_by(|a, b| (a.place, a.returned) == (b.place, b.returned)) {
            let one = &all[0];
            let code = || {
                let file = files.get(one.place.file as usize)?;
                let source = sources.iter().find(|source| *source.name == **file)?;
                Some(source.rest_of_line(one.place.line as usize, one.place.column as usize).trim_end())
            };
            match one.returned {
                true => writeln!(out, "  {:width$}  returns", "")?,
                false => writeln!(out, "  {:>width$}  {}", one.place.line, code().unwrap_or_default())?,
            }
            for told in all {
                writeln!(out, "  {:width$}    {:longest$}  ({})", "", told.text, told.source)?;
            }
        }
        writeln!(out)?;
    }
    let count = telling.told.len();
    writeln!(out, "{count} invariants, each kept by every path: over the integers, nothing wraps around in them")?;
    if let Some(met) = met {
        writeln!(out, "unknown ({}): {}", met.why, telling.cut_short.join(", "))?;
    }
    Ok(())
}

/// Writes the same as one JSON object, an invariant to a line.
///
/// # Errors
/// If writing fails.
pub fn json(
    out: &mut dyn Write,
    files: &[Box<str>],
    header: Header<'_>,
    telling: &Telling,
    met: Option<&Met>,
) -> io::Result<()> {
    begin(out, header)?;
    write_met(out, met)?;
    write!(out, ",\n \"cut_short\": {},\n \"invariants\": [", json!(telling.cut_short))?;
    for (index, told) in telling.told.iter().enumerate() {
        write!(out, "{}", if index == 0 { "" } else { ",\n  " })?;
        let Told { place, procedure, labels, returned, text, source } = told;
        let file = files.get(place.file as usize).map(|name| &**name);
        let (line, column, at) = (place.line, place.column, if *returned { "return" } else { "statement" });
        let one = json!({
            "file": file, "line": line, "column": column, "procedure": procedure, "labels": labels,
            "at": at, "invariant": text, "source": source,
        });
        write!(out, "{one}")?;
    }
    write!(out, "]")?;
    if let Some(seconds) = header.seconds {
        write!(out, ",\n \"seconds\": {}", json!(seconds))?;
    }
    writeln!(out, "}}")
}
