//! How questions are answered: one form for systems and C programs.

#[cfg(feature = "c")]
use crate::c::program::Overflow;
use crate::limits::Limits;
use crate::options;

/// How questions are answered.
#[derive(Clone, Debug, Default)]
pub struct Asking {
    /// How systems and abstractions are searched, which runs count, which are shown, and the limits of the whole.
    pub search: options::Options,
    /// What happens where signed arithmetic of C leaves its type.
    #[cfg(feature = "c")]
    pub overflow: Overflow,
    /// No more rounds of refinement than that.
    pub rounds: Option<usize>,
    /// Whether answers say what shows them to others: invariants and witnesses of C programs.
    pub evidence: bool,
}

impl From<&Limits> for Asking {
    fn from(limits: &Limits) -> Asking {
        Asking { search: options::Options { limits: *limits, ..options::Options::default() }, ..Asking::default() }
    }
}
