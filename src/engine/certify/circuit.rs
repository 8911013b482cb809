//! What expressions mean, as relations: of a Boolean where it may be true and where it may be false (SPEC.md, "Values of
//! expressions"), of an integer its digits. Written from the specification, apart from what the search uses.

use spds_format::expr::{Binary, Expr, Op, Time, Unary};
use spds_format::model::{FrameId, Var};

use super::columns::{Columns, Field};
use super::logic::Logic;
use super::number::Number;
use crate::bdd::{At, Bit};
use crate::limits::Stop;

type Result<T> = std::result::Result<T, Stop>;

/// A Boolean.
#[derive(Clone)]
pub(super) struct Truth<T> {
    /// Where it may be true.
    pub yes: T,
    /// Where it may be false.
    pub no: T,
}

/// A value.
#[derive(Clone)]
pub(super) enum Value<T> {
    Truth(Truth<T>),
    Number(Number<T>),
}

impl<T> Value<T> {
    pub fn truth(self) -> Truth<T> {
        match self {
            Value::Truth(truth) => truth,
            Value::Number(_) => unreachable!("the system has been validated: a Boolean stands here"),
        }
    }

    pub fn number(self) -> Number<T> {
        match self {
            Value::Number(number) => number,
            Value::Truth(_) => unreachable!("the system has been validated: an integer stands here"),
        }
    }
}

/// What the expressions of one rule, or of one symbol, are about.
pub(super) struct Circuit<'a, L> {
    pub space: &'a L,
    pub columns: &'a Columns,
    /// The frames whose locals are meant, by [`Time`].
    pub frames: [Option<FrameId>; 3],
}

/// In which copy the values of a time are.
pub(super) fn copy(time: Time) -> At {
    match time {
        Time::Before => At::Now,
        Time::After => At::Next,
        Time::Saved => At::Saved,
    }
}

impl<L: Logic> Circuit<'_, L> {
    /// Where a Boolean expression may be true.
    pub fn may(&self, expr: &Expr) -> Result<L::Term> {
        Ok(self.value(expr)?.truth().yes)
    }

    /// The value of an expression.
    pub fn value(&self, expr: &Expr) -> Result<Value<L::Term>> {
        let mut stack: Vec<Value<L::Term>> = Vec::new();
        for op in expr.ops() {
            let operands = stack.split_off(stack.len() - op.arity());
            let value = self.applied(*op, operands)?;
            stack.push(value);
        }
        Ok(stack.pop().expect("an expression is one tree"))
    }

    fn applied(&self, op: Op, operands: Vec<Value<L::Term>>) -> Result<Value<L::Term>> {
        let space = self.space;
        let mut operands = operands.into_iter();
        let mut next = || operands.next().expect("an operation has as many operands as it takes");
        Ok(match op {
            Op::Bool(value) => {
                let (yes, no) = (space.top(), space.bottom());
                Value::Truth(if value { Truth { yes, no } } else { Truth { yes: no, no: yes } })
            }
            Op::Number(number) => Value::Number(Number::constant(space, number)),
            Op::Any => Value::Truth(Truth { yes: space.top(), no: space.top() }),
            Op::Read(var, time) => self.stored(self.field(var, time), 0, time)?,
            Op::Cell(var, time) => self.cell(self.field(var, time), &next().number(), time)?,
            Op::Unary(Unary::Not) => {
                let Truth { yes, no } = next().truth();
                Value::Truth(Truth { yes: no, no: yes })
            }
            Op::Binary(op) => self.binary(op, next(), next())?,
            Op::Ite => {
                let condition = next().truth();
                self.chosen(&condition, next(), next())?
            }
            Op::Choose => {
                let (a, b) = (next().truth(), next().truth());
                let neither = space.and(&a.no, &b.no)?;
                Value::Truth(Truth { yes: space.or(&a.yes, &neither)?, no: a.no })
            }
        })
    }

    /// Where a variable lies.
    pub fn field(&self, var: Var, time: Time) -> Field {
        self.columns.field(var, self.frames[time as usize])
    }

    /// The digits of a cell.
    pub fn digits(&self, field: Field, cell: u32, time: Time) -> Result<Vec<L::Term>> {
        field.cell(cell).map(|bit| self.space.literal((Bit(bit), copy(time)), true)).collect()
    }

    fn stored(&self, field: Field, cell: u32, time: Time) -> Result<Value<L::Term>> {
        let mut digits = self.digits(field, cell, time)?;
        if field.is_bool() {
            let yes = digits.swap_remove(0);
            let no = self.space.not(&yes)?;
            return Ok(Value::Truth(Truth { yes, no }));
        }
        Ok(Value::Number(Number::unsigned(self.space, digits)))
    }

    /// Where an index means a cell.
    pub fn hits(&self, field: Field, cell: u32, index: &Number<L::Term>) -> Result<L::Term> {
        let first = field.ty.range.map_or(0, |(first, _)| first);
        index.is(self.space, u64::from(first) + u64::from(cell))
    }

    fn cell(&self, field: Field, index: &Number<L::Term>, time: Time) -> Result<Value<L::Term>> {
        let space = self.space;
        let none = Truth { yes: space.bottom(), no: space.bottom() };
        let mut value = if field.is_bool() { Value::Truth(none) } else { Value::Number(Number::nothing(space)) };
        for cell in 0..field.ty.cells() {
            let here = self.hits(field, cell, index)?;
            if !space.is_empty(&here) {
                let no = space.not(&here)?;
                value = self.chosen(&Truth { yes: here, no }, self.stored(field, cell, time)?, value)?;
            }
        }
        Ok(value)
    }

    fn chosen(
        &self,
        condition: &Truth<L::Term>,
        then: Value<L::Term>,
        otherwise: Value<L::Term>,
    ) -> Result<Value<L::Term>> {
        let space = self.space;
        let Truth { yes, no } = condition;
        if let Value::Truth(then) = then {
            let otherwise = otherwise.truth();
            let either = |a: &L::Term, b: &L::Term| space.or(&space.and(yes, a)?, &space.and(no, b)?);
            return Ok(Value::Truth(Truth {
                yes: either(&then.yes, &otherwise.yes)?,
                no: either(&then.no, &otherwise.no)?,
            }));
        }
        Number::choose(space, [yes, no], &then.number(), &otherwise.number()).map(Value::Number)
    }

    fn binary(&self, op: Binary, left: Value<L::Term>, right: Value<L::Term>) -> Result<Value<L::Term>> {
        let space = self.space;
        match op {
            Binary::And | Binary::Or | Binary::Xor | Binary::Implies | Binary::Iff => {
                self.connected(op, left.truth(), right.truth()).map(Value::Truth)
            }
            Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => {
                self.compared(op, &left.number(), &right.number()).map(Value::Truth)
            }
            _ => {
                let (a, b) = (&left.number(), &right.number());
                Ok(Value::Number(match op {
                    Binary::Add => a.plus(space, b)?,
                    Binary::Sub => a.minus(space, b)?,
                    Binary::Mul => a.times(space, b)?,
                    Binary::Div => a.divided(space, b)?.0,
                    Binary::Rem => a.divided(space, b)?.1,
                    Binary::Shl => a.shifted_left(space, b)?,
                    Binary::Shr => a.shifted_right(space, b)?,
                    Binary::BitAnd => a.bitwise(space, b, |a, b| space.and(a, b))?,
                    Binary::BitOr => a.bitwise(space, b, |a, b| space.or(a, b))?,
                    _ => a.bitwise(space, b, |a, b| space.xor(a, b))?,
                }))
            }
        }
    }

    /// The table of SPEC.md.
    fn connected(&self, op: Binary, a: Truth<L::Term>, b: Truth<L::Term>) -> Result<Truth<L::Term>> {
        let space = self.space;
        let (and, or) = (|a: &L::Term, b: &L::Term| space.and(a, b), |a: &L::Term, b: &L::Term| space.or(a, b));
        Ok(match op {
            Binary::And => Truth { yes: and(&a.yes, &b.yes)?, no: or(&a.no, &b.no)? },
            Binary::Or => Truth { yes: or(&a.yes, &b.yes)?, no: and(&a.no, &b.no)? },
            Binary::Implies => Truth { yes: or(&a.no, &b.yes)?, no: and(&a.yes, &b.no)? },
            _ => {
                let same = or(&and(&a.yes, &b.yes)?, &and(&a.no, &b.no)?)?;
                let other = or(&and(&a.yes, &b.no)?, &and(&a.no, &b.yes)?)?;
                if op == Binary::Iff { Truth { yes: same, no: other } } else { Truth { yes: other, no: same } }
            }
        })
    }

    fn compared(&self, op: Binary, a: &Number<L::Term>, b: &Number<L::Term>) -> Result<Truth<L::Term>> {
        let space = self.space;
        let defined = space.and(&a.defined, &b.defined)?;
        let (holds, turned) = match op {
            Binary::Eq => (a.equals(space, b)?, false),
            Binary::Ne => (a.equals(space, b)?, true),
            Binary::Lt => (a.less(space, b)?, false),
            Binary::Ge => (a.less(space, b)?, true),
            Binary::Gt => (b.less(space, a)?, false),
            _ => (b.less(space, a)?, true),
        };
        let [yes, no] = [space.and(&defined, &holds)?, space.and_not(&defined, &holds)?];
        Ok(if turned { Truth { yes: no, no: yes } } else { Truth { yes, no } })
    }
}
