//! A system as the engine sees it: heads, rules between them, and which bits each rule reads and writes.
//!
//! Nothing here is a BDD yet: [`encode`] makes the relations, of those rules only that a search needs.

pub mod bitset;
mod circuit;
pub mod encode;
pub mod layout;
pub mod order;

use rustc_hash::FxHashMap;
use spds_format::Spds;
use spds_format::expr::{Expr, Op, Time};
use spds_format::model::{self, ControlId, FrameId, Stack, SymbolId, Var};

use crate::bdd::Bit;

pub use bitset::{BitSets, SetId};
use layout::Layout;

/// Index of a head ⟨p,γ⟩ that occurs in the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeadId(pub u32);

/// Index into [`Pds::rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub u32);

/// What a rule does to the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// ⟨p,γ⟩ → ⟨p',γ'⟩
    Step(HeadId),
    /// ⟨p,γ⟩ → ⟨p',ε⟩
    Pop(ControlId),
    /// ⟨p,γ⟩ → ⟨p',γ'γ''⟩: the callee's entry and the return site.
    Call(HeadId, SymbolId),
}

/// A rule, with the bits that its relation mentions.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// ⟨p,γ⟩
    pub from: HeadId,
    /// What it does to the stack.
    pub kind: Kind,
    /// Bits read before the step.
    pub reads: SetId,
    /// W: bits whose value after the step the rule determines or leaves arbitrary; for a call and a return globals only.
    /// All others keep theirs. A step into another frame writes all locals.
    pub writes: SetId,
    /// W without what only the change of frame adds.
    pub meets: SetId,
    /// For a call: bits of the callee's locals that it determines.
    pub formals: SetId,
    /// For a call: bits of the saved frame that it changes.
    pub saved: SetId,
    /// Whether it is no step of a run.
    pub silent: bool,
    /// The rule in [`Spds::rules`].
    pub source: u32,
}

/// A system of heads and rules.
pub struct Pds {
    /// Bits of state.
    pub layout: Layout,
    /// The sets of bits that rules refer to.
    pub sets: BitSets,
    /// Rules, those of a head side by side.
    pub rules: Vec<Rule>,
    first: Vec<u32>,
    heads: Vec<model::Head>,
    index: Index,
}

/// From ⟨p,γ⟩ to its number.
enum Index {
    /// One control location: the number of the symbol.
    Single,
    /// Several.
    Several(FxHashMap<model::Head, HeadId>),
}

impl Pds {
    /// Numbers the heads of a system and collects what its rules read and write.
    pub fn new(spds: &Spds) -> Self {
        let layout = Layout::new(spds);
        let sets = BitSets::new(layout.bits() as usize);
        let index = if spds.controls.len() == 1 { Index::Single } else { Index::Several(FxHashMap::default()) };
        let mut pds = Pds { layout, sets, rules: Vec::new(), first: Vec::new(), heads: Vec::new(), index };
        if let Index::Single = pds.index {
            let all = 0..spds.symbols.len() as u32;
            pds.heads = all.map(|i| model::Head { control: ControlId(0), symbol: SymbolId(i) }).collect();
        }
        let mut rules = Vec::with_capacity(spds.rules.len());
        for (source, rule) in spds.rules.iter().enumerate() {
            let from = pds.intern(rule.from);
            let kind = match rule.stack {
                Stack::Swap(symbol) => Kind::Step(pds.intern(model::Head { control: rule.to, symbol })),
                Stack::Pop => Kind::Pop(rule.to),
                Stack::Push(symbol, below) => Kind::Call(pds.intern(model::Head { control: rule.to, symbol }), below),
            };
            rules.push(pds.rule(spds, source, from, kind));
        }
        pds.intern(model::Head { control: spds.start.control, symbol: spds.start.stack[0] });
        rules.sort_by_key(|rule| rule.from);
        pds.first = vec![0; pds.heads.len() + 1];
        for rule in &rules {
            pds.first[rule.from.0 as usize + 1] += 1;
        }
        for i in 1..pds.first.len() {
            pds.first[i] += pds.first[i - 1];
        }
        pds.rules = rules;
        pds
    }

    /// The number of heads.
    pub fn head_count(&self) -> usize {
        self.heads.len()
    }

    /// ⟨p,γ⟩ of a head.
    pub fn head(&self, head: HeadId) -> model::Head {
        self.heads[head.0 as usize]
    }

    /// The head ⟨p,γ⟩, if it has been numbered.
    pub fn find(&self, head: model::Head) -> Option<HeadId> {
        match &self.index {
            Index::Single => Some(HeadId(head.symbol.0)),
            Index::Several(map) => map.get(&head).copied(),
        }
    }

    /// The head ⟨p,γ⟩, numbered if it was not.
    pub fn intern(&mut self, head: model::Head) -> HeadId {
        match &mut self.index {
            Index::Single => HeadId(head.symbol.0),
            Index::Several(map) => *map.entry(head).or_insert_with(|| {
                self.heads.push(head);
                HeadId(self.heads.len() as u32 - 1)
            }),
        }
    }

    /// The rules of a head.
    pub fn rules_of(&self, head: HeadId) -> impl Iterator<Item = RuleId> + Clone + use<> {
        let i = head.0 as usize;
        // Heads numbered after construction have no rules.
        let range = if i + 1 < self.first.len() { self.first[i]..self.first[i + 1] } else { 0..0 };
        range.map(RuleId)
    }

    /// The rule.
    pub fn rule_at(&self, rule: RuleId) -> &Rule {
        &self.rules[rule.0 as usize]
    }

    fn rule(&self, spds: &Spds, source: usize, from: HeadId, kind: Kind) -> Rule {
        let rule = &spds.rules[source];
        let sets = &self.sets;
        let here = spds.symbol(rule.from.symbol).frame;
        let (next, below) = match rule.stack {
            Stack::Pop => (None, None),
            Stack::Swap(symbol) => (spds.symbol(symbol).frame, None),
            Stack::Push(symbol, below) => (spds.symbol(symbol).frame, spds.symbol(below).frame),
        };
        let mut mentioned = Mentioned::default();
        let expressions = rule.guard.iter().chain(&rule.with);
        let inner = rule.updates.iter().flat_map(|u| u.index.iter().chain(std::iter::once(&u.value)));
        for expr in expressions.chain(inner) {
            self.mention(expr, [here, next, below], &mut mentioned);
        }
        for update in rule.updates.iter() {
            let frame = if update.time == Time::Saved { below } else { next };
            let bits = self.cells_bits(update.var, frame, update.index.as_ref());
            // Cells that a computed index does not meet keep their value: the relation reads them all.
            if update.index.as_ref().is_some_and(|index| !matches!(index.ops(), [Op::Number(_)])) {
                let kept = match (update.var, update.time) {
                    (Var::Global(_), _) => true,
                    (Var::Local(_), Time::Saved) => below == here,
                    (Var::Local(_), _) => matches!(kind, Kind::Step(_)) && next == here,
                };
                if kept {
                    mentioned.before.push((update.var, bits.clone()));
                }
            }
            mentioned.at(update.time).push((update.var, bits));
        }
        let of = |list: &[(Var, Vec<Bit>)]| sets.set(list.iter().flat_map(|(_, bits)| bits.iter().copied()));
        let slots = |frame: Option<FrameId>| sets.set(self.layout.locals(frame).iter().flat_map(|field| field.bits()));
        let (globals, locals): (Vec<_>, Vec<_>) =
            mentioned.after.into_iter().partition(|(var, _)| matches!(var, Var::Global(_)));
        let (globals, locals) = (of(&globals), of(&locals));
        let other = |frame| if frame == here { SetId::EMPTY } else { sets.union(slots(here), slots(frame)) };
        let (meets, writes, formals, saved) = match kind {
            Kind::Step(_) => {
                let meets = sets.union(globals, locals);
                (meets, sets.union(meets, other(next)), SetId::EMPTY, SetId::EMPTY)
            }
            Kind::Pop(_) => (globals, globals, SetId::EMPTY, SetId::EMPTY),
            Kind::Call(..) => (globals, globals, locals, sets.union(of(&mentioned.saved), other(below))),
        };
        let silent = rule.silent;
        Rule { from, kind, reads: of(&mentioned.before), writes, meets, formals, saved, silent, source: source as u32 }
    }

    /// The bits that an expression over the globals and the locals of one frame reads.
    pub fn reads(&self, expr: &Expr, frame: Option<FrameId>) -> SetId {
        let mut mentioned = Mentioned::default();
        self.mention(expr, [frame, None, None], &mut mentioned);
        self.sets.set(mentioned.before.into_iter().flat_map(|(_, bits)| bits))
    }

    fn mention(&self, expr: &Expr, frames: [Option<FrameId>; 3], into: &mut Mentioned) {
        let ops = expr.ops();
        for (i, op) in ops.iter().enumerate() {
            let (var, time, index) = match *op {
                Op::Read(var, time) => (var, time, None),
                // A relation over one cell after the step takes the whole array out of the frame.
                Op::Cell(var, Time::Before) => (var, Time::Before, Some(constant_before(ops, i))),
                Op::Cell(var, time) => (var, time, None),
                _ => continue,
            };
            let field = self.layout.field(var, frames[time as usize]);
            let bits = match index {
                Some(Some(index)) => field.cell_of_index(index).map_or(Vec::new(), |cell| field.cell(cell).collect()),
                _ => field.bits().collect(),
            };
            into.at(time).push((var, bits));
        }
    }

    /// The bits of the cells that an assignment to `var[index]` may change.
    fn cells_bits(&self, var: Var, frame: Option<FrameId>, index: Option<&Expr>) -> Vec<Bit> {
        let field = self.layout.field(var, frame);
        match index.map(Expr::ops) {
            Some([Op::Number(index)]) => {
                field.cell_of_index(*index).map_or(Vec::new(), |cell| field.cell(cell).collect())
            }
            _ => field.bits().collect(),
        }
    }
}

/// The number just before a position, if it is the whole operand of the operation there.
fn constant_before(ops: &[Op], at: usize) -> Option<u64> {
    match ops[at - 1] {
        Op::Number(number) => Some(number),
        _ => None,
    }
}

/// Variables mentioned by a rule, with the bits meant, by time.
#[derive(Default)]
struct Mentioned {
    before: Vec<(Var, Vec<Bit>)>,
    after: Vec<(Var, Vec<Bit>)>,
    saved: Vec<(Var, Vec<Bit>)>,
}

impl Mentioned {
    fn at(&mut self, time: Time) -> &mut Vec<(Var, Vec<Bit>)> {
        match time {
            Time::Before => &mut self.before,
            Time::After => &mut self.after,
            Time::Saved => &mut self.saved,
        }
    }
}
