//! The report in the form of Bebop: Ball & Rajamani, "Bebop: A Symbolic Model Checker for Boolean Programs", SPIN 2000,
//! Figure 1.
//!
//! The run is shown against time, from the label back to the start; one line per statement with its line number and the
//! values before it; indentation is the depth of the stack. Only variables that the trace constrains are listed, where
//! it is known which those are. As in the paper, the implicit return at the `end` of a procedure has no line.

use std::fmt::Write as _;
use std::io::{self, Write};

use crate::check::{Trace, Verdict};
use crate::limits::{Limits, Stop};
use crate::run::{Section, Then};
use crate::source::{Source, clip};
use crate::witness::constrained;

use super::present::{Finding, PropertyKind, Shown};
use super::view::View;
use super::walk::{self, Direction, Form, Met, Sight, Walk};

/// For a finding whose trace is shown in full: for each step that is seen, in the order of time, and for each of its
/// variables (in the order of [`View::values`]), whether the trace constrains it.
pub type Constrained = Option<Vec<Vec<bool>>>;

/// What the trace of a finding constrains, if it is shown in full.
///
/// # Errors
/// If a limit is met before that is known; all values will have to be shown.
pub fn constrained(view: &View<'_>, finding: &Finding<'_>, limits: &Limits) -> Result<Constrained, Stop> {
    let Shown::Trace(Trace { run, .. }, Form::Full) = finding.shown else { return Ok(None) };
    // What a formula reads matters, too, whether the statements constrain it or not.
    if run.cycle.is_some() || finding.asked.kind == PropertyKind::Ltl {
        return Ok(None);
    }
    let lines = constrained::lines(run);
    let known = constrained::constrained(view.spds, &lines, run.ending, limits)?;
    let seen = lines.iter().zip(known).filter(|(line, _)| !view.is_hidden(line.config, run.ending));
    let mask = |(line, known): (&constrained::Line<'_>, constrained::Constrained)| {
        let globals = view.spds.globals.iter().zip(known.globals);
        let locals = view.spds.locals(line.config.symbol).iter().zip(known.locals);
        globals.chain(locals).filter(|(variable, _)| !variable.hidden).map(|(_, fixed)| fixed).collect()
    };
    Ok(Some(seen.map(mask).collect()))
}

/// The depth at which indentation stops growing.
const DEEPEST: u64 = 20;

/// Writes all findings, in order. `source` tells the `end` of a procedure from its statements.
///
/// # Errors
/// If writing fails.
pub fn write(
    out: &mut dyn Write,
    view: &View<'_>,
    source: Option<&Source<'_>>,
    findings: &[Finding<'_>],
    constrained: &[Constrained],
) -> io::Result<()> {
    for (index, finding) in findings.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let path = if matches!(finding.shown, Shown::Trace(..)) { " by following path:" } else { "" };
        let (subject, found, not) = match finding.asked.kind {
            PropertyKind::Reach => {
                (format!("Label {}", clip(&finding.asked.title(), usize::MAX)), "reachable", "unreachable")
            }
            PropertyKind::Assertions => ("Failure of an assertion".into(), "reachable", "unreachable"),
            PropertyKind::Null => ("A use of NULL".into(), "reachable", "unreachable"),
            PropertyKind::Termination => ("Termination".into(), "violated", "holds"),
            PropertyKind::Ltl => (format!("Formula {}", clip(&finding.asked.title(), usize::MAX)), "violated", "holds"),
        };
        match finding.verdict {
            Verdict::Reachable(_) | Verdict::Violated(_) => writeln!(out, "{subject} {found}{path}")?,
            Verdict::Unreachable | Verdict::Holds => writeln!(out, "{subject} {not}")?,
            Verdict::Unknown(reason) => writeln!(out, "{subject} unknown: {reason}")?,
        }
        match &finding.shown {
            Shown::Nothing | Shown::Unwanted(_) => {}
            Shown::Omitted(why) => writeln!(out, "(no path: {why})")?,
            Shown::Trace(trace, form) => {
                writeln!(out)?;
                let masks = constrained.get(index).and_then(Option::as_deref).filter(|_| *form == Form::Full);
                write_path(out, view, source, trace, *form, masks)?;
            }
        }
    }
    Ok(())
}

fn write_path(
    out: &mut dyn Write,
    view: &View<'_>,
    source: Option<&Source<'_>>,
    trace: &Trace,
    form: Form,
    masks: Option<&[Vec<bool>]>,
) -> io::Result<()> {
    // The way goes back in time.
    let mut masks = masks.unwrap_or_default().iter().rev().map(Vec::as_slice);
    let run = &trace.run;
    let mut walk = Walk::new(view, run, Section::Cycle, form, Direction::Backward);
    for met in walk.by_ref() {
        write_line(out, view, source, &met, masks.next())?;
    }
    if run.cycle.is_some() {
        match walk::growth(view, run) {
            None | Some(0) => writeln!(out, " (from here on for ever)")?,
            Some(1) => writeln!(out, " (from here on for ever, each turn a frame higher)")?,
            Some(frames) => writeln!(out, " (from here on for ever, each turn {frames} frames higher)")?,
        }
    }
    walk.then(Section::Stem);
    for met in walk {
        write_line(out, view, source, &met, masks.next())?;
    }
    Ok(())
}

fn write_line(
    out: &mut dyn Write,
    view: &View<'_>,
    source: Option<&Source<'_>>,
    met: &Met<'_>,
    mask: Option<&[bool]>,
) -> io::Result<()> {
    let config = &met.step.config;
    let symbol = view.spds.symbol(config.symbol);
    let text = symbol.place.zip(source).and_then(|(place, source)| {
        let file = view.spds.files.get(place.file as usize)?;
        (**file == *source.name).then(|| source.rest_of_line(place.line as usize, place.column as usize))
    });
    if text.is_some_and(is_end) && symbol.labels.is_empty() {
        return Ok(());
    }
    let mut line = match met.depth {
        0..DEEPEST => "    ".repeat(usize::try_from(met.depth).expect("small")),
        depth => format!("[depth {depth}]"),
    };
    let _ = match symbol.place {
        Some(place) => write!(line, " Line {:<4} State", place.line),
        None => write!(line, " {} State", clip(&symbol.name, 64)),
    };
    for (index, shown) in view.values(config).enumerate() {
        if mask.is_none_or(|mask| mask.get(index).copied().unwrap_or(true)) {
            let _ = write!(line, " {}={}", clip(&shown.name(), 64), shown.value);
        }
    }
    if let Then::Leap(times) = met.step.then {
        let _ = write!(line, " ({times} times)");
    }
    match met.call {
        Some((number, Sight::First)) => {
            let _ = write!(line, " (call {number})");
        }
        Some((number, Sight::Again)) => {
            let _ = write!(line, " (as call {number})");
        }
        None => {}
    }
    writeln!(out, "{}", line.trim_end())
}

/// Whether the text at a place is the `end` of a procedure.
fn is_end(text: &str) -> bool {
    text.strip_prefix("end")
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$'))
}
