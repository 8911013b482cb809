//! Finds what names stand for, and says so when they stand for nothing.

use std::collections::HashMap;

use crate::diagnostic::{Diagnostic, Severity};
use crate::expr::{Expr, Op, Time, Unary};
use crate::expression::{Qualifier, Raw, RawOp, Reference};
use crate::lexis::{Span, Word, shown};
use crate::model::{FrameId, Spds, Type, Var, Variable};
use crate::reading::complaints::{Bounds, Complaints};
use crate::scope::{Scope, ValueKind, result};
use crate::statement::{self, MISTAKES, Text};

/// How much is said about one text in this notation.
pub(crate) static BOUNDS: Bounds = Bounds {
    listed: MISTAKES,
    guessed: 10,
    more: |number, severity| match severity {
        Severity::Error => format!("too many mistakes: {number} more are not listed"),
        Severity::Warning => format!("{number} more warnings are not listed"),
    },
};

/// Complaints about a text of so many bytes.
pub(crate) struct Report {
    pub(crate) total: usize,
    pub(crate) complaints: Complaints,
}

impl Report {
    pub(crate) fn new(total: usize) -> Report {
        Report { total, complaints: Complaints::new(&BOUNDS) }
    }

    pub(crate) fn add(&mut self, diagnostic: Diagnostic) {
        self.complaints.push(diagnostic);
    }

    /// What there is, if nothing is wrong with it.
    pub(crate) fn unless_refused<T>(self, what: Option<T>) -> Result<T, Vec<Diagnostic>> {
        what.filter(|_| !self.complaints.refused()).ok_or_else(|| self.complaints.into_sorted())
    }
}

/// Names of one sort and what they stand for. The first of several equal names counts.
pub(crate) struct Names<'t> {
    what: &'static str,
    declare: &'static str,
    map: HashMap<&'t str, u32>,
    /// In order, for guesses.
    list: Vec<&'t str>,
    /// Some declaration could not be read: a name that is not here may well be declared.
    broken: bool,
}

impl<'t> Names<'t> {
    pub(crate) fn new(
        what: &'static str,
        declare: &'static str,
        names: impl Iterator<Item = &'t str>,
        broken: &[&str],
    ) -> Self {
        let list: Vec<&str> = names.collect();
        let mut map = HashMap::with_capacity(list.len());
        for (index, name) in (0..).zip(&list) {
            map.entry(*name).or_insert(index);
        }
        Names { what, declare, map, list, broken: broken.contains(&declare) }
    }

    /// The index of a name; complains if there is none.
    pub(crate) fn find(&self, word: &Word<'_>, report: &mut Report) -> Option<u32> {
        let found = self.map.get(&*word.text).copied();
        if found.is_none() && !self.broken {
            if report.complaints.errors_are_full() {
                report.complaints.count_error();
                return None;
            }
            let message = format!("unknown {} {}", self.what, shown(&word.text));
            let mut diagnostic = Diagnostic::error(message, word.span.range(report.total));
            diagnostic.help = report.complaints.guess(&word.text, self.list.iter().copied());
            if self.list.is_empty() {
                diagnostic.help = Some(format!("there is no `{}` in the text that would declare it", self.declare));
            }
            report.add(diagnostic);
        }
        found
    }
}

type Declared = (u32, Type);

/// Global and local variables by name.
pub(crate) struct Variables<'t> {
    globals: HashMap<&'t str, Declared>,
    /// For each frame its name and its variables.
    frames: Vec<(&'t str, HashMap<&'t str, Declared>)>,
    /// Some declaration could not be read or resolved.
    pub(crate) broken: bool,
}

impl<'t> Variables<'t> {
    pub(crate) fn of_text(text: &'t Text<'_>, broken: &[&str]) -> Self {
        fn map<'t>(variables: &'t [statement::Variable<'_>]) -> HashMap<&'t str, Declared> {
            let mut map = HashMap::with_capacity(variables.len());
            for (index, variable) in (0..).zip(variables) {
                map.entry(&*variable.name.text).or_insert((index, variable.ty));
            }
            map
        }
        let frames = text.frames.iter().map(|frame| (&*frame.name.text, map(&frame.variables))).collect();
        let broken = ["global", "frame", "symbol"].iter().any(|word| broken.contains(word));
        Variables { globals: map(&text.globals), frames, broken }
    }

    pub(crate) fn of_model(spds: &'t Spds) -> Self {
        fn map(variables: &[Variable]) -> HashMap<&str, Declared> {
            (0..).zip(variables).map(|(index, variable)| (&*variable.name, (index, variable.ty))).collect()
        }
        let frames = spds.frames.iter().map(|frame| (&*frame.name, map(&frame.variables))).collect();
        Variables { globals: map(&spds.globals), frames, broken: false }
    }

    fn locals(&self, frame: Option<FrameId>) -> Option<&HashMap<&'t str, Declared>> {
        self.frames.get(frame?.0 as usize).map(|(_, locals)| locals)
    }

    /// The frame of that name.
    pub(crate) fn frame(&self, name: &str) -> Option<FrameId> {
        self.frames.iter().position(|(frame, _)| *frame == name).map(|index| FrameId(index as u32))
    }

    /// What a reference stands for. The frame that it is qualified with is not looked at.
    pub(crate) fn find(
        &self,
        reference: &Reference<'_>,
        span: Span,
        scope: &Scope,
        report: &mut Report,
    ) -> Option<(Var, Type)> {
        // Where the expression cannot speak of that time at all, the check of the model will say so.
        let here = scope.at(Time::Before).flatten();
        let frame = scope.at(reference.time).unwrap_or(here);
        let global = matches!(reference.scope, Qualifier::Global);
        let local = self.locals(frame).filter(|_| !global).and_then(|locals| locals.get(&*reference.name));
        if let Some((index, ty)) = local {
            return Some((Var::Local(*index), *ty));
        }
        if let Some((index, ty)) = self.globals.get(&*reference.name) {
            return Some((Var::Global(*index), *ty));
        }
        if !self.broken {
            report_unknown(self, reference, span, frame, here, report);
        }
        None
    }
}

fn report_unknown(
    variables: &Variables<'_>,
    reference: &Reference<'_>,
    span: Span,
    frame: Option<FrameId>,
    here: Option<FrameId>,
    report: &mut Report,
) {
    if report.complaints.errors_are_full() {
        return report.complaints.count_error();
    }
    let name = &*reference.name;
    let global = matches!(reference.scope, Qualifier::Global);
    let sort = if global { "global variable" } else { "variable" };
    let diagnostic = Diagnostic::error(format!("unknown {sort} {}", shown(name)), span.range(report.total));
    let frame_name = |id: FrameId| variables.frames.get(id.0 as usize).map_or("", |(name, _)| name);
    let local_of = |id: FrameId| variables.locals(Some(id)).is_some_and(|locals| locals.contains_key(name));
    let help = match (here, frame) {
        (Some(here), None) if local_of(here) => {
            Some(format!("it is a local of {}; only globals can be meant here", shown(frame_name(here))))
        }
        (Some(here), Some(other)) if here != other && local_of(here) => Some(format!(
            "it is a local of {}; here the locals of {} are meant",
            shown(frame_name(here)),
            shown(frame_name(other))
        )),
        _ => {
            let owner = variables.frames.iter().find(|(_, locals)| !global && locals.contains_key(name));
            owner.map(|(owner, _)| format!("it is a local of {}; the symbol here is not `in` that frame", shown(owner)))
        }
    };
    let help = help.or_else(|| {
        let locals = variables.locals(frame).filter(|_| !global);
        let locals = locals.into_iter().flat_map(|locals| locals.keys().copied());
        report.complaints.guess(name, locals.chain(variables.globals.keys().copied()))
    });
    report.add(Diagnostic { help, ..diagnostic });
}

/// The expression that the operations mean in that scope; complains about what they cannot mean.
pub(crate) fn resolve_expression(
    raw: &[RawOp<'_>],
    scope: &Scope,
    variables: &Variables<'_>,
    report: &mut Report,
) -> Option<Expr> {
    let mut ops = Vec::with_capacity(raw.len());
    // What is known of the operands, as far as it matters for choosing between `&` and `&`.
    let mut kinds: Vec<ValueKind> = Vec::new();
    let mut whole = true;
    for RawOp { what, span } in raw {
        let mut variable = |reference: &Reference<'_>| {
            let found = variables.find(reference, *span, scope, report);
            whole &= found.is_some();
            found.unwrap_or((Var::Global(0), Type::BOOL))
        };
        let (op, kind) = match what {
            Raw::Bool(value) => (Op::Bool(*value), ValueKind::Boolean),
            Raw::Number(value) => (Op::Number(*value), ValueKind::Integer),
            Raw::Any => (Op::Any, ValueKind::Boolean),
            Raw::Read(reference) => {
                let (var, ty) = variable(reference);
                (Op::Read(var, reference.time), ty.scalar.into())
            }
            Raw::Cell(reference) => {
                let (var, ty) = variable(reference);
                (Op::Cell(var, reference.time), ty.scalar.into())
            }
            Raw::Not => (Op::Unary(Unary::Not), ValueKind::Boolean),
            Raw::Choose => (Op::Choose, ValueKind::Boolean),
            Raw::Ite => {
                let last = &kinds[kinds.len().saturating_sub(2)..];
                (Op::Ite, if last.contains(&ValueKind::Integer) { ValueKind::Integer } else { ValueKind::Boolean })
            }
            Raw::Binary(sign) => {
                let integers = kinds[kinds.len().saturating_sub(2)..].contains(&ValueKind::Integer);
                let op = if integers { sign.on_integers() } else { sign.on_booleans() };
                (Op::Binary(op), result(op))
            }
        };
        kinds.truncate(kinds.len().saturating_sub(op.arity()));
        kinds.push(kind);
        ops.push(op);
    }
    let expr = Expr::from_postorder(ops).expect("the reader of expressions puts out one tree");
    whole.then_some(expr)
}
