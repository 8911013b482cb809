//! What a formula is asked of: systems and programs with random propositions and formulas, as values that shrink.
#![allow(dead_code, reason = "each test binary uses its own part")]

use fastrand::Rng;
use puch::boolprog;
use puch::limits::Limits;
use puch::ltl::atoms::{self, Condition, Context, Meaning, Symbols};
use puch::ltl::formula::Op;
use puch::ltl::proposition::PropositionKind;
use puch::ltl::{Dialect, Formula, Formulas, Ltl, Passes, Reading, Violations, parenthesised, parse, tracked};
use puch::options::Runs;
use spds_format::Spds;
use spds_format::expr::{Binary, Expr, Time};
use spds_format::model::{FrameId, Stack, SymbolId, Var};

use crate::support::{Shrink, one_in, pick, programs, systems};
use crate::{random, shared};

pub const RUNS: [Runs; 3] = [Runs::Maximal, Runs::Infinite, Runs::Stutter];

/// Formulas that people write, over up to four propositions.
pub const PATTERNS: [&str; 36] = [
    "G p0",
    "F p0",
    "G !p0",
    "F G p0",
    "G F p0",
    "X p0",
    "X X X p0",
    "F (p0 & X p1)",
    "p0 U p1",
    "p0 W p1",
    "!p0 W p1",
    "G (p0 -> F p1)",
    "G (p0 -> X p1)",
    "G (p0 -> X X p1)",
    "G (p0 -> X F p1)",
    "G (p0 -> p1 U p2)",
    "G (p0 -> (!p1 W p2))",
    "F p0 -> !p1 U p0",
    "G F p0 -> G F p1",
    "G F p0 & G F p1",
    "G F (p0 & X p1)",
    "F G p0 | G F p1",
    "G (p0 -> G p1)",
    "G (p0 | X p1)",
    "G F p0 -> G (p1 -> F p2)",
    "F (p0 & G p1)",
    "(G F p0 & G F p1) -> G (p2 -> F p3)",
    "G (F p0 & (p1 -> X p2))",
    "F G (p0 -> X p1)",
    "G F p0 -> F G p1",
    "F G p0 | F G p1",
    "F G p0 | F G p1 | F G p2",
    "F G p0 | F (p1 & G p2)",
    "F G (p0 | X !p1) | G p2",
    "F (p0 & X F G p1)",
    "G (p0 -> X F G p1)",
];

/// A formula over a system, with the meanings of its propositions in their order.
#[derive(Clone, Debug)]
pub struct Case {
    pub spds: Spds,
    pub ltl: Ltl,
    pub meanings: Vec<Meaning>,
}

impl Case {
    /// The violations of the formula, and those of its negation.
    pub fn violations(&self) -> [Violations; 2] {
        let of = |ltl| Violations::of(ltl, self.meanings.clone(), &Passes::default(), &Limits::default()).unwrap();
        [of(self.ltl.clone()), of(self.ltl.clone().negated())]
    }

    /// Formula, propositions and system, for messages.
    pub fn text(&self) -> String {
        let known = self.ltl.formulas.propositions().iter().map(|proposition| proposition.kind.to_string());
        let mut text = format!("{}\n", parenthesised(&self.ltl));
        for (name, meaning) in known.zip(&self.meanings) {
            let place = |id: &SymbolId| self.spds.symbol(*id).name.to_string();
            text += &match meaning {
                Meaning::Symbols(symbols) => {
                    format!("  {name}: at {:?}\n", symbols.iter().map(place).collect::<Vec<_>>())
                }
                Meaning::Stuck => format!("  {name}: @stuck\n"),
                Meaning::Values { .. } | Meaning::Places { .. } => {
                    let (frame, condition) = meaning.condition().expect("these have one");
                    let atom =
                        spds_format::model::Atom { name: name.as_str().into(), frame, condition: condition.clone() };
                    let only = Spds { atoms: vec![atom], ..self.spds.clone() };
                    let printed = spds_format::print(&only);
                    let line = printed.lines().find(|line| line.starts_with("atom")).unwrap_or_default().to_owned();
                    let places = match meaning {
                        Meaning::Places { symbols, .. } => symbols.iter().map(place).collect::<Vec<_>>(),
                        _ => Vec::new(),
                    };
                    format!("  {line} {places:?}\n")
                }
            };
        }
        text + &spds_format::print(&self.spds)
    }
}

impl Shrink for Case {
    fn smaller(&self) -> Vec<Case> {
        let formulas = smaller_formulas(&self.ltl).into_iter().map(|ltl| Case { ltl, ..self.clone() });
        let systems = self.spds.smaller().into_iter().map(|spds| Case { spds, ..self.clone() });
        formulas.chain(systems).collect()
    }
}

/// The formula with one part replaced by an operand of it or by a constant.
pub fn smaller_formulas(ltl: &Ltl) -> Vec<Ltl> {
    let mut all = Vec::new();
    let parts = ltl.formulas.below(ltl.root);
    for part in parts.into_iter().rev() {
        let operands = ltl.formulas.operands(part).to_vec();
        let constants = [Formula::TRUE, Formula::FALSE].into_iter().filter(|constant| *constant != part);
        for by in operands.into_iter().chain(constants) {
            let mut formulas = ltl.formulas.clone();
            let root = replaced(&mut formulas, ltl.root, part, by);
            if formulas.below(root).len() < ltl.formulas.below(ltl.root).len() {
                all.push(Ltl { formulas, root });
            }
        }
    }
    all
}

fn replaced(formulas: &mut Formulas, formula: Formula, part: Formula, by: Formula) -> Formula {
    if formula == part {
        return by;
    }
    let (op, operands) = (formulas.op(formula), formulas.operands(formula).to_vec());
    if operands.is_empty() {
        return formula;
    }
    let operands: Vec<Formula> = operands.into_iter().map(|operand| replaced(formulas, operand, part, by)).collect();
    formulas.make(op, &operands)
}

/// The formula of a text, in Spot's notation.
pub fn formula(text: &str) -> Ltl {
    shared::formula(text)
}

/// A pattern, a formula from the literature, or a random one, and for each of its propositions one of the pool: `p2` is
/// the third, other names count from the first.
pub fn some_formula<T: Clone>(rng: &mut Rng, pool: &[T], core: &[(String, Ltl)]) -> (Ltl, Vec<T>) {
    let ltl = match rng.u32(..6) {
        0 | 1 => formula(pick::<&str>(rng, &PATTERNS)),
        // What is to happen for ever again; mostly this takes marks.
        2 | 3 => formula(pick::<&str>(rng, &PATTERNS[28..])),
        4 if !core.is_empty() => pick(rng, core).1.clone(),
        _ => {
            let operators = rng.usize(1..6);
            random::formula(rng, pool.len() as u32, operators)
        }
    };
    let meaning = |(place, proposition): (usize, &puch::ltl::Proposition)| {
        let number = match &proposition.kind {
            PropositionKind::Name(name) => name.strip_prefix('p').and_then(|digits| digits.parse().ok()),
            _ => None,
        };
        pool[number.unwrap_or(place) % pool.len()].clone()
    };
    let meanings = ltl.formulas.propositions().iter().enumerate().map(meaning).collect();
    (ltl, meanings)
}

/// A random automaton over two propositions, as text: mostly nondeterministic, and marked here and there.
pub fn automaton(rng: &mut Rng) -> String {
    let states = rng.usize(1..4);
    let mut text = format!("HOA: v1 States: {states} Start: 0 AP: 2 \"p0\" \"p1\" Acceptance: 1 Inf(0) --BODY--");
    for state in 0..states {
        text += &format!("\nState: {state}");
        for _ in 0..rng.usize(1..4) {
            let label = pick(rng, &["t", "t", "0", "!0", "1", "!1", "0&1", "0|1", "!0&1", "!0|!1"]);
            let mark = if rng.u32(..3) == 0 { " {0}" } else { "" };
            text += &format!(" [{label}] {}{mark}", rng.usize(..states));
        }
    }
    text + "\n--END--"
}

/// A random automaton over two propositions, with so many marks, as text.
#[allow(dead_code, reason = "not every test wants more than one mark")]
pub fn automaton_with(rng: &mut Rng, marks: u32) -> String {
    let states = rng.usize(1..5);
    let accepting: Vec<String> = (0..marks).map(|mark| format!("Inf({mark})")).collect();
    let accepting = if marks == 0 { "t".to_owned() } else { accepting.join("&") };
    let mut text =
        format!("HOA: v1 States: {states} Start: 0 AP: 2 \"p0\" \"p1\" Acceptance: {marks} {accepting} --BODY--");
    for state in 0..states {
        text += &format!("\nState: {state}");
        for _ in 0..rng.usize(1..4) {
            let label = pick(rng, &["t", "t", "0", "!0", "1", "!1", "0&1", "0|1", "!0&1", "!0|!1", "0&!1|!0&1"]);
            let borne: Vec<String> = (0..marks).filter(|_| rng.u32(..5) < 2).map(|mark| mark.to_string()).collect();
            let borne = if borne.is_empty() { String::new() } else { format!(" {{{}}}", borne.join(" ")) };
            text += &format!(" [{label}] {}{borne}", rng.usize(..states));
        }
    }
    text + "\n--END--"
}

/// The random system of this seed; half of them come back to the start for ever again.
pub fn system(seed: u64) -> Spds {
    let mut spds = systems::system(seed, systems::Features::ALL);
    if seed % 2 == 1 {
        systems::come_back(&mut spds);
    }
    spds
}

/// The random system of this seed without its data; half of them remember their control location, as formulas that name one
/// want it.
pub fn system_without_data(seed: u64) -> Spds {
    let sizes = systems::Sizes { controls: 1 + (seed % 3) as u32, ..systems::Sizes::USUAL };
    let mut spds = systems::sized(seed, systems::Features::ALL, sizes);
    if seed % 2 == 1 {
        systems::come_back(&mut spds);
    }
    spds.globals.clear();
    spds.atoms.clear();
    spds.start.condition = None;
    spds.frames.iter_mut().for_each(|frame| frame.variables = Box::default());
    spds.symbols.iter_mut().for_each(|symbol| symbol.invariant = None);
    for rule in &mut spds.rules {
        (rule.guard, rule.with, rule.updates) = (None, None, Default::default());
    }
    assert_eq!(spds_format::validate(&spds), [], "seed {seed}");
    if seed % 4 < 2 { tracked(spds) } else { spds }
}

/// Four propositions of a system without data.
pub fn meanings_without_data(rng: &mut Rng, spds: &Spds) -> Vec<Meaning> {
    let all = || (0..spds.symbols.len() as u32).map(SymbolId);
    let meaning = |rng: &mut Rng| match rng.u32(..6) {
        0..=2 => Meaning::Symbols(all().filter(|_| one_in(rng, 4)).collect()),
        3 => Meaning::Symbols(if rng.bool() { spds.end } else { spds.fail }.into_iter().collect()),
        4 if !spds.globals.is_empty() => {
            let number = Expr::number(u64::from(rng.u32(..spds.controls.len() as u32)));
            let condition = Expr::read(Var::Global(0), Time::Before).binary(Binary::Eq, &number);
            match rng.bool() {
                true => {
                    Meaning::Values { frame: None, condition: if rng.bool() { condition } else { condition.not() } }
                }
                false => Meaning::Places { symbols: all().filter(|_| rng.bool()).collect(), condition },
            }
        }
        _ => Meaning::Stuck,
    };
    (0..4).map(|_| meaning(rng)).collect()
}

/// The random program of this seed; half of them never end unless they fail, are blocked or return early.
pub fn program(seed: u64) -> programs::Program {
    let mut program = programs::program(seed);
    if seed % 2 == 1 {
        programs::never_end(&mut program);
    }
    program
}

/// Four propositions of a random system.
pub fn meanings(rng: &mut Rng, spds: &Spds) -> Vec<Meaning> {
    (0..4).map(|_| meaning(rng, spds)).collect()
}

fn meaning(rng: &mut Rng, spds: &Spds) -> Meaning {
    let all = || (0..spds.symbols.len() as u32).map(SymbolId);
    let frame = FrameId(rng.u32(..spds.frames.len() as u32));
    let of_rules = |wanted: &dyn Fn(Stack) -> bool| {
        let symbols = spds.rules.iter().filter(|rule| wanted(rule.stack)).map(|rule| rule.from.symbol);
        symbols.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    };
    match rng.u32(..17) {
        0..=4 => Meaning::Values { frame: None, condition: systems::condition(rng, spds, None) },
        5..=7 => Meaning::Values { frame: Some(frame), condition: systems::condition(rng, spds, Some(frame)) },
        8..=10 => Meaning::Symbols(all().filter(|_| one_in(rng, 5)).collect()),
        11 => Meaning::Symbols(all().filter(|symbol| spds.symbol(*symbol).frame == Some(frame)).collect()),
        12 => Meaning::Symbols(of_rules(&|stack| matches!(stack, Stack::Push(..)))),
        13 => Meaning::Symbols(of_rules(&|stack| stack == Stack::Pop)),
        14 => Meaning::Symbols(if rng.bool() { spds.end } else { spds.fail }.into_iter().collect()),
        15 => Meaning::Places {
            symbols: all().filter(|_| rng.bool()).collect(),
            condition: systems::condition(rng, spds, None),
        },
        _ => Meaning::Stuck,
    }
}

/// The texts of four propositions of a program.
pub fn propositions(rng: &mut Rng, program: &programs::Program) -> Vec<String> {
    let mut all: Vec<String> = program.globals.clone();
    all.extend(["@end", "@fail", "@stuck"].map(String::from));
    for procedure in &program.procedures {
        let name = &procedure.name;
        all.extend(["at", "entry", "call", "return"].map(|event| format!("@{event}({name})")));
        let global = pick(rng, &program.globals);
        for local in procedure.parameters.iter().chain(&procedure.locals) {
            all.extend([format!("{{{name}.{local}}}"), format!("{{{name}.{local} | !{global}}}")]);
        }
    }
    all.push("main:R".into());
    all.extend(
        program.procedures.split_last().into_iter().flat_map(|(_, others)| others).map(|p| format!("{}:T", p.name)),
    );
    (0..4).map(|_| pick(rng, &all).clone()).collect()
}

/// What one proposition of a program means, if it means anything there.
pub fn resolve(spds: &Spds, text: &str) -> Option<Meaning> {
    let condition = |text: &str| -> Result<Condition, _> {
        let predicate = boolprog::predicate(text, spds, boolprog::Dialect::Auto, None)?;
        Ok((predicate.frame, predicate.condition, predicate.warnings))
    };
    let names = atoms::names(spds, Symbols::Hidden);
    let reading = Reading { known: &|word| names.contains(word), dialect: Dialect::Spot, ..Reading::default() };
    let (ltl, _) = parse(text, &reading).ok()?;
    assert_eq!(ltl.formulas.op(ltl.root), Op::Proposition(0), "{text}");
    let context = Context { spds, text, symbols: Symbols::Hidden, condition: &condition };
    Some(atoms::resolve(ltl.formulas.propositions(), &context).ok()?.0.remove(0))
}

/// Termination as interface.md gives it for each kind of run.
pub fn termination(spds: &Spds, runs: Runs) -> Violations {
    let text = match runs {
        Runs::Maximal => "F (@end | @fail)",
        Runs::Infinite => "0",
        Runs::Stutter => "F (@end | @fail | @stuck)",
    };
    let ltl = formula(text);
    let meaning = |name: String| resolve(spds, &name).expect("these always mean something");
    let meanings = ltl.formulas.propositions().iter().map(|p| meaning(p.kind.to_string())).collect();
    Violations::of(ltl, meanings, &Passes::default(), &Limits::default()).unwrap()
}
