//! The cone of influence of a condition, which predicates can have influence on it: the others need not be tracked.
//!
//! Objects matter whose values flow into conditions, or into what evaluation demands (no division by 0, …). A predicate matters if
//! it speaks of one of them; then all of which it speaks matter, because it tells of the ones what others tell of the rest: with
//! {x == z} and {z == 5}, z decides about x though it flows nowhere. What is left out speaks of objects of which no other
//! predicate speaks and that no condition depends on, so verdicts about places, failures and termination are the same. Control
//! needs no care: all conditions of the program count.

use std::collections::{BTreeMap, BTreeSet};

use crate::c::command::{Action, Call, Command, Source, Whom};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term, Unary};
use crate::c::program::{Callee, Label, Overflow, ProcedureId, Program};
use crate::points_to::{ObjectId, PointsTo};

use super::predicate::Predicate;

/// What has a value that can flow: memory, or the result of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    Object(ObjectId),
    Result(ProcedureId),
}

type Holders = BTreeSet<Holder>;

/// Those of the predicates that can have influence on a condition, in the same order. One pass over the program, then as long as
/// flows are followed.
pub(super) fn influential(
    program: &Program,
    points_to: &PointsTo,
    predicates: &[Predicate],
    overflow: Overflow,
) -> Vec<Predicate> {
    let mut flows = Flows { program, points_to, overflow, into: BTreeMap::new(), wanted: Holders::new() };
    for at in 0..program.procedures.len() {
        flows.procedure(ProcedureId(at as u32));
    }
    let spoken: Vec<Holders> =
        predicates.iter().map(|predicate| flows.read(predicate.expression, predicate.scope)).collect();
    for all in &spoken {
        // Whoever matters makes the others matter.
        all.iter().for_each(|&one| flows.into.entry(one).or_default().extend(all));
    }
    let matters = flows.followed();
    let kept = predicates.iter().zip(&spoken).filter(|(_, spoken)| !spoken.is_disjoint(&matters));
    kept.map(|(predicate, _)| predicate.clone()).collect()
}

struct Flows<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    overflow: Overflow,
    /// What may flow into something.
    into: BTreeMap<Holder, Holders>,
    /// What flows into conditions.
    wanted: Holders,
}

impl Flows<'_> {
    fn procedure(&mut self, id: ProcedureId) {
        let program = self.program;
        for (at, statement) in (0..).map(Label).zip(program.procedure(id).body.iter().flatten()) {
            match statement.kind.command(at) {
                Command::Does(Action::Nothing | Action::Begins(_) | Action::Ends(_), _) | Command::Fails => {}
                Command::Does(Action::Assigns(to, source), _) => match source {
                    Source::Of(value) | Source::Allocated { size: value, .. } => self.assign(to, &[value], None),
                    Source::Input | Source::Unknown => self.assign(to, &[], None),
                },
                Command::Does(Action::Frees(value), _) => self.evaluated(value),
                Command::Asks(condition, ..) => self.want(condition),
                Command::Calls(call, _) => self.call(call),
                Command::Exits(value) => value.into_iter().for_each(|value| self.evaluated(value)),
                Command::Returns(value) => {
                    if let Some(value) = value {
                        self.evaluated(value);
                        let read = self.read(value, Some(id));
                        self.into.entry(Holder::Result(id)).or_default().extend(read);
                    }
                }
            }
        }
    }

    /// Values, and the results of calls, flow into what may lie there.
    fn assign(&mut self, to: LvalueId, values: &[ExpressionId], result: Option<ProcedureId>) {
        let mut sources: Holders = result.map(Holder::Result).into_iter().collect();
        for &value in values {
            self.evaluated(value);
            sources.extend(self.read(value, None));
        }
        // Where it goes depends on how it is found.
        self.demanded(Term::Lvalue(to));
        sources.extend(self.reads(self.program.terms.parts(Term::Lvalue(to)).collect(), None));
        for location in self.points_to.lvalue(self.program, to) {
            self.into.entry(Holder::Object(location.object)).or_default().extend(&sources);
        }
    }

    fn call(&mut self, Call { to, whom, arguments }: Call<'_>) {
        if let Whom::Callee(Callee::Pointer(pointer)) = whom {
            self.want(pointer);
        }
        arguments.iter().for_each(|&argument| self.evaluated(argument));
        to.iter().for_each(|&to| self.assign(to, &[], None));
        let Whom::Callee(callee) = whom else { return };
        for callee in self.points_to.callees(self.program, callee) {
            for (formal, argument) in self.program.procedure(callee).formals.iter().zip(arguments) {
                let Some(location) = self.points_to.objects.variable(*formal) else { continue };
                let read = self.read(*argument, None);
                self.into.entry(Holder::Object(location.object)).or_default().extend(read);
            }
            to.iter().for_each(|&to| self.assign(to, &[], Some(callee)));
        }
    }

    fn want(&mut self, condition: ExpressionId) {
        let read = self.read(condition, None);
        self.wanted.extend(read);
    }

    fn evaluated(&mut self, expression: ExpressionId) {
        self.demanded(Term::Expression(expression));
    }

    /// Wants whatever decides whether a value exists.
    fn demanded(&mut self, of: Term) {
        let mut stack = vec![of];
        while let Some(term) = stack.pop() {
            if self.demands(term) {
                let read = self.reads(vec![term], None);
                self.wanted.extend(read);
            }
            stack.extend(self.program.terms.parts(term));
        }
    }

    /// Whether evaluating a term, its parts left out, may be undefined.
    fn demands(&self, term: Term) -> bool {
        let wraps = self.overflow == Overflow::Wrap;
        match term {
            Term::Lvalue(id) => !matches!(self.program.terms.at(id).kind, LvalueKind::Variable(_)),
            Term::Expression(id) => match self.program.terms.get(id).kind {
                ExpressionKind::Unary(Unary::Negate, _) => !wraps,
                ExpressionKind::Binary(operator, ..) => match operator {
                    Binary::Add | Binary::Subtract | Binary::Multiply => !wraps,
                    Binary::Divide | Binary::Remainder | Binary::ShiftLeft | Binary::ShiftRight | Binary::Length => {
                        true
                    }
                    _ => false,
                },
                ExpressionKind::Offset(..) | ExpressionKind::Distance(..) => true,
                _ => false,
            },
        }
    }

    /// What an expression reads; `result` there is that of the procedure.
    fn read(&self, expression: ExpressionId, procedure: Option<ProcedureId>) -> Holders {
        self.reads(vec![Term::Expression(expression)], procedure)
    }

    fn reads(&self, mut stack: Vec<Term>, procedure: Option<ProcedureId>) -> Holders {
        let (program, mut sources) = (self.program, Holders::new());
        while let Some(term) = stack.pop() {
            if let Term::Expression(id) = term {
                match program.terms.get(id).kind {
                    ExpressionKind::Read(from) | ExpressionKind::Pre(from) => {
                        let locations = self.points_to.lvalue(program, from).into_iter();
                        sources.extend(locations.map(|location| Holder::Object(location.object)));
                    }
                    ExpressionKind::Result => sources.extend(procedure.map(Holder::Result)),
                    _ => {}
                }
            }
            stack.extend(program.terms.parts(term));
        }
        sources
    }

    /// What flows into conditions, however long the way is.
    fn followed(self) -> Holders {
        let mut matters = Holders::new();
        let mut open: Vec<Holder> = self.wanted.into_iter().collect();
        while let Some(source) = open.pop() {
            if matters.insert(source) {
                open.extend(self.into.get(&source).into_iter().flatten());
            }
        }
        matters
    }
}
