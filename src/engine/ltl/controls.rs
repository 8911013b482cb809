//! Control locations as values: propositions speak of symbols and values, so a system whose control locations a formula names
//! remembers them in a hidden global.

use spds_format::expr::{Binary, Expr, Op, Time, Unary};
use spds_format::model::{ControlId, Spds, Type, Update, Updates, Var, Variable};

/// The hidden global.
const REGISTER: &str = "$control";

/// The same system with a hidden global that always holds the number of the control location, if it has several. It has the
/// same runs, and everything but that variable has the same index. Linear.
pub fn tracked(mut spds: Spds) -> Spds {
    if spds.controls.len() < 2 || register(&spds).is_some() {
        return spds;
    }
    let last = spds.controls.len() as u64 - 1;
    let bits = (u64::BITS - last.leading_zeros()) as u8;
    let var = Var::Global(spds.globals.len() as u32);
    spds.globals.push(Variable { name: REGISTER.into(), ty: Type::unsigned(bits), hidden: true });
    for rule in spds.rules.iter_mut().filter(|rule| rule.from.control != rule.to) {
        let value = Expr::number(u64::from(rule.to.0));
        let update = Update { var, time: Time::After, index: None, value };
        rule.updates = rule.updates.iter().cloned().chain([update]).collect::<Updates>();
    }
    let at_start = is(var, spds.start.control);
    let start = &mut spds.start;
    start.condition = Some(start.condition.as_ref().map_or(at_start.clone(), |own| own.and(&at_start)));
    spds
}

/// Whether a system has no variable but that global.
pub fn is_all_data(spds: &Spds) -> bool {
    spds.globals.len() == 1 && register(spds).is_some() && spds.frames.iter().all(|frame| frame.variables.is_empty())
}

/// Whether a condition on that global alone, or on nothing, holds in a control location; `None` if it is not of the few kinds
/// that propositions about control locations are.
pub fn holds(condition: &Expr, control: ControlId) -> Option<bool> {
    #[derive(Clone, Copy)]
    enum Value {
        Truth(bool),
        Number(u64),
    }
    let mut stack = Vec::new();
    for op in condition.ops() {
        let value = match *op {
            Op::Bool(value) => Value::Truth(value),
            Op::Number(value) => Value::Number(value),
            Op::Read(Var::Global(0), Time::Before) => Value::Number(u64::from(control.0)),
            Op::Unary(Unary::Not) => match stack.pop() {
                Some(Value::Truth(value)) => Value::Truth(!value),
                _ => return None,
            },
            Op::Binary(op) => match (op, stack.pop(), stack.pop()) {
                (Binary::Eq, Some(Value::Number(b)), Some(Value::Number(a))) => Value::Truth(a == b),
                (Binary::And, Some(Value::Truth(b)), Some(Value::Truth(a))) => Value::Truth(a && b),
                (Binary::Or, Some(Value::Truth(b)), Some(Value::Truth(a))) => Value::Truth(a || b),
                _ => return None,
            },
            _ => return None,
        };
        stack.push(value);
    }
    match stack[..] {
        [Value::Truth(value)] => Some(value),
        _ => None,
    }
}

/// The condition that a control location is the present one; `None` if the system does not remember it.
pub(super) fn at(spds: &Spds, control: ControlId) -> Option<Expr> {
    match spds.controls.len() {
        1 => Some(Expr::constant(true)),
        _ => register(spds).map(|var| is(var, control)),
    }
}

fn is(var: Var, control: ControlId) -> Expr {
    Expr::read(var, Time::Before).binary(Binary::Eq, &Expr::number(u64::from(control.0)))
}

fn register(spds: &Spds) -> Option<Var> {
    let found = spds.globals.iter().position(|global| global.hidden && &*global.name == REGISTER);
    found.map(|index| Var::Global(index as u32))
}
