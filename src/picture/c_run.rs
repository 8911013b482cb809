//! Runs of C programs: a chain of what is executed.

use crate::interpreter::{End, Outcome};
use crate::options::TraceWish;
use crate::report::c_finding::Finding;
use crate::report::c_formats::Report;
use crate::report::c_run::{Length, Recorder};
use crate::report::html::programs::too_long;

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
                Some(run) => self.draw(finding, finding.ran(run, Length::All), &mut chain),
                None => chain.alone(said.to_owned()),
            }
        }
        picture
    }

    fn draw(&self, finding: &Finding<'_>, (recorder, ran): (Recorder<'_>, Outcome), chain: &mut Chain<'_>) {
        let lines = recorder.lines() as u64;
        if lines > self.limit {
            return chain.alone(format!("no trace: {}", too_long(lines, self.limit)));
        }
        for event in recorder.events(self.sources) {
            let procedure = &finding.program.procedure(event.procedure).name;
            let lines = vec![format!("{procedure} {}: {}", event.place.line, event.text)];
            chain.push(lines, event.depth, event.for_ever);
        }
        chain.close("for ever".to_owned());
        if matches!(ran.end, End::Failed(_) | End::Wrong(_)) {
            chain.fail();
        }
    }
}
