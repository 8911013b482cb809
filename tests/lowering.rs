//! What a program means is what its system means: an interpreter that walks the tree against the steps of the system,
//! statement by statement and value by value, on random programs and on the programs of other people.

extern crate puch_engine as puch;

mod oracle;
mod support;
mod tree;

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use puch::boolprog::ast::StmtKind;
use puch::boolprog::{self, Options, Source};
use spds_format::Spds;
use spds_format::model::{ControlId, Place, SymbolId};
use support::{programs, shrink};
use tree::{Machine, Next, Point, Values};

/// A program with its system.
struct Both<'a> {
    machine: Machine<'a>,
    spds: &'a Spds,
    /// Where the points of the program are among the symbols, by place in the text.
    symbols: BTreeMap<Point, SymbolId>,
    points: BTreeMap<SymbolId, (usize, Point)>,
    hidden: Vec<bool>,
}

/// More values than this are not all tried, but a random choice of so many.
const ENOUGH: usize = 48;

impl<'a> Both<'a> {
    fn new(text: &str, source: &'a Source, spds: &'a Spds) -> Both<'a> {
        let machine = Machine::new(&source.ast, source.resolved.entry as usize);
        let hidden = spds.hidden_symbols();
        let by_place: BTreeMap<Option<Place>, SymbolId> = (0..)
            .zip(&spds.symbols)
            .filter(|(number, symbol)| !hidden[*number as usize] && symbol.frame.is_some())
            .map(|(number, symbol)| (symbol.place, SymbolId(number)))
            .collect();
        let mut both = Both { machine, spds, symbols: BTreeMap::new(), points: BTreeMap::new(), hidden };
        for (procedure, declared) in source.ast.procedures.iter().enumerate() {
            for point in both.machine.points(procedure) {
                let at = match point {
                    Point::Statement(id) => source.ast.statement(id).at,
                    Point::End(_) => declared.end,
                };
                if let Some(symbol) = by_place.get(&Some(place(text, at as usize))) {
                    both.symbols.insert(point, *symbol);
                    both.points.insert(*symbol, (procedure, point));
                }
            }
        }
        both
    }

    /// A state of the program with registers, as the system has it.
    fn state(&self, state: &tree::State, registers: &[bool]) -> oracle::State {
        let numbers = |values: &[bool]| values.iter().map(|value| u64::from(*value)).collect::<Vec<u64>>();
        let globals = [&state.globals[..], registers].concat();
        let symbol = self.symbols[&state.point];
        oracle::State { control: ControlId(0), symbol, globals: numbers(&globals), locals: numbers(&state.locals) }
    }

    /// A visible state of the system without its registers, as the program has it.
    fn seen(&self, state: &oracle::State) -> tree::State {
        let truths = |values: &[u64]| values.iter().map(|value| *value == 1).collect::<Values>();
        let (procedure, point) = self.points[&state.symbol];
        let globals = truths(&state.globals[..self.machine.ast.globals.len()]);
        tree::State { procedure, point, globals, locals: truths(&state.locals) }
    }

    /// Goes on from hidden states.
    fn settle(&self, state: oracle::State) -> Vec<oracle::State> {
        if !self.hidden[state.symbol.0 as usize] {
            return vec![state];
        }
        let next = oracle::successors(self.spds, &state);
        next.into_iter()
            .flat_map(|(_, next)| match next {
                oracle::Next::Swap(state) => self.settle(state),
                other => panic!("a hidden state leads to {other:?}"),
            })
            .collect()
    }

    /// What differs between program and system at a state, with these values in the registers.
    fn differs(&self, state: &tree::State, registers: &[bool], callers: &[tree::State]) -> Option<String> {
        let (mut ours, mut theirs) = (BTreeSet::new(), BTreeSet::new());
        let mut returns = (Vec::new(), Vec::new());
        for next in self.machine.steps(state) {
            match next {
                Next::Return(globals, results) => returns.0.push((globals, results)),
                other => drop(ours.insert(other)),
            }
        }
        for (_, next) in oracle::successors(self.spds, &self.state(state, registers)) {
            match next {
                oracle::Next::Swap(state) if Some(state.symbol) == self.spds.fail => {
                    let globals = state.globals[..self.machine.ast.globals.len()].iter().map(|g| *g == 1).collect();
                    theirs.insert(Next::Fail(globals));
                }
                oracle::Next::Swap(next) => {
                    theirs.extend(self.settle(next).iter().map(|state| Next::Step(self.seen(state))))
                }
                oracle::Next::Push(entry, _, saved) => {
                    if saved != self.state(state, registers).locals {
                        return Some(format!("a call changes the caller's locals to {saved:?}"));
                    }
                    theirs.insert(Next::Call(self.seen(&entry)));
                }
                oracle::Next::Pop(_, globals) => returns.1.push(globals),
            }
        }
        if ours != theirs {
            return Some(format!("from {state:?}:\ntree {ours:?}\nsystem {theirs:?}"));
        }
        if returns.0.is_empty() != returns.1.is_empty() {
            return Some(format!("from {state:?}: only one returns: {returns:?}"));
        }
        callers.iter().find_map(|caller| self.returns_differ(state, caller, &returns))
    }

    /// The same for returns, as seen by a caller.
    fn returns_differ(
        &self,
        callee: &tree::State,
        caller: &tree::State,
        returns: &(Vec<(Values, Values)>, Vec<Vec<u64>>),
    ) -> Option<String> {
        let resumed = returns.0.iter().filter_map(|(globals, results)| self.machine.resume(caller, globals, results));
        let ours: BTreeSet<tree::State> = resumed.collect();
        let registers = vec![false; self.spds.globals.len() - self.machine.ast.globals.len()];
        let mut theirs = BTreeSet::new();
        for (_, next) in oracle::successors(self.spds, &self.state(caller, &registers)) {
            let oracle::Next::Push(_, symbol, locals) = next else { continue };
            for globals in &returns.1 {
                let (globals, locals) = (globals.clone(), locals.clone());
                let state = oracle::State { control: ControlId(0), symbol, globals, locals };
                if oracle::invariant(self.spds, &state) {
                    theirs.extend(self.settle(state).iter().map(|state| self.seen(state)));
                }
            }
        }
        // A call that can never be made says nothing of its return.
        let calls = self.machine.steps(caller).iter().any(|next| matches!(next, Next::Call(_)));
        (calls && ours != theirs)
            .then(|| format!("return from {callee:?}\nto {caller:?}:\ntree {ours:?}\nsystem {theirs:?}"))
    }

    /// Everything that differs first, over all points and all values, or many.
    fn wrong(&self, rng: &mut Rng) -> Option<String> {
        let ast = self.machine.ast;
        let registers = self.spds.globals.len() - ast.globals.len();
        for (procedure, declared) in ast.procedures.iter().enumerate() {
            let locals = ast.variables(declared).len();
            let callers = self.callers(procedure, rng);
            for point in self.machine.points(procedure) {
                if !self.symbols.contains_key(&point) {
                    continue;
                }
                for values in some_values(rng, ast.globals.len() + locals + registers) {
                    let (globals, rest) = values.split_at(ast.globals.len());
                    let (locals, registers) = rest.split_at(locals);
                    let state = tree::State { procedure, point, globals: globals.into(), locals: locals.into() };
                    let start = oracle_starts(self.spds, &self.state(&state, registers));
                    if start != self.machine.starts(&state) {
                        return Some(format!("{state:?} is a start of one of them only"));
                    }
                    let allowed = oracle::invariant(self.spds, &self.state(&state, registers));
                    if allowed != self.machine.allowed(&state) {
                        return Some(format!("{state:?} is allowed by one of them only"));
                    }
                    if let Some(what) = self.differs(&state, registers, &callers).filter(|_| allowed) {
                        return Some(what);
                    }
                }
            }
        }
        None
    }

    /// Some states in which the procedure is called.
    fn callers(&self, callee: usize, rng: &mut Rng) -> Vec<tree::State> {
        let ast = self.machine.ast;
        let mut all = Vec::new();
        for (procedure, declared) in ast.procedures.iter().enumerate() {
            for point in self.machine.points(procedure) {
                let Point::Statement(id) = point else { continue };
                let StmtKind::Call(call) = ast.statement(id).kind else { continue };
                if self.machine.callee(ast.calls[call as usize]) != callee {
                    continue;
                }
                let count = ast.globals.len() + ast.variables(declared).len();
                for values in some_values(rng, count).into_iter().take(3) {
                    let (globals, locals) = values.split_at(ast.globals.len());
                    let state = tree::State { procedure, point, globals: globals.into(), locals: locals.into() };
                    all.extend(Some(state).filter(|state| self.machine.allowed(state)));
                }
            }
        }
        rng.shuffle(&mut all);
        all.truncate(6);
        all
    }
}

/// All lists of truth values, in random order, or a random choice.
fn some_values(rng: &mut Rng, count: usize) -> Vec<Values> {
    if 1 << count.min(20) <= ENOUGH {
        let mut all = tree::all_values(count);
        rng.shuffle(&mut all);
        return all;
    }
    (0..ENOUGH).map(|_| (0..count).map(|_| rng.bool()).collect()).collect()
}

fn oracle_starts(spds: &Spds, state: &oracle::State) -> bool {
    state.symbol == spds.start.stack[0] && oracle::is_start(spds, state)
}

/// Line and column of a byte.
fn place(text: &str, at: usize) -> Place {
    let before = &text[..at];
    let line = before.matches('\n').count() as u32 + 1;
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) as u32 + 1;
    Place { file: 0, line, column }
}

fn wrong(text: &str, options: &Options, seed: u64) -> Option<String> {
    let source = boolprog::parse(text, options).unwrap_or_else(|complaints| panic!("{complaints:?}\n{text}"));
    let spds = boolprog::read(text, "a.bp", options).expect("it was just parsed").spds;
    let both = Both::new(text, &source, &spds);
    let statements = source.ast.statements.len();
    let visible = both.hidden.iter().zip(&spds.symbols).filter(|(hidden, s)| !**hidden && s.frame.is_some()).count();
    if both.symbols.len() != visible || statements > visible {
        return Some(format!("{visible} symbols for {statements} statements, {} of them placed", both.symbols.len()));
    }
    if spds.start.stack[0] != both.symbols[&both.machine.first(both.machine.entry)] {
        return Some("they do not start at the same place".into());
    }
    both.wrong(&mut Rng::with_seed(seed))
}

#[test]
fn random_programs_mean_what_their_systems_mean() {
    for seed in support::seeds(0..400) {
        let program = programs::program(seed);
        if let Some(what) = wrong(&program.to_string(), &Options::default(), seed) {
            let least = shrink(program, |program| wrong(&program.to_string(), &Options::default(), seed).is_some());
            let now = wrong(&least.to_string(), &Options::default(), seed).unwrap_or_default();
            panic!("seed {seed}: {what}\nshrunk: {now}\n{least}");
        }
    }
}

#[test]
fn programs_of_other_people_mean_what_their_systems_mean() {
    let Some(corpus) = support::corpus() else { return };
    let mut all = 0;
    for (path, text) in corpus {
        if boolprog::read(&text, "a.bp", &Options::default()).is_ok_and(|program| is_small(&program.spds)) {
            let what = wrong(&text, &Options::default(), 1);
            assert_eq!(what, None, "{path}");
            all += 1;
        }
    }
    assert!(all > 30, "{all} programs of the corpus were compared");
}

/// Whether all ways to take a step can be tried.
fn is_small(spds: &Spds) -> bool {
    let locals = spds.frames.iter().map(|frame| frame.variables.len()).max().unwrap_or(0);
    spds.globals.len() + locals <= 12
}
