//! What the frames of runs that were executed take, as far as it is known what a compiler has made of calls: never too much.

use crate::c::Program;
use crate::c::expression::{ExpressionId, ExpressionKind};
use crate::c::program::{Label, ProcedureId, Statement, StatementId, StatementKind};
use crate::stack_usage::{Compilation, Frames};

use super::hands;

/// So many statements are looked at behind a call.
const BEHIND: usize = 32;

/// What frames of runs weigh.
pub(super) struct Scales<'s> {
    pub program: &'s Program,
    pub frames: &'s Frames,
}

impl Scales<'_> {
    /// The frame of a procedure.
    pub fn frame(&self, id: ProcedureId) -> u64 {
        self.frames.bytes.get(id.0 as usize).copied().unwrap_or(0)
    }

    /// What a frame weighs below one that is called in it, at that statement; and whether it is the first of all.
    pub fn below(&self, (caller, is_first): (ProcedureId, bool), call: StatementId) -> u64 {
        match self.frames.compilation {
            Compilation::Unknown if is_first => self.frame(caller),
            Compilation::Unknown => 0,
            // Call graphs have jumps among their calls, also those of a procedure to itself.
            Compilation::AsShown if self.may_be_jump(call) => 0,
            Compilation::AsShown => self.frame(caller),
            Compilation::Plain => self.frame(caller) + self.between(call),
        }
    }

    /// What lies above those below, of which there are so many, before that statement.
    pub fn above(&self, procedure: ProcedureId, below: usize, statement: &Statement) -> u64 {
        match self.frames.compilation {
            Compilation::Unknown if below == 0 => self.frame(procedure),
            Compilation::Unknown | Compilation::AsShown => 0,
            Compilation::Plain => self.frame(procedure) + self.outside(statement),
        }
    }

    /// The frame of a procedure without a body that calls back.
    fn between(&self, call: StatementId) -> u64 {
        self.program.statement(call).map_or(0, |statement| self.outside(statement))
    }

    /// The frame of a procedure without a body that a statement calls.
    fn outside(&self, statement: &Statement) -> u64 {
        let asked = match &statement.kind {
            StatementKind::Input(_, kind) => kind.procedure().and_then(|name| self.program.procedure_named(name)),
            kind => hands(self.program, kind),
        };
        asked.map_or(0, |id| self.frame(id))
    }

    /// Whether a call may be the last thing that its procedure does: then compilers make it a jump, and the frame is gone.
    fn may_be_jump(&self, call: StatementId) -> bool {
        let Some(body) = self.program.procedure(call.procedure).body.as_ref() else { return true };
        let plain = |id: ExpressionId| self.is_plain(id);
        let mut at = call.label.0 as usize + 1;
        for _ in 0..BEHIND {
            let Some(statement) = body.get(at) else { return true };
            match &statement.kind {
                StatementKind::Skip | StatementKind::Dead(_) => at += 1,
                StatementKind::Assign(_, value) if plain(*value) => at += 1,
                &StatementKind::Goto(Label(to)) => at = to as usize,
                StatementKind::Return(value) => return value.is_none_or(plain),
                StatementKind::Exit(_) | StatementKind::Fail(_) => return true,
                _ => return false,
            }
        }
        true
    }

    /// Whether a value is only passed on.
    fn is_plain(&self, id: ExpressionId) -> bool {
        match self.program.terms.get(id).kind {
            ExpressionKind::Read(_) => true,
            ExpressionKind::Convert(inner) => self.is_plain(inner),
            _ => false,
        }
    }
}
