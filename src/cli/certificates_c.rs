//! Certificates of C programs that are wanted: written, and checked before anything is said.

use std::path::PathBuf;

use anyhow::{Context, bail};
use puch::refinement::certificate::{Claim, Found, NotMade, certificate, proved, write};
use puch::refinement::{Answer, Options};

use super::Failure;
use super::args::CheckArgs;
use super::certificates::Verified;

/// What was typed about certificates.
pub struct Wanted {
    /// Where they are to be written.
    file: Option<PathBuf>,
    /// Whether they are to be checked, and that said.
    verify: bool,
}

impl Wanted {
    /// What was typed.
    ///
    /// # Errors
    /// If the program has several files: the command that checks reads one.
    pub fn meant(args: &CheckArgs) -> anyhow::Result<Wanted> {
        if args.certificate.is_some() && args.files().len() > 1 {
            bail!("`--certificate` is about C programs of one file");
        }
        let file = args.certificate.clone();
        Ok(Wanted { verify: (args.verify || file.is_some()) && !args.no_verify, file })
    }

    /// Makes and checks certificates of answers, with what each claims, and writes them. Of each whether it is verified, unless that was not
    /// wanted; and why not.
    pub fn done<'a>(
        &self,
        answers: impl Iterator<Item = (&'a str, Option<&'a Claim>, &'a Answer)>,
        options: &Options,
    ) -> Result<Vec<Verified>, Failure> {
        let (mut all, mut text) = (Vec::new(), Vec::new());
        for (name, claim, answer) in answers {
            if !answer.outcome.verdict.excludes_run() || (self.file.is_none() && !self.verify) {
                all.push(Verified::default());
                continue;
            }
            let made = match claim {
                None => Err("certificates of C programs are about failures and places".to_owned()),
                Some(claim) => certificate(answer, claim.clone(), options).map_err(|not| match not {
                    NotMade::Stopped(stop) => stop.to_string(),
                    NotMade::Because(why) => why.to_owned(),
                }),
            };
            // What does not prove it is not written.
            let made =
                made.and_then(|made| match proved(&answer.program, &made, &options.tuning, options.check.limits) {
                    Found::Proves => Ok(made),
                    Found::Lacks(why, _) | Found::Open(why) | Found::Foreign(why) => Err(why),
                });
            let remark = made.as_ref().err().map(|why| format!("`{name}` is not verified: {why}"));
            if let (Ok(made), Some(_)) = (&made, &self.file) {
                write(&mut text, &answer.program, made).context("cannot write a certificate")?;
            }
            all.push(Verified { verified: self.verify.then_some(made.is_ok()), remark });
        }
        if let Some(file) = &self.file {
            std::fs::write(file, text).with_context(|| format!("cannot write `{}`", file.display()))?;
        }
        Ok(all)
    }
}
