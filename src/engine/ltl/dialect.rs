//! How tightly operators bind, in the tools whose formulas users bring along.

use super::formula::Op;

/// Whose reading of an unparenthesised formula counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// That of Spot, if Spin (in `ltl { }`) and NuSMV read the formula in the same way; otherwise it is refused.
    #[default]
    Auto,
    /// Spot: `!`, `X`, `F G`, `U R W M` (to the right), `&`, `xor`, `|`, `-> <->` (to the right).
    Spot,
    /// Spin's inline `ltl { }`: unary, `U V W` (to the left), `&&`, `||`, `-> <->` (to the left).
    Spin,
    /// `spin -f`: unary, `U V`, and then all others on one level (to the left).
    SpinF,
    /// Moped 1: `!`, `&&`, `||`, `U V` (to the left), `[] <> X`, `->`, `<->`.
    Moped,
    /// NuSMV: unary, `U V` (to the left), `&`, `| xor`, `<->`, `->` (to the right).
    NuSmv,
    /// LBT's prefix form: `U p0 | p1 p2`.
    Lbt,
    /// Wring: `p=1`, `p=0`, `*` and `+` beside the other spellings. Where Spot, Spin and NuSMV read a formula differently it
    /// is refused.
    Wring,
}

impl Dialect {
    /// How the tool is called.
    pub fn name(self) -> &'static str {
        match self {
            Dialect::Auto => "auto",
            Dialect::Spot => "Spot",
            Dialect::Spin => "Spin",
            Dialect::SpinF => "spin -f",
            Dialect::Moped => "Moped",
            Dialect::NuSmv => "NuSMV",
            Dialect::Lbt => "LBT",
            Dialect::Wring => "Wring",
        }
    }
}

/// How tightly an operator binds: the higher the number the tighter.
pub(super) fn level(dialect: Dialect, op: Op) -> u8 {
    let temporal = matches!(op, Op::Until | Op::Release | Op::WeakUntil | Op::StrongRelease);
    match (dialect, op) {
        (_, Op::Not) => 12,
        (Dialect::Moped, Op::Next | Op::Finally | Op::Globally) => 4,
        (_, Op::Next) => 11,
        (_, Op::Finally | Op::Globally) => 10,
        (Dialect::Moped, Op::And) => 8,
        (Dialect::Moped, Op::Xor) => 7,
        (Dialect::Moped, Op::Or) => 6,
        (Dialect::Moped, _) if temporal => 5,
        (Dialect::Moped, Op::Implies) => 3,
        (Dialect::Moped, Op::Iff) => 2,
        (_, _) if temporal => 9,
        (Dialect::SpinF, _) => 1,
        (_, Op::And) => 8,
        (Dialect::NuSmv, Op::Xor | Op::Or) => 6,
        (_, Op::Xor) => 7,
        (_, Op::Or) => 6,
        (Dialect::NuSmv, Op::Iff) => 2,
        (_, _) => 1,
    }
}

/// Whether `a op b op c` is `a op (b op c)`.
pub(super) fn to_the_right(dialect: Dialect, op: Op) -> bool {
    match dialect {
        Dialect::Auto | Dialect::Spot | Dialect::Lbt | Dialect::Wring => !matches!(op, Op::And | Op::Or | Op::Xor),
        Dialect::NuSmv => op == Op::Implies,
        Dialect::Spin | Dialect::SpinF | Dialect::Moped => false,
    }
}
