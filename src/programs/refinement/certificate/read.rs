//! Certificates of C programs from text. Nothing is taken for granted: what is no certificate of the program is malformed, with the line.

use crate::c::Program;
use crate::c::program::{Label, Overflow, ProcedureId, StatementId, VariableId};
use crate::certificate::Malformed;
use crate::certificate::words::{Result, Words};
use crate::decisions::{Decision, Diagram};

use super::super::invariants::claims::{Claim as Fact, Invariant, Quantity, Where};
use super::{Certificate, Claim, Moment, OVERFLOWS, Spoken, Statements, Test, Way};

/// What a certificate is about: it takes no program to read that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The fingerprint of the program with the question written into it.
    pub about: u64,
    /// What it claims.
    pub claim: Claim,
    /// What overflows are in it.
    pub overflow: Overflow,
}

impl Subject {
    /// What overflows are, in a word.
    pub fn overflow(&self) -> &'static str {
        OVERFLOWS.iter().find(|(own, _)| *own == self.overflow).map_or("", |(_, word)| word)
    }
}

/// What each of several certificates is about.
///
/// # Errors
/// What is wrong first, of that alone.
pub fn subjects(text: &str) -> Result<Vec<Subject>, Malformed> {
    let mut all: Vec<Begun> = Vec::new();
    for (line, content) in contents(text) {
        let mut words = Words::of(content);
        let read = match (words.plain(), all.last_mut()) {
            (Ok("puch-certificate-c"), _) => {
                all.push(Begun::default());
                Ok(true)
            }
            (Ok(first), Some(open)) => open.line(first, &mut words),
            (Ok(_), None) => Err("a certificate of a C program begins with `puch-certificate-c 1`".into()),
            (Err(why), _) => Err(why),
        };
        read.map_err(|message| Malformed { line, message })?;
    }
    let whole = all.into_iter().map(Begun::whole).collect::<Result<Vec<Subject>>>();
    whole.map_err(|message| Malformed { line: text.lines().count().max(1), message })
}

/// Reads certificates, one after the other, each of its own program.
///
/// # Errors
/// What is wrong first.
pub fn read(programs: &[Program], text: &str) -> Result<Vec<Certificate>, Malformed> {
    let (mut all, mut open, mut last) = (Vec::new(), None, 0);
    for (line, content) in contents(text) {
        last = line;
        let read = one(programs, content, &mut all, &mut open);
        read.map_err(|message| Malformed { line, message })?;
    }
    match (open, all.is_empty()) {
        (Some(_), _) => Err(Malformed { line: last + 1, message: "the certificate has no `end`".into() }),
        (None, true) => Err(Malformed { line: 1, message: "there is no certificate here".into() }),
        (None, false) => Ok(all),
    }
}

/// The lines that say something.
fn contents(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines()).map(|(line, text)| (line, text.trim()));
    lines.filter(|(_, content)| !content.is_empty() && !content.starts_with("//"))
}

fn one<'p>(
    programs: &'p [Program],
    content: &str,
    all: &mut Vec<Certificate>,
    open: &mut Option<Open<'p>>,
) -> Result<()> {
    let mut words = Words::of(content);
    let first = words.plain()?;
    if first == "puch-certificate-c" {
        let version = words.plain()?;
        if version != "1" {
            return Err(format!("version `{version}` of certificates is not known, only 1"));
        }
        words.end()?;
        let program = programs.get(all.len()).ok_or("there are more certificates than programs")?;
        return match open.replace(Open::of(program)) {
            Some(_) => Err("the certificate before has no `end`".into()),
            None => Ok(()),
        };
    }
    let Some(mut certificate) = open.take() else {
        return Err("a certificate of a C program begins with `puch-certificate-c 1`".into());
    };
    if first == "end" {
        words.end()?;
        all.push(certificate.whole()?);
        return Ok(());
    }
    certificate.line(first, &mut words)?;
    words.end()?;
    *open = Some(certificate);
    Ok(())
}

/// What a certificate is about, in the reading.
#[derive(Default)]
struct Begun {
    about: Option<u64>,
    claim: Option<Claim>,
    overflow: Option<Overflow>,
}

impl Begun {
    /// Whether it is a line of that.
    fn line(&mut self, first: &str, words: &mut Words<'_>) -> Result<bool> {
        let twice = match first {
            "about" => self.about.replace(words.fingerprint()?).is_some(),
            "claim" => {
                let claim = match words.plain()? {
                    "assertions" => Claim::Assertions,
                    "reach" => Claim::Reach(words.name()?),
                    "property" => Claim::Property(words.name()?),
                    other => return Err(format!("a claim of kind `{other}` is not known to this version")),
                };
                self.claim.replace(claim).is_some()
            }
            "overflow" => {
                let word = words.plain()?;
                let known = OVERFLOWS.iter().find(|(_, name)| *name == word);
                let (overflow, _) = known.ok_or_else(|| format!("`{word}` is no reading of overflows"))?;
                self.overflow.replace(*overflow).is_some()
            }
            _ => return Ok(false),
        };
        if twice { Err(format!("there are two lines `{first}`")) } else { Ok(true) }
    }

    fn whole(self) -> Result<Subject> {
        let about = self.about.ok_or("the certificate does not say what it is about")?;
        let claim = self.claim.ok_or("the certificate claims nothing")?;
        let overflow = self.overflow.ok_or("the certificate does not say what overflows are")?;
        Ok(Subject { about, claim, overflow })
    }
}

/// A certificate in the reading.
struct Open<'p> {
    program: &'p Program,
    begun: Begun,
    executed: bool,
    invariants: Vec<Invariant>,
    statements: Statements,
    decisions: Vec<Decision<Test>>,
}

impl<'p> Open<'p> {
    fn of(program: &'p Program) -> Open<'p> {
        let (begun, invariants, decisions) = (Begun::default(), Vec::new(), Vec::new());
        Open { program, begun, executed: false, invariants, statements: Statements::default(), decisions }
    }

    fn line(&mut self, first: &str, words: &mut Words<'_>) -> Result<()> {
        if self.begun.line(first, words)? {
            return Ok(());
        }
        match first {
            "executed" => self.executed = true,
            "invariant" => {
                let invariant = self.invariant(words)?;
                self.invariants.push(invariant);
            }
            "predicate" => {
                let scope = match words.starts_with('"') {
                    true => Some(self.procedure(words)?),
                    false => words.sign("*").map(|()| None)?,
                };
                let (told, text) = (String::new(), words.all().to_owned());
                self.statements.predicates.push(Spoken { scope, told, text });
            }
            "before" | "returned" => {
                let moment = if first == "before" { Moment::Before } else { Moment::Returned };
                let at = self.statement(words)?;
                words.sign(":")?;
                let root = self.known(words)?;
                if self.statements.said.insert((moment, at), reduced(&self.decisions, root)).is_some() {
                    return Err("that is said of the same statement twice".into());
                }
            }
            number => self.decision(number, words)?,
        }
        Ok(())
    }

    fn decision(&mut self, number: &str, words: &mut Words<'_>) -> Result<()> {
        let next = self.decisions.len() + 2;
        if number != next.to_string() {
            return Err(format!("`{number}` begins no line here; the next decision is {next}"));
        }
        words.sign("=")?;
        let entry = match words.plain()? {
            "entry" => true,
            "now" => false,
            other => return Err(format!("`{other}` is neither `entry` nor `now`")),
        };
        let predicate: u32 = words.number()?;
        if predicate as usize >= self.statements.predicates.len() {
            return Err(format!("there is no predicate {predicate} yet"));
        }
        words.sign("?")?;
        let high = self.known(words)?;
        words.sign(":")?;
        let low = self.known(words)?;
        self.decisions.push(Decision { test: Test { predicate, entry }, low, high });
        Ok(())
    }

    fn known(&self, words: &mut Words<'_>) -> Result<u32> {
        let set: u32 = words.number()?;
        match (set as usize) < self.decisions.len() + 2 {
            true => Ok(set),
            false => Err(format!("{set} is no decision yet")),
        }
    }

    fn procedure(&self, words: &mut Words<'_>) -> Result<ProcedureId> {
        let name = words.name()?;
        let id = self.program.procedure_named(&name).filter(|&id| self.program.procedure(id).body.is_some());
        id.ok_or_else(|| format!("the program defines no procedure `{name}`"))
    }

    fn statement(&self, words: &mut Words<'_>) -> Result<StatementId> {
        let procedure = self.procedure(words)?;
        let at = StatementId::of(procedure, Label(words.number()?));
        let known = self.program.statement(at).map(|_| at);
        known.ok_or_else(|| format!("that procedure has no statement {}", at.label.0))
    }

    fn invariant(&self, words: &mut Words<'_>) -> Result<Invariant> {
        let at = match words.plain()? {
            "before" => Where::Before(self.statement(words)?),
            "returned" => Where::Returned(self.procedure(words)?),
            other => return Err(format!("`{other}` is neither `before` nor `returned`")),
        };
        let mut when = Vec::new();
        loop {
            match words.plain()? {
                "when" => when.push(self.fact(words)?),
                "then" => return Ok(Invariant { at, when, then: self.fact(words)? }),
                other => return Err(format!("`{other}` is neither `when` nor `then`")),
            }
        }
    }

    fn fact(&self, words: &mut Words<'_>) -> Result<Fact> {
        let mut parts = Vec::new();
        loop {
            match words.plain()? {
                "<=" => return Ok(Fact::AtMost(parts, moderate(words.number()?)?)),
                "mod" => {
                    let modulus = moderate(words.number()?)?;
                    words.sign("=")?;
                    let rest = words.number()?;
                    return match modulus > 0 && (0..modulus).contains(&rest) {
                        true => Ok(Fact::Rest(parts, modulus, rest)),
                        false => Err(format!("nothing leaves {rest} divided by {modulus}")),
                    };
                }
                by => {
                    let by = by.parse().map_err(|_| format!("expected a number, found `{by}`"))?;
                    parts.push((self.quantity(words)?, moderate(by)?));
                }
            }
        }
    }

    fn quantity(&self, words: &mut Words<'_>) -> Result<Quantity> {
        Ok(match words.plain()? {
            "now" => Quantity::Now(self.variable(words)?),
            "entered" => Quantity::Entered(self.variable(words)?),
            "cell" => Quantity::Cell(self.variable(words)?),
            "result" => Quantity::Result,
            "index" => Quantity::Index,
            other => return Err(format!("`{other}` is no number of a program")),
        })
    }

    fn variable(&self, words: &mut Words<'_>) -> Result<VariableId> {
        let name = words.name()?;
        let id = VariableId(words.number()?);
        let own = self.program.variables.get(id.0 as usize).filter(|variable| *variable.name == *name);
        own.map(|_| id).ok_or_else(|| format!("variable {} is not `{name}`", id.0))
    }

    fn whole(self) -> Result<Certificate> {
        let subject = self.begun.whole()?;
        let spoken = !self.statements.said.is_empty() || !self.statements.predicates.is_empty();
        let way = match (self.executed, spoken, self.invariants.is_empty()) {
            (true, false, true) => Way::Executed,
            (false, true, true) => Way::Statements(self.statements),
            (false, false, _) => Way::CutPoints(self.invariants),
            _ => return Err("the certificate goes several ways".into()),
        };
        Ok(Certificate { subject, way })
    }
}

/// A number with which sums over numbers of the program are no larger than can be computed with.
fn moderate(number: i128) -> Result<i128> {
    if number.unsigned_abs() <= 1 << 72 { Ok(number) } else { Err(format!("{number} is too large")) }
}

/// What a decision needs, alone.
fn reduced(all: &[Decision<Test>], root: u32) -> Diagram<Test> {
    if root < 2 {
        return Diagram::constant(root == 1);
    }
    let mut needed = vec![false; root as usize + 1];
    needed[root as usize] = true;
    for set in (2..=root).rev() {
        if needed[set as usize] {
            let Decision { low, high, .. } = all[set as usize - 2];
            needed[low as usize] = true;
            needed[high as usize] = true;
        }
    }
    let mut numbers: Vec<u32> = vec![0, 1];
    let mut decisions = Vec::new();
    for set in 2..=root {
        numbers.push(decisions.len() as u32 + 2);
        if needed[set as usize] {
            let Decision { test, low, high } = all[set as usize - 2];
            let (low, high) = (numbers[low as usize], numbers[high as usize]);
            decisions.push(Decision { test, low, high });
        }
    }
    Diagram { decisions, root: numbers[root as usize] }
}
