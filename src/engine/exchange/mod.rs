//! Regular sets of configurations for exchange with other tools and for later: automata as JSON, read with places and
//! written.
//!
//! SPEC.md of `spds-format` documents the format, and what automata mean.
//!
//! ```
//! use puch_engine::exchange::{read, write};
//! use spds_format::automaton::Role;
//!
//! let spds = spds_format::parse("spds 1 global g: bool; control p; symbol a; start <p, a>;").unwrap();
//! let set = spds_format::parse_configurations(&spds, "<p[g], a a*>").unwrap();
//! let json = write(&spds, &set, 0);
//! assert!(json.starts_with(r#"{"format": "puch automaton 1","#));
//! assert_eq!(read(&spds, &json, Role::Input), Ok(set));
//!
//! let mistakes = read(&spds, &json.replace(r#""a""#, r#""b""#), Role::Input).unwrap_err();
//! assert_eq!(mistakes[0].message, "unknown stack symbol `b`");
//! ```

mod read;

mod write;

pub use read::read;
pub use write::write;
