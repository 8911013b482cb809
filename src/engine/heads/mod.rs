//! The head graph, and whether a run can go round in it for ever.
//!
//! A head ⟨p,γ⟩ with values *repeats* if from it, with anything below, a configuration with the same head and values can
//! be reached without ever returning below it; a system has an infinite run iff a reachable head repeats (Esparza &
//! Schwoon, CAV 2001, §2.2, Theorem 1), and an accepting one iff it repeats with the automaton's mark on the way. The
//! graph has an edge for each step, for each entry into a call, and for each call that returns: its rules are those of
//! post*, its calls the summaries that post* has found, its values those that post* has reached.
//!
//! [`rough`] splits it by control alone; inside each component `hull`, `closure`, `squaring` or `lockstep` decide with
//! values ([`methods`]). There is one graph, from two sources: what post* has reached, and all values,
//! reached or not, with the calls that pre* has found ([`backward`]).

pub mod backward;
mod closure;
pub mod fixpoint;
mod forward;
pub mod graph;
mod hull;
mod lockstep;
pub mod methods;
pub mod part;
pub mod projection;
pub mod rough;
pub mod squaring;

use crate::bdd::{At, Relation, SetsBy};
use crate::limits::Stop;
use crate::options::Switch;
use crate::pds::HeadId;
use crate::saturation::PostStar;

pub use forward::Component;

/// Sets of values by head (over Now, the mark left out).
pub type HeadSets = SetsBy<HeadId>;

/// Whether a cycle has to meet the mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycles {
    /// Any cycle will do.
    All,
    /// It has to.
    Marked,
}

/// What is looked for: cycles in a component.
#[derive(Clone, Copy)]
pub struct Search<'g, 's, 'a> {
    /// What has been reached.
    pub post: &'g PostStar<'s, 'a>,
    /// Where.
    pub component: &'g Component,
    /// The values that cycles may use.
    pub inside: &'g HeadSets,
    /// The same, if they are those that are reached and in one set.
    pub region: Option<&'g Relation>,
    /// Which cycles.
    pub cycles: Cycles,
    /// Whether steps that change a variable which changes in one direction only are known to lie on no cycle.
    pub one_way: Switch,
}

/// The values with which kept heads are reached, whatever the call and the mark.
///
/// # Errors
/// If a limit is met.
pub fn reached(post: &PostStar<'_, '_>, wanted: impl Fn(HeadId) -> bool) -> Result<HeadSets, Stop> {
    let system = post.system();
    let all = system.union(system.globals(), system.slots());
    let tags = system.columns(all, At::Entry);
    let marks = system.columns(system.mark(), At::Now);
    let gone = system.space.vars(tags.iter().chain(marks.iter()).copied());
    let mut sets = HeadSets::new();
    for (head, set) in post.edges().filter(|(head, _)| wanted(*head)) {
        sets.add(system.space, head, system.space.exists(set, gone)?)?;
    }
    Ok(sets)
}
