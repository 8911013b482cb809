//! pre* and post* of random systems without data, as CSV. `README.md` beside this file explains the columns.
//!
//! Under `cargo bench` the sizes that are compared with other tools; otherwise (`cargo test --bench explicit`) small ones,
//! with a check that both ways agree on what is reachable.

mod families;
mod measured;

use std::process::ExitCode;
use std::time::Duration;

use measured::Clock;
use puch::explicit::{post, pre};
use puch::limits::Limits;
use puch::pdaaal;
use puch::replay::{Configuration, contains};
use spds_format::Spds;
use spds_format::automaton::{Automaton, Edge, End, State, StateId};
use spds_format::model::{ControlId, SymbolId};

const COLUMNS: &str =
    "rules,controls,symbols,seed,bytes,read_s,post_s,post_states,post_edges,pre_s,pre_states,pre_edges";

fn main() -> ExitCode {
    measured::ended(run())
}

fn run() -> Result<(), String> {
    let full = std::env::args().any(|argument| argument == "--bench");
    let typed: Vec<u64> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let small = [[20, 2, 3, 1], [100, 5, 8, 2], [500, 10, 10, 3]];
    let large = [[300_000, 1_000, 500, 1], [300_000, 1_000, 500, 2], [36_000, 150, 80, 1], [36_000, 150, 80, 2]];
    println!("{COLUMNS}");
    if let Ok(sizes) = <&[u64; 4]>::try_from(&typed[..]) {
        return one(sizes, false);
    }
    for sizes in if full { large.iter() } else { small.iter() } {
        one(sizes, !full)?;
    }
    Ok(())
}

fn one(sizes: &[u64; 4], checked: bool) -> Result<(), String> {
    let family = families::FAMILIES.iter().find(|family| family.name == "explicit").ok_or("the family is missing")?;
    let text = family.program(sizes).map_err(|error| error.to_string())?;
    let clock = Clock::start();
    let options = pdaaal::Options { start: pdaaal::Starting::Told };
    let read = pdaaal::read(&text, &options).map_err(|complaints| complaints[0].to_string())?;
    let spds = read.spds;
    let read = clock.elapsed();
    let limits = Limits::default();
    let (from, to) = (start(&spds), on_top(&spds, "R")?);
    let clock = Clock::start();
    let forwards = post(&spds, &from, &limits).map_err(|stop| stop.to_string())?;
    let forwards_took = clock.elapsed();
    let clock = Clock::start();
    let backwards = pre(&spds, &to, &limits).map_err(|stop| stop.to_string())?;
    let backwards_took = clock.elapsed();
    let seconds = |took: Duration| format!("{:.4}", took.as_secs_f64());
    let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
    println!(
        "{},{},{},{},{},{},{},{},{}",
        sizes.join(","),
        text.len(),
        seconds(read),
        seconds(forwards_took),
        forwards.states.len(),
        forwards.edges.len(),
        seconds(backwards_took),
        backwards.states.len(),
        backwards.edges.len()
    );
    let target = symbol(&spds, "R");
    let top = |edge: &Edge| matches!(edge.from, End::Control(_)) && edge.symbol == target;
    if !forwards.edges.iter().any(top) {
        return Err("`R` is reachable, and post* does not say so".into());
    }
    let stack = spds.start.stack.iter().map(|symbol| (*symbol, Default::default())).collect();
    let begin = Configuration { control: spds.start.control, globals: Default::default(), stack };
    if checked && !contains(&spds, &backwards, &begin) {
        return Err("`R` is reachable, and pre* does not say so".into());
    }
    Ok(())
}

fn state(name: &str, accepting: bool) -> State {
    State { name: name.into(), frame: None, carries: Box::default(), accepting }
}

fn edge(from: End, symbol: SymbolId, to: u32) -> Edge {
    Edge { from, symbol: Some(symbol), to: End::State(StateId(to)), condition: None }
}

/// The configuration in which runs start.
fn start(spds: &Spds) -> Automaton {
    let stack = &spds.start.stack;
    let states = (0..stack.len()).map(|n| state(&format!("s{n}"), n + 1 == stack.len())).collect();
    let from = std::iter::once(End::Control(spds.start.control)).chain((0..).map(|n| End::State(StateId(n))));
    let edges = stack.iter().zip(from).zip(0..).map(|((symbol, from), n)| edge(from, *symbol, n));
    Automaton { states, edges: edges.collect() }
}

/// All configurations with that symbol on top.
fn on_top(spds: &Spds, name: &str) -> Result<Automaton, String> {
    let top = symbol(spds, name).ok_or("the symbol is missing")?;
    let all = (0..spds.symbols.len() as u32).map(SymbolId);
    let rest = all.map(|symbol| edge(End::State(StateId(0)), symbol, 0));
    let first = (0..spds.controls.len() as u32).map(|control| edge(End::Control(ControlId(control)), top, 0));
    Ok(Automaton { states: vec![state("any", true)], edges: first.chain(rest).collect() })
}

fn symbol(spds: &Spds, name: &str) -> Option<SymbolId> {
    let place = spds.symbols.iter().position(|symbol| &*symbol.name == name)?;
    Some(SymbolId(place as u32))
}
