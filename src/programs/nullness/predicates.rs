//! Which predicates decide whether pointers are NULL: `p == NULL` for each pointer that is used, and what it comes from, backwards over
//! assignments, calls and returns (weakest preconditions, as far as they stay of that form); the atoms of conditions, for flags that go
//! with pointers; and what procedures tell their callers of both.
//!
//! Nothing depends on this choice but how much is decided: c2bp is exact about each predicate.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use crate::abstraction::Predicate;
use crate::abstraction::predicate::{atoms, guards};
use crate::analyses::Analyses;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term, Unary};
use crate::c::meaning::Kind;
use crate::c::program::{Callee, ProcedureId, Program, StatementKind, Storage};
use crate::points_to::PointsTo;

use crate::c::substitute::replaced;
use crate::question::uses::Check;
use crate::question::wrong::null_test;

use super::sums::simple;

/// The most operators in a predicate that is carried backwards.
const MAX_OPERATORS: usize = 16;

/// The most pointers that are followed in one: lists have no end.
const DEEPEST: usize = 1;

/// The most atoms that compare the same in the same way with numbers, where sums are taken apart.
const MOST_COMPARED: usize = 3;

/// A condition, and of which procedure it is; of none if it speaks of globals only.
type Atom = (ExpressionId, Option<ProcedureId>);

/// Of each use whether it goes wrong, and nothing else.
pub(super) fn own(program: &mut Program, checks: &[Check], analyses: &Analyses) -> Vec<Predicate> {
    let mut this = Closure::new(program, analyses);
    this.questions(checks, analyses);
    this.predicates()
}

/// The same, with what they come from, the conditions of the program, and what procedures tell of both.
pub(super) fn related(program: &mut Program, checks: &[Check], analyses: &Analyses) -> Vec<Predicate> {
    let mut this = Closure::new(program, analyses);
    this.questions(checks, analyses);
    for guard in guards(this.program) {
        let scope = guard.scope.unwrap_or(this.program.main);
        if !analyses.is_reached(scope) {
            continue;
        }
        let atom = this.normal(guard.expression);
        this.add(atom, scope, true);
    }
    while let Some(atom) = this.open.pop_front() {
        this.backwards(atom);
    }
    this.tell();
    this.predicates()
}

/// Conditions in procedures, and what they come from, as far as that is of what the first procedure is given, and of globals: those that are
/// found before this says to stop.
pub(super) fn at_entry(
    program: &mut Program,
    conditions: &[(ExpressionId, ProcedureId)],
    analyses: &Analyses,
    stop: &dyn Fn() -> bool,
) -> Vec<ExpressionId> {
    let mut this = Closure { simplified: Some(HashMap::new()), ..Closure::new(program, analyses) };
    for &(condition, procedure) in conditions.iter().filter(|(_, procedure)| analyses.is_reached(*procedure)) {
        this.add(condition, procedure, true);
    }
    while let Some(atom) = this.open.pop_front().filter(|_| !stop()) {
        this.backwards(atom);
    }
    let main = this.program.main;
    let own = this.found.iter().filter(|(_, scope)| scope.is_none_or(|scope| scope == main));
    let (own, mut known): (Vec<_>, HashSet<_>) = (own.map(|(expression, _)| *expression).collect(), HashSet::new());
    own.into_iter().filter(|one| this.is_of_entry(*one, main) && known.insert(*one)).collect()
}

/// How values get from one place to another.
struct Flows {
    assignments: Vec<(ProcedureId, LvalueId, ExpressionId)>,
    calls: Vec<(ProcedureId, Option<LvalueId>, Callee, Vec<ExpressionId>)>,
    returns: Vec<(ProcedureId, ExpressionId)>,
}

impl Flows {
    /// Those of the procedures that the entry may reach.
    fn new(program: &Program, analyses: &Analyses) -> Flows {
        let mut flows = Flows { assignments: Vec::new(), calls: Vec::new(), returns: Vec::new() };
        for (index, procedure) in program.procedures.iter().enumerate() {
            let id = ProcedureId(index as u32);
            if !analyses.is_reached(id) {
                continue;
            }
            for statement in procedure.body.iter().flatten() {
                match &statement.kind {
                    StatementKind::Assign(to, value) => flows.assignments.push((id, *to, *value)),
                    StatementKind::Call(to, callee, arguments) => {
                        flows.calls.push((id, *to, *callee, arguments.clone()))
                    }
                    StatementKind::Return(Some(value)) => flows.returns.push((id, *value)),
                    _ => {}
                }
            }
        }
        flows
    }
}

struct Closure<'p> {
    program: &'p mut Program,
    points_to: &'p PointsTo,
    flows: Flows,
    found: Vec<Atom>,
    known: HashSet<Atom>,
    open: VecDeque<Atom>,
    /// If sums are taken apart: how many atoms compare the same in the same way with numbers, which otherwise had no end.
    simplified: Option<HashMap<Compared, usize>>,
}

/// What is compared, how, and in which procedure.
type Compared = (ExpressionId, Binary, ProcedureId);

impl<'p> Closure<'p> {
    fn new(program: &'p mut Program, analyses: &'p Analyses) -> Self {
        let flows = Flows::new(program, analyses);
        let points_to = analyses.points_to();
        let (found, known, open) = (Vec::new(), HashSet::new(), VecDeque::new());
        Closure { program, points_to, flows, found, known, open, simplified: None }
    }

    /// Whether the uses go wrong that are asked about.
    fn questions(&mut self, checks: &[Check], analyses: &Analyses) {
        for check in checks.iter().filter(|check| analyses.is_reached(check.procedure)) {
            if let (Kind::Contract, Some(Term::Expression(condition))) = (check.kind, check.subject) {
                for atom in atoms(self.program, condition) {
                    self.add(atom, check.procedure, true);
                }
            }
            for &condition in check.wrong.iter().flatten() {
                self.add(condition, check.procedure, true);
            }
        }
    }

    fn predicates(self) -> Vec<Predicate> {
        let Closure { program, found, .. } = self;
        let predicate =
            |(expression, scope)| Predicate { text: program.expression_text(expression), expression, scope };
        found.into_iter().map(predicate).collect()
    }

    /// One more, unless it says nothing of the state, or, where it need not be, is too large.
    fn add(&mut self, expression: ExpressionId, scope: ProcedureId, needed: bool) {
        let mut expression = self.normal(expression);
        if let Some(compared) = &mut self.simplified {
            expression = simple(self.program, expression);
            if let ExpressionKind::Binary(op, of, _) = self.program.terms.get(expression).kind {
                let count = compared.entry((of, op, scope)).or_default();
                *count += 1;
                if *count > MOST_COMPARED {
                    return;
                }
            }
        }
        let shape = Shape::of(self.program, expression);
        let large = shape.size > MAX_OPERATORS || shape.derefs > DEEPEST || shape.moves > 1 || shape.computes;
        if !shape.reads || !needed && large {
            return;
        }
        let atom = (expression, if shape.local { Some(scope) } else { None });
        if self.known.insert(atom) {
            self.found.push(atom);
            self.open.push_back(atom);
        }
    }

    /// One form for what says the same: comparisons with 0 as `== 0`, pointers without conversions.
    fn normal(&mut self, mut expression: ExpressionId) -> ExpressionId {
        let program = &mut *self.program;
        let zero = |program: &Program, e| matches!(program.terms.get(e).kind, ExpressionKind::Constant(0));
        loop {
            match program.terms.get(expression).kind {
                ExpressionKind::Unary(Unary::Not, a) => expression = a,
                ExpressionKind::Binary(operator @ (Binary::Equal | Binary::Unequal), a, b) => {
                    let (a, b) = if zero(program, a) { (b, a) } else { (a, b) };
                    let is_zero = zero(program, b);
                    if is_zero && program.types.pointee(program.terms.get(a).ty).is_some() {
                        return null_test(program, a);
                    }
                    match program.terms.get(a).kind {
                        ExpressionKind::Binary(inner, ..) if is_zero && inner.is_truth() => expression = a,
                        ExpressionKind::Unary(Unary::Not, _) if is_zero => expression = a,
                        _ if operator == Binary::Unequal => {
                            let ty = program.terms.get(expression).ty;
                            return program.terms.expression(ExpressionKind::Binary(Binary::Equal, a, b), ty);
                        }
                        _ => return expression,
                    }
                }
                ExpressionKind::Binary(..) => return expression,
                _ if program.types.pointee(program.terms.get(expression).ty).is_some() => {
                    return null_test(program, expression);
                }
                _ => {
                    let ty = program.terms.get(expression).ty;
                    let zero = program.terms.expression(ExpressionKind::Constant(0), ty);
                    let int = program.types.int();
                    return program.terms.expression(ExpressionKind::Binary(Binary::Equal, expression, zero), int);
                }
            }
        }
    }

    /// What has to be known before a statement to know an atom after it, where that is an atom too.
    fn backwards(&mut self, (expression, scope): Atom) {
        let read = reads(self.program, expression);
        if !self.is_carried(expression, &read) {
            return;
        }
        self.over_assignments(expression, scope, &read);
        self.over_calls(expression, scope, &read);
        if let Some(scope) = scope {
            let returns: Vec<ExpressionId> =
                self.flows.returns.iter().filter(|(of, _)| *of == scope).map(|&(_, value)| value).collect();
            let results: Vec<Term> = self.program.terms.postorder(Term::Expression(expression)).into_iter()
                .filter(|&term| matches!(term, Term::Expression(id) if self.program.terms.get(id).kind == ExpressionKind::Result))
                .collect();
            for value in returns.into_iter().filter(|_| !results.is_empty()) {
                let by = results.iter().map(|&result| (result, value)).collect();
                let before = replaced(self.program, expression, &by);
                self.add(before, scope, false);
            }
        }
    }

    /// Whether an atom is asked for elsewhere too: those on one value are.
    fn is_carried(&self, expression: ExpressionId, read: &[(ExpressionId, LvalueId)]) -> bool {
        let terms = &self.program.terms;
        let inside = |lvalue: LvalueId| terms.postorder(Term::Lvalue(lvalue));
        let nested: HashSet<Term> = read.iter().flat_map(|&(_, lvalue)| inside(lvalue)).collect();
        let outer = read.iter().filter(|(there, _)| !nested.contains(&Term::Expression(*there))).count();
        let results = terms
            .postorder(Term::Expression(expression))
            .iter()
            .filter(|term| matches!(term, Term::Expression(id) if terms.get(*id).kind == ExpressionKind::Result))
            .count();
        outer + results == 1
    }

    fn over_assignments(
        &mut self,
        expression: ExpressionId,
        scope: Option<ProcedureId>,
        read: &[(ExpressionId, LvalueId)],
    ) {
        for at in 0..self.flows.assignments.len() {
            let (of, to, value) = self.flows.assignments[at];
            for &(there, lvalue) in read {
                if lvalue == to && scope.is_none_or(|scope| scope == of) {
                    let before = replaced(self.program, expression, &HashMap::from([(Term::Expression(there), value)]));
                    self.add(before, of, false);
                } else if self.may_be_same(to, lvalue) {
                    self.renamed(expression, there, to, of);
                }
            }
        }
    }

    /// The same of another name for what is read, in the procedure that has it.
    fn renamed(&mut self, expression: ExpressionId, there: ExpressionId, to: LvalueId, of: ProcedureId) {
        let ty = self.program.terms.at(to).ty;
        let other = self.program.terms.expression(ExpressionKind::Read(to), ty);
        let renamed = replaced(self.program, expression, &HashMap::from([(Term::Expression(there), other)]));
        let foreign =
            reads(self.program, renamed).iter().any(|&(_, lvalue)| match self.program.terms.at(lvalue).kind {
                LvalueKind::Variable(id) => {
                    matches!(self.program.variable(id).storage, Storage::Local(owner) if owner != of)
                }
                _ => false,
            });
        if !foreign {
            self.add(renamed, of, false);
        }
    }

    fn may_be_same(&self, one: LvalueId, other: LvalueId) -> bool {
        let program = &*self.program;
        let plain = |lvalue| matches!(program.terms.at(lvalue).kind, LvalueKind::Variable(_));
        if plain(one) && plain(other) || program.terms.at(one).ty != program.terms.at(other).ty {
            return false;
        }
        let root = |lvalue| program.terms.variable_of(lvalue);
        let is_private = |id| !program.variable(id).address_taken;
        match (root(one), root(other)) {
            (Some(one), Some(other)) if one != other => return false,
            (Some(id), None) | (None, Some(id)) if is_private(id) => return false,
            _ => {}
        }
        let there = self.points_to.lvalue(program, other);
        self.points_to
            .lvalue(program, one)
            .iter()
            .any(|location| there.iter().any(|other| location.object == other.object))
    }

    fn over_calls(&mut self, expression: ExpressionId, scope: Option<ProcedureId>, read: &[(ExpressionId, LvalueId)]) {
        for at in 0..self.flows.calls.len() {
            let (caller, to, callee, arguments) = self.flows.calls[at].clone();
            for callee in self.points_to.callees(self.program, callee) {
                if self.program.procedure(callee).body.is_none() {
                    continue;
                }
                if scope == Some(callee) {
                    self.bound(expression, callee, caller, &arguments);
                }
                let Some(to) = to.filter(|_| scope.is_none_or(|scope| scope == caller)) else { continue };
                if !self.is_passed(self.program.procedure(callee).result, self.program.terms.at(to).ty) {
                    continue;
                }
                for &(there, lvalue) in read.iter().filter(|&&(_, lvalue)| lvalue == to) {
                    let ty = self.program.terms.at(lvalue).ty;
                    let result = self.program.terms.expression(ExpressionKind::Result, ty);
                    let told = replaced(self.program, expression, &HashMap::from([(Term::Expression(there), result)]));
                    if locals(self.program, told).is_empty() {
                        self.add(told, callee, false);
                    }
                }
            }
        }
    }

    /// Whether a value of one type can be taken for one of the other: which procedure a pointer leads to is not known exactly, and some of
    /// them cannot be called so.
    fn is_passed(&self, from: crate::c::types::TypeId, to: crate::c::types::TypeId) -> bool {
        let types = &self.program.types;
        from == to || types.pointee(from).is_some() && types.pointee(to).is_some()
    }

    /// An atom over formals at the entry, said over the arguments of a call.
    fn bound(
        &mut self,
        expression: ExpressionId,
        callee: ProcedureId,
        caller: ProcedureId,
        arguments: &[ExpressionId],
    ) {
        if !self.is_of_entry(expression, callee) {
            return;
        }
        let mut by = HashMap::new();
        for (&formal, &argument) in self.program.procedure(callee).formals.clone().iter().zip(arguments) {
            let ty = self.program.variable(formal).ty;
            if !self.is_passed(self.program.terms.get(argument).ty, ty) {
                return;
            }
            let lvalue = self.program.terms.lvalue(LvalueKind::Variable(formal), ty);
            by.insert(Term::Expression(self.program.terms.expression(ExpressionKind::Read(lvalue), ty)), argument);
        }
        let before = replaced(self.program, expression, &by);
        self.add(before, caller, false);
    }

    /// Whether an expression speaks of nothing but formals and globals.
    fn is_of_entry(&self, expression: ExpressionId, procedure: ProcedureId) -> bool {
        let formals = &self.program.procedure(procedure).formals;
        let result = |term: &Term| {
            matches!(term, Term::Expression(id)
            if matches!(self.program.terms.get(*id).kind, ExpressionKind::Result | ExpressionKind::Pre(_)))
        };
        locals(self.program, expression).iter().all(|local| formals.contains(local))
            && !self.program.terms.postorder(Term::Expression(expression)).iter().any(result)
    }

    /// Whether a procedure, or what it calls, assigns to what may be there.
    fn may_write(&self, procedure: ProcedureId, there: LvalueId) -> bool {
        let (mut reached, mut open) = (HashSet::from([procedure]), vec![procedure]);
        while let Some(at) = open.pop() {
            if self.flows.assignments.iter().any(|&(of, to, _)| of == at && self.may_be_same(to, there)) {
                return true;
            }
            for (_, _, callee, _) in self.flows.calls.iter().filter(|(of, ..)| *of == at) {
                open.extend(
                    self.points_to.callees(self.program, *callee).into_iter().filter(|&callee| reached.insert(callee)),
                );
            }
        }
        false
    }

    /// What procedures say of their formals, and of what these point to, where they return.
    fn tell(&mut self) {
        let called: HashSet<ProcedureId> = self
            .flows
            .calls
            .iter()
            .flat_map(|(_, _, callee, _)| self.points_to.callees(self.program, *callee))
            .collect();
        let mut told: Vec<Atom> = Vec::new();
        for (expression, scope) in self.found.clone() {
            let Some(scope) = scope.filter(|scope| called.contains(scope)) else { continue };
            if locals(self.program, expression).is_empty() || !self.is_of_entry(expression, scope) {
                continue;
            }
            let read = reads(self.program, expression);
            if !self.is_carried(expression, &read) {
                continue;
            }
            let (mut before, mut after) = (HashMap::new(), BTreeMap::new());
            for &(there, lvalue) in &read {
                let ty = self.program.terms.at(lvalue).ty;
                let pre = self.program.terms.expression(ExpressionKind::Pre(lvalue), ty);
                before.insert(Term::Expression(there), pre);
                if let LvalueKind::Variable(id) = self.program.terms.at(lvalue).kind
                    && matches!(self.program.variable(id).storage, Storage::Local(_))
                {
                    after.insert(Term::Expression(there), pre);
                }
            }
            let derefs = Shape::of(self.program, expression).derefs > 0;
            if derefs && !read.iter().any(|&(_, lvalue)| self.may_write(scope, lvalue)) {
                // The caller knows as much.
                continue;
            }
            for (&there, &pre) in after.iter().filter(|_| derefs) {
                // Whether what it points to at the end is what the caller knows by that name.
                let (Term::Expression(now), int) = (there, self.program.types.int()) else { continue };
                let same = self.program.terms.expression(ExpressionKind::Binary(Binary::Equal, now, pre), int);
                told.push((same, Some(scope)));
            }
            // The outermost reads are of the state at entry; or only the formals are.
            for by in [before, after.into_iter().collect()] {
                told.push((replaced(self.program, expression, &by), Some(scope)));
            }
        }
        for atom in told {
            if self.known.insert(atom) {
                self.found.push(atom);
            }
        }
    }
}

/// What an expression is like.
#[derive(Default)]
struct Shape {
    size: usize,
    derefs: usize,
    moves: usize,
    reads: bool,
    local: bool,
    /// Whether there is arithmetic in it beyond comparisons.
    computes: bool,
}

impl Shape {
    fn of(program: &Program, expression: ExpressionId) -> Shape {
        let mut shape = Shape::default();
        for term in program.terms.postorder(Term::Expression(expression)) {
            shape.size += 1;
            match term {
                Term::Expression(id) => match program.terms.get(id).kind {
                    ExpressionKind::Read(_) => shape.reads = true,
                    ExpressionKind::Pre(_) | ExpressionKind::Result => (shape.reads, shape.local) = (true, true),
                    ExpressionKind::Binary(operator, ..) => shape.computes |= !operator.is_truth(),
                    ExpressionKind::Unary(operator, _) => shape.computes |= operator != Unary::Not,
                    ExpressionKind::Offset(..) => shape.moves += 1,
                    ExpressionKind::Distance(..) => shape.computes = true,
                    _ => {}
                },
                Term::Lvalue(id) => match program.terms.at(id).kind {
                    LvalueKind::Deref(_) => shape.derefs += 1,
                    LvalueKind::Variable(variable) => {
                        shape.local |= matches!(program.variable(variable).storage, Storage::Local(_));
                    }
                    _ => {}
                },
            }
        }
        shape
    }
}

/// The values that an expression reads, and where from.
fn reads(program: &Program, expression: ExpressionId) -> Vec<(ExpressionId, LvalueId)> {
    let terms = program.terms.postorder(Term::Expression(expression));
    let read = |term: Term| match term {
        Term::Expression(id) => match program.terms.get(id).kind {
            ExpressionKind::Read(lvalue) => Some((id, lvalue)),
            _ => None,
        },
        Term::Lvalue(_) => None,
    };
    terms.into_iter().filter_map(read).collect()
}

/// The locals that occur in an expression.
fn locals(program: &Program, expression: ExpressionId) -> Vec<crate::c::program::VariableId> {
    let local = |term: Term| match term {
        Term::Lvalue(id) => match program.terms.at(id).kind {
            LvalueKind::Variable(variable) if matches!(program.variable(variable).storage, Storage::Local(_)) => {
                Some(variable)
            }
            _ => None,
        },
        Term::Expression(_) => None,
    };
    program.terms.postorder(Term::Expression(expression)).into_iter().filter_map(local).collect()
}
