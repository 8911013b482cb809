//! What `puch check` does with certificates: writes them, or has them checked before a verdict is told.

use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use puch::certificate::{Certificate, about, write};
use puch::certify::{Found, certify};
use puch::check::{Answer, Options, Property, Verdict};
use puch::evidence::{NotMade, certificate, claim, concerned};
use puch::options::Runs;
use puch::report::present::Asked;
use spds_format::Spds;

use super::Failure;
use super::args::CheckArgs;

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Where certificates are to be written.
    file: Option<PathBuf>,
    /// Whether they are to be checked.
    verify: bool,
}

/// What became of an answer.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// Whether it was verified, if that was wanted and it says that there is no run.
    pub verified: Option<bool>,
    /// Why something that was wanted was not done.
    pub remark: Option<String>,
}

/// Refuses certificates where there are none.
pub fn refuse(args: &CheckArgs, what: &str) -> anyhow::Result<()> {
    let option = match (&args.certificate, args.verify) {
        (Some(_), _) => "--certificate",
        (None, true) => "--verify",
        (None, false) => return Ok(()),
    };
    bail!("`{option}` is not about {what}")
}

impl Wanted {
    /// What was typed.
    pub fn meant(args: &CheckArgs) -> Wanted {
        Wanted { file: args.certificate.clone(), verify: args.verify }
    }

    /// Makes certificates for all answers that say that there is no run; writes them, or has them checked. What became of each
    /// answer.
    ///
    /// # Errors
    /// If a certificate is rejected, which is a defect, or cannot be written.
    pub fn done<'a>(
        &self,
        spds: &Spds,
        answers: impl Iterator<Item = (&'a Asked, Option<&'a Property>, &'a Answer)>,
        options: &Options,
    ) -> Result<Vec<Verified>, Failure> {
        let (mut all, mut text) = (Vec::new(), Vec::new());
        for (asked, property, answer) in answers {
            let holds = matches!(answer.verdict, Verdict::Holds | Verdict::Unreachable);
            if !holds || (self.file.is_none() && !self.verify) {
                all.push(Verified::default());
                continue;
            }
            let name = &asked.property;
            let asked = property.and_then(|property| {
                Some((concerned(spds, property, options.runs)?, claim(spds, property, name, options.runs)?))
            });
            let Some((system, claim)) = asked else {
                let why = "there are certificates of formulas and automata of moderate size only";
                all.push(self.told(name, Some(why)));
                continue;
            };
            let made = match certificate(&system, claim, options) {
                Err(NotMade::Stopped(stop)) => Err(stop.to_string()),
                // Which runs are blocked is not told apart as finely there as in the search.
                Err(NotMade::Reached)
                    if options.runs == Runs::Stutter && matches!(property, Some(Property::Ltl(_))) =>
                {
                    Err("so far there are certificates about blocked runs for few systems".to_owned())
                }
                Err(NotMade::Reached) => {
                    return Err(defect(name, "the search that makes it says something else"));
                }
                Ok(made) if self.verify => match certify(&system, &made, &options.limits) {
                    Ok(Found::Proves) => Ok(made),
                    Ok(Found::Lacks(gap)) => return Err(defect(name, &gap.to_string())),
                    Ok(Found::Foreign(why)) => return Err(defect(name, &why)),
                    Err(stop) => Err(stop.to_string()),
                },
                Ok(made) => Ok(made),
            };
            all.push(self.told(name, made.as_ref().err().map(String::as_str)));
            if let (Ok(made), Some(_)) = (&made, &self.file) {
                let made = Certificate { about: about(spds), ..made.clone() };
                write(&mut text, &system, &made).context("cannot write a certificate")?;
            }
        }
        if let Some(file) = &self.file {
            std::fs::write(file, text).with_context(|| format!("cannot write `{}`", file.display()))?;
        }
        Ok(all)
    }
}

impl Wanted {
    /// What is told of an answer that says that there is no run: that what was wanted was done, or why not.
    fn told(&self, name: &str, lacks: Option<&str>) -> Verified {
        let done = if self.verify { "verified" } else { "certified" };
        let remark = lacks.map(|why| format!("`{name}` is not {done}: {why}"));
        Verified { verified: self.verify.then_some(lacks.is_none()), remark }
    }
}

/// A certificate that the checker rejects.
fn defect(name: &str, why: &str) -> Failure {
    anyhow!("internal error: the checker rejects the certificate for `{name}`; please report this: {why}").into()
}
