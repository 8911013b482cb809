//! Answers as text, in Bebop's form, as JSON; systems as graphs; diagnostics with the source they are about.
//!
//! Everything here writes into a writer it is given. What of a run is shown is decided once, in [`view`], and in which
//! order, in [`walk`].

#[cfg(any(feature = "cli", feature = "internals"))]
pub mod utf16;

pub mod diagnostic;

pub mod notice;

pub mod view;

pub mod walk;

pub mod present;

pub mod answered;

pub mod text;

#[cfg(any(feature = "cli", feature = "internals"))]
pub mod simulated;

#[cfg(any(feature = "cli", feature = "internals"))]
pub mod bebop;

pub mod told;

pub mod reported;

pub mod system;

pub mod branch;

pub mod json;

pub mod html;

#[cfg(feature = "cli")]
pub mod sarif;

#[cfg(feature = "cli")]
pub mod junit;

pub mod expression;

#[cfg(feature = "c")]
pub mod c_run;

#[cfg(feature = "c")]
pub mod c_finding;

#[cfg(all(feature = "c", any(feature = "cli", feature = "internals")))]
pub mod c_formats;

#[cfg(feature = "cli")]
pub mod c_invariants;

#[cfg(all(feature = "c", feature = "cli"))]
pub mod functions;

#[cfg(all(feature = "c", feature = "cli"))]
pub mod functions_sarif;

#[cfg(all(feature = "c", feature = "cli"))]
pub mod functions_junit;

#[cfg(all(feature = "c", feature = "cli"))]
pub mod functions_new;

#[cfg(feature = "c")]
pub mod null;

#[cfg(any(feature = "cli", feature = "internals"))]
pub mod facts;

#[cfg(any(feature = "cli", feature = "internals"))]
pub mod influence;

#[cfg(any(feature = "cli", feature = "internals"))]
pub mod recorded;

#[cfg(feature = "cli")]
pub mod certified;
#[cfg(any(feature = "cli", feature = "internals"))]
pub mod replayed;

#[cfg(any(feature = "cli", feature = "internals"))]
pub mod sets;

#[cfg(feature = "cli")]
pub mod stack;

#[cfg(feature = "cli")]
pub mod stack_html;

#[cfg(feature = "cli")]
pub mod stack_sarif;

#[cfg(test)]
mod sample;

#[cfg(test)]
mod tests;
