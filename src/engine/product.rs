//! The product of a system with a Büchi automaton, as far as no relation is needed: which letters the automaton reads at
//! which stack symbol, and which bits it adds to the globals.
//!
//! The automaton reads the letter of a configuration as the system takes the step from it; silent rules leave it where
//! it is (Esparza & Schwoon, CAV 2001, §2.2). Its state is a number in ⌈log₂|Q|⌉ more global bits, and if runs must meet
//! its mark infinitely often, one further bit remembers whether the mark was met since the entry of the current call.
//! Symbols at which all propositions are the same constants and conditions form a *class*: they share Δ.

use rustc_hash::{FxHashMap, FxHashSet};
use spds_format::Spds;
use spds_format::model::SymbolId;

use crate::ltl::Violations;
use crate::ltl::atoms::{Meaning, Truth};
use crate::ltl::automaton::{ComponentKind, StateId};
use crate::ltl::union::Union;
use crate::options::{Runs, Switch};

/// Symbols at which the automaton reads the same letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class(pub u32);

/// What a proposition is at the symbols of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Known {
    /// Always the same, or not asked for by any label.
    Constant(bool),
    /// As the values say.
    Condition,
    /// Whether the run is blocked.
    Stuck,
}

/// What is fixed about a product before any relation is built.
pub struct Product<'a> {
    /// The automaton and what its propositions mean.
    pub violations: &'a Violations,
    /// Which runs count.
    pub runs: Runs,
    /// Whether a bit remembers the mark.
    pub marked: bool,
    /// The states of the automaton in which runs begin.
    pub initial: Vec<StateId>,
    class_of: Vec<Class>,
    classes: Vec<Vec<Known>>,
}

impl<'a> Product<'a> {
    /// Of a system with an automaton. Unless `strength` is off, a mark is remembered only if some component needs it.
    pub fn new(spds: &Spds, violations: &'a Violations, runs: Runs, strength: Switch) -> Product<'a> {
        let automaton = &violations.automaton;
        let labels = automaton.edges.iter().map(|edge| edge.label).collect::<FxHashSet<_>>();
        let mut asked = vec![false; violations.meanings.len()];
        for label in labels {
            automaton.labels.support(label).into_iter().for_each(|proposition| asked[proposition as usize] = true);
        }
        let mut numbers: FxHashMap<Vec<Known>, Class> = FxHashMap::default();
        let mut classes = Vec::new();
        let symbols = (0..spds.symbols.len() as u32).map(SymbolId);
        let class_of = symbols.map(|symbol| {
            let known = violations.meanings.iter().zip(&asked).map(|(meaning, asked)| {
                if !asked {
                    return Known::Constant(false);
                }
                match meaning.at(spds, symbol) {
                    Truth::Constant(value) => Known::Constant(value),
                    Truth::Condition(_) => Known::Condition,
                    Truth::Stuck => Known::Stuck,
                }
            });
            let known: Vec<Known> = known.collect();
            let next = Class(classes.len() as u32);
            *numbers.entry(known).or_insert_with_key(|known| {
                classes.push(known.clone());
                next
            })
        });
        let class_of = class_of.collect();
        let marked = strength == Switch::Off || automaton.strength() == ComponentKind::Strong;
        Product { violations, runs, marked, initial: vec![automaton.initial], class_of, classes }
    }

    /// Of a system with several automata at once: runs begin in the initial states of all.
    pub fn of_union(spds: &Spds, union: &'a Union, runs: Runs, strength: Switch) -> Product<'a> {
        let initial = union.parts.iter().map(|part| part.initial).collect();
        Product { initial, ..Product::new(spds, &union.violations, runs, strength) }
    }

    /// The class of a symbol.
    pub fn class(&self, symbol: SymbolId) -> Class {
        self.class_of[symbol.0 as usize]
    }

    /// The number of classes.
    pub fn class_count(&self) -> usize {
        self.classes.len()
    }

    /// What each proposition of the automaton is at the symbols of a class.
    pub fn known(&self, class: Class) -> &[Known] {
        &self.classes[class.0 as usize]
    }

    /// The conditions on values that are asked at the symbols of a class, by the number of their proposition.
    pub fn conditions(&self, class: Class) -> impl Iterator<Item = (usize, &'a Meaning)> {
        let meanings = &self.violations.meanings;
        let known = self.known(class).iter().enumerate();
        known.filter(|(_, known)| **known == Known::Condition).map(|(number, _)| (number, &meanings[number]))
    }

    /// How many bits the automaton's state takes.
    pub fn state_bits(&self) -> u32 {
        let states = self.violations.automaton.states.len() as u32;
        u32::BITS - states.saturating_sub(1).leading_zeros()
    }
}
