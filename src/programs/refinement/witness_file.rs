//! Witnesses in the format 2.0 of competitions, for other tools to confirm verdicts (Ayaziová, Beyer, Lingsch-Rosenfeld, Spiessl and
//! Strejček, *Software verification witnesses 2.0*, SPIN 2024): of a violation a sequence of waypoints, assumptions where inputs have been
//! read, the sides of branches, and the target.
//!
//! Text is JSON's where YAML wants text in quotes: that is YAML as well.

use std::fmt::Write as _;

use serde_json::json;
use spds_format::model::Place;

pub use crate::answer::{Metadata, Witness};
use crate::c::Program;
use crate::c::expression::{Expression, ExpressionKind, LvalueKind};
use crate::c::program::{InputKind, Label, Overflow, ProcedureId, StatementKind};
use crate::interpreter::{self, Inputs, Moment, Value, execute};
use crate::source::Source;

use super::Input;

/// In a longer run the sides of branches are left out: they follow from the inputs.
const BRANCHINGS: usize = 10_000;

/// Where something is, so far to the right.
pub(super) fn location(program: &Program, procedure: ProcedureId, place: Place, indent: &str) -> String {
    let file = program.file(place);
    let name = &program.procedure(procedure).name;
    let mut text = format!("{indent}location:\n{indent}  file_name: {}\n{indent}  line: {}\n", json!(file), place.line);
    let _ = writeln!(text, "{indent}  column: {}\n{indent}  function: {}", place.column, json!(name));
    text
}

/// The byte at which the statement begins that stands at a byte: of a declaration its type comes before the name. Nothing if something
/// else of that statement comes before, too.
pub(super) fn statement_start(text: &str, byte: usize) -> Option<usize> {
    let before = &text[..byte];
    let is_type = |c: char| c.is_alphanumeric() || c == '_' || c == '*' || c.is_whitespace();
    let words = &before[before.trim_end_matches(is_type).len()..];
    if !before[..before.len() - words.len()].ends_with(['{', '}', ';', ':', ')']) {
        return None;
    }
    let mut each = words.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    match each.next() {
        Some(word) if !["else", "do", "case", "goto", "return"].contains(&word) => {
            Some(byte - words.trim_start().len())
        }
        _ if words.contains('*') => None,
        _ => Some(byte),
    }
}

/// A point on the way of a violation.
struct Waypoint {
    kind: &'static str,
    procedure: ProcedureId,
    place: Place,
    /// A condition, or the side of a branch.
    constraint: Option<String>,
}

impl Waypoint {
    fn text(&self, program: &Program) -> String {
        let mut text =
            format!("  - segment:\n    - waypoint:\n        type: \"{}\"\n        action: \"follow\"\n", self.kind);
        text += &location(program, self.procedure, self.place, "        ");
        if let Some(value) = &self.constraint {
            let _ = writeln!(text, "        constraint:\n          value: {}", json!(value));
            if self.kind == "assumption" {
                text += "          format: \"c_expression\"\n";
            }
        }
        text
    }
}

/// The witness of a violation by a run with these inputs.
pub fn violation(program: &Program, sources: &[Source<'_>], overflow: Overflow, inputs: &[Input]) -> Witness {
    let options = interpreter::Options::of(overflow, u64::MAX);
    let numbers = Inputs::list(inputs.iter().map(|input| input.value));
    let mut following = Following { program, sources, waypoints: Vec::new(), open: None, last: None };
    let outcome = execute(program, &options, numbers, &mut |moment| following.step(moment));
    let mut waypoints = following.waypoints;
    if waypoints.len() > BRANCHINGS {
        waypoints.retain(|waypoint| waypoint.kind != "branching");
    }
    waypoints.push(Waypoint { kind: "target", procedure: outcome.procedure, place: outcome.place, constraint: None });
    let content = waypoints.iter().map(|waypoint| waypoint.text(program)).collect();
    Witness { kind: "violation_sequence", content }
}

/// What is known while the run is executed.
struct Following<'a> {
    program: &'a Program,
    sources: &'a [Source<'a>],
    waypoints: Vec<Waypoint>,
    /// An input that was stored: where, and what can be assumed before the next statement there.
    open: Option<(ProcedureId, Place, String)>,
    /// The branch that was taken last.
    last: Option<(ProcedureId, Place, Label, Label)>,
}

impl Following<'_> {
    fn step(&mut self, moment: &Moment<'_>) {
        if moment.statement.kind.is_made_up() {
            return;
        }
        let (procedure, place) = (moment.procedure, moment.statement.place);
        self.branched(moment);
        if let Some((other, before, condition)) = self.open.take() {
            if (other, before) == (procedure, place) {
                // Several statements of one place, as macros make them, may change what was stored.
                let hidden = moment.wrote.is_none_or(|(to, _)| self.program.is_made_up(to));
                self.open = hidden.then_some((other, before, condition));
            } else if other == procedure
                && let Some(place) = self.begins(place)
            {
                self.waypoints.push(Waypoint { kind: "assumption", procedure, place, constraint: Some(condition) });
            }
        }
        match (&moment.statement.kind, moment.wrote) {
            (StatementKind::Input(_, kind), Some((to, value)))
                if !matches!(kind, InputKind::Order | InputKind::Unspecified(_)) =>
            {
                self.stored(procedure, place, to, value)
            }
            (StatementKind::Assign(_, from), Some((to, value))) if self.is_hidden(*from) => {
                self.stored(procedure, place, to, value);
            }
            (StatementKind::Branch(_, yes, no), _) if yes != no => self.last = Some((procedure, place, *yes, *no)),
            _ => {}
        }
    }

    /// Where the statement begins that stands at a place, if nothing of it comes before.
    fn begins(&self, place: Place) -> Option<Place> {
        let (source, byte) = found(self.program, self.sources, place)?;
        let (line, column) = source.position(statement_start(source.text, byte)?);
        Some(Place { file: place.file, line: line as u32, column: column as u32 })
    }

    /// Whether an expression is the value of a variable that is not in the source, perhaps converted.
    fn is_hidden(&self, expression: crate::c::expression::ExpressionId) -> bool {
        let Expression { kind, .. } = self.program.terms.get(expression);
        match kind {
            ExpressionKind::Read(from) => self.program.is_made_up(*from),
            ExpressionKind::Convert(of) => self.is_hidden(*of),
            _ => false,
        }
    }

    /// A variable of the source has got a number.
    fn stored(&mut self, procedure: ProcedureId, place: Place, to: crate::c::expression::LvalueId, value: Value) {
        let lvalue = self.program.terms.at(to);
        let LvalueKind::Variable(_) = lvalue.kind else { return };
        if let (Value::Bits(bits), false) = (value, self.program.is_made_up(to)) {
            let name = self.program.lvalue_text(to);
            let condition = format!("{name} == {}", self.program.constant_text(bits, lvalue.ty));
            self.open = Some((procedure, place, condition));
        }
    }

    /// The side of the branch before this statement, where the source shows a whole condition.
    fn branched(&mut self, moment: &Moment<'_>) {
        let Some((procedure, place, yes, no)) = self.last.take() else { return };
        let side = match moment.label {
            label if label == yes => "true",
            label if label == no => "false",
            _ => return,
        };
        if procedure == moment.procedure && self.is_whole(procedure, place) {
            self.waypoints.push(Waypoint { kind: "branching", procedure, place, constraint: Some(side.to_owned()) });
        }
    }

    /// Whether a statement with a condition begins at a place, and only one branch is made of it.
    fn is_whole(&self, procedure: ProcedureId, place: Place) -> bool {
        let file = self.program.file(place);
        let Some(source) = self.sources.iter().find(|source| source.name == file) else { return false };
        let rest = source.rest_of_line(place.line as usize, place.column as usize);
        let begins = ["if", "while"].iter().any(|word| {
            let after = rest.strip_prefix(word).map(str::trim_start);
            // What is negated goes to the other side.
            after.and_then(|after| after.strip_prefix('(')).is_some_and(|inside| !inside.trim_start().starts_with('!'))
        });
        let body = self.program.procedure(procedure).body.iter().flatten();
        let branches = body.filter(|other| other.place == place && matches!(other.kind, StatementKind::Branch(..)));
        begins && branches.count() == 1
    }
}

/// Where a place is in the source.
pub(super) fn found<'s>(program: &Program, sources: &'s [Source<'s>], place: Place) -> Option<(&'s Source<'s>, usize)> {
    let file = program.files.get(place.file as usize)?;
    let source = sources.iter().find(|source| *source.name == **file)?;
    let rest = source.rest_of_line(place.line as usize, place.column as usize);
    let end = source.line_range(place.line as usize).end;
    (!rest.is_empty()).then(|| (source, end.saturating_sub(rest.len())))
}
