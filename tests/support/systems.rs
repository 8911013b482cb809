//! Random symbolic pushdown systems: small, valid by construction, and not boring.
//!
//! A system is a handful of procedures (frames), each a chain of symbols with jumps, calls (also of itself), guards,
//! assignments, now and then a `with` clause, a saved update, an invariant, a hidden symbol, a second control location,
//! an assertion or a jump into another frame.

use fastrand::Rng;
use spds_format::Spds;
use spds_format::automaton::{Automaton, Edge, End, State, StateId};
use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{
    Atom, ControlId, Frame, FrameId, Head, Rule, Scalar, Stack, Start, Symbol, SymbolId, Type, Update, Var, Variable,
};

use super::{Shrink, one_in, pick};

/// What a generated system may contain beside the plain things.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    /// Calls may change the locals that they save.
    pub saved_updates: bool,
    /// Integers and arrays beside Booleans.
    pub integers: bool,
}

impl Features {
    pub const ALL: Features = Features { saved_updates: true, integers: true };
}

/// How large a generated system is.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Control locations; 0 leaves it to chance.
    pub controls: u32,
    /// Bits of globals, at most.
    pub bits: u32,
    /// Frames; 0 leaves it to chance.
    pub frames: usize,
}

impl Sizes {
    pub const USUAL: Sizes = Sizes { controls: 0, bits: 3, frames: 0 };
}

/// The random system of this seed.
pub fn system(seed: u64, features: Features) -> Spds {
    sized(seed, features, Sizes::USUAL)
}

/// The same with other sizes.
pub fn sized(seed: u64, features: Features, sizes: Sizes) -> Spds {
    let mut rng = Rng::with_seed(seed);
    let rng = &mut rng;
    let controls = match sizes.controls {
        0 if one_in(rng, 4) => 2,
        0 => 1,
        controls => controls,
    };
    let mut bits = sizes.bits;
    let globals = variables(rng, "g", 2..5, &mut bits, features);
    let frames = if sizes.frames == 0 { rng.usize(1..4) } else { sizes.frames };
    let frames: Vec<Frame> = (0..frames)
        .map(|number| {
            let mut bits = 2;
            Frame {
                name: format!("p{number}").into(),
                variables: variables(rng, "l", 0..3, &mut bits, features).into(),
            }
        })
        .collect();
    let mut spds = Spds {
        files: Vec::new(),
        globals,
        frames,
        controls: (0..controls).map(|number| format!("c{number}").into()).collect(),
        symbols: Vec::new(),
        rules: Vec::new(),
        start: Start { control: ControlId(0), stack: Box::new([SymbolId(0)]), condition: None },
        atoms: Vec::new(),
        end: None,
        fail: None,
    };
    let chains = symbols(rng, &mut spds);
    let mut maker = Maker { spds, features, chains };
    maker.special(rng);
    for frame in 0..maker.chains.len() {
        for position in 0..maker.chains[frame].len() {
            for control in 0..controls {
                maker.head(rng, frame, position, ControlId(control));
            }
        }
    }
    maker.hide(rng);
    maker.finish(rng)
}

/// Makes the returns of the first procedure come back to the start.
pub fn come_back(spds: &mut Spds) {
    let (control, first) = (spds.start.control, spds.start.stack[0]);
    for rule in &mut spds.rules {
        let own = spds.symbols[rule.from.symbol.0 as usize].frame == spds.symbols[first.0 as usize].frame;
        if own && rule.stack == Stack::Pop {
            (rule.to, rule.stack) = (control, Stack::Swap(first));
            rule.with = None;
        }
    }
}

/// One or two symbols that a reachability question may be about.
pub fn targets(seed: u64, spds: &Spds) -> Vec<SymbolId> {
    let mut rng = Rng::with_seed(seed ^ 0x7A67);
    let hidden = |symbol: SymbolId| spds.rules.iter().any(|rule| rule.silent && rule.from.symbol == symbol);
    let all: Vec<SymbolId> = (0..spds.symbols.len() as u32).map(SymbolId).filter(|symbol| !hidden(*symbol)).collect();
    let goals: Vec<SymbolId> = all.iter().copied().filter(|symbol| spds.symbol(*symbol).name.ends_with('t')).collect();
    let from = if goals.is_empty() || one_in(&mut rng, 3) { &all } else { &goals };
    vec![*pick(&mut rng, from)]
}

/// A random condition over the globals and the locals of a frame.
pub fn condition(rng: &mut Rng, spds: &Spds, frame: Option<FrameId>) -> Expr {
    let mut scope = Scope { all: Vec::new() };
    scope.add(&spds.globals, Var::Global, Time::Before);
    if let Some(frame) = frame {
        scope.add(&spds.frame(frame).variables, Var::Local, Time::Before);
    }
    let depth = rng.u32(..2);
    boolean(rng, &scope, depth, false)
}

/// A random regular set of configurations: a few states, some of which carry values.
pub fn set(rng: &mut Rng, spds: &Spds) -> Automaton {
    let symbols = spds.symbols.len() as u32;
    let states: Vec<State> = (0..rng.u32(1..4))
        .map(|number| {
            let frame = FrameId(rng.u32(..spds.frames.len() as u32));
            let globals = (0..spds.globals.len() as u32).map(Var::Global);
            let locals = (0..spds.frame(frame).variables.len() as u32).map(Var::Local);
            let carries = globals.chain(locals).filter(|_| one_in(rng, 3)).collect();
            State { name: format!("s{number}").into(), frame: Some(frame), carries, accepting: one_in(rng, 2) }
        })
        .collect();
    let mut set = Automaton { states, edges: Vec::new() };
    for _ in 0..rng.u32(2..9) {
        let state = |rng: &mut Rng| End::State(StateId(rng.u32(..set.states.len() as u32)));
        let (from, to) = match rng.bool() {
            true => (End::Control(ControlId(rng.u32(..spds.controls.len() as u32))), state(rng)),
            false => (state(rng), state(rng)),
        };
        let empty = matches!(from, End::Control(_)) && set.is_accepting(to) && one_in(rng, 8);
        let symbol = (!empty).then(|| SymbolId(rng.u32(..symbols)));
        let mut edge = Edge { from, symbol, to, condition: None };
        edge.condition = Some(edge_condition(rng, spds, &set, &edge));
        set.edges.push(edge);
    }
    set
}

/// The same with states that carry nothing.
pub fn plain_set(rng: &mut Rng, spds: &Spds) -> Automaton {
    let mut plain = set(rng, spds);
    for state in &mut plain.states {
        (state.frame, state.carries) = (None, Box::default());
    }
    for index in 0..plain.edges.len() {
        let condition = edge_condition(rng, spds, &plain, &plain.edges[index]);
        plain.edges[index].condition = Some(condition);
    }
    plain
}

fn edge_condition(rng: &mut Rng, spds: &Spds, set: &Automaton, edge: &Edge) -> Expr {
    let mut all = Vec::new();
    let mut add = |frame: Option<FrameId>, var: Var, time: Time| {
        if let Some(variable) = spds.variable(frame, var) {
            all.push((var, time, variable.ty));
        }
    };
    if matches!(edge.from, End::Control(_)) {
        (0..spds.globals.len() as u32).for_each(|i| add(None, Var::Global(i), Time::Before));
    }
    let frame = edge.symbol.and_then(|symbol| spds.symbol(symbol).frame);
    let locals = frame.map_or(0, |frame| spds.frame(frame).variables.len() as u32);
    (0..locals).for_each(|i| add(frame, Var::Local(i), Time::Before));
    for (end, time) in [(edge.to, Time::After), (edge.from, Time::Saved)] {
        if let End::State(id) = end {
            let state = set.state(id);
            state.carries.iter().for_each(|&var| add(state.frame, var, time));
        }
    }
    let depth = rng.u32(..3);
    boolean(rng, &Scope { all }, depth, false)
}

/// A random condition over variables at certain times, without `*`.
pub fn relation(rng: &mut Rng, reads: Vec<(Var, Time, Type)>) -> Expr {
    let depth = rng.u32(..3);
    boolean(rng, &Scope { all: reads }, depth, false)
}

fn variables(
    rng: &mut Rng,
    name: &str,
    count: std::ops::Range<usize>,
    bits: &mut u32,
    features: Features,
) -> Vec<Variable> {
    let mut all = Vec::new();
    for number in 0..rng.usize(count) {
        let ty = match rng.u32(..8) {
            0..=4 => Type::BOOL,
            _ if !features.integers => Type::BOOL,
            5 => Type { scalar: Scalar::Unsigned(1), range: None },
            6 => Type { scalar: Scalar::Unsigned(2), range: None },
            _ => Type { scalar: Scalar::Bool, range: Some(if rng.bool() { (0, 1) } else { (2, 3) }) },
        };
        let size = ty.scalar.bits() * ty.cells();
        if size <= *bits {
            *bits -= size;
            all.push(Variable { name: format!("{name}{number}").into(), ty, hidden: false });
        }
    }
    all
}

/// Makes the symbols of each frame; the first is where it is entered.
fn symbols(rng: &mut Rng, spds: &mut Spds) -> Vec<Vec<SymbolId>> {
    let mut chains = Vec::new();
    for frame in 0..spds.frames.len() as u32 {
        let mut chain = Vec::new();
        let length = rng.usize(3..7);
        for number in 0..length {
            chain.push(SymbolId(spds.symbols.len() as u32));
            spds.symbols.push(symbol(format!("p{frame}:{number}"), Some(FrameId(frame))));
        }
        // A place that only a guarded rule leads to: half of the time out of reach.
        chain.push(SymbolId(spds.symbols.len() as u32));
        spds.symbols.push(symbol(format!("p{frame}:t"), Some(FrameId(frame))));
        chains.push(chain);
    }
    chains
}

fn symbol(name: String, frame: Option<FrameId>) -> Symbol {
    Symbol { name: name.into(), frame, place: None, labels: Box::new([]), invariant: None }
}

/// What an expression may read.
struct Scope {
    all: Vec<(Var, Time, Type)>,
}

impl Scope {
    fn add(&mut self, variables: &[Variable], var: fn(u32) -> Var, time: Time) {
        self.all.extend((0..).zip(variables).map(|(number, variable)| (var(number), time, variable.ty)));
    }
}

struct Maker {
    spds: Spds,
    features: Features,
    /// The symbols of each frame in the order of its text; the last is guarded well.
    chains: Vec<Vec<SymbolId>>,
}

impl Maker {
    /// `@end` below the start, `@fail`, each with its loop.
    fn special(&mut self, rng: &mut Rng) {
        let mut stack = vec![self.chains[0][0]];
        if one_in(rng, 6) {
            let chain = pick(rng, &self.chains);
            stack.push(*pick(rng, chain));
        }
        for (name, at_bottom) in [("@end", true), ("@fail", false)] {
            if one_in(rng, 3) {
                continue;
            }
            let id = SymbolId(self.spds.symbols.len() as u32);
            self.spds.symbols.push(symbol(name.to_string(), None));
            for control in 0..self.spds.controls.len() as u32 {
                let control = ControlId(control);
                self.spds.rules.push(plain(Head { control, symbol: id }, control, Stack::Swap(id)));
            }
            if at_bottom {
                // Mostly at the bottom; but it need not be on the stack at all.
                stack.extend(Some(id).filter(|_| !one_in(rng, 8)));
                self.spds.end = Some(id);
            } else {
                self.spds.fail = Some(id);
            }
        }
        self.spds.start.stack = stack.into();
    }

    /// The rules of one head.
    fn head(&mut self, rng: &mut Rng, frame: usize, position: usize, control: ControlId) {
        let chain = self.chains[frame].clone();
        let (symbol, last, goal) = (chain[position], chain.len() - 2, chain[chain.len() - 1]);
        let from = Head { control, symbol };
        let next = chain[(position + 1).min(last)];
        let count = if position > last { 1 } else { 1 + rng.usize(..2) };
        for number in 0..count {
            // The first rule leads on along the chain, so that runs get far; what may end it early comes second.
            let stack = match (number, rng.u32(..12)) {
                (0, _) if position >= last => Stack::Pop,
                (0, 0..=3) => Stack::Push(self.entry(rng, frame), next),
                (0, _) => Stack::Swap(next),
                (_, 0..=2) => Stack::Push(self.entry(rng, frame), next),
                (_, 3) => Stack::Push(pick(rng, &self.chains)[0], self.site(rng, &chain[..=last])),
                (1.., 4..=5) => Stack::Pop,
                (_, 6) => Stack::Swap(pick(rng, &self.chains)[0]),
                (_, 7..=8) => Stack::Swap(self.spds.fail.unwrap_or(next)),
                (_, 9) => Stack::Swap(*pick(rng, &chain[..=last])),
                _ => Stack::Swap(goal),
            };
            let hard = stack == Stack::Swap(goal) || Some(stack) == self.spds.fail.map(Stack::Swap);
            let rule = self.rule(rng, from, stack, number == 0, hard);
            self.spds.rules.push(rule);
        }
        if position == last {
            let rule = self.rule(rng, from, Stack::Swap(goal), false, true);
            self.spds.rules.push(rule);
        }
    }

    /// A return site: now and then one of another frame.
    fn site(&self, rng: &mut Rng, own: &[SymbolId]) -> SymbolId {
        let other = pick(rng, &self.chains);
        *if one_in(rng, 3) { pick(rng, &other[..other.len() - 1]) } else { pick(rng, own) }
    }

    fn entry(&self, rng: &mut Rng, frame: usize) -> SymbolId {
        // The next procedure mostly, the caller itself now and then.
        let callee = if one_in(rng, 4) { rng.usize(..self.chains.len()) } else { (frame + 1) % self.chains.len() };
        self.chains[callee][0]
    }

    fn rule(&self, rng: &mut Rng, from: Head, stack: Stack, easy: bool, hard: bool) -> Rule {
        let to = ControlId(if one_in(rng, 3) { rng.u32(..self.spds.controls.len() as u32) } else { from.control.0 });
        let mut rule = plain(from, to, stack);
        let before = self.before(from.symbol);
        if hard {
            rule.guard = Some(boolean(rng, &before, 2, false));
        } else if one_in(rng, if easy { 6 } else { 2 }) {
            rule.guard = Some(boolean(rng, &before, 2, true));
        }
        let assignable = self.assignable(stack);
        for _ in 0..rng.usize(..3) {
            if let Some(update) = self.update(rng, &assignable, &before) {
                rule.updates = rule.updates.iter().cloned().chain([update]).collect();
            }
        }
        if one_in(rng, if easy { 16 } else { 6 }) {
            let mut scope = self.before(from.symbol);
            scope.all.extend(assignable.all.iter().copied());
            rule.with = Some(boolean(rng, &scope, 2, true));
        }
        rule
    }

    fn before(&self, symbol: SymbolId) -> Scope {
        let mut scope = Scope { all: Vec::new() };
        scope.add(&self.spds.globals, Var::Global, Time::Before);
        scope.add(self.spds.locals(symbol), Var::Local, Time::Before);
        scope
    }

    fn assignable(&self, stack: Stack) -> Scope {
        let mut scope = Scope { all: Vec::new() };
        scope.add(&self.spds.globals, Var::Global, Time::After);
        if let Stack::Swap(to) | Stack::Push(to, _) = stack {
            scope.add(self.spds.locals(to), Var::Local, Time::After);
        }
        if let Stack::Push(_, site) = stack
            && self.features.saved_updates
        {
            scope.add(self.spds.locals(site), Var::Local, Time::Saved);
        }
        scope
    }

    fn update(&self, rng: &mut Rng, assignable: &Scope, before: &Scope) -> Option<Update> {
        if assignable.all.is_empty() {
            return None;
        }
        let (var, time, ty) = *pick(rng, &assignable.all);
        let whole = ty.range.is_some() && one_in(rng, 3);
        let index = ty.range.filter(|_| !whole).map(|range| index(rng, before, range));
        let value = match ty.scalar {
            _ if whole || one_in(rng, 6) => Expr::any(),
            Scalar::Bool => boolean(rng, before, 2, true),
            Scalar::Unsigned(_) => integer(rng, before, 1),
        };
        Some(Update { var, time, index, value })
    }

    /// Makes the rules of some heads silent: only swaps, which lead out of hidden symbols in the end.
    fn hide(&mut self, rng: &mut Rng) {
        if !one_in(rng, 2) {
            return;
        }
        let mut hidden: Vec<SymbolId> = Vec::new();
        for _ in 0..if one_in(rng, 3) { 2 } else { 1 } {
            let chain = pick(rng, &self.chains).clone();
            hidden.push(*pick(rng, &chain[..chain.len() - 1]));
        }
        let only = if one_in(rng, 6) { Some(ControlId(0)) } else { None };
        for (number, symbol) in hidden.iter().enumerate() {
            // Only to those that come later in the list, so never round in a circle.
            let barred = &hidden[..=number];
            let own = self.spds.symbol(*symbol).frame.map_or(&[][..], |frame| &self.chains[frame.0 as usize]);
            let others: Vec<SymbolId> = own.iter().copied().filter(|symbol| !barred.contains(symbol)).collect();
            let here = |rule: &&mut Rule| {
                rule.from.symbol == *symbol && only.is_none_or(|control| control == rule.from.control)
            };
            for rule in self.spds.rules.iter_mut().filter(here) {
                if !matches!(rule.stack, Stack::Swap(to) if !barred.contains(&to)) {
                    *rule = plain(rule.from, rule.to, Stack::Swap(*pick(rng, &others)));
                }
                rule.silent = true;
            }
        }
    }

    fn finish(mut self, rng: &mut Rng) -> Spds {
        for number in 0..self.spds.symbols.len() as u32 {
            if self.spds.symbol(SymbolId(number)).frame.is_some() && one_in(rng, 20) {
                let scope = self.before(SymbolId(number));
                self.spds.symbols[number as usize].invariant = Some(boolean(rng, &scope, 2, false));
            }
        }
        if one_in(rng, 3) {
            self.spds.start.condition = Some(boolean(rng, &self.before(self.spds.start.stack[0]), 1, false));
        }
        let mut globals = Scope { all: Vec::new() };
        globals.add(&self.spds.globals, Var::Global, Time::Before);
        let condition = boolean(rng, &globals, 1, false);
        self.spds.atoms.push(Atom { name: "a".into(), frame: None, condition });
        self.spds
    }
}

pub(super) fn plain(from: Head, to: ControlId, stack: Stack) -> Rule {
    Rule { from, to, stack, guard: None, updates: Default::default(), with: None, silent: false, label: None }
}

fn of_type(scope: &Scope, boolean: bool) -> Vec<(Var, Time, Type)> {
    scope.all.iter().copied().filter(|(_, _, ty)| (ty.scalar == Scalar::Bool) == boolean).collect()
}

fn read(rng: &mut Rng, scope: &Scope, (var, time, ty): (Var, Time, Type)) -> Expr {
    match ty.range {
        None => Expr::read(var, time),
        Some(range) => Expr::cell(var, time, &index(rng, scope, range)),
    }
}

/// An index: mostly a number in range, sometimes one just outside or a variable.
fn index(rng: &mut Rng, scope: &Scope, (first, last): (u32, u32)) -> Expr {
    let scalars: Vec<_> = of_type(scope, false).into_iter().filter(|(_, time, _)| *time == Time::Before).collect();
    match rng.u32(..5) {
        0 if !scalars.is_empty() => {
            let (var, time, _) = *pick(rng, &scalars);
            let read = Expr::read(var, time);
            if rng.bool() { read } else { read.binary(Binary::Add, &Expr::number(u64::from(first))) }
        }
        1 if one_in(rng, 3) => Expr::number(u64::from(last) + 1),
        _ => Expr::number(u64::from(rng.u32(first..=last))),
    }
}

/// A random Boolean expression; `*` only where `any` allows it.
fn boolean(rng: &mut Rng, scope: &Scope, depth: u32, any: bool) -> Expr {
    let (booleans, integers) = (of_type(scope, true), of_type(scope, false));
    if depth == 0 || one_in(rng, 4) {
        return match rng.u32(..12) {
            0 => Expr::constant(rng.bool()),
            1 if any => Expr::any(),
            _ if booleans.is_empty() => Expr::constant(rng.bool()),
            number => {
                let variable = *pick(rng, &booleans);
                let variable = read(rng, scope, variable);
                if number % 2 == 0 { variable } else { variable.not() }
            }
        };
    }
    let sub = |rng: &mut Rng| boolean(rng, scope, depth - 1, any);
    match rng.u32(..14) {
        0..=2 => sub(rng).and(&sub(rng)),
        3..=4 => sub(rng).binary(Binary::Or, &sub(rng)),
        5 => sub(rng).binary(Binary::Xor, &sub(rng)),
        6 => sub(rng).binary(Binary::Iff, &sub(rng)),
        7 => sub(rng).binary(Binary::Implies, &sub(rng)),
        8 => sub(rng).not(),
        9 => Expr::apply(Op::Ite, &[&sub(rng), &sub(rng), &sub(rng)]),
        10 if any => Expr::apply(Op::Choose, &[&sub(rng), &sub(rng)]),
        _ if integers.is_empty() => sub(rng),
        _ => {
            let ops = [Binary::Eq, Binary::Ne, Binary::Lt, Binary::Le, Binary::Gt, Binary::Ge];
            let op = *pick(rng, &ops);
            integer(rng, scope, 1).binary(op, &integer(rng, scope, 1))
        }
    }
}

fn integer(rng: &mut Rng, scope: &Scope, depth: u32) -> Expr {
    let integers = of_type(scope, false);
    if depth == 0 || one_in(rng, 2) {
        return match rng.u32(..4) {
            0 => Expr::number(rng.u64(..4)),
            _ if integers.is_empty() => Expr::number(rng.u64(..3)),
            _ => {
                let variable = *pick(rng, &integers);
                read(rng, scope, variable)
            }
        };
    }
    let sub = |rng: &mut Rng| integer(rng, scope, depth - 1);
    match rng.u32(..10) {
        0 => Expr::apply(Op::Ite, &[&boolean(rng, scope, 1, false), &sub(rng), &sub(rng)]),
        _ => {
            let ops = [
                Binary::Add,
                Binary::Add,
                Binary::Sub,
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
            let op = *pick(rng, &ops);
            sub(rng).binary(op, &sub(rng))
        }
    }
}

impl Shrink for Spds {
    fn smaller(&self) -> Vec<Spds> {
        let mut all = Vec::new();
        let mut with = |change: &dyn Fn(&mut Spds)| {
            let mut next = self.clone();
            change(&mut next);
            all.push(next);
        };
        for number in 0..self.rules.len() {
            let looping = [self.end, self.fail].contains(&Some(self.rules[number].from.symbol));
            if !looping {
                with(&|spds| drop(spds.rules.remove(number)));
            }
        }
        for (number, rule) in self.rules.iter().enumerate() {
            if rule.guard.is_some() {
                with(&|spds| spds.rules[number].guard = None);
            }
            if rule.with.is_some() {
                with(&|spds| spds.rules[number].with = None);
            }
            for update in 0..rule.updates.len() {
                with(&|spds| {
                    let mut updates = spds.rules[number].updates.to_vec();
                    updates.remove(update);
                    spds.rules[number].updates = updates.into();
                });
            }
            for part in rule.guard.iter().flat_map(halves) {
                with(&|spds| spds.rules[number].guard = Some(part.clone()));
            }
            for part in rule.with.iter().flat_map(halves) {
                with(&|spds| spds.rules[number].with = Some(part.clone()));
            }
        }
        for (number, symbol) in self.symbols.iter().enumerate() {
            if symbol.invariant.is_some() {
                with(&|spds| spds.symbols[number].invariant = None);
            }
        }
        if self.start.condition.is_some() {
            with(&|spds| spds.start.condition = None);
        }
        all
    }
}

/// The Boolean operands of a Boolean operator at the root.
fn halves(expr: &Expr) -> Vec<Expr> {
    let boolean = |op: &Op| {
        matches!(
            op,
            Op::Unary(_)
                | Op::Binary(Binary::And | Binary::Or | Binary::Xor | Binary::Implies | Binary::Iff)
                | Op::Choose
        )
    };
    if expr.ops().last().is_some_and(boolean) { expr.operands() } else { Vec::new() }
}
