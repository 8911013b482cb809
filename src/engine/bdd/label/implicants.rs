//! Prime implicants of sets that are closed under making some of the propositions true, for each letter over the others.
//!
//! Subsets are tried depth first and only as far as some prime implicant has them, as in the recursion of Coudert and
//! Madre, *Implicit and incremental computation of primes and essential primes of Boolean functions* (DAC 1992), but over
//! the monotone propositions alone: the letters over the others stay diagrams and are never listed.

use super::{Label, Labels};

/// Which monotone propositions to make true, in ascending order, and with which letters over the others that suffices
/// and less does not.
pub type Implicant = (Vec<u32>, Label);

/// A subset of the monotone propositions that is being chosen.
struct Choice {
    chosen: Vec<u32>,
    /// When the propositions chosen suffice, by the propositions not decided yet.
    suffices: Label,
    /// When one of those chosen could be left out.
    less: Label,
}

impl Labels {
    /// The prime implicants, sorted. The set must be closed under making true what is `monotone`. Takes as many steps as
    /// there are implicants, times the number of monotone propositions.
    pub fn implicants(&mut self, label: Label, monotone: impl Fn(u32) -> bool) -> Vec<Implicant> {
        let mut found = Vec::new();
        let mut open = vec![Choice { chosen: Vec::new(), suffices: label, less: Label::FALSE }];
        while let Some(Choice { chosen, suffices, less }) = open.pop() {
            let needed = self.minus(suffices, less);
            if needed == Label::FALSE {
                continue;
            }
            let Some(next) = self.support(needed).into_iter().find(|proposition| monotone(*proposition)) else {
                found.push((chosen, needed));
                continue;
            };
            let [without, with] = [false, true].map(|value| {
                let given = |proposition| (proposition == next).then_some(value);
                (self.restrict(suffices, given), self.restrict(less, given))
            });
            let less = self.or(with.1, without.0);
            let longer = chosen.iter().copied().chain([next]).collect();
            open.push(Choice { chosen: longer, suffices: with.0, less });
            open.push(Choice { chosen, suffices: without.0, less: without.1 });
        }
        for (chosen, _) in &mut found {
            chosen.sort_unstable();
        }
        found.sort_unstable();
        found
    }
}
