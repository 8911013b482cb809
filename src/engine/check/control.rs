//! What is known of control before any relation is built, for a system or for its product with an automaton.

use rustc_hash::FxHashMap;
use spds_format::Spds;
use spds_format::model::{self, ControlId, FrameId, Variable};

use super::Target;
use crate::flow::live::Live;
use crate::flow::modref::{ModRef, Restrict};
use crate::flow::{Dependence, Flow, Parts, StartEdges, StateId, rank};
use crate::heads::rough::{self, Rough};
use crate::limits::{Stop, Tally};
use crate::options::{LiveRanges, Options, Switch};
use crate::pds::layout::Field;
use crate::pds::{HeadId, Pds, SetId};
use crate::product::Product;
use crate::saturation::images::{Callers, Control, Effects};

impl Control {
    /// Analyses control, and slices it towards the heads at which something is decided.
    pub(crate) fn new(
        spds: &Spds,
        product: Option<&Product<'_>>,
        options: &Options,
        goals: impl FnOnce(&Pds, &Flow) -> Vec<HeadId>,
    ) -> Control {
        let control = Control::from_edges(spds, Pds::new(spds, product), &start_edges(spds), options, goals);
        Control { effects: Effects::Live, ..control }
    }

    /// The same of a system, if what control reaches is tabulated in so many steps.
    ///
    /// # Errors
    /// If they are not enough, or a limit is met.
    pub(crate) fn within(
        spds: &Spds,
        options: &Options,
        steps: &mut Tally,
        goals: impl FnOnce(&Pds, &Flow) -> Vec<HeadId>,
    ) -> Result<Control, Stop> {
        let mut pds = Pds::new(spds, None);
        let flow = Flow::within(&mut pds, &start_edges(spds), steps)?;
        let control = Control::from_flow(spds, pds, flow, options, goals);
        Ok(Control { effects: Effects::Live, ..control })
    }

    /// The same from any start automaton.
    pub(crate) fn from_edges(
        spds: &Spds,
        mut pds: Pds,
        start_edges: &StartEdges,
        options: &Options,
        goals: impl FnOnce(&Pds, &Flow) -> Vec<HeadId>,
    ) -> Control {
        let flow = Flow::new(&mut pds, start_edges);
        Control::from_flow(spds, pds, flow, options, goals)
    }

    fn from_flow(
        spds: &Spds,
        pds: Pds,
        flow: Flow,
        options: &Options,
        goals: impl FnOnce(&Pds, &Flow) -> Vec<HeadId>,
    ) -> Control {
        let graph = Dependence::new(&pds, &flow);
        let has_invariants = spds.symbols.iter().any(|symbol| symbol.invariant.is_some());
        let start = pds.find(model::Head { control: spds.start.control, symbol: spds.start.stack[0] });
        let invariant = |head: HeadId| {
            // What the condition on the start reads matters there, too.
            let condition = spds.start.condition.iter().filter(|_| Some(head) == start);
            let symbol = spds.symbol(pds.head(head).symbol);
            let invariant = symbol.invariant.iter().filter(|_| has_invariants);
            condition
                .chain(invariant)
                .fold(SetId::EMPTY, |set, expr| pds.sets.union(set, pds.reads(expr, symbol.frame)))
        };
        let needed = match options.slice {
            Switch::On => graph.slice(goals(&pds, &flow)),
            Switch::Off => vec![true; pds.head_count()],
        };
        let restrict = match options.modref {
            Switch::On => Restrict::Touched,
            Switch::Off => Restrict::Nothing,
        };
        let modref = ModRef::new(&pds, &flow, restrict, invariant);
        let order = rank::order(&pds, &flow, &modref);
        let parts = Parts { pds: &pds, flow: &flow, graph: &graph, order: &order };
        let live = match options.live {
            LiveRanges::Off => Live::all(&pds),
            LiveRanges::Plain => Live::new(parts, invariant),
            LiveRanges::Auto | LiveRanges::Influence => {
                // What the condition on the start reads says with which values runs start, no more.
                let demanded = |head: HeadId| {
                    let symbol = spds.symbol(pds.head(head).symbol);
                    symbol.invariant.as_ref().map_or(SetId::EMPTY, |invariant| pds.reads(invariant, symbol.frame))
                };
                let plain = || Live::new(parts, invariant);
                Live::that_matters(spds, parts, &needed, demanded, plain)
            }
        };
        let carried = Vec::new();
        Control {
            pds,
            flow,
            graph,
            live,
            modref,
            rank: order.rank,
            needed,
            carried,
            callers: Callers::Returning,
            effects: Effects::All,
        }
    }
}

/// How many variables users see, and of how many of them the search keeps nothing wherever it goes. Linear in the number of
/// heads and of variables.
pub(super) fn hidden_variables(spds: &Spds, control: &Control) -> (usize, usize) {
    let Control { pds, flow, live, needed, .. } = control;
    let mut everywhere = SetId::EMPTY;
    let mut in_frame = vec![SetId::EMPTY; spds.frames.len()];
    let mut last = None;
    for &head in flow.bodies.items().iter().filter(|head| needed[head.0 as usize]) {
        let (kept, frame) = (live.at(head), spds.symbol(pds.head(head).symbol).frame);
        // Neighbours are often alike.
        if last.replace((kept, frame)) == Some((kept, frame)) {
            continue;
        }
        if kept != everywhere {
            everywhere = pds.sets.union(everywhere, kept);
        }
        if let Some(frame) = frame {
            let all = &mut in_frame[frame.0 as usize];
            *all = pds.sets.union(*all, kept);
        }
    }
    // Frames with variables of the same types have the same fields.
    let mut bits_of: FxHashMap<Field, SetId> = FxHashMap::default();
    let mut of = |variables: &[Variable], fields: &[Field], kept: SetId| {
        let mut count = (0, 0);
        for (_, field) in variables.iter().zip(fields).filter(|(variable, _)| !variable.hidden) {
            let bits = *bits_of.entry(*field).or_insert_with(|| pds.sets.set(field.bits()));
            count.0 += 1;
            count.1 += usize::from(pds.sets.intersection(bits, kept) == SetId::EMPTY);
        }
        count
    };
    let mut count: (usize, usize) = of(&spds.globals, pds.layout.globals(), everywhere);
    let (mut last, mut of_last) = (None, (0, 0));
    for (id, (frame, kept)) in (0..).map(FrameId).zip(spds.frames.iter().zip(in_frame)) {
        let is_shown = frame.variables.iter().all(|variable| !variable.hidden);
        let alike = is_shown.then(|| (pds.layout.shape(Some(id)), kept));
        if alike.is_none() || last != alike {
            (last, of_last) = (alike, of(&frame.variables, pds.layout.locals(Some(id)), kept));
        }
        count = (count.0 + of_last.0, count.1 + of_last.1);
    }
    count
}

/// The start automaton of a system: one path that spells the stack of the start configuration.
pub(super) fn start_edges(spds: &Spds) -> StartEdges {
    let stack = &spds.start.stack;
    let first = model::Head { control: spds.start.control, symbol: stack[0] };
    let below = stack[1..].iter().enumerate();
    StartEdges {
        states: stack.len() as u32,
        initial: vec![(first, StateId(0))],
        inner: below.map(|(i, &symbol)| (StateId(i as u32), symbol, StateId(i as u32 + 1))).collect(),
    }
}

/// The heads of these places.
pub(crate) fn heads_of(spds: &Spds, pds: &Pds, targets: &[Target]) -> Vec<HeadId> {
    let controls = || (0..spds.controls.len() as u32).map(ControlId);
    let heads = targets.iter().flat_map(|target| {
        let all = controls().filter(|&control| target.control.is_none_or(|wanted| wanted == control));
        all.filter_map(|control| pds.find(model::Head { control, symbol: target.symbol }))
    });
    heads.collect()
}

/// The heads at which assertions have failed.
pub(crate) fn failures(spds: &Spds, pds: &Pds) -> Vec<HeadId> {
    let fail: Vec<Target> = spds.fail.iter().map(|&symbol| Target { control: None, symbol }).collect();
    heads_of(spds, pds, &fail)
}

/// The heads at which a run has come to its end: `@end` and `@fail`.
pub(super) fn ends(spds: &Spds, pds: &Pds) -> Vec<HeadId> {
    let ends = spds.end.iter().chain(&spds.fail).map(|&symbol| Target { control: None, symbol });
    heads_of(spds, pds, &ends.collect::<Vec<_>>())
}

/// The heads at which what leads to them may be refused: what has to hold there, or a visible configuration that has to follow.
pub(super) fn refusing(spds: &Spds, pds: &Pds) -> Vec<HeadId> {
    let refuses = |&head: &HeadId| spds.symbol(pds.head(head).symbol).invariant.is_some() || pds.is_hidden(head);
    (0..pds.head_count() as u32).map(HeadId).filter(refuses).collect()
}

/// The heads round which control can go.
pub(crate) fn cyclic(pds: &Pds, flow: &Flow) -> Vec<HeadId> {
    let rough = Rough::of_control(pds, flow);
    (0..pds.head_count() as u32).map(HeadId).filter(|head| rough.of(*head) != rough::NONE).collect()
}

/// Whether a run has come to its end at that head.
pub(crate) fn is_end(spds: &Spds, pds: &Pds, head: HeadId) -> bool {
    let symbol = Some(pds.head(head).symbol);
    symbol == spds.end || symbol == spds.fail
}
