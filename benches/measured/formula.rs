//! Formulas about programs in Remopla.

use puch::limits::Limits;
use puch::ltl::atoms::{Context, Symbols, resolve};
use puch::ltl::{Passes, Reading, Violations, parse};
use puch::remopla;
use spds_format::Diagnostic;

/// The runs that violate a formula.
pub fn violations(program: &remopla::Program, formula: &str, limits: &Limits) -> Result<Violations, String> {
    let complaint = |complaints: Vec<Diagnostic>| format!("{formula}: {}", complaints[0]);
    let condition = |text: &str| {
        let predicate = remopla::predicate(text, &program.names, None)?;
        Ok((predicate.frame, predicate.condition, Vec::new()))
    };
    let (ltl, _) = parse(formula, &Reading::default()).map_err(complaint)?;
    let context = Context { spds: &program.spds, text: formula, symbols: Symbols::Hidden, condition: &condition };
    let (meanings, _) = resolve(ltl.formulas.propositions(), &context).map_err(complaint)?;
    Violations::of(ltl, meanings, &Passes::default(), limits).map_err(|stop| stop.to_string())
}
