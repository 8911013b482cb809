//! Lists of assignments, as rules have them.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use crate::model::Update;

/// The assignments of a rule: a list that never changes, to be read like a slice. Cheap to clone: clones share it, as the
/// rules of equal procedures do. As large as a pointer; an empty list owns nothing.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Updates(Option<Arc<Box<[Update]>>>);

impl Updates {
    /// Where it lies in memory, 0 for an empty list: see [`Expr::address`](crate::Expr::address).
    pub fn address(&self) -> usize {
        self.0.as_ref().map_or(0, |list| Arc::as_ptr(list).addr())
    }
}

impl Deref for Updates {
    type Target = [Update];

    fn deref(&self) -> &[Update] {
        self.0.as_ref().map_or(&[], |list| list)
    }
}

impl Borrow<[Update]> for Updates {
    fn borrow(&self) -> &[Update] {
        self
    }
}

impl Hash for Updates {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.deref().hash(state);
    }
}

impl fmt::Debug for Updates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl From<Box<[Update]>> for Updates {
    fn from(list: Box<[Update]>) -> Updates {
        Updates((!list.is_empty()).then(|| Arc::new(list)))
    }
}

impl From<Vec<Update>> for Updates {
    fn from(list: Vec<Update>) -> Updates {
        list.into_boxed_slice().into()
    }
}

impl From<&[Update]> for Updates {
    fn from(list: &[Update]) -> Updates {
        Box::<[Update]>::from(list).into()
    }
}

impl<const N: usize> From<[Update; N]> for Updates {
    fn from(list: [Update; N]) -> Updates {
        Vec::from(list).into()
    }
}

impl FromIterator<Update> for Updates {
    fn from_iter<I: IntoIterator<Item = Update>>(list: I) -> Updates {
        list.into_iter().collect::<Vec<_>>().into()
    }
}

impl<'a> IntoIterator for &'a Updates {
    type Item = &'a Update;
    type IntoIter = std::slice::Iter<'a, Update>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{Expr, Time};
    use crate::model::{Rule, Symbol, Var};

    #[test]
    fn lists_are_equal_by_what_is_in_them_however_they_were_made() {
        let update = || Update { var: Var::Global(0), time: Time::After, index: None, value: Expr::any() };
        let list: Updates = [update(), update()].into();
        assert_eq!(list, vec![update(), update()].into());
        assert_eq!(list, [update(), update()].into_iter().collect());
        assert_eq!(list.len(), 2);
        assert_eq!(Updates::default(), Vec::new().into());
        assert_eq!(list.address(), list.clone().address());
    }

    #[test]
    fn what_systems_have_most_of_is_small() {
        assert!(size_of::<Rule>() <= 64, "{}", size_of::<Rule>());
        assert!(size_of::<Symbol>() <= 72, "{}", size_of::<Symbol>());
    }
}
