//! The arguments of relation symbols, that is, of which values the clauses of a procedure speak: integers in variables, and in members of them,
//! whose address nobody takes.

use std::collections::{BTreeMap, BTreeSet};

use crate::c::Program;
use crate::c::expression::{ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{Callee, Label, ProcedureId, Statement, StatementKind, Storage, VariableId};

/// A value at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Word {
    /// What is in an lvalue.
    Now(LvalueId),
    /// What was in it when the procedure was entered.
    Before(LvalueId),
    /// What the procedure returns.
    Result,
}

/// What a procedure knows.
#[derive(Debug, Default)]
pub(super) struct Frame {
    /// Its formals, as far as they are integers of which is spoken.
    pub formals: Vec<Option<LvalueId>>,
    /// The globals that it, and what it calls, may read or write.
    pub globals: BTreeSet<LvalueId>,
    /// What it writes, and the globals that what it calls may write.
    pub written: BTreeSet<LvalueId>,
    /// Where blocks begin, with the locals that matter there.
    pub blocks: BTreeMap<Label, BTreeSet<LvalueId>>,
    /// Whether somebody calls it.
    pub called: bool,
    calls: BTreeSet<ProcedureId>,
}

/// The procedures that the program may come to.
pub(super) struct Frames {
    pub of: BTreeMap<ProcedureId, Frame>,
    /// Those that are called through pointers.
    pub pointed: BTreeSet<ProcedureId>,
}

/// The statements of a procedure; none if it has no body.
pub(super) fn body(program: &Program, procedure: ProcedureId) -> &[Statement] {
    program.procedure(procedure).body.as_deref().unwrap_or_default()
}

/// Whether clauses speak of what is in an lvalue.
pub(super) fn is_cell(program: &Program, lvalue: LvalueId) -> bool {
    if program.types.as_integer(program.terms.at(lvalue).ty).is_none() {
        return false;
    }
    let mut at = lvalue;
    loop {
        match program.terms.at(at).kind {
            LvalueKind::Variable(variable) => {
                let variable = program.variable(variable);
                return !variable.address_taken && variable.storage != Storage::Constant;
            }
            LvalueKind::Field(of, _) if is_structure(program, of) => at = of,
            _ => return false,
        }
    }
}

fn is_structure(program: &Program, lvalue: LvalueId) -> bool {
    program.types.as_record(program.terms.at(lvalue).ty).is_some_and(|record| !record.union)
}

/// Whether an lvalue is a part of a global variable.
pub(super) fn is_of_all(program: &Program, lvalue: LvalueId) -> bool {
    program.terms.variable_of(lvalue).is_some_and(|variable| program.is_global(variable))
}

/// What each procedure knows that the program may come to.
pub(super) fn frames(program: &Program) -> Frames {
    let mut frames = Frames { of: BTreeMap::new(), pointed: BTreeSet::new() };
    let mut open = vec![program.main];
    while let Some(procedure) = open.pop() {
        if frames.of.contains_key(&procedure) {
            continue;
        }
        let through_pointers = body(program, procedure).iter().any(|statement| is_through_pointer(&statement.kind));
        if through_pointers && frames.pointed.is_empty() {
            frames.pointed = pointed(program);
            open.extend(&frames.pointed);
        }
        let frame = frame(program, procedure);
        open.extend(&frame.calls);
        frames.of.insert(procedure, frame);
    }
    frames.close(program);
    for (&procedure, frame) in &mut frames.of {
        frame.blocks = live(program, procedure);
    }
    frames
}

fn is_through_pointer(kind: &StatementKind) -> bool {
    matches!(kind, StatementKind::Call(_, Callee::Pointer(_), _))
}

/// The procedures whose address is taken.
fn pointed(program: &Program) -> BTreeSet<ProcedureId> {
    let named = program.terms.expressions().filter_map(|expression| match expression.kind {
        ExpressionKind::Procedure(procedure) => Some(procedure),
        _ => None,
    });
    named.filter(|&procedure| !body(program, procedure).is_empty()).collect()
}

/// What a procedure itself reads, writes and calls.
fn frame(program: &Program, procedure: ProcedureId) -> Frame {
    let mut frame = Frame::default();
    let formals = program.procedure(procedure).formals.iter();
    frame.formals = formals.map(|&formal| variable(program, formal)).collect();
    for Statement { kind, .. } in body(program, procedure) {
        frame.written.extend(kind.target().filter(|&to| is_cell(program, to)));
        frame.globals.extend(read(program, kind));
        if let StatementKind::Call(_, Callee::Procedure(callee), _) = kind {
            frame.calls.insert(*callee);
        }
    }
    frame.globals.extend(&frame.written);
    frame.globals.retain(|&cell| is_of_all(program, cell));
    frame
}

/// A variable as an lvalue of which is spoken.
fn variable(program: &Program, variable: VariableId) -> Option<LvalueId> {
    let ty = program.variable(variable).ty;
    let lvalue = program.terms.known_lvalue(&LvalueKind::Variable(variable), ty)?;
    is_cell(program, lvalue).then_some(lvalue)
}

/// What a statement reads, of which is spoken.
fn read(program: &Program, kind: &StatementKind) -> impl Iterator<Item = LvalueId> {
    let terms = kind.terms().flat_map(|root| program.terms.postorder(root));
    terms.filter_map(|term| match term {
        Term::Expression(id) => match program.terms.get(id).kind {
            ExpressionKind::Read(lvalue) if is_cell(program, lvalue) => Some(lvalue),
            _ => None,
        },
        Term::Lvalue(_) => None,
    })
}

impl Frames {
    /// Who calls knows what those know that are called. Whatever is called through a pointer may change all globals.
    fn close(&mut self, program: &Program) {
        let all: BTreeSet<LvalueId> = self.of.values().flat_map(|frame| frame.globals.iter().copied()).collect();
        let mut called = self.pointed.clone();
        for (&procedure, frame) in &mut self.of {
            called.extend(&frame.calls);
            if body(program, procedure).iter().any(|statement| is_through_pointer(&statement.kind)) {
                frame.globals.extend(&all);
                frame.written.extend(&all);
            }
        }
        for procedure in called {
            if let Some(frame) = self.of.get_mut(&procedure) {
                frame.called = true;
            }
        }
        let callers: Vec<ProcedureId> = self.of.keys().copied().collect();
        let mut grown = true;
        while grown {
            grown = false;
            for caller in &callers {
                let callees = self.of[caller].calls.clone();
                for callee in callees {
                    grown |= self.take(program, *caller, callee);
                }
            }
        }
    }

    /// A caller knows what a callee does; whether that is new.
    fn take(&mut self, program: &Program, caller: ProcedureId, callee: ProcedureId) -> bool {
        let Some(frame) = self.of.get(&callee) else { return false };
        let globals = frame.globals.clone();
        let written: Vec<LvalueId> = frame.written.iter().copied().filter(|&cell| is_of_all(program, cell)).collect();
        let Some(frame) = self.of.get_mut(&caller) else { return false };
        let before = frame.globals.len() + frame.written.len();
        frame.globals.extend(globals);
        frame.written.extend(written);
        frame.globals.len() + frame.written.len() > before
    }
}

/// Where blocks of a procedure begin, and the locals whose values are still read from there on.
fn live(program: &Program, procedure: ProcedureId) -> BTreeMap<Label, BTreeSet<LvalueId>> {
    let statements = body(program, procedure);
    let mut blocks: BTreeMap<Label, BTreeSet<LvalueId>> =
        leaders(statements).into_iter().map(|label| (label, BTreeSet::new())).collect();
    let labels: Vec<Label> = blocks.keys().copied().collect();
    let mut grown = true;
    while grown {
        grown = false;
        for &label in labels.iter().rev() {
            let now = live_at(program, statements, label, &blocks);
            if blocks[&label].len() < now.len() {
                blocks.insert(label, now);
                grown = true;
            }
        }
    }
    blocks
}

/// The same of one block, from those that come after it.
fn live_at(
    program: &Program,
    statements: &[Statement],
    label: Label,
    blocks: &BTreeMap<Label, BTreeSet<LvalueId>>,
) -> BTreeSet<LvalueId> {
    let begin = label.0 as usize;
    let end = blocks.range(Label(label.0 + 1)..).next().map_or(statements.len(), |(next, _)| next.0 as usize);
    let mut live = BTreeSet::new();
    let last = Label(u32::try_from(end).unwrap_or(u32::MAX).saturating_sub(1));
    if let Some(statement) = statements.get(last.0 as usize) {
        live.extend(statement.kind.successors(last).filter_map(|next| blocks.get(&next)).flatten());
    }
    for Statement { kind, .. } in statements.get(begin..end).unwrap_or_default().iter().rev() {
        if let Some(to) = kind.target() {
            live.remove(&to);
        }
        if let StatementKind::Declare(variable) = kind {
            live.retain(|&cell| program.terms.variable_of(cell) != Some(*variable));
        }
        live.extend(read(program, kind).filter(|&cell| !is_of_all(program, cell)));
    }
    live
}

/// The first statement, where control is led, and what comes after what writes: what holds between two assignments of a block is no
/// less worth knowing.
fn leaders(statements: &[Statement]) -> BTreeSet<Label> {
    let mut leaders = BTreeSet::from([Label(0)]);
    for (at, Statement { kind, .. }) in (0..).zip(statements) {
        let leads = matches!(kind, StatementKind::Branch(..) | StatementKind::Goto(_) | StatementKind::Call(..));
        if leads || kind.target().is_some() {
            leaders.extend(kind.successors(Label(at)));
        }
    }
    leaders
}

impl Frame {
    /// What is known where it is entered.
    pub fn entry(&self) -> Vec<Word> {
        self.formals.iter().flatten().chain(&self.globals).map(|&cell| Word::Now(cell)).collect()
    }

    /// What is known where a block begins: also of the entry, if there is somebody to tell it at the end.
    pub fn block(&self, label: Label) -> Vec<Word> {
        let mut now: BTreeSet<LvalueId> = self.globals.clone();
        now.extend(self.blocks.get(&label).into_iter().flatten());
        let mut words = Vec::new();
        if self.called {
            now.extend(self.formals.iter().flatten().filter(|cell| !self.written.contains(cell)));
            let entry = self.formals.iter().flatten().chain(&self.globals);
            words.extend(entry.filter(|cell| self.written.contains(cell)).map(|&cell| Word::Before(cell)));
        }
        words.extend(now.into_iter().map(Word::Now));
        words
    }

    /// What is known once it has returned. Its formals are gone then, so it is said what they were.
    pub fn summary(&self, returns: bool) -> Vec<Word> {
        let changed = self.globals.iter().filter(|cell| self.written.contains(cell));
        let before = self.formals.iter().flatten().chain(changed).map(|&cell| Word::Before(cell));
        let now = self.globals.iter().map(|&cell| Word::Now(cell));
        before.chain(returns.then_some(Word::Result)).chain(now).collect()
    }
}
