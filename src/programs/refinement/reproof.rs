//! What is known at each statement of the last abstraction, proved again about the C program ([`crate::abstraction::induction`]).

use std::collections::HashMap;

use spds_format::expr::Time;
use spds_format::model::{SymbolId, Var};

use crate::abstraction::induction::{Atom, Interface, Invariants, Proved, interfaces, proved};
use crate::abstraction::{Predicate, PredicateId, Reuse, System, Tuning, abstracted_again};
use crate::c::Program;
use crate::c::program::{Overflow, StatementId, StatementKind};
use crate::facts::relations::{Moment, relations};
use crate::limits::Stop;
use crate::options::Options;

use super::{Defect, Proof, Reason, Spot, Unproved};

/// Where in the Boolean program statements begin, and where those that return have decided the result.
#[derive(Default)]
struct Points {
    begins: HashMap<SymbolId, StatementId>,
    returns: HashMap<SymbolId, StatementId>,
}

impl Points {
    fn of(program: &Program, system: &System) -> Points {
        let mut points = Points::default();
        for (symbol, origin) in system.origins().filter(|(_, origin)| !origin.comes_back) {
            if origin.begins() {
                points.begins.insert(symbol, origin.statement);
            }
            if origin.after == 0 && returns(program, origin.statement) {
                points.returns.insert(symbol, origin.statement);
            }
        }
        points
    }
}

fn returns(program: &Program, statement: StatementId) -> bool {
    matches!(program.statement(statement).map(|statement| &statement.kind), Some(StatementKind::Return(_)))
}

/// What the saturation of a Boolean program knows, over the predicates.
///
/// # Errors
/// If a limit is met.
fn known(program: &Program, interfaces: &[Interface], system: &System, options: &Options) -> Result<Invariants, Stop> {
    let (spds, points) = (&system.spds, Points::of(program, system));
    let told = |symbol: SymbolId, (var, time): Moment| {
        let (begins, returns) = (points.begins.get(&symbol), points.returns.get(&symbol));
        let Some(predicate) = system.predicate(symbol, var) else { return false };
        let Some(&StatementId { procedure, .. }) = begins.or(returns) else { return false };
        let interface = &interfaces[procedure.0 as usize];
        matches!(var, Var::Global(_))
            || match time {
                Time::Before => interface.entry.contains(&predicate),
                _ if begins.is_some() => true,
                _ => interface.exit.contains(&predicate),
            }
    };
    let atom = |symbol: SymbolId, &(var, time): &Moment| {
        // Nothing else is told.
        let predicate = system.predicate(symbol, var).unwrap_or(PredicateId(u32::MAX));
        Atom { predicate, entry: time == Time::Before }
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
    /// The program.
    pub program: &'a Program,
    /// The predicates.
    pub predicates: &'a [Predicate],
    /// What overflows are.
    pub overflow: Overflow,
    /// How hard to try.
    pub tuning: &'a Tuning,
    /// The system of the Boolean program.
    pub system: &'a System,
}

/// What is known in an abstraction that holds, and what of that was proved about the C program.
///
/// # Errors
/// If a limit is met before it is known.
pub fn reproved(holding: &Holding<'_>, options: &Options, reuse: &mut Reuse) -> Result<(Invariants, Proved), Stop> {
    let &Holding { program, predicates, overflow, tuning, system } = holding;
    let interfaces = interfaces(program, predicates, overflow, tuning, reuse);
    let known = known(program, &interfaces, system, options)?;
    let proved = proved(program, predicates, overflow, tuning, reuse, &known);
    Ok((known, proved))
}

/// Whether what is known in an abstraction that holds was proved about the C program.
///
/// # Errors
/// If something of it is wrong: that is a defect, and the sentence says where.
pub(super) fn proof(holding: &Holding<'_>, options: &Options, reuse: &mut Reuse) -> Result<Proof, Reason> {
    let source = holding.program;
    let proved = match reproved(holding, options, reuse) {
        Ok((_, proved)) => proved,
        Err(stop) => return Ok(Proof::Once(Unproved::Stopped(stop))),
    };
    let spot = |&at: &StatementId| Spot::of(source, at);
    if let Some(at) = proved.wrong.first() {
        return Err(Defect::Proof(spot(at)).into());
    }
    Ok(match (proved.outside.first(), proved.open.first()) {
        (Some(at), _) => Proof::Once(Unproved::CalledBack(spot(at))),
        (None, Some(at)) => {
            let (open, all) = (proved.open.len(), proved.obligations);
            Proof::Once(Unproved::Open { open, all, first: spot(at) })
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
) -> Result<Proof, Reason> {
    let mut reuse = Reuse::new(program);
    let made = abstracted_again(program, predicates, overflow, tuning, &mut reuse);
    let system = System::of(&made, &program.files)?;
    let holding = Holding { program, predicates, overflow, tuning, system: &system };
    proof(&holding, options, &mut reuse)
}
