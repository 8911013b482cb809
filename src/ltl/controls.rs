//! Control locations as values: propositions speak of symbols and values, so a system whose control locations a formula names
//! remembers them in a hidden global.

use spds_format::expr::{Binary, Expr, Time};
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
