//! Strong live ranges: the bits whose value at a head can come to a condition (influence, [`crate::influence`]).
//!
//! As plain live ranges ([`super::live`]), but what is assigned counts only where its target does. So a value that nothing looks
//! at is forgotten even while it is copied about, and a cycle may close on what matters only. Contexts are not told apart here:
//! whatever is kept after a step is determined by what is kept before it, in each call alike, so that ways can be
//! unwound and walked.

use rustc_hash::FxHashSet;
use spds_format::Spds;
use spds_format::expr::Time;
use spds_format::model::{FrameId, Stack, SymbolId, Var};

use super::Via;
use super::backwards::{Parts, backwards};
use crate::influence::effect::Effect;
use crate::pds::{HeadId, Pds, Rule, RuleId, SetId, Source, blocked};

/// What one action does, in bits.
#[derive(Clone, Copy, Default)]
struct Flows {
    /// Read to go on.
    uses: SetId,
    /// Where, among those of all actions, the pairs begin of bits after the step and what goes into them: globals and locals on top, then
    /// locals below; and where the latter end.
    into: [u32; 3],
    /// Bits that do not stay: on top, below.
    gone: [SetId; 2],
}

/// The strong live ranges at every head that `needed` says; `invariant` gives the bits that the invariant of a head's symbol
/// reads.
pub(super) fn strong(
    spds: &Spds,
    parts: Parts<'_>,
    needed: &[bool],
    invariant: impl Fn(HeadId) -> SetId,
) -> Vec<SetId> {
    let pds = parts.pds;
    let hidden = blocked::somewhere_hidden(spds);
    let sets = &pds.sets;
    let globals = sets.set(pds.layout.global_bits());
    let slots = sets.set(pds.layout.slots());
    let known = vec![None; pds.rules.action_count()];
    let reader = Reader { spds, pds, hidden, slots, known, pairs: Vec::new(), front: vec![None; SLOTS].into() };
    let reader = std::cell::RefCell::new(reader);
    let first = |head: HeadId| {
        let uses = |all, id| sets.union(all, reader.borrow_mut().of(id).uses);
        needed[head.0 as usize].then(|| pds.rules_of(head).fold(invariant(head), uses))
    };
    let before = |via, live| {
        let mut reader = reader.borrow_mut();
        match via {
            Via::Rule(id) => reader.back(id, live, 0, SetId::EMPTY),
            // Locals of the caller are kept below.
            Via::Enter(id) => reader.back(id, live, 0, slots),
            Via::Back(id) => reader.back(id, live, 1, globals),
            Via::Return => sets.intersection(live, globals),
        }
    };
    backwards(parts, first, before)
}

struct Reader<'a> {
    spds: &'a Spds,
    pds: &'a Pds,
    hidden: FxHashSet<SymbolId>,
    slots: SetId,
    /// By action.
    known: Vec<Option<Flows>>,
    /// What goes into what, of all actions.
    pairs: Vec<(SetId, SetId)>,
    /// What was found last with these: many steps of a program do the same where the same is live.
    front: Box<[Option<(Asked, SetId)>]>,
}

/// An action, what is live after it, the place, and what does not stay there.
type Asked = (u32, SetId, u8, SetId);

/// Slots of the table in front; a power of two.
const SLOTS: usize = 1 << 8;

impl Reader<'_> {
    fn of(&mut self, id: RuleId) -> Flows {
        let action = self.pds.rules.action_of(id);
        if let Some(flows) = self.known[action] {
            return flows;
        }
        let flows = self.read(id);
        self.known[action] = Some(flows);
        flows
    }

    /// What must be known before a step if that is live after it, on top (0) or below (1); `others` do not stay there.
    fn back(&mut self, id: RuleId, live: SetId, place: u8, others: SetId) -> SetId {
        let asked = (self.pds.rules.action_of(id) as u32, live, place, others);
        let mixed =
            asked.0.wrapping_mul(0x9e37_79b1) ^ live.number().wrapping_mul(0x85eb_ca6b) ^ u32::from(place) << 30;
        let slot = (mixed >> 20) as usize % SLOTS;
        match self.front[slot] {
            Some((known, before)) if known == asked => before,
            _ => {
                let before = self.before(id, live, usize::from(place), others);
                self.front[slot] = Some((asked, before));
                before
            }
        }
    }

    fn before(&mut self, id: RuleId, live: SetId, place: usize, others: SetId) -> SetId {
        let Flows { into, gone, .. } = self.of(id);
        let sets = &self.pds.sets;
        let pairs = &self.pairs[into[place] as usize..into[place + 1] as usize];
        let stays = sets.difference(live, sets.union(gone[place], others));
        let targets = pairs.iter().filter(|(to, _)| sets.meet(*to, live));
        targets.fold(stays, |all, (_, from)| sets.union(all, *from))
    }

    fn read(&mut self, id: RuleId) -> Flows {
        let (pds, spds, row) = (self.pds, self.spds, self.pds.rule_at(id));
        let letters = pds.letters_of(id);
        let Source::Rule(source) = row.source else {
            return Flows { uses: pds.sets.union(letters, self.refusable(row)), ..Flows::default() };
        };
        let rule = &spds.rules[source as usize];
        let effect = Effect::new(spds, rule);
        let [here, top, below] = spds.frames_of(rule);
        let bits = |var: Var, frame: Option<FrameId>| pds.layout.field(var, frame).bits();
        let mut flows = Flows::default();
        let uses = effect.uses.iter().flat_map(|(var, _)| bits(*var, here));
        flows.uses = pds.sets.union(letters, pds.sets.set(uses));
        for (place, frame) in [top, below].into_iter().enumerate() {
            flows.into[place] = self.pairs.len() as u32;
            for flow in effect.flows.iter().filter(|flow| usize::from(flow.to.1 == Time::Saved) == place) {
                let to = pds.sets.set(bits(flow.to.0, frame));
                let from = pds.sets.set(flow.from.iter().flat_map(|(var, _)| bits(*var, here)));
                flows.gone[place] = pds.sets.union(flows.gone[place], to);
                self.pairs.push((to, from));
            }
        }
        flows.into[2] = self.pairs.len() as u32;
        let slots = self.slots;
        if matches!(rule.stack, Stack::Swap(_)) && top != here {
            flows.gone[0] = pds.sets.union(flows.gone[0], slots);
        }
        if matches!(rule.stack, Stack::Push(..)) && below != here {
            flows.gone[1] = pds.sets.union(flows.gone[1], slots);
        }
        flows
    }

    /// What says whether a run is blocked, beside what the rules of its head read to go on: where what they lead to may
    /// refuse them, everything.
    fn refusable(&self, row: Rule) -> SetId {
        let rules = self.pds.rules_of(row.from).filter_map(|id| match self.pds.rule_at(id).source {
            Source::Rule(rule) => Some(&self.spds.rules[rule as usize]),
            Source::Stuck => None,
        });
        let mut rules = rules;
        match rules.any(|rule| blocked::may_be_refused(self.spds, &self.hidden, rule)) {
            true => row.reads,
            false => SetId::EMPTY,
        }
    }
}
