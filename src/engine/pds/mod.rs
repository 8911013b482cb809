//! A system as the engine sees it: heads, rules between them, and which bits each rule reads and writes.
//!
//! Nothing here is a BDD yet: [`encode`] makes the relations, of those rules only that a search needs.

pub mod bitset;
pub mod blocked;
pub mod cells;
mod circuit;
pub mod delta;
pub mod encode;
pub mod layout;
pub mod order;
mod rules;
mod tabled;

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::Spds;
use spds_format::expr::{Binary, Expr, Op, Time, Unary};
use spds_format::model::{self, ControlId, FrameId, Stack, SymbolId, Var};

use crate::bdd::Bit;
use crate::ltl::atoms::Truth;
use crate::options::Runs;
use crate::product::{Class, Product};

pub use bitset::{BitSets, SetId};
use layout::{Added, Layout, Mark, Shape};
pub use rules::Rules;
use rules::{Action, Packed, Row, Ties};

/// Index of a head ⟨p,γ⟩ that occurs in the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HeadId(pub u32);

/// Index into [`Pds::rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RuleId(pub u32);

/// What a rule does to the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleKind {
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
    pub kind: RuleKind,
    /// Bits read before the step.
    pub reads: SetId,
    /// W: bits whose value after the step the rule determines or leaves arbitrary; for a call and a return globals only.
    /// All others keep theirs. A step into another frame writes all locals.
    pub writes: SetId,
    /// For a call: bits of the callee's locals that it determines.
    pub formals: SetId,
    /// For a call: bits of the saved frame that it changes.
    pub saved: SetId,
    /// Whether it is no step of a run.
    pub silent: bool,
    /// What it is made from.
    pub source: Source,
}

/// What a rule is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// This rule of [`Spds::rules`].
    Rule(u32),
    /// Nothing: where no step is possible the last configuration is repeated (`--runs stutter`).
    Stuck,
}

/// The different actions of a system.
#[derive(Default)]
struct Actions {
    list: Vec<Action>,
    /// For each of them the sets of bits that meet in it.
    ties: Ties,
    mentioned: Mentioned,
    known: FxHashMap<Spelling, u32>,
    /// Those of blocked runs: by what else could happen, and the letters.
    stuck: FxHashMap<(Vec<u32>, Class), u32>,
}

/// What an action depends on. Expressions that are stored once count as equal; others may give equal actions, too.
#[derive(PartialEq, Eq)]
struct Spelling {
    /// What the rule says, and what is known before it.
    expressions: [usize; 4],
    shapes: [Shape; 3],
    stack: std::mem::Discriminant<Stack>,
    same: [bool; 2],
    silent: bool,
    letters: Option<Class>,
}

impl Hash for Spelling {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The rest seldom differs where these do not.
        self.expressions.hash(state);
        self.shapes[0].hash(state);
    }
}

impl Actions {
    fn of(&mut self, pds: &Pds, spds: &Spds, rule: &model::Rule, letters: Option<Class>) -> u32 {
        let frames = spds.frames_of(rule);
        let [here, next, below] = frames;
        let address = |expr: &Option<Expr>| expr.as_ref().map_or(0, Expr::address);
        let spelling = Spelling {
            expressions: [
                address(&rule.guard),
                rule.updates.address(),
                address(&rule.with),
                address(&spds.symbol(rule.from.symbol).invariant),
            ],
            shapes: frames.map(|frame| pds.layout.shape(frame)),
            stack: std::mem::discriminant(&rule.stack),
            same: [here == next, here == below],
            silent: rule.silent,
            letters,
        };
        let (list, ties, mentioned) = (&mut self.list, &mut self.ties, &mut self.mentioned);
        *self.known.entry(spelling).or_insert_with(|| {
            list.push(pds.with_letters(pds.action(rule, frames, mentioned), letters));
            pds.ties(rule, frames, letters, mentioned, ties);
            list.len() as u32 - 1
        })
    }
}

/// The rule that it is.
fn source_of(spds: &Spds, source: Source) -> Option<&model::Rule> {
    match source {
        Source::Rule(rule) => Some(&spds.rules[rule as usize]),
        Source::Stuck => None,
    }
}

/// A system of heads and rules.
pub struct Pds {
    /// Bits of state.
    pub layout: Layout,
    /// The sets of bits that rules refer to.
    pub sets: BitSets,
    /// Rules, those of a head side by side.
    pub rules: Rules,
    /// For each bit, whether it is of an integer that meets the cells of arrays and is no index; empty if no array has wide cells.
    companions: Vec<bool>,
    first: Vec<u32>,
    heads: Heads,
    /// The bits that the automaton reads at the symbols of each class, its own included.
    letters: Vec<SetId>,
}

/// From ⟨p,γ⟩ to its number and back.
enum Heads {
    /// One control location: the number of the symbol. There are so many.
    Single(u32),
    /// Several.
    Several(Vec<model::Head>, FxHashMap<model::Head, HeadId>),
}

impl Pds {
    /// Numbers the heads of a system, or of its product with an automaton, and collects what rules read and write.
    pub fn new(spds: &Spds, product: Option<&Product<'_>>) -> Self {
        let added = product.map_or_else(Added::default, |product| Added {
            state_bits: product.state_bits(),
            mark: if product.marked { Mark::Present } else { Mark::Absent },
        });
        let layout = Layout::new(spds, added);
        let sets = BitSets::new(layout.bits() as usize);
        let heads = match spds.controls.len() {
            1 => Heads::Single(spds.symbols.len() as u32),
            _ => Heads::Several(Vec::new(), FxHashMap::default()),
        };
        let companions = cells::companions(spds, &layout);
        let (rules, first, letters) = (Rules::default(), Vec::new(), Vec::new());
        let mut pds = Pds { layout, sets, rules, companions, first, heads, letters };
        pds.letters = product.map_or_else(Vec::new, |product| pds.letters(spds, product));
        let mut rules = Vec::with_capacity(spds.rules.len());
        let mut actions = Actions::default();
        for (source, rule) in spds.rules.iter().enumerate() {
            let from = pds.intern(rule.from);
            let kind = match rule.stack {
                Stack::Swap(symbol) => RuleKind::Step(pds.intern(model::Head { control: rule.to, symbol })),
                Stack::Pop => RuleKind::Pop(rule.to),
                Stack::Push(symbol, below) => {
                    RuleKind::Call(pds.intern(model::Head { control: rule.to, symbol }), below)
                }
            };
            let letters = product.filter(|_| !rule.silent).map(|product| product.class(rule.from.symbol));
            let action = actions.of(&pds, spds, rule, letters);
            rules.push(Row { from, kind, source: Packed::rule(source), action });
        }
        pds.intern(model::Head { control: spds.start.control, symbol: spds.start.stack[0] });
        rules.sort_by_key(|rule| rule.from);
        if let Some(product) = product.filter(|product| product.runs == Runs::Stutter) {
            // Runs stay for ever where a return leads and no rule goes on.
            pds.intern_resumed(spds);
            let stuck = pds.stuck(spds, product, &rules, &mut actions);
            rules.extend(stuck);
            rules.sort_by_key(|rule| rule.from);
        }
        pds.first = vec![0; pds.head_count() + 1];
        for rule in &rules {
            pds.first[rule.from.0 as usize + 1] += 1;
        }
        for i in 1..pds.first.len() {
            pds.first[i] += pds.first[i - 1];
        }
        pds.rules = Rules { rows: rules, actions: actions.list, ties: actions.ties };
        pds
    }

    /// The number of heads.
    pub fn head_count(&self) -> usize {
        match &self.heads {
            Heads::Single(count) => *count as usize,
            Heads::Several(heads, _) => heads.len(),
        }
    }

    /// ⟨p,γ⟩ of a head.
    pub fn head(&self, head: HeadId) -> model::Head {
        match &self.heads {
            Heads::Single(_) => model::Head { control: ControlId(0), symbol: SymbolId(head.0) },
            Heads::Several(heads, _) => heads[head.0 as usize],
        }
    }

    /// The head ⟨p,γ⟩, if it has been numbered.
    pub fn find(&self, head: model::Head) -> Option<HeadId> {
        match &self.heads {
            Heads::Single(_) => Some(HeadId(head.symbol.0)),
            Heads::Several(_, numbers) => numbers.get(&head).copied(),
        }
    }

    /// The head ⟨p,γ⟩, numbered if it was not.
    pub fn intern(&mut self, head: model::Head) -> HeadId {
        match &mut self.heads {
            Heads::Single(_) => HeadId(head.symbol.0),
            Heads::Several(heads, numbers) => *numbers.entry(head).or_insert_with(|| {
                heads.push(head);
                HeadId(heads.len() as u32 - 1)
            }),
        }
    }

    /// Numbers the heads at which a return may resume what lies below a call, or below the start. Not all of them have rules.
    pub fn intern_resumed(&mut self, spds: &Spds) {
        let pushed = spds.rules.iter().filter_map(|rule| match rule.stack {
            Stack::Push(_, site) => Some(site),
            _ => None,
        });
        let sites: BTreeSet<SymbolId> = pushed.chain(spds.start.stack[1..].iter().copied()).collect();
        let returns = spds.rules.iter().filter(|rule| rule.stack == Stack::Pop);
        let controls: BTreeSet<ControlId> = returns.map(|rule| rule.to).collect();
        for control in controls {
            sites.iter().for_each(|&symbol| {
                self.intern(model::Head { control, symbol });
            });
        }
    }

    /// Whether configurations with a head are seen by no one. All rules of a head are silent or none is.
    pub fn is_hidden(&self, head: HeadId) -> bool {
        self.rules_of(head).next().is_some_and(|rule| self.rule_at(rule).silent)
    }

    /// The rules of a head.
    pub fn rules_of(&self, head: HeadId) -> impl Iterator<Item = RuleId> + Clone + use<> {
        let i = head.0 as usize;
        // Heads numbered after construction have no rules.
        let range = if i + 1 < self.first.len() { self.first[i]..self.first[i + 1] } else { 0..0 };
        range.map(RuleId)
    }

    /// The rule.
    pub fn rule_at(&self, rule: RuleId) -> Rule {
        self.rules.get(rule)
    }

    /// What a rule does to the stack.
    #[inline]
    pub fn kind_of(&self, rule: RuleId) -> RuleKind {
        self.rules.rows[rule.0 as usize].kind
    }

    /// The bits whose value after the step a rule determines or leaves arbitrary.
    #[inline]
    pub fn writes_of(&self, rule: RuleId) -> SetId {
        self.rules.actions[self.rules.action_of(rule)].writes
    }

    fn action(&self, rule: &model::Rule, frames: [Option<FrameId>; 3], mentioned: &mut Mentioned) -> Action {
        let sets = &self.sets;
        let [here, next, below] = frames;
        mentioned.clear();
        let expressions = rule.guard.iter().chain(&rule.with);
        let inner = rule.updates.iter().flat_map(|u| u.index.iter().chain(std::iter::once(&u.value)));
        for expr in expressions.chain(inner) {
            self.mention(expr.ops(), frames, mentioned);
        }
        for update in rule.updates.iter() {
            let frame = if update.time == Time::Saved { below } else { next };
            let bits = self.cells_bits(update.var, frame, update.index.as_ref());
            // Cells that a computed index does not meet keep their value: the relation reads them all.
            if update.index.as_ref().is_some_and(|index| !matches!(index.ops(), [Op::Number(_)])) {
                let kept = match (update.var, update.time) {
                    (Var::Global(_), _) => true,
                    (Var::Local(_), Time::Saved) => below == here,
                    (Var::Local(_), _) => matches!(rule.stack, Stack::Swap(_)) && next == here,
                };
                if kept {
                    mentioned.before.push((update.var, bits.clone()));
                }
            }
            mentioned.at(update.time).push((update.var, bits));
        }
        let of = |list: &[(Var, Bits)]| sets.set(list.iter().flat_map(|(_, bits)| bits.clone().map(Bit)));
        let of_some = |global: bool| {
            let some = mentioned.after.iter().filter(|(var, _)| matches!(var, Var::Global(_)) == global);
            sets.set(some.flat_map(|(_, bits)| bits.clone().map(Bit)))
        };
        let slots = |frame: Option<FrameId>| sets.set(self.layout.locals(frame).iter().flat_map(|field| field.bits()));
        let (globals, locals) = (of_some(true), of_some(false));
        let other = |frame| if frame == here { SetId::EMPTY } else { sets.union(slots(here), slots(frame)) };
        let (writes, formals, saved) = match rule.stack {
            Stack::Swap(_) => (sets.union(sets.union(globals, locals), other(next)), SetId::EMPTY, SetId::EMPTY),
            Stack::Pop => (globals, SetId::EMPTY, SetId::EMPTY),
            Stack::Push(..) => (globals, locals, sets.union(of(&mentioned.saved), other(below))),
        };
        Action { reads: of(&mentioned.before), writes, formals, saved, silent: rule.silent, letters: None }
    }

    /// Adds the sets of bits that meet in a rule.
    fn ties(
        &self,
        rule: &model::Rule,
        frames: [Option<FrameId>; 3],
        letters: Option<Class>,
        mentioned: &mut Mentioned,
        ties: &mut Ties,
    ) {
        let [_, next, below] = frames;
        ties.extend(letters.map(|class| self.letters[class.0 as usize]));
        let bits = |mentioned: &Mentioned| {
            let all = mentioned.before.iter().chain(&mentioned.after).chain(&mentioned.saved);
            self.sets.set(all.flat_map(|(_, bits)| bits.clone().map(Bit)))
        };
        for update in rule.updates.iter() {
            mentioned.clear();
            let frame = if update.time == Time::Saved { below } else { next };
            mentioned.after.push((update.var, self.cells_bits(update.var, frame, update.index.as_ref())));
            update.index.iter().chain([&update.value]).for_each(|expr| self.mention(expr.ops(), frames, mentioned));
            ties.extend([bits(mentioned)]);
        }
        for condition in rule.guard.iter().chain(&rule.with) {
            for_each_part(condition.ops(), |part| {
                mentioned.clear();
                self.mention(part, frames, mentioned);
                ties.extend([bits(mentioned)]);
            });
        }
        ties.end();
    }

    /// What the automaton reads and writes besides.
    fn with_letters(&self, action: Action, letters: Option<Class>) -> Action {
        let Some(class) = letters else { return action };
        let own = self.sets.set(self.layout.automaton_bits().chain(self.layout.mark()));
        Action {
            reads: self.sets.union(action.reads, self.letters[class.0 as usize]),
            writes: self.sets.union(action.writes, own),
            letters,
            ..action
        }
    }

    /// The bits that the automaton reads at the symbols of each class.
    fn letters(&self, spds: &Spds, product: &Product<'_>) -> Vec<SetId> {
        let own = self.sets.set(self.layout.automaton_bits().chain(self.layout.mark()));
        let mut letters = vec![own; product.class_count()];
        let mut seen = vec![false; product.class_count()];
        for symbol in (0..spds.symbols.len() as u32).map(SymbolId) {
            let class = product.class(symbol);
            if std::mem::replace(&mut seen[class.0 as usize], true) {
                continue;
            }
            let all = &mut letters[class.0 as usize];
            for (_, meaning) in product.conditions(class) {
                if let Truth::Condition(condition) = meaning.at(spds, symbol) {
                    *all = self.sets.union(*all, self.reads(condition, spds.symbol(symbol).frame));
                }
            }
        }
        letters
    }

    /// For each visible head at which runs may be blocked, the loop that repeats a blocked configuration.
    fn stuck(&mut self, spds: &Spds, product: &Product<'_>, rules: &[Row], actions: &mut Actions) -> Vec<Row> {
        let mut by_head: Vec<(HeadId, &[Row])> =
            rules.chunk_by(|a, b| a.from == b.from).map(|rows| (rows[0].from, rows)).collect();
        let with_rules: FxHashSet<HeadId> = by_head.iter().map(|(head, _)| *head).collect();
        let heads = (0..self.head_count() as u32).map(HeadId);
        by_head.extend(heads.filter(|head| !with_rules.contains(head)).map(|head| (head, &[][..])));
        let hidden = blocked::somewhere_hidden(spds);
        let mut loops = Vec::new();
        for (from, rows) in by_head {
            let sources = || rows.iter().filter_map(|row| source_of(spds, row.source.unpacked()));
            if sources().any(|rule| rule.silent || blocked::is_total(spds, &hidden, rule)) {
                continue;
            }
            let symbol = self.head(from).symbol;
            let class = product.class(symbol);
            // What a rule leads into may yet refuse it, for reasons of its own.
            let refusable = sources().any(|rule| blocked::may_be_refused(spds, &hidden, rule));
            let mut among: Vec<u32> = rows.iter().map(|row| row.action).collect();
            among.sort_unstable();
            among.dedup();
            // Sets that depend on where rules lead are those of this head alone.
            if refusable {
                among.push(u32::MAX - from.0);
            }
            let reads = if refusable {
                self.sets.set(self.layout.scope(spds, symbol))
            } else {
                rows.iter().fold(SetId::EMPTY, |set, row| self.sets.union(set, actions.list[row.action as usize].reads))
            };
            let (list, ties) = (&mut actions.list, &mut actions.ties);
            let action = *actions.stuck.entry((among, class)).or_insert_with(|| {
                let plain = Action { reads, ..Action::default() };
                list.push(self.with_letters(plain, Some(class)));
                ties.extend([self.letters[class.0 as usize]]);
                ties.end();
                list.len() as u32 - 1
            });
            loops.push(Row { from, kind: RuleKind::Step(from), source: Packed::STUCK, action });
        }
        loops
    }

    /// What the automaton reads in a rule, its own bits included; nothing if it does not move.
    pub fn letters_of(&self, rule: RuleId) -> SetId {
        let action = &self.rules.actions[self.rules.action_of(rule)];
        action.letters.map_or(SetId::EMPTY, |class| self.letters[class.0 as usize])
    }

    /// The bits that an expression over the globals and the locals of one frame reads.
    pub fn reads(&self, expr: &Expr, frame: Option<FrameId>) -> SetId {
        let mut mentioned = Mentioned::default();
        self.mention(expr.ops(), [frame, None, None], &mut mentioned);
        self.sets.set(mentioned.before.into_iter().flat_map(|(_, bits)| bits.map(Bit)))
    }

    fn mention(&self, ops: &[Op], frames: [Option<FrameId>; 3], into: &mut Mentioned) {
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
                Some(Some(index)) => field.cell_of_index(index).map_or(0..0, |cell| field.cell_range(cell)),
                _ => field.range(),
            };
            into.at(time).push((var, bits));
        }
    }

    /// The bits of the cells that an assignment to `var[index]` may change.
    fn cells_bits(&self, var: Var, frame: Option<FrameId>, index: Option<&Expr>) -> Bits {
        let field = self.layout.field(var, frame);
        match index.map(Expr::ops) {
            Some([Op::Number(index)]) => field.cell_of_index(*index).map_or(0..0, |cell| field.cell_range(cell)),
            _ => field.range(),
        }
    }
}

/// Does something with the largest parts of a condition that are no conjunctions, disjunctions or negations.
fn for_each_part<'o>(ops: &'o [Op], mut see: impl FnMut(&'o [Op])) {
    let joins = |op: Op| matches!(op, Op::Unary(Unary::Not) | Op::Binary(Binary::And | Binary::Or | Binary::Implies));
    if !ops.last().copied().is_some_and(joins) {
        return see(ops);
    }
    let mut starts: Vec<usize> = Vec::with_capacity(ops.len());
    for (i, op) in ops.iter().enumerate() {
        let start = (0..op.arity()).fold(i, |end, _| starts[end - 1]);
        starts.push(start);
    }
    let mut open = vec![ops.len() - 1];
    while let Some(at) = open.pop() {
        if !joins(ops[at]) {
            see(&ops[starts[at]..=at]);
            continue;
        }
        let mut end = at;
        for _ in 0..ops[at].arity() {
            open.push(end - 1);
            end = starts[end - 1];
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

/// Bits that lie side by side.
type Bits = std::ops::Range<u32>;

/// Variables mentioned by a rule, with the bits meant, by time.
#[derive(Default)]
struct Mentioned {
    before: Vec<(Var, Bits)>,
    after: Vec<(Var, Bits)>,
    saved: Vec<(Var, Bits)>,
}

impl Mentioned {
    fn clear(&mut self) {
        [&mut self.before, &mut self.after, &mut self.saved].into_iter().for_each(Vec::clear);
    }

    fn at(&mut self, time: Time) -> &mut Vec<(Var, Bits)> {
        match time {
            Time::Before => &mut self.before,
            Time::After => &mut self.after,
            Time::Saved => &mut self.saved,
        }
    }
}
