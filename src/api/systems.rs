//! A system with questions about it, and the answers as readers are told of them.

use spds_format::Spds;

use super::other;
use crate::answer::{Answer, Run, Verdict};
use crate::check::CheckError;
use crate::options::Options;
use crate::problem::{Language, Mistakes, Problem};
use crate::report::present::{Calls, Finding, PropertyKind, Wish};
use crate::report::told;
use crate::report::view::View;
use crate::source::Source;

/// A system, and the text that it was read from.
#[derive(Debug)]
pub(super) struct System {
    pub problem: Problem,
    /// Its name, what it says, and how it is read.
    text: Option<(String, String, Language)>,
}

impl System {
    pub fn read(name: &str, text: &str, language: Language) -> Result<System, Mistakes> {
        let problem = Problem::read_named(name, text, language.clone())?;
        Ok(System { problem, text: Some((name.to_owned(), text.to_owned(), language)) })
    }

    pub fn of(spds: Spds) -> System {
        System { problem: Problem::of(spds), text: None }
    }

    /// The same questions where runs begin elsewhere.
    pub fn entry(self, procedure: &str) -> Result<System, Mistakes> {
        let Some((name, text, mut language)) = self.text else {
            return Err(other("a system that was built in memory says itself where its runs begin"));
        };
        match &mut language {
            Language::BooleanProgram(options) => options.entry = Some(procedure.to_owned()),
            Language::Remopla(options) => options.entry = Some(procedure.to_owned()),
            _ => return Err(other("a text that is a system says itself where its runs begin")),
        }
        let mut system = System::read(&name, &text, language)?;
        for asked in self.problem.asked() {
            system = match asked.kind {
                PropertyKind::Reach => system.reach(&asked.property)?,
                PropertyKind::Termination => system.termination(),
                PropertyKind::Ltl => system.ltl(&asked.property)?,
                PropertyKind::Assertions | PropertyKind::Null => system.assertions(),
            };
        }
        Ok(system)
    }

    pub fn assertions(self) -> System {
        System { problem: self.problem.assertions(), ..self }
    }

    pub fn termination(self) -> System {
        System { problem: self.problem.termination(), ..self }
    }

    pub fn reach(self, place: &str) -> Result<System, Mistakes> {
        Ok(System { problem: self.problem.reach(place)?, ..self })
    }

    pub fn ltl(self, formula: &str) -> Result<System, Mistakes> {
        Ok(System { problem: self.problem.ltl(formula)?, ..self })
    }

    /// The answers, with runs step by step.
    pub fn answers(&self, options: &Options) -> Result<Vec<Answer>, CheckError> {
        let answers = self.problem.check_with(options)?;
        let warnings = self.problem.warned(&answers, options.runs);
        let view = View::new(self.problem.system(), self.problem.naming());
        let source = self.text.as_ref().map(|(name, text, _)| Source::new(name, text));
        let wish = Wish { calls: Calls::Auto, limit: options.trace_steps };
        let told = self.problem.asked().iter().zip(answers).zip(warnings).map(|((asked, answer), warnings)| {
            let finding = Finding::new(&view, asked, &answer, wish);
            let warnings = warnings.iter().map(|warning| warning.text().to_owned());
            let omitted = finding.omitted().map(|why| format!("no trace: {why}"));
            let run = |trace: &Option<_>| {
                let shown =
                    |trace: &crate::check::Trace| told::run(&view, source.as_ref(), &trace.run, options.trace_steps);
                Box::new(trace.as_ref().map_or_else(Run::default, shown))
            };
            let verdict: Verdict = answer.verdict.as_ref().map(run, |reason| (*reason).into());
            let mut told = Answer::new(verdict);
            told.warnings = warnings.chain(omitted).collect();
            told.not_verified = finding.not_verified().iter().map(|one| one.text.to_owned()).collect();
            told.trace = answer.verdict.trace().cloned();
            told
        });
        Ok(told.collect())
    }
}
