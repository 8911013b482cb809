//! Which states outdo which: the greatest simulation, by signatures (Babiak, Badie, Duret-Lutz, Křetínský and Strejček,
//! *Compositional approach to suspension and other improvements to LTL translation*, SPIN 2013, section 4).
//!
//! States fall into classes with an order on them. The signature of a state says with which letters it can take which
//! marks to which class, edges left out that a better one outdoes; states with the same signature are the next classes,
//! ordered by what their signatures allow. Only classes are compared, of which there are few for a long time, however
//! many states and edges there are.

use std::collections::BTreeMap;

use crate::bdd::label::{Label, Labels};
use crate::limits::Stop;

use super::automaton::Transition;
use super::marks::Marks;

/// A relation on small numbers, reflexive at first: for each of them those that outdo it.
#[derive(Clone, Debug)]
pub(super) struct Preorder {
    words: usize,
    above: Vec<u64>,
}

impl Preorder {
    /// Equality alone.
    fn equality(size: usize) -> Preorder {
        let words = size.div_ceil(64);
        let mut order = Preorder { words, above: vec![0; size * words] };
        for number in 0..size as u32 {
            order.insert(number, number);
        }
        order
    }

    /// Whatever is related to whatever.
    pub(super) fn everything(size: usize) -> Preorder {
        let words = size.div_ceil(64);
        Preorder { words, above: vec![u64::MAX; size * words] }
    }

    fn place(&self, a: u32, b: u32) -> (usize, u64) {
        (a as usize * self.words + b as usize / 64, 1 << (b % 64))
    }

    /// Whether the second outdoes the first.
    pub(super) fn has(&self, a: u32, b: u32) -> bool {
        let (word, bit) = self.place(a, b);
        self.above[word] & bit != 0
    }

    /// Whether each outdoes the other.
    pub(super) fn both(&self, a: u32, b: u32) -> bool {
        self.has(a, b) && self.has(b, a)
    }

    fn insert(&mut self, a: u32, b: u32) {
        let (word, bit) = self.place(a, b);
        self.above[word] |= bit;
    }

    pub(super) fn remove(&mut self, a: u32, b: u32) {
        let (word, bit) = self.place(a, b);
        self.above[word] &= !bit;
    }
}

/// What classes are compared by.
#[derive(Clone, Debug)]
enum Order {
    Known(Preorder),
    /// Each outdoes itself alone.
    Equality,
}

/// With more classes than this there is no order on them: it would take a bit for each pair.
const COMPARED: usize = 1 << 13;

/// So many comparisons of classes and of edges are made for an order, and again to do without.
const EFFORT: usize = 1 << 22;

/// States that simulate each other, and the order on such classes.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    /// For each state its class.
    pub(super) of: Vec<u32>,
    order: Order,
}

/// To which class with which marks; with which letters.
type Signature = Vec<((u32, Marks), Label)>;

impl Classes {
    /// Whether the second class outdoes the first.
    pub(super) fn outdoes(&self, a: u32, b: u32) -> bool {
        match &self.order {
            Order::Known(order) => order.has(a, b),
            Order::Equality => a == b,
        }
    }

    /// The greatest simulation; a state that is `special` is outdone by such states alone. Where that takes too much
    /// effort, the greatest bisimulation; `None` if that does, too.
    ///
    /// # Errors
    /// If a limit is met.
    pub(super) fn greatest(
        states: &[Vec<Transition>],
        labels: &mut Labels,
        special: impl Fn(u32) -> bool,
    ) -> Result<Option<Classes>, Stop> {
        let special: Vec<bool> = (0..states.len() as u32).map(special).collect();
        for order in [Order::Known(Preorder::everything(1)), Order::Equality] {
            let first = Classes { of: vec![0; states.len()], order };
            let mut refinement = Refinement { states, special: &special, labels, effort: 0 };
            if let Some(classes) = refinement.settled(first)? {
                return Ok(Some(classes));
            }
        }
        Ok(None)
    }
}

/// The way to classes that do not change any more.
struct Refinement<'a> {
    states: &'a [Vec<Transition>],
    special: &'a [bool],
    labels: &'a mut Labels,
    /// How many comparisons have been made.
    effort: usize,
}

impl Refinement<'_> {
    fn settled(&mut self, mut classes: Classes) -> Result<Option<Classes>, Stop> {
        let mut related = 0;
        loop {
            let mut number: BTreeMap<(bool, Signature), u32> = BTreeMap::new();
            let mut of = Vec::with_capacity(self.states.len());
            // For each new class the class that it was part of.
            let mut before = Vec::new();
            for (state, edges) in self.states.iter().enumerate() {
                let key = (self.special[state], self.signature(edges, &classes));
                let fresh = number.len() as u32;
                let class = *number.entry(key).or_insert(fresh);
                if class == fresh {
                    before.push(classes.of[state]);
                }
                of.push(class);
                if self.effort > EFFORT {
                    return Ok(None);
                }
            }
            self.labels.checkpoint()?;
            let mut signatures: Vec<_> = number.into_iter().map(|(key, class)| (class, key)).collect();
            signatures.sort_unstable_by_key(|(class, _)| *class);
            let signatures: Vec<(bool, Signature)> = signatures.into_iter().map(|(_, key)| key).collect();
            let Some((order, now)) = self.order(&before, &signatures, &classes)? else { return Ok(None) };
            let settled = classes.of == of && now == related;
            classes = Classes { of, order };
            if settled {
                return Ok(Some(classes));
            }
            related = now;
        }
    }

    /// The letters of the edges by marks and class, without those that a better edge has, too.
    fn signature(&mut self, edges: &[Transition], classes: &Classes) -> Signature {
        self.effort += edges.len();
        let mut joined: BTreeMap<(u32, &Marks), Label> = BTreeMap::new();
        for edge in edges {
            let label = joined.entry((classes.of[edge.to as usize], &edge.marks)).or_insert(Label::FALSE);
            *label = self.labels.or(*label, edge.label);
        }
        let mut signature = Vec::with_capacity(joined.len());
        for (here, label) in &joined {
            let mut left = *label;
            let compared =
                if matches!(classes.order, Order::Equality) || self.effort > EFFORT { 0 } else { joined.len() };
            self.effort += compared;
            for (other, better) in joined.iter().take(compared) {
                if here != other && here.1.is_within(other.1) && classes.outdoes(here.0, other.0) {
                    left = self.labels.minus(left, *better);
                }
            }
            if left != Label::FALSE {
                signature.push(((here.0, here.1.clone()), left));
            }
        }
        signature
    }

    /// The order on new classes that their signatures allow, within the present one, and how many pairs are in it.
    fn order(
        &mut self,
        before: &[u32],
        signatures: &[(bool, Signature)],
        classes: &Classes,
    ) -> Result<Option<(Order, usize)>, Stop> {
        let mut related = signatures.len();
        if matches!(classes.order, Order::Equality) {
            return Ok(Some((Order::Equality, related)));
        }
        if signatures.len() > COMPARED {
            return Ok(None);
        }
        let mut order = Preorder::equality(signatures.len());
        for (a, (special, signature)) in signatures.iter().enumerate() {
            self.effort += signatures.len();
            for (b, (other_special, other)) in signatures.iter().enumerate() {
                let open = a != b && classes.outdoes(before[a], before[b]) && (!special || *other_special);
                if open && self.effort <= EFFORT && self.simulates(signature, other, classes) {
                    order.insert(a as u32, b as u32);
                    related += 1;
                }
            }
            self.labels.checkpoint()?;
        }
        Ok((self.effort <= EFFORT).then_some((Order::Known(order), related)))
    }

    /// Whether for all that the one signature offers the other offers something as good.
    fn simulates(&mut self, signature: &Signature, other: &Signature, classes: &Classes) -> bool {
        signature.iter().all(|((class, marks), label)| {
            let mut left = *label;
            self.effort += other.len();
            for ((better, more), offered) in other {
                if left == Label::FALSE {
                    break;
                }
                if marks.is_within(more) && classes.outdoes(*class, *better) {
                    left = self.labels.minus(left, *offered);
                }
            }
            left == Label::FALSE
        })
    }
}
