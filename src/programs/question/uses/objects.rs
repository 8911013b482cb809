//! Questions about objects that were freed ([`super::super::freed`]), and about locals without a value ([`super::super::initialised`]).

use std::collections::HashSet;

use spds_format::model::Place;

use super::super::freed::{Freeing, Question, Reallocation, Remembered, accessed};
use super::super::initialised::Initialising;
use super::super::wrong::{Needed, stripped};
use super::{Body, Use, Writer, negation};
use crate::c::expression::{ExpressionId, Term};
use crate::c::meaning::Kind;
use crate::c::program::{Label, ProcedureId, Statement, StatementId, StatementKind};

/// The statement about which is asked, and what was asked of it.
pub(super) struct Asking {
    pub procedure: ProcedureId,
    pub place: Place,
    /// Pointers of whose objects it was asked whether they were freed.
    gone: HashSet<ExpressionId>,
}

impl Asking {
    pub(super) fn of(procedure: ProcedureId, place: Place) -> Asking {
        Asking { procedure, place, gone: HashSet::new() }
    }
}

impl Writer<'_> {
    /// Statements that are nothing for readers.
    pub(super) fn hidden(&mut self, body: &mut Body, procedure: ProcedureId, all: Vec<StatementKind>, place: Place) {
        for kind in all {
            self.out.apart.push(StatementId::of(procedure, body.next()));
            body.push(kind, place);
        }
    }

    /// Asks of all objects that are looked at where these expressions are evaluated.
    pub(super) fn looked_at(&mut self, body: &mut Body, asking: &mut Asking, all: &[ExpressionId]) {
        if let Some(freeing) = self.freeing.take() {
            let pointers = accessed(&self.out.program, all.iter().map(|one| Term::Expression(*one)));
            self.gone(body, asking, &freeing, &pointers);
            self.freeing = Some(freeing);
        }
    }

    /// Asks of the objects of these pointers whether they were freed.
    fn gone(&mut self, body: &mut Body, asking: &mut Asking, freeing: &Freeing<'_>, pointers: &[ExpressionId]) {
        for &pointer in pointers {
            if asking.gone.insert(pointer) {
                self.ask_freed(body, asking, freeing, (pointer, Kind::UseAfterFree));
            }
        }
    }

    fn ask_freed(
        &mut self,
        body: &mut Body,
        asking: &Asking,
        freeing: &Freeing<'_>,
        (pointer, kind): (ExpressionId, Kind),
    ) {
        let &Asking { procedure, place, .. } = asking;
        let subject = Term::Expression(stripped(&self.out.program, pointer));
        if self.is_asked(&Use { procedure, place, kind, subject: Some(subject) }) {
            let Question { before, wrong } = freeing.asked(&mut self.out.program, procedure, pointer, kind);
            self.hidden(body, procedure, before, place);
            self.write(body, Needed { kind, subject, wrong }, procedure, place);
        }
    }

    /// Asks about the rest of what the first of some statements gets at, and about what it frees; and what is freed is told.
    pub(super) fn freed(
        &mut self,
        body: &mut Body,
        asking: &mut Asking,
        statements: &[Statement],
    ) -> Option<Remembered> {
        let statement = statements.first()?;
        let freeing = self.freeing.take()?;
        let moved = Reallocation::of(&self.out.program, &statement.kind);
        let next = statements.get(1).and_then(|next| Reallocation::of(&self.out.program, &next.kind));
        let freed = match statement.kind {
            // It says that what comes next frees it.
            StatementKind::Free(_) if next.is_some() => None,
            StatementKind::Free(pointer) => Some(pointer),
            _ => moved.as_ref().map(|moved| moved.old),
        };
        let pointers = freeing.accessed(&self.out.program, &statement.kind);
        self.gone(body, asking, &freeing, &pointers);
        if let Some(pointer) = freed {
            self.ask_freed(body, asking, &freeing, (pointer, Kind::DoubleFree));
        }
        let (program, procedure) = (&mut self.out.program, asking.procedure);
        let (told, remembered) = match (moved, freed) {
            (Some(moved), _) => freeing.remembers(program, procedure, &moved),
            (None, Some(pointer)) => (freeing.frees(program, procedure, pointer, body.next()), None),
            (None, None) => (Vec::new(), None),
        };
        self.hidden(body, procedure, told, asking.place);
        self.freeing = Some(freeing);
        remembered
    }

    /// What is told behind a call that may have moved an object.
    pub(super) fn moved(&mut self, body: &mut Body, procedure: ProcedureId, of: &Remembered, place: Place) {
        if let Some(freeing) = &self.freeing {
            let all = freeing.reallocated(&mut self.out.program, procedure, of, body.next());
            self.hidden(body, procedure, all, place);
        }
    }

    /// Which locals may have no value where they are read, if that is asked; at the beginning none has one.
    pub(super) fn initialising(&mut self, body: &mut Body, procedure: ProcedureId) -> Option<Initialising> {
        if !self.asked.kinds.contains(&Kind::Uninitialised) {
            return None;
        }
        let of = Initialising::of(self.read, &mut self.out.program, procedure);
        let begun = of.begun(&mut self.out.program);
        self.hidden(body, procedure, begun, self.read.procedure(procedure).place);
        Some(of)
    }

    /// Asks about what a statement reads that may have no value; no run goes past it if that is not asked.
    pub(super) fn unassigned(&mut self, body: &mut Body, asking: &Asking, of: &Initialising, at: Label) {
        let &Asking { procedure, place, .. } = asking;
        for (value, wrong) in of.asked(&mut self.out.program, at) {
            let (kind, subject) = (Kind::Uninitialised, Term::Expression(value));
            if self.is_asked(&Use { procedure, place, kind, subject: Some(subject) }) {
                self.write(body, Needed { kind, subject, wrong: vec![vec![wrong]] }, procedure, place);
            } else {
                // Nothing else ends runs there.
                let goes_on = negation(&mut self.out.program, wrong);
                self.hidden(body, procedure, vec![StatementKind::Assume(goes_on)], place);
            }
        }
    }
}
