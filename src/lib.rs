//! puch checks programs with recursion.
//!
//! Modules are listed in the order in which data flows; a module uses only those above it.

pub mod limits;

pub mod options;

pub mod run;

mod rows;

mod json;

pub mod explicit;

pub mod boolprog;

pub mod moped_pds;

pub mod pdaaal;

pub mod remopla;

pub mod exchange;

pub mod bdd;

pub mod formula;

pub mod ltl;

pub mod product;

pub mod pds;

pub mod flow;

pub mod below;

pub mod saturation;

pub mod heads;

pub mod witness;

pub mod replay;

pub mod check;

pub mod regular;

pub mod members;

pub mod places;

pub mod facts;

pub mod report;
