//! Expressions in which C leaves open what is evaluated first, and it matters (C11 §6.5): every order is a run.
//!
//! What one expression consists of up to its next sequence points is a *unit*. A program with units of which the parts may
//! conflict ([`candidate`]) is read twice. In the first reading they are lowered from left to right, one read, write or call at a time,
//! with marks that tell what is beside what ([`Code`]); when all procedures are known, so is which of these events conflict
//! ([`access`]). Where none do, the second reading lowers the unit like any other, and elsewhere it makes all orders of the
//! events that do ([`weave`]), as a choice wherever one of several may come next.
//!
//! What orders there are:
//! * operands, arguments, the pointer that is called, indices, and both sides of an assignment come in any order, piece by piece; calls do not
//!   interleave with one another, nor do the items of a list of initialisers (§6.7.9);
//! * a side effect comes after the values that it needs, and before the next sequence point;
//! * the value of an assignment is what was stored, or what is there afterwards (§6.5.16, note 111);
//! * `x += e` reads `x` beside what `e` does, but no call comes between that read and the write, as none does between those of `x++`
//!   (§6.5.16.2, §6.5.2.4).

mod access;
mod candidate;
mod code;
mod states;
mod weave;

use std::collections::{BTreeMap, HashMap, HashSet};

use lang_c::ast::{self, BinaryOperator as B};
use lang_c::span::{Node, Span};

use super::{Lowered, Lowering, Value};
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId};
use crate::c::program::{StatementKind, Storage, VariableId};

use code::{Code, Marker};

/// The file and the bytes of a text.
pub type Key = (usize, usize, usize);

/// Which events of a unit conflict, by their numbers, the smaller first.
pub type Pairs = HashSet<(usize, usize)>;

/// How the expression is read at which reading is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    /// No unit was met so far.
    #[default]
    Open,
    /// In a unit in which the order does not matter.
    Plain,
    /// In a unit of which the events are noted.
    Noted,
}

/// What is known of units.
#[derive(Debug, Default)]
pub struct Unordered {
    mode: Mode,
    /// What conflicts; nothing is known of it in the first reading.
    known: Option<HashMap<Key, Pairs>>,
    /// The unit that is being noted.
    notes: Notes,
    /// The units that were noted.
    noted: Vec<(Key, Code)>,
}

/// The unit that is being noted; numbers are those of statements of the body.
#[derive(Debug, Default)]
struct Notes {
    start: usize,
    markers: BTreeMap<usize, Marker>,
    /// The texts of which the statements come, so far.
    spans: Vec<Span>,
    /// The innermost text that is being read.
    span: Option<Span>,
    fresh: Option<VariableId>,
    /// The list of initialisers that is being read, if it is part of the unit.
    list: Option<Fork>,
}

/// Parts that are beside one another.
#[derive(Debug, Default)]
pub struct Fork {
    at: usize,
    parts: Vec<usize>,
}

/// What an update has read.
#[derive(Debug)]
pub struct Old {
    pub value: Value,
    /// The event.
    at: Option<usize>,
}

impl Unordered {
    /// For the second reading, after what was found in the first.
    pub fn second(known: HashMap<Key, Pairs>) -> Unordered {
        Unordered { known: Some(known), ..Unordered::default() }
    }
}

impl Lowering<'_> {
    /// What the second reading has to know, if there has to be one.
    pub fn conflicts(&self) -> Option<HashMap<Key, Pairs>> {
        let noted = &self.unordered.noted;
        if noted.is_empty() || self.unordered.known.is_some() {
            return None;
        }
        let survey = access::Survey::new(self);
        let mut known: HashMap<Key, Pairs> = HashMap::new();
        for (key, code) in noted {
            let pairs = survey.pairs(code);
            if !pairs.is_empty() {
                known.entry(*key).or_default().extend(pairs);
            }
        }
        Some(known)
    }

    /// Whether the events of the unit that is read are noted.
    pub fn is_noted(&self) -> bool {
        self.unordered.mode == Mode::Noted
    }

    /// Does the work on an expression; it is a unit if it is in no other.
    pub fn unordered<T>(
        &mut self,
        node: &Node<ast::Expression>,
        work: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        match self.unordered.mode {
            Mode::Plain => work(self),
            Mode::Noted => self.spanned(node.span, work),
            Mode::Open if self.body.is_none() || is_sequenced(&node.node) => work(self),
            Mode::Open if self.is_noted_here(node) => self.note(node.span, None, work),
            Mode::Open => self.within(Mode::Plain, work),
        }
    }

    /// Whether an expression is noted, as a part of a unit or as one.
    pub fn is_noted_here(&self, node: &Node<ast::Expression>) -> bool {
        match (self.unordered.mode, &self.unordered.known) {
            (Mode::Noted, _) => true,
            (Mode::Plain, _) => false,
            (Mode::Open, _) if self.body.is_none() || is_sequenced(&node.node) => false,
            (Mode::Open, Some(known)) => known.contains_key(&self.key(node.span)),
            (Mode::Open, None) => candidate::is_open(self, node),
        }
    }

    /// The initialisers of a list for an object; `mentioned` tells whether they speak of it.
    pub fn unordered_list<T>(
        &mut self,
        target: LvalueId,
        list: &Node<ast::Initializer>,
        work: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        let noted = match (self.unordered.mode, &self.unordered.known) {
            _ if self.body.is_none() => false,
            (Mode::Noted, _) => return self.listed(work),
            (Mode::Plain, _) => false,
            (Mode::Open, Some(known)) => known.contains_key(&self.key(list.span)),
            (Mode::Open, None) => candidate::is_open_list(self, list),
        };
        if !noted {
            return work(self);
        }
        let fresh = self.terms.variable_of(target).filter(|id| {
            let name = &self.variables[id.0 as usize].name;
            !candidate::names(list).iter().any(|other| self.spelled(other) == &**name)
        });
        self.note(list.span, fresh, |this| this.listed(work))
    }

    fn listed<T>(&mut self, work: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let fork = self.fork(true)?;
        let outer = self.unordered.notes.list.replace(fork);
        let done = work(self);
        let fork = std::mem::replace(&mut self.unordered.notes.list, outer).unwrap_or_default();
        if let Some(&begin) = fork.parts.last() {
            self.settle(begin)?;
        }
        self.join(fork)?;
        done
    }

    /// The next item of the list of initialisers begins.
    pub fn item_begins(&mut self, span: Span) -> Lowered<()> {
        if let (true, Some(mut fork)) = (self.is_noted(), self.unordered.notes.list.take()) {
            // What an item sets off is done before another begins.
            if let Some(&begin) = fork.parts.last() {
                self.settle(begin)?;
            }
            self.beside(&mut fork)?;
            self.spanned(span, |this| this.marker(Marker::Begin))?;
            self.unordered.notes.list = Some(fork);
        }
        Ok(())
    }

    /// Does some work in which no list of initialisers is open.
    pub fn apart<T>(&mut self, work: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let list = self.unordered.notes.list.take();
        let done = work(self);
        self.unordered.notes.list = list;
        done
    }

    /// The statements of a statement expression: units of their own, unless they are noted with what surrounds them.
    pub fn statements_within<T>(&mut self, work: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        match self.unordered.mode {
            Mode::Plain => self.within(Mode::Open, work),
            Mode::Open | Mode::Noted => self.apart(work),
        }
    }

    /// Reads what is not evaluated.
    pub fn unevaluated<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.within(Mode::Plain, work)
    }

    fn within<T>(&mut self, mode: Mode, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.unordered.mode, mode);
        let done = work(self);
        self.unordered.mode = outer;
        done
    }

    /// Does some work that is part of no unit, though the text around it may be.
    pub fn in_no_unit<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.within(Mode::Open, work)
    }

    /// What tells a text from all others.
    pub fn key(&self, span: Span) -> Key {
        (self.unit, span.start, span.end)
    }

    /// A unit: its events are noted, and in the second reading they are woven.
    fn note<T>(
        &mut self,
        span: Span,
        fresh: Option<VariableId>,
        work: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        // Labels of the source stay before all orders.
        let body = self.body()?;
        if body.is_labelled() {
            body.emit(StatementKind::Skip);
        }
        let (start, first_mark) = (body.statements.len(), body.marks());
        self.unordered.notes = Notes { start, fresh, ..Notes::default() };
        let done = self.within(Mode::Noted, |this| {
            let done = this.spanned(span, work)?;
            this.settle(start)?;
            Ok(done)
        });
        let notes = std::mem::take(&mut self.unordered.notes);
        let done = done?;
        let key = self.key(span);
        let body = self.body()?;
        let jumps = body.placed(first_mark, start);
        let statements = body.statements[start..].to_vec();
        let code = Code::new(statements, jumps, notes.markers, notes.spans, start, notes.fresh);
        match self.unordered.known.as_ref().map(|known| known.get(&key).cloned().unwrap_or_default()) {
            None => self.unordered.noted.push((key, code)),
            Some(pairs) => {
                let body = self.body()?;
                body.statements.truncate(start);
                body.forget(first_mark);
                self.weave(&code, &pairs, span)?;
            }
        }
        Ok(done)
    }

    /// What the work emits comes of this text, but for what comes of a part of it.
    fn spanned<T>(&mut self, span: Span, work: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        self.span_so_far();
        let outer = self.unordered.notes.span.replace(span);
        let done = work(self);
        self.span_so_far();
        self.unordered.notes.span = outer;
        done
    }

    fn span_so_far(&mut self) {
        let count = self.now().saturating_sub(self.unordered.notes.start);
        let notes = &mut self.unordered.notes;
        notes.spans.resize(count.max(notes.spans.len()), notes.span.unwrap_or_else(Span::none));
    }

    fn marker(&mut self, marker: Marker) -> Lowered<usize> {
        let body = self.body()?;
        let at = body.statements.len();
        body.emit(StatementKind::Skip);
        self.unordered.notes.markers.insert(at, marker);
        Ok(at)
    }

    /// Parts follow that are beside one another; whole ones do not interleave.
    pub fn fork(&mut self, whole: bool) -> Lowered<Fork> {
        let at = if self.is_noted() { self.marker(Marker::Fork { whole, parts: Vec::new(), join: 0 })? } else { 0 };
        Ok(Fork { at, parts: Vec::new() })
    }

    /// The next of these parts.
    pub fn beside(&mut self, fork: &mut Fork) -> Lowered<()> {
        if self.is_noted() {
            self.end_part(fork)?;
            fork.parts.push(self.body()?.statements.len());
        }
        Ok(())
    }

    fn end_part(&mut self, fork: &Fork) -> Lowered<()> {
        if !fork.parts.is_empty() {
            self.marker(Marker::End { fork: fork.at })?;
        }
        Ok(())
    }

    /// What comes now comes after all of these parts.
    pub fn join(&mut self, fork: Fork) -> Lowered<()> {
        if self.is_noted() {
            self.end_part(&fork)?;
            let end = self.body()?.statements.len();
            if let Some(Marker::Fork { parts, join, .. }) = self.unordered.notes.markers.get_mut(&fork.at) {
                (*parts, *join) = (fork.parts, end);
            }
        }
        Ok(())
    }

    /// Where the next event will be, to settle what comes from there on.
    pub fn now(&self) -> usize {
        self.body.as_ref().map_or(0, |body| body.statements.len())
    }

    /// A sequence point: the side effects of what was emitted from there on are done before what comes now.
    pub fn settle(&mut self, from: usize) -> Lowered<()> {
        if self.is_noted() {
            self.marker(Marker::Settle { from })?;
        }
        Ok(())
    }

    /// What the work emits is one event.
    pub fn at_once<T>(&mut self, work: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        if !self.is_noted() {
            return work(self);
        }
        let at = self.marker(Marker::Block { end: 0 })?;
        let done = work(self);
        let end = self.body()?.statements.len();
        self.unordered.notes.markers.split_off(&at);
        self.unordered.notes.markers.insert(at, Marker::Block { end });
        done
    }

    /// What an object holds becomes an event, so that the value is that of a moment.
    pub fn observed(&mut self, value: Value) -> Lowered<Value> {
        if !self.is_noted() {
            return Ok(value);
        }
        match value {
            Value::Scalar(e) => match self.terms.get(e).kind {
                ExpressionKind::Read(l) if !self.is_own(l) => Ok(Value::Scalar(self.saved(e)?)),
                _ => Ok(value),
            },
            Value::Record(l) if !self.is_own(l) => {
                let own = self.intermediate(self.terms.at(l).ty)?;
                self.at_once(|this| this.copy(own, l))?;
                Ok(Value::Record(own))
            }
            _ => Ok(value),
        }
    }

    /// Whether an lvalue is a part of an intermediate value.
    fn is_own(&self, l: LvalueId) -> bool {
        let variable = self.terms.variable_of(l).map(|id| &self.variables[id.0 as usize]);
        variable.is_some_and(|known| matches!(known.storage, Storage::Local(_)) && known.is_made_up)
    }

    /// Whether nothing but its name leads to a variable.
    pub fn is_private(&self, id: VariableId) -> bool {
        let variable = &self.variables[id.0 as usize];
        let Some(body) = &self.body else { return false };
        // Procedures inside others have locals that are not theirs.
        let own = variable.storage == Storage::Local(body.procedure);
        own && !variable.address_taken && !body.addressed.contains(&*variable.name)
    }

    /// What an object holds that is about to be updated, beside the right side of an operator or by itself: no call comes between
    /// this read and its write.
    pub fn old_value(&mut self, l: LvalueId, beside: Option<&Fork>) -> Lowered<Old> {
        let start = self.now();
        let value = match self.loaded(l)? {
            Value::Scalar(e) if self.is_read_of(e, l) => Value::Scalar(self.saved(e)?),
            other => other,
        };
        let at = match value {
            Value::Scalar(_) if self.now() > start => Some(self.now() - 1),
            _ => None,
        };
        if let Some(at) = at {
            let fork = beside.map(|fork| fork.at);
            self.unordered.notes.markers.insert(at, Marker::Old { fork });
        }
        Ok(Old { value, at })
    }

    fn is_read_of(&self, e: ExpressionId, l: LvalueId) -> bool {
        self.terms.get(e).kind == ExpressionKind::Read(l)
    }

    /// A side effect: `l = e` at some time before the next sequence point. The value of the assignment, if it is asked for: what was
    /// stored, or what is there afterwards. An update has read an old value.
    pub fn side_effect(&mut self, l: LvalueId, e: ExpressionId, old: Option<&Old>, asked: bool) -> Lowered<Value> {
        let ty = self.terms.at(l).ty;
        let stored = self.convert(e, ty)?;
        let float = self.now();
        self.emit(StatementKind::Assign(l, stored))?;
        self.unordered.notes.markers.insert(float, Marker::Float { old: old.and_then(|old| old.at) });
        if !asked {
            return Ok(Value::Void);
        }
        let value = self.intermediate(ty)?;
        let (at, again) = (self.now(), self.read(l));
        self.emit(StatementKind::Assign(value, stored))?;
        self.unordered.notes.markers.insert(at, Marker::Value { float, again });
        Ok(Value::Scalar(self.read(value)))
    }

    /// Whether the events of an assignment to an lvalue are a value and a side effect.
    pub fn is_side_effect(&self, l: LvalueId, value: Value) -> bool {
        let scalar = self.types.is_scalar(self.terms.at(l).ty);
        self.is_noted() && scalar && matches!(value, Value::Scalar(_)) && !self.is_stored_outside(l)
    }
}

/// Whether the parts of an expression have sequence points between them: each of them is a unit.
fn is_sequenced(node: &ast::Expression) -> bool {
    match node {
        ast::Expression::Conditional(_) | ast::Expression::Comma(_) | ast::Expression::Statement(_) => true,
        ast::Expression::BinaryOperator(binary) => {
            matches!(binary.node.operator.node, B::LogicalAnd | B::LogicalOr)
        }
        _ => false,
    }
}
