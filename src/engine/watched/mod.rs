//! A system that is watched: a system and what runs of it may not do, as one system, in which a run violates if it is *marked*
//! infinitely often.
//!
//! Certificates of temporal properties are about it (`spds-format/CERTIFICATES.md` has its definition). It has more globals
//! than the system: what is *owed*, a formula each, that has to hold from here on; whose *turn* it is, of the promises that
//! have to be kept again and again; and *met*, a guess that may be forgotten at any step and is true only if a marked step has been
//! taken since it was false. Where an automaton says what runs may not do, its *state* stands in place of what is owed, and its
//! marks are what is kept. All that is written for being read, not for being small: no state is merged, no formula rewritten.

mod begun;
mod below;
mod denied;
mod owed;
mod popped;
mod states;
mod stuck;
mod terms;

pub use begun::between;
pub use popped::popped;

use rustc_hash::FxHashMap;
use spds_format::Spds;
use spds_format::expr::{Binary, Expr, Op, Time};
use spds_format::model::{Name, Rule, Stack, SymbolId, Type, Var, Variable};

use crate::ltl::atoms::{Meaning, Truth};
use crate::ltl::automaton::Tgba;
use crate::ltl::formula::Ltl;
use crate::options::Runs;
use below::Knowing;
use owed::Debts;
use terms::{Term, Terms};

/// A system with what no run of it may do: the formula is what every run has to satisfy, its propositions mean this, in their order,
/// and these runs count. The last global of the result is *met*. Nothing if that would be too large.
///
/// # Panics
/// If there are not as many meanings as propositions.
pub fn watched(spds: &Spds, ltl: &Ltl, meanings: &[Meaning], runs: Runs) -> Option<Spds> {
    assert_eq!(ltl.formulas.propositions().len(), meanings.len(), "every proposition has a meaning");
    made(spds, Watch::Owed(Debts::of(&ltl.formulas, ltl.root)?), meanings, runs)
}

/// The same where no run is to be accepted by an automaton, whose propositions mean this, in their order.
///
/// # Panics
/// If there are not as many meanings as propositions.
pub fn watched_by(spds: &Spds, automaton: &Tgba, meanings: &[Meaning], runs: Runs) -> Option<Spds> {
    assert_eq!(automaton.propositions.len(), meanings.len(), "every proposition has a meaning");
    made(spds, Watch::Read(automaton), meanings, runs)
}

/// Whether [`watched`] says exactly which runs of a system are blocked, where that counts: else more may be than are.
pub fn is_blocking_clear(spds: &Spds, runs: Runs) -> bool {
    runs != Runs::Stutter || stuck::blocked(spds, &Knowing::of(spds)).is_exact
}

fn made(spds: &Spds, watch: Watch<'_>, meanings: &[Meaning], runs: Runs) -> Option<Spds> {
    let first = spds.globals.len() as u32;
    let knowing = (runs == Runs::Stutter).then(|| Knowing::of(spds));
    let mut all = Watched { spds, meanings, watch, first, steps: FxHashMap::default(), joined: FxHashMap::default() };
    let mut product = knowing.as_ref().map_or(spds, |knowing| &knowing.spds).clone();
    product.globals.extend(all.globals());
    product.start.condition = all.start(product.start.condition.as_ref())?;
    // What builds the start stack is not watched.
    for rule in product.rules.iter_mut().take(spds.rules.len()) {
        if !rule.silent {
            rule.with = Some(all.step(rule.from.symbol, false, rule.with.as_ref())?);
        }
    }
    if let Some(knowing) = &knowing {
        for (head, guard) in stuck::blocked(spds, knowing).heads {
            let with = Some(all.step(head.symbol, true, None)?);
            let (to, stack) = (head.control, Stack::Swap(head.symbol));
            let rule =
                Rule { from: head, to, stack, guard, updates: Vec::new().into(), with, silent: false, label: None };
            product.rules.push(rule);
        }
    }
    if runs == Runs::Infinite {
        // To rest at the end is no infinite run.
        product.rules.retain(|rule| ![spds.end, spds.fail].contains(&Some(rule.from.symbol)));
    }
    (product.end, product.fail) = (None, None);
    Some(product)
}

/// Who watches.
enum Watch<'a> {
    /// What the negation of a formula owes.
    Owed(Debts),
    /// An automaton that reads the run.
    Read(&'a Tgba),
}

/// A proposition, or its negation, as a term; nothing if that would be too large.
type Literal<'l> = dyn Fn(&mut Terms, u32, bool) -> Option<Term> + 'l;

/// What a proposition is at a symbol: always the same, or the condition of the meaning with this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Known {
    Constant(bool),
    Condition(usize),
}

/// A system in the making.
struct Watched<'a> {
    spds: &'a Spds,
    meanings: &'a [Meaning],
    watch: Watch<'a>,
    /// The first global that is new.
    first: u32,
    /// What a step does to the new globals, by what propositions are.
    steps: FxHashMap<Vec<Known>, Expr>,
    /// The same with a relation that a rule has anyway, by their addresses.
    joined: FxHashMap<(usize, usize), (Expr, Expr)>,
}

impl Watched<'_> {
    /// The new globals: what is owed, or the state; the turn if there is a choice; and *met*.
    fn globals(&self) -> Vec<Variable> {
        let variable = |name: String, ty: Type| Variable { name: Name::from(name.as_str()), ty, hidden: false };
        let mut all: Vec<Variable> = match &self.watch {
            Watch::Owed(debts) => {
                (0..debts.count()).map(|number| variable(format!("@owed {number}"), Type::BOOL)).collect()
            }
            Watch::Read(automaton) => vec![variable("@state".into(), Type::unsigned(states::bits(automaton)))],
        };
        all.extend(self.turns().map(|bits| variable("@turn".into(), Type::unsigned(bits))));
        all.push(variable("@met".into(), Type::BOOL));
        all
    }

    /// How many of the new globals are neither the turn nor *met*.
    fn own(&self) -> u32 {
        match &self.watch {
            Watch::Owed(debts) => debts.count() as u32,
            Watch::Read(_) => 1,
        }
    }

    /// How many bits the turn has, if there is one.
    fn turns(&self) -> Option<u8> {
        let marks = match &self.watch {
            Watch::Owed(debts) => debts.promises().len() as u32,
            Watch::Read(automaton) => automaton.marks,
        };
        (marks > 1).then(|| (u32::BITS - (marks - 1).leading_zeros()) as u8)
    }

    /// One of the new globals, by its number among them.
    fn new_global(&self, number: u32, time: Time) -> Expr {
        Expr::read(Var::Global(self.first + number), time)
    }

    fn owed(&self, number: usize, time: Time) -> Expr {
        self.new_global(number as u32, time)
    }

    /// The automaton is in this state.
    fn is_in(&self, state: u32, time: Time) -> Expr {
        equals(&self.new_global(0, time), state as usize)
    }

    fn turn(&self, time: Time) -> Expr {
        self.new_global(self.own(), time)
    }

    fn met(&self, time: Time) -> Expr {
        self.new_global(self.own() + u32::from(self.turns().is_some()), time)
    }

    /// Where runs start, if this is so, too: the root is owed, and nothing else, or the automaton is in its first state.
    fn start(&self, condition: Option<&Expr>) -> Option<Option<Expr>> {
        let mut terms = Terms::default();
        let mut all: Vec<Term> = Vec::new();
        match &self.watch {
            Watch::Owed(debts) => {
                for number in 0..debts.count() {
                    let owed = self.owed(number, Time::Before);
                    all.push(terms.leaf(if number == debts.root() { owed } else { owed.not() }));
                }
            }
            Watch::Read(automaton) => all.push(terms.leaf(self.is_in(automaton.initial, Time::Before))),
        }
        if self.turns().is_some() {
            all.push(terms.leaf(equals(&self.turn(Time::Before), 0)));
        }
        all.push(terms.leaf(self.met(Time::Before).not()));
        all.extend(condition.map(|condition| terms.leaf(condition.clone())));
        let all = terms.all(&all);
        Some(Some(terms.expr(all)?))
    }

    /// What a step from a symbol does, with the relation that its rule has anyway.
    fn step(&mut self, symbol: SymbolId, stuck: bool, with: Option<&Expr>) -> Option<Expr> {
        let known = self.meanings.iter().enumerate().map(|(number, meaning)| match meaning.at(self.spds, symbol) {
            Truth::Constant(value) => Known::Constant(value),
            Truth::Condition(_) => Known::Condition(number),
            Truth::Stuck => Known::Constant(stuck),
        });
        let known: Vec<Known> = known.collect();
        let step = match self.steps.get(&known) {
            Some(step) => step.clone(),
            None => {
                let step = self.made(symbol, &known)?;
                self.steps.insert(known, step.clone());
                step
            }
        };
        let Some(with) = with else { return Some(step) };
        // The relation is kept, so that its address remains its own.
        let joined = self.joined.entry((with.address(), step.address()));
        Some(joined.or_insert_with(|| (with.clone(), with.and(&step))).1.clone())
    }

    /// What a step does where propositions are this.
    fn made(&self, symbol: SymbolId, known: &[Known]) -> Option<Expr> {
        let ty = types(self.spds, symbol);
        let literal = |terms: &mut Terms, proposition: u32, holds: bool| {
            Some(match known[proposition as usize] {
                Known::Constant(value) => terms.constant(value == holds),
                Known::Condition(number) => {
                    let (_, condition) = self.meanings[number].condition()?;
                    terms.leaf(if holds { condition.clone() } else { denied::denied(condition, &ty)? })
                }
            })
        };
        let mut terms = Terms::default();
        let mut all = Vec::new();
        let kept = match &self.watch {
            Watch::Owed(debts) => self.paid(debts, &literal, &mut terms, &mut all)?,
            Watch::Read(automaton) => self.read(automaton, &literal, &mut terms, &mut all)?,
        };
        let mark = self.mark(&mut terms, kept, &mut all);
        let (before, after) = (terms.leaf(self.met(Time::Before)), terms.leaf(self.met(Time::After).not()));
        all.push(terms.any(&[after, before, mark]));
        let all = terms.all(&all);
        Some(self.freed(terms.expr(all)?))
    }

    /// What a step does to what is owed; where each promise is kept by it.
    fn paid(&self, debts: &Debts, literal: &Literal<'_>, terms: &mut Terms, all: &mut Vec<Term>) -> Option<Vec<Term>> {
        let mut holds: Vec<Term> = Vec::new();
        for part in debts.parts() {
            let operands = |parts: &[usize]| parts.iter().map(|part| holds[*part]).collect::<Vec<Term>>();
            let term = match part {
                owed::Part::Constant(value) => terms.constant(*value),
                owed::Part::Literal(proposition, holds) => literal(terms, *proposition, *holds)?,
                owed::Part::Later(owed) => terms.leaf(self.owed(*owed, Time::After)),
                owed::Part::All(parts) => terms.all(&operands(parts)),
                owed::Part::Any(parts) => terms.any(&operands(parts)),
            };
            holds.push(term);
        }
        for (number, debt) in debts.all().iter().enumerate() {
            let none = terms.leaf(self.owed(number, Time::Before).not());
            all.push(terms.any(&[none, holds[debt.unfolded]]));
            // Nothing is owed that nobody has asked for.
            let mut asked = vec![terms.leaf(self.owed(number, Time::After).not())];
            for (other, debt) in debts.all().iter().enumerate() {
                if debt.asks.contains(&number) {
                    asked.push(terms.leaf(self.owed(other, Time::Before)));
                }
            }
            all.push(terms.any(&asked));
        }
        let kept = debts.promises().iter().map(|promise| {
            let none = terms.leaf(self.owed(promise.debt, Time::Before).not());
            terms.any(&[none, holds[promise.kept]])
        });
        Some(kept.collect())
    }

    /// Whether a step is marked: it is if there is nothing to be kept, if the only thing is, or if the last one is whose turn it is.
    fn mark(&self, terms: &mut Terms, kept: Vec<Term>, all: &mut Vec<Term>) -> Term {
        if kept.len() < 2 {
            return kept.first().copied().unwrap_or_else(|| terms.constant(true));
        }
        let last = kept.len() - 1;
        let mut mark = terms.constant(false);
        for (number, kept) in kept.into_iter().enumerate() {
            let next = if number == last { 0 } else { number + 1 };
            let here = terms.leaf(equals(&self.turn(Time::Before), number));
            let on = terms.leaf(equals(&self.turn(Time::After), next));
            let stays = terms.leaf(equals(&self.turn(Time::After), number));
            let on = terms.all(&[kept, on]);
            let either = terms.any(&[stays, on]);
            let elsewhere = terms.leaf(equals(&self.turn(Time::Before), number).not());
            all.push(terms.any(&[elsewhere, either]));
            if number == last {
                mark = terms.all(&[here, on]);
            }
        }
        mark
    }

    /// The relation, which mentions *met* after the step: what it does not mention would keep its value.
    fn freed(&self, step: Expr) -> Expr {
        let met = self.met(Time::After);
        let read = (Var::Global(self.first + self.globals().len() as u32 - 1), Time::After);
        if step.reads().any(|other| other == read) {
            return step;
        }
        step.and(&met.binary(Binary::Or, &met.not()).binary(Binary::Or, &self.met(Time::Before)))
    }
}

/// The types of what is read where a symbol is on top.
fn types(spds: &Spds, symbol: SymbolId) -> impl Fn(&Op) -> Option<Type> {
    move |op| match op {
        Op::Read(var, _) | Op::Cell(var, _) => Some(spds.variable(spds.symbol(symbol).frame, *var)?.ty),
        _ => None,
    }
}

/// A number is this.
fn equals(number: &Expr, value: usize) -> Expr {
    number.binary(Binary::Eq, &Expr::number(value as u64))
}
