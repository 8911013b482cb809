//! The way from a formula to an automaton.

use crate::limits::{Limits, Stop};
use crate::options::Switch;

use super::automaton::{Buchi, Tgba};
use super::components::filter;
use super::conjunction;
use super::degeneralise::{degeneralise, degeneralise_to_states};
use super::formula::{Formula, Formulas, Ltl, Op, Traits};
use super::obligation;
use super::rewrite::{Joining, Rewriter, Rules};
use super::simulation::{self, Direction};
use super::state_based::state_based;
use super::tableau::tableau;

/// Which passes of the translation are in use. None changes the language.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passes {
    /// Rewriting of formulas.
    pub rules: Rules,
    /// Reduction of automata by simulation.
    pub simulation: Switch,
    /// Minimal deterministic automata for obligations.
    pub obligations: Switch,
    /// Conjuncts of different kinds one by one.
    pub apart: Switch,
}

/// A Büchi automaton that accepts the words which satisfy the formula.
///
/// At worst exponential in the formula; the 114 formulas that the literature uses as benchmarks take milliseconds.
///
/// # Errors
/// If a limit is met.
pub fn translate(ltl: &Ltl, passes: &Passes, limits: &Limits) -> Result<Buchi, Stop> {
    Ok(Buchi::analysed(smallest(ltl, passes, limits, |prepared, made| prepared.one_mark(made, passes, limits))?))
}

/// A Büchi automaton that accepts the words which satisfy the formula, in which all edges of a state bear the mark or
/// none does.
///
/// # Errors
/// If a limit is met.
pub fn translate_to_states(ltl: &Ltl, passes: &Passes, limits: &Limits) -> Result<Tgba, Stop> {
    smallest(ltl, passes, limits, |prepared, made| {
        let mut best = state_based(&Tgba::from(&Buchi::analysed(prepared.one_mark(made, passes, limits)?)));
        if let Made::Reduced(tgba) = made
            && tgba.marks > 1
        {
            for order in orders(tgba.marks) {
                let straight = to_states(tgba, &order, passes)?;
                if straight.states.len() < best.states.len() {
                    best = straight;
                }
            }
        }
        Ok(best)
    })
}

/// A generalised Büchi automaton that accepts the words which satisfy the formula.
///
/// # Errors
/// If a limit is met.
pub fn translate_generalised(ltl: &Ltl, passes: &Passes, limits: &Limits) -> Result<Tgba, Stop> {
    smallest(ltl, passes, limits, |prepared, made| match made {
        Made::Minimal(minimal) => Ok(minimal.clone()),
        Made::Reduced(tgba) => {
            let minimal = prepared.minimal(prepared.root, tgba, tgba.states.len(), passes, limits)?;
            Ok(minimal.unwrap_or_else(|| tgba.clone()))
        }
    })
}

/// The smallest of the automata that the ways to put parts of the formula together come to once they are finished.
fn smallest(
    ltl: &Ltl,
    passes: &Passes,
    limits: &Limits,
    mut finish: impl FnMut(&mut Prepared, &Made) -> Result<Tgba, Stop>,
) -> Result<Tgba, Stop> {
    let mut prepared = Prepared::new(ltl, passes);
    let mut best: Option<Tgba> = None;
    let mut tried = Vec::new();
    for joining in [Joining::Fairness, Joining::Eventualities] {
        let joined = prepared.rewriter.joined(&mut prepared.formulas, prepared.root, joining);
        if tried.contains(&joined) {
            continue;
        }
        tried.push(joined);
        prepared.joining = joining;
        let most = best.as_ref().map_or(usize::MAX, |best| WORTH * best.states.len() + LARGE);
        let Some(made) = prepared.generalised(prepared.root, most, passes, limits)? else { continue };
        let finished = finish(&mut prepared, &made)?;
        if best.as_ref().is_none_or(|best| size(&finished) < size(best)) {
            best = Some(finished);
        }
    }
    Ok(best.expect("at least one way is tried"))
}

/// The same language by an automaton with one mark, reduced: for automata that were not made from a formula.
///
/// # Errors
/// If a limit is met, one of those that the automaton's labels know.
pub fn with_one_mark(tgba: &Tgba, passes: &Passes) -> Result<Buchi, Stop> {
    let mut tgba = tgba.clone();
    filter(&mut tgba);
    reduce(&mut tgba, passes)?;
    let tba = degeneralised(&tgba, passes)?;
    Ok(Buchi::analysed(tba))
}

/// The formula in negative normal form, rewritten: for tests, which look at it by itself.
#[cfg(not(feature = "whole"))]
pub fn simplified(ltl: &Ltl, rules: Rules) -> Ltl {
    let Prepared { formulas, root, .. } = Prepared::new(ltl, &Passes { rules, ..Passes::default() });
    Ltl { formulas, root }
}

/// A formula in negative normal form, rewritten.
struct Prepared {
    formulas: Formulas,
    rewriter: Rewriter,
    root: Formula,
    joining: Joining,
}

impl Prepared {
    fn new(ltl: &Ltl, passes: &Passes) -> Prepared {
        let mut formulas = ltl.formulas.clone();
        let mut rewriter = Rewriter::new(passes.rules);
        let normal = rewriter.normal.of(&mut formulas, ltl.root);
        let root = rewriter.simplify(&mut formulas, normal);
        Prepared { formulas, rewriter, root, joining: Joining::Fairness }
    }

    /// An automaton for a formula, unless a tableau of so many states does not suffice.
    fn generalised(
        &mut self,
        formula: Formula,
        most: usize,
        passes: &Passes,
        limits: &Limits,
    ) -> Result<Option<Made>, Stop> {
        let apart = self.apart(formula, passes, limits)?;
        let most = apart.as_ref().map_or(most, |apart| most.min(WORTH * apart.states.len() + LARGE));
        let joined = self.rewriter.joined(&mut self.formulas, formula, self.joining);
        let whole = match tableau(&mut self.formulas, joined, most, limits)? {
            Some(tgba) => Some(self.reduced(formula, tgba, passes, limits)?),
            None => None,
        };
        Ok(match (apart, whole) {
            (Some(apart), Some(Made::Reduced(whole))) if size(&apart) < size(&whole) => Some(Made::Reduced(apart)),
            (Some(apart), None) => Some(Made::Reduced(apart)),
            (_, whole) => whole,
        })
    }

    fn reduced(&mut self, formula: Formula, mut tgba: Tgba, passes: &Passes, limits: &Limits) -> Result<Made, Stop> {
        filter(&mut tgba);
        if tgba.states.len() > LARGE
            && let Some(minimal) = self.minimal(formula, &tgba, tgba.states.len(), passes, limits)?
        {
            return Ok(Made::Minimal(minimal));
        }
        reduce(&mut tgba, passes)?;
        Ok(Made::Reduced(tgba))
    }

    /// The product of automata for the conjuncts that are obligations, which have minimal deterministic ones, for those
    /// that do not depend on where a word begins, which wait for the others to be settled, and for the rest; `None`
    /// unless there are conjuncts of different kinds.
    fn apart(&mut self, formula: Formula, passes: &Passes, limits: &Limits) -> Result<Option<Tgba>, Stop> {
        if passes.apart == Switch::Off || self.formulas.op(formula) != Op::And {
            return Ok(None);
        }
        let (mut obligations, mut suspended, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for part in self.formulas.shared_operands(formula).iter().copied() {
            if self.formulas.has(part, Traits::OBLIGATION) {
                obligations.push(part);
            } else if self.formulas.has(part, Traits::EVENTUAL) && self.formulas.has(part, Traits::UNIVERSAL) {
                suspended.push(part);
            } else {
                rest.push(part);
            }
        }
        let kinds = [obligations, rest, suspended];
        if kinds.iter().filter(|kind| !kind.is_empty()).count() < 2 {
            return Ok(None);
        }
        let mut product: Option<Tgba> = None;
        for (kind, parts) in kinds.into_iter().enumerate().filter(|(_, parts)| !parts.is_empty()) {
            let conjunct = self.formulas.and(parts);
            let made = match self.generalised(conjunct, usize::MAX, passes, limits)? {
                None => return Ok(None),
                Some(Made::Minimal(minimal)) => minimal,
                Some(Made::Reduced(tgba)) => {
                    self.minimal(conjunct, &tgba, tgba.states.len(), passes, limits)?.unwrap_or(tgba)
                }
            };
            product = Some(match product {
                None => made,
                Some(others) if kind == 2 => conjunction::product_with_suspended(&others, &made)?,
                Some(others) => conjunction::product(&others, &made)?,
            });
        }
        let Some(mut product) = product else { return Ok(None) };
        filter(&mut product);
        reduce(&mut product, passes)?;
        Ok(Some(product))
    }

    fn one_mark(&mut self, made: &Made, passes: &Passes, limits: &Limits) -> Result<Tgba, Stop> {
        let tgba = match made {
            Made::Reduced(tgba) => tgba,
            Made::Minimal(minimal) => return Ok(minimal.clone()),
        };
        let tba = degeneralised(tgba, passes)?;
        // Guesses cost a pushdown product more than states do.
        let minimal = self.minimal(self.root, tgba, 2 * tba.states.len(), passes, limits)?;
        Ok(minimal.unwrap_or(tba))
    }

    /// The minimal deterministic weak automaton, if there is one with at most so many states and it is not too hard to
    /// find.
    fn minimal(
        &mut self,
        formula: Formula,
        tgba: &Tgba,
        states: usize,
        passes: &Passes,
        limits: &Limits,
    ) -> Result<Option<Tgba>, Stop> {
        if passes.obligations == Switch::Off {
            return Ok(None);
        }
        let effort = (4 * states + 16).min(4096);
        let minimal = obligation::minimal(&mut tgba.clone(), effort)?;
        let Some(mut minimal) = minimal.filter(|minimal| minimal.states.len() <= states) else { return Ok(None) };
        if !self.formulas.has(formula, Traits::OBLIGATION) {
            // By its shape nobody knows; so compare the languages.
            let negation = self.rewriter.normal.negation(&mut self.formulas, formula);
            let negation = self.rewriter.simplify(&mut self.formulas, negation);
            let Some(mut negation) = tableau(&mut self.formulas, negation, effort, limits)? else { return Ok(None) };
            filter(&mut negation);
            let complement = obligation::complement(&minimal);
            if !obligation::disjoint(&minimal, &negation)? || !obligation::disjoint(&complement, tgba)? {
                return Ok(None);
            }
        }
        filter(&mut minimal);
        Ok(Some(minimal))
    }
}

/// What a translation comes to before marks are made one.
enum Made {
    /// The minimal deterministic weak automaton.
    Minimal(Tgba),
    /// An automaton reduced by simulation.
    Reduced(Tgba),
}

/// With more states an automaton is made deterministic first, if that does not make it larger: reducing by simulation
/// takes quadratic time.
const LARGE: usize = 64;

/// A tableau with so many times the states of an automaton that there is already is not worth reducing.
const WORTH: usize = 4;

/// Rounds of simulation after which no more is expected.
const ROUNDS: usize = 8;

/// Reduces an automaton as far as simulations in turn do.
fn reduce(tgba: &mut Tgba, passes: &Passes) -> Result<(), Stop> {
    if passes.simulation == Switch::Off {
        return Ok(());
    }
    simulation::join_equal(tgba)?;
    for _ in 0..ROUNDS {
        let before = (tgba.states.len(), tgba.edges(), tgba.marks);
        simulation::reduce(tgba, Direction::Forward)?;
        filter(tgba);
        simulation::reduce(tgba, Direction::Backward)?;
        filter(tgba);
        simulation::reduce_downwards(tgba)?;
        filter(tgba);
        if (tgba.states.len(), tgba.edges(), tgba.marks) == before {
            break;
        }
    }
    Ok(())
}

fn degeneralised(tgba: &Tgba, passes: &Passes) -> Result<Tgba, Stop> {
    if tgba.marks <= 1 {
        return Ok(tgba.clone());
    }
    let mut best: Option<Tgba> = None;
    for order in orders(tgba.marks) {
        // With marks on states there is a level more, but sometimes more states are then alike.
        for mut tba in [degeneralise(tgba, &order), degeneralise_to_states(tgba, &order)] {
            filter(&mut tba);
            reduce(&mut tba, passes)?;
            if best.as_ref().is_none_or(|best| size(&tba) < size(best)) {
                best = Some(tba);
            }
        }
    }
    Ok(best.unwrap_or_else(|| tgba.clone()))
}

fn to_states(tgba: &Tgba, order: &[u32], passes: &Passes) -> Result<Tgba, Stop> {
    let mut straight = degeneralise_to_states(tgba, order);
    filter(&mut straight);
    if passes.simulation == Switch::On {
        simulation::reduce(&mut straight, Direction::Forward)?;
        filter(&mut straight);
    }
    Ok(state_based(&straight))
}

/// Orders of marks that are tried: all of up to three; of more the given one and its reverse.
fn orders(marks: u32) -> Vec<Vec<u32>> {
    let given: Vec<u32> = (0..marks).collect();
    let reverse: Vec<u32> = given.iter().rev().copied().collect();
    match marks {
        3 => [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map(Vec::from).to_vec(),
        _ => vec![given, reverse],
    }
}

/// What makes an automaton larger than another one: states first.
fn size(tgba: &Tgba) -> (usize, usize) {
    (tgba.states.len(), tgba.edges())
}
