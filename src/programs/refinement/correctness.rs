//! Witnesses of correctness in the format 2.0 of competitions: what is known where loops turn and where procedures begin, in C.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::json;
use spds_format::model::{Place, SymbolId, Var};

use crate::abstraction::shorter::{Sum, Test, shorter};
use crate::abstraction::{Predicate, PredicateId, Reuse, System, Tuning};
use crate::analyses::Analyses;
use crate::analyses::cut_points::Cut;
use crate::c::Program;
use crate::c::bodiless::failing;
use crate::c::library::modelled;
use crate::c::program::{Label, Overflow, ProcedureId, StatementId, StatementKind, Storage, VariableId};
use crate::check::Target;
use crate::facts::{Described, Fact, Known, Question, facts};
use crate::formula::form::{Cell, Formula, Literal};
use crate::limits::Stop;
use crate::options::Options;
use crate::source::Source;

use super::invariants::claims;
use super::invariants::told::{in_c, places};
use super::portable::{is_only, portable};
use super::witness_file::{Witness, found, location, statement_start};

/// An abstraction that holds.
#[derive(Clone, Debug)]
pub struct Held {
    /// The program.
    pub program: Program,
    /// The predicates.
    pub predicates: Vec<Predicate>,
    /// The system of the Boolean program.
    pub system: System,
    /// What is known of the program.
    pub analyses: Arc<Analyses>,
}

/// More products in a sum are no short invariant: it is left out.
const PRODUCTS: usize = 24;

/// What is known at a place of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// The procedure.
    pub procedure: ProcedureId,
    /// The statement before which it holds.
    pub label: Label,
    /// Where that is; of a loop, where its word is.
    pub place: Place,
    /// Whether it is about the turns of a loop.
    pub of_loop: bool,
    /// A condition in C.
    pub condition: String,
}

/// The witness of a program that holds.
pub fn correctness(program: &Program, invariants: &[Invariant]) -> Witness {
    let mut text = String::new();
    for invariant in invariants {
        let kind = if invariant.of_loop { "loop_invariant" } else { "location_invariant" };
        let _ = writeln!(text, "  - invariant:\n      type: \"{kind}\"");
        text += &location(program, invariant.procedure, invariant.place, "      ");
        let _ = writeln!(text, "      value: {}\n      format: \"c_expression\"", json!(invariant.condition));
    }
    Witness { kind: "invariant_set", content: text }
}

/// What is known where loops turn and where procedures begin, as far as C can say it there.
///
/// # Errors
/// If a limit is met.
pub fn invariants(
    program: &Program,
    held: &Held,
    sources: &[Source<'_>],
    options: &Options,
) -> Result<Vec<Invariant>, Stop> {
    let mut points: Vec<Point<'_>> = Vec::new();
    let mut reuse = Reuse::with(held.analyses.clone());
    let is_own = |id: ProcedureId| modelled(&program.procedure(id).name).is_none();
    for cut in reuse.analyses().cuts() {
        if let &Cut::Inside(StatementId { procedure, label }) = cut
            && enters(&held.program, procedure)
            && is_own(procedure)
        {
            points.extend(Point::of_loop(program, sources, procedure, label));
        }
    }
    for id in
        (0..program.procedures.len() as u32).map(ProcedureId).filter(|id| enters(&held.program, *id) && is_own(*id))
    {
        points.extend(
            Point::of_entry(program, sources, id)
                .filter(|new| points.iter().all(|other| (other.procedure, other.label) != (new.procedure, new.label))),
        );
    }
    let asked: Vec<(Target, Vec<Var>)> = points.iter().filter_map(|point| held.asked(program, point)).collect();
    let known = facts(&held.system.spds, &Question::Of(asked, PRODUCTS), options).facts?;
    let mut invariants = Vec::new();
    for Fact { target, known } in known {
        let point = points.iter().find(|point| held.symbol(point) == Some(target.symbol));
        let Some(point) = point else { continue };
        if let Some(condition) = held.said(program, target.symbol, &known, &mut reuse) {
            let &Point { procedure, label, place, of_loop, .. } = point;
            invariants.push(Invariant { procedure, label, place, of_loop, condition });
        }
    }
    invariants.sort_by_key(|one| (one.place.file, one.place.line, one.place.column));
    Ok(invariants)
}

/// What was proved of cut points, where loops turn and where procedures begin, as far as C can say it there.
pub fn of_cut_points(program: &Program, proved: &[claims::Invariant], sources: &[Source<'_>]) -> Vec<Invariant> {
    let mut all = Vec::new();
    for StatementId { procedure, label } in places(proved) {
        if !(enters(program, procedure) && modelled(&program.procedure(procedure).name).is_none()) {
            continue;
        }
        let entry = Some(()).filter(|()| label == Label(0)).and_then(|()| Point::of_entry(program, sources, procedure));
        let Some(point) = entry.or_else(|| Point::of_loop(program, sources, procedure, label)) else { continue };
        let named = |id: VariableId| is_only(program, id) && point.sees(program, id);
        let said = in_c(program, StatementId::of(procedure, label), proved, &named);
        if !said.is_empty() {
            let said: Vec<String> = said.into_iter().map(|one| format!("({one})")).collect();
            let Point { place, of_loop, .. } = point;
            all.push(Invariant { procedure, label, place, of_loop, condition: said.join(" && ") });
        }
    }
    all.sort_by_key(|one| (one.place.file, one.place.line, one.place.column));
    all
}

/// Whether calls of a procedure execute the body that it has in the source: not those that are errors of which nobody asks, and not those of
/// what the source does not define.
fn enters(program: &Program, id: ProcedureId) -> bool {
    let procedure = program.procedure(id);
    let all = program.procedures.iter().flat_map(|procedure| procedure.body.iter().flatten());
    let asked = |failure| all.clone().any(|statement| statement.kind == StatementKind::Fail(failure));
    procedure.foreign.is_none() && failing(&procedure.name).is_none_or(asked)
}

impl Held {
    /// The first line of the Boolean program that is made of a statement.
    fn symbol(&self, point: &Point<'_>) -> Option<SymbolId> {
        self.system.symbol(StatementId { procedure: point.procedure, label: point.label }, 0)
    }

    fn asked(&self, program: &Program, point: &Point<'_>) -> Option<(Target, Vec<Var>)> {
        let symbol = self.symbol(point)?;
        let globals = (0..self.system.spds.globals.len() as u32).map(Var::Global);
        let locals = (0..self.system.spds.locals(symbol).len() as u32).map(Var::Local);
        let sees = |id: VariableId| is_only(program, id) && point.sees(program, id);
        let told = |var: &Var| {
            let predicate = self.system.predicate(symbol, *var).map(|id| id.of(&self.predicates));
            predicate.is_some_and(|predicate| portable(&self.program, predicate.expression, &sees).is_some())
        };
        Some((Target { control: None, symbol }, globals.chain(locals).filter(told).collect()))
    }

    /// What is known, in C, without what is said anyhow; nothing if that says nothing.
    fn said(&self, program: &Program, symbol: SymbolId, known: &Known, reuse: &mut Reuse) -> Option<String> {
        let Known::Reached { constants, formula } = known else { return Some("0".to_owned()) };
        let of_constants = Formula::of_constants(constants);
        let formula = if let Described::As(formula) = formula { formula } else { &of_constants };
        let predicate = |cell: &Cell| self.system.predicate(symbol, cell.var);
        let test = |literal: &Literal| match literal {
            Literal::Is(cell, value) => Some(Test { predicate: predicate(cell)?, other: None, value: *value }),
            Literal::Same(a, b, same) => {
                Some(Test { predicate: predicate(a)?, other: Some(predicate(b)?), value: *same })
            }
            _ => None,
        };
        // What is not said in whole is left out.
        let sums = formula
            .sums
            .iter()
            .filter_map(|sum| sum.iter().map(|product| product.iter().map(test).collect()).collect::<Option<Sum>>());
        let procedure = self.system.origin(symbol)?.statement.procedure;
        let tuning = Tuning::default();
        let of = (&self.program, &self.predicates[..]);
        let sums = shorter(of, Overflow::Wrap, &tuning, reuse, procedure, sums.collect());
        let parts: Option<Vec<String>> = sums.iter().map(|sum| self.sum(program, sum)).collect();
        parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join(" && "))
    }

    fn sum(&self, program: &Program, sum: &Sum) -> Option<String> {
        let predicate = |id: PredicateId| {
            let predicate = id.of(&self.predicates);
            portable(&self.program, predicate.expression, &|id| is_only(program, id))
        };
        let test = |test: &Test| {
            let (first, value) = (predicate(test.predicate)?, test.value);
            Some(match test.other {
                Some(other) => format!("(!{first} {} !{})", if value { "==" } else { "!=" }, predicate(other)?),
                None => {
                    if value {
                        first
                    } else {
                        format!("(!{first})")
                    }
                }
            })
        };
        let product = |tests: &Vec<Test>| {
            let tests = tests.iter().map(test).collect::<Option<Vec<String>>>()?;
            Some(if tests.len() == 1 { tests.concat() } else { format!("({})", tests.join(" && ")) })
        };
        let products = sum.iter().map(product).collect::<Option<Vec<String>>>()?;
        Some(if products.len() == 1 { products.concat() } else { format!("({})", products.join(" || ")) })
    }
}

/// A place of the source.
#[derive(Clone, Copy, Debug)]
struct Point<'s> {
    procedure: ProcedureId,
    label: Label,
    place: Place,
    of_loop: bool,
    source: &'s Source<'s>,
    /// The byte of the source where what can be seen counts.
    byte: usize,
}

impl<'s> Point<'s> {
    fn new(program: &Program, sources: &'s [Source<'s>], procedure: ProcedureId, label: Label) -> Option<Point<'s>> {
        let place = program.procedure(procedure).body.as_ref()?.get(label.0 as usize)?.place;
        let (source, byte) = found(program, sources, place)?;
        let byte = statement_start(source.text, byte).unwrap_or(byte);
        let (line, column) = source.position(byte);
        let place = Place { file: place.file, line: line as u32, column: column as u32 };
        Some(Point { procedure, label, place, of_loop: false, source, byte })
    }

    /// Where a loop turns.
    fn of_loop(
        program: &Program,
        sources: &'s [Source<'s>],
        procedure: ProcedureId,
        label: Label,
    ) -> Option<Point<'s>> {
        let point = Point::new(program, sources, procedure, label)?;
        let text = point.source.text;
        if begins_with(&text[point.byte..], "while") {
            return Some(Point { of_loop: true, ..point });
        }
        if let Some(word) = header(text, point.byte) {
            let (line, column) = point.source.position(word);
            let place = Place { file: point.place.file, line: line as u32, column: column as u32 };
            return Some(Point { of_loop: true, place, ..point });
        }
        point.begins(program).then_some(point)
    }

    /// Where a procedure begins.
    fn of_entry(program: &Program, sources: &'s [Source<'s>], procedure: ProcedureId) -> Option<Point<'s>> {
        let point = Point::new(program, sources, procedure, Label(0))?;
        let words = ["while", "for", "do"];
        let is_plain = words.iter().all(|word| !begins_with(&point.source.text[point.byte..], word));
        (is_plain && point.begins(program)).then_some(point)
    }

    /// Whether a statement of the source begins here: what is before it on the way is no part of one.
    fn begins(&self, program: &Program) -> bool {
        let body = program.procedure(self.procedure).body.as_ref();
        let before = self.label.0.checked_sub(1).and_then(|at| body?.get(at as usize));
        let own = body.and_then(|body| body.get(self.label.0 as usize)).map(|own| own.place);
        let before = before.is_none_or(|before| Some(before.place) != own);
        before && self.source.text[..self.byte].trim_end().ends_with(['{', '}', ';', ':', ')'])
    }

    /// Whether a variable is declared before this place, in a block that is still open here.
    fn sees(&self, program: &Program, variable: VariableId) -> bool {
        let one = program.variable(variable);
        if matches!(one.storage, Storage::Local(of) if program.procedure(of).formals.contains(&variable)) {
            return true;
        }
        let file = program.file(one.place);
        if file != self.source.name {
            return false;
        }
        let range = self.source.line_range(one.place.line as usize);
        let declared = range.start + (one.place.column as usize).saturating_sub(1);
        declared < self.byte && stays_open(self.source.text, declared, self.byte)
    }
}

fn begins_with(text: &str, word: &str) -> bool {
    let after = text.strip_prefix(word);
    after.is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The byte at which `for` stands, if this is the condition of such a loop.
fn header(text: &str, byte: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text[..byte].char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' if depth == 0 => {
                let before = text[..at].trim_end();
                let word = before.len().checked_sub(3)?;
                let is_word = before.is_char_boundary(word) && begins_with(&before[word..], "for");
                let apart = !text[..word].ends_with(|c: char| c.is_alphanumeric() || c == '_');
                return (is_word && apart).then_some(word);
            }
            '(' => depth -= 1,
            '{' | '}' => return None,
            _ => {}
        }
    }
    None
}

/// Whether no block or bracket that is open at one byte is closed before another one. Comments and texts in quotes are skipped.
fn stays_open(text: &str, from: usize, to: usize) -> bool {
    let Some(part) = text.get(from..to) else { return false };
    let mut depth = 0i32;
    let mut rest = part;
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if c == '"' || c == '\'' {
            quoted(rest, c)
        } else {
            depth += match c {
                '{' | '(' => 1,
                '}' | ')' => -1,
                _ => 0,
            };
            if depth < 0 {
                return false;
            }
            c.len_utf8()
        };
        rest = &rest[skipped..];
    }
    true
}

/// How long a text in quotes is.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}
