//! What is known of functions by themselves, as it is told: to people, as JSON, and to whoever keeps it for the next time.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::answer::Run;
use crate::functions::summary::{Required, Spot, Summary};
use crate::functions::{Answer, Class, Endless};
use crate::nullness::{Kind, PointerUse};

/// How runs go wrong that go on for ever, as kinds of failures have names.
pub const TERMINATION: &str = "termination";

/// What is told of a function. Its JSON object is the answer's, which begins with `"kind": "function"`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Always `function`.
    pub kind: String,
    /// The name of the function.
    pub property: String,
    /// `holds`, `violated` or `unknown`.
    pub verdict: String,
    /// Why it is unknown, in a sentence and in a word.
    pub reason: Option<String>,
    /// The word.
    pub reason_kind: Option<String>,
    /// How many uses there are of each class, by the kind of failure.
    pub uses: BTreeMap<String, Uses>,
    /// What callers have to establish.
    pub obligations: Vec<Obligation>,
    /// Uses that fail although they do, or of which it is not known.
    pub findings: Vec<Finding>,
    /// What is taken on trust.
    pub assumptions: Vec<String>,
    /// With what it was proved: for who asks about another version of it, not for readers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proved_by: Vec<String>,
}

/// How many uses there are of each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uses {
    /// They fail for no caller.
    pub safe: usize,
    /// They fail for no caller that keeps the obligations.
    pub obligation: usize,
    /// They fail for some that do.
    pub fails: usize,
    /// Those that fail for no caller whose objects are no more than so many: none is only known so far.
    pub up_to: usize,
    /// It is not known.
    pub unknown: usize,
}

/// What callers have to establish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Obligation {
    /// In C.
    pub condition: String,
    /// What fails otherwise.
    pub kind: String,
    /// Where.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The procedure in which that is.
    pub procedure: String,
    /// Whether that was executed.
    pub shown: bool,
}

/// A use that fails, or of which it is not known whether it does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// What is used, in C.
    pub expression: String,
    /// The procedure.
    pub procedure: String,
    /// How it goes wrong: `null`, `bounds`, `division`, `shift`, `overflow`, `assert`, `use-after-free`, `double-free`, `uninitialised` or `contract`.
    pub kind: String,
    /// The same (of contracts `broken`), or `unknown`.
    pub verdict: String,
    /// In a sentence.
    pub reason: String,
    /// In a word, if it is unknown.
    pub reason_kind: Option<String>,
    /// The run that fails.
    pub trace: Option<Trace>,
}

/// A run of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// What it is given besides the state at the entry, in order: as texts, since numbers of C may be larger than those of JSON's readers.
    pub inputs: Vec<String>,
    /// The statements, the first of which is the call with the state at the entry.
    pub steps: Vec<Step>,
    /// Statements that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// Of a run that comes to the same state again and again: the first of the steps that are repeated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<usize>,
    /// A file in C that includes the one of the function and makes the run, if C can say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
}

/// Statements that are not listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Before which of those that are.
    pub before: usize,
    /// How many.
    pub statements: u64,
}

/// A statement of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The procedure.
    pub procedure: String,
    /// How many frames are below.
    pub depth: u64,
    /// The statement.
    pub statement: String,
    /// The state at the entry: what is given, and what lies behind it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, String>,
}

impl Uses {
    fn all(&self) -> usize {
        self.safe + self.obligation + self.fails + self.unknown
    }

    fn join(&mut self, other: &Uses) {
        self.safe += other.safe;
        self.obligation += other.obligation;
        self.fails += other.fails;
        self.unknown += other.unknown;
    }

    fn add(&mut self, class: Class) {
        *match class {
            Class::Safe => &mut self.safe,
            Class::Obligation => &mut self.obligation,
            Class::Fails => &mut self.fails,
            Class::Unknown => &mut self.unknown,
        } += 1;
    }
}

impl Told {
    /// What is told of the function of this name, of which was asked how uses go wrong in these ways.
    pub fn of(name: &str, answer: &Answer, kinds: &BTreeSet<Kind>) -> Told {
        let why = answer.verdict.unknown();
        let asked = kinds.iter().map(|kind| (kind.name().to_owned(), Uses::default()));
        let mut uses: BTreeMap<String, Uses> = asked.collect();
        for (one, class) in &answer.uses {
            uses.entry(one.kind.name().to_owned()).or_default().add(*class);
        }
        let obligations = answer.obligations.iter().filter_map(|one| {
            let (used, _) = answer.uses.get(one.needed_by)?;
            Some(Obligation {
                condition: one.condition.clone(),
                kind: used.kind.name().to_owned(),
                file: used.file.clone(),
                line: used.line,
                column: used.column,
                procedure: used.procedure.clone(),
                shown: one.shown,
            })
        });
        let open = answer.uses.iter().filter(|(_, class)| matches!(class, Class::Fails | Class::Unknown));
        let endless = answer.endless.iter().filter_map(|at| Some(Finding::endless(at, answer.verdict.run()?)));
        Told {
            kind: "function".to_owned(),
            property: name.to_owned(),
            verdict: answer.verdict.name().to_owned(),
            reason: why.map(|why| why.sentence.clone()),
            reason_kind: why.map(|why| why.kind.to_owned()),
            uses,
            obligations: obligations.collect(),
            findings: open.map(|(one, _)| Finding::of(one)).chain(endless).collect(),
            assumptions: answer.assumptions.clone(),
            proved_by: answer.proved_by.clone(),
        }
    }

    /// What who calls it has to know; nothing if it could not be read.
    pub fn summary(&self) -> Option<Summary> {
        if self.uses.values().all(|uses| uses.all() == 0) && self.verdict == "unknown" {
            return None;
        }
        let spot = |file: &str, line, column| Spot { file: file.to_owned(), line, column };
        let requires = self.obligations.iter().map(|one| Required {
            condition: one.condition.clone(),
            kind: one.kind.clone(),
            spot: spot(&one.file, one.line, one.column),
        });
        let (open, failing): (Vec<&Finding>, Vec<&Finding>) =
            self.findings.iter().partition(|finding| finding.verdict == "unknown");
        let spots = |all: Vec<&Finding>| all.iter().map(|one| spot(&one.file, one.line, one.column)).collect();
        let (open, failing) = (spots(open), spots(failing));
        Some(Summary { requires: requires.collect(), open, failing, proved_by: self.proved_by.clone() })
    }

    /// The same for who wants no runs.
    pub fn without_runs(mut self) -> Told {
        self.findings.iter_mut().for_each(|finding| finding.trace = None);
        self
    }

    /// All places in it: the procedure, and the line.
    pub fn places(&mut self) -> Vec<(&str, &mut u32)> {
        let obligations = self.obligations.iter_mut().map(|one| (&*one.procedure, &mut one.line));
        let mut all: Vec<(&str, &mut u32)> = obligations.collect();
        for finding in &mut self.findings {
            all.push((&finding.procedure, &mut finding.line));
            let steps = finding.trace.iter_mut().flat_map(|trace| &mut trace.steps);
            all.extend(steps.map(|step| (&*step.procedure, &mut step.line)));
        }
        all
    }

    /// Why it is not known, where that is no use of which it is not.
    pub fn reason_of_itself(&self) -> Option<&str> {
        let is_open = |finding: &Finding| finding.verdict == "unknown";
        self.reason.as_deref().filter(|_| !self.findings.iter().any(is_open))
    }

    /// A line for the function, and under it what callers have to establish, what fails, and what is not known.
    ///
    /// # Errors
    /// If writing fails.
    pub fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}: {}", self.property, self.verdict)?;
        if let Some(reason) = self.reason_of_itself() {
            writeln!(out, "  {reason}")?;
        }
        self.details(out)
    }

    /// What callers have to establish, what fails, and what is not known.
    ///
    /// # Errors
    /// If writing fails.
    pub fn details(&self, out: &mut dyn Write) -> io::Result<()> {
        for one in &self.obligations {
            let Obligation { condition, file, line, column, .. } = one;
            writeln!(out, "  obligation: {condition}  ({file}:{line}:{column}: {})", one.why())?;
        }
        for Finding { file, line, column, verdict, expression, procedure, reason, trace, .. } in &self.findings {
            writeln!(out, "  {file}:{line}:{column}: {verdict}: `{expression}` in `{procedure}`: {reason}")?;
            trace.as_ref().map_or(Ok(()), |trace| trace.text(out))?;
        }
        Ok(())
    }
}

impl Obligation {
    /// Why it has to be established, in words.
    pub fn why(&self) -> String {
        let wrong = Kind::ALL.iter().find(|other| other.name() == self.kind).unwrap_or(&Kind::Contract).told();
        if self.shown { format!("else {wrong} in a run that was executed") } else { "not shown to be needed".into() }
    }
}

impl Finding {
    fn of(one: &PointerUse) -> Finding {
        Finding {
            file: one.file.clone(),
            line: one.line,
            column: one.column,
            expression: one.pointer.clone(),
            procedure: one.procedure.clone(),
            kind: one.kind.name().to_owned(),
            verdict: one.word().to_owned(),
            reason: one.grounds.told(one.kind),
            reason_kind: one.grounds.kind().map(str::to_owned),
            trace: one.verdict.run().map(|run| Trace::of(run)),
        }
    }

    /// That this run goes on for ever there.
    fn endless(at: &Endless, run: &Run) -> Finding {
        let reason = match &run.recurrent {
            Some(states) => states.sentence(),
            None => "and so on for ever: the same state comes again and again".to_owned(),
        };
        Finding {
            file: at.file.clone(),
            line: at.line,
            column: at.column,
            expression: at.statement.clone(),
            procedure: at.procedure.clone(),
            kind: TERMINATION.to_owned(),
            verdict: TERMINATION.to_owned(),
            reason,
            reason_kind: None,
            trace: Some(Trace::of(run)),
        }
    }
}

impl Step {
    fn of(step: &crate::answer::Step) -> Step {
        Step {
            file: step.file.clone(),
            line: step.line,
            column: step.column,
            procedure: step.procedure.clone(),
            depth: step.depth,
            statement: step.statement.clone(),
            values: step.values.iter().map(|one| (one.name.clone(), one.value.to_string())).collect(),
        }
    }
}

impl Trace {
    fn of(run: &Run) -> Trace {
        Trace {
            inputs: run.inputs.iter().map(|input| input.value.to_string()).collect(),
            steps: run.steps.iter().map(Step::of).collect(),
            left_out: run.left_out.map(|left_out| LeftOut { before: left_out.at, statements: left_out.count }),
            cycle: run.cycle,
            harness: run.harness.as_ref().map(|harness| harness.text.clone()),
        }
    }

    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.inputs.is_empty() {
            writeln!(out, "    inputs: {}", self.inputs.join(", "))?;
        }
        for (index, step) in self.steps.iter().enumerate() {
            if let Some(left_out) = self.left_out.filter(|left_out| left_out.before == index) {
                writeln!(out, "    … {} statements that are not shown", left_out.statements)?;
            }
            if self.cycle == Some(index) {
                writeln!(out, "    again and again:")?;
            }
            let indent = "  ".repeat(step.depth as usize + 2);
            write!(out, "{indent}{}:{}: {}", step.file, step.line, step.statement)?;
            for (name, value) in &step.values {
                write!(out, "  {name}={value}")?;
            }
            writeln!(out)?;
        }
        Ok(())
    }
}

/// Answers that were given, counted.
#[derive(Clone, Debug, Default)]
pub struct Count {
    /// Functions, by verdict: hold, violated, unknown.
    pub functions: [usize; 3],
    uses: BTreeMap<String, Uses>,
    assumptions: Vec<String>,
}

impl Count {
    /// Counts one more.
    pub fn add(&mut self, told: &Told) {
        self.functions[match &*told.verdict {
            "holds" => 0,
            "violated" => 1,
            _ => 2,
        }] += 1;
        for (kind, new) in &told.uses {
            self.uses.entry(kind.clone()).or_default().join(new);
        }
        let new = told.assumptions.iter().filter(|one| !self.assumptions.contains(one)).cloned();
        let new: Vec<String> = new.collect();
        self.assumptions.extend(new);
    }

    /// What all of it takes on trust.
    ///
    /// # Errors
    /// If writing fails.
    pub fn assumed(&self, out: &mut dyn Write) -> io::Result<()> {
        self.assumptions.iter().try_for_each(|assumption| writeln!(out, "assumed: {assumption}"))
    }

    /// The last lines of a text: what all of it takes on trust, and how many there are.
    ///
    /// # Errors
    /// If writing fails.
    pub fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        self.assumed(out)?;
        for (kind, uses) in &self.uses {
            let all = uses.all();
            if all > 0 {
                let Uses { safe, obligation, fails, unknown, .. } = uses;
                let what = format!("{kind}: {all} uses: {safe} safe, {obligation} by an obligation");
                writeln!(out, "{what}, {fails} fail, {unknown} unknown")?;
            }
        }
        let [hold, violated, unknown] = self.functions;
        let all = hold + violated + unknown;
        writeln!(out, "{all} functions: {hold} hold, {violated} violated, {unknown} unknown")
    }
}
