//! A BDD as a plain array, for what is asked of a relation from end to end: counting it, listing it.
//!
//! Both engines write the same arrays down, so the answers are the same.

/// An inner node. Nodes 0 and 1 are ⊥ and ⊤; the first inner node is number 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) level: u32,
    pub(super) low: u32,
    pub(super) high: u32,
}

/// The nodes of one BDD, children before parents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Nodes {
    root: u32,
    inner: Vec<Node>,
}

impl Nodes {
    /// The empty relation.
    pub(super) fn bottom() -> Nodes {
        Nodes { root: 0, inner: Vec::new() }
    }

    /// The inner nodes; the last one is the root.
    pub(super) fn inner(&self) -> &[Node] {
        &self.inner
    }

    /// The BDD whose root is the last of these nodes; ⊤ if there is none.
    pub(super) fn new(inner: impl IntoIterator<Item = Node>) -> Nodes {
        let inner: Vec<Node> = inner.into_iter().collect();
        Nodes { root: inner.len() as u32 + 1, inner }
    }

    /// Satisfying valuations of these levels, which are sorted and hold the support. `double(n, k)` is n · 2ᵏ.
    pub(super) fn count<N: Clone>(
        &self,
        levels: &[u32],
        (zero, one): (N, N),
        add: impl Fn(&N, &N) -> N,
        double: impl Fn(&N, u32) -> N,
    ) -> N {
        // The place among the levels at which a node stands; terminals stand behind the last.
        let place = |node: u32| match node.checked_sub(2) {
            Some(inner) => {
                let level = self.inner[inner as usize].level;
                levels.binary_search(&level).expect("the columns counted hold the support") as u32
            }
            None => levels.len() as u32,
        };
        let mut counts = Vec::with_capacity(self.inner.len() + 2);
        counts.extend([zero, one]);
        for (index, node) in self.inner.iter().enumerate() {
            let below = place(index as u32 + 2) + 1;
            let side = |child: u32| double(&counts[child as usize], place(child) - below);
            let both = add(&side(node.low), &side(node.high));
            counts.push(both);
        }
        double(&counts[self.root as usize], place(self.root))
    }
}
