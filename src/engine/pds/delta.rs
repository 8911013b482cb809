//! Δ: the steps of the automaton as relations.
//!
//! Δ_γ(b0, values, b1) with the mark m1 ↔ m0 ∨ (the edge bears it): see [`crate::saturation`], "Rules". One relation for each
//! class of symbols, and one for the repetition of blocked configurations.

use rustc_hash::FxHashMap;

use super::encode::Encoder;
use super::layout::Layout;
use crate::bdd::label::{Branch, Label};
use crate::bdd::{At, Relation, Space};
use crate::limits::Stop;
use crate::ltl::automaton::StateId;
use crate::product::{Class, Known, Product};

/// Which configuration the letter is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reading {
    /// One from which the system takes a step.
    Step,
    /// The last one of a blocked run, again.
    Stuck,
}

/// Makes Δ, and remembers what it has made.
pub struct Delta<'a> {
    product: &'a Product<'a>,
    layout: &'a Layout,
    space: &'a Space,
    known: FxHashMap<(Class, Reading), Relation>,
    /// Where the condition of a proposition holds.
    conditions: FxHashMap<usize, Relation>,
}

impl<'a> Delta<'a> {
    /// For a product whose bits the space has.
    pub fn new(product: &'a Product<'a>, layout: &'a Layout, space: &'a Space) -> Self {
        Delta { product, layout, space, known: FxHashMap::default(), conditions: FxHashMap::default() }
    }

    /// Δ at the symbols of a class, over Now and Next.
    pub fn of(&mut self, encoder: &Encoder<'_>, class: Class, reading: Reading) -> Result<Relation, Stop> {
        if let Some(known) = self.known.get(&(class, reading)) {
            return Ok(known.clone());
        }
        let space = self.space;
        let automaton = &self.product.violations.automaton;
        let mut letters: FxHashMap<Label, Relation> = FxHashMap::default();
        let mut all = space.bottom();
        for (number, edges) in automaton.states.iter().enumerate() {
            let mut steps = space.bottom();
            for edge in &automaton.edges[edges.clone()] {
                let letter = match letters.get(&edge.label) {
                    Some(letter) => letter.clone(),
                    None => {
                        let letter = self.letter(encoder, edge.label, class, reading)?;
                        letters.insert(edge.label, letter.clone());
                        letter
                    }
                };
                let step = space.and(&letter, &self.state(edge.to, At::Next)?)?;
                let step = space.and(&step, &self.mark(edge.marked)?)?;
                steps = space.or(&steps, &step)?;
            }
            let from = self.state(StateId(number as u32), At::Now)?;
            all = space.or(&all, &space.and(&from, &steps)?)?;
        }
        self.known.insert((class, reading), all.clone());
        Ok(all)
    }

    /// b is the number of that state.
    fn state(&self, state: StateId, at: At) -> Result<Relation, Stop> {
        state_cube(self.space, self.layout, state, at)
    }

    /// m1 ↔ m0 ∨ marked
    fn mark(&self, marked: bool) -> Result<Relation, Stop> {
        let Some(bit) = self.layout.mark() else { return Ok(self.space.top()) };
        let after = self.space.literal((bit, At::Next), true)?;
        if marked { Ok(after) } else { self.space.iff(&after, &self.space.literal((bit, At::Now), true)?) }
    }

    /// The values with which a configuration with a symbol of that class has such a letter.
    fn letter(
        &mut self,
        encoder: &Encoder<'_>,
        label: Label,
        class: Class,
        reading: Reading,
    ) -> Result<Relation, Stop> {
        let space = self.space;
        let diagram = self.product.violations.automaton.labels.diagram(label);
        if diagram.is_empty() {
            return Ok(if label == Label::TRUE { space.top() } else { space.bottom() });
        }
        let mut made: Vec<Relation> = Vec::with_capacity(diagram.len());
        for test in diagram {
            let side = |branch: Branch| match branch {
                Branch::Decided(true) => space.top(),
                Branch::Decided(false) => space.bottom(),
                Branch::Test(i) => made[i].clone(),
            };
            let (low, high) = (side(test.low), side(test.high));
            let proposition = test.proposition as usize;
            made.push(match self.product.known(class)[proposition] {
                Known::Constant(true) => high,
                Known::Constant(false) => low,
                Known::Stuck if reading == Reading::Stuck => high,
                Known::Stuck => low,
                Known::Condition => space.ite(&self.condition(encoder, proposition)?, &high, &low)?,
            });
        }
        Ok(made.pop().expect("the diagram has a test"))
    }

    fn condition(&mut self, encoder: &Encoder<'_>, proposition: usize) -> Result<Relation, Stop> {
        if let Some(known) = self.conditions.get(&proposition) {
            return Ok(known.clone());
        }
        let meaning = &self.product.violations.meanings[proposition];
        let (frame, condition) = meaning.condition().expect("only propositions with a condition depend on values");
        let set = encoder.condition(condition, frame)?;
        self.conditions.insert(proposition, set.clone());
        Ok(set)
    }
}

/// The bits of the automaton's state are the number of that state.
pub fn state_cube(space: &Space, layout: &Layout, state: StateId, at: At) -> Result<Relation, Stop> {
    let bits = layout.automaton_bits().enumerate();
    let values: Vec<_> = bits.map(|(i, bit)| ((bit, at), state.0 >> i & 1 == 1)).collect();
    space.cube(&values)
}
