//! Runs of C programs: a chain of what is executed.

use crate::answer::Run;
use crate::interpreter::{End, Outcome};
use crate::options::TraceWish;
use crate::report::c_formats::Report;

use super::Picture;
use super::run::{Chain, runs};

impl Report<'_> {
    /// The runs, drawn.
    pub fn picture(&self) -> Picture {
        runs(self.findings, |finding, chain| {
            let run = finding.verdict.run().filter(|_| self.trace != TraceWish::None)?;
            let (told, ran) = finding.told(run, self.sources, self.limit);
            Some(told.map(|told| draw(&told, &ran, chain)))
        })
    }
}

fn draw(run: &Run, ran: &Outcome, chain: &mut Chain<'_>) {
    for (index, step) in run.steps.iter().enumerate() {
        let lines = vec![format!("{} {}: {step}", step.procedure, step.line)];
        chain.push(lines, step.depth, run.cycle.is_some_and(|cycle| cycle <= index));
    }
    chain.close("for ever".to_owned());
    if matches!(ran.end, End::Failed(_) | End::Wrong(_)) {
        chain.fail();
    }
}
