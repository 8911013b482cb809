//! What is known where control comes to a statement, and how that of two ways is joined.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::numbers::Numbers;
use super::range::Range;
use super::scope::Scope;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Unary};
use crate::c::program::Program;
use crate::question::wrong::stripped;

/// What may be so: that a pointer is not NULL, or a number not 0; or that it is.
pub type Guard = (ExpressionId, bool);

/// What is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Pointers that are not NULL, and numbers that are not 0.
    pub there: BTreeSet<ExpressionId>,
    /// Pointers that are NULL.
    pub null: BTreeSet<ExpressionId>,
    /// Pointers that are the same.
    pub same: BTreeSet<(ExpressionId, ExpressionId)>,
    /// Pointers that are not NULL if something else is so.
    pub guarded: BTreeMap<Guard, BTreeSet<ExpressionId>>,
    pub numbers: Numbers,
}

/// No more are kept.
const GUARDS: usize = 24;

impl Facts {
    /// Those about what is kept.
    pub fn only(&self, is_kept: impl Fn(ExpressionId) -> bool) -> Facts {
        let kept = |all: &BTreeSet<ExpressionId>| -> BTreeSet<ExpressionId> {
            all.iter().copied().filter(|one| is_kept(*one)).collect()
        };
        let guarded = self.guarded.iter().filter(|((by, _), _)| is_kept(*by));
        let guarded = guarded.map(|(guard, all)| (*guard, kept(all))).filter(|(_, all)| !all.is_empty());
        Facts {
            there: kept(&self.there),
            null: kept(&self.null),
            same: self.same.iter().copied().filter(|(a, b)| is_kept(*a) && is_kept(*b)).collect(),
            guarded: guarded.collect(),
            numbers: self.numbers.only(&is_kept),
        }
    }

    /// What something is said of.
    pub fn all(&self) -> BTreeSet<ExpressionId> {
        let guarded = self.guarded.iter().flat_map(|((by, _), all)| all.iter().chain([by]));
        let same = self.same.iter().flat_map(|(a, b)| [a, b]);
        self.there.iter().chain(&self.null).chain(guarded).chain(same).copied().chain(self.numbers.all()).collect()
    }

    /// Whether a pointer is not NULL, or a number not 0.
    pub fn is_there(&self, scope: &Scope, pointer: ExpressionId) -> bool {
        let terms = &scope.program.terms;
        let pointer = stripped(&scope.program, pointer);
        if scope.program.types.pointee(terms.get(pointer).ty).is_none() {
            let range = self.numbers.range(scope, pointer);
            return self.there.contains(&pointer) || range.is_some_and(|range| range.least > 0 || range.most < 0);
        }
        self.there.contains(&pointer)
            || match terms.get(pointer).kind {
                ExpressionKind::Read(lvalue) => scope.tables.is_there(&scope.program, lvalue),
                ExpressionKind::Procedure(_) => true,
                ExpressionKind::AddressOf(lvalue) => match terms.at(lvalue).kind {
                    LvalueKind::Deref(of) => self.is_there(scope, of),
                    _ => self.is_object(scope, lvalue),
                },
                _ => false,
            }
    }

    /// Whether a pointer is NULL, or a number 0.
    pub fn is_null(&self, scope: &Scope, pointer: ExpressionId) -> bool {
        let pointer = stripped(&scope.program, pointer);
        let of = scope.program.terms.get(pointer);
        if scope.program.types.pointee(of.ty).is_some() {
            return self.null.contains(&pointer) || matches!(of.kind, ExpressionKind::Constant(0));
        }
        self.numbers.range(scope, pointer) == Some(Range { least: 0, most: 0 })
    }

    /// Whether an lvalue is a part of an object that is there.
    fn is_object(&self, scope: &Scope, mut lvalue: LvalueId) -> bool {
        loop {
            match scope.program.terms.at(lvalue).kind {
                LvalueKind::Variable(_) => return true,
                LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => lvalue = of,
                LvalueKind::Deref(pointer) => return self.is_there(scope, pointer),
            }
        }
    }

    /// Whether this is so, or is not; nothing if it is not known.
    fn is_so(&self, scope: &Scope, (by, is_there): Guard) -> Option<bool> {
        match (self.is_there(scope, by), self.is_null(scope, by)) {
            (true, false) => Some(is_there),
            (false, true) => Some(!is_there),
            _ => None,
        }
    }

    /// A pointer is NULL, or is not, and so are those that are the same.
    pub fn learn(&mut self, pointer: ExpressionId, is_there: bool) {
        let mut open = vec![pointer];
        while let Some(pointer) = open.pop() {
            let known = if is_there { &mut self.there } else { &mut self.null };
            if known.insert(pointer) {
                let others = self.same.iter().filter(|(a, b)| *a == pointer || *b == pointer);
                open.extend(others.map(|(a, b)| if *a == pointer { *b } else { *a }));
            }
        }
    }

    /// What was known if something is so, where that is.
    pub fn released(mut self, scope: &Scope) -> Facts {
        loop {
            let known = self.guarded.keys().copied().find(|guard| self.is_so(scope, *guard).is_some());
            let Some(guard) = known else { return self };
            let is_so = self.is_so(scope, guard) == Some(true);
            let all = self.guarded.remove(&guard).unwrap_or_default();
            for pointer in all.into_iter().filter(|_| is_so) {
                self.learn(pointer, true);
            }
        }
    }

    /// What is known where a value is 0, and where it is not, of pointers that are not NULL, besides what is known anyway; nothing where it cannot
    /// be so.
    pub fn under(&self, scope: &Scope, value: ExpressionId) -> [Option<BTreeSet<ExpressionId>>; 2] {
        let Some((by, is_same)) = guard(&scope.program, value) else { return [const { Some(BTreeSet::new()) }; 2] };
        [!is_same, is_same].map(|is_there| match self.is_so(scope, (by, is_there)) {
            Some(false) => None,
            _ => {
                let mut all = self.guarded.get(&(by, is_there)).cloned().unwrap_or_default();
                let is_pointer = scope.program.types.pointee(scope.program.terms.get(by).ty).is_some();
                all.extend((is_there && is_pointer).then_some(by));
                Some(all)
            }
        })
    }

    /// What is known wherever one of these is. For `widened` see [`Numbers::joined`].
    pub fn joined(self: &Rc<Facts>, scope: &Scope, other: &Rc<Facts>, widened: Option<&BTreeSet<i128>>) -> Facts {
        let (one, other) = (completed(scope, self, other), completed(scope, other, self));
        let null: BTreeSet<ExpressionId> = one.null.intersection(&other.null).copied().collect();
        let is_read = |fact: ExpressionId| !is_behind(scope, &null, fact);
        let there: BTreeSet<ExpressionId> =
            one.there.intersection(&other.there).copied().filter(|fact| is_read(*fact)).collect();
        Facts {
            guarded: guarded(scope, &one, &other, &there),
            there,
            same: one.same.intersection(&other.same).copied().collect(),
            numbers: one.numbers.joined(scope, &other.numbers, widened).only(is_read),
            null,
        }
    }
}

/// By what a value is 0 or not, and whether it is not where that is not.
fn guard(program: &Program, mut value: ExpressionId) -> Option<Guard> {
    let (terms, types) = (&program.terms, &program.types);
    let is_zero = |e: ExpressionId| matches!(terms.get(e).kind, ExpressionKind::Constant(0));
    let mut is_same = true;
    loop {
        match terms.get(value).kind {
            ExpressionKind::Read(_) => return Some((value, is_same)),
            ExpressionKind::Unary(Unary::Not, of) => (value, is_same) = (of, !is_same),
            ExpressionKind::Binary(op @ (Binary::Equal | Binary::Unequal), a, b) if is_zero(a) || is_zero(b) => {
                is_same ^= op == Binary::Equal;
                value = if is_zero(a) { b } else { a };
            }
            ExpressionKind::Convert(of) => {
                let (from, to) = (types.as_integer(terms.get(of).ty), types.as_integer(terms.get(value).ty));
                let is_pointer = |e: ExpressionId| types.pointee(terms.get(e).ty).is_some();
                let is_kept = match (from, to) {
                    (Some(from), Some(to)) => from.width <= to.width,
                    _ => is_pointer(of) && is_pointer(value),
                };
                if !is_kept {
                    return None;
                }
                value = of;
            }
            _ => return None,
        }
    }
}

/// What is known of pointers if something is so, wherever one of these facts is, besides what is known anyway.
fn guarded(
    scope: &Scope,
    one: &Facts,
    other: &Facts,
    there: &BTreeSet<ExpressionId>,
) -> BTreeMap<Guard, BTreeSet<ExpressionId>> {
    let is_pointer = |e: &ExpressionId| scope.program.types.pointee(scope.program.terms.get(*e).ty).is_some();
    let more = |facts: &Facts| facts.there.iter().any(|fact| is_pointer(fact) && !there.contains(fact));
    let mut guards: BTreeSet<Guard> = one.guarded.keys().chain(other.guarded.keys()).copied().collect();
    if more(one) || more(other) {
        for (a, b) in [(one, other), (other, one)] {
            let numbers = a.numbers.all();
            let of = a.there.iter().chain(&numbers).filter(|by| is_read(&scope.program, **by));
            let apart = of.filter(|by| a.is_there(scope, **by) && b.is_null(scope, **by));
            guards.extend(apart.flat_map(|by| [(*by, true), (*by, false)]));
        }
    }
    let mut all = BTreeMap::new();
    for guard in guards {
        // Nothing where it is not so.
        let under = |facts: &Facts| -> Option<BTreeSet<ExpressionId>> {
            if facts.is_so(scope, guard) == Some(false) {
                return None;
            }
            let own = facts.guarded.get(&guard).into_iter().flatten();
            Some(facts.there.iter().filter(|fact| is_pointer(fact)).chain(own).copied().collect())
        };
        let both = match (under(one), under(other)) {
            (Some(one), Some(other)) => one.intersection(&other).copied().collect(),
            (Some(facts), None) | (None, Some(facts)) => facts,
            (None, None) => continue,
        };
        let new: BTreeSet<ExpressionId> =
            both.into_iter().filter(|fact| !there.contains(fact) && *fact != guard.0).collect();
        if !new.is_empty() && all.len() < GUARDS {
            all.insert(guard, new);
        }
    }
    all
}

fn is_read(program: &Program, e: ExpressionId) -> bool {
    matches!(program.terms.get(e).kind, ExpressionKind::Read(_))
}

/// Whether what a fact speaks of lies behind one of these pointers, which are NULL.
fn is_behind(scope: &Scope, null: &BTreeSet<ExpressionId>, fact: ExpressionId) -> bool {
    let begins = |mut lvalue: LvalueId| {
        loop {
            match scope.program.terms.at(lvalue).kind {
                LvalueKind::Variable(_) => return None,
                LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => lvalue = of,
                LvalueKind::Deref(pointer) => return Some(stripped(&scope.program, pointer)),
            }
        }
    };
    let is_null = |pointer: ExpressionId| null.contains(&pointer);
    !null.is_empty() && scope.all_read(fact).iter().copied().filter_map(begins).any(is_null)
}

/// What is known, and what is known elsewhere of what nobody reads here.
fn completed(scope: &Scope, facts: &Rc<Facts>, other: &Facts) -> Rc<Facts> {
    if facts.null.is_empty() {
        return facts.clone();
    }
    let is_behind = |fact: ExpressionId| is_behind(scope, &facts.null, fact);
    let mut all = (**facts).clone();
    all.there.extend(other.there.iter().copied().filter(|fact| is_behind(*fact)));
    all.numbers.extend(&other.numbers, is_behind);
    Rc::new(all)
}
