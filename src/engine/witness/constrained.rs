//! Which values a trace constrains: those that are equal in all runs along the same lines.
//!
//! Bebop prints only these (see [`crate::saturation`], "Witnesses"). They are a property of the trace, so live ranges and
//! MOD/REF have no say here: sets of whole configurations, stack included, are followed along the trace and then filtered
//! from its end backwards. The stack along a trace is known, so every depth has local slots of its own.

use std::collections::BTreeSet;

use spds_format::Spds;
use spds_format::expr::Expr;
use spds_format::model::{self, Stack};

use crate::bdd::{At, Bit, EngineKind, Relation, Renaming, Space, Universe, Vars};
use crate::limits::{Limits, Stop};
use crate::pds::encode::{Encoder, Placing};
use crate::pds::layout::{Field, Layout};
use crate::pds::{Pds, Rule, SetId, Source};
use crate::run::{Config, Ending, Run, Step, Then};

type Result<T> = std::result::Result<T, Stop>;

/// One configuration of a run in full form, hidden ones included.
#[derive(Clone, Copy, Debug)]
pub struct Line<'r> {
    /// The configuration.
    pub config: &'r Config,
    /// Frames below it.
    pub depth: u32,
}

/// For a configuration: whether each global, and each local in scope, has the same value in all runs along these lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constrained {
    /// By global.
    pub globals: Vec<bool>,
    /// By local of the topmost frame.
    pub locals: Vec<bool>,
}

/// The configurations of a run's stem in full form. As long as the run is, which can be exponential.
pub fn lines(run: &Run) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut open: Vec<(std::slice::Iter<'_, Step>, u32)> = vec![(run.stem.iter(), 0)];
    while let Some((steps, base)) = open.last_mut() {
        let Some(step) = steps.next() else {
            open.pop();
            continue;
        };
        let depth = *base + step.depth;
        lines.push(Line { config: &step.config, depth });
        if let Then::Call(call) = step.then {
            open.push((run.calls[call].steps.iter(), depth + 1));
        }
    }
    lines
}

/// What the trace constrains at each of its lines. The run must be one of the system, without leaps.
///
/// # Errors
/// If a limit is met, or the stack is too deep for the number of variables that an engine has.
pub fn constrained(spds: &Spds, lines: &[Line<'_>], ending: Ending, limits: &Limits) -> Result<Vec<Constrained>> {
    let pds = Pds::new(spds, None);
    let layout = &pds.layout;
    let globals = layout.global_bits().count() as u32;
    let slots = layout.bits() - globals;
    let deepest = lines.iter().map(|line| line.depth).max().unwrap_or(0);
    let bits = u64::from(slots) * (u64::from(deepest) + 1) + u64::from(globals);
    let bits = u32::try_from(bits).map_err(|_| Stop::Width)?;
    let order: Vec<Bit> = (globals..bits).rev().chain(0..globals).map(Bit).collect();
    let universe = Universe { bits, order, saved: BTreeSet::new().into_iter().collect() };
    let space = match Space::new(universe.clone(), EngineKind::Biodivine, limits, None) {
        Err(Stop::Width) => Space::new(universe, EngineKind::Shared, limits, None)?,
        space => space?,
    };
    let encoder = Encoder::new(spds, layout, &space);
    let along = Along { spds, pds: &pds, layout, space: &space, encoder, slots };
    let moves = along.moves(lines)?;
    let mut sets = along.forwards(lines, &moves)?;
    if ending == Ending::Failed
        && let (Some(line), Some(set)) = (lines.last(), sets.last_mut())
    {
        *set = space.and(set, &along.fails(line)?)?;
    }
    for i in (0..moves.len()).rev() {
        sets[i] = along.before(&moves[i], &sets[i], &sets[i + 1])?;
    }
    lines.iter().zip(&sets).map(|(line, set)| along.constrained(line, set)).collect()
}

struct Along<'a> {
    spds: &'a Spds,
    pds: &'a Pds,
    layout: &'a Layout,
    space: &'a Space,
    encoder: Encoder<'a>,
    slots: u32,
}

/// The rules that lead from one line to the next, each with what it writes.
struct Move(Vec<Way>);

struct Way {
    relation: Relation,
    /// Bits that have another value afterwards, in Now and in Next, and the renamings between.
    written_now: Vars,
    written_next: Vars,
    down: Renaming,
    up: Renaming,
    /// Bits that do not exist afterwards.
    left: Vars,
}

impl Along<'_> {
    fn moves(&self, lines: &[Line<'_>]) -> Result<Vec<Move>> {
        // Where the call made at a line comes back, if it does.
        let mut sites = vec![None; lines.len()];
        let mut latest: Vec<Option<&Config>> = Vec::new();
        for (i, line) in lines.iter().enumerate().rev() {
            let depth = line.depth as usize;
            latest.truncate(latest.len().min(depth + 2));
            latest.resize(latest.len().max(depth + 1), None);
            sites[i] = latest[depth].map(|config| config.symbol);
            latest.truncate(depth + 1);
            latest[depth] = Some(line.config);
        }
        let pairs = lines.windows(2).zip(&sites);
        pairs.map(|(pair, &site)| self.step(&pair[0], &pair[1], site)).collect()
    }

    fn step(&self, here: &Line<'_>, next: &Line<'_>, site: Option<model::SymbolId>) -> Result<Move> {
        let mut ways = Vec::new();
        for row in self.rules_of(here.config) {
            let rule = self.rule(&row);
            let fits = rule.to == next.config.control
                && match rule.stack {
                    Stack::Swap(symbol) => symbol == next.config.symbol && here.depth == next.depth,
                    Stack::Pop => next.depth + 1 == here.depth || here.depth == 0,
                    Stack::Push(symbol, below) => {
                        symbol == next.config.symbol
                            && here.depth + 1 == next.depth
                            && site.is_none_or(|site| site == below)
                    }
                };
            if fits {
                ways.push(self.way(&row, here.depth)?);
            }
        }
        Ok(Move(ways))
    }

    fn rules_of(&self, config: &Config) -> impl Iterator<Item = Rule> {
        let head = self.pds.find(model::Head { control: config.control, symbol: config.symbol });
        head.into_iter().flat_map(|head| self.pds.rules_of(head)).map(|id| self.pds.rule_at(id))
    }

    fn rule(&self, row: &Rule) -> &model::Rule {
        let Source::Rule(rule) = row.source else { unreachable!("only products have other rules") };
        &self.spds.rules[rule as usize]
    }

    fn shift(&self, depth: u32) -> u32 {
        self.slots * depth
    }

    fn frame_bits(&self, depth: u32) -> impl Iterator<Item = Bit> + use<> {
        let shift = self.shift(depth);
        self.layout.slots().map(move |Bit(bit)| Bit(bit + shift))
    }

    fn way(&self, row: &Rule, depth: u32) -> Result<Way> {
        let rule = self.rule(row);
        let after = if matches!(rule.stack, Stack::Push(..)) { depth + 1 } else { depth };
        let place = |at, depth| Placing { at, shift: self.shift(depth) };
        let placing = [place(At::Now, depth), place(At::Next, after), place(At::Next, depth)];
        let relation = self.encoder.placed_rule(rule, placing)?;
        let sets = &self.pds.sets;
        let moved = |set: SetId, depth: u32| {
            let shift = self.shift(depth);
            sets.bits(set).into_iter().map(move |bit| if self.layout.is_global(bit) { bit } else { Bit(bit.0 + shift) })
        };
        let mut written: BTreeSet<Bit> = moved(row.writes, depth).chain(moved(row.saved, depth)).collect();
        if after > depth {
            written.extend(self.frame_bits(after));
        }
        let left: Vec<Bit> = if rule.stack == Stack::Pop { self.frame_bits(depth).collect() } else { Vec::new() };
        let space = self.space;
        Ok(Way {
            relation,
            written_now: space.vars(written.iter().map(|&bit| (bit, At::Now))),
            written_next: space.vars(written.iter().map(|&bit| (bit, At::Next))),
            down: space.renaming(written.iter().map(|&bit| (bit, At::Next, At::Now))),
            up: space.renaming(written.iter().map(|&bit| (bit, At::Now, At::Next))),
            left: space.vars(left.into_iter().map(|bit| (bit, At::Now))),
        })
    }

    fn forwards(&self, lines: &[Line<'_>], moves: &[Move]) -> Result<Vec<Relation>> {
        let space = self.space;
        let Some(first) = lines.first() else { return Ok(Vec::new()) };
        let mut set = self.invariant(first)?;
        if let Some(condition) = &self.spds.start.condition {
            set = space.and(&set, &self.condition(condition, first)?)?;
        }
        let mut sets = vec![set];
        for (Move(ways), next) in moves.iter().zip(&lines[1..]) {
            let mut after = space.bottom();
            for way in ways {
                let set = sets.last().expect("it began with one");
                let image = space.and_exists_rename(set, &way.relation, way.written_now, way.down)?;
                after = space.or(&after, &space.exists(&image, way.left)?)?;
            }
            sets.push(space.and(&after, &self.invariant(next)?)?);
        }
        Ok(sets)
    }

    /// Those of a set from which a move leads to another.
    fn before(&self, Move(ways): &Move, set: &Relation, after: &Relation) -> Result<Relation> {
        let space = self.space;
        let mut before = space.bottom();
        for way in ways {
            let after = space.rename(after, way.up)?;
            let back = space.and_exists(&way.relation, &after, way.written_next)?;
            before = space.or(&before, &back)?;
        }
        space.and(set, &before)
    }

    fn condition(&self, condition: &Expr, line: &Line<'_>) -> Result<Relation> {
        let frame = self.spds.symbol(line.config.symbol).frame;
        self.encoder.placed_condition(condition, frame, Placing { at: At::Now, shift: self.shift(line.depth) })
    }

    fn invariant(&self, line: &Line<'_>) -> Result<Relation> {
        match &self.spds.symbol(line.config.symbol).invariant {
            Some(invariant) => self.condition(invariant, line),
            None => Ok(self.space.top()),
        }
    }

    /// The values with which the assertion at a line can fail.
    fn fails(&self, line: &Line<'_>) -> Result<Relation> {
        let space = self.space;
        let mut all = space.bottom();
        for row in self.rules_of(line.config) {
            if matches!(self.rule(&row).stack, Stack::Swap(symbol) if Some(symbol) == self.spds.fail) {
                let way = self.way(&row, line.depth)?;
                all = space.or(&all, &space.exists(&way.relation, way.written_next)?)?;
            }
        }
        Ok(all)
    }

    fn constrained(&self, line: &Line<'_>, set: &Relation) -> Result<Constrained> {
        let shift = self.shift(line.depth);
        let locals = self.layout.locals(self.spds.symbol(line.config.symbol).frame);
        let globals = self.layout.globals().iter().map(|field| self.is_fixed(*field, set)).collect::<Result<_>>()?;
        let locals = locals.iter().map(|field| self.is_fixed(Field { base: field.base + shift, ..*field }, set));
        Ok(Constrained { globals, locals: locals.collect::<Result<_>>()? })
    }

    fn is_fixed(&self, field: Field, set: &Relation) -> Result<bool> {
        for bit in field.bits() {
            let one = self.space.literal((bit, At::Now), true)?;
            let (with, without) = (self.space.and(set, &one)?, self.space.and_not(set, &one)?);
            if !self.space.is_empty(&with) && !self.space.is_empty(&without) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
