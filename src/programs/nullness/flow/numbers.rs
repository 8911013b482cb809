//! What is known of numbers: their ranges (intervals; P. and R. Cousot, 1977), and how much two of them differ at most (zones; A. Miné, 2001), as far as
//! somebody has said so. A *number* is the value of a scalar, as an expression that reads it, of a type of at most 64 bits.
//!
//! All that is computed is what the machine computes: what leaves its type may be anything that its type has.

use std::collections::{BTreeMap, BTreeSet};

use super::range::{Range, computed};
use super::scope::Scope;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, Unary};

/// No more terms are looked at inside each other: beyond that only the type tells.
const DEEPEST: u32 = 8;

/// No more differences are kept.
const GAPS: usize = 96;

/// No more numbers are looked at between two.
const WAY: u32 = 2;

/// A number, or 0, and how much is added to it.
type Side = (Option<ExpressionId>, i128);

/// Between what a value is.
struct Sides {
    /// It is at least each of these.
    below: Vec<Side>,
    /// It is at most each of these.
    above: Vec<Side>,
}

impl Sides {
    /// No more are kept of a value.
    const MOST: usize = 6;

    fn number(number: i128) -> Sides {
        Sides { below: vec![(None, number)], above: vec![(None, number)] }
    }

    fn add(&mut self, of: &Sides, by: Range) {
        self.below.extend(of.below.iter().map(|(atom, c)| (*atom, c + by.least)));
        self.above.extend(of.above.iter().map(|(atom, c)| (*atom, c + by.most)));
    }

    fn trimmed(mut self) -> Sides {
        self.below.truncate(Sides::MOST);
        self.above.truncate(Sides::MOST);
        self
    }
}

/// What is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Where more is known than the type says.
    ranges: BTreeMap<ExpressionId, Range>,
    /// By how much the first is greater than the second at most.
    gaps: BTreeMap<(ExpressionId, ExpressionId), i128>,
}

/// The range of a type of numbers that are looked at.
fn whole(scope: &Scope, e: ExpressionId) -> Option<Range> {
    let integer = scope.program.types.as_integer(scope.program.terms.get(e).ty)?;
    (integer.width <= 64).then(|| Range::of(integer))
}

/// Whether something is a number.
pub fn is_number(scope: &Scope, e: ExpressionId) -> bool {
    matches!(scope.program.terms.get(e).kind, ExpressionKind::Read(_)) && whole(scope, e).is_some()
}

impl Numbers {
    /// The numbers of which something is known.
    pub fn all(&self) -> BTreeSet<ExpressionId> {
        self.ranges.keys().copied().chain(self.gaps.keys().flat_map(|(a, b)| [*a, *b])).collect()
    }

    /// What is known of some numbers.
    pub fn only(&self, is_kept: impl Fn(ExpressionId) -> bool) -> Numbers {
        let gone: BTreeSet<ExpressionId> = self.all().into_iter().filter(|one| !is_kept(*one)).collect();
        let mut new = self.clone();
        for gone in gone {
            new.ranges.remove(&gone);
            new.without(gone);
        }
        new
    }

    /// Besides, the ranges that some numbers have elsewhere of which nothing is known. Differences would say something of others, too.
    pub fn extend(&mut self, other: &Numbers, is_wanted: impl Fn(ExpressionId) -> bool) {
        let known = self.all();
        let new = other.ranges.iter().filter(|(one, _)| !known.contains(one) && is_wanted(**one));
        self.ranges.extend(new.map(|(one, range)| (*one, *range)));
    }

    /// A number is forgotten, and what is known by it of others is not.
    fn without(&mut self, gone: ExpressionId) {
        let (of, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.gaps).into_iter().partition(|((a, b), _)| *a == gone || *b == gone);
        self.gaps = others.into_iter().collect();
        for ((a, _), first) in of.iter().filter(|((_, b), _)| *b == gone) {
            for ((_, b), second) in of.iter().filter(|((over, b), _)| *over == gone && b != a) {
                let gap = first + second;
                if self.gaps.len() < GAPS && self.gaps.get(&(*a, *b)).is_none_or(|old| gap < *old) {
                    self.gaps.insert((*a, *b), gap);
                }
            }
        }
    }

    /// The same of what some numbers are called elsewhere.
    pub fn renamed(&self, by: &BTreeMap<ExpressionId, ExpressionId>) -> Numbers {
        let name = |one: &ExpressionId| by.get(one).copied();
        Numbers {
            ranges: self.ranges.iter().filter_map(|(one, range)| Some((name(one)?, *range))).collect(),
            gaps: self.gaps.iter().filter_map(|((a, b), gap)| Some(((name(a)?, name(b)?), *gap))).collect(),
        }
    }

    /// The range of a value; none if it is no number of that kind.
    pub fn range(&self, scope: &Scope, e: ExpressionId) -> Option<Range> {
        self.range_at(scope, e, 0)
    }

    fn range_at(&self, scope: &Scope, e: ExpressionId, depth: u32) -> Option<Range> {
        let whole = whole(scope, e)?;
        if depth >= DEEPEST {
            return Some(whole);
        }
        let exact = self.exact(scope, e, depth);
        Some(exact.filter(|range| range.is_in(whole) && range.least <= range.most).unwrap_or(whole))
    }

    /// The range of what is computed before it is made fit its type; none if that is not known.
    fn exact(&self, scope: &Scope, e: ExpressionId, depth: u32) -> Option<Range> {
        let integer = scope.program.types.as_integer(scope.program.terms.get(e).ty)?;
        let of = |e: ExpressionId| self.range_at(scope, e, depth + 1);
        Some(match scope.program.terms.get(e).kind {
            ExpressionKind::Constant(bits) => {
                let number = integer.number(bits);
                Range { least: number, most: number }
            }
            ExpressionKind::Read(lvalue) => {
                let (own, table) = (self.ranges.get(&e).copied(), scope.tables.range(&scope.program, lvalue));
                let both = own.zip(table).map(|(own, table)| own.met(table));
                both.or(own).or(table)?
            }
            ExpressionKind::Convert(a) => of(a)?,
            ExpressionKind::Unary(Unary::Negate, a) => {
                let a = of(a)?;
                Range { least: -a.most, most: -a.least }
            }
            ExpressionKind::Unary(Unary::Complement, a) => {
                let (a, all) = (of(a)?, if integer.signed { -1 } else { integer.mask() as i128 });
                Range { least: all - a.most, most: all - a.least }
            }
            ExpressionKind::Unary(Unary::Not, _) => Range { least: 0, most: 1 },
            ExpressionKind::Binary(op, ..) if op.is_truth() => Range { least: 0, most: 1 },
            ExpressionKind::Binary(op, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                computed(op, a, b, integer)?
            }
            _ => return None,
        })
    }

    /// Between what a value is.
    fn sides(&self, scope: &Scope, e: ExpressionId) -> Option<Sides> {
        self.sides_at(scope, e, 0)
    }

    fn sides_at(&self, scope: &Scope, e: ExpressionId, depth: u32) -> Option<Sides> {
        let (whole, range) = (whole(scope, e)?, self.range_at(scope, e, depth)?);
        let mut sides = Sides { below: vec![(None, range.least)], above: vec![(None, range.most)] };
        // What leaves its type is not what its parts say.
        let fits = self.exact(scope, e, depth).is_some_and(|range| range.is_in(whole));
        if depth >= DEEPEST {
            return Some(sides);
        }
        let of = |e: ExpressionId| self.sides_at(scope, e, depth + 1);
        let range = |e: ExpressionId| self.range_at(scope, e, depth + 1);
        if let ExpressionKind::Binary(Binary::Add, a, half) = scope.program.terms.get(e).kind
            && let Some(half) = self.between(scope, a, half, depth)
        {
            sides.below.extend(half.below);
            sides.above.extend(half.above);
        }
        if let Some(half) = self.half(scope, e, depth) {
            sides.below.extend(half.below);
            sides.above.extend(half.above);
        }
        match scope.program.terms.get(e).kind {
            ExpressionKind::Read(_) => {
                sides.below.push((Some(e), 0));
                sides.above.push((Some(e), 0));
            }
            ExpressionKind::Convert(a) if fits => {
                if let Some(of) = of(a) {
                    sides.add(&of, Range { least: 0, most: 0 });
                }
            }
            ExpressionKind::Binary(Binary::Add, a, b) if fits => {
                if let (Some(a), Some(by)) = (of(a), range(b)) {
                    sides.add(&a, by);
                }
                if let (Some(b), Some(by)) = (of(b), range(a)) {
                    sides.add(&b, by);
                }
            }
            ExpressionKind::Binary(Binary::Subtract, a, b) if fits => {
                if let (Some(a), Some(by)) = (of(a), range(b)) {
                    sides.add(&a, Range { least: -by.most, most: -by.least });
                }
            }
            ExpressionKind::Binary(op, a, b) => sides.above.extend(self.above(scope, op, (a, b), depth)),
            _ => {}
        }
        Some(sides.trimmed())
    }

    /// What is above a number that an operator makes, which makes none greater than one of those it is given.
    fn above(&self, scope: &Scope, op: Binary, (a, b): (ExpressionId, ExpressionId), depth: u32) -> Vec<Side> {
        let range = |e: ExpressionId| self.range_at(scope, e, depth + 1);
        let (Some(left), Some(right)) = (range(a), range(b)) else { return Vec::new() };
        let (is_left, is_right) = match op {
            Binary::Divide => (left.least >= 0 && right.least >= 1, false),
            Binary::ShiftRight => (left.least >= 0 && right.least >= 0, false),
            Binary::And => (left.least >= 0, right.least >= 0),
            Binary::Remainder => (left.least >= 0 && right.least >= 1, right.least >= 1),
            _ => (false, false),
        };
        let of = |is_asked: bool, e: ExpressionId| {
            let sides = if is_asked { self.sides_at(scope, e, depth + 1) } else { None };
            sides.map_or_else(Vec::new, |sides| sides.above)
        };
        let less = i128::from(op == Binary::Remainder);
        let right = of(is_right, b).into_iter().map(|(atom, c)| (atom, c - less));
        of(is_left, a).into_iter().chain(right).collect()
    }

    /// What is known of `(a + b) / 2` of two numbers that are not negative: it is between them.
    fn half(&self, scope: &Scope, e: ExpressionId, depth: u32) -> Option<Sides> {
        let ExpressionKind::Binary(op @ (Binary::Divide | Binary::ShiftRight), sum, by) =
            scope.program.terms.get(e).kind
        else {
            return None;
        };
        let ExpressionKind::Binary(Binary::Add, a, b) = scope.program.terms.get(sum).kind else { return None };
        let by = self.range_at(scope, by, depth + 1)?;
        let two = if op == Binary::Divide { 2 } else { 1 };
        let least = self.range_at(scope, a, depth + 1)?.least.min(self.range_at(scope, b, depth + 1)?.least);
        let fits = self.exact(scope, sum, depth + 1)?.is_in(whole(scope, sum)?);
        if (by.least, by.most) != (two, two) || least < 0 || !fits {
            return None;
        }
        self.within(scope, (a, b), depth).or_else(|| self.within(scope, (b, a), depth))
    }

    /// What is known of `a + (b - a) / 2`: it is between them.
    fn between(&self, scope: &Scope, a: ExpressionId, half: ExpressionId, depth: u32) -> Option<Sides> {
        let ExpressionKind::Binary(op @ (Binary::Divide | Binary::ShiftRight), distance, by) =
            scope.program.terms.get(half).kind
        else {
            return None;
        };
        let ExpressionKind::Binary(Binary::Subtract, b, from) = scope.program.terms.get(distance).kind else {
            return None;
        };
        let by = self.range_at(scope, by, depth + 1)?;
        let least = if op == Binary::Divide { 2 } else { 1 };
        let distance = self.exact(scope, distance, depth + 1)?;
        if from != a
            || by.least < least
            || distance.most > Range::of(scope.program.types.as_integer(scope.program.terms.get(a).ty)?).most
        {
            return None;
        }
        self.within(scope, (a, b), depth)
    }

    /// What is known of a number that is not less than the first, and less than the second unless they are equal; nothing if the second may be less.
    fn within(&self, scope: &Scope, (a, b): (ExpressionId, ExpressionId), depth: u32) -> Option<Sides> {
        let (a, b) = (self.sides_at(scope, a, depth + 1)?, self.sides_at(scope, b, depth + 1)?);
        match self.apart(scope, &a.above, &b.below) {
            ..=-1 => {
                let above = b.above.into_iter().map(|(atom, c)| (atom, c - 1)).collect();
                Some(Sides { below: a.below, above })
            }
            0 => Some(Sides { below: a.below, above: b.above }),
            _ => None,
        }
    }

    /// By how much a value is greater than another one at most.
    fn most(&self, scope: &Scope, a: ExpressionId, b: ExpressionId) -> Option<i128> {
        Some(self.apart(scope, &self.sides(scope, a)?.above, &self.sides(scope, b)?.below))
    }

    fn apart(&self, scope: &Scope, above: &[Side], below: &[Side]) -> i128 {
        let all = above.iter().flat_map(|(a, up)| below.iter().map(move |(b, down)| (*a, *b, up - down)));
        all.map(|(a, b, c)| self.gap(scope, a, b) + c).min().unwrap_or(i128::from(i64::MAX) * 4)
    }

    /// By how much a number is greater than another one at most.
    fn gap(&self, scope: &Scope, a: Option<ExpressionId>, b: Option<ExpressionId>) -> i128 {
        let range = |e: ExpressionId| {
            self.ranges.get(&e).copied().or_else(|| whole(scope, e)).unwrap_or(Range { least: 0, most: 0 })
        };
        match (a, b) {
            (None, None) => 0,
            (Some(a), None) => range(a).most,
            (None, Some(b)) => -range(b).least,
            (Some(a), Some(b)) if a == b => 0,
            (Some(a), Some(b)) => {
                let apart = range(a).most - range(b).least;
                self.way(a, b, WAY).map_or(apart, |gap| gap.min(apart))
            }
        }
    }

    /// What is known of two numbers by what is known of others that are between them.
    fn way(&self, a: ExpressionId, b: ExpressionId, over: u32) -> Option<i128> {
        let direct = self.gaps.get(&(a, b)).copied();
        if over == 0 {
            return direct;
        }
        let from = self.gaps.range((a, ExpressionId(0))..=(a, ExpressionId(u32::MAX)));
        let from = from.filter(|((_, by), _)| *by != b);
        from.filter_map(|((_, by), first)| Some(first + self.way(*by, b, over - 1)?)).chain(direct).min()
    }

    /// What is known where a comparison is true; nothing if it cannot be.
    pub fn under(&self, scope: &Scope, op: Binary, a: ExpressionId, b: ExpressionId) -> Option<Numbers> {
        match (self.sides(scope, a), self.sides(scope, b)) {
            (Some(a), Some(b)) => self.compared(scope, op, &a, &b),
            _ => Some(self.clone()),
        }
    }

    /// What is known where a value is 0, or is not.
    pub fn zero(&self, scope: &Scope, a: ExpressionId, is_zero: bool) -> Option<Numbers> {
        let op = if is_zero { Binary::Equal } else { Binary::Unequal };
        match self.sides(scope, a) {
            Some(a) => self.compared(scope, op, &a, &Sides::number(0)),
            None => Some(self.clone()),
        }
    }

    fn compared(&self, scope: &Scope, op: Binary, a: &Sides, b: &Sides) -> Option<Numbers> {
        let said = |a: &Sides, b: &Sides, c: i128| {
            let mut all = self.clone();
            all.say(scope, (a, b), c).then_some(all)
        };
        match op {
            Binary::Less => said(a, b, -1),
            Binary::LessEqual => said(a, b, 0),
            Binary::Greater => said(b, a, -1),
            Binary::GreaterEqual => said(b, a, 0),
            Binary::Equal => {
                let mut all = self.clone();
                (all.say(scope, (a, b), 0) && all.say(scope, (b, a), 0)).then_some(all)
            }
            Binary::Unequal => {
                let least = self.apart(scope, &b.above, &a.below);
                match (self.apart(scope, &a.above, &b.below), least) {
                    (0, 0) => None,
                    (0, _) => said(a, b, -1),
                    (_, 0) => said(b, a, -1),
                    _ => Some(self.clone()),
                }
            }
            _ => Some(self.clone()),
        }
    }

    /// One value is greater than another one by so much at most; whether that can be.
    fn say(&mut self, scope: &Scope, (a, b): (&Sides, &Sides), most: i128) -> bool {
        if self.apart(scope, &b.above, &a.below) < -most {
            return false;
        }
        for (x, down) in &a.below {
            for (y, up) in &b.above {
                let gap = most + up - down;
                match (*x, *y) {
                    (Some(x), Some(y)) if x != y => self.differ(scope, (x, y), gap),
                    (Some(x), None) => self.narrow(scope, x, |range| Range { most: range.most.min(gap), ..range }),
                    (None, Some(y)) => self.narrow(scope, y, |range| Range { least: range.least.max(-gap), ..range }),
                    _ => {}
                }
            }
        }
        self.ranges.values().all(|range| range.least <= range.most)
    }

    /// The first is greater than the second by so much at most, if that is news.
    fn differ(&mut self, scope: &Scope, (a, b): (ExpressionId, ExpressionId), gap: i128) {
        if self.gaps.len() < GAPS && gap < self.gap(scope, Some(a), Some(b)) {
            self.gaps.insert((a, b), gap);
        }
    }

    fn narrow(&mut self, scope: &Scope, one: ExpressionId, to: impl Fn(Range) -> Range) {
        let Some(old) = self.ranges.get(&one).copied().or_else(|| whole(scope, one)) else { return };
        let new = to(old);
        if new != old {
            self.ranges.insert(one, new);
        }
    }

    /// What is known once a number has got a value, where that changes no others but those that are not kept.
    pub fn assigned(
        &self,
        scope: &Scope,
        (to, value): (ExpressionId, Option<ExpressionId>),
        is_kept: impl Fn(ExpressionId) -> bool,
    ) -> Numbers {
        let mut new = self.only(|one| one != to && is_kept(one));
        let Some(value) = value else { return new };
        let (Some(whole), Some(sides)) = (whole(scope, to), self.sides(scope, value)) else { return new };
        let range = Range {
            least: -self.apart(scope, &[(None, 0)], &sides.below),
            most: self.apart(scope, &sides.above, &[(None, 0)]),
        };
        if !range.is_in(whole) || range.least > range.most {
            return new;
        }
        new.set(scope, to, range);
        let kept = |one: ExpressionId| one != to && is_kept(one);
        for (atom, c) in &sides.above {
            match *atom {
                Some(y) if kept(y) => new.differ(scope, (to, y), *c),
                // It was there before, as long as this was not written.
                Some(y) if y == to => {
                    let of = self.gaps.range((to, ExpressionId(0))..=(to, ExpressionId(u32::MAX)));
                    of.filter(|((_, z), _)| kept(*z)).for_each(|((_, z), gap)| new.differ(scope, (to, *z), gap + c));
                }
                _ => {}
            }
        }
        for (atom, c) in &sides.below {
            match *atom {
                Some(y) if kept(y) => new.differ(scope, (y, to), -c),
                Some(y) if y == to => {
                    let of = self.gaps.iter().filter(|((z, y), _)| *y == to && kept(*z));
                    of.for_each(|((z, _), gap)| new.differ(scope, (*z, to), gap - c));
                }
                _ => {}
            }
        }
        new
    }

    /// A number is in a range.
    pub fn set(&mut self, scope: &Scope, one: ExpressionId, range: Range) {
        match whole(scope, one) {
            Some(all) if range.is_in(all) && range != all => drop(self.ranges.insert(one, range)),
            _ => drop(self.ranges.remove(&one)),
        }
    }

    /// What is known of numbers that have these values elsewhere, besides.
    pub fn given(&mut self, scope: &Scope, there: &Numbers, all: &[(ExpressionId, ExpressionId)]) {
        for (one, value) in all {
            if let Some(range) = there.range(scope, *value) {
                self.set(scope, *one, range);
            }
        }
        for (a, first) in all {
            for (b, second) in all.iter().filter(|(b, _)| a != b) {
                if let Some(gap) = there.most(scope, *first, *second) {
                    self.differ(scope, (*a, *b), gap);
                }
            }
        }
    }

    /// What is known wherever one of these is. Where it comes again and again nothing more is added that grows: ranges go to the next of these numbers, or
    /// to the end of their types.
    pub fn joined(&self, scope: &Scope, other: &Numbers, widened: Option<&BTreeSet<i128>>) -> Numbers {
        let mut new = Numbers::default();
        for (one, range) in &self.ranges {
            let (Some(there), Some(whole)) = (other.ranges.get(one), whole(scope, *one)) else { continue };
            let mut both = range.joined(*there);
            if let Some(numbers) = widened {
                // What can be one more, or one less, of a number often says that it is not the last one of its type.
                let (first, last) = (whole.least + 1, whole.most - 1);
                if both.least < range.least {
                    let next = numbers.range(..=both.least).next_back().filter(|n| **n >= first);
                    both.least = *next.unwrap_or(if both.least >= first { &first } else { &whole.least });
                }
                if both.most > range.most {
                    let next = numbers.range(both.most..).next().filter(|n| **n <= last);
                    both.most = *next.unwrap_or(if both.most <= last { &last } else { &whole.most });
                }
            }
            new.set(scope, *one, both);
        }
        let others = other.gaps.keys().filter(|_| widened.is_none());
        let pairs: BTreeSet<(ExpressionId, ExpressionId)> = self.gaps.keys().chain(others).copied().collect();
        for (a, b) in pairs {
            let [here, there] = [self, other].map(|one| one.gap(scope, Some(a), Some(b)));
            // What is told over others may get less and less where nobody comes.
            let here = self.gaps.get(&(a, b)).copied().filter(|_| widened.is_some()).unwrap_or(here);
            let (gap, is_grown) = (here.max(there), widened.is_some() && there > here);
            if !is_grown && gap < new.gap(scope, Some(a), Some(b)) {
                new.gaps.insert((a, b), gap);
            }
        }
        new
    }
}
