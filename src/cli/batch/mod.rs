//! `puch batch`: many tasks, each a process of its own, and a table of what they answer.

mod journal;
mod table;
mod tasks;

use std::collections::HashMap;
use std::io::IsTerminal;
use std::process::ExitCode;

use puch::report::diagnostic::Style;

use super::args::BatchArgs;
use super::choices::AnswerFormatName;
use super::guard::Progress;
use super::pool::{self, Call, Ended, InOrder};
use super::{FINE, FOUND, Failure, UNKNOWN, WRONG, answer, colour, tell};
use journal::{Journal, Line};
use table::Table;
use tasks::Task;

/// A task as it is asked.
#[derive(Clone, Debug)]
struct Asked {
    name: String,
    key: String,
    expected: Vec<String>,
    /// Why it is not asked at all, if it is not.
    refused: Option<String>,
    /// What then counts as its exit code.
    code_of_refusal: u8,
    call: Call,
}

/// `puch batch`
pub fn run(args: BatchArgs) -> Result<ExitCode, Failure> {
    let jobs = args.jobs.unwrap_or_else(pool::default_jobs);
    let (part, parts) = args.shard.unwrap_or((1, 1));
    let all = tasks::read(&args.tasks)?.into_iter().skip(part - 1).step_by(parts);
    let asked: Vec<Asked> = all.map(|task| asked(task, &args, jobs)).collect();
    let style = colour::style(std::io::stdout().is_terminal());
    let table = Table::new(asked.iter().map(|task| task.name.as_str()), style);
    let (mut journal, mut known) = match &args.results {
        Some(path) => Journal::open(path).map(|(journal, known)| (Some(journal), known))?,
        None => (None, HashMap::new()),
    };
    let mut told = Told { table, format: args.told.format, order: InOrder::default(), counts: Counts::default() };
    let mut open = Vec::new();
    for (number, task) in asked.iter().enumerate() {
        match known.remove(&task.name).filter(|line| line.is_about(task)) {
            Some(line) => told.row(number, task, Some(line))?,
            None => match &task.refused {
                Some(why) => told.row(number, task, Some(Line::new(task, Err(why), args.told.stats)?))?,
                None => open.push(number),
            },
        }
    }
    let calls: Vec<Call> = open.iter().map(|number| asked[*number].call.clone()).collect();
    let progress = if args.told.loudness.quiet { Progress::Silent } else { Progress::Shown };
    pool::all(&calls, jobs, progress, &mut |index, ended| {
        let (number, task) = (open[index], &asked[open[index]]);
        let line = match &ended {
            Ended::Answered(answered) => Line::new(task, Ok(answered), args.told.stats)?,
            Ended::Broken(how) => Line::new(task, Err(how), args.told.stats)?,
            Ended::Interrupted => return told.row(number, task, None),
        };
        if let Some(journal) = &mut journal {
            journal.add(&line)?;
        }
        told.row(number, task, Some(line))
    })?;
    if !args.told.loudness.quiet {
        tell(&told.counts.told(asked.len()));
    }
    Ok(ExitCode::from(told.counts.code))
}

/// What is called for a task.
fn asked(task: Task, args: &BatchArgs, jobs: usize) -> Asked {
    let timeout = task.timeout.or(args.timeout);
    let memory = task.memory.or(args.memory);
    let mut given: Vec<String> = vec!["--format=json".to_owned()];
    given.extend(task.arguments);
    let typed = |option: &str| {
        let same = |word: &String| word.split('=').next() == Some(option);
        given.iter().any(same) || args.options.iter().any(same)
    };
    // Traces are not in tables, and making them takes time.
    let trace = (!typed("--trace")).then(|| "--trace=none".to_owned());
    given.extend(trace);
    given.extend(timeout.map(|seconds| format!("--timeout={seconds}")));
    given.extend(memory.map(|mib| format!("--memory={mib}")));
    given.extend(args.options.iter().cloned());
    let key = journal::key(&given, &task.files);
    if memory.is_none() {
        // How many tasks are done at a time is nothing to the answer.
        given.extend(pool::default_share(jobs).map(|mib| format!("--memory={mib}")));
    }
    let arguments = std::iter::once("check".into()).chain(given.into_iter().map(Into::into));
    let arguments = arguments.chain(["--".into()]).chain(task.files.into_iter().map(Into::into));
    Asked {
        call: Call { name: task.name.clone(), arguments: arguments.collect(), timeout, style: Style::Plain },
        name: task.name,
        key,
        expected: task.expected,
        code_of_refusal: if task.refused.is_some() { UNKNOWN } else { WRONG },
        refused: task.refused,
    }
}

/// What was told so far.
struct Told {
    table: Table,
    format: AnswerFormatName,
    order: InOrder<Row>,
    counts: Counts,
}

/// What is written of a task, and how its answer counts.
struct Row {
    text: String,
    code: u8,
}

impl Told {
    /// Takes an answer, or that there is none, and writes those whose turn has come.
    fn row(&mut self, number: usize, task: &Asked, line: Option<Line>) -> anyhow::Result<()> {
        let row = match &line {
            Some(line) => Row {
                code: counted(task, line),
                text: match self.format {
                    AnswerFormatName::Text => self.table.rows(task, line),
                    AnswerFormatName::Json => format!("{}\n", line.text),
                },
            },
            None => Row {
                code: UNKNOWN,
                text: match self.format {
                    AnswerFormatName::Text => self.table.without_answer(task, "interrupted"),
                    AnswerFormatName::Json => String::new(),
                },
            },
        };
        for row in self.order.take(number, row) {
            self.counts.count(row.code);
            answer(|out| out.write_all(row.text.as_bytes()))?;
        }
        Ok(())
    }
}

/// The exit code that an answer counts as: what was expected is fine, what was not is found.
fn counted(task: &Asked, line: &Line) -> u8 {
    let results = line.report.as_ref().map_or(&[][..], |report| &report.results);
    if task.expected.is_empty() || results.is_empty() {
        return line.exit;
    }
    let code = |(index, answer): (usize, &journal::Answer)| match (task.expected.get(index), answer.verdict.as_str()) {
        (Some(expected), verdict) if expected == verdict => FINE,
        (_, "unknown") => UNKNOWN,
        (Some(_), _) | (None, "violated" | "reachable") => FOUND,
        (None, _) => FINE,
    };
    results.iter().enumerate().map(code).fold(FINE, pool::worst)
}

/// How many tasks ended how.
#[derive(Debug, Default)]
struct Counts {
    code: u8,
    fine: usize,
    found: usize,
    unknown: usize,
    wrong: usize,
}

impl Counts {
    fn count(&mut self, code: u8) {
        self.code = pool::worst(self.code, code);
        *match code {
            FINE => &mut self.fine,
            FOUND => &mut self.found,
            UNKNOWN => &mut self.unknown,
            _ => &mut self.wrong,
        } += 1;
    }

    fn told(&self, all: usize) -> String {
        let tasks = if all == 1 { "1 task".to_owned() } else { format!("{all} tasks") };
        let counted =
            [(self.fine, "fine"), (self.found, "with findings"), (self.unknown, "unknown"), (self.wrong, "wrong")];
        let counted = counted.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        format!("{tasks}: {}", counted.collect::<Vec<_>>().join(", "))
    }
}
