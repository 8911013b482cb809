//! Random formulas.

use puch::ltl::formula::Op;
use puch::ltl::proposition::PropositionKind;
use puch::ltl::{Formula, Formulas, Ltl, Proposition};

/// A formula over so many propositions (all of them are known to its arena) with about that many operators.
pub fn formula(random: &mut fastrand::Rng, propositions: u32, operators: usize) -> Ltl {
    let mut formulas = Formulas::new();
    let name = |index| Proposition { kind: PropositionKind::Name(format!("p{index}")), span: 0..0, inner: 0 };
    let leaves: Vec<Formula> = (0..propositions).map(|index| formulas.proposition(name(index))).collect();
    let root = grow(random, &mut formulas, &leaves, operators);
    Ltl { formulas, root }
}

fn grow(random: &mut fastrand::Rng, formulas: &mut Formulas, leaves: &[Formula], operators: usize) -> Formula {
    if operators == 0 {
        return match random.u8(0..12) {
            0 => Formula::TRUE,
            1 => Formula::FALSE,
            _ => leaves[random.usize(0..leaves.len())],
        };
    }
    let unary = [Op::Not, Op::Next, Op::Finally, Op::Globally, Op::Finally, Op::Globally];
    let binary =
        [Op::Until, Op::Release, Op::WeakUntil, Op::StrongRelease, Op::And, Op::Or, Op::Implies, Op::Xor, Op::Iff];
    if random.bool() {
        let operand = grow(random, formulas, leaves, operators - 1);
        return formulas.make(unary[random.usize(0..unary.len())], &[operand]);
    }
    let left = random.usize(0..operators);
    let left_operand = grow(random, formulas, leaves, left);
    let right_operand = grow(random, formulas, leaves, operators - 1 - left);
    let op = binary[random.usize(0..binary.len())];
    if matches!(op, Op::And | Op::Or | Op::Xor | Op::Iff) && random.u8(0..4) == 0 {
        let third = leaves[random.usize(0..leaves.len())];
        return formulas.make(op, &[left_operand, right_operand, third]);
    }
    formulas.make(op, &[left_operand, right_operand])
}
