//! How many words a deterministic automaton accepts, if each of its edges stands for a number of letters.

use num_bigint::BigUint;

/// A number of configurations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// So many.
    Finite(BigUint),
    /// Stacks grow without bound.
    Infinite,
}

/// A deterministic automaton whose edges have weights.
#[derive(Debug, Default)]
pub(crate) struct Weighted {
    /// Whether a word may end at a node.
    pub(crate) accepting: Vec<bool>,
    /// Out of each node: for how many letters, and where to.
    pub(crate) edges: Vec<Vec<(BigUint, usize)>>,
}

impl Weighted {
    /// One more node, without edges.
    pub(crate) fn add(&mut self) -> usize {
        self.accepting.push(false);
        self.edges.push(Vec::new());
        self.edges.len() - 1
    }

    /// How many words begin with one of these edges.
    pub(crate) fn sum(edges: &[(BigUint, usize)], counts: &[Count]) -> Count {
        let none = Count::Finite(BigUint::ZERO);
        edges.iter().fold(none, |all, (weight, to)| plus(all, times(weight, &counts[*to])))
    }

    /// How many words are accepted from each node.
    pub(crate) fn counts(&self) -> Vec<Count> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.edges.len()];
        for (from, edges) in self.edges.iter().enumerate() {
            edges.iter().for_each(|(_, to)| before[*to].push(from));
        }
        // From which nodes any word is accepted at all.
        let mut useful = self.accepting.clone();
        let mut pending: Vec<usize> = (0..useful.len()).filter(|node| useful[*node]).collect();
        while let Some(node) = pending.pop() {
            for from in &before[node] {
                if !std::mem::replace(&mut useful[*from], true) {
                    pending.push(*from);
                }
            }
        }
        // From the ends backwards; what is left over leads to a cycle.
        let mut open: Vec<usize> =
            self.edges.iter().map(|edges| edges.iter().filter(|(_, to)| useful[*to]).count()).collect();
        let none = || Count::Finite(BigUint::from(0u8));
        let mut counts: Vec<Count> =
            useful.iter().map(|useful| if *useful { Count::Infinite } else { none() }).collect();
        let mut pending: Vec<usize> = (0..open.len()).filter(|node| useful[*node] && open[*node] == 0).collect();
        while let Some(node) = pending.pop() {
            let own = Count::Finite(BigUint::from(u8::from(self.accepting[node])));
            let edges = self.edges[node].iter().filter(|(_, to)| useful[*to]);
            counts[node] = edges.fold(own, |all, (weight, to)| plus(all, times(weight, &counts[*to])));
            for from in &before[node] {
                open[*from] -= 1;
                if open[*from] == 0 && useful[*from] {
                    pending.push(*from);
                }
            }
        }
        counts
    }
}

pub(super) fn plus(one: Count, other: Count) -> Count {
    match (one, other) {
        (Count::Finite(one), Count::Finite(other)) => Count::Finite(one + other),
        _ => Count::Infinite,
    }
}

pub(super) fn times(weight: &BigUint, count: &Count) -> Count {
    match count {
        Count::Finite(count) => Count::Finite(weight * count),
        Count::Infinite => Count::Infinite,
    }
}
