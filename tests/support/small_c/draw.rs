//! Draws programs.

use fastrand::Rng;

use super::{Condition, Kind, Lvalue, Number, Procedure, Source, Statement, Value, Variable, Widths};

/// What may be in a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Features {
    pub arrays: bool,
    pub pointers: bool,
    pub calls: bool,
}

/// Someone who draws.
struct Drawing<'r> {
    rng: &'r mut Rng,
    features: Features,
    source: Source,
    /// Those that have names where it is.
    visible: Vec<usize>,
    callable: usize,
}

/// A program.
pub fn source(rng: &mut Rng, features: Features) -> Source {
    let widths = [Widths { char: 4, int: 4 }, Widths { char: 4, int: 8 }][rng.usize(..2)];
    let source = Source { widths, variables: Vec::new(), globals: Vec::new(), procedures: Vec::new() };
    let mut drawing = Drawing { rng, features, source, visible: Vec::new(), callable: 0 };
    drawing.globals();
    let count = if features.calls { drawing.rng.usize(1..3) } else { 0 };
    // Results are known before bodies are.
    for _ in 0..count {
        let result = drawing.rng.bool().then(|| drawing.ty());
        drawing.source.procedures.push(Procedure { formals: Vec::new(), result, body: Vec::new() });
    }
    drawing.source.procedures.push(Procedure { formals: Vec::new(), result: Some(widths.int()), body: Vec::new() });
    for at in 0..=count {
        drawing.procedure(at, at == count);
    }
    drawing.source
}

impl Drawing<'_> {
    fn one_in(&mut self, of: usize) -> bool {
        self.rng.usize(..of) == 0
    }

    fn ty(&mut self) -> Number {
        let Widths { char, int } = self.source.widths;
        let bits = if self.one_in(3) { char } else { int };
        Number { bits, signed: !self.one_in(4) }
    }

    fn variable(&mut self, kind: Kind) -> usize {
        self.source.variables.push(Variable { kind });
        self.source.variables.len() - 1
    }

    fn globals(&mut self) {
        for _ in 0..self.rng.usize(0..3) {
            let ty = self.ty();
            let id = self.variable(Kind::Number(ty));
            let value = self.rng.i64(0..3);
            self.source.globals.push((id, value));
            self.visible.push(id);
        }
        if self.features.arrays && !self.one_in(3) {
            for _ in 0..self.rng.usize(1..3) {
                let (ty, length) = (self.ty(), self.rng.usize(2..5));
                let id = self.variable(Kind::Array(ty, length));
                self.source.globals.push((id, 0));
                self.visible.push(id);
            }
        }
    }

    fn procedure(&mut self, at: usize, is_main: bool) {
        let outer = self.visible.clone();
        self.callable = at;
        if !is_main {
            let ty = self.ty();
            let number = self.variable(Kind::Number(ty));
            let mut formals = vec![number];
            if self.features.pointers && !self.one_in(3) {
                let ty = self.ty();
                formals.push(self.variable(Kind::Pointer(ty)));
            }
            self.visible.extend(&formals);
            self.source.procedures[at].formals = formals;
        }
        let mut body = Vec::new();
        for first in 0..self.rng.usize(1..if is_main { 5 } else { 3 }) {
            let ty = self.ty();
            let value = match self.rng.u8(..4) {
                _ if first == 0 => Some(Value::Constant(0)),
                0 => Some(Value::Constant(self.rng.i64(-1..3))),
                1 if self.one_in(3) => None,
                2 => self.number(),
                _ => Some(Value::Input),
            };
            let id = self.variable(Kind::Number(ty));
            body.push(Statement::Declare(
                id,
                Some(value.unwrap_or(Value::Input)).filter(|_| !self.one_in(9) || first == 0),
            ));
            self.visible.push(id);
        }
        if is_main && self.features.arrays && self.one_in(2) {
            let (ty, length) = (self.ty(), self.rng.usize(2..5));
            let id = self.variable(Kind::Array(ty, length));
            body.push(Statement::Declare(id, None));
            self.visible.push(id);
        }
        if self.features.pointers && self.one_in(2) {
            let ty = self.ty();
            if let Some(value) = self.pointer(ty) {
                let id = self.variable(Kind::Pointer(ty));
                body.push(Statement::Declare(id, Some(value)));
                self.visible.push(id);
            }
        }
        if is_main {
            for _ in 0..self.rng.usize(1..3) {
                body.extend(self.statements(1));
                body.push(self.looping());
            }
            body.push(Statement::Assert(self.condition()));
        } else {
            body.extend(self.statements(2));
            if self.one_in(2) {
                body.push(self.looping());
            }
            if self.one_in(3) {
                self.callable = at + 1;
                let formal = self.source.procedures[at].formals[0];
                let less = Value::Binary("-", Box::new(of(formal)), Box::new(Value::Constant(1)));
                if let Some(call) = self.call(at, Some(less)) {
                    let positive = Condition::Compared("<", Value::Constant(0), of(formal));
                    body.push(Statement::If(positive, vec![call], Vec::new()));
                }
                self.callable = at;
            }
        }
        let result = self.source.procedures[at].result;
        let value =
            result.map(|_| if is_main { Value::Constant(0) } else { self.number().unwrap_or(Value::Constant(1)) });
        body.push(Statement::Return(value));
        self.source.procedures[at].body = body;
        self.visible = outer;
    }

    fn looping(&mut self) -> Statement {
        let mut body = self.statements(3);
        let counters: Vec<usize> = self.numbers();
        let condition = match counters[..] {
            [] => Condition::Any,
            _ if self.one_in(4) => self.condition(),
            _ if self.one_in(5) => Condition::Any,
            _ => {
                let counter = counters[self.rng.usize(..counters.len())];
                let by = Value::Constant(self.rng.i64(1..3));
                let step = Statement::Assign(
                    Lvalue::Variable(counter),
                    Value::Binary("+", Box::new(of(counter)), Box::new(by)),
                );
                let at = self.rng.usize(..=body.len());
                body.insert(at, step);
                let most = Value::Constant(self.rng.i64(1..6));
                Condition::Compared("<", of(counter), if self.one_in(4) { self.atom() } else { most })
            }
        };
        if self.one_in(6) {
            body.push(Statement::If(self.condition(), vec![Statement::Break], Vec::new()));
        }
        Statement::While(0, condition, body)
    }

    fn statements(&mut self, most: usize) -> Vec<Statement> {
        let mut all = Vec::new();
        for _ in 0..self.rng.usize(0..=most) {
            all.extend(self.statement());
        }
        all
    }

    fn statement(&mut self) -> Option<Statement> {
        Some(match self.rng.u8(..10) {
            0 | 1 if self.callable > 0 => {
                let callee = self.rng.usize(..self.callable);
                self.call(callee, None)?
            }
            2 => Statement::Assign(Lvalue::Variable(self.scalar()?), Value::Input),
            3 => {
                let (yes, no) = (self.statements(1), self.statements(1));
                Statement::If(self.condition(), yes, no)
            }
            4 => Statement::Assert(self.condition()),
            5 if self.one_in(3) => {
                let all = self.of(|kind| matches!(kind, Kind::Pointer(_)));
                let id = *all.get(self.rng.usize(..all.len().max(1)))?;
                let value = self.pointer(self.source.variables[id].kind.number())?;
                Statement::Assign(Lvalue::Variable(id), value)
            }
            5 | 6 => {
                let to = self.place()?;
                Statement::Assign(to, self.number()?)
            }
            _ => {
                let id = self.scalar()?;
                let by = Value::Constant(self.rng.i64(-2..4));
                let other = if self.one_in(4) { self.atom() } else { by };
                let value = Value::Binary(["+", "+", "-"][self.rng.usize(..3)], Box::new(of(id)), Box::new(other));
                Statement::Assign(Lvalue::Variable(id), value)
            }
        })
    }

    fn call(&mut self, callee: usize, first: Option<Value>) -> Option<Statement> {
        let mut actuals = Vec::new();
        for id in self.source.procedures[callee].formals.clone() {
            actuals.push(match (self.source.variables[id].kind, &first) {
                (Kind::Pointer(ty), _) => self.pointer(ty)?,
                (_, Some(value)) => value.clone(),
                _ => self.number()?,
            });
        }
        let is_used = !self.one_in(4);
        match self.source.procedures[callee].result {
            Some(_) if is_used => {
                Some(Statement::Assign(Lvalue::Variable(self.scalar()?), Value::Call(callee, actuals)))
            }
            _ => Some(Statement::Call(callee, actuals)),
        }
    }

    fn of(&self, wanted: impl Fn(Kind) -> bool) -> Vec<usize> {
        self.visible.iter().copied().filter(|&id| wanted(self.source.variables[id].kind)).collect()
    }

    fn numbers(&self) -> Vec<usize> {
        self.of(|kind| matches!(kind, Kind::Number(_)))
    }

    fn scalar(&mut self) -> Option<usize> {
        let all = self.numbers();
        all.get(self.rng.usize(..all.len().max(1))).copied()
    }

    /// A pointer to numbers of a type.
    fn pointer(&mut self, ty: Number) -> Option<Value> {
        let mut all = Vec::new();
        for &id in &self.visible {
            match self.source.variables[id].kind {
                Kind::Number(other) if other == ty => all.push(Value::Address(id, None)),
                Kind::Array(other, length) if other == ty => {
                    all.extend([Value::Pointer(id), Value::Address(id, Some(self.rng.usize(..length)))]);
                }
                Kind::Pointer(other) if other == ty => all.push(Value::Pointer(id)),
                _ => {}
            }
        }
        (!all.is_empty()).then(|| all.swap_remove(self.rng.usize(..all.len())))
    }

    /// An element, or what a pointer points to; else a variable.
    fn place(&mut self) -> Option<Lvalue> {
        let all = self.of(|kind| !matches!(kind, Kind::Number(_)));
        if all.is_empty() || self.one_in(4) {
            return self.scalar().map(Lvalue::Variable);
        }
        let id = all[self.rng.usize(..all.len())];
        let alone = !self.one_in(4);
        Some(match self.source.variables[id].kind {
            Kind::Pointer(_) if alone => Lvalue::Target(id),
            _ => {
                let at = if self.one_in(3) { Value::Constant(self.rng.i64(0..3)) } else { of(self.scalar()?) };
                let shifted = |at: Value, rng: &mut Rng| {
                    Value::Binary("+", Box::new(at), Box::new(Value::Constant(rng.i64(-1..2))))
                };
                let at = if self.one_in(4) { shifted(at, self.rng) } else { at };
                Lvalue::Element(id, Box::new(at))
            }
        })
    }

    fn atom(&mut self) -> Value {
        match self.scalar() {
            Some(id) if !self.one_in(3) => of(id),
            _ => Value::Constant(self.rng.i64(-2..6)),
        }
    }

    /// A value without calls: what is read besides plain variables stands alone.
    fn number(&mut self) -> Option<Value> {
        if self.one_in(3) {
            return Some(Value::Of(self.place()?));
        }
        let (a, b) = (self.atom(), self.atom());
        Some(match self.rng.u8(..12) {
            0..=2 => a,
            3..=6 => Value::Binary("+", Box::new(a), Box::new(b)),
            7 | 8 => Value::Binary("-", Box::new(a), Box::new(b)),
            9 => Value::Binary("*", Box::new(a), Box::new(Value::Constant(self.rng.i64(2..4)))),
            10 => Value::Binary("&", Box::new(a), Box::new(b)),
            _ => Value::Binary(
                ["%", "/"][self.rng.usize(..2)],
                Box::new(a),
                Box::new(Value::Constant(self.rng.i64(2..4))),
            ),
        })
    }

    fn condition(&mut self) -> Condition {
        let compared = |drawing: &mut Self| {
            let left = match drawing.place() {
                Some(place) if drawing.one_in(2) => Value::Of(place),
                _ => drawing.atom(),
            };
            let right = drawing.atom();
            Condition::Compared(["<", "<=", "==", "!="][drawing.rng.usize(..4)], left, right)
        };
        let first = compared(self);
        match self.rng.u8(..8) {
            0 => Condition::And(Box::new(first), Box::new(compared(self))),
            1 => Condition::Or(Box::new(first), Box::new(compared(self))),
            2 => Condition::Not(Box::new(first)),
            _ => first,
        }
    }
}

fn of(id: usize) -> Value {
    Value::Of(Lvalue::Variable(id))
}
