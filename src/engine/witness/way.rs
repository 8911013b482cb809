//! Ways: heads with values of their live bits, and the rules between them.

use spds_format::model::ControlId;

use super::rings::Node;
use super::valuation::Valuation;
use crate::flow::StateId;
use crate::pds::RuleId;

/// How a way goes on from a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// By a step.
    Step(RuleId),
    /// Into a call that stays pending.
    Enter(RuleId),
    /// Through a call that returns, on the way with this number.
    Through(RuleId, usize),
    /// By a return below the stack of the start.
    Return(RuleId),
    /// By turns of the loop of the head.
    Leap,
}

/// A node with values of the bits live at its head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The head, and what lies below its call.
    pub node: Node,
    /// Values of the bits that are live there.
    pub values: Valuation,
}

/// A way: `moves[i]` leads from `points[i]` to `points[i + 1]`.
#[derive(Clone, Debug, Default)]
pub struct Way {
    /// Never empty.
    pub points: Vec<Point>,
    /// One fewer.
    pub moves: Vec<Move>,
    /// For the way through a call, the rule that returns.
    pub pop: Option<RuleId>,
    /// The exit values of such a call, on the globals it touches that are live afterwards.
    pub exit: Valuation,
}

/// Ways through calls, by number, and the way of the run itself.
pub struct Ways {
    /// From the start to the goal.
    pub run: Way,
    /// From the goal back to it, if it repeats.
    pub cycle: Option<Way>,
    /// Through calls.
    pub calls: Vec<Way>,
}

/// A call that is to be unwound: from these entry values to these exit values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Job {
    pub(super) state: StateId,
    pub(super) control: ControlId,
    pub(super) entry: Valuation,
    pub(super) exit: Valuation,
}
