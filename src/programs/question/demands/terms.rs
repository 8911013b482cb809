//! Demands as statements and terms: texts that end, bytes that are there.

use super::Writer;
use crate::c::edit;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::library::contracts::{Access, Null};
use crate::c::program::{Label, Reason, ReasonId, StatementKind, Storage, VariableId};
use crate::c::texts::variable_at;
use crate::c::types::{Rank, Type, TypeId};

/// How long a text is.
pub(super) enum Long {
    /// So many bytes.
    Known(u64),
    /// As many as this number says.
    Counted(ExpressionId),
}

impl Writer {
    pub(super) fn push(&mut self, kind: StatementKind) {
        self.body.push(kind, self.place);
    }

    pub(super) fn evaluate(&mut self, e: ExpressionId) {
        let ty = self.ty(e);
        let to = edit::local(&mut self.program, self.procedure, ".looked at", ty);
        self.push(StatementKind::Assign(to, e));
    }

    /// What is demanded unless a pointer is NULL, if it may be.
    pub(super) fn unless_null(&mut self, pointer: ExpressionId, null: Null, demand: impl FnOnce(&mut Self)) {
        if self.is_null(pointer) && null == Null::Allowed {
            return;
        }
        if !self.is_pointer(pointer) {
            self.rest = true;
            return;
        }
        let is_there = self.variable_at(pointer).is_some();
        if null == Null::Refused || is_there {
            return demand(self);
        }
        let zero = self.program.terms.expression(ExpressionKind::Constant(0), self.ty(pointer));
        let there = self.compared(Binary::Unequal, pointer, zero);
        let branch = self.branch(there);
        demand(self);
        self.otherwise(branch);
    }

    /// What comes now is done only where a condition holds.
    pub(super) fn branch(&mut self, condition: ExpressionId) -> Label {
        let next = self.body.next();
        self.body.push(StatementKind::Branch(condition, Label(next.0 + 1), next), self.place)
    }

    /// That was all.
    pub(super) fn otherwise(&mut self, branch: Label) {
        let end = self.body.next();
        if let StatementKind::Branch(_, _, no) = &mut self.body.statements[branch.0 as usize].kind {
            *no = end;
        }
        // There is always something behind.
        self.push(StatementKind::Skip);
    }

    pub(super) fn stream(&mut self, at: usize) {
        let Some(&stream) = self.arguments.get(at) else {
            self.rest = true;
            return;
        };
        if let ExpressionKind::Read(l) = self.program.terms.get(stream).kind
            && let LvalueKind::Variable(id) = self.program.terms.at(l).kind
            && self.streams.contains(&id)
        {
            return;
        }
        if !self.is_pointer(stream) {
            self.rest = true;
            return;
        }
        self.open_streams = true;
        let zero = self.program.terms.expression(ExpressionKind::Constant(0), self.ty(stream));
        let null = self.compared(Binary::Equal, stream, zero);
        let branch = self.branch(null);
        let char = self.program.types.integer(Rank::Char, true);
        let to = self.program.types.pointer(char);
        let nowhere = self.program.terms.expression(ExpressionKind::Constant(0), to);
        self.touch(nowhere, Access::Read);
        self.otherwise(branch);
    }

    /// A byte is read, or written to, without being changed.
    pub(super) fn touch(&mut self, at: ExpressionId, access: Access) {
        let char = self.program.types.integer(Rank::Char, true);
        match access {
            Access::Read => {
                let byte = self.program.terms.lvalue(LvalueKind::Deref(at), char);
                let value = self.read(byte);
                self.evaluate(value);
            }
            Access::Write => {
                // Whatever is in it stays there, also if it has no value.
                let byte = self.program.types.intern(Type::Array(char, 1));
                let pointer = self.program.types.pointer(byte);
                let at = self.program.terms.expression(ExpressionKind::Convert(at), pointer);
                let byte = self.program.terms.lvalue(LvalueKind::Deref(at), byte);
                let same = self.read(byte);
                let reason = self.reason("what is written there");
                self.push(StatementKind::Havoc(byte, reason, Some(same)));
            }
        }
    }

    pub(super) fn reason(&mut self, what: &str) -> ReasonId {
        let reason = Reason { what: what.into(), place: self.place };
        if self.program.reasons.last() != Some(&reason) {
            self.program.reasons.push(reason);
        }
        ReasonId(self.program.reasons.len() as u32 - 1)
    }

    /// So many bytes are there.
    pub(super) fn bytes(&mut self, pointer: ExpressionId, size: ExpressionId, access: Access) {
        let known = self.constant(size);
        if known == Some(0) || known.is_some_and(|size| self.is_there(pointer, size)) {
            return;
        }
        if !self.is_pointer(pointer) {
            self.rest = true;
            return;
        }
        let zero = self.number(0);
        let branch = match known {
            None => {
                let some = self.compared(Binary::Unequal, size, zero);
                Some(self.branch(some))
            }
            Some(_) => None,
        };
        let first = self.at(pointer, zero);
        self.touch(first, access);
        if known != Some(1) {
            let one = self.number(1);
            let last = self.arithmetic(Binary::Subtract, size, one);
            let last = self.at(pointer, last);
            self.touch(last, access);
        }
        if let Some(branch) = branch {
            self.otherwise(branch);
        }
    }

    /// A text whose length nobody asks for.
    pub(super) fn text_alone(&mut self, text: ExpressionId) {
        if self.known_text(text).is_none() && self.longest(text).is_some() {
            return self.begins(text);
        }
        self.text(text, None);
    }

    /// There is a first byte.
    pub(super) fn begins(&mut self, text: ExpressionId) {
        let zero = self.number(0);
        let first = self.at(text, zero);
        self.touch(first, Access::Read);
    }

    /// How long a text is at most, if a pointer leads to constants that have an end, or to no object at all.
    pub(super) fn longest(&self, pointer: ExpressionId) -> Option<u64> {
        let points_to = self.analyses.points_to();
        let targets = points_to.value(&self.program, pointer);
        let mut longest = None;
        for location in &targets {
            let text = points_to.objects.as_variable(location.object)?;
            longest = longest.max(Some(self.texts.longest(text)?));
        }
        longest
    }

    /// A text, of which so many bytes matter; how long it is.
    pub(super) fn text(&mut self, text: ExpressionId, most: Option<ExpressionId>) -> Long {
        if let Some(known) = self.known_text(text) {
            let length = known.len() as u64;
            match most.map(|most| self.constant(most)) {
                None => return Long::Known(length),
                Some(Some(most)) => return Long::Known(length.min(most)),
                Some(None) => {}
            }
        }
        if !self.is_pointer(text) {
            self.rest = true;
            return Long::Known(0);
        }
        let size = self.program.types.size_type();
        let count = edit::local(&mut self.program, self.procedure, ".length", size);
        let (zero, one, counted) = (self.number(0), self.number(1), self.read(count));
        self.push(StatementKind::Assign(count, zero));
        let begin = self.body.next();
        let limit = most.map(|most| {
            let more = self.compared(Binary::Less, counted, most);
            self.branch(more)
        });
        let at = self.at(text, counted);
        let char = self.program.types.integer(Rank::Char, true);
        let byte = self.program.terms.lvalue(LvalueKind::Deref(at), char);
        let byte = self.read(byte);
        let end = self.branch(byte);
        let next = self.arithmetic(Binary::Add, counted, one);
        self.push(StatementKind::Assign(count, next));
        self.push(StatementKind::Goto(begin));
        self.otherwise(end);
        if let Some(limit) = limit {
            self.otherwise(limit);
        }
        Long::Counted(counted)
    }

    pub(super) fn ty(&self, e: ExpressionId) -> TypeId {
        self.program.terms.get(e).ty
    }

    pub(super) fn read(&mut self, l: LvalueId) -> ExpressionId {
        let ty = self.program.terms.at(l).ty;
        self.program.terms.expression(ExpressionKind::Read(l), ty)
    }

    pub(super) fn is_pointer(&self, e: ExpressionId) -> bool {
        self.program.types.pointee(self.ty(e)).is_some()
    }

    pub(super) fn is_signed(&self, e: ExpressionId) -> bool {
        self.program.types.as_integer(self.ty(e)).is_some_and(|integer| integer.signed)
    }

    pub(super) fn is_null(&self, e: ExpressionId) -> bool {
        self.is_pointer(e) && self.program.terms.get(e).kind == ExpressionKind::Constant(0)
    }

    /// A number of bytes.
    pub(super) fn number(&mut self, number: u64) -> ExpressionId {
        let size = self.program.types.size_type();
        self.program.terms.expression(ExpressionKind::Constant(number.into()), size)
    }

    pub(super) fn constant(&self, e: ExpressionId) -> Option<u64> {
        match self.program.terms.get(e).kind {
            ExpressionKind::Constant(bits) => u64::try_from(bits).ok(),
            _ => None,
        }
    }

    /// An integer as a number of bytes.
    pub(super) fn size(&mut self, e: ExpressionId) -> Option<ExpressionId> {
        let from = self.program.types.as_integer(self.ty(e))?;
        let size = self.program.types.size_type();
        if self.ty(e) == size {
            return Some(e);
        }
        if let ExpressionKind::Constant(bits) = self.program.terms.get(e).kind {
            let bits = from.number(bits) as u128 & self.program.types.as_integer(size)?.mask();
            return Some(self.program.terms.expression(ExpressionKind::Constant(bits), size));
        }
        Some(self.program.terms.expression(ExpressionKind::Convert(e), size))
    }

    pub(super) fn arithmetic(&mut self, op: Binary, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        let size = self.program.types.size_type();
        if let (Some(a), Some(b)) = (self.constant(a), self.constant(b)) {
            let known = match op {
                Binary::Add => a.checked_add(b),
                Binary::Subtract => a.checked_sub(b),
                Binary::Multiply => a.checked_mul(b),
                _ => None,
            };
            if let Some(known) = known {
                return self.number(known);
            }
        }
        self.program.terms.expression(ExpressionKind::Binary(op, a, b), size)
    }

    pub(super) fn compared(&mut self, op: Binary, a: ExpressionId, b: ExpressionId) -> ExpressionId {
        let int = self.program.types.int();
        self.program.terms.expression(ExpressionKind::Binary(op, a, b), int)
    }

    /// A byte so far behind where a pointer points.
    pub(super) fn at(&mut self, pointer: ExpressionId, offset: ExpressionId) -> ExpressionId {
        let char = self.program.types.integer(Rank::Char, true);
        let bytes = self.program.types.pointer(char);
        let pointer = if self.ty(pointer) == bytes {
            pointer
        } else {
            match self.program.terms.get(pointer).kind {
                ExpressionKind::Constant(0) => self.program.terms.expression(ExpressionKind::Constant(0), bytes),
                _ => self.program.terms.expression(ExpressionKind::Convert(pointer), bytes),
            }
        };
        match self.constant(offset) {
            Some(0) => pointer,
            _ => self.program.terms.expression(ExpressionKind::Offset(pointer, offset), bytes),
        }
    }

    /// The variable to which a pointer points, and how many bytes of it there are from there on.
    pub(super) fn variable_at(&self, pointer: ExpressionId) -> Option<(VariableId, u64, u64)> {
        variable_at(&self.program, pointer)
    }

    /// Whether a pointer plainly points to so many bytes that may be written to.
    pub(super) fn is_there(&self, pointer: ExpressionId, size: u64) -> bool {
        let found = self.variable_at(pointer);
        found.is_some_and(|(id, _, rest)| rest >= size && self.program.variable(id).storage != Storage::Constant)
    }

    /// The bytes of a constant text.
    pub(super) fn known_text(&self, pointer: ExpressionId) -> Option<&[u8]> {
        self.texts.known(&self.program, pointer)
    }
}
