//! Operators that count steps, as Spot writes them: `X[3] p`, `F[2:4] p`, `G[2:] p`, and `X[!] p`, the strong next of
//! finite words, which on infinite ones is `X p`.

use super::formula::{Formula, Formulas, Op};

/// What stands in brackets behind an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bounds {
    /// `[!]`
    Strong,
    /// `[n]`
    Exactly(u32),
    /// `[i:j]`, `[i:]`
    Between(u32, Option<u32>),
}

/// A formula has a part for each step, so there must not be more than this.
const FARTHEST: u32 = 1 << 20;

impl Bounds {
    /// What the brackets say, if they are bounds at all.
    pub(super) fn read(inside: &str) -> Option<Bounds> {
        let number = |text: &str| match text.trim() {
            digits if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(digits.parse().unwrap_or(u32::MAX))
            }
            _ => None,
        };
        let inside = inside.trim();
        if inside == "!" {
            return Some(Bounds::Strong);
        }
        match inside.split_once(':').or_else(|| inside.split_once("..")) {
            None => Some(Bounds::Exactly(number(inside)?)),
            Some((least, most)) if matches!(most.trim(), "" | "$") => Some(Bounds::Between(number(least)?, None)),
            Some((least, most)) => Some(Bounds::Between(number(least)?, Some(number(most)?))),
        }
    }

    /// What is wrong with these bounds behind this operator, as the end of a sentence that begins with them, and what to
    /// write.
    pub(super) fn objection(self, op: Op) -> Option<(String, &'static str)> {
        let counted = matches!(op, Op::Next | Op::Finally | Op::Globally);
        let farthest = match self {
            Bounds::Strong => 0,
            Bounds::Exactly(steps) => steps,
            Bounds::Between(least, most) => most.unwrap_or(0).max(least),
        };
        match (op, self) {
            (Op::Next, Bounds::Between(..)) => Some(("cannot count from one step to another".into(), "use F or G")),
            (Op::Finally | Op::Globally, Bounds::Strong) => Some(("is about X alone".into(), "")),
            (Op::Finally | Op::Globally, Bounds::Exactly(_)) => {
                Some(("says only one of two steps".into(), "write `[0:n]` or `[n:n]`"))
            }
            (_, Bounds::Between(least, Some(most))) if most < least => Some(("ends before it begins".into(), "")),
            _ if !counted => Some(("can stand behind X, F and G only".into(), "")),
            _ if farthest > FARTHEST => Some((format!("counts more than {FARTHEST} steps"), "")),
            _ => None,
        }
    }

    /// The formula with this operator. Linear in the number of steps.
    pub(super) fn apply(self, formulas: &mut Formulas, op: Op, operand: Formula) -> Formula {
        let (later, inside) = match self {
            Bounds::Strong => (1, operand),
            Bounds::Exactly(steps) => (steps, operand),
            Bounds::Between(least, None) => (least, formulas.make(op, &[operand])),
            Bounds::Between(least, Some(most)) => {
                let join = if op == Op::Globally { Op::And } else { Op::Or };
                let inside = (least..most).fold(operand, |inside, _| {
                    let next = formulas.make(Op::Next, &[inside]);
                    formulas.make(join, &[operand, next])
                });
                (least, inside)
            }
        };
        (0..later).fold(inside, |inside, _| formulas.make(Op::Next, &[inside]))
    }
}
