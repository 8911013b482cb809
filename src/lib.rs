//! puch checks programs with recursion.
//!
//! Modules are listed in the order in which data flows; a module uses only those above it.

pub mod limits;

pub mod run;

pub mod check;

pub mod places;

pub mod report;
