//! Procedures, statement by statement.

use std::collections::HashSet;
use std::rc::Rc;

use spds_format::model::Place;

use crate::analyses::Analyses;
use crate::bitvec::{Memo, Term};
use crate::c::expression::ExpressionId;
use crate::c::program::{Label, Overflow, ProcedureId, Program, Statement, StatementId, StatementKind};
use crate::transition::memory::Memory;
use crate::transition::step::{self as transition, Control};
use crate::transition::values::{Values, View};
use crate::transition::{Frame, TransitionSystem};

use super::boolean::{self, Conjunction, Line, Part, Step, Value};
use super::known::Known;
use super::names;
use super::observed::{Around, Observed, separated};
use super::predicate::Predicate;
use super::query::{Asker, Named, excluded, impossible, update};
use super::tracked::{Signature, Tracked, signature, tracked};
use super::undefined::UndefinedPoint;
use super::{Edges, Tuning};

/// What is made of a program.
pub(super) struct Abstraction<'a> {
    pub system: TransitionSystem<'a>,
    /// What is known of the program.
    pub analyses: &'a Analyses,
    /// What was asked about terms before.
    memo: &'a mut Memo,
    pub tuning: &'a Tuning,
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
    /// What is known of all runs.
    pub known: Option<&'a Known>,
    /// Whether a limit was met while something was made that takes long, and was left out.
    pub is_cut: bool,
}

/// A procedure in the making.
pub(super) struct Making {
    /// The procedure, in any state.
    pub frame: Frame,
    /// Its predicates and the global ones, as they are before a statement.
    pub known: Vec<Named>,
    /// Which predicates those are.
    pub indices: Vec<usize>,
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
    /// How lines stand for it.
    pub part: Part,
    comment: Option<String>,
    fresh_labels: usize,
}

impl Making {
    pub fn step(&mut self, step: Step) {
        let (labels, own) = (std::mem::take(&mut self.labels), std::mem::take(&mut self.own));
        let (statement, place, part) = (self.statement, self.place, self.part);
        self.lines.push(Line { labels, own, step, comment: self.comment.take(), statement, part, place });
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
        let system = TransitionSystem::of(program, analyses, overflow);
        let prefix = names::prefix(program);
        let names = names::procedures(program);
        let (asked, observed, known) = (None, None, None);
        let is_cut = false;
        Abstraction {
            system,
            analyses,
            memo,
            tuning,
            tracked,
            signatures,
            names,
            prefix,
            asked,
            observed,
            known,
            is_cut,
        }
    }

    /// Who is asked about predicates.
    pub fn asker(&mut self) -> Asker<'_, 'a> {
        Asker { machine: &mut self.system.machine, memo: self.memo, tuning: self.tuning }
    }

    /// What a procedure is called.
    pub fn name(&self, procedure: ProcedureId) -> Rc<str> {
        self.names[procedure.0 as usize].clone()
    }

    /// The global predicates with their values at the start, where those are known.
    pub fn globals(&mut self) -> Vec<(Rc<str>, Option<bool>)> {
        let global: Vec<Tracked> = self.tracked.iter().filter(|tracked| tracked.scope.is_none()).cloned().collect();
        if global.is_empty() {
            return Vec::new();
        }
        let (memory, start) = self.system.initial();
        let mut list = Vec::new();
        for tracked in global {
            let view = View::outside(&memory);
            let truth = Values::new(&mut self.system.machine, view).truth(tracked.expression);
            let truth = self.system.machine.zeroed(truth, start);
            list.push((tracked.name, self.system.machine.terms.as_constant(truth).map(|value| value == 1)));
        }
        list
    }

    /// The Boolean procedure of one that has a body.
    pub fn procedure(&mut self, id: ProcedureId) -> boolean::Procedure {
        self.system.machine.renew();
        let mut making = self.begin(id);
        let enforce = self.invariants(&mut making);
        match self.tuning.edges {
            Edges::Statement => self.statements(&mut making),
            Edges::Path | Edges::Loop => self.blocks(&mut making),
        }
        if !making.labels.is_empty() {
            making.step(Step::Skip);
        }
        let name = |at: usize| self.tracked[at].name.clone();
        let [formals, locals] = self.variables(id).map(|list| list.into_iter().map(name).collect());
        let kept = std::mem::take(&mut making.locals);
        let results = self.signatures[id.0 as usize].exit.len();
        boolean::Procedure { id, name: self.name(id), formals, locals, kept, results, enforce, lines: making.lines }
    }

    /// The predicates that the formals and the other locals of a procedure are, in the order in which those stand.
    fn variables(&self, id: ProcedureId) -> [Vec<usize>; 2] {
        let formals = self.signatures[id.0 as usize].entry.clone();
        let own = (0..self.tracked.len()).filter(|at| self.tracked[*at].scope == Some(id));
        let locals = own.filter(|at| !formals.contains(at)).collect();
        [formals, locals]
    }

    /// Which predicates the globals are, and the variables of these procedures. Procedures that were made before have the same variables; only the
    /// numbers of predicates may be others by now.
    pub fn meanings(&self, procedures: &[boolean::Procedure]) -> boolean::Meanings {
        let ids = |list: Vec<usize>| list.into_iter().map(|at| self.tracked[at].id).collect();
        let globals = (0..self.tracked.len()).filter(|at| self.tracked[*at].scope.is_none()).collect();
        let locals = procedures.iter().map(|procedure| ids(self.variables(procedure.id).concat())).collect();
        boolean::Meanings { globals: ids(globals), locals }
    }

    fn statements(&mut self, making: &mut Making) {
        let (id, program) = (making.frame.id, self.system.machine.program);
        let targets = jump_targets(program, id);
        let mut labels = names::Labels::default();
        for (label, statement) in (0..).map(Label).zip(program.procedure(id).body.iter().flatten()) {
            self.begins(making, (label, statement), Part::Alone);
            if targets.contains(&label) {
                making.labels.push(self.label(label));
            }
            making.own = statement.labels.iter().map(|label| labels.name(label)).collect();
            making.labels.extend_from_slice(&making.own);
            self.statement(making, label, &statement.kind);
        }
    }

    /// The next lines stand for a statement.
    pub fn begins(&self, making: &mut Making, (label, statement): (Label, &Statement), part: Part) {
        making.statement = Some(StatementId { procedure: making.frame.id, label });
        (making.place, making.part) = (statement.place, part);
        making.comment = comment(self.system.machine.program, statement);
    }

    pub fn label(&self, label: Label) -> String {
        format!("{}{}", self.prefix, label.0)
    }

    /// A procedure without lines.
    pub fn begin(&mut self, id: ProcedureId) -> Making {
        let frame = self.system.frame(id);
        let sees = |at: &usize| self.tracked[*at].scope.is_none_or(|scope| scope == id);
        let mut making = Making {
            frame,
            known: Vec::new(),
            indices: (0..self.tracked.len()).filter(sees).collect(),
            impossible: Vec::new(),
            enforced: Vec::new(),
            locals: Vec::new(),
            lines: Vec::new(),
            labels: Vec::new(),
            own: Vec::new(),
            statement: None,
            place: self.system.program().procedure(id).place,
            part: Part::Alone,
            comment: None,
            fresh_labels: 0,
        };
        making.known = self.named(&making, &making.frame.now);
        making
    }

    /// The predicates of a procedure in some memory. Once a limit is met nothing is known of them.
    pub fn named(&mut self, making: &Making, memory: &Memory) -> Vec<Named> {
        if self.tuning.bounds.is_stopped() {
            let anything = |&at: &usize| (self.tracked[at].name.clone(), self.system.machine.fresh(1));
            return making.indices.iter().map(anything).map(|(name, term)| Named { name, term }).collect();
        }
        let mut values = Values::new(&mut self.system.machine, making.frame.view(memory));
        let named = |&at: &usize| Named {
            name: self.tracked[at].name.clone(),
            term: values.truth(self.tracked[at].expression),
        };
        making.indices.iter().map(named).collect()
    }

    /// Combinations that cannot be: those that no call makes stale are returned, for `enforce`.
    fn invariants(&mut self, making: &mut Making) -> Vec<Conjunction> {
        let never = impossible(&mut self.asker(), &making.known);
        let stale = self.stale(making);
        let (kept, rest): (Vec<_>, Vec<_>) =
            never.into_iter().partition(|cube| !cube.iter().any(|literal| stale.contains(&literal.name)));
        making.impossible = rest;
        making.enforced.clone_from(&kept);
        // Where control comes in, values at entry are values now.
        let view = View::outside(&making.frame.now);
        let entry = self.signatures[making.frame.id.0 as usize].entry.clone();
        let mut values = Values::new(&mut self.system.machine, view);
        let mut named: Vec<Named> = Vec::new();
        for &at in making.indices.iter().filter(|at| entry.contains(at) || self.tracked[**at].scope.is_none()) {
            named.push(Named { name: self.tracked[at].name.clone(), term: values.truth(self.tracked[at].expression) });
        }
        let mut at_entry = impossible(&mut self.asker(), &named);
        at_entry.retain(|cube| !kept.contains(cube));
        if !at_entry.is_empty() {
            making.step(Step::Assume(at_entry));
        }
        kept
    }

    /// The predicates of a procedure that do not follow what it calls: they are wrong between a return and their update.
    fn stale(&mut self, making: &Making) -> HashSet<Rc<str>> {
        let program = self.system.machine.program;
        let mut stale = HashSet::new();
        for statement in program.procedure(making.frame.id).body.iter().flatten() {
            for callee in self.system.machine.points_to.called(program, &statement.kind) {
                let after = self.system.after_call(&making.frame.now, callee);
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

    /// A statement, as lines.
    pub fn statement(&mut self, making: &mut Making, at: Label, kind: &'a StatementKind) {
        let transition::Step { demands, control } = self.system.step(&making.frame, at, kind);
        match control {
            // What is done is said by what is known after it.
            Control::Goes { after: None, to } => {
                self.demanded(making, demands);
                let next = to.0 == at.0 + 1;
                making.step(if next { Step::Skip } else { Step::Goto(vec![self.label(to)]) });
            }
            Control::Goes { after: Some(after), .. } => {
                let context = self.demanded(making, demands);
                self.updated(making, &after, &context);
            }
            Control::Branches { truth, yes, no } => {
                let context = self.asserted(making, demands);
                match no {
                    Some(no) => self.branch(making, (truth, yes, no), &context),
                    None => self.assume_term(making, truth, true, &context),
                }
            }
            Control::Calls(call, _) => {
                let context = self.demanded(making, demands);
                self.calls(making, &call, &context);
            }
            Control::Returns { value, result } => {
                let context = self.demanded(making, demands);
                self.returns(making, value, result, &context);
            }
            Control::Ends => {
                self.demanded(making, demands);
                self.ends(making);
            }
            Control::Fails => making.step(Step::Assert(Value::Constant(false))),
            Control::Nowhere => making.step(Step::Assume(vec![Vec::new()])),
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

    /// The predicates that differ in another memory get their new values.
    pub fn updated(&mut self, making: &mut Making, after: &Memory, context: &[Term]) {
        if !self.changes(making, after, context) {
            making.step(Step::Skip);
        }
    }

    /// The same, if there are any.
    pub fn changes(&mut self, making: &mut Making, after: &Memory, context: &[Term]) -> bool {
        let after = self.named(making, after);
        let changed: Vec<Named> = making
            .known
            .iter()
            .zip(after)
            .filter(|(before, after)| before.term != after.term)
            .map(|(_, after)| after)
            .collect();
        if changed.is_empty() {
            return false;
        }
        let mut found = update(&mut self.asker(), &making.known, &changed, context);
        for cube in self.separated(making, &changed, context) {
            if !found.constrain.contains(&cube) {
                found.constrain.push(cube);
            }
        }
        let step = self.assignment(making, &changed, found);
        making.step(step);
        true
    }

    /// What traces take here and the program cannot.
    pub fn separated(&mut self, making: &Making, changed: &[Named], context: &[Term]) -> Vec<Conjunction> {
        let Some(observed) = self.observed else { return Vec::new() };
        let around = Around { statement: making.statement, known: &making.known, changed, context };
        separated(&mut self.system.machine, observed, self.tuning, &around)
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

    pub fn assume_term(&mut self, making: &mut Making, truth: Term, value: bool, context: &[Term]) {
        let truth = if value { truth } else { self.system.machine.terms.not(truth) };
        let mut cubes = excluded(&mut self.asker(), &making.known, truth, context);
        let context = [context, &[truth]].concat();
        cubes.extend(self.separated(making, &[], &context));
        making.step(if cubes.is_empty() { Step::Skip } else { Step::Assume(cubes) });
    }

    fn branch(&mut self, making: &mut Making, (truth, yes, no): (Term, Label, Label), context: &[Term]) {
        let (first, second) = (self.made_up(making), self.made_up(making));
        making.step(Step::Goto(vec![first.clone(), second.clone()]));
        for (label, value, to) in [(first, true, yes), (second, false, no)] {
            making.labels.push(label);
            self.assume_term(making, truth, value, context);
            making.step(Step::Goto(vec![self.label(to)]));
        }
    }

    fn returns(&mut self, making: &mut Making, value: Option<ExpressionId>, result: Option<Term>, context: &[Term]) {
        if result.is_some() {
            let before = std::mem::replace(&mut making.frame.result, result);
            let after = self.named(making, &making.frame.now);
            making.frame.result = before;
            let of_result = |at: &usize| self.tracked[*at].reads.result;
            let changed: Vec<Named> =
                making.indices.iter().zip(after).filter(|(at, _)| of_result(at)).map(|(_, named)| named).collect();
            if !changed.is_empty() {
                let found = update(&mut self.asker(), &making.known, &changed, context);
                let step = self.assignment(making, &changed, found);
                making.step(step);
            }
        }
        self.frame_ends(making, value);
        let names =
            self.signatures[making.frame.id.0 as usize].exit.iter().map(|&at| self.tracked[at].name.clone()).collect();
        making.step(Step::Return(names));
    }
}

fn sorted(mut cube: Conjunction) -> Conjunction {
    cube.sort_unstable();
    cube
}

/// The statement, where the Boolean one does not say it as well.
fn comment(program: &Program, statement: &Statement) -> Option<String> {
    match statement.kind {
        StatementKind::Skip | StatementKind::Unseen(..) | StatementKind::Goto(_) => None,
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
