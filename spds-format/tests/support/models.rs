//! Random valid models, with everything that the notation can say: odd names, all operators, arrays, hidden variables
//! and registers, several control locations, silent rules, saved values, invariants, places, labels, atoms.

use spds_format::expr::{Binary, Expr, Op, Time, Unary};
use spds_format::model::*;
use spds_format::{Scope, Spds};

use super::random::Random;

const NAMES: [&str; 34] = [
    "x",
    "y",
    "g",
    "h",
    "main",
    "f",
    "p",
    "q",
    "main/0",
    "a.b",
    "a/b.c",
    "$r",
    "@end",
    "_",
    "end",
    "with",
    "true",
    "schoose",
    "silent",
    "label",
    "",
    "{x==y}",
    "a b",
    "x'",
    "::x",
    "quote\"d",
    "back\\slash",
    "line\nbreak",
    "//",
    "0",
    "é",
    "日本",
    "\u{202e}\u{0}\u{7f}",
    "u3",
];

const BOOLEAN: [Binary; 5] = [Binary::And, Binary::Or, Binary::Xor, Binary::Implies, Binary::Iff];
const COMPARE: [Binary; 6] = [Binary::Eq, Binary::Ne, Binary::Lt, Binary::Le, Binary::Gt, Binary::Ge];
const INTEGER: [Binary; 10] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Rem,
    Binary::Shl,
    Binary::Shr,
    Binary::BitAnd,
    Binary::BitOr,
    Binary::BitXor,
];

/// A random valid model.
pub fn model(seed: u64) -> Spds {
    let mut maker = Maker { random: Random::new(seed), spds: empty() };
    maker.declarations();
    maker.rules();
    maker.rest();
    maker.spds
}

fn empty() -> Spds {
    spds_format::build::Builder::new().spds
}

struct Maker {
    random: Random,
    spds: Spds,
}

impl Maker {
    /// Different names, many of them odd.
    fn names(&mut self, count: usize) -> Vec<Name> {
        let mut names: Vec<Name> = Vec::new();
        while names.len() < count {
            let mut name = self.random.pick(&NAMES).to_string();
            if names.iter().any(|other| **other == *name) {
                name.push_str(&names.len().to_string());
            }
            if !names.iter().any(|other| **other == *name) {
                names.push(name.into());
            }
        }
        names
    }

    fn variables(&mut self, count: usize) -> Vec<Variable> {
        let names = self.names(count);
        names
            .into_iter()
            .map(|name| {
                let bits = *self.random.pick(&[1, 2, 3, 8, 63, 64]);
                let scalar = if self.random.one_in(2) { Scalar::Bool } else { Scalar::Unsigned(bits) };
                let first = *self.random.pick(&[0, 1, 7, u32::MAX - 3]);
                let range = self.random.one_in(3).then(|| (first, first + self.random.below(4) as u32));
                Variable { name, ty: Type { scalar, range }, hidden: self.random.one_in(4) }
            })
            .collect()
    }

    fn declarations(&mut self) {
        let files = self.random.below(3);
        self.spds.files = self.names(files);
        let globals = self.random.below(6);
        self.spds.globals = self.variables(globals);
        let frames = self.random.below(4);
        for name in self.names(frames) {
            let locals = self.random.below(5);
            let variables = self.variables(locals).into();
            self.spds.frames.push(Frame { name, variables });
        }
        let controls = 1 + self.random.below(3);
        self.spds.controls = self.names(controls);
        let symbols = 3 + self.random.below(8);
        for name in self.names(symbols) {
            let frame = self.frame();
            let place = (!self.spds.files.is_empty() && self.random.one_in(2)).then(|| Place {
                file: self.random.below(self.spds.files.len()) as u32,
                line: 1 + self.random.below(1000) as u32,
                column: 1 + self.random.below(80) as u32,
            });
            let labels = self.random.below(3);
            let labels = self.names(labels).into();
            let invariant = self.random.one_in(4).then(|| self.condition(&Scope::here(frame), true));
            self.spds.symbols.push(Symbol { name, frame, place, labels, invariant });
        }
    }

    fn frame(&mut self) -> Option<FrameId> {
        let frames = self.spds.frames.len();
        (frames > 0 && !self.random.one_in(4)).then(|| FrameId(self.random.below(frames) as u32))
    }

    fn control(&mut self) -> ControlId {
        ControlId(self.random.below(self.spds.controls.len()) as u32)
    }

    /// Any symbol but the first two, which are `end` and `fail`.
    fn symbol(&mut self) -> SymbolId {
        SymbolId(2 + self.random.below(self.spds.symbols.len() - 2) as u32)
    }

    fn rules(&mut self) {
        // One control location and symbol in three is silent; silent rules lead to later symbols, so never round.
        let controls = self.spds.controls.len();
        let silent: Vec<bool> = (0..controls * self.spds.symbols.len()).map(|_| self.random.one_in(3)).collect();
        for _ in 0..self.random.below(12) {
            let from = Head { control: self.control(), symbol: self.symbol() };
            let later = self.spds.symbols.len() - 1 - from.symbol.0 as usize;
            let silent = silent[from.symbol.0 as usize * controls + from.control.0 as usize];
            let stack = match self.random.below(3) {
                _ if silent && later == 0 => continue,
                _ if silent => Stack::Swap(SymbolId(from.symbol.0 + 1 + self.random.below(later) as u32)),
                0 => Stack::Pop,
                1 => Stack::Swap(self.symbol()),
                _ => Stack::Push(self.symbol(), self.symbol()),
            };
            let mut rule = spds_format::build::rule(from.control, from.symbol, self.control(), stack);
            rule.silent = silent;
            let scope = self.spds.scope(&rule);
            let here = Scope::here(self.spds.symbol(from.symbol).frame);
            rule.guard = self.random.one_in(2).then(|| self.condition(&here, true));
            rule.updates = (0..self.random.below(4)).filter_map(|_| self.update(&here, &scope)).collect();
            rule.with = self.random.one_in(3).then(|| self.condition(&scope, true));
            rule.label = self.random.one_in(3).then(|| Box::new(self.names(1).remove(0)));
            self.spds.rules.push(rule);
        }
    }

    fn rest(&mut self) {
        for (symbol, present) in [(SymbolId(0), self.random.one_in(2)), (SymbolId(1), self.random.one_in(2))] {
            if present {
                let which = if symbol.0 == 0 { &mut self.spds.end } else { &mut self.spds.fail };
                *which = Some(symbol);
                for control in (0..self.spds.controls.len() as u32).map(ControlId) {
                    self.spds.rules.push(spds_format::build::rule(control, symbol, control, Stack::Swap(symbol)));
                }
            }
        }
        let stack: Vec<SymbolId> = (0..1 + self.random.below(3)).map(|_| self.symbol()).collect();
        let scope = Scope::here(self.spds.symbol(stack[0]).frame);
        let condition = self.random.one_in(2).then(|| self.condition(&scope, true));
        self.spds.start = Start { control: self.control(), stack: stack.into(), condition };
        let atoms = self.random.below(4);
        for name in self.names(atoms) {
            let frame = self.frame();
            let condition = self.condition(&Scope::here(frame), false);
            self.spds.atoms.push(Atom { name, frame, condition });
        }
    }

    /// The variables that an expression may speak of.
    fn readable(&self, scope: &Scope) -> Vec<(Var, Time, Type)> {
        let mut list = Vec::new();
        for time in [Time::Before, Time::After, Time::Saved] {
            let Some(frame) = scope.at(time) else { continue };
            if time != Time::Saved {
                list.extend((0..).map(Var::Global).zip(&self.spds.globals).map(|(var, v)| (var, time, v.ty)));
            }
            let locals = frame.map_or(&[][..], |frame| &self.spds.frame(frame).variables);
            list.extend((0..).map(Var::Local).zip(locals).map(|(var, v)| (var, time, v.ty)));
        }
        list
    }

    fn update(&mut self, here: &Scope, scope: &Scope) -> Option<Update> {
        let targets: Vec<_> = self.readable(scope).into_iter().filter(|(_, time, _)| *time != Time::Before).collect();
        if targets.is_empty() {
            return None;
        }
        let (var, time, ty) = *self.random.pick(&targets);
        if ty.range.is_some() && self.random.one_in(3) {
            return Some(Update { var, time, index: None, value: Expr::any() });
        }
        let index = ty.range.map(|_| self.integer(here));
        let value = match ty.scalar {
            _ if self.random.one_in(4) => Expr::any(),
            Scalar::Bool => self.condition(here, true),
            Scalar::Unsigned(_) => self.integer(here),
        };
        Some(Update { var, time, index, value })
    }

    fn condition(&mut self, scope: &Scope, any: bool) -> Expr {
        let mut ops = Vec::new();
        let depth = self.random.below(6);
        self.boolean(scope, any, depth, &mut ops);
        Expr::from_postorder(ops).expect("one tree")
    }

    fn integer(&mut self, scope: &Scope) -> Expr {
        let mut ops = Vec::new();
        let depth = self.random.below(5);
        self.number(scope, depth, &mut ops);
        Expr::from_postorder(ops).expect("one tree")
    }

    fn boolean(&mut self, scope: &Scope, any: bool, depth: usize, ops: &mut Vec<Op>) {
        let choice = if depth == 0 { self.random.below(4) } else { self.random.below(10) };
        match choice {
            0 => ops.push(Op::Bool(self.random.one_in(2))),
            1 if any => ops.push(Op::Any),
            1..=3 => self.variable(scope, true, depth, ops),
            4 => {
                self.boolean(scope, any, depth - 1, ops);
                ops.push(Op::Unary(Unary::Not));
            }
            5 | 6 => {
                self.boolean(scope, any, depth - 1, ops);
                self.boolean(scope, any, depth - 1, ops);
                ops.push(Op::Binary(*self.random.pick(&BOOLEAN)));
            }
            7 => {
                self.number(scope, depth - 1, ops);
                self.number(scope, depth - 1, ops);
                ops.push(Op::Binary(*self.random.pick(&COMPARE)));
            }
            8 => {
                (0..3).for_each(|_| self.boolean(scope, any, depth - 1, ops));
                ops.push(Op::Ite);
            }
            _ => {
                (0..2).for_each(|_| self.boolean(scope, any, depth - 1, ops));
                ops.push(Op::Choose);
            }
        }
    }

    fn number(&mut self, scope: &Scope, depth: usize, ops: &mut Vec<Op>) {
        let choice = if depth == 0 { self.random.below(3) } else { self.random.below(7) };
        match choice {
            0 => ops.push(Op::Number(*self.random.pick(&[0, 1, 2, 7, 8, 255, u64::MAX]))),
            1 | 2 => self.variable(scope, false, depth, ops),
            3 => {
                self.boolean(scope, false, depth - 1, ops);
                (0..2).for_each(|_| self.number(scope, depth - 1, ops));
                ops.push(Op::Ite);
            }
            _ => {
                (0..2).for_each(|_| self.number(scope, depth - 1, ops));
                ops.push(Op::Binary(*self.random.pick(&INTEGER)));
            }
        }
    }

    /// A variable or a cell of that kind, if there is one.
    fn variable(&mut self, scope: &Scope, boolean: bool, depth: usize, ops: &mut Vec<Op>) {
        let mut readable = self.readable(scope);
        readable.retain(|(_, _, ty)| (ty.scalar == Scalar::Bool) == boolean);
        if readable.is_empty() {
            ops.push(if boolean { Op::Bool(true) } else { Op::Number(3) });
            return;
        }
        let (var, time, ty) = *self.random.pick(&readable);
        if ty.range.is_some() {
            self.number(scope, depth.saturating_sub(1), ops);
            ops.push(Op::Cell(var, time));
        } else {
            ops.push(Op::Read(var, time));
        }
    }
}
