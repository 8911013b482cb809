//! The answers about a problem as one page to be explored.

use super::{Problem, coverage};
use crate::check::CheckError;
use crate::options::Options;
use crate::report::html;
use crate::report::json::Header;
use crate::report::present::{Calls, Finding, Wish};
use crate::report::view::View;
use crate::source::Source;

impl Problem {
    /// The answers to what was asked as one HTML page that needs nothing else, as `puch check --format html` writes it: sources with
    /// what is reached in them, runs to be stepped through. The text is the one that was read.
    ///
    /// ```
    /// use puch::systems::Problem;
    /// use puch::{Format, Options};
    ///
    /// let program = "void main() begin R: skip; end";
    /// let language = Format::BooleanProgram.language().expect("its texts are systems");
    /// let problem = Problem::read_named("main.bp", program, language)?.reach("R")?;
    /// let page = problem.page(program, &Options::default())?;
    /// assert!(page.contains("reachable"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the judge rejects a run that the search found: a defect of puch.
    pub fn page(&self, text: &str, options: &Options) -> Result<String, CheckError> {
        let answers = self.check_with(options)?;
        let spds = &self.parsed.spds;
        let covered = coverage::found(spds, false, options);
        let view = View::new(spds, self.naming());
        let wish = Wish { calls: Calls::Auto, limit: options.trace_steps };
        let warnings = self.warned(&answers, options.runs);
        let findings = self.put.iter().zip(&answers).zip(&warnings);
        let findings: Vec<Finding<'_>> = findings
            .map(|((asked, answer), warnings)| Finding { warnings, ..Finding::new(&view, asked, answer, wish) })
            .collect();
        let sources = [Source::new(&self.name, text)];
        let notation = self.language.notation();
        let subject = html::Subject { view: &view, sources: &sources, notation, coverage: &covered };
        let header = Header { version: env!("CARGO_PKG_VERSION"), input: &self.name, seconds: None, diagnostics: &[] };
        let mut page = Vec::new();
        // A vector takes everything.
        let written = html::write(&mut page, subject, header, &findings);
        debug_assert!(written.is_ok());
        Ok(String::from_utf8_lossy(&page).into_owned())
    }
}
