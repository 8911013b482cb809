//! The program of Figure 1 of the Bebop paper and its run, made by hand: what the reports are tested with.

use spds_format::model::{
    ControlId, Frame, FrameId, Head, Place, Rule, Spds, Stack, Start, Symbol, SymbolId, Type, Variable,
};

use crate::check::{Answer, Replayed, Trace, Verdict};
use crate::run::{Call, Config, Ending, Run, Step, Then};

pub const FIG1: &str = include_str!("../../examples/fig1.bp");

pub fn variable(name: &str) -> Variable {
    Variable { name: name.into(), ty: Type::BOOL, hidden: false }
}

/// Each statement of Figure 1 by its line, as a symbol; no rules.
pub fn fig1() -> Spds {
    let symbol = |frame: u32, line: u32, column: u32| Symbol {
        name: format!("line{line}").into(),
        frame: Some(FrameId(frame)),
        place: Some(Place { file: 0, line, column }),
        labels: if line == 12 { Box::new(["R".into()]) } else { Box::new([]) },
        invariant: None,
    };
    let main = [(6, 3), (7, 3), (8, 3), (9, 3), (10, 3), (11, 3), (12, 8), (14, 5), (16, 1)];
    let callee = [(20, 3), (21, 5), (22, 5), (24, 5), (26, 1)];
    let symbols = main.map(|(line, column)| symbol(0, line, column)).into_iter();
    Spds {
        files: vec!["fig1.bp".into()],
        globals: vec![variable("g")],
        frames: vec![
            Frame { name: "main".into(), variables: Box::new([variable("h")]) },
            Frame { name: "A".into(), variables: Box::new([variable("a1"), variable("a2")]) },
        ],
        controls: vec!["p".into()],
        symbols: symbols.chain(callee.map(|(line, column)| symbol(1, line, column))).collect(),
        rules: Vec::new(),
        start: Start { control: ControlId(0), stack: Box::new([SymbolId(0)]), condition: None },
        atoms: Vec::new(),
        end: None,
        fail: None,
    }
}

/// The head of the statement on a line of [`fig1`].
pub fn on_line(spds: &Spds, line: u32) -> Head {
    let index = spds.symbols.iter().position(|symbol| symbol.place.is_some_and(|place| place.line == line));
    Head { control: ControlId(0), symbol: SymbolId(index.expect("the sample has it") as u32) }
}

/// A silent rule from the statement on a line: its configurations are hidden.
pub fn silence(spds: &mut Spds, line: u32) {
    let from = on_line(spds, line);
    let to = from.control;
    let stack = Stack::Swap(from.symbol);
    let rule =
        Rule { from, to, stack, guard: None, updates: Default::default(), with: None, silent: true, label: None };
    spds.rules.push(rule);
}

/// A step at a line.
pub fn step(spds: &Spds, line: u32, depth: u32, globals: &[u64], locals: &[u64], then: Then) -> Step {
    let Head { control, symbol } = on_line(spds, line);
    Step { config: Config { control, symbol, globals: globals.into(), locals: locals.into() }, depth, then }
}

/// The shortest run of [`fig1`] to R: both calls of A from main are equal, and there is one inside.
pub fn fig1_run() -> Run {
    let spds = fig1();
    let here = |line, locals: &[u64], then| step(&spds, line, 0, &[1], locals, then);
    let inner = Call {
        procedure: Some(FrameId(1)),
        steps: vec![here(20, &[0, 1], Then::Step), here(24, &[0, 1], Then::Step), here(26, &[0, 1], Then::Step)],
    };
    let outer = Call {
        procedure: Some(FrameId(1)),
        steps: vec![
            here(20, &[1, 0], Then::Step),
            here(21, &[1, 0], Then::Call(0)),
            here(22, &[1, 0], Then::Step),
            here(26, &[1, 0], Then::Step),
        ],
    };
    let stem = vec![
        here(6, &[1], Then::Step),
        here(7, &[0], Then::Call(1)),
        here(8, &[0], Then::Step),
        here(9, &[0], Then::Call(1)),
        here(10, &[0], Then::Step),
        here(11, &[0], Then::Step),
        here(12, &[0], Then::Step),
    ];
    Run { stem, cycle: None, closes_on: None, calls: vec![inner, outer], ending: Ending::Reached }
}

/// The answer with a run.
pub fn reachable(run: Run) -> Answer {
    let trace = Some(Trace { run, replayed: Replayed::Full });
    Answer::new(Verdict::Reachable(trace))
}

/// A run of 2^depth steps: each call calls the one before twice.
pub fn doubling(depth: usize) -> Run {
    let spds = fig1();
    let here = |line, then| step(&spds, line, 0, &[1], &[0, 1], then);
    let mut calls = vec![Call { procedure: Some(FrameId(1)), steps: vec![here(24, Then::Step)] }];
    for inner in 0..depth {
        let steps = vec![here(20, Then::Call(inner)), here(21, Then::Call(inner)), here(22, Then::Step)];
        calls.push(Call { procedure: Some(FrameId(1)), steps });
    }
    let last = step(&spds, 12, 0, &[1], &[0], Then::Step);
    let first = step(&spds, 7, 0, &[1], &[0], Then::Call(depth));
    Run { stem: vec![first, last], cycle: None, closes_on: None, calls, ending: Ending::Reached }
}
