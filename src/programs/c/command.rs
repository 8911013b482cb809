//! Guarded commands: what a statement of C- does, in C's own terms (Dijkstra, *Guarded commands, nondeterminacy and formal derivation of
//! programs*, CACM 1975).
//!
//! There are more kinds of statements than things that they do: kinds tell who made a statement and what is said of it, commands what it
//! does. Who gives statements a meaning of his own (relations over terms, integers in place of machine integers, weakest preconditions,
//! flows of pointers) gives one to commands. Who executes programs knows more, and reads statements.

use super::expression::{ExpressionId, LvalueId};
use super::program::{Callee, Effect, Label, Room, StatementKind, VariableId};

/// What a statement does, and where control goes then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'p> {
    /// Something that stays in the frame; then control goes to this statement.
    Does(Action, Label),
    /// Goes where a condition says; where it is false, and there is no second statement, this is no run.
    Asks(ExpressionId, Label, Option<Label>),
    /// Calls somebody, and goes on with this statement after the return.
    Calls(Call<'p>, Label),
    /// Goes to where the frame was called.
    Returns(Option<ExpressionId>),
    /// Ends the run, which is fine.
    Exits(Option<ExpressionId>),
    /// Ends the run, which is an error.
    Fails,
}

/// What is done inside a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    Nothing,
    /// An lvalue gets a value.
    Assigns(LvalueId, Source),
    /// An allocated object ceases to live.
    Frees(ExpressionId),
    /// A local begins to live, with any value.
    Begins(VariableId),
    /// A local ceases to live: pointers to it point to nothing from here on.
    Ends(VariableId),
}

/// Where an assigned value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// It is that of an expression.
    Of(ExpressionId),
    /// It is any: each of them is real.
    Input,
    /// It is one that is not represented: any, though not each need be real.
    Unknown,
    /// It leads to a new object, or is NULL where that may be lacking.
    Allocated {
        /// So many bytes.
        size: ExpressionId,
        /// Where.
        room: Room,
        /// Whether there may be none.
        lacks: bool,
    },
}

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'p> {
    /// Gets what is returned.
    pub to: Option<LvalueId>,
    /// Who is called.
    pub whom: Whom,
    /// What is given.
    pub arguments: &'p [ExpressionId],
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whom {
    /// A procedure of the program, or whatever a pointer leads to.
    Callee(Callee),
    /// Somebody without a body, of whom this is known.
    Foreign(Effect),
}

impl Source {
    /// The expression whose value it is.
    pub fn expression(self) -> Option<ExpressionId> {
        match self {
            Source::Of(value) => Some(value),
            Source::Input | Source::Unknown | Source::Allocated { .. } => None,
        }
    }
}

impl Whom {
    /// Whether nothing is known of who is called, so that whatever it is given may be written, and called.
    pub fn may_write_anything(self) -> bool {
        matches!(self, Whom::Foreign(effect) if effect.writes())
    }
}

impl StatementKind {
    /// What the statement at a label does.
    pub fn command(&self, here: Label) -> Command<'_> {
        let next = Label(here.0 + 1);
        let does = |action| Command::Does(action, next);
        match self {
            StatementKind::Skip | StatementKind::Unseen(..) => does(Action::Nothing),
            StatementKind::Goto(to) => Command::Does(Action::Nothing, *to),
            StatementKind::Assign(to, value) => does(Action::Assigns(*to, Source::Of(*value))),
            StatementKind::Input(to, _) => does(Action::Assigns(*to, Source::Input)),
            StatementKind::Havoc(to, ..) => does(Action::Assigns(*to, Source::Unknown)),
            &StatementKind::Allocate { to, size, room, lacks, .. } => {
                does(Action::Assigns(to, Source::Allocated { size, room, lacks }))
            }
            StatementKind::Free(pointer) => does(Action::Frees(*pointer)),
            StatementKind::Declare(variable) => does(Action::Begins(*variable)),
            StatementKind::Dead(variable) => does(Action::Ends(*variable)),
            StatementKind::Assume(condition) => Command::Asks(*condition, next, None),
            StatementKind::Branch(condition, yes, no) => Command::Asks(*condition, *yes, Some(*no)),
            StatementKind::Call(to, callee, arguments) => {
                Command::Calls(Call { to: *to, whom: Whom::Callee(*callee), arguments }, next)
            }
            StatementKind::External(to, _, arguments, effect) => {
                Command::Calls(Call { to: *to, whom: Whom::Foreign(*effect), arguments }, next)
            }
            StatementKind::Return(value) => Command::Returns(*value),
            StatementKind::Exit(code) => Command::Exits(*code),
            StatementKind::Fail(_) => Command::Fails,
        }
    }
}
