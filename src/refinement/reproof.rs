//! What is known at each statement of the last abstraction, proved again about the C program ([`crate::abstraction::induction`]).

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use spds_format::Spds;
use spds_format::expr::Time;
use spds_format::model::{Place, SymbolId, Var};

use crate::abstraction::boolean::reading;
use crate::abstraction::induction::{Atom, Interface, Invariants, Proved, interfaces, proved};
use crate::abstraction::{Predicate, Reuse, Text, Tuning, abstracted_again};
use crate::boolprog;
use crate::c::Program;
use crate::c::program::{Label, Overflow, ProcedureId, StatementKind};
use crate::concretise::{number, statement};
use crate::facts::relations::{Moment, relations};
use crate::limits::Stop;
use crate::options::Options;

use super::Proof;

/// A statement of a numbered program.
type At = (ProcedureId, Label);

/// Where in the Boolean program statements begin, and where those that return have decided the result.
#[derive(Default)]
struct Points {
    begins: HashMap<SymbolId, At>,
    returns: HashMap<SymbolId, At>,
}

impl Points {
    fn of(program: &Program, spds: &Spds, text: &Text) -> Points {
        let place = |line: usize| text.places.get(line).copied().flatten().and_then(statement);
        let mut points = Points::default();
        let mut lines = HashSet::new();
        for (at, symbol) in (0..).map(SymbolId).zip(&spds.symbols) {
            let Some(line) = symbol.place.map(|place| place.line as usize) else { continue };
            // The other symbols of a line are where calls come back to.
            let Some(here) = place(line).filter(|_| lines.insert(line)) else { continue };
            if place(line.wrapping_sub(1)) != Some(here) {
                points.begins.insert(at, here);
            }
            if place(line + 1) != Some(here) && returns(program, here) {
                points.returns.insert(at, here);
            }
        }
        points
    }
}

fn returns(program: &Program, (procedure, label): At) -> bool {
    let body = program.procedure(procedure).body.as_ref();
    let kind = body.and_then(|body| body.get(label.0 as usize)).map(|statement| &statement.kind);
    matches!(kind, Some(StatementKind::Return(_)))
}

/// What the saturation of a Boolean program knows, over the predicates.
///
/// # Errors
/// If a limit is met.
fn known(
    program: &Program,
    interfaces: &[Interface],
    spds: &Spds,
    text: &Text,
    options: &Options,
) -> Result<Invariants, Stop> {
    let points = Points::of(program, spds, text);
    let variable = |symbol: SymbolId, var: Var| match var {
        Var::Global(at) => spds.globals.get(at as usize),
        Var::Local(at) => spds.locals(symbol).get(at as usize),
    };
    let told = |symbol: SymbolId, (var, time): Moment| {
        let (begins, returns) = (points.begins.get(&symbol), points.returns.get(&symbol));
        let Some(variable) = variable(symbol, var).filter(|variable| !variable.hidden) else { return false };
        let Some(&(procedure, _)) = begins.or(returns) else { return false };
        let interface = &interfaces[procedure.0 as usize];
        let has = |names: &[Rc<str>]| names.iter().any(|name| **name == *variable.name);
        matches!(var, Var::Global(_))
            || match time {
                Time::Before => has(&interface.entry),
                _ if begins.is_some() => !text.kept.iter().any(|kept| **kept == *variable.name),
                _ => has(&interface.exit),
            }
    };
    let atom = |symbol: SymbolId, &(var, time): &Moment| {
        let name = variable(symbol, var).map_or("", |variable| &variable.name);
        Atom { name: name.into(), entry: time == Time::Before }
    };
    let mut symbols: Vec<SymbolId> = points.begins.keys().chain(points.returns.keys()).copied().collect();
    symbols.sort_unstable();
    symbols.dedup();
    let found = relations(spds, &symbols, told, options)?;
    let mut invariants = Invariants::default();
    for (&symbol, diagram) in symbols.iter().zip(&found) {
        let diagram = diagram.map(|moment| atom(symbol, moment));
        if let Some(at) = points.begins.get(&symbol) {
            invariants.before.insert(*at, diagram.clone());
        }
        if let Some(at) = points.returns.get(&symbol) {
            invariants.returned.insert(*at, diagram);
        }
    }
    Ok(invariants)
}

/// An abstraction that holds.
pub struct Holding<'a> {
    /// The numbered program.
    pub program: &'a Program,
    /// The predicates.
    pub predicates: &'a [Predicate],
    /// What overflows are.
    pub overflow: Overflow,
    /// How hard to try.
    pub tuning: &'a Tuning,
    /// The Boolean program.
    pub text: &'a Text,
    /// Its system.
    pub spds: &'a Spds,
}

/// What is known in an abstraction that holds, and what of that was proved about the C program.
///
/// # Errors
/// If a limit is met before it is known.
pub fn reproved(holding: &Holding<'_>, options: &Options, reuse: &mut Reuse) -> Result<(Invariants, Proved), Stop> {
    let &Holding { program, predicates, overflow, tuning, text, spds } = holding;
    let interfaces = interfaces(program, predicates, overflow, tuning, reuse);
    let known = known(program, &interfaces, spds, text, options)?;
    let proved = proved(program, predicates, overflow, tuning, reuse, &known);
    Ok((known, proved))
}

/// Whether what is known in an abstraction that holds was proved about the C program, of which the abstraction has a numbered copy.
///
/// # Errors
/// If something of it is wrong: that is a defect, and the sentence says where.
pub(super) fn proof(
    source: &Program,
    holding: &Holding<'_>,
    options: &Options,
    reuse: &mut Reuse,
) -> Result<Proof, String> {
    let proved = match reproved(holding, options, reuse) {
        Ok((_, proved)) => proved,
        Err(stop) => return Ok(Proof::Once(format!("what holds at statements is not known: {stop}"))),
    };
    let place = |&(procedure, label): &At| {
        let body = source.procedure(procedure).body.as_ref();
        let place = body.and_then(|body| body.get(label.0 as usize)).map(|statement| statement.place);
        let file = |place: Place| source.files.get(place.file as usize).map_or("", |file| file);
        place.map_or_else(String::new, |place| format!("{}:{}", file(place), place.line))
    };
    if let Some(at) = proved.wrong.first() {
        return Err(format!("this is a defect of puch: its proof was found to be wrong at {}", place(at)));
    }
    Ok(match (proved.outside.first(), proved.open.first()) {
        (Some(at), _) => Proof::Once(format!("what may call the program back is called at {}", place(at))),
        (None, Some(at)) => {
            let (open, all) = (proved.open.len(), proved.obligations);
            Proof::Once(format!("{open} of {all} implications were not decided, the first at {}", place(at)))
        }
        (None, None) => Proof::Again(proved.obligations),
    })
}

/// The same for an abstraction over given predicates in which nothing fails. It is made anew.
///
/// # Errors
/// If something of it is wrong, or it cannot be read: that is a defect.
pub fn proof_over(
    program: &Program,
    predicates: &[Predicate],
    overflow: Overflow,
    tuning: &Tuning,
    options: &Options,
) -> Result<Proof, String> {
    let mut numbered = program.clone();
    number(&mut numbered);
    let mut reuse = Reuse::new(&numbered);
    let text = abstracted_again(&numbered, predicates, overflow, tuning, &mut reuse).text();
    let read = boolprog::read(&text.text, "abstraction.bp", &reading(&text))
        .map_err(|_| "the Boolean program cannot be read".to_owned())?;
    let holding = Holding { program: &numbered, predicates, overflow, tuning, text: &text, spds: &read.spds };
    proof(program, &holding, options, &mut reuse)
}
