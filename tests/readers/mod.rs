//! Everything that puch reads, as functions that any bytes can be given to: shared by the soak, the stable tests and the fuzz
//! targets.

#[path = "../boolprog/checks.rs"]
pub mod boolprog;
#[path = "../support/complaints.rs"]
mod complaints;
#[path = "../moped_pds/checks.rs"]
pub mod moped_pds;
#[path = "../pdaaal/checks.rs"]
pub mod pdaaal;
#[path = "../remopla/checks.rs"]
pub mod remopla;
pub mod sets;
#[path = "../../spds-format/tests/support/checks.rs"]
pub mod spds;
pub mod temporal;
pub mod traces;
