//! From a saturation to the values from which runs go round for ever, and to such a run.

use spds_format::model::Var;

use super::control::is_end;
use super::ground::Start;
use crate::bdd::Relation;
use crate::heads::methods::method;
use crate::heads::rough::{NONE, Rough};
use crate::heads::{Component, Cycles, Search, reached};
use crate::limits::Stop;
use crate::options::{Scc, Switch};
use crate::pds::HeadId;
use crate::replay::{Claim, left_open};
use crate::run::Run;
use crate::saturation::PostStar;
use crate::witness::lasso::{Recurrent, lasso};
use crate::witness::pace::at_some_pace;
use crate::witness::{Leaps, NoRun, complete};

/// Which cycles are looked for: inside these values, if any are named.
pub(super) struct Wanted {
    pub(super) within: Option<Relation>,
    pub(super) cycles: Cycles,
}

/// Whether the loops at `@end` and `@fail` count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    Count,
    Ignored,
}

/// How many are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    /// One tells that there are some.
    One,
    /// One for each rough component and each kind of cycle.
    All,
}

/// The parts of control in which runs go round, and values from which they do.
pub(super) type Repeats = (Rough, Vec<Recurrent>);

/// The values that lead to such cycles, by rough component. The saturation must be complete; in a look at some runs, whose ways
/// are looked for among the values that it has found, there must be no method but the hull: others find cycles through other values.
///
/// Small components first: a loop at `@end` costs nothing.
pub(super) fn repeating(
    post: &PostStar<'_, '_>,
    rough: &Rough,
    wanted: &[Wanted],
    ends: Ends,
    number: Number,
    methods: (Scc, Switch),
) -> Result<Vec<Recurrent>, Stop> {
    Ok(repeating_each(post, rough, &[wanted], ends, number, methods)?.pop().expect("one question, one answer"))
}

/// The same for several questions, each by itself.
pub(super) fn repeating_each(
    post: &PostStar<'_, '_>,
    rough: &Rough,
    questions: &[&[Wanted]],
    ends: Ends,
    number: Number,
    (scc, one_way): (Scc, Switch),
) -> Result<Vec<Vec<Recurrent>>, Stop> {
    let system = post.system();
    let counts = |head: HeadId| ends == Ends::Count || !is_end(system.spds, &system.control.pds, head);
    let is_wanted = |head: HeadId| rough.of(head) != NONE && counts(head);
    let values = reached(post, is_wanted)?;
    let mut components: Vec<u32> =
        (0..rough.count()).filter(|component| rough.members(*component).iter().any(|head| counts(*head))).collect();
    components.sort_by_key(|component| rough.members(*component).len());
    let mut answers: Vec<Vec<Recurrent>> = questions.iter().map(|_| Vec::new()).collect();
    let is_open = |found: &[Recurrent]| number == Number::All || found.is_empty();
    for component in components {
        if !answers.iter().any(|found| is_open(found)) {
            break;
        }
        let component = &Component::new(post, rough, component, &values)?;
        for (wanted, found) in questions.iter().zip(&mut answers) {
            for Wanted { within, cycles } in *wanted {
                if !is_open(found) {
                    break;
                }
                let inside = match within {
                    Some(within) => component.within(system, within)?,
                    None => component.values.clone(),
                };
                if inside.is_empty() {
                    continue;
                }
                let (region, cycles) = (within.as_ref(), *cycles);
                let sets = method(scc)(&Search { post, component, inside: &inside, region, cycles, one_way })?;
                if !sets.is_empty() {
                    found.push(Recurrent { component: component.part.number, sets, cycles });
                }
            }
        }
        system.space.check()?;
    }
    Ok(answers)
}

/// A run of at most `limit` items that goes round for ever. Its cycle closes on what the search has kept, and on all else on which
/// the judge sees it depend: the search may know better, but it is the judge who has to accept the run.
pub(super) fn going_round(
    post: &PostStar<'_, '_>,
    start: &Start,
    (rough, found): (&Rough, &[Recurrent]),
    (leaps, limit): (Leaps, u64),
    claim: &Claim,
) -> Result<Run, NoRun> {
    let live = start.live(post.system())?;
    let ways = at_some_pace(post, leaps, limit, |post, pace| lasso(post, &live, rough, found, pace))?;
    let mut others: Vec<Var> = Vec::new();
    loop {
        let run = complete::lasso(post.system(), &ways, &start.full(), &others, limit)?;
        let open = left_open(post.system().spds, &run, claim);
        let more: Vec<Var> = open.into_iter().filter(|var| !others.contains(var)).collect();
        if more.is_empty() {
            return Ok(run);
        }
        others.extend(more);
    }
}
