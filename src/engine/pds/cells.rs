//! Which scalars have to do with the cells of arrays: those that choose a cell, and those that take part in what cells hold.

use spds_format::Spds;
use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{FrameId, Rule, Type, Var};

use super::layout::{Field, Layout, is_bool};

/// For each bit, whether it is of an integer that is compared with cells, stored in them or read from them, and neither it
/// nor any integer that is compared with it or copied to or from it is an index. Linear in the expressions of the
/// system. Locals of several frames in one slot count as one.
///
/// Empty if no array has cells of more than four bits: then it is cheaper to tell all their values apart.
pub fn companions(spds: &Spds, layout: &Layout) -> Vec<bool> {
    if wide(layout).next().is_none() {
        return Vec::new();
    }
    let mut kin = Kin { layout, parent: (0..layout.bits()).collect(), chooses: Vec::new(), holds: Vec::new() };
    for rule in &spds.rules {
        let frames = spds.frames_of(rule);
        for condition in rule.guard.iter().chain(&rule.with) {
            kin.expression(condition, frames);
        }
        for update in rule.updates.iter() {
            let value = kin.expression(&update.value, frames);
            let (field, known) = kin.variable(update.var, update.time, frames);
            if let Some(index) = &update.index {
                let index = kin.expression(index, frames);
                kin.chooses.extend(index.scalar);
            }
            let target = match known {
                Some(base) if field.ty.range.is_none() => Value::scalar(base),
                Some(_) => Value::CELL,
                None => Value::default(),
            };
            kin.join(value, target);
        }
    }
    for symbol in &spds.symbols {
        let frames = [symbol.frame, symbol.frame, None];
        if let Some(condition) = &symbol.invariant {
            kin.expression(condition, frames);
        }
    }
    if let (Some(condition), Some(top)) = (&spds.start.condition, spds.start.stack.first()) {
        kin.expression(condition, [spds.symbol(*top).frame, None, None]);
    }
    kin.companions()
}

/// Which bits are of arrays of which some cell, whichever it is, decides a condition or is put into a scalar by one of these rules. Cells that are
/// only moved among cells are not looked at.
pub fn looked_at(spds: &Spds, layout: &Layout, which: impl Fn(&Rule) -> bool) -> Vec<bool> {
    let mut marks = vec![false; layout.bits() as usize];
    for rule in spds.rules.iter().filter(|rule| which(rule)) {
        let frames = spds.frames_of(rule);
        let scalars = rule.updates.iter().filter(|update| update.index.is_none()).map(|update| &update.value);
        let indices = rule.updates.iter().filter_map(|update| update.index.as_ref());
        for op in rule.guard.iter().chain(&rule.with).chain(scalars).chain(indices).flat_map(Expr::ops) {
            if let Op::Cell(var, time) = *op {
                let field = layout.field(var, frames[time as usize]);
                field.bits().for_each(|bit| marks[bit.0 as usize] = true);
            }
        }
    }
    marks
}

/// The arrays with wide cells.
pub fn wide(layout: &Layout) -> impl Iterator<Item = Field> {
    let fields = layout.globals().iter().chain(layout.shapes().flatten()).copied();
    fields.filter(|field| field.ty.range.is_some() && field.ty.scalar.bits() > FEW_BITS)
}

/// Cells of so many bits are compared with a scalar by way of all its values.
const FEW_BITS: u32 = 4;

/// The frames of a rule's locals, by [`Time`].
type Frames = [Option<FrameId>; 3];

/// What an expression's value comes from: a class of integers, and cells.
#[derive(Clone, Copy, Default)]
struct Value {
    scalar: Option<u32>,
    cell: bool,
}

impl Value {
    const CELL: Value = Value { scalar: None, cell: true };

    fn scalar(base: u32) -> Value {
        Value { scalar: Some(base), cell: false }
    }
}

/// Integers by their first bit, in classes of those that are compared or copied.
struct Kin<'a> {
    layout: &'a Layout,
    parent: Vec<u32>,
    /// Members of classes that are indices.
    chooses: Vec<u32>,
    /// Members of classes that meet cells.
    holds: Vec<u32>,
}

impl Kin<'_> {
    fn root(&mut self, mut member: u32) -> u32 {
        while self.parent[member as usize] != member {
            let above = self.parent[self.parent[member as usize] as usize];
            self.parent[member as usize] = above;
            member = above;
        }
        member
    }

    /// The field of a variable, and its first bit if it is an integer or has integers in its cells.
    fn variable(&self, var: Var, time: Time, frames: Frames) -> (Field, Option<u32>) {
        let field = self.layout.field(var, frames[time as usize]);
        (field, (!is_bool(Type { range: None, ..field.ty })).then_some(field.base))
    }

    /// Two values meet.
    fn join(&mut self, a: Value, b: Value) -> Value {
        if let (Some(a), Some(b)) = (a.scalar, b.scalar) {
            let (a, b) = (self.root(a), self.root(b));
            self.parent[b as usize] = a;
        }
        let met = Value { scalar: a.scalar.or(b.scalar), cell: a.cell || b.cell };
        self.holds.extend(met.scalar.filter(|_| met.cell));
        met
    }

    fn expression(&mut self, expression: &Expr, frames: Frames) -> Value {
        let mut values: Vec<Value> = Vec::new();
        for op in expression.ops() {
            let operands = values.split_off(values.len().saturating_sub(op.arity()));
            let value = match (*op, &operands[..]) {
                (Op::Read(var, time), _) => match self.variable(var, time, frames) {
                    (field, Some(base)) if field.ty.range.is_none() => Value::scalar(base),
                    _ => Value::default(),
                },
                (Op::Cell(..), [index]) => {
                    self.chooses.extend(index.scalar);
                    Value::CELL
                }
                (Op::Binary(op), &[a, b]) if is_arithmetic(op) => self.join(a, b),
                (Op::Binary(_), &[a, b]) => {
                    self.join(a, b);
                    Value::default()
                }
                (Op::Ite, &[_, a, b]) => self.join(a, b),
                _ => Value::default(),
            };
            values.push(value);
        }
        values.pop().unwrap_or_default()
    }

    fn companions(mut self) -> Vec<bool> {
        let mut of_class = vec![(false, false); self.parent.len()];
        for member in std::mem::take(&mut self.chooses) {
            of_class[self.root(member) as usize].0 = true;
        }
        for member in std::mem::take(&mut self.holds) {
            of_class[self.root(member) as usize].1 = true;
        }
        let mut companions = vec![false; self.parent.len()];
        let mut others = vec![false; self.parent.len()];
        let layout = self.layout;
        for field in layout.globals().iter().chain(layout.shapes().flatten()).filter(|field| field.ty.range.is_none()) {
            let (chooses, holds) = of_class[self.root(field.base) as usize];
            let marks = if holds && !chooses && !is_bool(field.ty) { &mut companions } else { &mut others };
            field.bits().for_each(|bit| marks[bit.0 as usize] = true);
        }
        companions.iter().zip(others).map(|(is, other)| *is && !other).collect()
    }
}

fn is_arithmetic(op: Binary) -> bool {
    use Binary::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
    matches!(op, Add | Sub | Mul | Div | Rem | Shl | Shr | BitAnd | BitOr | BitXor)
}
