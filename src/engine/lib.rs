//! The engine of puch: pushdown systems from texts in several languages, relations, searches, judges, certificates.
//!
//! It is a crate of its own so that who changes what stands on it need not build it again. Only puch uses it, and it promises nothing.
//! Rooms are listed in the order in which data flows; a room uses only those above it.

pub mod limits;

pub mod options;

pub mod run;

pub mod verdict;

pub mod packed;

pub mod random;

pub mod json;

pub mod decisions;

pub mod explicit;

pub mod boolprog;

pub mod moped_pds;

pub mod pdaaal;

pub mod remopla;

pub mod exchange;

pub mod bdd;

pub mod certificate;

pub mod certify;

pub mod formula;

pub mod ltl;

pub mod watched;

pub mod product;

pub mod influence;

pub mod pds;

pub mod flow;

pub mod regular_valuation;

pub mod saturation;

pub mod heads;

pub mod witness;

pub mod replay;

pub mod check;

pub mod evidence;

pub mod enumeration;

pub mod regular;

pub mod places;

pub mod facts;

pub mod explain;

pub mod stack;

pub mod session;

pub mod answer;

pub mod source;
