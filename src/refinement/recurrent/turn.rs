//! Turns: what a run that was executed does again and again in one frame, statement by statement.

use std::collections::{BTreeMap, BTreeSet};

use crate::c::Program;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{InputKind, Label, ProcedureId, Statement, StatementId, StatementKind};
use crate::c::types::Type;
use crate::interpreter::Given;
use crate::interpreter::forever::Watched;

/// So many passes through a statement are one turn at most.
const PERIODS: usize = 3;

/// So many statements are looked at that a run passes again and again.
const HEADS: usize = 4;

/// So many of the last passes through a statement are looked at.
const LAST: usize = 6;

/// A turn has no more statements.
const LONGEST: usize = 2_000;

/// A configuration of a run.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The statement that is next.
    pub at: StatementId,
    /// Frames below.
    pub depth: usize,
    /// How many inputs were asked for before it.
    pub inputs: usize,
    /// What holds there of what is watched.
    pub holds: Box<[bool]>,
}

/// What is done between two passes of a statement in one frame.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub procedure: ProcedureId,
    /// The statements, from the one that is passed on.
    pub path: Vec<Label>,
    /// For each of them the number that it asks for, if that may be chosen.
    pub fixed: Vec<Option<i128>>,
    /// For each of them what holds before it.
    pub holds: Vec<Box<[bool]>>,
    /// All numbers that are asked for.
    pub inputs: Vec<i128>,
    /// Steps of the run before it.
    pub start: usize,
    /// Inputs of the run before it.
    pub of_stem: usize,
}

/// The turns that a run may go on with for ever: those that it has taken last, through statements of the lowest frame that it is in then.
pub(super) fn turns(program: &Program, run: &[Step], given: &[Given]) -> Vec<Turn> {
    let recent = run.len() / 2;
    let Some(depth) = run[recent..].iter().map(|step| step.depth).min() else { return Vec::new() };
    let own: Vec<usize> = (recent..run.len()).filter(|&at| run[at].depth == depth).collect();
    let mut passes: BTreeMap<StatementId, Vec<usize>> = BTreeMap::new();
    let mut heads = BTreeSet::new();
    for (index, &at) in own.iter().enumerate() {
        passes.entry(run[at].at).or_default().push(at);
        if index > 0 && run[own[index - 1]].at.label >= run[at].at.label {
            heads.insert(run[at].at);
        }
    }
    let mut heads: Vec<&Vec<usize>> =
        heads.iter().map(|head| &passes[head]).filter(|passes| passes.len() > 2).collect();
    heads.sort_by_key(|passes| passes.len());
    let (mut all, mut known) = (Vec::new(), BTreeSet::new());
    for passes in heads.into_iter().take(HEADS) {
        for period in 1..=PERIODS {
            for last in (period..passes.len()).rev().take(if period == 1 { LAST } else { 1 }) {
                let part = (passes[last - period], passes[last]);
                let turn = turn(program, run, given, part);
                all.extend(turn.filter(|turn| known.insert((turn.path.clone(), turn.fixed.clone()))));
            }
        }
    }
    all
}

/// A part of a run as a turn, if it calls nothing.
fn turn(program: &Program, run: &[Step], given: &[Given], (start, end): (usize, usize)) -> Option<Turn> {
    let Step { at: StatementId { procedure, .. }, depth, inputs: of_stem, .. } = run[start];
    let part = run.get(start..end).filter(|part| (1..=LONGEST).contains(&part.len()))?;
    if part.iter().any(|step| step.depth != depth || step.at.procedure != procedure) {
        return None;
    }
    let body = program.procedure(procedure).body.as_ref()?;
    let mut turn = Turn {
        procedure,
        path: Vec::new(),
        fixed: Vec::new(),
        holds: Vec::new(),
        inputs: given.get(of_stem..run[end].inputs)?.iter().map(|given| given.value).collect(),
        start,
        of_stem,
    };
    for (at, step) in (start..).zip(part) {
        let asked = given.get(step.inputs..run[at + 1].inputs)?;
        let fixed = match (&body.get(step.at.label.0 as usize)?.kind, asked) {
            (StatementKind::Input(..), [given]) => chosen(given)?,
            (StatementKind::Input(..), _) => return None,
            _ => None,
        };
        turn.path.push(step.at.label);
        turn.fixed.push(fixed);
        turn.holds.push(step.holds.clone());
    }
    Some(turn)
}

/// The number that was given, if whoever gives it may give the same one again and again; the outer none where no turn should rest on it.
fn chosen(given: &Given) -> Option<Option<i128>> {
    match given.call {
        Some(InputKind::Returned(_) | InputKind::Choice) => Some(Some(given.value)),
        // From left to right.
        Some(InputKind::Order) => (given.value == 0).then_some(Some(0)),
        // Whatever it is.
        Some(InputKind::Volatile(_) | InputKind::Unspecified(_)) | None => Some(None),
        Some(InputKind::Allocated(_)) => None,
    }
}

/// The program in which a turn, taken again and again, is all that its procedure does: everything that it asks for and that may be chosen is
/// chosen, wherever it goes another way it ends, and so it does where something that is watched is otherwise than it was. None if there is
/// something in the turn of which it is not said exactly when it goes on.
pub(super) fn straight(program: &Program, turn: &Turn, watched: &[Watched]) -> Option<(Program, Vec<Label>)> {
    let mut made = program.clone();
    let body = program.procedure(turn.procedure).body.as_ref()?;
    let mut new = Straight { program: &mut made, statements: Vec::new() };
    let followers = turn.path[1..].iter().chain(turn.path.first());
    for (at, (&label, &follower)) in turn.path.iter().zip(followers).enumerate() {
        let statement = body.get(label.0 as usize)?;
        for (watched, &holds) in watched.iter().zip(&turn.holds[at]) {
            if watched.scope.is_none_or(|scope| scope == turn.procedure) {
                new.decides(watched.condition, holds, statement)?;
            }
        }
        match statement.kind {
            StatementKind::Branch(condition, yes, no) if yes == no => new.evaluates(condition, statement)?,
            StatementKind::Branch(condition, yes, _) => new.decides(condition, yes == follower, statement)?,
            StatementKind::Assume(condition) => new.decides(condition, true, statement)?,
            _ => new.does(statement, turn.fixed[at])?,
        }
    }
    let labels = (0..=new.statements.len() as u32).map(Label).collect();
    let statements = new.finish(body.get(turn.path[0].0 as usize)?);
    made.procedures[turn.procedure.0 as usize].body = Some(statements);
    Some((made, labels))
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
