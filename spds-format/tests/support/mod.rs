//! Shared by the tests of this crate: seeded random models, and what every text must satisfy.

#![allow(dead_code, reason = "each test uses what it needs")]

pub mod checks;
pub mod complaints;
pub mod models;
pub mod random;
