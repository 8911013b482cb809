//! What a formula owes: which formulas have to hold from the next letter on so that it holds now.
//!
//! The formula is negated, and negations are pushed down to propositions as it is taken apart; beyond that it stays as it stands.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::ltl::formula::{Formula, Formulas, Op};

/// More debts than these would be too many.
const MAX_DEBTS: usize = 60;

/// More parts than these would be too many.
const MAX_PARTS: usize = 1 << 14;

/// A formula, or its negation.
type Signed = (Formula, bool);

/// What it takes for a formula to hold now; operands by their numbers.
#[derive(Clone, Debug)]
pub(super) enum Part {
    /// Nothing, or it cannot.
    Constant(bool),
    /// The proposition holds, or it does not.
    Literal(u32, bool),
    /// This is owed after the step.
    Later(usize),
    /// All of these.
    All(Vec<usize>),
    /// One of these.
    Any(Vec<usize>),
}

/// Something that can be owed.
#[derive(Clone, Debug)]
pub(super) struct Debt {
    /// What it takes for it to hold now: the number of a part.
    pub unfolded: usize,
    /// The debts that may follow from it.
    pub asks: BTreeSet<usize>,
}

/// A debt that may not be owed for ever.
#[derive(Clone, Copy, Debug)]
pub(super) struct Promise {
    /// The debt.
    pub debt: usize,
    /// What keeps it: the number of a part.
    pub kept: usize,
}

/// All debts of the negation of a formula.
pub(super) struct Debts {
    parts: Vec<Part>,
    debts: Vec<Debt>,
    promises: Vec<Promise>,
    root: usize,
}

impl Debts {
    /// Those of the negation of a formula; nothing if they are too many.
    pub fn of(formulas: &Formulas, root: Formula) -> Option<Debts> {
        let root = (root, true);
        let signed = needed(formulas, root);
        let mut numbers: FxHashMap<Signed, usize> = FxHashMap::default();
        let mut owed = |signed: Signed| {
            let next = numbers.len();
            *numbers.entry(signed).or_insert(next)
        };
        owed(root);
        for &(formula, negated) in &signed {
            match formulas.op(formula) {
                Op::Next => drop(owed((formulas.operands(formula)[0], negated))),
                op if is_temporal(op) => drop(owed((formula, negated))),
                _ => {}
            }
        }
        if numbers.len() > MAX_DEBTS {
            return None;
        }
        let mut making = Making { formulas, numbers: &numbers, parts: Vec::new(), of: FxHashMap::default() };
        let mut promises = Vec::new();
        for &one in &signed {
            let kept = making.part(one);
            promises.extend(kept.map(|kept| Promise { debt: numbers[&one], kept }));
            if making.parts.len() > MAX_PARTS {
                return None;
            }
        }
        let Making { parts, of, .. } = making;
        let mut asks: Vec<BTreeSet<usize>> = Vec::with_capacity(parts.len());
        for part in &parts {
            asks.push(match part {
                Part::Constant(_) | Part::Literal(..) => BTreeSet::new(),
                Part::Later(debt) => BTreeSet::from([*debt]),
                Part::All(list) | Part::Any(list) => list.iter().flat_map(|part| asks[*part].iter().copied()).collect(),
            });
        }
        let mut debts: Vec<(usize, Debt)> = numbers
            .iter()
            .map(|(signed, &number)| (number, Debt { unfolded: of[signed], asks: asks[of[signed]].clone() }))
            .collect();
        debts.sort_unstable_by_key(|(number, _)| *number);
        let debts = debts.into_iter().map(|(_, debt)| debt).collect();
        Some(Debts { parts, debts, promises, root: 0 })
    }

    /// What debts are made of, operands before what they are operands of.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The debts.
    pub fn all(&self) -> &[Debt] {
        &self.debts
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.debts.len()
    }

    /// What runs begin with.
    pub fn root(&self) -> usize {
        self.root
    }

    /// The debts that may not be owed for ever.
    pub fn promises(&self) -> &[Promise] {
        &self.promises
    }
}

fn is_temporal(op: Op) -> bool {
    matches!(op, Op::Finally | Op::Globally | Op::Until | Op::Release | Op::WeakUntil | Op::StrongRelease)
}

/// The operands of a formula, with their signs.
fn operands(formulas: &Formulas, (formula, negated): Signed) -> Vec<Signed> {
    let operands = formulas.operands(formula);
    match formulas.op(formula) {
        Op::Not => vec![(operands[0], !negated)],
        Op::Implies => vec![(operands[0], !negated), (operands[1], negated)],
        Op::Xor | Op::Iff => operands.iter().flat_map(|operand| [(*operand, false), (*operand, true)]).collect(),
        _ => operands.iter().map(|operand| (*operand, negated)).collect(),
    }
}

/// The formulas that a formula consists of, with their signs, operands first.
fn needed(formulas: &Formulas, root: Signed) -> Vec<Signed> {
    let mut all = BTreeSet::from([root]);
    let mut open = vec![root];
    while let Some(one) = open.pop() {
        for operand in operands(formulas, one) {
            if all.insert(operand) {
                open.push(operand);
            }
        }
    }
    all.into_iter().collect()
}

struct Making<'a> {
    formulas: &'a Formulas,
    numbers: &'a FxHashMap<Signed, usize>,
    parts: Vec<Part>,
    of: FxHashMap<Signed, usize>,
}

impl Making<'_> {
    fn push(&mut self, part: Part) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    /// Takes a formula apart whose operands are; what keeps its promise, if it makes one.
    fn part(&mut self, one: Signed) -> Option<usize> {
        let (formula, negated) = one;
        let op = self.formulas.op(formula);
        let own: Vec<Signed> = operands(self.formulas, one);
        let mut kept = None;
        let part = match op {
            Op::True | Op::False => self.push(Part::Constant((op == Op::True) != negated)),
            Op::Proposition(number) => self.push(Part::Literal(number, !negated)),
            Op::Not => self.of[&own[0]],
            Op::And | Op::Or | Op::Implies => {
                let list = own.iter().map(|operand| self.of[operand]).collect();
                let all = (op == Op::And) != negated;
                self.push(if all { Part::All(list) } else { Part::Any(list) })
            }
            Op::Xor => self.parity(&own, !negated),
            // a <-> b is the negation of a xor b, a <-> b <-> c is a xor b xor c, and so on in turns.
            Op::Iff => self.parity(&own, (own.len() / 2 % 2 == 1) != negated),
            Op::Next => self.push(Part::Later(self.numbers[&own[0]])),
            _ => {
                let later = self.push(Part::Later(self.numbers[&one]));
                let then = self.of[own.last().expect("a temporal operator has an operand")];
                let first = (own.len() == 2).then(|| self.of[&own[0]]);
                // `then | first & later`, or `then & (first | later)`.
                let until = matches!(op, Op::Finally | Op::Until | Op::WeakUntil) != negated;
                let promises = matches!(op, Op::Finally | Op::Until | Op::StrongRelease) != negated;
                let rest: Vec<usize> = first.into_iter().chain([later]).collect();
                let rest = self.push(if until { Part::All(rest) } else { Part::Any(rest) });
                if promises {
                    let all = if until { vec![then] } else { first.into_iter().chain([then]).collect() };
                    kept = Some(self.push(Part::All(all)));
                }
                self.push(if until { Part::Any(vec![then, rest]) } else { Part::All(vec![then, rest]) })
            }
        };
        self.of.insert(one, part);
        kept
    }

    /// An odd number of formulas holds, or an even one; each is there with both signs.
    fn parity(&mut self, own: &[Signed], odd: bool) -> usize {
        let (mut is_odd, mut is_even) = (self.push(Part::Constant(false)), self.push(Part::Constant(true)));
        for pair in own.chunks(2) {
            let [holds, fails] = [self.of[&pair[0]], self.of[&pair[1]]];
            let [stays, turns] = [[is_odd, fails], [is_even, holds]].map(|all| self.push(Part::All(all.to_vec())));
            let odd = self.push(Part::Any(vec![stays, turns]));
            let [stays, turns] = [[is_even, fails], [is_odd, holds]].map(|all| self.push(Part::All(all.to_vec())));
            is_even = self.push(Part::Any(vec![stays, turns]));
            is_odd = odd;
        }
        if odd { is_odd } else { is_even }
    }
}
