//! Expressions as circuits of relations, built bitwise and never by enumerating values.
//!
//! A Boolean expression becomes the pair (may be 1, may be 0): `*` is (1,1), an undefined value (0,0). Every occurrence of
//! `*` is drawn afresh, so the pair is exact and `*` needs no BDD variable (see [`crate::saturation`], "Rules"). An integer
//! becomes the bits of a two's complement number just wide enough for every value it can take, and the relation under which
//! it is defined.

use spds_format::expr::{Binary, Expr, Op, Time, Unary};
use spds_format::model::{FrameId, Var};

use super::layout::{Field, Layout, is_bool};
use crate::bdd::{At, Bit, Relation, Space};
use crate::limits::Stop;

/// A Boolean: the relations under which it may be true and may be false.
#[derive(Clone)]
pub struct Truth {
    /// It may be 1.
    pub one: Relation,
    /// It may be 0.
    pub zero: Relation,
}

/// An integer: two's complement bits, least significant first, the last one the sign.
#[derive(Clone)]
pub struct Number {
    /// At least one bit.
    pub bits: Vec<Relation>,
    /// Where it has a value at all.
    pub defined: Relation,
}

/// A value of either kind.
#[derive(Clone)]
pub enum Value {
    /// Of type bool.
    Truth(Truth),
    /// Of an integer type.
    Number(Number),
}

impl Value {
    pub(super) fn truth(self) -> Truth {
        match self {
            Value::Truth(truth) => truth,
            Value::Number(_) => unreachable!("the system has been validated: a Boolean stands here"),
        }
    }

    pub(super) fn number(self) -> Number {
        match self {
            Value::Number(number) => number,
            Value::Truth(_) => unreachable!("the system has been validated: an integer stands here"),
        }
    }
}

/// Shifts to the left by more than this have no value.
const WIDEST_SHIFT: u64 = 64;

/// Evaluates expressions of one rule.
pub struct Circuit<'a> {
    pub(super) space: &'a Space,
    pub(super) layout: &'a Layout,
    /// The frames that locals belong to, by [`Time`].
    pub(super) frames: [Option<FrameId>; 3],
    /// Where their bits lie, by [`Time`].
    pub(super) placing: [Placing; 3],
    /// The values before, by bit, where these are known: no relation is about them then.
    pub(super) before: Option<&'a [bool]>,
}

/// Where the bits of variables lie at one time: in which copy, and how far locals are moved from their slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placing {
    /// The copy.
    pub at: At,
    /// Added to the numbers of the bits of locals.
    pub shift: u32,
}

/// Before in Now, After in Next, Saved in Saved, locals in their slots.
pub const COPIES: [Placing; 3] =
    [Placing { at: At::Now, shift: 0 }, Placing { at: At::Next, shift: 0 }, Placing { at: At::Saved, shift: 0 }];

type Result<T> = std::result::Result<T, Stop>;

impl Circuit<'_> {
    /// The value of an expression. Its operands are evaluated on a stack: nothing recurs.
    pub fn eval(&self, expr: &Expr) -> Result<Value> {
        let mut stack: Vec<Value> = Vec::new();
        for &op in expr.ops() {
            let mut pop = || stack.pop().expect("an expression is a tree in postorder");
            let value = match op {
                Op::Bool(value) => Value::Truth(self.constant(value)),
                Op::Number(number) => Value::Number(self.literal(number)),
                Op::Any => Value::Truth(Truth { one: self.space.top(), zero: self.space.top() }),
                Op::Read(var, time) => self.read(self.field(var, time), 0, time)?,
                Op::Cell(var, time) => {
                    let index = pop().number();
                    self.cell(self.field(var, time), &index, time)?
                }
                Op::Unary(Unary::Not) => {
                    let Truth { one, zero } = pop().truth();
                    Value::Truth(Truth { one: zero, zero: one })
                }
                Op::Binary(op) => {
                    let right = pop();
                    let left = pop();
                    self.binary(op, left, right)?
                }
                Op::Ite => {
                    let otherwise = pop();
                    let then = pop();
                    self.choose(&pop().truth(), then, otherwise)?
                }
                Op::Choose => {
                    let (b, a) = (pop().truth(), pop().truth());
                    // schoose[a,b] = (Ta ∨ Fa∧Fb, Fa)
                    let neither = self.space.and(&a.zero, &b.zero)?;
                    Value::Truth(Truth { one: self.space.or(&a.one, &neither)?, zero: a.zero })
                }
            };
            stack.push(value);
        }
        Ok(stack.pop().expect("an expression is never empty"))
    }

    /// The relation under which a Boolean expression may be true.
    pub fn may(&self, expr: &Expr) -> Result<Relation> {
        Ok(self.eval(expr)?.truth().one)
    }

    pub(super) fn field(&self, var: Var, time: Time) -> Field {
        let field = self.layout.field(var, self.frames[time as usize]);
        match var {
            Var::Global(_) => field,
            Var::Local(_) => Field { base: field.base + self.placing[time as usize].shift, ..field },
        }
    }

    /// The copy that a time means.
    pub(super) fn at(&self, time: Time) -> At {
        self.placing[time as usize].at
    }

    /// Where a bit is 1.
    pub(super) fn bit(&self, bit: Bit, time: Time) -> Result<Relation> {
        match self.before.filter(|_| time == Time::Before) {
            Some(values) if values[bit.0 as usize] => Ok(self.space.top()),
            Some(_) => Ok(self.space.bottom()),
            None => self.space.literal((bit, self.at(time)), true),
        }
    }

    fn constant(&self, value: bool) -> Truth {
        let (top, bottom) = (self.space.top(), self.space.bottom());
        if value { Truth { one: top, zero: bottom } } else { Truth { one: bottom, zero: top } }
    }

    fn literal(&self, number: u64) -> Number {
        let width = 65 - number.leading_zeros();
        let bit = |i: u32| i < 64 && number >> i & 1 == 1;
        let bits = (0..width).map(|i| if bit(i) { self.space.top() } else { self.space.bottom() }).collect();
        Number { bits, defined: self.space.top() }
    }

    /// The value of the n-th cell of a field.
    pub(super) fn read(&self, field: Field, cell: u32, time: Time) -> Result<Value> {
        let mut bits = Vec::new();
        for bit in field.cell(cell) {
            bits.push(self.bit(bit, time)?);
        }
        if is_bool(field.ty) {
            let one = bits.pop().expect("a truth value has one bit");
            let zero = self.space.not(&one)?;
            return Ok(Value::Truth(Truth { one, zero }));
        }
        bits.push(self.space.bottom());
        Ok(Value::Number(Number { bits, defined: self.space.top() }))
    }

    fn cell(&self, field: Field, index: &Number, time: Time) -> Result<Value> {
        let mut result: Option<Value> = None;
        for cell in 0..field.ty.cells() {
            let here = self.hits(field, cell, index)?;
            if self.space.is_empty(&here) {
                continue;
            }
            let value = self.guarded(&here, self.read(field, cell, time)?)?;
            result = Some(match result {
                None => value,
                Some(other) => self.either(other, value)?,
            });
        }
        Ok(result.unwrap_or_else(|| self.nothing(field)))
    }

    fn nothing(&self, field: Field) -> Value {
        let none = self.space.bottom();
        if is_bool(field.ty) {
            Value::Truth(Truth { one: none.clone(), zero: none })
        } else {
            Value::Number(Number { bits: vec![none.clone()], defined: none })
        }
    }

    /// Where the index is defined and means the n-th cell.
    pub(super) fn hits(&self, field: Field, cell: u32, index: &Number) -> Result<Relation> {
        let (first, _) = field.ty.range.expect("validated: only arrays are indexed");
        let same = self.equal(index, &self.literal(u64::from(first + cell)))?;
        self.space.and(&same, &index.defined)
    }

    /// The value where the condition holds, undefined elsewhere; its bits are 0 there.
    fn guarded(&self, condition: &Relation, value: Value) -> Result<Value> {
        let and = |a: &Relation| self.space.and(a, condition);
        Ok(match value {
            Value::Truth(t) => Value::Truth(Truth { one: and(&t.one)?, zero: and(&t.zero)? }),
            Value::Number(n) => Value::Number(Number {
                bits: n.bits.iter().map(and).collect::<Result<_>>()?,
                defined: and(&n.defined)?,
            }),
        })
    }

    /// The union of two guarded values whose conditions exclude each other.
    fn either(&self, a: Value, b: Value) -> Result<Value> {
        Ok(match (a, b) {
            (Value::Truth(a), Value::Truth(b)) => {
                Value::Truth(Truth { one: self.space.or(&a.one, &b.one)?, zero: self.space.or(&a.zero, &b.zero)? })
            }
            (a, b) => {
                let (a, b) = (a.number(), b.number());
                let width = a.bits.len().max(b.bits.len());
                let (wide_a, wide_b) = (extend(&a.bits, width), extend(&b.bits, width));
                let bits = wide_a.iter().zip(&wide_b).map(|(a, b)| self.space.or(a, b)).collect::<Result<_>>()?;
                Value::Number(Number { bits, defined: self.space.or(&a.defined, &b.defined)? })
            }
        })
    }

    /// `condition ? then : otherwise`. On integers the condition is deterministic (validated).
    fn choose(&self, condition: &Truth, then: Value, otherwise: Value) -> Result<Value> {
        self.either(self.guarded(&condition.one, then)?, self.guarded(&condition.zero, otherwise)?)
    }

    fn binary(&self, op: Binary, left: Value, right: Value) -> Result<Value> {
        match op {
            Binary::And | Binary::Or | Binary::Xor | Binary::Implies | Binary::Iff => {
                self.logical(op, left.truth(), right.truth()).map(Value::Truth)
            }
            Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => {
                self.compare(op, &left.number(), &right.number()).map(Value::Truth)
            }
            _ => self.arithmetic(op, &left.number(), &right.number()).map(Value::Number),
        }
    }

    fn logical(&self, op: Binary, a: Truth, b: Truth) -> Result<Truth> {
        let s = self.space;
        let swap = |t: Truth| Truth { one: t.zero, zero: t.one };
        Ok(match op {
            Binary::And => Truth { one: s.and(&a.one, &b.one)?, zero: s.or(&a.zero, &b.zero)? },
            Binary::Or => Truth { one: s.or(&a.one, &b.one)?, zero: s.and(&a.zero, &b.zero)? },
            Binary::Implies => return self.logical(Binary::Or, swap(a), b),
            Binary::Iff => return self.logical(Binary::Xor, swap(a), b),
            _ => Truth {
                one: s.or(&s.and(&a.one, &b.zero)?, &s.and(&a.zero, &b.one)?)?,
                zero: s.or(&s.and(&a.one, &b.one)?, &s.and(&a.zero, &b.zero)?)?,
            },
        })
    }

    fn compare(&self, op: Binary, a: &Number, b: &Number) -> Result<Truth> {
        let (holds, negated) = match op {
            Binary::Eq => (self.equal(a, b)?, false),
            Binary::Ne => (self.equal(a, b)?, true),
            Binary::Lt => (self.less(a, b)?, false),
            Binary::Ge => (self.less(a, b)?, true),
            Binary::Gt => (self.less(b, a)?, false),
            _ => (self.less(b, a)?, true),
        };
        let defined = self.space.and(&a.defined, &b.defined)?;
        let (one, zero) = (self.space.and(&defined, &holds)?, self.space.and_not(&defined, &holds)?);
        Ok(if negated { Truth { one: zero, zero: one } } else { Truth { one, zero } })
    }

    /// Equality of the bits, whether defined or not.
    fn equal(&self, a: &Number, b: &Number) -> Result<Relation> {
        let width = a.bits.len().max(b.bits.len());
        let mut same = self.space.top();
        for (a, b) in extend(&a.bits, width).iter().zip(&extend(&b.bits, width)) {
            same = self.space.and(&same, &self.space.iff(a, b)?)?;
        }
        Ok(same)
    }

    /// a < b on the bits.
    fn less(&self, a: &Number, b: &Number) -> Result<Relation> {
        let width = a.bits.len().max(b.bits.len());
        let mut less = self.space.bottom();
        for (i, (a, b)) in extend(&a.bits, width).iter().zip(&extend(&b.bits, width)).enumerate() {
            // The sign weighs the other way round.
            let (low, high) = if i + 1 == width { (b, a) } else { (a, b) };
            let differ = self.space.xor(low, high)?;
            less = self.space.ite(&differ, high, &less)?;
        }
        Ok(less)
    }

    fn arithmetic(&self, op: Binary, a: &Number, b: &Number) -> Result<Number> {
        let mut defined = self.space.and(&a.defined, &b.defined)?;
        let bits = match op {
            Binary::Add => self.sum(&a.bits, &b.bits)?,
            Binary::Sub => self.difference(&a.bits, &b.bits)?,
            Binary::Mul => self.product(&a.bits, &b.bits)?,
            Binary::Div | Binary::Rem => {
                let zero = self.equal(b, &self.literal(0))?;
                defined = self.space.and_not(&defined, &zero)?;
                let (quotient, remainder) = self.divide(&a.bits, &b.bits)?;
                if op == Binary::Div { quotient } else { remainder }
            }
            Binary::Shl | Binary::Shr => {
                let (bits, possible) = self.shift(op, &a.bits, b)?;
                defined = self.space.and(&defined, &possible)?;
                bits
            }
            _ => {
                let negative = self.space.or(sign(&a.bits), sign(&b.bits))?;
                defined = self.space.and_not(&defined, &negative)?;
                let width = a.bits.len().max(b.bits.len());
                let pairs = extend(&a.bits, width).into_iter().zip(extend(&b.bits, width));
                let bit = |(a, b): (Relation, Relation)| match op {
                    Binary::BitAnd => self.space.and(&a, &b),
                    Binary::BitOr => self.space.or(&a, &b),
                    _ => self.space.xor(&a, &b),
                };
                pairs.map(bit).collect::<Result<_>>()?
            }
        };
        Ok(Number { bits: shortened(bits), defined })
    }

    fn sum(&self, a: &[Relation], b: &[Relation]) -> Result<Vec<Relation>> {
        self.add(a, b, self.space.bottom())
    }

    /// a + b + carry, one bit wider than the wider one.
    fn add(&self, a: &[Relation], b: &[Relation], carry: Relation) -> Result<Vec<Relation>> {
        let s = self.space;
        let width = a.len().max(b.len()) + 1;
        let mut carry = carry;
        let mut bits = Vec::with_capacity(width);
        for (a, b) in extend(a, width).iter().zip(&extend(b, width)) {
            let either = s.xor(a, b)?;
            bits.push(s.xor(&either, &carry)?);
            carry = s.ite(&either, &carry, a)?;
        }
        Ok(bits)
    }

    fn difference(&self, a: &[Relation], b: &[Relation]) -> Result<Vec<Relation>> {
        let complement: Vec<Relation> = b.iter().map(|bit| self.space.not(bit)).collect::<Result<_>>()?;
        // Extended by its sign, the complement stays the complement of the extension.
        self.add(a, &complement, self.space.top())
    }

    /// |a|, as many bits as a.
    fn magnitude(&self, a: &[Relation]) -> Result<Vec<Relation>> {
        let negated = self.difference(&[self.space.bottom()], a)?;
        let mut bits = self.pick(sign(a), &negated, a)?;
        bits.truncate(a.len() + 1);
        Ok(bits)
    }

    /// `condition ? then : otherwise`, bit by bit.
    fn pick(&self, condition: &Relation, then: &[Relation], otherwise: &[Relation]) -> Result<Vec<Relation>> {
        let width = then.len().max(otherwise.len());
        let pairs = extend(then, width).into_iter().zip(extend(otherwise, width));
        pairs.map(|(a, b)| self.space.ite(condition, &a, &b)).collect()
    }

    /// Schoolbook multiplication; the sign bit of b weighs negatively.
    fn product(&self, a: &[Relation], b: &[Relation]) -> Result<Vec<Relation>> {
        let mut total = vec![self.space.bottom()];
        for (i, bit) in b.iter().enumerate() {
            if self.space.is_empty(bit) {
                continue;
            }
            let mut row: Vec<Relation> = vec![self.space.bottom(); i];
            for digit in a {
                row.push(self.space.and(digit, bit)?);
            }
            total = if i + 1 == b.len() { self.difference(&total, &row)? } else { self.sum(&total, &row)? };
            total = shortened(total);
        }
        Ok(total)
    }

    /// Quotient rounded towards zero and remainder with the sign of a; meaningless where b = 0.
    fn divide(&self, a: &[Relation], b: &[Relation]) -> Result<(Vec<Relation>, Vec<Relation>)> {
        let (dividend, divisor) = (self.magnitude(a)?, self.magnitude(b)?);
        let mut quotient = vec![self.space.bottom(); dividend.len()];
        let mut rest: Vec<Relation> = vec![self.space.bottom()];
        for i in (0..dividend.len()).rev() {
            rest.insert(0, dividend[i].clone());
            let less = self.difference(&rest, &divisor)?;
            let fits = self.space.not(sign(&less))?;
            rest = self.pick(&fits, &less, &rest)?;
            rest.truncate(divisor.len() + 1);
            quotient[i] = fits;
        }
        quotient.push(self.space.bottom());
        let negative = self.space.xor(sign(a), sign(b))?;
        let zero = [self.space.bottom()];
        let quotient = self.pick(&negative, &self.difference(&zero, &quotient)?, &quotient)?;
        let remainder = self.pick(sign(a), &self.difference(&zero, &rest)?, &rest)?;
        Ok((quotient, remainder))
    }

    /// The shifted bits, and where the amount is one that a shift can have.
    fn shift(&self, op: Binary, a: &[Relation], amount: &Number) -> Result<(Vec<Relation>, Relation)> {
        let mut possible = self.space.not(sign(&amount.bits))?;
        if op == Binary::Shl {
            let wide = self.less(&self.literal(WIDEST_SHIFT), amount)?;
            possible = self.space.and_not(&possible, &wide)?;
        }
        let mut bits = a.to_vec();
        for (i, digit) in amount.bits[..amount.bits.len() - 1].iter().enumerate() {
            // Amounts beyond the widest are excluded above; a right shift by as much leaves the sign only.
            let by = if i > 6 { bits.len() } else { 1usize << i };
            if op == Binary::Shl && i > 6 || self.space.is_empty(digit) {
                continue;
            }
            let moved: Vec<Relation> = match op {
                Binary::Shl => std::iter::repeat_n(self.space.bottom(), by).chain(bits.iter().cloned()).collect(),
                _ if by >= bits.len() => vec![sign(&bits).clone()],
                _ => bits[by..].to_vec(),
            };
            bits = self.pick(digit, &moved, &bits)?;
        }
        Ok((bits, possible))
    }
}

fn sign(bits: &[Relation]) -> &Relation {
    bits.last().expect("a number has at least its sign")
}

/// The same number with that many bits.
fn extend(bits: &[Relation], width: usize) -> Vec<Relation> {
    let fill = std::iter::repeat_n(sign(bits), width.saturating_sub(bits.len()));
    bits.iter().chain(fill).cloned().collect()
}

/// The same number without repeated sign bits.
fn shortened(mut bits: Vec<Relation>) -> Vec<Relation> {
    while bits.len() > 1 && bits[bits.len() - 1] == bits[bits.len() - 2] {
        bits.pop();
    }
    bits
}
