//! The constrained Horn clauses of a program: a relation symbol for each place where blocks begin, for each entry and for what each procedure
//! returns with; and for each way from one to the next what it does to values.

mod clause;

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::c::Program;
use crate::c::command::{Call, Command, Whom};
use crate::c::expression::ExpressionId;
use crate::c::program::{Callee, Label, ProcedureId, StatementId, StatementKind};

use super::super::linear::Values;
use super::super::simplex::Form;
use super::RelationSymbol;
use super::frames::{Frames, Word, body, frames, is_cell, is_of_all};

use clause::Clause;

/// Statements of a program for which clauses are written at most: those of larger ones are not solved in a few seconds.
const STATEMENTS: usize = 3_000;

/// Characters of a script at most.
const LENGTH: usize = 4_000_000;

/// What comes before. Relations stay as they are written, since they are what is asked for; and what one lemma after the other says with
/// other constants is to be said once (global guidance: Krishnan, Chen, Shoham and Gurfinkel, CAV 2020).
const HEAD: &str = "(set-option :fp.engine spacer)
(set-option :fp.spacer.global true)
(set-option :fp.xform.inline_eager false)
(set-option :fp.xform.inline_linear false)
(set-option :fp.xform.slice false)
(set-logic HORN)
";

/// A place at which there is a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Point {
    Entry(ProcedureId),
    Block(StatementId),
    Summary(ProcedureId),
}

/// The script for a program and what the relation `rN` is; none where nothing can fail, or the program is too large.
pub(super) fn clauses(program: &Program) -> Option<(String, Vec<RelationSymbol>)> {
    let frames = frames(program);
    let statements = || frames.of.keys().flat_map(|&procedure| body(program, procedure));
    let fails = statements().any(|statement| matches!(statement.kind, StatementKind::Fail(_)));
    if !fails || statements().count() > STATEMENTS {
        return None;
    }
    let (numbers, relations) = relations(program, &frames);
    let mut script = HEAD.to_owned();
    for (number, relation) in relations.iter().enumerate() {
        // Writing to a text does not fail.
        let _ = writeln!(script, "(declare-fun r{number} ({}) Bool)", vec!["Int"; relation.words.len()].join(" "));
    }
    let mut writer = Writer { program, frames: &frames, numbers, relations: &relations, script };
    writer.start();
    for (&procedure, frame) in &frames.of {
        writer.enter(procedure);
        for &label in frame.blocks.keys() {
            writer.block(procedure, label);
            if writer.script.len() > LENGTH {
                return None;
            }
        }
    }
    Some((writer.script + "(check-sat)\n(get-model)\n", relations))
}

fn relations(program: &Program, frames: &Frames) -> (BTreeMap<Point, usize>, Vec<RelationSymbol>) {
    let (mut numbers, mut relations) = (BTreeMap::new(), Vec::new());
    let mut add = |point, procedure, words| {
        numbers.insert(point, relations.len());
        relations.push(RelationSymbol { procedure, words });
    };
    for (&procedure, frame) in &frames.of {
        add(Point::Entry(procedure), procedure, frame.entry());
        for &label in frame.blocks.keys() {
            add(Point::Block(StatementId { procedure, label }), procedure, frame.block(label));
        }
        if frame.called {
            let returns = program.types.as_integer(program.procedure(procedure).result).is_some();
            add(Point::Summary(procedure), procedure, frame.summary(returns));
        }
    }
    (numbers, relations)
}

struct Writer<'p> {
    program: &'p Program,
    frames: &'p Frames,
    numbers: BTreeMap<Point, usize>,
    relations: &'p [RelationSymbol],
    script: String,
}

impl<'p> Writer<'p> {
    /// Where the program begins, and what is called from nowhere in particular.
    fn start(&mut self) {
        let program = self.program;
        let mut clause = Clause::new(program);
        for &cell in self.frames.of.get(&program.main).into_iter().flat_map(|frame| &frame.globals) {
            let external = program.terms.variable_of(cell).is_some_and(|variable| program.external.contains(&variable));
            let starts = if external { clause.any(program.terms.at(cell).ty) } else { Form::default() };
            clause.now.insert(cell, starts);
        }
        for &(to, value) in &program.initial {
            clause.assign(to, value);
        }
        self.conclude(clause, Point::Entry(program.main));
        for &procedure in &self.frames.pointed {
            self.conclude(Clause::new(program), Point::Entry(procedure));
        }
    }

    /// From the entry of a procedure to its first statement.
    fn enter(&mut self, procedure: ProcedureId) {
        let mut clause = Clause::new(self.program);
        self.given(&mut clause, Point::Entry(procedure));
        clause.before = clause.now.clone();
        self.conclude(clause, Point::Block(StatementId::first(procedure)));
    }

    /// From the beginning of a block to those after it.
    fn block(&mut self, procedure: ProcedureId, label: Label) {
        let mut clause = Clause::new(self.program);
        self.given(&mut clause, Point::Block(StatementId { procedure, label }));
        let mut at = label;
        while let Some(statement) = body(self.program, procedure).get(at.0 as usize) {
            match statement.kind.command(at) {
                Command::Asks(condition, yes, Some(no)) => {
                    let mut other = clause.clone();
                    clause.assume(condition, true);
                    other.assume(condition, false);
                    self.conclude(clause, Point::Block(StatementId::of(procedure, yes)));
                    return self.conclude(other, Point::Block(StatementId::of(procedure, no)));
                }
                Command::Asks(condition, _, None) => clause.assume(condition, true),
                Command::Returns(value) => {
                    clause.result = value.and_then(|value| clause.form(value));
                    return self.conclude(clause, Point::Summary(procedure));
                }
                Command::Fails => return self.script += &clause.implies("false"),
                Command::Exits(_) => return,
                Command::Calls(call, _) => self.call(&mut clause, call),
                Command::Does(action, _) => clause.does(action),
            }
            let Some(next) = statement.kind.successors(at).next() else { return };
            if self.numbers.contains_key(&Point::Block(StatementId::of(procedure, next))) {
                return self.conclude(clause, Point::Block(StatementId::of(procedure, next)));
            }
            at = next;
        }
    }

    /// A callee is entered, and what is known where it returns is known then.
    fn call(&mut self, clause: &mut Clause<'p>, Call { to, whom, arguments }: Call<'_>) {
        let program = self.program;
        let result = match whom {
            Whom::Callee(Callee::Pointer(_)) => {
                // It may change whatever is global.
                clause.now.retain(|&cell, _| !is_of_all(program, cell));
                None
            }
            Whom::Callee(Callee::Procedure(callee)) => self.returned(clause, callee, arguments),
            Whom::Foreign(_) => None,
        };
        if let Some(to) = to.filter(|&to| is_cell(program, to)) {
            let value = result.unwrap_or_else(|| clause.any(program.terms.at(to).ty));
            clause.now.insert(to, value);
        }
    }

    /// What a procedure returns; none if nothing is known of it.
    fn returned(&mut self, clause: &mut Clause<'p>, callee: ProcedureId, arguments: &[ExpressionId]) -> Option<Form> {
        let (program, frame) = (self.program, self.frames.of.get(&callee)?);
        let values: Vec<Option<Form>> = arguments.iter().map(|&argument| clause.form(argument)).collect();
        // As the callee sees it.
        let mut inner = clause.clone();
        inner.now.retain(|cell, _| frame.globals.contains(cell));
        for (formal, value) in frame.formals.iter().zip(values) {
            inner.now.extend(formal.zip(value));
        }
        self.conclude(inner.clone(), Point::Entry(callee));
        inner.before = inner.now.clone();
        for &cell in frame.globals.iter().filter(|cell| frame.written.contains(cell)) {
            let value = inner.any(program.terms.at(cell).ty);
            inner.now.insert(cell, value.clone());
            clause.now.insert(cell, value);
        }
        let ty = program.procedure(callee).result;
        inner.result = program.types.as_integer(ty).map(|_| inner.any(ty));
        let summary = self.applied(&mut inner, Point::Summary(callee))?;
        inner.demands(summary);
        let result = inner.result.take();
        clause.continues(inner);
        result
    }

    /// What is known at a point are the values that a clause begins with.
    fn given(&self, clause: &mut Clause<'p>, point: Point) {
        let Some(&number) = self.numbers.get(&point) else { return };
        for &word in &self.relations[number].words {
            let value = clause.fresh();
            match word {
                Word::Now(cell) => clause.now.insert(cell, value),
                Word::Before(cell) => clause.before.insert(cell, value),
                Word::Result => clause.result.replace(value),
            };
        }
        if let Some(known) = self.applied(clause, point) {
            clause.demands(known);
        }
    }

    /// The relation of a point, of the values of a clause.
    fn applied(&self, clause: &mut Clause<'p>, point: Point) -> Option<String> {
        let relation = self.numbers.get(&point)?;
        let words = &self.relations[*relation].words;
        let mut text = format!("(r{relation}");
        for &word in words {
            text += " ";
            text += &clause.text_of(word);
        }
        Some(if words.is_empty() { format!("r{relation}") } else { text + ")" })
    }

    fn conclude(&mut self, mut clause: Clause<'p>, point: Point) {
        if let Some(known) = self.applied(&mut clause, point) {
            self.script += &clause.implies(&known);
        }
    }
}
