//! One function: executed, asked, and what callers owe so that it cannot fail.

use std::time::{Duration, Instant};

use crate::bitvec::Term;
use crate::c::Program;
use crate::c::program::ProcedureId;
use crate::limits::Limits;

use super::condition::Condition;
use super::effects::Calls;
use super::machine::{Machine, Value};
use super::memory::Memories;
use super::precondition::Names;
use super::solver::{Possible, Solver};
use super::state::{Choices, State};
use super::summary::{Fact, Obligation, Summary};
use super::values::World;
use super::walk::{Context, Use, Walk, walk};
use super::{Finding, Function, Kind, Options, Owed, Verdict};

/// What is looked at.
pub struct Subject<'s> {
    /// The program.
    pub program: &'s Program,
    /// Who calls whom, and what that may do.
    pub calls: &'s Calls,
    /// Variables whose address is taken somewhere.
    pub taken: &'s [bool],
    /// What is asked.
    pub options: &'s Options,
}

/// What came of a function.
#[derive(Clone, Debug)]
pub struct Analysed {
    /// For those who asked.
    pub function: Function,
    /// For its callers.
    pub summary: Summary,
}

impl Analysed {
    /// The same of functions that call each other, and what they owe has not come to rest: nothing that was said on that ground counts.
    pub fn unsettled(mut self) -> Analysed {
        for finding in &mut self.function.findings {
            if finding.verdict == Verdict::Obligation || finding.verdict == Verdict::Safe {
                finding.verdict = Verdict::Unknown;
                finding.reason = Some("what functions that call each other owe does not come to rest".to_owned());
            }
        }
        self
    }
}

impl Subject<'_> {
    /// A function with what is known of others; `keeps`: whether it is taken for granted that what is stored as a pointer is one.
    pub fn analysed(&self, id: ProcedureId, summaries: &[Option<Summary>], keeps: bool) -> Analysed {
        let callees = self.calls.callees[id.0 as usize].iter();
        let theirs = callees.clone().all(|id| summaries[id.0 as usize].as_ref().is_none_or(|summary| summary.keeps));
        let keeps = keeps && theirs;
        let analysed = self.once(id, summaries, keeps);
        // Without it nothing is worse off but what is known.
        if keeps && !analysed.summary.keeps { self.once(id, summaries, false) } else { analysed }
    }

    fn once(&self, id: ProcedureId, summaries: &[Option<Summary>], keeps: bool) -> Analysed {
        let context = Context { calls: self.calls, taken: self.taken, summaries, keeps };
        let mut machine = Machine::new(self.program, self.taken.to_vec());
        machine.is_tangled = super::order::is_tangled(self.program.procedure(id).body.as_deref().unwrap_or(&[]));
        let (memories, memory) = Memories::new();
        let mut entry = State::first(&mut machine, memory);
        for &formal in &self.program.procedure(id).formals {
            if machine.is_apart(formal) {
                let value = machine.any(self.program.variable(formal).ty, super::machine::From::Entry);
                entry.set(formal, value);
            }
        }
        let mut world = World { machine, memories, choices: Choices::default() };
        let mut solver = Solver::new(self.limits(), self.options.questions);
        let mut one = Walk::new(&mut world, &context, &mut solver);
        let end = walk(&mut one, id, entry.clone());
        let (uses, stored, read) = (one.uses, one.stored, one.read);
        let names = Names::of(&mut world, id, &entry, &read);
        let uses = uses.into_iter().filter(|one| self.options.kinds.contains(&one.demand.kind)).collect();
        let mut asking =
            Asking { world: &mut world, solver: &mut solver, entry: &entry, names: &names, id, owed: Vec::new() };
        let found = asking.all(uses);
        let owed = asking.owed;
        let terms: Vec<Term> = owed.iter().map(|(_, term)| *term).collect();
        let kept = keeps && !solver.is_stopped() && stored.iter().all(|(reach, fine)| {
            let mut asked: Vec<Term> = reach.iter().map(|literal| literal.term).collect();
            asked.push(world.machine.terms.not(*fine));
            asked.extend(&terms);
            solver.never(&mut world.machine, &asked)
        });
        let obligations: Vec<Obligation> = owed.into_iter().map(|(obligation, _)| obligation).collect();
        let mut open: Vec<Kind> =
            found.iter().filter(|one| one.verdict >= Verdict::Unknown).map(|finding| finding.kind).collect();
        open.sort_unstable();
        open.dedup();
        let summary = Summary { obligations, open, keeps: kept, ..self.result(&mut world, &mut solver, (id, end), &terms) };
        let function = self.told(id, found, &summary);
        Analysed { function, summary }
    }

    /// What holds where a function returns.
    fn result(
        &self,
        world: &mut World<'_>,
        solver: &mut Solver,
        (id, end): (ProcedureId, Option<State>),
        owed: &[Term],
    ) -> Summary {
        let Some(end) = end else {
            // Whoever gave up does not know.
            return Summary { returns: solver.is_stopped(), ..Summary::default() };
        };
        let mut reach: Vec<Term> = end.reach.iter().map(|literal| literal.term).collect();
        reach.extend(owed);
        let ty = self.program.procedure(id).result;
        let Some(value) = end.result else { return Summary { returns: true, ..Summary::default() } };
        let mut always = |world: &mut World<'_>, term: Term| {
            let mut asked = reach.clone();
            asked.push(world.machine.terms.not(term));
            solver.never(&mut world.machine, &asked)
        };
        let proper = match value {
            Value::Pointer(pointer) => {
                let proper = world.machine.is_proper(pointer, ty);
                let alive = end.is_alive(&mut world.machine, pointer, &mut world.choices);
                let null = world.machine.null();
                let none = world.machine.same(pointer, null);
                let own = world.machine.is_local(pointer.object);
                let stays = world.machine.terms.not(own);
                let there = world.machine.terms.and(alive, stays);
                let there = world.machine.terms.or(none, there);
                let fine = world.machine.terms.and(proper, there);
                always(world, fine)
            }
            _ => true,
        };
        let facts = Fact::ALL.into_iter().filter(|fact| {
            let term = fact.term(&mut world.machine, value, ty);
            world.machine.terms.as_constant(term) != Some(1) && always(world, term)
        });
        Summary { returns: true, proper, facts: facts.collect(), ..Summary::default() }
    }

    fn limits(&self) -> Limits {
        let own = self.options.seconds.and_then(|seconds| Instant::now().checked_add(Duration::from_secs_f64(seconds)));
        let deadline = match (self.options.limits.deadline, own) {
            (Some(all), Some(own)) => Some(all.min(own)),
            (all, own) => all.or(own),
        };
        Limits { deadline, ..self.options.limits }
    }

    fn told(&self, id: ProcedureId, findings: Vec<Finding>, summary: &Summary) -> Function {
        let procedure = self.program.procedure(id);
        let owed = summary.obligations.iter().map(|one| Owed {
            condition: one.condition.text(self.program),
            kind: one.kind,
            place: one.place,
        });
        Function {
            name: procedure.name.to_string(),
            place: procedure.place,
            findings: summed(findings),
            obligations: owed.collect(),
            assumptions: self.assumptions(id, summary),
        }
    }

    /// What is taken for granted of a function.
    fn assumptions(&self, id: ProcedureId, summary: &Summary) -> Vec<String> {
        let effects = &self.calls.effects[id.0 as usize];
        let mut all = vec![
            "a pointer that is found at the entry is NULL, or leads to an element of its type in an object that is there"
                .to_owned(),
            "no pointer leads to a variable whose address is taken nowhere in these files".to_owned(),
        ];
        if effects.writes {
            all.push("what is written through a pointer that is found at the entry is no constant".to_owned());
        }
        if effects.writes && summary.keeps {
            all.push("pointers in memory are not changed by writes of other types".to_owned());
        }
        if effects.frees {
            all.push("what is freed was allocated, and begins where the pointer leads to".to_owned());
        }
        for name in &effects.foreign {
            all.push(format!(
                "`{name}` frees nothing that is used afterwards, and each pointer that it returns or stores is NULL or leads to an element of its type"
            ));
        }
        all.extend(self.program.unverified.iter().map(|one| one.text.clone()));
        all
    }
}

/// What is asked about one function.
struct Asking<'q, 'a> {
    world: &'q mut World<'a>,
    solver: &'q mut Solver,
    entry: &'q State,
    names: &'q Names,
    id: ProcedureId,
    /// What callers owe.
    owed: Vec<(Obligation, Term)>,
}

impl Asking<'_, '_> {
    fn all(&mut self, uses: Vec<Use>) -> Vec<Finding> {
        uses.iter().map(|one| self.one(one)).collect()
    }

    fn one(&mut self, one: &Use) -> Finding {
        let (verdict, reason) = self.decided(one);
        Finding { place: one.place, kind: one.demand.kind, text: one.text.to_string(), verdict, reason }
    }

    fn decided(&mut self, one: &Use) -> (Verdict, Option<String>) {
        let machine = &mut self.world.machine;
        if machine.terms.as_constant(one.demand.term) == Some(1) {
            return (Verdict::Safe, None);
        }
        let mut fails: Vec<Term> = one.reach.iter().map(|literal| literal.term).collect();
        fails.push(machine.terms.not(one.demand.term));
        let reason = match self.solver.possible(machine, &fails) {
            Possible::Never => return (Verdict::Safe, None),
            Possible::So(_) => "it may fail, and no condition on the arguments is known that excludes that",
            Possible::Unknown if self.solver.is_stopped() => {
                return (Verdict::Unknown, Some("a limit was met".to_owned()));
            }
            Possible::Unknown => "the solver gave up",
        };
        let owed: Vec<Term> = self.owed.iter().map(|(_, term)| *term).collect();
        fails.extend(&owed);
        if !owed.is_empty() && self.solver.never(&mut self.world.machine, &fails) {
            return (Verdict::Obligation, None);
        }
        if self.found(one, &fails, owed) { (Verdict::Obligation, None) } else { (Verdict::Unknown, Some(reason.to_owned())) }
    }

    /// Whether a condition on the entry excludes a failure: then callers owe it.
    fn found(&mut self, one: &Use, fails: &[Term], owed: Vec<Term>) -> bool {
        let near = self.names.candidates(self.world, self.id, one);
        let far = self.names.avoiding(self.world.machine.program, self.id, one);
        let reached: Vec<Term> = one.reach.iter().map(|literal| literal.term).chain(owed.iter().copied()).collect();
        for (set, may_avoid) in near.into_iter().map(|set| (set, false)).chain(far.into_iter().map(|set| (set, true))) {
            let terms: Vec<Term> = set.iter().map(|condition| condition.term(self.world, self.entry)).collect();
            let asked = |base: &[Term]| [base, &terms].concat();
            if !self.solver.never(&mut self.world.machine, &asked(fails)) {
                continue;
            }
            let base = if may_avoid { owed.clone() } else { reached.clone() };
            if !matches!(self.solver.possible(&mut self.world.machine, &asked(&base)), Possible::So(_)) {
                continue;
            }
            self.owe(one, set, terms, fails);
            return true;
        }
        false
    }

    /// Callers owe conditions, of which none is superfluous.
    fn owe(&mut self, one: &Use, mut set: Vec<Condition>, mut terms: Vec<Term>, fails: &[Term]) {
        let mut at = 0;
        while set.len() > 1 && at < set.len() {
            let others: Vec<Term> = terms.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, term)| *term).collect();
            if self.solver.never(&mut self.world.machine, &[fails, &others].concat()) {
                set.remove(at);
                terms.remove(at);
            } else {
                at += 1;
            }
        }
        for (condition, term) in set.into_iter().zip(terms) {
            self.owed.push((Obligation { condition, kind: one.demand.kind, place: one.place }, term));
        }
    }
}

/// One finding for each thing at each place: several ways to it are one for the reader.
fn summed(findings: Vec<Finding>) -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    let mut known = std::collections::HashMap::new();
    for finding in findings {
        let key = (finding.place, finding.kind, finding.text.clone());
        match known.get(&key) {
            None => {
                known.insert(key, all.len());
                all.push(finding);
            }
            Some(&at) => {
                let other: &mut Finding = &mut all[at];
                if finding.verdict > other.verdict {
                    *other = finding;
                }
            }
        }
    }
    all.sort_by_key(|finding| (finding.place.file, finding.place.line, finding.place.column));
    all
}
