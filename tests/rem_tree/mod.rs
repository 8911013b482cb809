//! A second interpreter of Remopla: it walks the resolved tree and knows nothing of pushdown systems.
//!
//! Every way to take one step is tried. Values are numbers; those of Booleans are 0 and 1.

mod values;

use std::collections::{BTreeMap, BTreeSet};

use puch::remopla::Arithmetic;
use puch::remopla::ast::{Ast, Piece, Point as Label, StmtId, StmtKind, Value};
use puch::remopla::declarations::Leaf;
use puch::remopla::flow::Next as Flow;
use puch::remopla::resolve::Resolved;
use spds_format::model::Var;

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
