//! Contracts of functions ([`crate::c::contract`]) where they are looked at by themselves.
//!
//! What a function demands (`requires`, `nonnull`) is assumed where it is entered from outside and checked at each call by name, also at calls of
//! itself, before anybody assumes it. What it promises (`ensures`, `returns_nonnull`, `noreturn`) is checked at its returns if it has a body, and
//! nobody assumes it: callers look at the body. Of a function without a body it is assumed, and said to be ([`assumptions`]).
//!
//! Conditions are written into the program as branches ([`crate::c::decided`]), so that what is undefined behind `p == NULL ||` is not evaluated;
//! where one is checked, the branch leads to a failure that is asked about as uses of pointers are ([`crate::question::uses`]), and where one is
//! assumed, what it takes to evaluate it is assumed as well.

pub mod inferred;
pub mod read;
pub(super) mod terms;
mod woven;

use std::collections::{BTreeSet, HashMap};

use spds_format::model::Place;

use super::copied::written;
use crate::c::program::{ProcedureId, Program};

pub use woven::{demanded, woven};

/// The procedures of a program that have contracts, by name: a model of the library's has that which the program declares, and a copy that of what
/// is copied.
pub struct Named(HashMap<Box<str>, ProcedureId>);

impl Named {
    /// Those of a program. Linear in its contracts.
    pub fn of(program: &Program) -> Named {
        Named(program.contracts.keys().map(|id| (program.procedure(*id).name.clone(), *id)).collect())
    }

    /// The procedure whose contract one has.
    pub fn like(&self, program: &Program, id: ProcedureId) -> Option<ProcedureId> {
        let name = &program.procedure(id).name;
        self.0.get(name).or_else(|| self.0.get(written(name))).copied()
    }
}

/// The places of all clauses: what stands there is assumed, and nobody asks about it.
pub fn places(program: &Program) -> BTreeSet<Place> {
    let contracts = program.contracts.values();
    let all = contracts.flat_map(|contract| contract.requires.iter().chain(&contract.ensures));
    all.map(|clause| clause.place).collect()
}

/// What is taken on trust of contracts: of whoever calls the first procedure, and of procedures without a body that it leads to.
pub fn assumptions(program: &Program) -> Vec<String> {
    let mut all = Vec::new();
    let name = |id: ProcedureId| &*program.procedure(id).name;
    if let Some(contract) = program.contracts.get(&program.main) {
        let formals = &program.procedure(program.main).formals;
        let given = contract.nonnull.iter().filter_map(|(at, _)| formals.get(*at));
        let nonnull = given.map(|id| format!("{} != NULL", program.variable(*id).name));
        let requires = contract.requires.iter().map(|clause| clause.text.to_string());
        let main = name(program.main);
        all.extend(nonnull.chain(requires).map(|text| format!("callers of `{main}` establish its contract: {text}")));
    }
    let reached = crate::c::reached::reached(program, false).procedures;
    let bodies = program.procedures.iter().zip(reached).filter(|(_, reached)| *reached);
    let outside: BTreeSet<_> = bodies.flat_map(|(procedure, _)| procedure.outside.iter().copied()).collect();
    for id in outside {
        let Some(contract) = program.contracts.get(&id) else { continue };
        let result = contract.returns_nonnull.map(|_| "what it returns is not NULL".to_owned());
        let ensures = contract.ensures.iter().map(|clause| clause.text.to_string());
        all.extend(result.into_iter().chain(ensures).map(|text| format!("`{}` keeps its contract: {text}", name(id))));
    }
    all
}
