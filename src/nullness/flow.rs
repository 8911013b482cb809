//! Which questions no run comes to, by what is known of pointers and numbers along the control flow: a must-analysis (G. Kildall, POPL 1973) of
//! pointers that are not NULL, and of ranges and differences of numbers ([`numbers`]), over all procedures at once, without contexts. It decides most
//! uses at little cost, so that predicates are only looked for where it does not.
//!
//! A *fact* is about what is read: a pointer, as an expression, that is not NULL, or a number. Facts come from branches, from assignments, and from what
//! calls hand over; a store takes those away whose value it may change, by what objects are accessed as ([`Access`]), and a call those that what it
//! leads to may change. At joins that stays which holds on all ways; where control comes back again and again, only what does not grow. Where a
//! branch contradicts the facts, nobody comes that way. What lies behind a pointer that is NULL nobody reads: of that everything holds.

mod numbers;
mod tables;
mod writes;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use crate::c::effective::Access;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term, Unary};
use crate::c::program::{
    Callee, Label, ProcedureId, Program, Statement, StatementId, StatementKind, Storage, VariableId,
};
use crate::c::reached::reached;
use crate::c::substitute::replaced;
use crate::question::wrong::stripped;
use numbers::{Numbers, Range, is_number};
use tables::Tables;
use writes::{Writes, is_private, written};

/// What is known where control comes to a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Facts {
    /// Pointers that are not NULL, and numbers that are not 0.
    there: BTreeSet<ExpressionId>,
    /// Pointers that are NULL.
    null: BTreeSet<ExpressionId>,
    numbers: Numbers,
}

impl Facts {
    /// Those about what is kept.
    fn only(&self, is_kept: impl Fn(ExpressionId) -> bool) -> Facts {
        let kept = |all: &BTreeSet<ExpressionId>| all.iter().copied().filter(|one| is_kept(*one)).collect();
        Facts { there: kept(&self.there), null: kept(&self.null), numbers: self.numbers.only(&is_kept) }
    }

    /// What something is said of.
    fn all(&self) -> BTreeSet<ExpressionId> {
        self.there.iter().chain(&self.null).copied().chain(self.numbers.all()).collect()
    }
}

/// What something is that is written.
#[derive(Clone, Copy)]
struct New {
    /// Whether it is not NULL, or not 0.
    is_there: bool,
    /// It, as it was before.
    value: Option<ExpressionId>,
    /// What else is known of it.
    range: Option<Range>,
}

impl New {
    const UNKNOWN: New = New { is_there: false, value: None, range: None };
}

/// So often something changes before it is no longer waited for it to stop by itself, and before it is not waited at all.
const CHANGES: (u32, u32) = (3, 12);

/// The statements that no run comes to, as far as this tells; all others may be reached, and all of them where it is stopped. Facts times statements,
/// times how often facts change.
pub(super) fn unreached(
    program: &Program,
    statements: &[StatementId],
    stop: &dyn Fn() -> bool,
) -> BTreeSet<StatementId> {
    let mut flow = Flow::of(program);
    if !flow.run(stop) {
        return BTreeSet::new();
    }
    let is_unreached = |id: &StatementId| {
        let known = flow.known.get(&id.procedure);
        known.is_none_or(|known| known.get(id.label.0 as usize).is_none_or(Option::is_none))
    };
    statements.iter().copied().filter(is_unreached).collect()
}

/// What a procedure returns.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Returned {
    /// It is never NULL, or 0.
    is_there: bool,
    range: Option<Range>,
}

/// What facts are about.
struct Scope {
    /// With the terms that are made on the way.
    program: Program,
    tables: Tables,
}

struct Flow<'p> {
    scope: Scope,
    bodies: HashMap<ProcedureId, &'p [Statement]>,
    writes: HashMap<ProcedureId, Rc<Writes>>,
    /// Before each statement; none where nobody comes.
    known: HashMap<ProcedureId, Vec<Option<Rc<Facts>>>>,
    /// Of procedures that may return, what, and how often that has changed.
    returned: HashMap<ProcedureId, (Returned, u32)>,
    /// How often more was known to be possible where control comes back to.
    changes: HashMap<StatementId, u32>,
    /// Numbers that are mentioned.
    mentioned: BTreeSet<i128>,
    /// Which calls there are of each, as far as they are reached.
    callers: HashMap<ProcedureId, BTreeSet<StatementId>>,
    open: BTreeSet<StatementId>,
}

impl<'p> Flow<'p> {
    fn of(program: &'p Program) -> Flow<'p> {
        let all = program.procedures.iter().zip(0..);
        let bodies = all.filter_map(|(procedure, at)| Some((ProcedureId(at), procedure.body.as_deref()?))).collect();
        Flow {
            scope: Scope { program: program.clone(), tables: Tables::of(program) },
            writes: written(program, &bodies),
            bodies,
            known: HashMap::new(),
            returned: HashMap::new(),
            changes: HashMap::new(),
            mentioned: mentioned(program),
            callers: HashMap::new(),
            open: BTreeSet::new(),
        }
    }

    /// Whether it has come to an end.
    fn run(&mut self, stop: &dyn Fn() -> bool) -> bool {
        let main = self.scope.program.main;
        self.join(main, Label(0), &Rc::default(), false);
        if !calls_by_name_only(&self.scope.program, &self.bodies) {
            // Whoever may be called from elsewhere is.
            let taken = reached(&self.scope.program, true).taken;
            for (id, _) in (0..).map(ProcedureId).zip(taken).filter(|(_, taken)| *taken) {
                self.join(id, Label(0), &Rc::default(), false);
            }
        }
        let mut steps = 0_u32;
        while let Some(id) = self.open.pop_first() {
            self.step(id);
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(64) && stop() {
                return false;
            }
        }
        true
    }

    /// Control may come to a statement with these facts; perhaps again and again.
    fn join(&mut self, procedure: ProcedureId, at: Label, facts: &Rc<Facts>, is_again: bool) {
        let Some(body) = self.bodies.get(&procedure) else { return };
        let known = self.known.entry(procedure).or_insert_with(|| vec![None; body.len()]);
        let Some(slot) = known.get_mut(at.0 as usize) else { return };
        let id = StatementId { procedure, label: at };
        match slot {
            None => *slot = Some(facts.clone()),
            Some(old) if Rc::ptr_eq(old, facts) => return,
            Some(old) => {
                let changes = if is_again { self.changes.get(&id).copied().unwrap_or(0) } else { 0 };
                let nothing = BTreeSet::new();
                let numbers = if changes < CHANGES.1 { &self.mentioned } else { &nothing };
                let widened = (changes >= CHANGES.0).then_some(numbers);
                let (one, other) =
                    (completed(&self.scope.program, old, facts), completed(&self.scope.program, facts, old));
                let null: BTreeSet<ExpressionId> = one.null.intersection(&other.null).copied().collect();
                let is_read = |fact: ExpressionId| !is_behind(&self.scope.program, &null, fact);
                let new = Facts {
                    there: one.there.intersection(&other.there).copied().filter(|fact| is_read(*fact)).collect(),
                    numbers: one.numbers.joined(&self.scope, &other.numbers, widened).only(is_read),
                    null,
                };
                if **old == new {
                    return;
                }
                *slot = Some(Rc::new(new));
                if is_again {
                    *self.changes.entry(id).or_default() += 1;
                }
            }
        }
        self.open.insert(id);
    }

    fn step(&mut self, id: StatementId) {
        let StatementId { procedure, label } = id;
        let Some(facts) = self.known.get(&procedure).and_then(|known| known[label.0 as usize].clone()) else { return };
        let kind = &self.bodies[&procedure][label.0 as usize].kind;
        let next = Label(label.0 + 1);
        match kind {
            StatementKind::Branch(condition, yes, no) => {
                for (to, truth) in [(*yes, true), (*no, false)] {
                    if let Some(facts) = self.under(&facts, *condition, truth) {
                        self.join(procedure, to, &facts, to <= label);
                    }
                }
            }
            StatementKind::Assume(condition) => {
                if let Some(facts) = self.under(&facts, *condition, true) {
                    self.join(procedure, next, &facts, false);
                }
            }
            StatementKind::Goto(to) => self.join(procedure, *to, &facts, *to <= label),
            StatementKind::Fail(_) | StatementKind::Exit(_) => {}
            StatementKind::Return(value) => {
                let is_there = value.is_none_or(|value| self.is_there(&facts, value));
                let range = value.and_then(|value| facts.numbers.range(&self.scope, value));
                self.returns(procedure, Returned { is_there, range });
            }
            StatementKind::Assign(to, value) => {
                let new = New { is_there: self.is_there(&facts, *value), value: Some(*value), range: None };
                let facts = self.after(&facts, *to, new);
                self.join(procedure, next, &facts, false);
            }
            StatementKind::Call(to, callee, arguments) => {
                let (facts, new) = match callee {
                    Callee::Procedure(callee) if self.bodies.contains_key(callee) => {
                        self.callers.entry(*callee).or_default().insert(id);
                        let given = Rc::new(self.given(&facts, *callee, arguments));
                        self.join(*callee, Label(0), &given, true);
                        // Nobody comes back from where no return is reached yet.
                        let Some((Returned { is_there, range }, _)) = self.returned.get(callee).copied() else {
                            return;
                        };
                        let writes = self.writes[callee].clone();
                        let facts = Rc::new(facts.only(|fact| !self.may_write(&writes, fact)));
                        (facts, New { is_there, value: None, range })
                    }
                    _ => (Rc::new(facts.only(|fact| !self.is_shared(fact))), New::UNKNOWN),
                };
                let facts = to.map_or(facts.clone(), |to| self.after(&facts, to, new));
                self.join(procedure, next, &facts, false);
            }
            StatementKind::External(to, _, _, effect) => {
                let facts = match effect.writes() {
                    true => Rc::new(facts.only(|fact| !self.is_shared(fact))),
                    false => facts,
                };
                let facts = to.map_or(facts.clone(), |to| self.after(&facts, to, New::UNKNOWN));
                self.join(procedure, next, &facts, false);
            }
            StatementKind::Declare(variable) | StatementKind::Dead(variable) => {
                let facts = Rc::new(facts.only(|fact| !self.reads(fact, *variable)));
                self.join(procedure, next, &facts, false);
            }
            StatementKind::Unseen(..) | StatementKind::Skip | StatementKind::Free(_) => {
                let facts = kind.target().map_or(facts.clone(), |to| self.after(&facts, to, New::UNKNOWN));
                self.join(procedure, next, &facts, false);
            }
            StatementKind::Input(to, _) | StatementKind::Havoc(to, ..) | StatementKind::Allocate { to, .. } => {
                let facts = self.after(&facts, *to, New::UNKNOWN);
                self.join(procedure, next, &facts, false);
            }
        }
    }

    /// A procedure may return this.
    fn returns(&mut self, procedure: ProcedureId, new: Returned) {
        let (known, changes) = match self.returned.get(&procedure) {
            None => (new, 0),
            Some((old, changes)) => {
                let range = old.range.zip(new.range).map(|(old, new)| old.joined(new));
                let range = range.filter(|range| *changes < CHANGES.1 || old.range == Some(*range));
                let both = Returned { is_there: old.is_there && new.is_there, range };
                if both == *old {
                    return;
                }
                (both, changes + 1)
            }
        };
        self.returned.insert(procedure, (known, changes));
        self.open.extend(self.callers.get(&procedure).into_iter().flatten());
    }

    /// What is known where a condition is true, or where it is not; nothing if it cannot be.
    fn under(&self, facts: &Rc<Facts>, mut condition: ExpressionId, mut truth: bool) -> Option<Rc<Facts>> {
        let terms = &self.scope.program.terms;
        let is_pointer = |e: ExpressionId| self.scope.program.types.pointee(terms.get(e).ty).is_some();
        let is_zero = |e: ExpressionId| matches!(terms.get(e).kind, ExpressionKind::Constant(0));
        let with = |pointer: ExpressionId| {
            let pointer = stripped(&self.scope.program, pointer);
            if facts.null.contains(&pointer) {
                return None;
            }
            let mut facts = (**facts).clone();
            facts.there.insert(pointer);
            Some(Rc::new(facts))
        };
        let without = |pointer: ExpressionId| {
            if self.is_there(facts, pointer) {
                return None;
            }
            let mut facts = (**facts).clone();
            facts.null.insert(stripped(&self.scope.program, pointer));
            Some(Rc::new(facts))
        };
        let numbers = |numbers: Option<Numbers>| {
            let numbers = numbers?;
            Some(if numbers == facts.numbers { facts.clone() } else { Rc::new(Facts { numbers, ..(**facts).clone() }) })
        };
        loop {
            match terms.get(condition).kind {
                ExpressionKind::Constant(bits) if !is_pointer(condition) => {
                    return ((bits != 0) == truth).then(|| facts.clone());
                }
                ExpressionKind::Unary(Unary::Not, of) => (condition, truth) = (of, !truth),
                ExpressionKind::Binary(op @ (Binary::Equal | Binary::Unequal), a, b) => {
                    let is_equal = truth == (op == Binary::Equal);
                    let (a, b) = if is_zero(a) { (b, a) } else { (a, b) };
                    match (is_pointer(a), is_zero(b)) {
                        (true, true) if is_equal => return without(a),
                        (true, true) => return with(a),
                        (true, false) if is_equal && self.is_there(facts, a) => return with(b),
                        (true, false) if is_equal && self.is_there(facts, b) => return with(a),
                        (true, false) => return Some(facts.clone()),
                        (false, true) if self.is_truth(a) => (condition, truth) = (a, !is_equal),
                        (false, true) => return self.nonzero(facts, a, !is_equal),
                        (false, false) => {
                            let op = if is_equal { Binary::Equal } else { Binary::Unequal };
                            return numbers(facts.numbers.under(&self.scope, op, a, b));
                        }
                    }
                }
                ExpressionKind::Binary(op, a, b) if negated(op).is_some() && !is_pointer(a) => {
                    let op = if truth { Some(op) } else { negated(op) };
                    return numbers(
                        op.map_or(Some(facts.numbers.clone()), |op| facts.numbers.under(&self.scope, op, a, b)),
                    );
                }
                _ if is_pointer(condition) && truth => return with(condition),
                _ if is_pointer(condition) => return without(condition),
                _ => return self.nonzero(facts, condition, truth),
            }
        }
    }

    /// What is known where a number is not 0, or where it is.
    fn nonzero(&self, facts: &Rc<Facts>, number: ExpressionId, is_there: bool) -> Option<Rc<Facts>> {
        if !is_there && facts.there.contains(&number) {
            return None;
        }
        let numbers = facts.numbers.zero(&self.scope, number, !is_there)?;
        let mut facts = Facts { numbers, ..(**facts).clone() };
        if is_there && is_number(&self.scope, number) {
            facts.there.insert(number);
        }
        Some(Rc::new(facts))
    }

    /// Whether a number says whether something is true.
    fn is_truth(&self, of: ExpressionId) -> bool {
        match self.scope.program.terms.get(of).kind {
            ExpressionKind::Unary(Unary::Not, _) => true,
            ExpressionKind::Binary(op, ..) => op.is_truth(),
            _ => false,
        }
    }

    /// Whether a pointer is not NULL, or a number not 0.
    fn is_there(&self, facts: &Facts, pointer: ExpressionId) -> bool {
        let terms = &self.scope.program.terms;
        let pointer = stripped(&self.scope.program, pointer);
        if self.scope.program.types.pointee(terms.get(pointer).ty).is_none() {
            let range = facts.numbers.range(&self.scope, pointer);
            return facts.there.contains(&pointer) || range.is_some_and(|range| range.least > 0 || range.most < 0);
        }
        facts.there.contains(&pointer)
            || match terms.get(pointer).kind {
                ExpressionKind::Read(lvalue) => self.scope.tables.is_there(&self.scope.program, lvalue),
                ExpressionKind::Procedure(_) => true,
                ExpressionKind::AddressOf(lvalue) => match terms.at(lvalue).kind {
                    LvalueKind::Deref(of) => self.is_there(facts, of),
                    _ => self.is_object(facts, lvalue),
                },
                _ => false,
            }
    }

    /// Whether a pointer is NULL.
    fn is_null(&self, facts: &Facts, pointer: ExpressionId) -> bool {
        let pointer = stripped(&self.scope.program, pointer);
        let of = self.scope.program.terms.get(pointer);
        facts.null.contains(&pointer)
            || self.scope.program.types.pointee(of.ty).is_some() && matches!(of.kind, ExpressionKind::Constant(0))
    }

    /// Whether an lvalue is a part of an object that is there.
    fn is_object(&self, facts: &Facts, mut lvalue: LvalueId) -> bool {
        loop {
            match self.scope.program.terms.at(lvalue).kind {
                LvalueKind::Variable(_) => return true,
                LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => lvalue = of,
                LvalueKind::Deref(pointer) => return self.is_there(facts, pointer),
            }
        }
    }

    /// What is known after something was written.
    fn after(&mut self, facts: &Rc<Facts>, to: LvalueId, new: New) -> Rc<Facts> {
        let ty = self.scope.program.terms.at(to).ty;
        let read = self.scope.program.terms.expression(ExpressionKind::Read(to), ty);
        // Where it is written must not change by its being written.
        let is_fixed = !self.path(to).iter().any(|read| self.may_overlap(to, *read));
        let kept: BTreeSet<ExpressionId> = facts.all().into_iter().filter(|fact| !self.may_change(to, *fact)).collect();
        let mut there: BTreeSet<ExpressionId> = facts.there.intersection(&kept).copied().collect();
        let mut null: BTreeSet<ExpressionId> = facts.null.intersection(&kept).copied().collect();
        let is_kept = |one: ExpressionId| kept.contains(&one);
        let is_number = is_fixed && is_number(&self.scope, read);
        // A number of another type may be another one here.
        let is_same = is_number && new.value.is_some_and(|value| self.scope.program.terms.get(value).ty == ty);
        let is_pointer = self.scope.program.types.pointee(ty).is_some();
        if new.is_there && is_fixed && (is_same || is_pointer) {
            there.insert(read);
        }
        if is_pointer && is_fixed && new.value.is_some_and(|value| self.is_null(facts, value)) {
            null.insert(read);
        }
        let mut numbers = match is_number {
            true => facts.numbers.assigned(&self.scope, (read, new.value), is_kept),
            false => facts.numbers.only(is_kept),
        };
        if let Some(range) = new.range.filter(|_| is_number) {
            numbers.set(&self.scope, read, range);
        }
        Rc::new(Facts { there, null, numbers })
    }

    /// What has to be read to get to an lvalue.
    fn path(&self, lvalue: LvalueId) -> Vec<LvalueId> {
        let parts = self.scope.program.terms.parts(Term::Lvalue(lvalue));
        let parts = parts.flat_map(|part| self.scope.program.terms.postorder(part));
        parts.filter_map(|term| read(&self.scope.program, term)).collect()
    }

    /// What a fact reads.
    fn all_read(&self, fact: ExpressionId) -> Vec<LvalueId> {
        all_read(&self.scope.program, fact)
    }

    fn reads(&self, fact: ExpressionId, variable: VariableId) -> bool {
        self.all_read(fact).into_iter().any(|read| self.scope.program.terms.variable_of(read) == Some(variable))
    }

    fn may_change(&self, to: LvalueId, fact: ExpressionId) -> bool {
        self.all_read(fact).into_iter().any(|read| self.may_overlap(to, read))
    }

    /// Whether what is written may be what is read.
    fn may_overlap(&self, to: LvalueId, read: LvalueId) -> bool {
        let variable = |lvalue: LvalueId| self.scope.program.terms.variable_of(lvalue);
        match (variable(to), variable(read)) {
            (Some(to), Some(read)) => to == read,
            (Some(one), None) | (None, Some(one)) if is_private(&self.scope.program, one) => false,
            (Some(one), None) | (None, Some(one)) if !self.scope.program.variable(one).address_taken => false,
            _ => !Access::to(&self.scope.program, to).is_apart(Access::to(&self.scope.program, read)),
        }
    }

    fn may_write(&self, writes: &Writes, fact: ExpressionId) -> bool {
        self.all_read(fact).into_iter().any(|read| match self.scope.program.terms.variable_of(read) {
            Some(variable) if is_private(&self.scope.program, variable) => false,
            Some(variable) => {
                let is_pointed_to = self.scope.program.variable(variable).address_taken;
                writes.all || writes.variables.contains(&variable) || is_pointed_to && self.may_be(writes, read)
            }
            None => {
                let is_pointed_to = |id: &VariableId| self.scope.program.variable(*id).address_taken;
                writes.all || self.may_be(writes, read) || writes.variables.iter().any(is_pointed_to)
            }
        })
    }

    /// Whether what is written behind pointers may be what is read.
    fn may_be(&self, writes: &Writes, read: LvalueId) -> bool {
        let own = Access::to(&self.scope.program, read);
        writes.behind.iter().any(|access| !access.is_apart(own))
    }

    /// Whether others may change what a fact speaks of.
    fn is_shared(&self, fact: ExpressionId) -> bool {
        let variable = |read: LvalueId| self.scope.program.terms.variable_of(read);
        self.all_read(fact).into_iter().any(|read| variable(read).is_none_or(|id| !is_private(&self.scope.program, id)))
    }

    /// What is known where a procedure begins that is called with these arguments.
    fn given(&mut self, facts: &Facts, callee: ProcedureId, arguments: &[ExpressionId]) -> Facts {
        let formals = self.scope.program.procedure(callee).formals.clone();
        let mut by: HashMap<Term, ExpressionId> = HashMap::new();
        let mut renamed: HashSet<VariableId> = HashSet::new();
        let mut given = Facts::default();
        let mut numbers = Vec::new();
        for (formal, argument) in formals.into_iter().zip(arguments) {
            let ty = self.scope.program.variable(formal).ty;
            let lvalue = self.scope.program.terms.lvalue(LvalueKind::Variable(formal), ty);
            let own = self.scope.program.terms.expression(ExpressionKind::Read(lvalue), ty);
            let is_same = is_number(&self.scope, own) && self.scope.program.terms.get(*argument).ty == ty;
            let is_pointer = self.scope.program.types.pointee(ty).is_some();
            if (is_same || is_pointer) && self.is_there(facts, *argument) {
                given.there.insert(own);
            }
            if is_pointer && self.is_null(facts, *argument) {
                given.null.insert(own);
            }
            if is_same {
                numbers.push((own, *argument));
            }
            let argument = stripped(&self.scope.program, *argument);
            if let ExpressionKind::Read(from) = self.scope.program.terms.get(argument).kind
                && let LvalueKind::Variable(variable) = self.scope.program.terms.at(from).kind
                && self.scope.program.variable(variable).ty == ty
            {
                by.insert(Term::Expression(argument), own);
                renamed.insert(variable);
            }
        }
        let is_local = |id: VariableId| matches!(self.scope.program.variable(id).storage, Storage::Local(_));
        let is_said = |fact: ExpressionId| {
            let is_plain = |read: &LvalueId| match self.scope.program.terms.variable_of(*read) {
                // Only as a whole is it what is handed over.
                Some(id) if is_local(id) => {
                    renamed.contains(&id) && matches!(self.scope.program.terms.at(*read).kind, LvalueKind::Variable(_))
                }
                _ => true,
            };
            let mentions =
                self.scope.program.terms.postorder(Term::Expression(fact)).into_iter().all(|term| match term {
                    Term::Expression(id) => match self.scope.program.terms.get(id).kind {
                        ExpressionKind::AddressOf(of) => {
                            !self.scope.program.terms.variable_of(of).is_some_and(is_local)
                        }
                        _ => true,
                    },
                    Term::Lvalue(_) => true,
                });
            mentions && self.all_read(fact).iter().all(is_plain)
        };
        let said: Vec<ExpressionId> = facts.all().into_iter().filter(|fact| is_said(*fact)).collect();
        let there: BTreeMap<ExpressionId, ExpressionId> =
            said.into_iter().map(|fact| (fact, replaced(&mut self.scope.program, fact, &by))).collect();
        given.there.extend(facts.there.iter().filter_map(|fact| there.get(fact)));
        given.null.extend(facts.null.iter().filter_map(|fact| there.get(fact)));
        given.numbers = facts.numbers.renamed(&there);
        given.numbers.given(&self.scope, &facts.numbers, &numbers);
        given
    }
}

fn read(program: &Program, term: Term) -> Option<LvalueId> {
    match term {
        Term::Expression(id) => match program.terms.get(id).kind {
            ExpressionKind::Read(lvalue) => Some(lvalue),
            _ => None,
        },
        Term::Lvalue(_) => None,
    }
}

fn all_read(program: &Program, fact: ExpressionId) -> Vec<LvalueId> {
    let terms = program.terms.postorder(Term::Expression(fact)).into_iter();
    terms.filter_map(|term| read(program, term)).collect()
}

/// Whether what a fact speaks of lies behind one of these pointers, which are NULL.
fn is_behind(program: &Program, null: &BTreeSet<ExpressionId>, fact: ExpressionId) -> bool {
    let begins = |mut lvalue: LvalueId| {
        loop {
            match program.terms.at(lvalue).kind {
                LvalueKind::Variable(_) => return None,
                LvalueKind::Field(of, _) | LvalueKind::Element(of, _) => lvalue = of,
                LvalueKind::Deref(pointer) => return Some(stripped(program, pointer)),
            }
        }
    };
    let is_null = |pointer: ExpressionId| null.contains(&pointer);
    !null.is_empty() && all_read(program, fact).into_iter().filter_map(begins).any(is_null)
}

/// What is known, and what is known elsewhere of what nobody reads here.
fn completed(program: &Program, facts: &Rc<Facts>, other: &Facts) -> Rc<Facts> {
    if facts.null.is_empty() {
        return facts.clone();
    }
    let is_behind = |fact: ExpressionId| is_behind(program, &facts.null, fact);
    let mut all = (**facts).clone();
    all.there.extend(other.there.iter().copied().filter(|fact| is_behind(*fact)));
    all.numbers.extend(&other.numbers, is_behind);
    Rc::new(all)
}

/// A comparison of numbers the other way round.
fn negated(op: Binary) -> Option<Binary> {
    Some(match op {
        Binary::Less => Binary::GreaterEqual,
        Binary::LessEqual => Binary::Greater,
        Binary::Greater => Binary::LessEqual,
        Binary::GreaterEqual => Binary::Less,
        _ => return None,
    })
}

/// The numbers that expressions of a program mention in comparisons, and those beside them.
fn mentioned(program: &Program) -> BTreeSet<i128> {
    let mut all = BTreeSet::from([-1, 0, 1]);
    for expression in program.terms.expressions() {
        let ExpressionKind::Binary(op, a, b) = expression.kind else { continue };
        if !op.is_truth() {
            continue;
        }
        for one in [a, b] {
            let of = program.terms.get(one);
            if let (ExpressionKind::Constant(bits), Some(integer)) = (&of.kind, program.types.as_integer(of.ty))
                && integer.width <= 64
            {
                let number = integer.number(*bits);
                all.extend([number - 1, number, number + 1]);
            }
        }
    }
    all
}

/// Whether all calls are of procedures by name, and nothing leaves the program that may call some.
fn calls_by_name_only(program: &Program, bodies: &HashMap<ProcedureId, &[Statement]>) -> bool {
    let reached = reached(program, false).procedures;
    let bodies = bodies.iter().filter(|(id, _)| reached[id.0 as usize]);
    bodies.flat_map(|(_, body)| body.iter()).all(|statement| match &statement.kind {
        StatementKind::Call(_, Callee::Pointer(_), _) => false,
        StatementKind::Call(_, Callee::Procedure(callee), _) => program.procedure(*callee).body.is_some(),
        StatementKind::External(_, _, _, effect) => !effect.writes(),
        _ => true,
    })
}
