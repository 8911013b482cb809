//! Interpolants along a trace from a refutation of it: the part of the false sum that a frame has added so far says what the rest
//! needs to know. Nested: a frame that returns adds up its own part, over its variables, their values at its entry and its result
//! (Heizmann, Hoenicke and Podelski, *Nested interpolants*, POPL 2010; Rybalchenko and Sofronie-Stokkermans, *Constraint solving for
//! interpolation*, VMCAI 2007).

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::c::Program;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::program::ProcedureId;
use crate::c::types::{Integer, Rank, Type, TypeId};

use super::farkas::Refutation;
use super::kept::Kept;
use super::linear::{Event, Linear, Moment, Owner};
use super::rational::{Rational, gcd};
use super::simplex::Form;
use super::transport::Local;

/// What the part of a sum becomes that consists of equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relations {
    /// An equation: it holds modulo 2ʷ, too, and often in every turn.
    Equations,
    /// Where a bound is refuted, the direction that does it: what differs by another number each time is still more.
    Bounds,
}

/// In which numbers conditions are said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    /// As C computes with the values: sums may wrap around, and may then not hold.
    Own,
    /// In the widest numbers, where those of the values are narrower: there they mean what they mean over the integers.
    Wide,
}

/// The interpolants of a refutation, each once, as conditions of procedures.
pub(super) fn interpolants(
    program: &mut Program,
    linear: &Linear,
    refutation: &Refutation,
    (relations, width): (Relations, Width),
) -> Vec<Local> {
    let Some(rows) = rows(linear, refutation) else { return Vec::new() };
    let mut walk = Walk {
        program,
        linear,
        levels: Vec::new(),
        current: HashMap::new(),
        returning: returning(linear),
        bounds: relations == Relations::Bounds && refutation.iter().any(|used| used.is_bound),
        width,
        kept: Kept::default(),
        found: Vec::new(),
    };
    let mut moments: Vec<Moment> = rows.keys().copied().chain(linear.events.iter().map(|&(at, _)| at)).collect();
    moments.sort_unstable();
    moments.dedup();
    let mut events = linear.events.iter().peekable();
    for moment in moments {
        let mut gets = Vec::new();
        while let Some((_, event)) = events.next_if(|(at, _)| *at == moment) {
            walk.event(event, &mut gets);
        }
        let done = rows.get(&moment).into_iter().flatten().try_for_each(|row| walk.row(row));
        for (owner, value) in gets {
            walk.current.insert(owner, value);
        }
        if done.is_none() {
            break;
        }
        walk.note();
    }
    walk.found
}

/// A part of the sum.
struct Row {
    form: Form,
    times: Rational,
    is_bound: bool,
}

/// All rows of the sum, definitions too: theirs cancel what conditions say of the values they define.
fn rows(linear: &Linear, refutation: &Refutation) -> Option<BTreeMap<Moment, Vec<Row>>> {
    let mut rows: BTreeMap<Moment, Vec<Row>> = BTreeMap::new();
    let mut sum = Form::default();
    for used in refutation {
        sum.add(&used.form, used.times)?;
        let row = Row { form: used.form.clone(), times: used.times, is_bound: used.is_bound };
        rows.entry(linear.literals[used.literal].at).or_default().push(row);
    }
    for (&variable, (definition, at)) in linear.definitions.iter().rev() {
        let Some(&by) = sum.parts.get(&variable) else { continue };
        let mut form = Form::variable(variable);
        form.add(definition, Rational::integer(-1))?;
        let times = by.negated()?;
        sum.add(&form, times)?;
        rows.entry(*at).or_default().push(Row { form, times, is_bound: false });
    }
    debug_assert!(sum.parts.is_empty(), "what is refuted is a constant: {sum:?}");
    Some(rows)
}

/// The frames that return.
fn returning(linear: &Linear) -> HashSet<usize> {
    let (mut open, mut returning) = (Vec::new(), HashSet::new());
    for (_, event) in &linear.events {
        match event {
            Event::Enters(frame, _) => open.push(*frame),
            Event::Leaves => returning.extend(open.pop()),
            Event::Gets(..) | Event::Loses(_) => {}
        }
    }
    returning
}

/// A frame on the way along the trace.
#[derive(Clone, Debug)]
struct Level {
    frame: usize,
    procedure: ProcedureId,
    /// What it, and all that it has called, has added; if it never returns, its callers too.
    sum: Form,
    is_bound: bool,
    /// Values at its entry.
    entry: HashMap<usize, LvalueId>,
}

struct Walk<'w> {
    program: &'w mut Program,
    linear: &'w Linear,
    levels: Vec<Level>,
    current: HashMap<Owner, usize>,
    returning: HashSet<usize>,
    /// Whether of equations between values the direction is noted that refutes a bound.
    bounds: bool,
    width: Width,
    kept: Kept,
    found: Vec<Local>,
}

impl Walk<'_> {
    fn event(&mut self, event: &Event, gets: &mut Vec<(Owner, usize)>) {
        match event {
            Event::Gets(owner, value) => {
                // Formals are bound by the caller.
                if let (Owner::Cell(Some(frame), lvalue), Some(level)) = (owner, self.levels.last_mut())
                    && level.frame == *frame
                    && let LvalueKind::Variable(variable) = self.program.terms.at(*lvalue).kind
                    && self.program.procedure(level.procedure).formals.contains(&variable)
                    && !level.entry.values().any(|other| other == lvalue)
                {
                    level.entry.insert(*value, *lvalue);
                }
                gets.push((*owner, *value));
            }
            Event::Loses(owner) => {
                self.current.remove(owner);
            }
            Event::Enters(frame, procedure) => {
                let returns = self.returning.contains(frame);
                let (sum, is_bound) = match self.levels.last() {
                    Some(level) if !returns => (level.sum.clone(), level.is_bound),
                    _ => (Form::default(), false),
                };
                let globals = self.current.iter().filter_map(|(owner, &value)| match owner {
                    Owner::Cell(None, lvalue) => Some((value, *lvalue)),
                    _ => None,
                });
                let entry = globals.collect();
                self.levels.push(Level { frame: *frame, procedure: *procedure, sum, is_bound, entry });
            }
            Event::Leaves => {
                let Some(done) = self.levels.pop() else { return };
                for (&value, &global) in &done.entry {
                    if self.current.get(&Owner::Cell(None, global)) == Some(&value) {
                        self.kept.keeps(self.program, done.procedure, global, value);
                    }
                }
                self.current.retain(|owner, _| match owner {
                    Owner::Cell(Some(frame), _) | Owner::Result(frame) => *frame != done.frame,
                    _ => true,
                });
                if let Some(level) = self.levels.last_mut() {
                    level.is_bound |= done.is_bound;
                    if level.sum.add(&done.sum, Rational::ONE).is_none() {
                        level.sum = Form::default();
                    }
                }
            }
        }
    }

    fn row(&mut self, row: &Row) -> Option<()> {
        if self.levels.is_empty() {
            // Before the program begins.
            let main = self.program.main;
            self.levels.push(Level {
                frame: usize::MAX,
                procedure: main,
                sum: Form::default(),
                is_bound: false,
                entry: HashMap::new(),
            });
        }
        let level = self.levels.last_mut()?;
        level.is_bound |= row.is_bound;
        level.sum.add(&row.form, row.times)
    }

    /// What the topmost frame has added becomes a condition, if its variables can say it.
    fn note(&mut self) {
        let Some(level) = self.levels.last() else { return };
        if level.sum.parts.is_empty() {
            return;
        }
        let (procedure, is_bound, sum) = (level.procedure, level.is_bound, level.sum.clone());
        let returned = self.current.contains_key(&Owner::Result(level.frame));
        let is_bound = is_bound || self.bounds && sum.parts.len() > 1;
        let Some((parts, constant)) = whole(&sum, is_bound) else { return };
        let mut spelled = Vec::new();
        for &(value, by) in &parts {
            let Some(expression) = self.spelled(value, returned) else { return };
            spelled.push((by, expression));
        }
        let Some(condition) = comparison(self.program, &spelled, constant, is_bound, self.width) else { return };
        self.add(procedure, condition);
        for (value, _) in parts {
            for (procedure, same) in self.kept.relied(self.program, value) {
                self.add(procedure, same);
            }
        }
    }

    fn add(&mut self, procedure: ProcedureId, condition: ExpressionId) {
        if !self.found.contains(&(procedure, condition)) {
            self.found.push((procedure, condition));
        }
    }

    /// A value in the words of the topmost frame. Where a frame returns its formals are gone.
    fn spelled(&mut self, value: usize, returned: bool) -> Option<ExpressionId> {
        let level = self.levels.last()?;
        let owner = self.linear.owners[value];
        let entry = level.entry.get(&value).copied();
        let is_current = self.current.get(&owner) == Some(&value);
        match owner {
            Owner::Result(frame) if frame == level.frame => {
                let ty = self.program.procedure(level.procedure).result;
                Some(self.program.terms.expression(ExpressionKind::Result, ty))
            }
            Owner::Cell(frame, lvalue) => {
                let own = frame.is_none_or(|frame| frame == level.frame);
                let local = frame.is_some();
                let ty = self.program.terms.at(lvalue).ty;
                if is_current && own && !(returned && local && entry.is_some()) {
                    return Some(self.program.terms.expression(ExpressionKind::Read(lvalue), ty));
                }
                let lvalue = entry?;
                Some(self.program.terms.expression(ExpressionKind::Pre(lvalue), ty))
            }
            _ => None,
        }
    }
}

/// The sum with whole coefficients and no common divisor; where it is a bound, the constant is as tight as integers allow.
pub(super) fn whole(sum: &Form, is_bound: bool) -> Option<(Vec<(usize, i128)>, i128)> {
    let mut common = 1i128;
    for by in sum.parts.values() {
        common = (common / gcd(common, by.below).max(1)).checked_mul(by.below)?;
    }
    let mut parts = Vec::new();
    let mut divisor = 0;
    for (&variable, by) in &sum.parts {
        let number = by.above.checked_mul(common / by.below)?;
        divisor = gcd(divisor, number);
        parts.push((variable, number));
    }
    let divisor = divisor.max(1);
    parts.iter_mut().for_each(|(_, by)| *by /= divisor);
    let rest = sum.rest();
    let (above, below) = (rest.above.checked_mul(common)?, rest.below.checked_mul(divisor)?);
    if is_bound {
        // parts + c <= 0 over the integers: parts <= floor(-c).
        let most = above.checked_neg()?.div_euclid(below);
        return Some((parts, most.checked_neg()?));
    }
    (above % below == 0).then_some((parts, above / below))
}

/// `positive parts <= negative parts - constant`, or `==`.
pub(super) fn comparison(
    program: &mut Program,
    parts: &[(i128, ExpressionId)],
    constant: i128,
    is_bound: bool,
    width: Width,
) -> Option<ExpressionId> {
    let pointers = parts.iter().any(|&(_, e)| program.types.pointee(program.terms.get(e).ty).is_some());
    if pointers {
        return pointer_comparison(program, parts, constant, is_bound);
    }
    let mut integer = common_type(program, parts)?;
    let wide = program.types.integer_of(Rank::LongLong, true);
    if width == Width::Wide && parts.len() > 1 && integer.width < wide.width {
        integer = wide;
    }
    let ty = program.types.intern(Type::Integer(integer));
    let [left, right] = sides(program, parts, integer)?;
    let amount = constant.checked_abs().filter(|&amount| fits(amount, integer))?;
    let number = program.terms.expression(ExpressionKind::Constant(amount as u128), ty);
    let zero = program.terms.expression(ExpressionKind::Constant(0), ty);
    let with = |program: &mut Program, side: Option<ExpressionId>, operator| match side {
        Some(side) => program.terms.expression(ExpressionKind::Binary(operator, side, number), ty),
        None => number,
    };
    // left + constant <= right
    let (left, right) = match (left, right, constant.signum()) {
        (left, right, 0) => (left.unwrap_or(zero), right.unwrap_or(zero)),
        (Some(left), None, 1) if integer.signed => (
            left,
            program.terms.expression(ExpressionKind::Constant(constant.wrapping_neg() as u128 & integer.mask()), ty),
        ),
        (left, Some(right), 1) => (with(program, left, Binary::Add), right),
        (Some(left), None, 1) => (with(program, Some(left), Binary::Add), zero),
        (Some(left), right, -1) => (left, with(program, right, Binary::Add)),
        (None, Some(right), -1) if integer.signed => {
            (program.terms.expression(ExpressionKind::Constant(constant as u128 & integer.mask()), ty), right)
        }
        _ => return None,
    };
    let operator = if is_bound { Binary::LessEqual } else { Binary::Equal };
    let int = program.types.int();
    Some(program.terms.expression(ExpressionKind::Binary(operator, left, right), int))
}

/// Whether a number is one of a type.
fn fits(number: i128, integer: Integer) -> bool {
    number >= 0 && number as u128 <= integer.mask() >> u32::from(integer.signed)
}

/// The sum of the positive parts, and that of the negative ones without their signs; each if there are some.
fn sides(program: &mut Program, parts: &[(i128, ExpressionId)], integer: Integer) -> Option<[Option<ExpressionId>; 2]> {
    let ty = program.types.intern(Type::Integer(integer));
    let mut sides: [Option<ExpressionId>; 2] = [None, None];
    for &(by, expression) in parts {
        let expression = converted(program, expression, ty);
        let amount = by.checked_abs()?;
        let term = if amount == 1 {
            expression
        } else {
            if !fits(amount, integer) {
                return None;
            }
            let factor = program.terms.expression(ExpressionKind::Constant(amount as u128), ty);
            program.terms.expression(ExpressionKind::Binary(Binary::Multiply, factor, expression), ty)
        };
        let side = &mut sides[usize::from(by < 0)];
        *side = Some(match *side {
            None => term,
            Some(sum) => program.terms.expression(ExpressionKind::Binary(Binary::Add, sum, term), ty),
        });
    }
    Some(sides)
}

fn pointer_comparison(
    program: &mut Program,
    parts: &[(i128, ExpressionId)],
    constant: i128,
    is_bound: bool,
) -> Option<ExpressionId> {
    if is_bound || constant != 0 {
        return None;
    }
    let int = program.types.int();
    let (left, right) = match *parts {
        [(1 | -1, left)] => {
            let ty = program.terms.get(left).ty;
            (left, program.terms.expression(ExpressionKind::Constant(0), ty))
        }
        [(one, left), (other, right)] if one.abs() == 1 && one == -other => (left, right),
        _ => return None,
    };
    let (a, b) = (program.terms.get(left).ty, program.terms.get(right).ty);
    program.types.pointee(a)?;
    program.types.pointee(b)?;
    let right = if a == b { right } else { program.terms.expression(ExpressionKind::Convert(right), a) };
    Some(program.terms.expression(ExpressionKind::Binary(Binary::Equal, left, right), int))
}

/// The type in which values are compared: at least `int`, as wide as the widest; unsigned if all are that are so wide.
fn common_type(program: &mut Program, parts: &[(i128, ExpressionId)]) -> Option<Integer> {
    let mut common = program.types.integer_of(Rank::Int, true);
    let mut widest: Option<Integer> = None;
    for &(_, expression) in parts {
        let integer = program.types.as_integer(program.terms.get(expression).ty)?;
        if integer.width < common.width {
            continue;
        }
        widest = Some(match widest {
            Some(other) if other.width > integer.width || other.width == integer.width && other.signed => other,
            _ => integer,
        });
    }
    if let Some(widest) = widest {
        let rank = if widest.width == common.width { common.rank } else { widest.rank };
        common = program.types.integer_of(rank, widest.signed);
    }
    Some(common)
}

fn converted(program: &mut Program, expression: ExpressionId, ty: TypeId) -> ExpressionId {
    if program.terms.get(expression).ty == ty {
        return expression;
    }
    program.terms.expression(ExpressionKind::Convert(expression), ty)
}
