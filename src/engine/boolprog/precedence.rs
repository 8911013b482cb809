//! How tightly operators bind: the dialects disagree.
//!
//! One table per family of parsers, read from their sources (Moped and Getafix `bp.y`, WALi `bp_parser.y` and Duet
//! `cbpParse.mly`, SATABS `parser.y`, c2s `BpParser.mly`, bp-reduce `BooleanProgramParser.scala`, the Bebop paper's
//! grammar). BoPP and lotus read as Moped does. `e ? a : b` binds loosest in all of them.

use super::ast::Op;

/// Binary operators and `!`, as far as binding goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Implies,
    Or,
    Xor,
    And,
    Eq,
    Ne,
    Not,
}

impl Operator {
    pub(super) const ALL: [Operator; 7] =
        [Operator::Implies, Operator::Or, Operator::Xor, Operator::And, Operator::Eq, Operator::Ne, Operator::Not];

    /// The operation it makes.
    pub(super) fn op(self) -> Op {
        match self {
            Operator::Implies => Op::Implies,
            Operator::Or => Op::Or,
            Operator::Xor => Op::Xor,
            Operator::And => Op::And,
            Operator::Eq => Op::Eq,
            Operator::Ne => Op::Ne,
            Operator::Not => Op::Not,
        }
    }
}

/// How a dialect's operators bind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table {
    /// Who reads that way.
    pub readers: &'static str,
    /// For each operator, in the order of [`Operator::ALL`], how tightly it binds.
    tightness: [u8; 7],
    /// Levels of tightness whose operators group from the right.
    right: &'static [u8],
}

pub(super) const SLAM: Table = Table { readers: "SLAM", tightness: [1, 2, 3, 4, 5, 5, 6], right: &[] };

pub(super) const SATABS: Table = Table { readers: "SATABS", tightness: [1, 3, 2, 4, 1, 1, 5], right: &[1] };

/// Those that may differ from [`SLAM`]; the last only where procedures have no type, as in the Bebop paper.
pub(super) const OTHERS: [Table; 5] = [
    SATABS,
    Table { readers: "WALi and Duet", tightness: [1, 1, 2, 3, 4, 4, 5], right: &[] },
    Table { readers: "c2s", tightness: [1, 2, 3, 4, 6, 6, 5], right: &[] },
    Table { readers: "bp-reduce", tightness: [3, 4, 1, 5, 2, 1, 6], right: &[3] },
    Table { readers: "the Bebop paper", tightness: [1, 1, 1, 1, 1, 1, 0], right: &[1] },
];

/// The index in [`OTHERS`] of the Bebop paper's grammar.
pub(super) const BEBOP: usize = 4;

impl Table {
    /// Whether, with `before` waiting for its right operand, which has just been read, `before` takes it (and not the
    /// binary operator `next` that follows).
    pub(super) fn takes(&self, before: Operator, next: Operator) -> bool {
        let (b, n) = (self.tightness[before as usize], self.tightness[next as usize]);
        b > n || b == n && !self.right.contains(&n)
    }
}

/// For each decision that [`SLAM`]'s table takes, which of [`OTHERS`] take another one (one bit each).
pub(super) fn disagreements() -> [[u8; 7]; 7] {
    let mut found = [[0; 7]; 7];
    for before in Operator::ALL {
        for next in Operator::ALL {
            for (i, other) in OTHERS.iter().enumerate() {
                if other.takes(before, next) != SLAM.takes(before, next) {
                    found[before as usize][next as usize] |= 1 << i;
                }
            }
        }
    }
    found
}
