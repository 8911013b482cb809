//! From the resolved tree to the system. See [`super`] for the shape of the result.

use rustc_hash::FxHashSet;

use spds_format::Spds;
use spds_format::expr::{self, Binary, Expr, Time, Unary};
use spds_format::model::{
    ControlId, Frame, FrameId, Head, Name, Place, Rule, Stack, Start, Symbol, SymbolId, Type, Update, Updates, Var,
    Variable,
};

use super::Asserts;
use super::ast::*;
use super::flow::{END, Outline, Shape, outline, stores};
use super::resolve::Resolved;

const RUN: ControlId = ControlId(0);

/// Tells the place of what has an offset.
pub(super) type Placing<'p> = dyn FnMut(u32) -> Option<Place> + 'p;

/// Where a program comes from.
pub(super) struct Sources<'p> {
    /// The files that places refer to.
    pub files: Vec<Name>,
    /// Where an offset is.
    pub place: &'p mut Placing<'p>,
}

/// The system of a program, and for each of its symbols the statement for which it stands.
pub(super) fn lower(
    ast: &Ast,
    resolved: &Resolved,
    sources: Sources<'_>,
    asserts: Asserts,
) -> (Spds, Vec<Option<StmtId>>) {
    let Sources { files, place } = sources;
    let outline = outline(ast, resolved);
    let end = SymbolId(outline.symbols);
    let fail = SymbolId(outline.symbols + 1);
    let mut lowering = Lowering {
        ast,
        resolved,
        asserts,
        outline: &outline,
        fail,
        symbols: Vec::with_capacity(outline.symbols as usize + 2),
        statements: Vec::with_capacity(outline.symbols as usize + 2),
        rules: Vec::with_capacity(outline.rules + 2),
        place,
        shape: Shape::default(),
        ops: Vec::new(),
        updates: Vec::new(),
        shared: Shared::default(),
        assigned: (vec![0; ast.globals.len()], Vec::new()),
        assignments: 0,
    };
    for procedure in 0..ast.procedures.len() {
        lowering.procedure(procedure);
    }
    let (mut symbols, mut statements, mut rules) = (lowering.symbols, lowering.statements, lowering.rules);
    for (id, name) in [(end, "@end"), (fail, "@fail")] {
        symbols.push(Symbol { name: name.into(), frame: None, place: None, labels: Box::default(), invariant: None });
        statements.push(None);
        rules.push(rule(id, Stack::Swap(id)));
    }
    let entry = SymbolId(outline.entries[resolved.entry as usize]);
    let spds = Spds {
        files,
        globals: globals(ast, &outline),
        frames: frames(ast),
        controls: vec!["run".into()],
        symbols,
        rules,
        start: Start { control: RUN, stack: Box::new([entry, end]), condition: start_condition(ast, resolved) },
        atoms: Vec::new(),
        end: Some(end),
        fail: Some(fail),
    };
    (spds, statements)
}

// ---- declarations

fn globals(ast: &Ast, outline: &Outline) -> Vec<Variable> {
    let mut globals = Vec::with_capacity(ast.globals.len() + outline.registers as usize);
    globals.extend(ast.globals.iter().map(|declared| variable(ast, declared)));
    // SATABS allows names such as `$r1`: as many `$` as it takes to be nobody's name.
    let mut prefix = "$r".to_owned();
    while ast.names.iter().any(|name| name.starts_with(&prefix)) {
        prefix.insert(0, '$');
    }
    for number in 1..=outline.registers {
        globals.push(Variable { name: format!("{prefix}{number}").into(), ty: Type::BOOL, hidden: true });
    }
    globals
}

fn variable(ast: &Ast, declared: &Declared) -> Variable {
    Variable { name: Name::clone(ast.name(declared.name)), ty: Type::BOOL, hidden: false }
}

fn frames(ast: &Ast) -> Vec<Frame> {
    let frame = |procedure: &Procedure| Frame {
        name: Name::clone(ast.name(procedure.name)),
        variables: ast.variables(procedure).iter().map(|declared| variable(ast, declared)).collect(),
    };
    ast.procedures.iter().map(frame).collect()
}

/// The initial values of the globals and of the entry procedure's locals.
fn start_condition(ast: &Ast, resolved: &Resolved) -> Option<Expr> {
    let entry = &ast.procedures[resolved.entry as usize];
    let globals = ast.globals.iter().enumerate().map(|(i, declared)| (Var::Global(i as u32), declared.initial));
    let locals = ast.variables(entry).iter().enumerate().map(|(i, declared)| (Var::Local(i as u32), declared.initial));
    let mut ops = Vec::new();
    for (var, initial) in globals.chain(locals) {
        let Some(value) = initial else { continue };
        let first = ops.is_empty();
        ops.push(expr::Op::Read(var, Time::Before));
        if !value {
            ops.push(expr::Op::Unary(Unary::Not));
        }
        if !first {
            ops.push(expr::Op::Binary(Binary::And));
        }
    }
    Expr::from_postorder(ops)
}

// ---- procedures

/// What a symbol of a procedure stands for.
struct Standing {
    /// Which of the statements of its procedure, and what its name has after that number.
    number: usize,
    suffix: &'static str,
    statement: Option<StmtId>,
    place: Option<Place>,
}

struct Lowering<'a> {
    ast: &'a Ast,
    resolved: &'a Resolved,
    asserts: Asserts,
    outline: &'a Outline,
    fail: SymbolId,
    symbols: Vec<Symbol>,
    rules: Vec<Rule>,
    /// For each symbol its statement.
    statements: Vec<Option<StmtId>>,
    place: &'a mut Placing<'a>,
    shape: Shape<'a>,
    // Room for what is being built.
    ops: Vec<expr::Op>,
    updates: Vec<Update>,
    shared: Shared,
    /// For each global and each local, the last assignment that assigns it.
    assigned: (Vec<u32>, Vec<u32>),
    assignments: u32,
}

/// What a condition is used for: the run goes on where it may hold, or where it may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    True,
    False,
}

impl Lowering<'_> {
    fn procedure(&mut self, index: usize) {
        let ast = self.ast;
        let procedure = &ast.procedures[index];
        self.shape = self.outline.shape(ast, index);
        let frame = FrameId(index as u32);
        let base = self.outline.entries[index];
        self.assigned.1.clear();
        self.assigned.1.resize(procedure.variables.len(), 0);
        let invariant = self.invariant(procedure);
        let mut labels = ast.labels[procedure.labels.range()].iter().peekable();
        let statements = &ast.statements[procedure.statements.range()];
        for (number, statement) in statements.iter().enumerate() {
            let id = StmtId::new(procedure.statements.range().start + number);
            let labels = std::iter::from_fn(|| labels.next_if(|label| label.target == Some(id)));
            let labels = labels.map(|label| Name::clone(ast.name(label.name))).collect();
            let place = (self.place)(statement.at);
            let at = Standing { number, suffix: "", statement: Some(id), place };
            let from = self.symbol(procedure, frame, at, labels, invariant.clone());
            debug_assert_eq!(from.0, base + self.shape.symbol[number], "the outline counted right");
            self.statement(index, number, statement, from, place);
        }
        if self.shape.has_end {
            let labels = labels.map(|label| Name::clone(ast.name(label.name))).collect();
            let place = (self.place)(procedure.end);
            let at = Standing { number: statements.len(), suffix: "", statement: None, place };
            let from = self.symbol(procedure, frame, at, labels, invariant);
            self.give_back(index, None);
            self.push(from, Stack::Pop);
        }
    }

    /// `enforce` at the head: what every visible configuration of the procedure satisfies.
    fn invariant(&mut self, procedure: &Procedure) -> Option<Expr> {
        let ast = self.ast;
        for (i, condition) in ast.list(procedure.enforced).iter().enumerate() {
            self.append(*condition);
            if i > 0 {
                self.ops.push(expr::Op::Binary(Binary::And));
            }
        }
        self.condition(When::True)
    }

    fn symbol(
        &mut self,
        procedure: &Procedure,
        frame: FrameId,
        at: Standing,
        labels: Box<[Name]>,
        invariant: Option<Expr>,
    ) -> SymbolId {
        let Standing { number, suffix, statement, place } = at;
        let name = Name::numbered(self.ast.name(procedure.name), number, suffix);
        self.symbols.push(Symbol { name, frame: Some(frame), place, labels, invariant });
        self.statements.push(statement);
        SymbolId(self.symbols.len() as u32 - 1)
    }

    /// The symbol of the `number`-th statement of the present procedure, or of its end.
    fn at(&self, procedure: usize, number: u32) -> SymbolId {
        let number = if number == END { self.shape.end } else { self.shape.symbol[number as usize] };
        SymbolId(self.outline.entries[procedure] + number)
    }

    fn enter(&self, procedure: usize, block: Option<StmtId>, otherwise: SymbolId) -> SymbolId {
        block.map_or(otherwise, |id| self.at(procedure, self.shape.local(id)))
    }

    /// Adds a rule with the updates that have been collected.
    fn push(&mut self, from: SymbolId, stack: Stack) -> &mut Rule {
        let updates = self.shared.updates(&self.updates);
        self.updates.clear();
        self.rules.push(Rule { updates, ..rule(from, stack) });
        self.rules.last_mut().expect("it has just been pushed")
    }

    fn guarded(&mut self, from: SymbolId, condition: Expression, when: When, to: SymbolId) {
        self.append(condition);
        let guard = self.condition(when);
        self.push(from, Stack::Swap(to)).guard = guard;
    }

    fn statement(&mut self, procedure: usize, number: usize, statement: &Stmt, from: SymbolId, place: Option<Place>) {
        let ast = self.ast;
        let next = self.at(procedure, self.shape.after[number]);
        match statement.kind {
            StmtKind::Skip | StmtKind::Print(_) | StmtKind::Dead(_) => {
                self.push(from, Stack::Swap(next));
            }
            StmtKind::Assume(e) | StmtKind::Enforce(e) => self.guarded(from, e, When::True, next),
            StmtKind::Assert(e) => {
                self.guarded(from, e, When::True, next);
                self.fails(from, e, When::False);
            }
            StmtKind::AbortIf(e) => {
                self.guarded(from, e, When::False, next);
                self.fails(from, e, When::True);
            }
            StmtKind::If(test) | StmtKind::While(test) => {
                let Test { condition, first, otherwise } = ast.tests[test as usize];
                let after_branch = if matches!(statement.kind, StmtKind::While(_)) { from } else { next };
                let (then, otherwise) =
                    (self.enter(procedure, first, after_branch), self.enter(procedure, otherwise, next));
                self.guarded(from, condition, When::True, then);
                self.guarded(from, condition, When::False, otherwise);
            }
            StmtKind::Goto(jumps) => {
                for jump in &ast.jumps[jumps.range()] {
                    let to = match jump.to {
                        Destination::Statement(id) => self.at(procedure, self.shape.local(id)),
                        Destination::End | Destination::Name(_) => self.at(procedure, END),
                    };
                    self.push(from, Stack::Swap(to));
                }
            }
            StmtKind::Return(values) => {
                self.give_back(procedure, Some(values));
                self.push(from, Stack::Pop);
            }
            StmtKind::Assign(assign) => self.assign(number, &ast.assigns[assign as usize], from, next),
            StmtKind::Constrain(condition) => self.constrain(procedure, condition, from, next),
            StmtKind::Call(call) => self.call(procedure, number, &ast.calls[call as usize], (from, next), place),
        }
    }

    /// The rule to `@fail`, unless assertions only block.
    fn fails(&mut self, from: SymbolId, condition: Expression, when: When) {
        if self.asserts == Asserts::Check {
            self.guarded(from, condition, when, self.fail);
        }
    }

    fn update(&mut self, var: Var, value: Expr) {
        self.updates.push(Update { var, time: Time::After, index: None, value });
    }

    /// Leaves the results in the registers, arbitrary ones if no values are given.
    fn give_back(&mut self, procedure: usize, values: Option<Piece>) {
        if !self.resolved.wanted[procedure] {
            return;
        }
        let ast = self.ast;
        let values = ast.list(values.unwrap_or_default());
        for register in 0..ast.procedures[procedure].results.unwrap_or(0) {
            let value = match values.get(register as usize) {
                Some(value) => self.value(*value),
                None => self.any(),
            };
            self.update(self.register(register), value);
        }
    }

    fn register(&self, number: u32) -> Var {
        Var::Global(self.ast.globals.len() as u32 + number)
    }

    fn assign(&mut self, number: usize, assign: &Assign, from: SymbolId, next: SymbolId) {
        let ast = self.ast;
        self.assignments += 1;
        for (target, value) in ast.targets[assign.targets.range()].iter().zip(ast.list(assign.values)) {
            let var = match target.place {
                Assignee::Global(index) => {
                    self.assigned.0[index as usize] = self.assignments;
                    Var::Global(index)
                }
                Assignee::Local(index) => {
                    self.assigned.1[index as usize] = self.assignments;
                    Var::Local(index)
                }
                Assignee::Discard | Assignee::Name(_) => continue,
            };
            let value = self.value(*value);
            self.update(var, value);
        }
        if let Some(condition) = assign.constrain {
            self.append(condition);
            self.keep_unassigned(0, Time::Before);
        }
        let mut scope = self.shape.enforced.get(number).copied().unwrap_or(END);
        while scope != END {
            if let StmtKind::Enforce(condition) = ast.statements[self.shape.first + scope as usize].kind {
                let start = self.ops.len();
                self.append(condition);
                self.keep_unassigned(start, Time::After);
                if start > 0 {
                    self.ops.push(expr::Op::Binary(Binary::And));
                }
            }
            scope = self.shape.enforced[scope as usize];
        }
        let with = self.condition(When::True);
        self.push(from, Stack::Swap(next)).with = with;
    }

    /// In the operations from there on, lets every variable that the present assignment assigns be read at that time or
    /// as it says itself, whichever is later, and every other one before the step: it keeps its value.
    fn keep_unassigned(&mut self, start: usize, at_least: Time) {
        for op in &mut self.ops[start..] {
            if let expr::Op::Read(var, time) = op {
                let assigned = match *var {
                    Var::Global(index) => self.assigned.0[index as usize],
                    Var::Local(index) => self.assigned.1[index as usize],
                };
                *time = if assigned == self.assignments { (*time).max(at_least) } else { Time::Before };
            }
        }
    }

    /// The statement `constrain(c);`: everything arbitrary but for c.
    fn constrain(&mut self, procedure: usize, condition: Expression, from: SymbolId, next: SymbolId) {
        for index in 0..self.ast.globals.len() as u32 {
            let any = self.any();
            self.update(Var::Global(index), any);
        }
        for index in 0..self.ast.procedures[procedure].variables.len() as u32 {
            let any = self.any();
            self.update(Var::Local(index), any);
        }
        self.append(condition);
        let with = self.condition(When::True);
        self.push(from, Stack::Swap(next)).with = with;
    }

    fn call(
        &mut self,
        procedure: usize,
        number: usize,
        call: &Call,
        (from, next): (SymbolId, SymbolId),
        place: Option<Place>,
    ) {
        let ast = self.ast;
        let Callee::Procedure(index) = call.callee else { return };
        let callee = &ast.procedures[index as usize];
        let entry = SymbolId(self.outline.entries[index as usize]);
        for (parameter, argument) in ast.list(call.arguments).iter().enumerate() {
            let value = self.value(*argument);
            self.update(Var::Local(parameter as u32), value);
        }
        for (local, declared) in ast.variables(callee).iter().enumerate() {
            if let Some(value) = declared.initial {
                self.ops.push(expr::Op::Bool(value));
                let value = self.take_ops();
                self.update(Var::Local(local as u32), value);
            }
        }
        if !stores(ast, call) {
            self.push(from, Stack::Push(entry, next));
            return;
        }
        let frame = FrameId(procedure as u32);
        let statement = Some(StmtId::new(self.shape.first + number));
        let at = Standing { number, suffix: "$", statement, place };
        let site = self.symbol(&ast.procedures[procedure], frame, at, Box::default(), None);
        self.push(from, Stack::Push(entry, site));
        for (register, target) in ast.targets[call.targets.range()].iter().enumerate() {
            self.ops.push(expr::Op::Read(self.register(register as u32), Time::Before));
            let value = self.take_ops();
            match target.place {
                Assignee::Global(index) => self.update(Var::Global(index), value),
                Assignee::Local(index) => self.update(Var::Local(index), value),
                Assignee::Discard | Assignee::Name(_) => {}
            }
        }
        for register in 0..call.targets.len() as u32 {
            let any = self.any();
            self.update(self.register(register), any);
        }
        self.push(site, Stack::Swap(next)).silent = true;
    }

    // ---- expressions

    /// Appends an expression to the operations being built.
    fn append(&mut self, expression: Expression) {
        self.ops.extend(self.ast.nodes(expression).iter().map(|node| match node.op {
            Op::Const(value) => expr::Op::Bool(value),
            Op::Any => expr::Op::Any,
            Op::Global(index, time) => expr::Op::Read(Var::Global(index), time),
            Op::Local(index, time) => expr::Op::Read(Var::Local(index), time),
            Op::Name(..) => unreachable!("resolution leaves no names"),
            Op::Not => expr::Op::Unary(Unary::Not),
            Op::And => expr::Op::Binary(Binary::And),
            Op::Or => expr::Op::Binary(Binary::Or),
            Op::Xor | Op::Ne => expr::Op::Binary(Binary::Xor),
            Op::Implies => expr::Op::Binary(Binary::Implies),
            Op::Eq => expr::Op::Binary(Binary::Iff),
            Op::Ite => expr::Op::Ite,
            Op::Choose => expr::Op::Choose,
        }));
    }

    fn value(&mut self, expression: Expression) -> Expr {
        self.append(expression);
        self.take_ops()
    }

    fn any(&mut self) -> Expr {
        self.ops.push(expr::Op::Any);
        self.take_ops()
    }

    /// Takes the operations as a condition: `None` where it is no restriction.
    fn condition(&mut self, when: When) -> Option<Expr> {
        match (self.ops.last(), when) {
            (None, _) => return None,
            (Some(expr::Op::Unary(Unary::Not)), When::False) => {
                self.ops.pop();
            }
            (_, When::False) => self.ops.push(expr::Op::Unary(Unary::Not)),
            (_, When::True) => {}
        }
        match self.ops[..] {
            [expr::Op::Any | expr::Op::Bool(true)]
            | [expr::Op::Any | expr::Op::Bool(false), expr::Op::Unary(Unary::Not)] => {
                self.ops.clear();
                None
            }
            _ => Some(self.take_ops()),
        }
    }

    fn take_ops(&mut self) -> Expr {
        let expr = self.shared.expr(&self.ops);
        self.ops.clear();
        expr
    }
}

/// Expressions and lists of updates that have been made: equal procedures share theirs.
#[derive(Default)]
struct Shared {
    exprs: FxHashSet<Expr>,
    updates: FxHashSet<Updates>,
}

impl Shared {
    fn expr(&mut self, ops: &[expr::Op]) -> Expr {
        if let Some(known) = self.exprs.get(ops) {
            return known.clone();
        }
        let made = Expr::from_postorder(ops).expect("the parser makes whole trees");
        self.exprs.insert(made.clone());
        made
    }

    fn updates(&mut self, list: &[Update]) -> Updates {
        if list.is_empty() {
            return Updates::default();
        }
        if let Some(known) = self.updates.get(list) {
            return known.clone();
        }
        let made = Updates::from(list);
        self.updates.insert(made.clone());
        made
    }
}

fn rule(from: SymbolId, stack: Stack) -> Rule {
    Rule {
        from: Head { control: RUN, symbol: from },
        to: RUN,
        stack,
        guard: None,
        updates: Default::default(),
        with: None,
        silent: false,
        label: None,
    }
}
