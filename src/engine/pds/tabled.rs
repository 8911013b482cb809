//! Rules about few Booleans as truth tables: a word says with which values of at most six columns a rule can be taken.
//!
//! Programs whose procedures differ have thousands of such rules, and each would take a dozen operations on relations. What an
//! expression may be is computed on words as [`Circuit::eval`] does it on relations, and the relation is made of the table.

use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{Rule, Var};

use super::circuit::Circuit;
use super::layout::is_bool;
use crate::bdd::{At, Bit, Column, Relation, TABLED};
use crate::limits::Stop;

/// Where each digit of a number below 64 is 1, the least significant one first.
const ONES: [u64; TABLED] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// With which values a Boolean may be 1, and with which it may be 0.
#[derive(Clone, Copy)]
struct Truth {
    one: u64,
    zero: u64,
}

/// The columns of a rule, the uppermost first.
struct Columns {
    all: [Column; TABLED],
    count: usize,
}

impl Columns {
    /// One more, unless there is no room for it.
    fn add(&mut self, column: Column) -> Option<()> {
        if !self.as_slice().contains(&column) {
            *self.all.get_mut(self.count)? = column;
            self.count += 1;
        }
        Some(())
    }

    fn as_slice(&self) -> &[Column] {
        &self.all[..self.count]
    }

    /// Where a column is 1.
    fn ones(&self, column: Column) -> u64 {
        let place = self.as_slice().iter().position(|other| *other == column);
        ONES[self.count - 1 - place.expect("all columns of the rule have been collected")]
    }
}

impl Circuit<'_> {
    /// The relation of a rule where so much is given, if it is about few Booleans and nothing else, and if no value is known.
    pub(super) fn tabled(&self, rule: &Rule, given: &[Expr]) -> Result<Option<Relation>, Stop> {
        let Some(mut columns) = self.columns(rule, given).filter(|_| self.before.is_none()) else { return Ok(None) };
        let count = columns.count;
        self.space.sort(&mut columns.all[..count]);
        let (mut all, mut stack) = (u64::MAX, Vec::new());
        for condition in given.iter().chain(&rule.guard).chain(&rule.with) {
            all &= self.truth(condition, &columns, &mut stack).one;
        }
        for update in rule.updates.iter().filter(|update| update.value.ops() != [Op::Any]) {
            let value = self.truth(&update.value, &columns, &mut stack);
            let after = columns.ones(self.column(update.var, update.time));
            all &= after & value.one | !after & value.zero;
        }
        self.space.tabled(columns.as_slice(), all)
    }

    /// The columns that a rule mentions; none if there are too many, or if it is about something else than Booleans.
    fn columns(&self, rule: &Rule, given: &[Expr]) -> Option<Columns> {
        let mut columns = Columns { all: [(Bit(0), At::Now); TABLED], count: 0 };
        for update in rule.updates.iter() {
            if update.index.is_some() {
                return None;
            }
            if update.value.ops() != [Op::Any] {
                columns.add(self.boolean(update.var, update.time)?)?;
            }
        }
        let values = rule.updates.iter().map(|update| &update.value);
        for op in given.iter().chain(&rule.guard).chain(&rule.with).chain(values).flat_map(Expr::ops) {
            match *op {
                Op::Read(var, time) => columns.add(self.boolean(var, time)?)?,
                Op::Bool(_) | Op::Any | Op::Unary(_) | Op::Ite | Op::Choose => {}
                Op::Binary(Binary::And | Binary::Or | Binary::Xor | Binary::Implies | Binary::Iff) => {}
                Op::Binary(_) | Op::Number(_) | Op::Cell(..) => return None,
            }
        }
        Some(columns)
    }

    /// The column of a variable that is one Boolean.
    fn boolean(&self, var: Var, time: Time) -> Option<Column> {
        let ty = self.field(var, time).ty;
        (is_bool(ty) && ty.range.is_none()).then(|| self.column(var, time))
    }

    fn column(&self, var: Var, time: Time) -> Column {
        (Bit(self.field(var, time).base), self.at(time))
    }

    /// What an expression may be. Its operands are on a stack, which is handed over so that it is allocated once.
    fn truth(&self, expr: &Expr, columns: &Columns, stack: &mut Vec<Truth>) -> Truth {
        let exactly = |one: u64| Truth { one, zero: !one };
        for &op in expr.ops() {
            let mut pop = || stack.pop().expect("an expression is a tree in postorder");
            let value = match op {
                Op::Bool(value) => exactly(if value { u64::MAX } else { 0 }),
                Op::Any => Truth { one: u64::MAX, zero: u64::MAX },
                Op::Read(var, time) => exactly(columns.ones(self.column(var, time))),
                Op::Unary(_) => swapped(pop()),
                Op::Binary(op) => {
                    let (b, a) = (pop(), pop());
                    logical(op, a, b)
                }
                Op::Ite => {
                    let (b, a, c) = (pop(), pop(), pop());
                    Truth { one: c.one & a.one | c.zero & b.one, zero: c.one & a.zero | c.zero & b.zero }
                }
                Op::Choose => {
                    let (b, a) = (pop(), pop());
                    Truth { one: a.one | a.zero & b.zero, zero: a.zero }
                }
                Op::Number(_) | Op::Cell(..) => unreachable!("the rule is about Booleans alone"),
            };
            stack.push(value);
        }
        stack.pop().expect("an expression is never empty")
    }
}

fn swapped(truth: Truth) -> Truth {
    Truth { one: truth.zero, zero: truth.one }
}

fn logical(op: Binary, a: Truth, b: Truth) -> Truth {
    match op {
        Binary::And => Truth { one: a.one & b.one, zero: a.zero | b.zero },
        Binary::Or => Truth { one: a.one | b.one, zero: a.zero & b.zero },
        Binary::Implies => logical(Binary::Or, swapped(a), b),
        Binary::Iff => logical(Binary::Xor, swapped(a), b),
        _ => Truth { one: a.one & b.zero | a.zero & b.one, zero: a.one & b.one | a.zero & b.zero },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use spds_format::expr::Unary;
    use spds_format::model::Update;

    use super::*;
    use crate::bdd::{EngineKind, Space, Universe};
    use crate::limits::Limits;
    use crate::pds::Pds;
    use crate::pds::circuit::COPIES;
    use crate::pds::encode::Encoder;

    const TEXT: &str = "spds 1 global a: bool; global b: bool; global c: bool; global d: bool; global n: u2;
        control p; symbol s; start <p, s>; rule <p, s> -> <p, s>;";

    fn random(seed: &mut u64, below: u64) -> u64 {
        crate::random::next(seed) % below
    }

    /// In postorder, with reads of these times.
    fn expression(seed: &mut u64, depth: u32, times: u64, ops: &mut Vec<Op>) {
        use Binary::{And, Iff, Implies, Or, Xor};
        let kind = if depth == 0 { random(seed, 4) } else { random(seed, 14) };
        let operands = match kind {
            0..=2 => {
                let time = if random(seed, times) == 0 { Time::Before } else { Time::After };
                return ops.push(Op::Read(Var::Global(random(seed, 4) as u32), time));
            }
            3 => return ops.push([Op::Any, Op::Bool(true), Op::Bool(false)][random(seed, 3) as usize]),
            4 | 5 => 1,
            6..=11 => 2,
            12 => 3,
            _ => 4,
        };
        (0..if operands == 4 { 2 } else { operands }).for_each(|_| expression(seed, depth - 1, times, ops));
        ops.push(match operands {
            1 => Op::Unary(Unary::Not),
            2 => Op::Binary([And, Or, Xor, Implies, Iff][random(seed, 5) as usize]),
            3 => Op::Ite,
            _ => Op::Choose,
        });
    }

    fn some(seed: &mut u64, times: u64) -> Expr {
        let mut ops = Vec::new();
        expression(seed, 3, times, &mut ops);
        Expr::from_postorder(ops).expect("one tree")
    }

    #[test]
    fn a_table_says_what_operations_say() {
        let spds = spds_format::parse(TEXT).unwrap();
        let pds = Pds::new(&spds, None);
        let bits = pds.layout.bits();
        let order = [3, 1, 0, 2].into_iter().chain(4..bits).map(Bit).collect();
        let universe = Universe { bits, order, saved: BTreeSet::new() };
        let space = Space::new(universe, EngineKind::Shared, &Limits::NONE, None).unwrap();
        let mut encoder = Encoder::new(&spds, &pds.layout, &space);
        let circuit = Circuit { space: &space, layout: &pds.layout, frames: [None; 3], placing: COPIES, before: None };
        let (mut seed, mut tables) = (29, 0);
        for _ in 0..3000 {
            let mut rule = spds.rules[0].clone();
            rule.guard = (random(&mut seed, 2) == 0).then(|| some(&mut seed, 1));
            rule.with = (random(&mut seed, 4) == 0).then(|| some(&mut seed, 2));
            let count = random(&mut seed, 3);
            let updates = (0..count).map(|_| {
                let var = Var::Global(random(&mut seed, 4) as u32);
                Update { var, time: Time::After, index: None, value: some(&mut seed, 1) }
            });
            rule.updates = updates.collect::<Box<[Update]>>().into();
            if random(&mut seed, 16) == 0 {
                let value = Expr::from_postorder([Op::Number(random(&mut seed, 6))]).expect("one tree");
                let number = Update { var: Var::Global(4), time: Time::After, index: None, value };
                rule.updates = [number].into_iter().collect::<Box<[Update]>>().into();
                assert!(circuit.tabled(&rule, &[]).unwrap().is_none(), "integers have no table");
            }
            tables += u32::from(circuit.tabled(&rule, &[]).unwrap().is_some());
            assert_eq!(encoder.rule(&rule).unwrap(), encoder.placed_rule(&rule, COPIES).unwrap(), "{rule:?}");
        }
        assert!((1500..2800).contains(&tables), "{tables} of 3000");
    }
}
