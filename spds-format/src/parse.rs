//! From text to model.

use std::str::from_utf8;

use crate::diagnostic::Diagnostic;
use crate::error::{ModelError, ModelPart, Problem, Spot};
use crate::expr::{Expr, Op, Time};
use crate::expression::{Qualifier, Raw};
use crate::lexis::{short, shown};
use crate::locate::locate;
use crate::model::{FrameId, Scalar, Spds};
use crate::names::{Report, Variables, resolve_expression};
use crate::resolve::{Resolved, resolve};
use crate::scope::Scope;
use crate::statement::{MISTAKES, Text, condition, read};
use crate::typing::{Need, check};
use crate::validate::{validate_parts, validate_whole};

/// The model that a text in the notation `spds 1` describes; it is valid ([`crate::validate()`] has no complaint).
///
/// Takes linear time, and memory for the call stack that does not depend on the text.
///
/// # Errors
/// All mistakes that could be found, in the order of the text; beyond 100 the last one says that there are more.
/// Nothing is accepted in part.
pub fn parse(text: &str) -> Result<Spds, Vec<Diagnostic>> {
    understand(text).map(|(_, resolved)| resolved.spds)
}

/// The same, with warnings about what is allowed but may not be what was meant: a local that hides a global, a constant
/// that does not fit the variable it is assigned to or that lies outside of the array it is an index of.
///
/// # Errors
/// As [`parse()`].
pub fn parse_with_warnings(text: &str) -> Result<(Spds, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (statements, resolved) = understand(text)?;
    let warnings = warnings(&statements, &resolved, text.len());
    Ok((resolved.spds, warnings))
}

/// The same for bytes that should be UTF-8.
///
/// # Errors
/// As [`parse()`]; the first byte that is not UTF-8 is a mistake, and then the only one that is told.
pub fn parse_bytes(bytes: &[u8]) -> Result<Spds, Vec<Diagnostic>> {
    match from_utf8(bytes) {
        Ok(text) => parse(text),
        Err(error) => {
            let at = error.valid_up_to();
            let wrong = Diagnostic::error("the text is not UTF-8", at..at + error.error_len().unwrap_or(1));
            Err(vec![wrong.with_help("save it in UTF-8; names may have any characters, in quotes")])
        }
    }
}

/// A condition on the configurations of a model, written outside of its text: a named proposition, or a condition on
/// the start. The notation is that of expressions; a local `x` of a frame `f` is written `f.x`, and plainly `x` if `f`
/// is the frame given here. Without `*` and primes.
///
/// Also gives the frame that must be on top for the condition to make sense: that of the locals it mentions.
///
/// # Errors
/// All mistakes that could be found, with their places in `text`.
pub fn parse_condition(
    spds: &Spds,
    frame: Option<FrameId>,
    text: &str,
) -> Result<(Option<FrameId>, Expr), Vec<Diagnostic>> {
    if text.len() > u32::MAX as usize {
        return Err(vec![too_long()]);
    }
    let raw = condition(text)?;
    let mut report = Report::new(text.len());
    let variables = Variables::of_model(spds);
    let mut named: Option<FrameId> = None;
    for op in &raw {
        let (Raw::Read(reference) | Raw::Cell(reference)) = &op.what else { continue };
        let Qualifier::Frame(name) = &reference.scope else { continue };
        let span = op.span.range(text.len());
        match variables.frame(name) {
            None => {
                let unknown = Diagnostic::error(format!("unknown frame {}", shown(name)), span);
                let help = report.complaints.guess(name, spds.frames.iter().map(|frame| &*frame.name));
                report.add(Diagnostic { help, ..unknown });
            }
            Some(found) if named.is_some_and(|other| other != found) => {
                report.add(Diagnostic::error("a condition can mention the locals of one frame only", span));
            }
            Some(found) => named = Some(found),
        }
    }
    let scope = Scope::here(named.or(frame));
    if report.complaints.refused() {
        return Err(report.complaints.into_sorted());
    }
    let Some(expr) = resolve_expression(&raw, &scope, &variables, &mut report) else {
        return Err(report.complaints.into_sorted());
    };
    check(spds, &scope, &expr, Need::Proposition, &mut |op, problem| {
        let error = ModelError { part: ModelPart::Model, spot: Spot::Condition(op), problem };
        let mut complaint = Diagnostic::error(error.problem.to_string(), raw[op].span.range(text.len()));
        complaint.help = error.help();
        report.add(complaint);
    });
    let local = expr.reads().any(|(var, _)| matches!(var, crate::model::Var::Local(_)));
    report.unless_refused(Some((scope.at(Time::Before).flatten().filter(|_| local), expr)))
}

fn too_long() -> Diagnostic {
    Diagnostic::global("the text is longer than 4 GiB")
}

/// Statements and their model, if there is no mistake.
fn understand(text: &str) -> Result<(Text<'_>, Resolved), Vec<Diagnostic>> {
    if text.len() > u32::MAX as usize {
        return Err(vec![too_long()]);
    }
    let reading = read(text);
    let mut report = Report::new(text.len());
    let gave_up = reading.mistakes.len() > MISTAKES;
    let all = reading.broken.clone();
    // After giving up, anything may have been declared further on.
    let unread = ["file", "global", "frame", "control", "symbol", "start"];
    let broken = if gave_up { &unread } else { &all[..] };
    let resolved = resolve(&reading.text, broken, &mut report);
    for error in validate_parts(&resolved.spds) {
        let missing_start = error.part == ModelPart::Start && !resolved.has_start;
        let missing_control = error.problem == Problem::NoControl && broken.contains(&"control");
        if !missing_start && !missing_control {
            report.add(locate(&error, &reading.text, &resolved, text.len()));
        }
    }
    if reading.mistakes.is_empty() && !report.complaints.refused() {
        for error in validate_whole(&resolved.spds) {
            report.add(locate(&error, &reading.text, &resolved, text.len()));
        }
    }
    let mut diagnostics = reading.mistakes;
    diagnostics.extend(report.complaints.into_sorted());
    if diagnostics.is_empty() {
        return Ok((reading.text, resolved));
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.as_ref().map_or(usize::MAX, |span| span.start));
    Err(diagnostics)
}

/// What is allowed but may not be meant. At most 100, and then one that says so.
fn warnings(text: &Text<'_>, resolved: &Resolved, total: usize) -> Vec<Diagnostic> {
    let spds = &resolved.spds;
    let mut report = Report::new(total);
    let globals: std::collections::HashMap<&str, usize> =
        spds.globals.iter().enumerate().map(|(index, global)| (&*global.name, index)).collect();
    for (frame, written) in spds.frames.iter().zip(&text.frames) {
        for (local, word) in frame.variables.iter().zip(&written.variables) {
            if let Some(global) = globals.get(&*local.name).filter(|_| !local.hidden) {
                let message = format!("the local {} hides the global of that name", shown(&local.name));
                let warning = Diagnostic::warning(message, word.name.span.range(total));
                let warning = warning.with_related(text.globals[*global].name.span.range(total), "the global");
                report.add(warning.with_help(format!("the global is written `::{}` here", short(&local.name))));
            }
        }
    }
    for (rule, index) in spds.rules.iter().zip(&resolved.rules) {
        let scope = spds.scope(rule);
        for (update, written) in rule.updates.iter().zip(&text.rules[*index].updates) {
            let Some(variable) = spds.variable(scope.at(update.time).flatten(), update.var) else { continue };
            if let (Scalar::Unsigned(bits), [Op::Number(value)]) = (variable.ty.scalar, update.value.ops())
                && bits < 64
                && value >> bits != 0
            {
                let message = format!("{value} does not fit {}, which has {bits} bits", shown(&variable.name));
                let warning = Diagnostic::warning(message, written.value[0].span.range(total));
                report.add(warning.with_help("such a rule has no successor"));
            }
            if let (Some((first, last)), Some([Op::Number(value)])) =
                (variable.ty.range, update.index.as_ref().map(Expr::ops))
                && !(u64::from(first)..=u64::from(last)).contains(value)
            {
                let message =
                    format!("{} has no cell {value}: its indices are {first} to {last}", shown(&variable.name));
                let warning = Diagnostic::warning(message, written.span.range(total));
                report.add(warning.with_help("such a rule has no successor"));
            }
        }
    }
    report.complaints.into_sorted()
}
