//! What a Remopla program means is what its system means: an interpreter that walks the tree against the steps of the
//! system, statement by statement and value by value, on random programs, whatever overflows do.

extern crate puch_engine as puch;

mod oracle;
mod rem_tree;
mod support;

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use puch::remopla::ast::StmtKind;
use puch::remopla::{self, Arithmetic, Options, Source};
use rem_tree::{Machine, Next, Point, State, Values};
use spds_format::Spds;
use spds_format::model::{ControlId, Place, SymbolId};
use support::rem_programs;

/// A program with its system.
struct Both<'a> {
    machine: Machine<'a>,
    spds: &'a Spds,
    /// Where the points of the program are among the symbols, by place in the text.
    symbols: BTreeMap<Point, SymbolId>,
    points: BTreeMap<SymbolId, (Option<u32>, Point)>,
    hidden: Vec<bool>,
}

/// So many values are tried at each point.
const ENOUGH: usize = 16;

impl<'a> Both<'a> {
    fn new(text: &str, source: &'a Source, spds: &'a Spds, arithmetic: Arithmetic) -> Both<'a> {
        let Source { ast, resolved, .. } = source;
        let hidden = spds.hidden_symbols();
        let by_place: BTreeMap<Option<Place>, SymbolId> = (0..)
            .zip(&spds.symbols)
            .filter(|(number, symbol)| !hidden[*number as usize] && symbol.place.is_some())
            .map(|(number, symbol)| (symbol.place, SymbolId(number)))
            .collect();
        let statements = ast.statements.iter().enumerate().filter(|(_, statement)| !statement.folded);
        let ids = statements.map(|(index, statement)| {
            let id = remopla::ast::StmtId::new(index);
            (resolved.flow.owner[index], Point::Statement(id), statement.at)
        });
        let ends = (0..).zip(&ast.modules).map(|(number, module)| (Some(number), Point::End(number), module.end));
        let mut symbols = BTreeMap::new();
        let mut points = BTreeMap::new();
        for (module, point, at) in ids.chain(ends) {
            if let Some(symbol) = by_place.get(&Some(place(text, at as usize))) {
                symbols.insert(point, *symbol);
                points.insert(*symbol, (module, point));
            }
        }
        Both { machine: Machine { ast, resolved, arithmetic }, spds, symbols, points, hidden }
    }

    fn globals(&self) -> usize {
        self.machine.ast.declarations.globals.iter().map(|leaf| leaf.dims.cells() as usize).sum()
    }

    /// A state of the program with registers, as the system has it.
    fn state(&self, state: &State, registers: &[u64]) -> oracle::State {
        let globals = [&state.globals[..], registers].concat();
        let symbol = self.symbols[&state.point];
        oracle::State { control: ControlId(0), symbol, globals, locals: state.locals.clone() }
    }

    /// A visible state of the system without its registers, as the program has it.
    fn seen(&self, state: &oracle::State) -> Next {
        let globals = state.globals[..self.globals()].to_vec();
        if Some(state.symbol) == self.spds.fail {
            return Next::Fail(globals);
        }
        let (module, point) = self.points[&state.symbol];
        Next::Step(State { module, point, globals, locals: state.locals.clone() })
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
    fn differs(&self, state: &State, registers: &[u64], callers: &[State]) -> Option<String> {
        let (mut ours, mut theirs) = (BTreeSet::new(), BTreeSet::new());
        let mut returns = (BTreeSet::new(), BTreeSet::new());
        for next in self.machine.steps(state) {
            match next {
                Next::Return(globals, result) => drop(returns.0.insert((globals, result))),
                other => drop(ours.insert(other)),
            }
        }
        for (_, next) in oracle::successors(self.spds, &self.state(state, registers)) {
            match next {
                oracle::Next::Swap(state) => drop(theirs.insert(self.seen(&state))),
                oracle::Next::Push(entry, _, saved) => {
                    let Next::Step(entry) = self.seen(&entry) else { panic!("a call of nothing") };
                    theirs.insert(Next::Call(entry, saved));
                }
                oracle::Next::Pop(_, globals) => drop(returns.1.insert(globals)),
            }
        }
        if ours != theirs {
            return Some(format!("from {state:?}:\ntree {ours:#?}\nsystem {theirs:#?}"));
        }
        if returns.0.is_empty() != returns.1.is_empty() {
            return Some(format!("from {state:?}: only one returns: {returns:?}"));
        }
        callers.iter().find_map(|caller| self.returns_differ(state, caller, &returns))
    }

    /// The same for returns, as seen by a caller.
    fn returns_differ(
        &self,
        callee: &State,
        caller: &State,
        returns: &(BTreeSet<(Values, Values)>, BTreeSet<Vec<u64>>),
    ) -> Option<String> {
        let Point::Statement(id) = caller.point else { return None };
        let registers = vec![0; self.registers()];
        let mut ours = BTreeSet::new();
        for next in self.machine.steps(caller) {
            if let Next::Call(_, saved) = next {
                let resumed =
                    returns.0.iter().flat_map(|(globals, result)| self.machine.resume(id, &saved, globals, result));
                ours.extend(resumed);
            }
        }
        let mut theirs = BTreeSet::new();
        for (_, next) in oracle::successors(self.spds, &self.state(caller, &registers)) {
            let oracle::Next::Push(_, symbol, locals) = next else { continue };
            for globals in &returns.1 {
                let (globals, locals) = (globals.clone(), locals.clone());
                let state = oracle::State { control: ControlId(0), symbol, globals, locals };
                theirs.extend(self.settle(state).iter().map(|state| self.seen(state)));
            }
        }
        (ours != theirs).then(|| format!("return from {callee:?}\nto {caller:?}:\ntree {ours:#?}\nsystem {theirs:#?}"))
    }

    fn registers(&self) -> usize {
        let cells: usize = self.spds.globals.iter().map(|variable| variable.ty.cells() as usize).sum();
        cells - self.globals()
    }

    /// Some states at a point: values that its variables can have.
    fn some_states(&self, module: Option<u32>, point: Point, rng: &mut Rng) -> Vec<State> {
        let declarations = &self.machine.ast.declarations;
        let mut values = |leaves: &[remopla::declarations::Leaf]| {
            let cells = leaves.iter().flat_map(|leaf| (0..leaf.dims.cells()).map(move |_| leaf));
            cells.map(|leaf| rng.u64(..leaf.members.unwrap_or(1 << leaf.scalar.bits()))).collect::<Values>()
        };
        let state = |_| State {
            module,
            point,
            globals: values(&declarations.globals),
            locals: values(self.machine.locals(module)),
        };
        (0..ENOUGH).map(state).collect()
    }

    /// The first thing that differs.
    fn wrong(&self, rng: &mut Rng) -> Option<String> {
        for (symbol, (module, point)) in &self.points {
            let callers = self.callers(*module, rng);
            let states = self.some_states(*module, *point, rng);
            for state in states.into_iter().collect::<BTreeSet<State>>() {
                let registers: Vec<u64> = (0..self.registers()).map(|_| rng.u64(..2)).collect();
                let start = self.state(&state, &registers);
                if !oracle::invariant(self.spds, &start)
                    || *symbol == self.spds.start.stack[0] && !oracle::is_start(self.spds, &start)
                {
                    return Some(format!("{state:?} is not allowed"));
                }
                if let Some(what) = self.differs(&state, &registers, &callers) {
                    return Some(what);
                }
            }
        }
        None
    }

    /// Some states in which the module is called.
    fn callers(&self, callee: Option<u32>, rng: &mut Rng) -> Vec<State> {
        let ast = self.machine.ast;
        let mut all = Vec::new();
        for (module, point) in self.points.values() {
            let Point::Statement(id) = point else { continue };
            let StmtKind::Call(call) = ast.statement(*id).kind else { continue };
            if Some(ast.calls[call as usize].module) == callee {
                all.extend(self.some_states(*module, *point, rng).into_iter().take(3));
            }
        }
        rng.shuffle(&mut all);
        all.truncate(4);
        all
    }
}

/// Line and column of a byte.
fn place(text: &str, at: usize) -> Place {
    let before = &text[..at];
    let line = before.matches('\n').count() as u32 + 1;
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) as u32 + 1;
    Place { file: 0, line, column }
}

fn wrong(text: &str, arithmetic: Arithmetic, seed: u64) -> Option<String> {
    let options = Options { arithmetic, ..Options::default() };
    let source = remopla::parse(text, &options).unwrap_or_else(|complaints| panic!("{complaints:#?}\n{text}"));
    let spds = remopla::read(text, "a.rem", &options).expect("it was just parsed").spds;
    assert_eq!(spds_format::validate(&spds), []);
    let both = Both::new(text, &source, &spds, arithmetic);
    let visible = both.hidden.iter().zip(&spds.symbols).filter(|(hidden, s)| !**hidden && s.place.is_some()).count();
    if both.symbols.len() != visible {
        return Some(format!("{visible} symbols, {} of them placed", both.symbols.len()));
    }
    let entry = source.ast.modules.iter().position(|module| &*module.name == "main").expect("there is one");
    if spds.start.stack[0] != both.symbols[&both.machine.entry(entry as u32)] {
        return Some("they do not start at the same place".into());
    }
    both.wrong(&mut Rng::with_seed(seed))
}

#[test]
fn random_programs_mean_what_their_systems_mean() {
    for seed in support::seeds(0..60) {
        let text = rem_programs::program(seed);
        for arithmetic in [Arithmetic::Block, Arithmetic::Check, Arithmetic::Wrap] {
            if let Some(what) = wrong(&text, arithmetic, seed) {
                panic!("seed {seed}, {arithmetic:?}: {what}\n{text}");
            }
        }
    }
}

/// How many start states there are at most.
fn bits(spds: &Spds) -> u32 {
    let size = |variables: &[spds_format::model::Variable]| -> u32 {
        variables.iter().filter(|v| !v.hidden).map(|v| v.ty.cells() * v.ty.scalar.bits()).sum()
    };
    let registers: u32 = spds.globals.iter().filter(|v| v.hidden).map(|v| v.ty.cells() * v.ty.scalar.bits()).sum();
    size(&spds.globals) + registers + spds.frames.iter().map(|frame| size(&frame.variables)).max().unwrap_or(0)
}

#[test]
fn the_search_finds_what_trying_everything_finds() {
    use puch::check::{Options as Search, Property, Target, Verdict, check};
    let mut compared = 0;
    for seed in support::seeds(0..120) {
        let text = rem_programs::program(seed);
        for arithmetic in [Arithmetic::Block, Arithmetic::Check, Arithmetic::Wrap] {
            let options = Options { arithmetic, ..Options::default() };
            let spds = remopla::read(&text, "a.rem", &options).expect("random programs are right").spds;
            if bits(&spds) > 11 {
                continue;
            }
            compared += 1;
            let hidden = spds.hidden_symbols();
            let visible = |symbol: &SymbolId| !hidden[symbol.0 as usize] && Some(*symbol) != spds.fail;
            let symbols: Vec<SymbolId> = (0..spds.symbols.len() as u32).map(SymbolId).filter(visible).collect();
            let target = |symbol: &SymbolId| Property::Reach(vec![Target { control: None, symbol: *symbol }]);
            let properties: Vec<Property> = symbols.iter().map(target).chain([Property::Assertions]).collect();
            let outcome = check(&spds, &properties, &Search::default()).expect("the judge agrees");
            let explored = oracle::explore(&spds);
            for (symbol, answer) in symbols.iter().zip(&outcome.answers) {
                let reached = !explored.values(*symbol).is_empty();
                let name = &spds.symbol(*symbol).name;
                assert_eq!(
                    answer.verdict.bare() == Verdict::Reachable(None),
                    reached,
                    "seed {seed}, {arithmetic:?}: {name}\n{text}\n{spds}"
                );
            }
            let fails = spds.fail.is_some_and(|fail| !explored.values(fail).is_empty());
            let violated =
                outcome.answers.last().is_some_and(|answer| answer.verdict.bare() == Verdict::Violated(None));
            assert_eq!(violated, fails, "seed {seed}, {arithmetic:?}: assertions\n{text}\n{spds}");
        }
    }
    assert!(compared > 30, "{compared} systems were small enough");
}
