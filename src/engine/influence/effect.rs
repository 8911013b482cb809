//! What a rule does with variables, as far as its form tells: what it reads to go on, what flows where, what stays.
//!
//! The labels of the transition systems of Gallardo, Joubert & Merino (*Static analysis using parameterised Boolean equation
//! systems*, 2006, §3): a variable that a condition reads, and one that an assignment reads for another. Whatever can
//! block a step counts as a condition: an index that may be out of range, a value that may not fit, a relation that may
//! have no solution. Every assignment kills what it assigns to.

use spds_format::Spds;
use spds_format::expr::{Expr, Op, Time};
use spds_format::model::{Rule, Stack, Update, Var};
use spds_format::total;

/// How a variable matters at a place: what becomes of its value there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum How {
    /// It stays, and matters afterwards.
    Survives,
    /// It goes into a value that is assigned.
    Assigned,
    /// It goes into the argument of a call.
    Argument,
    /// It goes into a value that is returned.
    Returned,
    /// A condition reads it, or a value that may not exist or not fit.
    Condition,
    /// An assertion reads it.
    Assertion,
    /// The formula reads it.
    Formula,
    /// A relation or an invariant reads it that may block.
    Relation,
    /// It is an index: of the cell that is assigned, or one that may be out of range.
    Index,
}

impl How {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            How::Survives => "survives",
            How::Assigned => "assigned",
            How::Argument => "argument",
            How::Returned => "returned",
            How::Condition => "condition",
            How::Assertion => "assertion",
            How::Formula => "formula",
            How::Relation => "relation",
            How::Index => "index",
        }
    }
}

/// What goes into a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// A variable after the step, or of the frame that a call leaves below.
    pub to: (Var, Time),
    /// Variables before the step, and how.
    pub from: Vec<(Var, How)>,
}

/// What a rule does with variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Variables that say whether the step is possible. Invariants of symbols are not among them.
    pub uses: Vec<(Var, How)>,
    /// For each variable whose value may change what goes into it, which may be nothing.
    pub flows: Vec<Flow>,
    /// How many of the uses the guard makes; they come first.
    guarding: usize,
    /// Whether locals that do not change keep their values in the frame on top, and in the one below.
    keeps: [bool; 2],
}

impl Effect {
    /// Of a rule. Linear in its size but for relations, of which small ones are tried out ([`total::relation_is_total`]).
    pub fn new(spds: &Spds, rule: &Rule) -> Effect {
        let frame = |symbol| spds.symbol(symbol).frame;
        let here = frame(rule.from.symbol);
        let keeps = match rule.stack {
            Stack::Pop => [false, false],
            Stack::Swap(next) => [frame(next) == here, false],
            Stack::Push(_, below) => [false, frame(below) == here],
        };
        let mut effect = Effect { keeps, ..Effect::default() };
        effect.uses.extend(before(&rule.guard).map(|var| (var, How::Condition)));
        effect.guarding = effect.uses.len();
        for update in rule.updates.iter() {
            effect.update(spds, rule, update);
        }
        for (i, one) in rule.updates.iter().enumerate() {
            if rule.updates[i + 1..].iter().any(|other| total::updates_may_meet(one, other)) {
                effect.agree(rule, one.var, one.time);
            }
        }
        if let Some(with) = &rule.with {
            effect.relation(spds, rule, with);
        }
        effect
    }

    /// Whether the variable has the same value after the step, if it is in scope there.
    pub fn keeps(&self, var: Var, time: Time) -> bool {
        self.in_frame(var, time) && !self.flows.iter().any(|flow| flow.to == (var, time))
    }

    /// Whether it would keep its value if the rule did not mention it.
    fn in_frame(&self, var: Var, time: Time) -> bool {
        match (var, time) {
            (Var::Global(_), _) => true,
            (Var::Local(_), Time::Saved) => self.keeps[1],
            (Var::Local(_), _) => self.keeps[0],
        }
    }

    /// Whether values can block the step although its guard is true.
    pub fn may_block(&self) -> bool {
        self.uses.len() > self.guarding
    }

    fn flow(&mut self, to: (Var, Time), from: impl IntoIterator<Item = (Var, How)>) {
        let i = self.flows.iter().position(|flow| flow.to == to).unwrap_or_else(|| {
            self.flows.push(Flow { to, from: Vec::new() });
            self.flows.len() - 1
        });
        let known = &mut self.flows[i].from;
        for pair in from {
            if !known.contains(&pair) {
                known.push(pair);
            }
        }
    }

    fn update(&mut self, spds: &Spds, rule: &Rule, update: &Update) {
        let to = (update.var, update.time);
        let how = match (rule.stack, update.var, update.time) {
            (Stack::Pop, ..) => How::Returned,
            (Stack::Push(..), Var::Local(_), Time::After) => How::Argument,
            _ => How::Assigned,
        };
        // The other cells of an array stay.
        let whole = |other: &Update| (other.var, other.time) == to && other.index.is_none();
        let stays = self.in_frame(update.var, update.time) && !rule.updates.iter().any(whole);
        let itself = Some((update.var, How::Survives)).filter(|_| stays);
        let value = update.value.reads().map(|(var, _)| (var, how));
        let index = before(&update.index).map(|var| (var, How::Index));
        self.flow(to, itself.into_iter().chain(value).chain(index));
        if !total::value_is_total(spds, rule, update) {
            self.uses.extend(update.value.reads().map(|(var, _)| (var, How::Condition)));
        }
        if !total::index_is_total(spds, rule, update) {
            self.uses.extend(before(&update.index).map(|var| (var, How::Index)));
        }
    }

    /// Updates of one variable block unless they agree.
    fn agree(&mut self, rule: &Rule, var: Var, time: Time) {
        for update in rule.updates.iter().filter(|update| (update.var, update.time) == (var, time)) {
            self.uses.extend(update.value.reads().map(|(var, _)| (var, How::Condition)));
            self.uses.extend(before(&update.index).map(|var| (var, How::Index)));
        }
    }

    /// All values after the step that a relation reads depend on all that it reads before, and on what is assigned to them.
    fn relation(&mut self, spds: &Spds, rule: &Rule, with: &Expr) {
        let after: Vec<(Var, Time)> = with.reads().filter(|(_, time)| *time != Time::Before).collect();
        let mut sources: Vec<Var> =
            with.reads().filter(|(_, time)| *time == Time::Before).map(|(var, _)| var).collect();
        for update in rule.updates.iter().filter(|update| after.contains(&(update.var, update.time))) {
            sources.extend(update.value.reads().map(|(var, _)| var));
            sources.extend(before(&update.index));
        }
        for to in after {
            self.flow(to, sources.iter().map(|var| (*var, How::Relation)));
        }
        if !total::relation_is_total(spds, rule) {
            self.uses.extend(sources.into_iter().map(|var| (var, How::Relation)));
        }
    }
}

/// The variables that a condition or an index reads, if there is one.
fn before(expr: &Option<Expr>) -> impl Iterator<Item = Var> + '_ {
    // A constant reads nothing, and most guards are one variable.
    expr.iter().filter(|expr| !matches!(expr.ops(), [Op::Bool(_)])).flat_map(|expr| expr.reads().map(|(var, _)| var))
}
