//! The symbolic steps that saturation and witnesses are made of.
//!
//! One function for each formula of [`crate::saturation`], "Forwards", with the columns it mentions beside it: copy `Now`
//! holds current values, `Next` the values after a step (and the entry tag of a callee), `Entry` the entry tag of the state
//! that an edge leads to.
//! Which columns go and which are renamed depends on a few interned sets only, so it is looked up, not built, per step.

use std::cell::{Cell, RefCell};
use std::hash::Hash;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use spds_format::Spds;
use spds_format::model::{self, ControlId, SymbolId};

use crate::bdd::{At, Bit, Column, Relation, Renaming, Space, Vars};
use crate::flow::live::Live;
use crate::flow::modref::ModRef;
use crate::flow::{Dependence, Flow, State, StateId};
use crate::limits::Stop;
use crate::pds::encode::Relations;
use crate::pds::{HeadId, Pds, RuleId, RuleKind, SetId};
use crate::product::Product;

type Result<T> = std::result::Result<T, Stop>;

/// Variables, as bits, that count or are taken away.
type Summands = Vec<(Vec<Bit>, bool)>;

/// What is known of control: everything that needs no BDD.
pub struct Control {
    /// Heads and rules.
    pub pds: Pds,
    /// Control reachability.
    pub flow: Flow,
    /// The dependence graph.
    pub graph: Dependence,
    /// Live ranges.
    pub live: Live,
    /// MOD/REF.
    pub modref: ModRef,
    /// The order of work.
    pub rank: Vec<u32>,
    /// The heads that the search needs.
    pub needed: Vec<bool>,
    /// What the states of the start automaton carry; those that are not listed carry nothing.
    pub carried: Vec<SetId>,
    /// Which suspended callers are remembered.
    pub callers: Callers,
    /// What the relations of rules say.
    pub effects: Effects,
}

impl Control {
    /// What calls of an entry pass to it, live or not: the globals that it may read or write, and formals.
    pub fn passed(&self, state: StateId) -> SetId {
        let pds = &self.pds;
        let callers = self.flow.callers[state.0 as usize].iter().filter_map(|caller| caller.rule);
        callers.fold(self.modref.touched(state), |set, rule| pds.sets.union(set, pds.rule_at(rule).formals))
    }
}

/// What the relations of rules say of the values after a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effects {
    /// Everything.
    All,
    /// Nothing of variables that are dead after it, if assigning to them cannot block.
    Live,
}

/// Which suspended callers are remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callers {
    /// Those to which a call can come back, with what is live then.
    Returning,
    /// All of them: whole stacks are wanted.
    All,
}

/// A system ready to be searched.
pub struct System<'a> {
    /// The model.
    pub spds: &'a Spds,
    /// What is known of control.
    pub control: &'a Control,
    /// The space of its relations.
    pub space: &'a Space,
    /// The relations of the rules that the search needs.
    pub relations: Relations,
    product: Option<&'a Product<'a>>,
    tags: Vec<SetId>,
    /// For each of [`Flow::pops`].
    live_out: Vec<SetId>,
    all: SetId,
    globals: SetId,
    slots: SetId,
    /// The bit of the mark, if there is one: of no tag, false at entries, and joined by "or" at returns.
    mark: SetId,
    /// Whether an arrival was refused by an invariant.
    refused: Cell<Refused>,
    columns: Columns,
    /// Closures of transitions that have been asked for; `None` if they are too large.
    pub(super) closures: RefCell<FxHashMap<(Relation, SetId), Option<Relation>>>,
    /// Where sums of variables, with signs, have grown, and where they have shrunk.
    pub(super) measures: RefCell<FxHashMap<Summands, [Relation; 2]>>,
}

/// Whether some return led to values that the invariant of its return site refuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refused {
    /// None did so far.
    #[default]
    Nothing,
    /// One did: that run may be blocked there.
    Return,
}

/// What each image lets go and renames, by the sets that this depends on.
#[derive(Default)]
struct Columns {
    steps: Memo<[SetId; 2], (Vars, Renaming)>,
    pops: Memo<[SetId; 3], (Vars, Renaming)>,
    calls: Memo<[SetId; 6], (Vars, Renaming)>,
    joins: Memo<[SetId; 2], Vars>,
    entries: Memo<SetId, (Vars, Renaming)>,
    enters: Memo<SetId, (Vars, Renaming)>,
    drops: Memo<SetId, Vars>,
    diagonals: Memo<SetId, Relation>,
    /// What joins the marks of a call and of its caller: it depends on nothing.
    marks: Memo<(), (Relation, Vars, Renaming)>,
    lists: Memo<(SetId, At), Rc<[Column]>>,
}

/// What has been made once, by what it was made from.
struct Memo<K, V>(RefCell<FxHashMap<K, V>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Memo(RefCell::default())
    }
}

impl<K: Copy + Eq + Hash, V: Clone> Memo<K, V> {
    /// The value, made if it is asked for the first time.
    fn get(&self, key: K, make: impl FnOnce(K) -> V) -> V {
        let known = self.0.borrow().get(&key).cloned();
        known.unwrap_or_else(|| {
            let made = make(key);
            self.0.borrow_mut().insert(key, made.clone());
            made
        })
    }

    /// The same where it may be impossible to make it.
    fn try_get(&self, key: K, make: impl FnOnce(K) -> Result<V>) -> Result<V> {
        if let Some(known) = self.0.borrow().get(&key) {
            return Ok(known.clone());
        }
        let made = make(key)?;
        self.0.borrow_mut().insert(key, made.clone());
        Ok(made)
    }
}

impl<'a> System<'a> {
    /// Encodes the rules that the search needs.
    pub fn new(
        spds: &'a Spds,
        control: &'a Control,
        product: Option<&'a Product<'a>>,
        space: &'a Space,
    ) -> Result<Self> {
        let Control { pds, flow, live, callers, .. } = control;
        let sets = &pds.sets;
        let (globals, slots) = (sets.set(pds.layout.global_bits()), sets.set(pds.layout.slots()));
        let mark = sets.set(pds.layout.mark());
        let tag = |t: StateId| match flow.states[t.0 as usize] {
            State::User => control.carried.get(t.0 as usize).copied().unwrap_or(SetId::EMPTY),
            State::Entry(entry) => sets.difference(sets.intersection(control.passed(t), live.at(entry)), mark),
        };
        let out = |t: StateId| {
            flow.pops[t.0 as usize].iter().map(move |&control| {
                let sites = flow.sites[t.0 as usize].iter();
                let heads = sites.filter_map(|&symbol| pds.find(model::Head { control, symbol }));
                let all = heads.fold(SetId::EMPTY, |set, head| sets.union(set, live.at(head)));
                match callers {
                    Callers::Returning => sets.intersection(all, globals),
                    // What is left on the empty stack may be asked for.
                    Callers::All => globals,
                }
            })
        };
        let mut system = System {
            spds,
            control,
            space,
            relations: Relations::none(),
            product,
            tags: flow.state_ids().map(tag).collect(),
            live_out: flow.state_ids().flat_map(out).collect(),
            all: sets.union(globals, slots),
            globals,
            slots,
            mark,
            refused: Cell::default(),
            columns: Columns::default(),
            closures: RefCell::default(),
            measures: RefCell::default(),
        };
        let wanted = |id: RuleId| system.is_wanted(id);
        system.relations = match control.effects {
            Effects::All => Relations::new(spds, pds, product, space, wanted, None)?,
            Effects::Live => {
                let returned = system.live_after_returns();
                let looked_at = |id: RuleId| system.looked_at(id, &returned);
                Relations::new(spds, pds, product, space, wanted, Some(&looked_at))?
            }
        };
        Ok(system)
    }

    /// Whether the search needs a rule: the head that it leaves, and one that it leads to.
    fn is_wanted(&self, id: RuleId) -> bool {
        let rule = self.control.pds.rule_at(id);
        self.needs(rule.from)
            && match rule.kind {
                RuleKind::Step(to) => self.needs(to),
                RuleKind::Pop(_) => true,
                RuleKind::Call(entry, site) => {
                    self.needs(entry) || self.return_heads(entry, site).any(|(_, head)| self.needs(head))
                }
            }
    }

    /// The same system with all that some of its rules do, what is dead afterwards included; `None` if this is so already.
    pub fn in_full(&self, wanted: impl Fn(RuleId) -> bool) -> Result<Option<System<'a>>> {
        let System { spds, control, product, space, .. } = *self;
        let mut rules = control.pds.rules.ids();
        if !rules.any(|rule| wanted(rule) && self.relations.leaves_out(rule)) {
            return Ok(None);
        }
        let wanted = |rule| wanted(rule) && self.relations.rule(rule).is_some();
        Ok(Some(System {
            relations: Relations::new(spds, &control.pds, product, space, wanted, None)?,
            tags: self.tags.clone(),
            live_out: self.live_out.clone(),
            refused: Cell::default(),
            columns: Columns::default(),
            closures: RefCell::default(),
            measures: RefCell::default(),
            ..*self
        }))
    }

    /// For each control location the globals live after some call that has returned in it.
    fn live_after_returns(&self) -> Vec<SetId> {
        let mut all = vec![SetId::EMPTY; self.spds.controls.len()];
        let flow = &self.control.flow;
        for (control, live) in flow.state_ids().flat_map(|t| &flow.pops[t.0 as usize]).zip(&self.live_out) {
            let known = &mut all[control.0 as usize];
            *known = self.union(*known, *live);
        }
        all
    }

    /// The bits that anyone may look at after a rule: on top, and of the frame that a call leaves below. `returned` says it
    /// of returns, by control location.
    fn looked_at(&self, rule: RuleId, returned: &[SetId]) -> [SetId; 2] {
        let flow = &self.control.flow;
        match self.control.pds.kind_of(rule) {
            RuleKind::Step(to) => [self.live(to), SetId::EMPTY],
            RuleKind::Pop(control) => [returned[control.0 as usize], SetId::EMPTY],
            RuleKind::Call(entry, site) => {
                let below = self.return_heads(entry, site);
                let below = below.fold(SetId::EMPTY, |all, (_, head)| self.union(all, self.live(head)));
                let tag = flow.state_of_entry(entry).map_or(self.all, |t| self.tag(t));
                let passing = self.meet(below, self.globals);
                [self.union(self.union(self.live(entry), tag), passing), self.meet(below, self.slots)]
            }
        }
    }

    /// Whether the search needs a head.
    pub fn needs(&self, head: HeadId) -> bool {
        self.control.needed[head.0 as usize]
    }

    /// Tag(t): the entry values that edges into a state carry.
    pub fn tag(&self, state: StateId) -> SetId {
        self.tags[state.0 as usize]
    }

    /// The globals still live after a call that began at a state has returned in this control location.
    pub fn live_out(&self, state: StateId, control: ControlId) -> SetId {
        let pops = &self.control.flow.pops;
        let place = pops[state.0 as usize].iter().position(|&p| p == control);
        place.map_or(SetId::EMPTY, |i| self.live_out[pops.range(state.0 as usize).start + i])
    }

    /// Where a call of this entry can come back to this return site.
    pub fn return_heads(&self, entry: HeadId, symbol: SymbolId) -> impl Iterator<Item = (ControlId, HeadId)> {
        let flow = &self.control.flow;
        let pops = flow.state_of_entry(entry).map_or(&[][..], |t| &flow.pops[t.0 as usize]);
        pops.iter().filter_map(move |&control| {
            self.control.pds.find(model::Head { control, symbol }).map(|head| (control, head))
        })
    }

    /// The bits live at a head.
    pub fn live(&self, head: HeadId) -> SetId {
        self.control.live.at(head)
    }

    /// The bits of a set.
    pub fn bits(&self, set: SetId) -> Vec<Bit> {
        self.control.pds.sets.bits(set)
    }

    /// The bits of a set in one copy, ascending.
    pub fn columns(&self, set: SetId, at: At) -> Rc<[Column]> {
        self.columns.lists.get((set, at), |_| self.bits(set).into_iter().map(|bit| (bit, at)).collect())
    }

    /// All globals.
    pub fn globals(&self) -> SetId {
        self.globals
    }

    /// All local slots.
    pub fn slots(&self) -> SetId {
        self.slots
    }

    /// The bits of arrays.
    pub fn arrays(&self) -> SetId {
        let layout = &self.control.pds.layout;
        let fields = layout.globals().iter().chain(layout.shapes().flatten());
        let bits = fields.filter(|field| field.ty.range.is_some()).flat_map(|field| field.bits());
        self.control.pds.sets.set(bits)
    }

    /// ∃ x0 ∉ live(γ), and the invariant of γ: what a set of values becomes as it arrives at a head from outside.
    pub fn arrive(&self, head: HeadId, set: &Relation) -> Result<Relation> {
        let gone =
            self.columns.drops.get(self.live(head), |live| self.space.vars(self.now(self.without(self.all, live))));
        match self.relations.invariant(&self.control.pds, head) {
            Some(invariant) => self.space.and_exists(set, invariant, gone),
            None => self.space.exists(set, gone),
        }
    }

    /// Step: Drop((∃W0. S ∧ R)\[W1→W0\]), over Now as S is.
    pub fn step(&self, rule: RuleId, to: HeadId, set: &Relation) -> Result<Relation> {
        let Some(relation) = self.relations.rule(rule) else { return Ok(self.space.bottom()) };
        let key = [self.control.pds.writes_of(rule), self.live(to)];
        let (gone, renaming) = self.columns.steps.get(key, |[writes, live]| {
            let old = self.now(self.union(writes, self.without(self.all, live)));
            let dead = self.next(self.without(writes, live));
            (self.space.vars(old.chain(dead)), self.renaming(self.meet(writes, live), At::Next, At::Now))
        });
        let image = self.space.and_exists_rename(set, relation, gone, renaming)?;
        self.keep_invariant(to, image)
    }

    /// Pop: (∃W0,L0. S ∧ R)\[W1→W0\] without what is dead after it, and the entry tag moved from Entry to Next, where
    /// [`System::join`] wants it. The mark stays in Next.
    pub fn pop(&self, rule: RuleId, state: StateId, set: &Relation) -> Result<Relation> {
        let (Some(relation), RuleKind::Pop(control)) = (self.relations.rule(rule), self.control.pds.kind_of(rule))
        else {
            return Ok(self.space.bottom());
        };
        let key = [self.control.pds.writes_of(rule), self.live_out(state, control), self.tag(state)];
        let (gone, renaming) = self.columns.pops.get(key, |[writes, live, tag]| {
            let old = self.now(self.union(writes, self.without(self.all, live)));
            let dead = self.next(self.without(writes, live));
            let dead = dead.filter(|&(bit, _)| !self.is_mark(bit));
            let down = self.bits(self.without(self.meet(writes, live), self.mark)).into_iter();
            let down = down.map(|bit| (bit, At::Next, At::Now));
            let tags = self.bits(tag).into_iter().map(|bit| (bit, At::Entry, At::Next));
            (self.space.vars(old.chain(dead)), self.space.renaming(down.chain(tags)))
        });
        self.space.and_exists_rename(set, relation, gone, renaming)
    }

    /// Call: X over Tag(t') in Next, what the caller keeps in Now (saved locals, globals that pass by), and the caller's
    /// own entry tag. `coming_back` are the heads at which the call may come back.
    pub fn call(&self, rule: RuleId, callee: StateId, set: &Relation) -> Result<Relation> {
        let Some(relation) = self.relations.rule(rule) else { return Ok(self.space.bottom()) };
        let row = self.control.pds.rule_at(rule);
        let RuleKind::Call(entry, site) = row.kind else { return Ok(self.space.bottom()) };
        let backs = self.return_heads(entry, site).filter(|&(_, head)| self.needs(head));
        let kept = match self.control.callers {
            Callers::Returning => backs.fold(SetId::EMPTY, |set, (_, head)| self.union(set, self.live(head))),
            Callers::All => self.all,
        };
        let touched = self.control.modref.touched(callee);
        let key = [row.writes, row.formals, row.saved, touched, self.tag(callee), kept];
        let (gone, renaming) = self.columns.calls.get(key, |[writes, formals, saved, touched, tag, kept]| {
            // Globals in Now: written ones go, those of V(t') go or become the tag, others stay while live.
            let passing = self.meet(self.without(self.globals, touched), kept);
            let tagged = self.without(self.meet(tag, self.globals), writes);
            let locals = self.without(self.meet(self.slots, kept), saved);
            let stay = self.union(self.without(passing, writes), self.union(tagged, locals));
            let old = self.now(self.without(self.all, stay));
            let dead = self.next(self.without(self.union(writes, formals), self.union(tag, self.mark)));
            let unsaved = self.bits(self.without(saved, kept)).into_iter().map(|bit| (bit, At::Saved));
            let up = self.bits(tagged).into_iter().map(|bit| (bit, At::Now, At::Next));
            let marks = self.bits(self.meet(self.mark, writes)).into_iter().map(|bit| (bit, At::Next, At::Now));
            let renaming = self.space.renaming(up.chain(marks));
            (self.space.vars(old.chain(dead).chain(unsaved)), renaming)
        });
        let image = self.space.and_exists_rename(set, relation, gone, renaming)?;
        if row.saved == SetId::EMPTY {
            return Ok(image);
        }
        // A rename 3→0 would cross the copies between: the diagonal does it.
        let changed = self.bits(self.meet(row.saved, kept));
        let diagonal = self.space.identity(changed.iter().copied(), At::Now, At::Saved)?;
        let gone = self.space.vars(changed.into_iter().map(|bit| (bit, At::Saved)));
        self.space.and_exists(&image, &diagonal, gone)
    }

    /// The entry values of a call, over Tag(t') in Now.
    pub fn entries(&self, callee: StateId, calls: &Relation) -> Result<Relation> {
        let (gone, renaming) = self.columns.entries.get(self.tag(callee), |tag| {
            let all = self.bits(self.all);
            let gone = all.iter().flat_map(|&bit| [(bit, At::Now), (bit, At::Entry)]);
            (self.space.vars(gone), self.renaming(tag, At::Next, At::Now))
        });
        self.space.and_exists_rename(calls, calls, gone, renaming)
    }

    /// The entry values of calls that stay pending, over what is live at the entry (Now). An entry tag of the caller is
    /// kept, and the mark goes on: what was met before the call was met on this way.
    pub fn enter(&self, callee: StateId, entry: HeadId, calls: &Relation) -> Result<Relation> {
        let (gone, renaming) = self.columns.enters.get(self.tag(callee), |tag| {
            (self.space.vars(self.now(self.without(self.all, self.mark))), self.renaming(tag, At::Next, At::Now))
        });
        let set = self.space.and_exists_rename(calls, calls, gone, renaming)?;
        self.keep_invariant(entry, set)
    }

    /// Entry: those entry values at the head of the callee, tagged with themselves (Now and Entry agree on Tag(t')).
    pub fn tagged(&self, callee: StateId, entry: HeadId, entries: &Relation) -> Result<Relation> {
        let same = |tag| self.space.identity(self.bits(tag), At::Now, At::Entry);
        let diagonal = self.columns.diagonals.try_get(self.tag(callee), same)?;
        let set = self.space.and(&self.unmarked(entries)?, &diagonal)?;
        self.keep_invariant(entry, set)
    }

    /// Return: Drop(∃Tag(t')1. E ∧ M), where E is what [`System::pop`] gives and M what [`System::call`] gives.
    pub fn join(&self, callee: StateId, summary: &Relation, suspended: &Relation, back: HeadId) -> Result<Relation> {
        let gone = self.columns.joins.get([self.tag(callee), self.live(back)], |[tag, live]| {
            self.space.vars(self.next(tag).chain(self.now(self.without(self.all, live))))
        });
        let image = self.space.and_exists(summary, suspended, gone)?;
        let image = self.either_mark(&image, back)?;
        let kept = self.keep_invariant(back, image.clone())?;
        if kept != image {
            self.refused.set(Refused::Return);
        }
        Ok(kept)
    }

    /// (∃m0,m1. J ∧ (m2 ↔ m0 ∨ m1))\[m2→m0\]: the mark was met if the caller met it (Now) or the callee did (Next).
    fn either_mark(&self, joined: &Relation, back: HeadId) -> Result<Relation> {
        let Some(mark) = self.control.pds.layout.mark() else { return Ok(joined.clone()) };
        let space = self.space;
        if self.meet(self.mark, self.live(back)) == SetId::EMPTY {
            return space.exists(joined, space.vars([(mark, At::Next)]));
        }
        let (met, gone, renaming) = self.columns.marks.try_get((), |()| {
            let [now, next, either] = [At::Now, At::Next, At::Entry].map(|at| space.literal((mark, at), true));
            let met = space.iff(&either?, &space.or(&now?, &next?)?)?;
            let gone = space.vars([(mark, At::Now), (mark, At::Next)]);
            Ok((met, gone, space.renaming([(mark, At::Entry, At::Now)])))
        })?;
        space.and_exists_rename(joined, &met, gone, renaming)
    }

    /// Those of a set (over Now) with which no mark has been met.
    pub fn unmarked(&self, set: &Relation) -> Result<Relation> {
        match self.control.pds.layout.mark() {
            Some(mark) => self.space.and(set, &self.space.literal((mark, At::Now), false)?),
            None => Ok(set.clone()),
        }
    }

    /// Whether some return was refused by an invariant so far.
    pub fn refused(&self) -> Refused {
        self.refused.get()
    }

    /// Something that is only supposed: what it refuses does not count.
    pub(super) fn supposing<T>(&self, something: impl FnOnce() -> T) -> T {
        let before = self.refused.get();
        let outcome = something();
        self.refused.set(before);
        outcome
    }

    /// The bit of the mark, as a set.
    pub fn mark(&self) -> SetId {
        self.mark
    }

    fn is_mark(&self, bit: Bit) -> bool {
        self.control.pds.layout.mark() == Some(bit)
    }

    pub(crate) fn keep_invariant(&self, head: HeadId, set: Relation) -> Result<Relation> {
        match self.relations.invariant(&self.control.pds, head) {
            Some(invariant) => self.space.and(&set, invariant),
            None => Ok(set),
        }
    }

    /// a ∪ b
    pub fn union(&self, a: SetId, b: SetId) -> SetId {
        self.control.pds.sets.union(a, b)
    }

    /// a ∩ b
    pub fn meet(&self, a: SetId, b: SetId) -> SetId {
        self.control.pds.sets.intersection(a, b)
    }

    /// a ∖ b
    pub fn without(&self, a: SetId, b: SetId) -> SetId {
        self.control.pds.sets.difference(a, b)
    }

    fn now(&self, set: SetId) -> impl Iterator<Item = (Bit, At)> + use<> {
        self.bits(set).into_iter().map(|bit| (bit, At::Now))
    }

    fn next(&self, set: SetId) -> impl Iterator<Item = (Bit, At)> + use<> {
        self.bits(set).into_iter().map(|bit| (bit, At::Next))
    }

    fn renaming(&self, set: SetId, from: At, to: At) -> Renaming {
        self.space.renaming(self.bits(set).into_iter().map(|bit| (bit, from, to)))
    }
}
