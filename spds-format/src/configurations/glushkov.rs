//! From a regular expression to states without empty moves: Glushkov's construction, and positions with the same
//! continuations made one (Ilie & Yu, *Follow automata*, Information and Computation 2003).

use std::collections::HashMap;

use super::syntax::Repeat;

/// A regular expression over numbered positions, in postorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    Position(u32),
    Empty,
    Concat,
    Union,
    Repeat(Repeat),
}

/// States other than the initial one; each reads nothing but says how to go on.
#[derive(Debug, Default)]
pub(super) struct Follow {
    /// Whether the empty word is in the language.
    pub(super) empty: bool,
    /// The positions with which a word may begin, ascending.
    pub(super) first: Vec<u32>,
    /// For each state the positions that may follow, ascending.
    pub(super) next: Vec<Vec<u32>>,
    /// Whether a word may end there.
    pub(super) accepting: Vec<bool>,
    /// The state after each position.
    pub(super) state: Vec<u32>,
}

/// There are more pairs of positions that may follow each other than allowed.
#[derive(Debug)]
pub(super) struct TooLarge;

struct Fragment {
    empty: bool,
    /// Every last position is followed by every first one already.
    looped: bool,
    first: Vec<u32>,
    last: Vec<u32>,
}

/// For an expression over so many positions, each of which occurs once.
pub(super) fn follow(items: &[Item], positions: usize, most: usize) -> Result<Follow, TooLarge> {
    let mut next: Vec<Vec<u32>> = vec![Vec::new(); positions];
    let mut pairs = 0usize;
    let mut parts: Vec<Fragment> = Vec::new();
    let mut link = |last: &[u32], first: &[u32]| {
        pairs = pairs.saturating_add(last.len().saturating_mul(first.len()));
        if pairs > most {
            return Err(TooLarge);
        }
        for position in last {
            next[*position as usize].extend_from_slice(first);
        }
        Ok(())
    };
    for item in items {
        let mut operand = || parts.pop().expect("the expression is one tree in postorder");
        let part = match item {
            Item::Position(position) => {
                Fragment { empty: false, looped: false, first: vec![*position], last: vec![*position] }
            }
            Item::Empty => Fragment { empty: true, looped: true, first: Vec::new(), last: Vec::new() },
            Item::Concat => {
                let (right, left) = (operand(), operand());
                link(&left.last, &right.first)?;
                let first = if left.empty { joined(left.first, right.first) } else { left.first };
                let last = if right.empty { joined(left.last, right.last) } else { right.last };
                Fragment { empty: left.empty && right.empty, looped: first.is_empty(), first, last }
            }
            Item::Union => {
                let (right, left) = (operand(), operand());
                Fragment {
                    empty: left.empty || right.empty,
                    looped: false,
                    first: joined(left.first, right.first),
                    last: joined(left.last, right.last),
                }
            }
            Item::Repeat(repeat) => {
                let mut part = operand();
                if *repeat != Repeat::Maybe && !part.looped {
                    link(&part.last, &part.first)?;
                    part.looped = true;
                }
                part.empty |= *repeat != Repeat::Some;
                part
            }
        };
        parts.push(part);
    }
    let whole = parts.pop().expect("the expression is one tree in postorder");
    Ok(merged(whole, next))
}

/// Both lists; the shorter one is moved.
fn joined(mut a: Vec<u32>, mut b: Vec<u32>) -> Vec<u32> {
    if a.len() < b.len() {
        std::mem::swap(&mut a, &mut b);
    }
    a.append(&mut b);
    a
}

/// Positions that go on alike have one state.
fn merged(whole: Fragment, next: Vec<Vec<u32>>) -> Follow {
    let mut ends = vec![false; next.len()];
    for position in whole.last {
        ends[position as usize] = true;
    }
    let mut result = Follow { empty: whole.empty, first: whole.first, ..Follow::default() };
    result.first.sort_unstable();
    let mut known: HashMap<(Vec<u32>, bool), u32> = HashMap::new();
    for (mut next, accepting) in next.into_iter().zip(ends) {
        next.sort_unstable();
        next.dedup();
        let fresh = result.next.len() as u32;
        let state = *known.entry((next, accepting)).or_insert_with_key(|(next, accepting)| {
            result.next.push(next.clone());
            result.accepting.push(*accepting);
            fresh
        });
        result.state.push(state);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_that_go_on_alike_share_a_state() {
        // a .* f .*
        use Item::{Concat, Position, Repeat as Again};
        let any = Again(Repeat::Any);
        let items = [Position(0), Position(1), any, Concat, Position(2), Concat, Position(3), any, Concat];
        let follow = follow(&items, 4, 100).unwrap();
        assert_eq!(follow.first, [0]);
        assert_eq!(follow.next, [vec![1, 2], vec![3]]);
        assert_eq!(follow.accepting, [false, true]);
        assert_eq!(follow.state, [0, 0, 1, 1]);
        assert!(!follow.empty);
    }

    #[test]
    fn stars_of_stars_cost_nothing() {
        let mut items = vec![Item::Position(0)];
        items.extend(vec![Item::Repeat(Repeat::Any); 100_000]);
        let follow = follow(&items, 1, 10).unwrap();
        assert_eq!((follow.next, follow.empty), (vec![vec![0]], true));
    }
}
