//! The binary reachability of a termination argument, written into the program as a failure, which asks whether something decreases each time that a place is passed: once, at any time, values are
//! remembered there, and from then on the program fails if it comes there again and none of them is less (Cook, Podelski and Rybalchenko,
//! *Termination proofs for systems code*, PLDI 2006).
//!
//! What is remembered at any time is compared with every later time. So if no run fails, then of any two times that a run passes the
//! place the later one has less of some measure; there are finitely many, and each has finitely many values: no run passes it
//! infinitely often (Podelski and Rybalchenko, *Transition invariants*, LICS 2004). Inside a frame what is remembered is in variables of
//! that frame. At entries it is in globals, and counts until the frame in which it was remembered is left: that ends the program. Where
//! frames do not matter it is in globals, and counts for ever.

use crate::c::edit::{self, Body};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId};
use crate::c::program::{Failure, InputKind, Label, ProcedureId, Program, Statement, StatementId, StatementKind};

use super::end_at_failures;
use crate::analyses::cut_points::Cut;

/// Something that decreases, or rises: either way it has finitely many values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rank {
    /// A number, which nothing undefined is needed to compute.
    pub measure: ExpressionId,
    /// It rises.
    pub rises: bool,
}

/// A program that fails if a place is passed again and nothing decreases.
pub struct Decreasing {
    /// The program.
    pub program: Program,
    /// The statement where values have been remembered.
    pub remembered: StatementId,
}

/// Writes the question into a program. Linear.
pub fn decreasing(program: &Program, cut: Cut, ranks: &[Rank]) -> Decreasing {
    let mut program = program.clone();
    end_at_failures(&mut program, |_| true);
    let procedure = cut.procedure();
    let entry = matches!(cut, Cut::Entry(_));
    let int = program.types.int();
    let variable = |program: &mut Program, name: &str, ty| match cut {
        Cut::Entry(_) | Cut::Anywhere(..) => edit::global(program, name, ty),
        Cut::Inside(..) => edit::local(program, procedure, name, ty),
    };
    let taken = variable(&mut program, ".taken", int);
    let choice = edit::local(&mut program, procedure, ".choice", int);
    let mine = entry.then(|| edit::local(&mut program, procedure, ".mine", int));
    let mut then = Vec::new();
    for (at, rank) in ranks.iter().enumerate() {
        let ty = program.terms.get(rank.measure).ty;
        then.push(variable(&mut program, &format!(".then{at}"), ty));
    }
    let old = program.procedures[procedure.0 as usize].body.take().unwrap_or_default();
    let mut writer = Writer { program, body: Body::default(), procedure, ranks, taken, choice, mine, then };
    let remembered = writer.write(&old, cut);
    let mut program = writer.program;
    program.procedures[procedure.0 as usize].body = Some(writer.body.finish());
    Decreasing { program, remembered }
}

struct Writer<'r> {
    program: Program,
    body: Body,
    procedure: ProcedureId,
    ranks: &'r [Rank],
    /// Whether values are remembered.
    taken: LvalueId,
    choice: LvalueId,
    /// Whether this frame has remembered them.
    mine: Option<LvalueId>,
    then: Vec<LvalueId>,
}

impl Writer<'_> {
    fn write(&mut self, old: &[Statement], cut: Cut) -> StatementId {
        let mut remembered = Label(0);
        if let Some(first) = old.first() {
            match (self.mine, cut) {
                (Some(mine), _) => {
                    self.assign(mine, 0, first);
                    remembered = self.asked(first);
                }
                (None, Cut::Inside(..)) => self.assign(self.taken, 0, first),
                (None, _) => {}
            }
        }
        for (at, statement) in old.iter().enumerate() {
            self.body.begin();
            let here = StatementId::of(self.procedure, Label(at as u32));
            if cut == Cut::Inside(here) || cut == Cut::Anywhere(here) {
                remembered = self.asked(statement);
            }
            if let (Some(mine), StatementKind::Return(_)) = (self.mine, &statement.kind) {
                let (mine, next) = (self.read(mine), self.body.next().0);
                self.body.push(StatementKind::Branch(mine, Label(next + 1), Label(next + 2)), statement.place);
                self.body.push(StatementKind::Exit(None), statement.place);
            }
            self.body.copy(statement);
        }
        StatementId::of(self.procedure, remembered)
    }

    /// The question before a statement; where values have been remembered.
    fn asked(&mut self, before: &Statement) -> Label {
        let (place, count) = (before.place, self.ranks.len() as u32);
        let first = self.body.next().0;
        let remember = first + count + 2;
        let rest = remember + 2 + count + 1 + u32::from(self.mine.is_some());
        let taken = self.read(self.taken);
        self.body.push(StatementKind::Branch(taken, Label(first + 1), Label(remember)), place);
        for at in 0..self.ranks.len() {
            let less = self.decreases(at);
            let next = self.body.next().0 + 1;
            self.body.push(StatementKind::Branch(less, Label(rest), Label(next)), place);
        }
        self.body.push(StatementKind::Fail(Failure::Asked), place);
        self.body.push(StatementKind::Input(self.choice, InputKind::Choice), place);
        let choice = self.read(self.choice);
        self.body.push(StatementKind::Branch(choice, Label(remember + 2), Label(rest)), place);
        for at in 0..self.ranks.len() {
            self.body.push(StatementKind::Assign(self.then[at], self.ranks[at].measure), place);
        }
        if let Some(mine) = self.mine {
            self.assign(mine, 1, before);
        }
        self.assign(self.taken, 1, before);
        Label(rest)
    }

    /// That a measure is less than what is remembered of it.
    fn decreases(&mut self, at: usize) -> ExpressionId {
        let Rank { measure, rises } = self.ranks[at];
        let before = self.read(self.then[at]);
        let int = self.program.types.int();
        let (less, more) = if rises { (before, measure) } else { (measure, before) };
        self.program.terms.expression(ExpressionKind::Binary(Binary::Less, less, more), int)
    }

    fn read(&mut self, lvalue: LvalueId) -> ExpressionId {
        let ty = self.program.terms.at(lvalue).ty;
        self.program.terms.expression(ExpressionKind::Read(lvalue), ty)
    }

    fn assign(&mut self, to: LvalueId, value: u128, at: &Statement) {
        let ty = self.program.terms.at(to).ty;
        let value = self.program.terms.expression(ExpressionKind::Constant(value), ty);
        self.body.push(StatementKind::Assign(to, value), at.place);
    }
}
