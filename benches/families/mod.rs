//! Families of Boolean programs, and one of pushdown systems, that grow with a size and whose answer is known by construction.
//!
//! Each program asks one question: is the label `R` reachable? It occurs exactly once. Why the answer is what
//! [`Family::expected`] says is told at the function that writes the family, so a wrong verdict is a defect of the checker
//! and not a matter of opinion.
//!
//! The programs keep to what Moped and Getafix read too (one label a statement, conditions in parentheses, no semicolon
//! after `fi` and `od`, no empty branch, `*` only as a whole condition), so those can be measured on the same files.
//!
//! The same sizes give the same bytes, on every machine.

#![allow(dead_code, reason = "each program that includes this module uses a part of it")]

mod calls;

mod code;

mod explicit;

pub mod payload;

mod random;

mod recursion;

pub mod quicksort;

pub mod scans;

pub mod shifts;

pub mod wide;

use std::fmt::Write as _;

/// Whether `R` can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Some run comes to `R`.
    Reachable,
    /// None does.
    Unreachable,
}

impl Expected {
    /// The word that `puch check` prints for it.
    pub fn word(self) -> &'static str {
        match self {
            Expected::Reachable => "reachable",
            Expected::Unreachable => "unreachable",
        }
    }
}

/// A family of programs.
pub struct Family {
    /// Its name on the command line and in tables.
    pub name: &'static str,
    /// Where its target is written down: a letter, and a number where there are several.
    pub class: &'static str,
    /// The names of its sizes.
    pub sizes: &'static [&'static str],
    /// How its texts are written.
    pub notation: Notation,
    /// What it is about, in one line.
    pub about: &'static str,
    /// Sizes for a test: a few milliseconds each.
    pub small: &'static [&'static [u64]],
    /// Sizes for a measurement.
    pub full: &'static [&'static [u64]],
    /// The answer for these sizes.
    pub expected: fn(&[u64]) -> Expected,
    /// Writes the program: one number for each name in `sizes`, none of them 0 except a seed.
    write: fn(&[u64], &mut String),
}

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// As a Boolean program; `R` is a label.
    Program,
    /// As a pushdown system in PDAAAL's JSON; `R` is a symbol.
    Pdaaal,
}

impl Notation {
    /// How names of files end.
    pub fn ending(self) -> &'static str {
        match self {
            Notation::Program => "bp",
            Notation::Pdaaal => "json",
        }
    }
}

/// Why there is no program.
#[derive(Debug, PartialEq, Eq)]
pub enum SizeError {
    /// As many sizes are wanted as the family has names for them.
    Count {
        /// What the family calls its sizes.
        wanted: &'static [&'static str],
    },
    /// This size must be larger.
    TooSmall {
        /// What the family calls it.
        size: &'static str,
        /// The least that makes sense.
        least: u64,
    },
}

impl std::fmt::Display for SizeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SizeError::Count { wanted } => write!(f, "wanted are {} numbers: {}", wanted.len(), wanted.join(" ")),
            SizeError::TooSmall { size, least } => write!(f, "{size} must be at least {least}"),
        }
    }
}

impl Family {
    /// The text of the program of these sizes.
    pub fn program(&self, sizes: &[u64]) -> Result<String, SizeError> {
        if sizes.len() != self.sizes.len() {
            return Err(SizeError::Count { wanted: self.sizes });
        }
        for (&size, &value) in self.sizes.iter().zip(sizes) {
            let least = least(size);
            if value < least {
                return Err(SizeError::TooSmall { size, least });
            }
        }
        let mut text = String::new();
        let numbers: Vec<String> = sizes.iter().map(u64::to_string).collect();
        if self.notation == Notation::Program {
            put(&mut text, format_args!("// {} {}: {}\n", self.name, numbers.join(" "), self.about));
            put(&mut text, format_args!("// R is {}.\n", (self.expected)(sizes).word()));
        }
        (self.write)(sizes, &mut text);
        Ok(text)
    }
}

/// The least value of a size with this name.
fn least(size: &str) -> u64 {
    match size {
        "SEED" => 0,
        "GLOBALS" | "LOCALS" => 2,
        _ => 1,
    }
}

/// All families, in the order of the tables.
pub const FAMILIES: &[Family] = &[
    Family {
        name: "template",
        class: "A",
        sizes: &["LEVELS"],
        notation: Notation::Program,
        about: "Bebop's template T(N): each level counts to seven or calls the next level twice",
        small: &[&[1], &[2], &[30]],
        full: &[&[800], &[5_000], &[20_000], &[100_000]],
        expected: reachable,
        write: calls::template,
    },
    Family {
        name: "template-safe",
        class: "A",
        sizes: &["LEVELS"],
        notation: Notation::Program,
        about: "T(N) started with g true only, so that all of it must be explored",
        small: &[&[1], &[2], &[30]],
        full: &[&[5_000], &[100_000]],
        expected: unreachable,
        write: calls::template_safe,
    },
    Family {
        name: "doubling",
        class: "D2",
        sizes: &["LEVELS"],
        notation: Notation::Program,
        about: "each level calls the next one twice: a run of more than 2^N steps",
        small: &[&[1], &[5], &[100]],
        full: &[&[1_000], &[10_000]],
        expected: reachable,
        write: calls::doubling,
    },
    Family {
        name: "tree",
        class: "D.1",
        sizes: &["PROCEDURES"],
        notation: Notation::Program,
        about: "a binary tree of calls with arguments and results",
        small: &[&[1], &[2], &[31]],
        full: &[&[10_000], &[100_000]],
        expected: unreachable,
        write: calls::tree,
    },
    Family {
        name: "chain",
        class: "D.1",
        sizes: &["PROCEDURES"],
        notation: Notation::Program,
        about: "a chain of calls with R at its far end, as deep as there are procedures",
        small: &[&[1], &[2], &[31]],
        full: &[&[10_000], &[100_000]],
        expected: reachable,
        write: calls::chain,
    },
    Family {
        name: "chain-return",
        class: "D.1",
        sizes: &["PROCEDURES"],
        notation: Notation::Program,
        about: "a chain of calls that all return before the question is put",
        small: &[&[1], &[2], &[31]],
        full: &[&[10_000], &[100_000]],
        expected: unreachable,
        write: calls::chain_return,
    },
    Family {
        name: "mixing",
        class: "D.3",
        sizes: &["PROCEDURES"],
        notation: Notation::Program,
        about: "a tree of procedures that mix thirty globals or do not, called before the question is put",
        small: &[&[1], &[2], &[7]],
        full: &[&[100], &[300], &[3_000]],
        expected: reachable,
        write: calls::mixing,
    },
    Family {
        name: "straight",
        class: "D.2",
        sizes: &["STATEMENTS"],
        notation: Notation::Program,
        about: "straight-line code over twenty variables in four procedures",
        small: &[&[1], &[40], &[400]],
        full: &[&[100_000], &[1_000_000]],
        expected: unreachable,
        write: code::straight,
    },
    Family {
        name: "branching",
        class: "D.2",
        sizes: &["STATEMENTS"],
        notation: Notation::Program,
        about: "branches, loops and jumps over twenty variables in four procedures",
        small: &[&[1], &[40], &[400]],
        full: &[&[100_000], &[1_000_000]],
        expected: reachable,
        write: code::branching,
    },
    Family {
        name: "wide",
        class: "D.3",
        sizes: &["GLOBALS", "LOCALS", "PROCEDURES"],
        notation: Notation::Program,
        about: "many variables, of which few are live or related at a time",
        small: &[&[2, 2, 1], &[9, 7, 3], &[40, 40, 10]],
        full: &[&[50, 50, 200], &[100, 100, 200], &[200, 200, 200]],
        expected: unreachable,
        write: code::wide,
    },
    Family {
        name: "payload",
        class: "D.3",
        sizes: &["VARIABLES"],
        notation: Notation::Program,
        about: "a small protocol, and variables that are copied about and decide nothing",
        small: &[&[1], &[2], &[12]],
        full: &[&[32], &[200], &[1_000]],
        expected: unreachable,
        write: payload::payload,
    },
    Family {
        name: "nested",
        class: "D",
        sizes: &["DEPTH"],
        notation: Notation::Program,
        about: "an expression in nested parentheses inside nested branches and loops",
        small: &[&[1], &[2], &[40]],
        full: &[&[1_000], &[100_000]],
        expected: reachable,
        write: code::nested,
    },
    Family {
        name: "random",
        class: "D.4",
        sizes: &["PROCEDURES", "SEED"],
        notation: Notation::Program,
        about: "random structured programs with recursion around an invariant",
        small: &[&[1, 0], &[3, 1], &[3, 2], &[12, 3], &[12, 4]],
        full: &[&[100, 1], &[1_000, 1], &[10_000, 1]],
        expected: unreachable,
        write: random::safe,
    },
    Family {
        name: "random-reach",
        class: "D.4",
        sizes: &["PROCEDURES", "SEED"],
        notation: Notation::Program,
        about: "random structured programs with recursion around a way to R",
        small: &[&[1, 0], &[3, 1], &[3, 2], &[12, 3], &[12, 4]],
        full: &[&[100, 1], &[1_000, 1], &[10_000, 1]],
        expected: reachable,
        write: random::reach,
    },
    Family {
        name: "random-formula",
        class: "E",
        sizes: &["PROCEDURES", "SEED"],
        notation: Notation::Program,
        about: "small random programs with recursion and many variables, for formulas",
        small: &[&[1, 0], &[10, 1]],
        full: &[&[10, 1], &[10, 2]],
        expected: reachable,
        write: random::for_formulas,
    },
    Family {
        name: "recursion",
        class: "D.5",
        sizes: &["PROCEDURES"],
        notation: Notation::Program,
        about: "a chain of procedures that each call themselves seven times, counting down",
        small: &[&[1], &[2], &[20]],
        full: &[&[1_000], &[10_000]],
        expected: reachable,
        write: recursion::recursion,
    },
    Family {
        name: "ring",
        class: "D.5",
        sizes: &["PROCEDURES"],
        notation: Notation::Program,
        about: "mutual recursion round one ring; R needs an odd number of calls back to the first procedure",
        small: &[&[1], &[2], &[20], &[21]],
        full: &[&[1_000], &[9_999], &[10_000]],
        expected: recursion::ring_expected,
        write: recursion::ring,
    },
    Family {
        name: "mutual",
        class: "D.5",
        sizes: &["PROCEDURES"],
        notation: Notation::Program,
        about: "mutual recursion through one strongly connected component of scattered calls",
        small: &[&[1], &[2], &[20]],
        full: &[&[1_000], &[10_000]],
        expected: unreachable,
        write: recursion::mutual,
    },
    Family {
        name: "counting",
        class: "D.5",
        sizes: &["BITS"],
        notation: Notation::Program,
        about: "a procedure that calls itself until a global number of so many bits has its greatest value",
        small: &[&[1], &[2], &[6]],
        full: &[&[14], &[20], &[30]],
        expected: unreachable,
        write: recursion::counting,
    },
    Family {
        name: "counting-back",
        class: "D.5",
        sizes: &["BITS"],
        notation: Notation::Program,
        about: "a procedure that calls itself as often as its argument says and then increments a global number",
        small: &[&[1], &[2], &[6]],
        full: &[&[8], &[10], &[12]],
        expected: unreachable,
        write: recursion::counting_back,
    },
    Family {
        name: "twice",
        class: "D.5",
        sizes: &["BITS"],
        notation: Notation::Program,
        about: "a procedure that calls itself twice with its argument, of so many bits, decremented",
        small: &[&[1], &[2], &[6]],
        full: &[&[12], &[16], &[24]],
        expected: unreachable,
        write: recursion::twice,
    },
    Family {
        name: "explicit",
        class: "F",
        sizes: &["RULES", "CONTROLS", "SYMBOLS", "SEED"],
        notation: Notation::Pdaaal,
        about: "random rules without data in PDAAAL's notation, with a way to R",
        small: &[&[1, 1, 1, 0], &[30, 3, 4, 1], &[300, 10, 20, 2]],
        full: &[&[36_000, 100, 60, 1], &[300_000, 1_000, 500, 1]],
        expected: reachable,
        write: explicit::explicit,
    },
];

fn reachable(_: &[u64]) -> Expected {
    Expected::Reachable
}

fn unreachable(_: &[u64]) -> Expected {
    Expected::Unreachable
}

/// Appends formatted text.
fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("writing to a string does not fail");
}
