//! What a variable in an expression refers to: scopes, names as users see them, types.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::expr::{Binary, Expr, Op, Time};
use crate::lexis::write_variable;
use crate::model::{FrameId, Head, Rule, Scalar, Spds, Stack, SymbolId, Var, Variable};

/// Whose locals an expression may read, for each moment of a step.
///
/// A condition on one configuration (a guard, an invariant, an atom, a value to be assigned) knows the moment
/// `Before` only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    before: Option<FrameId>,
    after: Option<Option<FrameId>>,
    saved: Option<Option<FrameId>>,
    /// Whether globals have a value at the time `Saved`, too.
    saves_globals: bool,
}

impl Scope {
    /// That of a condition on a configuration whose topmost symbol belongs to this frame, or to none.
    pub fn here(frame: Option<FrameId>) -> Scope {
        Scope { before: frame, after: None, saved: None, saves_globals: false }
    }

    /// That of a relation between two configurations, and the frame that a call saves if it is one.
    pub(crate) fn step(before: Option<FrameId>, after: Option<FrameId>, saved: Option<Option<FrameId>>) -> Scope {
        Scope { before, after: Some(after), saved, saves_globals: false }
    }

    /// That of the condition of an edge of an [`crate::Automaton`]: the frame of the symbol that is read, and those of the
    /// states on both sides. States carry globals, too.
    pub(crate) fn edge(before: Option<FrameId>, after: Option<FrameId>, saved: Option<Option<FrameId>>) -> Scope {
        Scope { before, after: Some(after), saved, saves_globals: true }
    }

    /// Whether globals can be spoken of at the time `Saved`.
    pub(crate) fn saves_globals(&self) -> bool {
        self.saves_globals
    }

    /// The frame whose locals are meant at that time, `Some(None)` if there are only globals, `None` if the expression
    /// cannot speak of that time at all.
    pub fn at(&self, time: Time) -> Option<Option<FrameId>> {
        match time {
            Time::Before => Some(self.before),
            Time::After => self.after,
            Time::Saved => self.saved,
        }
    }
}

/// What kind of value an expression has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueKind {
    /// True or false.
    Boolean,
    /// A mathematical integer.
    Integer,
}

impl From<Scalar> for ValueKind {
    fn from(scalar: Scalar) -> ValueKind {
        match scalar {
            Scalar::Bool => ValueKind::Boolean,
            Scalar::Unsigned(_) => ValueKind::Integer,
        }
    }
}

impl Spds {
    /// The scope of a rule's `with` and of the targets of its updates. Its guard, and the indices and values of its
    /// updates, have the scope `Scope::here` of the frame of its left side.
    pub fn scope(&self, rule: &Rule) -> Scope {
        let [before, after, saved] = self.frames_of(rule);
        Scope::step(before, after, matches!(rule.stack, Stack::Push(..)).then_some(saved))
    }

    /// The frames that locals of a rule belong to, by [`Time`]: those of the symbols on top before it, on top after it, and
    /// below that.
    pub fn frames_of(&self, rule: &Rule) -> [Option<FrameId>; 3] {
        let frame = |symbol: SymbolId| self.symbols.get(symbol.0 as usize).and_then(|symbol| symbol.frame);
        let from = frame(rule.from.symbol);
        match rule.stack {
            Stack::Pop => [from, None, None],
            Stack::Swap(top) => [from, frame(top), None],
            Stack::Push(top, below) => [from, frame(top), frame(below)],
        }
    }

    /// The declaration of a variable, seen from a configuration whose topmost symbol belongs to that frame.
    pub fn variable(&self, frame: Option<FrameId>, var: Var) -> Option<&Variable> {
        match var {
            Var::Global(index) => self.globals.get(index as usize),
            Var::Local(index) => self.frames.get(frame?.0 as usize)?.variables.get(index as usize),
        }
    }

    /// The name under which a variable is shown there: `::g` for a global that a local of the same name hides.
    /// Linear in the number of locals. Empty if there is no such variable.
    pub fn display_name(&self, frame: Option<FrameId>, var: Var) -> Cow<'_, str> {
        let Some(variable) = self.variable(frame, var) else { return Cow::Borrowed("") };
        if self.is_shadowed(frame, var) {
            Cow::Owned(format!("::{}", variable.name))
        } else {
            Cow::Borrowed(&variable.name)
        }
    }

    /// The variable as expressions of the format write it there: in quotes where its name is no plain one. Linear in the
    /// number of locals. Empty if there is no such variable.
    pub fn written_name(&self, frame: Option<FrameId>, var: Var) -> String {
        let mut text = String::new();
        if let Some(variable) = self.variable(frame, var) {
            text += if self.is_shadowed(frame, var) { "::" } else { "" };
            write_variable(&mut text, &variable.name).expect("a string takes everything");
        }
        text
    }

    /// Whether it is a global that a local of that frame hides.
    pub fn is_shadowed(&self, frame: Option<FrameId>, var: Var) -> bool {
        let (Var::Global(index), Some(frame)) = (var, frame) else { return false };
        let Some(global) = self.globals.get(index as usize) else { return false };
        self.frames.get(frame.0 as usize).is_some_and(|f| f.variables.iter().any(|local| local.name == global.name))
    }

    /// The kind of value of an expression of a valid model; `*` alone counts as Boolean. Linear at worst.
    pub fn kind(&self, scope: &Scope, expr: &Expr) -> ValueKind {
        // The last operand of an if-then-else is of its kind; every other operation knows its own.
        for op in expr.ops().iter().rev() {
            return match *op {
                Op::Ite => continue,
                Op::Bool(_) | Op::Any | Op::Unary(_) | Op::Choose => ValueKind::Boolean,
                Op::Number(_) => ValueKind::Integer,
                Op::Read(var, time) | Op::Cell(var, time) => self
                    .variable(scope.at(time).flatten(), var)
                    .map_or(ValueKind::Boolean, |variable| variable.ty.scalar.into()),
                Op::Binary(op) => result(op),
            };
        }
        ValueKind::Boolean
    }

    /// The heads under which a configuration is seen by no one: those with silent rules.
    pub fn hidden_heads(&self) -> HashSet<Head> {
        self.rules.iter().filter(|rule| rule.silent).map(|rule| rule.from).collect()
    }

    /// For each symbol whether it is hidden: some rule leaves it, and all that do are silent. So a symbol that is
    /// silent under one control location and visible under another is not hidden; see [`RulesByHead::is_silent`].
    pub fn hidden_symbols(&self) -> Vec<bool> {
        let mut silent = vec![None; self.symbols.len()];
        for rule in &self.rules {
            let seen = &mut silent[rule.from.symbol.0 as usize];
            *seen = Some(seen.unwrap_or(true) && rule.silent);
        }
        silent.into_iter().map(|seen| seen == Some(true)).collect()
    }
}

/// What kind of value an operator with two operands has.
pub(crate) fn result(op: Binary) -> ValueKind {
    match op {
        Binary::And | Binary::Or | Binary::Xor | Binary::Implies | Binary::Iff => ValueKind::Boolean,
        Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => ValueKind::Boolean,
        Binary::Add | Binary::Sub | Binary::Mul | Binary::Div | Binary::Rem => ValueKind::Integer,
        Binary::Shl | Binary::Shr | Binary::BitAnd | Binary::BitOr | Binary::BitXor => ValueKind::Integer,
    }
}

/// The rules of a system by their left sides, in the order of the text.
#[derive(Clone, Debug)]
pub struct RulesByHead {
    /// Sorted by head, then by index.
    sorted: Vec<(Head, u32)>,
    silent: Vec<bool>,
}

impl RulesByHead {
    /// Sorts the rules once.
    pub fn new(spds: &Spds) -> RulesByHead {
        let mut sorted: Vec<(Head, u32)> = (0..).zip(&spds.rules).map(|(index, rule)| (rule.from, index)).collect();
        sorted.sort_unstable();
        let silent = sorted.iter().map(|(_, index)| spds.rules[*index as usize].silent).collect();
        RulesByHead { sorted, silent }
    }

    /// Indices into [`Spds::rules`] of the rules with that left side.
    pub fn of(&self, head: Head) -> impl ExactSizeIterator<Item = usize> + '_ {
        let from = self.sorted.partition_point(|(h, _)| *h < head);
        let count = self.sorted[from..].iter().take_while(|(h, _)| *h == head).count();
        self.sorted[from..from + count].iter().map(|(_, index)| *index as usize)
    }

    /// Whether configurations with that head are not seen, because their rules are silent.
    pub fn is_silent(&self, head: Head) -> bool {
        let at = self.sorted.partition_point(|(h, _)| *h < head);
        self.sorted.get(at).is_some_and(|(h, _)| *h == head) && self.silent[at]
    }

    /// Every head that some rule leaves, in order.
    pub fn heads(&self) -> impl Iterator<Item = Head> + '_ {
        self.sorted.chunk_by(|a, b| a.0 == b.0).map(|rules| rules[0].0)
    }
}
