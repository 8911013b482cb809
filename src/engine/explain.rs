//! Why a variable matters at a place: the chain of statements along which its value comes to a condition.
//!
//! The chain is a shortest run of the influence system ([`crate::influence`]), found as every run is, and accepted by the
//! judge as every run is.

use rustc_hash::FxHashMap;
use spds_format::Spds;
use spds_format::model::{Head, Stack, SymbolId, Var};

use crate::check::{Options, Property, Target, TraceWish, Verdict, check};
use crate::influence::effect::How;
use crate::influence::{Influence, system};
use crate::run::{Config, Run, Then};

/// One place of the chain: the variable whose value matters there, and how it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where.
    pub head: Head,
    /// Which variable.
    pub var: Var,
    /// How its value goes on to the next place, or is used here.
    pub how: How,
}

/// The chain from a variable at a head to a use; `None` if it does not matter there. The last link is the use.
///
/// Of the options the limits count, and how many steps a trace may have.
///
/// # Errors
/// The reason, if no chain was found although there is one: a limit, or a defect of puch that the judge has noticed.
pub fn explain(influence: &Influence, head: Head, var: Var, options: &Options) -> Result<Option<Vec<Link>>, String> {
    let Some((asked, system)) = influence.question(head, var) else { return Ok(None) };
    let symbols = (0..asked.symbols.len() as u32).map(SymbolId);
    let used = symbols.map(|symbol| Target { control: Some(system.used()), symbol }).collect();
    let options = Options {
        trace: TraceWish::Shortest,
        limits: options.limits,
        trace_steps: options.trace_steps,
        ..Options::default()
    };
    let outcome = check(&asked, &[Property::Reach(used)], &options).map_err(|error| error.to_string())?;
    let answer = outcome.answers.into_iter().next().ok_or("no answer")?;
    match (answer.verdict.trace(), &answer.verdict) {
        (Some(trace), _) => Ok(Some(links(&asked, system, &trace.run))),
        (None, Verdict::Unknown(reason)) => Err(reason.to_string()),
        (None, _) => Err(answer.trace_omitted.unwrap_or_else(|| "no chain was found".into())),
    }
}

/// The run without its last configuration, which is the use.
fn links(asked: &Spds, system: &system::System, run: &Run) -> Vec<Link> {
    let mut rules: FxHashMap<Head, Vec<usize>> = FxHashMap::default();
    for (number, rule) in asked.rules.iter().enumerate() {
        rules.entry(rule.from).or_default().push(number);
    }
    let configs = unfolded(run);
    let mut links = Vec::new();
    for pair in configs.windows(2) {
        let [here, next] = pair else { continue };
        let Some((control, var)) = system.original(here.control) else { continue };
        let from = Head { control: here.control, symbol: here.symbol };
        let fits = |number: &&usize| {
            let rule = &asked.rules[**number];
            let top = match rule.stack {
                Stack::Pop => true,
                Stack::Swap(symbol) | Stack::Push(symbol, _) => symbol == next.symbol,
            };
            rule.to == next.control && top
        };
        let taken = rules.get(&from).and_then(|rules| rules.iter().find(fits));
        let how = taken.map_or(How::Survives, |number| system.hows[*number]);
        links.push(Link { head: Head { control, symbol: here.symbol }, var, how });
    }
    links
}

/// All configurations of a run without a cycle, those of its calls in their places.
fn unfolded(run: &Run) -> Vec<&Config> {
    let mut configs = Vec::new();
    let mut open = vec![run.stem.iter()];
    while let Some(steps) = open.last_mut() {
        let Some(step) = steps.next() else {
            open.pop();
            continue;
        };
        configs.push(&step.config);
        if let Then::Call(call) = step.then {
            open.push(run.calls[call].steps.iter());
        }
    }
    configs
}
