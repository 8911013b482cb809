//! A run of the Boolean program as a list of statements of the C program.

use spds_format::Spds;
use spds_format::model::SymbolId;

use crate::abstraction::Text;
use crate::c::program::{Label, ProcedureId};
use crate::run::{Run, Step, Then};

/// More statements than that are not followed: calls in a trace are folded, and it can be exponentially long.
const LONGEST: usize = 200_000;

/// A line of the Boolean program in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Of which procedure.
    pub procedure: ProcedureId,
    /// Of which statement.
    pub label: Label,
    /// Which of the lines made of it.
    pub line: usize,
    /// How many of them come after that one.
    pub after: usize,
    /// How many calls are open.
    pub depth: usize,
}

/// The statements of a run; none if there are too many, or some are left out.
pub fn points(spds: &Spds, text: &Text, run: &Run) -> Vec<Point> {
    let mut points = Vec::new();
    // Parts of the run that are open: their steps, the next one, and how deep they are.
    let mut open: Vec<(&[Step], usize, usize)> = vec![(&run.stem, 0, 0)];
    while let Some((steps, at, base)) = open.pop() {
        let Some(step) = steps.get(at) else { continue };
        let depth = base + step.depth as usize;
        points.extend(point(spds, text, step.config.symbol, depth));
        if points.len() > LONGEST || matches!(step.then, Then::Leap(_)) {
            return Vec::new();
        }
        open.push((steps, at + 1, base));
        if let Then::Call(call) = step.then
            && let Some(call) = run.calls.get(call)
        {
            open.push((&call.steps, 0, depth + 1));
        }
    }
    points
}

fn point(spds: &Spds, text: &Text, symbol: SymbolId, depth: usize) -> Option<Point> {
    let line = spds.symbol(symbol).place?.line as usize;
    let place = (*text.places.get(line)?)?;
    let same = |other: &usize| text.places[*other] == Some(place);
    let first = (0..line).rev().take_while(same).count();
    let after = (line + 1..text.places.len()).take_while(same).count();
    let (procedure, label) = super::statement(place)?;
    Some(Point { procedure, label, line: first, after, depth })
}
