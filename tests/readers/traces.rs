//! Recorded traces: what must be so whatever the text.

use puch::boolprog;
use puch::replay::{Claim, Observed, Walked, walk};
use puch::report::recorded;

/// The program that the traces are of.
const PROGRAM: &str = include_str!("../../examples/fig1.bp");

/// Reads any bytes as a report, and walks its traces.
pub fn read_anything(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(report) = recorded::read(&text) else { return };
    let program = boolprog::read(PROGRAM, "../../examples/fig1.bp", &boolprog::Options::default());
    let spds = program.expect("the example is fine").spds;
    let traces: Vec<Observed> = report.results.into_iter().filter_map(|r| r.trace).map(Observed::from).collect();
    for trace in traces {
        for claim in [Claim::Whole, Claim::Fails, Claim::Infinite] {
            match walk(&spds, &trace, &claim, 1_000) {
                Ok(Walked::Real(_) | Walked::Undecided) => {}
                Err(objection) => assert!(!objection.why.is_empty()),
            }
        }
    }
}
