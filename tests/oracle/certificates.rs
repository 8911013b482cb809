//! Whether a certificate is inductive, by trying all values in all of its sets.

use std::collections::{BTreeMap, BTreeSet};

use puch::certificate::{Certificate, Kind, Moment, Set, Tag};
use spds_format::Spds;
use spds_format::model::{ControlId, Head, Rule, Stack, Variable};

use super::{Next, State, invariant, is_start, locals, resume, starts, successors, valuations};

/// Values as they lie in a configuration.
type Bits = Vec<bool>;

/// Whether it shows what it claims.
pub fn proves(spds: &Spds, certificate: &Certificate) -> bool {
    if !certificate.tops.is_empty() {
        return proves_by_control(spds, certificate);
    }
    let sets = Sets::new(spds, certificate);
    let starting = starts(spds).into_iter().filter(|state| is_start(spds, state));
    let start_is_in = starting.into_iter().all(|state| sets.has(Tag::Start(0), &[], &state));
    start_is_in
        && certificate.reached.iter().all(|&(tag, head, set)| sets.goes_on(tag, head, set))
        && sets.starts_go_on()
        && !certificate.claim.targets.iter().any(|head| sets.comes_to(*head))
        && match certificate.claim.kind {
            Kind::Termination => sets.ends(false),
            // The last global is what is met.
            _ => !certificate.claim.kind.is_watched() || sets.ends(true),
        }
}

/// The same of one about control alone.
fn proves_by_control(spds: &Spds, certificate: &Certificate) -> bool {
    let mut gone: BTreeMap<Head, BTreeSet<ControlId>> = BTreeMap::new();
    certificate.tops.iter().for_each(|(head, more)| gone.entry(*head).or_default().extend(more.iter()));
    let goes_on = |from: &BTreeSet<ControlId>, head: Head| gone.get(&head).is_some_and(|more| more.is_subset(from));
    let follows = |rule: &Rule, from: &BTreeSet<ControlId>| match rule.stack {
        Stack::Pop => from.contains(&rule.to),
        Stack::Swap(symbol) => goes_on(from, Head { control: rule.to, symbol }),
        Stack::Push(symbol, site) => gone.get(&Head { control: rule.to, symbol }).is_some_and(|returned| {
            returned.iter().all(|control| goes_on(from, Head { control: *control, symbol: site }))
        }),
    };
    let mut on_top = BTreeSet::from([spds.start.control]);
    for &symbol in &spds.start.stack {
        let heads = on_top.iter().map(|&control| gone.get(&Head { control, symbol }));
        let Some(returned) = heads.collect::<Option<Vec<_>>>() else { return false };
        on_top = returned.into_iter().flatten().copied().collect();
    }
    spds.rules.iter().all(|rule| gone.get(&rule.from).is_none_or(|from| follows(rule, from)))
        && !certificate.claim.targets.iter().any(|head| gone.contains_key(head))
}

struct Sets<'a> {
    spds: &'a Spds,
    certificate: &'a Certificate,
    reached: BTreeMap<(Tag, Head), Vec<Set>>,
    returned: BTreeMap<(Tag, ControlId), Vec<Set>>,
}

impl<'a> Sets<'a> {
    fn new(spds: &'a Spds, certificate: &'a Certificate) -> Sets<'a> {
        let (mut reached, mut returned) = (BTreeMap::new(), BTreeMap::new());
        for &(tag, head, set) in &certificate.reached {
            let all: &mut Vec<Set> = reached.entry((tag, head)).or_default();
            all.push(set);
        }
        for &(tag, control, set) in &certificate.returned {
            let all: &mut Vec<Set> = returned.entry((tag, control)).or_default();
            all.push(set);
        }
        Sets { spds, certificate, reached, returned }
    }

    fn contains(&self, mut set: Set, entry: &[bool], now: &[bool]) -> bool {
        while set > 1 {
            let node = self.certificate.nodes[set as usize - 2];
            let values = if node.moment == Moment::Entry { entry } else { now };
            // A bit that there is not makes no difference, or it would not have been read.
            set = if values.get(node.bit as usize) == Some(&true) { node.high } else { node.low };
        }
        set == 1
    }

    fn bits(&self, state: &State) -> Bits {
        let mut bits = self.bits_of(&self.spds.globals, &state.globals);
        bits.extend(self.bits_of(self.spds.locals(state.symbol), &state.locals));
        bits
    }

    fn bits_of(&self, variables: &[Variable], values: &[u64]) -> Bits {
        let widths = variables
            .iter()
            .flat_map(|variable| std::iter::repeat_n(variable.ty.scalar.bits(), variable.ty.cells() as usize));
        widths.zip(values).flat_map(|(width, value)| (0..width).map(move |bit| value >> bit & 1 == 1)).collect()
    }

    /// All states with a head.
    fn states(&self, head: Head) -> Vec<State> {
        let Head { control, symbol } = head;
        let mut all = Vec::new();
        for globals in valuations(&self.spds.globals) {
            all.extend(locals(self.spds, symbol).into_iter().map(|locals| State {
                control,
                symbol,
                globals: globals.clone(),
                locals,
            }));
        }
        all
    }

    /// All values at the entry.
    fn entries(&self, tag: Tag) -> Vec<Bits> {
        match tag {
            Tag::Start(_) => vec![Vec::new()],
            Tag::Entry(head) => self.states(head).iter().map(|state| self.bits(state)).collect(),
        }
    }

    fn has(&self, tag: Tag, entry: &[bool], state: &State) -> bool {
        let head = Head { control: state.control, symbol: state.symbol };
        let now = self.bits(state);
        self.reached.get(&(tag, head)).into_iter().flatten().any(|set| self.contains(*set, entry, &now))
    }

    fn has_returned(&self, tag: Tag, entry: &[bool], (control, globals): &(ControlId, Vec<u64>)) -> bool {
        let now = self.bits_of(&self.spds.globals, globals);
        self.returned.get(&(tag, *control)).into_iter().flatten().any(|set| self.contains(*set, entry, &now))
    }

    /// Where a call that was entered so may have returned.
    fn returns(&self, tag: Tag, entry: &[bool]) -> BTreeSet<(ControlId, Vec<u64>)> {
        let mut all = BTreeSet::new();
        for control in self.returned.keys().filter(|(own, _)| *own == tag).map(|(_, control)| *control) {
            let exits = valuations(&self.spds.globals).into_iter().map(|globals| (control, globals));
            all.extend(exits.filter(|exit| self.has_returned(tag, entry, exit)));
        }
        all
    }

    /// Whether everything to which rules lead from a set is in the sets.
    fn goes_on(&self, tag: Tag, head: Head, set: Set) -> bool {
        let entries = self.entries(tag);
        self.states(head).iter().all(|state| {
            let now = self.bits(state);
            let entries: Vec<&Bits> = entries.iter().filter(|entry| self.contains(set, entry, &now)).collect();
            entries.is_empty()
                || successors(self.spds, state).into_iter().all(|(_, next)| match next {
                    Next::Swap(state) => entries.iter().all(|entry| self.has(tag, entry, &state)),
                    Next::Pop(control, globals) => {
                        let exit = (control, globals);
                        entries.iter().all(|entry| self.has_returned(tag, entry, &exit))
                    }
                    Next::Push(callee, site, saved) => {
                        let own = Tag::Entry(Head { control: callee.control, symbol: callee.symbol });
                        let values = self.bits(&callee);
                        self.has(own, &values, &callee)
                            && self.returns(own, &values).iter().all(|exit| {
                                let back = resume(self.spds, exit, site, &saved);
                                back.into_iter().all(|state| entries.iter().all(|entry| self.has(tag, entry, &state)))
                            })
                    }
                })
        })
    }

    /// Whether what lies below the start goes on.
    fn starts_go_on(&self) -> bool {
        (0u32..).zip(&self.spds.start.stack[1..]).all(|(depth, symbol)| {
            self.returns(Tag::Start(depth), &[]).iter().all(|exit| {
                locals(self.spds, *symbol).iter().all(|locals| {
                    let back = resume(self.spds, exit, *symbol, locals);
                    back.into_iter().all(|state| self.has(Tag::Start(depth + 1), &[], &state))
                })
            })
        })
    }

    fn comes_to(&self, head: Head) -> bool {
        let here = self.reached.iter().filter(|((_, own), _)| *own == head);
        here.flat_map(|((tag, _), sets)| sets.iter().map(move |set| (*tag, *set))).any(|(tag, set)| {
            let entries = self.entries(tag);
            self.states(head).iter().any(|state| {
                let now = self.bits(state);
                entries.iter().any(|entry| self.contains(set, entry, &now))
            })
        })
    }

    /// Whether no run goes round for ever, or makes the last global true for ever again.
    fn ends(&self, met: bool) -> bool {
        let heads: BTreeSet<Head> =
            self.reached.keys().map(|(_, head)| *head).filter(|head| self.comes_to(*head)).collect();
        let control: BTreeMap<Head, BTreeSet<Head>> =
            heads.iter().map(|head| (*head, self.leads_to(*head).intersection(&heads).copied().collect())).collect();
        let cuts: BTreeSet<Head> = self.certificate.cuts.iter().copied().filter(|cut| heads.contains(cut)).collect();
        let passes = |head: Head| !cuts.contains(&head);
        let back = |from: Head, to: Head| from == to || reaches(&control, to, &passes).contains(&from);
        for (&from, to) in control.iter().filter(|(from, _)| passes(**from)) {
            let counted = self.counted(from, met);
            let counts = |to: &Head| counted.as_ref().is_none_or(|counted| counted.contains(to));
            if to.iter().any(|to| passes(*to) && counts(to) && back(from, *to)) {
                return false;
            }
        }
        let order = &self.certificate.cuts;
        (0..order.len()).all(|place| {
            // What meets a cut that comes before is about that one.
            let (cut, passes) = (order[place], |head: Head| !order[..place].contains(&head));
            if !passes(cut) || !cuts.contains(&cut) {
                return true;
            }
            let beyond = reaches(&control, cut, &passes);
            let circle: BTreeSet<Head> =
                beyond.iter().copied().filter(|head| reaches(&control, *head, &passes).contains(&cut)).collect();
            circle.is_empty() || self.goes_round(cut, &circle, met)
        })
    }

    /// The heads to which a step leads that counts; nothing if all steps do.
    fn counted(&self, from: Head, met: bool) -> Option<BTreeSet<Head>> {
        let unmet = self.states(from).into_iter().filter(|state| !is_met(state) && self.comes_with(state));
        let next = unmet.flat_map(|state| self.next(&state)).filter(is_met);
        met.then(|| next.map(|next| Head { control: next.control, symbol: next.symbol }).collect())
    }

    /// Whether these values are in the sets of their head.
    fn comes_with(&self, state: &State) -> bool {
        let (head, now) = (Head { control: state.control, symbol: state.symbol }, self.bits(state));
        self.reached.iter().filter(|((_, own), _)| *own == head).any(|((tag, _), sets)| {
            self.entries(*tag).iter().any(|entry| sets.iter().any(|set| self.contains(*set, entry, &now)))
        })
    }

    /// The heads to which control goes from a head.
    fn leads_to(&self, from: Head) -> BTreeSet<Head> {
        let mut all = BTreeSet::new();
        if [self.spds.end, self.spds.fail].contains(&Some(from.symbol)) {
            return all;
        }
        for rule in self.spds.rules.iter().filter(|rule| rule.from == from && self.feasible(rule)) {
            match rule.stack {
                Stack::Pop => {}
                Stack::Swap(symbol) => drop(all.insert(Head { control: rule.to, symbol })),
                Stack::Push(symbol, site) => {
                    let entry = Head { control: rule.to, symbol };
                    all.insert(entry);
                    let returned = self.returned.keys().filter(|(tag, _)| *tag == Tag::Entry(entry));
                    let returned = returned.filter(|(tag, control)| self.some(*tag, *control));
                    all.extend(returned.map(|(_, control)| Head { control: *control, symbol: site }));
                }
            }
        }
        all
    }

    /// Whether a rule leads anywhere from where a run may be, whatever has to hold where it leads.
    fn feasible(&self, rule: &Rule) -> bool {
        let mut bare = self.spds.clone();
        bare.symbols.iter_mut().for_each(|symbol| symbol.invariant = None);
        bare.rules.retain(|own| own == rule);
        let mut states = self.states(rule.from);
        states.retain(|state| invariant(self.spds, state));
        states.iter().any(|state| !successors(&bare, state).is_empty())
    }

    /// Whether anything returns there.
    fn some(&self, tag: Tag, control: ControlId) -> bool {
        self.entries(tag).iter().any(|entry| self.returns(tag, entry).iter().any(|(own, _)| *own == control))
    }

    /// Whether the sets of a cut are closed, and nothing comes back to where it was.
    fn goes_round(&self, cut: Head, circle: &BTreeSet<Head>, met: bool) -> bool {
        let mut from: BTreeMap<Head, Vec<Set>> = BTreeMap::new();
        for (own, head, set) in &self.certificate.again {
            if *own == cut {
                from.entry(*head).or_default().push(*set);
            }
        }
        let has = |entry: &[bool], state: &State| {
            let head = Head { control: state.control, symbol: state.symbol };
            let sets = from.get(&head).into_iter().flatten();
            !circle.contains(&head) || sets.copied().any(|set| self.contains(set, entry, &self.bits(state)))
        };
        let begin = self.states(cut).into_iter().filter(|state| !(met && is_met(state)) && self.comes_with(state));
        // The same values, but that there was a step that counts.
        let bit = valuations(&self.spds.globals).first().map_or(0, |all| self.bits_of(&self.spds.globals, all).len());
        let comes_back = |entry: &Bits, now: &Bits| {
            let (mut one, mut other) = (entry.clone(), now.clone());
            let rises = !met || (one.remove(bit - 1), other.remove(bit - 1)) == (false, true);
            rises && one == other
        };
        let closed = |entry: &[bool], state: &State| self.next(state).iter().all(|next| has(entry, next));
        for state in begin {
            if !closed(&self.bits(&state), &state) {
                return false;
            }
        }
        for (head, sets) in from.iter().filter(|(head, _)| circle.contains(head)) {
            for state in self.states(*head) {
                let (now, reached) = (self.bits(&state), self.comes_with(&state));
                for entry in self.entries(Tag::Entry(cut)) {
                    let inside = sets.iter().any(|set| self.contains(*set, &entry, &now));
                    if inside && (reached && !closed(&entry, &state) || *head == cut && comes_back(&entry, &now)) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// The states to which a run that stays above goes in one step, a call that returns being one.
    fn next(&self, state: &State) -> Vec<State> {
        let mut all = Vec::new();
        for (_, next) in successors(self.spds, state) {
            match next {
                Next::Swap(state) => all.push(state),
                Next::Pop(..) => {}
                Next::Push(callee, site, saved) => {
                    let own = Tag::Entry(Head { control: callee.control, symbol: callee.symbol });
                    let exits = self.returns(own, &self.bits(&callee));
                    all.extend(exits.iter().filter_map(|exit| resume(self.spds, exit, site, &saved)));
                    all.push(callee);
                }
            }
        }
        all
    }
}

/// Whether the last global is true.
fn is_met(state: &State) -> bool {
    state.globals.last() == Some(&1)
}

/// The heads to which control goes in one step or more through heads that may be passed.
fn reaches(control: &BTreeMap<Head, BTreeSet<Head>>, from: Head, passes: &dyn Fn(Head) -> bool) -> BTreeSet<Head> {
    let mut all = BTreeSet::new();
    let mut open = vec![from];
    while let Some(head) = open.pop() {
        for &next in control.get(&head).into_iter().flatten().filter(|next| passes(**next)) {
            if all.insert(next) {
                open.push(next);
            }
        }
    }
    all
}
