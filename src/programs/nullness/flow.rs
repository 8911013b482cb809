//! Which questions no run comes to, by what is known of pointers and numbers along the control flow: a must-analysis (G. Kildall, POPL 1973) of
//! pointers that are not NULL, and of ranges and differences of numbers ([`numbers`]), over all procedures at once, without contexts. It decides most
//! uses at little cost, so that predicates are only looked for where it does not.
//!
//! A *fact* is about what is read: a pointer, as an expression, that is not NULL, or a number. Facts come from branches, from assignments, and from what
//! calls hand over; a store takes those away whose value it may change, by what objects are accessed as ([`Access`](crate::c::effective::Access)), and a call those that what it
//! leads to may change. At joins that stays which holds on all ways; where control comes back again and again, only what does not grow. Where a
//! branch contradicts the facts, nobody comes that way. What lies behind a pointer that is NULL nobody reads: of that everything holds.

mod branch;
mod characters;
mod facts;
mod numbers;
mod range;
mod returned;
mod scope;
mod tables;
mod writes;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use crate::c::command::{Action, Call, Command, Source, Whom};
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind, Term};
use crate::c::program::{
    Callee, Label, ProcedureId, Program, Statement, StatementId, StatementKind, Storage, VariableId,
};
use crate::c::reached::reached;
use crate::c::substitute::replaced;
use crate::question::wrong::stripped;
use characters::Characters;
use facts::Facts;
use numbers::is_number;
use range::Range;
use returned::{Returned, unchanged};
use scope::Scope;
use writes::{Writes, written};

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

/// The statements that no run comes to, as far as this tells; all others may be reached, and all of them where it is stopped. If `granted`, it is taken
/// for granted that what is written as characters, through pointers that were made for characters, is nothing else. Facts times statements, times how
/// often facts change.
pub(super) fn unreached(
    program: &Program,
    statements: &[StatementId],
    granted: bool,
    stop: &dyn Fn() -> bool,
) -> BTreeSet<StatementId> {
    let mut flow = Flow::of(program, granted);
    if !flow.run(stop) {
        return BTreeSet::new();
    }
    let is_unreached = |id: &StatementId| {
        let known = flow.known.get(&id.procedure);
        known.is_none_or(|known| known.get(id.label.0 as usize).is_none_or(Option::is_none))
    };
    statements.iter().copied().filter(is_unreached).collect()
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
    fn of(program: &'p Program, granted: bool) -> Flow<'p> {
        let characters = granted.then(|| Rc::new(Characters::of(program)));
        let all = program.procedures.iter().zip(0..);
        let bodies = all.filter_map(|(procedure, at)| Some((ProcedureId(at), procedure.body.as_deref()?))).collect();
        Flow {
            writes: written(program, &bodies, characters.as_deref()),
            scope: Scope::of(program, characters),
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
        match kind.command(label) {
            Command::Asks(condition, yes, no) => {
                for (to, truth) in [(Some(yes), true), (no, false)] {
                    if let Some(to) = to
                        && let Some(facts) = facts.branched(&self.scope, condition, truth)
                    {
                        self.join(procedure, to, &facts, to <= label);
                    }
                }
            }
            Command::Fails | Command::Exits(_) => {}
            Command::Returns(value) => {
                let formals = self.unchanged[&procedure].clone();
                let new = Returned::of(&self.scope, &facts, value, |fact| self.is_told(&formals, fact));
                self.returns(procedure, new);
            }
            Command::Calls(call, next) => {
                if let Some((facts, new)) = self.called(&facts, id, &call) {
                    let facts = call.to.map_or(facts.clone(), |to| self.after(&facts, to, new));
                    self.join(procedure, next, &facts, false);
                }
            }
            Command::Does(action, next) => {
                let facts = self.done(&facts, action);
                // What only those see who execute the program has a value, too.
                let unseen = kind.target().filter(|_| action == Action::Nothing);
                let facts = unseen.map_or(facts.clone(), |to| self.after(&facts, to, New::default()));
                self.join(procedure, next, &facts, next <= label);
            }
        }
    }

    /// What is known once something is done inside a frame.
    fn done(&mut self, facts: &Rc<Facts>, action: Action) -> Rc<Facts> {
        match action {
            Action::Nothing | Action::Frees(_) => facts.clone(),
            Action::Assigns(to, Source::Of(value)) => {
                let is_there = facts.is_there(&self.scope, value);
                let under = facts.under(&self.scope, value).map(Option::unwrap_or_default);
                self.after(facts, to, New { is_there, value: Some(value), range: None, under })
            }
            Action::Assigns(to, Source::Input | Source::Unknown | Source::Allocated { .. }) => {
                self.after(facts, to, New::default())
            }
            // What it was is gone, however it was read: `&v` leads to another object now.
            Action::Begins(variable) | Action::Ends(variable) => {
                Rc::new(facts.only(|fact| !self.scope.is_of(fact, variable)))
            }
        }
    }

    /// What is known behind a call of this, and of what is assigned there; nothing if nobody comes back yet.
    fn called(
        &mut self,
        facts: &Rc<Facts>,
        id: StatementId,
        &Call { to, whom, arguments }: &Call<'_>,
    ) -> Option<(Rc<Facts>, New)> {
        let callee = match whom {
            Whom::Callee(Callee::Procedure(callee)) if self.bodies.contains_key(&callee) => callee,
            Whom::Foreign(effect) if !effect.writes() => return Some((facts.clone(), New::default())),
            _ => return Some((Rc::new(facts.only(|fact| !self.scope.is_shared(fact))), New::default())),
        };
        self.callers.entry(callee).or_default().insert(id);
        let given = Rc::new(self.given(facts, callee, arguments));
        self.join(callee, Label(0), &given, true);
        // Nobody comes back from where no return is reached yet.
        let (returned, _) = self.returned.get(&callee).cloned()?;
        let (facts, new) = self.come_back(facts, (callee, arguments), returned);
        let result = self.scope.program.procedure(callee).result;
        // As one of another type it may be another one.
        let is_same = to.is_none_or(|to| self.scope.program.terms.at(to).ty == result);
        Some((facts, if is_same { new } else { New::default() }))
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
        self.scope.mentioned_in(fact).into_iter().all(is_known)
    }

    /// What is known where a procedure that was called with these arguments has returned this, and of what it returned.
    fn come_back(
        &mut self,
        facts: &Facts,
        (callee, arguments): (ProcedureId, &[ExpressionId]),
        returned: Returned,
    ) -> (Rc<Facts>, New) {
        let writes = self.writes[&callee].clone();
        let mut known = facts.only(|fact| !self.scope.may_write(&writes, fact));
        let mut by: HashMap<Term, ExpressionId> = HashMap::new();
        let mut gone: BTreeSet<VariableId> = BTreeSet::new();
        for (formal, argument) in self.scope.program.procedure(callee).formals.clone().into_iter().zip(arguments) {
            let ty = self.scope.program.variable(formal).ty;
            // What was handed over has to be now what it was.
            if self.scope.program.terms.get(*argument).ty == ty && !self.scope.may_write(&writes, *argument) {
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
                if !self.scope.mentioned_in(fact).iter().any(is_gone) {
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

    /// What is known after something was written.
    fn after(&mut self, facts: &Rc<Facts>, to: LvalueId, new: New) -> Rc<Facts> {
        let ty = self.scope.program.terms.at(to).ty;
        let read = self.scope.program.terms.expression(ExpressionKind::Read(to), ty);
        // Where it is written must not change by its being written.
        let is_fixed = !self.scope.path(to).iter().any(|read| self.scope.may_overlap(to, *read));
        let is_kept = |one: ExpressionId| !self.scope.may_change(to, one);
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
            if is_read && !self.scope.may_change(to, value) {
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
                let all: BTreeSet<ExpressionId> =
                    all.into_iter().filter(|fact| !self.scope.may_change(to, *fact)).collect();
                if !all.is_empty() {
                    known.guarded.insert((read, is_there), all);
                }
            }
            known = known.released(&self.scope);
        }
        Rc::new(known)
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
