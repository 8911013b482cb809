//! When what a statement uses goes wrong, as conditions in C on the state before it: of a pointer, that it is NULL; of an index, that its
//! array has no such element; of arithmetic, that it has no result.
//!
//! A pointer is used where what it points to is read or written or called, where the address of a member behind it is computed, and
//! where a number is added to it: each is undefined for NULL (C11 §6.5.3.2, §6.5.6), and only so is what they lead to not NULL. An index is one
//! of an array whose length the type says; where a pointer that is moved leads is asked about if it is told how many elements there are
//! ([`elements`]), and the last array of an object behind a pointer may be longer than its type says if that says no more than one.

use crate::c::elements;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term, Unary};
use crate::c::meaning::Kind;
use crate::c::program::{Callee, Program, StatementKind};
use crate::c::types::{Integer, Rank, Type, TypeId};

/// What can go wrong where something is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needed {
    /// How.
    pub kind: Kind,
    /// Of what.
    pub subject: Term,
    /// It does where all conditions of one of these are true, one after the other.
    pub wrong: Vec<Vec<ExpressionId>>,
}

/// What a statement does with something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Used {
    /// It can go wrong.
    Needed(Needed),
    /// A pointer was made by moving one that has an object, and has one itself.
    Moved(ExpressionId),
}

/// What a statement uses, parts before wholes. Linear in its terms.
pub fn used(program: &mut Program, kind: &StatementKind) -> Vec<Used> {
    let mut this = Walk { program, used: Vec::new() };
    let called = match kind {
        StatementKind::Call(_, Callee::Pointer(pointer), _) => Some(*pointer),
        _ => None,
    };
    for (at, root) in kind.operands().into_iter().enumerate() {
        this.within(Term::Expression(root));
        if at == 0 && called == Some(root) {
            this.needed(root);
        }
    }
    if let Some(to) = kind.target() {
        this.within(Term::Lvalue(to));
        this.accessed(to, false);
    }
    this.used
}

struct Walk<'p> {
    program: &'p mut Program,
    used: Vec<Used>,
}

impl Walk<'_> {
    fn within(&mut self, root: Term) {
        for term in self.program.terms.postorder(root) {
            let Term::Expression(id) = term else { continue };
            match self.program.terms.get(id).kind.clone() {
                ExpressionKind::Read(lvalue) => self.accessed(lvalue, false),
                ExpressionKind::AddressOf(lvalue) => {
                    if matches!(self.program.terms.at(lvalue).kind, LvalueKind::Deref(_)) {
                        continue;
                    }
                    let before = self.used.len();
                    self.accessed(lvalue, true);
                    if self.used[before..]
                        .iter()
                        .any(|used| matches!(used, Used::Needed(Needed { kind: Kind::Null, .. })))
                    {
                        self.used.push(Used::Moved(id));
                    }
                }
                ExpressionKind::Offset(pointer, _) => {
                    self.needed(pointer);
                    self.used.push(Used::Moved(id));
                }
                ExpressionKind::Unary(Unary::Negate, a) => self.negated(id, a),
                ExpressionKind::Binary(op, a, b) => self.computed(id, op, (a, b)),
                _ => {}
            }
        }
    }

    /// The pointer through which an lvalue is accessed, and the indices on the way; whether only its address is asked for, which there is of what
    /// is just behind an array, too.
    fn accessed(&mut self, lvalue: LvalueId, is_address: bool) {
        let (mut at, mut indices, mut is_behind) = (lvalue, Vec::new(), false);
        loop {
            match self.program.terms.at(at).kind {
                LvalueKind::Variable(_) => break,
                LvalueKind::Field(of, _) => at = of,
                LvalueKind::Element(of, index) => {
                    if let Type::Array(_, length @ 1..) = *self.program.types.get(self.program.terms.at(of).ty) {
                        indices.push((at, index, length, is_address && at == lvalue));
                    }
                    at = of;
                }
                LvalueKind::Deref(pointer) => {
                    self.needed(pointer);
                    if !is_address && let Some(wrong) = elements::wrong(self.program, pointer) {
                        self.ask(Kind::Bounds, Term::Lvalue(at), wrong);
                    }
                    is_behind = true;
                    break;
                }
            }
        }
        for (element, index, length, is_address) in indices.into_iter().rev() {
            if length > 1 || !is_behind {
                self.indexed(element, index, length + u64::from(is_address));
            }
        }
    }

    /// An index has to be less than that.
    fn indexed(&mut self, element: LvalueId, index: ExpressionId, length: u64) {
        let Some((ty, integer)) = self.integer(index) else { return };
        let length = i128::from(length);
        if self.number(index).is_some_and(|at| (0..length).contains(&at)) {
            return;
        }
        let mut wrong = Vec::new();
        if integer.signed {
            wrong.push(vec![self.compared(Binary::Less, index, 0, ty)]);
        }
        if length <= greatest(integer) {
            wrong.push(vec![self.compared(Binary::GreaterEqual, index, length, ty)]);
        }
        self.ask(Kind::Bounds, Term::Lvalue(element), wrong);
    }

    /// The use of a pointer, unless it cannot be NULL by the way it is made.
    fn needed(&mut self, mut pointer: ExpressionId) {
        loop {
            pointer = stripped(self.program, pointer);
            let ExpressionKind::AddressOf(lvalue) = self.program.terms.get(pointer).kind else { break };
            let LvalueKind::Deref(of) = self.program.terms.at(lvalue).kind else { return };
            pointer = of;
        }
        // It was asked about where it was moved.
        if !matches!(self.program.terms.get(pointer).kind, ExpressionKind::Offset(..) | ExpressionKind::Procedure(_)) {
            let wrong = vec![vec![null_test(self.program, pointer)]];
            self.ask(Kind::Null, Term::Expression(pointer), wrong);
        }
    }

    fn ask(&mut self, kind: Kind, subject: Term, wrong: Vec<Vec<ExpressionId>>) {
        if !wrong.is_empty() {
            self.used.push(Used::Needed(Needed { kind, subject, wrong }));
        }
    }

    fn negated(&mut self, id: ExpressionId, a: ExpressionId) {
        if let Some((ty, integer)) = self.integer(a).filter(|(_, integer)| integer.signed) {
            let least = self.compared(Binary::Equal, a, integer.least(), ty);
            self.ask(Kind::Overflow, Term::Expression(id), vec![vec![least]]);
        }
    }

    fn computed(&mut self, id: ExpressionId, op: Binary, (a, b): (ExpressionId, ExpressionId)) {
        let (Some((left, integer)), Some((right, _))) = (self.integer(a), self.integer(b)) else { return };
        let subject = Term::Expression(id);
        match op {
            Binary::Add | Binary::Subtract | Binary::Multiply if integer.signed => {
                let wrong = self.overflows(op, a, b, (left, integer));
                self.ask(Kind::Overflow, subject, wrong);
            }
            Binary::Divide | Binary::Remainder => {
                let by = self.number(b);
                if by.is_none_or(|by| by == 0) {
                    let zero = self.compared(Binary::Equal, b, 0, right);
                    self.ask(Kind::Division, subject, vec![vec![zero]]);
                }
                if integer.signed && by.is_none_or(|by| by == -1) {
                    let least = self.compared(Binary::Equal, a, integer.least(), left);
                    let one = self.compared(Binary::Equal, b, -1, right);
                    self.ask(Kind::Overflow, subject, vec![vec![least, one]]);
                }
            }
            Binary::ShiftLeft | Binary::ShiftRight => {
                let wrong = self.shifted(b, integer.width);
                self.ask(Kind::Shift, subject, wrong);
                if integer.signed && op == Binary::ShiftLeft {
                    let negative = self.compared(Binary::Less, a, 0, left);
                    let most = self.constant(greatest(integer), left);
                    let most = self.program.terms.expression(ExpressionKind::Binary(Binary::ShiftRight, most, b), left);
                    let large = self.truth(Binary::Greater, a, most);
                    self.ask(Kind::Overflow, subject, vec![vec![negative], vec![large]]);
                }
            }
            Binary::Length => {
                let none = self.compared(Binary::Equal, a, 0, left);
                let many = self.truth(Binary::Greater, a, b);
                self.ask(Kind::Bounds, subject, vec![vec![none], vec![many]]);
            }
            _ => {}
        }
    }

    /// When a number is none by which a value of so many bits is shifted.
    fn shifted(&mut self, by: ExpressionId, width: u32) -> Vec<Vec<ExpressionId>> {
        let (Some((ty, integer)), width) = (self.integer(by), i128::from(width)) else { return Vec::new() };
        if self.number(by).is_some_and(|by| (0..width).contains(&by)) {
            return Vec::new();
        }
        let mut wrong = Vec::new();
        if integer.signed {
            wrong.push(vec![self.compared(Binary::Less, by, 0, ty)]);
        }
        if width <= greatest(integer) {
            wrong.push(vec![self.compared(Binary::GreaterEqual, by, width, ty)]);
        }
        wrong
    }

    /// When a sum, a difference or a product of signed numbers leaves its type: a comparison if one of them is known, otherwise in a type that
    /// is wide enough; where there is none, nobody knows when, see [`is_unasked`].
    fn overflows(
        &mut self,
        op: Binary,
        a: ExpressionId,
        b: ExpressionId,
        (ty, integer): (TypeId, Integer),
    ) -> Vec<Vec<ExpressionId>> {
        let (least, most) = (integer.least(), greatest(integer));
        let known = match (op, self.number(a), self.number(b)) {
            (Binary::Add | Binary::Multiply, Some(by), _) => Some((b, by)),
            (_, _, Some(by)) => Some((a, by)),
            _ => None,
        };
        if let Some((of, by)) = known {
            // Those less than the first, and those greater than the second.
            let (low, high) = match op {
                Binary::Add if by >= 0 => (None, Some(most - by)),
                Binary::Add => (Some(least - by), None),
                Binary::Subtract if by >= 0 => (Some(least + by), None),
                Binary::Subtract => (None, Some(most + by)),
                _ if by > 1 => (Some(least / by), Some(most / by)),
                _ if by == -1 => (Some(-most), None),
                _ if by < -1 => (Some(most / by), Some(least / by)),
                _ => (None, None),
            };
            let low = low.filter(|low| *low > least).map(|low| self.compared(Binary::Less, of, low, ty));
            let high = high.filter(|high| *high < most).map(|high| self.compared(Binary::Greater, of, high, ty));
            return low.into_iter().chain(high).map(|one| vec![one]).collect();
        }
        let Some(wide) = wider(self.program, op, integer) else { return Vec::new() };
        let [a, b] = [a, b].map(|of| self.program.terms.expression(ExpressionKind::Convert(of), wide));
        let exact = self.program.terms.expression(ExpressionKind::Binary(op, a, b), wide);
        let large = self.compared(Binary::Greater, exact, most, wide);
        let small = self.compared(Binary::Less, exact, least, wide);
        vec![vec![large], vec![small]]
    }

    fn integer(&self, of: ExpressionId) -> Option<(TypeId, Integer)> {
        let ty = self.program.terms.get(of).ty;
        Some((ty, self.program.types.as_integer(ty)?))
    }

    /// The number, if it is a constant.
    fn number(&self, of: ExpressionId) -> Option<i128> {
        let (_, integer) = self.integer(of)?;
        match self.program.terms.get(of).kind {
            ExpressionKind::Constant(bits) => Some(integer.number(bits)),
            _ => None,
        }
    }

    fn constant(&mut self, number: i128, ty: TypeId) -> ExpressionId {
        let mask = self.program.types.as_integer(ty).map_or(u128::MAX, Integer::mask);
        self.program.terms.expression(ExpressionKind::Constant(number as u128 & mask), ty)
    }

    fn compared(&mut self, op: Binary, of: ExpressionId, with: i128, ty: TypeId) -> ExpressionId {
        let with = self.constant(with, ty);
        self.truth(op, of, with)
    }

    fn truth(&mut self, op: Binary, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        let int = self.program.types.int();
        self.program.terms.expression(ExpressionKind::Binary(op, a, b), int)
    }
}

/// The greatest number of a type, or the greatest that is asked for.
fn greatest(integer: Integer) -> i128 {
    match (integer.signed, integer.width) {
        (true, _) => -(integer.least() + 1),
        (false, 127..) => i128::MAX,
        (false, width) => (1 << width) - 1,
    }
}

/// A type in which the result is exact.
fn wider(program: &mut Program, op: Binary, integer: Integer) -> Option<TypeId> {
    let enough = if op == Binary::Multiply { 2 * integer.width } else { integer.width + 1 };
    let ranks = [Rank::Short, Rank::Int, Rank::Long, Rank::LongLong, Rank::Int128];
    let rank = ranks.into_iter().find(|rank| program.types.model.width(*rank) >= enough)?;
    Some(program.types.integer(rank, true))
}

/// Whether something of a kind in a statement cannot be asked about: there is no type in which its result is exact. Linear in its terms.
pub fn is_unasked(program: &Program, kind: &StatementKind) -> bool {
    let widest = |e: ExpressionId| {
        let integer = program.types.as_integer(program.terms.get(e).ty);
        integer.is_some_and(|integer| integer.signed && integer.width >= 128)
    };
    let is_constant = |e: ExpressionId| matches!(program.terms.get(e).kind, ExpressionKind::Constant(_));
    kind.terms().flat_map(|root| program.terms.postorder(root)).any(|term| match term {
        Term::Expression(id) => match program.terms.get(id).kind {
            ExpressionKind::Binary(Binary::Add | Binary::Subtract | Binary::Multiply, a, b) => {
                widest(a) && !is_constant(a) && !is_constant(b)
            }
            _ => false,
        },
        Term::Lvalue(_) => false,
    })
}

/// A pointer without the conversions that do not change it.
pub fn stripped(program: &Program, mut pointer: ExpressionId) -> ExpressionId {
    while let ExpressionKind::Convert(of) = program.terms.get(pointer).kind {
        if program.types.pointee(program.terms.get(of).ty).is_none() {
            break;
        }
        pointer = of;
    }
    pointer
}

/// `pointer == NULL`
pub fn null_test(program: &mut Program, pointer: ExpressionId) -> ExpressionId {
    let pointer = stripped(program, pointer);
    let ty = program.terms.get(pointer).ty;
    let zero = program.terms.expression(ExpressionKind::Constant(0), ty);
    let int = program.types.int();
    program.terms.expression(ExpressionKind::Binary(Binary::Equal, pointer, zero), int)
}
