//! What is known where control is: how it came there, what variables hold that no pointer leads to, memory, and what is no more.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::bitvec::Term;
use crate::c::expression::ExpressionId;
use crate::c::program::VariableId;

use super::machine::{Machine, Pointer, Value};
use super::memory::{Memories, Memory};

/// Something that holds because control came here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The condition.
    pub term: Term,
    /// The condition of the program that was decided, and how, if it is one.
    pub decided: Option<(ExpressionId, bool)>,
}

/// What ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dead {
    /// An object, if that holds.
    One { when: Term, object: Term },
    /// Some of those that were allocated before there were so many, or came from elsewhere, if that holds.
    Some { when: Term, clock: Term, which: u32 },
}

/// What is known at a point of control.
#[derive(Clone, Debug)]
pub struct State {
    /// All of these hold.
    pub reach: Vec<Literal>,
    /// What variables hold that are kept apart.
    pub values: Rc<BTreeMap<VariableId, Value>>,
    /// Since when globals that are not mentioned hold what they hold.
    pub globals: u32,
    /// Of locals that may not have been assigned, whether they have.
    pub assigned: Rc<BTreeMap<VariableId, Term>>,
    /// All else.
    pub memory: Memory,
    /// What is no more.
    pub dead: Vec<Dead>,
    /// The number of the next object that is allocated.
    pub clock: Term,
    /// What the procedure returns, where it does.
    pub result: Option<Value>,
}

impl State {
    /// Where nothing has happened.
    pub fn first(machine: &mut Machine<'_>, memory: Memory) -> State {
        let clock = machine.terms.constant(Machine::FIRST, super::machine::OBJECT);
        let (values, assigned) = (Rc::default(), Rc::default());
        State { reach: Vec::new(), values, globals: 0, assigned, memory, dead: Vec::new(), clock, result: None }
    }

    /// Goes on only where a condition holds; whether it can, at first sight.
    pub fn assume(&mut self, machine: &Machine<'_>, term: Term, decided: Option<(ExpressionId, bool)>) -> bool {
        match machine.terms.as_constant(term) {
            Some(1) => true,
            Some(_) => false,
            None => {
                if !self.reach.iter().any(|literal| literal.term == term) {
                    self.reach.push(Literal { term, decided });
                }
                true
            }
        }
    }

    /// All that holds, as one term.
    pub fn reached(&self, machine: &mut Machine<'_>) -> Term {
        let terms: Vec<Term> = self.reach.iter().map(|literal| literal.term).collect();
        machine.terms.all(&terms)
    }

    /// What a variable holds that is kept apart.
    pub fn value(&self, machine: &mut Machine<'_>, variable: VariableId) -> Value {
        match self.values.get(&variable) {
            Some(&value) => value,
            None if machine.program.is_global(variable) => machine.global(variable, self.globals),
            None => {
                let ty = machine.program.variable(variable).ty;
                machine.any(ty, super::machine::From::Anywhere)
            }
        }
    }

    /// A variable gets a value.
    pub fn set(&mut self, variable: VariableId, value: Value) {
        Rc::make_mut(&mut self.values).insert(variable, value);
        if self.assigned.contains_key(&variable) {
            Rc::make_mut(&mut self.assigned).remove(&variable);
        }
    }

    /// All globals that are kept apart get values that nobody knows.
    pub fn forget_globals(&mut self, machine: &mut Machine<'_>, from: super::machine::From) {
        let program = machine.program;
        Rc::make_mut(&mut self.values).retain(|variable, _| !program.is_global(*variable));
        self.globals = machine.since(from);
    }

    /// A local begins to live.
    pub fn begin(&mut self, variable: VariableId, value: Value, not: Term) {
        Rc::make_mut(&mut self.values).insert(variable, value);
        Rc::make_mut(&mut self.assigned).insert(variable, not);
    }

    /// Whether a pointer, which is not NULL, leads to an object that still is.
    pub fn is_alive(&self, machine: &mut Machine<'_>, pointer: Pointer, choices: &mut Choices) -> Term {
        let mut alive = machine.terms.truth(true);
        for dead in &self.dead {
            let ended = match *dead {
                Dead::One { object, .. } if !machine.may_be_same(object, pointer.object) => continue,
                Dead::One { when, object } => {
                    let same = machine.terms.eq(object, pointer.object);
                    machine.terms.and(when, same)
                }
                // Variables end otherwise.
                Dead::Some { .. } if machine.is_variable(pointer.object).is_some() => continue,
                Dead::Some { when, clock, which } => {
                    let old = machine.terms.ult(pointer.object, clock);
                    let chosen = choices.of(machine, which, pointer.object);
                    let both = machine.terms.and(when, old);
                    machine.terms.and(both, chosen)
                }
            };
            let not = machine.terms.not(ended);
            alive = machine.terms.and(alive, not);
        }
        alive
    }

    /// Where ways meet: one of some states, of which at most one is reached in a run.
    pub fn joined(machine: &mut Machine<'_>, memories: &mut Memories, states: Vec<State>) -> Option<State> {
        let mut states = states.into_iter();
        let mut all = states.next()?;
        for state in states {
            all = State::either(machine, memories, all, state);
        }
        Some(all)
    }

    fn either(machine: &mut Machine<'_>, memories: &mut Memories, a: State, b: State) -> State {
        let common = a.reach.iter().zip(&b.reach).take_while(|(x, y)| x.term == y.term).count();
        let rest = |machine: &mut Machine<'_>, state: &State| {
            let terms: Vec<Term> = state.reach[common..].iter().map(|literal| literal.term).collect();
            machine.terms.all(&terms)
        };
        let (first, second) = (rest(machine, &a), rest(machine, &b));
        // Where one decision tells the ways apart, that is shorter than all that holds on one of them.
        let condition = match (a.reach.get(common), b.reach.get(common)) {
            _ if machine.is_tangled => machine.fresh(1),
            (Some(x), Some(y)) if machine.terms.not(x.term) == y.term => x.term,
            _ => first,
        };
        let either = match machine.is_tangled {
            true => machine.terms.ite(condition, first, second),
            false => machine.terms.or(first, second),
        };
        let mut reach = a.reach[..common].to_vec();
        if machine.terms.as_constant(either) != Some(1) {
            reach.push(Literal { term: either, decided: None });
        }
        let values = values_of(machine, condition, &a, &b);
        let assigned = assigned_of(machine, condition, &a, &b);
        let globals = if a.globals == b.globals { a.globals } else { machine.either_since(a.globals, b.globals) };
        let memory = memories.either(condition, a.memory, b.memory);
        let mut dead = a.dead;
        dead.extend(b.dead.into_iter().filter(|one| !dead.contains(one)).collect::<Vec<_>>());
        let clock = machine.terms.ite(condition, a.clock, b.clock);
        let result = a.result.zip(b.result).map(|(yes, no)| machine.choice(condition, yes, no));
        State { reach, values, globals, assigned, memory, dead, clock, result }
    }
}

fn values_of(
    machine: &mut Machine<'_>,
    condition: Term,
    a: &State,
    b: &State,
) -> Rc<BTreeMap<VariableId, Value>> {
    if Rc::ptr_eq(&a.values, &b.values) && a.globals == b.globals {
        return Rc::clone(&a.values);
    }
    let mut values = BTreeMap::new();
    let others = b.values.keys().filter(|variable| !a.values.contains_key(variable));
    let all: Vec<VariableId> = a.values.keys().chain(others).copied().collect();
    for variable in all {
        let is_global = machine.program.is_global(variable);
        if !is_global && !(a.values.contains_key(&variable) && b.values.contains_key(&variable)) {
            // It has no value on one way: whoever reads it gets any.
            continue;
        }
        let (yes, no) = (a.value(machine, variable), b.value(machine, variable));
        values.insert(variable, machine.choice(condition, yes, no));
    }
    Rc::new(values)
}

fn assigned_of(
    machine: &mut Machine<'_>,
    condition: Term,
    a: &State,
    b: &State,
) -> Rc<BTreeMap<VariableId, Term>> {
    if Rc::ptr_eq(&a.assigned, &b.assigned) {
        return Rc::clone(&a.assigned);
    }
    let mut assigned = BTreeMap::new();
    let yes = machine.terms.truth(true);
    for &variable in a.assigned.keys().chain(b.assigned.keys()) {
        let of = |state: &State| state.assigned.get(&variable).copied().unwrap_or(yes);
        let (first, second) = (of(a), of(b));
        assigned.insert(variable, machine.terms.ite(condition, first, second));
    }
    Rc::new(assigned)
}

/// For each time that nobody knows what ended and each object, whether it did.
#[derive(Default)]
pub struct Choices {
    known: std::collections::HashMap<(u32, Term), Term>,
    count: u32,
}

impl Choices {
    /// One more time.
    pub fn next(&mut self) -> u32 {
        self.count += 1;
        self.count
    }

    fn of(&mut self, machine: &mut Machine<'_>, which: u32, object: Term) -> Term {
        *self.known.entry((which, object)).or_insert_with(|| machine.fresh(1))
    }
}
