//! Conditions on the state in which a function is called: what its callers owe.

use crate::bitvec::Term;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueKind, Term as Part, Unary};
use crate::c::program::{ProcedureId, Program};
use crate::c::types::Type;
use crate::transition::operators;
use crate::transition::undefined::Undefined;

use super::machine::{OFFSET, Value};
use super::state::State;
use super::values::{Values, World};

/// A condition; expressions are the function's own, over its parameters and globals, read at its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// The pointer is not NULL.
    NotNull(ExpressionId),
    /// The pointer leads to at least so many elements of so many bytes: a number of its own, or none, and a constant.
    Room(ExpressionId, Option<ExpressionId>, i64, u64),
    /// The number is at least that.
    AtLeast(ExpressionId, i128),
    /// The number is at most that.
    AtMost(ExpressionId, i128),
    /// The number is another.
    Differs(ExpressionId, i128),
    /// The operator does not leave its type.
    Fits(ExpressionId),
    /// The expression is true, or false.
    Decided(ExpressionId, bool),
}

impl Condition {
    /// What it is about.
    fn expressions(&self) -> [Option<ExpressionId>; 2] {
        match *self {
            Condition::NotNull(e)
            | Condition::AtLeast(e, _)
            | Condition::AtMost(e, _)
            | Condition::Differs(e, _)
            | Condition::Fits(e)
            | Condition::Decided(e, _) => [Some(e), None],
            Condition::Room(e, count, ..) => [Some(e), count],
        }
    }

    /// The values of its expressions in a state in which the parameters have theirs.
    pub fn values(&self, world: &mut World<'_>, state: &State) -> [Option<Value>; 2] {
        self.expressions().map(|e| e.map(|e| Values::new(world, state).value(e)))
    }

    /// Whether it is about what there is at the entry of a function.
    pub fn is_of_entry(&self, program: &Program, function: ProcedureId) -> bool {
        self.expressions().into_iter().flatten().all(|e| is_of_entry(program, function, e))
    }

    /// Whether it holds in a state in which the parameters have their values.
    pub fn term(&self, world: &mut World<'_>, state: &State) -> Term {
        let mut values = Values::new(world, state);
        match *self {
            Condition::NotNull(e) | Condition::Decided(e, true) => values.truth(e),
            Condition::Decided(e, false) => {
                let truth = values.truth(e);
                world.machine.terms.not(truth)
            }
            Condition::Room(e, count, plus, element) => {
                let pointer = values.value(e);
                let count = count.map(|count| values.wide(count));
                room(world, pointer, count, (plus, element))
            }
            Condition::AtLeast(e, _) | Condition::AtMost(e, _) | Condition::Differs(e, _) => {
                let value = values.value(e);
                compared(world, value, e, self)
            }
            Condition::Fits(e) => fits(world, state, e),
        }
    }

    /// In C; room as CBMC has it.
    pub fn text(&self, program: &Program) -> String {
        let text = |e: ExpressionId| program.expression_text(e);
        // Comparisons bind more loosely than what is compared.
        match *self {
            Condition::NotNull(e) => format!("{} != NULL", text(e)),
            Condition::Room(e, None, plus, element) => {
                format!("__CPROVER_rw_ok({}, {})", text(e), i128::from(plus) * i128::from(element))
            }
            Condition::Room(e, Some(count), plus, element) => {
                let count = text(count);
                let number = match plus {
                    0 => count,
                    1.. => format!("{count} + {plus}"),
                    _ => format!("{count} - {}", plus.unsigned_abs()),
                };
                let bytes = match (plus, element) {
                    (_, 1) => number,
                    (0, _) => format!("{number} * {element}"),
                    _ => format!("({number}) * {element}"),
                };
                format!("__CPROVER_rw_ok({}, {bytes})", text(e))
            }
            Condition::AtLeast(e, least) => format!("{} >= {least}", text(e)),
            Condition::AtMost(e, most) => format!("{} <= {most}", text(e)),
            Condition::Differs(e, other) => format!("{} != {other}", text(e)),
            Condition::Fits(e) => fits_text(program, e),
            Condition::Decided(e, true) => text(e),
            Condition::Decided(e, false) => format!("!({})", text(e)),
        }
    }
}

/// Whether an expression is about what there is at the entry of a function.
pub fn is_of_entry(program: &Program, function: ProcedureId, e: ExpressionId) -> bool {
    let procedure = program.procedure(function);
    program.terms.postorder(Part::Expression(e)).into_iter().all(|part| match part {
        Part::Lvalue(l) => match program.terms.at(l).kind {
            LvalueKind::Variable(variable) => {
                let name = &program.variable(variable).name;
                (program.is_global(variable) || procedure.formals.contains(&variable)) && !name.contains('.')
            }
            _ => true,
        },
        Part::Expression(e) => !matches!(program.terms.get(e).kind, ExpressionKind::Pre(_) | ExpressionKind::Result),
    })
}

/// Whether a pointer leads to so many elements; where that is none or fewer, whatever it is.
fn room(world: &mut World<'_>, pointer: Value, count: Option<Term>, (plus, element): (i64, u64)) -> Term {
    let machine = &mut world.machine;
    let Value::Pointer(pointer) = pointer else { return machine.terms.truth(false) };
    // Numbers of bytes are computed without overflow: in as many bits as they need.
    let wide = 2 * OFFSET - 1;
    let count = count.unwrap_or_else(|| machine.terms.constant(0, OFFSET));
    let count = machine.terms.extend(count, wide, true);
    let constant = i128::from(plus) * i128::from(element);
    let bytes = machine.terms.linear(&[(count, u128::from(element))], constant as u128);
    let (zero, size) = (machine.terms.constant(0, wide), machine.size(pointer.object));
    let none = machine.terms.sle(bytes, zero);
    let begins = machine.terms.ule(pointer.offset, size);
    let left = machine.terms.sub(size, pointer.offset);
    let left = machine.terms.extend(left, wide, false);
    let (ends, some) = (machine.terms.sle(bytes, left), machine.is_some(pointer));
    let all = machine.terms.all(&[begins, ends, some]);
    machine.terms.or(none, all)
}

fn compared(world: &mut World<'_>, value: Value, e: ExpressionId, condition: &Condition) -> Term {
    let machine = &mut world.machine;
    let (program, terms) = (machine.program, &mut machine.terms);
    let Value::Number(value) = value else { return terms.truth(false) };
    let signed = program.types.as_integer(program.terms.get(e).ty).is_some_and(|integer| integer.signed);
    let width = terms.width(value);
    let mut constant = |number: i128| terms.constant(number as u128, width);
    match *condition {
        Condition::AtLeast(_, least) => {
            let least = constant(least);
            if signed { terms.sle(least, value) } else { terms.ule(least, value) }
        }
        Condition::AtMost(_, most) => {
            let most = constant(most);
            if signed { terms.sle(value, most) } else { terms.ule(value, most) }
        }
        Condition::Differs(_, other) => {
            let other = constant(other);
            terms.ne(value, other)
        }
        _ => terms.truth(false),
    }
}

/// Whether the operator of an expression does not leave its type.
fn fits(world: &mut World<'_>, state: &State, e: ExpressionId) -> Term {
    let program = world.machine.program;
    let mut values = Values::new(world, state);
    let signed = |e: ExpressionId| {
        program.types.as_integer(program.terms.get(e).ty).is_some_and(|integer| integer.signed)
    };
    let outcome = match program.terms.get(e).kind {
        ExpressionKind::Binary(operator, a, b) => match (values.value(a), values.value(b)) {
            (Value::Number(x), Value::Number(y)) => {
                operators::binary(&mut world.machine.terms, operator, x, y, (signed(a), signed(b)))
            }
            _ => return world.machine.terms.truth(false),
        },
        ExpressionKind::Unary(Unary::Negate, a) => match values.value(a) {
            Value::Number(x) => operators::negated(&mut world.machine.terms, x, signed(a)),
            _ => return world.machine.terms.truth(false),
        },
        _ => return world.machine.terms.truth(false),
    };
    let demands: Vec<Option<Term>> = outcome
        .demands
        .into_iter()
        .filter(|(kind, _)| matches!(kind, Undefined::Overflow | Undefined::Quotient))
        .map(|(_, term)| term)
        .collect();
    match demands.into_iter().collect::<Option<Vec<Term>>>() {
        Some(demands) => world.machine.terms.all(&demands),
        None => world.machine.terms.truth(false),
    }
}

fn fits_text(program: &Program, e: ExpressionId) -> String {
    let (text, ty) = (|e: ExpressionId| program.expression_text(e), program.terms.get(e).ty);
    let integer = match program.types.get(ty) {
        Type::Integer(integer) => *integer,
        _ => return format!("`{}` does not overflow", text(e)),
    };
    let builtin = |name: &str, a: ExpressionId, b: ExpressionId| {
        format!("!__builtin_{name}_overflow_p({}, {}, ({})0)", text(a), text(b), program.types.name(ty))
    };
    let least = integer.least();
    match program.terms.get(e).kind {
        ExpressionKind::Binary(Binary::Add, a, b) => builtin("add", a, b),
        ExpressionKind::Binary(Binary::Subtract, a, b) => builtin("sub", a, b),
        ExpressionKind::Binary(Binary::Multiply, a, b) => builtin("mul", a, b),
        ExpressionKind::Binary(Binary::Divide | Binary::Remainder, a, b) => {
            format!("!({} == ({}){least} && {} == -1)", text(a), program.types.name(ty), text(b))
        }
        ExpressionKind::Unary(Unary::Negate, a) => format!("{} != ({}){least}", text(a), program.types.name(ty)),
        _ => format!("`{}` does not overflow", text(e)),
    }
}
