//! Says where in the text the parts of a model stand about which something is wrong.

use std::ops::Range;

use crate::diagnostic::Diagnostic;
use crate::error::{ModelError, ModelPart, Problem, Spot};
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
            related(place(ModelPart::Rule(*first), Spot::Whole), remark);
        }
        (Problem::SilentCycle { rules }, _) => {
            for rule in rules.iter().skip(1).take(CYCLE) {
                related(place(ModelPart::Rule(*rule), Spot::Whole), "on the way");
            }
        }
        _ => (),
    }
    diagnostic
}

/// The part of the same list with another index.
fn sibling(part: ModelPart, index: usize) -> ModelPart {
    match part {
        ModelPart::File(_) => ModelPart::File(index),
        ModelPart::Global(_) => ModelPart::Global(index),
        ModelPart::Frame(_) => ModelPart::Frame(crate::model::FrameId(index as u32)),
        ModelPart::Local(frame, _) => ModelPart::Local(frame, index),
        ModelPart::Control(_) => ModelPart::Control(index),
        ModelPart::Symbol(_) => ModelPart::Symbol(crate::model::SymbolId(index as u32)),
        ModelPart::Rule(_) => ModelPart::Rule(index),
        ModelPart::Atom(_) => ModelPart::Atom(index),
        other => other,
    }
}

fn span(part: ModelPart, spot: Spot, text: &Text<'_>, resolved: &Resolved) -> Option<Span> {
    let span = match part {
        ModelPart::File(i) => text.files.get(i)?.span,
        ModelPart::Global(i) => text.globals.get(i)?.name.span,
        ModelPart::Frame(i) => text.frames.get(i.0 as usize)?.name.span,
        ModelPart::Local(frame, i) => text.frames.get(frame.0 as usize)?.variables.get(i)?.name.span,
        ModelPart::Control(i) => text.controls.get(i)?.span,
        ModelPart::Symbol(i) => {
            let symbol = text.symbols.get(i.0 as usize)?;
            match spot {
                Spot::Invariant(op) => operation(&symbol.invariant, op)?,
                _ => symbol.name.span,
            }
        }
        ModelPart::Rule(i) => {
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
        ModelPart::Start => {
            let start = text.starts.first()?;
            match spot {
                Spot::Condition(op) => operation(&start.condition, op)?,
                _ => start.span,
            }
        }
        ModelPart::Atom(i) => {
            let atom = text.atoms.get(*resolved.atoms.get(i)?)?;
            match spot {
                Spot::Condition(op) => atom.condition.get(op)?.span,
                _ => atom.name.span,
            }
        }
        ModelPart::End => text.ends.first()?.span,
        ModelPart::Fail => text.fails.first()?.span,
        ModelPart::Model => return None,
    };
    Some(span)
}

fn operation(ops: &Option<Vec<RawOp<'_>>>, op: usize) -> Option<Span> {
    ops.as_ref()?.get(op).map(|op| op.span)
}
