//! The work list: statements are looked at again when what a pointer that they read may point to has grown.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::c::command::{Action, Call, Command, Source, Whom};
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{Callee, Label, ProcedureId, Program, StatementId, StatementKind};
use crate::c::types::Type;

use super::object::{Location, ObjectId, Objects, Offset, anywhere, formals};
use super::unassigned::unassigned;
use super::{PointsTo, Targets};
use crate::c::reached::{Reached, reached};

/// A flow of pointers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Flow {
    Assign(LvalueId, ExpressionId),
    Call(Option<LvalueId>, Callee, Vec<ExpressionId>),
    /// A location gets these targets.
    Put(LvalueId, Targets),
    /// All that these pointers reach may be overwritten with any pointer, and called with any.
    Expose(Vec<ExpressionId>),
    /// What is no pointer is written: pointers whose bytes it overwrites may be any.
    Overwrite(LvalueId),
}

/// The least solution. Of a program in which a pointer of which nothing is known is called every procedure is looked at, otherwise those
/// that the entry may reach.
pub(super) fn solve(program: &Program) -> PointsTo {
    let solved = Solver::new(program, reached(program, false)).solved();
    if calls_anything(program, &solved) { Solver::new(program, reached(program, true)).solved() } else { solved }
}

/// Whether a call through a pointer may enter procedures of which nothing is known: addresses of others may come from there, too.
fn calls_anything(program: &Program, state: &PointsTo) -> bool {
    let mut statements = reached_statements(program, &state.reached).map(|(.., kind)| kind);
    statements.any(|kind| matches!(kind, StatementKind::Call(_, callee, _) if state.leaves(program, *callee)))
}

/// The statements of the procedures that are reached.
fn reached_statements<'p>(
    program: &'p Program,
    reached: &'p [bool],
) -> impl Iterator<Item = (ProcedureId, Label, &'p StatementKind)> {
    let procedures = (0..).map(ProcedureId).zip(&program.procedures).filter(|(id, _)| reached[id.0 as usize]);
    procedures.flat_map(|(id, procedure)| {
        let body = procedure.body.iter().flatten();
        (0..).map(Label).zip(body).map(move |(label, statement)| (id, label, &statement.kind))
    })
}

/// The state, and what has still to be looked at.
struct Solver<'p> {
    program: &'p Program,
    state: PointsTo,
    /// Objects whose pointers have got new targets since the last flow.
    grown: BTreeSet<ObjectId>,
    /// What procedures of which nothing is known are given, all of them together: each gets at what the others do, because they may leave it there.
    given: Targets,
}

impl<'p> Solver<'p> {
    fn new(program: &'p Program, reached: Reached) -> Self {
        let objects = Objects::new(program, &reached);
        let anywhere = anywhere(program, &objects, &reached.taken);
        let (results, count) = (results(program), objects.iter().count());
        let state = PointsTo {
            objects,
            contents: vec![BTreeMap::new(); count],
            anywhere,
            results,
            reached: reached.procedures,
            everything: OnceLock::new(),
        };
        Solver { program, state, grown: BTreeSet::new(), given: Targets::new() }
    }

    fn solved(mut self) -> PointsTo {
        let program = self.program;
        let formals = program.procedure(program.main).formals.iter();
        let arbitrary = formals.chain(&program.external).filter_map(|&variable| self.state.objects.variable(variable));
        let arbitrary: Vec<ObjectId> =
            arbitrary.map(|location| location.object).chain([self.state.objects.outside()]).collect();
        for object in arbitrary {
            self.add(Location { object, offset: Offset::Any }, &Targets::from([Location::UNKNOWN]));
        }
        for location in unassigned(program, &self.state.objects, &self.state.reached) {
            self.add(location, &Targets::from([Location::UNKNOWN]));
        }
        let flows = flows(program, &self.state);
        let sources: Vec<Sources> = flows.iter().map(|flow| self.sources(flow)).collect();
        let any: Vec<usize> = (0..flows.len()).filter(|&at| matches!(sources[at], Sources::Any)).collect();
        let mut readers: FxHashMap<ObjectId, BTreeSet<usize>> = FxHashMap::default();
        let mut queue: VecDeque<usize> = (0..flows.len()).filter(|at| !matches!(sources[*at], Sources::Any)).collect();
        let mut queued: FxHashSet<usize> = queue.iter().copied().collect();
        self.grown.clear();
        // What hangs on any pointer is dear, and waits until there is nothing else.
        let mut is_open = true;
        loop {
            while let Some(at) = queue.pop_front() {
                queued.remove(&at);
                self.apply(&flows[at]);
                if let Sources::Lvalues(read) = &sources[at] {
                    for location in read.iter().flat_map(|&lvalue| self.state.lvalue(program, lvalue)) {
                        readers.entry(location.object).or_default().insert(at);
                    }
                }
                is_open |= !self.grown.is_empty();
                let grown = std::mem::take(&mut self.grown);
                let known = grown.iter().filter_map(|object| readers.get(object)).flatten();
                queue.extend(known.copied().filter(|&reader| queued.insert(reader)));
            }
            if !std::mem::take(&mut is_open) {
                return self.state;
            }
            any.iter().for_each(|at| self.apply(&flows[*at]));
            self.expose();
            is_open = !self.grown.is_empty();
            let grown = std::mem::take(&mut self.grown);
            let known = grown.iter().filter_map(|object| readers.get(object)).flatten();
            queue.extend(known.copied().filter(|&reader| queued.insert(reader)));
        }
    }

    /// Of which lvalues a flow reads the pointers.
    fn sources(&self, flow: &Flow) -> Sources {
        let results = |procedure: ProcedureId| self.state.results[procedure.0 as usize].iter().copied();
        let (to, values): (Option<LvalueId>, Vec<ExpressionId>) = match flow {
            Flow::Assign(to, value) => (Some(*to), vec![*value]),
            Flow::Put(to, _) | Flow::Overwrite(to) => (Some(*to), Vec::new()),
            Flow::Call(to, Callee::Procedure(callee), arguments) if self.program.procedure(*callee).body.is_some() => {
                (*to, arguments.iter().copied().chain(results(*callee)).collect())
            }
            Flow::Call(..) | Flow::Expose(_) => return Sources::Any,
        };
        let terms = to.map(Term::Lvalue).into_iter().chain(values.into_iter().map(Term::Expression));
        let mut read = BTreeSet::new();
        for term in terms.flat_map(|root| self.program.terms.postorder(root)) {
            if let Term::Expression(id) = term
                && let ExpressionKind::Read(lvalue) | ExpressionKind::Pre(lvalue) = self.program.terms.get(id).kind
            {
                read.insert(lvalue);
            }
        }
        Sources::Lvalues(read)
    }

    fn apply(&mut self, flow: &Flow) {
        match flow {
            Flow::Assign(to, value) => {
                let targets = self.state.targets(self.program, Term::Expression(*value));
                self.put(*to, &targets);
            }
            Flow::Put(to, targets) => self.put(*to, targets),
            Flow::Expose(arguments) => self.give(arguments),
            Flow::Overwrite(to) => self.overwrite(*to),
            Flow::Call(to, callee, arguments) => self.call(*to, *callee, arguments),
        }
    }

    fn call(&mut self, to: Option<LvalueId>, callee: Callee, arguments: &[ExpressionId]) {
        let program = self.program;
        let callees = self.state.callees(program, callee);
        let is_foreign = |callee: &ProcedureId| program.procedure(*callee).body.is_none();
        if self.state.leaves(program, callee) || callees.iter().any(is_foreign) {
            self.give(arguments);
            if let Some(to) = to.filter(|to| is_pointer(program, *to)) {
                self.put(to, &Targets::from([Location::UNKNOWN]));
            }
        }
        for procedure in callees {
            for (formal, &argument) in formals(program, &self.state.objects, procedure).into_iter().zip(arguments) {
                let targets = self.state.targets(program, Term::Expression(argument));
                formal.into_iter().for_each(|formal| self.add(formal, &targets));
            }
            for value in self.state.results[procedure.0 as usize].clone() {
                let targets = self.state.targets(program, Term::Expression(value));
                to.into_iter().for_each(|to| self.put(to, &targets));
            }
        }
    }

    fn give(&mut self, arguments: &[ExpressionId]) {
        for &argument in arguments {
            self.given.extend(self.state.targets(self.program, Term::Expression(argument)));
        }
    }

    /// What was given, and all that is reached from there, may be overwritten with any pointer, and called with any.
    fn expose(&mut self) {
        let unknown = Targets::from([Location::UNKNOWN]);
        let exposed = self.state.exposed_from(self.program, &self.given);
        for procedure in self.state.called_back(self.program, &exposed) {
            for formal in formals(self.program, &self.state.objects, procedure).into_iter().flatten() {
                self.add(formal, &unknown);
            }
        }
        for location in exposed {
            self.add(location, &unknown);
        }
    }

    /// Somebody may copy a pointer byte by byte, or look at it as another member of a union.
    fn overwrite(&mut self, to: LvalueId) {
        let ty = self.program.terms.at(to).ty;
        for location in self.state.lvalue(self.program, to) {
            let overwritten = self.state.objects.overwritten(self.program, location, ty);
            overwritten.into_iter().for_each(|there| self.add(there, &Targets::from([Location::UNKNOWN])));
        }
    }

    fn put(&mut self, to: LvalueId, targets: &Targets) {
        for location in self.state.lvalue(self.program, to) {
            self.add(location, targets);
        }
    }

    fn add(&mut self, location: Location, targets: &Targets) {
        if targets.is_empty() {
            return;
        }
        let anywhere = &self.state.anywhere;
        let Some(own) = self.state.contents.get_mut(location.object.0 as usize) else { return };
        let known = own.entry(location.offset).or_default();
        let before = known.len();
        if targets.contains(&Location::UNKNOWN) && known.insert(Location::UNKNOWN) {
            // It is all that others say of what may be pointed to from anywhere.
            known.retain(|target| !is_among(anywhere, *target));
            known.extend(targets.iter().filter(|target| !is_among(anywhere, **target)));
            self.grown.insert(location.object);
            return;
        }
        match known.contains(&Location::UNKNOWN) {
            true => known.extend(targets.iter().filter(|target| !is_among(anywhere, **target))),
            false => known.extend(targets),
        }
        if known.len() > before {
            self.grown.insert(location.object);
        }
    }
}

/// Whether any valid pointer may point there.
fn is_among(anywhere: &Targets, target: Location) -> bool {
    target != Location::UNKNOWN && anywhere.contains(&Location { object: target.object, offset: Offset::Any })
}

/// What a flow has to be applied again for.
enum Sources {
    /// Pointers in these have got new targets.
    Lvalues(BTreeSet<LvalueId>),
    /// Any pointer has.
    Any,
}

fn is_pointer(program: &Program, lvalue: LvalueId) -> bool {
    matches!(program.types.get(program.terms.at(lvalue).ty), Type::Pointer(_))
}

fn is_scalar_variable(program: &Program, lvalue: LvalueId) -> bool {
    let lvalue = program.terms.at(lvalue);
    matches!(lvalue.kind, LvalueKind::Variable(_)) && program.types.is_represented(lvalue.ty)
}

fn flows(program: &Program, state: &PointsTo) -> Vec<Flow> {
    let mut flows: Vec<Flow> = program.initial.iter().map(|&(to, value)| Flow::Assign(to, value)).collect();
    let unknown = || Targets::from([Location::UNKNOWN]);
    for (id, label, kind) in reached_statements(program, &state.reached) {
        match kind.command(label) {
            Command::Does(Action::Assigns(to, Source::Of(value)), _) => flows.push(Flow::Assign(to, value)),
            Command::Does(Action::Assigns(to, Source::Input | Source::Unknown), _) => {
                flows.push(Flow::Put(to, unknown()));
            }
            Command::Does(Action::Assigns(to, Source::Allocated { .. }), _) => {
                flows.push(Flow::Put(to, state.objects.allocated(StatementId::of(id, label)).into_iter().collect()));
            }
            Command::Calls(Call { to, whom: Whom::Foreign(effect), arguments }, _) => {
                flows.extend(effect.writes().then(|| Flow::Expose(arguments.to_vec())));
                flows.extend(to.map(|to| Flow::Put(to, unknown())));
            }
            Command::Calls(Call { to, whom: Whom::Callee(callee), arguments }, _) => {
                flows.push(Flow::Call(to, callee, arguments.to_vec()));
            }
            _ => {}
        }
    }
    let mut overwrites: Vec<LvalueId> = program.unrepresented.iter().map(|one| one.to).collect();
    for flow in &mut flows {
        if let Flow::Assign(to, _) | Flow::Put(to, _) | Flow::Call(Some(to), ..) = *flow
            && !is_pointer(program, to)
        {
            overwrites.push(to);
            if let Flow::Call(receiver, ..) = flow {
                *receiver = None;
            }
        }
    }
    flows.retain(|flow| !matches!(flow, Flow::Assign(to, _) | Flow::Put(to, _) if !is_pointer(program, *to)));
    overwrites.retain(|&to| !is_scalar_variable(program, to));
    flows.extend(overwrites.into_iter().map(Flow::Overwrite));
    let mut known = FxHashSet::default();
    flows.retain(|flow| known.insert(flow.clone()));
    flows
}

/// What each procedure returns.
fn results(program: &Program) -> Vec<Vec<ExpressionId>> {
    let returned = |procedure: &crate::c::program::Procedure| {
        let kinds = procedure.body.iter().flatten().map(|statement| &statement.kind);
        kinds.filter_map(|kind| if let StatementKind::Return(value) = kind { *value } else { None }).collect()
    };
    program.procedures.iter().map(returned).collect()
}
