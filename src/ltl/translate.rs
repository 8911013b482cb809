//! The way from a formula to an automaton.

use crate::limits::{Limits, Stop};

use super::automaton::{Buchi, Tgba};
use super::components;
use super::degeneralise::degeneralise;
use super::formula::Ltl;
use super::rewrite::{Rewriter, Rules};
use super::tableau::tableau;

/// Which passes of the translation are in use. None changes the language.
#[derive(Clone, Copy, Debug, Default)]
pub struct Passes {
    /// Rewriting of formulas.
    pub rules: Rules,
}

/// A Büchi automaton that accepts the words which satisfy the formula.
///
/// At worst exponential in the formula; the 114 formulas that the literature uses as benchmarks take milliseconds.
///
/// # Errors
/// If a limit is met.
pub fn translate(ltl: &Ltl, passes: &Passes, limits: &Limits) -> Result<Buchi, Stop> {
    let tgba = translate_generalised(ltl, passes, limits)?;
    let order: Vec<u32> = (0..tgba.marks).collect();
    let mut tba = degeneralise(&tgba, &order);
    components::filter(&mut tba);
    Ok(Buchi::analysed(tba))
}

/// A generalised Büchi automaton that accepts the words which satisfy the formula.
///
/// # Errors
/// If a limit is met.
pub fn translate_generalised(ltl: &Ltl, passes: &Passes, limits: &Limits) -> Result<Tgba, Stop> {
    let mut formulas = ltl.formulas.clone();
    let mut rewriter = Rewriter::new(passes.rules);
    let normal = rewriter.normal.of(&mut formulas, ltl.root);
    let simple = rewriter.simplify(&mut formulas, normal);
    let mut tgba = tableau(&mut formulas, simple, limits)?;
    components::filter(&mut tgba);
    Ok(tgba)
}

/// The formula in negative normal form, rewritten.
pub fn simplified(ltl: &Ltl, rules: Rules) -> Ltl {
    let mut formulas = ltl.formulas.clone();
    let mut rewriter = Rewriter::new(rules);
    let normal = rewriter.normal.of(&mut formulas, ltl.root);
    let root = rewriter.simplify(&mut formulas, normal);
    Ltl { formulas, root }
}
