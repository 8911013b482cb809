//! Regular sets of configurations for exchange with other tools and for later: automata as JSON, read with places and
//! written.
//!
//! SPEC.md of `spds-format` documents the format, and what automata mean.

mod read;

mod write;

pub use read::read;
pub use write::write;
