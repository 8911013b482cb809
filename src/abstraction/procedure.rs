//! Procedures, statement by statement.

use std::collections::HashSet;
use std::rc::Rc;

use spds_format::model::Place;

use crate::analyses::Analyses;
use crate::analyses::modified::Modified;
use crate::bitvec::{Memo, Term};
use crate::c::expression::{ExpressionId, LvalueId};
use crate::c::program::{
    Label, Overflow, ProcedureId, Program, Room, Statement, StatementId, StatementKind, VariableId,
};
use crate::points_to::{Location, Offset};

use super::Tuning;
use super::boolean::{self, Conjunction, Line, Step, Value};
use super::evaluate::{Demand, Values, View};
use super::memory::{Designated, Epoch, Machine, Memory, Update};
use super::names;
use super::observed::{Around, Observed, separated};
use super::predicate::Predicate;
use super::query::{Named, excluded, impossible, update};
use super::tracked::{Signature, Tracked, signature, tracked};
use super::undefined::UndefinedPoint;

/// What is made of a program.
pub(super) struct Abstraction<'a> {
    pub machine: Machine<'a>,
    pub modified: &'a Modified,
    pub tuning: &'a Tuning,
    pub overflow: Overflow,
    pub tracked: Vec<Tracked>,
    pub signatures: Vec<Signature>,
    /// What procedures are called.
    names: Vec<Rc<str>>,
    /// What the labels that are made up begin with.
    pub prefix: String,
    /// The places where a run may do something undefined, if they are asked for.
    pub asked: Option<Vec<UndefinedPoint>>,
    /// Steps of traces that are asked about one by one.
    pub observed: Option<&'a Observed>,
}

/// A procedure in the making.
pub(super) struct Making {
    pub id: ProcedureId,
    /// Its predicates and the global ones, as they are before a statement.
    pub known: Vec<Named>,
    /// Which predicates those are.
    pub indices: Vec<usize>,
    pub now: Memory,
    pub entry: Memory,
    /// Stands for the result before it is known.
    pub result: Option<Term>,
    /// Combinations that cannot be, beyond those that `enforce` excludes.
    pub impossible: Vec<Conjunction>,
    /// Those that it excludes.
    enforced: Vec<Conjunction>,
    pub locals: Vec<Rc<str>>,
    pub lines: Vec<Line>,
    pub labels: Vec<String>,
    /// Those of them that the program has.
    own: Vec<String>,
    /// The statement, and where it is.
    pub statement: Option<StatementId>,
    pub place: Place,
    comment: Option<String>,
    fresh_labels: usize,
}

impl Making {
    pub fn step(&mut self, step: Step) {
        let (labels, own) = (std::mem::take(&mut self.labels), std::mem::take(&mut self.own));
        let (statement, place) = (self.statement, self.place);
        self.lines.push(Line { labels, own, step, comment: self.comment.take(), statement, place });
    }

    /// A local that calls need.
    pub fn local(&mut self, name: &str) -> Rc<str> {
        match self.locals.iter().find(|local| &***local == name) {
            Some(local) => local.clone(),
            None => {
                let local: Rc<str> = name.into();
                self.locals.push(local.clone());
                local
            }
        }
    }

    pub fn view<'v>(&'v self, now: &'v Memory) -> View<'v> {
        View { now, entry: &self.entry, result: self.result, frame: 0 }
    }
}

impl<'a> Abstraction<'a> {
    pub fn new(
        program: &'a Program,
        analyses: &'a Analyses,
        predicates: &[Predicate],
        overflow: Overflow,
        tuning: &'a Tuning,
        memo: &'a mut Memo,
    ) -> Self {
        let tracked = tracked(program, predicates);
        let signatures =
            (0..program.procedures.len()).map(|at| signature(program, &tracked, ProcedureId(at as u32))).collect();
        let machine = Machine::new(program, analyses.points_to(), memo);
        let prefix = names::prefix(program);
        let names = names::procedures(program);
        Abstraction {
            machine,
            modified: analyses.modified(),
            tuning,
            overflow,
            tracked,
            signatures,
            names,
            prefix,
            asked: None,
            observed: None,
        }
    }

    /// What a procedure is called.
    pub fn name(&self, procedure: ProcedureId) -> Rc<str> {
        self.names[procedure.0 as usize].clone()
    }

    /// The global predicates with their values at the start, where those are known.
    pub fn globals(&mut self) -> Vec<(Rc<str>, Option<bool>)> {
        let (memory, start) = self.initial();
        let global: Vec<Tracked> = self.tracked.iter().filter(|tracked| tracked.scope.is_none()).cloned().collect();
        let mut list = Vec::new();
        for tracked in global {
            let view = View { now: &memory, entry: &memory, result: None, frame: 0 };
            let truth = Values::new(&mut self.machine, view).truth(tracked.expression);
            let truth = self.machine.zeroed(truth, start);
            list.push((tracked.name, self.machine.terms.as_constant(truth).map(|value| value == 1)));
        }
        list
    }

    /// Memory as it is at the start, over that of an epoch in which what is not mentioned is zero.
    pub fn initial(&mut self) -> (Memory, Epoch) {
        let program = self.machine.program;
        let start = self.machine.epoch();
        let mut memory = Memory::at(start);
        for &(to, value) in &program.initial {
            let view = View { now: &memory, entry: &memory, result: None, frame: 0 };
            let mut values = Values::new(&mut self.machine, view);
            let (place, value) = (values.place(to), values.value(value));
            memory = self.machine.write(&memory, &place, program.terms.at(to).ty, value, 0);
        }
        for &(to, _) in &program.unrepresented {
            let view = View { now: &memory, entry: &memory, result: None, frame: 0 };
            let place = Values::new(&mut self.machine, view).place(to);
            let ty = program.terms.at(to).ty;
            let any = self.machine.any(ty);
            memory = self.machine.write(&memory, &place, ty, any, 0);
        }
        (memory, start)
    }

    /// The Boolean procedure of one that has a body.
    pub fn procedure(&mut self, id: ProcedureId) -> boolean::Procedure {
        self.machine.renew();
        let program = self.machine.program;
        let procedure = program.procedure(id);
        let mut making = self.begin(id);
        let enforce = self.invariants(&mut making);
        let targets = jump_targets(program, id);
        let mut labels = names::Labels::default();
        for (label, statement) in (0..).map(Label).zip(procedure.body.iter().flatten()) {
            making.statement = Some(StatementId { procedure: id, label });
            making.place = statement.place;
            making.comment = comment(program, statement);
            if targets.contains(&label) {
                making.labels.push(self.label(label));
            }
            making.own = statement.labels.iter().map(|label| labels.name(label)).collect();
            making.labels.extend_from_slice(&making.own);
            self.statement(&mut making, label, statement);
        }
        if !making.labels.is_empty() {
            making.step(Step::Skip);
        }
        let signature = &self.signatures[id.0 as usize];
        let name = |&at: &usize| self.tracked[at].name.clone();
        let formals: Vec<Rc<str>> = signature.entry.iter().map(name).collect();
        let locals: Vec<Rc<str>> = (0..self.tracked.len())
            .filter(|at| self.tracked[*at].scope == Some(id) && !signature.entry.contains(at))
            .map(|at| self.tracked[at].name.clone())
            .collect();
        let kept = std::mem::take(&mut making.locals);
        let results = signature.exit.len();
        boolean::Procedure { id, name: self.name(id), formals, locals, kept, results, enforce, lines: making.lines }
    }

    fn label(&self, label: Label) -> String {
        format!("{}{}", self.prefix, label.0)
    }

    pub fn begin(&mut self, id: ProcedureId) -> Making {
        let program = self.machine.program;
        let procedure = program.procedure(id);
        let result = program.types.is_scalar(procedure.result).then(|| {
            let width = self.machine.width(procedure.result);
            self.machine.fresh(width)
        });
        let mut making = Making {
            id,
            known: Vec::new(),
            indices: (0..self.tracked.len())
                .filter(|&at| self.tracked[at].scope.is_none_or(|scope| scope == id))
                .collect(),
            now: Memory::at(Epoch::NOW),
            entry: Memory::at(Epoch::ENTRY),
            result,
            impossible: Vec::new(),
            enforced: Vec::new(),
            locals: Vec::new(),
            lines: Vec::new(),
            labels: Vec::new(),
            own: Vec::new(),
            statement: None,
            place: procedure.place,
            comment: None,
            fresh_labels: 0,
        };
        making.known = self.named(&making, &making.now);
        making
    }

    /// The predicates of a procedure in some memory.
    pub fn named(&mut self, making: &Making, memory: &Memory) -> Vec<Named> {
        let mut values = Values::new(&mut self.machine, making.view(memory));
        let named = |&at: &usize| Named {
            name: self.tracked[at].name.clone(),
            term: values.truth(self.tracked[at].expression),
        };
        making.indices.iter().map(named).collect()
    }

    /// Combinations that cannot be: those that no call makes stale are returned, for `enforce`.
    fn invariants(&mut self, making: &mut Making) -> Vec<Conjunction> {
        let never = impossible(&mut self.machine, self.tuning, &making.known);
        let stale = self.stale(making);
        let (kept, rest): (Vec<_>, Vec<_>) =
            never.into_iter().partition(|cube| !cube.iter().any(|literal| stale.contains(&literal.name)));
        making.impossible = rest;
        making.enforced.clone_from(&kept);
        // Where control comes in, values at entry are values now.
        let view = View { now: &making.now, entry: &making.now, result: None, frame: 0 };
        let entry = self.signatures[making.id.0 as usize].entry.clone();
        let mut values = Values::new(&mut self.machine, view);
        let mut named: Vec<Named> = Vec::new();
        for &at in making.indices.iter().filter(|at| entry.contains(at) || self.tracked[**at].scope.is_none()) {
            named.push(Named { name: self.tracked[at].name.clone(), term: values.truth(self.tracked[at].expression) });
        }
        let mut at_entry = impossible(&mut self.machine, self.tuning, &named);
        at_entry.retain(|cube| !kept.contains(cube));
        if !at_entry.is_empty() {
            making.step(Step::Assume(at_entry));
        }
        kept
    }

    /// The predicates of a procedure that do not follow what it calls: they are wrong between a return and their update.
    fn stale(&mut self, making: &Making) -> HashSet<Rc<str>> {
        let program = self.machine.program;
        let mut stale = HashSet::new();
        for statement in program.procedure(making.id).body.iter().flatten() {
            for callee in self.machine.points_to.called(program, &statement.kind) {
                let after = self.after_call(&making.now, callee);
                let named = self.named(making, &after);
                for (index, (before, after)) in making.indices.iter().zip(making.known.iter().zip(named)) {
                    if self.tracked[*index].scope.is_some() && before.term != after.term {
                        stale.insert(before.name.clone());
                    }
                }
            }
        }
        stale
    }

    /// Memory in which what a procedure may write is arbitrary.
    pub fn after_call(&mut self, before: &Memory, callee: ProcedureId) -> Memory {
        let written: Vec<Location> = self.modified.written[callee.0 as usize].iter().copied().collect();
        before.after(Update::Arbitrary(written, self.machine.epoch()))
    }

    fn statement(&mut self, making: &mut Making, at: Label, statement: &Statement) {
        let next = Label(at.0 + 1);
        match &statement.kind {
            StatementKind::Skip => making.step(Step::Skip),
            StatementKind::Free(pointer) => {
                let demands = self.freed(making, *pointer);
                self.demanded(making, demands);
                making.step(Step::Skip);
            }
            StatementKind::Assign(to, value) => self.assign(making, *to, Some(*value)),
            StatementKind::Input(to, _) | StatementKind::Havoc(to, _) => self.assign(making, *to, None),
            StatementKind::Declare(variable) => self.arbitrary(making, self.whole(*variable)),
            StatementKind::Dead(variable) => {
                let after = self.after_end(making, *variable);
                self.updated(making, &after, &[]);
            }
            StatementKind::Allocate { to, size, room, .. } => self.allocate(making, at, (*to, *size), *room),
            StatementKind::External(to, _, arguments, effect) if effect.writes() => self.leaves(making, *to, arguments),
            StatementKind::External(to, _, arguments, _) => {
                self.evaluates(making, arguments);
                to.iter().for_each(|to| self.assign(making, *to, None));
            }
            StatementKind::Assume(condition) => self.assume(making, *condition, true),
            StatementKind::Branch(condition, yes, no) => self.branch(making, *condition, *yes, *no),
            StatementKind::Goto(to) if *to == next => making.step(Step::Skip),
            StatementKind::Goto(to) => making.step(Step::Goto(vec![self.label(*to)])),
            StatementKind::Fail(_) => making.step(Step::Assert(Value::Constant(false))),
            StatementKind::Return(value) => self.returns(making, *value),
            StatementKind::Exit(code) => {
                self.evaluates(making, code.as_slice());
                self.ends(making);
            }
            StatementKind::Call(to, callee, arguments) => self.calls(making, *to, *callee, arguments),
        }
    }

    /// A statement at which runs stop without being blocked.
    fn ends(&mut self, making: &mut Making) {
        let label = self.made_up(making);
        making.labels.push(label.clone());
        making.step(Step::Goto(vec![label]));
    }

    pub fn made_up(&self, making: &mut Making) -> String {
        making.fresh_labels += 1;
        format!("{}x{}", self.prefix, making.fresh_labels)
    }

    /// All of a variable.
    pub fn whole(&self, variable: VariableId) -> Vec<Location> {
        let object = self.machine.points_to.objects.variable(variable).map(|location| location.object);
        object.map(|object| Location { object, offset: Offset::Any }).into_iter().collect()
    }

    /// `to = value`, or any value.
    pub fn assign(&mut self, making: &mut Making, to: LvalueId, value: Option<ExpressionId>) {
        let (after, demands) = self.assigned_to(making, &making.now, to, value);
        let context = self.demanded(making, demands);
        self.updated(making, &after, &context);
    }

    /// Memory after `to = value`, and what that demands.
    pub fn assigned_to(
        &mut self,
        making: &Making,
        now: &Memory,
        to: LvalueId,
        value: Option<ExpressionId>,
    ) -> (Memory, Vec<Demand>) {
        let ty = self.machine.program.terms.at(to).ty;
        let mut values = Values::new(&mut self.machine, making.view(now));
        values.accessed(to);
        let place = values.place(to);
        let computed = value.map(|value| values.value(value));
        let demands = values.passes(self.overflow);
        let computed = computed.unwrap_or_else(|| self.machine.any(ty));
        (self.machine.write(now, &place, ty, computed, 0), demands)
    }

    pub fn arbitrary(&mut self, making: &mut Making, locations: Vec<Location>) {
        let after = making.now.after(Update::Arbitrary(locations, self.machine.epoch()));
        self.updated(making, &after, &[]);
    }

    fn allocate(&mut self, making: &mut Making, at: Label, of: (LvalueId, ExpressionId), room: Room) {
        let Some((after, demands)) = self.allocated(making, at, of, room) else { return };
        let context = self.demanded(making, demands);
        self.updated(making, &after, &context);
    }

    /// Memory after `to = malloc(size)`, and what that demands.
    pub fn allocated(
        &mut self,
        making: &Making,
        at: Label,
        (to, size): (LvalueId, ExpressionId),
        room: Room,
    ) -> Option<(Memory, Vec<Demand>)> {
        let program = self.machine.program;
        let mut values = Values::new(&mut self.machine, making.view(&making.now));
        values.accessed(to);
        let place = values.place(to);
        values.value(size);
        let demands = values.passes(self.overflow);
        let site = self.machine.points_to.objects.allocated(making.id, at)?;
        let inside = if self.machine.points_to.objects.is_summary(site.object) {
            let byte = self.machine.fresh(32);
            self.machine.in_object(site.object, byte)
        } else {
            self.machine.address(site.object, 0, 0)
        };
        let null = self.machine.terms.constant(0, super::memory::ADDRESS);
        let fails = if room.may_lack() { self.machine.fresh(1) } else { self.machine.terms.truth(false) };
        let address = self.machine.terms.ite(fails, null, inside);
        let new = Location { object: site.object, offset: Offset::Any };
        let memory = making.now.after(Update::Arbitrary(vec![new], self.machine.epoch()));
        Some((self.machine.write(&memory, &place, program.terms.at(to).ty, address, 0), demands))
    }

    /// The predicates that differ in another memory get their new values.
    pub fn updated(&mut self, making: &mut Making, after: &Memory, context: &[Term]) {
        let after = self.named(making, after);
        let changed: Vec<Named> = making
            .known
            .iter()
            .zip(after)
            .filter(|(before, after)| before.term != after.term)
            .map(|(_, after)| after)
            .collect();
        if changed.is_empty() {
            making.step(Step::Skip);
            return;
        }
        let mut found = update(&mut self.machine, self.tuning, &making.known, &changed, context);
        for cube in self.separated(making, &changed, context) {
            if !found.constrain.contains(&cube) {
                found.constrain.push(cube);
            }
        }
        let step = self.assignment(making, &changed, found);
        making.step(step);
    }

    /// What traces take here and the program cannot.
    fn separated(&mut self, making: &Making, changed: &[Named], context: &[Term]) -> Vec<Conjunction> {
        let Some(observed) = self.observed else { return Vec::new() };
        let around = Around { statement: making.statement, known: &making.known, changed, context };
        separated(&mut self.machine, observed, self.tuning, &around)
    }

    /// The assignment, with what cannot be of the new values together with the old ones of all others.
    pub fn assignment(&self, making: &Making, changed: &[Named], found: super::query::Update) -> Step {
        let mut constrain = found.constrain;
        let is_changed = |name: &Rc<str>| changed.iter().any(|named| named.name == *name);
        let afterwards = |cube: &Conjunction| -> Conjunction {
            cube.iter()
                .map(|literal| boolean::Literal { after: is_changed(&literal.name), ..literal.clone() })
                .collect()
        };
        let enforced: HashSet<Conjunction> =
            making.enforced.iter().flat_map(|cube| [sorted(cube.clone()), sorted(afterwards(cube))]).collect();
        constrain.retain(|cube| !enforced.contains(&sorted(cube.clone())));
        for cube in &making.impossible {
            if cube.iter().any(|literal| is_changed(&literal.name)) {
                let after = afterwards(cube);
                if !constrain.contains(&after) {
                    constrain.push(after);
                }
            }
        }
        Step::Assign(changed.iter().map(|named| named.name.clone()).collect(), found.values, constrain)
    }

    fn condition(&mut self, making: &mut Making, condition: ExpressionId) -> (Term, Vec<Term>) {
        let (truth, demands) = self.decided(making, condition);
        (truth, self.asserted(making, demands))
    }

    /// Whether a condition is true, and what evaluating it demands.
    pub fn decided(&mut self, making: &Making, condition: ExpressionId) -> (Term, Vec<Demand>) {
        let mut values = Values::new(&mut self.machine, making.view(&making.now));
        let truth = values.truth(condition);
        (truth, values.passes(self.overflow))
    }

    fn assume(&mut self, making: &mut Making, condition: ExpressionId, value: bool) {
        let (truth, context) = self.condition(making, condition);
        self.assume_term(making, truth, value, &context);
    }

    pub fn assume_term(&mut self, making: &mut Making, truth: Term, value: bool, context: &[Term]) {
        let truth = if value { truth } else { self.machine.terms.not(truth) };
        let mut cubes = excluded(&mut self.machine, self.tuning, &making.known, truth, context);
        let context = [context, &[truth]].concat();
        cubes.extend(self.separated(making, &[], &context));
        making.step(if cubes.is_empty() { Step::Skip } else { Step::Assume(cubes) });
    }

    fn branch(&mut self, making: &mut Making, condition: ExpressionId, yes: Label, no: Label) {
        let (truth, context) = self.condition(making, condition);
        let (first, second) = (self.made_up(making), self.made_up(making));
        making.step(Step::Goto(vec![first.clone(), second.clone()]));
        for (label, value, to) in [(first, true, yes), (second, false, no)] {
            making.labels.push(label);
            self.assume_term(making, truth, value, &context);
            making.step(Step::Goto(vec![self.label(to)]));
        }
    }

    fn returns(&mut self, making: &mut Making, value: Option<ExpressionId>) {
        if let (Some(value), Some(result)) = (value, making.result) {
            let mut values = Values::new(&mut self.machine, making.view(&making.now));
            let computed = values.value(value);
            let conditions = values.passes(self.overflow);
            let context = self.demanded(making, conditions);
            making.result = Some(computed);
            let after = self.named(making, &making.now);
            making.result = Some(result);
            let of_result = |at: &usize| self.tracked[*at].reads.result;
            let changed: Vec<Named> =
                making.indices.iter().zip(after).filter(|(at, _)| of_result(at)).map(|(_, named)| named).collect();
            if !changed.is_empty() {
                let found = update(&mut self.machine, self.tuning, &making.known, &changed, &context);
                let step = self.assignment(making, &changed, found);
                making.step(step);
            }
        }
        self.frame_ends(making, value);
        let names =
            self.signatures[making.id.0 as usize].exit.iter().map(|&at| self.tracked[at].name.clone()).collect();
        making.step(Step::Return(names));
    }

    /// Where a formal of a procedure is.
    pub fn formal(&self, procedure: ProcedureId, index: usize) -> Option<(Designated, crate::c::types::TypeId)> {
        let variable = *self.machine.program.procedure(procedure).formals.get(index)?;
        let location = self.machine.points_to.objects.variable(variable)?;
        let ty = self.machine.program.variable(variable).ty;
        Some((Designated::Exact { object: location.object, offset: 0, bit: 0 }, ty))
    }
}

fn sorted(mut cube: Conjunction) -> Conjunction {
    cube.sort_unstable();
    cube
}

/// The statement, where the Boolean one does not say it as well.
fn comment(program: &Program, statement: &Statement) -> Option<String> {
    match statement.kind {
        StatementKind::Skip | StatementKind::Goto(_) => None,
        StatementKind::Branch(condition, ..) => Some(format!("if ({})", program.expression_text(condition))),
        _ => Some(program.statement_text(statement)),
    }
}

/// The statements to which others jump.
fn jump_targets(program: &Program, procedure: ProcedureId) -> HashSet<Label> {
    let mut targets = HashSet::new();
    for (at, statement) in program.procedure(procedure).body.iter().flatten().enumerate() {
        match statement.kind {
            StatementKind::Branch(_, yes, no) => targets.extend([yes, no]),
            StatementKind::Goto(to) if to.0 as usize != at + 1 => {
                targets.insert(to);
            }
            _ => {}
        }
    }
    targets
}
