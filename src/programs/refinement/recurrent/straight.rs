//! A way by itself: the program in which it is all that is done.

use crate::c::Program;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{Label, ProcedureId, Statement, StatementKind};
use crate::c::types::Type;
use crate::interpreter::forever::Watched;

use super::turn::Way;

/// What a statement of a straight program decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Whether something holds that is watched, by its number.
    Watched(usize, bool),
    /// Where a branch leads.
    Goes(bool),
}

impl Choice {
    /// The other one.
    pub fn opposite(self) -> Choice {
        match self {
            Choice::Watched(number, holds) => Choice::Watched(number, !holds),
            Choice::Goes(yes) => Choice::Goes(!yes),
        }
    }
}

/// What a statement of a straight program stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// At which statement of the way.
    pub at: usize,
    pub label: Label,
    pub fixed: Option<i128>,
    pub choice: Option<Choice>,
}

/// The program in which a way, taken again and again, is all that its procedure does: everything that it asks for and that may be chosen is
/// chosen, wherever it goes another way it ends, and so it does where something that is watched is otherwise than it was; and what its statements
/// stand for, but for the last two. None if there is something on the way of which it is not said exactly when it goes on.
pub(super) fn straight(
    program: &Program,
    (procedure, way): (ProcedureId, &Way),
    watched: &[Watched],
) -> Option<(Program, Vec<Part>)> {
    let mut made = program.clone();
    let body = program.procedure(procedure).body.as_ref()?;
    let mut new = Straight { program: &mut made, statements: Vec::new() };
    let mut parts: Vec<Part> = Vec::new();
    let followers = way.path[1..].iter().chain(way.path.first());
    for (at, (&label, &follower)) in way.path.iter().zip(followers).enumerate() {
        let statement = body.get(label.0 as usize)?;
        let part = Part { at, label, fixed: way.fixed[at], choice: None };
        for (number, (watched, &holds)) in watched.iter().zip(&way.holds[at]).enumerate() {
            if watched.scope.is_none_or(|scope| scope == procedure) {
                new.decides(watched.condition, holds, statement)?;
                parts.push(Part { choice: Some(Choice::Watched(number, holds)), ..part });
            }
        }
        match statement.kind {
            StatementKind::Branch(condition, yes, no) if yes == no => new.evaluates(condition, statement)?,
            StatementKind::Branch(condition, yes, _) => {
                new.decides(condition, yes == follower, statement)?;
                parts.push(Part { choice: Some(Choice::Goes(yes == follower)), ..part });
            }
            StatementKind::Assume(condition) => new.decides(condition, true, statement)?,
            _ => new.does(statement, way.fixed[at])?,
        }
        parts.resize(new.statements.len(), part);
    }
    let statements = new.finish(body.get(way.path[0].0 as usize)?);
    made.procedures[procedure.0 as usize].body = Some(statements);
    Some((made, parts))
}

struct Straight<'m> {
    program: &'m mut Program,
    statements: Vec<Statement>,
}

impl Straight<'_> {
    fn push(&mut self, kind: StatementKind, like: &Statement) {
        self.statements.push(Statement { kind, place: like.place, labels: Vec::new() });
    }

    /// Goes on where a condition holds, or does not, and ends otherwise.
    fn decides(&mut self, condition: ExpressionId, holds: bool, like: &Statement) -> Option<()> {
        if !self.is_plain(Term::Expression(condition)) {
            return None;
        }
        let (next, end) = (Label(self.statements.len() as u32 + 1), Label(u32::MAX));
        let (yes, no) = if holds { (next, end) } else { (end, next) };
        self.push(StatementKind::Branch(condition, yes, no), like);
        Some(())
    }

    /// Goes on whether a condition holds or not: it is only evaluated.
    fn evaluates(&mut self, condition: ExpressionId, like: &Statement) -> Option<()> {
        let next = Label(self.statements.len() as u32 + 1);
        self.is_plain(Term::Expression(condition))
            .then(|| self.push(StatementKind::Branch(condition, next, next), like))
    }

    fn does(&mut self, statement: &Statement, fixed: Option<i128>) -> Option<()> {
        let is_plain = |term| self.is_plain(term);
        let kind = match statement.kind {
            StatementKind::Skip | StatementKind::Goto(_) => return Some(()),
            StatementKind::Assign(to, value) => {
                (is_plain(Term::Lvalue(to)) && is_plain(Term::Expression(value))).then(|| statement.kind.clone())?
            }
            StatementKind::Input(to, _) if is_plain(Term::Lvalue(to)) => match fixed {
                None => statement.kind.clone(),
                Some(number) => StatementKind::Assign(to, self.constant(to, number)?),
            },
            StatementKind::Declare(_) | StatementKind::Dead(_) => statement.kind.clone(),
            // What is called may not return, what is elsewhere may do this or that, and nobody knows what is not represented.
            _ => return None,
        };
        self.push(kind, statement);
        Some(())
    }

    fn constant(&mut self, to: LvalueId, number: i128) -> Option<ExpressionId> {
        let ty = self.program.terms.at(to).ty;
        let integer = self.program.types.as_integer(ty)?;
        Some(self.program.terms.expression(ExpressionKind::Constant(number as u128 & integer.mask()), ty))
    }

    /// Whether nothing in it goes through pointers, or into an array of which nobody knows how long it is.
    fn is_plain(&self, term: Term) -> bool {
        let Program { terms, types, .. } = &*self.program;
        terms.postorder(term).into_iter().all(|part| match part {
            Term::Lvalue(lvalue) => match terms.at(lvalue).kind {
                LvalueKind::Variable(_) | LvalueKind::Field(..) => true,
                LvalueKind::Element(of, _) => matches!(types.get(terms.at(of).ty), Type::Array(_, 1..)),
                LvalueKind::Deref(_) => false,
            },
            Term::Expression(id) => !matches!(
                terms.get(id).kind,
                ExpressionKind::Offset(..)
                    | ExpressionKind::Distance(..)
                    | ExpressionKind::Pre(_)
                    | ExpressionKind::Result
            ),
        })
    }

    /// The body: back to the beginning, and where it ends.
    fn finish(mut self, like: &Statement) -> Vec<Statement> {
        self.push(StatementKind::Goto(Label(0)), like);
        let last = Label(self.statements.len() as u32);
        self.push(StatementKind::Exit(None), like);
        for statement in &mut self.statements {
            if let StatementKind::Branch(_, yes, no) = &mut statement.kind {
                for to in [yes, no].into_iter().filter(|to| to.0 == u32::MAX) {
                    *to = last;
                }
            }
        }
        self.statements
    }
}
