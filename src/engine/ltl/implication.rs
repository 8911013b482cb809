//! Which formulas imply which, as far as their shapes tell: Somenzi and Bloem, *Efficient Büchi automata from LTL
//! formulae* (CAV 2000), with pure eventualities and purely universal formulas. A yes is certain, a no is not.

use rustc_hash::FxHashMap;

use crate::bdd::label::{Label, Labels};

use super::boolean::letters;
use super::formula::{Formula, Formulas, Op, Traits};
use super::normal::Normal;

/// Formulas that are deeper than this taken together are not compared, so that the comparison, which recurses over
/// them, needs little room. Only reductions are lost.
const DEPTH: u32 = 256;

/// What has been found out.
#[derive(Clone, Debug, Default)]
pub(super) struct Implications {
    known: FxHashMap<(Formula, Formula), bool>,
    boolean: FxHashMap<Formula, Label>,
    labels: Labels,
}

impl Implications {
    /// The letters that satisfy a Boolean formula in negative normal form.
    pub(super) fn letters(&mut self, formulas: &Formulas, formula: Formula) -> Label {
        letters(formulas, formula, &mut self.labels, &mut self.boolean, &|index| index)
    }

    /// Whether every word that satisfies `a` certainly satisfies `b`; both in negative normal form.
    pub(super) fn implies(&mut self, formulas: &Formulas, a: Formula, b: Formula) -> bool {
        if a == b || a == Formula::FALSE || b == Formula::TRUE {
            return true;
        }
        if a == Formula::TRUE || b == Formula::FALSE {
            return false;
        }
        if formulas.depth(a).saturating_add(formulas.depth(b)) > DEPTH {
            return false;
        }
        if let Some(known) = self.known.get(&(a, b)) {
            return *known;
        }
        let boolean = |f| formulas.has(f, Traits::BOOLEAN);
        let answer = if boolean(a) && boolean(b) {
            let (a, b) = (self.letters(formulas, a), self.letters(formulas, b));
            self.labels.includes(a, b)
        } else {
            self.by_shape(formulas, a, b)
        };
        self.known.insert((a, b), answer);
        answer
    }

    /// Whether `a` and `b` certainly exclude each other.
    pub(super) fn exclude(&mut self, formulas: &mut Formulas, normal: &mut Normal, a: Formula, b: Formula) -> bool {
        let not_b = normal.negation(formulas, b);
        if self.implies(formulas, a, not_b) {
            return true;
        }
        let not_a = normal.negation(formulas, a);
        self.implies(formulas, b, not_a)
    }

    /// Whether one of `a` and `b` certainly holds.
    pub(super) fn exhaust(&mut self, formulas: &mut Formulas, normal: &mut Normal, a: Formula, b: Formula) -> bool {
        let not_a = normal.negation(formulas, a);
        if self.implies(formulas, not_a, b) {
            return true;
        }
        let not_b = normal.negation(formulas, b);
        self.implies(formulas, not_b, a)
    }

    fn by_shape(&mut self, formulas: &Formulas, a: Formula, b: Formula) -> bool {
        let (a_op, b_op) = (formulas.op(a), formulas.op(b));
        let (a_has, b_has) = (formulas.traits(a), formulas.traits(b));
        let (xs, ys) = (formulas.operands(a), formulas.operands(b));
        let mut implies = |a, b| self.implies(formulas, a, b);

        // Every part of a disjunction, some part of a conjunction; dually on the right.
        if a_op == Op::Or && xs.iter().all(|x| implies(*x, b)) || b_op == Op::And && ys.iter().all(|y| implies(a, *y)) {
            return true;
        }
        if a_op == Op::And && xs.iter().any(|x| implies(*x, b)) || b_op == Op::Or && ys.iter().any(|y| implies(a, *y)) {
            return true;
        }
        // Operators are monotone.
        let monotone = match (a_op, b_op) {
            (Op::Next, Op::Next) | (Op::Finally, Op::Finally) | (Op::Globally, Op::Globally) => implies(xs[0], ys[0]),
            (Op::Until, Op::Until | Op::WeakUntil)
            | (Op::WeakUntil, Op::WeakUntil)
            | (Op::StrongRelease, Op::StrongRelease | Op::Release)
            | (Op::Release, Op::Release) => implies(xs[0], ys[0]) && implies(xs[1], ys[1]),
            // b M a is a U (a & b), and b R a is a W (a & b).
            (Op::StrongRelease, Op::Until | Op::WeakUntil) | (Op::Release, Op::WeakUntil) => {
                implies(xs[1], ys[0]) && (implies(xs[0], ys[1]) || implies(xs[1], ys[1]))
            }
            _ => false,
        };
        if monotone {
            return true;
        }
        // What the left side says about the present.
        let weaker = match a_op {
            Op::Globally => implies(xs[0], b),
            Op::Release => implies(xs[1], b),
            Op::StrongRelease => implies(xs[1], b) || b_has.has(Traits::EVENTUAL) && implies(xs[0], b),
            Op::Until => {
                // An eventuality that the right part implies is implied from afar.
                implies(xs[1], b) && (b_has.has(Traits::EVENTUAL) || implies(xs[0], b))
            }
            Op::WeakUntil => implies(xs[0], b) && implies(xs[1], b),
            Op::Finally | Op::Next => b_has.has(Traits::EVENTUAL) && implies(xs[0], b),
            _ => false,
        };
        if weaker {
            return true;
        }
        // What suffices for the right side.
        let universal = a_has.has(Traits::UNIVERSAL);
        match b_op {
            Op::Finally => implies(a, ys[0]) || a_op == Op::StrongRelease && implies(xs[0], ys[0]),
            Op::Globally | Op::Next => universal && implies(a, ys[0]),
            Op::Until => implies(a, ys[1]),
            Op::WeakUntil => implies(a, ys[1]) || universal && implies(a, ys[0]),
            Op::Release => implies(a, ys[1]) && (universal || implies(a, ys[0])),
            Op::StrongRelease => implies(a, ys[0]) && implies(a, ys[1]),
            _ => false,
        }
    }
}
