//! Shapes: random systems and programs with more of what is rare in the usual ones, different every time.
//!
//! The usual generators make what is read and understood at once; these twist it: deep start stacks with symbols that
//! other procedures use, return sites that no run shows, several control locations, more globals, jumps into loops, loops
//! that nothing leaves, loops that hand on what nobody reads.

use fastrand::Rng;
use spds_format::Spds;
use spds_format::model::{ControlId, Head, Stack, Symbol, SymbolId, Var};

use super::programs::{self, Kind, Program, Statement};
use super::systems::{self, Features, Sizes};
use super::{one_in, pick, rotations};

/// A random system.
pub fn system(rng: &mut Rng) -> Spds {
    let features = Features { saved_updates: !one_in(rng, 4), integers: one_in(rng, 2) };
    let sizes = match rng.u32(..4) {
        0 => Sizes { controls: 1 + rng.u32(..4), ..Sizes::USUAL },
        1 => Sizes { bits: 4, ..Sizes::USUAL },
        2 => Sizes { bits: 1 + rng.u32(..2), frames: 1 + rng.usize(..5), ..Sizes::USUAL },
        _ => Sizes::USUAL,
    };
    let mut spds = systems::sized(rng.u64(..), features, sizes);
    if one_in(rng, 3) {
        systems::come_back(&mut spds);
    }
    if one_in(rng, 3) {
        deepen(rng, &mut spds);
    }
    spds
}

/// Puts some symbols below the first one of the start stack.
fn deepen(rng: &mut Rng, spds: &mut Spds) {
    let ends = [spds.end, spds.fail];
    let symbols = (0..spds.symbols.len() as u32).map(SymbolId).filter(|symbol| !ends.contains(&Some(*symbol)));
    let symbols: Vec<SymbolId> = symbols.collect();
    let mut stack = spds.start.stack.to_vec();
    for number in 0..1 + rng.u32(..3) {
        let symbol = if rng.bool() { *pick(rng, &symbols) } else { never_pushed(rng, spds, &symbols, number) };
        stack.insert(1, symbol);
    }
    // A return first, so that what lies below is seen.
    let first = spds.start.stack[0];
    for rule in &mut spds.rules {
        if rule.from.symbol == first && !rule.silent && one_in(rng, 3) {
            rule.stack = Stack::Pop;
            rule.updates = rule.updates.iter().filter(|update| matches!(update.var, Var::Global(_))).cloned().collect();
            rule.with = None;
        }
    }
    spds.start.stack = stack.into();
}

/// A new symbol, which lies on the stack only because the start stack has it. In some control locations nothing follows it.
fn never_pushed(rng: &mut Rng, spds: &mut Spds, symbols: &[SymbolId], number: u32) -> SymbolId {
    let new = SymbolId(spds.symbols.len() as u32);
    let name = format!("below{number}:t").as_str().into();
    spds.symbols.push(Symbol { name, frame: None, place: None, labels: Box::new([]), invariant: None });
    for control in 0..spds.controls.len() as u32 {
        if one_in(rng, 3) {
            continue;
        }
        let stack = if one_in(rng, 3) { Stack::Pop } else { Stack::Swap(*pick(rng, symbols)) };
        let to = ControlId(rng.u32(..spds.controls.len() as u32));
        spds.rules.push(systems::plain(Head { control: ControlId(control), symbol: new }, to, stack));
    }
    new
}

/// A random program.
pub fn program(rng: &mut Rng) -> Program {
    let mut program = if one_in(rng, 4) { rotations::program(rng) } else { programs::program(rng.u64(..)) };
    if one_in(rng, 3) {
        programs::never_end(&mut program);
    }
    for number in 0..program.procedures.len() {
        if one_in(rng, 2) {
            jump_into_loops(rng, &mut program, number);
        }
    }
    program
}

/// Wraps some statements of the body in loops, and jumps into them from elsewhere.
fn jump_into_loops(rng: &mut Rng, program: &mut Program, number: usize) {
    let globals = program.globals.clone();
    let procedure = &mut program.procedures[number];
    let variables = [globals, procedure.parameters.clone(), procedure.locals.clone()].concat();
    let condition = |rng: &mut Rng| match rng.u32(..3) {
        0 => "*".to_owned(),
        1 => pick(rng, &variables).clone(),
        _ => format!("!{}", pick(rng, &variables)),
    };
    for jump in 0..1 + rng.u32(..2) {
        let label = format!("J{jump}");
        let body = &mut procedure.body;
        let place = rng.usize(..body.len());
        let last = (place + 1 + rng.usize(..3)).min(body.len());
        let mut inside: Vec<Statement> = body.drain(place..last).collect();
        let entry = rng.usize(..inside.len());
        inside[entry].labels.push(label.clone());
        let again = Statement { labels: Vec::new(), kind: Kind::While(condition(rng), inside) };
        body.insert(place, again);
        let goto = Statement { labels: Vec::new(), kind: Kind::Goto(vec![label]) };
        let jump = Statement { labels: Vec::new(), kind: Kind::If(vec![(condition(rng), vec![goto])], None) };
        let from = if rng.bool() { rng.usize(..=place) } else { rng.usize(..=body.len()) };
        body.insert(from, jump);
    }
}
