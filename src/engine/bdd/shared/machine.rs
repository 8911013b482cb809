//! Operations on nodes, one recursion for all of them, on a stack of its own: it may be as deep as there are levels, and stops at a limit.
//!
//! What Bryant calls *apply* (*Graph-based algorithms for Boolean function manipulation*, IEEE Transactions on Computers 1986), and the
//! relational product of Burch, Clarke and Long (1991), which here renames on the way.

use super::cache::Cache;
use super::store::{Full, Store};
use super::{BOTTOM, ITE, Id, TOP};
use crate::bdd::budget::Budget;
use crate::bdd::operation::Binary;
use crate::bdd::universe::{Columns, Moves};
use crate::limits::Stop;

/// Steps between two looks at the limits.
const CHUNK: u32 = 1 << 12;

/// What ends an operation before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Full,
    Stopped(Stop),
}

impl From<Full> for End {
    fn from(Full: Full) -> End {
        End::Full
    }
}

impl From<Stop> for End {
    fn from(stop: Stop) -> End {
        End::Stopped(stop)
    }
}

/// What two nodes come to: known at once, to be found by going down, or what another operation says.
enum Met {
    Is(Id),
    Open(Id, Id),
}

/// A binary operation.
trait Operation {
    /// Its number among all results.
    fn number(&self) -> u32;
    /// What is known of two nodes at once; else the two in the order in which they are remembered.
    fn met(&self, a: Id, b: Id) -> Met;
    /// What is known at a level from what one side came to.
    #[inline(always)]
    fn enough(&self, _level: u32, _side: Id) -> Option<Id> {
        None
    }
    /// What below this level is a conjunction and nothing else.
    #[inline(always)]
    fn is_conjunction_from(&self) -> u32 {
        u32::MAX
    }
    /// Both sides together.
    #[inline(always)]
    fn joined(&self, machine: &mut Machine<'_>, level: u32, low: Id, high: Id) -> Result<Id, End> {
        Ok(machine.store.made(level, low, high)?)
    }
}

struct And;
struct Or;
struct AndNot;
struct Iff;
struct Xor;
struct Not;
/// Whether one implies the other, as a constant.
struct Implies;

/// Does something with a binary operation by its name.
macro_rules! of_operation {
    ($named:expr, $operation:ident => $work:expr) => {
        match $named {
            Binary::And => {
                let $operation = &And;
                $work
            }
            Binary::Or => {
                let $operation = &Or;
                $work
            }
            Binary::AndNot => {
                let $operation = &AndNot;
                $work
            }
            Binary::Iff => {
                let $operation = &Iff;
                $work
            }
            Binary::Xor => {
                let $operation = &Xor;
                $work
            }
        }
    };
}

#[inline]
fn ordered(a: Id, b: Id) -> Met {
    Met::Open(a.min(b), a.max(b))
}

impl Operation for And {
    #[inline(always)]
    fn number(&self) -> u32 {
        1
    }
    #[inline(always)]
    fn met(&self, a: Id, b: Id) -> Met {
        match (a, b) {
            (BOTTOM, _) | (_, BOTTOM) => Met::Is(BOTTOM),
            (TOP, other) | (other, TOP) => Met::Is(other),
            _ if a == b => Met::Is(a),
            _ => ordered(a, b),
        }
    }
}

impl Operation for Or {
    #[inline(always)]
    fn number(&self) -> u32 {
        2
    }
    #[inline(always)]
    fn met(&self, a: Id, b: Id) -> Met {
        match (a, b) {
            (TOP, _) | (_, TOP) => Met::Is(TOP),
            (BOTTOM, other) | (other, BOTTOM) => Met::Is(other),
            _ if a == b => Met::Is(a),
            _ => ordered(a, b),
        }
    }
}

impl Operation for AndNot {
    #[inline(always)]
    fn number(&self) -> u32 {
        3
    }
    #[inline(always)]
    fn met(&self, a: Id, b: Id) -> Met {
        match (a, b) {
            (BOTTOM, _) | (_, TOP) => Met::Is(BOTTOM),
            (_, BOTTOM) => Met::Is(a),
            _ if a == b => Met::Is(BOTTOM),
            _ => Met::Open(a, b),
        }
    }
}

impl Operation for Iff {
    #[inline(always)]
    fn number(&self) -> u32 {
        4
    }
    #[inline(always)]
    fn met(&self, a: Id, b: Id) -> Met {
        match (a, b) {
            (TOP, other) | (other, TOP) => Met::Is(other),
            _ if a == b => Met::Is(TOP),
            _ => ordered(a, b),
        }
    }
}

impl Operation for Xor {
    #[inline(always)]
    fn number(&self) -> u32 {
        5
    }
    #[inline(always)]
    fn met(&self, a: Id, b: Id) -> Met {
        match (a, b) {
            (BOTTOM, other) | (other, BOTTOM) => Met::Is(other),
            _ if a == b => Met::Is(BOTTOM),
            _ => ordered(a, b),
        }
    }
}

/// Of one node, given twice.
impl Operation for Not {
    #[inline(always)]
    fn number(&self) -> u32 {
        6
    }
    #[inline(always)]
    fn met(&self, a: Id, b: Id) -> Met {
        match a {
            BOTTOM => Met::Is(TOP),
            TOP => Met::Is(BOTTOM),
            _ => Met::Open(a, b),
        }
    }
}

impl Operation for Implies {
    #[inline(always)]
    fn number(&self) -> u32 {
        7
    }
    #[inline(always)]
    fn met(&self, a: Id, b: Id) -> Met {
        match (a, b) {
            (BOTTOM, _) | (_, TOP) => Met::Is(TOP),
            _ if a == b => Met::Is(TOP),
            (TOP, BOTTOM) => Met::Is(BOTTOM),
            _ => Met::Open(a, b),
        }
    }
    #[inline(always)]
    fn enough(&self, _: u32, side: Id) -> Option<Id> {
        (side == BOTTOM).then_some(BOTTOM)
    }
    #[inline(always)]
    fn joined(&self, _: &mut Machine<'_>, _: u32, low: Id, high: Id) -> Result<Id, End> {
        Ok(low.min(high))
    }
}

/// (∃ gone. a ∧ b)\[renaming\] in one pass; a single relation is given twice.
///
/// Where the renaming does not keep the order of what two sides came to, their levels are put in again by a decision: that is right, too, and hardly
/// ever needed.
#[derive(Debug)]
pub(super) struct Product {
    number: u32,
    /// For each level that it goes to, or [`GONE`].
    to: Vec<u32>,
    /// From this level on nothing is gone and nothing moves.
    until: u32,
}

/// The level is quantified.
const GONE: u32 = u32::MAX;

/// The products have the numbers from here on.
pub(super) const PRODUCTS: u32 = 16;

impl Product {
    pub(super) fn new(number: u32, gone: &Columns, moves: &Moves) -> Product {
        let mut to = moves.target.clone();
        gone.levels.iter().for_each(|&level| to[level as usize] = GONE);
        let until = (0..to.len() as u32).rev().find(|&level| to[level as usize] != level).map_or(0, |last| last + 1);
        Product { number, to, until }
    }
}

impl Operation for Product {
    #[inline(always)]
    fn number(&self) -> u32 {
        self.number
    }
    #[inline(always)]
    fn met(&self, a: Id, b: Id) -> Met {
        match (a, b) {
            (BOTTOM, _) | (_, BOTTOM) => Met::Is(BOTTOM),
            (TOP, TOP) => Met::Is(TOP),
            (TOP, other) | (other, TOP) => Met::Open(other, other),
            _ => ordered(a, b),
        }
    }
    #[inline(always)]
    fn enough(&self, level: u32, side: Id) -> Option<Id> {
        (side == TOP && self.to[level as usize] == GONE).then_some(TOP)
    }
    #[inline(always)]
    fn is_conjunction_from(&self) -> u32 {
        self.until
    }
    #[inline(always)]
    fn joined(&self, machine: &mut Machine<'_>, level: u32, low: Id, high: Id) -> Result<Id, End> {
        let to = self.to[level as usize];
        if to == GONE {
            return machine.run(&Or, low, high);
        }
        let store = &mut machine.store;
        if to == level || to < store.level(low) && to < store.level(high) {
            return Ok(store.made(to, low, high)?);
        }
        machine.chosen(to, low, high)
    }
}

/// Two nodes that have to be gone down from, and where what they come to is remembered.
#[derive(Clone, Copy)]
pub(super) struct Question {
    a: Id,
    b: Id,
    hash: u32,
}

/// An open step: what is asked, at which level, what the low side came to, and what is to be asked on the high side.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    asked: Question,
    level: u32,
    low: Id,
    high: (Id, Id),
}

/// What two nodes come to, if that is known without going down.
#[inline(always)]
fn known<O: Operation>(cache: &Cache, operation: &O, a: Id, b: Id) -> Result<Id, Question> {
    match operation.met(a, b) {
        Met::Is(id) => Ok(id),
        Met::Open(a, b) => {
            let hash = Cache::hash(operation.number(), a, b);
            cache.get(hash, operation.number(), a, b).ok_or(Question { a, b, hash })
        }
    }
}

/// What a binary operation comes to, if that is known without going down; else what is to be answered.
#[inline]
pub(super) fn remembered(cache: &Cache, operation: Binary, a: Id, b: Id) -> Result<Id, Question> {
    of_operation!(operation, operation => known(cache, operation, a, b))
}

/// The same of a product.
#[inline]
pub(super) fn remembered_product(cache: &Cache, product: &Product, a: Id, b: Id) -> Result<Id, Question> {
    known(cache, product, a, b)
}

/// The low side is not known yet.
const OPEN: Id = Id::MAX;

/// A store at work.
pub(super) struct Machine<'a> {
    pub(super) store: &'a mut Store,
    pub(super) budget: &'a Budget,
    frames: &'a mut Vec<Frame>,
    left: u32,
    /// Steps up to the last look.
    steps: usize,
}

impl<'a> Machine<'a> {
    /// With room for open steps.
    pub(super) fn new(store: &'a mut Store, frames: &'a mut Vec<Frame>, budget: &'a Budget) -> Self {
        frames.clear();
        Machine { store, budget, frames, left: CHUNK, steps: 0 }
    }

    /// What a binary operation comes to that was not known.
    pub(super) fn binary(&mut self, operation: Binary, question: Question) -> Result<Id, End> {
        of_operation!(operation, operation => self.answer(operation, question))
    }

    pub(super) fn not(&mut self, a: Id) -> Result<Id, End> {
        self.run(&Not, a, a)
    }

    /// Whether a implies b: ⊤ or ⊥.
    pub(super) fn implies(&mut self, a: Id, b: Id) -> Result<Id, End> {
        self.run(&Implies, a, b)
    }

    /// What a product comes to that was not known.
    pub(super) fn product(&mut self, product: &Product, question: Question) -> Result<Id, End> {
        self.answer(product, question)
    }

    /// One of two relations, by a level that may stand anywhere in them.
    fn chosen(&mut self, level: u32, low: Id, high: Id) -> Result<Id, End> {
        let [no, yes] = [self.store.made(level, TOP, BOTTOM)?, self.store.made(level, BOTTOM, TOP)?];
        let [low, high] = [self.run(&And, no, low)?, self.run(&And, yes, high)?];
        self.run(&Or, low, high)
    }

    /// Counts a step. After so many of them it is looked whether limits allow more, and more results are remembered.
    #[inline(always)]
    fn step(&mut self) -> Result<(), Stop> {
        self.left -= 1;
        if self.left == 0 { self.look() } else { Ok(()) }
    }

    #[cold]
    fn look(&mut self) -> Result<(), Stop> {
        self.left = CHUNK;
        self.steps += CHUNK as usize;
        self.store.cache.hold(self.steps / 4);
        self.budget.charge(CHUNK.into())?;
        self.budget.check()
    }

    /// Steps since the last look.
    pub(super) fn taken(&self) -> u64 {
        (CHUNK - self.left).into()
    }

    #[inline(always)]
    fn known<O: Operation>(&self, operation: &O, a: Id, b: Id) -> Result<Id, Question> {
        known(&self.store.cache, operation, a, b)
    }

    #[inline(always)]
    fn run<O: Operation>(&mut self, operation: &O, a: Id, b: Id) -> Result<Id, End> {
        match self.known(operation, a, b) {
            Ok(id) => Ok(id),
            Err(question) => self.answer(operation, question),
        }
    }

    fn answer<O: Operation>(&mut self, operation: &O, mut asked: Question) -> Result<Id, End> {
        let base = self.frames.len();
        loop {
            self.step()?;
            let Question { a, b, .. } = asked;
            let (p, q) = (self.store.node(a), self.store.node(b));
            let level = p.level.min(q.level);
            let mut result = if level >= operation.is_conjunction_from() {
                let result = self.run(&And, a, b)?;
                self.remember(operation, asked, result);
                result
            } else {
                let (low_a, high_a) = if p.level == level { (p.low, p.high) } else { (a, a) };
                let (low_b, high_b) = if q.level == level { (q.low, q.high) } else { (b, b) };
                let high = (high_a, high_b);
                match self.known(operation, low_a, low_b) {
                    Err(question) => {
                        self.frames.push(Frame { asked, level, low: OPEN, high });
                        asked = question;
                        continue;
                    }
                    Ok(low) => match self.above(operation, Frame { asked, level, low, high })? {
                        Ok(result) => result,
                        Err(question) => {
                            self.frames.push(Frame { asked, level, low, high });
                            asked = question;
                            continue;
                        }
                    },
                }
            };
            loop {
                if self.frames.len() == base {
                    return Ok(result);
                }
                let last = self.frames.len() - 1;
                let frame = &mut self.frames[last];
                if frame.low == OPEN {
                    frame.low = result;
                    let frame = *frame;
                    match self.above(operation, frame)? {
                        Ok(known) => result = known,
                        Err(question) => {
                            asked = question;
                            break;
                        }
                    }
                } else {
                    let Frame { asked, level, low, .. } = *frame;
                    result = operation.joined(self, level, low, result)?;
                    self.remember(operation, asked, result);
                }
                self.frames.truncate(last);
            }
        }
    }

    /// What a step comes to whose low side is known, if that is known without going down; else what is asked on the high side.
    #[inline(always)]
    fn above<O: Operation>(&mut self, operation: &O, frame: Frame) -> Result<Result<Id, Question>, End> {
        let Frame { asked, level, low, high } = frame;
        let result = match operation.enough(level, low) {
            Some(known) => known,
            None => match self.known(operation, high.0, high.1) {
                Ok(high) => operation.joined(self, level, low, high)?,
                Err(question) => return Ok(Err(question)),
            },
        };
        self.remember(operation, asked, result);
        Ok(Ok(result))
    }

    #[inline(always)]
    fn remember<O: Operation>(&mut self, operation: &O, asked: Question, result: Id) {
        self.store.cache.put(asked.hash, [operation.number(), asked.a, asked.b, result]);
    }

    /// (c ∧ a) ∨ (¬c ∧ b)
    pub(super) fn ite(&mut self, c: Id, a: Id, b: Id) -> Result<Id, End> {
        let mut open = vec![([c, a, b], None)];
        let mut result = BOTTOM;
        let mut is_known = false;
        while let Some(&([c, a, b], low)) = open.last() {
            let level = [c, a, b].map(|id| self.store.level(id)).into_iter().min().unwrap_or_default();
            let side = |machine: &Self, is_high: bool| {
                [c, a, b].map(|id| {
                    let node = machine.store.node(id);
                    if node.level != level {
                        id
                    } else if is_high {
                        node.high
                    } else {
                        node.low
                    }
                })
            };
            result = match (std::mem::take(&mut is_known), low) {
                (true, None) => {
                    let high = side(self, true);
                    open.last_mut().expect("it was there").1 = Some(result);
                    open.push((high, None));
                    continue;
                }
                (true, Some(low)) => {
                    let made = self.store.made(level, low, result)?;
                    self.store.cache.put(Cache::hash(ITE | c, a, b), [ITE | c, a, b, made]);
                    made
                }
                (false, _) => match (c, a, b) {
                    (TOP, a, _) => a,
                    (BOTTOM, _, b) => b,
                    _ if a == b => a,
                    (c, TOP, BOTTOM) => c,
                    (c, BOTTOM, TOP) => self.run(&Not, c, c)?,
                    (c, a, BOTTOM) => self.run(&And, c, a)?,
                    (c, TOP, b) => self.run(&Or, c, b)?,
                    (c, BOTTOM, b) => self.run(&AndNot, b, c)?,
                    _ => match self.store.cache.get(Cache::hash(ITE | c, a, b), ITE | c, a, b) {
                        Some(known) => known,
                        None => {
                            self.step()?;
                            let low = side(self, false);
                            open.push((low, None));
                            continue;
                        }
                    },
                },
            };
            is_known = true;
            open.pop();
        }
        Ok(result)
    }
}
