//! Which questions no run comes to, by what is known of pointers and numbers along the control flow: a must-analysis (G. Kildall, POPL 1973) of
//! pointers that are not NULL, and of ranges and differences of numbers ([`numbers`]), over all procedures at once, without contexts. It decides most
//! uses at little cost, so that predicates are only looked for where it does not.
//!
//! A *fact* is about what is read: a pointer, as an expression, that is not NULL, or a number. Facts come from branches, from assignments, and from what
//! calls hand over; a store takes those away whose value it may change, by what objects are accessed as ([`Access`]), and a call those that what it
//! leads to may change. At joins that stays which holds on all ways; where control comes back again and again, only what does not grow. Where a
//! branch contradicts the facts, nobody comes that way. What lies behind a pointer that is NULL nobody reads: of that everything holds.

mod facts;
mod numbers;
mod returned;
mod tables;
mod writes;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::c::effective::Access;
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term, Unary};
use crate::c::program::{
    Callee, Label, ProcedureId, Program, Statement, StatementId, StatementKind, Storage, VariableId,
};
use crate::c::reached::reached;
use crate::c::substitute::replaced;
use crate::question::wrong::stripped;
use facts::{Facts, all_read, read};
use numbers::{Numbers, Range, is_number};
use returned::{Returned, unchanged};
use tables::Tables;
use writes::{Writes, is_private, written};

/// What something is that is written.
#[derive(Clone, Default)]
struct New {
    /// Whether it is not NULL, or not 0.
    is_there: bool,
    /// It, as it was before.
    value: Option<ExpressionId>,
    /// What else is known of it.
    range: Option<Range>,
    /// Pointers that are not NULL where it is 0, and where it is not.
    under: [BTreeSet<ExpressionId>; 2],
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

/// What facts are about.
struct Scope {
    /// With the terms that are made on the way.
    program: Program,
    tables: Tables,
    /// What facts read, as far as that was asked.
    reads: RefCell<FxHashMap<ExpressionId, Rc<[LvalueId]>>>,
}

impl Scope {
    fn of(program: &Program) -> Scope {
        Scope { program: program.clone(), tables: Tables::of(program), reads: RefCell::default() }
    }

    /// What a fact reads.
    fn all_read(&self, fact: ExpressionId) -> Rc<[LvalueId]> {
        let mut reads = self.reads.borrow_mut();
        reads.entry(fact).or_insert_with(|| all_read(&self.program, fact).into()).clone()
    }
}

struct Flow<'p> {
    scope: Scope,
    bodies: HashMap<ProcedureId, &'p [Statement]>,
    writes: HashMap<ProcedureId, Rc<Writes>>,
    /// Before each statement; none where nobody comes.
    known: HashMap<ProcedureId, Vec<Option<Rc<Facts>>>>,
    /// Of procedures that may return, what, and how often that has changed.
    returned: HashMap<ProcedureId, (Returned, u32)>,
    /// The formals of each procedure that nobody changes.
    unchanged: HashMap<ProcedureId, BTreeSet<VariableId>>,
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
            scope: Scope::of(program),
            writes: written(program, &bodies),
            known: HashMap::new(),
            returned: HashMap::new(),
            unchanged: unchanged(program, &bodies),
            bodies,
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
                let new = old.joined(&self.scope, facts, widened);
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
                let formals = self.unchanged[&procedure].clone();
                let new = Returned::of(&self.scope, &facts, *value, |fact| self.is_told(&formals, fact));
                self.returns(procedure, new);
            }
            StatementKind::Assign(to, value) => {
                let is_there = facts.is_there(&self.scope, *value);
                let under = facts.under(&self.scope, *value).map(Option::unwrap_or_default);
                let new = New { is_there, value: Some(*value), range: None, under };
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
                        let Some((returned, _)) = self.returned.get(callee).cloned() else { return };
                        let (facts, new) = self.come_back(&facts, (*callee, arguments), returned);
                        let result = self.scope.program.procedure(*callee).result;
                        // As one of another type it may be another one.
                        let is_same = to.is_none_or(|to| self.scope.program.terms.at(to).ty == result);
                        (facts, if is_same { new } else { New::default() })
                    }
                    _ => (Rc::new(facts.only(|fact| !self.is_shared(fact))), New::default()),
                };
                let facts = to.map_or(facts.clone(), |to| self.after(&facts, to, new));
                self.join(procedure, next, &facts, false);
            }
            StatementKind::External(to, _, _, effect) => {
                let facts = match effect.writes() {
                    true => Rc::new(facts.only(|fact| !self.is_shared(fact))),
                    false => facts,
                };
                let facts = to.map_or(facts.clone(), |to| self.after(&facts, to, New::default()));
                self.join(procedure, next, &facts, false);
            }
            StatementKind::Declare(variable) | StatementKind::Dead(variable) => {
                // What it was is gone, however it was read: `&v` leads to another object now.
                let facts = Rc::new(facts.only(|fact| !self.is_of(fact, *variable)));
                self.join(procedure, next, &facts, false);
            }
            StatementKind::Unseen(..) | StatementKind::Skip | StatementKind::Free(_) => {
                let facts = kind.target().map_or(facts.clone(), |to| self.after(&facts, to, New::default()));
                self.join(procedure, next, &facts, false);
            }
            StatementKind::Input(to, _) | StatementKind::Havoc(to, ..) | StatementKind::Allocate { to, .. } => {
                let facts = self.after(&facts, *to, New::default());
                self.join(procedure, next, &facts, false);
            }
        }
    }

    /// A procedure may return this.
    fn returns(&mut self, procedure: ProcedureId, new: Returned) {
        let (known, changes) = match self.returned.get(&procedure) {
            None => (new, 0),
            Some((old, changes)) => {
                let both = old.joined(&new, *changes < CHANGES.1);
                if both == *old {
                    return;
                }
                (both, changes + 1)
            }
        };
        self.returned.insert(procedure, (known, changes));
        self.open.extend(self.callers.get(&procedure).into_iter().flatten());
    }

    /// Whether callers know what a fact speaks of: what procedures were given in these formals, or what lives longer than they do.
    fn is_told(&self, formals: &BTreeSet<VariableId>, fact: ExpressionId) -> bool {
        let is_known = |id: VariableId| match self.scope.program.variable(id).storage {
            Storage::Local(_) => formals.contains(&id),
            _ => true,
        };
        self.mentioned_in(fact).into_iter().all(is_known)
    }

    /// The variables that occur in a fact.
    fn mentioned_in(&self, fact: ExpressionId) -> BTreeSet<VariableId> {
        let terms = &self.scope.program.terms;
        let variables = terms.postorder(Term::Expression(fact)).into_iter().filter_map(|term| match term {
            Term::Lvalue(lvalue) => match terms.at(lvalue).kind {
                LvalueKind::Variable(id) => Some(id),
                _ => None,
            },
            Term::Expression(_) => None,
        });
        variables.collect()
    }

    /// What is known where a procedure that was called with these arguments has returned this, and of what it returned.
    fn come_back(
        &mut self,
        facts: &Facts,
        (callee, arguments): (ProcedureId, &[ExpressionId]),
        returned: Returned,
    ) -> (Rc<Facts>, New) {
        let writes = self.writes[&callee].clone();
        let mut known = facts.only(|fact| !self.may_write(&writes, fact));
        let mut by: HashMap<Term, ExpressionId> = HashMap::new();
        let mut gone: BTreeSet<VariableId> = BTreeSet::new();
        for (formal, argument) in self.scope.program.procedure(callee).formals.clone().into_iter().zip(arguments) {
            let ty = self.scope.program.variable(formal).ty;
            // What was handed over has to be now what it was.
            if self.scope.program.terms.get(*argument).ty == ty && !self.may_write(&writes, *argument) {
                let lvalue = self.scope.program.terms.lvalue(LvalueKind::Variable(formal), ty);
                let own = self.scope.program.terms.expression(ExpressionKind::Read(lvalue), ty);
                by.insert(Term::Expression(own), *argument);
            } else {
                gone.insert(formal);
            }
        }
        let mut here = |all: BTreeSet<ExpressionId>| -> BTreeSet<ExpressionId> {
            let (mut said, is_gone) = (BTreeSet::new(), |id: &VariableId| gone.contains(id));
            for fact in all {
                if !self.mentioned_in(fact).iter().any(is_gone) {
                    let fact = replaced(&mut self.scope.program, fact, &by);
                    said.insert(stripped(&self.scope.program, fact));
                }
            }
            said
        };
        let anyway = here(returned.anyway());
        let under = returned.under.map(|all| here(all.unwrap_or_default()));
        for fact in anyway {
            known.learn(fact, true);
        }
        let new = New { is_there: returned.is_there, value: None, range: returned.range, under };
        (Rc::new(known), new)
    }

    /// What is known where a condition is true, or where it is not; nothing if it cannot be.
    fn under(&self, facts: &Rc<Facts>, condition: ExpressionId, truth: bool) -> Option<Rc<Facts>> {
        let new = self.directly_under(facts, condition, truth)?;
        if new.guarded.is_empty() || Rc::ptr_eq(&new, facts) {
            return Some(new);
        }
        Some(Rc::new(Rc::unwrap_or_clone(new).released(&self.scope)))
    }

    /// The same by what the condition itself says.
    fn directly_under(&self, facts: &Rc<Facts>, mut condition: ExpressionId, mut truth: bool) -> Option<Rc<Facts>> {
        let terms = &self.scope.program.terms;
        let is_pointer = |e: ExpressionId| self.scope.program.types.pointee(terms.get(e).ty).is_some();
        let is_zero = |e: ExpressionId| matches!(terms.get(e).kind, ExpressionKind::Constant(0));
        let with = |pointer: ExpressionId| {
            let pointer = stripped(&self.scope.program, pointer);
            if facts.null.contains(&pointer) {
                return None;
            }
            let mut facts = (**facts).clone();
            facts.learn(pointer, true);
            Some(Rc::new(facts))
        };
        let without = |pointer: ExpressionId| {
            if facts.is_there(&self.scope, pointer) {
                return None;
            }
            let mut facts = (**facts).clone();
            facts.learn(stripped(&self.scope.program, pointer), false);
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
                        (true, false) if is_equal && facts.is_there(&self.scope, a) => return with(b),
                        (true, false) if is_equal && facts.is_there(&self.scope, b) => return with(a),
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

    /// What is known after something was written.
    fn after(&mut self, facts: &Rc<Facts>, to: LvalueId, new: New) -> Rc<Facts> {
        let ty = self.scope.program.terms.at(to).ty;
        let read = self.scope.program.terms.expression(ExpressionKind::Read(to), ty);
        // Where it is written must not change by its being written.
        let is_fixed = !self.path(to).iter().any(|read| self.may_overlap(to, *read));
        let is_kept = |one: ExpressionId| !self.may_change(to, one);
        let mut known = facts.only(is_kept);
        let is_number = is_fixed && is_number(&self.scope, read);
        // A number of another type may be another one here.
        let is_same = is_number && new.value.is_some_and(|value| self.scope.program.terms.get(value).ty == ty);
        let is_pointer = is_fixed && self.scope.program.types.pointee(ty).is_some();
        if new.is_there && (is_same || is_pointer) {
            known.there.insert(read);
        }
        let value = new.value.map(|value| stripped(&self.scope.program, value));
        if let Some(value) = value.filter(|_| is_pointer) {
            if facts.is_null(&self.scope, value) {
                known.null.insert(read);
            }
            let is_read = matches!(self.scope.program.terms.get(value).kind, ExpressionKind::Read(_));
            if is_read && !self.may_change(to, value) {
                known.same.insert((read, value));
            }
        }
        if is_number {
            known.numbers = facts.numbers.assigned(&self.scope, (read, new.value), is_kept);
            if let Some(range) = new.range {
                known.numbers.set(&self.scope, read, range);
            }
        }
        if is_pointer || is_same || is_number && new.value.is_none() {
            for (all, is_there) in new.under.into_iter().zip([false, true]) {
                let all: BTreeSet<ExpressionId> = all.into_iter().filter(|fact| !self.may_change(to, *fact)).collect();
                if !all.is_empty() {
                    known.guarded.insert((read, is_there), all);
                }
            }
            known = known.released(&self.scope);
        }
        Rc::new(known)
    }

    /// What has to be read to get to an lvalue.
    fn path(&self, lvalue: LvalueId) -> Vec<LvalueId> {
        let parts = self.scope.program.terms.parts(Term::Lvalue(lvalue));
        let parts = parts.flat_map(|part| self.scope.program.terms.postorder(part));
        parts.filter_map(|term| read(&self.scope.program, term)).collect()
    }

    /// Whether a fact speaks of a variable.
    fn is_of(&self, fact: ExpressionId, variable: VariableId) -> bool {
        let is_read = |read: &LvalueId| self.scope.program.terms.variable_of(*read) == Some(variable);
        self.scope.all_read(fact).iter().any(is_read)
            || self.scope.program.variable(variable).address_taken && self.mentioned_in(fact).contains(&variable)
    }

    fn may_change(&self, to: LvalueId, fact: ExpressionId) -> bool {
        self.scope.all_read(fact).iter().any(|read| self.may_overlap(to, *read))
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
        self.scope.all_read(fact).iter().any(|read| match self.scope.program.terms.variable_of(*read) {
            Some(variable) if is_private(&self.scope.program, variable) => false,
            Some(variable) => {
                let is_pointed_to = self.scope.program.variable(variable).address_taken;
                writes.all || writes.variables.contains(&variable) || is_pointed_to && self.may_be(writes, *read)
            }
            None => {
                let is_pointed_to = |id: &VariableId| self.scope.program.variable(*id).address_taken;
                writes.all || self.may_be(writes, *read) || writes.variables.iter().any(is_pointed_to)
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
        self.scope
            .all_read(fact)
            .iter()
            .any(|read| variable(*read).is_none_or(|id| !is_private(&self.scope.program, id)))
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
            if (is_same || is_pointer) && facts.is_there(&self.scope, *argument) {
                given.there.insert(own);
            }
            if is_pointer && facts.is_null(&self.scope, *argument) {
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
            mentions && self.scope.all_read(fact).iter().all(is_plain)
        };
        let said: Vec<ExpressionId> = facts.all().into_iter().filter(|fact| is_said(*fact)).collect();
        let there: BTreeMap<ExpressionId, ExpressionId> =
            said.into_iter().map(|fact| (fact, replaced(&mut self.scope.program, fact, &by))).collect();
        given.there.extend(facts.there.iter().filter_map(|fact| there.get(fact)));
        given.null.extend(facts.null.iter().filter_map(|fact| there.get(fact)));
        given.same.extend(facts.same.iter().filter_map(|(a, b)| Some((*there.get(a)?, *there.get(b)?))));
        given.numbers = facts.numbers.renamed(&there);
        given.numbers.given(&self.scope, &facts.numbers, &numbers);
        given
    }
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
