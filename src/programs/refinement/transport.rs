//! Weakest preconditions along a trace: what has to hold before a statement so that a condition holds at a later one, carried backwards
//! over assignments, into calls and out of them (Ball and Rajamani's Newton; Dijkstra).

use crate::abstraction::predicate::reads;
use crate::c::Program;
use crate::c::command::{Action, Call, Command, Source};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{ProcedureId, StatementKind};
use crate::concretise::Taken;

use super::build::{Exchange, exchanged};
use super::weakest::{before, reads_lvalue, replaced};

/// More statements back nobody carries a condition.
const FARTHEST: usize = 20_000;

/// A condition of a procedure.
pub(super) type Local = (ProcedureId, ExpressionId);

/// The conditions that a condition at a step becomes on the way back, the first one included, each once; in their procedures.
pub(super) fn carried(program: &mut Program, steps: &[Taken], at: usize, condition: ExpressionId) -> Vec<Local> {
    let Some(first) = steps.get(at) else { return Vec::new() };
    let mut carrier = Carrier { program, steps, frame: first.frame, condition, found: Vec::new() };
    carrier.note(first.procedure);
    for index in (at.saturating_sub(FARTHEST)..at).rev() {
        if !carrier.back(index) {
            break;
        }
    }
    carrier.found
}

struct Carrier<'c> {
    program: &'c mut Program,
    steps: &'c [Taken],
    /// In which frame the condition is.
    frame: usize,
    condition: ExpressionId,
    found: Vec<Local>,
}

impl Carrier<'_> {
    fn note(&mut self, procedure: ProcedureId) {
        let found = (procedure, self.condition);
        if !self.found.contains(&found) {
            self.found.push(found);
        }
    }

    /// Over one step; whether there is something left to carry.
    fn back(&mut self, index: usize) -> bool {
        let step = self.steps[index];
        let next = self.steps[index + 1].frame;
        if step.frame != self.frame {
            return self.between(index, step, next);
        }
        let Some(kind) = self.kind(step) else { return false };
        let command = kind.command(step.label);
        // What a call does that is followed is seen inside it.
        if step.callee.is_some() {
            return true;
        }
        if let Command::Does(Action::Assigns(to, Source::Of(_)), _) = command {
            self.meets(step.procedure, to);
        }
        let Some(before) = before(self.program, command, self.condition) else { return false };
        if before == self.condition {
            return self.is_open();
        }
        self.condition = before;
        self.is_open() && {
            self.note(step.procedure);
            true
        }
    }

    fn kind(&self, step: Taken) -> Option<StatementKind> {
        let body = self.program.procedure(step.procedure).body.as_ref()?;
        Some(body.get(step.label.0 as usize)?.kind.clone())
    }

    /// Whether the condition depends on anything.
    fn is_open(&self) -> bool {
        let reads = reads(self.program, self.condition);
        reads.result || reads.pre || !reads.now.is_empty()
    }

    /// Over a step of another frame: into a call that has returned, or out of the frame to its call.
    fn between(&mut self, index: usize, step: Taken, next: usize) -> bool {
        let Some(kind) = self.kind(step) else { return false };
        match kind.command(step.label) {
            // The step after it is the one after the call.
            Command::Returns(value) if next == self.frame => self.enter(index, step, value),
            Command::Calls(call, _) if next == self.frame && step.callee.is_some() => self.leave(step, call.arguments),
            // Inside a call over which the condition is carried.
            _ => true,
        }
    }

    /// From after a return into the callee, as far as its locals and ours do not mix.
    fn enter(&mut self, index: usize, step: Taken, value: Option<ExpressionId>) -> bool {
        let caller = self.frame;
        let Some(call) = self.steps[..index].iter().rfind(|other| other.frame == caller).copied() else { return false };
        let Some(kind) = self.kind(call) else { return false };
        let Command::Calls(Call { to, arguments, .. }, _) = kind.command(call.label) else { return false };
        let mut inside = self.condition;
        if let Some(to) = to
            && reads_lvalue(self.program, self.condition, to)
        {
            let ty = self.program.terms.at(to).ty;
            let result = self.program.terms.expression(ExpressionKind::Result, ty);
            inside = replaced(self.program, inside, to, result);
        }
        if let Some(callee) = call.callee {
            inside = self.by_formals(call.procedure, callee, arguments, inside);
        }
        let read = reads(self.program, inside);
        if !read.now.iter().all(|&variable| self.program.is_global(variable)) {
            // What the callee returns is needed, and what the caller has.
            return !read.result;
        }
        if !(read.result || read.pre) && read.now.is_empty() {
            return false;
        }
        self.frame = step.frame;
        self.condition = inside;
        self.note(step.procedure);
        self.as_it_is(step.procedure);
        inside = self.condition;
        if let Some(value) = value.filter(|_| read.result) {
            self.condition = exchanged(self.program, inside, &Exchange { result: Some(value), ..Exchange::default() });
            self.note(step.procedure);
        }
        self.is_open()
    }

    /// A write through a pointer may be one of what the condition reads: whether the pointer leads there is worth knowing (Morris's axiom).
    fn meets(&mut self, procedure: ProcedureId, to: LvalueId) {
        let LvalueKind::Deref(pointer) = self.program.terms.at(to).kind else { return };
        let (of, ty) = (self.program.terms.at(to).ty, self.program.terms.get(pointer).ty);
        let int = self.program.types.int();
        for term in self.program.terms.postorder(Term::Expression(self.condition)) {
            let Term::Lvalue(lvalue) = term else { continue };
            let LvalueKind::Variable(variable) = self.program.terms.at(lvalue).kind else { continue };
            if self.program.terms.at(lvalue).ty == of && self.program.variable(variable).address_taken {
                let there = self.program.terms.expression(ExpressionKind::AddressOf(lvalue), ty);
                let kind = ExpressionKind::Binary(Binary::Equal, pointer, there);
                let found = (procedure, self.program.terms.expression(kind, int));
                if !self.found.contains(&found) {
                    self.found.push(found);
                }
            }
        }
    }

    /// What was behind pointers at the entry is behind those that there are now, where a procedure keeps them.
    fn as_it_is(&mut self, procedure: ProcedureId) {
        let mut by = Exchange::default();
        for term in self.program.terms.postorder(Term::Expression(self.condition)) {
            let Term::Lvalue(lvalue) = term else { continue };
            let LvalueKind::Deref(pointer) = self.program.terms.at(lvalue).kind else { continue };
            let ExpressionKind::Pre(formal) = self.program.terms.get(pointer).kind else { continue };
            if self.keeps(procedure, formal) {
                let ty = self.program.terms.at(formal).ty;
                by.before.insert(formal, self.program.terms.expression(ExpressionKind::Read(formal), ty));
            }
        }
        if !by.before.is_empty() {
            self.condition = exchanged(self.program, self.condition, &by);
            self.note(procedure);
        }
    }

    /// What the caller has in its variables as the callee has it in its formals, where an argument is a variable, or that and a constant.
    fn by_formals(
        &mut self,
        caller: ProcedureId,
        callee: ProcedureId,
        arguments: &[ExpressionId],
        condition: ExpressionId,
    ) -> ExpressionId {
        let mut by = Exchange::default();
        for (&formal, &actual) in self.program.procedure(callee).formals.clone().iter().zip(arguments) {
            let ty = self.program.variable(formal).ty;
            let lvalue = self.program.terms.lvalue(LvalueKind::Variable(formal), ty);
            let before = self.program.terms.expression(ExpressionKind::Pre(lvalue), ty);
            let (variable, value) = match self.program.terms.get(actual).kind {
                ExpressionKind::Read(variable) => (variable, before),
                ExpressionKind::AddressOf(target) => {
                    let of = self.program.terms.at(target).ty;
                    if self.program.types.pointee(ty) == Some(of) && self.program.types.is_represented(of) {
                        let there = self.program.terms.lvalue(LvalueKind::Deref(before), of);
                        let value = self.program.terms.expression(ExpressionKind::Read(there), of);
                        by.reads.entry(target).or_insert(value);
                    }
                    continue;
                }
                ExpressionKind::Binary(operator @ (Binary::Add | Binary::Subtract), a, c) => {
                    let ExpressionKind::Read(variable) = self.program.terms.get(a).kind else { continue };
                    if !matches!(self.program.terms.get(c).kind, ExpressionKind::Constant(_)) {
                        continue;
                    }
                    let back = if operator == Binary::Add { Binary::Subtract } else { Binary::Add };
                    let kind = ExpressionKind::Binary(back, before, c);
                    (variable, self.program.terms.expression(kind, ty))
                }
                _ => continue,
            };
            if self.program.terms.at(variable).ty != ty {
                continue;
            }
            if self.keeps(caller, variable) {
                by.before.entry(variable).or_insert(value);
            }
            by.reads.entry(variable).or_insert(value);
        }
        exchanged(self.program, condition, &by)
    }

    /// Whether a procedure never assigns a formal, so that it is what it was at the entry.
    fn keeps(&self, procedure: ProcedureId, lvalue: LvalueId) -> bool {
        let LvalueKind::Variable(variable) = self.program.terms.at(lvalue).kind else { return false };
        let procedure = self.program.procedure(procedure);
        procedure.formals.contains(&variable)
            && !self.program.variable(variable).address_taken
            && !procedure.body.iter().flatten().any(|statement| statement.kind.target() == Some(lvalue))
    }

    /// From the beginning of a frame to its call: formals are actuals.
    fn leave(&mut self, step: Taken, arguments: &[ExpressionId]) -> bool {
        let Some(callee) = step.callee else { return false };
        let mut by = Exchange::default();
        for (&formal, &actual) in self.program.procedure(callee).formals.clone().iter().zip(arguments) {
            let ty = self.program.variable(formal).ty;
            let lvalue = self.program.terms.lvalue(LvalueKind::Variable(formal), ty);
            by.reads.insert(lvalue, actual);
            by.before.insert(lvalue, actual);
        }
        let own = reads(self.program, self.condition);
        let formals = &self.program.procedure(callee).formals;
        if !own.now.iter().all(|&variable| self.program.is_global(variable) || formals.contains(&variable)) {
            return false;
        }
        self.condition = exchanged(self.program, self.condition, &by);
        self.frame = step.frame;
        self.is_open() && {
            self.note(step.procedure);
            true
        }
    }
}
