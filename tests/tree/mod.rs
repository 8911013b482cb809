//! A second interpreter of Boolean programs: it walks the resolved tree and knows nothing of pushdown systems.
//!
//! Every way to take one step is tried. Conditions and values denote sets of truth values, since `*` and `schoose` are
//! drawn afresh wherever they occur.

use std::collections::BTreeSet;

use puch::boolprog::ast::{
    Assignee, Ast, Call, Callee, Destination, Expression, Op, Piece, Procedure, Stmt, StmtId, StmtKind,
};
use spds_format::expr::Time;

/// A point of control: a statement, or the end of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Point {
    Statement(StmtId),
    End(usize),
}

/// Values of variables, in the order of declaration.
pub type Values = Vec<bool>;

/// What the topmost procedure sees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    pub procedure: usize,
    pub point: Point,
    pub globals: Values,
    pub locals: Values,
}

/// What one step leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Next {
    Step(State),
    /// The callee's first state; the caller's locals stay as they are.
    Call(State),
    /// The globals and the results.
    Return(Values, Values),
    Fail(Values),
}

/// A program to be run.
pub struct Machine<'a> {
    pub ast: &'a Ast,
    pub entry: usize,
    /// For each statement, the `enforce` statements that speak of it.
    enforced: Vec<Vec<Expression>>,
}

/// The truth values that an expression may have.
#[derive(Clone, Copy)]
struct Truth {
    one: bool,
    zero: bool,
}

impl Truth {
    fn all(self) -> Vec<bool> {
        [(self.zero, false), (self.one, true)].into_iter().filter(|(may, _)| *may).map(|(_, value)| value).collect()
    }
}

impl<'a> Machine<'a> {
    pub fn new(ast: &'a Ast, entry: usize) -> Machine<'a> {
        let mut machine = Machine { ast, entry, enforced: vec![Vec::new(); ast.statements.len()] };
        for procedure in &ast.procedures {
            let mut blocks: Vec<(Option<StmtId>, Vec<Expression>)> = vec![(procedure.body, Vec::new())];
            while let Some((mut next, mut conditions)) = blocks.pop() {
                while let Some(id) = next {
                    machine.enforced[id.index()] = conditions.clone();
                    let statement = ast.statement(id);
                    match statement.kind {
                        StmtKind::Enforce(condition) => conditions.push(condition),
                        StmtKind::If(test) | StmtKind::While(test) => {
                            let test = ast.tests[test as usize];
                            blocks.extend([(test.first, conditions.clone()), (test.otherwise, conditions.clone())]);
                        }
                        _ => {}
                    }
                    next = statement.next;
                }
            }
        }
        machine
    }

    fn procedure(&self, number: usize) -> &'a Procedure {
        &self.ast.procedures[number]
    }

    /// All points of a procedure that has statements from a piece of the tree.
    pub fn points(&self, procedure: usize) -> Vec<Point> {
        let statements = self.procedure(procedure).statements.range();
        statements.map(|index| Point::Statement(StmtId::new(index))).chain([Point::End(procedure)]).collect()
    }

    /// Where a procedure begins.
    pub fn first(&self, procedure: usize) -> Point {
        self.procedure(procedure).body.map_or(Point::End(procedure), Point::Statement)
    }

    /// Whether runs may start so.
    pub fn starts(&self, state: &State) -> bool {
        let procedure = self.procedure(state.procedure);
        let initial = |declared: &[puch::boolprog::ast::Declared], values: &Values| {
            declared
                .iter()
                .zip(values)
                .all(|(declared, value)| declared.initial.is_none_or(|initial| initial == *value))
        };
        state.procedure == self.entry
            && state.point == self.first(self.entry)
            && initial(&self.ast.globals, &state.globals)
            && initial(self.ast.variables(procedure), &state.locals)
            && self.allowed(state)
    }

    /// Whether what is enforced at the head of the procedure holds.
    pub fn allowed(&self, state: &State) -> bool {
        let conditions = self.ast.list(self.procedure(state.procedure).enforced);
        conditions.iter().all(|condition| self.value(*condition, state, None).one)
    }

    /// After a statement, in its block or behind it.
    fn after(&self, procedure: usize, mut statement: &'a Stmt) -> Point {
        loop {
            if let Some(next) = statement.next {
                return Point::Statement(next);
            }
            let Some(parent) = statement.parent else { return Point::End(procedure) };
            statement = self.ast.statement(parent);
            if let StmtKind::While(_) = statement.kind {
                return Point::Statement(parent);
            }
        }
    }

    /// All that one step leads to.
    pub fn steps(&self, state: &State) -> BTreeSet<Next> {
        let mut found = BTreeSet::new();
        let Point::Statement(id) = state.point else {
            self.give_back(state, Piece::default(), &mut found);
            return found;
        };
        let statement = self.ast.statement(id);
        let next = self.after(state.procedure, statement);
        let mut go = |point: Point| {
            found.insert(Next::Step(State { point, ..state.clone() }));
        };
        match statement.kind {
            StmtKind::Skip | StmtKind::Print(_) | StmtKind::Dead(_) => go(next),
            StmtKind::Assume(condition) | StmtKind::Enforce(condition) => {
                if self.value(condition, state, None).one {
                    go(next);
                }
            }
            StmtKind::Assert(condition) | StmtKind::AbortIf(condition) => {
                let truth = self.value(condition, state, None);
                let fails = matches!(statement.kind, StmtKind::AbortIf(_));
                for value in truth.all() {
                    if value == fails {
                        found.insert(Next::Fail(state.globals.clone()));
                    } else {
                        found.insert(Next::Step(State { point: next, ..state.clone() }));
                    }
                }
            }
            StmtKind::If(test) | StmtKind::While(test) => {
                let test = self.ast.tests[test as usize];
                let again = matches!(statement.kind, StmtKind::While(_));
                for value in self.value(test.condition, state, None).all() {
                    let branch = if value { test.first } else { test.otherwise };
                    let empty = if value && again { state.point } else { next };
                    go(branch.map_or(empty, Point::Statement));
                }
            }
            StmtKind::Goto(jumps) => self.ast.jumps[jumps.range()].iter().for_each(|jump| match jump.to {
                Destination::Statement(id) => go(Point::Statement(id)),
                Destination::End => go(Point::End(state.procedure)),
                Destination::Name(_) => unreachable!("resolved"),
            }),
            StmtKind::Return(values) => self.give_back(state, values, &mut found),
            StmtKind::Assign(assign) => {
                let assign = self.ast.assigns[assign as usize];
                for values in self.lists(assign.values, state) {
                    let after = self.stored(assign.targets, &values, State { point: next, ..state.clone() });
                    let fits = |condition: &Expression| self.value(*condition, state, Some(&after)).one;
                    let enforced = |condition: &Expression| self.value(*condition, &after, None).one;
                    if assign.constrain.iter().all(fits) && self.enforced[id.index()].iter().all(enforced) {
                        found.insert(Next::Step(after));
                    }
                }
            }
            StmtKind::Constrain(condition) => {
                for globals in all_values(state.globals.len()) {
                    for locals in all_values(state.locals.len()) {
                        let after = State { point: next, globals: globals.clone(), locals, ..state.clone() };
                        if self.value(condition, state, Some(&after)).one {
                            found.insert(Next::Step(after));
                        }
                    }
                }
            }
            StmtKind::Call(call) => self.call(self.ast.calls[call as usize], state, &mut found),
        }
        found.retain(|next| match next {
            Next::Step(state) | Next::Call(state) => self.allowed(state),
            Next::Return(..) | Next::Fail(_) => true,
        });
        found
    }

    fn call(&self, call: Call, state: &State, found: &mut BTreeSet<Next>) {
        let callee = self.callee(call);
        let procedure = self.procedure(callee);
        let declared = &self.ast.variables(procedure)[procedure.parameters as usize..];
        for arguments in self.lists(call.arguments, state) {
            for own in all_values(declared.len()) {
                let fits =
                    declared.iter().zip(&own).all(|(d, value)| d.initial.is_none_or(|initial| initial == *value));
                let locals = [&arguments[..], &own].concat();
                let (globals, point) = (state.globals.clone(), self.first(callee));
                if fits {
                    found.insert(Next::Call(State { procedure: callee, point, globals, locals }));
                }
            }
        }
    }

    /// The procedure that a call calls.
    pub fn callee(&self, call: Call) -> usize {
        let Callee::Procedure(number) = call.callee else { unreachable!("resolved") };
        number as usize
    }

    /// Where the caller goes on when a call returns with these globals and results, if it may.
    pub fn resume(&self, caller: &State, globals: &Values, results: &Values) -> Option<State> {
        let Point::Statement(id) = caller.point else { return None };
        let statement = self.ast.statement(id);
        let StmtKind::Call(call) = statement.kind else { return None };
        let point = self.after(caller.procedure, statement);
        let state = State { point, globals: globals.clone(), ..caller.clone() };
        Some(self.stored(self.ast.calls[call as usize].targets, results, state)).filter(|state| self.allowed(state))
    }

    fn give_back(&self, state: &State, values: Piece, found: &mut BTreeSet<Next>) {
        let count = self.procedure(state.procedure).results.unwrap_or(0) as usize;
        let all = if values.is_empty() { all_values(count) } else { self.lists(values, state) };
        found.extend(all.into_iter().map(|results| Next::Return(state.globals.clone(), results)));
    }

    fn stored(&self, targets: Piece, values: &Values, mut state: State) -> State {
        for (target, value) in self.ast.targets[targets.range()].iter().zip(values) {
            match target.place {
                Assignee::Discard => {}
                Assignee::Global(number) => state.globals[number as usize] = *value,
                Assignee::Local(number) => state.locals[number as usize] = *value,
                Assignee::Name(_) => unreachable!("resolved"),
            }
        }
        state
    }

    /// All values that a list of expressions may have together.
    fn lists(&self, piece: Piece, state: &State) -> Vec<Values> {
        let mut all = vec![Vec::new()];
        for expression in self.ast.list(piece) {
            let values = self.value(*expression, state, None).all();
            all = all.iter().flat_map(|list| values.iter().map(|value| [&list[..], &[*value]].concat())).collect();
        }
        all
    }

    fn value(&self, expression: Expression, before: &State, after: Option<&State>) -> Truth {
        let mut stack: Vec<Truth> = Vec::new();
        let at = |time| if time == Time::Before { before } else { after.expect("primes stand in relations only") };
        let is = |value: bool| Truth { one: value, zero: !value };
        for node in self.ast.nodes(expression) {
            let operands = stack.split_off(stack.len() - node.op.arity());
            // Every way to draw the operands, and what comes of it.
            let drawn = |apply: &dyn Fn(&[bool]) -> Truth| {
                let mut lists = vec![Vec::new()];
                for operand in &operands {
                    let longer = |list: &Values| -> Vec<Values> {
                        operand.all().into_iter().map(|value| [&list[..], &[value]].concat()).collect()
                    };
                    lists = lists.iter().flat_map(longer).collect();
                }
                let results: Vec<Truth> = lists.iter().map(|list| apply(list)).collect();
                Truth { one: results.iter().any(|truth| truth.one), zero: results.iter().any(|truth| truth.zero) }
            };
            stack.push(match node.op {
                Op::Const(value) => is(value),
                Op::Any => Truth { one: true, zero: true },
                Op::Name(..) => unreachable!("resolved"),
                Op::Global(number, time) => is(at(time).globals[number as usize]),
                Op::Local(number, time) => is(at(time).locals[number as usize]),
                Op::Not => drawn(&|v| is(!v[0])),
                Op::And => drawn(&|v| is(v[0] && v[1])),
                Op::Or => drawn(&|v| is(v[0] || v[1])),
                Op::Xor | Op::Ne => drawn(&|v| is(v[0] != v[1])),
                Op::Implies => drawn(&|v| is(!v[0] || v[1])),
                Op::Eq => drawn(&|v| is(v[0] == v[1])),
                Op::Ite => drawn(&|v| is(if v[0] { v[1] } else { v[2] })),
                Op::Choose => drawn(&|v| if v[0] || v[1] { is(v[0]) } else { Truth { one: true, zero: true } }),
            });
        }
        stack.pop().expect("an expression is never empty")
    }
}

/// All lists of so many truth values.
pub fn all_values(count: usize) -> Vec<Values> {
    (0..1usize << count).map(|bits| (0..count).map(|bit| bits >> bit & 1 == 1).collect()).collect()
}
