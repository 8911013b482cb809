//! What becomes of each round of a refinement: told, and kept in files.

use std::path::PathBuf;
use std::time::Instant;

use puch::abstraction::Predicate;
use puch::c::Program;
use puch::nullness::{self, PointerUse, Told};
use puch::question::Failures;
use puch::refinement::{Answer, Options, Outcome, Proof, Question, Round, decide_from};

use super::given::write;
use crate::cli::tell;

/// An answer, with what is known of each use of a pointer where NULL is asked about.
pub type Decided = (Answer, Option<Vec<PointerUse>>);

/// What becomes of each round.
pub struct Keeper {
    pub directory: Option<PathBuf>,
    pub verbose: bool,
    pub began: Instant,
    /// What is to be told where NULL is asked about.
    pub told: Told,
}

impl Keeper {
    /// The answer to a question, and what is known of each use of a pointer if it is about NULL.
    pub fn decided(
        &self,
        program: &Program,
        (question, given): (&Question, &[Predicate]),
        options: &Options,
    ) -> anyhow::Result<Decided> {
        let mut kept = Ok(());
        let tell = &mut |round: &Round<'_>| {
            let now = self.round(round);
            if kept.is_ok() {
                kept = now;
            }
        };
        let (answer, uses) = match question {
            Question::Failures(Failures::Null) => {
                let (answer, uses) = nullness::decided(program, given, options, self.told, tell);
                (answer, Some(uses))
            }
            _ => (decide_from(program, question, given, options, tell), None),
        };
        kept?;
        self.end(&answer.outcome)?;
        Ok((answer, uses))
    }

    fn end(&self, outcome: &Outcome) -> anyhow::Result<()> {
        if self.verbose {
            let seconds = self.began.elapsed().as_secs_f64();
            if let Some(shown) = &outcome.invariants {
                let (count, source) = (shown.invariants.len(), shown.source);
                tell(&format!("shown at cut points by invariants ({count}, the last ones found among {source})"));
            }
            match &outcome.proof {
                Proof::Nothing => {}
                Proof::Executed(steps) => tell(&format!("the only run was executed: {steps} steps, {seconds:.2} s")),
                Proof::Again(count) => tell(&format!("proved again by {count} implications, {seconds:.2} s")),
                Proof::Once(why) => tell(&format!("not proved again: {why}, {seconds:.2} s")),
            }
            tell(&format!("{} after {} rounds", outcome.verdict.name(), outcome.rounds));
        }
        match &self.directory {
            Some(directory) => write(&directory.join("predicates"), &outcome.predicates),
            None => Ok(()),
        }
    }

    fn round(&self, round: &Round<'_>) -> anyhow::Result<()> {
        if self.verbose {
            let mut line = format!("round {}: {} predicates, {} nodes", round.number, round.count, round.nodes);
            if round.trace > 0 {
                line += &format!(", trace of {} statements", round.trace);
            }
            for (source, count) in round.learnt {
                line += &format!(", {count} from {}", source.name());
            }
            tell(&format!("{line}, {:.2} s", self.began.elapsed().as_secs_f64()));
        }
        let Some(directory) = &self.directory else { return Ok(()) };
        let number = round.number;
        write(&directory.join(format!("{number:03}.bp")), &round.made.text())?;
        write(&directory.join(format!("{number:03}.predicates")), round.predicates)?;
        write(&directory.join(format!("{number:03}.trace")), round.steps)
    }
}
