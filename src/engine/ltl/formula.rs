//! Formulas of linear temporal logic, hash-consed: equal formulas are the same number in one arena.
//!
//! Operands are made before the formulas that use them, so a loop over ascending numbers visits formulas bottom up, and
//! nothing recurses, however deep a formula is.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::proposition::{Proposition, PropositionKind};

/// A formula of one [`Formulas`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Formula(u32);

impl Formula {
    /// `true`
    pub const TRUE: Formula = Formula(0);
    /// `false`
    pub const FALSE: Formula = Formula(1);
}

/// What a formula is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// `true`
    True,
    /// `false`
    False,
    /// A proposition, by its index in [`Formulas::propositions`].
    Proposition(u32),
    /// `!a`
    Not,
    /// `X a`
    Next,
    /// `F a`
    Finally,
    /// `G a`
    Globally,
    /// `a U b`
    Until,
    /// `a R b`
    Release,
    /// `a W b`
    WeakUntil,
    /// `a M b`: strong release.
    StrongRelease,
    /// `a -> b`
    Implies,
    /// `a & b & …`
    And,
    /// `a | b | …`
    Or,
    /// `a xor b xor …`: an odd number of them hold.
    Xor,
    /// `a <-> b <-> …`: read as `(a <-> b) <-> …`, in whichever order.
    Iff,
}

/// What is known about a formula by its shape alone. Each is sufficient, not necessary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits(u16);

impl Traits {
    /// No temporal operator.
    pub const BOOLEAN: Traits = Traits(1);
    /// A word that satisfies it still does with any letters put in front (a *pure eventuality*: Etessami and Holzmann,
    /// *Optimizing Büchi automata*, CONCUR 2000).
    pub const EVENTUAL: Traits = Traits(2);
    /// Every suffix of a word that satisfies it does so too (*purely universal*, ibid.).
    pub const UNIVERSAL: Traits = Traits(4);
    /// A safety property. For this and the next two: Chang, Manna and Pnueli, *Characterization of temporal property
    /// classes* (ICALP 1992).
    pub const SAFETY: Traits = Traits(8);
    /// A guarantee (co-safety) property.
    pub const GUARANTEE: Traits = Traits(16);
    /// An obligation: a Boolean combination of those two.
    pub const OBLIGATION: Traits = Traits(32);
    /// Without X, so that it cannot tell how often a letter is repeated.
    pub const STUTTER_INVARIANT: Traits = Traits(64);
    /// In negative normal form.
    pub const NEGATIVE_NORMAL: Traits = Traits(128);

    const ALL: Traits = Traits(255);

    /// Whether all of these are known.
    pub fn has(self, wanted: Traits) -> bool {
        self.0 & wanted.0 == wanted.0
    }

    fn and(self, other: Traits) -> Traits {
        Traits(self.0 & other.0)
    }

    fn or(self, other: Traits) -> Traits {
        Traits(self.0 | other.0)
    }

    fn only_if(self, condition: bool) -> Traits {
        if condition { self } else { Traits(0) }
    }
}

#[derive(Clone, Debug)]
struct Node {
    op: Op,
    operands: Arc<[Formula]>,
    traits: Traits,
    depth: u32,
}

/// An arena of formulas, and the propositions that they mention.
#[derive(Clone, Debug)]
pub struct Formulas {
    nodes: Vec<Node>,
    known: FxHashMap<(Op, Arc<[Formula]>), Formula>,
    propositions: Vec<Proposition>,
    by_kind: FxHashMap<PropositionKind, u32>,
}

impl Default for Formulas {
    fn default() -> Self {
        Formulas::new()
    }
}

impl Formulas {
    /// The two constants.
    pub fn new() -> Formulas {
        let mut formulas = Formulas {
            nodes: Vec::new(),
            known: FxHashMap::default(),
            propositions: Vec::new(),
            by_kind: FxHashMap::default(),
        };
        formulas.make(Op::True, &[]);
        formulas.make(Op::False, &[]);
        formulas
    }

    /// The formula made of exactly these parts, as they stand.
    ///
    /// # Panics
    /// If the number of operands is not one that the operator takes.
    pub fn make(&mut self, op: Op, operands: &[Formula]) -> Formula {
        let fits = match op {
            Op::True | Op::False | Op::Proposition(_) => operands.is_empty(),
            Op::Not | Op::Next | Op::Finally | Op::Globally => operands.len() == 1,
            Op::Until | Op::Release | Op::WeakUntil | Op::StrongRelease | Op::Implies => operands.len() == 2,
            Op::And | Op::Or | Op::Xor | Op::Iff => operands.len() >= 2,
        };
        assert!(fits, "{op:?} does not take {} operands", operands.len());
        let key: (Op, Arc<[Formula]>) = (op, operands.into());
        if let Some(formula) = self.known.get(&key) {
            return *formula;
        }
        let formula = Formula(u32::try_from(self.nodes.len()).expect("memory is full before 2^32 formulas"));
        let depth = operands.iter().map(|operand| self.depth(*operand) + 1).max().unwrap_or(0);
        let traits = self.traits_of(op, operands);
        self.nodes.push(Node { op, operands: Arc::clone(&key.1), traits, depth });
        self.known.insert(key, formula);
        formula
    }

    /// The proposition; the place of its first occurrence is kept.
    pub fn proposition(&mut self, proposition: Proposition) -> Formula {
        let next = u32::try_from(self.propositions.len()).expect("memory is full before 2^32 propositions");
        let index = match self.by_kind.get(&proposition.kind) {
            Some(index) => *index,
            None => {
                self.by_kind.insert(proposition.kind.clone(), next);
                self.propositions.push(proposition);
                next
            }
        };
        self.make(Op::Proposition(index), &[])
    }

    /// Says that the text, from which the propositions were read, is part of a larger one.
    pub(super) fn move_propositions(&mut self, by: usize) {
        for proposition in &mut self.propositions {
            proposition.span = proposition.span.start + by..proposition.span.end + by;
            proposition.inner += by;
        }
    }

    /// The propositions mentioned, in the order of their first occurrence.
    pub fn propositions(&self) -> &[Proposition] {
        &self.propositions
    }

    /// What a formula is made with.
    pub fn op(&self, formula: Formula) -> Op {
        self.nodes[formula.0 as usize].op
    }

    /// What it is made of.
    pub fn operands(&self, formula: Formula) -> &[Formula] {
        &self.nodes[formula.0 as usize].operands
    }

    /// The same, shared.
    pub(super) fn shared_operands(&self, formula: Formula) -> Arc<[Formula]> {
        Arc::clone(&self.nodes[formula.0 as usize].operands)
    }

    /// The only operand of a formula with this operator.
    pub(super) fn under(&self, op: Op, formula: Formula) -> Option<Formula> {
        let node = &self.nodes[formula.0 as usize];
        (node.op == op).then(|| node.operands[0])
    }

    /// The two operands of a formula with this operator.
    pub(super) fn pair(&self, op: Op, formula: Formula) -> Option<(Formula, Formula)> {
        let node = &self.nodes[formula.0 as usize];
        (node.op == op).then(|| (node.operands[0], node.operands[1]))
    }

    /// What its shape tells.
    pub fn traits(&self, formula: Formula) -> Traits {
        self.nodes[formula.0 as usize].traits
    }

    /// Whether these traits are known of it.
    pub fn has(&self, formula: Formula, wanted: Traits) -> bool {
        self.traits(formula).has(wanted)
    }

    /// The length of the longest way down to a constant or proposition.
    pub fn depth(&self, formula: Formula) -> u32 {
        self.nodes[formula.0 as usize].depth
    }

    /// The formulas that it consists of, itself included, operands before operators.
    pub fn below(&self, formula: Formula) -> Vec<Formula> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open = vec![formula];
        let mut found = Vec::new();
        while let Some(here) = open.pop() {
            if seen.insert(here) {
                found.push(here);
                open.extend(self.operands(here));
            }
        }
        found.sort_unstable();
        found
    }

    fn traits_of(&self, op: Op, operands: &[Formula]) -> Traits {
        use Traits as T;
        let of = |i: usize| self.traits(operands[i]);
        let all = operands.iter().fold(T::ALL, |traits, operand| traits.and(self.traits(*operand)));
        let kept = T::STUTTER_INVARIANT.or(T::NEGATIVE_NORMAL).and(all);
        let both = T::EVENTUAL.or(T::UNIVERSAL);
        let obligation = |traits: Traits| {
            T::OBLIGATION.only_if(traits.has(T::SAFETY) || traits.has(T::GUARANTEE) || traits.has(T::OBLIGATION))
        };
        let traits = match op {
            Op::True | Op::False => T::ALL,
            Op::Proposition(_) => {
                T::BOOLEAN.or(T::SAFETY).or(T::GUARANTEE).or(T::STUTTER_INVARIANT).or(T::NEGATIVE_NORMAL)
            }
            Op::Not => {
                let literal = matches!(self.op(operands[0]), Op::Proposition(_));
                let boolean = all.and(T::BOOLEAN.or(T::STUTTER_INVARIANT)).or(T::NEGATIVE_NORMAL.only_if(literal));
                boolean.or(T::SAFETY.or(T::GUARANTEE).only_if(all.has(T::BOOLEAN)))
            }
            Op::Implies | Op::Xor | Op::Iff => {
                let boolean = all.and(T::BOOLEAN.or(T::STUTTER_INVARIANT));
                boolean.or(T::SAFETY.or(T::GUARANTEE).only_if(all.has(T::BOOLEAN)))
            }
            Op::And | Op::Or => all,
            Op::Next => all.and(both.or(T::SAFETY).or(T::GUARANTEE).or(T::OBLIGATION).or(T::NEGATIVE_NORMAL)),
            Op::Finally => T::EVENTUAL.or(all.and(T::UNIVERSAL.or(T::GUARANTEE))).or(kept),
            Op::Globally => T::UNIVERSAL.or(all.and(T::EVENTUAL.or(T::SAFETY))).or(kept),
            // The classes are Chang, Manna and Pnueli's grammar, with W and M beside U and R. What is more, `a U u` is
            // universal if u is, whatever a: a suffix begins before u holds or after; and so on.
            Op::Until | Op::StrongRelease => {
                let (obliged, guarantee) = if op == Op::Until { (of(0), of(1)) } else { (of(1), of(0)) };
                let mixed = obligation(obliged).only_if(guarantee.has(T::GUARANTEE));
                let closed = if op == Op::Until { of(1).and(both) } else { of(1).and(T::EVENTUAL) };
                all.and(both.or(T::GUARANTEE)).or(closed).or(mixed).or(kept)
            }
            Op::Release | Op::WeakUntil => {
                let (obliged, safety) = if op == Op::Release { (of(0), of(1)) } else { (of(1), of(0)) };
                let mixed = obligation(obliged).only_if(safety.has(T::SAFETY));
                let closed = if op == Op::Release { of(1).and(both) } else { of(1).and(T::UNIVERSAL) };
                all.and(both.or(T::SAFETY)).or(closed).or(mixed).or(kept)
            }
        };
        // A negation or an equivalence of Boolean formulas is still Boolean, but nobody will ask for eventualities in it.
        traits.or(obligation(traits))
    }
}

/// A formula with the arena that it lives in.
#[derive(Clone, Debug)]
pub struct Ltl {
    /// The arena.
    pub formulas: Formulas,
    /// The formula.
    pub root: Formula,
}

impl Ltl {
    /// The negation.
    pub fn negated(mut self) -> Ltl {
        self.root = self.formulas.make(Op::Not, &[self.root]);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_formulas_are_the_same() {
        let mut formulas = Formulas::new();
        let name = |text: &str| Proposition { kind: PropositionKind::Name(text.into()), span: 0..1, inner: 0 };
        let (a, b) = (formulas.proposition(name("a")), formulas.proposition(name("b")));
        assert_eq!(formulas.proposition(name("a")), a);
        let one = formulas.make(Op::Until, &[a, b]);
        assert_eq!(formulas.make(Op::Until, &[a, b]), one);
        assert_ne!(formulas.make(Op::Until, &[b, a]), one);
        assert_eq!(formulas.propositions().len(), 2);
        assert_eq!(formulas.depth(one), 1);
        assert_eq!(formulas.below(one), [a, b, one]);
    }
}
