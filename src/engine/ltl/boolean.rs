//! Formulas without temporal operators as sets of letters.

use rustc_hash::FxHashMap;

use crate::bdd::label::{Label, Labels};

use super::formula::{Formula, Formulas, Op};

/// Adds the letters of a formula, and of all that it consists of, to those known. `name` says which proposition of the
/// labels one of the formulas is. Temporal operators must not occur.
pub(super) fn letters(
    formulas: &Formulas,
    formula: Formula,
    labels: &mut Labels,
    known: &mut FxHashMap<Formula, Label>,
    name: &dyn Fn(u32) -> u32,
) -> Label {
    if let Some(label) = known.get(&formula) {
        return *label;
    }
    let mut open = vec![formula];
    while let Some(&here) = open.last() {
        if known.contains_key(&here) {
            open.pop();
            continue;
        }
        let before = open.len();
        open.extend(formulas.operands(here).iter().filter(|operand| !known.contains_key(operand)));
        if open.len() > before {
            continue;
        }
        let operands: Vec<Label> = formulas.operands(here).iter().map(|operand| known[operand]).collect();
        // Large lists are built from the end, because propositions that come later lie deeper.
        let label = match (formulas.op(here), &operands[..]) {
            (Op::True, _) => Label::TRUE,
            (Op::Proposition(index), _) => labels.proposition(name(index)),
            (Op::Not, [a]) => labels.not(*a),
            (Op::And, list) => list.iter().rev().fold(Label::TRUE, |all, a| labels.and(all, *a)),
            (Op::Or, list) => list.iter().rev().fold(Label::FALSE, |any, a| labels.or(any, *a)),
            (Op::Xor, list) => list.iter().rev().fold(Label::FALSE, |odd, a| {
                let even = labels.not(odd);
                labels.choose(*a, even, odd)
            }),
            (Op::Iff, [first, rest @ ..]) => rest.iter().fold(*first, |same, a| {
                let different = labels.not(same);
                labels.choose(*a, same, different)
            }),
            (Op::Implies, [a, b]) => labels.choose(*a, *b, Label::TRUE),
            _ => Label::FALSE,
        };
        known.insert(here, label);
    }
    known[&formula]
}
