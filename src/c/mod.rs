//! C programs: read into C-, the language of T. Ball's lectures (one call per statement, expressions without side effects,
//! pointers), with the types and conversions of C11.

pub mod types;

pub mod expression;

pub mod program;
