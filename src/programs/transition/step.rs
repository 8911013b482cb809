//! What a statement of C- does, as terms: its command ([`crate::c::command`]) over memory.

use crate::bitvec::Term;
use crate::c::command::{self, Action, Command, Source, Whom};
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::program::{Callee, Label, StatementKind};

use super::call::{Call, Case};
use super::memory::Memory;
use super::values::{Demand, Values};
use super::{Frame, TransitionSystem};

/// A statement from a frame: what it demands, and where it leads then.
pub struct Step<'p> {
    /// What has to hold so that a run goes on: the statement evaluates what is undefined otherwise.
    pub demands: Vec<Demand>,
    /// What it does.
    pub control: Control<'p>,
}

/// Where a statement leads, and what it leaves in memory.
pub enum Control<'p> {
    /// To a statement of the frame.
    Goes {
        /// Memory there; none if it is as before.
        after: Option<Memory>,
        /// The statement.
        to: Label,
    },
    /// To one of two statements of the frame; to none where the condition is false and there is no second.
    Branches {
        /// The condition.
        truth: Term,
        /// Where it holds.
        yes: Label,
        /// Where it does not.
        no: Option<Label>,
    },
    /// Into procedures, and after their returns to a statement of the frame.
    Calls(Call<'p>, Label),
    /// To where the frame was called.
    Returns {
        /// What is returned.
        value: Option<ExpressionId>,
        /// The same as a term; none if there is no value or the result is no scalar.
        result: Option<Term>,
    },
    /// To the end of the run, which is fine.
    Ends,
    /// To an error.
    Fails,
    /// Nowhere: no run comes here.
    Nowhere,
}

impl<'a> TransitionSystem<'a> {
    /// What a statement does in a frame.
    pub fn step(&mut self, frame: &Frame, at: Label, kind: &'a StatementKind) -> Step<'a> {
        let (demands, control) = match kind.command(at) {
            Command::Does(action, next) => self.does(frame, at, action, next),
            Command::Asks(condition, yes, no) => {
                let (truth, demands) = self.decided(frame, condition);
                (demands, Control::Branches { truth, yes, no })
            }
            Command::Calls(call, next) => self.calls(frame, call, next),
            Command::Returns(value) => self.returns(frame, value),
            Command::Exits(code) => (self.evaluated(frame, code.as_slice()), Control::Ends),
            Command::Fails => (Vec::new(), Control::Fails),
        };
        Step { demands, control }
    }

    fn does(&mut self, frame: &Frame, at: Label, action: Action, to: Label) -> (Vec<Demand>, Control<'a>) {
        let (after, demands) = match action {
            Action::Nothing => (None, Vec::new()),
            Action::Assigns(to, Source::Allocated { size, lacks, .. }) => {
                match self.allocated(frame, at, (to, size), lacks) {
                    Some((after, demands)) => (Some(after), demands),
                    None => return (Vec::new(), Control::Nowhere),
                }
            }
            Action::Assigns(to, source) => {
                let (after, demands) = self.assigned_to(frame, &frame.now, to, source.expression());
                (Some(after), demands)
            }
            Action::Frees(pointer) => (None, self.freed(frame, pointer)),
            Action::Begins(variable) => (Some(self.arbitrary(&frame.now, self.whole(variable))), Vec::new()),
            Action::Ends(variable) => (Some(self.after_end(frame, variable)), Vec::new()),
        };
        (demands, Control::Goes { after, to })
    }

    fn returns(&mut self, frame: &Frame, value: Option<ExpressionId>) -> (Vec<Demand>, Control<'a>) {
        let (Some(returned), Some(_)) = (value, frame.result) else {
            return (Vec::new(), Control::Returns { value, result: None });
        };
        let mut values = Values::new(&mut self.machine, frame.view(&frame.now));
        let result = Some(values.value(returned));
        (values.passes(self.overflow), Control::Returns { value, result })
    }

    /// A call. Whoever has no body, and writes nothing of the program's, may only return something.
    fn calls(&mut self, frame: &Frame, call: command::Call<'a>, next: Label) -> (Vec<Demand>, Control<'a>) {
        let command::Call { to, whom, arguments } = call;
        let (cases, mut demands) = match whom {
            Whom::Foreign(effect) if !effect.writes() => return self.answered(frame, to, arguments, next),
            Whom::Foreign(_) => (vec![Case { when: None, callee: None }], Vec::new()),
            Whom::Callee(Callee::Procedure(callee)) => {
                let callee = Some(callee).filter(|&callee| self.program().procedure(callee).body.is_some());
                (vec![Case { when: None, callee }], Vec::new())
            }
            Whom::Callee(Callee::Pointer(pointer)) => self.pointed(frame, pointer),
        };
        let (actuals, more) = self.actuals(frame, arguments);
        demands.extend(more);
        (demands, Control::Calls(Call { cases, actuals, arguments, to }, next))
    }

    fn answered(
        &mut self,
        frame: &Frame,
        to: Option<LvalueId>,
        arguments: &[ExpressionId],
        next: Label,
    ) -> (Vec<Demand>, Control<'a>) {
        let mut demands = self.evaluated(frame, arguments);
        let after = to.map(|to| {
            let (after, more) = self.assigned_to(frame, &frame.now, to, None);
            demands.extend(more);
            after
        });
        (demands, Control::Goes { after, to: next })
    }
}
