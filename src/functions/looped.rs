//! Loops: what they may change is arbitrary at their head, but for what each way round keeps: guessed from what there was before, and
//! from conditions of the loop, and the greatest set of guesses is kept that is inductive (C. Flanagan and K. R. M. Leino, *Houdini, an
//! annotation assistant for ESC/Java*, FME 2001).

use std::collections::BTreeSet;

use crate::bitvec::{Operator, Term};
use crate::c::expression::{Binary, ExpressionId, ExpressionKind, LvalueKind};
use crate::c::program::{StatementKind, VariableId};

use super::effects::Effects;
use super::machine::{Machine, OFFSET, Pointer, Value};
use super::order::Loop;
use super::solver::{Possible, holds};
use super::state::State;
use super::values::Values;
use super::walk::Walk;

/// A guess about what a loop keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guess {
    /// The number is at least, or at most, a term that the loop does not change; by sign.
    Number { variable: VariableId, least: bool, signed: bool, than: Term },
    /// An expression is at least, or at most, another.
    Ordered { less: ExpressionId, more: ExpressionId },
    /// A pointer leads into the object that it led into.
    Object { variable: VariableId, object: Term },
    /// A pointer is not NULL.
    Some { variable: VariableId },
    /// A pointer is NULL or leads to an element.
    Proper { variable: VariableId },
    /// It is not before where it was, or not behind.
    Moved { variable: VariableId, least: bool, than: Term },
    /// It is within its object, or just past it.
    Within { variable: VariableId },
    /// It has moved by whole elements.
    Whole { variable: VariableId, from: Term, bytes: u64 },
    /// Two numbers, in steps of theirs, have moved by as much, or by as much in opposite directions.
    Together { one: (VariableId, Term, u64), other: (VariableId, Term, u64), opposite: bool },
}

/// No more guesses about pairs of variables.
const PAIRS: usize = 24;

impl Walk<'_, '_> {
    /// Executes a loop: any number of ways round, and where it is left.
    pub(super) fn looped(&mut self, one: &Loop) {
        if !one.is_entered_once {
            let Some(state) = self.anything(one) else { return };
            self.round(one, state);
            self.frame().pending.remove(&one.head);
            return;
        }
        let Some(before) = self.arrived(one.head) else { return };
        let effects = self.changed(one);
        let mut guesses = self.guesses(one, &before, &effects);
        let pending = self.frame().pending.clone();
        let told = (self.uses.len(), self.stored.len());
        loop {
            let mut state = before.clone();
            self.affected(&mut state, &effects);
            self.unassigned(&mut state, &before, one);
            for guess in &guesses {
                let term = self.meant(guess, &state);
                state.assume(&self.world.machine, term, None);
            }
            self.round(one, state);
            let backs = self.frame().pending.remove(&one.head).unwrap_or_default();
            let kept = backs.iter().fold(guesses.clone(), |kept, back| self.kept(kept, back));
            if kept.len() == guesses.len() || self.solver.is_stopped() {
                return;
            }
            guesses = kept;
            self.frame().pending.clone_from(&pending);
            self.uses.truncate(told.0);
            self.stored.truncate(told.1);
        }
    }

    fn round(&mut self, one: &Loop, state: State) {
        self.step(one.head, state);
        self.items(&one.inner);
    }

    /// A state of which nothing is known, in place of all in which a loop is entered; none if it is not.
    fn anything(&mut self, one: &Loop) -> Option<State> {
        let frame = self.frame();
        let entered = one.labels.iter().filter(|label| frame.pending.remove(label).is_some()).count();
        if entered == 0 {
            return None;
        }
        let memory = self.world.memories.anything();
        let mut state = State::first(&mut self.world.machine, memory);
        let effects = Effects { globals: true, frees: true, allocates: true, ..Effects::default() };
        self.affected(&mut state, &effects);
        Some(state)
    }

    /// What the statements of a loop may change.
    fn changed(&mut self, one: &Loop) -> Effects {
        let program = self.world.machine.program;
        let procedure = self.frame().procedure;
        let mut effects = Effects::default();
        for label in &one.labels {
            if let Some(statement) = program.procedure(procedure).body.as_ref().and_then(|body| body.get(label.0 as usize))
            {
                effects.join(&self.context.calls.statement(program, self.context.taken, &statement.kind));
                // Locals that begin to live in it hold whatever anybody has left.
                if let StatementKind::Dead(_) = statement.kind {
                    effects.frees = true;
                }
            }
        }
        effects
    }

    /// Locals that are assigned or begin to live in a loop may not have been assigned.
    fn unassigned(&mut self, state: &mut State, before: &State, one: &Loop) {
        let program = self.world.machine.program;
        let procedure = self.frame().procedure;
        let begins: BTreeSet<VariableId> = one
            .labels
            .iter()
            .filter_map(|label| match program.procedure(procedure).body.as_ref()?.get(label.0 as usize)?.kind {
                StatementKind::Declare(variable) => Some(variable),
                _ => None,
            })
            .collect();
        let mut assigned = (*before.assigned).clone();
        for variable in before.assigned.keys().chain(&begins).copied().collect::<BTreeSet<_>>() {
            let some = self.world.machine.fresh(1);
            let term = match before.assigned.get(&variable) {
                Some(&old) if !begins.contains(&variable) => self.world.machine.terms.or(old, some),
                _ => some,
            };
            assigned.insert(variable, term);
        }
        state.assigned = assigned.into();
    }

    /// What may be kept, of what holds before the loop.
    fn guesses(&mut self, one: &Loop, before: &State, effects: &Effects) -> Vec<Guess> {
        let mut guesses = Vec::new();
        let mut moved = Vec::new();
        for &variable in &effects.apart {
            if !self.world.machine.is_apart(variable) || !before.values.contains_key(&variable) {
                continue;
            }
            match before.value(&mut self.world.machine, variable) {
                Value::Number(number) => {
                    self.about_number(variable, number, &mut guesses);
                    moved.push((variable, number, 1));
                }
                Value::Pointer(pointer) => {
                    let bytes = self.about_pointer(variable, pointer, &mut guesses);
                    moved.push((variable, pointer.offset, bytes));
                }
                Value::Opaque => {}
            }
        }
        self.about_conditions(one, &mut guesses);
        let pairs = moved.iter().enumerate().flat_map(|(at, &one)| moved[at + 1..].iter().map(move |&other| (one, other)));
        for (one, other) in pairs.take(PAIRS) {
            guesses.extend([false, true].map(|opposite| Guess::Together { one, other, opposite }));
        }
        self.kept(guesses, before)
    }

    fn about_number(&mut self, variable: VariableId, number: Term, guesses: &mut Vec<Guess>) {
        let machine = &mut self.world.machine;
        let ty = machine.program.variable(variable).ty;
        let signed = machine.program.types.as_integer(ty).is_some_and(|integer| integer.signed);
        for least in [true, false] {
            guesses.push(Guess::Number { variable, least, signed, than: number });
        }
        if signed {
            let width = machine.terms.width(number);
            for least in [0, u128::MAX] {
                let than = machine.terms.constant(least, width);
                guesses.push(Guess::Number { variable, least: true, signed, than });
            }
        }
    }

    fn about_pointer(&mut self, variable: VariableId, pointer: Pointer, guesses: &mut Vec<Guess>) -> u64 {
        let program = self.world.machine.program;
        let ty = program.variable(variable).ty;
        let bytes = program.types.pointee(ty).and_then(|to| program.types.size(to)).unwrap_or(1).max(1);
        guesses.extend([
            Guess::Object { variable, object: pointer.object },
            Guess::Some { variable },
            Guess::Proper { variable },
            Guess::Within { variable },
            Guess::Moved { variable, least: true, than: pointer.offset },
            Guess::Moved { variable, least: false, than: pointer.offset },
        ]);
        if bytes > 1 {
            guesses.push(Guess::Whole { variable, from: pointer.offset, bytes });
        }
        bytes
    }

    /// Comparisons that are decided in a loop hold with equality at its head, if they do before it.
    fn about_conditions(&mut self, one: &Loop, guesses: &mut Vec<Guess>) {
        let program = self.world.machine.program;
        let procedure = self.frame().procedure;
        let Some(body) = &program.procedure(procedure).body else { return };
        let mut met = BTreeSet::new();
        for label in &one.labels {
            let Some(StatementKind::Branch(e, ..)) = body.get(label.0 as usize).map(|statement| &statement.kind) else {
                continue;
            };
            let ExpressionKind::Binary(operator, a, b) = program.terms.get(*e).kind else { continue };
            let pairs: &[(ExpressionId, ExpressionId)] = match operator {
                Binary::Less | Binary::LessEqual => &[(a, b)],
                Binary::Greater | Binary::GreaterEqual => &[(b, a)],
                Binary::Unequal | Binary::Equal => &[(a, b), (b, a)],
                _ => &[],
            };
            for &(less, more) in pairs {
                if met.insert((less, more)) && [less, more].iter().all(|e| is_plain(program, *e)) {
                    guesses.push(Guess::Ordered { less, more });
                }
            }
        }
    }

    /// The guesses that hold in a state.
    fn kept(&mut self, mut guesses: Vec<Guess>, state: &State) -> Vec<Guess> {
        let reach: Vec<Term> = state.reach.iter().map(|literal| literal.term).collect();
        let mut terms: Vec<Term> = guesses.iter().map(|guess| self.meant(guess, state)).collect();
        while !guesses.is_empty() {
            let all = self.world.machine.terms.all(&terms);
            let not = self.world.machine.terms.not(all);
            let mut asked = reach.clone();
            asked.push(not);
            match self.solver.possible(&mut self.world.machine, &asked) {
                Possible::Never => break,
                Possible::So(model) => {
                    let fine: Vec<bool> = terms.iter().map(|&term| holds(&self.world.machine, &model, term)).collect();
                    if fine.iter().all(|fine| *fine) {
                        return Vec::new();
                    }
                    retain(&mut guesses, &mut terms, &fine);
                }
                Possible::Unknown => {
                    let fine: Vec<bool> = terms
                        .iter()
                        .map(|&term| {
                            let not = self.world.machine.terms.not(term);
                            let mut asked = reach.clone();
                            asked.push(not);
                            self.solver.never(&mut self.world.machine, &asked)
                        })
                        .collect();
                    retain(&mut guesses, &mut terms, &fine);
                    break;
                }
            }
        }
        guesses
    }

    /// What a guess says in a state.
    fn meant(&mut self, guess: &Guess, state: &State) -> Term {
        let value = |machine: &mut Machine<'_>, variable| state.value(machine, variable);
        let machine = &mut self.world.machine;
        let never = machine.terms.truth(false);
        match *guess {
            Guess::Number { variable, least, signed, than } => {
                let Value::Number(number) = value(machine, variable) else { return never };
                let (a, b) = if least { (than, number) } else { (number, than) };
                if signed { machine.terms.sle(a, b) } else { machine.terms.ule(a, b) }
            }
            Guess::Ordered { less, more } => {
                let program = machine.program;
                let signed = program.types.as_integer(program.terms.get(less).ty).is_some_and(|one| one.signed);
                let mut values = Values::new(self.world, state);
                match (values.value(less), values.value(more)) {
                    (Value::Number(a), Value::Number(b)) if signed => self.world.machine.terms.sle(a, b),
                    (Value::Number(a), Value::Number(b)) => self.world.machine.terms.ule(a, b),
                    (Value::Pointer(a), Value::Pointer(b)) => {
                        let terms = &mut self.world.machine.terms;
                        let (same, before) = (terms.eq(a.object, b.object), terms.ule(a.offset, b.offset));
                        terms.and(same, before)
                    }
                    _ => never,
                }
            }
            Guess::Together { one, other, opposite } => {
                let (a, b) = (distance(machine, state, one), distance(machine, state, other));
                let a = machine.terms.linear(&[(a, u128::from(other.2))], 0);
                let b = machine.terms.linear(&[(b, u128::from(one.2))], 0);
                let b = if opposite { machine.terms.neg(b) } else { b };
                machine.terms.eq(a, b)
            }
            Guess::Object { variable, .. }
            | Guess::Some { variable }
            | Guess::Proper { variable }
            | Guess::Moved { variable, .. }
            | Guess::Within { variable }
            | Guess::Whole { variable, .. } => match value(machine, variable) {
                Value::Pointer(pointer) => self.meant_of_pointer(guess, state, variable, pointer),
                _ => never,
            },
        }
    }

    fn meant_of_pointer(&mut self, guess: &Guess, state: &State, variable: VariableId, pointer: Pointer) -> Term {
        let machine = &mut self.world.machine;
        match *guess {
            Guess::Object { object, .. } => machine.terms.eq(pointer.object, object),
            Guess::Some { .. } => machine.is_some(pointer),
            Guess::Proper { .. } => {
                let proper = machine.is_proper(pointer, machine.program.variable(variable).ty);
                let alive = state.is_alive(machine, pointer, &mut self.world.choices);
                let null = machine.null();
                let none = machine.same(pointer, null);
                let alive = machine.terms.or(none, alive);
                machine.terms.and(proper, alive)
            }
            Guess::Moved { least, than, .. } => {
                let (a, b) = if least { (than, pointer.offset) } else { (pointer.offset, than) };
                machine.terms.ule(a, b)
            }
            Guess::Within { .. } => {
                let size = machine.size(pointer.object);
                machine.terms.ule(pointer.offset, size)
            }
            Guess::Whole { from, bytes, .. } => {
                let moved = machine.terms.sub(pointer.offset, from);
                let bytes = machine.terms.constant(u128::from(bytes), OFFSET);
                let rest = machine.terms.binary(Operator::Urem, moved, bytes);
                let zero = machine.terms.constant(0, OFFSET);
                machine.terms.eq(rest, zero)
            }
            _ => machine.terms.truth(false),
        }
    }
}

/// How far a variable is from where it was, as a number of bytes' bits.
fn distance(machine: &mut Machine<'_>, state: &State, (variable, from, _): (VariableId, Term, u64)) -> Term {
    let ty = machine.program.variable(variable).ty;
    let signed = machine.program.types.as_integer(ty).is_some_and(|integer| integer.signed);
    let value = match state.value(machine, variable) {
        Value::Number(number) => number,
        Value::Pointer(pointer) => pointer.offset,
        Value::Opaque => from,
    };
    let (now, then) = (machine.terms.resize(value, OFFSET, signed), machine.terms.resize(from, OFFSET, signed));
    machine.terms.sub(now, then)
}

fn retain(guesses: &mut Vec<Guess>, terms: &mut Vec<Term>, fine: &[bool]) {
    let mut at = fine.iter();
    guesses.retain(|_| *at.next().unwrap_or(&false));
    let mut at = fine.iter();
    terms.retain(|_| *at.next().unwrap_or(&false));
}

/// Whether an expression is a constant or reads variables only: then it can be said at the head of a loop.
fn is_plain(program: &crate::c::Program, e: ExpressionId) -> bool {
    use crate::c::expression::Term as Part;
    program.terms.postorder(Part::Expression(e)).into_iter().all(|part| match part {
        Part::Lvalue(l) => !matches!(program.terms.at(l).kind, LvalueKind::Element(..)),
        Part::Expression(_) => true,
    })
}

