//! What is in a set, asked of its relations: how many configurations, and whether those of another set are.
//!
//! [`crate::enumeration`] answers the same of automata with formulas by trying values. Here no value is tried: letters are sets
//! of values, and what a state carries falls into classes with the same future. Classes are split until each edge leads
//! from all of a class to the same classes by the same letters, as in Moore's minimisation of automata; then the automaton
//! is made deterministic as far as it is needed.
//!
//! Time grows with the number of classes, whatever the width of integers. There are as many as values are carried if each of
//! them has a future of its own.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use spds_format::Spds;
use spds_format::automaton::End;
use spds_format::model::{ControlId, SymbolId, Var, Variable};

use super::symbolic::{Edge, Symbolic};
use crate::bdd::{At, Column, Relation};
use crate::enumeration::{Count, Counted, Weighted};
use crate::limits::Stop;
use crate::pds::layout::Layout;

type Result<T> = std::result::Result<T, Stop>;

/// Where one of the sets may be: which set, and a state with a class of what it carries (0 at a control location).
type Node = (usize, End, usize);

type Here = BTreeSet<Node>;

/// For how many letters, and to which node of the deterministic automaton.
type Weights = Vec<(BigUint, usize)>;

/// Several sets that are read at the same time. None has edges into control locations.
pub(super) struct Contents<'s, 'a> {
    sets: Vec<Classed<'s, 'a>>,
}

/// A set whose states have classes.
struct Classed<'s, 'a> {
    set: &'s Symbolic<'a>,
    from: BTreeMap<End, Vec<&'s Edge>>,
    /// For each state, over what it carries in Next.
    classes: Vec<Vec<Relation>>,
}

impl<'s, 'a> Contents<'s, 'a> {
    pub fn new(sets: &[&'s Symbolic<'a>]) -> Result<Self> {
        Ok(Contents { sets: sets.iter().map(|set| Classed::new(set)).collect::<Result<_>>()? })
    }

    fn spds(&self) -> &'a Spds {
        self.sets[0].set.spds
    }

    fn controls(&self) -> impl Iterator<Item = ControlId> + use<> {
        (0..self.spds().controls.len() as u32).map(ControlId)
    }

    fn start(&self, control: ControlId) -> Here {
        (0..self.sets.len()).map(|which| (which, End::Control(control), 0)).collect()
    }

    /// Whether a stack may end there in that set.
    fn ends(&self, here: &Here, which: usize) -> bool {
        here.iter().any(|&(set, end, _)| set == which && self.sets[set].set.is_accepting(end))
    }

    /// Whether a stack may end there in every set.
    fn accepted(&self, here: &Here) -> bool {
        (0..self.sets.len()).all(|which| self.ends(here, which))
    }

    /// The symbols that can be read somewhere there.
    fn symbols(&self, here: &Here) -> BTreeSet<SymbolId> {
        let edges = here.iter().flat_map(|(which, end, _)| self.sets[*which].from.get(end).into_iter().flatten());
        edges.filter_map(|edge| edge.symbol).collect()
    }

    /// Disjoint sets of letters with that symbol, or without any, and where each of them leads; those that lead nowhere are
    /// left out.
    fn read(&self, here: &Here, symbol: Option<SymbolId>) -> Result<Vec<(Relation, Here)>> {
        let space = self.sets[0].set.space;
        let mut letters: BTreeMap<Node, Relation> = BTreeMap::new();
        for &(which, end, class) in here {
            let classed = &self.sets[which];
            for edge in classed.from.get(&end).into_iter().flatten().filter(|edge| edge.symbol == symbol) {
                for to in 0..classed.class_count(edge.to) {
                    space.check()?;
                    let all = classed.letters(edge, class, to)?;
                    if !space.is_empty(&all) {
                        let known = letters.entry((which, edge.to, to)).or_insert_with(|| space.bottom());
                        *known = space.or(known, &all)?;
                    }
                }
            }
        }
        let mut parts = vec![(space.top(), Here::new())];
        for (node, set) in letters {
            let mut split = Vec::with_capacity(parts.len() + 1);
            for (part, to) in parts {
                space.check()?;
                let (inside, outside) = (space.and(&part, &set)?, space.and_not(&part, &set)?);
                if !space.is_empty(&inside) {
                    split.push((inside, to.iter().copied().chain([node]).collect()));
                }
                if !space.is_empty(&outside) {
                    split.push((outside, to));
                }
            }
            parts = split;
        }
        parts.retain(|(_, to)| !to.is_empty());
        Ok(parts)
    }

    /// How many configurations are in all sets, head by head; heads that have none are left out.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn count(&self) -> Result<Vec<Counted>> {
        let set = self.sets[0].set;
        let weight = |letters: &Relation, symbol: Option<SymbolId>, top: bool| {
            set.space.count_exact(letters, set.space.vars(shown(set.spds, set.layout, symbol, top)))
        };
        let mut graph = Graph::default();
        let mut heads: Vec<(ControlId, Option<SymbolId>, Weights)> = Vec::new();
        let mut counted = Vec::new();
        for control in self.controls() {
            let start = self.start(control);
            let empty = self.read(&start, None)?.into_iter().filter(|(_, to)| self.accepted(to));
            let values: BigUint = empty.map(|(letters, _)| weight(&letters, None, true)).sum();
            if values != BigUint::ZERO {
                let configurations = Count::Finite(values.clone());
                counted.push(Counted { control, symbol: None, values, configurations });
            }
            for symbol in self.symbols(&start) {
                let parts = self.read(&start, Some(symbol))?.into_iter();
                let parts = parts.map(|(letters, to)| (weight(&letters, Some(symbol), true), graph.number(to)));
                heads.push((control, Some(symbol), parts.collect()));
            }
        }
        while let Some((here, number)) = graph.pending.pop() {
            graph.words.accepting[number] = self.accepted(&here);
            for symbol in self.symbols(&here) {
                for (letters, to) in self.read(&here, Some(symbol))? {
                    let to = graph.number(to);
                    graph.words.edges[number].push((weight(&letters, Some(symbol), false), to));
                }
            }
        }
        let counts = graph.words.counts();
        for (control, symbol, parts) in heads {
            let useful = parts.iter().filter(|(_, to)| counts[*to] != Count::Finite(BigUint::ZERO));
            let values: BigUint = useful.map(|(weight, _)| weight).sum();
            if values != BigUint::ZERO {
                let configurations = Weighted::sum(&parts, &counts);
                counted.push(Counted { control, symbol, values, configurations });
            }
        }
        counted.sort_by_key(|counted| (counted.control, counted.symbol));
        Ok(counted)
    }

    /// Of two sets, whether all configurations of the first are in the second, and whether some are.
    ///
    /// # Errors
    /// If a limit is met.
    pub fn compare(&self) -> Result<(bool, bool)> {
        let (mut all, mut some) = (true, false);
        let mut look = |here: &Here| {
            if self.ends(here, 0) {
                let both = self.ends(here, 1);
                (all, some) = (all && both, some || both);
            }
        };
        let mut pending: Vec<Here> = Vec::new();
        for control in self.controls() {
            let start = self.start(control);
            self.read(&start, None)?.iter().for_each(|(_, to)| look(to));
            for symbol in self.symbols(&start) {
                pending.extend(self.read(&start, Some(symbol))?.into_iter().map(|(_, to)| to));
            }
        }
        let mut seen: BTreeSet<Here> = BTreeSet::new();
        while let Some(here) = pending.pop() {
            if !here.iter().any(|(which, ..)| *which == 0) || !seen.insert(here.clone()) {
                continue;
            }
            look(&here);
            for symbol in self.symbols(&here) {
                pending.extend(self.read(&here, Some(symbol))?.into_iter().map(|(_, to)| to));
            }
        }
        Ok((all, some))
    }
}

/// The deterministic automaton in the making.
#[derive(Default)]
struct Graph {
    numbers: BTreeMap<Here, usize>,
    pending: Vec<(Here, usize)>,
    words: Weighted,
}

impl Graph {
    fn number(&mut self, here: Here) -> usize {
        if let Some(number) = self.numbers.get(&here) {
            return *number;
        }
        let number = self.words.add();
        self.numbers.insert(here.clone(), number);
        self.pending.push((here, number));
        number
    }
}

/// The columns of a letter that users see: the locals of its symbol and, at the top, the globals.
fn shown(spds: &Spds, layout: &Layout, symbol: Option<SymbolId>, top: bool) -> Vec<Column> {
    let frame = symbol.and_then(|symbol| spds.symbol(symbol).frame);
    let globals = if top { &spds.globals[..] } else { &[] };
    let locals = symbol.map_or(&[][..], |symbol| spds.locals(symbol));
    let seen = |variables: &[Variable], var: fn(u32) -> Var| -> Vec<Column> {
        let shown = (0..).zip(variables).filter(|(_, variable)| !variable.hidden);
        shown.flat_map(|(number, _)| layout.field(var(number), frame).bits()).map(|bit| (bit, At::Now)).collect()
    };
    [seen(globals, Var::Global), seen(locals, Var::Local)].concat()
}

impl<'s, 'a> Classed<'s, 'a> {
    fn new(set: &'s Symbolic<'a>) -> Result<Self> {
        let mut from: BTreeMap<End, Vec<&Edge>> = BTreeMap::new();
        for edge in &set.edges {
            from.entry(edge.from).or_default().push(edge);
        }
        let mut classed = Classed { set, from, classes: vec![vec![set.space.top()]; set.states.len()] };
        while classed.split()? {}
        Ok(classed)
    }

    fn class_count(&self, end: End) -> usize {
        match end {
            End::State(id) => self.classes[id.0 as usize].len(),
            End::Control(_) => 0,
        }
    }

    /// Whether some class had to be split.
    fn split(&mut self) -> Result<bool> {
        let before: usize = self.classes.iter().map(Vec::len).sum();
        for edge in &self.set.edges {
            let End::State(from) = edge.from else { continue };
            for to in 0..self.class_count(edge.to) {
                let way = self.way(edge, to)?;
                let known = std::mem::take(&mut self.classes[from.0 as usize]);
                self.classes[from.0 as usize] = self.alike(known, edge.from, &way)?;
            }
        }
        Ok(self.classes.iter().map(Vec::len).sum::<usize>() > before)
    }

    /// The classes as far as they have the same letters (Now) in a relation of them to what is carried (Next).
    fn alike(&self, classes: Vec<Relation>, from: End, way: &Relation) -> Result<Vec<Relation>> {
        let space = self.set.space;
        let carried: Vec<Column> = self.set.carried(from).into_iter().map(|bit| (bit, At::Next)).collect();
        let support = space.support(way);
        if !support.iter().any(|(_, at)| *at == At::Next) {
            return Ok(classes);
        }
        let letter = space.vars(support.into_iter().filter(|(_, at)| *at == At::Now));
        let carried = space.vars(carried);
        let mut split = Vec::with_capacity(classes.len());
        for class in classes {
            let mut rest = class;
            while let Some(one) = space.pick(&rest, carried) {
                space.check()?;
                let letters = space.and_exists(way, &space.cube(&one)?, carried)?;
                let unlike = space.exists(&space.xor(way, &letters)?, letter)?;
                split.push(space.and_not(&rest, &unlike)?);
                rest = space.and(&rest, &unlike)?;
            }
        }
        Ok(split)
    }

    /// An edge into a class: what is seen of the letter in Now, what the source carries in Next.
    fn way(&self, edge: &Edge, to: usize) -> Result<Relation> {
        let set = self.set;
        let End::State(id) = edge.to else { return Ok(set.space.bottom()) };
        let carried = set.carried(edge.to).into_iter().map(|bit| (bit, At::Next, At::Entry));
        let class = set.space.rename(&self.classes[id.0 as usize][to], set.space.renaming(carried))?;
        let both = set.space.and(&edge.set, &class)?;
        let shown = shown(set.spds, set.layout, edge.symbol, matches!(edge.from, End::Control(_)));
        let gone = set.space.support(&both).into_iter().filter(|column| match column.1 {
            At::Now => !shown.contains(column),
            At::Next => false,
            At::Entry | At::Saved => true,
        });
        set.space.exists(&both, set.space.vars(gone))
    }

    /// The letters (Now) by which an edge leads from one class to another.
    fn letters(&self, edge: &Edge, from: usize, to: usize) -> Result<Relation> {
        let way = self.way(edge, to)?;
        let End::State(id) = edge.from else { return Ok(way) };
        let carried = self.set.carried(edge.from).into_iter().map(|bit| (bit, At::Next));
        self.set.space.and_exists(&way, &self.classes[id.0 as usize][from], self.set.space.vars(carried))
    }
}
