//! How high stacks get, as one page that needs nothing else: answers, chains of calls, and who calls whom as a table and a picture.

use std::io::{self, Write};

use super::html::{begun, escaped};
use super::json::Header;
use super::stack::{called_at, frames, replayed, sentence, valued};
use crate::stack::{Called, Calls, Height, Kept, Section, Verdict, Witness};

/// What a page has beside what every page has.
const STYLE: &str = "\
table { border-collapse: collapse; } th, td { text-align: left; padding: .15em 1.2em .15em 0; vertical-align: top; }
th { color: var(--faint); font-weight: normal; } td.number { text-align: right; } tr.deepest td:first-child { font-weight: 600; }
.picture { overflow: auto; } details { margin: .8em 0; }";

/// Who calls whom in runs of an entry.
pub struct Drawing<'a> {
    /// As data.
    pub calls: &'a Calls,
    /// As SVG, or why there is no picture.
    pub picture: Result<String, String>,
}

/// Writes the page about these entries; who calls whom is known of the first of them.
///
/// # Errors
/// If writing fails.
pub fn write(out: &mut dyn Write, header: Header<'_>, heights: &[Height], drawings: &[Drawing<'_>]) -> io::Result<()> {
    begun(out, header, STYLE)?;
    writeln!(out, "</header>\n<main>\n<section class=\"answers\"><h2>Answers</h2><ul>")?;
    for height in heights {
        let (entry, told) = (escaped(&height.entry).into_owned(), sentence(height));
        let class = match height.kept() {
            Kept::Within => "holds",
            Kept::Beyond => "violated",
            Kept::Unknown => "unknown",
        };
        writeln!(out, "<li>{entry}: <strong class=\"{class}\">{}</strong></li>", escaped(&told))?;
    }
    writeln!(out, "</ul></section>")?;
    for (number, height) in heights.iter().enumerate() {
        writeln!(out, "<section><h2>{}</h2>", escaped(&height.entry))?;
        if let Some(witness) = &height.witness {
            write_witness(out, witness, &height.verdict)?;
        }
        if !height.assumed.is_empty() {
            writeln!(out, "<h3>Assumed</h3><ul>")?;
            height.assumed.iter().try_for_each(|assumed| writeln!(out, "<li>{}</li>", escaped(assumed)))?;
            writeln!(out, "</ul>")?;
        }
        if !height.explanation.is_empty() {
            writeln!(out, "<h3>Why</h3><ul>")?;
            height.explanation.iter().try_for_each(|why| writeln!(out, "<li>{}</li>", escaped(why)))?;
            writeln!(out, "</ul>")?;
        }
        if let Some(drawing) = drawings.get(number) {
            write_calls(out, drawing)?;
        }
        writeln!(out, "</section>")?;
    }
    writeln!(out, "</main>\n</body>\n</html>")
}

fn write_witness(out: &mut dyn Write, witness: &Witness, verdict: &Verdict) -> io::Result<()> {
    let what = if matches!(verdict, Verdict::Bounded) { "The deepest chain of calls" } else { "A chain of calls" };
    writeln!(out, "<h3>{what}</h3>")?;
    write_chain(out, &witness.chain)?;
    if !witness.pump.is_empty() {
        writeln!(out, "<h3>And then for ever</h3>")?;
        write_chain(out, &witness.pump)?;
    }
    match replayed(witness) {
        Some(how) => writeln!(out, "<p class=\"legend\">{}.</p>", escaped(&how)),
        None => Ok(()),
    }
}

fn write_chain(out: &mut dyn Write, chain: &[Section]) -> io::Result<()> {
    writeln!(out, "<table><tr><th>procedure</th><th>frames</th><th>with</th><th>called at</th><th>bytes</th></tr>")?;
    for section in chain {
        let many = section.links.len() > 1;
        for (place, link) in section.links.iter().enumerate() {
            let times = match (many, place) {
                (false, _) => frames(section).trim_start().to_owned(),
                (true, 0) if section.in_order => format!("{} in this order, again and again", frames(section).trim()),
                (true, 0) => format!("{} in some order", frames(section).trim()),
                (true, _) => String::new(),
            };
            let bytes = link.bytes.as_ref().map_or_else(String::new, ToString::to_string);
            let at = link.call.as_ref().map_or_else(String::new, called_at);
            let cells = [&link.procedure, &times, &valued(&link.values), &at];
            let cells: String = cells.map(|cell| format!("<td>{}</td>", escaped(cell))).concat();
            writeln!(out, "<tr>{cells}<td class=\"number\">{bytes}</td></tr>")?;
        }
    }
    writeln!(out, "</table>")
}

/// Who calls whom.
fn write_calls(out: &mut dyn Write, Drawing { calls, picture }: &Drawing<'_>) -> io::Result<()> {
    writeln!(out, "<h3>Who calls whom</h3>")?;
    match picture {
        Ok(svg) => writeln!(out, "<div class=\"picture\">{svg}</div>")?,
        Err(why) => writeln!(out, "<p class=\"legend\">{}.</p>", escaped(why))?,
    }
    let count = calls.procedures.len();
    let open = if count <= 20 { " open" } else { "" };
    let plural = if count == 1 { "" } else { "s" };
    writeln!(out, "<details{open}><summary>{count} procedure{plural}</summary>")?;
    writeln!(out, "<table><tr><th>procedure</th><th>bytes of a frame</th><th></th><th>calls</th></tr>")?;
    let mut called: Vec<Vec<&str>> = vec![Vec::new(); count];
    for &Called { from, to, .. } in &calls.calls {
        called[from].push(&calls.procedures[to].name);
    }
    for (callee, called) in calls.procedures.iter().zip(&called) {
        let class = if callee.deepest { " class=\"deepest\"" } else { "" };
        let bytes = callee.bytes.as_ref().map_or_else(String::new, ToString::to_string);
        let recursive = if callee.recursive { "recursive" } else { "" };
        let (name, called) = (escaped(&callee.name), called.join(", "));
        writeln!(
            out,
            "<tr{class}><td>{name}</td><td class=\"number\">{bytes}</td><td>{recursive}</td><td>{}</td></tr>",
            escaped(&called)
        )?;
    }
    writeln!(out, "</table></details>")
}
