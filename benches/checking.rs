//! Checking formulas, by the strength of their automata, as CSV. `README.md` beside this file explains options and columns.
//!
//! Under `cargo bench` the core formulas, if they can be found; otherwise (`cargo test --bench checking`) a few that are
//! made up here on a few programs, with a check that no verdict contradicts that of the negation.

mod families;
mod measured;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use puch::check::{Options, Property, Search, Switch, TraceWish, Verdict, check};
use puch::limits::Limits;
use puch::ltl::atoms::Meaning;
use puch::ltl::automaton::ComponentKind;
use puch::ltl::{Dialect, Ltl, Passes, Reading, Violations, parse};
use puch::{boolprog, ltl};
use spds_format::Spds;
use spds_format::expr::{Binary, Expr, Time};
use spds_format::model::{ControlId, Head, Rule, SymbolId, Var};

const COLUMNS: &str =
    "program,seeds,automaton_state,strength,checks,violated,holds,unknown,median_ms,p90_ms,slowest_ms,total_ms,slowest";

/// Where the automaton's state is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StateIn {
    /// In bits of the relations, as puch has it.
    Bits,
    /// In control locations, as in the paper; to compare with. Saturation only, without the search for cycles.
    Control,
    /// In bits, saturation only.
    BitsSaturated,
}

fn main() -> ExitCode {
    measured::ended(run())
}

fn run() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let (mut full, mut first, mut seeds, mut compare) = (false, 0, 10, false);
    let (mut trace, mut search) = (TraceWish::None, Search::Auto);
    let mut wanted: Vec<String> = Vec::new();
    while let Some(argument) = arguments.next() {
        match &argument[..] {
            "--bench" => full = true,
            "--first" | "--seeds" => {
                let number = arguments.next().and_then(|number| number.parse().ok());
                let number = number.ok_or(format!("`{argument}` needs a number"))?;
                *(if argument == "--first" { &mut first } else { &mut seeds }) = number;
            }
            "--compare" => compare = true,
            "--backwards" => search = Search::Pre,
            "--trace" => trace = TraceWish::Shortest,
            name if !name.starts_with('-') => wanted.push(name.to_owned()),
            other => return Err(format!("no option `{other}`: see benches/README.md")),
        }
    }
    let formulas = formulas(full)?;
    let numbers = first..first + if full { seeds } else { 3 };
    let mut programs: Vec<(&str, Vec<String>)> = vec![
        ("template", vec![family("template", &[if full { 100 } else { 3 }])]),
        ("locks", vec![include_str!("../examples/locks/parser.bp").to_owned()]),
        ("random", numbers.clone().map(|seed| family("random-formula", &[10, seed])).collect()),
    ];
    programs.retain(|(name, _)| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name));
    println!("{COLUMNS}");
    for (name, texts) in &programs {
        let states = if compare { &[StateIn::BitsSaturated, StateIn::Control][..] } else { &[StateIn::Bits] };
        for &state in states {
            let mut sums: BTreeMap<ComponentKind, Sum> = BTreeMap::new();
            for (seed, text) in numbers.clone().zip(texts) {
                let program = boolprog::read(text, name, &boolprog::Options::default())
                    .map_err(|complaints| format!("{name}: {}", complaints[0]))?;
                for formula in &formulas {
                    one(&program.spds, formula, seed as usize, state, (trace, search), !full, &mut sums)?;
                }
            }
            let mut all = Sum::default();
            for (kind, sum) in sums {
                println!("{name},{},{},{kind:?},{sum}", texts.len(), state.name());
                all.unite(sum);
            }
            println!("{name},{},{},all,{all}", texts.len(), state.name());
        }
    }
    Ok(())
}

impl StateIn {
    fn name(self) -> &'static str {
        match self {
            StateIn::Bits => "bits",
            StateIn::Control => "control (post* only)",
            StateIn::BitsSaturated => "bits (post* only)",
        }
    }
}

fn one(
    spds: &Spds,
    formula: &str,
    seed: usize,
    state: StateIn,
    (trace, search): (TraceWish, Search),
    opposite: bool,
    sums: &mut BTreeMap<ComponentKind, Sum>,
) -> Result<(), String> {
    let reading = Reading { dialect: Dialect::Spot, ..Reading::default() };
    let (ltl, _) = parse(formula, &reading).map_err(|complaints| format!("{formula}: {}", complaints[0]))?;
    let limits =
        Limits { deadline: Some(Instant::now() + Duration::from_secs(20)), memory: Some(4 << 30), ..Limits::NONE };
    let options = Options { trace, search, limits, ..Options::default() };
    let violations = violations(spds, ltl.clone(), seed, &options)?;
    let kind = violations.automaton.strength();
    let began = Instant::now();
    let (verdict, took) = match state {
        StateIn::Bits => {
            let verdict = decided(spds, &violations, &options)?;
            (verdict, began.elapsed().as_secs_f64())
        }
        StateIn::BitsSaturated => {
            // Without dispatch nothing stops it early.
            let options = Options { strength: Switch::Off, ..options.clone() };
            let outcome = check(spds, &[Property::Ltl(Arc::clone(&violations))], &options);
            let outcome = outcome.map_err(|error| error.to_string())?;
            (outcome.answers[0].verdict.clone(), saturated(&outcome.stats.figures))
        }
        StateIn::Control => {
            let product = explicit(spds, &violations);
            let options = Options { slice: Switch::Off, ..options.clone() };
            let outcome = check(&product, &[Property::Reach(Vec::new())], &options);
            let outcome = outcome.map_err(|error| error.to_string())?;
            (outcome.answers[0].verdict.clone(), saturated(&outcome.stats.figures))
        }
    };
    if opposite {
        let other = decided(spds, &self::violations(spds, ltl.negated(), seed, &options)?, &options)?;
        if verdict == Verdict::Holds && other == Verdict::Holds {
            return Err(format!("{formula} and its negation both hold"));
        }
    }
    sums.entry(kind).or_default().add(verdict, took, format!("{formula} on {seed}"));
    Ok(())
}

fn saturated(figures: &[(&'static str, f64)]) -> f64 {
    figures.iter().find(|(name, _)| *name == "seconds in post*").map_or(0.0, |(_, seconds)| *seconds)
}

fn decided(spds: &Spds, violations: &Arc<Violations>, options: &Options) -> Result<Verdict, String> {
    let outcome = check(spds, &[Property::Ltl(Arc::clone(violations))], options).map_err(|error| error.to_string())?;
    Ok(outcome.answers[0].verdict.clone())
}

/// The violations of a formula whose propositions mean something in the program, chosen by the seed: a global, a local,
/// the entry of a procedure, a label.
fn violations(spds: &Spds, ltl: Ltl, seed: usize, options: &Options) -> Result<Arc<Violations>, String> {
    let globals: Vec<u32> = (0..spds.globals.len() as u32).filter(|i| !spds.globals[*i as usize].hidden).collect();
    let frames = spds.frames.len();
    let meaning = |number: usize| {
        let at = number + seed;
        let read = |var| Expr::read(var, Time::Before);
        match at % 4 {
            0 | 1 => Meaning::Values { frame: None, condition: read(Var::Global(globals[at / 2 % globals.len()])) },
            2 => {
                let frame = spds_format::model::FrameId((at % frames) as u32);
                match spds.frame(frame).variables.len() {
                    0 => Meaning::Values { frame: None, condition: read(Var::Global(globals[0])) },
                    locals => Meaning::Values { frame: Some(frame), condition: read(Var::Local((at % locals) as u32)) },
                }
            }
            _ => {
                let is_there = |symbol: &&SymbolId| spds.symbol(**symbol).place.is_some();
                let symbols: Vec<SymbolId> = (0..spds.symbols.len() as u32).map(SymbolId).collect();
                let shown: Vec<SymbolId> = symbols.iter().filter(is_there).copied().collect();
                Meaning::Symbols(vec![shown[at * 7 % shown.len()]])
            }
        }
    };
    let meanings = (0..ltl.formulas.propositions().len()).map(meaning).collect();
    let violations = Violations::of(ltl, meanings, &Passes::default(), &options.limits);
    Ok(Arc::new(violations.map_err(|stop| stop.to_string())?))
}

/// The product with the automaton's state in the control location, as in the paper: |Q| times the rules.
fn explicit(spds: &Spds, violations: &Violations) -> Spds {
    let automaton = &violations.automaton;
    let states = automaton.states.len() as u32;
    let mut labels = automaton.labels.clone();
    let place = |control: ControlId, state: ltl::automaton::StateId| ControlId(control.0 * states + state.0);
    let mut product = spds.clone();
    product.controls =
        spds.controls.iter().flat_map(|name| (0..states).map(move |q| format!("{name} {q}").as_str().into())).collect();
    product.rules.clear();
    for rule in &spds.rules {
        if rule.silent {
            for q in (0..states).map(ltl::automaton::StateId) {
                let from = Head { control: place(rule.from.control, q), ..rule.from };
                product.rules.push(Rule { from, to: place(rule.to, q), ..rule.clone() });
            }
            continue;
        }
        for edge in &automaton.edges {
            let cubes = labels.cubes(edge.label);
            let letters = cubes.iter().filter_map(|cube| condition(spds, violations, cube, rule.from.symbol));
            let Some(letter) = letters.reduce(|a, b| Expr::binary(&a, Binary::Or, &b)) else { continue };
            let guard = rule.guard.as_ref().map_or(letter.clone(), |guard| guard.and(&letter));
            let guard = Some(guard).filter(|guard| *guard != Expr::constant(true));
            let from = Head { control: place(rule.from.control, edge.from), ..rule.from };
            product.rules.push(Rule { from, to: place(rule.to, edge.to), guard, ..rule.clone() });
        }
    }
    product.start.control = place(spds.start.control, automaton.initial);
    product
}

/// Where a symbol is on top and the letter lies in the cube; `None` is nowhere.
fn condition(spds: &Spds, violations: &Violations, cube: &[(u32, bool)], symbol: SymbolId) -> Option<Expr> {
    let mut all = Expr::constant(true);
    for &(proposition, value) in cube {
        let one = match violations.meanings[proposition as usize].at(spds, symbol) {
            ltl::atoms::Truth::Constant(constant) if constant == value => continue,
            ltl::atoms::Truth::Constant(_) => return None,
            ltl::atoms::Truth::Condition(condition) if value => condition.clone(),
            ltl::atoms::Truth::Condition(condition) => condition.not(),
            ltl::atoms::Truth::Stuck if value => return None,
            ltl::atoms::Truth::Stuck => continue,
        };
        all = if all == Expr::constant(true) { one } else { all.and(&one) };
    }
    Some(all)
}

/// What is summed up.
#[derive(Default)]
struct Sum {
    seconds: Vec<f64>,
    verdicts: [usize; 3],
    slowest: f64,
    which: String,
}

impl Sum {
    fn add(&mut self, verdict: Verdict, seconds: f64, which: String) {
        self.seconds.push(seconds);
        self.verdicts[match verdict {
            Verdict::Violated(_) | Verdict::Reachable(_) => 0,
            Verdict::Holds | Verdict::Unreachable => 1,
            Verdict::Unknown(_) => 2,
        }] += 1;
        if seconds > self.slowest {
            (self.slowest, self.which) = (seconds, which);
        }
    }

    fn unite(&mut self, other: Sum) {
        self.seconds.extend(other.seconds);
        self.verdicts.iter_mut().zip(other.verdicts).for_each(|(mine, other)| *mine += other);
        if other.slowest > self.slowest {
            (self.slowest, self.which) = (other.slowest, other.which);
        }
    }
}

impl std::fmt::Display for Sum {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |share: usize| sorted.get(sorted.len() * share / 100).or(sorted.last()).copied().unwrap_or(0.0) * 1e3;
        let [violated, holds, unknown] = self.verdicts;
        write!(
            f,
            "{},{violated},{holds},{unknown},{:.2},{:.2},{:.2}",
            sorted.len(),
            at(50),
            at(90),
            self.slowest * 1e3
        )?;
        write!(f, ",{:.1},\"{}\"", sorted.iter().sum::<f64>() * 1e3, self.which.replace('"', "\"\""))
    }
}

fn family(name: &str, sizes: &[u64]) -> String {
    let family = families::FAMILIES.iter().find(|family| family.name == name).expect("the family is in the table");
    family.program(sizes).unwrap_or_else(|_| panic!("{name} has such sizes"))
}

/// The core formulas if they are there and wanted, else some patterns.
fn formulas(full: bool) -> Result<Vec<String>, String> {
    let made_up = [
        "G p",
        "F p",
        "G F p",
        "F G p",
        "G (p -> F q)",
        "p U q",
        "G (p -> X q)",
        "G F p -> G F q",
        "X X p",
        "G (p -> (!q U r))",
        "(G F p & G F q) -> F r",
    ];
    let Ok(shared) = std::env::var("PUCH_SHARED") else { return Ok(made_up.map(str::to_owned).to_vec()) };
    if !full {
        return Ok(made_up.map(str::to_owned).to_vec());
    }
    let directory = PathBuf::from(shared).join("ltl-formulas");
    let mut all = Vec::new();
    for set in ["dac55", "eh12", "sb27", "beem20"] {
        let file = directory.join(format!("{set}.ltl"));
        let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        all.extend(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned));
    }
    Ok(all)
}
