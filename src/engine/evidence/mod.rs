//! Makes certificates: what post* knows at its end, completed so that it is inductive for the model as it was read.
//!
//! Sets that the search makes larger than what is reached (values forgotten because nobody looks at them, loops gone round at once,
//! recursion that was guessed) are inductive as they are. What it leaves out is put back: sets are kept at every head (no
//! blocks), calls relate all globals (no MOD/REF), and heads from which control cannot come to a target, which the search does not
//! visit, have everything.

mod control;
mod least;
mod needed;
mod nest;
mod nodes;
mod rounds;
mod sets;

use std::borrow::Cow;

use spds_format::model::{ControlId, Head, Var};
use spds_format::{Automaton, Spds};

use crate::bdd::{At, Bit, Column};
use crate::certificate::{Certificate, Claim, Kind, about, fingerprint};
use crate::check::control::{cyclic, is_end};
use crate::check::ground::{Failure, Start, in_attempts, space};
use crate::check::{CheckError, Options, Property, Target};
use crate::limits::{Stop, Tally};
use crate::ltl::{Specified, parenthesised};
use crate::options::{LiveRanges, Runs, Switch, TraceWish};
use crate::saturation::images::Control;
use crate::saturation::{PostStar, System};
use crate::watched::{between, popped, watched, watched_by};
pub use least::{Case, Least, least};
use rounds::{Counted, Round, rounds};
use sets::Sets;

/// Why there is no certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotMade {
    /// A limit was met.
    Stopped(Stop),
    /// Some target is reached, or some run goes on for ever: there is nothing to certify.
    Reached,
}

/// What would be claimed of a property, these runs being counted, if certificates can say it.
pub fn claim(spds: &Spds, property: &Property, name: &str, runs: Runs) -> Option<Claim> {
    let targets = match property {
        Property::Reach(targets) => targets.clone(),
        Property::Assertions => spds.fail.iter().map(|&symbol| Target { control: None, symbol }).collect(),
        Property::Termination => Vec::new(),
        Property::Configurations(set) => {
            return Some(Claim { kind: Kind::Reach(name.to_owned()), targets: popped(spds, set)?.1 });
        }
        Property::Ltl(_) => Vec::new(),
    };
    let kind = match property {
        Property::Ltl(violations) => match &violations.formula {
            Some(specified) => Kind::Formula { formula: parenthesised(&specified.formula), runs },
            None => Kind::Automaton {
                name: name.to_owned(),
                about: fingerprint(&violations.given.as_ref()?.written()),
                runs,
            },
        },
        Property::Reach(_) => Kind::Reach(name.to_owned()),
        Property::Termination => Kind::Termination,
        _ => Kind::Assertions,
    };
    let heads = heads(spds, &targets);
    Some(Claim { kind, targets: heads })
}

/// The system and the claim that no configuration of one set is reached from one of another, which are named so; nothing if that would be too large.
pub fn apart(spds: &Spds, [from, to]: [(&str, &Automaton); 2]) -> Option<(Spds, Claim)> {
    let (system, mut targets) = between(spds, from.1, to.1)?;
    targets.sort_unstable();
    let kind = Kind::Between { from: from.0.to_owned(), to: to.0.to_owned() };
    Some((system, Claim { kind, targets }))
}

/// The heads that are meant by targets, ascending.
pub fn heads(spds: &Spds, targets: &[Target]) -> Vec<Head> {
    let controls = || (0..spds.controls.len() as u32).map(ControlId);
    let of = |target: &Target| {
        let Target { control, symbol } = *target;
        let meant = controls().filter(move |known| control.is_none_or(|control| control == *known));
        meant.map(move |control| Head { control, symbol }).collect::<Vec<_>>()
    };
    let mut heads: Vec<Head> = targets.iter().flat_map(of).collect();
    heads.sort_unstable();
    heads.dedup();
    heads
}

/// The system that the claim about a property is about: the one that is asked about, or that one watched by a formula or an automaton, or whose stack is read. Nothing
/// if that would be too large.
pub fn concerned<'a>(spds: &'a Spds, property: &Property, runs: Runs) -> Option<Cow<'a, Spds>> {
    match property {
        Property::Ltl(violations) => match &violations.formula {
            Some(Specified { formula, meanings }) => watched(spds, formula, meanings, runs).map(Cow::Owned),
            None => watched_by(spds, violations.given.as_ref()?, &violations.meanings, runs).map(Cow::Owned),
        },
        Property::Configurations(set) => Some(Cow::Owned(popped(spds, set)?.0)),
        _ => Some(Cow::Borrowed(spds)),
    }
}

/// A certificate for a claim about a valid system, [`concerned`] in it. What it is about is that system; the fingerprint of
/// the one that was asked about is the caller's to put in its place.
///
/// # Errors
/// If a target is reached, or a limit is met.
pub fn certificate(spds: &Spds, claim: Claim, options: &Options) -> Result<Certificate, NotMade> {
    if let Some(made) = control::by_control(spds, &claim, options) {
        return made;
    }
    let mut options = Options { modref: Switch::Off, blocks: Switch::Off, trace: TraceWish::None, ..options.clone() };
    if claim.kind.is_watched() && matches!(options.live, LiveRanges::Auto | LiveRanges::Influence) {
        // What is met comes to no condition.
        options.live = LiveRanges::Plain;
    }
    let wanted = match (&claim.kind, spds.globals.len() as u32) {
        (Kind::Termination, _) => Some(Counted::All),
        (kind, globals @ 1..) if kind.is_watched() => Some(Counted::Met(Var::Global(globals - 1))),
        _ => None,
    };
    let mut steps = Tally::new(&options.limits, options.work);
    let control = Control::within(spds, &options, &mut steps, |pds, flow| match wanted.is_some() {
        true => cyclic(pds, flow).into_iter().filter(|head| !is_end(spds, pds, *head)).collect(),
        false => claim.targets.iter().filter_map(|head| pds.find(*head)).collect(),
    })
    .map_err(NotMade::Stopped)?;
    options.work = options.work.map(|_| steps.left());
    let mut made = None;
    let stopped = in_attempts(spds, &options, |attempt| {
        let space = space(spds, &control, None, &options, attempt)?;
        let system = System::new(spds, &control, None, &space)?;
        let start = Start::new(&system, None)?;
        let mut post = start.saturation(&system, &options, None)?;
        post.run(|_| false)?;
        let targets = claim.targets.iter().filter_map(|head| control.pds.find(*head));
        made = Some(if targets.into_iter().any(|head| post.reaches(head)) {
            Err(NotMade::Reached)
        } else {
            match wanted.map_or_else(|| Ok(Some(Vec::new())), |counted| rounds(&post, counted))? {
                Some(rounds) => Ok(completed(&system, &post, claim.clone(), &rounds)?),
                None => Err(NotMade::Reached),
            }
        });
        Ok::<(), Failure>(())
    });
    match (stopped, made) {
        (Ok(None), Some(made)) => made,
        (Ok(Some(stop)), _) => Err(NotMade::Stopped(stop)),
        // No run is asked for, and an attempt that meets no limit makes something.
        (Ok(None), None) | (Err(CheckError::WitnessRejected(_)), _) => Err(NotMade::Stopped(Stop::Work)),
    }
}

/// What the search knows, and everything where it has not looked.
fn completed(
    system: &System<'_>,
    post: &PostStar<'_, '_>,
    claim: Claim,
    rounds: &[Round],
) -> Result<Certificate, Stop> {
    let mut sets = Sets::new(system);
    let (mut reached, mut returned) = (sets.reached(post)?, sets.returned(post)?);
    sets.unvisited(&mut reached, &mut returned);
    let mut again = sets.again(rounds)?;
    again.retain(|(.., set)| *set != 0);
    again.sort_unstable();
    reached.retain(|(.., set)| *set != 0);
    returned.retain(|(.., set)| *set != 0);
    reached.sort_unstable();
    returned.sort_unstable();
    returned.dedup();
    let space = system.space;
    let all: Vec<(Column, bool)> =
        (0..system.control.pds.layout.bits()).map(|bit| ((Bit(bit), At::Now), true)).collect();
    // The decisions of a cube are its columns, the lowest one first.
    let order = space.decisions(&space.cube(&all)?).iter().rev().map(|decision| decision.column.0.0).collect();
    Ok(Certificate {
        about: about(system.spds),
        claim,
        order,
        nodes: sets.nodes.list,
        reached,
        returned,
        cuts: rounds.iter().map(|round| system.control.pds.head(round.cut)).collect(),
        again,
        tops: Vec::new(),
    })
}
