//! Runs of C programs: a chain of what is executed.

use crate::answer::Run;
use crate::interpreter::{End, Outcome};
use crate::options::TraceWish;
use crate::report::c_formats::Report;

use super::Picture;
use super::run::Chain;

impl Report<'_> {
    /// The runs, drawn.
    pub fn picture(&self) -> Picture {
        let mut picture = Picture::default();
        for finding in self.findings {
            let said = finding.verdict.name();
            let mut chain = Chain::new(&mut picture, format!("{}: {said}", finding.asked.title()));
            match finding.verdict.run().filter(|_| self.trace != TraceWish::None) {
                Some(run) => match finding.told(run, self.sources, self.limit) {
                    (Ok(told), ran) => draw(&told, &ran, &mut chain),
                    (Err(why), _) => chain.alone(format!("no trace: {why}")),
                },
                None => chain.alone(said.to_owned()),
            }
        }
        picture
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
