//! The way from a formula to an automaton.

use crate::limits::{Limits, Stop};
use crate::options::Switch;

use super::automaton::{Buchi, Tgba};
use super::components::filter;
use super::degeneralise::degeneralise;
use super::formula::{Formula, Formulas, Ltl, Traits};
use super::obligation;
use super::rewrite::{Rewriter, Rules};
use super::simulation::{self, Direction};
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
}

/// A Büchi automaton that accepts the words which satisfy the formula.
///
/// At worst exponential in the formula; the 114 formulas that the literature uses as benchmarks take milliseconds.
///
/// # Errors
/// If a limit is met.
pub fn translate(ltl: &Ltl, passes: &Passes, limits: &Limits) -> Result<Buchi, Stop> {
    let mut prepared = Prepared::new(ltl, passes);
    let tgba = match prepared.generalised(passes, limits)? {
        Made::Reduced(tgba) => tgba,
        Made::Minimal(minimal) => return Ok(Buchi::analysed(minimal)),
    };
    let tba = degeneralised(&tgba, passes)?;
    // Guesses cost a pushdown product more than states do.
    let minimal = prepared.minimal(&tgba, 2 * tba.states.len(), passes, limits)?;
    Ok(Buchi::analysed(minimal.unwrap_or(tba)))
}

/// A generalised Büchi automaton that accepts the words which satisfy the formula.
///
/// # Errors
/// If a limit is met.
pub fn translate_generalised(ltl: &Ltl, passes: &Passes, limits: &Limits) -> Result<Tgba, Stop> {
    let mut prepared = Prepared::new(ltl, passes);
    match prepared.generalised(passes, limits)? {
        Made::Minimal(minimal) => Ok(minimal),
        Made::Reduced(tgba) => Ok(prepared.minimal(&tgba, tgba.states.len(), passes, limits)?.unwrap_or(tgba)),
    }
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

/// The formula in negative normal form, rewritten.
pub fn simplified(ltl: &Ltl, rules: Rules) -> Ltl {
    let Prepared { formulas, root, .. } = Prepared::new(ltl, &Passes { rules, ..Passes::default() });
    Ltl { formulas, root }
}

/// A formula in negative normal form, rewritten.
struct Prepared {
    formulas: Formulas,
    rewriter: Rewriter,
    root: Formula,
}

impl Prepared {
    fn new(ltl: &Ltl, passes: &Passes) -> Prepared {
        let mut formulas = ltl.formulas.clone();
        let mut rewriter = Rewriter::new(passes.rules);
        let normal = rewriter.normal.of(&mut formulas, ltl.root);
        let root = rewriter.simplify(&mut formulas, normal);
        Prepared { formulas, rewriter, root }
    }

    fn generalised(&mut self, passes: &Passes, limits: &Limits) -> Result<Made, Stop> {
        let joined = self.rewriter.joined(&mut self.formulas, self.root);
        let mut tgba = tableau(&mut self.formulas, joined, usize::MAX, limits)?.expect("there is no bound");
        filter(&mut tgba);
        if tgba.states.len() > LARGE
            && let Some(minimal) = self.minimal(&tgba, tgba.states.len(), passes, limits)?
        {
            return Ok(Made::Minimal(minimal));
        }
        reduce(&mut tgba, passes)?;
        Ok(Made::Reduced(tgba))
    }

    /// The minimal deterministic weak automaton, if there is one with at most so many states and it is not too hard to
    /// find.
    fn minimal(&mut self, tgba: &Tgba, states: usize, passes: &Passes, limits: &Limits) -> Result<Option<Tgba>, Stop> {
        if passes.obligations == Switch::Off {
            return Ok(None);
        }
        let effort = (4 * states + 16).min(4096);
        let minimal = obligation::minimal(&mut tgba.clone(), effort)?;
        let Some(mut minimal) = minimal.filter(|minimal| minimal.states.len() <= states) else { return Ok(None) };
        if !self.formulas.has(self.root, Traits::OBLIGATION) {
            // By its shape nobody knows; so compare the languages.
            let negation = self.rewriter.normal.negation(&mut self.formulas, self.root);
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
    let order: Vec<u32> = (0..tgba.marks).collect();
    let mut tba = degeneralise(tgba, &order);
    filter(&mut tba);
    reduce(&mut tba, passes)?;
    Ok(tba)
}
