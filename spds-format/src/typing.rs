//! Checks one expression: variables that exist, times it may speak of, kinds of operands, places of `*`.

use crate::error::Problem;
use crate::expr::{Binary, Expr, Op, Time};
use crate::model::{Name, Spds, Var, Variable};
use crate::scope::{Scope, ValueKind, result};

/// What is known of an operand: its kind (`None` after a complaint) and the first `*` in it.
#[derive(Clone, Copy)]
struct Operand {
    kind: Option<ValueKind>,
    any: Option<usize>,
    /// Whether it is `*` and nothing else.
    bare: bool,
}

/// What is asked of the expression as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// A condition, named so in complaints.
    Condition(&'static str),
    /// A condition without `*`.
    Proposition,
    /// An index.
    Index,
    /// A value of that kind, or `*`.
    Value(ValueKind),
}

/// Calls `complain` with the operation that is wrong and what is wrong about it, as often as there is something.
/// Linear in the expression.
pub(crate) fn check(spds: &Spds, scope: &Scope, expr: &Expr, need: Need, complain: &mut dyn FnMut(usize, Problem)) {
    let mut checker = Checker { spds, scope, stack: Vec::new(), complain };
    for (at, op) in expr.ops().iter().enumerate() {
        let operand = checker.step(at, *op);
        checker.stack.push(operand);
    }
    let Some(whole) = checker.stack.pop() else { return };
    let root = expr.ops().len() - 1;
    match need {
        Need::Condition(what) => checker.demand(root, whole, ValueKind::Boolean, what),
        Need::Proposition => {
            checker.demand(root, whole, ValueKind::Boolean, "a proposition");
            if let Some(any) = whole.any {
                (checker.complain)(any, Problem::AnyInAtom);
            }
        }
        Need::Index => checker.demand(root, whole, ValueKind::Integer, "an index"),
        Need::Value(ValueKind::Boolean) => {
            checker.demand(root, whole, ValueKind::Boolean, "the value of this variable")
        }
        Need::Value(ValueKind::Integer) if !whole.bare => {
            checker.demand(root, whole, ValueKind::Integer, "the value of this variable");
        }
        Need::Value(ValueKind::Integer) => (),
    }
}

struct Checker<'a> {
    spds: &'a Spds,
    scope: &'a Scope,
    stack: Vec<Operand>,
    complain: &'a mut dyn FnMut(usize, Problem),
}

impl<'a> Checker<'a> {
    fn pop(&mut self) -> Operand {
        self.stack.pop().expect("an expression is one tree in postorder")
    }

    fn step(&mut self, at: usize, op: Op) -> Operand {
        let plain = |kind| Operand { kind, any: None, bare: false };
        match op {
            Op::Bool(_) => plain(Some(ValueKind::Boolean)),
            Op::Number(_) => plain(Some(ValueKind::Integer)),
            Op::Any => Operand { kind: Some(ValueKind::Boolean), any: Some(at), bare: true },
            Op::Read(var, time) => {
                let kind = self.read(at, var, time).and_then(|variable| match variable.ty.range {
                    None => Some(variable.ty.scalar.into()),
                    Some(_) => {
                        (self.complain)(at, Problem::NoIndex(variable.name.clone()));
                        None
                    }
                });
                plain(kind)
            }
            Op::Cell(var, time) => {
                let index = self.pop();
                self.demand(at, index, ValueKind::Integer, "an index");
                let kind = self.read(at, var, time).and_then(|variable| match variable.ty.range {
                    Some(_) => Some(variable.ty.scalar.into()),
                    None => {
                        (self.complain)(at, Problem::NotAnArray(variable.name.clone()));
                        None
                    }
                });
                plain(kind)
            }
            Op::Unary(crate::expr::Unary::Not) => {
                let operand = self.pop();
                self.demand(at, operand, ValueKind::Boolean, "the operand of `!`");
                Operand { kind: Some(ValueKind::Boolean), any: operand.any, bare: false }
            }
            Op::Choose => {
                let (second, first) = (self.pop(), self.pop());
                self.demand(at, first, ValueKind::Boolean, "an argument of `schoose`");
                self.demand(at, second, ValueKind::Boolean, "an argument of `schoose`");
                Operand { kind: Some(ValueKind::Boolean), any: first.any.or(second.any), bare: false }
            }
            Op::Binary(op) => self.binary(at, op),
            Op::Ite => self.choice(at),
        }
    }

    fn binary(&mut self, at: usize, op: Binary) -> Operand {
        let (right, left) = (self.pop(), self.pop());
        let on_booleans = matches!(op, Binary::And | Binary::Or | Binary::Xor | Binary::Implies | Binary::Iff);
        let mut any = None;
        if on_booleans {
            self.demand(at, left, ValueKind::Boolean, "an operand here");
            self.demand(at, right, ValueKind::Boolean, "an operand here");
            any = left.any.or(right.any);
        } else if let (Some(ValueKind::Integer), Some(ValueKind::Boolean))
        | (Some(ValueKind::Boolean), Some(ValueKind::Integer)) = (left.kind, right.kind)
            && left.any.or(right.any).is_none()
        {
            (self.complain)(at, Problem::MixedKinds("an operator"));
            return Operand { kind: is_comparison(op).then_some(ValueKind::Boolean), any, bare: false };
        } else {
            self.demand(at, left, ValueKind::Integer, "an operand here");
            self.demand(at, right, ValueKind::Integer, "an operand here");
        }
        Operand { kind: Some(result(op)), any, bare: false }
    }

    /// `c ? a : b`
    fn choice(&mut self, at: usize) -> Operand {
        let (otherwise, then, condition) = (self.pop(), self.pop(), self.pop());
        self.demand(at, condition, ValueKind::Boolean, "the condition before `?`");
        let any = condition.any.or(then.any).or(otherwise.any);
        let kind = match (then.kind, otherwise.kind) {
            (Some(ValueKind::Boolean), Some(ValueKind::Boolean)) => Some(ValueKind::Boolean),
            (Some(a), Some(b)) if a != b && any.is_none() => {
                (self.complain)(at, Problem::MixedKinds("the values on both sides of `:`"));
                None
            }
            (None, _) | (_, None) => None,
            (Some(_), Some(_)) => Some(ValueKind::Integer),
        };
        let any = match (kind, any) {
            (Some(ValueKind::Integer), Some(any)) => {
                (self.complain)(any, Problem::AnyInteger);
                None
            }
            _ => any,
        };
        Operand { kind, any, bare: false }
    }

    /// The operand must be of that kind, and without `*` if that is integer.
    fn demand(&mut self, at: usize, operand: Operand, needed: ValueKind, what: &'static str) {
        match (operand.kind, operand.any) {
            (_, Some(any)) if needed == ValueKind::Integer => (self.complain)(any, Problem::AnyInteger),
            (Some(kind), _) if kind != needed => (self.complain)(at, Problem::WrongKind { what, needed }),
            _ => (),
        }
    }

    fn read(&mut self, at: usize, var: Var, time: Time) -> Option<&'a Variable> {
        lookup(self.spds, self.scope, var, time).map_err(|problem| (self.complain)(at, problem)).ok()
    }
}

fn is_comparison(op: Binary) -> bool {
    matches!(op, Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge)
}

/// The declaration of a variable at that time, if the scope knows both.
pub(crate) fn lookup<'a>(spds: &'a Spds, scope: &Scope, var: Var, time: Time) -> Result<&'a Variable, Problem> {
    if let (Var::Global(_), Time::Saved, false) = (var, time, scope.saves_globals()) {
        let variable = spds.variable(None, var).ok_or_else(|| missing(var))?;
        return Err(Problem::SavedGlobal(variable.name.clone()));
    }
    let Some(frame) = scope.at(time) else {
        let here = scope.at(Time::Before).flatten();
        let name: Name = spds.variable(here, var).map_or_else(|| Name::from("x"), |variable| variable.name.clone());
        return Err(Problem::WrongTime { name, time });
    };
    spds.variable(frame, var).ok_or_else(|| missing(var))
}

fn missing(var: Var) -> Problem {
    match var {
        Var::Global(index) => Problem::Missing { what: "global variable", index },
        Var::Local(index) => Problem::Missing { what: "local variable", index },
    }
}
