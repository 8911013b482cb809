//! What is told of statements against what the oracle finds there, value by value.

use std::collections::BTreeSet;

use puch::facts::{Described, Fact, Known, Question, facts, statements};
use puch::formula::form::Cell;
use puch::limits::Limits;
use puch::options::{Engine, Options, Order};
use puch::report::expression::{Notation, written};
use spds_format::Spds;
use spds_format::expr::{Expr, Time};
use spds_format::model::{Head, Rule, SymbolId, Var, Variable};

use crate::oracle;

fn options(engine: Engine, order: Order) -> Options {
    let limits = Limits { memory: Some(256 << 20), ..Limits::default() };
    Options { limits, engine, order, ..Options::default() }
}

pub fn plain() -> Options {
    options(Engine::Biodivine, Order::Force)
}

pub fn all(spds: &Spds, options: &Options) -> Vec<Fact> {
    facts(spds, &Question::Values(statements(spds), 10_000), options).facts.expect("no limit is met")
}

/// Globals and locals.
type Valuation = (Vec<u64>, Vec<u64>);

/// What is wrong with what is told of a system, if anything.
pub fn wrong(spds: &Spds) -> Option<String> {
    let explored = oracle::explore(spds);
    let hidden: BTreeSet<(u32, u32)> = (spds.rules.iter().filter(|rule| rule.silent))
        .map(|Rule { from: Head { control, symbol }, .. }| (control.0, symbol.0))
        .collect();
    let told = all(spds, &plain());
    let mut dead = Vec::new();
    for fact in &told {
        let symbol = fact.target.symbol;
        let states = explored.values(symbol);
        let reached: BTreeSet<Valuation> = (states.into_iter())
            .filter(|state| !hidden.contains(&(state.control.0, symbol.0)))
            .map(|state| shown(spds, symbol, &(state.globals.clone(), state.locals.clone())))
            .collect();
        if reached.is_empty() {
            dead.push(symbol);
        }
        if let Some(wrong) = differs(spds, fact, &reached) {
            return Some(format!("{}: {wrong}", spds.symbol(symbol).name));
        }
    }
    for other in [options(Engine::Shared, Order::Force), options(Engine::Biodivine, Order::Declared)] {
        if all(spds, &other) != told {
            return Some("it depends on the engine or on the order of BDD variables".into());
        }
    }
    let question = Question::Reached(statements(spds));
    let known = facts(spds, &question, &plain()).facts.expect("no limit is met");
    let found = known.iter().filter(|fact| fact.known == Known::Never).map(|fact| fact.target.symbol);
    (found.collect::<Vec<_>>() != dead).then(|| "other statements are dead".into())
}

/// The values of what is not hidden; zeros for the rest.
fn shown(spds: &Spds, symbol: SymbolId, values: &Valuation) -> Valuation {
    let keep = |variables: &[Variable], values: &[u64]| {
        let hidden = variables.iter().flat_map(|v| vec![v.hidden; v.ty.cells() as usize]);
        hidden.zip(values).map(|(hidden, value)| if hidden { 0 } else { *value }).collect()
    };
    (keep(&spds.globals, &values.0), keep(spds.locals(symbol), &values.1))
}

/// How what is told differs from these values.
fn differs(spds: &Spds, fact: &Fact, reached: &BTreeSet<Valuation>) -> Option<String> {
    let symbol = fact.target.symbol;
    let (constants, formula) = match &fact.known {
        Known::Never => return (!reached.is_empty()).then(|| "it is reached".into()),
        Known::Reached { constants, formula: Described::As(formula) } => (constants, formula),
        other => return Some(format!("{other:?}")),
    };
    if reached.is_empty() {
        return Some("it is never reached".into());
    }
    let text = written(spds, Notation::System, symbol, formula);
    let (_, read) = match spds_format::parse_condition(spds, spds.symbol(symbol).frame, &text) {
        Ok(read) => read,
        Err(complaints) => return Some(format!("`{text}` cannot be read: {complaints:?}")),
    };
    for expr in [&read, &formula.expr()] {
        if let Some(wrong) = is_exactly(spds, symbol, expr, reached) {
            return Some(format!("{wrong} (`{text}`)"));
        }
    }
    let told: Vec<(Cell, u64)> = constants.clone();
    let expected = constant_cells(spds, symbol, reached);
    (told != expected).then(|| format!("constants are {expected:?}, told are {told:?}"))
}

/// Where an expression and a set of values differ.
fn is_exactly(spds: &Spds, symbol: SymbolId, expr: &Expr, reached: &BTreeSet<Valuation>) -> Option<String> {
    let head = spds.rules.iter().find(|rule| rule.from.symbol == symbol).map_or(spds.start.control, |r| r.from.control);
    for globals in oracle::valuations(&spds.globals) {
        for locals in oracle::locals(spds, symbol) {
            let state = oracle::State { control: head, symbol, globals: globals.clone(), locals };
            let holds = oracle::holds_before(spds, expr, &state);
            let values = shown(spds, symbol, &(state.globals, state.locals));
            if holds != reached.contains(&values) {
                return Some(format!("it is {holds} at {values:?}"));
            }
        }
    }
    None
}

/// The scalars with one value.
fn constant_cells(spds: &Spds, symbol: SymbolId, reached: &BTreeSet<Valuation>) -> Vec<(Cell, u64)> {
    let mut found = Vec::new();
    let mut look = |variables: &[Variable], var: fn(u32) -> Var, of: fn(&Valuation) -> &Vec<u64>| {
        let mut place = 0;
        for (variable, number) in variables.iter().zip(0..) {
            for cell in 0..variable.ty.cells() {
                let values: BTreeSet<u64> = reached.iter().map(|values| of(values)[place]).collect();
                place += 1;
                if values.len() == 1 && !variable.hidden {
                    let index = variable.ty.range.map(|(first, _)| first + cell);
                    let cell = Cell { time: Time::Before, var: var(number), index, scalar: variable.ty.scalar };
                    found.extend(values.into_iter().map(|value| (cell, value)));
                }
            }
        }
    };
    look(&spds.globals, Var::Global, |values| &values.0);
    look(spds.locals(symbol), Var::Local, |values| &values.1);
    found
}
