//! What a statement of C- does, as terms: the only place beside the interpreter that says it.

use crate::bitvec::Term;
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
        let next = Label(at.0 + 1);
        let (demands, control) = match kind {
            StatementKind::Skip | StatementKind::Unseen(..) => (Vec::new(), Control::Goes { after: None, to: next }),
            StatementKind::Goto(to) => (Vec::new(), Control::Goes { after: None, to: *to }),
            StatementKind::Free(pointer) => (self.freed(frame, *pointer), Control::Goes { after: None, to: next }),
            StatementKind::Assign(to, value) => self.assigns(frame, *to, Some(*value), next),
            StatementKind::Input(to, _) | StatementKind::Havoc(to, ..) => self.assigns(frame, *to, None, next),
            StatementKind::Declare(variable) => {
                let after = self.arbitrary(&frame.now, self.whole(*variable));
                (Vec::new(), Control::Goes { after: Some(after), to: next })
            }
            StatementKind::Dead(variable) => {
                let after = self.after_end(frame, *variable);
                (Vec::new(), Control::Goes { after: Some(after), to: next })
            }
            StatementKind::Allocate { to, size, lacks, .. } => match self.allocated(frame, at, (*to, *size), *lacks) {
                Some((after, demands)) => (demands, Control::Goes { after: Some(after), to: next }),
                None => (Vec::new(), Control::Nowhere),
            },
            StatementKind::Assume(condition) => self.branches(frame, *condition, (next, None)),
            StatementKind::Branch(condition, yes, no) => self.branches(frame, *condition, (*yes, Some(*no))),
            StatementKind::Fail(_) => (Vec::new(), Control::Fails),
            StatementKind::Exit(code) => (self.evaluated(frame, code.as_slice()), Control::Ends),
            StatementKind::Return(value) => self.returns(frame, *value),
            StatementKind::External(to, _, arguments, effect) if effect.writes() => {
                self.calls(frame, None, (*to, arguments), next)
            }
            StatementKind::External(to, _, arguments, _) => {
                let demands = self.evaluated(frame, arguments);
                let Some(to) = to else { return Step { demands, control: Control::Goes { after: None, to: next } } };
                let (more, control) = self.assigns(frame, *to, None, next);
                ([demands, more].concat(), control)
            }
            StatementKind::Call(to, callee, arguments) => self.calls(frame, Some(*callee), (*to, arguments), next),
        };
        Step { demands, control }
    }

    fn assigns(
        &mut self,
        frame: &Frame,
        to: LvalueId,
        value: Option<ExpressionId>,
        next: Label,
    ) -> (Vec<Demand>, Control<'a>) {
        let (after, demands) = self.assigned_to(frame, &frame.now, to, value);
        (demands, Control::Goes { after: Some(after), to: next })
    }

    fn branches(
        &mut self,
        frame: &Frame,
        condition: ExpressionId,
        (yes, no): (Label, Option<Label>),
    ) -> (Vec<Demand>, Control<'a>) {
        let (truth, demands) = self.decided(frame, condition);
        (demands, Control::Branches { truth, yes, no })
    }

    fn returns(&mut self, frame: &Frame, value: Option<ExpressionId>) -> (Vec<Demand>, Control<'a>) {
        let (Some(returned), Some(_)) = (value, frame.result) else {
            return (Vec::new(), Control::Returns { value, result: None });
        };
        let mut values = Values::new(&mut self.machine, frame.view(&frame.now));
        let result = Some(values.value(returned));
        (values.passes(self.overflow), Control::Returns { value, result })
    }

    /// A call; without a callee, of somebody of whom nothing is known.
    fn calls(
        &mut self,
        frame: &Frame,
        callee: Option<Callee>,
        (to, arguments): (Option<LvalueId>, &'a [ExpressionId]),
        next: Label,
    ) -> (Vec<Demand>, Control<'a>) {
        let (cases, mut demands) = match callee {
            None => (vec![Case { when: None, callee: None }], Vec::new()),
            Some(Callee::Procedure(callee)) => {
                let callee = Some(callee).filter(|&callee| self.program().procedure(callee).body.is_some());
                (vec![Case { when: None, callee }], Vec::new())
            }
            Some(Callee::Pointer(pointer)) => self.pointed(frame, pointer),
        };
        let (actuals, more) = self.actuals(frame, arguments);
        demands.extend(more);
        (demands, Control::Calls(Call { cases, actuals, arguments, to }, next))
    }
}
