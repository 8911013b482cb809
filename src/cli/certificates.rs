//! What `puch check` does with certificates: writes them, or has them checked before a verdict is told.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use puch::certificate::{Certificate, Claim, about, write};
use puch::certify::{Found, certify, claimed};
use puch::check::{self, Answer, Options, Property, Verdict};
use puch::evidence::{self, Case, Least, NotMade, certificate, claim, concerned, least};
use puch::limits::{Limits, Stop};
use puch::options::{Runs, TraceWish};
use puch::report::present::Asked;
use puch::watched::is_blocking_clear;
use spds_format::{Automaton, Spds};

use super::Failure;
use super::args::CheckArgs;

/// What is wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Where certificates are to be written.
    file: Option<PathBuf>,
    verify: Verify,
}

/// Whether certificates are to be checked before a verdict is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verify {
    No,
    /// Those of places, assertions and termination, if making one takes no more than so much work, and checking it no more than that once
    /// more. Those of formulas cost some times the answer.
    Bounded(u64),
    /// However long it takes.
    Yes,
}

/// Work that making certificates is worth, and checking them once more, where nobody asks for it: so many times what the answers took,
/// and at least so much for each.
const TIMES: u64 = 8;
const MIN_WORK: u64 = 1 << 24;

/// And at least so much for each rule of the system.
const PER_RULE: u64 = 64;

/// What became of an answer.
#[derive(Clone, Debug, Default)]
pub struct Verified {
    /// Whether it was verified, if that was wanted and it says that there is no run.
    pub verified: Option<bool>,
    /// Why something that was wanted was not done.
    pub remark: Option<String>,
}

fn says_no_run(answer: &Answer) -> bool {
    matches!(answer.verdict, Verdict::Holds | Verdict::Unreachable)
}

/// Refuses certificates where there are none.
pub fn refuse(args: &CheckArgs, what: &str) -> anyhow::Result<()> {
    let option = match (&args.certificate, args.verify, args.no_verify) {
        (Some(_), ..) => "--certificate",
        (None, true, _) => "--verify",
        (None, false, true) => "--no-verify",
        (None, false, false) => return Ok(()),
    };
    bail!("`{option}` is not about {what}")
}

impl Wanted {
    /// What was typed.
    pub fn meant(args: &CheckArgs) -> Wanted {
        // A certificate that is written can be checked by whoever reads it.
        let verify = match (args.verify, args.no_verify || args.certificate.is_some()) {
            (true, _) => Verify::Yes,
            (false, true) => Verify::No,
            (false, false) => Verify::Bounded(MIN_WORK),
        };
        Wanted { file: args.certificate.clone(), verify }
    }

    /// The same where all these answers, of a system of so many rules, took so much work.
    pub fn worth(&self, answers: &[Answer], work: u64, rules: usize) -> Wanted {
        let many = answers.iter().filter(|answer| says_no_run(answer)).count().max(1) as u64;
        let verify = match self.verify {
            Verify::Bounded(_) => {
                let least = MIN_WORK.max(PER_RULE * rules as u64);
                Verify::Bounded(least.max(work.saturating_mul(TIMES) / many))
            }
            other => other,
        };
        Wanted { verify, ..self.clone() }
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
        self.done_by(spds, answers, options, &certificate)
    }

    /// The same with certificates that somebody makes.
    fn done_by<'a>(
        &self,
        spds: &Spds,
        answers: impl Iterator<Item = (&'a Asked, Option<&'a Property>, &'a Answer)>,
        options: &Options,
        maker: &Maker,
    ) -> Result<Vec<Verified>, Failure> {
        let (mut all, mut text) = (Vec::new(), Vec::new());
        for (asked, property, answer) in answers {
            if !says_no_run(answer) || (self.file.is_none() && self.verify == Verify::No) {
                all.push(Verified::default());
                continue;
            }
            let name = &asked.property;
            if self.file.is_none()
                && matches!(self.verify, Verify::Bounded(_))
                && matches!(property, Some(Property::Ltl(_)))
            {
                all.push(Verified::default());
                continue;
            }
            let Some(subject) = property.and_then(|property| self::asked(spds, property, name, options.runs)) else {
                let why = "there are certificates of formulas and automata of moderate size only";
                all.push(self.told(name, Some(why)));
                continue;
            };
            let made = match certified(&subject, self.verify, options, maker) {
                Ok(made) => Ok(made),
                Err(Lacks::Undone(why)) => Err(why),
                Err(Lacks::Rejected(why)) => {
                    let case = property.map(|property| (spds.clone(), property.clone()));
                    let shown = case.map(|case| shown(case, &why, self.verify, options, maker)).unwrap_or_default();
                    return Err(defect(name, &why, &shown));
                }
            };
            all.push(self.told(name, made.as_ref().err().map(String::as_str)));
            if let (Ok(made), Some(_)) = (&made, &self.file) {
                let made = Certificate { about: about(spds), ..made.clone() };
                write(&mut text, &subject.system, &made).context("cannot write a certificate")?;
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
        let verify = self.verify != Verify::No;
        let done = if verify { "verified" } else { "certified" };
        let remark = lacks.map(|why| format!("`{name}` is not {done}: {why}"));
        Verified { verified: verify.then_some(lacks.is_none()), remark }
    }
}

/// Writes into a file why nothing of the second set of each pair can be reached from the first. What is not certified, and why.
///
/// # Errors
/// If the search that makes a certificate contradicts that, which is a defect, or it cannot be written.
pub fn apart<'a>(
    file: &Path,
    spds: &Spds,
    pairs: impl Iterator<Item = [(&'a str, &'a Automaton); 2]>,
    options: &Options,
) -> Result<Vec<String>, Failure> {
    let (mut remarks, mut text) = (Vec::new(), Vec::new());
    for pair in pairs {
        let name = pair[1].0;
        let Some((system, claim)) = evidence::apart(spds, pair) else {
            remarks.push(format!("`{name}` is not certified: there are certificates of sets of moderate size only"));
            continue;
        };
        let subject = Subject { system: Cow::Owned(system), claim, watched: None };
        match certified(&subject, Verify::No, options, &certificate) {
            Ok(made) => {
                let made = Certificate { about: about(spds), ..made };
                write(&mut text, &subject.system, &made).context("cannot write a certificate")?;
            }
            Err(Lacks::Undone(why)) => remarks.push(format!("`{name}` is not certified: {why}")),
            Err(Lacks::Rejected(why)) => return Err(defect(name, &why, "")),
        }
    }
    std::fs::write(file, text).with_context(|| format!("cannot write `{}`", file.display()))?;
    Ok(remarks)
}

/// Whoever makes certificates.
type Maker = dyn Fn(&Spds, Claim, &Options) -> Result<Certificate, NotMade>;

/// Why there is no certificate that can be relied on.
#[derive(Debug)]
enum Lacks {
    /// A limit was met, or there is none of that kind.
    Undone(String),
    /// There should be one, and there is none that proves it.
    Rejected(String),
}

/// What a certificate is about.
struct Subject<'a> {
    system: Cow<'a, Spds>,
    /// What it is to claim.
    claim: Claim,
    /// Of what is watched in it, if something is.
    watched: Option<&'a Spds>,
}

impl Subject<'_> {
    /// Whether a run that is found in it is one of what it watches, these runs being counted.
    fn is_clear(&self, runs: Runs) -> bool {
        self.watched.is_none_or(|spds| is_blocking_clear(spds, runs))
    }
}

/// A certificate, checked if that is wanted.
fn certified(subject: &Subject<'_>, verify: Verify, options: &Options, maker: &Maker) -> Result<Certificate, Lacks> {
    let system = &*subject.system;
    let work = if let Verify::Bounded(work) = verify { Some(work) } else { None };
    let undone = |stop: Stop| match (stop, work) {
        (Stop::Work | Stop::Patience | Stop::Allowance, Some(_)) => {
            Lacks::Undone("that would be much work; --verify does it however long it takes".to_owned())
        }
        _ => Lacks::Undone(stop.to_string()),
    };
    let options = &Options { work, ..options.clone() };
    let made = maker(system, subject.claim.clone(), options).map_err(|not| match not {
        NotMade::Stopped(stop) => undone(stop),
        // Which runs are blocked is not told apart as finely there as in the search.
        NotMade::Reached if !subject.is_clear(options.runs) => Lacks::Undone(
            "certificates cannot tell which runs are blocked where that depends on many values, or on cells of arrays"
                .to_owned(),
        ),
        NotMade::Reached => Lacks::Rejected("the search that makes it says something else".to_owned()),
    })?;
    if verify == Verify::No {
        return Ok(made);
    }
    match certify(system, &made, &options.limits, work) {
        Ok(Found::Proves) => Ok(made),
        Ok(Found::Lacks(gap)) => Err(Lacks::Rejected(gap.to_string())),
        Ok(Found::Foreign(why)) => Err(Lacks::Rejected(why)),
        Err(stop) => Err(undone(stop)),
    }
}

/// A certificate that the checker rejects.
fn defect(name: &str, why: &str, shown: &str) -> Failure {
    anyhow!("internal error: the checker rejects the certificate for `{name}`; please report this: {why}{shown}").into()
}

/// So many smaller systems are tried, and no more after so long.
const MAX_SMALLER_SYSTEMS: usize = 2_000;
const TIME: Duration = Duration::from_secs(20);

/// The smallest system that is found of which a certificate is rejected although it is said to hold, as text to be reported.
fn shown(case: Case, why: &str, verify: Verify, options: &Options, maker: &Maker) -> String {
    let end = Instant::now() + TIME;
    let deadline = options.limits.deadline.map_or(end, |deadline| deadline.min(end));
    let limits = Limits { deadline: Some(deadline), ..options.limits };
    let options = Options { limits, trace: TraceWish::None, ..options.clone() };
    let rejected = |spds: &Spds, property: &Property| {
        let outcome = check::check(spds, std::slice::from_ref(property), &options).ok()?;
        let holds = |answer: &Answer| matches!(answer.verdict, Verdict::Holds | Verdict::Unreachable);
        outcome.answers.iter().all(holds).then_some(())?;
        let subject = asked(spds, property, &named(spds, property), options.runs)?;
        let told = claimed(&subject.claim);
        match certified(&subject, verify, &options, maker) {
            Err(Lacks::Rejected(why)) => Some((told, why)),
            _ => None,
        }
    };
    let Least { case: (spds, property), tried, done } =
        least(case, MAX_SMALLER_SYSTEMS, &mut |spds, property| rejected(spds, property).is_some());
    let bounded = if done && Instant::now() < deadline { "" } else { ", and there was no time for more" };
    let (told, why) = rejected(&spds, &property).unwrap_or_else(|| (String::new(), why.to_owned()));
    format!(
        "\nthe smallest system found that shows it ({tried} smaller ones were tried{bounded}); claimed is that {told}: {why}\n{}",
        spds_format::print(&spds)
    )
}

/// The places that are asked about, by name.
fn named(spds: &Spds, property: &Property) -> String {
    let Property::Reach(targets) = property else { return "the set".to_owned() };
    let names: Vec<&str> = targets.iter().map(|target| &*spds.symbol(target.symbol).name).collect();
    names.join(", ")
}

/// What a certificate of a property would be about, and what it would claim.
fn asked<'a>(spds: &'a Spds, property: &Property, name: &str, runs: Runs) -> Option<Subject<'a>> {
    let (system, claim) = (concerned(spds, property, runs)?, claim(spds, property, name, runs)?);
    let watched = claim.kind.is_watched().then_some(spds);
    Some(Subject { system, claim, watched })
}

#[cfg(test)]
mod tests {
    use puch::check::Target;
    use puch::report::present::PropertyKind;
    use spds_format::model::SymbolId;

    use super::*;

    /// Two procedures, data that does not matter, and a place that is not reached.
    const TEXT: &str = "spds 1
        global g: bool;
        global h: u3;
        global unused: bool;
        frame f { x: bool, y: u2 }
        control p;
        control q;
        symbol main;
        symbol called in f;
        symbol loops in f;
        symbol back invariant !g | h < 7;
        symbol other;
        symbol target;
        start <p, main> when !g & h = 0;
        rule <p, main> -> <p, called back> when !g { h' := h + 1 };
        rule <p, called> -> <p, loops> { x' := *; y' := 1 };
        rule <p, loops> -> <p, loops> when !x;
        rule <p, loops> -> <p> when x & y = 1;
        rule <p, back> -> <p, other>;
        rule <p, other> -> <q, main> when h > 5;
        rule <p, other> -> <p, target> when g & h = 2;
    ";

    fn system() -> (Spds, Property) {
        let spds = spds_format::parse(TEXT).expect("it is a system");
        let target = spds.symbols.iter().position(|symbol| &*symbol.name == "target").expect("there is one");
        (spds, Property::Reach(vec![Target { control: None, symbol: SymbolId(target as u32) }]))
    }

    /// What is reported where somebody makes wrong certificates: the words, and the system.
    fn reported(maker: &Maker) -> (String, Spds) {
        let text = shown(system(), "", Verify::Yes, &Options::default(), maker);
        let (words, system) = text.split_once("\nspds 1").expect("there is a system in it");
        (words.to_owned(), spds_format::parse(&format!("spds 1{system}")).expect("it is valid"))
    }

    #[test]
    fn the_smallest_system_of_a_rejected_certificate_has_what_matters_only() {
        let forgets_returns = |spds: &Spds, claim: Claim, options: &Options| {
            certificate(spds, claim, options).map(|mut made| {
                made.tops.iter_mut().for_each(|(_, gone)| *gone = Box::default());
                Certificate { returned: Vec::new(), ..made }
            })
        };
        let (words, spds) = reported(&forgets_returns);
        assert!(words.contains("claimed is that target is unreachable: "), "{words}");
        assert!(words.contains(" smaller ones were tried)"), "{words}");
        // A call, a step, and what returns.
        assert_eq!(
            (spds.rules.len(), spds.globals.len(), spds.frames.len(), spds.controls.len()),
            (3, 0, 0, 1),
            "{spds}"
        );
        assert!(spds.rules.iter().all(|rule| rule.guard.is_none() && rule.updates.is_empty()), "{spds}");
    }

    #[test]
    fn values_that_a_rejected_certificate_lacks_are_kept_in_the_smallest_system() {
        // Whatever has a value is said to be nowhere.
        let forgets_values = |spds: &Spds, claim: Claim, options: &Options| {
            let mut made = certificate(spds, claim, options)?;
            made.reached.retain(|(.., set)| *set < 2);
            Ok(made)
        };
        let (words, spds) = reported(&forgets_values);
        let conditions = spds.rules.iter().filter(|rule| rule.guard.is_some()).count();
        assert_eq!(
            (spds.rules.len(), conditions, spds.globals.len(), spds.frames.len()),
            (5, 2, 1, 0),
            "{words}{spds}"
        );
    }

    #[test]
    fn where_a_search_contradicts_the_verdict_the_smallest_system_is_reported_too() {
        let reaches_everything = |_: &Spds, _: Claim, _: &Options| Err(NotMade::Reached);
        let (words, spds) = reported(&reaches_everything);
        assert!(words.contains("the search that makes it says something else"), "{words}");
        assert_eq!((spds.rules.len(), spds.symbols.len()), (0, 2), "{spds}");
    }

    #[test]
    fn what_is_right_is_not_rejected() {
        let (spds, property) = system();
        let subject = asked(&spds, &property, "target", Runs::default()).expect("there is a certificate");
        assert!(certified(&subject, Verify::Yes, &Options::default(), &certificate).is_ok());
    }

    /// What is told of the system's property, where it is answered as it should be.
    fn told(verify: Verify, maker: &Maker) -> Verified {
        let (spds, property) = system();
        let (wanted, answer) = (Wanted { file: None, verify }, Answer::new(Verdict::Unreachable));
        let asked = Asked::new(PropertyKind::Reach, "target");
        let told = wanted.done_by(&spds, [(&asked, Some(&property), &answer)].into_iter(), &Options::default(), maker);
        told.ok().and_then(|mut all| all.pop()).expect("it is not rejected")
    }

    #[test]
    fn a_verdict_that_is_not_verified_within_the_work_it_is_worth_stands_and_says_so() {
        let gives_up = |_: &Spds, _: Claim, options: &Options| {
            let stop = if options.work == Some(7) { Stop::Allowance } else { Stop::Memory };
            Err(NotMade::Stopped(stop))
        };
        let Verified { verified, remark } = told(Verify::Bounded(7), &gives_up);
        let remark = remark.expect("there is a reason");
        assert_eq!(verified, Some(false));
        assert!(remark.ends_with("much work; --verify does it however long it takes"), "{remark}");
        let Verified { verified, remark } = told(Verify::Yes, &gives_up);
        assert_eq!(verified, Some(false));
        assert!(remark.is_some_and(|remark| !remark.contains("--verify")));
        assert_eq!(told(Verify::Yes, &certificate).verified, Some(true));
        assert_eq!(told(Verify::No, &certificate).verified, None);
    }

    #[test]
    fn what_verifying_is_worth_follows_the_work_of_the_answers() {
        let wanted = Wanted { file: None, verify: Verify::Bounded(MIN_WORK) };
        let answers = [Verdict::Holds, Verdict::Violated(None), Verdict::Unreachable].map(Answer::new);
        assert_eq!(wanted.worth(&answers, 3, 9).verify, Verify::Bounded(MIN_WORK));
        assert_eq!(wanted.worth(&answers, MIN_WORK, 9).verify, Verify::Bounded(MIN_WORK * TIMES / 2));
        assert_eq!(wanted.worth(&answers, 3, 1 << 20).verify, Verify::Bounded(PER_RULE << 20));
        let always = Wanted { verify: Verify::Yes, ..wanted };
        assert_eq!(always.worth(&answers, 3, 9).verify, Verify::Yes);
    }
}
