//! One formula: the product with the automaton of its violations, and whether it has an accepting run.
//!
//! Dispatch by the strength of the automaton's accepting components (Černá & Pelánek, MFCS 2003): to come to a terminal
//! one is a violation at once if every run that has come there goes on; else, and in a weak one, any cycle inside it is;
//! in a strong one, a cycle that meets the mark.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use spds_format::Spds;
use spds_format::model;

use super::control::{cyclic, ends, refusing};
use super::effort::Effort;
use super::ground::{Attempt, Failure, Start, space};
use super::looks::{Looks, Seen};
use super::repeating::{Ends, Number, Repeats, Wanted, going_round, repeating};
use super::{Answer, Options, Stats, Verdict};
use crate::bdd::{At, Relation, Space};
use crate::heads::Cycles;
use crate::heads::rough::Rough;
use crate::limits::{Clock, Reason, Stop};
use crate::ltl::Violations;
use crate::ltl::automaton::{Buchi, Component, ComponentKind};
use crate::options::{Runs, Scc, Switch, TraceWish};
use crate::pds::blocked::{Blocking, is_total, somewhere_hidden};
use crate::pds::delta::state_cube;
use crate::pds::encode::Encoder;
use crate::pds::{HeadId, RuleId, Source};
use crate::product::Product;
use crate::replay::Claim;
use crate::saturation::images::{Control, Refused};
use crate::saturation::{PostStar, System};
use crate::witness::{Leaps, NoRun};

/// Does no run do this? One attempt. The answer is set as soon as the verdict is known.
pub(super) fn check(
    spds: &Spds,
    violations: &Arc<Violations>,
    options: &Options,
    attempt: Attempt,
    stats: &mut Stats,
    answer: &mut Option<Answer>,
) -> Result<(), Failure> {
    let automaton = &violations.automaton;
    if automaton.strength() == ComponentKind::Rejecting {
        *answer = Some(Answer::new(Verdict::Holds));
        return Ok(());
    }
    let clock = Clock::start();
    let product = Product::new(spds, violations, options.runs, options.strength);
    let control = control(spds, &product, options);
    stats.seconds("seconds in control analyses", clock);
    stats.variables(spds, &control);
    let clock = Clock::start();
    let space = space(spds, &control, Some(&product), options, attempt)?;
    let system = System::new(spds, &control, Some(&product), &space)?;
    stats.seconds("seconds in encoding", clock);
    searched(&system, &product, violations, options, stats, answer)
}

/// The search in the product: post* with looks at some of it, cycles in what it has reached, and a run that shows what they say.
fn searched(
    system: &System<'_>,
    product: &Product<'_>,
    violations: &Arc<Violations>,
    options: &Options,
    stats: &mut Stats,
    answer: &mut Option<Answer>,
) -> Result<(), Failure> {
    let (spds, space, automaton) = (system.spds, system.space, &violations.automaton);
    let clock = Clock::start();
    let start = Start::new(system, Some(product))?;
    let sink = sink(system, automaton, options)?;
    let mut post = start.search(system, options, sink.clone())?;
    let mut looks = Looks::new(system, &start, options, sink);
    let seen = seen(&mut post, &mut looks, |look| cycles(look, automaton, Scc::Hull, options))?;
    if post.has_met() || seen.is_some() {
        *answer = Some(Answer::new(Verdict::Violated(None)));
    }
    stats.seconds("seconds in post*", clock);
    stats.measured(&post);
    let clock = Clock::start();
    let mut effort = Effort::after(&post, options);
    let look = seen.as_ref().filter(|(_, (_, found))| options.trace != TraceWish::Shortest && !found.is_empty());
    let found = match look {
        Some(_) if answer.is_some() => Ok(None),
        _ => all_cycles(&mut post, automaton, &mut effort, answer.is_some(), options),
    };
    let refused = system.refused();
    let claim = Claim::Violates { violations: Arc::clone(violations), runs: options.runs };
    let witness = |post: &PostStar<'_, '_>, found: &Repeats, options: &Options| {
        // Letters between the turns of a loop count.
        going_round(post, &start, (&found.0, &found.1), (Leaps::Never, options.trace_steps), &claim)
    };
    let run = match found {
        // What follows a bad prefix costs more than it is worth.
        Ok(None) => look.and_then(|(look, found)| {
            space.without_starting_over(|| effort.run(|options| witness(look, found, options)))
        }),
        Ok(Some(found)) if !found.1.is_empty() => {
            answer.get_or_insert(Answer::new(Verdict::Violated(None)));
            effort.run(|options| witness(&post, &found, options))
        }
        Ok(Some(_)) if answer.is_some() => {
            // A prefix decides only where every run goes on; then there is a cycle.
            return Err(Failure::Rejected("a bad prefix from which no run goes on".into()));
        }
        Ok(Some(_)) => {
            let sound = options.runs != Runs::Stutter || !may_be_stuck_at_return(&post, refused)?;
            *answer = Some(if sound { Answer::new(Verdict::Holds) } else { Answer::unknown(Reason::Return) });
            None
        }
        // A verdict that is known stays known.
        Err(stop) if answer.is_some() => Some(Err(NoRun::Stopped(stop))),
        Err(stop) => return Err(stop.into()),
    };
    stats.seconds("seconds in cycles and traces", clock);
    stats.ended(space);
    match (answer, run) {
        (Some(answer), Some(run)) => answer.shown(spds, run, &claim, &effort.options),
        _ => Ok(()),
    }
}

/// The cycles of the search when it is completed: after a verdict only if they cost no more than a run is worth.
fn all_cycles<'s, 'o>(
    post: &mut PostStar<'s, '_>,
    automaton: &Buchi,
    effort: &mut Effort<'s, 'o>,
    decided: bool,
    options: &'o Options,
) -> Result<Option<Repeats>, Stop> {
    let mut completed = || post.run(|_| false).and_then(|()| cycles(post, automaton, options.scc, options));
    if decided {
        return effort.spend(completed);
    }
    let found = completed().map(Some);
    *effort = Effort::after(post, options);
    found
}

/// Where it is decided that a run violates the formula: in the states of terminal components, if bad prefixes decide.
fn sink(system: &System<'_>, automaton: &Buchi, options: &Options) -> Result<Option<Relation>, Stop> {
    let space = system.space;
    let mut sink = space.bottom();
    if options.strength == Switch::On && prefixes_decide(system.spds, system, options.runs)? {
        let accepting = automaton.accepting().map(|index| &automaton.components[index]);
        for component in accepting.filter(|component| component.kind == ComponentKind::Terminal) {
            sink = space.or(&sink, &states(system, component)?)?;
        }
    }
    Ok(Some(sink).filter(|sink| !space.is_empty(sink)))
}

/// What is known of control in the product.
pub(super) fn control(spds: &Spds, product: &Product<'_>, options: &Options) -> Control {
    Control::new(spds, Some(product), options, |pds, flow| {
        let mut goals = cyclic(pds, flow);
        if options.runs == Runs::Infinite {
            let ends: FxHashSet<HeadId> = ends(spds, pds).into_iter().collect();
            goals.retain(|head| !ends.contains(head));
        }
        if options.runs == Runs::Stutter {
            // A return that is refused is noticed only where it is looked at.
            goals.extend(refusing(spds, pds));
        }
        goals
    })
}

/// Saturates until a bad prefix has been met, or all is done, and looks at some runs beside that: what these looks have seen, and
/// where cycles repeat in it; nowhere if a bad prefix says enough.
fn seen<'s, 'a>(
    post: &mut PostStar<'s, 'a>,
    looks: &mut Looks<'_, 's, 'a>,
    cycles: impl Fn(&PostStar<'s, 'a>) -> Result<Repeats, Stop>,
) -> Result<Option<Seen<'s, 'a, Repeats>>, Stop> {
    let find = |look: &PostStar<'s, 'a>| {
        let found = match cycles(look) {
            Err(Stop::Patience) if look.has_met() => (Rough::of_reached(look), Vec::new()),
            found => found?,
        };
        Ok(Some(found).filter(|(_, found)| look.has_met() || !found.is_empty()))
    };
    match looks.beside(post, PostStar::has_met, find)? {
        None if !post.has_met() => looks.look(PostStar::has_met, find),
        seen => Ok(seen),
    }
}

/// The automaton is in one of the states of a component.
fn states(system: &System<'_>, component: &Component) -> Result<Relation, Stop> {
    let mut all = system.space.bottom();
    for &state in &component.states {
        let one = state_cube(system.space, &system.control.pds.layout, state, At::Now)?;
        all = system.space.or(&all, &one)?;
    }
    Ok(all)
}

/// The cycles that accept: inside each accepting component, meeting the mark where it is strong.
pub(super) fn accepting(system: &System<'_>, automaton: &Buchi, options: &Options) -> Result<Vec<Wanted>, Stop> {
    let components = automaton.accepting().map(|index| &automaton.components[index]);
    let wanted = components.map(|component| {
        let strong = options.strength == Switch::Off || component.kind == ComponentKind::Strong;
        let cycles = if strong { Cycles::Marked } else { Cycles::All };
        Ok(Wanted { within: Some(states(system, component)?), cycles })
    });
    wanted.collect()
}

/// Where accepting cycles can be reached.
fn cycles(post: &PostStar<'_, '_>, automaton: &Buchi, scc: Scc, options: &Options) -> Result<Repeats, Stop> {
    let wanted = accepting(post.system(), automaton, options)?;
    let ends = ends_of(options);
    let number = if options.trace == TraceWish::Shortest { Number::All } else { Number::One };
    let rough = Rough::of_reached(post);
    let found = repeating(post, &rough, &wanted, ends, number, (scc, options.one_way))?;
    Ok((rough, found))
}

/// Whether runs that have come to an end count.
pub(super) fn ends_of(options: &Options) -> Ends {
    if options.runs == Runs::Infinite { Ends::Ignored } else { Ends::Count }
}

/// Whether every run that has come anywhere goes on so that it counts: then to have come to a terminal component decides.
fn prefixes_decide(spds: &Spds, system: &System<'_>, runs: Runs) -> Result<bool, Stop> {
    match runs {
        Runs::Infinite => Ok(false),
        Runs::Stutter => {
            let invariants = spds.symbols.iter().any(|symbol| symbol.invariant.is_some());
            Ok(!invariants && !refuses_returns(spds) && !ends_in_void(spds))
        }
        Runs::Maximal => Ok(!can_block(spds, system)?),
    }
}

/// Whether hidden return sites could refuse a return, as far as the form of their rules tells: by a guard, or by a value
/// that does not fit.
fn refuses_returns(spds: &Spds) -> bool {
    let hidden = somewhere_hidden(spds);
    spds.rules.iter().any(|rule| rule.silent && !is_total(spds, &hidden, rule))
}

/// Whether a return can leave the empty stack, from which nothing follows.
pub(super) fn ends_in_void(spds: &Spds) -> bool {
    spds.start.stack.last().copied() != spds.end
}

/// Whether some head that control can reach has no successor for some values, returns to the empty stack included.
fn can_block(spds: &Spds, system: &System<'_>) -> Result<bool, Stop> {
    let (pds, space): (_, &Space) = (&system.control.pds, system.space);
    if ends_in_void(spds) || spds.symbols.iter().any(|symbol| symbol.invariant.is_some()) {
        return Ok(true);
    }
    let mut encoder = Encoder::new(spds, &pds.layout, space);
    let mut blocking = Blocking::new(spds, pds, space);
    let mut known: FxHashSet<Vec<u32>> = FxHashSet::default();
    for head in (0..pds.head_count() as u32).map(HeadId).filter(|head| system.control.flow.reaches(*head)) {
        let rules: Vec<RuleId> = pds.rules_of(head).collect();
        // Without refusals only what the rules do matters, not where they lead.
        let mut actions: Vec<u32> = rules.iter().map(|&rule| pds.rules.action_of(rule) as u32).collect();
        actions.sort_unstable();
        if known.contains(&actions) {
            continue;
        }
        let blocked = blocking.at(head, &mut encoder)?;
        if !space.is_empty(&blocked) {
            return Ok(true);
        }
        known.insert(actions);
    }
    Ok(false)
}

/// Whether some return was refused, be it by an invariant or because silent rules do not lead on.
pub(super) fn may_be_stuck_at_return(post: &PostStar<'_, '_>, refused: Refused) -> Result<bool, Stop> {
    let system = post.system();
    // What lies below the start is returned to as well: hidden symbols there might refuse.
    let hidden_below = |rule: &model::Rule| rule.silent && system.spds.start.stack[1..].contains(&rule.from.symbol);
    if refused == Refused::Return || system.spds.rules.iter().any(hidden_below) {
        return Ok(true);
    }
    let (pds, flow, space) = (&system.control.pds, &system.control.flow, system.space);
    let mut sites: FxHashSet<HeadId> = FxHashSet::default();
    for state in flow.state_ids() {
        for &symbol in &flow.sites[state.0 as usize] {
            for &control in &flow.pops[state.0 as usize] {
                sites.extend(pds.find(model::Head { control, symbol }));
            }
        }
    }
    let values = crate::heads::reached(post, |head| sites.contains(&head) && pds.is_hidden(head))?;
    let mut encoder = Encoder::new(system.spds, &pds.layout, space);
    let mut blocking = Blocking::new(system.spds, pds, space);
    for (head, set) in values {
        debug_assert!(pds.rules_of(head).all(|rule| pds.rule_at(rule).source != Source::Stuck));
        let blocked = blocking.at(head, &mut encoder)?;
        if !space.is_empty(&space.and(&set, &blocked)?) {
            return Ok(true);
        }
    }
    Ok(false)
}
