//! puch checks programs with recursion.
//!
//! A front end reads a text into the model, [`spds_format::Spds`] ([`boolprog`], [`remopla`], [`moped_pds`], [`pdaaal`], and
//! [`spds_format::parse`]; [`spds_format::build`] puts one together in code). [`check`](check::check) says whether properties
//! hold, [`regular`] computes all configurations that can be reached or from which some can be, [`facts`] says what is known
//! at each statement, and [`report`] writes what they say.
//!
//! ```
//! use puch::boolprog;
//! use puch::check::{Options, Property, Verdict, check};
//! use puch::facts::{Question, facts};
//! use puch::places::{Naming, resolve};
//! use puch::report::facts::{Listing, Subject, text};
//! use puch::report::expression::Notation;
//!
//! let program = boolprog::read(
//!     "decl held;
//!      void main() begin
//!        held := 0;
//!        work();
//!        DONE: skip;
//!      end
//!      void work() begin
//!        held := 1;
//!        if (*) then work(); fi
//!        held := 0;
//!      end",
//!     "lock.bp",
//!     &boolprog::Options::default(),
//! )
//! .expect("the program is fine");
//! let spds = &program.spds;
//!
//! // Can the label be reached, and by which run?
//! let done = resolve(spds, "main:DONE", Naming::Program).expect("there is this label");
//! let outcome = check(spds, &[Property::Reach(done.clone())], &Options::default()).expect("the run is real");
//! let Verdict::Reachable(Some(trace)) = &outcome.answers[0].verdict else { panic!("it can") };
//! assert_eq!(trace.run.stem.last().map(|step| step.config.symbol), Some(done[0].symbol));
//!
//! // What is known there?
//! let known = facts(spds, &Question::Values(done, 100), &Options::default());
//! let subject = Subject { spds, notation: Notation::Program, source: None, listing: Listing::Values };
//! let mut said = Vec::new();
//! text(&mut said, subject, &known.facts)?;
//! assert!(String::from_utf8_lossy(&said).ends_with("!held\n"));
//! # Ok::<(), std::io::Error>(())
//! ```
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

pub mod influence;

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

pub mod explain;

pub mod report;
