//! The rules of each statement.

use rustc_hash::FxHashSet;
use spds_format::Diagnostic;
use spds_format::expr::{self, Binary, Expr, Time, Unary};
use spds_format::model::{ControlId, Head, Name, Rule, Stack, SymbolId, Updates, Var};

use spds_format::reading::complaints::Complaints;

use super::ast::*;
use super::declarations::Leaf;
use super::expand::{TooLarge, choices, expand};
use super::flow::Next;
use super::registers::{Registers, register_dims};
use super::resolve::{Resolved, module_of};
use super::store::{Cell, Draft, Slot, Source, Storing};
use super::symbols::Symbols;
use super::value::{Failure, Interval, Lowered, NameScope, Ops, failures, lower, quoted};
use super::{Arithmetic, Dialect};

/// A statement is at most so many rules.
const MOST_RULES: usize = 1 << 12;

/// The rules as they are being made.
pub(super) struct Lowering<'a> {
    pub ast: &'a Ast,
    pub resolved: &'a Resolved,
    pub text: &'a str,
    pub arithmetic: Arithmetic,
    pub dialect: Dialect,
    pub symbols: &'a Symbols,
    pub registers: Registers,
    pub rules: Vec<Rule>,
    pub shared: FxHashSet<Expr>,
    pub complaints: Complaints,
    pub fails: bool,
}

/// What must hold before a statement that takes place in the same step as a clause is chosen.
#[derive(Clone, Default)]
struct Chosen {
    all: Vec<Ops>,
}

impl<'a> Lowering<'a> {
    fn storing(&self, module: Option<u32>) -> Storing<'a> {
        Storing {
            ast: self.ast,
            text: self.text,
            arithmetic: self.arithmetic,
            place: NameScope::here(&self.ast.declarations, module),
            bound: &[],
        }
    }

    /// The symbol at which control goes on; `None` if it does not.
    fn next(&self, next: Next, id: StmtId) -> Option<SymbolId> {
        match next {
            Next::Statement(id) => Some(self.symbols.at(id)),
            Next::Module(module) => Some(self.symbols.entry(module)),
            Next::End => self.resolved.flow.owner[id.index()].and_then(|module| self.symbols.end_of(module)),
            Next::Nowhere => None,
        }
    }

    /// The rules of a statement that is not the first of a clause.
    pub(super) fn statement(&mut self, id: StmtId) {
        let from = self.symbols.at(id);
        let outcome = match self.ast.statement(id).kind {
            StmtKind::If(clauses) | StmtKind::Do(clauses) => self.clauses(id, from, clauses),
            StmtKind::Raw(raw) => self.raw(id, raw as usize),
            _ => self.simple(id, from, &Chosen::default()),
        };
        self.complain_of_size(outcome, id);
    }

    fn complain_of_size(&mut self, outcome: Result<(), TooLarge>, id: StmtId) {
        if outcome == Err(TooLarge) {
            let at = self.ast.statement(id).at as usize;
            let message = "this statement becomes too large when its arrays and quantifiers are taken apart";
            self.complaints.push(Diagnostic::error(message, at..at + 1).with_help("smaller ranges of indices help"));
        }
    }

    fn clauses(&mut self, id: StmtId, from: SymbolId, clauses: Piece) -> Result<(), TooLarge> {
        let module = self.resolved.flow.owner[id.index()];
        let place = NameScope::here(&self.ast.declarations, module);
        let mut guards: Vec<Ops> = Vec::new();
        let mut failing: Vec<Failure> = Vec::new();
        let mut none: Vec<Ops> = Vec::new();
        let clauses = &self.ast.clauses[clauses.range()];
        let mut chosen = Vec::with_capacity(clauses.len());
        for clause in clauses {
            let Some(guard) = clause.guard else {
                chosen.push(None);
                continue;
            };
            let nodes = expand(self.ast, guard, &[])?;
            let own =
                if self.arithmetic == Arithmetic::Check { failures(place, &nodes, self.text)? } else { Vec::new() };
            let guard = lower(place, &nodes)?.ops;
            let mut all = vec![guard.clone()];
            all.extend(own.iter().map(|failure| negated(failure.when.clone())));
            chosen.push(Some(all));
            guards.push(guard);
            failing.extend(own);
        }
        // That no clause's condition holds.
        if !guards.is_empty() {
            let count = guards.len();
            let mut any: Ops = Vec::new();
            for (index, guard) in guards.into_iter().enumerate() {
                any.extend(guard);
                if index > 0 {
                    any.push(expr::Op::Binary(Binary::Or));
                }
            }
            debug_assert!(count > 0);
            none.push(negated(any));
            none.extend(failing.iter().map(|failure| negated(failure.when.clone())));
        }
        for (clause, all) in clauses.iter().zip(chosen) {
            let chosen = Chosen { all: all.unwrap_or_else(|| none.clone()) };
            if self.ast.statement(clause.first).folded {
                let outcome = self.simple(clause.first, from, &chosen);
                self.complain_of_size(outcome, clause.first);
            } else {
                let to = self.symbols.at(clause.first);
                self.emit(from, Some(Stack::Swap(to)), vec![Draft::default()], &chosen, Visibility::Visible);
            }
        }
        let leaves = self.resolved.flow.left(self.ast, id, self.dialect);
        if let Some(next) = leaves {
            let stack = self.next(next, id).map(Stack::Swap);
            self.emit(from, stack, vec![Draft::default()], &Chosen { all: none }, Visibility::Visible);
        }
        for failure in failing {
            self.fail(from, &[], failure, Visibility::Visible);
        }
        Ok(())
    }

    /// A statement that is no block and no rule.
    fn simple(&mut self, id: StmtId, from: SymbolId, chosen: &Chosen) -> Result<(), TooLarge> {
        let ast = self.ast;
        let module = self.resolved.flow.owner[id.index()];
        let left = self.resolved.flow.left(ast, id, self.dialect);
        let next = left.and_then(|next| self.next(next, id)).map(Stack::Swap);
        match ast.statement(id).kind {
            StmtKind::Assign(assigns) => {
                let drafts = self.assigned(module, assigns, Time::After, Draft::default())?;
                self.emit(from, next, drafts, chosen, Visibility::Visible);
            }
            StmtKind::Break => self.emit(from, next, vec![Draft::default()], chosen, Visibility::Visible),
            StmtKind::Skip(condition) => {
                let mut draft = Draft::default();
                if let Some(condition) = condition {
                    let holds = self.storing(module).value(condition, &mut draft)?.ops;
                    draft.guard.push(holds);
                }
                self.emit(from, next, vec![draft], chosen, Visibility::Visible);
            }
            StmtKind::Goto(jump) => {
                let Jump { to, extra, .. } = ast.jumps[jump as usize];
                let drafts = self.assigned(module, extra, Time::After, Draft::default())?;
                let to = self.symbols.point(to);
                self.emit(from, Some(Stack::Swap(to)), drafts, chosen, Visibility::Visible);
            }
            StmtKind::Return(value) => {
                let mut draft = Draft::default();
                if let (Some(value), Some(module)) = (value, module) {
                    self.give_back(module, value, &mut draft)?;
                }
                self.emit(from, Some(Stack::Pop), vec![draft], chosen, Visibility::Visible);
            }
            StmtKind::Call(call) => self.call(id, from, call as usize, chosen)?,
            StmtKind::If(_) | StmtKind::Do(_) | StmtKind::Raw(_) => {}
        }
        Ok(())
    }

    /// The steps of a list of assignments: one for each way to choose for its `E`.
    fn assigned(
        &mut self,
        module: Option<u32>,
        assigns: Piece,
        time: Time,
        draft: Draft,
    ) -> Result<Vec<Draft>, TooLarge> {
        let mut drafts = vec![draft];
        for assign in self.ast.assigns(assigns) {
            let ways = choices(self.ast, assign.quantifiers).ok_or(TooLarge)?;
            if ways.len().saturating_mul(drafts.len()) > MOST_RULES {
                return Err(TooLarge);
            }
            let mut next = Vec::with_capacity(ways.len() * drafts.len());
            for draft in drafts {
                for way in &ways {
                    let mut draft = draft.clone();
                    for bound in way {
                        self.assign(module, assign, time, bound, &mut draft)?;
                    }
                    next.push(draft);
                }
            }
            drafts = next;
        }
        for draft in &mut drafts {
            draft.keep_others()?;
        }
        Ok(drafts)
    }

    fn assign(
        &self,
        module: Option<u32>,
        assign: &Assign,
        time: Time,
        bound: &[(u32, u64)],
        draft: &mut Draft,
    ) -> Result<(), TooLarge> {
        let storing = Storing { bound, ..self.storing(module) };
        let slots = storing.slots(assign.target, time, draft)?;
        let sources = storing.sources(assign.value, slots.len(), draft)?;
        let what = match assign.value {
            Value::Of(value) | Value::Except(value) => quoted(self.text, self.ast.root(value).span()),
            Value::Undef => String::new(),
        };
        let moped = self.dialect != Dialect::Auto && !assign.quantifiers.is_empty();
        for (slot, source) in slots.into_iter().zip(sources) {
            if moped && slot.cell.index.is_some() {
                draft.forget_cells(slot.cell.var, slot.cell.time);
            }
            storing.store(slot, source, &what, draft)?;
        }
        Ok(())
    }

    /// Leaves the result in the registers.
    fn give_back(&self, module: u32, value: Expression, draft: &mut Draft) -> Result<(), TooLarge> {
        let registers = self.registers.of(module);
        let storing = self.storing(Some(module));
        let results = &self.ast.modules[module as usize].results;
        let sources = storing.sources(Value::Of(value), results.len(), draft)?;
        let what = quoted(self.text, self.ast.root(value).span());
        for ((register, leaf), source) in registers.into_iter().zip(results).zip(sources) {
            let mut leaf = Leaf { name: "the result".into(), ..leaf.clone() };
            leaf.dims = register_dims(&leaf);
            let cell = Cell { var: register, time: Time::After, index: None };
            storing.store(Slot { cell, leaf }, source, &what, draft)?;
        }
        Ok(())
    }

    fn call(&mut self, id: StmtId, from: SymbolId, call: usize, chosen: &Chosen) -> Result<(), TooLarge> {
        let ast = self.ast;
        let caller = self.resolved.flow.owner[id.index()];
        let Call { module, arguments, result, extra, .. } = ast.calls[call];
        let storing = self.storing(caller);
        let mut draft = Draft::default();
        let callee = &ast.modules[module as usize];
        let locals = ast.declarations.locals(module as usize);
        for (parameter, argument) in callee.parameters.iter().zip(&ast.values[arguments.range()]) {
            let sources = storing.sources(*argument, parameter.leaves as usize, &mut draft)?;
            let what = match argument {
                Value::Of(value) | Value::Except(value) => quoted(self.text, ast.root(*value).span()),
                Value::Undef => continue,
            };
            for (index, source) in (parameter.first..).zip(sources) {
                let cell = Cell { var: Var::Local(index), time: Time::After, index: None };
                storing.store(Slot { cell, leaf: locals[index as usize].clone() }, source, &what, &mut draft)?;
            }
        }
        let drafts = self.assigned(caller, extra, Time::Saved, draft)?;
        let entry = self.symbols.entry(module);
        let after = self.next(self.resolved.flow.after[id.index()], id);
        let Some(target) = result else {
            // Where nothing follows, control returns to a point without rules.
            let site = after.unwrap_or(self.symbols.site(id).unwrap_or(self.symbols.end));
            self.emit(from, Some(Stack::Push(entry, site)), drafts, chosen, Visibility::Visible);
            return Ok(());
        };
        let site = self.symbols.site(id).expect("planned for every call with a result");
        self.emit(from, Some(Stack::Push(entry, site)), drafts, chosen, Visibility::Visible);
        let mut draft = Draft::default();
        let slots = storing.slots(target, Time::After, &mut draft)?;
        let name = &callee.name;
        for ((slot, register), leaf) in slots.into_iter().zip(self.registers.of(module)).zip(&callee.results) {
            let source = match leaf.dims.count() {
                0 => {
                    let ops = vec![expr::Op::Read(register, Time::Before)];
                    Source::Value(Lowered { ops, interval: Interval::of(leaf.scalar) })
                }
                _ => Source::Array(register, register_dims(leaf), leaf.scalar),
            };
            storing.store(slot, source, &format!("the result of {name}"), &mut draft)?;
        }
        draft.keep_others()?;
        for register in self.registers.of(module) {
            draft.forget_cells(register, Time::After);
        }
        self.emit(site, after.map(Stack::Swap), vec![draft], &Chosen::default(), Visibility::Silent);
        Ok(())
    }

    /// A rule as it stands in the text: nothing is kept but what its condition keeps.
    fn raw(&mut self, id: StmtId, raw: usize) -> Result<(), TooLarge> {
        let ast = self.ast;
        let Raw { from, to, points, label, condition, .. } = ast.raws[raw];
        let [Some(before), top, below] = points else { return Ok(()) };
        let module = |point: Option<Point>| point.and_then(|point| module_of(ast, &self.resolved.flow.owner, point));
        let modules = [module(Some(before)), module(top), module(below)];
        let place = NameScope { declarations: &ast.declarations, modules };
        let mut draft = Draft::default();
        for global in 0..ast.declarations.globals.len() as u32 {
            draft.forget_cells(Var::Global(global), Time::After);
        }
        let stack = match (top, below) {
            (None, _) => Stack::Pop,
            (Some(top), None) => Stack::Swap(self.symbols.point(top)),
            (Some(top), Some(below)) => Stack::Push(self.symbols.point(top), self.symbols.point(below)),
        };
        let (kept, time) = if below.is_some() { (modules[2], Time::Saved) } else { (modules[1], Time::After) };
        if let (Some(kept), true) = (kept, kept == modules[0]) {
            for local in 0..ast.declarations.locals(kept as usize).len() as u32 {
                draft.forget_cells(Var::Local(local), time);
            }
        }
        if let Some(condition) = condition {
            let nodes = expand(ast, condition, &[])?;
            draft.with.push(lower(place, &nodes)?.ops);
        }
        let head = Head { control: ControlId(from), symbol: self.symbols.point(before) };
        let label = label.map(|(start, end)| Box::new(Name::from(&self.text[start as usize..end as usize])));
        let with = self.shared_condition(draft.with);
        let updates = draft.updates.into();
        self.rules.push(Rule { from: head, to: ControlId(to), updates, with, label, ..rule(head.symbol, stack) });
        debug_assert!(matches!(ast.statement(id).kind, StmtKind::Raw(_)));
        Ok(())
    }

    // ---- rules

    fn shared_condition(&mut self, all: Vec<Ops>) -> Option<Expr> {
        let made = conjunction(all)?;
        if let Some(known) = self.shared.get(&made) {
            return Some(known.clone());
        }
        self.shared.insert(made.clone());
        Some(made)
    }

    /// The rules of a step: one for each draft, and one for each way to fail.
    fn emit(&mut self, from: SymbolId, stack: Option<Stack>, drafts: Vec<Draft>, chosen: &Chosen, kind: Visibility) {
        let mut failing: Vec<Failure> = Vec::new();
        let mut known: FxHashSet<Failure> = FxHashSet::default();
        for draft in drafts {
            let mut guard = chosen.all.clone();
            guard.extend(draft.guard);
            for failure in draft.failures {
                guard.push(negated(failure.when.clone()));
                if known.insert(failure.clone()) {
                    failing.push(failure);
                }
            }
            let Some(stack) = stack else { continue };
            let guard = self.shared_condition(guard);
            let with = self.shared_condition(draft.with);
            let updates = draft.updates.into();
            self.rules.push(Rule { guard, updates, with, silent: kind == Visibility::Silent, ..rule(from, stack) });
        }
        for failure in failing {
            self.fail(from, &chosen.all, failure, kind);
        }
    }

    fn fail(&mut self, from: SymbolId, chosen: &[Ops], failure: Failure, kind: Visibility) {
        self.fails = true;
        let Failure { when, what } = failure;
        let mut guard = chosen.to_vec();
        guard.push(when);
        let guard = self.shared_condition(guard);
        let label = Some(Box::new(Name::from(what)));
        let stack = Stack::Swap(self.symbols.fail);
        self.rules.push(Rule { guard, label, silent: kind == Visibility::Silent, ..rule(from, stack) });
    }
}

/// Whether a rule is a step of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visibility {
    Visible,
    Silent,
}

/// A rule without condition or effect.
pub(super) fn rule(from: SymbolId, stack: Stack) -> Rule {
    Rule {
        from: Head { control: ControlId(0), symbol: from },
        to: ControlId(0),
        stack,
        guard: None,
        updates: Updates::default(),
        with: None,
        silent: false,
        label: None,
    }
}

/// All of them; `None` where that is no restriction.
pub(super) fn conjunction(all: impl IntoIterator<Item = Ops>) -> Option<Expr> {
    let mut ops = Ops::new();
    for one in all.into_iter().filter(|one| one[..] != [expr::Op::Bool(true)]) {
        let first = ops.is_empty();
        ops.extend(one);
        if !first {
            ops.push(expr::Op::Binary(Binary::And));
        }
    }
    Expr::from_postorder(ops)
}

fn negated(mut ops: Ops) -> Ops {
    ops.push(expr::Op::Unary(Unary::Not));
    ops
}
