//! Formulas for relations between several moments are those relations, value by value; and what is simple is said simply.

extern crate puch_engine as puch;

mod oracle;
mod support;

use fastrand::Rng;
use puch::bdd::{At, Bit, Column, EngineKind, Relation, Space, Universe};
use puch::formula::form::Cell;
use puch::formula::{Placed, describe_relation, spell_relation};
use puch::limits::{Limits, Stop};
use spds_format::expr::{Binary, Expr, Op, Time, Unary};
use spds_format::model::{Scalar, Var};
use support::{one_in, pick, seeds};

/// The bits in the order in which they are numbered, three copies each.
fn plain(bits: u32) -> Universe {
    Universe { bits, order: (0..bits).map(Bit).collect(), ..Universe::default() }
}

const MOMENTS: [(Time, At); 3] = [(Time::Before, At::Now), (Time::After, At::Next), (Time::Saved, At::Entry)];

/// A Boolean, a cell of an array and an integer of two bits, at three moments: 12 columns.
fn scope() -> Vec<Placed> {
    let shapes = [
        (Var::Global(0), None, Scalar::Bool, 0..1),
        (Var::Local(3), Some(7), Scalar::Bool, 1..2),
        (Var::Local(1), None, Scalar::Unsigned(2), 2..4),
    ];
    let mut all = Vec::new();
    for (time, at) in MOMENTS {
        for (var, index, scalar, bits) in shapes.clone() {
            let cell = Cell { time, var, index, scalar };
            all.push(Placed { cell, columns: bits.map(|bit| (Bit(bit), at)).collect() });
        }
    }
    all
}

fn spaces() -> Vec<Space> {
    let backwards = Universe { order: (0..4).rev().map(Bit).collect(), ..plain(4) };
    let space = |universe, engine| Space::new(universe, engine, &Limits::default(), None).expect("it is small");
    vec![
        space(plain(4), EngineKind::Biodivine),
        space(backwards, EngineKind::Biodivine),
        space(plain(4), EngineKind::Shared),
    ]
}

/// The values of all scalars: each takes its bits from a number.
fn values(scope: &[Placed], mut number: u64) -> Vec<u64> {
    let take = |placed: &Placed| {
        let width = placed.columns.len();
        let value = number & ((1 << width) - 1);
        number >>= width;
        value
    };
    scope.iter().map(take).collect()
}

fn columns(scope: &[Placed], values: &[u64]) -> Vec<(Column, bool)> {
    let bits = |(placed, value): (&Placed, &u64)| {
        let value = *value;
        let bits = placed.columns.iter().enumerate().map(move |(i, column)| (*column, value >> i & 1 == 1));
        bits.collect::<Vec<_>>()
    };
    scope.iter().zip(values).flat_map(bits).collect()
}

/// The value of an expression, truth values as 0 and 1.
fn value(expr: &Expr, scope: &[Placed], values: &[u64]) -> u64 {
    let read = |var, index, time| {
        let is = |placed: &&Placed| (placed.cell.var, placed.cell.index, placed.cell.time) == (var, index, time);
        let place = scope.iter().position(|placed| is(&placed)).expect("nothing else is mentioned");
        values[place]
    };
    let mut stack: Vec<u64> = Vec::new();
    for op in expr.ops() {
        let mut operand = || stack.pop().expect("operands come first");
        let value = match *op {
            Op::Bool(value) => u64::from(value),
            Op::Number(number) => number,
            Op::Read(var, time) => read(var, None, time),
            Op::Cell(var, time) => read(var, Some(operand() as u32), time),
            Op::Unary(Unary::Not) => 1 - operand(),
            Op::Ite => {
                let (no, yes) = (operand(), operand());
                if operand() == 1 { yes } else { no }
            }
            Op::Binary(op) => {
                let (b, a) = (operand(), operand());
                match op {
                    Binary::And | Binary::BitAnd => a & b,
                    Binary::Or => a | b,
                    Binary::Xor | Binary::Ne => u64::from(a != b),
                    Binary::Iff | Binary::Eq => u64::from(a == b),
                    Binary::Lt => u64::from(a < b),
                    Binary::Le => u64::from(a <= b),
                    Binary::Gt => u64::from(a > b),
                    Binary::Ge => u64::from(a >= b),
                    other => panic!("{other:?} is not needed"),
                }
            }
            other => panic!("{other:?} is not needed"),
        };
        stack.push(value);
    }
    stack.pop().expect("an expression has a value")
}

/// A relation by its members.
fn built(space: &Space, scope: &[Placed], member: impl Fn(&[u64]) -> bool) -> Relation {
    let mut all = space.bottom();
    for number in 0..1 << 12 {
        let values = values(scope, number);
        if member(&values) {
            let one = space.cube(&columns(scope, &values)).expect("no limit");
            all = space.or(&all, &one).expect("no limit");
        }
    }
    all
}

/// A test on the values, by the places of scalars.
#[derive(Clone, Debug)]
enum Test {
    Is(usize, u64),
    Same(usize, usize),
    Less(usize, usize),
    Parity(Vec<usize>),
    Table(Vec<bool>),
    Not(Box<Test>),
    All(Vec<Test>),
    Some(Vec<Test>),
}

fn holds(test: &Test, values: &[u64]) -> bool {
    match test {
        Test::Is(a, value) => values[*a] == *value,
        Test::Same(a, b) => values[*a] == values[*b],
        Test::Less(a, b) => values[*a] < values[*b],
        Test::Parity(all) => all.iter().map(|a| values[*a]).sum::<u64>() % 2 == 1,
        Test::Table(table) => {
            let number = values.iter().zip([1, 1, 2].iter().cycle()).fold(0, |number, (v, width)| number << width | v);
            table[number as usize % table.len()]
        }
        Test::Not(test) => !holds(test, values),
        Test::All(tests) => tests.iter().all(|test| holds(test, values)),
        Test::Some(tests) => tests.iter().any(|test| holds(test, values)),
    }
}

fn random(rng: &mut Rng, depth: u32) -> Test {
    let some = |rng: &mut Rng| (0..rng.usize(1..4)).map(|_| random(rng, depth - 1)).collect();
    match rng.u32(..12) {
        0 | 1 if depth > 0 => Test::All(some(rng)),
        2 | 3 if depth > 0 => Test::Some(some(rng)),
        4 if depth > 0 => Test::Not(Box::new(random(rng, depth - 1))),
        5 => Test::Parity((0..rng.usize(2..9)).map(|_| rng.usize(..9)).collect()),
        6 if one_in(rng, 4) => Test::Table((0..1 << rng.u32(3..13)).map(|_| rng.bool()).collect()),
        7 => Test::Less(*pick(rng, &[2, 5, 8]), *pick(rng, &[2, 5, 8])),
        8 | 9 => {
            let kind = rng.usize(..3);
            Test::Same(kind + 3 * rng.usize(..3), kind + 3 * rng.usize(..3))
        }
        _ => {
            let place = rng.usize(..9);
            Test::Is(place, rng.u64(..if place % 3 == 2 { 4 } else { 2 }))
        }
    }
}

#[test]
fn random_relations_are_told_exactly() {
    let scope = scope();
    let (mut short, mut long) = (0, 0);
    for seed in seeds(0..150) {
        let mut rng = Rng::with_seed(seed);
        let rng = &mut rng;
        let mut parts = vec![random(rng, 3)];
        // What steps are full of.
        for kind in 0..3 {
            if one_in(rng, 2) {
                parts.push(Test::Same(kind + 3, kind));
            }
            if one_in(rng, 3) {
                parts.push(Test::Same(kind + 6, kind + *pick(rng, &[0, 3])));
            }
        }
        let test = Test::All(parts);
        let most = *pick(rng, &[1, 1000]);
        let mut first: Option<Option<Expr>> = None;
        for space in spaces() {
            let relation = built(&space, &scope, |values| holds(&test, values));
            let told = describe_relation(&space, &scope, &relation, most).expect("no limit");
            let spelt = spell_relation(&space, &scope, &relation).expect("no limit");
            for expr in told.iter().chain([&spelt]) {
                for number in 0..1 << 12 {
                    let values = values(&scope, number);
                    let expected = u64::from(holds(&test, &values));
                    assert_eq!(value(expr, &scope, &values), expected, "seed {seed}: {test:?} {values:?} {expr:?}");
                }
            }
            match told {
                Some(_) => short += 1,
                None => long += 1,
            }
            let first = first.get_or_insert_with(|| told.clone());
            assert_eq!(*first, told, "seed {seed}: {test:?}: it depends on the engine or on the order");
        }
    }
    assert!(short > 200 && long > 15, "{short} {long}");
}

/// Postorder of a conjunction.
fn all(literals: &[&[Op]]) -> Vec<Op> {
    let mut ops = Vec::new();
    for (number, literal) in literals.iter().enumerate() {
        ops.extend_from_slice(literal);
        ops.extend((number > 0).then_some(Op::Binary(Binary::And)));
    }
    ops
}

#[test]
fn what_is_kept_is_said_first() {
    let scope = scope();
    let [a, n] = [Var::Global(0), Var::Local(1)].map(|var| move |time| Op::Read(var, time));
    let kept = [n(Time::After), n(Time::Before), Op::Binary(Binary::Eq)];
    let saved = [n(Time::Saved), n(Time::Before), Op::Binary(Binary::Eq)];
    let changed = [a(Time::Before), a(Time::After), Op::Binary(Binary::Xor)];
    let small = [n(Time::Before), Op::Number(2), Op::Binary(Binary::Le)];
    for space in spaces() {
        let member = |v: &[u64]| v[5] == v[2] && v[8] == v[2] && v[0] != v[3] && v[2] < 3;
        let told = describe_relation(&space, &scope, &built(&space, &scope, member), 1).expect("no limit");
        assert_eq!(told.expect("it is short").ops(), all(&[&kept, &saved, &changed, &small]));
    }
}

#[test]
fn constants_and_other_scalars() {
    let scope = scope();
    for space in spaces() {
        for (relation, value) in [(space.bottom(), false), (space.top(), true)] {
            for told in [
                describe_relation(&space, &scope, &relation, 0).expect("no limit").expect("it is short"),
                spell_relation(&space, &scope, &relation).expect("no limit"),
            ] {
                assert_eq!(told.ops(), [Op::Bool(value)]);
            }
        }
        // Only the first scalar is spoken of: there is some value of the others.
        let relation = built(&space, &scope, |v| v[0] == 1 && v[1] == v[4] || v[5] > v[2]);
        let told = describe_relation(&space, &scope[..1], &relation, 5).expect("no limit").expect("it is short");
        assert_eq!(told.ops(), [Op::Bool(true)]);
    }
}

/// The Booleans `x0`, `x1`, … and the integers `n`, `m` behind them, at one moment.
fn many(booleans: u32, widths: &[u32]) -> (Space, Vec<Placed>) {
    let mut next = booleans;
    let mut scope: Vec<Placed> = (0..booleans)
        .map(|i| Placed {
            cell: Cell { time: Time::Before, var: Var::Global(i), index: None, scalar: Scalar::Bool },
            columns: vec![(Bit(i), At::Now)],
        })
        .collect();
    for (i, width) in widths.iter().enumerate() {
        let scalar = Scalar::Unsigned(*width as u8);
        let cell = Cell { time: Time::Before, var: Var::Local(i as u32), index: None, scalar };
        scope.push(Placed { cell, columns: (next..next + width).map(|bit| (Bit(bit), At::Now)).collect() });
        next += width;
    }
    let space = Space::new(plain(next), EngineKind::Biodivine, &Limits::default(), None);
    (space.expect("it is small"), scope)
}

#[test]
fn the_parity_of_many_bits_is_spelt_in_linear_room() {
    let (space, scope) = many(300, &[]);
    let mut parity = space.bottom();
    for placed in &scope {
        let bit = space.literal(placed.columns[0], true).expect("no limit");
        parity = space.xor(&parity, &bit).expect("no limit");
    }
    assert_eq!(describe_relation(&space, &scope, &parity, 1000), Ok(None));
    let spelt = spell_relation(&space, &scope, &parity).expect("no limit");
    assert!(spelt.ops().len() < 1000, "{}", spelt.ops().len());
}

#[test]
fn wide_integers_far_apart_in_the_order_are_told() {
    let (space, scope) = many(1, &[64, 64, 64]);
    let literal = |place: usize, bit: usize, value| space.literal(scope[place].columns[bit], value).expect("no limit");
    // The first is even or the Boolean is true, the others are small: nothing relates them.
    let even = space.or(&literal(0, 0, true), &literal(1, 0, false)).expect("no limit");
    let set = (8..64).fold(even, |set, bit| {
        let small = space.and(&literal(2, bit, false), &literal(3, bit, false)).expect("no limit");
        space.and(&set, &small).expect("no limit")
    });
    let told = describe_relation(&space, &scope, &set, 10).expect("no limit").expect("it is short");
    let [n, m] = [1, 2].map(|i| [Op::Read(Var::Local(i), Time::Before), Op::Number(255), Op::Binary(Binary::Le)]);
    let text = format!("{:?}", told.ops());
    assert!([n, m].iter().all(|part| text.contains(format!("{part:?}").trim_matches(['[', ']']))), "{text}");
}

#[test]
fn what_does_not_fit_is_no_answer() {
    // x0 ^ (y0 & y1) ^ … shares everything and has no short form as a tree.
    let (space, scope) = many(120, &[]);
    let literal = |i: usize| space.literal(scope[i].columns[0], true).expect("no limit");
    let mut sum = [space.bottom(), space.bottom(), space.bottom()];
    for i in 0..120 {
        // The number of true bits modulo 3 is not 0.
        let bit = literal(i);
        let zero = {
            let some = space.or(&sum[0], &sum[1]).expect("no limit");
            space.not(&some).expect("no limit")
        };
        let step = |from: &Relation, to: &Relation| space.ite(&bit, from, to).expect("no limit");
        sum = [step(&zero, &sum[0]), step(&sum[0], &sum[1]), space.bottom()];
    }
    assert_eq!(spell_relation(&space, &scope, &sum[0]), Err(Stop::Formula));
}
