//! What expressions are worth and what assignments store.

use std::collections::{BTreeMap, BTreeSet};

use puch::remopla::Arithmetic;
use puch::remopla::ast::{Assign, Expression, Op, Piece, Value, Which};
use puch::remopla::declarations::{Dims, Leaf};
use spds_format::expr::Binary;
use spds_format::model::{Scalar, Var};

use super::{Bound, Cell, Choice, Effect, Machine, State, Undefined, Values, domain};

impl Machine<'_> {
    // ---- expressions

    fn index(&self, dims: Dims, indices: &[i128]) -> Result<usize, Undefined> {
        let mut at = 0;
        for (index, (first, last)) in indices.iter().zip(dims.0.iter().flatten()) {
            if !(i128::from(*first)..=i128::from(*last)).contains(index) {
                return Err(Undefined);
            }
            at = at * (last - first + 1) as usize + (index - i128::from(*first)) as usize;
        }
        Ok(at)
    }

    /// The cell that a variable with indices is, `so many` leaves further.
    fn cell(&self, state: &State, e: Expression, leaf: u32, bound: &Bound) -> Result<(Cell, Leaf), Undefined> {
        let indices: Result<Vec<i128>, Undefined> =
            self.ast.operands(e).into_iter().map(|operand| self.eval(state, operand, bound)).collect();
        let var = match self.ast.root(e).op {
            Op::Read(var, _) | Op::Cell(var, ..) => var,
            Op::Whole(whole) => self.ast.wholes[whole as usize].first,
            other => panic!("{other:?} is no variable"),
        };
        let var = match var {
            Var::Global(index) => Var::Global(index + leaf),
            Var::Local(index) => Var::Local(index + leaf),
        };
        let (first, declared) = self.first(var, state.module);
        let at = self.index(declared.dims, &indices?)?;
        let cell = match first {
            Cell::Global(first) => Cell::Global(first + at),
            Cell::Local(first) => Cell::Local(first + at),
        };
        Ok((cell, declared.clone()))
    }

    pub(super) fn eval(&self, state: &State, e: Expression, bound: &Bound) -> Result<i128, Undefined> {
        let operands = self.ast.operands(e);
        let value = |index: usize| self.eval(state, operands[index], bound);
        match self.ast.root(e).op {
            Op::Bool(value) => Ok(value.into()),
            Op::Number(number) => Ok(number.into()),
            Op::Bound(quantifier) => Ok(bound[&quantifier].into()),
            Op::Read(..) | Op::Cell(..) => Ok(self.get(state, self.cell(state, e, 0, bound)?.0).into()),
            Op::Whole(_) => panic!("no scalar"),
            Op::Not => Ok(1 - value(0)?),
            Op::Quantified(index) => {
                let quantifier = self.ast.quantifiers[index as usize];
                let decides = i128::from(quantifier.which == Which::Some);
                let one = |v| {
                    self.eval(state, operands[0], &bound.iter().map(|(k, v)| (*k, *v)).chain([(index, v)]).collect())
                };
                self.decide(decides, (quantifier.low..=quantifier.high).map(one))
            }
            Op::Binary(Binary::And) => self.decide(0, [0, 1].into_iter().map(value)),
            Op::Binary(Binary::Or) => self.decide(1, [0, 1].into_iter().map(value)),
            Op::Binary(op) => compute(op, value(0)?, value(1)?),
        }
    }

    /// `&&` and `||` of many: the value that decides, if one has it; read from left to right where failures count.
    fn decide(&self, decides: i128, all: impl Iterator<Item = Result<i128, Undefined>>) -> Result<i128, Undefined> {
        let mut undefined = false;
        for value in all {
            match value {
                Ok(value) if value == decides => return Ok(decides),
                Ok(_) => {}
                Err(Undefined) if self.arithmetic == Arithmetic::Check => return Err(Undefined),
                Err(Undefined) => undefined = true,
            }
        }
        if undefined { Err(Undefined) } else { Ok(1 - decides) }
    }

    /// What becomes of a value that is stored; undefined if it does not fit.
    pub(super) fn stored(&self, leaf: &Leaf, value: i128) -> Result<u64, Undefined> {
        let size = leaf.members.map_or(1 << leaf.scalar.bits(), i128::from);
        if self.arithmetic == Arithmetic::Wrap && leaf.members.is_none() && leaf.scalar != Scalar::Bool {
            return Ok(value.rem_euclid(size) as u64);
        }
        if (0..size).contains(&value) { Ok(value as u64) } else { Err(Undefined) }
    }

    // ---- storing

    /// The cells of the leaves of a whole, or the one of a scalar.
    pub(super) fn cells(&self, state: &State, e: Expression, bound: &Bound) -> Result<Vec<(Cell, Leaf)>, Undefined> {
        let (count, indexed) = match self.ast.root(e).op {
            Op::Whole(whole) => {
                let whole = self.ast.wholes[whole as usize];
                (whole.leaves, whole.indices > 0)
            }
            _ => (1, true),
        };
        let mut all = Vec::new();
        for leaf in 0..count {
            let (first, declared) = self.cell(state, e, leaf, bound)?;
            let cells = if indexed { 1 } else { declared.dims.cells() as usize };
            all.extend((0..cells).map(|more| match first {
                Cell::Global(at) => (Cell::Global(at + more), declared.clone()),
                Cell::Local(at) => (Cell::Local(at + more), declared.clone()),
            }));
        }
        Ok(all)
    }

    /// A value, cell by cell.
    pub(super) fn values(&self, state: &State, e: Expression, bound: &Bound) -> Result<Vec<i128>, Undefined> {
        if let Op::Whole(_) = self.ast.root(e).op {
            let cells = self.cells(state, e, bound)?;
            return Ok(cells.into_iter().map(|(cell, _)| self.get(state, cell).into()).collect());
        }
        Ok(vec![self.eval(state, e, bound)?])
    }

    fn store(&self, state: &State, assign: &Assign, bound: &Bound) -> Result<Vec<(Cell, Leaf, Choice)>, Undefined> {
        let cells = self.cells(state, assign.target, bound)?;
        let choices = match assign.value {
            Value::Undef => vec![Choice::Any; cells.len()],
            Value::Except(e) => vec![Choice::Except(self.eval(state, e, bound)?)],
            Value::Of(e) => {
                let values = self.values(state, e, bound)?;
                let fit = |((_, leaf), value): (&(Cell, Leaf), i128)| Ok(Choice::Exactly(self.stored(leaf, value)?));
                cells.iter().zip(values).map(fit).collect::<Result<_, Undefined>>()?
            }
        };
        Ok(cells.into_iter().zip(choices).map(|((cell, leaf), choice)| (cell, leaf, choice)).collect())
    }

    /// All ways to choose for the quantifiers of a list of assignments: for each way, instances of assignments.
    pub(super) fn ways(&self, assigns: Piece) -> Vec<Vec<(Assign, Bound)>> {
        let mut all: Vec<Vec<(Assign, Bound)>> = vec![Vec::new()];
        for assign in self.ast.assigns(assigns) {
            let own = self.instances(assign, &self.ast.prefixes[assign.quantifiers.range()], &Bound::new());
            let join =
                |one: &Vec<(Assign, Bound)>| own.iter().map(|more| [&one[..], more].concat()).collect::<Vec<_>>();
            all = all.iter().flat_map(join).collect();
        }
        all
    }

    fn instances(&self, assign: &Assign, prefix: &[u32], bound: &Bound) -> Vec<Vec<(Assign, Bound)>> {
        let Some((first, rest)) = prefix.split_first() else { return vec![vec![(*assign, bound.clone())]] };
        let quantifier = self.ast.quantifiers[*first as usize];
        let each = (quantifier.low..=quantifier.high).map(|value| {
            let inner: Bound = bound.iter().map(|(k, v)| (*k, *v)).chain([(*first, value)]).collect();
            self.instances(assign, rest, &inner)
        });
        match quantifier.which {
            Which::Some => each.flatten().collect(),
            Which::All => each.fold(vec![Vec::new()], |done, ways| {
                done.iter().flat_map(|one| ways.iter().map(move |way| [&one[..], way].concat())).collect()
            }),
        }
    }

    pub(super) fn effect(&self, state: &State, instances: &[(Assign, Bound)]) -> Effect {
        let mut stores = Vec::new();
        for (assign, bound) in instances {
            match self.store(state, assign, bound) {
                Ok(more) => stores.extend(more),
                Err(Undefined) if self.arithmetic == Arithmetic::Check => return Effect::Fails,
                // Something else may still be undefined, but it makes no difference.
                Err(Undefined) => return Effect::Blocks,
            }
        }
        Effect::Stores(stores)
    }

    /// All states of the variables after storing.
    pub(super) fn after(&self, state: &State, stores: &[(Cell, Leaf, Choice)]) -> BTreeSet<(Values, Values)> {
        let mut domains: BTreeMap<Cell, Vec<u64>> = BTreeMap::new();
        for (cell, leaf, choice) in stores {
            domains.entry(*cell).or_insert_with(|| domain(leaf)).retain(|value| match choice {
                Choice::Any => true,
                Choice::Exactly(exactly) => value == exactly,
                Choice::Except(except) => i128::from(*value) != *except,
            });
        }
        let mut all = BTreeSet::from([(state.globals.clone(), state.locals.clone())]);
        for (cell, values) in domains {
            let with = |(globals, locals): &(Values, Values), value: u64| {
                let (mut globals, mut locals) = (globals.clone(), locals.clone());
                match cell {
                    Cell::Global(at) => globals[at] = value,
                    Cell::Local(at) => locals[at] = value,
                }
                (globals, locals)
            };
            all = all.iter().flat_map(|one| values.iter().map(|value| with(one, *value)).collect::<Vec<_>>()).collect();
        }
        all
    }
}

fn compute(op: Binary, a: i128, b: i128) -> Result<i128, Undefined> {
    let natural = |value: i128| if a >= 0 && b >= 0 { Ok(value) } else { Err(Undefined) };
    match op {
        Binary::Xor | Binary::Ne => Ok((a != b).into()),
        Binary::Iff | Binary::Eq => Ok((a == b).into()),
        Binary::Lt => Ok((a < b).into()),
        Binary::Le => Ok((a <= b).into()),
        Binary::Gt => Ok((a > b).into()),
        Binary::Ge => Ok((a >= b).into()),
        Binary::Add => Ok(a + b),
        Binary::Sub => Ok(a - b),
        Binary::Mul => Ok(a * b),
        Binary::Div => a.checked_div(b).ok_or(Undefined),
        Binary::Shl if (0..=64).contains(&b) => Ok(a << b),
        Binary::Shr if b >= 0 => Ok(a >> b.min(127)),
        Binary::BitAnd => natural(a & b),
        Binary::BitOr => natural(a | b),
        Binary::BitXor => natural(a ^ b),
        _ => Err(Undefined),
    }
}
