//! A second interpreter of Remopla: it walks the resolved tree and knows nothing of pushdown systems.
//!
//! Every way to take one step is tried. Values are numbers; those of Booleans are 0 and 1.

use std::collections::{BTreeMap, BTreeSet};

use puch::remopla::Arithmetic;
use puch::remopla::ast::{Assign, Ast, Expression, Op, Piece, Point as Label, StmtId, StmtKind, Value, Which};
use puch::remopla::declarations::{Dims, Leaf};
use puch::remopla::flow::Next as Flow;
use puch::remopla::resolve::Resolved;
use spds_format::expr::Binary;
use spds_format::model::{Scalar, Var};

/// A point of control: a statement that is not the first of a clause, or the end of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    Statement(StmtId),
    End(u32),
}

/// Cells of variables, in the order of declaration.
pub type Values = Vec<u64>;

/// What the topmost module sees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    pub module: Option<u32>,
    pub point: Point,
    pub globals: Values,
    pub locals: Values,
}

/// What one step leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Next {
    Step(State),
    /// The first state of the module called, and the caller's locals.
    Call(State, Values),
    /// The globals and the result, cell by cell.
    Return(Values, Values),
    Fail(Values),
}

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Undefined;

/// What is stored in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Any,
    Exactly(u64),
    Except(i128),
}

/// A cell: of the globals, or of the locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    Global(usize),
    Local(usize),
}

/// What a step does, if it is one.
enum Effect {
    Fails,
    Blocks,
    Stores(Vec<(Cell, Leaf, Choice)>),
}

pub struct Machine<'a> {
    pub ast: &'a Ast,
    pub resolved: &'a Resolved,
    pub arithmetic: Arithmetic,
}

type Bound = BTreeMap<u32, u64>;

fn domain(leaf: &Leaf) -> Vec<u64> {
    (0..leaf.members.unwrap_or(1 << leaf.scalar.bits())).collect()
}

/// All lists of values of these variables.
pub fn all_values(leaves: &[Leaf]) -> Vec<Values> {
    let mut all: Vec<Values> = vec![Vec::new()];
    for leaf in leaves {
        for _ in 0..leaf.dims.cells() {
            all = all.iter().flat_map(|done| domain(leaf).into_iter().map(|v| [&done[..], &[v]].concat())).collect();
        }
    }
    all
}

impl Machine<'_> {
    pub fn locals(&self, module: Option<u32>) -> &[Leaf] {
        module.map_or(&[], |module| self.ast.declarations.locals(module as usize))
    }

    /// The first cell of a variable.
    fn first(&self, var: Var, module: Option<u32>) -> (Cell, &Leaf) {
        let (leaves, index) = match var {
            Var::Global(index) => (&self.ast.declarations.globals[..], index as usize),
            Var::Local(index) => (self.locals(module), index as usize),
        };
        let offset: u64 = leaves[..index].iter().map(|leaf| leaf.dims.cells()).sum();
        let cell = if let Var::Global(_) = var { Cell::Global(offset as usize) } else { Cell::Local(offset as usize) };
        (cell, &leaves[index])
    }

    fn get(&self, state: &State, cell: Cell) -> u64 {
        match cell {
            Cell::Global(at) => state.globals[at],
            Cell::Local(at) => state.locals[at],
        }
    }

    // ---- expressions

    fn index(&self, dims: Dims, indices: &[i128]) -> Result<usize, Undefined> {
        let mut at = 0;
        for (index, (first, last)) in indices.iter().zip(dims.0.iter().flatten()) {
            if !(i128::from(*first)..=i128::from(*last)).contains(index) {
                return Err(Undefined);
            }
            at = at * (last - first + 1) as usize + (index - i128::from(*first)) as usize;
        }
        Ok(at)
    }

    /// The cell that a variable with indices is, `so many` leaves further.
    fn cell(&self, state: &State, e: Expression, leaf: u32, bound: &Bound) -> Result<(Cell, Leaf), Undefined> {
        let indices: Result<Vec<i128>, Undefined> =
            self.ast.operands(e).into_iter().map(|operand| self.eval(state, operand, bound)).collect();
        let var = match self.ast.root(e).op {
            Op::Read(var, _) | Op::Cell(var, ..) => var,
            Op::Whole(whole) => self.ast.wholes[whole as usize].first,
            other => panic!("{other:?} is no variable"),
        };
        let var = match var {
            Var::Global(index) => Var::Global(index + leaf),
            Var::Local(index) => Var::Local(index + leaf),
        };
        let (first, declared) = self.first(var, state.module);
        let at = self.index(declared.dims, &indices?)?;
        let cell = match first {
            Cell::Global(first) => Cell::Global(first + at),
            Cell::Local(first) => Cell::Local(first + at),
        };
        Ok((cell, declared.clone()))
    }

    fn eval(&self, state: &State, e: Expression, bound: &Bound) -> Result<i128, Undefined> {
        let operands = self.ast.operands(e);
        let value = |index: usize| self.eval(state, operands[index], bound);
        match self.ast.root(e).op {
            Op::Bool(value) => Ok(value.into()),
            Op::Number(number) => Ok(number.into()),
            Op::Bound(quantifier) => Ok(bound[&quantifier].into()),
            Op::Read(..) | Op::Cell(..) => Ok(self.get(state, self.cell(state, e, 0, bound)?.0).into()),
            Op::Whole(_) => panic!("no scalar"),
            Op::Not => Ok(1 - value(0)?),
            Op::Quantified(index) => {
                let quantifier = self.ast.quantifiers[index as usize];
                let decides = i128::from(quantifier.which == Which::Some);
                let one = |v| {
                    self.eval(state, operands[0], &bound.iter().map(|(k, v)| (*k, *v)).chain([(index, v)]).collect())
                };
                self.decide(decides, (quantifier.low..=quantifier.high).map(one))
            }
            Op::Binary(Binary::And) => self.decide(0, [0, 1].into_iter().map(value)),
            Op::Binary(Binary::Or) => self.decide(1, [0, 1].into_iter().map(value)),
            Op::Binary(op) => compute(op, value(0)?, value(1)?),
        }
    }

    /// `&&` and `||` of many: the value that decides, if one has it; read from left to right where failures count.
    fn decide(&self, decides: i128, all: impl Iterator<Item = Result<i128, Undefined>>) -> Result<i128, Undefined> {
        let mut undefined = false;
        for value in all {
            match value {
                Ok(value) if value == decides => return Ok(decides),
                Ok(_) => {}
                Err(Undefined) if self.arithmetic == Arithmetic::Check => return Err(Undefined),
                Err(Undefined) => undefined = true,
            }
        }
        if undefined { Err(Undefined) } else { Ok(1 - decides) }
    }

    /// What becomes of a value that is stored; undefined if it does not fit.
    fn stored(&self, leaf: &Leaf, value: i128) -> Result<u64, Undefined> {
        let size = leaf.members.map_or(1 << leaf.scalar.bits(), i128::from);
        if self.arithmetic == Arithmetic::Wrap && leaf.members.is_none() && leaf.scalar != Scalar::Bool {
            return Ok(value.rem_euclid(size) as u64);
        }
        if (0..size).contains(&value) { Ok(value as u64) } else { Err(Undefined) }
    }

    // ---- storing

    /// The cells of the leaves of a whole, or the one of a scalar.
    fn cells(&self, state: &State, e: Expression, bound: &Bound) -> Result<Vec<(Cell, Leaf)>, Undefined> {
        let (count, indexed) = match self.ast.root(e).op {
            Op::Whole(whole) => {
                let whole = self.ast.wholes[whole as usize];
                (whole.leaves, whole.indices > 0)
            }
            _ => (1, true),
        };
        let mut all = Vec::new();
        for leaf in 0..count {
            let (first, declared) = self.cell(state, e, leaf, bound)?;
            let cells = if indexed { 1 } else { declared.dims.cells() as usize };
            all.extend((0..cells).map(|more| match first {
                Cell::Global(at) => (Cell::Global(at + more), declared.clone()),
                Cell::Local(at) => (Cell::Local(at + more), declared.clone()),
            }));
        }
        Ok(all)
    }

    /// A value, cell by cell.
    fn values(&self, state: &State, e: Expression, bound: &Bound) -> Result<Vec<i128>, Undefined> {
        if let Op::Whole(_) = self.ast.root(e).op {
            let cells = self.cells(state, e, bound)?;
            return Ok(cells.into_iter().map(|(cell, _)| self.get(state, cell).into()).collect());
        }
        Ok(vec![self.eval(state, e, bound)?])
    }

    fn store(&self, state: &State, assign: &Assign, bound: &Bound) -> Result<Vec<(Cell, Leaf, Choice)>, Undefined> {
        let cells = self.cells(state, assign.target, bound)?;
        let choices = match assign.value {
            Value::Undef => vec![Choice::Any; cells.len()],
            Value::Except(e) => vec![Choice::Except(self.eval(state, e, bound)?)],
            Value::Of(e) => {
                let values = self.values(state, e, bound)?;
                let fit = |((_, leaf), value): (&(Cell, Leaf), i128)| Ok(Choice::Exactly(self.stored(leaf, value)?));
                cells.iter().zip(values).map(fit).collect::<Result<_, Undefined>>()?
            }
        };
        Ok(cells.into_iter().zip(choices).map(|((cell, leaf), choice)| (cell, leaf, choice)).collect())
    }

    /// All ways to choose for the quantifiers of a list of assignments: for each way, instances of assignments.
    fn ways(&self, assigns: Piece) -> Vec<Vec<(Assign, Bound)>> {
        let mut all: Vec<Vec<(Assign, Bound)>> = vec![Vec::new()];
        for assign in self.ast.assigns(assigns) {
            let own = self.instances(assign, &self.ast.prefixes[assign.quantifiers.range()], &Bound::new());
            let join =
                |one: &Vec<(Assign, Bound)>| own.iter().map(|more| [&one[..], more].concat()).collect::<Vec<_>>();
            all = all.iter().flat_map(join).collect();
        }
        all
    }

    fn instances(&self, assign: &Assign, prefix: &[u32], bound: &Bound) -> Vec<Vec<(Assign, Bound)>> {
        let Some((first, rest)) = prefix.split_first() else { return vec![vec![(*assign, bound.clone())]] };
        let quantifier = self.ast.quantifiers[*first as usize];
        let each = (quantifier.low..=quantifier.high).map(|value| {
            let inner: Bound = bound.iter().map(|(k, v)| (*k, *v)).chain([(*first, value)]).collect();
            self.instances(assign, rest, &inner)
        });
        match quantifier.which {
            Which::Some => each.flatten().collect(),
            Which::All => each.fold(vec![Vec::new()], |done, ways| {
                done.iter().flat_map(|one| ways.iter().map(move |way| [&one[..], way].concat())).collect()
            }),
        }
    }

    fn effect(&self, state: &State, instances: &[(Assign, Bound)]) -> Effect {
        let mut stores = Vec::new();
        for (assign, bound) in instances {
            match self.store(state, assign, bound) {
                Ok(more) => stores.extend(more),
                Err(Undefined) if self.arithmetic == Arithmetic::Check => return Effect::Fails,
                // Something else may still be undefined, but it makes no difference.
                Err(Undefined) => return Effect::Blocks,
            }
        }
        Effect::Stores(stores)
    }

    /// All states of the variables after storing.
    fn after(&self, state: &State, stores: &[(Cell, Leaf, Choice)]) -> BTreeSet<(Values, Values)> {
        let mut domains: BTreeMap<Cell, Vec<u64>> = BTreeMap::new();
        for (cell, leaf, choice) in stores {
            domains.entry(*cell).or_insert_with(|| domain(leaf)).retain(|value| match choice {
                Choice::Any => true,
                Choice::Exactly(exactly) => value == exactly,
                Choice::Except(except) => i128::from(*value) != *except,
            });
        }
        let mut all = BTreeSet::from([(state.globals.clone(), state.locals.clone())]);
        for (cell, values) in domains {
            let with = |(globals, locals): &(Values, Values), value: u64| {
                let (mut globals, mut locals) = (globals.clone(), locals.clone());
                match cell {
                    Cell::Global(at) => globals[at] = value,
                    Cell::Local(at) => locals[at] = value,
                }
                (globals, locals)
            };
            all = all.iter().flat_map(|one| values.iter().map(|value| with(one, *value)).collect::<Vec<_>>()).collect();
        }
        all
    }

    // ---- steps

    pub fn entry(&self, module: u32) -> Point {
        self.ast.modules[module as usize].body.map_or(Point::End(module), Point::Statement)
    }

    fn point(&self, flow: Flow, module: Option<u32>) -> Option<(Option<u32>, Point)> {
        match flow {
            Flow::Statement(id) => Some((self.resolved.flow.owner[id.index()], Point::Statement(id))),
            Flow::End => module.map(|m| (module, Point::End(m))),
            Flow::Module(m) => Some((Some(m), self.entry(m))),
            Flow::Nowhere => None,
        }
    }

    /// All states at a point with these globals; the locals are arbitrary in another module.
    fn arrive(&self, from: &State, to: (Option<u32>, Point), globals: Values, locals: Values) -> Vec<Next> {
        let (module, point) = to;
        let locals = if module == from.module { vec![locals] } else { all_values(self.locals(module)) };
        let state = |locals| Next::Step(State { module, point, globals: globals.clone(), locals });
        locals.into_iter().map(state).collect()
    }

    pub fn steps(&self, state: &State) -> BTreeSet<Next> {
        match state.point {
            Point::End(_) => BTreeSet::from([Next::Return(state.globals.clone(), Values::new())]),
            Point::Statement(id) => self.statement(state, id),
        }
    }

    fn fails(&self, state: &State) -> BTreeSet<Next> {
        if self.arithmetic == Arithmetic::Check { [Next::Fail(state.globals.clone())].into() } else { BTreeSet::new() }
    }

    fn statement(&self, state: &State, id: StmtId) -> BTreeSet<Next> {
        let (StmtKind::If(clauses) | StmtKind::Do(clauses)) = self.ast.statement(id).kind else {
            return self.simple(state, id);
        };
        let clauses = &self.ast.clauses[clauses.range()];
        let guards = clauses.iter().map(|clause| clause.guard.map(|guard| self.eval(state, guard, &Bound::new())));
        let guards: Vec<Option<Result<i128, Undefined>>> = guards.collect();
        let none = guards.iter().flatten().all(|guard| *guard == Ok(0));
        let mut all = BTreeSet::new();
        for (clause, guard) in clauses.iter().zip(&guards) {
            match guard {
                Some(Err(Undefined)) => all.extend(self.fails(state)),
                Some(Ok(1)) => {}
                None if none => {}
                _ => continue,
            }
            if guard == &Some(Err(Undefined)) {
                continue;
            }
            if self.ast.statement(clause.first).folded {
                all.extend(self.simple(state, clause.first));
            } else {
                all.insert(Next::Step(State { point: Point::Statement(clause.first), ..state.clone() }));
            }
        }
        all
    }

    fn simple(&self, state: &State, id: StmtId) -> BTreeSet<Next> {
        let left = self.resolved.flow.left(self.ast, id, Default::default());
        let next = left.and_then(|flow| self.point(flow, state.module));
        match self.ast.statement(id).kind {
            StmtKind::Assign(assigns) => self.assigned(state, assigns, next),
            StmtKind::Break => self.assigned(state, Piece::default(), next),
            StmtKind::Skip(None) => self.assigned(state, Piece::default(), next),
            StmtKind::Skip(Some(condition)) => match self.eval(state, condition, &Bound::new()) {
                Ok(0) => BTreeSet::new(),
                Ok(_) => self.assigned(state, Piece::default(), next),
                Err(Undefined) => self.fails(state),
            },
            StmtKind::Goto(jump) => {
                let jump = self.ast.jumps[jump as usize];
                let to = match jump.to {
                    Label::Statement(id) => (self.resolved.flow.owner[id.index()], Point::Statement(id)),
                    Label::Module(module) => (Some(module), self.entry(module)),
                    Label::Symbol(_) => panic!("no rules here"),
                };
                self.assigned(state, jump.extra, Some(to))
            }
            StmtKind::Return(value) => {
                let results = &self.ast.modules[state.module.expect("inside") as usize].results;
                let leaves = results.iter().flat_map(|leaf| (0..leaf.dims.cells()).map(move |_| leaf));
                let values = value.map_or(Ok(Vec::new()), |value| self.values(state, value, &Bound::new()));
                let stored = values.and_then(|values| leaves.zip(values).map(|(l, v)| self.stored(l, v)).collect());
                match stored {
                    Ok(result) => [Next::Return(state.globals.clone(), result)].into(),
                    Err(Undefined) => self.fails(state),
                }
            }
            StmtKind::Call(call) => self.call(state, call as usize),
            other => panic!("{other:?} is not simple"),
        }
    }

    fn assigned(&self, state: &State, assigns: Piece, next: Option<(Option<u32>, Point)>) -> BTreeSet<Next> {
        let mut all = BTreeSet::new();
        for way in self.ways(assigns) {
            match self.effect(state, &way) {
                Effect::Fails => all.extend(self.fails(state)),
                Effect::Blocks => {}
                Effect::Stores(stores) => {
                    for (globals, locals) in self.after(state, &stores) {
                        all.extend(next.iter().flat_map(|to| self.arrive(state, *to, globals.clone(), locals.clone())));
                    }
                }
            }
        }
        all
    }

    fn call(&self, state: &State, call: usize) -> BTreeSet<Next> {
        let call = self.ast.calls[call];
        let callee = &self.ast.modules[call.module as usize];
        let locals = self.locals(Some(call.module));
        let mut known: Vec<Option<u64>> = vec![None; locals.iter().map(|leaf| leaf.dims.cells() as usize).sum()];
        for (parameter, argument) in callee.parameters.iter().zip(&self.ast.values[call.arguments.range()]) {
            let Value::Of(argument) = argument else { continue };
            let Ok(values) = self.values(state, *argument, &Bound::new()) else { return self.fails(state) };
            let Cell::Local(first) = self.first(Var::Local(parameter.first), Some(call.module)).0 else { panic!() };
            let own = &locals[parameter.first as usize..(parameter.first + parameter.leaves) as usize];
            let leaves = own.iter().flat_map(|leaf| (0..leaf.dims.cells()).map(move |_| leaf));
            for (at, (leaf, value)) in (first..).zip(leaves.zip(values)) {
                let Ok(value) = self.stored(leaf, value) else { return self.fails(state) };
                known[at] = Some(value);
            }
        }
        let mut all = BTreeSet::new();
        for way in self.ways(call.extra) {
            match self.effect(state, &way) {
                Effect::Fails => all.extend(self.fails(state)),
                Effect::Blocks => {}
                Effect::Stores(stores) => {
                    for (globals, saved) in self.after(state, &stores) {
                        for locals in all_values(locals) {
                            if known.iter().zip(&locals).all(|(known, value)| known.is_none_or(|known| known == *value))
                            {
                                let (module, point) = (Some(call.module), self.entry(call.module));
                                let globals = globals.clone();
                                all.insert(Next::Call(State { module, point, globals, locals }, saved.clone()));
                            }
                        }
                    }
                }
            }
        }
        all
    }

    /// Where a call that was made with these locals goes on after a return.
    pub fn resume(&self, caller: StmtId, saved: &Values, globals: &Values, result: &Values) -> BTreeSet<Next> {
        let StmtKind::Call(call) = self.ast.statement(caller).kind else { panic!("no call") };
        let module = self.resolved.flow.owner[caller.index()];
        let Some((module, point)) = self.point(self.resolved.flow.after[caller.index()], module) else {
            return BTreeSet::new();
        };
        let state = State { module, point, globals: globals.clone(), locals: saved.clone() };
        let Some(target) = self.ast.calls[call as usize].result else { return [Next::Step(state)].into() };
        let Ok(cells) = self.cells(&state, target, &Bound::new()) else { return self.fails(&state) };
        let mut stores = Vec::new();
        for ((cell, leaf), value) in cells.into_iter().zip(result) {
            match self.stored(&leaf, i128::from(*value)) {
                Ok(value) => stores.push((cell, leaf, Choice::Exactly(value))),
                Err(Undefined) => return self.fails(&state),
            }
        }
        let next = |(globals, locals)| Next::Step(State { globals, locals, ..state.clone() });
        self.after(&state, &stores).into_iter().map(next).collect()
    }
}

fn compute(op: Binary, a: i128, b: i128) -> Result<i128, Undefined> {
    let natural = |value: i128| if a >= 0 && b >= 0 { Ok(value) } else { Err(Undefined) };
    match op {
        Binary::Xor | Binary::Ne => Ok((a != b).into()),
        Binary::Iff | Binary::Eq => Ok((a == b).into()),
        Binary::Lt => Ok((a < b).into()),
        Binary::Le => Ok((a <= b).into()),
        Binary::Gt => Ok((a > b).into()),
        Binary::Ge => Ok((a >= b).into()),
        Binary::Add => Ok(a + b),
        Binary::Sub => Ok(a - b),
        Binary::Mul => Ok(a * b),
        Binary::Div => a.checked_div(b).ok_or(Undefined),
        Binary::Shl if (0..=64).contains(&b) => Ok(a << b),
        Binary::Shr if b >= 0 => Ok(a >> b.min(127)),
        Binary::BitAnd => natural(a & b),
        Binary::BitOr => natural(a | b),
        Binary::BitXor => natural(a ^ b),
        _ => Err(Undefined),
    }
}
