//! The judge's own evaluator of expressions, over explicit values.
//!
//! An expression denotes the set of its possible values, since every `*` in it is drawn afresh: for Booleans the pair
//! (may be 1, may be 0), where `*` is (1,1) and an undefined operand (0,0); for integers a list, nearly always of one.
//! Integers are exact, however large.
//!
//! Some cells may be *open*: not known yet. Then the result covers all that they could make it (the pairs are monotone),
//! and the evaluator names the first open cell that it met, for the caller to split on.

use num_bigint::{BigInt, Sign};
use spds_format::expr::{Binary, Expr, Op, Time, Unary};
use spds_format::model::{Scalar, Type, Var, Variable};

/// Values of scalar cells; `None` is open.
pub(crate) type Cells = Vec<Option<u64>>;

/// Where the variables of one list (the globals, or those of a frame) have their cells.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    first: Vec<usize>,
    types: Vec<Type>,
    owners: Vec<u32>,
}

impl Layout {
    pub(crate) fn new(variables: &[Variable]) -> Layout {
        let mut layout = Layout::default();
        for (number, variable) in (0..).zip(variables) {
            layout.first.push(layout.owners.len());
            layout.types.push(variable.ty);
            layout.owners.extend((0..variable.ty.cells()).map(|_| number));
        }
        layout
    }

    /// The number of cells in all.
    pub(crate) fn len(&self) -> usize {
        self.owners.len()
    }

    /// The number of variables.
    pub(crate) fn variables(&self) -> usize {
        self.first.len()
    }

    /// The variable that the cell belongs to.
    pub(crate) fn owner(&self, cell: usize) -> usize {
        self.owners[cell] as usize
    }

    pub(crate) fn ty(&self, variable: u32) -> Type {
        self.types[variable as usize]
    }

    pub(crate) fn scalar(&self, cell: usize) -> Scalar {
        self.types[self.owner(cell)].scalar
    }

    /// The largest value of the cell.
    pub(crate) fn largest(&self, cell: usize) -> u64 {
        largest(self.scalar(cell))
    }

    /// All cells of a variable.
    pub(crate) fn cells(&self, variable: u32) -> std::ops::Range<usize> {
        let first = self.first[variable as usize];
        first..first + self.types[variable as usize].cells() as usize
    }

    /// The cell of an array with this index, if it has one.
    pub(crate) fn indexed(&self, variable: u32, index: &BigInt) -> Option<usize> {
        let (first, last) = self.types[variable as usize].range?;
        let index = u32::try_from(index).ok().filter(|index| (first..=last).contains(index))?;
        Some(self.first[variable as usize] + (index - first) as usize)
    }
}

/// The largest value of a type.
pub(crate) fn largest(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Bool => 1,
        Scalar::Unsigned(bits) => u64::MAX >> (64 - u32::from(bits)),
    }
}

/// A list of variables at a moment.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) cells: &'a [Option<u64>],
}

/// All that an expression can read.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) globals: Side<'a>,
    pub(crate) locals: Side<'a>,
    /// After the step, where that is decided.
    pub(crate) after: Option<(Side<'a>, Side<'a>)>,
    /// The locals saved by a call.
    pub(crate) saved: Option<Side<'a>>,
    /// The globals carried by the state of an automaton that an edge leaves.
    pub(crate) carried: Option<Side<'a>>,
}

impl<'a> Scene<'a> {
    fn side(&self, var: Var, time: Time) -> Option<(Side<'a>, u32)> {
        match (var, time) {
            (Var::Global(number), Time::Before) => Some((self.globals, number)),
            (Var::Local(number), Time::Before) => Some((self.locals, number)),
            (Var::Global(number), Time::After) => self.after.map(|(globals, _)| (globals, number)),
            (Var::Local(number), Time::After) => self.after.map(|(_, locals)| (locals, number)),
            (Var::Local(number), Time::Saved) => self.saved.map(|saved| (saved, number)),
            (Var::Global(number), Time::Saved) => self.carried.map(|carried| (carried, number)),
        }
    }
}

/// A cell of a [`Scene`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) global: bool,
    pub(crate) time: Time,
    pub(crate) cell: usize,
}

impl Spot {
    /// That cell among the globals and locals at both ends of an edge and the values at the symbol between.
    pub(crate) fn cell<'c>(
        self,
        here: (&'c mut Cells, &'c mut Cells),
        letter: &'c mut Cells,
        next: (&'c mut Cells, &'c mut Cells),
    ) -> &'c mut Option<u64> {
        let cells = match (self.time, self.global) {
            (Time::After, true) => next.0,
            (Time::After, false) => next.1,
            (_, true) => here.0,
            (Time::Before, false) => letter,
            (Time::Saved, false) => here.1,
        };
        &mut cells[self.cell]
    }
}

/// The values an expression may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Truth {
        one: bool,
        zero: bool,
    },
    Int(BigInt),
    /// Any number of integers but one; ascending.
    Ints(Vec<BigInt>),
    /// An integer that depends on an open cell.
    Open,
}

impl Value {
    fn truth(value: bool) -> Value {
        Value::Truth { one: value, zero: !value }
    }

    fn ints(mut values: Vec<BigInt>) -> Value {
        values.sort_unstable();
        values.dedup();
        if values.len() == 1 { Value::Int(values.swap_remove(0)) } else { Value::Ints(values) }
    }

    /// Whether it may be 1 and whether it may be 0; an integer is neither.
    fn pair(&self) -> (bool, bool) {
        match self {
            Value::Truth { one, zero } => (*one, *zero),
            _ => (false, false),
        }
    }

    /// The integers it may be; `None` if that is open.
    pub(crate) fn numbers(&self) -> Option<&[BigInt]> {
        match self {
            Value::Int(value) => Some(std::slice::from_ref(value)),
            Value::Ints(values) => Some(values),
            Value::Truth { .. } => Some(&[]),
            Value::Open => None,
        }
    }
}

impl Value {
    /// The values that a variable of that type can take from it, ascending.
    pub(crate) fn storable(&self, scalar: Scalar) -> Vec<u64> {
        match (self, scalar) {
            (Value::Truth { one, zero }, Scalar::Bool) => {
                zero.then_some(0).into_iter().chain(one.then_some(1)).collect()
            }
            (Value::Int(_) | Value::Ints(_), Scalar::Unsigned(_)) => {
                let fits = |value: &BigInt| u64::try_from(value).ok().filter(|value| *value <= largest(scalar));
                self.numbers().unwrap_or(&[]).iter().filter_map(fits).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// What an evaluation came to.
pub(crate) struct Evaluated {
    pub(crate) value: Value,
    /// The first open cell that was read.
    pub(crate) open: Option<Spot>,
}

impl Evaluated {
    /// Whether it may be true.
    pub(crate) fn may_hold(&self) -> bool {
        self.value.pair().0
    }
}

/// Evaluates an expression. What the scene does not have has no value.
pub(crate) fn evaluate(expr: &Expr, scene: &Scene<'_>) -> Evaluated {
    let mut stack: Vec<Value> = Vec::with_capacity(8);
    let mut open = None;
    for op in expr.ops() {
        let base = stack.len() - op.arity();
        let value = match (op, &stack[base..]) {
            (Op::Bool(value), _) => Value::truth(*value),
            (Op::Number(value), _) => Value::Int(BigInt::from(*value)),
            (Op::Any, _) => Value::Truth { one: true, zero: true },
            (Op::Read(var, time), _) => match scene.side(*var, *time) {
                None => Value::Ints(Vec::new()),
                Some((side, number)) => read(side, side.layout.cells(number).start, *var, *time, &mut open),
            },
            (Op::Cell(var, time), [index]) => cell(scene, *var, *time, index, &mut open),
            (Op::Unary(Unary::Not), [a]) => {
                let (one, zero) = a.pair();
                Value::Truth { one: zero, zero: one }
            }
            (Op::Binary(op), [a, b]) => binary(*op, a, b),
            (Op::Ite, [c, a, b]) => if_then_else(c, a, b),
            (Op::Choose, [a, b]) => {
                let ((a1, a0), (_, b0)) = (a.pair(), b.pair());
                Value::Truth { one: a1 || a0 && b0, zero: a0 }
            }
            _ => unreachable!("the slice has as many operands as the operation takes"),
        };
        stack.truncate(base);
        stack.push(value);
    }
    Evaluated { value: stack.pop().expect("an expression is never empty"), open }
}

fn read(side: Side<'_>, cell: usize, var: Var, time: Time, open: &mut Option<Spot>) -> Value {
    let scalar = side.layout.scalar(cell);
    match (side.cells[cell], scalar) {
        (Some(value), Scalar::Bool) => Value::truth(value != 0),
        (Some(value), Scalar::Unsigned(_)) => Value::Int(BigInt::from(value)),
        (None, _) => {
            open.get_or_insert(Spot { global: matches!(var, Var::Global(_)), time, cell });
            if scalar == Scalar::Bool { Value::Truth { one: true, zero: true } } else { Value::Open }
        }
    }
}

fn cell(scene: &Scene<'_>, var: Var, time: Time, index: &Value, open: &mut Option<Spot>) -> Value {
    let Some((side, number)) = scene.side(var, time) else { return Value::Ints(Vec::new()) };
    let boolean = side.layout.ty(number).scalar == Scalar::Bool;
    let Some(indices) = index.numbers() else {
        return if boolean { Value::Truth { one: true, zero: true } } else { Value::Open };
    };
    let mut values =
        indices.iter().filter_map(|i| side.layout.indexed(number, i)).map(|cell| read(side, cell, var, time, open));
    if boolean {
        let (mut one, mut zero) = (false, false);
        for value in values {
            let (may_one, may_zero) = value.pair();
            (one, zero) = (one || may_one, zero || may_zero);
        }
        return Value::Truth { one, zero };
    }
    let mut numbers = Vec::new();
    match values.try_for_each(|value| value.numbers().map(|some| numbers.extend_from_slice(some))) {
        Some(()) => Value::ints(numbers),
        None => Value::Open,
    }
}

fn binary(op: Binary, a: &Value, b: &Value) -> Value {
    let ((a1, a0), (b1, b0)) = (a.pair(), b.pair());
    let pair = |one, zero| Value::Truth { one, zero };
    match op {
        Binary::And => pair(a1 && b1, a0 || b0),
        Binary::Or => pair(a1 || b1, a0 && b0),
        Binary::Implies => pair(a0 || b1, a1 && b0),
        Binary::Xor => pair(a1 && b0 || a0 && b1, a1 && b1 || a0 && b0),
        Binary::Iff => pair(a1 && b1 || a0 && b0, a1 && b0 || a0 && b1),
        Binary::Eq => compare(a, b, |a, b| a == b),
        Binary::Ne => compare(a, b, |a, b| a != b),
        Binary::Lt => compare(a, b, |a, b| a < b),
        Binary::Le => compare(a, b, |a, b| a <= b),
        Binary::Gt => compare(a, b, |a, b| a > b),
        Binary::Ge => compare(a, b, |a, b| a >= b),
        Binary::Add => compute(a, b, |a, b| Some(a + b)),
        Binary::Sub => compute(a, b, |a, b| Some(a - b)),
        Binary::Mul => compute(a, b, |a, b| Some(a * b)),
        Binary::Div => compute(a, b, BigInt::checked_div),
        Binary::Rem => compute(a, b, |a, b| (b.sign() != Sign::NoSign).then(|| a % b)),
        Binary::Shl => compute(a, b, |a, b| u32::try_from(b).ok().filter(|by| *by <= 64).map(|by| a << by)),
        Binary::Shr => compute(a, b, shift_right),
        Binary::BitAnd => compute(a, b, |a, b| bitwise(a, b).then(|| a & b)),
        Binary::BitOr => compute(a, b, |a, b| bitwise(a, b).then(|| a | b)),
        Binary::BitXor => compute(a, b, |a, b| bitwise(a, b).then(|| a ^ b)),
    }
}

/// a / 2^by, rounded down.
fn shift_right(a: &BigInt, by: &BigInt) -> Option<BigInt> {
    // However large the distance, nothing but the sign is left beyond the length of the number.
    let by = if by.sign() == Sign::Minus { None } else { Some(u64::try_from(by).unwrap_or(u64::MAX)) };
    by.map(|by| a >> by.min(a.bits() + 1))
}

/// Whether operations bit by bit are defined.
fn bitwise(a: &BigInt, b: &BigInt) -> bool {
    a.sign() != Sign::Minus && b.sign() != Sign::Minus
}

fn compare(a: &Value, b: &Value, holds: fn(&BigInt, &BigInt) -> bool) -> Value {
    let (Some(left), Some(right)) = (a.numbers(), b.numbers()) else { return Value::Truth { one: true, zero: true } };
    let (mut one, mut zero) = (false, false);
    for result in left.iter().flat_map(|a| right.iter().map(move |b| holds(a, b))) {
        (one, zero) = (one || result, zero || !result);
    }
    Value::Truth { one, zero }
}

fn compute(a: &Value, b: &Value, apply: fn(&BigInt, &BigInt) -> Option<BigInt>) -> Value {
    if let (Value::Int(a), Value::Int(b)) = (a, b) {
        return apply(a, b).map_or(Value::Ints(Vec::new()), Value::Int);
    }
    let (Some(left), Some(right)) = (a.numbers(), b.numbers()) else { return Value::Open };
    Value::ints(left.iter().flat_map(|a| right.iter().filter_map(|b| apply(a, b))).collect())
}

fn if_then_else(c: &Value, a: &Value, b: &Value) -> Value {
    let (then, otherwise) = c.pair();
    if let (Value::Truth { .. }, Value::Truth { .. }) = (a, b) {
        let ((a1, a0), (b1, b0)) = (a.pair(), b.pair());
        return Value::Truth { one: then && a1 || otherwise && b1, zero: then && a0 || otherwise && b0 };
    }
    let mut numbers = Vec::new();
    for value in then.then_some(a).into_iter().chain(otherwise.then_some(b)) {
        match value.numbers() {
            Some(some) => numbers.extend_from_slice(some),
            None => return Value::Open,
        }
    }
    Value::ints(numbers)
}
