//! The command `puch`.

fn main() {}
