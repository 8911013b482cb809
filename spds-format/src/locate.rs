//! Says where in the text the parts of a model stand about which something is wrong.

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::error::{ModelError, Part, Problem, Spot};
use crate::expression::RawOp;
use crate::lexis::Span;
use crate::resolve::Resolved;
use crate::statement::Text;

/// So many rules of a silent cycle are pointed at.
const CYCLE: usize = 10;

/// What is wrong with a model, in terms of the text that it was read from.
pub(crate) fn locate(error: &ModelError, text: &Text<'_>, resolved: &Resolved, total: usize) -> Diagnostic {
    let place = |part, spot| span(part, spot, text, resolved).map(|span| span.range(total));
    let mut diagnostic = Diagnostic::global(error.problem.to_string());
    diagnostic.span = place(error.part, error.spot);
    diagnostic.help = error.help();
    let mut related = |place: Option<Range<usize>>, remark: &str| {
        diagnostic.related.extend(place.map(|place| (place, remark.to_string())));
    };
    match (&error.problem, error.part) {
        (Problem::Duplicate { first, .. }, part) => {
            related(place(sibling(part, *first), Spot::Whole), "first declared here");
        }
        (Problem::MixedSilence { first }, _) => {
            let remark =
                if resolved.spds.rules[*first].silent { "this one is silent" } else { "this one is not silent" };
            related(place(Part::Rule(*first), Spot::Whole), remark);
        }
        (Problem::SilentCycle { rules }, _) => {
            for rule in rules.iter().skip(1).take(CYCLE) {
                related(place(Part::Rule(*rule), Spot::Whole), "on the way");
            }
        }
        _ => (),
    }
    diagnostic
}

/// The part of the same list with another index.
fn sibling(part: Part, index: usize) -> Part {
    match part {
        Part::File(_) => Part::File(index),
        Part::Global(_) => Part::Global(index),
        Part::Frame(_) => Part::Frame(crate::model::FrameId(index as u32)),
        Part::Local(frame, _) => Part::Local(frame, index),
        Part::Control(_) => Part::Control(index),
        Part::Symbol(_) => Part::Symbol(crate::model::SymbolId(index as u32)),
        Part::Rule(_) => Part::Rule(index),
        Part::Atom(_) => Part::Atom(index),
        other => other,
    }
}

fn span(part: Part, spot: Spot, text: &Text<'_>, resolved: &Resolved) -> Option<Span> {
    let span = match part {
        Part::File(i) => text.files.get(i)?.span,
        Part::Global(i) => text.globals.get(i)?.name.span,
        Part::Frame(i) => text.frames.get(i.0 as usize)?.name.span,
        Part::Local(frame, i) => text.frames.get(frame.0 as usize)?.variables.get(i)?.name.span,
        Part::Control(i) => text.controls.get(i)?.span,
        Part::Symbol(i) => {
            let symbol = text.symbols.get(i.0 as usize)?;
            match spot {
                Spot::Invariant(op) => operation(&symbol.invariant, op)?,
                _ => symbol.name.span,
            }
        }
        Part::Rule(i) => {
            let rule = text.rules.get(*resolved.rules.get(i)?)?;
            match spot {
                Spot::Guard(op) => operation(&rule.guard, op)?,
                Spot::With(op) => operation(&rule.with, op)?,
                Spot::Target(update) => rule.updates.get(update)?.span,
                Spot::Index(update, op) => operation(&rule.updates.get(update)?.index, op)?,
                Spot::Value(update, op) => rule.updates.get(update)?.value.get(op)?.span,
                _ => rule.span,
            }
        }
        Part::Start => {
            let start = text.starts.first()?;
            match spot {
                Spot::Condition(op) => operation(&start.condition, op)?,
                _ => start.span,
            }
        }
        Part::Atom(i) => {
            let atom = text.atoms.get(*resolved.atoms.get(i)?)?;
            match spot {
                Spot::Condition(op) => atom.condition.get(op)?.span,
                _ => atom.name.span,
            }
        }
        Part::End => text.ends.first()?.span,
        Part::Fail => text.fails.first()?.span,
        Part::Model => return None,
    };
    Some(span)
}

fn operation(ops: &Option<Vec<RawOp<'_>>>, op: usize) -> Option<Span> {
    ops.as_ref()?.get(op).map(|op| op.span)
}
