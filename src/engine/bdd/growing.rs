//! A set that grows, and tells what is new: what every fixpoint that works by increments is made of.

use super::{Relation, Space};
use crate::limits::Stop;

/// A set that grows.
#[derive(Clone, Debug)]
pub struct Growing(Relation);

impl Growing {
    /// Nothing yet.
    pub fn new(space: &Space) -> Growing {
        Growing(space.bottom())
    }

    /// What has come so far.
    pub fn all(&self) -> &Relation {
        &self.0
    }

    /// What of this has not come before, if anything: from now on it has.
    pub fn grow(&mut self, space: &Space, more: &Relation) -> Result<Option<Relation>, Stop> {
        let new = self.news(space, more)?;
        if let Some(new) = &new {
            self.0 = space.or(&self.0, new)?;
        }
        Ok(new)
    }

    /// What of this has not come before, if anything; it is not taken in.
    pub fn news(&self, space: &Space, more: &Relation) -> Result<Option<Relation>, Stop> {
        let new = space.and_not(more, &self.0)?;
        Ok(Some(new).filter(|new| !space.is_empty(new)))
    }

    /// Takes in what is known to be new.
    pub fn take_in(&mut self, space: &Space, new: &Relation) -> Result<(), Stop> {
        self.0 = space.or(&self.0, new)?;
        Ok(())
    }
}
