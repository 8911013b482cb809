//! A function executed from any state, all ways at once: where ways meet, what is known is a choice; where they go round, it is what a
//! loop keeps (`looped`); where a function is called, it is what is known of that, or its text if that is short (`call`).

use std::collections::HashMap;
use std::rc::Rc;

use spds_format::model::Place;

use crate::bitvec::Term;
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::program::{Failure, Label, ProcedureId, Room, Statement, StatementId, StatementKind, VariableId};

use super::Kind;
use super::effects::Calls;
use super::machine::{From, OBJECT, OFFSET, Pointer, Value};
use super::memory::Changed;
use super::order::{Item, ordered};
use super::solver::Solver;
use super::state::{Dead, Literal, State};
use super::summary::Summary;
use super::values::{About, Demand, Values, World};

/// What is known of the program while a function of it is looked at.
pub struct Context<'c> {
    /// What statements may do.
    pub calls: &'c Calls,
    /// Variables whose address is taken somewhere.
    pub taken: &'c [bool],
    /// By procedure, what is known of it; nothing of those that are being looked at.
    pub summaries: &'c [Option<Summary>],
    /// Whether all that is stored in memory as a pointer is NULL or leads to an element of its type.
    pub keeps: bool,
}

/// Where something has to hold.
#[derive(Clone, Debug)]
pub struct Use {
    /// Which statement of the function it is, or is called by.
    pub at: StatementId,
    /// Where.
    pub place: Place,
    /// What holds because control came there.
    pub reach: Vec<Literal>,
    /// What has to hold.
    pub demand: Demand,
    /// What it is, in C.
    pub text: Rc<str>,
    /// Whether it is a call, whose callee demands it.
    pub is_call: bool,
}

/// A procedure on the way.
pub(super) struct Frame {
    pub procedure: ProcedureId,
    pub pending: HashMap<Label, Vec<State>>,
    returns: Vec<State>,
    /// Where what is demanded in it is told, if it is no function of the user's.
    told: Option<(StatementId, Place, Rc<str>)>,
}

/// A function on its way through all of its runs.
pub struct Walk<'w, 'a> {
    /// Terms and memories.
    pub world: &'w mut World<'a>,
    /// What is known.
    pub context: &'w Context<'w>,
    /// Decides.
    pub solver: &'w mut Solver,
    /// What has to hold where, in the order of execution.
    pub uses: Vec<Use>,
    /// Pointers that are stored: each should be NULL or lead to an element.
    pub stored: Vec<(Vec<Literal>, Term)>,
    pub(super) frames: Vec<Frame>,
    /// Expressions by what they are at the entry: names for terms.
    pub read: Vec<ExpressionId>,
}

/// Executes a function from a state; where it returns, if it does.
pub fn walk(walk: &mut Walk<'_, '_>, function: ProcedureId, state: State) -> Option<State> {
    walk.inside(function, state, None)
}

impl<'w, 'a> Walk<'w, 'a> {
    /// Nothing is executed yet.
    pub fn new(world: &'w mut World<'a>, context: &'w Context<'w>, solver: &'w mut Solver) -> Self {
        Walk { world, context, solver, uses: Vec::new(), stored: Vec::new(), frames: Vec::new(), read: Vec::new() }
    }

    pub(super) fn inside(
        &mut self,
        procedure: ProcedureId,
        state: State,
        told: Option<(StatementId, Place, Rc<str>)>,
    ) -> Option<State> {
        let items = ordered(self.world.machine.program.procedure(procedure).body.as_deref().unwrap_or(&[]));
        let pending = HashMap::from([(Label(0), vec![state])]);
        self.frames.push(Frame { procedure, pending, returns: Vec::new(), told });
        self.items(&items);
        let frame = self.frames.pop()?;
        State::joined(&mut self.world.machine, &mut self.world.memories, frame.returns)
    }

    pub(super) fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a procedure is being executed")
    }

    pub(super) fn items(&mut self, items: &[Item]) {
        for item in items {
            if self.solver.is_stopped() {
                return;
            }
            match item {
                Item::Statement(label) => {
                    if let Some(state) = self.arrived(*label) {
                        self.step(*label, state);
                    }
                }
                Item::Loop(one) => self.looped(one),
            }
        }
    }

    /// What is known where control comes to a statement.
    pub(super) fn arrived(&mut self, label: Label) -> Option<State> {
        let states = self.frame().pending.remove(&label)?;
        State::joined(&mut self.world.machine, &mut self.world.memories, states)
    }

    fn goes(&mut self, to: Label, state: State) {
        self.frame().pending.entry(to).or_default().push(state);
    }

    /// Executes a statement.
    pub(super) fn step(&mut self, label: Label, mut state: State) {
        let program = self.world.machine.program;
        let procedure = self.frame().procedure;
        let Some(statement) = program.procedure(procedure).body.as_ref().and_then(|body| body.get(label.0 as usize))
        else {
            return;
        };
        let at = StatementId::of(procedure, label);
        let next = Label(label.0 + 1);
        match &statement.kind {
            StatementKind::Skip => self.goes(next, state),
            StatementKind::Goto(to) => self.goes(*to, state),
            StatementKind::Assign(to, e) => {
                let Some(value) = self.evaluated(at, statement, &mut state, *e) else { return };
                self.assigned(at, statement, state, *to, value, next);
            }
            StatementKind::Input(to, _) => self.arbitrary(at, statement, state, *to, next),
            StatementKind::Havoc(to, _, exact) | StatementKind::Unseen(to, _, exact) => {
                if let Some(exact) = exact
                    && self.evaluated(at, statement, &mut state, *exact).is_none()
                {
                    return;
                }
                self.arbitrary(at, statement, state, *to, next);
            }
            StatementKind::Declare(variable) => {
                self.begins(&mut state, *variable);
                self.goes(next, state);
            }
            StatementKind::Dead(variable) => {
                self.ends(&mut state, *variable);
                self.goes(next, state);
            }
            StatementKind::Allocate { to, size, room, .. } => {
                let Some(size) = self.wide(at, statement, &mut state, *size) else { return };
                let value = self.allocated(&mut state, size, *room);
                self.assigned(at, statement, state, *to, value, next);
            }
            StatementKind::Free(e) => {
                if self.freed(at, statement, &mut state, *e) {
                    self.goes(next, state);
                }
            }
            StatementKind::Assume(e) => {
                let Some(truth) = self.truth(at, statement, &mut state, *e) else { return };
                if state.assume(&self.world.machine, truth, Some((*e, true))) {
                    self.goes(next, state);
                }
            }
            StatementKind::Branch(e, yes, no) => self.branches(at, statement, state, (*e, *yes, *no)),
            StatementKind::Fail(failure) => self.fails(at, statement, &mut state, *failure),
            StatementKind::Return(value) => {
                state.result = None;
                if let Some(e) = value {
                    let Some(value) = self.evaluated(at, statement, &mut state, *e) else { return };
                    state.result = Some(value);
                }
                self.frame().returns.push(state);
            }
            StatementKind::Exit(code) => {
                if let Some(e) = code {
                    self.evaluated(at, statement, &mut state, *e);
                }
            }
            StatementKind::External(to, _, arguments, effect) => {
                self.leaves(at, statement, state, (*to, arguments, *effect), next);
            }
            StatementKind::Call(to, callee, arguments) => {
                self.calls(at, statement, state, (*to, *callee, arguments), next);
            }
        }
    }

    /// What has to hold does, from here on; whether that is possible.
    pub(super) fn demanded(
        &mut self,
        at: StatementId,
        statement: &Statement,
        state: &mut State,
        demands: Vec<Demand>,
    ) -> bool {
        for demand in demands {
            let term = demand.term;
            self.told(at, statement, state, demand, None);
            if !state.assume(&self.world.machine, term, None) {
                return false;
            }
        }
        true
    }

    /// Notes that something has to hold, where that is told.
    pub(super) fn told(
        &mut self,
        at: StatementId,
        statement: &Statement,
        state: &State,
        demand: Demand,
        text: Option<Rc<str>>,
    ) {
        let program = self.world.machine.program;
        let depth = self.frames.len();
        let (at, place, text, is_call) = match self.frames.iter().find_map(|frame| frame.told.clone()) {
            _ if depth == 1 => {
                let is_call = text.is_some();
                let text = text.unwrap_or_else(|| text_of(program, &demand, statement).into());
                (at, statement.place, text, is_call)
            }
            Some((at, place, text)) => (at, place, text, true),
            None => return,
        };
        self.uses.push(Use { at, place, reach: state.reach.clone(), demand, text, is_call });
    }

    pub(super) fn evaluated(
        &mut self,
        at: StatementId,
        statement: &Statement,
        state: &mut State,
        e: ExpressionId,
    ) -> Option<Value> {
        let mut values = Values::new(self.world, state);
        let value = values.value(e);
        let demands = std::mem::take(&mut values.demands);
        if self.frames.len() == 1 {
            self.read.push(e);
        }
        self.demanded(at, statement, state, demands).then_some(value)
    }

    fn truth(&mut self, at: StatementId, statement: &Statement, state: &mut State, e: ExpressionId) -> Option<Term> {
        let mut values = Values::new(self.world, state);
        let truth = values.truth(e);
        let demands = std::mem::take(&mut values.demands);
        if self.frames.len() == 1 {
            self.read.push(e);
        }
        self.demanded(at, statement, state, demands).then_some(truth)
    }

    fn wide(&mut self, at: StatementId, statement: &Statement, state: &mut State, e: ExpressionId) -> Option<Term> {
        let mut values = Values::new(self.world, state);
        let number = values.wide(e);
        let demands = std::mem::take(&mut values.demands);
        self.demanded(at, statement, state, demands).then_some(number)
    }

    fn branches(
        &mut self,
        at: StatementId,
        statement: &Statement,
        mut state: State,
        (e, yes, no): (ExpressionId, Label, Label),
    ) {
        let Some(truth) = self.truth(at, statement, &mut state, e) else { return };
        let not = self.world.machine.terms.not(truth);
        let mut other = state.clone();
        if state.assume(&self.world.machine, truth, Some((e, true))) {
            self.goes(yes, state);
        }
        if other.assume(&self.world.machine, not, Some((e, false))) {
            self.goes(no, other);
        }
    }

    fn fails(&mut self, at: StatementId, statement: &Statement, state: &mut State, _failure: Failure) {
        let never = self.world.machine.terms.truth(false);
        let program = self.world.machine.program;
        let decided = state.reach.iter().rev().find_map(|literal| literal.decided);
        let text = decided.map_or_else(
            || "this is never reached".into(),
            |(e, truth)| if truth { format!("!({})", program.expression_text(e)) } else { program.expression_text(e) },
        );
        let demand = Demand { kind: Kind::Assert, term: never, about: About::Other };
        let (depth, text) = (self.frames.len(), Rc::from(text));
        self.told(at, statement, state, demand, (depth > 1).then(|| Rc::clone(&text)));
        if let Some(last) = self.uses.last_mut().filter(|_| depth == 1) {
            last.text = text;
        }
    }

    /// A value goes where an lvalue is.
    pub(super) fn assigned(
        &mut self,
        at: StatementId,
        statement: &Statement,
        mut state: State,
        to: LvalueId,
        value: Value,
        next: Label,
    ) {
        let mut values = Values::new(self.world, &state);
        let target = values.target(to);
        let demands = std::mem::take(&mut values.demands);
        if !self.demanded(at, statement, &mut state, demands) {
            return;
        }
        self.written(&mut state, to, target, value);
        self.goes(next, state);
    }

    fn written(&mut self, state: &mut State, to: LvalueId, target: Result<Pointer, VariableId>, value: Value) {
        let machine = &mut self.world.machine;
        let ty = machine.program.terms.at(to).ty;
        let types = &machine.program.types;
        match target {
            Err(variable) => state.set(variable, value),
            Ok(at) => {
                let is_bits = types.as_integer(ty).is_some_and(|integer| types.is_bit_field(integer) && integer.width > 1);
                let bytes = types.size(ty).unwrap_or(1);
                let value = if is_bits { Value::Opaque } else { value };
                let own = machine.is_variable(at.object).is_some_and(|variable| !machine.is_taken(variable));
                if let (Value::Pointer(pointer), false) = (value, own) {
                    let proper = machine.is_proper(pointer, ty);
                    let alive = state.is_alive(machine, pointer, &mut self.world.choices);
                    let none = machine.null();
                    let null = machine.same(pointer, none);
                    let alive = machine.terms.or(null, alive);
                    let fine = machine.terms.and(proper, alive);
                    if self.world.machine.terms.as_constant(fine) != Some(1) {
                        self.stored.push((state.reach.clone(), fine));
                    }
                }
                state.memory = self.world.memories.written(state.memory, at, bytes, value);
            }
        }
    }

    /// Anything goes where an lvalue is.
    fn arbitrary(&mut self, at: StatementId, statement: &Statement, mut state: State, to: LvalueId, next: Label) {
        let mut values = Values::new(self.world, &state);
        let target = values.target(to);
        let demands = std::mem::take(&mut values.demands);
        if !self.demanded(at, statement, &mut state, demands) {
            return;
        }
        let ty = self.world.machine.program.terms.at(to).ty;
        let value = self.world.machine.any(ty, From::Anywhere);
        self.written(&mut state, to, target, value);
        self.goes(next, state);
    }

    fn begins(&mut self, state: &mut State, variable: VariableId) {
        let machine = &mut self.world.machine;
        if machine.is_apart(variable) {
            let ty = machine.program.variable(variable).ty;
            let value = machine.any(ty, From::Anywhere);
            let not = machine.terms.truth(false);
            state.begin(variable, value, not);
            return;
        }
        let object = machine.variable(variable);
        state.dead.retain(|dead| !matches!(dead, Dead::One { object: ended, .. } if *ended == object));
        let changed = Changed::object(object);
        state.memory = self.world.memories.changed(state.memory, changed, From::Anywhere);
    }

    fn ends(&mut self, state: &mut State, variable: VariableId) {
        let object = self.world.machine.variable(variable);
        let when = state.reached(&mut self.world.machine);
        state.dead.push(Dead::One { when, object });
    }

    /// A new object of so many bytes, or NULL.
    fn allocated(&mut self, state: &mut State, size: Term, room: Room) -> Value {
        let machine = &mut self.world.machine;
        let object = state.clock;
        let fits = machine.has_size(object, size);
        let (one, null) = (machine.terms.constant(1, OBJECT), machine.null());
        state.clock = machine.terms.add(object, one);
        let changed = Changed::object(object);
        state.memory = self.world.memories.changed(state.memory, changed, From::Anywhere);
        let machine = &mut self.world.machine;
        let made = if room.may_lack() {
            let made = machine.fresh(1);
            let possible = machine.terms.implies(made, fits);
            state.assume(machine, possible, None);
            made
        } else {
            state.assume(machine, fits, None);
            machine.terms.truth(true)
        };
        let new = Pointer { object, offset: machine.terms.constant(0, OFFSET) };
        machine.choice(made, Value::Pointer(new), Value::Pointer(null))
    }

    fn freed(&mut self, at: StatementId, statement: &Statement, state: &mut State, e: ExpressionId) -> bool {
        let Some(value) = self.evaluated(at, statement, state, e) else { return false };
        let Value::Pointer(pointer) = value else { return true };
        let machine = &mut self.world.machine;
        let null = machine.null();
        let none = machine.same(pointer, null);
        let alive = state.is_alive(machine, pointer, &mut self.world.choices);
        let allocated = machine.terms.truth(machine.is_variable(pointer.object).is_none());
        let fine = machine.terms.and(alive, allocated);
        let fine = machine.terms.or(none, fine);
        let demand = Demand { kind: Kind::DoubleFree, term: fine, about: About::Access(e, pointer, 0) };
        if !self.demanded(at, statement, state, vec![demand]) {
            return false;
        }
        let some = self.world.machine.is_some(pointer);
        let reached = state.reached(&mut self.world.machine);
        let when = self.world.machine.terms.and(reached, some);
        state.dead.push(Dead::One { when, object: pointer.object });
        true
    }
}

/// What a demand is about, in C.
fn text_of(program: &crate::c::Program, demand: &Demand, statement: &Statement) -> String {
    match demand.about {
        About::Access(e, ..) | About::Index(e, _) | About::Operator(e) => program.expression_text(e),
        About::Variable(variable) => program.variable(variable).name.to_string(),
        About::Owed(..) | About::Other => program.statement_text(statement),
    }
}
