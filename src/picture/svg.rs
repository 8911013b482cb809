//! Pictures as SVG: one file, no script, light or dark as the reader's system is.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::layout::{Area, LINE, Way, laid, parts};
use super::{Edge, Node, Picture, Shape, Stroke, Tone, flags};
use crate::report::html::escaped;

/// How things look: in this picture only, also where it stands in a page.
const STYLE: &str = "\
.puch text{font:12px 'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1b1f24;white-space:pre}
.puch .node,.puch .group{fill:#fff;stroke:#57606a}
.puch .group{fill:#f6f8fa;stroke:#d0d7de}
.puch .title{font-weight:bold}
.puch .way{fill:none;stroke:#57606a}
.puch .tip{fill:#57606a;stroke:none}
.puch .bold{stroke-width:2.5}.puch .dashed{stroke-dasharray:6 3}.puch .dotted{stroke-dasharray:2 3}
.puch .back{fill:#fff;opacity:.85}
.puch .start{stroke:#1a7f37;stroke-width:2}
.puch .wrong{stroke:#cf222e;stroke-width:2}
.puch .dead{stroke:#afb8c1;stroke-dasharray:4 2}.puch text.dead{fill:#8c959f;stroke:none}
.puch .cycle{stroke:#0969da}.puch .tip.cycle{fill:#0969da;stroke:none}.puch .tip.wrong{fill:#cf222e;stroke:none}
.puch .point{fill:#57606a}
.puch .page{fill:#fff}
@media (prefers-color-scheme:dark){.puch text{fill:#e6edf3}.puch .page,.puch .back{fill:#0d1117}.puch .node{fill:#161b22;stroke:#8b949e}
.puch .group{fill:#0d1117;stroke:#30363d}.puch .way{stroke:#8b949e}.puch .tip,.puch .point{fill:#8b949e}.puch .start{stroke:#3fb950}.puch .wrong{stroke:#f85149}
.puch .cycle{stroke:#58a6ff}.puch .tip.cycle{fill:#58a6ff}.puch .tip.wrong{fill:#f85149}}";

/// Why a picture is not drawn.
#[derive(Debug)]
pub enum NotDrawn {
    /// It has a part with so many nodes.
    TooLarge(usize),
    /// It cannot be written.
    Io(io::Error),
}

impl From<io::Error> for NotDrawn {
    fn from(error: io::Error) -> Self {
        NotDrawn::Io(error)
    }
}

/// The most nodes of a part that is drawn.
pub const MAX_PART_NODES: usize = super::layout::MAX_PART_NODES;

/// Writes a picture; `title` says what it is of.
///
/// # Errors
/// If it is too large, or writing fails.
pub fn write(out: &mut dyn Write, picture: &Picture, title: &str) -> Result<(), NotDrawn> {
    let flagged = flags::flagged(picture, &parts(picture));
    let picture = flagged.as_ref().unwrap_or(picture);
    let laid = laid(picture).map_err(NotDrawn::TooLarge)?;
    let (width, height) = (laid.width.ceil(), laid.height.ceil());
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"puch\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\">"
    )?;
    writeln!(out, "<title>{}</title>\n<style>{STYLE}</style>", escaped(title))?;
    writeln!(out, "<rect class=\"page\" width=\"{width}\" height=\"{height}\"/>")?;
    for (name, area) in picture.groups.iter().zip(&laid.groups).filter(|(_, area)| area.width > 0.0) {
        writeln!(out, "{}", rectangle(*area, "group", 6.0, 0.0))?;
        let (x, y) = (area.x - area.width / 2.0 + 8.0, area.y - area.height / 2.0 + LINE);
        writeln!(out, "<text class=\"title\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(name))?;
    }
    for (edge, way) in picture.edges.iter().zip(&laid.ways) {
        write_way(out, edge, way)?;
    }
    for (node, area) in picture.nodes.iter().zip(&laid.nodes) {
        write_node(out, node, *area)?;
    }
    // Labels lie above all lines.
    for (edge, way) in picture.edges.iter().zip(&laid.ways) {
        if let Some(label) = way.label {
            writeln!(out, "{}", rectangle(label, "back", 2.0, 0.0))?;
            write_lines(out, &edge.lines, label, "")?;
        }
    }
    writeln!(out, "</svg>")?;
    Ok(())
}

fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Start => " start",
        Tone::Wrong => " wrong",
        Tone::Dead => " dead",
        Tone::Cycle => " cycle",
    }
}

fn rectangle(area: Area, class: &str, round: f64, inset: f64) -> String {
    let (x, y) = (area.x - area.width / 2.0 + inset, area.y - area.height / 2.0 + inset);
    let (width, height) = (area.width - 2.0 * inset, area.height - 2.0 * inset);
    format!(
        "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{round:.0}\"/>"
    )
}

fn write_node(out: &mut dyn Write, node: &Node, area: Area) -> io::Result<()> {
    let class = format!("node{}", class(node.tone));
    let round = area.height / 2.0;
    match node.shape {
        Shape::Point => {
            return writeln!(out, "<circle class=\"point\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"/>", area.x, area.y);
        }
        Shape::Box => writeln!(out, "{}", rectangle(area, &class, 3.0, 0.0))?,
        Shape::Round => writeln!(out, "{}", rectangle(area, &class, round, 0.0))?,
        Shape::DoubleRound => {
            writeln!(out, "{}{}", rectangle(area, &class, round, 0.0), rectangle(area, &class, round - 3.0, 3.0))?;
        }
    }
    write_lines(out, &node.lines, area, if node.tone == Tone::Dead { "dead" } else { "" })
}

/// Lines in the middle of an area, flush left.
fn write_lines(out: &mut dyn Write, lines: &[String], area: Area, class: &str) -> io::Result<()> {
    let (width, height) = super::layout::room(lines);
    let x = area.x - width / 2.0;
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    for (number, line) in lines.iter().enumerate() {
        let y = area.y - height / 2.0 + LINE * (number as f64 + 0.75);
        writeln!(out, "<text{class} x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(line))?;
    }
    Ok(())
}

/// A point a little way from a corner, where it begins to be round.
fn towards(corner: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    const ROUND: f64 = 14.0;
    let (dx, dy) = (other.0 - corner.0, other.1 - corner.1);
    let part = (ROUND / dx.hypot(dy).max(0.001)).min(0.5);
    (corner.0 + dx * part, corner.1 + dy * part)
}

/// A line through the points, with round corners and a tip at its end.
fn write_way(out: &mut dyn Write, edge: &Edge, way: &Way) -> io::Result<()> {
    let [first, .., last] = way.points[..] else { return Ok(()) };
    let stroke = match edge.stroke {
        Stroke::Plain => "",
        Stroke::Bold => " bold",
        Stroke::Dashed => " dashed",
        Stroke::Dotted => " dotted",
    };
    let before = way.points[way.points.len() - 2];
    let mut path = format!("M{:.1},{:.1}", first.0, first.1);
    for corner in way.points.windows(3) {
        let (begin, end) = (towards(corner[1], corner[0]), towards(corner[1], corner[2]));
        let _ = write!(path, "L{:.1},{:.1}", begin.0, begin.1);
        let _ = write!(path, "Q{:.1},{:.1} {:.1},{:.1}", corner[1].0, corner[1].1, end.0, end.1);
    }
    let _ = write!(path, "L{:.1},{:.1}", last.0, last.1);
    let tone = class(edge.tone);
    writeln!(out, "<path class=\"way{stroke}{tone}\" d=\"{path}\"/>")?;
    let (dx, dy) = (last.0 - before.0, last.1 - before.1);
    let length = dx.hypot(dy).max(0.001);
    let (dx, dy) = (dx / length, dy / length);
    let (x, y) = (last.0 - 8.0 * dx, last.1 - 8.0 * dy);
    writeln!(
        out,
        "<path class=\"tip{tone}\" d=\"M{:.1},{:.1}L{:.1},{:.1}L{:.1},{:.1}Z\"/>",
        last.0,
        last.1,
        x - 3.5 * dy,
        y + 3.5 * dx,
        x + 3.5 * dy,
        y - 3.5 * dx
    )
}
